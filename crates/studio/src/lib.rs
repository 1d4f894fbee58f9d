//! `halidom studio`: a local web page on which one program is written, scheduled and proved.
//!
//! [`Studio::open`] listens on 127.0.0.1, and [`Studio::serve`] answers until [`Stopper::stop`].
//! Knows nothing of how programs are judged: a proof is a run of `halidom validate` in a process of
//! its own, so that it can be cancelled with its solvers. The page shows what that process said,
//! and only for exactly the text that is shown.
//!
//! A request is answered in this order: `http` reads its head within limits, `gate` refuses
//! strangers, the rest of it is read, and `routes` does what it asks for. `httparse` reads heads;
//! connections are handled here, because every read needs a bound on its size and its time.

mod answers;
mod gate;
mod http;
mod jobs;
mod look;
mod named;
mod page;
mod routes;
mod server;
mod token;

pub use named::OpenError;
pub use server::{Stopper, Studio, StudioError};
