"""Judging the kernels that ``torch.compile`` has Halide compile.

::

    import halidom.torch
    import torch._inductor.config

    torch._inductor.config.cpu_backend = "halide"
    with halidom.torch.watch() as kernels:
        torch.compile(model)(x)
    print(kernels)
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, List, Optional

from . import _program, _stock, _verdict, _watch
from ._errors import MissingTool
from ._validate import LIMIT
from ._verdict import Verdict

# A script for `--halide-script`: it builds the pipeline of a kernel, and lets the autoscheduler of
# PyTorch's choice schedule it.
_SCRIPT = '''from pathlib import Path

import halide as hl

{values}


def pipeline():
    names = {{}}
    source = (Path(__file__).parent / "kernel.py").read_text().split("\\nif __name__")[0]
    exec(compile(source, "kernel.py", "exec"), names)
    machine = hl.Target(target)
    if not plugin:
        with hl.GeneratorContext(machine):
            return names["Kernel"]()._build_pipeline()
    hl.load_plugin(plugin)
    parameters = hl.AutoschedulerParams(scheduler, flags)
    with hl.GeneratorContext(machine, parameters):
        made = names["Kernel"]()._build_pipeline()
        made.apply_autoscheduler(machine, parameters)
    return made
'''


def write(cache: Any, meta: Any, source: str, folder: Path) -> Path:
    """Write a kernel and the script that makes its pipeline to a folder; return the script.

    ``cache`` is PyTorch's ``HalideCodeCache``, ``meta`` its ``HalideMeta``, ``source`` the Python
    generator that PyTorch made.
    """
    (folder / "kernel.py").write_text(source)
    plugin = cache.find_libautoschedule(meta.scheduler) if meta.scheduler else None
    flags = {name: str(value) for name, value in (meta.scheduler_flags or {}).items()}
    values = {
        "target": meta.target,
        "plugin": plugin and str(plugin),
        "scheduler": meta.scheduler,
        "flags": flags,
    }
    script = folder / "script.py"
    lines = [f"{name} = {value!r}" for name, value in values.items()]
    script.write_text(_SCRIPT.format(values="\n".join(lines)))
    return script


def promises(meta: Any) -> List[str]:
    """Return what PyTorch's own calls of a kernel keep: the sides of every buffer, as conditions.

    PyTorch has Halide write no assertions, because its callers keep to these.
    """
    sides = []
    for argument in meta.argtypes:
        if argument.is_buffer():
            for dim, (size, stride) in enumerate(zip(argument.shape, argument.stride)):
                extent, step = str(size).rstrip("L"), str(stride).rstrip("L")
                for side, value in (("min", "0"), ("extent", extent), ("stride", step)):
                    sides.append(f"{argument.name}.{side}.{dim} == {value}")
    return sides


def _cache() -> Any:
    """PyTorch's class that compiles kernels by Halide."""
    try:
        from torch._inductor import codecache
    except ImportError:
        raise MissingTool("PyTorch is not installed: `pip install torch`") from None
    return codecache.HalideCodeCache


class Watcher:
    """Judges each kernel that PyTorch compiles by Halide, in the background.

    As a context manager it begins to watch, and waits at the end for all verdicts. What PyTorch
    compiles and runs does not change. A kernel that PyTorch takes from its own caches is not
    compiled, and so not judged. A verdict is on what Halide compiles from the same generator now.
    :class:`str` gives a report.
    """

    def __init__(
        self, *, limit: float = LIMIT, callers: bool = True, jobs: Optional[int] = None
    ) -> None:
        self._cache = _cache()
        self.limit = limit
        self.callers = callers
        #: All kernels in the order of their compiles.
        self.seen: List[_watch.Seen] = []
        self._original: Any = None
        self._stop = threading.Event()
        _stock.installed()
        self._pool = ThreadPoolExecutor(_watch.workers(jobs))
        self._place = Path(tempfile.mkdtemp(prefix="halidom-"))

    def __enter__(self) -> "Watcher":
        self.install()
        return self

    def __exit__(self, kind: Any, *error: object) -> None:
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            self._stop.set()
        self.close()

    def __str__(self) -> str:
        none = "no kernel was compiled by Halide: set `torch._inductor.config.cpu_backend`"
        return "\n".join(_watch.lines(self.seen, "kernels", none))

    def install(self) -> None:
        """Begin to watch."""
        original = vars(self._cache)["generate_halide_async"]
        self._original = original
        watcher = self

        def generate(cache: Any, meta: Any, source: str, *rest: Any, **named: Any) -> Any:
            made = original.__func__(cache, meta, source, *rest, **named)
            watcher._record(meta, source)
            return made

        self._cache.generate_halide_async = classmethod(generate)

    def close(self) -> None:
        """Stop watching, wait for all verdicts, and remove temporary files."""
        if self._original is not None:
            self._cache.generate_halide_async = self._original
            self._original = None
        self._pool.shutdown(wait=True)
        shutil.rmtree(self._place, ignore_errors=True)

    def _record(self, meta: Any, source: str) -> None:
        place = _watch.caller(("halide", "torch"))
        seen = _watch.Seen(f"kernel {len(self.seen)}", place, Future())
        self.seen.append(seen)
        self._pool.submit(self._decide, seen, meta, source)

    def _decide(self, seen: _watch.Seen, meta: Any, source: str) -> None:
        try:
            verdict = self._verdict(meta, source)
        except Exception as error:
            verdict = _watch.undecided(error)
        seen.future.set_result(verdict)

    def _verdict(self, meta: Any, source: str) -> Verdict:
        folder = Path(tempfile.mkdtemp(dir=self._place))
        script = write(self._cache, meta, source, folder)
        replay = folder / "replay"
        words = ["validate", "--halide-script", str(script), "--limit", str(self.limit)]
        words += ["--replay", str(replay)]
        for condition in promises(meta) if self.callers else ():
            words += ["--assume", condition]
        answer = _program.ask(words, limit=self.limit, progress=False, stop=self._stop)
        return _verdict.of(answer, replay if replay.is_dir() else None)


def watch(*, limit: float = LIMIT, callers: bool = True, jobs: Optional[int] = None) -> Watcher:
    """Judge each kernel that ``torch.compile`` has Halide compile, until the context ends.

    ``limit`` is the time for a judgement in seconds, ``jobs`` the number of judgements at a time.
    Verdicts are about PyTorch's own calls, whose shapes and strides they list as conditions;
    without ``callers`` they are about every call.

    Raises :exc:`MissingTool` if PyTorch or Halide is missing.
    """
    return Watcher(limit=limit, callers=callers, jobs=jobs)
