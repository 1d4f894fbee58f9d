//! `cargo xtask sanitize`: runs the emitted C of all examples under AddressSanitizer and UBSan, and
//! compiles it without a warning.

use crate::error::Error;
use crate::json::Json;
use crate::process::{self, capture, cargo, program, root};
use crate::{setup, table};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "sanitize",
    summary: "runs the emitted C of all examples under AddressSanitizer and UBSan, at odd sizes",
    help: "\
Builds the driver's tests `every_example`, `table1_native` and `realigned` and runs them for gcc and
clang-19, with a compiler that adds -fsanitize=address,undefined -Wall -Wextra -Werror to every
compile. The tests run every file under examples and examples/applications under every schedule, at
twenty sizes (including the empty one and a single pixel) and on a picture; every program of Table 1
under every schedule, at odd sizes that its entry checks accept; and, for each type, stencils that
read next to their vectors. First puts a fault for each sanitizer into the C; the sanitizer must
find it. Installs Debian's libclang-rt-19-dev for clang; if that is not available, clang is left
out. Takes about ten minutes of CPU time.

example: cargo xtask sanitize",
    run,
    options: &[],
};

/// The modules of tests to run, of this test program.
const TESTS: [&str; 3] = ["every_example::", "table1_native::", "realigned::"];
const PROGRAM: &str = "all";

/// A compiler and the library of its AddressSanitizer, which the process must load first.
struct Compiler {
    name: &'static str,
    library: &'static str,
}

const COMPILERS: [Compiler; 2] = [
    Compiler { name: "gcc", library: "libasan.so" },
    Compiler { name: "clang-19", library: "libclang_rt.asan-x86_64.so" },
];

/// Faults to put before the C, and the report that each must cause.
const FAULTS: [(&str, &str); 2] = [
    (
        "void *malloc(unsigned long);
static __attribute__((constructor)) void fault(void) {
    volatile int length = 4;
    volatile char *block = malloc(length);
    block[length] = 1;
}
",
        "heap-buffer-overflow",
    ),
    (
        "static __attribute__((constructor)) void fault(void) {
    volatile int most = 2147483647;
    most = most + 1;
}
",
        "signed integer overflow",
    ),
];

fn run() -> Result<(), Error> {
    setup::ensure()?;
    let path = build()?;
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for compiler in COMPILERS {
        let Some(library) = compiler.library()? else {
            println!("{} is left out: it has no sanitizers here", compiler.name);
            continue;
        };
        for (fault, expected) in FAULTS {
            let script = compiler.script(Some(fault))?;
            let output = capture(sanitized(&path, &script, &library).arg(TESTS[0]))?;
            let said = String::from_utf8_lossy(&output.stderr);
            if output.status.success() || !said.contains(expected) {
                failed.push(format!("{}: a {expected} is not found", compiler.name));
            }
        }
        let script = compiler.script(None)?;
        for test in TESTS {
            let name = test.trim_end_matches(':');
            println!("{}: {name} …", compiler.name);
            let begin = Instant::now();
            let status =
                process::run(sanitized(&path, &script, &library).args([test, "--nocapture"]));
            let outcome = if status.is_ok() { "clean" } else { "not clean" };
            if status.is_err() {
                failed.push(format!("{}: {name}", compiler.name));
            }
            let seconds = format!("{:.0}", begin.elapsed().as_secs_f64());
            rows.push(vec![compiler.name.to_owned(), name.to_owned(), outcome.to_owned(), seconds]);
        }
    }
    println!("\n{}", table::layout(&["compiler", "test", "", "seconds"], &rows));
    if failed.is_empty() { Ok(()) } else { Err(Error::Unsanitary(failed)) }
}

/// Builds the tests and returns their program.
fn build() -> Result<PathBuf, Error> {
    let mut command = cargo(&["test", "--release", "--package", "halidom-driver", "--no-run"]);
    command.args(["--test", PROGRAM]);
    command.arg("--message-format=json");
    let output = capture(&mut command)?;
    let shown = process::shown(&command);
    if !output.status.success() {
        print!("{}", String::from_utf8_lossy(&output.stderr));
        return Err(Error::Failed { command: shown, status: output.status });
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let messages: Vec<Json> = text.lines().filter_map(|line| Json::parse(line).ok()).collect();
    let built = messages.iter().find_map(|message| {
        let name = message.get("target")?.get("name")?.text()?;
        let path = message.get("executable")?.text()?;
        (name == PROGRAM).then(|| PathBuf::from(path))
    });
    let problem = format!("no program of the test {PROGRAM}");
    built.ok_or(Error::Output { command: shown, problem })
}

/// Makes a command for a test that compiles C with a script as its compiler.
fn sanitized(test: &Path, script: &Path, library: &Path) -> Command {
    let mut command = program(test);
    command.env("HALIDOM_CC", script);
    // Leaks in the compilers' own processes do not matter.
    command.env("LD_PRELOAD", library).env("ASAN_OPTIONS", "detect_leaks=0");
    command.env("UBSAN_OPTIONS", "print_stacktrace=1");
    command
}

impl Compiler {
    /// Finds the library of the compiler's AddressSanitizer; `None` if it is not installed.
    fn library(&self) -> Result<Option<PathBuf>, Error> {
        if !process::is_installed(self.name) {
            return Ok(None);
        }
        let find = || -> Result<Option<PathBuf>, Error> {
            let argument = format!("-print-file-name={}", self.library);
            let output = capture(program(self.name).arg(argument))?;
            let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
            // The compiler prints a file that it does not find unchanged.
            Ok(path.is_absolute().then_some(path).filter(|path| path.is_file()))
        };
        if let Some(path) = find()? {
            return Ok(Some(path));
        }
        if let Err(error) = setup::ensure_sanitizers() {
            println!("{error}");
        }
        find()
    }

    /// Writes a program that compiles like this compiler, with sanitizers and, if given, with a
    /// fault before the C.
    fn script(&self, fault: Option<&str>) -> Result<PathBuf, Error> {
        let folder = root().join("target/sanitize");
        let write = |path: &Path, text: &str| {
            fs::create_dir_all(&folder)
                .and_then(|()| fs::write(path, text))
                .and_then(|()| fs::set_permissions(path, fs::Permissions::from_mode(0o755)))
                .map_err(|cause| Error::File { path: path.to_owned(), cause })
        };
        let mut added =
            "-fsanitize=address,undefined -fno-sanitize-recover=all -Wall -Wextra -Werror \
             -Wno-invalid-feature-combination"
                .to_owned();
        if self.name != "gcc" {
            added += " -shared-libsan";
        }
        if let Some(fault) = fault {
            let header = folder.join("fault.h");
            write(&header, fault)?;
            added += " -include '";
            added += &header.to_string_lossy();
            added += "'";
        }
        let path = folder.join(self.name);
        let name = self.name;
        let text = format!(
            "#!/bin/sh
# {name} with sanitizers, and without the option that hides warnings.
unset LD_PRELOAD
[ \"$1\" = --version ] && exec {name} --version
for word; do shift; [ \"$word\" = -w ] || set -- \"$@\" \"$word\"; done
exec {name} \"$@\" {added}
"
        );
        write(&path, &text)?;
        Ok(path)
    }
}
