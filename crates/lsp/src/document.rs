//! An open text and all that is known of it.

use std::sync::{Arc, Weak};

use halidom_base::IndexMap;
use halidom_diag::Diagnostic;
use halidom_driver::inspect::{self, Description};
use halidom_driver::source::{self, Choice, Loaded};
use halidom_ir::FuncId;
use halidom_lang::{Pipeline, Symbols, symbols};

use crate::encoding::{Encoding, Lines};
use crate::verdicts::{Named, Proof};

/// An open text.
pub(crate) struct Document {
    pub(crate) uri: String,
    pub(crate) version: i32,
    /// Work in the background for this text is stale once this is dropped.
    pub(crate) life: Arc<()>,
    pub(crate) loaded: Loaded,
    pub(crate) lines: Lines,
    pub(crate) symbols: Symbols,
    /// The refusals of schedules, once they are known for this text.
    pub(crate) refusals: Vec<Diagnostic>,
    /// The proofs of this text.
    pub(crate) proofs: IndexMap<Named, Proof>,
    /// The schedules that were looked at.
    described: IndexMap<(usize, Option<usize>, bool), Option<Description>>,
}

impl Document {
    pub(crate) fn new(uri: String, version: i32, text: &str, encoding: Encoding) -> Self {
        let loaded = source::parse(&name(&uri), text);
        let symbols = symbols(&loaded.sources, loaded.file);
        Self {
            lines: Lines::of(text, encoding),
            loaded,
            uri,
            version,
            life: Arc::default(),
            symbols,
            refusals: Vec::new(),
            proofs: IndexMap::default(),
            described: IndexMap::default(),
        }
    }

    pub(crate) fn text(&self) -> &str {
        self.loaded.text()
    }

    /// The pipeline of a symbol that belongs to one.
    pub(crate) fn pipeline_of(&self, symbol: usize) -> Option<(usize, &Pipeline)> {
        let owner = self.symbols.symbols.get(symbol)?.owner?;
        self.pipeline(&self.symbols.symbols.get(owner)?.name)
    }

    /// The pipeline of a name, with its number.
    pub(crate) fn pipeline(&self, name: &str) -> Option<(usize, &Pipeline)> {
        let pipelines = self.loaded.module.pipelines.iter().enumerate();
        pipelines.into_iter().find(|(_, pipeline)| pipeline.algorithm.name == name)
    }

    /// The funcs and inputs of a pipeline whose name is this one, or which are elements of the
    /// array with this name.
    pub(crate) fn funcs(&self, pipeline: &Pipeline, name: &str) -> Vec<FuncId> {
        let is_meant = |func: &&FuncId| {
            let own = &self.loaded.module.pool.func(**func).name;
            own == name
                || own
                    .strip_prefix(name)
                    .and_then(|rest| rest.strip_prefix('$'))
                    .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let algorithm = &pipeline.algorithm;
        algorithm.inputs.iter().chain(&algorithm.funcs).filter(is_meant).copied().collect()
    }

    /// Returns the description of a schedule, with its regions if they are wanted; `None` if it is
    /// refused.
    pub(crate) fn description(&mut self, choice: &Choice, regions: bool) -> Option<&Description> {
        let key = (choice.pipeline, choice.schedule, regions);
        if !self.described.contains_key(&key) {
            let description = inspect::describe(&mut self.loaded, choice, regions).ok();
            self.described.insert(key, description);
        }
        self.described.get(&key)?.as_ref()
    }

    /// The number of a pipeline's schedule; `None` for the unscheduled form.
    pub(crate) fn choice(&self, (pipeline, schedule): &Named) -> Option<Choice> {
        let pipeline = self.loaded.pipeline(Some(pipeline)).ok()?;
        let schedule = self.loaded.schedule(pipeline, Some(schedule)).ok()?;
        Some(Choice { pipeline, schedule })
    }
}

/// True if the document with this life was changed or closed.
pub(crate) fn is_gone(life: &Weak<()>) -> bool {
    life.strong_count() == 0
}

/// The name of a text for people: the last part of its address.
fn name(uri: &str) -> String {
    uri.rsplit('/').next().unwrap_or(uri).to_owned()
}

/// Checks every schedule of a text, and returns the refusals. Stops and returns `None` once
/// `is_stale` returns true.
pub(crate) fn refusals(
    loaded: &mut Loaded,
    is_stale: &dyn Fn() -> bool,
) -> Option<Vec<Diagnostic>> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for pipeline in 0..loaded.module.pipelines.len() {
        let count = loaded.module.pipelines[pipeline].schedules.len();
        for schedule in std::iter::once(None).chain((0..count).map(Some)) {
            if is_stale() {
                return None;
            }
            let choice = Choice { pipeline, schedule };
            if let Err(refused) = inspect::describe(loaded, &choice, false) {
                // An algorithm that cannot be lowered is refused under every schedule.
                found.extend(
                    refused.into_iter().filter(|one| !found.contains(one)).collect::<Vec<_>>(),
                );
            }
        }
    }
    Some(found)
}
