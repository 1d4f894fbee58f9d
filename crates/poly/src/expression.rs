//! Expressions that equal a piecewise function.

use crate::{Constraint, Error, Function, Piece, QuasiAffine, Relation, Set};

/// The greatest number of distinct values for which nested minima and maxima are tried.
const MAX_NESTED_VALUES: usize = 5;

impl Function {
    /// One expression that equals the function on its whole domain: an affine expression if one
    /// suffices, else minima and maxima of the pieces' values, else a select over the pieces.
    /// `None` if the domain is empty.
    ///
    /// Outside the domain the value of the expression is meaningless.
    pub fn expression(&self) -> Result<Option<QuasiAffine>, Error> {
        self.expression_within(&Set::universe(self.context())?)
    }

    /// Like [`Function::expression`], but the result is valid, and may be simpler, only where
    /// `assumed` holds.
    pub fn expression_within(&self, assumed: &Set) -> Result<Option<QuasiAffine>, Error> {
        let exact = self.restrict(assumed)?;
        let pieces = exact.gist(assumed)?.coalesce()?.pieces()?;
        let domain = exact.domain()?;
        for candidate in candidates(&exact.essential_values(&domain, &pieces)?) {
            let function =
                Self::from_quasi_affine(self.context(), &candidate)?.restrict(&domain)?;
            if within_limit(function.is_equal(&exact))? == Some(true) {
                return Ok(Some(candidate));
            }
        }
        let select = pieces.into_iter().rev().fold(None, |rest, piece| match rest {
            None => Some(piece.value),
            Some(rest) => {
                Some(QuasiAffine::Select(piece.domain, Box::new(piece.value), Box::new(rest)))
            }
        });
        Ok(select)
    }

    /// Returns values of pieces such that at each point of `domain` one of them is the function's
    /// value. Leaves out the values that isl split off although the others suffice.
    fn essential_values(&self, domain: &Set, pieces: &[Piece]) -> Result<Vec<QuasiAffine>, Error> {
        let mut ranked: Vec<(usize, &QuasiAffine)> = Vec::new();
        for piece in pieces {
            // Pieces that lie in a hyperplane are the most likely to be special cases of others.
            let is_full =
                |part: &&Vec<Constraint>| part.iter().all(|c| c.relation == Relation::NonNegative);
            let full = piece.domain.0.iter().filter(is_full).count();
            match ranked.iter_mut().find(|(_, value)| **value == piece.value) {
                Some((sum, _)) => *sum += full,
                None => ranked.push((full, &piece.value)),
            }
        }
        ranked.sort_unstable();
        let agree = |(_, value): &(usize, &QuasiAffine)| {
            self.equal(&Self::from_quasi_affine(self.context(), value)?)
        };
        let agreements = ranked.iter().map(agree).collect::<Result<Vec<Set>, Error>>()?;
        let mut kept: Vec<usize> = (0..ranked.len()).collect();
        for index in 0..ranked.len() {
            let others: Vec<usize> = kept.iter().copied().filter(|other| *other != index).collect();
            let covered = others
                .iter()
                .try_fold(Set::empty(self.context())?, |covered, other| {
                    covered.union(&agreements[*other])
                })
                .and_then(|covered| domain.is_subset(&covered));
            if within_limit(covered)? == Some(true) {
                kept = others;
            }
        }
        let mut values: Vec<QuasiAffine> =
            kept.into_iter().map(|index| ranked[index].1.clone()).collect();
        values.sort_unstable();
        Ok(values)
    }
}

/// Maps a question that exceeded the work limit to `None`. Use it only for questions whose answer
/// merely simplifies an expression.
fn within_limit<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::ResourceLimit { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Lists expressions without conditions, simplest first, that may equal a whole function whose
/// pieces have these values.
fn candidates(values: &[QuasiAffine]) -> Vec<QuasiAffine> {
    if values.len() < 2 {
        return values.to_vec();
    }
    let mut candidates = vec![QuasiAffine::Max(values.to_vec()), QuasiAffine::Min(values.to_vec())];
    if values.len() > MAX_NESTED_VALUES {
        return candidates;
    }
    // Clamps: some of the values bounded by the others.
    for chosen in 1_u32..1 << values.len() {
        if chosen.count_ones() < 2 || chosen.count_ones() as usize == values.len() {
            continue;
        }
        let part = |wanted: bool| {
            let indexed = values.iter().enumerate();
            indexed
                .filter(move |(index, _)| (chosen >> index & 1 == 1) == wanted)
                .map(|(_, value)| value.clone())
        };
        let bounded = |inner: QuasiAffine| std::iter::once(inner).chain(part(false)).collect();
        candidates.push(QuasiAffine::Max(bounded(QuasiAffine::Min(part(true).collect()))));
        candidates.push(QuasiAffine::Min(bounded(QuasiAffine::Max(part(true).collect()))));
    }
    candidates
}
