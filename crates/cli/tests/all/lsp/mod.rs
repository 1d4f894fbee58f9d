//! Drives `halidom lsp` like an editor: every feature over the protocol, and messages that no
//! editor sends.

mod client;
mod features;
mod proofs;
mod robustness;
mod speed;
