//! Tests the C runtime under each installed compiler: it compiles without a warning, with and
//! without futexes, and passes its own test program on 1, 2 and 8 threads. A sweep also runs it
//! under `ThreadSanitizer`, where each run takes most of a minute.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A way to compile the runtime, and the intensity of its test.
struct Variant {
    compiler: &'static str,
    options: &'static [&'static str],
    /// The number of loops that the test starts in a row.
    forks: usize,
}

const VARIANTS: &[Variant] = &[
    Variant { compiler: "gcc", options: &["-O2"], forks: 100_000 },
    Variant { compiler: "gcc", options: &["-O2", "-DHALIDOM_NO_FUTEX"], forks: 100_000 },
    Variant {
        compiler: "gcc",
        // Applies to the library that the test loads, too: the sanitizer sees the order that its
        // atomics establish only if they are instrumented.
        options: &["-O1", "-fsanitize=thread"],
        forks: 1000,
    },
    Variant { compiler: "clang-19", options: &["-O2"], forks: 100_000 },
];

const STRICT: &[&str] = &["-std=c11", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// The share of the loops that a run of all tests starts. `cargo xtask sweep` starts all.
const SHARE: usize = 25;

/// The share of these that more threads start than a machine may have processors, as each of them
/// waits for threads that do not run.
const CROWDED: usize = 10;

#[test]
fn runtime_passes_its_tests_under_each_compiler() {
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime");
    let is_sweep = std::env::var_os("HALIDOM_SWEEP").is_some();
    let mut tested = 0;
    for (index, variant) in VARIANTS.iter().enumerate() {
        // One compiler is enough for a machine; the assertion below requires it.
        if Command::new(variant.compiler).arg("--version").output().is_err() {
            continue;
        }
        if variant.options.contains(&"-fsanitize=thread") && !is_sweep {
            continue;
        }
        let library = output(index, "so");
        let source = runtime.join("halidom_runtime.c");
        compile(variant, &library, &["-shared", "-fPIC"], std::slice::from_ref(&source));
        let program = output(index, "test");
        // The runtime occurs twice, as in a program that links two pipelines.
        let sources = [source.clone(), source, runtime.join("tests/runtime_test.c")];
        compile(variant, &program, &[], &sources);
        for (threads, is_crowded) in [("1", false), ("2", false), ("8", true)] {
            let share = match (is_sweep, is_crowded) {
                (true, _) => 1,
                (false, false) => SHARE,
                (false, true) => SHARE * CROWDED,
            };
            run(Command::new(&program)
                .env("HALIDOM_THREADS", threads)
                // The test requests more memory than there is, and expects a failure.
                .env("TSAN_OPTIONS", "allocator_may_return_null=1")
                .arg((variant.forks / share).to_string())
                .arg(&library));
        }
        tested += 1;
    }
    assert!(tested > 0, "neither gcc nor clang-19 is installed");
}

fn output(index: usize, suffix: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("runtime-{index}.{suffix}"))
}

fn compile(variant: &Variant, output: &Path, options: &[&str], sources: &[PathBuf]) {
    let mut command = Command::new(variant.compiler);
    command.args(STRICT).args(variant.options).args(options).arg("-o").arg(output).args(sources);
    run(command.args(["-lpthread", "-ldl"]));
}

fn run(command: &mut Command) {
    let output = command.output().expect("the program starts");
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
