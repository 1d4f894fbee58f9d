//! Printing of terms, for reports and messages.

use std::fmt::Write as _;

use halidom_ir::{BinaryOp, Pool};

use super::{Atom, Formula, FormulaId, PolyId, Space, Term, TermId, Version};

/// The names for printing terms.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) space: &'a Space,
}

impl Names<'_> {
    pub(crate) fn poly(self, poly: PolyId) -> String {
        let mut text = String::new();
        for (monomial, coefficient) in &self.space.poly(poly).0 {
            let sign = if *coefficient < 0 { "-" } else { "+" };
            if text.is_empty() {
                text.push_str(if *coefficient < 0 { "-" } else { "" });
            } else {
                let _ = write!(text, " {sign} ");
            }
            let size = coefficient.unsigned_abs();
            let factors: Vec<String> = monomial.iter().map(|atom| self.atom(*atom)).collect();
            match (size, factors.is_empty()) {
                (_, true) => drop(write!(text, "{size}")),
                (1, false) => text.push_str(&factors.join("*")),
                (_, false) => drop(write!(text, "{size}*{}", factors.join("*"))),
            }
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }

    fn list(self, polys: &[PolyId]) -> String {
        polys.iter().map(|poly| self.poly(*poly)).collect::<Vec<_>>().join(", ")
    }

    fn atom(self, atom: super::AtomId) -> String {
        match self.space.atom(atom) {
            Atom::Symbol(symbol) => self.space.symbol_name(*symbol).to_owned(),
            Atom::Min(operands) => format!("min({})", self.list(operands)),
            Atom::Div(a, b) => format!("({})/({})", self.poly(*a), self.poly(*b)),
            Atom::Select(condition, a, b) => {
                format!(
                    "select({}, {}, {})",
                    self.formula(*condition),
                    self.poly(*a),
                    self.poly(*b)
                )
            }
            Atom::Value(term) => self.term(*term),
        }
    }

    pub(crate) fn formula(self, formula: FormulaId) -> String {
        match self.space.formula(formula) {
            Formula::True => "true".to_owned(),
            Formula::False => "false".to_owned(),
            Formula::NonNegative(poly) => self.relation(*poly, "<="),
            Formula::Zero(poly) => self.relation(*poly, "=="),
            Formula::Holds(term) => self.term(*term),
            Formula::Not(inner) => format!("!({})", self.formula(*inner)),
            Formula::And(parts) => self.join(parts, " && "),
            Formula::Or(parts) => self.join(parts, " || "),
        }
    }

    fn join(self, parts: &[FormulaId], by: &str) -> String {
        let parts: Vec<String> = parts.iter().map(|part| self.formula(*part)).collect();
        format!("({})", parts.join(by))
    }

    /// Formats `negative terms <= positive terms`, so that no minus sign is printed.
    fn relation(self, poly: PolyId, sign: &str) -> String {
        let side = |keep: fn(i128) -> bool| {
            let mut text: Vec<String> = Vec::new();
            for (monomial, coefficient) in &self.space.poly(poly).0 {
                if keep(*coefficient) {
                    let size = coefficient.unsigned_abs();
                    let mut factors: Vec<String> =
                        monomial.iter().map(|atom| self.atom(*atom)).collect();
                    if size != 1 || factors.is_empty() {
                        factors.insert(0, size.to_string());
                    }
                    text.push(factors.join("*"));
                }
            }
            if text.is_empty() { "0".to_owned() } else { text.join(" + ") }
        };
        format!("{} {sign} {}", side(|c| c < 0), side(|c| c > 0))
    }

    pub(crate) fn term(self, term: TermId) -> String {
        match self.space.term(term) {
            Term::Constant(constant) => halidom_ir::print::constant(*constant),
            Term::Ring(scalar, poly) => format!("{scalar}({})", self.poly(*poly)),
            Term::Truth(formula) => self.formula(*formula),
            Term::Parameter(symbol, _) => self.space.symbol_name(*symbol).to_owned(),
            Term::Read { func, component, version, coords, .. } => {
                let decl = self.pool.func(*func);
                let mut name = decl.name.clone();
                if decl.scalars.len() > 1 {
                    name = format!("{name}.{component}");
                }
                let version = match version {
                    Version::Final => String::new(),
                    Version::Pending => "?".to_owned(),
                    Version::Before { stage, point } => {
                        format!("@before {stage}[{}]", self.list(point))
                    }
                };
                format!("{name}{version}({})", self.list(coords))
            }
            Term::Unary(op, operand) => format!("{op:?}({})", self.term(*operand)),
            Term::Binary(op, a, b) => {
                format!("({} {} {})", self.term(*a), sign(*op), self.term(*b))
            }
            Term::Select(condition, a, b) => format!(
                "select({}, {}, {})",
                self.formula(*condition),
                self.term(*a),
                self.term(*b)
            ),
            Term::Cast(to, operand) => format!("{to}({})", self.term(*operand)),
            Term::FromInt(to, poly) => format!("{to}({})", self.poly(*poly)),
            Term::Call(call, operand) => format!("{}({})", call.name(), self.term(*operand)),
        }
    }
}

fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add(_) => "+",
        BinaryOp::Sub(_) => "-",
        BinaryOp::Mul(_) => "*",
        BinaryOp::Div => "/",
        BinaryOp::Mod => "%",
        BinaryOp::Min => "min",
        BinaryOp::Max => "max",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
    }
}
