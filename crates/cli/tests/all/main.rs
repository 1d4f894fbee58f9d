//! The tests of the command line, in one program, so that they link once.

mod certificate;
mod checker;
mod derive;
mod diff;
mod doors;
mod limits;
#[cfg(test)]
mod lsp;
mod nothing;
mod own_rules;
mod releases;
mod reports;
mod schema;
mod stock;
mod time;
