//! Values of scalar parameters.

use halidom_interp::Bindings;
use halidom_ir::{Algorithm, Constant, Pool, Scalar, eval};
use halidom_testgen::random_constant;

use super::{DataError, Request};

pub(super) fn bind(
    pool: &Pool,
    algorithm: &Algorithm,
    request: &Request,
    bindings: &mut Bindings,
) -> Result<(), DataError> {
    let names: Vec<&str> =
        algorithm.params.iter().map(|param| pool.var(*param).name.as_str()).collect();
    if let Some((name, _)) = request.params.iter().find(|(name, _)| !names.contains(&name.as_str()))
    {
        return Err(DataError::UnknownName {
            kind: "parameter",
            name: name.clone(),
            known: super::inputs::listed(&names),
        });
    }
    for (number, param) in algorithm.params.iter().enumerate() {
        let decl = pool.var(*param);
        let given = request.params.iter().rev().find(|(name, _)| *name == decl.name);
        let value = match (given, request.random) {
            (Some((name, text)), _) => {
                let error = || DataError::Value {
                    name: name.clone(),
                    value: text.clone(),
                    ty: decl.ty.scalar,
                };
                read(decl.ty.scalar, text).ok_or_else(error)?
            }
            (None, Some(seed)) => random_constant(decl.ty.scalar, seed, number as u64),
            (None, None) => {
                return Err(DataError::Missing { kind: "parameter", name: decl.name.clone() });
            }
        };
        bindings.set_var(pool, *param, value)?;
    }
    Ok(())
}

fn read(scalar: Scalar, text: &str) -> Option<Constant> {
    if scalar == Scalar::Bool {
        return text.parse().ok().map(Constant::bool);
    }
    if scalar.is_float() {
        return eval::cast(scalar, Constant::f64(text.parse().ok()?)).ok();
    }
    let value: i128 = text.parse().ok()?;
    let constant = Constant::wrapped(scalar, value)?;
    (constant.as_integer() == Some(value)).then_some(constant)
}

#[cfg(test)]
mod tests {
    use super::read;
    use halidom_ir::{Constant, Scalar};

    #[test]
    fn values_must_fit_their_type() {
        assert_eq!(read(Scalar::U8, "255"), Constant::wrapped(Scalar::U8, 255));
        assert_eq!(read(Scalar::F32, "1.5"), Some(Constant::f32(1.5)));
        assert_eq!(read(Scalar::Bool, "true"), Some(Constant::bool(true)));
        for (scalar, text) in [
            (Scalar::U8, "256"),
            (Scalar::U8, "1.5"),
            (Scalar::Bool, "1"),
            (Scalar::F32, "x"),
            (Scalar::Int, ""),
        ] {
            assert_eq!(read(scalar, text), None, "{text} as {scalar}");
        }
    }
}
