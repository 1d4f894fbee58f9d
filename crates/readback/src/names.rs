//! Names that a file may declare. None may hide, or be taken for, something that C, the runtime or
//! the file itself gives a meaning.

use halidom_base::FxHashSet;

use crate::helper_names::helper_of;
use crate::mismatch::Mismatch;
use crate::parse::is_type_name;
use crate::syntax::File;

/// Names that nothing may be declared by: the keywords of C and of GNU C, and the names that
/// generated C uses for purposes of its own. Of keywords, also those that the parser does not know:
/// `double volatile;` declares nothing.
pub const REFUSED: &[&str] = &[
    "alignas",
    "alignof",
    "args",
    "asm",
    "auto",
    "bool",
    "break",
    "captured",
    "case",
    "char",
    "closure",
    "complex",
    "const",
    "constexpr",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "failure",
    "false",
    "float",
    "for",
    "goto",
    "if",
    "imaginary",
    "inline",
    "int",
    "long",
    "noreturn",
    "NULL",
    "nullptr",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "status",
    "struct",
    "switch",
    "thread_local",
    "true",
    "typedef",
    "typeof",
    "typeof_unqual",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
];

/// The names that a file gives a meaning.
#[derive(Debug)]
pub(crate) struct Taken<'t> {
    declared: FxHashSet<&'t str>,
}

impl<'t> Taken<'t> {
    /// Collects the names of a file's functions and structs. They must begin with the entry's name
    /// without its ending, so that none is taken for a function of C's library, which the compiler
    /// may call by itself.
    ///
    /// # Errors
    /// A name of a function, struct or field that means something else.
    pub(crate) fn of(file: &'t File, entry: &str, text: &str) -> Result<Self, Mismatch> {
        let functions = file.functions.iter().map(|function| (function.at, &*function.name));
        let structs = file.structs.iter().map(|declared| (declared.at, &*declared.name));
        let mut taken = Self { declared: FxHashSet::default() };
        let prefix = entry.strip_suffix("run").filter(|prefix| prefix.ends_with('_'));
        for (at, name) in functions.chain(structs) {
            let own = prefix.is_some_and(|prefix| name.starts_with(prefix) && name != prefix);
            if !own || taken.contains(name) {
                return Err(Mismatch::at(text, at, "a name that is taken"));
            }
            taken.declared.insert(name);
        }
        for declared in &file.structs {
            let mut fields = FxHashSet::default();
            for (_, field) in &declared.fields {
                if taken.contains(field) || !fields.insert(field) {
                    return Err(Mismatch::at(text, declared.at, "a name that is taken"));
                }
            }
        }
        Ok(taken)
    }

    /// Tests whether a declaration of this name would hide something that the file uses.
    pub(crate) fn contains(&self, name: &str) -> bool {
        REFUSED.contains(&name)
            || name.starts_with("halidom")
            || name.starts_with("HALIDOM")
            || name.starts_with('_')
            || is_type_name(name)
            || helper_of(name).is_some()
            || self.declared.contains(name)
    }
}
