//! Atomic updates: native code gives the algorithm's values, and nothing is proved without
//! atomicity.

use crate::common::{choices, load, open, options};
use halidom_codegen::Target;
use halidom_driver::compile::compile;
use halidom_driver::data::{Request, prepare};
use halidom_driver::execute::{build, interpret, run, toolchain};
use halidom_testgen::{MutantKind, mutants};
use halidom_validate::{Verdict, validate};

const TEXT: &str =
    "pipeline counts(a: buffer<u8, 2>) -> count: buffer<u32, 1>, least: buffer<i16, \
    0>, mask: buffer<u8, 1>, powers: buffer<u16, 1> {
    func count(i): u32 {
        count(i) = 3;
        for (x, y) in (0..a.width, 0..a.height) { count(int(a(x, y)) / 32) += u32(a(x, y)); }
    }
    func least(): i16 {
        least() = 300;
        for (x, y) in (0..a.width, 0..a.height) { least() min= i16(a(x, y)) - 5; }
    }
    func mask(i): u8 {
        mask(i) = 0;
        for (x, y) in (0..a.width, 0..a.height) \
        { mask(int(a(x, y)) % 8) = mask(int(a(x, y)) % 8) | (a(x, y) + 1); }
    }
    func powers(i): u16 {
        powers(i) = 1;
        for (x, y) in (0..a.width, 0..a.height) { powers(int(a(x, y)) % 8) *= u16(a(x, y)) | 1; }
    }
}
schedule rows for counts {
    count.update().atomic().parallel(y);
    least.update().parallel(y).atomic();
    mask.update().atomic().parallel(y);
    powers.update().atomic().parallel(y);
}
schedule lanes for counts {
    count.update().atomic().vectorize(x, 8, tail: guard).parallel(y);
    least.update().split(y, yo, yi, 16, tail: guard).reorder(yi, x, yo).parallel(yo).atomic();
    mask.update().atomic().reorder(y, x).parallel(x);
}";

#[test]
fn native_code_counts_right() {
    let toolchain = toolchain().expect("a C compiler is installed");
    for choice in choices(&load("counts", TEXT)) {
        let mut loaded = load("counts", TEXT);
        let schedule = loaded.schedule_of(&choice).name;
        let compiled = compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("it is legal");
        let algorithm = loaded.module.pipelines[0].algorithm.clone();
        let pool = &mut loaded.module.pool;
        let native =
            build(pool, &compiled.program, &toolchain, Target::host()).expect("C is compiled");
        for size in [(0, 0), (1, 1), (37, 29), (640, 427)] {
            let mut request = Request { random: Some(7), ..Request::default() };
            request.input_sizes.push(("a".to_owned(), vec![size.0, size.1]));
            let references = std::slice::from_ref(&compiled.structured);
            let prepared =
                prepare(pool, &algorithm, references, &request).expect("inputs can be made");
            let expected = interpret(pool, &algorithm, &prepared).expect("it has a value");
            let ran = run(&native, pool, &algorithm, &compiled.program, &prepared, None)
                .map(|run| run.outputs)
                .map_err(|error| error.to_string());
            assert!(ran.as_ref() == Ok(&expected), "{size:?} under {schedule}: {:?}", ran.err());
        }
        let report = validate(pool, &algorithm, &compiled.program, &options());
        assert_eq!(report.verdict, Verdict::Proved, "{schedule}\n{}", open(&report));
    }
}

#[test]
fn dropped_atomics_are_not_proved() {
    let mut seen = 0;
    for choice in choices(&load("counts", TEXT)) {
        let mut loaded = load("counts", TEXT);
        let compiled = compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("it is legal");
        let algorithm = loaded.module.pipelines[0].algorithm.clone();
        let pool = &mut loaded.module.pool;
        for mutant in mutants(pool, &compiled.program, &[MutantKind::AtomicDropped], 1, 400) {
            let report = validate(pool, &algorithm, &mutant.program, &options());
            assert!(
                matches!(report.verdict, Verdict::Refuted(_)),
                "{}: {:?}",
                mutant.description,
                report.verdict
            );
            seen += 1;
        }
    }
    assert!(seen >= 6, "only {seen} atomic updates");
}
