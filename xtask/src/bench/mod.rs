//! `cargo xtask bench`: measures the project and compares it with others.

mod atl;
mod blas;
mod growth;
mod measure;
mod native;
mod public;
mod search;
mod table1;

use crate::Action;
use crate::error::Error;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "bench",
    summary: "measures the validator on Table 1 and on growing programs, and the code of ATL's \
              programs and of Table 1 against Halide's",
    help: "\
Installs what is missing, builds the release binary, and prints all tables, or the named one.

table1: runs `halidom validate` on the programs under examples/table1, one after another. Prints a
row for each: obligations, questions to the solver, seconds, CPU seconds, the peak memory of the
validator and its solver, the verdict; and for comparison the paper's figures (Table 1 of
translation validation for Halide; the paper used another machine and other artifacts, whereas the
schedules here are ours, of the same shape). Fails if a program is refuted.

growth: validates chains of 1 to 64 stencils and loops in 1 to 32 copies, and draws docs/growth.svg.
Fails if a program is not proved, or if the time grows faster than the power 1.5 of the size.

atl: builds the derivations of crates/driver/benches/atl/speed.atl, each of which must be proved.
Times the two blurs (2000 by 2000, single precision, one and two threads) against stock Halide
21.0.0's code for the same schedule, and im2col and gather against their naive forms. All forms of a
program run in turn in one process, on the same input, and their results are compared. A form's time
in a process is the median of 40 calls; the table shows the smallest and the largest median of five
processes, and the ratio of the smallest ones. Installs Halide in .venv (halide==21.0.0 and its
requirements, numpy among them); if it is not available, its rows are left out, and the last lines
report so. Fails if a blur takes more than 1.05 of Halide's time. Other work on the machine makes
the figures worthless.

native: times the programs of Table 1 under a schedule of the same shape as Halide's application,
and under our best schedule, against stock Halide's code for both, with one and two threads; all
programs, or the named ones. Prints a program's rows as soon as it is measured: five processes, each
with the median of up to thirty rounds (six seconds for each number of threads, but at least five
rounds); three processes if a call takes more than 200 ms, fifteen if all calls take less than 2 ms.
Also measures the limits of the machine: the rates of copying and of sums and products of f32. Then
measures the seconds from the text of blur and nl_means to running code, without and with
validation; and the product of two matrices against OpenBLAS on one core (installs libopenblas-dev).
Each of our schedules must be proved. Draws docs/native.svg when all are measured; --svg FILE draws
those that are. Fails if a limit of docs/performance.md is exceeded. Takes about a quarter of an
hour on two idle cores.

blas: only the product against OpenBLAS.

search: `halidom tune --allow-bounds` from the algorithm alone, for 60 seconds or `--budget
SECONDS`, on twelve programs or the given ones, against the schedules of Halide's autoschedulers,
compiled by stock Halide, the program's `application`, compiled by stock Halide, and our `best`.
Adams2019 has the same time, in which it searches with several beams and seeds; the fastest of its
schedules counts.
All of them run in turn, in five rounds, with two threads or `--threads N`. Continues where it
ended: what was found is kept in target/search. Fails if a program takes more than 1.1 of the
fastest rival's time, if the geometric mean is above 0.75, or that of the ratios to `best` above
1.1. Calibrate first (`halidom tune --calibrate`), and leave the machine alone.

With --halide, `halidom tune --language python` searches for stock Halide, which compiles the found
schedule and that of Adams2019. Fails if the geometric mean is above 0.85.

With --transfer, tunes at five other sizes too, and times the schedule that was found at the first
size there. Fails if it takes more than 1.15 of the time of the schedule that was found for that
size.

With --model, measures random legal schedules of the programs, 250 of each or the given number, and
compares the times with the estimates: Spearman's coefficient of all and of the fastest quarter, and
the time of the best of the ten schedules with the lowest estimates, as a multiple of the fastest.
Four programs are held out: the model was not fitted to them. Fails if a coefficient is below 0.75
(0.6 for the fastest quarter) or that multiple above 1.1.

With --random, tunes 200 random pipelines, or the given number, for two threads or `--threads N`:
each must have a proved schedule after 10 seconds, and the median time must be at most 0.7 of the
unscheduled form's. Also prints the median of those whose unscheduled form takes three times as long
as moving the inputs and outputs once: the others are about as fast as memory is.
None of these is among the tables that `cargo xtask bench` prints.

public FOLDER: derives the programs and schedules of ATL's public repository, which is in FOLDER
(github.com/ChezJrk/verified-scheduling), and has Coq check each certificate. Times the C of the
certificate, and the code of `halidom build` where that is proved, against the C that
the repository makes, with one and two threads. Make that C first, with `make` in the folder's
`src`: there are two libraries, in `verified_scheduling/c/lib` and in
`verified_lowering/stringify/lib`, and one is enough. All C is compiled with the repository's
options (-O3 -ffast-math -fopenmp). Fails if a derivation is not certified, a result differs, or
both of our forms take more than 1.05 of the repository's time. Not among those tables either.

example: cargo xtask bench
example: cargo xtask bench atl
example: cargo xtask bench public ~/verified-scheduling
example: cargo xtask bench search --budget 20 blur harris
example: cargo xtask bench search --transfer --budget 20 unsharp
example: cargo xtask bench search --model 40 harris
example: cargo xtask bench search --random 20
example: cargo xtask bench native blur sc1 --svg target/two.svg",
    run,
    options: &[
        ("table1", Action::Alone(table1::run)),
        ("growth", Action::Alone(growth::run)),
        ("atl", Action::Alone(atl::run)),
        ("native", Action::Words(native::run)),
        ("blas", Action::Alone(blas::run)),
        ("search", Action::Words(search::run)),
        ("public", Action::Words(public::run)),
    ],
};

fn run() -> Result<(), Error> {
    table1::run()?;
    growth::run()?;
    atl::run()?;
    native::run(&[])
}
