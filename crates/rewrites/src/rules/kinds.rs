//! Type inference for rules: which parts have the same type, and which types are possible.

use halidom_base::IndexMap;

use super::pattern::{Op, Pattern};
use super::read::{Guard, Rule, Subject, TypeTest};
use super::value::Domain;

/// The type of a part of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Truth values.
    Bool,
    /// Counts of lanes.
    Lanes,
    /// Integers that C++ computes with.
    Long,
    /// A type that is still open, by its number.
    Open(usize),
}

/// The types of the parts of a rule.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinds {
    /// For each open type, the kind that it was unified with. `numeric` records for each whether it
    /// must be a number.
    links: Vec<Option<Kind>>,
    numeric: Vec<bool>,
    names: IndexMap<String, Kind>,
    /// The type of both sides.
    result: Option<Kind>,
}

/// The types of the rule's parts do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IllTyped;

/// The types of a rule's parts, in the order in which the compiler meets them.
///
/// The left side and the guards decide where a rule fires. The other parts must not narrow this: at
/// a type where only they do not fit, the rule fires and builds an ill-typed expression.
#[derive(Debug)]
pub(crate) struct Inferred {
    /// The types by the left side, the guards and the contracts alone.
    pub(crate) left: Kinds,
    /// The same with the predicate.
    matched: Kinds,
    /// The same with the right side, too.
    whole: Kinds,
    /// The type of both sides.
    pub(crate) result: Kind,
    /// The type of the left side's first operand.
    pub(crate) operand: Kind,
}

/// The types of a rule's parts for given types of its left side.
pub(crate) enum Fit {
    /// All parts fit.
    Whole(Kinds, Typing),
    /// The left side and the predicate fit, but not the right side.
    NoResult(Kinds, Typing),
    /// Not modelled, with the reason.
    Unsupported(&'static str),
}

impl Inferred {
    /// Infers the types of a rule's parts.
    pub(crate) fn of(rule: &Rule) -> Result<Self, IllTyped> {
        let mut left = Kinds::counts(rule);
        left.result = Some(left.fresh());
        let result = left.infer(&rule.lhs)?;
        let result = left.result.map_or(Ok(result), |known| left.unify(known, result))?;
        left.result = Some(result);
        for contract in &rule.contracts {
            let kind = left.infer(contract)?;
            left.unify(kind, Kind::Bool)?;
        }
        for guard in &rule.guards {
            left.infer_guard(guard)?;
        }
        let operand = match &rule.lhs {
            Pattern::Apply(Op::Select, _) => Kind::Bool,
            Pattern::Apply(_, operands) => match operands.as_slice() {
                [first, second] => left.common(first, second)?,
                _ => left.infer(&operands[0])?,
            },
            _ => result,
        };
        let mut matched = left.clone();
        if let Some(predicate) = &rule.predicate {
            let kind = matched.infer(predicate)?;
            matched.unify(kind, Kind::Bool)?;
        }
        let mut whole = matched.clone();
        let rhs = whole.infer(&rule.rhs)?;
        whole.unify(result, rhs)?;
        Ok(Self { left, matched, whole, result, operand })
    }

    /// Returns the numbers of the open types: those of the left side, the operands' first, and
    /// those of the other parts alone.
    pub(crate) fn open(&self) -> Vec<usize> {
        let mut open = self.left.open(&[self.result, self.operand]);
        if let Kind::Open(index) = self.left.resolve(self.operand) {
            open.retain(|other| *other != index);
            open.insert(0, index);
        }
        let roots: Vec<Kind> =
            open.iter().map(|index| self.whole.resolve(Kind::Open(*index))).collect();
        let more = self.whole.open(&[]);
        open.extend(more.into_iter().filter(|index| !roots.contains(&Kind::Open(*index))));
        open
    }

    /// True if an open type must be a number wherever the rule fires.
    pub(crate) fn is_numeric(&self, index: usize) -> bool {
        match self.left.numeric.get(index) {
            Some(numeric) => *numeric,
            None => self.whole.numeric[index],
        }
    }

    /// Returns the types of the parts where the open types are `typing`.
    pub(crate) fn fit(&self, typing: &Typing) -> Fit {
        match self.whole.narrowed(typing) {
            Narrowed::To(typing) => return Fit::Whole(self.whole.clone(), typing),
            Narrowed::Unsupported(reason) => return Fit::Unsupported(reason),
            Narrowed::Never => {}
        }
        match self.matched.narrowed(typing) {
            Narrowed::To(typing) => Fit::NoResult(self.matched.clone(), typing),
            Narrowed::Never | Narrowed::Unsupported(_) => {
                Fit::Unsupported("a condition that has another type")
            }
        }
    }
}

/// The types of some parts for given types of others.
enum Narrowed {
    /// These.
    To(Typing),
    /// None.
    Never,
    /// Not modelled, with the reason.
    Unsupported(&'static str),
}

impl Kinds {
    /// Returns the types of the names that are counts of lanes.
    fn counts(rule: &Rule) -> Self {
        let mut kinds = Self::default();
        for side in [&rule.lhs, &rule.rhs] {
            side.visit(&mut |part| {
                if let Pattern::Apply(op, operands) = part {
                    for count in op.counts(operands) {
                        if let Pattern::Constant(name) = count {
                            kinds.names.insert(name.clone(), Kind::Lanes);
                        }
                    }
                }
            });
        }
        kinds
    }

    /// Infers the types of a pattern alone.
    pub(crate) fn of(pattern: &Pattern) -> Option<Self> {
        let mut kinds = Self::default();
        let result = kinds.fresh();
        kinds.result = Some(result);
        let kind = kinds.infer(pattern).ok()?;
        kinds.unify(result, kind).ok()?;
        Some(kinds)
    }

    /// True if two names have one type.
    pub(crate) fn are_alike(&self, a: &Pattern, b: &Pattern) -> bool {
        let kind = |pattern: &Pattern| match pattern {
            Pattern::Wild(name) | Pattern::Constant(name) => {
                self.names.get(name).map(|kind| self.resolve(*kind))
            }
            _ => None,
        };
        kind(a).is_some() && kind(a) == kind(b)
    }

    /// Returns the types that remain open, where earlier ones are `typing`.
    fn narrowed(&self, typing: &Typing) -> Narrowed {
        let mut domains: IndexMap<usize, Domain> = IndexMap::default();
        let mut is_unmodelled = false;
        for (index, domain) in &typing.domains {
            // A type of a part that is not among these.
            if *index >= self.links.len() {
                continue;
            }
            match self.resolve(Kind::Open(*index)) {
                Kind::Bool if *domain == Domain::Bool => {}
                Kind::Bool => return Narrowed::Never,
                Kind::Open(root) => {
                    is_unmodelled |= self.numeric[root] && *domain == Domain::Bool;
                    match domains.insert(root, *domain) {
                        // Two types of the left side that were independent. A domain may stand for
                        // types of several widths.
                        Some(other) if other != *domain => return Narrowed::Never,
                        Some(_) if matches!(domain, Domain::Whole | Domain::Real) => {
                            return Narrowed::Never;
                        }
                        Some(_) | None => {}
                    }
                }
                Kind::Lanes | Kind::Long => {
                    if *domain != Domain::Whole {
                        return Narrowed::Unsupported("a C++ integer that takes another type");
                    }
                }
            }
        }
        if is_unmodelled {
            return Narrowed::Unsupported("arithmetic of truth values");
        }
        Narrowed::To(Typing { domains })
    }

    fn infer_guard(&mut self, guard: &Guard) -> Result<(), IllTyped> {
        match guard {
            Guard::All(parts) | Guard::Any(parts) => {
                parts.iter().try_for_each(|part| self.infer_guard(part))
            }
            Guard::Not(part) | Guard::Passed(part) | Guard::Left(part) => self.infer_guard(part),
            Guard::Fact(fact) => self.infer(fact).map(|_| ()),
            Guard::Type(..) | Guard::Unknown => Ok(()),
        }
    }

    /// Returns what a kind stands for, as far as it is known.
    pub(crate) fn resolve(&self, kind: Kind) -> Kind {
        let mut kind = kind;
        while let Kind::Open(index) = kind
            && let Some(next) = self.links[index]
        {
            kind = next;
        }
        kind
    }

    fn fresh(&mut self) -> Kind {
        self.links.push(None);
        self.numeric.push(false);
        Kind::Open(self.links.len() - 1)
    }

    fn unify(&mut self, a: Kind, b: Kind) -> Result<Kind, IllTyped> {
        let (a, b) = (self.resolve(a), self.resolve(b));
        match (a, b) {
            _ if a == b => Ok(a),
            (Kind::Open(first), Kind::Open(second)) => {
                // The older type stays, so inferring a part again later does not change the type of
                // a name.
                let (old, young) = (first.min(second), first.max(second));
                self.numeric[old] |= self.numeric[young];
                self.links[young] = Some(Kind::Open(old));
                Ok(Kind::Open(old))
            }
            (Kind::Open(index), other) | (other, Kind::Open(index)) => {
                if other == Kind::Bool && self.numeric[index] {
                    return Err(IllTyped);
                }
                self.links[index] = Some(other);
                Ok(other)
            }
            _ => Err(IllTyped),
        }
    }

    fn number(&mut self, kind: Kind) -> Result<Kind, IllTyped> {
        match self.resolve(kind) {
            Kind::Bool => Err(IllTyped),
            Kind::Open(index) => {
                self.numeric[index] = true;
                Ok(Kind::Open(index))
            }
            kind @ (Kind::Lanes | Kind::Long) => Ok(kind),
        }
    }

    /// Unifies two operands of arithmetic. A count of lanes next to a value is converted to the
    /// value's type.
    fn meet(&mut self, a: Kind, b: Kind) -> Result<Kind, IllTyped> {
        match (self.resolve(a), self.resolve(b)) {
            (Kind::Long, Kind::Open(index)) | (Kind::Open(index), Kind::Long)
                if !self.is_named(index) =>
            {
                // A literal among C++ integers is one of them.
                self.links[index] = Some(Kind::Long);
                Ok(Kind::Long)
            }
            (Kind::Lanes | Kind::Long, other) | (other, Kind::Lanes | Kind::Long) => Ok(other),
            (a, b) => self.unify(a, b),
        }
    }

    /// True if an open type is that of a name.
    fn is_named(&self, index: usize) -> bool {
        self.names.values().any(|kind| self.resolve(*kind) == Kind::Open(index))
    }

    /// Infers the type of a pattern; a second call gives the same type.
    pub(crate) fn infer(&mut self, pattern: &Pattern) -> Result<Kind, IllTyped> {
        let (op, operands) = match pattern {
            Pattern::Wild(name) | Pattern::Constant(name) => {
                if let Some(kind) = self.names.get(name) {
                    return Ok(self.resolve(*kind));
                }
                let kind = self.fresh();
                self.names.insert(name.clone(), kind);
                return Ok(kind);
            }
            // A C++ integer takes the type of the other operand.
            Pattern::Lanes(_) | Pattern::Host(_) => return Ok(Kind::Lanes),
            Pattern::Unread(_) => return Ok(Kind::Bool),
            // The matcher takes a truth value for the number 0 or 1.
            Pattern::Bool(_)
            | Pattern::Int(_)
            | Pattern::TypeMin
            | Pattern::TypeMax
            | Pattern::Undefined => {
                return Ok(self.fresh());
            }
            Pattern::Apply(op, operands) => (*op, operands),
        };
        let kinds = operands.iter().map(|operand| self.infer(operand));
        let kinds: Vec<Kind> = kinds.collect::<Result<_, _>>()?;
        match op {
            Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Div
            | Op::Mod
            | Op::TruncDiv
            | Op::TruncMod
            | Op::FloorDiv
            | Op::FloorMod
            | Op::Min
            | Op::Max => {
                let kind = self.meet(kinds[0], kinds[1])?;
                self.number(kind)
            }
            Op::Neg | Op::Abs => self.number(kinds[0]),
            Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                let kind = self.meet(kinds[0], kinds[1])?;
                self.number(kind)?;
                Ok(Kind::Bool)
            }
            Op::Eq | Op::Ne => {
                self.meet(kinds[0], kinds[1])?;
                Ok(Kind::Bool)
            }
            Op::And | Op::Or => {
                self.unify(kinds[0], Kind::Bool)?;
                self.unify(kinds[1], Kind::Bool)
            }
            Op::Not => self.unify(kinds[0], Kind::Bool),
            Op::Select => {
                self.unify(kinds[0], Kind::Bool)?;
                self.meet(kinds[1], kinds[2])
            }
            Op::Broadcast | Op::Slice | Op::Transpose | Op::Fold | Op::Likely => Ok(kinds[0]),
            Op::Ramp => {
                let kind = self.meet(kinds[0], kinds[1])?;
                self.number(kind)
            }
            Op::Reduce(_) => Ok(kinds[0]),
            Op::LanesOf => Ok(Kind::Lanes),
            Op::Value => Ok(Kind::Long),
            Op::CanProve
            | Op::Overflows
            | Op::IsConst
            | Op::IsFloat
            | Op::IsInt
            | Op::IsUint
            | Op::IsMaxValue
            | Op::IsMinValue => Ok(Kind::Bool),
            Op::Cast => Ok(self.fresh()),
            Op::OfResult { .. } => {
                let result = self.result.unwrap_or(kinds[0]);
                self.meet(kinds[0], result)
            }
        }
    }

    /// Returns the type in which two patterns are computed with or compared.
    pub(crate) fn common(&mut self, a: &Pattern, b: &Pattern) -> Result<Kind, IllTyped> {
        let (a, b) = (self.infer(a)?, self.infer(b)?);
        self.meet(a, b)
    }

    /// Returns the numbers of the types that are still open, among the types of names and the given
    /// kinds.
    pub(crate) fn open(&self, more: &[Kind]) -> Vec<usize> {
        let mut open = Vec::new();
        for kind in self.names.values().chain(more) {
            if let Kind::Open(index) = self.resolve(*kind)
                && !open.contains(&index)
            {
                open.push(index);
            }
        }
        open
    }
}

/// A domain for each open type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Typing {
    /// The domains by the type's number.
    pub(crate) domains: IndexMap<usize, Domain>,
}

impl Typing {
    /// Returns the domain of a kind; counts of lanes are integers.
    pub(crate) fn domain(&self, kinds: &Kinds, kind: Kind) -> Domain {
        match kinds.resolve(kind) {
            Kind::Bool => Domain::Bool,
            Kind::Lanes => Domain::Whole,
            // The solver knows bits and integers, but hardly how they relate. Next to literals that
            // wrap, an `int64_t` is 64 bits; it holds each literal, and its overflow is excluded.
            Kind::Long if self.domains.values().any(|domain| domain.wraps()) => Domain::Signed(64),
            Kind::Long => Domain::Whole,
            Kind::Open(index) => self.domains.get(&index).copied().unwrap_or(Domain::Whole),
        }
    }
}

/// Evaluates a guard where the types are known; `None` if the types do not decide it.
pub(crate) fn admits(guard: &Guard, result: Domain, operand: Domain) -> Option<bool> {
    match guard {
        Guard::All(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| admits(part, result, operand)).collect();
            if parts.contains(&Some(false)) {
                return Some(false);
            }
            parts.into_iter().collect::<Option<Vec<_>>>().map(|_| true)
        }
        Guard::Any(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| admits(part, result, operand)).collect();
            if parts.contains(&Some(true)) {
                return Some(true);
            }
            parts.into_iter().collect::<Option<Vec<_>>>().map(|_| false)
        }
        Guard::Not(part) | Guard::Passed(part) | Guard::Left(part) => {
            admits(part, result, operand).map(|holds| !holds)
        }
        Guard::Type(test, subject) => {
            let domain = match subject {
                Subject::Result => result,
                Subject::Operand => operand,
            };
            match (test, domain) {
                // `Whole` also stands for signed integers of 64 bits.
                (TypeTest::Bits(_), Domain::Whole) => None,
                _ => Some(is_of(*test, domain)),
            }
        }
        Guard::Fact(_) | Guard::Unknown => None,
    }
}

/// Tests whether a domain passes a test. Source: `Simplify_Internal.h`: signed types of at least 32
/// bits do not overflow.
fn is_of(test: TypeTest, domain: Domain) -> bool {
    match test {
        TypeTest::NoOverflow => matches!(domain, Domain::Whole | Domain::Real),
        TypeTest::NoOverflowInt => domain == Domain::Whole,
        TypeTest::Int => matches!(domain, Domain::Whole | Domain::Signed(_)),
        // `bool` is an unsigned integer of one bit.
        TypeTest::Uint => matches!(domain, Domain::Unsigned(_) | Domain::Bool),
        TypeTest::Float => domain == Domain::Real,
        TypeTest::Bool => domain == Domain::Bool,
        TypeTest::IntOrUint => domain != Domain::Real,
        TypeTest::Bits(width) => domain.width() == Some(width),
        TypeTest::MaySimplify => true,
    }
}
