//! An output of tuples has a buffer for each component: in runs, in proofs, and in the C entry
//! point.

use std::process::Command;

use crate::common::{choices, load, open, options};
use halidom_codegen::{Artifact, Target};
use halidom_driver::compile::{compile, structure};
use halidom_driver::data::{Request, prepare};
use halidom_driver::execute::{build, build_ahead, interpret, run, toolchain};
use halidom_driver::source::Choice;
use halidom_ir::{Array, Scalar};
use halidom_validate::{Verdict, validate};

/// The greatest value of each column with its position, and a second output of single values.
const TEXT: &str = "
pipeline greatest(a: buffer<u8, 2>) -> best: buffer<(i32, u8), 1>, twice: buffer<u16, 1> {
    func best(x): (i32, u8) {
        best(x) = (-1, 0);
        for r in 0..a.height { best(x) = select(a(x, r) >= best(x).1, (i32(r), a(x, r)), best(x)); }
    }
    func twice(x) = 2 * u16(best(x).1);
}
schedule lanes for greatest {
    best.vectorize(x, 8, tail: guard);
    best.update().reorder(x, r).vectorize(x, 8);
    twice.vectorize(x, 8);
}
";

#[test]
fn every_component_is_an_array_of_its_own() {
    let toolchain = toolchain().expect("a C compiler is installed");
    let mut loaded = load("greatest", TEXT);
    let algorithm = loaded.module.pipelines[0].algorithm.clone();
    let unscheduled = Choice { pipeline: 0, schedule: None };
    let reference =
        structure(&mut loaded, &unscheduled, &mut |_, _, _| {}).expect("it can be compiled");
    let request = Request {
        random: Some(3),
        size: Some(vec![37]),
        input_sizes: vec![("a".to_owned(), vec![37, 9])],
        ..Request::default()
    };
    for choice in choices(&loaded) {
        let compiled =
            compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("the schedule is legal");
        let pool = &mut loaded.module.pool;
        let prepared = prepare(pool, &algorithm, std::slice::from_ref(&reference), &request)
            .expect("inputs can be made");
        let expected = interpret(pool, &algorithm, &prepared).expect("it has a value");
        let types: Vec<Scalar> = expected.iter().map(|array| array.scalar).collect();
        assert_eq!(types, [Scalar::I32, Scalar::U8, Scalar::U16]);
        assert!(expected.iter().all(|array| array.shape == [(0, 37)]));
        let native =
            build(pool, &compiled.program, &toolchain, Target::host()).expect("C is compiled");
        let ran = run(&native, pool, &algorithm, &compiled.program, &prepared, None);
        let outputs: Vec<Array> = ran.expect("its checks hold").outputs;
        assert_eq!(outputs, expected);
        let report = validate(pool, &algorithm, &compiled.program, &options());
        assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
    }
}

/// A C program that queries shapes, runs the pipeline, and gives one component a shape that differs
/// from the other's.
const MAIN: &str = r#"
#include <stdio.h>
#include "greatest.h"

int main(void) {
    uint8_t data[3 * 4] = {1, 9, 3, /**/ 4, 2, 3, /**/ 0, 9, 8, /**/ 4, 1, 8};
    int32_t place[3];
    uint8_t value[3];
    uint16_t doubled[3];
    halidom_dimension_t a_dim[2] = {{0, 3, 1, 0}, {0, 4, 3, 0}};
    halidom_dimension_t dims[3] = {{0, 3, 1, 0}, {0, 0, 0, 0}, {0, 3, 1, 0}};
    halidom_buffer_t a = {
        .type = {HALIDOM_TYPE_UINT, 8, 1}, .dimensions = 2, .dim = a_dim, .host = data
    };
    halidom_buffer_t first = {
        .type = {HALIDOM_TYPE_INT, 32, 1}, .dimensions = 1, .dim = &dims[0],
        .host = (uint8_t *)place
    };
    halidom_buffer_t second = {.type = {HALIDOM_TYPE_UINT, 8, 1}, .dimensions = 1, .dim = &dims[1]};
    halidom_buffer_t twice = {
        .type = {HALIDOM_TYPE_UINT, 16, 1}, .dimensions = 1, .dim = &dims[2],
        .host = (uint8_t *)doubled
    };
    int asked = greatest(&a, &first, &second, &twice);
    printf("asks %d: %d %d %d\n", asked, dims[1].min, dims[1].extent, dims[1].stride);
    second.host = value;
    printf("runs %d\n", greatest(&a, &first, &second, &twice));
    for (int i = 0; i < 3; i++) {
        printf("%d %d %d\n", place[i], value[i], doubled[i]);
    }
    dims[1].min = 1;
    printf("refuses %d\n", greatest(&a, &first, &second, &twice));
    return 0;
}
"#;

#[test]
fn the_entry_for_c_takes_a_buffer_for_each_component() {
    let toolchain = toolchain().expect("a C compiler is installed");
    let mut loaded = load("greatest", TEXT);
    for choice in choices(&loaded) {
        let compiled =
            compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("the schedule is legal");
        let pool = &loaded.module.pool;
        let folder = tempfile::tempdir().expect("there is room");
        let written = build_ahead(
            pool,
            &compiled.program,
            &toolchain,
            &Target::host(),
            folder.path(),
            &Artifact::ALL,
        );
        written.expect("C is compiled");
        std::fs::write(folder.path().join("main.c"), MAIN).expect("it can be written");
        let mut compile = Command::new(toolchain.compiler());
        compile.current_dir(folder.path()).args(["-Wall", "-Wextra", "-Werror", "main.c"]);
        compile.args(["greatest.a", "-o", "main", "-lm", "-pthread"]);
        let compiled = compile.output().expect("the compiler starts");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let ran = Command::new(folder.path().join("main")).output().expect("it starts");
        let expected = "asks 0: 0 3 1\nruns 0\n3 4 8\n2 9 18\n3 8 16\nrefuses 3\n";
        assert_eq!(String::from_utf8_lossy(&ran.stdout), expected);
    }
}
