"""The check of blocks with a fixed overlap."""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path
from typing import Any, Callable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from . import _kernel, _program, _source, _stock
from ._errors import ArgumentError, CheckFailed, InputError

#: Dask's boundaries that are no numbers.
_NAMES = ("none", "nearest", "reflect", "periodic")

Depth = Union[int, Sequence[Any], Mapping[int, Any]]


class Wrong(NamedTuple):
    """The first element, in the order of axes, at which blocks and the whole differ."""

    place: Tuple[int, ...]
    got: Any
    expected: Any
    #: The number of elements that differ.
    total: int
    array: Any
    chunks: Tuple[Tuple[int, ...], ...]


class Overlap:
    """The answer of :func:`halidom.dask.check_overlap`: ``proved``, ``refuted`` or ``tested``.

    It is no truth value, because only ``proved`` is a success for all arrays.
    """

    def __init__(self, status: str, statement: str, wrong: Optional[Wrong] = None) -> None:
        self.status = status
        self.statement = statement
        #: The first wrong element, of a refutation.
        self.wrong = wrong

    @property
    def proved(self) -> bool:
        """True if it holds for all arrays and all chunks."""
        return self.status == "proved"

    @property
    def refuted(self) -> bool:
        """True if an array was found on which blocks give something else."""
        return self.status == "refuted"

    @property
    def tested(self) -> bool:
        """True if no difference was found, which proves nothing."""
        return self.status == "tested"

    def __bool__(self) -> bool:
        raise TypeError("an answer is no truth value: ask for `proved`, `refuted` or `tested`")

    def __repr__(self) -> str:
        return self.statement


def check(
    thing: Any,
    *,
    depth: Depth,
    boundary: Any,
    like: Any,
    reference: Any,
    schedule: Optional[str],
    trials: int,
    seed: int,
    parameters: Mapping[str, Any],
) -> Overlap:
    """See :func:`halidom.dask.check_overlap`."""
    shape, dtype = tuple(like.shape), numpy.dtype(like.dtype)
    depths = _depths(depth, len(shape))
    boundaries = _boundaries(boundary, dtype, len(shape))
    if not callable(thing) or _stock.is_live(thing):
        thing, schedule = _source.settled(thing, schedule)
    is_program = _is_program(thing)
    statement = None
    if is_program and reference is None:
        kinds = _kinds(boundaries, dtype)
        if kinds is not None:
            statement = _prove(thing, depths, kinds, schedule)
    apply = _function(thing, schedule, parameters)
    whole = apply
    if reference is not None:
        own: Optional[str] = None
        if not callable(reference) or _stock.is_live(reference):
            reference, own = _source.settled(reference, None)
        whole = _function(reference, own, parameters)
    draw = random.Random(seed)
    tried = 0
    for trial in range(trials):
        array, chunks = _case(draw, shape, dtype, depths, trial, trials)
        wrong = _compare(apply, whole, array, chunks, depths, boundaries)
        tried += 1
        if wrong is not None:
            place = ", ".join(str(at) for at in wrong.place)
            return Overlap(
                "refuted",
                f"refuted: element ({place}) is {wrong.got} and should be {wrong.expected}; "
                f"{wrong.total} of {array.size} elements of an array of {array.shape} in chunks "
                f"{chunks} are wrong",
                wrong,
            )
    if statement is not None:
        return Overlap("proved", statement)
    return Overlap("tested", f"tested: no difference on {tried} random arrays; this is no proof")


def _is_program(thing: Any) -> bool:
    return isinstance(thing, (str, os.PathLike))


def _depths(depth: Depth, rank: int) -> List[Tuple[int, int]]:
    """The elements before and after a block, for each axis."""
    if isinstance(depth, Mapping):
        given = [depth.get(axis, 0) for axis in range(rank)]
    elif isinstance(depth, (list, tuple)):
        given = list(depth)
    else:
        given = [depth] * rank
    if len(given) != rank:
        raise ArgumentError(f"`depth` has {len(given)} numbers, and `like` has {rank} axes")
    pairs = [one if isinstance(one, (list, tuple)) else (one, one) for one in given]
    for before, after in pairs:
        if not (isinstance(before, int) and isinstance(after, int)) or min(before, after) < 0:
            raise ArgumentError(f"`depth` is made of numbers that are not negative, not {depth!r}")
    return [(before, after) for before, after in pairs]


def _boundaries(boundary: Any, dtype: Any, rank: int) -> List[Any]:
    """The boundary of each axis: one of Dask's names, or a number that the arrays can have."""
    if isinstance(boundary, Mapping):
        beyond = [axis for axis in boundary if axis not in range(rank)]
        if beyond:
            raise ArgumentError(f"`boundary` names axis {beyond[0]!r}, and `like` has {rank} axes")
        given = [boundary.get(axis, "none") for axis in range(rank)]
    elif isinstance(boundary, (list, tuple)):
        given = list(boundary)
    else:
        given = [boundary] * rank
    if len(given) != rank:
        raise ArgumentError(f"`boundary` has {len(given)} entries, and `like` has {rank} axes")
    for one in given:
        if one is None or (isinstance(one, str) and one in _NAMES):
            continue
        value = numpy.asarray(one)
        if value.ndim != 0 or value.dtype.kind not in ("iubfc" if dtype.kind == "c" else "iubf"):
            names = ", ".join(f'"{name}"' for name in _NAMES)
            raise ArgumentError(f"there is no boundary {one!r}: give {names} or a number")
        limits = numpy.iinfo(dtype) if dtype.kind in "iu" else None
        if limits and not limits.min <= value <= limits.max:
            raise ArgumentError(f"the boundary {one!r} is beyond the range of {dtype}")
    return given


def _kinds(given: Sequence[Any], dtype: Any) -> Optional[List[str]]:
    """The boundary of each axis as the executable takes it; nothing if one is beyond it."""
    found = []
    for one in given:
        if one is None or isinstance(one, str):
            found.append(one or "none")
            continue
        # Dask fills with the value as the type has it.
        value = numpy.asarray(one)
        if value.dtype.kind == "c":
            return None
        with numpy.errstate(all="ignore"):
            fill = value.astype(dtype)
        if fill != value and fill == fill:
            return None
        found.append(repr(float(fill)) if dtype.kind == "f" else str(fill).lower())
    return found


def _prove(
    thing: Any,
    depths: Sequence[Tuple[int, int]],
    kinds: Sequence[str],
    schedule: Optional[str],
) -> Optional[str]:
    """The statement of a proof, if there is one."""
    with tempfile.TemporaryDirectory(prefix="halidom-") as place:
        file = _source.file(thing, Path(place))
        # The first dimension of a pipeline is the last axis.
        words = ",".join(f"{before}:{after}" for before, after in reversed(depths))
        names = ",".join(reversed(kinds))
        asked = ["halo", str(file), f"--depth={words}", f"--boundary={names}"]
        asked += ["--schedule", schedule or "default"]
        try:
            answer = _program.ask(asked, title="proving the overlap")
        except InputError as error:
            if error.code == "HAL0915":
                return None
            raise
    if answer.get("verdict") != "proved":
        return None
    # It names the equality of floats and the conditions.
    of = "" if set(kinds) == {"none"} else f" with the boundary {', '.join(kinds)}"
    return f"{answer['statement']}; so do blocks{of} that keep their coordinates"


def _function(
    thing: Any, schedule: Optional[str], parameters: Mapping[str, Any]
) -> Callable[[Any], Any]:
    if not _is_program(thing):
        found: Callable[[Any], Any] = thing
        return found
    kernel = _kernel.compile(thing, schedule=schedule)
    if len(kernel.inputs) != 1 or len(kernel.outputs) != 1:
        raise ArgumentError(f"{kernel.name} needs one input and one output to be put on blocks")
    made = kernel.outputs[0].dtype

    def apply(block: Any) -> Any:
        array: Any = numpy.ascontiguousarray(block)
        out = numpy.empty(array.shape, made)
        named: Any = {kernel.inputs[0].name: array, **parameters}
        try:
            return kernel(out=out, threads=1, **named)
        except CheckFailed as error:
            raise ArgumentError(
                f"{kernel.name} does not compute a block from a block of the same shape "
                f"{array.shape}; it may lack a boundary condition: {error}"
            ) from None

    return apply


def _case(
    draw: random.Random,
    shape: Sequence[int],
    dtype: Any,
    depths: Sequence[Tuple[int, int]],
    trial: int,
    trials: int,
) -> Tuple[Any, Tuple[Tuple[int, ...], ...]]:
    """A random array and chunks for it; the first ones are small."""
    sizes, chunks = [], []
    for most, (before, after) in zip(shape, depths):
        least = min(most, 2 * max(before, after, 1) + 1)
        size = least + (most - least) * (trial + 1) // trials
        size = draw.randint(least, max(size, least))
        sizes.append(size)
        # Dask merges chunks that are smaller than the overlap.
        smallest = min(max(before, after, 1), size)
        lengths, left = [], size
        while left > 0:
            length = min(left, draw.randint(smallest, max(smallest, size)))
            if 0 < left - length < smallest:
                length = left
            lengths.append(length)
            left -= length
        chunks.append(tuple(lengths))
    source = numpy.random.default_rng(draw.randrange(1 << 32))
    if dtype.kind in "iu":
        limits = numpy.iinfo(dtype)
        array = source.integers(limits.min, limits.max, sizes, dtype, endpoint=True)
    elif dtype.kind == "b":
        array = source.integers(0, 2, sizes).astype(bool)
    else:
        array = source.standard_normal(sizes).astype(dtype)
    return array, tuple(chunks)


def _compare(
    apply: Callable[[Any], Any],
    whole: Callable[[Any], Any],
    array: Any,
    chunks: Tuple[Tuple[int, ...], ...],
    depths: Sequence[Tuple[int, int]],
    boundaries: Sequence[Any],
) -> Optional[Wrong]:
    import dask.array

    expected = numpy.asarray(whole(array))
    is_even = all(before == after for before, after in depths)
    depth = {axis: one[0] if is_even else one for axis, one in enumerate(depths)}
    blocks = dask.array.from_array(array, chunks=chunks)
    try:
        lazy = dask.array.map_overlap(
            apply,
            blocks,
            depth=depth,
            boundary={axis: "none" if one is None else one for axis, one in enumerate(boundaries)},
            dtype=expected.dtype,
            meta=numpy.empty((0,) * array.ndim, expected.dtype),
        )
    except (ValueError, TypeError, OverflowError, NotImplementedError) as error:
        # The blocks are not computed yet, so it is not the function that failed.
        raise ArgumentError(
            f"Dask refuses the depths {depth} with the boundaries {boundaries}: {error}"
        ) from None
    got = numpy.asarray(lazy.compute(scheduler="synchronous"))
    if got.shape != expected.shape:
        raise ArgumentError(f"blocks give an array of {got.shape}, the whole {expected.shape}")
    differs = got != expected
    if expected.dtype.kind == "f":
        differs &= ~(numpy.isnan(got) & numpy.isnan(expected))
    count = int(differs.sum())
    if count == 0:
        return None
    index = tuple(int(at) for at in numpy.argwhere(differs)[0])
    return Wrong(index, got[index], expected[index], count, array, chunks)
