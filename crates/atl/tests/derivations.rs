//! The examples: every derivation ends in a certificate, and its C does what the source program says.

mod common;

use halidom_atl::check::forbidden;
use halidom_atl::native::Comparison;

#[test]
fn every_example_is_certified_and_its_c_agrees_with_its_source() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the examples are there").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "atl") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("the example can be read");
        for done in common::derive(&text, Some("examples")).expect("the example is derived") {
            let at = format!("{}: {}", path.display(), done.name);
            assert_eq!(forbidden(&done.certificate.text), None, "{at}");
            assert!(
                matches!(
                    done.comparison,
                    Some((Comparison::Equal(sizes), Comparison::Equal(_) | Comparison::Within(_)))
                        if sizes >= 8
                ),
                "{at}: {:?}",
                done.comparison
            );
            count += 1;
        }
    }
    assert!(count >= 15, "fifteen derivations, not {count}");
}

#[test]
fn a_derivation_of_many_steps_is_fast() {
    // A hundred reductions in a program of about a thousand nodes.
    let sum: Vec<String> =
        (0..100).map(|number| format!("[{number} <= i] * b[i - {number}]")).collect();
    let text = format!(
        "program p(n: size, f: tensor<i32>[n]) = let b = gen j < n: f[j] in gen i < n: {}\nderivation d of p {{ inline b; beta; }}",
        sum.join(" + ")
    );
    let engine = halidom_atl::engine::Engine::new().expect("the engine starts");
    let mut sources = halidom_diag::Sources::new();
    let file = sources.add("many.atl", text);
    let loaded =
        halidom_atl::file::load(&engine, &mut sources, file).expect("the program is right");
    let start = std::time::Instant::now();
    let derived = loaded
        .derive(&engine, &sources, &loaded.derivations[0])
        .expect("the derivation goes through");
    assert_eq!(derived.state.steps.len(), 101);
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}
