//! The names to which the given files give a meaning of their own.
//!
//! # Correctness
//!
//! The name of a compiler's function tells its result and its effects on its arguments. This is
//! right only where no given file gives the name a meaning of its own, in whatever way: as a
//! function, a method, a class, a field, an alias, an enumerator, a macro or a variable.
//!
//! All that a header declares counts in every file, as does a file that some file includes. Any
//! other file is compiled by itself: of its names, those of functions with bodies count elsewhere,
//! which may be the bodies of what the API or a class declares.

use halidom_base::FxHashSet;
use halidom_cpp::ast::{Expr, ExprKind, File, Function, Parameter, Stmt};
use halidom_cpp::{Sign, is_letter, short_name, split_name, without_comments, words};

/// The names to which the given files give a meaning of their own.
pub(crate) struct Own<'f> {
    /// The files whose text may stand before the rules.
    seen: Vec<&'f File>,
    /// The files that are compiled by themselves.
    linked: Vec<&'f File>,
    /// All of them but variables within functions.
    names: FxHashSet<String>,
    /// The names that methods may have.
    methods: FxHashSet<String>,
    /// The names that a call with patterns as arguments may mean.
    of_patterns: FxHashSet<String>,
}

/// The types whose objects are values: no reference and no pointer to another object is in them.
const VALUES: [&str; 18] = [
    "ConstBounds",
    "ConstantInterval",
    "DataType",
    "Expr",
    "ExprInfo",
    "ModulusRemainder",
    "PrimExpr",
    "PrimType",
    "Stmt",
    "Type",
    "bool",
    "char",
    "double",
    "float",
    "int",
    "int64_t",
    "size_t",
    "uint64_t",
];

/// The endings of the names of files that are compiled by themselves.
const SOURCES: [&str; 4] = [".c", ".cc", ".cpp", ".cxx"];

/// Tests whether a type is that of expressions or of types of the IR.
fn is_value_of_ir(ty: &str) -> bool {
    ["Expr", "PrimExpr", "Stmt", "Type"].contains(&ty.trim_end_matches('&').trim())
}

/// The namespaces of these types.
const VALUE_SPACES: [&str; 5] = ["Halide", "Halide::Internal", "Internal", "std", "tvm"];

impl<'f> Own<'f> {
    /// Collects the names of a file that stands alone.
    pub(crate) fn of(file: &'f File) -> Self {
        Self::among(vec![file], Vec::new())
    }

    /// Collects the names that count in one of the given files, each with its name.
    pub(crate) fn at(index: usize, files: &'f [(&str, File)]) -> Self {
        let is_included = |name: &str| {
            let is_it = |path: &String| path.rsplit(['/', '\\']).next() == Some(name);
            files.iter().any(|(_, file)| file.includes_any || file.includes.iter().any(is_it))
        };
        let is_source = |name: &str| SOURCES.iter().any(|ending| name.ends_with(ending));
        let (mut seen, mut linked) = (Vec::new(), Vec::new());
        for (other, (name, file)) in files.iter().enumerate() {
            if other != index && is_source(name) && !is_included(name) {
                linked.push(file);
            } else {
                seen.push(file);
            }
        }
        Self::among(seen, linked)
    }

    fn among(seen: Vec<&'f File>, linked: Vec<&'f File>) -> Self {
        let mut own = Self {
            seen: Vec::new(),
            linked: Vec::new(),
            names: FxHashSet::default(),
            methods: FxHashSet::default(),
            of_patterns: FxHashSet::default(),
        };
        for file in &seen {
            let functions = || file.functions.iter().map(|function| &function.name);
            let classes = file.classes.iter().map(|class| &class.name);
            let fields = file.classes.iter().flat_map(|class| &class.fields);
            let others = file.others.iter().chain(&file.local_aliases).chain(&file.enumerators);
            let all = functions().chain(classes).chain(fields.map(|field| &field.name));
            own.names.extend(all.chain(others).map(|name| plain(name)));
            own.methods.extend(functions().chain(&file.others).map(|name| plain(name)));
        }
        own.of_patterns.clone_from(&own.names);
        for (file, function) in
            linked.iter().flat_map(|file| file.functions.iter().map(move |of| (file, of)))
        {
            // No other file sees a class that such a file declares.
            let is_hidden = file.classes.iter().any(|class| class.name == function.class);
            if function.is_static || is_hidden {
                continue;
            }
            let name = plain(&function.name);
            // A pattern is no `Expr`, so such a function is not called with one.
            let is_of_values = function.class.is_empty()
                && function.templates.is_empty()
                && function.parameters.first().is_some_and(|first| is_value_of_ir(&first.ty));
            if !is_of_values {
                own.of_patterns.insert(name.clone());
            }
            own.methods.insert(name.clone());
            own.names.insert(name);
        }
        Self { seen, linked, ..own }
    }

    /// Tests whether a call of a name with patterns as arguments may mean something of the files.
    pub(super) fn has_for_patterns(&self, name: &str) -> bool {
        self.of_patterns.contains(name)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Tests whether a file gives a meaning to a name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Tests whether a file declares an operator of this sign.
    pub(super) fn has_operator(&self, sign: Sign) -> bool {
        self.names.contains(&format!("operator{sign}"))
    }

    /// Tests whether a function names a macro of the files, whose text may be anything.
    pub(super) fn macro_in(&self, function: &Function) -> Option<&'f str> {
        let text = without_comments(&function.text);
        let found = |name: &&String| words(&text).any(|word| word == name.as_str());
        self.macros().find(found).map(String::as_str)
    }

    /// The macros of the files.
    pub(super) fn macros(&self) -> impl Iterator<Item = &'f String> {
        self.seen.iter().flat_map(|file| &file.macros)
    }

    /// Tests whether a file has a method or a function of this name.
    pub(super) fn has_method(&self, name: &str) -> bool {
        self.methods.contains(name)
    }

    /// Tests whether a type is one of the known values.
    pub(super) fn is_value(&self, ty: &str) -> bool {
        let (space, name) = split_name(ty);
        let is_known = space.is_none_or(|space| VALUE_SPACES.contains(&space));
        name == "auto" || is_known && VALUES.contains(&name) && !self.has(name)
    }

    /// Tests whether a parameter leaves its argument as it is.
    pub(super) fn reads(&self, parameter: &Parameter) -> bool {
        let ty = parameter.ty.as_str();
        let is_pointer = ty.ends_with('*') && !ty.contains('&');
        let is_value = self.is_value(ty.trim_end_matches(['&', '*']));
        is_pointer || is_value && !parameter.may_write
    }

    /// Tests whether all functions of the files with this name leave an argument as it is.
    pub(super) fn all_read(&self, name: &str, index: usize) -> bool {
        let functions = self.seen.iter().chain(&self.linked).flat_map(|file| &file.functions);
        let mut named = functions.filter(|of| plain(&of.name) == name).peekable();
        let mut others = self.seen.iter().flat_map(|file| &file.others);
        let is_else = others.any(|other| plain(other) == name);
        named.peek().is_some()
            && !is_else
            && named.all(|of| {
                let is_read = of.parameters.get(index).is_some_and(|known| self.reads(known));
                is_read && !has_casts(&of.body) && self.macro_in(of).is_none()
            })
    }
}

/// Returns a name without what stands before `::`, template arguments and blanks.
fn plain(name: &str) -> String {
    if let Some(sign) = split_name(name).1.trim().strip_prefix("operator")
        && !sign.starts_with(is_letter)
    {
        return format!("operator{}", sign.replace(char::is_whitespace, ""));
    }
    short_name(name).to_owned()
}

/// Tests whether a body takes a place for one of another type.
pub(super) fn has_casts(body: &[Stmt]) -> bool {
    let mut found = false;
    for stmt in body {
        stmt.visit(&mut |part| {
            found |= matches!(&part.kind, ExprKind::Cast(ty, _) if ty.contains(['&', '*']));
            found |= matches!(&part.kind, ExprKind::Other(_));
        });
    }
    found
}

/// The namespaces of the compilers.
const SPACES: [&str; 10] = [
    "Halide::Internal::IRMatcher",
    "IRMatcher",
    "Internal::IRMatcher",
    "arith",
    "ffi",
    "tir",
    "tirx",
    "tvm",
    "tvm::arith",
    "tvm::tir",
];

/// Returns the last part of the name of a called function of the compilers, and the arguments.
pub(super) fn call(expr: &Expr) -> Option<(&str, &[Expr])> {
    let ExprKind::Call { callee, arguments, .. } = &expr.kind else { return None };
    let ExprKind::Name(name) = &callee.kind else { return None };
    let (space, short) = split_name(name);
    space.is_none_or(|space| SPACES.contains(&space)).then_some((short, arguments))
}

/// Tests whether what stands before a name is nothing, or a namespace of the compilers or of C++.
pub(super) fn is_of_space(space: Option<&str>) -> bool {
    space.is_none_or(|space| SPACES.contains(&space) || VALUE_SPACES.contains(&space))
}

/// Returns the names in a chain of members: `a_info.alignment.modulus`.
pub(super) fn path(expr: &Expr) -> Option<Vec<String>> {
    match &expr.kind {
        ExprKind::Name(name) => Some(vec![name.clone()]),
        ExprKind::Member { object, name, .. } => {
            let mut names = path(object)?;
            names.push(name.clone());
            Some(names)
        }
        ExprKind::Call { callee, arguments, .. } if arguments.is_empty() => path(callee),
        _ => None,
    }
}
