//! Compiled generators.
//!
//! A generator writes neither the lossless statement of its compile nor, from its own classes or
//! with gradients, a pipeline file. So it runs with a library in front of Halide (`keep.c`), which
//! keeps both. A generator that contains Halide itself, or that runs with another one, is not seen:
//! then it runs once for each file, and Python compiles its pipeline file once more.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::error::BridgeError;
use super::native::Native;
use super::process::run;
use super::{Artifacts, Job, PIPELINE};

/// A compiled generator and what it is to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator {
    /// The executable.
    pub binary: PathBuf,
    /// The generator's name; `None` for the only one.
    pub name: Option<String>,
    /// Parameters, each as `NAME=VALUE`.
    pub params: Vec<String>,
    /// Plug-ins that it loads, such as autoschedulers: names or files, as its `-p` takes them.
    pub plugins: Vec<PathBuf>,
    /// True if it makes the pipeline of its gradients instead (`-d 1`).
    pub gradients: bool,
}

/// The name of the compiled function, and of the generator's files.
const FUNCTION: &str = "pipeline";
/// The variable with libraries that are loaded first.
const PRELOAD: &str = "LD_PRELOAD";

/// The way in which a generator runs.
#[derive(Clone, Copy, Debug)]
enum Kept<'n> {
    /// As it is.
    Apart,
    /// With its compiles kept in this folder.
    Here(&'n Native, &'n Path),
}

impl Job {
    /// Lets a generator compile, in an empty folder, with an environment variable that tells Halide
    /// what to print.
    pub(super) fn compile_generator(
        &self,
        generator: &Generator,
        folder: &Path,
        printing: Option<(&str, &str)>,
    ) -> Result<Artifacts, BridgeError> {
        let native = Native::of(&self.interpreter()?)?;
        let kept = folder.join("kept");
        fs::create_dir(&kept)?;
        // A generator that fails with the library, as one with a sanitizer may, gets a second try.
        let ways = [Kept::Here(&native, &kept), Kept::Apart];
        let [watched, alone] = ways.map(|way| {
            move || self.generate(generator, folder, "conceptual_stmt", (way, printing))
        });
        let watched = watched();
        let found = kept_in(&kept);
        if let (Ok(passes), Some((pipeline, dump))) = (&watched, found) {
            fs::write(folder.join(PIPELINE), &pipeline)?;
            return artifacts(folder, pipeline, Some(dump), passes.clone());
        }
        // One process each: within one process, names that Halide makes up would continue from one
        // compile to the next.
        self.emit(generator, folder, "hlpipe")?;
        if !folder.join(PIPELINE).is_file() {
            return Err(BridgeError::NoPipelineFile { binary: generator.binary.clone() });
        }
        let passes = match watched {
            Ok(passes) => passes,
            Err(_) => alone()?,
        };
        let statement = fs::read_to_string(folder.join(STATEMENT))?;
        // The dump of the pipeline file describes the same statement if both print the same text,
        // up to the digits of floats.
        let dump = match self.python(folder, "compile", None) {
            Ok(_) if fs::read_to_string(folder.join("final.stmt"))? == statement => {
                Some(fs::read_to_string(folder.join("final.dump"))?)
            }
            Ok(_) | Err(BridgeError::Failed(_)) => None,
            Err(error) => return Err(error),
        };
        artifacts(folder, fs::read(folder.join(PIPELINE))?, dump, passes)
    }

    /// Lets a generator write the file `pipeline` with an extension.
    pub(super) fn emit(
        &self,
        generator: &Generator,
        folder: &Path,
        emitted: &str,
    ) -> Result<(), BridgeError> {
        self.generate(generator, folder, emitted, (Kept::Apart, None)).map(drop)
    }

    /// Does so in one of the ways in which a generator runs; returns its standard error.
    fn generate(
        &self,
        generator: &Generator,
        folder: &Path,
        emitted: &str,
        (kept, printing): (Kept<'_>, Option<(&str, &str)>),
    ) -> Result<String, BridgeError> {
        let Generator { binary, name, params, plugins, gradients } = generator;
        // The system would look up a name without a folder on the PATH.
        let path = if binary.components().count() == 1 {
            Path::new(".").join(binary)
        } else {
            binary.clone()
        };
        let mut command = Command::new(path);
        if let Some(name) = name {
            command.args(["-g", name]);
        }
        if !plugins.is_empty() {
            // The generator separates them by commas.
            let files: Vec<&OsStr> = plugins.iter().map(|file| file.as_os_str()).collect();
            command.arg("-p").arg(files.join(OsStr::new(",")));
        }
        if *gradients {
            command.args(["-d", "1"]);
        }
        command.args(["-f", FUNCTION, "-n", FUNCTION, "-e", emitted, "-o"]).arg(folder);
        let target = self.target.as_deref().unwrap_or("host");
        command.arg(format!("target={target}")).args(params);
        match kept {
            Kept::Apart => {}
            Kept::Here(native, folder) => {
                let library = native.keeper().into_os_string();
                let others = env::var_os(PRELOAD).filter(|others| !others.is_empty());
                let all: Vec<OsString> = [library].into_iter().chain(others).collect();
                command.env(PRELOAD, all.join(OsStr::new(":")));
                command.env("HALIDOM_KEEP_FOLDER", folder);
                command.env("HALIDOM_KEEP_WRITER", native.library());
                let size = fs::metadata(native.halide())?.len();
                command.env("HALIDOM_KEEP_SIZE", size.to_string());
            }
        }
        let written = run(&mut command, printing)
            .map_err(|error| BridgeError::Start { binary: binary.clone(), error })?;
        written.map_err(|failed| BridgeError::of_generator(binary, &failed))
    }
}

/// The file with the generator's statement as a text.
const STATEMENT: &str = "pipeline.conceptual.stmt";

fn artifacts(
    folder: &Path,
    pipeline: Vec<u8>,
    dump: Option<String>,
    passes: String,
) -> Result<Artifacts, BridgeError> {
    Ok(Artifacts {
        pipeline,
        specification: None,
        statement: fs::read_to_string(folder.join(STATEMENT))?,
        dump,
        passes,
        target: None,
        places: Vec::new(),
    })
}

/// The pipeline file and the dump of the function, among the compiles that are kept in a folder.
/// Nothing if it was compiled several times, or if one of its files is missing.
fn kept_in(folder: &Path) -> Option<(Vec<u8>, String)> {
    let mut found = None;
    for number in 1_u32.. {
        let file = |extension: &str| folder.join(format!("{number}.{extension}"));
        if !file("begun").is_file() {
            break;
        }
        // A copy that has not come so far as to write the name may have been the function's.
        let name = fs::read_to_string(file("name")).ok()?;
        if name != FUNCTION {
            continue;
        }
        if found.is_some() || !file("done").is_file() {
            return None;
        }
        found = Some((fs::read(file("hlpipe")).ok()?, fs::read_to_string(file("dump")).ok()?));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compile(folder: &Path, number: u32, name: &str, ends: bool) {
        for (extension, text) in [("begun", ""), ("name", name), ("hlpipe", "p"), ("dump", "d")] {
            fs::write(folder.join(format!("{number}.{extension}")), text).expect("a file");
        }
        if ends {
            fs::write(folder.join(format!("{number}.done")), "").expect("a file");
        }
    }

    #[test]
    fn one_whole_compile_of_the_function_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let found = || kept_in(folder.path());
        assert_eq!(found(), None);
        compile(folder.path(), 1, "another", false);
        assert_eq!(found(), None);
        compile(folder.path(), 2, FUNCTION, false);
        assert_eq!(found(), None, "its copy did not end well");
        compile(folder.path(), 2, FUNCTION, true);
        assert_eq!(found(), Some((b"p".to_vec(), "d".to_owned())));
        compile(folder.path(), 3, FUNCTION, true);
        assert_eq!(found(), None, "it is not known which one the files are of");
    }
}
