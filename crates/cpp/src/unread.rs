//! Finds text that may hold methods which visit nodes, and that is not read as such.

use tree_sitter::Node;

use crate::ast::Function;
use crate::headers::{self, METHODS};
use crate::parse::{Reader, named};
use crate::syntax::Syntax;
use crate::text::{is_letter, words};

/// Texts that classes and methods that visit nodes have.
const MARKS: [&str; 5] = ["visit(const", "VisitExpr_(", "VisitStmt_(", "Mutate_(", "IRMutator"];

/// Tests whether a text has a name, as a word, before a parenthesis.
fn has_call(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(is_letter) && text[at + name.len()..].trim_start().starts_with('(')
    })
}

impl Reader<'_> {
    /// Collects the lines of text that may hold methods which visit nodes, and that is not read.
    pub(crate) fn errors(&self, node: Node<'_>, functions: &[Function]) -> Vec<usize> {
        let mut found = headers::unread(self.text, self.before, functions);
        self.unread(node, false, &mut found);
        self.broken_methods(node, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Collects the lines of the outermost syntax errors whose text has a mark of such a method.
    fn broken_methods(&self, node: Node<'_>, found: &mut Vec<usize>) {
        if node.is_error() {
            let text = self.text(node);
            if MARKS.iter().any(|mark| text.contains(mark)) {
                found.push(self.line(node));
            }
            return;
        }
        if node.has_error() {
            for child in named(node) {
                self.broken_methods(child, found);
            }
        }
    }

    /// Collects the lines of methods that visit nodes where they are not read: in a class within a
    /// function, in a visitor that is made of lambda functions, and in a macro.
    fn unread(&self, node: Node<'_>, is_within: bool, found: &mut Vec<usize>) {
        let field = |name| node.child_by_field_name(name).map(|of| self.text(of));
        let is_it = match node.kind() {
            "preproc_def" | "preproc_function_def" => {
                field("value").is_some_and(|text| METHODS.iter().any(|name| has_call(&text, name)))
            }
            "function_definition" if is_within => {
                let is_void = field("type").is_some_and(|ty| ty == "void");
                let makes_node = !is_void || self.may_mutate(node);
                let is_visit = |text: String| METHODS.iter().any(|name| has_call(&text, name));
                makes_node && field("declarator").is_some_and(is_visit)
            }
            "call_expression" => field("function").is_some_and(|text| {
                text.rsplit(|letter| !is_letter(letter)).next() == Some("mutate_with")
            }),
            _ => false,
        };
        if is_it {
            found.push(self.line(node));
        }
        let is_within = is_within || node.kind() == "compound_statement";
        for child in named(node) {
            self.unread(child, is_within, found);
        }
    }

    /// Tests whether a method without a result may be that of a mutator, by its class or its words.
    fn may_mutate(&self, node: Node<'_>) -> bool {
        let class = node.parent().and_then(|body| body.parent());
        let bases = class.map(named).unwrap_or_default();
        let is_mutator =
            |of: &Node<'_>| of.kind() == "base_class_clause" && self.text(*of).contains("Mutator");
        let text = self.text(node);
        bases.iter().any(is_mutator) || words(&text).any(|word| ["expr", "stmt"].contains(&word))
    }

    /// A macro of the file among the words of a name, or of a member's name.
    pub(crate) fn names_macro(&self, node: Node<'_>) -> Option<String> {
        let name = match Syntax::of(node.kind()) {
            Syntax::Identifier
            | Syntax::QualifiedIdentifier
            | Syntax::TypeIdentifier
            | Syntax::FieldIdentifier => node,
            Syntax::FieldExpression => node.child_by_field_name("field")?,
            _ => return None,
        };
        let text = self.text(name);
        words(&text).find(|word| self.is_macro(word)).map(str::to_owned)
    }
}
