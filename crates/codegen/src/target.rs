//! The machine for which C is compiled.

use halidom_lower::Machine;

/// A machine: its vector width, the compiler's flags for it, and the compiler's freedom with
/// floats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    name: &'static str,
    vector_bytes: usize,
    flags: &'static [&'static str],
    gathers: bool,
    contracts: bool,
}

impl Target {
    /// 64-byte vectors.
    pub const AVX512: Self = Self {
        name: "x86-64-avx512",
        vector_bytes: 64,
        // Without the tuning flag compilers split 64-byte vectors in two.
        flags: &["-march=x86-64-v4", "-mprefer-vector-width=512"],
        gathers: true,
        contracts: false,
    };
    /// 32-byte vectors.
    pub const AVX2: Self = Self {
        name: "x86-64-avx2",
        vector_bytes: 32,
        flags: &["-march=x86-64-v3"],
        gathers: true,
        contracts: false,
    };
    /// 16-byte vectors, which every x86-64 machine has.
    pub const SSE2: Self = Self {
        name: "x86-64",
        vector_bytes: 16,
        flags: &["-march=x86-64"],
        gathers: true,
        contracts: false,
    };
    /// 16-byte vectors of any other machine.
    pub const GENERIC: Self =
        Self { name: "generic", vector_bytes: 16, flags: &[], gathers: true, contracts: false };
    /// Every target.
    pub const ALL: [Self; 4] = [Self::AVX512, Self::AVX2, Self::SSE2, Self::GENERIC];

    /// Returns the widest target that this machine can run, with flags for this very machine.
    pub fn host() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            // Only processors of AMD's kind have SSE4a. Their gathers take longer than
            // a load of each element.
            let gathers = !std::is_x86_feature_detected!("sse4a");
            let has_512 = std::is_x86_feature_detected!("avx512f")
                && std::is_x86_feature_detected!("avx512bw")
                && std::is_x86_feature_detected!("avx512dq")
                && std::is_x86_feature_detected!("avx512vl");
            if has_512 {
                let flags = &["-march=native", "-mprefer-vector-width=512"];
                return Self { flags, gathers, ..Self::AVX512 };
            }
            let base = if std::is_x86_feature_detected!("avx2") { Self::AVX2 } else { Self::SSE2 };
            Self { flags: &["-march=native"], gathers, ..base }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Self::GENERIC
    }

    /// Returns the target with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name == name)
    }

    /// Returns its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the bytes of the widest vector that one instruction handles.
    pub fn vector_bytes(&self) -> usize {
        self.vector_bytes
    }

    /// Returns the facts about the machine that lowering takes into account.
    pub fn machine(&self) -> Machine {
        Machine { vector_bytes: self.vector_bytes }
    }

    /// Returns the same machine with or without the permission to round a product and the sum that
    /// contains it once. `fast_math` gives this permission.
    #[must_use]
    pub fn contracting(self, permitted: bool) -> Self {
        Self { contracts: permitted, ..self }
    }

    /// Tests whether the compiler has this permission.
    pub fn contracts(&self) -> bool {
        self.contracts
    }

    /// Tests whether the machine's instructions for gathers are as fast as a load of each element.
    pub fn gathers(&self) -> bool {
        self.gathers
    }

    /// Returns the compiler's flags for the machine.
    pub fn flags(&self) -> &'static [&'static str] {
        self.flags
    }
}

impl Default for Target {
    fn default() -> Self {
        Self::host()
    }
}
