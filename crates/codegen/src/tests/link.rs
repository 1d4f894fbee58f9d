//! Compilers that do not run, and objects that need more than the C library.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::run::row_blur;
use crate::native::link::{OBJECT_NAME, load, load_directly};
use crate::native::toolchain::{HEADER_NAME, SOURCE_NAME, write};
use crate::{CompileError, RUNTIME_HEADER, RUNTIME_SOURCE, Target, Toolchain, compile, emit};
use halidom_ir::LoopKind;

#[test]
fn a_compiler_that_is_not_there_is_not_found() {
    assert!(Toolchain::of(OsStr::new("no-such-compiler")).is_none());
    assert!(Toolchain::of(OsStr::new("/no/such/compiler")).is_none());
    // A folder, and a file that is not executable.
    assert!(Toolchain::of(OsStr::new("/")).is_none());
    assert!(
        Toolchain::of(OsStr::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))).is_none()
    );
}

#[test]
fn a_compiler_that_does_not_run_is_named() {
    let toolchain = Toolchain::of(OsStr::new("false")).expect("every system has it");
    assert_eq!(toolchain.version(), "");
    let (pool, program) = row_blur(LoopKind::Serial);
    let module = emit(&pool, &program, &Target::GENERIC).unwrap();
    let error = compile(&module, &toolchain, &Target::GENERIC).err().expect("nothing is compiled");
    assert!(matches!(&error, CompileError::NoCompiler(name) if name == "false"), "{error}");
}

/// Compilers are called from the folder that contains the C.
#[test]
fn a_path_is_one_from_everywhere() {
    let relative = Path::new("../../../../../../../../bin/false");
    let toolchain = Toolchain::of(relative.as_os_str()).expect("every system has it");
    assert!(Path::new(&toolchain.compiler()).is_absolute());
}

#[test]
fn what_cannot_be_written_is_said_with_the_reason() {
    let error = write(Path::new("/no/such/folder"), SOURCE_NAME, "").unwrap_err().to_string();
    assert!(error.starts_with("cannot write pipeline.c: No such file"), "{error}");
}

/// The build script uses one compiler only, and its warnings are not errors.
#[test]
fn the_runtime_is_compiled_by_all_compilers_without_a_warning() {
    let toolchains = Toolchain::all();
    assert!(!toolchains.is_empty(), "no C compiler");
    for toolchain in toolchains {
        let (toolchain, directory) = (toolchain.strict(), tempfile::tempdir().unwrap());
        write(directory.path(), HEADER_NAME, RUNTIME_HEADER).unwrap();
        write(directory.path(), "runtime.c", RUNTIME_SOURCE).unwrap();
        let mut command = toolchain.command(&Target::GENERIC, directory.path());
        command.args(["-c", "runtime.c", "-o", "runtime.o"]);
        toolchain.run(command, directory.path()).unwrap();
    }
}

const CALLS_BESIDE: &str =
    "int beside(void);\nint run(void);\nint run(void) { return beside(); }\n";

/// Compiles a text to the folder's object, and returns the compiler.
fn object_of(text: &str, directory: &Path) -> Toolchain {
    let toolchain = Toolchain::find().unwrap().strict();
    write(directory, SOURCE_NAME, text).unwrap();
    let mut command = toolchain.command(&Target::GENERIC, directory);
    command.args(["-c", SOURCE_NAME, "-o", OBJECT_NAME]);
    toolchain.run(command, directory).unwrap();
    toolchain
}

#[test]
fn what_calls_what_is_nowhere_does_not_load() {
    let directory = tempfile::tempdir().unwrap();
    let toolchain = object_of(CALLS_BESIDE, directory.path());
    assert!(load_directly(directory.path(), "run").is_none());
    let error = load(&toolchain, directory.path(), "run").err().expect("nothing is loaded");
    assert!(matches!(&error, CompileError::Load(_)), "{error}");
    assert!(error.to_string().contains("beside"), "{error}");
}

#[test]
fn what_only_the_compiler_can_link_is_linked_by_it() {
    let directory = tempfile::tempdir().unwrap();
    let toolchain = object_of(CALLS_BESIDE, directory.path());
    write(directory.path(), "beside.c", "int beside(void) { return 0; }\n").unwrap();
    let script = directory.path().join("compiler");
    let text = ["#!/bin/sh\nexec ", &toolchain.compiler(), " \"$@\" -fPIC beside.c\n"].concat();
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let compiler = Toolchain::of(script.as_os_str()).expect("a program");
    load(&compiler, directory.path(), "run").unwrap();
}

#[test]
fn what_needs_the_c_library_alone_needs_no_driver() {
    let directory = tempfile::tempdir().unwrap();
    let text = "#include <string.h>
int run(const void *from, void *to);
int run(const void *from, void *to) {
    memcpy(to, from, *(const unsigned *)from);
    return 0;
}
";
    object_of(text, directory.path());
    assert!(load_directly(directory.path(), "run").is_some());
}
