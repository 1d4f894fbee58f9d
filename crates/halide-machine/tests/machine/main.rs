//! Each rule of the machine, by a statement that keeps it and one that breaks it.

mod common;
mod floats;
mod gpu;
mod lanes;
mod memory;
mod poison;
mod refused;
mod threads;
