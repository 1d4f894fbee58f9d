//! Tests stages, domains and inline reductions as they arrive in the algorithm.

use halidom_ir::print;

use crate::common::{parse_text, parse_valid};

/// Returns the printed funcs of a pipeline with this body.
fn printed(body: &str) -> String {
    let text = format!(
        "pipeline p(a: buffer<f32, 2>, n: int, k: i32) -> out: buffer<f32, 1> {{ {body} }}"
    );
    let module = parse_valid(body, &text);
    let printed = print::algorithm(&module.pool, &module.pipelines[0].algorithm);
    let start = printed.find("  func").unwrap();
    let lines =
        printed[start..].lines().filter(|line| line.contains("func") || line.contains("stage"));
    lines.map(str::trim).collect::<Vec<_>>().join("\n")
}

#[test]
fn stages_are_what_was_written() {
    for (body, expected) in [
        (
            "func out(x) { out(x) = 0.0; out(x) += a(x, 0); out(0) *= 2; out(1) max= a(0, 0); }",
            "func out(x): f32 {
stage(x) = 0.0f32;
stage(x) = out(x) + a(x, 0);
stage(0) = out(0) * 2.0f32;
stage(1) = max(out(1), a(0, 0));",
        ),
        (
            "func out(x) { let zero = 0.0; out(x) = zero; for (r, s) in (0..n, k..a.height) where \
                r < s { let v = a(r, s); out(r) min= v * v; } }",
            "func out(x): f32 {
stage(x) = 0.0f32;
for r in [0, n] for s in [int(k), a.extent.1 - int(k)] if r < s stage(r) = min(out(r), a(r, s) * \
a(r, s));",
        ),
        (
            "func out(x) { out(x) = 1; for r in 3..10 { out(x) = out(x) + a(x, r); } }",
            "func out(x): f32 {
stage(x) = 1.0f32;
for r in [3, 7] stage(x) = out(x) + a(x, r);",
        ),
        (
            "func out(x) = sum(r in 0..n where r < x: a(x, r)) + product((r, s) in (0..2, 0..3): \
                a(r, s));",
            "func sum$1(x): f32 {
stage(x) = 0.0f32;
for r in [0, n] if r < x stage(x) = sum$1(x) + a(x, r);
func product$2(): f32 {
stage() = 1.0f32;
for r$1 in [0, 2] for s in [0, 3] stage() = product$2() * a(r$1, s);
func out(x$1): f32 {
stage(x$1) = sum$1(x$1) + product$2();",
        ),
        (
            "func out(x) { out(x) = 0; for s in 0..n { out(x) += maximum(r in 0..n: a(r, s)); } }",
            "func maximum$1(s): f32 {
stage(s) = -inff32;
for r in [0, n] stage(s) = max(maximum$1(s), a(r, s));
func out(x): f32 {
stage(x) = 0.0f32;
for s$1 in [0, n] stage(x) = out(x) + maximum$1(s$1);",
        ),
        (
            "func f(x): (i32, f32) \
                { f(x) = (0, 1); for r in 0..n { let now = f(x); \
                f(x) = select(a(x, r) < now.1, (now.0 + 1, a(x, r)), now); } }
             func g = repeat_edge(f, 0..n); func out(x) = f32(g(x).0) * g(x - 1).1;",
            "func f(x): (i32, f32) {
stage(x) = (0i32, 1.0f32);
for r in [0, n] stage(x) = (select(a(x, r) < f.1(x), f.0(x) + 1i32, f.0(x)), select(a(x, r) < \
f.1(x), a(x, r), f.1(x)));
synthetic func g(x$1): (i32, f32) {
stage(x$1) = (f.0(max(min(x$1, 0 + n - 1), 0)), f.1(max(min(x$1, 0 + n - 1), 0)));
func out(x$2): f32 {
stage(x$2) = f32(g.0(x$2)) * g.1(x$2 - 1);",
        ),
        (
            "func out(x) = f32(argmin((r, s) in (k..n, -1..3) where r < x: a(r, s)).1);",
            "func argmin$1(x): (i32, i32, f32) {
stage(x) = (i32(int(k)), i32(-1), inff32);
for r in [int(k), n - int(k)] for s in [-1, 4] if r < x stage(x) = (select(a(r, s) < \
argmin$1.2(x), i32(r), argmin$1.0(x)), select(a(r, s) < argmin$1.2(x), i32(s), argmin$1.1(x)), \
select(a(r, s) < argmin$1.2(x), a(r, s), argmin$1.2(x)));
func out(x$1): f32 {
stage(x$1) = f32(argmin$1.1(x$1));",
        ),
    ] {
        assert_eq!(printed(body), expected, "{body}");
    }
}

#[test]
fn the_rules_hold_for_every_part_of_a_stage() {
    for (body, codes) in [
        // Syntactic separation: coordinates, values, predicates, lets.
        ("func out(x) { out(x) = 0; out(x + 1) = 1; }", &["HAL0401"] as &[&str]),
        ("func out(x) { out(x) = 0; out(0) = a(x, 0); }", &["HAL0401"]),
        ("func out(x) { out(x) = 0; out(x) = out(x) + out(0); }", &["HAL0401"]),
        ("func out(x) { out(x) = 0; let v = out(x - 1); out(x) = v; }", &["HAL0401"]),
        (
            "func out(x) { out(x) = 0; for r in 0..3 where out(r) < a(x, 0) { out(x) += 1; } }",
            &["HAL0401"],
        ),
        (
            "func out(x) { out(x) = 0; for r in 0..3 where a(x, 0) > 0 { out(r) += 1; } }",
            &["HAL0401"],
        ),
        ("func out(x) { out(x) = 0; out(x) = out(out_of(x)); }", &["HAL0201"]),
        ("func out(x) { out(x) = 0; for r in 0..3 { out(r) = out(r + 1) + out(0); } }", &[]),
        ("func out(x) { out(x) = 0; out(x) = a(x + 1, 0) + a(0, x); }", &[]),
        // Startup expressions.
        ("func out(x) { out(x) = 0; for (r, s) in (0..n, 0..r) { out(r) += 1; } }", &["HAL0402"]),
        ("func out(x) { out(x) = 0; for r in 0..i32(a(0, 0)) { out(r) += 1; } }", &["HAL0402"]),
        // First stages.
        ("func out(x) { out(0) = 0; }", &["HAL0407"]),
        ("func out(x) { out(x) += 0; }", &["HAL0407"]),
        ("func out(x) { for r in 0..3 { out(r) = 0; } }", &["HAL0407"]),
        ("func out(x) { }", &["HAL0407"]),
        ("func two(x, y) { two(y, x) = 0.5; } func out(x) = two(x, 0);", &["HAL0407"]),
        ("func out(x) { out(x) = out(x); }", &["HAL0408"]),
        ("func out(x) { out(x) = 0; out(x) = sum(r in 0..3: out(r)); }", &["HAL0408"]),
        ("func out(x) { out(x) = sum(r in 0..3: out(r)); }", &["HAL0408"]),
        // Names.
        ("func out(n) = 0;", &["HAL0202"]),
        ("func out(x) { out(x) = 0; for x in 0..3 { out(x) = 1; } }", &["HAL0202"]),
        ("func a(x) = 0; func out(x) = 0;", &["HAL0403"]),
        ("func n(x) = 0; func out(x) = 0;", &["HAL0202"]),
        ("func out(x) { out(x) = 0; let x = 3; }", &["HAL0202"]),
        ("let n = 3; func out(x) = 0;", &["HAL0202"]),
        ("let a = 3; func out(x) = 0;", &["HAL0202"]),
        ("func f(x) = 1.5; func out(f) = 0;", &["HAL0202"]),
        (
            "func f(x) = 1.5; func out(x) { out(x) = 0; for f in 0..3 { out(f) = 1; } }",
            &["HAL0202"],
        ),
        ("func sum(x) = 0; func out(x) = 0;", &["HAL0108"]),
        ("func f$1(x) = 0; func out(x) = 0;", &["HAL0108"]),
        // Tuples.
        ("func f(x) = (a(x, 0), 1); func out(x) = f(x).0;", &[]),
        ("func out(x) = (a(x, 0), 1);", &["HAL0310"]),
        ("func out(x): (f32, f32) = (a(x, 0), 1);", &["HAL0412"]),
        ("func f(x): (f32, i32) = (1, 2, 3); func out(x) = f(x).0;", &["HAL0310"]),
        ("func f(x): (f32, u8) = (1, a(x, 0)); func out(x) = f(x).0;", &["HAL0302"]),
        ("func f(x): (f32, int) = (1, 2); func out(x) = f32(f(x).1);", &["HAL0306"]),
        ("func f(x) { f(x) = (0.0, 1); f(x) += (1, 2); } func out(x) = f(x).0;", &["HAL0310"]),
        ("func f(x) { f(x) = (0.0, 1); f(0) = 1; } func out(x) = f(x).0;", &["HAL0310"]),
        (
            "func f(x) { f(x) = (0.0, 1); f(x) = (f(x + 1).0, 1); } func out(x) = f(x).0;",
            &["HAL0401"],
        ),
        // Shapes.
        ("func out(x, y) = 0;", &["HAL0412"]),
        ("func out(x): u8 = 0;", &["HAL0412"]),
        ("func out(x): int = 0;", &["HAL0306"]),
        ("func out(x) { out(x) = 0; out(x, 0) = 1; }", &["HAL0409"]),
        ("func out(x) { out(x) = 0; for r in 0..3 { } }", &["HAL0414"]),
        ("func out(x) { out(x) = 0; for r in 0..3 { out(r) = 1; out(r) = 2; } }", &["HAL0414"]),
        ("require a(0, 0) > 0; func out(x) = 0;", &["HAL0413"]),
        ("require false; func out(x) = 0;", &["HAL0413"]),
        ("require n; func out(x) = 0;", &["HAL0302"]),
        // Every error is reported in one run, none of them twice.
        (
            "func f(x) = missing(x); func g(x) = f(x) + other; func out(x) = g(x) + (u8(1) + 2.5);",
            &["HAL0201", "HAL0201", "HAL0303"],
        ),
        (
            "func f(x) = ; func g(x) = f(x) @; func out(x) = g(x) + y;",
            &["HAL0104", "HAL0101", "HAL0201"],
        ),
    ] {
        let text = format!(
            "pipeline p(a: buffer<f32, 2>, n: int, k: i32) -> out: buffer<f32, 1> {{ {body} }}"
        );
        let (module, report) = parse_text(body, &text);
        let found: Vec<&str> = module.diagnostics.iter().map(|found| found.code.0).collect();
        assert_eq!(found, codes, "{body}\n{report}");
    }
}

#[test]
fn signatures_are_checked() {
    for (text, codes) in [
        (
            "pipeline p(a: buffer<u8, 1>, a: i32) -> b: buffer<u8, 1> { func b(x) = 0; }",
            &["HAL0202"] as &[&str],
        ),
        ("pipeline p() -> b: u8 { func b() = 0; }", &["HAL0412"]),
        ("pipeline p() -> b: buffer<(f32, u8), 1> { func b(x) = (1.5, 2); }", &[]),
        (
            "pipeline p() -> b: buffer<(f32, u8), 1> { func b(x): (u8, f32) = (1, 2); }",
            &["HAL0412"],
        ),
        ("pipeline p() -> b: buffer<(f32, u8), 1> { func b(x) = 1.5; }", &["HAL0310"]),
        ("pipeline p() -> b: buffer<(f32, int), 1> { func b(x) = (1.5, 2); }", &["HAL0306"]),
        (
            "pipeline p(a: buffer<(f32, u8), 1>) -> b: buffer<u8, 1> { func b(x) = 1; }",
            &["HAL0104"],
        ),
        ("pipeline p() -> b: buffer<int, 1> { func b(x) = 0; }", &["HAL0306"]),
        ("pipeline p(a: buffer<int, 1>) -> b: buffer<u8, 1> { func b(x) = 0; }", &["HAL0306"]),
        ("pipeline p(a: buffer<f16, 1>) -> b: buffer<u8, 1> { func b(x) = a(x); }", &["HAL0301"]),
        ("pipeline p(a: buffer<u8, 99>) -> b: buffer<u8, 1> { func b(x) = 0; }", &["HAL0301"]),
        ("pipeline p(a: buffer<u8, 1>) -> a: buffer<u8, 1> { }", &["HAL0202"]),
        (
            "pipeline p() -> (b: buffer<u8, 1>, c: buffer<u8, 0>) \
                { func c() = 1; func b(x) = c(); }",
            &[],
        ),
        ("pipeline p() -> b: buffer<u8, 1>, b: buffer<u8, 1> { func b(x) = 0; }", &["HAL0202"]),
        (
            "pipeline p() -> b: buffer<u8, 1> { func b(x) = 0; } pipeline p() -> b: buffer<u8, 1> \
                { func b(x) = 0; }",
            &["HAL0202"],
        ),
        ("pipeline p<k: 3>() -> b: buffer<u8, 1> { func b(x) = 0; }", &[]),
        ("pipeline p<k: 1.5>() -> b: buffer<u8, 1> { func b(x) = 0; }", &["HAL0104"]),
        ("fn f(g, g) -> func(x) = g(x);", &["HAL0202"]),
        ("fn repeat_edge(g) -> func(x) = g(x);", &["HAL0108"]),
        ("fn f(g) -> func(x.., y..) = g(x..);", &["HAL0206"]),
        ("pipeline p(", &["HAL0104"]),
        ("pipeline p(a: buffer<u8, 1) -> { func", &["HAL0104"]),
        ("pipeline p(a) -> b: buffer<u8, 1> { } schedule s for p { b.parallel(x); }", &["HAL0104"]),
        ("func f(x) = 1;", &["HAL0104"]),
        ("", &[]),
    ] {
        let (module, report) = parse_text(text, text);
        let found: Vec<&str> = module.diagnostics.iter().map(|found| found.code.0).collect();
        assert_eq!(found, codes, "{text}\n{report}");
    }
}
