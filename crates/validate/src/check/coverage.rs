//! Every needed location is written.
//!
//! # Correctness
//! Let a label promise `func` on a region. For each stage and each component, some store under the
//! label executes every instance of the stage that writes a location of the stage's region. Fresh
//! symbols for the pure variables and the point describe the instance. A witness expresses the
//! stores' loops in terms of these symbols. One query shows that the negations of all witnesses'
//! conditions contradict the existence of the instance. For the pure stage this means that every
//! needed location is written.
//!
//! A location that an earlier label promised need not be written again: see [`super::carry`].

use halidom_base::{FxHashSet, IndexMap};

use super::Checker;
use super::carry::Carry;
use crate::program::{Model, Store};
use crate::report::{Kind, Method, Status};
use crate::space::{FormulaId, PolyId, Rename, Symbol};
use crate::witness::witness;

impl<'a> Checker<'a> {
    /// Checks the obligations of kind `Coverage`. Returns the labels that rely on earlier labels,
    /// with these: `Retention` is owed for them.
    pub(super) fn coverage(&mut self) -> Vec<(usize, Vec<Carry>)> {
        let mut relying = Vec::new();
        for label in 0..self.model.labels.len() {
            let func = self.model.labels[label].func;
            let mut carries = self.carries(label);
            let mut partial = Vec::new();
            let stages = self.specification.stages(func);
            for stage in 0..stages {
                self.nested_regions(label, stage);
                let decl = self.pool.func(func);
                for component in 0..decl.scalars.len() {
                    let part = if decl.scalars.len() > 1 {
                        format!(".{component}")
                    } else {
                        String::new()
                    };
                    let place =
                        format!("stage {stage} of {}{part} where it is computed", decl.name);
                    let status =
                        self.cover_stage(label, (stage, component), &carries, &mut partial);
                    self.record(Kind::Coverage, None, place, status);
                }
            }
            if partial.is_empty() {
                continue;
            }
            let mut memories = self.model.labels[label].memories.iter();
            if stages > 1 || memories.any(|memory| self.model.memories[*memory].is_folded()) {
                self.drop_superfluous(&mut carries, &partial);
            }
            relying.push((label, carries));
        }
        relying
    }

    /// Checks that the region of a stage contains the region of the next stage, or the label's
    /// region in case of the last stage.
    fn nested_regions(&mut self, label: usize, stage: usize) {
        let labelled = &self.model.labels[label];
        let region = labelled.regions.get(stage);
        let next = labelled.regions.get(stage + 1).unwrap_or(&labelled.needed);
        if region == Some(next) {
            return;
        }
        let coords: Vec<PolyId> =
            labelled.needed.iter().map(|_| self.space.fresh_poly("needed")).collect();
        let mut facts = labelled.place.facts.clone();
        facts.push(self.inside(&coords, next));
        let status = match region {
            Some(region) => {
                let goal = self.inside(&coords, region);
                self.prove(&facts, goal, "regions of stages")
            }
            None => Status::Open("a label of a func without this stage".to_owned()),
        };
        let name = &self.pool.func(labelled.func).name;
        let place = format!("region of stage {stage} of {name} where it is computed");
        self.record(Kind::Coverage, None, place, status);
    }

    /// Removes the carries that a label need not rely on, because `Retention` must hold for each
    /// that is left.
    fn drop_superfluous(&mut self, carries: &mut Vec<Carry>, partial: &[Partial]) {
        let mut index = 0;
        while index < carries.len() {
            let carry = carries.remove(index);
            let enough = partial.iter().all(|stage| {
                let kept = self.kept(carries, &stage.location);
                let written = self.space.or(&[stage.written, kept]);
                self.follows(&stage.facts, written, "coverage from fewer")
            });
            if !enough {
                carries.insert(index, carry);
                index += 1;
            }
        }
    }

    fn cover_stage(
        &mut self,
        label: usize,
        (stage, component): (usize, usize),
        carries: &[Carry],
        partial: &mut Vec<Partial>,
    ) -> Status {
        let labelled = &self.model.labels[label];
        let func = labelled.func;
        let shape = match self.specification.shape(self.space, func, stage) {
            Ok(shape) => shape,
            Err(error) => return Status::Open(error.to_string()),
        };
        let args = self.pool.func(func).args.clone();
        let coords: Vec<PolyId> = args
            .iter()
            .map(|arg| self.space.fresh_poly(self.pool.var(*arg).name.clone()))
            .collect();
        let point: Vec<PolyId> =
            shape.domain.iter().map(|_| self.space.fresh_poly("point")).collect();
        let instance = match self.specification.instance(self.space, (func, stage), &coords, &point)
        {
            Ok(instance) => instance,
            Err(error) => return Status::Open(error.to_string()),
        };
        let mut facts = labelled.place.facts.clone();
        facts.push(instance.exists);
        let Some(region) = labelled.regions.get(stage) else {
            return Status::Open("a label of a func without this stage".to_owned());
        };
        facts.push(self.inside(&instance.location, region));
        let target: Vec<PolyId> = instance.location.iter().chain(&point).copied().collect();
        let writers = self.writers(label, stage, component);
        let mut ways = self.pieces(label, &writers, &target);
        if self.covers(&facts, &ways, &target, "coverage") {
            return Status::Closed(Method::Solver);
        }
        let witnesses = self.witnesses(label, &writers, &target, true);
        ways.extend(witnesses.iter().filter_map(|way| way.condition));
        let mut written = self.space.or(&ways);
        if !carries.is_empty() && !self.follows(&facts, written, "coverage by each") {
            ways.push(self.kept(carries, &instance.location));
            let location = instance.location.clone();
            partial.push(Partial { facts: facts.clone(), written, location });
            written = self.space.or(&ways);
        }
        if self.by_cases(&facts, &ways, &target) {
            return Status::Closed(Method::Solver);
        }
        let status = self.prove(&facts, written, "coverage by each");
        if matches!(status, Status::Closed(_)) {
            return status;
        }
        if writers.len() > MOST_SIBLINGS {
            return status;
        }
        let free = self.witnesses(label, &writers, &target, false);
        ways.extend(free.iter().filter_map(|way| way.condition));
        if self.covers(&facts, &ways, &target, "coverage without clamps") {
            return Status::Closed(Method::Solver);
        }
        let pairs: Vec<(usize, usize)> = (0..writers.len())
            .flat_map(|store| (0..writers.len()).map(move |sibling| (store, sibling)))
            .collect();
        ways.extend(self.siblings(label, &writers, &witnesses, &pairs, &target));
        if self.covers(&facts, &ways, &target, "coverage with siblings") {
            return Status::Closed(Method::Solver);
        }
        status
    }

    /// Tests whether the ways cover a target, by cases or together.
    fn covers(
        &mut self,
        facts: &[FormulaId],
        ways: &[FormulaId],
        target: &[PolyId],
        label: &str,
    ) -> bool {
        let written = self.space.or(ways);
        self.by_cases(facts, ways, target) || self.follows(facts, written, label)
    }

    /// Tests whether the ways cover a target in each of their cases, and whether the cases are
    /// exhaustive. A case is a condition of a way on sizes alone, as specializations have. A single
    /// case is not tried.
    fn by_cases(&mut self, facts: &[FormulaId], ways: &[FormulaId], target: &[PolyId]) -> bool {
        let free: FxHashSet<Symbol> =
            target.iter().flat_map(|coord| self.space.poly_symbols(*coord)).collect();
        let mut cases: IndexMap<FormulaId, Vec<FormulaId>> = IndexMap::default();
        for way in ways {
            let mut sizes = self.space.conjuncts(*way);
            sizes.retain(|part| {
                !self.space.formula_symbols(*part).iter().any(|symbol| free.contains(symbol))
            });
            let case = self.space.and(&sizes);
            cases.entry(case).or_default().push(*way);
        }
        if cases.len() < 2 || cases.len() > MOST_CASES {
            return false;
        }
        let all: Vec<FormulaId> = cases.keys().copied().collect();
        let all = self.space.or(&all);
        self.follows(facts, all, "cases")
            && cases.into_iter().all(|(case, ways)| {
                let facts = [facts, &self.space.conjuncts(case)].concat();
                let written = self.space.or(&ways);
                self.follows(&facts, written, "coverage of a case")
            })
    }

    /// The stores of a stage to a component under a label.
    fn writers(&self, label: usize, stage: usize, component: usize) -> Vec<&'a Store> {
        let model: &'a Model = self.model;
        let memory = model.labels[label].memories.get(component).copied();
        let ours = |store: &&Store| {
            store.label == Some(label)
                && store.stage == stage
                && Some(store.access.memory) == memory
        };
        model.stores.iter().filter(ours).collect()
    }

    /// Guesses, for each writer, the instance that writes the target (coordinates, then point),
    /// with the condition that it does.
    fn witnesses(
        &mut self,
        label: usize,
        writers: &[&Store],
        target: &[PolyId],
        clamped: bool,
    ) -> Vec<Way> {
        let free = Rename::new();
        writers.iter().map(|store| self.way(label, store, target, (&free, clamped))).collect()
    }

    fn way(
        &mut self,
        label: usize,
        store: &Store,
        target: &[PolyId],
        preset: (&Rename, bool),
    ) -> Way {
        let labelled = &self.model.labels[label];
        let depth = labelled.place.steps.len();
        let mut at = witness(self.space, self.model, store, depth, target, preset);
        // Facts that hold at the label are given, and all others that the store needs are owed. A
        // store that is not known to stand under the label writes nothing here.
        let Some(own) = store.access.place.facts.strip_prefix(labelled.place.facts.as_slice())
        else {
            return Way { at, condition: None };
        };
        let mut conditions = at.formulas(self.space, own);
        let written: Vec<PolyId> =
            store.access.coords.iter().chain(&store.point).copied().collect();
        let written = at.polys(self.space, &written);
        let condition = self.space.equalities(&written, target).map(|same| {
            conditions.extend(same);
            self.space.and(&conditions)
        });
        Way { at, condition }
    }

    /// Guesses in which each loop has the value that was found for it at the first store within.
    /// Pieces of one vector and copies of an unrolled loop share loops, but a rounded-down quotient
    /// finds these loops only from the first piece.
    fn pieces(&mut self, label: usize, writers: &[&Store], target: &[PolyId]) -> Vec<FormulaId> {
        let mut known = Rename::new();
        let mut ways = Vec::new();
        for store in writers {
            let way = self.way(label, store, target, (&known, true));
            for index in store.access.place.loops() {
                let symbol = self.model.loops[index].symbol;
                if let (None, Some(value)) = (known.get(symbol), way.at.get(symbol)) {
                    known.insert(symbol, value);
                }
            }
            ways.extend(way.condition);
        }
        ways
    }

    /// Guesses that take the shared loops from one store and the rest from another, for pairs of
    /// stores.
    fn siblings(
        &mut self,
        label: usize,
        writers: &[&Store],
        witnesses: &[Way],
        pairs: &[(usize, usize)],
        target: &[PolyId],
    ) -> Vec<FormulaId> {
        let mut ways = Vec::new();
        for (store, sibling) in pairs {
            let mut known = Vec::new();
            for index in common_loops(writers[*store], writers[*sibling]) {
                let symbol = self.model.loops[index].symbol;
                known.extend(witnesses[*sibling].at.get(symbol).map(|value| (symbol, value)));
            }
            if store != sibling && !known.is_empty() {
                let loops = Rename::symbols(known);
                ways.extend(self.way(label, writers[*store], target, (&loops, true)).condition);
            }
        }
        ways
    }
}

/// The loops around both stores.
fn common_loops(store: &Store, other: &Store) -> Vec<usize> {
    let (own, others) = (&store.access.place, &other.access.place);
    own.loops().filter(|index| others.loops().any(|other| other == *index)).collect()
}

/// A stage that does not write all of a label's region anew.
struct Partial {
    /// The facts of a needed instance.
    facts: Vec<FormulaId>,
    /// The condition that the instance is run under the label.
    written: FormulaId,
    location: Vec<PolyId>,
}

/// A guess at the instance of a store that writes a target.
struct Way {
    /// Its loops and lane.
    at: Rename,
    /// The condition that it runs and writes the target; `None` if it cannot.
    condition: Option<FormulaId>,
}

/// The most cases that are told apart.
const MOST_CASES: usize = 16;

/// Stages with more stores than this are not tried with siblings, because there is a guess for each
/// pair of stores.
const MOST_SIBLINGS: usize = 16;
