//! Stencils whose vectors are assembled from two: tests of their values, of their proofs, and of
//! the places where they are assembled.

use crate::common::{choices, load, open, options};
use halidom_codegen::{Target, emit};
use halidom_driver::compile::{compile, structure};
use halidom_driver::data::{Request, prepare};
use halidom_driver::execute::{build, interpret, run, toolchain};
use halidom_driver::source::Choice;
use halidom_testgen::sampled;
use halidom_validate::{Verdict, validate};

/// A stencil of seven neighbours in a row, then one of five in a column and a row. `TYPE` and
/// `LANES` are placeholders.
const TEXT: &str = "
pipeline stencil(input: buffer<TYPE, 2>) -> output: buffer<TYPE, 2> {
    func at = repeat_edge(input);
    func first(x, y) = at(x, y) + 2 * at(x + 1, y) + 3 * at(x, y + 1);
    func second(x, y) = first(x - 3, y) + 2 * first(x - 2, y) + 3 * first(x - 1, y) + 4 * first(x, \
    y)
                      + 5 * first(x + 1, y) + 6 * first(x + 2, y) + 7 * first(x + 3, y);
    func output(x, y) = second(x - 1, y) + 2 * second(x, y) + 3 * second(x + 1, y) + 4 * second(x, \
    y - 1) + 5 * second(x, y + 1);
}
schedule_fn lanes(f) { f.vectorize(x, LANES); }
schedule_fn realigned(f) { f.vectorize(x, LANES).align_storage(x, LANES).realign(); }
schedule by_row for stencil {
    realigned(first); realigned(second); lanes(output);
    first.compute_at(output, y); second.compute_at(output, y);
}
schedule sliding for stencil {
    realigned(first); realigned(second); lanes(output);
    first.store_root().compute_at(output, y); second.store_root().compute_at(output, y);
}
schedule strips for stencil {
    output.split(y, yo, yi, 4, tail: guard).parallel(yo);
    realigned(first); realigned(second); lanes(output);
    first.store_at(output, yo).compute_at(output, yi); second.store_at(output, \
    yo).compute_at(output, yi);
}
schedule tiles for stencil {
    output.tile(x, y, xo, yo, xi, yi, 96, 4, tail: shift_inwards).parallel(yo).vectorize(xi, LANES);
    realigned(first); realigned(second);
    first.compute_at(output, xo); second.compute_at(output, xo);
}
schedule stack for stencil {
    output.tile(x, y, xo, yo, xi, yi, 32, 2, tail: shift_inwards).vectorize(xi, LANES);
    realigned(first); realigned(second);
    first.compute_at(output, xo).store_in(stack); second.compute_at(output, xo).store_in(stack);
}
schedule hoisted for stencil {
    realigned(first); realigned(second); lanes(output);
    first.hoist_storage_root().compute_at(output, y); \
    second.hoist_storage_root().compute_at(output, y);
}
schedule whole for stencil {
    realigned(first); realigned(second); lanes(output);
    first.compute_root().parallel(y); second.compute_root().parallel(y); output.parallel(y);
}
schedule unrolled for stencil {
    realigned(first); realigned(second); output.vectorize(x, LANES).unroll(x, 2);
    first.compute_at(output, y); second.compute_at(output, y);
}
// Rows begin at multiples of what is no whole vector.
schedule less for stencil {
    first.compute_at(second, y).vectorize(x, LANES).align_storage(x, 3).realign();
    second.compute_root().vectorize(x, LANES).align_storage(x, 2).realign();
}
// The distance from the multiple depends on the iteration.
schedule odd for stencil {
    output.split(x, xo, xi, 3, tail: guard).reorder(y, xi, xo);
    first.compute_root().align_storage(x, LANES).realign();
    second.compute_at(output, xo).bound_extent(x, 5).vectorize(x);
}
";

/// Schedules without a vector whose distance is known.
const NONE: [&str; 2] = ["less", "odd"];

#[test]
fn stencils_with_realigned_rows_compute_the_same() {
    let toolchain = toolchain().expect("a C compiler is installed");
    let types = [("u8", 32), ("u16", 16), ("i32", 8), ("f32", 16), ("f64", 4)];
    for (scalar, lanes) in sampled(types, 8) {
        let text = TEXT.replace("TYPE", scalar).replace("LANES", &lanes.to_string());
        let mut loaded = load("stencil", &text);
        let algorithm = loaded.module.pipelines[0].algorithm.clone();
        let unscheduled = Choice { pipeline: 0, schedule: None };
        let reference =
            structure(&mut loaded, &unscheduled, &mut |_, _, _| {}).expect("it can be compiled");
        for choice in choices(&loaded) {
            let name = choice.schedule.map_or("default".to_owned(), |number| {
                loaded.module.pipelines[0].schedules[number].schedule.name.clone()
            });
            let what = format!("{scalar} under {name}");
            let compiled =
                compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("the schedule is legal");
            let pool = &mut loaded.module.pool;
            let text = emit(pool, &compiled.program, &Target::host()).expect("it can be printed");
            let expected = choice.schedule.is_some() && !NONE.contains(&name.as_str());
            assert_eq!(
                text.text.contains("__builtin_shufflevector("),
                expected,
                "{what}: {}",
                text.text
            );
            let native =
                build(pool, &compiled.program, &toolchain, Target::host()).expect("C is compiled");
            for (width, height) in [(96, 4), (97, 5), (131, 9), (1, 1), (40, 3)] {
                let request = Request {
                    random: Some(width * 7),
                    size: Some(vec![width as i64, height]),
                    ..Request::default()
                };
                let prepared =
                    prepare(pool, &algorithm, std::slice::from_ref(&reference), &request)
                        .expect("inputs can be made");
                let expected = interpret(pool, &algorithm, &prepared).expect("it has a value");
                match run(&native, pool, &algorithm, &compiled.program, &prepared, None) {
                    Ok(ran) => assert_eq!(ran.outputs, expected, "{what} at {width}x{height}"),
                    // These schedules require whole tiles.
                    Err(_) => assert!(width < 96 && ["tiles", "stack"].contains(&name.as_str())),
                }
            }
            // The proof does not depend on the type.
            if scalar == "u16" {
                let report = validate(pool, &algorithm, &compiled.program, &options());
                assert_eq!(report.verdict, Verdict::Proved, "{what}: {}", open(&report));
            }
        }
    }
}
