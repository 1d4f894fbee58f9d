//! Sums, differences and products of numbers that are not known.
//!
//! # Correctness
//!
//! Nothing is known of the result. A signed sum, difference or product of unknown numbers may
//! overflow, which C++ does not define, so a path that computes one shows nothing. An unsigned
//! number wraps, and few lanes and bits have no sum or product that overflows. It is assumed that a
//! number which is counted by one does not reach the greatest number, and that no container has
//! nearly 2^31 elements.

use halidom_cpp::{Sign, words};

use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::absent::{ADVANCED, DEFINED};
use crate::machine::methods::{PART_OF_NAME, PART_OF_TEXT};
use crate::machine::names::TypeName;
use crate::machine::run::{Machine, Paths};
use crate::machine::types::{integer_type, short};

/// The reason why a path ends at a number that may overflow.
pub(super) const OVERFLOW: &str = "arithmetic of numbers that are not known, which may overflow";

/// The beginning of the handles of unsigned numbers that were computed.
const UNSIGNED: &str = "unsigned#";

/// The beginning of the handles of sizes that were converted to a signed type.
const COUNTED: &str = "counted#";

/// The greatest magnitude of a literal that is added to a number of lanes or bits, or multiplied.
const FEW: i128 = 1 << 15;

/// The range of an operand that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    /// It is no number.
    Other,
    /// An iterator.
    Iterator,
    /// A number without a sign.
    Unsigned,
    /// A number of few digits.
    Small,
    /// A size in a signed type.
    Counted,
    /// A number with a sign, or what may be one.
    Signed,
}

/// The answers to questions about things that are not known.
const ANSWERS: [(&str, Operand); 9] = [
    ("begin", Operand::Iterator),
    ("bits", Operand::Small),
    ("bytes", Operand::Small),
    ("end", Operand::Iterator),
    ("lanes", Operand::Small),
    ("length", Operand::Unsigned),
    ("rbegin()", Operand::Iterator),
    ("rend()", Operand::Iterator),
    ("size", Operand::Unsigned),
];

impl Machine<'_> {
    /// The range of an operand.
    fn operand(&self, value: &Val) -> Operand {
        match value {
            Val::Int(num) if !num.is_signed && num.bits >= 32 => Operand::Unsigned,
            Val::Int(num) if -FEW <= num.low && num.high <= FEW => Operand::Small,
            Val::Int(_) => Operand::Signed,
            Val::Bool(_) => Operand::Small,
            Val::Handle(of) => self.operand_of(of),
            _ => Operand::Other,
        }
    }

    /// The range of what a handle stands for.
    fn operand_of(&self, of: &str) -> Operand {
        // A defined expression is no number.
        let is_text = of.starts_with(PART_OF_NAME) || of.starts_with(PART_OF_TEXT);
        if is_text || of.ends_with(DEFINED) {
            return Operand::Other;
        }
        if of.starts_with(ADVANCED) || of.contains(".find@") {
            return Operand::Iterator;
        }
        if of.starts_with(UNSIGNED) {
            return Operand::Unsigned;
        }
        if of.starts_with(COUNTED) {
            return Operand::Counted;
        }
        // `member.bytes`, or `bytes of 5` where a node holds the type.
        let last = of.rsplit('.').next().unwrap_or_default();
        let asked = of.split_once(" of ").map_or(last, |(first, _)| first);
        if let Some((_, answer)) = ANSWERS.iter().find(|(name, _)| *name == asked) {
            return *answer;
        }
        let types = self.types_of(of);
        let mut all = types.iter().map(|ty| operand_of_type(ty));
        let first = all.next().unwrap_or(Operand::Signed);
        if all.all(|other| other == first) { first } else { Operand::Signed }
    }

    /// Tests whether an operator on two numbers that are not known may overflow.
    pub(super) fn may_overflow(&self, op: Sign, operands: [&Val; 2]) -> bool {
        let is_unknown = operands.iter().any(|value| matches!(value, Val::Handle(_)));
        if !is_unknown
            || !matches!(op, Sign::Add | Sign::Sub | Sign::Mul)
            || self.is_concrete()
            || self.mode.is_emitter()
        {
            return false;
        }
        // `INT_MAX - 1`
        let is_inwards = matches!(operands, [Val::Handle(of), Val::Int(by)]
            if by.low >= 0 && (op == Sign::Sub && of.ends_with("_MAX")
                || op == Sign::Add && of.ends_with("_MIN")));
        let all = operands.map(|value| self.operand(value));
        let are_promoted =
            all.iter().all(|of| matches!(of, Operand::Small | Operand::Counted | Operand::Signed));
        let is_far = match all {
            // At most one of the two is a size.
            [Operand::Counted, Operand::Counted] => op != Sign::Sub,
            [Operand::Counted, Operand::Small] | [Operand::Small, Operand::Counted] => {
                op == Sign::Mul
            }
            _ => all.contains(&Operand::Signed),
        };
        !is_inwards && are_promoted && is_far
    }

    /// A number that is not known, in an integer type.
    pub(super) fn unknown_as(&mut self, (bits, is_signed): (u8, bool), of: String) -> Val {
        let old = self.operand_of(&of);
        let kept = match old {
            Operand::Small => bits >= 32,
            Operand::Unsigned => bits >= 64 && !is_signed,
            Operand::Counted | Operand::Signed => bits >= 64 && is_signed,
            Operand::Other | Operand::Iterator => true,
        };
        let types = self.types_of(&of);
        let is_same = !types.is_empty()
            && types.iter().all(|ty| integer_type(short(ty)) == Some((bits, is_signed)));
        if kept || is_same {
            return Val::Handle(of);
        }
        let hint = match old {
            Operand::Unsigned if bits >= 32 && is_signed && is_size(&of) => COUNTED,
            Operand::Counted if bits >= 32 && is_signed => COUNTED,
            _ if bits >= 32 && !is_signed => UNSIGNED,
            _ => "unknown#",
        };
        Val::Handle(self.fresh_name(hint.trim_end_matches('#')))
    }

    /// A number that is not known, in a type that may be an integer's by another name.
    pub(super) fn unknown_of_type(&mut self, ty: TypeName<'_>, of: String) -> Val {
        let is_number = matches!(self.operand_of(&of), Operand::Unsigned | Operand::Counted);
        match ty {
            TypeName::Other(_) if is_number => Val::Handle(self.fresh_name("unknown")),
            _ => Val::Handle(of),
        }
    }

    /// The result of an operator on something that is not known.
    pub(super) fn computed_of_unknown(&mut self, operands: [&Val; 2]) -> Val {
        let all = operands.map(|value| self.operand(value));
        let hint = if all.contains(&Operand::Iterator) {
            ADVANCED
        } else if all.contains(&Operand::Unsigned) {
            UNSIGNED
        } else {
            "unknown#"
        };
        Val::Handle(self.fresh_name(hint.trim_end_matches('#')))
    }

    /// Adds to a variable, or applies another operator to it. A number that is counted by one is
    /// assumed not to overflow.
    pub(super) fn stepped(
        &mut self,
        op: Sign,
        old: &Val,
        by: Val,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let is_one = matches!(&by, Val::Int(num) if self.values.as_number(num.term) == Some(1));
        let is_step = matches!(op, Sign::Add | Sign::Sub) && is_one;
        // Nothing else is looked at where a number is counted.
        let by = if is_step && self.may_overflow(op, [old, &by]) {
            Val::Int(self.number(1, 32, false))
        } else {
            by
        };
        self.binary(op, old.clone(), by, state, line)
    }
}

/// Tests whether a handle stands for the number of elements of a container or of letters.
fn is_size(of: &str) -> bool {
    matches!(of.rsplit('.').next(), Some("size" | "length"))
}

/// The range of values of a type.
fn operand_of_type(ty: &str) -> Operand {
    let ty = short(ty);
    let ty = ty.strip_prefix("const ").unwrap_or(ty);
    if let Some((bits, is_signed)) = integer_type(ty) {
        return match (bits, is_signed) {
            (32.., false) => Operand::Unsigned,
            (..16, _) | (16, true) => Operand::Small,
            _ => Operand::Signed,
        };
    }
    let is_plain = ["bool", "char"].contains(&ty);
    let is_other = ["double", "float", "string", "Type", "Expr", "Stmt"].contains(&ty);
    if is_plain {
        Operand::Small
    } else if is_other || ty.ends_with('*') || words(ty).count() == 0 {
        Operand::Other
    } else {
        Operand::Signed
    }
}
