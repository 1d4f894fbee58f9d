//! Tests of the examples: every derivation ends in a certificate, and its C agrees with the source
//! program.

use halidom_atl::certificate::agreement;
use halidom_atl::engine::Engine;
use halidom_atl::file::load;
use halidom_atl::native::{Agreement, Comparison};
use halidom_atl::program::Element;
use halidom_diag::Sources;
use halidom_testgen::is_sweep;

use crate::common::examples;

#[test]
fn every_example_is_certified_and_its_c_agrees_with_its_source() {
    let mut count = 0;
    for path in examples() {
        let text = std::fs::read_to_string(&path).expect("the example can be read");
        for done in crate::common::derive(&text, Some("examples")).expect("the example is derived")
        {
            let at = format!("{}: {}", path.display(), done.name);
            assert!(
                matches!(
                    done.comparison,
                    Some((Comparison::Equal(sizes), Comparison::Equal(_) | Comparison::Within(_)))
                        if sizes >= 8
                ),
                "{at}: {:?}",
                done.comparison
            );
            count += 1;
        }
    }
    let least = if is_sweep() { 15 } else { 3 };
    assert!(count >= least, "{least} derivations, not {count}");
}

#[test]
fn the_f32_programs_are_exact_where_the_certificate_says_so() {
    // In a sum of two sums, the loop nest adds the parts of the second to the first, which rounds
    // in other places.
    let text = "program p(n: size, m: size, f: tensor<i32>[n, m], g: tensor<i32>[n, m]) = gen i < \
        n: (sum j < m: f[i; j]) + (sum j < m: g[i; j])
program q(n: size, m: size, f: tensor<i32>[n, m]) = gen i < n: sum j < m: f[i; j]
derivation parts of p { simplify; }
derivation whole of q { simplify; }";
    let done = crate::common::derive(text, Some("floats")).expect("the derivations go through");
    assert_eq!(agreement(&done[0].certificate.laws), Agreement::Rounded);
    assert_eq!(agreement(&done[1].certificate.laws), Agreement::Exact);
    let floats: Vec<_> = done.into_iter().filter_map(|done| Some(done.comparison?.1)).collect();
    assert!(
        matches!(floats.as_slice(), [Comparison::Within(_), Comparison::Equal(_)]),
        "{floats:?}"
    );
}

/// The C that runs a derivation has names of its own, which no derivation has.
#[test]
fn a_derivation_may_have_any_name() {
    let names =
        ["cases", "state", "result", "results", "i", "k", "c", "number", "NEXT", "atl_case"];
    let derivations = names.map(|name| format!("derivation {name} of q {{ simplify; }}"));
    let program = "program q(n: size, f: tensor<i32>[n]) = gen i < n: f[i] + f[i]";
    let text = format!("{program}\n{}", derivations.join("\n"));
    let done = crate::common::derive(&text, Some("names")).expect("the derivations go through");
    assert_eq!(done.len(), names.len());
    for done in done {
        assert!(
            matches!(done.comparison, Some((Comparison::Equal(_), Comparison::Equal(_)))),
            "{}: {:?}",
            done.name,
            done.comparison
        );
    }
}

#[test]
fn a_derivation_of_a_hundred_steps_in_a_thousand_nodes_takes_less_than_a_second() {
    let engine = Engine::new().expect("the engine starts");
    let mut sources = Sources::new();
    let file = sources.add("many.atl", include_str!("../../benches/hundred_steps.atl"));
    let loaded = load(&engine, &mut sources, file).expect("the program is right");
    let start = std::time::Instant::now();
    let derived = loaded
        .derive(&engine, &sources, &loaded.derivations[0])
        .expect("the derivation goes through");
    let taken = start.elapsed();
    let nodes = halidom_atl::term::size(&derived.program.body);
    assert!(nodes >= 1_000, "{nodes} nodes");
    assert!(derived.state.steps.len() >= 100, "{} steps", derived.state.steps.len());
    assert!(taken.as_secs_f64() < 1.0, "{taken:?}");
}

#[test]
fn sizes_that_do_not_fit_are_refused_before_anything_is_computed() {
    let text = "program p(n: size, f: tensor<i32>[n]) = gen i < n: f[i] + f[i]
derivation d(k: size) of p where 0 < k { tile i, k, o, ii; }";
    let done = crate::common::derive(text, None).expect("the derivation goes through");
    let folder = crate::common::folder("sizes");
    let unit = halidom_atl::lower::unit(Element::I32, &done[0].certificate.function);
    // Each case has the arguments. The output has the status and two elements of the result.
    let main = "#include <stdio.h>
int main(void)
{
    const int64_t cases[][2] = {{5, 2}, {5, 1000000}, {5, INT64_MAX}, {5, INT64_MAX / 2}, {5, 0}, \
    {5, -1}, {-1, 2}, {INT64_MAX, 1}, {INT64_MIN, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        elem in[5] = {1, 2, 3, 4, 5}, result[5] = {7, 7, 7, 7, 7};
        int status = d(cases[i][0], cases[i][1], in, result);
        printf(\"%d %d %d\\n\", status, (int)result[0], (int)result[4]);
    }
    return 0;
}
";
    let (source, binary) = (folder.join("sizes.c"), folder.join("sizes"));
    std::fs::write(&source, format!("{unit}{main}")).expect("the folder can be written");
    let built = std::process::Command::new("gcc")
        .args(["-O1", "-std=c11", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
        .arg("-o")
        .arg(&binary)
        .arg(&source)
        .status()
        .expect("gcc runs");
    assert!(built.success());
    let ran = std::process::Command::new(&binary).output().expect("it runs");
    let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[..2], ["0 2 10"; 2], "{printed}");
    assert_eq!(lines[2..], ["1 7 7"; 7], "{printed}");
    let _ = std::fs::remove_dir_all(folder);
}
