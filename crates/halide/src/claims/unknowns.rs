//! Values of single unknowns in a claim, solved from what is known about a store and its loads.

use halidom_base::{IndexMap, IndexSet};
use halidom_ir::{BufferKind, Constant, Expr, FuncId, ReductionVar, Stage, VarId};

use super::demand::Read;
use super::form::Form;
use super::forms::{Env, Forms};
use super::found::Claim;
use super::layout::{Element, Layout};
use super::sites::{Flat, Load, REBASED, Store};
use crate::translate::{NOWHERE, UNLOADED};

/// A load with its known coordinates.
pub(super) struct Known {
    pub(super) func: FuncId,
    pub(super) component: usize,
    pub(super) coords: Vec<Option<Form>>,
}

/// Tests whether a load reads an element that no buffer has.
pub(super) fn is_nowhere(forms: &Forms<'_>, load: &Load) -> bool {
    let at = forms.pool.as_constant(load.index).and_then(Constant::as_integer);
    matches!(at, Some(NOWHERE | UNLOADED))
}

/// The values of a stage's variables in the instance that a claim names.
pub(super) fn environment(
    forms: &mut Forms<'_>,
    args: &[VarId],
    stage: &Stage,
    claim: &Claim,
) -> Env {
    let mut values = Vec::new();
    for ((lhs, arg), coord) in stage.lhs.iter().zip(args).zip(&claim.coords) {
        if *forms.pool.get(*lhs) == Expr::Var(*arg) {
            values.push((*arg, coord.clone()));
        }
    }
    for (variable, value) in stage.domain.iter().zip(&claim.point) {
        values.push((variable.var, value.clone()));
    }
    Env::of(values)
}

/// The values of a variable for which a form equals one of `values`. The form must not mention
/// other unknowns.
pub(super) fn solved<'f>(
    forms: &mut Forms<'_>,
    form: &Form,
    var: VarId,
    unknown: &[VarId],
    values: impl IntoIterator<Item = &'f Form>,
) -> Vec<Form> {
    let mut found = Vec::new();
    if !forms.depends(form, var)
        || unknown.iter().any(|other| *other != var && forms.depends(form, *other))
    {
        return found;
    }
    let Some((factor, rest)) = forms.affine(form, var) else { return found };
    let Some(by) = factor.as_constant().filter(|by| *by != 0) else { return found };
    for value in values {
        let mut difference = forms.cancelled(value.clone().minus(&rest));
        if by < 0 {
            difference = Form::default().minus(&difference);
        }
        let (quotient, remainder) = difference.divided(&Form::constant(by.abs()));
        if remainder.is_zero() && !found.contains(&quotient) {
            found.push(quotient);
        }
    }
    found
}

/// Pairs elements with coordinates where the assignment is unique: there is one of each, no other
/// element mentions the same loops, or those that do are the points of a stencil.
pub(super) fn paired(forms: &mut Forms<'_>, flats: &[Flat], coords: &[&Vec<Form>]) -> Vec<Element> {
    if let ([flat], [coords]) = (flats, coords) {
        return vec![(flat.clone(), (*coords).clone())];
    }
    let mut own: IndexMap<Vec<VarId>, Vec<&Flat>> = IndexMap::default();
    for flat in flats {
        let mut vars: Vec<VarId> = forms.form_vars(&flat.form).into_iter().collect();
        vars.sort_unstable();
        own.entry(vars).or_default().push(flat);
    }
    let all: IndexSet<VarId> = own.keys().flatten().copied().collect();
    let mut theirs: IndexMap<Vec<VarId>, Vec<&Vec<Form>>> = IndexMap::default();
    for coords in coords {
        let mut vars = IndexSet::default();
        for coord in *coords {
            vars.extend(forms.form_vars(coord).into_iter().filter(|var| all.contains(var)));
        }
        let mut vars: Vec<VarId> = vars.into_iter().collect();
        vars.sort_unstable();
        theirs.entry(vars).or_default().push(coords);
    }
    let mut found = Vec::new();
    for (vars, flats) in own {
        let Some(coords) = theirs.get(&vars) else { continue };
        if let ([flat], [coords]) = (flats.as_slice(), coords.as_slice()) {
            found.push(((*flat).clone(), (*coords).clone()));
        } else {
            found.extend(stencil(&flats, coords).unwrap_or_default());
        }
    }
    found
}

/// The most points of a stencil.
const MOST_POINTS: usize = 128;

/// Pairs elements that are constants apart with coordinates that are constants apart, if there are
/// as many of them and each dimension has one stride: memory counts the last dimension slowest.
fn stencil(flats: &[&Flat], coords: &[&Vec<Form>]) -> Option<Vec<Element>> {
    let (first, origin) = (flats.first()?, coords.first()?);
    let mut elements: Vec<(i128, &Flat)> = Vec::new();
    for flat in flats {
        elements.push((flat.form.clone().minus(&first.form).as_constant()?, flat));
    }
    let mut points: Vec<(Vec<i128>, &Vec<Form>)> = Vec::new();
    for coords in coords {
        let steps = coords.iter().zip(*origin).rev();
        let steps: Option<_> = steps.map(|(a, b)| a.clone().minus(b).as_constant()).collect();
        points.push((steps?, coords));
    }
    elements.sort_by_key(|(offset, _)| *offset);
    elements.dedup_by_key(|(offset, _)| *offset);
    points.sort_by(|a, b| a.0.cmp(&b.0));
    points.dedup_by(|a, b| a.0 == b.0);
    if elements.len() != points.len() || points.len() > MOST_POINTS {
        return None;
    }
    let mut strides: Vec<Option<i128>> = vec![None; origin.len()];
    let apart =
        |a: &[i128], b: &[i128]| -> Vec<i128> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
    for (number, (step, point)) in elements.iter().zip(&points).enumerate() {
        for (other, from) in elements.iter().zip(&points).take(number) {
            let moves = apart(&point.0, &from.0);
            let mut moved = (0..moves.len()).filter(|dim| moves[*dim] != 0);
            if let (Some(dim), None) = (moved.next(), moved.next())
                && (step.0 - other.0) % moves[dim] == 0
            {
                strides[dim].get_or_insert((step.0 - other.0) / moves[dim]);
            }
        }
    }
    let fits = elements.iter().zip(&points).all(|(step, point)| {
        let moves = apart(&point.0, &points[0].0).into_iter().zip(&strides);
        let mut sum = Some(0_i128);
        for (by, stride) in moves.filter(|(by, _)| *by != 0) {
            let stride = stride.filter(|stride| *stride > 0);
            sum =
                sum.zip(stride).and_then(|(sum, stride)| sum.checked_add(by.checked_mul(stride)?));
        }
        sum == Some(step.0 - elements[0].0)
    });
    let pairs = elements.into_iter().zip(points);
    fits.then(|| pairs.map(|(element, point)| (element.1.clone(), point.1.clone())).collect())
}

/// The forms that result from replacing one or two of the minima by an operand.
fn ways_decided(forms: &mut Forms<'_>, form: &Form) -> Vec<Form> {
    let once = forms.decided(form);
    let mut twice = Vec::new();
    for way in once.iter() {
        twice.extend(forms.decided(way).iter().cloned());
    }
    [once.to_vec(), twice].concat()
}

/// The forms that result from replacing minima around a variable by the operand that mentions it.
fn ways_unclamped(forms: &mut Forms<'_>, form: &Form, var: VarId) -> Vec<Form> {
    let mut ways = vec![form.clone()];
    let mut found = Vec::new();
    // A clamp is a minimum in a maximum.
    for _ in 0..2 {
        let mut next = Vec::new();
        for way in ways {
            if forms.clamps(&way, var) {
                next.extend(forms.decided(&way).iter().cloned());
            }
        }
        next.retain(|way| forms.depends(way, var));
        found.extend(next.iter().filter(|way| !found.contains(*way)).cloned().collect::<Vec<_>>());
        ways = next;
    }
    found
}

/// The read that a load performs.
pub(super) fn matching<'r>(
    forms: &mut Forms<'_>,
    layout: &Layout,
    (func, component): (FuncId, usize),
    load: &Load,
    reads: &'r [Read],
) -> Option<&'r Read> {
    let mut others = Vec::new();
    for read in reads.iter().filter(|read| (read.func, read.component) == (func, component)) {
        let Some(flat) = layout.flat(forms, &read.coords) else { continue };
        if flat == load.flat.form {
            return Some(read);
        }
        others.push((read, flat));
    }
    // A minimum has several forms: `min(x, 4)` is `x + min(0, 4 - x)`. Samples do not tell clamps
    // to a caller's buffer apart.
    if forms.pool.buffer(load.buffer).kind != BufferKind::Internal {
        return None;
    }
    let same = others.into_iter().find(|(_, flat)| {
        let difference = flat.clone().minus(&load.flat.form);
        difference.as_constant().is_none() && forms.span(&difference) == Some((0, 0))
    });
    same.map(|(read, _)| read)
}

/// The value of a stage's variable, if a loop around the store is named after it.
pub(super) fn named(
    forms: &mut Forms<'_>,
    store: &Store,
    var: VarId,
    (stage, func): (usize, &str),
) -> Option<Form> {
    let name = format!("{func}.s{stage}.{}", forms.pool.var(var).name);
    let called = |var: VarId| forms.pool.var(var).name == name;
    let found = store.loops.iter().rev().find_map(|of| {
        let named = of.named.filter(|named| called(*named));
        named.or(Some(of.var).filter(|own| called(*own)))
    });
    let value = forms.pool.var_expr(found?);
    Some(forms.form(value))
}

/// The value of a reduction variable, if a loop around the store is named after it and counts from
/// 0, and true if the loop has as many iterations as the domain: a part of them may begin
/// elsewhere.
pub(super) fn rebased(
    forms: &mut Forms<'_>,
    store: &Store,
    domain: &ReductionVar,
    (stage, func): (usize, &str),
) -> Option<(Form, bool)> {
    let name = format!("{func}.s{stage}.{}{REBASED}", forms.pool.var(domain.var).name);
    let mut loops = store.loops.iter().rev();
    let found = loops.find(|of| forms.pool.var(of.var).name == name)?;
    let is_whole = forms.form(found.extent) == forms.form(domain.extent);
    let (own, min) = (forms.variable(found.var), forms.form(domain.min));
    Some((own.plus(&min, 1), is_whole))
}

/// The stage in the name of the innermost loop of the func around a store.
pub(super) fn named_stage(forms: &Forms<'_>, store: &Store, func: &str) -> Option<usize> {
    let named = store.loops.iter().rev().find_map(|of| {
        let rest = forms.pool.var(of.var).name.strip_prefix(func)?.strip_prefix(".s")?;
        rest.split('.').next()?.parse::<usize>().ok()
    });
    // The loops that fill an output before the run have this stage's name.
    let is_fill = store.loads.iter().any(|load| {
        let Expr::Load { buffer, .. } = forms.pool.get(*load) else { return false };
        forms.pool.buffer(*buffer).name.ends_with(".before")
    });
    named.map(|named| named + usize::from(forms.filled.contains(&store.func) && !is_fill))
}

/// Determines an inner variable from a read whose clamp is removed: the place decides the
/// clamp, so that it is missing from the index. Returns the variable's position, its value, and
/// true if the whole read then has the known coordinate.
pub(super) fn unclamped(
    forms: &mut Forms<'_>,
    (unknown, inner): (&[VarId], &[VarId]),
    (reads, known): (&[Read], &[Known]),
    weigh: &dyn Fn(&mut Forms<'_>, VarId, &Form) -> Option<usize>,
) -> Option<(usize, Form, bool)> {
    let mut tally: IndexMap<(usize, Form), (usize, bool)> = IndexMap::default();
    for (position, var) in unknown.iter().enumerate() {
        if !inner.contains(var) {
            continue;
        }
        for read in reads {
            let there = known
                .iter()
                .filter(|known| (known.func, known.component) == (read.func, read.component));
            for known in there {
                for (arg, coord) in read.coords.iter().zip(&known.coords) {
                    let Some(coord) = coord else { continue };
                    // The clamp may also be present and equal.
                    let values = [vec![coord.clone()], ways_decided(forms, coord)].concat();
                    for way in ways_unclamped(forms, arg, *var) {
                        for value in &values {
                            for candidate in solved(forms, &way, *var, unknown, [value]) {
                                let Some(own) = weigh(forms, *var, &candidate) else {
                                    continue;
                                };
                                let mut env = Env::of([(*var, candidate.clone())]);
                                let same = forms.replaced(arg, &mut env) == *coord;
                                let weight = if same { 4 } else { usize::from(value == coord) };
                                let weight = own.max(weight);
                                let known = tally.entry((position, candidate)).or_default();
                                *known = (known.0 + weight, known.1 || same);
                            }
                        }
                    }
                }
            }
        }
    }
    // Clamping twice equals clamping once, so the simpler of two equally good values is meant.
    let mut best: Option<(usize, usize, (usize, Form, bool))> = None;
    for (found, (weight, whole)) in tally.into_iter().filter(|(_, (weight, _))| *weight > 0) {
        let expr = forms.expr(&found.1);
        let mut size = 0;
        forms.pool.for_each_subexpr(expr, &mut |_, _| size += 1);
        let better = |(most, least, _): &(usize, usize, (usize, Form, bool))| {
            weight > *most || weight == *most && size < *least
        };
        if best.as_ref().is_none_or(better) {
            best = Some((weight, size, (found.0, found.1, whole)));
        }
    }
    best.map(|(.., found)| found)
}
