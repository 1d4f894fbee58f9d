"""A tour through an installed package: `tour.py EXAMPLES live|files [REFERENCE]`.

Runs in an environment with nothing on the PATH. With a reference, compiles by the C compiler of the
extra `cc`, and compares bits with what this machine's compiler gave for random inputs of seed 7.
"""

import subprocess
import sys
import time
from pathlib import Path

import halidom


def judged_file(examples):
    verdict = halidom.validate(examples / "blur.hal", schedule="tiled")
    assert verdict.proved, verdict.explanation()


def judged_func():
    import halide as hl

    x, y = hl.vars("x y")
    source = hl.ImageParam(hl.UInt(8), 2, "source")
    blur = hl.Func("blur")
    blur[x, y] = (hl.u16(source[x, y]) + hl.u16(source[x + 1, y])) / 2
    blur.vectorize(x, 16).parallel(y)
    verdict = halidom.validate(blur)
    assert verdict.proved, verdict.explanation()


def compiled(examples, reference):
    import numpy

    file = reference.with_name("zig.npy")
    words = ["run", str(examples / "harris.hal"), "--random", "7", "--size", "300x200"]
    words += ["--no-validate", "--output", str(file)]
    subprocess.run([sys.executable, "-m", "halidom", *words], check=True)
    wanted, got = numpy.load(reference), numpy.load(file)
    assert wanted.tobytes() == got.tobytes(), "the compilers give different bits"
    kernel = halidom.compile(examples / "blur.hal", schedule="tiled")
    source = numpy.arange(300 * 400, dtype=numpy.uint16).reshape(300, 400)
    assert kernel(source).shape == (298, 398)


def main():
    examples = Path(sys.argv[1])
    assert halidom.executable().parent == Path(sys.executable).parent
    stops = [("a file", lambda: judged_file(examples))]
    if sys.argv[2] == "live":
        stops.append(("a live Func", judged_func))
    if len(sys.argv) > 3:
        stops.append(("compiling", lambda: compiled(examples, Path(sys.argv[3]))))
    for name, stop in stops:
        begin = time.monotonic()
        stop()
        print(f"{name}: {time.monotonic() - begin:.1f} s")


main()
