"""The executable ``halidom``: finding it, running it, reading its answers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ._errors import HalidomError, InputError, MissingTool

#: What a job prints with ``--json``.
Answer = Dict[str, Any]

_VARIABLE = "HALIDOM_EXECUTABLE"
# A C compiler, a solver, Halide, a C++ compiler.
_MISSING = ("HAL0705", "HAL0817", "HAL1212")
_LOOK = 0.02
_PATIENCE = 2.0


def _candidates() -> Iterator[Path]:
    # `pip install --target DIR` puts executables into DIR/bin.
    package = Path(__file__).resolve().parent
    yield package.parent / "bin" / "halidom"
    scripts = [sysconfig.get_path("scripts")]
    if hasattr(sysconfig, "get_preferred_scheme"):
        scripts.append(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))
    for folder in scripts:
        if folder:
            yield Path(folder) / "halidom"
    # A checkout: the package is used where it stands.
    yield package.parent.parent / "target" / "release" / "halidom"
    on_path = shutil.which("halidom")
    if on_path:
        yield Path(on_path)


def executable() -> Path:
    """Return the path of the executable ``halidom``.

    The environment variable ``HALIDOM_EXECUTABLE`` can name one. Raises :exc:`MissingTool` if there
    is none.
    """
    named = os.environ.get(_VARIABLE)
    if named:
        if not Path(named).is_file():
            raise MissingTool(f"{_VARIABLE} names `{named}`, which is not a file")
        return Path(named)
    for candidate in _candidates():
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    raise MissingTool(
        "the executable `halidom` is missing: install the package again, or name one with "
        f"{_VARIABLE}"
    )


def version() -> str:
    """Return the version of the executable, such as ``0.1.0``."""
    done = subprocess.run([str(executable()), "--version"], capture_output=True, text=True)
    return done.stdout.split()[-1] if done.returncode == 0 and done.stdout else "unknown"


def cmake_dir() -> str:
    """Return the folder for CMake's ``find_package(Halidom)``: the value of ``Halidom_DIR``."""
    return str(Path(__file__).resolve().parent / "cmake")


def _solver() -> Optional[str]:
    """Z3 of the package ``z3-solver``, wherever pip put it."""
    from importlib import metadata

    try:
        files = metadata.files("z3-solver") or []
    except metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name == "z3" and "bin" in file.parts:
            place = Path(str(file.locate()))
            if place.is_file():
                return str(place.resolve())
    return None


def _compiler() -> Optional[str]:
    """Zig of the package ``ziglang``, which compiles C, if there is no C compiler."""
    if any(shutil.which(name) for name in ("clang-19", "clang", "gcc", "cc")):
        return None
    import importlib.util

    found = importlib.util.find_spec("ziglang")
    for place in (found.submodule_search_locations or []) if found else []:
        zig = Path(place) / "zig"
        if zig.is_file():
            return str(zig)
    return None


def variables() -> Dict[str, str]:
    """The environment for the executable, with the tools that other packages bring."""
    found = dict(os.environ)
    found.setdefault("HALIDOM_PYTHON", sys.executable)
    for name, search in (("HALIDOM_Z3", _solver), ("HALIDOM_CC", _compiler)):
        if name not in found:
            place = search()
            if place is not None:
                found[name] = place
    return found


class _Progress:
    """Shows the time that a long job takes: with tqdm, if it is installed."""

    def __init__(self, title: str, limit: Optional[float], wanted: Optional[bool]) -> None:
        self.begin = time.monotonic()
        self.title = title
        self.limit = limit
        self.bar: Any = None
        self.wanted = sys.stderr is not None and sys.stderr.isatty() if wanted is None else wanted

    def step(self) -> None:
        seconds = time.monotonic() - self.begin
        if not self.wanted or seconds < _PATIENCE:
            return
        if self.bar is None:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self.wanted = False
                print(f"halidom: {self.title} …", file=sys.stderr, flush=True)
                return
            total = None if self.limit is None else round(self.limit)
            self.bar = tqdm(desc=self.title, total=total, unit="s", leave=False)
        self.bar.update(int(seconds) - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def _end(process: subprocess.Popen[str]) -> None:
    """Ends a process and all that it started: solvers, Halide, compilers."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _command(
    words: Sequence[str], folder: Path, progress: _Progress, stop: Optional[threading.Event]
) -> Tuple[int, str, str]:
    out, err = folder / "out.json", folder / "err.txt"
    with open(out, "w") as standard, open(err, "w") as errors:
        process = subprocess.Popen(
            [str(executable()), *words],
            stdin=subprocess.DEVNULL,
            stdout=standard,
            stderr=errors,
            text=True,
            # Temporary files of processes that are ended go away with the folder.
            env={**variables(), "TMPDIR": str(folder)},
            # Ctrl-C reaches this process alone, which then ends the whole group.
            start_new_session=True,
        )
        try:
            pause = _LOOK / 8
            while process.poll() is None:
                time.sleep(pause)
                pause = min(pause * 2, _LOOK)
                progress.step()
                if stop is not None and stop.is_set():
                    raise HalidomError("the judgement was stopped")
        except BaseException:
            _end(process)
            raise
        finally:
            progress.close()
    read = {"encoding": "utf-8", "errors": "replace"}
    return process.returncode, out.read_text(**read), err.read_text(**read)


def ask(
    words: Sequence[str],
    *,
    title: str = "proving",
    limit: Optional[float] = None,
    progress: Optional[bool] = None,
    stop: Optional[threading.Event] = None,
) -> Answer:
    """Run a command with ``--json``; return its answer.

    Raises :exc:`InputError` if the command refuses its input, and :exc:`HalidomError` if it ends in
    another way than documented. On :exc:`KeyboardInterrupt`, or when ``stop`` is set, all processes
    are ended at once.
    """
    with tempfile.TemporaryDirectory(prefix="halidom-") as folder:
        shown = _Progress(title, limit, progress)
        status, out, err = _command([*words, "--json"], Path(folder), shown, stop)
    try:
        answer = json.loads(out)
    except ValueError:
        answer = None
    if not isinstance(answer, dict) or "schema" not in answer:
        said = (err or out).strip()
        if status == 2:
            raise InputError(said)
        raise HalidomError(f"`halidom {words[0]}` ended with status {status}: {said[-2000:]}")
    if answer.get("exit") != status:
        # The process was cut off after it had printed an answer: nobody knows what it would say.
        raise HalidomError(f"`halidom {words[0]}` ended with status {status}: {err[-2000:]}")
    if "verdict" not in answer and status != 0:
        raise _refusal(answer.get("diagnostics", []), status, err)
    return answer


def _refusal(diagnostics: List[Mapping[str, Any]], status: int, err: str) -> HalidomError:
    errors = [one for one in diagnostics if one.get("severity") == "error"]
    if not errors:
        return HalidomError(f"`halidom` ended with status {status}: {err.strip()[-2000:]}")
    first = errors[0]
    message = str(first.get("message"))
    if len(errors) > 1:
        message += f" (the first of {len(errors)} errors)"
    if first.get("code") in _MISSING:
        return MissingTool(f"{message}; {first.get('hint')}")
    known = {key: first.get(key) for key in ("code", "hint", "file", "line", "column")}
    return InputError(message, **known)
