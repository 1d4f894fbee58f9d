"""The kernels of ``torch.compile``: with a stand-in for PyTorch, and with PyTorch where it is."""

import os
import subprocess
import sys
import types
from dataclasses import dataclass, field
from typing import Any, List, Optional

import pytest

import halidom.torch

KERNEL = '''
import halide as hl


@hl.generator(name="kernel")
class Kernel:
    in_ptr0 = hl.InputBuffer(hl.Float(32), 1)
    out_ptr0 = hl.OutputBuffer(hl.Float(32), 1)

    def generate(g):
        x = hl.Var("x")
        g.out_ptr0[x] = g.in_ptr0[x] + 1.0
        assert g.using_autoscheduler() or True
        g.in_ptr0.dim(0).set_min(0)
        g.in_ptr0.dim(0).set_stride(1)
        g.in_ptr0.dim(0).set_extent(24)
        g.out_ptr0.set_estimates([hl.Range(0, 24)])
        FAULT


if __name__ == "__main__":
    hl.main()
'''


@dataclass
class Argument:
    name: str
    shape: List[str]
    stride: List[str]

    def is_buffer(self) -> bool:
        return True


@dataclass
class Meta:
    argtypes: List[Argument]
    target: str = "host-no_asserts-strict_float"
    scheduler: Optional[str] = None
    scheduler_flags: Any = field(default_factory=dict)


@pytest.fixture
def cache(monkeypatch):
    """A stand-in for the module of PyTorch that compiles kernels."""
    pytest.importorskip("halide")

    class HalideCodeCache:
        compiled: List[str] = []

        @classmethod
        def generate_halide_async(cls, meta, source_code, submit_fn=None):
            cls.compiled.append(source_code)
            return "compiled"

    modules = {name: types.ModuleType(name) for name in ("torch", "torch._inductor")}
    codecache = types.ModuleType("torch._inductor.codecache")
    codecache.HalideCodeCache = HalideCodeCache
    modules["torch._inductor"].codecache = codecache
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(sys.modules, codecache.__name__, codecache)
    return HalideCodeCache


def meta():
    return Meta([Argument("in_ptr0", ["24L"], ["1L"]), Argument("out_ptr0", ["24L"], ["1L"])])


def test_each_kernel_is_judged(cache):
    original = vars(cache)["generate_halide_async"]
    with halidom.torch.watch() as kernels:
        assert cache.generate_halide_async(meta(), KERNEL.replace("FAULT", "")) == "compiled"
        assert cache.generate_halide_async(meta(), KERNEL.replace("FAULT", "1 / 0")) == "compiled"
    assert vars(cache)["generate_halide_async"] is original and len(cache.compiled) == 2
    right, wrong = [seen.verdict() for seen in kernels.seen]
    assert right.proved, right.explanation()
    assert any("24" in condition.words for condition in right.conditions)
    assert wrong.unknown and "division by zero" in wrong.statement
    assert "2 kernels: 1 proved, 1 unknown" in str(kernels)
    assert __file__ in kernels.seen[0].place


def test_nothing_is_told(cache):
    with halidom.torch.watch() as kernels:
        pass
    assert "no kernel was compiled" in str(kernels)


def test_pytorch_is_missing(monkeypatch):
    pytest.importorskip("halide")
    for name in ("torch", "torch._inductor"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(halidom.MissingTool, match="pip install torch"):
        halidom.torch.watch()


REAL = """
import halidom.torch, torch
from torch._inductor import config

config.cpu_backend = "halide"
config.force_disable_caches = True
with halidom.torch.watch() as kernels:
    result = torch.compile(lambda a: a * 2 + 1)(torch.ones(16, 24))
assert (result == 3).all()
print(kernels)
assert kernels.seen and all(seen.verdict().proved for seen in kernels.seen)
"""


def test_pytorch_itself(halide, root):
    pytest.importorskip("torch")
    variables = {**os.environ, "PYTHONPATH": str(root / "python")}
    done = subprocess.run([sys.executable, "-c", REAL], env=variables, check=False)
    assert done.returncode == 0
