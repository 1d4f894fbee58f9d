"""Programs as callers give them: the path of a file, a text, or a live pipeline of Halide."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Optional, Tuple, Union

from . import _program, _stock
from ._errors import ArgumentError

#: A path or a text.
Source = Union[str, "os.PathLike[str]"]

#: The schedule of an imported pipeline.
_IMPORTED = "imported"


def is_text(program: Any) -> bool:
    """Tell a text from a path."""
    return isinstance(program, str) and ("\n" in program or "{" in program)


def text(program: Source) -> str:
    """Return the text of a program."""
    return str(program) if is_text(program) else Path(program).read_text()


def file(program: Source, folder: Path) -> Path:
    """Return a file with a program; a text is written into the folder."""
    if not is_text(program):
        return Path(program)
    place = folder / "program.hal"
    place.write_text(str(program))
    return place


def settled(program: Any, schedule: Optional[str]) -> Tuple[Source, Optional[str]]:
    """Return a program as a path or a text, and its schedule.

    A live pipeline of Halide is imported: its algorithm becomes a text, and so does the schedule
    that it has, which is taken if none is named.
    """
    if not _stock.is_live(program):
        if not isinstance(program, (str, os.PathLike)):
            raise ArgumentError(
                f"`{type(program).__name__}` is no program: give the path of a `.hal` file, its "
                "text, or a `halide.Func`"
            )
        return program, schedule
    found = _imported(program)
    if schedule is None and f"schedule {_IMPORTED} " in found:
        schedule = _IMPORTED
    return found, schedule


def _imported(thing: Any) -> str:
    """The text of a live pipeline."""
    pipeline = _stock.pipeline_of(thing)
    with tempfile.TemporaryDirectory(prefix="halidom-") as place:
        folder = Path(place)
        serialized, imported = folder / "pipeline.hlpipe", folder / "pipeline.hal"
        _stock.serialize(pipeline, serialized)
        words = ["import", str(serialized), "--output", str(imported)]
        _program.ask(words, title="importing the pipeline")
        return imported.read_text()
