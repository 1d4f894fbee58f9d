//! Stock Halide's code for candidates: compiled from scripts, timed, and validated.

use std::fs;

use halidom_codegen::Toolchain;
use halidom_driver::data::Prepared;
use halidom_driver::judge;
use halidom_driver::source::{Choice, Loaded};
use halidom_driver::stock::{self, Annotations, Request, bridge};
use halidom_ir::{Action, Deal, Directive, LoopKind, Schedule, StoreIn};
use halidom_lang::NamedSchedule;
use halidom_verdict::{Cause, Verdict};

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

/// Validates the statement that the installed Halide compiles from a script. A refutation is one
/// that the compiled code bears out.
pub(super) fn judged(script: &str, options: &judge::Options) -> Verdict {
    let not_read = |reason: String| Verdict::unknown(Cause::Construct, reason.as_str());
    let written = tempfile::tempdir().and_then(|folder| {
        let file = folder.path().join("pipeline.py");
        fs::write(&file, script)?;
        Ok((folder, file))
    });
    let (_folder, file) = match written {
        Ok(written) => written,
        Err(error) => return not_read(error.to_string()),
    };
    let job = bridge::Job::of(bridge::Origin::Script(file));
    let stock = match stock::read(&Request::of_job(job)) {
        Ok(stock) => stock,
        Err(refusal) => {
            return refusal.verdict().unwrap_or_else(|| not_read(refusal.to_string()));
        }
    };
    let options = options.clone().of_stock();
    let mut judged = stock::judged(&stock, Annotations::Fallback, &mut |subject| {
        judge::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
    });
    if let Err(error) = stock::bear_out(&judged.stock, &mut judged.report, None) {
        return not_read(error.to_string());
    }
    judged.report.answer()
}

/// The script of a form that stock Halide compiled.
pub(super) fn script(built: &Built) -> Option<&str> {
    match &built.made {
        Made::Own(..) => None,
        Made::Halide(_, script) => Some(script),
    }
}
