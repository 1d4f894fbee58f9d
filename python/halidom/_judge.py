"""``python -m halidom judge``: verdicts on many files, with reports for continuous integration."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional

from . import _program
from ._errors import HalidomError
from ._validate import LIMIT

_EXAMPLE = """\
Each FILE is a Python script that defines `pipeline()`, a pipeline that Halide serialized (.hlpipe),
or a program of Halidom's language (.hal). With --reports, each gets NAME.json, NAME.xml (JUnit) and
NAME.sarif. With --baselines, a verdict is accepted if it is no worse than in NAME.json there; a
file without a baseline must be proved.

Exit status: 0 if all are proved or accepted; else the first of 1 (one is refuted), 2 (bad input),
4 (two solvers contradict each other), 3 (one is unknown).

Example: python -m halidom judge --reports reports pipelines/*.py"""

# The statuses, the worst first.
_WORST = (1, 2, 4, 3)


def judge(words: List[str]) -> int:
    """Judge files; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m halidom judge",
        description="Judge files, write reports, and tell the worst verdict.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--reports", type=Path, metavar="DIR", help="the folder for the reports")
    parser.add_argument("--baselines", type=Path, metavar="DIR", help="the recorded verdicts")
    parser.add_argument(
        "--limit",
        type=float,
        default=LIMIT,
        metavar="SECONDS",
        help="the time for the judgement of a file (default: %(default)g)",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    options = parser.parse_args(words)
    if options.reports is not None:
        options.reports.mkdir(parents=True, exist_ok=True)
    files = list({file.resolve(): file for file in options.files}.values())
    try:
        names = _names(files)
    except HalidomError as error:
        print(error, flush=True)
        return 2
    statuses = []
    for file, name in zip(files, names):
        try:
            statuses.append(_one(file, name, options))
        except HalidomError as error:
            print(f"{file}: {error}", flush=True)
            statuses.append(2)
    return next((status for status in _WORST if status in statuses), 0)


def _names(files: List[Path]) -> List[str]:
    """Returns a name for each file's reports, and no name twice: the first of three forms that no
    other file has."""

    def forms(file: Path) -> List[str]:
        folders = ".".join(part for part in file.parts[:-1] if part.strip("./"))
        return [file.stem, file.name, f"{folders}.{file.name}".strip(".")]

    all_forms = [forms(file) for file in files]
    names: List[str] = []
    for own in all_forms:
        others = [form for other in all_forms if other is not own for form in other]
        name = next((form for form in own if form not in others), None)
        if name is None or name in names:
            raise HalidomError(
                f"`{own[1]}` would share its reports with another file: judge them one by one"
            )
        names.append(name)
    return names


def _one(file: Path, name: str, options: Any) -> int:
    words = ["validate", "--limit", str(options.limit), "--json"]
    if file.suffix == ".py":
        words += ["--halide-script", str(file)]
    elif file.suffix == ".hlpipe":
        words += ["--halide", str(file)]
    else:
        words.append(str(file))
    baseline: Optional[Path] = None
    if options.baselines is not None:
        baseline = options.baselines / f"{name}.json"
        if baseline.is_file():
            words += ["--baseline", str(baseline)]
    if options.reports is not None:
        words += ["--junit", str(options.reports / f"{name}.xml")]
        words += ["--sarif", str(options.reports / f"{name}.sarif")]
    with tempfile.TemporaryDirectory(prefix="halidom-") as folder:
        done = subprocess.run(
            [str(_program.executable()), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env={**_program.variables(), "TMPDIR": folder},
        )
    if options.reports is not None:
        (options.reports / f"{name}.json").write_text(done.stdout)
    print(f"{file}: {_said(done.stdout) or done.stderr.strip()}", flush=True)
    # A status without an answer that has it is a defect, and no success.
    return done.returncode if _status(done.stdout) == done.returncode else 2


def _status(text: str) -> Optional[int]:
    """The exit status of an answer with a verdict; of another one, that it is bad input."""
    try:
        answer: Dict[str, Any] = json.loads(text)
    except ValueError:
        return None
    return int(answer["exit"]) if "verdict" in answer else 2


def _said(text: str) -> Optional[str]:
    try:
        answer: Dict[str, Any] = json.loads(text)
    except ValueError:
        return None
    if "statement" in answer:
        accepted = " (accepted by the baseline)" if answer["exit"] == 0 else ""
        return str(answer["statement"]) + (accepted if answer["verdict"] != "proved" else "")
    return "; ".join(str(one.get("message")) for one in answer.get("diagnostics", [])) or None
