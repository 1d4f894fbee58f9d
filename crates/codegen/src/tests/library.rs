//! A pipeline in a foreign program: C, linked with the static library alone.

use std::process::Command;

use halidom_ir::LoopKind;

use super::run::row_blur;
use crate::{Artifact, Target, Toolchain, emit, write_all};

/// Asks for the shape, runs, fails a check, and passes a buffer of another type.
const MAIN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include "row_blur.h"

int main(void) {
    halidom_dimension_t in_dim[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    halidom_dimension_t out_dim[2] = {{5, 30, 1, 0}, {-2, 20, 30, 0}};
    uint16_t result[600];
    halidom_buffer_t in = {.type = {HALIDOM_TYPE_UINT, 16, 1}, .dimensions = 2, .dim = in_dim};
    halidom_buffer_t out = {.type = {HALIDOM_TYPE_UINT, 16, 1}, .dimensions = 2, .dim = out_dim,
                            .host = (uint8_t *)result};
    if (row_blur(&in, &out) != HALIDOM_OK) {
        return 1;
    }
    printf("needs %d %d\n", in_dim[0].min, in_dim[0].extent);
    in_dim[1].min = -2;
    in_dim[1].extent = 20;
    uint16_t *data = malloc(32 * 20 * sizeof *data);
    for (int i = 0; i < 32 * 20; i++) {
        data[i] = (uint16_t)(i * 3);
    }
    in.host = (uint8_t *)data;
    printf("runs %d\n", row_blur(&in, &out));
    int wrong = 0;
    for (int y = 0; y < 20; y++) {
        for (int x = 0; x < 30; x++) {
            int at = y * 32 + x;
            wrong += result[y * 30 + x] != (data[at] + data[at + 1] + data[at + 2]) / 3;
        }
    }
    printf("wrong %d\n", wrong);
    in_dim[0].extent = 31;
    halidom_failure failure = {0};
    printf("fails %d\n", row_blur_reporting(&in, &out, &failure));
    printf("%s: %d %d %d %d\n", row_blur_check(failure.check), (int)failure.values[0],
           (int)failure.values[1], (int)failure.values[2], (int)failure.values[3]);
    in.type.bits = 8;
    printf("refuses %d\n", row_blur(&in, &out));
    free(data);
    return 0;
}
"#;

#[test]
fn a_c_program_links_the_library_and_runs() {
    for toolchain in Toolchain::all().into_iter().map(Toolchain::strict) {
        let (pool, program) = row_blur(LoopKind::PARALLEL);
        let target = Target::host();
        let module = emit(&pool, &program, &target).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("out");
        let written = write_all(&out, &module, &toolchain, &target, &Artifact::ALL).unwrap();
        let mut names: Vec<String> = std::fs::read_dir(&out)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let kinds = ["a", "c", "h", "o", "so"].map(|kind| format!("row_blur.{kind}"));
        let expected = [&["halidom_runtime.h".to_owned()], kinds.as_slice()].concat();
        assert_eq!(names, expected);
        assert_eq!(written.len(), expected.len());
        std::fs::write(out.join("main.c"), MAIN).unwrap();
        let mut compile = Command::new(toolchain.compiler());
        compile.current_dir(&out).args(["-Wall", "-Wextra", "-Werror", "main.c", "row_blur.a"]);
        compile.args(["-o", "main", "-lm", "-pthread"]);
        let compiled = compile.output().unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let ran = Command::new(out.join("main")).output().unwrap();
        let expected = "needs 5 32\nruns 0\nwrong 0\nfails 1\n\
                        the required region of `input` in dimension 0: 5 32 5 31\nrefuses 3\n";
        assert_eq!(String::from_utf8_lossy(&ran.stdout), expected);
        assert!(ran.status.success());
    }
}

#[test]
fn nothing_is_left_behind_where_the_compiler_refuses() {
    let (pool, program) = row_blur(LoopKind::Serial);
    let target = Target::host();
    let mut module = emit(&pool, &program, &target).unwrap();
    module.text.push_str("this is no C\n");
    let directory = tempfile::tempdir().unwrap();
    let toolchain = Toolchain::find().unwrap().strict();
    let error =
        write_all(directory.path(), &module, &toolchain, &target, &Artifact::ALL).unwrap_err();
    assert!(error.to_string().contains("refuses the generated C"), "{error}");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}
