//! The reports of `halidom validate` for other tools, which are written however the command ends.

use std::path::{Path, PathBuf};

use halidom_verdict::{Nothing, Verdict};

use super::cut::Cut;
use super::judging::Judged;
use super::{junit, sarif};
use crate::args::ValidateArgs;
use crate::commands::{forget, write};
use crate::output::{Ended, Output, Stop};

/// The files of the reports, and the file that they are about.
#[derive(Clone, Debug)]
pub(crate) struct Reports {
    junit: Option<PathBuf>,
    sarif: Option<PathBuf>,
    file: PathBuf,
}

impl Reports {
    pub(super) fn of(args: &ValidateArgs) -> Self {
        let (junit, sarif) = (args.junit.clone(), args.sarif.clone());
        let stock = &args.given.stock;
        let compiled = stock.generator.as_ref().or(stock.halide_script.as_ref());
        let file = compiled.or(args.given.words.first()).or(stock.passes.as_ref());
        Self { junit, sarif, file: file.cloned().unwrap_or_default() }
    }

    /// Removes the reports of an earlier run, which must not stand for this one if it is killed.
    pub(super) fn forget(&self, output: &mut Output<'_>) -> Result<(), Stop> {
        if let Some(path) = &self.junit {
            forget(path, junit::is_report, output)?;
        }
        self.sarif.iter().try_for_each(|path| forget(path, sarif::is_report, output))
    }

    /// Writes the reports on the subjects. If the command ended early, they tell that too.
    pub(super) fn write(
        &self,
        all: &[Judged],
        cut: Option<&Cut<'_>>,
        output: &mut Output<'_>,
    ) -> Result<(), Stop> {
        let Self { junit, sarif, file } = self;
        let mut texts: Vec<(&Path, String)> = Vec::new();
        if let Some(path) = junit {
            let text = junit::text(file, all, cut).map_err(|error| {
                output.error("HAL0805", &format!("`{}`: {error}", path.display()), "use `--json`")
            })?;
            texts.push((path, text));
        }
        texts.extend(sarif.as_deref().map(|path| (path, sarif::text(file, all, cut))));
        // A report that cannot be written keeps no other one from being written.
        let mut result = Ok(());
        for (path, text) in texts {
            result = write(path, text.as_bytes(), output).and(result);
        }
        result
    }

    /// Writes the reports on a command that ended early.
    pub(super) fn stopped(
        &self,
        all: &[Judged],
        stop: &Stop,
        output: &mut Output<'_>,
    ) -> Result<(), Stop> {
        let verdict = match stop {
            Stop::Judged(verdict) => Some(verdict.clone()),
            Stop::Nothing(nothing) => Some(Verdict::Nothing(Nothing::clone(nothing))),
            Stop::BadInput | Stop::Disagreement => None,
        };
        self.cut(all, verdict.as_ref(), output)
    }

    /// Writes the reports on a command that judged something else than subjects.
    pub(super) fn ended(&self, ended: &Ended, output: &mut Output<'_>) -> Result<(), Stop> {
        self.cut(&[], ended.verdict().as_ref(), output)
    }

    /// Writes the reports on a judgement that was cut off.
    pub(crate) fn overdue(&self, verdict: &Verdict, output: &mut Output<'_>) {
        // A failure is printed, and the verdict is the same.
        let _ = self.cut(&[], Some(verdict), output);
    }

    fn cut(
        &self,
        all: &[Judged],
        verdict: Option<&Verdict>,
        output: &mut Output<'_>,
    ) -> Result<(), Stop> {
        let diagnostics = output.diagnostics().to_vec();
        let cut = verdict.map_or(Cut::Failed(&diagnostics), Cut::Judged);
        self.write(all, Some(&cut), output)
    }
}
