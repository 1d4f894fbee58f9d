//! Tests directives that are not allowed: the code, the directive at fault, the message and the
//! hint.

use halidom_schedule::{Engine, ScheduleError, compile};

use super::common;
use super::samples;

fn errors(text: &str, schedule: &str) -> Vec<ScheduleError> {
    let (mut pool, algorithm) = common::algorithm(text);
    let schedule = common::schedule(&mut pool, schedule);
    compile(&mut pool, &algorithm, &schedule, Engine::Default).err().unwrap_or_default()
}

fn check(text: &str, schedule: &str, code: &str, origin: Option<usize>, words: [&str; 2]) {
    let errors = errors(text, schedule);
    let [error] = errors.as_slice() else { panic!("{schedule}: {errors:?}") };
    assert_eq!((error.code, error.origin), (code, origin), "{schedule}: {error:?}");
    assert!(error.message.contains(words[0]), "{schedule}: {error:?}");
    assert!(error.hint.contains(words[1]), "{schedule}: {error:?}");
}

#[test]
fn loops_that_do_not_exist() {
    let blur = samples::BLUR.text;
    let loops = "`ox`, `oy`";
    for line in [
        "output.split(z, zo, zi, 4, guard)",
        "output.reorder(z, oy)",
        "output.fuse(z, ox, t)",
        "output.swap(z)",
        "output.parallel(z)",
        "output.vectorize(z, 4, guard)",
        "output.unroll(z)",
        "output.rename(z, w)",
        "output.tile(ox, z, xo, yo, xi, yi, 4, 4, guard)",
    ] {
        let hint = if line.contains("tile") { "`xi`, `xo`, `oy`" } else { loops };
        check(blur, line, "HAL0601", Some(0), ["`output` has no loop `z`", hint]);
    }
    check(
        blur,
        "blur_x.compute_at(output, z)",
        "HAL0601",
        Some(0),
        ["`output` has no loop `z`", "`output.oy`, `output.ox`"],
    );
    check(
        blur,
        "blur_x.compute_at(input, x)",
        "HAL0601",
        Some(0),
        ["`input` has no loops", "`output.oy`, `output.ox`"],
    );
    let gemm = samples::GEMM.text;
    check(
        gemm,
        "AB.update(2).parallel(i)",
        "HAL0506",
        Some(0),
        ["`AB` has no update 2", "`AB.update(1)`"],
    );
}

#[test]
fn names_that_are_taken() {
    let blur = samples::BLUR.text;
    for (line, name) in [
        ("output.split(ox, oy, xi, 4, guard)", "oy"),
        ("output.split(ox, xo, oy, 4, guard)", "oy"),
        ("output.split(ox, t, t, 4, guard)", "t"),
        ("output.rename(ox, oy)", "oy"),
    ] {
        let message = format!("already has a loop `{name}`");
        let message = if name == "t" { "`t`" } else { message.as_str() };
        check(blur, line, "HAL0602", Some(0), [message, "choose a name"]);
    }
    check(
        blur,
        "output.split(ox, xo, xi, 4, guard)
         output.fuse(oy, xo, xi)",
        "HAL0602",
        Some(1),
        ["already has a loop `xi`", "choose a name"],
    );
    check(
        blur,
        "output.reorder(ox, oy, ox)",
        "HAL0602",
        Some(0),
        ["named twice", "each loop once"],
    );
}

#[test]
fn splits_that_are_not_allowed() {
    let gemm = samples::GEMM.text;
    let update = "an update must not be repeated";
    for (line, message, hint) in [
        ("AB.update(1).split(k, ko, ki, 4, shift)", update, "`predicate_stores`, `auto`"),
        ("AB.update(1).split(k, ko, ki, 4, round)", "beyond its domain", "`guard`, `predicate`"),
        ("AB.update(1).split(i, io, ii, 4, shift)", update, "`round_up_and_blend`, `auto`"),
        ("AB.update(1).vectorize(i, 4, shift)", update, "`round_up_and_blend`, `auto`"),
        ("AB.split(i, io, ii, 4, shift_inwards)", "a dimension of an output", "`shift`"),
        (
            "AB.update(1).split(k, ko, ki, 4, round_up_and_blend)",
            "have no locations of their own",
            "`predicate_stores`, `auto`",
        ),
    ] {
        check(gemm, line, "HAL0603", Some(0), [message, hint]);
    }
    for (line, code, message) in [
        ("AB.split(i, io, ii, 0, guard)", "HAL0604", "cannot be split by 0"),
        ("AB.split(i, io, ii, -4, guard)", "HAL0604", "cannot be split by -4"),
        ("AB.split(i, io, ii, alpha, guard)", "HAL0508", "not a startup expression"),
        ("AB.split(i, io, ii, j, guard)", "HAL0508", "not a startup expression"),
    ] {
        check(gemm, line, code, Some(0), [message, "positive `int`"]);
    }
}

#[test]
fn iterations_of_unordered_reduction_loops_do_not_meet() {
    let histogram = samples::HISTOGRAM.text;
    for line in ["count.update(1).parallel(hy)", "count.update(1).vectorize(hx, 8, guard)"] {
        check(
            histogram,
            line,
            "HAL0607",
            Some(0),
            ["may both update one location of `count`", "no pure loop"],
        );
    }
    let gemm = samples::GEMM.text;
    check(
        gemm,
        "AB.update(1).parallel(k)",
        "HAL0607",
        Some(0),
        ["`AB.update(1).k` cannot be parallel: iterations (k = 0) and (k = 1)", "`i`, `j`"],
    );
}

#[test]
fn fusions_that_are_not_allowed() {
    let gemm = samples::GEMM.text;
    for (line, message) in [
        ("AB.update(1).fuse(i, k, t)", "one is pure"),
        ("AB.update(1).fuse(j, k, t)", "not immediately within"),
        ("AB.fuse(i, j, t)", "not immediately within"),
    ] {
        check(gemm, line, "HAL0606", Some(0), [message, "innermost first"]);
    }
    check(gemm, "D.swap(di)", "HAL0606", Some(0), ["no loop within", "immediately within"]);
}

#[test]
fn extents_that_are_not_constant() {
    let blur = samples::BLUR.text;
    for (line, what) in [("output.vectorize(ox)", "vectorized"), ("output.unroll(oy)", "unrolled")]
    {
        check(blur, line, "HAL0608", Some(0), [what, "split it by a constant"]);
    }
    let factor = samples::FACTOR.text;
    check(factor, "g.unroll(gx, p, guard)", "HAL0505", Some(0), ["not a constant", "such as 8"]);
}

#[test]
fn placements_that_do_not_dominate() {
    let chain = samples::CHAIN.text;
    check(
        chain,
        "a.compute_at(b, by)",
        "HAL0610",
        Some(0),
        ["`c` reads it outside that loop", "legal levels are `compute_root`"],
    );
    check(
        chain,
        "b.compute_at(c, cx)
         a.compute_at(b, bx)
         a.store_root()",
        "HAL0610",
        Some(1),
        ["`a` cannot be computed at `b.bx`", "`compute_root`, `c.cy`, `c.cx`"],
    );
    check(
        samples::BLUR.text,
        "output.specialize(input.extent.0, 10, output.split(ox, xo, xi, 4, guard))
         blur_x.compute_at(output, ox)",
        "HAL0610",
        Some(1),
        ["`output (specialization 1)` reads it", "are `compute_root`, `output.oy`"],
    );
    check(
        samples::BLUR.text,
        "output.specialize(input.extent.0, 10, output.parallel(oy))
         blur_x.compute_at(output, ox)
         blur_x.store_root()",
        "HAL0611",
        Some(2),
        ["in each specialization of `output`", "are `output.ox`, `output.oy`"],
    );
    let gemm = samples::GEMM.text;
    check(gemm, "D.compute_at(AB, i)", "HAL0612", Some(0), ["is an output", "`compute_root`"]);
    check(gemm, "D.store_at(AB, i)", "HAL0612", Some(0), ["is an output", "`compute_root`"]);
}

#[test]
fn storage_that_does_not_fit_the_computation() {
    let blur = samples::BLUR.text;
    for (lines, legal) in [
        (
            "blur_x.compute_at(output, oy)
             blur_x.store_at(output, ox)",
            "are `output.oy`, `store_root`",
        ),
        (
            "blur_x.compute_root()
             blur_x.store_at(output, oy)",
            "are `store_root`",
        ),
    ] {
        check(blur, lines, "HAL0611", Some(1), ["does not enclose", legal]);
    }
    check(
        blur,
        "blur_x.compute_at(output, oy)
         output.parallel(oy)
         blur_x.store_root()",
        "HAL0617",
        Some(2),
        ["parallel loop `output.oy`", "are `output.oy`; or make that loop serial"],
    );
    check(
        blur,
        "output.vectorize(ox, 4, guard)
         output.reorder(oy, ox.lane, ox)
         blur_x.compute_at(output, oy)",
        "HAL0609",
        Some(2),
        ["within `output.ox.lane`, which is vectorized", "`compute_root`, `output.ox`"],
    );
}

#[test]
fn funcs_that_are_or_cannot_be_inlined() {
    let gemm = samples::GEMM.text;
    check(gemm, "AB.compute_inline()", "HAL0613", Some(0), ["it has updates", "`compute_root`"]);
    check(gemm, "D.compute_inline()", "HAL0613", Some(0), ["it is an output", "`compute_root`"]);
    let edge = samples::EDGE.text;
    for lines in [
        "repeated.parallel(ry)",
        "repeated.bound(rx, 0, 8)",
        "repeated.store_root()",
        "repeated.specialize(input.extent.0, 4, repeated.parallel(ry))",
    ] {
        check(edge, lines, "HAL0614", Some(0), ["computed inline", "`repeated.compute_root()`"]);
    }
}

#[test]
fn bounds_that_cannot_be_fixed() {
    let blur = samples::BLUR.text;
    check(blur, "blur_x.bound(z, 0, 8)", "HAL0615", Some(0), ["no dimension `z`", "`bx`, `by`"]);
    check(
        blur,
        "blur_x.bound_extent(bx, oy)",
        "HAL0508",
        Some(0),
        ["startup expressions", "parameters"],
    );
    check(blur, "blur_x.align_bounds(bx, 0, 0)", "HAL0615", Some(0), ["positive", "such as 8"]);
}

#[test]
fn accesses_without_bounds() {
    let text = |coord: &str| {
        format!(
            "algorithm unbounded {{
  param n: i32;
  input input(x): u32 in input.buffer [input.min.0, input.extent.0, input.stride.0];
  func f(fx): u32 {{
    stage(fx) = input({coord});
  }}
  output f;
}}"
        )
    };
    for (coord, which) in [
        ("int(i32(input(fx)))", "neither a least nor a greatest value"),
        ("fx + max(int(input(fx)), 0)", "no greatest value"),
        ("neg(int(input(fx)))", "no least value"),
        ("min(int(i32(input(fx))), n)", "no least value"),
        ("int(input(fx) + 1u32)", "no greatest value"),
    ] {
        let coord = coord.replace(", n)", ", int(n))");
        check(&text(&coord), "", "HAL0616", None, [which, "clamp"]);
    }
    for coord in [
        "int(u8(input(fx))) * fx",
        "min(max(int(input(fx)), 0), int(n))",
        "int(min(input(fx), 255u32) / 2u32 + 3u32)",
        "fx * fx",
    ] {
        assert_eq!(errors(&text(coord), ""), [], "{coord}");
    }
}

#[test]
fn specializations_that_are_not_allowed() {
    let blur = samples::BLUR.text;
    check(
        blur,
        "output.specialize(oy, 10, output.parallel(oy))",
        "HAL0508",
        Some(0),
        ["startup", "parameters"],
    );
    for inner in ["blur_x.parallel(by)", "output.compute_root()"] {
        let line = format!("output.specialize(input.extent.0, 10, {inner})");
        check(blur, &line, "HAL0509", Some(0), ["only loops of the specialized func", "out of"]);
    }
}

#[test]
fn contradictions_and_inputs() {
    let blur = samples::BLUR.text;
    check(
        blur,
        "blur_x.compute_root()
         blur_x.compute_at(output, oy)",
        "HAL0618",
        Some(1),
        ["already says where `blur_x` is computed", "keep one"],
    );
    check(
        blur,
        "blur_x.store_root()
         blur_x.store_root()",
        "HAL0618",
        Some(1),
        ["already says where `blur_x` is stored", "keep one"],
    );
    check(blur, "input.parallel(y)", "HAL0502", Some(0), ["is an input", "`blur_x`, `output`"]);
}

#[test]
fn one_run_reports_every_error() {
    let errors = errors(
        samples::BLUR.text,
        "output.parallel(z)
         output.split(ox, xo, xi, 0, guard)
         blur_x.compute_at(output, w)
         blur_x.bound(q, 0, 1)",
    );
    let found: Vec<_> = errors.iter().map(|error| (error.code, error.origin)).collect();
    assert_eq!(
        found,
        [("HAL0601", Some(0)), ("HAL0604", Some(1)), ("HAL0601", Some(2)), ("HAL0615", Some(3))]
    );
}
