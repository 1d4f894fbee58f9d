//! `cargo xtask editors`: the extension for Visual Studio Code, tested and packaged.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::process::{self, halidom, is_installed, program, root};

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "editors",
    summary: "tests the extension for Visual Studio Code with npm packages",
    help: "\
Copies editors/vscode to target/editors/vscode, installs its npm packages there, and runs its tests:
the client with the language server and a stub of the editor, and the highlighting of every example.
Skips with a message if Node.js or npm is missing.

  --package  also packages the extension: target/editors/vscode/halidom.vsix

example: cargo xtask editors --package",
    run: test,
    options: &[("--package", crate::Action::Alone(package))],
};

/// The programs that the packages need.
const PROGRAMS: [&str; 2] = ["node", "npm"];

/// The package, below the folder of the extension.
const PACKAGE: &str = "halidom.vsix";

fn test() -> Result<(), Error> {
    prepared().map(drop)
}

fn package() -> Result<(), Error> {
    let Some(folder) = prepared()? else { return Ok(()) };
    let vsce = ["--no-install", "vsce", "package", "--allow-missing-repository", "--out", PACKAGE];
    process::run(in_folder("npx", &folder).args(vsce))?;
    println!("the extension is {}", folder.join(PACKAGE).display());
    Ok(())
}

/// Installs the packages and runs the tests. Returns the folder, or `None` if they are skipped.
fn prepared() -> Result<Option<PathBuf>, Error> {
    if let Some(missing) = PROGRAMS.iter().find(|name| !is_installed(name)) {
        println!("skipped: `{missing}` is not installed");
        return Ok(None);
    }
    let folder = root().join("target/editors/vscode");
    copy(&root().join("editors/vscode"), &folder)?;
    for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&root().join(license), &folder.join(license))?;
    }
    process::run(in_folder("npm", &folder).args(["install", "--no-audit", "--no-fund"]))?;
    let halidom = halidom()?;
    process::run(
        in_folder("npm", &folder)
            .args(["test"])
            .env("HALIDOM", halidom)
            .env("EXAMPLES", root().join("examples")),
    )?;
    Ok(Some(folder))
}

fn in_folder(name: &str, folder: &Path) -> std::process::Command {
    let mut command = program(name);
    command.current_dir(folder);
    command
}

/// Copies a file, or a folder with everything in it.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    let failed = |cause| Error::File { path: to.to_owned(), cause };
    if !from.is_dir() {
        return fs::copy(from, to).map(drop).map_err(failed);
    }
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}
