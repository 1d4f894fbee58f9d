//! The one file that is shown and written.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use halidom_driver::input::Kind;
use sha2::{Digest as _, Sha256};

/// The greatest size of the file in bytes. A request with its text is then within its own limit.
const MOST: usize = 256 << 10;

/// The reason why a file cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The system reports an error.
    #[error("cannot read `{}`: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: std::io::Error,
    },
    /// It is not one of Halidom's programs.
    #[error("`{}` is neither a `.hal` nor a `.ir` file", .0.display())]
    Kind(PathBuf),
    /// It is a folder or a device.
    #[error("`{}` is not an ordinary file", .0.display())]
    Special(PathBuf),
    /// It is too large, or not text.
    #[error("`{}` is not a text of at most {} KiB", .0.display(), MOST >> 10)]
    Contents(PathBuf),
}

/// A file by its full path.
pub(crate) struct Named {
    path: PathBuf,
    /// Its name, without folders.
    pub(crate) name: String,
    pub(crate) is_ir: bool,
}

/// The contents of the file, with a digest that tells them from others.
pub(crate) struct Contents {
    pub(crate) text: String,
    pub(crate) version: String,
}

impl Named {
    /// Finds a file. A link is followed once, so that later changes of it lead nowhere else.
    pub(crate) fn open(path: &Path) -> Result<Self, OpenError> {
        let is_ir = match Kind::of(path) {
            Kind::Pipelines => false,
            Kind::Program => true,
            Kind::Derivations | Kind::Stock => return Err(OpenError::Kind(path.to_owned())),
        };
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| OpenError::Kind(path.to_owned()))?.to_owned();
        let full = path
            .canonicalize()
            .map_err(|cause| OpenError::Read { path: path.to_owned(), cause })?;
        let named = Self { path: full, name, is_ir };
        named.read()?;
        Ok(named)
    }

    pub(crate) fn read(&self) -> Result<Contents, OpenError> {
        let path = || self.path.clone();
        let failed = |cause| OpenError::Read { path: path(), cause };
        if !self.path.metadata().map_err(failed)?.is_file() {
            return Err(OpenError::Special(path()));
        }
        let mut bytes = Vec::new();
        let file = File::open(&self.path).map_err(failed)?;
        file.take(MOST as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() > MOST {
            return Err(OpenError::Contents(path()));
        }
        let version = digest(&bytes);
        let text = String::from_utf8(bytes).map_err(|_| OpenError::Contents(path()))?;
        Ok(Contents { text, version })
    }

    /// Writes a text if the file still has the given version. Returns the new version, or a
    /// sentence that explains why nothing was written.
    pub(crate) fn save(&self, text: &str, version: &str) -> Result<String, String> {
        let now = self.read().map_err(|error| format!("not saved: {error}"))?;
        if now.version != version {
            return Err(format!(
                "not saved: `{}` changed on disk since it was read here",
                self.name
            ));
        }
        if text.len() > MOST {
            return Err(format!("not saved: the text has more than {} KiB", MOST >> 10));
        }
        self.write(text.as_bytes()).map_err(|error| format!("not saved: {error}"))?;
        Ok(digest(text.as_bytes()))
    }

    /// Replaces the file by one with the same permissions.
    fn write(&self, bytes: &[u8]) -> std::io::Result<()> {
        let permissions = self.path.metadata()?.permissions();
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().set_permissions(permissions)?;
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        Ok(())
    }
}

fn digest(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
