//! The obligations, in one file for each group of kinds.
//!
//! # Correctness
//! Each file states what it shows and why the queries suffice. `docs/validator.md` puts the pieces
//! together. Anything that is not shown is recorded as open: the list of obligations grows with the
//! program and the specification, and success removes nothing from it.

mod access;
mod carry;
mod commute;
mod coverage;
mod definedness;
pub(crate) mod door;
pub(crate) mod natural;
mod order;
mod output;
pub(crate) mod overflow;
pub(crate) mod proof;
mod race;
pub(crate) mod record;
mod regions;
mod retention;
pub(crate) mod settings;
mod store;
pub(crate) mod theorem;
mod unchanged;
mod uniform;
mod weaker;
mod written;

use std::rc::Rc;

use halidom_base::{FxHashMap, FxHashSet, IndexMap, IndexSet};
use halidom_ir::verify::{self, Phase};
use halidom_ir::{Algorithm, BufferKind, Expr, FuncId, Pool, Program, StmtId, VarId};

use crate::laws::Laws;
use crate::lia::{Lia, Outcome};
use crate::program::order::Run;
use crate::program::{Access, Model, Place, Store, loops};
use crate::space::{Formula, FormulaId, PolyId, Rename, Space, Symbol};
use crate::specification::Specification;
use door::{Desk, Tactics};
use record::{Kind, Method, Obligation, Reason, Spot, Status, Subject};
use settings::Task;

pub(crate) use overflow::{Machine, Widths};

/// A validation in progress.
pub(crate) struct Checker<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) space: &'a Space,
    pub(crate) model: &'a Model,
    pub(crate) specification: &'a mut Specification<'a>,
    pub(crate) lia: &'a mut Lia,
    pub(crate) laws: &'a mut Laws,
    pub(crate) tactics: &'a mut (dyn Tactics + 'a),
    /// The conditions of the entry checks.
    pub(crate) entry: Vec<FormulaId>,
    pub(crate) found: Findings,
}

/// The results so far.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) obligations: Vec<Obligation>,
    /// For each store, the number of the obligation on its value, if there is one.
    values: Vec<Option<usize>>,
    /// Funcs whose values need not be right bit for bit.
    inexact: IndexSet<FuncId>,
    /// For each inexact func that was asked about: true if each coordinate has a single right
    /// value.
    uniform: FxHashMap<FuncId, bool>,
    /// The inexact funcs, and the funcs that they are computed from.
    interpreted: IndexSet<FuncId>,
    /// The symbols of arbitrary numbers, and the substitutions by those of loops and lanes.
    arbitrary: FxHashMap<Arbitrary, Symbol>,
    renames: FxHashMap<Vec<Symbol>, Rc<Rename>>,
    /// Stores that never run.
    pub(crate) dead: Vec<(StmtId, Subject)>,
    /// Sizes at which an open obligation may fail: hints for the counterexample search.
    pub(crate) hints: Vec<Vec<(Symbol, i128)>>,
}

/// An arbitrary number that questions are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Arbitrary {
    /// The variable of a loop, or a lane, in another instance of a statement.
    Loop(Symbol),
    /// The number of times that a dimension is folded between two coordinates.
    Times(usize),
    /// A promised coordinate.
    Promised(usize),
}

/// The most goals that one question combines.
const TOGETHER: usize = 64;

/// The most hints that are kept.
const HINTS: usize = 24;

impl Checker<'_> {
    /// Checks that program and algorithm have the same parameters, inputs and outputs.
    pub(crate) fn interface(&mut self, algorithm: &Algorithm, program: &Program) {
        let inputs: Vec<FuncId> =
            program.inputs.iter().map(|buffer| self.pool.buffer(*buffer).func).collect();
        let outputs: Vec<FuncId> = program.outputs.iter().map(|output| output.func).collect();
        let own = program.outputs.iter().all(|output| {
            let components = output.buffers.iter().map(|buffer| self.pool.buffer(*buffer));
            output.buffers.len() == self.pool.func(output.func).scalars.len()
                && components.enumerate().all(|(component, decl)| {
                    (decl.func, decl.component) == (output.func, component)
                })
        });
        let is = |buffer: halidom_ir::BufferId, kind| self.pool.buffer(buffer).kind == kind;
        let kinds = program.inputs.iter().all(|buffer| is(*buffer, BufferKind::Input))
            && program.output_buffers().all(|buffer| is(buffer, BufferKind::Output));
        let same = kinds
            && program.params == algorithm.params
            && inputs == algorithm.inputs
            && outputs == algorithm.outputs
            && own;
        let differ = "program and algorithm differ in parameters, inputs or outputs";
        let status = same.then_some(Method::Structure).ok_or(differ.into());
        self.record(Kind::Form, None, "interface".to_owned(), status);
        let free = self.free_shapes(program).then_some(Method::Structure);
        let status = free.ok_or("shapes and windows are not variables of their own".into());
        self.record(Kind::Form, None, "shapes".to_owned(), status);
        self.well_formed(program);
    }

    /// Checks that the program is well typed, before or after storage is flattened. The obligations
    /// rely on this: a statement about an instance covers one lane of each of its vectors.
    fn well_formed(&mut self, program: &Program) {
        let phase = |phase| verify::program(self.pool, program, phase);
        let violations = phase(Phase::Final)
            .or_else(|violations| phase(Phase::Structured).map_err(|_| violations));
        for violation in violations.err().unwrap_or_default() {
            let status = Err(violation.to_string().into());
            self.record(Kind::Form, None, "program".to_owned(), status);
        }
    }

    /// Tests whether the shapes of the caller's buffers and the windows are pairwise different
    /// variables, so that only entry checks restrict them. The components of an output have one
    /// shape. A window may be the shape of its output: then the program is for callers that give no
    /// more than the window.
    fn free_shapes(&self, program: &Program) -> bool {
        let mut vars: Vec<VarId> = program.params.clone();
        let mut firsts = Vec::new();
        for output in &program.outputs {
            let mut dims = output.buffers.iter().map(|buffer| &self.pool.buffer(*buffer).dims);
            let Some(first) = dims.next() else { return false };
            if dims.any(|dims| dims != first) {
                return false;
            }
            firsts.extend(output.buffers.first().copied());
            let shape =
                first.iter().map(|dim| [dim.min, dim.extent].map(|part| self.pool.get(part)));
            let whole = output.window.len() == first.len()
                && output.window.iter().zip(shape).all(|((min, extent), [own_min, own_extent])| {
                    *own_min == Expr::Var(*min) && *own_extent == Expr::Var(*extent)
                });
            if !whole {
                vars.extend(output.window.iter().flat_map(|(min, extent)| [*min, *extent]));
            }
        }
        for buffer in program.inputs.iter().copied().chain(firsts) {
            for dim in &self.pool.buffer(buffer).dims {
                for expr in [dim.min, dim.extent, dim.stride] {
                    let Expr::Var(var) = self.pool.get(expr) else { return false };
                    vars.push(*var);
                }
            }
        }
        let count = vars.len();
        vars.sort_unstable();
        vars.dedup();
        vars.len() == count
    }

    pub(crate) fn record(
        &mut self,
        kind: Kind,
        stmt: Option<StmtId>,
        subject: impl Into<Subject>,
        status: Status,
    ) {
        // An obligation that is open as undecided may still be closed by sizes.
        if status.as_ref().is_err_and(|reason| *reason != Reason::Undecided) {
            self.lia.note_open();
        }
        self.found.obligations.push(Obligation { kind, stmt, subject: subject.into(), status });
    }

    /// Tries to show that `facts`, with the entry checks, imply `goal`.
    pub(crate) fn prove(&mut self, facts: &[FormulaId], goal: FormulaId, label: &str) -> Status {
        if *self.space.formula(goal) == Formula::True {
            return Ok(Method::Identity);
        }
        match self.denied(facts, goal, label) {
            Outcome::Contradiction(method) => Ok(method),
            Outcome::Possible(values) => {
                if self.found.hints.len() < HINTS {
                    self.found.hints.push(values);
                }
                Err(Reason::NotShown(goal))
            }
            Outcome::Undecided(reason) => Err(Reason::NoAnswer(reason, goal)),
        }
    }

    /// Tries the same, and another way if the solver has no quick answer. The solver gets its whole
    /// time only if that fails too, because it takes long to find that a goal does not follow. At
    /// last, the other way gets more time.
    pub(super) fn prove_or(
        &mut self,
        facts: &[FormulaId],
        goal: FormulaId,
        label: &str,
        mut other: impl FnMut(&mut Self) -> Option<Method>,
    ) -> Status {
        if *self.space.formula(goal) == Formula::True {
            return Ok(Method::Identity);
        }
        if self.quickly_follows(facts, goal, label) {
            return Ok(Method::Solver);
        }
        if !self.lia.is_late()
            && let Some(method) = other(self)
        {
            return Ok(method);
        }
        let shown = self.prove(facts, goal, label);
        shown.or_else(|reason| self.patiently(other).ok_or(reason))
    }

    /// Works while guesses get more time, unless an obligation is open already.
    pub(super) fn patiently<T>(&mut self, work: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if !self.lia.set_patient(true) {
            return None;
        }
        let found = work(self);
        self.lia.set_patient(false);
        found
    }

    /// Proves many goals, each under its own facts, or in another way. Goals under the same facts
    /// are asked together first, and one by one only if that fails.
    pub(crate) fn prove_all(
        &mut self,
        wanted: &[(Vec<FormulaId>, FormulaId)],
        label: &str,
        mut other: impl FnMut(&mut Self, usize) -> Option<Method>,
    ) -> Vec<Status> {
        let mut groups: IndexMap<&[FormulaId], Vec<FormulaId>> = IndexMap::default();
        for (facts, goal) in wanted {
            groups.entry(facts).or_default().push(*goal);
        }
        let mut shown: FxHashSet<(&[FormulaId], FormulaId)> = FxHashSet::default();
        for (facts, goals) in groups {
            for together in goals.chunks(TOGETHER) {
                let differ = together.iter().any(|goal| *goal != together[0]);
                let all = self.space.and_least(together);
                if differ && self.quickly_follows(facts, all, label) {
                    shown.extend(together.iter().map(|goal| (facts, *goal)));
                }
            }
        }
        let mut statuses = Vec::new();
        for (number, (facts, goal)) in wanted.iter().enumerate() {
            let identity = *self.space.formula(*goal) == Formula::True;
            statuses.push(if shown.contains(&(facts, *goal)) && !identity {
                Ok(Method::Solver)
            } else {
                self.prove_or(facts, *goal, label, |checker| other(checker, number))
            });
        }
        statuses
    }

    /// Tests the same as [`Self::follows`], in a short time. False means that it is not known.
    fn quickly_follows(&mut self, facts: &[FormulaId], goal: FormulaId, label: &str) -> bool {
        let denied = [&self.entry, facts, &[self.space.not(goal)]].concat();
        self.lia.guess(self.space, &denied, label)
    }

    /// Tests whether `facts`, with the entry checks, imply `goal`. Unlike [`Self::prove`], it keeps
    /// no sizes as hints.
    fn follows(&mut self, facts: &[FormulaId], goal: FormulaId, label: &str) -> bool {
        self.denied(facts, goal, label).is_contradiction()
    }

    /// Asks whether `facts` and the entry checks can hold where `goal` does not.
    fn denied(&mut self, facts: &[FormulaId], goal: FormulaId, label: &str) -> Outcome {
        self.lia.ask(self.space, &[&self.entry, facts, &[self.space.not(goal)]].concat(), label)
    }

    /// Returns the formula `min <= coord < min + extent` for every dimension.
    pub(crate) fn inside(&self, coords: &[PolyId], region: &[(PolyId, PolyId)]) -> FormulaId {
        if coords.len() != region.len() {
            return self.space.truth(false);
        }
        let sides = coords.iter().zip(region);
        let within = |(coord, (min, extent)): (&PolyId, &(PolyId, PolyId))| {
            self.space.within(*coord, *min, *extent)
        };
        self.space.and(sides.map(within))
    }

    /// Returns the condition that a store writes where its label promises right values. It is
    /// always true where no label is around the store.
    pub(crate) fn good(&self, store: &Store) -> FormulaId {
        let region =
            store.label.and_then(|label| self.model.labels[label].regions.get(store.stage));
        match region {
            Some(region) => self.inside(&store.access.coords, region),
            None => self.space.truth(true),
        }
    }

    /// Returns the symbol of an arbitrary number in a question. Each question is about all values
    /// of its symbols, so questions may share them; then equal questions are asked once.
    ///
    /// Invariant: one question has at most one other instance of a statement and one folded
    /// location, as two of them would get the same symbols. No proposed instance of a label depends
    /// on these symbols ([`Self::carries`]).
    fn arbitrary(&mut self, which: Arbitrary) -> PolyId {
        let new = || {
            self.space.fresh(match which {
                Arbitrary::Loop(symbol) => format!("{}'", self.space.symbol_name(symbol)),
                Arbitrary::Times(_) => "times".to_owned(),
                Arbitrary::Promised(_) => "promised".to_owned(),
            })
        };
        self.space.symbol(*self.found.arbitrary.entry(which).or_insert_with(new))
    }

    /// Gives other names to the loops below the first `depth` steps of a place, and to a lane: the
    /// other instance in a question, which has only one.
    fn another<'m>(&mut self, place: &'m Place, lane: Option<Symbol>, depth: usize) -> Run<'m> {
        let inner = loops(place.steps.get(depth..).unwrap_or_default());
        let inner = inner.map(|index| self.model.loops[index].symbol).chain(lane);
        let symbols: Vec<Symbol> = inner.collect();
        if let Some(at) = self.found.renames.get(&symbols) {
            return Run { place, at: Rc::clone(at) };
        }
        let renamed: Vec<_> = symbols
            .iter()
            .map(|symbol| (*symbol, self.arbitrary(Arbitrary::Loop(*symbol))))
            .collect();
        let at = Rc::new(Rename::symbols(renamed));
        self.found.renames.insert(symbols, Rc::clone(&at));
        Run { place, at }
    }

    /// Makes any instance of an access that shares the first `depth` steps of its path.
    fn elsewhere<'m>(&mut self, access: &'m Access, depth: usize) -> Run<'m> {
        self.another(&access.place, access.lane, depth)
    }

    /// Makes any instance of an access in its buffer's lifetime.
    fn in_lifetime<'m>(&mut self, access: &'m Access) -> Run<'m> {
        self.elsewhere(access, self.model.memories[access.memory].place.steps.len())
    }

    /// Returns the facts that hold where an instance of an access is at these coordinates, where
    /// other facts hold.
    fn meeting(
        &self,
        (coords, facts): (&[PolyId], &[FormulaId]),
        (access, there): (&Access, &Run<'_>),
    ) -> Result<Vec<FormulaId>, Reason> {
        let same = self.space.equalities(coords, &there.at.polys(self.space, &access.coords));
        let same = same.ok_or("claims with different numbers of coordinates")?;
        Ok([facts, &same, &there.facts(self.space)].concat())
    }

    /// Names an access, with words before and after it.
    fn named(&self, before: &'static str, access: &Access, after: &'static str) -> Subject {
        let (memory, coords) = (access.memory, access.coords.clone());
        let loops = access.place.loops().map(|index| self.model.loops[index].symbol).collect();
        Subject::Access(before, Spot { memory, coords, loops }, after)
    }

    /// Records the constructs that the walk could not describe.
    fn form(&mut self) {
        self.nesting();
        for problem in &self.model.problems {
            self.found.obligations.push(Obligation {
                kind: Kind::Form,
                stmt: Some(problem.stmt),
                subject: "program".into(),
                status: Err(problem.reason.clone().into()),
            });
        }
    }

    /// Checks that every access stands within its buffer's lifetime and every store within its
    /// label, because the obligations rename the loops inside these.
    fn nesting(&mut self) {
        let model = self.model;
        let loads = model.loads.values().map(|load| (load, None));
        let stores = model.stores.values().map(|store| (&store.access, store.label));
        for (access, label) in loads.chain(stores) {
            let lifetime = &model.memories[access.memory].place.steps;
            let around = label.map_or(&[][..], |label| &model.labels[label].place.steps);
            if !access.place.steps.starts_with(lifetime) || !access.place.steps.starts_with(around)
            {
                let place = self.named("", access, "");
                let reason = "an access outside of its buffer's lifetime or of its label";
                self.record(Kind::Form, Some(access.stmt), place, Err(reason.into()));
            }
        }
        for label in model.labels.values() {
            let inside = label
                .memories
                .iter()
                .all(|memory| label.place.steps.starts_with(&model.memories[*memory].place.steps));
            if !inside {
                let place = format!("label of {}", self.pool.func(label.func).name);
                let reason = "a label outside of its buffer's lifetime";
                self.record(Kind::Form, None, place, Err(reason.into()));
            }
        }
    }

    /// Checks that the entry checks cover the pipeline's demands on its caller: its `require`s, and
    /// that reduction domains are not negative.
    pub(crate) fn demands(&mut self, task: Task<'_>) {
        for require in &task.algorithm.requires {
            let what = format!("require \"{}\"", require.message);
            let status = match self.specification.condition(require.condition) {
                Ok(formula) => self.prove(&[], formula, "require"),
                Err(error) => Err(error.into()),
            };
            self.record(Kind::Assumption, None, what, status);
        }
        let mut funcs: Vec<FuncId> =
            self.model.memories.values().map(|memory| memory.func).collect();
        // The original version of a func that the schedule had rewritten counts as well.
        let names: FxHashSet<&str> =
            funcs.iter().map(|func| self.pool.func(*func).name.as_str()).collect();
        for earlier in task.versions().flat_map(|step| &step.funcs) {
            if names.contains(self.pool.func(*earlier).name.as_str()) {
                funcs.push(*earlier);
            }
        }
        funcs.sort_unstable();
        funcs.dedup();
        let mut shown = FxHashSet::default();
        for func in funcs {
            for stage in 0..self.specification.stages(func) {
                // Without a shape, the coverage of this stage is open.
                let Ok(shape) = self.specification.shape(func, stage) else { continue };
                for (_, extent) in shape.domain {
                    if !shown.insert(extent) {
                        continue;
                    }
                    let name = &self.pool.func(func).name;
                    let what = format!("reduction domain of stage {stage} of {name}");
                    let status = self.prove(&[], self.space.non_negative(extent), "domain");
                    self.record(Kind::Assumption, None, what, status);
                }
            }
        }
    }

    /// Checks that the entry checks can hold together. The walk ensures that each mentions only
    /// parameters and shapes.
    fn assumptions(&mut self) {
        let entry = [&self.entry[..], &self.known_shapes()].concat();
        self.possible(&entry, "entry checks", "the entry checks contradict each other");
        for store in self.model.stores.values() {
            // This is for reports alone.
            let facts = [&self.entry[..], &store.access.place.facts].concat();
            if self.lia.guess(self.space, &facts, "reachable") {
                let stmt = store.access.stmt;
                let subject = self.named("", &store.access, "");
                self.found.dead.push((stmt, subject));
            }
        }
    }

    /// The shapes of the inputs whose elements are known: a program that checks for other ones
    /// refuses every call.
    fn known_shapes(&self) -> Vec<FormulaId> {
        let mut facts = Vec::new();
        for memory in self.model.memories.values() {
            let Some(array) = self.pool.contents(memory.func) else { continue };
            for (dim, (side, stride)) in
                memory.dims.iter().zip(array.shape.iter().zip(&array.strides))
            {
                for (known, is) in [(dim.min, side.0), (dim.extent, side.1), (dim.stride, *stride)]
                {
                    facts.push(self.space.equal(known, self.space.constant(is.into())));
                }
            }
        }
        facts
    }

    /// Checks that the facts do not contradict each other, because otherwise the proof would be
    /// vacuous. If the solver cannot tell, sizes that pass the entry checks can.
    fn possible(&mut self, facts: &[FormulaId], place: &str, contradiction: &str) {
        let status = match self.lia.ask(self.space, facts, "vacuity") {
            Outcome::Contradiction(_) => Err(contradiction.into()),
            Outcome::Possible(values) => {
                self.found.hints.push(values);
                let (mut desk, tactics) = self.door();
                let more = tactics.sizes(&mut desk, facts, &[]);
                self.found.hints.extend(more.into_iter().flatten());
                Ok(Method::Solver)
            }
            Outcome::Undecided(_) => Err(Reason::Undecided),
        };
        self.record(Kind::Assumption, None, place.to_owned(), status);
    }
}

impl<'a> Checker<'a> {
    /// Opens the door: a desk, and the tactics that may work at it.
    pub(super) fn door(&mut self) -> (Desk<'_, 'a>, &mut dyn Tactics) {
        let desk = Desk {
            space: self.space,
            model: self.model,
            specification: self.specification,
            lia: self.lia,
            entry: &self.entry,
        };
        (desk, self.tactics)
    }
}
