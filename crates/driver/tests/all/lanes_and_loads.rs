//! Edited statements of stock Halide in which lanes take elements of one another, or in which a
//! load or an assertion is easily overlooked. The wrong ones are not proved; the right ones are.

use crate::edited::{Edited, judge_edited};

const COPY: &str = "out[x] = a[x]";
const READ: &str = "a[out.s0.x.rebased + t2]";
const LOOP: &str = "  for (out.s0.x.rebased, 0, out.extent.0) {\n";
const OF_A: &str = "   let d = int32(a[out.s0.x.rebased + t2])\n   \
    assert(d == 0, halide_error_bad_type(\"x\", a.type, a.type))\n   out[";

/// Every second element of a func; its memory has an element more than the func.
const SECOND: &str = "f[x] = a[x] + hl.u8(1)
    out[x] = f[2*x]
    f.compute_root()
    out.vectorize(x, 16)";

/// Elements of a func where data say. The lanes of the last vector that are not stored read too.
const GATHERED: &str = "f[x] = a[x] + hl.u8(1)
    out[x] = f[hl.clamp(hl.i32(a[x]), 0, 15)]
    f.compute_root()
    out.vectorize(x, 8, hl.TailStrategy.PredicateStores)";
const GATHER: [&str; 2] = [
    "int32x8(min(a[ramp((((out.extent.0/8)*8) + out.min.0) - a.min.0, 1, 8)], x8((uint8)15)))",
    "int32x8(min(a[ramp((((out.extent.0/8)*8) + out.min.0) - a.min.0, 1, 8)], x8((uint8)15))) + \
        select(int8x8(ramp(0, 1, 8)) <= x8((int8)saturating_cast(saturating_sub(out.extent.0 + \
        out.min.0, (((out.extent.0/8)*8) + out.min.0) + 1))), x8(0), x8(100))",
];

/// A change of elements in place, in eight lanes.
const HALVES: &str = "out[x] = a[x]
    out[s] = out[(s + 4) % 8]
    out.bound(x, 0, 8)
    out.output_buffer().dim(0).set_min(0).set_extent(8)
    a.dim(0).set_min(0).set_extent(8)
    out.vectorize(x, 8)";
const PAIRS: &str = "out[x] = a[x]
    out[r] = hl.select(r % 2 == 0, out[(r/2)*2 + 1], out[(r/2)*2])
    out.bound(x, 0, 64)
    out.update(0).allow_race_conditions().vectorize(r, 8)";

/// Lanes that write one element.
const DIAGONALS: &str = "out[x] = hl.u8(0)
    out[p.x + p.y] = a[p.x + 2*p.y]
    out.bound(x, 0, 4)
    out.update(0).allow_race_conditions().fuse(p.y, p.x, q).vectorize(q)";
const NEIGHBOURS: &str = "out[x] = hl.u8(0)
    out[(four + 1)/2] = a[four]
    out.bound(x, 0, 4)
    out.update(0).allow_race_conditions().vectorize(four)";

/// Some lanes, in the other order.
const REVERSED: &str = "out[x] = hl.u8(0)
    out[some] = a[7 - some]
    out.bound(x, 0, 8)
    out.output_buffer().dim(0).set_min(0).set_extent(8)
    a.dim(0).set_min(0).set_extent(8)
    out.vectorize(x, 8)
    out.update().allow_race_conditions().vectorize(some, 8, hl.TailStrategy.Predicate)";

/// A histogram of each row, eight rows at a time. The places of the last rows come from memory.
const ROWS: &str = "f[x] = hl.i32(a[x])
    rows, y = hl.Func('rows'), hl.Var('y')
    rows[x, y] = hl.u32(0)
    rows[hl.clamp(f[y], 0, 200), y] += hl.u32(1)
    out[x] = hl.u8(0)
    out[x] += hl.u8(rows[x, some])
    f.compute_root()
    rows.compute_root().update().vectorize(y, 8, hl.TailStrategy.Predicate)
    out.bound(x, 0, 256)";
/// A histogram in eight lanes, whose places may be the same.
const COLLIDING: &str = "f[x] = hl.i32(a[x])
    rows = hl.Func('rows')
    rows[x] = hl.u32(0)
    rows[hl.clamp(f[some], 0, 200)] += hl.u32(1)
    out[x] = hl.u8(rows[x])
    f.compute_root()
    rows.compute_root().update().allow_race_conditions()\\
        .vectorize(some, 8, hl.TailStrategy.Predicate)
    out.bound(x, 0, 256)";

/// Edits of its statement that count one by one: the whole vectors, and the last one.
const ONE_BY_ONE: [(&str, &str); 3] = [
    (
        "    let t43.s = f[ramp(rows.s1.some$x.some$x*8, 1, 8) aligned(8, 0)]\n    \
            let t47 = max(min(t43.s, x8(200)), x8(0))\n    \
            rows[t47] = (uint32x8)widen_right_add(rows[t47], x8((uint16)1))\n",
        "    for (one, 0, 8) {\n     \
            let t47 = max(min(f[(rows.s1.some$x.some$x*8) + one], 200), 0)\n     \
            rows[t47] = rows[t47] + (uint32)1\n    }\n",
    ),
    (
        "     let t44.s = f[ramp((rows.s1.some$x.some$x.rebased + t54)*8, 1, 8) \
            aligned(8, 0)]\n     let t48 = max(min(t44.s, x8(200)), x8(0))\n     \
            rows[t48] = (uint32x8)widen_right_add(rows[t48], x8((uint16)1))\n",
        "     for (one, 0, 8) {\n      \
            let t48 = max(min(f[((rows.s1.some$x.some$x.rebased + t54)*8) + one], 200), 0)\n      \
            rows[t48] = rows[t48] + (uint32)1\n     }\n",
    ),
    (
        "     let t46.s = f[ramp((rows.s1.some$x.some$x.rebased + t55)*8, 1, 8) aligned(8, 0)] \
            if t45\n     let t49 = max(min(t46.s, x8(200)), x8(0))\n     \
            predicate (ramp(((rows.s1.some$x.some$x.rebased + t55)*8) + 1, 1, 8) <= x8(n))\n      \
            rows[t49] = (uint32x8)widen_right_add(rows[t49] if t45, x8((uint16)1))\n",
        "     for (one, 0, 8) {\n      \
            if (((((rows.s1.some$x.some$x.rebased + t55)*8) + 1) + one) <= n) {\n       \
            let t49 = max(min(f[((rows.s1.some$x.some$x.rebased + t55)*8) + one], 200), 0)\n       \
            rows[t49] = rows[t49] + (uint32)1\n      }\n     }\n",
    ),
];

const COUNTS: &str = "out[x] = hl.u8(0)
    out[hl.i32(a[r])] += hl.u8(1)
    out.update().atomic().split(r, ro, ri, 8).vectorize(ri).parallel(ro)";
const IN_LANES: [(&str, &str); 2] = [
    (
        "   for (out.s1.r$x.ri, 0, 8) {\n    let t3.s = a[out.s1.r$x.ri + t10]\n",
        "   for (once, 0, 1) {\n    let t3.s = a[ramp(t10, 1, 8)]\n",
    ),
    ("int32(t3.s) - out.min.0", "int32x8(t3.s) - x8(out.min.0)"),
];

const CASES: &[Edited] = &[
    (COPY, &[], true),
    // Loads that are used in some lanes only, or not at all.
    (COPY, &[(READ, "extract_element(a[ramp(out.s0.x.rebased + t2, 1, 8)], 0)")], false),
    (
        COPY,
        &[
            ("   out[", "   let v = a[ramp(out.s0.x.rebased + t2, 1, 8)]\n   out["),
            (READ, "extract_element(v, 0)"),
        ],
        false,
    ),
    (
        COPY,
        &[(READ, "a[let w = int32(a[out.s0.x.rebased + 1000]) in (out.s0.x.rebased + t2)]")],
        false,
    ),
    (
        COPY,
        &[(READ, "(uint8)return_second(a[out.s0.x.rebased + 1000], a[out.s0.x.rebased + t2])")],
        false,
    ),
    (
        COPY,
        &[(
            READ,
            "select((a[out.s0.x.rebased + 1000] == (uint8)3) && (uint1)0, (uint8)5, \
                a[out.s0.x.rebased + t2])",
        )],
        false,
    ),
    (SECOND, &[], true),
    (SECOND, &[("((out.extent.0*2) + -1) + 1", "(out.extent.0*2) + -1")], false),
    (GATHERED, &[], true),
    (GATHERED, &[(GATHER[0], GATHER[1])], false),
    // Assertions on names that stand for something else in another block.
    (COPY, &[("   out[", OF_A)], false),
    (
        COPY,
        &[
            ("   out[", OF_A),
            (
                LOOP,
                "  for (once, 0, 1) {\n   let d = debug_to_file(\"x.tiff\", \
                    (struct halide_buffer_t *)out.buffer)\n   assert(d == 0, \
                    halide_error_debug_to_file_failed(\"x\", \"x\", d))\n  }\n  \
                    for (out.s0.x.rebased, 0, out.extent.0) {\n",
            ),
        ],
        false,
    ),
    // Lanes that read what other lanes write.
    (HALVES, &[], true),
    (
        HALVES,
        &[(
            "  for (out.s1.s$x, 0, 8) {\n   out[out.s1.s$x] = out[(out.s1.s$x + 4) % 8]\n  }\n",
            "  out[ramp(0, 1, 8)] = shuffle(out[ramp(0, 1, 8)], 4, 5, 6, 7, 0, 1, 2, 3)\n",
        )],
        false,
    ),
    (PAIRS, &[], false),
    // Lanes that write one element.
    (DIAGONALS, &[], false),
    (NEIGHBOURS, &[], true),
    (ROWS, &[], true),
    (COLLIDING, &[], false),
    (COLLIDING, &[ONE_BY_ONE[0], ONE_BY_ONE[1]], false),
    (COLLIDING, &[ONE_BY_ONE[0], ONE_BY_ONE[1], ONE_BY_ONE[2]], true),
    // Lanes under a condition of other lanes.
    (
        REVERSED,
        &[
            (
                "a[ramp(7 - (t19*8), -1, 8) aligned(8, 7)] if (",
                "shuffle(a[ramp(0 - (t19*8), 1, 8)] if (",
            ),
            ("(t19*8) + 1))))\n", "(t19*8) + 1)))), 7, 6, 5, 4, 3, 2, 1, 0)\n"),
        ],
        false,
    ),
    // A vector of what an atomic update changes lane by lane.
    (COUNTS, &[], true),
    (COUNTS, &[IN_LANES[0], IN_LANES[1], ("+ (uint8)1", "+ x8((uint8)1)")], true),
    (
        COUNTS,
        &[
            IN_LANES[0],
            IN_LANES[1],
            ("out[t9] = out[t9] + (uint8)1", "let v = out[t9]\n      out[t9] = v + x8((uint8)1)"),
        ],
        false,
    ),
];

const SCRIPT: &str = "import halide as hl

def pipeline():
    x, q, ro, ri = hl.Var('x'), hl.RVar('q'), hl.RVar('ro'), hl.RVar('ri')
    a, n = hl.ImageParam(hl.UInt(8), 1, 'a'), hl.Param(hl.Int(32), 'n')
    r, s = hl.RDom([(0, 64)], 'r').x, hl.RDom([(0, 8)], 's').x
    p, four = hl.RDom([(0, 2), (0, 2)], 'p'), hl.RDom([(0, 4)], 'four').x
    some = hl.RDom([(0, n)], 'some').x
    f, out = hl.Func('f'), hl.Func('out')
    {lines}
    return out
";

#[test]
fn lanes_and_loads_are_not_overlooked() {
    if !judge_edited(SCRIPT, CASES) {
        println!("skipped: there is no Python with Halide");
    }
}
