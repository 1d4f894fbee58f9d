//! Tests each rule of TV Fig. 5, under the rule's name: a program that the rule accepts, and
//! programs that violate a premise of the rule.

use super::common::{COPY, FRESH, SUM, open, proved};
use halidom_reference::Premise;

/// A store of `f` at `x`; below, a store of `out` at `y`.
const F: &str =
    "f.buffer[x - w.min @ f(x) stage 0] = a.buffer[(x - a.min) * a.stride @ a(x)] + 1i32;";
const OUT: &str =
    "out.buffer[(y - o.min) * o.stride @ out(y) stage 0] = f.buffer[y - w.min @ f(y)];";
/// The two stages of the sum.
const ZERO: &str = "out.buffer[(y - o.min) * o.stride @ out(y) stage 0] = 0i32;";
const MORE: &str = "out.buffer[(y - o.min) * o.stride @ out(y) stage 1 point(r)] = out.buffer[(y - \
    o.min) * o.stride @ out(y)] + a.buffer[(y + r - a.min) * a.stride @ a(y + r)];";

#[test]
fn s_skip() {
    proved(COPY, &format!("for y in [w.min, w.extent] {{ {FRESH} }}\n{{ }}"));
    open(COPY, "{ }", Premise::Output, "not written");
}

#[test]
fn s_seq() {
    let right = format!(
        "allocate f.buffer: i32 for f [w.min, w.extent, 1];
         for x in [w.min, w.extent] {{ {F} }}
         for y in [w.min, w.extent] {{ {OUT} }}"
    );
    proved(COPY, &right);
    // The parts in the wrong order.
    let wrong = format!(
        "allocate f.buffer: i32 for f [w.min, w.extent, 1];
         for y in [w.min, w.extent] {{ {OUT} }}
         for x in [w.min, w.extent] {{ {F} }}"
    );
    open(COPY, &wrong, Premise::Defined, "not written");
    // The last write counts: here the sum is overwritten by its initial value.
    let sum = "for y in [w.min, w.extent] { FIRST for r in [0, 3] { MORE } LAST }";
    let sum = sum.replace("FIRST", ZERO).replace("MORE", MORE);
    proved(SUM, &sum.replace("LAST", ""));
    open(SUM, &sum.replace("LAST", ZERO), Premise::Output, "last value");
}

#[test]
fn s_let() {
    let body = |value: &str| {
        format!(
            "for z in [0, w.extent] {{
               let y: int = {value};
               let read: i32 = a.buffer[(y - a.min) * a.stride @ a(y)];
               out.buffer[(y - o.min) * o.stride @ out(y) stage 0] = 1i32 + read;
             }}"
        )
    };
    proved(COPY, &body("z + w.min"));
    open(COPY, &body("z + w.min + 1"), Premise::Bounds, "outside");
    open(COPY, &body("z + min(w.min, 1)"), Premise::Form, "not written");
    // A value that is read comes from the heap at the `let`.
    let late = format!(
        "allocate f.buffer: i32 for f [w.min, w.extent, 1];
         for y in [w.min, w.extent] {{
           let read: i32 = f.buffer[y - w.min @ f(y)];
           {}
           out.buffer[(y - o.min) * o.stride @ out(y) stage 0] = read;
         }}",
        F.replace('x', "y")
    );
    open(COPY, &late, Premise::Form, "not written");
}

#[test]
fn s_if() {
    let body = |then: &str, other: &str| {
        format!("for y in [w.min, w.extent] {{ if y % 2 == 0 {{ {then} }} else {{ {other} }} }}")
    };
    proved(COPY, &body(FRESH, FRESH));
    open(COPY, &body(FRESH, ""), Premise::Output, "not written");
    // The condition is a fact of the branch.
    let shift = format!("for y in [w.min - 1, w.extent + 1] {{ if w.min <= y {{ {FRESH} }} }}");
    proved(COPY, &shift);
    open(COPY, &shift.replace("w.min <= y", "w.min <= y + 1"), Premise::Bounds, "outside");
    // The rule does not cover a condition on data.
    let data = body(FRESH, FRESH).replace("y % 2 == 0", "a.buffer[0 @ a(a.min)] == 0i32");
    open(COPY, &data, Premise::Form, "depends on data");
}

#[test]
fn s_seqloop() {
    let first = format!("for y in [w.min, w.extent] {{ {ZERO} }}").replace('y', "z");
    // Each iteration reads what the previous one wrote, in either order of the loops.
    proved(SUM, &format!("{first} for y in [w.min, w.extent] {{ for r in [0, 3] {{ {MORE} }} }}"));
    proved(SUM, &format!("{first} for r in [0, 3] {{ for y in [w.min, w.extent] {{ {MORE} }} }}"));
    // Backwards, the last iteration does not write the value of the last point.
    let backwards = MORE.replace("point(r)", "point(2 - q)").replace("+ r", "+ (2 - q)");
    open(
        SUM,
        &format!("{first} for y in [w.min, w.extent] {{ for q in [0, 3] {{ {backwards} }} }}"),
        Premise::Constraint,
        "prophesied",
    );
    // The loop is one iteration short.
    open(
        SUM,
        &format!("{first} for y in [w.min, w.extent] {{ for r in [0, 2] {{ {MORE} }} }}"),
        Premise::Output,
        "last value",
    );
}

#[test]
fn s_parloop() {
    proved(COPY, &format!("parallel y in [w.min, w.extent] {{ {FRESH} }}"));
    // Iterations agree if they write the same value of the same instance.
    let twice = format!("parallel t in [0, 2] {{ for y in [w.min, w.extent] {{ {FRESH} }} }}");
    proved(COPY, &twice);
    // All iterations write and read back one scratch element, each with a different value.
    let scratch = "allocate f.buffer: i32 for f fold [0, 1, 1];
         parallel y in [w.min, w.extent] {
           f.buffer[y % 1 @ f(y) stage 0] = a.buffer[(y - a.min) * a.stride @ a(y)] + 1i32;
           out.buffer[(y - o.min) * o.stride @ out(y) stage 0] = f.buffer[y % 1 @ f(y)];
         }";
    open(COPY, scratch, Premise::Disjoint, "two instances");
    proved(COPY, &scratch.replace("parallel", "for"));
    // One iteration reads what another one writes.
    let across = format!(
        "allocate f.buffer: i32 for f [w.min, w.extent + 1, 1];
         for x in [w.min, w.extent + 1] {{ {F} }}
         parallel y in [w.min, w.extent] {{
           {}
           out.buffer[(y - o.min) * o.stride @ out(y) stage 0] = f.buffer[y + 1 - w.min @ f(y + \
           1)] - a.buffer[(y + 1 - a.min) * a.stride @ a(y + 1)] + a.buffer[(y - a.min) * a.stride \
           @ a(y)];
         }}",
        F.replace('x', "y")
    );
    open("stage(v) = f(v + 1) - a(v + 1) + a(v);", &across, Premise::Disjoint, "another");
}

#[test]
fn s_allocate() {
    let body = |dims: &str| {
        format!(
            "allocate f.buffer: i32 for f {dims};
             for x in [w.min, w.extent] {{ {F} }}
             for y in [w.min, w.extent] {{ {OUT} }}"
        )
    };
    proved(COPY, &body("[w.min, w.extent, 1]"));
    open(COPY, &body("[w.min, w.extent - 1, 1]"), Premise::Bounds, "outside");
    open(COPY, &body("[w.min, w.extent, 2]"), Premise::Layout, "products of the extents");
    // Each iteration has a new array.
    let inside = format!(
        "for t in [0, 2] {{
           allocate f.buffer: i32 for f [w.min, w.extent, 1];
           if t == 0 {{ for x in [w.min, w.extent] {{ {F} }} }}
           if t == 1 {{ for y in [w.min, w.extent] {{ {OUT} }} }}
         }}"
    );
    open(COPY, &inside, Premise::Defined, "not written");
}

#[test]
fn s_assign() {
    let body = |store: &str| format!("for y in [w.min, w.extent] {{ {store} }}");
    proved(COPY, &body(FRESH));
    let wrong = |from: &str, to: &str, premise, reason| {
        let store = FRESH.replace(from, to);
        assert_ne!(store, FRESH);
        open(COPY, &body(&store), premise, reason);
    };
    wrong("+ 1i32", "+ 2i32", Premise::Constraint, "prophesied");
    wrong("out.buffer[(y - o.min)", "out.buffer[(y + 1 - o.min)", Premise::Layout, "coordinates");
    wrong("a.buffer[(y - a.min)", "a.buffer[(y + 1 - a.min)", Premise::Defined, "another element");
    wrong(
        "(y - a.min) * a.stride @ a(y)",
        "(y - 1 - a.min) * a.stride @ a(y - 1)",
        Premise::Defined,
        "not written",
    );
    wrong(
        "(y - o.min) * o.stride @ out(y)",
        "(y + 1 - o.min) * o.stride @ out(y + 1)",
        Premise::Bounds,
        "outside",
    );
    // Values that are different expressions go to the solver.
    proved(COPY, &body(&FRESH.replace("+ 1i32", "- 2i32 + 3i32")));
}

#[test]
fn s_assign_prophecy() {
    let body = |point: &str| {
        let more = MORE.replace("point(r)", point).replace("y + r", "y + q");
        format!("for y in [w.min, w.extent] {{ {ZERO} for q in [0, 3] {{ {more} }} }}")
    };
    proved(SUM, &body("point(q)"));
    open(SUM, &body("point(q + 1)"), Premise::Prophecy, "no instance");
}

#[test]
fn vectors() {
    let vector = "out.buffer[ramp((y - o.min) * o.stride, o.stride, 4) @ out(ramp(y, 1, 4)) stage \
        0] = a.buffer[ramp((y - a.min) * a.stride, a.stride, 4) @ a(ramp(y, 1, 4))] + \
        broadcast(1i32, 4);";
    let body = |vector: &str| {
        format!(
            "for t in [0, w.extent / 4] {{ let y: int = t * 4 + w.min; {vector} }}
             for t in [w.extent / 4 * 4, w.extent % 4] {{ let y: int = t + w.min; {FRESH} }}"
        )
        .replacen("for t", "for s", 1)
        .replacen("t * 4", "s * 4", 1)
        .replacen("let y", "let z", 1)
        .replacen(vector, &vector.replace("y,", "z,").replace("(y ", "(z "), 1)
    };
    proved(COPY, &body(vector));
    let far = vector.replace("a.stride, 4", "a.stride + 1, 4");
    open(COPY, &body(&far), Premise::Defined, "another element");
    // All lanes write one element.
    let one = vector.replace(
        "ramp((y - o.min) * o.stride, o.stride, 4) @ out(ramp(y, 1, 4))",
        "broadcast((y - o.min) * o.stride, 4) @ out(broadcast(y, 4))",
    );
    open(COPY, &body(&one), Premise::Constraint, "prophesied");
}
