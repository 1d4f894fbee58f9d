"""The region of each input that a window of the outputs needs, as a formula."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Union

from . import _program, _source, _verdict
from ._verdict import Verdict


class Interval(NamedTuple):
    """The coordinates of one dimension that are read, as text: ``[x0 - 2, x1 + 2]``, where ``x0``
    and ``x1`` are the ends of the window."""

    text: str
    #: True if coordinates are then clamped to the whole input.
    clamped: bool
    #: True if the first coordinate is read, whatever the window; else nothing is claimed.
    first_is_read: bool
    #: The same for the last one.
    last_is_read: bool
    #: The interval where it lies within the whole input, if it is shorter to write than ``text``:
    #: near the ends of the whole, a mirrored input is read elsewhere.
    inside: Optional[str] = None

    def __str__(self) -> str:
        if self.inside is not None:
            return f"{self.inside} inside"
        return f"{self.text} clamped" if self.clamped else self.text


class Halo:
    """The formula for each input, by dimension, the first dimension first; and the verdict on
    it."""

    def __init__(self, described: Mapping[str, Any], verdict: Verdict) -> None:
        #: *proved* means that no read leaves the formula, for all windows, shapes and inputs.
        self.verdict = verdict
        self.regions: Dict[str, List[Interval]] = {
            name: [
                Interval(
                    one["interval"],
                    bool(one["clamped"]),
                    bool(one["first_is_read"]),
                    bool(one["last_is_read"]),
                    one["inside"],
                )
                for one in dims
            ]
            for name, dims in described["regions"].items()
        }

    def __repr__(self) -> str:
        shown = []
        for name, dims in self.regions.items():
            shown.append(f"{name}: {' × '.join(str(one) for one in dims)}")
        return "; ".join(shown or ["no input is read"]) + f" ({self.verdict.statement})"


def halo(
    program: Union[str, "os.PathLike[str]"],
    *,
    pipeline: Optional[str] = None,
    schedule: Optional[str] = None,
) -> Halo:
    """Find the region of each input that a window of the outputs needs, and prove it.

    ``program`` is the path of a ``.hal`` file, or its text; without ``schedule``, the unscheduled
    form is examined.
    """
    program, schedule = _source.settled(program, schedule)
    with tempfile.TemporaryDirectory(prefix="halidom-") as place:
        file = _source.file(program, Path(place))
        name = schedule or "default"
        words = ["halo", str(file), "--schedule", name]
        if pipeline is not None:
            words += ["--pipeline", pipeline]
        answer = _program.ask(words, title="proving the halo")
    return Halo(answer["halos"][name], _verdict.of(answer))
