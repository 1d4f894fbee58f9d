//! Defects of stores and updates.

use halidom_halide::tree::{Alignment, BinaryOp, Expr, Stmt, StmtKind, Type};

use super::build::{doubts, int, plus, spread};
use super::kind::{Edits, Find, Kind, Point};
use super::walk::Scope;

pub(super) const KINDS: &[Kind] = &[
    Kind { name: "store: dropped", what: "a value is not stored", find: Find::Stmt(dropped) },
    Kind {
        name: "store: twice",
        what: "a store or an update is made a second time",
        find: Find::Stmt(twice),
    },
    Kind {
        name: "store: rebound",
        what: "a value is stored to other memory in scope",
        find: Find::Stmt(rebound),
    },
    Kind {
        name: "store: index",
        what: "a value is stored an element further on or back",
        find: Find::Stmt(index),
    },
    Kind {
        name: "store: predicate dropped",
        what: "all lanes are stored",
        find: Find::Stmt(predicate_dropped),
    },
    Kind {
        name: "store: predicate negated",
        what: "the other lanes are stored",
        find: Find::Stmt(predicate_negated),
    },
    Kind {
        name: "store: predicate added",
        what: "some lanes are not stored",
        find: Find::Stmt(predicate_added),
    },
    Kind {
        name: "store: alignment",
        what: "more is said of an index than holds: another modulus or remainder",
        find: Find::Stmt(alignment),
    },
    Kind {
        name: "store: reduction in lanes",
        what: "a vector is added to one element, lane by lane",
        find: Find::Stmt(lanes_added),
    },
    Kind {
        name: "atomic: dropped",
        what: "updates that nothing may come between are plain ones",
        find: Find::Stmt(atomic_dropped),
    },
    Kind { name: "atomic: mutex", what: "a mutex is dropped", find: Find::Stmt(mutex_dropped) },
    Kind {
        name: "atomic: in parts",
        what: "each update of a block is atomic for itself",
        find: Find::Stmt(atomic_divided),
    },
    Kind {
        name: "atomic: added",
        what: "a store is said to be atomic",
        find: Find::Stmt(atomic_added),
    },
];

fn is_store(point: &Point<'_>) -> bool {
    matches!(point.block[point.at].kind, StmtKind::Store { .. })
}

/// The number of lanes of a store's index.
fn lanes(scope: &Scope<'_>, index: &Expr) -> Option<u32> {
    scope.type_of(index).map(|ty| ty.lanes)
}

fn dropped(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if is_store(point) {
        edits.push(move |block| drop(block.remove(at)));
    }
}

fn twice(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if is_store(point) || matches!(point.block[at].kind, StmtKind::Atomic { .. }) {
        edits.push(move |block| {
            let again = block[at].clone();
            block.insert(at, again);
        });
    }
}

fn rebound(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Store { name, .. } = &point.block[at].kind else { return };
    for other in point.scope.like_buffer(*name) {
        edits.push(move |block| {
            if let StmtKind::Store { name, .. } = &mut block[at].kind {
                *name = other;
            }
        });
    }
}

fn index(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Store { index, .. } = &point.block[at].kind else { return };
    for to in [1, -1].into_iter().filter_map(|by| plus(point.scope, index, by)) {
        edits.push(move |block| {
            if let StmtKind::Store { index, alignment, .. } = &mut block[at].kind {
                index.clone_from(&to);
                *alignment = None;
            }
        });
    }
}

fn predicate_dropped(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if matches!(point.block[at].kind, StmtKind::Store { predicate: Some(_), .. }) {
        edits.push(move |block| {
            if let StmtKind::Store { predicate, .. } = &mut block[at].kind {
                *predicate = None;
            }
        });
    }
}

fn predicate_negated(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if matches!(point.block[at].kind, StmtKind::Store { predicate: Some(_), .. }) {
        edits.push(move |block| {
            if let StmtKind::Store { predicate: Some(predicate), .. } = &mut block[at].kind {
                *predicate = Expr::Not(Box::new(predicate.clone()));
            }
        });
    }
}

/// Masks with the given number of lanes that are not always true in all lanes.
pub(super) fn masks(scope: &Scope<'_>, lanes: u32) -> Vec<Expr> {
    let mut found: Vec<Expr> =
        doubts(scope).into_iter().take(2).map(|doubt| spread(doubt, lanes)).collect();
    if lanes > 1 {
        let ramp = Expr::Ramp { base: Box::new(int(0)), stride: Box::new(int(1)), lanes };
        let bound = spread(int(i64::from(lanes) - 1), lanes);
        found.push(Expr::Binary(BinaryOp::Lt, Box::new([ramp, bound])));
    }
    found
}

fn predicate_added(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Store { index, .. } = &point.block[at].kind else { return };
    let Some(lanes) = lanes(point.scope, index) else { return };
    for mask in masks(point.scope, lanes) {
        edits.push(move |block| {
            if let StmtKind::Store { predicate, .. } = &mut block[at].kind {
                *predicate = Some(match predicate.take() {
                    Some(known) => Expr::Binary(BinaryOp::And, Box::new([known, mask.clone()])),
                    None => mask.clone(),
                });
            }
        });
    }
}

/// Wrong alignments: replacements for a given one, or additions where the alignment is absent.
pub(super) fn alignments(known: Option<Alignment>) -> Vec<Option<Alignment>> {
    match known {
        Some(Alignment { modulus, remainder }) => vec![
            Some(Alignment { modulus: modulus * 2, remainder }),
            Some(Alignment { modulus, remainder: (remainder + 1) % modulus.max(1) }),
        ],
        None => vec![
            Some(Alignment { modulus: 16, remainder: 0 }),
            Some(Alignment { modulus: 8, remainder: 1 }),
        ],
    }
}

fn alignment(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Store { alignment, .. } = &point.block[at].kind else { return };
    for to in alignments(*alignment) {
        edits.push(move |block| {
            if let StmtKind::Store { alignment, .. } = &mut block[at].kind {
                *alignment = to;
            }
        });
    }
}

fn lanes_added(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Store { name, index, value, .. } = &point.block[at].kind else { return };
    // Turn a sum over lanes into a store of all lanes to the same place.
    let Expr::Binary(BinaryOp::Add, operands) = value else { return };
    let [Expr::Load(own), Expr::VectorReduce(_, ty, vector)] = &**operands else { return };
    let count = point.scope.type_of(vector).map(|ty| ty.lanes);
    let (Some(count), true) = (count, ty.lanes == 1 && own.name == *name && own.index == *index)
    else {
        return;
    };
    let place = spread(index.clone(), count);
    let mut load = own.clone();
    load.index = place.clone();
    load.alignment = None;
    load.ty = load.ty.map(|ty: Type| ty.with_lanes(count));
    let sum = Expr::Binary(BinaryOp::Add, Box::new([Expr::Load(load), (**vector).clone()]));
    edits.push(move |block| {
        if let StmtKind::Store { index, value, alignment, .. } = &mut block[at].kind {
            index.clone_from(&place);
            value.clone_from(&sum);
            *alignment = None;
        }
    });
}

fn atomic_dropped(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if matches!(point.block[at].kind, StmtKind::Atomic { .. }) {
        edits.push(move |block| {
            if let StmtKind::Atomic { body, .. } = &block[at].kind {
                let inner = body.clone();
                block.splice(at..=at, inner);
            }
        });
    }
}

fn mutex_dropped(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if matches!(point.block[at].kind, StmtKind::Atomic { mutex: Some(_), .. }) {
        edits.push(move |block| {
            if let StmtKind::Atomic { mutex, .. } = &mut block[at].kind {
                *mutex = None;
            }
        });
    }
}

fn atomic_divided(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Atomic { body, .. } = &point.block[at].kind else { return };
    if body.len() < 2 {
        return;
    }
    edits.push(move |block| {
        let StmtKind::Atomic { producer, mutex, body } = &block[at].kind else { return };
        let each = body.iter().map(|inner| {
            if !matches!(inner.kind, StmtKind::Store { .. }) {
                return inner.clone();
            }
            let body = vec![inner.clone()];
            let kind = StmtKind::Atomic { producer: *producer, mutex: *mutex, body };
            Stmt { at: inner.at, kind }
        });
        let each: Vec<Stmt> = each.collect();
        block.splice(at..=at, each);
    });
}

fn atomic_added(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Store { name, .. } = &point.block[at].kind else { return };
    let is_around = |kind: &&StmtKind| matches!(kind, StmtKind::Atomic { .. });
    if point.scope.around.iter().any(is_around) {
        return;
    }
    let producer = *name;
    edits.push(move |block| {
        let inner = block[at].clone();
        block[at].kind = StmtKind::Atomic { producer, mutex: None, body: vec![inner] };
    });
}
