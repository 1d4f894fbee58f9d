//! The four jobs: [`mod@compile`], [`mod@judge`], [`mod@verify`] and [`mod@derive`].
//!
//! No crate below knows every layer. The crate knows nothing about terminals. Results are data;
//! problems are [`halidom_diag::Diagnostic`]s or typed errors with a code and a hint. Start with
//! [`mod@input`] (what can be opened, and the choice of a part of it), then read the jobs, [`data`]
//! (the inputs of a run) and [`execute`].

pub mod baseline;
pub mod build;
pub mod compile;
pub mod contrast;
pub mod coverage;
pub mod data;
pub mod derive;
pub mod doctor;
pub mod execute;
pub mod explain;
pub mod files;
pub mod halo;
pub mod input;
pub mod inspect;
pub mod judge;
pub mod layout;
pub mod phases;
pub mod process;
pub mod reference;
mod refusal;
mod slice;
pub mod solving;
pub mod source;
pub mod stock;
pub mod subject;
pub mod turns;
pub mod verify;
pub mod wanted;
pub mod windows;
