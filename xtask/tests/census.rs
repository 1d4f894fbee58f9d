//! The wrapper that collects pipelines from unedited Python programs (`tests/halide/census`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program with three pipelines. It compiles one of them twice.
const PROGRAM: &str = "\
import halide as hl
f, x = hl.Func('f'), hl.Var('x')
f[x] = x + 1
print(f.realize([4])[3], f.realize([9])[8])
f.vectorize(x, 4).compile_jit()
hl.Pipeline(f.parallel(x)).compile_to_c('f.c', [], 'f', hl.Target('host-no_asserts'))
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The output of the installed Halide's Python.
fn python(words: &[&str]) -> String {
    let mut command = Command::new(root().join(".venv/bin/python"));
    let output = command.args(words).current_dir(root()).output().expect("Python runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn pipelines_of_a_program_are_collected() {
    if python_is_missing() {
        println!("skipped: Halide is not installed in .venv");
        return;
    }
    let folder = std::env::temp_dir().join(format!("halidom-census-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let program = folder.join("program.py");
    fs::write(&program, PROGRAM).expect("a file");
    let [place, file] = [&folder, &program].map(|path| path.display().to_string());
    let listed = python(&["tests/halide/census/collect.py", "list", &place, &file]);
    assert_eq!(listed, "1\thost\n2\thost\n3\thost-no_asserts\n");
    let second = format!(
        "import sys; sys.path.insert(0, 'tests/halide/census'); import collect; \
         made = collect.only('{place}', '{file}', [], 2); print(made.outputs()[0].name())"
    );
    assert_eq!(python(&["-c", &second]), "f\n");
    let broken = PROGRAM.replace("f[x] = x + 1", "f[x] = y");
    fs::write(&program, broken).expect("a file");
    let listed = python(&["tests/halide/census/collect.py", "list", &place, &file]);
    assert!(listed.starts_with("error\tNameError"), "{listed}");
    fs::remove_dir_all(&folder).expect("the folder is there");
}

fn python_is_missing() -> bool {
    let python = root().join(".venv/bin/python");
    let imported = Command::new(python).args(["-c", "import halide"]).output();
    !imported.is_ok_and(|output| output.status.success())
}
