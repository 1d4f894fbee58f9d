//! Tests schedules as they arrive in the IR.

use std::num::NonZeroU32;

use halidom_ir::{Action, Deal, Directive, LoopKind, LoopLevel, Pool, Tail};

use crate::common::{parse_text, parse_valid};

const PIPELINE: &str = "pipeline p(a: buffer<u8, 2>, n: i32) -> out: buffer<u32, 2> {
    func f(x, y) = u32(a(x, y));
    func g(x, y) = f(x, y) + sum(r in 0..3: f(x + r, y));
    func out(x, y) {
        out(x, y) = g(x, y);
        for (r, s) in (0..a.width, 0..a.height) { out(r, s) += f(r, s); }
        out(x, 0) = 1;
    }
}
";

fn name(text: &str) -> String {
    text.to_owned()
}

#[test]
fn directives_arrive_in_order_with_their_arguments() {
    let text = format!(
        "{PIPELINE}schedule s for p {{
            out.split(x, xo, xi, 16, tail: shift).fuse(y, xo, t).parallel(t).vectorize(xi);
            out.update(1).reorder(s, r).unroll(r, 4, guard).serial(s);
            out.update(2).swap(x).rename(x, z);
            g.compute_at(out, t).store_at(out.update(1), s).vectorize(x, 8, tail: round);
            f.compute_root().store_root().tile(x, y, xo, yo, xi, yi, n, 8).bound(x, 0, \
            64).bound_extent(y, 8).align_bounds(x, 2).align_bounds(y, 4, 1);
            sum$1.compute_inline();
            out.parallel(y, static).parallel(y, static, 8).parallel(y, dynamic).parallel(y, \
            dynamic, chunk: 4 * 2);
            out.specialize(n > 8 && a.width > n) {{ out.unroll(y).vectorize(x, 4); }}
        }}"
    );
    let mut module = parse_valid("directives", &text);
    let pipeline = module.pipelines.remove(0);
    let pool = &mut module.pool;
    let named = &pipeline.schedules[0];
    assert_eq!(named.schedule.name, "s");
    let func = |pool: &Pool, text: &str| {
        *pipeline.algorithm.funcs.iter().find(|id| pool.func(**id).name == text).unwrap()
    };
    let ids = ["out", "g", "f", "sum$1"].map(|text| func(pool, text));
    let [out, g, f, sum] = ids;
    let [zero, one, two, four, eight, sixteen, size] =
        [0, 1, 2, 4, 8, 16, 64].map(|value| pool.int(value));
    let parameter = pool.var_expr(pipeline.algorithm.params[0]);
    let n = pool.cast(halidom_ir::Scalar::Int, parameter);
    let at = |func, stage, var: &str| LoopLevel { func, stage, var: name(var) };
    let block = NonZeroU32::new(8).unwrap();
    let dealt = |deal| Action::Traverse { var: name("y"), kind: LoopKind::Parallel(deal) };
    let expected = [
        (
            out,
            0,
            Action::Split {
                var: name("x"),
                outer: name("xo"),
                inner: name("xi"),
                factor: sixteen,
                tail: Tail::Shift,
            },
        ),
        (out, 0, Action::Fuse { outer: name("y"), inner: name("xo"), fused: name("t") }),
        (out, 0, Action::Traverse { var: name("t"), kind: LoopKind::PARALLEL }),
        (out, 0, Action::Vectorize { var: name("xi"), lanes: None, tail: Tail::Auto }),
        (out, 1, Action::Reorder { vars: vec![name("s"), name("r")] }),
        (out, 1, Action::Unroll { var: name("r"), factor: Some(four), tail: Tail::Guard }),
        (out, 1, Action::Traverse { var: name("s"), kind: LoopKind::Serial }),
        (out, 2, Action::Swap { var: name("x") }),
        (out, 2, Action::Rename { from: name("x"), to: name("z") }),
        (g, 0, Action::ComputeAt(at(out, None, "t"))),
        (g, 0, Action::StoreAt(at(out, Some(1), "s"))),
        (g, 0, Action::Vectorize { var: name("x"), lanes: Some(eight), tail: Tail::Round }),
        (f, 0, Action::ComputeRoot),
        (f, 0, Action::StoreRoot),
        (
            f,
            0,
            Action::Tile {
                vars: [name("x"), name("y")],
                outer: [name("xo"), name("yo")],
                inner: [name("xi"), name("yi")],
                factors: [n, eight],
                tail: Tail::Auto,
            },
        ),
        (f, 0, Action::Bound { var: name("x"), min: Some(zero), extent: size }),
        (f, 0, Action::Bound { var: name("y"), min: None, extent: eight }),
        (f, 0, Action::AlignBounds { var: name("x"), modulus: two, remainder: zero }),
        (f, 0, Action::AlignBounds { var: name("y"), modulus: four, remainder: one }),
        (sum, 0, Action::ComputeInline),
        (out, 0, dealt(Deal::STATIC)),
        (out, 0, dealt(Deal::STATIC.with_chunk(block))),
        (out, 0, dealt(Deal::DYNAMIC)),
        (out, 0, dealt(Deal::DYNAMIC.with_chunk(block))),
    ];
    for (origin, (func, stage, action)) in expected.into_iter().enumerate() {
        assert_eq!(named.schedule.directives[origin], Directive { func, stage, action, origin });
    }
    let Some(Directive { action: Action::Specialize { directives, .. }, origin: 24, .. }) =
        named.schedule.directives.last()
    else {
        panic!("the last directive specializes: {:?}", named.schedule.directives.last())
    };
    let nested = [
        Action::Unroll { var: name("y"), factor: None, tail: Tail::Auto },
        Action::Vectorize { var: name("x"), lanes: Some(four), tail: Tail::Auto },
    ];
    for (index, action) in nested.into_iter().enumerate() {
        assert_eq!(
            directives[index],
            Directive { func: out, stage: 0, action, origin: 25 + index }
        );
    }
    let places: Vec<&str> = named.spans.iter().map(|span| &text[span.range()]).collect();
    assert_eq!((places.len(), places[2], places[26]), (27, "parallel(t)", "vectorize(x, 4)"));
}

#[test]
fn every_design_directive_without_support_is_named() {
    for directive in ["async()", "compute_with(g, y)"] {
        let (module, report) =
            parse_text(directive, &format!("{PIPELINE}schedule s for p {{ f.{directive}; }}"));
        let codes: Vec<&str> = module.diagnostics.iter().map(|found| found.code.0).collect();
        assert_eq!(codes, ["HAL0504"], "{directive}\n{report}");
    }
}

#[test]
fn what_is_refused() {
    for (chain, code, hint) in [
        ("h.parallel(y);", "HAL0502", "the pipeline's funcs are `f`, `sum$1`, `g`, `out`"),
        ("ouz.parallel(y);", "HAL0502", "did you mean `out`?"),
        ("a.parallel(y);", "HAL0502", "schedule the funcs that read it"),
        ("f.paralel(y);", "HAL0503", "did you mean `parallel`?"),
        ("f.split(x, xo, xi);", "HAL0505", "write `split(v, outer, inner, factor, tail: guard)`"),
        ("f.split(x, xo, 8, xi);", "HAL0505", ""),
        (
            "f.split(x, xo, xi, 8, clip);",
            "HAL0510",
            "the strategies are `guard`, `shift`, `shift_inwards`, `round`, `predicate`, \
                `predicate_loads`, \
             `predicate_stores`, `shift_inwards_and_blend`, `round_up_and_blend`, `auto`",
        ),
        ("f.split(x, xo, xi, 8, tail: 3);", "HAL0510", ""),
        ("f.split(x, xo, xi, factor: 8);", "HAL0505", ""),
        ("f.split(x, xo, xi, a(0, 0));", "HAL0508", ""),
        ("f.split(x, xo, xi, 2.5);", "HAL0302", ""),
        ("f.split(x, xo, xi, out.width);", "HAL0205", ""),
        ("f.vectorize(x, n);", "HAL0505", ""),
        ("f.vectorize(x, 0);", "HAL0505", ""),
        ("f.vectorize(x + 1);", "HAL0505", ""),
        ("f.parallel(y, tail: guard);", "HAL0505", "write `parallel(v, policy, chunk)`"),
        ("f.parallel(y, guided);", "HAL0505", "it is one of `static`, `dynamic`"),
        ("f.parallel(y, dynamic, 0);", "HAL0505", ""),
        ("f.parallel(y, dynamic, int(n));", "HAL0505", ""),
        ("f.parallel(y, chunk: 4);", "HAL0505", "write `parallel(v, policy, chunk)`"),
        ("f.serial(y, chunk: 4);", "HAL0505", "write `serial(v)`"),
        ("f.parallel(y) { f.serial(x); }", "HAL0505", ""),
        ("f.compute_at(3, y);", "HAL0505", ""),
        ("f.compute_at(q, y);", "HAL0502", ""),
        (
            "f.compute_at(out.update(3), y);",
            "HAL0506",
            "updates are counted from 1: `update(1)` to `update(2)`",
        ),
        ("f.update(1).parallel(y);", "HAL0506", "`f` has no update; leave `update` out"),
        ("out.update(0).parallel(s);", "HAL0506", ""),
        ("out.specialize(n > 3);", "HAL0505", ""),
        ("out.specialize(n) { out.parallel(y); }", "HAL0302", ""),
        ("out.specialize(n > 3) { f.parallel(y); }", "HAL0509", ""),
        ("out.specialize(n > 3) { out.specialize(n > 9) { out.parallel(y); } }", "HAL0509", ""),
        ("f;", "HAL0104", ""),
        ("f.parallel(y)", "HAL0104", ""),
    ] {
        let text = format!(
            "{PIPELINE}schedule bad for p {{ {chain} }} schedule good for p {{ f.parallel(y); }}"
        );
        let (module, report) = parse_text(chain, &text);
        let codes: Vec<&str> = module.diagnostics.iter().map(|found| found.code.0).collect();
        assert_eq!(codes, [code], "{chain}\n{report}");
        if !hint.is_empty() {
            assert_eq!(module.diagnostics[0].hint.as_deref(), Some(hint), "{chain}");
        }
        let kept: Vec<&str> = module.pipelines[0]
            .schedules
            .iter()
            .map(|named| named.schedule.name.as_str())
            .collect();
        assert_eq!(kept, ["good"], "{chain}: only the schedule with the error is left out");
    }
}

/// The hint gives the reason why the number has to be known.
#[test]
fn numbers_that_are_no_constants_get_the_hint_that_fits() {
    for (chain, why) in [
        ("f.vectorize(x, n)", "the code is made wider"),
        ("f.unroll(x, n)", "the code is copied"),
        ("f.align_storage(x, n)", "memory is laid out"),
        ("f.pad_storage(x, n)", "memory is laid out"),
        ("f.fold_storage(y, n)", "it is decided how much memory is kept"),
    ] {
        let schedule = format!("{PIPELINE}schedule s for p {{ {chain}; }}");
        let (module, report) = parse_text(chain, &schedule);
        let [found] = module.diagnostics.as_slice() else { panic!("{chain}\n{report}") };
        assert_eq!(found.code.0, "HAL0505", "{chain}\n{report}");
        let hint = format!(
            "{why} when the pipeline is compiled: give a number such as 8, or a compile-time \
                parameter"
        );
        assert_eq!(found.hint, Some(hint), "{chain}");
    }
}

#[test]
fn schedules_need_their_pipeline_and_a_name_of_their_own() {
    for (schedules, code) in [
        ("schedule s for q { f.parallel(y); }", "HAL0501"),
        ("schedule s for p { f.parallel(y); } schedule s for p { f.parallel(x); }", "HAL0507"),
        ("schedule default for p { f.parallel(y); }", "HAL0507"),
        ("schedule s(n) for p { f.parallel(y); }", "HAL0104"),
    ] {
        let (module, report) = parse_text(schedules, &format!("{PIPELINE}{schedules}"));
        let codes: Vec<&str> = module.diagnostics.iter().map(|found| found.code.0).collect();
        assert_eq!(codes, [code], "{schedules}\n{report}");
    }
}
