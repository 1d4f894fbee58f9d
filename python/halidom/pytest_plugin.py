"""``pytest --halidom``: judges every pipeline that a test compiles with Halide.

A test fails if a pipeline of it is refuted, and with ``--halidom=strict`` also if one is not
proved. Halide is imported only if the option is given.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, Generator, List, Optional, Tuple

import pytest

if TYPE_CHECKING:
    from ._watch import Seen, Watcher

_PROPERTY = "halidom"


def pytest_addoption(parser: Any) -> None:
    """Add the options."""
    group = parser.getgroup("halidom", "judging what Halide compiles")
    group.addoption(
        "--halidom",
        dest="halidom",
        action="store_const",
        const="report",
        help="judge every pipeline that a test compiles; refuted ones fail the test",
    )
    # The name has the value: an optional value would take a path that follows.
    group.addoption(
        "--halidom=strict",
        dest="halidom",
        action="store_const",
        const="strict",
        help="the same; pipelines that are not proved fail the test too",
    )
    group.addoption(
        "--halidom-limit",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="the time for the judgement of a pipeline (default: 60)",
    )
    group.addoption(
        "--halidom-no-cache",
        action="store_true",
        help="judge again what was judged before",
    )


def pytest_configure(config: Any) -> None:
    """Wrap Halide's methods, if asked to."""
    mode = config.getoption("halidom")
    if not mode:
        return
    from . import _watch
    from ._errors import HalidomError

    try:
        watcher = _watch.Watcher(
            limit=config.getoption("halidom_limit"),
            cached=not config.getoption("halidom_no_cache"),
        )
    except HalidomError as error:
        raise pytest.UsageError(f"--halidom: {error}") from None
    watcher.install()
    config.pluginmanager.register(_Judge(watcher, mode == "strict"), "halidom-judge")


class _Judge:
    """Judges the pipelines of each test when it ends."""

    def __init__(self, watcher: "Watcher", strict: bool) -> None:
        self.watcher = watcher
        self.strict = strict
        self.told: Dict[str, List[Dict[str, Any]]] = {}
        self.overhead: Dict[str, float] = {}
        self.waited = 0.0

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: Any) -> Generator[None, Any, None]:
        """Run a test, and fail it if a pipeline of it is wrong."""
        import time

        self.watcher.begin()
        outcome = yield
        found = self.watcher.collected()
        begin = time.monotonic()
        records = [_record(one) for one in found]
        self.waited += time.monotonic() - begin
        if records:
            item.user_properties.append((_PROPERTY, json.dumps(records)))
        if outcome.excinfo is not None:
            return
        bad = [one for one in records if one["verdict"] == "refuted"]
        if self.strict:
            bad = [one for one in records if one["verdict"] != "proved"]
        if bad:
            words = "\n".join(f"{one['place']}: {one['name']}: {one['text']}" for one in bad)
            try:
                pytest.fail(words, pytrace=False)
            except BaseException as failed:
                outcome.force_exception(failed)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Collect what was found, also by other processes."""
        if report.when != "call":
            return
        for name, value in report.user_properties:
            if name == _PROPERTY:
                self.told[report.nodeid] = json.loads(value)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the verdicts."""
        records = [(test, one) for test, several in self.told.items() for one in several]
        terminalreporter.section("halidom")
        for word in ("refuted", "unknown", "nothing"):
            for test, one in records:
                if one["verdict"] == word:
                    terminalreporter.write_line(f"{test}: {one['name']}: {one['statement']}")
        counts = [
            f"{number} {word}"
            for word in ("proved", "refuted", "unknown", "nothing")
            if (number := sum(one["verdict"] == word for _, one in records))
        ]
        kept = sum(one["cached"] for _, one in records)
        rate = f"{100 * kept / len(records):.0f} %" if records else "none"
        terminalreporter.write_line(
            f"{len(records)} pipelines in {len(self.told)} tests: {', '.join(counts) or 'none'}"
        )
        terminalreporter.write_line(
            f"verdicts from the cache: {rate}; time: {self.watcher.overhead:.1f} s to look at "
            f"pipelines, {self.waited:.1f} s to wait for verdicts"
        )

    def pytest_unconfigure(self) -> None:
        """Give Halide's methods back."""
        self.watcher.abandon()


def _record(seen: "Seen") -> Dict[str, Any]:
    verdict = seen.verdict()
    return {
        "name": seen.name,
        "place": seen.place,
        "verdict": verdict.word,
        "statement": verdict.statement,
        "text": verdict.explanation(),
        "cached": seen.from_cache,
    }
