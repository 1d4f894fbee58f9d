//! The profiles of known compilers: the meaning of their IR and the places of their sources.

/// The meaning of an integer division by 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ZeroDivision {
    /// The quotient and the remainder are 0.
    Zero,
    /// Undefined: any result is right, but no transformation may introduce such a division.
    Undefined,
}

/// The language in which a compiler's rules are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Halide's `IRMatch.h`: `rewrite(pattern, replacement, predicate)`. Division is Euclidean.
    IrMatch,
    /// TVM's `pattern_match.h`: `TVM_TRY_REWRITE_IF(pattern, replacement, condition)`. Each
    /// division says in its name how it rounds.
    PatternMatch,
}

/// The vectors of a compiler's IR, as the constructors of its nodes require. Source: `IR.cpp` of
/// each repository, `ir/expr.cc` of TVM, and the functions `make` in `IRMatch.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vectors {
    /// Halide's. The operands of broadcasts and ramps may be vectors, and the matcher builds a
    /// broadcast to one lane as its operand. A choice has as many conditions as values.
    Nested,
    /// Those of older compilers of Halide's family. The operands of broadcasts and ramps are
    /// scalars. The matcher repeats a scalar that is built next to a vector. The condition of a
    /// choice between vectors may be a scalar.
    Mixed,
    /// TVM's. They are like the older ones, but no scalar is repeated.
    Flat,
}

impl Vectors {
    /// True if the operands of broadcasts and ramps may be vectors.
    pub fn nest(self) -> bool {
        self == Self::Nested
    }

    /// True if the matcher repeats a scalar operand that is built next to a vector.
    pub fn mix(self) -> bool {
        self == Self::Mixed
    }

    /// True if the matcher builds a broadcast to one lane, as its operand.
    pub fn broadcasts_to_one(self) -> bool {
        self == Self::Nested
    }

    /// True if the condition of a choice between vectors may be a scalar.
    pub fn scalar_conditions(self) -> bool {
        self != Self::Nested
    }
}

/// A compiler whose sources can be read.
///
/// In every profile, unsigned integers and integers of fewer than 32 bits wrap, overflow of signed
/// integers of at least 32 bits is excluded, and floats are modelled as reals whose divisors are
/// not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    /// The profile's name on the command line.
    pub name: &'static str,
    /// The language of its rules.
    pub language: Language,
    /// The meaning of division by 0 in its IR.
    pub zero_division: ZeroDivision,
    /// True if its rules fold quotients of constants by the machine's division. That ends the
    /// compiler where it divides the least integer by -1.
    pub folding_traps: bool,
    /// True if rules for signed integers of 32 bits are also rules for those of 64 bits, so that no
    /// proof may use the bounds of 32 bits.
    pub is_wide: bool,
    /// Its vectors.
    pub vectors: Vectors,
    /// The assumptions that every verdict on its rules names; may be empty.
    pub assumes: &'static str,
    /// The places of its transformations, as folder and files; `*` stands for any text.
    pub sources: &'static [(&'static str, &'static [&'static str])],
}

/// The profiles.
pub const PROFILES: &[Profile] = &[
    Profile {
        name: "halide",
        language: Language::IrMatch,
        zero_division: ZeroDivision::Zero,
        folding_traps: false,
        is_wide: false,
        vectors: Vectors::Nested,
        assumes: "",
        sources: &[("src", &["Simplify_*.cpp"])],
    },
    Profile {
        name: "halide-to-hardware",
        language: Language::IrMatch,
        zero_division: ZeroDivision::Undefined,
        folding_traps: true,
        is_wide: false,
        vectors: Vectors::Mixed,
        assumes: "",
        sources: &[(
            "src",
            &[
                "Simplify.cpp",
                "Simplify_*.cpp",
                "CodeGen_C.cpp",
                "RemoveDeadAllocations.cpp",
                "RemoveTrivialForLoops.cpp",
            ],
        )],
    },
    Profile {
        name: "halide-hls",
        language: Language::IrMatch,
        zero_division: ZeroDivision::Undefined,
        folding_traps: true,
        is_wide: false,
        vectors: Vectors::Mixed,
        assumes: "",
        sources: &[("src", &["Simplify.cpp", "CodeGen_C.cpp"])],
    },
    Profile {
        name: "heterocl",
        language: Language::IrMatch,
        zero_division: ZeroDivision::Undefined,
        folding_traps: true,
        is_wide: false,
        vectors: Vectors::Mixed,
        assumes: "",
        sources: &[
            ("tvm/HalideIR/src/arithmetic", &["Simplify.cpp"]),
            ("tvm/src/codegen", &["codegen_c.cc"]),
            ("tvm/src/pass", &["remove_no_op.cc", "lift_allocate_attrs.cc", "lift_attr_scope.cc"]),
        ],
    },
    Profile {
        name: "tvm",
        // The types and their overflow: `IsIndexType` in `const_fold.h`, the comment on unsigned
        // types in `VisitExpr_(const FloorModNode*)` of `rewrite_simplify.cc`, and
        // `DEFINE_CODEGEN_BINARY_OP` in `codegen_llvm.cc`.
        language: Language::PatternMatch,
        zero_division: ZeroDivision::Undefined,
        folding_traps: false,
        is_wide: true,
        vectors: Vectors::Flat,
        assumes: "signed integers of 32 and 64 bits do not overflow, and what the analyzer proves \
            is true",
        sources: &[("src/arith", &["rewrite_simplify.cc"])],
    },
];

impl Profile {
    /// Returns the profile of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PROFILES.iter().find(|profile| profile.name == name)
    }
}
