//! Collects pipelines from Halide's source tree, and makes the command that judges each.
//!
//! A generator is compiled against the installed Halide and judged as a generator. A pipeline of a
//! Python program is judged as a script that runs the program up to it. A C++ program runs with a
//! library of ours preloaded, which writes its pipelines as files (`tests/halide/census`). A
//! generator with an autoscheduler does so too: the search for a schedule takes Halide minutes, and
//! is no part of a judgement.

use super::list::{self, Entry, Group, flat};
use crate::error::Error;
use crate::process::{capture, program, root};
use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// The number of pipelines that are collected from one C++ program.
const MOST: usize = 3;
/// The time limit for one program that is run to collect its pipelines, in seconds.
const RUN_SECONDS: &str = "300";
/// The time limit for one autoscheduler, in seconds.
const SEARCH_SECONDS: &str = "1200";
/// The exit status of `timeout` after the time limit.
const TIMED_OUT: i32 = 124;
/// The C++ side of the bridge, which writes statements without loss.
const BRIDGE: &str = "crates/halide/src/bridge/native/bridge.cpp";
/// The headers of the libraries that read pictures.
const PICTURES: [&str; 2] = ["/usr/include/png.h", "/usr/include/jpeglib.h"];

/// The number of programs that can be compiled at the same time.
const LOCKS: usize = 16;

/// The places of a sweep.
#[derive(Debug)]
pub(super) struct Site {
    /// The root of Halide's source tree.
    pub(super) halide: PathBuf,
    /// The folder of everything that is collected.
    pub(super) folder: PathBuf,
    /// The folder of the Python package.
    package: PathBuf,
    /// Locks for the programs: two judgements may need the same one. A program has the lock that
    /// its name selects.
    compiling: [Mutex<()>; LOCKS],
    /// The lock for autoschedulers: the memory of two at once might not suffice.
    searching: Mutex<()>,
}

/// The reason why a pipeline was not collected.
type Missing = String;

impl Site {
    /// Finds the places, and compiles what all programs need.
    pub(super) fn prepare(halide: &Path, folder: &Path) -> Result<Self, Error> {
        let site = Self {
            halide: absolute(halide)?,
            folder: absolute(folder)?,
            package: package()?,
            compiling: [const { Mutex::new(()) }; LOCKS],
            searching: Mutex::new(()),
        };
        let header = site.folder.join("include/Halide.h.gch");
        if !header.is_file() {
            make_folder(&site.folder.join("include"))?;
            // The compiler takes the text where it cannot use the precompiled header.
            let text = site.folder.join("include/Halide.h");
            if !text.exists() {
                let linked = symlink(site.package.join("include/Halide.h"), &text);
                linked.map_err(|cause| Error::File { path: text, cause })?;
            }
            let mut command = site.compiler();
            command.args(["-x", "c++-header"]).arg(site.package.join("include/Halide.h"));
            run(command.arg("-o").arg(&header))?;
        }
        let library = site.library();
        let sources = [root().join("tests/halide/census/collect.cpp"), root().join(BRIDGE)];
        let header = root().join(BRIDGE).with_extension("h");
        if sources.iter().chain([&header]).any(|source| is_newer(source, &library)) {
            let mut command = site.compiler();
            // The bridge is also a program.
            command.args(["-O1", "-fPIC", "-frtti", "-shared", "-Dmain=unused"]).args(&sources);
            // A program that runs meanwhile has the old one.
            let part = library.with_extension("part");
            run(site.linked(&mut command).arg("-o").arg(&part))?;
            fs::rename(&part, &library).map_err(|cause| Error::File { path: library, cause })?;
        }
        Ok(site)
    }

    /// The command that judges a pipeline, without options.
    pub(super) fn command(&self, halidom: &Path, entry: &Entry) -> Result<Command, Missing> {
        let mut command = program(halidom);
        command.arg("validate");
        match entry.group {
            Group::Apps | Group::Generators => {
                let generator = self.generator(entry)?;
                command.arg("--generator").arg(generator);
                self.words(entry, &mut command)?;
                command.args(["--target", &entry.target]);
            }
            Group::Python => {
                command.arg("--halide-script").arg(self.script(entry)?);
                if entry.target != HOST {
                    command.args(["--target", &entry.target]);
                }
            }
            Group::Autoschedulers | Group::Tests | Group::Tutorials => {
                let is_search = entry.group == Group::Autoschedulers;
                let number = if is_search { "1" } else { &entry.name };
                let folder = self.pipelines(entry)?;
                let [pipeline, statement, error] = ["hlpipe", "dump", "error"]
                    .map(|extension| folder.join(format!("{number}.{extension}")));
                if let Ok(words) = fs::read_to_string(&error) {
                    return Err(words.lines().next().unwrap_or_default().to_owned());
                }
                if !pipeline.is_file() {
                    return Err(format!("the program compiles no pipeline {number}"));
                }
                command.arg("--halide").arg(pipeline).arg("--ir").arg(statement);
            }
        }
        Ok(command)
    }

    /// Adds the words of a generator's entry to a command of `halidom`.
    fn words(&self, entry: &Entry, command: &mut Command) -> Result<(), Missing> {
        let mut words = entry.words.iter();
        while let Some(word) = words.next() {
            match (word.as_str(), words.as_slice().first()) {
                ("-g", Some(name)) => {
                    command.args(["-g", name]);
                    words.next();
                }
                ("-p", Some(name)) => {
                    command.arg("--plugin").arg(self.plugin(name));
                    words.next();
                }
                ("-d", Some(number)) => {
                    if number != "0" {
                        command.arg("--gradient-descent");
                    }
                    words.next();
                }
                (word, _) if word.starts_with('-') => {
                    return Err(format!("halidom passes no `{word}` to a generator"));
                }
                (word, _) => {
                    command.arg(word);
                }
            }
        }
        Ok(())
    }

    fn plugin(&self, name: &str) -> PathBuf {
        self.package.join(format!("lib64/libautoschedule_{name}.so"))
    }

    /// Waits until nobody else compiles this program.
    fn lock(&self, program: &Path) -> MutexGuard<'_, ()> {
        let number = list::digest(program.as_os_str().as_encoded_bytes()) % LOCKS as u64;
        let lock = &self.compiling[usize::try_from(number).unwrap_or(0)];
        lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The library that collects the pipelines of C++ programs.
    fn library(&self) -> PathBuf {
        self.folder.join("collect.so")
    }

    /// The C++ compiler with the options for every program. An idle priority leaves the machine to
    /// others.
    fn compiler(&self) -> Command {
        let mut command = program("nice");
        let compiler = env::var_os("CXX").unwrap_or_else(|| "g++".into());
        command.args(["-n", "10"]).arg(compiler);
        command.args(["-std=c++17", "-O0", "-w", "-fno-rtti"]);
        command.arg("-I").arg(self.folder.join("include"));
        command.arg("-I").arg(self.package.join("include"));
        command
    }

    fn linked<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let libraries = self.package.join("lib64");
        command.arg("-L").arg(&libraries);
        command.arg(format!("-Wl,-rpath,{}", libraries.display()));
        command.args(["-lHalide", "-ldl", "-lpthread"])
    }

    /// The compiled generator of an entry.
    fn generator(&self, entry: &Entry) -> Result<PathBuf, Missing> {
        let made = self.folder.join("generators").join(format!("{}.generator", flat(&entry.file)));
        let _compiling = self.lock(&made);
        if made.is_file() {
            return Ok(made);
        }
        let first = self.halide.join(entry.file.split('+').next().unwrap_or_default());
        let folder = first.parent().map_or_else(PathBuf::new, Path::to_owned);
        let mut command = self.compiler();
        let further = entry.file.split('+').skip(1).map(|name| folder.join(name));
        command.arg(&first).args(further).arg("-I").arg(&folder);
        // The apps include headers of their own root, and Halide's tools.
        command.arg("-I").arg(folder.join("..")).arg("-I").arg(self.halide.join("tools"));
        command.args(["-Wl,--whole-archive"]).arg(self.package.join("lib64/libHalide_GenGen.a"));
        command.args(["-Wl,--no-whole-archive", "-rdynamic"]);
        compile(self.linked(&mut command), &made)?;
        Ok(made)
    }

    /// The script that yields the pipeline of a Python program.
    fn script(&self, entry: &Entry) -> Result<PathBuf, Missing> {
        let made = self.folder.join("python").join(format!("{}.py", entry.stem()));
        let mut words = Vec::new();
        let mut number = entry.name.as_str();
        if let Some(name) = entry.option("-g") {
            number = "1";
            let plugin = entry.option("-p").map(|name| self.plugin(name));
            words = ["-f", name, "-n", name, "-o", ".", "-e", "stmt", "target=host"]
                .map(str::to_owned)
                .to_vec();
            for word in &entry.words {
                let is_plugin = Some(word.as_str()) == entry.option("-p");
                let file = plugin.as_ref().filter(|_| is_plugin);
                words.push(file.map_or_else(|| word.clone(), |file| file.display().to_string()));
            }
        }
        // Quotes and escapes of Rust's strings mean the same in Python.
        let [helpers, folder, file] = [
            root().join("tests/halide/census"),
            self.folder.join("run"),
            self.halide.join(&entry.file),
        ]
        .map(|path| format!("{:?}", path.display().to_string()));
        let text = format!(
            "import sys\n\nsys.path.insert(0, {helpers})\nimport collect\n\n\n\
             def pipeline():\n    \
             return collect.only({folder}, {file}, {words:?}, {number})\n"
        );
        write(&made, &text)?;
        Ok(made)
    }

    /// The folder with the pipelines that an entry's C++ program compiles.
    fn pipelines(&self, entry: &Entry) -> Result<PathBuf, Missing> {
        if entry.group == Group::Autoschedulers {
            // Not under the folder's lock: the generator's own one may be the same.
            let generator = self.generator(entry)?;
            let search = |folder: &Path| self.run_search(folder, &generator, entry);
            self.collected(entry.group, &entry.stem(), search)
        } else {
            self.programs(entry.group, &entry.file)
        }
    }

    /// The folder with the pipelines that a program of a file compiles.
    fn programs(&self, group: Group, file: &str) -> Result<PathBuf, Missing> {
        self.collected(group, &flat(file), |folder| self.run_program(folder, file))
    }

    /// The folder of this name, which `run` fills if nothing has done so.
    fn collected(
        &self,
        group: Group,
        name: &str,
        run: impl FnOnce(&Path) -> Result<(), Missing>,
    ) -> Result<PathBuf, Missing> {
        let folder = self.folder.join(group.name()).join(name);
        let [done, error] = ["done", "error"].map(|name| folder.join(name));
        let _compiling = self.lock(&folder);
        if !done.is_file() {
            make_folder(&folder).map_err(|error| error.to_string())?;
            if let Err(words) = run(&folder) {
                write(&error, &words)?;
            }
            write(&done, "")?;
        }
        match fs::read_to_string(&error) {
            Ok(words) => Err(words),
            Err(_) => Ok(folder),
        }
    }

    /// Compiles a program and runs it with the library that collects its pipelines.
    fn run_program(&self, folder: &Path, file: &str) -> Result<(), Missing> {
        let made = folder.join("program");
        let source = self.halide.join(file);
        let mut command = self.compiler();
        command.arg(&source).arg("-rdynamic");
        for included in ["test/common", "tools"] {
            command.arg("-I").arg(self.halide.join(included));
        }
        if PICTURES.iter().all(|header| Path::new(header).is_file()) {
            self.linked(&mut command).args(["-lpng", "-ljpeg"]);
        } else {
            self.linked(&mut command).args(["-DHALIDE_NO_JPEG", "-DHALIDE_NO_PNG"]);
        }
        compile(&mut command, &made)?;
        // Tutorials read pictures from their own folder.
        let pictures = self.halide.join("tutorial/images");
        if !folder.join("images").exists() {
            symlink(pictures, folder.join("images")).map_err(|error| error.to_string())?;
        }
        // Whether the program ends well is not asked: what it compiled before counts.
        let mut command = self.watched(folder, RUN_SECONDS, MOST);
        capture(command.arg(&made)).map_err(|error| error.to_string())?;
        fs::remove_file(&made).map_err(|error| error.to_string())
    }

    /// Runs a generator with an autoscheduler and the library that collects its pipeline.
    fn run_search(&self, folder: &Path, generator: &Path, entry: &Entry) -> Result<(), Missing> {
        let _searching = self.searching.lock().unwrap_or_else(PoisonError::into_inner);
        let mut command = self.watched(folder, SEARCH_SECONDS, 1);
        command.arg(generator);
        command.args(["-f", "pipeline", "-n", "pipeline", "-e", "conceptual_stmt", "-o"]);
        command.arg(folder).arg(format!("target={}", entry.target));
        let name = entry.option("-p");
        for word in &entry.words {
            match name.filter(|name| name == word) {
                Some(name) => command.arg(self.plugin(name)),
                None => command.arg(word),
            };
        }
        let output = capture(&mut command).map_err(|error| error.to_string())?;
        if folder.join("1.hlpipe").is_file() || folder.join("1.error").is_file() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rfind(|line| !line.trim().is_empty()).map(str::to_owned);
        Err(match output.status.code() {
            Some(TIMED_OUT) => format!("Halide finds no schedule in {SEARCH_SECONDS} s"),
            _ => last.unwrap_or_else(|| format!("Halide's autoscheduler fails: {}", output.status)),
        })
    }

    /// Begins the command for a program, which runs in the folder that gets its pipelines.
    fn watched(&self, folder: &Path, seconds: &str, most: usize) -> Command {
        let mut command = Command::new("timeout");
        command.args([seconds, "nice", "-n", "10", "env"]);
        command.arg(format!("LD_PRELOAD={}", self.library().display())).current_dir(folder);
        command.env("HALIDOM_CENSUS_FOLDER", folder).env("HALIDOM_CENSUS_MOST", most.to_string());
        command
    }

    /// Finds the pipelines of the groups whose programs are to be run. Prints what is left out.
    pub(super) fn find(&self, group: Group, jobs: usize) -> Result<Vec<Entry>, Error> {
        let entries = match group {
            Group::Apps | Group::Autoschedulers | Group::Generators => return Ok(Vec::new()),
            Group::Python => {
                let mut entries = Vec::new();
                for file in self.files(&["test/correctness", "tutorial"].map(under_python), "py")? {
                    entries.extend(self.find_in_python(&file)?);
                }
                entries
            }
            Group::Tests => self.find_in_programs(group, &["test/correctness".to_owned()], jobs)?,
            Group::Tutorials => self.find_in_programs(group, &["tutorial".to_owned()], jobs)?,
        };
        println!("{}: {} pipelines", group.name(), entries.len());
        Ok(entries)
    }

    fn find_in_python(&self, file: &str) -> Result<Vec<Entry>, Error> {
        let mut command = program(root().join(".venv/bin/python"));
        command.arg("tests/halide/census/collect.py").args(["list"]);
        command.arg(self.folder.join("run")).arg(self.halide.join(file));
        let output = capture(&mut command)?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut entries = Vec::new();
        for line in text.lines() {
            let entry = line.split_once('\t').and_then(|(number, target)| {
                number.parse::<u32>().ok()?;
                Entry::of(&[Group::Python.name(), file, number, "-", target])
            });
            match entry {
                Some(entry) => entries.push(entry),
                None => println!("  {file}: {}", line.replace('\t', ": ")),
            }
        }
        Ok(entries)
    }

    fn find_in_programs(
        &self,
        group: Group,
        folders: &[String],
        jobs: usize,
    ) -> Result<Vec<Entry>, Error> {
        let files = self.files(folders, "cpp")?;
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        // The reason why nothing is collected is kept, and found again below.
                        drop(self.programs(group, file));
                    }
                });
            }
        });
        let mut entries = Vec::new();
        for file in files {
            match self.programs(group, &file) {
                Ok(folder) => {
                    let numbers =
                        (1..=MOST).map(|number| number.to_string()).take_while(|number| {
                            ["target", "error"]
                                .iter()
                                .any(|name| folder.join(format!("{number}.{name}")).is_file())
                        });
                    let own = numbers.filter_map(|number| {
                        let path = folder.join(format!("{number}.target"));
                        let target = fs::read_to_string(path).unwrap_or_default();
                        let target = self.shortened(target.trim());
                        Entry::of(&[group.name(), &file, &number, "-", &target])
                    });
                    entries.extend(own);
                }
                Err(words) => println!("  {file}: {}", words.trim()),
            }
        }
        Ok(entries)
    }

    /// A target in which `host` stands for this machine.
    fn shortened(&self, target: &str) -> String {
        let host = fs::read_to_string(self.folder.join("host")).unwrap_or_default();
        let host: Vec<&str> = host.trim().split('-').collect();
        let words: Vec<&str> = target.split('-').collect();
        if target.is_empty() || host.iter().any(|word| !words.contains(word)) {
            return if target.is_empty() { HOST.to_owned() } else { target.to_owned() };
        }
        let own = words.into_iter().filter(|word| !host.contains(word));
        std::iter::once(HOST).chain(own).collect::<Vec<_>>().join("-")
    }

    /// The files with an extension in folders of the tree, sorted.
    fn files(&self, folders: &[String], extension: &str) -> Result<Vec<String>, Error> {
        let mut files = Vec::new();
        for folder in folders {
            let path = self.halide.join(folder);
            let listed = fs::read_dir(&path).map_err(|cause| Error::File { path, cause })?;
            for entry in listed.flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if Path::new(&name).extension().is_some_and(|found| found == extension) {
                    files.push(format!("{folder}/{name}"));
                }
            }
        }
        files.sort();
        Ok(files)
    }

    /// Writes down Halide's name of this machine, for [`Self::find`].
    pub(super) fn note_host(&self) -> Result<(), Error> {
        let mut command = program(root().join(".venv/bin/python"));
        let output =
            capture(command.args(["-c", "import halide; print(halide.get_host_target())"]))?;
        let path = self.folder.join("host");
        fs::write(&path, output.stdout).map_err(|cause| Error::File { path, cause })
    }
}

/// This machine, in Halide's notation.
const HOST: &str = "host";

fn under_python(folder: &str) -> String {
    format!("python_bindings/{folder}")
}

/// The folder of the Python package.
fn package() -> Result<PathBuf, Error> {
    let mut command = program(root().join(".venv/bin/python"));
    let output = capture(command.args(["-c", "import halide; print(halide.install_dir())"]))?;
    let folder = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    if folder.join("lib64/libHalide.so").is_file() {
        return Ok(folder);
    }
    Err(Error::Missing {
        what: "the Python package halide".to_owned(),
        advice: "cargo xtask setup".to_owned(),
    })
}

/// Compiles a program; the error is the compiler's first.
fn compile(command: &mut Command, made: &Path) -> Result<(), Missing> {
    if let Some(folder) = made.parent() {
        make_folder(folder).map_err(|error| error.to_string())?;
    }
    // A file under the final name is whole.
    let part = made.with_extension("part");
    let output = capture(command.arg("-o").arg(&part)).map_err(|error| error.to_string())?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        let first = words.lines().find(|line| line.contains("error") || line.contains("undefined"));
        return Err(format!("it does not compile: {}", first.unwrap_or_default()));
    }
    fs::rename(&part, made).map_err(|error| error.to_string())
}

fn run(command: &mut Command) -> Result<(), Error> {
    crate::process::run(command).map(drop)
}

fn is_newer(source: &Path, made: &Path) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    time(made).is_none_or(|made| time(source).is_some_and(|source| source > made))
}

fn make_folder(folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(|cause| Error::File { path: folder.to_owned(), cause })
}

fn absolute(path: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(root().join(path))
        .map_err(|cause| Error::File { path: path.to_owned(), cause })
}

fn write(path: &Path, text: &str) -> Result<(), Missing> {
    if let Some(folder) = path.parent() {
        make_folder(folder).map_err(|error| error.to_string())?;
    }
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
