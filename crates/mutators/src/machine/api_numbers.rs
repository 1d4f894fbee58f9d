//! Numbers and types: what functions of the API compute.

use halidom_cpp::Sign;
use halidom_rewrites::rules::{Domain, Fun};

use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::node::{Field, Shape};
use crate::ir::state::{Computation, State};
use crate::ir::value::{Num, Val};
use crate::machine::api::Call;
use crate::machine::contracts::Meaning;
use crate::machine::run::{Machine, Paths};
use crate::machine::types::integer_type;

impl Machine<'_> {
    /// Computes with C++ numbers.
    pub(super) fn numbers_function(&mut self, call: &Call<'_>, mut state: State) -> Paths<Val> {
        let Call { meaning, arguments, line, .. } = *call;
        match (meaning, arguments) {
            (Meaning::Divide(_) | Meaning::Overflows(_) | Meaning::Magnitude, values)
                if values.iter().any(Val::is_info) =>
            {
                vec![(state, Val::info())]
            }
            (Meaning::Divide(op), [Val::Int(a), Val::Int(b)]) => {
                self.euclid(op, *a, *b, state, line)
            }
            (Meaning::Divide(Sign::Rem), [Val::Real(a), Val::Real(b)]) => {
                vec![(state, Val::Real(self.values.apply(Fun::Mod, &[*a, *b])))]
            }
            (Meaning::Overflows(op), [Val::Int(bits), Val::Int(a), Val::Int(b)]) => {
                let fun = match op {
                    Sign::Add => Fun::Add,
                    Sign::Sub => Fun::Sub,
                    _ => Fun::Mul,
                };
                let Some(bits) =
                    self.values.as_number(bits.term).and_then(|bits| u8::try_from(bits).ok())
                else {
                    return self.misfit(call, state);
                };
                let result = self.values.apply(fun, &[a.term, b.term]);
                let (least, greatest) = Num::range(bits, true);
                // Where numbers are bit vectors, the sum itself wraps.
                let within =
                    |num: &Num| i32::try_from(num.low).is_ok() && i32::try_from(num.high).is_ok();
                if !(self.is_whole || within(a) && within(b)) {
                    return self.misfit(call, state);
                }
                let domain = self.values.domain(result);
                let (low, high) =
                    (self.values.number(least, domain), self.values.number(greatest, domain));
                let below = self.values.apply(Fun::Lt, &[result, low]);
                let above = self.values.apply(Fun::Lt, &[high, result]);
                vec![(state, Val::Bool(self.values.apply(Fun::Or, &[below, above])))]
            }
            (Meaning::Magnitude, [Val::Int(num)]) => {
                let num = *num;
                let zero = self.number(0, num.bits, num.is_signed);
                let Some(Val::Int(negated)) =
                    self.arithmetic(Sign::Sub, zero, num, line, &mut state)
                else {
                    return self.misfit(call, state);
                };
                let below = self.comparison(Sign::Lt, num.term, zero.term);
                let term = self.values.apply(Fun::Ite, &[below, negated.term, num.term]);
                let high = num.high.max(-num.low);
                vec![(state, Val::Int(Num { term, low: 0, high, remainder_of: None, ..num }))]
            }
            (Meaning::IsNan | Meaning::IsFinite, [Val::Real(_)]) => {
                let truth = self.values.bool(meaning == Meaning::IsFinite);
                vec![(state, Val::Bool(truth))]
            }
            (Meaning::Computed(callee), values) if !values.is_empty() => {
                let mut arguments = Vec::new();
                for value in values {
                    match value {
                        Val::Real(term) => arguments.push(*term),
                        _ => return self.misfit(call, state),
                    }
                }
                let name = self.fresh_name(callee);
                let term = self.values.var(&name, Domain::Real);
                state.computed.push(Computation { name, callee, arguments });
                vec![(state, Val::Real(term))]
            }
            (Meaning::Magnitude, [Val::Expr(Some(node))]) => {
                let ty = state.node(*node).ty;
                if ty.code == Code::UInt {
                    return vec![(state, Val::Expr(Some(*node)))];
                }
                let code = if ty.code == Code::Int { Code::UInt } else { ty.code };
                let shape = Shape { kind: Kind::Call, fields: vec![Field::Expr(*node)] };
                let call = state.add(Type { code, ..ty }, None, Some(shape));
                state.node_mut(call).intrinsic = Some("abs".to_owned());
                vec![(state, Val::Expr(Some(call)))]
            }
            (Meaning::IsAlpha, [Val::Int(num)]) => {
                let letter =
                    self.values.as_number(num.term).and_then(|code| u8::try_from(code).ok());
                match letter {
                    Some(letter) => {
                        let truth = self.values.bool(letter.is_ascii_alphabetic());
                        vec![(state, Val::Bool(truth))]
                    }
                    None => self.misfit(call, state),
                }
            }
            _ => self.refused(call, state),
        }
    }

    /// Returns the minimum or the maximum of two numbers or expressions.
    pub(super) fn extremes_function(&mut self, call: &Call<'_>, mut state: State) -> Paths<Val> {
        let Call { meaning, arguments, templates, line, .. } = *call;
        match (meaning, arguments) {
            (Meaning::Least | Meaning::Greatest, values) if values.iter().any(Val::is_info) => {
                vec![(state, Val::info())]
            }
            (Meaning::Least | Meaning::Greatest, [Val::Int(a), Val::Int(b)]) => {
                // `std::min<int>(a, b)` converts both.
                let wanted = templates.first().map(|ty| integer_type(ty));
                let (a, b) = match wanted {
                    None => (*a, *b),
                    Some(Some((bits, signed))) => {
                        (self.convert(*a, bits, signed), self.convert(*b, bits, signed))
                    }
                    Some(None) => return self.misfit(call, state),
                };
                let is_less = self.values.apply(Fun::Lt, &[a.term, b.term]);
                let is_least = meaning == Meaning::Least;
                let (then, other) = if is_least { (&a, &b) } else { (&b, &a) };
                let term = self.values.apply(Fun::Ite, &[is_less, then.term, other.term]);
                let (low, high) = if is_least {
                    (a.low.min(b.low), a.high.min(b.high))
                } else {
                    (a.low.max(b.low), a.high.max(b.high))
                };
                vec![(state, Val::Int(Num { term, low, high, remainder_of: None, ..a }))]
            }
            (Meaning::Least | Meaning::Greatest, [Val::Real(a), Val::Real(b)]) => {
                let is_less = self.values.apply(Fun::Lt, &[*a, *b]);
                let is_least = meaning == Meaning::Least;
                let (then, other) = if is_least { (a, b) } else { (b, a) };
                let term = self.values.apply(Fun::Ite, &[is_less, *then, *other]);
                vec![(state, Val::Real(term))]
            }
            (Meaning::Least | Meaning::Greatest, [a, b]) => {
                let kind = if meaning == Meaning::Least { Kind::Min } else { Kind::Max };
                let expr = |machine: &mut Self, value: &Val, other: &Val, state: &mut State| match (
                    value, other,
                ) {
                    (Val::Expr(Some(node)), _) => Some(*node),
                    (Val::Int(num), Val::Expr(Some(other))) => {
                        let ty = state.node(*other).ty;
                        let num = machine.convert(*num, 32, true);
                        Some(machine.literal(ty, num, state))
                    }
                    _ => None,
                };
                let (Some(p), Some(q)) =
                    (expr(self, a, b, &mut state), expr(self, b, a, &mut state))
                else {
                    return self.misfit(call, state);
                };
                let (p, q) = self.match_types(p, q, &mut state);
                self.make(kind, p, q, state, line)
            }
            _ => self.refused(call, state),
        }
    }

    /// Makes an IR type, or tests one.
    pub(super) fn types_function(&mut self, call: &Call<'_>, state: State) -> Paths<Val> {
        let Call { meaning, arguments, .. } = *call;
        match (meaning, arguments) {
            (Meaning::NumericType(code), [Val::Int(bits), lanes @ ..]) => {
                let Some(bits) =
                    self.values.as_number(bits.term).and_then(|bits| u8::try_from(bits).ok())
                else {
                    return self.misfit(call, state);
                };
                let Some(is_vector) = self.is_lanes(lanes.first()) else {
                    return self.misfit(call, state);
                };
                vec![(state, Val::Type(Type { code, bits, is_vector }))]
            }
            (Meaning::HandleType, []) => vec![(state, Val::Type(Type::HANDLE))],
            (Meaning::BoolType, lanes) => match self.is_lanes(lanes.first()) {
                Some(is_vector) => {
                    vec![(state, Val::Type(Type::BOOL.with_vector(is_vector)))]
                }
                None => self.misfit(call, state),
            },
            (
                Meaning::NoOverflow | Meaning::NoOverflowInt | Meaning::NoOverflowScalar,
                [Val::Type(ty)],
            ) => {
                let is_int = ty.code == Code::Int && ty.bits >= 32;
                let truth = match meaning {
                    Meaning::NoOverflow => is_int || ty.code == Code::Float,
                    Meaning::NoOverflowInt => is_int,
                    _ => is_int && !ty.is_vector,
                };
                vec![(state, Val::Bool(self.values.bool(truth)))]
            }
            _ => self.refused(call, state),
        }
    }

    pub(super) fn euclid(
        &mut self,
        op: Sign,
        a: Num,
        b: Num,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut state = state;
        self.division_claims(a, b, line, &mut state);
        let fun = if op == Sign::Div { Fun::Div } else { Fun::Mod };
        let term = self.values.apply(fun, &[a.term, b.term]);
        let magnitude = a.high.max(-a.low);
        let (low, high) = match self.values.as_number(term) {
            Some(value) => (value, value),
            None if op == Sign::Div => (-magnitude - 1, magnitude + 1),
            None => (0, b.high.max(-b.low)),
        };
        let (least, greatest) = Num::range(a.bits, a.is_signed);
        let (low, high) = (low.max(least), high.min(greatest));
        vec![(state, Val::Int(Num { term, low, high, remainder_of: None, ..a }))]
    }

    /// Tests whether a number of lanes makes a vector; `None` if that is not known.
    pub(crate) fn is_lanes(&self, lanes: Option<&Val>) -> Option<bool> {
        match lanes {
            None => Some(false),
            Some(Val::Int(num)) if self.values.as_number(num.term) == Some(1) => Some(false),
            Some(Val::Int(num)) if Some(num.term) == self.lanes.map(|lanes| lanes.term) => {
                Some(true)
            }
            Some(_) => None,
        }
    }
}
