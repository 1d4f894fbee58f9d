//! Claims about the stores and loads of a program, inferred from the program itself, because a
//! statement of stock Halide carries none.
//!
//! Everything found here is a guess. The validator checks each claim; a wrong or a missing one
//! leaves an obligation open.
//!
//! * An index into a caller's buffer is divided by the buffer's strides, an index into a temporary
//!   by the products of its extents. This gives coordinates relative to the beginning of the buffer
//!   and, in a folded dimension, modulo its extent (`layout`).
//! * A store with known coordinates determines the coordinates of its loads, because the algorithm
//!   defines what its value reads. This in turn determines where the buffers begin that it reads,
//!   and which elements are written there. The search starts at the outputs and at the stores that
//!   read only inputs, and runs to a fixpoint (`solve`, `attempt`, `demand`).
//! * The place that computes a func is the largest statement that stores it and contains no read of
//!   it by others (`spots`, `regions`).

mod annotate;
mod attempt;
mod demand;
mod extremes;
mod facts;
mod form;
mod forms;
mod found;
mod hints;
mod layout;
mod lifetimes;
mod machine;
mod regions;
mod sameness;
mod sample;
mod sites;
mod solve;
mod spots;
mod told;
mod unknowns;
mod ways;
mod written;

use halidom_base::IndexSet;
use halidom_ir::{BufferId, BufferKind, Program};

use crate::translate::{Compiled, Note, Source};
use forms::Forms;
use found::Found;
use hints::Hints;
pub use sameness::same;
use sites::Sites;

/// Adds claims to a program; the notes list stores and loads without one. Claims from an annotated
/// compile of the pipeline take precedence over inferred ones, and so do the program's own
/// annotations.
pub fn infer(source: &mut Source, compiled: Compiled, annotated: Option<&Compiled>) -> Compiled {
    let Compiled { mut program, mut notes, checked, marked, mut contract } = compiled;
    let mut forms = Forms::new(&mut source.pool);
    forms.filled.clone_from(&source.filled);
    let mut sites = sites::collect(&mut forms, &program);
    let hints = match annotated {
        Some(annotated) => Hints::carried(&mut forms, (&program, &sites), annotated),
        None => Hints::own(&mut forms, &sites, &marked),
    };
    if annotated.is_some() || hints.len() > 0 {
        let (said, all) = (hints.len(), sites.stores.len());
        let words = format!("annotations say what is written: of {said} of {all} stores");
        notes.push(Note::Annotated(words));
    }
    let mut found = solve::solve(&mut forms, &sites, &hints);
    // Memory without a known beginning may be filled anew in each iteration.
    while let Some((shorter, note)) = shorter(&mut forms, &program, (&sites, &hints), &found) {
        program = shorter.program;
        sites = shorter.sites;
        found = shorter.found;
        notes.push(note);
    }
    solve::leftover(&mut forms, &sites, &mut found);
    let places = regions::places(&mut forms, &program, &sites, &found);
    notes.extend(missing(&forms, &sites, &found));
    let (program, changed) = annotate::annotate(&mut forms, program, &found, places);
    contract.widths.carry(&changed);
    Compiled { program, notes, checked, marked, contract }
}

/// Memory that is stored to, but whose beginning is unknown.
fn nowhere(forms: &Forms<'_>, sites: &Sites, found: &Found) -> Vec<BufferId> {
    let mut stored: IndexSet<BufferId> = IndexSet::default();
    stored.extend(sites.stores.iter().map(|store| store.buffer));
    let is_open = |buffer: &BufferId| {
        forms.pool.buffer(*buffer).kind == BufferKind::Internal
            && found.layouts.get(buffer).is_some_and(|layout| !layout.is_known())
    };
    stored.into_iter().filter(is_open).collect()
}

/// A program with the results of the inference on it.
struct Attempt {
    program: Program,
    sites: Sites,
    found: Found,
}

/// The program with a shorter lifetime for memory whose beginning is unknown, if the shorter
/// lifetime makes it known, and a note about that.
fn shorter(
    forms: &mut Forms<'_>,
    program: &Program,
    (sites, hints): (&Sites, &Hints),
    found: &Found,
) -> Option<(Attempt, Note)> {
    let open = nowhere(forms, sites, found);
    for buffer in &open {
        let Some(attempt) = settled(forms, program, (hints, &open), *buffer) else { continue };
        let words = format!(
            "shown as if it were taken anew in each iteration of a loop: the memory of `{}`",
            forms.pool.buffer(*buffer).name
        );
        return Some((attempt, Note::Lifetime(words)));
    }
    None
}

/// The program in which a buffer lives for one iteration of the fewest loops that make its
/// beginning known. Memory that is hoisted out of several loops may begin elsewhere in the
/// iterations of each of them.
fn settled(
    forms: &mut Forms<'_>,
    program: &Program,
    (hints, open): (&Hints, &[BufferId]),
    buffer: BufferId,
) -> Option<Attempt> {
    let mut program = lifetimes::shortened(forms.pool, program, buffer)?;
    loop {
        let sites = sites::collect(forms, &program);
        let found = solve::solve(forms, &sites, hints);
        let unknown = nowhere(forms, &sites, &found);
        if unknown.len() < open.len() {
            return Some(Attempt { program, sites, found });
        }
        // Each step moves one of the new lifetimes further in, so the steps come to an end.
        let own = unknown.iter().find(|own| !open.contains(own))?;
        program = lifetimes::shortened(forms.pool, &program, *own)?;
    }
}

fn missing(forms: &Forms<'_>, sites: &Sites, found: &Found) -> Vec<Note> {
    let mut words = Vec::new();
    for store in sites.stores.iter().filter(|store| !found.stores.contains_key(&store.stmt)) {
        let buffer = &forms.pool.buffer(store.buffer).name;
        let loops: Vec<&str> =
            store.loops.iter().map(|of| forms.pool.var(of.var).name.as_str()).collect();
        words.push(format!(
            "it is not known what the store to `{buffer}` in loops [{}] writes",
            loops.join(", ")
        ));
    }
    for load in sites.loads.values().filter(|load| !found.loads.contains_key(&load.expr)) {
        let buffer = &forms.pool.buffer(load.buffer).name;
        words.push(format!(
            "it is not known what the load {} of `{buffer}` reads",
            halidom_ir::print::expr(forms.pool, load.index)
        ));
    }
    words.truncate(24);
    words.into_iter().map(Note::Unclaimed).collect()
}
