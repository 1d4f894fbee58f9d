//! The IR that mutators rewrite: types and kinds of nodes, as in the `Type.h` and `IR.h` of
//! Halide's family.

use std::fmt;

use halidom_rewrites::rules::Domain;

/// The kind of numbers that a type has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Code {
    /// Signed.
    Int,
    /// Unsigned; truth values if of one bit.
    UInt,
    /// Floating point.
    Float,
    /// Addresses of buffers.
    Handle,
    /// No numbers: the node is a statement.
    Stmt,
    /// No numbers: the node is a name.
    Name,
    /// No numbers: the node is a list of nodes.
    List,
}

/// A type. All vectors in a mutator's input have the same number of lanes, which is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Type {
    /// The kind of numbers.
    pub(crate) code: Code,
    /// Bits of a lane.
    pub(crate) bits: u8,
    /// True if it has lanes.
    pub(crate) is_vector: bool,
}

impl Type {
    /// Truth values.
    pub(crate) const BOOL: Self = Self { code: Code::UInt, bits: 1, is_vector: false };

    /// The scalar types at which mutators are examined.
    pub(crate) const SCALARS: [Self; 12] = {
        const fn of(code: Code, bits: u8) -> Type {
            Type { code, bits, is_vector: false }
        }
        [
            Self::BOOL,
            of(Code::UInt, 8),
            of(Code::Int, 8),
            of(Code::UInt, 16),
            of(Code::Int, 16),
            of(Code::UInt, 32),
            of(Code::Int, 32),
            of(Code::Int, 64),
            of(Code::Float, 32),
            of(Code::Float, 64),
            Self::HANDLE,
            of(Code::UInt, 64),
        ]
    };

    /// The pseudo-type of statements.
    pub(crate) const STMT: Self = Self { code: Code::Stmt, bits: 0, is_vector: false };

    /// The pseudo-type of names.
    pub(crate) const NAME: Self = Self { code: Code::Name, bits: 0, is_vector: false };

    /// The pseudo-type of lists.
    pub(crate) const LIST: Self = Self { code: Code::List, bits: 0, is_vector: false };

    /// The type of a buffer's variable.
    pub(crate) const HANDLE: Self = Self { code: Code::Handle, bits: 64, is_vector: false };

    /// Tests whether operands of the type are not tried within operands, as operands of another
    /// type behave alike: 16 bits like 8, unsigned 64 like 32, floats of 64 bits like those of 32,
    /// and addresses like numbers.
    pub(crate) fn is_like_another(self) -> bool {
        self.bits == 16 || self.bits == 64 && self.code != Code::Int
    }

    /// Tests whether expressions can have the type.
    pub(crate) fn is_value(self) -> bool {
        !matches!(self.code, Code::Stmt | Code::Name | Code::List)
    }

    /// The type of a lane.
    pub(crate) fn element(self) -> Self {
        Self { is_vector: false, ..self }
    }

    /// The type with or without lanes.
    pub(crate) fn with_vector(self, is_vector: bool) -> Self {
        Self { is_vector, ..self }
    }

    /// Tests whether the lanes are truth values.
    pub(crate) fn is_bool(self) -> bool {
        self.code == Code::UInt && self.bits == 1
    }

    /// The numbers of a lane. Overflow is excluded for signed integers of at least 32 bits.
    pub(crate) fn domain(self) -> Domain {
        match (self.code, self.bits) {
            (Code::UInt, 1) => Domain::Bool,
            (Code::UInt, bits) => Domain::Unsigned(bits),
            (Code::Int, bits) if bits < 32 => Domain::Signed(bits),
            (Code::Float, _) => Domain::Real,
            (Code::Int | Code::Handle | Code::Stmt | Code::Name | Code::List, _) => Domain::Whole,
        }
    }

    /// The least and the greatest number of an integer type.
    pub(crate) fn range(self) -> Option<(i128, i128)> {
        match self.code {
            Code::Int => Some((-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1)),
            Code::UInt => Some((0, (1 << self.bits) - 1)),
            Code::Float | Code::Handle | Code::Stmt | Code::Name | Code::List => None,
        }
    }

    /// The range of an integer type whose numbers fit a signed integer of 64 bits. Analyses report
    /// nothing about other types.
    pub(crate) fn reported_range(self) -> Option<(i128, i128)> {
        self.range().filter(|(_, greatest)| *greatest <= i128::from(i64::MAX))
    }

    /// An integer in the machine's representation of the type.
    pub(crate) fn wrap(self, value: i128) -> i128 {
        match self.code {
            Code::Int => Domain::Signed(self.bits).wrap(value),
            Code::UInt if self.bits == 1 => value & 1,
            Code::UInt => Domain::Unsigned(self.bits).wrap(value),
            Code::Float | Code::Handle | Code::Stmt | Code::Name | Code::List => value,
        }
    }

    /// C++ that builds the type.
    pub(crate) fn snippet(self) -> String {
        let lanes = if self.is_vector { ", lanes" } else { "" };
        match self.code {
            Code::Int => format!("Int({}{lanes})", self.bits),
            Code::UInt => format!("UInt({}{lanes})", self.bits),
            Code::Float => format!("Float({}{lanes})", self.bits),
            Code::Handle | Code::Stmt | Code::Name | Code::List => "Handle()".to_owned(),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lanes = if self.is_vector { "xN" } else { "" };
        match self.code {
            Code::UInt if self.bits == 1 => write!(f, "bool{lanes}"),
            Code::UInt => write!(f, "uint{}{lanes}", self.bits),
            Code::Int => write!(f, "int{}{lanes}", self.bits),
            Code::Float => write!(f, "float{}{lanes}", self.bits),
            Code::Handle => f.write_str("handle"),
            Code::Stmt => f.write_str("statement"),
            Code::Name => f.write_str("name"),
            Code::List => f.write_str("list"),
        }
    }
}

/// The role of a node's member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// An expression of the node's type.
    Same,
    /// An expression of a type that all operands of the node share.
    Operand,
    /// An expression of any type with the node's lanes.
    Any,
    /// A truth value, with one lane or the node's lanes.
    Condition,
    /// An expression of the type of the node's lane.
    Element,
    /// A vector of that type.
    Vector,
    /// The number of lanes.
    Lanes,
    /// The literal's number.
    Payload,
    /// A member that is only compared.
    Opaque,
    /// The name of a variable, loop or buffer.
    Name,
    /// A truth value of one lane.
    Truth,
    /// A signed integer of 32 bits.
    Int,
    /// An index with as many lanes as the loaded or stored value.
    Index,
    /// A truth value with as many lanes as the loaded or stored value.
    Predicate,
    /// A statement.
    Stmt,
    /// A statement that may be undefined.
    OptionalStmt,
    /// An expression that may be undefined.
    OptionalExpr,
    /// A list of expressions.
    Exprs,
    /// A list of statements.
    Stmts,
}

/// The types that a node can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Typing {
    /// Any type.
    All,
    /// Numbers.
    Numeric,
    /// Truth values.
    Bool,
    /// Vectors.
    Vector,
    /// Vectors of numbers.
    NumericVector,
    /// Scalars of a code: signed, unsigned or floating-point.
    Literal(Code),
    /// Only the pseudo-type with this code.
    Only(Code),
}

macro_rules! kinds {
    ($($kind:ident: $typing:expr, [$($field:literal $role:ident),*];)*) => {
        /// A kind of node.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) enum Kind { $(#[doc = stringify!($kind)] $kind,)* }

        impl Kind {
            /// Every kind.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// Its name in C++.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$kind => stringify!($kind),)* }
            }

            /// The types that it can have.
            pub(crate) fn typing(self) -> Typing {
                match self { $(Self::$kind => $typing,)* }
            }

            /// Its members in the order of `make`.
            pub(crate) fn fields(self) -> &'static [(&'static str, Role)] {
                match self { $(Self::$kind => &[$(($field, Role::$role),)*],)* }
            }
        }
    };
}

kinds! {
    IntImm: Typing::Literal(Code::Int), ["value" Payload];
    UIntImm: Typing::Literal(Code::UInt), ["value" Payload];
    FloatImm: Typing::Literal(Code::Float), ["value" Payload];
    Variable: Typing::All, ["name" Name];
    Cast: Typing::All, ["value" Any];
    Add: Typing::Numeric, ["a" Same, "b" Same];
    Sub: Typing::Numeric, ["a" Same, "b" Same];
    Mul: Typing::Numeric, ["a" Same, "b" Same];
    Div: Typing::Numeric, ["a" Same, "b" Same];
    Mod: Typing::Numeric, ["a" Same, "b" Same];
    Min: Typing::Numeric, ["a" Same, "b" Same];
    Max: Typing::Numeric, ["a" Same, "b" Same];
    EQ: Typing::Bool, ["a" Operand, "b" Operand];
    NE: Typing::Bool, ["a" Operand, "b" Operand];
    LT: Typing::Bool, ["a" Operand, "b" Operand];
    LE: Typing::Bool, ["a" Operand, "b" Operand];
    GT: Typing::Bool, ["a" Operand, "b" Operand];
    GE: Typing::Bool, ["a" Operand, "b" Operand];
    And: Typing::Bool, ["a" Same, "b" Same];
    Or: Typing::Bool, ["a" Same, "b" Same];
    Not: Typing::Bool, ["a" Same];
    Select: Typing::All, ["condition" Condition, "true_value" Same, "false_value" Same];
    Ramp: Typing::NumericVector, ["base" Element, "stride" Element, "lanes" Lanes];
    Broadcast: Typing::Vector, ["value" Element, "lanes" Lanes];
    Load: Typing::All, [
        "name" Name, "predicate" Predicate, "index" Index, "image" Opaque, "param" Opaque,
        "alignment" Opaque
    ];
    Call: Typing::All, [];
    Let: Typing::All, ["name" Name, "value" Any, "body" Same];
    Shuffle: Typing::All, [];
    Reduce: Typing::All, [];
    Reinterpret: Typing::All, ["value" Any];
    VectorReduce: Typing::All, ["op" Opaque, "value" Vector, "lanes" Lanes];
    GetBit: Typing::All, ["a" Same, "index" Int];
    GetSlice: Typing::All, ["a" Same, "index_left" Int, "index_right" Int];
    SetBit: Typing::All, ["a" Same, "value" Same, "index" Int];
    SetSlice: Typing::All, ["a" Same, "value" Same, "index_left" Int, "index_right" Int];
    Quantize: Typing::All, ["body" Same, "bitwidth" Int];
    StreamExpr: Typing::All, ["name" Name];
    KernelExpr: Typing::All, ["name" Name, "args" Exprs];
    StringImm: Typing::All, [];
    Undefined: Typing::Only(Code::Stmt), [];
    Name: Typing::Only(Code::Name), ["text" Opaque];
    List: Typing::Only(Code::List), [];
    IfThenElse: Typing::Only(Code::Stmt), [
        "condition" Truth, "then_case" Stmt, "else_case" OptionalStmt
    ];
    Block: Typing::Only(Code::Stmt), ["first" Stmt, "rest" Stmt];
    For: Typing::Only(Code::Stmt), [
        "name" Name, "min" Int, "extent" Int, "for_type" Opaque, "partition_policy" Opaque,
        "device_api" Opaque, "body" Stmt, "annotate_keys" Exprs, "annotate_values" Exprs
    ];
    LetStmt: Typing::Only(Code::Stmt), ["name" Name, "value" Int, "body" Stmt];
    AssertStmt: Typing::Only(Code::Stmt), ["condition" Truth, "message" Int, "body" OptionalStmt];
    Evaluate: Typing::Only(Code::Stmt), ["value" Operand];
    Store: Typing::Only(Code::Stmt), [
        "name" Name, "predicate" Predicate, "value" Any, "index" Index, "param" Opaque,
        "alignment" Opaque
    ];
    Allocate: Typing::Only(Code::Stmt), [
        "name" Name, "type" Opaque, "memory_type" Opaque, "extents" Exprs, "condition" Truth,
        "body" Stmt, "new_expr" OptionalExpr, "free_function" Opaque, "attrs" Stmts,
        "init_values" Exprs, "is_const" Opaque, "padding" Opaque
    ];
    Free: Typing::Only(Code::Stmt), ["name" Name];
    ProducerConsumer: Typing::Only(Code::Stmt), ["name" Name, "is_producer" Opaque, "body" Stmt];
    Provide: Typing::Only(Code::Stmt), [
        "name" Name, "values" Exprs, "args" Exprs, "predicate" Truth
    ];
    Realize: Typing::Only(Code::Stmt), [
        "name" Name, "types" Opaque, "memory_type" Opaque, "bounds" Opaque, "condition" Truth,
        "body" Stmt
    ];
    Prefetch: Typing::Only(Code::Stmt), [
        "name" Name, "types" Opaque, "bounds" Opaque, "prefetch" Opaque, "condition" Truth,
        "body" Stmt
    ];
    AttrStmt: Typing::Only(Code::Stmt), [
        "node" Opaque, "attr_key" Opaque, "value" Int, "body" Stmt
    ];
    Acquire: Typing::Only(Code::Stmt), ["semaphore" Int, "count" Int, "body" Stmt];
    Atomic: Typing::Only(Code::Stmt), ["producer_name" Opaque, "mutex_name" Opaque, "body" Stmt];
    StreamingStore: Typing::Only(Code::Stmt), ["producer_name" Opaque, "body" Stmt];
    StreamingLoads: Typing::Only(Code::Stmt), ["names" Opaque, "body" Stmt];
    HoistedStorage: Typing::Only(Code::Stmt), [
        "name" Name, "type" Opaque, "memory_type" Opaque, "extents" Exprs, "condition" Truth,
        "body" Stmt
    ];
    Fork: Typing::Only(Code::Stmt), ["first" Stmt, "rest" Stmt];
    KernelStmt: Typing::Only(Code::Stmt), ["name" Name, "args" Exprs];
    StreamStmt: Typing::Only(Code::Stmt), ["name" Name, "index" Int, "value" Int, "axis" Int];
    ExternModule: Typing::Only(Code::Stmt), ["attr_key" Opaque, "value" Int, "body" Stmt];
    While: Typing::Only(Code::Stmt), ["condition" Truth, "body" Stmt];
    Return: Typing::Only(Code::Stmt), ["value" Int];
    Break: Typing::Only(Code::Stmt), ["text" Opaque];
    Print: Typing::Only(Code::Stmt), ["values" Exprs, "format" Opaque];
    Partition: Typing::Only(Code::Stmt), [
        "name" Name, "dim" Opaque, "factor" Opaque, "partition_type" Opaque
    ];
}

impl Kind {
    /// The kind with a given name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let name = name.rsplit("::").next().unwrap_or(name);
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Tests whether a node of this kind can have a type.
    pub(crate) fn admits(self, ty: Type) -> bool {
        match self.typing() {
            _ if self == Self::StringImm => ty == Type::HANDLE,
            Typing::Only(code) => ty.code == code,
            _ if !ty.is_value() => false,
            // A vector is reduced to one lane.
            _ if self == Self::VectorReduce => !ty.is_vector && ty.code != Code::Handle,
            _ if ty.code == Code::Handle => {
                matches!(self, Self::Variable | Self::Load | Self::Call | Self::Let)
                    || matches!(self, Self::Select | Self::Reinterpret)
            }
            Typing::All => true,
            Typing::Numeric => !ty.is_bool(),
            Typing::Bool => ty.is_bool(),
            Typing::Vector => ty.is_vector,
            Typing::NumericVector => ty.is_vector && !ty.is_bool(),
            Typing::Literal(code) => ty.code == code && !ty.is_vector,
        }
    }

    /// Tests whether it is a statement.
    pub(crate) fn is_stmt(self) -> bool {
        self.typing() == Typing::Only(Code::Stmt)
    }

    /// Tests whether the node's type leaves the type of some operands open.
    pub(crate) fn has_free_operand(self) -> bool {
        self.fields().iter().any(|(_, role)| matches!(role, Role::Operand | Role::Any))
    }
}

/// `int32_t` of the IR.
pub(crate) const I32: Type = Type { code: Code::Int, bits: 32, is_vector: false };

/// A kind as a bit.
pub(crate) fn bit(kind: Kind) -> u128 {
    1 << (kind as u32)
}
