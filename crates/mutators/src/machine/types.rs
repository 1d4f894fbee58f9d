//! Types of C++ by their names.

/// The member of a union that holds what it is declared as.
pub(crate) const UNION: &str = "union";

/// Bits and signedness of a C++ integer type.
pub(crate) fn integer_type(ty: &str) -> Option<(u8, bool)> {
    Some(match ty {
        "int" | "signed" | "signed int" | "int32_t" => (32, true),
        "int64_t" | "long" | "long int" | "long long" | "long long int" => (64, true),
        "uint64_t" | "size_t" | "unsigned long" | "unsigned long long" => (64, false),
        "unsigned" | "unsigned int" | "uint32_t" => (32, false),
        "int16_t" | "short" | "short int" => (16, true),
        "uint16_t" | "unsigned short" | "unsigned short int" => (16, false),
        "int8_t" | "signed char" => (8, true),
        "uint8_t" | "unsigned char" => (8, false),
        _ => return None,
    })
}

/// Whether a C++ type is a vector.
pub(crate) fn is_vector_type(ty: &str) -> bool {
    ["std::vector<", "vector<", "Array<", "std::list<", "std::deque<"]
        .iter()
        .any(|prefix| ty.starts_with(prefix))
}

/// Whether a C++ type is a map, a set or a scope.
pub(crate) fn is_map_type(ty: &str) -> bool {
    let ty = ty.strip_prefix("std::").unwrap_or(ty);
    ["map<", "set<", "unordered_map<", "unordered_set<", "Scope<"]
        .iter()
        .any(|prefix| ty.starts_with(prefix))
}

/// Whether a C++ type is what pushes, and pops where its block ends.
pub(crate) fn is_binding_type(ty: &str) -> bool {
    let (name, _) = ty.split_once('<').unwrap_or((ty, ""));
    name.rsplit("::").next() == Some("ScopedBinding")
}

/// Whether a C++ type is a scope.
pub(crate) fn is_scope_type(ty: &str) -> bool {
    let (name, _) = ty.split_once('<').unwrap_or((ty, ""));
    ty.contains('<') && name.rsplit("::").next() == Some("Scope")
}
