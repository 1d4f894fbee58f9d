//! Explains in words where the estimated time of a schedule goes.

use crate::features::{Class, Features, Memory, Stage};
use crate::machine::{Estimate, Machine};

/// The names of the caches.
const CACHES: [&str; 3] = ["L1", "L2", "L3"];

/// Bytes below which a movement is not worth a line.
const SMALL: f64 = 1024.0;

/// Returns lines about each root, its stages and the memory.
pub fn explain(features: &Features, machine: &Machine) -> Vec<String> {
    let estimate = machine.estimate(features);
    let mut lines = Vec::new();
    lines.push(format!("estimated {} with {}", time(estimate.total), threads(machine.threads)));
    for (number, root) in features.roots.iter().enumerate() {
        let own = features.stages.iter().zip(&estimate.stages);
        let own: Vec<(&Stage, f64)> = own
            .filter(|(stage, _)| stage.root == number)
            .map(|(stage, time)| (stage, *time))
            .collect();
        let computing: f64 = own.iter().map(|(_, time)| time).sum();
        lines.push(format!(
            "{}: {}; on one thread it computes for {} and moves memory for {}{}{}",
            root.name,
            time(estimate.roots[number]),
            time(computing),
            time(estimate.memory[number]),
            turns(root.pages * machine.times.page, estimate.roots[number]),
            slack(root.share, machine.threads)
        ));
        for (stage, took) in own {
            lines.push(format!("  {}", of_stage(stage, took, &estimate, machine)));
        }
    }
    lines.extend(features.memory.iter().filter_map(of_memory));
    if features.allocations >= 1.0 {
        lines.push(format!(
            "{} allocations take {}",
            count(features.allocations),
            time(estimate.allocations)
        ));
    }
    lines
}

fn of_stage(stage: &Stage, took: f64, estimate: &Estimate, machine: &Machine) -> String {
    let times = &machine.times;
    let mut parts: Vec<(f64, String)> = Vec::new();
    for (number, class) in Class::ALL.iter().enumerate() {
        let vector = stage.vector[number] * times.vector[number];
        parts.push((vector, format!("{} in vectors", class.name())));
        let scalar = stage.scalar[number] * times.scalar[number];
        parts.push((scalar, format!("{} without vectors", class.name())));
    }
    let both = [(&stage.loads, &times.load, "loads"), (&stage.stores, &times.store, "stores")];
    for (counts, each, what) in both {
        parts.push((counts.dense * each.dense, format!("dense {what}")));
        parts.push((counts.strided * each.strided, format!("strided {what}")));
        parts.push((counts.gathered * each.gathered, format!("{what} lane by lane")));
        parts.push((counts.scalar * each.scalar, format!("scalar {what}")));
    }
    parts.push((stage.inner * times.inner, "innermost loops".to_owned()));
    parts.push((stage.outer * times.outer, "outer loops".to_owned()));
    parts.push((stage.spills * times.spill, "vectors without a register".to_owned()));
    if stage.chain * times.chain >= took / 2.0 {
        parts.push((stage.chain * times.chain, "a recurrence, step after step".to_owned()));
    }
    parts.sort_by(|one, other| other.0.total_cmp(&one.0));
    let shown: Vec<String> = parts
        .iter()
        .take(3)
        .filter(|(part, _)| *part * 20.0 >= took)
        .map(|(part, what)| format!("{what} {:.0} %", 100.0 * part / took.max(1e-9)))
        .collect();
    let again = stage.points / stage.least_points.max(1.0);
    let again = if again >= 1.02 { format!(", each {again:.2} times") } else { String::new() };
    let part = 100.0 * took / estimate.stages.iter().sum::<f64>().max(1e-9);
    format!(
        "{}: {} points{again}; {} ({part:.0} % of the computing): {}",
        stage.name,
        count(stage.points),
        time(took),
        shown.join(", ")
    )
}

fn of_memory(memory: &Memory) -> Option<String> {
    let place = if memory.is_given {
        String::new()
    } else if memory.within.is_empty() {
        " at root".to_owned()
    } else {
        format!(" in {}", memory.within)
    };
    let moved = memory.moved.iter().zip(CACHES).rev().find(|(moved, _)| **moved >= SMALL);
    match moved {
        Some((moved, cache)) => Some(format!(
            "{}{place} takes {} and moves {} beyond {cache}",
            memory.name,
            size(memory.bytes),
            size(*moved)
        )),
        None if memory.is_given => None,
        None => Some(format!("{}{place}: its {} stay in L1", memory.name, size(memory.bytes))),
    }
}

/// The time for turns to other pages, if it matters.
fn turns(took: f64, root: f64) -> String {
    if took * 10.0 < root {
        return String::new();
    }
    format!(", {} of that for turns between many pages", time(took))
}

fn slack(share: f64, threads: usize) -> String {
    if threads == 1 {
        return String::new();
    }
    let lost = share * threads as f64;
    if share >= 1.0 {
        "; nothing is parallel".to_owned()
    } else if lost >= 1.05 {
        format!("; threads wait for {:.0} % of the time", 100.0 * (1.0 - 1.0 / lost))
    } else {
        String::new()
    }
}

fn threads(count: usize) -> String {
    if count == 1 { "one thread".to_owned() } else { format!("{count} threads") }
}

/// A time in words.
fn time(nanoseconds: f64) -> String {
    if nanoseconds >= 1e6 {
        format!("{:.2} ms", nanoseconds / 1e6)
    } else {
        format!("{:.1} µs", nanoseconds / 1e3)
    }
}

/// A number of bytes in words.
fn size(bytes: f64) -> String {
    if bytes >= 1e6 {
        format!("{:.1} MB", bytes / 1e6)
    } else if bytes >= 1e3 {
        format!("{:.1} kB", bytes / 1e3)
    } else {
        format!("{bytes:.0} B")
    }
}

fn count(number: f64) -> String {
    if number >= 1e6 { format!("{:.2} million", number / 1e6) } else { format!("{number:.0}") }
}
