//! Corrupted certificates: Coq refuses them, or they state what the derivation claims all the same.
//!
//! Where Coq is not installed only the part that needs none is tested.

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use common::Done;
use halidom_atl::check::{Checker, Outcome, coq_version, forbidden, statements, stray_name};
use halidom_atl::engine::Engine;
use halidom_atl::native::Comparison;

const PROGRAM: &str = "program p(n: size, f: tensor<i32>[n]) =
    let buf = gen j < n: f[j] in
    gen i < n: [0 <= i - 1] * buf[i - 1] + buf[i]
derivation d of p { inline buf; beta; peel i, 1; simplify guards; }";

/// Names that certificates, the library and C give to something themselves.
const NAMES: &str =
    "program p(p1: size, s1: size, o1: tensor<i32>[p1], exec: tensor<i32>[s1]) where 0 < s1 =
    let w1 = gen gen_in < p1: o1[gen_in] in
    gen atl_add < p1: w1[atl_add] * [0 <= atl_add - 1] * w1[atl_add - 1] + exec[0]
derivation malloc of p { inline w1; beta; peel atl_add, 1; simplify; }";

/// More to corrupt: blocks, sums, a buffer.
const MORE: &str = "program q(n: size, m: size, a: tensor<i32>[n, m], b: tensor<i32>[m]) =
    let c = gen l < m: b[l] + b[l] in gen i < n: sum j < m: a[i; j] * c[j]
derivation e(k: size) of q where 0 < k { block_reduction j, k, o, jj; at let.body: tile i, k, io, ii; }
derivation g of q { at j: sum_shift; at sum.body: mul_swap_sides; inline c; beta; }";

/// How many corruptions are tried, two at a time. `HALIDOM_TAMPER` sets another number.
fn corruptions() -> usize {
    std::env::var("HALIDOM_TAMPER").ok().and_then(|number| number.parse().ok()).unwrap_or(14)
}

/// What is corrupted.
const KINDS: [&str; 7] = [
    "a bound",
    "a site",
    "a rule name",
    "an operator",
    "a constant",
    "the final program",
    "the loop nest",
];

/// A definition or lemma of a certificate, or a sentence between them: its name and where its text is.
#[derive(Clone, Debug)]
struct Item {
    name: String,
    start: usize,
    end: usize,
}

/// The definitions and lemmas of a certificate in order.
fn items(text: &str) -> Vec<Item> {
    let mut all: Vec<Item> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or("");
        let begins = !line.starts_with(' ')
            && ["Definition", "Lemma", "Theorem", "Section", "End", "Print"].contains(&first);
        if begins {
            if let Some(last) = all.last_mut() {
                last.end = at;
            }
            let name = words.next().unwrap_or("").to_owned();
            all.push(Item { name, start: at, end: text.len() });
        }
        at += line.len();
    }
    all
}

/// A replacement in a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Edit {
    at: usize,
    old: String,
    new: String,
}

impl Edit {
    fn apply(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.at], self.new, &text[self.at + self.old.len()..])
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

/// The words of a part of a text, with their places.
fn words(part: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(start) = part[rest..].find(is_word) {
        let start = rest + start;
        let length = part[start..].find(|c| !is_word(c)).unwrap_or(part.len() - start);
        found.push((start, &part[start..start + length]));
        rest = start + length;
    }
    found
}

/// Every corruption of a kind.
fn edits(kind: &str, text: &str, rules: &[String]) -> Vec<Edit> {
    let mut all = Vec::new();
    for item in items(text) {
        let part = &text[item.start..item.end];
        let is = |prefix: &str| {
            item.name.strip_prefix(prefix).is_some_and(|rest| rest.parse::<u32>().is_ok())
        };
        let program = is("p") || item.name == "final";
        let step = is("s");
        let condition = is("o") || is("w");
        let mut push = |at: usize, old: &str, new: String| {
            all.push(Edit { at: item.start + at, old: old.to_owned(), new });
        };
        let swaps = |pairs: &[(&str, &str)], push: &mut dyn FnMut(usize, &str, String)| {
            for (old, new) in pairs {
                for (at, _) in part.match_indices(old) {
                    push(at, old, (*new).to_owned());
                }
            }
        };
        let bounds = |push: &mut dyn FnMut(usize, &str, String)| {
            for (at, _) in part.match_indices(" (fun ") {
                let before = &part[..at];
                let start =
                    if before.ends_with(')') { before.rfind(" (") } else { before.rfind(' ') };
                if let Some(start) = start {
                    let old = &before[start + 1..];
                    push(start + 1, old, format!("({old} + 1)"));
                }
            }
        };
        let operators = |push: &mut dyn FnMut(usize, &str, String)| {
            swaps(
                &[
                    (" + ", " - "),
                    (" - ", " + "),
                    (" <=? ", " <? "),
                    (" <? ", " <=? "),
                    (" * ", " + "),
                ],
                push,
            );
        };
        let constants = |push: &mut dyn FnMut(usize, &str, String)| {
            for (at, word) in words(part) {
                if let Ok(value) = word.parse::<u32>() {
                    push(at, word, (value + 1).to_string());
                }
            }
        };
        match kind {
            "a bound" if program && item.name != "final" => bounds(&mut push),
            "a site" if step => swaps(
                &[
                    ("add_left", "add_right"),
                    ("add_right", "add_left"),
                    ("mul_left", "mul_right"),
                    ("mul_right", "mul_left"),
                    ("let_body", "let_value"),
                    ("concat_left", "concat_right"),
                    ("concat_right", "concat_left"),
                    ("gen_in", "sum_in"),
                    ("sum_in", "gen_in"),
                    ("guard_in", "get_in"),
                ],
                &mut push,
            ),
            "a rule name" if step || item.name == "low_final" => {
                for (at, word) in words(part) {
                    let lowering = ["low_gen0", "low_sum", "low_let", "c_load", "c_mul", "c_add"];
                    let place = rules.iter().position(|rule| rule == word);
                    if let Some(place) = place {
                        push(at, word, rules[(place + 7) % rules.len()].clone());
                    } else if let Some(place) = lowering.iter().position(|rule| *rule == word) {
                        push(at, word, lowering[(place + 1) % lowering.len()].to_owned());
                    }
                }
            }
            "an operator" if (program && item.name != "final") || condition => operators(&mut push),
            "a constant" if (program && item.name != "final") || condition || step => {
                constants(&mut push);
            }
            "the final program" if item.name == "final" => {
                bounds(&mut push);
                operators(&mut push);
                constants(&mut push);
            }
            "the loop nest" if item.name == "nest" => {
                swaps(
                    &[
                        ("Plus", "Minus"),
                        ("Minus", "Plus"),
                        ("Times", "Plus"),
                        ("Lt ", "Le "),
                        ("Le ", "Lt "),
                        ("Up ", "Over "),
                        ("Sum2", "Mul2"),
                        ("Mul2", "Sum2"),
                        ("Seq", "Store"),
                        ("(Num 0)", "(Num 1)"),
                        ("(Num 1)", "(Num 2)"),
                        ("Var \"n\"", "Var \"m\""),
                        ("Var \"k\"", "Var \"n\""),
                        ("\"out\"", "\"a\""),
                    ],
                    &mut push,
                );
            }
            _ => {}
        }
    }
    // The name of a definition is no part of what it says.
    all.retain(|edit| edit.old != edit.new);
    all.sort();
    all.dedup();
    all
}

/// The corrupted text with all proofs left out but those of the corrupted item and of what mentions it: what Coq refuses there it refuses in the whole. Gives
/// the names of the items whose proofs are there.
fn damaged_part(text: &str, edit: &Edit) -> (String, Vec<String>) {
    let items = items(text);
    let damaged = items
        .iter()
        .find(|item| (item.start..item.end).contains(&edit.at))
        .expect("an edit is in an item");
    let corrupted = edit.apply(text);
    let moved = |at: usize| if at > edit.at { at + edit.new.len() - edit.old.len() } else { at };
    let mut out = corrupted[..items[0].start].to_owned();
    let mut kept = Vec::new();
    for item in &items {
        let part = &corrupted[moved(item.start)..moved(item.end)];
        let mentions =
            item.name == damaged.name || words(part).iter().any(|(_, word)| *word == damaged.name);
        match part.split_once("\nProof.") {
            Some((statement, rest)) if !mentions => {
                let after = rest.split_once("Qed.").map_or("", |(_, after)| after);
                out.push_str(statement);
                out.push_str("\nAdmitted.");
                out.push_str(after);
            }
            Some(_) | None => {
                out.push_str(part);
                if mentions {
                    kept.push(item.name.clone());
                }
            }
        }
    }
    (out, kept)
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
    // A name of the library defined anew would change what the theorems' words mean.
    assert_eq!(stray_name(text), None);
    for definition in [
        "Definition box (d : nat) (sh : list Z) (v : T K d) := False.",
        "Definition exec := tt.",
        "Lemma held : True. Proof. exact I. Qed.",
    ] {
        let with = format!("Context {{K : semiring}}. {definition}");
        let changed = text.replacen("Context {K : semiring}.", &with, 1);
        assert!(stray_name(&changed).is_some(), "{definition}");
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
fn any_names_will_do() {
    let done = common::derive(NAMES, Some("names")).expect("the derivation goes through");
    assert!(
        matches!(done[0].comparison, Some((Comparison::Equal(_), _))),
        "{:?}",
        done[0].comparison
    );
    if coq_version().is_none() {
        println!("coqc is not installed: the certificate is not checked");
        return;
    }
    let folder = common::folder("names-certificate");
    let checker = Checker::new(&common::cache()).expect("the library compiles");
    let path = folder.join("names.v");
    std::fs::write(&path, &done[0].certificate.text).expect("the folder can be written");
    let outcome = checker.check(&done[0].certificate, &path).expect("coqc runs");
    assert!(matches!(outcome, Outcome::Accepted { .. }), "{outcome:?}");
    let _ = std::fs::remove_dir_all(folder);
}

/// What came of the corruptions of a kind.
#[derive(Default)]
struct Count {
    tried: usize,
    refused: usize,
    named: usize,
    harmless: usize,
}

/// A certificate's text and commands: what threads may share of one.
struct Subject {
    text: String,
    commands: Vec<String>,
}

#[test]
fn coq_refuses_what_was_corrupted() {
    if coq_version().is_none() {
        println!("coqc is not installed: corruptions of steps are not tried");
        return;
    }
    let folder = common::folder("tampering");
    let checker = Checker::new(&common::cache()).expect("the library compiles");
    let mut certificates: Vec<Done> = Vec::new();
    for text in [PROGRAM, MORE] {
        certificates.extend(common::derive(text, None).expect("the derivation goes through"));
    }
    for done in &certificates {
        let path = folder.join("original.v");
        std::fs::write(&path, &done.certificate.text).expect("the folder can be written");
        let original = checker.check(&done.certificate, &path).expect("coqc runs");
        assert!(matches!(original, Outcome::Accepted { .. }), "{original:?}");
    }
    let subjects: Vec<Subject> = certificates
        .iter()
        .map(|done| Subject {
            text: done.certificate.text.clone(),
            commands: done.certificate.commands.clone(),
        })
        .collect();
    let engine = Engine::new().expect("the engine starts");
    let rules: Vec<String> = engine.rules.iter().map(|rule| rule.name.to_owned()).collect();
    // As many of each kind, spread over all that there are.
    let each = corruptions().div_ceil(KINDS.len());
    let mut jobs: Vec<(&str, usize, Edit)> = Vec::new();
    for kind in KINDS {
        let mut all: Vec<(usize, Edit)> = Vec::new();
        for (number, subject) in subjects.iter().enumerate() {
            all.extend(edits(kind, &subject.text, &rules).into_iter().map(|edit| (number, edit)));
        }
        let wanted = each.min(all.len());
        assert!(wanted > 0, "nothing to corrupt: {kind}");
        for place in 0..wanted {
            let (number, edit) = all[place * all.len() / wanted].clone();
            jobs.push((kind, number, edit));
        }
    }
    let counts: Mutex<BTreeMap<&str, Count>> = Mutex::default();
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (jobs, counts, next, subjects) = (&jobs, &counts, &next, &subjects);
            let (checker, folder) = (checker.clone(), folder.clone());
            scope.spawn(move || {
                let path = folder.join(format!("corrupted{worker}.v"));
                loop {
                    let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some((kind, subject, edit)) = jobs.get(number) else { break };
                    let refusal = refused(&checker, &subjects[*subject], edit, &path);
                    let mut counts = counts.lock().expect("no worker panics");
                    let count = counts.entry(kind).or_default();
                    count.tried += 1;
                    match refusal {
                        Some(named) => {
                            count.refused += 1;
                            count.named += usize::from(named);
                        }
                        None => count.harmless += 1,
                    }
                }
            });
        }
    });
    let counts = counts.into_inner().expect("no worker panics");
    println!(
        "{:<20}{:>8}{:>10}{:>16}{:>18}",
        "corrupted", "tried", "refused", "place is named", "same theorems"
    );
    for (kind, count) in &counts {
        println!(
            "{kind:<20}{:>8}{:>10}{:>16}{:>18}",
            count.tried, count.refused, count.named, count.harmless
        );
        assert_eq!(count.named, count.refused, "{kind}: a refusal does not say where");
        assert!(count.refused > 0, "{kind}: nothing is refused");
    }
    let _ = std::fs::remove_dir_all(folder);
}

/// Whether Coq refuses a corrupted certificate, and if so whether it is said where. One that it accepts must state the same theorems.
fn refused(checker: &Checker, subject: &Subject, edit: &Edit, path: &Path) -> Option<bool> {
    let (part, kept) = damaged_part(&subject.text, edit);
    let complaint = checker.complaint(&part, path, &subject.commands).expect("coqc runs");
    if let Some((message, place)) = complaint {
        let lemma = place.map(|place| place.lemma);
        let there = lemma.as_ref().is_some_and(|lemma| kept.contains(lemma));
        assert!(there, "{edit:?}: refused at {lemma:?}, not in {kept:?}: {message}");
        return Some(there);
    }
    let whole = edit.apply(&subject.text);
    let complaint = checker.complaint(&whole, path, &subject.commands).expect("coqc runs");
    match complaint {
        Some((_, place)) => Some(place.is_some()),
        None => {
            assert_eq!(statements(&whole), statements(&subject.text), "accepted: {edit:?}");
            None
        }
    }
}
