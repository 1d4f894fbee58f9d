//! The macros of TVM's rules: their names, the definitions that mean what the reader of rules
//! reads, and the other macros of a text.

use halidom_cpp::is_letter;

/// The macros, whether each takes a condition as its last argument, and the definitions that mean
/// what this reader reads, without blanks and without the calls that count.
pub(super) const MACROS: [(&str, bool, &[&str]); 4] = [
    (
        "TVM_TRY_REWRITE",
        false,
        &["(SrcExpr,ResExpr)if((SrcExpr).Match(ret)){return(ResExpr).Eval();}"],
    ),
    (
        "TVM_TRY_REWRITE_IF",
        true,
        &[
            "(SrcExpr,ResExpr,CondExpr)if((SrcExpr).Match(ret,[&](){return(CondExpr);})){\
             return(ResExpr).Eval();}",
            "(SrcExpr,ResExpr,CondExpr)if((SrcExpr).Match(ret)&&(CondExpr)){\
             return(ResExpr).Eval();}",
        ],
    ),
    (
        "TVM_TRY_RECURSIVE_REWRITE",
        false,
        &["(SrcExpr,ResExpr)if((SrcExpr).Match(ret)){returnRecursiveRewrite((ResExpr).Eval());}"],
    ),
    (
        "TVM_TRY_RECURSIVE_REWRITE_IF",
        true,
        &[
            "(SrcExpr,ResExpr,CondExpr)if((SrcExpr).Match(ret,[&](){return(CondExpr);})){\
             returnRecursiveRewrite((ResExpr).Eval());}",
            "(SrcExpr,ResExpr,CondExpr)if((SrcExpr).Match(ret)&&(CondExpr)){\
             returnRecursiveRewrite((ResExpr).Eval());}",
        ],
    ),
];

/// The calls in the macros that count rules.
const COUNTERS: [&str; 2] = ["RecordAttemptedRewrite();", "RecordRewrite();"];

/// Returns a text without the definitions of the macros, with the same lines, and the macros whose
/// definitions mean something else than this reader reads.
pub(super) fn without_definitions(text: &str) -> (String, Vec<&'static str>) {
    let (mut kept, mut altered) = (String::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let define = line.trim_start().strip_prefix("#define").map(str::trim_start);
        let name = |(name, ..): &&(&'static str, bool, &[&str])| {
            let rest = define.and_then(|define| define.strip_prefix(name));
            rest.is_some_and(|rest| rest.starts_with(|letter: char| !is_letter(letter)))
        };
        let Some((name, _, known)) = MACROS.iter().find(name) else {
            kept.push_str(line);
            kept.push('\n');
            continue;
        };
        let mut body = String::new();
        let mut last = define.and_then(|define| define.strip_prefix(name)).unwrap_or_default();
        loop {
            kept.push('\n');
            let part = last.trim_end().strip_suffix('\\');
            body.extend(part.unwrap_or(last).split_whitespace());
            match part.and_then(|_| lines.next()) {
                Some(line) => last = line,
                None => break,
            }
        }
        for counter in COUNTERS {
            body = body.replace(counter, "");
        }
        if !known.contains(&body.as_str()) {
            altered.push(*name);
        }
    }
    (kept, altered)
}

pub(super) fn has_word(text: &str, word: &str) -> bool {
    text.split(|letter| !is_letter(letter)).any(|known| known == word)
}

/// The macros that a text defines or may have lost.
pub(super) fn macros_of(text: &str) -> Vec<String> {
    let directive = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        let rest = rest.strip_prefix("define")?.trim_start();
        rest.split(|letter| !is_letter(letter)).next().map(str::to_owned)
    };
    text.lines().filter_map(directive).collect()
}
