//! Conversion of expressions to forms and of forms to expressions.

use std::rc::Rc;

use halidom_base::{FxHashMap, FxHashSet, IndexSet};
use halidom_ir::{
    BinaryOp, Constant, Expr, ExprId, FuncId, Overflow, Pool, Scalar, UnaryOp, VarId, eval,
};

use super::form::Form;
use super::sample::Samples;

/// The values of variables at one place, and the forms of expressions there.
#[derive(Default)]
pub(super) struct Env {
    values: FxHashMap<VarId, Form>,
    known: FxHashMap<ExprId, Form>,
    /// True if no variable has a value of its own: then [`Forms::plain`] has the known forms.
    is_plain: bool,
}

impl Env {
    pub(super) fn of(values: impl IntoIterator<Item = (VarId, Form)>) -> Self {
        Self { values: values.into_iter().collect(), ..Self::default() }
    }

    /// Sets the value of a variable. The forms of expressions have to be found again.
    pub(super) fn set(&mut self, var: VarId, value: Form) {
        self.values.insert(var, value);
        self.known.clear();
    }

    pub(super) fn unset(&mut self, var: VarId) {
        self.values.remove(&var);
        self.known.clear();
    }

    pub(super) fn get(&self, var: VarId) -> Option<&Form> {
        self.values.get(&var)
    }
}

/// Converts expressions to forms and forms to expressions.
pub(super) struct Forms<'p> {
    pub(super) pool: &'p mut Pool,
    /// The values of names.
    pub(super) definitions: FxHashMap<VarId, ExprId>,
    /// Variables that entry checks equate with others.
    pub(super) equal: FxHashMap<VarId, ExprId>,
    /// The forms of expressions whose variables have no values of their own. To find one may need
    /// others, again and again, so each is kept as soon as it is found.
    pub(super) plain: FxHashMap<ExprId, Form>,
    /// Funcs whose first stage has no loops of its own: it gives the contents from before the run.
    pub(super) filled: FxHashSet<FuncId>,
    /// The variable for the lane of every vector.
    pub(super) lane: VarId,
    /// The variables of loops.
    pub(super) loops: FxHashSet<VarId>,
    vars: FxHashMap<ExprId, Box<[VarId]>>,
    pub(super) samples: Samples,
    /// The first and the last value of each loop's variable for which they are constants.
    pub(super) ranges: FxHashMap<VarId, (i128, i128)>,
    /// Quotients and remainders of indices by strides.
    pub(super) quotients: FxHashMap<(Form, Form), (Form, Form)>,
    /// The same for indices that do not count from the beginning of the memory.
    pub(super) divided: FxHashMap<(Form, Form), (Form, Form)>,
    /// The forms that differ from one in a minimum that is decided.
    pub(super) decided: FxHashMap<Form, Rc<[Form]>>,
}

impl<'p> Forms<'p> {
    pub(super) fn new(pool: &'p mut Pool) -> Self {
        let lane = pool.declare_var("lane", halidom_ir::Type::INT);
        Self {
            pool,
            definitions: FxHashMap::default(),
            equal: FxHashMap::default(),
            plain: FxHashMap::default(),
            filled: FxHashSet::default(),
            lane,
            loops: FxHashSet::default(),
            vars: FxHashMap::default(),
            samples: Samples::default(),
            ranges: FxHashMap::default(),
            quotients: FxHashMap::default(),
            divided: FxHashMap::default(),
            decided: FxHashMap::default(),
        }
    }

    pub(super) fn define(&mut self, var: VarId, value: ExprId) {
        self.definitions.insert(var, value);
    }

    /// The variable that the compiler substitutes for this one, if the expression is such a
    /// variable; else the expression.
    pub(super) fn equal(&self, expr: ExprId) -> ExprId {
        let other = self.as_variable(expr).and_then(|var| self.equal.get(&var));
        other.copied().unwrap_or(expr)
    }

    pub(super) fn definition(&self, var: VarId) -> Option<ExprId> {
        self.definitions.get(&var).copied()
    }

    pub(super) fn variable(&mut self, var: VarId) -> Form {
        Form::atom(self.pool.var_expr(var))
    }

    /// The form of an integer expression.
    pub(super) fn form(&mut self, expr: ExprId) -> Form {
        self.form_in(expr, &mut Env { is_plain: true, ..Env::default() })
    }

    /// The form of an integer expression, with values for variables.
    pub(super) fn form_in(&mut self, expr: ExprId, env: &mut Env) -> Form {
        let known = if env.is_plain { &self.plain } else { &env.known };
        if let Some(known) = known.get(&expr) {
            return known.clone();
        }
        let form = self.formed(expr, env);
        let known = if env.is_plain { &mut self.plain } else { &mut env.known };
        known.insert(expr, form.clone());
        form
    }

    fn formed(&mut self, expr: ExprId, env: &mut Env) -> Form {
        match self.pool.get(expr).clone() {
            Expr::Const(constant) if constant.scalar() == Scalar::Int => {
                Form::constant(constant.as_integer().unwrap_or(0))
            }
            Expr::Var(var) => match (env.get(var), self.definitions.get(&var)) {
                (Some(form), _) => form.clone(),
                (None, Some(value)) if self.pool.ty(*value).scalar == Scalar::Int => {
                    let value = *value;
                    self.form_in(value, env)
                }
                (None, _) => Form::atom(expr),
            },
            Expr::Unary(UnaryOp::Neg(Overflow::Unbounded), operand) => {
                Form::default().minus(&self.form_in(operand, env))
            }
            Expr::Binary(op, a, b) if self.pool.ty(a).scalar == Scalar::Int => {
                let (x, y) = (self.form_in(a, env), self.form_in(b, env));
                match op {
                    BinaryOp::Add(_) => self.cancelled(x.plus(&y, 1)),
                    BinaryOp::Sub(_) => self.cancelled(x.minus(&y)),
                    BinaryOp::Mul(_) => x.times(&y),
                    BinaryOp::Div => self.quotient(&x, &y),
                    BinaryOp::Mod => self.remainder(&x, &y),
                    BinaryOp::Min => self.least([x, y]),
                    BinaryOp::Max => self.greatest([x, y]),
                    BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
                    | BinaryOp::Shl
                    | BinaryOp::Shr
                    | BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::Lt
                    | BinaryOp::Le
                    | BinaryOp::Gt
                    | BinaryOp::Ge => Form::atom(self.settled(expr, env)),
                }
            }
            Expr::Select { condition, if_true, if_false } => {
                let (a, b) = (self.form_in(if_true, env), self.form_in(if_false, env));
                if a == b {
                    return a;
                }
                let condition = self.settled(condition, env);
                match self.pool.as_constant(condition).and_then(Constant::as_bool) {
                    Some(true) => a,
                    Some(false) => b,
                    None => {
                        let (a, b) = (self.expr(&a), self.expr(&b));
                        Form::atom(self.pool.select(condition, a, b))
                    }
                }
            }
            Expr::Ramp { base, stride, .. } => {
                let (base, stride) = (self.form_in(base, env), self.form_in(stride, env));
                let lane = self.variable(self.lane);
                base.plus(&stride.times(&lane), 1)
            }
            Expr::Broadcast { value, .. } => self.form_in(value, env),
            Expr::Cast(Scalar::Int, operand) if self.pool.ty(operand).scalar == Scalar::Int => {
                self.form_in(operand, env)
            }
            Expr::Cast(Scalar::Int, operand) => match self.of_machine(operand, env) {
                Some(form) => form,
                None => {
                    let value = match self.in_lane(operand, env) {
                        Some(value) => self.folded(Expr::Cast(Scalar::Int, value)),
                        None => self.settled(expr, env),
                    };
                    let constant = self.pool.as_constant(value).and_then(Constant::as_integer);
                    constant.map_or_else(|| Form::atom(value), Form::constant)
                }
            },
            Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => Form::atom(self.settled(expr, env)),
        }
    }

    /// An expression of any type with names expanded and integers in normal form.
    pub(super) fn settled(&mut self, expr: ExprId, env: &mut Env) -> ExprId {
        let ty = self.pool.ty(expr);
        match self.pool.get(expr).clone() {
            Expr::Const(_) | Expr::Hole(_) => expr,
            Expr::Var(var) => match self.definitions.get(&var).copied() {
                Some(value) => self.settled_operand(value, env),
                None => self.settled_operand(expr, env),
            },
            Expr::Binary(op, a, b)
                if op.is_comparison() && self.pool.ty(a).scalar == Scalar::Int && ty.lanes == 1 =>
            {
                let (x, y) = (self.form_in(a, env), self.form_in(b, env));
                self.comparison(op, &x, &y)
            }
            node @ (Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }) => {
                let mapped = node.map_operands(|operand| self.settled_operand(operand, env));
                self.folded(mapped)
            }
        }
    }

    pub(super) fn settled_operand(&mut self, operand: ExprId, env: &mut Env) -> ExprId {
        let ty = self.pool.ty(operand);
        if ty.scalar == Scalar::Int && ty.lanes == 1 {
            let form = self.form_in(operand, env);
            return self.expr(&form);
        }
        if let Expr::Var(var) = self.pool.get(operand)
            && !self.definitions.contains_key(var)
        {
            return operand;
        }
        self.settled(operand, env)
    }

    /// Evaluates a node with constant operands, and simplifies conjunctions and disjunctions with a
    /// known operand.
    pub(super) fn folded(&mut self, node: Expr) -> ExprId {
        let value = |id| self.pool.as_constant(id);
        let evaluated = match &node {
            Expr::Unary(op, a) => value(*a).map(|a| eval::unary(*op, a)),
            Expr::Binary(op, a, b) => {
                value(*a).zip(value(*b)).map(|(a, b)| eval::binary(*op, a, b))
            }
            Expr::Call(call, a) => value(*a).map(|a| eval::intrinsic(*call, a)),
            Expr::Cast(to, a) => value(*a).map(|a| eval::cast(*to, a)),
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Select { .. }
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => None,
        };
        if let Some(Ok(constant)) = evaluated {
            return self.pool.constant(constant);
        }
        let known = |pool: &Pool, id| pool.as_constant(id).and_then(Constant::as_bool);
        if let Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) = node {
            let neutral = op == BinaryOp::And;
            for (one, other) in [(a, b), (b, a)] {
                match known(self.pool, one) {
                    Some(value) if value == neutral => return other,
                    Some(_) => return one,
                    None => {}
                }
            }
        }
        self.pool.expr(node)
    }

    /// A comparison of 0 with a difference.
    fn comparison(&mut self, op: BinaryOp, x: &Form, y: &Form) -> ExprId {
        let (op, difference) = if op == BinaryOp::Lt {
            (BinaryOp::Le, y.clone().minus(x).offset(-1))
        } else if op == BinaryOp::Gt {
            (BinaryOp::Le, x.clone().minus(y).offset(-1))
        } else if op == BinaryOp::Ge {
            (BinaryOp::Le, x.clone().minus(y))
        } else {
            (op, y.clone().minus(x))
        };
        let zero = self.pool.int(0);
        if let Some(value) = difference.as_constant() {
            let holds =
                if op == BinaryOp::Le { value >= 0 } else { (value == 0) == (op == BinaryOp::Eq) };
            return self.pool.constant(Constant::bool(holds));
        }
        let difference = self.expr(&difference);
        self.pool.binary(op, zero, difference)
    }

    pub(super) fn quotient(&mut self, x: &Form, y: &Form) -> Form {
        if let Some(by) = y.as_constant().filter(|by| *by > 0) {
            let (whole, rest) = x.divided(y);
            if rest.as_constant().is_some() {
                return whole;
            }
            let (rest, taken) = self.without_remainders(&rest, by);
            if let Some(taken) = taken {
                return whole.minus(&taken).plus(&self.quotient(&rest, y), 1);
            }
            // The constant stays in the remainder, where it is less than the divisor.
            if let Some(row) = self.row(&rest, by) {
                return whole.offset(row);
            }
            let rest = self.expr(&rest);
            let by = self.pool.int(by);
            return whole.plus(&Form::atom(self.pool.binary(BinaryOp::Div, rest, by)), 1);
        }
        let (x, y) = (self.expr(x), self.expr(y));
        Form::atom(self.pool.binary(BinaryOp::Div, x, y))
    }

    /// Tests whether a form is a remainder by a number.
    pub(super) fn is_remainder(&self, form: &Form, by: i128) -> bool {
        let Some(atom) = form.as_atom() else { return false };
        let Expr::Binary(BinaryOp::Mod, _, divisor) = *self.pool.get(atom) else { return false };
        self.pool.as_constant(divisor).and_then(Constant::as_integer) == Some(by)
    }

    pub(super) fn remainder(&mut self, x: &Form, y: &Form) -> Form {
        if let Some(by) = y.as_constant().filter(|by| *by > 0 && !x.is_too_large()) {
            let mut rest = Form::default();
            for (atoms, factor) in x.terms() {
                rest.push(atoms, factor.rem_euclid(by));
            }
            if let Some(value) = rest.as_constant() {
                return Form::constant(value.rem_euclid(by));
            }
            if let Some(row) = self.row(&rest, by) {
                return rest.offset(-row * by);
            }
            // A guess: no vector crosses a multiple of the divisor.
            let lane = self.variable(self.lane);
            if rest.clone().minus(&lane).as_constant().is_some() {
                return rest;
            }
            let rest = self.expr(&rest);
            let by = self.pool.int(by);
            return Form::atom(self.pool.binary(BinaryOp::Mod, rest, by));
        }
        let (x, y) = (self.expr(x), self.expr(y));
        Form::atom(self.pool.binary(BinaryOp::Mod, x, y))
    }

    pub(super) fn greatest(&mut self, operands: impl IntoIterator<Item = Form>) -> Form {
        let negated: Vec<Form> =
            operands.into_iter().map(|form| Form::default().minus(&form)).collect();
        Form::default().minus(&self.least(negated))
    }

    /// The minimum, with the terms that all operands share factored out.
    pub(super) fn least(&mut self, operands: impl IntoIterator<Item = Form>) -> Form {
        let mut all: IndexSet<Form> = IndexSet::default();
        for operand in operands {
            match operand.as_atom().map(|atom| self.pool.get(atom).clone()) {
                Some(Expr::Binary(BinaryOp::Min, a, b)) => {
                    let parts = [a, b].map(|part| self.form(part));
                    let least = self.operands_of_least(parts);
                    all.extend(least);
                }
                Some(_) | None => drop(all.insert(operand)),
            }
        }
        let mut kept: Vec<Form> = Vec::new();
        for operand in all {
            let mut superfluous = false;
            kept.retain(|other| {
                let (least, greatest) = self.limits(&other.clone().minus(&operand));
                let is_below = greatest.is_some_and(|greatest| greatest <= 0);
                superfluous |= is_below;
                is_below || least.is_none_or(|least| least < 0)
            });
            if !superfluous {
                kept.push(operand);
            }
        }
        let Some(first) = kept.first().cloned() else { return Form::default() };
        if kept.len() == 1 {
            return first;
        }
        let mut common = Form::default();
        for (atoms, factor) in first.terms() {
            let everywhere = kept.iter().all(|operand| operand.factor(atoms) == factor);
            if everywhere && !atoms.is_empty() {
                common.push(atoms, factor);
            }
        }
        let constant = kept.iter().map(Form::constant_part).min().unwrap_or(0);
        common = common.offset(constant);
        let mut exprs: Vec<ExprId> = Vec::new();
        for operand in kept {
            let rest = operand.minus(&common);
            exprs.push(self.expr(&rest));
        }
        exprs.sort_unstable();
        let least = exprs.into_iter().reduce(|a, b| self.pool.binary(BinaryOp::Min, a, b));
        match least {
            Some(least) => common.plus(&Form::atom(least), 1),
            None => common,
        }
    }

    fn operands_of_least(&mut self, parts: [Form; 2]) -> Vec<Form> {
        let mut found = Vec::new();
        for part in parts {
            match part.as_atom().map(|atom| self.pool.get(atom).clone()) {
                Some(Expr::Binary(BinaryOp::Min, a, b)) => {
                    let parts = [a, b].map(|part| self.form(part));
                    found.extend(self.operands_of_least(parts));
                }
                Some(_) | None => found.push(part),
            }
        }
        found
    }

    /// The expression of a form, with one lane.
    pub(super) fn expr(&mut self, form: &Form) -> ExprId {
        if form.is_too_large() {
            // No claim about it can be checked.
            let unknown = self.pool.declare_var("too_large", halidom_ir::Type::INT);
            return self.pool.var_expr(unknown);
        }
        let mut sum: Option<ExprId> = None;
        let constant = form.constant_part();
        let (plus, minus): (Vec<_>, Vec<_>) =
            form.terms().filter(|(atoms, _)| !atoms.is_empty()).partition(|(_, by)| *by > 0);
        for (atoms, factor) in plus {
            let term = self.product(atoms, factor);
            sum = Some(sum.map_or(term, |sum| self.pool.add(sum, term)));
        }
        for (atoms, factor) in minus {
            let term = self.product(atoms, factor.saturating_neg());
            let from = sum.unwrap_or_else(|| self.pool.int(0));
            sum = Some(self.pool.sub(from, term));
        }
        match sum {
            None => self.pool.int(constant),
            Some(sum) if constant == 0 => sum,
            Some(sum) => {
                let constant = self.pool.int(constant);
                self.pool.add(sum, constant)
            }
        }
    }

    fn product(&mut self, atoms: &[ExprId], factor: i128) -> ExprId {
        let product = atoms.iter().copied().reduce(|a, b| self.pool.mul(a, b));
        match product {
            None => self.pool.int(factor),
            Some(product) if factor == 1 => product,
            Some(product) => {
                let factor = self.pool.int(factor);
                self.pool.mul(product, factor)
            }
        }
    }

    /// The expression of a form with `lanes` lanes.
    pub(super) fn vector(&mut self, form: &Form, lanes: u32) -> ExprId {
        if lanes == 1 {
            return self.expr(form);
        }
        let lane = self.pool.var_expr(self.lane);
        let (mut base, mut stride) = (Form::default(), Form::default());
        let mut affine = !form.is_too_large();
        for (atoms, factor) in form.terms() {
            let wide = |forms: &mut Self, atom: ExprId| {
                forms.holds_vector(atom) || forms.mentions(atom, forms.lane)
            };
            match atoms.iter().position(|atom| *atom == lane) {
                Some(at) => {
                    let mut others = atoms.to_vec();
                    others.remove(at);
                    affine &= !others.iter().any(|atom| wide(self, *atom));
                    stride.push(&others, factor);
                }
                None => {
                    affine &= !atoms.iter().any(|atom| wide(self, *atom));
                    base.push(atoms, factor);
                }
            }
        }
        if affine {
            let base = self.expr(&base);
            if stride.is_zero() {
                return self.pool.expr(Expr::Broadcast { value: base, lanes });
            }
            let stride = self.expr(&stride);
            return self.pool.expr(Expr::Ramp { base, stride, lanes });
        }
        let expr = self.expr(form);
        self.widened(expr, lanes)
    }

    fn widened(&mut self, expr: ExprId, lanes: u32) -> ExprId {
        if !self.mentions(expr, self.lane) && !self.holds_vector(expr) {
            return self.pool.expr(Expr::Broadcast { value: expr, lanes });
        }
        match self.pool.get(expr).clone() {
            Expr::Var(var) if var == self.lane => {
                let (base, stride) = (self.pool.int(0), self.pool.int(1));
                self.pool.expr(Expr::Ramp { base, stride, lanes })
            }
            // A sum of atoms may have operands with one lane beside vectors.
            node @ (Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }) => {
                let wide = node.map_operands(|operand| self.widened(operand, lanes));
                self.pool.expr(wide)
            }
            node @ Expr::Load { .. } if self.pool.ty(expr).lanes == 1 => {
                let wide = node.map_operands(|operand| self.widened(operand, lanes));
                self.pool.expr(wide)
            }
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => expr,
        }
    }

    fn holds_vector(&self, expr: ExprId) -> bool {
        let mut found = false;
        self.pool.for_each_subexpr(expr, &mut |id, _| found |= self.pool.ty(id).lanes > 1);
        found
    }

    /// The variables in an expression whose names are expanded.
    pub(super) fn vars(&mut self, expr: ExprId) -> Box<[VarId]> {
        if let Some(known) = self.vars.get(&expr) {
            return known.clone();
        }
        let mut found: FxHashSet<VarId> = FxHashSet::default();
        self.pool.for_each_subexpr(expr, &mut |_, node| {
            if let Expr::Var(var) = node {
                found.insert(*var);
            }
        });
        let mut found: Vec<VarId> = found.into_iter().collect();
        found.sort_unstable();
        let found: Box<[VarId]> = found.into();
        self.vars.insert(expr, found.clone());
        found
    }

    pub(super) fn mentions(&mut self, expr: ExprId, var: VarId) -> bool {
        self.vars(expr).binary_search(&var).is_ok()
    }

    /// The number of the row of each lane, for a vector that spans several rows of `row` elements;
    /// 0 if it stays within one row.
    pub(super) fn lanes_in_rows(&mut self, form: &Form, row: i128, lanes: u32) -> Form {
        let lane = self.pool.var_expr(self.lane);
        let step = form.factor(&[lane]);
        if step <= 0 || row % step != 0 || step * i128::from(lanes) <= row {
            return Form::default();
        }
        let by = self.pool.int(row / step);
        Form::atom(self.pool.binary(BinaryOp::Div, lane, by))
    }

    /// Rewrites `x - n * (x / n)` as `x % n`.
    pub(super) fn parted(&mut self, form: &Form) -> Form {
        let mut result = form.clone();
        for (atoms, factor) in form.terms() {
            if let [atom] = *atoms
                && let Expr::Binary(BinaryOp::Div, a, b) = *self.pool.get(atom)
                && let Some(by) = self.pool.as_constant(b).and_then(Constant::as_integer)
                && let step = form.factor(&[a])
                && step != 0
                && step.checked_mul(by).and_then(|whole| whole.checked_add(factor)) == Some(0)
            {
                let rest = Form::atom(self.pool.binary(BinaryOp::Mod, a, b));
                result = result.plus(&Form::atom(a), -step).plus(&Form::atom(atom), -factor);
                result = result.plus(&rest, step);
            }
        }
        result
    }

    /// Rewrites `min(a + x, b + x) - min(a, b)` as `x`.
    pub(super) fn cancelled(&mut self, form: Form) -> Form {
        let mut result = form;
        let mut open: Vec<(i128, [Form; 2], ExprId)> = Vec::new();
        let minima: Vec<(ExprId, i128)> =
            result.terms().filter_map(|(atoms, by)| Some((*atoms.first()?, by))).collect();
        for (atom, factor) in minima {
            let Expr::Binary(BinaryOp::Min, a, b) = *self.pool.get(atom) else { continue };
            if result.factor(&[atom]) != factor {
                continue;
            }
            let [a, b] = [a, b].map(|part| self.form(part));
            let opposite = open.iter().position(|(other, [c, d], _)| {
                let apart = [a.clone().minus(c), b.clone().minus(d)];
                let across = [a.clone().minus(d), b.clone().minus(c)];
                other.checked_neg() == Some(factor)
                    && (apart[0] == apart[1] || across[0] == across[1])
            });
            let Some(opposite) = opposite else {
                open.push((factor, [a, b], atom));
                continue;
            };
            let (_, [c, d], other) = open.swap_remove(opposite);
            let across = a.clone().minus(&d);
            let apart = if across == b.minus(&c) { across } else { a.minus(&c) };
            result = result.plus(&Form::atom(atom), -factor).plus(&Form::atom(other), factor);
            result = result.plus(&apart, factor);
        }
        result
    }

    /// Rewrites `n * (x / n) + x % n` as `x`.
    pub(super) fn joined(&mut self, form: &Form) -> Form {
        let mut result = self.cancelled(form.clone());
        for (atoms, factor) in form.terms() {
            if let [atom] = *atoms
                && let Expr::Binary(BinaryOp::Mod, a, b) = *self.pool.get(atom)
                && let Some(by) = self.pool.as_constant(b).and_then(Constant::as_integer)
                && let Some(whole_factor) = factor.checked_mul(by).filter(|by| *by != 0)
            {
                let whole = self.pool.binary(BinaryOp::Div, a, b);
                if form.factor(&[whole]) == whole_factor {
                    let operand = self.form(a);
                    result = result.plus(&Form::atom(atom), -factor);
                    result = result.plus(&Form::atom(whole), -whole_factor).plus(&operand, factor);
                }
            }
        }
        result
    }

    /// The variable, if the atom is one.
    pub(super) fn as_variable(&self, atom: ExprId) -> Option<VarId> {
        if let Expr::Var(var) = self.pool.get(atom) { Some(*var) } else { None }
    }

    /// Tests whether a variable occurs inside a larger atom of a form.
    pub(super) fn clamps(&mut self, form: &Form, var: VarId) -> bool {
        let atoms = form.terms().flat_map(|(atoms, _)| atoms.iter().copied());
        let atoms: Vec<ExprId> = atoms.collect();
        atoms.into_iter().any(|atom| self.as_variable(atom).is_none() && self.mentions(atom, var))
    }

    /// The variables in a form.
    pub(super) fn form_vars(&mut self, form: &Form) -> IndexSet<VarId> {
        let mut found = IndexSet::default();
        for (atoms, _) in form.terms() {
            for atom in atoms {
                found.extend(self.vars(*atom).iter().copied());
            }
        }
        found
    }

    pub(super) fn depends(&mut self, form: &Form, var: VarId) -> bool {
        form.terms().any(|(atoms, _)| atoms.iter().any(|atom| self.mentions(*atom, var)))
    }

    /// A form with values substituted for variables.
    pub(super) fn replaced(&mut self, form: &Form, env: &mut Env) -> Form {
        let mut result = if form.is_too_large() { form.clone() } else { Form::default() };
        for (atoms, factor) in form.terms() {
            let mut product = Form::constant(factor);
            for atom in atoms {
                let value = self.form_in(*atom, env);
                product = product.times(&value);
            }
            result = result.plus(&product, 1);
        }
        result
    }

    /// The value of a form in the first lane and the first iterations of loops that count from 0.
    pub(super) fn at_first(&mut self, form: &Form) -> Form {
        let mut vars = self.form_vars(form);
        vars.retain(|var| *var == self.lane || self.loops.contains(var));
        let mut env = Env::of(vars.into_iter().map(|var| (var, Form::default())));
        self.replaced(form, &mut env)
    }

    /// The least and the greatest value of a form at the sampled points, if it has one at each.
    pub(super) fn span(&mut self, form: &Form) -> Option<(i128, i128)> {
        self.samples.span(self.pool, form)
    }

    /// The factor of a variable and the rest, if the form is affine in the variable.
    pub(super) fn affine(&mut self, form: &Form, var: VarId) -> Option<(Form, Form)> {
        if form.is_too_large() {
            return None;
        }
        let atom = self.pool.var_expr(var);
        let (mut factor, mut rest) = (Form::default(), Form::default());
        for (atoms, by) in form.terms() {
            let others = match atoms.iter().position(|other| *other == atom) {
                Some(at) => {
                    let mut others = atoms.to_vec();
                    others.remove(at);
                    factor.push(&others, by);
                    others
                }
                None => {
                    rest.push(atoms, by);
                    atoms.to_vec()
                }
            };
            if others.iter().any(|other| self.mentions(*other, var)) {
                return None;
            }
        }
        Some((factor, rest))
    }
}

#[cfg(test)]
mod tests {
    use halidom_ir::{BinaryOp, Pool, Type};

    use super::Forms;

    /// Each step looks for minima that cancel, for which it needs the forms of their operands. If
    /// these were found anew each time, twice the length would square the time.
    #[test]
    fn a_chain_of_minima_has_a_form_whatever_its_length() {
        let mut pool = Pool::new();
        let [x, y] = ["x", "y"].map(|name| {
            let var = pool.declare_var(name, Type::INT);
            pool.var_expr(var)
        });
        let mut chain = x;
        for step in 1..64 {
            let step = pool.int(step);
            let raised = pool.add(chain, step);
            let least = pool.binary(BinaryOp::Min, raised, y);
            chain = pool.sub(least, x);
        }
        let mut forms = Forms::new(&mut pool);
        assert!(!forms.form(chain).is_too_large());
    }
}
