//! Known answers that must be found in the compilers' sources, by file and line of the commits that
//! `docs/verifying-mutators.md` names.

use crate::json::Json;

/// A known answer.
struct Known {
    compiler: &'static str,
    /// The mutator, or `rules of …` for the rules of a function.
    subject: &'static str,
    file: &'static str,
    answer: Answer,
    /// A description of the answer.
    about: &'static str,
}

/// The content of a known answer.
enum Answer {
    /// A line has a finding of a kind.
    Found(&'static str, usize),
    /// The rule in a line is wrong at these types.
    WrongAt(usize, &'static [&'static str]),
    /// The mutator is verified, at least wherever it ends.
    Verified,
    /// These lines, including the last, have no finding.
    Nothing(usize, usize),
}

use Answer::{Found, Nothing, Verified, WrongAt};

const HCL: &str = "heterocl";
const HLS: &str = "halide-hls";
const H2H: &str = "halide-to-hardware";
const HEAD: &str = "halide";
const TVM: &str = "tvm";

const SIMPLIFY: &str = "Simplify.cpp";
const CODEGEN: &str = "CodeGen_C.cpp";
const REWRITE: &str = "rewrite_simplify.cc";

/// Signed integers of 8 and 16 bits.
const NARROW: &[&str] = &["int8", "int16"];

/// The table of known answers.
const KNOWN: &[Known] = &[
    known(
        HCL,
        "Simplify::visit(const IfThenElse *)",
        SIMPLIFY,
        Found("wrong", 3296),
        STALE_CONDITION,
    ),
    known(
        HLS,
        "Simplify::visit(const IfThenElse *)",
        SIMPLIFY,
        Found("wrong", 4060),
        STALE_CONDITION,
    ),
    known(H2H, "CodeGen_C::visit(const Mod *)", CODEGEN, Found("wrong", 2055), INT_MASK),
    known(H2H, "CodeGen_C::visit(const Mod *)", CODEGEN, Found("crash", 2084), INT_MASK),
    known(HLS, "CodeGen_C::visit(const Mod *)", CODEGEN, Found("wrong", 1768), INT_MASK),
    known(HLS, "CodeGen_C::visit(const Mod *)", CODEGEN, Found("crash", 1767), INT_MASK),
    known(
        H2H,
        "Simplify::visit(const Call *)",
        "Simplify_Call.cpp",
        Nothing(188, 198),
        "a mask becomes a remainder",
    ),
    known(HCL, "Simplify::visit(const Div *)", SIMPLIFY, Found("crash", 1387), LEAST),
    known(HCL, "Simplify::visit(const Mod *)", SIMPLIFY, Found("crash", 1681), LEAST),
    known(HLS, "Simplify::visit(const Div *)", SIMPLIFY, Found("crash", 1708), LEAST),
    known(HLS, "Simplify::visit(const Mod *)", SIMPLIFY, Found("crash", 2112), LEAST),
    known(H2H, "rules of Simplify::visit(Div *)", "Simplify_Div.cpp", Found("crash", 60), LEAST),
    known(H2H, "rules of Simplify::visit(Mod *)", "Simplify_Mod.cpp", Found("crash", 44), LEAST),
    known(H2H, "rules of Simplify::visit(EQ *)", "Simplify_EQ.cpp", WrongAt(72, NARROW), WRAPS),
    known(H2H, "rules of Simplify::visit(EQ *)", "Simplify_EQ.cpp", WrongAt(73, NARROW), WRAPS),
    known(
        HCL,
        "Simplify::visit(const Block *)",
        SIMPLIFY,
        Found("wrong", 4274),
        "ifs are merged though the first stores what both ask",
    ),
    known(
        HCL,
        "Simplify::visit(const For *)",
        SIMPLIFY,
        Found("scope", 4099),
        "what is known of the bounds of a loop of one iteration stays",
    ),
    known(
        HLS,
        "Simplify::visit(const Block *)",
        SIMPLIFY,
        Verified,
        "ifs are merged where that is right",
    ),
    known(H2H, "Simplify::visit(const Not *)", "Simplify_Not.cpp", Verified, "negations"),
    known(
        H2H,
        "rules of Simplify::visit(Not *)",
        "Simplify_Not.cpp",
        Nothing(1, usize::MAX),
        "negations",
    ),
    known(
        H2H,
        "rules of Simplify::visit(And *)",
        "Simplify_And.cpp",
        Nothing(1, 75),
        "conjunctions of scalars",
    ),
    known(
        H2H,
        "RemoveTrivialForLoops::visit(const For *)",
        "RemoveTrivialForLoops.cpp",
        Verified,
        "loops of one iteration",
    ),
    known(HLS, "Simplify::visit(const Ramp *)", SIMPLIFY, Verified, "ramps"),
    known(
        HEAD,
        "Simplify::visit(const For *)",
        "Simplify_Stmts.cpp",
        Found("wrong", 272),
        "an acquire keeps the name of the loop that it leaves",
    ),
    known(
        HEAD,
        "Simplify::visit(const Shuffle *)",
        "Simplify_Shuffle.cpp",
        Found("crash", 203),
        "a vector that is no call follows low bits",
    ),
    known(
        HEAD,
        "rules of Simplify::visit(Sub *)",
        "Simplify_Sub.cpp",
        WrongAt(166, &["int8"]),
        WRAPS,
    ),
    known(
        HEAD,
        "rules of Simplify::visit(Sub *)",
        "Simplify_Sub.cpp",
        WrongAt(167, &["int8"]),
        WRAPS,
    ),
    known(
        HEAD,
        "rules of Simplify::visit(Select *)",
        "Simplify_Select.cpp",
        WrongAt(186, &["int8"]),
        WRAPS,
    ),
    known(
        HEAD,
        "rules of Simplify::visit(Select *)",
        "Simplify_Select.cpp",
        WrongAt(188, &["int8"]),
        WRAPS,
    ),
    known(
        TVM,
        "rules of Impl::VisitExpr_(SubNode *)",
        REWRITE,
        WrongAt(674, &["int32"]),
        "a difference of quotients that are rounded towards 0",
    ),
    known(TVM, "rules of Impl::ApplyRewriteRules(LT)", REWRITE, WrongAt(1974, &["int8"]), WRAPS),
    known(
        TVM,
        "rules of Impl::VisitExpr_(AndNode *)",
        REWRITE,
        WrongAt(2267, &["int32"]),
        "a remainder by a negative divisor",
    ),
    known(
        TVM,
        "rules of Impl::VisitExpr_(DivNode *)",
        REWRITE,
        Nothing(1, usize::MAX),
        "quotients that are rounded towards 0",
    ),
];

const STALE_CONDITION: &str = "a condition that is a load is replaced in what runs after a store";
const INT_MASK: &str = "a mask is an int";
const LEAST: &str = "the least integer divided by -1";
const WRAPS: &str = "no guard against overflow";

const fn known(
    compiler: &'static str,
    subject: &'static str,
    file: &'static str,
    answer: Answer,
    about: &'static str,
) -> Known {
    Known { compiler, subject, file, answer, about }
}

/// Returns the known answers about a compiler that are not in `found`. `found` has the members
/// `mutators` from the output of `halidom verify`, each with the file that the run was limited to,
/// if any.
pub(super) fn missing(compiler: &str, found: &[(Option<String>, Json)]) -> Vec<String> {
    let lacks = |known: &&Known| known.compiler == compiler && !known.holds(found);
    KNOWN.iter().filter(lacks).map(Known::text).collect()
}

/// The number of known answers about a compiler.
pub(super) fn count(compiler: &str) -> usize {
    KNOWN.iter().filter(|known| known.compiler == compiler).count()
}

impl Known {
    fn holds(&self, found: &[(Option<String>, Json)]) -> bool {
        let is_asked = |file: &Option<String>| file.as_ref().is_none_or(|file| file == self.file);
        let of = |(file, json): &(Option<String>, Json)| {
            is_asked(file).then(|| json.get(self.subject).cloned()).flatten()
        };
        let Some(subject) = found.iter().find_map(of) else { return false };
        let places = ["findings", "rules"].into_iter().filter_map(|key| subject.get(key)?.array());
        let places: Vec<&Json> = places.flatten().collect();
        let text = |place: &Json, key: &str| {
            place.get(key).and_then(Json::text).unwrap_or_default().to_owned()
        };
        let is_kind = |place: &Json, kind: &str| {
            text(place, "kind") == kind || text(place, "standing") == kind
        };
        // A place in another file has no line here.
        let line = |place: &Json| -> Option<usize> {
            let place = text(place, "place");
            let (file, line) = place.rsplit_once(':')?;
            (file == self.file).then(|| line.parse().ok())?
        };
        let is_at =
            |place: &&&Json, kind: &str, at: usize| line(place) == Some(at) && is_kind(place, kind);
        match self.answer {
            Found(kind, at) => places.iter().any(|place| is_at(&place, kind, at)),
            WrongAt(at, types) => types.iter().all(|ty| {
                places.iter().filter(|place| is_at(place, "wrong", at)).any(|place| {
                    let of = place.get("types").and_then(Json::array).unwrap_or_default();
                    of.first().and_then(Json::text) == Some(ty)
                })
            }),
            Verified => {
                let standing = subject.get("standing").and_then(Json::text);
                matches!(standing, Some("verified" | "partial"))
            }
            // Paths that were not followed may hide findings.
            Nothing(first, last) => places.iter().all(|place| {
                line(place).is_none_or(|line| !(first..=last).contains(&line))
                    && !text(place, "reason").contains("more paths than are followed")
            }),
        }
    }

    fn text(&self) -> String {
        let Self { compiler, subject, file, answer, about } = self;
        let answer = match answer {
            Found(kind, line) => format!("{kind} in line {line}"),
            WrongAt(line, types) => format!("wrong in line {line} at {}", types.join(", ")),
            Verified => "verified".to_owned(),
            Nothing(first, usize::MAX) => format!("nothing from line {first}"),
            Nothing(first, last) => format!("nothing in lines {first} to {last}"),
        };
        format!("{compiler} {file}: {subject}: {answer} ({about})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(subject: &str, answer: Answer, json: &str) -> bool {
        let subject: &'static str = String::leak(subject.to_owned());
        let found = [(None, Json::parse(json).expect("JSON"))];
        known("c", subject, "f.cpp", answer, "").holds(&found)
    }

    #[test]
    fn an_answer_needs_its_kind_and_its_place() {
        let json = r#"{"m": {"standing": "wrong", "findings": [
            {"place": "f.cpp:7", "kind": "wrong", "reason": ""},
            {"place": "g.cpp:9", "kind": "wrong", "reason": ""}]}}"#;
        assert!(holds("m", Found("wrong", 7), json));
        assert!(!holds("m", Found("wrong", 8), json));
        assert!(!holds("m", Found("wrong", 9), json), "the place is in another file");
        assert!(!holds("m", Found("crash", 7), json));
        assert!(!holds("m", Verified, json));
        assert!(holds("m", Nothing(8, 10), json));
        assert!(!holds("m", Nothing(5, 7), json));
        assert!(!holds("n", Nothing(8, 10), json), "what was not examined has no answer");
    }

    #[test]
    fn a_rule_is_wrong_at_each_of_the_types() {
        let rule = r#"{"place": "f.cpp:7", "standing": "wrong", "types": ["int8"]}"#;
        let json = &format!(r#"{{"rules of m": {{"rules": [{rule}]}}}}"#);
        assert!(holds("rules of m", WrongAt(7, &["int8"]), json));
        assert!(!holds("rules of m", WrongAt(7, NARROW), json));
    }

    #[test]
    fn paths_that_are_not_followed_hide_what_is_there() {
        let reason = "more paths than are followed";
        let found =
            format!(r#"{{"place": "f.cpp:1", "kind": "unsupported", "reason": "{reason}"}}"#);
        assert!(!holds("m", Nothing(5, 7), &format!(r#"{{"m": {{"findings": [{found}]}}}}"#)));
    }
}
