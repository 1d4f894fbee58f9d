//! Tests that completed programs are well formed and compute the algorithm's values, under every
//! schedule, at every small size.

use halidom_interp::{Bindings, algorithm, machine};
use halidom_ir::{
    Algorithm, Array, Check, Constant, FuncId, Pool, Program, Scalar, Shape, print, verify,
};
use halidom_schedule::{
    Engine, Lowered, ScheduleError, apply, complete, complete_at_random, lower_algorithm,
};

use super::common;
use super::samples::{self, Sample};

/// A scheduled pipeline.
struct Case {
    pool: Pool,
    algorithm: Algorithm,
    program: Program,
}

/// Fills the holes of a scheduled pipeline.
type Completion<'a> = &'a mut dyn FnMut(&mut Pool, &Lowered) -> Result<Program, Vec<ScheduleError>>;

fn compile(text: &str, schedule: &str, engine: Engine) -> Case {
    compile_with(text, schedule, &mut |pool, lowered| complete(pool, lowered, engine))
}

fn compile_with(text: &str, schedule: &str, complete: Completion<'_>) -> Case {
    let (mut pool, algorithm) = common::algorithm(text);
    let directives = common::schedule(&mut pool, schedule);
    let mut lowered = lower_algorithm(&mut pool, &algorithm);
    if let Err(errors) = apply(&mut pool, &mut lowered, &directives) {
        panic!("{schedule}: {errors:?}");
    }
    let program =
        complete(&mut pool, &lowered).unwrap_or_else(|errors| panic!("{schedule}: {errors:?}"));
    if let Err(violations) = verify::program(&pool, &program, verify::Phase::Structured) {
        panic!("{schedule}: {violations:?}\n{}", print::program(&pool, &program));
    }
    Case { pool, algorithm, program }
}

/// Makes an array whose elements differ from point to point and cover the type.
fn input(scalar: Scalar, shape: Shape) -> Array {
    let padding = vec![3; shape.len()];
    let mut array = Array::padded(scalar, shape, &padding).unwrap();
    for (number, point) in array.points().enumerate() {
        let value = ((number as i128 + 1) * 2_654_435_761) >> 7;
        assert!(array.set(&point, Constant::wrapped(scalar, value).unwrap()));
    }
    array
}

/// True if a schedule over-computes, so that it needs larger inputs than the algorithm.
fn over_computes(schedule: &str) -> bool {
    ["round", "bound", "align"].iter().any(|word| schedule.contains(word))
}

impl Case {
    fn bindings(&self, sample: &Sample) -> Bindings {
        let mut bindings = Bindings::new();
        for (name, value) in sample.params {
            let (var, decl) = self.pool.vars().find(|(_, decl)| decl.name == *name).unwrap();
            let value = Constant::wrapped(decl.ty.scalar, *value).unwrap();
            bindings.set_var(&self.pool, var, value).unwrap();
        }
        bindings
    }

    /// Returns the inputs' boxes: the regions that the algorithm reads, grown by a margin.
    fn shapes(&self, sample: &Sample, window: &Shape, margin: i64) -> Vec<Shape> {
        if let Some(shapes) = sample.shapes {
            return shapes(window);
        }
        let windows = [window.clone()];
        let bindings = self.bindings(sample);
        let demand = algorithm::demand(&self.pool, &self.algorithm, &bindings, &windows).unwrap();
        let grow = |(func, shape): (&FuncId, Option<Shape>)| {
            let shape = shape.unwrap_or_else(|| vec![(0, 0); self.pool.func(*func).rank()]);
            shape.iter().map(|(min, extent)| (min - margin, extent + 2 * margin)).collect()
        };
        self.algorithm.inputs.iter().zip(demand).map(grow).collect()
    }

    fn check(&self, sample: &Sample, window: &Shape, margin: i64, engine: Engine, what: &str) {
        let Self { pool, algorithm, program } = self;
        let mut bindings = self.bindings(sample);
        for (func, shape) in algorithm.inputs.iter().zip(self.shapes(sample, window, margin)) {
            let scalar = pool.func(*func).scalar(0);
            bindings.set_input(pool, *func, input(scalar, shape)).unwrap();
        }
        let windows = [window.clone()];
        let expected = algorithm::evaluate(pool, algorithm, &bindings, &windows).unwrap();
        match machine::run(pool, program, &bindings, &windows, &machine::Options::default()) {
            Ok(outcome) => assert_eq!(outcome.outputs, expected, "{what} at {window:?}"),
            // The reference engine ignores guards, and over-computing may need more than an input
            // of a given size can have.
            Err(machine::Fault::CheckFailed(failure))
                if (engine == Engine::Reference
                    || (over_computes(what) && sample.shapes.is_some()))
                    && matches!(failure.check, Check::InputRegion { .. }) => {}
            Err(fault) => {
                panic!(
                    "{} {what} at {window:?}: {fault}\n{}",
                    engine.name(),
                    print::program(pool, program)
                );
            }
        }
    }
}

#[test]
fn every_schedule_computes_what_the_algorithm_says() {
    for sample in samples::ALL {
        for schedule in sample.schedules {
            for engine in Engine::ALL {
                let case = compile(sample.text, schedule, engine);
                for window in sample.windows {
                    // The default engine demands no more than the regions that are read, unless the
                    // schedule over-computes.
                    let exact =
                        sample.exact && engine == Engine::Default && !over_computes(schedule);
                    let margin = if exact { 0 } else { 40 };
                    case.check(sample, &window.to_vec(), margin, engine, schedule);
                }
            }
        }
    }
}

#[test]
fn every_completion_that_the_query_allows_computes_what_the_algorithm_says() {
    let mut state = 1_u64;
    let mut choose = |bound: u32| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(state >> 33).unwrap() % bound
    };
    for sample in samples::ALL {
        for schedule in sample.schedules {
            for _ in 0..2 {
                let case = compile_with(sample.text, schedule, &mut |pool, lowered| {
                    complete_at_random(pool, lowered, &mut choose)
                });
                for window in sample.windows {
                    // Some answers are the reference engine's, and larger regions may need more
                    // than an input of a given size can have.
                    case.check(sample, &window.to_vec(), 60, Engine::Reference, schedule);
                }
            }
        }
    }
}
