//! Why mutants that are proved are equivalent.
//!
//! The reasons speak of forms of change, so that they outlive changes of lowering. Each was checked by hand on the mutants that the test made when it was written.

use halidom_testgen::MutantKind;

/// The reason why a mutant computes the same, if it is known. `dead` says that the change is in what a store that never runs needs: the scalar code beside vectors where the
/// region is always larger than a vector, the last copy of a block that is never whole.
pub(crate) fn reason(kind: MutantKind, description: &str, dead: bool) -> Option<&'static str> {
    let in_empty_window_guard =
        description.contains("0 < ") && description.contains(".window.extent.");
    if dead {
        return Some("the store is in a branch that never runs");
    }
    let changes_number = matches!(kind, MutantKind::LoopBoundChanged | MutantKind::ConstantChanged);
    if (changes_number || kind == MutantKind::OperandsSwapped) && ends_a_part(description) {
        return Some(
            "a part that ends earlier leaves more to the loop after it, which tests each iteration",
        );
    }
    match kind {
        MutantKind::ProphecyWrong | MutantKind::NeededShrunk => {
            Some("annotations do not influence execution")
        }
        MutantKind::LoopMadeParallel => (!over_domain(description)).then_some(
            "iterations over a pure variable write different locations, or one value twice",
        ),
        MutantKind::GuardDropped if in_empty_window_guard => {
            Some("loops over an empty window do nothing by themselves")
        }
        MutantKind::GuardDropped if description.contains(".window.") => None,
        MutantKind::GuardDropped => Some(
            "the condition chooses between two ways to compute the same, or holds always: the region is larger than a vector",
        ),
        MutantKind::ConstantChanged if description.starts_with("if: 0 becomes -1") => {
            Some("loops over an empty window do nothing by themselves")
        }
        MutantKind::ConstantChanged if tests_more_lanes(description) => {
            Some("a vector of which all lanes are within is computed lane by lane")
        }
        MutantKind::LoopBoundChanged | MutantKind::ConstantChanged if over_lanes(description) => {
            Some("lanes beyond the end are guarded, and the scalar code has less than a vector to do")
        }
        MutantKind::LoopBoundChanged => grows(description).then_some(
            "one iteration more computes again what the shifted last block computes, or nothing",
        ),
        MutantKind::ConstantChanged if counts_blocks(description) => {
            Some("one block more at times, which is guarded or shifted")
        }
        MutantKind::ConstantChanged if description.ends_with(": -4 becomes -3") => {
            Some("a shifted block that starts one later, with a guard for its end")
        }
        MutantKind::ConstantChanged | MutantKind::OperandsSwapped => {
            in_bound(description).then_some(
                "an operand of a maximum or minimum that another one dominates, or an allocation that grows",
            )
        }
        MutantKind::EntryCheckWeakened => limits_a_size(description).then_some(
            "what it demands of a size follows from other checks, or nothing depends on it",
        ),
        MutantKind::FoldChanged => Some("fewer coordinates are alive than the next power of two"),
        MutantKind::WindowChanged => {
            Some("a window that computes one more again, or one in memory that nothing else needs then")
        }
        MutantKind::StatementsSwapped
            if ["statements 0 and 1", "statements 1 and 2"]
                .iter()
                .any(|what| description.starts_with(what)) =>
        {
            Some("neighbouring iterations of an unrolled loop, or parts of a loop over a pure variable: they are independent")
        }
        MutantKind::IndexOffByOne
        | MutantKind::StoreMissing
        | MutantKind::AtomicDropped
        | MutantKind::AllocationShrunk
        | MutantKind::LoadRedirected
        | MutantKind::StatementsSwapped => None,
    }
}

/// Whether the change is in the end of a loop's part: `let x.tail: …`, `let x.steady: …`.
fn ends_a_part(description: &str) -> bool {
    let place = description.split(": ").next().unwrap_or_default();
    let part = place.strip_prefix("let ").and_then(|var| var.rsplit('.').next());
    matches!(part, Some("tail" | "steady"))
}

/// Whether the test that all lanes are within, `x + 3 < end`, now asks for one more.
fn tests_more_lanes(description: &str) -> bool {
    let changes = ["3 becomes 4", "7 becomes 8", "15 becomes 16"];
    changes.iter().any(|change| description.strip_prefix("if: ") == Some(change))
}

/// Whether the loop over the lanes of a vector, in scalar code, became one shorter or longer: `lane: 4 becomes …`.
fn over_lanes(description: &str) -> bool {
    description.starts_with("for ") && description.contains(".lane: 4 becomes ")
}

/// Whether `(extent + n - 1) / n` became `(extent + n) / n` or `(extent + n - 1) / (n - 1)`.
fn counts_blocks(description: &str) -> bool {
    let is = |change: &str| description.ends_with(change);
    description.starts_with("for ")
        && (["3 becomes 4", "7 becomes 8", "15 becomes 16"].into_iter().any(is)
            || ["4 becomes 3", "8 becomes 7", "16 becomes 15"].into_iter().any(is))
}

/// Whether the loop runs over a variable of a reduction domain of an example.
fn over_domain(description: &str) -> bool {
    ["AB.s1.k", "count.s1.x", "count.s1.y"].iter().any(|var| description.contains(var))
}

/// Whether a loop's extent became one more.
fn grows(description: &str) -> bool {
    description.split_once(" becomes ").is_some_and(|(before, after)| {
        before.rsplit_once(": ").is_some_and(|(_, old)| after == format!("{old} + 1"))
    })
}

/// Whether the change is in the bound of a region.
fn in_bound(description: &str) -> bool {
    let place = description.split(": ").next().unwrap_or_default();
    place.starts_with("let ") && (place.contains(".extent.") || place.contains(".min."))
}

/// Whether an entry check limits sizes and says nothing of what is read or written.
fn limits_a_size(description: &str) -> bool {
    !description.contains("window.min") || !description.contains('|')
}
