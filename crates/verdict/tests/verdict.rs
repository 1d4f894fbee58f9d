//! Proofs and their absence, and the fold of verdicts.

use halidom_verdict::{
    Cause, Claim, Condition, Evidence, Exit, Floats, KEYS, Modes, Obligations, Ran, Record,
    Verdict, Word,
};

const NONE: (&str, &str) = ("the file is empty", "write something");
const APART: Condition =
    Condition::standard("buffers-apart", "the caller's buffers do not overlap", "docs/x.md#apart");

fn proved() -> Verdict {
    let mut obligations = Obligations::of(Claim::Program);
    obligations.shown(&Modes::BITS);
    obligations.assume(APART);
    obligations.verdict(NONE)
}

fn refuted() -> Verdict {
    Verdict::refuted(Evidence::of(Ran::Interpreter, "1", "2"))
}

fn unknown() -> Verdict {
    Verdict::unknown(Cause::Solver, "the solver gave up")
}

fn nothing() -> Verdict {
    Verdict::nothing("the file has no rule", "give another file")
}

fn worst(verdicts: Vec<Verdict>) -> Verdict {
    Verdict::worst(verdicts, NONE)
}

#[test]
fn a_proof_needs_something_that_was_shown_and_nothing_open() {
    assert_eq!(proved().name(), "proved");
    assert_eq!(Obligations::of(Claim::Rule).verdict(NONE), Verdict::nothing(NONE.0, NONE.1));
    let mut open = Obligations::of(Claim::Program);
    open.shown(&Modes::BITS);
    open.open(Cause::Value, "a value");
    open.open(Cause::Race, "another");
    let Verdict::Unknown(open) = open.verdict(NONE) else { panic!("not unknown") };
    assert_eq!(open.reasons().collect::<Vec<_>>(), ["a value", "another"]);
    assert_eq!(open.causes().collect::<Vec<_>>(), [(Cause::Value, 1), (Cause::Race, 1)]);
    let mut assumed = Obligations::of(Claim::Program);
    assumed.trusted(APART);
    assert_eq!(assumed.verdict(NONE).name(), "unknown");
}

#[test]
fn folds_take_the_worst() {
    // From the worst: refuted, unknown, nothing, proved; a partly judged whole is unknown.
    let all: [fn() -> Verdict; 4] = [proved, nothing, unknown, refuted];
    let expected = [
        ["proved", "unknown", "unknown", "refuted"],
        ["unknown", "nothing", "unknown", "refuted"],
        ["unknown", "unknown", "unknown", "refuted"],
        ["refuted", "refuted", "refuted", "refuted"],
    ];
    for (one, row) in all.iter().zip(expected) {
        for (other, expected) in all.iter().zip(row) {
            assert_eq!(worst(vec![one(), other()]).name(), expected);
            assert_eq!(Word::worst([one().word(), other().word()]).name(), expected);
        }
    }
    assert_eq!(worst(Vec::new()), Verdict::nothing(NONE.0, NONE.1));
    assert_eq!(Word::worst([]), Word::Nothing);
    assert_eq!(worst(vec![proved()]), proved());
    // The grouping does not matter.
    for a in &all {
        for b in &all {
            for c in &all {
                let left = worst(vec![worst(vec![a(), b()]), c()]);
                let right = worst(vec![a(), worst(vec![b(), c()])]);
                assert_eq!(left.name(), right.name());
            }
        }
    }
}

#[test]
fn the_fold_keeps_what_each_carries() {
    let mut other = Obligations::of(Claim::Program);
    other.shown(&Modes::axioms(["float-add-associative"]));
    other.shown(&Modes::reals(["float-mul-commutative"]));
    other.assume(Condition::contract("small", "extents are below 2^30"));
    let both = worst(vec![proved(), other.verdict(NONE)]);
    let Verdict::Proved(proof) = &both else { panic!("{both:?}") };
    assert_eq!((proof.shown().get(), proof.modes().floats()), (3, Floats::Reals));
    assert_eq!(proof.conditions().count(), 2);
    assert_eq!(
        both.sentence(),
        "proved: 2 programs compute what their algorithms say, over the reals, under the condition \
            buffers-apart, under the contract small"
    );
    let Verdict::Refuted(twice) = worst(vec![refuted(), proved(), refuted()]) else {
        panic!("not refuted")
    };
    assert_eq!(twice.evidence().count(), 2);
    let Verdict::Unknown(twice) = worst(vec![unknown(), nothing(), unknown()]) else {
        panic!("not unknown")
    };
    assert_eq!(twice.reasons().count(), 2);
}

#[test]
fn exits_sentences_and_json_go_together() {
    for (verdict, exit, sentence, keys) in [
        (
            proved(),
            Exit::Done,
            "proved: the program computes what the algorithm says, bit for bit, under the \
                condition buffers-apart",
            &["verdict", "statement", "modes", "conditions", "shown"][..],
        ),
        (
            refuted(),
            Exit::Wrong,
            "refuted: expected 1, got 2",
            &["verdict", "statement", "evidence"],
        ),
        (
            unknown(),
            Exit::Unknown,
            "unknown: the solver gave up",
            &["verdict", "statement", "reason", "reasons", "causes"],
        ),
        (
            nothing(),
            Exit::BadInput,
            "nothing to judge: the file has no rule",
            &["verdict", "statement", "reason", "hint"],
        ),
    ] {
        assert_eq!((verdict.exit(), verdict.sentence().as_str()), (exit, sentence));
        let json = verdict.json();
        assert_eq!(json["verdict"], verdict.name());
        assert_eq!(json.keys().collect::<Vec<_>>(), keys);
        assert!(json.keys().all(|key| KEYS.contains(&key.as_str())));
        assert_eq!(verdict.is_proved(), exit == Exit::Done);
    }
    let codes = [Exit::Done, Exit::Wrong, Exit::BadInput, Exit::Unknown, Exit::Disagreement];
    assert_eq!(codes.map(Exit::code), [0, 1, 2, 3, 4]);
}

#[test]
fn only_verdicts_that_are_worse_than_recorded_are_not_accepted() {
    let record = |verdict: Verdict| Record::of(&verdict);
    let over_reals = || {
        let mut obligations = Obligations::of(Claim::Program);
        obligations.shown(&Modes::reals(["float-mul-commutative"]));
        obligations.assume(APART);
        obligations.verdict(NONE)
    };
    for (now, before, accepted) in [
        (proved(), unknown(), true),
        (proved(), over_reals(), true),
        (unknown(), unknown(), true),
        (unknown(), refuted(), true),
        (unknown(), proved(), false),
        (refuted(), refuted(), true),
        (nothing(), refuted(), false),
    ] {
        let left = now.unaccepted(&record(before));
        assert_eq!(left, (!accepted).then_some(now));
    }
    let before = record(proved());
    let reason = "it was recorded as proved, and is proved only with reals, float-mul-commutative";
    let left = over_reals().unaccepted(&before);
    assert_eq!(left, Some(Verdict::unknown(Cause::Baseline, reason)));
    assert_eq!(record(over_reals()).to_string(), "proved in the mode reals");
    // A verdict and its JSON give the same record.
    for verdict in [proved(), over_reals(), unknown(), refuted()] {
        assert_eq!(Record::read(&verdict.json().into()), Some(record(verdict)));
    }
}
