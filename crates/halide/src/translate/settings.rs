//! The settings of targets, and the machines that they name.

/// The settings of the target and of the contract that callers keep. They do not depend on the
/// statement.
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// True if the target leaves assertions out (`no_asserts`).
    pub no_asserts: bool,
    /// True if the target makes every float operator strict (`strict_float`).
    pub strict_float: bool,
    /// True if the code accepts buffers of 2^31 bytes and more, and computes indices with 64 bits
    /// (`large_buffers`).
    pub large_buffers: bool,
    /// True if functions that the pipeline names have the names of C++
    /// (`c_plus_plus_name_mangling`). Only a dump tells calls of the two kinds apart.
    pub mangles: bool,
    /// True if the code was compiled as if no float operator were strict, whatever the pipeline
    /// says.
    pub forgets_strict: bool,
    /// The machine.
    pub machine: Machine,
    /// True if callers keep sizes and their products with strides small
    /// ([`crate::Condition::Small`]).
    pub small: bool,
}

impl Settings {
    /// The settings of a target, given by its name in Halide (`x86-64-linux-no_asserts`).
    pub fn of_target(target: &str) -> Self {
        let has = |feature: &str| target.split('-').any(|word| word == feature);
        Self {
            no_asserts: has("no_asserts"),
            strict_float: has("strict_float"),
            large_buffers: has("large_buffers"),
            mangles: has("c_plus_plus_name_mangling"),
            forgets_strict: false,
            machine: Machine::of_target(target),
            small: false,
        }
    }
}

/// A family of processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// x86, which a text without the name of its target is taken to be for.
    #[default]
    X86,
    /// ARM with 64 bits.
    Arm64,
    /// Another one of ARM's.
    Arm,
    /// WebAssembly.
    Wasm,
    /// Another one, whose code generator is not known here: RISC-V, PowerPC, Hexagon, and ARM with
    /// vectors of no fixed length.
    Unknown,
}

/// The properties of a machine on which the code of an operation depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The family of its processor.
    pub family: Family,
    /// True if it has an instruction that rounds floats. Otherwise the code converts them to
    /// integers, which does not give the value of every float.
    pub rounds: bool,
    /// True if it has instructions that convert floats between 16 and 32 bits.
    pub has_halves: bool,
}

impl Default for Machine {
    fn default() -> Self {
        Self { family: Family::X86, rounds: true, has_halves: true }
    }
}

impl Machine {
    /// The machine of a target.
    fn of_target(target: &str) -> Self {
        let has = |feature: &str| target.split('-').any(|word| word == feature);
        let has_avx = target.split('-').any(|word| word.starts_with("avx"));
        let has_avx512 = target.split('-').any(|word| word.starts_with("avx512"));
        let is_scalable = target.split('-').any(|word| word.starts_with("sve"));
        let family = if is_scalable {
            Family::Unknown
        } else if target.starts_with("x86")
            || target.starts_with("host") && cfg!(target_arch = "x86_64")
        {
            Family::X86
        } else if target.starts_with("arm-64")
            || target.starts_with("host") && cfg!(target_arch = "aarch64")
        {
            Family::Arm64
        } else if target.starts_with("arm") {
            Family::Arm
        } else if target.starts_with("wasm") {
            Family::Wasm
        } else {
            Family::Unknown
        };
        Self {
            family,
            rounds: match family {
                Family::X86 => has("sse41") || has_avx || target.starts_with("host"),
                Family::Arm64 => !has("no_neon"),
                Family::Wasm => true,
                Family::Arm | Family::Unknown => false,
            },
            has_halves: match family {
                Family::X86 => has("f16c") || has_avx512 || target.starts_with("host"),
                Family::Arm64 => has("arm_fp16"),
                Family::Arm | Family::Wasm | Family::Unknown => false,
            },
        }
    }
}

/// A target, with the departures of a statement's operations from their names.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Departures {
    pub(super) machine: Machine,
    /// True if the target makes every float operator strict.
    pub(super) is_strict: bool,
    /// The first operation that is refused.
    pub(super) refused: Option<&'static str>,
    /// True if an operation is right for operands alone that plain operators admit.
    pub(super) is_plain: bool,
    /// True if a difference of signed values stands in the code alone.
    pub(super) negates: bool,
    /// True if functions of Halide's own are called.
    pub(super) calls_own: bool,
}

impl Departures {
    pub(super) fn on(machine: Machine, is_strict: bool) -> Self {
        Self {
            machine,
            is_strict,
            refused: None,
            is_plain: false,
            negates: false,
            calls_own: false,
        }
    }
}
