//! From a compiled object to a loaded pipeline.
//!
//! Asked for a library, a compiler's driver starts itself once more to compile and the linker to link, and a large compiler takes as long to start as a small
//! pipeline to be compiled. Asked for an object, it compiles in its own process; the system's linker then makes the library, which has no code that runs at its start.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::loader::Entry;
use crate::toolchain::{CompileError, Toolchain};

/// The object that is linked, in the folder.
pub(crate) const OBJECT_NAME: &str = "pipeline.o";

/// Links the folder's object and loads the library.
pub(crate) fn load(
    toolchain: &Toolchain,
    directory: &Path,
    symbol: &str,
) -> Result<Entry, CompileError> {
    if let Some(entry) = load_directly(directory, symbol) {
        return Ok(entry);
    }
    // The compiler knows where the linker is, and what its code needs beside the C library.
    let name = "linked.so";
    let mut command = Command::new(toolchain.compiler());
    command.current_dir(directory).stdin(Stdio::null());
    command.args(["-shared", OBJECT_NAME, "-o", name, "-lm"]);
    toolchain.run(command, directory)?;
    Entry::open(&directory.join(name), symbol)
}

/// The same by the system's linker; `None` if that cannot do it, whatever the reason.
pub(crate) fn load_directly(directory: &Path, symbol: &str) -> Option<Entry> {
    let name = "pipeline.so";
    let mut command = Command::new("ld");
    command.current_dir(directory).stdin(Stdio::null());
    command.args(["-shared", "--eh-frame-hdr", OBJECT_NAME, "-o", name, "-lm", "-lc"]);
    let output = command.output().ok()?;
    // What is missing in the library shows when it is loaded: all its symbols are looked up then.
    output.status.success().then(|| Entry::open(&directory.join(name), symbol).ok())?
}
