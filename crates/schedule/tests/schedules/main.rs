//! Schedules applied to small algorithms.

#[cfg(test)]
mod common;
#[cfg(test)]
mod completion;
#[cfg(test)]
mod samples;
