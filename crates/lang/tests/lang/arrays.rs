//! Tests compile-time expansion: parameters, arrays of funcs, schedule functions.

use halidom_ir::print;

use crate::common::{parse_text, parse_valid};

/// Returns the printed funcs of a pipeline with compile-time parameters `n` (3) and `r` (2) and
/// this body.
fn printed(body: &str) -> String {
    let text = format!(
        "fn scaled(f, s) -> func(x, y..) = s * f(x, y..);
         pipeline p<n: 3, r: 2>(a: buffer<f32, r>, b: buffer<u8, 1>) -> out: buffer<f32, 1> {{ \
         {body} }}"
    );
    let module = parse_valid(body, &text);
    let printed = print::algorithm(&module.pool, &module.pipelines[0].algorithm);
    let start = printed.find("  func").unwrap();
    let lines =
        printed[start..].lines().filter(|line| line.contains("func") || line.contains("stage"));
    let lines: Vec<&str> = lines.map(str::trim).collect();
    lines.join("\n").replace("func ", "").replace("): f32 {\nstage", ")\n")
}

/// Returns the printed directives of a schedule.
fn directives(schedules: &str) -> Vec<String> {
    let text = format!("{PIPELINE}{schedules}");
    let module = parse_valid(schedules, &text);
    let schedule = &module.pipelines[0].schedules[0].schedule;
    schedule
        .directives
        .iter()
        .map(|directive| {
            let name = &module.pool.func(directive.func).name;
            format!("{name}.{} {:?}", directive.stage, directive.action)
        })
        .collect()
}

const PIPELINE: &str = "pipeline p<n: 3>(a: buffer<f32, 2>) -> out: buffer<f32, 2> {
    func f[k in 0..n](x, y): f32 \
    { f[k](x, y) = a(x + k, y); for q in 0..2 { f[k](x, y) += a(q, k); } }
    func out(x, y) = f[0](x, y) + f[n - 1](x, y);
}
";

#[test]
fn parameters_are_literals() {
    for (body, expected) in [
        ("func out(x) = n * a(x, n - 1);", "3.0f32 * a(x, 2)"),
        ("func out(x) = a(x - n, 0) / n;", "a(x - 3, 0) / 3.0f32"),
        ("let h = n / 2; func out(x) = f32(b(h) + n);", "f32(b(1) + 3u8)"),
        ("func out(x) = f32(u8(n) << n);", "f32(3u8 << 3u8)"),
        ("func out(x) = f32((1 << n) - n % 2);", "8.0f32 - 1.0f32"),
        ("func out(x) = a(x, 0) + n / 2;", "a(x, 0) + 3.0f32 / 2.0f32"),
        ("func out(x) = select(n == 3, 1.5, missing(x));", "1.5f32"),
        ("func out(x) = select(n > 3, missing(x), n == 2, 0, 2) + a(x, 0);", "2.0f32 + a(x, 0)"),
        ("func out(x) = select(x > n, a(x, 0), n < 3, 2, 1);", "select(x > 3, a(x, 0), 1.0f32)"),
    ] {
        let found = printed(body);
        let value = found.split_once(" = ").map(|(_, value)| value.trim_end_matches(';'));
        assert_eq!(value, Some(expected), "{body}: {found}");
    }
}

#[test]
fn an_argument_for_each_member_of_a_pack_is_kept() {
    for builtin in ["max", "min"] {
        let text = format!(
            "fn beside(f, k) -> func(x..) = f(x..) + f32({builtin}(k, 1, x..));
             pipeline p<n: 3>(a: buffer<f32, 1>) -> out: buffer<f32, 1> {{
                 func out = beside(a, n);
             }}"
        );
        let module = parse_valid(builtin, &text);
        let printed = print::algorithm(&module.pool, &module.pipelines[0].algorithm);
        let kept = format!("a(x) + f32({builtin}({builtin}(3, 1), x))");
        assert!(printed.contains(&kept), "{printed}");
    }
}

#[test]
fn arrays_are_written_out() {
    for (body, funcs) in [
        (
            "func f[k in 0..n](x) = a(x, k); func out(x) = f[0](x) + f[1](x) + f[n - 1](x);",
            "f$0 f$1 f$2 out",
        ),
        (
            "func f[0](x) = a(x, 0); func f[k in 1..n](x) = f[k - 1](2 * x); func out = \
                scaled(f[2], 3);",
            "f$0 f$1 f$2 out",
        ),
        // From the last element on, if earlier ones need later ones.
        (
            "func f[k in 0..n](x) = select(k == n - 1, a(x, 0), f[k + 1](x / 2)); func out(x) = \
                f[0](x);",
            "f$2 f$1 f$0 out",
        ),
        (
            "func f[k in 0..n](x, y) = a(x, y + k); func g[k in 0..n] = scaled(f[k], k); func \
                out(x) = g[1](x, 0);",
            "f$0 f$1 f$2 g$0 g$1 g$2 out",
        ),
        // Two arrays whose elements need each other.
        (
            "func f[0](x, y) = a(x, y); for k in 1..n \
                { let m = k - 1; func g[k] = scaled(f[m], k); func f[k](x, y) = g[k](x + 1, y); } \
                func out(x) = f[n - 1](x, 0);",
            "f$0 g$1 f$1 g$2 f$2 out",
        ),
        ("func f[k in 0..0](x) = 1.5; func out(x) = a(x, 0);", "out"),
        (
            "func f[k in 0..n](x): f32 \
                { f[k](x) = 0; for q in 0..k + 1 { f[k](x) += sum(s in 0..n: a(s, q)); } } func \
                out(x) = f[1](x);",
            "sum$1 f$0 sum$2 f$1 sum$3 f$2 out",
        ),
    ] {
        let found = printed(body);
        let names: Vec<&str> = found
            .lines()
            .filter(|line| !line.contains('='))
            .filter_map(|line| line.split('(').next())
            .filter(|name| !name.is_empty())
            .collect();
        assert_eq!(names.join(" "), funcs, "{body}\n{found}");
    }
}

#[test]
fn misuse_of_arrays_is_told() {
    for (body, code) in [
        ("func out(x) = f(x);", "HAL0207"),
        ("func out(x) = f[3](x);", "HAL0207"),
        ("func out(x) = f[-1](x);", "HAL0207"),
        ("func out(x) = g[0](x);", "HAL0207"),
        ("func out(x) = h[0](x);", "HAL0207"),
        ("func out(x) = f[0];", "HAL0203"),
        ("func out(x) = f[x](x);", "HAL0208"),
        ("func out(x) = f[m](x);", "HAL0201"),
        ("func out(x) = sum(q in 0..n: f[q](x));", "HAL0208"),
        ("func out(x) = f[0](x, 0);", "HAL0409"),
        ("func out(x) = later[0](x); func later[k in 0..n](x) = 1.5;", "HAL0406"),
        ("func i[k in 0..n](x) = i[k](x); func out(x) = 0;", "HAL0408"),
        ("func i[k in 0..n](x) = i[k - 1](x); func out(x) = 0;", "HAL0207"),
        ("func i[k in 0..n](x) = nothing(x) + k; func out(x) = i[2](x);", "HAL0201"),
        ("func i[k in 0..n](x): f32 { i[0](x) = 1; } func out(x) = i[2](x);", "HAL0415"),
        ("func f[2](x) = 1.5; func out(x) = f[2](x);", "HAL0403"),
        ("func f(x) = 1.5; func out(x) = 0;", "HAL0403"),
        ("func g[1](x) = 1.5; func out(x) = 0;", "HAL0403"),
        ("func i[-1](x) = 1.5; func out(x) = 0;", "HAL0207"),
        ("func i[k in 0..300](x) = 1.5; func out(x) = 0;", "HAL0209"),
        ("func i[k in 0..a.width](x) = 1.5; func out(x) = 0;", "HAL0208"),
        ("func i[x in 0..n](x) = 1.5; func out(x) = 0;", "HAL0202"),
        ("func i[n in 0..2](x) = 1.5; func out(x) = 0;", "HAL0202"),
        ("func out[k in 0..n](x) = 1.5;", "HAL0412"),
        ("for k in 0..n { func i(x) = 1.5; } func out(x) = 0;", "HAL0403"),
        ("for k in 0..n { func i[k](x) = nothing(x); } func out(x) = i[2](x);", "HAL0201"),
        ("for k in 0..m0 { func i[k](x) = 1.5; } func out(x) = i[2](x);", "HAL0208"),
        ("for k in 0..n { func i[k](x) = 1.5; } func out(x) = i[k](x);", "HAL0201"),
        ("for k in 0..200 { for j in 0..200 { let q = k; } } func out(x) = 0;", "HAL0209"),
        ("func out(x) = f32(b(n * 100));", ""),
        ("func out(x) = f32(b(0) + n * 100);", "HAL0305"),
    ] {
        let text = format!(
            "pipeline p<n: 3>(a: buffer<f32, 2>, b: buffer<u8, 1>, m0: i32) -> out: buffer<f32, 1> \
                {{
                func g(x) = a(x, 0);
                func f[k in 0..n](x) = a(x, k);
                {body}
            }}"
        );
        let (module, report) = parse_text(body, &text);
        let codes: Vec<&str> = module.diagnostics.iter().map(|found| found.code.0).collect();
        let expected: Vec<&str> = [code].into_iter().filter(|code| !code.is_empty()).collect();
        let last_is_no_output = body.contains("later[k") && codes.contains(&"HAL0411");
        assert!(codes == expected || (last_is_no_output && codes[0] == code), "{body}\n{report}");
    }
}

#[test]
fn schedules_are_written_out() {
    let fused = "schedule s(w: 16, h: 4) for p {
        for k in 0..n - 1 { f[k].compute_at(f[k + 1], y); f[k].update(1).vectorize(x, w * h); }
    }";
    let found = directives(fused);
    assert_eq!(found.len(), 4, "{found:#?}");
    assert!(found[2].starts_with("f$1.0 ComputeAt") && found[3].starts_with("f$1.1 Vectorize"));
    // The same by functions and by hand.
    let by_functions = "
        schedule_fn rows(f, y, lanes) { f.parallel(y).vectorize(x, lanes, tail: guard); }
        schedule_fn root(f, g, lanes) { f.compute_root(); rows(f, y, lanes / 2); g.rename(x, z); }
        schedule_fn all(last) { for i in 0..last { root(f[i], f[i + 1], 4 * i + 4); } }
        schedule s for p { all(n - 1); out.specialize(a.width > 8) { rows(out, y, 8); } }";
    let by_hand = "schedule s for p {
        f[0].compute_root().parallel(y).vectorize(x, 2, guard); f[1].rename(x, z);
        f[1].compute_root().parallel(y).vectorize(x, 4, guard); f[2].rename(x, z);
        out.specialize(a.width > 8) { out.parallel(y).vectorize(x, 8, guard); }
    }";
    let strip = |directives: Vec<String>| {
        let text = directives.join("\n");
        // Origins count directives in order, which is the same in both.
        text.replace(' ', "")
    };
    assert_eq!(strip(directives(by_functions)), strip(directives(by_hand)));
}

#[test]
fn misuse_of_schedule_functions_is_told() {
    for (schedules, codes) in [
        ("schedule s for p { rows(out); }", &["HAL0511"] as &[&str]),
        ("schedule_fn rows(f) { rows(f); }", &["HAL0511"]),
        ("schedule_fn rows(f) { f.parallel(y); } schedule s for p { rows(); }", &["HAL0512"]),
        ("schedule_fn rows(f) { f.parallel(y); } schedule s for p { rows(3); }", &["HAL0512"]),
        (
            "schedule_fn rows(f) { f[0].parallel(y); } schedule s for p { rows(f[0]); }",
            &["HAL0512"],
        ),
        ("schedule_fn rows(f) { f[0].parallel(y); } schedule s for p { rows(f); }", &[]),
        ("schedule_fn rows(f) { f.paralel(y); } schedule s for p { rows(out); }", &["HAL0503"]),
        ("schedule_fn rows(f, f) { f.parallel(y); }", &["HAL0202"]),
        ("schedule_fn a(f) { f.serial(y); } schedule_fn a(f) { f.serial(y); }", &["HAL0202"]),
        (
            "schedule_fn each(g) { for k in 0..n { g.serial(y); } } schedule s for p \
                { for k in 0..n { each(f[k]); } }",
            &["HAL0202"],
        ),
        ("schedule s for p { for k in 0..n { f[k + 1].serial(y); } }", &["HAL0207"]),
        ("schedule s for p { for k in 0..a.width { f[k].serial(y); } }", &["HAL0208"]),
        ("schedule s for p { for k in 0..1000 { f[0].serial(y); } }", &["HAL0209"]),
        (
            "schedule s for p { for i in 0..200 { for j in 0..200 { out.serial(y); } } }",
            &["HAL0209"],
        ),
        ("schedule s for p { f.serial(y); }", &["HAL0207"]),
        ("schedule s for p { out[0].serial(y); }", &["HAL0207"]),
        ("schedule s(x: 3) for p { out.vectorize(z, x); }", &[]),
        ("schedule s(n: 3) for p { out.vectorize(x, n); }", &["HAL0202"]),
    ] {
        let (module, report) = parse_text(schedules, &format!("{PIPELINE}{schedules}"));
        let found: Vec<&str> = module.diagnostics.iter().map(|found| found.code.0).collect();
        assert_eq!(found, codes, "{schedules}\n{report}");
        assert_eq!(module.pipelines.len(), 1);
    }
}

#[test]
fn doubling_functions_end() {
    let doubling = |level: usize| {
        let below = level - 1;
        format!("schedule_fn f{level}(g) {{ f{below}(g); f{below}(g); }}")
    };
    let functions: Vec<String> = (1..40).map(doubling).collect();
    let text = format!(
        "{PIPELINE}schedule_fn f0(g) {{ g.serial(y); }} {} schedule s for p {{ f39(out); }}",
        functions.join(" ")
    );
    let (module, report) = parse_text("doubling", &text);
    assert!(module.diagnostics.iter().any(|found| found.code.0 == "HAL0209"), "{report}");
}
