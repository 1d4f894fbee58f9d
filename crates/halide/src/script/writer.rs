//! The state of printing a script.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{ExprId, FuncId, Pool, VarId};

use super::language::Language;

/// A loop in a script.
#[derive(Clone)]
pub(super) struct Loop {
    /// An expression in the language of the directives.
    pub(super) word: String,
    pub(super) is_reduction: bool,
}

pub(super) struct Writer<'p> {
    pub(super) pool: &'p Pool,
    /// The language of the directives. Definitions are in Python.
    pub(super) language: Language,
    pub(super) lines: Vec<String>,
    /// Names that are taken.
    pub(super) used: FxHashSet<String>,
    /// The Python expressions of variables.
    pub(super) vars: FxHashMap<VarId, String>,
    /// The names of funcs and inputs.
    pub(super) funcs: FxHashMap<FuncId, String>,
    /// The names of `Var`s and `RVar`s in the text, by their own names.
    pub(super) loop_vars: FxHashMap<(String, bool), String>,
    /// The loops of stages, by name.
    pub(super) loops: FxHashMap<(FuncId, usize), Vec<(String, Loop)>>,
    /// Subexpressions that have a Python variable at the present place.
    pub(super) named: FxHashMap<ExprId, String>,
}

impl<'p> Writer<'p> {
    /// A writer that has written nothing.
    pub(super) fn new(pool: &'p Pool, language: Language) -> Self {
        Self {
            pool,
            language,
            lines: Vec::new(),
            used: FxHashSet::default(),
            vars: FxHashMap::default(),
            funcs: FxHashMap::default(),
            loop_vars: FxHashMap::default(),
            loops: FxHashMap::default(),
            named: FxHashMap::default(),
        }
    }
}
