"""`python -m halidom judge`, the action and the hook."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import halidom
from halidom._errors import HalidomError
from halidom._judge import _names


@pytest.fixture
def place(halide, root, tmp_path, monkeypatch):
    """A folder with a right pipeline and a wrong one."""
    monkeypatch.setenv("PYTHONPATH", str(root / "python"))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("HALIDOM_EXECUTABLE", str(halidom.executable()))
    (tmp_path / "pipelines").mkdir()
    shutil.copy(root / "tests/halide/pipelines/ring_buffer.py", tmp_path / "pipelines/right.py")
    shutil.copy(root / "tests/halide/miscompiled/blend_twice.py", tmp_path / "wrong.py")
    return tmp_path


def judge(place, *words):
    command = [sys.executable, "-m", "halidom", "judge", *words]
    return subprocess.run(command, cwd=place, capture_output=True, text=True)


def test_the_worst_verdict_counts(place, root):
    done = judge(place, "pipelines/right.py", "wrong.py", "missing.py", "--reports", "reports")
    assert done.returncode == 1
    assert "pipelines/right.py: proved: " in done.stdout
    assert "wrong.py: refuted: " in done.stdout and "missing.py: " in done.stdout
    for name in ("right", "wrong"):
        assert json.loads((place / f"reports/{name}.json").read_text())["job"] == "validate"
        assert "<testsuite" in (place / f"reports/{name}.xml").read_text()
        assert json.loads((place / f"reports/{name}.sarif").read_text())["version"] == "2.1.0"
    assert judge(place, "pipelines/right.py", "missing.py").returncode == 2
    accepted = judge(place, "wrong.py", "--baselines", "reports")
    assert accepted.returncode == 0 and "accepted by the baseline" in accepted.stdout
    assert judge(place, str(root / "examples/blur.hal")).returncode == 0
    assert judge(place).returncode == 2


def steps(text, **inputs):
    """The commands of an action's steps, with its inputs in place."""
    commands = re.findall(r"^      run: (.*)$", text, re.M)
    for name, value in inputs.items():
        commands = [one.replace("${{ inputs.%s }}" % name, value) for one in commands]
    return commands


def test_no_two_files_share_a_report():
    def names(*files):
        return _names([Path(file) for file in files])

    assert names("a/b.py", "c.hal") == ["b", "c"]
    assert names("b.py", "b.hal") == ["b.py", "b.hal"]
    assert names("x/y.py", "z/y.py", "x.y.hal") == ["x.y.py", "z.y.py", "x.y"]
    for files in [("a.py", "../a.py"), ("x/y.py", "x.y.py", "y.hal", "y.py")]:
        try:
            found = names(*files)
        except HalidomError as error:
            assert "reports" in str(error)
        else:
            assert len(set(found)) == len(files), found


def test_the_action_judges(place, root):
    text = (root / "action.yml").read_text()
    install, command = steps(text, wheel="w.whl", files="pipelines/*.py", options="--limit 30")
    assert install == 'python -m pip install --quiet "w.whl" halide==21.0.0'
    command = command.replace("python ", f"{sys.executable} ", 1)
    done = subprocess.run(["sh", "-ec", command], cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (place / "halidom-reports/right.sarif").is_file()


def test_the_hook_judges(place, root):
    entry = re.search(r"^  entry: (.*)$", (root / ".pre-commit-hooks.yaml").read_text(), re.M)[1]
    command = [sys.executable, *entry.split()[1:], "wrong.py", "pipelines/right.py"]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True)
    assert done.returncode == 1 and "wrong.py: refuted" in done.stdout
