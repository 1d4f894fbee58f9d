//! Windows of inputs: the whole and what is stored are kept apart by the validator, by the
//! read-back and by the interpreter; and formulas of halos that are too small are never proved.

use halidom_base::IndexSet;
use halidom_codegen::{Target, emit};
use halidom_driver::compile::{Compiled, compile};
use halidom_driver::halo;
use halidom_driver::halo::overlap::{self, Boundary, Side};
use halidom_driver::judge::Options;
use halidom_driver::source::{Choice, Loaded};
use halidom_interp::{Bindings, algorithm, machine};
use halidom_ir::visit::Role;
use halidom_ir::{
    Algorithm, Array, Check, Constant, Expr, ExprId, FuncId, Pool, Program, Scalar, Stmt, StmtId,
    Substitution, VarId, points, print,
};
use halidom_testgen::sampled;
use halidom_validate::Verdict;

use crate::common::{example, in_parallel, is_shown, load};

/// Examples with boundary conditions, resampling and reductions, and a schedule of each.
const PROGRAMS: [(&str, Option<usize>); 5] = [
    ("blur", Some(0)),
    ("edges", Some(0)),
    ("histogram", None),
    ("interpolate", Some(1)),
    ("unsharp", Some(0)),
];

struct Opened {
    loaded: Loaded,
    compiled: Compiled,
}

impl Opened {
    fn new(name: &str, schedule: Option<usize>) -> Self {
        Self::of(load(name, &example(name)), schedule)
    }

    fn of(mut loaded: Loaded, schedule: Option<usize>) -> Self {
        let inputs: IndexSet<FuncId> =
            loaded.module.pipelines[0].algorithm.inputs.iter().copied().collect();
        loaded.open_windows(0, &inputs);
        let choice = Choice { pipeline: 0, schedule };
        let compiled = compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("it is legal");
        Self { loaded, compiled }
    }

    fn pool(&mut self) -> &mut Pool {
        &mut self.loaded.module.pool
    }

    fn algorithm(&self) -> &Algorithm {
        &self.loaded.module.pipelines[0].algorithm
    }

    fn judge(&self, program: Program) -> Verdict {
        let compiled = Compiled { program, ..self.compiled.clone() };
        let options = Options::find().expect("a solver is installed");
        crate::common::judge(&self.loaded.module.pool, self.algorithm(), &compiled, &options)
            .verdict
    }

    fn is_shown(&self, program: Program) -> bool {
        let compiled = Compiled { program, ..self.compiled.clone() };
        is_shown(&self.loaded.module.pool, self.algorithm(), &compiled)
    }

    fn differ(&self, one: &Program, other: &Program) -> bool {
        let text = |program: &Program| print::program(&self.loaded.module.pool, program);
        text(one) != text(other)
    }

    /// The variables of what is stored with those of the whole, for all windows.
    fn bounds(&self) -> Vec<(VarId, VarId)> {
        let pool = &self.loaded.module.pool;
        let var = |expr: ExprId| {
            let Expr::Var(var) = pool.get(expr) else { unreachable!("bounds are variables") };
            *var
        };
        let windows = self.loaded.windows.iter();
        windows
            .flat_map(|window| {
                let dims = pool.buffer(window.stored).dims.clone();
                let whole = window.whole.clone();
                dims.into_iter().zip(whole).flat_map(move |(dim, (min, extent))| {
                    [(var(dim.min), min), (var(dim.extent), extent)]
                })
            })
            .collect()
    }
}

/// Rebuilds a program; `change` gets each expression, and `keep` decides which checks stay.
fn changed(
    pool: &mut Pool,
    program: &Program,
    change: &mut dyn FnMut(&mut Pool, Role, ExprId) -> ExprId,
    keep: &dyn Fn(&Check) -> bool,
) -> Program {
    fn stmt(
        pool: &mut Pool,
        id: StmtId,
        change: &mut dyn FnMut(&mut Pool, Role, ExprId) -> ExprId,
        keep: &dyn Fn(&Check) -> bool,
    ) -> StmtId {
        let old = pool.get_stmt(id).clone();
        if let Stmt::Assert { check, .. } = &old {
            return if keep(check) { id } else { pool.stmt(Stmt::Block(Vec::new())) };
        }
        let new = old.map_exprs(|role, expr| change(pool, role, expr));
        let new = new.map_children(|child| stmt(pool, child, change, keep));
        pool.stmt(new)
    }
    Program { body: stmt(pool, program.body, change, keep), ..program.clone() }
}

fn of_bounds(pool: &mut Pool, pairs: impl Iterator<Item = (VarId, VarId)>) -> Substitution {
    let mut replaced = Substitution::new();
    for (from, to) in pairs {
        let to = pool.var_expr(to);
        replaced.insert(from, to);
    }
    replaced
}

#[test]
fn windowed_examples_are_proved() {
    in_parallel(&PROGRAMS, |(name, schedule)| {
        let opened = Opened::new(name, *schedule);
        assert_eq!(opened.judge(opened.compiled.program.clone()), Verdict::Proved, "{name}");
    });
}

#[test]
fn programs_that_confuse_the_whole_with_what_is_stored_are_not_proved() {
    in_parallel(&sampled(PROGRAMS, 6), |(name, schedule)| {
        let mut opened = Opened::new(name, *schedule);
        let (program, bounds) = (opened.compiled.program.clone(), opened.bounds());
        let all = |_: &Check| true;
        // Addresses by the whole's bounds.
        let to_whole = of_bounds(opened.pool(), bounds.iter().copied());
        let mut by_the_whole = |pool: &mut Pool, _: Role, expr: ExprId| to_whole.apply(pool, expr);
        let mutant = changed(opened.pool(), &program, &mut by_the_whole, &all);
        assert!(opened.differ(&mutant, &program), "{name}: no address mentions what is stored");
        assert!(!opened.is_shown(mutant), "{name}: addresses by the whole");
        // Without the checks on what is read, and on where the part lies in the whole.
        let unread = |check: &Check| !matches!(check, Check::InputRegion { .. });
        let mut same = |_: &mut Pool, _: Role, expr: ExprId| expr;
        let mutant = changed(opened.pool(), &program, &mut same, &unread);
        assert!(!opened.is_shown(mutant), "{name}: nothing must be stored");
        let is_stored = |message: &str| message.contains("stored part");
        let anywhere =
            |check: &Check| !matches!(check, Check::Require { message } if is_stored(message));
        let mutant = changed(opened.pool(), &program, &mut same, &anywhere);
        assert!(!opened.is_shown(mutant), "{name}: parts beyond the whole");
    });
}

/// Pipelines whose values depend on the shape of the whole. (Clamping to the part would be right:
/// where the part has all that is read, its ends are those of the whole or are not reached.)
const SHAPED: [&str; 3] = [
    "func output(x) = i32(input(x)) * i32(input.width);",
    "func output(x) = i32(input(input.width - 1 - x));",
    "func output(x) = i32(input(x)) + select(x == input.min(0), 1, 0);",
];

#[test]
fn programs_that_take_the_shape_of_the_part_are_refuted() {
    for body in SHAPED {
        let text =
            format!("pipeline shaped(input: buffer<u8, 1>) -> output: buffer<i32, 1> {{ {body} }}");
        let mut opened = Opened::of(load("shaped", &text), None);
        let (program, bounds) = (opened.compiled.program.clone(), opened.bounds());
        assert_eq!(opened.judge(program.clone()), Verdict::Proved, "{body}");
        let swapped = bounds.iter().map(|(stored, whole)| (*whole, *stored));
        let to_stored = of_bounds(opened.pool(), swapped);
        let mut by_the_part = |pool: &mut Pool, _: Role, expr: ExprId| to_stored.apply(pool, expr);
        let mutant = changed(opened.pool(), &program, &mut by_the_part, &|_| true);
        assert!(opened.differ(&mutant, &program), "{body}");
        assert!(matches!(opened.judge(mutant), Verdict::Refuted(_)), "{body}");
    }
}

#[test]
fn c_that_confuses_the_whole_with_what_is_stored_is_refused() {
    let mut refused = 0;
    for (name, schedule) in sampled(PROGRAMS, 3) {
        let opened = Opened::new(name, schedule);
        let (pool, program) = (&opened.loaded.module.pool, &opened.compiled.program);
        let text = emit(pool, program, &Target::host()).expect("it is printed").text;
        assert_eq!(halidom_readback::check(pool, program, &text), Ok(()), "{name}");
        for part in ["min", "extent"] {
            for dim in 0..2 {
                let (whole, stored) =
                    (format!("input_{part}_{dim}"), format!("input_stored_{part}_{dim}"));
                for (from, to) in [(&whole, &stored), (&stored, &whole)] {
                    for (at, _) in text.match_indices(from.as_str()) {
                        let end = at + from.len();
                        let is_word = |c: Option<char>| {
                            c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
                        };
                        let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
                        let line = &text[line..];
                        let line = &line[..line.find('\n').unwrap_or(line.len())];
                        // Declarations and fields bind names; a name alone in a line says nothing.
                        let binds = line.contains("->") || !line.contains(['(', '=', '+']);
                        if is_word(text[..at].chars().next_back())
                            || is_word(text[end..].chars().next())
                            || binds
                            || line.contains("(void)")
                        {
                            continue;
                        }
                        let mutant = [&text[..at], to.as_str(), &text[end..]].concat();
                        let read = halidom_readback::check(pool, program, &mutant);
                        assert!(read.is_err(), "{name}: `{to}` for `{from}` in `{line}`");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(refused > 100, "only {refused} mutants were tried");
}

/// An array over a part of a whole, whose elements depend on their coordinates alone.
fn part(whole: &[(i64, i64)], part: &[(i64, i64)]) -> Array {
    let mut array = Array::zeros(Scalar::U8, part.to_vec()).expect("it is small");
    for point in points(part) {
        let place: i64 = point.iter().zip(whole).fold(7, |sum, (at, (min, _))| {
            sum.wrapping_mul(31).wrapping_add((at - min).wrapping_mul(at + 3))
        });
        let value = Constant::wrapped(Scalar::U8, i128::from(place)).expect("it is an integer");
        assert!(array.set(&point, value));
    }
    array
}

#[test]
fn chunks_equal_the_whole_in_the_interpreter() {
    let whole = Opened::new("edges", Some(0));
    let shape = [(-3, 11), (5, 9)];
    let input = whole.algorithm().inputs[0];
    let params = whole.algorithm().params.clone();
    let pool = whole.loaded.module.pool.clone();
    let bound = |stored: &[(i64, i64)]| {
        let mut bindings = Bindings::new();
        bindings.set_input(&pool, input, part(&shape, stored)).expect("it fits");
        // The two parameters of the pipeline come first.
        let values = [30, 90].into_iter().chain(shape.iter().flat_map(|(min, size)| [*min, *size]));
        for (param, value) in params.iter().zip(values) {
            let scalar = pool.var(*param).ty.scalar;
            let value = Constant::wrapped(scalar, i128::from(value)).expect("it is an integer");
            bindings.set_var(&pool, *param, value).expect("it fits");
        }
        bindings
    };
    let window = vec![(-4, 13), (4, 11)];
    let algorithm = whole.algorithm().clone();
    let all = bound(&shape);
    let expected = algorithm::evaluate(&pool, &algorithm, &all, std::slice::from_ref(&window));
    let expected = expected.expect("it has values").remove(0);
    let clamp = |at: i64, (min, size): (i64, i64)| at.clamp(min, min + size - 1);
    let settings = machine::Options::default();
    let mut compared = 0;
    for (width, height) in [(1, 1), (3, 2), (13, 11)] {
        for x in (-4..9).step_by(width) {
            for y in (4..15).step_by(height) {
                let chunk = vec![(x, (width as i64).min(9 - x)), (y, (height as i64).min(15 - y))];
                let stored: Vec<(i64, i64)> = chunk
                    .iter()
                    .zip(shape)
                    .map(|((at, size), whole)| {
                        let (low, high) = (clamp(at - 3, whole), clamp(at + size + 2, whole));
                        (low, high - low + 1)
                    })
                    .collect();
                let program = &whole.compiled.program;
                let windows = std::slice::from_ref(&chunk);
                let run = machine::run(&pool, program, &bound(&stored), windows, &settings);
                let found = run.expect("the checks hold").outputs.remove(0);
                for point in points(&chunk) {
                    assert_eq!(found.get(&point), expected.get(&point), "{point:?} of {chunk:?}");
                    compared += 1;
                }
                // One column less is refused.
                if stored[0].1 > 1 {
                    let less = [(stored[0].0 + 1, stored[0].1 - 1), stored[1]];
                    let run = machine::run(&pool, program, &bound(&less), windows, &settings);
                    assert!(run.is_err(), "{chunk:?} ran on {less:?}");
                }
            }
        }
    }
    assert_eq!(compared, 3 * 13 * 11);
}

#[test]
fn formulas_of_halos_are_proved_and_smaller_ones_are_not() {
    let options = Options::find().expect("a solver is installed");
    in_parallel(&sampled(PROGRAMS, 6), |(name, schedule)| {
        let loaded = load(name, &example(name));
        let choice = Choice { pipeline: 0, schedule: *schedule };
        let found = halo::find(&loaded, &choice).expect("it has bounds");
        assert_eq!(found.prove(&options).verdict, Verdict::Proved, "{name}");
        let [region] = found.regions.as_slice() else { panic!("{name} has one input") };
        let ends = found.reads(&options);
        let one = |pool: &mut Pool| pool.int(1);
        for (dim, read) in ends[0].iter().enumerate().take(2) {
            for low in [true, false] {
                let smaller = halo::find_with(&loaded, &choice, &mut |pool, place, interval| {
                    if place != (region.input, dim) {
                        return;
                    }
                    let one = one(pool);
                    interval.extent = pool.sub(interval.extent, one);
                    if low {
                        interval.min = pool.add(interval.min, one);
                    }
                });
                let smaller = smaller.expect("it has bounds").subject;
                let is_shown = is_shown(&smaller.pool, &smaller.algorithm, &smaller.compiled);
                // Schedules may read more than the algorithm needs, but not less than is claimed.
                let is_read = if low { read.0 } else { read.1 };
                if is_read || *name == "edges" {
                    assert!(!is_shown, "{name}: dimension {dim}, low: {low}");
                }
            }
        }
    });
}

#[test]
fn formulas_are_readable() {
    let shown = |name: &str| {
        let loaded = load(name, &example(name));
        let choice = Choice { pipeline: 0, schedule: None };
        let found = halo::find(&loaded, &choice).expect("it has bounds");
        let dims = found.regions.iter().flat_map(|region| &region.dims);
        let text = |reach: &halo::Reach| format!("{} {}", reach.text, reach.is_clamped);
        dims.map(text).collect::<Vec<String>>()
    };
    assert_eq!(shown("blur"), ["[x0, x1 + 2] false", "[y0, y1 + 2] false"]);
    assert_eq!(shown("edges"), ["[x0 - 3, x1 + 3] true", "[y0 - 3, y1 + 3] true"]);
    assert_eq!(shown("interpolate")[0], "[8*(x0/8), 8*((x1 + 8)/8) - 1] true");
}

fn side(before: i64, after: i64, boundary: Boundary) -> Side {
    Side { before, after, boundary }
}

#[test]
fn blocks_are_proved_with_enough_overlap_only() {
    let loaded = load("edges", &example("edges"));
    let choice = Choice { pipeline: 0, schedule: Some(0) };
    let cases = [(3, 3, true), (4, 3, true), (2, 3, false), (3, 2, false)];
    for (before, after, is_enough) in sampled(cases, 3) {
        let sides = [side(before, after, Boundary::None), side(3, 3, Boundary::None)];
        let blocks = overlap::overlap(&loaded, &choice, &sides).expect("it has blocks");
        let is_shown = is_shown(&blocks.pool, &blocks.algorithm, &blocks.compiled);
        assert_eq!(is_shown, is_enough, "{before}, {after}");
    }
}

/// A mean of three under each boundary of a program, in blocks under each boundary of Dask.
#[test]
fn blocks_are_proved_under_the_programs_own_boundary_only() {
    let of_programs = [
        "repeat_edge(input)",
        "mirror_image(input)",
        "repeat_image(input)",
        "constant_exterior(input, 7)",
    ];
    let of_blocks = [
        Boundary::Nearest,
        Boundary::Reflect,
        Boundary::Periodic,
        Boundary::Constant("7".to_owned()),
        Boundary::Constant("8".to_owned()),
    ];
    in_parallel(&sampled(of_programs, 3), |own| {
        let text = format!(
            "pipeline means(input: buffer<u8, 1>) -> output: buffer<u8, 1> {{
                func at = {own};
                func output(x) = u8((u16(at(x - 1)) + u16(at(x)) + u16(at(x + 1))) / 3);
            }}"
        );
        let loaded = load("means", &text);
        let choice = Choice { pipeline: 0, schedule: None };
        let number = of_programs.iter().position(|one| one == own).expect("it is one of them");
        for depth in 0..2 {
            for (other, boundary) in of_blocks.iter().enumerate() {
                // A distance of 1 does not tell the edge from its mirror image.
                let is_same = number == other || number.max(other) == 1;
                let sides = [side(depth, depth, boundary.clone())];
                let blocks = overlap::overlap(&loaded, &choice, &sides).expect("it has blocks");
                let is_shown = is_shown(&blocks.pool, &blocks.algorithm, &blocks.compiled);
                assert_eq!(is_shown, is_same && depth > 0, "{own}, {depth}, {boundary:?}");
            }
        }
    });
}

/// Floats decide which rows and columns a window reads: their order is that of the coordinates.
#[test]
fn windows_of_resized_pictures_are_proved() {
    for schedule in [None, Some(0)] {
        let opened = Opened::new("applications/resize", schedule);
        assert_eq!(opened.judge(opened.compiled.program.clone()), Verdict::Proved, "{schedule:?}");
    }
}
