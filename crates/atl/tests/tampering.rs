//! Corrupted certificates: Coq refuses them, or they state what the derivation claims all the same.
//!
//! Where Coq is not installed only the part that needs none is tested.

mod common;

use halidom_atl::check::{Checker, Outcome, coq_version, forbidden, statements};

const PROGRAM: &str = "program p(n: size, f: tensor<i32>[n]) =
    let buf = gen j < n: f[j] in
    gen i < n: [0 <= i - 1] * buf[i - 1] + buf[i]
derivation d of p { inline buf; beta; peel i, 1; simplify guards; }";

/// How many corruptions are tried: a coqc run each. `HALIDOM_TAMPER` sets another number.
fn corruptions() -> u64 {
    std::env::var("HALIDOM_TAMPER").ok().and_then(|number| number.parse().ok()).unwrap_or(8)
}

/// One word of the text replaced by one that is as good to read: a bound, a site, a rule, an operator, a constant.
fn corrupted(text: &str, seed: u64) -> Option<String> {
    const SWAPS: &[(&str, &str)] = &[
        (" + ", " - "),
        (" - ", " + "),
        ("<=?", "<?"),
        ("<?", "<=?"),
        ("add_left", "add_right"),
        ("add_right", "add_left"),
        ("get_gen0", "get_gen_guard"),
        (" 0 ", " 1 "),
        (" 1 ", " 2 "),
        (" i ", " n "),
        ("gen 0", "sum 0"),
        ("(Num 0)", "(Num 1)"),
        ("Plus", "Minus"),
        ("Le ", "Lt "),
        ("gen_split", "concat_gen"),
        ("concat_left", "concat_right"),
        ("low_gen0", "low_gen"),
        ("(Z.min 1 n)", "1"),
        ("p1", "p2"),
        ("o1", "o2"),
    ];
    let (old, new) = SWAPS[(seed % SWAPS.len() as u64) as usize];
    let places: Vec<usize> = text.match_indices(old).map(|(at, _)| at).collect();
    let at = *places.get((seed / SWAPS.len() as u64 * 7_919) as usize % places.len().max(1))?;
    Some(format!("{}{new}{}", &text[..at], &text[at + old.len()..]))
}

#[test]
fn believing_is_refused_and_changed_claims_are_seen() {
    let done = common::derive(PROGRAM, None).expect("the derivation goes through");
    let text = &done[0].certificate.text;
    assert_eq!(forbidden(text), None);
    for (what, with) in [
        ("Qed.", "Admitted."),
        ("Section Derivation.", "Section Derivation. Axiom wrong : False."),
        ("Unset Lia Cache.", "Unset Lia Cache. Unset Guard Checking."),
        ("Unset Lia Cache.", "Unset Lia Cache. Require Import Other."),
        ("Section Derivation.", "Section Derivation. Parameter wrong : False."),
    ] {
        assert!(forbidden(&text.replacen(what, with, 1)).is_some(), "{with}");
    }
    let claims = statements(text);
    for (what, with) in [
        ("Definition source : T K 1 := (letin", "Definition source : T K 1 := (sum"),
        ("Hypothesis (A1 : 0 <= n)", "Hypothesis (A1 : 5 <= n)"),
        ("Theorem derivation : source = final", "Theorem derivation : source = source"),
        ("(Num 0)", "(Num 1)"),
        ("<> None", "<> Some mem"),
        ("Variable (n : Z).", "Variable (n : Z). Hypothesis (wrong : n = 0)."),
    ] {
        let changed = text.replacen(what, with, 1);
        assert_ne!(changed, *text, "{what}");
        assert_ne!(statements(&changed), claims, "{with}");
    }
}

#[test]
fn coq_refuses_what_was_corrupted() {
    if coq_version().is_none() {
        println!("coqc is not installed: corruptions of steps are not tried");
        return;
    }
    let folder = common::folder("tampering");
    let checker = Checker::new(&folder).expect("the library compiles");
    let done = common::derive(PROGRAM, None).expect("the derivation goes through");
    let certificate = &done[0].certificate;
    let path = folder.join("certificate.v");
    std::fs::write(&path, &certificate.text).expect("the folder can be written");
    let original = checker.check(certificate, &path).expect("coqc runs");
    assert!(matches!(original, Outcome::Accepted { .. }), "{original:?}");
    for seed in 0..corruptions() {
        let Some(text) = corrupted(&certificate.text, seed) else { continue };
        std::fs::write(&path, &text).expect("the folder can be written");
        match checker.check(certificate, &path).expect("coqc runs") {
            Outcome::Refused { .. } => {}
            // What Coq accepts must still claim the same; `check` compares that first.
            Outcome::Accepted { .. } => {
                assert_eq!(statements(&text), statements(&certificate.text), "seed {seed}");
            }
        }
    }
    let _ = std::fs::remove_dir_all(folder);
}
