//! Words for terms, obligations and entry checks. Nothing here decides anything.

use halidom_ir::{BinaryOp, Check, ExprId, Pool, print};
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

/// The most bytes of a printed term. Terms share parts, so the whole text may be exponentially
/// longer than a term is large.
const LONGEST: usize = 2000;

/// The names for printing terms.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) space: &'a Space,
}

impl<'a> Names<'a> {
    fn list(self, polys: &[PolyId]) -> String {
        self.print(|text| text.list(polys))
    }

    fn formula(self, formula: FormulaId) -> String {
        self.print(|text| text.formula(formula))
    }

    /// Prints a text, or its first part if it is long.
    fn print(self, write: impl FnOnce(&mut Text<'a>)) -> String {
        let mut text = Text { names: self, text: String::new() };
        write(&mut text);
        shortened(text.text)
    }
}

/// Keeps the first part of a long text.
fn shortened(mut text: String) -> String {
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push('…');
    }
    text
}

/// A text that grows no more once it is too long.
struct Text<'a> {
    names: Names<'a>,
    text: String,
}

impl Text<'_> {
    fn push(&mut self, part: &str) {
        if !self.is_long() {
            self.text.push_str(part);
        }
    }

    fn is_long(&self) -> bool {
        self.text.len() > LONGEST
    }

    /// Prints parts, with a text between them.
    fn join<T>(
        &mut self,
        parts: impl IntoIterator<Item = T>,
        by: &str,
        mut write: impl FnMut(&mut Self, T),
    ) {
        for (number, part) in parts.into_iter().enumerate() {
            if self.is_long() {
                return;
            }
            if number > 0 {
                self.push(by);
            }
            write(self, part);
        }
    }

    /// Prints `name(a, b, …)`.
    fn call<T>(
        &mut self,
        name: &str,
        parts: impl IntoIterator<Item = T>,
        write: impl FnMut(&mut Self, T),
    ) {
        self.push(name);
        self.push("(");
        self.join(parts, ", ", write);
        self.push(")");
    }

    fn list(&mut self, polys: &[PolyId]) {
        self.join(polys, ", ", |text, poly| text.poly(*poly));
    }

    fn poly(&mut self, poly: PolyId) {
        let mut is_first = true;
        for (monomial, coefficient) in &self.names.space.poly(poly).0 {
            if self.is_long() {
                return;
            }
            self.push(match (is_first, *coefficient < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            });
            self.product(coefficient.unsigned_abs(), monomial);
            is_first = false;
        }
        if is_first {
            self.push("0");
        }
    }

    fn product(&mut self, size: u128, monomial: &[AtomId]) {
        if size != 1 || monomial.is_empty() {
            self.push(&size.to_string());
            self.push(if monomial.is_empty() { "" } else { "*" });
        }
        self.join(monomial, "*", |text, atom| text.atom(*atom));
    }

    fn atom(&mut self, atom: AtomId) {
        match self.names.space.atom(atom) {
            Atom::Symbol(symbol) => self.push(&self.names.space.symbol_name(*symbol)),
            Atom::Min(operands) => self.call("min", operands, |text, poly| text.poly(*poly)),
            Atom::Div(a, b) => {
                self.push("(");
                self.join([a, b], ")/(", |text, poly| text.poly(*poly));
                self.push(")");
            }
            Atom::Select(condition, a, b) => {
                self.push("select(");
                self.formula(*condition);
                self.push(", ");
                self.list(&[*a, *b]);
                self.push(")");
            }
            Atom::Value(term) => self.term(*term),
        }
    }

    fn formula(&mut self, formula: FormulaId) {
        match self.names.space.formula(formula) {
            Formula::True => self.push("true"),
            Formula::False => self.push("false"),
            Formula::NonNegative(poly) => self.relation(*poly, "<="),
            Formula::Zero(poly) => self.relation(*poly, "=="),
            Formula::Holds(term) => self.term(*term),
            Formula::Not(inner) => self.call("!", [inner], |text, inner| text.formula(*inner)),
            Formula::And(parts) => self.parts(parts, " && "),
            Formula::Or(parts) => self.parts(parts, " || "),
        }
    }

    fn parts(&mut self, parts: &[FormulaId], by: &str) {
        self.push("(");
        self.join(parts, by, |text, part| text.formula(*part));
        self.push(")");
    }

    /// Prints `negative terms <= positive terms`, so that no minus sign is printed.
    fn relation(&mut self, poly: PolyId, sign: &str) {
        self.side(poly, |coefficient| coefficient < 0);
        self.push(&format!(" {sign} "));
        self.side(poly, |coefficient| coefficient > 0);
    }

    fn side(&mut self, poly: PolyId, keep: fn(i128) -> bool) {
        let sum = &self.names.space.poly(poly).0;
        let mut terms = sum.iter().filter(|(_, coefficient)| keep(*coefficient)).peekable();
        if terms.peek().is_none() {
            self.push("0");
        }
        self.join(terms, " + ", |text, (monomial, coefficient)| {
            text.product(coefficient.unsigned_abs(), monomial);
        });
    }

    fn term(&mut self, term: TermId) {
        let Names { pool, space } = self.names;
        match space.term(term) {
            Term::Constant(constant) => self.push(&print::constant(*constant)),
            Term::Truth(formula) => self.formula(*formula),
            Term::Parameter(symbol, _) => self.push(&space.symbol_name(*symbol)),
            Term::Read { func, component, version, coords, .. } => {
                let decl = pool.func(*func);
                self.push(&decl.name);
                if decl.scalars.len() > 1 {
                    self.push(&format!(".{component}"));
                }
                match version {
                    Version::Final => {}
                    Version::Pending(_) => self.push("?"),
                    Version::Before { stage, point } => {
                        self.push(&format!("@before {stage}["));
                        self.list(point);
                        self.push("]");
                    }
                }
                self.call("", coords, |text, coord| text.poly(*coord));
            }
            Term::Unary(op, operand) => {
                self.call(&format!("{op:?}"), [operand], |text, operand| text.term(*operand));
            }
            Term::Binary(op, a, b) => {
                self.push("(");
                self.join([a, b], &format!(" {} ", sign(*op)), |text, term| text.term(*term));
                self.push(")");
            }
            Term::Select(condition, a, b) => {
                self.push("select(");
                self.formula(*condition);
                self.push(", ");
                self.join([a, b], ", ", |text, term| text.term(*term));
                self.push(")");
            }
            Term::Ring(to, poly) | Term::FromInt(to, poly) => {
                self.call(&to.to_string(), [poly], |text, poly| text.poly(*poly));
            }
            Term::Cast(to, operand) => {
                self.call(&to.to_string(), [operand], |text, operand| text.term(*operand));
            }
            Term::Apply { function, args, .. } => {
                self.call(&pool.function(*function).name, args, |text, arg| text.term(*arg));
            }
            Term::Call(call, operand) => {
                self.call(call.name(), [operand], |text, operand| text.term(*operand));
            }
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

    fn expr(&self, expr: ExprId) -> String {
        shortened(print::expr(self.pool, expr))
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
            Subject::Expr(expr) => format!("`{}`", self.expr(*expr)),
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
                format!("not shown to fit: {}", self.expr(*expr))
            }
            Reason::MayOverflow(wide, bits, poly, values) => {
                let sizes = poly
                    .map_or_else(String::new, |poly| self.sizes(poly, *bits, values.as_deref()));
                match wide {
                    Wide::Expr(expr) => {
                        let expr = self.expr(*expr);
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

/// Describes an entry check, by the kind that it claims to have. This kind is a hint.
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
        Check::SizeLimit { what } => format!("a limit of {what}"),
        Check::Layout { func } => format!("layout of {}", name(*func)),
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Names};
    use crate::space::Space;
    use halidom_ir::Pool;

    #[test]
    fn terms_that_share_parts_have_short_texts() {
        let (pool, space) = (Pool::new(), Space::new());
        let (x, three) = (space.symbol(space.fresh("x")), space.constant(3));
        let mut sum = x;
        for _ in 0..100 {
            let [a, b] = [0, 1].map(|by| space.div(space.offset(sum, by), three));
            sum = space.add(space.scale(a, 2), b);
        }
        let text = Names { pool: &pool, space: &space }.list(&[x, sum]);
        assert!(text.starts_with("x, ") && text.ends_with('…'), "{text}");
        assert!(text.len() < LONGEST + 100);
    }
}
