//! Counts of values, and their running sums: stages that data index, and that cover less than the
//! memory.
//!
//! The test needs the project's Python with Halide; without it, it prints a message and checks
//! nothing.

use crate::edited::{Edited, judge_edited};

const SCRIPT: &str = "import halide as hl

def pipeline():
    x, y, xi = hl.Var('x'), hl.Var('y'), hl.Var('xi')
    a = hl.ImageParam(hl.UInt(8), 2, 'a')
    counts, sums, out = hl.Func('counts'), hl.Func('sums'), hl.Func('out')
{lines}
    return out
";

/// The first stage of the sums reads one element only, which does not tell where it writes.
const SUMS: &str = "    r = hl.RDom([(0, a.width()), (0, a.height())], 'r')
    b = hl.RDom([(1, 255)], 'b')
    counts[x] = hl.u32(0)
    counts[hl.i32(a[r.x, r.y])] += hl.u32(1)
    sums[x] = counts[0]
    sums[b.x] = sums[b.x - 1] + counts[b.x]
    out[x, y] = sums[hl.i32(a[x, y])]
    counts.compute_root().vectorize(x, 16)
    sums.compute_root().split(x, x, xi, 16).parallel(x).vectorize(xi).bound(x, 0, 256)
    sums.update(0).unscheduled()
    counts.update(0).unscheduled()";

/// The memory has whole tiles. The update writes only the rows that are read.
const ROWS: &str = "    r = hl.RDom([(0, a.width())], 'r')
    q = hl.RDom([(0, a.height())], 'q')
    counts[x, y] = hl.u32(0)
    counts[hl.i32(a[r, y]), y] += hl.u32(1)
    out[x] = hl.u32(0)
    out[x] += counts[x, q]
    out.bound(x, 0, 256)
    counts.compute_root().split(y, y, xi, 10, hl.TailStrategy.RoundUp).bound(x, 0, 256)
    counts.update(0).split(y, y, xi, 10, hl.TailStrategy.GuardWithIf).parallel(y)";

const CASES: [Edited; 7] = [
    (SUMS, &[], true),
    (SUMS, &[("rebased, 0, 255)", "rebased, 0, 254)")], false),
    (SUMS, &[("(counts[0])", "(counts[1])")], false),
    (ROWS, &[], true),
    // A whole tile too many.
    (ROWS, &[("= a.extent.1/10", "= (a.extent.1 + 9)/10")], false),
    // The last tile is left out if it has one row.
    (ROWS, &[("(a.extent.1 + 9)/10", "(a.extent.1 + 8)/10")], false),
    // The last tile lacks its last row.
    (ROWS, &[("= a.extent.1 - (counts", "= (a.extent.1 + -1) - (counts")], false),
];

#[test]
fn counts_and_their_running_sums_are_judged() {
    if !judge_edited(SCRIPT, &CASES) {
        eprintln!("skipped: there is no .venv with Halide");
    }
}
