"""Proved kernels on arrays in chunks, with Dask.

* :func:`map` makes a lazy array of a program of Halidom's language, or of a live pipeline of
  Halide, and of arrays in chunks.
* :func:`check_overlap` tells whether blocks with a fixed overlap give what the whole array gives.
* :func:`refused` counts the chunks that a schedule's entry checks refused.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Tuple, Union

from . import _graph, _overlap, _phases, _source
from ._errors import ArgumentError
from ._overlap import Overlap
from ._phases import Order
from ._plan import Plan
from ._source import Source
from ._windows import refused

__all__ = ["Overlap", "Plan", "check_overlap", "map", "plan", "refused"]


def plan(program: Source, **options: Any) -> Plan:
    """Compile and prove a program, and find the regions of its outputs; see :func:`map`."""
    keys = ("pipeline", "schedule", "region", "progress")
    chosen = {key: options.pop(key) for key in keys if key in options}
    return Plan(program, given=options, **chosen)


def map(
    program: Source,
    *,
    pipeline: Optional[str] = None,
    schedule: Optional[str] = None,
    chunks: Any = None,
    region: Optional[Sequence[Tuple[int, int]]] = None,
    phases: Sequence[str] = (),
    order: Order = None,
    progress: Optional[bool] = None,
    **given: Any,
) -> Any:
    """Make a lazy Dask array of a program and of arrays in chunks.

    ``program`` is the path of a ``.hal`` file, its text, or a live ``halide.Func``, which is
    imported with its schedule and compiled by Halidom. Inputs and parameters are given by
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
    of the schedule, and one of each phase, are required. With ``order="exact"``, or a mapping with
    that for some phases, a phase without ``rfactor`` is a chain of tasks that make the iterations
    in the program's own order. Returns an array, or a tuple of arrays if the program has several
    outputs.

    Raises :exc:`Unknown` or :exc:`Refuted` if the program is not proved, and
    :exc:`ArgumentError` for arguments that do not fit.
    """
    import dask.array

    arrays = {
        name: dask.array.asarray(value) if hasattr(value, "shape") and value.shape != () else value
        for name, value in given.items()
    }
    program, schedule = _source.settled(program, schedule)
    if order is not None and not phases:
        raise ArgumentError("`order` is of `phases`, and there are none")
    if phases:
        return _phases.lazy(
            program,
            pipeline=pipeline,
            schedule=schedule,
            chunks=chunks,
            region=region,
            phases=phases,
            order=order,
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
    return _graph.lazy(planned, chunks)


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
    """Tell if blocks with an overlap of ``depth`` give the values of the whole array.

    ``thing`` is what ``dask.array.map_overlap`` would apply to each block: a callable, a program
    (the path of a ``.hal`` file, or its text), or a live ``halide.Func``. ``like`` has the type and
    the number of dimensions of the arrays, and the shape of the largest one that is tried.
    ``reference`` computes the whole: a callable or a program; by default ``thing`` itself on the
    whole array.

    A program without ``reference`` is judged by the validator first. If it is proved, the answer is
    ``proved``: right for all arrays and chunks, where blocks keep their coordinates.
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

