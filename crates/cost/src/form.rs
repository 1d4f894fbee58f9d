//! Expressions at numbers: the range of an expression for ranges of its variables.
//!
//! Ranges are pairs of floats. They are exact for integers below 2^53.

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Intrinsic, Pool, Scalar, UnaryOp, VarId};

/// A closed range of numbers.
pub(crate) type Range = (f64, f64);

/// A range about which nothing is known.
const ANY: Range = (f64::NEG_INFINITY, f64::INFINITY);

/// The values of the variables that are known at the start.
pub type Known = FxHashMap<VarId, Constant>;

/// An expression over the variables of a stage, which are numbered.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// A sum of multiples of variables, and a number.
    Sum(Vec<(usize, f64)>, f64),
    /// A value whose range alone is known.
    Within(Range),
    /// An operator on two forms.
    Two(Operator, Box<Form>, Box<Form>),
    /// The greatest integer that is not above the form.
    Floor(Box<Form>),
}

/// An operator of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Mul,
    Div,
    FloorDiv,
    Mod,
    Min,
    Max,
    /// Either of the two.
    Either,
}

/// Reads expressions as forms.
pub(crate) struct Reader<'r> {
    pub(crate) pool: &'r Pool,
    pub(crate) known: &'r Known,
    /// The numbers of the stage's variables.
    pub(crate) slots: &'r FxHashMap<VarId, usize>,
}

impl Reader<'_> {
    /// Returns an expression as a form.
    pub(crate) fn form(&self, expr: ExprId) -> Form {
        match self.pool.get(expr) {
            Expr::Const(constant) => number(*constant).map_or(Form::Within(ANY), constant_form),
            Expr::Var(var) => match self.slots.get(var) {
                Some(slot) => Form::Sum(vec![(*slot, 1.0)], 0.0),
                None => {
                    let value = self.known.get(var).copied().and_then(number);
                    value.map_or(Form::Within(ANY), constant_form)
                }
            },
            Expr::Unary(UnaryOp::Neg(_), operand) => {
                two(Operator::Mul, self.form(*operand), constant_form(-1.0))
            }
            Expr::Binary(op, lhs, rhs) => self.binary(expr, *op, *lhs, *rhs),
            Expr::Select { if_true, if_false, .. } => {
                two(Operator::Either, self.form(*if_true), self.form(*if_false))
            }
            Expr::Cast(scalar, operand) => {
                let own = self.form(*operand);
                let from = self.pool.ty(*operand).scalar;
                if from.is_float() && !scalar.is_float() {
                    return Form::Floor(Box::new(own));
                }
                let bounded = matches!(&own, Form::Within(range) if *range == ANY);
                if bounded { Form::Within(range_of(*scalar)) } else { own }
            }
            Expr::Call(Intrinsic::Floor, operand) => Form::Floor(Box::new(self.form(*operand))),
            Expr::Unary(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => Form::Within(range_of(self.pool.ty(expr).scalar)),
        }
    }

    fn binary(&self, expr: ExprId, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Form {
        let is_float = self.pool.ty(expr).scalar.is_float();
        let operator = match op {
            BinaryOp::Add(_) => Operator::Add,
            BinaryOp::Sub(_) => {
                let negative = two(Operator::Mul, self.form(rhs), constant_form(-1.0));
                return two(Operator::Add, self.form(lhs), negative);
            }
            BinaryOp::Mul(_) => Operator::Mul,
            BinaryOp::Div if is_float => Operator::Div,
            BinaryOp::Div => Operator::FloorDiv,
            BinaryOp::Mod => Operator::Mod,
            BinaryOp::Min => Operator::Min,
            BinaryOp::Max => Operator::Max,
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
            | BinaryOp::Ge => return Form::Within(range_of(self.pool.ty(expr).scalar)),
        };
        two(operator, self.form(lhs), self.form(rhs))
    }
}

/// Returns a constant as a number.
pub(crate) fn number(constant: Constant) -> Option<f64> {
    let integer = constant.as_integer().map(|value| value as f64);
    let truth = constant.as_bool().map(|value| f64::from(u8::from(value)));
    integer.or(constant.as_f32().map(f64::from)).or(constant.as_f64()).or(truth)
}

fn constant_form(value: f64) -> Form {
    Form::Sum(Vec::new(), value)
}

fn range_of(scalar: Scalar) -> Range {
    match scalar.range() {
        Some((least, most)) => (least as f64, most as f64),
        None => ANY,
    }
}

fn two(operator: Operator, lhs: Form, rhs: Form) -> Form {
    match (operator, lhs, rhs) {
        (Operator::Add, Form::Sum(mut terms, a), Form::Sum(others, b)) => {
            for (slot, factor) in others {
                match terms.iter_mut().find(|(known, _)| *known == slot) {
                    Some((_, sum)) => *sum += factor,
                    None => terms.push((slot, factor)),
                }
            }
            terms.retain(|(_, factor)| *factor != 0.0);
            Form::Sum(terms, a + b)
        }
        (Operator::Mul, Form::Sum(terms, a), Form::Sum(none, b))
        | (Operator::Mul, Form::Sum(none, b), Form::Sum(terms, a))
            if none.is_empty() =>
        {
            let scaled = terms.into_iter().map(|(slot, factor)| (slot, factor * b));
            Form::Sum(scaled.filter(|(_, factor)| *factor != 0.0).collect(), a * b)
        }
        (Operator::Div, Form::Sum(terms, a), Form::Sum(none, b)) if none.is_empty() && b != 0.0 => {
            Form::Sum(terms.into_iter().map(|(slot, factor)| (slot, factor / b)).collect(), a / b)
        }
        (operator, lhs, rhs) => {
            let form = Form::Two(operator, Box::new(lhs), Box::new(rhs));
            if form.is_constant() {
                let (least, most) = form.range(&[]);
                if most - least <= 0.0 { constant_form(least) } else { Form::Within((least, most)) }
            } else {
                form
            }
        }
    }
}

impl Form {
    fn is_constant(&self) -> bool {
        match self {
            Self::Sum(terms, _) => terms.is_empty(),
            Self::Within(_) => true,
            Self::Two(_, lhs, rhs) => lhs.is_constant() && rhs.is_constant(),
            Self::Floor(operand) => operand.is_constant(),
        }
    }

    /// Returns the range of the form's values.
    pub(crate) fn range(&self, vars: &[Range]) -> Range {
        match self {
            Self::Sum(terms, number) => {
                let (mut least, mut most) = (*number, *number);
                for (slot, factor) in terms {
                    let (from, to) = vars.get(*slot).copied().unwrap_or(ANY);
                    let (from, to) = (times(*factor, from), times(*factor, to));
                    least += from.min(to);
                    most += from.max(to);
                }
                (least, most)
            }
            Self::Within(range) => *range,
            Self::Floor(operand) => {
                let (least, most) = operand.range(vars);
                (least.floor(), most.floor())
            }
            Self::Two(operator, lhs, rhs) => combined(*operator, lhs.range(vars), rhs.range(vars)),
        }
    }
}

fn combined(operator: Operator, (a, b): Range, (c, d): Range) -> Range {
    let corners = |apply: &dyn Fn(f64, f64) -> f64| {
        let all = [apply(a, c), apply(a, d), apply(b, c), apply(b, d)];
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        (least, all.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    match operator {
        Operator::Add => (a + c, b + d),
        Operator::Mul => corners(&times),
        Operator::Div | Operator::FloorDiv if c <= 0.0 && d >= 0.0 => ANY,
        Operator::Div => corners(&|x, y| x / y),
        Operator::FloorDiv => corners(&|x, y| (x / y).floor()),
        Operator::Mod => {
            let whole = (b / d).floor() - (a / d).floor() <= 0.0;
            if d - c <= 0.0 && c > 0.0 && whole && a.is_finite() {
                (a.rem_euclid(d), b.rem_euclid(d))
            } else {
                (0.0, (d - 1.0).max(0.0))
            }
        }
        Operator::Min => (a.min(c), b.min(d)),
        Operator::Max => (a.max(c), b.max(d)),
        Operator::Either => (a.min(c), b.max(d)),
    }
}

/// A product in which zero times infinity is zero.
fn times(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}
