//! Reads where declarations stand, and what the bodies of classes declare besides fields and
//! methods with bodies.

use tree_sitter::Node;

use crate::ast::{File, Prototype};
use crate::parse::{Reader, named};
use crate::text::{is_letter, split_name, words};

/// The kinds of directives that choose between texts.
const CHOICES: [&str; 5] =
    ["preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef", "preproc_else"];

/// Tests whether a directive is `#ifndef NAME` around a whole file that begins with `#define NAME`.
fn is_guard(node: Node<'_>) -> bool {
    let is_outermost = node.parent().is_some_and(|of| of.kind() == "translation_unit");
    let has_other = named(node).iter().any(|of| CHOICES[2..].contains(&of.kind()));
    let mut cursor = node.walk();
    let is_negated = node.children(&mut cursor).any(|of| of.kind() == "#ifndef");
    let defines = named(node).get(1).is_some_and(|of| of.kind() == "preproc_def");
    node.kind() == "preproc_ifdef" && is_outermost && is_negated && defines && !has_other
}

impl Reader<'_> {
    /// Tests whether a directive decides whether a declaration is there. The guard of a header
    /// decides nothing.
    pub(crate) fn is_conditional(node: Node<'_>) -> bool {
        let mut at = node.parent();
        while let Some(parent) = at {
            if CHOICES.contains(&parent.kind()) && !is_guard(parent) {
                return true;
            }
            at = parent.parent();
        }
        false
    }

    /// Returns the names of the namespaces and classes around a declaration, and whether one of the
    /// namespaces has no name.
    pub(crate) fn place_of(&self, node: Node<'_>) -> (String, bool) {
        let (mut place, mut is_hidden) = (Vec::new(), false);
        let mut at = node.parent();
        while let Some(parent) = at {
            let name = parent.child_by_field_name("name").map(|name| self.flat(name));
            match (parent.kind(), name) {
                ("namespace_definition", None) => is_hidden = true,
                ("namespace_definition" | "class_specifier" | "struct_specifier", Some(name)) => {
                    place.push(name);
                }
                _ => {}
            }
            at = parent.parent();
        }
        place.reverse();
        (place.join("::"), is_hidden)
    }

    /// Collects the functions that a declaration declares without a body.
    pub(crate) fn prototypes(&self, node: Node<'_>, class: &str, file: &mut File) {
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor) {
            let mut of = declarator;
            while matches!(of.kind(), "pointer_declarator" | "reference_declarator") {
                let Some(inner) = named(of).pop() else { break };
                of = inner;
            }
            if of.kind() != "function_declarator" {
                continue;
            }
            let field = |name| of.child_by_field_name(name);
            let (Some(name), Some(list)) = (field("declarator"), field("parameters")) else {
                continue;
            };
            let name = self.flat(name);
            let (of_class, name) = match split_name(&name) {
                (Some(class), name) => (split_name(class).1, name),
                (None, name) => (class, name),
            };
            let parameters = self.parameters(list).into_iter().map(|of| (of.ty, of.may_write));
            file.prototypes.push(Prototype {
                class: of_class.to_owned(),
                // The name may stand in parentheses, after `*`.
                name: if name.starts_with("operator") {
                    name.to_owned()
                } else {
                    words(name).next_back().unwrap_or_default().to_owned()
                },
                parameters: parameters.collect(),
            });
        }
    }

    /// Collects the names that the body of a class declares by `using`, of types and enumerators,
    /// and all words of what stands under directives or is not read.
    pub(crate) fn other_members(&self, body: Node<'_>, found: &mut Vec<String>) {
        for child in named(body) {
            let name = child.child_by_field_name("name").map(|name| self.text(name));
            match child.kind() {
                "using_declaration" => {
                    let text = self.flat(child);
                    let used = text.trim_end_matches(';').trim();
                    let is_root = used
                        .rsplit_once("::")
                        .is_some_and(|(space, _)| space.contains("IR") || space.ends_with("std"));
                    let last = words(used).next_back().filter(|_| !is_root);
                    found.extend(last.map(str::to_owned));
                }
                "alias_declaration" | "enum_specifier" | "enumerator" | "class_specifier"
                | "struct_specifier" | "union_specifier" => {
                    found.extend(name);
                }
                "type_definition" => self.declared_names(child, found),
                "preproc_include" | "preproc_call" => found.push(ANYTHING.to_owned()),
                "preproc_if" | "preproc_ifdef" => {
                    found.extend(words(&self.text(child)).map(str::to_owned));
                    continue;
                }
                "function_definition" => continue,
                _ => {}
            }
            self.other_members(child, found);
        }
    }

    /// The line of the first text outside of functions that is no C++ for the grammar, or that it
    /// reads as a function of a function, as `Expr (f)(Expr e)`.
    pub(crate) fn misread(&self, node: Node<'_>) -> Option<usize> {
        let inner = node.child_by_field_name("declarator");
        let is_twice = node.kind() == "function_declarator"
            && inner.is_some_and(|of| of.kind() == "function_declarator");
        if node.is_error() || node.is_missing() || is_twice {
            return Some(self.line(node));
        }
        if node.kind() == "compound_statement" {
            return None;
        }
        let mut cursor = node.walk();
        let mut children = node.children(&mut cursor);
        children.find_map(|child| if self.is_odd_word(child) { None } else { self.misread(child) })
    }

    /// Tests whether a part of a function's header is a word that the grammar does not expect, such
    /// as a type after a macro that stands for attributes: `INLINE bool f() { .. }`. Then the
    /// grammar misreads the result's type, but neither where the function ends nor what follows.
    fn is_odd_word(&self, node: Node<'_>) -> bool {
        let is_of_header = node.parent().is_some_and(|of| of.kind() == "function_definition");
        let text = self.text(node);
        is_of_header
            && node.is_error()
            && text.chars().all(|letter| is_letter(letter) || " \n:<>*&".contains(letter))
    }

    /// Tests whether the header of a function has such a word.
    pub(crate) fn has_odd_header(&self, node: Node<'_>) -> bool {
        let mut cursor = node.walk();
        node.children(&mut cursor).any(|child| self.is_odd_word(child))
    }
}

/// The name, which no text has, of whatever an included file declares in a class.
pub const ANYTHING: &str = "an included file";
