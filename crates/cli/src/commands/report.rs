//! `halidom report`: writes a self-contained page.

use halidom_base::FxHashMap;
use halidom_driver::judge;
use halidom_driver::layout::{Layout, Standing, Store, is_closed};
use halidom_driver::subject::Subject;
use halidom_validate::{Report, Status as Closed, Verdict as Outcome};
use halidom_verdict::Verdict;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{ended, forget, solving, subjects, validate, write};
use crate::args::ReportArgs;
use crate::output::{Ended, Output, Stop};

/// The standings of stores, in the order of the legend.
const LEGEND: [Standing; 4] =
    [Standing::Proved, Standing::Unknown, Standing::Refuted, Standing::Dead];
/// The generator that the head of a page names, by which a page is known.
const GENERATOR: &str = "halidom report";
/// The page's style, with a dark variant for readers whose system is dark.
const STYLE: &str = include_str!("report.css");

pub(crate) fn run(args: &ReportArgs, output: &mut Output<'_>) -> Ended {
    ended(report(args, output))
}

fn report(args: &ReportArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    forget(&args.output, is_page, output)?;
    let options = solving::options(&args.solving, output)?;
    let mut sections = Vec::new();
    let mut index = Vec::new();
    let mut source = String::new();
    let mut verdicts = Vec::new();
    subjects::for_each(&args.choice, output, &mut |key, subject, nest, output| {
        output.progress(&format!("validating {}", subject.title()));
        let report = judge::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
        validate::faults(&report, output)?;
        let layout = Layout::new(&subject, &report);
        let verdict = report.answer();
        index.push((key.to_owned(), subject.title(), verdict.name()));
        source.clone_from(&subject.origin.text);
        sections.push(section(key, &subject, &layout, &report, nest.as_deref()));
        verdicts.push(verdict);
        Ok(())
    })?;
    solving::keep(&args.solving, &options, output)?;
    let page = page(&args.choice.file.display().to_string(), &source, &index, &sections);
    write(&args.output, page.into_string().as_bytes(), output)?;
    output.line(&format!("wrote {}", args.output.display()));
    output.set("written", args.output.display().to_string());
    let nothing = ("no program was chosen", "name a file with a pipeline");
    Ok(Ended::Judged(Verdict::worst(verdicts, nothing)))
}

/// Tests whether a file is a page of an earlier run.
fn is_page(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1000)]);
    head.contains(&format!("content=\"{GENERATOR}\""))
}

fn page(
    file: &str,
    source: &str,
    index: &[(String, String, &'static str)],
    sections: &[Markup],
) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="generator" content=(GENERATOR);
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Validation of " (file) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { "Validation of " code { (file) } }
                    nav { ul {
                        @for (key, title, class) in index {
                            li {
                                a href={ "#" (key) } { (title) }
                                ": "
                                strong class=(class) { (class) }
                            }
                        }
                    } }
                    @if !source.is_empty() {
                        h2 { "Algorithm and schedules" }
                        (numbered(source))
                    }
                    @for section in sections { (section) }
                }
            }
        }
    }
}

fn section(
    key: &str,
    subject: &Subject,
    layout: &Layout,
    report: &Report,
    nest: Option<&str>,
) -> Markup {
    html! {
        section id=(key) {
            h2 { (subject.title()) }
            (verdict(subject, layout, report))
            @if !subject.origin.schedule.is_empty() {
                h3 { "Schedule" }
                pre { (subject.origin.schedule) }
            }
            @if let Some(nest) = nest {
                h3 { "Loop nest" }
                pre { (nest) }
            }
            h3 { "Program: the final intermediate representation" }
            p.legend {
                @for standing in LEGEND {
                    span class=(class(standing)) { (sign(standing)) " " (standing.name()) }
                }
                span.quiet { "a store opens on a click: its obligations" }
            }
            (program(subject, layout, report))
            h3 { "The rest of the program" }
            details {
                summary { (layout.others.len()) " obligations that are no store's" }
                (obligations(report, &layout.others))
            }
            (foundations(subject, report))
        }
    }
}

/// The verdict, with the refuting run and the open obligations.
fn verdict(subject: &Subject, layout: &Layout, report: &Report) -> Markup {
    let total = report.obligations.len();
    let open = report.open().count();
    let verdict = report.answer();
    html! {
        div class={ "verdict " (verdict.name()) } {
            p { strong { (verdict.sentence()) } }
            p { (total - open) " of " (total) " obligations are closed, for " (report.sizes) }
            @if let Outcome::Refuted(counterexample) = &report.verdict {
                p { "on this input, which was run:" }
                pre {
                    @for line in validate::counterexample(subject, layout, counterexample) {
                        (line) "\n"
                    }
                }
            }
        }
        @if open > 0 {
            h3 { "Open" }
            @let numbers: Vec<usize> = (0..total)
                .filter(|number| !is_closed(&report.obligations[*number]))
                .collect();
            (obligations(report, &numbers))
        }
    }
}

/// A text with line numbers.
fn numbered(text: &str) -> Markup {
    html! {
        div.program { div.rows {
            @for (number, line) in (1..).zip(text.lines()) {
                span.line { i { (number) } (line) }
            }
        } }
    }
}

/// The program with a colour for each store.
fn program(subject: &Subject, layout: &Layout, report: &Report) -> Markup {
    let by_line: FxHashMap<usize, (usize, &Store)> =
        (1..).zip(&layout.stores).map(|(number, store)| (store.line, (number, store))).collect();
    html! {
        div.program { div.rows {
            @for (number, line) in (1..).zip(layout.listing.text.lines()) {
                @if let Some((position, store)) = by_line.get(&number) {
                    details class={ "store " (class(store.standing)) } {
                        summary { i { (number) } b { (sign(store.standing)) } (line) }
                        div.detail {
                            p {
                                "Store " (position) " (" (store.name(subject)) "): "
                                strong class=(class(store.standing)) { (store.describe()) }
                                @if let Some((func, stage)) = store.instance {
                                    @if let Some(found) = layout.definition(subject, func, stage) {
                                        "; " (found.file) ":" (found.number) ": "
                                        code { (found.text) }
                                    }
                                }
                            }
                            (obligations(report, &store.obligations))
                        }
                    }
                } @else {
                    span.line { i { (number) } (line) }
                }
            }
        } }
    }
}

fn obligations(report: &Report, numbers: &[usize]) -> Markup {
    html! {
        table { tbody {
            @for obligation in numbers.iter().map(|number| &report.obligations[*number]) {
                tr {
                    td { (obligation.kind.name()) }
                    td { (obligation.place) }
                    td {
                        @match &obligation.status {
                            Closed::Closed(method) => span.proved { "✓ proved (" (method) ")" },
                            Closed::Open(reason) => span.unknown { "? open: " (reason) },
                        }
                    }
                }
            }
        } }
    }
}

/// The inputs and sizes of a proof, and the foundations of the verdict.
fn foundations(subject: &Subject, report: &Report) -> Markup {
    let (begin, parts) = validate::sentence(subject, report);
    html! {
        @if report.answer().is_proved() {
            h3 { "What is proved" }
            p { "The program is right " (begin) @if !parts.is_empty() { ":" } }
            ul.facts { @for part in &parts { li { (part) } } }
        }
        h3 { "What the verdict rests on" }
        ul.facts {
            @for step in &report.trusted_steps { li { strong { "trusted: " } (step) } }
            @for found in &report.too_strict {
                li { strong { "too strict: " } (validate::strict(found)) }
            }
            li { strong { "below it: " } (report.below.join(", ")) }
        }
        details {
            summary { (report.assumptions.len()) " assumptions as they are tested" }
            ul { @for assumption in &report.assumptions { li { (assumption.words) } } }
        }
        @if !report.notes.is_empty() {
            details {
                summary { (report.notes.len()) " notes" }
                ul { @for note in &report.notes { li { (note) } } }
            }
        }
    }
}

fn class(standing: Standing) -> &'static str {
    match standing {
        Standing::Dead => "dead",
        Standing::Proved => "proved",
        Standing::Unknown => "unknown",
        Standing::Refuted => "refuted",
    }
}

/// The sign that distinguishes standings without colour.
fn sign(standing: Standing) -> &'static str {
    match standing {
        Standing::Dead => "–",
        Standing::Proved => "✓",
        Standing::Unknown => "?",
        Standing::Refuted => "✗",
    }
}
