//! Tests of loops whose iterations run at the same time. Their certificates state that no two
//! iterations touch the same element, one of them by a write.

use crate::common::derive;
use halidom_atl::codes;
use halidom_atl::native::Comparison;

#[test]
fn marked_loops_run_on_threads_and_lanes() {
    let text = "program p(n: size, m: size, f: tensor<i32>[n, m]) = gen i < n: gen j < m: f[i; j] \
        + f[i; j]
derivation d(k: size, l: size) of p where 0 < k, 0 < l {
    tile2d i, j, k, l, io, jo, ii, ji;
    bind b at (f[_; _] + f[_; _]);
    parallel io; vectorize ji;
}
derivation blocks of p where 0 < m { split_intro; at flatten: flatten_gen as q; parallel q; }";
    let text = text.replace("    bind b at (f[_; _] + f[_; _]);\n", "");
    let done = derive(&text, Some("marks")).expect("the derivations go through");
    let c = &done[0].certificate.function;
    let line = |line: &str| c.lines().any(|found| found.trim() == line);
    assert!(line("#pragma omp parallel for") && line("#pragma omp simd"), "{c}");
    for done in done {
        assert!(done.certificate.statement.contains("Definition separated : Prop"));
        assert!(matches!(done.comparison, Some((Comparison::Equal(_), Comparison::Equal(_)))));
    }
}

#[test]
fn a_loop_whose_iterations_meet_is_refused() {
    let program = "program p(n: size, m: size, f: tensor<i32>[n, m], g: tensor<i32>[m]) =
    let b = gen j < m: g[j] in gen i < n: sum j < m: f[i; j] * b[j]\n";
    let refused = |script: &str| {
        let text = format!("{program}derivation d of p {{ {script} }}");
        derive(&text, None).err().map(|(code, _)| code)
    };
    assert_eq!(refused("parallel i;"), None);
    assert_eq!(refused("at let.value: rename j as k; parallel k;"), None);
    // All iterations of a sum add to the same element.
    for script in [
        "at i.body: rename j as s; parallel s;",
        "at i.body: rename j as s; vectorize s;",
        "at i: gen_sum; parallel j;",
    ] {
        assert_eq!(refused(script), Some(codes::NOT_LOWERED), "{script}");
    }
}

#[test]
fn a_buffer_outside_of_the_loop_is_shared() {
    // Each block has its own buffer, or all would fill the same one.
    let text = "program p(n: size, m: size, f: tensor<i32>[n, m]) = gen i < n: sum j < m: let b = \
        gen k < 2: f[i; j] in b[0] * b[1]
derivation d of p { parallel i; }";
    let done = derive(text, Some("buffers")).expect("the derivation goes through");
    assert!(matches!(done[0].comparison, Some((Comparison::Equal(_), _))));
}
