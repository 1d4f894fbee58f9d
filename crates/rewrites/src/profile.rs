//! The profiles of known compilers: the meaning of their IR and the places of their sources.

/// The meaning of an integer division by 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ZeroDivision {
    /// The quotient and the remainder are 0.
    Zero,
    /// Undefined: any result is right, but no transformation may introduce such a division.
    Undefined,
}

/// A compiler whose sources can be read.
///
/// In every profile, unsigned integers and integers of fewer than 32 bits wrap, overflow of signed
/// integers of at least 32 bits is excluded, division is Euclidean, and floats are modelled as
/// reals whose divisors are not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    /// The profile's name on the command line.
    pub name: &'static str,
    /// The meaning of division by 0 in its IR.
    pub zero_division: ZeroDivision,
    /// True if its rules fold quotients of constants by the machine's division. That ends the
    /// compiler where it divides the least integer by -1.
    pub folding_traps: bool,
    /// The places of its transformations, as folder and files; `*` stands for any text.
    pub sources: &'static [(&'static str, &'static [&'static str])],
}

/// The profiles.
pub const PROFILES: &[Profile] = &[
    Profile {
        name: "halide",
        zero_division: ZeroDivision::Zero,
        folding_traps: false,
        sources: &[("src", &["Simplify_*.cpp"])],
    },
    Profile {
        name: "halide-to-hardware",
        zero_division: ZeroDivision::Undefined,
        folding_traps: true,
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
        zero_division: ZeroDivision::Undefined,
        folding_traps: true,
        sources: &[("src", &["Simplify.cpp", "CodeGen_C.cpp"])],
    },
    Profile {
        name: "heterocl",
        zero_division: ZeroDivision::Undefined,
        folding_traps: true,
        sources: &[
            ("tvm/HalideIR/src/arithmetic", &["Simplify.cpp"]),
            ("tvm/src/codegen", &["codegen_c.cc"]),
            ("tvm/src/pass", &["remove_no_op.cc", "lift_allocate_attrs.cc", "lift_attr_scope.cc"]),
        ],
    },
];

impl Profile {
    /// Returns the profile of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PROFILES.iter().find(|profile| profile.name == name)
    }
}
