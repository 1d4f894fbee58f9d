//! Values of scalar parameters.

use halidom_interp::{Bindings, evaluate_expr};
use halidom_ir::{Algorithm, Constant, Pool, Scalar, eval};
use halidom_testgen::random_constant;

use super::error::DataError;
use super::request::Request;

/// The number of draws of parameters until the pipeline's `require`s hold.
const MOST_DRAWS: u64 = 256;

/// Binds the parameters as the request specifies. Drawn parameters satisfy the `require`s about
/// parameters alone, if one of a limited number of draws does.
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
    for draw in 0..MOST_DRAWS {
        bind_draw(pool, algorithm, request, draw, bindings)?;
        if request.random.is_none() || requirements_hold(pool, algorithm, bindings) {
            break;
        }
    }
    Ok(())
}

/// Tests that no `require` evaluates to false. A `require` that cannot be evaluated depends on
/// shapes.
fn requirements_hold(pool: &Pool, algorithm: &Algorithm, bindings: &Bindings) -> bool {
    algorithm.requires.iter().all(|require| {
        let value = evaluate_expr(pool, require.condition, bindings);
        value.ok().and_then(Constant::as_bool) != Some(false)
    })
}

fn bind_draw(
    pool: &Pool,
    algorithm: &Algorithm,
    request: &Request,
    draw: u64,
    bindings: &mut Bindings,
) -> Result<(), DataError> {
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
            (None, Some(seed)) => {
                let number = number as u64;
                let all = draw * algorithm.params.len() as u64 + number;
                smaller(random_constant(decl.ty.scalar, seed, all), draw, number)
            }
            (None, None) => {
                return Err(DataError::Missing { kind: "parameter", name: decl.name.clone() });
            }
        };
        bindings.set_var(pool, *param, value)?;
    }
    Ok(())
}

/// Makes integers of every second draw small, in turn below each power of two up to 2^12: most
/// `require`s that a first draw does not satisfy demand small numbers.
fn smaller(drawn: Constant, draw: u64, number: u64) -> Constant {
    // Parameters come together with each pair of powers.
    let turn = draw / 2;
    let bits = (turn + 11 + number * (turn / 12 + 1)) % 12 + 1;
    let small = drawn
        .as_integer()
        .filter(|_| draw % 2 == 1)
        .and_then(|value| Constant::wrapped(drawn.scalar(), value.rem_euclid(1 << bits)));
    small.unwrap_or(drawn)
}

/// Reads a value of a type.
pub(crate) fn read(scalar: Scalar, text: &str) -> Option<Constant> {
    if scalar == Scalar::Bool {
        return text.parse().ok().map(Constant::bool);
    }
    if scalar.is_float() {
        return eval::cast(scalar, Constant::f64(text.parse().ok()?)).ok();
    }
    let value: i128 = text.parse().ok()?;
    if scalar == Scalar::Int && i64::try_from(value).is_err() {
        // A parameter of this type is passed with 64 bits.
        return None;
    }
    let constant = Constant::wrapped(scalar, value)?;
    (constant.as_integer() == Some(value)).then_some(constant)
}

#[cfg(test)]
mod tests {
    use super::{bind, read};
    use crate::data::Request;
    use crate::source;
    use halidom_interp::Bindings;
    use halidom_ir::{Constant, Scalar};

    #[test]
    fn drawn_parameters_satisfy_narrow_requirements() {
        let text = "pipeline p(a: buffer<u8, 1>, k: i32, n: u8) -> o: buffer<u8, 1> {
            require k > 0 && k < 9; require n > 200; func o(x) = a(x + int(k)) + n; }
        pipeline q(a: buffer<u8, 1>, k: i32, n: i32) -> o: buffer<u8, 1> {
            require k < -5; require n > 1000000; func o(x) = a(x + int(k)) + u8(n); }";
        let loaded = source::parse("p.hal", text);
        let pipelines = [0, 1].map(|number| &loaded.module.pipelines[number].algorithm);
        for (algorithm, seed) in
            pipelines.into_iter().flat_map(|one| (0..20).map(move |seed| (one, seed)))
        {
            let request = Request { random: Some(seed), ..Request::default() };
            let (pool, mut bindings) = (&loaded.module.pool, Bindings::new());
            bind(pool, algorithm, &request, &mut bindings).expect("they are drawn");
            let holds = super::requirements_hold(pool, algorithm, &bindings);
            assert!(holds, "seed {seed}");
        }
    }

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
            (Scalar::Int, "9223372036854775808"),
            (Scalar::Int, "-9223372036854775809"),
        ] {
            assert_eq!(read(scalar, text), None, "{text} as {scalar}");
        }
    }
}
