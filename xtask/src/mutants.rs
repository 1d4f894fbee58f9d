//! `cargo xtask mutants`: the validator's verdicts on programs with one defect each, made from all
//! examples.

use crate::error::Error;
use crate::process::{self, cargo};
use crate::setup;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "mutants",
    summary: "validates 3,000 mutants of all examples and prints the verdicts: no wrong program is \
              proved",
    help: "\
Installs what is missing and runs the test `mutants` of halidom-driver on every example under every
schedule, with small factors, and its tests of wrong rewritings on all mutants of rewritings. The
mutants are final programs, structured programs before lowering, specifications and annotations,
each changed in one place. Each mutant runs on two hundred inputs and is validated. Prints each
mutant that is not refuted, a table by kind of mutant, the reasons why mutants are proved or
unknown, and the kinds of obligations that alone keep mutants from being proved. Fails if a mutant
is proved that a run shows to be wrong, if annotations can be found that prove such a mutant, or if
fewer than nine in ten of the mutants that a run shows to be wrong are refuted. Takes most of an
hour on two cores.

With --stock, changes the structure of statements from stock Halide's compiler instead: frees,
conditions, predicates, kinds and bounds of loops, semaphores, barriers, alignments, order,
assertions, names, buffers, types, lanes (docs/stock-halide.md lists the kinds). The literal machine
runs each mutant, and the validator judges it. Prints a table by kind. Fails if a mutant is proved
that the machine shows to be wrong, or if fewer than six in ten of the mutants that it shows to be
wrong are refuted. Results are kept in target/stock-mutants, so that an interrupted run can
continue; mutants that are proved and wrong are written to findings/stock-mutants.
HALIDOM_STOCK_MUTANTS=N makes about N mutants instead of 6,000. HALIDOM_STOCK_MUTANTS_OF=TEXT and
HALIDOM_STOCK_MUTANTS_KIND=TEXT restrict them to statements and kinds with TEXT in their names.
HALIDOM_STOCK_MUTANTS_TOLD=1 prints the result of each.

Without --stock, HALIDOM_MUTANTS=N makes N mutants, HALIDOM_MUTANTS_OF=TEXT restricts them to
examples with TEXT in their names, and HALIDOM_TEST_DETAILS=1 prints the open obligations.

example: cargo xtask mutants
example: HALIDOM_MUTANTS=100 HALIDOM_MUTANTS_OF=table1/blur cargo xtask mutants
example: cargo xtask mutants --stock",
    run,
    options: &[("--stock", crate::Action::Alone(stock))],
};

/// A sweep: the test that runs it and its package, the variable that sets the number of mutants,
/// and this number.
struct Sweep {
    package: &'static str,
    test: &'static str,
    variable: &'static str,
    mutants: &'static str,
}

/// Mutants of all examples together.
const OWN: Sweep = Sweep {
    package: "halidom-driver",
    test: "mutants",
    variable: "HALIDOM_MUTANTS",
    mutants: "3000",
};
/// Mutants of all statements together.
const STOCK: Sweep = Sweep {
    package: "halidom-workshop",
    test: "stock_mutants",
    variable: "HALIDOM_STOCK_MUTANTS",
    mutants: "6000",
};

fn run() -> Result<(), Error> {
    setup::ensure()?;
    OWN.run()?;
    let words = ["test", "--release", "--package", OWN.package, "--test", "all", "rewritings"];
    process::run(cargo(&words).env(OWN.variable, OWN.mutants)).map(drop)
}

fn stock() -> Result<(), Error> {
    setup::ensure()?;
    setup::ensure_halide()?;
    STOCK.run()
}

impl Sweep {
    fn run(&self) -> Result<(), Error> {
        let Self { package, test, variable, mutants } = self;
        let mut command = cargo(&["test", "--release", "--package", package, "--test", test]);
        command.args(["--", "--nocapture"]);
        if std::env::var_os(variable).is_none() {
            command.env(variable, mutants);
        }
        process::run(&mut command).map(drop)
    }
}
