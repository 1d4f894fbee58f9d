//! The places to which paths lead.

use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use super::followed;

/// The place to which a path leads. Two paths with one place lead to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A file or folder that is there: its device, and its number there.
    Known(u64, u64),
    /// A file that is not there yet: its path without links.
    New(PathBuf),
}

/// Finds the place to which a path leads. `None` for a device such as `/dev/null`, and for a path
/// in a folder that is not there.
pub fn place(path: &Path) -> Option<Place> {
    if let Ok(known) = path.metadata() {
        let is_device = known.file_type().is_char_device();
        return (!is_device).then(|| Place::Known(known.dev(), known.ino()));
    }
    let path = followed(path);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    Some(Place::New(folder.join(path.file_name()?)))
}
