//! Edited statements of stock Halide whose checks come too late, or whose names stand for something
//! else.

use crate::edited::{Edited, EditedDump, judge_edited, judge_edited_dumps, part};

const SCRIPT: &str = "import halide as hl

def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    a = hl.ImageParam(hl.UInt(32), 1, 'a')
    p = hl.Param(hl.UInt(32), 'p')
    f, out = hl.Func('f'), hl.Func('out')
    {lines}
    return out
";

const TUPLE: &str = "out[x, y] = (x + y, hl.u8(x*y))";
const ATOMIC: &str = "r = hl.RDom([(0, 100)], 'r'); out[x] = hl.u32(0); \
    out[hl.i32(a[r.x] % 10)] += p; out.bound(x, 0, 10); out.update().atomic().parallel(r.x)";
const MEMOIZED: &str = "f[x] = hl.u32(x)*p; out[x] = f[x] + f[x + 1] + a[x]; \
    f.compute_root().memoize()";
const ARRAY: &str = "t = hl.Buffer(hl.UInt(32), [5], 't'); t.fill(3); \
    out[x] = t[hl.clamp(x, 0, 4)]";
const REQUIRED: &str = "out[x] = hl.require(a[x] > p, a[x], p) - hl.require(a[x] > p, p, p)";

const BOUNDS_OF_A: &str = " assert((a.min.0 <= out.min.0) && ((out.extent.0 + out.min.0) <= \
    (a.extent.0 + a.min.0)), halide_error_access_out_of_bounds(\"Input buffer a\", 0, out.min.0, \
    (out.extent.0 + out.min.0) + -1, a.min.0, (a.extent.0 + a.min.0) + -1))\n";

const CASES: [Edited; 12] = [
    (TUPLE, &[], true),
    (
        TUPLE,
        &[(
            "_halide_buffer_get_min((struct halide_buffer_t *)out.1.buffer",
            "_halide_buffer_get_min((struct halide_buffer_t *)out.0.buffer",
        )],
        false,
    ),
    (
        TUPLE,
        &[(
            " produce out {\n",
            " produce out {\n  assert(out.0.stride.1 <= 100, \
            halide_error_constraint_violated(\"s\", 0, \"100\", 100))\n",
        )],
        false,
    ),
    (ATOMIC, &[], true),
    // The index has one name where it is read, and another where it is written.
    (
        ATOMIC,
        &[(
            "     out[t4] = out[t4] + (uint32)p\n",
            "     let t9 = t4\n     out[t9] = out[t4] + (uint32)p\n",
        )],
        false,
    ),
    (ATOMIC, &[("out[t4] = out[t4] + (uint32)p", "out[t4] = (uint32)p + out[t4]")], true),
    (MEMOIZED, &[], true),
    // A call that finds `f` in the cache does not check the bounds of `a`.
    (
        MEMOIZED,
        &[
            (BOUNDS_OF_A, ""),
            (
                " if (f.cache_miss) {\n",
                " if (f.cache_miss) {\n  assert((a.min.0 <= out.min.0) && ((out.extent.0 + \
                 out.min.0) <= (a.extent.0 + a.min.0)), \
                 halide_error_constraint_violated(\"s\", 0, \"100\", 100))\n",
            ),
        ],
        false,
    ),
    (ARRAY, &[], true),
    // The array has another size, so every call ends with an error.
    (ARRAY, &[("t.extent.0 == 5", "t.extent.0 == 7")], false),
    (REQUIRED, &[], true),
    // The differences of two failed requirements are not 0.
    (
        REQUIRED,
        &[(
            "(uint32)require(t15, t14, halide_error_requirement_failed(t16, (char const \
             *)stringify(t14, \" \", (uint32)p, \"\\n\"))) - (uint32)require(t15, (uint32)p, \
             halide_error_requirement_failed(t16, t18))",
            "select(t15, t14 - (uint32)p, (uint32)0)",
        )],
        false,
    ),
];

#[test]
fn checks_come_first_and_names_stand_for_what_they_say() {
    if !judge_edited(SCRIPT, &CASES) {
        eprintln!("skipped: there is no Python with Halide");
    }
}

const ALIGNED: &str = "a.set_host_alignment(32); out[x] = a[x]*2; a.dim(0).set_min(0); \
    out.vectorize(x, 8, hl.TailStrategy.RoundUp); out.output_buffer().dim(0).set_min(0)";
const BITS: &str = "b = hl.ImageParam(hl.Float(32), 1, 'b'); \
    out[x] = hl.reinterpret(hl.UInt(32), b[x])";

const DUMPS: [EditedDump; 3] = [
    // The alignment is checked in some calls.
    (ALIGNED, |dump| {
        let check = part(dump, "(assert (== (% (reinterpret u64 (var h \"a\"))");
        let seldom =
            format!("(if (== (var i32 \"out.extent.0\") (i32 7))\n    (then\n     {check}))");
        dump.replace(check, &seldom)
    }),
    // The output goes to the memory of the input.
    ("out[x] = a[x]", |dump| {
        let host = part(dump, "(let \"out\" (call");
        let own = "(let \"out.buffer\" (var h\"struct halide_buffer_t *\" \"a.buffer\"))";
        dump.replace(host, &format!("{own}\n {host}"))
    }),
    // A NaN has other bits than these.
    (BITS, |dump| {
        let bits = part(dump, "(reinterpret u32 (load f32 \"b\"");
        let float = part(dump, "(load f32 \"b\"");
        let other = format!("(select (!= {float} {float}) (u32 2143289344) {bits})");
        dump.replace(bits, &other)
    }),
];

#[test]
fn dumps_with_late_checks_and_other_structs_are_not_proved() {
    if !judge_edited_dumps(SCRIPT, &DUMPS) {
        eprintln!("skipped: there is no Python with Halide");
    }
}
