//! Runs at the borders of a statement's entry checks: the least accepted sizes, the sizes next to
//! them, primes.
//!
//! Most statements of stock Halide refuse random sizes, because their tiles must fit. This module
//! finds accepted sizes by evaluating the checks themselves. The checks depend only on parameters
//! and shapes, so no run is needed.

use std::collections::BTreeSet;

use halidom_base::{FxHashMap, IndexSet};
use halidom_interp::algorithm::Evaluator;
use halidom_interp::{Bindings, evaluate_expr, nesting};
use halidom_ir::{
    Algorithm, BinaryOp, BufferId, Check, Constant, Expr, ExprId, FuncId, FuncKind, Interval,
    Nesting, Pool, Program, Scalar, Shape, Stmt, StmtId, VarId, nested_strides,
};
use halidom_testgen::{Random, random_nested_array};

/// A case to run a compiled pipeline on.
pub struct Case {
    /// Parameters and inputs.
    pub bindings: Bindings,
    /// The windows of the outputs.
    pub windows: Vec<Shape>,
}

/// A point of an output, and the value that the pipeline defines there.
pub struct Wanted {
    /// The index of the component among the components of all outputs.
    pub component: usize,
    /// The point.
    pub coords: Vec<i64>,
    /// The value there.
    pub value: Constant,
}

/// Candidate sizes, in increasing order.
const LADDER: [i64; 16] = [1, 2, 3, 5, 8, 16, 17, 32, 33, 64, 96, 128, 256, 512, 768, 1024];
/// Rounds in which shapes grow to contain the regions that are read.
const ROUNDS: usize = 8;
/// The largest number of elements in an input or output.
pub const MOST_ELEMENTS: i64 = 1 << 24;
/// Largest number of points for which all points of an output are compared. Larger outputs are
/// compared only at their corners and middles.
const MOST_POINTS: i64 = 4_000;
/// Points at each end of a dimension that count as its corners.
const CORNER: i64 = 2;
/// The interpreter's step limit for a case.
const MOST_STEPS: u64 = 20_000_000;

/// The sides of inputs that [`Placing`] chooses, their largest number of elements, and the farthest
/// place of its windows.
const INPUTS: [i64; 3] = [96, 160, 256];
const SMALL: i64 = 1 << 16;
const FARTHEST: i64 = 60;

/// The largest threshold that is tried, and the number of thresholds. A threshold is a size that a
/// program compares others with.
const MOST_THRESHOLD: i64 = 512;
const THRESHOLDS: usize = 3;

/// A size that may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Knob {
    /// An integer parameter.
    Param(VarId),
    /// The extent of an output's window.
    Window(usize, usize),
    /// The extent of an input; 0 stands for the least extent that contains all reads.
    Input(usize, usize),
}

impl Knob {
    /// The least value that is tried.
    fn least(self) -> i64 {
        match self {
            Self::Param(_) | Self::Window(..) => 1,
            Self::Input(..) => 0,
        }
    }
}

/// An assignment of values to the knobs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Choice {
    /// A number for each knob.
    sizes: Vec<i64>,
    /// The least coordinate of each window, unless a check determines it.
    min: i64,
}

/// Shapes that pass all checks.
pub(super) struct Settled {
    /// Parameters, and the sides of buffers.
    pub(super) bindings: Bindings,
    /// The windows of the outputs.
    pub(super) windows: Vec<Shape>,
    /// The shapes of the inputs.
    pub(super) shapes: Vec<Shape>,
}

/// The entry checks of a program.
struct Entry<'a> {
    pool: &'a Pool,
    algorithm: &'a Algorithm,
    program: &'a Program,
    checks: Vec<ExprId>,
    /// Sides that a check fixes by an equation, each with its value.
    equations: Vec<(VarId, ExprId)>,
    /// Regions of inputs that the program reads.
    needed: Vec<(usize, usize, Interval)>,
    knobs: Vec<Knob>,
    /// The order in memory of the dimensions of each of the caller's buffers.
    nestings: FxHashMap<BufferId, Nesting>,
}

/// Cases at the borders of the accepted sizes, the least sizes first. `most` bounds the elements in
/// an input or output. Returns no cases if no accepted sizes are found.
pub fn cases(
    pool: &Pool,
    (algorithm, program): (&Algorithm, &Program),
    (seed, count): (u64, usize),
    most: i64,
) -> Vec<Case> {
    let mut random = Random::new(seed);
    let mut params = Bindings::new();
    for param in &algorithm.params {
        let value = random.constant(pool.var(*param).ty.scalar);
        // A parameter of another type than its own stays unbound, and then nothing is accepted.
        let _ = params.set_var(pool, *param, value);
    }
    let mut found = Vec::new();
    let around = settled(pool, (algorithm, program), &params, (&mut random, count), most);
    for settled in around {
        found.extend(settled.filled(pool, (algorithm, program), &mut random));
    }
    found
}

/// Cases in which one side of an output has the given extent and all other sizes are the least
/// accepted ones.
pub fn wide(
    pool: &Pool,
    (algorithm, program): (&Algorithm, &Program),
    (seed, extent): (u64, i64),
) -> Vec<Case> {
    let mut random = Random::new(seed);
    let mut params = Bindings::new();
    for param in &algorithm.params {
        let value = random.constant(pool.var(*param).ty.scalar);
        // A parameter of another type than its own stays unbound, and then nothing is accepted.
        let _ = params.set_var(pool, *param, value);
    }
    let entry = Entry::of(pool, algorithm, program);
    let Some(least) = entry.least(&params, &mut random) else { return Vec::new() };
    let mut found = Vec::new();
    for (number, _) in
        entry.knobs.iter().enumerate().filter(|(_, knob)| matches!(knob, Knob::Window(..)))
    {
        let mut choice = least.clone();
        choice.sizes[number] = extent;
        let settled = entry.settle(&params, &choice);
        found.extend(
            settled.and_then(|settled| settled.filled(pool, (algorithm, program), &mut random)),
        );
    }
    found
}

/// A source of cases with small windows anywhere near the origin, and inputs that are much larger
/// than the windows. So a clamp to an input's bounds hides few coordinates.
pub(super) struct Placing<'a> {
    entry: Entry<'a>,
    /// The least accepted sizes for the last parameters.
    least: Option<Choice>,
}

impl<'a> Placing<'a> {
    pub(super) fn of(pool: &'a Pool, algorithm: &'a Algorithm, program: &'a Program) -> Self {
        Self { entry: Entry::of(pool, algorithm, program), least: None }
    }

    /// At most `count` cases with these parameters.
    pub(super) fn cases(
        &mut self,
        params: &Bindings,
        (random, count): (&mut Random, usize),
    ) -> Vec<Case> {
        let entry = &self.entry;
        // The least sizes seldom depend on parameters, and it takes many evaluations to find them.
        let kept = self.least.take().filter(|least| entry.settle(params, least).is_some());
        self.least = kept.or_else(|| entry.least(params, random));
        let Some(least) = &self.least else { return Vec::new() };
        let mut found = Vec::new();
        for _ in 0..count {
            let choice = Choice {
                sizes: entry.placed(&least.sizes, random),
                min: random.between(0, FARTHEST),
            };
            let settled = entry.settle(params, &choice);
            let is_small =
                |found: &Settled| found.shapes.iter().all(|shape| is_small(shape, SMALL));
            let small = settled.filter(is_small);
            let of = (entry.algorithm, entry.program);
            found.extend(small.and_then(|small| small.filled(entry.pool, of, random)));
        }
        found
    }
}

/// Tests whether an array has at most this many elements.
fn is_small(shape: &Shape, most: i64) -> bool {
    let sides = shape.iter().map(|(_, extent)| *extent);
    sides.fold(1_i64, i64::saturating_mul) <= most
}

impl Settled {
    /// Builds a case with these shapes and random inputs.
    fn filled(
        self,
        pool: &Pool,
        (algorithm, program): (&Algorithm, &Program),
        random: &mut Random,
    ) -> Option<Case> {
        let Self { mut bindings, windows, shapes } = self;
        for (input, shape) in algorithm.inputs.iter().zip(shapes) {
            let decl = pool.func(*input);
            let FuncKind::Input { buffer } = decl.kind else { return None };
            let nesting = nesting(pool, program, buffer);
            let array = random_nested_array(decl.scalar(0), shape, &nesting, random.bits())?;
            bindings.set_input(pool, *input, array).ok()?;
        }
        Some(Case { bindings, windows })
    }
}

/// Sizes at the borders of the accepted ones for the given parameters, the least first. `most`
/// bounds the elements in an input or output. An integer parameter that no check fixes is chosen
/// like a size.
pub(super) fn settled(
    pool: &Pool,
    (algorithm, program): (&Algorithm, &Program),
    params: &Bindings,
    (random, count): (&mut Random, usize),
    most: i64,
) -> Vec<Settled> {
    let entry = Entry::of(pool, algorithm, program);
    let Some(least) = entry.least(params, random) else { return Vec::new() };
    let mut seen = IndexSet::default();
    let choices = entry.around(&least, random).into_iter();
    let new = choices.filter(|choice| seen.insert(choice.clone()));
    let settled = new.filter_map(|choice| entry.settle(params, &choice));
    let small = settled.filter(|found| {
        found.windows.iter().chain(&found.shapes).all(|shape| is_small(shape, most))
    });
    small.take(count).collect()
}

/// Tests whether all entry checks of a program hold for a case: those of the code, and those that
/// stand for what its callers promise.
pub(super) fn accepts(
    pool: &Pool,
    (algorithm, program): (&Algorithm, &Program),
    case: &Case,
) -> bool {
    let entry = Entry::of(pool, algorithm, program);
    let mut bindings = case.bindings.clone();
    entry.bind_windows(&mut bindings, &case.windows).is_some() && entry.all_hold(&bindings)
}

/// The values that the pipeline defines for a case: at every point of small outputs, at the corners
/// and middles of large ones. `None` if the pipeline has no value there or the evaluation takes too
/// long.
pub fn wanted(said: (&Pool, &Algorithm), case: &Case) -> Option<Vec<Wanted>> {
    wanted_within(said, case, &mut { MOST_STEPS })
}

/// Does the same with some steps of evaluation, and takes those that it makes from them.
pub(super) fn wanted_within(
    (pool, algorithm): (&Pool, &Algorithm),
    case: &Case,
    steps: &mut u64,
) -> Option<Vec<Wanted>> {
    let mut evaluator = Evaluator::new(pool, algorithm, &case.bindings).ok()?;
    evaluator.limit(*steps);
    let found = defined(pool, algorithm, &mut evaluator, case);
    *steps = evaluator.left();
    found
}

fn defined(
    pool: &Pool,
    algorithm: &Algorithm,
    evaluator: &mut Evaluator<'_>,
    case: &Case,
) -> Option<Vec<Wanted>> {
    let mut found = Vec::new();
    let mut first = 0;
    for (output, window) in algorithm.outputs.iter().zip(&case.windows) {
        let components = pool.func(*output).scalars.len();
        for coords in places(window) {
            for component in 0..components {
                let value = evaluator.value(*output, component, &coords).ok()?;
                found.push(Wanted { component: first + component, coords: coords.clone(), value });
            }
        }
        first += components;
    }
    Some(found)
}

/// The points of a window that are compared.
fn places(window: &Shape) -> Vec<Vec<i64>> {
    let points: i64 = window.iter().map(|(_, extent)| *extent).product();
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for (min, extent) in window {
        let side: Vec<i64> = (0..*extent)
            .filter(|at| {
                let at_end = *at < CORNER || extent - at <= CORNER || *at == extent / 2;
                points <= MOST_POINTS || at_end
            })
            .map(|at| min + at)
            .collect();
        all = all
            .iter()
            .flat_map(|point| side.iter().map(move |at| [&point[..], &[*at]].concat()))
            .collect();
    }
    all
}

impl<'a> Entry<'a> {
    fn of(pool: &'a Pool, algorithm: &'a Algorithm, program: &'a Program) -> Self {
        let mut entry = Self {
            pool,
            algorithm,
            program,
            checks: Vec::new(),
            equations: Vec::new(),
            needed: Vec::new(),
            knobs: Vec::new(),
            nestings: FxHashMap::default(),
        };
        entry.collect(program.body);
        let is_said = |entry: &Self, var| entry.equations.iter().any(|(known, _)| *known == var);
        let mut knobs = Vec::new();
        for param in &algorithm.params {
            if pool.var(*param).ty.scalar == Scalar::Int && !is_said(&entry, *param) {
                knobs.push(Knob::Param(*param));
            }
        }
        for (output, decl) in program.outputs.iter().enumerate() {
            for (dim, (_, extent)) in decl.window.iter().enumerate() {
                if !is_said(&entry, *extent) {
                    knobs.push(Knob::Window(output, dim));
                }
            }
        }
        for (input, buffer) in entry.inputs().into_iter().enumerate() {
            for (dim, side) in pool.buffer(buffer).dims.iter().enumerate() {
                let said = matches!(pool.get(side.extent), Expr::Var(var) if is_said(&entry, *var));
                if !said {
                    knobs.push(Knob::Input(input, dim));
                }
            }
        }
        entry.knobs = knobs;
        let outputs = program.outputs.iter().filter_map(|output| output.buffers.first());
        for buffer in entry.inputs().into_iter().chain(outputs.copied()) {
            entry.nestings.insert(buffer, nesting(pool, program, buffer));
        }
        entry
    }

    fn inputs(&self) -> Vec<BufferId> {
        let buffer = |func: &FuncId| match self.pool.func(*func).kind {
            FuncKind::Input { buffer } => Some(buffer),
            FuncKind::Defined { .. } => None,
        };
        self.algorithm.inputs.iter().filter_map(buffer).collect()
    }

    /// Collects the entry checks, which are at the top of the program.
    fn collect(&mut self, stmt: StmtId) {
        let stmt = self.pool.get_stmt(stmt);
        if let Stmt::Block(parts) = stmt {
            for part in parts {
                self.collect(*part);
            }
        } else if let Stmt::Assert { condition, check } = stmt {
            self.checks.push(*condition);
            self.equations_of(*condition);
            if let Check::InputRegion { input, dim, needed, .. } = check
                && let Some(input) = self.algorithm.inputs.iter().position(|known| known == input)
            {
                self.needed.push((input, *dim, *needed));
            }
        }
    }

    fn equations_of(&mut self, condition: ExprId) {
        let Expr::Binary(op, a, b) = *self.pool.get(condition) else { return };
        if op == BinaryOp::And {
            self.equations_of(a);
            self.equations_of(b);
        } else if op == BinaryOp::Eq && self.pool.ty(a).scalar == Scalar::Int {
            let known =
                |side| if let Expr::Var(var) = self.pool.get(side) { Some(*var) } else { None };
            let equation = known(a).map(|var| (var, b)).or(known(b).map(|var| (var, a)));
            self.equations.extend(equation);
        }
    }

    /// The least accepted sizes, as found by reducing one size after another.
    fn least(&self, params: &Bindings, random: &mut Random) -> Option<Choice> {
        let fits = |choice: &Choice| self.settle(params, choice).is_some();
        let level = |size: i64, inputs: i64| Choice {
            sizes: self
                .knobs
                .iter()
                .map(|knob| match knob {
                    // Parameters are usually small: widths of filters, numbers of steps.
                    Knob::Param(_) => size.min(3),
                    Knob::Window(..) => size,
                    Knob::Input(..) => inputs,
                })
                .collect(),
            min: 0,
        };
        let levels =
            LADDER.iter().flat_map(|size| [0, 3, *size].map(|inputs| level(*size, inputs)));
        let mut start = levels.into_iter().find(&fits);
        for _ in 0..400 {
            if start.is_some() {
                break;
            }
            let sizes = self.knobs.iter().map(|knob| match knob {
                Knob::Param(_) => random.between(1, 4),
                Knob::Window(..) => random.choose(&LADDER).copied().unwrap_or(1),
                Knob::Input(..) if random.one_in(2) => 0,
                Knob::Input(..) => random.choose(&LADDER).copied().unwrap_or(1),
            });
            let choice = Choice { sizes: sizes.collect(), min: 0 };
            start = Some(choice).filter(&fits);
        }
        let mut least = start?;
        for (number, knob) in self.knobs.iter().enumerate() {
            let with = |size: i64| {
                let mut smaller = least.clone();
                smaller.sizes[number] = size;
                smaller
            };
            let reached = least.sizes[number];
            let steps = [knob.least()].into_iter().chain(LADDER).filter(|size| *size < reached);
            let Some(mut size) = steps.into_iter().find(|size| fits(&with(*size))) else {
                continue;
            };
            while size > knob.least() && fits(&with(size - 1)) {
                size -= 1;
            }
            least = with(size);
        }
        Some(least)
    }

    /// Windows of about the given sizes, and inputs with sides that are as long as possible.
    fn placed(&self, least: &[i64], random: &mut Random) -> Vec<i64> {
        let is_input = |number: &usize| matches!(self.knobs[*number], Knob::Input(..));
        let (mut inputs, others): (Vec<_>, Vec<_>) = (0..self.knobs.len()).partition(is_input);
        let mut sizes = least.to_vec();
        for number in others {
            let is_window = matches!(self.knobs[number], Knob::Window(..));
            if is_window && random.one_in(4) {
                sizes[number] += random.between(1, least[number]);
            }
        }
        // Not all sides of an input can be long.
        if random.one_in(4) {
            random.shuffle(&mut inputs);
        }
        let mut long = FxHashMap::default();
        for number in inputs {
            let Knob::Input(input, _) = self.knobs[number] else { continue };
            let elements = long.entry(input).or_insert(1_i64);
            let side = random.choose(&INPUTS).copied().unwrap_or(1).max(sizes[number]);
            if elements.saturating_mul(side) <= SMALL {
                *elements *= side;
                sizes[number] = side;
            }
        }
        sizes
    }

    /// The least choice, choices next to it, and larger ones.
    fn around(&self, least: &Choice, random: &mut Random) -> Vec<Choice> {
        let mut choices = vec![least.clone()];
        let changed = |change: &mut dyn FnMut(usize, Knob, i64) -> i64, min| {
            let sizes = self.knobs.iter().zip(&least.sizes).enumerate();
            let sizes = sizes.map(|(number, (knob, size))| change(number, *knob, *size));
            Choice { sizes: sizes.collect(), min }
        };
        let is_window = |knob: Knob| matches!(knob, Knob::Window(..));
        // Just above the least size, a second tile overlaps the first.
        choices.push(changed(&mut |_, knob, size| size + i64::from(is_window(knob)), -3));
        choices.push(changed(&mut |_, knob, size| size + i64::from(!is_window(knob)), 5));
        choices.push(changed(
            &mut |_, knob, size| if is_window(knob) { prime(2 * size + 1) } else { size },
            0,
        ));
        for (only, knob) in self.knobs.iter().enumerate() {
            let far = |size: i64| match knob {
                Knob::Window(..) => prime(2 * size),
                Knob::Param(_) => size + 2,
                Knob::Input(..) => prime(size + 3),
            };
            choices.push(changed(
                &mut |number, _, size| if number == only { far(size) } else { size },
                0,
            ));
        }
        // Reach code for large sizes only. Two sides grow at a time, as all sides together make too
        // many points.
        for threshold in self.thresholds() {
            for size in [threshold, prime(threshold + 1)] {
                let pairs = (0..self.knobs.len()).flat_map(|b| (0..=b).map(move |a| (a, b)));
                choices.extend(pairs.filter_map(|(a, b)| {
                    let mut choice = least.clone();
                    for number in [a, b] {
                        let is_side = !matches!(self.knobs[number], Knob::Param(_));
                        if !is_side || least.sizes[number] >= size {
                            return None;
                        }
                        choice.sizes[number] = size;
                    }
                    Some(choice)
                }));
            }
        }
        for round in 0..40 {
            let min = if round % 2 == 0 { 0 } else { random.between(-7, 9) };
            let mut drawn = |_: usize, knob: Knob, size: i64| match knob {
                Knob::Window(..) => match random.below(5) {
                    0 => size,
                    1 => size + random.between(1, 3),
                    2 => 2 * size - 1,
                    3 => 2 * size + 1,
                    _ => prime(size + random.between(1, 2 * size)),
                },
                Knob::Param(_) => size + random.between(0, 4),
                Knob::Input(..) => size + random.between(0, 6),
            };
            let sizes = self.knobs.iter().zip(&least.sizes).enumerate();
            let sizes = sizes.map(|(number, (knob, size))| drawn(number, *knob, *size)).collect();
            choices.push(Choice { sizes, min });
        }
        choices
    }

    /// Numbers that sizes are compared with outside of loops, in increasing order. A program may
    /// have other code from such a size on.
    fn thresholds(&self) -> Vec<i64> {
        let mut found = BTreeSet::new();
        let mut todo = vec![self.program.body];
        while let Some(stmt) = todo.pop() {
            let stmt = self.pool.get_stmt(stmt);
            if let Stmt::Let { value: compared, .. } | Stmt::If { condition: compared, .. } = stmt {
                self.compared(*compared, &mut found);
            }
            if !matches!(stmt, Stmt::For { .. }) {
                todo.extend(stmt.children());
            }
        }
        found.into_iter().take(THRESHOLDS).collect()
    }

    fn compared(&self, expr: ExprId, found: &mut BTreeSet<i64>) {
        let least = LADDER[LADDER.len() / 2];
        self.pool.for_each_subexpr(expr, &mut |_, node| {
            let Expr::Binary(op, a, b) = node else { return };
            if !op.is_comparison() {
                return;
            }
            for side in [a, b] {
                let constant = self.pool.as_constant(*side).and_then(Constant::as_integer);
                let size = constant.and_then(|size| i64::try_from(size).ok());
                found.extend(size.filter(|size| (least..=MOST_THRESHOLD).contains(size)));
            }
        });
    }

    /// Computes parameters and shapes for a choice, if all checks hold. Equations of checks fix
    /// sides, and inputs contain every region that is read.
    fn settle(&self, params: &Bindings, choice: &Choice) -> Option<Settled> {
        let mut bindings = params.clone();
        let mut windows: Vec<Shape> = Vec::new();
        for output in &self.program.outputs {
            windows.push(vec![(choice.min, 1); output.window.len()]);
        }
        let inputs = self.inputs();
        let mut shapes: Vec<Shape> = inputs
            .iter()
            .map(|buffer| vec![(0, 0); self.pool.buffer(*buffer).dims.len()])
            .collect();
        for (knob, size) in self.knobs.iter().zip(&choice.sizes) {
            match knob {
                Knob::Param(param) => {
                    bindings.set_var(self.pool, *param, Constant::int(i128::from(*size))).ok()?;
                }
                Knob::Window(output, dim) => windows[*output][*dim].1 = *size,
                Knob::Input(input, dim) => shapes[*input][*dim].1 = *size,
            }
        }
        for _ in 0..ROUNDS {
            self.bind(&mut bindings, &windows, &shapes)?;
            let before = (windows.clone(), shapes.clone());
            self.equate(&mut bindings, &mut windows, &mut shapes);
            for (input, dim, region) in &self.needed {
                let side = &mut shapes[*input][*dim];
                let (Some(min), Some(extent)) =
                    (self.value(region.min, &bindings), self.value(region.extent, &bindings))
                else {
                    return None;
                };
                if extent > 0 {
                    let low = if side.1 > 0 { side.0.min(min) } else { min };
                    let end = min.checked_add(extent)?;
                    let end = if side.1 > 0 { end.max(side.0 + side.1) } else { end };
                    *side = (low, end.checked_sub(low)?);
                }
            }
            if before == (windows.clone(), shapes.clone()) {
                break;
            }
        }
        if shapes.iter().flatten().any(|(_, extent)| *extent <= 0) {
            return None;
        }
        self.bind(&mut bindings, &windows, &shapes)?;
        self.all_hold(&bindings).then_some(Settled { bindings, windows, shapes })
    }

    /// Tests whether all entry checks hold.
    fn all_hold(&self, bindings: &Bindings) -> bool {
        let holds =
            |check: &ExprId| evaluate_expr(self.pool, *check, bindings) == Ok(Constant::bool(true));
        self.checks.iter().all(holds)
    }

    /// Sets sides to the values that the checks' equations give.
    fn equate(&self, bindings: &mut Bindings, windows: &mut [Shape], shapes: &mut [Shape]) {
        let mut sides: FxHashMap<VarId, &mut i64> = FxHashMap::default();
        for (output, window) in self.program.outputs.iter().zip(windows) {
            for ((min_var, extent_var), (min, extent)) in output.window.iter().zip(window) {
                sides.extend([(*min_var, min), (*extent_var, extent)]);
            }
        }
        for (buffer, shape) in self.inputs().into_iter().zip(shapes) {
            for (dim, (min, extent)) in self.pool.buffer(buffer).dims.iter().zip(shape) {
                for (side, place) in [(dim.min, min), (dim.extent, extent)] {
                    if let Expr::Var(var) = self.pool.get(side) {
                        sides.insert(*var, place);
                    }
                }
            }
        }
        for (var, value) in &self.equations {
            let Some(value) = self.value(*value, bindings) else { continue };
            if let Some(side) = sides.get_mut(var) {
                **side = value;
            } else if self.algorithm.params.contains(var) {
                // Strides follow from extents. The final evaluation of the checks tests equations
                // on strides.
                let _ = bindings.set_var(self.pool, *var, Constant::int(i128::from(value)));
            }
        }
    }

    /// Binds windows and shapes, all of them dense.
    fn bind(&self, bindings: &mut Bindings, windows: &[Shape], shapes: &[Shape]) -> Option<()> {
        self.bind_windows(bindings, windows)?;
        let inputs = self.algorithm.inputs.iter().zip(self.inputs());
        for ((input, buffer), shape) in inputs.zip(shapes) {
            let strides = self.dense(buffer, shape)?;
            bindings.set_input_shape(self.pool, *input, shape, &strides).ok()?;
        }
        Some(())
    }

    /// Binds windows, all of them dense.
    fn bind_windows(&self, bindings: &mut Bindings, windows: &[Shape]) -> Option<()> {
        for (output, window) in self.program.outputs.iter().zip(windows) {
            let strides = self.dense(*output.buffers.first()?, window)?;
            for ((min_var, extent_var), (min, extent)) in output.window.iter().zip(window) {
                for (var, value) in [(min_var, min), (extent_var, extent)] {
                    bindings.set_var(self.pool, *var, Constant::int(i128::from(*value))).ok()?;
                }
            }
            for buffer in &output.buffers {
                for (dim, stride) in self.pool.buffer(*buffer).dims.iter().zip(&strides) {
                    if let Expr::Var(var) = self.pool.get(dim.stride) {
                        bindings
                            .set_var(self.pool, *var, Constant::int(i128::from(*stride)))
                            .ok()?;
                    }
                }
            }
        }
        Some(())
    }

    /// Dense strides; `None` if the array is too large.
    fn dense(&self, buffer: BufferId, shape: &Shape) -> Option<Vec<i64>> {
        let some: Shape = shape.iter().map(|(min, extent)| (*min, (*extent).max(1))).collect();
        let (strides, size) =
            nested_strides(&some, &vec![0; some.len()], self.nestings.get(&buffer)?)?;
        (size <= MOST_ELEMENTS).then_some(strides)
    }

    fn value(&self, expr: ExprId, bindings: &Bindings) -> Option<i64> {
        i64::try_from(evaluate_expr(self.pool, expr, bindings).ok()?.as_integer()?).ok()
    }
}

/// The least prime that is at least `from`.
fn prime(from: i64) -> i64 {
    let is_prime =
        |number: &i64| (2..*number).take_while(|by| by * by <= *number).all(|by| number % by != 0);
    // There is a prime between a number and its double.
    let from = from.max(2);
    (from..=2 * from).find(is_prime).unwrap_or(from)
}
