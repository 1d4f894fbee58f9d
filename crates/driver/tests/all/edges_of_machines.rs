//! Scripts of stock Halide whose operations some machine computes otherwise than their names say.
//! Those for which the code is wrong are not proved, or the verdict rests on a condition that says
//! so; their twins are proved.

use halidom_diag::Diagnostic;
use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Annotations, Request, bridge};
use halidom_halide::Condition;
use halidom_validate::Verdict;

use crate::common::in_parallel;

/// A target, the value of the output, and the condition on which a proof rests: `None` if there is
/// no proof, and an empty text if the proof needs none.
type Case = (&'static str, &'static str, Option<&'static str>);

const PLAIN: &str = "x86-64-linux-avx-avx2-sse41-f16c-fma";
const OLD: &str = "x86-64-linux";
const STRICT: &str = "x86-64-linux-avx-avx2-sse41-f16c-fma-strict_float";
const OLD_STRICT: &str = "x86-64-linux-strict_float";
const ARM: &str = "arm-64-linux-strict_float";
/// Sums of absolute differences of bytes: eight in a vector, four, and eight of another type.
const EIGHT: &str = "hl.i32(0)
    out[x] += hl.i32(hl.absd(u[r], v[x + r]))
    out.update().split(r, ro, ri, 8).atomic().vectorize(ri)";
const FOUR: &str = "hl.i32(0)
    out[x] += hl.i32(hl.absd(u[r], v[x + r]))
    out.update().split(r, ro, ri, 4).atomic().vectorize(ri)";
const WIDE: &str = "hl.u64(0)
    out[x] += hl.u64(hl.absd(u[r], v[x + r]))
    out.update().split(r, ro, ri, 8).atomic().vectorize(ri)";
const CUDA: &str = "x86-64-linux-avx-avx2-sse41-f16c-fma-cuda";
const STRICT_CUDA: &str = "x86-64-linux-avx-avx2-sse41-f16c-fma-cuda-strict_float";

const CASES: &[Case] = &[
    // x86 takes `a <= b` for `!(a > b)`.
    (STRICT, "hl.select(a[x] < b[x], 1, 0)", Some("")),
    (STRICT, "hl.select(a[x] <= b[x], 1, 0)", None),
    (PLAIN, "hl.select(hl.strict_float(a[x] <= b[x]), 1, 0)", None),
    (ARM, "hl.select(a[x] <= b[x], 1, 0)", Some("")),
    // ARM's minimum is NaN if an operand is.
    (STRICT, "hl.min(a[x], b[x])", Some("")),
    (ARM, "hl.min(a[x], b[x])", None),
    // What the code generators simplify after the statement.
    (STRICT, "a[x] + b[x]", Some("")),
    (STRICT, "a[x] % hl.f32(41)", None),
    (STRICT, "hl.lerp(hl.f32(1.7), hl.f32(3.3), a[x])", None),
    // The sign of zero, and the least integer.
    (STRICT, "hl.abs(a[x])", Some("")),
    (STRICT, "hl.abs(d[x])", None),
    (PLAIN, "hl.abs(d[x])", Some("statement-only")),
    (PLAIN, "hl.abs(i[x])", Some("value-arithmetic-wraps")),
    // A conversion is taken to give a number, also of a strict operator.
    (
        PLAIN,
        "hl.select(hl.is_nan(hl.f64(hl.strict_float(a[x] + b[x]))), 1, 0)",
        Some("statement-only"),
    ),
    (
        PLAIN,
        "hl.saturating_cast(hl.UInt(32), hl.strict_float(a[x] + b[x]))",
        Some("statement-only"),
    ),
    (STRICT, "hl.select(hl.is_nan(hl.f64(a[x] + b[x])), 1, 0)", Some("")),
    // A product of bytes that becomes one of floats, and a sum that does not.
    (
        STRICT,
        "hl.f32(hl.i16(hl.i8(i[x])) * hl.i16(hl.i8(i[x + 1])))\n    out.vectorize(x, 8)",
        None,
    ),
    (
        STRICT,
        "hl.f32(hl.i16(hl.i8(i[x])) + hl.i16(hl.i8(i[x + 1])))\n    out.vectorize(x, 8)",
        Some(""),
    ),
    // The sign of a literal zero is not kept.
    (STRICT, "hl.max(a[x], hl.f32(0))", Some("literal-zeros-positive")),
    // A kernel: the code of a device has an order of its own.
    (CUDA, "a[x] + b[x]\n    out.gpu_tile(x, xi, 16)", Some("")),
    (STRICT_CUDA, "a[x] + b[x]\n    out.gpu_tile(x, xi, 16)", None),
    ("x86-64-linux-opencl", "a[x] + b[x]\n    out.gpu_tile(x, xi, 16)", None),
    ("x86-64-linux-webgpu", "a[x] + b[x]\n    out.gpu_tile(x, xi, 16)", None),
    // Code generators that nobody has read.
    ("arm-64-linux", "i[x] + 1\n    out.vectorize(x, 4)", Some("")),
    ("arm-64-linux-sve2-vector_bits_128", "i[x] + 1\n    out.vectorize(x, 4)", None),
    ("riscv-64-linux-rvv-vector_bits_128", "i[x] + 1\n    out.vectorize(x, 4)", None),
    ("powerpc-64-linux", "i[x] + 1\n    out.vectorize(x, 4)", None),
    // NEON takes denormal numbers for 0.
    ("arm-32-linux-strict_float", "a[x] * b[x]", Some("")),
    ("arm-32-linux-strict_float", "a[x] * b[x]\n    out.vectorize(x, 4)", None),
    ("arm-32-linux", "hl.select(a[x] > 0, 1, 0)\n    out.vectorize(x, 4)", Some("statement-only")),
    ("arm-32-linux", "hl.round(a[x])\n    out.vectorize(x, 4)", None),
    ("arm-32-linux", "hl.strict_float(hl.min(a[x], b[x]))\n    out.vectorize(x, 4)", None),
    ("arm-32-linux", "hl.strict_float(a[x] * b[x])\n    out.vectorize(x, 4)", None),
    // A sum of eight absolute differences of bytes is lost on x86.
    (PLAIN, EIGHT, None),
    (OLD, EIGHT, None),
    ("arm-64-linux", EIGHT, Some("")),
    (PLAIN, FOUR, Some("")),
    (PLAIN, WIDE, Some("")),
    // Halide's own functions.
    (STRICT, "hl.exp(a[x])", Some("named-functions-are-pure")),
    // Rounding, and floats of 16 bits.
    (PLAIN, "hl.round(a[x])", Some("")),
    (OLD, "hl.round(a[x])", None),
    ("arm-32-linux", "hl.round(a[x])", None),
    (PLAIN, "hl.round(h[x])", None),
    (STRICT, "h[x] + h[x]", Some("")),
    (OLD_STRICT, "h[x] + h[x]", None),
    (OLD, "hl.cast(hl.Float(16), a[x])", Some("statement-only")),
    (STRICT, "hl.cast(hl.BFloat(16), a[x])", None),
    // The number of a value in the type of the first operand.
    (PLAIN, "hl.mux(s[x], [x + 3*k for k in range(128)])", Some("")),
    (PLAIN, "hl.mux(s[x], [x + 3*k for k in range(130)])", None),
];

const SCRIPT: &str = "import halide as hl


def pipeline():
    x, xi = hl.Var('x'), hl.Var('xi')
    a, b = hl.ImageParam(hl.Float(32), 1, 'a'), hl.ImageParam(hl.Float(32), 1, 'b')
    d, h = hl.ImageParam(hl.Float(64), 1, 'd'), hl.ImageParam(hl.Float(16), 1, 'h')
    i, s = hl.ImageParam(hl.Int(32), 1, 'i'), hl.ImageParam(hl.Int(8), 1, 's')
    u, v = hl.ImageParam(hl.UInt(8), 1, 'u'), hl.ImageParam(hl.UInt(8), 1, 'v')
    r, ro, ri = hl.RDom([(0, 16)]), hl.RVar('ro'), hl.RVar('ri')
    out = hl.Func('out')
    out[x] = {value}
    return out
";

#[test]
fn edges_of_machines_are_not_overlooked() {
    if bridge::find().is_err() || !bridge::is_installed() {
        println!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::find().expect("there are solvers").of_stock();
    let cases: Vec<(usize, &Case)> = CASES.iter().enumerate().collect();
    let wrong = in_parallel(&cases, |(number, (target, value, expected))| {
        let path = folder.path().join(format!("script_{number}.py"));
        std::fs::write(&path, SCRIPT.replace("{value}", value)).expect("it is written");
        let mut job = bridge::Job::of(bridge::Origin::Script(path));
        job.target = Some((*target).to_owned());
        let proof = stock::read(&Request::of_job(job)).map(|stock| {
            let mut judge = |subject: &halidom_driver::subject::Subject| {
                crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
            };
            let verdict = stock::judged(&stock, Annotations::Never, &mut judge).report.verdict;
            let conditions = stock.subject.compiled.contract.conditions();
            (verdict == Verdict::Proved)
                .then(|| conditions.iter().map(Condition::name).collect::<Vec<_>>())
        });
        let proof = proof.unwrap_or_else(|refusal| {
            // A script that Halide refuses would test nothing.
            let is_unsupported = |of: &Diagnostic| of.code == stock::UNSUPPORTED;
            assert!(refusal.diagnostics.iter().all(is_unsupported), "{refusal:?}");
            None
        });
        let is_right = match (&proof, expected) {
            (None, None) => true,
            (Some(conditions), Some(name)) => name.is_empty() || conditions.contains(name),
            (None | Some(_), _) => false,
        };
        (!is_right).then(|| format!("{target}: {value}: {proof:?}"))
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
