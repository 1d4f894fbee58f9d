//! Random programs × schedules × inputs: all ways to compute agree, and the validator refutes
//! nothing that is right.

use halidom_testgen::is_sweep;
use halidom_workshop::fuzz::{Kind, Options, Outcome, run};

fn fuzz(options: &Options) -> Outcome {
    run(options, &mut |_| {}).expect("a solver and a C compiler are installed")
}

#[test]
fn everything_that_computes_agrees() {
    let options = Options {
        programs: if is_sweep() { 48 } else { 12 },
        seed: 28,
        stop_after: 10,
        shrink: false,
        validate_one_in: 2,
        ..Options::default()
    };
    let outcome = fuzz(&options);
    let figures = &outcome.figures;
    let rate = figures.programs as f64 / outcome.time.as_secs_f64();
    println!("{figures:#?}, {:?}, {rate:.1} programs/s", outcome.spent);
    for undecided in &outcome.undecided {
        println!("unknown: seed {} {}: {}", undecided.seed, undecided.schedule, undecided.reason);
    }
    for finding in &outcome.disagreements {
        println!(
            "seed {} schedule {:?}: {}: {}\n{}\n{}",
            finding.seed,
            finding.schedule,
            finding.kind.name(),
            finding.what,
            finding.small.as_ref().unwrap_or(&finding.text),
            finding.inputs.as_deref().unwrap_or_default()
        );
    }
    assert!(outcome.disagreements.is_empty(), "{} disagreements", outcome.disagreements.len());
    // Every program runs at each of its steps under two completions, and natively, and is
    // validated.
    assert!(figures.steps > 3 * figures.programs, "{figures:?}");
    assert!(figures.directives_refused > 0, "{figures:?}");
    assert!(figures.random_completions * 4 > figures.steps * 3, "{figures:?}");
    assert!(figures.runs > figures.completions / 2, "{figures:?}");
    assert_eq!(figures.native, figures.compiles);
    let validated = figures.proved + figures.unknown;
    assert!(validated * 2 + 1 >= figures.compiles, "{figures:?}");
    assert!(figures.proved * 3 >= validated, "{figures:?}");
}

#[test]
fn the_outcome_does_not_depend_on_the_number_of_threads() {
    let options = |threads| Options {
        programs: if is_sweep() { 40 } else { 10 },
        seed: 500,
        threads,
        validate_one_in: 0,
        native_one_in: 0,
        ..Options::default()
    };
    let [one, three] = [1, 3].map(|threads| fuzz(&options(threads)));
    assert_eq!(one.figures, three.figures);
    assert_eq!(one.disagreements, three.disagreements);
}

#[test]
fn a_given_text_is_examined_under_its_schedules() {
    let text = "
        pipeline p(a: buffer<u8, 2>) -> out: buffer<u8, 2> {
            func f(x, y) = a(x, y) + a(x + 1, y);
            func out(x, y) = f(x, y) + f(x, y + 1);
        }
        schedule s for p { out.parallel(y); }
        schedule t for p { out.reorder(y, x); f.compute_at(out, y); }
    ";
    let options = Options { text: Some(text.to_owned()), programs: 1, ..Options::default() };
    let figures = fuzz(&options).figures;
    assert_eq!((figures.programs, figures.compiles, figures.proved), (1, 2, 2));
    // T₀ and one step for each directive; the step after `reorder` alone has nothing to refuse.
    assert_eq!((figures.steps, figures.steps_refused, figures.random_completions), (5, 0, 5));
    let text = Some(text.replace("f(x, y + 1)", "g(x, y + 1)"));
    let found = fuzz(&Options { text, ..options }).disagreements;
    assert_eq!(found.iter().map(|found| found.kind).collect::<Vec<_>>(), [Kind::FrontEnd]);
}
