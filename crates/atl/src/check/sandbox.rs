//! The sandbox for compiling `Proof.v`, which protects the rest of the machine.
//!
//! A Coq file can write files (`Redirect`, `Extraction`, `Print Universes`) and load plugins. In a
//! sandbox it sees Coq, the library, the statement and its own folder, and of these it can write
//! only to its folder. If the machine has no sandbox, the files that matter are compared
//! afterwards, and everything that follows is done in another folder. Other files that this user
//! may write are then not protected.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::process::{COQC, Coq, Ended, LOAD_PATH, Run, program};

/// The kinds of sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sandbox {
    /// `bwrap`, from Debian's package bubblewrap.
    Bubblewrap,
    /// `unshare` and `chroot`, which every Linux has.
    Namespaces,
    /// A separate folder, and nothing more.
    Folder,
}

impl Sandbox {
    /// The sandbox in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bubblewrap => "bubblewrap",
            Self::Namespaces => "namespaces",
            Self::Folder => "a folder of its own",
        }
    }
}

/// The parts of the system that Coq needs, if the system installed it.
const SYSTEM: &[&str] = &[
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    "/etc/ld.so.cache",
    "/etc/ocamlfind.conf",
    "/etc/ocamlfind.conf.d",
];

/// Enters a new root made in the work folder `$1`, and runs a command there. `$2` is the number of
/// system paths that follow; they are mounted read-only. The rest is the command. Of the work
/// folder, only `proof` is mounted writable.
const ENTER: &str = "\
set -e
work=$1; shift
root=$work/root
mkdir -p \"$root\"
mount -t tmpfs none \"$root\"
n=$1; shift
while [ \"$n\" -gt 0 ]; do
  from=$1; shift; n=$((n - 1))
  if [ -d \"$from\" ]; then mkdir -p \"$root$from\"; mount --rbind \"$from\" \"$root$from\"
  elif [ -e \"$from\" ]; then mkdir -p \"$(dirname \"$root$from\")\"; : > \"$root$from\"; mount \
  --bind \"$from\" \"$root$from\"
  else continue; fi
  mount -o remount,bind,ro \"$root$from\"
done
mkdir -p \"$root/inside\"
for inner in library statement proof; do
  mkdir \"$root/inside/$inner\"
  mount --bind \"$work/$inner\" \"$root/inside/$inner\"
  [ $inner = proof ] || mount -o remount,bind,ro \"$root/inside/$inner\"
done
mkdir \"$root/inside/check\" \"$root/dev\"
exec chroot \"$root\" /bin/sh -c 'cd /inside && exec \"$@\"' sh \"$@\"
";

/// Finds the best sandbox that works here.
pub(super) fn find(coq: &Coq) -> Sandbox {
    let works = |sandbox: Sandbox| {
        let Ok(folder) = super::library::fresh(&std::env::temp_dir()) else { return false };
        for inner in ["library", "statement", "proof", "check"] {
            if std::fs::create_dir(folder.join(inner)).is_err() {
                return false;
            }
        }
        let run = enter(sandbox, coq, &folder, &["--print-version"], Duration::from_secs(20));
        let works = run.run().is_ok_and(|(ended, _)| matches!(ended, Ended::Well { .. }));
        let _ = std::fs::remove_dir_all(folder);
        works
    };
    [Sandbox::Bubblewrap, Sandbox::Namespaces]
        .into_iter()
        .find(|sandbox| works(*sandbox))
        .unwrap_or(Sandbox::Folder)
}

/// Prepares the compilation of `proof/Proof.v` in a folder.
pub(super) fn compile(sandbox: Sandbox, coq: &Coq, folder: &Path, limit: Duration) -> Run {
    let mut arguments = COQC.to_vec();
    arguments.extend(LOAD_PATH);
    arguments.push("proof/Proof.v");
    enter(sandbox, coq, folder, &arguments, limit)
}

/// Prepares `coqc` in a sandbox, in a folder of [`super::Folder`].
fn enter(sandbox: Sandbox, coq: &Coq, folder: &Path, arguments: &[&str], limit: Duration) -> Run {
    let system = system(coq);
    let word = |path: &Path| path.as_os_str().to_owned();
    match sandbox {
        Sandbox::Folder => {
            let mut run = Run::new(&coq.coqc, folder, limit);
            run.arguments(arguments);
            run
        }
        Sandbox::Bubblewrap => {
            let bwrap = program("bwrap").unwrap_or_else(|| PathBuf::from("/usr/bin/bwrap"));
            let mut run = Run::new(&bwrap, folder, limit);
            run.arguments(&["--unshare-all", "--die-with-parent", "--new-session", "--clearenv"])
                .arguments(&["--setenv", "HOME", "/inside/proof", "--setenv", "LC_ALL", "C.UTF-8"])
                .arguments(&["--setenv", "PATH", "/usr/bin:/bin", "--dev", "/dev", "--proc"])
                .arguments(&[
                    "/proc",
                    "--tmpfs",
                    "/tmp",
                    "--dir",
                    "/inside",
                    "--dir",
                    "/inside/check",
                ]);
            for path in &system {
                run.arguments(&["--ro-bind-try"]).path(path).path(path);
            }
            for (inner, how) in
                [("library", "--ro-bind"), ("statement", "--ro-bind"), ("proof", "--bind")]
            {
                let inside = Path::new("/inside").join(inner);
                run.arguments(&[how]).path(&folder.join(inner)).path(&inside);
            }
            run.arguments(&["--chdir", "/inside"]).path(&coq.coqc).arguments(arguments);
            run
        }
        Sandbox::Namespaces => {
            let unshare = program("unshare").unwrap_or_else(|| PathBuf::from("/usr/bin/unshare"));
            let mut run = Run::new(&unshare, folder, limit);
            run.arguments(&["--user", "--map-root-user", "--mount", "--net", "--ipc", "--pid"])
                .arguments(&["--fork", "--kill-child", "/bin/sh", "-c", ENTER, "sh"])
                .words([word(folder), OsString::from(system.len().to_string())])
                .words(system.iter().map(|path| word(path)))
                .path(&coq.coqc)
                .arguments(arguments);
            run
        }
    }
}

/// The parts of the system that a sandbox shows. For a Coq that is installed elsewhere, they
/// include the folder above its `bin`.
fn system(coq: &Coq) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    let real = std::fs::canonicalize(&coq.coqc).unwrap_or_else(|_| coq.coqc.clone());
    for path in [&coq.coqc, &real] {
        let prefix = path.parent().and_then(Path::parent);
        if let Some(prefix) = prefix
            && prefix != Path::new("/")
            && !all.iter().any(|known| prefix.starts_with(known))
        {
            all.push(prefix.to_owned());
        }
    }
    all
}
