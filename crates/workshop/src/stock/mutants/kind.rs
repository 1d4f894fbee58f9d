//! The form of a kind of defect.

use halidom_halide::tree::{Block, Expr, Stmt};

use super::walk::{Role, Scope};

/// A kind of defect.
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// The defect that it puts into a statement.
    pub what: &'static str,
    pub(super) find: Find,
}

/// The search for the sites of a kind of defect.
pub(super) enum Find {
    /// At each statement.
    Stmt(fn(&Point<'_>, &mut Edits)),
    /// At each expression.
    Expr(fn(&Scope<'_>, Role, &Expr, &mut Vec<Expr>)),
}

/// A statement of a block.
pub(super) struct Point<'a> {
    pub(super) scope: &'a Scope<'a>,
    pub(super) block: &'a [Stmt],
    pub(super) at: usize,
}

pub(super) type BlockEdit = Box<dyn Fn(&mut Block) + Send + Sync>;

/// Edits of the block that contains a point.
#[derive(Default)]
pub(super) struct Edits(pub(super) Vec<BlockEdit>);

impl Edits {
    pub(super) fn push(&mut self, edit: impl Fn(&mut Block) + Send + Sync + 'static) {
        self.0.push(Box::new(edit));
    }
}
