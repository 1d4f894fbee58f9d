//! Programs that are right and wrong, with the laws that may show it.

#[path = "../../../tests/all/common/programs.rs"]
mod programs;

use programs::{EDITS, folded, sums, tiles, updated, wrong};

/// A program without inputs: its funcs and its statements.
pub(super) fn small(funcs: &str, body: &str) -> String {
    format!(
        "algorithm small {{ param x: f32; param y: f32; param z: f32; param n: i32; {funcs} \
            output out; }}
         program small {{ output out in out.buffer window; {body} }}"
    )
}

/// A program whose memory is numbered by quotients, with this length of the memory.
pub(super) fn quotients(length: &str) -> String {
    format!(
        "algorithm rows {{ param m: int; param k: int;
           func f(a): i32 {{ stage(a) = i32(a); }}
           func out(): i32 {{ stage() = f(0); }}
           output out; }}
         program rows {{ output out in out.buffer window;
           assert 0 <= m & m <= 1000, size_limit \"m\"; assert 1 <= k & k <= 1000, size_limit \"k\";
           allocate f.buffer: i32 for f [0, {length}, 1];
           func f [0, m / k + 1] {{
             for i in [0, m + 1] {{ f.buffer[i / k @ f(i / k) stage 0] = i32(i / k); }}
           }}
           func out {{ out.buffer[0 @ out() stage 0] = f.buffer[0 @ f(0)]; }} }}"
    )
}

/// A program that fills `m` elements in pairs, in a loop of this length.
pub(super) fn pairs(length: &str) -> String {
    format!(
        "algorithm pairs {{ param m: int;
           func f(a): i32 {{ stage(a) = i32(a); }}
           func out(): i32 {{ stage() = f(0); }}
           output out; }}
         program pairs {{ output out in out.buffer window;
           assert 1 <= m & m <= 1000, size_limit \"m\";
           allocate f.buffer: i32 for f [0, m + 1, 1];
           func f [0, m] {{
             for i in [0, {length}] {{ f.buffer[i @ f(i) stage 0] = i32(i); }}
           }}
           func out {{ out.buffer[0 @ out() stage 0] = f.buffer[0 @ f(0)]; }} }}"
    )
}

/// A program whose only store runs under a condition on the loop around its label.
pub(super) fn guarded(condition: &str) -> String {
    small(
        "func d(a): i32 { stage(a) = n; } func out(): i32 { stage() = d(0); }",
        &format!(
            "func out {{ for p in [0, 2] {{
               allocate d.buffer: i32 for d [0, 1, 1];
               func d [0, 1] {{ if {condition} {{ d.buffer[0 @ d(0) stage 0] = n; }} }}
               out.buffer[0 @ out() stage 0] = d.buffer[0 @ d(0)];
             }} }}"
        ),
    )
}

/// A program whose memory is numbered by products with a factor that is at least minus this.
pub(super) fn factors(least: u32) -> String {
    format!(
        "algorithm rows {{ param m: int; param k: int;
           func f(a): i32 {{ stage(a) = i32(a); }}
           func out(): i32 {{ stage() = f(0); }}
           output out; }}
         program rows {{ output out in out.buffer window;
           assert 1 <= m & m <= 1000, size_limit \"m\";
           assert 0 - {least} <= k & k <= 1000, size_limit \"k\";
           allocate f.buffer: i32 for f [0, m * k + m * 1000 + 1, 1];
           func f [0, 1] {{
             f.buffer[m * k @ f(m * k) stage 0] = i32(m * k);
             f.buffer[0 @ f(0) stage 0] = i32(0);
           }}
           func out {{ out.buffer[0 @ out() stage 0] = f.buffer[0 @ f(0)]; }} }}"
    )
}

/// A program that computes an `int` from parameters up to 2^40, under a condition.
pub(super) fn large(condition: &str, value: &str) -> String {
    let most = 1_i64 << 40;
    format!(
        "algorithm large {{ param m: int; param k: int;
           func out(): i32 {{ stage() = i32({value}); }}
           output out; }}
         program large {{ output out in out.buffer window;
           assert 0 <= m & m <= {most}, size_limit \"m\";
           assert 0 <= k & k <= {most}, size_limit \"k\";
           assert {condition}, size_limit \"both\";
           func out {{ out.buffer[0 @ out() stage 0] = i32({value}); }} }}"
    )
}

/// A program with memory of four columns and two rows, and the strides of both.
pub(super) fn strides(column: u32, row: u32) -> String {
    let element = format!("i * {column} + j * {row}");
    small(
        "func f(a, b): i32 { stage(a, b) = i32(a) + n; } func out(): i32 { stage() = f(3, 0); }",
        &format!(
            "allocate f.buffer: i32 for f [0, 4, {column}] [0, 2, {row}];
             func f [0, 4] [0, 2] {{ for j in [0, 2] {{ for i in [0, 4] {{
               f.buffer[{element} @ f(i, j) stage 0] = i32(i) + n;
             }} }} }}
             func out {{ out.buffer[0 @ out() stage 0] = f.buffer[3 * {column} @ f(3, 0)]; }}"
        ),
    )
}

/// A program that stores one value, where another is specified.
pub(super) fn value(ty: &str, specified: &str, stored: &str) -> String {
    small(
        &format!("func out(): {ty} {{ stage() = {specified}; }}"),
        &format!("func out {{ out.buffer[0 @ out() stage 0] = {stored}; }}"),
    )
}

/// A program whose update runs where the condition holds. It changes something where `n < 9`.
fn updated_where(condition: &str) -> String {
    small(
        "func out(): i32 { stage() = n; stage() = select(n < 9i32, out() + 1i32, out()); }",
        &format!(
            "func out {{ out.buffer[0 @ out() stage 0] = n; if {condition} {{ \
                out.buffer[0 @ out() stage 1] = out.buffer[0 @ out()] + 1i32; }} }}"
        ),
    )
}

/// The programs that are right, each with a name and the equality of floats that it needs.
pub(super) fn all_right() -> Vec<(&'static str, &'static str, String)> {
    let clamp = "if n < 9i32 { out.buffer[0 @ out() stage 0] = n * n; } \
        else { out.buffer[0 @ out() stage 0] = 9i32 * n; }";
    let clamp = small(
        "func out(): i32 { stage() = min(n, 9i32) * n; }",
        &format!("func out {{ {clamp} }}"),
    );
    vec![
        ("tiles", "bits", tiles()),
        ("sums", "bits", sums()),
        ("folded", "bits", folded()),
        ("updated", "bits", updated()),
        ("clamp", "bits", clamp),
        ("guard of all loops", "bits", guarded("p < 2")),
        ("factors", "bits", factors(0)),
        ("rows", "bits", strides(1, 4)),
        ("columns", "bits", strides(2, 1)),
        ("quotients", "bits", quotients("m / k + 1")),
        ("pairs", "bits", pairs("(m + 1) / 2 * 2")),
        ("update that runs where it must", "bits", updated_where("n < 9i32")),
        ("product", "bits", large("m * k <= 1125899906842624", "m * k")),
        ("product of choices", "bits", large("1 <= m", "select(m < k, m, 5) * min(k, 1000)")),
        ("product of quotients", "bits", large("1 <= m", "(m / 3) * (min(k, 1000) / 5)")),
        ("grouping", "axioms", value("f32", "(x + y) + z", "x + (y + z)")),
        ("distributed", "axioms", value("f32", "x * (y + z)", "z * x + y * x")),
        ("signs", "bits", value("f32", "x - y * z", "x + y * neg(z)")),
        ("thirds", "reals", value("f32", "x / 3.0f32 + x / 1.5f32", "x")),
        ("zeros", "bits", value("i32", "i32(0.0f32 - x)", "i32(neg(x))")),
        ("cancelled", "reals", value("f32", "(x + y) - y", "x")),
    ]
}

/// The programs that are wrong, each with a name and the weakest equality of floats that is
/// permitted.
pub(super) fn all_wrong() -> Vec<(&'static str, &'static str, String)> {
    let mut found: Vec<_> = EDITS.iter().map(|(name, ..)| (*name, "reals", wrong(name))).collect();
    let clamp = |then: &str, otherwise: &str| {
        let body = format!(
            "func out {{ if n < 9i32 {{ out.buffer[0 @ out() stage 0] = {then}; }} \
                else {{ out.buffer[0 @ out() stage 0] = {otherwise}; }} }}"
        );
        small("func out(): i32 { stage() = min(n, 9i32) * n; }", &body)
    };
    let parallel = |base: String| base.replacen("for ox in", "parallel ox in", 1);
    let (width, first) = ("select(ox == output.window.min.0, 2, 1)", "select(ox == 0, 1, 1)");
    found.extend([
        ("quotients above", "bits", quotients("m / k")),
        // Nothing but the coverage of the last element is open.
        ("a pair too few", "bits", pairs("m / 2 * 2")),
        (
            "a quotient too many",
            "bits",
            quotients("m / k + 1").replacen("for i in [0, m + 1]", "for i in [0, m + 2]", 1),
        ),
        ("update that runs too seldom", "bits", updated_where("n < 8i32")),
        ("product", "bits", large("m <= k", "m * k")),
        ("product of choices", "bits", large("1 <= m", "select(m < k, m, 5) * min(m, k)")),
        ("product of quotients", "bits", large("1 <= m", "(m / 3) * (k / 5)")),
        ("wrong limit", "bits", large("m * k <= 1000 | k <= m", "m * k")),
        ("choice of products", "bits", large("m <= k", "min(m * m, k * k)")),
        ("guard of the loop around", "bits", guarded("p < 1")),
        ("negative factor", "bits", factors(1000)),
        ("value of one column", "bits", strides(1, 4).replacen("= i32(i) + n", "= n", 1)),
        ("element of one column", "bits", strides(1, 4).replacen("[i * 1 +", "[0 +", 1)),
        ("rows that overlap", "bits", strides(1, 3)),
        ("columns that overlap", "bits", strides(1, 1)),
        ("clamp above", "reals", clamp("n * n", "n * n")),
        ("clamp below", "reals", clamp("9i32 * n", "9i32 * n")),
        ("grouping of bits", "bits", value("f32", "(x + y) + z", "x + (y + z)")),
        ("sign under axioms", "axioms", value("f32", "(x + y) + z", "(x + y) - z")),
        ("cancelled under axioms", "axioms", value("f32", "(x + y) - y", "x")),
        ("numbers", "reals", value("f32", "x + 1.0f32", "x + 2.0f32")),
        ("distributed bits", "bits", value("f32", "x * (y + z)", "z * x + y * x")),
        ("distributed twice", "reals", value("f32", "x * (y + z)", "z * x + y")),
        ("signs of bits", "bits", value("f32", "x - (y + z)", "x + (neg(y) - z)")),
        ("fourths", "reals", value("f32", "x / 3.0f32 + x / 1.5f32", "x + x / 4.0f32")),
        ("zeros of a divisor", "bits", value("i32", "i32(y / (0.0f32 - x))", "i32(y / neg(x))")),
        ("lesser", "axioms", value("f32", "min(x, min(y, z))", "min(x, y)")),
        ("not a number", "reals", value("f32", "inff32 - inff32", "0.0f32")),
        ("condition", "reals", value("f32", "select(x < y, x, y)", "select(y < x, x, y)")),
        ("window over a parallel loop", "bits", parallel(folded())),
        ("updates over a parallel loop", "bits", parallel(updated())),
        ("window too short at first", "bits", folded().replacen(width, first, 1)),
        ("updates too short at first", "bits", updated().replacen(width, first, 1)),
        ("tile too short", "bits", tiles().replacen("for xi in [0, 4]", "for xi in [0, 3]", 1)),
        (
            "tile of another",
            "bits",
            tiles().replacen("let ox: int = xo * 4", "let ox: int = xo * 3", 1),
        ),
    ]);
    found
}
