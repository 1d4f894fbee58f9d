//! Statements of stock Halide with one loop over the vectors of all rows, which runs in parts of
//! equal length: the last part begins earlier. Autoscheduler Li2018 writes such schedules. Each
//! wrong statement has a right twin, as in `stock_edges`.

use crate::stock_edges::{
    Case,
    Expected::{NotProved, Proved},
    case, judge_all,
};

const PARTS: &str = "edges/fused_in_parts";

const CASES: &[Case] = &[
    case("one loop over all rows in parts", PARTS, Proved, &[]),
    case("without the last part", PARTS, NotProved, &[("(t74 + 99)/100", "(t74 + 98)/100")]),
    case(
        "without the last part of the func within",
        PARTS,
        NotProved,
        &[("loop_max.s + 109)/110", "loop_max.s + 108)/110")],
    ),
    case(
        "parts with gaps between them",
        PARTS,
        NotProved,
        &[("min(out.s0.x.x.x.x*100,", "min(out.s0.x.x.x.x*101,")],
    ),
    case(
        "parts that are one short",
        PARTS,
        NotProved,
        &[("for (out.s0.x.x.x.v1, 0, 100)", "for (out.s0.x.x.x.v1, 0, 99)")],
    ),
    case("a last part that begins too early", PARTS, NotProved, &[("t74 + -100)", "t74 + -101)")]),
    case(
        "rows of one vector too many",
        PARTS,
        NotProved,
        &[("let t67 = (out.extent.0 + 9)/8", "let t67 = (out.extent.0 + 17)/8")],
    ),
];

#[test]
fn fused_loops_in_parts_are_judged() {
    if !judge_all(CASES) {
        println!("skipped: there is no Python with Halide");
    }
}
