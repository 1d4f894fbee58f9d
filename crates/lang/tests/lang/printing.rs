//! Tests printing. Printed algorithms, read again, print the same and satisfy the verifier. Printed
//! schedules, read again, are the same.

use std::fs;
use std::path::Path;

use halidom_base::Id as _;
use halidom_diag::Sources;
use halidom_ir::{Action, Directive, FuncId, Schedule};
use halidom_lang::{Module, parse, print, print_schedule};

use crate::common::{code_blocks, files};

fn read(text: &str) -> Module {
    let mut sources = Sources::new();
    let file = sources.add("printed.hal", text);
    let module = parse(&sources, file);
    let messages: Vec<&str> =
        module.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert!(messages.is_empty(), "{messages:?} in\n{text}");
    module
}

#[test]
fn what_is_printed_is_read_as_the_same() {
    let mut count = 0;
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for entry in fs::read_dir(examples).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "hal") {
            continue;
        }
        for pipeline in read(&fs::read_to_string(&path).unwrap()).pipelines {
            let module = read(&fs::read_to_string(&path).unwrap());
            let found = module
                .pipelines
                .iter()
                .find(|found| found.algorithm.name == pipeline.algorithm.name)
                .unwrap();
            let text = print(&module.pool, &found.algorithm)
                .unwrap_or_else(|unprintable| panic!("{}: {unprintable}", path.display()));
            let again = read(&text);
            let [only] = again.pipelines.as_slice() else { panic!("one pipeline in\n{text}") };
            assert_eq!(print(&again.pool, &only.algorithm).as_ref(), Ok(&text));
            count += 1;
        }
    }
    assert!(count > 15, "{count} pipelines");
}

/// A literal in the operand of a cast would have the type of the cast, and another value.
#[test]
fn literals_keep_their_type_within_casts() {
    let text = "pipeline p(a: buffer<f64, 1>) -> b: buffer<f64, 1> {\n    func b(x): f64 = \
        (a(x) * f64((f32(0.1) + f32(0.2)))) + f64(select((a(x) > f64(1.0)), f32(0.1), \
        f32(0.3)));\n}\n";
    let module = read(text);
    assert_eq!(print(&module.pool, &module.pipelines[0].algorithm).as_deref(), Ok(text));
    for operand in [
        "f64((select((x < 2), int(1), int(3)) / int(2)))",
        "f64(u8((select((x < 2), int(200), int(100)) * int(2))))",
        "f64(i32((f32(0.7) + f32(0.8))))",
        "f64((x / 2))",
        "f64((f32((x / 2)) + 0.1))",
    ] {
        let text = format!(
            "pipeline p(n: i32) -> b: buffer<f64, 1> {{\n    func b(x): f64 = {operand};\n}}\n"
        );
        let module = read(&text);
        assert_eq!(print(&module.pool, &module.pipelines[0].algorithm), Ok(text));
    }
}

#[test]
fn names_that_the_language_keeps_are_changed() {
    let text = "pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> {\n    func b(x): u8 = a(x);\n}\n";
    let module = read(text);
    let mut pool = module.pool.clone();
    let algorithm = module.pipelines[0].algorithm.clone();
    let func = algorithm.outputs[0];
    let mut decl = pool.func(func).clone();
    decl.name = "select$1".to_owned();
    let renamed = pool.declare_func(decl);
    let algorithm =
        halidom_ir::Algorithm { funcs: vec![renamed], outputs: vec![renamed], ..algorithm };
    let printed = print(&pool, &algorithm).unwrap();
    assert_eq!(printed, text.replace("-> b:", "-> select_1:").replace("func b(", "func select_1("));
}

/// Returns the directives without the parts that differ between two readings of one text: the funcs
/// that a schedule makes are numbered in order, places are left out.
fn comparable(schedule: &Schedule) -> Vec<Directive> {
    fn number(func: &mut FuncId, made: &[FuncId]) {
        if let Some(position) = made.iter().position(|known| known == func) {
            // Far above the ids of the funcs in every module here.
            *func = FuncId::from_index(1_000_000 + position);
        }
    }
    fn walk(directives: &mut [Directive], made: &mut Vec<FuncId>) {
        for directive in directives {
            directive.origin = 0;
            number(&mut directive.func, made);
            let action = &mut directive.action;
            if let Action::Wrap { wrapper: func, .. } | Action::Factor { partial: func, .. } =
                action
            {
                made.push(*func);
                number(func, made);
            } else if let Action::ComputeAt(level)
            | Action::StoreAt(level)
            | Action::HoistStorage(Some(level)) = action
            {
                number(&mut level.func, made);
            } else if let Action::Prefetch { func, .. } = action {
                number(func, made);
            } else if let Action::Specialize { directives, .. } = action {
                walk(directives, made);
            }
        }
    }
    let mut directives = schedule.directives.clone();
    walk(&mut directives, &mut Vec::new());
    directives
}

/// Prints every schedule of a text, appends it to the text under another name, and compares the two
/// after reading. Returns the number of schedules.
fn schedules_are_read_as_the_same(name: &str, text: &str) -> usize {
    let module = read(text);
    let mut count = 0;
    for (number, pipeline) in module.pipelines.iter().enumerate() {
        for (position, named) in pipeline.schedules.iter().enumerate() {
            let renamed =
                Schedule { name: "printed_once_more".to_owned(), ..named.schedule.clone() };
            let printed = print_schedule(&module.pool, &pipeline.algorithm, &renamed)
                .unwrap_or_else(|unprintable| panic!("{name}: {unprintable}"));
            assert!(printed.lines().all(|line| line.len() <= 110), "{printed}");
            let again = read(&format!("{text}\n{printed}"));
            let own = &again.pipelines[number];
            let other = own.schedules.last().expect("it was put there");
            assert_eq!(other.schedule.name, renamed.name);
            assert_eq!(
                comparable(&own.schedules[position].schedule),
                comparable(&other.schedule),
                "{name}:\n{printed}"
            );
            count += 1;
        }
    }
    count
}

#[test]
fn printed_schedules_are_read_as_the_same() {
    let mut count = 0;
    for folder in ["examples", "examples/applications", "examples/table1"] {
        for (name, text) in files(folder, "hal") {
            count += schedules_are_read_as_the_same(&name, &text);
        }
    }
    assert!(count > 80, "{count} schedules");
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/language.md"));
    let blocks = code_blocks(&page.unwrap());
    let valid = blocks.iter().filter(|(kind, _)| kind.is_empty());
    let of_page: usize =
        valid.map(|(_, block)| schedules_are_read_as_the_same("the page", block)).sum();
    assert!(of_page > 8, "{of_page} schedules on the page");
}

#[test]
fn every_directive_is_read_as_the_same() {
    let text = "\
pipeline p(a: buffer<f32, 2>, rows: i32) -> output: buffer<f32, 2> {
    func half[k in 0..3](x, y) = a(x, y) / 2 + k;
    func sums(x, y): f32 {
        sums(x, y) = 0;
        for (r, q) in (0..a.width, 0..16) { sums(x, y) += half[2](x + r, y + q) * half[1](x, y); }
        sums(x, y) = sums(x, y) + sum(s in 0..4: a(x + s, y));
    }
    func output(x, y) = sums(x, y) + half[0](x, y);
}
schedule all for p {
    output.specialize(rows > 4 && a.min(0) == 0) {
        output.tile(x, y, xo, yo, xi, yi, 2 * rows, 8, tail: round).unroll(yi).vectorize(xi, 4, \
        tail: predicate_stores);
    }
    output.specialize_fail(\"no rows\");
    output.bound(x, -3, a.extent(0) + int(rows)).bound_extent(y, 12).align_bounds(x, 4, \
    1).store_in(stream);
    half[2].store_at(sums.update(1), r).compute_at(sums.update(), q).hoist_storage(sums.update(1), \
    y).fold_storage(x, 4, backward)
        .fold_storage(y, 8).reorder_storage(y, x).align_storage(x, 16).pad_storage(x, \
        16).realign().store_in(heap);
    half[0].store_root().compute_root().hoist_storage_root().gpu_tile(x, y, xo, yo, xi, yi, 8, 4, \
    tail: guard).partition(xi, never);
    half[0].in(output).compute_at(output, y).rename(x, v).swap(y).serial(v).parallel(y, dynamic, \
    chunk: 4);
    half[0].in(output).store_in(stack);
    a.in(half[1], half[0]).in().compute_inline();
    half[1].prefetch(a, x).prefetch(a.in(half[1], half[0]), at: y, ahead: 3).prefetch(half[2], y, \
    2).split(x, xo, xi, 7, tail: shift).fuse(y, xo, t).reorder(t, xi);
    sums.parallel(y, static).parallel(y, static, 8).parallel(x, \
    dynamic).update(2).atomic().unroll(x, 2).vectorize(y);
    sums.update(1).split(q, qo, qi, 4).rfactor(qi, u, part);
    part.compute_root().update().reorder(u, r).specialize(rows == 0) {
        part.unroll(r, 3);
    }
    sum$1.compute_root().gpu_blocks(x, y).gpu_threads(x);
}
";
    assert_eq!(schedules_are_read_as_the_same("all directives", text), 1);
}

#[test]
fn what_schedules_cannot_say_is_named() {
    let text = "\
pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> { func b(x) = a(x); }
schedule s for p { b.specialize_fail(\"none\"); }
";
    let module = read(text);
    let pipeline = &module.pipelines[0];
    let mut schedule = pipeline.schedules[0].schedule.clone();
    for action in [
        Action::SpecializeFail { message: "a \"message\"".to_owned() },
        Action::Traverse { var: "x".to_owned(), kind: halidom_ir::LoopKind::Vectorized },
        Action::Factor { vars: Vec::new(), partial: pipeline.algorithm.outputs[0] },
    ] {
        schedule.directives[0].action = action;
        let refused = print_schedule(&module.pool, &pipeline.algorithm, &schedule).unwrap_err();
        assert_eq!(refused.func, "b");
    }
}

#[test]
fn schedules_are_printed_as_people_write_them() {
    let text = "\
pipeline p(a: buffer<u8, 2>) -> b: buffer<u8, 2> {
    func f[k in 0..2](x, y) = a(x, y) + k;
    func b(x, y) = f[0](x, y) + f[1](x, y);
}
schedule s(rows: 32) for p {
    b.split(y, yo, yi, rows).parallel(yo).vectorize(x, 16);
    for k in 0..2 { f[k].store_at(b, yo).compute_at(b, yi).vectorize(x, 16, guard); }
}
";
    let module = read(text);
    let pipeline = &module.pipelines[0];
    let printed =
        print_schedule(&module.pool, &pipeline.algorithm, &pipeline.schedules[0].schedule);
    assert_eq!(
        printed.as_deref(),
        Ok("\
schedule s for p {
    b.split(y, yo, yi, 32).parallel(yo).vectorize(x, 16);
    f[0].store_at(b, yo).compute_at(b, yi).vectorize(x, 16, tail: guard);
    f[1].store_at(b, yo).compute_at(b, yi).vectorize(x, 16, tail: guard);
}
")
    );
}
