//! The files that a command line names, and the one check that no output is another of them.

use std::path::{Path, PathBuf};

use halidom_driver::files::{Place, place};

use crate::args::{Command, Given, Solving};
use crate::output::{Output, Stop};
use crate::request;

/// A file that an option names.
struct Named {
    option: &'static str,
    path: PathBuf,
}

/// The files that a command line names.
#[derive(Default)]
struct Files {
    /// Files that are only read, and folders of such files.
    read: Vec<PathBuf>,
    /// Files that are written. Some are read before.
    written: Vec<Named>,
    /// Folders that get files.
    folders: Vec<Named>,
}

/// Refuses a command line in which an output is an input or another output, before anything is
/// touched. The output keeps the inputs for the files that get their names later.
pub(crate) fn check(command: &Command, output: &mut Output<'_>) -> Result<(), Stop> {
    let Files { read, written, folders } = Files::of(command);
    for Named { option, path } in &folders {
        let there = path.ancestors().find(|path| path.exists());
        if there.is_some_and(|there| !there.is_dir()) {
            let message = format!("cannot write into `{}`: it is no folder", path.display());
            let hint = format!("give `{option}` a folder");
            return Err(output.error("HAL0805", &message, &hint));
        }
    }
    output.inputs = read.iter().filter_map(|path| place(path)).collect();
    let places: Vec<Option<Place>> = written.iter().map(|named| place(&named.path)).collect();
    for (number, Named { option, path }) in written.iter().enumerate() {
        spare(path, output)?;
        if read.iter().any(|input| holds(input, path)) {
            return Err(overwritten(path, output));
        }
        let same = |other: &usize| places[number].is_some() && places[*other] == places[number];
        if let Some(other) = (0..number).find(same) {
            let first = written[other].option;
            let options = if first == *option {
                format!("`{option}` is given twice, and")
            } else {
                format!("`{first}` and `{option}`")
            };
            let message = format!("{options} would write one file, `{}`", path.display());
            return Err(output.error("HAL0917", &message, "give each output a file of its own"));
        }
    }
    Ok(())
}

/// Refuses to write a file that the command reads.
pub(crate) fn spare(path: &Path, output: &mut Output<'_>) -> Result<(), Stop> {
    let is_input = place(path).is_some_and(|place| output.inputs.contains(&place));
    if is_input { Err(overwritten(path, output)) } else { Ok(()) }
}

/// Reports an output that would replace an input.
fn overwritten(path: &Path, output: &mut Output<'_>) -> Stop {
    let message = format!("`{}` is an input, which the output would overwrite", path.display());
    output.error("HAL0917", &message, "choose another place for the output")
}

/// The extensions of files that a command reads from a folder.
const READ: &[&str] = &["cpp", "cc", "cxx", "h", "hh", "hpp", "hlpipe", "dump"];

/// Tests whether a folder of inputs has a file at this place that may be read.
fn holds(input: &Path, path: &Path) -> bool {
    let is_read = path
        .extension()
        .is_some_and(|extension| READ.iter().any(|known| extension.eq_ignore_ascii_case(known)));
    if !is_read || !input.is_dir() {
        return false;
    }
    match (input.canonicalize(), path.canonicalize()) {
        (Ok(folder), Ok(file)) => file.starts_with(folder),
        (Err(_), _) | (_, Err(_)) => false,
    }
}

impl Files {
    fn read(mut self, paths: impl IntoIterator<Item: Into<PathBuf>>) -> Self {
        self.read.extend(paths.into_iter().map(Into::into));
        self
    }

    fn written(mut self, option: &'static str, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.written.extend(paths.into_iter().map(|path| Named { option, path }));
        self
    }

    fn folder(mut self, option: &'static str, path: Option<&PathBuf>) -> Self {
        self.folders.extend(path.cloned().map(|path| Named { option, path }));
        self
    }

    fn solving(self, solving: &Solving) -> Self {
        let Solving { floats: _, timeout: _, solver, confirm, cache } = solving;
        self.read(solver).read(confirm).written("--cache", cache.clone())
    }

    fn given(self, given: &Given) -> Self {
        let Given { words, named: _, stock } = given;
        // The words after a generator are its parameters.
        let words: &[PathBuf] = if stock.generator.is_some() { &[] } else { words };
        self.read(words)
            .read(&stock.halide_script)
            .read(&stock.generator)
            .read(&stock.plugin)
            .read(&stock.ir)
            .read(&stock.passes)
    }

    /// The inputs that are files.
    fn inputs(self, values: &[String]) -> Self {
        self.read(values.iter().filter_map(|value| request::input_file(value)))
    }

    /// The files that a command line names.
    fn of(command: &Command) -> Self {
        let none = Self::default();
        match command {
            Command::Check(args) => none.read([&args.file]),
            Command::Run(args) => none
                .read([&args.choice.file])
                .inputs(&args.data.inputs)
                .written("--output", args.output.iter().map(|value| request::output(value).1)),
            Command::Build(args) => {
                none.read([&args.choice.file]).folder("--output", Some(&args.output))
            }
            Command::Halo(args) => none.read([&args.file]).solving(&args.solving),
            Command::Lower(args) => none.read([&args.choice.file]),
            Command::Validate(args) => none
                .given(&args.given)
                .solving(&args.solving)
                .read(&args.baseline)
                .written("--junit", args.junit.clone())
                .written("--sarif", args.sarif.clone())
                .written("--write-statement", args.write_statement.clone())
                .written("--write-program", args.write_program.clone())
                .folder("--replay", args.replay.as_ref())
                .folder("--emit-smt", args.emit_smt.as_ref()),
            Command::Diff(args) => none
                .read([&args.old])
                .read(&args.new)
                .read(&args.old_python)
                .read(&args.new_python)
                .solving(&args.solving)
                .folder("--replay", args.replay.as_ref()),
            Command::Report(args) => none
                .read([&args.choice.file])
                .solving(&args.solving)
                .written("--output", [args.output.clone()]),
            Command::Explain(args) => none.given(&args.given).solving(&args.solving),
            Command::Derive(args) => none.read(&args.file).folder("--output", args.output.as_ref()),
            Command::Certificate(args) => none.read([&args.folder]),
            Command::Verify(args) => none
                .read(&args.files)
                .written("--cache", args.cache.clone())
                .written("--ask", args.ask.clone()),
            Command::Import(args) => {
                none.read([&args.file]).written("--output", args.output.clone())
            }
            Command::Bench(args) => {
                none.read([&args.file]).inputs(&args.data.inputs).written("--svg", args.svg.clone())
            }
            Command::Tune(args) => none
                .read(&args.file)
                .read(&args.halide_script)
                .inputs(&args.data.inputs)
                .written("--samples", args.samples.clone())
                .written("--output", args.output.clone()),
            Command::Export(args) => {
                none.read([&args.file]).written("--output", args.output.clone())
            }
            Command::Fuzz(args) => none.read(&args.file).folder("--findings", Some(&args.findings)),
            Command::Reduce(args) => {
                none.read([&args.file]).written("--output", args.output.clone())
            }
            Command::Bridge(args) => none.folder("--output", args.output.as_ref()),
            // `fmt` writes its inputs, as does the page of `studio`; the others write no files that
            // the command line names.
            Command::Fmt(_)
            | Command::Studio(_)
            | Command::Preload(_)
            | Command::Lsp
            | Command::Doctor => none,
        }
    }
}
