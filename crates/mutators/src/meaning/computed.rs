//! The results of calls: the intrinsics of the IR whose values are known; and conversions.
//!
//! Calls of other functions with equal arguments have equal values.

use halidom_rewrites::rules::{Domain, Fun, Node, ValueId};

use crate::ir::intrinsics::{Intrinsic, is_nan, is_of_c, math, operands, without_space};
use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::meaning::terms::Meaning;

impl Meaning<'_> {
    /// The result of a function without effects: equal values for equal arguments.
    pub(crate) fn called(&mut self, callee: &str, nodes: &[NodeId], ty: Type) -> ValueId {
        let arguments: Vec<ValueId> = nodes.iter().map(|argument| self.node(*argument)).collect();
        let domain = self.domain(ty);
        if let (function @ (Intrinsic::QuietDiv | Intrinsic::QuietMod), [a, b]) =
            (Intrinsic::of(callee), arguments.as_slice())
        {
            let other = format!("{callee} {arguments:?}");
            return self.quiet(function == Intrinsic::QuietDiv, (*a, *b), domain, &other);
        }
        if let Some(term) = self.of_masks(callee, nodes, &arguments, ty) {
            return term;
        }
        let short = without_space(callee);
        if let [a, b] = arguments.as_slice()
            && is_of_c(short)
            && domain != Domain::Bool
            && nodes.iter().all(|of| self.state.node(*of).ty == ty)
        {
            let less = self.values.apply(Fun::Lt, &[*a, *b]);
            let (then, otherwise) = if short.ends_with("min") { (*a, *b) } else { (*b, *a) };
            return self.values.apply(Fun::Ite, &[less, then, otherwise]);
        }
        if let Some(given) = self.given {
            let numbers: Vec<Option<i128>> =
                arguments.iter().map(|term| self.values.as_number(*term)).collect();
            let number = given.number(&format!("{callee} {numbers:?}"), ty);
            return self.values.number(number, domain);
        }
        if let Some(math) = math(short) {
            return self.computed(math, &arguments);
        }
        if is_nan(short) {
            // Floats are treated as reals.
            return self.values.bool(false);
        }
        let types: Vec<Type> = nodes.iter().map(|node| self.state.node(*node).ty).collect();
        let other = format!("{callee} {arguments:?} of {types:?}");
        match (Intrinsic::of(short), arguments.as_slice()) {
            // No IR has such a call, so nothing is known of it.
            (Intrinsic::Abs, _) if operands(short, ty).is_some_and(|known| known != types) => {
                self.is_opaque = true;
                self.values.var(&other, domain)
            }
            (Intrinsic::BitwiseAnd | Intrinsic::ShiftLeft | Intrinsic::ShiftRight, [a, b])
                if domain != Domain::Real
                    && self.values.domain(*a) == domain
                    && (short != "bitwise_and" || self.values.domain(*b) == domain) =>
            {
                self.by_bits(short, *a, *b, ty, &other)
            }
            (Intrinsic::Abs, [a]) => {
                let zero = self.values.number(0, self.values.domain(*a));
                let is_negative = self.values.apply(Fun::Lt, &[*a, zero]);
                let negated = self.values.apply(Fun::Sub, &[zero, *a]);
                let [negated, kept] = [negated, *a].map(|term| {
                    if self.values.domain(term) == domain {
                        term
                    } else {
                        self.values.convert(term, domain)
                    }
                });
                self.values.apply(Fun::Ite, &[is_negative, negated, kept])
            }
            _ => {
                self.is_opaque = true;
                self.values.var(&other, domain)
            }
        }
    }

    /// The value of a function that computes with masks: numbers whose bits are all 1 or all 0.
    /// `None` for other functions.
    fn of_masks(
        &mut self,
        callee: &str,
        nodes: &[NodeId],
        arguments: &[ValueId],
        ty: Type,
    ) -> Option<ValueId> {
        let domain = self.domain(ty);
        if ty.code != Code::Int && !callee.ends_with("_mask") {
            return None;
        }
        let short = without_space(callee);
        let is_int = |node: &NodeId| self.state.node(*node).ty.code == Code::Int;
        let are_like = arguments.iter().all(|term| self.values.domain(*term) == domain);
        Some(match (Intrinsic::of(short), arguments) {
            (Intrinsic::BoolToMask, [truth]) if self.values.domain(*truth) == Domain::Bool => {
                let [all, none] = [-1, 0].map(|number| self.values.number(number, domain));
                self.values.apply(Fun::Ite, &[*truth, all, none])
            }
            (Intrinsic::CastMask, [mask]) if nodes.iter().all(is_int) => {
                self.cast(*mask, self.state.node(nodes[0]).ty, ty)
            }
            // The highest bit decides.
            (Intrinsic::SelectMask | Intrinsic::IfThenElseMask, [mask, a, b])
                if is_int(&nodes[0])
                    && [a, b].iter().all(|of| self.values.domain(**of) == domain) =>
            {
                let zero = self.values.number(0, self.values.domain(*mask));
                let is_set = self.values.apply(Fun::Lt, &[*mask, zero]);
                self.values.apply(Fun::Ite, &[is_set, *a, *b])
            }
            (Intrinsic::BitwiseNot, [a]) if are_like => {
                let all = self.values.number(-1, domain);
                self.values.apply(Fun::Sub, &[all, *a])
            }
            (function @ (Intrinsic::BitwiseAnd | Intrinsic::BitwiseOr), [a, b])
                if are_like && ty.is_vector =>
            {
                let is_and = function == Intrinsic::BitwiseAnd;
                let (unit, other) = if is_and { (-1, 0) } else { (0, -1) };
                let [unit, other] = [unit, other].map(|of| self.values.number(of, domain));
                let text = format!("{callee} {arguments:?}");
                let mut term = if is_and {
                    self.by_bits(short, *a, *b, ty, &text)
                } else {
                    self.is_opaque = true;
                    self.values.var(&text, domain)
                };
                for (of, value) in [(*a, *b), (*b, *a)] {
                    for (number, result) in [(unit, value), (other, other)] {
                        let is_it = self.values.apply(Fun::Eq, &[of, number]);
                        term = self.values.apply(Fun::Ite, &[is_it, result, term]);
                    }
                }
                term
            }
            _ => return None,
        })
    }

    /// The quotient or remainder where the divisor is not 0, and any value where it is.
    fn quiet(
        &mut self,
        is_quotient: bool,
        (a, b): (ValueId, ValueId),
        domain: Domain,
        other: &str,
    ) -> ValueId {
        let fun = if is_quotient { Fun::Div } else { Fun::Mod };
        let (is_zero, value) = if domain == Domain::Bool {
            let is_zero = self.values.apply(Fun::Not, &[b]);
            (is_zero, if is_quotient { a } else { self.values.bool(false) })
        } else {
            let zero = self.values.number(0, domain);
            (self.values.apply(Fun::Eq, &[b, zero]), self.values.apply(fun, &[a, b]))
        };
        if self.values.as_number(is_zero) == Some(0) {
            return value;
        }
        self.is_opaque = true;
        let any = self.values.var(other, domain);
        self.values.apply(Fun::Ite, &[is_zero, any, value])
    }

    /// The result of a rounding call whose arguments were not asked for: some whole number. `None`
    /// for other calls.
    pub(crate) fn rounded_class(&mut self, callee: &str, class: usize) -> Option<ValueId> {
        let name = math(callee).filter(|name| {
            matches!(
                Intrinsic::of(name),
                Intrinsic::Floor | Intrinsic::Ceil | Intrinsic::Round | Intrinsic::Trunc
            )
        })?;
        self.is_opaque = true;
        Some(self.values.var(&format!("{name} [of {class}]"), Domain::Real))
    }

    /// The result of a function of floating-point numbers: one number for each argument, which is
    /// whole if the function rounds. Rounding a whole number returns it unchanged.
    pub(crate) fn computed(&mut self, name: &str, arguments: &[ValueId]) -> ValueId {
        let first = arguments[0];
        match Intrinsic::of(name) {
            Intrinsic::Floor | Intrinsic::Ceil | Intrinsic::Round | Intrinsic::Trunc
                if self.is_whole(first) =>
            {
                first
            }
            Intrinsic::Trunc => {
                let zero = self.values.number(0, Domain::Real);
                let is_negative = self.values.apply(Fun::Lt, &[first, zero]);
                let (up, down) =
                    (self.computed("ceil", arguments), self.computed("floor", arguments));
                self.values.apply(Fun::Ite, &[is_negative, up, down])
            }
            _ => {
                self.is_opaque = true;
                self.values.var(&format!("{name} {arguments:?}"), Domain::Real)
            }
        }
    }

    fn is_whole(&self, term: ValueId) -> bool {
        match self.values.node(term) {
            Node::Var(index) => {
                let name = &self.values.vars()[*index as usize].0;
                ["floor [", "ceil [", "round [", "trunc ["]
                    .iter()
                    .any(|known| name.starts_with(known))
            }
            Node::Number(_) => self.values.as_number(term).is_some(),
            Node::Apply(Fun::Ite, parts) => parts[1..].iter().all(|part| self.is_whole(*part)),
            Node::Apply(..) => false,
        }
    }

    /// A value that is not known.
    fn any(&mut self, name: &str, domain: Domain) -> ValueId {
        self.is_opaque = true;
        self.values.var(name, domain)
    }

    /// An operation whose second argument is a number of bits, or a mask of lowest bits: a choice
    /// among all such numbers.
    fn by_bits(&mut self, name: &str, a: ValueId, b: ValueId, ty: Type, other: &str) -> ValueId {
        let domain = self.values.domain(a);
        if domain == Domain::Bool {
            let all = self.values.apply(Fun::And, &[a, b]);
            return if name == "bitwise_and" { all } else { self.any(other, domain) };
        }
        let known = self.values.as_number(b);
        let mut term = self.any(other, domain);
        let most = ty.range().map_or(0, |(_, greatest)| greatest);
        for bits in (0..i128::from(ty.bits)).rev() {
            let power = 1_i128 << bits;
            let second = if name == "bitwise_and" { power - 1 } else { bits };
            if known.is_some_and(|known| known != second) || power > most {
                continue;
            }
            let factor = self.values.number(power, domain);
            let fun = match Intrinsic::of(name) {
                Intrinsic::BitwiseAnd => Fun::Mod,
                Intrinsic::ShiftLeft => Fun::Mul,
                _ => Fun::Div,
            };
            let value = self.values.apply(fun, &[a, factor]);
            let second = self.values.number(second, self.values.domain(b));
            let is_second = self.values.apply(Fun::Eq, &[b, second]);
            term = self.values.apply(Fun::Ite, &[is_second, value, term]);
        }
        if name == "bitwise_and" && known.is_none_or(|known| known == most) {
            // An unsigned mask may keep all bits.
            let all = self.values.number(most, domain);
            let is_all = self.values.apply(Fun::Eq, &[b, all]);
            let value = if ty.range().is_some_and(|(least, _)| least == 0) {
                a
            } else {
                let size = self.values.number(most, domain);
                let one = self.values.number(1, domain);
                if domain == Domain::Whole {
                    let size = self.values.apply(Fun::Add, &[size, one]);
                    self.values.apply(Fun::Mod, &[a, size])
                } else {
                    self.any(&format!("{other} all"), domain)
                }
            };
            term = self.values.apply(Fun::Ite, &[is_all, value, term]);
        }
        term
    }

    /// A conversion between IR types. The result of converting a float to another type is not
    /// known, except on wholly known IR.
    pub(super) fn cast(&mut self, term: ValueId, from: Type, to: Type) -> ValueId {
        let domain = self.domain(to);
        match (from.domain(), to.domain()) {
            (Domain::Bool, Domain::Bool) | (Domain::Real, Domain::Real) => term,
            (Domain::Bool, _) => {
                let (one, zero) = (self.values.number(1, domain), self.values.number(0, domain));
                self.values.apply(Fun::Ite, &[term, one, zero])
            }
            (_, Domain::Real) => self.values.convert(term, domain),
            (Domain::Real, _)
                if self.rounds
                    && let Some(rounded) = self.rounded(term, to) =>
            {
                rounded
            }
            (Domain::Real, _) => {
                self.is_opaque = true;
                self.values.var(&format!("{to} of {term:?}"), domain)
            }
            (_, Domain::Bool) => {
                // The lowest bit is kept.
                let two = self.values.number(2, self.values.domain(term));
                let bit = self.values.apply(Fun::Mod, &[term, two]);
                let zero = self.values.number(0, self.values.domain(term));
                let is_zero = self.values.apply(Fun::Eq, &[bit, zero]);
                self.values.apply(Fun::Not, &[is_zero])
            }
            _ => {
                let fits =
                    from.range().zip(to.range()).is_some_and(|((low, high), (least, greatest))| {
                        least <= low && high <= greatest
                    });
                if fits {
                    return self.values.convert(term, domain);
                }
                let wrapping = match to.code {
                    Code::Int => Domain::Signed(to.bits),
                    _ => Domain::Unsigned(to.bits),
                };
                let wrapped = self.values.convert(term, wrapping);
                self.values.convert(wrapped, domain)
            }
        }
    }

    /// The expression whose bits are read: bits that are read as several types, one after the
    /// other, are those of the first. All have one width.
    pub(super) fn read_bits(&self, operands: &[NodeId]) -> NodeId {
        let mut of = operands.first().copied().unwrap_or_default();
        for _ in &self.state.nodes {
            let class = self.state.class(self.state.node(of).class);
            let read = self.state.nodes.iter().find_map(|node| match &node.shape {
                Some(Shape { kind: Kind::Reinterpret, fields })
                    if self.state.class(node.class) == class =>
                {
                    match fields.as_slice() {
                        [Field::Expr(inner)] => Some(*inner),
                        _ => None,
                    }
                }
                _ => None,
            });
            match read {
                Some(inner) => of = inner,
                None => break,
            }
        }
        of
    }

    /// Tests whether the bits of a type, read as another type, are the number that a conversion
    /// gives.
    pub(super) fn keeps_bits(from: Type, to: Type) -> bool {
        let is_integer = |ty: Type| matches!(ty.code, Code::Int | Code::UInt);
        from == to || from.bits == to.bits && is_integer(from) && is_integer(to)
    }

    /// A float without its fraction, as an integer of a type, which is undefined where it does not
    /// fit.
    fn rounded(&mut self, term: ValueId, to: Type) -> Option<ValueId> {
        let (least, greatest) = to.range().filter(|_| !to.is_bool())?;
        let [zero, one] = [0, 1].map(|number| self.values.number(number, Domain::Real));
        let fraction = self.values.apply(Fun::Mod, &[term, one]);
        let floor = self.values.apply(Fun::Sub, &[term, fraction]);
        let is_negative = self.values.apply(Fun::Lt, &[term, zero]);
        let is_whole = self.values.apply(Fun::Eq, &[fraction, zero]);
        let next = self.values.apply(Fun::Add, &[floor, one]);
        let above = self.values.apply(Fun::Ite, &[is_whole, floor, next]);
        let rounded = self.values.apply(Fun::Ite, &[is_negative, above, floor]);
        let fits = self.between(rounded, least, greatest);
        self.defined.extend(fits);
        Some(self.values.convert(rounded, self.domain(to)))
    }
}
