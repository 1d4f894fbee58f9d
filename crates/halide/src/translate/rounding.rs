//! Places in memory that floats decide, if the pipeline rounds these floats and the statement does
//! not.
//!
//! Halide's bounds inference takes floats for real numbers. If a strict float decides which element
//! is read, the region that is computed comes from the same expression with operators that are not
//! strict. LLVM may round a product and the sum that it stands in at once there, or regroup sums.
//! If an integer lies between the two results, an element is read that is not computed
//! (halide#8646). The translation of a float follows the statement and knows nothing of LLVM, so
//! such a statement is not translated.

use halidom_base::FxHashMap;

use crate::tree::{BinaryOp, CallKind, Expr, Scalar, Stmt, StmtKind};
use crate::{NameId, Names};

/// The beginnings of the names of strict operators.
const STRICT: &str = "strict_";
/// The beginnings of the names of functions of floats whose results LLVM does not change.
const EXACT: [&str; 10] = [
    STRICT,
    "floor_",
    "ceil_",
    "round_",
    "trunc_",
    "abs",
    "likely",
    "promise_clamped",
    "unsafe_promise_clamped",
    "return_second",
];

/// The dependence of a value on floats.
#[derive(Clone, Copy, Default)]
struct Dependence {
    /// The value is a float.
    is_float: bool,
    /// It comes from a float operator which is not strict, as a float or by a comparison.
    is_plain: bool,
    /// Such a float has become an integer on which the value depends.
    is_decided: bool,
}

impl Dependence {
    /// Tests whether a place with this dependence is decided by a float that is not strict.
    fn decides(self) -> bool {
        self.is_decided || self.is_plain
    }

    fn with(self, other: Self) -> Self {
        Self {
            is_float: self.is_float || other.is_float,
            is_plain: self.is_plain || other.is_plain,
            is_decided: self.is_decided || other.is_decided,
        }
    }
}

/// Tests whether a statement has a strict operator, or `is_strict` says that its pipeline has one,
/// and a float that comes from an operator which is not strict becomes an integer or a truth value
/// that decides what the statement reads, writes, allocates, checks or runs. `params` are the
/// pipeline's parameters.
pub(super) fn decide_places(
    names: &Names,
    block: &[Stmt],
    params: impl Iterator<Item = (NameId, Scalar)>,
    is_strict: bool,
) -> bool {
    let known = params.map(|(name, scalar)| {
        (name, Dependence { is_float: is_float(scalar), ..Dependence::default() })
    });
    let mut search = Search { names, known: known.collect(), is_strict, found: false };
    search.block(block);
    search.is_strict && search.found
}

struct Search<'a> {
    names: &'a Names,
    /// The values of names; of all their values, if a name has several.
    known: FxHashMap<NameId, Dependence>,
    /// True if something is strict.
    is_strict: bool,
    found: bool,
}

impl Search<'_> {
    fn bind(&mut self, name: NameId, value: &Expr) {
        let dependence = self.expr(value);
        let known = self.known.entry(name).or_default();
        *known = known.with(dependence);
    }

    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            if let StmtKind::Let { name, value } = &stmt.kind {
                self.bind(*name, value);
                continue;
            }
            let values: &[Expr] =
                if let StmtKind::Store { name: _, index: _, alignment: _, value, predicate: _ } =
                    &stmt.kind
                {
                    std::slice::from_ref(value)
                } else if let StmtKind::Provide { name: _, args: _, values, predicate: _ } =
                    &stmt.kind
                {
                    values
                } else {
                    &[]
                };
            stmt.for_each_expr(&mut |expr| {
                let is_place = !values.iter().any(|value| std::ptr::eq(value, expr));
                let dependence = self.expr(expr);
                self.found |= is_place && dependence.decides();
            });
            stmt.for_each_block(&mut |inner| self.block(inner));
        }
    }

    fn expr(&mut self, expr: &Expr) -> Dependence {
        if let Expr::Let { name, value, body } = expr {
            self.bind(*name, value);
            return self.expr(body);
        }
        if let Expr::Variable { name, ty } = expr {
            let is_float = ty.is_some_and(|ty| is_float(ty.scalar));
            let stated = Dependence { is_float, ..Dependence::default() };
            return self.known.get(name).copied().unwrap_or(stated);
        }
        let mut of_operands = Dependence::default();
        expr.for_each_operand(&mut |operand| of_operands = of_operands.with(self.expr(operand)));
        if let Expr::Float(_, _) = expr {
            return Dependence { is_float: true, ..Dependence::default() };
        }
        if let Expr::Cast(to, _) | Expr::Reinterpret(to, _) = expr {
            if is_float(to.scalar) {
                return Dependence { is_float: true, ..of_operands };
            }
            let is_decided = of_operands.decides();
            return Dependence { is_decided, ..Dependence::default() };
        }
        if let Expr::Binary(op, _) = expr {
            let computes = matches!(
                op,
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod
            );
            let is_float = of_operands.is_float && !op.is_comparison();
            let is_plain = of_operands.is_plain || (computes && is_float);
            return Dependence { is_float, is_plain, ..of_operands };
        }
        if let Expr::Load(load) = expr {
            self.found |= of_operands.decides();
            // What is in memory was rounded when it was stored. A text does not state its type.
            let is_float = load.ty.is_none_or(|ty| is_float(ty.scalar));
            return Dependence { is_float, ..Dependence::default() };
        }
        if let Expr::Call(call) = expr {
            let name = self.names.text(call.name);
            self.is_strict |= name.starts_with(STRICT);
            if let Some(CallKind::Image | CallKind::Halide) = call.kind {
                self.found |= of_operands.decides();
            }
            let is_float = call.ty.map_or(of_operands.is_float, |ty| is_float(ty.scalar));
            let is_exact = EXACT.iter().any(|exact| name.starts_with(exact));
            let computes = is_float && of_operands.is_float && !is_exact;
            let is_plain = (of_operands.is_plain || computes) && name != "strict_float";
            return Dependence { is_float, is_plain, ..of_operands };
        }
        of_operands
    }
}

fn is_float(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Float(_) | Scalar::BFloat(_))
}
