//! Dumps of stock Halide without a check that the code relies on, or with parts that are not judged
//! but may fail.

use crate::edited::{Edited, EditedDump, judge_edited, judge_edited_dumps, part};

const SCRIPT: &str = "import halide as hl

def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    a = hl.ImageParam(hl.UInt(32), 1, 'a')
    f, out = hl.Func('f'), hl.Func('out')
    {lines}
    return out
";

const SUM: &str = "out[x] = a[x] + 1";
const TUPLE: &str = "out[x, y] = (x + y, hl.u8(x*y))";
const ARRAY: &str = "t = hl.Buffer(hl.UInt(32), [5], 't'); t.fill(3); \
    out[x] = a[x] + t[hl.clamp(x, 0, 4)]";
const ATOMIC: &str = "b = hl.ImageParam(hl.UInt(32), 2, 'b'); \
    r = hl.RDom([(0, 20), (0, 30)], 'r'); out[x] = hl.u32(0); \
    out[hl.i32(b[r.x, r.y]%10)] += hl.u32(1); out.bound(x, 0, 10); \
    out.update().atomic().parallel(r.x).parallel(r.y)";

/// Leaves out the line with some words.
pub(crate) fn without(dump: &str, words: &str) -> String {
    let (from, end) = line(dump, words);
    [&dump[..from], &dump[end..]].concat()
}

/// Adds a line before the one with some words.
pub(crate) fn with(dump: &str, words: &str, added: &str) -> String {
    let (from, _) = line(dump, words);
    let indent = dump[from..].len() - dump[from..].trim_start_matches(' ').len();
    [&dump[..from], &" ".repeat(indent), added, "\n", &dump[from..]].concat()
}

/// The ends of the first line with some words.
pub(crate) fn line(dump: &str, words: &str) -> (usize, usize) {
    let at = dump.find(words).expect("the dump has these words");
    let from = dump[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = dump[at..].find('\n').map_or(dump.len(), |end| at + end + 1);
    (from, end)
}

/// Puts the atomic update around the loop that is around it.
fn atomic_loop(dump: &str) -> String {
    let (from, _) = line(dump, "(for parallel none \"out.s1.r$x\"");
    let (update, end) = line(dump, "(atomic \"out\"");
    let inner = dump[from..update].lines().map(|line| [" ", line, "\n"].concat());
    let update = dump[update..end].trim_start_matches(' ');
    let indent = dump[from..].len() - dump[from..].trim_start_matches(' ').len();
    let inner: String = inner.collect();
    [&dump[..from], &" ".repeat(indent), update, &inner, &dump[end..]].concat()
}

const OUTPUT: &str = "(produce \"out\"";

const CASES: [EditedDump; 19] = [
    (SUM, |dump| without(dump, "(assert (== (var u32 \"a.type\")")),
    (SUM, |dump| without(dump, "(assert (== (var u32 \"out.type\")")),
    (SUM, |dump| without(dump, "(assert (== (var i32 \"out.dimensions\")")),
    (SUM, |dump| without(dump, "(assert (! (var u1 \"a.device_dirty\"))")),
    // The rank is the number of another buffer's dimensions.
    (SUM, |dump| {
        let rank = part(dump, "(let \"out.dimensions\"");
        dump.replace(rank, &rank.replace("\"out.buffer\"", "\"a.buffer\""))
    }),
    // The body of a parallel loop is a function of its own.
    (ATOMIC, atomic_loop),
    // Calls of a thousand elements fail.
    (SUM, |dump| {
        let fails = "(let \"t99\" (call u32 \"require\" intrinsic 0 (< (var i32 \"out.extent.0\") \
             (i32 1000)) (u32 1) (call i32 \"halide_error_requirement_failed\" extern 0 \"x\" \
             \"y\")))";
        with(dump, OUTPUT, fails)
    }),
    (SUM, |dump| {
        let checked = "(assert (< (load i32 \"out.out.s0.x_1.head\" (i32 0)) (i32 1000)) (call i32 \
             \"halide_error_fold_factor_too_small\" extern 0 \"out\" \"x\" (i32 1) \"x\" \
             (i32 2)))";
        let dump = with(dump, OUTPUT, checked);
        let stored = "(store \"out.out.s0.x_1.head\" (i32 0) (var i32 \"out.extent.0\"))";
        let dump = with(&dump, "(assert (< (load i32 \"out.out.s0.x_1.head\"", stored);
        with(&dump, "(store \"out.out.s0.x_1.head\"", FOLD)
    }),
    // Names of memory for another purpose, whose elements are narrower than what is stored.
    (SUM, |dump| {
        let dump = with(dump, OUTPUT, "(store \"profiler_func_names\" (i32 9) (u64 1))");
        let memory = "(allocate \"profiler_func_names\" u8 Stack 0 ((i32 10)))";
        with(&dump, "(store \"profiler_func_names\"", memory)
    }),
    // The function follows two pointers.
    (SUM, |dump| {
        let retired = "(evaluate (call i32 \"_halide_buffer_retire_crop_after_extern_stage\" \
             extern 0 (var h\"struct halide_buffer_t *\" \"out.buffer\")))";
        with(dump, OUTPUT, retired)
    }),
    // The event has one value, and not sixteen.
    (SUM, |dump| {
        let event = "(evaluate (call i32 \"halide_trace_helper\" extern 0 \"out\" (call \
             h\"void *\" \"make_struct\" intrinsic 0 (u32 1)) (call h\"int32_t *\" \"make_struct\" \
             intrinsic 0 (i32 1)) (i32 1) (i32 32) (i32 16) (i32 1) (i32 0) (i32 0) \
             (i32 1) \"x\"))";
        with(dump, OUTPUT, event)
    }),
    (SUM, |dump| with(dump, OUTPUT, "(evaluate (call i32 \"halide_print\" extern 0 (i32 5)))")),
    (ARRAY, |dump| {
        let other = "(let \"t.buffer\" (var h\"struct halide_buffer_t *\" \"a.buffer\"))";
        with(dump, "(let \"t\" (call", other)
    }),
    (TUPLE, |dump| {
        let extent = part(dump, "(let \"out.1.extent.0\"");
        dump.replace(extent, &extent.replace("_get_extent", "_get_min"))
    }),
    (TUPLE, |dump| {
        let dump = without(dump, "(assert (== (var i32 \"out.1.stride.0\") (i32 1))");
        let asked = "(assert (== (var i32 \"out.0.stride.0\") (i32 1))";
        dump.replace(asked, "(assert (== (+ (var i32 \"out.0.stride.0\") (i32 0)) (i32 1))")
    }),
    (TUPLE, |dump| {
        let dump = without(dump, "(assert (== (var i32 \"out.1.stride.0\") (i32 1))");
        let asked = "(assert (== (var i32 \"out.0.stride.0\") (i32 1))";
        let field = part(
            &dump,
            "(call i32 \"_halide_buffer_get_stride\" extern 0 (var h\"struct \
             halide_buffer_t *\" \"out.0.buffer\") (i32 0)",
        );
        dump.replace(asked, &format!("(assert (== {field} (i32 1))"))
    }),
    // What looks like a limit of sizes states a stride.
    (TUPLE, |dump| {
        let limit = "(assert (<= (* (cast i64 (var i32 \"out.0.stride.1\")) (i64 2147483)) (i64 \
             2147483647)) (call i32 \"halide_error_buffer_allocation_too_large\" extern 0 \
             \"out.0\" (u64 1) (u64 2)))";
        with(dump, "(assert (! (var u1 \"out.0.device_dirty\"))", limit)
    }),
    // Only the name of a copy.
    (SUM, |dump| {
        let dump = without(dump, "(assert (! (var u1 \"a.device_dirty\"))");
        with(&dump, OUTPUT, "(let \"halide_copy_to_host\" (i32 0))")
    }),
    // An element of the second component lies where the first one's stride says.
    (TUPLE, |dump| {
        let (start, end) = line(dump, OUTPUT);
        let field = part(
            dump,
            "(call i32 \"_halide_buffer_get_stride\" extern 0 (var h\"struct \
             halide_buffer_t *\" \"out.0.buffer\") (i32 1)",
        );
        let rest = dump[end..].replace("(var i32 \"out.1.stride.1\")", field);
        [&dump[..start], &dump[start..end], &rest].concat()
    }),
];

const FOLD: &str = "(allocate \"out.out.s0.x_1.head\" i32 Auto 0 ((i32 1)))";

#[test]
fn dumps_without_checks_and_with_calls_that_fail_are_not_proved() {
    if !judge_edited_dumps(SCRIPT, &CASES) {
        eprintln!("skipped: there is no Python with Halide");
    }
}

/// Programs whose machine code differs from their statement, each with a twin.
const COMPILED: [Edited; 5] = [
    // LLVM takes a vector at descending constants for its first element.
    (
        "b = hl.ImageParam(hl.UInt(32), 1, 'b'); q, r = hl.RDom([(0, 8)], 'q'), \
         hl.RDom([(0, 8)], 'r'); r.where(b[r.x] == 7); f[x] = hl.u32(x); f[16 + q] = f[15 - 2*q]; \
         f[r.x] = a[r.x]; out[x] = f[15 - 2*x] + f[16 + x]; out.bound(x, 0, 8).vectorize(x, 8); \
         f.compute_root().vectorize(x, 8); f.update().vectorize(q, 8); \
         f.update(1).vectorize(r.x, 8)",
        &[],
        false,
    ),
    (
        "b = hl.ImageParam(hl.UInt(32), 1, 'b'); q, r = hl.RDom([(0, 8)], 'q'), \
         hl.RDom([(0, 8)], 'r'); r.where(b[r.x] == 7); f[x] = hl.u32(x); f[16 + q] = f[15 - 2*q]; \
         f[r.x] = a[r.x]; out[x] = f[15 - 2*x] + f[16 + x]; out.bound(x, 0, 8); f.compute_root()",
        &[],
        true,
    ),
    // The stack of a thread holds no 10 MiB.
    (
        "fs = [hl.Func('f%d_' % n) for n in range(40)]; \
         [f.__setitem__(x, a[x] + hl.u32(n)) for n, f in enumerate(fs)]; \
         [f.compute_root().store_in(hl.MemoryType.Register) for f in fs]; \
         [f.bound_storage(x, 1 << 16) for f in fs]; \
         out[x] = sum([f[x] + f[x + 65535] for f in fs[1:]], fs[0][x]); out.bound(x, 0, 1)",
        &[],
        false,
    ),
    // The number of bytes is computed modulo 2^32.
    (
        "f[x] = a[x%10]; out[x] = f[x] + f[x + (1 << 30)]; f.compute_root(); out.bound(x, 0, 10)",
        &[],
        false,
    ),
    (
        "f[x] = a[x%10]; out[x] = f[x] + f[x + (1 << 20)]; f.compute_root(); out.bound(x, 0, 10)",
        &[],
        true,
    ),
];

#[test]
fn statements_whose_machine_code_differs_are_not_proved() {
    if !judge_edited(SCRIPT, &COMPILED) {
        eprintln!("skipped: there is no Python with Halide");
    }
}
