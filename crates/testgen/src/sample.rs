//! Shares of lists of cases, so that a run of all tests stays short.

/// The variable of the environment under which tests examine all their cases.
const SWEEP: &str = "HALIDOM_SWEEP";

/// Tests whether all cases are wanted, however long they take: `cargo xtask sweep`.
pub fn is_sweep() -> bool {
    std::env::var_os(SWEEP).is_some()
}

/// Returns every `one_in`-th case, beginning with the first, or all of them in a sweep.
pub fn sampled<T>(cases: impl IntoIterator<Item = T>, one_in: usize) -> Vec<T> {
    let step = if is_sweep() { 1 } else { one_in.max(1) };
    cases.into_iter().step_by(step).collect()
}
