//! Labels and checks in words, and the values that a failed check reports.

use halidom_ir::{Check, Expr, ExprId, FuncKind, Interval, Label, Pool};

/// Describes a label in a few words.
pub(crate) fn describe_label(pool: &Pool, label: &Label) -> String {
    match label {
        Label::Func { func, needed: _ } => ["produce ", &pool.func(*func).name].concat(),
        Label::Stage { func, stage, specialization } => {
            let mut text = pool.func(*func).name.clone();
            match stage {
                0 => text.push_str(", pure stage"),
                update => {
                    text.push_str(", update ");
                    text.push_str(&update.to_string());
                }
            }
            if *specialization > 0 {
                text.push_str(", specialization ");
                text.push_str(&specialization.to_string());
            }
            text
        }
        Label::Partition(policy) => ["partition ", policy.name()].concat(),
        Label::Ahead { func, .. } => ["fetches ahead of ", &pool.func(*func).name].concat(),
        Label::Prefetch { buffer, .. } => ["prefetch ", &pool.buffer(*buffer).name].concat(),
    }
}

/// Describes the purpose of a check in a few words.
pub(crate) fn describe_check(pool: &Pool, check: &Check) -> String {
    let name = |func| pool.func(func).name.clone();
    match check {
        Check::InputRegion { input, dim, .. } => {
            let dim = dim.to_string();
            ["the required region of `", &name(*input), "` in dimension ", &dim].concat()
        }
        Check::OutputRegion { output, dim, .. } => {
            let dim = dim.to_string();
            ["the written region of `", &name(*output), "` in dimension ", &dim].concat()
        }
        Check::Require { message } => ["the pipeline requires: ", message].concat(),
        Check::DomainExtent { func, stage, variable } => {
            let names = match &pool.func(*func).kind {
                FuncKind::Defined { stages, .. } => stages
                    .get(*stage)
                    .and_then(|stage| stage.domain.get(*variable))
                    .map(|reduction| pool.var(reduction.var).name.clone()),
                FuncKind::Input { .. } => None,
            };
            let variable = names.unwrap_or_else(|| variable.to_string());
            let stage = stage.to_string();
            let place = ["` in update ", &stage, " of `", &name(*func)].concat();
            ["the domain of `", &variable, &place, "` has a negative extent"].concat()
        }
        Check::SplitFactor { func, variable } => {
            ["the factor that splits `", &name(*func), ".", variable, "` is not positive"].concat()
        }
        Check::Bound { func, dim } => {
            let dim = dim.to_string();
            ["the bound of `", &name(*func), "` in dimension ", &dim, " does not hold"].concat()
        }
        Check::SizeLimit { what } => ["`", what, "` is beyond its limit"].concat(),
        Check::Layout { func } => [
            "the layout of `",
            &name(*func),
            "` is not supported: its strides must grow with the dimension, from 1",
        ]
        .concat(),
    }
}

/// Returns the values that a check's message shows. For a region, these are the needed min and
/// extent, then the given ones. For an extent or a factor, it is the number that must not be
/// negative, or must be positive.
pub(crate) fn check_values(pool: &Pool, condition: ExprId, check: &Check) -> Vec<ExprId> {
    match check {
        Check::InputRegion { needed, given, .. } | Check::OutputRegion { needed, given, .. } => {
            let Interval { min, extent } = *needed;
            vec![min, extent, given.min, given.extent]
        }
        Check::DomainExtent { .. } | Check::SplitFactor { .. } => {
            compared_with_constant(pool, condition)
        }
        Check::Require { .. }
        | Check::Bound { .. }
        | Check::SizeLimit { .. }
        | Check::Layout { .. } => Vec::new(),
    }
}

/// Returns the side of a comparison whose other side is a constant.
fn compared_with_constant(pool: &Pool, condition: ExprId) -> Vec<ExprId> {
    let Expr::Binary(_, lhs, rhs) = *pool.get(condition) else { return Vec::new() };
    match (pool.as_constant(lhs), pool.as_constant(rhs)) {
        (Some(_), None) => vec![rhs],
        (None, Some(_)) => vec![lhs],
        (Some(_), Some(_)) | (None, None) => Vec::new(),
    }
}
