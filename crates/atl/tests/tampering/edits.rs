//! Corruptions of a proof's text: of words, tokens, terms and lines.

/// The kinds of corruptions, each with the function that makes all of its kind.
pub(crate) const KINDS: [(&str, Make); 10] = [
    ("a bound", bounds_of_programs),
    ("a site", sites),
    ("a rule name", rule_names),
    ("an operator", operators_of_programs),
    ("a constant", constants),
    ("the final program", final_program),
    ("the loop nest", loop_nest),
    ("a token", tokens),
    ("a term", terms),
    ("a line", lines),
];

/// A function that makes every corruption of a kind. The names are the rules' names.
pub(crate) type Make = fn(&str, &[String]) -> Vec<Edit>;

/// A replacement in a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edit {
    at: usize,
    old: String,
    new: String,
}

impl Edit {
    pub(crate) fn apply(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.at], self.new, &text[self.at + self.old.len()..])
    }
}

/// A definition or lemma of a proof: its name, and the place of its text.
struct Item {
    name: String,
    start: usize,
    end: usize,
}

impl Item {
    fn is(&self, prefix: &str) -> bool {
        self.name.strip_prefix(prefix).is_some_and(|rest| rest.parse::<u32>().is_ok())
    }

    fn is_program(&self) -> bool {
        self.is("p")
    }

    fn is_condition(&self) -> bool {
        self.is("o") || self.is("w")
    }
}

fn items(text: &str) -> Vec<Item> {
    let mut all: Vec<Item> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or("");
        let begins = !line.starts_with(' ')
            && ["Definition", "Lemma", "Theorem", "Section", "End"].contains(&first);
        if begins {
            if let Some(last) = all.last_mut() {
                last.end = at;
            }
            let name = words.next().unwrap_or("").to_owned();
            all.push(Item { name, start: at, end: text.len() });
        }
        at += line.len();
    }
    all
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

/// The words of a part of a text, with their places.
fn words(part: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(start) = part[rest..].find(is_word) {
        let start = rest + start;
        let length = part[start..].find(|c| !is_word(c)).unwrap_or(part.len() - start);
        found.push((start, &part[start..start + length]));
        rest = start + length;
    }
    found
}

/// Every corruption that a function makes of the chosen items.
fn of_items(
    text: &str,
    chosen: impl Fn(&Item) -> bool,
    make: impl Fn(&str) -> Vec<(usize, String, String)>,
) -> Vec<Edit> {
    let mut all = Vec::new();
    for item in items(text).iter().filter(|item| chosen(item)) {
        for (at, old, new) in make(&text[item.start..item.end]) {
            all.push(Edit { at: item.start + at, old, new });
        }
    }
    all.retain(|edit| edit.old != edit.new);
    all.sort();
    all.dedup();
    all
}

fn swaps(part: &str, pairs: &[(&str, &str)]) -> Vec<(usize, String, String)> {
    let mut all = Vec::new();
    for (old, new) in pairs {
        for (at, _) in part.match_indices(old) {
            all.push((at, (*old).to_owned(), (*new).to_owned()));
        }
    }
    all
}

fn bounds(part: &str) -> Vec<(usize, String, String)> {
    let mut all = Vec::new();
    for (at, _) in part.match_indices(" (fun ") {
        let before = &part[..at];
        let start = if before.ends_with(')') { before.rfind(" (") } else { before.rfind(' ') };
        if let Some(start) = start {
            let old = &before[start + 1..];
            all.push((start + 1, old.to_owned(), format!("({old} + 1)")));
        }
    }
    all
}

fn operators(part: &str) -> Vec<(usize, String, String)> {
    let pairs =
        [(" + ", " - "), (" - ", " + "), (" <=? ", " <? "), (" <? ", " <=? "), (" * ", " + ")];
    swaps(part, &pairs)
}

fn numbers(part: &str) -> Vec<(usize, String, String)> {
    let numbers = words(part).into_iter().filter_map(|(at, word)| {
        let value: u32 = word.parse().ok()?;
        Some((at, word.to_owned(), (value + 1).to_string()))
    });
    numbers.collect()
}

fn bounds_of_programs(text: &str, _: &[String]) -> Vec<Edit> {
    of_items(text, Item::is_program, bounds)
}

fn sites(text: &str, _: &[String]) -> Vec<Edit> {
    let pairs = [
        ("add_left", "add_right"),
        ("add_right", "add_left"),
        ("mul_left", "mul_right"),
        ("mul_right", "mul_left"),
        ("let_body", "let_value"),
        ("concat_left", "concat_right"),
        ("concat_right", "concat_left"),
        ("gen_in", "sum_in"),
        ("sum_in", "gen_in"),
        ("guard_in", "get_in"),
    ];
    of_items(text, |item| item.is("s"), |part| swaps(part, &pairs))
}

fn rule_names(text: &str, rules: &[String]) -> Vec<Edit> {
    let lowering = ["low_gen0", "low_sum", "low_let", "c_load", "c_mul", "c_add"];
    of_items(
        text,
        |item| item.is("s") || item.name == "low_final",
        |part| {
            let renamed = words(part).into_iter().filter_map(|(at, word)| {
                let place = rules.iter().position(|rule| rule == word);
                let new = match place {
                    Some(place) => rules[(place + 7) % rules.len()].clone(),
                    None => {
                        let place = lowering.iter().position(|rule| *rule == word)?;
                        lowering[(place + 1) % lowering.len()].to_owned()
                    }
                };
                Some((at, word.to_owned(), new))
            });
            renamed.collect()
        },
    )
}

fn operators_of_programs(text: &str, _: &[String]) -> Vec<Edit> {
    of_items(text, |item| item.is_program() || item.is_condition(), operators)
}

fn constants(text: &str, _: &[String]) -> Vec<Edit> {
    let chosen = |item: &Item| item.is_program() || item.is_condition() || item.is("s");
    of_items(text, chosen, numbers)
}

fn final_program(text: &str, _: &[String]) -> Vec<Edit> {
    of_items(
        text,
        |item| item.name == "final",
        |part| [bounds(part), operators(part), numbers(part)].concat(),
    )
}

fn loop_nest(text: &str, _: &[String]) -> Vec<Edit> {
    let pairs = [
        ("Plus", "Minus"),
        ("Minus", "Plus"),
        ("Times", "Plus"),
        ("Lt ", "Le "),
        ("Le ", "Lt "),
        ("Up ", "Over "),
        ("Sum2", "Mul2"),
        ("Mul2", "Sum2"),
        ("Seq", "Store"),
        ("(Num 0)", "(Num 1)"),
        ("(Num 1)", "(Num 2)"),
        ("Var \"n\"", "Var \"m\""),
        ("Var \"k\"", "Var \"n\""),
        ("\"out\"", "\"a\""),
    ];
    of_items(text, |item| item.name == "nest", |part| swaps(part, &pairs))
}

/// The tokens, which are words and signs, with their places.
fn all_tokens(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let length = if is_word(c) {
            text[at..].find(|c| !is_word(c)).unwrap_or(text.len() - at)
        } else {
            c.len_utf8()
        };
        if !c.is_whitespace() {
            found.push((at, &text[at..at + length]));
        }
        at += length;
    }
    found
}

/// Changes each token. In turn, tokens are left out, written twice, or replaced by the token five
/// places further on.
fn tokens(text: &str, _: &[String]) -> Vec<Edit> {
    let all = all_tokens(text);
    let mut edits = Vec::new();
    for (place, (at, token)) in all.iter().enumerate() {
        let new = match place % 3 {
            0 => String::new(),
            1 => format!("{token} {token}"),
            _ => all.get(place + 5).map_or("x", |(_, other)| other).to_owned(),
        };
        edits.push(Edit { at: *at, old: (*token).to_owned(), new });
    }
    edits.retain(|edit| edit.old != edit.new);
    edits
}

/// Changes each term in parentheses. In turn, terms are replaced by a hole, by `eq_refl`, or by the
/// next term of the text.
fn terms(text: &str, _: &[String]) -> Vec<Edit> {
    let mut open = Vec::new();
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' => open.push(at),
            ')' => spans.extend(open.pop().map(|start| (start, at + 1))),
            _ => {}
        }
    }
    spans.sort_unstable();
    let mut edits = Vec::new();
    for (place, (start, end)) in spans.iter().enumerate() {
        let new = match place % 3 {
            0 => "_".to_owned(),
            1 => "eq_refl".to_owned(),
            _ => spans.get(place + 1).map_or("_", |(start, end)| &text[*start..*end]).to_owned(),
        };
        edits.push(Edit { at: *start, old: text[*start..*end].to_owned(), new });
    }
    edits.retain(|edit| edit.old != edit.new);
    edits
}

/// Changes each line. In turn, lines are left out or written twice.
fn lines(text: &str, _: &[String]) -> Vec<Edit> {
    let mut at = 0;
    let mut edits = Vec::new();
    for (place, line) in text.split_inclusive('\n').enumerate() {
        if !line.trim().is_empty() {
            let new = if place % 2 == 0 { String::new() } else { format!("{line}{line}") };
            edits.push(Edit { at, old: line.to_owned(), new });
        }
        at += line.len();
    }
    edits
}
