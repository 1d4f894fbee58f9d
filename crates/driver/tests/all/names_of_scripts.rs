//! Scripts of stock Halide in which one name stands for two things.

use std::path::Path;

use halidom_driver::stock::{self, Request, bridge};

const SCRIPT: &str = "import halide as hl

def pipeline():
    x, out = hl.Var('x'), hl.Func('out')
    a = hl.ImageParam(hl.Int(32), 1, 'a')
    {lines}
    return out
";

/// Scripts that are refused, each with a twin that differs in a name alone.
const CASES: [(&str, [&str; 2]); 19] = [
    // The argument of a parallel loop's body. The code ends by a fault.
    (
        "b = hl.Buffer(hl.Int(32), [4], '{name}'); b.fill(1); y = hl.Var('y'); \
         f = hl.Func('f'); f[x, y] = b[hl.clamp(x, 0, 3)]; f.compute_root().parallel(y); \
         out[x] = f[x, x] + a[x]",
        ["closure_arg", "b"],
    ),
    ("p = hl.Param(hl.Int(32), '{name}'); out[x] = x + p + a[x]", ["a.buffer", "p"]),
    (
        "p, q = hl.Param(hl.Int(32), 'p'), hl.Param(hl.Int(32), '{name}'); out[x] = x + p + 100*q",
        ["p", "q"],
    ),
    ("p = hl.Param(hl.Int(32), '{name}'); out[x] = x + 10*p", ["x", "y"]),
    (
        "r, s = hl.RDom([(0, 3)], 'r'), hl.RDom([(0, 4)], '{name}'); out[x] = 0; \
         out[x] += hl.sum(s, a[x + 10*r.x + s.x])",
        ["r", "s"],
    ),
    ("v, r = hl.Var('{name}'), hl.RDom([(0, 3)], 'r'); out[v] = hl.sum(a[v + r.x])", ["r$x", "v"]),
    (
        "b = hl.Buffer(hl.Int(32), [4], 'b'); b.fill(1); c = hl.Buffer(hl.Int(32), [4], '{name}'); \
         c.fill(2); out[x] = b[hl.clamp(x, 0, 3)] + 10*c[hl.clamp(x, 0, 3)]",
        ["b", "c"],
    ),
    // Halide's compiler computes `p - p`, and keeps one of two names.
    (
        "p, q = hl.Param(hl.Int(32), 'p'), hl.Param(hl.Int(32), '{name}'); out[x] = x + p - q",
        ["p", "q"],
    ),
    // One of them is in another definition.
    (
        "p, q = hl.ImageParam(hl.Int(32), 1, 'p'), hl.ImageParam(hl.Int(32), 1, '{name}'); \
         f = hl.Func('f'); f[x] = p[x]; f.compute_root(); out[x] = f[x] - q[x]",
        ["p", "q"],
    ),
    // Arrays get names in several ways, and may begin at different places.
    (
        "b = hl.Buffer(hl.Int(32), [4], 'b'); b.fill(1); c = hl.Buffer(hl.Int(32), [4], 'd'); \
         c.fill(2); c.set_name('{name}'); out[x] = b[hl.clamp(x, 0, 3)] + 10*c[hl.clamp(x, 0, 3)]",
        ["b", "c"],
    ),
    (
        "b = hl.Buffer.make_interleaved(hl.Int(32), 4, 1, 1, 'b'); b.fill(1); \
         c = hl.Buffer.make_interleaved(hl.Int(32), 4, 1, 1, '{name}'); c.fill(2); \
         out[x] = b[hl.clamp(x, 0, 3), 0, 0] + 10*c[hl.clamp(x, 0, 3), 0, 0]",
        ["b", "c"],
    ),
    (
        "b = hl.Buffer(hl.Int(32), [4], 'b'); b.fill(1); \
         c = hl.Buffer(hl.Int(32), [4], '{name}'); c.fill(1); c.set_min([1]); \
         out[x] = b[hl.clamp(x, 0, 3)] + 10*c[hl.clamp(x, 1, 4)]",
        ["b", "c"],
    ),
    // A variable that Halide makes by itself.
    (
        "p = hl.Param(hl.Int(32), '{name}'); \
         e = hl.BoundaryConditions.constant_exterior(a, p, [(0, 10)]); out[x] = e[x - 5]",
        ["_0", "q"],
    ),
    // A name of the compiler's own.
    ("p = hl.Param(hl.Int(32), '{name}'); out[x] = x + p", ["t18", "t"]),
    ("p = hl.Param(hl.Int(32), '{name}'); out[x] = hl.max(a[x], p)", ["a0", "a00b"]),
    ("b = hl.ImageParam(hl.Int(32), 1, '{name}'); out[x] = hl.max(a[x], b[x])", ["a0", "b"]),
    (
        "b = hl.Buffer(hl.Int(32), [4], '{name}'); b.fill(1); out[x] = b[hl.clamp(x, 0, 3)]",
        ["b7", "b"],
    ),
    // A func of the same name.
    (
        "f = hl.Func('f'); f[x] = 7*x; b = hl.Buffer(hl.Int(32), [4], '{name}'); b.fill(3); \
         out[x] = f[x] + b[hl.clamp(x, 0, 3)]",
        ["f", "b"],
    ),
    (
        "f = hl.Func('f'); f[x] = 7*x; b = hl.ImageParam(hl.Int(32), 1, '{name}'); \
         out[x] = f[x] + b[x]",
        ["f", "b"],
    ),
];

fn is_read(folder: &Path, lines: &str) -> bool {
    let path = folder.join("pipeline.py");
    std::fs::write(&path, SCRIPT.replace("{lines}", lines)).expect("it is written");
    let job = bridge::Job::of(bridge::Origin::Script(path));
    stock::read(&Request::of_job(job)).is_ok()
}

#[test]
fn a_name_of_two_things_is_refused() {
    if bridge::find().is_err() || !bridge::is_installed() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (lines, [twice, once]) in CASES {
        assert!(!is_read(folder.path(), &lines.replace("{name}", twice)), "{lines}: {twice}");
        assert!(is_read(folder.path(), &lines.replace("{name}", once)), "{lines}: {once}");
    }
    // Two domains of one name in two definitions, one array twice, and things of one name in
    // several pipelines.
    for lines in [
        "p = [hl.Param(hl.Int(32), 'p') for n in range(2)]; hl.Func('f')[x] = a[x] + p[0]; \
         out[x] = a[x] + p[1]",
        "p = [hl.ImageParam(hl.Int(32), 1, 'p') for n in range(2)]; f = hl.Func('f'); \
         f[x] = p[0][x]; hl.Pipeline(f).infer_arguments(); out[x] = p[1][x]",
        "p = hl.Param(hl.Int(32), 'y'); y = hl.Var('y'); hl.Func('f')[y] = a[y]; out[x] = a[x] + p",
        "b = hl.Buffer(hl.Int(32), [4], 'b'); b.fill(1); c = hl.Buffer(hl.Int(32), [4], 'b'); \
         c.fill(2); out[x] = b[hl.clamp(x, 0, 3)]; hl.Buffer()",
        "f = hl.Func('f'); r, s = hl.RDom([(0, 3)], 'r'), hl.RDom([(0, 4)], 'r'); f[x] = 0; \
         f[x] += a[x + r.x]; out[x] = 0; out[x] += f[x + s.x]",
        "b = hl.Buffer(hl.Int(32), [4], 'b'); b.fill(1); c = hl.Buffer(hl.Int(32), [4], 'b'); \
         c.fill(1); out[x] = b[hl.clamp(x, 0, 3)] + 10*c[hl.clamp(x, 0, 3)]",
    ] {
        assert!(is_read(folder.path(), lines), "{lines}");
    }
}
