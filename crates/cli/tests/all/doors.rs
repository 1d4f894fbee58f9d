//! The ways in for C++: the CMake package, and the library for LD_PRELOAD.
//!
//! Tests that need the project's Python with Halide, a C++ compiler or CMake print a message if one
//! is missing, and check nothing.

#![expect(clippy::print_stdout, reason = "what is missing is said")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use halidom_testgen::sampled;

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::canonicalize(root).expect("the repository is there")
}

/// The folder of the Python package, if it is there.
fn package() -> Option<PathBuf> {
    let mut python = Command::new(root().join(".venv/bin/python"));
    let output = python.args(["-c", "import halide; print(halide.install_dir())"]).output();
    let output = output.ok().filter(|output| output.status.success());
    if output.is_none() {
        println!("skipped: there is no .venv with Halide");
    }
    let output = output?;
    Some(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// The program, built by cargo.
const HALIDOM: &str = env!("CARGO_BIN_EXE_halidom");

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command to its end.
fn run(command: &mut Command) -> Output {
    command.output().expect("the program starts")
}

mod cmake {
    use super::*;

    /// CMake with the folder of its companions, in the version that Halide's package needs.
    fn cmake() -> Option<(PathBuf, PathBuf)> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(root().join(".venv/bin")).chain(std::env::split_paths(&path));
        let found = folders.map(|folder| folder.join("cmake")).find(|file| file.is_file());
        let version =
            found.as_ref().map(|file| text(&run(Command::new(file).arg("--version")).stdout));
        let numbers: Option<Vec<u32>> = version.as_ref().map(|version| {
            let number = version.split_whitespace().nth(2).unwrap_or_default();
            number.split('.').take(2).map_while(|part| part.parse().ok()).collect()
        });
        if numbers.is_none_or(|numbers| numbers < vec![3, 28]) {
            println!("skipped: there is no CMake 3.28 (`cargo xtask doors cmake` installs one)");
            return None;
        }
        found.map(|file| (file.clone(), file.with_file_name("")))
    }

    /// A build of `tests/cmake` in a folder.
    struct Build {
        cmake: PathBuf,
        /// The folder of Ninja, if it is not on the PATH.
        companions: PathBuf,
        package: PathBuf,
        folder: tempfile::TempDir,
    }

    impl Build {
        fn new() -> Option<Self> {
            let ((cmake, companions), package) = (cmake()?, package()?);
            let folder = tempfile::tempdir().expect("a folder");
            Some(Self { cmake, companions, package, folder })
        }

        fn command(&self, program: &Path) -> Command {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let folders = std::iter::once(self.companions.clone());
            let folders = folders.chain(std::env::split_paths(&path));
            let mut command = Command::new(program);
            command.env("PATH", std::env::join_paths(folders).expect("folders of a PATH"));
            command.current_dir(self.folder.path());
            command
        }

        fn configure(&self, options: &[String]) -> String {
            let (configured, said) = self.configured(options);
            assert!(configured, "{said}");
            said
        }

        fn configured(&self, options: &[String]) -> (bool, String) {
            let mut command = self.command(&self.cmake);
            command.arg("-S").arg(root().join("tests/cmake")).args(["-B", "."]);
            let package = self.package.display();
            command.arg(format!("-DHalide_DIR={package}/lib64/cmake/Halide"));
            command.arg(format!("-DHALIDOM_EXECUTABLE={HALIDOM}")).args(options);
            // The Python that has Halide runs a generator in Python.
            let python = root().join(".venv/bin/python");
            command.arg(format!("-DPython_EXECUTABLE={}", python.display()));
            let output = run(&mut command);
            (output.status.success(), text(&output.stdout) + &text(&output.stderr))
        }

        fn build(&self) -> (bool, String) {
            let output = run(self.command(&self.cmake).args(["--build", "."]));
            (output.status.success(), text(&output.stdout) + &text(&output.stderr))
        }

        fn verdict(&self, name: &str) -> Option<serde_json::Value> {
            let text = fs::read_to_string(self.folder.path().join(name)).ok()?;
            serde_json::from_str(&text).ok()
        }
    }

    #[test]
    fn libraries_of_an_unedited_project_are_judged() {
        let Some(build) = Build::new() else { return };
        let file = root().join("python/halidom/cmake/HalidomProject.cmake");
        let unedited = format!("-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={}", file.display());
        let said = build.configure(&[unedited]);
        assert!(
            said.contains("Halidom: the build judges blur, scale_gradients, difference, plus"),
            "{said}"
        );
        let (built, said) = build.build();
        assert!(built, "{said}");
        assert!(said.contains("blur: proved: "), "{said}");
        for stem in ["blur", "scale_gradients", "inner/difference", "inner/plus"] {
            let name = &format!("{stem}.halidom.json");
            let verdict = build.verdict(name).expect("a verdict");
            assert_eq!(verdict["verdict"], "proved", "{name}");
        }
        let tested = run(&mut build.command(&build.cmake.with_file_name("ctest")));
        let tested = text(&tested.stdout);
        assert!(
            tested.contains("100% tests passed") && tested.contains("blur.halidom"),
            "{tested}"
        );

        // A verdict is made anew where a file that the generator reads changes, and where the
        // judgement itself does, and only there.
        let judges = |library: &str| {
            let (built, said) = build.build();
            assert!(built, "{said}");
            said.contains(&format!("Judging {library}"))
        };
        assert!(!judges("blur"));
        fs::write(build.folder.path().join("weights.csv"), "1").expect("a file");
        assert!(judges("blur") && !judges("blur"));
        build.configure(&["-DHALIDOM_LIMIT=70".to_owned()]);
        assert!(judges("blur") && !judges("blur"));

        // A miscompile stops the build, and a verdict from before is gone.
        build.configure(&["-DVECTORIZED=true".to_owned()]);
        let (built, said) = build.build();
        assert!(!built, "{said}");
        for words in [
            "difference: refuted: expected -230, got 26",
            "place: program, line ",
            "algorithm: stage(x) = i16(a_im(x)) - i16(u8(i16(b_im(x)) * -1i16));",
            "compiled code: difference[0] is 26, and the pipeline says -230",
            "pass: wrong after `finding intrinsics`",
            "Halide compiles difference wrongly",
        ] {
            assert!(said.contains(words), "no `{words}` in {said}");
        }
        assert_eq!(build.verdict("inner/difference.halidom.json"), None);
        let failed = build.verdict("inner/difference.halidom.failed.json").expect("the evidence");
        assert_eq!(failed["verdict"], "refuted");
        assert!(build.folder.path().join("inner/difference.halidom.replay").is_dir());

        // Nothing of the wrong library is judged where it is left out.
        let said = build.configure(&["-DHALIDOM_EXCLUDE=difference".to_owned()]);
        assert!(said.contains("difference is not judged"), "{said}");
        assert!(build.build().0);

        // A project may ask by itself, with options.
        let cmake = root().join("python/halidom/cmake");
        let said = build.configure(&[
            "-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=".to_owned(),
            "-DHALIDOM_VALIDATE=OFF".to_owned(),
            "-DEXPLICIT=ON".to_owned(),
            format!("-DHalidom_DIR={}", cmake.display()),
        ]);
        assert!(!said.contains("Halidom: the build judges"), "{said}");
        let (built, said) = build.build();
        assert!(
            built && said.contains("blur: proved: ") && said.contains("under the contract blurred"),
            "{said}"
        );

        // What is known may be repeated, and not contradicted.
        let further = |words: &str| build.configured(&[format!("-DFURTHER={words}")]);
        let (configured, said) = further("PARAMS;radius=2;FROM;two.generator");
        assert!(configured, "{said}");
        let (configured, said) = further("PARAMS;radius=3");
        assert!(!configured && said.contains("was made with PARAMS `radius=2`"), "{said}");
    }

    #[test]
    fn only_an_unknown_verdict_skips_a_test() {
        let Some((cmake, _)) = cmake() else { return };
        let place = tempfile::tempdir().expect("a folder");
        // The name of a machine must not be taken for a verdict.
        let folder = place.path().join("x86_64-unknown-linux-gnu");
        fs::create_dir(&folder).expect("a folder");
        let file = folder.join("f.halidom.json");
        let scripts = root().join("python/halidom/cmake");
        let helpers = fs::read_to_string(scripts.join("HalidomHelpers.cmake")).expect("a file");
        assert!(helpers.contains("SKIP_REGULAR_EXPRESSION \"halidom skips this test\""));
        for (verdict, passes, skips) in [
            (None, false, false),
            (Some("refuted"), false, false),
            (Some("unknown"), true, true),
            (Some("proved"), true, false),
        ] {
            if let Some(verdict) = verdict {
                let json = format!("{{\"verdict\": \"{verdict}\", \"statement\": \"unknown\"}}");
                fs::write(&file, json).expect("a file");
            }
            let mut command = Command::new(&cmake);
            command.args(["-DNAME=f", &format!("-DVERDICT={}", file.display()), "-P"]);
            let output = run(command.arg(scripts.join("HalidomTest.cmake")));
            let said = text(&output.stdout) + &text(&output.stderr);
            assert_eq!(output.status.success(), passes, "{said}");
            assert_eq!(said.contains("halidom skips this test"), skips, "{said}");
        }
    }

    /// The report of a generator that compiles under the library for LD_PRELOAD must be whole.
    #[test]
    fn a_report_that_is_not_whole_is_no_verdict() {
        let Some((cmake, _)) = cmake() else { return };
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            fs::write(&file, text).expect("a file");
            file
        };
        let judge = write("halidom", "#!/bin/sh\necho /nonexistent.so\n");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&judge, mode).expect("a mode");
        let verdict = folder.path().join("f.halidom.json");
        let summary = |exit: u8, unseen: u8, word: &str| {
            format!(
                "echo '{{\"exit\": {exit}, \"unseen\": {unseen}, \"pipelines\": [{{\"function\": \
                 \"f\", \"verdict\": \"{word}\", \"statement\": \"why\"}}]}}' > $R/summary.json\n"
            )
        };
        let whole = summary(0, 0, "proved");
        for (report, expected) in [
            (whole.clone(), None),
            (summary(0, 1, "proved"), Some("1 compiles were not looked at")),
            (summary(3, 0, "proved"), Some("end with 0, and their summary with 3")),
            (summary(3, 0, "not judged"), Some("why")),
            (whole.replace("\"f\"", "\"g\""), Some("no compile of the function f was seen")),
            (format!("{whole}mkdir $R/17\n"), Some("more than one process compiles")),
            (String::new(), Some("no compile was seen")),
        ] {
            let made = "{\"verdict\": \"proved\", \"exit\": 0, \"statement\": \"yes\"}";
            let script = format!(
                "R=$HALIDOM_PRELOAD_REPORT\nmkdir $R\necho '{made}' > $R/1.json\n{report}\
                 test -z \"$HALIDOM_PRELOAD_OPTIONS$HALIDOM_PRELOAD_MOST$HALIDOM_EXECUTABLE\"\n"
            );
            let script = write("generator", &script);
            let mut command = Command::new(&cmake);
            command.arg(format!("-DHALIDOM={}", judge.display()));
            command.arg(format!("-DVERDICT={}", verdict.display()));
            command.args(["-DNAME=f", "-DFUNCTION=f", "-DHALIDE=/nonexistent", "-P"]);
            command.arg(root().join("python/halidom/cmake/HalidomRun.cmake"));
            command.args(["--", "/bin/sh"]).arg(script);
            command.env("HALIDOM_PRELOAD_OPTIONS", "--assume small");
            command.env("HALIDOM_PRELOAD_MOST", "0").env("HALIDOM_EXECUTABLE", "/bin/true");
            let output = run(&mut command);
            let said = text(&output.stdout) + &text(&output.stderr);
            assert_eq!(output.status.success(), expected.is_none(), "{report}: {said}");
            assert!(said.contains(expected.unwrap_or("f: yes")), "{report}: {said}");
        }
    }

    #[test]
    fn the_package_has_the_version_of_the_workspace() {
        let file = root().join("python/halidom/cmake/HalidomConfigVersion.cmake");
        let text = fs::read_to_string(file).expect("the file is there");
        let version = env!("CARGO_PKG_VERSION");
        assert!(text.contains(&format!("set(PACKAGE_VERSION \"{version}\")")), "{version}");
        let (minor, _) = version.rsplit_once('.').expect("three numbers");
        assert!(text.contains(&format!("VERSION_LESS \"{minor}\"")), "{minor}");
    }
}

mod preload {
    use std::sync::OnceLock;

    use super::*;

    /// The library, and the program of `tests/preload` linked with the package's Halide.
    struct Made {
        library: PathBuf,
        program: PathBuf,
        folder: tempfile::TempDir,
    }

    /// The programs that the tests share: compiling takes long.
    fn made() -> Option<&'static Made> {
        static MADE: OnceLock<Option<Made>> = OnceLock::new();
        MADE.get_or_init(make).as_ref()
    }

    fn make() -> Option<Made> {
        let package = package()?;
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("program");
        let libraries = package.join("lib64");
        let mut command = Command::new(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()));
        command.args(["-std=c++17", "-O0", "-w", "-o"]).arg(&program);
        command.arg(root().join("tests/preload/program.cpp"));
        command.arg("-I").arg(package.join("include")).arg("-L").arg(&libraries);
        command.arg(format!("-Wl,-rpath,{}", libraries.display()));
        let Ok(output) = command.args(["-lHalide", "-ldl", "-lpthread"]).output() else {
            println!("skipped: there is no C++ compiler");
            return None;
        };
        assert!(output.status.success(), "{}", text(&output.stderr));
        let mut command = Command::new(HALIDOM);
        command.args(["preload", "--halide"]).arg(&package);
        let output = run(command.env("HALIDOM_CACHE", folder.path().join("cache")));
        assert!(output.status.success(), "{}", text(&output.stderr));
        let library = PathBuf::from(text(&output.stdout).trim());
        assert!(library.is_file(), "{}", library.display());
        Some(Made { library, program, folder })
    }

    impl Made {
        fn command(&self, kind: &str) -> Command {
            let mut command = Command::new(&self.program);
            command.arg(kind).current_dir(self.folder.path());
            command
        }

        /// Runs the program with and without the library; the two must not differ. Returns the
        /// summary.
        fn judged(&self, kind: &str) -> String {
            self.judged_with(kind, &[])
        }

        /// The same with further variables.
        fn judged_with(&self, kind: &str, variables: &[(&str, &str)]) -> String {
            let summary = self.folder.path().join(format!("{kind}{}.summary", variables.len()));
            let alone = run(&mut self.command(kind));
            let mut command = self.command(kind);
            command.env("LD_PRELOAD", &self.library).env("HALIDOM_PRELOAD_SUMMARY", &summary);
            command.envs(variables.iter().copied());
            let watched = run(command.env("HALIDOM_PYTHON", root().join(".venv/bin/python")));
            assert_eq!(watched.status, alone.status, "{kind}");
            assert_eq!(text(&watched.stdout), text(&alone.stdout), "{kind}");
            assert_eq!(text(&watched.stderr), text(&alone.stderr), "{kind}");
            fs::read_to_string(&summary).unwrap_or_default()
        }
    }

    #[test]
    fn a_program_runs_as_it_does_alone() {
        let Some(made) = made() else { return };
        let first = |summary: &str| summary.split(" (").next().unwrap_or_default().to_owned();

        let kinds = [
            ("right", "halidom: 1 pipeline: 1 proved"),
            ("throw", "halidom: 1 pipeline: 1 proved"),
            ("reporter", "halidom: 1 pipeline: 1 proved"),
            ("abort", "halidom: 1 pipeline: 1 proved"),
            ("leave", "halidom: 1 pipeline: 1 proved"),
            ("threads", "halidom: 8 pipelines: 8 proved"),
            ("fork", "halidom: 2 pipelines: 2 proved"),
            // The third compile is another one, as the range of a parameter has changed.
            ("again", "halidom: 2 pipelines: 2 proved"),
            // The library has no way to the judge any more.
            ("close", "halidom: 1 pipeline: 1 proved"),
            ("wrong", "halidom: 1 pipeline: 1 refuted"),
            ("nothing", ""),
        ];
        for (kind, expected) in sampled(kinds, 9) {
            assert_eq!(first(&made.judged(kind)), expected, "{kind}");
        }
        let wrong = made.judged("wrong");
        assert!(wrong.contains("difference: refuted: expected -230, got 26"), "{wrong}");
        assert!(wrong.contains("compiled code: difference[0] is 26"), "{wrong}");

        // Where Halide's own calls cannot be seen, the program's are, and nothing else changes.
        for (kind, expected) in [
            // A refusal by Halide looks like a refusal by the copy's compile alone.
            ("throw", "halidom: 3 pipelines: 1 proved"),
            ("wrong", "halidom: 1 pipeline: 1 refuted"),
        ] {
            let said = made.judged_with(kind, &[("HALIDOM_PRELOAD_ENTRIES", "1")]);
            assert_eq!(first(&said).split(", ").next(), Some(expected), "{kind}: {said}");
        }

        // Compiles that are not looked at are counted in children too, and options are named.
        let said = made.judged_with("fork", &[("HALIDOM_PRELOAD_MOST", "0")]);
        assert!(said.contains("2 more compiles were not looked at"), "{said}");
        let options = [("HALIDOM_PRELOAD_OPTIONS", "--assume small"), ("TMPDIR", ".")];
        let said = made.judged_with("right", &options);
        assert!(
            said.contains("1 proved") && said.contains("judged with `--assume small`"),
            "{said}"
        );

        // Without a file, the summary is the only addition, on standard error. On a busy machine, a
        // line before it says that a judgement takes long.
        let output = run(made.command("right").env("LD_PRELOAD", &made.library));
        assert_eq!(output.status.code(), Some(7));
        let said = text(&output.stderr);
        let is_wait = |line: &&str| line.ends_with("are still being judged");
        let rest: Vec<&str> = said.lines().filter(|line| !is_wait(line)).collect();
        assert!(
            matches!(rest.as_slice(), [only] if only.starts_with("halidom: 1 pipeline: ")),
            "{output:?}"
        );

        // A report keeps everything; the folder that is there gets a folder for each further run.
        let report = made.folder.path().join("report");
        for _ in 0..2 {
            let mut command = made.command("wrong");
            command.env("LD_PRELOAD", &made.library).env("HALIDOM_PRELOAD_REPORT", &report);
            run(command.env("HALIDOM_PYTHON", root().join(".venv/bin/python")));
        }
        let read =
            |name: &str| fs::read_to_string(report.join(name)).expect("a file of the report");
        let verdict: serde_json::Value = serde_json::from_str(&read("1.json")).expect("JSON");
        assert_eq!(verdict["verdict"], "refuted");
        let said: serde_json::Value = serde_json::from_str(&read("summary.json")).expect("JSON");
        assert_eq!(
            (&said["exit"], &said["pipelines"][0]["verdict"]),
            (&1.into(), &"refuted".into())
        );
        let entries = fs::read_dir(&report).expect("a folder").flatten();
        let folders: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        assert!(folders.len() == 1 && folders[0].join("1.dump").is_file(), "{folders:?}");

        // On request, and only then, the verdict is the exit status of a program that ends well.
        for (kind, strict, expected) in [
            ("wrong", "0", 0),
            ("wrong", "1", 1),
            ("right", "1", 0),
            ("nothing", "1", 0),
            ("close", "1", 3),
            ("close", "0", 0),
        ] {
            let mut command = made.command(kind);
            command.arg("0").env("LD_PRELOAD", &made.library);
            command.env("HALIDOM_PYTHON", root().join(".venv/bin/python"));
            let output = run(command.env("HALIDOM_PRELOAD_STRICT", strict));
            assert_eq!(output.status.code(), Some(expected), "{kind} {strict}");
            assert!(text(&output.stdout).contains("ended 0"), "{output:?}");
        }

        // The same holds if the program clears its environment, if the system keeps only zeros of
        // its status, if a child cannot tell of its compiles, and if only a child compiles.
        let cases = [("cleared", "0", 1), ("wrong", "256", 1), ("deaf", "0", 3), ("pool", "0", 3)];
        for (kind, status, expected) in cases {
            let mut command = made.command(kind);
            command.arg(status).env("LD_PRELOAD", &made.library);
            command.env("HALIDOM_PYTHON", root().join(".venv/bin/python"));
            let output = run(command.env("HALIDOM_PRELOAD_STRICT", "1"));
            assert_eq!(output.status.code(), Some(expected), "{kind} {status}: {output:?}");
        }

        // Where nobody can judge, the program says so, and runs.
        let mut command = made.command("right");
        command.env("LD_PRELOAD", &made.library).env("HALIDOM_EXECUTABLE", "/nonexistent");
        let output = run(&mut command);
        assert_eq!(output.status.code(), Some(7));
        assert!(text(&output.stderr).contains("the judge cannot be started"), "{output:?}");
        let mut command = made.command("right");
        command.arg("0").env("LD_PRELOAD", &made.library).env("HALIDOM_PRELOAD_STRICT", "1");
        let output = run(command.env("HALIDOM_PRELOAD_REPORT", "/nonexistent/report"));
        assert_eq!(output.status.code(), Some(3), "{output:?}");
    }

    #[test]
    fn a_child_that_lives_longer_hides_no_verdict() {
        let Some(made) = made() else { return };
        let report = made.folder.path().join("of-orphan");
        let mut command = made.command("orphan");
        command.env("LD_PRELOAD", &made.library).env("HALIDOM_PRELOAD_REPORT", &report);
        // The child holds the output, so it ends only with the child and the judge.
        let output = run(command.env("HALIDOM_PYTHON", root().join(".venv/bin/python")));
        let said = fs::read_to_string(report.join("summary.json")).expect("a summary");
        let said: serde_json::Value = serde_json::from_str(&said).expect("JSON");
        let words = |at: usize| said["pipelines"][at]["verdict"].as_str();
        assert_eq!((words(0), words(1)), (Some("refuted"), Some("proved")), "{output:?}");
        assert_eq!(said["exit"], 1);
    }

    #[test]
    fn a_program_without_halide_does_not_need_it() {
        let Some(made) = made() else { return };
        let mut command = Command::new("/bin/true");
        command.env("LD_PRELOAD", &made.library).env("LD_BIND_NOW", "1");
        let output = run(&mut command);
        assert!(output.status.success(), "{output:?}");
        assert_eq!((text(&output.stdout), text(&output.stderr)), (String::new(), String::new()));
    }

    /// Compiles C for a program or a library of a test.
    fn c(folder: &Path, name: &str, source: &str, options: &[&str]) -> PathBuf {
        let (file, made) = (folder.join(format!("{name}.c")), folder.join(name));
        fs::write(&file, source).expect("a file");
        let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
        let output = run(command.arg("-o").arg(&made).arg(&file).args(options));
        assert!(output.status.success(), "{}", text(&output.stderr));
        made
    }

    #[test]
    fn a_program_whose_compiles_cannot_be_seen_says_so() {
        let Some(made) = made() else { return };
        let folder = made.folder.path();
        let ended = |program: &Path| {
            let mut command = Command::new(program);
            let output = run(command.env("LD_PRELOAD", &made.library));
            assert_eq!((output.status.code(), text(&output.stdout)), (Some(4), String::new()));
            text(&output.stderr)
        };

        // As a program is that is linked with a static libHalide.
        let contains = |status: u8| {
            let text = format!(
                "const char *const kept = \"Can't compile undefined Pipeline.\\n\";\n\
                 int main(void) {{ return kept[0] == 'C' ? {status} : 9; }}\n"
            );
            c(folder, &format!("contains{status}"), &text, &[])
        };
        assert!(ended(&contains(4)).contains("linked with a static libHalide"));
        for (strict, expected) in [("0", 0), ("1", 3)] {
            let mut command = Command::new(contains(0));
            command.env("LD_PRELOAD", &made.library).env("HALIDOM_PRELOAD_STRICT", strict);
            assert_eq!(run(&mut command).status.code(), Some(expected), "{strict}");
        }

        // A libHalide that calls its own `compile_to_module`, and one that calls it by its name:
        // only in the first one, a call of `compile_jit` counts as a compile.
        let symbol = "_ZN6Halide8Pipeline17compile_to_moduleERKSt6vectorINS_8ArgumentESaIS2_EERKNSt\
                      7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKNS_6TargetENS_11Linkage\
                      TypeE";
        let call = "_ZN6Halide4Func11compile_jitERKNS_6TargetE";
        let text = format!(
            "int {symbol}(void) {{ return 4; }}\n\
             int {call}(int *which) {{ return *which ? {symbol}() : 4; }}\n"
        );
        let main = format!(
            "int {call}(int *, int *);\nint main(void) {{ int no = 0; return {call}(&no, &no); }}\n"
        );
        let shared = ["-shared", "-fPIC", "-O0"];
        let direct = [&shared[..], &["-Wl,-Bsymbolic-functions"]].concat();
        for (options, expected) in
            [(&direct[..], "halidom: 1 pipeline: 1 not judged"), (&shared[..], "")]
        {
            c(folder, "libHalide.so", &text, options);
            let place = format!("-L{}", folder.display());
            let run_path = format!("-Wl,-rpath,{}", folder.display());
            let said = ended(&c(folder, "uses", &main, &[&place, &run_path, "-lHalide"]));
            assert_eq!(said.split(" (").next(), Some(expected), "{said}");
            assert_eq!(said.contains("loads another libHalide.so"), !expected.is_empty(), "{said}");
        }

        // A Halide in a library with another name, whose names only the library itself sees.
        let other = format!("{text}int enter(void) {{ int yes = 1; return {call}(&yes); }}\n");
        let other = c(folder, "libOther.so", &other, &shared);
        let main = format!(
            "#include <dlfcn.h>\nint main(void) {{ void *other = dlopen(\"{}\", RTLD_NOW);\n\
             int (*enter)(void) = dlsym(other, \"enter\"); return enter(); }}\n",
            other.display()
        );
        let said = ended(&c(folder, "opens", &main, &["-ldl"]));
        assert_eq!(said.split(" (").next(), Some("halidom: 1 pipeline: 1 not judged"), "{said}");
    }
}
