//! The tool's requirements on the machine, and their availability.

use halidom_codegen::{Target, Toolchain};
use halidom_smt::{Family, Program};

/// The importance of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Jobs fail without it.
    Required,
    /// Another tool replaces it if it is missing.
    Optional,
}

/// The result of looking for one requirement.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Its name.
    pub name: &'static str,
    /// Its purpose.
    pub purpose: &'static str,
    /// Name, version and path; `None` if it was not found.
    pub found: Option<String>,
    /// Its importance.
    pub need: Need,
    /// Instructions to install it.
    pub remedy: &'static str,
}

/// Describes the compiler that is called, if it runs, and another compiler that runs.
fn compilers(
    chosen: Option<Toolchain>,
    running: Vec<Toolchain>,
) -> (Option<String>, Option<String>) {
    let chosen = chosen.filter(|compiler| !compiler.version().is_empty());
    let is_other =
        |other: &Toolchain| chosen.as_ref().is_none_or(|it| it.version() != other.version());
    let another = running.into_iter().find(is_other);
    let named = |it: Toolchain| format!("{}: {}", it.compiler(), it.version());
    (chosen.map(named), another.map(named))
}

/// Looks for all requirements.
pub fn examine() -> Vec<Finding> {
    let (compiler, another) = compilers(Toolchain::find().ok(), Toolchain::all());
    let target = Target::host();
    vec![
        Finding {
            name: "Z3",
            purpose: "proves obligations",
            found: solver(Family::Z3),
            need: Need::Required,
            remedy: "`cargo xtask setup`, or set HALIDOM_Z3 to the executable",
        },
        Finding {
            name: "cvc5",
            purpose: "can confirm Z3's answers",
            found: solver(Family::Cvc5),
            need: Need::Optional,
            remedy: "Debian's package cvc5",
        },
        Finding {
            name: "C compiler",
            purpose: "makes native code",
            found: compiler,
            need: Need::Required,
            remedy: "Debian's package clang-19 or gcc, or set HALIDOM_CC to an executable that \
                runs",
        },
        Finding {
            name: "another C compiler",
            purpose: "can be chosen with HALIDOM_CC",
            found: another,
            need: Need::Optional,
            remedy: "Debian's packages clang-19 and gcc",
        },
        Finding {
            name: "Coq",
            purpose: "checks the certificates of `derive --check`; nothing else needs it",
            found: coq(),
            need: Need::Optional,
            remedy: "Debian's package coq, or `cargo xtask atl`, which installs it",
        },
        Finding {
            name: "instruction set",
            purpose: "native vectors",
            found: Some(format!("{}, {} bytes a vector", target.name(), target.vector_bytes())),
            need: Need::Required,
            remedy: "nothing to do",
        },
    ]
}

/// Coq's version.
fn coq() -> Option<String> {
    halidom_atl::check::coq_version().map(|version| format!("coqc {version}"))
}

/// The name, version and path of a solver that answers.
fn solver(family: Family) -> Option<String> {
    let program = Program::find(family, None).ok()?;
    let identity = program.probe().ok()?;
    Some(format!("{} {} at {}", identity.name, identity.version, program.path().display()))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use halidom_codegen::Toolchain;

    use super::compilers;

    #[test]
    fn a_compiler_that_is_called_and_does_not_run_is_missing() {
        let broken = Toolchain::of(OsStr::new("false"));
        assert!(broken.is_some(), "every system has it");
        let running = Toolchain::all();
        let first = running.first().cloned();
        let (compiler, another) = compilers(broken, running.clone());
        assert!(compiler.is_none() && another.is_some(), "{compiler:?} {another:?}");
        let (compiler, another) = compilers(first, running);
        assert!(compiler.is_some() && compiler != another, "{compiler:?} {another:?}");
    }
}
