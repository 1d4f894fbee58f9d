//! Checks expressions: from the syntax tree to typed expressions of the pool.

use halidom_diag::{Diagnostic, Fix, Remedy, Span};
use halidom_ir::{BinaryOp as IrOp, Constant, ExprId, Scalar, UnaryOp as IrUnaryOp};

use crate::codes;
use crate::syntax::ast::{Argument, BinaryOp, Expr, ExprKind, Let, Name, UnaryOp};
use crate::syntax::{count, given};

use super::casts::Operand;
use super::constants::Known;
use super::scope::{Callable, Checker, FrameArgument, Role, Value};

const INPUT_MEMBERS: &str = "inputs have `min(k)`, `extent(k)`, `width`, `height` and `channels`";
const REGION_MEMBERS: &str = "within an expansion a region has `min` and `extent`";

impl<'a, 's> Checker<'a, 's> {
    /// Checks an expression and infers its type from its parts; `hint` is only for its literals.
    /// `None` after an error, which was reported.
    pub(super) fn infer(&mut self, expr: &'a Expr<'s>, hint: Option<Scalar>) -> Option<ExprId> {
        let values = self.values(expr, hint.as_slice())?;
        self.single(&values, expr.span)
    }

    /// Checks an expression that may be a tuple, like `infer`: returns one value for each
    /// component. `hints` are the types expected of them; empty if nothing is expected.
    pub(super) fn values(&mut self, expr: &'a Expr<'s>, hints: &[Scalar]) -> Option<Vec<ExprId>> {
        let hint = if let [hint] = hints { Some(*hint) } else { None };
        // With a float expected, `/` divides floats, but no float has these operators.
        let is_float = hint.is_some_and(Scalar::is_float);
        let is_operation = matches!(
            expr.kind,
            ExprKind::Binary(BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::Mod, ..)
        ) || (!is_float
            && matches!(
                expr.kind,
                ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Call { .. }
            ));
        if is_operation {
            match self.compile_time(expr) {
                Some(Known::Number(value)) => {
                    return self.integer_literal(value, hint, expr.span).map(|id| vec![id]);
                }
                Some(Known::Truth(value)) => {
                    return Some(vec![self.pool.constant(Constant::bool(value))]);
                }
                None => {}
            }
        }
        let value = match &expr.kind {
            ExprKind::Integer(value) => self.integer_literal(*value, hint, expr.span),
            ExprKind::Float(text) => self.float_literal(text, false, hint, expr.span),
            ExprKind::Bool(value) => Some(self.pool.constant(Constant::bool(*value))),
            ExprKind::Name(text) => return self.name(Name { text, span: expr.span }, hints),
            ExprKind::Element { array, index } => match self.resolve_func(*array, Some(index)) {
                Ok(_) => self.fail_with_hint(
                    codes::WRONG_KIND,
                    expr.span,
                    format!("an element of `{}` is a func, not a value", array.text),
                    format!("write its coordinates: `{}[…](…)`", array.text),
                ),
                Err(()) => None,
            },
            ExprKind::Call { callee, arguments, .. }
                if callee.text == "select" && self.is_tuple(expr) =>
            {
                return self.select_tuples(arguments, expr.span, hints);
            }
            ExprKind::Call { callee, element, arguments } => {
                return self.call(*callee, element.as_deref(), arguments, expr.span, hint);
            }
            ExprKind::Member { object, element, member, index } => {
                self.member(*object, element.as_deref(), *member, index.as_deref())
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand, expr.span, hint),
            ExprKind::Binary(op, lhs, rhs) => self.binary(*op, lhs, rhs, expr.span, hint),
            ExprKind::Reduction { op, domain, value } => {
                return self.reduction(*op, domain, value, expr.span, hint);
            }
            ExprKind::Block { lets, value } => {
                let outside = self.scope.bindings.len();
                for binding in lets {
                    self.let_binding(binding);
                }
                let values = self.values(value, hints);
                self.scope.bindings.truncate(outside);
                return values;
            }
            ExprKind::Tuple(parts) => return self.tuple(parts, hints),
            ExprKind::Component { tuple, number } => self.component(tuple, *number, expr.span),
        };
        value.map(|id| vec![id])
    }

    pub(super) fn let_binding(&mut self, binding: &'a Let<'s>) {
        if binding.ty.is_none()
            && let Some(Known::Number(value)) = self.compile_time(&binding.value)
        {
            return self.bind(binding.name, Value::Constant(value));
        }
        let values = match &binding.ty {
            Some((scalars, _)) => self.check_values(&binding.value, scalars),
            None => self.values(&binding.value, &[]),
        };
        let values = values.and_then(|values| self.limit_depths(values, binding.value.span));
        let value = self.binding_of(values);
        self.bind(binding.name, value);
    }

    /// Checks an operand, which may come from an expansion.
    pub(super) fn infer_operand(
        &mut self,
        operand: Operand<'a, 's>,
        hint: Option<Scalar>,
    ) -> Option<ExprId> {
        let Some(member) = operand.member else {
            return self.infer(operand.expr, hint);
        };
        let outer = self.set_member(Some(member));
        let id = self.infer(operand.expr, hint);
        self.set_member(outer);
        id
    }

    /// Expands the arguments of a call: those with `..` once for each member of the pack.
    pub(super) fn expand(&mut self, arguments: &'a [Argument<'s>]) -> Option<Vec<Operand<'a, 's>>> {
        let mut operands = Vec::with_capacity(arguments.len());
        for argument in arguments {
            if !argument.expanded {
                operands.push(Operand::plain(&argument.value));
                continue;
            }
            let members = self.pack_length();
            let Some(members) = members else {
                return self.fail_with_hint(
                    codes::PACK,
                    argument.value.span,
                    "there is no pack of variables to expand",
                    "`..` stands behind an argument in a `fn` whose func has variables `x..`",
                );
            };
            operands.extend(
                (0..members).map(|member| Operand { expr: &argument.value, member: Some(member) }),
            );
        }
        Some(operands)
    }

    fn name(&mut self, name: Name<'s>, hints: &[Scalar]) -> Option<Vec<ExprId>> {
        let hint = if let [hint] = hints { Some(*hint) } else { None };
        if let Some(binding) = self.find_binding(name.text) {
            return match binding.value {
                Value::Expr(id) => Some(vec![id]),
                Value::Tuple(number) => Some(self.scope.tuples[number].clone()),
                Value::Constant(value) => {
                    self.integer_literal(value, hint, name.span).map(|id| vec![id])
                }
                Value::Bad => None,
            };
        }
        match self.frame_argument(name.text) {
            Some(FrameArgument::Value(value)) => {
                self.in_caller(|checker| checker.values(value, hints))
            }
            Some(FrameArgument::Callable(_)) => self.unknown(name, Role::Value),
            Some(FrameArgument::Region(_)) => self.fail_with_hint(
                codes::WRONG_KIND,
                name.span,
                format!("`{}` is a region, not a value", name.text),
                format!("use `{0}.min` and `{0}.extent`", name.text),
            ),
            None => match self.pack_member(name) {
                Some(member) => member.map(|id| vec![id]),
                None => self.unknown(name, Role::Value),
            },
        }
    }

    /// Checks a call: a func, an input, a built-in function or a cast.
    fn call(
        &mut self,
        callee: Name<'s>,
        element: Option<&'a Expr<'s>>,
        arguments: &'a [Argument<'s>],
        span: Span,
        hint: Option<Scalar>,
    ) -> Option<Vec<ExprId>> {
        let is_current = self.is_first_stage_of(callee, element);
        let callable = if is_current { None } else { self.resolve_func(callee, element).ok()? };
        if is_current || callable.is_some() {
            // Arguments are checked even if the func has an error.
            let operands = self.expand(arguments)?;
            let coords: Vec<Option<ExprId>> = operands
                .iter()
                .map(|operand| {
                    let id = self.infer_operand(*operand, Some(Scalar::Int))?;
                    self.coerce(id, Scalar::Int, operand.expr.span)
                })
                .collect();
            if is_current {
                return self.fail_with_hint(
                    codes::SELF_REFERENCE,
                    callee.span,
                    format!("the first stage of `{}` refers to `{0}`", callee.text),
                    "the first stage is pure; refer to the func in an update, after it",
                );
            }
            let func = match callable?.0 {
                Callable::Input { func, .. } | Callable::Func(func) => func,
                Callable::Bad => return None,
            };
            let rank = self.pool.func(func).rank();
            if rank != coords.len() {
                let message = format!(
                    "`{}` has {}, but {}",
                    callee.text,
                    count(rank, "dimension"),
                    given(coords.len(), "coordinate")
                );
                return self.fail(codes::ARITY, span, message);
            }
            let coords: Vec<ExprId> = coords.into_iter().collect::<Option<_>>()?;
            let spans: Vec<Span> = operands.iter().map(|operand| operand.expr.span).collect();
            let mut values = Vec::new();
            for component in 0..self.pool.func(func).scalars.len() {
                let id = self.pool.func_ref(func, component, coords.clone());
                self.scope.reference_spans.entry(id).or_insert((span, spans.clone()));
                values.push(id);
            }
            return Some(values);
        }
        if let Some(to) = Scalar::from_name(callee.text) {
            let [Argument { value, expanded: false }] = arguments else {
                let message = format!("`{to}(…)` converts one value");
                return self.fail(codes::ARGUMENT_COUNT, span, message);
            };
            return self.cast_call(to, value).map(|id| vec![id]);
        }
        self.builtin(callee, arguments, span, hint).map(|id| vec![id])
    }

    /// Checks `input.extent(0)` and the other properties.
    fn member(
        &mut self,
        object: Name<'s>,
        element: Option<&'a Expr<'s>>,
        member: Name<'s>,
        index: Option<&'a [Expr<'s>]>,
    ) -> Option<ExprId> {
        if let Some(FrameArgument::Region(dims)) = self.frame_argument(object.text) {
            return self.dimension(object, &dims, member, index, "regions", REGION_MEMBERS);
        }
        let bounds = match self.resolve_func(object, element).ok()?.map(|(callable, _)| callable) {
            Some(Callable::Input { bounds, .. }) => bounds,
            Some(Callable::Bad) => return None,
            Some(Callable::Func(func)) => {
                let name = &self.pool.func(func).name;
                let message =
                    format!("`{name}` is a func: it is defined everywhere and has no bounds");
                return self.fail_with_hint(
                    codes::NO_BOUNDS,
                    object.span,
                    message,
                    "only inputs have bounds; use those of the input, or a parameter",
                );
            }
            None => {
                if self.scope.outputs.contains_key(object.text) {
                    return self.fail_with_hint(
                        codes::NO_BOUNDS,
                        object.span,
                        format!(
                            "the bounds of the output `{}` are the caller's choice",
                            object.text
                        ),
                        "only inputs have bounds; use those of an input, or a parameter",
                    );
                }
                return self.unknown(object, Role::Func);
            }
        };
        let dims: Vec<(ExprId, ExprId)> = bounds
            .iter()
            .map(|(min, extent)| (self.pool.var_expr(*min), self.pool.var_expr(*extent)))
            .collect();
        self.dimension(object, &dims, member, index, "inputs", INPUT_MEMBERS)
    }

    /// Checks a property of the dimensions of an input or a region.
    fn dimension(
        &mut self,
        object: Name<'s>,
        dims: &[(ExprId, ExprId)],
        member: Name<'s>,
        index: Option<&'a [Expr<'s>]>,
        what: &str,
        members: &str,
    ) -> Option<ExprId> {
        let span = object.span.to(member.span);
        let number = match index {
            Some([index]) => self.number_of(index),
            Some(_) | None => None,
        };
        let (is_min, dim) = match (member.text, index) {
            ("width", None) => (false, 0),
            ("height", None) => (false, 1),
            ("channels", None) => (false, 2),
            ("min" | "extent", None) => (member.text == "min", self.pack_dimension(member)?),
            ("min" | "extent", Some(_)) if number.is_some() => {
                let dim = number.and_then(|dim| usize::try_from(dim).ok());
                (member.text == "min", dim.unwrap_or(usize::MAX))
            }
            ("min" | "extent", Some(_)) => {
                return self.fail_with_hint(
                    codes::UNKNOWN_MEMBER,
                    span,
                    format!("`{}` takes the number of a dimension", member.text),
                    Remedy::with_fix(
                        format!("write `{}.{}(0)` for the first", object.text, member.text),
                        Fix::replace(span, format!("{}.{}(0)", object.text, member.text)),
                    ),
                );
            }
            _ => {
                return self.fail_with_hint(
                    codes::UNKNOWN_MEMBER,
                    span,
                    format!("{what} have no property `{}`", member.text),
                    members,
                );
            }
        };
        match dims.get(dim) {
            Some((min, extent)) => Some(if is_min { *min } else { *extent }),
            None => {
                let rank = count(dims.len(), "dimension");
                self.fail_with_hint(
                    codes::UNKNOWN_MEMBER,
                    span,
                    format!("`{}` has {rank}", object.text),
                    "dimensions are counted from 0",
                )
            }
        }
    }

    fn unary(
        &mut self,
        op: UnaryOp,
        operand: &'a Expr<'s>,
        span: Span,
        hint: Option<Scalar>,
    ) -> Option<ExprId> {
        // A negative literal is a single literal: `-128` is an `i8` although `128` is not.
        match (op, &operand.kind) {
            (UnaryOp::Neg, ExprKind::Integer(value)) if !hint.is_some_and(Scalar::is_float) => {
                return self.integer_literal(-value, hint, span);
            }
            (UnaryOp::Neg, ExprKind::Float(text)) => {
                return self.float_literal(text, true, hint, span);
            }
            _ => {}
        }
        let hint = if op == UnaryOp::Not { Some(Scalar::Bool) } else { hint };
        let id = self.infer(operand, hint)?;
        let scalar = self.scalar_of(id);
        let (fits, op_id) = match op {
            UnaryOp::Neg => (scalar != Scalar::Bool, IrUnaryOp::Neg(self.pool.overflow_of(id))),
            UnaryOp::Not => (scalar == Scalar::Bool, IrUnaryOp::Not),
            UnaryOp::Complement => (scalar.is_machine_integer(), IrUnaryOp::Not),
        };
        if !fits {
            return self.bad_operand(op.text(), scalar, span);
        }
        if let Some(constant) = self.pool.as_constant(id)
            && op == UnaryOp::Neg
            && let Ok(negated) = halidom_ir::eval::unary(op_id, constant)
        {
            return Some(self.pool.constant(negated));
        }
        Some(self.pool.unary(op_id, id))
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        lhs: &'a Expr<'s>,
        rhs: &'a Expr<'s>,
        span: Span,
        hint: Option<Scalar>,
    ) -> Option<ExprId> {
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            let lhs = self.check(lhs, Scalar::Bool);
            let rhs = self.check(rhs, Scalar::Bool);
            let op = if op == BinaryOp::And { IrOp::And } else { IrOp::Or };
            return Some(self.pool.binary(op, lhs?, rhs?));
        }
        let hint = if is_comparison(op) { self.comparison_hint(lhs, rhs) } else { hint };
        let operator = format!("`{}`", op.text());
        let operands = [Operand::plain(lhs), Operand::plain(rhs)];
        let ids = self.unify(&operator, &operands, hint)?;
        let (lhs, rhs) = (ids[0], ids[1]);
        let scalar = self.scalar_of(lhs);
        let overflow = self.pool.overflow_of(lhs);
        let is_number = scalar != Scalar::Bool;
        let is_bits = scalar == Scalar::Bool || scalar.is_machine_integer();
        let (fits, op_id) = match op {
            BinaryOp::Add => (is_number, IrOp::Add(overflow)),
            BinaryOp::Sub => (is_number, IrOp::Sub(overflow)),
            BinaryOp::Mul => (is_number, IrOp::Mul(overflow)),
            BinaryOp::Div => (is_number, IrOp::Div),
            BinaryOp::Mod => (is_number && !scalar.is_float(), IrOp::Mod),
            BinaryOp::ShiftLeft => (scalar.is_machine_integer(), IrOp::Shl),
            BinaryOp::ShiftRight => (scalar.is_machine_integer(), IrOp::Shr),
            BinaryOp::BitAnd => (is_bits, IrOp::And),
            BinaryOp::BitXor => (is_bits, IrOp::Xor),
            BinaryOp::BitOr => (is_bits, IrOp::Or),
            BinaryOp::Equal => (true, IrOp::Eq),
            BinaryOp::NotEqual => (true, IrOp::Ne),
            BinaryOp::Less => (is_number, IrOp::Lt),
            BinaryOp::LessEqual => (is_number, IrOp::Le),
            BinaryOp::Greater => (is_number, IrOp::Gt),
            BinaryOp::GreaterEqual => (is_number, IrOp::Ge),
            BinaryOp::And | BinaryOp::Or => (scalar == Scalar::Bool, IrOp::And),
        };
        if !fits {
            return self.bad_operand(op.text(), scalar, span);
        }
        Some(self.pool.binary(op_id, lhs, rhs))
    }

    /// Returns the type of literals that are compared with literals.
    fn comparison_hint(&self, lhs: &Expr<'s>, rhs: &Expr<'s>) -> Option<Scalar> {
        let float = self.has_float_literal(lhs) || self.has_float_literal(rhs);
        let flexible = self.is_flexible(lhs) && self.is_flexible(rhs);
        flexible.then_some(if float { Scalar::F32 } else { Scalar::Int })
    }

    pub(super) fn bad_operand<T>(
        &mut self,
        operator: &str,
        scalar: Scalar,
        span: Span,
    ) -> Option<T> {
        let hint = match (operator, scalar) {
            ("!", _) => Some("`!` is for `bool`; the complement of bits is `~`"),
            ("~", Scalar::Bool) => Some("the negation of a `bool` is `!`"),
            (_, Scalar::Int) => Some("convert it to a machine integer first, `i32(…)` say"),
            _ => None,
        };
        let mut diagnostic = Diagnostic::error(
            codes::OPERAND,
            span,
            format!("`{operator}` is not defined for `{scalar}`"),
        );
        if let Some(hint) = hint {
            let other = match operator {
                "!" if scalar.is_machine_integer() => Some("~"),
                "~" if scalar == Scalar::Bool => Some("!"),
                _ => None,
            };
            let sign = Span { end: span.start + operator.len(), ..span };
            let fix = other.map(|other| Fix::replace(sign, other));
            diagnostic = diagnostic.with_hint(Remedy { hint: hint.to_owned(), fix });
        }
        self.report(diagnostic);
        None
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual => true,
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
        | BinaryOp::And
        | BinaryOp::Or => false,
    }
}
