"""Programs of Halidom's language as functions on NumPy arrays."""

from __future__ import annotations

import ctypes
import os
import tempfile
import threading
import warnings
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import _program, _source, _verdict
from ._errors import ArgumentError, CheckFailed, HalidomError, Refuted, Unknown, UnprovedWarning
from ._verdict import Verdict

Array = numpy.ndarray[Any, Any]
#: The least coordinate and the extent of each dimension, in the order of NumPy's axes.
Region = Tuple[Tuple[int, int], ...]

_OK, _CHECK_FAILED, _OUT_OF_MEMORY, _BAD_BUFFER = range(4)
_INT, _UINT, _FLOAT = range(3)
# Coordinates, extents and strides have 32 bits in the runtime.
_MOST = 0x7FFFFFFF
_MOST_THREADS = 256
_TYPES: Dict[str, Tuple[int, int, str, Any]] = {
    "bool": (_UINT, 1, "bool", ctypes.c_bool),
    "i8": (_INT, 8, "int8", ctypes.c_int8),
    "i16": (_INT, 16, "int16", ctypes.c_int16),
    "i32": (_INT, 32, "int32", ctypes.c_int32),
    "i64": (_INT, 64, "int64", ctypes.c_int64),
    "int": (_INT, 64, "int64", ctypes.c_int64),
    "u8": (_UINT, 8, "uint8", ctypes.c_uint8),
    "u16": (_UINT, 16, "uint16", ctypes.c_uint16),
    "u32": (_UINT, 32, "uint32", ctypes.c_uint32),
    "u64": (_UINT, 64, "uint64", ctypes.c_uint64),
    "f32": (_FLOAT, 32, "float32", ctypes.c_float),
    "f64": (_FLOAT, 64, "float64", ctypes.c_double),
}


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Dimension(ctypes.Structure):
    _fields_ = [
        ("min", ctypes.c_int32),
        ("extent", ctypes.c_int32),
        ("stride", ctypes.c_int32),
        ("flags", ctypes.c_uint32),
    ]


class _Buffer(ctypes.Structure):
    _fields_ = [
        ("device", ctypes.c_uint64),
        ("interface", ctypes.c_void_p),
        ("host", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("type", _Type),
        ("dimensions", ctypes.c_int32),
        ("dim", ctypes.POINTER(_Dimension)),
        ("padding", ctypes.c_void_p),
    ]


class _Failure(ctypes.Structure):
    _fields_ = [
        ("check", ctypes.c_int32),
        ("claimed", ctypes.c_int32),
        ("values", ctypes.c_int64 * 6),
    ]


class Argument:
    """A parameter of a kernel: its name, its kind (``input``, ``output``, ``parameter``), its type
    in Halidom's language, and the number of its dimensions. ``source`` is its name in the pipeline;
    a name in C may differ from it. ``whole`` is the input, the dimension
    and the part of its bounds that a parameter stands for, if the input has a window."""

    __slots__ = (
        "name",
        "kind",
        "scalar",
        "rank",
        "like",
        "whole",
        "source",
        "dtype",
        "_code",
        "_bits",
        "_number",
    )

    def __init__(self, described: Mapping[str, Any]) -> None:
        self.name: str = described["name"]
        self.kind: str = described["kind"]
        self.scalar: str = described["type"]
        self.rank: int = described["rank"] or 0
        self.like: Optional[int] = described["like"]
        self.source: str = described["source"]
        whole = described.get("whole")
        self.whole: Optional[Tuple[str, int, str]] = (
            None if whole is None else (whole["input"], whole["dim"], whole["part"])
        )
        self._code, self._bits, name, self._number = _TYPES[self.scalar]
        self.dtype = numpy.dtype(name)

    def __repr__(self) -> str:
        shape = "" if self.kind == "parameter" else f", {self.rank} dimensions"
        return f"<{self.kind} {self.name}: {self.scalar}{shape}>"


class _Frame:
    """The memory of a call: a buffer for each array. Each thread has its own."""

    __slots__ = ("buffers", "arguments", "failure", "shapes")

    def __init__(self, kernel: "Kernel") -> None:
        self.buffers: List[Any] = []
        self.failure = _Failure()
        self.arguments: List[Any] = []
        self.shapes: List[Any] = []
        for argument in kernel.arguments:
            if argument.kind == "parameter":
                self.arguments.append(None)
                continue
            dims = (_Dimension * max(argument.rank, 1))()
            kind = _Type(argument._code, argument._bits, 1)
            buffer = _Buffer(0, None, None, 0, kind, argument.rank, dims, None)
            self.buffers.append(buffer)
            self.shapes.append(None)
            self.arguments.append(ctypes.addressof(buffer))
        self.arguments.append(ctypes.addressof(self.failure))

    def place(self, number: int, region: Region, strides: Sequence[int]) -> None:
        """Describe the layout of a buffer; strides count elements."""
        dims = self.buffers[number].dim
        last = len(region) - 1
        ends = [value for low, extent in region for value in (low, extent, low + extent)]
        for value in (*ends, *strides):
            if not -_MOST <= value <= _MOST:
                raise ArgumentError(f"{value} is too large for a coordinate or a stride")
        for axis, (low, extent) in enumerate(region):
            dim = dims[last - axis]
            dim.min, dim.extent, dim.stride, dim.flags = low, extent, strides[axis], 0


class Kernel:
    """A compiled pipeline, to be called on NumPy arrays, and on all that has ``__dlpack__``.

    Inputs and parameters are given in the order of the program's signature, or by name. Axes stand
    in NumPy's order: the last axis of an array is the pipeline's first dimension, so a picture of
    ``f(x, y)`` has the shape ``(height, width)``. Calls release the GIL, and any number of threads
    may call at once.
    """

    def __init__(
        self,
        library: ctypes.CDLL,
        interface: Mapping[str, Any],
        verdict: Optional[Verdict],
        source: str,
    ) -> None:
        name = interface["function"]
        self.name: str = name
        self.source = source
        #: The verdict on the compiled code; ``None`` if it was not validated.
        self.verdict = verdict
        #: All parameters, in the order of the function in C.
        self.arguments: List[Argument] = [Argument(one) for one in interface["arguments"]]
        self.inputs = [one for one in self.arguments if one.kind == "input"]
        self.outputs = [one for one in self.arguments if one.kind == "output"]
        self._given = [one for one in self.arguments if one.kind != "output"]
        self._checks: List[str] = list(interface["checks"])
        self._library = library
        self._function: Any = getattr(library, f"{name}_reporting")
        self._function.restype = ctypes.c_int
        self._function.argtypes = [
            one._number if one.kind == "parameter" else ctypes.c_void_p for one in self.arguments
        ] + [ctypes.c_void_p]
        self._local = threading.local()
        self._windows: Dict[Any, List[Region]] = {}
        self._order = {one.name: position for position, one in enumerate(self._given)}
        described = ", ".join(f"{one.name}: {one.scalar}" for one in self._given)
        made = ", ".join(f"{one.name}: {one.scalar}" for one in self.outputs)
        self.__doc__ = f"{name}({described}) -> {made}; from {source}"

    def __repr__(self) -> str:
        return f"<halidom.Kernel {self.__doc__}>"

    def __call__(
        self,
        *given: Any,
        out: Union[None, Any, Sequence[Any]] = None,
        origin: Optional[Sequence[int]] = None,
        threads: Optional[int] = None,
        **named: Any,
    ) -> Any:
        """Run the pipeline.

        ``out`` is the array that is written, or a sequence of arrays if there are several outputs;
        without it, arrays are allocated for the largest region that the inputs allow. ``origin`` is
        the coordinate of the first element of each output, in the order of axes: zeros if ``out``
        is given, else the least one that the inputs allow. ``threads`` sets the number of
        threads of this pipeline's parallel loops, for this call and later ones; 0 restores the
        default.

        Returns the output, or a tuple of outputs. Raises :exc:`ArgumentError` for arrays of a wrong
        type, rank or layout, and :exc:`CheckFailed` if an entry check refuses the arguments.
        """
        is_complete = not named and len(given) == len(self._given)
        values = given if is_complete else self._values(given, named)
        if threads is not None:
            self._set_threads(threads)
        try:
            frame: _Frame = self._local.frame
        except AttributeError:
            frame = self._local.frame = _Frame(self)
        arguments = frame.arguments
        spans: List[Tuple[int, int]] = []
        arrays: List[Array] = []
        number = 0
        for position, (argument, value) in enumerate(zip(self._given, values)):
            if argument.kind == "parameter":
                # Outputs come last, so positions among the given arguments are those among all.
                arguments[position] = _number(argument, value)
                continue
            array = value
            if type(array) is not numpy.ndarray:
                array = _array(argument, value)
            if array.dtype is not argument.dtype and array.dtype != argument.dtype:
                raise _wrong_type(argument, array)
            if array.ndim != argument.rank:
                raise _wrong_rank(argument, array)
            address = array.__array_interface__["data"][0]
            self._lay(frame, number, argument, array, address, None)
            spans.append((address, _reach(array)))
            arrays.append(array)
            number += 1
        results, lows = self._results(out, origin, arrays, frame)
        for argument, array in zip(self.outputs, results):
            if array.dtype != argument.dtype:
                raise _wrong_type(argument, array)
            if array.ndim != argument.rank:
                raise _wrong_rank(argument, array)
            if not array.flags.writeable:
                raise ArgumentError(f"`{argument.name}` is read-only: give an array to write to")
            address = array.__array_interface__["data"][0]
            low = None if lows is None else lows[argument.like or number - len(self.inputs)]
            self._lay(frame, number, argument, array, address, low)
            end = address + _reach(array)
            for begin, length in spans:
                if address < begin + length and begin < end:
                    raise ArgumentError(
                        f"`{argument.name}` shares memory with another argument: give an array "
                        "of its own"
                    )
            spans.append((address, end - address))
            number += 1
        status = self._function(*arguments)
        if status != _OK:
            raise self._failed(status, frame)
        if out is not None:
            return out
        return results[0] if len(results) == 1 else tuple(results)

    def _values(self, given: Sequence[Any], named: Mapping[str, Any]) -> List[Any]:
        if len(given) > len(self._given):
            raise ArgumentError(f"{self.name} takes {len(self._given)} arguments, not {len(given)}")
        missing = object()
        values: List[Any] = [*given, *[missing] * (len(self._given) - len(given))]
        for name, value in named.items():
            position = self._order.get(name)
            if position is None:
                known = ", ".join(f"`{one}`" for one in self._order)
                raise ArgumentError(f"{self.name} has no argument `{name}`; it has {known}")
            if values[position] is not missing:
                raise ArgumentError(f"`{name}` is given twice")
            values[position] = value
        for argument, value in zip(self._given, values):
            if value is missing:
                raise ArgumentError(f"`{argument.name}` is missing ({argument!r})")
        return values

    def _set_threads(self, threads: int) -> None:
        if not isinstance(threads, int) or not 0 <= threads <= _MOST_THREADS:
            raise ArgumentError(
                f"`threads` is a number of threads up to {_MOST_THREADS}, or 0 for the default"
            )
        self._library.halidom_set_threads(threads)

    @staticmethod
    def _lay(
        frame: _Frame,
        number: int,
        argument: Argument,
        array: Array,
        address: int,
        low: Optional[Sequence[int]],
    ) -> None:
        shape, strides = array.shape, array.strides
        layout = (shape, strides, low)
        if frame.shapes[number] != layout:
            size = array.itemsize
            if array.size == 0:
                # NumPy gives an empty array strides that say nothing.
                steps, step = [], 1
                for extent in reversed(shape):
                    steps.append(step)
                    step *= max(extent, 1)
                steps.reverse()
            else:
                for axis, stride in enumerate(strides):
                    if stride % size != 0:
                        raise _wrong_layout(argument, axis, "is no multiple of its elements' size")
                    if stride < 0:
                        raise _wrong_layout(argument, axis, "is negative")
                steps = [stride // size for stride in strides]
            lows = low or (0,) * len(shape)
            frame.shapes[number] = None
            frame.place(number, tuple(zip(lows, shape)), steps)
            frame.shapes[number] = layout
        # An array without elements may have no address, which would be a question for bounds.
        frame.buffers[number].host = address or 1

    def _results(
        self,
        out: Any,
        origin: Optional[Sequence[int]],
        arrays: Sequence[Array],
        frame: _Frame,
    ) -> Tuple[List[Array], Optional[List[Sequence[int]]]]:
        firsts = [one.rank for one in self.outputs]
        if out is not None:
            several = isinstance(out, (list, tuple))
            results = list(out) if several else [out]
            if len(results) != len(self.outputs):
                names = ", ".join(f"`{one.name}`" for one in self.outputs)
                raise ArgumentError(f"`out` must have an array for each of {names}")
            pairs = zip(self.outputs, results)
            results = [
                array if type(array) is numpy.ndarray else _array(argument, array, is_written=True)
                for argument, array in pairs
            ]
            if origin is None:
                return results, None
            return results, [_origin(origin, rank) for rank in firsts]
        regions = self._largest(arrays, frame)
        lows: List[Sequence[int]] = [tuple(low for low, _ in region) for region in regions]
        shapes = [tuple(extent for _, extent in region) for region in regions]
        if origin is not None:
            asked: List[Sequence[int]] = [_origin(origin, rank) for rank in firsts]
            shapes = [
                tuple(max(extent - (new - old), 0) for extent, new, old in zip(shape, low, known))
                for shape, low, known in zip(shapes, asked, lows)
            ]
            lows = asked
        made = [numpy.empty(shape, one.dtype) for shape, one in zip(shapes, self.outputs)]
        return made, lows

    # Regions.

    def _ask(
        self, parameters: Mapping[int, Any], windows: Sequence[Region], inputs: Sequence[Any]
    ) -> List[Region]:
        """The region that each input needs, and that each output must have, for these windows."""
        frame = _Frame(self)
        for position, value in parameters.items():
            frame.arguments[position] = value
        for number, region in enumerate(inputs):
            frame.place(number, region, _dense([extent for _, extent in region]))
        for number, region in enumerate(windows, len(self.inputs)):
            frame.place(number, region, _dense([extent for _, extent in region]))
        status = self._function(*frame.arguments)
        if status != _OK:
            raise self._failed(status, frame)
        found = []
        for buffer in frame.buffers:
            dims = [buffer.dim[k] for k in range(buffer.dimensions)]
            found.append(tuple((dim.min, dim.extent) for dim in reversed(dims)))
        return found

    def _parameters(self, frame: _Frame) -> Dict[int, Any]:
        return {
            position: frame.arguments[position]
            for position, argument in enumerate(self._given)
            if argument.kind == "parameter"
        }

    def _largest(self, arrays: Sequence[Array], frame: _Frame) -> List[Region]:
        """The largest region of each output that the inputs allow, as `halidom run` chooses it."""
        parameters = self._parameters(frame)
        given = [tuple((0, extent) for extent in array.shape) for array in arrays]
        key = (tuple(given), tuple(sorted(parameters.items())))
        known = self._windows.get(key)
        if known is not None:
            return known
        windows = [((0, 1),) * one.rank for one in self.outputs]
        chosen: List[List[Tuple[int, int]]] = [list(window) for window in windows]
        for number, output in enumerate(self.outputs):
            if output.like is not None:
                chosen[number] = list(chosen[output.like])
                continue
            for axis in range(output.rank):
                search = _Search(self, parameters, given, windows, number, axis)
                chosen[number][axis] = search.interval()
        found = [tuple(window) for window in chosen]
        if len(self._windows) > 1000:
            self._windows.clear()
        self._windows[key] = found
        return found

    def bounds(self, output: Any = None, **named: Any) -> Dict[str, Region]:
        """Return the region of each input that is needed for a region of the output.

        ``output`` has the least coordinate and the extent of each axis, in NumPy's order; for
        several outputs, a mapping from their names. Parameters and shapes of inputs that the answer
        depends on are given by name: ``limit=3``, ``A=(20, 30)``. Returns regions by name, of
        outputs too: an output may have to be larger than what is asked for.
        """
        if output is None:
            raise ArgumentError("`output` is the region, such as `((0, 512), (0, 512))`")
        regions: Dict[str, Any]
        if isinstance(output, Mapping):
            regions = dict(output)
        else:
            regions = {one.name: output for one in self.outputs}
        windows = []
        for one in self.outputs:
            region = regions.get(one.name)
            if region is None or len(region) != one.rank:
                raise ArgumentError(f"`{one.name}` needs a (min, extent) for {one.rank} axes")
            windows.append(tuple((int(low), int(extent)) for low, extent in region))
        shapes: List[Region] = []
        parameters: Dict[int, Any] = {}
        for position, one in enumerate(self._given):
            if one.kind == "parameter":
                if one.name not in named:
                    raise ArgumentError(f"`{one.name}` is missing ({one!r})")
                parameters[position] = _number(one, named.pop(one.name))
                continue
            shape = named.pop(one.name, (1,) * one.rank)
            shape = getattr(shape, "shape", shape)
            if len(shape) != one.rank:
                raise ArgumentError(f"the shape of `{one.name}` has {one.rank} axes")
            shapes.append(tuple((0, int(extent)) for extent in shape))
        if named:
            raise ArgumentError(f"{self.name} has no argument `{next(iter(named))}`")
        found = self._ask(parameters, windows, shapes)
        names = [one.name for one in (*self.inputs, *self.outputs)]
        return dict(zip(names, found))

    def _failed(self, status: int, frame: _Frame) -> Exception:
        if status == _OUT_OF_MEMORY:
            return MemoryError("there is not enough memory for an internal buffer")
        if status == _BAD_BUFFER:
            return ArgumentError("the outputs' arrays differ in shape or strides")
        if status != _CHECK_FAILED:
            return HalidomError(f"{self.name} ended with the unknown status {status}")
        number, values = frame.failure.check, list(frame.failure.values)
        frame.failure.check = frame.failure.claimed = 0
        what = self._checks[number] if 0 <= number < len(self._checks) else "an entry check"
        text = what
        if what.startswith(("the required region", "the written region")):
            low, extent, has_low, has_extent = values[:4]
            name, dim = what.split("`")[1], int(what.rsplit(" ", 1)[1])
            axes = [one.rank - 1 - dim for one in self.arguments if one.name == name]
            axis = f" (axis {axes[0]} of the array)" if axes else ""
            text += f"{axis} is {_range(low, extent)}, and the array has "
            text += _range(has_low, has_extent)
        elif "layout" in what:
            text += "; `numpy.ascontiguousarray` makes such an array"
        return CheckFailed(text, what)


class _Search:
    """The search for the largest interval of one axis of an output."""

    FARTHEST = 4096
    UNLIMITED = 1 << 30

    def __init__(
        self,
        kernel: Kernel,
        parameters: Mapping[int, Any],
        given: Sequence[Region],
        windows: Sequence[Region],
        number: int,
        axis: int,
    ) -> None:
        self.kernel = kernel
        self.parameters = parameters
        self.given = given
        self.windows = list(windows)
        self.number = number
        self.axis = axis
        near, far, wide = self.needs(0, 1), self.needs(1, 1), self.needs(0, 2)
        places = [
            (which, axis)
            for which, region in enumerate(near[: len(given)])
            for axis in range(len(region))
        ]
        # The axes of inputs that follow this axis of the output.
        self.follow = [
            (which, axis)
            for which, axis in places
            if not near[which][axis] == far[which][axis] == wide[which][axis]
        ]
        own = len(given) + number
        self.fixed = near[own][axis] if near[own][axis] == far[own][axis] else None

    def needs(self, low: int, extent: int) -> List[Region]:
        window = list(self.windows[self.number])
        window[self.axis] = (low, extent)
        windows = list(self.windows)
        for position, one in enumerate(self.kernel.outputs):
            if position == self.number or one.like == self.number:
                windows[position] = tuple(window)
        return self.kernel._ask(self.parameters, windows, self.given)

    def fits(self, low: int, extent: int) -> bool:
        found = self.needs(low, extent)
        for which, axis in self.follow:
            begin, length = found[which][axis]
            has, room = self.given[which][axis]
            if length > 0 and (begin < has or begin + length > has + room):
                return False
        return True

    def interval(self) -> Tuple[int, int]:
        if self.fixed is not None and self.fixed[1] > 2:
            return self.fixed
        if not self.follow:
            return self.as_the_input()
        low = 0
        while not self.fits(low, 1):
            low += 1
            if low > self.FARTHEST:
                name = self.kernel.outputs[self.number].name
                raise ArgumentError(f"the inputs are too small for any element of `{name}`")
        good, bad = 1, 2
        while self.fits(low, bad):
            good, bad = bad, bad * 2
            if bad > self.UNLIMITED:
                return self.as_the_input()
        while bad - good > 1:
            middle = (good + bad) // 2
            if self.fits(low, middle):
                good = middle
            else:
                bad = middle
        return low, good

    def as_the_input(self) -> Tuple[int, int]:
        """The inputs do not limit this axis: it is as long as the same axis of the first input."""
        rank = self.kernel.outputs[self.number].rank
        for region in self.given:
            if len(region) == rank:
                return region[self.axis]
        name = self.kernel.outputs[self.number].name
        raise ArgumentError(f"the inputs do not tell the shape of `{name}`: give `out`")


def _dense(shape: Sequence[int]) -> List[int]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(min(step, _MOST))
        step *= max(extent, 1)
    return strides[::-1]


def _range(low: int, extent: int) -> str:
    return "empty" if extent <= 0 else f"{low}..{low + extent}"


def _reach(array: Array) -> int:
    """The bytes from the first element to the end of the last one; strides are not negative."""
    if array.flags.c_contiguous:
        return int(array.nbytes)
    if array.size == 0:
        return 0
    steps = zip(array.shape, array.strides)
    return int(array.itemsize + sum((extent - 1) * stride for extent, stride in steps))


def _origin(origin: Sequence[int], rank: int) -> Tuple[int, ...]:
    low = tuple(int(value) for value in origin)
    if len(low) != rank:
        raise ArgumentError(f"`origin` has {len(low)} coordinates, and an output has {rank} axes")
    return low


def _array(argument: Argument, value: Any, is_written: bool = False) -> Array:
    """An array over the memory of something else; what is written is never a copy."""
    if isinstance(value, numpy.ma.MaskedArray):
        raise ArgumentError(f"`{argument.name}` has a mask, which a pipeline does not see")
    if isinstance(value, numpy.ndarray) or hasattr(value, "__array_interface__"):
        return numpy.asarray(value)
    if hasattr(value, "__dlpack__"):
        try:
            return numpy.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise ArgumentError(f"`{argument.name}` has no array in memory: {error}") from None
    if hasattr(value, "__array__") and not is_written:
        return numpy.asarray(value)
    raise ArgumentError(
        f"`{argument.name}` is a `{type(value).__name__}`: give a NumPy array of "
        f"{argument.dtype} with {argument.rank} dimensions"
    )


def _wrong_type(argument: Argument, array: Array) -> ArgumentError:
    if array.dtype.newbyteorder("=") == argument.dtype:
        return ArgumentError(
            f"`{argument.name}` has the other byte order: "
            f"`array.astype({str(argument.dtype)!r})` has the machine's"
        )
    return ArgumentError(
        f"`{argument.name}` has the type {array.dtype}, and {argument.dtype} is needed: "
        f"`array.astype({str(argument.dtype)!r})` converts it"
    )


def _wrong_rank(argument: Argument, array: Array) -> ArgumentError:
    return ArgumentError(
        f"`{argument.name}` has {array.ndim} dimensions, shape {array.shape}, and "
        f"{argument.rank} are needed"
    )


def _wrong_layout(argument: Argument, axis: int, words: str) -> ArgumentError:
    return ArgumentError(
        f"the stride of axis {axis} of `{argument.name}` {words}: "
        "`numpy.ascontiguousarray(array)` has another layout"
    )


def _number(argument: Argument, value: Any) -> Any:
    """A parameter's value, if it is one of its type."""
    if argument._code == _FLOAT:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ArgumentError(f"`{argument.name}` is a number, not {value!r}") from None
    if argument.scalar == "bool":
        if isinstance(value, (bool, numpy.bool_)):
            return bool(value)
        raise ArgumentError(f"`{argument.name}` is True or False, not {value!r}")
    try:
        number = value.__index__()
    except (AttributeError, TypeError):
        raise ArgumentError(f"`{argument.name}` is an integer, not {value!r}") from None
    low, high = (0, 1 << argument._bits)
    if argument._code == _INT:
        low, high = -(1 << argument._bits - 1), 1 << argument._bits - 1
    if not low <= number < high:
        raise ArgumentError(f"`{argument.name}` = {number} does not fit {argument.scalar}")
    return number


def compile(
    source: Union[str, "os.PathLike[str]"],
    *,
    pipeline: Optional[str] = None,
    schedule: Optional[str] = None,
    strict: bool = False,
    validated: bool = True,
    progress: Optional[bool] = None,
) -> Kernel:
    """Compile a program of Halidom's language, prove it, and return a function on arrays.

    ``source`` is the path of a ``.hal`` file, or its text. ``pipeline`` and ``schedule`` choose a
    part of it; ``schedule="default"`` is the unscheduled form. A pipeline that is refuted raises
    :exc:`Refuted`. One that is unknown gives a warning, or with ``strict`` raises :exc:`Unknown`.
    ``validated=False`` omits the proof.

    Needs a C compiler: gcc, clang, or the wheel ``ziglang``. Raises :exc:`MissingTool` without one,
    and :exc:`InputError` for a file with errors.
    """
    with tempfile.TemporaryDirectory(prefix="halidom-") as place:
        built = build(
            source,
            Path(place),
            pipeline=pipeline,
            schedule=schedule,
            strict=strict,
            validated=validated,
            progress=progress,
        )
        library = ctypes.CDLL(str(built.library))
        return Kernel(library, built.interface, built.verdict, built.title)


class Built:
    """A compiled program: its library, the description of its function, and the verdict."""

    def __init__(
        self, library: Path, interface: Mapping[str, Any], verdict: Optional[Verdict], title: str
    ) -> None:
        self.library = library
        self.interface = interface
        self.verdict = verdict
        self.title = title


def build(
    source: Union[str, "os.PathLike[str]"],
    folder: Path,
    *,
    pipeline: Optional[str] = None,
    schedule: Optional[str] = None,
    windows: bool = False,
    given: Sequence[str] = (),
    compute: Optional[str] = None,
    piece: bool = False,
    strict: bool = False,
    validated: bool = True,
    progress: Optional[bool] = None,
) -> Built:
    """Compile a program into a folder. With ``windows``, every input has a window. ``compute`` and
    ``given`` name the func that a phase computes, and those that it takes as inputs; with
    ``piece``, the phase continues a reduction."""
    if strict and not validated:
        raise ArgumentError("`strict` demands a proof, which `validated=False` omits")
    source, schedule = _source.settled(source, schedule)
    file = _source.file(source, folder)
    title = "the program" if _source.is_text(source) else str(file)
    words = ["build", str(file), "--output", str(folder), "--emit", "shared-library"]
    for option, value in (("--pipeline", pipeline), ("--schedule", schedule)):
        if value is not None:
            words += [option, value]
    if windows:
        words += ["--window", "*"]
    for func in given:
        words += ["--given", func]
    if compute is not None:
        words += ["--compute", compute]
    if piece:
        words.append("--piece")
    if not validated:
        words.append("--no-validate")
    answer = _program.ask(words, title=f"compiling {title}", progress=progress)
    verdict = _verdict.of(answer) if "verdict" in answer else None
    if verdict is not None and not verdict.proved:
        if not verdict.unknown:
            raise (Refuted if verdict.refuted else Unknown)(verdict)
        if strict:
            raise Unknown(verdict)
        warnings.warn(verdict.statement, UnprovedWarning, stacklevel=3)
    return Built(Path(answer["written"][0]), answer["interface"], verdict, title)


def bounds(kernel: Kernel, output: Any = None, **named: Any) -> Dict[str, Region]:
    """Return the region of each input that a kernel needs; see :meth:`Kernel.bounds`."""
    return kernel.bounds(output, **named)
