//! Statements of stock Halide with tables that depend on no input, and with sums that wrap and are
//! compared. Each wrong one has a right twin, as in `stock_edges`.

use crate::stock_edges::{
    Case,
    Expected::{NotProved, Proved},
    case, judge_all,
};

const TABLE: &str = "edges/table_of_logarithms";
const SUMS: &str = "edges/sums_that_wrap";

const CASES: &[Case] = &[
    case("logarithms times a reciprocal", TABLE, Proved, &[]),
    case("a number that gives the same integers", TABLE, Proved, &[("1.442695f", "1.442000f")]),
    case("a number that is too small", TABLE, NotProved, &[("1.442695f", "1.300000f")]),
    case(
        "the last logarithms times a number that is too great",
        TABLE,
        NotProved,
        &[("ramp(23, 2, 16)))*x16(1.442695f)", "ramp(23, 2, 16)))*x16(1.460000f)")],
    ),
    case(
        "logarithms of other numbers",
        TABLE,
        NotProved,
        &[("ramp(23, 2, 16)", "ramp(25, 2, 16)")],
    ),
    case("sums of one difference", SUMS, Proved, &[]),
    case("sums of another difference", SUMS, NotProved, &[("== (uint64)5", "== (uint64)6")]),
    case("a sum for a difference", SUMS, NotProved, &[("- (uint64)q", "+ (uint64)q")]),
    case("a number of the other sign", SUMS, NotProved, &[("4294967293", "3")]),
    case("an order in place of an equation", SUMS, NotProved, &[("== (uint64)5", "<= (uint64)5")]),
];

#[test]
fn tables_and_sums_are_judged() {
    if !judge_all(CASES) {
        println!("skipped: there is no Python with Halide");
    }
}
