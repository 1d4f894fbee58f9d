//! The facts that a rule's predicate and guards allow to be assumed.

use super::kinds::admits;
use super::meaning::{Builder, Division, Part, Result, between};
use super::pattern::{Op, Pattern};
use super::read::Guard;
use super::value::{Domain, Fun, ValueId};

/// Reads a condition as a fact.
type Reading<B> = fn(&mut B, &Pattern) -> Result<Option<ValueId>>;

impl Builder<'_> {
    /// Assumes the parts of a predicate that are understood.
    pub(super) fn assume(&mut self, predicate: &Pattern) -> Result<()> {
        match predicate {
            Pattern::Apply(Op::And, parts) => parts.iter().try_for_each(|part| self.assume(part)),
            Pattern::Apply(Op::CanProve, parts) => {
                let known = self.facts.len();
                let defined = self.proved(|builder| builder.assume(&parts[0]))?.1;
                for index in known..self.facts.len() {
                    self.facts[index] = self.where_defined(defined.clone(), self.facts[index]);
                }
                Ok(())
            }
            Pattern::Apply(Op::Or, _) => {
                let fact = self.supposed(predicate)?;
                self.facts.extend(fact);
                Ok(())
            }
            Pattern::Apply(Op::Not, parts) => {
                if let Pattern::Apply(Op::Overflows, inner) = &parts[0] {
                    let kind = self.kinds.infer(&inner[0])?;
                    if self.typing.domain(&self.kinds, kind) == Domain::Whole {
                        let known = self.defined.len();
                        let value = self.value(&inner[0], &[], Domain::Whole)?;
                        self.defined.truncate(known);
                        let (least, greatest) = (-(1 << 31), (1 << 31) - 1);
                        let facts = between(&mut self.values, value, least, greatest);
                        self.narrow_facts.extend(facts);
                    }
                    return Ok(());
                }
                let fact = self.exact(predicate)?;
                self.facts.extend(fact);
                Ok(())
            }
            _ => {
                let fact = self.exact(predicate)?;
                self.facts.extend(fact);
                Ok(())
            }
        }
    }

    /// Assumes what a contract tells of a number of the function.
    pub(super) fn assume_report(&mut self, contract: &Pattern) -> Result<()> {
        let mut described = None;
        contract.visit(&mut |part| {
            if let Pattern::Apply(Op::Sub, parts) = part
                && matches!(parts[1], Pattern::Host(_))
            {
                described = Some(&parts[0]);
            }
        });
        if let Some(operand) = described {
            let kind = self.kinds.infer(operand)?;
            // The numbers have 64 bits, which a type that wraps does not hold.
            if self.typing.domain(&self.kinds, kind) != Domain::Whole {
                return Ok(());
            }
        }
        self.assume(contract)
    }

    /// Reads a condition about expressions, and the conditions under which these have a value.
    fn proved<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(T, Vec<ValueId>)> {
        let part = std::mem::replace(&mut self.part, Part::Proved);
        let before = std::mem::take(&mut self.defined);
        let read = read(self);
        self.part = part;
        let defined = std::mem::replace(&mut self.defined, before);
        Ok((read?, defined))
    }

    /// Weakens a fact that was proved of expressions: a proof may take what has no value for
    /// anything, so it tells nothing where something has none.
    fn where_defined(&mut self, defined: Vec<ValueId>, fact: ValueId) -> ValueId {
        defined.into_iter().fold(fact, |fact, defined| {
            let never = self.values.apply(Fun::Not, &[defined]);
            self.values.apply(Fun::Or, &[never, fact])
        })
    }

    /// Returns a fact that holds where a predicate is true; `None` if none is known. Unlike the
    /// predicate's truth, it is weaker where the predicate asks for more than values.
    fn supposed(&mut self, predicate: &Pattern) -> Result<Option<ValueId>> {
        match predicate {
            Pattern::Apply(Op::And, parts) => self.both(parts, |builder, part| {
                // A part of which nothing is known restricts nothing.
                Ok(Some(builder.supposed(part)?.unwrap_or_else(|| builder.values.bool(true))))
            }),
            Pattern::Apply(Op::Or, parts) => self.either(parts, Self::supposed),
            Pattern::Apply(Op::CanProve, parts) => {
                let (truth, defined) = self.proved(|builder| builder.supposed(&parts[0]))?;
                Ok(truth.map(|truth| self.where_defined(defined, truth)))
            }
            _ => self.exact(predicate),
        }
    }

    /// Returns the conjunction of two conditions, where the second is computed only if the first
    /// holds.
    fn both(&mut self, parts: &[Pattern], read: Reading<Self>) -> Result<Option<ValueId>> {
        let Some(lhs) = read(self, &parts[0])? else { return Ok(None) };
        let not = self.values.apply(Fun::Not, &[lhs]);
        let rhs = self.unless(not, &parts[1], read)?;
        Ok(rhs.map(|rhs| self.values.apply(Fun::And, &[lhs, rhs])))
    }

    /// Returns the disjunction of two conditions, where the second is computed only if the first
    /// does not hold.
    fn either(&mut self, parts: &[Pattern], read: Reading<Self>) -> Result<Option<ValueId>> {
        let Some(lhs) = read(self, &parts[0])? else { return Ok(None) };
        let rhs = self.unless(lhs, &parts[1], read)?;
        Ok(rhs.map(|rhs| self.values.apply(Fun::Or, &[lhs, rhs])))
    }

    /// Reads a condition that is computed only unless `never` holds. So the facts that come with
    /// its computation, such as a divisor that is not 0, are known only there.
    fn unless(
        &mut self,
        never: ValueId,
        condition: &Pattern,
        read: Reading<Self>,
    ) -> Result<Option<ValueId>> {
        let (known, owed) = (self.facts.len(), self.divisions.len());
        let truth = read(self, condition);
        for index in known..self.facts.len() {
            self.facts[index] = self.values.apply(Fun::Or, &[never, self.facts[index]]);
        }
        for division in &mut self.divisions[owed..] {
            division.is_safe = self.values.apply(Fun::Or, &[never, division.is_safe]);
        }
        truth
    }

    /// Returns a predicate's truth; `None` where it depends on more than values.
    fn exact(&mut self, predicate: &Pattern) -> Result<Option<ValueId>> {
        let Pattern::Apply(op, parts) = predicate else {
            if let Pattern::Unread(_) = predicate {
                return Ok(None);
            }
            return self.value(predicate, &[], Domain::Bool).map(Some);
        };
        match op {
            Op::And => self.both(parts, Self::exact),
            Op::Or => self.either(parts, Self::exact),
            Op::Not => {
                let Some(truth) = self.exact(&parts[0])? else { return Ok(None) };
                Ok(Some(self.values.apply(Fun::Not, &[truth])))
            }
            Op::CanProve | Op::IsConst => Ok(None),
            Op::Overflows => {
                let kind = self.kinds.infer(&parts[0])?;
                match self.typing.domain(&self.kinds, kind) {
                    // Folding reports overflow only for signed types of at least 32 bits.
                    Domain::Whole => Ok(None),
                    _ => Ok(Some(self.values.bool(false))),
                }
            }
            Op::IsFloat | Op::IsInt | Op::IsUint => {
                let kind = self.kinds.infer(&parts[0])?;
                let domain = self.typing.domain(&self.kinds, kind);
                let truth = match op {
                    Op::IsFloat => domain == Domain::Real,
                    Op::IsInt => matches!(domain, Domain::Whole | Domain::Signed(_)),
                    _ => matches!(domain, Domain::Unsigned(_) | Domain::Bool),
                };
                Ok(Some(self.values.bool(truth)))
            }
            Op::IsMaxValue | Op::IsMinValue => {
                let kind = self.kinds.infer(&parts[0])?;
                let domain = self.typing.domain(&self.kinds, kind);
                let Some((least, greatest)) = domain.range() else {
                    // The test is false for floats (`IRMatch.h`).
                    return Ok(Some(self.values.bool(false)));
                };
                let value = self.value(&parts[0], &[], domain)?;
                let bound = if *op == Op::IsMaxValue { greatest } else { least };
                let bound = self.values.number(bound, domain);
                Ok(Some(self.values.apply(Fun::Eq, &[value, bound])))
            }
            _ => {
                let before = std::mem::take(&mut self.defined);
                let value = self.value(predicate, &[], Domain::Bool);
                let defined = std::mem::replace(&mut self.defined, before);
                match self.part {
                    // The matcher does not match where a quotient in a predicate has no value.
                    Part::Condition => self.facts.extend(defined),
                    // Where C++ divides by 0, the compiler ends.
                    Part::Host => {
                        for is_safe in defined {
                            let (text, facts) = (predicate.to_string(), self.facts.clone());
                            self.divisions.push(Division { text, facts, is_safe });
                            self.facts.push(is_safe);
                        }
                    }
                    // What is known only where it has a value is weakened by the caller.
                    Part::Left | Part::Right | Part::Proved => self.defined.extend(defined),
                }
                value.map(Some)
            }
        }
    }

    /// Returns the fact that a guard allows to be assumed; `None` if it allows nothing.
    pub(super) fn guard(
        &mut self,
        guard: &Guard,
        positive: bool,
        result: Domain,
        operand: Domain,
    ) -> Result<Option<ValueId>> {
        if let Some(holds) = admits(guard, result, operand) {
            return Ok((holds != positive).then(|| self.values.bool(false)));
        }
        match (guard, positive) {
            (Guard::Not(part) | Guard::Passed(part) | Guard::Left(part), _) => {
                self.guard(part, !positive, result, operand)
            }
            (Guard::All(parts), true) | (Guard::Any(parts), false) => {
                let mut all = None;
                for part in parts {
                    if let Some(fact) = self.guard(part, positive, result, operand)? {
                        all = Some(match all {
                            Some(all) => self.values.apply(Fun::And, &[all, fact]),
                            None => fact,
                        });
                    }
                }
                Ok(all)
            }
            (Guard::Any(parts), true) | (Guard::All(parts), false) => {
                let mut any = self.values.bool(false);
                for part in parts {
                    let Some(fact) = self.guard(part, positive, result, operand)? else {
                        return Ok(None);
                    };
                    any = self.values.apply(Fun::Or, &[any, fact]);
                }
                Ok(Some(any))
            }
            (Guard::Fact(fact), true) => self.exact(fact),
            (Guard::Fact(_), false) | (Guard::Type(..) | Guard::Unknown, _) => Ok(None),
        }
    }
}
