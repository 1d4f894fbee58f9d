"""Judges kernels that `kernels.py` captured: `judge.py [--callers] FOLDER [HALIDOM] [NAME…]`.

Runs `halidom validate` on the script of each kernel, one at a time, with the Python that runs this:
the one with PyTorch. With `--callers` each verdict is about PyTorch's own calls alone: the shapes
and strides that these have are assumed. Without it, it is about every caller that keeps to the
pipeline's constraints.

Writes the verdict of each as a line, and to `FOLDER/verdicts.csv`: name, verdict, code and reason
of an unknown one, seconds. The last line counts the verdicts. The exit status is 1 if a kernel is
refuted.
"""

import csv
import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

LIMIT = 60


def judged(halidom, place, callers):
    """The verdict on a kernel, the code and the reason if it is unknown, and the time."""
    words = [halidom, "validate", "--json", "--limit", str(LIMIT)]
    words += ["--halide-script", str(place / "script.py")]
    if callers:
        for condition in json.loads((place / "callers.json").read_text()):
            words += ["--assume", condition]
    environment = {**os.environ, "HALIDOM_PYTHON": sys.executable}
    begin = time.monotonic()
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=2 * LIMIT, check=False, env=environment
        )
        said = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError) as error:
        return "error", "", str(error), time.monotonic() - begin
    verdict = said.get("verdict", "error")
    causes = said.get("causes") or [{"code": ""}]
    reason = said.get("reason") or "; ".join(each["message"] for each in said["diagnostics"])
    if verdict == "refuted":
        reason = said["statement"]
    if verdict == "proved":
        reason = ""
    return verdict, causes[0]["code"], reason, time.monotonic() - begin


def main():
    callers = "--callers" in sys.argv
    words = [word for word in sys.argv[1:] if word != "--callers"]
    folder = Path(words[0]).resolve()
    halidom = words[1] if len(words) > 1 else "halidom"
    places = [place for place in sorted(folder.iterdir()) if (place / "script.py").exists()]
    if len(words) > 2:
        places = [place for place in places if place.name in words[2:]]
    counts = Counter()
    with (folder / "verdicts.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["kernel", "verdict", "code", "seconds", "reason"])
        for place in places:
            verdict, code, reason, seconds = judged(halidom, place, callers)
            counts[verdict] += 1
            rows.writerow([place.name, verdict, code, f"{seconds:.1f}", reason])
            file.flush()
            print(f"{place.name}: {verdict} {code} {seconds:.1f} s {reason[:150]}", flush=True)
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    print(f"{len(places)} kernels: {said}")
    sys.exit(1 if counts["refuted"] else 0)


main()
