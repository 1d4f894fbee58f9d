"""``pytest --halidom``: judges every pipeline that a test compiles with Halide.

A test fails if a pipeline of it is refuted, and with ``--halidom=strict`` also if one is not
proved. Halide is imported only if the option is given.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Dict, Generator, List

import pytest

if TYPE_CHECKING:
    from ._watch import Seen, Watcher

_PROPERTY = "halidom"
#: The place of what was compiled outside of tests.
_OUTSIDE = "outside of tests"


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
    """Judges the pipelines of each test: those of its set-up, of its call and of its teardown."""

    def __init__(self, watcher: "Watcher", strict: bool) -> None:
        self.watcher = watcher
        self.strict = strict
        self.told: Dict[str, List[Dict[str, Any]]] = {}
        #: What the present phase of a test has to say against it.
        self.words = ""
        self.waited = 0.0

    def pytest_collection_finish(self) -> None:
        """Judge what modules compiled when they were imported."""
        records = self.collected()
        if records:
            self.told[_OUTSIDE] = records

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_setup(self, item: Any) -> Generator[None, Any, None]:
        """Set a test up, and fail it if a pipeline of that is wrong."""
        self.judge(item, (yield))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: Any) -> Generator[None, Any, None]:
        """Run a test, and fail it if a pipeline of it is wrong."""
        self.judge(item, (yield))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_teardown(self, item: Any) -> Generator[None, Any, None]:
        """Tear a test down, and fail it if a pipeline of that is wrong."""
        self.judge(item, (yield))

    def collected(self) -> List[Dict[str, Any]]:
        """Wait for the verdicts on what was compiled since the last call."""
        begin = time.monotonic()
        records = [_record(one) for one in self.watcher.collected()]
        self.waited += time.monotonic() - begin
        return records

    def is_bad(self, record: Dict[str, Any]) -> bool:
        """Tell whether a verdict fails a test."""
        verdict = record["verdict"]
        return bool(verdict != "proved" if self.strict else verdict == "refuted")

    def judge(self, item: Any, outcome: Any) -> None:
        """Judge what a phase of a test compiled; fail the phase if it has not failed already."""
        records = self.collected()
        if records:
            item.user_properties.append((_PROPERTY, json.dumps(records)))
        bad = [one for one in records if self.is_bad(one)]
        self.words = "\n".join(f"{one['place']}: {one['name']}: {one['text']}" for one in bad)
        if bad and outcome.excinfo is None:
            try:
                pytest.fail(self.words, pytrace=False)
            except BaseException as failed:
                outcome.force_exception(failed)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, None]:
        """Fail a test that skips although a pipeline of it is wrong. A test that is expected to
        fail may do so because of a verdict."""
        outcome = yield
        report = outcome.get_result()
        if self.words and not report.failed and not hasattr(report, "wasxfail"):
            report.outcome, report.longrepr = "failed", self.words

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Collect what was found, also by other processes. The last phase tells of all."""
        if report.when == "teardown":
            for name, value in report.user_properties:
                if name == _PROPERTY:
                    self.told.setdefault(report.nodeid, []).extend(json.loads(value))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a process of pytest-xdist found outside of tests."""
        outside = self.told.setdefault(_OUTSIDE, [])
        # Each process imports the modules, and may find a verdict in the cache.
        known = [{**one, "cached": None} for one in outside]
        for one in json.loads(getattr(node, "workeroutput", {}).get(_PROPERTY, "[]")):
            if {**one, "cached": None} not in known:
                known.append({**one, "cached": None})
                outside.append(one)

    def pytest_sessionfinish(self, session: Any) -> None:
        """Fail if a pipeline outside of tests is wrong."""
        outside = self.told.setdefault(_OUTSIDE, [])
        outside.extend(self.collected())
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[_PROPERTY] = json.dumps(outside)
        if any(map(self.is_bad, outside)) and session.exitstatus == 0:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the verdicts."""
        records = [(test, one) for test, several in self.told.items() for one in several]
        tests = sum(bool(several) for several in self.told.values())
        terminalreporter.section("halidom")
        for word in ("refuted", "unknown", "nothing"):
            for test, one in records:
                if one["verdict"] == word:
                    terminalreporter.write_line(f"{test}: {one['name']}: {one['statement']}")
        words = [one["verdict"] for _, one in records]
        counts = [f"{words.count(word)} {word}" for word in dict.fromkeys(sorted(words))]
        told = f"{len(records)} pipelines in {tests} tests: {', '.join(counts)}"
        terminalreporter.write_line(told if records else "no pipeline was compiled")
        kept = 100 * sum(one["cached"] for _, one in records) / max(len(records), 1)
        terminalreporter.write_line(
            f"verdicts from the cache: {kept:.0f} %; time: {self.watcher.overhead:.1f} s to look "
            f"at pipelines, {self.waited:.1f} s to wait for verdicts"
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
