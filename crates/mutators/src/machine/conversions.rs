//! Conversions: a value takes the type of the variable, member, element, parameter or result that
//! it initializes.
//!
//! # Correctness
//!
//! A number has another value in a narrower type, becomes a literal of 32 bits in an `Expr`, and
//! another object in a class. So a number or a truth value keeps its form only in its own type or
//! in a type that is deduced from it. In a type that is not known, it is unknown afterwards, and so
//! is an object or a list that holds one. Objects that the API makes keep their members, which have
//! the types that the API declares.

use std::rc::Rc;

use halidom_cpp::Sign;

use crate::ir::kinds::I32;
use crate::ir::state::{Slot, State};
use crate::ir::value::{Num, Val, members};
use crate::machine::names::TypeName;
use crate::machine::run::{Closure, Machine, ROUNDED};
use crate::machine::types::{
    Held, UNION, element_of, integer_type, is_type_of_body, is_vector_type, parts_of, short, split,
};

/// The types of a `std::function`, `R(A, B)` in its text.
fn held(ty: &str) -> Option<Held> {
    let of = short(ty).strip_prefix("function<")?.strip_suffix('>')?.trim();
    let (result, list) = of.strip_suffix(')')?.split_once('(')?;
    let without_const = |ty: &str| ty.strip_prefix("const ").unwrap_or(ty).trim().to_owned();
    let parameters = split(list).into_iter().filter(|ty| !ty.is_empty()).map(without_const);
    Some(Held { result: without_const(result), parameters: parameters.collect() })
}

/// Tests whether a type names the type of the elements that a vector holds.
pub(crate) fn is_typed(ty: &str) -> bool {
    is_vector_type(ty.trim_end_matches('&')) && !element_of(ty).is_empty()
}

/// Tests whether a value is a number or a truth value, or holds one in a list or a structure.
fn holds_number(value: &Val) -> bool {
    match value {
        Val::Int(_) | Val::Bool(_) | Val::Real(_) => true,
        value => members(value).iter().any(holds_number),
    }
}

/// Tests whether an object is a list in braces of two values.
fn is_positional(parts: &[(String, Val)]) -> bool {
    matches!(parts, [(first, _), (second, _)] if first == "first" && second == "second")
}

impl<'p> Machine<'p> {
    /// Gives a value that may be a list in braces the type of what it initializes.
    pub(crate) fn initialize(&mut self, ty: &str, value: Val, state: &mut State) -> Val {
        let value = self.aggregate(ty.trim_end_matches('&'), value, state);
        self.coerce(ty, value, state)
    }

    /// Converts a value to the type of the variable that it initializes.
    pub(crate) fn coerce(&mut self, ty: &str, value: Val, state: &mut State) -> Val {
        let whole = ty;
        let ty = ty.strip_prefix("std::").unwrap_or(ty);
        match (TypeName::of(ty), value) {
            (_, Val::Int(num)) => self.number_as(ty, num, state),
            (_, Val::Real(term)) if integer_type(ty).is_some() => {
                let (bits, is_signed) = integer_type(ty).unwrap_or((64, true));
                let domain = self.host(is_signed);
                let (low, high) = Num::range(bits, is_signed);
                let term = self.values.var(&format!("truncated {term:?}"), domain);
                Val::Int(Num { term, bits, is_signed, low, high, remainder_of: None })
            }
            (TypeName::Float, Val::Real(term)) => {
                state.lost = Some(ROUNDED);
                Val::Real(term)
            }
            (TypeName::Double, value @ Val::Real(_)) => value,
            (_, value @ Val::Real(_)) if self.is_deduced(whole) => value,
            (_, Val::Real(_)) => Val::Unknown,
            // A letter is a number.
            (TypeName::Other("char"), Val::Text(_)) => Val::Unknown,
            (_, Val::Text(_)) if integer_type(ty).is_some() => Val::Unknown,
            (TypeName::Expr | TypeName::Stmt, Val::Ptr(Some((node, _)))) => Val::Expr(Some(node)),
            (TypeName::Other(ty), Val::Ptr(Some((node, _)))) if is_type_of_body(ty) => {
                Val::Expr(Some(node))
            }
            (_, value @ Val::Bool(_)) => self.truth_as(whole, value, state),
            (_, Val::List(values)) => self.list_as(whole, values, state),
            (_, Val::Object(parts)) => self.object_as(whole, parts, state),
            (_, Val::Lambda(id, made)) => self.closure_as(whole, (id, made)),
            (TypeName::Bool, Val::Ptr(_) | Val::NumPtr(_) | Val::Address(_)) => Val::Unknown,
            // A number of a report has 64 bits. In another type it is another number.
            (_, Val::Bound(num, fact)) => {
                if self.is_deduced(whole) || integer_type(ty) == Some((64, true)) {
                    return Val::Bound(num, fact);
                }
                state.facts.push(fact);
                self.number_as(ty, num, state)
            }
            (_, Val::Handle(of)) => match integer_type(ty) {
                Some(number) => self.unknown_as(number, of),
                None if self.is_deduced(whole) => Val::Handle(of),
                None => self.unknown_of_type(TypeName::of(ty), of),
            },
            (_, value) => value,
        }
    }

    /// Tests whether a type is that of the value that initializes it.
    fn is_deduced(&self, ty: &str) -> bool {
        let ty = ty.trim_end_matches('&').trim();
        ty.is_empty() || ty == "auto" || self.is_template(ty) && self.named_type(ty) == ty
    }

    fn number_as(&mut self, ty: &str, num: Num, state: &mut State) -> Val {
        if let Some((bits, signed)) = integer_type(ty) {
            return Val::Int(self.convert(num, bits, signed));
        }
        match TypeName::of(ty) {
            TypeName::Bool => {
                let zero = Num { ..self.number(0, num.bits, num.is_signed) };
                self.compare(Sign::Ne, num, zero)
            }
            name @ (TypeName::Double | TypeName::Float) => {
                // A `float` holds integers up to 2^24.
                if name == TypeName::Float && num.bits > 24 {
                    state.lost = Some(ROUNDED);
                }
                self.real_of(num)
            }
            // A constructor for numbers of 32 bits is implicit; others make other types.
            TypeName::Expr if num.bits != 32 || !num.is_signed => {
                state.lost = Some("an expression that is made of a number of another type");
                Val::Unknown
            }
            TypeName::Expr => {
                let literal = self.literal(I32, num, state);
                Val::Expr(Some(literal))
            }
            _ if ty.is_empty() || ty == "auto" => Val::Int(num),
            _ if self.is_template(ty) => match integer_type(self.named_type(ty)) {
                Some((bits, signed)) => Val::Int(self.convert(num, bits, signed)),
                None if self.named_type(ty) == ty => Val::Int(num),
                None => Val::Unknown,
            },
            // An alias of an integer type, which may truncate the number.
            _ => Val::Unknown,
        }
    }

    fn truth_as(&mut self, ty: &str, value: Val, state: &mut State) -> Val {
        let of = short(ty);
        let Val::Bool(truth) = value else { return Val::Unknown };
        if TypeName::of(of) == TypeName::Bool || self.is_deduced(ty) {
            return value;
        }
        if let Some((bits, signed)) = integer_type(of) {
            let num = self.host_number(truth, (0, 1), signed);
            return Val::Int(Num { bits, ..num });
        }
        let num = Num { bits: 32, ..self.host_number(truth, (0, 1), true) };
        match TypeName::of(of) {
            // A truth value becomes an `int` before it becomes an expression.
            TypeName::Expr => {
                let literal = self.literal(I32, num, state);
                Val::Expr(Some(literal))
            }
            TypeName::Double | TypeName::Float => self.real_of(num),
            _ if self.is_template(of) => {
                let named = self.named_type(of).to_owned();
                self.truth_as(&named, value, state)
            }
            _ => Val::Unknown,
        }
    }

    /// The elements of a vector have the type that it names, and the parts of a tuple theirs.
    fn list_as(&mut self, ty: &str, values: Vec<Val>, state: &mut State) -> Val {
        let of = short(ty);
        if is_vector_type(of) || of.starts_with("initializer_list<") {
            let element = element_of(of).to_owned();
            let values = values.into_iter();
            return Val::List(
                values.map(|value| self.initialize(&element, value, state)).collect(),
            );
        }
        if let Some(types) = parts_of(of).filter(|types| types.len() == values.len()) {
            let values = values.into_iter().zip(types);
            let values = values.map(|(value, ty)| self.initialize(ty, value, state));
            return Val::List(values.collect());
        }
        if let ([value], true) = (values.as_slice(), Self::is_number_or_expr(of)) {
            return self.coerce(of, value.clone(), state);
        }
        let value = Val::List(values);
        if holds_number(&value) && !self.is_deduced(ty) { Val::Unknown } else { value }
    }

    /// Tests whether a type is that of numbers, truth values or expressions.
    fn is_number_or_expr(ty: &str) -> bool {
        integer_type(ty).is_some()
            || matches!(
                TypeName::of(ty),
                TypeName::Bool | TypeName::Double | TypeName::Float | TypeName::Expr
            )
    }

    /// The parts of a pair have the types that it names, and the members of a structure those that
    /// it declares.
    fn object_as(&mut self, ty: &str, parts: Vec<(String, Val)>, state: &mut State) -> Val {
        let of = short(ty);
        if is_positional(&parts) && is_vector_type(of) {
            return self.list_as(of, parts.into_iter().map(|(_, value)| value).collect(), state);
        }
        if let Some(types) = parts_of(of) {
            let convert = |((name, value), ty): ((String, Val), &str)| {
                (name, self.initialize(ty, value, state))
            };
            return Val::Object(parts.into_iter().zip(types).map(convert).collect());
        }
        if self.is_deduced(ty) || parts.iter().any(|(name, _)| name == UNION) {
            return Val::Object(parts);
        }
        let is_made_here = is_positional(&parts);
        let mut made = Vec::new();
        for (name, value) in parts {
            let value = match self.type_of_field(of, &name) {
                Some(ty) => self.coerce(ty, value, state),
                None if is_made_here && holds_number(&value) => return Val::Unknown,
                None => value,
            };
            made.push((name, value));
        }
        Val::Object(made)
    }

    /// The type of a member of a class of the program, or of a structure that the running function
    /// declares.
    pub(super) fn type_of_field(&self, class: &str, name: &str) -> Option<&'p str> {
        let program: &'p crate::machine::program::Program = self.program;
        let class = short(class);
        let known = program.classes.iter().find(|known| known.name == class);
        let class = self.local(class).map(|local| &local.class).or(known)?;
        let field = class.fields.iter().find(|field| field.name == name)?;
        Some(&field.ty)
    }

    /// Tests whether a type is a class of the program or a structure that the running function
    /// declares.
    pub(super) fn has_fields(&self, ty: &str) -> bool {
        self.local(ty).is_some() || self.program.classes.iter().any(|class| class.name == ty)
    }

    /// A lambda function that a `std::function` holds takes and returns what that declares.
    fn closure_as(&mut self, ty: &str, (id, made): (usize, (usize, usize))) -> Val {
        let known = self.lambdas.get(id).cloned();
        match (known, held(ty)) {
            (Some(known), Some(held)) => {
                let held = Some(Rc::new(held));
                if known.held.is_some() && known.held != held {
                    return Val::Unknown;
                }
                Val::Lambda(self.closure(Closure { held, ..known }), made)
            }
            _ if self.is_deduced(ty) => Val::Lambda(id, made),
            _ => Val::Unknown,
        }
    }

    /// The arguments of a `std::function`, as the function that it holds takes them.
    pub(super) fn given_to(
        &mut self,
        held: &Held,
        arguments: Vec<Val>,
        state: &mut State,
    ) -> Vec<Val> {
        if held.parameters.len() != arguments.len() {
            return Vec::new();
        }
        let mut given = Vec::new();
        for (ty, value) in held.parameters.iter().zip(arguments) {
            let value = if ty.ends_with('&') { value } else { Self::loaded(value, state) };
            let of = ty.trim_end_matches('&');
            given.push(match self.bind(of, value, state) {
                value @ Val::Reference(_) => value,
                value => self.initialize(of, value, state),
            });
        }
        given
    }

    /// A number or truth value of one side of `c ? a : b` in the common type of both sides.
    pub(super) fn common(&mut self, value: Val, other: &Val, state: &mut State) -> Val {
        match (&value, other) {
            (Val::Int(_) | Val::Bool(_) | Val::Real(_), Val::Expr(_)) => {
                self.coerce("Expr", value, state)
            }
            (Val::Bool(_), Val::Bool(_)) => value,
            (Val::Int(num), Val::Int(like))
                if (num.bits, num.is_signed) == (like.bits, like.is_signed) =>
            {
                value
            }
            (Val::Int(_) | Val::Bool(_), Val::Int(_) | Val::Bool(_)) => {
                match (self.promote(&value), self.promote(other)) {
                    (Some(num), Some(other)) => Val::Int(self.promoted(num, other).0),
                    _ => Val::Unknown,
                }
            }
            (Val::Int(_) | Val::Bool(_), Val::Real(_)) => match self.promote(&value) {
                Some(num) => self.real_of(num),
                None => Val::Unknown,
            },
            (Val::Real(_), Val::Int(_) | Val::Bool(_) | Val::Real(_)) => value,
            (_, Val::Bound(like, _)) => self.common(value, &Val::Int(*like), state),
            // Nothing is known about the type that both sides have.
            _ => Val::Unknown,
        }
    }

    /// The operand of an operator or a function that takes no number below 32 bits: a smaller one
    /// and a truth value become an `int`.
    pub(super) fn widened(&mut self, value: Val) -> Val {
        match self.promote(&value) {
            Some(num) if num.bits < 32 => Val::Int(self.convert(num, 32, true)),
            Some(num) => Val::Int(num),
            None => value,
        }
    }

    /// The binding of a reference to a type. A place of another type is converted, and the
    /// reference is bound to the result.
    pub(super) fn bind(&mut self, ty: &str, value: Val, state: &mut State) -> Val {
        let Val::Reference(place) = &value else { return value };
        let Some(Slot { value: held, .. }) = Self::load(place, state) else { return value };
        let short = ty.strip_prefix("std::").unwrap_or(ty);
        let is_same = match &held {
            _ if ty.is_empty() || ty == "auto" || self.is_template(ty) => true,
            Val::Int(num) => integer_type(short) == Some((num.bits, num.is_signed)),
            Val::Bool(_) => TypeName::of(short) == TypeName::Bool,
            Val::Real(_) => matches!(TypeName::of(short), TypeName::Double | TypeName::Float),
            // The reference to a `std::function` is bound to one that is made of the function.
            Val::Lambda(..) => false,
            _ => true,
        };
        if is_same { value } else { self.coerce(ty, held, state) }
    }

    /// Tests whether a type is a template parameter of the function that runs.
    pub(super) fn is_template(&self, ty: &str) -> bool {
        self.running.is_some_and(|running| running.templates.iter().any(|name| name == ty))
    }
}
