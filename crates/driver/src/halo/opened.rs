//! Pipelines all of whose inputs have windows.

use halidom_base::IndexSet;
use halidom_ir::FuncId;

use crate::source::{Choice, Loaded};

/// A copy of a file in which the inputs of a pipeline have windows.
pub(super) fn opened(loaded: &Loaded, choice: &Choice) -> Loaded {
    let mut loaded = loaded.clone();
    let inputs: IndexSet<FuncId> =
        loaded.module.pipelines[choice.pipeline].algorithm.inputs.iter().copied().collect();
    loaded.open_windows(choice.pipeline, &inputs);
    loaded
}
