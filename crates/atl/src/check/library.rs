//! The library's compiled objects. They are made once, kept in a folder of the user's, and taken
//! from there only if they are unchanged.
//!
//! # Correctness
//! The folder's name contains the digest of the library's text and Coq's version. The folder has a
//! seal: the digest of every object. A file is used only if it and the folder belong to this user,
//! if nobody else may write them, and if its bytes have the digest of the seal. From then on these
//! bytes in memory are used. If the folder contains anything else, the library is compiled again.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::error::{CheckError, at, is, read};
use super::process::{COQC, Coq, Ended, LOAD_PATH, Run};

/// The library's files, in the order of compilation.
pub const LIBRARY: [(&str, &str); 12] = [
    ("Tensor", include_str!("../../../../coq/Tensor.v")),
    ("Rules", include_str!("../../../../coq/Rules.v")),
    ("Reshape", include_str!("../../../../coq/Reshape.v")),
    ("Distribute", include_str!("../../../../coq/Distribute.v")),
    ("Loop", include_str!("../../../../coq/Loop.v")),
    ("Machine", include_str!("../../../../coq/Machine.v")),
    ("Lower", include_str!("../../../../coq/Lower.v")),
    ("Parallel", include_str!("../../../../coq/Parallel.v")),
    ("Print", include_str!("../../../../coq/Print.v")),
    ("Instances", include_str!("../../../../coq/Instances.v")),
    ("Paper", include_str!("../../../../coq/Paper.v")),
    ("Certificate", include_str!("../../../../coq/Certificate.v")),
];

/// The module that no certificate loads. It is compiled because it belongs to the claims about the
/// library.
const UNUSED: &str = "Paper";

const SEAL: &str = "seal";
const AUDITED: &str = "audited";

/// The modules that certificates load.
pub(super) fn modules() -> Vec<String> {
    let used = LIBRARY.iter().filter(|(name, _)| *name != UNUSED);
    used.map(|(name, _)| format!("Halidom.{name}")).collect()
}

/// The compiled library, in memory.
#[derive(Clone, Debug)]
pub(super) struct Objects(Arc<[(&'static str, Vec<u8>)]>);

impl Objects {
    pub(super) fn write(&self, folder: &Path) -> Result<(), CheckError> {
        for (name, object) in self.0.iter() {
            let path = folder.join(format!("{name}.vo"));
            fs::write(&path, object).map_err(at(&path))?;
        }
        Ok(())
    }

    /// True if a folder has these objects.
    pub(super) fn are_in(&self, folder: &Path) -> bool {
        self.0.iter().all(|(name, object)| is(&folder.join(format!("{name}.vo")), object))
    }

    fn seal(&self) -> String {
        let mut text = String::new();
        for (name, object) in self.0.iter() {
            let _ = writeln!(text, "{} {name}.vo", digest([object.as_slice()]));
        }
        text
    }
}

/// The SHA-256 of some bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The SHA-256 of some parts with their lengths.
fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hexadecimal(&hash.finalize())
}

/// Makes a new folder that only this user can enter.
pub(super) fn fresh(parent: &Path) -> Result<PathBuf, CheckError> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let parent = std::path::absolute(parent).map_err(at(parent))?;
    fs::create_dir_all(&parent).map_err(at(&parent))?;
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("coq-work-{}-{number}", std::process::id()));
        match fs::DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            // A killed process with the same number left this folder.
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {}
            Err(cause) => return Err(CheckError::File { path, cause }),
        }
    }
}

/// The library's objects. They are taken from the cache if they are unchanged there, else compiled.
pub(super) fn objects(coq: &Coq, cache: &Path, limit: Duration) -> Result<Objects, CheckError> {
    let folder = folder(coq, cache);
    if let Some(found) = kept(&folder) {
        return Ok(found);
    }
    let work = fresh(cache)?;
    let compiled = compile(coq, &work, limit);
    let result = compiled.and_then(|objects| {
        let inner = work.join("library");
        fs::write(inner.join(SEAL), objects.seal()).map_err(at(&inner))?;
        // Another process may have put the library there in the meantime. Anything else there is
        // replaced.
        if kept(&folder).is_none() {
            let _ = fs::remove_dir_all(&folder);
            if fs::rename(&inner, &folder).is_err() && kept(&folder).is_none() {
                let cause = io::Error::other("the compiled library cannot be put there");
                return Err(CheckError::File { path: folder.clone(), cause });
            }
        }
        Ok(objects)
    });
    let _ = fs::remove_dir_all(&work);
    result
}

/// Returns the folder of the cache that has the objects, unchanged.
pub(super) fn kept_in(coq: &Coq, cache: &Path) -> Option<PathBuf> {
    let folder = folder(coq, cache);
    kept(&folder).is_some().then_some(folder)
}

/// The folder in which the library is kept.
fn folder(coq: &Coq, cache: &Path) -> PathBuf {
    let path = coq.coqc.to_string_lossy();
    let own = [coq.version.as_bytes(), path.as_bytes()];
    let texts = LIBRARY.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]);
    cache.join(format!("coq-{}", &digest(texts.chain(own))[..32]))
}

fn compile(coq: &Coq, work: &Path, limit: Duration) -> Result<Objects, CheckError> {
    for inner in ["library", "statement", "proof", "check"] {
        let inner = work.join(inner);
        fs::DirBuilder::new().mode(0o700).create(&inner).map_err(at(&inner))?;
    }
    let mut all = Vec::new();
    for (name, text) in LIBRARY {
        let path = work.join("library").join(format!("{name}.v"));
        fs::write(&path, text).map_err(at(&path))?;
        let mut run = Run::new(&coq.coqc, work, limit);
        run.arguments(COQC).arguments(&LOAD_PATH).path(&path);
        match run.run().map_err(at(&path))?.0 {
            Ended::Well { .. } => all.push((name, read(&path.with_extension("vo"))?)),
            Ended::Badly { message, .. } | Ended::Late(message) => {
                return Err(CheckError::Own { file: name, message });
            }
        }
    }
    Ok(Objects(Arc::from(all)))
}

/// The objects of a folder, if the folder is unchanged.
fn kept(folder: &Path) -> Option<Objects> {
    let metadata = fs::symlink_metadata(folder).ok()?;
    let user = user(folder)?;
    if !metadata.is_dir() || metadata.uid() != user || metadata.mode() & 0o077 != 0 {
        return None;
    }
    let seal = own(&folder.join(SEAL), user)?;
    let mut all = Vec::new();
    for (name, _) in LIBRARY {
        all.push((name, own(&folder.join(format!("{name}.vo")), user)?));
    }
    let objects = Objects(Arc::from(all));
    (objects.seal().as_bytes() == seal).then_some(objects)
}

/// The bytes of a file that belongs to a user and that nobody else may write.
fn own(path: &Path, user: u32) -> Option<Vec<u8>> {
    let is_link = fs::symlink_metadata(path).ok()?.is_symlink();
    let mut file = File::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    if is_link || !metadata.is_file() || metadata.uid() != user || metadata.mode() & 0o022 != 0 {
        return None;
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// This process's user, which is the owner of a folder that it makes.
fn user(beside: &Path) -> Option<u32> {
    let made = fresh(beside.parent()?).ok()?;
    let user = fs::symlink_metadata(&made).ok().map(|metadata| metadata.uid());
    let _ = fs::remove_dir(&made);
    user
}

/// Runs `coqchk` on the library and everything that it rests on, and records that it passed.
pub(super) fn audit(
    coq: &Coq,
    objects: &Objects,
    cache: &Path,
    accept: impl Fn(&str) -> Result<(), String>,
) -> Result<(), CheckError> {
    let seal = objects.seal();
    let mark = folder(coq, cache).join(AUDITED);
    let done = user(&folder(coq, cache)).and_then(|user| own(&mark, user));
    if done.is_some_and(|done| done == seal.as_bytes()) {
        return Ok(());
    }
    let work = fresh(cache)?;
    let result = (|| {
        for inner in ["library", "statement", "proof", "check"] {
            let inner = work.join(inner);
            fs::create_dir(&inner).map_err(at(&inner))?;
        }
        objects.write(&work.join("library"))?;
        let mut run = Run::new(&coq.coqchk, &work, Duration::from_mins(15));
        run.arguments(&["-silent", "-o"]).arguments(&LOAD_PATH);
        for module in modules() {
            run.arguments(&[module.as_str()]);
        }
        match run.run().map_err(at(&work))?.0 {
            Ended::Well { printed, reported } => {
                accept(&(printed + &reported)).map_err(CheckError::Installation)?
            }
            Ended::Badly { message, .. } | Ended::Late(message) => {
                return Err(CheckError::Installation(message));
            }
        }
        fs::write(&mark, &seal).map_err(at(&mark))
    })();
    let _ = fs::remove_dir_all(&work);
    result
}
