//! Names that a program's variables and buffers may not have: those that C, the runtime or the file
//! itself gives a meaning. A variable of such a name would hide it.

use halidom_base::FxHashSet;

use crate::helper_names::helper_of;
use crate::parse::is_type_name;
use crate::syntax::File;

/// The names that generated C uses for purposes of its own, and the keywords of its grammar.
const OWN: &[&str] = &[
    "args", "captured", "closure", "const", "else", "failure", "for", "if", "inline", "NULL",
    "restrict", "return", "sizeof", "static", "status", "struct", "typedef",
];

/// The names that a file gives a meaning.
#[derive(Debug)]
pub(crate) struct Taken<'t> {
    declared: FxHashSet<&'t str>,
}

impl<'t> Taken<'t> {
    pub(crate) fn of(file: &'t File) -> Self {
        let functions = file.functions.iter().map(|function| function.name.as_str());
        let structs = file.structs.iter().map(|(name, _)| name.as_str());
        Self { declared: functions.chain(structs).collect() }
    }

    /// Tests whether a variable of this name would hide something that the file uses.
    pub(crate) fn contains(&self, name: &str) -> bool {
        OWN.contains(&name)
            || name.starts_with("halidom")
            || name.starts_with("HALIDOM")
            || name.starts_with('_')
            || is_type_name(name)
            || helper_of(name).is_some()
            || self.declared.contains(name)
    }
}
