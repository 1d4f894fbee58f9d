//! Stock Halide's code for candidates.

use halidom_codegen::Toolchain;
use halidom_driver::data::Prepared;
use halidom_driver::source::{Choice, Loaded};
use halidom_driver::stock;
use halidom_ir::{Action, Deal, Directive, LoopKind, Schedule, StoreIn};
use halidom_lang::NamedSchedule;

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

/// Compiles schedules of a pipeline with the installed Halide, in their order.
pub(super) fn build(
    loaded: &Loaded,
    pipeline: usize,
    schedules: Vec<Option<Schedule>>,
    (prepared, toolchain): (&Prepared, &Toolchain),
) -> Vec<Result<Built, Failure>> {
    let failed = |reason: String| Failure::NotCompiled(reason);
    let mut loaded = loaded.clone();
    let mut exported = |schedule: Option<Schedule>| {
        let found = &mut loaded.module.pipelines[pipeline];
        let span = found.span;
        let schedule = schedule.map(|schedule| {
            found.schedules.push(NamedSchedule { schedule, span, spans: Vec::new() });
            found.schedules.len() - 1
        });
        let choice = Choice { pipeline, schedule };
        stock::export(&loaded, &choice).map_err(|error| error.to_string())
    };
    let scripts: Vec<Result<String, String>> = schedules.into_iter().map(&mut exported).collect();
    let good: Vec<String> = scripts.iter().flatten().cloned().collect();
    let pool = &loaded.module.pool;
    let algorithm = &loaded.module.pipelines[pipeline].algorithm;
    let compiled = compile_all(&good, (pool, algorithm), prepared, toolchain);
    let mut forms = match compiled {
        Ok(forms) => forms,
        Err(reason) => good.iter().map(|_| Err(reason.clone())).collect(),
    }
    .into_iter();
    let made = |script: Result<String, String>| {
        let script = script.map_err(failed)?;
        let form = forms.next().unwrap_or_else(|| Err("it is not compiled".to_owned()));
        let form = form.map_err(failed)?;
        let made = Made::Halide(Box::new(form), script);
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
