//! Printed algorithms: read again, they print the same and mean the same to the verifier.

use std::fs;
use std::path::Path;

use halidom_diag::Sources;
use halidom_lang::{Module, parse, print};

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
