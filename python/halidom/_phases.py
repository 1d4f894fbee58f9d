"""Phases: funcs of a pipeline that are computed one after another, such as reductions over all that
is cut into chunks."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import _graph, _grid, _source, _validate, _windows
from ._errors import ArgumentError
from ._kernel import Region
from ._plan import Plan
from ._source import Source

#: The order in which a phase reduces: one for all phases, or by phase.
Order = Union[None, str, Mapping[str, str]]

_EXACT = "exact"
#: Values of a reduction variable that no pipeline's domain exceeds.
_FIRST, _END = -_windows.FAR, _windows.FAR


def lazy(
    program: Source,
    *,
    pipeline: Optional[str],
    schedule: Optional[str],
    chunks: Any,
    region: Optional[Sequence[Tuple[int, int]]],
    phases: Sequence[str],
    order: Order,
    progress: Optional[bool],
    given: Mapping[str, Any],
) -> Any:
    """The output of a pipeline whose phases are computed one after another."""
    serial = _serial(phases, order)
    require_whole(program, pipeline, schedule, progress)
    steps: List[Optional[str]] = [*phases, None]
    kernels = [
        _windows.compiled(
            program,
            pipeline=pipeline,
            schedule=schedule,
            given=phases[:number],
            compute=compute,
            piece=compute in serial,
            progress=progress,
        )
        for number, compute in enumerate(steps)
    ]
    # An input of a phase has the name of the output of an earlier one.
    makers = {
        part: phase
        for phase, own in zip(phases, kernels)
        for part in _parts(phase, len(own.load().outputs))
    }
    inputs: List[Dict[str, Optional[str]]] = []
    for name, shipped in zip(steps, kernels):
        so_far = _before(shipped.load(), name) if name is not None and name in serial else ()
        inputs.append(
            {
                one.name: name if number in so_far else makers.get(one.source)
                for number, one in enumerate(shipped.load().inputs)
            }
        )
    # What a phase needs of an earlier one does not depend on how much of that one there is.
    anywhere = {
        one.name: ((-(1 << 30), _windows.FAR),) * one.rank
        for shipped, own in zip(kernels, inputs)
        for one in shipped.load().inputs
        if own[one.name] is not None
    }
    regions: Dict[str, Region] = {}
    plans: List[Plan] = []
    for number in reversed(range(len(steps))):
        name = steps[number]
        if name is not None and name not in regions:
            raise ArgumentError(f"no later phase reads `{name}`")
        shipped = kernels[number]
        kernel = shipped.load()
        own: Dict[str, Any] = {
            one.name: _StandIn(one.dtype, one.rank)
            for one in kernel.inputs
            if inputs[number][one.name] is not None
        }
        if name in serial:
            own.update({f"{name}_first": True, f"{name}_from": _FIRST, f"{name}_until": _END})
        parameters = {one.name for one in kernel.parameters}
        for key, value in given.items():
            if hasattr(value, "shape") or key in parameters:
                own[key] = value
        planned = Plan(
            program,
            region=region if name is None else regions[name],
            given=own,
            kernels=[shipped],
            wholes=anywhere,
        )
        for one, read in zip(planned.kernel.inputs, planned.reads(planned.region)):
            phase = inputs[number][one.name]
            if phase is not None and phase != name:
                known = regions.get(phase)
                regions[phase] = read if known is None else _windows.hull(known, read)
        plans.insert(0, planned)
    made: Dict[str, Any] = {}
    for name, planned, own_inputs in zip(steps, plans, inputs):
        for number, one in enumerate(planned.kernel.inputs):
            phase = own_inputs[one.name]
            if phase is not None:
                planned.wholes[number] = regions[phase]
                if phase != name:
                    planned.arrays[number] = made[one.source]
        if name is None:
            return _graph.lazy(planned, chunks)
        result = _chain(name, planned) if name in serial else _graph.lazy(planned, None)
        results = result if isinstance(result, tuple) else (result,)
        made.update(zip(_parts(name, len(results)), results))
    raise ArgumentError("there is no phase")


def _parts(func: str, count: int) -> List[str]:
    """The inputs that have a func's values, by component."""
    return [func] if count == 1 else [f"{func}_{number}" for number in range(count)]


def _before(kernel: _windows.WindowKernel, name: str) -> Sequence[int]:
    """The numbers of the inputs that have the values so far of a reduction, by component."""
    sources = [one.source for one in kernel.inputs]
    return [sources.index(one) for one in _parts(f"{name}_before", len(kernel.outputs))]


def _serial(phases: Sequence[str], order: Order) -> Sequence[str]:
    """The phases that reduce in order."""
    wanted = dict.fromkeys(phases, order) if order is None or isinstance(order, str) else order
    for name, kind in wanted.items():
        if name not in phases:
            raise ArgumentError(f"`order` names `{name}`, which is no phase")
        if kind not in (None, _EXACT):
            raise ArgumentError(f"`order` is `exact` or nothing, not {kind!r}")
    return [name for name, kind in wanted.items() if kind == _EXACT]


def _chain(name: str, planned: Plan) -> Any:
    """A reduction in its own order: the values so far pass from task to task, and each task reads
    what a range of the outermost reduction variable needs."""
    from dask._task_spec import DataNode, Task, TaskRef

    before = _before(planned.kernel, name)
    cuts = _ranges(name, planned, before)
    label = _graph.name_of(planned, cuts)
    tasks = _graph.Tasks(label, planned)
    window = planned.region
    last: Any = None
    for position, (low, high) in enumerate(cuts):
        values = {
            **planned.values,
            f"{name}_first": last is None,
            f"{name}_from": low,
            f"{name}_until": high,
        }
        is_last = position + 1 == len(cuts)
        key = (label, *(0 for _ in window)) if is_last else (f"{label}-step", position)
        sources = {}
        for component, number in enumerate(before):
            own = (f"{label}-before", position, component)
            if last is None:
                shape = tuple(extent for _, extent in window)
                # The first task reads none of them.
                zeros = numpy.zeros(shape, planned.kernel.inputs[number].dtype)
                tasks.layer[own] = DataNode(own, zeros)
            elif len(before) > 1:
                tasks.layer[own] = Task(own, _graph.pick, TaskRef(last), component)
            else:
                own = last
            sources[number] = own
        tasks.add(key, window, values, sources)
        last = key
    return _graph.arrays(label, tasks, tuple((extent,) for _, extent in window))


def _ranges(name: str, planned: Plan, before: Sequence[int]) -> List[Tuple[int, int]]:
    """Ranges of the outermost reduction variable that cover all its values, in order, each of which
    reads about as much as a chunk should.

    The domain is found by asking what ranges read. Where that does not tell, there is one range.
    """

    def read(low: int, high: int) -> int:
        values = {**planned.values, f"{name}_from": low, f"{name}_until": high}
        total = 0
        for number, (one, region) in enumerate(
            zip(planned.kernel.inputs, planned.reads(planned.region, values))
        ):
            if number not in before:
                total += one.dtype.itemsize * int(numpy.prod([n for _, n in region], dtype=object))
        return total

    everything = read(_FIRST, _END)
    is_known = read(_FIRST, _FIRST + 1) == 0 == read(_END - 1, _END)
    if everything <= _grid.AIM or not is_known:
        return [(_FIRST, _END)]
    # The least value below which nothing is read, and the greatest.
    first = _least(lambda at: read(_FIRST, at + 1) > 0)
    end = _least(lambda at: read(at, _END) == 0)
    count = min(-(-everything // _grid.AIM), end - first)
    inner = [first + (end - first) * number // count for number in range(1, count)]
    return list(zip([_FIRST, *inner], [*inner, _END]))


def _least(holds: Any) -> int:
    """The least value from which on a condition holds."""
    low, high = _FIRST, _END
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


class _StandIn:
    """An array that an earlier phase is going to compute."""

    def __init__(self, dtype: Any, rank: int) -> None:
        self.dtype = dtype
        self.shape = (0,) * rank
        self.name = ""


def require_whole(
    program: Source,
    pipeline: Optional[str],
    schedule: Optional[str],
    progress: Optional[bool],
) -> None:
    """Prove the whole pipeline under its schedule: the phases are those of its rewriting."""
    with tempfile.TemporaryDirectory(prefix="halidom-") as place:
        file = Path(place) / "program.hal"
        file.write_text(_source.text(program))
        _validate.assert_proved(
            file, pipeline=pipeline, schedule=schedule or "default", progress=progress
        )
