//! The language server for `.hal` files: diagnostics while typing, hovers, completions, names,
//! formatting, and proofs in the background, over the Language Server Protocol.
//!
//! Knows nothing of how programs are judged: a proof is a run of `halidom validate` in a process of
//! its own, so that it can be cancelled with its solvers. Start with [`serve`]. Only `exit` and the
//! end of the input end the server: its reader skips what is malformed, and a request whose handler
//! fails is answered with an error.

mod actions;
mod analysis;
mod answer;
mod answers;
mod completion;
mod context;
mod document;
mod encoding;
mod events;
mod frames;
mod handlers;
mod hover;
mod lenses;
mod names;
mod outgoing;
mod proofs;
mod rename;
mod reports;
mod server;
mod session;
mod tokens;
mod verdicts;

pub use server::{Served, serve};
