"""The picture of a halo that is too small, for the guide."""

import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

import dask.array as da
import numpy as np

import halidom
import halidom.dask as hd
from halidom import _program

ROOT = Path(__file__).resolve().parents[2]

GREY = """pipeline grey(input: buffer<u8, 2>) -> output: buffer<u8, 2> {
    func output(x, y) = input(x, y);
}
"""


def draw(means):
    """Write docs/pictures/halo.png: two means of 3 x 3 in chunks with an overlap of 1, the wrong
    pixels in it, and the wrong pixels in chunks with the proved halo (none)."""
    from scipy import ndimage

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "grey.hal").write_text(GREY)
        words = [str(_program.executable()), "run", "grey.hal", "--quiet"]
        words += ["--input", f"input={ROOT / 'examples/images/camera.png'}", "--output", "grey.npy"]
        subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        whole = np.load(folder / "grey.npy")
    side = 240
    image = np.ascontiguousarray(whole[20 : 20 + side, 140 : 140 + side])
    expected = halidom.compile(means)(image, out=np.empty_like(image))
    blocks = da.from_array(image, chunks=60)

    def twice(block):
        once = ndimage.uniform_filter(block.astype(np.int32), 3, mode="nearest")
        return ndimage.uniform_filter(once, 3, mode="nearest").astype(np.uint8)

    typed = da.map_overlap(twice, blocks, depth=1, boundary="none", dtype=np.uint8)
    typed = typed.compute(scheduler="synchronous")
    proved = hd.map(means, input=blocks).compute(scheduler="synchronous")
    by_scipy = twice(image)
    wrong = [np.abs(a.astype(int) - b) for a, b in ((typed, by_scipy), (proved, expected))]
    print(
        f"two means of 3 x 3 on {side} x {side} in chunks of 60: {(wrong[0] > 0).sum()} wrong "
        f"pixels with an overlap of 1, {(wrong[1] > 0).sum()} with the proved halo"
    )
    panels = [typed, *(_visible(one) for one in wrong)]
    line = np.full((side, 8), 255, np.uint8)
    shown = np.hstack([panels[0], line, panels[1], line, panels[2]])
    _write_png(ROOT / "docs/pictures/halo.png", shown.repeat(2, 0).repeat(2, 1))
    return (wrong[0] > 0).any() and not wrong[1].any()


def _visible(difference):
    """Differences as grey values, at least so bright that one pixel is seen."""
    return np.where(difference > 0, np.minimum(120 + 27 * difference, 255), 0).astype(np.uint8)


def _write_png(path, grey):
    rows = b"".join(b"\0" + row.tobytes() for row in grey)
    height, width = grey.shape
    blocks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows, 9)),
        (b"IEND", b""),
    ]
    data = b"\x89PNG\r\n\x1a\n"
    for name, body in blocks:
        data += struct.pack(">I", len(body)) + name + body
        data += struct.pack(">I", zlib.crc32(name + body))
    path.write_bytes(data)
