//! Completed programs are well formed and compute what the algorithm says, under every schedule, at every small size.

mod common;

use halidom_interp::{Bindings, algorithm, machine};
use halidom_ir::{Algorithm, Array, Check, Constant, Pool, Program, Scalar, Shape, print, verify};
use halidom_schedule::{Engine, apply, complete, lower_algorithm};

/// A scheduled pipeline.
struct Case {
    pool: Pool,
    algorithm: Algorithm,
    program: Program,
}

fn compile(text: &str, schedule: &str, engine: Engine) -> Case {
    let (mut pool, algorithm) = common::algorithm(text);
    let schedule = common::schedule(&mut pool, schedule);
    let mut lowered = lower_algorithm(&mut pool, &algorithm);
    apply(&mut pool, &mut lowered, &schedule).unwrap();
    let program = complete(&mut pool, &lowered, engine).unwrap();
    if let Err(violations) = verify::program(&pool, &program, verify::Phase::Structured) {
        panic!("{violations:?}\n{}", print::program(&pool, &program));
    }
    Case { pool, algorithm, program }
}

/// Elements that differ from point to point and cover the type.
fn input(scalar: Scalar, shape: Shape) -> Array {
    let mut array = Array::padded(scalar, shape, &[3, 0]).unwrap();
    for (number, point) in array.points().enumerate() {
        let value = (number as i128 + 1) * 2_654_435_761 >> 7;
        assert!(array.set(&point, Constant::wrapped(scalar, value).unwrap()));
    }
    array
}

/// Runs a program against its algorithm: on inputs that are just large enough (`exact`), or generous ones.
fn check(
    case: &Case,
    engine: Engine,
    window: &Shape,
    shapes: &[Shape],
    params: &[(&str, i128)],
    what: &str,
) {
    let Case { pool, algorithm, program } = case;
    let mut bindings = Bindings::new();
    for (func, shape) in algorithm.inputs.iter().zip(shapes) {
        let scalar = pool.func(*func).scalar;
        bindings.set_input(pool, *func, input(scalar, shape.clone())).unwrap();
    }
    for (name, value) in params {
        let (var, decl) = pool.vars().find(|(_, decl)| decl.name == *name).unwrap();
        let value = Constant::wrapped(decl.ty.scalar, *value).unwrap();
        bindings.set_var(pool, var, value).unwrap();
    }
    let windows = [window.clone()];
    let expected = algorithm::evaluate(pool, algorithm, &bindings, &windows).unwrap();
    let outcome = machine::run(pool, program, &bindings, &windows, &machine::Options::default());
    match outcome {
        Ok(outcome) => assert_eq!(outcome.outputs, expected, "{what} at {window:?}"),
        // The reference engine ignores guards, so that it may demand more than there can be.
        Err(machine::Fault::CheckFailed(failure))
            if engine == Engine::Reference
                && matches!(failure.check, Check::InputRegion { .. }) => {}
        Err(fault) => {
            panic!("{what} at {window:?}: {fault}\n{}", print::program(pool, program));
        }
    }
}

/// Whether a schedule over-computes, so that it needs larger inputs than the algorithm.
fn over_computes(schedule: &str) -> bool {
    ["round", "bound", "align"].iter().any(|word| schedule.contains(word))
}

fn check_blur(schedule: &str) {
    for engine in Engine::ALL {
        let case = compile(common::BLUR, schedule, engine);
        for (width, height) in [(0, 0), (1, 1), (2, 3), (5, 4), (8, 8), (9, 7), (17, 11)] {
            let window = vec![(1, width), (-2, height)];
            let shape = if engine == Engine::Reference || over_computes(schedule) {
                vec![(-20, 60), (-20, 60)]
            } else {
                vec![(1, width + 2), (-2, height + 2)]
            };
            check(&case, engine, &window, &[shape], &[], &format!("{} {schedule}", engine.name()));
        }
    }
}

#[test]
fn blur_computes_the_same_under_every_schedule() {
    for schedule in [
        "",
        "blur_x.compute_inline()",
        "output.split(ox, xo, xi, 4, guard)",
        "output.split(ox, xo, xi, 4, shift)",
        "output.split(ox, xo, xi, 4, round)",
        "output.split(ox, xo, xi, 4, auto)
         output.split(xi, xio, xii, 3, guard)",
        "output.split(ox, xo, xi, 5, round)
         output.split(xi, xio, xii, 3, round)
         blur_x.compute_at(output, xio)",
        "output.split(ox, xo, xi, 5, guard)
         output.split(xi, xio, xii, 3, shift)
         blur_x.compute_at(output, xio)",
        "output.tile(ox, oy, xo, yo, xi, yi, 4, 3, guard)
         blur_x.compute_at(output, xo)",
        "output.tile(ox, oy, xo, yo, xi, yi, 4, 3, shift)
         output.parallel(yo)
         blur_x.compute_at(output, xo)
         blur_x.vectorize(bx, 2, guard)",
        "output.tile(ox, oy, xo, yo, xi, yi, 4, 3, round)
         output.parallel(yo)
         output.vectorize(xi)
         blur_x.compute_at(output, yo)",
        "output.vectorize(ox, 4, round)
         blur_x.compute_at(output, oy)
         blur_x.vectorize(bx, 4, round)",
        "output.vectorize(ox, 4, shift)
         output.unroll(oy, 2, guard)
         blur_x.store_root()
         blur_x.compute_at(output, oy)",
        "output.fuse(oy, ox, t)
         output.split(t, to, ti, 7, guard)
         output.parallel(to)",
        "output.fuse(oy, ox, t)
         blur_x.compute_at(output, t)",
        "output.split(oy, yo, yi, 2, shift)
         blur_x.compute_at(output, yi)
         blur_x.store_at(output, yo)",
        "output.swap(oy)
         blur_x.reorder(by, bx)
         blur_x.compute_at(output, ox)",
        "output.rename(ox, across)
         blur_x.compute_at(output, across)",
        "blur_x.align_bounds(bx, 8, 1)
         blur_x.split(bx, xo, xi, 8, guard)",
        "blur_x.bound(by, -3, 20)
         blur_x.bound_extent(bx, 24)
         blur_x.vectorize(bx)
         blur_x.unroll(by)",
        "output.specialize(input.extent.0, 10, output.split(ox, xo, xi, 4, guard);output.parallel(oy))
         output.split(oy, yo, yi, 3, shift)",
        "blur_x.specialize(input.extent.0, 11, blur_x.split(bx, xo, xi, 4, round);)
         blur_x.compute_at(output, oy)",
    ] {
        check_blur(schedule);
    }
}

#[test]
fn gemm_computes_the_same_under_every_schedule() {
    for schedule in [
        "",
        "AB.compute_at(D, di)",
        "AB.compute_at(D, dj)
         AB.store_root()",
        "AB.update(0).reorder(k, i, j)
         AB.update(0).reorder(i, k)
         AB.update(0).vectorize(i, 4, guard)",
        "AB.update(0).split(k, ko, ki, 3, guard)
         AB.update(0).reorder(ki, i, ko, j)
         AB.update(0).parallel(j)",
        "AB.split(i, io, ii, 4, round)
         AB.update(0).split(i, io, ii, 4, guard)
         AB.update(0).unroll(ii)",
        "D.tile(di, dj, xo, yo, xi, yi, 4, 3, shift)
         D.parallel(yo)
         AB.compute_at(D, xo)
         AB.update(0).reorder(i, j, k)",
        "D.tile(di, dj, xo, yo, xi, yi, 4, 3, guard)
         AB.compute_at(D, xo)
         AB.update(0).fuse(j, i, t)",
        "D.split(di, xo, xi, 4, round)
         AB.compute_at(D, xo)
         AB.update(0).split(k, ko, ki, A.extent.0, guard)",
    ] {
        for engine in Engine::ALL {
            let case = compile(common::GEMM, schedule, engine);
            for (m, n, k) in [(0, 0, 3), (1, 1, 1), (3, 2, 0), (5, 3, 2), (8, 4, 7), (9, 7, 5)] {
                let window = vec![(0, m), (0, n)];
                let generous = engine == Engine::Reference || over_computes(schedule);
                let (m, n) = if generous { (m + 12, n + 12) } else { (m, n) };
                // A factor that is not a constant must be positive even where there is no work.
                let m = m.max(1);
                let shapes = [vec![(0, m), (0, k)], vec![(0, k), (0, n)]];
                check(&case, engine, &window, &shapes, &[("alpha", 3)], schedule);
            }
        }
    }
}

#[test]
fn histogram_computes_the_same_under_every_schedule() {
    for schedule in [
        "",
        "count.split(i, io, ii, 16, round)",
        "count.vectorize(i, 16, shift)",
        "count.parallel(i)
         count.update(0).split(hx, xo, xi, 4, guard)",
        "count.update(0).fuse(hy, hx, t)
         count.update(0).unroll(t, 3, guard)",
    ] {
        for engine in Engine::ALL {
            let case = compile(common::HISTOGRAM, schedule, engine);
            for (width, height) in [(0, 0), (1, 1), (5, 3), (17, 11)] {
                for window in [(0, 256), (3, 5), (-7, 20), (250, 10)] {
                    let shape = vec![(0, width), (0, height)];
                    check(&case, engine, &vec![window], &[shape], &[("limit", 200)], schedule);
                }
            }
        }
    }
}
