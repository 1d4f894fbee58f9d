//! `halidom halo`.

use halidom_driver::halo::overlap::{self, Boundary, Side};
use halidom_driver::halo::{self, Halo};
use halidom_driver::judge::{self, Options};
use halidom_driver::source::Choice;
use halidom_verdict::Verdict;
use serde_json::{Map, Value, json};

use super::{ended, load, solving, validate};
use crate::args::HaloArgs;
use crate::output::{Ended, Output, Stop};

/// The ends of a region that are always read, by dimension.
type Ends = Vec<(bool, bool)>;

pub(crate) fn run(args: &HaloArgs, output: &mut Output<'_>) -> Ended {
    ended(halo(args, output))
}

fn halo(args: &HaloArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let options = solving::options(&args.solving, output)?;
    let loaded = load(&args.file, output)?;
    let refused = |diagnostics: Vec<_>, output: &mut Output<'_>| {
        for diagnostic in &diagnostics {
            output.diagnostic(&loaded.sources, diagnostic);
        }
        Stop::BadInput
    };
    let pipeline = loaded
        .pipeline(args.pipeline.as_deref())
        .map_err(|diagnostic| refused(vec![diagnostic], output))?;
    let schedules = if let Some(name) = &args.schedule {
        let schedule = loaded.schedule(pipeline, Some(name));
        vec![schedule.map_err(|diagnostic| refused(vec![diagnostic], output))?]
    } else {
        let count = loaded.module.pipelines[pipeline].schedules.len();
        std::iter::once(None).chain((0..count).map(Some)).collect()
    };
    let (mut objects, mut verdicts) = (Map::new(), Vec::new());
    let sides =
        args.depth.as_deref().map(|text| sides(text, &args.boundary, output)).transpose()?;
    for schedule in schedules {
        let choice = Choice { pipeline, schedule };
        if let Some(sides) = &sides {
            let subject = overlap::overlap(&loaded, &choice, sides)
                .map_err(|diagnostics| refused(diagnostics, output))?;
            output.line(&format!("{} in blocks:", subject.title()));
            let report =
                judge::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
            validate::faults(&report, output)?;
            verdicts.push(validate::present(&subject, &report, output));
            let mut object = Map::new();
            let proof = validate::object(&subject, &report);
            object.insert("proof".to_owned(), Value::Object(proof));
            objects.insert(subject.schedule.clone(), Value::Object(object));
            continue;
        }
        let found =
            halo::find(&loaded, &choice).map_err(|diagnostics| refused(diagnostics, output))?;
        output.line(&format!("{}:", found.subject.title()));
        let mut object = show(&found, args.no_validate, &options, output);
        if !args.no_validate {
            let report = found.prove(&options);
            validate::faults(&report, output)?;
            let verdict = report.answer();
            output.verdict(&verdict);
            object.insert(
                "proof".to_owned(),
                Value::Object(validate::object(&found.subject, &report)),
            );
            verdicts.push(verdict);
        }
        objects.insert(found.subject.schedule.clone(), Value::Object(object));
    }
    solving::keep(&args.solving, &options, output)?;
    output.set("halos", objects);
    if args.no_validate {
        return Ok(Ended::Done);
    }
    let nothing = ("no schedule was chosen", "name a file with a pipeline");
    Ok(Ended::Judged(Verdict::worst(verdicts, nothing)))
}

/// Reads the depths of an overlap and its boundaries: `2,1:3` is 2 on both sides of dimension 0,
/// and 1 before and 3 after in dimension 1.
fn sides(text: &str, boundary: &str, output: &mut Output<'_>) -> Result<Vec<Side>, Stop> {
    let number = |text: &str| text.trim().parse::<i64>().ok().filter(|depth| *depth >= 0);
    let both = |text: &str| match text.split_once(':') {
        Some((before, after)) => Some((number(before)?, number(after)?)),
        None => number(text).map(|depth| (depth, depth)),
    };
    let Some(depths) = text.split(',').map(both).collect::<Option<Vec<_>>>() else {
        let hint = "give a number for each dimension, as in `2,2`, or two, as in `1:3,2`";
        return Err(output.error("HAL0906", &format!("`{text}` is not a depth"), hint));
    };
    let mut names: Vec<&str> = boundary.split(',').map(str::trim).collect();
    if let [one] = names[..] {
        names = vec![one; depths.len()];
    }
    if names.len() != depths.len() {
        let message = format!("`{boundary}` and `{text}` are of different numbers of dimensions");
        let hint = "give one boundary, or one for each dimension, as in `nearest,none`";
        return Err(output.error("HAL0906", &message, hint));
    }
    let sides = depths.into_iter().zip(names).map(|((before, after), name)| {
        let boundary = match name {
            "none" => Boundary::None,
            "nearest" => Boundary::Nearest,
            "reflect" => Boundary::Reflect,
            "periodic" => Boundary::Periodic,
            value => Boundary::Constant(value.to_owned()),
        };
        Side { before, after, boundary }
    });
    Ok(sides.collect())
}

/// Prints the formula, and returns it for the JSON object.
fn show(
    found: &Halo,
    is_plain: bool,
    options: &Options,
    output: &mut Output<'_>,
) -> Map<String, Value> {
    let ends = if is_plain { Vec::new() } else { found.reads(options) };
    let mut regions = Map::new();
    for (number, region) in found.regions.iter().enumerate() {
        let ends = ends.get(number).filter(|_| !is_plain);
        output.line(&format!("  {}: {region}", region.name));
        if let Some(ends) = ends {
            output.line(&format!("    {}", claims(ends)));
        }
        let dims = region.dims.iter().enumerate().map(|(dim, reach)| {
            let (first, last) = ends.and_then(|ends| ends.get(dim).copied()).unzip();
            json!({
                "interval": reach.text, "clamped": reach.is_clamped, "inside": reach.inside,
                "first_is_read": first, "last_is_read": last,
            })
        });
        regions.insert(region.name.clone(), dims.collect());
    }
    if found.regions.is_empty() {
        output.line("  no input is read");
    }
    let mut object = Map::new();
    object.insert("regions".to_owned(), Value::Object(regions));
    object
}

/// Tells which ends are always read.
fn claims(ends: &Ends) -> String {
    let sides = ends.len() * 2;
    let read = ends.iter().map(|(first, last)| usize::from(*first) + usize::from(*last));
    let read: usize = read.sum();
    if read == sides {
        return "tight: every end is read, whatever the window".to_owned();
    }
    let mut open = Vec::new();
    for (dim, (first, last)) in ends.iter().enumerate() {
        open.extend((!first).then(|| format!("the first of dimension {dim}")));
        open.extend((!last).then(|| format!("the last of dimension {dim}")));
    }
    format!("{read} of {sides} ends are always read; not claimed: {}", open.join(", "))
}
