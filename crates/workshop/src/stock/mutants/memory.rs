//! Defects of memory: the time, place and size of an allocation, and the time when it is freed.

use halidom_halide::NameId;
use halidom_halide::tree::{BinaryOp, Block, Expr, Scalar, Stmt, StmtKind};

use super::build::{doubts, int, plus};
use super::kind::{Edits, Find, Kind, Point};
use super::walk::{blocks, blocks_mut};

pub(super) const KINDS: &[Kind] = &[
    Kind { name: "free: dropped", what: "memory is not freed", find: Find::Stmt(free_dropped) },
    Kind {
        name: "free: twice",
        what: "memory is freed a second time, at once or at the end of the block",
        find: Find::Stmt(free_twice),
    },
    Kind {
        name: "free: earlier",
        what: "memory is freed before the statement before",
        find: Find::Stmt(free_earlier),
    },
    Kind {
        name: "free: within",
        what: "memory is freed at the beginning or the end of a block of the statement before",
        find: Find::Stmt(free_within),
    },
    Kind {
        name: "free: of another",
        what: "other memory in scope is freed",
        find: Find::Stmt(free_other),
    },
    Kind {
        name: "allocation: condition added",
        what: "memory is taken under a condition",
        find: Find::Stmt(condition_added),
    },
    Kind {
        name: "allocation: condition changed",
        what: "the condition of an allocation is negated or dropped",
        find: Find::Stmt(condition_changed),
    },
    Kind {
        name: "allocation: memory type",
        what: "memory is of another type",
        find: Find::Stmt(memory_type),
    },
    Kind {
        name: "allocation: shrunk",
        what: "memory has an element less, half of its elements, or none",
        find: Find::Stmt(shrunk),
    },
    Kind {
        name: "allocation: extents exchanged",
        what: "one extent is dropped, or a dimension has that of another",
        find: Find::Stmt(extents),
    },
    Kind {
        name: "allocation: padding",
        what: "the padding is another one",
        find: Find::Stmt(padding),
    },
    Kind {
        name: "allocation: element type",
        what: "elements are of half the bits, or unsigned",
        find: Find::Stmt(element_type),
    },
    Kind {
        name: "allocation: further in",
        what: "memory is taken within a block of a later statement, anew in each of its runs",
        find: Find::Stmt(further_in),
    },
    Kind {
        name: "allocation: further out",
        what: "memory of an iteration is taken before the loop, and freed after it",
        find: Find::Stmt(further_out),
    },
    Kind {
        name: "allocation: anew",
        what: "memory of the same name is taken once more before a later statement",
        find: Find::Stmt(anew),
    },
    Kind { name: "allocation: dropped", what: "memory is not taken", find: Find::Stmt(dropped) },
];

/// The name of the memory that a statement frees.
fn freed(point: &Point<'_>) -> Option<NameId> {
    if let StmtKind::Free(name) = &point.block[point.at].kind { Some(*name) } else { None }
}

fn free_stmt(name: NameId) -> Stmt {
    Stmt { at: 0, kind: StmtKind::Free(name) }
}

fn free_dropped(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if freed(point).is_some() {
        edits.push(move |block| drop(block.remove(at)));
    }
}

fn free_twice(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if let Some(name) = freed(point) {
        edits.push(move |block| block.insert(at, free_stmt(name)));
        if at + 1 < point.block.len() {
            edits.push(move |block| block.push(free_stmt(name)));
        }
    }
}

fn free_earlier(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if freed(point).is_none() {
        return;
    }
    // Move it to the place of the allocation, or to a place between.
    for to in (0..at).rev().take(4) {
        edits.push(move |block| {
            let free = block.remove(at);
            block.insert(to, free);
        });
    }
}

fn free_within(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let Some(name) = freed(point) else { return };
    for from in (0..at).rev().take(2) {
        for inside in 0..blocks(&point.block[from].kind).len() {
            for is_begin in [true, false] {
                edits.push(move |block| {
                    block.remove(at);
                    if let Some(inner) = blocks_mut(&mut block[from].kind).into_iter().nth(inside) {
                        let to = if is_begin { 0 } else { inner.len() };
                        inner.insert(to, free_stmt(name));
                    }
                });
            }
        }
        // Move it into the innermost loop.
        edits.push(move |block| {
            block.remove(at);
            innermost(&mut block[from]).push(free_stmt(name));
        });
    }
}

/// The innermost last block of a statement: its last block, then the last block of the last
/// statement there that has one, and so on. A statement without blocks has none.
fn innermost(stmt: &mut Stmt) -> InnermostBlock<'_> {
    InnermostBlock(stmt)
}

/// The innermost block of a statement, for appending to it.
struct InnermostBlock<'s>(&'s mut Stmt);

impl InnermostBlock<'_> {
    fn push(self, stmt: Stmt) {
        fn deep(block: &mut Block, stmt: Stmt) {
            let last = block.iter().rposition(|inside| !blocks(&inside.kind).is_empty());
            match last {
                Some(last) => {
                    if let Some(inner) = blocks_mut(&mut block[last].kind).pop() {
                        deep(inner, stmt);
                    }
                }
                None => block.push(stmt),
            }
        }
        if let Some(block) = blocks_mut(&mut self.0.kind).pop() {
            deep(block, stmt);
        }
    }
}

fn free_other(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let Some(name) = freed(point) else { return };
    for other in point.scope.like_buffer(name).into_iter().take(2) {
        edits.push(move |block| block[at].kind = StmtKind::Free(other));
    }
}

/// Tests whether a statement allocates memory.
fn is_allocation(point: &Point<'_>) -> bool {
    matches!(point.block[point.at].kind, StmtKind::Allocate { .. })
}

fn condition_added(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if !is_allocation(point) {
        return;
    }
    for doubt in doubts(point.scope) {
        edits.push(move |block| {
            if let StmtKind::Allocate { condition, .. } = &mut block[at].kind {
                *condition = Some(match condition.take() {
                    Some(known) => Expr::Binary(BinaryOp::And, Box::new([known, doubt.clone()])),
                    None => doubt.clone(),
                });
            }
        });
    }
}

fn condition_changed(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if let StmtKind::Allocate { condition: Some(known), .. } = &point.block[at].kind {
        let negated = Expr::Not(Box::new(known.clone()));
        for to in [None, Some(negated)] {
            edits.push(move |block| {
                if let StmtKind::Allocate { condition, .. } = &mut block[at].kind {
                    condition.clone_from(&to);
                }
            });
        }
    }
}

fn memory_type(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Allocate { memory, .. } = &point.block[at].kind else { return };
    let types = ["Heap", "Stack", "Register", "GPUShared", "LockedCache", "VTCM"];
    let types = types.into_iter().filter_map(|name| point.scope.names.find(name));
    let others = types.map(Some).chain([None]).filter(|other| other != memory);
    for other in others {
        edits.push(move |block| {
            if let StmtKind::Allocate { memory, .. } = &mut block[at].kind {
                *memory = other;
            }
        });
    }
}

fn shrunk(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Allocate { extents, .. } = &point.block[at].kind else { return };
    for (number, extent) in extents.iter().enumerate() {
        let less = plus(point.scope, extent, -1);
        let half = if let Expr::Int(value, ty) = extent {
            Expr::Int(value / 2, *ty)
        } else {
            Expr::Binary(BinaryOp::Div, Box::new([extent.clone(), int(2)]))
        };
        for to in less.into_iter().chain([half, int(0)]) {
            edits.push(move |block| {
                if let StmtKind::Allocate { extents, .. } = &mut block[at].kind {
                    extents[number].clone_from(&to);
                }
            });
        }
    }
}

fn extents(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Allocate { extents, .. } = &point.block[at].kind else { return };
    for number in 0..extents.len() {
        if extents.len() > 1 {
            edits.push(move |block| {
                if let StmtKind::Allocate { extents, .. } = &mut block[at].kind {
                    extents.remove(number);
                }
            });
            let other = (number + 1) % extents.len();
            edits.push(move |block| {
                if let StmtKind::Allocate { extents, .. } = &mut block[at].kind {
                    extents[number] = extents[other].clone();
                }
            });
        }
    }
}

fn padding(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if !is_allocation(point) {
        return;
    }
    for by in [-1, 8] {
        edits.push(move |block| {
            if let StmtKind::Allocate { padding, .. } = &mut block[at].kind {
                *padding += by;
            }
        });
    }
}

fn element_type(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Allocate { ty, .. } = &point.block[at].kind else { return };
    let others = match ty.scalar {
        Scalar::Int(bits) => vec![Scalar::Int(bits / 2), Scalar::UInt(bits)],
        Scalar::UInt(bits) => vec![Scalar::UInt(bits / 2), Scalar::Int(bits)],
        Scalar::Float(32) => vec![Scalar::Float(16), Scalar::Int(32)],
        Scalar::Float(bits) => vec![Scalar::Float(bits / 2)],
        Scalar::BFloat(_) | Scalar::Handle(_) => Vec::new(),
    };
    let others = others
        .into_iter()
        .filter(|other| !matches!(other, Scalar::Int(4 | 0) | Scalar::UInt(4 | 0)));
    for other in others {
        edits.push(move |block| {
            if let StmtKind::Allocate { ty, .. } = &mut block[at].kind {
                ty.scalar = other;
            }
        });
    }
}

fn further_in(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if !is_allocation(point) {
        return;
    }
    for to in (at + 1..point.block.len()).take(3) {
        for inside in 0..blocks(&point.block[to].kind).len() {
            // Move the `free` along with the allocation, or leave it where it is.
            for frees in [true, false] {
                edits.push(move |block| {
                    let allocation = block[at].clone();
                    let StmtKind::Allocate { name, .. } = &allocation.kind else { return };
                    let free = StmtKind::Free(*name);
                    if let Some(inner) = blocks_mut(&mut block[to].kind).into_iter().nth(inside) {
                        inner.insert(0, allocation.clone());
                        if frees {
                            inner.push(Stmt { at: 0, kind: free.clone() });
                        }
                    }
                    if frees {
                        let end = block.iter().rposition(|stmt| stmt.kind == free);
                        end.map(|end| block.remove(end));
                    }
                    block.remove(at);
                });
            }
        }
    }
}

fn further_out(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::For { body, .. } = &point.block[at].kind else { return };
    for (number, stmt) in body.iter().enumerate() {
        let StmtKind::Allocate { name, .. } = &stmt.kind else { continue };
        let free = StmtKind::Free(*name);
        // Move the `free` out as well, or only the allocation.
        for both in [true, false] {
            let free = free.clone();
            edits.push(move |block| {
                let StmtKind::For { body, .. } = &mut block[at].kind else { return };
                let allocation = body.remove(number);
                let end = body.iter().rposition(|stmt| stmt.kind == free).filter(|_| both);
                if let Some(end) = end {
                    let free = body.remove(end);
                    block.insert(at + 1, free);
                }
                block.insert(at, allocation);
            });
        }
    }
}

fn anew(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if !is_allocation(point) {
        return;
    }
    for to in at + 1..(at + 4).min(point.block.len()) {
        edits.push(move |block| {
            let allocation = block[at].clone();
            block.insert(to, allocation);
        });
    }
}

fn dropped(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if is_allocation(point) {
        edits.push(move |block| drop(block.remove(at)));
    }
}
