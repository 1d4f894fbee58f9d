//! Compiles many pipelines in one call of the C compiler: tests and fuzzing spend most of their
//! time on starting it.

use halidom_base::IndexSet;
use halidom_prelude::{PREAMBLE, helpers};

use crate::module::run_symbol;
use crate::native::kernel::Kernel;
use crate::native::loader::Entry;
use crate::native::toolchain::{HEADER_NAME, RUNTIME_HEADER, SOURCE_NAME, write};
use crate::{CModule, CompileError, Target, Toolchain};

/// The effort that the C compiler spends on a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// The compiler optimises as it does for users.
    Optimised,
    /// The compiler only translates, which takes less than half the time.
    Plain,
}

/// Compiles modules with distinct names as one file, and loads it.
///
/// # Errors
/// Files cannot be written, no compiler runs, the compiler refuses the C, or the library does not
/// load.
pub fn compile_batch(
    modules: &[CModule],
    toolchain: &Toolchain,
    target: &Target,
    effort: Effort,
) -> Result<Vec<Kernel>, CompileError> {
    let mut text = PREAMBLE.to_owned();
    // In each module a helper stands after the helpers that it needs. Keeping the first occurrence
    // of each preserves this order.
    let shared: IndexSet<_> = modules.iter().flat_map(|module| module.helpers.clone()).collect();
    helpers::print(&mut text, &shared);
    for module in modules {
        text.push_str(&module.body);
    }
    let directory = tempfile::tempdir().map_err(CompileError::io("make a directory"))?;
    write(directory.path(), HEADER_NAME, RUNTIME_HEADER)?;
    write(directory.path(), SOURCE_NAME, &text)?;
    let strict = target.clone().contracting(false);
    let targets = modules.iter().map(|module| module.compiled_for(target));
    // One call has the same flags for all modules: it contracts floats only if every module permits
    // it.
    let target = targets.reduce(|all, one| if one.contracts() { all } else { one });
    let target = target.unwrap_or(strict);
    let mut command = toolchain.command(&target, directory.path());
    if effort == Effort::Plain {
        command.arg("-O0");
    }
    command.args(["-shared", SOURCE_NAME, "-o", "pipelines.so", "-lm"]);
    toolchain.run(command, directory.path())?;
    let symbols: Vec<String> = modules.iter().map(|module| run_symbol(&module.name)).collect();
    let entries = Entry::open_all(&directory.path().join("pipelines.so"), &symbols)?;
    Ok(entries.into_iter().zip(modules).map(|(entry, module)| Kernel::new(entry, module)).collect())
}
