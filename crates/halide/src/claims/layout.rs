//! Converts indices to coordinates.

use std::borrow::Cow;

use halidom_base::FxHashSet;
use halidom_ir::{BinaryOp, BufferId, BufferKind, Constant, Dim, Expr, ExprId};

use super::form::Form;
use super::forms::{Env, Forms};
use super::sites::{Fixed, Flat, Sites};

/// The first coordinate of a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// Not known yet.
    Unknown,
    /// This coordinate.
    At(Form),
    /// Coordinates are taken modulo this number.
    Folded(i128),
}

impl Begin {
    /// The part of a form that is a multiple of the first coordinate, if that is a single atom.
    fn taken_from(&self, form: &Form) -> Form {
        match self {
            Self::At(min) => min.as_atom().map_or_else(Form::default, |atom| form.only(atom)),
            Self::Unknown | Self::Folded(_) => Form::default(),
        }
    }
}

/// The most elements from which a shape is inferred.
const MOST_EVIDENCE: usize = 512;

/// An element: its index, with its coordinates.
pub(super) type Element = (Flat, Vec<Form>);

/// The dimensions of a buffer.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) begins: Vec<Begin>,
    pub(super) extents: Vec<Form>,
    pub(super) strides: Vec<Form>,
    /// The dimensions in the order in which an index is divided.
    order: Vec<usize>,
    /// True for memory of the pipeline itself, whose indices count from its beginning.
    internal: bool,
    /// The number of elements of memory that may have any shape, because only its total size is
    /// given.
    pub(super) shapeless: Option<i128>,
}

impl Layout {
    pub(super) fn of(forms: &mut Forms<'_>, sites: &Sites, buffer: BufferId) -> Self {
        let decl = forms.pool.buffer(buffer).clone();
        let each = |forms: &mut Forms<'_>, part: fn(&Dim) -> ExprId| -> Vec<Form> {
            decl.dims.iter().map(|dim| forms.form(part(dim))).collect()
        };
        let extents = each(forms, |dim| dim.extent);
        let strides: Vec<ExprId> = decl.dims.iter().map(|dim| forms.equal(dim.stride)).collect();
        let mut strides: Vec<Form> = strides.into_iter().map(|stride| forms.form(stride)).collect();
        let mentions = |forms: &mut Forms<'_>, stride: &Form| {
            let vars = forms.form_vars(stride);
            let loads = sites.loads.values().filter(|load| load.buffer == buffer);
            let stores = sites.stores.iter().filter(|store| store.buffer == buffer);
            let mut flats = loads.map(|load| &load.flat).chain(stores.map(|store| &store.flat));
            flats.any(|flat| vars.iter().any(|var| forms.depends(&flat.form, *var)))
                || sites.fixed(buffer).any(|(var, _)| vars.contains(var))
        };
        let begins = match decl.kind {
            BufferKind::Internal => vec![Begin::Unknown; decl.dims.len()],
            BufferKind::Input | BufferKind::Output => {
                each(forms, |dim| dim.min).into_iter().map(Begin::At).collect()
            }
        };
        // Halide assumes an innermost stride of 1 for the caller's buffers unless it is told
        // otherwise. It checks this at entry, or is told not to check. An index that mentions the
        // stride, or a condition on it around an access, shows that it was told otherwise.
        if decl.kind != BufferKind::Internal
            && let Some(first) = strides.first_mut()
            && first.as_constant().is_none()
            && !mentions(forms, first)
        {
            *first = Form::constant(1);
        }
        let order = order_of(&strides);
        let mut long = extents.iter().filter(|extent| extent.as_constant() != Some(1));
        let shapeless = match (long.next(), long.next()) {
            (Some(only), None) if extents.len() > 1 && decl.kind == BufferKind::Internal => {
                only.as_constant().filter(|size| *size > 1)
            }
            (Some(_) | None, _) => None,
        };
        let internal = decl.kind == BufferKind::Internal;
        Self { begins, extents, strides, order, internal, shapeless }
    }

    /// The layout of a caller's buffer where some variables have fixed values.
    pub(super) fn under(&self, forms: &mut Forms<'_>, fixed: &Fixed) -> Cow<'_, Self> {
        if self.internal || fixed.is_empty() {
            return Cow::Borrowed(self);
        }
        let values = fixed.iter().map(|(var, value)| (*var, Form::constant(*value)));
        let mut env = Env::of(values);
        let mut at = |form: &Form| forms.replaced(form, &mut env);
        let strides: Vec<Form> = self.strides.iter().map(&mut at).collect();
        let extents = self.extents.iter().map(&mut at).collect();
        let begins = self.begins.iter().map(|begin| match begin {
            Begin::At(min) => Begin::At(at(min)),
            Begin::Unknown | Begin::Folded(_) => begin.clone(),
        });
        let begins = begins.collect();
        let order = order_of(&strides);
        Cow::Owned(Self { begins, extents, strides, order, ..self.clone() })
    }

    /// Tests whether the evidence covers every element of memory without a shape.
    pub(super) fn covers(&self, forms: &mut Forms<'_>, evidence: &[Element]) -> bool {
        let Some(size) = self.shapeless else { return false };
        let mut covered: FxHashSet<i128> = FxHashSet::default();
        for (flat, _) in evidence {
            let Some((step, rest)) = forms.affine(&flat.form, forms.lane) else { continue };
            if let (Some(step), Some(first)) = (step.as_constant(), rest.as_constant()) {
                covered.extend((0..i128::from(flat.lanes)).map(|lane| first + step * lane));
            }
        }
        usize::try_from(size).is_ok_and(|size| covered.len() == size)
    }

    /// Gives memory the shape in which these elements have these coordinates, if there is one, or
    /// else the shape that a ring in the indices of its accesses shows. Without evidence for
    /// another shape, it keeps its own.
    pub(super) fn shape(&mut self, forms: &mut Forms<'_>, evidence: &[Element], accessed: &[Form]) {
        let Some(size) = self.shapeless.take() else { return };
        let mut strides: Vec<Option<i128>> = vec![None; self.extents.len()];
        let mut note = |step: Option<i128>, steps: Vec<Option<i128>>| {
            let Some(step) = step else { return };
            let Some(steps) = steps.into_iter().collect::<Option<Vec<i128>>>() else { return };
            let moved: Vec<usize> = (0..steps.len()).filter(|dim| steps[*dim] != 0).collect();
            if let [only] = *moved
                && step % steps[only] == 0
                && step / steps[only] > 0
            {
                strides[only].get_or_insert(step / steps[only]);
            }
        };
        let evidence = &evidence[..evidence.len().min(MOST_EVIDENCE)];
        // Copies of an unrolled loop may have loops of their own within, so elements of the first
        // iterations are compared.
        let mut firsts: Vec<(Form, Vec<Form>)> = Vec::new();
        for (flat, coords) in evidence {
            let coords = coords.iter().map(|coord| forms.at_first(coord)).collect();
            firsts.push((forms.at_first(&flat.form), coords));
        }
        for (number, (flat, coords)) in firsts.iter().enumerate() {
            for (other, others) in &firsts[number + 1..] {
                let steps = coords.iter().zip(others);
                let steps = steps.map(|(a, b)| a.clone().minus(b).as_constant()).collect();
                note(flat.clone().minus(other).as_constant(), steps);
            }
        }
        for (flat, coords) in evidence {
            let folded = folds(forms, &flat.form);
            for var in forms.form_vars(&flat.form) {
                let mut along =
                    |form: &Form| forms.affine(form, var).and_then(|(by, _)| by.as_constant());
                let step = along(&flat.form);
                let steps: Vec<Option<i128>> = coords.iter().map(&mut along).collect();
                for Fold { whole, by, stride } in &folded {
                    // The rows of a ring are one after the other, but for the last and the first.
                    let moves = steps.iter().flatten().find(|step| **step != 0).copied();
                    if let (Some(own), Some(moves)) = (along(whole), moves)
                        && own != 0
                        && (own - moves) % by == 0
                    {
                        note(moves.checked_mul(*stride), steps.clone());
                    }
                }
                note(step, steps);
            }
        }
        let mut known: Vec<(i128, usize)> = strides
            .iter()
            .enumerate()
            .filter_map(|(dim, stride)| Some(((*stride)?, dim)))
            .collect();
        known.sort_unstable();
        let regular =
            known.windows(2).all(|pair| pair[1].0 % pair[0].0 == 0 && pair[1].0 > pair[0].0);
        let ends = known.first().is_some_and(|(stride, _)| *stride == 1)
            && known.last().is_some_and(|(stride, _)| size % stride == 0);
        let is_whole = regular && ends;
        match self.ring(forms, size, accessed) {
            Some(ring) if !is_whole || known.iter().all(|stride| ring.contains(stride)) => {
                known = ring;
            }
            None if !is_whole => return,
            Some(_) | None => {}
        }
        self.extents.fill(Form::constant(1));
        for (position, (stride, dim)) in known.iter().enumerate() {
            let next = known.get(position + 1).map_or(size, |(next, _)| *next);
            self.extents[*dim] = Form::constant(next / stride);
            self.strides[*dim] = Form::constant(*stride);
        }
        for (dim, stride) in self.strides.iter_mut().enumerate() {
            if !known.iter().any(|(_, other)| *other == dim) {
                *stride = Form::constant(size);
            }
        }
        let mut order: Vec<usize> = (0..self.strides.len()).collect();
        order.sort_by_key(|dim| (self.strides[*dim].as_constant(), *dim));
        order.reverse();
        self.order = order;
    }

    /// The strides of memory whose accesses show one ring, with their dimensions: a row of the ring
    /// has the elements of the first dimension, and the second dimension counts rows. Further rings
    /// belong to the third dimension.
    fn ring(
        &self,
        forms: &mut Forms<'_>,
        size: i128,
        accessed: &[Form],
    ) -> Option<Vec<(i128, usize)>> {
        let mut rings: Vec<(i128, i128)> = Vec::new();
        for index in accessed {
            let folds = folds(forms, index).into_iter().map(|fold| (fold.stride, fold.by));
            rings.extend(folds.filter(|(stride, _)| *stride > 1));
        }
        rings.sort_unstable();
        rings.dedup();
        let [(stride, by)] = *rings else { return None };
        let whole = stride.checked_mul(by)?;
        if size % whole != 0 {
            return None;
        }
        let mut known = vec![(1, 0), (stride, 1)];
        if whole < size {
            known.push((whole, 2));
        }
        (known.len() <= self.strides.len()).then_some(known)
    }

    /// Tests whether the beginnings of all dimensions are known.
    pub(super) fn is_known(&self) -> bool {
        !self.begins.contains(&Begin::Unknown)
    }

    /// The steps along each dimension: coordinates relative to its beginning. The constant is
    /// divided as well; if `keeps` is set and the inner part has subtracted terms, the constant
    /// stays with the inner dimension. The index alone does not tell which of the two is right.
    pub(super) fn slots(&self, forms: &mut Forms<'_>, flat: &Flat, keeps: bool) -> Vec<Form> {
        let mut slots = vec![Form::default(); self.strides.len()];
        let mut rest = flat.form.clone();
        let one = Form::constant(1);
        let (last, outer) = match self.order.split_last() {
            Some((last, outer)) => (*last, outer),
            None => return slots,
        };
        for dim in outer {
            if self.extents[*dim] == one {
                continue;
            }
            let stride = stride_here(forms, &self.strides[*dim], &self.begins[*dim], &rest);
            let (mut quotient, mut remainder) = if self.internal {
                division(forms, &rest, &stride)
            } else {
                forms.divided(&rest, &stride)
            };
            if stride == one && self.strides[*dim] != one {
                // The subtracted beginnings of inner dimensions stay with these.
                for begin in &self.begins[..*dim] {
                    let taken = begin.taken_from(&quotient);
                    remainder = remainder.plus(&taken, 1);
                    quotient = quotient.minus(&taken);
                }
            }
            if let Some(by) = stride.as_constant() {
                if keeps && !remainder.grows() {
                    let (whole, _) = Form::constant(rest.constant_part()).divided(&stride);
                    quotient = quotient.minus(&whole);
                    remainder = remainder.plus(&whole, by);
                }
                let taken = taken_away(forms, &quotient, &remainder);
                remainder = remainder.plus(&taken, by);
                quotient = quotient.minus(&taken);
                let rows = forms.lanes_in_rows(&remainder, by, flat.lanes);
                remainder = remainder.minus(&rows.times(&stride));
                quotient = quotient.plus(&rows, 1);
            }
            // A caller's element is reached from the nearest one of the dimension: a stencil
            // reaches before its centre.
            if let Some(by) = stride.as_constant().filter(|_| !self.internal && !keeps)
                && remainder.constant_part() * 2 >= by
                && remainder.as_constant().is_none()
            {
                quotient = quotient.offset(1);
                remainder = remainder.offset(-by);
            }
            // A remainder that is certainly negative belongs to the element before.
            let below = remainder.as_constant().is_some_and(|number| number < 0)
                || stride.as_constant().is_none() && is_negative(forms, &remainder);
            if below {
                quotient = quotient.offset(-1);
                remainder = remainder.plus(&stride, 1);
            }
            slots[*dim] = quotient;
            rest = remainder;
        }
        let stride = &self.strides[last];
        if *stride != one && !self.begins.contains(&Begin::Unknown) {
            // The elements of a caller's buffer may be any number of elements apart.
            let (quotient, remainder) = forms.divided(&rest, stride);
            rest = quotient.plus(&remainder, 1);
        }
        slots[last] = forms.parted(&rest);
        slots
    }

    /// The index of given coordinates, if all beginnings are known.
    pub(super) fn flat(&self, forms: &mut Forms<'_>, coords: &[Form]) -> Option<Form> {
        let mut sum = Form::default();
        for ((coord, begin), stride) in coords.iter().zip(&self.begins).zip(&self.strides) {
            let slot = match begin {
                Begin::Unknown => return None,
                Begin::At(min) => coord.clone().minus(min),
                Begin::Folded(by) => forms.remainder(coord, &Form::constant(*by)),
            };
            sum = sum.plus(&slot.times(stride), 1);
        }
        Some(forms.joined(&sum))
    }

    /// The coordinates of an element, as far as its index determines them.
    pub(super) fn coords(
        &self,
        forms: &mut Forms<'_>,
        flat: &Flat,
        keeps: bool,
    ) -> Vec<Option<Form>> {
        let slots = self.slots(forms, flat, keeps).into_iter().zip(&self.begins);
        slots
            .map(|(slot, begin)| match begin {
                Begin::At(min) => Some(slot.plus(min, 1)),
                Begin::Unknown | Begin::Folded(_) => None,
            })
            .collect()
    }
}

/// A part of an index that is a row of a ring: `whole % by` times the stride.
struct Fold {
    whole: Form,
    by: i128,
    stride: i128,
}

/// The rows of rings in an index.
fn folds(forms: &mut Forms<'_>, index: &Form) -> Vec<Fold> {
    let mut found = Vec::new();
    for (atoms, stride) in index.terms() {
        let [atom] = *atoms else { continue };
        let Expr::Binary(BinaryOp::Mod, whole, by) = *forms.pool.get(atom) else { continue };
        let by = forms.pool.as_constant(by).and_then(Constant::as_integer);
        if let Some(by) = by.filter(|by| *by > 0) {
            found.push(Fold { whole: forms.form(whole), by, stride });
        }
    }
    found
}

/// The dimensions, those with the greatest strides first. A caller's strides grow from inner to
/// outer dimensions.
fn order_of(strides: &[Form]) -> Vec<usize> {
    let size = |form: &Form| {
        let degree = form.terms().map(|(atoms, _)| atoms.len()).max().unwrap_or(0);
        let greatest = form.terms().map(|(_, factor)| factor).max().unwrap_or(0);
        (degree, greatest)
    };
    let mut order: Vec<usize> = (0..strides.len()).collect();
    order.sort_by_key(|dim| (size(&strides[*dim]), *dim));
    order.reverse();
    order
}

/// Divides an index that counts from the beginning of the memory. Of several ways, one is chosen
/// whose remainder is not negative in the first iteration of all loops. A branch may leave out the
/// sizes at which it is, so if there is no such way, the one that is the least negative is chosen.
fn division(forms: &mut Forms<'_>, index: &Form, stride: &Form) -> (Form, Form) {
    let key = (index.clone(), stride.clone());
    if let Some(known) = forms.quotients.get(&key) {
        return known.clone();
    }
    let parts = divided(forms, index, stride);
    forms.quotients.insert(key, parts.clone());
    parts
}

fn divided(forms: &mut Forms<'_>, index: &Form, stride: &Form) -> (Form, Form) {
    let ways = index.divisions(stride);
    let mut best: Option<(i128, usize)> = None;
    if ways.windows(2).any(|pair| pair[0] != pair[1]) {
        for (number, (quotient, remainder)) in ways.iter().enumerate() {
            let first = forms.at_first(remainder);
            let Some((least, _)) = forms.span(&first).filter(|(least, _)| *least < 0) else {
                return (quotient.clone(), remainder.clone());
            };
            if best.is_none_or(|(most, _)| least > most) {
                best = Some((least, number));
            }
        }
    }
    let chosen = best.map_or(0, |(_, number)| number);
    ways.into_iter().nth(chosen).unwrap_or_else(|| (Form::default(), index.clone()))
}

/// The subtracted terms of a quotient that belong with the remainder: variables that occur in the
/// remainder's minima. They come from a clamped coordinate minus the beginning of the memory.
fn taken_away(forms: &mut Forms<'_>, quotient: &Form, remainder: &Form) -> Form {
    let mut taken = Form::default();
    for (atoms, factor) in quotient.terms() {
        let [atom] = atoms else { continue };
        let Some(var) = forms.as_variable(*atom).filter(|_| factor < 0) else { continue };
        let clamped = forms.clamps(remainder, var) && !forms.clamps(quotient, var);
        if clamped {
            taken = taken.plus(&Form::atom(*atom), factor);
        }
    }
    taken
}

/// A stride as it appears in an index. Where a path decides a minimum in the stride, the compiler
/// has dropped the other operand. Where the path makes the stride constant, it is the factor of the
/// subtracted beginning of the dimension.
fn stride_here(forms: &mut Forms<'_>, stride: &Form, begin: &Begin, flat: &Form) -> Form {
    let divides = |forms: &mut Forms<'_>, stride: &Form| !forms.divided(flat, stride).0.is_zero();
    if stride.as_constant().is_some() || divides(forms, stride) {
        return stride.clone();
    }
    for way in forms.decided(stride).iter() {
        if way.as_constant().is_none() && divides(forms, way) {
            return way.clone();
        }
    }
    let taken = begin.taken_from(flat);
    if let Some(((_, factor), true)) = taken.terms().next().map(|term| (term, !taken.grows())) {
        return Form::constant(-factor);
    }
    stride.clone()
}

/// Tests whether a form has a negative constant, and otherwise only the lane with a factor of at
/// most 1.
fn is_negative(forms: &Forms<'_>, form: &Form) -> bool {
    form.constant_part() < 0
        && form.terms().all(|(atoms, factor)| match *atoms {
            [] => true,
            [only] => factor.abs() <= 1 && forms.as_variable(only) == Some(forms.lane),
            _ => false,
        })
}
