"""Proved kernels on arrays in chunks, with Dask.

* :func:`map` makes a lazy array of a program of Halidom's language and of arrays in chunks.
* :func:`check_overlap` tells whether blocks with a fixed overlap give what the whole array gives.
* :func:`refused` counts the chunks that a schedule's entry checks refused in this process.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import _grid, _overlap, _validate, _windows
from ._errors import ArgumentError
from ._grid import Chunks
from ._kernel import Array, Region
from ._overlap import Overlap
from ._windows import Part, Shipped, refused

__all__ = ["Overlap", "Plan", "check_overlap", "map", "plan", "refused"]


class _Chunk:
    """What a task computes: the windows of the outputs, and the placement of what is read."""

    __slots__ = ("windows", "regions", "placed", "wholes", "values")

    def __init__(
        self,
        windows: Sequence[Region],
        regions: Sequence[Region],
        placed: Sequence[Sequence[Tuple[slice, ...]]],
        wholes: Sequence[Region],
        values: Mapping[str, Any],
    ) -> None:
        self.windows = windows
        self.regions = regions
        self.placed = placed
        self.wholes = wholes
        self.values = values

    def __getstate__(self) -> Any:
        return (self.windows, self.regions, self.placed, self.wholes, self.values)

    def __setstate__(self, state: Any) -> None:
        self.windows, self.regions, self.placed, self.wholes, self.values = state


def _take(block: Any, within: Tuple[slice, ...]) -> Any:
    """A part of a block, as an array of its own: a view would keep, and send, the whole block."""
    return numpy.ascontiguousarray(numpy.asarray(block)[within])


def assembled(
    region: Region, placed: Sequence[Tuple[slice, ...]], blocks: Sequence[Any], dtype: Any
) -> Array:
    """The region of an input, from the parts of its blocks."""
    shape = tuple(extent for _, extent in region)
    if len(blocks) == 1:
        only = numpy.asarray(blocks[0])
        if only.shape == shape and only.dtype == dtype:
            # Strides that do not grow towards the first axis are no layout of a kernel.
            # NumPy makes one dimension of none.
            return numpy.ascontiguousarray(only).reshape(shape)
    array: Array = numpy.empty(shape, dtype)
    for place, block in zip(placed, blocks):
        array[place] = block
    return array


def _compute(kernels: Sequence[Shipped], chunk: _Chunk, *blocks: Any) -> Any:
    """Compute one chunk of every output."""
    loaded = kernels[0].load()
    parts, at = [], 0
    for one, region, placed in zip(loaded.inputs, chunk.regions, chunk.placed):
        own = blocks[at : at + len(placed)]
        at += len(placed)
        array = assembled(region, placed, own, one.dtype)
        parts.append(Part(array, tuple(low for low, _ in region)))
    made = _windows.run_guarded(kernels, chunk.windows, parts, chunk.wholes, chunk.values)
    return made[0] if len(made) == 1 else tuple(made)


class Plan:
    """A program on whole inputs: its proved kernels, and the regions of its outputs."""

    def __init__(
        self,
        program: Union[str, "os.PathLike[str]"],
        *,
        pipeline: Optional[str] = None,
        schedule: Optional[str] = None,
        region: Optional[Sequence[Tuple[int, int]]] = None,
        given: Mapping[str, Any],
        kernels: Optional[Sequence[Shipped]] = None,
        wholes: Optional[Mapping[str, Region]] = None,
        progress: Optional[bool] = None,
    ) -> None:
        self.kernels: List[Shipped] = list(
            kernels
            if kernels is not None
            else guarded(program, pipeline=pipeline, schedule=schedule, progress=progress)
        )
        first = self.kernels[0]
        self.kernel = first.load()
        rest = dict(given)
        if "" in rest and len(self.kernel.inputs) == 1:
            rest[self.kernel.inputs[0].name] = rest.pop("")
        self.arrays: List[Any] = []
        for one in self.kernel.inputs:
            if one.name not in rest:
                raise ArgumentError(f"`{one.name}` is missing ({one!r})")
            array = rest.pop(one.name)
            shape, dtype = tuple(array.shape), numpy.dtype(array.dtype)
            if len(shape) != one.rank:
                raise ArgumentError(
                    f"`{one.name}` has {len(shape)} dimensions, and {one.rank} are needed"
                )
            if dtype != one.dtype:
                raise ArgumentError(
                    f"`{one.name}` has the type {dtype}, and {one.dtype} is needed"
                )
            if any(not isinstance(extent, int) for extent in shape):
                raise ArgumentError(
                    f"chunks of `{one.name}` have unknown lengths: `compute_chunk_sizes` finds them"
                )
            self.arrays.append(array)
        self.values = self.kernel.values(rest)
        for name in rest:
            if name not in self.values:
                raise ArgumentError(f"{self.kernel.name} has no argument `{name}`")
        # An array begins at the coordinates 0, unless an earlier phase has computed it.
        known = {} if wholes is None else wholes
        self.wholes: List[Region] = [
            known.get(one.name) or tuple((0, int(extent)) for extent in array.shape)
            for one, array in zip(self.kernel.inputs, self.arrays)
        ]
        if region is None:
            self.regions = self.kernel.largest(self.wholes, self.values)
        else:
            asked: Region = tuple((int(low), int(extent)) for low, extent in region)
            if any(len(asked) != one.rank for one in self.kernel.outputs):
                raise ArgumentError("`region` needs a (min, extent) for each axis of the output")
            self.regions = [asked for _ in self.kernel.outputs]
        first_region = self.regions[0]
        if any(other != first_region for other in self.regions):
            raise ArgumentError("the outputs have different regions: give `region`")
        self.region = first_region

    def reads(self, window: Region) -> List[Region]:
        """The region of each input that a window of the outputs reads."""
        windows = [window for _ in self.regions]
        if any(extent <= 0 for _, extent in window):
            return [tuple((first, 0) for first, _ in whole) for whole in self.wholes]
        needed = self.kernel.needs(windows, self.wholes, self.values)
        beyond = self.kernel.is_within(needed, self.wholes)
        if beyond is not None:
            raise ArgumentError(f"for the window {window}: {beyond}")
        return [_windows.kept(one, whole) for one, whole in zip(needed, self.wholes)]

    def halo(self) -> Tuple[int, ...]:
        """How many elements more than a window the first input is read, for each axis that it
        shares with the output; measured in the middle."""
        rank = len(self.region)
        middle = tuple((low + extent // 2, min(extent, 1)) for low, extent in self.region)
        needed = self.kernel.needs([middle for _ in self.regions], self.wholes, self.values)
        for one in needed[: len(self.wholes)]:
            if len(one) == rank:
                return tuple(max(extent - 1, 0) for _, extent in one)
        return (0,) * rank

    def chunks(self, given: Any) -> Chunks:
        """Chunks of the outputs: as given, as the first input of the same shape has them, or
        chosen."""
        shape = tuple(extent for _, extent in self.region)
        dtype = self.kernel.outputs[0].dtype
        if given is not None:
            from dask.array.core import normalize_chunks

            found: Chunks = normalize_chunks(given, shape=shape, dtype=dtype)
            return found
        for array in self.arrays:
            own = getattr(array, "chunks", None)
            if own and tuple(array.shape) == shape:
                if isinstance(own[0], int):
                    return tuple(_grid.cut(extent, size) for extent, size in zip(shape, own))
                return tuple(tuple(int(length) for length in lengths) for lengths in own)
        return self.chosen(_grid.AIM)

    def volume(self, window: Region) -> int:
        """The bytes that a window reads and writes."""
        total = 0
        needed = [*self.reads(window), *(window for _ in self.regions)]
        for one, region in zip([*self.kernel.inputs, *self.kernel.outputs], needed):
            size = one.dtype.itemsize
            for _, extent in region:
                size *= extent
            total += size
        return total

    def chosen(self, aim: int) -> Chunks:
        """Chunks that read and write about ``aim`` bytes, halos included. The axis is halved whose
        halves read least; the last one, which is contiguous, only where it is long."""
        shape = [extent for _, extent in self.region]
        lengths = [max(extent, 1) for extent in shape]

        def volume(window: Sequence[int]) -> int:
            return self.volume(
                tuple(
                    (low + (extent - min(length, extent)) // 2, min(length, extent))
                    for (low, extent), length in zip(self.region, window)
                )
            )

        size = volume(lengths)
        while size > aim and all(shape):
            halves = []
            for axis, length in enumerate(lengths):
                if length > (512 if axis == len(lengths) - 1 > 0 else 1):
                    shorter = list(lengths)
                    shorter[axis] = -(-length // 2)
                    halves.append((volume(shorter), -length, shorter))
            if not halves or min(halves)[0] > 0.9 * size:
                break
            size, _, lengths = min(halves)
        return tuple(_grid.cut(extent, length) for extent, length in zip(shape, lengths))


def guarded(
    program: Union[str, "os.PathLike[str]"],
    *,
    pipeline: Optional[str] = None,
    schedule: Optional[str] = None,
    progress: Optional[bool] = None,
) -> List[Shipped]:
    """The proved kernel of a schedule, and the unscheduled one for the chunks that its entry checks
    refuse."""
    names = [schedule, "default"] if schedule not in (None, "default") else [schedule]
    return [
        _windows.compiled(program, pipeline=pipeline, schedule=name, progress=progress)
        for name in names
    ]


def plan(program: Union[str, "os.PathLike[str]"], **options: Any) -> Plan:
    """Compile and prove a program, and find the regions of its outputs; see :func:`map`."""
    keys = ("pipeline", "schedule", "region", "progress")
    chosen = {key: options.pop(key) for key in keys if key in options}
    return Plan(program, given=options, **chosen)


def map(
    program: Union[str, "os.PathLike[str]"],
    *,
    pipeline: Optional[str] = None,
    schedule: Optional[str] = None,
    chunks: Any = None,
    region: Optional[Sequence[Tuple[int, int]]] = None,
    phases: Sequence[str] = (),
    progress: Optional[bool] = None,
    **given: Any,
) -> Any:
    """Make a lazy Dask array of a program and of arrays in chunks.

    ``program`` is the path of a ``.hal`` file, or its text. Inputs and parameters are given by
    name; an input is a Dask array, a Zarr array, a NumPy array, or anything that
    ``dask.array.asarray`` takes. ``chunks`` are those of the output; by default those of the first
    input of the same shape, else sizes that waste little on halos. ``region`` is the part of the
    output, with the least coordinate and the extent of each axis; by default the largest one that
    the inputs allow.

    The kernel is compiled once, and proved for every part of every input; each task gets exactly
    what its chunk reads. If the entry checks of a schedule refuse a chunk, the unscheduled form,
    which is proved too, computes it (:func:`refused` counts these). With ``fast_math`` it may round
    floats in another way.

    ``phases`` names funcs that are computed in chunks before the output: reductions over what is
    cut, such as a histogram or a greatest value. A func that ``rfactor`` makes in the schedule has
    partial results; that merging them is right is proved, by the laws of the operator. The proof
    of the schedule, and one of each phase, are required. Returns an array, or a tuple of
    arrays if the program has several outputs.

    Raises :exc:`Unknown` or :exc:`Refuted` if the program is not proved, and
    :exc:`ArgumentError` for arguments that do not fit.
    """
    import dask.array

    arrays = {
        name: dask.array.asarray(value) if hasattr(value, "shape") and value.shape != () else value
        for name, value in given.items()
    }
    if phases:
        return _in_phases(
            program,
            pipeline=pipeline,
            schedule=schedule,
            chunks=chunks,
            region=region,
            phases=phases,
            progress=progress,
            given=arrays,
        )
    planned = Plan(
        program,
        pipeline=pipeline,
        schedule=schedule,
        region=region,
        given=arrays,
        progress=progress,
    )
    return lazy(planned, chunks)


def lazy(planned: Plan, chunks: Any) -> Any:
    """The lazy arrays of a plan."""
    import dask.array
    from dask.base import tokenize
    from dask.highlevelgraph import HighLevelGraph

    found = planned.chunks(chunks)
    sources = planned.arrays
    token = tokenize(
        [one.digest for one in planned.kernels],
        [one.name for one in sources],
        planned.values,
        planned.region,
        planned.wholes,
        found,
    )
    name = f"halidom-{planned.kernel.name}-{token}"
    layer = _graph(name, planned, found)
    graph = HighLevelGraph.from_collections(name, layer, dependencies=sources)
    outputs = planned.kernel.outputs
    if len(outputs) == 1:
        return dask.array.Array(graph, name, chunks=found, dtype=outputs[0].dtype)
    results = []
    for number, one in enumerate(outputs):
        own = f"{name}-{one.name}"
        part = _components(own, name, number, found)
        below = HighLevelGraph(
            {**graph.layers, own: part}, {**graph.dependencies, own: {name}}
        )
        results.append(dask.array.Array(below, own, chunks=found, dtype=one.dtype))
    return tuple(results)


def _in_phases(
    program: Union[str, "os.PathLike[str]"],
    *,
    pipeline: Optional[str],
    schedule: Optional[str],
    chunks: Any,
    region: Optional[Sequence[Tuple[int, int]]],
    phases: Sequence[str],
    progress: Optional[bool],
    given: Mapping[str, Any],
) -> Any:
    """The output of a pipeline whose phases are computed one after another."""
    import dask.array

    _require_whole(program, pipeline, schedule, progress)
    steps: List[Optional[str]] = [*phases, None]
    kernels = [
        _windows.compiled(
            program,
            pipeline=pipeline,
            schedule=schedule,
            given=phases[:number],
            compute=compute,
            progress=progress,
        )
        for number, compute in enumerate(steps)
    ]
    # What a phase needs of an earlier one does not depend on how much of that one there is.
    anywhere = {
        one.name: ((-(1 << 30), _windows.FAR),) * one.rank
        for shipped in kernels
        for one in shipped.load().inputs
        if one.name in phases
    }
    regions: Dict[str, Region] = {}
    plans: List[Plan] = []
    for number in reversed(range(len(steps))):
        name = steps[number]
        if name is not None and name not in regions:
            raise ArgumentError(f"no later phase reads `{name}`")
        shipped = kernels[number]
        stand_in = {
            one.name: _StandIn(one.dtype, one.rank)
            for one in shipped.load().inputs
            if one.name in phases
        }
        own = {
            key: value
            for key, value in given.items()
            if hasattr(value, "shape") or key in {one.name for one in shipped.load().parameters}
        }
        planned = Plan(
            program,
            region=region if name is None else regions[name],
            given={**own, **stand_in},
            kernels=[shipped],
            wholes=anywhere,
        )
        needed = planned.reads(planned.region)
        for one, read in zip(planned.kernel.inputs, needed):
            if one.name in phases:
                known = regions.get(one.name)
                regions[one.name] = read if known is None else _windows.hull(known, read)
        plans.insert(0, planned)
    made: Dict[str, Any] = {}
    for name, planned in zip(steps, plans):
        for number, one in enumerate(planned.kernel.inputs):
            if one.name in phases:
                planned.arrays[number] = made[one.name]
                planned.wholes[number] = regions[one.name]
        result = lazy(planned, chunks if name is None else None)
        if name is None:
            return result
        made[name] = result if isinstance(result, dask.array.Array) else result[0]
    raise ArgumentError("there is no phase")


class _StandIn:
    """An array that an earlier phase is going to compute."""

    def __init__(self, dtype: Any, rank: int) -> None:
        self.dtype = dtype
        self.shape = (0,) * rank


def _require_whole(
    program: Union[str, "os.PathLike[str]"],
    pipeline: Optional[str],
    schedule: Optional[str],
    progress: Optional[bool],
) -> None:
    """Prove the whole pipeline under its schedule: the phases are those of its rewriting."""
    with tempfile.TemporaryDirectory(prefix="halidom-") as place:
        file = Path(place) / "program.hal"
        is_text = isinstance(program, str) and ("\n" in program or "{" in program)
        file.write_text(str(program) if is_text else Path(program).read_text())
        _validate.assert_proved(
            file, pipeline=pipeline, schedule=schedule or "default", progress=progress
        )


def _graph(name: str, planned: Plan, chunks: Chunks) -> Dict[Any, Any]:
    """The tasks of all chunks, and of the parts of blocks that they take."""
    from dask._task_spec import DataNode, Task, TaskRef

    kernels = f"{name}-kernel"
    layer: Dict[Any, Any] = {kernels: DataNode(kernels, tuple(planned.kernels))}
    ends = [
        [
            [low + start for start in _grid.starts(lengths)]
            for lengths, (low, _) in zip(array.chunks, whole)
        ]
        for array, whole in zip(planned.arrays, planned.wholes)
    ]
    for numbers, window in _grid.windows(chunks, planned.region):
        key = (name, *numbers)
        regions = planned.reads(window)
        placed: List[List[Tuple[slice, ...]]] = []
        blocks: List[Any] = []
        for number, (array, region) in enumerate(zip(planned.arrays, regions)):
            own = []
            for piece in _grid.pieces(region, ends[number]):
                block = (array.name, *piece.block)
                if not piece.is_all:
                    # Only what is needed travels between workers.
                    spans = tuple((one.start, one.stop) for one in piece.within)
                    part = (f"{name}-part", number, *piece.block, spans)
                    if part not in layer:
                        layer[part] = Task(part, _take, TaskRef(block), piece.within)
                    block = part
                own.append(piece.placed)
                blocks.append(TaskRef(block))
            placed.append(own)
        windows = [window for _ in planned.regions]
        chunk = _Chunk(windows, regions, placed, planned.wholes, planned.values)
        layer[key] = Task(key, _compute, TaskRef(kernels), DataNode(None, chunk), *blocks)
    return layer


def _pick(results: Tuple[Any, ...], number: int) -> Any:
    return results[number]


def _components(own: str, name: str, number: int, chunks: Chunks) -> Dict[Any, Any]:
    from dask._task_spec import Task, TaskRef

    layer: Dict[Any, Any] = {}
    for numbers, _ in _grid.windows(chunks, tuple((0, sum(one)) for one in chunks)):
        key = (own, *numbers)
        layer[key] = Task(key, _pick, TaskRef((name, *numbers)), number)
    return layer


def check_overlap(
    thing: Any,
    *,
    depth: Union[int, Sequence[int], Mapping[int, int]],
    boundary: Any = "none",
    like: Any,
    reference: Any = None,
    schedule: Optional[str] = None,
    trials: int = 24,
    seed: int = 1,
    **parameters: Any,
) -> Overlap:
    """Tell whether blocks with an overlap of ``depth`` give what the whole array gives.

    ``thing`` is what ``dask.array.map_overlap`` would apply to each block: a callable, or a program
    (the path of a ``.hal`` file, or its text). ``like`` has the type and the number of dimensions
    of the arrays, and the shape of the largest one that is tried. ``reference`` computes the whole:
    a callable or a program; by default ``thing`` itself on the whole array.

    A program with the boundary ``none`` is judged by the validator first. If it is proved, the
    answer is ``proved``: right for all arrays and chunks, where blocks keep their coordinates.
    Otherwise, and for every callable, real arrays are cut into random chunks and put through
    ``map_overlap``: the answer is ``refuted``, with the first wrong element, or ``tested``, which
    is no proof.
    """
    return _overlap.check(
        thing,
        depth=depth,
        boundary=boundary,
        like=like,
        reference=reference,
        schedule=schedule,
        trials=trials,
        seed=seed,
        parameters=parameters,
    )

