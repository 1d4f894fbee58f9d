//! Every file under `examples/` is proved under every schedule. `examples.rs` proves the files of
//! [`EXAMPLES`]. A run of all tests proves a share of the others, a sweep all.

use crate::common::{EXAMPLES, choices, every_example, in_parallel, load, open, options};
use halidom_driver::compile::compile;
use halidom_testgen::sampled;
use halidom_validate::{Verdict, validate_refined};

#[test]
fn every_schedule_of_every_example_is_proved() {
    let mut jobs = Vec::new();
    for (name, path) in every_example() {
        if EXAMPLES.contains(&&*name) {
            continue;
        }
        let text = std::fs::read_to_string(path).expect("the example exists");
        let count = choices(&load(&name, &text)).len();
        jobs.extend((0..count).map(|number| (name.clone(), text.clone(), number)));
    }
    assert!(jobs.len() >= 60, "{} schedules", jobs.len());
    let jobs = sampled(jobs, 24);
    let failures = in_parallel(&jobs, |(name, text, number)| {
        let mut loaded = load(name, text);
        let choice = choices(&loaded).swap_remove(*number);
        let schedule = loaded.schedule_of(&choice).name;
        let algorithm = loaded.module.pipelines[0].algorithm.clone();
        let compiled =
            compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("the schedule is legal");
        let pool = &mut loaded.module.pool;
        let report =
            validate_refined(pool, &algorithm, &compiled.steps, &compiled.program, &options());
        (report.verdict != Verdict::Proved)
            .then(|| format!("{name} under {schedule}: {:?}\n{}", report.verdict, open(&report)))
    });
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
