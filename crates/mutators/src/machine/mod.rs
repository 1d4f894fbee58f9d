//! The interpreter of C++: a method runs symbolically, and a path forks where it asks what is not
//! known.
//!
//! # Where to start
//!
//! * `run` holds the machine and calls functions; `statements`, `variables`, `places`,
//!   `expression`, `operators`, `numbers` and `fork` are the language.
//! * `contracts` is the table of the API's functions, which `api` interprets by families;
//!   `methods`, `handles`, `lists`, `nodes` and `structure` are the API's objects, `names` the
//!   words that have a meaning.
//! * `scopes` says which members are scopes, `balance` keeps a record of what a path leaves on
//!   them.

pub(crate) mod api;
pub(crate) mod api_literals;
pub(crate) mod api_nodes;
pub(crate) mod api_numbers;
pub(crate) mod balance;
pub(crate) mod calls;
pub(crate) mod contracts;
pub(crate) mod expression;
pub(crate) mod fork;
pub(crate) mod handles;
pub(crate) mod info;
pub(crate) mod lists;
pub(crate) mod methods;
pub(crate) mod mutate;
pub(crate) mod names;
pub(crate) mod nodes;
pub(crate) mod numbers;
pub(crate) mod operators;
pub(crate) mod places;
pub(crate) mod program;
pub(crate) mod run;
pub(crate) mod scopes;
pub(crate) mod statements;
pub(crate) mod structure;
pub(crate) mod types;
pub(crate) mod variables;
pub(crate) mod visitors;
