//! The validator's tests, in one program, so that they link once.

mod common;
mod definitions;
mod floats;
mod kinds;
mod narrow;
mod overwritten;
mod partial;
mod predicates;
mod rare;
mod rows;
mod theorem;
mod tuples;
mod unchanged;
mod uniform;
