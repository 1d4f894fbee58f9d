//! Statements of stock Halide with tables that floats index, scaled by parameters. Each wrong one
//! has a right twin, as in `stock_edges`.

use crate::stock_edges::{
    Case,
    Expected::{NotProved, Proved},
    case, judge_all,
};

const SCALED: &str = "edges/table_by_scaled_data";
const DIVIDED: &str = "edges/table_by_data_over_a_scale";
const WIDE: &str = "edges/table_by_wide_data";
const COLUMNS: &str = "edges/columns_of_lanes";

const ENDS: &str = "max(max(int32(t46) + 1, table.s0.z.max), int32(t46 + 0.500000f))";

const CASES: &[Case] = &[
    case("a table that scaled data index", SCALED, Proved, &[]),
    case(
        "a table that is an element short",
        SCALED,
        NotProved,
        &[("table.z.min_realized) + 1)]", "table.z.min_realized) + 0)]")],
    ),
    case(
        "a table for a scale that is not negative",
        SCALED,
        NotProved,
        &[("min((float32)scale, 0.000000f)", "max(min((float32)scale, 0.000000f), 0.000000f)")],
    ),
    case(
        "a place in a table that is named, and one too far",
        SCALED,
        NotProved,
        &[("= t24.s - table.z.min_realized", "= (t24.s - table.z.min_realized) + 1")],
    ),
    case(
        "a place in a table that is named, and overflows",
        SCALED,
        NotProved,
        &[(
            "= t24.s - table.z.min_realized",
            "= ((((t24.s*65536)*65536)/65536)/65536) - table.z.min_realized",
        )],
    ),
    case(
        "a table that ends 1 after the greatest place without rounding",
        SCALED,
        Proved,
        &[(ENDS, "min(int32(t46) + 1, int32(t46 + 0.500000f) + 8)")],
    ),
    case(
        "a table that ends at the greatest place without rounding",
        SCALED,
        NotProved,
        &[(ENDS, "min(int32(t46), int32(t46 + 0.500000f) + 8)")],
    ),
    case("columns that data choose for each lane", COLUMNS, Proved, &[]),
    case(
        "columns for the last lanes, in rows that are two elements apart",
        COLUMNS,
        NotProved,
        &[("widen_right_mul(t45, x8((int16)12))", "widen_right_mul(t45, x8((int16)2))")],
    ),
    case("a table that divided data index", DIVIDED, Proved, &[]),
    case(
        "a table for a divisor of the other sign",
        DIVIDED,
        NotProved,
        &[("0.000000f < (float32)sigma", "(float32)sigma < 0.000000f")],
    ),
    case(
        "a row of a table by another shift",
        DIVIDED,
        NotProved,
        &[("x8((uint32)3)", "x8((uint32)2)")],
    ),
    case("a table for data up to 2", WIDE, Proved, &[]),
    case(
        "a table for data up to 1 and data up to 2",
        WIDE,
        NotProved,
        &[("0.000000f)*2.000000f", "0.000000f)*1.000000f")],
    ),
];

#[test]
fn tables_by_floats_are_judged() {
    if !judge_all(CASES) {
        println!("skipped: there is no Python with Halide");
    }
}
