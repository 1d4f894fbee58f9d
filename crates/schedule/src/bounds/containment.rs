//! Tests that the default engine's regions lie in the reference engine's (FS Definition 3.7), at
//! concrete sizes.

use halidom_base::FxHashMap;
use halidom_ir::{
    Action, Algorithm, Constant, Directive, Expr, ExprId, HoleKind, Interval, Pool, Schedule, Tail,
    VarId, eval,
};

use super::{Engine, solve};
use crate::emit::Solution;
use crate::error::ScheduleError;
use crate::nest::{Lowered, Placement, compute_kind, hole};
use crate::query::{Binder, constraints};
use crate::{Holes, apply, transform};

#[path = "../../tests/schedules/common.rs"]
mod common;
#[path = "../../tests/schedules/samples.rs"]
#[expect(dead_code, reason = "what samples say about inputs is for programs that run")]
mod samples;

/// Values of variables.
type Values = FxHashMap<VarId, Constant>;

/// The maximum number of draws of startup values until they satisfy the algorithm's requirements.
const MOST_DRAWN: usize = 20;

fn evaluate(pool: &Pool, expr: ExprId, values: &Values) -> Constant {
    match pool.get(expr) {
        Expr::Const(constant) => *constant,
        Expr::Var(var) => {
            *values.get(var).unwrap_or_else(|| panic!("no value of {}", pool.var(*var).name))
        }
        Expr::Unary(op, operand) => eval::unary(*op, evaluate(pool, *operand, values)).unwrap(),
        Expr::Binary(op, lhs, rhs) => {
            eval::binary(*op, evaluate(pool, *lhs, values), evaluate(pool, *rhs, values)).unwrap()
        }
        Expr::Cast(scalar, operand) => {
            eval::cast(*scalar, evaluate(pool, *operand, values)).unwrap()
        }
        Expr::Call(intrinsic, operand) => {
            eval::intrinsic(*intrinsic, evaluate(pool, *operand, values)).unwrap()
        }
        Expr::Select { condition, if_true, if_false } => {
            let holds = evaluate(pool, *condition, values).as_bool().unwrap();
            evaluate(pool, if holds { *if_true } else { *if_false }, values)
        }
        Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => panic!("no bound has such parts"),
    }
}

fn number(pool: &Pool, expr: ExprId, values: &Values) -> i128 {
    evaluate(pool, expr, values).as_integer().unwrap()
}

/// Returns true if a path's loops and conditions can be entered at a point that `pick` chooses, and
/// binds its variables. Returns false if the loops around differ between the solutions: then
/// regions at one iteration of each are not comparable.
fn enter(
    pool: &mut Pool,
    path: &[Binder],
    solutions: [&Solution; 2],
    values: &mut Values,
    pick: &mut impl FnMut(i128) -> i128,
) -> bool {
    for binder in path {
        match binder {
            Binder::ForAll { var, interval } => {
                let [other, (min, extent)] = solutions.map(|solution| {
                    let (min, extent) =
                        (solution.apply(pool, interval.min), solution.apply(pool, interval.extent));
                    (number(pool, min, values), number(pool, extent, values))
                });
                if extent <= 0 || other != (min, extent) {
                    return false;
                }
                values.insert(*var, Constant::int(min + pick(extent)));
            }
            Binder::Let { var, value, .. } => {
                let [other, value] = solutions.map(|solution| {
                    let value = solution.apply(pool, *value);
                    evaluate(pool, value, values)
                });
                if other != value {
                    return false;
                }
                values.insert(*var, value);
            }
            Binder::If(condition) => {
                let condition = solutions[1].apply(pool, *condition);
                let mut reads = false;
                pool.for_each_subexpr(condition, &mut |_, expr| {
                    reads |= matches!(expr, Expr::Ref { .. });
                });
                if !reads && evaluate(pool, condition, values).as_bool() != Some(true) {
                    return false;
                }
            }
            Binder::IfMember { .. } | Binder::Allocation(_) | Binder::Compute(_) => {}
        }
    }
    true
}

/// The answers of both engines and the place where each region is chosen.
struct Comparison {
    pool: Pool,
    lowered: Lowered,
    /// Reference first.
    found: Vec<super::Answer>,
    /// Regions with the path to the place where they are chosen.
    places: Vec<(halidom_ir::FuncId, HoleKind, Vec<Binder>)>,
}

fn compare(text: &str, schedule: &str) -> Comparison {
    let (mut pool, algorithm) = common::algorithm(text);
    let schedule = common::schedule(&mut pool, schedule);
    compare_in(pool, &algorithm, &schedule).unwrap()
}

/// Returns both engines' answers, if the schedule is legal. Checks that the default engine finds
/// bounds wherever the reference engine does.
fn compare_in(
    mut pool: Pool,
    algorithm: &Algorithm,
    schedule: &Schedule,
) -> Result<Comparison, Vec<ScheduleError>> {
    let transformed = transform(&mut pool, algorithm, &as_needed(schedule))?;
    let mut lowered = transformed.lower(&mut pool, algorithm);
    apply(&mut pool, &mut lowered, &transformed.schedule)?;
    let holes = Holes::of(&mut pool, &lowered);
    let constraints = constraints(&holes.query);
    let [reference, default] = Engine::ALL
        .map(|engine| solve(&mut pool, &holes.lowered, &constraints, engine, &holes.known, None));
    let found = vec![reference?, default.unwrap()];
    let mut places = Vec::new();
    for plan in holes.lowered.plans.iter().filter(|plan| plan.compute != Placement::Inline) {
        let mut kinds = vec![HoleKind::Allocation];
        for nest in plan.instances.iter().flat_map(|instance| &instance.stages) {
            kinds.push(compute_kind(&pool, plan.func, nest.stage, nest.specialization));
        }
        for kind in kinds {
            let constraint = constraints
                .iter()
                .find(|constraint| {
                    constraint.member.func == plan.func && constraint.member.kind == kind
                })
                .unwrap();
            let position = constraint.path.iter().position(|binder| match binder {
                Binder::Allocation(func) => *func == plan.func && kind == HoleKind::Allocation,
                Binder::Compute(func) => *func == plan.func && kind != HoleKind::Allocation,
                Binder::ForAll { .. }
                | Binder::Let { .. }
                | Binder::If(_)
                | Binder::IfMember { .. } => false,
            });
            places.push((plan.func, kind, constraint.path[..position.unwrap_or(0)].to_vec()));
        }
    }
    Ok(Comparison { pool, lowered: holes.lowered, found, places })
}

/// Returns a schedule in which regions are exactly what is needed. Whole blocks, and extents that a
/// directive fixes, begin where the needed region begins, and that place differs between engines:
/// in blocks of 16, `0..13` is computed as `0..16` and the wider `-2..13` as `-2..14`. Neither
/// contains the other, and the regions that these need in turn may be larger for either engine.
fn as_needed(schedule: &Schedule) -> Schedule {
    let mut schedule = schedule.clone();
    drop_excess(&mut schedule.directives);
    schedule
}

fn drop_excess(directives: &mut Vec<Directive>) {
    directives.retain(|directive| !matches!(directive.action, Action::Bound { .. }));
    for directive in directives {
        if let Action::Specialize { directives, .. } = &mut directive.action {
            drop_excess(directives);
        } else if let Action::Split { tail, .. }
        | Action::Tile { tail, .. }
        | Action::Vectorize { tail, .. }
        | Action::Unroll { tail, .. } = &mut directive.action
            && matches!(tail, Tail::ShiftInwards | Tail::Round | Tail::RoundUpAndBlend | Tail::Auto)
        {
            *tail = Tail::Guard;
        }
    }
}

impl Comparison {
    /// Compares the engines at one choice of startup values and loop iterations. Returns the number
    /// of regions compared.
    fn at(
        &mut self,
        window: &[(i64, i64)],
        params: &[(&str, i128)],
        seed: u64,
        what: &str,
    ) -> usize {
        let mut startup = Values::default();
        let mut state = seed;
        let mut random = |bound: i128| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            i128::from(state >> 33) % bound
        };
        let names: Vec<_> = self.pool.vars().map(|(var, decl)| (var, decl.clone())).collect();
        // Both engines assume the algorithm's requirements; random values satisfy these sooner or
        // later, or hardly ever.
        for _ in 0..MOST_DRAWN {
            for (var, decl) in &names {
                let given =
                    params.iter().find(|(name, _)| *name == decl.name).map(|(_, value)| *value);
                // Parameters are factors of splits: a requirement or an entry check keeps them
                // positive, like strides.
                let least =
                    decl.name.contains("stride") || self.lowered.algorithm.params.contains(var);
                let value = given.unwrap_or_else(|| random(11) + i128::from(least));
                startup.insert(*var, eval::cast(decl.ty.scalar, Constant::int(value)).unwrap());
            }
            for output in &self.lowered.outputs {
                for ((min, extent), (low, count)) in output.window.iter().zip(window) {
                    startup.insert(*min, Constant::int(i128::from(*low)));
                    startup.insert(*extent, Constant::int(i128::from(*count)));
                }
            }
            let is_right = |require: &halidom_ir::Require| {
                evaluate(&self.pool, require.condition, &startup).as_bool() == Some(true)
            };
            if self.lowered.algorithm.requires.iter().all(is_right) {
                break;
            }
        }
        let mut compared = 0;
        for (func, kind, path) in self.places.clone() {
            let mut values = startup.clone();
            let solutions = [&self.found[0].solution, &self.found[1].solution];
            if !enter(&mut self.pool, &path, solutions, &mut values, &mut random) {
                continue;
            }
            for dim in 0..self.pool.func(func).rank() {
                let interval = hole(&mut self.pool, func, dim, kind);
                let [wide, narrow] = [0, 1].map(|engine: usize| {
                    let ends = &self.found[engine].solution;
                    let Interval { min, extent } = interval;
                    let (min, extent) =
                        (ends.apply(&mut self.pool, min), ends.apply(&mut self.pool, extent));
                    let min = number(&self.pool, min, &values);
                    (min, min + number(&self.pool, extent, &values))
                });
                let is_empty = narrow.0 >= narrow.1;
                assert!(
                    is_empty || (wide.0 <= narrow.0 && narrow.1 <= wide.1),
                    "{what}: {kind:?} of {} in dimension {dim} is {narrow:?}, by the reference \
                        engine {wide:?}",
                    self.pool.func(func).name
                );
                compared += 1;
            }
        }
        compared + self.reads(&startup, what)
    }

    /// Compares the regions that are read of inputs: the hulls of all reads that happen.
    fn reads(&mut self, values: &Values, what: &str) -> usize {
        let mut compared = 0;
        for (position, input) in self.lowered.algorithm.inputs.iter().enumerate() {
            for dim in 0..self.pool.func(*input).rank() {
                let mut hulls = self.found.iter().map(|answer| {
                    let reads = answer.inputs[position].iter().filter(|reads| {
                        reads.premises.iter().all(|premise| {
                            evaluate(&self.pool, *premise, values).as_bool() == Some(true)
                        })
                    });
                    let ends = reads.map(|reads| {
                        let (low, high) = reads.region[dim];
                        (number(&self.pool, low, values), number(&self.pool, high, values))
                    });
                    ends.filter(|(low, high)| low <= high)
                        .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
                });
                if let (Some(wide), Some(Some(narrow))) = (hulls.next().unwrap(), hulls.next()) {
                    assert!(
                        wide.0 <= narrow.0 && narrow.1 <= wide.1,
                        "{what}: reads of {} in dimension {dim}: {narrow:?}, by the reference \
                            engine {wide:?}",
                        self.pool.func(*input).name
                    );
                    compared += 1;
                }
            }
        }
        compared
    }
}

#[test]
fn default_regions_lie_in_reference_regions() {
    for sample in samples::ALL {
        for schedule in sample.schedules {
            let mut comparison = compare(sample.text, schedule);
            let mut compared = 0;
            for window in sample.windows {
                if window.iter().any(|(_, extent)| *extent <= 0) {
                    continue;
                }
                for seed in 0..4 {
                    compared += comparison.at(window, sample.params, seed, schedule);
                }
            }
            assert!(compared > 0 || sample.windows.contains(&[].as_slice()), "{schedule}");
        }
    }
}

fn module(name: &str, text: &str) -> halidom_lang::Module {
    let mut sources = halidom_diag::Sources::new();
    let file = sources.add(name, text);
    let module = halidom_lang::parse(&sources, file);
    assert!(!module.has_errors(), "{name}: {:?}\n{text}", module.diagnostics);
    module
}

/// Compares the engines' regions under every schedule of a text, for a few windows each. Returns
/// the numbers of schedules and regions compared.
fn compare_module(name: &str, text: &str, seed: u64) -> [usize; 2] {
    let module = module(name, text);
    let mut counts = [0, 0];
    for pipeline in &module.pipelines {
        let mut schedules = vec![Schedule::default()];
        schedules.extend(pipeline.schedules.iter().map(|named| named.schedule.clone()));
        for schedule in &schedules {
            let compared = compare_in(module.pool.clone(), &pipeline.algorithm, schedule);
            let Ok(mut comparison) = compared else { continue };
            counts[0] += 1;
            let what = format!("{name}, schedule {}\n{text}", schedule.name);
            for (number, extent) in [1, 2, 7, 40].into_iter().enumerate() {
                let seed = seed.wrapping_mul(4).wrapping_add(number as u64);
                let min = i64::try_from(seed % 19).unwrap() - 9;
                let windows = vec![(min, extent), (3 - min, 41 - extent), (0, 3), (1, 2)];
                counts[1] += comparison.at(&windows, &[], seed, &what);
            }
        }
    }
    counts
}

#[test]
fn default_regions_of_examples_lie_in_reference_regions() {
    for folder in ["examples", "examples/applications"] {
        let folder = format!("{}/../../{folder}", env!("CARGO_MANIFEST_DIR"));
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "hal") {
                let text = std::fs::read_to_string(&path).unwrap();
                let [schedules, regions] = compare_module(&path.display().to_string(), &text, 1);
                assert!(schedules >= 1 && regions > 0, "{}", path.display());
            }
        }
    }
}

/// The number of random pipelines compared; the environment variable `HALIDOM_CONTAINMENT`
/// overrides it.
const RANDOM_PIPELINES: u64 = 300;

#[test]
fn default_regions_of_random_pipelines_lie_in_reference_regions() {
    let asked = std::env::var("HALIDOM_CONTAINMENT").ok().and_then(|count| count.parse().ok());
    let seeds = match asked {
        Some(count) => (0..count).collect(),
        None => halidom_testgen::sampled(0..RANDOM_PIPELINES, 10),
    };
    let count = seeds.len();
    let mut total = [0, 0];
    for seed in seeds {
        let pipeline = halidom_testgen::pipeline(seed);
        let schedule = halidom_testgen::schedule(&pipeline, "s", seed);
        let text = format!("{}\n{schedule}", pipeline.text);
        let counts = compare_module(&format!("seed {seed}"), &text, seed);
        total = [total[0] + counts[0], total[1] + counts[1]];
    }
    assert!(total[0] > count && total[1] > 4 * total[0], "{total:?}");
}
