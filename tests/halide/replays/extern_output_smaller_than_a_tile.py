"""Shows that Halide 21.0.0 lets an extern stage write outside of an output.

The output is divided into tiles of 16 by 16. If it is smaller, the tile is moved inwards, so that
it begins before the output. Where Halide computes a func by itself, a check at the entry refuses
such an output. An extern stage gets the tile as a crop of the output, without a check.
"""

import ctypes
import subprocess
import tempfile
from pathlib import Path

import halide as hl
import numpy as np

STAGE = """
#include "HalideRuntime.h"

int fill(halide_buffer_t *in, halide_buffer_t *out) {
    for (int d = 0; d < 2 && !in->host; d++) {
        in->dim[d].min = out->dim[d].min;
        in->dim[d].extent = out->dim[d].extent;
    }
    if (in->host && out->host) {
        for (int y = 0; y < out->dim[1].extent; y++) {
            for (int x = 0; x < out->dim[0].extent; x++) {
                ((int32_t *)out->host)[y * out->dim[1].stride + x] = 1;
            }
        }
    }
    return 0;
}
"""

with tempfile.TemporaryDirectory() as folder:
    source, library = Path(folder, "stage.c"), Path(folder, "stage.so")
    source.write_text(STAGE)
    include = Path(hl.install_dir(), "include")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-I", include], check=True)
    ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)

    x, y, xo, yo = (hl.Var(name) for name in ("x", "y", "xo", "yo"))
    work, out = hl.Func("work"), hl.Func("out")
    work[x, y] = x + y
    out.define_extern("fill", [work], [hl.Int(32)], [x, y], hl.NameMangling.C)
    out.tile(x, y, xo, yo, x, y, 16, 16)
    work.compute_at(out, xo)
    for size in (100, 16, 8):
        around = np.zeros((size + 64, size + 64), dtype=np.int32)
        out.realize(hl.Buffer(around[32 : 32 + size, 32 : 32 + size]))
        inside = int(around[32 : 32 + size, 32 : 32 + size].sum())
        outside = int(around.sum()) - inside
        print(f"{size} by {size}: {inside} elements written, and {outside} outside of the output")
