//! Table 1 of the validation paper: the final statements as stock Halide prints them.

use halidom_driver::stock::{Annotations, Request};
use halidom_halide::{Names, text};

use crate::common::in_parallel;
use crate::{annotations, is_wanted, is_whole, python, row, shared};

/// Rows that are proved from the plain statement, with inferred claims.
const PROVED: [&str; 20] = [
    "atl_tiled",
    "atl_tiled_vec",
    "atl_twostage",
    "atl_twostage_vec",
    "blur",
    "cmm1024",
    "conv",
    "dsc3",
    "harris",
    "harris_strict",
    "nl_means_strict",
    "sc1",
    "sc32",
    "sdot",
    "sgemm",
    "sgemmTA",
    "sgemmTAB",
    "sgemmTB",
    "unsharp",
    "unsharp_strict",
];

/// Rows that are proved with annotations.
const ANNOTATED: [&str; 1] = ["dsc"];

/// Rows of a test run.
const FEW: [&str; 3] = ["atl_twostage", "blur", "sdot"];

/// Tests whether annotations are used for a row; Halide must compile it for that.
fn is_annotated(name: &str) -> bool {
    ANNOTATED.contains(&name) && python().is_some()
}

#[test]
fn table_1_is_read_and_nothing_of_it_is_refuted() {
    let Some(folder) = shared("table1") else { return };
    let entries = std::fs::read_dir(&folder).expect("it can be listed");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .filter(|name| is_whole() || FEW.contains(&name.as_str()))
        .filter(|name| is_wanted(name))
        .collect();
    names.sort();
    let rows = in_parallel(&names, |name| {
        let own = folder.join(name);
        let statement = own.join("stock.stmt");
        let source = std::fs::read_to_string(&statement).expect("the statement is there");
        let mut known = Names::new();
        let block = text::statement(&source, &mut known)
            .unwrap_or_else(|error| panic!("{name}: byte {}: {error}", error.at));
        assert!(text::print(&block, &known) == source, "{name} prints otherwise");
        let mut request = Request {
            statement: Some(statement),
            ..Request::of(&own.join(name).with_extension("hlpipe"))
        };
        // The statement was compiled for this target; the pipeline's file does not record it.
        request.job.target = match name.as_str() {
            "sdot" => Some("host-no_asserts-no_bounds_query".to_owned()),
            name if name.ends_with("_strict") => Some("host-strict_float".to_owned()),
            _ => None,
        };
        let usual = if is_annotated(name) { Annotations::Always } else { Annotations::Never };
        row::judge(name, &request, annotations(usual))
    });
    row::print("Table 1, plain statements; each is read and prints back", &rows);
    for row in &rows {
        assert_ne!(row.verdict, "refuted", "{}: {}", row.name, row.remark);
        let expected = PROVED.contains(&row.name.as_str()) || is_annotated(&row.name);
        assert!(!expected || row.verdict == "proved", "{}: {}", row.name, row.remark);
        assert!(!row.wrong_code, "{}: {}", row.name, row.remark);
        assert_ne!(row.runs, Some(0), "{}: no sizes were found that it accepts", row.name);
    }
}
