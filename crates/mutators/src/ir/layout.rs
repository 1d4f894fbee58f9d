//! The members of nodes in the order of `make`, as each compiler has them.

use crate::ir::kinds::{I32, Kind, Role, Type};

/// The signature of a `make`.
pub(crate) struct Layout {
    /// The kind of node that it makes.
    pub(crate) kind: Kind,
    /// Its parameters, by the names of members; `type` is the node's own type. Trailing parameters
    /// may be left out.
    pub(crate) members: &'static [&'static str],
    /// The profiles whose compilers have it; empty for all of them.
    profiles: &'static [&'static str],
}

const fn layout(
    kind: Kind,
    members: &'static [&'static str],
    profiles: &'static [&'static str],
) -> Layout {
    Layout { kind, members, profiles }
}

const TVM: &[&str] = &["heterocl"];
const FIRST: &[&str] = &["halide-hls"];
const LATER: &[&str] = &["halide-to-hardware", "halide"];
const HALIDE: &[&str] = &["halide-hls", "halide-to-hardware", "halide"];
const OLDER: &[&str] = &["halide-hls", "halide-to-hardware"];
const BEFORE: &[&str] = &["heterocl", "halide-hls", "halide-to-hardware"];
/// The compiler whose loops have a last number (`max`) in the place of a number of iterations.
const LATEST: &[&str] = &["halide"];
const ALL: &[&str] = &[];

/// Every `make` of nodes with names, statements or lists inside.
pub(crate) const LAYOUTS: &[Layout] = &[
    layout(Kind::Store, &["name", "value", "index", "predicate"], TVM),
    layout(Kind::Store, &["name", "value", "index", "param", "predicate"], FIRST),
    layout(Kind::Store, &["name", "value", "index", "param", "predicate", "alignment"], LATER),
    layout(Kind::Load, &["type", "name", "index", "predicate"], TVM),
    layout(Kind::Load, &["type", "name", "index", "image", "param", "predicate"], FIRST),
    layout(
        Kind::Load,
        &["type", "name", "index", "image", "param", "predicate", "alignment"],
        LATER,
    ),
    layout(Kind::Let, &["name", "value", "body"], ALL),
    layout(Kind::LetStmt, &["name", "value", "body"], ALL),
    layout(Kind::IfThenElse, &["condition", "then_case", "else_case"], ALL),
    layout(Kind::Block, &["first", "rest"], ALL),
    layout(Kind::For, &["name", "min", "extent", "for_type", "device_api", "body"], OLDER),
    layout(
        Kind::For,
        &["name", "min", "extent", "for_type", "partition_policy", "device_api", "body"],
        LATEST,
    ),
    layout(
        Kind::For,
        &[
            "name",
            "min",
            "extent",
            "for_type",
            "device_api",
            "body",
            "annotate_keys",
            "annotate_values",
        ],
        TVM,
    ),
    layout(Kind::AssertStmt, &["condition", "message"], HALIDE),
    layout(Kind::AssertStmt, &["condition", "message", "body"], TVM),
    layout(Kind::Evaluate, &["value"], ALL),
    layout(
        Kind::Allocate,
        &[
            "name",
            "type",
            "memory_type",
            "extents",
            "condition",
            "body",
            "new_expr",
            "free_function",
        ],
        LATER,
    ),
    layout(
        Kind::Allocate,
        &[
            "name",
            "type",
            "memory_type",
            "extents",
            "condition",
            "body",
            "new_expr",
            "free_function",
            "padding",
        ],
        LATEST,
    ),
    layout(
        Kind::Allocate,
        &["name", "type", "extents", "condition", "body", "new_expr", "free_function"],
        FIRST,
    ),
    layout(
        Kind::Allocate,
        &[
            "name",
            "type",
            "extents",
            "condition",
            "body",
            "attrs",
            "new_expr",
            "free_function",
            "init_values",
            "is_const",
        ],
        TVM,
    ),
    layout(Kind::Free, &["name"], ALL),
    layout(Kind::ProducerConsumer, &["name", "is_producer", "body"], ALL),
    layout(Kind::Provide, &["name", "values", "args"], BEFORE),
    layout(Kind::Provide, &["name", "values", "args", "predicate"], LATEST),
    layout(Kind::Realize, &["name", "types", "bounds", "condition", "body"], FIRST),
    layout(Kind::Realize, &["name", "types", "memory_type", "bounds", "condition", "body"], LATER),
    layout(Kind::Prefetch, &["name", "types", "bounds", "prefetch", "condition", "body"], LATER),
    layout(Kind::AttrStmt, &["node", "attr_key", "value", "body"], TVM),
    layout(Kind::While, &["condition", "body"], TVM),
    layout(Kind::Return, &["value"], TVM),
    layout(Kind::Partition, &["name", "dim", "factor", "partition_type"], TVM),
    layout(Kind::Acquire, &["semaphore", "count", "body"], LATER),
    layout(Kind::Fork, &["first", "rest"], LATER),
    layout(Kind::Atomic, &["producer_name", "mutex_name", "body"], LATER),
    layout(Kind::StreamingStore, &["producer_name", "body"], LATER),
    layout(Kind::StreamingLoads, &["names", "body"], LATER),
    layout(
        Kind::HoistedStorage,
        &["name", "type", "memory_type", "extents", "condition", "body"],
        LATER,
    ),
];

/// The parameters of `with`, which makes a node with other operands and keeps its other members
/// (`IR.h`).
const OPERANDS: &[(Kind, &[&str])] = &[
    (Kind::Let, &["value", "body"]),
    (Kind::LetStmt, &["value", "body"]),
    (Kind::AssertStmt, &["condition", "message"]),
    (Kind::ProducerConsumer, &["body"]),
    (Kind::Realize, &["bounds", "condition", "body"]),
    (Kind::Prefetch, &["bounds", "condition", "body"]),
    (Kind::Block, &["first", "rest"]),
    (Kind::Fork, &["first", "rest"]),
    (Kind::For, &["min", "extent", "body"]),
    (Kind::Store, &["value", "index", "predicate", "alignment"]),
    (Kind::Load, &["index", "predicate", "alignment"]),
    (Kind::Provide, &["values", "args", "predicate"]),
    (Kind::Allocate, &["extents", "condition", "body", "new_expr"]),
    (Kind::IfThenElse, &["condition", "then_case", "else_case"]),
    (Kind::Evaluate, &["value"]),
    (Kind::Acquire, &["semaphore", "count", "body"]),
    (Kind::Atomic, &["body"]),
    (Kind::HoistedStorage, &["body"]),
];

/// The parameters of `with` of a kind of node, by the names of members.
pub(crate) fn replaced(kind: Kind) -> Option<&'static [&'static str]> {
    OPERANDS.iter().find(|(known, _)| *known == kind).map(|(_, members)| *members)
}

/// The parameters of a `make` in one compiler; `None` if the kind has no layout. If the compiler
/// has no layout of the kind, another compiler's is taken.
pub(crate) fn parameters(kind: Kind, profile: &str) -> Option<&'static [&'static str]> {
    layouts(kind, profile).first().map(|layout| layout.members)
}

/// The layouts of a kind, those of one compiler first.
pub(crate) fn layouts(kind: Kind, profile: &str) -> Vec<&'static Layout> {
    let is_own = |layout: &Layout| layout.profiles.is_empty() || layout.profiles.contains(&profile);
    // A last number is no number of iterations.
    let is_like_own = |layout: &&Layout| {
        layout.kind == kind
            && (kind != Kind::For
                || is_own(layout)
                || !has_last(profile) && layout.profiles != LATEST)
    };
    let mut layouts: Vec<&Layout> = LAYOUTS.iter().filter(is_like_own).collect();
    layouts.sort_by_key(|layout| !is_own(layout));
    layouts
}

/// Tests whether loops of a compiler have a last number, `max`. It then takes the place of `extent`
/// in nodes.
pub(crate) fn has_last(profile: &str) -> bool {
    LATEST.contains(&profile)
}

/// Members that are only compared, with C++ that builds them.
const PLACEHOLDERS: [(&str, &str); 14] = [
    ("for_type", "ForType::Serial"),
    ("partition_policy", "Partition::Auto"),
    ("device_api", "DeviceAPI::None"),
    ("param", "Parameter()"),
    ("image", "Buffer<>()"),
    ("alignment", "ModulusRemainder()"),
    ("memory_type", "MemoryType::Auto"),
    ("type", "Int(32)"),
    ("free_function", "\"\""),
    ("attr_key", "\"\""),
    ("is_producer", "true"),
    ("is_const", "false"),
    ("new_expr", "Expr()"),
    ("padding", "0"),
];

/// The placeholder for a member that is only compared, in C++ that builds a node.
pub(crate) fn placeholder(member: &str) -> &'static str {
    let known = PLACEHOLDERS.iter().find(|(name, _)| *name == member);
    known.map_or("{}", |(_, text)| text)
}

/// A demand of `make` on the type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    Int32,
    Bool,
    Scalar,
    /// An `int32`, or a text.
    Message,
}

/// The demands that compilers assert in `IR.cpp`, beyond those that the roles of operands state. A
/// list of profiles that is empty stands for all.
const DEMANDS: [(Kind, &str, Demand, &[&str]); 10] = [
    (Kind::AssertStmt, "message", Demand::Int32, HALIDE),
    (Kind::AssertStmt, "message", Demand::Message, TVM),
    (Kind::For, "min", Demand::Int32, LATEST),
    (Kind::For, "extent", Demand::Int32, LATEST),
    (Kind::For, "min", Demand::Scalar, BEFORE),
    (Kind::For, "extent", Demand::Scalar, BEFORE),
    (Kind::IfThenElse, "condition", Demand::Scalar, LATEST),
    (Kind::Allocate, "condition", Demand::Bool, ALL),
    (Kind::Realize, "condition", Demand::Bool, ALL),
    (Kind::Prefetch, "condition", Demand::Bool, ALL),
];

/// The demands on the operands of a kind of node in one compiler, by the names of members.
pub(crate) fn demands(kind: Kind, profile: &str) -> impl Iterator<Item = (&'static str, Demand)> {
    let of_profile = move |profiles: &[&str]| profiles.is_empty() || profiles.contains(&profile);
    DEMANDS
        .iter()
        .filter(move |(known, _, _, profiles)| *known == kind && of_profile(profiles))
        .map(|(_, member, demand, _)| (*member, *demand))
}

/// Tests whether `make` of a kind of node refuses an empty list in a member, so that no input has
/// one: "Provide of no values" (`IR.cpp`).
pub(crate) fn has_elements(kind: Kind, member: &str) -> bool {
    kind == Kind::Provide && member == "values"
}

/// The member that a compiler's own name stands for.
pub(crate) fn canonical(name: &str) -> &str {
    if ["buffer_var", "loop_var", "var", "func"].contains(&name) { "name" } else { name }
}

/// The role of a member.
pub(crate) fn role(kind: Kind, member: &str) -> Option<Role> {
    kind.fields().iter().find(|(name, _)| *name == member).map(|(_, role)| *role)
}

/// The possible types of those operands whose type the node's own type leaves open. A node without
/// such operands gets one type, which does not matter.
pub(crate) fn operand_types(kind: Kind, ty: Type, profile: &str) -> Vec<Type> {
    if matches!(kind, Kind::Store | Kind::Evaluate) {
        vec![I32, I32.with_vector(true)]
    } else if kind.is_stmt() {
        vec![I32]
    } else if kind.has_free_operand() {
        let mut types = Type::SCALARS.to_vec();
        // Addresses are only compared, bound, and read as bits.
        let takes_addresses = matches!(kind, Kind::EQ | Kind::NE | Kind::Let | Kind::Reinterpret);
        types.retain(|ty| *ty != Type::HANDLE || takes_addresses);
        // The bits of a number are read as a number of another type.
        types.retain(|of| kind != Kind::Reinterpret || of.bits == ty.bits);
        types
    } else if kind == Kind::Load && LATEST.contains(&profile) {
        let narrow = if ty.element() == WIDE_INDEX { I32 } else { ty };
        vec![narrow, WIDE_INDEX]
    } else if kind == Kind::Select && ty.is_vector {
        let mut types = vec![Type::BOOL, Type::BOOL.with_vector(true)];
        types.retain(|of| of.is_vector || selects_vectors(profile));
        types
    } else {
        vec![ty]
    }
}

/// The type of indices where buffers may be large (`StorageFlattening.cpp`, 79).
const WIDE_INDEX: Type = Type { bits: 64, ..I32 };

/// The type of an index of one lane, in a node whose operands with an open type have this one.
pub(crate) fn index_type(kind: Kind, operand: Type, profile: &str) -> Type {
    let is_wide = kind == Kind::Load && operand.element() == WIDE_INDEX;
    if is_wide && LATEST.contains(&profile) { WIDE_INDEX } else { I32 }
}

/// Tests whether a `Select` of a compiler may choose between vectors by one truth value (`IR.cpp`).
pub(crate) fn selects_vectors(profile: &str) -> bool {
    !LATEST.contains(&profile)
}
