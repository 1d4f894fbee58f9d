//! Values as templates with affine holes, and the equality of two templates (TV §5.2).
//!
//! A template is an expression in which each tensor access, each affine integer and each affine
//! condition is replaced by a variable, its hole. `⟦e⟧_h` of TV (§4.5) is the template of `e` whose
//! tensor holes are the values that the symbolic heap holds; the template of the specification has
//! the accesses of the recurrence equations instead.
//!
//! # Correctness
//! Holes are merged only if they have equal values wherever the facts of the place hold. isl
//! decides this for integers and conditions. Tensor accesses are merged if each instance that one
//! may denote is the instance of the other. Then two templates are equal if they are one
//! expression, or if the solver finds no values of the holes for which they differ.

use halidom_base::{FxHashMap, IndexMap};
use halidom_ir::{Expr, ExprId, FuncId, Pool, Scalar, Substitution, Type, UnaryOp, VarId};
use halidom_poly::{Function, Set};

use crate::affine::Affine;
use crate::heap::entails;
use crate::lanes::{Run, runs, taken};
use crate::premise::Gap;
use crate::recurrence::Writers;

/// The value that a hole stands for.
#[derive(Clone)]
pub(crate) enum Hole {
    /// The value of an instance. `writers` gives the possible instances for each stage.
    Tensor { func: FuncId, component: usize, writers: Writers },
    /// A quasi-affine integer.
    Int(Function),
    /// An affine condition.
    Condition(Set),
}

/// The meaning of reads on one side of a comparison.
pub(crate) trait Leaves {
    /// Returns the hole of a read under some facts, or an expression with the same value.
    fn read(
        &mut self,
        templates: &mut Templates<'_>,
        facts: &Set,
        expr: ExprId,
    ) -> Result<Leaf, Gap>;

    /// Shows that all lanes of a load lie within its array, and lists them as read.
    fn touch(
        &mut self,
        templates: &mut Templates<'_>,
        facts: &Set,
        expr: ExprId,
    ) -> Result<(), Gap>;
}

/// The replacement of a read.
pub(crate) enum Leaf {
    /// A tensor access.
    Hole(Hole),
    /// The value of this expression.
    Expr(ExprId),
}

/// The holes of a program, and its templates.
pub(crate) struct Templates<'a> {
    /// A copy of the pool, to which variables and expressions are added.
    pub(crate) pool: &'a mut Pool,
    pub(crate) affine: &'a mut Affine,
    pub(crate) holes: &'a mut IndexMap<VarId, Hole>,
    /// The values (templates) of variables that are not affine integers or conditions (S-LET).
    pub(crate) values: &'a mut FxHashMap<VarId, ExprId>,
}

impl Templates<'_> {
    /// Builds the template of an expression under some facts.
    pub(crate) fn template(
        &mut self,
        leaves: &mut dyn Leaves,
        facts: &Set,
        expr: ExprId,
    ) -> Result<ExprId, Gap> {
        self.visit(leaves, facts, expr, &mut FxHashMap::default())
    }

    fn visit(
        &mut self,
        leaves: &mut dyn Leaves,
        facts: &Set,
        expr: ExprId,
        done: &mut FxHashMap<ExprId, ExprId>,
    ) -> Result<ExprId, Gap> {
        if let Some(known) = done.get(&expr) {
            return Ok(*known);
        }
        let made = match self.affine_hole(expr) {
            Some(hole) => self.hole(hole),
            None => self.operation(leaves, facts, expr, done)?,
        };
        done.insert(expr, made);
        Ok(made)
    }

    /// Returns the hole of an affine integer or condition. `None` for any other expression, and for
    /// one that takes too much work as a whole; the caller then takes the expression apart.
    fn affine_hole(&mut self, expr: ExprId) -> Option<Hole> {
        if self.pool.as_constant(expr).is_some() {
            return None;
        }
        let scalar = self.pool.ty(expr).scalar;
        if scalar == Scalar::Int {
            let value = self.affine.int(self.pool, expr).ok()?;
            return self.affine.function(&value).ok().map(Hole::Int);
        }
        if scalar == Scalar::Bool {
            return self.affine.condition(self.pool, expr).ok().map(Hole::Condition);
        }
        None
    }

    fn hole(&mut self, hole: Hole) -> ExprId {
        let (name, scalar) = match &hole {
            Hole::Tensor { func, component, .. } => {
                let decl = self.pool.func(*func);
                (decl.name.clone(), decl.scalar(*component))
            }
            Hole::Int(_) => ("index".to_owned(), Scalar::Int),
            Hole::Condition(_) => ("condition".to_owned(), Scalar::Bool),
        };
        let var = self.pool.declare_var(name, Type::scalar(scalar));
        self.holes.insert(var, hole);
        self.pool.var_expr(var)
    }

    fn operation(
        &mut self,
        leaves: &mut dyn Leaves,
        facts: &Set,
        expr: ExprId,
        done: &mut FxHashMap<ExprId, ExprId>,
    ) -> Result<ExprId, Gap> {
        let node = self.pool.get(expr).clone();
        match &node {
            Expr::Const(_) => Ok(expr),
            Expr::Var(var) => match self.values.get(var) {
                Some(value) => Ok(*value),
                // A parameter.
                None if self.pool.var(*var).ty.scalar != Scalar::Int => Ok(expr),
                None => Err(Gap::new(format!("`{}` is not known", self.pool.var(*var).name))),
            },
            Expr::Select { condition, if_true, if_false } => {
                // T-SELECT: each arm is typed, and hence defined, under the condition that chooses
                // it.
                let arms = self.affine.condition(self.pool, *condition).ok();
                let condition = self.visit(leaves, facts, *condition, done)?;
                let mut arm = |own: &mut Self, expr, side: Option<Set>| match side {
                    Some(side) => own.template(leaves, &facts.intersect(&side)?, expr),
                    None => own.template(leaves, facts, expr),
                };
                let other = arms.as_ref().map(Set::complement).transpose()?;
                let if_true = arm(self, *if_true, arms)?;
                let if_false = arm(self, *if_false, other)?;
                Ok(self.pool.select(condition, if_true, if_false))
            }
            Expr::Load { .. } | Expr::Ref { .. } => match leaves.read(self, facts, expr)? {
                Leaf::Hole(hole) => Ok(self.hole(hole)),
                Leaf::Expr(other) => self.visit(leaves, facts, other, done),
            },
            Expr::Broadcast { value, .. } => self.visit(leaves, facts, *value, done),
            Expr::Unary(op, operand) => {
                let operand = self.visit(leaves, facts, *operand, done)?;
                Ok(self.pool.unary(*op, operand))
            }
            Expr::Binary(op, lhs, rhs) => {
                let lhs = self.visit(leaves, facts, *lhs, done)?;
                let rhs = self.visit(leaves, facts, *rhs, done)?;
                Ok(self.pool.binary(*op, lhs, rhs))
            }
            Expr::Cast(scalar, operand) => {
                let operand = self.visit(leaves, facts, *operand, done)?;
                Ok(self.pool.cast(*scalar, operand))
            }
            Expr::Call(intrinsic, operand) => {
                let operand = self.visit(leaves, facts, *operand, done)?;
                Ok(self.pool.call(*intrinsic, operand))
            }
            Expr::Apply { function, args } => {
                let args = args.iter().map(|arg| self.visit(leaves, facts, *arg, done));
                let args = args.collect::<Result<Vec<_>, Gap>>()?;
                Ok(self.pool.apply(*function, args))
            }
            Expr::Shuffle { vectors, lanes } => {
                let load = self.one_load(vectors, lanes)?;
                for vector in vectors {
                    leaves.touch(self, facts, *vector)?;
                }
                self.visit(leaves, facts, load, done)
            }
            Expr::Ramp { .. } | Expr::Hole(_) => {
                Err(Gap::new("an integer vector that is not quasi-affine".to_owned()))
            }
        }
    }

    /// Returns the one load that a shuffle of loads is.
    fn one_load(&mut self, vectors: &[ExprId], lanes: &[u32]) -> Result<ExprId, Gap> {
        let gap = || Gap::new("a shuffle that is not one load".to_owned());
        let given = vectors.first().map_or(1, |vector| self.pool.ty(*vector).lanes);
        let count = u32::try_from(lanes.len()).map_err(|_| gap())?;
        let mut found = None;
        for Run { vector, first, step } in runs(given, lanes) {
            let vector = *vectors.get(vector).ok_or_else(gap)?;
            let load = taken(self.pool, vector, (first, step), count).ok_or_else(gap)?;
            let Expr::Load { buffer, index, access: Some(access) } = self.pool.get(load).clone()
            else {
                return Err(gap());
            };
            let index = self.affine.int(self.pool, index)?;
            let coords = self.affine.ints(self.pool, &access.coords)?;
            let element = (buffer, index, access.func, coords);
            match &found {
                Some((_, known)) if *known != element => return Err(gap()),
                Some(_) => {}
                None => found = Some((load, element)),
            }
        }
        found.map(|(load, _)| load).ok_or_else(gap)
    }

    /// Merges equal holes of the templates under some facts, with preference for the holes of the
    /// first template.
    pub(crate) fn merged(
        &mut self,
        facts: &Set,
        templates: [ExprId; 2],
    ) -> Result<[ExprId; 2], Gap> {
        let mut vars: Vec<VarId> = Vec::new();
        for template in templates {
            self.pool.for_each_subexpr(template, &mut |_, expr| {
                if let Expr::Var(var) = expr
                    && self.holes.contains_key(var)
                    && !vars.contains(var)
                {
                    vars.push(*var);
                }
            });
        }
        let mut substitution = Substitution::new();
        let mut kept: Vec<VarId> = Vec::new();
        for var in vars {
            let Some(hole) = self.holes.get(&var).cloned() else { continue };
            let mut same = self.as_constant(facts, &hole)?;
            for known in &kept {
                if same.is_some() {
                    break;
                }
                let Some(other) = self.holes.get(known).cloned() else { continue };
                if equal(facts, &hole, &other)? {
                    same = Some(self.pool.var_expr(*known));
                } else if let (Hole::Condition(set), Hole::Condition(other)) = (&hole, &other)
                    && equal(
                        facts,
                        &Hole::Condition(set.complement()?),
                        &Hole::Condition(other.clone()),
                    )?
                {
                    let known = self.pool.var_expr(*known);
                    same = Some(self.pool.unary(UnaryOp::Not, known));
                }
            }
            match same {
                Some(same) => substitution.insert(var, same),
                None => kept.push(var),
            }
        }
        Ok(templates.map(|template| {
            let merged = substitution.apply(self.pool, template);
            self.pool.rewrite_bottom_up(merged, &mut FxHashMap::default(), &mut |pool, id, expr| {
                chosen(pool, id, expr)
            })
        }))
    }

    /// Returns the constant value of a hole where the facts hold, if there is one.
    fn as_constant(&mut self, facts: &Set, hole: &Hole) -> Result<Option<ExprId>, Gap> {
        match hole {
            Hole::Tensor { .. } => Ok(None),
            Hole::Condition(set) => {
                let known = if entails(facts, set)? {
                    Some(true)
                } else if facts.is_disjoint(set)? {
                    Some(false)
                } else {
                    None
                };
                Ok(known.map(|known| self.pool.constant(halidom_ir::Constant::bool(known))))
            }
            Hole::Int(function) => {
                let pieces = function.pieces()?;
                for piece in pieces {
                    let halidom_poly::QuasiAffine::Constant(value) = piece.value else { continue };
                    let constant = Function::constant(&self.affine.context, value)?;
                    if entails(facts, &function.equal(&constant)?)? {
                        return Ok(Some(self.pool.int(value.into())));
                    }
                }
                Ok(None)
            }
        }
    }
}

/// Returns the arm that a selection by a constant chooses.
fn chosen(pool: &Pool, id: ExprId, expr: &Expr) -> ExprId {
    if let Expr::Select { condition, if_true, if_false } = expr
        && let Some(known) = pool.as_constant(*condition).and_then(halidom_ir::Constant::as_bool)
    {
        return if known { *if_true } else { *if_false };
    }
    id
}

/// Tests whether two holes have the same value wherever the facts hold.
fn equal(facts: &Set, one: &Hole, other: &Hole) -> Result<bool, Gap> {
    match (one, other) {
        (Hole::Int(one), Hole::Int(other)) => entails(facts, &one.equal(other)?),
        (Hole::Condition(one), Hole::Condition(other)) => {
            let [one, other] = [one, other].map(|set| facts.intersect(set));
            Ok(one?.is_equal(&other?)?)
        }
        (
            Hole::Tensor { func, component, writers },
            Hole::Tensor { func: other_func, component: other_component, writers: others },
        ) => {
            if (func, component) != (other_func, other_component) {
                return Ok(false);
            }
            same_instances(facts, writers, others)
        }
        (Hole::Int(_) | Hole::Condition(_) | Hole::Tensor { .. }, _) => Ok(false),
    }
}

/// Tests whether each possible instance of the first is the instance of the second. The second is a
/// function of the place.
pub(crate) fn same_instances(
    facts: &Set,
    writers: &Writers,
    others: &Writers,
) -> Result<bool, Gap> {
    for (stage, set) in writers {
        let here = set.intersect(facts)?;
        let other = others.iter().find(|(other, _)| other == stage);
        let among = match other {
            Some((_, other)) => here.is_subset(other)?,
            None => here.is_empty()?,
        };
        if !among {
            return Ok(false);
        }
    }
    Ok(true)
}
