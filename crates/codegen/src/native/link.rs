//! Links a compiled object and loads it as a pipeline.
//!
//! To make a library, a compiler's driver starts itself again to compile, and then the linker. A
//! large compiler takes as long to start as it takes to compile a small pipeline. To make an
//! object, the driver compiles in its own process. The system's linker then makes the library,
//! which has no code that runs when it is loaded.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::native::loader::Entry;
use crate::native::toolchain::{CompileError, Toolchain};

/// The object to link, in the folder.
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
    // The compiler knows where the linker is, and which libraries its code needs besides C's.
    let name = "linked.so";
    let mut command = toolchain.start();
    command.current_dir(directory).stdin(Stdio::null());
    command.args(["-shared", OBJECT_NAME, "-o", name, "-lm"]);
    toolchain.run(command, directory)?;
    Entry::open(&directory.join(name), symbol)
}

/// Does the same with the system's linker, or returns `None` if it fails for any reason.
pub(crate) fn load_directly(directory: &Path, symbol: &str) -> Option<Entry> {
    let name = "pipeline.so";
    let mut command = Command::new("ld");
    command.current_dir(directory).stdin(Stdio::null());
    command.args(["-shared", "--eh-frame-hdr", OBJECT_NAME, "-o", name, "-lm", "-lc"]);
    let output = command.output().ok()?;
    // Loading resolves all symbols of the library, so a missing one shows there.
    output.status.success().then(|| Entry::open(&directory.join(name), symbol).ok())?
}
