//! `cargo xtask studio`: the page of `halidom studio`, tested in a browser.

use std::env;
use std::path::PathBuf;

use crate::editors::copy;
use crate::error::Error;
use crate::process::{self, halidom, is_installed, program, root};

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "studio",
    summary: "tests the page of `halidom studio` in headless Chromium",
    help: "\
Copies crates/studio/browser to target/studio, installs its npm package there, and runs its tests: a
text is edited, proved, refuted and saved on the page in a browser. Pictures of the page are written
to target/studio. Skips with a message if Node.js, npm or Chromium is missing.

example: cargo xtask studio",
    run: test,
    options: &[],
};

/// The programs that the test needs besides the browser.
const PROGRAMS: [&str; 2] = ["node", "npm"];
/// The names of the browser.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

fn test() -> Result<(), Error> {
    if let Some(missing) = PROGRAMS.iter().find(|name| !is_installed(name)) {
        println!("skipped: `{missing}` is not installed");
        return Ok(());
    }
    let Some(browser) = browser() else {
        println!("skipped: Chromium is not installed");
        return Ok(());
    };
    let folder = root().join("target/studio");
    copy(&root().join("crates/studio/browser"), &folder)?;
    let npm = |words: &[&str]| {
        let mut command = program("npm");
        command.current_dir(&folder).args(words);
        command
    };
    process::run(&mut npm(&["install", "--ignore-scripts", "--no-audit", "--no-fund"]))?;
    let halidom = halidom()?;
    process::run(
        npm(&["test"]).env("HALIDOM", halidom).env("BROWSER", browser).env("REPOSITORY", root()),
    )?;
    println!("the pictures are in {}", folder.display());
    Ok(())
}

fn browser() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let files =
        BROWSERS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    files.into_iter().find(|file| file.is_file())
}
