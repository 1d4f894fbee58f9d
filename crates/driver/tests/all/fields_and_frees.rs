//! Dumps of stock Halide whose code lays out, frees, shares or names something in another way than
//! Halide does.

use crate::edited::{EditedDump, judge_edited_dumps, part};
use crate::unchecked_dumps::{line, with, without};

const SCRIPT: &str = "import halide as hl

def pipeline():
    x, y, yo, yi = hl.vars('x y yo yi')
    a = hl.ImageParam(hl.UInt(32), 1, 'a')
    f, out = hl.Func('f'), hl.Func('out')
    {lines}
    return out
";

const SUM: &str = "out[x] = a[x] + 1";
const MEMO: &str = "f[x, y] = x*3 + y; out[x, y] = f[x, y]; f.compute_at(out, y).memoize()";
const MEMO_IN_PARALLEL: &str = "f[x] = hl.u32(x)*3; out[x, y] = f[x] + f[x + 1] + hl.u32(y); \
    f.compute_at(out, y).memoize(); out.parallel(y)";
const FOLD: &str = "b = hl.ImageParam(hl.UInt(8), 2, 'b'); \
    f[x, y] = hl.u16(b[x, y])*hl.u16(3); out[x, y] = f[x, y/2] + f[x, y/2 + 1]; \
    out.split(y, yo, yi, 3); f.store_root().compute_at(out, yo).fold_storage(y, 8)";

/// Changes the first occurrence of some words in the shape of the memoized func's buffer.
fn shaped(dump: &str, from: &str, to: &str) -> String {
    let at = dump.find("(let \"f.buffer\"").expect("the func has a buffer");
    let shape = part(&dump[at..], "(call h\"struct halide_dimension_t *\" \"make_struct\"");
    assert!(shape.contains(from), "{shape}");
    dump.replacen(shape, &shape.replacen(from, to, 1), 1)
}

const CASES: [EditedDump; 8] = [
    // The code lays out fields by their types.
    (MEMO, |dump| shaped(dump, "(i32 1) (i32 0)", "(i64 1) (i32 0)")),
    (MEMO, |dump| shaped(dump, "(i32 1) (i32 0)", "(i32 1) (i32 7)")),
    // The lookups of all iterations write to one buffer.
    (MEMO_IN_PARALLEL, |dump| {
        let (from, end) = line(dump, "(let \"f.buffer\"");
        let made = dump[from..end].trim().to_owned();
        with(&without(dump, "(let \"f.buffer\""), "(for parallel none \"out.s0.y", &made)
    }),
    // Memory for checks of a fold, with another function that frees it.
    (FOLD, |dump| {
        let next = part(dump, "(allocate \"f.out.s0.y.yo_1.head_next\"");
        let freed = next.replace("((i32 1)))", "((i32 1)) (free \"halide_free\"))");
        dump.replace(next, &freed)
    }),
    // It is freed in each iteration.
    (FOLD, |dump| {
        let free = "(free \"f.out.s0.y.yo_1.head_next\")";
        with(&without(dump, free), "(store \"out\"", free)
    }),
    // A failure returns what another call returned, or nothing.
    (SUM, |dump| dump.replace("\"halide_error_bad_type\"", "\"halide_error_extern_stage_failed\"")),
    (SUM, |dump| dump.replace("\"halide_error_bad_type\"", "\"halide_error_of_my_own\"")),
    // The operand of a minimum has this name in the compiler.
    (SUM, |dump| dump.replace("\"out.s0.x.rebased\"", "\"a0\"")),
];

#[test]
fn fields_and_frees_of_other_forms_are_not_proved() {
    if !judge_edited_dumps(SCRIPT, &CASES) {
        eprintln!("skipped: there is no Python with Halide");
    }
}

const PROFILED: &str = "import halide as hl
target = 'host-profile'

def pipeline():
    x = hl.Var('x')
    a = hl.ImageParam(hl.UInt(32), 1, 'a')
    out = hl.Func('out')
    {lines}
    return out
";

#[test]
fn a_profiled_run_that_is_not_ended_is_not_proved() {
    let cases: [EditedDump; 1] = [(SUM, |dump| without(dump, "\"register_destructor\""))];
    if !judge_edited_dumps(PROFILED, &cases) {
        eprintln!("skipped: there is no Python with Halide");
    }
}
