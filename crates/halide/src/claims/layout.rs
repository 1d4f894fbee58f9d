//! From element numbers to coordinates.

use halidom_ir::{BufferId, BufferKind, Dim, ExprId};

use super::form::{Form, Forms};

/// Where a dimension's coordinates begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// That is not known yet.
    Unknown,
    /// Here.
    At(Form),
    /// Coordinates are taken modulo so many.
    Folded(i128),
}

/// A buffer's dimensions.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) begins: Vec<Begin>,
    pub(super) extents: Vec<Form>,
    pub(super) strides: Vec<Form>,
    /// Dimensions in the order in which element numbers are divided.
    order: Vec<usize>,
    /// The number of elements of memory that may have any shape: small memory is given its size alone.
    pub(super) shapeless: Option<i128>,
}

impl Layout {
    pub(super) fn of(forms: &mut Forms<'_>, buffer: BufferId) -> Self {
        let decl = forms.pool.buffer(buffer).clone();
        let each = |forms: &mut Forms<'_>, part: fn(&Dim) -> ExprId| -> Vec<Form> {
            decl.dims.iter().map(|dim| forms.form(part(dim))).collect()
        };
        let extents = each(forms, |dim| dim.extent);
        let mut strides = each(forms, |dim| dim.stride);
        let begins = match decl.kind {
            BufferKind::Internal => vec![Begin::Unknown; decl.dims.len()],
            BufferKind::Input | BufferKind::Output => {
                each(forms, |dim| dim.min).into_iter().map(Begin::At).collect()
            }
        };
        // Halide lets the innermost stride of the caller's buffers be 1 unless it is told otherwise, and says so at entry or is told not to check.
        if decl.kind != BufferKind::Internal
            && let Some(first) = strides.first_mut()
            && first.as_constant().is_none()
        {
            *first = Form::constant(1);
        }
        let mut order: Vec<usize> = (0..strides.len()).collect();
        let size = |form: &Form| {
            let degree = form.terms().map(|(atoms, _)| atoms.len()).max().unwrap_or(0);
            let greatest = form.terms().map(|(_, factor)| factor).max().unwrap_or(0);
            (degree, greatest)
        };
        // From the greatest stride; the caller's are greater the further out the dimension is.
        order.sort_by_key(|dim| (size(&strides[*dim]), *dim));
        order.reverse();
        let inner = extents.first().and_then(Form::as_constant).filter(|size| *size > 1);
        let flat =
            extents.len() > 1 && extents[1..].iter().all(|extent| extent.as_constant() == Some(1));
        let shapeless = inner.filter(|_| flat && decl.kind == BufferKind::Internal);
        Self { begins, extents, strides, order, shapeless }
    }

    /// Gives memory the shape in which these elements are at these coordinates, if there is one; where nothing speaks for another shape, what it has.
    pub(super) fn shape(&mut self, forms: &mut Forms<'_>, evidence: &[(Form, Vec<Form>)]) {
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
        for (number, (flat, coords)) in evidence.iter().enumerate() {
            for (other, others) in &evidence[number + 1..] {
                let steps = coords.iter().zip(others);
                let steps = steps.map(|(a, b)| a.clone().minus(b).as_constant()).collect();
                note(flat.clone().minus(other).as_constant(), steps);
            }
            for var in forms.form_vars(flat) {
                let mut along =
                    |form: &Form| forms.affine(form, var).and_then(|(by, _)| by.as_constant());
                let step = along(flat);
                let steps = coords.iter().map(&mut along).collect();
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
        if !regular || !ends {
            return;
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

    /// Whether all is known.
    pub(super) fn is_known(&self) -> bool {
        !self.begins.contains(&Begin::Unknown)
    }

    /// Numbers of steps along each dimension: coordinates less where they begin. A constant is divided too, or stays with the inner dimension if `keeps` and something is taken
    /// away there: which of the two is right cannot be told from the number alone.
    pub(super) fn slots(&self, forms: &mut Forms<'_>, flat: &Form, keeps: bool) -> Vec<Form> {
        let mut slots = vec![Form::default(); self.strides.len()];
        let mut rest = flat.clone();
        let one = Form::constant(1);
        let (last, outer) = match self.order.split_last() {
            Some((last, outer)) => (*last, outer),
            None => return slots,
        };
        for dim in outer {
            if self.extents[*dim] == one {
                continue;
            }
            let (mut quotient, mut remainder) = rest.divided(&self.strides[*dim]);
            if keeps && self.strides[*dim].as_constant().is_some() && !remainder.grows() {
                let (whole, _) = Form::constant(rest.constant_part()).divided(&self.strides[*dim]);
                quotient = quotient.minus(&whole);
                remainder = remainder.plus(&whole.times(&self.strides[*dim]), 1);
            }
            if self.strides[*dim].as_constant().is_some() {
                let taken = taken_away(forms, &quotient, &remainder);
                remainder = remainder.plus(&taken.times(&self.strides[*dim]), 1);
                quotient = quotient.minus(&taken);
            }
            // A remainder that is a negative number for sure is of the element before.
            let below = remainder.as_constant().is_some_and(|number| number < 0)
                || self.strides[*dim].as_constant().is_none() && is_negative(&remainder);
            if below {
                quotient = quotient.offset(-1);
                remainder = remainder.plus(&self.strides[*dim], 1);
            }
            slots[*dim] = quotient;
            rest = remainder;
        }
        slots[last] = rest;
        slots
    }

    /// The element number of coordinates, where all is known.
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
        Some(sum)
    }

    /// The coordinates of an element, where they follow from its number.
    pub(super) fn coords(
        &self,
        forms: &mut Forms<'_>,
        flat: &Form,
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

/// What is taken away in a quotient though the remainder's minima grow with it: a clamped coordinate less where the memory begins.
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

/// Whether a form has a negative constant and else no more than a lane.
fn is_negative(form: &Form) -> bool {
    let constant = form.terms().find(|(atoms, _)| atoms.is_empty());
    constant.is_some_and(|(_, value)| value < 0)
        && form.terms().count() <= 2
        && form
            .terms()
            .all(|(atoms, factor)| atoms.len() <= 1 && factor.abs() <= 1 || atoms.is_empty())
}
