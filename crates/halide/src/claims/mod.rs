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
mod layout;
mod regions;
mod sample;
mod sites;
mod solve;

use halidom_base::{FxHashMap, IndexMap};
use halidom_ir::{BufferId, ExprId, StmtId};

use crate::translate::{Compiled, Source};
use form::{Form, Forms};
use layout::Layout;

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
    loads: FxHashMap<ExprId, Vec<Form>>,
}

/// A program with the claims that are found; what none is found for is in the notes.
pub fn infer(source: &mut Source, compiled: Compiled) -> Compiled {
    let Compiled { mut program, mut notes, checked } = compiled;
    let mut forms = Forms::new(&mut source.pool);
    let sites = sites::collect(&mut forms, &program);
    let mut found = solve::solve(&mut forms, &sites);
    let places = regions::places(&mut forms, &program, &sites, &found);
    solve::leftover(&mut forms, &sites, &mut found);
    notes.extend(missing(&forms, &sites, &found));
    if !checked {
        notes.push(
            "assumed: the statement checks nothing at entry; its reads lie in the inputs"
                .to_owned(),
        );
        program = regions::demand(&mut forms, program, &sites, &found);
    }
    let program = annotate::annotate(&mut forms, program, &found, places);
    Compiled { program, notes, checked }
}

fn missing(forms: &Forms<'_>, sites: &sites::Sites, found: &Found) -> Vec<String> {
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
    words.truncate(8);
    words
}
