//! Programs that stock Halide 21.0.0 compiles wrongly: they are refuted, the compiled code confirms
//! it, and the pass at fault is named. Also tests memory that is filled anew in each iteration, and
//! memory that only looks like it.
//!
//! The wrongly compiled programs are in `../shared/halide21/miscompiles` next to the repository and
//! need the project's Python with Halide. Without these, the test prints a message and checks
//! nothing.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Note, Outcome, Replay, Request, bridge};
use halidom_testgen::sampled;
use halidom_validate::Verdict;

/// Scripts, each with the first pass after which the statement is wrong. If the schedule is at
/// fault, that is the first pass whose statement can be run.
const MISCOMPILES: [(&str, &str); 4] = [
    ("first_index", "loop trimming"),
    ("tuple_update", "destructuring tuple-valued realizations"),
    ("widening_negate", "finding intrinsics"),
    ("fuse_reorders", "computation bounds inference"),
];

fn has_halide() -> bool {
    bridge::find().is_ok_and(|python| {
        let probe = Command::new(python).args(["-c", "import halide"]).output();
        probe.is_ok_and(|output| output.status.success())
    })
}

/// A job for a script under `tests/halide`. Without Halide it prints a message and returns `None`.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn job_of(script: &str) -> Option<bridge::Job> {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return None;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/halide");
    Some(bridge::Job::of(bridge::Origin::Script(root.join(script))))
}

#[test]
fn miscompiles_are_refuted_in_the_compiled_code_and_their_pass_is_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join(".venv/bin/python");
    let scripts = root.join("../shared/halide21/miscompiles");
    if !python.is_file() || !scripts.is_dir() {
        eprintln!("skipped: there is not both {} and {}", python.display(), scripts.display());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (script, pass) in sampled(MISCOMPILES, 9) {
        let made = Command::new(&python)
            .arg(scripts.join(script).with_extension("py"))
            .arg(folder.path())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .unwrap();
        if !made.status.success() {
            eprintln!("skipped: {}", String::from_utf8_lossy(&made.stderr));
            return;
        }
        let file = folder.path().join(script).with_extension("hlpipe");
        let stock = stock::read(&Request::of(&file)).unwrap();
        let subject = &stock.subject;
        let options = Options::find().unwrap().of_stock();
        let report =
            crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
        let Verdict::Refuted(counterexample) = &report.verdict else {
            panic!("{script}: {:?}", report.verdict)
        };
        let replay = stock::replay(&stock, counterexample);
        assert!(matches!(replay, Replay::Wrong { .. }), "{script}: {replay:?}");
        let dump = stock::dump(&stock).unwrap();
        let steps = stock::passes(&stock, &dump, counterexample).unwrap();
        let wrong = steps.iter().find(|step| step.outcome == Outcome::Wrong);
        assert_eq!(wrong.map(|step| step.pass.as_str()), Some(pass), "{script}: {steps:?}");
        // The script prints its second compile, in which Halide counts its names on.
        let text = Some(folder.path().join(script).with_extension("stmt"));
        let printed = stock::read(&Request { statement: text, ..Request::of(&file) }).unwrap();
        let subject = &printed.subject;
        let mut report =
            crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
        let replay = stock::bear_out(&printed, &mut report, None).unwrap();
        assert!(matches!(replay, Some(Replay::Wrong { .. })), "{script}: {replay:?}");
        assert!(matches!(report.verdict, Verdict::Refuted(_)), "{script}: {:?}", report.verdict);
        assert!(stock::dump(&printed).is_some(), "{script}");
    }
}

/// The output's constraints in these pipelines mention the shapes of inputs.
#[test]
fn compiled_code_of_a_matrix_product_is_run_from_its_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let rows = root.join("../shared/halide21/table1");
    if !rows.is_dir() || !has_halide() {
        eprintln!("skipped: there is not both {} and a Python with Halide", rows.display());
        return;
    }
    for row in sampled(["sgemm", "sgemmTA", "sgemmTB", "sgemmTAB"], 6) {
        let folder = rows.join(row);
        let mut request = Request::of(&folder.join(row).with_extension("hlpipe"));
        request.statement = Some(folder.join("stock.stmt"));
        let stock = stock::read(&request).unwrap();
        let confirmed = stock::confirm(&stock, 1, 3).unwrap();
        assert_eq!(confirmed.wrong, None, "{row}");
        assert!(confirmed.runs >= 3, "{row}: {} runs", confirmed.runs);
    }
}

#[test]
fn memory_that_tiles_fill_one_after_the_other_holds_nothing_of_the_tile_before() {
    let Some(job) = job_of("pipelines/tiles_in_one_memory.py") else { return };
    let folder = tempfile::tempdir().unwrap();
    let statement = job.compile(folder.path()).unwrap().statement;
    let first = "     for (ahead.s0.x.rebased, 0, 17) {\n";
    let line = statement.lines().find(|line| line.trim().starts_with("ahead[")).unwrap();
    let filled = format!("{first}{line}\n     }}\n");
    // The same with fewer elements, and only in the first tile.
    let short = filled.replace("0, 17)", "0, 16)");
    let once = filled.replace("     ", "      ");
    let once = format!("     if (out.s0.x.xo == 0) {{\n{once}     }}\n");
    for (label, text, proved) in
        [("as it is", &filled, true), ("short", &short, false), ("once", &once, false)]
    {
        let changed = statement.replace(&filled, text);
        assert_eq!(changed == statement, proved, "{label}: {statement}");
        let path = folder.path().join("changed.stmt");
        std::fs::write(&path, changed).unwrap();
        let request = Request { statement: Some(path), ..Request::of_job(job.clone()) };
        let stock = stock::read(&request).unwrap();
        let note = |note: &Note| matches!(note, Note::Lifetime(words) if words.contains("ahead"));
        assert!(stock.notes.iter().any(note), "{label}: {:?}", stock.notes);
        let subject = &stock.subject;
        let options = Options::find().unwrap().of_stock();
        let report =
            crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
        assert_eq!(report.verdict == Verdict::Proved, proved, "{label}: {:?}", report.verdict);
    }
}

/// If two conversions become one, a float outside the narrow type must get the value that the two
/// give. Clamping it to the narrow type gives another value.
#[test]
fn floats_beyond_a_narrow_integer_wrap() {
    let Some(job) = job_of("pipelines/narrowed_float.py") else { return };
    let folder = tempfile::tempdir().unwrap();
    let statement = job.compile(folder.path()).unwrap().statement;
    assert!(statement.contains("= uint8(max(min(a["), "{statement}");
    let within = statement.replace("65535.000000f", "255.000000f");
    for (text, is_right) in [(&statement, true), (&within, false)] {
        let path = folder.path().join("changed.stmt");
        std::fs::write(&path, text).unwrap();
        let request = Request { statement: Some(path), ..Request::of_job(job.clone()) };
        let stock = stock::read(&request).unwrap();
        let subject = &stock.subject;
        let options = Options::find().unwrap().of_stock();
        let report =
            crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
        assert_eq!(report.verdict == Verdict::Proved, is_right, "{:?}", report.verdict);
        if is_right {
            let confirmed = stock::confirm(&stock, 1, 6).unwrap();
            assert_eq!(confirmed.wrong, None);
        }
    }
}

/// Miscompiles of Halide 21.0.0 that random programs and Halide's own tests showed: the pipeline,
/// and the pass after which it is wrong.
const FOUND: [(&str, &str); 7] = [
    ("miscompiled/negative_multiple.py", "first simplification"),
    ("miscompiled/undefined_in_a_tuple.py", "second simplification"),
    ("miscompiled/ring_of_an_update.py", "storage flattening"),
    ("miscompiled/masked_and_shifted.py", "discarding safe promises"),
    ("miscompiled/sum_of_slices.py", "vectorizing"),
    ("miscompiled/blend_twice.py", "partitioning loops"),
    ("miscompiled/slides_over_an_update.py", "storage folding"),
];

#[test]
fn what_sweeps_found_is_refuted_in_the_compiled_code_and_its_pass_is_named() {
    for (script, pass) in FOUND {
        let Some(job) = job_of(script) else { return };
        let stock = stock::read(&Request::of_job(job)).unwrap();
        let subject = &stock.subject;
        let options = Options::find().unwrap().of_stock();
        let report =
            crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
        let Verdict::Refuted(counterexample) = &report.verdict else {
            panic!("{script}: {:?}", report.verdict)
        };
        let replay = stock::replay(&stock, counterexample);
        assert!(matches!(replay, Replay::Wrong { .. }), "{script}: {replay:?}");
        let dump = stock::dump(&stock).unwrap();
        let steps = stock::passes(&stock, &dump, counterexample).unwrap();
        let wrong = steps.iter().find(|step| step.outcome == Outcome::Wrong);
        assert_eq!(wrong.map(|step| step.pass.as_str()), Some(pass), "{script}: {steps:?}");
    }
}

#[test]
fn reads_beyond_memory_that_no_output_shows_are_seen() {
    let Some(job) = job_of("pipelines/rfactor_in_vectors.py") else { return };
    let stock = stock::read(&Request::of_job(job)).unwrap();
    let subject = &stock.subject;
    let options = Options::find().unwrap().of_stock();
    let mut report =
        crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
    let Verdict::Refuted(counterexample) = report.verdict.clone() else {
        panic!("{:?}", report.verdict)
    };
    assert!(counterexample.got.contains("is out of bounds"), "{}", counterexample.got);
    let replay = stock::bear_out(&stock, &mut report, None).unwrap();
    let Some(Replay::Faults(seen)) = replay else { panic!("{replay:?}") };
    assert_eq!(seen, "AddressSanitizer: stack-buffer-overflow, READ of size 64");
    assert!(matches!(report.verdict, Verdict::Refuted(_)), "{:?}", report.verdict);
}

/// LLVM may round the bounds of a region, or the check of an input, otherwise than the pipeline
/// rounds the coordinate that is read. A strict float that becomes a value is judged.
#[test]
fn places_that_only_the_pipeline_rounds_are_not_judged() {
    let Some(job) = job_of("replays/bounds_of_floats.py") else { return };
    let mut jobs = vec![(job, false)];
    let folder = tempfile::tempdir().unwrap();
    let at = |inner: &str| format!("hl.i32(hl.strict_float(hl.floor({inner})))");
    let tiled = "; out.split(x, xo, xi, 8); f.compute_at(out, xo)";
    for (number, (line, is_judged)) in [
        (format!("out[x] = a[{}]", at("x*0.3 + 3.0")), false),
        (format!("out[x] = f[{}]{tiled}", at("x*0.3 + 3.0")), false),
        (format!("out[x] = f[{}]{tiled}", at("x / 3.3")), false),
        ("out[x] = a[x] + hl.i32(hl.strict_float(b[x]*0.3 + 3.0))".to_owned(), true),
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.path().join(format!("script_{number}.py"));
        let text = format!(
            "import halide as hl\ndef pipeline():\n    \
             x, xo, xi = hl.Var('x'), hl.Var('xo'), hl.Var('xi')\n    \
             a, b = hl.ImageParam(hl.Int(32), 1, 'a'), hl.ImageParam(hl.Float(32), 1, 'b')\n    \
             f, out = hl.Func('f'), hl.Func('out')\n    f[x] = a[x]\n    {line}\n    return out\n"
        );
        std::fs::write(&path, text).unwrap();
        jobs.push((bridge::Job::of(bridge::Origin::Script(path)), is_judged));
    }
    for (job, is_judged) in jobs {
        let read = stock::read(&Request::of_job(job));
        let said = read.as_ref().err().map(|error| format!("{error:?}"));
        assert_eq!(said.is_none(), is_judged, "{said:?}");
        assert!(said.is_none_or(|said| said.contains("strict in the pipeline")));
    }
}

/// LLVM rounds the bounds of what is computed, and the place that is read is strict. Runs of the
/// code show that it reads an element that nobody has written. Where everything that is read is the
/// caller's, no run shows that.
#[test]
fn runs_refute_a_compile_that_is_not_judged() {
    let Some(job) = job_of("replays/bounds_of_floats.py") else { return };
    let request = Request::of_job(job);
    let refusal = stock::read(&request).unwrap_err();
    let found = stock::unwritten(&request, &refusal, None).unwrap().unwrap().found.unwrap();
    let values = found.got.split([' ', ':']).filter(|word| word.parse::<i64>().is_ok());
    assert_ne!(found.expected, "", "{found:?}");
    assert_eq!(values.take(2).collect::<Vec<_>>(), ["0", "2139062143"], "{found:?}");

    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.py");
    let text = "import halide as hl\ndef pipeline():\n    \
        x = hl.Var('x')\n    \
        scale = hl.Param(hl.Float(32), 'scale')\n    \
        a, out = hl.ImageParam(hl.Int(32), 1, 'a'), hl.Func('out')\n    \
        at = hl.i32(hl.strict_float(hl.ceil((x + 0.5)*hl.strict_float(1.0/scale) - 3.0)))\n    \
        out[x] = a[hl.clamp(at, 0, 99)]\n    \
        return out\n";
    std::fs::write(&script, text).unwrap();
    let request = Request::of_job(bridge::Job::of(bridge::Origin::Script(script)));
    let refusal = stock::read(&request).unwrap_err();
    let until = Instant::now() + Duration::from_secs(4);
    let searched = stock::unwritten(&request, &refusal, Some(until)).unwrap().unwrap();
    assert!(searched.runs > 0 && searched.found.is_none(), "{searched:?}");

    // A refusal for another reason does not start a search.
    let missing = Request::of_job(bridge::Job::of(bridge::Origin::Script("missing.py".into())));
    let refusal = stock::read(&missing).unwrap_err();
    assert!(stock::unwritten(&missing, &refusal, None).is_none());
}

#[test]
fn sums_of_signed_integers_are_proved_and_other_sums_are_not() {
    let Some(job) = job_of("pipelines/undefined_init.py") else { return };
    let folder = tempfile::tempdir().unwrap();
    let statement = job.compile(folder.path()).unwrap().statement;
    for (change, is_right) in
        [(("+ 1", "+ 1"), true), (("+ 1", "+ 2"), false), (("*2", "*3"), false)]
    {
        let changed: Vec<String> = statement
            .lines()
            .map(|line| {
                let (before, after) = change;
                if line.contains("] = ") { line.replace(before, after) } else { line.to_owned() }
            })
            .collect();
        let changed = changed.join("\n") + "\n";
        assert_eq!(changed == statement, is_right, "{change:?}: {statement}");
        let path = folder.path().join("changed.stmt");
        std::fs::write(&path, changed).unwrap();
        let request = Request { statement: Some(path), ..Request::of_job(job.clone()) };
        let stock = stock::read(&request).unwrap();
        let options = Options::find().unwrap().of_stock();
        let judged = stock::judged(&stock, stock::Annotations::Fallback, &mut |subject| {
            crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
        });
        let report = judged.report;
        assert_eq!(report.verdict == Verdict::Proved, is_right, "{change:?}: {:?}", report.verdict);
        assert_eq!(report.notes.iter().any(|note| note.contains("that wrap")), is_right);
    }
}

/// A func that is written to a file is judged like any other, and the verdict says that the file is
/// not.
#[test]
fn funcs_that_are_written_to_files_are_judged() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.py");
    // The columns of `f` are contiguous, and `g` is freed before `f` is written.
    let text = "import halide as hl\ndef pipeline():\n    x, y = hl.Var('x'), hl.Var('y')\n    \
                a, f, g, out = hl.ImageParam(hl.Int(32), 1, 'a'), hl.Func('f'), hl.Func('g'), \
                hl.Func('out')\n    f[x, y] = a[x] * 5 + y\n    \
                g[x, y] = f[x, y] + f[x + 1, y]\n    \
                out[x, y] = f[x, y] + g[x, y]\n    \
                f.compute_root().reorder_storage(y, x).debug_to_file('f.npy')\n    \
                g.compute_root().debug_to_file('g.npy')\n    out.debug_to_file('out.npy')\n    \
                return out\n";
    std::fs::write(&script, text).unwrap();
    let job = bridge::Job::of(bridge::Origin::Script(script));
    let statement = job.compile(folder.path()).unwrap().statement;
    assert!(statement.contains("debug_to_file("), "{statement}");
    for (text, is_right) in [(statement.clone(), true), (statement.replace("*5", "*6"), false)] {
        let path = folder.path().join("changed.stmt");
        std::fs::write(&path, text).unwrap();
        let request = Request { statement: Some(path), ..Request::of_job(job.clone()) };
        let stock = stock::read(&request).unwrap();
        let options = Options::find().unwrap().of_stock();
        let judged = stock::judged(&stock, stock::Annotations::Never, &mut |subject| {
            crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
        });
        let report = judged.report;
        assert_eq!(report.verdict == Verdict::Proved, is_right, "{:?}", report.verdict);
        assert!(stock.notes.iter().any(|note| note.to_string().contains("debug_to_file")));
    }
}

/// Windows that move by less than an element in an iteration are proved, with the checks of their
/// folds left out, and refused where the fold is too small, a row is missing, or another one is
/// read.
#[test]
fn rings_and_stages_that_write_a_part_are_proved_and_wrong_ones_are_not() {
    let cases = [
        ("fold_that_is_checked", [(" % 8)", " % 1)"), ("/2) + 1) % 8", "/2) + 2) % 8")]),
        ("rounded_within_rounded", [("ramp(68, 1, 8)", "ramp(60, 1, 8)"), ("0, 10)", "0, 9)")]),
        ("slides_at_half_the_rate", [(" % 4)", " % 1)"), ("/2) + 1) % 4", "/2) + 2) % 4")]),
        ("ring_on_the_stack", [(" % 4)*2\n", " % 2)*2\n"), (" + 3) % 4)", " + 2) % 4)")]),
        ("stages_under_conditions", [("if (two.used)", "if ((uint1)first)"), ("6)5", "6)6")]),
        ("tail_of_guards", [("if (5 < (", "if (6 < ("), ("% 8) == 7", "% 8) == 6")]),
    ];
    for (script, changes) in sampled(cases, 3) {
        let Some(job) = job_of(&format!("pipelines/{script}.py")) else { return };
        let folder = tempfile::tempdir().unwrap();
        let statement = job.compile(folder.path()).unwrap().statement;
        assert_eq!(statement.contains(".head"), script == "fold_that_is_checked");
        for (before, after) in changes.into_iter().chain([("", "")]) {
            let changed = statement.replace(before, after);
            let is_right = changed == statement;
            assert_eq!(is_right, before.is_empty(), "`{before}` is not in {statement}");
            let path = folder.path().join("changed.stmt");
            std::fs::write(&path, changed).unwrap();
            let request = Request { statement: Some(path), ..Request::of_job(job.clone()) };
            let stock = stock::read(&request).unwrap();
            let options = Options::find().unwrap().of_stock();
            let judged = stock::judged(&stock, stock::Annotations::Never, &mut |subject| {
                crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
            });
            let verdict = judged.report.verdict;
            assert_eq!(verdict == Verdict::Proved, is_right, "{script}, {after}: {verdict:?}");
        }
    }
}

/// Pipelines as lines of a script, each with an edit that makes its statement wrong.
const OWING_NOTHING: [(&str, &str, [&str; 2]); 5] = [
    (
        "a comparison of NaNs",
        "    out[x] = hl.select(f[x] == f[x], 1, 2)",
        ["rebased] = 1", "rebased] = 3"],
    ),
    (
        "the lesser of NaNs",
        "    out[x] = hl.select(hl.min(f[x], f[x + 1]) <= f[x], 1, 2)",
        ["rebased] = 1", "rebased] = 3"],
    ),
    (
        "a clamped NaN",
        "    out[x] = hl.i32(hl.min(hl.max(f[x], 0.0), 255.0) + 0.5)",
        ["255.000000f", "254.000000f"],
    ),
    (
        "a NaN on the way, of a parameter",
        "    out[x] = hl.select(hl.sqrt(p * hl.f32(x)) == hl.sqrt(p * hl.f32(x)), 1, 2)",
        ["rebased] = 1", "rebased] = 3"],
    ),
    (
        "integers that overflow",
        "    out[x] = hl.i32(hl.f32(hl.max(x, y) * c) * p)\n    out.bound(c, 0, 3).reorder(c, x, \
            y).unroll(c).vectorize(x, 16)",
        ["x16((uint32)1)", "x16((uint32)2)"],
    ),
];

#[test]
fn runs_on_which_a_pipeline_owes_nothing_refute_nothing() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (number, (label, lines, [right, wrong])) in OWING_NOTHING.into_iter().enumerate() {
        let path = folder.path().join(format!("script_{number}.py"));
        let lines = if lines.contains("unroll") {
            lines.replace("[x]", "[x, y, c]")
        } else {
            lines.to_owned()
        };
        let text = format!(
            "import halide as hl\ndef pipeline():\n    x, y, c = hl.Var('x'), hl.Var('y'), \
                hl.Var('c')\n    \
             f, p, out = hl.ImageParam(hl.Float(32), 1, 'f'), hl.Param(hl.Float(32), 'p'), \
             hl.Func('out')\n\
             {lines}\n    return out\n"
        );
        std::fs::write(&path, text).unwrap();
        let job = bridge::Job::of(bridge::Origin::Script(path));
        let made = folder.path().join(format!("made_{number}"));
        std::fs::create_dir(&made).unwrap();
        let statement = job.compile(&made).unwrap().statement;
        let changed = statement.replace(right, wrong);
        assert_ne!(changed, statement, "{label}");
        for (text, is_right) in [(&statement, true), (&changed, false)] {
            let path = made.join("changed.stmt");
            std::fs::write(&path, text).unwrap();
            let request = Request { statement: Some(path), ..Request::of_job(job.clone()) };
            let stock = stock::read(&request).unwrap();
            let subject = &stock.subject;
            let options = Options::find().unwrap().of_stock();
            let report = crate::common::judge(
                &subject.pool,
                &subject.algorithm,
                &subject.compiled,
                &options,
            );
            let is_refuted = matches!(report.verdict, Verdict::Refuted(_));
            assert_eq!(is_refuted, !is_right, "{label}: {:?}", report.verdict);
        }
    }
}

/// In this pipeline, nothing refuses an output that is smaller than a vector.
#[test]
fn what_compiled_code_does_not_bear_out_by_a_run_to_its_end_is_not_refuted() {
    let Some(small) = job_of("pipelines/tail_shift_inwards.py") else { return };
    let Some(wrong) = job_of("miscompiled/blend_twice.py") else { return };
    // Without assertions, callers keep the conditions that these would check. The verdict names
    // this condition.
    let target = Some("host-no_asserts".to_owned());
    let stock = stock::read(&Request::of_job(bridge::Job { target, ..small })).unwrap();
    let subject = &stock.subject;
    let options = Options::find().unwrap().of_stock();
    let report =
        crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
    assert_eq!(report.verdict, Verdict::Proved);
    let names: Vec<&str> = report.conditions.iter().map(|condition| &*condition.name).collect();
    assert!(names.contains(&"compiled-without-asserts"), "{names:?}");
    for (job, target, refuted) in
        [(wrong.clone(), Some("arm-64-linux"), false), (wrong, None, true)]
    {
        let job = bridge::Job { target: target.map(str::to_owned), ..job };
        let stock = stock::read(&Request::of_job(job)).unwrap();
        let subject = &stock.subject;
        let options = Options::find().unwrap().of_stock();
        let mut report =
            crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
        assert!(matches!(report.verdict, Verdict::Refuted(_)), "{target:?}: {:?}", report.verdict);
        let replay = stock::bear_out(&stock, &mut report, None).unwrap();
        assert_eq!(matches!(replay, Some(Replay::Wrong { .. })), refuted, "{target:?}: {replay:?}");
        let is_refuted = matches!(report.verdict, Verdict::Refuted(_));
        assert_eq!(is_refuted, refuted, "{target:?}: {:?}", report.verdict);
    }
}

/// A pipeline with a parameter that must not be 0.
const SCALED: &str = r#"import halide as hl


def pipeline():
    x = hl.Var("x")
    n = hl.Param(hl.Int(32), "n")
    a = hl.ImageParam(hl.Int(32), 1, "a")
    out = hl.Func("out")
    out[x] = a[x] * n
    made = hl.Pipeline([out])
    made.add_requirement(n >= 1, "n is too small")
    return made
"#;

/// A pipeline of floats.
const FLOATS: &str = r#"import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.Float(32), 1, "a")
    out = hl.Func("out")
    out[x] = (a[x] + a[x + 1]) * a[x]
    return out
"#;

#[test]
fn a_changed_statement_is_refuted_by_its_own_code() {
    if job_of("miscompiled/blend_twice.py").is_none() {
        return;
    }
    // The second one takes strict floats from its target.
    for (script, target, right, wrong) in [
        (SCALED, None, "(* (load i32 \"a\"", "(+ (load i32 \"a\""),
        (FLOATS, Some("host-strict_float"), "\"strict_mul\"", "\"strict_add\""),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipeline.py");
        std::fs::write(&path, script).unwrap();
        let target = target.map(str::to_owned);
        let job = bridge::Job { target, ..bridge::Job::of(bridge::Origin::Script(path)) };
        let statement = job.compile(folder.path()).unwrap().dump.unwrap();
        assert!(statement.contains(right), "{statement}");
        let path = folder.path().join("changed.dump");
        std::fs::write(&path, statement.replacen(right, wrong, 1)).unwrap();
        let request = Request { statement: Some(path), ..Request::of_job(job) };
        let stock = stock::read(&request).unwrap();
        let subject = &stock.subject;
        let options = Options::find().unwrap().of_stock();
        let mut report =
            crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
        let replay = stock::bear_out(&stock, &mut report, None).unwrap();
        assert!(matches!(replay, Some(Replay::Wrong { .. })), "{replay:?}");
        assert!(matches!(report.verdict, Verdict::Refuted(_)), "{:?}", report.verdict);
    }
}

#[test]
fn a_dump_names_the_target_of_its_statement() {
    if !has_halide() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipeline.py");
    std::fs::write(&path, FLOATS).unwrap();
    let mut request = Request::of_job(bridge::Job {
        target: Some("host-strict_float".to_owned()),
        ..bridge::Job::of(bridge::Origin::Script(path))
    });
    let made = request.job.compile(folder.path()).unwrap();
    let path = folder.path().join("given.dump");
    std::fs::write(&path, made.dump.unwrap()).unwrap();
    request.job.origin = bridge::Origin::File(bridge::pipeline_in(folder.path()));
    request.statement = Some(path);
    for target in [None, Some("host-strict_float"), Some("host-avx2-strict_float-no_runtime")] {
        request.job.target = target.map(str::to_owned);
        let stock = stock::read(&request).unwrap();
        assert!(!stock.subject.algorithm.fast_math, "{target:?}");
    }
    for target in ["host", "host-strict_float-no_asserts"] {
        request.job.target = Some(target.to_owned());
        let refused = stock::read(&request).unwrap_err();
        assert!(format!("{refused:?}").contains("HAL1209"), "{target}: {refused:?}");
    }
}
