//! The validator and the reference engine on small random programs and their mutants: neither
//! proves a program that the other refutes or that a run shows to be wrong.

use halidom_testgen::is_sweep;
use halidom_workshop::fuzz::engines::{Options, run};

#[test]
fn the_engines_never_contradict_each_other() {
    let programs = if is_sweep() { 16 } else { 8 };
    let options = Options { programs, seed: 10, cases: 6, mutants: 2, threads: 2 };
    let outcome = run(&options, &mut |_| {}).expect("a solver is installed");
    assert_eq!(outcome.contradictions, []);
    let figures = &outcome.figures;
    println!("{figures:#?}");
    let compiled = figures.compiled;
    assert!(compiled.programs() + 2 >= programs, "{figures:?}");
    // The comparison is meaningful: both engines prove most right programs, and there are wrong
    // mutants to refuse.
    assert!(
        10 * (compiled.both + compiled.reference_only) >= 6 * compiled.programs(),
        "{figures:?}"
    );
    assert!(figures.wrong.programs() * 2 >= programs, "{figures:?}");
}
