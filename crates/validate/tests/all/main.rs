//! The validator's tests, in one program: they link once, and run side by side.

mod common;
mod definitions;
mod faults;
mod floats;
mod kinds;
mod narrow;
mod predicates;
mod rare;
mod rows;
mod theorem;
mod tuples;
mod uniform;
