"""The pytest plugin, and `python -m halidom`."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import halidom

RIGHT = """
import halide as hl

def make():
    x = hl.Var("x")
    right = hl.Func("right")
    right[x] = hl.u8(x) * 2
    return right
"""


# `pytester` sets another home.
USERS_CACHE = Path.home() / ".cache/halidom"


def cache(folder):
    """Makes a cache without verdicts, which has the programs that the user's cache has."""
    folder.mkdir(exist_ok=True)
    for program in USERS_CACHE.glob("halide-bridge-*/"):
        shutil.copytree(program, folder / program.name)
    return folder


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    """A cache for the tests that are not about judging: each pipeline is judged once."""
    return cache(tmp_path_factory.mktemp("kept"))


@pytest.fixture
def variables(root, kept, monkeypatch):
    path = f"{root / 'python'}{os.pathsep}{root / 'tests/halide/miscompiled'}"
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("HALIDOM_CACHE", str(kept))
    # The bridge stays where it was compiled.
    monkeypatch.setenv("HALIDOM_EXECUTABLE", str(halidom.executable()))
    return {**os.environ}


def suite(pytester):
    pytester.makepyfile(
        made=RIGHT,
        test_sample="""
        import made

        def test_right():
            func = made.make()
            for size in (10, 20):
                assert func.realize([size])[3] == 6

        def test_nothing():
            pass

        def test_error():
            func = made.make()
            try:
                func.realize([1, 2])
            except Exception:
                pass
        """,
        test_wrong="""
        import blend_twice

        def test_wrong():
            func = blend_twice.pipeline()
            func.compile_to_callable(func.infer_arguments())
        """,
        test_unknown="""
        import halide as hl

        def test_unknown():
            x = hl.Var("x")
            source = hl.ImageParam(hl.UInt(8), 1, "source")
            twice, out = hl.Func("twice"), hl.Func("out")
            twice[x] = 2 * hl.u16(source[x])
            out[x] = twice[16 * x]
            twice.compute_root()
            out.compile_jit()
        """,
    )


@pytest.fixture
def fresh(tmp_path, variables, monkeypatch):
    """A cache without verdicts."""
    folder = cache(tmp_path / "cache")
    monkeypatch.setenv("HALIDOM_CACHE", str(folder))
    return folder


PLUGIN = ("-p", "halidom.pytest_plugin", "-p", "no:cacheprovider")


def run(pytester, *words):
    return pytester.runpytest_subprocess(*PLUGIN, *words)


def test_without_the_option_nothing_happens(pytester, variables):
    pytester.makepyfile("import sys\ndef test(): assert 'halide' not in sys.modules")
    result = run(pytester)
    result.assert_outcomes(passed=1)
    assert "halidom" not in "".join(result.outlines[-3:])


def test_every_compile_is_judged(halide, pytester, fresh):
    suite(pytester)
    result = run(pytester, "--halidom", "--junitxml=report.xml")
    result.assert_outcomes(passed=4, failed=1)
    text = result.stdout.str()
    assert "3 pipelines in 3 tests: 1 proved, 1 refuted, 1 unknown" in text
    assert "partitioning loops" in text
    report = (pytester.path / "report.xml").read_text()
    assert 'name="halidom"' in report and "proved" in report
    again = run(pytester, "--halidom", "test_sample.py", "test_unknown.py")
    assert "verdicts from the cache: 100 %" in again.stdout.str()


@pytest.mark.sweep
def test_compiles_around_tests_count(halide, pytester, variables):
    pytester.makepyfile(
        made=RIGHT,
        test_fixture="""
        import blend_twice
        import made
        import pytest

        made.make().compile_jit()

        @pytest.fixture
        def compiled():
            func = blend_twice.pipeline()
            func.compile_to_callable(func.infer_arguments())

        @pytest.fixture
        def torn_down():
            yield
            func = blend_twice.pipeline()
            func.compile_to_callable(func.infer_arguments())

        def test_one(compiled):
            pass

        def test_two(torn_down):
            pass
        """,
        test_module="""
        import blend_twice

        func = blend_twice.pipeline()
        func.compile_to_callable(func.infer_arguments())

        def test():
            pass
        """,
    )
    result = run(pytester, "--halidom", "test_fixture.py")
    result.assert_outcomes(passed=1, errors=2)
    assert "3 pipelines in 3 tests: 1 proved, 2 refuted" in result.stdout.str()
    result = run(pytester, "--halidom", "test_module.py")
    result.assert_outcomes(passed=1)
    assert result.ret == 1 and "outside of tests: out" in result.stdout.str()


def test_skipping_hides_no_verdict(halide, pytester, variables):
    pytester.makepyfile(
        test_skipped="""
        import unittest

        import blend_twice
        import pytest

        def test_skipped():
            func = blend_twice.pipeline()
            func.compile_to_callable(func.infer_arguments())
            pytest.skip("not today")

        def test_also_skipped():
            pytest.skip("not today")

        class TestSkipped(unittest.TestCase):
            def test_by_method(self):
                func = blend_twice.pipeline()
                func.compile_to_callable(func.infer_arguments())
                self.skipTest("not today")

            def test_by_exception(self):
                func = blend_twice.pipeline()
                func.compile_to_callable(func.infer_arguments())
                raise unittest.SkipTest("not today")

        @pytest.mark.xfail
        def test_expected():
            func = blend_twice.pipeline()
            func.compile_to_callable(func.infer_arguments())
        """,
    )
    result = run(pytester, "--halidom", "test_skipped.py")
    result.assert_outcomes(failed=3, skipped=1, xfailed=1)
    assert result.ret == 1


def test_other_processes_tell_what_they_saw_outside_of_tests(pytester):
    """What pytest-xdist does, which need not be installed."""
    from types import SimpleNamespace

    from halidom.pytest_plugin import _Judge

    record = {"name": "out", "place": "here", "verdict": "refuted", "cached": False}
    watcher = SimpleNamespace(collected=lambda: [])
    worker, judge = _Judge(watcher, False), _Judge(watcher, False)
    worker.told["outside of tests"] = [record]
    config = SimpleNamespace(workeroutput={})
    worker.pytest_sessionfinish(SimpleNamespace(exitstatus=0, config=config))
    judge.pytest_testnodedown(SimpleNamespace(workeroutput=dict(config.workeroutput)))
    again = {"halidom": json.dumps([{**record, "cached": True}])}
    judge.pytest_testnodedown(SimpleNamespace(workeroutput=again))
    assert judge.told == {"outside of tests": [record]}
    session = SimpleNamespace(exitstatus=0, config=SimpleNamespace())
    judge.pytest_sessionfinish(session)
    assert session.exitstatus == 1


def test_what_cannot_be_looked_at_is_unknown(halide, pytester, fresh, monkeypatch):
    monkeypatch.setenv("HALIDOM_EXECUTABLE", "/bin/false")
    suite(pytester)
    result = run(pytester, "--halidom", "test_sample.py")
    result.assert_outcomes(passed=3)
    assert "1 pipelines in 1 tests: 1 unknown" in result.stdout.str()


def test_strict_fails_on_unknown(halide, pytester, variables):
    suite(pytester)
    run(pytester, "--halidom=strict", "test_unknown.py").assert_outcomes(failed=1)
    run(pytester, "--halidom=strict", "test_sample.py").assert_outcomes(passed=3)


@pytest.mark.sweep
def test_the_cache_is_private(halide, pytester, fresh):
    suite(pytester)
    run(pytester, "--halidom", "test_sample.py")
    folder = fresh / "verdicts"
    assert folder.stat().st_mode & 0o777 == 0o700
    kept = list(folder.glob("*.json"))
    assert len(kept) == 1 and json.loads(kept[0].read_text())["verdict"] == "proved"
    kept[0].write_text("{ cut")
    result = run(pytester, "--halidom", "test_sample.py")
    assert "1 proved" in result.stdout.str() and "cache: 0 %" in result.stdout.str()


SCRIPT = """
import sys
import made
print("begins", sys.argv[1:])
func = made.make()
func.realize([10])
func.realize([20])
sys.exit(int(sys.argv[1]))
"""


def watch(folder, variables, *words):
    command = [sys.executable, "-m", "halidom", "watch", *words]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)


@pytest.mark.sweep
def test_forked_processes_are_watched(halide, tmp_path, variables):
    (tmp_path / "forks.py").write_text(
        textwrap.dedent(
            """
            import os
            import blend_twice

            def compiled():
                func = blend_twice.pipeline()
                func.compile_to_callable(func.infer_arguments())

            child = os.fork()
            if child == 0:
                compiled()
                END
            os.waitpid(child, 0)
            """
        )
    )
    script = (tmp_path / "forks.py").read_text()
    for end in ("os._exit(0)", "raise SystemExit(0)"):
        (tmp_path / "forks.py").write_text(script.replace("END", end))
        done = watch(tmp_path, variables, "forks.py")
        assert done.returncode == 1 and done.stderr.count("1 refuted") == 1, done.stderr


def test_scripts_are_watched(halide, tmp_path, variables):
    (tmp_path / "made.py").write_text(RIGHT)
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT))
    done = watch(tmp_path, variables, "script.py", "0", "more")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "begins ['0', 'more']\n"
    assert "1 proved" in done.stderr
    assert watch(tmp_path, variables, "script.py", "7").returncode == 7
    (tmp_path / "wrong.py").write_text(
        "import blend_twice\nfunc = blend_twice.pipeline()\n"
        "func.compile_to_callable(func.infer_arguments())\n"
    )
    done = watch(tmp_path, variables, "wrong.py")
    assert done.returncode == 1 and "wrong.py:3: out: refuted" in done.stderr
    (tmp_path / "raises.py").write_text("raise KeyError('told')\n")
    done = watch(tmp_path, variables, "raises.py")
    assert done.returncode == 1 and "KeyError: 'told'" in done.stderr
    (tmp_path / "nothing.py").write_text("print('done')\n")
    done = watch(tmp_path, variables, "nothing.py")
    assert done.returncode == 0 and "no pipeline was compiled" in done.stderr
    assert watch(tmp_path, variables, "--strict", "nothing.py").returncode == 2
    done = watch(tmp_path, variables, "missing.py")
    assert done.returncode == 2 and "not a file" in done.stderr


def test_other_commands_are_the_executables(variables):
    command = [sys.executable, "-m", "halidom", "--version"]
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("halidom ")
