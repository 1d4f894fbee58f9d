//! Files that keep what was decided: texts whose last line is the hash of everything before it.
//!
//! # Correctness
//! A file that is cut off, edited or half written has another hash and is refused as a whole, so no
//! reader has to find out how much of it is there. The hash guards against damage only: whoever can
//! write the file can write another hash. A new text replaces an older one as a whole, whatever
//! other processes write at the same time.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use sha2::{Digest, Sha256};

/// The word before the hash.
const END: &str = "end";

/// Reads the lines between the header and the hash. Returns `None` if there is no file, or if it
/// has the form of an older version: another number in the header.
///
/// # Errors
/// The file cannot be read, or it is damaged ([`io::ErrorKind::InvalidData`]).
pub fn read(path: &Path, header: &str) -> io::Result<Option<String>> {
    // A device such as `/dev/zero` has no end.
    let bytes = match fs::metadata(path) {
        Ok(known) if !known.is_file() => Err(io::Error::other("it is no regular file")),
        Ok(_) | Err(_) => fs::read(path),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let text = String::from_utf8(bytes).unwrap_or_default();
    if is_older(&text, header) {
        return Ok(None);
    }
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is damaged");
    between(&text, header).map(|text| Some(text.to_owned())).ok_or_else(damaged)
}

/// Tests whether a text has the header of another version: the same words with another number.
fn is_older(text: &str, header: &str) -> bool {
    let version = |line: &str| {
        let (words, number) = line.rsplit_once(' ')?;
        number.parse::<u32>().ok().map(|number| (words.to_owned(), number))
    };
    match (text.lines().next().and_then(version), version(header)) {
        (Some((words, number)), Some((own, current))) => words == own && number < current,
        (_, _) => false,
    }
}

/// The lines of a text between the header and the hash; `None` if the text is damaged.
fn between<'t>(text: &'t str, header: &str) -> Option<&'t str> {
    let (before, end) = text.strip_suffix('\n')?.rsplit_once('\n')?;
    let whole = &text[..=before.len()];
    if end != format!("{END} {}", hash(whole)) {
        return None;
    }
    whole.strip_prefix(header)?.strip_prefix('\n')
}

/// Writes a header, lines, and the hash of both.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, header: &str, lines: &str) -> io::Result<()> {
    let mut text = format!("{header}\n{lines}");
    let end = hash(&text);
    text.extend([END, " ", &end, "\n"]);
    replace(path, &text)
}

/// Writes a file by way of a temporary file in the same folder, so that no reader finds it
/// half written.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    // A link still leads to the file.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
    // Temporary files are private by default; this one has the permissions of the user's umask.
    let ordinary = fs::Permissions::from_mode(0o666);
    let mut file = tempfile::Builder::new()
        .permissions(ordinary)
        .tempfile_in(folder.unwrap_or(Path::new(".")))
        // The temporary file's name would be confusing.
        .map_err(|error| io::Error::from(error.kind()))?;
    file.write_all(text.as_bytes())?;
    file.persist(&place).map(drop).map_err(|error| error.error)
}

fn hash(text: &str) -> String {
    hexadecimal(&Sha256::digest(text))
}

/// Writes bytes in base 16.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string accepts any text");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whole_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("kept");
        assert!(read(&path, "kept 2").expect("no file is no error").is_none());
        write(&path, "kept 2", "a\nb\n").expect("it is written");
        assert_eq!(read(&path, "kept 2").expect("it is read").as_deref(), Some("a\nb\n"));
        let whole = fs::read(&path).expect("it is read");
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).expect("it is written");
            let error = read(&path, "kept 2").expect_err("it is cut");
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{length}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            fs::write(&path, &changed).expect("it is written");
            assert!(read(&path, "kept 2").is_err(), "the byte at {at} was changed");
        }
    }

    #[test]
    fn a_file_of_an_older_version_is_passed_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("kept");
        fs::write(&path, "kept 1\na\n").expect("it is written");
        assert!(read(&path, "kept 2").expect("it is older").is_none());
        for other in ["", "kept\n", "kept 3\n", "other 1\n", "\u{0}"] {
            fs::write(&path, other).expect("it is written");
            assert!(read(&path, "kept 2").is_err(), "{other:?}");
        }
    }
}
