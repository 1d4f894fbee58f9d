//! Dumps of stock Halide with other types than Halide's own, or with operations that only the
//! statement has and whose results the compiled code need not have.

use crate::edited::{EditedDump, judge_edited_dumps};
use crate::unchecked_dumps::with;

const SCRIPT: &str = "import halide as hl

def pipeline():
    x = hl.Var('x')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    f, out = hl.Func('f'), hl.Func('out')
    {lines}
    return out
";

const COPY: &str = "out[x] = hl.u32(a[x])";
const TABLE: &str = "f[x] = hl.u32(x)*3; out[x] = f[hl.i32(a[x])]; f.compute_root()";

const MEMO: &str = "f[x] = hl.u32(x)*3; out[x] = f[x]; f.compute_root().memoize()";

/// The element of `a` that the output needs, and its value as it is stored.
const ELEMENT: &str = "(load u8 \"a\" (+ (var i32 \"out.s0.x.rebased\") (var i32 \"t2\")))";

/// Puts another value in the place of the stored one: `V` stands for the old value, and `E` for the
/// element that it converts.
fn stored(dump: &str, value: &str) -> String {
    let old = format!("(cast u32 {ELEMENT})");
    let value = value.replace('E', ELEMENT).replace('V', &old);
    changed(dump, &old, &value)
}

fn changed(dump: &str, from: &str, to: &str) -> String {
    assert_eq!(dump.matches(from).count(), 1, "{from} in\n{dump}");
    dump.replace(from, to)
}

const CASES: [EditedDump; 12] = [
    // The code extends the sign of an index of any type.
    (TABLE, |dump| {
        let index = dump.find("(cast i32 (load u8 \"a\"").expect("the dump has an index");
        let inner = crate::edited::part(&dump[index + "(cast i32 ".len()..], "(load u8");
        changed(dump, &format!("(cast i32 {inner})"), inner)
    }),
    // The code takes each extent modulo 2^32, and counts the bytes of the padding in 32 bits.
    (TABLE, |dump| changed(dump, "Auto 0 ((i32 256))", "Auto 0 ((i64 256))")),
    (TABLE, |dump| changed(dump, "Auto 0 ((i32 256))", "Auto 1073741824 ((i32 256))")),
    // The code takes the stated type for that of the result.
    (COPY, |dump| stored(dump, "(cast u32 (call i8 \"shift_right\" pure-intrinsic 0 E (u8 0)))")),
    // Halide takes this number for 0.
    (COPY, |dump| {
        let condition = "(< (var i32 \"out.s0.x.rebased\") (i32 4294967296))";
        stored(dump, &format!("(select {condition} V (u32 7))"))
    }),
    (MEMO, |dump| {
        assert!(dump.contains("(i32 1) (i32 0)"), "the buffer has a stride and flags");
        dump.replacen("(i32 1) (i32 0)", "(i32 4294967297) (i32 0)", 1)
    }),
    // LLVM takes no float for a NaN.
    (COPY, |dump| {
        let nan = "(call f32 \"nan_f32\" pure-extern 0)";
        stored(dump, &format!("(select (!= {nan} {nan}) V (u32 0))"))
    }),
    // Such a conversion and such shifts have no value.
    (COPY, |dump| stored(dump, "(+ V (- (cast u32 (cast u8 (f32 0x4072C00000000000))) (u32 44)))")),
    (COPY, |dump| {
        stored(dump, "(+ V (* (call u32 \"shift_left\" pure-intrinsic 0 V (u32 40)) (u32 0)))")
    }),
    (COPY, |dump| {
        let shift = "(call u32 \"shift_left\" pure-intrinsic 0 V (u32 40))";
        stored(dump, &format!("(+ V (- {shift} {shift}))"))
    }),
    // Every run ends with an error, if the file cannot be written.
    (COPY, |dump| {
        let buffer = "(var h\"struct halide_buffer_t *\" \"out.buffer\")";
        let call = format!("(call i32 \"debug_to_file\" intrinsic 0 \"/no/folder.npy\" {buffer})");
        let error = "(call i32 \"halide_error_debug_to_file_failed\" extern 0 \"out\" \
            \"/no/folder.npy\" (var i32 \"d\"))";
        let check = format!("(assert (== (var i32 \"d\") (i32 0)) {error})");
        let dump = with(dump, "(produce \"out\"", &format!("(let \"d\" {call})"));
        with(&dump, "(produce \"out\"", &check)
    }),
    (COPY, |dump| stored(dump, "(cast u32 (call u16 \"bitwise_not\" pure-intrinsic 0 E))")),
];

#[test]
fn other_types_and_values_that_code_need_not_have_are_not_proved() {
    if !judge_edited_dumps(SCRIPT, &CASES) {
        eprintln!("skipped: there is no Python with Halide");
    }
}
