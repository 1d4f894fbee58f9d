//! Compiles the C runtime to the shared library that the crate carries. Pipelines that are compiled
//! while Halidom runs are loaded next to it, so nobody waits for its compilation. Libraries that
//! are built ahead of time carry the runtime's source, compiled with them, instead.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

#[path = "src/native/flags.rs"]
mod flags;

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../runtime");
    let built = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo::rerun-if-changed={}", runtime.display());
    let mut text = String::new();
    for name in ["halidom_runtime.c", "halidom_math.c"] {
        text += &fs::read_to_string(runtime.join(name))?;
    }
    let source = built.join("runtime.c");
    fs::write(&source, text)?;
    let library = built.join("runtime.so");
    for compiler in flags::CANDIDATES {
        let mut command = Command::new(compiler);
        command.args(flags::EVERYWHERE).args(["-ffp-contract=off", "-Wall", "-shared", "-pthread"]);
        command.arg("-I").arg(&runtime).arg(&source).arg("-o").arg(&library);
        // A compiler that is absent is skipped; one that refuses the runtime is a defect.
        if let Ok(status) = command.stdin(Stdio::null()).status() {
            if status.success() {
                return Ok(());
            }
            return Err([compiler, " does not compile the runtime"].concat().into());
        }
    }
    Err(["no C compiler was found: looked for ", &flags::CANDIDATES.join(", ")].concat().into())
}
