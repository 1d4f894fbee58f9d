//! Nodes of the IR as a path knows them.

use halidom_rewrites::rules::{ValueId, Values};

use crate::ir::kinds::{Kind, Type};

/// A node of one path.
pub(crate) type NodeId = usize;

/// A member of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// An expression.
    Expr(NodeId),
    /// A literal's number, in the domain of the node's type.
    Number(ValueId),
    /// The number of lanes.
    Lanes,
    /// Something that is only compared, by a number.
    Opaque(u32),
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Its kind.
    pub(crate) kind: Kind,
    /// Its members.
    pub(crate) fields: Vec<Field>,
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Its type.
    pub(crate) ty: Type,
    /// Whose value it has.
    pub(crate) class: usize,
    /// What it is, once asked for.
    pub(crate) shape: Option<Shape>,
    /// Whether its shape was learnt by asking, rather than made.
    pub(crate) is_learnt: bool,
    /// Kinds that it is not, as bits.
    pub(crate) not: u128,
    /// Whether a test said that it is a literal.
    pub(crate) is_literal: bool,
    /// The intrinsic that it calls, and intrinsics that it does not.
    pub(crate) intrinsic: Option<String>,
    pub(crate) not_intrinsics: Vec<String>,
}

impl Node {
    /// Whether it stands for a computation without a value: each is another one.
    pub(crate) fn is_undefined(&self) -> bool {
        self.intrinsic.as_deref().is_some_and(|name| {
            ["signed_integer_overflow", "indeterminate_expression"].contains(&name)
        })
    }
}

/// The value of a class in the lane that is looked at.
pub(crate) fn class_value(values: &mut Values, class: usize, ty: Type) -> ValueId {
    values.var(&format!("v{class}"), ty.domain())
}

/// The class that a variable stands for.
pub(crate) fn class_of(name: &str) -> Option<usize> {
    name.strip_prefix('v')?.parse().ok()
}
