//! The default engine's regions lie in the reference engine's (FS Definition 3.7), at concrete sizes.

use halidom_base::FxHashMap;
use halidom_ir::{Constant, Expr, ExprId, HoleKind, Interval, Pool, VarId, eval};

use super::{Engine, solve};
use crate::emit::Solution;
use crate::nest::{Lowered, Placement, compute_kind, hole};
use crate::query::{Binder, constraints};
use crate::{Holes, apply, lower_algorithm};

#[path = "../../tests/schedules/common.rs"]
mod common;
#[path = "../../tests/schedules/samples.rs"]
#[expect(dead_code, reason = "what samples say about inputs is for programs that run")]
mod samples;

/// Values of variables.
type Values = FxHashMap<VarId, Constant>;

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
        Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Hole(_) => panic!("no bound has such parts"),
    }
}

fn number(pool: &Pool, expr: ExprId, values: &Values) -> i128 {
    evaluate(pool, expr, values).as_integer().unwrap()
}

/// Whether a path's loops and conditions can be entered at a point that `pick` chooses; binds its variables.
fn enter(
    pool: &mut Pool,
    path: &[Binder],
    solution: &Solution,
    values: &mut Values,
    pick: &mut impl FnMut(i128) -> i128,
) -> bool {
    for binder in path {
        match binder {
            Binder::ForAll { var, interval } => {
                let [min, extent] = [interval.min, interval.extent].map(|end| {
                    let end = solution.apply(pool, end);
                    number(pool, end, values)
                });
                if extent <= 0 {
                    return false;
                }
                values.insert(*var, Constant::int(min + pick(extent)));
            }
            Binder::Let { var, value, .. } => {
                let value = solution.apply(pool, *value);
                let value = evaluate(pool, value, values);
                values.insert(*var, value);
            }
            Binder::If(condition) => {
                let condition = solution.apply(pool, *condition);
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

/// The answers of both engines and where each region is chosen.
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
    let mut lowered = lower_algorithm(&mut pool, &algorithm);
    apply(&mut pool, &mut lowered, &schedule).unwrap();
    let holes = Holes::of(&mut pool, &lowered);
    let constraints = constraints(&holes.query);
    let found = Engine::ALL
        .into_iter()
        .map(|engine| {
            solve(&mut pool, &holes.lowered, &constraints, engine, &holes.known, None).unwrap()
        })
        .collect();
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
    Comparison { pool, lowered: holes.lowered, found, places }
}

impl Comparison {
    /// Compares the engines at one choice of startup values and loop iterations. Gives how many regions were compared.
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
        for (var, decl) in names {
            let given = params.iter().find(|(name, _)| *name == decl.name).map(|(_, value)| *value);
            let value =
                given.unwrap_or_else(|| random(11) + i128::from(decl.name.contains("stride")));
            startup.insert(var, Constant::wrapped(decl.ty.scalar, value).unwrap());
        }
        for output in &self.lowered.outputs {
            for ((min, extent), (low, count)) in output.window.iter().zip(window) {
                startup.insert(*min, Constant::int(i128::from(*low)));
                startup.insert(*extent, Constant::int(i128::from(*count)));
            }
        }
        let mut compared = 0;
        for (func, kind, path) in self.places.clone() {
            let mut values = startup.clone();
            let solution = self.found[1].solution.clone();
            if !enter(&mut self.pool, &path, &solution, &mut values, &mut random) {
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
                    "{what}: {kind:?} of {} in dimension {dim} is {narrow:?}, by the reference engine {wide:?}",
                    self.pool.func(func).name
                );
                compared += 1;
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
