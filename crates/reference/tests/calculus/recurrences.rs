//! The recurrence equations of an algorithm (TV §3.4): which instance writes a location last.

use super::common::{open, proved};
use halidom_reference::Premise;

const ZERO: &str =
    "for z in [w.min, w.extent] { out.buffer[(z - o.min) * o.stride @ out(z) stage 0] = 0i32; }";

/// Runs those instances of a domain of two variables that write within the window.
fn scatter([outer, inner]: [&str; 2], value: &str) -> String {
    format!(
        "{ZERO} for {outer} {{ for {inner} {{ if w.min <= r + s & r + s < w.min + w.extent {{
           out.buffer[(r + s - o.min) * o.stride @ out(r + s) stage 1 point(r, s)] = {value};
         }} }} }}"
    )
}

/// The order of the specification: the first variable of a domain is innermost.
const ORDER: [&str; 2] = ["s in [0, 2]", "r in [0, 3]"];

#[test]
fn the_last_writer_is_the_latest_instance() {
    let out = "stage(v) = 0i32; for d in [0, 3] for e in [0, 2] stage(d + e) = i32(d);";
    proved(out, &scatter(ORDER, "i32(r)"));
    let [outer, inner] = ORDER;
    open(out, &scatter([inner, outer], "i32(r)"), Premise::Output, "last value");
}

#[test]
fn a_read_of_the_func_is_of_the_instance_before() {
    let out =
        "stage(v) = 0i32; for d in [0, 3] for e in [0, 2] stage(d + e) = out(d + e) + i32(d);";
    let read = "out.buffer[(r + s - o.min) * o.stride @ out(r + s)]";
    proved(out, &scatter(ORDER, &format!("{read} + i32(r)")));
    // A filter removes instances.
    let filtered = out.replacen(" stage(d", " if d < 2 stage(d", 1);
    open(&filtered, &scatter(ORDER, &format!("{read} + i32(r)")), Premise::Prophecy, "no instance");
    let fewer = scatter(ORDER, &format!("{read} + i32(r)")).replace("if w.min", "if r < 2 & w.min");
    proved(&filtered, &fewer);
}

#[test]
fn a_pure_variable_keeps_its_place() {
    let out = "stage(v) = 0i32; stage(w.min) = i32(v);";
    let body = format!(
        "{ZERO} if 0 < w.extent {{ out.buffer[(w.min - o.min) * o.stride @ out(w.min) stage 1] = \
            i32(w.min); }}"
    );
    let out = out.replace("stage(w.min)", "stage(a.min)");
    open(&out, &body, Premise::Prophecy, "its own place");
}
