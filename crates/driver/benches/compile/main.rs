//! Measures the time of a compile, phase by phase, from the pipeline's text to the C text, without
//! validation.
//!
//! `cargo bench -p halidom-driver --bench compile` prints tables for families of growing pipelines,
//! with the ratio to the previous size, and for every example. `-- NAME…` restricts it to the given
//! names.
#![expect(clippy::print_stdout, clippy::panic, reason = "a program for the command line")]

mod families;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use families::FAMILIES;
use halidom_codegen::Target;
use halidom_driver::compile::compile;
use halidom_driver::source::{self, Choice, DEFAULT_SCHEDULE};

/// The columns. Most are names of stages; each shows the time since the one before. `parse` and
/// `emit` are measured separately. `verify` is the time of the verifier after all stages.
const PHASES: [&str; 14] = [
    "parse",
    "holes",
    "bounds",
    "flatten_storage",
    "dense_rows",
    "simplify",
    "vectorize",
    "unroll",
    "cse",
    "hoist",
    "dead_lets",
    "final",
    "verify",
    "emit",
];

struct Cost {
    phases: [Duration; PHASES.len()],
    expressions: usize,
    bytes: usize,
}

impl Cost {
    fn total(&self) -> Duration {
        self.phases.iter().sum()
    }
}

fn measure(name: &str, text: &str, schedule: &str) -> Cost {
    let mut phases = [Duration::ZERO; PHASES.len()];
    let mut add = |phase: &str, time: Duration| {
        if let Some(position) = PHASES.iter().position(|other| *other == phase) {
            phases[position] += time;
        }
    };
    let mut last = Instant::now();
    let mut loaded = source::parse(name, text);
    assert!(loaded.module.diagnostics.is_empty(), "{name}: {:?}", loaded.module.diagnostics);
    add("parse", last.elapsed());
    let schedule = loaded.schedule(0, Some(schedule).filter(|name| *name != DEFAULT_SCHEDULE));
    let choice = Choice {
        pipeline: 0,
        schedule: schedule.unwrap_or_else(|error| panic!("{name}: {error:?}")),
    };
    let compiled = compile(&mut loaded, &choice, &mut |_, _, _| {});
    let compiled = compiled.unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    let mut since = Duration::ZERO;
    for stage in &compiled.stages {
        since += stage.time;
        if PHASES.contains(&stage.name) {
            add(stage.name, std::mem::take(&mut since));
        }
        add("verify", stage.verifying);
    }
    last = Instant::now();
    let pool = &loaded.module.pool;
    let module = halidom_codegen::emit(pool, &compiled.program, &Target::host());
    let module = module.unwrap_or_else(|error| panic!("{name}: {error}"));
    add("emit", last.elapsed());
    Cost { phases, expressions: pool.expr_count(), bytes: module.text.len() }
}

fn headings() {
    print!("{:34} {:>9} {:>6} {:>9} {:>9}", "ms", "total", "ratio", "exprs", "C bytes");
    for phase in PHASES {
        print!(" {:>9}", phase.get(..9).unwrap_or(phase));
    }
    println!();
}

fn row(name: &str, cost: &Cost, before: Option<&Cost>) {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let ratio = before.map_or_else(String::new, |before| {
        format!("{:.2}", cost.total().as_secs_f64() / before.total().as_secs_f64())
    });
    print!("{name:34} {:9.2} {ratio:>6} {:9} {:9}", ms(cost.total()), cost.expressions, cost.bytes);
    for phase in cost.phases {
        print!(" {:9.2}", ms(phase));
    }
    println!();
}

fn examples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files = Vec::new();
    for folder in [root.clone(), root.join("applications")] {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{error}"));
        files.extend(
            entries
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| path.extension().is_some_and(|end| end == "hal")),
        );
    }
    files.sort();
    files
}

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let is_wanted =
        |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    headings();
    for family in FAMILIES {
        for schedule in family.schedules {
            let mut before = None;
            for size in family.sizes {
                let name = format!("{} {schedule} {size}", family.name);
                if is_wanted(&name) {
                    let cost = measure(&name, &(family.text)(*size), schedule);
                    row(&name, &cost, before.as_ref());
                    before = Some(cost);
                }
            }
        }
    }
    for path in examples() {
        let stem =
            path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{error}"));
        let loaded = source::parse(&stem, text.as_str());
        for schedule in source::schedule_names(&loaded.module.pipelines[0]) {
            let name = format!("{stem} {schedule}");
            if is_wanted(&name) {
                row(&name, &measure(&stem, &text, schedule), None);
            }
        }
    }
}
