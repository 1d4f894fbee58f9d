"""Plans: a proved program on whole inputs, and what its windows read."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Sequence, Tuple

import numpy

from . import _grid, _source, _windows
from ._errors import ArgumentError
from ._grid import Chunks
from ._kernel import Region
from ._source import Source
from ._windows import Shipped


class Plan:
    """A program on whole inputs: its proved kernels, and the regions of its outputs."""

    def __init__(
        self,
        program: Source,
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

    def reads(
        self, window: Region, values: Optional[Mapping[str, Any]] = None
    ) -> List[Region]:
        """The region of each input that a window of the outputs reads; with other values of the
        parameters, if any are given."""
        windows = [window for _ in self.regions]
        if any(extent <= 0 for _, extent in window):
            return [tuple((first, 0) for first, _ in whole) for whole in self.wholes]
        used = self.values if values is None else values
        needed = self.kernel.needs(windows, self.wholes, used)
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
    program: Source,
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
