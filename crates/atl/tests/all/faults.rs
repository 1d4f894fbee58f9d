//! Tests of faults that compilers of this language have had. Each must be impossible.

use crate::common::derive;
use halidom_atl::codes;
use halidom_atl::native::Comparison;

/// Checks that the C of the only derivation agrees with the source.
fn agrees(text: &str, name: &str) {
    let done = derive(text, Some(name)).expect("the derivation goes through");
    assert!(
        matches!(
            done[0].comparison,
            Some((Comparison::Equal(_), Comparison::Equal(_) | Comparison::Within(_)))
        ),
        "{:?}",
        done[0].comparison
    );
}

#[test]
fn a_sum_of_guarded_tensors_begins_with_zeros_each_time() {
    let text = "program p(n: size, v: tensor<i32>[n]) = sum i < n: gen p < n: [i <= p] * \
        v[i]\nderivation d of p { simplify; }";
    agrees(text, "sums");
    // Checks the meaning itself: 1, 10, 100, 1000 give 1, 11, 111, 1111.
    let engine = halidom_atl::engine::Engine::new().expect("the engine starts");
    let mut sources = halidom_diag::Sources::new();
    let file = sources.add("p.atl", text);
    let loaded =
        halidom_atl::file::load(&engine, &mut sources, file).expect("the program is right");
    let program = &loaded.programs[0];
    let input = halidom_atl::interpret::Tensor { sizes: vec![4], elements: vec![1, 10, 100, 1000] };
    let value = halidom_atl::interpret::interpret(program, &program.body, &[4], &[input]);
    assert_eq!(value.expect("integers are interpreted").elements, [1, 11, 111, 1111]);
}

#[test]
fn a_cut_of_what_is_not_zero_is_refused() {
    let text = "program p(n: size, k: size, f: tensor<i32>[n]) where k <= n = trunc_r(k, gen i < \
        n: f[i])\nderivation d of p { simplify; }";
    assert_eq!(derive(text, None).err().map(|(code, _)| code), Some(codes::NOT_LOWERED));
}

#[test]
fn an_unsafe_read_under_a_guard_or_in_a_product_is_refused() {
    for body in [
        "gen i < n: [0 <= i] * f[i - 1]",
        "gen i < n: f[i] * f[i + 1]",
        "gen i < n: f[i] * [i < n] * f[i + 1]",
        "gen i < n: sum j < 2: f[i + j]",
        "let b = gen i < n: f[i] in gen i < n: b[i + 1]",
    ] {
        let text = format!(
            "program p(n: size, f: tensor<i32>[n]) = {body}\nderivation d of p {{ simplify guards; \
                }}"
        );
        assert_eq!(
            derive(&text, None).err().map(|(code, _)| code),
            Some(codes::OUT_OF_BOUNDS),
            "{body}"
        );
    }
}

#[test]
fn a_tile_whose_guard_stays_outside_the_let_is_refused() {
    let program =
        "program p(n: size, f: tensor<i32>[n]) = gen i < n: [0 <= i - 1] * f[i - 1] + f[i]\n";
    let script = |bind: &str| {
        format!(
            "{program}derivation d(k: size) of p where 0 < k {{ tile i, k, o, ii; at ii.body {{ \
                {bind} }} let_gen0 at ii; }}"
        )
    };
    // The buffer would be filled for the whole block, beyond the input's end.
    let outside = script("bind v at here.body;");
    assert_eq!(derive(&outside, None).err().map(|(code, _)| code), Some(codes::OUT_OF_BOUNDS));
    agrees(&script("guard_repeat; bind v at here.body;"), "tile");
}

#[test]
fn quotients_and_remainders_of_negative_numbers_round_down() {
    let text = "program p(n: size, f: tensor<i32>[n]) where 0 < n = gen i < n: f[(i - 5) % n] + \
        [(i - 3) / 2 < 0] * f[i]\nderivation d of p { simplify; }";
    agrees(text, "remainder");
}

#[test]
fn wrong_commands_are_refused_with_a_reason() {
    let engine = halidom_atl::engine::Engine::new().expect("the engine starts");
    let program = "program p(n: size, f: tensor<i32>[n]) = gen i < n: f[i] * [i < 3] * f[i]\n";
    let mut commands: Vec<String> = engine
        .rules
        .iter()
        .flat_map(|rule| {
            [
                format!("{};", rule.name),
                format!("back {};", rule.name),
                format!("{} at i.body;", rule.name),
            ]
        })
        .collect();
    for wrong in [
        "at j: simplify;",
        "at i#2: simplify;",
        "at (f[_]): simplify;",
        "inline f;",
        "bind x at i.left;",
        "stage f;",
        "vectorize i;",
        "tile i;",
        "at i.value: simplify;",
        "sum_sum with z = 1;",
    ] {
        commands.push(wrong.to_owned());
    }
    let mut refused = 0;
    for command in &commands {
        let text = format!("{program}derivation d of p {{ {command} }}");
        match derive(&text, None) {
            // A command that applies is a proved rule, so there is nothing to refuse.
            Ok(_) => {}
            Err((code, message)) => {
                assert!(
                    code.0.starts_with("HAL10") && message.len() > 15,
                    "{command}: {code} {message}"
                );
                refused += 1;
            }
        }
    }
    assert!(refused >= 100, "only {refused} of {} commands were refused", commands.len());
}
