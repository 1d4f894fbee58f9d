//! The interpreter of C++: runs a method symbolically, and forks the path where the method asks
//! something that is not known.
//!
//! # Where to start
//!
//! * `run` holds the machine and calls functions. `statements`, `variables`, `places`,
//!   `expression`, `calls`, `operators`, `numbers` and `fork` interpret the language. `lookup`
//!   finds the functions, classes and types that names stand for.
//! * `conversions` gives values the types of the variables, members, elements, parameters and
//!   results that they initialize.
//! * `contracts` holds the contracts of the API's functions: `reader` reads their texts, `language`
//!   defines their terms, and `api` and its families evaluate them. `methods`, `handles`, `lists`,
//!   `nodes` and `structure` model the API's objects. `names` lists the method and type names that
//!   have a meaning.
//! * `info` has the reports of `mutate`; `intervals` computes with them, `made_reports` has those
//!   that functions make, and `exact_intervals` computes on known IR. `learnt` has the objects that
//!   learn conditions, `rules` what rules make; on known IR, `patterns` matches them, and `applied`
//!   computes that.
//! * `alike` tells whether short lists stand for long ones; `folds` has the functions that make a
//!   statement of a list, `hoists` those that make the slice of an operator of slices, and
//!   `plain_bodies` and `counting_bodies` other functions whose bodies keep their contracts.
//! * `objects` makes objects of structures that functions declare, `helpers` those of the program's
//!   own visitors and mutators, and `parts` nodes from lists and from what is not known. `asserts`
//!   has the assertions of `make` about types.
//! * `open_lanes` answers questions about the lanes of bound values; `shuffles` has the members of
//!   shuffles of known IR.
//! * `same` answers whether nodes have one structure, as the compilers' `equal` does.
//! * `keys` compares the kinds of nodes by their keys. `known_effects` has the effects of known IR.
//! * `nesting` nests sequences of statements, and `casts` converts expressions, as the API does.
//! * `peeled` takes the bindings around an expression apart.
//! * `maps` has the maps of runs on known IR, `texts` the names that are made of texts, `backwards`
//!   the loops by reverse iterators.
//! * `scopes` finds the members that are scopes, `steady` those that no function assigns. `balance`
//!   records the entries that a path leaves on scopes, `buffers` those of a table of buffers.
//! * `asked` finds the methods that ask for the types of parts of operands.
//! * `unread` finds the scopes whose entries nothing relies on, `twins` the variables that are
//!   always assigned together.
//! * `absent` tells what may not be there: undefined expressions, and elements of containers.
//!   `entries` tells which entries scopes have. `given` follows the pointers that callers give, and
//!   `sums` computes with unknown numbers.
//! * `lives` finds pointers and references into expressions that have ended.
//! * `sequence` ends paths on which an order matters that C++ leaves open; `references` tells the
//!   types that may be references by another name.

mod absent;
pub(crate) mod alike;
pub(crate) mod alike_names;
pub(crate) mod api;
pub(crate) mod api_facts;
pub(crate) mod api_literals;
pub(crate) mod api_nodes;
pub(crate) mod api_numbers;
pub(crate) mod api_terms;
pub(crate) mod applied;
mod asked;
pub(crate) mod asserts;
pub(crate) mod audits;
pub(crate) mod backwards;
pub(crate) mod balance;
mod bindings;
pub(crate) mod buffers;
pub(crate) mod calls;
mod casts;
pub(crate) mod classes;
pub(crate) mod contracts;
pub(crate) mod conversions;
pub(crate) mod counting_bodies;
pub(crate) mod descent;
pub(crate) mod doubts;
mod emptiness;
mod entries;
mod exact_intervals;
pub(crate) mod expression;
pub(crate) mod folds;
pub(crate) mod fork;
mod given;
pub(crate) mod handles;
pub(crate) mod helpers;
pub(crate) mod hoists;
pub(crate) mod info;
mod intervals;
pub(crate) mod invariants;
pub(crate) mod keys;
pub(crate) mod known_effects;
pub(crate) mod lanes;
pub(crate) mod language;
mod learnt;
pub(crate) mod lists;
mod lives;
pub(crate) mod lookup;
mod made_reports;
pub(crate) mod maps;
pub(crate) mod masks;
pub(crate) mod methods;
pub(crate) mod mutate;
pub(crate) mod names;
mod nesting;
pub(crate) mod nodes;
pub(crate) mod numbers;
pub(crate) mod objects;
pub(crate) mod open_lanes;
pub(crate) mod operators;
pub(crate) mod order;
pub(crate) mod parts;
pub(crate) mod patterns;
mod peeled;
pub(crate) mod places;
pub(crate) mod plain_bodies;
pub(crate) mod program;
pub(crate) mod reader;
pub(crate) mod references;
mod rules;
pub(crate) mod run;
pub(crate) mod same;
pub(crate) mod scopes;
pub(crate) mod sequence;
pub(crate) mod shuffles;
mod spelled;
pub(crate) mod statements;
pub(crate) mod steady;
pub(crate) mod structure;
mod sums;
pub(crate) mod texts;
pub(crate) mod twins;
pub(crate) mod types;
pub(crate) mod unread;
pub(crate) mod vanish;
pub(crate) mod variables;
pub(crate) mod visitors;
