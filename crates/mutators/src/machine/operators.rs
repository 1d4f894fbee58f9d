//! C++ operators on values of the machine.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind};
use halidom_rewrites::rules::{Domain, Fun};

use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::{Num, Val};
use crate::machine::absent::UNDEFINED;
use crate::machine::given::given;
use crate::machine::info::is_report;
use crate::machine::maps::GONE;
use crate::machine::methods::PART_OF_TEXT;
use crate::machine::patterns::kind_of;
use crate::machine::run::{Machine, Outcome, Paths, ROUNDED};
use crate::machine::sums::OVERFLOW;

impl<'p> Machine<'p> {
    /// Interprets a message. The condition of an assert may fail, an error ends the compiler, and
    /// logging does nothing.
    pub(crate) fn stream(
        &mut self,
        name: &str,
        arguments: &'p [Expr],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        if self.is_own_message(name, &state) {
            return self.unsupported(state, format!("`{name}`, which the files define"), line);
        }
        let level = arguments.first().map(|level| &level.kind);
        let is_fatal =
            name == "LOG" && matches!(level, Some(ExprKind::Name(level)) if level == "FATAL");
        if name.ends_with("_error") || is_fatal {
            self.end(state, Outcome::Rejected(format!("{name} is reached")), line);
            return Vec::new();
        }
        if let (Some(op), [a, b]) = (compared(name), arguments) {
            let mut passed = Vec::new();
            for (state, [a, b]) in self.both(a, b, state) {
                for (state, truth) in self.binary(op, a, b, state, line) {
                    let (holds, fails) = self.truth(&truth, state, line);
                    for state in fails {
                        self.end(state, Outcome::Crash(format!("{name} fails")), line);
                    }
                    passed.extend(holds.into_iter().map(|state| (state, Val::Void)));
                }
            }
            return passed;
        }
        let is_read = !["debug", "LOG"].contains(&name);
        let mut unread = arguments.iter().skip(usize::from(is_read));
        if unread.any(|argument| self.has_effect(argument, &state)) {
            return self.unsupported(state, "a message with an effect", line);
        }
        match arguments.first() {
            // Where asserts are compiled away, their effects disappear too.
            Some(condition) if name == "assert" && self.has_effect(condition, &state) => {
                self.unsupported(state, "an assert with an effect", line)
            }
            Some(condition) if is_read => {
                let (holds, fails) = self.branch(condition, state);
                for state in fails {
                    let what = format!("{name} fails");
                    // An assert about what users wrote refuses their programs on purpose.
                    let outcome = if name == "user_assert" {
                        Outcome::Rejected(what)
                    } else {
                        Outcome::Crash(what)
                    };
                    self.end(state, outcome, line);
                }
                holds.into_iter().map(|state| (state, Val::Void)).collect()
            }
            _ => vec![(state, Val::Void)],
        }
    }

    /// Tests whether the files give the name of an assert or a log another meaning. Such a function
    /// need not end the compiler.
    fn is_own_message(&self, name: &str, state: &State) -> bool {
        let program = self.program;
        let mut names = program.others.iter().chain(&program.aliases_within);
        let mut fields = program.classes.iter().flat_map(|class| &class.fields);
        names.any(|of| of == name)
            || program.functions.iter().any(|of| of.name == name)
            || program.classes.iter().any(|of| of.name == name)
            || fields.any(|of| of.name == name)
            || Self::find_variable(name, state).is_some()
            || self.running.is_some_and(|of| of.declared.iter().any(|known| known == name))
    }

    pub(super) fn prefix(
        &mut self,
        op: Sign,
        operand: &'p Expr,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        if self.has_prefix_operator(op) {
            return self.unsupported(state, format!("an operator {op} of its own"), line);
        }
        match op {
            Sign::Not => {
                let mut paths = Vec::new();
                for (state, value) in self.eval(operand, state) {
                    if value.is_info() && given(&value).is_none() {
                        paths.push((state, Val::info()));
                        continue;
                    }
                    if matches!(value, Val::Expr(_)) {
                        paths.extend(self.make_node(Kind::Not, &[value], state, line));
                        continue;
                    }
                    let (holds, fails) = self.truth(&value, state, line);
                    let (yes, no) = (self.values.bool(true), self.values.bool(false));
                    paths.extend(holds.into_iter().map(|state| (state, Val::Bool(no))));
                    paths.extend(fails.into_iter().map(|state| (state, Val::Bool(yes))));
                }
                paths
            }
            Sign::BitAnd => {
                let places = self.place(operand, state);
                places.into_iter().map(|(state, place)| (state, Val::Address(place))).collect()
            }
            Sign::Mul => {
                let mut paths = Vec::new();
                for (state, value) in self.eval(operand, state) {
                    paths.extend(self.pointed(value, state, line));
                }
                paths
            }
            Sign::Sub | Sign::Add | Sign::BitNot => {
                let mut paths = Vec::new();
                for (mut state, value) in self.eval(operand, state) {
                    match (op, self.widened(value)) {
                        (Sign::Add, value) => paths.push((state, value)),
                        // Nothing is known of the result.
                        (_, value) if value.is_info() => paths.push((state, Val::info())),
                        (Sign::Sub, Val::Int(num)) => {
                            let zero = self.number(0, num.bits, num.is_signed);
                            match self.arithmetic(Sign::Sub, zero, num, line, &mut state) {
                                Some(value) => paths.push((state, value)),
                                None => return self.unsupported(state, "a negation", line),
                            }
                        }
                        (Sign::Sub, Val::Real(term)) => {
                            let zero = self.values.number(0, Domain::Real);
                            let negated = self.values.apply(Fun::Sub, &[zero, term]);
                            paths.push((state, Val::Real(negated)));
                        }
                        (Sign::Sub, Val::Expr(Some(node))) => {
                            let ty = state.node(node).ty;
                            let zero = self.number(0, 32, true);
                            let zero = self.literal(ty, zero, &mut state);
                            paths.extend(self.make(Kind::Sub, zero, node, state, line));
                        }
                        _ => self.end(
                            state,
                            Outcome::Unsupported(format!("the operator {op}")),
                            line,
                        ),
                    }
                }
                paths
            }
            _ => self.unsupported(state, format!("the operator {op}"), line),
        }
    }

    /// Reads the value to which a pointer points.
    pub(super) fn pointed(&mut self, pointer: Val, state: State, line: usize) -> Paths<Val> {
        if given(&pointer).is_some() {
            let value = if pointer.is_info() { Val::info() } else { Val::Unknown };
            let followed = self.followed(&pointer, state, line).into_iter();
            return followed.map(|state| (state, value.clone())).collect();
        }
        match pointer {
            Val::NumPtr(Some((_, value))) if Self::may_be_gone(&value, &state) => {
                self.unsupported(state, GONE, line)
            }
            Val::NumPtr(Some((_, value))) => vec![(state, *value)],
            Val::NumPtr(None) | Val::Ptr(None) => {
                self.end(state, Outcome::Crash("null dereference".to_owned()), line);
                Vec::new()
            }
            Val::Address(place) => match Self::load(&place, &state) {
                Some(slot) => vec![(state, slot.value)],
                None => self.unsupported(state, "a pointer", line),
            },
            Val::Handle(of) if self.may_be_null(&of, &state) => {
                self.unsupported(state, UNDEFINED, line)
            }
            value @ Val::Handle(_) => vec![(state, value)],
            _ => self.unsupported(state, "a pointer", line),
        }
    }

    /// Applies a binary operator to values.
    pub(crate) fn binary(
        &mut self,
        op: Sign,
        lhs: Val,
        rhs: Val,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        if self.has_operator(op, [&lhs, &rhs]) {
            return self.unsupported(state, format!("an operator {op} of its own"), line);
        }
        if let Some(paths) = self.is_given_null(op, [&lhs, &rhs], &state) {
            return paths;
        }
        let mut state = state;
        if lhs.is_info() || rhs.is_info() {
            let compared = self.compare_bounds(op, &lhs, &rhs, &mut state);
            return vec![(state, compared.unwrap_or_else(Val::info))];
        }
        if is_report(&lhs) || is_report(&rhs) {
            let known = match self.compare_intervals(op, &lhs, &rhs, &mut state) {
                Some(truth) => Some(truth),
                None => self.combined(op, &lhs, &rhs),
            };
            return vec![(state, known.unwrap_or_else(Val::info))];
        }
        let is_part = |value: &Val| matches!(value, Val::Handle(of) if of == PART_OF_TEXT);
        if self.mode.is_emitter() && (is_part(&lhs) || is_part(&rhs)) {
            return self.unknown_text(op, &lhs, &rhs, state, line);
        }
        if let Some(paths) = self.is_at_end(op, [&lhs, &rhs], &state) {
            return paths;
        }
        if self.has_undefined_operand(op, [&lhs, &rhs]) {
            return self.unsupported(state, UNDEFINED, line);
        }
        if let Some(paths) = self.symbols(op, &lhs, &rhs, &state) {
            return paths;
        }
        let is_unknown = |value: &Val| matches!(value, Val::Handle(_)) && !value.is_info();
        if self.may_be_partial(op, [&lhs, &rhs]) {
            let what = format!("the operator {op} on something unknown");
            return self.unsupported(state, what, line);
        }
        if self.may_overflow(op, [&lhs, &rhs]) {
            return self.unsupported(state, OVERFLOW, line);
        }
        match (&lhs, &rhs) {
            // Nothing is known about an expression that is made of something unknown.
            (Val::Expr(Some(_)), other) | (other, Val::Expr(Some(_)))
                if is_unknown(other)
                    && self.follows_unknown()
                    && !self.mode.is_emitter()
                    && op != Sign::Shl =>
            {
                let name = self.fresh_name("unknown");
                vec![(state, Val::Handle(name))]
            }
            (Val::Expr(_), _) | (_, Val::Expr(_)) => self.operator(op, lhs, rhs, state, line),
            (Val::Bool(a), Val::Bool(b)) if matches!(op, Sign::Eq | Sign::Ne) => {
                let truth = self.comparison(op, *a, *b);
                vec![(state, Val::Bool(truth))]
            }
            (Val::Bool(a), Val::Bool(b)) if matches!(op, Sign::BitOr | Sign::BitAnd) => {
                let fun = if op == Sign::BitOr { Fun::Or } else { Fun::And };
                let truth = self.values.apply(fun, &[*a, *b]);
                let num = Num { bits: 32, ..self.host_number(truth, (0, 1), true) };
                vec![(state, Val::Int(num))]
            }
            // Nothing is known about what is computed from something unknown.
            (Val::Handle(_), Val::Handle(_) | Val::Bool(_) | Val::Int(_) | Val::Text(_))
            | (Val::Bool(_) | Val::Int(_) | Val::Text(_), Val::Handle(_))
                if self.follows_unknown() && !self.mode.is_emitter() && op != Sign::Shl =>
            {
                let value = self.computed_of_unknown([&lhs, &rhs]);
                vec![(state, value)]
            }
            (Val::Int(_) | Val::Bool(_), Val::Int(_) | Val::Bool(_)) => {
                let (Some(a), Some(b)) = (self.promote(&lhs), self.promote(&rhs)) else {
                    return self.unsupported(state, format!("the operator {op}"), line);
                };
                match self.arithmetic(op, a, b, line, &mut state) {
                    Some(value) => vec![(state, value)],
                    None => self.unsupported(state, format!("the operator {op} on numbers"), line),
                }
            }
            (Val::Real(_), _) | (_, Val::Real(_)) => self.of_reals(op, &lhs, &rhs, state, line),
            (Val::Type(a), Val::Type(b)) if matches!(op, Sign::Eq | Sign::Ne) => {
                if let Some(paths) = self.open_equality(op, (*a, *b), &state) {
                    return paths;
                }
                let truth = self.values.bool((a == b) == (op == Sign::Eq));
                vec![(state, Val::Bool(truth))]
            }
            (Val::Code(a), Val::Code(b)) if matches!(op, Sign::Eq | Sign::Ne) => {
                let truth = self.values.bool((a == b) == (op == Sign::Eq));
                vec![(state, Val::Bool(truth))]
            }
            (Val::Ptr(Some(a)), Val::Ptr(Some(b))) if matches!(op, Sign::Eq | Sign::Ne) => {
                let (same, other) = self.same_pointer(*a, *b, state);
                let (yes, no) =
                    (self.values.bool(op == Sign::Eq), self.values.bool(op == Sign::Ne));
                let same = same.into_iter().map(|state| (state, Val::Bool(yes)));
                same.chain(other.into_iter().map(|state| (state, Val::Bool(no)))).collect()
            }
            (Val::Ptr(Some((node, kind))), Val::Ptr(None))
            | (Val::Ptr(None), Val::Ptr(Some((node, kind))))
                if matches!(op, Sign::Eq | Sign::Ne) =>
            {
                let (holds, fails) = self.is_kind(*node, *kind, state);
                let (present, absent) =
                    (self.values.bool(op == Sign::Ne), self.values.bool(op == Sign::Eq));
                let holds = holds.into_iter().map(|state| (state, Val::Bool(present)));
                holds.chain(fails.into_iter().map(|state| (state, Val::Bool(absent)))).collect()
            }
            _ => self.unsupported(state, format!("the operator {op}"), line),
        }
    }

    /// Applies a binary operator to two numbers, one or both real.
    fn of_reals(
        &mut self,
        op: Sign,
        lhs: &Val,
        rhs: &Val,
        mut state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut real = |value: &Val| match value {
            Val::Real(term) => Some(*term),
            Val::Int(num) => match self.real_of(*num) {
                Val::Real(term) => Some(term),
                _ => None,
            },
            _ => None,
        };
        let (Some(a), Some(b)) = (real(lhs), real(rhs)) else {
            return self.unsupported(state, format!("the operator {op}"), line);
        };
        let fun = match op {
            Sign::Add => Fun::Add,
            Sign::Sub => Fun::Sub,
            Sign::Mul => Fun::Mul,
            Sign::Div => Fun::Div,
            Sign::Eq | Sign::Ne | Sign::Lt | Sign::Le | Sign::Gt | Sign::Ge => {
                let truth = self.comparison(op, a, b);
                return vec![(state, Val::Bool(truth))];
            }
            _ => return self.unsupported(state, format!("the operator {op}"), line),
        };
        let result = self.values.apply(fun, &[a, b]);
        let is_known = [a, b].iter().all(|of| self.values.as_number(*of).is_some());
        let is_exact = self.values.as_number(result).is_some_and(|of| of.abs() <= 1 << 53);
        if is_known && !is_exact && !self.is_concrete() {
            state.lost = Some(ROUNDED);
        }
        vec![(state, Val::Real(result))]
    }

    /// Applies an operator to a part of a text that is not known. A comparison is a free choice,
    /// but on known IR a search never finds anything.
    fn unknown_text(
        &mut self,
        op: Sign,
        lhs: &Val,
        rhs: &Val,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let is_nowhere = |value: &Val| matches!(value, Val::Handle(of) if of.ends_with("npos"));
        match op {
            Sign::Eq | Sign::Ne if self.is_concrete() => {
                let is_missed = is_nowhere(lhs) || is_nowhere(rhs);
                let truth = self.values.bool(is_missed == (op == Sign::Eq));
                vec![(state, Val::Bool(truth))]
            }
            Sign::Eq | Sign::Ne | Sign::Lt | Sign::Le | Sign::Gt | Sign::Ge => {
                let (holds, fails) = self.choose(state);
                self.truths(vec![holds], vec![fails])
            }
            Sign::Add | Sign::Sub => vec![(state, Val::Handle(PART_OF_TEXT.to_owned()))],
            _ => self.unsupported(state, format!("the operator {op} on a text"), line),
        }
    }

    /// Forks on whether two pointers are equal: both are null, or both point to the same node. Two
    /// nodes of equal structure may be different nodes.
    fn same_pointer(
        &mut self,
        (a, of_a): (NodeId, Kind),
        (b, of_b): (NodeId, Kind),
        state: State,
    ) -> (Vec<State>, Vec<State>) {
        let (mut same, mut other) = (Vec::new(), Vec::new());
        let (first, not_first) = self.is_kind(a, of_a, state);
        for state in first {
            let (both, only) = self.is_kind(b, of_b, state);
            other.extend(only);
            for state in both {
                if state.find(a) == state.find(b) {
                    same.push(state);
                } else if self.is_concrete() {
                    other.push(state);
                } else {
                    same.extend(self.equal(a, b, state.clone()).0);
                    other.push(state);
                }
            }
        }
        for state in not_first {
            let (only, neither) = self.is_kind(b, of_b, state);
            other.extend(only);
            same.extend(neither);
        }
        (same, other)
    }

    /// Converts a value to a numeric operand: a truth value becomes an `int`.
    pub(crate) fn promote(&mut self, value: &Val) -> Option<Num> {
        match value {
            Val::Int(num) => Some(*num),
            Val::Bool(truth) => Some(Num { bits: 32, ..self.host_number(*truth, (0, 1), true) }),
            _ => None,
        }
    }

    /// Converts an integer to a floating-point number.
    pub(crate) fn real_of(&mut self, num: Num) -> Val {
        Val::Real(self.values.convert(num.term, Domain::Real))
    }

    /// Tests whether the files have an operator outside of classes, other than one of their own
    /// classes, that may be meant for these operands.
    fn has_operator(&self, op: Sign, operands: [&Val; 2]) -> bool {
        let is_number = |value: &Val| matches!(value, Val::Int(_) | Val::Bool(_) | Val::Real(_));
        if operands.into_iter().all(is_number) {
            return false;
        }
        let program = self.program;
        let is_of_class = |ty: &str| {
            let ty = ty.trim_end_matches(['&', '*']).trim();
            program.classes.iter().any(|class| class.name == ty)
        };
        program.functions.iter().any(|own| {
            own.name.strip_prefix("operator").is_some_and(|sign| sign.trim() == op.text())
                && own.class.is_empty()
                && !own.parameters.iter().any(|parameter| is_of_class(&parameter.ty))
        }) || program
            .own_methods
            .iter()
            .chain(&program.others)
            .any(|name| name.strip_prefix("operator").is_some_and(|sign| sign.trim() == op.text()))
    }

    /// Tests whether the files have a prefix operator outside of classes, other than one of their
    /// own classes. What the files declare without a body may be one.
    pub(super) fn has_prefix_operator(&self, op: Sign) -> bool {
        let program = self.program;
        let is_it =
            |name: &str| name.strip_prefix("operator").is_some_and(|sign| sign.trim() == op.text());
        let is_of_class = |ty: &str| {
            let ty = ty.trim_end_matches(['&', '*']).trim();
            program.classes.iter().any(|class| class.name == ty)
        };
        let steps = matches!(op, Sign::Increment | Sign::Decrement);
        program.functions.iter().any(|own| {
            is_it(&own.name)
                && own.class.is_empty()
                && (own.parameters.len() == 1 || steps)
                && !own.parameters.iter().any(|parameter| is_of_class(&parameter.ty))
        }) || program.own_methods.iter().chain(&program.others).any(|name| is_it(name))
    }

    /// Applies an operator of the API to expressions. An integer next to an expression becomes a
    /// literal of that expression's type; other types are matched.
    pub(super) fn operator(
        &mut self,
        op: Sign,
        lhs: Val,
        rhs: Val,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut state = state;
        if let (Some(intrinsic), Val::Expr(Some(a)), Val::Expr(Some(b))) = (bitwise(op), &lhs, &rhs)
        {
            let (a, b) = (*a, *b);
            if state.node(a).ty != state.node(b).ty {
                // Each compiler has its own conversions there.
                let what = format!("the operator {op} on expressions of two types");
                return self.unsupported(state, what, line);
            }
            let ty = state.node(a).ty;
            let (is_halide, is_shift) =
                (self.profile.name == "halide", matches!(op, Sign::Shl | Sign::Shr));
            let is_refused = match ty.code {
                Code::Float => !is_shift || !is_halide,
                Code::Handle => !is_shift,
                _ => false,
            };
            if is_refused {
                self.end(state, Outcome::Rejected(format!("the operator {op} at {ty}")), line);
                return Vec::new();
            }
            // Of truth values, Halide makes connectives.
            let connective =
                [(Sign::BitAnd, Kind::And), (Sign::BitOr, Kind::Or), (Sign::BitXor, Kind::NE)];
            let connective = connective.into_iter().find(|(sign, _)| *sign == op);
            if let Some((_, kind)) = connective.filter(|_| is_halide && ty.is_bool()) {
                return self.make(kind, a, b, state, line);
            }
            let fields = vec![Field::Expr(a), Field::Expr(b)];
            let node = state.add(ty, None, Some(Shape { kind: Kind::Call, fields }));
            state.node_mut(node).intrinsic = Some(intrinsic.to_owned());
            return vec![(state, Val::Expr(Some(node)))];
        }
        let kind = match op {
            Sign::Gt => Some(Kind::GT),
            Sign::Ge => Some(Kind::GE),
            op => kind_of(op),
        };
        let Some(kind) = kind else {
            return self.unsupported(state, format!("the operator {op} on Expr"), line);
        };
        let pair = match (lhs, rhs) {
            (Val::Expr(Some(a)), Val::Expr(Some(b))) => (a, b),
            // The operators take an `int`.
            (Val::Expr(Some(a)), Val::Int(num)) => {
                let ty = state.node(a).ty;
                let num = self.convert(num, 32, true);
                let Some(num) = self.representable(num, ty, line, &mut state) else {
                    return Vec::new();
                };
                let literal = self.literal(ty, num, &mut state);
                (a, literal)
            }
            (Val::Int(num), Val::Expr(Some(b))) => {
                let ty = state.node(b).ty;
                let num = self.convert(num, 32, true);
                let Some(num) = self.representable(num, ty, line, &mut state) else {
                    return Vec::new();
                };
                let literal = self.literal(ty, num, &mut state);
                (literal, b)
            }
            (Val::Expr(None), _) | (_, Val::Expr(None)) => {
                self.end(state, Outcome::Crash(format!("{op} of an undefined Expr")), line);
                return Vec::new();
            }
            _ => return self.unsupported(state, format!("the operator {op} on Expr"), line),
        };
        let Some((a, b)) = self.match_types(pair.0, pair.1, &mut state, line) else {
            return Vec::new();
        };
        self.make(kind, a, b, state, line)
    }

    /// A number next to an expression must be a number of the expression's type: the compiler
    /// refuses any other. `None` if it is not; else, the path goes on where it is.
    pub(super) fn representable(
        &mut self,
        num: Num,
        ty: Type,
        line: usize,
        s: &mut State,
    ) -> Option<Num> {
        let what = format!("an integer that {ty} does not hold");
        if ty.code == Code::Handle {
            self.end(s.clone(), Outcome::Rejected(what), line);
            return None;
        }
        let Some((least, greatest)) = ty.range() else { return Some(num) };
        if least <= num.low && num.high <= greatest {
            return Some(num);
        }
        if self.values.as_number(num.term).is_some() {
            self.end(s.clone(), Outcome::Rejected(what), line);
            return None;
        }
        let [low, high] = [least, greatest].map(|of| self.number(of, 64, num.is_signed).term);
        let below = self.comparison(Sign::Lt, num.term, low);
        let above = self.comparison(Sign::Lt, high, num.term);
        let outside = self.values.apply(Fun::Or, &[below, above]);
        let mut refused = s.clone();
        refused.facts.push(outside);
        self.end(refused, Outcome::Rejected(what), line);
        let inside = self.values.apply(Fun::Not, &[outside]);
        s.facts.push(inside);
        Some(num)
    }
}

/// The intrinsic that an operator of the API on expressions calls.
fn bitwise(op: Sign) -> Option<&'static str> {
    Some(match op {
        Sign::BitAnd => "bitwise_and",
        Sign::BitOr => "bitwise_or",
        Sign::BitXor => "bitwise_xor",
        Sign::Shl => "shift_left",
        Sign::Shr => "shift_right",
        _ => return None,
    })
}

/// Asserts that compare two operands.
const COMPARED: [(&str, Sign); 6] = [
    ("CHECK_EQ", Sign::Eq),
    ("CHECK_NE", Sign::Ne),
    ("CHECK_LT", Sign::Lt),
    ("CHECK_LE", Sign::Le),
    ("CHECK_GT", Sign::Gt),
    ("CHECK_GE", Sign::Ge),
];

/// The comparison that an assert of two operands makes.
fn compared(name: &str) -> Option<Sign> {
    COMPARED.iter().find(|(known, _)| *known == name).map(|(_, sign)| *sign)
}

/// Asserts and logs, to which text is streamed.
const STREAMS: [&str; 12] = [
    "internal_assert",
    "user_assert",
    "internal_error",
    "user_error",
    "debug",
    "user_warning",
    "LOG",
    "CHECK",
    "assert",
    "std::cerr",
    "std::cout",
    "cerr",
];

pub(crate) fn is_stream(name: &str) -> bool {
    compared(name).is_some() || STREAMS.contains(&name)
}

/// The leftmost operand of a chain of `<<`, if it is a stream.
pub(super) fn stream_head(expr: &Expr) -> Option<(&str, &[Expr])> {
    match &expr.kind {
        ExprKind::Binary(op, lhs, _) if *op == Sign::Shl => stream_head(lhs),
        ExprKind::Call { callee, arguments, .. } => match &callee.kind {
            ExprKind::Name(name) if is_stream(name) => Some((name, arguments)),
            _ => None,
        },
        ExprKind::Name(name) if is_stream(name) => Some((name, &[])),
        _ => None,
    }
}
