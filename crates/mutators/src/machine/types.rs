//! C++ types by their names.

/// The member of a union that holds the union's declaration.
pub(crate) const UNION: &str = "union";

/// Integer types with their bits and whether they are signed.
const INTEGERS: [(&str, u8, bool); 29] = [
    ("int", 32, true),
    ("signed", 32, true),
    ("signed int", 32, true),
    ("int32_t", 32, true),
    ("int64_t", 64, true),
    ("intptr_t", 64, true),
    ("ptrdiff_t", 64, true),
    ("ssize_t", 64, true),
    ("long", 64, true),
    ("long int", 64, true),
    ("long long", 64, true),
    ("long long int", 64, true),
    ("uint64_t", 64, false),
    ("size_t", 64, false),
    ("unsigned long", 64, false),
    ("unsigned long long", 64, false),
    ("unsigned", 32, false),
    ("unsigned int", 32, false),
    ("uint32_t", 32, false),
    ("int16_t", 16, true),
    ("short", 16, true),
    ("short int", 16, true),
    ("uint16_t", 16, false),
    ("unsigned short", 16, false),
    ("unsigned short int", 16, false),
    ("int8_t", 8, true),
    ("signed char", 8, true),
    ("uint8_t", 8, false),
    ("unsigned char", 8, false),
];

/// Bits and signedness of a C++ integer type.
pub(crate) fn integer_type(ty: &str) -> Option<(u8, bool)> {
    let known = INTEGERS.iter().find(|(name, ..)| *name == ty);
    known.map(|(_, bits, is_signed)| (*bits, *is_signed))
}

/// Tests whether a C++ type is a vector.
pub(crate) fn is_vector_type(ty: &str) -> bool {
    let ty = ty.strip_prefix("std::").unwrap_or(ty);
    ["vector<", "Array<", "list<", "deque<"].iter().any(|prefix| ty.starts_with(prefix))
}

/// Tests whether a C++ type is a map, a set or a scope.
pub(crate) fn is_map_type(ty: &str) -> bool {
    let ty = ty.strip_prefix("std::").unwrap_or(ty);
    ["map<", "set<", "unordered_map<", "unordered_set<", "Scope<"]
        .iter()
        .any(|prefix| ty.starts_with(prefix))
}

/// Tests whether objects of a C++ type push when they are declared and pop where their block ends.
pub(crate) fn is_binding_type(ty: &str) -> bool {
    let (name, _) = ty.split_once('<').unwrap_or((ty, ""));
    name.rsplit("::").next() == Some("ScopedBinding")
}

/// Tests whether objects of a C++ type assign a variable when they are declared, and assign its old
/// value where their block ends.
pub(crate) fn is_scoped_value_type(ty: &str) -> bool {
    let (name, _) = ty.split_once('<').unwrap_or((ty, ""));
    name.rsplit("::").next() == Some("ScopedValue")
}

/// Tests whether a C++ type is that of pointers, which point to nothing where nothing is given.
pub(crate) fn is_pointer_type(ty: &str) -> bool {
    let (name, _) = ty.split_once('<').unwrap_or((ty, ""));
    ty.ends_with('*') || ty.contains('<') && (name.ends_with("_ptr") || name.ends_with("Ptr"))
}

/// Tests whether a C++ type is a scope.
pub(crate) fn is_scope_type(ty: &str) -> bool {
    let (name, _) = ty.split_once('<').unwrap_or((ty, ""));
    ty.contains('<') && name.rsplit("::").next() == Some("Scope")
}

/// Tests whether a C++ type is that of a node's body, which is an expression or a statement:
/// `decltype(op->body)`.
pub(crate) fn is_type_of_body(ty: &str) -> bool {
    ty.strip_prefix("decltype(").is_some_and(|of| of.ends_with("->body)"))
}

/// A type without `std::` before it and references after it.
pub(crate) fn short(ty: &str) -> &str {
    let ty = ty.trim_end_matches('&').trim();
    ty.strip_prefix("std::").unwrap_or(ty)
}

/// Splits a list at the commas that are outside of brackets.
pub(crate) fn split(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0_usize, 0);
    for (at, letter) in list.char_indices() {
        match letter {
            '<' | '(' => depth += 1,
            '>' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(list[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[from..].trim());
    parts
}

/// The types of the parts of a pair or a tuple.
pub(crate) fn parts_of(ty: &str) -> Option<Vec<&str>> {
    let ty = short(ty);
    let list = ty.strip_prefix("pair<").or_else(|| ty.strip_prefix("tuple<"))?;
    Some(split(list.strip_suffix('>')?))
}

/// The type of the elements of a vector.
pub(crate) fn element_of(ty: &str) -> &str {
    let ty = ty.trim_end_matches('&');
    match ty.split_once('<') {
        Some((_, of)) => of.strip_suffix('>').unwrap_or(of).trim(),
        None => "",
    }
}

/// The types of a `std::function`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// Its result.
    pub(super) result: String,
    /// Its parameters.
    pub(super) parameters: Vec<String>,
}
