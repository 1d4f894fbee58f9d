//! Stock Halide's code for candidates.

use std::time::Duration;

use halidom_codegen::Toolchain;
use halidom_driver::source::Loaded;
use halidom_halide::script::{self, Language};
use halidom_ir::{Action, Deal, Directive, LoopKind, Schedule, StoreIn};

use super::form::{Built, Failure, Made};
use crate::bench::compile_all;

/// Removes the directives that Halide has no word for and that change no values: it has no stores
/// that bypass the caches, deals out parallel loops itself, and chooses itself how memory is read.
pub(super) fn strip(directives: &mut Vec<Directive>) {
    directives.retain(|directive| {
        !matches!(
            directive.action,
            Action::Realign
                | Action::PadStorage { .. }
                | Action::StoreIn(StoreIn::Stream | StoreIn::Within(_))
        )
    });
    for directive in directives {
        if let Action::Traverse { kind: LoopKind::Parallel(deal), .. } = &mut directive.action {
            *deal = Deal::Auto;
        }
        if let Action::Specialize { directives, .. } = &mut directive.action {
            strip(directives);
        }
    }
}

/// Compiles schedules of a pipeline with the installed Halide within a time limit, in their order.
/// Schedules that cannot be printed in the language of the winner are not compiled.
pub(super) fn build(
    loaded: &Loaded,
    pipeline: usize,
    schedules: &[Schedule],
    (toolchain, language): (&Toolchain, Language),
    limit: Duration,
) -> Vec<Result<Built, Failure>> {
    let failed = |reason: String| Failure::NotCompiled(reason);
    let pool = &loaded.module.pool;
    let algorithm = &loaded.module.pipelines[pipeline].algorithm;
    let printed = |schedule: &Schedule| {
        script::directives(pool, algorithm, schedule, language)?;
        script::print(pool, algorithm, schedule)
    };
    let scripts: Vec<_> = schedules.iter().map(printed).collect();
    let good: Vec<String> = scripts.iter().flatten().cloned().collect();
    let mut forms = match compile_all(&good, toolchain, limit) {
        Ok(forms) => forms,
        Err(reason) => good.iter().map(|_| Err(reason.clone())).collect(),
    }
    .into_iter();
    let made = |script: Result<String, script::Unprintable>| {
        let script = script.map_err(|error| failed(error.to_string()))?;
        let form = forms.next().unwrap_or_else(|| Err("it is not compiled".to_owned()));
        let made = Made::Halide(Box::new(form.map_err(failed)?), script);
        Ok(Built { pool: pool.clone(), algorithm: algorithm.clone(), made })
    };
    scripts.into_iter().map(made).collect()
}

/// The script of a form that stock Halide compiled.
pub(super) fn script(built: &Built) -> Option<&str> {
    match &built.made {
        Made::Own(..) => None,
        Made::Halide(_, script) => Some(script),
    }
}
