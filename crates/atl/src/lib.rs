//! The tensor language ATL: programs, proved rewriting, loop nests, and certificates that Coq
//! checks.
//!
//! A program ([`program`]) is a term ([`term`]) over sizes and input tensors. A derivation rewrites
//! it by rules ([`rules`]), which are data with proved statements. The engine ([`engine`]) applies
//! them at sites and shows their premises with the prover ([`prover`]). The final program is
//! lowered to a loop nest ([`lower`]). A certificate ([`certificate`]) states and proves the
//! result: source and final program are equal, the nest computes them without an access out of
//! bounds or a number beyond 64 bits, and the C is the nest's text. [`check`] runs Coq on it;
//! [`folder`] is the form in which it is sent.
//!
//! This crate knows nothing about Halide, schedules of `.hal` files, or solvers. Start with
//! [`file::load`].

pub mod arithmetic;
pub mod certificate;
pub mod check;
pub mod codes;
pub mod context;
pub mod engine;
pub mod file;
pub mod folder;
pub mod interpret;
pub mod lower;
pub mod names;
pub mod native;
pub mod print;
pub mod program;
pub mod prover;
pub mod resolve;
pub mod rules;
pub mod subst;
pub mod syntax;
pub mod term;
