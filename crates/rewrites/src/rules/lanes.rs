//! The numbers of lanes of a rule's parts: whether the right side builds expressions whose lanes
//! fit, as the compiler's constructors require.
//!
//! # Correctness
//!
//! A number of lanes is a product of symbols: the lanes of the rewritten node, and counts. The left
//! side determines the lanes of each name. In a choice, the condition may have one lane where the
//! profile says so, so each such choice is read in both ways. The right side is built as the
//! matcher builds it: a literal takes its type from a hint, which the operand built before it
//! gives, and which a comparison does not pass on. A constant has the lanes of what it matched; a
//! count of lanes is no value of the operands' type. Where lanes of a right side differ for some
//! counts, it is no expression. If a condition relates counts in a way that is not read, nothing is
//! known.

use std::collections::BTreeMap;

use super::pattern::{Op, Pattern};
use super::read::Rule;
use crate::profile::{Language, Vectors};

/// A product of symbols with exponents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lanes(BTreeMap<String, i32>);

impl Lanes {
    fn symbol(name: &str) -> Self {
        Self(BTreeMap::from([(name.to_owned(), 1)]))
    }

    fn times(&self, other: &Self, exponent: i32) -> Self {
        let mut product = self.0.clone();
        for (symbol, power) in &other.0 {
            *product.entry(symbol.clone()).or_default() += power * exponent;
        }
        product.retain(|_, power| *power != 0);
        Self(product)
    }

    fn is_one(&self) -> bool {
        self.0.is_empty()
    }

    /// True if it is a whole number whatever the symbols are.
    fn is_whole(&self) -> bool {
        self.0.values().all(|power| *power > 0)
    }
}

/// The reason why a right side is not known to be an expression.
enum Fault {
    /// For some lanes, a constructor refuses it.
    IllFormed,
    /// Not known, with the construct.
    Unknown(String),
}

type Result<T> = std::result::Result<T, Fault>;

fn unknown<T>(what: impl Into<String>) -> Result<T> {
    Err(Fault::Unknown(what.into()))
}

/// The answer about a rule's lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The right side has the lanes of the left side if none of these counts is 1.
    Fit(Vec<Pattern>),
    /// For some lanes, the right side is no expression.
    IllFormed,
    /// Not known, with the construct.
    Unknown(String),
}

/// The most choices of a left side that are read in both ways.
const MAX_CHOICES: usize = 4;

/// The symbol of the lanes of the rewritten node.
const NODE: &str = "node";

/// The name of the number of these lanes in rules of `IRMatch.h`.
const OF_NODE: &str = "lanes";

/// Tests whether the lanes of a rule's right side fit.
pub(super) fn fit(rule: &Rule, vectors: Vectors) -> Answer {
    let mut choices = 0;
    rule.lhs.visit(&mut |part| {
        choices += usize::from(matches!(part, Pattern::Apply(Op::Select, _)));
    });
    if !vectors.scalar_conditions() {
        choices = 0;
    }
    if choices > MAX_CHOICES {
        return Answer::Unknown("many choices".to_owned());
    }
    let (mut unknown, mut owed) = (None, Vec::new());
    for case in 0..1_u32 << choices {
        let mut shapes = Shapes::of(rule, vectors, case);
        match shapes.decide(rule) {
            Ok(()) => {}
            Err(Fault::IllFormed) if shapes.is_clear => return Answer::IllFormed,
            Err(Fault::IllFormed) => unknown = Some("lanes that a condition restricts".to_owned()),
            Err(Fault::Unknown(what)) => unknown = Some(what),
        }
        owed.extend(shapes.owed);
    }
    unknown.map_or(Answer::Fit(owed), Answer::Unknown)
}

/// Returns the counts that the left side matches. Each is at least 2.
pub(super) fn matched_counts(rule: &Rule) -> Vec<&Pattern> {
    let mut counts = Vec::new();
    rule.lhs.visit(&mut |part| {
        if let Pattern::Apply(op @ (Op::Broadcast | Op::Ramp), operands) = part {
            counts.extend(op.counts(operands));
        }
    });
    counts
}

struct Shapes {
    vectors: Vectors,
    is_matcher: bool,
    /// For each choice of the left side, whether its condition has one lane.
    case: u32,
    choices: u32,
    names: BTreeMap<String, Lanes>,
    /// The constants that are bound to counts.
    counts: Vec<String>,
    /// The equations that were solved for a symbol.
    solved: Vec<(String, Lanes)>,
    /// The products that are at least 2.
    many: Vec<Lanes>,
    /// The lanes of the left side's parts, which are whole numbers.
    whole: Vec<Lanes>,
    /// The left side's slices and transpositions, with the lanes of what they take.
    shuffles: Vec<(String, Lanes)>,
    /// False if a condition relates counts in a way that is not read.
    is_clear: bool,
    /// True if no lanes fit the left side.
    is_never: bool,
    /// The counts on the right side that must not be 1, and are not seen not to be.
    owed: Vec<Pattern>,
}

impl Shapes {
    fn of(rule: &Rule, vectors: Vectors, case: u32) -> Self {
        let mut counts = Vec::new();
        for side in [&rule.lhs, &rule.rhs] {
            side.visit(&mut |part| {
                if let Pattern::Apply(op, operands) = part {
                    for count in op.counts(operands) {
                        if let Pattern::Constant(name) = count {
                            counts.push(name.clone());
                        }
                    }
                }
            });
        }
        Self {
            vectors,
            is_matcher: rule.language == Language::IrMatch,
            case,
            choices: 0,
            names: BTreeMap::new(),
            counts,
            solved: Vec::new(),
            many: Vec::new(),
            whole: Vec::new(),
            shuffles: Vec::new(),
            is_clear: true,
            is_never: false,
            owed: Vec::new(),
        }
    }

    fn decide(&mut self, rule: &Rule) -> Result<()> {
        let node = Lanes::symbol(NODE);
        self.matched(&rule.lhs, &node)?;
        if let Some(predicate) = &rule.predicate {
            self.equations(predicate);
            self.comparisons(predicate);
        }
        if self.is_never || self.names.values().any(|lanes| self.is_below_one(lanes)) {
            return Ok(());
        }
        let built = self.built(&rule.rhs, Some(&node))?;
        self.same(&built, &node)
    }

    fn reduced(&self, lanes: &Lanes) -> Lanes {
        let mut reduced = lanes.clone();
        for (symbol, value) in &self.solved {
            if let Some(power) = reduced.0.remove(symbol) {
                reduced = reduced.times(value, power);
            }
        }
        reduced
    }

    /// True if a number of lanes is a fraction below 1.
    fn is_below_one(&self, lanes: &Lanes) -> bool {
        let inverse = Lanes::default().times(&self.reduced(lanes), -1);
        self.is_many(&inverse)
    }

    /// True if a whole product is known to be at least 2.
    fn is_many(&self, lanes: &Lanes) -> bool {
        let lanes = self.reduced(lanes);
        lanes.is_whole()
            && self.many.iter().any(|known| {
                let known = self.reduced(known);
                !known.is_one() && known.is_whole() && lanes.times(&known, -1).is_whole()
            })
    }

    /// True if a number of lanes is a whole number.
    fn is_whole(&self, lanes: &Lanes) -> bool {
        let is_multiple = |known: &Lanes| self.reduced(&lanes.times(known, -1)).is_whole();
        lanes.is_whole() || self.whole.iter().any(is_multiple)
    }

    /// Learns that two numbers of lanes are equal.
    fn unify(&mut self, a: &Lanes, b: &Lanes) {
        let quotient = self.reduced(&a.times(b, -1));
        if quotient.is_one() {
            return;
        }
        let inverse = Lanes::default().times(&quotient, -1);
        if self.is_many(&quotient) || self.is_many(&inverse) {
            self.is_never = true;
            return;
        }
        if quotient.is_whole() || inverse.is_whole() {
            // A product of whole numbers is 1 only if each of them is.
            for symbol in quotient.0.keys() {
                self.solve(symbol, &Lanes::default());
            }
            return;
        }
        let solutions = quotient.0.iter().filter(|(_, power)| power.abs() == 1);
        let solutions = solutions.map(|(symbol, power)| {
            let own = Lanes(BTreeMap::from([(symbol.clone(), *power)]));
            (symbol.clone(), Lanes::default().times(&quotient.times(&own, -1), -power))
        });
        // One that is a product of symbols tells most.
        let best = solutions
            .min_by_key(|(symbol, value)| (!value.is_whole(), symbol.starts_with("count ")));
        let Some((symbol, value)) = best else {
            self.is_clear = false;
            return;
        };
        self.solve(&symbol, &value);
    }

    /// Replaces a symbol everywhere.
    fn solve(&mut self, symbol: &str, value: &Lanes) {
        for (_, known) in &mut self.solved {
            if let Some(power) = known.0.remove(symbol) {
                *known = known.times(value, power);
            }
        }
        self.solved.push((symbol.to_owned(), value.clone()));
    }

    /// Gives the lanes of a name that the left side binds.
    fn bind(&mut self, name: &str, lanes: &Lanes) {
        match self.names.get(name).cloned() {
            Some(known) => self.unify(&known, lanes),
            None => {
                self.names.insert(name.to_owned(), lanes.clone());
            }
        }
    }

    /// Reads a part of the left side that has these lanes.
    fn matched(&mut self, pattern: &Pattern, lanes: &Lanes) -> Result<()> {
        let one = Lanes::default();
        self.whole.push(lanes.clone());
        let (op, operands) = match pattern {
            Pattern::Wild(name) => {
                self.bind(name, lanes);
                return Ok(());
            }
            Pattern::Constant(name) => {
                self.bind(name, lanes);
                // `IntImm` is a scalar.
                if !self.is_matcher {
                    self.unify(lanes, &one);
                }
                return Ok(());
            }
            Pattern::Int(_) | Pattern::Bool(_) => {
                if !self.is_matcher {
                    self.unify(lanes, &one);
                }
                return Ok(());
            }
            Pattern::Lanes(_)
            | Pattern::Host(_)
            | Pattern::Unread(_)
            | Pattern::TypeMin
            | Pattern::TypeMax
            | Pattern::Undefined => return Ok(()),
            Pattern::Apply(op, operands) => (*op, operands),
        };
        match op {
            Op::Select => {
                let is_scalar =
                    self.vectors.scalar_conditions() && self.case >> self.choices & 1 == 1;
                self.choices += 1;
                self.matched(&operands[0], if is_scalar { &one } else { lanes })?;
                self.matched(&operands[1], lanes)?;
                self.matched(&operands[2], lanes)
            }
            Op::Broadcast | Op::Ramp => {
                let values = if op == Op::Broadcast { 1 } else { 2 };
                let count = match operands.get(values) {
                    Some(count) => self.count(count)?,
                    None => lanes.clone(),
                };
                self.many.push(count.clone());
                let inner = lanes.times(&count, -1);
                if !self.vectors.nest() {
                    self.unify(&inner, &one);
                }
                operands[..values].iter().try_for_each(|part| self.matched(part, &inner))
            }
            Op::Slice => {
                let count = self.count(&operands[3])?;
                self.unify(&count, lanes);
                let key = shuffle(op, operands);
                let inner = Lanes::symbol(&format!("{} of {}", key, operands[0]));
                self.shuffles.push((key, inner.clone()));
                self.matched(&operands[0], &inner)
            }
            Op::Transpose => {
                self.shuffles.push((shuffle(op, operands), lanes.clone()));
                self.matched(&operands[0], lanes)
            }
            Op::OfResult { is_scalar } => {
                let node = Lanes::symbol(NODE);
                self.unify(lanes, if is_scalar { &one } else { &node });
                Ok(())
            }
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
            | Op::Max
            | Op::Lt
            | Op::Le
            | Op::Gt
            | Op::Ge
            | Op::Eq
            | Op::Ne
            | Op::And
            | Op::Or
            | Op::Not
            | Op::Neg
            | Op::Abs
            | Op::Likely => operands.iter().try_for_each(|part| self.matched(part, lanes)),
            Op::Reduce(_)
            | Op::Fold
            | Op::CanProve
            | Op::Overflows
            | Op::IsConst
            | Op::IsFloat
            | Op::IsInt
            | Op::IsUint
            | Op::IsMaxValue
            | Op::IsMinValue
            | Op::Value
            | Op::LanesOf
            | Op::Cast => unknown("the lanes of a pattern"),
        }
    }

    /// Returns a count of lanes.
    fn count(&self, pattern: &Pattern) -> Result<Lanes> {
        let count = match pattern {
            Pattern::Int(1) => Lanes::default(),
            Pattern::Lanes(name) if self.is_matcher && name == OF_NODE => Lanes::symbol(NODE),
            Pattern::Constant(name) | Pattern::Lanes(name) => {
                Lanes::symbol(&format!("count {name}"))
            }
            Pattern::Apply(Op::LanesOf, parts) => match &parts[0] {
                Pattern::Wild(name) => match self.names.get(name) {
                    Some(lanes) => lanes.clone(),
                    None => return unknown("lanes of something unknown"),
                },
                _ => return unknown("lanes of something unknown"),
            },
            Pattern::Apply(Op::Fold, parts) => self.count(&parts[0])?,
            Pattern::Apply(Op::Mul, parts) => {
                self.count(&parts[0])?.times(&self.count(&parts[1])?, 1)
            }
            Pattern::Apply(Op::Div, parts) => {
                let quotient = self.count(&parts[0])?.times(&self.count(&parts[1])?, -1);
                let quotient = self.reduced(&quotient);
                // It rounds where it is not known to be whole.
                if quotient.is_whole() { quotient } else { Lanes::symbol(&pattern.to_string()) }
            }
            other => Lanes::symbol(&other.to_string()),
        };
        Ok(self.reduced(&count))
    }

    /// True if a pattern is a count of lanes.
    fn is_count(&self, pattern: &Pattern) -> bool {
        match pattern {
            Pattern::Constant(name) => self.counts.contains(name),
            Pattern::Lanes(_) | Pattern::Apply(Op::LanesOf, _) => true,
            Pattern::Apply(Op::Mul | Op::Div, parts) => {
                parts.iter().all(|part| self.is_count(part))
            }
            _ => false,
        }
    }

    /// Reads the equations between counts in a condition.
    fn equations(&mut self, predicate: &Pattern) {
        let Pattern::Apply(op, parts) = predicate else { return };
        match (op, parts.as_slice()) {
            (Op::And, [a, b]) => {
                self.equations(a);
                self.equations(b);
            }
            (Op::Eq, [Pattern::Apply(Op::Mod, parts), Pattern::Int(0)])
                if parts.iter().all(|part| self.is_count(part)) =>
            {
                let (Ok(whole), Ok(part)) = (self.count(&parts[0]), self.count(&parts[1])) else {
                    self.is_clear = false;
                    return;
                };
                if !self.reduced(&whole.times(&part, -1)).is_whole() {
                    let quotient = Lanes::symbol(&format!("{}/{}", parts[0], parts[1]));
                    self.unify(&whole, &part.times(&quotient, 1));
                }
            }
            (Op::Eq, [a, b]) if self.is_count(a) && self.is_count(b) => {
                match (self.count(a), self.count(b)) {
                    (Ok(a), Ok(b)) => self.unify(&a, &b),
                    _ => self.is_clear = false,
                }
            }
            _ => {}
        }
    }

    /// Reads the inequalities between counts in a condition, and notes whatever else it tells of
    /// counts.
    fn comparisons(&mut self, predicate: &Pattern) {
        let Pattern::Apply(op, parts) = predicate else { return };
        let is_equation = |a: &Pattern, b: &Pattern| match (a, b) {
            (Pattern::Apply(Op::Mod, parts), Pattern::Int(0)) => {
                parts.iter().all(|part| self.is_count(part))
            }
            _ => self.is_count(a) && self.is_count(b),
        };
        match (op, parts.as_slice()) {
            (Op::And, [a, b]) => {
                self.comparisons(a);
                self.comparisons(b);
            }
            (Op::Eq, [a, b]) if is_equation(a, b) => {}
            (Op::Gt, [greater, less]) | (Op::Lt, [less, greater]) if self.is_count(greater) => {
                let less = match less {
                    Pattern::Int(1..) => Ok(Lanes::default()),
                    less if self.is_count(less) => self.count(less),
                    _ => unknown("another comparison"),
                };
                match (self.count(greater), less) {
                    (Ok(greater), Ok(less)) => {
                        let quotient = self.reduced(&greater.times(&less, -1));
                        self.is_clear &= quotient.is_whole();
                        self.many.push(quotient);
                    }
                    _ => self.is_clear = false,
                }
            }
            _ => {
                let is_told = predicate.any(|part| self.is_count(part));
                self.is_clear &= !is_told;
            }
        }
    }

    fn same(&self, a: &Lanes, b: &Lanes) -> Result<()> {
        if self.reduced(&a.times(b, -1)).is_one() { Ok(()) } else { Err(Fault::IllFormed) }
    }

    /// Returns the lanes of a part of the right side, which is built with a hint at its lanes.
    fn built(&mut self, pattern: &Pattern, hint: Option<&Lanes>) -> Result<Lanes> {
        let node = Lanes::symbol(NODE);
        let literal = || hint.cloned().ok_or(Fault::IllFormed);
        let (op, operands) = match pattern {
            Pattern::Wild(name) => return self.of_name(name),
            Pattern::Constant(name) if self.counts.contains(name) => {
                // It is an integer of 64 bits.
                return Err(Fault::IllFormed);
            }
            Pattern::Constant(name) => return self.of_name(name),
            // A variable of C++ is a literal to the matcher; in the other language it is a count.
            Pattern::Lanes(_) | Pattern::Host(_) if !self.is_matcher => {
                return Err(Fault::IllFormed);
            }
            Pattern::Int(_)
            | Pattern::Bool(_)
            | Pattern::Lanes(_)
            | Pattern::Host(_)
            | Pattern::Undefined => return literal(),
            Pattern::TypeMin | Pattern::TypeMax => return Ok(node),
            Pattern::Unread(_) => return unknown("a test used as a value"),
            Pattern::Apply(op, operands) => (*op, operands.as_slice()),
        };
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
            | Op::Max
            | Op::And
            | Op::Or => self.both(operands, hint),
            Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne => self.both(operands, None),
            Op::Not | Op::Neg | Op::Likely => self.built(&operands[0], hint),
            Op::Select => {
                let condition = self.built(&operands[0], None)?;
                let then = self.built(&operands[1], hint)?;
                let otherwise = self.built(&operands[2], hint)?;
                self.same(&then, &otherwise)?;
                let is_scalar = self.reduced(&condition).is_one();
                if !(is_scalar && self.vectors.scalar_conditions()) {
                    self.same(&condition, &then)?;
                }
                Ok(then)
            }
            Op::Broadcast | Op::Ramp => self.repeated(op, operands, hint),
            Op::Slice | Op::Transpose => {
                let key = shuffle(op, operands);
                let known = self.shuffles.iter().find(|(known, _)| *known == key).cloned();
                let Some((_, taken)) = known else { return unknown("a shuffle of other lanes") };
                let inner = self.built(&operands[0], hint)?;
                if self.same(&inner, &taken).is_err() {
                    return unknown("a shuffle of other lanes");
                }
                if op == Op::Slice { self.count(&operands[3]) } else { Ok(inner) }
            }
            Op::Fold => self.folded(&operands[0], hint),
            Op::Cast => {
                let inner = self.built(&operands[0], None)?;
                if !self.reduced(&inner).is_one() {
                    self.same(&inner, &node)?;
                }
                Ok(node)
            }
            Op::OfResult { is_scalar } => Ok(if is_scalar { Lanes::default() } else { node }),
            Op::Reduce(_)
            | Op::Abs
            | Op::CanProve
            | Op::Overflows
            | Op::IsConst
            | Op::IsFloat
            | Op::IsInt
            | Op::IsUint
            | Op::IsMaxValue
            | Op::IsMinValue
            | Op::Value
            | Op::LanesOf => unknown("the lanes of an expression"),
        }
    }

    fn of_name(&self, name: &str) -> Result<Lanes> {
        self.names.get(name).cloned().map_or_else(|| unknown(format!("the lanes of {name}")), Ok)
    }

    /// Builds two operands of one type. A literal is built after the other operand.
    fn both(&mut self, operands: &[Pattern], hint: Option<&Lanes>) -> Result<Lanes> {
        let (a, b) = if is_literal(&operands[0]) {
            let b = self.built(&operands[1], hint)?;
            (self.built(&operands[0], Some(&b))?, b)
        } else {
            let a = self.built(&operands[0], hint)?;
            let b = self.built(&operands[1], Some(&a))?;
            (a, b)
        };
        if self.vectors.mix() {
            if self.reduced(&a).is_one() {
                return Ok(b);
            }
            if self.reduced(&b).is_one() {
                return Ok(a);
            }
        }
        self.same(&a, &b)?;
        Ok(a)
    }

    /// Builds a broadcast or a ramp.
    fn repeated(&mut self, op: Op, operands: &[Pattern], hint: Option<&Lanes>) -> Result<Lanes> {
        let values = if op == Op::Broadcast { 1 } else { 2 };
        let count = match (operands.get(values), hint) {
            (Some(count), _) => self.count(count)?,
            (None, Some(hint)) => hint.clone(),
            (None, None) => return Err(Fault::IllFormed),
        };
        let one = Lanes::default();
        let inner = match hint {
            Some(_) if !self.vectors.nest() => Some(one.clone()),
            Some(hint) => {
                let part = self.reduced(&hint.times(&count, -1));
                // A part that is no whole number is rounded.
                let is_whole = self.is_whole(&part);
                Some(if is_whole { part } else { Lanes::symbol(&format!("part {part:?}")) })
            }
            None => None,
        };
        let value = if op == Op::Broadcast {
            self.built(&operands[0], inner.as_ref())?
        } else {
            if self.vectors.nest() {
                let stride = self.built(&operands[1], inner.as_ref())?;
                let base = self.built(&operands[0], Some(&stride))?;
                self.same(&base, &stride)?;
                base
            } else {
                self.both(&operands[..2], inner.as_ref())?
            }
        };
        if !self.vectors.nest() {
            self.same(&value, &one)?;
        }
        if (op == Op::Ramp || !self.vectors.broadcasts_to_one()) && !self.is_many(&count) {
            match operands.get(values) {
                Some(count) => self.owed.push(count.clone()),
                None => return Err(Fault::IllFormed),
            }
        }
        Ok(value.times(&count, 1))
    }

    /// Returns the lanes of a folded constant: those of the constant that is read last.
    fn folded(&self, pattern: &Pattern, hint: Option<&Lanes>) -> Result<Lanes> {
        let mut constants = Vec::new();
        read_order(pattern, &mut constants);
        let Some(last) = constants.last() else {
            return hint.cloned().ok_or(Fault::IllFormed);
        };
        if self.counts.contains(last) {
            // It is an integer of 64 bits, unless the hint has another type.
            return if hint.is_some() { Ok(Lanes::default()) } else { Err(Fault::IllFormed) };
        }
        self.of_name(last)
    }
}

/// Tests whether a pattern is a literal to the matcher, which builds it after its neighbour.
fn is_literal(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::Int(_) | Pattern::Bool(_) | Pattern::Lanes(_) | Pattern::Host(_))
}

/// Collects the constants in a folded pattern, in the order in which the matcher reads them.
fn read_order(pattern: &Pattern, found: &mut Vec<String>) {
    match pattern {
        Pattern::Constant(name) => found.push(name.clone()),
        Pattern::Apply(_, operands) => match operands.as_slice() {
            [literal, other] if is_literal(literal) => {
                read_order(other, found);
                read_order(literal, found);
            }
            all => all.iter().for_each(|operand| read_order(operand, found)),
        },
        _ => {}
    }
}

/// Names a slice or a transposition without what it takes.
fn shuffle(op: Op, operands: &[Pattern]) -> String {
    let arguments: Vec<_> = operands[1..].iter().map(ToString::to_string).collect();
    format!("{op:?}({})", arguments.join(", "))
}
