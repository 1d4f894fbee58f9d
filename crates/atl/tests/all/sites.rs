//! Tests of sites as arguments of commands, and of the list of sites.

use crate::common::derive;
use halidom_atl::codes;
use halidom_atl::engine::Engine;
use halidom_atl::file::load;
use halidom_diag::Sources;

const PROGRAM: &str = "program p(n: size, f: tensor<i32>[n]) = gen i < n: f[i] + f[i]
derivation d(k: size) of p where 0 < k { split_loop i, min(1, n), n; ";

#[test]
fn a_site_with_a_number_is_an_argument() {
    for script in [
        "tile i#2, k, o, ii;",
        "at here.right { tile i, k, o, ii; }",
        "rename i#1 as first;",
        "rename gen.body as first;",
    ] {
        let text = format!("{PROGRAM}{script} }}");
        let outcome = derive(&text, None);
        let is_move = script.contains("gen.body");
        assert_eq!(outcome.is_err(), is_move, "{script}: {:?}", outcome.err());
    }
}

#[test]
fn wrong_sites_are_refused() {
    for (script, code) in [
        ("tile i#4, k, o, ii;", codes::NO_SITE),
        ("tile i, k, o, ii;", codes::NO_SITE),
        ("tile i#1, k#2, o, ii;", codes::UNKNOWN_COMMAND),
        ("tile i#1, k, o#1, ii;", codes::UNKNOWN_COMMAND),
        ("tile i#1.value, k, o, ii;", codes::NO_SITE),
        ("tile i#x, k, o, ii;", codes::SYNTAX),
        ("inline f[0]#1;", codes::UNKNOWN_COMMAND),
    ] {
        let text = format!("{PROGRAM}{script} }}");
        let refused = derive(&text, None).err();
        assert_eq!(refused.as_ref().map(|(code, _)| *code), Some(code), "{script}: {refused:?}");
    }
}

#[test]
fn the_listed_sites_are_those_of_scripts() {
    let engine = Engine::new().expect("the engine starts");
    let mut sources = Sources::new();
    let file = sources.add("p.atl", format!("{PROGRAM} }}"));
    let loaded = load(&engine, &mut sources, file).expect("the program is right");
    let derived = loaded.derive(&engine, &sources, &loaded.derivations[0]).expect("it applies");
    let sites: Vec<String> = derived.state.sites().into_iter().map(|(site, _)| site).collect();
    assert_eq!(sites, ["concat#1", "concat#2", "i#1", "i#2", "i#3"]);
    for site in sites {
        let text = format!("{PROGRAM} at {site}: simplify; }}");
        assert!(derive(&text, None).is_ok(), "{site}");
    }
}
