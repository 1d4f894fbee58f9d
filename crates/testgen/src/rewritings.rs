//! Mutants of rewritten algorithms: each differs in one place of a func that a schedule made or changed.

use halidom_base::FxHashSet;
use halidom_ir::{
    Algorithm, BinaryOp, Constant, Expr, ExprId, FuncId, FuncKind, Overflow, Pool, Stage,
};

/// A pool in which one func of an algorithm has a defect.
#[derive(Clone, Debug)]
pub struct RewritingMutant {
    /// With the func's definition changed.
    pub pool: Pool,
    /// Where and what, for people.
    pub description: String,
}

/// A change of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Defect {
    /// A first value that is a constant: one more, so that it is no identity.
    WrongIdentity,
    /// A domain, one shorter: too few are merged or accumulated.
    ShorterDomain,
    /// The predicate, left out.
    NoPredicate,
    /// Another operator than the original's.
    OtherOperator,
    /// A read of the neighbour.
    ReadsNeighbour,
    /// A write to the neighbour.
    WritesNeighbour,
}

const DEFECTS: [(Defect, &str); 6] = [
    (Defect::WrongIdentity, "wrong identity"),
    (Defect::ShorterDomain, "domain one shorter"),
    (Defect::NoPredicate, "predicate left out"),
    (Defect::OtherOperator, "another operator"),
    (Defect::ReadsNeighbour, "reads the neighbour"),
    (Defect::WritesNeighbour, "writes the neighbour"),
];

/// Every mutant of the funcs of `to` that `from` lacks.
pub fn rewriting_mutants(pool: &Pool, from: &Algorithm, to: &Algorithm) -> Vec<RewritingMutant> {
    let old: FxHashSet<FuncId> = from.funcs.iter().copied().collect();
    let mut mutants = Vec::new();
    for func in to.funcs.iter().filter(|func| !old.contains(func)) {
        let stages = pool.func(*func).stages();
        for (number, stage) in stages.iter().enumerate() {
            for (defect, what) in DEFECTS {
                let mut pool = pool.clone();
                let Some(changed) = change(&mut pool, number, stage, defect) else { continue };
                let mut stages = stages.to_vec();
                stages[number] = changed;
                pool.define_func(*func, FuncKind::Defined { stages, synthetic: false });
                let name = &pool.func(*func).name;
                let description = format!("{what} in stage {number} of {name}");
                mutants.push(RewritingMutant { pool, description });
            }
        }
    }
    mutants
}

fn change(pool: &mut Pool, number: usize, stage: &Stage, defect: Defect) -> Option<Stage> {
    let mut changed = stage.clone();
    match defect {
        Defect::WrongIdentity => {
            let value = pool.as_constant(*stage.values.first()?)?;
            changed.values[0] = pool.constant(next(value)?);
        }
        Defect::ShorterDomain => {
            let last = changed.domain.last_mut()?;
            let one = pool.int(1);
            last.extent = match pool.as_constant(last.extent).and_then(Constant::as_integer) {
                Some(extent) => pool.int((extent - 1).max(0)),
                None => {
                    // Never negative: that would be an error of another kind.
                    let shorter = pool.sub(last.extent, one);
                    let zero = pool.int(0);
                    pool.binary(BinaryOp::Max, shorter, zero)
                }
            };
        }
        Defect::NoPredicate => {
            stage.predicate?;
            changed.predicate = None;
        }
        Defect::OtherOperator => {
            let value = *stage.values.first()?;
            let Expr::Binary(op, lhs, rhs) = *pool.get(value) else { return None };
            let other = match op {
                BinaryOp::Add(overflow) => BinaryOp::Sub(overflow),
                BinaryOp::Min => BinaryOp::Max,
                BinaryOp::Max => BinaryOp::Min,
                BinaryOp::Mul(overflow) => BinaryOp::Add(overflow),
                BinaryOp::Sub(_)
                | BinaryOp::Div
                | BinaryOp::Mod
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Shl
                | BinaryOp::Shr
                | BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge => return None,
            };
            changed.values[0] = pool.binary(other, lhs, rhs);
        }
        Defect::ReadsNeighbour => {
            changed.values[0] = shifted_read(pool, *stage.values.first()?)?;
        }
        Defect::WritesNeighbour => {
            if number == 0 {
                return None;
            }
            let one = pool.int(1);
            let first = changed.lhs.first_mut()?;
            *first = pool.binary(BinaryOp::Add(Overflow::Unbounded), *first, one);
        }
    }
    Some(changed)
}

/// The last read in an expression, at the next point of its first dimension.
fn shifted_read(pool: &mut Pool, value: ExprId) -> Option<ExprId> {
    let mut read = None;
    pool.for_each_subexpr(value, &mut |id, expr| {
        if let Expr::Ref { func, component, args } = expr
            && !args.is_empty()
        {
            read = Some((id, *func, *component, args.to_vec()));
        }
    });
    let (target, func, component, mut args) = read?;
    let one = pool.int(1);
    let first = args.first_mut()?;
    *first = pool.add(*first, one);
    let shifted = pool.func_ref(func, component, args);
    let mut memo = halidom_base::FxHashMap::default();
    Some(pool.rewrite_bottom_up(value, &mut memo, &mut |_, id, _| {
        if id == target { shifted } else { id }
    }))
}

/// Another constant of the type.
fn next(value: Constant) -> Option<Constant> {
    match (value.as_integer(), value.as_f32(), value.as_f64()) {
        (Some(number), ..) => Constant::wrapped(value.scalar(), number + 1),
        (None, Some(number), _) => Some(Constant::f32(number + 1.0)),
        (None, None, number) => Some(Constant::f64(number? + 1.0)),
    }
}
