//! Plain data: the quasi-affine trees and constraints of questions and answers.

use crate::{Context, Dim};

/// A quasi-affine integer expression. Sums and products are exact, without wrap-around.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QuasiAffine {
    /// A number.
    Constant(i64),
    /// The value of a dim.
    Dim(Dim),
    /// The sum of the parts; 0 if there are no parts.
    Sum(Vec<QuasiAffine>),
    /// A multiple.
    Scale(i64, Box<QuasiAffine>),
    /// The quotient rounded down. The divisor is positive.
    FloorDiv(Box<QuasiAffine>, i64),
    /// The least of the parts; there is at least one part.
    Min(Vec<QuasiAffine>),
    /// The greatest of the parts; there is at least one part.
    Max(Vec<QuasiAffine>),
    /// The first expression if the condition holds, else the second.
    Select(Condition, Box<QuasiAffine>, Box<QuasiAffine>),
}

/// A disjunction of conjunctions: holds if every constraint of some inner list holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Condition(pub Vec<Vec<Constraint>>);

/// An expression compared with zero.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Constraint {
    /// The left-hand side.
    pub expr: QuasiAffine,
    /// The comparison with 0.
    pub relation: Relation,
}

/// A comparison of an expression with zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// `expr = 0`
    Zero,
    /// `expr ≥ 0`
    NonNegative,
}

/// An affine sum: `constant + Σ coefficient·dim`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Affine {
    /// The constant.
    pub constant: i64,
    /// The coefficients. A dim that occurs twice has the sum of its coefficients.
    pub terms: Vec<(Dim, i64)>,
}

impl From<Affine> for QuasiAffine {
    fn from(affine: Affine) -> Self {
        let terms = affine.terms.into_iter().map(|(dim, factor)| Self::Dim(dim).scale(factor));
        terms.fold(Self::Constant(affine.constant), Self::plus)
    }
}

impl From<Dim> for QuasiAffine {
    fn from(dim: Dim) -> Self {
        Self::Dim(dim)
    }
}

impl From<i64> for QuasiAffine {
    fn from(value: i64) -> Self {
        Self::Constant(value)
    }
}

impl QuasiAffine {
    /// `self + other`.
    #[must_use]
    pub fn plus(self, other: impl Into<Self>) -> Self {
        let mut parts = match self {
            Self::Constant(0) => return other.into(),
            Self::Sum(parts) => parts,
            part @ (Self::Constant(_)
            | Self::Dim(_)
            | Self::Scale(..)
            | Self::FloorDiv(..)
            | Self::Min(_)
            | Self::Max(_)
            | Self::Select(..)) => vec![part],
        };
        match other.into() {
            Self::Constant(0) => {}
            Self::Sum(more) => parts.extend(more),
            part @ (Self::Constant(_)
            | Self::Dim(_)
            | Self::Scale(..)
            | Self::FloorDiv(..)
            | Self::Min(_)
            | Self::Max(_)
            | Self::Select(..)) => parts.push(part),
        }
        if parts.len() == 1 { parts.remove(0) } else { Self::Sum(parts) }
    }

    /// `self - other`.
    #[must_use]
    pub fn minus(self, other: impl Into<Self>) -> Self {
        self.plus(other.into().scale(-1))
    }

    /// `factor · self`.
    #[must_use]
    pub fn scale(self, factor: i64) -> Self {
        match (factor, self) {
            (1, expr) => expr,
            (0, _) => Self::Constant(0),
            (_, expr) => Self::Scale(factor, Box::new(expr)),
        }
    }

    /// `⌊self / divisor⌋`.
    #[must_use]
    pub fn floor_div(self, divisor: i64) -> Self {
        if divisor == 1 { self } else { Self::FloorDiv(Box::new(self), divisor) }
    }

    /// `self mod divisor`, in `0..divisor`.
    #[must_use]
    pub fn modulo(self, divisor: i64) -> Self {
        self.clone().minus(self.floor_div(divisor).scale(divisor))
    }

    /// `self ≥ other`.
    #[must_use]
    pub fn ge(self, other: impl Into<Self>) -> Constraint {
        Constraint { expr: self.minus(other), relation: Relation::NonNegative }
    }

    /// `self ≤ other`.
    #[must_use]
    pub fn le(self, other: impl Into<Self>) -> Constraint {
        other.into().ge(self)
    }

    /// `self < other`.
    #[must_use]
    pub fn lt(self, other: impl Into<Self>) -> Constraint {
        Constraint { expr: other.into().minus(self).plus(-1), relation: Relation::NonNegative }
    }

    /// `self = other`.
    #[must_use]
    pub fn equal(self, other: impl Into<Self>) -> Constraint {
        Constraint { expr: self.minus(other), relation: Relation::Zero }
    }

    /// Returns the expression as an affine sum, with each dim once and in order of allocation.
    /// `None` if the expression has other parts, or if a coefficient does not fit in 64 bits.
    pub fn as_affine(&self) -> Option<Affine> {
        let mut sum = Affine::default();
        self.add_to(1, &mut sum)?;
        sum.terms.sort_unstable();
        let mut merged: Vec<(Dim, i64)> = Vec::with_capacity(sum.terms.len());
        for (dim, factor) in sum.terms {
            match merged.last_mut() {
                Some((last, total)) if *last == dim => *total = total.checked_add(factor)?,
                Some(_) | None => merged.push((dim, factor)),
            }
        }
        merged.retain(|(_, factor)| *factor != 0);
        Some(Affine { constant: sum.constant, terms: merged })
    }

    fn add_to(&self, factor: i64, sum: &mut Affine) -> Option<()> {
        match self {
            Self::Constant(value) => {
                sum.constant = sum.constant.checked_add(value.checked_mul(factor)?)?
            }
            Self::Dim(dim) => sum.terms.push((*dim, factor)),
            Self::Sum(parts) => parts.iter().try_for_each(|part| part.add_to(factor, sum))?,
            Self::Scale(scale, part) => part.add_to(factor.checked_mul(*scale)?, sum)?,
            Self::FloorDiv(..) | Self::Min(_) | Self::Max(_) | Self::Select(..) => return None,
        }
        Some(())
    }

    /// Evaluates the expression under an assignment. `None` if the assignment lacks a dim, a number
    /// leaves 128 bits, a divisor is not positive, or a minimum or maximum has no parts.
    pub fn eval(&self, assignment: &impl Fn(Dim) -> Option<i64>) -> Option<i128> {
        let all = |parts: &[Self]| {
            parts.iter().map(|part| part.eval(assignment)).collect::<Option<Vec<i128>>>()
        };
        match self {
            Self::Constant(value) => Some(i128::from(*value)),
            Self::Dim(dim) => assignment(*dim).map(i128::from),
            Self::Sum(parts) => all(parts)?.into_iter().try_fold(0, i128::checked_add),
            Self::Scale(factor, part) => part.eval(assignment)?.checked_mul(i128::from(*factor)),
            Self::FloorDiv(part, divisor) if *divisor > 0 => {
                Some(part.eval(assignment)?.div_euclid(i128::from(*divisor)))
            }
            Self::FloorDiv(..) => None,
            Self::Min(parts) => all(parts)?.into_iter().min(),
            Self::Max(parts) => all(parts)?.into_iter().max(),
            Self::Select(condition, then, otherwise) => {
                if condition.holds(assignment)? {
                    then.eval(assignment)
                } else {
                    otherwise.eval(assignment)
                }
            }
        }
    }

    /// Prints the expression with the names of `context`.
    pub fn to_text(&self, context: &Context) -> String {
        let list = |parts: &[Self]| {
            parts.iter().map(|part| part.to_text(context)).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Constant(value) => value.to_string(),
            Self::Dim(dim) => context.name(*dim),
            Self::Sum(parts) => {
                let texts: Vec<_> = parts.iter().map(|part| part.to_text(context)).collect();
                format!("({})", texts.join(" + "))
            }
            Self::Scale(factor, part) => format!("{factor}*{}", part.to_text(context)),
            Self::FloorDiv(part, divisor) => {
                format!("floor({} / {divisor})", part.to_text(context))
            }
            Self::Min(parts) => format!("min({})", list(parts)),
            Self::Max(parts) => format!("max({})", list(parts)),
            Self::Select(condition, then, otherwise) => format!(
                "select({}, {}, {})",
                condition.to_text(context),
                then.to_text(context),
                otherwise.to_text(context)
            ),
        }
    }
}

impl Constraint {
    /// Tests whether the constraint holds under an assignment; `None` if [`QuasiAffine::eval`]
    /// gives no value.
    pub fn holds(&self, assignment: &impl Fn(Dim) -> Option<i64>) -> Option<bool> {
        let value = self.expr.eval(assignment)?;
        Some(match self.relation {
            Relation::Zero => value == 0,
            Relation::NonNegative => value >= 0,
        })
    }

    /// Prints the constraint with the names of `context`.
    pub fn to_text(&self, context: &Context) -> String {
        let relation = match self.relation {
            Relation::Zero => "=",
            Relation::NonNegative => ">=",
        };
        format!("{} {relation} 0", self.expr.to_text(context))
    }
}

impl Condition {
    /// Tests whether the condition holds under an assignment; `None` if [`QuasiAffine::eval`] gives
    /// no value.
    pub fn holds(&self, assignment: &impl Fn(Dim) -> Option<i64>) -> Option<bool> {
        for conjunction in &self.0 {
            let verdicts: Option<Vec<bool>> =
                conjunction.iter().map(|c| c.holds(assignment)).collect();
            if verdicts?.into_iter().all(|verdict| verdict) {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Prints the condition with the names of `context`.
    pub fn to_text(&self, context: &Context) -> String {
        let conjunction = |constraints: &Vec<Constraint>| match constraints.as_slice() {
            [] => "true".to_owned(),
            several => several.iter().map(|c| c.to_text(context)).collect::<Vec<_>>().join(" and "),
        };
        match self.0.as_slice() {
            [] => "false".to_owned(),
            several => several.iter().map(conjunction).collect::<Vec<_>>().join(" or "),
        }
    }
}
