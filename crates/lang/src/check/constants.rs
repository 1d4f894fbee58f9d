//! Compile-time values: parameters of pipelines and schedules, indices of arrays of funcs, and
//! arithmetic on them.
//!
//! The name of such a number stands for the number as if it were written there, so it takes any
//! type that the number fits.

use halidom_diag::Span;
use halidom_ir::Scalar;

use crate::codes;
use crate::syntax::ast::{Argument, BinaryOp, ConstantParam, Expr, ExprKind, Range, UnaryOp};

use super::scope::{Binding, Checker, Frame, FrameArgument, Value};

/// A value that is known at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Number(i128),
    Truth(bool),
}

/// The names in scope of an expression.
#[derive(Clone, Copy)]
pub(super) struct Names<'c, 'a, 's> {
    frame: Option<&'c Frame<'a, 's>>,
    own: &'c [Binding<'s>],
    /// The names of a generic function's caller.
    caller: &'c [Binding<'s>],
}

impl<'a, 's> Names<'_, 'a, 's> {
    /// Resolves a name to a value in scope, or to an argument and the caller's names.
    fn find(&self, name: &str) -> Option<Result<Value, (&'a Expr<'s>, Self)>> {
        if let Some(binding) = self.own.iter().rev().find(|binding| binding.name.text == name) {
            return Some(Ok(binding.value));
        }
        match self.frame?.arguments.get(name)? {
            FrameArgument::Value(value) => {
                Some(Err((value, Names { frame: None, own: self.caller, caller: &[] })))
            }
            FrameArgument::Callable(_) | FrameArgument::Region(_) => None,
        }
    }
}

impl<'a, 's> Checker<'a, 's> {
    /// Returns the names in scope here.
    pub(super) fn names(&self) -> Names<'_, 'a, 's> {
        let frame = self.scope.frame.as_ref();
        let (caller, own) = self.scope.bindings.split_at(frame.map_or(0, |frame| frame.base));
        Names { frame, own, caller }
    }

    /// Puts compile-time parameters in scope.
    pub(super) fn bind_constants(&mut self, constants: &[ConstantParam<'s>]) {
        for constant in constants {
            self.bind(constant.name, Value::Constant(constant.value));
        }
    }

    /// Returns the value of an expression that mentions a compile-time name and otherwise consists
    /// only of such names and literals.
    pub(super) fn compile_time(&self, expr: &Expr<'s>) -> Option<Known> {
        let mut mentions = false;
        let value = known(expr, self.names(), &mut mentions)?;
        mentions.then_some(value)
    }

    /// Returns the value of an expression, if it is a number that is known at compile time.
    pub(super) fn number_of(&self, expr: &Expr<'s>) -> Option<i128> {
        match known(expr, self.names(), &mut false)? {
            Known::Number(value) => Some(value),
            Known::Truth(_) => None,
        }
    }

    /// Checks a number that must be known at compile time.
    pub(super) fn constant_number(&mut self, expr: &'a Expr<'s>) -> Option<i128> {
        if let Some(number) = self.number_of(expr) {
            return Some(number);
        }
        // An unknown name is reported as such.
        let before = self.diagnostics.len();
        self.infer(expr, Some(Scalar::Int))?;
        if self.diagnostics.len() > before {
            return None;
        }
        self.fail_with_hint(
            codes::NOT_CONSTANT,
            expr.span,
            "this number must be known at compile time",
            "use literals, indices of arrays, and parameters `<name: number>` of the pipeline",
        )
    }

    /// Returns the numbers of a range, if they are few enough to be expanded one by one.
    pub(super) fn constant_range(
        &mut self,
        range: &'a Range<'s>,
        span: Span,
    ) -> Option<std::ops::Range<i128>> {
        const MOST: i128 = 256;
        let min = self.constant_number(&range.min);
        let end = self.constant_number(&range.end);
        let (min, end) = (min?, end?);
        if end.checked_sub(min).is_none_or(|extent| extent > MOST) {
            let message = format!("a range of more than {MOST} numbers is not written out");
            return self.fail(codes::TOO_MANY, span, message);
        }
        Some(min..end)
    }

    /// Returns the arguments of a `select` that can matter. Conditions that are known to be false
    /// are left out, and a condition that is known to be true ends the list. The result has
    /// positions in the argument list, of conditions and values alternately, with the
    /// otherwise-value last.
    pub(super) fn live_arms(&self, arguments: &[Argument<'s>]) -> Vec<usize> {
        live_arms(arguments, self.names())
    }
}

fn live_arms<'s>(arguments: &[Argument<'s>], names: Names<'_, '_, 's>) -> Vec<usize> {
    let is_select = arguments.len() >= 3 && !arguments.len().is_multiple_of(2);
    if !is_select || arguments.iter().any(|argument| argument.expanded) {
        return (0..arguments.len()).collect();
    }
    let mut live = Vec::new();
    for position in (0..arguments.len() - 1).step_by(2) {
        let mut mentions = false;
        match known(&arguments[position].value, names, &mut mentions) {
            Some(Known::Truth(true)) if mentions => {
                live.push(position + 1);
                return live;
            }
            Some(Known::Truth(false)) if mentions => {}
            Some(Known::Truth(_) | Known::Number(_)) | None => {
                live.extend([position, position + 1]);
            }
        }
    }
    live.push(arguments.len() - 1);
    live
}

/// True if an expression consists of literals only, so that its type follows from the context.
pub(super) fn is_flexible<'s>(expr: &Expr<'s>, names: Names<'_, '_, 's>) -> bool {
    match &expr.kind {
        ExprKind::Integer(_) | ExprKind::Float(_) => true,
        ExprKind::Unary(op, operand) => *op != UnaryOp::Not && is_flexible(operand, names),
        ExprKind::Binary(op, lhs, rhs) => {
            is_arithmetic(*op) && is_flexible(lhs, names) && is_flexible(rhs, names)
        }
        ExprKind::Call { callee, arguments, .. } if callee.text == "select" => {
            let live = live_arms(arguments, names);
            live.len() % 2 == 1
                && live.iter().enumerate().all(|(turn, position)| {
                    (turn % 2 == 0 && turn + 1 < live.len())
                        || is_flexible(&arguments[*position].value, names)
                })
        }
        ExprKind::Call { callee, arguments, .. } => {
            matches!(callee.text, "min" | "max" | "clamp" | "abs" | "likely")
                && !arguments.is_empty()
                && arguments.iter().all(|argument| is_flexible(&argument.value, names))
        }
        ExprKind::Name(name) => match names.find(name) {
            Some(Ok(Value::Constant(_))) => true,
            Some(Err((argument, names))) => is_flexible(argument, names),
            Some(Ok(Value::Expr(_) | Value::Tuple(_) | Value::Bad)) | None => false,
        },
        ExprKind::Bool(_)
        | ExprKind::Element { .. }
        | ExprKind::Member { .. }
        | ExprKind::Reduction { .. }
        | ExprKind::Block { .. }
        | ExprKind::Tuple(_)
        | ExprKind::Component { .. } => false,
    }
}

/// True if a flexible expression contains a literal with a decimal point or exponent.
pub(super) fn has_float_literal<'s>(expr: &Expr<'s>, names: Names<'_, '_, 's>) -> bool {
    match &expr.kind {
        ExprKind::Float(_) => true,
        ExprKind::Unary(_, operand) => has_float_literal(operand, names),
        ExprKind::Binary(_, lhs, rhs) => {
            has_float_literal(lhs, names) || has_float_literal(rhs, names)
        }
        ExprKind::Call { arguments, .. } => {
            arguments.iter().any(|argument| has_float_literal(&argument.value, names))
        }
        ExprKind::Name(name) => match names.find(name) {
            Some(Err((argument, names))) => has_float_literal(argument, names),
            Some(Ok(_)) | None => false,
        },
        ExprKind::Integer(_)
        | ExprKind::Bool(_)
        | ExprKind::Element { .. }
        | ExprKind::Member { .. }
        | ExprKind::Reduction { .. }
        | ExprKind::Block { .. }
        | ExprKind::Tuple(_)
        | ExprKind::Component { .. } => false,
    }
}

/// Returns the value of an expression of literals and compile-time names, and sets `mentions` if it
/// has such a name. `None` also if a result overflows 128 bits.
fn known<'s>(expr: &Expr<'s>, names: Names<'_, '_, 's>, mentions: &mut bool) -> Option<Known> {
    let mut number = |expr: &Expr<'s>| match known(expr, names, mentions)? {
        Known::Number(value) => Some(value),
        Known::Truth(_) => None,
    };
    match &expr.kind {
        ExprKind::Integer(value) => Some(Known::Number(*value)),
        ExprKind::Bool(value) => Some(Known::Truth(*value)),
        ExprKind::Name(name) => match names.find(name)? {
            Ok(Value::Constant(value)) => {
                *mentions = true;
                Some(Known::Number(value))
            }
            Ok(Value::Expr(_) | Value::Tuple(_) | Value::Bad) => None,
            Err((argument, names)) => known(argument, names, mentions),
        },
        ExprKind::Unary(UnaryOp::Neg, operand) => number(operand)?.checked_neg().map(Known::Number),
        ExprKind::Unary(UnaryOp::Not, operand) => match known(operand, names, mentions)? {
            Known::Truth(value) => Some(Known::Truth(!value)),
            Known::Number(_) => None,
        },
        ExprKind::Unary(UnaryOp::Complement, _) => None,
        ExprKind::Binary(op, lhs, rhs) => {
            let lhs = known(lhs, names, mentions)?;
            combine(*op, lhs, known(rhs, names, mentions)?)
        }
        ExprKind::Call { callee, element: None, arguments } => {
            if callee.text == "select" {
                let live = live_arms(arguments, names);
                let ([position], [_, _, ..]) = (live.as_slice(), arguments.as_slice()) else {
                    return None;
                };
                *mentions = true;
                return known(&arguments[*position].value, names, mentions);
            }
            if !matches!(callee.text, "min" | "max" | "clamp" | "abs") {
                return None;
            }
            // An argument with `..` stands for several, which are not known here.
            if arguments.iter().any(|argument| argument.expanded) {
                return None;
            }
            let mut values = Vec::with_capacity(arguments.len());
            for argument in arguments {
                values.push(number(&argument.value)?);
            }
            match (callee.text, values.as_slice()) {
                ("min", [_, _, ..]) => values.into_iter().min().map(Known::Number),
                ("max", [_, _, ..]) => values.into_iter().max().map(Known::Number),
                ("clamp", [value, low, high]) => Some(Known::Number((*value).min(*high).max(*low))),
                ("abs", [value]) => value.checked_abs().map(Known::Number),
                _ => None,
            }
        }
        ExprKind::Float(_)
        | ExprKind::Element { .. }
        | ExprKind::Call { .. }
        | ExprKind::Member { .. }
        | ExprKind::Reduction { .. }
        | ExprKind::Block { .. }
        | ExprKind::Tuple(_)
        | ExprKind::Component { .. } => None,
    }
}

/// Computes exact integer arithmetic, with the language's division.
fn combine(op: BinaryOp, lhs: Known, rhs: Known) -> Option<Known> {
    let (a, b) = match (lhs, rhs) {
        (Known::Number(a), Known::Number(b)) => (a, b),
        (Known::Truth(a), Known::Truth(b)) => {
            return match op {
                BinaryOp::And => Some(Known::Truth(a && b)),
                BinaryOp::Or => Some(Known::Truth(a || b)),
                BinaryOp::Equal => Some(Known::Truth(a == b)),
                BinaryOp::NotEqual => Some(Known::Truth(a != b)),
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Div
                | BinaryOp::Mod
                | BinaryOp::ShiftLeft
                | BinaryOp::ShiftRight
                | BinaryOp::BitAnd
                | BinaryOp::BitXor
                | BinaryOp::BitOr
                | BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual => None,
            };
        }
        (Known::Number(_), Known::Truth(_)) | (Known::Truth(_), Known::Number(_)) => return None,
    };
    let number = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div if b == 0 => Some(0),
        BinaryOp::Mod if b == 0 => Some(0),
        BinaryOp::Div => a.checked_div_euclid(b),
        BinaryOp::Mod => a.checked_rem_euclid(b),
        BinaryOp::ShiftLeft if (0..64).contains(&b) => a.checked_mul(1 << b),
        BinaryOp::ShiftRight if (0..64).contains(&b) => Some(a >> b),
        BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight
        | BinaryOp::BitAnd
        | BinaryOp::BitXor
        | BinaryOp::BitOr
        | BinaryOp::And
        | BinaryOp::Or => None,
        BinaryOp::Equal => return Some(Known::Truth(a == b)),
        BinaryOp::NotEqual => return Some(Known::Truth(a != b)),
        BinaryOp::Less => return Some(Known::Truth(a < b)),
        BinaryOp::LessEqual => return Some(Known::Truth(a <= b)),
        BinaryOp::Greater => return Some(Known::Truth(a > b)),
        BinaryOp::GreaterEqual => return Some(Known::Truth(a >= b)),
    };
    number.map(Known::Number)
}

/// True for `+ - * / %` and the operators on bits.
fn is_arithmetic(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight
        | BinaryOp::BitAnd
        | BinaryOp::BitXor
        | BinaryOp::BitOr => true,
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual
        | BinaryOp::And
        | BinaryOp::Or => false,
    }
}
