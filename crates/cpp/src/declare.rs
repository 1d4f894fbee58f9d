//! Reads declarations, and statements that are read as declarations and loops.

use tree_sitter::Node;

use crate::ast::{Declared, Expr, ExprKind, Parameter, Stmt, StmtKind};
use crate::parse::{Reader, expression, named};
use crate::sign::Sign;
use crate::syntax::Syntax;
use crate::text::words;

impl Reader<'_> {
    /// Returns the type of a declaration, without `const`.
    pub(crate) fn declared_type(&self, node: Node<'_>) -> String {
        node.child_by_field_name("type").map(|ty| self.flat(ty)).unwrap_or_default()
    }

    /// Returns the stars and ampersands of a declarator, and its name.
    pub(crate) fn declarator(&self, node: Node<'_>) -> Option<(String, String)> {
        match Syntax::of(node.kind()) {
            Syntax::Identifier | Syntax::FieldIdentifier => Some((String::new(), self.text(node))),
            Syntax::PointerDeclarator | Syntax::AbstractPointerDeclarator => {
                let inner = named(node).into_iter().rfind(|child| child.kind() != "type_qualifier");
                let (suffix, name) = match inner {
                    Some(inner) => self.declarator(inner)?,
                    None => Default::default(),
                };
                Some((format!("*{suffix}"), name))
            }
            Syntax::ReferenceDeclarator | Syntax::AbstractReferenceDeclarator => {
                let inner = named(node).pop();
                let (suffix, name) = match inner {
                    Some(inner) => self.declarator(inner)?,
                    None => Default::default(),
                };
                Some((format!("&{suffix}"), name))
            }
            Syntax::InitDeclarator => self.declarator(node.child_by_field_name("declarator")?),
            _ => None,
        }
    }

    /// Reads the parameters of a function.
    pub(crate) fn parameters(&self, list: Node<'_>) -> Vec<Parameter> {
        let is_parameter = |child: &Node<'_>| child.kind().contains("parameter_declaration");
        let parameter = |child: Node<'_>| {
            let ty = self.declared_type(child);
            let declared = child.child_by_field_name("declarator");
            let (suffix, name) =
                declared.and_then(|node| self.declarator(node)).unwrap_or_default();
            let default = child.child_by_field_name("default_value").map(|value| self.expr(value));
            let may_write = self.may_write(child, &ty);
            Parameter { ty: ty + &suffix, name, default, may_write }
        };
        named(list).into_iter().filter(is_parameter).map(parameter).collect()
    }

    /// Tests whether a function can write to an argument through a parameter of a type.
    fn may_write(&self, parameter: Node<'_>, ty: &str) -> bool {
        let is_const =
            |part: &Node<'_>| part.kind() == "type_qualifier" && self.text(*part) == "const";
        let declared = parameter.child_by_field_name("declarator");
        let suffix = match declared.map(|node| self.declarator(node)) {
            None => String::new(),
            Some(Some((suffix, _))) => suffix,
            Some(None) => return true,
        };
        let is_pack = parameter.kind().starts_with("variadic");
        let is_place = words(ty).any(|word| self.places.iter().any(|of| of == word));
        // The `const` of `T *const p` is a part of the declarator.
        let is_of_const = suffix.len() == 1 && named(parameter).iter().any(is_const);
        is_pack || is_place || !(suffix.is_empty() || is_of_const)
    }

    /// Returns the names of the macros, and of the aliases in a file of types that may be
    /// references or pointers.
    pub(crate) fn places(&self, root: Node<'_>) -> Vec<String> {
        let mut all = Vec::new();
        self.aliases(root, &mut all);
        let mut places: Vec<String> = self.macros.iter().map(|of| of.name.clone()).collect();
        // An alias of an alias comes after it.
        for (text, names) in all {
            let is_known = |word: &str| places.iter().any(|of| of == word);
            let is_place = text.contains(['&', '*'])
                || words(&text).any(|word| word == "decltype" || is_known(word));
            if is_place {
                places.extend(names);
            }
        }
        places
    }

    /// Collects the texts of aliases of types, each with the names that it gives.
    fn aliases(&self, node: Node<'_>, found: &mut Vec<(String, Vec<String>)>) {
        let mut names = Vec::new();
        match Syntax::of(node.kind()) {
            Syntax::AliasDeclaration => {
                names.extend(node.child_by_field_name("name").map(|name| self.text(name)));
            }
            Syntax::TypeDefinition => self.declared_names(node, &mut names),
            _ => {}
        }
        if !names.is_empty() {
            found.push((self.text(node), names));
        }
        for child in named(node) {
            self.aliases(child, found);
        }
    }

    pub(crate) fn declare(&self, node: Node<'_>) -> Option<Vec<Declared>> {
        let ty = self.declared_type(node);
        let mut cursor = node.walk();
        let declarators: Vec<_> = node.children_by_field_name("declarator", &mut cursor).collect();
        let mut declared = Vec::new();
        for declarator in declarators {
            if let Some(parts) = self.parts_of_value(&ty, declarator) {
                declared.extend(parts);
                continue;
            }
            if let Some(variable) = self.made_from_names(&ty, declarator) {
                declared.push(variable);
                continue;
            }
            let (suffix, name) = self.declarator(declarator)?;
            let value = declarator.child_by_field_name("value").map(|value| {
                if self.uses(value, &name) {
                    let what = format!("`{name}`, which its own initial value names");
                    Expr { kind: ExprKind::Other(what), line: self.line(value) }
                } else if value.kind() == "argument_list" {
                    let callee = Expr { kind: ExprKind::Name(ty.clone()), line: self.line(value) };
                    let arguments = self.arguments(value);
                    let kind = ExprKind::Call {
                        callee: Box::new(callee),
                        templates: Vec::new(),
                        arguments,
                    };
                    Expr { kind, line: self.line(value) }
                } else {
                    self.expr(value)
                }
            });
            declared.push(Declared { ty: ty.clone() + &suffix, name, value });
        }
        Some(declared)
    }

    /// Tests whether an expression names a variable, other than in the body of a lambda function.
    fn uses(&self, node: Node<'_>, name: &str) -> bool {
        match node.kind() {
            "identifier" => self.text(node) == name,
            "lambda_expression" => false,
            "qualified_identifier" => named(node)
                .into_iter()
                .any(|part| part.kind() == "template_function" && self.uses(part, name)),
            _ => named(node).into_iter().any(|part| self.uses(part, name)),
        }
    }

    /// Reads `auto [a, b] = value` as a value that no name can be, and its parts.
    fn parts_of_value(&self, ty: &str, declarator: Node<'_>) -> Option<Vec<Declared>> {
        let names = declarator.child_by_field_name("declarator")?;
        if names.kind() != "structured_binding_declarator" {
            return None;
        }
        let of = declarator.child_by_field_name("value")?;
        let mut value = self.expr(of);
        let (mut whole, parts) = self.parts_of(ty, names);
        if let Some(part) = parts.iter().find(|part| self.uses(of, &part.name)) {
            let what = format!("`{}`, which its own initial value names", part.name);
            value.kind = ExprKind::Other(what);
        }
        whole.value = Some(value);
        Some([whole].into_iter().chain(parts).collect())
    }

    /// Reads the names `[a, b]` as a variable without a value that no name can be, and its parts.
    pub(crate) fn parts_of(&self, ty: &str, names: Node<'_>) -> (Declared, Vec<Declared>) {
        let line = self.line(names);
        let whole = self.flat(names);
        let part = |(index, name): (usize, &Node<'_>)| {
            let callee = Expr { kind: ExprKind::Name("std::get".to_owned()), line };
            let of = Expr { kind: ExprKind::Name(whole.clone()), line };
            let kind = ExprKind::Call {
                callee: Box::new(callee),
                templates: vec![index.to_string()],
                arguments: vec![of],
            };
            let value = Some(Expr { kind, line });
            Declared { ty: ty.to_owned(), name: self.text(*name), value }
        };
        let parts = named(names).iter().enumerate().map(part).collect();
        (Declared { ty: ty.to_owned(), name: whole.clone(), value: None }, parts)
    }

    /// Reads `T x(a, b)`, which the grammar takes for the declaration of a function, as a variable
    /// that is made from `a` and `b`.
    fn made_from_names(&self, ty: &str, declarator: Node<'_>) -> Option<Declared> {
        if declarator.kind() != "function_declarator" {
            return None;
        }
        let name = declarator.child_by_field_name("declarator")?;
        let parameters = named(declarator.child_by_field_name("parameters")?);
        let is_name = |parameter: &Node<'_>| {
            let parts = named(*parameter);
            matches!(parts.as_slice(), [only] if only.kind().ends_with("identifier"))
        };
        if name.kind() != "identifier" || parameters.is_empty() || !parameters.iter().all(is_name) {
            return None;
        }
        let line = self.line(declarator);
        if parameters.iter().any(|of| self.text(*of) == self.text(name)) {
            return None;
        }
        let arguments = parameters.iter().map(|name| expression(&self.text(*name), line));
        let callee = Box::new(Expr { kind: ExprKind::Name(ty.to_owned()), line });
        let arguments = arguments.collect::<Option<Vec<_>>>()?;
        let kind = ExprKind::Call { callee, templates: Vec::new(), arguments };
        let value = Some(Expr { kind, line });
        Some(Declared { ty: ty.to_owned(), name: self.text(name), value })
    }

    /// Reads `do body while (c)` as `for (bool first = true; first || c; first = false) body`.
    pub(crate) fn repeated(&self, node: Node<'_>) -> Option<StmtKind> {
        let line = self.line(node);
        let of = |kind| Expr { kind, line };
        let first = || of(ExprKind::Name("do".to_owned()));
        let condition = self.expr(node.child_by_field_name("condition")?);
        let begins = Declared {
            ty: "bool".to_owned(),
            name: "do".to_owned(),
            value: Some(of(ExprKind::Bool(true))),
        };
        let either = ExprKind::Binary(Sign::Or, Box::new(first()), Box::new(condition));
        let after = ExprKind::Assign(None, Box::new(first()), Box::new(of(ExprKind::Bool(false))));
        Some(StmtKind::For {
            first: Some(Box::new(Stmt { kind: StmtKind::Declare(vec![begins]), line })),
            condition: Some(of(either)),
            step: Some(of(after)),
            body: Box::new(self.stmt(node.child_by_field_name("body")?)),
        })
    }

    /// The names of a function's template parameters that are types.
    pub(crate) fn templates_of(&self, node: Node<'_>) -> Vec<String> {
        let of = node.parent().filter(|parent| parent.kind() == "template_declaration");
        let list = of.and_then(|of| of.child_by_field_name("parameters"));
        let parameters = list.map(named).unwrap_or_default().into_iter();
        let names = parameters
            .filter(|parameter| parameter.kind() == "type_parameter_declaration")
            .filter_map(|parameter| named(parameter).first().map(|name| self.text(*name)));
        names.collect()
    }

    /// Returns the variable that is declared in place of a condition.
    pub(crate) fn condition_declared(&self, node: Node<'_>) -> Option<Declared> {
        let ty = self.declared_type(node);
        let (suffix, name) = self.declarator(node.child_by_field_name("declarator")?)?;
        let value = self.expr(node.child_by_field_name("value")?);
        Some(Declared { ty: ty + &suffix, name, value: Some(value) })
    }

    /// True if a declared variable outlives the block and is not a constant with a literal value.
    pub(crate) fn is_kept(&self, node: Node<'_>) -> bool {
        let parts = named(node);
        let has = |words: &[&str]| parts.iter().any(|part| words.contains(&&*self.text(*part)));
        let mut cursor = node.walk();
        let mut declarators = node.children_by_field_name("declarator", &mut cursor);
        let is_computed = declarators.any(|declarator| {
            let value = declarator.child_by_field_name("value");
            value.is_none_or(|value| {
                !matches!(
                    Syntax::of(value.kind()),
                    Syntax::NumberLiteral | Syntax::True | Syntax::False
                )
            })
        });
        has(&["static", "thread_local", "extern"]) && (is_computed || !has(&["const", "constexpr"]))
    }

    /// True if a declaration is that of a constant table of functions by their names, whose entries
    /// depend on nothing that the running function computes.
    pub(crate) fn is_table(&self, node: Node<'_>) -> bool {
        let parts = named(node);
        let has = |word: &str| parts.iter().any(|part| self.text(*part) == word);
        let mut cursor = node.walk();
        let declarators: Vec<_> = node.children_by_field_name("declarator", &mut cursor).collect();
        let [declarator] = declarators.as_slice() else { return false };
        let Some(value) = declarator.child_by_field_name("value") else { return false };
        let is_list = |node: Node<'_>| node.kind() == "initializer_list";
        let is_entry = |entry: Node<'_>| {
            let [key, value] = named(entry)[..] else { return false };
            is_list(entry) && self.is_name_of_function(key) && self.is_fixed(value, node)
        };
        let entries = named(value);
        has("static")
            && has("const")
            && !has("thread_local")
            && is_list(value)
            && !entries.is_empty()
            && entries.into_iter().all(is_entry)
    }

    /// Tests whether an expression is a text, or the name that the API gives to an intrinsic.
    fn is_name_of_function(&self, key: Node<'_>) -> bool {
        let field = |name| key.child_by_field_name(name);
        key.kind() == "string_literal"
            || field("function").is_some_and(|callee| self.text(callee) == NAME_OF_INTRINSIC)
                && field("arguments").map(named).is_some_and(|arguments| {
                    matches!(arguments[..], [one] if one.kind() == "qualified_identifier")
                })
    }

    /// Tests whether an expression is a function, or a lambda function that captures nothing, or a
    /// constant that is declared as one in the block of a declaration.
    fn is_fixed(&self, value: Node<'_>, declaration: Node<'_>) -> bool {
        let is_free = |value: Node<'_>| {
            value.kind() == "lambda_expression"
                && value.child_by_field_name("captures").is_some_and(|of| self.text(of) == "[]")
        };
        if value.kind() == "qualified_identifier" || is_free(value) {
            return true;
        }
        let mut before = declaration.prev_named_sibling();
        while let Some(node) = before {
            before = node.prev_named_sibling();
            if Syntax::of(node.kind()) != Syntax::Declaration {
                continue;
            }
            let mut cursor = node.walk();
            let mut declarators = node.children_by_field_name("declarator", &mut cursor);
            let is_it = |one: &Node<'_>| {
                one.child_by_field_name("declarator").is_some_and(|of| {
                    of.kind() == "identifier" && self.text(of) == self.text(value)
                })
            };
            if let Some(found) = declarators.find(is_it) {
                let is_const = named(node).iter().any(|part| self.text(*part) == "const");
                return is_const && found.child_by_field_name("value").is_some_and(is_free);
            }
        }
        false
    }
}

/// The beginning of the type of a constant table that a function keeps.
pub const TABLE: &str = "static ";

/// The function that gives the name of an intrinsic.
const NAME_OF_INTRINSIC: &str = "Call::get_intrinsic_name";

#[cfg(test)]
mod tests {
    use super::TABLE;
    use crate::ast::StmtKind;
    use crate::parse::parse;

    #[test]
    fn tables_that_depend_on_a_run_are_kept() {
        let declared = |body: &str| {
            let file = parse(&format!("void f(int n, F g) {{ {body} }}")).expect("a file");
            let last = file.functions[0].body.last().expect("a statement").kind.clone();
            match last {
                StmtKind::Declare(all) => all[0].ty.starts_with(TABLE),
                StmtKind::Other(what) => {
                    assert_eq!(what, "a static variable", "{body}");
                    false
                }
                other => panic!("{body}: {other:?}"),
            }
        };
        for table in [
            "static const Map<String, F> t = {{\"a\", std::acos}, {\"b\", std::cos}};",
            "static const Map<String, F> t = {{Call::get_intrinsic_name(Call::round), std::cos}};",
            "static const Map<String, F> t = {{\"a\", [](double x) -> double { return x; }}};",
            "const F h = [](double x) { return x; }; static const Map<String, F> t = {{\"a\", h}};",
        ] {
            assert!(declared(table), "{table}");
        }
        for table in [
            "static Map<String, F> t = {{\"a\", std::acos}};",
            "static const Map<String, F> t = {};",
            "static const Map<String, F> t = make();",
            "static const Map<String, F> t = {{name(), std::acos}};",
            "static const Map<String, F> t = {{Call::get_intrinsic_name(n), std::acos}};",
            "static const Map<String, int> t = {{\"a\", n}};",
            "static const Map<String, F> t = {{\"a\", g}};",
            "static const Map<String, F> t = {{\"a\", N::make()}};",
            "static const Map<String, F> t = {{\"a\", [&](double x) { return x + n; }}};",
            "static const Map<String, F> t = {{\"a\", [=](double x) { return x + n; }}};",
            "F h = [](double x) { return x; }; static const Map<String, F> t = {{\"a\", h}};",
            "const F h = g; static const Map<String, F> t = {{\"a\", h}};",
            "static thread_local const Map<String, F> t = {{\"a\", std::acos}};",
        ] {
            assert!(!declared(table), "{table}");
        }
    }

    #[test]
    fn parameters_that_may_write_are_told() {
        let before = "using Place = Info &; using Other = Place; typedef Info *Pointer;\n\
            using Plain = Info;\n#define REFERENCE Info &\n";
        let may_write = |parameter: &str| {
            let file = parse(&format!("{before}void f({parameter}) {{}}")).expect("a file");
            file.functions[0].may_write(0)
        };
        for parameter in [
            "Info i",
            "const Info &i",
            "Info const &i",
            "const Info *i",
            "const Info *const i",
            "const Map<Info> &i = {}",
            "Plain i",
        ] {
            assert!(!may_write(parameter), "{parameter}");
        }
        for parameter in [
            "Info &i",
            "Info &&i",
            "Info *i",
            "Info *const i",
            "const Info *&i",
            "const Info **i",
            "Map<const Info *> &i",
            "Place i",
            "const Place i",
            "Other i",
            "Pointer i",
            "REFERENCE i",
            "Info i[3]",
            "Info (*i)(int)",
            "Info &...all",
            "",
            "...",
        ] {
            assert!(may_write(parameter), "{parameter}");
        }
    }
}
