//! `halidom verify`.

use std::time::Instant;

use halidom_base::IndexMap;
use halidom_driver::verify::{
    self, At, Built, Circle, Decided, Examined, Mutator, MutatorStanding, NOTHING, Request,
    Setting, Sources, Standing, Verified, VerifyError, built, of_mutator, of_rule, place_of,
};
use halidom_verdict::Verdict;
use serde_json::{Map, Value, json};

use super::{ended, write};
use crate::args::{Part, VerifyArgs};
use crate::output::{Ended, Output, Stop};

pub(crate) fn run(args: &VerifyArgs, output: &mut Output<'_>) -> Ended {
    ended(verify(args, output))
}

fn verify(args: &VerifyArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let only = args.only.map(|part| match part {
        Part::Rules => verify::Part::Rules,
        Part::Mutators => verify::Part::Mutators,
    });
    let request = Request { wanted: args.mutator.clone(), only, bits: args.bits.clone() };
    let setting = Setting {
        profile: args.profile.clone(),
        timeout: args.timeout,
        threads: args.threads.map(usize::from),
        cache: args.cache.clone(),
    };
    let options = setting.options(&request).map_err(|error| refused(&error, output))?;
    let sources =
        verify::sources(&args.files, options.profile).map_err(|error| refused(&error, output))?;
    if args.list {
        return list(&sources, &args.mutator, output);
    }
    let begin = Instant::now();
    let verified =
        verify::verify(&sources, &request, &options).map_err(|error| refused(&error, output))?;
    let Verified { rules, circles, ordered, mutators } = &verified;
    let is_reported = |at: &At| request.is_reported(at);
    if let Some(path) = &args.ask {
        let text = verify::questions(rules, options.profile);
        write(path, text.as_bytes(), output)?;
    }
    let mut objects = Map::new();
    if !rules.is_empty() {
        show_circles(circles, *ordered, output);
        show(rules, is_reported, &mut objects, output);
        if !options.profile.assumes.is_empty() {
            output.line(&format!("assumed: {}", options.profile.assumes));
        }
    }
    show_programs(mutators, &mut objects, output);
    output.set("mutators", Value::Object(objects));
    output.set("seconds", begin.elapsed().as_secs_f64());
    Ok(Ended::Judged(verified.verdict(&request)))
}

fn refused(error: &VerifyError, output: &mut Output<'_>) -> Stop {
    output.error(error.code(), &error.to_string(), &error.hint())
}

/// Prints the pairs of rules that undo each other, and counts the rules that decrease in one common
/// order.
fn show_circles(circles: &[Circle], (rules, down): (usize, usize), output: &mut Output<'_>) {
    let mut shown = Vec::new();
    for circle in circles {
        let [first, second] =
            [&circle.first, &circle.second].map(|(file, line)| format!("{file}:{line}"));
        output.line(&format!(
            "{first} and {second} undo one another\n    {} => {} => {0}",
            circle.before, circle.between
        ));
        shown.push(json!({
            "first": first,
            "second": second,
            "before": circle.before,
            "between": circle.between,
        }));
    }
    // The rules of some languages are not ordered.
    if rules > 0 {
        output.line(&format!(
            "{down} of {rules} rules lead downwards in one order, {} pairs undo one another",
            circles.len()
        ));
    }
    output.set("circles", Value::Array(shown));
    output.set("downwards", down);
}

/// Prints the names of the mutators.
fn list(sources: &Sources, wanted: &[String], output: &mut Output<'_>) -> Result<Ended, Stop> {
    let names = verify::list(sources, wanted).map_err(|error| refused(&error, output))?;
    let mut files: IndexMap<String, usize> = IndexMap::default();
    for (file, name) in names {
        output.line(&format!("{file}: {name}"));
        *files.entry(file).or_default() += 1;
    }
    let files = files.into_iter().map(|(file, count)| (file, count.into()));
    output.set("files", Value::Object(files.collect()));
    Ok(Ended::Done)
}

/// Prints the findings about mutators as programs.
fn show_programs(mutators: &[Mutator], objects: &mut Map<String, Value>, output: &mut Output<'_>) {
    for mutator in mutators {
        let examination = &mutator.examination;
        output.line(&format!("{}: {}", mutator.name, examination.standing().name()));
        for finding in &examination.findings {
            let at =
                if finding.ty.is_empty() { String::new() } else { format!(" at {}", finding.ty) };
            output.line(&format!(
                "  {}: {}{at}: {}",
                place_of(mutator, finding),
                finding.standing.name(),
                finding.text
            ));
            if let Some(counterexample) = &finding.counterexample {
                let after = counterexample.after.as_ref();
                let after = after.map(|after| format!(" => {after}")).unwrap_or_default();
                let values: Vec<String> = counterexample
                    .values
                    .iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                output.line(&format!(
                    "      {}{after}  {}",
                    counterexample.before,
                    values.join(" ")
                ));
                output.detail(&counterexample.snippet);
            }
        }
        let mut name = mutator.name.clone();
        if objects.contains_key(&name) {
            name = format!("{name} at {}:{}", mutator.file, mutator.line);
        }
        objects.insert(name, program_object(mutator));
    }
    if !mutators.is_empty() {
        let mut counted = Vec::new();
        let mut numbers = Map::new();
        for standing in MutatorStanding::ALL {
            let count = mutators
                .iter()
                .filter(|mutator| mutator.examination.standing() == standing)
                .count();
            numbers.insert(standing.name().to_owned(), count.into());
            if count > 0 {
                counted.push(format!("{count} {}", standing.name()));
            }
        }
        output.line(&format!("{} mutators: {}", mutators.len(), counted.join(", ")));
        output.set("programs", Value::Object(numbers));
    }
}

/// The JSON object of a mutator.
fn program_object(mutator: &Mutator) -> Value {
    let examination = &mutator.examination;
    let refuted =
        examination.findings.iter().filter(|finding| finding.standing.is_refuted()).count();
    let findings: Vec<Value> = examination
        .findings
        .iter()
        .map(|finding| {
            let mut entry = json!({
                "place": place_of(mutator, finding),
                "kind": finding.standing.name(),
                "type": finding.ty,
                "reason": finding.text,
            });
            if let Some(shown) = &finding.counterexample {
                let inputs: Map<String, Value> = shown
                    .values
                    .iter()
                    .map(|(name, value)| (name.clone(), value.as_str().into()))
                    .collect();
                entry["counterexample"] = json!({
                    "before": shown.before,
                    "after": shown.after,
                    "inputs": inputs,
                    "expected": shown.expected,
                    "got": shown.got,
                    "replayed": true,
                    "built": built_object(&shown.built),
                    "snippet": shown.snippet,
                });
            }
            entry
        })
        .collect();
    let mut object = json!({
        "standing": examination.standing().name(),
        "file": mutator.file,
        "place": format!("{}:{}", mutator.file, mutator.line),
        "obligations": {
            "total": examination.proved + examination.findings.len(),
            "proved": examination.proved,
            "refuted": refuted,
            "unknown": examination.findings.len() - refuted,
            "trusted": 0,
        },
    });
    if let Some(object) = object.as_object_mut() {
        object.extend(of_mutator(mutator).json());
    }
    if examination.standing().is_refuted()
        && let Some(worst) =
            findings.iter().find(|finding| finding["kind"] == examination.standing().name())
    {
        object["kind"] = worst["kind"].clone();
        object["place"] = worst["place"].clone();
        object["counterexample"] = worst["counterexample"].clone();
    }
    object["findings"] = findings.into();
    object
}

/// The JSON object of IR in C++.
fn built_object(built: &Built) -> Value {
    let names = built.names.iter().map(|named| {
        json!({
            "name": named.name,
            "type": named.ty,
            "value": named.value,
            "literal": named.is_literal,
        })
    });
    json!({
        "names": names.collect::<Vec<_>>(),
        "before": built.before,
        "after": built.after,
        "lanes": built.lanes,
    })
}

/// Prints every rule that is not verified, and the counts of each function and of each width.
fn show(
    rules: &[Examined],
    is_reported: impl Fn(&At) -> bool + Copy,
    mutators: &mut Map<String, Value>,
    output: &mut Output<'_>,
) {
    let mut functions: IndexMap<&str, Vec<&Examined>> = IndexMap::default();
    for rule in rules {
        functions.entry(&rule.function).or_default().push(rule);
    }
    for (function, rules) in &functions {
        for rule in rules {
            show_rule(rule, is_reported, output);
        }
        let counts = counts(rules.iter().map(|rule| rule.standing_where(is_reported)));
        output.line(&format!("rules of {function}: {}", words(&counts)));
        mutators.insert(format!("rules of {function}"), object(rules, is_reported));
    }
    let mut counted = Map::new();
    for width in [8, 16, 32] {
        let of_width = |at: &At| {
            is_reported(at)
                && at.domains.first().is_some_and(|domain| domain.width() == Some(width))
        };
        let counts = counts(rules.iter().map(|rule| rule.standing_where(of_width)));
        output.line(&format!("at {width} bits: {}", words(&counts)));
        counted.insert(width.to_string(), numbers(&counts));
    }
    let total = counts(rules.iter().map(|rule| rule.standing_where(is_reported)));
    output.line(&format!("{} rules: {}", rules.len(), words(&total)));
    counted.insert("all".to_owned(), numbers(&total));
    output.set("counts", Value::Object(counted));
}

fn show_rule(rule: &Examined, is_reported: impl Fn(&At) -> bool, output: &mut Output<'_>) {
    let mut said: IndexMap<(String, String), Vec<String>> = IndexMap::default();
    for at in rule.verdicts.iter().filter(|at| is_reported(at)) {
        let types: Vec<_> = at.domains.iter().map(ToString::to_string).collect();
        let text = match &at.verdict {
            Decided::Verified | Decided::Vacuous => continue,
            Decided::Wrong(counterexample) => {
                let snippet =
                    rule.rule.as_ref().map(|rule| counterexample.snippet(&rule.side(at.side)));
                output.detail(&snippet.unwrap_or_default());
                let types = types.join(", ");
                let at = if types.is_empty() { "truth values" } else { &types };
                format!("wrong at {at}: {}", counterexample.text())
            }
            Decided::Crash(trap) => {
                let snippet = rule.rule.as_ref().map(|rule| trap.snippet(&rule.side(at.side)));
                output.detail(&snippet.unwrap_or_default());
                format!("crash at int64: {}", trap.text())
            }
            Decided::Undecided(reason) => {
                said.entry((format!("undecided ({reason}) at"), rule.text_at(at)))
                    .or_default()
                    .push(types.join(" and "));
                continue;
            }
            Decided::Unsupported(construct) => {
                said.entry((format!("unsupported: {construct}, at"), rule.text_at(at)))
                    .or_default()
                    .push(types.join(" and "));
                continue;
            }
        };
        let of_rule = rule.text_at(at);
        output.line(&format!("{}:{}: {text}\n    {of_rule}", rule.file, rule.line));
    }
    for ((what, text), types) in said {
        output.line(&format!(
            "{}:{}: {what} {}\n    {text}",
            rule.file,
            rule.line,
            types.join(", ")
        ));
    }
}

/// Counts each standing, in the order of standings.
fn counts(standings: impl Iterator<Item = Standing>) -> Vec<(Standing, usize)> {
    let mut counts: Vec<(Standing, usize)> = [
        Standing::Verified,
        Standing::Wrong,
        Standing::Crash,
        Standing::Undecided,
        Standing::Unsupported,
        Standing::Unreached,
    ]
    .into_iter()
    .map(|standing| (standing, 0))
    .collect();
    for standing in standings {
        for (known, count) in &mut counts {
            *count += usize::from(*known == standing);
        }
    }
    counts
}

fn numbers(counts: &[(Standing, usize)]) -> Value {
    let entries =
        counts.iter().map(|(standing, count)| (standing.name().to_owned(), (*count).into()));
    Value::Object(entries.collect())
}

fn words(counts: &[(Standing, usize)]) -> String {
    let words = counts.iter().filter(|(_, count)| *count > 0);
    let words: Vec<_> =
        words.map(|(standing, count)| format!("{count} {}", standing.name())).collect();
    words.join(", ")
}

/// The JSON object of a function's rules.
fn object(rules: &[&Examined], is_reported: impl Fn(&At) -> bool + Copy) -> Value {
    let verdicts: Vec<Verdict> =
        rules.iter().filter_map(|rule| of_rule(rule, is_reported)).collect();
    let count = |is_it: fn(&Verdict) -> bool| verdicts.iter().filter(|found| is_it(found)).count();
    let mut object = json!({
        "obligations": {
            "total": verdicts.len(),
            "proved": count(Verdict::is_proved),
            "refuted": count(|found| matches!(found, Verdict::Refuted(_))),
            "unknown": count(|found| matches!(found, Verdict::Unknown(_))),
            "unreached": rules.len() - verdicts.len(),
            "trusted": 0,
        },
    });
    if let Some(object) = object.as_object_mut() {
        object.extend(Verdict::worst(verdicts, NOTHING).json());
    }
    let mut others = Vec::new();
    let mut first_wrong = None;
    for rule in rules {
        for at in rule.verdicts.iter().filter(|at| is_reported(at)) {
            let types: Vec<_> = at.domains.iter().map(ToString::to_string).collect();
            let place = format!("{}:{}", rule.file, rule.line);
            let mut entry = json!({
                "place": place,
                "rule": rule.text_at(at),
                "types": types,
                "standing": Standing::of(&at.verdict).name(),
            });
            match &at.verdict {
                Decided::Verified | Decided::Vacuous => continue,
                Decided::Undecided(reason) | Decided::Unsupported(reason) => {
                    entry["reason"] = reason.as_str().into();
                }
                Decided::Crash(trap) => {
                    entry["reason"] = trap.text().into();
                    entry["snippet"] = rule
                        .rule
                        .as_ref()
                        .ok()
                        .map(|rule| trap.snippet(&rule.side(at.side)))
                        .into();
                }
                Decided::Wrong(counterexample) => {
                    let inputs: Map<String, Value> = counterexample
                        .values
                        .iter()
                        .map(|(name, _, value)| (name.clone(), value.to_string().into()))
                        .collect();
                    let got =
                        counterexample.got.map_or("undefined".to_owned(), |got| got.to_string());
                    let side = rule.rule.as_ref().ok().map(|rule| rule.side(at.side));
                    let built = side.and_then(|rule| built(&rule, counterexample));
                    entry["counterexample"] = json!({
                        "inputs": inputs,
                        "expected": counterexample.expected.to_string(),
                        "got": got,
                        "replayed": true,
                        "built": built.as_ref().map(built_object),
                        "snippet": rule
                            .rule
                            .as_ref()
                            .ok()
                            .map(|rule| counterexample.snippet(&rule.side(at.side))),
                    });
                    if first_wrong.is_none() {
                        first_wrong = Some((place, entry["counterexample"].clone()));
                    }
                }
            }
            others.push(entry);
        }
    }
    if let Some((place, counterexample)) = first_wrong {
        object["kind"] = "wrong".into();
        object["place"] = place.into();
        object["counterexample"] = counterexample;
    }
    object["rules"] = others.into();
    object
}
