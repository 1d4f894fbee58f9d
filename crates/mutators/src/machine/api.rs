//! Functions of the API, interpreted as their contracts say.

use halidom_rewrites::rules::{Domain, Fun, ValueId};

use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::{Assumption, Atom, Computation, State};
use crate::ir::value::{Num, Place, Val};
use crate::machine::contracts::{CONTRACTS, Meaning};
use crate::machine::run::{Machine, Outcome, Paths};

impl Machine<'_> {
    /// Calls a function of the API.
    pub(crate) fn api(
        &mut self,
        name: &str,
        templates: &[String],
        arguments: Vec<Val>,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let arguments: Vec<Val> =
            arguments.into_iter().map(|value| Self::loaded(value, &state)).collect();
        let mut state = state;
        if let Some(kind) = name.strip_suffix("::make").and_then(Kind::named) {
            return self.make_node(kind, &arguments, state, line);
        }
        let short = name.rsplit("::").next().unwrap_or(name);
        let Some(contract) = CONTRACTS.iter().find(|contract| contract.name == short) else {
            if is_of_reports(name) {
                return vec![(state, Val::info())];
            }
            if EMPTY.contains(&name) && arguments.is_empty() {
                return vec![(state, Val::Handle(format!("{name}()")))];
            }
            return self.unsupported(state, name, line);
        };
        let bad = |machine: &mut Self, state| {
            machine.unsupported(state, format!("{name} of these arguments"), line)
        };
        // A call of a method on an undefined expression dereferences null.
        if arguments.iter().any(|value| matches!(value, Val::Unknown)) {
            return self.unsupported(state, format!("{name} of a value that is not known"), line);
        }
        match (contract.meaning, arguments.as_slice()) {
            (
                Meaning::Divide(_)
                | Meaning::Overflows(_)
                | Meaning::Least
                | Meaning::Greatest
                | Meaning::Magnitude,
                values,
            ) if values.iter().any(Val::is_info) => vec![(state, Val::info())],
            (
                Meaning::Mutate | Meaning::SameValue,
                [Val::Expr(Some(node)) | Val::Ptr(Some((node, _))), rest @ ..],
            ) => {
                let mut paths = self.mutate(*node, state, line);
                if let Some(Val::Address(place)) = rest.first() {
                    for (state, value) in &mut paths {
                        if let Val::Expr(Some(node)) = value {
                            let info = self.info_of(*node, state);
                            self.store(place, info, state);
                        }
                    }
                }
                paths
            }
            (Meaning::Mutate, [Val::Expr(None), ..]) => vec![(state, Val::Expr(None))],
            (Meaning::Equal, [Val::Expr(Some(a)), Val::Expr(Some(b))]) => {
                let (holds, fails) = self.equal(*a, *b, state);
                self.truths(holds, fails)
            }
            (Meaning::IsConst, [Val::Expr(Some(node))]) => {
                self.literal_test(*node, state, &mut |machine, _| machine.values.bool(true))
            }
            (Meaning::IsConst, [Val::Expr(Some(node)), Val::Int(num)]) => {
                let num = *num;
                if let Some(value) = self.values.as_number(num.term) {
                    return self.literal_test(*node, state, &mut |machine, term| {
                        machine.is_number(term, value)
                    });
                }
                self.literal_test(*node, state, &mut |machine, term| {
                    let (term, number) = match machine.values.domain(term) {
                        Domain::Real => (term, machine.values.convert(num.term, Domain::Real)),
                        Domain::Bool => {
                            let domain = machine.values.domain(num.term);
                            let one = machine.values.number(1, domain);
                            let zero = machine.values.number(0, domain);
                            (machine.values.apply(Fun::Ite, &[term, one, zero]), num.term)
                        }
                        _ => {
                            let domain = machine.values.domain(num.term);
                            (machine.values.convert(term, domain), num.term)
                        }
                    };
                    machine.values.apply(Fun::Eq, &[term, number])
                })
            }
            (Meaning::IsNumber(value), [Val::Expr(Some(node))]) => {
                self.literal_test(*node, state, &mut |machine, term| {
                    machine.is_number(term, value.into())
                })
            }
            (Meaning::IsPositive, [Val::Expr(Some(node))]) => {
                self.literal_test(*node, state, &mut |machine, term| {
                    let zero = machine.values.number(0, machine.values.domain(term));
                    machine.sign_test(">", term, zero)
                })
            }
            (Meaning::IsNegative | Meaning::IsNegatable, [Val::Expr(Some(node)), ..]) => {
                let ty = state.node(*node).ty;
                if ty.code == Code::UInt {
                    return self.truths(Vec::new(), vec![state]);
                }
                let negatable = contract.meaning == Meaning::IsNegatable;
                self.literal_test(*node, state, &mut |machine, term| {
                    let zero = machine.values.number(0, machine.values.domain(term));
                    let below = machine.sign_test("<", term, zero);
                    match ty.range() {
                        Some((least, _)) if negatable => {
                            let other = machine.is_number(term, least);
                            let other = machine.values.apply(Fun::Not, &[other]);
                            machine.values.apply(Fun::And, &[below, other])
                        }
                        _ => below,
                    }
                })
            }
            (Meaning::AsConst(code), [Val::Expr(Some(node))]) => self.as_const(*node, code, state),
            (Meaning::PowerOfTwo, [Val::Expr(Some(node)), Val::Address(place)]) => {
                let ty = state.node(*node).ty;
                let Some((_, greatest)) = ty.range() else {
                    return self.truths(Vec::new(), vec![state]);
                };
                let mut paths = Vec::new();
                for bits in 0..64 {
                    if 1_i128 << bits > greatest {
                        break;
                    }
                    let tested = self.literal_test(*node, state.clone(), &mut |machine, term| {
                        machine.is_number(term, 1 << bits)
                    });
                    for (mut state, truth) in tested {
                        if matches!(truth, Val::Bool(term) if self.values.as_number(term) == Some(1))
                        {
                            let num = self.number(bits, 32, true);
                            self.store(place, Val::Int(num), &mut state);
                            paths.push((state, truth));
                        }
                    }
                }
                if !self.is_concrete() || paths.is_empty() {
                    let fails = if self.is_concrete() { state } else { self.choose(state).1 };
                    paths.push((fails, Val::Bool(self.values.bool(false))));
                }
                paths
            }
            (Meaning::MakeConst, [Val::Type(ty), Val::Int(num)]) => {
                let node = self.literal(*ty, *num, &mut state);
                vec![(state, Val::Expr(Some(node)))]
            }
            (Meaning::MakeConst, [Val::Type(ty), Val::Bool(truth)]) => {
                let num = self.host_number(*truth, (0, 1), true);
                let node = self.literal(*ty, num, &mut state);
                vec![(state, Val::Expr(Some(node)))]
            }
            (Meaning::MakeNumber(value), [Val::Type(ty)]) => {
                let num = self.number(value.into(), 32, true);
                let node = self.literal(*ty, num, &mut state);
                vec![(state, Val::Expr(Some(node)))]
            }
            (Meaning::MakeTruth(value), lanes) => {
                let truth = self.values.bool(value);
                self.truth_literal(truth, lanes.first(), state, line)
            }
            (Meaning::MakeBool, [Val::Bool(truth), lanes @ ..]) => {
                self.truth_literal(*truth, lanes.first(), state, line)
            }
            (Meaning::Divide(op), [Val::Int(a), Val::Int(b)]) => {
                self.euclid(op, *a, *b, state, line)
            }
            (Meaning::Divide("%"), [Val::Real(a), Val::Real(b)]) => {
                vec![(state, Val::Real(self.values.apply(Fun::Mod, &[*a, *b])))]
            }
            (Meaning::Overflows(op), [Val::Int(bits), Val::Int(a), Val::Int(b)]) => {
                let fun = match op {
                    "+" => Fun::Add,
                    "-" => Fun::Sub,
                    _ => Fun::Mul,
                };
                let Some(bits) =
                    self.values.as_number(bits.term).and_then(|bits| u8::try_from(bits).ok())
                else {
                    return bad(self, state);
                };
                let result = self.values.apply(fun, &[a.term, b.term]);
                let (least, greatest) = Num::range(bits, true);
                // Where numbers are bits, the sum itself wraps.
                let within =
                    |num: &Num| i32::try_from(num.low).is_ok() && i32::try_from(num.high).is_ok();
                if !(self.is_whole || within(a) && within(b)) {
                    return bad(self, state);
                }
                let domain = self.values.domain(result);
                let (low, high) =
                    (self.values.number(least, domain), self.values.number(greatest, domain));
                let below = self.values.apply(Fun::Lt, &[result, low]);
                let above = self.values.apply(Fun::Lt, &[high, result]);
                vec![(state, Val::Bool(self.values.apply(Fun::Or, &[below, above])))]
            }
            (Meaning::NumericType(code), [Val::Int(bits), lanes @ ..]) => {
                let Some(bits) =
                    self.values.as_number(bits.term).and_then(|bits| u8::try_from(bits).ok())
                else {
                    return bad(self, state);
                };
                let Some(is_vector) = self.is_lanes(lanes.first()) else {
                    return bad(self, state);
                };
                vec![(state, Val::Type(Type { code, bits, is_vector }))]
            }
            (Meaning::HandleType, []) => vec![(state, Val::Type(Type::HANDLE))],
            (Meaning::BoolType, lanes) => match self.is_lanes(lanes.first()) {
                Some(is_vector) => {
                    vec![(state, Val::Type(Type::BOOL.with_vector(is_vector)))]
                }
                None => bad(self, state),
            },
            (Meaning::Least | Meaning::Greatest, [Val::Int(a), Val::Int(b)]) => {
                // `std::min<int>(a, b)` converts both.
                let wanted = templates.first().map(|ty| crate::machine::types::integer_type(ty));
                let (a, b) = match wanted {
                    None => (*a, *b),
                    Some(Some((bits, signed))) => {
                        (self.convert(*a, bits, signed), self.convert(*b, bits, signed))
                    }
                    Some(None) => return bad(self, state),
                };
                let is_less = self.values.apply(Fun::Lt, &[a.term, b.term]);
                let is_least = contract.meaning == Meaning::Least;
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
                let is_least = contract.meaning == Meaning::Least;
                let (then, other) = if is_least { (a, b) } else { (b, a) };
                let term = self.values.apply(Fun::Ite, &[is_less, *then, *other]);
                vec![(state, Val::Real(term))]
            }
            (Meaning::Least | Meaning::Greatest, [a, b]) => {
                let kind = if contract.meaning == Meaning::Least { Kind::Min } else { Kind::Max };
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
                    return bad(self, state);
                };
                let (p, q) = self.match_types(p, q, &mut state);
                self.make(kind, p, q, state, line)
            }
            (Meaning::Magnitude, [Val::Int(num)]) => {
                let num = *num;
                let zero = self.number(0, num.bits, num.is_signed);
                let Some(Val::Int(negated)) = self.arithmetic("-", zero, num, line, &mut state)
                else {
                    return bad(self, state);
                };
                let below = self.comparison("<", num.term, zero.term);
                let term = self.values.apply(Fun::Ite, &[below, negated.term, num.term]);
                let high = num.high.max(-num.low);
                vec![(state, Val::Int(Num { term, low: 0, high, remainder_of: None, ..num }))]
            }
            (Meaning::Select, [Val::Expr(Some(c)), Val::Expr(Some(a)), Val::Expr(Some(b))]) => {
                let (a, b) = self.match_types(*a, *b, &mut state);
                self.make_node(
                    Kind::Select,
                    &[Val::Expr(Some(*c)), Val::Expr(Some(a)), Val::Expr(Some(b))],
                    state,
                    line,
                )
            }
            (Meaning::Cast, [Val::Type(ty), Val::Expr(Some(node))]) => {
                let node = Self::cast(*ty, *node, &mut state);
                vec![(state, Val::Expr(Some(node)))]
            }
            (Meaning::IsNan | Meaning::IsFinite, [Val::Real(_)]) => {
                let truth = self.values.bool(contract.meaning == Meaning::IsFinite);
                vec![(state, Val::Bool(truth))]
            }
            (Meaning::RampBase, [Val::Expr(Some(node)), ..]) if !state.node(*node).ty.is_vector => {
                vec![(state, Val::Expr(None))]
            }
            (Meaning::Nothing, _) => vec![(state, Val::Void)],
            (Meaning::Report, _) => vec![(state, Val::info())],
            // Where a number of a report is put into a literal, it is what is true of it; one that was computed is any.
            (Meaning::MakeConst, [Val::Type(ty), Val::Bound(num, fact)]) => {
                state.facts.push(*fact);
                let node = self.literal(*ty, *num, &mut state);
                vec![(state, Val::Expr(Some(node)))]
            }
            (Meaning::MakeConst, [Val::Type(ty), value]) if value.is_info() => {
                let node = state.add(*ty, None, None);
                state.node_mut(node).is_literal = true;
                vec![(state, Val::Expr(Some(node)))]
            }
            (Meaning::Undefined(name), [Val::Type(ty)]) => {
                let shape = Shape { kind: Kind::Call, fields: Vec::new() };
                let node = state.add(*ty, None, Some(shape));
                state.node_mut(node).intrinsic = Some(name.to_owned());
                vec![(state, Val::Expr(Some(node)))]
            }
            (
                Meaning::Bounds,
                [Val::Expr(Some(node)), Val::Address(least), Val::Address(greatest)],
            ) => self.bounds(*node, least, greatest, state),
            (
                Meaning::Bounds,
                [Val::Ptr(Some((node, kind))), Val::Address(least), Val::Address(greatest)],
            ) if state.shape(*node).is_some_and(|shape| shape.kind == *kind) => {
                self.bounds(*node, least, greatest, state)
            }
            (Meaning::Remainder, [Val::Expr(Some(node)), ..]) => {
                let value = self.remainder_contract(*node, &mut state);
                vec![(state, value)]
            }
            (Meaning::RemainderOf, [modulus, remainder]) => {
                let members = vec![
                    ("modulus".to_owned(), modulus.clone()),
                    ("remainder".to_owned(), remainder.clone()),
                ];
                vec![(state, Val::Object(members))]
            }
            (Meaning::Clamp, [Val::Expr(Some(node)), low, high]) => {
                let ty = state.node(*node).ty;
                let mut bound = |machine: &mut Self, value: &Val| match value {
                    Val::Expr(Some(node)) => Some(Self::cast(ty, *node, &mut state)),
                    Val::Int(num) => {
                        let num = machine.convert(*num, 32, true);
                        Some(machine.literal(ty, num, &mut state))
                    }
                    _ => None,
                };
                let (Some(low), Some(high)) = (bound(self, low), bound(self, high)) else {
                    return bad(self, state);
                };
                let mut paths = Vec::new();
                for (state, least) in self.make(Kind::Min, *node, high, state, line) {
                    if let Val::Expr(Some(least)) = least {
                        paths.extend(self.make(Kind::Max, least, low, state, line));
                    }
                }
                paths
            }
            (Meaning::Lane, [Val::Expr(Some(node)), Val::Int(_)])
                if !state.node(*node).ty.is_vector =>
            {
                vec![(state, Val::Expr(Some(*node)))]
            }
            (Meaning::Lane, [Val::Expr(Some(node)), Val::Int(_)]) => {
                // Of another vector nothing is known of one lane.
                let node = match state.shape(*node) {
                    Some(Shape { kind: Kind::Broadcast, fields }) => match fields.first() {
                        Some(Field::Expr(inner)) => *inner,
                        _ => return bad(self, state),
                    },
                    _ if self.is_concrete() => return bad(self, state),
                    _ => {
                        let ty = state.node(*node).ty.element();
                        state.add(ty, None, None)
                    }
                };
                vec![(state, Val::Expr(Some(node)))]
            }
            (Meaning::Scoped(holds), [Val::Expr(Some(node))]) => {
                let depth = (state.frames.len(), state.frame().len());
                state.assumed.push(Assumption { node: *node, holds, depth });
                vec![(state, Val::Handle("a scope".to_owned()))]
            }
            (Meaning::Lowered(kind), [Val::Expr(Some(a)), Val::Expr(Some(b))]) => {
                self.make(kind, *a, *b, state, line)
            }
            (Meaning::Computed(callee), values) if !values.is_empty() => {
                let mut arguments = Vec::new();
                for value in values {
                    match value {
                        Val::Real(term) => arguments.push(*term),
                        _ => return bad(self, state),
                    }
                }
                let name = self.fresh_name(callee);
                let term = self.values.var(&name, Domain::Real);
                state.computed.push(Computation { name, callee, arguments });
                vec![(state, Val::Real(term))]
            }
            (Meaning::MakeConst, [Val::Type(ty), Val::Real(term)]) if ty.code == Code::Float => {
                let shape = Shape { kind: Kind::FloatImm, fields: vec![Field::Number(*term)] };
                let scalar = state.add(ty.element(), None, Some(shape));
                let node = if ty.is_vector { Self::broadcast(scalar, &mut state) } else { scalar };
                vec![(state, Val::Expr(Some(node)))]
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
                    None => bad(self, state),
                }
            }
            (Meaning::Region, [_, region @ Val::Opaque(_), ..]) => {
                let (same, changed) = self.choose(state);
                let (yes, no) = (self.values.bool(true), self.values.bool(false));
                [(same, no), (changed, yes)]
                    .map(|(state, truth)| {
                        let members = vec![
                            ("first".to_owned(), region.clone()),
                            ("second".to_owned(), Val::Bool(truth)),
                        ];
                        (state, Val::Object(members))
                    })
                    .to_vec()
            }
            (Meaning::NoOp, [Val::Expr(None)]) => {
                vec![(state, Val::Bool(self.values.bool(true)))]
            }
            (Meaning::NoOp, [Val::Expr(Some(node))]) => self.is_no_op(*node, state),
            (Meaning::SideEffects, [Val::Expr(Some(node))]) => self.side_effects(*node, state),
            (Meaning::Steady, [Val::Expr(Some(node))]) => self.is_steady(*node, state),
            (Meaning::FreshName, _) => {
                let name = self.fresh_node_name(&mut state);
                vec![(state, Val::Expr(Some(name)))]
            }
            (Meaning::Proves, [Val::Expr(Some(node))]) if self.is_concrete() => {
                let value = self.node_value(*node, &state);
                let holds = self.values.as_number(value) == Some(1);
                vec![(state, Val::Bool(self.values.bool(holds)))]
            }
            (Meaning::Proves, [Val::Expr(Some(node))]) => {
                let (mut holds, fails) = self.choose(state);
                let value = self.node_value(*node, &holds);
                holds.facts.push(value);
                self.truths(vec![holds], vec![fails])
            }
            (Meaning::IsUndef, [Val::Expr(Some(node))]) => {
                let is_undef = state.node(*node).intrinsic.as_deref() == Some("undef");
                if self.is_concrete() || is_undef || state.shape(*node).is_some() {
                    return vec![(state, Val::Bool(self.values.bool(is_undef)))];
                }
                let (mut holds, fails) = self.choose(state);
                let shape = Shape { kind: Kind::Call, fields: Vec::new() };
                let known = holds.node_mut(*node);
                known.shape = Some(shape);
                known.intrinsic = Some("undef".to_owned());
                self.truths(vec![holds], vec![fails])
            }
            (Meaning::Substitute, [_, Val::Expr(_), Val::Expr(None)]) => {
                vec![(state, Val::Expr(None))]
            }
            (Meaning::Substitute, [what, Val::Int(num), within @ Val::Expr(_)]) => {
                let by = self.literal(crate::ir::kinds::I32, *num, &mut state);
                let arguments = vec![what.clone(), Val::Expr(Some(by)), within.clone()];
                self.api(name, templates, arguments, state, line)
            }
            (Meaning::Substitute, [what, Val::Expr(Some(by)), Val::Expr(Some(within))]) => {
                let (Val::Expr(Some(what)) | Val::Ptr(Some((what, _)))) = what else {
                    return bad(self, state);
                };
                let is_value = state.node(*within).ty.is_value();
                if self.is_concrete() || !is_value || state.node(*what).ty == Type::NAME {
                    return self.substitute(*what, *by, *within, state);
                }
                let result = state.add(state.node(*within).ty, None, None);
                if state.node(*what).ty == state.node(*by).ty {
                    let (what, by) = (self.node_value(*what, &state), self.node_value(*by, &state));
                    let old = self.node_value(*within, &state);
                    let new = self.node_value(result, &state);
                    let is_same = self.values.apply(Fun::Eq, &[what, by]);
                    let differs = self.values.apply(Fun::Not, &[is_same]);
                    let is_kept = self.values.apply(Fun::Eq, &[old, new]);
                    state.facts.push(self.values.apply(Fun::Or, &[differs, is_kept]));
                }
                vec![(state, Val::Expr(Some(result)))]
            }
            (
                Meaning::NoOverflow | Meaning::NoOverflowInt | Meaning::NoOverflowScalar,
                [Val::Type(ty)],
            ) => {
                let is_int = ty.code == Code::Int && ty.bits >= 32;
                let truth = match contract.meaning {
                    Meaning::NoOverflow => is_int || ty.code == Code::Float,
                    Meaning::NoOverflowInt => is_int,
                    _ => is_int && !ty.is_vector,
                };
                vec![(state, Val::Bool(self.values.bool(truth)))]
            }
            (Meaning::AnyBool, _) => {
                let (holds, fails) = self.choose(state);
                self.truths(vec![holds], vec![fails])
            }
            (Meaning::RemainderOf, _) if !self.is_concrete() => vec![(state, Val::info())],
            _ => {
                let _ = templates;
                if arguments.iter().any(|value| matches!(value, Val::Expr(None))) {
                    let what = format!("{name} of an undefined Expr");
                    self.end(state, Outcome::Crash(what), line);
                    return Vec::new();
                }
                bad(self, state)
            }
        }
    }

    pub(crate) fn truths(&mut self, holds: Vec<State>, fails: Vec<State>) -> Paths<Val> {
        let (yes, no) = (self.values.bool(true), self.values.bool(false));
        let holds = holds.into_iter().map(|state| (state, Val::Bool(yes)));
        holds.chain(fails.into_iter().map(|state| (state, Val::Bool(no)))).collect()
    }

    /// The variable of the input that has a name, if there is one.
    pub(crate) fn variable_named(value: &Val, state: &State) -> Option<NodeId> {
        let name = Self::name_of(value, state)?;
        (0..state.nodes.len()).find(|node| {
            matches!(&state.nodes[*node].shape, Some(Shape { kind: Kind::Variable, fields })
                if matches!(fields.first(), Some(Field::Expr(own)) if state.find(*own) == state.find(name)))
        })
    }

    /// Whether a number of lanes makes a vector; `None` if that is not known.
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

    fn truth_literal(
        &mut self,
        truth: ValueId,
        lanes: Option<&Val>,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut state = state;
        let Some(is_vector) = self.is_lanes(lanes) else {
            return self.unsupported(state, "a literal of so many lanes", line);
        };
        let num = self.host_number(truth, (0, 1), true);
        let node = self.literal(Type::BOOL.with_vector(is_vector), num, &mut state);
        vec![(state, Val::Expr(Some(node)))]
    }

    /// The value of a node with an integer.
    fn is_number(&mut self, term: ValueId, value: i128) -> ValueId {
        let domain = self.values.domain(term);
        if domain != Domain::Whole
            && domain.range().is_some_and(|(least, greatest)| value < least || greatest < value)
        {
            return self.values.bool(false);
        }
        let number = self.values.number(value, domain);
        self.values.apply(Fun::Eq, &[term, number])
    }

    fn sign_test(&mut self, op: &str, term: ValueId, zero: ValueId) -> ValueId {
        match self.values.domain(term) {
            // Of truth values, true alone is above 0.
            Domain::Bool if op == ">" => term,
            Domain::Bool => self.values.bool(false),
            _ => self.comparison(op, term, zero),
        }
    }

    /// A test of a literal, which looks through casts and broadcasts.
    fn literal_test(
        &mut self,
        node: NodeId,
        state: State,
        test: &mut dyn FnMut(&mut Self, ValueId) -> ValueId,
    ) -> Paths<Val> {
        if let Some(Shape { kind, fields }) = state.shape(node).cloned() {
            return match (kind, fields.as_slice()) {
                (Kind::IntImm | Kind::UIntImm | Kind::FloatImm, [Field::Number(term)]) => {
                    let truth = test(self, *term);
                    let (holds, fails) = self.fork(truth, state);
                    self.truths(holds, fails)
                }
                (Kind::Broadcast | Kind::Cast, [Field::Expr(inner), ..]) => {
                    self.literal_test(*inner, state, test)
                }
                (Kind::Ramp | Kind::Call, _) if state.node(node).intrinsic.is_none() => {
                    let (mut holds, fails) = self.choose(state);
                    let value = self.node_value(node, &holds);
                    let truth = test(self, value);
                    holds.facts.push(truth);
                    self.truths(vec![holds], vec![fails])
                }
                _ => self.truths(Vec::new(), vec![state]),
            };
        }
        let value = self.node_value(node, &state);
        let truth = test(self, value);
        if self.values.as_number(truth) == Some(0) {
            return self.truths(Vec::new(), vec![state]);
        }
        let mut holds = state.clone();
        holds.facts.push(truth);
        holds.node_mut(node).is_literal = true;
        holds.decide(Atom::Literal(node, truth), true);
        let mut fails = state;
        fails.decide(Atom::Literal(node, truth), false);
        self.truths(vec![holds], vec![fails])
    }

    fn as_const(&mut self, node: NodeId, code: Code, state: State) -> Paths<Val> {
        let ty = state.node(node).ty;
        if ty.code != code {
            return vec![(state, Val::NumPtr(None))];
        }
        let mut paths = Vec::new();
        let (holds, fails) = self.is_kind(node, Kind::Broadcast, state);
        for state in holds {
            match state.shape(node).map(|shape| shape.fields.clone()).as_deref() {
                Some([Field::Expr(inner), ..]) => {
                    let inner = *inner;
                    paths.extend(self.as_const(inner, code, state));
                }
                _ => paths.push((state, Val::NumPtr(None))),
            }
        }
        let kind = match code {
            Code::Int => Kind::IntImm,
            Code::UInt => Kind::UIntImm,
            _ => Kind::FloatImm,
        };
        for state in fails {
            let (holds, fails) = self.is_kind(node, kind, state);
            for state in holds {
                let term = self.node_value(node, &state);
                let value = match ty.range() {
                    Some(range) => Val::Int(self.host_number(term, range, code == Code::Int)),
                    None => Val::Real(term),
                };
                paths.push((state, Val::NumPtr(Some(Box::new(value)))));
            }
            paths.extend(fails.into_iter().map(|state| (state, Val::NumPtr(None))));
        }
        paths
    }

    fn euclid(&mut self, op: &str, a: Num, b: Num, state: State, line: usize) -> Paths<Val> {
        let mut state = state;
        self.division_claims(a, b, line, &mut state);
        let fun = if op == "/" { Fun::Div } else { Fun::Mod };
        let term = self.values.apply(fun, &[a.term, b.term]);
        let magnitude = a.high.max(-a.low);
        let (low, high) = match self.values.as_number(term) {
            Some(value) => (value, value),
            None if op == "/" => (-magnitude - 1, magnitude + 1),
            None => (0, b.high.max(-b.low)),
        };
        let (least, greatest) = Num::range(a.bits, a.is_signed);
        let (low, high) = (low.max(least), high.min(greatest));
        vec![(state, Val::Int(Num { term, low, high, remainder_of: None, ..a }))]
    }

    /// What `const_int_bounds` promises.
    fn bounds(
        &mut self,
        node: NodeId,
        least: &Place,
        greatest: &Place,
        state: State,
    ) -> Paths<Val> {
        let ty = state.node(node).ty;
        if self.is_concrete() {
            // Without a body to run, bounds are known of literals alone.
            let mut state = state;
            let value = self.node_value(node, &state);
            let Some(value) = self.values.as_number(value).filter(|_| !ty.is_vector) else {
                return self.truths(Vec::new(), vec![state]);
            };
            let value = Val::Int(self.number(value, 64, true));
            self.store(least, value.clone(), &mut state);
            self.store(greatest, value, &mut state);
            return self.truths(vec![state], Vec::new());
        }
        let (mut holds, fails) = self.choose(state);
        let Some(range) = ty.range().filter(|_| !ty.is_bool()) else {
            return self.truths(Vec::new(), vec![fails]);
        };
        let value = self.node_value(node, &holds);
        let value = self.host_number(value, range, true);
        let (low, high) =
            (self.any_number("least", 64, true), self.any_number("greatest", 64, true));
        let above = self.comparison("<=", low.term, value.term);
        let below = self.comparison("<=", value.term, high.term);
        holds.facts.extend([above, below]);
        holds.bounded.push((node, low.term, high.term));
        self.store(least, Val::Int(low), &mut holds);
        self.store(greatest, Val::Int(high), &mut holds);
        self.truths(vec![holds], vec![fails])
    }

    /// What `modulus_remainder` promises.
    fn remainder_contract(&mut self, node: NodeId, state: &mut State) -> Val {
        let ty = state.node(node).ty;
        if self.is_concrete() {
            // Of literals the number is known, of others that they leave 0 modulo 1.
            let value = self.node_value(node, state);
            let value = self.values.as_number(value).filter(|_| ty.range().is_some());
            let (modulus, remainder) = value.map_or((1, 0), |value| (0, value));
            let member = |machine: &mut Self, value| Val::Int(machine.number(value, 32, true));
            return Val::Object(vec![
                ("modulus".to_owned(), member(self, modulus)),
                ("remainder".to_owned(), member(self, remainder)),
            ]);
        }
        let modulus = Num { low: 0, ..self.any_number("modulus", 32, true) };
        let remainder = self.any_number("remainder", 32, true);
        if let Some(range) = ty.range().filter(|_| !ty.is_bool()) {
            let value = self.node_value(node, state);
            let value = self.host_number(value, range, true).term;
            state.facts.push(self.alignment(value, modulus.term, remainder.term));
        }
        Val::Object(vec![
            ("modulus".to_owned(), Val::Int(modulus)),
            ("remainder".to_owned(), Val::Int(remainder)),
        ])
    }

    /// A value is the remainder if the modulus is 0, else leaves it; no modulus is below 0.
    pub(crate) fn alignment(
        &mut self,
        value: ValueId,
        modulus: ValueId,
        remainder: ValueId,
    ) -> ValueId {
        let zero = self.values.number(0, self.values.domain(modulus));
        let is_known = self.values.apply(Fun::Eq, &[modulus, zero]);
        let is_value = self.values.apply(Fun::Eq, &[value, remainder]);
        let left = self.values.apply(Fun::Mod, &[value, modulus]);
        let leaves = self.values.apply(Fun::Eq, &[left, remainder]);
        let fact = self.values.apply(Fun::Ite, &[is_known, is_value, leaves]);
        let at_least = self.comparison("<=", zero, modulus);
        self.values.apply(Fun::And, &[at_least, fact])
    }
}

/// Objects of the compiler that are made empty.
const EMPTY: [&str; 2] = ["NodeRef", "Region"];

/// Whether a function computes with what visitors report, which is not followed.
pub(crate) fn is_of_reports(name: &str) -> bool {
    ["ModulusRemainder::", "ConstantInterval::"].iter().any(|class| name.starts_with(class))
        || matches!(name, "ConstantInterval" | "ModulusRemainder")
}
