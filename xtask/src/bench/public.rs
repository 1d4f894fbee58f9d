//! Compares ATL's programs with the C that ATL's public repository makes of them.

use super::atl;
use crate::answer::{Answer, Verdict};
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, capture, program, root, shown};
use crate::{setup, table};
use std::fs;
use std::path::{Path, PathBuf};

const PROGRAMS: &str = "crates/driver/benches/atl/public.atl";
const SCRIPT: &str = "crates/driver/benches/atl/public.py";

/// The repository's two libraries: our word for each, and where it is.
const LIBRARIES: [(&str, &str); 2] = [
    ("scheduling", "src/verified_scheduling/c/lib"),
    ("lowering", "src/verified_lowering/stringify/lib"),
];
const PROCESSES: usize = 3;
/// The greatest permitted ratio of our time to the repository's.
const LIMIT: f64 = 1.05;
/// The greatest permitted difference of results, relative to the largest element: both compilers
/// and the derivations may regroup sums.
const TOLERANCE: f64 = 1e-5;

pub(super) fn run(words: &[&str]) -> Result<(), Error> {
    let [folder] = words else {
        let problem = "name the folder of the repository: `cargo xtask bench public FOLDER`";
        return Err(Error::Usage(problem.to_owned()));
    };
    // The commands below run in the repository's root.
    let folder = fs::canonicalize(folder)
        .map_err(|cause| Error::File { path: PathBuf::from(folder), cause })?;
    let theirs: Vec<(&str, PathBuf, Vec<String>)> = LIBRARIES
        .iter()
        .map(|(name, place)| (*name, folder.join(place)))
        .map(|(name, place)| (name, place.clone(), functions(&place)))
        .collect();
    if theirs.iter().all(|(_, _, functions)| functions.is_empty()) {
        let places: Vec<&str> = LIBRARIES.iter().map(|(_, place)| *place).collect();
        let problem = format!(
            "{} has no C in {}: make it first, with `make` in its `src`",
            folder.display(),
            places.join(" or ")
        );
        return Err(Error::Usage(problem));
    }
    setup::ensure()?;
    setup::ensure_coq()?;
    let halidom = process::halidom()?;
    let made = root().join("target/bench-public");
    match fs::remove_dir_all(&made) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::File { path: made, cause });
        }
        Ok(()) | Err(_) => {}
    }
    for (name, place, functions) in &theirs {
        for function in functions {
            compile(&place.join(format!("{function}.c")), &made.join(name), function)?;
            copy(&place.join(format!("{function}.h")), &made.join(name))?;
        }
    }
    let (names, mut failed) = certified(&halidom, &made)?;
    for name in &names {
        compile(&made.join(format!("derived/{name}.c")), &made.join("certified"), name)?;
        copy(&made.join(format!("derived/{name}.c")), &made.join("certified"))?;
        // What rests on `0 * a = 0`, or adds up in another order, has other bits in floating point.
        let verdict = atl::build(&halidom, Path::new(PROGRAMS), name, &made.join("compiled"))?;
        if verdict.is_proved() {
            atl::link(&made.join("compiled"), name)?;
        }
    }
    let mut measured: Vec<Measured> = Vec::new();
    for process in 1..=PROCESSES {
        println!("process {process} of {PROCESSES} …");
        let mut command = program(root().join(".venv/bin/python"));
        command.arg(SCRIPT).arg(&made).arg("full");
        for row in atl::rows(&mut command)? {
            let one = Measured::read(&row)
                .ok_or_else(|| atl::problem(&command, "a measurement without its name or time"))?;
            add(&mut measured, one);
        }
    }
    failed.extend(report(&measured));
    for (library, _, functions) in &theirs {
        for function in functions {
            if !measured.iter().any(|one| one.form == *library && one.function == *function) {
                failed.push(format!("{function} of {library}: there is no derivation of its name"));
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Error::Slow(failed)) }
}

/// Returns the functions of a library: the names of its files in C. None if it was not made.
fn functions(place: &Path) -> Vec<String> {
    let files = fs::read_dir(place).into_iter().flatten().flatten();
    let paths = files.map(|file| file.path());
    let mut names: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names
}

/// Compiles a file to `FOLDER/NAME.so`, with the options of the repository.
fn compile(file: &Path, folder: &Path, name: &str) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(|cause| Error::File { path: folder.to_owned(), cause })?;
    let mut command = program("cc");
    command.args(["-O3", "-ffast-math", "-fopenmp", "-fPIC", "-shared", "-o"]);
    process::run(command.arg(folder.join(format!("{name}.so"))).arg(file).arg("-lm")).map(drop)
}

fn copy(file: &Path, folder: &Path) -> Result<(), Error> {
    let to = folder.join(file.file_name().unwrap_or_default());
    fs::copy(file, to).map(drop).map_err(|cause| Error::File { path: file.to_owned(), cause })
}

/// Carries out all derivations and has Coq check them. Prints a row for each. Returns their names,
/// and those that are not certified.
fn certified(halidom: &Path, made: &Path) -> Result<(Vec<String>, Vec<String>), Error> {
    let mut command = program(halidom);
    command.args(["derive", PROGRAMS, "--check", "--json", "-o"]).arg(made.join("derived"));
    println!("Coq checks the certificates …");
    let output = capture(&mut command)?;
    print!("{}", String::from_utf8_lossy(&output.stderr));
    let answer = Answer::of(&command, &output)?;
    let derivations = answer.get("derivations").and_then(Json::array).unwrap_or_default();
    let (mut rows, mut names, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    for derivation in derivations {
        let text = |key: &str| derivation.get(key).and_then(Json::text).unwrap_or("-").to_owned();
        let number = |key: &str, digits: usize| {
            let found = derivation.get(key).and_then(Json::number);
            found.map_or("-".to_owned(), |found| format!("{found:.digits$}"))
        };
        let verdict =
            Verdict::of(derivation).map_err(|problem| atl::problem(&command, &problem))?;
        if !verdict.is_proved() {
            failed.push(format!("{}: its certificate ({verdict})", text("name")));
        }
        names.push(text("name"));
        rows.push(vec![
            text("name"),
            verdict.to_string(),
            number("steps", 0),
            number("coqc_seconds", 1),
        ]);
    }
    println!("\n{}", table::layout(&["derivation", "verdict", "steps", "coqc s"], &rows));
    if names.is_empty() {
        return Err(Error::Output {
            command: shown(&command),
            problem: "no derivation".to_owned(),
        });
    }
    Ok((names, failed))
}

/// The measurements of one form with one number of threads, over all processes.
struct Measured {
    function: String,
    form: String,
    threads: String,
    /// The least and the greatest median, in milliseconds.
    times: (f64, f64),
    /// The distance of its results from those of the certificate's C.
    distance: f64,
}

impl Measured {
    fn read(row: &Json) -> Option<Self> {
        let text = |key: &str| row.get(key).and_then(Json::text).map(str::to_owned);
        let number = |key: &str| row.get(key).and_then(Json::number);
        let time = number("milliseconds")?;
        Some(Self {
            function: text("function")?,
            form: text("form")?,
            threads: number("threads")?.to_string(),
            times: (time, time),
            distance: number("distance")?,
        })
    }
}

fn add(all: &mut Vec<Measured>, one: Measured) {
    let same = |known: &&mut Measured| {
        (&known.function, &known.form, &known.threads) == (&one.function, &one.form, &one.threads)
    };
    match all.iter_mut().find(same) {
        Some(known) => {
            known.times.0 = known.times.0.min(one.times.0);
            known.times.1 = known.times.1.max(one.times.1);
            known.distance = known.distance.max(one.distance);
        }
        None => all.push(one),
    }
}

/// Prints the table; returns the functions that are too slow or compute something else.
fn report(all: &[Measured]) -> Vec<String> {
    let mut rows = Vec::new();
    let mut failed = Vec::new();
    for other in all {
        let differs = other.distance.is_nan() || other.distance > TOLERANCE;
        if differs {
            failed.push(format!("{}, {}: the results differ", other.function, other.form));
        }
        if !LIBRARIES.iter().any(|(library, _)| *library == other.form) {
            continue;
        }
        let ours = |form: &str| {
            all.iter().find(|own| {
                (&own.function, &own.threads) == (&other.function, &other.threads)
                    && own.form == form
            })
        };
        let (certified, compiled) = (ours("certified"), ours("compiled"));
        let ratio = |own: Option<&Measured>| own.map(|own| own.times.0 / other.times.0);
        let best = [ratio(certified), ratio(compiled)].into_iter().flatten().reduce(f64::min);
        if best.is_none_or(|best| best.is_nan() || best > LIMIT) {
            failed.push(format!(
                "{} of {}, {} threads: {:.2} of its time",
                other.function,
                other.form,
                other.threads,
                best.unwrap_or(f64::NAN)
            ));
        }
        let range = |own: &Measured| format!("{:.3}–{:.3}", own.times.0, own.times.1);
        let shown = |own: Option<&Measured>| own.map_or("-".to_owned(), range);
        let relative = |own: Option<&Measured>| {
            ratio(own).map_or("-".to_owned(), |found| format!("{found:.2}"))
        };
        rows.push(vec![
            other.function.clone(),
            other.form.clone(),
            other.threads.clone(),
            range(other),
            shown(certified),
            shown(compiled),
            relative(certified),
            relative(compiled),
            format!("{:.0e}", other.distance),
        ]);
    }
    let headings = [
        "function",
        "library",
        "threads",
        "its ms",
        "certified ms",
        "compiled ms",
        "ratio",
        "ratio",
        "difference",
    ];
    println!("\n{}", table::layout(&headings, &rows));
    failed
}
