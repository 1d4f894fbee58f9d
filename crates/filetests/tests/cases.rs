//! Runs every case under `tests/cases/`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use halidom_filetests::{Case, find};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Paths in expectations are relative to the repository.
    std::env::set_current_dir(&root).expect("the repository's root exists");
    let cases = find(Path::new("tests/cases")).expect("the folder of cases can be read");
    assert!(!cases.is_empty(), "there are no cases");
    let trials = cases
        .into_iter()
        .map(|path| Trial::test(path.display().to_string(), move || check(&path)))
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn check(path: &PathBuf) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let case = Case::read(&text).ok_or("the first line is not `// command: …`")?;
    let observed = case.observe(path);
    if observed == case.expected {
        return Ok(());
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, case.program + &observed)?;
        return Ok(());
    }
    Err(format!("expected:\n{}\nobserved:\n{observed}", case.expected).into())
}
