//! Dumps of stock Halide that read another memory of a func than the one that is updated, or whose
//! entry checks hold only if they hold.

use crate::edited::{EditedDump, judge_edited_dumps};

const SCRIPT: &str = "import halide as hl

def pipeline():
    x = hl.Var('x')
    a = hl.ImageParam(hl.UInt(32), 1, 'a')
    p = hl.Param(hl.Int(32), 'p')
    f, out = hl.Func('f'), hl.Func('out')
    r = hl.RDom([(0, 8)], 'r')
    {lines}
    return out
";

/// The update depends on the values before it.
const UPDATE: &str = "f[x] = a[x]; r.where(f[r.x] > 5); f[r.x] = hl.u32(0); out[x] = f[x] + 1; \
    f.compute_root()";
const RANGE: &str = "p.set_range(-10, 10); out[x] = a[x] + hl.u32(p)";

/// Computes the func in a second memory too, before the first one. The condition of the update
/// reads both.
fn in_two_memories(dump: &str) -> String {
    let at = |words: &str| dump.find(words).expect("the dump has these words");
    let (from, end) = (at("   (allocate \"f\" "), at("   (produce \"out\""));
    let places = &dump[from..end];
    let other = [
        ("\"f\"", "\"f.1\""),
        ("(produce \"f.1\"", "(produce \"f\""),
        ("(let \"t", "(let \"u"),
        ("(var i32 \"t", "(var i32 \"u"),
        ("f.s0.x", "f.s0.x$q"),
        ("f.s1.r$x", "f.s1.r$y"),
    ];
    let other = other.iter().fold(places.to_owned(), |text, (old, new)| text.replace(old, new));
    let read = "(load u32 \"f\" (- (var i32 \"f.s1.r$x\") (var i32 \"t9\")))";
    let condition = format!("(< (u32 5) {read})");
    let both = format!("(&& {condition} {})", condition.replace("\"f\"", "\"f.1\""));
    assert!(places.contains(&condition), "{places}");
    let rest = dump[end..].replace("(free \"f\")", "(free \"f\")\n   (free \"f.1\")");
    [&dump[..from], &other, &places.replace(&condition, &both), &rest].concat()
}

/// Checks a product that may overflow. Each check would be exact if the other one held.
fn checked_in_a_circle(dump: &str) -> String {
    let product = "(* (var i32 \"p\") (i32 65536))";
    let (checks, stores) = dump.split_at(dump.find("(store \"out\"").expect("it stores"));
    let is_most =
        checks.replace("(<= (var i32 \"p\") (i32 10))", &format!("(<= {product} (i32 10))"));
    let is_zero =
        is_most.replace("(<= (i32 -10) (var i32 \"p\"))", &format!("(== {product} (i32 0))"));
    assert!(checks != is_most && is_most != is_zero, "{checks}");
    is_zero + &stores.replace("(var i32 \"p\")", "(i32 0)")
}

const CASES: [EditedDump; 2] = [(UPDATE, in_two_memories), (RANGE, checked_in_a_circle)];

#[test]
fn other_memories_and_circles_of_checks_are_not_proved() {
    if !judge_edited_dumps(SCRIPT, &CASES) {
        eprintln!("skipped: there is no Python with Halide");
    }
}
