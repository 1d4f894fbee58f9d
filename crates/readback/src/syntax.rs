//! The syntax tree that the parser makes of C.

use halidom_base::FxHashSet;
use halidom_ir::Scalar;

/// A C type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    /// `void`
    Void,
    /// `int`, which is also the type of small operands after promotion.
    CInt,
    /// `size_t`
    Size,
    /// A fixed-width integer or float. `uint8_t` is `U8` and `int64_t` is `I64`: C has neither the
    /// IR's `bool` nor its `int`.
    Scalar(Scalar),
    /// A GNU vector.
    Vector(Scalar, u32),
    /// A struct.
    Struct(String),
    /// A pointer.
    Pointer {
        /// The type of the pointee.
        to: Box<Self>,
        /// True if the pointee is `const`.
        read_only: bool,
        /// True if the pointer is `restrict`.
        restrict: bool,
    },
}

/// An expression, and where it starts in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) at: usize,
    pub(crate) shape: Shape,
}

impl Node {
    /// Tests whether the expression is this name.
    pub(crate) fn is_name(&self, name: &str) -> bool {
        matches!(&self.shape, Shape::Name(found) if found == name)
    }
}

/// The shape of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Name(String),
    Number(String),
    Text(String),
    Unary(String, Box<Node>),
    Binary(String, Box<Node>, Box<Node>),
    Conditional(Box<Node>, Box<Node>, Box<Node>),
    Cast(Ty, Box<Node>),
    Call(String, Vec<Node>),
    Index(Box<Node>, Box<Node>),
    Arrow(Box<Node>, String),
    /// `(T[]){…}`
    Array(Ty, Vec<Node>),
    SizeOf(Ty),
}

/// A statement, and where it starts in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) at: usize,
    pub(crate) action: Action,
}

/// The effect of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Declare(Ty, String, Node),
    /// Memory that is freed where its name goes out of scope.
    DeclareOwning(String, Node),
    /// An array of zeros with its length and alignment.
    DeclareArray(Ty, String, Node, Node),
    DeclareStruct(String, String, Vec<Node>),
    Assign(Node, Node),
    Call(Node),
    Discard(String),
    If(Node, Vec<Line>, Option<Vec<Line>>),
    /// `for (int64_t var = from, end = var + extent; var != bound; var++)`, or the same without
    /// `end` and with `<`.
    For {
        var: String,
        from: Node,
        end: Option<(String, Node)>,
        bound: Node,
        body: Vec<Line>,
    },
    Block(Vec<Line>),
    Return(Node),
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) at: usize,
    pub(crate) is_static: bool,
    pub(crate) name: String,
    pub(crate) parameters: Vec<(Ty, String)>,
    pub(crate) body: Vec<Line>,
}

/// A file.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub(crate) directives: Vec<String>,
    /// Vector types and helper functions: names and texts, in order.
    pub(crate) helpers: Vec<(usize, String, String)>,
    pub(crate) structs: Vec<Struct>,
    pub(crate) functions: Vec<Function>,
    /// The names of what is called.
    pub(crate) called: FxHashSet<String>,
}

/// A struct.
#[derive(Clone, Debug)]
pub(crate) struct Struct {
    pub(crate) at: usize,
    pub(crate) name: String,
    pub(crate) fields: Vec<(Ty, String)>,
}
