//! Compares the programs of Table 1 (translation validation for Halide) with the paper's figures.

use super::measure::validate;
use crate::answer::Verdict;
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, root};
use crate::{setup, table};

/// A program, its pipeline, and the paper's seconds and verdict.
struct Row {
    file: &'static str,
    pipeline: &'static str,
    published: &'static str,
}

/// The paper's transposed products are wrong in the paper's form; here they are corrected.
const ROWS: [Row; 18] = [
    Row { file: "blur", pipeline: "blur", published: "<1 proved" },
    Row { file: "cmm1024", pipeline: "cmm", published: "2.6 proved" },
    Row { file: "sgemm1024", pipeline: "sgemm1024", published: "1 proved" },
    Row { file: "sgemm", pipeline: "sqsgemm", published: "15.1 proved" },
    Row { file: "sgemm", pipeline: "bigsqsgemm", published: "2.7 proved" },
    Row { file: "sgemm", pipeline: "sgemm", published: "204 proved" },
    Row { file: "sgemm", pipeline: "bigsgemm", published: "12.1 proved" },
    Row { file: "sc1", pipeline: "sc1", published: "12.5 proved" },
    Row { file: "sc32", pipeline: "sc32", published: "293 proved" },
    Row { file: "dsc", pipeline: "dsc", published: "103 proved" },
    Row { file: "conv", pipeline: "conv", published: "132 proved" },
    Row { file: "sdot", pipeline: "sdot", published: "<1 proved" },
    Row { file: "harris", pipeline: "harris", published: "44.8 proved" },
    Row { file: "unsharp", pipeline: "unsharp", published: "6.1 proved" },
    Row { file: "nl_means", pipeline: "nl_means", published: ">900 unknown" },
    Row { file: "sgemm_transposed", pipeline: "sgemmTA", published: "10.4 wrong" },
    Row { file: "sgemm_transposed", pipeline: "sgemmTB", published: "34.7 wrong" },
    Row { file: "sgemm_transposed", pipeline: "sgemmTAB", published: "- -" },
];

pub(super) fn run() -> Result<(), Error> {
    setup::ensure()?;
    let halidom = process::halidom()?;
    let mut rows = Vec::new();
    let mut refuted: Vec<String> = Vec::new();
    for row in &ROWS {
        println!("{} …", row.pipeline);
        let path = root().join(format!("examples/table1/{}.hal", row.file));
        let measured = validate(&halidom, &path, row.pipeline, "application")?;
        let seconds = format!("{:.1}", measured.time.as_secs_f64());
        let cpu = format!("{:.1}", measured.cpu.as_secs_f64());
        let memory = format!("{}", measured.peak_kib / 1024);
        let Some(answer) = measured.answer else {
            rows.push(cells(row, &["-", "-", &seconds, &cpu, &memory, "out of time"]));
            continue;
        };
        let total = answer.get("obligations").and_then(|counts| counts.get("total"));
        let number = |json: Option<&Json>| {
            json.and_then(Json::number).map_or("-".to_owned(), |number| format!("{number:.0}"))
        };
        match answer.verdict {
            Verdict::Proved | Verdict::Unknown => {}
            Verdict::Refuted | Verdict::Nothing | Verdict::NotJudged => {
                refuted.push(row.pipeline.to_owned());
            }
        }
        let verdict = answer.verdict.to_string();
        let (total, queries) = (number(total), number(answer.get("queries")));
        rows.push(cells(row, &[&total, &queries, &seconds, &cpu, &memory, &verdict]));
    }
    let headings = [
        "program",
        "obligations",
        "asked",
        "seconds",
        "CPU",
        "MiB",
        "verdict",
        "published",
        "verdict",
    ];
    println!("{}", table::layout(&headings, &rows));
    if refuted.is_empty() {
        return Ok(());
    }
    Err(Error::Refuted(refuted))
}

fn cells(row: &Row, measured: &[&str]) -> Vec<String> {
    let mut cells = vec![row.pipeline.to_owned()];
    cells.extend(measured.iter().map(|&cell| cell.to_owned()));
    cells.extend(row.published.split(' ').map(str::to_owned));
    cells
}
