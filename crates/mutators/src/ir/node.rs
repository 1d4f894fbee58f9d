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
    /// A member that is only compared, by a number.
    Opaque(u32),
}

/// The kind of a node, with its members.
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
    /// The class, which decides the node's value.
    pub(crate) class: usize,
    /// Its shape, once asked for.
    pub(crate) shape: Option<Shape>,
    /// True if its shape was learnt by asking, rather than made.
    pub(crate) is_learnt: bool,
    /// Kinds that it does not have, as bits.
    pub(crate) not: u128,
    /// True if a test found it to be a literal.
    pub(crate) is_literal: bool,
    /// The intrinsic that it calls, and the intrinsics that it does not call.
    pub(crate) intrinsic: Option<String>,
    pub(crate) not_intrinsics: Vec<String>,
}

impl Node {
    /// Tests whether it stands for a computation without a value. Two such nodes are never equal.
    pub(crate) fn is_undefined(&self) -> bool {
        self.intrinsic.as_deref().is_some_and(|name| {
            ["signed_integer_overflow", "indeterminate_expression"].contains(&name)
        })
    }
}

/// The value of a class in the examined lane.
pub(crate) fn class_value(values: &mut Values, class: usize, ty: Type) -> ValueId {
    values.var(&format!("v{class}"), ty.domain())
}

/// The class that a variable stands for.
pub(crate) fn class_of(name: &str) -> Option<usize> {
    name.strip_prefix('v')?.parse().ok()
}

/// The text of a name. Names of the input are letters; names that the mutator made are numbered.
pub(crate) fn name(id: u32) -> String {
    const NAMES: [&str; 12] = ["a", "b", "n", "m", "p", "q", "i", "j", "k", "l", "s", "t"];
    match NAMES.get(id as usize) {
        Some(name) => (*name).to_owned(),
        None if id >= 1 << 31 => format!("new{}", id & 0xff),
        None => format!("v{id}"),
    }
}
