//! Hints from annotations about stores and loads: the program's own, or the ones of the same
//! pipeline compiled with annotations.
//!
//! The annotated compile gives another program: names that the compiler makes up differ, and it may
//! simplify one program further than the other. A store of one program corresponds to a store of
//! the other that writes the same element of the same memory in loops of the same names. Like
//! everything in this module this is a guess, and a hint that is carried over to the wrong store
//! proves nothing.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{BufferId, Expr, ExprId, Program, StmtId, VarId};

use super::form::Form;
use super::forms::{Env, Forms};
use super::found::{Claim, Loads};
use super::sites::{self, Sites, Store};
use crate::translate::{Compiled, Instance, Marked};

/// The annotated claims of stores and loads, by the position of the store in the program and of the
/// load in its store.
#[derive(Default)]
pub(super) struct Hints {
    stores: FxHashMap<usize, Claim>,
    loads: FxHashMap<(usize, usize), Vec<Form>>,
}

impl Hints {
    /// The hints in a program's own annotations.
    pub(super) fn own(forms: &mut Forms<'_>, sites: &Sites, marked: &Marked) -> Self {
        let mut hints = Self::default();
        for (number, store) in sites.stores.iter().enumerate() {
            if let Some(claim) = said(forms, store, &marked.stores) {
                hints.stores.insert(number, claim);
            }
            for (position, load) in store.loads.iter().enumerate() {
                if let Some(coords) = marked.loads.get(load) {
                    let coords = coords.iter().map(|coord| forms.form(*coord)).collect();
                    hints.loads.insert((number, position), coords);
                }
            }
        }
        hints
    }

    /// The hints for a program from another, annotated compile of the pipeline.
    pub(super) fn carried(
        forms: &mut Forms<'_>,
        (program, sites): (&Program, &Sites),
        annotated: &Compiled,
    ) -> Self {
        // An annotated compile may lack the constraints of inputs, and so check others.
        let (others, theirs) = forms.aside(|forms| {
            let others = sites::collect(forms, &annotated.program);
            let theirs = Self::own(forms, &others, &annotated.marked);
            (others, theirs)
        });
        let mut carrier = Carrier {
            signature: signature(forms, program, &annotated.program),
            buffers: buffers(forms, sites, &others),
            renamed: FxHashMap::default(),
        };
        let mut hints = Self::default();
        let mut used = FxHashSet::default();
        for (number, store) in sites.stores.iter().enumerate() {
            let Some((other, mut env)) =
                carrier.counterpart(forms, store, &others.stores, &mut used)
            else {
                continue;
            };
            if let Some(claim) = theirs.stores.get(&other) {
                let claim = Claim {
                    stage: claim.stage,
                    coords: carrier.all(forms, &claim.coords, &mut env),
                    point: carrier.all(forms, &claim.point, &mut env),
                };
                hints.stores.insert(number, claim);
            }
            for (position, load) in others.stores[other].loads.iter().enumerate() {
                let Some(coords) = theirs.loads.get(&(other, position)) else { continue };
                let load = &others.loads[load];
                let place = carrier.one(forms, &load.flat.form, &mut env);
                let coords = carrier.all(forms, coords, &mut env);
                for (position, own) in store.loads.iter().enumerate() {
                    let own = &sites.loads[own];
                    if carrier.buffers.get(&load.buffer) == Some(&own.buffer)
                        && own.flat.lanes == load.flat.lanes
                        && own.flat.form == place
                    {
                        hints.loads.insert((number, position), coords.clone());
                    }
                }
            }
        }
        hints
    }

    /// The number of stores with a hint.
    pub(super) fn len(&self) -> usize {
        self.stores.len()
    }

    /// The hint for a store.
    pub(super) fn store(&self, number: usize) -> Option<&Claim> {
        self.stores.get(&number)
    }

    /// The hint for a load of a store.
    pub(super) fn load(&self, number: usize, position: usize) -> Option<&Vec<Form>> {
        self.loads.get(&(number, position))
    }
}

/// The claim that a store's annotation makes.
fn said(
    forms: &mut Forms<'_>,
    store: &Store,
    marked: &FxHashMap<StmtId, Instance>,
) -> Option<Claim> {
    let Instance { func, stage: number, values } = marked.get(&store.stmt)?;
    if *func != store.func {
        return None;
    }
    let decl = forms.pool.func(*func).clone();
    let stage = decl.stages().get(*number)?.clone();
    let mut vars: Vec<VarId> = Vec::new();
    for (lhs, arg) in stage.lhs.iter().zip(&decl.args) {
        if *forms.pool.get(*lhs) == Expr::Var(*arg) {
            vars.push(*arg);
        }
    }
    vars.extend(stage.domain.iter().map(|variable| variable.var));
    if vars.len() != values.len() {
        return None;
    }
    let values: Vec<Form> = values.iter().map(|value| forms.form(*value)).collect();
    let point = values[vars.len() - stage.domain.len()..].to_vec();
    let mut env = Env::of(vars.into_iter().zip(values));
    let coords = stage.lhs.iter().map(|lhs| forms.form_in(*lhs, &mut env)).collect();
    Some(Claim { stage: *number, coords, point })
}

/// The other program's variables for shapes, expressed in this program's.
fn signature(forms: &mut Forms<'_>, own: &Program, other: &Program) -> Vec<(VarId, Form)> {
    let mut pairs = Vec::new();
    for (own, other) in own.output_buffers().zip(other.output_buffers()) {
        let (own, other) = (forms.pool.buffer(own).clone(), forms.pool.buffer(other).clone());
        for (own, other) in own.dims.iter().zip(&other.dims) {
            let parts = [(own.min, other.min), (own.extent, other.extent)];
            pairs.extend(parts.into_iter().chain([(own.stride, other.stride)]));
        }
    }
    let mut values = Vec::new();
    for (own, other) in pairs {
        if let Expr::Var(var) = *forms.pool.get(other) {
            values.push((var, forms.form(own)));
        }
    }
    values
}

/// Maps the other program's buffers to this one's, by name.
fn buffers(forms: &Forms<'_>, own: &Sites, other: &Sites) -> FxHashMap<BufferId, BufferId> {
    let name = |buffer: &BufferId| forms.pool.buffer(*buffer).name.as_str();
    let sorted = |sites: &Sites| {
        let mut buffers: Vec<BufferId> = sites.scopes.keys().copied().collect();
        buffers.sort_unstable();
        buffers
    };
    let own = sorted(own);
    let mut by_name: FxHashMap<&str, BufferId> = FxHashMap::default();
    for buffer in &own {
        by_name.entry(name(buffer)).or_insert(*buffer);
    }
    let mut pairs = FxHashMap::default();
    for buffer in sorted(other) {
        if let Some(own) = by_name.get(name(&buffer)) {
            pairs.insert(buffer, *own);
        }
    }
    pairs
}

struct Carrier {
    signature: Vec<(VarId, Form)>,
    buffers: FxHashMap<BufferId, BufferId>,
    renamed: FxHashMap<ExprId, ExprId>,
}

impl Carrier {
    /// The position of the corresponding store in the other program, with values for that program's
    /// variables. Each store is used once where possible.
    fn counterpart(
        &mut self,
        forms: &mut Forms<'_>,
        store: &Store,
        others: &[Store],
        used: &mut FxHashSet<usize>,
    ) -> Option<(usize, Env)> {
        let mut alike = Vec::new();
        for (number, other) in others.iter().enumerate() {
            let is_alike = (other.func, other.component) == (store.func, store.component)
                && other.flat.lanes == store.flat.lanes
                && forms.pool.buffer(other.buffer).name == forms.pool.buffer(store.buffer).name
                && other.loops.len() == store.loops.len()
                && other.loops.iter().zip(&store.loops).all(|(other, own)| {
                    forms.pool.var(other.var).name == forms.pool.var(own.var).name
                });
            if !is_alike {
                continue;
            }
            let mut env = self.env(forms, store, other);
            let place = self.one(forms, &other.flat.form, &mut env);
            alike.push((number, place == store.flat.form));
        }
        let mut found = None;
        for (number, is_same) in &alike {
            if *is_same && (found.is_none() || used.contains(&found.unwrap_or(0))) {
                found = Some(*number);
            }
        }
        let number = match (found, &*alike) {
            (Some(number), _) => number,
            // The compiler has simplified this one differently.
            (None, [(number, _)]) => *number,
            (None, _) => return None,
        };
        used.insert(number);
        let env = self.env(forms, store, &others[number]);
        Some((number, env))
    }

    fn env(&self, forms: &mut Forms<'_>, store: &Store, other: &Store) -> Env {
        let mut values = self.signature.clone();
        for (other, own) in other.loops.iter().zip(&store.loops) {
            values.push((other.var, forms.variable(own.var)));
        }
        Env::of(values)
    }

    fn all(&mut self, forms: &mut Forms<'_>, all: &[Form], env: &mut Env) -> Vec<Form> {
        all.iter().map(|form| self.one(forms, form, env)).collect()
    }

    /// Translates a form of the other program to one of this program.
    fn one(&mut self, forms: &mut Forms<'_>, form: &Form, env: &mut Env) -> Form {
        let form = forms.replaced(form, env);
        let expr = forms.expr(&form);
        let renamed = self.renamed(forms, expr);
        if renamed == expr { form } else { forms.form(renamed) }
    }

    fn renamed(&mut self, forms: &mut Forms<'_>, root: ExprId) -> ExprId {
        if let Some(known) = self.renamed.get(&root) {
            return *known;
        }
        let mut node =
            forms.pool.get(root).clone().map_operands(|operand| self.renamed(forms, operand));
        if let Expr::Load { buffer, .. } = &mut node
            && let Some(own) = self.buffers.get(buffer)
        {
            *buffer = *own;
        }
        let result = forms.pool.expr(node);
        self.renamed.insert(root, result);
        result
    }
}

/// Adds the annotated coordinates of loads for which no others were found.
pub(super) fn loads(sites: &Sites, hints: &Hints, found: &mut Loads) {
    for (number, store) in sites.stores.iter().enumerate() {
        for (position, load) in store.loads.iter().enumerate() {
            if let Some(coords) = hints.load(number, position) {
                found.entry(*load).or_insert_with(|| coords.clone());
            }
        }
    }
}
