//! TV Fig. 5, with a function for each rule, and Fig. 3, which is Fig. 5 without values: the writes
//! of a statement according to its prophecies alone (Lemma 4.1).
//!
//! The judgement `Γ; h ⊢ C ⇒ c : Δh; R` is [`Evaluator::statement`]: from the facts `Γ` and the
//! heap `h` it computes the updates `Δh` and the reads `R`, and shows each constraint of `C` where
//! it arises. `Γ ⊢ c : Δh` is [`Evaluator::summary`].

use std::cell::OnceCell;
use std::rc::Rc;

use halidom_ir::{
    BufferId, BufferKind, ExprId, FuncId, LoopKind, Prophecy, Scalar, Stmt, StmtId, VarId,
};
use halidom_poly::{Dim, Set};

use crate::affine::Binding;
use crate::evaluator::{Evaluator, Range};
use crate::heap::{Heap, Locations, entails, renamed};
use crate::lanes::{row, taken};
use crate::layout::{is_mixed_radix, located};
use crate::leaves::{Equations, Memory};
use crate::polynomial::Polynomial;
use crate::premise::{Gap, Premise};

/// `Γ`: the facts that hold at a place. The variables' bindings are kept elsewhere, as each
/// variable is bound once.
#[derive(Clone)]
pub(crate) struct Gamma {
    /// The facts in the entry checks.
    entry: Rc<[Set]>,
    /// The ranges of the loops and the conditions around the place.
    scope: Set,
    /// The conjunction of all facts, once computed.
    facts: OnceCell<Set>,
}

impl Gamma {
    pub(crate) fn new(entry: Rc<[Set]>, scope: Set) -> Self {
        Self { entry, scope, facts: OnceCell::new() }
    }

    /// `Γ, e`.
    pub(crate) fn with(&self, condition: &Set) -> Result<Self, Gap> {
        let scope = self.scope.intersect(condition)?.coalesce()?;
        Ok(Self::new(Rc::clone(&self.entry), scope))
    }

    /// All facts. The innermost ones decide most alternatives in the entry checks, so they come
    /// first.
    pub(crate) fn facts(&self) -> Result<&Set, Gap> {
        if let Some(known) = self.facts.get() {
            return Ok(known);
        }
        let mut facts = self.scope.clone();
        for fact in self.entry.iter() {
            facts = facts.intersect(fact)?.coalesce()?;
        }
        Ok(self.facts.get_or_init(|| facts))
    }
}

/// Index, value and prophecy of a store.
type Assignment = (ExprId, ExprId, Option<Prophecy>);

/// `Δh; R`.
type Updates = (Heap, Locations);

impl Evaluator<'_> {
    /// `Γ; h ⊢ C ⇒ c : Δh; R` (TV Fig. 5).
    pub(crate) fn statement(
        &mut self,
        gamma: &Gamma,
        h: &Heap,
        stmt: StmtId,
    ) -> Result<Updates, Gap> {
        self.tick()?;
        let reads = match self.pool.get_stmt(stmt).clone() {
            Stmt::Block(parts) if parts.is_empty() => Ok(s_skip()),
            Stmt::Block(parts) => self.s_seq(gamma, h, &parts),
            Stmt::Let { var, value, body } => self.s_let(gamma, h, (var, value), body),
            Stmt::If { condition, then_branch, else_branch } => {
                self.s_if(gamma, h, condition, then_branch, else_branch)
            }
            Stmt::For { kind: LoopKind::Vectorized, .. } => {
                Err(Gap::new("a vectorized loop: its statements run in lockstep"))
            }
            Stmt::For { kind, body, .. } if kind.is_parallel() => {
                self.s_parloop(gamma, h, stmt, body)
            }
            Stmt::For { body, .. } => self.s_seqloop(gamma, h, stmt, body),
            Stmt::Allocate { buffer, body } => self.s_allocate(gamma, h, buffer, body),
            Stmt::Store { buffer, index, value, prophecy, atomic: _ } => {
                self.stores(index, value, prophecy.as_ref()).and_then(|stores| {
                    // Every lane reads the heap before the store.
                    let mut reads = Locations::default();
                    for (index, value, prophecy) in stores {
                        let of = (buffer, index, value);
                        reads = reads.union(&self.s_assign(
                            gamma,
                            h,
                            stmt,
                            of,
                            prophecy.as_ref(),
                        )?)?;
                    }
                    Ok(reads)
                })
            }
            // Labels mean nothing to the rules.
            Stmt::Labeled { body, .. } => self.statement(gamma, h, body).map(|(_, reads)| reads),
            Stmt::Assert { .. } => Err(Gap::new("a check after the work has begun")),
            Stmt::Provide { .. } => Err(Gap::new("a program whose storage is not flattened")),
        };
        let reads = reads.map_err(|gap| self.formless(gap, stmt))?;
        // Lemma 4.1: the updates are the same as in the judgement without values.
        Ok((self.summary(stmt)?, reads))
    }

    /// `Γ ⊢ c : Δh` (TV Fig. 3), over the free variables of the statement.
    fn summary(&mut self, stmt: StmtId) -> Result<Heap, Gap> {
        if let Some(known) = self.summaries.get(&stmt) {
            return Ok(known.clone());
        }
        let summary = self.summarize(stmt).map_err(|gap| self.formless(gap, stmt))?;
        self.summaries.insert(stmt, summary.clone());
        Ok(summary)
    }

    fn summarize(&mut self, stmt: StmtId) -> Result<Heap, Gap> {
        self.tick()?;
        Ok(match self.pool.get_stmt(stmt).clone() {
            // T-SKIP, T-SEQ.
            Stmt::Block(parts) => {
                let mut updates = Heap::default();
                for part in parts {
                    let later = self.summary(part)?;
                    updates = updates.then(&self.arrays, &later)?;
                }
                updates
            }
            Stmt::Let { var, value, body } => {
                self.bind(var, value);
                self.summary(body)?
            }
            // T-IF.
            Stmt::If { condition, then_branch, else_branch } => {
                let condition = self.affine.condition(self.pool, condition)?;
                let updates = self.summary(then_branch)?.restrict(&condition)?;
                match else_branch {
                    Some(branch) => {
                        let other = self.summary(branch)?.restrict(&condition.complement()?)?;
                        updates.union(&other)?
                    }
                    None => updates,
                }
            }
            // T-PARLOOP, T-SEQLOOP.
            Stmt::For { kind, body, .. } => {
                let Range { dim, set, .. } = self.range(stmt)?;
                let updates = self.summary(body)?;
                if kind.is_parallel() {
                    updates.bind(dim, &set)?
                } else {
                    updates.lexmax(&self.arrays, &mut self.affine, dim, &set)?
                }
            }
            // T-ALLOCATE.
            Stmt::Allocate { buffer, body } => {
                self.declare(buffer)?;
                self.summary(body)?.without(buffer)
            }
            Stmt::Labeled { body, .. } => self.summary(body)?,
            // A vector is a parallel loop over its lanes.
            Stmt::Store { buffer, index, value, prophecy, .. } => {
                let mut all = Heap::default();
                for (index, _, prophecy) in self.stores(index, value, prophecy.as_ref())? {
                    let updates = self.t_assign(buffer, prophecy.as_ref())?;
                    let updates = match self.lanes(index)? {
                        Some(lanes) => updates.bind(self.affine.lane, &lanes)?,
                        None => updates,
                    };
                    all = all.then(&self.arrays, &updates)?;
                }
                all
            }
            Stmt::Assert { .. } => return Err(Gap::new("a check after the work has begun")),
            Stmt::Provide { .. } => {
                return Err(Gap::new("a program whose storage is not flattened"));
            }
        })
    }

    /// Returns index, value and prophecy of a store. A store of interleaved vectors is taken apart
    /// into one store for each vector: their elements differ.
    fn stores(
        &mut self,
        index: ExprId,
        value: ExprId,
        prophecy: Option<&Prophecy>,
    ) -> Result<Vec<Assignment>, Gap> {
        let Some(vectors) = row(self.pool, index, value) else {
            return Ok(vec![(index, value, prophecy.cloned())]);
        };
        let prophecy = prophecy.ok_or_else(|| Gap::new("a store without a prophecy"))?;
        let step = vectors.len() as i128;
        let mut stores = Vec::new();
        for (vector, first) in vectors.into_iter().zip(0..) {
            let lanes = self.pool.ty(vector).lanes;
            let mut own = |expr: &ExprId| {
                taken(self.pool, *expr, (first, step), lanes)
                    .ok_or_else(|| Gap::new("lanes that are not affine"))
            };
            let index = own(&index)?;
            let coords = prophecy.coords.iter().map(&mut own).collect::<Result<_, _>>()?;
            let point = prophecy.point.iter().map(&mut own).collect::<Result<_, _>>()?;
            let Prophecy { func, stage, .. } = *prophecy;
            stores.push((index, vector, Some(Prophecy { func, stage, coords, point })));
        }
        Ok(stores)
    }

    /// Gives a gap without a place the default premise: the statement has a form that the rules do
    /// not cover.
    fn formless(&self, gap: Gap, stmt: StmtId) -> Gap {
        gap.about(Premise::Form, Some(stmt), || {
            if let Stmt::Store { buffer, .. } = self.pool.get_stmt(stmt) {
                format!("store to {}", self.pool.buffer(*buffer).name)
            } else {
                "statement".to_owned()
            }
        })
    }

    /// S-SEQ: each part runs in the heap that the parts before it leave.
    fn s_seq(&mut self, gamma: &Gamma, h: &Heap, parts: &[StmtId]) -> Result<Locations, Gap> {
        let mut h = h.clone();
        let mut reads = Locations::default();
        for part in parts {
            let (updates, more) = self.statement(gamma, &h, *part)?;
            h = h.then(&self.arrays, &updates)?;
            reads = reads.union(&more)?;
        }
        Ok(reads)
    }

    /// S-LET: the variable is replaced by its value. If the value is read from arrays, it is a
    /// symbolic value of the heap at hand.
    fn s_let(
        &mut self,
        gamma: &Gamma,
        h: &Heap,
        (var, value): (VarId, ExprId),
        body: StmtId,
    ) -> Result<Locations, Gap> {
        let mut own = Locations::default();
        if !self.bind(var, value) {
            let lanes = self.lanes(value)?;
            let inside = match &lanes {
                Some(lanes) => gamma.with(lanes)?,
                None => gamma.clone(),
            };
            let (template, reads) = self.evaluate(inside.facts()?, h, value)?;
            self.values.insert(var, template);
            own = self.over_lanes(reads, lanes.as_ref())?;
        }
        let (_, reads) = self.statement(gamma, h, body)?;
        own.union(&reads)
    }

    /// S-IF.
    fn s_if(
        &mut self,
        gamma: &Gamma,
        h: &Heap,
        condition: ExprId,
        then_branch: StmtId,
        else_branch: Option<StmtId>,
    ) -> Result<Locations, Gap> {
        let condition = self.affine.condition(self.pool, condition)?;
        let (_, reads) = self.statement(&gamma.with(&condition)?, h, then_branch)?;
        let reads = reads.restrict(&condition)?;
        let Some(branch) = else_branch else { return Ok(reads) };
        let other = condition.complement()?;
        let (_, more) = self.statement(&gamma.with(&other)?, h, branch)?;
        reads.union(&more.restrict(&other)?)
    }

    /// S-SEQLOOP: iteration `x` runs in `h ▷ lexmax_{min ≤ x' < x} Δh[x'/x]`, where `Δh` is known
    /// in advance from the prophecies alone.
    fn s_seqloop(
        &mut self,
        gamma: &Gamma,
        h: &Heap,
        stmt: StmtId,
        body: StmtId,
    ) -> Result<Locations, Gap> {
        let Range { dim, set, min } = self.range(stmt)?;
        let updates = self.summary(body)?;
        let earlier = self.fresh(dim);
        let updates = updates.renamed(&mut self.affine, dim, earlier)?;
        let value = self.affine.dim(earlier);
        let range = self.affine.at_most(&min, &value)?;
        let range = range.intersect(&self.affine.before(earlier, dim)?)?;
        let before = updates.lexmax(&self.arrays, &mut self.affine, earlier, &range)?;
        let (_, reads) =
            self.statement(&gamma.with(&set)?, &h.then(&self.arrays, &before)?, body)?;
        reads.bind(dim, &set)
    }

    /// S-PARLOOP: every iteration runs in `h`, and no two of them interfere.
    fn s_parloop(
        &mut self,
        gamma: &Gamma,
        h: &Heap,
        stmt: StmtId,
        body: StmtId,
    ) -> Result<Locations, Gap> {
        let Range { dim, set, .. } = self.range(stmt)?;
        let inside = gamma.with(&set)?;
        let (updates, reads) = self.statement(&inside, h, body)?;
        let about = |gap: Gap| gap.about(Premise::Disjoint, Some(stmt), || "loop".to_owned());
        self.agree(&inside, &updates, dim, &set)
            .and_then(|()| self.apart(&inside, (&updates, &reads), dim, &set))
            .map_err(about)?;
        self.show(Premise::Disjoint, Some(stmt), "loop");
        reads.bind(dim, &set)
    }

    /// S-ALLOCATE: the array is undefined at first and gone afterwards.
    fn s_allocate(
        &mut self,
        gamma: &Gamma,
        h: &Heap,
        buffer: BufferId,
        body: StmtId,
    ) -> Result<Locations, Gap> {
        self.declare(buffer)?;
        let layout = self.layout(buffer)?;
        let place = || format!("layout of {}", self.pool.buffer(buffer).name);
        if !is_mixed_radix(&layout, &Polynomial::constant(1)) {
            let gap = Gap::new("strides are not the products of the extents");
            return Err(gap.about(Premise::Layout, None, place));
        }
        let place = place();
        self.show(Premise::Layout, None, &place);
        let (_, reads) = self.statement(gamma, &h.without(buffer), body)?;
        Ok(reads.without(buffer))
    }

    /// S-ASSIGN; a vector is a parallel loop over its lanes.
    fn s_assign(
        &mut self,
        gamma: &Gamma,
        h: &Heap,
        stmt: StmtId,
        (buffer, index, value): (BufferId, ExprId, ExprId),
        prophecy: Option<&Prophecy>,
    ) -> Result<Locations, Gap> {
        let place = format!("store to {}", self.pool.buffer(buffer).name);
        let lanes = self.lanes(index)?;
        let gamma = match &lanes {
            Some(lanes) => gamma.with(lanes)?,
            None => gamma.clone(),
        };
        if let Some(lanes) = &lanes {
            let (lane, updates) = (self.affine.lane, self.t_assign(buffer, prophecy)?);
            let about =
                |gap: Gap| gap.about(Premise::Disjoint, Some(stmt), || format!("lanes of {place}"));
            self.agree(&gamma, &updates, lane, lanes).map_err(about)?;
        }
        let facts = gamma.facts()?.clone();
        if facts.is_empty()? {
            // The store never runs, so every premise holds vacuously.
            self.show(Premise::Form, Some(stmt), &format!("{place}, which never runs"));
            return Ok(Locations::default());
        }
        let premise = |own: &mut Self,
                       premise: Premise,
                       show: &mut dyn FnMut(&mut Self) -> Result<(), Gap>| {
            show(own).map_err(|gap| gap.about(premise, Some(stmt), || place.clone()))?;
            own.show(premise, Some(stmt), &place);
            Ok::<(), Gap>(())
        };
        // `a : τ[e'₁ × … × e'_n] ∈ Γ`, `Γ ⊢ e_i : 𝔸`.
        let prophecy = prophecy.ok_or_else(|| Gap::new("a store without a prophecy"))?;
        let layout = self.layout(buffer)?;
        let (coords, point) = self.prophecy(buffer, prophecy)?;
        premise(self, Premise::Layout, &mut |own| {
            let access = (index, coords.as_slice());
            if located(own.pool, &mut own.affine, &facts, &layout, access)? {
                Ok(())
            } else {
                Err(Gap::new("the element is not that of the coordinates"))
            }
        })?;
        // `Γ ⊢ 0 ≤ e_i < e'_i`; a remainder by an extent always satisfies this.
        premise(self, Premise::Bounds, &mut |own| {
            if own.pool.buffer(buffer).kind == BufferKind::Input {
                return Err(Gap::new("a store to an input"));
            }
            for (dimension, coord) in layout.iter().zip(&coords).filter(|(dim, _)| !dim.folded) {
                let within = own.affine.within(coord, &dimension.min, &dimension.extent)?;
                if !entails(&facts, &within)? {
                    return Err(Gap::new("the coordinates may lie outside the array"));
                }
            }
            Ok(())
        })?;
        // `Γ ⊢_A t : τ`: there is such an instance, and it writes here.
        let of = (prophecy.func, prophecy.stage);
        let instances = self.recurrence.instances(self.pool, &mut self.affine, prophecy.func);
        let mut at = facts.clone();
        let own = instances.own_points.get(prophecy.stage).into_iter().flatten();
        for (dim, value) in instances.own_coords.iter().chain(own).zip(coords.iter().chain(&point))
        {
            let dim = self.affine.dim(*dim);
            at = at.intersect(&self.affine.equal(&dim, value)?)?;
        }
        premise(self, Premise::Prophecy, &mut |own| {
            let exists = own.recurrence.own(own.pool, &mut own.affine, of)?;
            if entails(&at, &exists)? {
                Ok(())
            } else {
                Err(Gap::new("the prophecy names no instance that writes there"))
            }
        })?;
        // `Γ ⊢ ⟦e⟧_h ≠ ∅`.
        let mut implemented = None;
        premise(self, Premise::Defined, &mut |own| {
            implemented = Some(own.evaluate(&facts, h, value)?);
            Ok(())
        })?;
        let Some((implemented, reads)) = implemented else {
            return Err(Gap::new("a store without a value"));
        };
        // `⟦e⟧_h ⊂ {t}`.
        premise(self, Premise::Constraint, &mut |own| {
            let component = own.pool.buffer(buffer).component;
            let stages = own.pool.func(of.0).stages();
            let value = stages.get(of.1).and_then(|stage| stage.values.get(component)).copied();
            let value = value.ok_or_else(|| Gap::new("a component that does not exist"))?;
            let specified = own.specified(&at, of, value)?;
            if own.equal(&at, [specified, implemented])? {
                Ok(())
            } else {
                Err(Gap::new("the value is not seen to be the one that is prophesied"))
            }
        })?;
        self.over_lanes(reads, lanes.as_ref())
    }

    /// Computes `⟦e⟧_h` and `reads(e)`.
    fn evaluate(
        &mut self,
        facts: &Set,
        h: &Heap,
        value: ExprId,
    ) -> Result<(ExprId, Locations), Gap> {
        let arrays = self.arrays.clone();
        let layouts = self.layouts.clone();
        let reads = Locations::default();
        let mut memory = Memory { heap: h, arrays: &arrays, layouts: &layouts, reads };
        let template = self.templates().template(&mut memory, facts, value)?;
        Ok((template, memory.reads))
    }

    /// The right-hand side of an equation of the specification.
    fn specified(
        &mut self,
        facts: &Set,
        own: (FuncId, usize),
        value: ExprId,
    ) -> Result<ExprId, Gap> {
        let mut recurrence = std::mem::take(&mut self.recurrence);
        let stored = self.stored.clone();
        let mut equations = Equations { recurrence: &mut recurrence, stored: &stored, own };
        let template = self.templates().template(&mut equations, facts, value);
        self.recurrence = recurrence;
        template
    }

    /// Checks that all iterations that write a location write the value of one instance: `Δh` and
    /// `Δh[y/x]` are compatible for `x ≠ y`.
    fn agree(&mut self, gamma: &Gamma, updates: &Heap, x: Dim, range: &Set) -> Result<(), Gap> {
        let y = self.fresh(x);
        let updates = updates.restrict(range)?;
        let others = updates.renamed(&mut self.affine, x, y)?;
        let differ = self.affine.before(x, y)?;
        for (buffer, array) in self.arrays.clone() {
            for (stage, set) in updates.of(buffer) {
                for (other_stage, other) in others.of(buffer) {
                    let content: Vec<Dim> =
                        array.coords.iter().chain(&array.points[other_stage]).copied().collect();
                    let content = content.into_iter().filter(|dim| !array.location.contains(dim));
                    let mut other = other.intersect(&differ)?;
                    let mut same = Set::universe(&self.affine.context)?;
                    for dim in content {
                        let theirs = self.fresh(dim);
                        other = renamed(&other, &mut self.affine, dim, theirs)?;
                        same = same.intersect(&self.affine.same(dim, theirs)?)?;
                    }
                    if stage != other_stage {
                        same = Set::empty(&self.affine.context)?;
                    }
                    let meeting = set.intersect(&other)?;
                    if !meeting.is_subset(&same)?
                        && !meeting.intersect(gamma.facts()?)?.is_subset(&same)?
                    {
                        let name = &self.pool.buffer(buffer).name;
                        return Err(Gap::new(format!(
                            "iterations may write values of two instances to one element of \
                                `{name}`"
                        )));
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks `dom(Δh) # R[y/x]` for `x ≠ y`.
    fn apart(
        &mut self,
        gamma: &Gamma,
        (updates, reads): (&Heap, &Locations),
        x: Dim,
        range: &Set,
    ) -> Result<(), Gap> {
        let y = self.fresh(x);
        let written = updates.restrict(range)?.domain(&self.arrays)?;
        let read = reads.restrict(range)?.renamed(&mut self.affine, x, y)?;
        let differ = self.affine.same(x, y)?.complement()?;
        for (buffer, written) in &written.0 {
            let Some(read) = read.0.get(buffer) else { continue };
            let meeting = written.intersect(read)?.intersect(&differ)?;
            if !meeting.is_empty()? && !meeting.is_disjoint(gamma.facts()?)? {
                let name = &self.pool.buffer(*buffer).name;
                return Err(Gap::new(format!(
                    "an iteration may read an element of `{name}` that another one writes"
                )));
            }
        }
        Ok(())
    }

    /// T-ASSIGN: `{a[e₁, …, e_n] ↦ t}`, for one lane.
    fn t_assign(&mut self, buffer: BufferId, prophecy: Option<&Prophecy>) -> Result<Heap, Gap> {
        let prophecy = prophecy.ok_or_else(|| Gap::new("a store without a prophecy"))?;
        let (coords, point) = self.prophecy(buffer, prophecy)?;
        let (array, layout) = (self.array(buffer)?, self.layout(buffer)?);
        let mut equations = Vec::new();
        for (place, (dimension, coord)) in layout.iter().zip(&coords).enumerate() {
            let location = dimension.location(&mut self.affine, coord)?;
            equations.push((array.location[place], location));
            if dimension.folded {
                equations.push((array.coords[place], coord.clone()));
            }
        }
        let points = array.points.get(prophecy.stage).into_iter().flatten();
        equations.extend(points.copied().zip(point));
        let mut chunk = Set::universe(&self.affine.context)?;
        for (dim, value) in equations {
            let dim = self.affine.dim(dim);
            chunk = chunk.intersect(&self.affine.equal(&dim, &value)?)?;
        }
        Ok(Heap::chunk((buffer, prophecy.stage), chunk))
    }

    /// Creates a variable named after this one.
    pub(crate) fn fresh(&self, dim: Dim) -> Dim {
        self.affine.context.dim(&format!("{}'", self.affine.context.name(dim)))
    }

    /// Binds a variable to an affine integer or condition; false if its value is neither.
    fn bind(&mut self, var: VarId, value: ExprId) -> bool {
        let scalar = self.pool.ty(value).scalar;
        let binding = if scalar == Scalar::Int {
            self.affine.int(self.pool, value).ok().map(Binding::Int)
        } else if scalar == Scalar::Bool {
            self.affine.condition(self.pool, value).ok().map(Binding::Bool)
        } else {
            None
        };
        let is_bound = binding.is_some();
        if let Some(binding) = binding {
            self.affine.bind(var, binding);
        }
        is_bound
    }
}

/// S-SKIP.
fn s_skip() -> Locations {
    Locations::default()
}
