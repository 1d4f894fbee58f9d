//! Values of unknowns in a claim, solved from the value that a store without loads stores.
//!
//! The value `f(i32(101 - min))` of a func whose definition is `f(i32(x))` tells that `x` is
//! `101 - min`. Where memory is folded, nothing else may tell it: the index gives a coordinate only
//! up to multiples of the fold.

use halidom_base::FxHashSet;
use halidom_ir::{BinaryOp, Expr, ExprId, Scalar, Stage, Stmt, VarId};

use super::form::Form;
use super::forms::{Env, Forms};
use super::sites::{Sites, Store};
use super::unknowns::solved;

/// The greatest number of pairs of expressions that are compared.
const MOST: usize = 2_000;

/// The values of an unknown with which integers in a stage's value are those in a store's value.
pub(super) fn told(
    forms: &mut Forms<'_>,
    (sites, store): (&Sites, &Store),
    (specified, env): (ExprId, &mut Env),
    (var, unknown): (VarId, &[VarId]),
) -> Vec<Form> {
    let Stmt::Store { value, .. } = *forms.pool.get_stmt(store.stmt) else { return Vec::new() };
    let (seen, found) = (FxHashSet::default(), Vec::new());
    let mut pairs = Pairs { sites, var, unknown, seen, found };
    pairs.compare(forms, (specified, env), value);
    pairs.found
}

struct Pairs<'c> {
    sites: &'c Sites,
    var: VarId,
    unknown: &'c [VarId],
    seen: FxHashSet<(ExprId, ExprId)>,
    found: Vec<Form>,
}

impl Pairs<'_> {
    fn compare(
        &mut self,
        forms: &mut Forms<'_>,
        (specified, env): (ExprId, &mut Env),
        stored: ExprId,
    ) {
        if self.seen.len() > MOST || !self.seen.insert((specified, stored)) {
            return;
        }
        if forms.pool.ty(specified).scalar == Scalar::Int {
            if forms.pool.ty(stored).scalar == Scalar::Int {
                let (own, other) = (forms.form_in(specified, env), forms.form(stored));
                self.found.extend(solved(forms, &own, self.var, self.unknown, [&other]));
            }
            return;
        }
        let node = forms.pool.get(stored).clone();
        if let Expr::Broadcast { value, .. } = node {
            return self.compare(forms, (specified, env), value);
        }
        if let Expr::Var(name) = node
            && let Some(value) = forms.definition(name)
        {
            return self.compare(forms, (specified, env), value);
        }
        let own = forms.pool.get(specified).clone();
        // A func without memory stands for its definition.
        if let Expr::Ref { func, component, args } = &own {
            if self.sites.stored.contains(func) {
                return;
            }
            let coords: Vec<Form> = args.iter().map(|arg| forms.form_in(*arg, env)).collect();
            let decl = forms.pool.func(*func).clone();
            if let [Stage { values, .. }] = decl.stages()
                && let Some(value) = values.get(*component)
            {
                let mut inner = Env::of(decl.args.iter().copied().zip(coords));
                self.compare(forms, (*value, &mut inner), stored);
            }
            return;
        }
        let operands = |expr: &Expr| {
            let mut found = Vec::new();
            expr.for_each_operand(|operand| found.push(operand));
            found
        };
        let (all, others) = (operands(&own), operands(&node));
        let Some(first) = all.first().copied() else { return };
        if all.len() != others.len() || own.map_operands(|_| first) != node.map_operands(|_| first)
        {
            return;
        }
        // The compiler may have exchanged the operands.
        let is_symmetric = matches!(own, Expr::Binary(BinaryOp::Add(_) | BinaryOp::Mul(_), ..));
        let ways = if is_symmetric { 2 } else { 1 };
        for shift in 0..ways {
            for (number, own) in all.iter().enumerate() {
                self.compare(forms, (*own, env), others[(number + shift) % others.len()]);
            }
        }
    }
}
