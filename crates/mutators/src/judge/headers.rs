//! Finds the classes that some files use without declaring them.

use std::collections::BTreeSet;

use halidom_cpp as cpp;
use halidom_rewrites::options::Source;

use crate::judge::meanings::has_meaning;
use crate::machine::program::is_root;

/// The classes whose methods the files define, and the bases of the classes that they declare, that
/// no file declares. A header may. Classes that the API has are left out: their meaning is known.
pub fn undeclared(sources: &[Source]) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let mut declared = BTreeSet::new();
    for source in sources {
        let Some(file) = cpp::parse(&source.text) else { continue };
        let classes = file.functions.iter().map(|function| function.class.clone());
        used.extend(classes.filter(|class| !class.is_empty()));
        for class in file.classes {
            used.extend(class.bases);
            declared.insert(class.name);
        }
    }
    used.retain(|class| !declared.contains(class) && !is_root(class) && !has_meaning(class));
    used
}

/// Tests whether a text declares one of some classes. It must be wholly read, and declare no class
/// that the API has: such a declaration would hide what is known of the class.
pub fn declares(text: &str, classes: &BTreeSet<String>) -> bool {
    if !cpp::words(text).any(|word| classes.contains(word)) {
        return false;
    }
    cpp::parse(text).is_some_and(|file| {
        let mut names = file.classes.iter().map(|class| &class.name);
        file.errors.is_empty()
            && names.clone().any(|name| classes.contains(name))
            && !names.any(|name| has_meaning(name))
    })
}
