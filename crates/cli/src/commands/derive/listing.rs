//! The lists of `halidom derive`: rewrite rules, and the sites of a program.

use halidom_atl::certificate::statement;
use halidom_atl::engine::Engine;
use halidom_atl::print;
use halidom_atl::rules::{Premise, Rule};
use halidom_driver::derive::Loaded;
use serde_json::{Value, json};

use crate::args::ALL_COMMANDS;
use crate::output::{Ended, Output, Stop};

/// Lists the rules with a name in theirs. A rule of exactly that name stands alone.
pub(super) fn rules(name: &str, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let engine = Engine::new().map_err(|error| {
        output.error("HAL1014", &error.to_string(), "this is a defect of halidom")
    })?;
    let chosen: Vec<&Rule> = match engine.rules.find(name) {
        Some(rule) => vec![rule],
        None => engine.rules.iter().filter(|rule| rule.name.contains(name)).collect(),
    };
    if chosen.is_empty() {
        let message = format!("no rule has `{name}` in its name");
        return Err(output.error("HAL1008", &message, "`derive --rules` lists all rules"));
    }
    let mut values = Vec::new();
    for rule in &chosen {
        let (left, right) = (print::term(&rule.left), print::term(&rule.right));
        let conditions: Vec<String> = rule.premises.iter().map(Premise::words).collect();
        let laws: Vec<&str> = rule.laws.iter().map(|law| law.name()).collect();
        let variables: Vec<&str> = rule.variables.iter().map(|var| &*var.name).collect();
        output.line(&format!("{}\n{}\n  =\n{}", rule.name, indented(&left), indented(&right)));
        if !conditions.is_empty() {
            output.line(&format!("  if {}", conditions.join(", ")));
        }
        if !laws.is_empty() {
            output.line(&format!("  laws: {}", laws.join("; ")));
        }
        let lemma = statement(rule);
        if chosen.len() == 1 {
            output.line(&format!("  variables: {}", variables.join(", ")));
            output.line(&format!("  coq/{}.v:\n{}", rule.file, indented(&lemma)));
        } else {
            output.line(&format!("  coq/{}.v: {}", rule.file, rule.name));
        }
        values.push(json!({
            "name": rule.name,
            "left": left,
            "right": right,
            "conditions": conditions,
            "laws": laws,
            "variables": variables,
            "file": format!("coq/{}.v", rule.file),
            "lemma": lemma,
        }));
    }
    output.line(&format!("{} rules", chosen.len()));
    output.set("rules", values);
    Ok(Ended::Done)
}

/// Lists the sites of each derivation's program after the first commands of its script, or after
/// all.
pub(super) fn sites(
    loaded: &Loaded,
    chosen: &[usize],
    count: usize,
    output: &mut Output<'_>,
) -> Result<Ended, Stop> {
    let mut values: Vec<Value> = Vec::new();
    for number in chosen {
        let mut derivation = loaded.derivation(*number).clone();
        let all = derivation.script.len();
        if count > all && count != ALL_COMMANDS {
            let message = format!("`{}` has {all} commands, not {count}", derivation.name.text);
            return Err(output.error("HAL0906", &message, "give a smaller number to `--sites`"));
        }
        derivation.script.truncate(count);
        let derived = loaded.file.derive(&loaded.engine, &loaded.sources, &derivation).map_err(
            |diagnostic| {
                output.diagnostic(&loaded.sources, &diagnostic);
                Stop::BadInput
            },
        )?;
        let name = &derivation.name.text;
        let sites = derived.state.sites();
        output.line(&format!("{name}, after {} commands:", derivation.script.len()));
        output.line(&indented(&print::term(&derived.state.term)));
        let width = sites.iter().map(|(site, _)| site.chars().count()).max().unwrap_or(0);
        for (site, part) in &sites {
            output.line(&format!("  {site:width$}  {part}"));
        }
        let listed = sites.iter().map(|(site, part)| json!({"site": site, "part": part}));
        values.push(json!({
            "name": name,
            "commands": derivation.script.len(),
            "sites": listed.collect::<Vec<_>>(),
        }));
    }
    output.set("derivations", values);
    Ok(Ended::Done)
}

/// Indents every line of a text.
pub(super) fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("    {line}")).collect();
    lines.join("\n")
}
