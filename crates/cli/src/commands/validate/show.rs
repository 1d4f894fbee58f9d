//! Verdicts for people.

use halidom_base::IndexMap;
use halidom_driver::layout::{Layout, is_closed};
use halidom_driver::subject::Subject;
use halidom_ir::{Array, Constant, Shape, print};
use halidom_validate::{
    Counterexample, Report, Site, Status as Closed, TooStrict, Verdict as Outcome,
};
use halidom_verdict::{Claim, Modes, Verdict};

use crate::output::Output;

use super::sentence::sentence;

/// The number of elements of an input that are shown.
const SHOWN_ELEMENTS: usize = 64;
/// The number of characters of a program line that are shown.
const SHOWN_CHARACTERS: usize = 160;

/// Prints a verdict. A proof comes with the inputs and sizes that it covers; details add every
/// entry check, the notes, and the components that the verdict trusts.
pub(super) fn show(subject: &Subject, layout: &Layout, report: &Report, output: &mut Output<'_>) {
    let verdict = report.answer();
    output.verdict(&verdict);
    if verdict.is_proved() && !output.verbose {
        let (begin, parts) = sentence(subject, report);
        output.line(&format!("  {begin}"));
        for part in parts {
            output.line(&format!("    {part}"));
        }
    }
    let (total, seconds) = (report.obligations.len(), report.time.as_secs_f64());
    output.line(&format!("  {total} obligations, {seconds:.2} s"));
    for line in lines(subject, layout, report) {
        output.line(&format!("  {line}"));
    }
    if output.verbose {
        for assumption in &report.assumptions {
            output.line(&format!("  assumes: {}", assumption.words));
        }
    }
    for found in &report.too_strict {
        output.line(&format!("  too strict: {}", strict(found)));
    }
    if output.verbose {
        for note in &report.notes {
            output.line(&format!("  note: {note}"));
        }
    }
    let asked = &report.solver;
    if asked.confirmed > 0 {
        output.line(&format!("  the second solver confirms {} answers", asked.confirmed));
    }
    if asked.unconfirmed > 0 {
        output.line(&format!("  the second solver leaves {} answers open", asked.unconfirmed));
    }
    if asked.cached > 0 {
        let fresh = asked.queries - asked.cached;
        output.detail(&format!("  {} answers had been kept, {fresh} were new", asked.cached));
    }
    if output.verbose {
        output.line(&format!("  below: {}", report.below.join(", ")));
    }
}

/// True if the program is proved, but not bit for bit.
pub(super) fn is_weaker(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Proved(proved) => proved.modes() != &Modes::BITS,
        Verdict::Refuted(_) | Verdict::Unknown(_) | Verdict::Nothing(_) => false,
    }
}

/// A verdict in short, with its equality of floats if that is not the strongest.
fn equality(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Proved(proved) if proved.modes() != &Modes::BITS => {
            format!("{} {}", verdict.name(), proved.modes())
        }
        Verdict::Proved(_) | Verdict::Refuted(_) | Verdict::Unknown(_) | Verdict::Nothing(_) => {
            verdict.name().to_owned()
        }
    }
}

/// Lists the refuting run, the trusted steps, and the open obligations.
pub(crate) fn lines(subject: &Subject, layout: &Layout, report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    if let Outcome::Refuted(found) = &report.verdict {
        lines.extend(counterexample(subject, layout, found).iter().map(|line| format!("  {line}")));
    }
    lines.extend(report.trusted_steps.iter().map(|step| format!("trusted: {step}")));
    for obligation in report.open() {
        let Closed::Open(reason) = &obligation.status else { continue };
        let stmt = obligation.stmt.and_then(|stmt| {
            let number = layout.stores.iter().position(|store| store.stmt == stmt)?;
            Some(format!(" (store {}, line {})", number + 1, layout.stores[number].line))
        });
        let (kind, place) = (obligation.kind.name(), &obligation.place);
        lines.push(format!("open: {kind} at {place}{}: {reason}", stmt.unwrap_or_default()));
    }
    lines
}

/// The inputs of a run: the parameters, the input arrays, and the windows of the outputs.
pub(crate) fn inputs(
    parameters: &[(String, Constant)],
    inputs: &[(String, Array)],
    windows: &[(String, Shape)],
) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, value) in parameters {
        lines.push(format!("{name} = {}", print::constant(*value)));
    }
    for (name, array) in inputs {
        let values: Vec<String> = array
            .points()
            .take(SHOWN_ELEMENTS)
            .filter_map(|point| array.get(&point))
            .map(print::constant)
            .collect();
        let more = if array.len() > SHOWN_ELEMENTS { ", …" } else { "" };
        lines.push(format!("{name} {:?} = [{}{more}]", array.shape, values.join(", ")));
    }
    for (name, window) in windows {
        lines.push(format!("{name} is required on {window:?} (min, extent)"));
    }
    lines
}

/// The run that refutes a program, and the place in the program where it goes wrong.
pub(crate) fn counterexample(
    subject: &Subject,
    layout: &Layout,
    found: &Counterexample,
) -> Vec<String> {
    let mut lines = run(found);
    if let Some(site) = &found.site {
        lines.extend(self::site(subject, layout, site));
    }
    lines
}

/// A run with a wrong result.
pub(super) fn run(found: &Counterexample) -> Vec<String> {
    let mut lines = inputs(&found.parameters, &found.inputs, &found.windows);
    if let Some(name) = &found.output {
        lines.push(format!("at {name}{:?}:", found.coords));
    }
    lines.push(format!("expected {}", found.expected));
    lines.push(format!("got      {}", found.got));
    lines
}

/// The program line that goes wrong.
pub(super) fn place(layout: &Layout, site: &Site) -> String {
    match layout.line(site.stmt) {
        Some(line) => {
            format!("program, line {line} of the final IR: {}", shortened(layout.text(line)))
        }
        None => "a statement that is not in the final IR".to_owned(),
    }
}

/// The place where the program goes wrong: its line, the algorithm's line, the loops.
fn site(subject: &Subject, layout: &Layout, site: &Site) -> Vec<String> {
    let mut lines = vec![place(layout, site)];
    lines.push(format!("  {}", site.fault));
    if !site.loops.is_empty() {
        let loops: Vec<String> =
            site.loops.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        lines.push(format!("  in the iteration {}", loops.join(", ")));
    }
    if let Some(instance) = &site.instance {
        let name = &subject.pool.func(instance.func).name;
        let at = if instance.coords.is_empty() {
            String::new()
        } else {
            format!(" at {:?}", instance.coords)
        };
        let point = if instance.point.is_empty() {
            String::new()
        } else {
            format!(", point {:?}", instance.point)
        };
        lines.push(format!("  it claims to be stage {} of {name}{at}{point}", instance.stage));
    }
    if let Some(expected) = &site.expected {
        lines.push(format!("  expected {expected}"));
    }
    if let Some(got) = &site.got {
        lines.push(format!("  got      {got}"));
    }
    if let Some(instance) = &site.instance
        && let Some(line) = layout.definition(subject, instance.func, instance.stage)
    {
        lines.push(format!("algorithm, {}:{}: {}", line.file, line.number, shortened(&line.text)));
    }
    if let Some(instance) = &site.instance {
        for line in subject.directives(instance.func) {
            let text = shortened(&line.text);
            lines.push(format!("schedule, {}:{}: {text}", line.file, line.number));
        }
    }
    lines
}

/// Describes an entry check that is too strict.
pub(crate) fn strict(found: &TooStrict) -> String {
    let sizes: Vec<String> =
        found.sizes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    format!("{}; the algorithm has a value for {}", found.check, sizes.join(", "))
}

/// Prints the stores and their standings: one line for all stores of a stage with the same standing
/// unless all are proved bit for bit or, with details, one for each store and each of its
/// obligations.
pub(super) fn show_stores(
    subject: &Subject,
    layout: &Layout,
    report: &Report,
    output: &mut Output<'_>,
) {
    if output.verbose {
        return show_each_store(subject, layout, report, output);
    }
    let verdict = report.answer();
    if verdict.is_proved() && !is_weaker(&verdict) {
        return;
    }
    let counted = |numbers: &[usize]| {
        let open = numbers.iter().filter(|number| !is_closed(&report.obligations[**number]));
        (numbers.len(), open.count())
    };
    let mut stages: IndexMap<(String, String), (usize, usize)> = IndexMap::default();
    for store in &layout.stores {
        let key = (store.name(subject), store.describe());
        let (total, open) = counted(&store.obligations);
        let sum = stages.entry(key).or_default();
        *sum = (sum.0 + total, sum.1 + open);
    }
    let words = |(total, open): (usize, usize)| match open {
        0 => format!("{total} obligations"),
        _ => format!("{open} of {total} obligations open"),
    };
    for ((name, standing), sum) in stages {
        output.line(&format!("  stores of {name}: {standing}, {}", words(sum)));
    }
    let (total, open) = counted(&layout.others);
    let standing = equality(&report.answer_of(Claim::Program, layout.others.iter().copied()));
    output.line(&format!("  the rest of the program: {standing}, {}", words((total, open))));
}

fn show_each_store(subject: &Subject, layout: &Layout, report: &Report, output: &mut Output<'_>) {
    let show = |numbers: &[usize], output: &mut Output<'_>| {
        for number in numbers {
            let obligation = &report.obligations[*number];
            let status = match &obligation.status {
                Closed::Closed(method) => format!("proved ({method})"),
                Closed::Open(reason) => format!("open: {reason}"),
            };
            let place = shortened(&obligation.place);
            output.line(&format!("    {} at {place}: {status}", obligation.kind.name()));
        }
    };
    for (number, store) in (1..).zip(&layout.stores) {
        let (name, standing) = (store.name(subject), store.describe());
        let text = shortened(&store.text);
        output.line(&format!("  store {number} ({name}): {standing}; line {}: {text}", store.line));
        show(&store.obligations, output);
    }
    output.line("  the rest of the program:");
    show(&layout.others, output);
}

/// The beginning of a long text.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
