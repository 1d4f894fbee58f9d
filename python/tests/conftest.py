"""Fixtures: the package as it stands in the checkout, programs, and Halide if it is installed."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))

pytest_plugins = ["pytester"]


def pytest_configure(config):
    """Declares the mark of slow tests."""
    config.addinivalue_line("markers", "sweep: runs with HALIDOM_SWEEP in the environment only")


def pytest_runtest_setup(item):
    """Leaves slow tests to `cargo xtask sweep`."""
    if item.get_closest_marker("sweep") and "HALIDOM_SWEEP" not in os.environ:
        pytest.skip("a part of `cargo xtask sweep`")


@pytest.fixture
def halide():
    """Halide's package; the test is skipped without it."""
    if importlib.util.find_spec("halide") is None:
        pytest.skip("Halide is not installed")
    import halide

    return halide


@pytest.fixture
def root():
    """The checkout."""
    return ROOT


@pytest.fixture
def wrong(halide):
    """A pipeline that Halide 21.0.0 compiles wrongly."""
    path = ROOT / "tests/halide/miscompiled/blend_twice.py"
    spec = importlib.util.spec_from_file_location("blend_twice", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.pipeline
