"""Judging pipelines: live ones of Halide, and files."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Iterable, List, Optional, Sequence, Union

from . import _program, _stock, _verdict
from ._errors import ArgumentError, Refuted, Unknown
from ._verdict import Verdict

#: The time for a judgement, in seconds.
LIMIT = 60.0


def validate(
    thing: Any,
    *,
    outputs: Optional[Sequence[Any]] = None,
    target: Union[None, str, Any] = None,
    assume: Union[str, Iterable[str]] = (),
    pipeline: Optional[str] = None,
    schedule: Optional[str] = None,
    floats: Optional[str] = None,
    limit: Optional[float] = LIMIT,
    progress: Optional[bool] = None,
) -> Verdict:
    """Judge a pipeline: does the compiled code compute what the algorithm says?

    ``thing`` is a live ``halide.Func``, a list of them or a ``halide.Pipeline``, judged as Halide
    compiles it now, with the schedule and the types that it has; or the path of a file: ``.hal``
    and ``.atl`` (programs of Halidom's languages), ``.hlpipe`` (a pipeline that Halide serialized)
    or ``.py`` (a script that defines ``pipeline()``).

    ``outputs`` chooses other Funcs as the outputs. ``target`` is a ``halide.Target`` or its text;
    by default this machine. ``assume`` promises conditions on parameters and shapes that callers
    keep, such as ``"0 <= radius"`` or ``"small"``; the verdict lists them. ``pipeline`` and
    ``schedule`` choose a part of a ``.hal`` file; by default all schedules are judged, and the
    worst verdict counts. ``floats`` is the weakest permitted equality: ``bits``, ``axioms`` or
    ``reals``. ``limit`` is the time in seconds, after which the answer is *unknown*. ``progress``
    shows the time on standard error (by default if that is a terminal).

    Returns a :class:`Verdict`. Raises :exc:`InputError` if the input cannot be read or compiled,
    :exc:`MissingTool` if a program is missing. :exc:`KeyboardInterrupt` ends all processes at once.
    """
    words: List[str] = []
    promised = [assume] if isinstance(assume, str) else list(assume)
    for condition in promised:
        words += ["--assume", condition]
    for option, value in (("--pipeline", pipeline), ("--schedule", schedule), ("--floats", floats)):
        if value is not None:
            words += [option, value]
    if limit is not None:
        words += ["--limit", str(float(limit))]
    with tempfile.TemporaryDirectory(prefix="halidom-") as place:
        folder = Path(place)
        replay = folder / "replay"
        if isinstance(thing, (str, os.PathLike)):
            if outputs is not None:
                raise ArgumentError("`outputs` chooses Funcs, and a file has none")
            subject = _file_words(Path(thing), target)
            is_stock = subject[0].startswith("--halide")
        elif _stock.is_live(thing):
            if schedule is not None or pipeline is not None:
                raise ArgumentError("`schedule` and `pipeline` choose parts of a file")
            live = _stock.pipeline_of(thing, outputs)
            _stock.write(live, _stock.target_of(target), folder)
            subject, is_stock = ["--halide", str(folder)], True
        else:
            raise ArgumentError(
                f"`{type(thing).__name__}` cannot be judged: give a `halide.Func`, a list of "
                "them, a `halide.Pipeline`, or the path of a file"
            )
        if is_stock:
            words += ["--replay", str(replay)]
        title = "proving"
        asked = ["validate", *subject, *words]
        answer = _program.ask(asked, title=title, limit=limit, progress=progress)
        return _verdict.of(answer, replay if replay.is_dir() else None)


def _file_words(path: Path, target: Any) -> List[str]:
    words = []
    if path.suffix == ".py":
        words = ["--halide-script", str(path)]
    elif path.suffix == ".hlpipe" or path.is_dir():
        words = ["--halide", str(path)]
    if not words:
        if target is not None:
            raise ArgumentError("`target` is of pipelines that Halide compiles")
        return [str(path)]
    named = _stock.target_of(target) if target is not None else ""
    return words + (["--target", named] if named else [])


def assert_proved(thing: Any, **options: Any) -> Verdict:
    """Judge a pipeline as :func:`validate` does, and return the verdict if it is *proved*.

    Raises :exc:`Refuted` with the input, the values and the guilty pass if the code is wrong, and
    :exc:`Unknown` with the reasons if that is not known. Both are :exc:`AssertionError` too.
    """
    verdict = validate(thing, **options)
    return require_proved(verdict)


def require_proved(verdict: Verdict) -> Verdict:
    """Return a proof; raise on any other verdict."""
    if verdict.proved:
        return verdict
    raise (Refuted if verdict.refuted else Unknown)(verdict)
