"""Compiles array programs, judges what Halide compiled, and proves the result.

* :func:`validate` judges a live Halide ``Func``, or a file.
* :func:`assert_proved` raises unless the verdict is *proved*.
* :func:`compile` makes a function on NumPy arrays of a program in Halidom's language.
* :func:`stream` runs a program on arrays that are larger than the memory;
  :mod:`halidom.dask` and :mod:`halidom.xarray` make lazy arrays of programs.
* :func:`halo` proves which region of each input a window of the output needs.
* :func:`bounds` tells which region of each input such a function needs.
"""

from ._errors import (
    ArgumentError,
    CheckFailed,
    HalidomError,
    InputError,
    MissingTool,
    NotProved,
    Refuted,
    Unknown,
    UnprovedWarning,
)
from ._halo import Halo, halo
from ._kernel import Kernel, bounds, compile
from ._program import cmake_dir, executable, version
from ._stream import stream
from ._validate import assert_proved, validate
from ._verdict import Cause, Condition, Counterexample, Verdict

__all__ = [
    "ArgumentError",
    "Cause",
    "CheckFailed",
    "Condition",
    "Counterexample",
    "Halo",
    "HalidomError",
    "InputError",
    "Kernel",
    "MissingTool",
    "NotProved",
    "Refuted",
    "Unknown",
    "UnprovedWarning",
    "Verdict",
    "assert_proved",
    "bounds",
    "cmake_dir",
    "compile",
    "executable",
    "halo",
    "stream",
    "validate",
    "version",
]
