//! The least and the greatest values of a dim over a set.

use isl_rs as isl;
use isl_rs::DimType;

use crate::{Dim, Error, Function, Set};

/// An end of an interval.
#[derive(Clone, Copy)]
enum Side {
    Lower,
    Upper,
}

impl Set {
    /// The least value of `dim` over the points of the set. The result is a function of all other
    /// dims except `over`, which vary together with `dim`. It is defined where such a point exists.
    ///
    /// # Errors
    /// [`Error::Unbounded`] if for some values of the other dims there is no least value.
    pub fn min(&self, dim: Dim, over: &[Dim]) -> Result<Function, Error> {
        self.extreme(dim, over, Side::Lower)
    }

    /// The greatest value of `dim`, like [`Set::min`].
    pub fn max(&self, dim: Dim, over: &[Dim]) -> Result<Function, Error> {
        self.extreme(dim, over, Side::Upper)
    }

    fn extreme(&self, dim: Dim, over: &[Dim], side: Side) -> Result<Function, Error> {
        let unbounded = || Error::Unbounded {
            dim: self.context().name(dim),
            side: match side {
                Side::Lower => "lower",
                Side::Upper => "upper",
            },
        };
        let over: Vec<Dim> = over.iter().copied().filter(|other| *other != dim).collect();
        let projected = self.exists(&over)?;
        let identifier = self.context().identifier(dim)?;
        let result = self.context().run(|ctx| {
            // The dim becomes the only coordinate; the other dims stay parameters, on which the
            // optimum may depend.
            let set = projected.raw().copy()?.from_params()?;
            let set = match u32::try_from(set.find_dim_by_name(DimType::Param, &identifier)?) {
                Ok(position) => set.move_dims(DimType::Set, 0, DimType::Param, position, 1)?,
                // A dim that the set does not mention is a free coordinate.
                Err(_) => set.add_dims(DimType::Set, 1)?,
            };
            let id = isl::Id::read_from_str(ctx, &identifier)?;
            let set = set.set_dim_id(DimType::Set, 0, id)?;
            match side {
                Side::Lower => set.dim_min(0),
                Side::Upper => set.dim_max(0),
            }
        });
        match result {
            Ok(raw) => Function::from_raw(self.context(), raw)?.coalesce(),
            // isl has no error code for this case.
            Err(Error::Isl { message }) if message.contains("unbounded optimum") => {
                Err(unbounded())
            }
            Err(error) => Err(error),
        }
    }
}
