"""Compiled pipelines on arrays."""

import subprocess
import threading
import timeit

import numpy
import pytest

import halidom

BLUR = "examples/blur.hal"


@pytest.fixture(scope="module")
def blur():
    from conftest import ROOT

    return halidom.compile(ROOT / BLUR, schedule="tiled")


@pytest.fixture(scope="module")
def gemm():
    from conftest import ROOT

    return halidom.compile(ROOT / "examples/gemm.hal", schedule="tiled")


def picture(height, width, seed=1):
    return numpy.random.default_rng(seed).integers(0, 256, (height, width)).astype(numpy.uint16)


def blurred(source):
    wide = source.astype(numpy.uint32)
    rows = (wide[:, :-2] + wide[:, 1:-1] + wide[:, 2:]) // 3
    return ((rows[:-2] + rows[1:-1] + rows[2:]) // 3).astype(numpy.uint16)


def test_a_kernel_computes_the_largest_region(blur):
    assert blur.verdict.proved
    source = picture(300, 420)
    result = blur(source)
    assert result.shape == (298, 418) and result.dtype == numpy.uint16
    assert (result == blurred(source)).all()


def test_bits_are_those_of_run(root, blur, tmp_path):
    source = picture(280, 330)
    numpy.save(tmp_path / "in.npy", source)
    command = [str(halidom.executable()), "run", str(root / BLUR), "-s", "tiled", "--no-validate"]
    command += ["--input", f"input={tmp_path}/in.npy", "--output", f"{tmp_path}/out.npy"]
    subprocess.run(command, check=True, capture_output=True)
    assert (numpy.load(tmp_path / "out.npy") == blur(source)).all()


def test_out_is_written_and_returned(blur):
    source = picture(300, 420)
    out = numpy.zeros((280, 400), numpy.uint16)
    assert blur(source, out=out) is out
    assert (out == blurred(source)[:280, :400]).all()
    low = numpy.zeros((270, 390), numpy.uint16)
    blur(source, out=low, origin=(5, 7))
    assert (low == blurred(source)[5:275, 7:397]).all()
    assert (blur(source, origin=(2, 0)) == blurred(source)[2:]).all()


def test_views_with_dense_rows_are_taken_as_they_are(blur):
    whole = picture(600, 800)
    view = whole[100:400, 50:470]
    assert (blur(view) == blurred(view)).all()
    out = numpy.zeros((400, 600), numpy.uint16)
    blur(view, out=out[20:318, 30:448])
    assert (out[20:318, 30:448] == blurred(view)).all()
    assert (out[:20] == 0).all() and (out[:, :30] == 0).all()


class Foreign:
    """An array of another library."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **named):
        return self.array.__dlpack__(**named)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Convertible:
    """Something of which NumPy makes an array, perhaps a copy."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array.copy()


def test_arrays_of_other_libraries_are_taken(blur):
    source = picture(300, 420)
    assert (blur(Foreign(source)) == blurred(source)).all()
    assert (blur(Convertible(source)) == blurred(source)).all()


def test_parameters_and_names(gemm):
    rng = numpy.random.default_rng(3)
    a, b, c = (rng.random((64, 64), numpy.float32) for _ in range(3))
    assert [one.name for one in gemm.arguments] == ["alpha", "A", "B", "beta", "C", "D"]
    result = gemm(2, a, b, 0.5, c)
    by_name = gemm(A=a, B=b, C=c, alpha=2, beta=0.5)
    assert (result == by_name).all()
    # Axes are reversed, so the pipeline's A B is NumPy's B A.
    assert numpy.allclose(result, 2 * (b @ a) + 0.5 * c, rtol=1e-4)


def test_results_of_several_types(root):
    histogram = halidom.compile(root / "examples/histogram.hal", schedule="default")
    source = picture(40, 50).astype(numpy.uint8)
    counts = histogram(source, 200)
    assert counts.dtype == numpy.uint32
    assert (counts[:200] == numpy.bincount(source[source < 200], minlength=200)[:200]).all()


def test_text_is_compiled():
    kernel = halidom.compile(
        "pipeline p(a: buffer<f64, 1>) -> q: buffer<f64, 1> {\n"
        "    func q(x) = a(x - 1) + a(x + 1);\n}\n"
    )
    source = numpy.arange(10.0)
    result = kernel(source)
    assert result.shape == (8,) and (result == source[:-2] + source[2:]).all()
    assert kernel.bounds([(4, 2)]) == {"a": ((3, 4),), "q": ((4, 2),)}


def test_bounds(blur, gemm):
    found = halidom.bounds(blur, output=((0, 512), (3, 100)))
    assert found["input"] == ((0, 514), (3, 102))
    found = gemm.bounds(((0, 8), (0, 16)), alpha=1, beta=1, A=(64, 64), B=(64, 64))
    assert found["C"] == ((0, 8), (0, 16))
    with pytest.raises(halidom.ArgumentError, match="`alpha` is missing"):
        gemm.bounds(((0, 8), (0, 16)))
    with pytest.raises(halidom.ArgumentError, match="2 axes"):
        blur.bounds(((0, 8),))


BAD = {
    "another type": (lambda k, a: k(a.astype(float)), "array.astype\\('uint16'\\)"),
    "another rank": (lambda k, a: k(a[0]), "2 are needed"),
    "strides of columns": (lambda k, a: k(a[:, ::2]), "ascontiguousarray"),
    "a transposed view": (lambda k, a: k(a.T), "ascontiguousarray"),
    "negative strides": (lambda k, a: k(a[::-1]), "stride of axis 0"),
    "the other byte order": (lambda k, a: k(a.astype(">u2")), "byte order"),
    "a list": (lambda k, a: k([1, 2]), "give a NumPy array"),
    "nothing": (lambda k, a: k(), "`input` is missing"),
    "too much": (lambda k, a: k(a, a), "takes 1 arguments"),
    "an unknown name": (lambda k, a: k(a, size=1), "no argument `size`"),
    "a name twice": (lambda k, a: k(a, input=a), "given twice"),
    "output over input": (lambda k, a: k(a, out=a), "shares memory"),
    "output in input": (lambda k, a: k(a, out=a[:280, :400]), "shares memory"),
    "output of another type": (lambda k, a: k(a, out=numpy.zeros((9, 9))), "uint16"),
    "output of another rank": (lambda k, a: k(a, out=numpy.zeros(9, "u2")), "2 are needed"),
    "two outputs": (lambda k, a: k(a, out=[a, a]), "an array for each"),
    "a broadcast output": (
        lambda k, a: k(a, out=numpy.broadcast_to(numpy.zeros(400, "u2"), (280, 400))),
        "read-only",
    ),
    "threads": (lambda k, a: k(a, threads=-1), "number of threads"),
    "too many threads": (lambda k, a: k(a, threads=1 << 33), "number of threads"),
    "origin": (lambda k, a: k(a, origin=(1,)), "2 axes"),
    "a far origin": (lambda k, a: k(a, out=a[:9, :9].copy(), origin=(1 << 32, 0)), "too large"),
    "far bounds": (lambda k, a: k.bounds(((0, 1 << 33), (0, 1))), "too large"),
    "a mask": (lambda k, a: k(numpy.ma.array(a, mask=a > 3)), "a mask"),
    "an output that would be copied": (lambda k, a: k(a, out=Convertible(a)), "give a NumPy array"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments_are_told(blur, name):
    call, words = BAD[name]
    source = picture(300, 420)
    before = source.copy()
    with pytest.raises((halidom.ArgumentError, halidom.CheckFailed), match=words):
        call(blur, source)
    assert (source == before).all()


def test_a_read_only_output_is_refused(blur):
    out = numpy.zeros((280, 400), numpy.uint16)
    out.flags.writeable = False
    with pytest.raises(halidom.ArgumentError, match="read-only"):
        blur(picture(300, 420), out=out)


def test_a_region_beyond_the_input_is_refused(blur):
    with pytest.raises(halidom.CheckFailed, match="axis 1 of the array.* is 0..422") as raised:
        blur(picture(300, 420), out=numpy.zeros((298, 420), numpy.uint16))
    assert "required region of `input`" in raised.value.check


def test_numbers_must_fit(gemm, root):
    a = numpy.zeros((32, 32), numpy.float32)
    with pytest.raises(halidom.ArgumentError, match="`alpha` is a number"):
        gemm("x", a, a, 1, a)
    histogram = halidom.compile(
        root / "examples/histogram.hal", schedule="default", validated=False
    )
    assert histogram.verdict is None
    with pytest.raises(halidom.ArgumentError, match="does not fit u8"):
        histogram(numpy.zeros((4, 4), numpy.uint8), 256)
    with pytest.raises(halidom.ArgumentError, match="is an integer"):
        histogram(numpy.zeros((4, 4), numpy.uint8), 2.5)


def test_empty_arrays(root):
    kernel = halidom.compile(root / "examples/blur.hal", schedule="default", validated=False)
    out = numpy.zeros((0, 0), numpy.uint16)
    assert kernel(numpy.zeros((2, 2), numpy.uint16), out=out) is out


def test_ten_threads_at_once(blur):
    sources = [picture(200 + 10 * n, 300 + 7 * n, seed=n) for n in range(10)]
    wanted = [blurred(source) for source in sources]
    wrong = []

    def work(n):
        for _ in range(50):
            if not (blur(sources[n]) == wanted[n]).all():
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_threads_are_set(blur):
    source = picture(300, 420)
    assert (blur(source, threads=1) == blur(source, threads=2)).all()
    blur(source, threads=0)


def test_errors_of_programs(tmp_path, root):
    with pytest.raises(halidom.InputError):
        halidom.compile("pipeline p() -> q: buffer<u8, 1> { func q(x) = nothing; }\n")
    with pytest.raises(halidom.InputError, match="no schedule"):
        halidom.compile(root / BLUR, schedule="missing")


def test_what_is_unknown_warns_or_raises(tmp_path):
    text = (
        "pipeline p() -> q: buffer<f32, 2> {\n"
        "    fast_math;\n    func q(x, y): f32 = sin(f32((x * y)));\n}\n"
    )
    with pytest.warns(halidom.UnprovedWarning):
        kernel = halidom.compile(text)
    assert kernel.verdict.unknown
    with pytest.raises(halidom.Unknown):
        halidom.compile(text, strict=True)
    with pytest.raises(halidom.ArgumentError, match="omits"):
        halidom.compile(text, strict=True, validated=False)


def test_the_overhead_of_a_call_is_printed(capsys):
    kernel = halidom.compile(
        "pipeline p(a: buffer<u8, 1>) -> q: buffer<u8, 1> {\n    func q(x) = a(x);\n}\n"
    )
    source, out = numpy.zeros(16, numpy.uint8), numpy.zeros(16, numpy.uint8)
    count = 2000
    best = min(timeit.repeat(lambda: kernel(source, out=out), number=count, repeat=5)) / count
    with capsys.disabled():
        print(f" [a call takes {best * 1e6:.1f} us] ", end="")
    assert (out == source).all()
