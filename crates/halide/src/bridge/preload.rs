//! The library that is put in front of a program's Halide with `LD_PRELOAD`, so that every pipeline
//! that the program compiles is judged: compiled at first use against the program's own Halide.
//!
//! Two libraries are made. `preload.so` refers to no symbol of Halide and is loaded into every
//! process; `writer.so` needs Halide, and is loaded where a pipeline is compiled.

use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::error::BridgeError;
use super::find;
use super::native::{Installed, cache, compiled, hash, rpath, unique};

/// The sources, with their names.
const SOURCES: [(&str, &str); 4] = [
    ("dump.h", include_str!("native/dump.h")),
    ("entries.h", include_str!("native/entries.h")),
    ("preload.c", include_str!("native/preload.c")),
    ("writer.cpp", include_str!("native/writer.cpp")),
];

/// The file that records the inputs of a compiled folder.
const RECORD: &str = "made-of.txt";

/// The library for `LD_PRELOAD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preload {
    /// The library.
    pub library: PathBuf,
    /// The `libHalide.so` for which it was compiled.
    pub halide: PathBuf,
}

/// The library for the Halide in a folder, by default that of the Python package. It starts
/// `judge`, a `halidom` program. The library is compiled if it is not in the user's cache.
///
/// # Errors
/// Returns an error if there is no Halide, if its compiler fails, or if the cache is not private:
/// whoever can write it can run code in the user's programs.
pub fn preload(folder: Option<&Path>, judge: &Path) -> Result<Preload, BridgeError> {
    let python = find();
    let place = match folder {
        Some(folder) => Place::of(folder)?,
        None => {
            Place::of(&super::native::package(python.as_ref().map_err(|_| BridgeError::Missing)?)?)?
        }
    };
    let python = python.unwrap_or_default();
    let installed = Installed::in_places(&place.header, &place.library)?;
    let mut record = installed.record(&SOURCES);
    record.extend([format!("{} {}\n", judge.display(), python.display())]);

    let cache = cache();
    let folder = cache.join(format!("halide-preload-{:016x}", hash(record.as_bytes())));
    if let Some(found) = [':', ' ', '\n'].into_iter().find(|c| shown(&folder).contains(*c)) {
        let why = format!("its path has `{}`, which LD_PRELOAD cannot take", found.escape_debug());
        return Err(BridgeError::Cache { folder: cache, why });
    }
    let made = Preload { library: folder.join("preload.so"), halide: place.library.clone() };
    if folder.is_dir() {
        private(&folder)?;
        if fs::read(folder.join(RECORD)).is_ok_and(|found| found == record.as_bytes()) {
            return Ok(made);
        }
    }
    fs::create_dir_all(&cache)?;
    let building = cache.join(format!("halide-preload-building-{}", unique()));
    fs::DirBuilder::new().mode(0o700).create(&building)?;
    let done = place.compile(installed.compiler(), &building, &folder, [judge, &python]);
    let done = done.and_then(|()| Ok(fs::write(building.join(RECORD), &record)?));
    let put = done.and_then(|()| put(&building, &folder, &record));
    if put.is_err() {
        // The error is worth more than the remains.
        let _ = fs::remove_dir_all(&building);
    }
    put.map(|()| made)
}

/// Puts a compiled folder in place. Another process may have done the same meanwhile.
fn put(building: &Path, folder: &Path, record: &str) -> Result<(), BridgeError> {
    if fs::rename(building, folder).is_ok() {
        return Ok(());
    }
    private(folder)?;
    if fs::read(folder.join(RECORD)).is_ok_and(|found| found == record.as_bytes()) {
        return Ok(fs::remove_dir_all(building)?);
    }
    // Remains of another record with this hash, or of a cache that was damaged.
    fs::remove_dir_all(folder)?;
    Ok(fs::rename(building, folder)?)
}

/// Checks that nobody else can write a folder.
fn private(folder: &Path) -> Result<(), BridgeError> {
    let about = fs::symlink_metadata(folder)?;
    let own = fs::metadata("/proc/self")?.uid();
    let why = if !about.is_dir() {
        "it is no folder"
    } else if about.uid() != own {
        "it belongs to another user"
    } else if about.mode() & 0o022 != 0 {
        "other users can write it"
    } else {
        return Ok(());
    };
    Err(BridgeError::Cache { folder: folder.to_owned(), why: why.to_owned() })
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// An installed Halide.
struct Place {
    /// `Halide.h`.
    header: PathBuf,
    /// The shared library.
    library: PathBuf,
}

impl Place {
    /// The Halide in a folder: a Python package, an unpacked release, or a prefix such as `/usr`.
    fn of(folder: &Path) -> Result<Self, BridgeError> {
        let lacks = |missing: &str| BridgeError::NotHalide {
            folder: folder.to_owned(),
            missing: missing.to_owned(),
        };
        let header = folder.join("include/Halide.h");
        if !header.is_file() {
            return Err(lacks("include/Halide.h"));
        }
        let places = ["lib64", "lib", "lib/x86_64-linux-gnu"];
        let libraries = places.map(|place| folder.join(place));
        let library = libraries.iter().map(|place| place.join("libHalide.so"));
        if let Some(library) = library.into_iter().find(|library| library.is_file()) {
            // The compiler runs in another folder.
            let header = std::path::absolute(header)?;
            return Ok(Self { header, library: fs::canonicalize(library)? });
        }
        let fixed = libraries.iter().any(|place| place.join("libHalide.a").is_file());
        Err(lacks(if fixed {
            "a libHalide.so: the calls of a static libHalide.a cannot be seen"
        } else {
            "lib64/libHalide.so"
        }))
    }

    /// Compiles both libraries in `building`, which will be renamed to `folder`.
    fn compile(
        &self,
        compiler: &Path,
        building: &Path,
        folder: &Path,
        [judge, python]: [&Path; 2],
    ) -> Result<(), BridgeError> {
        for (name, source) in SOURCES {
            fs::write(building.join(name), source)?;
        }
        let include = self.header.parent().unwrap_or(Path::new("."));
        let libraries = self.library.parent().unwrap_or(Path::new("."));
        let mut command = Command::new(compiler);
        // Most of the time goes into reading Halide's header; nothing here is worth optimizing.
        command.current_dir(building).args(["-std=c++17", "-O0", "-fPIC", "-shared", "-w"]);
        command.args(["-o", "writer.so", "writer.cpp", "-I"]).arg(include);
        command.arg(&self.library).arg(rpath(libraries));
        compiled(compiler, &mut command)?;

        let mut command = Command::new(compiler);
        command.current_dir(building).args(["-x", "c", "-std=gnu11", "-O1", "-fPIC", "-shared"]);
        // A program without C++ must not get its library.
        command.args(["-fexceptions", "-Wl,--as-needed", "-o", "preload.so", "preload.c"]);
        for (name, path) in [
            ("HALIDOM_WRITER", folder.join("writer.so").as_path()),
            ("HALIDOM_JUDGE", judge),
            ("HALIDOM_PYTHON", python),
        ] {
            command.arg(format!("-D{name}={}", literal(path)));
        }
        let size = fs::metadata(&self.library)?.len();
        command.arg(format!("-DHALIDOM_LIBRARY_SIZE={size}LL")).args(["-ldl", "-lpthread"]);
        compiled(compiler, &mut command)
    }
}

/// A path as a string of C.
fn literal(path: &Path) -> String {
    let mut text = String::from("\"");
    for byte in path.as_os_str().as_encoded_bytes() {
        text.extend(['\\', char::from(b'0' + (byte >> 6)), char::from(b'0' + (byte >> 3 & 7))]);
        text.push(char::from(b'0' + (byte & 7)));
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_string_of_c() {
        assert_eq!(literal(Path::new("a\"é")), r#""\141\042\303\251""#);
    }

    #[test]
    fn a_folder_without_halide_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = |place: &Path| match Place::of(place) {
            Err(BridgeError::NotHalide { missing, .. }) => missing,
            Err(error) => error.to_string(),
            Ok(_) => "nothing".to_owned(),
        };
        assert_eq!(missing(folder.path()), "include/Halide.h");
        fs::create_dir_all(folder.path().join("include")).expect("a folder");
        fs::create_dir_all(folder.path().join("lib")).expect("a folder");
        fs::write(folder.path().join("include/Halide.h"), "").expect("a file");
        assert_eq!(missing(folder.path()), "lib64/libHalide.so");
        fs::write(folder.path().join("lib/libHalide.a"), "").expect("a file");
        assert!(missing(folder.path()).contains("static libHalide.a"));
        fs::write(folder.path().join("lib/libHalide.so"), "").expect("a file");
        assert_eq!(missing(folder.path()), "nothing");
    }

    #[test]
    fn a_folder_that_others_can_write_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        assert!(private(folder.path()).is_ok());
        let open = fs::Permissions::from_mode(0o777);
        fs::set_permissions(folder.path(), open).expect("a mode");
        let refused = private(folder.path()).expect_err("others can write it");
        assert!(refused.to_string().contains("other users can write it"), "{refused}");
    }
}
