//! The judge of the pipelines that a running program compiles.
//!
//! The library in the program (`preload.c` of the bridge) sends lines:
//!
//! ```text
//! begun NAME                   a copy of the program is to write NAME.hlpipe and NAME.dump
//! done NAME FUNCTION [custom]  it has written them, for this function; `custom` if lowering passes
//!                              of the program took part
//! failed NAME WORDS            it cannot, and why
//! skipped                      there was a compile that nobody looks at
//! end                          the program ends, and waits for the answer
//! ```
//!
//! NAME is a number for the compiles of the program itself. Those of its forked children have the
//! number of the process in front. The children may live longer than the program.
//!
//! The answer, an exit status, follows the summary. A program that ends in another way closes the
//! pipe, and nobody waits. What comes after a summary leads to a further one at the end, which
//! repeats the first.

mod answer;
mod judge;
mod summary;

pub use answer::{Answer, Kind};
pub use judge::{News, Options, judge};
pub use summary::{Item, Summary};
