//! The SMT-LIB 2 text of terms.
//!
//! A term that occurs more than once is defined once under a name, so the size of the text is
//! linear in the number of distinct terms. Definitions also cut chains of terms, so neither this
//! printer nor a solver's parser recurses deeply.

use std::fmt::Write as _;

use halidom_base::{FxHashMap, FxHashSet, IndexSet};

use crate::term::Node;
use crate::{FunId, TermId, Terms};

/// The nesting depth beyond which a term gets a name.
const MAX_NESTING: u32 = 40;

/// The reason why writing into a string cannot fail.
const TO_STRING: &str = "a string accepts any text";

/// The names that were given out in one text, or in one session with a solver.
///
/// Invariant: a name is given out at most once. Names of functions end in `_` and a number; names
/// of definitions are `$` and a number. The numbers come from one counter, and the hint before them
/// has neither `$` nor a leading digit.
#[derive(Debug, Default)]
pub(crate) struct Names {
    next: u32,
    functions: FxHashMap<FunId, u32>,
    definitions: FxHashMap<TermId, u32>,
    /// The named functions and definitions in order, so that a scope can be left.
    log: Vec<Named>,
}

#[derive(Debug, Clone, Copy)]
enum Named {
    Function(FunId),
    Definition(TermId),
}

impl Names {
    /// Returns the present state, for [`Names::forget`].
    pub(crate) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Forgets the names given out since `mark`. Their numbers are not used again.
    pub(crate) fn forget(&mut self, mark: usize) {
        for named in self.log.drain(mark..) {
            match named {
                Named::Function(function) => self.functions.remove(&function),
                Named::Definition(term) => self.definitions.remove(&term),
            };
        }
    }

    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn name_definition(&mut self, term: TermId) -> u32 {
        let number = self.number();
        self.definitions.insert(term, number);
        self.log.push(Named::Definition(term));
        number
    }

    fn name_function(&mut self, function: FunId) {
        let number = self.number();
        self.functions.insert(function, number);
        self.log.push(Named::Function(function));
    }

    fn function_name(&self, terms: &Terms, function: FunId) -> String {
        let hint = terms.hint(function);
        let mut name: String = hint
            .chars()
            .filter(|character| character.is_ascii_alphanumeric() || *character == '_')
            .collect();
        if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
            name.insert(0, 'v');
        }
        // A function is declared before a term that uses it is written, so it has a number.
        let number = self.functions[&function];
        write!(name, "_{number}").expect(TO_STRING);
        name
    }

    /// Writes assertions, preceded by the declarations and definitions that they need and that have
    /// not been written yet.
    pub(crate) fn assert_all(&mut self, terms: &Terms, assertions: &[TermId], out: &mut String) {
        self.write_definitions(terms, assertions, false, out);
        for assertion in assertions {
            out.push_str("(assert ");
            self.write_term(terms, *assertion, out);
            out.push_str(")\n");
        }
    }

    /// Writes the definitions of terms. Afterwards each term has a name.
    pub(crate) fn define_all(&mut self, terms: &Terms, roots: &[TermId], out: &mut String) {
        self.write_definitions(terms, roots, true, out);
    }

    /// Writes the declarations and definitions that the terms need and that have not been written
    /// yet. With `name_roots` the terms themselves get names too; otherwise only those that occur
    /// more than once.
    fn write_definitions(
        &mut self,
        terms: &Terms,
        assertions: &[TermId],
        name_roots: bool,
        out: &mut String,
    ) {
        let order = post_order(terms, assertions, |term| self.definitions.contains_key(&term));
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        let arguments = order.iter().flat_map(|term| terms.node(*term).arguments());
        for term in arguments.chain(assertions) {
            *uses.entry(*term).or_default() += 1;
        }
        if name_roots {
            for root in assertions {
                *uses.entry(*root).or_default() += 1;
            }
        }
        let mut nesting: FxHashMap<TermId, u32> = FxHashMap::default();
        for term in order {
            let node = terms.node(term);
            if let Node::Apply(function, _) = node
                && !self.functions.contains_key(function)
            {
                self.declare(terms, *function, out);
            }
            let arguments = node.arguments();
            if arguments.is_empty() {
                continue;
            }
            let inner = arguments.iter().filter_map(|argument| nesting.get(argument)).max();
            let depth = inner.map_or(1, |depth| depth + 1);
            if uses.get(&term).is_some_and(|uses| *uses > 1) || depth > MAX_NESTING {
                let mut body = String::new();
                self.write_term(terms, term, &mut body);
                let number = self.name_definition(term);
                writeln!(out, "(define-fun ${number} () {} {body})", terms.sort(term))
                    .expect(TO_STRING);
            } else {
                nesting.insert(term, depth);
            }
        }
    }

    fn declare(&mut self, terms: &Terms, function: FunId, out: &mut String) {
        self.name_function(function);
        let name = self.function_name(terms, function);
        let declared = terms.function(function);
        let parameters: Vec<String> = declared.parameters.iter().map(ToString::to_string).collect();
        writeln!(out, "(declare-fun {name} ({}) {})", parameters.join(" "), declared.result)
            .expect(TO_STRING);
    }

    /// Writes a term whose functions are declared.
    pub(crate) fn write_term(&self, terms: &Terms, term: TermId, out: &mut String) {
        if let Some(number) = self.definitions.get(&term) {
            return write!(out, "${number}").expect(TO_STRING);
        }
        let list = |out: &mut String, arguments: &[TermId]| {
            for argument in arguments {
                out.push(' ');
                self.write_term(terms, *argument, out);
            }
            out.push(')');
        };
        match terms.node(term) {
            Node::Bool(value) => write!(out, "{value}"),
            Node::Int(value) => write_signed(out, *value, ""),
            Node::Real(numerator, 1) => write_signed(out, *numerator, ".0"),
            Node::Real(numerator, denominator) => {
                out.push_str("(/ ");
                write_signed(out, *numerator, ".0").expect(TO_STRING);
                write!(out, " {denominator}.0)")
            }
            Node::BitVec { width, value } => write!(out, "(_ bv{value} {width})"),
            Node::Float { exponent, significand, bits } => {
                let all = format!("{bits:0width$b}", width = (exponent + significand) as usize);
                let (sign, rest) = all.split_at(1);
                let (biased, fraction) = rest.split_at(*exponent as usize);
                write!(out, "(fp #b{sign} #b{biased} #b{fraction})")
            }
            Node::Apply(function, arguments) if arguments.is_empty() => {
                out.push_str(&self.function_name(terms, *function));
                Ok(())
            }
            Node::Apply(function, arguments) => {
                out.push('(');
                out.push_str(&self.function_name(terms, *function));
                list(out, arguments);
                Ok(())
            }
            Node::Op(op, arguments) => {
                write!(out, "({op}").expect(TO_STRING);
                list(out, arguments);
                Ok(())
            }
        }
        .expect(TO_STRING);
    }
}

fn write_signed(out: &mut String, value: i128, suffix: &str) -> std::fmt::Result {
    let magnitude = value.unsigned_abs();
    if value < 0 {
        write!(out, "(- {magnitude}{suffix})")
    } else {
        write!(out, "{magnitude}{suffix}")
    }
}

/// Collects the subterms of `roots`, arguments first, and leaves out everything under a term that
/// `is_known`. The order depends only on the structure of the terms.
fn post_order(terms: &Terms, roots: &[TermId], is_known: impl Fn(TermId) -> bool) -> Vec<TermId> {
    enum Visit {
        Enter(TermId),
        Leave(TermId),
    }
    let mut order = Vec::new();
    let mut entered: FxHashSet<TermId> = FxHashSet::default();
    let mut stack: Vec<Visit> = roots.iter().rev().map(|root| Visit::Enter(*root)).collect();
    while let Some(visit) = stack.pop() {
        match visit {
            Visit::Enter(term) if is_known(term) || !entered.insert(term) => {}
            Visit::Enter(term) => {
                stack.push(Visit::Leave(term));
                stack.extend(
                    terms
                        .node(term)
                        .arguments()
                        .iter()
                        .rev()
                        .map(|argument| Visit::Enter(*argument)),
                );
            }
            Visit::Leave(term) => order.push(term),
        }
    }
    order
}

/// Collects the terms whose values make up a model: constants, applications of functions, and the
/// arguments of these applications.
pub(crate) fn observables(terms: &Terms, assertions: &[TermId]) -> Vec<TermId> {
    let mut found: IndexSet<TermId> = IndexSet::default();
    for term in post_order(terms, assertions, |_| false) {
        if let Some((_, arguments)) = terms.application(term) {
            found.extend(arguments.iter().copied());
            found.insert(term);
        }
    }
    found.into_iter().collect()
}

/// A query as standalone SMT-LIB 2 text. Its names are numbered from 1 in order of occurrence, so
/// structurally equal queries have equal texts, whatever other terms were built.
#[derive(Debug)]
pub struct Script {
    body: String,
    names: Names,
}

impl Script {
    /// Builds the query that asks whether all of `assertions` can hold at once.
    pub fn new(terms: &Terms, assertions: &[TermId]) -> Self {
        let mut names = Names::default();
        let mut body = String::new();
        names.assert_all(terms, assertions, &mut body);
        Self { body, names }
    }

    /// The declarations, definitions and assertions.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// The whole text: options, body, and the command to check.
    pub fn text(&self) -> String {
        format!("(set-option :produce-models true)\n(set-logic ALL)\n{}(check-sat)\n", self.body)
    }

    /// The text of a term that occurs in the query.
    pub(crate) fn term_text(&self, terms: &Terms, term: TermId) -> String {
        let mut text = String::new();
        self.names.write_term(terms, term, &mut text);
        text
    }
}
