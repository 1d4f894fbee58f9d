"""Dask's graph of a plan: a task for each chunk, which gets exactly what the chunk reads."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Tuple

import numpy

from . import _grid, _windows
from ._grid import Chunks
from ._kernel import Array, Region
from ._plan import Plan
from ._windows import Part, Shipped


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


class Tasks:
    """Tasks of a plan, in a layer of a graph."""

    def __init__(self, name: str, planned: Plan) -> None:
        from dask._task_spec import DataNode

        self.name = name
        self.planned = planned
        self._kernels = f"{name}-kernel"
        #: The tasks by their keys.
        self.layer: Dict[Any, Any] = {
            self._kernels: DataNode(self._kernels, tuple(planned.kernels))
        }
        self._ends = [
            [
                [low + start for start in _grid.starts(lengths)]
                for lengths, (low, _) in zip(getattr(array, "chunks", ()), whole)
            ]
            for array, whole in zip(planned.arrays, planned.wholes)
        ]

    def add(
        self,
        key: Any,
        window: Region,
        values: Mapping[str, Any],
        before: Mapping[int, Any],
    ) -> None:
        """Add the task of a window. ``before`` has the inputs that are other tasks' results, with
        the keys of these."""
        from dask._task_spec import DataNode, Task, TaskRef

        planned = self.planned
        regions = planned.reads(window, values)
        placed: List[List[Tuple[slice, ...]]] = []
        blocks: List[Any] = []
        for number, (array, region) in enumerate(zip(planned.arrays, regions)):
            if number in before:
                placed.append([tuple(slice(0, extent) for _, extent in region)])
                blocks.append(TaskRef(before[number]))
                continue
            own = []
            for piece in _grid.pieces(region, self._ends[number]):
                block = (array.name, *piece.block)
                if not piece.is_all:
                    # Only what is needed travels between workers.
                    spans = tuple((one.start, one.stop) for one in piece.within)
                    part = (f"{self.name}-part", number, *piece.block, spans)
                    if part not in self.layer:
                        self.layer[part] = Task(part, _take, TaskRef(block), piece.within)
                    block = part
                own.append(piece.placed)
                blocks.append(TaskRef(block))
            placed.append(own)
        windows = [window for _ in planned.regions]
        chunk = _Chunk(windows, regions, placed, planned.wholes, values)
        self.layer[key] = Task(
            key, _compute, TaskRef(self._kernels), DataNode(None, chunk), *blocks
        )


def lazy(planned: Plan, chunks: Any) -> Any:
    """The lazy arrays of a plan."""
    found = planned.chunks(chunks)
    name = name_of(planned, found)
    tasks = Tasks(name, planned)
    for numbers, window in _grid.windows(found, planned.region):
        tasks.add((name, *numbers), window, planned.values, {})
    return arrays(name, tasks, found)


def name_of(planned: Plan, *more: Any) -> str:
    """The name of the results."""
    from dask.base import tokenize

    token = tokenize(
        [one.digest for one in planned.kernels],
        [one.name for one in planned.arrays],
        planned.values,
        planned.region,
        planned.wholes,
        *more,
    )
    return f"halidom-{planned.kernel.name}-{token}"


def arrays(name: str, tasks: Tasks, chunks: Chunks) -> Any:
    """The arrays of tasks for all chunks: one, or a tuple of the outputs."""
    import dask.array
    from dask.highlevelgraph import HighLevelGraph

    sources = [one for one in tasks.planned.arrays if hasattr(one, "__dask_graph__")]
    graph = HighLevelGraph.from_collections(name, tasks.layer, dependencies=sources)
    outputs = tasks.planned.kernel.outputs
    if len(outputs) == 1:
        return dask.array.Array(graph, name, chunks=chunks, dtype=outputs[0].dtype)
    results = []
    for number, one in enumerate(outputs):
        own = f"{name}-{one.name}"
        part = _components(own, name, number, chunks)
        below = HighLevelGraph(
            {**graph.layers, own: part}, {**graph.dependencies, own: {name}}
        )
        results.append(dask.array.Array(below, own, chunks=chunks, dtype=one.dtype))
    return tuple(results)


def pick(results: Tuple[Any, ...], number: int) -> Any:
    """One of several results."""
    return results[number]


def _components(own: str, name: str, number: int, chunks: Chunks) -> Dict[Any, Any]:
    from dask._task_spec import Task, TaskRef

    layer: Dict[Any, Any] = {}
    for numbers, _ in _grid.windows(chunks, tuple((0, sum(one)) for one in chunks)):
        key = (own, *numbers)
        layer[key] = Task(key, pick, TaskRef((name, *numbers)), number)
    return layer
