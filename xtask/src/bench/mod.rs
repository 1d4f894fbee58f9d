//! `cargo xtask bench`: measures the project and compares it with others.

mod atl;
mod blas;
mod growth;
mod measure;
mod native;
mod table1;

use crate::Action;
use crate::error::Error;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "bench",
    summary: "measures: the validator on the programs of Table 1 and as programs grow, ATL's programs and Table 1's beside Halide's code",
    help: "\
Installs what is missing, builds the release binary, and prints all tables, or the one that is named.

table1: runs `halidom validate` on the programs under examples/table1, one after another. A row for each:
obligations, questions to the solver, seconds, seconds of the processors, the peak memory of the validator and its solver, the
verdict; beside them what the paper reports (Table 1 of translation validation for Halide; its machine
and its artifacts are others: the schedules here are ours, of the same shape). Fails if a program is
refuted.

growth: validates chains of 1 to 64 stencils and loops in 1 to 32 copies, and draws docs/growth.svg. Fails if one
is not proved, or if the time grows by more than a small power of the size.

atl: builds the derivations of crates/driver/benches/atl/speed.atl, each of which must be proved, and times
the two blurs (2000 by 2000, single precision, one and two threads) beside what stock Halide 21.0.0 makes
of the same schedule, and im2col and gather beside their naive forms. All forms of a program run in turn
in one process, on the same input, and their results are compared. A form's time in a process is the
median of 40 calls; the table shows the least and the greatest median of five processes, and the ratio of
the least ones. Halide is installed in .venv (halide==21.0.0 with what it needs, numpy among it); where it
cannot be had its rows are left out, and the last lines say so. Fails if a blur takes more than 1.05 of
Halide's time. Other work on the machine makes the figures worthless.

native: times the programs of Table 1 under the schedule of the shape of Halide's application, and under our
best one, beside what stock Halide makes of both, with one and two threads; all of them, or those that are named.
A program's rows are printed as soon as it is measured: five processes, each with the median of up to thirty rounds
(six seconds for each number of threads, but five rounds); three processes where a call takes more than 200 ms,
fifteen where all take less than 2 ms.
The distance to what the machine can do is measured on the spot: the rate of copying, that of sums and products of
f32. Then the seconds from the text of blur and nl_means to running code, without and with validation; and the
product of two matrices beside OpenBLAS on one core, which is installed (libopenblas-dev). Each of our schedules
must be proved. Draws docs/native.svg when all are measured; --svg FILE draws those that are. Fails where a limit of
docs/performance.md is missed. Takes about a quarter of an hour on two idle cores.

blas: the product beside OpenBLAS alone.

example: cargo xtask bench
example: cargo xtask bench atl
example: cargo xtask bench native blur sc1 --svg target/two.svg",
    run,
    options: &[
        ("table1", Action::Alone(table1::run)),
        ("growth", Action::Alone(growth::run)),
        ("atl", Action::Alone(atl::run)),
        ("native", Action::Words(native::run)),
        ("blas", Action::Alone(blas::run)),
    ],
};

fn run() -> Result<(), Error> {
    table1::run()?;
    growth::run()?;
    atl::run()?;
    native::run(&[])
}
