"""The types of the package."""

import importlib.util
import subprocess
import sys

import pytest


def test_mypy_finds_nothing(root, tmp_path):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), "--strict"]
    command += ["--ignore-missing-imports", "halidom"]
    done = subprocess.run(command, cwd=root / "python", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
