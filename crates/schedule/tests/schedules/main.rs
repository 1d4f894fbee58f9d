//! Schedules applied to small algorithms.

#[cfg(test)]
mod common;
#[cfg(test)]
mod completion;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod texts;
