//! Compares the model's counts with those of a literal run: every statement of the scheduled
//! program is executed, and each point and each read is counted.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::float_cmp,
    reason = "a test fails by panicking, and counts are whole numbers"
)]

use std::collections::{BTreeMap, BTreeSet};

use halidom_cost::{Estimator, Features, Known, Machine, Problem, Times, explain};
use halidom_diag::Sources;
use halidom_interp::{Bindings, evaluate_expr};
use halidom_ir::{Constant, Expr, ExprId, Pool, Schedule, Shape, Stmt, StmtId};
use halidom_schedule::Engine;

const BLUR: &str = "\
pipeline blur(input: buffer<u16, 2>) -> output: buffer<u16, 2> {
    func across(x, y) = (input(x, y) + input(x + 1, y) + input(x + 2, y)) / 3;
    func output(x, y) = (across(x, y) + across(x, y + 1) + across(x, y + 2)) / 3;
}
schedule whole for blur { across.compute_root(); }
schedule inline for blur { across.compute_inline(); }
schedule strips for blur {
    output.split(y, yo, yi, 8);
    across.compute_at(output, yo);
}
schedule sliding for blur {
    output.split(y, yo, yi, 8);
    across.store_at(output, yo).compute_at(output, yi);
}
schedule tiles for blur {
    output.tile(x, y, xo, yo, xi, yi, 16, 8);
    across.compute_at(output, xo);
}
schedule ordered for blur {
    output.tile(x, y, xo, yo, xi, yi, 16, 8).reorder(xi, yi, yo, xo);
    across.compute_at(output, yo).reorder(y, x);
}
schedule moved for blur {
    output.split(x, xo, xi, 12, tail: shift);
    across.compute_at(output, xo);
}
schedule guarded for blur {
    output.split(x, xo, xi, 12, tail: guard);
    across.compute_root();
}
";

const PAGES: &str = "\
pipeline copy(input: buffer<f32, 2>) -> output: buffer<f32, 2> {
    func output(x, y) = input(x, y);
}
schedule tall for copy { output.tile(x, y, xo, yo, xi, yi, 128, 64); }
schedule low for copy { output.tile(x, y, xo, yo, xi, yi, 128, 8); }
";

const SUMS: &str = "\
pipeline sums(input: buffer<f32, 2>) -> output: buffer<f32, 2> {
    func total(x, y): f32 {
        total(x, y) = 0;
        for r in 0..5 { total(x, y) += input(x + r, y); }
    }
    func output(x, y) = total(x, y) + total(x, y + 1);
}
schedule rows for sums { total.compute_at(output, y); }
schedule whole for sums { total.compute_root().update().reorder(x, r, y); }
schedule sliding for sums { total.store_root().compute_at(output, y); }
";

const CHAIN: &str = "\
pipeline chain(input: buffer<i32, 2>) -> output: buffer<i32, 2> {
    func first(x, y) = input(x, y) + input(x + 1, y);
    func second(x, y) = first(x, y - 1) + first(x, y) + first(x, y + 1);
    func third(x, y) = second(x - 1, y) * second(x, y);
    func output(x, y) = third(x, y) + third(x, y + 2);
}
schedule mixed for chain {
    output.split(y, yo, yi, 8);
    third.compute_at(output, yo);
    second.compute_inline();
    first.compute_at(third, y);
}
schedule nested for chain {
    output.tile(x, y, xo, yo, xi, yi, 8, 8);
    third.compute_at(output, xo);
    second.compute_at(third, y);
    first.compute_at(output, yo);
}
";

/// The counts of a literal run.
#[derive(Default)]
struct Counts {
    /// The executions of each stage.
    points: BTreeMap<(String, usize), f64>,
    /// The different reads of these executions.
    reads: BTreeMap<(String, usize), f64>,
}

struct Run<'r> {
    pool: &'r Pool,
    bindings: Bindings,
    counts: Counts,
}

impl Run<'_> {
    fn value(&self, expr: ExprId) -> Constant {
        evaluate_expr(self.pool, expr, &self.bindings).unwrap()
    }

    fn integer(&self, expr: ExprId) -> i128 {
        self.value(expr).as_integer().unwrap()
    }

    fn run(&mut self, stmt: StmtId) {
        match self.pool.get_stmt(stmt).clone() {
            Stmt::Block(all) => all.into_iter().for_each(|stmt| self.run(stmt)),
            Stmt::Let { var, value, body } => {
                let value = self.value(value);
                self.bindings.set_var(self.pool, var, value).unwrap();
                self.run(body);
            }
            Stmt::If { condition, then_branch, else_branch } => {
                if self.value(condition).as_bool().unwrap() {
                    self.run(then_branch);
                } else if let Some(stmt) = else_branch {
                    self.run(stmt);
                }
            }
            Stmt::For { var, min, extent, body, .. } => {
                let (min, extent) = (self.integer(min), self.integer(extent));
                for number in min..min + extent {
                    self.bindings.set_var(self.pool, var, Constant::int(number)).unwrap();
                    self.run(body);
                }
            }
            Stmt::Allocate { body, .. } | Stmt::Labeled { body, .. } => self.run(body),
            Stmt::Assert { .. } => {}
            Stmt::Provide { func, stage, values, .. } => {
                let mut reads: BTreeSet<(u32, Vec<i128>)> = BTreeSet::new();
                for value in values {
                    let mut found = Vec::new();
                    self.pool.for_each_subexpr(value, &mut |_, expr| {
                        if let Expr::Ref { func, args, .. } = expr {
                            found.push((*func, args.clone()));
                        }
                    });
                    for (func, args) in found {
                        let at = args.iter().map(|arg| self.integer(*arg)).collect();
                        let number = self.pool.funcs().position(|(id, _)| id == func).unwrap();
                        reads.insert((number as u32, at));
                    }
                }
                let key = (self.pool.func(func).name.clone(), stage);
                *self.counts.points.entry(key.clone()).or_default() += 1.0;
                *self.counts.reads.entry(key).or_default() += reads.len() as f64;
            }
            other @ Stmt::Store { .. } => panic!("{other:?}"),
        }
    }
}

fn machine() -> Machine {
    Machine {
        processor: "example".to_owned(),
        vector_bytes: 32.0,
        registers: 16.0,
        pages: 48.0,
        caches: [1024.0, 8192.0, 262_144.0],
        threads: 2,
        times: Times::default(),
    }
}

/// The features of a schedule of a text's pipeline for an output of this size.
fn features(text: &str, schedule: &str, size: [i64; 2]) -> (Pool, Schedule, Features) {
    let (pool, algorithm, schedule) = parsed(text, schedule);
    let windows = [vec![(0, size[0] - 1), (0, size[1] - 1)]];
    let problem = Problem::new(&pool, &algorithm, Known::default(), &windows);
    let estimator = Estimator::new(problem);
    let features = estimator.features(&pool, &schedule, &machine()).unwrap();
    (pool, schedule, features)
}

fn parsed(text: &str, schedule: &str) -> (Pool, halidom_ir::Algorithm, Schedule) {
    let mut sources = Sources::new();
    let file = sources.add("example.hal", text);
    let module = halidom_lang::parse(&sources, file);
    assert!(!module.has_errors(), "{:?}", module.diagnostics);
    let found = &module.pipelines[0];
    let schedule = found.schedule(schedule).unwrap().schedule.clone();
    (module.pool.clone(), found.algorithm.clone(), schedule)
}

/// The counts of a literal run.
fn counted(text: &str, schedule: &str, size: [i64; 2]) -> Counts {
    let (mut pool, algorithm, schedule) = parsed(text, schedule);
    let program =
        halidom_schedule::compile(&mut pool, &algorithm, &schedule, Engine::Default).unwrap();
    let mut bindings = Bindings::new();
    let shape: Shape = vec![(-8, size[0] + 24), (-8, size[1] + 24)];
    for input in &algorithm.inputs {
        bindings.set_input_shape(&pool, *input, &shape, &[1, size[0] + 24]).unwrap();
    }
    for output in &program.outputs {
        for ((min, extent), size) in output.window.iter().zip(size) {
            bindings.set_var(&pool, *min, Constant::int(0)).unwrap();
            bindings.set_var(&pool, *extent, Constant::int(i128::from(size))).unwrap();
        }
    }
    let mut run = Run { pool: &pool, bindings, counts: Counts::default() };
    run.run(program.body);
    run.counts
}

fn agrees(text: &str, schedule: &str, size: [i64; 2]) {
    let counts = counted(text, schedule, size);
    let (_, _, features) = features(text, schedule, size);
    let expected: BTreeMap<String, (f64, f64)> = counts
        .points
        .iter()
        .map(|((func, stage), points)| {
            let name = if *stage == 0 { func.clone() } else { format!("{func}.update({stage})") };
            (name, (*points, counts.reads[&(func.clone(), *stage)]))
        })
        .collect();
    let found: BTreeMap<String, (f64, f64)> = features
        .stages
        .iter()
        .map(|stage| (stage.name.clone(), (stage.points, stage.points * stage.reads)))
        .collect();
    assert_eq!(found, expected, "{schedule}");
}

#[test]
fn points_and_reads_are_those_of_a_run() {
    let size = [32, 24];
    for schedule in ["whole", "inline", "strips", "sliding", "tiles", "ordered", "guarded"] {
        agrees(BLUR, schedule, size);
    }
    for schedule in ["rows", "whole", "sliding"] {
        agrees(SUMS, schedule, size);
    }
    for schedule in ["mixed", "nested"] {
        agrees(CHAIN, schedule, size);
    }
}

/// A block that moves inwards computes some points again.
#[test]
fn tails_that_move_inwards_compute_points_again() {
    agrees(BLUR, "moved", [32, 24]);
    let (_, _, features) = features(BLUR, "moved", [32, 24]);
    let output = features.stages.iter().find(|stage| stage.name == "output").unwrap();
    assert_eq!((output.points, output.least_points), (36.0 * 24.0, 32.0 * 24.0));
}

/// A func that is as large as the second cache is written and read across it. In strips it stays
/// in the first.
#[test]
fn memory_moves_across_the_caches_that_are_too_small() {
    let moved = |schedule: &str, name: &str| {
        let (_, _, features) = features(BLUR, schedule, [128, 64]);
        features.memory.iter().find(|memory| memory.name == name).unwrap().clone()
    };
    let whole = moved("whole", "across");
    // 128 by 66 elements of two bytes.
    assert_eq!((whole.bytes, whole.allocations), (128.0 * 66.0 * 2.0, 1.0));
    // Written once and read once.
    assert_eq!(whole.moved[1], 2.0 * 128.0 * 66.0 * 2.0);
    assert_eq!(whole.moved[2], 0.0);
    let sliding = moved("sliding", "across");
    // Four rows: the next power of two above three.
    assert_eq!((sliding.bytes, sliding.allocations), (4.0 * 256.0, 8.0));
    assert_eq!(sliding.moved[1], 0.0);
    assert_eq!(sliding.within, "output.yo");
}

/// A row of many funcs' memory lies on many pages at once, tiles of few rows on few.
#[test]
fn tall_tiles_turn_between_pages() {
    let pages = |schedule: &str| {
        let (_, _, features) = features(PAGES, schedule, [4096, 256]);
        features.roots.iter().map(|root| root.pages).sum::<f64>()
    };
    // Each row of a tile is on a page of its own, of the input and of the output.
    let tall = pages("tall");
    assert!(tall >= 2.0 * (4096.0 / 128.0) * 256.0, "{tall}");
    let low = pages("low");
    assert!(low * 4.0 < tall, "{low} {tall}");
}

#[test]
fn explanations_tell_where_memory_stays() {
    let lines = |schedule: &str| {
        let (_, _, features) = features(BLUR, schedule, [128, 64]);
        let machine = machine();
        assert_eq!(features, self::features(BLUR, schedule, [128, 64]).2);
        explain::explain(&features, &machine).join("\n")
    };
    let whole = lines("whole");
    assert!(whole.contains("across at root takes 16.9 kB and moves 33.8 kB beyond L2"), "{whole}");
    let sliding = lines("sliding");
    assert!(
        sliding.contains("across in output.yo takes 1.0 kB and moves 55.0 kB beyond L1"),
        "{sliding}"
    );
    let strips = lines("strips");
    assert!(strips.contains("points, each 1.21 times"), "{strips}");
}
