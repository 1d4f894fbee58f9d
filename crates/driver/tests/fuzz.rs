//! Random programs × schedules × inputs: everything that can compute agrees, and the validator refutes nothing that is right.

use halidom_driver::fuzz::{Options, run};

#[test]
fn everything_that_computes_agrees() {
    let options =
        Options { programs: 200, seed: 1, schedules: 1, stop_after: 10, ..Options::default() };
    let outcome = run(&options, &mut |_| {}).expect("a solver and a C compiler are installed");
    let figures = outcome.figures;
    let rate = figures.programs as f64 / outcome.time.as_secs_f64();
    println!("{figures:?}, {rate:.1} programs/s");
    for undecided in &outcome.undecided {
        println!("unknown: seed {} {}: {}", undecided.seed, undecided.schedule, undecided.reason);
    }
    for finding in &outcome.disagreements {
        println!(
            "seed {} schedule {:?}: {}\n{}\n{}",
            finding.seed,
            finding.schedule,
            finding.what,
            finding.text,
            finding.inputs.as_deref().unwrap_or_default()
        );
    }
    assert!(outcome.disagreements.is_empty(), "{} disagreements", outcome.disagreements.len());
    let validated = figures.proved + figures.unknown;
    assert!(validated >= 300 && figures.native >= 300 && figures.refused > 0, "{figures:?}");
    assert!(figures.unknown * 4 <= validated, "{} of {validated} unknown", figures.unknown);
}
