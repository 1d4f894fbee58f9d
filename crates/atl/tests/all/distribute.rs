//! Tests of the rules of `coq/Distribute.v`, on programs that use all of them. Coq checks their
//! certificates in `cargo xtask atl`.

use std::collections::BTreeSet;

use halidom_atl::certificate::certify;
use halidom_atl::codes;
use halidom_atl::engine::{Engine, Reason};
use halidom_atl::file::load;
use halidom_diag::Sources;

const PROGRAMS: &str = include_str!("../programs/distribute.atl");

#[test]
fn every_rule_about_reshape_operators_is_used_and_certified() {
    let engine = Engine::new().expect("the engine starts");
    let mut sources = Sources::new();
    let file = sources.add("distribute.atl", PROGRAMS);
    let loaded = load(&engine, &mut sources, file).expect("the programs are right");
    let mut used: BTreeSet<&str> = BTreeSet::new();
    for derivation in &loaded.derivations {
        let name = &derivation.name.text;
        let mut derived = loaded
            .derive(&engine, &sources, derivation)
            .unwrap_or_else(|diagnostic| panic!("{name}: {}", diagnostic.message));
        for step in &derived.state.steps {
            if let Reason::Rule(rule, ..) = step.reason {
                used.insert(rule);
            }
        }
        let certificate = certify(&derived.program, &mut derived.state);
        assert!(certificate.is_ok(), "{name}: {:?}", certificate.err());
    }
    let unused: Vec<&str> = engine
        .rules
        .iter()
        .filter(|rule| rule.file == "Distribute" && !used.contains(rule.name))
        .map(|rule| rule.name)
        .collect();
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn wrong_twins_are_refused() {
    for (old, new, code) in [
        // The other summand of a case: nothing is left of it.
        ("split_loop j, 1, m - 1;", "split_loop j, m - 1, 1;", codes::PREMISE),
        // The parts of two sums must have the same sizes.
        ("gen j < 1: g[k; j], gen j in 1..m", "gen j < 0: g[k; j], gen j in 0..m", codes::NO_MATCH),
        // A block of size 0.
        (
            "g: tensor<i32>[n, m]) where 0 < m =\n    flatten(let",
            "g: tensor<i32>[n, m]) =\n    \
            flatten(let",
            codes::PREMISE,
        ),
        // A guard that is no bound of the loop.
        ("let x = [i < k] * (f[i]", "let x = [k < i] * (f[i]", codes::NO_MATCH),
        // What a truncation cuts off is not zero.
        ("gen i < n + 1: [i < n] * x[i])", "gen i < n + 1: x[i])", codes::NOT_LOWERED),
        // A `let` that another depends on stays before it.
        ("let y = g[i] + g[i] in x * y", "let y = g[i] + x in x * y", codes::NO_MATCH),
    ] {
        assert!(PROGRAMS.contains(old), "{old}");
        let refused = crate::common::derive(&PROGRAMS.replace(old, new), None).err();
        assert_eq!(refused.as_ref().map(|(code, _)| *code), Some(code), "{new}: {refused:?}");
    }
}
