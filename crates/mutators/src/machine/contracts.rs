//! The API of Halide's family: the assumptions and guarantees of its functions, read from the texts
//! in `contracts/`.
//!
//! # Correctness
//!
//! A contract replaces the function's body, so verdicts rest on it. Its text is its meaning: the
//! machine evaluates the terms that are read here. Functions of the same files that have no
//! contract are interpreted from their source. A call of any other function ends its path as
//! unsupported. An analysis (`const_int_bounds`) is trusted where it is called, and is itself
//! verified against its contract.

use std::sync::LazyLock;

use halidom_base::FxHashMap;
use halidom_cpp::ast::Function;

use crate::machine::language::{Contract, Fact, Guarantee, Print};
use crate::machine::reader::{self, ContractError, Outside, Pass, Vanishing};

/// The texts, one for each family of the API.
pub(crate) const TEXTS: &[(&str, &str)] = &[
    ("literals", include_str!("../../contracts/literals.contracts")),
    ("types", include_str!("../../contracts/types.contracts")),
    ("numbers", include_str!("../../contracts/numbers.contracts")),
    ("nodes", include_str!("../../contracts/nodes.contracts")),
    ("analyses", include_str!("../../contracts/analyses.contracts")),
    ("bounds", include_str!("../../contracts/bounds.contracts")),
    ("scopes", include_str!("../../contracts/scopes.contracts")),
    ("emitters", include_str!("../../contracts/emitters.contracts")),
    ("libm", include_str!("../../contracts/libm.contracts")),
];

/// The text about classes that do not state that their results equal their arguments.
pub(crate) const PASSES: &str = include_str!("../../contracts/passes.contracts");

static OTHER_PASSES: LazyLock<Result<Vec<Pass>, ContractError>> =
    LazyLock::new(|| reader::passes("passes", PASSES));

static FROM_OUTSIDE: LazyLock<Result<Vec<Outside>, ContractError>> =
    LazyLock::new(|| reader::outside("passes", PASSES));

/// The member of a class that is a number from outside, with the numbers that the compilers give.
pub(crate) fn outside(class: &str) -> Option<&'static Outside> {
    FROM_OUTSIDE.as_ref().ok()?.iter().find(|known| known.class == class)
}

/// The obstacle to a verdict about the methods of a class: it does not state that its results equal
/// their arguments, or the text about classes has an error.
pub(crate) fn other_statement(class: &str) -> Option<String> {
    let passes = match &*OTHER_PASSES {
        Ok(passes) => passes,
        Err(error) => return Some(error.to_string()),
    };
    let Pass { statement, source, .. } = passes.iter().find(|pass| pass.class == class)?;
    Some(format!("what the pass states: {statement} ({source})"))
}

/// The obstacle to judging the methods of a class, if what it states is not judged.
pub(crate) fn obstacle(class: &str) -> Option<String> {
    let is_judged = vanishing(class).is_some()
        || makes_masks(class)
        || unused_table(class).is_some()
        || renames(class);
    if is_judged { None } else { other_statement(class) }
}

/// Tests whether a class states that its results are masks of vectors of truth values.
pub(crate) fn makes_masks(class: &str) -> bool {
    let is_it = |pass: &Pass| pass.class == class && pass.makes_masks;
    OTHER_PASSES.as_ref().is_ok_and(|passes| passes.iter().any(is_it))
}

/// Tests whether a class states that it gives variables new names.
pub(crate) fn renames(class: &str) -> bool {
    let is_it = |pass: &Pass| pass.class == class && pass.renames;
    OTHER_PASSES.as_ref().is_ok_and(|passes| passes.iter().any(is_it))
}

/// The statement of a class that its results may be nothing, if it makes this one.
pub(crate) fn vanishing(class: &str) -> Option<Vanishing> {
    let passes = OTHER_PASSES.as_ref().ok()?;
    passes.iter().find(|pass| pass.class == class)?.vanishing
}

/// The table of buffers that were not used so far, if a class states that it drops allocations
/// that are not used.
pub(crate) fn unused_table(class: &str) -> Option<&'static str> {
    let passes = OTHER_PASSES.as_ref().ok()?;
    passes.iter().find(|pass| pass.class == class)?.unused
}

/// Tests whether a scope holds the variables that have no value, by what some class states.
pub(crate) fn is_scope_of_lost(scope: &str) -> bool {
    let is_it = |pass: &Pass| pass.vanishing.is_some_and(|known| known.lost == Some(scope));
    OTHER_PASSES.as_ref().is_ok_and(|passes| passes.iter().any(is_it))
}

/// The contracts of an API.
#[derive(Debug, Default)]
pub(crate) struct Table {
    contracts: Vec<Contract>,
    by_name: FxHashMap<&'static str, Vec<usize>>,
    /// The error in the texts, if they have one. Then no call is understood.
    pub(crate) error: Option<ContractError>,
}

impl Table {
    /// Reads texts, each with the name of its file.
    pub(crate) fn read(texts: &[(&'static str, &'static str)]) -> Self {
        let mut all = Vec::new();
        for (file, text) in texts {
            match reader::contracts(file, text) {
                Ok(contracts) => all.extend(contracts),
                Err(error) => return Self { error: Some(error), ..Self::default() },
            }
        }
        Self::of(all)
    }

    /// Makes a table of contracts.
    pub(crate) fn of(contracts: Vec<Contract>) -> Self {
        let mut by_name: FxHashMap<&'static str, Vec<usize>> = FxHashMap::default();
        for (index, contract) in contracts.iter().enumerate() {
            by_name.entry(contract.name).or_default().push(index);
        }
        Self { contracts, by_name, error: None }
    }

    /// The contracts of a function, in the order in which they are tried.
    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = &Contract> {
        let found = self.by_name.get(name).map(Vec::as_slice).unwrap_or_default();
        found.iter().map(|index| &self.contracts[*index])
    }

    /// Tests whether there is a contract of a function.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(TEXTS));

/// The contracts of Halide's family.
pub(crate) fn table() -> &'static Table {
    &TABLE
}

/// Returns the contracts of the API's functions.
///
/// # Errors
///
/// The first error in their texts.
pub fn contracts() -> Result<&'static [Contract], &'static ContractError> {
    match &TABLE.error {
        Some(error) => Err(error),
        None => Ok(&TABLE.contracts),
    }
}

/// The thing that a function of an emitter prints; `None` if the function does not print.
pub(crate) fn printed(name: &str) -> Option<Print> {
    let short = name.rsplit("::").next().unwrap_or(name);
    TABLE.named(short).find_map(|contract| match contract.guarantee {
        Guarantee::Prints(print) => Some(print),
        Guarantee::Result(_) | Guarantee::Tells { .. } => None,
    })
}

/// Tests whether a function of the API runs a class of mutators.
pub(crate) fn runs(name: &str, class: &str) -> bool {
    TABLE.named(name).any(|contract| contract.runs.contains(&class))
}

/// Tests whether a function has a contract.
pub(crate) fn is_known(name: &str) -> bool {
    TABLE.has(name) || name == PEEL
}

/// The function of the API that takes bindings off ([`crate::machine::peeled`]).
pub(crate) const PEEL: &str = "peel_lets";

/// Tests whether a contract replaces the body in the files.
pub(crate) fn is_assumed(name: &str) -> bool {
    TABLE.error.is_some() || TABLE.named(name).any(|contract| contract.replaces_body)
}

/// Tests whether a function has the name of the one that mutates a node.
pub(crate) fn is_mutate(function: &Function) -> bool {
    ["mutate", "Mutate"].contains(&function.name.as_str())
}

/// Tests whether a parameter's type is that of a place for a report.
pub(crate) fn is_place_of_report(ty: &str) -> bool {
    ["ExprInfo*", "ConstBounds*"].contains(&ty)
}

/// Tests whether a contract that replaces bodies replaces this function of the program. It may be
/// another function of the same name: one that mutates something else than a node, or that takes
/// something more than a place for a report. Such a function runs as it is written.
pub(crate) fn is_replaced(function: &Function) -> bool {
    if !is_assumed(&function.name) {
        return false;
    }
    let types = || function.parameters.iter().map(|known| known.ty.as_str());
    if is_mutate(function) {
        return types().enumerate().all(|(index, ty)| match index {
            0 => ["Expr", "Stmt"].contains(&ty.trim_end_matches('&')) && !function.may_write(index),
            1 => is_place_of_report(ty),
            _ => false,
        });
    }
    let is_place =
        |index: usize| TABLE.named(&function.name).any(|contract| contract.takes.len() > index);
    (0..types().count()).all(|index| !function.may_write(index) || is_place(index))
}

/// Tests whether a function is an analysis, which can run on known IR.
pub(crate) fn is_analysis(name: &str) -> bool {
    TABLE
        .named(name)
        .any(|contract| matches!(contract.guarantee, Guarantee::Tells { fact: Fact::Within, .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_are_read() {
        let contracts = contracts().unwrap_or_else(|error| panic!("{error}"));
        assert!(contracts.len() > 100, "{}", contracts.len());
        let passes = OTHER_PASSES.as_ref().unwrap_or_else(|error| panic!("{error}"));
        assert!(passes.len() > 50, "{}", passes.len());
        let outside = FROM_OUTSIDE.as_ref().unwrap_or_else(|error| panic!("{error}"));
        assert!(outside.iter().all(|known| !known.numbers.is_empty()), "{outside:?}");
        assert!(other_statement("StripAsserts").is_some_and(|text| text.contains("do less")));
        assert_eq!(other_statement("Simplify"), None);
    }
}
