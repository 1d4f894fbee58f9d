//! A folder in which the Python package has put what Halide compiled from a live pipeline.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use halidom_halide::bridge::Artifacts;
use sha2::{Digest as _, Sha256};

/// The file with the digests of the others, in the form of `sha256sum`. The package writes it last.
const DIGESTS: &str = "files.sha256";

/// The files that may be there.
const FILES: [&str; 4] = ["pipeline.hlpipe", "final.stmt", "final.dump", "target.txt"];

/// Reads the files of one compile.
///
/// # Errors
/// Returns an error if a file cannot be read, or is not one of those that were written together.
pub(super) fn read(folder: &Path) -> io::Result<Artifacts> {
    let recorded = fs::read_to_string(folder.join(DIGESTS))?;
    let mut found = String::new();
    for name in FILES.into_iter().filter(|name| folder.join(name).exists()) {
        for byte in Sha256::digest(fs::read(folder.join(name))?) {
            let _ = write!(found, "{byte:02x}");
        }
        found.extend(["  ", name, "\n"]);
    }
    if found == recorded {
        return Artifacts::read(folder, String::new());
    }
    let folder = folder.display();
    Err(io::Error::other(format!("the files in `{folder}` are not those of one compile")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_several_compiles_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("a file");
        };
        for name in &FILES[..3] {
            write(name, "abc");
        }
        assert!(read(folder.path()).is_err());
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let lines = FILES[..3].iter().map(|name| format!("{digest}  {name}\n"));
        write(DIGESTS, &lines.collect::<Vec<_>>().concat());
        assert_eq!(read(folder.path()).expect("one compile").statement, "abc");
        for (name, text) in [("target.txt", "host"), ("pipeline.hlpipe", "abd")] {
            write(name, text);
            let error = read(folder.path()).expect_err("another compile").to_string();
            assert!(error.contains("not those of one compile"), "{error}");
            if name == "target.txt" {
                fs::remove_file(folder.path().join(name)).expect("the file is there");
            }
        }
    }
}
