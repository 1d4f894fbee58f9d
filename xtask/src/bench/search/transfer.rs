//! Measures how well schedules carry over to other sizes: a schedule that was found at one size,
//! against one that is found at another size, both at that size.

use super::effort::{Effort, Found};
use super::programs::Program;
use super::rivals::{arguments, times, tuned_at};
use crate::error::Error;
use crate::json::Json;
use crate::process::root;
use crate::table;
use std::fs;
use std::path::Path;

/// The other sizes, in percent of the first two extents.
const PERCENTS: [(u64, u64); 5] = [(50, 50), (200, 100), (50, 200), (125, 75), (150, 150)];
/// The largest ratio of the carried schedule's time to that of the schedule for the size.
const LIMIT: f64 = 1.15;
/// The name of the carried schedule in the program's file.
const CARRIED: &str = "carried";
const TUNED: &str = "tuned";

/// `search --transfer [--budget SECONDS] [--threads N] [PROGRAM…]`.
pub(super) fn run(words: &[&str]) -> Result<(), Error> {
    let (effort, programs) = Effort::read(words)?;
    let (found, mut short) = effort.each("transfer", &programs, compare);
    short.extend(print(&found));
    if short.is_empty() { Ok(()) } else { Err(Error::Slow(short)) }
}

/// Tunes a program at each size, times both schedules in turn, and returns a line of JSON.
fn compare(one: &Program, effort: &Effort<'_>) -> Result<String, Error> {
    let file = root().join(format!("examples/{}.hal", one.file));
    let name = format!("{}-{}-{}", one.name, effort.threads, effort.budget);
    let (first, _) = tuned_at(one, &file, (&name, &arguments(one)), effort)?;
    let carried = schedule(&first)?.replacen("schedule tuned for", "schedule carried for", 1);
    let mut sizes = Vec::new();
    for percents in PERCENTS {
        let (size, given) = resized(one, percents);
        let (own, _) = tuned_at(one, &file, (&format!("{name}-{size}"), &given), effort)?;
        let both = own.with_extension("both.hal");
        let text = fs::read_to_string(&own).map_err(failed(&own))? + &carried;
        fs::write(&both, text).map_err(failed(&both))?;
        let all = times(one, &both, (&[CARRIED, TUNED], "halidom"), &given, effort)?;
        let median = |name| all.iter().find(|(of, _)| of == name).map(|(_, (median, _))| *median);
        // A schedule may demand outputs of at least one block.
        let time = |name| median(name).map_or_else(|| "null".to_owned(), |ms| format!("{ms:.4}"));
        let (carried, tuned) = (time(CARRIED), time(TUNED));
        let list = format!("{{\"size\":\"{size}\",\"carried\":{carried},\"tuned\":{tuned}}}");
        sizes.push(list);
    }
    Ok(format!("{{\"program\":\"{}\",\"sizes\":[{}]}}", one.name, sizes.join(",")))
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> Error {
    let path = path.to_owned();
    move |cause| Error::File { path: path.clone(), cause }
}

/// The found schedule of a file, which is the last.
fn schedule(file: &Path) -> Result<String, Error> {
    let text = fs::read_to_string(file).map_err(failed(file))?;
    let begin = text.rfind("schedule tuned for").unwrap_or(text.len());
    Ok(format!("\n{}", &text[begin..]))
}

/// A program's arguments for another size, with that size.
fn resized(one: &Program, percents: (u64, u64)) -> (String, Vec<String>) {
    let mut size = String::new();
    let mut all = Vec::new();
    for pair in arguments(one).chunks(2) {
        let [option, value] = pair else { continue };
        let (name, extents) = value.split_once('=').unwrap_or(("", value));
        let given = match *option {
            "--size" => {
                size = scaled(extents, percents);
                size.clone()
            }
            // A product's inputs share an extent, which does not grow with the output.
            "--input-size" if one.arguments.contains(value) => {
                format!("{name}={}", scaled(extents, (percents.0.max(100), percents.1.max(100))))
            }
            "--input-size" => format!("{name}={}", scaled(extents, percents)),
            _ => (*value).to_owned(),
        };
        all.extend([(*option).to_owned(), given]);
    }
    (size, all)
}

/// Extents with the first two multiplied, and even as those of most programs.
fn scaled(extents: &str, (width, height): (u64, u64)) -> String {
    let percents = [width, height].into_iter().chain(std::iter::repeat(100));
    let each = extents.split('x').zip(percents).map(|(text, percent)| {
        let extent = text.parse::<u64>().ok().filter(|_| percent != 100);
        extent.map_or_else(|| text.to_owned(), |extent| (extent * percent / 200 * 2).to_string())
    });
    each.collect::<Vec<_>>().join("x")
}

/// Prints the ratios of all programs. Returns those that miss the limit.
fn print(found: &[Found]) -> Vec<String> {
    let mut rows = Vec::new();
    let mut short = Vec::new();
    for (name, row) in found {
        for of in row.get("sizes").and_then(Json::array).unwrap_or_default() {
            let size = of.get("size").and_then(Json::text).unwrap_or_default();
            let time = |key| of.get(key).and_then(Json::number);
            let (carried, tuned) = (time(CARRIED), time(TUNED));
            let ratio = carried.zip(tuned).map(|(carried, tuned)| carried / tuned);
            match ratio {
                None => short.push(format!("{name} at {size}: not compared")),
                Some(ratio) if ratio > LIMIT => {
                    short.push(format!("{name} at {size}: {ratio:.2}, {LIMIT} at most"));
                }
                Some(_) => {}
            }
            let shown = |number: Option<f64>| {
                number.map_or_else(|| "–".to_owned(), |number| format!("{number:.2}"))
            };
            let name = name.clone();
            rows.push(vec![name, size.to_owned(), shown(carried), shown(tuned), shown(ratio)]);
        }
    }
    println!("{}", table::layout(&["program", "size", "carried ms", "tuned ms", "ratio"], &rows));
    println!("carried: the schedule found at the program's first size; tuned: that found here");
    short
}

#[cfg(test)]
mod tests {
    use super::{resized, scaled};
    use crate::bench::search::programs::chosen;

    #[test]
    fn sizes_of_inputs_follow_the_outputs() {
        assert_eq!(scaled("1024x854x3", (125, 75)), "1280x640x3");
        let [unsharp] = chosen(&["unsharp"]).unwrap()[..] else { panic!() };
        let (size, given) = resized(unsharp, (50, 200));
        assert_eq!(size, "768x5120x3");
        assert_eq!(given, ["--size", "768x5120x3", "--input-size", "input=768x5120x3"]);
        let [product] = chosen(&["sgemm"]).unwrap()[..] else { panic!() };
        let (size, given) = resized(product, (50, 200));
        assert_eq!(size, "512x2048");
        assert!(given.contains(&"A=1024x2048".to_owned()), "{given:?}");
    }
}
