//! Compares the claims of stores with the specification.

use halidom_ir::StmtId;

use super::access::integer;
use super::compile::Claim;
use super::execute::Machine;
use super::fault::{Fault, Role, WrongClaim};
use crate::code::Value;

impl Machine<'_> {
    /// Compares the values that the lanes of a store are about to write with the values of the
    /// claimed instances, at needed coordinates.
    pub(super) fn check_claim(
        &mut self,
        claim: &Claim,
        lane: usize,
        (writes, components): (&[(usize, usize, Value)], usize),
        stmt: StmtId,
    ) -> Result<(), Fault> {
        self.evaluate(&claim.code, lane, stmt)?;
        let Some(mut oracle) = self.oracle.take() else { return Ok(()) };
        for (number, (memory, element, value)) in writes.iter().enumerate() {
            let (k, component) = (number / components, claim.component + number % components);
            let number = |result: usize| {
                let value = self.registers[claim.code.result(result).at(k)];
                let number = integer(value, Role::Claim, stmt)?;
                i64::try_from(number).map_err(|_| Fault::IndexOverflow { value: number, stmt })
            };
            let coords: Vec<i64> = (0..claim.coords).map(number).collect::<Result<_, _>>()?;
            let point: Vec<i64> =
                (claim.coords..claim.coords + claim.point).map(number).collect::<Result<_, _>>()?;
            let needed = self.lanes[lane].needed.iter().rev().find(|(func, _)| *func == claim.func);
            // Without a label, every value is needed.
            let is_needed = needed.is_none_or(|(_, region)| {
                region.len() == coords.len()
                    && region.iter().zip(&coords).all(|((min, extent), coord)| {
                        let coord = i128::from(*coord);
                        coord >= *min && coord < min.saturating_add(*extent)
                    })
            });
            if !is_needed {
                continue;
            }
            let specified = oracle
                .written((claim.func, component), claim.stage, &coords, &point)
                .map_err(Box::new)?;
            if specified.is_none() || specified != *value {
                return Err(Fault::ClaimWrong(Box::new(WrongClaim {
                    place: self.element_place(*memory, *element, stmt),
                    stored: *value,
                    instance: (claim.func, claim.stage),
                    coords,
                    point,
                    specified,
                })));
            }
        }
        self.oracle = Some(oracle);
        Ok(())
    }
}
