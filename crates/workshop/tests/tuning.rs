//! The search for schedules: its winner is legal, proved, and read back as it was printed.

#[path = "../../driver/tests/all/common/mod.rs"]
mod common;

use std::path::Path;
use std::time::Duration;

use common::{example, load};
use halidom_driver::data::{self, Request};
use halidom_driver::source::Choice;
use halidom_driver::stock::Language;
use halidom_driver::{compile, judge};
use halidom_smt::{Family, Program};
use halidom_validate::{Floats, Verdict};
use halidom_workshop::tune::{self, Options, Reference, Rejection, TuneError, Tuning};

fn options(pipeline: usize, seconds: u64) -> Options {
    let mut judge = judge::Options::find().expect("a solver is installed");
    judge.asking.timeout = Duration::from_mins(1);
    let budget = Duration::from_secs(seconds);
    Options {
        pipeline,
        schedule: None,
        budget,
        proofs: Duration::from_mins(1),
        threads: Some(1),
        seed: 1,
        allow_bounds: false,
        estimates: true,
        halide: None,
        judge,
    }
}

fn request(size: &[i64]) -> Request {
    Request { random: Some(1), size: Some(size.to_vec()), ..Request::default() }
}

/// Appends the winner to its text, compiles and validates it.
fn is_proved(text: &str, tuning: &Tuning) {
    let whole = if tuning.winner.is_new {
        format!("{text}\n{}", tuning.winner.text)
    } else {
        text.to_owned()
    };
    let mut loaded = load("tuned", &whole);
    let schedule = loaded.schedule(0, Some(&tuning.winner.name)).expect("it has this schedule");
    let choice = Choice { pipeline: 0, schedule };
    let compiled = compile::compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("it is legal");
    let algorithm = &loaded.module.pipelines[0].algorithm;
    let options = options(0, 1).judge;
    let report = judge::judge(&loaded.module.pool, algorithm, &compiled, &options);
    assert_eq!(report.verdict, Verdict::Proved, "{}", tuning.winner.text);
}

#[test]
fn a_blur_is_tuned() {
    let text = example("blur");
    let loaded = load("blur", &text);
    let mut words = Vec::new();
    let mut progress = |line: &str| words.push(line.to_owned());
    let tuning = tune::run(&loaded, &options(0, 8), &request(&[128, 64]), &mut progress)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(tuning.reference, Reference::Interpreter);
    is_proved(&text, &tuning);
    let best = tuning.best().expect("the winner has a row");
    assert_eq!(best.schedule, tuning.winner.name);
    // The file's schedules have rows too.
    for name in ["tiled", "rows", "lines", "vectorized"] {
        assert!(tuning.rows.iter().any(|row| row.schedule == name), "{name}: {words:?}");
    }
    if tuning.winner.is_new {
        assert!(tuning.rows.iter().rev().skip(1).all(|row| row.median > best.median));
    }
    assert!(tuning.counts.tried > 0, "{:?}", tuning.counts);
    assert!(tuning.estimated.is_some_and(|(count, _)| count > 100), "{:?}", tuning.estimated);
    let judged: usize = Rejection::ALL.iter().map(|reason| tuning.counts.rejected(*reason)).sum();
    assert!(judged <= 2 * tuning.counts.tried + tuning.rows.len(), "{:?}", tuning.counts);
}

#[test]
fn a_search_begins_with_one_schedule() {
    let text = example("gemm");
    let loaded = load("gemm", &text);
    let schedule = loaded.schedule(0, Some("tiled")).expect("it has this schedule");
    let mut request = request(&[48, 32]);
    request.input_sizes = vec![("A".to_owned(), vec![48, 24]), ("B".to_owned(), vec![24, 32])];
    let tuning = tune::run(
        &loaded,
        &Options { schedule: Some(schedule), ..options(0, 4) },
        &request,
        &mut |_| {},
    )
    .unwrap_or_else(|error| panic!("{error}"));
    is_proved(&text, &tuning);
    let others: Vec<&str> = tuning.rows.iter().map(|row| row.schedule.as_str()).collect();
    assert!(others == ["tiled", "tuned"] || others == ["tiled"], "{others:?}");
}

#[test]
fn without_time_for_proofs_no_new_schedule_wins() {
    let text = example("blur");
    let loaded = load("blur", &text);
    let options = Options { proofs: Duration::ZERO, ..options(0, 3) };
    let tuning = tune::run(&loaded, &options, &request(&[128, 64]), &mut |_| {})
        .unwrap_or_else(|error| panic!("{error}"));
    is_proved(&text, &tuning);
    assert!(!tuning.winner.is_new, "{}", tuning.winner.text);
}

#[test]
fn an_input_is_as_large_as_its_fixed_coordinates_and_its_edges_require() {
    // The region that is needed depends on the input's own size, which is a guess at first.
    let text = "\
pipeline both(input: buffer<u8, 1>) -> output: buffer<u8, 1> {
    func edge = mirror_image(input);
    func output(x) = edge(x - 1) + input(2 * x);
}
";
    let mut loaded = load("both", text);
    let references = compile::references(&mut loaded, 0).expect("it is legal");
    let algorithm = loaded.module.pipelines[0].algorithm.clone();
    let prepared = data::prepare(&loaded.module.pool, &algorithm, &references, &request(&[40]))
        .unwrap_or_else(|error| panic!("{error}"));
    let input = prepared.bindings.input(algorithm.inputs[0]).expect("it was made");
    assert_eq!(input.shape[0], (0, 79));
    // An input that is three times as long as an image is wide is too large to be made.
    let cube = "\
pipeline cube(input: buffer<u8, 3>) -> output: buffer<u8, 2> {
    func output(x, y) = input(x, y, x);
}
";
    let mut loaded = load("cube", cube);
    let references = compile::references(&mut loaded, 0).expect("it is legal");
    let algorithm = loaded.module.pipelines[0].algorithm.clone();
    let prepare =
        |size: &[i64]| data::prepare(&loaded.module.pool, &algorithm, &references, &request(size));
    assert!(matches!(prepare(&[4096, 4096]), Err(data::DataError::TooLarge { .. })));
    assert!(prepare(&[64, 64]).is_ok());
}

#[test]
fn without_schedules_the_unscheduled_form_is_the_measure() {
    let text = "\
pipeline twice(input: buffer<u8, 1>) -> output: buffer<u8, 1> { func output(x) = 2 * input(x); }
";
    let loaded = load("twice", text);
    let tuning = tune::run(&loaded, &options(0, 3), &request(&[5000]), &mut |_| {})
        .unwrap_or_else(|error| panic!("{error}"));
    is_proved(text, &tuning);
    assert!(tuning.rows.iter().any(|row| row.schedule == "default"));
}

#[test]
fn a_schedule_whose_checks_fail_is_no_beginning() {
    let text = "\
pipeline shift(input: buffer<u8, 1>) -> output: buffer<u8, 1> { func output(x) = input(x); }
schedule four for shift { output.bound(x, 0, 4); }
";
    let loaded = load("shift", text);
    let run = |size| {
        tune::run(
            &loaded,
            &Options { schedule: Some(Some(0)), ..options(0, 2) },
            &request(&[size]),
            &mut |_| {},
        )
    };
    let Err(TuneError::Start { schedule, .. }) = run(8) else { panic!("it has no checks") };
    assert_eq!(schedule, "four");
    is_proved(text, &run(4).unwrap_or_else(|error| panic!("{error}")));
}

#[test]
fn what_is_not_proved_never_wins() {
    let text = example("blur");
    let loaded = load("blur", &text);
    let silent = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/solvers/silent");
    let solver = Program::find(Family::Z3, Some(&silent)).expect("it is there");
    let schedule = loaded.schedule(0, Some("rows")).expect("it has this schedule");
    let mut judge = judge::Options::new(solver);
    judge.asking.timeout = Duration::from_secs(1);
    let options = Options { judge, schedule: Some(schedule), ..options(0, 3) };
    match tune::run(&loaded, &options, &request(&[64, 32]), &mut |_| {}) {
        Err(TuneError::NotProved { tried, counts, .. }) => {
            assert!(tried > 0);
            // A proof of the best schedule is also asked for during the search.
            assert!(counts.rejected(Rejection::NotProved) >= tried);
        }
        Ok(tuning) => panic!("{} is proved without a solver", tuning.winner.text),
        Err(error) => panic!("{error}"),
    }
}

/// The unscheduled product of matrices would run for seconds.
#[test]
fn a_proposal_that_is_proved_takes_the_place_of_a_slow_unscheduled_form() {
    let text = example("gemm");
    let loaded = load("gemm", &text);
    let mut request = request(&[1024, 1024]);
    let square = vec![1024, 1024];
    request.input_sizes = vec![("A".to_owned(), square.clone()), ("B".to_owned(), square)];
    let options = Options { schedule: Some(None), allow_bounds: true, ..options(0, 4) };
    let mut words = Vec::new();
    let mut progress = |line: &str| words.push(line.to_owned());
    let tuning = tune::run(&loaded, &options, &request, &mut progress)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(tuning.reference, Reference::Proposed, "{words:?}");
    assert!(tuning.rows.iter().all(|row| row.schedule != "default"), "{words:?}");
    is_proved(&text, &tuning);
}

/// The fastest schedules sum in another order, which equality bit for bit does not permit.
#[test]
fn a_proved_schedule_wins_over_faster_ones_that_are_not() {
    let text = "\
pipeline total(a: buffer<f32, 3>) -> s: buffer<f32, 1> {
    fast_math;
    func s(x): f32 {
        s(x) = 0;
        for (j, k) in (0..512, 0..512) { s(x) += a(k, j, x); }
    }
}
schedule swapped for total { s.update(1).reorder(k, j); }
";
    let loaded = load("total", text);
    let mut options = options(0, 3);
    options.judge.floats = Some(Floats::Bits);
    options.judge.asking.timeout = Duration::from_secs(1);
    let mut request = request(&[4]);
    request.input_sizes = vec![("a".to_owned(), vec![512, 512, 4])];
    let mut words = Vec::new();
    let mut progress = |line: &str| words.push(line.to_owned());
    let tuning = tune::run(&loaded, &options, &request, &mut progress);
    let tuning = tuning.unwrap_or_else(|error| panic!("{error:?}: {words:#?}"));
    assert!(tuning.counts.rejected(Rejection::NotProved) > 0, "{:?}", tuning.counts);
    let time =
        |name: &str| tuning.rows.iter().find(|row| row.schedule == name).map(|row| row.median);
    assert!(time("swapped") < time(&tuning.winner.name), "{:?}", tuning.rows);
    assert_eq!(tuning.winner.verdict.word().name(), "proved");
}

/// The search for stock Halide times Halide's code and proves what Halide compiles.
#[test]
fn a_schedule_for_stock_halide_is_proved() {
    if !halidom_halide::bridge::is_installed() {
        println!("skipped: there is no Python with Halide");
        return;
    }
    let text = "\
pipeline twice(input: buffer<u8, 1>) -> output: buffer<u8, 1> { func output(x) = 2 * input(x); }
schedule wide for twice { output.vectorize(x, 16); }
";
    let loaded = load("twice", text);
    let options =
        Options { schedule: Some(Some(0)), halide: Some(Language::Cpp), ..options(0, 10) };
    let tuning = tune::run(&loaded, &options, &request(&[5000]), &mut |_| {})
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(tuning.winner.verdict.is_proved());
    assert_eq!(tuning.differing, Vec::<String>::new());
    let script = tuning.winner.script.expect("Halide compiles a script");
    assert!(script.contains("def pipeline():"), "{script}");
    assert!(tuning.winner.text.lines().all(|line| line.ends_with(';')), "{}", tuning.winner.text);
}
