//! Words for terms, obligations and entry checks. Nothing here decides anything.

use std::fmt::Write as _;

use halidom_ir::{BinaryOp, Check, Pool, print};
use halidom_verdict::{self as verdict, Cause};

use crate::obligation::overflow::width;
use crate::obligation::record::{Kind, Obligation, Reason, Subject, Wide};
use crate::obligation::theorem::Judgement;
use crate::report;
use crate::space::{
    Atom, AtomId, Formula, FormulaId, PolyId, Space, Symbol, Term, TermId, Version,
};

/// The most sizes that a message shows.
const SHOWN: usize = 4;

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

    fn atom(self, atom: AtomId) -> String {
        match self.space.atom(atom) {
            Atom::Symbol(symbol) => self.space.symbol_name(*symbol),
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
            Term::Constant(constant) => print::constant(*constant),
            Term::Ring(scalar, poly) => format!("{scalar}({})", self.poly(*poly)),
            Term::Truth(formula) => self.formula(*formula),
            Term::Parameter(symbol, _) => self.space.symbol_name(*symbol),
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
            Term::Apply { function, args, .. } => {
                let args: Vec<String> = args.iter().map(|arg| self.term(*arg)).collect();
                format!("{}({})", self.pool.function(*function).name, args.join(", "))
            }
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

/// Classifies the reason why an obligation is open.
fn cause(kind: Kind, reason: &Reason) -> Cause {
    match reason {
        Reason::And(reason, _) => cause(kind, reason),
        Reason::NoAnswer(..) | Reason::Undecided => Cause::Solver,
        Reason::Words(_) | Reason::NotShown(_) | Reason::NotFit(_) | Reason::MayOverflow(..) => {
            match kind {
                Kind::Location => Cause::Location,
                Kind::Bounds => Cause::Bounds,
                Kind::Claim => Cause::Claim,
                Kind::Value => Cause::Value,
                Kind::Coverage => Cause::Coverage,
                Kind::Definedness => Cause::Definedness,
                Kind::Order => Cause::Order,
                Kind::Retention => Cause::Retention,
                Kind::Race => Cause::Race,
                Kind::Output => Cause::Output,
                Kind::Overflow => Cause::Overflow,
                Kind::Assumption => Cause::Assumption,
                Kind::Form => Cause::Form,
                Kind::Refinement => Cause::Refinement,
            }
        }
    }
}

/// Words for a judgement.
pub(crate) struct Prose<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) judged: &'a Judgement,
}

impl Prose<'_> {
    fn names(&self) -> Names<'_> {
        Names { pool: self.pool, space: &self.judged.space }
    }

    /// Puts an obligation in words.
    pub(crate) fn obligation(&self, obligation: &Obligation) -> report::Obligation {
        let status = match &obligation.status {
            Ok(method) => report::Status::Closed(*method),
            Err(reason) => {
                let cause = cause(obligation.kind, reason);
                report::Status::Open(verdict::Reason::new(cause, self.reason(reason)))
            }
        };
        let (kind, stmt) = (obligation.kind, obligation.stmt);
        report::Obligation { kind, stmt, place: self.subject(&obligation.subject), status }
    }

    /// Puts a subject in words.
    pub(crate) fn subject(&self, subject: &Subject) -> String {
        match subject {
            Subject::Words(words) => words.clone(),
            Subject::Expr(expr) => format!("`{}`", print::expr(self.pool, *expr)),
            Subject::EntryCheck(number) => {
                let check = self.judged.model.entry.get(*number).map(|entry| &entry.check);
                check.map_or_else(String::new, |check| describe(self.pool, check))
            }
            Subject::Access(before, spot, after) => {
                let memory = &self.judged.model.memories[spot.memory];
                let coords = self.names().list(&spot.coords);
                let loops: Vec<String> = spot
                    .loops
                    .iter()
                    .map(|symbol| self.judged.space.symbol_name(*symbol))
                    .collect();
                let name = &self.pool.func(memory.func).name;
                format!("{before}{name}({coords}) in loops [{}]{after}", loops.join(", "))
            }
        }
    }

    /// Puts the reason for an open obligation in words.
    pub(crate) fn reason(&self, reason: &Reason) -> String {
        match reason {
            Reason::Words(words) => words.clone(),
            Reason::And(reason, more) => format!("{}; {more}", self.reason(reason)),
            Reason::NotShown(formula) => format!("not shown: {}", self.names().formula(*formula)),
            Reason::NoAnswer(reason, formula) => {
                format!("{reason}: {}", self.names().formula(*formula))
            }
            Reason::Undecided => {
                "the solver cannot tell whether the assumptions can hold".to_owned()
            }
            Reason::NotFit(expr) => {
                format!("not shown to fit: {}", print::expr(self.pool, *expr))
            }
            Reason::MayOverflow(wide, bits, poly, values) => {
                let sizes = poly
                    .map_or_else(String::new, |poly| self.sizes(poly, *bits, values.as_deref()));
                match wide {
                    Wide::Expr(expr) => {
                        let expr = print::expr(self.pool, *expr);
                        format!("may overflow in {bits} bits: `{expr}`{sizes}")
                    }
                    Wide::End(var) => {
                        let name = &self.pool.var(*var).name;
                        format!(
                            "the end of the loop over `{name}` may overflow in {bits} bits{sizes}"
                        )
                    }
                }
            }
        }
    }

    /// Describes sizes at which an integer does not fit. The text is empty if the solver's sizes do
    /// not show this, which happens because products are opaque to the solver.
    fn sizes(&self, poly: PolyId, bits: u32, values: Option<&[(Symbol, i128)]>) -> String {
        let Some(values) = values else { return String::new() };
        let space = &self.judged.space;
        let (low, high) = width(bits);
        match self.at(poly, values) {
            Some(value) if value < low || high < value => {
                let symbols = space.symbols_of(poly);
                let shown = values.iter().filter(|(symbol, _)| symbols.contains(symbol));
                let shown: Vec<String> = shown
                    .take(SHOWN)
                    .map(|(symbol, value)| format!("{} {value}", space.symbol_name(*symbol)))
                    .collect();
                format!(", e.g. {}", shown.join(", "))
            }
            Some(_) | None => String::new(),
        }
    }

    /// Evaluates an integer made of sums, products, minima and quotients.
    fn at(&self, poly: PolyId, values: &[(Symbol, i128)]) -> Option<i128> {
        let mut sum = 0_i128;
        for (monomial, coefficient) in &self.judged.space.poly(poly).0 {
            let mut product = *coefficient;
            for atom in monomial {
                let factor = match self.judged.space.atom(*atom) {
                    Atom::Symbol(symbol) => {
                        values.iter().find(|(known, _)| known == symbol).map(|(_, value)| *value)?
                    }
                    Atom::Min(operands) => {
                        let operands = operands.iter().map(|operand| self.at(*operand, values));
                        operands.collect::<Option<Vec<_>>>()?.into_iter().min()?
                    }
                    Atom::Div(a, b) => {
                        self.at(*a, values)?.checked_div_euclid(self.at(*b, values)?).unwrap_or(0)
                    }
                    Atom::Select(..) | Atom::Value(_) => return None,
                };
                product = product.checked_mul(factor)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }
}

/// Describes an entry check.
pub(crate) fn describe(pool: &Pool, check: &Check) -> String {
    let name = |func| &pool.func(func).name;
    match check {
        Check::InputRegion { input, dim, .. } => {
            format!("input region of {} in dimension {dim}", name(*input))
        }
        Check::OutputRegion { output, dim, .. } => {
            format!("output region of {} in dimension {dim}", name(*output))
        }
        Check::Require { message } => format!("require \"{message}\""),
        Check::DomainExtent { func, stage, variable } => {
            format!("reduction extent {variable} of stage {stage} of {}", name(*func))
        }
        Check::SplitFactor { func, variable } => {
            format!("split factor of {variable} in {}", name(*func))
        }
        Check::Bound { func, dim } => format!("bound of {} in dimension {dim}", name(*func)),
        Check::SizeLimit { what } => format!("size limit of {what}"),
        Check::Layout { func } => format!("layout of {}", name(*func)),
    }
}
