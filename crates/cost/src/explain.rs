//! Explains, as data and in words, where the estimated time of a schedule goes.

use serde::Serialize;

use crate::features::{Class, Features, Memory, Root, Stage};
use crate::machine::Machine;

/// The names of the caches.
const CACHES: [&str; 3] = ["L1", "L2", "L3"];

/// Bytes below which a movement is not worth a line.
const SMALL: f64 = 1024.0;

/// The number of kinds of work that are named for a stage.
const MOST_WORK: usize = 3;

/// A func with memory of its own at root, or an output, with all that is computed in its loops.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// The func.
    pub name: String,
    /// The nanoseconds with all threads.
    pub nanoseconds: f64,
    /// The nanoseconds of computing, on one thread.
    pub computing: f64,
    /// The nanoseconds of moving memory, on one thread.
    pub moving: f64,
    /// The stages that are computed in its loops.
    pub stages: Vec<Computing>,
}

/// The computing of a stage, on one thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Computing {
    /// The stage.
    pub name: String,
    /// The nanoseconds.
    pub nanoseconds: f64,
    /// The points that are computed, repeated ones included.
    pub points: f64,
    /// The number of times that each point is computed, on average.
    pub times: f64,
    /// The kinds of work that take the most time, with their nanoseconds. Work of several kinds
    /// may overlap.
    pub work: Vec<(String, f64)>,
}

/// Returns the parts of a schedule's time.
pub fn parts(features: &Features, machine: &Machine) -> Vec<Part> {
    let estimate = machine.estimate(features);
    let part = |(number, root): (usize, &Root)| {
        let own = features.stages.iter().zip(&estimate.stages);
        let own = own.filter(|(stage, _)| stage.root == number);
        let stages: Vec<Computing> =
            own.map(|(stage, took)| computing(stage, *took, machine)).collect();
        Part {
            name: root.name.clone(),
            nanoseconds: estimate.roots[number],
            computing: stages.iter().map(|stage| stage.nanoseconds).sum(),
            moving: estimate.memory[number],
            stages,
        }
    };
    features.roots.iter().enumerate().map(part).collect()
}

/// Returns lines about each root, its stages and the memory.
pub fn explain(features: &Features, machine: &Machine) -> Vec<String> {
    let estimate = machine.estimate(features);
    let mut lines = Vec::new();
    lines.push(format!("estimated {} with {}", time(estimate.total), threads(machine.threads)));
    let all = estimate.stages.iter().sum::<f64>();
    for (part, root) in parts(features, machine).iter().zip(&features.roots) {
        lines.push(format!(
            "{}: {}; on one thread it computes for {} and moves memory for {}{}{}",
            part.name,
            time(part.nanoseconds),
            time(part.computing),
            time(part.moving),
            turns(root.pages * machine.times.page, part.nanoseconds),
            slack(root.share, machine.threads)
        ));
        lines.extend(part.stages.iter().map(|stage| format!("  {}", of_stage(stage, all))));
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

fn computing(stage: &Stage, took: f64, machine: &Machine) -> Computing {
    let times = &machine.times;
    let mut work: Vec<(String, f64)> = Vec::new();
    for (number, class) in Class::ALL.iter().enumerate() {
        let vector = stage.vector[number] * times.vector[number];
        work.push((format!("{} in vectors", class.name()), vector));
        let scalar = stage.scalar[number] * times.scalar[number];
        work.push((format!("{} without vectors", class.name()), scalar));
    }
    let both = [(&stage.loads, &times.load, "loads"), (&stage.stores, &times.store, "stores")];
    for (counts, each, what) in both {
        work.push((format!("dense {what}"), counts.dense * each.dense));
        work.push((format!("strided {what}"), counts.strided * each.strided));
        work.push((format!("{what} lane by lane"), counts.gathered * each.gathered));
        work.push((format!("scalar {what}"), counts.scalar * each.scalar));
    }
    work.push(("innermost loops".to_owned(), stage.inner * times.inner));
    work.push(("outer loops".to_owned(), stage.outer * times.outer));
    work.push(("vectors without a register".to_owned(), stage.spills * times.spill));
    if stage.chain * times.chain >= took / 2.0 {
        work.push(("a recurrence, step after step".to_owned(), stage.chain * times.chain));
    }
    work.sort_by(|one, other| other.1.total_cmp(&one.1));
    work.truncate(MOST_WORK);
    work.retain(|(_, part)| *part * 20.0 >= took);
    Computing {
        name: stage.name.clone(),
        nanoseconds: took,
        points: stage.points,
        times: stage.points / stage.least_points.max(1.0),
        work,
    }
}

/// Describes a stage; `all` is the computing of all stages.
fn of_stage(stage: &Computing, all: f64) -> String {
    let took = stage.nanoseconds;
    let shown: Vec<String> = stage
        .work
        .iter()
        .map(|(what, part)| format!("{what} {:.0} %", 100.0 * part / took.max(1e-9)))
        .collect();
    let again = stage.times;
    let again = if again >= 1.02 { format!(", each {again:.2} times") } else { String::new() };
    let part = 100.0 * took / all.max(1e-9);
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
