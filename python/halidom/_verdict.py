"""The answer of every job."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy

from ._errors import HalidomError


@dataclass(frozen=True)
class Condition:
    """A condition that a proof rests on.

    ``origin`` is ``standard`` or ``contract``, which a caller promised with ``assume=``. ``anchor``
    is the place in the documentation that gives the reason.
    """

    name: str
    words: str
    origin: str
    anchor: str

    def __str__(self) -> str:
        return f"{self.name}: {self.words}"


@dataclass(frozen=True)
class Cause:
    """A kind of reason why a verdict is *unknown*, with a page in the documentation by its code."""

    code: str
    count: int
    sentence: str
    advice: str

    def __str__(self) -> str:
        return f"{self.code}: {self.sentence}; try: {self.advice}"


@dataclass(frozen=True)
class Counterexample:
    """An input on which the code is wrong, and what was found when it ran.

    ``inputs`` and ``parameters`` are by name. ``mins`` has the least coordinates of each array of
    ``inputs``, and ``windows`` the region of each output that was computed: for each dimension of
    the pipeline, its least coordinate and its extent. Axes of arrays stand in NumPy's order, so the
    last axis is the pipeline's first dimension; ``mins`` and ``windows`` stand in that order too.
    ``expected`` and ``got`` are the pipeline's and the code's values of the outputs, where both
    are known; ``guilty_pass`` names the pass of Halide after which the statement is wrong.
    """

    inputs: Mapping[str, numpy.ndarray[Any, Any]]
    parameters: Mapping[str, Any]
    mins: Mapping[str, Tuple[int, ...]]
    windows: Mapping[str, Tuple[Tuple[int, int], ...]]
    expected: Sequence[numpy.ndarray[Any, Any]]
    got: Sequence[numpy.ndarray[Any, Any]]
    said: str
    guilty_pass: Optional[str] = None

    def __getitem__(self, name: str) -> Any:
        """Return an input's array or a parameter's value by its name."""
        if name in self.inputs:
            return self.inputs[name]
        return self.parameters[name]

    def keys(self) -> List[str]:
        """Return the names of all inputs and parameters."""
        return [*self.inputs, *self.parameters]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __str__(self) -> str:
        lines = [self.said]
        if self.guilty_pass:
            lines.append(f"the first pass that changes the result: {self.guilty_pass}")
        for name, value in self.parameters.items():
            lines.append(f"{name} = {value}")
        for name, array in self.inputs.items():
            lines.append(f"{name} ({array.dtype}, shape {array.shape}) = {_short(array)}")
        for name, window in self.windows.items():
            region = ", ".join(f"{low}..{low + extent}" for low, extent in window)
            lines.append(f"computed: {name}[{region}]")
        for number, (wanted, given) in enumerate(zip(self.expected, self.got)):
            lines.append(f"output {number}: expected {_short(wanted)}, got {_short(given)}")
        return "\n".join(lines)


def _short(array: numpy.ndarray[Any, Any]) -> str:
    return numpy.array2string(array, threshold=24, edgeitems=3, max_line_width=90)


@dataclass(frozen=True)
class Verdict:
    """The answer of a job: *proved*, *refuted*, *unknown*, or *nothing* if nothing was judged.

    A verdict is no truth value: ask :attr:`proved`. Only a proof is a success.
    """

    #: ``proved``, ``refuted``, ``unknown`` or ``nothing``.
    word: str
    #: The sentence that states the answer.
    statement: str
    #: The conditions that a proof rests on.
    conditions: Tuple[Condition, ...] = ()
    #: The named axioms of floats that a proof uses; empty if values are equal bit for bit.
    axioms: Tuple[str, ...] = ()
    #: The reasons why the verdict is unknown.
    reasons: Tuple[str, ...] = ()
    #: The kinds of these reasons.
    causes: Tuple[Cause, ...] = ()
    #: An input on which the code is wrong, if the verdict is refuted.
    counterexample: Optional[Counterexample] = None
    #: The number of obligations, by their status.
    obligations: Mapping[str, int] = field(default_factory=dict)
    #: The time that the judgement took, in seconds.
    seconds: float = 0.0
    #: The verdicts on several subjects, by schedule, where a file has several.
    parts: Mapping[str, "Verdict"] = field(default_factory=dict)
    #: The whole answer, in the documented form ``halidom-verdict-1``.
    json: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def proved(self) -> bool:
        """True if the code computes what the algorithm says, for every input and every size."""
        return self.word == "proved"

    @property
    def refuted(self) -> bool:
        """True if the code was run and is wrong."""
        return self.word == "refuted"

    @property
    def unknown(self) -> bool:
        """True if it is not known whether the code is right."""
        return self.word == "unknown"

    def __bool__(self) -> bool:
        raise TypeError("a verdict is no truth value: ask `verdict.proved`")

    def __str__(self) -> str:
        return self.statement

    def explanation(self) -> str:
        """Return the statement with all that belongs to it, over several lines."""
        lines = [self.statement]
        lines += [f"  {reason}" for reason in self.reasons[1:4]]
        lines += [f"  {cause}" for cause in self.causes]
        if self.counterexample is not None:
            lines += [f"  {line}" for line in str(self.counterexample).splitlines()]
        for name, part in self.parts.items():
            lines.append(f"  {name}: {part.statement}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the report for a notebook."""
        colour = {"proved": "#1a7f37", "refuted": "#cf222e"}.get(self.word, "#9a6700")
        rows: List[Tuple[str, str]] = []
        rows += [("condition", str(condition)) for condition in self.conditions]
        rows += [("axiom", axiom) for axiom in self.axioms]
        rows += [("reason", reason) for reason in self.reasons]
        rows += [("try", cause.advice) for cause in self.causes]
        rows += [(name, part.statement) for name, part in self.parts.items()]
        counts = [f"{count} {status}" for status, count in self.obligations.items() if count]
        rows.append(("obligations", ", ".join(counts) or "none"))
        rows.append(("time", f"{self.seconds:.2f} s"))
        text = [
            f'<div style="border-left:4px solid {colour};padding-left:.8em">',
            f'<p><strong style="color:{colour}">{html.escape(self.word)}</strong>',
            f"{html.escape(self.statement.partition(':')[2])}</p>",
        ]
        if self.counterexample is not None:
            text.append(_pictures(self.counterexample))
        text.append("<details><summary>details</summary><table>")
        for name, words in rows:
            cells = (f"<td>{html.escape(part)}</td>" for part in (name, words))
            text.append(f"<tr>{''.join(cells)}</tr>")
        text.append("</table></details></div>")
        return "\n".join(text)


_MOST = 24


def _pictures(found: Counterexample) -> str:
    """The arrays of a counterexample as tables; cells that differ are marked."""
    text = [f"<p>{html.escape(found.said)}</p>"]
    if found.guilty_pass:
        text.append(f"<p>guilty pass: <code>{html.escape(found.guilty_pass)}</code></p>")
    for name, value in found.parameters.items():
        text.append(f"<p><code>{html.escape(name)} = {html.escape(str(value))}</code></p>")
    for name, array in found.inputs.items():
        text.append(_table(name, array, None))
    for number, (wanted, given) in enumerate(zip(found.expected, found.got)):
        text.append(_table(f"output {number}, expected", wanted, None))
        text.append(_table(f"output {number}, got", given, wanted))
    return "\n".join(text)


def _table(
    name: str, array: numpy.ndarray[Any, Any], other: Optional[numpy.ndarray[Any, Any]]
) -> str:
    title = f"<p>{html.escape(name)}: {array.dtype}, shape {array.shape}</p>"
    if array.ndim > 2 or array.size == 0 or max(array.shape, default=1) > _MOST:
        return f"{title}<pre>{html.escape(_short(array))}</pre>"
    rows = array.reshape((1, -1)) if array.ndim < 2 else array
    others = rows if other is None or other.shape != array.shape else other.reshape(rows.shape)
    lines = []
    for row, beside in zip(rows, others):
        cells = []
        for value, wanted in zip(row, beside):
            same = value == wanted or (value != value and wanted != wanted)
            mark = "" if same else ' style="background:#ffd8d3"'
            cells.append(f"<td{mark}>{html.escape(str(value))}</td>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"{title}<table>{''.join(lines)}</table>"


def of(answer: Mapping[str, Any], replay: Optional[Path] = None) -> Verdict:
    """Read the answer of a job; ``replay`` is the folder of a refutation's arrays."""
    word = answer.get("verdict", "unknown")
    shown = answer.get("shown")
    if word == "proved" and not (isinstance(shown, int) and shown > 0):
        raise HalidomError("the answer has a proof of nothing")
    modes = answer.get("modes", {})
    conditions = [
        Condition(one["name"], one["words"], one["origin"], one["anchor"])
        for one in answer.get("conditions", [])
    ]
    causes = [
        Cause(one["code"], one["count"], one["sentence"], one["advice"])
        for one in answer.get("causes", [])
    ]
    reasons = list(answer.get("reasons", []))
    if not reasons and answer.get("reason"):
        reasons = [answer["reason"]]
    counts = answer.get("obligations", {})
    keys = ("proved", "refuted", "unknown", "trusted")
    parts: Dict[str, Verdict] = {}
    for key in ("schedules", "derivations"):
        several = answer.get(key)
        if isinstance(several, dict):
            for name, part in several.items():
                if isinstance(part, dict) and "verdict" in part:
                    parts[name] = of(part)
    return Verdict(
        word=word,
        # An answer without the keys of a verdict was not judged.
        statement=str(answer.get("statement", "unknown: the job gave no verdict")),
        conditions=tuple(conditions),
        axioms=tuple(modes.get("axioms", [])),
        reasons=tuple(reasons),
        causes=tuple(causes),
        counterexample=_counterexample(answer, replay) if word == "refuted" else None,
        obligations={key: counts[key] for key in keys if isinstance(counts.get(key), int)},
        seconds=float(answer.get("seconds", 0.0)),
        parts=parts,
        json=dict(answer),
    )


def _arrays(folder: Path, stem: str) -> List[numpy.ndarray[Any, Any]]:
    found: List[numpy.ndarray[Any, Any]] = []
    while (folder / f"{stem}.{len(found)}.npy").is_file():
        found.append(numpy.load(folder / f"{stem}.{len(found)}.npy", allow_pickle=False))
    return found


def _counterexample(answer: Mapping[str, Any], replay: Optional[Path]) -> Optional[Counterexample]:
    found = answer.get("counterexample")
    if not isinstance(found, dict):
        return None
    compiled = answer.get("compiled_code") or {}
    said = compiled.get("said") or f"expected {found.get('expected')}, got {found.get('got')}"
    inputs: Dict[str, numpy.ndarray[Any, Any]] = {}
    expected: List[numpy.ndarray[Any, Any]] = []
    got: List[numpy.ndarray[Any, Any]] = []
    mins: Dict[str, Tuple[int, ...]] = {}
    if replay is not None:
        for file in sorted(replay.glob("input.*.npy")):
            name = file.name[len("input.") : -len(".npy")]
            inputs[name] = numpy.load(file, allow_pickle=False)
        expected = _arrays(replay, "expected")
        got = _arrays(replay, "output") if (replay / "done.txt").is_file() else []
    for name, described in (found.get("inputs") or {}).items():
        shape = described.get("shape") if isinstance(described, dict) else None
        if shape:
            mins[name] = tuple(low for low, _ in reversed(shape))
    windows = {
        name: tuple((low, extent) for low, extent in reversed(window))
        for name, window in (found.get("windows") or {}).items()
    }
    return Counterexample(
        inputs=inputs,
        parameters=dict(found.get("parameters") or {}),
        mins=mins,
        windows=windows,
        expected=tuple(expected),
        got=tuple(got),
        said=str(said),
        guilty_pass=answer.get("pass"),
    )
