//! Rewrite rules as typed data (patterns, premises, laws) and their matching with terms.

mod matching;
mod table;

use halidom_diag::{Diagnostic, FileId, Sources};

pub use matching::{Bindings, Value};
pub use table::Law;

use crate::context::Context;
use crate::prover::Prover;
use crate::resolve::Resolver;
use crate::syntax::{ast, parse_expr};
use crate::term::{Index, Pred, Rank, Sort, Supply, Term, Var};
use table::Entry;

/// A premise of a rule, which must be shown before the rule applies.
#[derive(Clone, Debug)]
pub enum Premise {
    /// A chain of comparisons of integers.
    Compare(Vec<Index>, Vec<crate::term::Compare>),
    /// A tensor is zero outside of `0 .. n`.
    Supp(Term, Index),
    /// The rows `0 .. n` of a tensor are zero outside of `0 .. m`.
    Rows(Term, Index, Index),
    /// A predicate holds.
    True(Pred),
    /// A predicate does not hold.
    False(Pred),
    /// Two predicates are equal.
    Same(Pred, Pred),
}

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The name of the rule and of its lemma.
    pub name: &'static str,
    /// Rank variables, with their names.
    pub ranks: Vec<(u32, String)>,
    /// The rule's variables, in the lemma's order.
    pub variables: Vec<Var>,
    /// The pattern that the rule applies to.
    pub left: Term,
    /// The replacement.
    pub right: Term,
    /// The premises.
    pub premises: Vec<Premise>,
    /// The laws of arithmetic that its proof uses.
    pub laws: &'static [Law],
    /// The Coq file with the proof.
    pub file: &'static str,
}

/// A rule of the table that cannot be read. This is a defect of this crate, which its tests find.
#[derive(Debug, thiserror::Error)]
#[error("the rule `{name}` cannot be read: {message}")]
pub struct BadRule {
    name: &'static str,
    message: String,
}

/// All rules.
#[derive(Debug)]
pub struct Rules(Vec<Rule>);

impl Rules {
    /// Reads the table.
    ///
    /// # Errors
    /// The first entry that cannot be read.
    pub fn new(supply: &Supply, prover: &Prover) -> Result<Self, BadRule> {
        let file = Sources::new().add("the table of rules", "");
        let core = table::CORE.iter().map(|entry| (entry, "Rules"));
        let reshape = table::RESHAPE.iter().map(|entry| (entry, "Reshape"));
        let distribute = table::DISTRIBUTE.iter().map(|entry| (entry, "Distribute"));
        core.chain(reshape)
            .chain(distribute)
            .map(|(entry, source)| {
                read(entry, source, supply, prover, file).map_err(|diagnostic| BadRule {
                    name: entry.name,
                    message: diagnostic.message.clone(),
                })
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// The rule with this name.
    pub fn find(&self, name: &str) -> Option<&Rule> {
        self.0.iter().find(|rule| rule.name == name)
    }

    /// Iterates over all rules, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.0.iter()
    }
}

fn read(
    entry: &Entry,
    source: &'static str,
    supply: &Supply,
    prover: &Prover,
    file: FileId,
) -> Result<Rule, Box<Diagnostic>> {
    let mut ranks: Vec<(u32, String)> = Vec::new();
    let mut variables = Vec::new();
    for word in entry.variables.split_whitespace() {
        let (name, sort) = word.split_once(':').unwrap_or((word, "Z"));
        let sort = match sort {
            "Z" => Sort::Index,
            "B" => Sort::Pred,
            "0" => Sort::Tensor(Rank::SCALAR),
            _ => {
                let (base, plus) = sort.split_once('+').unwrap_or((sort, "0"));
                let known = ranks.iter().find(|(_, name)| name == base).map(|(id, _)| *id);
                let base = known.unwrap_or_else(|| {
                    let id = supply.fresh(base, Sort::Shape).id;
                    ranks.push((id, base.to_owned()));
                    id
                });
                Sort::Tensor(Rank { base: Some(base), plus: plus.parse().unwrap_or(0) })
            }
        };
        variables.push(supply.fresh(name, sort));
    }
    ranks.sort_by(|a, b| a.1.cmp(&b.1));
    let mut resolver = Resolver::of_rule(supply, prover, variables.clone());
    let mut term = |text: &str| -> Result<Term, Box<Diagnostic>> {
        let tree = parse_expr(text, file).map_err(Box::new)?;
        Ok(resolver.term(&tree, &Context::default())?.0)
    };
    let (left, right) = (term(entry.left)?, term(entry.right)?);
    let resolver = Resolver::of_rule(supply, prover, variables.clone());
    let premises = entry
        .premises
        .iter()
        .map(|text| premise(text, &resolver, &variables, file))
        .collect::<Result<_, _>>()?;
    Ok(Rule {
        name: entry.name,
        ranks,
        variables,
        left,
        right,
        premises,
        laws: entry.laws,
        file: source,
    })
}

fn premise(
    text: &str,
    resolver: &Resolver<'_>,
    variables: &[Var],
    file: FileId,
) -> Result<Premise, Box<Diagnostic>> {
    let expr = |text: &str| parse_expr(text, file).map_err(Box::new);
    let words: Vec<&str> = text.split_whitespace().collect();
    let tensor = |name: &str| -> Result<Term, Box<Diagnostic>> {
        let found = variables.iter().find(|var| &*var.name == name);
        found.map(|var| Term::new(crate::term::Node::Var(var.clone()))).ok_or_else(|| {
            Box::new(Diagnostic::without_place(
                halidom_diag::Severity::Error,
                crate::codes::UNKNOWN_NAME,
                format!("no variable `{name}`"),
            ))
        })
    };
    Ok(match words.as_slice() {
        ["supp", v, n] => Premise::Supp(tensor(v)?, resolver.index(&expr(n)?)?),
        ["rows", v, n, m] => {
            Premise::Rows(tensor(v)?, resolver.index(&expr(n)?)?, resolver.index(&expr(m)?)?)
        }
        ["true", p] => Premise::True(resolver.pred(&expr(p)?)?),
        ["false", p] => Premise::False(resolver.pred(&expr(p)?)?),
        ["same", p, q] => Premise::Same(resolver.pred(&expr(p)?)?, resolver.pred(&expr(q)?)?),
        _ => {
            let mut links = Vec::new();
            chain(&expr(text)?, resolver, &mut links)?;
            let mut indices: Vec<Index> = links.iter().map(|(_, a, _)| a.clone()).collect();
            indices.extend(links.last().map(|(_, _, b)| b.clone()));
            Premise::Compare(indices, links.into_iter().map(|(compare, ..)| compare).collect())
        }
    })
}

/// Collects the links of a chain of comparisons.
fn chain(
    expr: &ast::Expr,
    resolver: &Resolver<'_>,
    links: &mut Vec<(crate::term::Compare, Index, Index)>,
) -> Result<(), Box<Diagnostic>> {
    if let ast::ExprKind::Binary(ast::Binary::And, both) = &expr.kind {
        chain(&both.0, resolver, links)?;
        return chain(&both.1, resolver, links);
    }
    if let Pred::Compare(compare, a, b) = resolver.pred(expr)? {
        links.push((compare, a, b));
    }
    Ok(())
}

impl Premise {
    /// Returns the premise with the rule's variables replaced.
    #[must_use]
    pub fn instance(&self, bindings: &Bindings, supply: &Supply) -> Self {
        let subst = bindings.subst();
        let term = |term: &Term| subst.on_term(term, supply);
        match self {
            Self::Compare(indices, compares) => Self::Compare(
                indices.iter().map(|index| subst.on_index(index)).collect(),
                compares.clone(),
            ),
            Self::Supp(v, n) => Self::Supp(term(v), subst.on_index(n)),
            Self::Rows(v, n, m) => Self::Rows(term(v), subst.on_index(n), subst.on_index(m)),
            Self::True(p) => Self::True(subst.on_pred(p)),
            Self::False(p) => Self::False(subst.on_pred(p)),
            Self::Same(p, q) => Self::Same(subst.on_pred(p), subst.on_pred(q)),
        }
    }

    /// The premise in words.
    pub fn words(&self) -> String {
        use crate::print::{index, pred, term};
        match self {
            Self::Compare(indices, compares) => pred(&Self::as_pred(indices, compares)),
            Self::Supp(v, n) => format!("{} is zero outside of 0..{}", term(v), index(n)),
            Self::Rows(v, n, m) => format!(
                "the rows 0..{} of {} are zero outside of 0..{}",
                index(n),
                term(v),
                index(m)
            ),
            Self::True(p) => format!("{} holds", pred(p)),
            Self::False(p) => format!("{} never holds", pred(p)),
            Self::Same(p, q) => format!("{} is equivalent to {}", pred(p), pred(q)),
        }
    }

    /// Returns a chain of comparisons as one predicate.
    pub fn as_pred(indices: &[Index], compares: &[crate::term::Compare]) -> Pred {
        let links = compares.iter().zip(indices.windows(2));
        let mut links =
            links.map(|(compare, pair)| Pred::Compare(*compare, pair[0].clone(), pair[1].clone()));
        let first = links.next().unwrap_or(Pred::Known(true));
        links.fold(first, Pred::and)
    }
}
