//! Reads the names of declarations that have no place of their own in the syntax.

use halidom_base::FxHashSet;
use tree_sitter::Node;

use crate::ast::File;
use crate::parse::{Macro, Reader, named};
use crate::text::{split_name, words};

/// The kinds of declarators around a name.
const DECLARATORS: [&str; 6] = [
    "init_declarator",
    "pointer_declarator",
    "reference_declarator",
    "array_declarator",
    "parenthesized_declarator",
    "function_declarator",
];

impl Reader<'_> {
    /// Collects the names of aliases, variables, template parameters, enumerations and functions
    /// without a body; and apart from these, aliases within functions, and function templates with
    /// specializations. Variables within functions are left out.
    pub(crate) fn others(&self, node: Node<'_>, file: &mut File) {
        for child in named(node) {
            let field = |name| child.child_by_field_name(name);
            match child.kind() {
                "compound_statement" => {
                    self.local_aliases(child, &mut file.local_aliases);
                    continue;
                }
                "parameter_list" | "field_initializer_list" => continue,
                "function_definition" => {
                    let name = field("declarator").and_then(|of| self.name_in(function_in(of)?));
                    let special = name.as_deref().and_then(|name| name.split_once('<'));
                    let special = special.filter(|(name, _)| !name.contains("operator"));
                    file.specialized.extend(special.map(|(name, _)| name.trim().to_owned()));
                }
                "declaration" | "type_definition" => {
                    self.declared_names(child, &mut file.others);
                    self.declared_things(child, &mut file.things);
                    self.arrays_of_texts(child, &mut file.texts);
                }
                // A method without a body. The other members are fields of the class.
                "field_declaration"
                    if field("declarator").is_some_and(|of| function_in(of).is_some()) =>
                {
                    self.declared_names(child, &mut file.others);
                    self.declared_things(child, &mut file.things);
                }
                // A class that is only declared here.
                "class_specifier" | "struct_specifier" if field("body").is_none() => {
                    file.others.extend(field("name").map(|name| self.text(name)));
                }
                "using_declaration" => file.add_thing(self.used(child)),
                "alias_declaration" | "enum_specifier" | "namespace_alias_definition" => {
                    file.add_thing(field("name").map(|name| self.text(name)));
                }
                "template_parameter_list" => {
                    let name = |parameter: &Node<'_>| {
                        let text = self.flat(*parameter);
                        let (text, _) = text.split_once('=').unwrap_or((&text, ""));
                        words(text).next_back().map(str::to_owned)
                    };
                    for name in named(child).iter().filter_map(name) {
                        file.add_thing(Some(name));
                    }
                }
                _ => {}
            }
            self.others(child, file);
        }
    }

    /// Adds the texts of the macros that a function names to its text.
    pub(crate) fn add_macros(&self, text: &mut String) {
        if self.macros.is_empty() {
            return;
        }
        // The text of a macro may name others.
        let mut rest: Vec<&Macro> = self.macros.iter().collect();
        loop {
            let words: FxHashSet<&str> = words(text).collect();
            let (named, others): (Vec<_>, Vec<_>) =
                rest.into_iter().partition(|of| words.contains(of.name.as_str()));
            let added: Vec<String> = named.iter().map(|of| format!("\n{}", of.text)).collect();
            if added.is_empty() {
                break;
            }
            text.push_str(&added.concat());
            rest = others;
        }
    }

    /// Collects the names that a body declares anywhere. Of text that is no C++ for the grammar,
    /// all words may be such names.
    pub(crate) fn declared_in(&self, node: Node<'_>, found: &mut Vec<String>) {
        if node.is_error() || node.kind().starts_with("preproc") {
            found.extend(words(&self.text(node)).map(str::to_owned));
            return;
        }
        let names = |list: Node<'_>, found: &mut Vec<String>| {
            found.extend(words(&self.text(list)).map(str::to_owned));
        };
        match node.kind() {
            "structured_binding_declarator" => names(node, found),
            "lambda_capture_initializer" => {
                found.extend(node.child_by_field_name("left").map(|name| self.text(name)));
            }
            "using_declaration" => found.extend(self.used(node)),
            "enumerator"
            | "class_specifier"
            | "struct_specifier"
            | "union_specifier"
            | "alias_declaration"
            | "namespace_alias_definition" => {
                found.extend(node.child_by_field_name("name").map(|name| self.text(name)));
            }
            _ => self.declared_names(node, found),
        }
        for child in named(node) {
            self.declared_in(child, found);
        }
    }

    /// Collects the names of enumerators.
    pub(crate) fn enumerators(&self, node: Node<'_>, found: &mut Vec<String>) {
        for child in named(node) {
            if child.kind() == "enumerator" {
                found.extend(child.child_by_field_name("name").map(|name| self.text(name)));
            }
            self.enumerators(child, found);
        }
    }

    /// Collects the names of aliases within a function.
    fn local_aliases(&self, node: Node<'_>, found: &mut Vec<String>) {
        for child in named(node) {
            match child.kind() {
                "alias_declaration" | "namespace_alias_definition" => {
                    found.extend(child.child_by_field_name("name").map(|name| self.text(name)));
                }
                "type_definition" => self.declared_names(child, found),
                "using_declaration" => found.extend(self.used(child)),
                _ => self.local_aliases(child, found),
            }
        }
    }

    /// The name that a `using` brings in.
    fn used(&self, node: Node<'_>) -> Option<String> {
        let text = self.flat(node);
        let name = text.trim_start_matches("using ").trim_end_matches(';').trim();
        let (space, short) = name.rsplit_once("::").unwrap_or(("", name));
        let is_known = space == "std" || space.starts_with("IR") || name.starts_with("namespace ");
        (!is_known).then(|| short.to_owned())
    }

    pub(crate) fn declared_names(&self, node: Node<'_>, found: &mut Vec<String>) {
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor) {
            // Outside of its class, only a specialization of a method is declared without a body.
            // It gives the class another meaning.
            let name = function_in(declarator).and_then(|of| of.child_by_field_name("declarator"));
            let name = name.map(|name| self.flat(name)).unwrap_or_default();
            if let (Some(class), _) = split_name(&name) {
                found.push(split_name(class).1.to_owned());
            }
            found.extend(self.name_in(declarator));
        }
    }

    /// Collects the names that a declaration gives to something else than a function.
    fn declared_things(&self, node: Node<'_>, found: &mut Vec<String>) {
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor) {
            if node.kind() == "type_definition" || !is_function(declarator) {
                found.extend(self.name_in(declarator));
            }
        }
    }

    /// Collects the arrays of string literals without escapes that a declaration declares.
    fn arrays_of_texts(&self, node: Node<'_>, found: &mut Vec<(String, Vec<String>)>) {
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor) {
            let field = |name| declarator.child_by_field_name(name);
            let (Some(array), Some(value)) = (field("declarator"), field("value")) else {
                continue;
            };
            let text = |literal: Node<'_>| {
                let text = self.text(literal);
                let text = text.strip_prefix('"')?.strip_suffix('"')?;
                let is_plain = literal.kind() == "string_literal" && !text.contains('\\');
                is_plain.then(|| text.to_owned())
            };
            if array.kind() == "array_declarator"
                && value.kind() == "initializer_list"
                && let Some(name) = self.name_in(array)
                && let Some(texts) = named(value).into_iter().map(text).collect()
            {
                found.push((name, texts));
            }
        }
    }

    /// The name in a declarator, without the class before it.
    fn name_in(&self, declarator: Node<'_>) -> Option<String> {
        if !DECLARATORS.contains(&declarator.kind()) {
            return Some(split_name(&self.flat(declarator)).1.to_owned());
        }
        let inner = declarator
            .child_by_field_name("declarator")
            .or_else(|| named(declarator).into_iter().rfind(|of| of.kind() != "type_qualifier"));
        self.name_in(inner?)
    }

    /// Tests whether a member of a class is a constructor, a destructor or an assignment.
    pub(crate) fn is_special(&self, member: Node<'_>, class: &str) -> bool {
        match member.kind() {
            "template_declaration" | "friend_declaration" => {
                named(member).into_iter().any(|inner| self.is_special(inner, class))
            }
            "function_definition" | "declaration" | "field_declaration" => {
                let declarator = member.child_by_field_name("declarator");
                let function = declarator.and_then(|of| function_in(of));
                let name = function.and_then(|of| self.name_in(of)).unwrap_or_default();
                name == class || name.starts_with('~') || name.replace(' ', "") == "operator="
            }
            _ => false,
        }
    }
}

/// The declarator of a function within a declarator.
fn function_in(declarator: Node<'_>) -> Option<Node<'_>> {
    match declarator.kind() {
        "function_declarator" => Some(declarator),
        _ => named(declarator).into_iter().find_map(function_in),
    }
}

/// Tests whether a declarator declares a function, and not a pointer to one.
fn is_function(declarator: Node<'_>) -> bool {
    match declarator.kind() {
        "pointer_declarator" | "reference_declarator" => {
            named(declarator).into_iter().next_back().is_some_and(is_function)
        }
        "function_declarator" => {
            let inner = declarator.child_by_field_name("declarator");
            inner.is_some_and(|of| of.kind() != "parenthesized_declarator")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::parse::parse;

    #[test]
    fn functions_and_classes_that_are_only_declared_are_no_things() {
        let text = "#define A 1\nusing B = int;\ntypedef int C;\nbool d(int);\nint *e(int);\n\
            bool (*F)(int);\nauto G = [](int x) { bool h(int); return h(x); };\nclass i;\n\
            template <class J> J k(J);\nusing l::M;\nint N = 1;\n\
            class o { void p(); bool (*Q)(); };\n";
        let file = parse(text).expect("a file");
        let mut things = file.things;
        things.sort_unstable();
        assert_eq!(things, ["A", "B", "C", "F", "G", "J", "M", "N", "Q"]);
        assert!(["d", "e", "i", "k", "p"].iter().all(|name| file.others.contains(&(*name).into())));
    }

    #[test]
    fn names_with_template_arguments_are_read() {
        let text = "template<> Expr make<Internal::Add>(Expr a) { return a; }\n\
            class A : public Internal::Base<B::C>, Other<int> { int x; };\n";
        let file = parse(text).expect("a file");
        assert_eq!(file.specialized, ["make"]);
        assert_eq!(file.classes[0].bases, ["Base", "Other"]);
    }
}
