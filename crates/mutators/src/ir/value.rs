//! Values of the C++ program.

use halidom_rewrites::rules::ValueId;

use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::node::NodeId;

/// A C++ integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Num {
    /// Its value.
    pub(crate) term: ValueId,
    /// The bits of its type.
    pub(crate) bits: u8,
    /// True if its type is signed.
    pub(crate) is_signed: bool,
    /// Its lower bound.
    pub(crate) low: i128,
    /// Its upper bound.
    pub(crate) high: i128,
    /// The operands of the `%` that computed it, if one did. It is 0 exactly if the Euclidean
    /// remainder is 0.
    pub(crate) remainder_of: Option<(ValueId, ValueId)>,
}

impl Num {
    /// The range of a C++ integer type.
    pub(crate) fn range(bits: u8, is_signed: bool) -> (i128, i128) {
        if is_signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A variable of a function activation, by position.
    Local(usize, usize),
    /// A member of the object.
    Member(String),
    /// A member of a structure that a variable holds.
    Part(Box<Place>, String),
    /// Bookkeeping of the compiler that no result is read from.
    Nowhere,
}

impl Val {
    /// A value that an `ExprInfo` reports, or that is computed from one.
    pub(crate) fn info() -> Self {
        Self::Handle("ExprInfo".to_owned())
    }

    /// Tests whether it comes from an `ExprInfo`.
    pub(crate) fn is_info(&self) -> bool {
        matches!(self, Self::Bound(..))
            || matches!(self, Self::Handle(of) if of.starts_with("ExprInfo"))
    }
}

impl Place {
    /// The variable or member that it is part of.
    pub(crate) fn root(&self) -> &Self {
        match self {
            Self::Part(base, _) => base.root(),
            Self::Local(..) | Self::Member(_) | Self::Nowhere => self,
        }
    }
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    /// Characters.
    Text(String),
    /// The digits of a number.
    Num(Num),
    /// A floating-point number, printed with this many significant digits.
    Real(ValueId, u32),
    /// The digits of the number whose bits are those in a floating-point number of 32 bits.
    Bits(ValueId),
    /// The name under which an operand was printed.
    Node(NodeId),
    /// The name of a variable, as it is in the IR, which need not be a name of C.
    Name(NodeId),
    /// The name of a variable in C.
    Printed(NodeId),
    /// A type of C.
    Type(Type),
    /// A statement that was printed.
    Stmt(NodeId),
    /// The place where an operand is computed for a variable.
    Eval(NodeId, NodeId),
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Val {
    /// No value.
    Void,
    /// A truth value.
    Bool(ValueId),
    /// An integer.
    Int(Num),
    /// A number that an analysis reported, and the fact that holds about it.
    Bound(Num, ValueId),
    /// A floating-point number.
    Real(ValueId),
    /// The bits of a floating-point number of 32 bits.
    Bits(ValueId),
    /// `Expr`, possibly undefined.
    Expr(Option<NodeId>),
    /// The result of `as<T>()`: the node if it has the kind, else null. `None` is null.
    Ptr(Option<(NodeId, Kind)>),
    /// A pointer to the number of a literal, as `as_const_int` returns, with the literal; `None` is
    /// null.
    NumPtr(Option<(NodeId, Box<Val>)>),
    /// An IR type.
    Type(Type),
    /// The code of an IR type.
    Code(Code),
    /// A text.
    Text(String),
    /// A text with unknown parts, or one that is being written.
    Rope(Vec<Piece>),
    /// The address of a variable.
    Address(Place),
    /// A reference to a variable.
    Reference(Place),
    /// A structure's members by name.
    Object(Vec<(String, Val)>),
    /// The arguments of a call.
    Arguments(NodeId),
    /// A member that is only compared, by its number.
    Opaque(u32),
    /// The elements of a vector.
    List(Vec<Val>),
    /// A map, a set or a scope: keys with values, the latest last.
    Map(Vec<(Val, Val)>),
    /// A lambda function, by its number, and the place where it was made: the number of function
    /// activations, and the number of variables of the last one.
    Lambda(usize, (usize, usize)),
    /// An object of the compiler that is only passed on, by a name for its origin.
    Handle(String),
    /// A value that is not known, as a condition may have assigned it.
    Unknown,
}

impl Val {
    /// Tests whether this value or a value within it passes a test.
    pub(crate) fn any(&self, test: &mut dyn FnMut(&Self) -> bool) -> bool {
        test(self)
            || match self {
                Self::Object(members) => members.iter().any(|(_, value)| value.any(test)),
                Self::List(values) => values.iter().any(|value| value.any(test)),
                Self::Map(entries) => {
                    entries.iter().any(|(key, value)| key.any(test) || value.any(test))
                }
                Self::NumPtr(value) => value.as_ref().is_some_and(|(_, value)| value.any(test)),
                Self::Void
                | Self::Bool(_)
                | Self::Int(_)
                | Self::Bound(..)
                | Self::Real(_)
                | Self::Bits(_)
                | Self::Expr(_)
                | Self::Ptr(_)
                | Self::Type(_)
                | Self::Code(_)
                | Self::Text(_)
                | Self::Rope(_)
                | Self::Address(_)
                | Self::Reference(_)
                | Self::Arguments(_)
                | Self::Opaque(_)
                | Self::Lambda(..)
                | Self::Handle(_)
                | Self::Unknown => false,
            }
    }
}

/// The elements of a list in braces.
pub(crate) fn members(value: &Val) -> Vec<Val> {
    match value {
        Val::List(values) => values.clone(),
        Val::Object(pair) => pair.iter().map(|(_, value)| value.clone()).collect(),
        _ => Vec::new(),
    }
}
