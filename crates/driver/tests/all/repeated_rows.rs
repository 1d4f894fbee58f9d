//! Statements of stock Halide that read one element for a whole row of an input, as a stride is 0.
//! Each wrong one has a right twin, as in `stock_edges`.

use crate::stock_edges::{
    Case,
    Expected::{NotProved, Proved},
    case, judge_all,
};

const ROW: &str = "edges/row_of_one_element";

/// The element that all lanes of a whole vector read, and those of the last one.
const WHOLE: &str = "x8(uint16(b[t80])*(uint16)3)";
const LAST: &str = "x8(uint16(b[(out.s0.y.rebased + t68)*b.stride.1])*(uint16)3)";

const CASES: &[Case] = &[
    case("rows of one element", ROW, Proved, &[]),
    case(
        "rows of one element, with the whole index in the last vector",
        ROW,
        Proved,
        &[(LAST, "x8(uint16(b[(out.s0.y.rebased + (out.min.1 - b.min.1))*b.stride.1])*(uint16)3)")],
    ),
    case(
        "the element after that of the row",
        ROW,
        NotProved,
        &[(WHOLE, "x8(uint16(b[t80 + 1])*(uint16)3)")],
    ),
    case(
        "the element of the next row in the last vector",
        ROW,
        NotProved,
        &[(LAST, "x8(uint16(b[((out.s0.y.rebased + t68) + 1)*b.stride.1])*(uint16)3)")],
    ),
    case(
        "another multiple of the element in the last vector",
        ROW,
        NotProved,
        &[(LAST, "x8(uint16(b[(out.s0.y.rebased + t68)*b.stride.1])*(uint16)2)")],
    ),
    case(
        "one element for rows of which each has several",
        ROW,
        NotProved,
        &[(
            "} else if (b.stride.0 == 0) {",
            "} else if ((b.stride.0 == 0) || (b.stride.0 == 2)) {",
        )],
    ),
    case(
        "several elements for rows of one",
        ROW,
        NotProved,
        &[("if (b.stride.0 == 1) {", "if ((b.stride.0 == 1) || (b.stride.0 == 0)) {")],
    ),
];

#[test]
fn rows_of_one_element_are_judged() {
    if !judge_all(CASES) {
        println!("skipped: there is no Python with Halide");
    }
}
