"""Watches the pipelines that a process compiles with Halide, and judges each of them."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from . import _program, _stock, _verdict
from ._errors import HalidomError
from ._validate import LIMIT
from ._verdict import Verdict

#: The file by which a child process hands a pipeline over.
_HANDED = "handed.json"
#: The beginnings of the names of methods that compile.
_COMPILES = ("compile_", "realize")


@dataclass
class Seen:
    """A pipeline that was compiled: the names of its outputs, the place in the user's code, and the
    verdict, once it is there."""

    name: str
    place: str
    future: "Future[Verdict]" = field(repr=False)
    #: The number of times that it was compiled.
    times: int = 1
    #: True if the verdict is that of an earlier run.
    from_cache: bool = False

    def verdict(self) -> Verdict:
        """Wait for the verdict."""
        return self.future.result()


class Watcher:
    """Wraps the methods of Halide's ``Func`` and ``Pipeline`` that compile.

    Each pipeline that was compiled without an error is judged in the background, once for each
    form that it has. What the methods return or raise does not change. A process that was forked
    hands its pipelines over; one that was started anew is not seen.
    """

    def __init__(
        self, *, limit: float = LIMIT, jobs: Optional[int] = None, cached: bool = True
    ) -> None:
        self._halide = _stock.installed()
        self._identity = _identity(limit)
        self.limit = limit
        self.folder = _cache() if cached else None
        #: All pipelines in the order of their first compile.
        self.seen: List[Seen] = []
        #: The time that compiles waited for this object, in seconds.
        self.overhead = 0.0
        self._known: Dict[str, Seen] = {}
        self._latest: List[Seen] = []
        self._originals: List[Tuple[Any, str, Any]] = []
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(workers(jobs))
        self._place = Path(tempfile.mkdtemp(prefix="halidom-"))
        self._process = os.getpid()

    def __enter__(self) -> "Watcher":
        self.install()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def install(self) -> None:
        """Wrap the methods."""
        for kind in (self._halide.Func, self._halide.Pipeline):
            for name in dir(kind):
                if name.startswith(_COMPILES):
                    original = getattr(kind, name)
                    self._originals.append((kind, name, original))
                    setattr(kind, name, self._wrapped(original))

    def uninstall(self) -> None:
        """Give the methods back."""
        for kind, name, original in self._originals:
            setattr(kind, name, original)
        self._originals.clear()

    def is_here(self) -> bool:
        """Tell whether this process watches, and is not one that was forked from it."""
        return os.getpid() == self._process

    def close(self) -> None:
        """Give the methods back, wait for all verdicts, and remove temporary files."""
        self.uninstall()
        if not self.is_here():
            return
        self._adopt()
        self._pool.shutdown(wait=True)
        shutil.rmtree(self._place, ignore_errors=True)

    def abandon(self) -> None:
        """Give the methods back, and end the judgements that are not done."""
        if self.is_here():
            self._stop.set()
        self.close()

    def collected(self) -> List[Seen]:
        """Return the pipelines that were compiled since the last call."""
        if not self.is_here():
            return []
        self._adopt()
        with self._lock:
            found, self._latest = self._latest, []
        return found

    def _wrapped(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def method(thing: Any, *arguments: Any, **named: Any) -> Any:
            result = original(thing, *arguments, **named)
            begin = time.monotonic()
            self._record(thing, [*arguments, *named.values()])
            self.overhead += time.monotonic() - begin
            return result

        return method

    def _record(self, thing: Any, arguments: List[Any]) -> None:
        halide = self._halide
        targets = [one for one in arguments if isinstance(one, halide.Target)]
        for argument in arguments:
            if isinstance(argument, (list, tuple)):
                targets += [one for one in argument if isinstance(one, halide.Target)]
        for target in targets or [None]:
            name, place = "?", caller(("halide",))
            if not self.is_here():
                self._hand(thing, target, place)
                continue
            folder = Path(tempfile.mkdtemp(dir=self._place))
            try:
                pipeline = _stock.pipeline_of(thing)
                name = ", ".join(func.name() for func in pipeline.outputs())
                _stock.write(pipeline, _stock.target_of(target), folder)
                self._note(name, place, self._key(folder), folder)
            except Exception as error:
                # The compile itself went well, and the user's program goes on: what is missing is a
                # way to look at the pipeline.
                self._note(name, place, f"{name} {place} {error}", error)

    def _hand(self, thing: Any, target: Any, place: str) -> None:
        """Hand a pipeline over to the process that watches. There, threads go on, and here none
        does, so nothing is locked or judged."""
        try:
            folder = Path(tempfile.mkdtemp(dir=self._place))
        except OSError:
            # The process that watches has ended.
            return
        told: Dict[str, str] = {"name": "?", "place": place}
        try:
            pipeline = _stock.pipeline_of(thing)
            told["name"] = ", ".join(func.name() for func in pipeline.outputs())
            _stock.write(pipeline, _stock.target_of(target), folder)
        except Exception as error:
            told["error"] = str(error)
        with contextlib.suppress(OSError):
            (folder / "writing").write_text(json.dumps(told))
            # What is handed over is complete.
            (folder / "writing").rename(folder / _HANDED)

    def _adopt(self) -> None:
        """Take over what child processes compiled."""
        for handed in sorted(self._place.glob(f"*/{_HANDED}")):
            told = json.loads(handed.read_text())
            handed.unlink()
            name, place, folder = told["name"], told["place"], handed.parent
            if "error" in told:
                error = HalidomError(told["error"])
                self._note(name, place, f"{name} {place} {error}", error)
            else:
                self._note(name, place, self._key(folder), folder)

    def _note(self, name: str, place: str, key: str, given: Union[Path, Exception]) -> None:
        """Notes a compile, and judges the pipeline in a folder unless it is known."""
        with self._lock:
            known = self._known.get(key)
            fresh = known is None
            if known is None:
                known = self._known[key] = Seen(name, place, Future())
                self.seen.append(known)
            else:
                known.times += 1
            if not any(one is known for one in self._latest):
                self._latest.append(known)
        if isinstance(given, Exception):
            if fresh:
                known.future.set_result(undecided(given))
        elif fresh:
            self._pool.submit(self._decide, known, key, given)
        else:
            shutil.rmtree(given, ignore_errors=True)

    def _key(self, folder: Path) -> str:
        digest = hashlib.sha256(self._identity.encode())
        for name in ("pipeline.hlpipe", "final.stmt", "final.dump", "target.txt"):
            file = folder / name
            digest.update(name.encode())
            if file.is_file():
                digest.update(hashlib.sha256(file.read_bytes()).digest())
        return digest.hexdigest()

    def _decide(self, seen: Seen, key: str, folder: Path) -> None:
        try:
            verdict = self._verdict(seen, key, folder)
        except Exception as error:
            verdict = undecided(error)
        seen.future.set_result(verdict)
        shutil.rmtree(folder, ignore_errors=True)

    def _verdict(self, seen: Seen, key: str, folder: Path) -> Verdict:
        kept = None if self.folder is None else self.folder / f"{key}.json"
        if kept is not None and kept.is_file():
            try:
                verdict = _verdict.of(json.loads(kept.read_text()))
                seen.from_cache = True
                return verdict
            except (OSError, ValueError, HalidomError):
                pass
        replay = folder / "replay"
        words = ["validate", "--halide", str(folder), "--limit", str(self.limit)]
        words += ["--replay", str(replay)]
        answer = _program.ask(words, limit=self.limit, progress=False, stop=self._stop)
        verdict = _verdict.of(answer, replay if replay.is_dir() else None)
        if kept is not None and _lasts(verdict):
            _keep(kept, answer)
        return verdict


def workers(jobs: Optional[int]) -> int:
    """Return the number of judgements at a time: by default, half of the processors do them."""
    return jobs or max((os.cpu_count() or 2) // 2, 1)


def undecided(error: Exception) -> Verdict:
    """Return the verdict on something that could not be judged."""
    reason = " ".join(str(error).split()) or type(error).__name__
    return Verdict("unknown", f"unknown: {reason}", reasons=(reason,))


def _identity(limit: float) -> str:
    """Describes what decides a verdict besides the pipeline: executable, solver and limit."""
    words = [str(limit)]
    solver = _program.variables().get("HALIDOM_Z3") or shutil.which("z3")
    for path in (str(_program.executable()), solver):
        if path is not None and os.path.isfile(path):
            about = os.stat(path)
            words.append(f"{path} {about.st_size} {about.st_mtime_ns}")
    return "\n".join(words)


def _lasts(verdict: Verdict) -> bool:
    """Tells whether the verdict would be the same again: a refutation has arrays, which are not
    kept, and what was cut off may be decided on a faster machine."""
    if verdict.proved:
        return True
    return verdict.unknown and all(cause.code not in _LATE for cause in verdict.causes)


# The codes of reasons that depend on time: a solver without an answer, a judgement without an end.
_LATE = ("HAL1315", "HAL1324")


def _cache() -> Optional[Path]:
    """The user's own folder for verdicts; nothing if it belongs to somebody else."""
    base = os.environ.get("HALIDOM_CACHE")
    if not base:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        base = os.path.join(home, "halidom")
    folder = Path(base) / "verdicts"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = folder.stat()
        # Somebody else could write a proof.
        if about.st_uid != os.getuid():
            return None
        folder.chmod(0o700)
    except OSError:
        return None
    return folder


def _keep(path: Path, answer: Any) -> None:
    try:
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w") as file:
            json.dump(answer, file)
        os.replace(name, path)
    except OSError:
        pass


def caller(packages: Tuple[str, ...]) -> str:
    """Return the place in the user's code: the innermost frame outside of these packages and of
    this one."""
    own = os.path.dirname(os.path.abspath(__file__))
    frame: Any = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not os.path.abspath(file).startswith(own) and not file.startswith("<"):
            module = str(frame.f_globals.get("__name__") or "")
            if module.split(".")[0] not in packages:
                return f"{file}:{frame.f_lineno}"
        frame = frame.f_back
    return "?"


def summary(seen: List[Seen]) -> Tuple[Dict[str, int], List[Tuple[Seen, Verdict]]]:
    """Count the verdicts by their words, and list what is not proved."""
    counts = {"proved": 0, "refuted": 0, "unknown": 0, "nothing": 0}
    rest = []
    for one in seen:
        verdict = one.verdict()
        counts[verdict.word] = counts.get(verdict.word, 0) + 1
        if not verdict.proved:
            rest.append((one, verdict))
    return counts, rest


def lines(
    seen: List[Seen], what: str = "pipelines", none: str = "no pipeline was compiled"
) -> List[str]:
    """Describe the verdicts on all pipelines, the worst ones first."""
    counts, rest = summary(seen)
    rest.sort(key=lambda pair: not pair[1].refuted)
    told = []
    for one, verdict in rest:
        told.append(f"{one.place}: {one.name}: {verdict.statement}")
        if verdict.counterexample is not None:
            told += [f"    {line}" for line in str(verdict.counterexample).splitlines()]
        told += [f"    {cause}" for cause in verdict.causes[:2]]
    parts = [f"{count} {word}" for word, count in counts.items() if count]
    kept = sum(one.from_cache for one in seen)
    cached = f"; {kept} of the verdicts from an earlier run" if kept else ""
    total = f"{len(seen)} {what}: {', '.join(parts)}{cached}"
    told.append(total if seen else none)
    return told
