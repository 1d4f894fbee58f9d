//! The ends of intervals that are always read.
//!
//! A *path* leads from an element of an output to an element of an input: the coordinates of the
//! input's element over the output's variables and over variables of reductions. Only reads that
//! every evaluation of a definition makes are followed: not the arms of a selection, not stages
//! with a predicate, and not the stages that a later stage overwrites. A path at the corners of
//! the window therefore names elements that the definitions read. If the solver shows that for
//! every window one of them is the end of the interval, the end is read. Nothing else is claimed.

use std::time::Duration;

use halidom_base::FxHashSet;
use halidom_encode::Encoder;
use halidom_ir::{Algorithm, BinaryOp, Expr, ExprId, FuncId, Pool, Stage, Substitution, VarId};
use halidom_smt::{Answer, Asking, Solver, Terms};

use super::region::Region;
use crate::judge::Options;
use crate::subject::Subject;

/// The most paths that are followed.
const MOST_PATHS: usize = 400;
/// The most corners of all paths to an input that are compared with one end.
const MOST_CORNERS: usize = 600;
/// The most time for a question. The order of floats that decide coordinates takes solvers very
/// long, and nothing depends on the answer but a claim that is made or not.
const PATIENCE: Duration = Duration::from_secs(1);

/// A read of an input.
struct Path {
    input: FuncId,
    coords: Vec<ExprId>,
    /// The variables of reductions on the way, with their first values and their numbers of values.
    domain: Vec<(VarId, ExprId, ExprId)>,
}

/// The reads of a pipeline, and a solver.
pub struct Reads {
    pool: Pool,
    paths: Vec<Path>,
    /// The variables of the outputs with the first and last values in the window.
    corners: Vec<(VarId, ExprId, ExprId)>,
    /// Facts about windows and parameters.
    facts: Vec<ExprId>,
    asking: Asking,
}

impl Reads {
    /// Follows the reads of a pipeline's outputs.
    pub fn new(subject: &Subject, options: &Options) -> Self {
        let mut pool = subject.pool.clone();
        let (mut corners, mut facts) = (Vec::new(), Vec::new());
        let one = pool.int(1);
        for output in &subject.compiled.program.outputs {
            for (arg, (min, extent)) in
                pool.func(output.func).args.clone().iter().zip(&output.window)
            {
                let [min, extent] = [*min, *extent].map(|var| pool.var_expr(var));
                facts.push(pool.binary(BinaryOp::Ge, extent, one));
                let end = pool.add(min, extent);
                corners.push((*arg, min, pool.sub(end, one)));
            }
        }
        facts.extend(subject.algorithm.requires.iter().map(|require| require.condition));
        let algorithm = &subject.algorithm;
        let mut walk =
            Walk { pool: &mut pool, algorithm, seen: FxHashSet::default(), paths: vec![] };
        for output in &subject.compiled.program.outputs {
            let args = walk.pool.func(output.func).args.clone();
            let point = args.iter().map(|arg| walk.pool.var_expr(*arg)).collect();
            walk.func(output.func, point, &[]);
        }
        let paths = walk.paths;
        let timeout = options.asking.timeout.min(PATIENCE);
        let asking = Asking { timeout, ..options.asking.clone() };
        Self { pool, paths, corners, facts, asking }
    }

    /// Tells for each dimension of a region which ends are read whenever the region has elements.
    pub fn ends(&mut self, region: &Region) -> Vec<(bool, bool)> {
        let one = self.pool.int(1);
        let has_elements =
            region.dims.iter().map(|reach| self.pool.binary(BinaryOp::Ge, reach.extent, one));
        let has_elements: Vec<ExprId> = has_elements.collect();
        let mut ends = Vec::new();
        for (dim, reach) in region.dims.iter().enumerate() {
            let end = self.pool.add(reach.low, reach.extent);
            let high = self.pool.sub(end, one);
            let places = self.places(region.input, dim);
            let [low, high] =
                [reach.low, high].map(|end| self.is_among(end, &places, &has_elements));
            ends.push((low, high));
        }
        ends
    }

    /// The coordinates at the corners of all paths, each with the conditions under which it is
    /// read.
    fn places(&mut self, input: FuncId, dim: usize) -> Vec<(ExprId, Vec<ExprId>)> {
        let mut places: Vec<(ExprId, Vec<ExprId>)> = Vec::new();
        let one = self.pool.int(1);
        for path in self.paths.iter().filter(|path| path.input == input) {
            let Some(coord) = path.coords.get(dim) else { continue };
            let mut vars = FxHashSet::default();
            self.pool.for_each_subexpr(*coord, &mut |_, expr| {
                if let Expr::Var(var) = expr {
                    vars.insert(*var);
                }
            });
            let mut conditions = Vec::new();
            let mut ends = self.corners.clone();
            for (var, min, extent) in &path.domain {
                conditions.push(self.pool.binary(BinaryOp::Ge, *extent, one));
                let end = self.pool.add(*min, *extent);
                ends.push((*var, *min, self.pool.sub(end, one)));
            }
            ends.retain(|(var, ..)| vars.contains(var));
            for corner in 0..1_usize << ends.len().min(8) {
                let mut at = Substitution::new();
                for (number, (var, low, high)) in ends.iter().enumerate() {
                    at.insert(*var, if corner >> number & 1 == 0 { *low } else { *high });
                }
                let place = at.apply(&mut self.pool, *coord);
                if !places.iter().any(|(known, _)| *known == place) {
                    places.push((place, conditions.clone()));
                }
            }
        }
        places.truncate(MOST_CORNERS);
        places
    }

    /// Asks whether one of some places is always a certain coordinate.
    fn is_among(&self, end: ExprId, places: &[(ExprId, Vec<ExprId>)], facts: &[ExprId]) -> bool {
        if places.is_empty() {
            return false;
        }
        let Ok(mut solver) = Solver::open(self.asking.options("halo")) else { return false };
        let (mut terms, mut encoder) = (Terms::new(), Encoder::new());
        for fact in self.facts.iter().chain(facts) {
            // A fact that has no term is not used.
            if let Ok(fact) = encoder.expr(&mut terms, &self.pool, *fact) {
                solver.assert(&terms, fact);
            }
        }
        let Ok(end) = encoder.expr(&mut terms, &self.pool, end) else { return false };
        for (place, conditions) in places {
            let Ok(place) = encoder.expr(&mut terms, &self.pool, *place) else { continue };
            let mut read = vec![terms.equal(place, end)];
            let conditions =
                conditions.iter().map(|one| encoder.expr(&mut terms, &self.pool, *one));
            let Ok(conditions) = conditions.collect::<Result<Vec<_>, _>>() else { continue };
            read.extend(conditions);
            let read = terms.and(&read);
            let not = terms.not(read);
            solver.assert(&terms, not);
        }
        matches!(solver.check(&terms, "end"), Answer::Unsat)
    }
}

/// The walk along the definitions.
struct Walk<'a> {
    pool: &'a mut Pool,
    algorithm: &'a Algorithm,
    seen: FxHashSet<(FuncId, Vec<ExprId>)>,
    paths: Vec<Path>,
}

impl Walk<'_> {
    fn func(&mut self, func: FuncId, point: Vec<ExprId>, domain: &[(VarId, ExprId, ExprId)]) {
        if self.paths.len() >= MOST_PATHS || !self.seen.insert((func, point.clone())) {
            return;
        }
        if self.algorithm.inputs.contains(&func) {
            self.paths.push(Path { input: func, coords: point, domain: domain.to_vec() });
            return;
        }
        let decl = self.pool.func(func).clone();
        let own: Vec<ExprId> = decl.args.iter().map(|arg| self.pool.var_expr(*arg)).collect();
        let stages = decl.stages();
        let keeps = |stage: &Stage| {
            let mut found = false;
            for value in &stage.values {
                read(self.pool, *value, &mut |other, args| found |= other == func && args == own);
            }
            found && stage.lhs == own && stage.predicate.is_none()
        };
        if !stages.iter().skip(1).all(keeps) || decl.is_partial() {
            return;
        }
        let mut at = Substitution::new();
        for (arg, coord) in decl.args.iter().zip(&point) {
            at.insert(*arg, *coord);
        }
        for stage in stages {
            let mut found = Vec::new();
            for value in &stage.values {
                read(self.pool, *value, &mut |other, args| found.push((other, args.to_vec())));
            }
            let mut domain = domain.to_vec();
            domain.extend(stage.domain.iter().map(|one| (one.var, one.min, one.extent)));
            for (other, args) in found.into_iter().filter(|(other, _)| *other != func) {
                let args = args.into_iter().map(|arg| at.apply(self.pool, arg)).collect();
                self.func(other, args, &domain);
            }
        }
    }
}

/// Visits the reads that every evaluation of an expression makes.
fn read(pool: &Pool, expr: ExprId, visit: &mut dyn FnMut(FuncId, &[ExprId])) {
    let node = pool.get(expr);
    if let Expr::Ref { func, args, .. } = node {
        visit(*func, args);
    }
    let mut operands = Vec::new();
    if let Expr::Select { condition, .. } = node {
        operands.push(*condition);
    } else {
        node.for_each_operand(|operand| operands.push(operand));
    }
    for operand in operands {
        read(pool, operand, visit);
    }
}
