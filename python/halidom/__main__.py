"""``python -m halidom``: the command line, ``watch``, ``judge`` and ``stream``."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from typing import List

from . import _judge, _program, _stream, _watch
from ._errors import HalidomError
from ._validate import LIMIT

_EXAMPLE = """\
The script runs as it would without this command, with the same output. A summary on standard error
follows. Exit status: the script's if it is not 0; else 1 if a pipeline is refuted; with --strict, 3
if one is not proved, and 2 if none was compiled; else 0.

Example: python -m halidom watch blur.py --size 640"""


def watch(words: List[str]) -> int:
    """Run a script, and judge every pipeline that it compiles."""
    parser = argparse.ArgumentParser(
        prog="python -m halidom watch",
        description="Run a Python script, and judge every pipeline that it compiles with Halide.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--strict", action="store_true", help="fail if a pipeline is not proved")
    parser.add_argument(
        "--limit",
        type=float,
        default=LIMIT,
        metavar="SECONDS",
        help="the time for the judgement of a pipeline (default: %(default)g)",
    )
    parser.add_argument(
        "--no-cache", action="store_true", help="judge again what was judged before"
    )
    parser.add_argument("script", help="the script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(words)
    if not os.path.isfile(options.script):
        parser.error(f"`{options.script}` is not a file")
    try:
        watcher = _watch.Watcher(limit=options.limit, cached=not options.no_cache)
    except HalidomError as error:
        print(f"halidom: {error}", file=sys.stderr)
        return 2
    status = 0
    sys.argv = [options.script, *options.arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.script)))
    watcher.install()
    try:
        runpy.run_path(options.script, run_name="__main__")
    except SystemExit as ended:
        code = ended.code
        if isinstance(code, str):
            print(code, file=sys.stderr)
        status = code if isinstance(code, int) else 0 if code is None else 1
    except KeyboardInterrupt:
        watcher.abandon()
        raise
    except BaseException as error:
        # As Python itself reports it.
        sys.excepthook(type(error), error, error.__traceback__)
        status = 1
    sys.stdout.flush()
    watcher.close()
    if not watcher.is_here():
        # A process that the script forked, and that ends as the script does.
        return status
    for line in _watch.lines(watcher.seen):
        print(f"halidom: {line}", file=sys.stderr)
    if status != 0:
        return status
    counts, rest = _watch.summary(watcher.seen)
    if counts["refuted"]:
        return 1
    if not options.strict:
        return 0
    return 3 if rest else 0 if watcher.seen else 2


def main() -> int:
    """Do as the arguments of this process say."""
    words = sys.argv[1:]
    if words[:1] == ["watch"]:
        return watch(words[1:])
    if words[:1] == ["judge"]:
        return _judge.judge(words[1:])
    if words[:1] == ["stream"]:
        return _stream.main(words[1:])
    try:
        program = str(_program.executable())
        variables = _program.variables()
    except HalidomError as error:
        print(f"halidom: {error}", file=sys.stderr)
        return 2
    os.execve(program, [program, *words], variables)


if __name__ == "__main__":
    sys.exit(main())
