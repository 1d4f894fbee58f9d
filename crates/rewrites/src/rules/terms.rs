//! Reads the patterns of rules of the language of Halide's `IRMatch.h`, and the names in them.

use std::fmt;

use halidom_base::FxHashMap;
use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind};

use super::known::of_matcher;
use super::locals::operand_of_info;
use super::own::path;
use super::pattern::{FUNCTIONS, Op, Pattern, is_constant, is_wildcard, operator};
use super::read::{Guard, INTEGERS, Reader, Scope, Subject, subject};

impl<'s> Reader<'s> {
    pub(super) fn of(scope: &'s Scope<'s>) -> Self {
        Self { scope, operands: FxHashMap::default(), contracts: Vec::new(), has_number: false }
    }

    /// Gives the names of the node's operands their meaning.
    pub(super) fn bind(&mut self, operands: &[Option<String>], lhs: &Pattern) {
        let Pattern::Apply(_, parts) = lhs else { return };
        for (name, part) in operands.iter().zip(parts) {
            if let Some(name) = name {
                self.operands.insert(name.clone(), part.clone());
            }
        }
    }

    /// Reads the right side of a rule.
    pub(super) fn replacement(&mut self, expr: &Expr) -> Result<Pattern, String> {
        let pattern = self.pattern(expr)?;
        if self.has_number && !matches!(expr.kind, ExprKind::Name(_)) {
            return Err("an operand with a number within an expression".to_owned());
        }
        Ok(pattern)
    }

    pub(super) fn pattern(&mut self, expr: &Expr) -> Result<Pattern, String> {
        let apply = |op, operands| Ok(Pattern::Apply(op, operands));
        let own = |name: &dyn fmt::Display| {
            Err(format!("`{name}`, which may mean something of the file's own"))
        };
        match &expr.kind {
            ExprKind::Binary(sign, ..) | ExprKind::Prefix(sign, _)
                if self.scope.is_own_sign(*sign) =>
            {
                own(sign)
            }
            // Its arithmetic with other numbers is that of C++.
            ExprKind::Integer(_, suffix) if suffix.contains(['u', 'U']) => {
                Err("an unsigned number of C++".to_owned())
            }
            ExprKind::Integer(value, _) => {
                i64::try_from(*value).map(Pattern::Int).map_err(|_| value.to_string())
            }
            ExprKind::Bool(value) => Ok(Pattern::Bool(*value)),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Prefix(sign, operand) if *sign == Sign::Not => {
                apply(Op::Not, vec![self.pattern(operand)?])
            }
            ExprKind::Prefix(sign, operand) if *sign == Sign::Sub => {
                Ok(match self.pattern(operand)? {
                    Pattern::Int(value) => Pattern::Int(-value),
                    operand => Pattern::Apply(Op::Neg, vec![operand]),
                })
            }
            ExprKind::Binary(sign, lhs, rhs) => {
                let op = operator(sign.text()).ok_or_else(|| format!("operator {sign}"))?;
                let sides = [self.pattern(lhs)?, self.pattern(rhs)?];
                if sides.iter().all(|side| matches!(side, Pattern::Int(_) | Pattern::Bool(_))) {
                    return Err("arithmetic of numbers, which C++ computes".to_owned());
                }
                apply(op, sides.into())
            }
            ExprKind::Call { callee, arguments, .. } => {
                if let ExprKind::Member { object, name, .. } = &callee.kind
                    && arguments.is_empty()
                    && self.is_of_operand(object)
                {
                    match name.as_str() {
                        "min" => return Ok(Pattern::TypeMin),
                        "max" => return Ok(Pattern::TypeMax),
                        _ => {}
                    }
                }
                if let Some(parts) = path(expr).filter(|parts| parts.len() > 1)
                    && parts.last().is_some_and(|last| last == "lanes")
                {
                    return self.lanes(&parts);
                }
                let Some((full, name, arguments)) = of_matcher(expr) else {
                    return Err("call of a member".to_owned());
                };
                if self.scope.known.names.has_for_patterns(full) {
                    return own(&name);
                }
                match (name, arguments) {
                    ("Overflow" | "Indeterminate", []) => return Ok(Pattern::Undefined),
                    // `intrin(Call::likely, x)` is an older spelling of `likely(x)`.
                    ("intrin", [kind, operand]) => {
                        let kind = match &kind.kind {
                            ExprKind::Name(kind) => kind.rsplit("::").next().unwrap_or(kind),
                            _ => "",
                        };
                        return match kind {
                            "likely" | "likely_if_innermost" => {
                                apply(Op::Likely, vec![self.pattern(operand)?])
                            }
                            "abs" => apply(Op::Abs, vec![self.pattern(operand)?]),
                            _ => Err(format!("intrinsic {kind}")),
                        };
                    }
                    // Other types are not modelled.
                    ("cast", [ty, operand]) => {
                        return if subject(self.scope, ty) == Some(Subject::Result) {
                            apply(Op::Cast, vec![self.pattern(operand)?])
                        } else {
                            Err("a cast to a type other than the result's".to_owned())
                        };
                    }
                    _ => {}
                }
                let known = FUNCTIONS.iter().find(|(known, ..)| *known == name);
                let Some((_, op, least, most)) = known else { return Err(name.to_owned()) };
                if arguments.len() < *least {
                    return Err(format!("{name} of {} arguments", arguments.len()));
                }
                let operands = arguments.iter().take(*most).map(|argument| self.pattern(argument));
                apply(*op, operands.collect::<Result<_, _>>()?)
            }
            ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Member { .. }
            | ExprKind::Index(..)
            | ExprKind::Prefix(..)
            | ExprKind::Postfix(..)
            | ExprKind::Assign(..)
            | ExprKind::Conditional(..)
            | ExprKind::Cast(..)
            | ExprKind::Braces(..) => Err("expression in a rule".to_owned()),
            ExprKind::Lambda(_) => Err("a lambda function".to_owned()),
            ExprKind::Other(kind) => Err(kind.clone()),
        }
    }

    /// Reads a number of lanes that is asked for in the rule. Different ones have different names.
    fn lanes(&self, parts: &[String]) -> Result<Pattern, String> {
        let name = lanes_of(parts);
        if self.scope.is_own(&name) { Err(name) } else { Ok(Pattern::Lanes(name)) }
    }

    /// Tests whether a type is that of the operands of the node that is rewritten.
    fn is_of_operand(&self, ty: &Expr) -> bool {
        match subject(self.scope, ty) {
            Some(Subject::Operand) => true,
            Some(Subject::Result) => !self.scope.known.types.is_comparison(),
            None => false,
        }
    }

    fn name(&mut self, name: &str) -> Result<Pattern, String> {
        if let Some(operand) = self.operands.get(name) {
            self.has_number |=
                operand.any(|part| matches!(part, Pattern::Int(_) | Pattern::Bool(_)));
            return Ok(operand.clone());
        }
        if is_wildcard(name) && !self.scope.known.names.is_taken(name) {
            return Ok(Pattern::Wild(name.to_owned()));
        }
        if is_constant(name) && !self.scope.known.names.is_taken(name) {
            return Ok(Pattern::Constant(name.to_owned()));
        }
        let (value, top) = self.scope.value(name, &INTEGERS).ok_or_else(|| name.to_owned())?;
        let names = path(value).unwrap_or_default();
        match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            [_, .., "lanes"] => Ok(Pattern::Lanes(lanes_of(&names))),
            [info, "alignment", "modulus" | "remainder"] => {
                if !self.scope.known.describes(info, top) {
                    return Err(format!("{info}, which need not describe its operand"));
                }
                let operand = operand_of_info(info)
                    .and_then(|operand| self.operands.get(operand).cloned())
                    .unwrap_or_else(|| Pattern::Host((*info).to_owned()));
                let part = |part: &str| Pattern::Host(format!("{info}_{part}"));
                let (modulus, remainder) = (part("modulus"), part("remainder"));
                let contract = alignment(&operand, &modulus, &remainder);
                if !self.contracts.contains(&contract) {
                    self.contracts.push(contract);
                }
                Ok(part(&names[2]))
            }
            _ => match &value.kind {
                ExprKind::Binary(..) if self.scope.is_settled(name) => self.pattern(value),
                _ => Err(name.to_owned()),
            },
        }
    }

    /// Replaces the names in the facts of a guard by the operands.
    pub(super) fn guard(&self, guard: &Guard) -> Guard {
        match guard {
            Guard::All(parts) => Guard::All(parts.iter().map(|part| self.guard(part)).collect()),
            Guard::Any(parts) => Guard::Any(parts.iter().map(|part| self.guard(part)).collect()),
            Guard::Not(part) => Guard::Not(Box::new(self.guard(part))),
            Guard::Passed(part) => Guard::Passed(Box::new(self.guard(part))),
            Guard::Left(part) => Guard::Left(Box::new(self.guard(part))),
            Guard::Fact(Pattern::Apply(op, parts)) => {
                let put = |part: &Pattern| match part {
                    Pattern::Host(name) => self.operands.get(name).cloned(),
                    part => Some(part.clone()),
                };
                match parts.iter().map(put).collect::<Option<Vec<_>>>() {
                    Some(parts) => Guard::Fact(Pattern::Apply(*op, parts)),
                    None => Guard::Unknown,
                }
            }
            Guard::Fact(_) | Guard::Type(..) | Guard::Unknown => guard.clone(),
        }
    }
}

/// Names the number of lanes that a chain of members ends with.
fn lanes_of(parts: &[String]) -> String {
    let name = parts.join("_");
    if name == "op_type_lanes" { "lanes".to_owned() } else { name }
}

/// Returns the promise of `ModulusRemainder` for an operand: if the modulus is 0, the operand
/// equals the remainder; else the modulus divides their difference. The remainder may be negative
/// or larger than the modulus: products and differences of reports leave it as it is.
fn alignment(operand: &Pattern, modulus: &Pattern, remainder: &Pattern) -> Pattern {
    let apply =
        |op, lhs: &Pattern, rhs: &Pattern| Pattern::Apply(op, vec![lhs.clone(), rhs.clone()]);
    let zero = Pattern::Int(0);
    let exact = apply(Op::And, &apply(Op::Eq, modulus, &zero), &apply(Op::Eq, operand, remainder));
    let difference = apply(Op::Sub, operand, remainder);
    let divides = apply(Op::Eq, &apply(Op::Mod, &difference, modulus), &zero);
    let periodic = apply(Op::And, &apply(Op::Gt, modulus, &zero), &divides);
    apply(Op::Or, &exact, &periodic)
}
