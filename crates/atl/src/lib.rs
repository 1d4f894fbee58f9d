//! The tensor language ATL: programs, proved rewriting, loop nests, certificates that Coq checks.
//!
//! A program ([`program`]) is a term ([`term`]) over sizes and input tensors. A derivation rewrites it by rules ([`rules`]) that are data with proved
//! statements; the engine ([`engine`]) applies them at sites and shows their premises with the prover ([`prover`]). The final program is lowered to a loop
//! nest ([`lower`]), and a certificate ([`certificate`]) states and proves all of it: that source and final program are equal, that the nest computes them
//! without an access out of bounds or a number beyond 64 bits, and that the C is the nest's text. [`check`] has Coq decide; [`folder`] is what is sent.
//!
//! Knows nothing about Halide, schedules of `.hal` files, or solvers. Start with [`file::load`].

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
