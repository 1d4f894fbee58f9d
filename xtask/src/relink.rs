//! `cargo xtask relink`: links applications of Halide with our object in place of Halide's.

use crate::answer::{Answer, Verdict};
use crate::error::Error;
use crate::process::{self, capture, program, root, shown};
use crate::{setup, table};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable that names the folder of the sources.
const SOURCES: &str = "HALIDOM_SOURCES";

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "relink",
    summary: "builds applications of Halide with Halide's object and with ours, and compares their \
              results",
    help: "\
Works on some applications of Halide's repository: `halide/apps` in the folder that HALIDOM_SOURCES
names, at the version of the installed Halide. Compiles the generator and lets it write an object
(strict floats), its header and the pipeline file. Imports that file with its schedule and builds
the pipeline with Halidom, validated. Compiles the application once, unchanged, and links it with
each of the two objects. Both programs run on the same random picture and must save the same bits.
Both are linked with Halide's runtime, which the applications use. Prints the validator's verdict
and the times that the applications measure.

example: cargo xtask relink, with HALIDOM_SOURCES=~/compilers",
    run,
    options: &[],
};

struct Application {
    /// The name of its folder, its generator and its pipeline.
    name: &'static str,
    source: &'static str,
    channels: usize,
    /// Its arguments between the input and the output.
    arguments: &'static [&'static str],
}

const APPLICATIONS: [Application; 3] = [
    Application { name: "harris", source: "filter.cpp", channels: 3, arguments: &[] },
    Application { name: "interpolate", source: "filter.cpp", channels: 4, arguments: &[] },
    Application { name: "stencil_chain", source: "process.cpp", channels: 3, arguments: &["3"] },
];

/// The sides of the picture. They are not multiples of sizes that schedules prefer.
const SIDES: [usize; 2] = [1030, 771];

/// The folders of the installed Halide.
pub(crate) struct Halide {
    pub(crate) include: PathBuf,
    pub(crate) tools: PathBuf,
    pub(crate) libraries: PathBuf,
}

fn run() -> Result<(), Error> {
    let sources = std::env::var_os(SOURCES).map(|sources| PathBuf::from(sources).join("halide"));
    let Some(applications) = sources.map(|sources| sources.join("apps")).filter(|of| of.is_dir())
    else {
        return Err(Error::Missing {
            what: "the applications".to_owned(),
            advice: format!("set {SOURCES} to a folder with a checkout of Halide, `halide`"),
        });
    };
    setup::ensure()?;
    setup::ensure_halide()?;
    let halidom = process::halidom()?;
    let halide = installed_halide()?;
    let folder = root().join("target/relink");
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for application in APPLICATIONS {
        let folder = folder.join(application.name);
        fs::create_dir_all(&folder).map_err(|cause| Error::File { path: folder.clone(), cause })?;
        let source = applications.join(application.name);
        generate(&halide, &application, &source, &folder)?;
        let verdict = build(&halidom, &application, &folder)?;
        let [theirs, ours] = run_both(&halide, &application, &source, &folder)?;
        let is_same = theirs.saved == ours.saved;
        if !verdict.is_proved() || !is_same {
            failed.push(application.name.to_owned());
        }
        let same = if is_same { "the same" } else { "DIFFERENT" };
        rows.push(vec![
            application.name.to_owned(),
            verdict.to_string(),
            theirs.saved.len().to_string(),
            same.to_owned(),
            theirs.time,
            ours.time,
        ]);
    }
    let headings = ["application", "verdict", "bytes", "saved", "with Halide's", "with ours"];
    println!("{}", table::layout(&headings, &rows));
    if failed.is_empty() { Ok(()) } else { Err(Error::Relinked(failed)) }
}

/// Finds the Halide of the Python package.
pub(crate) fn installed_halide() -> Result<Halide, Error> {
    let mut command = program(root().join(".venv/bin/python"));
    command.args(["-c", "import halide; print(halide.install_dir())"]);
    let output = completed(&mut command)?;
    let folder = PathBuf::from(output.trim());
    Ok(Halide {
        include: folder.join("include"),
        tools: folder.join("share/tools"),
        libraries: folder.join("lib64"),
    })
}

/// Runs a command and returns its standard output.
pub(crate) fn completed(command: &mut Command) -> Result<String, Error> {
    let output = capture(command)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    print!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Err(Error::Failed { command: shown(command), status: output.status })
}

/// Generates Halide's object, header, pipeline file and runtime.
fn generate(
    halide: &Halide,
    application: &Application,
    source: &Path,
    folder: &Path,
) -> Result<(), Error> {
    let name = application.name;
    let generator = folder.join("generator");
    let mut command = program("g++");
    command.args(["-std=c++17", "-fno-rtti", "-o"]).arg(&generator);
    command.arg(source.join([name, "_generator.cpp"].concat()));
    command.arg("-I").arg(&halide.include).arg("-I").arg(&halide.tools);
    command.arg("-Wl,--whole-archive").arg(halide.libraries.join("libHalide_GenGen.a"));
    command.arg("-Wl,--no-whole-archive").arg("-L").arg(&halide.libraries);
    command.arg(format!("-Wl,-rpath,{}", halide.libraries.display()));
    command.args(["-lHalide", "-ldl", "-lpthread"]);
    completed(&mut command)?;
    let mut command = program(&generator);
    command.args(["-g", name, "-f", name, "-n", name, "-o"]).arg(folder);
    command.args(["-e", "object,c_header,hlpipe", "target=host-strict_float-no_runtime"]);
    completed(&mut command)?;
    let mut command = program(&generator);
    command.args(["-r", "runtime", "-o"]).arg(folder).args(["-e", "object", "target=host"]);
    completed(&mut command).map(drop)
}

/// Imports the pipeline file and builds our library from it; returns the validator's verdict.
fn build(halidom: &Path, application: &Application, folder: &Path) -> Result<Verdict, Error> {
    let name = application.name;
    let imported = folder.join([name, ".hal"].concat());
    let mut command = program(halidom);
    command.arg("import").arg(folder.join([name, ".hlpipe"].concat())).arg("-o").arg(&imported);
    completed(&mut command)?;
    let unreadable = |cause| Error::File { path: imported.clone(), cause };
    let text = fs::read_to_string(&imported).map_err(unreadable)?;
    let text = adapted(&text, name);
    fs::write(&imported, &text).map_err(unreadable)?;
    let schedule = text.lines().find_map(|line| line.strip_prefix("schedule "));
    let schedule = schedule.and_then(|rest| rest.split_whitespace().next()).unwrap_or("default");
    let mut command = program(halidom);
    command.arg("build").arg(&imported).args(["-s", schedule, "--json", "--quiet", "-o"]);
    command.arg(folder.join("halidom"));
    let output = capture(&mut command)?;
    Answer::judged(&command, &output).map(|answer| answer.verdict)
}

/// Renames the program to the name that the application calls and removes `fast_math`, because the
/// comparison needs strict floats.
fn adapted(program: &str, name: &str) -> String {
    let mut lines = Vec::new();
    for line in program.lines().filter(|line| line.trim() != "fast_math;") {
        let pipeline = line.strip_prefix("pipeline ").and_then(|rest| rest.split_once('('));
        let schedule = line.strip_prefix("schedule ").and_then(|rest| rest.split_once(" for "));
        lines.push(match (pipeline, schedule) {
            (Some((_, rest)), _) => ["pipeline ", name, "(", rest].concat(),
            (None, Some((schedule, _))) => ["schedule ", schedule, " for ", name, " {"].concat(),
            (None, None) => line.to_owned(),
        });
    }
    lines.push(String::new());
    lines.join("\n")
}

/// The file that an application saved, and the time that it printed.
struct Run {
    saved: Vec<u8>,
    time: String,
}

/// Links the application with each of the two objects and runs both: Halide's first, then ours.
fn run_both(
    halide: &Halide,
    application: &Application,
    source: &Path,
    folder: &Path,
) -> Result<[Run; 2], Error> {
    let name = application.name;
    // Some applications also time another schedule; they get the same pipeline for it.
    let other = folder.join([name, "_auto_schedule.h"].concat());
    write(&other, format!("#define {name}_auto_schedule {name}\n").as_bytes())?;
    let input = folder.join("input.npy");
    write(&input, &picture(application.channels))?;
    let object = folder.join("application.o");
    let mut command = program("g++");
    command.args(["-std=c++17", "-O1", "-DHALIDE_NO_PNG", "-DHALIDE_NO_JPEG"]);
    command.args(["-DNO_AUTO_SCHEDULE", "-c", "-o"]).arg(&object);
    command.arg(source.join(application.source)).arg("-I").arg(folder);
    command.arg("-I").arg(&halide.include).arg("-I").arg(&halide.tools);
    completed(&mut command)?;
    let run = |linked: &str, pipeline: PathBuf| -> Result<Run, Error> {
        let linked = folder.join(linked);
        let mut command = program("g++");
        command.arg("-o").arg(&linked).arg(&object).arg(pipeline);
        command.arg(folder.join("runtime.o")).args(["-ldl", "-lpthread", "-lm"]);
        completed(&mut command)?;
        let output = linked.with_extension("npy");
        let mut command = program(&linked);
        command.arg(&input).args(application.arguments).arg(&output);
        let printed = completed(&mut command)?;
        let time = printed.lines().find_map(|line| line.strip_prefix("Manually-tuned time: "));
        let saved = fs::read(&output).map_err(|cause| Error::File { path: output, cause })?;
        Ok(Run { saved, time: time.unwrap_or("–").to_owned() })
    };
    let ours = folder.join("halidom").join([name, ".a"].concat());
    Ok([run("with-halide", folder.join([name, ".o"].concat()))?, run("with-halidom", ours)?])
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    fs::write(path, bytes).map_err(|cause| Error::File { path: path.to_owned(), cause })
}

/// A picture of random bytes as an array file in the format that Halide's tools read.
fn picture(channels: usize) -> Vec<u8> {
    let [width, height] = SIDES;
    let mut header = format!(
        "{{'descr': '|u1', 'fortran_order': False, 'shape': ({width}, {height}, {channels}), }}"
    );
    // Magic number, version and length take ten bytes; the header ends at a multiple of 64.
    let padding = 63 - (header.len() + 10) % 64;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend_from_slice(&(header.len() as u16).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    let mut state: u64 = 42;
    file.extend((0..width * height * channels).map(|_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    }));
    file
}
