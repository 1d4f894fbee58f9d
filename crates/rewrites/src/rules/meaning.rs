//! The claim of a rule at given types, as an obligation over values of one lane.
//!
//! # Correctness
//!
//! The obligation is about one unknown lane of a vector. The path (*way* in the code) from the
//! outermost expression to a part determines the part's lane: `broadcast(e, n)` and
//! `ramp(e, s, n)`, with `e` of `m` lanes, lead from lane `i` to lane `i mod m` of `e` and `s`; a
//! ramp adds `⌊i / m⌋` times the stride. A path is written as the counts that it drops; dropping
//! `n` and then `k` is dropping `n·k`. A slice and a transpose lead to a lane that only they
//! determine. Two occurrences of a wildcard have the same value if their paths are the same. If the
//! paths differ, the values may differ, so a proof holds for all vectors. Counts that a predicate
//! relates (`c1 % c0 == 0`) are written in factors.

use std::cmp::Ordering;

use super::kinds::{Fit, IllTyped, Inferred, Kind, Kinds, Typing, admits};
use super::lanes;
use super::pattern::{Op, Pattern};
use super::read::{Guard, Rule};
use super::rounding::rounded;
use super::value::{Domain, Fun, ValueId, Values};
use crate::profile::{Language, Profile, ZeroDivision};

/// A step of the path from the outermost expression's lane to a part's lane.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// Drops the slowest digit; its count in factors.
    Drop(Vec<String>),
    /// The permutation of a slice or a transpose.
    Shuffle(String),
}

/// The equation that a proof of a rule must show, with its assumptions.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// The terms.
    pub values: Values,
    /// The value of the left side.
    pub lhs: ValueId,
    /// The value of the right side.
    pub rhs: ValueId,
    /// The assumptions: guards, predicate, contracts.
    pub facts: Vec<ValueId>,
    /// The facts about overflow in the predicate, true only at 32 bits. Values that violate one of
    /// them are not tried; the last query to the solver assumes them.
    pub narrow_facts: Vec<ValueId>,
    /// The values that are tried: where arithmetic wraps, the first two lanes, which every vector
    /// has. No proof may assume this.
    pub tried: Vec<ValueId>,
    /// The left side is undefined where one of these is false.
    pub lhs_defined: Vec<ValueId>,
    /// The right side is undefined where one of these is false.
    pub rhs_defined: Vec<ValueId>,
    /// True if integers have more than 32 bits, so that no conclusion may use the bounds of 32
    /// bits.
    pub is_wide: bool,
}

/// The claims of a rule at given types.
#[derive(Debug)]
pub(crate) struct Claims {
    /// Both sides have the same value.
    pub(crate) equation: Obligation,
    /// The divisions that C++ does in the rule's condition.
    pub(crate) divisions: Vec<Division>,
}

/// A division that C++ does in a rule's condition. It ends the compiler if the divisor is 0.
#[derive(Clone, Debug)]
pub(crate) struct Division {
    /// The comparison with the division.
    pub(crate) text: String,
    /// The assumptions that hold where it is computed.
    pub(crate) facts: Vec<ValueId>,
    /// The divisor is not 0, or the division is not computed.
    pub(crate) is_safe: ValueId,
}

impl Claims {
    /// Returns the claim that a division in the rule's condition has no divisor 0.
    pub(crate) fn of_division(&self, division: &Division) -> Obligation {
        Obligation {
            rhs: self.equation.lhs,
            facts: division.facts.clone(),
            rhs_defined: vec![division.is_safe],
            ..self.equation.clone()
        }
    }
}

/// The reason why there is no obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoObligation {
    /// The guards require other types.
    NotReached,
    /// A construct that is not modelled.
    Unsupported(String),
}

impl From<IllTyped> for NoObligation {
    fn from(IllTyped: IllTyped) -> Self {
        Self::Unsupported("a rule whose parts' types do not fit".to_owned())
    }
}

pub(super) struct Builder<'r> {
    pub(super) kinds: Kinds,
    pub(super) typing: &'r Typing,
    /// The type of both sides.
    result: Kind,
    pub(super) values: Values,
    zero_division: ZeroDivision,
    pub(super) defined: Vec<ValueId>,
    /// The counts that are written in factors.
    pub(super) factors: Vec<(String, Vec<String>)>,
    pub(super) narrow_facts: Vec<ValueId>,
    pub(super) tried: Vec<ValueId>,
    pub(super) facts: Vec<ValueId>,
    /// The paths to the wildcards in the left side.
    pub(super) ways: Vec<(String, Vec<Step>)>,
    /// The part of the rule that is being read.
    pub(super) part: Part,
    /// The divisions that C++ does.
    pub(super) divisions: Vec<Division>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Left,
    Right,
    /// A condition that the matcher computes from constants.
    Condition,
    /// A condition that C++ computes.
    Host,
    /// A condition about expressions.
    Proved,
}

pub(super) type Result<T> = std::result::Result<T, NoObligation>;

fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(NoObligation::Unsupported(what.into()))
}

/// Rules that fire on everything that they match.
///
/// The simplifier has already rewritten the operands of a rule's left side, so none of them is
/// matched by such a rule. Nor is the whole expression matched by such a rule that was tried
/// before.
#[derive(Clone, Debug, Default)]
pub struct Context<'r> {
    /// The rules of all files.
    pub everywhere: Vec<&'r Rule>,
    /// The rules that the same function tries earlier.
    pub earlier: Vec<&'r Rule>,
}

/// Returns the literal in a broadcast, as matching looks through it, and any other pattern itself.
fn one_lane(pattern: &Pattern) -> &Pattern {
    match pattern {
        Pattern::Apply(Op::Broadcast, operands)
            if matches!(operands[0], Pattern::Constant(_) | Pattern::Int(_)) =>
        {
            &operands[0]
        }
        other => other,
    }
}

/// True if a rule fires on everything that it matches: it has no conditions, and distinguishes only
/// literals.
pub fn is_unconditional(rule: &Rule) -> bool {
    let Pattern::Apply(Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod, operands) = &rule.lhs
    else {
        return false;
    };
    let is_plain = |operand: &Pattern| {
        matches!(operand, Pattern::Wild(_) | Pattern::Constant(_) | Pattern::Int(_))
    };
    rule.predicate.is_none()
        && operands.iter().all(is_plain)
        && operands.first() != operands.last()
        && !operands.iter().all(|operand| matches!(operand, Pattern::Wild(_)))
}

/// Returns the claims of a rule at the types of `typing`.
///
/// Assumes that the rules of `context` have already rewritten all that they match.
pub(crate) fn claims(
    rule: &Rule,
    typing: &Typing,
    profile: &Profile,
    context: &Context<'_>,
) -> Result<Claims> {
    let inferred = Inferred::of(rule)?;
    let of_left = |kind| typing.domain(&inferred.left, kind);
    let (result_kind, result) = (inferred.result, of_left(inferred.result));
    let operand = of_left(inferred.operand);
    if rule.guards.iter().any(|guard| admits(guard, result, operand) == Some(false)) {
        return Err(NoObligation::NotReached);
    }
    let (kinds, typing, has_type) = match inferred.fit(typing) {
        Fit::Whole(kinds, typing) => (kinds, typing, true),
        Fit::NoResult(kinds, typing) => (kinds, typing, false),
        Fit::Unsupported(reason) => return unsupported(reason),
    };
    let mut unread = None;
    let counts = match lanes::fit(rule, profile.vectors) {
        lanes::Answer::Fit(counts) => Some(counts),
        lanes::Answer::IllFormed => None,
        lanes::Answer::Unknown(what) => {
            unread = Some(what);
            None
        }
    };
    let mut builder = Builder {
        kinds,
        typing: &typing,
        result: result_kind,
        values: Values::default(),
        zero_division: profile.zero_division,
        defined: Vec::new(),
        factors: Vec::new(),
        narrow_facts: Vec::new(),
        tried: Vec::new(),
        facts: Vec::new(),
        ways: Vec::new(),
        part: Part::Left,
        divisions: Vec::new(),
    };
    builder.rewritten_before(rule, context)?;
    if let Some(predicate) = &rule.predicate {
        builder.relate_counts(predicate);
    }
    let lhs = builder.value(&rule.lhs, &[], result)?;
    let lhs_defined = std::mem::take(&mut builder.defined);
    builder.part = Part::Right;
    // Where the right side has another type or other lanes than the left side, or its operands do
    // not fit, it is no expression at all.
    let rhs = if has_type && counts.is_some() { &rule.rhs } else { &Pattern::Undefined };
    let rhs = builder.value(rhs, &[], result)?;
    if let Some(what) = unread {
        return unsupported(what);
    }
    builder.owe_counts(rule, counts.unwrap_or_default())?;
    let rhs_defined = std::mem::take(&mut builder.defined);
    match rule.language {
        Language::IrMatch => {
            builder.conditions(rule.predicate.as_ref(), Part::Condition)?;
            builder.reports(rule)?;
            builder.guards(rule, result, operand)?;
        }
        // What holds where the condition is computed is known before.
        Language::PatternMatch => {
            builder.reports(rule)?;
            builder.guards(rule, result, operand)?;
            builder.conditions(rule.predicate.as_ref(), Part::Host)?;
        }
    }
    let Builder { values, facts, narrow_facts, tried, divisions, .. } = builder;
    let equation = Obligation {
        values,
        lhs,
        rhs,
        facts,
        narrow_facts,
        tried,
        lhs_defined,
        rhs_defined,
        is_wide: profile.is_wide,
    };
    Ok(Claims { equation, divisions })
}

impl Builder<'_> {
    /// States that counts of the right side are not 1, where those of the left side are not.
    fn owe_counts(&mut self, rule: &Rule, counts: Vec<Pattern>) -> Result<()> {
        let whole = Domain::Whole;
        if counts.is_empty() {
            return Ok(());
        }
        let one = self.values.number(1, whole);
        for count in lanes::matched_counts(rule) {
            let count = self.value(count, &[], whole)?;
            let is_many = self.values.apply(Fun::Lt, &[one, count]);
            self.facts.push(is_many);
        }
        for count in counts {
            let count = self.value(&count, &[], whole)?;
            let is_one = self.values.apply(Fun::Eq, &[count, one]);
            let is_other = self.values.apply(Fun::Not, &[is_one]);
            self.defined.push(is_other);
        }
        Ok(())
    }

    /// Assumes the rule's condition.
    fn conditions(&mut self, predicate: Option<&Pattern>, part: Part) -> Result<()> {
        self.part = part;
        predicate.map_or(Ok(()), |predicate| self.assume(predicate))
    }

    /// Assumes what contracts tell.
    fn reports(&mut self, rule: &Rule) -> Result<()> {
        self.part = Part::Proved;
        rule.contracts.iter().try_for_each(|contract| self.assume_report(contract))
    }

    /// Assumes the guards.
    fn guards(&mut self, rule: &Rule, result: Domain, operand: Domain) -> Result<()> {
        self.part = Part::Proved;
        for guard in &rule.guards {
            let fact = self.guard(guard, true, result, operand)?;
            self.facts.extend(fact);
        }
        Ok(())
    }

    /// Returns the value of a pattern in a lane. Adds the conditions under which it is defined to
    /// `defined`.
    pub(super) fn value(
        &mut self,
        pattern: &Pattern,
        way: &[Step],
        domain: Domain,
    ) -> Result<ValueId> {
        let (op, operands) = match pattern {
            Pattern::Wild(name) => {
                let way = self.way_of(name, way);
                let steps = way.iter().map(|step| format!("{step:?}"));
                let place: Vec<_> = std::iter::once(name.clone()).chain(steps).collect();
                return Ok(self.values.var(&place.join("@"), domain));
            }
            Pattern::Constant(name) | Pattern::Lanes(name) | Pattern::Host(name) => {
                if self.part == Part::Condition && domain != Domain::Whole {
                    let kind = self.kinds.infer(pattern)?;
                    if self.kinds.resolve(kind) == Kind::Lanes {
                        // The matcher compares it as a number of 64 bits.
                        return unsupported(format!("a number of C++ among values of {domain}"));
                    }
                }
                return Ok(self.values.var(name, domain));
            }
            Pattern::Int(value) => {
                if self.part == Part::Condition && side_of(*value, domain).is_ne() {
                    return unsupported("a literal that the type does not hold");
                }
                return Ok(self.values.number((*value).into(), domain));
            }
            Pattern::Bool(value) => return Ok(self.values.number(i128::from(*value), domain)),
            Pattern::TypeMin | Pattern::TypeMax => {
                let Some((least, greatest)) = domain.range() else {
                    // Floats have infinite bounds: no real lies beyond them.
                    return unsupported("the bounds of a floating-point type");
                };
                if domain == Domain::Whole {
                    self.bound_vars();
                }
                let value = if *pattern == Pattern::TypeMin { least } else { greatest };
                return Ok(self.values.number(value, domain));
            }
            Pattern::Undefined => {
                let never = self.values.bool(false);
                self.defined.push(never);
                return Ok(self.values.var("undefined", domain));
            }
            Pattern::Unread(_) => return unsupported("a test used as a value"),
            Pattern::Apply(op, operands) => (*op, operands),
        };
        self.applied(pattern, op, operands, way, domain)
    }

    /// Returns the value of an operator applied to patterns.
    fn applied(
        &mut self,
        pattern: &Pattern,
        op: Op,
        operands: &[Pattern],
        way: &[Step],
        domain: Domain,
    ) -> Result<ValueId> {
        let same = |builder: &mut Self, fun, way: &[Step]| {
            let lhs = builder.value(&operands[0], way, domain)?;
            let rhs = builder.value(&operands[1], way, domain)?;
            Ok(builder.values.apply(fun, &[lhs, rhs]))
        };
        match op {
            Op::Add => same(self, Fun::Add, way),
            Op::Sub => same(self, Fun::Sub, way),
            Op::Mul if domain == Domain::Signed(64) => self.host_product(operands, way),
            Op::Mul => same(self, Fun::Mul, way),
            Op::Div | Op::Mod => {
                let lhs = self.value(&operands[0], way, domain)?;
                let rhs = self.value(&operands[1], way, domain)?;
                if domain == Domain::Real || self.zero_division == ZeroDivision::Undefined {
                    let zero = self.values.number(0, domain);
                    let is_zero = self.values.apply(Fun::Eq, &[rhs, zero]);
                    let defined = self.values.apply(Fun::Not, &[is_zero]);
                    self.defined.push(defined);
                }
                let fun = if op == Op::Div { Fun::Div } else { Fun::Mod };
                Ok(self.values.apply(fun, &[lhs, rhs]))
            }
            Op::TruncDiv | Op::TruncMod | Op::FloorDiv | Op::FloorMod => {
                self.divided(op, operands, way, domain)
            }
            Op::Value => self.host(&operands[0], domain),
            Op::Min | Op::Max => {
                let lhs = self.value(&operands[0], way, domain)?;
                let rhs = self.value(&operands[1], way, domain)?;
                let is_less = self.values.apply(Fun::Lt, &[lhs, rhs]);
                let (then, otherwise) = if op == Op::Min { (lhs, rhs) } else { (rhs, lhs) };
                Ok(self.values.apply(Fun::Ite, &[is_less, then, otherwise]))
            }
            Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne => self.compared(op, operands, way),
            Op::And => same(self, Fun::And, way),
            Op::Or => same(self, Fun::Or, way),
            Op::Not => {
                let operand = self.value(&operands[0], way, Domain::Bool)?;
                Ok(self.values.apply(Fun::Not, &[operand]))
            }
            Op::Neg => {
                let operand = self.value(&operands[0], way, domain)?;
                let zero = self.values.number(0, domain);
                Ok(self.values.apply(Fun::Sub, &[zero, operand]))
            }
            Op::Select => {
                let condition = self.value(&operands[0], way, Domain::Bool)?;
                let then = self.value(&operands[1], way, domain)?;
                let otherwise = self.value(&operands[2], way, domain)?;
                Ok(self.values.apply(Fun::Ite, &[condition, then, otherwise]))
            }
            Op::Broadcast => {
                let count = self.count_of(operands, 1);
                self.value(&operands[0], &Self::down(way, Step::Drop(count)), domain)
            }
            Op::Ramp => self.ramp(operands, way, domain),
            Op::Slice | Op::Transpose => {
                let arguments: Vec<_> = operands[1..].iter().map(ToString::to_string).collect();
                let step = Step::Shuffle(format!("{op:?}({})", arguments.join(", ")));
                self.value(&operands[0], &Self::down(way, step), domain)
            }
            // It is computed in 64 bits, of literals as they are written.
            Op::Fold if operands.iter().any(|part| has_beyond(part, domain)) => {
                unsupported("a literal that the type does not hold")
            }
            Op::Fold | Op::Likely | Op::OfResult { .. } => self.value(&operands[0], way, domain),
            Op::Cast => self.cast(operands, way, domain),
            Op::Reduce(_) => unsupported("a horizontal reduction"),
            Op::Abs => unsupported("abs, whose result has another type"),
            Op::LanesOf => Ok(self.values.var(&pattern.to_string(), domain)),
            Op::CanProve
            | Op::Overflows
            | Op::IsConst
            | Op::IsFloat
            | Op::IsInt
            | Op::IsUint
            | Op::IsMaxValue
            | Op::IsMinValue => unsupported("a predicate used as a value"),
        }
    }

    /// Returns a quotient or remainder that rounds towards 0 or down.
    fn divided(
        &mut self,
        op: Op,
        operands: &[Pattern],
        way: &[Step],
        domain: Domain,
    ) -> Result<ValueId> {
        let lhs = self.value(&operands[0], way, domain)?;
        let rhs = self.value(&operands[1], way, domain)?;
        let zero = self.values.number(0, domain);
        let is_zero = self.values.apply(Fun::Eq, &[rhs, zero]);
        let defined = self.values.apply(Fun::Not, &[is_zero]);
        self.defined.push(defined);
        match (op, domain) {
            (Op::TruncDiv, Domain::Real) => Ok(self.values.apply(Fun::Div, &[lhs, rhs])),
            // The nodes have integer operands, so no left side has others.
            (_, Domain::Real | Domain::Bool) if self.part == Part::Left => {
                Err(NoObligation::NotReached)
            }
            (_, Domain::Real | Domain::Bool) => {
                unsupported(format!("a rounded quotient of {domain}"))
            }
            _ => Ok(rounded(&mut self.values, op, lhs, rhs)),
        }
    }

    /// Returns a product of integers of C++. Its overflow is excluded, so only factors whose
    /// product fits are tried.
    fn host_product(&mut self, operands: &[Pattern], way: &[Step]) -> Result<ValueId> {
        let domain = Domain::Signed(64);
        let lhs = self.value(&operands[0], way, domain)?;
        let rhs = self.value(&operands[1], way, domain)?;
        for factor in [lhs, rhs] {
            let facts = between(&mut self.values, factor, -(1 << 31), 1 << 31);
            self.tried.extend(facts);
        }
        Ok(self.values.apply(Fun::Mul, &[lhs, rhs]))
    }

    /// Returns a literal as an integer of C++. Arithmetic on such integers does not wrap with the
    /// literal's type; among values that wrap they would mean something else.
    fn host(&mut self, literal: &Pattern, domain: Domain) -> Result<ValueId> {
        let kind = self.kinds.infer(literal)?;
        let own = self.typing.domain(&self.kinds, kind);
        let value = self.value(literal, &[], own)?;
        match (own, domain) {
            (Domain::Real, _) => Err(NoObligation::NotReached),
            (Domain::Bool, Domain::Whole | Domain::Signed(64)) => {
                let (one, zero) = (self.values.number(1, domain), self.values.number(0, domain));
                Ok(self.values.apply(Fun::Ite, &[value, one, zero]))
            }
            (_, Domain::Whole | Domain::Signed(64)) => Ok(self.values.convert(value, domain)),
            _ => unsupported(format!("a C++ integer among values of {domain}")),
        }
    }

    /// Compares patterns of one type.
    fn compared(&mut self, op: Op, operands: &[Pattern], way: &[Step]) -> Result<ValueId> {
        let kind = self.kinds.common(&operands[0], &operands[1])?;
        let inner = self.typing.domain(&self.kinds, kind);
        if self.part == Part::Condition
            && let Some(truth) = beyond(op, operands, inner)
        {
            return Ok(self.values.bool(truth));
        }
        let lhs = match (op, operands) {
            // A remainder is 0 in all divisions or in none; the Euclidean one is best known.
            (
                Op::Eq | Op::Ne,
                [Pattern::Apply(Op::TruncMod | Op::FloorMod, parts), Pattern::Int(0)],
            ) if inner != Domain::Real => self.value(&euclidean(parts), way, inner)?,
            _ => self.value(&operands[0], way, inner)?,
        };
        let rhs = self.value(&operands[1], way, inner)?;
        let (fun, lhs, rhs, negated) = match op {
            Op::Lt => (Fun::Lt, lhs, rhs, false),
            Op::Gt => (Fun::Lt, rhs, lhs, false),
            Op::Ge => (Fun::Lt, lhs, rhs, true),
            Op::Le => (Fun::Lt, rhs, lhs, true),
            Op::Eq => (Fun::Eq, lhs, rhs, false),
            _ => (Fun::Eq, lhs, rhs, true),
        };
        let truth = self.values.apply(fun, &[lhs, rhs]);
        Ok(if negated { self.values.apply(Fun::Not, &[truth]) } else { truth })
    }

    /// Converts a truth value to a number; a value that already has the wanted type stays.
    fn cast(&mut self, operands: &[Pattern], way: &[Step], domain: Domain) -> Result<ValueId> {
        let kind = self.kinds.infer(&operands[0])?;
        let is_kept = self.kinds.resolve(kind) == self.kinds.resolve(self.result);
        match (self.typing.domain(&self.kinds, kind), domain) {
            // These stand for types of several widths.
            (from @ (Domain::Whole | Domain::Real), to) if from == to && !is_kept => {
                unsupported("a cast between types of other widths")
            }
            (from, to) if from == to => self.value(&operands[0], way, domain),
            (Domain::Bool, _) => {
                let truth = self.value(&operands[0], way, Domain::Bool)?;
                let one = self.values.number(1, domain);
                let zero = self.values.number(0, domain);
                Ok(self.values.apply(Fun::Ite, &[truth, one, zero]))
            }
            (from, to) => unsupported(format!("a cast from {from} to {to}")),
        }
    }

    /// Assumes that no part of the left side is matched by a rule that fires on everything that it
    /// matches.
    fn rewritten_before(&mut self, rule: &Rule, context: &Context<'_>) -> Result<()> {
        let mut parts = Vec::new();
        rule.lhs.visit(&mut |part| parts.push(part));
        for (index, part) in parts.into_iter().enumerate() {
            let Pattern::Apply(op, operands) = part else { continue };
            let kind = self.kinds.infer(part)?;
            let domain = self.typing.domain(&self.kinds, kind);
            let others = if index == 0 { &context.earlier } else { &context.everywhere };
            for other in others {
                let Pattern::Apply(other_op, others) = &other.lhs else { continue };
                let fires = |guard: &Guard| match admits(guard, domain, domain) {
                    Some(holds) => holds,
                    None => matches!(guard, Guard::Passed(_)),
                };
                if op != other_op
                    || operands.len() != others.len()
                    || !other.guards.iter().all(fires)
                {
                    continue;
                }
                let mut needs = Vec::new();
                let matches = operands.iter().zip(others).all(|(operand, other)| {
                    match (one_lane(operand), other) {
                        (_, Pattern::Wild(_)) => true,
                        (Pattern::Constant(_) | Pattern::Int(_), Pattern::Constant(_)) => true,
                        (Pattern::Int(value), Pattern::Int(other)) => value == other,
                        (Pattern::Constant(name), Pattern::Int(value)) => {
                            needs.push((name.clone(), *value));
                            true
                        }
                        _ => false,
                    }
                });
                if !matches {
                    continue;
                }
                let mut all = self.values.bool(true);
                for (name, value) in needs {
                    let var = self.values.var(&name, domain);
                    let value = self.values.number(value.into(), domain);
                    let is_value = self.values.apply(Fun::Eq, &[var, value]);
                    all = self.values.apply(Fun::And, &[all, is_value]);
                }
                if self.values.as_number(all) == Some(1) {
                    return Err(NoObligation::NotReached);
                }
                let fact = self.values.apply(Fun::Not, &[all]);
                self.facts.push(fact);
            }
        }
        Ok(())
    }

    /// Assumes that every variable so far is within 32 bits.
    fn bound_vars(&mut self) {
        let vars: Vec<_> = self.values.vars().to_vec();
        for (name, domain) in vars {
            if domain == Domain::Whole
                && let Some((least, greatest)) = domain.range()
            {
                let var = self.values.var(&name, domain);
                let facts = between(&mut self.values, var, least, greatest);
                self.facts.extend(facts);
            }
        }
    }
}

/// Compares a literal with the constants of a type. The matcher reads it as a number of 64 bits, so
/// that it may lie beyond all of them (`IntLiteral::make_folded_const`): a negative one is greater
/// than every unsigned constant.
fn side_of(literal: i64, domain: Domain) -> Ordering {
    let (Some((least, greatest)), Some(_)) = (domain.range(), domain.width()) else {
        return Ordering::Equal;
    };
    let literal = i128::from(literal);
    let is_unsigned = matches!(domain, Domain::Unsigned(_));
    if literal > greatest || is_unsigned && literal < 0 && greatest < i128::from(u64::MAX) {
        Ordering::Greater
    } else if literal < least && !is_unsigned {
        Ordering::Less
    } else {
        Ordering::Equal
    }
}

/// Compares constants of a type with a literal beyond all of them; `None` if there is no such
/// literal.
fn beyond(op: Op, operands: &[Pattern], domain: Domain) -> Option<bool> {
    let side = |pattern: &Pattern| match pattern {
        Pattern::Int(value) => side_of(*value, domain),
        _ => Ordering::Equal,
    };
    let order = match operands {
        [a, b] if side(a).is_eq() => side(b).reverse(),
        [a, b] if side(b).is_eq() => side(a),
        _ => return None,
    };
    match order {
        Ordering::Less => Some(matches!(op, Op::Lt | Op::Le | Op::Ne)),
        Ordering::Greater => Some(matches!(op, Op::Gt | Op::Ge | Op::Ne)),
        Ordering::Equal => None,
    }
}

/// Tests whether a pattern has a literal that the type does not hold.
fn has_beyond(pattern: &Pattern, domain: Domain) -> bool {
    match pattern {
        Pattern::Int(value) => side_of(*value, domain).is_ne(),
        Pattern::Apply(_, operands) => operands.iter().any(|part| has_beyond(part, domain)),
        _ => false,
    }
}

/// Returns the Euclidean remainder of two patterns.
fn euclidean(parts: &[Pattern]) -> Pattern {
    Pattern::Apply(Op::Mod, parts.to_vec())
}

/// Returns facts that state that a term lies within bounds.
pub(crate) fn between(
    values: &mut Values,
    term: ValueId,
    least: i128,
    greatest: i128,
) -> [ValueId; 2] {
    let domain = values.domain(term);
    let (least, greatest) = (values.number(least, domain), values.number(greatest, domain));
    let below = values.apply(Fun::Lt, &[term, least]);
    let above = values.apply(Fun::Lt, &[greatest, term]);
    [values.apply(Fun::Not, &[below]), values.apply(Fun::Not, &[above])]
}
