//! The derivation for a whole program: its form, its entry checks, its inputs and its outputs.

use std::rc::Rc;

use halidom_base::FxHashSet;
use halidom_ir::visit::for_each_stmt;
use halidom_ir::{
    Algorithm, BinaryOp, BufferId, Expr, ExprId, Program, Scalar, Stmt, StmtId, VarId,
    verify::{self, Phase},
};
use halidom_poly::Set;

use crate::affine::Binding;
use crate::evaluator::Evaluator;
use crate::heap::{Heap, entails};
use crate::layout::steps_over;
use crate::polynomial::Polynomial;
use crate::premise::{Gap, Premise};
use crate::rules::Gamma;
use crate::template::same_instances;

/// The contents of the entry checks.
#[derive(Default)]
struct Entry {
    conditions: FxHashSet<ExprId>,
    facts: Vec<Set>,
    /// Polynomials that are known to be at least 0.
    known: FxHashSet<Polynomial>,
}

impl Evaluator<'_> {
    /// Carries out the derivation for a whole program, from a heap that holds the inputs' elements
    /// to one that holds the outputs' values.
    pub(crate) fn program(&mut self, algorithm: &Algorithm, program: &Program) -> Result<(), Gap> {
        self.form(algorithm, program)?;
        let (checks, work) = self.checks(program.body);
        self.fix(&checks);
        self.parameters(algorithm, program);
        for buffer in program.inputs.iter().copied().chain(program.output_buffers()) {
            self.declare(buffer)?;
        }
        let mut written = Vec::new();
        self.allocations(program.body, &mut written);
        let buffers = written.into_iter().chain(program.output_buffers());
        self.stored = buffers.map(|buffer| self.pool.buffer(buffer).func).collect();
        let about = |gap: Gap| gap.about(Premise::Entry, None, || "entry checks".to_owned());
        let entry = self.entry(&checks);
        let facts: Rc<[Set]> = entry.facts.as_slice().into();
        let gamma = Gamma::new(facts, Set::universe(&self.affine.context)?);
        self.demands(algorithm, &entry, &gamma).map_err(about)?;
        self.show(Premise::Entry, None, "entry checks");
        for buffer in program.output_buffers() {
            let place = format!("layout of {}", self.pool.buffer(buffer).name);
            if !steps_over(&self.layout(buffer)?, &entry.known) {
                let gap = Gap::new("the entry checks do not say that the layout is injective");
                return Err(gap.about(Premise::Layout, None, || place));
            }
            self.show(Premise::Layout, None, &place);
        }
        let mut heap = self.inputs(program)?;
        for part in work {
            let (updates, _) = self.statement(&gamma, &heap, part)?;
            heap = heap.then(&self.arrays, &updates)?;
        }
        self.outputs(program, &heap, &gamma)
    }

    /// Checks that the program is well formed, has the algorithm's inputs and outputs, and computes
    /// only funcs of the algorithm.
    fn form(&self, algorithm: &Algorithm, program: &Program) -> Result<(), Gap> {
        let pool = &*self.pool;
        if let Err(violations) = verify::program(pool, program, Phase::Final) {
            let rules: Vec<String> = violations.iter().map(ToString::to_string).collect();
            return Err(Gap::new(format!(
                "the program is not in final form: {}",
                rules.join("; ")
            )));
        }
        let func = |buffer: &BufferId| pool.buffer(*buffer).func;
        let outputs = program.outputs.iter().map(|output| output.func);
        let whole = program.outputs.iter().all(|output| {
            let decls = output.buffers.iter().map(|buffer| pool.buffer(*buffer));
            let components = decls.map(|decl| (decl.func, decl.component));
            components.eq((0..pool.func(output.func).scalars.len()).map(|k| (output.func, k)))
        });
        let inputs = program.inputs.iter().map(func).all(|input| algorithm.inputs.contains(&input));
        if !outputs.eq(algorithm.outputs.iter().copied()) || !whole || !inputs {
            return Err(Gap::new("a program for other inputs or outputs than the algorithm's"));
        }
        let mut allocated = Vec::new();
        self.allocations(program.body, &mut allocated);
        if !allocated.iter().map(func).all(|func| algorithm.funcs.contains(&func)) {
            return Err(Gap::new("an array for a func that is not the algorithm's"));
        }
        Ok(())
    }

    /// Splits a program into the entry checks at its beginning and the statements after them.
    fn checks(&self, body: StmtId) -> (Vec<ExprId>, Vec<StmtId>) {
        let Stmt::Block(parts) = self.pool.get_stmt(body) else { return (Vec::new(), vec![body]) };
        let mut checks = Vec::new();
        let mut parts = parts.iter().copied();
        let mut work = Vec::new();
        for part in parts.by_ref() {
            if let Stmt::Assert { condition, .. } = self.pool.get_stmt(part) {
                self.conjuncts(*condition, &mut checks);
            } else {
                work.push(part);
                break;
            }
        }
        work.extend(parts);
        (checks, work)
    }

    fn conjuncts(&self, condition: ExprId, found: &mut Vec<ExprId>) {
        if let Expr::Binary(BinaryOp::And, lhs, rhs) = self.pool.get(condition) {
            self.conjuncts(*lhs, found);
            self.conjuncts(*rhs, found);
        } else {
            found.push(condition);
        }
    }

    /// Binds each variable that an entry check equates with a number (a stride of 1, for example).
    fn fix(&mut self, checks: &[ExprId]) {
        for check in checks {
            if let Expr::Binary(BinaryOp::Eq, lhs, rhs) = self.pool.get(*check)
                && let Expr::Var(var) = self.pool.get(*lhs)
                && self.pool.var(*var).ty.scalar == Scalar::Int
                && let Some(value) =
                    self.pool.as_constant(*rhs).and_then(halidom_ir::Constant::as_integer)
            {
                self.affine.bind(*var, Binding::Int(Polynomial::constant(value)));
            }
        }
    }

    /// Binds parameters, shapes and windows to dims.
    fn parameters(&mut self, algorithm: &Algorithm, program: &Program) {
        let mut vars: Vec<VarId> =
            algorithm.params.iter().chain(&program.params).copied().collect();
        for output in &program.outputs {
            vars.extend(output.window.iter().flat_map(|(min, extent)| [*min, *extent]));
        }
        for buffer in program.inputs.iter().copied().chain(program.output_buffers()) {
            for dim in &self.pool.buffer(buffer).dims {
                for expr in [dim.min, dim.extent, dim.stride] {
                    if let Expr::Var(var) = self.pool.get(expr) {
                        vars.push(*var);
                    }
                }
            }
        }
        for var in vars {
            let decl = self.pool.var(var);
            if decl.ty.scalar == Scalar::Int && !self.affine.is_bound(var) {
                let dim = self.affine.context.dim(&decl.name);
                self.affine.bind_dim(var, dim);
            }
        }
    }

    fn allocations(&self, stmt: StmtId, found: &mut Vec<BufferId>) {
        for_each_stmt(self.pool, stmt, &mut |_, stmt| {
            if let Stmt::Allocate { buffer, .. } = stmt {
                found.push(*buffer);
            }
        });
    }

    /// Collects the facts in the entry checks. Checks that are not affine are left out; dropping a
    /// fact is sound.
    fn entry(&mut self, checks: &[ExprId]) -> Entry {
        let mut entry = Entry::default();
        for check in checks {
            entry.conditions.insert(*check);
            if let Ok(fact) = self.affine.condition(self.pool, *check) {
                entry.facts.push(fact);
            }
            if let Expr::Binary(BinaryOp::Le, lhs, rhs) = *self.pool.get(*check)
                && let (Ok(lhs), Ok(rhs)) =
                    (self.affine.int(self.pool, lhs), self.affine.int(self.pool, rhs))
            {
                entry.known.extend(rhs.plus(-1, &lhs));
            }
        }
        entry
    }

    /// Checks that the affine entry checks are satisfiable and imply what the algorithm demands:
    /// its `require`s, and domains without a negative extent.
    fn demands(&mut self, algorithm: &Algorithm, entry: &Entry, gamma: &Gamma) -> Result<(), Gap> {
        let facts = gamma.facts()?;
        if facts.is_empty()? {
            return Err(Gap::new("the entry checks contradict each other"));
        }
        for require in &algorithm.requires {
            let mut parts = Vec::new();
            self.conjuncts(require.condition, &mut parts);
            for part in parts.into_iter().filter(|part| !entry.conditions.contains(part)) {
                if !entails(facts, &self.affine.condition(self.pool, part)?)? {
                    return Err(Gap::new("a `require` is not checked"));
                }
            }
        }
        for func in &algorithm.funcs {
            for stage in self.pool.func(*func).stages() {
                for variable in &stage.domain {
                    let extent = self.affine.int(self.pool, variable.extent)?;
                    let sign = self.affine.at_most(&Polynomial::default(), &extent)?;
                    if !entails(facts, &sign)? {
                        return Err(Gap::new("the extent of a domain may be negative"));
                    }
                }
            }
        }
        Ok(())
    }

    /// The heap that holds the inputs: each element has the input's value at its coordinates.
    fn inputs(&mut self, program: &Program) -> Result<Heap, Gap> {
        let mut heap = Heap::default();
        for buffer in &program.inputs {
            let (array, layout) = (self.array(*buffer)?, self.layout(*buffer)?);
            let mut held = Set::universe(&self.affine.context)?;
            for (dim, dimension) in array.coords.iter().zip(layout.iter()) {
                let coord = self.affine.dim(*dim);
                let within = self.affine.within(&coord, &dimension.min, &dimension.extent)?;
                held = held.intersect(&within)?;
            }
            heap = heap.union(&Heap::chunk((*buffer, 0), held))?;
        }
        Ok(heap)
    }

    /// Checks that each output holds the func's last values on its window.
    fn outputs(&mut self, program: &Program, heap: &Heap, gamma: &Gamma) -> Result<(), Gap> {
        for output in &program.outputs {
            let instances = self.recurrence.instances(self.pool, &mut self.affine, output.func);
            let mut window = gamma.facts()?.clone();
            for (dim, (min, extent)) in instances.coords.iter().zip(&output.window) {
                let [min, extent] = [*min, *extent].map(|var| self.pool.var_expr(var));
                let (min, extent) =
                    (self.affine.int(self.pool, min)?, self.affine.int(self.pool, extent)?);
                let coord = self.affine.dim(*dim);
                window = window.intersect(&self.affine.within(&coord, &min, &extent)?)?;
            }
            let last = self.recurrence.last(self.pool, &mut self.affine, output.func)?;
            for buffer in &output.buffers {
                let place = self.pool.buffer(*buffer).name.clone();
                let about = |gap: Gap| gap.about(Premise::Output, None, || place.clone());
                let written = heap.domain(&self.arrays).map_err(about)?;
                let everything = match written.0.get(buffer) {
                    Some(written) => entails(&window, written).map_err(about)?,
                    None => window.is_empty()?,
                };
                if !everything {
                    return Err(about(Gap::new("a part of the window is not written")));
                }
                let held: Vec<_> =
                    heap.of(*buffer).map(|(stage, set)| (stage, set.clone())).collect();
                if !same_instances(&window, &held, &last).map_err(about)? {
                    return Err(about(Gap::new("an element may hold another than the last value")));
                }
                self.show(Premise::Output, None, &place);
            }
        }
        Ok(())
    }
}
