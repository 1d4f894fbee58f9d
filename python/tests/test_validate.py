"""Verdicts on live pipelines and on files."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest

import halidom


def blur(halide):
    x, y = halide.vars("x y")
    source = halide.ImageParam(halide.UInt(8), 2, "source")
    func = halide.Func("blur")
    func[x, y] = (halide.u16(source[x, y]) + halide.u16(source[x + 1, y])) / 2
    func.vectorize(x, 16)
    return func


def test_a_live_func_is_proved(halide):
    verdict = halidom.validate(blur(halide))
    assert verdict.proved and not verdict.refuted and not verdict.unknown
    assert verdict.word == "proved" and str(verdict).startswith("proved: ")
    assert {one.name for one in verdict.conditions} >= {"size-limits"}
    assert all(one.words and one.anchor for one in verdict.conditions)
    assert verdict.obligations["proved"] > 10 and verdict.obligations["unknown"] == 0
    assert verdict.axioms == () and verdict.counterexample is None


def test_constraints_of_a_live_func_count(halide):
    """A pipeline file lacks them, so the code that refutes is that of the live Func."""
    x = halide.Var("x")
    source = halide.ImageParam(halide.Int(8), 1, "source")
    other = halide.ImageParam(halide.UInt(8), 1, "other")
    source.dim(0).set_bounds(0, 64)
    right, wrong = halide.Func("right"), halide.Func("wrong")
    right[x] = halide.i16(source[x]) + 1
    assert halidom.validate(right).proved
    wrong[x] = halide.i16(source[x]) - halide.i16(halide.u8(halide.i16(other[x]) * halide.i16(-1)))
    wrong.vectorize(x, 16, halide.TailStrategy.RoundUp)
    assert halidom.validate(wrong).refuted


def test_lists_and_pipelines_are_judged(halide):
    x = halide.Var("x")
    one, two = halide.Func("one"), halide.Func("two")
    one[x] = x
    two[x] = 2 * x
    assert halidom.validate([one, two]).proved
    assert halidom.validate(halide.Pipeline([one, two])).proved
    assert halidom.validate(one, outputs=[two]).proved
    target = halide.get_host_target().with_feature(halide.TargetFeature.JIT)
    assert halidom.validate(one, target=target).proved
    assert halidom.validate(one, target="x86-64-linux").proved


def test_a_wrong_pipeline_is_refuted_with_arrays(wrong):
    verdict = halidom.validate(wrong())
    assert verdict.refuted
    found = verdict.counterexample
    assert found.guilty_pass == "partitioning loops"
    assert found["width"] == found.parameters["width"]
    assert list(found) == list(found.keys()) == ["width"]
    (expected,), (got,) = found.expected, found.got
    assert isinstance(got, numpy.ndarray) and expected.shape == got.shape
    assert (expected != got).any()
    assert "partitioning loops" in verdict.explanation()
    with pytest.raises(halidom.Refuted) as raised:
        halidom.assert_proved(wrong())
    assert raised.value.verdict.counterexample.guilty_pass == "partitioning loops"
    assert isinstance(raised.value, AssertionError)


def test_an_unknown_verdict_has_reasons(halide):
    x = halide.Var("x")
    source = halide.ImageParam(halide.UInt(8), 1, "source")
    twice, out = halide.Func("twice"), halide.Func("out")
    twice[x] = 2 * halide.u16(source[x])
    out[x] = twice[16 * x]
    twice.compute_root()
    verdict = halidom.validate(out)
    assert verdict.unknown and verdict.reasons and verdict.causes
    assert verdict.causes[0].code == "HAL1312" and verdict.causes[0].advice
    with pytest.raises(halidom.Unknown):
        halidom.assert_proved(out)
    # Halide numbers names that were used before in this process.
    low, size = f"{out.name()}.min.0", f"{out.name()}.extent.0"
    near = [f"{size} <= 100000", f"(-100000 <= {low}) && ({low} <= 100000)"]
    promised = halidom.validate(out, assume=near)
    assert promised.proved
    assert any(one.origin == "contract" for one in promised.conditions)


def test_a_verdict_is_no_truth_value(halide):
    with pytest.raises(TypeError, match="ask `verdict.proved`"):
        bool(halidom.validate(blur(halide)))


@pytest.mark.sweep
def test_the_report_for_notebooks_escapes_names(halide, wrong):
    page = halidom.validate(wrong())._repr_html_()
    assert "refuted" in page and "partitioning loops" in page and "<table>" in page
    x = halide.Var("x")
    func = halide.Func("<script>")
    func[x] = x
    assert "<script>" not in halidom.validate(func)._repr_html_()


def test_files_are_judged(root):
    verdict = halidom.validate(root / "examples/blur.hal")
    assert verdict.proved and set(verdict.parts) >= {"default", "tiled"}
    assert verdict.parts["tiled"].proved
    assert halidom.validate(str(root / "examples/blur.hal"), schedule="tiled").proved


def test_scripts_are_judged(halide, root):
    script = root / "tests/halide/pipelines/ring_buffer.py"
    assert halidom.validate(script).proved


@pytest.mark.parametrize("thing", [3, None, [], [3], object()])
def test_other_things_are_refused(thing):
    with pytest.raises(halidom.ArgumentError, match="cannot be judged"):
        halidom.validate(thing)


def test_funcs_without_a_definition_are_refused(halide):
    with pytest.raises(halidom.ArgumentError, match="no definition"):
        halidom.validate(halide.Func("empty"))


def test_pipelines_that_halide_refuses_are_refused(halide):
    x = halide.Var("x")
    func, out = halide.Func("inner"), halide.Func("outer")
    func[x] = x
    out[x] = func[x]
    func.compute_at(func, x)
    with pytest.raises(halidom.InputError, match="Halide does not compile"):
        halidom.validate(out)


def test_bad_files_are_refused(tmp_path):
    with pytest.raises(halidom.InputError) as raised:
        halidom.validate(tmp_path / "missing.hal")
    assert raised.value.code == "HAL0801" and raised.value.hint
    bad = tmp_path / "bad.hal"
    bad.write_text("pipeline p() -> q: buffer<u8, 1> { func q(x) = r; }")
    with pytest.raises(halidom.InputError) as raised:
        halidom.validate(bad)
    assert raised.value.line == 1 and raised.value.file.endswith("bad.hal")


def test_judging_changes_nothing_of_the_pipeline(halide):
    x = halide.Var("x")
    func = halide.Func("ramp")
    func[x] = 3 * x
    func.vectorize(x, 8, tail=halide.TailStrategy.GuardWithIf)
    before = str(func.value()), [one.name() for one in func.args()]
    assert halidom.validate(func).proved and halidom.validate(func).proved
    assert (str(func.value()), [one.name() for one in func.args()]) == before
    # The schedule can still be changed, and the result is what it was.
    func.unroll(x, 2, halide.TailStrategy.GuardWithIf)
    assert [func.realize([9])[k] for k in range(9)] == [3 * k for k in range(9)]


@pytest.mark.sweep
def test_threads_judge_at_once(halide):
    words = []

    def judge():
        words.append(halidom.validate(blur(halide)).word)

    threads = [threading.Thread(target=judge) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert words == ["proved"] * 4


SLOW = """
import sys
sys.path.insert(0, {path!r})
import halidom
print("begun", flush=True)
try:
    halidom.validate({file!r}, limit=300)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def children(of):
    told = subprocess.run(["ps", "-eo", "pid,ppid,comm"], capture_output=True, text=True).stdout
    rows = [line.split(None, 2) for line in told.splitlines()[1:]]
    return [(pid, name) for pid, parent, name in rows if parent == str(of)]


def test_an_interrupt_ends_all_processes(root):
    program = SLOW.format(path=str(root / "python"), file=str(root / "examples/harris.hal"))
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=variables
    )
    assert process.stdout.readline() == "begun\n"
    deadline = time.monotonic() + 20
    own = []
    while not own and time.monotonic() < deadline:
        own = [pid for pid, name in children(process.pid) if name.startswith("halidom")]
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20)[0] == "interrupted\n"
    for pid in own:
        assert not os.path.exists(f"/proc/{pid}")


def test_a_missing_executable_is_told(monkeypatch):
    monkeypatch.setenv("HALIDOM_EXECUTABLE", "/nowhere/halidom")
    with pytest.raises(halidom.MissingTool, match="/nowhere/halidom"):
        halidom.executable()


# What an executable prints, and how it ends, that is no proof.
NO_PROOFS = {
    "a proof, and another status": ('"exit": 0, "verdict": "proved", "shown": 3', "exit 3"),
    "a proof, and a crash": ('"exit": 0, "verdict": "proved", "shown": 3', "kill -9 $$"),
    "a proof of nothing": ('"exit": 0, "verdict": "proved", "shown": 0', "exit 0"),
    "a proof that counts nothing": ('"exit": 0, "verdict": "proved"', "exit 0"),
    "no verdict": ('"exit": 0', "exit 0"),
    "another word": ('"exit": 0, "verdict": "splendid"', "exit 0"),
}


@pytest.mark.parametrize("name", NO_PROOFS)
def test_only_a_proof_is_a_proof(name, root, tmp_path, monkeypatch):
    keys, end = NO_PROOFS[name]
    fake = tmp_path / "halidom"
    fake.write_text(f"#!/bin/sh\necho '{{\"schema\": \"halidom-verdict-1\", {keys}}}'\n{end}\n")
    fake.chmod(0o755)
    monkeypatch.setenv("HALIDOM_EXECUTABLE", str(fake))
    with pytest.raises(halidom.HalidomError):
        halidom.assert_proved(root / "examples/blur.hal")
