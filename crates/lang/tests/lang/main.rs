//! Tests of the language through its one entry, `parse`.

#[cfg(test)]
mod arrays;
#[cfg(test)]
mod builtins;
#[cfg(test)]
mod common;
#[cfg(test)]
mod docs;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod fixes;
#[cfg(test)]
mod formatting;
#[cfg(test)]
mod funcs;
#[cfg(test)]
mod prelude;
#[cfg(test)]
mod printing;
#[cfg(test)]
mod robustness;
#[cfg(test)]
mod schedules;
#[cfg(test)]
mod types;
