//! Whole passes: each method of a pass with its verdict, and the theorem that they make.

use std::path::Path;

use crate::answer::Answer as Answered;
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, capture, program};
use crate::{setup, table};

use super::{PROFILES, SOURCES, kept, sources};

/// A pass: the methods in one file of a compiler.
struct Pass {
    profile: &'static str,
    /// The file in the compiler's checkout.
    file: &'static str,
    /// True if the paper names the pass; we chose the others among the compilers' small passes.
    is_named: bool,
}

const fn named(profile: &'static str, file: &'static str) -> Pass {
    Pass { profile, file, is_named: true }
}

const fn chosen(profile: &'static str, file: &'static str) -> Pass {
    Pass { profile, file, is_named: false }
}

const HCL: &str = "heterocl";
const HLS: &str = "halide-hls";
const H2H: &str = "halide-to-hardware";

/// The transformations of *An Automated Verification Framework for HalideIR-Based Compiler
/// Transformations*. It counts 46 and names eight of them.
const PASSES: &[Pass] = &[
    named(HCL, "tvm/HalideIR/src/arithmetic/Simplify.cpp"),
    named(HCL, "tvm/src/codegen/codegen_c.cc"),
    named(HCL, "tvm/src/pass/remove_no_op.cc"),
    named(HCL, "tvm/src/pass/lift_allocate_attrs.cc"),
    chosen(HCL, "tvm/src/pass/lift_attr_scope.cc"),
    chosen(HCL, "tvm/src/pass/adjust_buffer_binding.cc"),
    chosen(HCL, "tvm/src/pass/unroll_loop.cc"),
    named(HLS, "src/Simplify.cpp"),
    named(HLS, "src/CodeGen_C.cpp"),
    chosen(HLS, "src/RemoveDeadAllocations.cpp"),
    chosen(HLS, "src/RemoveTrivialForLoops.cpp"),
    chosen(HLS, "src/UnrollLoops.cpp"),
    chosen(HLS, "src/AlignLoads.cpp"),
    chosen(HLS, "src/UniquifyVariableNames.cpp"),
    chosen(HLS, "src/UnifyDuplicateLets.cpp"),
    chosen(HLS, "src/CanonicalizeGPUVars.cpp"),
    named(H2H, "src/CodeGen_C.cpp"),
    named(H2H, "src/RemoveDeadAllocations.cpp"),
    chosen(H2H, "src/Simplify_Add.cpp"),
    chosen(H2H, "src/Simplify_And.cpp"),
    chosen(H2H, "src/Simplify_Call.cpp"),
    chosen(H2H, "src/Simplify_Cast.cpp"),
    chosen(H2H, "src/Simplify_Div.cpp"),
    chosen(H2H, "src/Simplify_EQ.cpp"),
    chosen(H2H, "src/Simplify_Exprs.cpp"),
    chosen(H2H, "src/Simplify_LT.cpp"),
    chosen(H2H, "src/Simplify_Let.cpp"),
    chosen(H2H, "src/Simplify_Max.cpp"),
    chosen(H2H, "src/Simplify_Min.cpp"),
    chosen(H2H, "src/Simplify_Mod.cpp"),
    chosen(H2H, "src/Simplify_Mul.cpp"),
    chosen(H2H, "src/Simplify_Not.cpp"),
    chosen(H2H, "src/Simplify_Or.cpp"),
    chosen(H2H, "src/Simplify_Select.cpp"),
    chosen(H2H, "src/Simplify_Shuffle.cpp"),
    chosen(H2H, "src/Simplify_Stmts.cpp"),
    chosen(H2H, "src/Simplify_Sub.cpp"),
    chosen(H2H, "src/RemoveTrivialForLoops.cpp"),
    chosen(H2H, "src/UnrollLoops.cpp"),
    chosen(H2H, "src/AlignLoads.cpp"),
    chosen(H2H, "src/UniquifyVariableNames.cpp"),
    chosen(H2H, "src/UnifyDuplicateLets.cpp"),
    chosen(H2H, "src/CanonicalizeGPUVars.cpp"),
    chosen(H2H, "src/PurifyIndexMath.cpp"),
    chosen(H2H, "src/BoundSmallAllocations.cpp"),
    chosen(H2H, "src/LICM.cpp"),
];

/// Standings that decide a method, from best to worst: those that a theorem may have, and those of
/// a defect.
const HOLDS: [&str; 2] = ["verified", "rejects"];
const REFUTED: [&str; 5] = ["contract", "scope", "type", "crash", "wrong"];

/// Standings that a theorem within bounds may also have.
const LIMITED: [&str; 2] = ["partial", "bounded"];

/// Exceptions of the theorems about passes that state them (`passes.contracts`).
const EXCEPTIONS: [(&str, &str); 1] = [(
    "RemoveDeadAllocations.cpp",
    ", except that allocations of buffers that are not loaded or stored to in them may be gone, \
     and statements that free these",
)];

/// A method with its standing.
type Method = (String, String);

/// The answer about a whole pass.
#[derive(Debug, PartialEq, Eq)]
enum Whole {
    /// Each method keeps the value or the effect of what it is given, and the pass ends.
    Theorem,
    /// The same, wherever the pass ends.
    WhereItEnds,
    /// The same, for lists, loops and recursion within the bounds of the examination.
    WithinBounds,
    /// Each method is decided, or holds wherever it ends, and some are refuted.
    Refuted,
    /// Some methods are not decided.
    Open,
}

/// Finds what the verdicts on its methods say about a pass.
fn whole(methods: &[Method]) -> Whole {
    let is = |known: &[&str], standing: &str| known.contains(&standing);
    let all = |holds: &dyn Fn(&str) -> bool| methods.iter().all(|(_, standing)| holds(standing));
    if methods.is_empty() {
        Whole::Open
    } else if all(&|standing| is(&HOLDS, standing)) {
        Whole::Theorem
    } else if all(&|standing| is(&HOLDS, standing) || standing == "partial") {
        Whole::WhereItEnds
    } else if all(&|standing| is(&HOLDS, standing) || is(&LIMITED, standing)) {
        Whole::WithinBounds
    } else if all(&|standing| {
        is(&HOLDS, standing) || is(&REFUTED, standing) || standing == "partial"
    }) {
        Whole::Refuted
    } else {
        Whole::Open
    }
}

/// Writes what is known of a pass, and lists the methods that stand in the way of a theorem.
fn theorem(pass: &str, profile: &str, methods: &[Method]) -> String {
    let exception = EXCEPTIONS.iter().find(|(of, _)| *of == pass).map_or("", |(_, text)| *text);
    let holds = format!(
        "for every expression and statement that the profile {profile} admits, what {pass} makes \
         has the value and the type, or the effect, of what it was given{exception}"
    );
    let given = "provided that the contracts in crates/mutators/contracts hold, that each \
                 `rewrite` in it is a verified rule, and that the same holds of the methods of its \
                 classes in other files";
    let refuses = if methods.iter().any(|(_, standing)| standing == "rejects") {
        ", or it refuses it"
    } else {
        ""
    };
    let such = |standings: &[&str]| -> String {
        let such = methods.iter().filter(|(_, standing)| standings.contains(&standing.as_str()));
        let lines = such.map(|(name, standing)| format!("\n    {standing}: {name}"));
        lines.collect::<Vec<_>>().concat()
    };
    match whole(methods) {
        Whole::Theorem => format!("THEOREM: {holds}{refuses}, and it ends, {given}"),
        Whole::WhereItEnds => format!(
            "THEOREM: {holds}{refuses}, wherever it ends, {given}; it is not shown to end:{}",
            such(&["partial"])
        ),
        Whole::WithinBounds => format!(
            "WITHIN BOUNDS: {holds}{refuses}, wherever it ends, {given}, and that no list has more \
             than three elements, no loop of the compiler more than three iterations, and no \
             function calls itself more than twice; nothing is known beyond of:{}",
            such(&LIMITED)
        ),
        Whole::Refuted => format!("REFUTED: {pass}:{}{}", such(&REFUTED), such(&["partial"])),
        Whole::Open => {
            let open: Vec<&str> = ["bounded", "undecided", "unsupported", "partial"].into();
            format!("OPEN: {pass}:{}{}", such(&REFUTED), such(&open))
        }
    }
}

/// `cargo xtask mutators --passes`.
pub(super) fn run() -> Result<(), Error> {
    let sources = sources()?;
    setup::ensure()?;
    let halidom = process::halidom()?;
    let (mut rows, mut found) = (Vec::new(), 0);
    let mut wholes = [0; 2];
    for profile in PROFILES {
        for pass in PASSES.iter().filter(|pass| pass.profile == profile) {
            let path = sources.join(profile).join(pass.file);
            if !path.is_file() {
                println!("{profile}: no file {}", path.display());
                continue;
            }
            found += 1;
            let name = pass.file.rsplit('/').next().unwrap_or(pass.file);
            let checkout = sources.join(profile);
            let methods = verdicts(&halidom, profile, &checkout, &path, name)?;
            println!("{}\n", theorem(name, profile, &methods));
            let count = |standings: &[&str]| {
                let such = |method: &&Method| standings.contains(&method.1.as_str());
                methods.iter().filter(such).count()
            };
            let (holds, refuted) = (count(&HOLDS), count(&REFUTED));
            let known = match whole(&methods) {
                Whole::Theorem => "theorem",
                Whole::WhereItEnds => "theorem where it ends",
                Whole::WithinBounds => "theorem within bounds",
                Whole::Refuted => "refuted",
                Whole::Open => "open",
            };
            if known != "open" {
                wholes[usize::from(!pass.is_named)] += 1;
            }
            rows.push(vec![
                profile.to_owned(),
                name.to_owned(),
                if pass.is_named { "the paper" } else { "us" }.to_owned(),
                methods.len().to_string(),
                holds.to_string(),
                refuted.to_string(),
                (methods.len() - holds - refuted).to_string(),
                known.to_owned(),
            ]);
        }
    }
    if found == 0 {
        return Err(Error::Missing {
            what: "the passes".to_owned(),
            advice: format!("{SOURCES} is {}", sources.display()),
        });
    }
    let headings =
        ["compiler", "pass", "named by", "methods", "hold", "refuted", "other", "the whole pass"];
    println!("{}", table::layout(&headings, &rows));
    let [named, chosen] = wholes;
    println!("{} whole passes: {named} that the paper names, {chosen} others", named + chosen);
    Ok(())
}

/// Verifies the methods of a file in a process of its own. The other files of the profile are at
/// hand if it lists this one, because the methods of a class may be in several files.
fn verdicts(
    halidom: &Path,
    profile: &str,
    checkout: &Path,
    file: &Path,
    name: &str,
) -> Result<Vec<Method>, Error> {
    let mut listing = program(halidom);
    listing.arg("verify").arg(checkout).args(["--profile", profile, "--json", "--list"]);
    let output = capture(&mut listing)?;
    let listed = Answered::of(&listing, &output)?.json;
    let files = listed.get("files").and_then(Json::members).unwrap_or_default();
    let is_listed = files.iter().any(|(known, _)| known == name);
    let mut command = program(halidom);
    command.arg("verify").arg(if is_listed { checkout } else { file });
    command.args(["--profile", profile, "--only", "mutators", "--json"]);
    command.args(["--timeout", "0.5", "--cache"]).arg(kept(&format!("passes-{profile}")));
    if is_listed {
        command.args(["--mutator", &format!("{name}: ")]);
    }
    let output = capture(&mut command)?;
    let json = Answered::of(&command, &output)?.json;
    Ok(of_file(&json, name))
}

/// The methods of a file with their standings, from an answer about several files.
///
/// An answer also lists text of other files that may hold mutators and is not read. The theorem
/// has a premise about methods in other files, so this text counts only in the pass's own file. A
/// mutator without a file counts.
fn of_file(json: &Json, name: &str) -> Vec<Method> {
    let mutators = json.get("mutators").and_then(Json::members).unwrap_or_default();
    let is_elsewhere =
        |mutator: &Json| mutator.get("file").and_then(Json::text).is_some_and(|file| file != name);
    let standing = |mutator: &Json| {
        mutator.get("standing").and_then(Json::text).unwrap_or("unsupported").to_owned()
    };
    let own = mutators.iter().filter(|(_, mutator)| !is_elsewhere(mutator));
    own.map(|(name, mutator)| (name.clone(), standing(mutator))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn methods(standings: &[&str]) -> Vec<Method> {
        let of = |(index, standing): (usize, &&str)| (format!("m{index}"), (*standing).to_owned());
        standings.iter().enumerate().map(of).collect()
    }

    #[test]
    fn one_open_method_leaves_a_pass_open() {
        for (standings, expected) in [
            (&["verified", "rejects"][..], Whole::Theorem),
            (&["verified", "partial"], Whole::WhereItEnds),
            (&["verified", "wrong"], Whole::Refuted),
            (&["partial", "wrong"], Whole::Refuted),
            (&["partial"], Whole::WhereItEnds),
            (&["partial", "crash", "bounded"], Whole::Open),
            (&["verified", "undecided", "wrong"], Whole::Open),
            (&["verified", "bounded"], Whole::WithinBounds),
            (&["partial", "bounded", "rejects"], Whole::WithinBounds),
            (&["bounded", "undecided"], Whole::Open),
            (&["bounded", "wrong"], Whole::Open),
            (&["verified", "a standing of tomorrow"], Whole::Open),
            (&[], Whole::Open),
        ] {
            assert_eq!(whole(&methods(standings)), expected, "{standings:?}");
        }
    }

    #[test]
    fn text_that_is_not_read_counts_in_its_own_file() {
        let mutator = |name: &str, standing: &str, file: &str| {
            format!(r#""{name}": {{"standing": "{standing}", "file": "{file}"}}"#)
        };
        let answer = |file: &str| {
            let mutators = [
                mutator("S::visit(const Not *)", "verified", "S_Not.cpp"),
                mutator("text that is not read", "unsupported", file),
                mutator("text that is not read at S.cpp:9", "unsupported", "S.cpp"),
            ];
            let text = format!(r#"{{"mutators": {{{}}}}}"#, mutators.join(", "));
            whole(&of_file(&Json::parse(&text).expect("an answer"), "S_Not.cpp"))
        };
        assert_eq!(answer("S.cpp"), Whole::Theorem);
        assert_eq!(answer("S_Not.cpp"), Whole::Open);
        let text = r#"{"mutators": {"S::mutate": {"standing": "undecided"}}}"#;
        let methods = of_file(&Json::parse(text).expect("an answer"), "S_Not.cpp");
        assert_eq!(methods, [("S::mutate".to_owned(), "undecided".to_owned())]);
    }

    #[test]
    fn a_theorem_says_what_it_rests_on() {
        let text = theorem("Pass.cpp", "halide", &methods(&["verified", "partial"]));
        assert!(text.starts_with("THEOREM: for every"), "{text}");
        assert!(text.contains("wherever it ends, provided"), "{text}");
        assert!(text.ends_with("partial: m1"), "{text}");
        let text = theorem("Pass.cpp", "halide", &methods(&["verified", "bounded"]));
        assert!(text.starts_with("WITHIN BOUNDS: for every"), "{text}");
        assert!(text.ends_with("bounded: m1"), "{text}");
        let text = theorem("RemoveDeadAllocations.cpp", "halide", &methods(&["verified"]));
        assert!(text.contains("of what it was given, except that allocations"), "{text}");
        let text = theorem("Pass.cpp", "halide", &methods(&["verified", "unsupported"]));
        assert!(text.starts_with("OPEN"), "{text}");
    }

    #[test]
    fn the_paper_names_eight_of_its_46_passes() {
        assert_eq!(PASSES.len(), 46);
        assert_eq!(PASSES.iter().filter(|pass| pass.is_named).count(), 8);
    }
}
