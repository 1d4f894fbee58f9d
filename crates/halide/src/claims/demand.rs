//! The reads of an instance of a stage.

use halidom_base::{FxHashMap, FxHashSet, IndexMap};
use halidom_ir::{Expr, ExprId, FuncId, Stage};

use super::form::Form;
use super::forms::{Env, Forms};
use super::sites::Sites;

/// A read: the func or input, the component, and the coordinates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Read {
    pub(super) func: FuncId,
    pub(super) component: usize,
    pub(super) coords: Vec<Form>,
}

/// The greatest number of reads that are listed.
const MOST: usize = 20_000;

/// The reads of funcs with memory in some expressions, with values for variables. Funcs without
/// memory are expanded.
pub(super) fn reads(
    forms: &mut Forms<'_>,
    sites: &Sites,
    roots: &[ExprId],
    env: &mut Env,
) -> Vec<Read> {
    let mut found = IndexMap::default();
    let mut unfolded = FxHashSet::default();
    let mut seen = FxHashSet::default();
    for root in roots {
        collect(forms, sites, *root, env, (&mut seen, &mut unfolded, &mut found));
    }
    found.into_keys().collect()
}

type Lists<'l> =
    (&'l mut FxHashSet<ExprId>, &'l mut FxHashSet<(FuncId, Vec<Form>)>, &'l mut IndexMap<Read, ()>);

fn collect(
    forms: &mut Forms<'_>,
    sites: &Sites,
    expr: ExprId,
    env: &mut Env,
    (seen, unfolded, found): Lists<'_>,
) {
    if !seen.insert(expr) || found.len() > MOST {
        return;
    }
    let node = forms.pool.get(expr).clone();
    if let Expr::Ref { func, component, args } = &node {
        let coords: Vec<Form> = args.iter().map(|arg| forms.form_in(*arg, env)).collect();
        for copy in sites.copies.get(func).into_iter().flatten() {
            found.insert(Read { func: *copy, component: 0, coords: coords.clone() }, ());
        }
        if sites.stored.contains(func) {
            found.insert(Read { func: *func, component: *component, coords }, ());
        } else if unfolded.insert((*func, coords.clone())) {
            let decl = forms.pool.func(*func).clone();
            if let [Stage { values, .. }] = decl.stages() {
                let mut inner = Env::of(decl.args.iter().copied().zip(coords));
                for value in values {
                    let mut seen = FxHashSet::default();
                    collect(forms, sites, *value, &mut inner, (&mut seen, unfolded, found));
                }
            }
        }
    }
    let mut operands = Vec::new();
    node.for_each_operand(|operand| operands.push(operand));
    for operand in operands {
        collect(forms, sites, operand, env, (seen, unfolded, found));
    }
}

/// Groups reads by the func and the component that they read.
pub(super) fn by_func(reads: &[Read]) -> FxHashMap<(FuncId, usize), Vec<&Read>> {
    let mut map: FxHashMap<(FuncId, usize), Vec<&Read>> = FxHashMap::default();
    for read in reads {
        map.entry((read.func, read.component)).or_default().push(read);
    }
    map
}
