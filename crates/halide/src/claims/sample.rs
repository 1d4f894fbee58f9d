//! Values of integers at sampled points. They decide between two guesses at a region, and prove
//! nothing.

use halidom_base::{FxHashMap, IndexMap};
use halidom_ir::{Constant, Expr, ExprId, Pool, VarId, eval};

use super::form::Form;
use super::forms::Forms;

/// The upper limits of the sampled sizes, used in turn.
const LIMITS: [i128; 4] = [24, 90, 300, 1000];
/// The number of sampled points.
const POINTS: usize = 96;

/// The least and the greatest value of a form at points with coordinates of at least 1; `None` if
/// it has no value at some point.
pub(super) fn span(forms: &mut Forms<'_>, form: &Form) -> Option<(i128, i128)> {
    let expr = forms.expr(form);
    let mut found: Option<(i128, i128)> = None;
    let mut state = 1;
    for limit in LIMITS.iter().cycle().take(POINTS) {
        let mut point =
            Point { limit: *limit, state, vars: IndexMap::default(), known: FxHashMap::default() };
        let value = point.value(forms.pool, expr)?.as_integer()?;
        state = point.state;
        let (least, greatest) = found.unwrap_or((value, value));
        found = Some((least.min(value), greatest.max(value)));
    }
    found
}

struct Point {
    limit: i128,
    state: u64,
    vars: IndexMap<VarId, i128>,
    known: FxHashMap<ExprId, Option<Constant>>,
}

impl Point {
    fn value(&mut self, pool: &Pool, expr: ExprId) -> Option<Constant> {
        if let Some(known) = self.known.get(&expr) {
            return *known;
        }
        let value = match pool.get(expr) {
            Expr::Const(constant) => Some(*constant),
            Expr::Var(var) => Some(Constant::int(self.coordinate(*var))),
            Expr::Unary(op, a) => eval::unary(*op, self.value(pool, *a)?).ok(),
            Expr::Binary(op, a, b) => {
                eval::binary(*op, self.value(pool, *a)?, self.value(pool, *b)?).ok()
            }
            Expr::Select { condition, if_true, if_false } => {
                let holds = self.value(pool, *condition)?.as_bool()?;
                self.value(pool, if holds { *if_true } else { *if_false })
            }
            Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => None,
        };
        self.known.insert(expr, value);
        value
    }

    fn coordinate(&mut self, var: VarId) -> i128 {
        if let Some(known) = self.vars.get(&var) {
            return *known;
        }
        // Knuth's generator: the same points in every run.
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let value = 1 + i128::from(self.state >> 33) % self.limit;
        self.vars.insert(var, value);
        value
    }
}
