//! Finding executables of other projects.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Finds an executable by its name. The order of search is: `.venv/bin` in the current folder, the
/// executable's folder, or a parent of either; the executable's own folder, where a package manager
/// puts what a package depends on; the PATH.
pub fn find(name: &str) -> Option<PathBuf> {
    let own = env::current_exe().ok();
    let bases = [env::current_dir().ok(), own.clone()];
    let in_project = bases
        .iter()
        .flatten()
        .flat_map(|base| base.ancestors())
        .map(|folder| folder.join(".venv/bin").join(name));
    let beside = own.as_deref().and_then(Path::parent).map(|folder| folder.join(name));
    in_project.chain(beside).find(|candidate| candidate.is_file()).or_else(|| on_path(name))
}

/// Finds an executable in the folders of the PATH.
pub fn on_path(name: impl AsRef<OsStr>) -> Option<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let name = Path::new(name.as_ref());
    // An empty part of the PATH would stand for the current folder.
    let folders = env::split_paths(&folders).filter(|folder| !folder.as_os_str().is_empty());
    folders.map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
}
