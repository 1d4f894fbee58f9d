//! Ahead-of-time libraries: `.c`, `.h`, `.o`, `.a`.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::native::toolchain::{HEADER_NAME, RUNTIME_HEADER, RUNTIME_SOURCE, write};
use crate::{CModule, CompileError, Target, Toolchain};

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Artifact {
    /// The generated C.
    C,
    /// The header, together with the runtime's.
    Header,
    /// The pipeline's object, without the runtime.
    Object,
    /// The pipeline and the runtime: everything that a program needs to link.
    StaticLibrary,
    /// The same, to be loaded by a program that runs.
    SharedLibrary,
}

impl Artifact {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::C, Self::Header, Self::Object, Self::StaticLibrary, Self::SharedLibrary];

    /// Returns the end of the file's name.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::C => ".c",
            Self::Header => ".h",
            Self::Object => ".o",
            Self::StaticLibrary => ".a",
            Self::SharedLibrary => ".so",
        }
    }

    /// Returns the word for the kind in `--emit`.
    pub fn name(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Header => "header",
            Self::Object => "object",
            Self::StaticLibrary => "static-library",
            Self::SharedLibrary => "shared-library",
        }
    }
}

/// Writes files for a module to a directory, which is created if it does not exist, and returns
/// their paths. Each file appears whole or not at all.
///
/// # Errors
/// A file cannot be written, or the compiler or `ar` fails.
pub fn write_all(
    directory: &Path,
    module: &CModule,
    toolchain: &Toolchain,
    target: &Target,
    artifacts: &[Artifact],
) -> Result<Vec<PathBuf>, CompileError> {
    std::fs::create_dir_all(directory).map_err(CompileError::io("make the directory"))?;
    // In the destination's directory, so that a rename moves each file there in one step.
    let work = tempfile::Builder::new()
        .prefix(".halidom-")
        .tempdir_in(directory)
        .map_err(CompileError::io("write to the directory"))?;
    let [c, header, object, library, shared] =
        Artifact::ALL.map(|kind| [&module.name, kind.suffix()].concat());
    write(work.path(), HEADER_NAME, RUNTIME_HEADER)?;
    write(work.path(), &header, &module.header)?;
    write(work.path(), &c, &module.library_text(target))?;
    let wants = |kind| artifacts.contains(&kind);
    let links = wants(Artifact::StaticLibrary) || wants(Artifact::SharedLibrary);
    if wants(Artifact::Object) || links {
        let target = module.compiled_for(target);
        object_file(work.path(), toolchain, &target, &c, &object)?;
    }
    if links {
        write(work.path(), "halidom_runtime.c", RUNTIME_SOURCE)?;
        // Functions such as `exp` must keep the rounding of each operation, whatever pipelines call
        // them.
        let strict = target.clone().contracting(false);
        object_file(work.path(), toolchain, &strict, "halidom_runtime.c", "halidom_runtime.o")?;
    }
    if wants(Artifact::SharedLibrary) {
        let mut link = toolchain.start();
        link.current_dir(work.path()).stdin(Stdio::null());
        link.args(["-shared", "-o", &shared, &object, "halidom_runtime.o", "-lm", "-lpthread"]);
        toolchain.finish(link.output())?;
    }
    if wants(Artifact::StaticLibrary) {
        let mut archive = toolchain.archiver();
        archive.current_dir(work.path()).stdin(Stdio::null());
        // Deterministic: the archive records neither times nor owners.
        archive.args(["rcsD", &library, &object, "halidom_runtime.o"]);
        toolchain.finish(archive.output())?;
    }
    let mut written = Vec::new();
    for (kind, name) in [
        (Artifact::C, c.as_str()),
        (Artifact::Header, header.as_str()),
        (Artifact::Header, HEADER_NAME),
        (Artifact::Object, object.as_str()),
        (Artifact::StaticLibrary, library.as_str()),
        (Artifact::SharedLibrary, shared.as_str()),
    ] {
        // The C includes the runtime's header.
        if wants(kind) || (name == HEADER_NAME && wants(Artifact::C)) {
            let path = directory.join(name);
            let what = ["write ", name].concat();
            std::fs::rename(work.path().join(name), &path).map_err(CompileError::io(what))?;
            written.push(path);
        }
    }
    Ok(written)
}

fn object_file(
    directory: &Path,
    toolchain: &Toolchain,
    target: &Target,
    source: &str,
    object: &str,
) -> Result<(), CompileError> {
    let mut command = toolchain.command(target, directory);
    command.args(["-c", source, "-o", object]);
    toolchain.finish(command.output())
}
