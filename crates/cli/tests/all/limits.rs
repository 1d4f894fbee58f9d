//! Inputs without bounds: sizes beyond memory, deeply nested texts, long chains of funcs. Each gets
//! an answer or a diagnostic; none ends the process.

use std::ffi::OsString;
use std::path::Path;

/// Runs a command; returns its exit status and its standard error.
fn halidom(arguments: &[&str]) -> (u8, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = std::iter::once("halidom").chain(arguments.iter().copied());
    let status = halidom_cli::run(arguments.map(OsString::from), &mut out, &mut err);
    (status as u8, String::from_utf8_lossy(&err).into_owned())
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    path.to_str().expect("a path of the test is text").to_owned()
}

#[test]
fn sizes_beyond_memory_are_refused_with_a_code() {
    let blur = example("blur.hal");
    for size in ["99999999x99999999", "2147483647x2147483647"] {
        for source in [["--input", "input=zeros"], ["--random", "1"]] {
            let input = format!("input={size}");
            for given in [["--size", size, "-q"], ["--size=8x8", "--input-size", &input]] {
                let mut arguments = vec!["run", &blur, "--no-validate"];
                arguments.extend(source.iter().chain(&given));
                let (status, said) = halidom(&arguments);
                assert!(status == 2 && said.contains("HAL0812"), "{arguments:?}: {status}, {said}");
            }
        }
    }
    let small = ["run", &blur, "--interpret", "--random", "1", "--size", "3x2", "-q"];
    assert_eq!(halidom(&small).0, 0);
}

const HEAD: &str = "pipeline p(a: buffer<u8, 1>) -> o: buffer<u8, 1> {\n";

fn chain(length: usize) -> String {
    let link = |i: usize| match i {
        0 => "func g_0(x) = a(x);\n".to_owned(),
        _ => {
            format!("func g_{i}(x) = g_{}(x) + g_{}(x - 1);\n", i - 1, i.saturating_sub(2))
        }
    };
    let funcs: String = (0..length).map(link).collect();
    format!("{HEAD}{funcs}func o(x) = g_{}(x);\n}}\n", length - 1)
}

#[test]
fn deep_texts_and_long_chains_get_an_answer() {
    let folder = tempfile::tempdir().expect("there is room");
    let many = |text: &str, count: usize| text.repeat(count);
    let guarded = many("select(a(x) > 0, ", 5000) + "a(x)" + &many(", 0)", 5000);
    let blocks = many("{ let t = a(x); ", 5000) + "t" + &many(" }", 5000);
    let parentheses = |inner: &str, count| many("(", count) + inner + &many(")", count);
    let func = |value: &str| format!("{HEAD}func o(x) = {value};\n}}\n");
    let row =
        |value: &str| format!("program p(n: size, a: tensor<f64>[n]) =\n gen i < n: {value}\n");
    let method = |body: &str| {
        format!(
            "class M : public IRMutator {{ Expr visit(const Add *op) override {{ {body} }} }};\n"
        )
    };
    let sum = |term: &str| vec![term; 20_000].join(" + ");
    for (name, command, text, status) in [
        ("parentheses.hal", "check", func(&parentheses("a(x)", 10_000)), 2),
        ("blocks.hal", "check", func(&blocks), 2),
        ("selects.hal", "check", func(&guarded), 2),
        ("signs.hal", "check", func(&(many("-", 20_000) + "a(x)")), 2),
        ("sum.hal", "check", func(&sum("a(x)")), 2),
        ("short.hal", "check", func(&parentheses("a(x)", 20)), 0),
        ("chain.hal", "lower", chain(700), 0),
        ("parentheses.atl", "derive", row(&parentheses("a[i]", 10_000)), 2),
        ("sum.atl", "derive", row(&sum("a[i]")), 2),
        ("signs.atl", "derive", row(&(many("-", 20_000) + "a[i]")), 2),
        (
            "parentheses.cpp",
            "verify",
            method(&format!("return {};", parentheses("op->a", 100_000))),
            2,
        ),
        ("sum.cpp", "verify", method(&format!("return {};", sum("op->a"))), 2),
        (
            "blocks.cpp",
            "verify",
            method(&parentheses("", 20_000).replace('(', "{").replace(')', "}")),
            2,
        ),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("there is room");
        let mut arguments = vec![command, path.to_str().expect("a path of the test is text"), "-q"];
        if command == "verify" {
            arguments.extend(["--profile", "halide"]);
        }
        let (found, said) = halidom(&arguments);
        let shown = said.chars().take(300).collect::<String>();
        assert_eq!(found, status, "{name}: {shown}");
    }
}

#[test]
fn a_device_that_does_not_end_is_no_program() {
    for (command, status) in [("check", 2), ("validate", 2)] {
        let (found, said) = halidom(&[command, "/dev/zero"]);
        assert!(found == status && said.contains("HAL0801"), "{command}: {found}, {said}");
    }
}
