//! Reads the texts of contracts.

use std::fmt;

use halidom_rewrites::profile::Profile;

use crate::ir::kinds::Kind;
use crate::machine::language::{
    Contract, Fact, Guarantee, Op, Parameter, Primitive, Print, Requirement, Sort, Term, Word,
};

/// An error in the text of contracts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}.contracts:{line}: {problem}")]
pub struct ContractError {
    /// The name of the file, without its extension.
    pub file: &'static str,
    /// The line.
    pub line: usize,
    /// The problem.
    pub problem: String,
}

/// A line and the problem in it.
type Problem = (usize, String);

/// Reads the contracts of a text.
///
/// # Errors
///
/// The first error in the text.
pub(crate) fn contracts(
    file: &'static str,
    text: &'static str,
) -> Result<Vec<Contract>, ContractError> {
    let read = trees(text).and_then(|trees| trees.iter().map(contract).collect());
    read.map_err(|(line, problem)| ContractError { file, line, problem })
}

/// A class that does not state that its results equal their arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass {
    /// The class.
    pub(crate) class: &'static str,
    /// The statement that it makes instead.
    pub(crate) statement: &'static str,
    /// The parts of the statement that its results may be nothing, if it makes this one.
    pub(crate) vanishing: Option<Vanishing>,
    /// The table of the statement that it drops unused allocations, if it makes this one.
    pub(crate) unused: Option<&'static str>,
    /// True if its results are masks of vectors of truth values.
    pub(crate) makes_masks: bool,
    /// True if it gives variables new names.
    pub(crate) renames: bool,
    /// The source that documents it.
    pub(crate) source: &'static str,
}

/// A class with a member that is a number from outside.
#[derive(Clone, Debug)]
pub(crate) struct Outside {
    /// The class.
    pub(crate) class: &'static str,
    /// The member.
    pub(crate) member: &'static str,
    /// The numbers that the compilers give.
    pub(crate) numbers: Vec<i128>,
}

/// The word for a number from outside.
const GIVEN: &str = "given";

/// The statement that `mutate` returns nothing where its argument has no value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vanishing {
    /// The member with the condition under which all that was mutated has a value.
    pub(crate) guard: Option<&'static str>,
    /// The scope of the variables that have no value.
    pub(crate) lost: Option<&'static str>,
}

/// The word for the statement that vectors of truth values become masks.
const MASKS: &str = "masks";

/// The word for the statement that variables get new names.
const RENAMES: &str = "renames";

/// The statements of classes, by their words.
const STATEMENTS: &[(&str, &str)] = &[
    ("adds", "it adds to what is computed"),
    ("implies", "its results imply their arguments"),
    (MASKS, "its results are masks of vectors of truth values"),
    ("refines", "its results do less than their arguments"),
    (RENAMES, "it gives variables new names"),
    ("replaces", "it replaces one thing by another"),
    ("retypes", "its results have other types"),
    ("splits", "its results are parts of their arguments"),
];

/// Reads the classes of a text.
///
/// # Errors
///
/// The first error in the text.
pub(crate) fn passes(file: &'static str, text: &'static str) -> Result<Vec<Pass>, ContractError> {
    let read = trees(text).and_then(|trees| {
        let others = trees.iter().filter(|tree| !tree.is_outside());
        let passes = others.map(pass).collect::<Result<Vec<_>, Problem>>()?;
        Ok(passes.concat())
    });
    read.map_err(|(line, problem)| ContractError { file, line, problem })
}

/// Reads the numbers that the classes of a text get from outside.
///
/// # Errors
///
/// The first error in the text.
pub(crate) fn outside(
    file: &'static str,
    text: &'static str,
) -> Result<Vec<Outside>, ContractError> {
    let read = trees(text)
        .and_then(|trees| trees.iter().filter(|tree| tree.is_outside()).map(given).collect());
    read.map_err(|(line, problem)| ContractError { file, line, problem })
}

/// Reads `(given CLASS MEMBER (bytes NUMBER …) (source TEXT))`.
fn given(tree: &Tree) -> Result<Outside, Problem> {
    let (GIVEN, [class, member, numbers, source]) = tree.headed()? else {
        return tree.problem("a class, a member, numbers and a source are expected");
    };
    let ("bytes", numbers) = numbers.headed()? else {
        return numbers.problem("numbers of bytes are expected");
    };
    let ("source", [source]) = source.headed()? else {
        return source.problem("a source is expected");
    };
    source.text()?;
    let numbers = numbers.iter().map(number).collect::<Result<Vec<_>, Problem>>()?;
    Ok(Outside { class: class.atom()?, member: member.atom()?, numbers })
}

/// Reads `(pass (CLASS …) STATEMENT (source TEXT))`.
fn pass(tree: &Tree) -> Result<Vec<Pass>, Problem> {
    let ("pass", [classes, statement, source]) = tree.headed()? else {
        return tree.problem("a pass is expected");
    };
    let ("source", [source]) = source.headed()? else {
        return source.problem("a source is expected");
    };
    let source = source.text()?;
    let (makes_masks, renames) = (false, false);
    if let TreeKind::List(_) = statement.kind {
        let (vanishing, unused) = match statement.headed()? {
            ("unused", [table]) => (None, Some(named_table(table)?)),
            _ => (Some(vanishing(statement)?), None),
        };
        let statement = if unused.is_some() {
            "its results lack allocations that are not used"
        } else {
            "its results are nothing where their arguments have no value"
        };
        let of = |class: &Tree| {
            let class = class.atom()?;
            Ok(Pass { class, statement, vanishing, unused, makes_masks, renames, source })
        };
        return classes.list()?.iter().map(of).collect();
    }
    let word = statement.atom()?;
    let Some((_, statement)) = STATEMENTS.iter().find(|(known, _)| *known == word) else {
        return statement.problem("no statement of passes");
    };
    let (makes_masks, renames) = (word == MASKS, word == RENAMES);
    let (vanishing, unused) = (None, None);
    let of = |class: &Tree| {
        let class = class.atom()?;
        Ok(Pass { class, statement, vanishing, unused, makes_masks, renames, source })
    };
    classes.list()?.iter().map(of).collect()
}

/// Reads `(table SCOPE)`.
fn named_table(tree: &Tree) -> Result<&'static str, Problem> {
    match tree.headed()? {
        ("table", [scope]) => scope.atom(),
        _ => tree.problem("a table is expected"),
    }
}

/// Reads `(vanishes (guard MEMBER) (lost SCOPE))`.
fn vanishing(tree: &Tree) -> Result<Vanishing, Problem> {
    let ("vanishes", parts) = tree.headed()? else {
        return tree.problem("no statement of passes");
    };
    let mut found = Vanishing::default();
    for part in parts {
        match part.headed()? {
            ("guard", [member]) if found.guard.is_none() => found.guard = Some(member.atom()?),
            ("lost", [scope]) if found.lost.is_none() => found.lost = Some(scope.atom()?),
            _ => return part.problem("`guard` or `lost` is expected, once"),
        }
    }
    Ok(found)
}

/// A tree of words.
#[derive(Clone, Debug)]
struct Tree {
    line: usize,
    kind: TreeKind,
}

#[derive(Clone, Debug)]
enum TreeKind {
    Atom(&'static str),
    Text(&'static str),
    List(Vec<Tree>),
}

impl Tree {
    /// Tests whether the tree is about a number from outside.
    fn is_outside(&self) -> bool {
        matches!(self.headed(), Ok((GIVEN, _)))
    }

    fn problem<T>(&self, text: impl fmt::Display) -> Result<T, Problem> {
        Err((self.line, format!("{text} in `{self}`")))
    }

    fn atom(&self) -> Result<&'static str, Problem> {
        match self.kind {
            TreeKind::Atom(word) => Ok(word),
            TreeKind::Text(_) | TreeKind::List(_) => self.problem("a word is expected"),
        }
    }

    fn text(&self) -> Result<&'static str, Problem> {
        match self.kind {
            TreeKind::Text(text) => Ok(text),
            TreeKind::Atom(_) | TreeKind::List(_) => self.problem("a text is expected"),
        }
    }

    fn list(&self) -> Result<&[Self], Problem> {
        match &self.kind {
            TreeKind::List(trees) => Ok(trees),
            TreeKind::Atom(_) | TreeKind::Text(_) => self.problem("a list is expected"),
        }
    }

    /// The first word of a list, and the rest.
    fn headed(&self) -> Result<(&'static str, &[Self]), Problem> {
        match self.list()? {
            [head, rest @ ..] => Ok((head.atom()?, rest)),
            [] => self.problem("an empty list"),
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            TreeKind::Atom(word) => f.write_str(word),
            TreeKind::Text(text) => write!(f, "\"{text}\""),
            TreeKind::List(trees) => {
                f.write_str("(")?;
                for (index, tree) in trees.iter().enumerate() {
                    let space = if index == 0 { "" } else { " " };
                    write!(f, "{space}{tree}")?;
                }
                f.write_str(")")
            }
        }
    }
}

/// Splits a text into trees.
fn trees(text: &'static str) -> Result<Vec<Tree>, Problem> {
    let mut open: Vec<(usize, Vec<Tree>)> = vec![(0, Vec::new())];
    for (index, whole) in text.lines().enumerate() {
        let line = index + 1;
        let mut rest = whole.trim_start();
        while let Some(first) = rest.chars().next() {
            let (kind, after) = match first {
                ';' => break,
                '(' => {
                    open.push((line, Vec::new()));
                    rest = rest[1..].trim_start();
                    continue;
                }
                ')' => {
                    let (Some((line, trees)), true) = (open.pop(), !open.is_empty()) else {
                        return Err((line, "a `)` without its `(`".to_owned()));
                    };
                    let tree = Tree { line, kind: TreeKind::List(trees) };
                    put(&mut open, tree);
                    rest = rest[1..].trim_start();
                    continue;
                }
                '"' => match rest[1..].split_once('"') {
                    Some((text, after)) => (TreeKind::Text(text), after),
                    None => return Err((line, "a text without its end".to_owned())),
                },
                _ => {
                    let is_end = |letter: char| letter.is_whitespace() || "();\"".contains(letter);
                    let end = rest.find(is_end).unwrap_or(rest.len());
                    (TreeKind::Atom(&rest[..end]), &rest[end..])
                }
            };
            put(&mut open, Tree { line, kind });
            rest = after.trim_start();
        }
    }
    match (open.pop(), open.pop()) {
        (Some((_, trees)), None) => Ok(trees),
        (Some((line, _)), Some(_)) => Err((line, "a `(` without its `)`".to_owned())),
        (None, _) => Ok(Vec::new()),
    }
}

/// Adds a tree to the innermost open list.
fn put(open: &mut [(usize, Vec<Tree>)], tree: Tree) {
    if let Some((_, trees)) = open.last_mut() {
        trees.push(tree);
    }
}

/// Reads `(contract (NAME PARAMETER …) CLAUSE …)`.
fn contract(tree: &Tree) -> Result<Contract, Problem> {
    let ("contract", [signature, clauses @ ..]) = tree.headed()? else {
        return tree.problem("a contract is expected");
    };
    let (name, mut parameters) = signature.headed()?;
    let mut is_open = false;
    if let [first @ .., last] = parameters
        && matches!(last.kind, TreeKind::Atom("..."))
    {
        (parameters, is_open) = (first, true);
    }
    let takes = parameters.iter().map(parameter).collect::<Result<Vec<_>, _>>()?;
    let shown = signature.list()?[1..].iter().map(|tree| match &tree.kind {
        TreeKind::List(parts) => {
            parts.iter().map(Tree::to_string).collect::<Vec<String>>().join(" ")
        }
        TreeKind::Atom(_) | TreeKind::Text(_) => tree.to_string(),
    });
    let parameters = shown.collect::<Vec<String>>().join(", ");
    let mut scope: Scope = takes.iter().map(|parameter| parameter.name).collect();
    let mut guarantee = None;
    let mut read = Contract {
        name,
        parameters,
        requires: Vec::new(),
        ensures: String::new(),
        source: "",
        takes,
        is_open,
        profiles: Vec::new(),
        when: None,
        requirements: Vec::new(),
        guarantee: Guarantee::Result(Term::Word(Word::Void)),
        lifts_reports: false,
        replaces_body: false,
        runs: Vec::new(),
    };
    for clause in clauses {
        match clause.headed()? {
            ("source", [source]) => read.source = source.text()?,
            ("profiles", profiles @ [_, ..]) => {
                read.profiles = profiles.iter().map(profile).collect::<Result<_, _>>()?;
            }
            ("when", [condition]) => read.when = Some(pure(condition, &mut scope)?),
            ("requires", [condition, defect]) => {
                read.requires.push(condition.to_string());
                let condition = pure(condition, &mut scope)?;
                read.requirements.push(Requirement { condition, defect: defect.text()? });
            }
            ("ensures", [ensured]) if guarantee.is_none() => {
                read.ensures = ensured.to_string();
                guarantee = Some(self::guarantee(ensured, &mut scope)?);
            }
            ("reports", []) => read.lifts_reports = true,
            ("replaces-body", []) => read.replaces_body = true,
            ("runs", classes @ [_, ..]) => {
                read.runs = classes.iter().map(Tree::atom).collect::<Result<_, _>>()?;
            }
            _ => return clause.problem("an unknown clause"),
        }
    }
    match guarantee {
        Some(guarantee) if !read.source.is_empty() => Ok(Contract { guarantee, ..read }),
        _ => signature.problem("a contract without its guarantee or its source"),
    }
}

/// Reads the name of a profile.
fn profile(tree: &Tree) -> Result<&'static str, Problem> {
    let name = tree.atom()?;
    if Profile::named(name).is_some() { Ok(name) } else { tree.problem("an unknown profile") }
}

/// Reads `(NAME SORT)`, `(NAME (SORT …))` or `(NAME SORT DEFAULT)`.
fn parameter(tree: &Tree) -> Result<Parameter, Problem> {
    let (name, rest) = tree.headed()?;
    let (sorts, default) = match rest {
        [sorts] => (sorts, None),
        [sorts, default] => (sorts, Some(default)),
        _ => return tree.problem("a sort is expected"),
    };
    let one = |tree: &Tree| match named(Sort::NAMES, tree.atom()?) {
        Some(sort) => Ok(sort),
        None => tree.problem("an unknown sort"),
    };
    let sorts = match &sorts.kind {
        TreeKind::List(sorts) => sorts.iter().map(one).collect::<Result<Vec<_>, _>>()?,
        TreeKind::Atom(_) | TreeKind::Text(_) => vec![one(sorts)?],
    };
    let default = default.map(number).transpose()?;
    Ok(Parameter { name, sorts, default })
}

fn number(tree: &Tree) -> Result<i128, Problem> {
    match tree.atom()?.parse() {
        Ok(value) => Ok(value),
        Err(_) => tree.problem("an integer is expected"),
    }
}

fn named<T: Copy>(names: &[(&str, T)], name: &str) -> Option<T> {
    names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// The names that a term can use.
type Scope = Vec<&'static str>;

fn guarantee(tree: &Tree, scope: &mut Scope) -> Result<Guarantee, Problem> {
    let is_result = |tree: &Tree| matches!(tree.kind, TreeKind::Atom("result"));
    match tree.headed()? {
        ("=", [result, value]) if is_result(result) => Ok(Guarantee::Result(term(value, scope)?)),
        ("=>", [result, told]) => {
            let answer = match &result.kind {
                TreeKind::List(not) => match not.as_slice() {
                    [Tree { kind: TreeKind::Atom("not"), .. }, result] if is_result(result) => {
                        false
                    }
                    _ => return result.problem("the result or its negation is expected"),
                },
                _ if is_result(result) => true,
                TreeKind::Atom(_) | TreeKind::Text(_) => {
                    return result.problem("the result or its negation is expected");
                }
            };
            let (name, operands) = told.headed()?;
            let known = Fact::NAMES.iter().find(|(known, ..)| *known == name);
            let Some((_, fact, count)) = known else { return told.problem("an unknown fact") };
            let operands = operands.iter().map(|tree| pure(tree, scope));
            let operands = operands.collect::<Result<Vec<_>, _>>()?;
            if operands.len() != *count {
                return told.problem(format!("{count} operands are expected"));
            }
            Ok(Guarantee::Tells { answer, fact: *fact, operands })
        }
        ("prints", [thing]) => match named(Print::NAMES, thing.atom()?) {
            Some(print) => Ok(Guarantee::Prints(print)),
            None => thing.problem("an unknown thing to print"),
        },
        _ => tree.problem("an unknown guarantee"),
    }
}

/// Reads a term that operators alone compute.
fn pure(tree: &Tree, scope: &mut Scope) -> Result<Term, Problem> {
    let read = term(tree, scope)?;
    if read.is_pure() { Ok(read) } else { tree.problem("a primitive where only operators can be") }
}

fn term(tree: &Tree, scope: &mut Scope) -> Result<Term, Problem> {
    let (head, operands) = match &tree.kind {
        TreeKind::Text(text) => return Ok(Term::Text(text)),
        TreeKind::Atom(word) => return atom(tree, word, scope),
        TreeKind::List(_) => tree.headed()?,
    };
    if let Some(read) = form(tree, head, operands, scope) {
        return read;
    }
    let count = operands.len();
    let mut read = || operands.iter().map(|tree| term(tree, scope)).collect::<Result<Vec<_>, _>>();
    let check = |least: usize, greatest: usize| {
        if (least..=greatest).contains(&count) {
            return Ok(());
        }
        tree.problem(format!("{least} to {greatest} operands are expected"))
    };
    if let Some((_, op, least, greatest)) = Op::NAMES.iter().find(|(name, ..)| *name == head) {
        check(*least, *greatest)?;
        return Ok(Term::Apply(*op, read()?));
    }
    let known = Primitive::NAMES.iter().find(|(name, ..)| *name == head);
    if let Some((_, primitive, least, greatest)) = known {
        check(*least, *greatest)?;
        return Ok(Term::Run(*primitive, read()?));
    }
    tree.problem(format!("the unknown operator `{head}`"))
}

fn atom(tree: &Tree, word: &'static str, scope: &Scope) -> Result<Term, Problem> {
    if let Ok(value) = word.parse() {
        return Ok(Term::Number(value));
    }
    if let Some(name) = scope.iter().find(|name| **name == word) {
        return Ok(Term::Name(name));
    }
    let kind = || Kind::ALL.iter().copied().find(|kind| kind.name() == word).map(Word::Kind);
    match named(Word::NAMES, word).or_else(kind) {
        Some(word) => Ok(Term::Word(word)),
        None => tree.problem("an unknown name"),
    }
}

/// Reads a form that binds names; `None` for other terms.
fn form(
    tree: &Tree,
    head: &str,
    operands: &[Tree],
    scope: &mut Scope,
) -> Option<Result<Term, Problem>> {
    Some(match (head, operands) {
        ("literal", [bound, test, rest @ ..]) => {
            let ramp = rest.first().and_then(|ramp| ramp.headed().ok());
            match (rest, ramp.filter(|(head, _)| *head == "ramp")) {
                ([], _) => literal(bound, test, None, scope),
                ([_], Some((_, [fact]))) => literal(bound, test, Some(fact), scope),
                _ => tree.problem("`(ramp fact)` is expected"),
            }
        }
        ("some", [bound, test, set]) => some(bound, test, set, scope),
        ("match", [names, body]) => matched(names, body, scope),
        ("object", members) => members
            .iter()
            .map(|member| match member.headed()? {
                (name, [value]) => Ok((name, term(value, scope)?)),
                _ => member.problem("a member with its value is expected"),
            })
            .collect::<Result<Vec<_>, _>>()
            .map(Term::Object),
        ("literal" | "some" | "match", _) => tree.problem("other operands are expected"),
        _ => return None,
    })
}

fn literal(
    bound: &Tree,
    test: &Tree,
    ramp: Option<&Tree>,
    scope: &mut Scope,
) -> Result<Term, Problem> {
    let (name, [of]) = bound.headed()? else { return bound.problem("`(x e)` is expected") };
    let of = Box::new(pure(of, scope)?);
    scope.push(name);
    let test = pure(test, scope);
    let ramp = ramp.map(|fact| pure(fact, scope)).transpose();
    scope.pop();
    Ok(Term::Literal { name, of, test: Box::new(test?), ramp: ramp?.map(Box::new) })
}

fn some(bound: &Tree, test: &Tree, set: &Tree, scope: &mut Scope) -> Result<Term, Problem> {
    let (name, [from, to]) = bound.headed()? else {
        return bound.problem("`(k from to)` is expected");
    };
    let range = (number(from)?, number(to)?);
    let ("set", [place, value]) = set.headed()? else {
        return set.problem("`(set place value)` is expected");
    };
    scope.push(name);
    let mut read = || {
        let test = Box::new(term(test, scope)?);
        let set = (Box::new(pure(place, scope)?), Box::new(pure(value, scope)?));
        Ok(Term::Some { name, range, test, set })
    };
    let read = read();
    scope.pop();
    read
}

fn matched(names: &Tree, body: &Tree, scope: &mut Scope) -> Result<Term, Problem> {
    let [a, b] = names.list()? else { return names.problem("two names are expected") };
    let names = [a.atom()?, b.atom()?];
    for (tree, name) in [a, b].into_iter().zip(names) {
        if !scope.contains(&name) {
            return tree.problem("an unknown name");
        }
    }
    Ok(Term::Match { names, body: Box::new(term(body, scope)?) })
}
