//! Every program of Table 1 (`examples/table1/`) is proved under all its schedules. A run of
//! all tests proves a share of them, a sweep all.

use crate::common::{in_parallel, load, open, options};
use halidom_driver::compile::compile;
use halidom_driver::source::{Choice, schedule_names};
use halidom_testgen::sampled;
use halidom_validate::{Verdict, validate_refined};
use std::path::Path;

#[test]
fn the_programs_of_table_1_are_proved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/table1");
    let mut jobs = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("it can be listed").path();
        if path.extension().is_some_and(|extension| extension == "hal") {
            let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("the example exists");
            for (number, pipeline) in load(&name, &text).module.pipelines.iter().enumerate() {
                let names = schedule_names(pipeline).into_iter().filter(|name| *name != "default");
                jobs.extend(
                    names.map(|schedule| (name.clone(), text.clone(), number, schedule.to_owned())),
                );
            }
        }
    }
    let applications = jobs.iter().filter(|(.., schedule)| schedule == "application").count();
    assert!(applications >= 18, "{applications} programs");
    jobs.sort();
    let jobs = sampled(jobs, 18);
    let failures = in_parallel(&jobs, |(name, text, pipeline, schedule)| {
        let mut loaded = load(name, text);
        let index = loaded.schedule(*pipeline, Some(schedule)).expect("it has this schedule");
        let choice = Choice { pipeline: *pipeline, schedule: index };
        let algorithm = loaded.module.pipelines[*pipeline].algorithm.clone();
        let compiled =
            compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("the schedule is legal");
        let pool = &mut loaded.module.pool;
        let report =
            validate_refined(pool, &algorithm, &compiled.steps, &compiled.program, &options());
        let name = &algorithm.name;
        (report.verdict != Verdict::Proved)
            .then(|| format!("{name}, {schedule}: {:?}\n{}", report.verdict, open(&report)))
    });
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
