//! The meaning of the variables of a C++ function with rules of `IRMatch.h`.

use halidom_base::FxHashMap;
use halidom_cpp::ast::{Declared, Expr, ExprKind, Function};
use halidom_cpp::words;

use super::locals::{Types, described, is_mutated, is_node_of_op};
use super::names::{Declaration, Names, names_in};
use super::own::{Own, call};

/// The knowledge of a function as a whole.
pub(super) struct Known<'f> {
    pub(super) names: Names<'f>,
    pub(super) types: Types,
    /// Descriptions of operands that `mutate` told, each with the last statement that changed it.
    described: FxHashMap<String, usize>,
    /// True if nothing is known of variables.
    is_opaque: bool,
}

impl<'f> Known<'f> {
    /// Reads a function, where functions of some names leave their arguments as they are. If it is
    /// opaque, nothing is known of its variables.
    pub(super) fn of(
        function: &'f Function,
        own: &'f Own<'f>,
        is_by_value: &'f dyn Fn(&str) -> bool,
        is_opaque: bool,
    ) -> Self {
        let names = Names::of(function, own, is_by_value);
        if is_opaque {
            let (types, described) = (Types::default(), FxHashMap::default());
            return Self { names, types, described, is_opaque };
        }
        let types = Types::of(&names);
        let described = described(function, &names);
        Self { names, types, described, is_opaque }
    }

    /// Tests whether a variable describes its operand in a condition of some statement of the body.
    pub(super) fn describes(&self, info: &str, top: usize) -> bool {
        self.described.get(info).is_some_and(|last| *last < top)
    }

    /// Returns the rewriter that a variable is declared with.
    pub(super) fn rewriter(&self, variable: &str, value: &Expr) -> Option<Rewriter> {
        let (name_of_maker, maker, arguments) = of_matcher(value)?;
        let (name_of_node, node, operands) = of_matcher(arguments.first()?)?;
        let is_it =
            |known: &&Declaration<'_>| known.value.is_some_and(|of| std::ptr::eq(of, value));
        let at = self.names.declarations(variable).find(is_it)?.at;
        let is_kept = !self.is_opaque && self.names.is_unchanged(variable);
        let name = |operand: &Expr| match &operand.kind {
            ExprKind::Name(name) => {
                let is_settled = is_kept && self.names.is_settled_value(name, at);
                is_settled.then(|| name.clone())
            }
            _ => None,
        };
        let is_maker = maker == "rewriter" && !self.names.has(name_of_maker);
        let are_mutated = is_kept
            && operands.iter().all(|operand| match &operand.kind {
                ExprKind::Integer(..) => true,
                ExprKind::Name(name) => {
                    self.names.is_settled_value(name, at) && is_mutated(&self.names, name)
                }
                _ => false,
            });
        let is_of_node = are_mutated
            && !self.names.has(name_of_node)
            && is_node_of_op(&self.names, node, operands);
        is_maker.then(|| Rewriter {
            operands: operands.iter().map(name).collect(),
            place: at,
            are_mutated,
            is_of_node,
        })
    }

    /// Returns a variable that keeps the value that it is declared with.
    pub(super) fn local(&self, variable: &Declared, top: usize) -> Option<Local> {
        let is_kept = !self.is_opaque && self.names.is_steady(&variable.name);
        let value = variable.value.as_ref().filter(|_| is_kept)?;
        let mut names = Vec::new();
        names_in(value, &mut names);
        let at = self.names.declarations(&variable.name).next()?.at;
        let is_settled = names.iter().all(|name| self.names.is_settled(name, at));
        let is_own = words(&variable.ty).any(|word| self.names.has(word));
        let ty = if is_own { String::new() } else { variable.ty.clone() };
        Some(Local { ty, value: value.clone(), top, is_settled })
    }
}

/// A rewriter of a function.
#[derive(Clone)]
pub(super) struct Rewriter {
    /// The names of the operands of the node that it matches. Those without a name are `None`, and
    /// so are those that may be something else later.
    pub(super) operands: Vec<Option<String>>,
    /// The place of its declaration in the function.
    pub(super) place: usize,
    /// True if every operand is a literal or what `mutate` returned.
    pub(super) are_mutated: bool,
    /// True if the operands are those of the visited node, each mutated.
    pub(super) is_of_node: bool,
}

/// A variable of C++ that keeps the value of its declaration.
#[derive(Clone)]
pub(super) struct Local {
    ty: String,
    value: Expr,
    /// The statement of the function's body that has the declaration in it.
    pub(super) top: usize,
    /// True if the names in the value mean the same in all of the function after it.
    pub(super) is_settled: bool,
}

impl Local {
    /// Returns the value if the variable's type keeps all of it.
    pub(super) fn of(&self, types: &[&str]) -> Option<&Expr> {
        (types.contains(&self.ty.as_str()) || self.ty == "auto").then_some(&self.value)
    }
}

/// Returns the name of a called function of `IRMatch.h` with and without what stands before it, and
/// the arguments.
pub(super) fn of_matcher(expr: &Expr) -> Option<(&str, &str, &[Expr])> {
    let ExprKind::Call { callee, .. } = &expr.kind else { return None };
    let ExprKind::Name(name) = &callee.kind else { return None };
    let (short, arguments) = call(expr)?;
    Some((name, short, arguments))
}
