//! What the stores and loads of a program mean: claims inferred from the program itself, as nothing in a statement of stock Halide says so.
//!
//! Everything found here is a guess. The validator checks each; a wrong or a missing one leaves an obligation open.
//!
//! * An element number of the caller's buffers is divided by their strides, one of a temporary by the products of its extents: that gives coordinates, relative to where the buffer begins
//!   and, in a folded dimension, modulo its extent ([`layout`]).
//! * A store whose coordinates are known says what its loads must be, as the algorithm says what its value reads; so where the buffers begin that it reads, and what is written there. From
//!   the outputs on, and from what reads inputs alone, until nothing more is found ([`solve`], [`demand`]).
//! * A place that computes a func is the largest one that stores it and has no read of it by others ([`regions`]).

mod annotate;
mod demand;
mod form;
mod hints;
mod layout;
mod lifetimes;
mod regions;
mod sameness;
mod sample;
mod sites;
mod solve;

use halidom_base::{FxHashMap, IndexMap, IndexSet};
use halidom_ir::{BufferId, BufferKind, Program, StmtId};

use crate::translate::{Compiled, Source};
use form::{Form, Forms};
use hints::Hints;
use layout::Layout;
pub use sameness::same;
use sites::Sites;

/// What a store is claimed to write.
#[derive(Clone, Debug)]
struct Claim {
    stage: usize,
    coords: Vec<Form>,
    point: Vec<Form>,
}

/// What was found out.
#[derive(Default)]
struct Found {
    layouts: IndexMap<BufferId, Layout>,
    stores: FxHashMap<StmtId, Claim>,
    /// Coordinates of loads.
    loads: solve::Loads,
}

/// A program with the claims that are found; what none is found for is in the notes. Where the pipeline was compiled with annotations too, their claims come before others; so do a program's own.
pub fn infer(source: &mut Source, compiled: Compiled, annotated: Option<&Compiled>) -> Compiled {
    let Compiled { mut program, mut notes, checked, marked, mut contract } = compiled;
    let mut forms = Forms::new(&mut source.pool);
    let mut sites = sites::collect(&mut forms, &program);
    let hints = match annotated {
        Some(annotated) => Hints::carried(&mut forms, (&program, &sites), annotated),
        None => Hints::own(&mut forms, &sites, &marked),
    };
    if annotated.is_some() || hints.len() > 0 {
        let (said, all) = (hints.len(), sites.stores.len());
        notes.push(format!("{CARRIED} of {said} of {all} stores"));
    }
    let mut found = solve::solve(&mut forms, &sites, &hints);
    // What begins nowhere may be filled anew in each iteration.
    while let Some((shorter, note)) = shorter(&mut forms, &program, (&sites, &hints), &found) {
        program = shorter.program;
        sites = shorter.sites;
        found = shorter.found;
        notes.push(note);
    }
    let places = regions::places(&mut forms, &program, &sites, &found);
    solve::leftover(&mut forms, &sites, &mut found);
    notes.extend(missing(&forms, &sites, &found));
    let (program, changed) = annotate::annotate(&mut forms, program, &found, places);
    contract.widths.carry(&changed);
    Compiled { program, notes, checked, marked, contract }
}

/// What the note on annotations begins with.
pub const CARRIED: &str = "annotations say what is written:";

/// What the note on memory begins with that is taken to be filled anew.
pub const LIFETIMES: &str =
    "shown as if it were taken anew in each iteration of a loop: the memory of";

/// Memory that is accessed and of which it is not known where it begins.
fn nowhere(forms: &Forms<'_>, sites: &Sites, found: &Found) -> Vec<BufferId> {
    let mut stored: IndexSet<BufferId> = IndexSet::default();
    stored.extend(sites.stores.iter().map(|store| store.buffer));
    let is_open = |buffer: &BufferId| {
        forms.pool.buffer(*buffer).kind == BufferKind::Internal
            && found.layouts.get(buffer).is_some_and(|layout| !layout.is_known())
    };
    stored.into_iter().filter(is_open).collect()
}

/// A program, and what was found out of it.
struct Attempt {
    program: Program,
    sites: Sites,
    found: Found,
}

/// The program with shorter lifetimes for memory of which it is not known where it begins, if that is known then, and what is to be said of it.
fn shorter(
    forms: &mut Forms<'_>,
    program: &Program,
    (sites, hints): (&Sites, &Hints),
    found: &Found,
) -> Option<(Attempt, String)> {
    let open = nowhere(forms, sites, found);
    for buffer in &open {
        let Some(program) = lifetimes::shortened(forms.pool, program, *buffer) else { continue };
        let sites = sites::collect(forms, &program);
        let found = solve::solve(forms, &sites, hints);
        if nowhere(forms, &sites, &found).len() < open.len() {
            let note = format!("{LIFETIMES} `{}`", forms.pool.buffer(*buffer).name);
            return Some((Attempt { program, sites, found }, note));
        }
    }
    None
}

fn missing(forms: &Forms<'_>, sites: &Sites, found: &Found) -> Vec<String> {
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
    words
}
