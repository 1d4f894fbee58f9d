//! Tests boundary conditions against their definitions, and functions that the user writes.

use halidom_ir::{Constant, Expr, FuncKind, print};

use crate::common::{evaluate, parse_text, parse_valid, value_of};

/// Returns the coordinate at which a boundary condition of one dimension reads its input, for
/// bounds `min`, `extent`.
fn source(condition: &str, min: i128, extent: i128, x: i128) -> i128 {
    let text = format!(
        "pipeline p(input: buffer<u8, 1>) -> out: buffer<u8, 1> {{ func bounded = {condition}; \
            func out(x) = bounded(x); }}"
    );
    let module = parse_valid(condition, &text);
    let Expr::Ref { args, .. } = module.pool.get(value_of(&module, "bounded")).clone() else {
        panic!("{condition} reads its input")
    };
    let values = |name: &str| {
        Constant::int(match name {
            "input.min.0" => min,
            "input.extent.0" => extent,
            _ => x,
        })
    };
    evaluate(&module.pool, args[0], &values).and_then(Constant::as_integer).unwrap()
}

#[test]
fn conditions_read_where_they_should() {
    for (min, extent) in [(0, 1), (0, 4), (-3, 5), (7, 2)] {
        for x in min - 3 * extent..min + 4 * extent {
            let step = x - min;
            assert_eq!(
                source("repeat_edge(input)", min, extent, x),
                x.clamp(min, min + extent - 1)
            );
            assert_eq!(
                source("repeat_image(input)", min, extent, x),
                min + step.rem_euclid(extent)
            );
            let period = step.rem_euclid(2 * extent);
            let mirrored = if period < extent { period } else { 2 * extent - 1 - period };
            assert_eq!(source("mirror_image(input)", min, extent, x), min + mirrored, "{x}");
            let period = step.rem_euclid((2 * extent - 2).max(1));
            let mirrored = if period < extent { period } else { 2 * extent - 2 - period };
            assert_eq!(source("mirror_interior(input)", min, extent, x), min + mirrored, "{x}");
        }
    }
}

#[test]
fn regions_are_given_by_ranges_or_inputs() {
    // The same region in three ways, and another.
    for (condition, low) in [
        ("repeat_edge(input)", 7),
        ("repeat_edge(input, input)", 7),
        ("repeat_edge(input, input.min(0)..input.min(0) + input.extent(0))", 7),
        ("repeat_edge(input, 3..9)", 3),
    ] {
        assert_eq!(source(condition, 7, 2, -100), low, "{condition}");
        assert_eq!(source(condition, 7, 2, 100), 8, "{condition}");
    }
    for (call, code) in [
        ("repeat_edge(f, 0..3, 1..4)", ""),
        ("repeat_edge(f, input)", ""),
        ("constant_exterior(f, 3, 0..3, 1..n)", ""),
        ("repeat_edge(f[0], 0..3, 1..4)", "HAL0207"),
        ("repeat_edge(f)", "HAL0205"),
        ("repeat_edge(f, f)", "HAL0205"),
        ("repeat_edge(f, 3)", "HAL0205"),
        ("repeat_edge(f, nothing)", "HAL0201"),
        ("repeat_edge(f, 0..3)", "HAL0409"),
        ("repeat_edge(f, line)", "HAL0409"),
        ("repeat_edge(f, 0..input(0, 0), 0..3)", "HAL0402"),
        ("repeat_edge(f, 0..3, 1)", "HAL0104"),
        ("constant_exterior(f, 0..3, 1..4)", "HAL0309"),
        ("negative(f, 0..3, 0..4)", "HAL0309"),
        ("inset(f, 1, 0..3, 0..4)", ""),
        ("value(f, 0..3, 0..4)", "HAL0203"),
    ] {
        let text = format!(
            "fn negative(f) -> func(x..) = -f(x..);
             fn inset(f, by, r..) -> func(x..) = f(clamp(x, r.min + by, r.min + r.extent - 1 - \
             by)..);
             fn value(f, r..) -> func(x..) = f((r + x)..);
             pipeline p(input: buffer<i16, 2>, line: buffer<i16, 1>, n: int) -> out: buffer<i16, \
             2> {{
                func f(x, y) = input(x, y); func g = {call}; func out(x, y) = g(x, y);
             }}"
        );
        let (module, report) = parse_text(call, &text);
        let codes: Vec<&str> = module.diagnostics.iter().map(|found| found.code.0).collect();
        let expected: Vec<&str> = [code].into_iter().filter(|code| !code.is_empty()).collect();
        assert_eq!(codes, expected, "{call}\n{report}");
    }
}

#[test]
fn the_exterior_is_constant_in_every_dimension() {
    let text = "pipeline p(input: buffer<u8, 2>, value: u8) -> out: buffer<u8, 2> {
        func framed = constant_exterior(input, value + 1);
        func out(x, y) = framed(x, y);
    }";
    let module = parse_valid("exterior", text);
    let Expr::Select { condition, if_false, .. } = *module.pool.get(value_of(&module, "framed"))
    else {
        panic!("the exterior is selected")
    };
    assert_eq!(print::expr(&module.pool, if_false), "value + 1u8");
    for (x, y, inside) in
        [(0, 0, true), (3, 2, true), (4, 0, false), (-1, 0, false), (0, 3, false), (0, -1, false)]
    {
        let values = |name: &str| {
            Constant::int(match name {
                "x" => x,
                "y" => y,
                "input.extent.0" => 4,
                "input.extent.1" => 3,
                _ => 0,
            })
        };
        let found = evaluate(&module.pool, condition, &values).and_then(Constant::as_bool);
        assert_eq!(found, Some(inside), "({x}, {y})");
    }
}

#[test]
fn literals_take_the_type_of_the_input_and_any_rank_will_do() {
    for (scalar, rank, expected) in
        [("u8", 0, "7u8"), ("f32", 1, "7.0f32"), ("i64", 3, "7i64"), ("f64", 5, "7.0f64")]
    {
        let text = format!(
            "pipeline p(input: buffer<{scalar}, {rank}>) -> out: buffer<{scalar}, {rank}> {{ func \
                out = constant_exterior(input, 7); }}"
        );
        let module = parse_valid("rank", &text);
        let pipeline = &module.pipelines[0];
        let out = module.pool.func(pipeline.algorithm.outputs[0]);
        assert_eq!(out.rank(), rank);
        assert!(matches!(out.kind, FuncKind::Defined { synthetic: true, .. }));
        let value = print::expr(&module.pool, value_of(&module, "out"));
        assert!(value.ends_with(&format!(", {expected})")), "{value}");
    }
}

#[test]
fn misuse_is_told_where_it_happens() {
    for (body, code, quoted) in [
        ("func c = repeat_edge(b);", "HAL0205", "repeat_edge(b)"),
        ("func c = repeat_edge();", "HAL0309", "repeat_edge()"),
        ("func c = repeat_edge(3);", "HAL0203", "repeat_edge(3)"),
        ("func c = constant_exterior(input, 1.5);", "HAL0303", "constant_exterior(input, 1.5)"),
        ("func c = constant_exterior(input, nothing);", "HAL0201", "nothing"),
        ("func c = repeat_edge(later); func later(x, y) = input(x, y);", "HAL0406", "later"),
        ("func c = repeat_edge(c);", "HAL0406", "c"),
        ("func c = repeat_egde(input);", "HAL0201", "repeat_egde"),
        ("func c = pick(input, b);", "HAL0203", "f"),
    ] {
        let text = format!(
            "fn pick(f, g) -> func(x..) = g(x..) + f;
             pipeline p(input: buffer<u8, 2>) -> out: buffer<u8, 2> {{ func b(x, y) = input(x, y); \
             {body} func out(x, y) = c(x, y); }}"
        );
        let (module, report) = parse_text(body, &text);
        let [diagnostic] = module.diagnostics.as_slice() else { panic!("{body}\n{report}") };
        assert_eq!(diagnostic.code.0, code, "{report}");
        assert_eq!(&text[diagnostic.span().unwrap().range()], quoted, "{report}");
    }
}

#[test]
fn dimensions_keep_their_names_and_no_two_are_alike() {
    for (function, func, expected) in [
        ("fn m(f) -> func(x..) = f(x..);", "f(x, y, k) = input(x, y, k, 0)", "x y k"),
        ("fn m(f) -> func(x, y..) = f(x, y..);", "f(y, x, k) = input(x, y, k, 0)", "x y0 k"),
        (
            "fn m(f) -> func(k, rest..) = f(k, rest..);",
            "f(x, y, k) = input(x, y, k, 0)",
            "k y rest1",
        ),
        ("fn m(f) -> func(x, y, rest..) = f(x, y, rest..);", "f(u) = 1", ""),
        ("fn m(f) -> func(x, y, rest..) = input(x, y, rest..);", "f(x, y) = 1", ""),
        ("fn m(f) -> func(x, rest..) = f(x, rest..);", "f = repeat_edge(input)", "x y c x3"),
    ] {
        let text = format!(
            "{function} pipeline p(input: buffer<u8, 4>) -> out: buffer<u8, 0> {{ func {func}; \
                func g = m(f); func out() = 1; }}"
        );
        let (module, report) = parse_text(func, &text);
        let Some(pipeline) = module.pipelines.first() else {
            assert_eq!(expected, "", "{text}\n{report}");
            continue;
        };
        let g = pipeline.algorithm.funcs.iter().find(|id| module.pool.func(**id).name == "g");
        let args = &module.pool.func(*g.unwrap()).args;
        let names: Vec<&str> = args.iter().map(|arg| module.pool.var(*arg).name.as_str()).collect();
        assert_eq!(names.join(" "), expected, "{text}");
    }
}

#[test]
fn arguments_belong_to_the_caller() {
    // The parameter's own name has another meaning outside.
    let text = "fn add(f, v) -> func(x..) = { let w = v; f(x..) + w };
        pipeline p(input: buffer<u8, 1>, v: u8, w: u8) -> out: buffer<u8, 1> \
        { func out = add(input, v * w); }";
    let module = parse_valid("hygiene", text);
    assert_eq!(print::expr(&module.pool, value_of(&module, "out")), "input(x) + v * w");
}
