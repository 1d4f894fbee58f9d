"""Geometry of chunks: boundaries, blocks that meet a region, sizes that are chosen."""

from __future__ import annotations

import bisect
import itertools
from typing import Iterator, List, NamedTuple, Sequence, Tuple

from ._kernel import Region

#: For each axis the lengths of the chunks.
Chunks = Tuple[Tuple[int, ...], ...]

#: The bytes of a chunk of the output that are aimed at.
AIM = 32 << 20


class Piece(NamedTuple):
    """The part of a block that a region takes: the block's numbers, the slices within the block,
    and the slices within the region."""

    block: Tuple[int, ...]
    within: Tuple[slice, ...]
    placed: Tuple[slice, ...]
    is_all: bool


def starts(lengths: Sequence[int]) -> List[int]:
    """The first index of each chunk, and the end."""
    return [0, *itertools.accumulate(lengths)]


def pieces(region: Region, ends: Sequence[Sequence[int]]) -> Iterator[Piece]:
    """The parts of blocks that make up a region; ``ends`` are the boundaries of the blocks."""
    if any(extent <= 0 for _, extent in region):
        return
    axes = []
    for (low, extent), bounds in zip(region, ends):
        here = []
        number = bisect.bisect_right(bounds, low) - 1
        while number + 1 < len(bounds) and bounds[number] < low + extent:
            first, last = bounds[number], bounds[number + 1]
            begin, end = max(low, first), min(low + extent, last)
            if begin < end:
                within = slice(begin - first, end - first)
                placed = slice(begin - low, end - low)
                here.append((number, within, placed, end - begin == last - first))
            number += 1
        axes.append(here)
    for chosen in itertools.product(*axes):
        yield Piece(
            tuple(one[0] for one in chosen),
            tuple(one[1] for one in chosen),
            tuple(one[2] for one in chosen),
            all(one[3] for one in chosen),
        )


def windows(chunks: Chunks, region: Region) -> Iterator[Tuple[Tuple[int, ...], Region]]:
    """The numbers of each chunk, and its window in a region that begins anywhere."""
    bounds = [starts(lengths) for lengths in chunks]
    for numbers in itertools.product(*(range(len(lengths)) for lengths in chunks)):
        yield (
            numbers,
            tuple(
                (low + bounds[axis][number], chunks[axis][number])
                for axis, (number, (low, _)) in enumerate(zip(numbers, region))
            ),
        )


def choose(shape: Sequence[int], size: int, halo: Sequence[int], aim: int = AIM) -> Chunks:
    """Chunks of an output of this shape: about ``aim`` bytes, long where the halo is wide.

    A chunk of lengths ``n`` with halos ``h`` reads the product of ``n + h``, of which the product
    of ``n`` is of use. The axis that wastes least when it is halved is halved, and the last axis,
    which is contiguous, only when it has more than 512 elements.
    """
    lengths = [max(extent, 1) for extent in shape]

    def total() -> int:
        product = size
        for length in lengths:
            product *= length
        return product

    while total() > aim:
        waste = []
        last = len(lengths) - 1
        for axis, length in enumerate(lengths):
            if length > (512 if axis == last else 1):
                half = -(-length // 2)
                waste.append(((half + halo[axis]) / half, -length, axis))
        if not waste:
            break
        axis = min(waste)[2]
        lengths[axis] = -(-lengths[axis] // 2)
    return tuple(cut(extent, length) for extent, length in zip(shape, lengths))


def cut(extent: int, length: int) -> Tuple[int, ...]:
    """An axis in chunks of one length; the last may be shorter."""
    if extent == 0:
        return (0,)
    full, rest = divmod(extent, length)
    return (length,) * full + ((rest,) if rest else ())
