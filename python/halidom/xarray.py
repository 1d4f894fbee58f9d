"""Proved kernels on labelled arrays, with xarray."""

from __future__ import annotations

import os
from typing import Any, Dict, Optional, Sequence, Tuple, Union

from . import dask as _chunks
from ._errors import ArgumentError

__all__ = ["apply"]


def apply(
    program: Union[str, "os.PathLike[str]"],
    *,
    dims: Optional[Sequence[str]] = None,
    region: Optional[Sequence[Tuple[int, int]]] = None,
    **given: Any,
) -> Any:
    """Apply a program to ``xarray.DataArray``s, lazily, as :func:`halidom.dask.map` does.

    The output has the dimensions of the first input with the same number of them, or ``dims``.
    Along each dimension of that input, it keeps the coordinates of the part that it covers, and the
    input's attributes.
    """
    import xarray

    labelled = {name: one for name, one in given.items() if isinstance(one, xarray.DataArray)}
    plain = {name: one.data if name in labelled else one for name, one in given.items()}
    planned = _chunks.plan(
        program,
        region=region,
        **{key: value for key, value in plain.items() if key != "chunks"},
    )
    made = _chunks.map(program, region=planned.region, **plain)
    arrays = made if isinstance(made, tuple) else (made,)
    rank = len(planned.region)
    like = next((one for one in labelled.values() if one.ndim == rank), None)
    if dims is None and like is None:
        raise ArgumentError("no input has as many dimensions as the output: give `dims`")
    names = tuple(dims) if dims is not None else tuple(like.dims) if like is not None else ()
    coords: Dict[Any, Any] = {}
    if like is not None:
        spans = {
            name: slice(low, low + extent)
            for name, (low, extent) in zip(like.dims, planned.region)
            if name in names and 0 <= low and low + extent <= like.sizes[name]
        }
        part = like.isel(spans)
        coords = {
            name: value
            for name, value in part.coords.items()
            if set(value.dims) <= set(spans)
        }
    attributes = {} if like is None else like.attrs
    results = tuple(
        xarray.DataArray(one, dims=names, coords=coords, attrs=attributes) for one in arrays
    )
    return results if isinstance(made, tuple) else results[0]
