//! The language of contracts: terms over a function's arguments and its result.
//!
//! `contracts/README.md` of the crate gives the meaning of each word.

use crate::ir::kinds::{Code, Kind};

/// The thing that a function of an emitter prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Print {
    /// An operand. Returns its name, and appends it to the stream if one is given.
    Expr,
    /// A type.
    Type,
    /// The name of a variable.
    Name,
    /// A declaration of a variable of the type, with the value of the text.
    Assignment,
    /// A number.
    Number,
    /// An operand in the place of its text. Returns its text, or appends it to the stream if one is
    /// given.
    Inline,
    /// A statement.
    Stmt,
    /// An opening brace.
    Open,
    /// A closing brace.
    Close,
    /// Blanks.
    Nothing,
}

impl Print {
    /// The things by their names.
    pub(crate) const NAMES: &'static [(&'static str, Self)] = &[
        ("expr", Self::Expr),
        ("type", Self::Type),
        ("name", Self::Name),
        ("assignment", Self::Assignment),
        ("number", Self::Number),
        ("inline", Self::Inline),
        ("stmt", Self::Stmt),
        ("open", Self::Open),
        ("close", Self::Close),
        ("nothing", Self::Nothing),
    ];
}

/// The sort of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A defined expression or statement.
    Expr,
    /// An undefined expression or statement.
    Null,
    /// A pointer to a node. It is null where the node has another kind.
    Ptr,
    /// A pointer to a node that is known to have the pointer's kind.
    Known,
    /// An expression, or a pointer to a node, that is known to have the kind that the call's
    /// template argument names.
    Named,
    /// A C++ integer.
    Int,
    /// A C++ integer, converted to `int`.
    Int32,
    /// A C++ integer, converted to `int64_t`.
    Int64,
    /// A C++ integer, converted to the type that the call's template argument names, if there is
    /// one.
    Template,
    /// A C++ floating-point number.
    Real,
    /// A C++ truth value.
    Bool,
    /// A number that an analysis reported.
    Report,
    /// A type of the IR.
    Type,
    /// The address of a variable.
    Place,
    /// A member that is only compared.
    Opaque,
    /// An object or a text about which nothing is known.
    Object,
    /// A list of defined expressions or statements.
    List,
    /// Anything.
    Any,
}

impl Sort {
    /// The sorts by their names.
    pub(crate) const NAMES: &'static [(&'static str, Self)] = &[
        ("Expr", Self::Expr),
        ("Null", Self::Null),
        ("Ptr", Self::Ptr),
        ("Known", Self::Known),
        ("Named", Self::Named),
        ("Int", Self::Int),
        ("Int32", Self::Int32),
        ("Int64", Self::Int64),
        ("T", Self::Template),
        ("Real", Self::Real),
        ("Bool", Self::Bool),
        ("Report", Self::Report),
        ("Type", Self::Type),
        ("Place", Self::Place),
        ("Opaque", Self::Opaque),
        ("Object", Self::Object),
        ("List", Self::List),
        ("Any", Self::Any),
    ];
}

/// An operator: it computes one value, and changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `and`
    And,
    /// `or`
    Or,
    /// `not`
    Not,
    /// `if`
    If,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `div`
    Div,
    /// `mod`
    Mod,
    /// `min`
    Min,
    /// `max`
    Max,
    /// `abs`
    Abs,
    /// `power`
    Power,
    /// `type`
    Type,
    /// `code`
    Code,
    /// `bits`
    Bits,
    /// `vector`
    Vector,
    /// `integer`
    Integer,
    /// `least`
    Least,
    /// `greatest`
    Greatest,
    /// `slices`
    Slices,
    /// `represents`
    Represents,
}

impl Op {
    /// The operators by their names, with the least and the greatest number of operands.
    pub(crate) const NAMES: &'static [(&'static str, Self, usize, usize)] = &[
        ("=", Self::Eq, 2, 2),
        ("!=", Self::Ne, 2, 2),
        ("<", Self::Lt, 2, 2),
        ("<=", Self::Le, 2, 2),
        (">", Self::Gt, 2, 2),
        (">=", Self::Ge, 2, 2),
        ("and", Self::And, 2, 2),
        ("or", Self::Or, 2, 2),
        ("not", Self::Not, 1, 1),
        ("if", Self::If, 3, 3),
        ("+", Self::Add, 2, 2),
        ("-", Self::Sub, 2, 2),
        ("*", Self::Mul, 2, 2),
        ("div", Self::Div, 2, 2),
        ("mod", Self::Mod, 2, 2),
        ("min", Self::Min, 2, 2),
        ("max", Self::Max, 2, 2),
        ("abs", Self::Abs, 1, 1),
        ("power", Self::Power, 2, 2),
        ("type", Self::Type, 1, 3),
        ("code", Self::Code, 1, 1),
        ("bits", Self::Bits, 1, 1),
        ("vector", Self::Vector, 1, 1),
        ("integer", Self::Integer, 1, 1),
        ("least", Self::Least, 1, 1),
        ("greatest", Self::Greatest, 1, 1),
        ("slices", Self::Slices, 1, 1),
        ("represents", Self::Represents, 2, 2),
    ];
}

/// A primitive: it makes or inspects IR, and may fork the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Primitive {
    /// `(constant CODE e)`
    Constant,
    /// `(same a b)`
    Same,
    /// `(cast t x)`
    Cast,
    /// `(represented t k)`
    Represented,
    /// `(reshaped e)`
    Reshaped,
    /// `(node KIND x …)`
    Node,
    /// `(call "NAME" t x …)`
    Call,
    /// `(lane e i)`
    Lane,
    /// `(mutate e)`, `(mutate e report)`
    Mutate,
    /// `(substitute x y e)`
    Substitute,
    /// `(fresh-name)`
    FreshName,
    /// `(libm "NAME" x …)`
    Libm,
    /// `(alignment e)`
    Alignment,
    /// `(scope e TRUTH)`
    Scope,
    /// `(either a b)`
    Either,
    /// `(unknown-of t)`
    UnknownOf,
    /// `(another e)`
    Another,
    /// `(perhaps place)`
    Perhaps,
    /// `(sequence list)`
    Sequence,
    /// `(some-number bits)`
    SomeNumber,
    /// `(fixed e)`
    Fixed,
}

impl Primitive {
    /// The primitives by their names, with the least and the greatest number of operands.
    pub(crate) const NAMES: &'static [(&'static str, Self, usize, usize)] = &[
        ("constant", Self::Constant, 2, 2),
        ("same", Self::Same, 2, 2),
        ("cast", Self::Cast, 2, 2),
        ("represented", Self::Represented, 2, 2),
        ("reshaped", Self::Reshaped, 1, 1),
        ("node", Self::Node, 2, 4),
        ("call", Self::Call, 2, 3),
        ("lane", Self::Lane, 2, 2),
        ("mutate", Self::Mutate, 1, 2),
        ("substitute", Self::Substitute, 3, 3),
        ("fresh-name", Self::FreshName, 0, 0),
        ("libm", Self::Libm, 2, 3),
        ("alignment", Self::Alignment, 1, 2),
        ("scope", Self::Scope, 2, 2),
        ("either", Self::Either, 2, 2),
        ("unknown-of", Self::UnknownOf, 1, 1),
        ("another", Self::Another, 1, 1),
        ("perhaps", Self::Perhaps, 1, 1),
        ("sequence", Self::Sequence, 1, 1),
        ("some-number", Self::SomeNumber, 1, 1),
        ("fixed", Self::Fixed, 1, 1),
    ];
}

/// A fact that a function tells by its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fact {
    /// `(holds e)`
    Holds,
    /// `(no-op s)`
    NoOp,
    /// `(no-call e)`
    NoCall,
    /// `(steady e)`
    Steady,
    /// `(undef e)`
    Undef,
    /// `(within e least greatest)`
    Within,
}

impl Fact {
    /// The facts by their names, with the number of operands.
    pub(crate) const NAMES: &'static [(&'static str, Self, usize)] = &[
        ("holds", Self::Holds, 1),
        ("no-op", Self::NoOp, 1),
        ("no-call", Self::NoCall, 1),
        ("steady", Self::Steady, 1),
        ("undef", Self::Undef, 1),
        ("within", Self::Within, 3),
    ];
}

/// A word that stands for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Word {
    /// `true` and `false`.
    Truth(bool),
    /// The undefined expression.
    Null,
    /// No value.
    Void,
    /// An unknown report.
    Report,
    /// An unknown truth value.
    Any,
    /// An object or a text about which nothing is known.
    Unknown,
    /// A truth value: true if the IR is not wholly known.
    Symbolic,
    /// The code of a type.
    Code(Code),
    /// A kind of nodes.
    Kind(Kind),
}

impl Word {
    /// The words by their names; the kinds of nodes are words too.
    pub(crate) const NAMES: &'static [(&'static str, Self)] = &[
        ("true", Self::Truth(true)),
        ("false", Self::Truth(false)),
        ("null", Self::Null),
        ("void", Self::Void),
        ("report", Self::Report),
        ("any", Self::Any),
        ("unknown", Self::Unknown),
        ("symbolic", Self::Symbolic),
        ("Int", Self::Code(Code::Int)),
        ("UInt", Self::Code(Code::UInt)),
        ("Float", Self::Code(Code::Float)),
        ("Handle", Self::Code(Code::Handle)),
    ];
}

/// A term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Term {
    /// An integer.
    Number(i128),
    /// A text.
    Text(&'static str),
    /// A word.
    Word(Word),
    /// A parameter, or a name that a form around it binds.
    Name(&'static str),
    /// An operator with its operands.
    Apply(Op, Vec<Term>),
    /// A primitive with its operands.
    Run(Primitive, Vec<Term>),
    /// `(literal (x e) test)`, `(literal (x e) test (ramp fact))`
    Literal {
        /// The name of the literal's number.
        name: &'static str,
        /// The expression.
        of: Box<Term>,
        /// The test, over the number.
        test: Box<Term>,
        /// The fact about each lane of a ramp whose base and stride both pass, if no lane
        /// overflows; `None` if ramps are not looked through.
        ramp: Option<Box<Term>>,
    },
    /// `(some (k from to) test (set place value))`
    Some {
        /// The name of the integer.
        name: &'static str,
        /// The first and the last integer that are tried.
        range: (i128, i128),
        /// The test.
        test: Box<Term>,
        /// The variable that is set if the test holds, and its value.
        set: (Box<Term>, Box<Term>),
    },
    /// `(match (a b) body)`
    Match {
        /// The names of the two expressions.
        names: [&'static str; 2],
        /// The term in which they have one type.
        body: Box<Term>,
    },
    /// `(object (name value) …)`
    Object(Vec<(&'static str, Term)>),
}

impl Term {
    /// Tests whether operators alone compute the term.
    pub(crate) fn is_pure(&self) -> bool {
        match self {
            Self::Number(_) | Self::Text(_) | Self::Name(_) => true,
            Self::Word(word) => *word != Word::Any,
            Self::Apply(_, operands) => operands.iter().all(Self::is_pure),
            Self::Run(..)
            | Self::Literal { .. }
            | Self::Some { .. }
            | Self::Match { .. }
            | Self::Object(_) => false,
        }
    }
}

impl Term {
    /// Tests whether the value is a truth value.
    fn is_answer(&self) -> bool {
        match self {
            Self::Literal { .. } | Self::Some { .. } => true,
            Self::Word(word) => matches!(word, Word::Truth(_) | Word::Any | Word::Symbolic),
            Self::Apply(op, _) => matches!(
                op,
                Op::Eq
                    | Op::Ne
                    | Op::Lt
                    | Op::Le
                    | Op::Gt
                    | Op::Ge
                    | Op::And
                    | Op::Or
                    | Op::Not
                    | Op::Represents
            ),
            Self::Run(primitive, _) => {
                matches!(primitive, Primitive::Same | Primitive::Perhaps | Primitive::Fixed)
            }
            Self::Number(_) | Self::Text(_) | Self::Name(_) | Self::Match { .. } => false,
            Self::Object(_) => false,
        }
    }

    /// Tests whether the term sets a variable or changes what `mutate` assumes.
    fn has_effect(&self) -> bool {
        match self {
            Self::Some { .. } => true,
            Self::Run(primitive, operands) => {
                matches!(primitive, Primitive::Scope | Primitive::FreshName | Primitive::Perhaps)
                    || *primitive == Primitive::Mutate && operands.len() > 1
            }
            _ => false,
        }
    }
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// Its name.
    pub(crate) name: &'static str,
    /// The sorts of arguments that it takes.
    pub(crate) sorts: Vec<Sort>,
    /// The argument if the call gives none.
    pub(crate) default: Option<i128>,
}

/// The guarantee of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Guarantee {
    /// `(= result term)`
    Result(Term),
    /// `(=> result fact)` or `(=> (not result) fact)`
    Tells {
        /// The answer that tells the fact.
        answer: bool,
        /// The fact.
        fact: Fact,
        /// Its operands.
        operands: Vec<Term>,
    },
    /// `(prints thing)`
    Prints(Print),
}

impl Guarantee {
    /// Tests whether the result is a truth value.
    pub(crate) fn is_answer(&self) -> bool {
        match self {
            Self::Tells { .. } => true,
            Self::Result(term) => term.is_answer(),
            Self::Prints(_) => false,
        }
    }

    /// Tests whether the function does more than to return its result.
    pub(crate) fn has_effect(&self) -> bool {
        match self {
            Self::Tells { fact, .. } => *fact == Fact::Within,
            Self::Result(term) => term.has_effect(),
            Self::Prints(_) => true,
        }
    }
}

/// A condition without which a call is a defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Requirement {
    /// The condition.
    pub(crate) condition: Term,
    /// The description of the defect.
    pub(crate) defect: &'static str,
}

/// A function of the API. Functions of one name take different arguments.
#[derive(Clone, Debug)]
pub struct Contract {
    /// Its name.
    pub name: &'static str,
    /// Its parameters with their sorts.
    pub parameters: String,
    /// The conditions that it requires; a call that violates one is a defect.
    pub requires: Vec<String>,
    /// The guarantee.
    pub ensures: String,
    /// The source that documents it.
    pub source: &'static str,
    /// The parameters.
    pub(crate) takes: Vec<Parameter>,
    /// True if further arguments do not matter.
    pub(crate) is_open: bool,
    /// The profiles of the compilers that have this function; empty for all of them.
    pub(crate) profiles: Vec<&'static str>,
    /// The condition under which the contract applies.
    pub(crate) when: Option<Term>,
    /// The conditions that it requires.
    pub(crate) requirements: Vec<Requirement>,
    /// The guarantee.
    pub(crate) guarantee: Guarantee,
    /// True if the result is a report where an argument is one.
    pub(crate) lifts_reports: bool,
    /// True if it replaces a body in the given files.
    pub(crate) replaces_body: bool,
    /// The classes of mutators of the pass that it runs.
    pub(crate) runs: Vec<&'static str>,
}

impl Contract {
    /// Tests whether a compiler has this function.
    pub(crate) fn is_of(&self, profile: &str) -> bool {
        self.profiles.is_empty() || self.profiles.contains(&profile)
    }
}
