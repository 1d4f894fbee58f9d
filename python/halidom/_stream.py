"""Programs on arrays that are larger than the memory of one machine."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import queue
import secrets
import shutil
import stat
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple
from typing import Union

import numpy

from . import _grid, _program, _windows
from ._errors import ArgumentError, HalidomError, NotProved
from ._grid import Chunks
from ._kernel import Array, Region
from ._plan import Plan
from ._windows import Part

#: The least memory, in bytes.
LEAST = 512 << 20
#: What Python, its libraries and the kernel take before any chunk is read.
BASE = 220 << 20
#: The bytes of a chunk of the output in its store, unless they are given.
STORED = 4 << 20
#: The name of an input that is given without one.
_ONLY = ""
#: The bytes that windows may take at once, so that little is lost when a run is ended.
WINDOW = 1 << 30
# Windows that are in memory at once: one is read, one computed, one written.
_IN_FLIGHT = 3
# The memory of a kernel between its inputs and outputs, as a multiple of these.
_BETWEEN = 1.0


class Done(NamedTuple):
    """What a run did."""

    path: Path
    shape: Tuple[int, ...]
    windows: int
    #: The windows that an earlier run had finished.
    resumed: int
    #: The windows that the second kernel computed.
    refused: int
    seconds: float


def stream(
    program: Union[str, "os.PathLike[str]"],
    *,
    output: Union[str, "os.PathLike[str]"],
    memory: Union[int, str] = "2GB",
    pipeline: Optional[str] = None,
    schedule: Optional[str] = None,
    region: Optional[Sequence[Tuple[int, int]]] = None,
    chunks: Optional[Sequence[int]] = None,
    threads: int = 0,
    overwrite: bool = False,
    progress: Optional[bool] = None,
    **given: Any,
) -> Done:
    """Run a program on arrays in files, and write the output as a Zarr array.

    Inputs are given by name: the path of a Zarr array, of a ``.npy`` file or of a TIFF file, or an
    array. ``memory`` limits the memory of the process: windows are chosen so that what is read,
    computed and written at once fits. While one window is computed, the next one is read and the
    last one written. Finished windows are kept in a journal: a run that was ended begins where it
    was. The output appears under its name when it is complete.

    Raises :exc:`ArgumentError` for arguments that do not fit, and what :func:`halidom.dask.map`
    raises for programs that are not proved.
    """
    limit = size_of(memory)
    if limit < LEAST:
        raise ArgumentError(f"`memory` is {limit} bytes, and the least are {LEAST} (512 MB)")
    final = Path(output)
    if final.exists() and not overwrite:
        raise ArgumentError(f"`{final}` exists: name another output, or give `overwrite`")
    begin = time.monotonic()
    named = {name: _open(name, value) for name, value in given.items()}
    planned = Plan(
        program, pipeline=pipeline, schedule=schedule, region=region, given=named, progress=progress
    )
    if len(planned.kernel.outputs) != 1:
        raise ArgumentError(f"{planned.kernel.name} has several outputs, and one can be written")
    shape = tuple(extent for _, extent in planned.region)
    size = planned.kernel.outputs[0].dtype.itemsize
    if chunks is None:
        own = next((one.chunks for one in planned.arrays if _is_like(one, shape)), None)
        chosen = _grid.choose(shape, size, planned.halo(), STORED)
        stored = own or tuple(max(one) for one in chosen)
    else:
        stored = tuple(int(one) for one in chunks)
        if len(stored) != len(shape) or min(stored, default=1) < 1:
            raise ArgumentError(f"`chunks` has a positive length for each of {len(shape)} axes")
    window = _window(planned, shape, stored, limit)
    grid: Chunks = tuple(_grid.cut(extent, length) for extent, length in zip(shape, window))
    job = _Job(planned, final, shape, stored, grid, program, schedule, pipeline)
    with job.journal() as journal:
        before = _windows.refused_here()[1]
        resumed = len(journal.finished)
        _run(job, journal, threads, _Progress(progress, job.count, resumed))
        with _said(f"the output cannot be moved to `{final}`"):
            job.publish(overwrite)
    return Done(
        final,
        shape,
        job.count,
        resumed,
        _windows.refused_here()[1] - before,
        time.monotonic() - begin,
    )


def _is_like(array: Any, shape: Tuple[int, ...]) -> bool:
    """Whether an input has the output's shape, and chunks of one size."""
    lengths: Any = getattr(array, "chunks", None)
    if not lengths or not isinstance(lengths[0], int):
        return False
    return tuple(array.shape) == shape


def size_of(memory: Union[int, str]) -> int:
    """A size in bytes: a number, or a text such as ``2GB`` or ``512MiB``."""
    if isinstance(memory, int):
        return memory
    text = memory.strip().upper().replace("IB", "B")
    units = {"KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40, "B": 1}
    for unit, factor in units.items():
        if text.endswith(unit):
            text = text[: -len(unit)]
            break
    else:
        factor = 1
    try:
        return int(float(text) * factor)
    except (ValueError, OverflowError):
        raise ArgumentError(f"`{memory}` is no size: give bytes, or a text like `2GB`") from None


def _open(name: str, value: Any) -> Any:
    if not isinstance(value, (str, os.PathLike)):
        return value
    path = Path(value)
    if not path.exists():
        raise ArgumentError(f"`{name}`: there is no `{path}`")
    if path.suffix == ".npy":
        return numpy.load(path, mmap_mode="r")
    import zarr

    if path.suffix.lower() in (".tif", ".tiff"):
        import tifffile

        return zarr.open_array(tifffile.imread(path, aszarr=True), mode="r")
    try:
        return zarr.open_array(str(path), mode="r")
    except (FileNotFoundError, ValueError, TypeError) as error:
        raise ArgumentError(f"`{name}`: `{path}` is no Zarr array: {error}") from None


def _window(
    planned: Plan, shape: Sequence[int], stored: Sequence[int], limit: int
) -> Tuple[int, ...]:
    """The largest window, in chunks of the output's store, that fits in memory."""

    def needs(window: Sequence[int]) -> float:
        # In the middle, where halos are not cut off.
        place: Region = tuple(
            (low + (extent - length) // 2, length)
            for (low, extent), length in zip(planned.region, window)
        )
        product = planned.kernel.outputs[0].dtype.itemsize
        for length in window:
            product *= length
        total = float(product)
        for one, region in zip(planned.arrays, planned.reads(place)):
            bytes_read = numpy.dtype(one.dtype).itemsize
            for axis, (_, extent) in enumerate(region):
                if axis == 0:
                    # Whole chunks are read.
                    extent = min(extent + 2 * _band(one), one.shape[0])
                bytes_read *= extent
            total += bytes_read
        return total * (_IN_FLIGHT + _BETWEEN) + _blocks(planned)

    room = limit - BASE
    window = [min(length, extent) or 1 for length, extent in zip(stored, shape)]
    clipped = [min(length, max(extent, 1)) for length, extent in zip(window, shape)]
    least = needs([min(one, extent) for one, extent in zip(clipped, shape)]) if all(shape) else 0
    if least > room:
        raise ArgumentError(
            f"one chunk of the output needs {int(least) + BASE} bytes, and `memory` is {limit}: "
            "give smaller `chunks`, or more memory"
        )
    grown = True
    while grown and all(shape):
        grown = False
        # The last axis first: it is contiguous in every store.
        for axis in reversed(range(len(shape))):
            if window[axis] >= shape[axis]:
                continue
            longer = list(window)
            longer[axis] = min(window[axis] * 2, -(-shape[axis] // stored[axis]) * stored[axis])
            needed = needs([min(one, extent) for one, extent in zip(longer, shape)])
            if needed <= min(room / 1.2, WINDOW):
                window, grown = longer, True
                break
    return tuple(window)


def _blocks(planned: Plan) -> int:
    """The memory for blocks of inputs while they are read."""
    total = 0
    for one in planned.arrays:
        lengths = getattr(one, "chunks", None)
        if lengths and isinstance(lengths[0], int):
            product = numpy.dtype(one.dtype).itemsize
            for length in lengths:
                product *= length
            # Zarr decodes several at once.
            total += 8 * product
    return total


class _Job:
    """The windows of a run, and the place of its result."""

    def __init__(
        self,
        planned: Plan,
        final: Path,
        shape: Tuple[int, ...],
        stored: Tuple[int, ...],
        grid: Chunks,
        program: Any,
        schedule: Optional[str],
        pipeline: Optional[str],
    ) -> None:
        self.planned = planned
        self.final = final
        self.shape = shape
        self.stored = stored
        self.grid = grid
        self.work = final.with_name(f".{final.name}.halidom")
        self.count = 1
        for lengths in grid:
            self.count *= len(lengths)
        described = {
            "halidom": _program.version(),
            "program": planned.kernels[0].text,
            "pipeline": pipeline,
            "schedule": schedule,
            "target": planned.kernels[0].interface.get("target"),
            "values": {name: repr(value) for name, value in planned.values.items()},
            "region": planned.region,
            "chunks": stored,
            "windows": grid,
            "inputs": [_identity(one) for one in planned.arrays],
        }
        text = json.dumps(described, sort_keys=True, default=str)
        self.key = hashlib.sha256(text.encode()).hexdigest()

    def journal(self) -> "_Journal":
        return _Journal(self.work, self.key, self._create, self._right)

    def place(self, window: Region) -> Tuple[slice, ...]:
        """The place of a window in the output's array."""
        return tuple(
            slice(low - first, low - first + extent)
            for (low, extent), (first, _) in zip(window, self.planned.region)
        )

    def _right(self, noted: Dict[str, str]) -> Set[str]:
        """The windows whose values are in the store as they were noted."""
        found, target = set(), self.target()
        for name, window in self.windows():
            if name in noted and noted[name] == _digest(target[self.place(window)]):
                found.add(name)
        return found

    def _create(self) -> None:
        import zarr

        zarr.create_array(
            str(self.work / "array"),
            shape=self.shape,
            chunks=tuple(max(one, 1) for one in self.stored),
            dtype=self.planned.kernel.outputs[0].dtype,
            compressors=_compressors(self.planned.arrays),
        )

    def target(self) -> Any:
        import zarr

        return zarr.open_array(str(self.work / "array"), mode="r+")

    def windows(self) -> Iterator[Tuple[str, Region]]:
        for numbers, window in _grid.windows(self.grid, self.planned.region):
            yield ".".join(str(number) for number in numbers), window

    def publish(self, overwrite: bool) -> None:
        """Give the complete array its name."""
        array = self.work / "array"
        if overwrite and self.final.exists():
            old = self.work / "old"
            os.rename(self.final, old)
        os.rename(array, self.final)
        shutil.rmtree(self.work)


def _compressors(arrays: Sequence[Any]) -> Any:
    """The output is compressed as the first input that is a Zarr array, if there is one."""
    import zarr

    found = next((one for one in arrays if isinstance(one, zarr.Array)), None)
    if found is None or found.metadata.zarr_format != 3:
        return "auto"
    return found.compressors or None


def _digest(array: Array) -> str:
    return hashlib.blake2b(numpy.ascontiguousarray(array).data, digest_size=16).hexdigest()


def _identity(array: Any) -> Any:
    """What tells that an input is the one of an earlier run.

    Inputs that cannot be recognized count as new, so that the run begins anew.
    """
    found: Dict[str, Any] = {"shape": list(array.shape), "dtype": str(array.dtype)}
    try:
        found["state"] = _contents(array)
    except OSError:
        found["state"] = _unknown()
    return found


def _contents(array: Any) -> Any:
    metadata: Any = getattr(array, "metadata", None)
    file: Any = getattr(array, "file", None)
    if isinstance(array, numpy.memmap) and array.filename is not None and array.mode != "c":
        # A view of a mapped file begins where its memory does.
        whole = array
        while isinstance(whole.base, numpy.memmap):
            whole = whole.base
        begins = [one.__array_interface__["data"][0] for one in (array, whole)]
        place = begins[0] - begins[1] + whole.offset
        return [_state(Path(str(array.filename))), place, list(array.strides)]
    if isinstance(array, numpy.ndarray):
        return hashlib.sha256(numpy.ascontiguousarray(array).tobytes()).hexdigest()
    if metadata is not None and hasattr(metadata, "to_dict"):
        store: Any = getattr(array, "store_path", None)
        root = getattr(getattr(store, "store", None), "root", None)
        described = json.loads(json.dumps(metadata.to_dict(), default=str))
        state = _unknown() if root is None else _state(Path(root) / store.path)
        return [described, str(store), state]
    # The values of other arrays of HDF5 are in further files.
    elsewhere = getattr(array, "is_virtual", True) or getattr(array, "external", True)
    if hasattr(file, "filename") and not elsewhere:
        return [_state(Path(str(file.filename))), str(array.name)]
    # The name of a Dask array says where it is read, and not whether that has changed.
    return _unknown()


def _unknown() -> str:
    return secrets.token_hex(16)


def _state(path: Path) -> List[str]:
    """The path of a file or a folder, and a digest of what the system says about its files."""
    told = []
    found = [path]
    while found:
        one = found.pop()
        state = os.stat(one)
        if stat.S_ISDIR(state.st_mode):
            found.extend(one.iterdir())
        else:
            times = [state.st_mtime_ns, state.st_ctime_ns]
            told.append([str(one.relative_to(path)), state.st_ino, state.st_size, *times])
    text = json.dumps(sorted(told))
    return [str(path.resolve()), hashlib.sha256(text.encode()).hexdigest()]


class _Journal:
    """The finished windows of a run, one a line, after a line with the key of the run.

    A line has a window and the digest of its values. It is written after the window is in the
    store. A last line without an end was not finished writing, and does not count. A later run
    reads every finished window again and compares the digests, so nothing depends on the order in
    which a system that lost its power had written files.
    """

    def __init__(
        self,
        work: Path,
        key: str,
        create: Callable[[], None],
        right: Callable[[Dict[str, str]], Set[str]],
    ) -> None:
        self.work = work
        self.key = key
        self.create = create
        self.right = right
        self.finished: Set[str] = set()
        self.file: Any = None

    def __enter__(self) -> "_Journal":
        with _said(f"the folder `{self.work}` for what is not finished cannot be written"):
            self.work.mkdir(parents=True, exist_ok=True)
            self.file = open(self.work / "journal", "a+", encoding="ascii")
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.file.close()
            raise HalidomError(f"another run writes `{self.work}`") from None
        self.file.seek(0)
        text = self.file.read()
        lines = text.split("\n")[:-1]
        if lines and lines[0] == self.key and (self.work / "array").exists():
            noted = dict(line.split(" ", 1) for line in lines[1:] if " " in line)
            self.finished = self.right(noted)
            # What follows a line that was cut off must not join it.
            self.file.truncate(len("".join(f"{line}\n" for line in lines)))
        else:
            shutil.rmtree(self.work / "array", ignore_errors=True)
            self.file.truncate(0)
            with _said(f"`{self.work}` cannot be written"):
                self.create()
                self._line(self.key)
        return self

    def __exit__(self, *_: Any) -> None:
        self.file.close()

    def _line(self, text: str) -> None:
        self.file.write(f"{text}\n")
        self.file.flush()

    def finish(self, window: str, digest: str) -> None:
        self._line(f"{window} {digest}")
        self.finished.add(window)


class _Progress:
    """The share that is done and the time that is left, on standard error."""

    def __init__(self, wanted: Optional[bool], count: int, done: int) -> None:
        self.wanted = sys.stderr is not None and sys.stderr.isatty() if wanted is None else wanted
        self.begin = time.monotonic()
        self.count, self.first, self.done = count, done, done

    def step(self) -> None:
        self.done += 1
        if not self.wanted:
            return
        spent = time.monotonic() - self.begin
        left = spent / max(self.done - self.first, 1) * (self.count - self.done)
        share = 100 * self.done // max(self.count, 1)
        end = "\n" if self.done == self.count else ""
        text = f"\rhalidom: {self.done} of {self.count} windows, {share} %, {left:.0f} s left "
        print(text, end=end, file=sys.stderr, flush=True)


class _Read(NamedTuple):
    name: str
    window: Region
    parts: List[Part]


def _run(job: _Job, journal: _Journal, threads: int, progress: _Progress) -> None:
    """Read, compute and write all windows that are left, one of each at a time."""
    planned = job.planned
    left = [(name, window) for name, window in job.windows() if name not in journal.finished]
    target = job.target()
    names = [one.name for one in planned.kernel.inputs]
    sources = [_Source(name, array) for name, array in zip(names, planned.arrays)]
    failures: List[BaseException] = []
    read: "queue.Queue[Optional[_Read]]" = queue.Queue(1)
    made: "queue.Queue[Optional[Tuple[str, Region, Array, str]]]" = queue.Queue(1)
    # A reader that is ahead waits before it reads, so that one window is read at a time.
    ahead = threading.Semaphore(1)

    def reading() -> None:
        try:
            for name, window in left:
                ahead.acquire()
                if failures:
                    break
                regions = planned.reads(window)
                parts = [source.part(region) for source, region in zip(sources, regions)]
                read.put(_Read(name, window, parts))
        except BaseException as error:
            failures.append(error)
        finally:
            read.put(None)

    def writing() -> None:
        try:
            while True:
                got = made.get()
                if got is None:
                    return
                name, window, array, digest = got
                with _said(f"the window {name} cannot be written to `{job.work}`", _KEPT):
                    if array.size:
                        target[job.place(window)] = array
                    journal.finish(name, digest)
                progress.step()
                del got, array
        except BaseException as error:
            failures.append(error)
            while made.get() is not None:
                pass

    workers = [threading.Thread(target=one, daemon=True) for one in (reading, writing)]
    for worker in workers:
        worker.start()
    for shipped in planned.kernels:
        shipped.load().kernel._set_threads(threads)
    try:
        while not failures:
            item = read.get()
            if item is None:
                break
            ahead.release()
            values = planned.values
            arrays = _windows.run_guarded(
                planned.kernels, [item.window], item.parts, planned.wholes, values
            )
            # Here, as writing takes the longest.
            result = (item.name, item.window, arrays[0], _digest(arrays[0]))
            del item, arrays
            made.put(result)
            del result
    except BaseException as error:
        failures.append(error)
    finally:
        made.put(None)
        workers[1].join()
        ahead.release()
        while workers[0].is_alive():
            try:
                read.get(timeout=0.05)
            except queue.Empty:
                pass
    if failures:
        raise failures[0]


#: What becomes of the work that is done when a window fails.
_KEPT = "; finished windows are kept, and the same call goes on with them"


@contextlib.contextmanager
def _said(what: str, then: str = "") -> Iterator[None]:
    """Say what failed, in front of a library's message."""
    try:
        yield
    except HalidomError:
        raise
    except Exception as error:
        said = str(error) or type(error).__name__
        raise HalidomError(f"{what}: {said}{then}") from error


class _Source:
    """An input that is read in whole chunks along its first axis, each once: what the last window
    has read and this one needs too is kept."""

    def __init__(self, name: str, array: Any) -> None:
        self.name = name
        self.array = array
        self.length = _band(array)
        self.held: Optional[Tuple[Region, Array]] = None

    def part(self, region: Region) -> Part:
        """The part of the input in a region."""
        spans = ", ".join(f"{low}..{low + extent}" for low, extent in region)
        with _said(f"the part {spans} of `{self.name}` cannot be read", _KEPT):
            return self._part(region)

    def _part(self, region: Region) -> Part:
        low = tuple(begin for begin, _ in region)
        if not region or any(extent <= 0 for _, extent in region):
            place = tuple(slice(begin, begin + extent) for begin, extent in region)
            return Part(numpy.asarray(self.array[place]), low)
        (begin, extent), rest = region[0], region[1:]
        first = begin // self.length * self.length
        last = min(-(-(begin + extent) // self.length) * self.length, self.array.shape[0])
        shape = (last - first, *(length for _, length in rest))
        found: Array = numpy.empty(shape, self.array.dtype)
        at = first
        if self.held is not None:
            (known, length), *others = self.held[0]
            if tuple(others) == rest and known <= first < known + length:
                at = min(known + length, last)
                found[: at - first] = self.held[1][first - known : at - known]
        inner = tuple(slice(one, one + length) for one, length in rest)
        # The old array may go before the new rows come.
        self.held = None
        if at < last:
            found[at - first :] = self.array[(slice(at, last), *inner)]
        self.held = (((first, last - first), *rest), found)
        return Part(found[begin - first : begin - first + extent], low)


def _band(array: Any) -> int:
    """The length of an input's chunks along its first axis."""
    lengths = getattr(array, "chunks", None)
    return int(lengths[0]) if lengths and isinstance(lengths[0], int) else 1


_EXAMPLE = """\
An input is a Zarr array, a .npy file or a TIFF file. A run that was ended goes on where it was when
it is started again with the same words. The output appears when it is complete.

Exit status: 0 done, 1 refuted, 2 bad input, 3 not proved.

Example: python -m halidom stream edges.hal -s strips --input big.zarr --set weak=30 \\
             --set strong=90 --output edges.zarr --memory 2GB"""


def main(words: List[str]) -> int:
    """Do the command ``python -m halidom stream``."""
    parser = argparse.ArgumentParser(
        prog="python -m halidom stream",
        description="Run a proved program on arrays that are larger than the memory.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", help="the program (.hal)")
    parser.add_argument("-p", "--pipeline", help="the pipeline, if there are several")
    parser.add_argument("-s", "--schedule", help="the schedule")
    parser.add_argument(
        "--input",
        action="append",
        required=True,
        metavar="[NAME=]PATH",
        help="an input; the name may be omitted if there is one",
    )
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--output", required=True, metavar="PATH", help="the Zarr array to write")
    parser.add_argument("--memory", default="2GB", help="the limit (default: %(default)s)")
    parser.add_argument("--chunks", metavar="N,N…", help="the output's chunks, first axis first")
    parser.add_argument("--threads", type=int, default=0, help="threads of a window (default: all)")
    parser.add_argument("--overwrite", action="store_true", help="replace an output that exists")
    options = parser.parse_args(words)
    given: Dict[str, Any] = {}
    for text in options.input:
        name, sign, path = text.partition("=")
        given[name if sign else _ONLY] = path if sign else text
    try:
        for text in options.set:
            name, sign, value = text.partition("=")
            if not sign:
                raise ArgumentError(f"`{text}` is malformed: write NAME=VALUE")
            given[name] = _value(value)
        chunks = options.chunks and [int(one) for one in options.chunks.split(",")]
        done = stream(
            options.file,
            output=options.output,
            memory=options.memory,
            pipeline=options.pipeline,
            schedule=options.schedule,
            chunks=chunks or None,
            threads=options.threads,
            overwrite=options.overwrite,
            **given,
        )
    except (NotProved, HalidomError, ValueError, OSError) as error:
        print(f"halidom: {error}", file=sys.stderr)
        if isinstance(error, NotProved):
            return 1 if error.verdict.refuted else 3
        return 2
    print(
        f"{done.path}: {done.shape}, {done.windows} windows"
        + (f", {done.resumed} from an earlier run" if done.resumed else "")
        + (f", {done.refused} by the second kernel" if done.refused else "")
        + f", {done.seconds:.1f} s"
    )
    return 0


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        return float(text)
