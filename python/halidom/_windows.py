"""Kernels for parts of arrays: each input has a window, and the bounds of the whole beside it."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import socket
import stat
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from . import _source
from ._errors import ArgumentError, CheckFailed, HalidomError
from ._kernel import Array, Kernel, Region, _Frame, _number, _Search, build

#: Instructions that a library for a target needs, as the system names them.
_NEEDED = {
    "x86-64-avx512": ("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"),
    "x86-64-avx2": ("avx2", "fma", "f16c"),
}


class Part(NamedTuple):
    """What is stored of an input: an array, and the coordinate of its first element."""

    array: Array
    low: Tuple[int, ...]


class WindowKernel:
    """A kernel whose inputs are parts of arrays. Regions stand in the order of NumPy's axes."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.name = kernel.name
        self.inputs = kernel.inputs
        self.outputs = kernel.outputs
        self.parameters = [
            one for one in kernel.arguments if one.kind == "parameter" and one.whole is None
        ]
        self._numbers = {one.name: number for number, one in enumerate(self.inputs)}

    def values(self, named: Mapping[str, Any]) -> Dict[str, Any]:
        """The values of all parameters, checked against their types."""
        found = {}
        for one in self.parameters:
            if one.name not in named:
                raise ArgumentError(f"`{one.name}` is missing ({one!r})")
            found[one.name] = _number(one, named[one.name])
        return found

    def _begin(self, wholes: Sequence[Region], values: Mapping[str, Any]) -> _Frame:
        frame = _Frame(self.kernel)
        for position, one in enumerate(self.kernel.arguments):
            if one.whole is not None:
                name, dim, part = one.whole
                region = wholes[self._numbers[name]]
                low, extent = region[len(region) - 1 - dim]
                frame.arguments[position] = low if part == "min" else extent
            elif one.kind == "parameter":
                frame.arguments[position] = values[one.name]
        return frame

    def _call(self, frame: _Frame) -> None:
        status = self.kernel._function(*frame.arguments)
        if status != 0:
            raise self.kernel._failed(status, frame)

    def needs(
        self, windows: Sequence[Region], wholes: Sequence[Region], values: Mapping[str, Any]
    ) -> List[Region]:
        """The region of each input that these windows of the outputs need, then those that the
        outputs must have."""
        frame = self._begin(wholes, values)
        # Of an input that is not read, nothing is needed. Strides are answered, not read.
        nothing = [tuple((low, 0) for low, _ in whole) for whole in wholes]
        for number, region in enumerate([*nothing, *windows]):
            frame.place(number, region, (1,) * len(region))
        self._call(frame)
        found = []
        for buffer in frame.buffers:
            dims = [buffer.dim[k] for k in range(buffer.dimensions)]
            found.append(tuple((dim.min, max(dim.extent, 0)) for dim in reversed(dims)))
        return found

    def run(
        self,
        windows: Sequence[Region],
        parts: Sequence[Part],
        wholes: Sequence[Region],
        values: Mapping[str, Any],
    ) -> List[Array]:
        """The values of the outputs on their windows."""
        frame = self._begin(wholes, values)
        for number, (one, part) in enumerate(zip(self.inputs, parts)):
            if part.array.dtype != one.dtype or part.array.ndim != one.rank:
                raise ArgumentError(f"a part of `{one.name}` has a wrong type or rank")
            address = part.array.__array_interface__["data"][0]
            Kernel._lay(frame, number, one, part.array, address, part.low)
        made = []
        for number, (one, region) in enumerate(zip(self.outputs, windows), len(self.inputs)):
            array = numpy.empty(tuple(extent for _, extent in region), one.dtype)
            address = array.__array_interface__["data"][0]
            Kernel._lay(frame, number, one, array, address, tuple(low for low, _ in region))
            made.append(array)
        self._call(frame)
        return made

    def largest(self, wholes: Sequence[Region], values: Mapping[str, Any]) -> List[Region]:
        """The largest region of each output that the whole inputs allow."""
        asker = _Asker(self, wholes, values)
        windows: List[Region] = [((0, 1),) * one.rank for one in self.outputs]
        chosen: List[List[Tuple[int, int]]] = [list(window) for window in windows]
        for number, output in enumerate(self.outputs):
            if output.like is not None:
                chosen[number] = list(chosen[output.like])
                continue
            for axis in range(output.rank):
                # The search asks for nothing but regions.
                search = _Search(asker, {}, wholes, windows, number, axis)  # type: ignore[arg-type]
                chosen[number][axis] = search.interval()
        return [tuple(window) for window in chosen]

    def is_within(self, needed: Sequence[Region], wholes: Sequence[Region]) -> Optional[str]:
        """The first input of which more is needed than there is, in words."""
        for one, region, whole in zip(self.inputs, needed, wholes):
            if any(extent <= 0 for _, extent in region):
                continue
            for axis, ((low, extent), (first, length)) in enumerate(zip(region, whole)):
                if low < first or low + extent > first + length:
                    return (
                        f"{low}..{low + extent} of axis {axis} of `{one.name}` is read, and the "
                        f"whole has {first}..{first + length}"
                    )
        return None


class _Asker:
    """What the search for the largest region asks."""

    def __init__(
        self, kernel: WindowKernel, wholes: Sequence[Region], values: Mapping[str, Any]
    ) -> None:
        self.windows = kernel
        self.outputs = kernel.outputs
        self.wholes = wholes
        self.values = values

    def _ask(self, _: Any, windows: Sequence[Region], __: Any) -> List[Region]:
        return self.windows.needs(windows, self.wholes, self.values)


def kept(region: Region, whole: Region) -> Region:
    """The part of a region that lies in the whole; where nothing is needed, an empty one in it."""
    if any(extent <= 0 for _, extent in region):
        return tuple((first, 0) for first, _ in whole)
    found = []
    for (low, extent), (first, length) in zip(region, whole):
        begin = min(max(low, first), first + length)
        end = min(max(low + extent, begin), first + length)
        found.append((begin, end - begin))
    return tuple(found)


#: An extent beyond all others.
FAR = 0x7FFFFFFF


def hull(one: Region, other: Region) -> Region:
    """The least region that contains two; an empty one adds nothing."""
    for region, rest in ((one, other), (other, one)):
        if any(extent <= 0 for _, extent in region):
            return rest
    found = []
    for (low, extent), (first, length) in zip(one, other):
        begin, end = min(low, first), max(low + extent, first + length)
        found.append((begin, end - begin))
    return tuple(found)


class Shipped:
    """A kernel that can be sent to another process: the library, the program, and their digest.

    The digest tells kernels apart and finds damage on the way. It is of everything that decides
    what a call computes: two programs may have one library, and differ in the names of parameters.
    It proves nothing about the library: the verdict is of the process that compiled it. A
    machine that lacks the library's instructions compiles the program itself, and proves what
    it compiled.
    """

    def __init__(
        self,
        text: str,
        pipeline: Optional[str],
        schedule: Optional[str],
        interface: Mapping[str, Any],
        library: bytes,
        statement: str,
        given: Sequence[str] = (),
        compute: Optional[str] = None,
        piece: bool = False,
    ) -> None:
        self.text = text
        self.pipeline = pipeline
        self.schedule = schedule
        self.given = tuple(given)
        self.compute = compute
        self.piece = piece
        self.interface = dict(interface)
        self.library = library
        self.digest = self._digest()
        #: The verdict in a sentence.
        self.statement = statement

    def __repr__(self) -> str:
        return f"<halidom kernel {self.interface['function']}, {self.digest[:12]}>"

    def _digest(self) -> str:
        """The digest of the library and of everything that its calls depend on."""
        described = [
            hashlib.sha256(self.library).hexdigest(),
            self.text,
            self.pipeline,
            self.schedule,
            self.given,
            self.compute,
            self.piece,
            self.interface,
        ]
        text = json.dumps(described, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def __dask_tokenize__(self) -> Any:
        return ("halidom", self.digest)

    def load(self) -> WindowKernel:
        """The kernel in this process."""
        with _LOCK:
            known = _LOADED.get(self.digest)
            if known is None:
                known = _LOADED[self.digest] = self._open()
            return known

    def _open(self) -> WindowKernel:
        if self._digest() != self.digest:
            raise HalidomError("a kernel was damaged on its way: its digest is another")
        if not has_instructions(self.interface.get("target", "")):
            return compiled(
                self.text,
                pipeline=self.pipeline,
                schedule=self.schedule,
                given=self.given,
                compute=self.compute,
                piece=self.piece,
            ).load()
        descriptor, name = tempfile.mkstemp(suffix=".so", dir=private_folder())
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(self.library)
            library = ctypes.CDLL(name)
        finally:
            # The process keeps what it has mapped.
            os.unlink(name)
        kernel = WindowKernel(Kernel(library, self.interface, None, "a shipped kernel"))
        # Parallelism is between chunks; and a process that forks must not have threads.
        kernel.kernel._set_threads(1)
        return kernel


_LOADED: Dict[str, WindowKernel] = {}
# Reentrant: a kernel that is compiled here loads what it compiled.
_LOCK = threading.RLock()


def has_instructions(target: str) -> bool:
    """Whether this machine has the instructions of a target."""
    needed = _NEEDED.get(target, ())
    if not needed:
        return True
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return False
    lines = (line for line in text.splitlines() if line.startswith("flags"))
    return set(needed) <= set(next(lines, "").split())


def private_folder() -> Path:
    """The folder for libraries of this user, which nobody else can read or write."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "halidom-kernels"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise HalidomError(f"`{folder}` is no folder of this user")
    if stat.S_IMODE(found.st_mode) != 0o700:
        folder.chmod(0o700)
    return folder


def compiled(
    source: Union[str, "os.PathLike[str]"],
    *,
    pipeline: Optional[str] = None,
    schedule: Optional[str] = None,
    given: Sequence[str] = (),
    compute: Optional[str] = None,
    piece: bool = False,
    progress: Optional[bool] = None,
) -> Shipped:
    """Compile and prove a program all of whose inputs have windows.

    Raises :exc:`Unknown` or :exc:`Refuted` if it is not proved.
    """
    source, schedule = _source.settled(source, schedule)
    with tempfile.TemporaryDirectory(prefix="halidom-") as place:
        folder = Path(place)
        built = build(
            source,
            folder,
            pipeline=pipeline,
            schedule=schedule,
            windows=True,
            given=given,
            compute=compute,
            piece=piece,
            strict=True,
            progress=progress,
        )
        statement = "" if built.verdict is None else built.verdict.statement
        return Shipped(
            _source.text(source),
            pipeline,
            schedule,
            built.interface,
            built.library.read_bytes(),
            statement,
            given,
            compute,
            piece,
        )


def run_guarded(
    kernels: Sequence[Shipped],
    windows: Sequence[Region],
    parts: Sequence[Part],
    wholes: Sequence[Region],
    values: Mapping[str, Any],
) -> List[Array]:
    """Run the first kernel whose entry checks accept the chunk.

    All of them are proved, so each gives the same values; with ``fast_math``, the same up to the
    axioms that the verdicts name.
    """
    for number, shipped in enumerate(kernels):
        try:
            return shipped.load().run(windows, parts, wholes, values)
        except CheckFailed:
            if number + 1 == len(kernels):
                raise
            with _LOCK:
                _REFUSED[shipped.digest] = _REFUSED.get(shipped.digest, 0) + 1
    raise ArgumentError("there is no kernel")


_REFUSED: Dict[str, int] = {}

#: A process: the machine and its number.
Process = Tuple[str, int]


def refused_here() -> Tuple[Process, int]:
    """The number of chunks that a schedule's entry checks refused in this process."""
    with _LOCK:
        return (socket.gethostname(), os.getpid()), sum(_REFUSED.values())


def refused(client: Any = None) -> int:
    """The number of chunks that a schedule's entry checks refused, and that the second kernel
    computed: in this process, and in the workers of a client of ``distributed``. Without
    ``client``, the current one is asked, if there is one."""
    if client is None and "distributed" in sys.modules:
        try:
            client = sys.modules["distributed"].get_client()
        except ValueError:
            client = None
    found = dict([refused_here()])
    if client is not None:
        # Workers may be threads of one process.
        found.update(client.run(refused_here).values())
    return sum(found.values())
