//! FS Fig. 6 taken literally, as a reference. Substitution uses environments, every update is
//! unrolled into shadowing point updates, and nothing is memoised. The cost is exponential.

use halidom_interp::{Bindings, evaluate_expr};
use halidom_ir::{Constant, Expr, ExprId, FuncId, FuncKind, Pool, VarId, eval};

/// An algorithm's funcs on fixed inputs.
pub(crate) struct Literal<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) bindings: &'a Bindings,
}

/// A point update: a stage with values for its reduction variables.
type PointUpdate = (usize, Vec<(VarId, i128)>);

impl Literal<'_> {
    /// [Realize] at one point: a component of the func with all its updates unrolled.
    pub(crate) fn value(&self, func: FuncId, component: usize, coords: &[i128]) -> Constant {
        let updates = self.unrolled(func);
        self.shadowed((func, component), &updates, coords)
    }

    /// [`RDom-Eval`]: the last variable is unrolled first, so that the first one changes fastest.
    fn unrolled(&self, func: FuncId) -> Vec<PointUpdate> {
        let mut updates = Vec::new();
        for (number, stage) in self.pool.func(func).stages().iter().enumerate().skip(1) {
            let mut points: Vec<Vec<(VarId, i128)>> = vec![Vec::new()];
            for variable in stage.domain.iter().rev() {
                let bound = |expr| {
                    evaluate_expr(self.pool, expr, self.bindings).unwrap().as_integer().unwrap()
                };
                let (min, extent) = (bound(variable.min), bound(variable.extent));
                points = points
                    .into_iter()
                    .flat_map(|point| {
                        (min..min + extent)
                            .map(move |value| [&point[..], &[(variable.var, value)]].concat())
                    })
                    .collect();
            }
            updates.extend(points.into_iter().map(|point| (number, point)));
        }
        updates
    }

    /// [Func-Eval] without updates, [Update-Eval] for the last update.
    fn shadowed(
        &self,
        (func, component): (FuncId, usize),
        updates: &[PointUpdate],
        coords: &[i128],
    ) -> Constant {
        let decl = self.pool.func(func);
        let mut env: Vec<(VarId, i128)> =
            decl.args.iter().copied().zip(coords.iter().copied()).collect();
        let Some(((number, point), earlier)) = updates.split_last() else {
            return self.eval(decl.stages()[0].values[component], &env, func, &[]);
        };
        env.extend(point);
        let stage = &decl.stages()[*number];
        let hits = stage
            .lhs
            .iter()
            .zip(coords)
            .all(|(lhs, coord)| self.eval(*lhs, &env, func, earlier) == Constant::int(*coord));
        let holds = stage.predicate.is_none_or(|predicate| {
            self.eval(predicate, &env, func, earlier) == Constant::bool(true)
        });
        let after = self.eval(stage.values[component], &env, func, earlier);
        let before = self.shadowed((func, component), earlier, coords);
        if hits && holds { after } else { before }
    }

    /// Evaluates an expression. `own` stands for the func after its updates `earlier`.
    fn eval(
        &self,
        expr: ExprId,
        env: &[(VarId, i128)],
        own: FuncId,
        earlier: &[PointUpdate],
    ) -> Constant {
        let go = |expr: ExprId| self.eval(expr, env, own, earlier);
        match self.pool.get(expr) {
            Expr::Const(constant) => *constant,
            Expr::Var(var) => env
                .iter()
                .find(|(other, _)| other == var)
                .map(|(_, value)| Constant::int(*value))
                .or_else(|| self.bindings.var(*var))
                .unwrap(),
            Expr::Unary(op, a) => eval::unary(*op, go(*a)).unwrap(),
            Expr::Binary(op, a, b) => eval::binary(*op, go(*a), go(*b)).unwrap(),
            Expr::Select { condition, if_true, if_false } => {
                let (if_true, if_false) = (go(*if_true), go(*if_false));
                if go(*condition) == Constant::bool(true) { if_true } else { if_false }
            }
            Expr::Cast(scalar, a) => eval::cast(*scalar, go(*a)).unwrap(),
            Expr::Call(intrinsic, a) => eval::intrinsic(*intrinsic, go(*a)).unwrap(),
            Expr::Apply { function, args } => {
                let args: Vec<Constant> = args.iter().map(|arg| go(*arg)).collect();
                eval::apply(self.pool.function(*function), &args).unwrap()
            }
            Expr::Ref { func, component, args } => {
                let coords: Vec<i128> =
                    args.iter().map(|arg| go(*arg).as_integer().unwrap()).collect();
                match &self.pool.func(*func).kind {
                    FuncKind::Input { .. } => {
                        let point: Vec<i64> = coords.iter().map(|coord| *coord as i64).collect();
                        self.bindings.input(*func).unwrap().get(&point).unwrap()
                    }
                    FuncKind::Defined { .. } if *func == own => {
                        self.shadowed((own, *component), earlier, &coords)
                    }
                    FuncKind::Defined { .. } => self.value(*func, *component, &coords),
                }
            }
            Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => {
                unreachable!("no part of an algorithm")
            }
        }
    }
}
