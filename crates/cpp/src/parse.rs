//! Parses text into syntax, by the grammar of `tree-sitter-cpp`.
//!
//! A construct that the grammar knows but this subset does not becomes [`ExprKind::Other`] or
//! [`StmtKind::Other`] with the grammar's name for it, so that a verdict can name the obstacle.

use tree_sitter::{Node, Parser};

use crate::ast::{Class, Declared, Expr, ExprKind, File, Function, Lambda, Local, Stmt, StmtKind};
use crate::directives::{included, includes_any, settled};
use crate::headers::without_comments;
use crate::literals;
use crate::phases;
use crate::sign::Sign;
use crate::syntax::Syntax;
use crate::text::{short_name, split_name, words};

/// The deepest nesting of syntax: a recursive walk has enough stack for this depth.
const DEEPEST: usize = 5000;

/// True if no node is deeper than that.
fn is_shallow(root: Node<'_>) -> bool {
    let mut cursor = root.walk();
    let mut depth = 0;
    loop {
        if cursor.goto_first_child() {
            depth += 1;
            if depth > DEEPEST {
                return false;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return true;
            }
            depth -= 1;
        }
    }
}

/// Parses a file. Returns `None` if the text is nested too deeply or the parser gives up, which it
/// does for no text within its limits.
pub fn parse(text: &str) -> Option<File> {
    parse_after(0, text)
}

/// Parses a file of a program that has `before` lines before it.
pub fn parse_after(before: usize, text: &str) -> Option<File> {
    let doubt = phases::doubtful(text).map(|line| before + line + 1);
    let text = &*settled(text);
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_cpp::LANGUAGE.into()).ok()?;
    let tree = parser.parse(text, None)?;
    if !is_shallow(tree.root_node()) {
        return None;
    }
    let mut file = File { before, lines: text.lines().count(), ..File::default() };
    file.includes = included(text).into_iter().map(|(name, _)| name).collect();
    file.includes_any = includes_any(text);
    let mut macros = Vec::new();
    defined(tree.root_node(), text, &mut macros);
    let mut reader = Reader { text, before, macros, places: Vec::new() };
    reader.places = reader.places(tree.root_node());
    reader.items(tree.root_node(), "", &mut file);
    file.outside = outside(text, &file.functions);
    let doubt = doubt.or_else(|| reader.misread(tree.root_node()));
    if let Some(line) = doubt {
        for function in &mut file.functions {
            let what = format!("a file that is not wholly read: line {}", line - before);
            function.body = vec![Stmt { kind: StmtKind::Other(what), line: function.line }];
            function.text.push('\u{1}');
        }
    }
    file.macros = reader.macros.iter().map(|of| of.name.clone()).collect();
    file.others.clone_from(&file.macros);
    file.things.clone_from(&file.macros);
    reader.enumerators(tree.root_node(), &mut file.enumerators);
    reader.others(tree.root_node(), &mut file);
    file.errors = reader.errors(tree.root_node(), &file.functions);
    file.errors.extend(doubt);
    Some(file)
}

/// A macro.
pub(crate) struct Macro {
    pub(crate) name: String,
    pub(crate) text: String,
    has_parameters: bool,
}

pub(crate) struct Reader<'t> {
    pub(crate) text: &'t str,
    /// The number of the program's lines before this text.
    pub(crate) before: usize,
    /// The macros that the file defines.
    pub(crate) macros: Vec<Macro>,
    /// The names of the macros, and of the aliases of types that may be references or pointers.
    pub(crate) places: Vec<String>,
}

/// The words of the language that change the meaning of functions if they are macros.
const KEYWORDS: [&str; 33] = [
    "auto", "bool", "break", "case", "catch", "const", "continue", "default", "delete", "do",
    "double", "else", "enum", "false", "float", "for", "goto", "if", "int", "long", "new",
    "nullptr", "operator", "return", "short", "signed", "static", "struct", "switch", "this",
    "true", "unsigned", "while",
];

/// The casts of C++ that look like calls.
const CASTS: [&str; 4] = ["const_cast", "dynamic_cast", "reinterpret_cast", "static_cast"];

/// A macro of newer Halide whose value is its argument, with the end of its text without spaces.
const PLAIN_MACRO: (&str, &str) = ("EVAL_IN_LAMBDA", "{return(x);})())");

/// Collects the macros that a file defines. The preprocessor is not run.
fn defined(node: Node<'_>, text: &str, found: &mut Vec<Macro>) {
    let kind = Syntax::of(node.kind());
    if matches!(kind, Syntax::PreprocDef | Syntax::PreprocFunctionDef) {
        let field = |name| text.get(node.child_by_field_name(name)?.byte_range());
        let is_plain = |name: &str| {
            let text: String = field("value").unwrap_or_default().split_whitespace().collect();
            name == PLAIN_MACRO.0 && text.starts_with("(([&]()") && text.ends_with(PLAIN_MACRO.1)
        };
        if let Some(name) = field("name").filter(|name| !is_plain(name)) {
            found.push(Macro {
                name: name.to_owned(),
                text: field("value").unwrap_or_default().replace("\\\n", "\n"),
                has_parameters: kind == Syntax::PreprocFunctionDef,
            });
        }
    }
    for child in named(node) {
        defined(child, text, found);
    }
}

/// A text without comments, and with blanks in place of functions.
fn outside(text: &str, functions: &[Function]) -> String {
    let mut ranges: Vec<_> = functions.iter().map(|function| function.bytes.clone()).collect();
    ranges.sort_by_key(|range| range.start);
    let (mut plain, mut at) = (String::new(), 0);
    for range in ranges {
        if at <= range.start {
            plain.push_str(&without_comments(text.get(at..range.start).unwrap_or_default()));
            plain.push(' ');
        }
        at = at.max(range.end);
    }
    plain.push_str(&without_comments(text.get(at..).unwrap_or_default()));
    plain
}

/// Describes a statement or an expression with text that is no C++ for the grammar. Such text may
/// change what the rest means. An error within a block is a statement of its own.
pub(crate) fn broken(node: Node<'_>) -> Option<String> {
    fn is_broken(node: Node<'_>, is_within: bool) -> bool {
        let is_block = node.kind() == "compound_statement";
        let mut cursor = node.walk();
        node.children(&mut cursor).any(|child| {
            let is_part = is_within || matches!(child.kind(), "condition_clause" | "else_clause");
            child.is_missing()
                || child.is_error() && !is_block
                || is_part && child.has_error() && !is_read(child) && is_broken(child, is_within)
        })
    }
    // What is read by itself is looked at then.
    fn is_read(node: Node<'_>) -> bool {
        node.kind().ends_with("_expression") || node.kind().ends_with("_statement")
    }
    let is_within = matches!(Syntax::of(node.kind()), Syntax::Declaration);
    let is_found = node.has_error() && is_broken(node, is_within);
    is_found.then(|| "a syntax error".to_owned())
}

/// Returns the children of a node that are not punctuation or comments.
pub(crate) fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

impl Reader<'_> {
    pub(crate) fn line(&self, node: Node<'_>) -> usize {
        self.before + node.start_position().row + 1
    }

    pub(crate) fn text(&self, node: Node<'_>) -> String {
        self.text.get(node.byte_range()).unwrap_or_default().to_owned()
    }

    /// Returns a node's text without line breaks and repeated blanks.
    pub(crate) fn flat(&self, node: Node<'_>) -> String {
        self.text(node).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn items(&self, node: Node<'_>, class: &str, file: &mut File) {
        for child in named(node) {
            match Syntax::of(child.kind()) {
                Syntax::FunctionDefinition => {
                    if let Some(mut function) = self.function(child, class) {
                        let doubt = if Self::is_conditional(child) {
                            Some("a function under a directive")
                        } else {
                            self.has_odd_header(child)
                                .then_some("a function with a word in its header that is not read")
                        };
                        if let Some(what) = doubt {
                            let what = what.to_owned();
                            function.body =
                                vec![Stmt { kind: StmtKind::Other(what), line: function.line }];
                            function.text.push('\u{1}');
                        }
                        file.functions.push(function);
                    } else {
                        self.items(child, class, file);
                    }
                }
                Syntax::ClassSpecifier | Syntax::StructSpecifier => self.class(child, file),
                Syntax::Declaration | Syntax::Other("field_declaration") => {
                    self.prototypes(child, class, file);
                    self.items(child, class, file);
                }
                Syntax::UsingDeclaration => {
                    let text = self.flat(child);
                    let space = text.strip_prefix("using namespace ");
                    file.spaces.extend(space.map(|of| of.trim_end_matches(';').trim().to_owned()));
                }
                Syntax::CompoundStatement
                | Syntax::ExpressionStatement
                | Syntax::CallExpression => {}
                _ => self.items(child, class, file),
            }
        }
    }

    fn class(&self, node: Node<'_>, file: &mut File) {
        let name = node.child_by_field_name("name").map(|name| self.text(name)).unwrap_or_default();
        let Some(body) = node.child_by_field_name("body") else { return };
        let mut bases = Vec::new();
        for child in named(node) {
            if child.kind() == "base_class_clause" {
                let is_name = |base: &Node<'_>| {
                    base.kind().contains("identifier") || base.kind() == "template_type"
                };
                let base = |base| short_name(&self.flat(base)).to_owned();
                bases.extend(named(child).into_iter().filter(is_name).map(base));
            }
        }
        let mut fields = Vec::new();
        for child in named(body) {
            if child.kind() == "field_declaration" {
                let mut ty = self.declared_type(child);
                // Its bits are fewer than the type's.
                if named(child).iter().any(|part| part.kind() == "bitfield_clause") {
                    ty.insert_str(0, "bit-field ");
                }
                let mut cursor = child.walk();
                let declarators: Vec<_> =
                    child.children_by_field_name("declarator", &mut cursor).collect();
                let value = child.child_by_field_name("default_value").map(|v| self.expr(v));
                for declarator in declarators {
                    if let Some((suffix, name)) = self.declarator(declarator) {
                        fields.push(Declared {
                            ty: ty.clone() + &suffix,
                            name,
                            value: value.clone(),
                        });
                    }
                }
            }
        }
        let is_active = named(body).into_iter().any(|member| self.is_special(member, &name));
        let mut others = Vec::new();
        self.other_members(body, &mut others);
        let mark = self.flat(node).bytes().fold(0xcbf2_9ce4_8422_2325_u64, |mark, byte| {
            (mark ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let (place, _) = self.place_of(node);
        let name_of = name.clone();
        file.classes.push(Class { name: name_of, bases, fields, is_active, others, place, mark });
        self.items(body, &name, file);
    }

    /// The type after the arrow of a declarator.
    fn trailing_type(&self, declarator: Node<'_>) -> Option<String> {
        let parts = named(declarator);
        let found = parts.iter().find(|part| part.kind() == "trailing_return_type")?;
        Some(self.flat(*found).trim_start_matches("->").trim().to_owned())
    }

    fn function(&self, node: Node<'_>, class: &str) -> Option<Function> {
        let body = node.child_by_field_name("body")?;
        let mut declarator = node.child_by_field_name("declarator")?;
        let mut result = self.declared_type(node);
        while matches!(
            Syntax::of(declarator.kind()),
            Syntax::PointerDeclarator | Syntax::ReferenceDeclarator
        ) {
            result.push(if declarator.kind() == "pointer_declarator" { '*' } else { '&' });
            declarator = *named(declarator).last()?;
        }
        if declarator.kind() != "function_declarator" {
            return None;
        }
        if let Some(trailing) = self.trailing_type(declarator) {
            result = trailing;
        }
        let name = self.flat(declarator.child_by_field_name("declarator")?);
        let name = name.trim_start_matches('(').trim_end_matches(')');
        let name = if name.contains("operator") {
            self.flat(declarator.child_by_field_name("declarator")?)
        } else {
            name.to_owned()
        };
        let (class, name) = match split_name(&name) {
            (Some(class), name) => (split_name(class).1.to_owned(), name.to_owned()),
            (None, name) => (class.to_owned(), name.to_owned()),
        };
        let parameters = self.parameters(declarator.child_by_field_name("parameters")?);
        let mut declared = Vec::new();
        self.declared_in(body, &mut declared);
        let changed = self.macros.iter().find(|of| KEYWORDS.contains(&of.name.as_str()));
        let body = match body.kind() {
            _ if changed.is_some() => {
                let what = "a keyword that is a macro".to_owned();
                vec![Stmt { kind: StmtKind::Other(what), line: self.line(body) }]
            }
            "compound_statement" => named(body).into_iter().map(|child| self.stmt(child)).collect(),
            kind => vec![Stmt { kind: StmtKind::Other(kind.to_owned()), line: self.line(body) }],
        };
        let last_line = self.before + node.end_position().row + 1;
        let mut text = self.text(node);
        self.add_macros(&mut text);
        let (place, is_hidden) = self.place_of(node);
        let is_static = is_hidden
            || class.is_empty() && named(node).iter().any(|of| self.text(*of) == "static");
        Some(Function {
            place,
            is_static,
            class,
            name,
            result,
            parameters,
            body,
            declared,
            templates: self.templates_of(node),
            initializers: self.initializers(node),
            line: self.line(node),
            last_line,
            bytes: node.byte_range(),
            text,
        })
    }

    fn lambda(&self, node: Node<'_>) -> Option<Lambda> {
        let captures = self.flat(node.child_by_field_name("captures")?);
        let captures = captures.trim_start_matches('[').trim_end_matches(']');
        let is_reference = |capture: &str| {
            let capture = capture.trim();
            capture.is_empty() || capture == "this" || capture.starts_with('&')
        };
        let is_by_reference = captures.split(',').all(is_reference);
        let declarator = node.child_by_field_name("declarator");
        let list = declarator.and_then(|declarator| declarator.child_by_field_name("parameters"));
        let parameters = list.map(|list| self.parameters(list)).unwrap_or_default();
        let result = declarator.and_then(|declarator| self.trailing_type(declarator));
        let result = result.unwrap_or_default();
        let body = self.stmts(&named(node.child_by_field_name("body")?));
        Some(Lambda { is_by_reference, parameters, result, body })
    }

    /// Reads the members that a constructor initializes.
    fn initializers(&self, node: Node<'_>) -> Vec<(String, Vec<Expr>)> {
        let list = named(node).into_iter().find(|child| child.kind() == "field_initializer_list");
        let each = list.map(named).unwrap_or_default();
        let one = |initializer: &Node<'_>| match named(*initializer).as_slice() {
            [name, arguments] => (self.flat(*name), self.arguments(*arguments)),
            _ => (self.flat(*initializer), Vec::new()),
        };
        each.iter().map(one).collect()
    }

    /// Reads a structure that a function declares, if it has no bases and no methods but
    /// constructors.
    pub(crate) fn local(&self, node: Node<'_>) -> Option<Local> {
        let mut file = File::default();
        self.class(node, &mut file);
        let [class] = file.classes.as_slice() else { return None };
        let is_constructor = |function: &Function| function.name == class.name;
        let is_plain = class.bases.is_empty() && !class.name.is_empty();
        let are_members = named(node.child_by_field_name("body")?)
            .iter()
            .all(|member| matches!(member.kind(), "field_declaration" | "function_definition"));
        (is_plain && are_members && file.functions.iter().all(is_constructor))
            .then(|| Local { class: class.clone(), constructors: file.functions.clone() })
    }

    pub(crate) fn is_macro(&self, name: &str) -> bool {
        self.macros.iter().any(|of| of.name == name)
    }

    /// Reads a macro that stands for statements. The last one is a `return`, so that nothing that
    /// the macro declares is used after it. Its text must not name a macro.
    pub(crate) fn expanded(&self, node: Node<'_>) -> Option<Vec<Stmt>> {
        let name = self.text(node);
        let mut known = self.macros.iter().filter(|of| of.name == name);
        let (Some(Macro { text, has_parameters: false, .. }), None) = (known.next(), known.next())
        else {
            return None;
        };
        if words(text).any(|word| self.is_macro(word)) {
            return None;
        }
        let mut function =
            parse(&format!("void f() {{ {text}; }}"))?.functions.into_iter().next()?;
        let line = self.line(node);
        for stmt in &mut function.body {
            stmt.place_at(line);
        }
        let last = function.body.iter().rfind(|stmt| stmt.kind != StmtKind::Nothing)?;
        matches!(last.kind, StmtKind::Return(_)).then_some(function.body)
    }

    pub(crate) fn arguments(&self, node: Node<'_>) -> Vec<Expr> {
        named(node).into_iter().map(|child| self.expr(child)).collect()
    }

    fn boxed(&self, node: Node<'_>) -> Box<Expr> {
        Box::new(self.expr(node))
    }

    pub(crate) fn expr(&self, node: Node<'_>) -> Expr {
        if let Some(expr) = self.misread_template(node) {
            return expr;
        }
        let kind = match broken(node) {
            Some(what) => Some(ExprKind::Other(what)),
            None => self.expr_kind(node),
        };
        let kind = kind.unwrap_or_else(|| ExprKind::Other(node.kind().to_owned()));
        Expr { kind, line: self.line(node) }
    }

    fn expr_kind(&self, node: Node<'_>) -> Option<ExprKind> {
        if let Some(name) = self.names_macro(node) {
            return Some(ExprKind::Other(format!("the macro {name}")));
        }
        let field = |name| node.child_by_field_name(name);
        Some(match Syntax::of(node.kind()) {
            Syntax::Identifier
            | Syntax::QualifiedIdentifier
            | Syntax::TypeIdentifier
            | Syntax::PrimitiveType
            | Syntax::FieldIdentifier => ExprKind::Name(self.flat(node)),
            Syntax::NumberLiteral => literals::number(&self.text(node))?,
            Syntax::True => ExprKind::Bool(true),
            Syntax::False => ExprKind::Bool(false),
            Syntax::Null => ExprKind::Null,
            Syntax::This => ExprKind::This,
            Syntax::StringLiteral | Syntax::CharLiteral => {
                match literals::characters(&self.text(node)) {
                    Some(text) => ExprKind::Text(text),
                    None => ExprKind::Other("a text with other escapes or letters".to_owned()),
                }
            }
            Syntax::ConcatenatedString => {
                let parts = named(node).into_iter().map(|part| match self.expr(part).kind {
                    ExprKind::Text(text) => Some(text),
                    _ => None,
                });
                ExprKind::Text(parts.collect::<Option<Vec<_>>>()?.concat())
            }
            Syntax::ParenthesizedExpression => match named(node).as_slice() {
                [inner] => self.expr(*inner).kind,
                _ => return None,
            },
            Syntax::CallExpression => self.call(node)?,
            Syntax::FieldExpression => {
                let arrow = self.text(field("operator")?) == "->";
                let name = self.text(field("field")?);
                ExprKind::Member { object: self.boxed(field("argument")?), arrow, name }
            }
            Syntax::SubscriptExpression => {
                let index = match field("indices") {
                    Some(list) => match named(list).as_slice() {
                        [index] => *index,
                        _ => return None,
                    },
                    None => field("index")?,
                };
                ExprKind::Index(self.boxed(field("argument")?), self.boxed(index))
            }
            Syntax::UnaryExpression | Syntax::PointerExpression => {
                ExprKind::Prefix(self.sign(field("operator")?)?, self.boxed(field("argument")?))
            }
            Syntax::UpdateExpression => {
                let operator = field("operator")?;
                let operand = field("argument")?;
                let sign = self.sign(operator)?;
                if operator.start_byte() < operand.start_byte() {
                    ExprKind::Prefix(sign, self.boxed(operand))
                } else {
                    ExprKind::Postfix(sign, self.boxed(operand))
                }
            }
            Syntax::BinaryExpression if self.is_of_letters(node) => {
                ExprKind::Other("a sum of letters".to_owned())
            }
            Syntax::BinaryExpression => ExprKind::Binary(
                self.sign(field("operator")?)?,
                self.boxed(field("left")?),
                self.boxed(field("right")?),
            ),
            Syntax::AssignmentExpression => {
                let text = self.text(field("operator")?);
                let combined = match text.as_str() {
                    "=" => None,
                    text => Some(Sign::of(text.strip_suffix('=').unwrap_or(text))?),
                };
                ExprKind::Assign(combined, self.boxed(field("left")?), self.boxed(field("right")?))
            }
            Syntax::ConditionalExpression => ExprKind::Conditional(
                self.boxed(field("condition")?),
                self.boxed(field("consequence")?),
                self.boxed(field("alternative")?),
            ),
            Syntax::CastExpression => {
                if let Some(binary) = self.misread_cast(node) {
                    return Some(binary);
                }
                ExprKind::Cast(self.flat(field("type")?), self.boxed(field("value")?))
            }
            Syntax::InitializerList => ExprKind::Braces(None, self.arguments(node)),
            Syntax::LambdaExpression => ExprKind::Lambda(Box::new(self.lambda(node)?)),
            Syntax::CompoundLiteralExpression => {
                ExprKind::Braces(Some(self.flat(field("type")?)), self.arguments(field("value")?))
            }
            _ => return None,
        })
    }

    /// Tests whether an operator computes a number from two letters.
    fn is_of_letters(&self, node: Node<'_>) -> bool {
        let field = |name| node.child_by_field_name(name);
        let is_letter = |name| field(name).is_some_and(|of| of.kind() == "char_literal");
        let is_sum = field("operator").is_some_and(|of| ["+", "-"].contains(&&*self.text(of)));
        is_sum && is_letter("left") && is_letter("right")
    }

    fn sign(&self, operator: Node<'_>) -> Option<Sign> {
        Sign::of(self.text.get(operator.byte_range())?)
    }

    /// Reads text that looks like `(T) && e` or `(T) - e`. It is a cast of a prefix operator only
    /// if `T` is a type. The grammar has no table of types and guesses; a text that contains
    /// operators is not a type.
    fn misread_cast(&self, node: Node<'_>) -> Option<ExprKind> {
        let value = node.child_by_field_name("value")?;
        let text = self.text(value);
        let sign = ["&&", "&", "*", "-", "+"].into_iter().find(|sign| text.starts_with(sign))?;
        let ty = self.flat(node.child_by_field_name("type")?);
        if !ty.contains(['&', '|', '<', '+', '-', '(']) {
            return None;
        }
        let operand = expression(text.strip_prefix(sign)?, self.line(value))?;
        let first = expression(&ty, self.line(node))?;
        Some(ExprKind::Binary(Sign::of(sign)?, Box::new(first), Box::new(operand)))
    }

    /// Reads text that looks like `f<a && b>(c)` or `f<a && b> - c`. It is a comparison, as no type
    /// has `&&` between two parts. It is parsed again with another sign in place of the first.
    fn misread_template(&self, node: Node<'_>) -> Option<Expr> {
        let mut first = node;
        while first.kind() != "template_function" {
            first = match Syntax::of(first.kind()) {
                Syntax::BinaryExpression => first.child_by_field_name("left")?,
                Syntax::CallExpression => first.child_by_field_name("function")?,
                _ => return None,
            };
        }
        let list = first.child_by_field_name("arguments")?;
        let is_logic = |text: &str| text.contains(" && ") || text.contains(" || ");
        if first == node || !is_logic(&self.flat(list)) {
            return None;
        }
        let name = self.text.get(first.start_byte()..list.start_byte())?;
        let rest = self.text.get(list.start_byte() + 1..node.end_byte())?;
        let mut expr = expression(&format!("{name} <= {rest}"), self.line(node))?;
        *leftmost(&mut expr)? = Sign::Lt;
        Some(expr)
    }

    fn call(&self, node: Node<'_>) -> Option<ExprKind> {
        let callee = node.child_by_field_name("function")?;
        let arguments = self.arguments(node.child_by_field_name("arguments")?);
        let templates = |template: Node<'_>| -> Vec<String> {
            let list = template.child_by_field_name("arguments");
            list.map(|list| named(list).into_iter().map(|ty| self.flat(ty)).collect())
                .unwrap_or_default()
        };
        let make = |callee: Expr, templates: Vec<String>, mut arguments: Vec<Expr>| {
            let is_cast =
                matches!(&callee.kind, ExprKind::Name(name) if CASTS.contains(&name.as_str()));
            if is_cast
                && let (Some(ty), 1) = (templates.first(), arguments.len())
                && let Some(operand) = arguments.pop()
            {
                return ExprKind::Cast(ty.clone(), Box::new(operand));
            }
            ExprKind::Call { callee: Box::new(callee), templates, arguments }
        };
        Some(match Syntax::of(callee.kind()) {
            Syntax::TemplateFunction => {
                let name = self.expr(callee.child_by_field_name("name")?);
                make(name, templates(callee), arguments)
            }
            Syntax::FieldExpression => {
                let member = callee.child_by_field_name("field")?;
                if let Some(name) = self.names_macro(callee) {
                    return Some(ExprKind::Other(format!("the macro {name}")));
                }
                let arrow = self.text(callee.child_by_field_name("operator")?) == "->";
                let object = self.boxed(callee.child_by_field_name("argument")?);
                let (name, types) = if matches!(
                    Syntax::of(member.kind()),
                    Syntax::TemplateMethod | Syntax::DependentName
                ) {
                    let method = if member.kind() == "dependent_name" {
                        *named(member).first()?
                    } else {
                        member
                    };
                    (self.text(method.child_by_field_name("name")?), templates(method))
                } else {
                    (self.text(member), Vec::new())
                };
                let callee = Expr {
                    kind: ExprKind::Member { object, arrow, name },
                    line: self.line(callee),
                };
                ExprKind::Call { callee: Box::new(callee), templates: types, arguments }
            }
            Syntax::QualifiedIdentifier => {
                let last = callee.child_by_field_name("name")?;
                if last.kind() == "template_function" {
                    let mut name = self.expr(last.child_by_field_name("name")?);
                    if let (ExprKind::Name(short), Some(space)) =
                        (&mut name.kind, callee.child_by_field_name("scope"))
                    {
                        *short = format!("{}::{short}", self.flat(space));
                    }
                    make(name, templates(last), arguments)
                } else {
                    make(self.expr(callee), Vec::new(), arguments)
                }
            }
            _ => make(self.expr(callee), Vec::new(), arguments),
        })
    }
}

/// Parses a text as a separate expression that begins in the given line.
pub fn expression(text: &str, line: usize) -> Option<Expr> {
    let file = parse(&format!("void f() {{ return ({text}); }}"))?;
    let mut expr = match file.functions.into_iter().next()?.body.into_iter().next()?.kind {
        StmtKind::Return(expr) => expr?,
        _ => return None,
    };
    expr.visit_mut(&mut |part| part.line += line - 1);
    Some(expr)
}

/// Returns the operator that is applied to the leftmost operand.
fn leftmost(expr: &mut Expr) -> Option<&mut Sign> {
    match &mut expr.kind {
        ExprKind::Binary(sign, lhs, _) => match &lhs.kind {
            ExprKind::Binary(..) => leftmost(lhs),
            _ => Some(sign),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Expr {
        let file = parse(&format!("bool f() {{\n  return {text};\n}}")).unwrap();
        match file.functions[0].body[0].kind.clone() {
            StmtKind::Return(Some(expr)) => expr,
            other => panic!("{other:?}"),
        }
    }

    /// Returns the operators of an expression, outermost first, and the lines of its parts.
    fn operators(text: &str) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        value(text).visit_mut(&mut |part| {
            if let ExprKind::Binary(sign, ..) = &part.kind {
                found.push((sign.to_string(), part.line));
            }
        });
        found
    }

    #[test]
    fn a_comparison_is_no_template() {
        let signs = |text: &str| -> Vec<String> {
            operators(text).into_iter().map(|(sign, _)| sign).collect()
        };
        assert_eq!(signs("a < 1000 && f(x) && b > -1"), ["&&", "&&", "<", ">"]);
        assert_eq!(signs("a < 1000 && f(x) && b > (c)"), ["&&", "&&", "<", ">"]);
        assert_eq!(signs("a < 5 && b > -1 || c"), ["||", "&&", "<", ">"]);
        assert!(operators("a < 1 &&\n b > -1").iter().all(|(_, line)| (2..=3).contains(line)));
    }

    #[test]
    fn a_template_is_no_comparison() {
        let kind = value("e.as<Add>()").kind;
        assert!(
            matches!(&kind, ExprKind::Call { templates, .. } if *templates == ["Add"]),
            "{kind:?}"
        );
        let kind = value("make<Add>(a, b) - 1").kind;
        assert!(matches!(&kind, ExprKind::Binary(Sign::Sub, ..)), "{kind:?}");
    }
}
