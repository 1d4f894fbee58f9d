//! Mutants of algorithms: each differs in one place of a func's definition.

use halidom_base::FxHashSet;
use halidom_ir::{
    Algorithm, BinaryOp, Constant, Expr, ExprId, FuncId, FuncKind, Pool, Stage, print,
};

use crate::Random;
use crate::mutants::{Path, for_each_subexpr, neighbours, replace_subexpr, subexpr, swappable};

/// The kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpecificationKind {
    /// A constant is one more or less.
    ConstantChanged,
    /// The operands of an operator that does not commute, or the arms of a select, are exchanged.
    OperandsSwapped,
    /// An operator is replaced by another one.
    OperatorReplaced,
    /// A read takes the neighbour.
    ReadShifted,
    /// An update writes the neighbour.
    WriteShifted,
    /// A reduction domain is one shorter, or lies elsewhere.
    DomainChanged,
    /// The predicate is left out.
    PredicateDropped,
    /// An update is left out.
    UpdateMissing,
}

impl SpecificationKind {
    /// Every kind.
    pub const ALL: &[Self] = &[
        Self::ConstantChanged,
        Self::OperandsSwapped,
        Self::OperatorReplaced,
        Self::ReadShifted,
        Self::WriteShifted,
        Self::DomainChanged,
        Self::PredicateDropped,
        Self::UpdateMissing,
    ];

    /// Returns the name for tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::ConstantChanged => "constant changed",
            Self::OperandsSwapped => "operands swapped",
            Self::OperatorReplaced => "operator replaced",
            Self::ReadShifted => "read shifted",
            Self::WriteShifted => "write shifted",
            Self::DomainChanged => "domain changed",
            Self::PredicateDropped => "predicate dropped",
            Self::UpdateMissing => "update missing",
        }
    }
}

/// A pool in which one func of an algorithm has another definition.
#[derive(Clone, Debug)]
pub struct SpecificationMutant {
    /// The kind of change.
    pub kind: SpecificationKind,
    /// The pool with the func's changed definition.
    pub pool: Pool,
    /// A description of the place and the change, for people.
    pub description: String,
}

/// The most subexpressions that are looked at in one expression.
const SUBEXPRS: usize = 200;

/// A place in a func's definition, and the change to make there.
#[derive(Clone, Debug)]
struct Site {
    func: FuncId,
    stage: usize,
    change: Change,
}

#[derive(Clone, Debug)]
enum Change {
    /// Replaces a subexpression of a root (of [`Stage::roots`]).
    Expr {
        root: usize,
        path: Path,
        edit: Edit,
    },
    /// Adds to a coordinate that is written.
    Write {
        dim: usize,
        by: i128,
    },
    /// Adds to the min and the extent of a reduction variable; the extent stays at least 0.
    Domain {
        variable: usize,
        min: i128,
        extent: i128,
    },
    NoPredicate,
    NoStage,
}

#[derive(Clone, Copy, Debug)]
enum Edit {
    Constant(Constant),
    Swap,
    Operator(BinaryOp),
    Read { dim: usize, by: i128 },
}

/// Returns up to `count` mutants of an algorithm. The kinds take turns as far as there are places
/// for them. The same seed makes the same mutants. Some mutants mean the same as the original, and
/// some are not well formed.
pub fn specification_mutants(
    pool: &Pool,
    algorithm: &Algorithm,
    seed: u64,
    count: usize,
) -> Vec<SpecificationMutant> {
    let mut random = Random::new(seed);
    let mut by_kind: Vec<Vec<Site>> = SpecificationKind::ALL
        .iter()
        .map(|kind| {
            let mut sites = Vec::new();
            algorithm.funcs.iter().for_each(|func| collect(pool, *func, *kind, &mut sites));
            random.shuffle(&mut sites);
            sites
        })
        .collect();
    let mut turns: Vec<usize> = (0..by_kind.len()).collect();
    random.shuffle(&mut turns);
    let mut made = Vec::new();
    while made.len() < count && by_kind.iter().any(|sites| !sites.is_empty()) {
        for turn in &turns {
            if made.len() == count {
                break;
            }
            let kind = SpecificationKind::ALL[*turn];
            made.extend(by_kind[*turn].pop().and_then(|site| mutant(pool, kind, &site)));
        }
    }
    made
}

/// Returns every mutant of the funcs of `to` that `from` lacks. These are the funcs that a schedule
/// made or changed.
pub fn rewriting_mutants(
    pool: &Pool,
    from: &Algorithm,
    to: &Algorithm,
) -> Vec<SpecificationMutant> {
    let old: FxHashSet<FuncId> = from.funcs.iter().copied().collect();
    let mut mutants = Vec::new();
    for func in to.funcs.iter().filter(|func| !old.contains(func)) {
        for kind in SpecificationKind::ALL {
            let mut sites = Vec::new();
            collect(pool, *func, *kind, &mut sites);
            mutants.extend(sites.iter().filter_map(|site| mutant(pool, *kind, site)));
        }
    }
    mutants
}

fn collect(pool: &Pool, func: FuncId, kind: SpecificationKind, sites: &mut Vec<Site>) {
    for (number, stage) in pool.func(func).stages().iter().enumerate() {
        let mut add = |change| sites.push(Site { func, stage: number, change });
        match kind {
            SpecificationKind::ConstantChanged => {
                subexprs(pool, stage, number, |root, path, id| {
                    for other in pool.as_constant(id).map(neighbours).unwrap_or_default() {
                        let edit = Edit::Constant(other);
                        add(Change::Expr { root, path: path.clone(), edit });
                    }
                })
            }
            SpecificationKind::OperandsSwapped => {
                subexprs(pool, stage, number, |root, path, id| {
                    if swappable(pool, id) {
                        add(Change::Expr { root, path: path.clone(), edit: Edit::Swap });
                    }
                })
            }
            SpecificationKind::OperatorReplaced => {
                subexprs(pool, stage, number, |root, path, id| {
                    if let Expr::Binary(op, lhs, rhs) = pool.get(id)
                        && lhs != rhs
                        && let Some(other) = other_operator(*op)
                    {
                        let edit = Edit::Operator(other);
                        add(Change::Expr { root, path: path.clone(), edit });
                    }
                });
            }
            SpecificationKind::ReadShifted => subexprs(pool, stage, number, |root, path, id| {
                if let Expr::Ref { args, .. } = pool.get(id) {
                    for dim in 0..args.len() {
                        for by in [-1, 1] {
                            let edit = Edit::Read { dim, by };
                            add(Change::Expr { root, path: path.clone(), edit });
                        }
                    }
                }
            }),
            SpecificationKind::WriteShifted => {
                for dim in 0..if number == 0 { 0 } else { stage.lhs.len() } {
                    add(Change::Write { dim, by: -1 });
                    add(Change::Write { dim, by: 1 });
                }
            }
            SpecificationKind::DomainChanged => {
                for variable in 0..stage.domain.len() {
                    for (min, extent) in [(0, -1), (1, -1), (0, 1), (1, 0)] {
                        add(Change::Domain { variable, min, extent });
                    }
                }
            }
            SpecificationKind::PredicateDropped => {
                if stage.predicate.is_some() {
                    add(Change::NoPredicate);
                }
            }
            SpecificationKind::UpdateMissing => {
                if number > 0 {
                    add(Change::NoStage);
                }
            }
        }
    }
}

/// Calls `visit` with the subexpressions of everything that a stage evaluates. The pure stage's
/// coordinates are its arguments, and are left out.
fn subexprs(
    pool: &Pool,
    stage: &Stage,
    number: usize,
    mut visit: impl FnMut(usize, &Path, ExprId),
) {
    for (root, expr) in stage.roots().enumerate() {
        if number > 0 || root >= stage.lhs.len() {
            for_each_subexpr(pool, expr, SUBEXPRS, &mut |path, id| visit(root, path, id));
        }
    }
}

fn mutant(pool: &Pool, kind: SpecificationKind, site: &Site) -> Option<SpecificationMutant> {
    let mut pool = pool.clone();
    let Site { func, stage: number, change } = site;
    let decl = pool.func(*func);
    let (name, mut stages) = (decl.name.clone(), decl.stages().to_vec());
    let FuncKind::Defined { synthetic, .. } = decl.kind else { return None };
    let stage = stages.get_mut(*number)?;
    let what = match change {
        Change::Expr { root, path, edit } => {
            let slot = stage.roots_mut().nth(*root)?;
            let before = subexpr(&pool, *slot, path)?;
            let after = apply(&mut pool, before, *edit)?;
            *slot = replace_subexpr(&mut pool, *slot, path, after)?;
            format!("{} becomes {}", print::expr(&pool, before), print::expr(&pool, after))
        }
        Change::Write { dim, by } => {
            let slot = stage.lhs.get_mut(*dim)?;
            let amount = pool.int(*by);
            *slot = pool.add(*slot, amount);
            format!("writes {by:+} in dimension {dim}")
        }
        Change::Domain { variable, min, extent } => {
            let variable = stage.domain.get_mut(*variable)?;
            let amounts = [pool.int(*min), pool.int(*extent)];
            variable.min = pool.add(variable.min, amounts[0]);
            let length = pool.add(variable.extent, amounts[1]);
            // A negative extent would be an error of another kind.
            let zero = pool.int(0);
            variable.extent = match pool.as_constant(length).and_then(Constant::as_integer) {
                Some(number) => pool.int(number.max(0)),
                None => pool.binary(BinaryOp::Max, length, zero),
            };
            format!("{} from {min:+}, {extent:+} times", pool.var(variable.var).name)
        }
        Change::NoPredicate => {
            stage.predicate.take()?;
            "no predicate".to_owned()
        }
        Change::NoStage => {
            stages.remove(*number);
            "left out".to_owned()
        }
    };
    let changed = FuncKind::Defined { stages, synthetic };
    if pool.func(*func).kind == changed {
        return None;
    }
    pool.define_func(*func, changed);
    let description = format!("stage {number} of {name}: {what}");
    Some(SpecificationMutant { kind, pool, description })
}

fn apply(pool: &mut Pool, before: ExprId, edit: Edit) -> Option<ExprId> {
    match edit {
        Edit::Constant(constant) => Some(pool.constant(constant)),
        Edit::Swap => {
            if let Expr::Select { condition, if_true, if_false } = *pool.get(before) {
                return Some(pool.select(condition, if_false, if_true));
            }
            let Expr::Binary(op, lhs, rhs) = *pool.get(before) else { return None };
            Some(pool.binary(op, rhs, lhs))
        }
        Edit::Operator(op) => {
            let Expr::Binary(_, lhs, rhs) = *pool.get(before) else { return None };
            Some(pool.binary(op, lhs, rhs))
        }
        Edit::Read { dim, by } => {
            let Expr::Ref { func, component, mut args } = pool.get(before).clone() else {
                return None;
            };
            let amount = pool.int(by);
            let arg = args.get_mut(dim)?;
            *arg = pool.add(*arg, amount);
            Some(pool.func_ref(func, component, args))
        }
    }
}

/// Returns an operator with another result on the same operands.
fn other_operator(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Add(overflow) => Some(BinaryOp::Sub(overflow)),
        BinaryOp::Sub(overflow) => Some(BinaryOp::Add(overflow)),
        BinaryOp::Mul(overflow) => Some(BinaryOp::Add(overflow)),
        BinaryOp::Min => Some(BinaryOp::Max),
        BinaryOp::Max => Some(BinaryOp::Min),
        BinaryOp::And => Some(BinaryOp::Or),
        BinaryOp::Or => Some(BinaryOp::And),
        BinaryOp::Lt => Some(BinaryOp::Le),
        BinaryOp::Le => Some(BinaryOp::Lt),
        BinaryOp::Gt => Some(BinaryOp::Ge),
        BinaryOp::Ge => Some(BinaryOp::Gt),
        BinaryOp::Eq => Some(BinaryOp::Ne),
        BinaryOp::Ne => Some(BinaryOp::Eq),
        BinaryOp::Div | BinaryOp::Mod | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr => None,
    }
}
