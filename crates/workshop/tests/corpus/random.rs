//! Random programs through stock Halide.

use halidom_workshop::stock::fuzz::{Kind, Options, run};

use crate::{is_whole, python};

#[test]
fn what_halide_makes_of_random_programs_is_read_and_not_wrongly_proved() {
    if python().is_none() {
        return;
    }
    let programs = if is_whole() { 400 } else { 16 };
    let options =
        Options { programs, seed: 1, cases: 4, threads: 2, stop_after: usize::MAX, shrink: false };
    let outcome = run(&options, &mut |_| {}).expect("Halide and a solver are there");
    let figures = &outcome.figures;
    let unknown: u64 = figures.unknown.values().sum();
    println!(
        "{} random programs: {} proved, {} refuted, {unknown} unknown; {} runs of compiled code",
        figures.programs, figures.proved, figures.refuted, figures.runs
    );
    for (reason, count) in &figures.not_borne_out {
        println!("refuted and not borne out {count}: {reason}");
    }
    for finding in &outcome.findings {
        println!("seed {}: {}: {}", finding.seed, finding.kind.name(), finding.what);
    }
    assert!(figures.proved + figures.refuted + unknown >= programs / 4, "{figures:?}");
    assert!(figures.runs > 0, "{figures:?}");
    let broken = [Kind::Reader, Kind::Proved];
    assert!(outcome.findings.iter().all(|finding| !broken.contains(&finding.kind)));
}
