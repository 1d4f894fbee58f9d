//! Tests of cursors: a place taken before a step is the same place after it, or is reported as
//! gone.

use std::collections::BTreeSet;
use std::rc::Rc;

use halidom_atl::codes;
use halidom_atl::engine::{Engine, Step, forward, part};
use halidom_atl::file::load;
use halidom_atl::term::{Node, Term, children};
use halidom_diag::Sources;
use halidom_testgen::is_sweep;

use crate::common::examples;

/// All places of a term.
fn places(term: &Term) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for (place, child) in children(term).into_iter().enumerate() {
        all.extend(places(child).into_iter().map(|path| [&[place], path.as_slice()].concat()));
    }
    all
}

/// True if two places hold the same construct: the same kind of loop, a `let` of the same name, the
/// same operator, function or literal. For other terms, the same kind of node.
fn same_construct(a: &Term, b: &Term) -> bool {
    match (&**a, &**b) {
        (Node::Loop(k, ..), Node::Loop(l, ..)) => k == l,
        (Node::Let(x, ..), Node::Let(y, ..)) => x.name == y.name,
        (Node::Reshape(f, ..), Node::Reshape(g, ..)) => f == g,
        (Node::Call(f, _), Node::Call(g, _)) => f == g,
        (Node::Literal(x), Node::Literal(y)) => x == y,
        _ => std::mem::discriminant(&**a) == std::mem::discriminant(&**b),
    }
}

/// Follows every place of the program before a step. Returns the numbers of kept and of lost
/// places.
fn follow(engine: &Engine, before: &Term, step: &Step, at: &str) -> (usize, usize) {
    let (mut kept, mut gone) = (0, 0);
    let after: BTreeSet<_> = places(&step.after).into_iter().collect();
    for place in places(before) {
        let old = part(before, &place);
        let carried = forward(&engine.rules, step, &place);
        if carried.is_empty() {
            assert!(place.starts_with(&step.path), "{at}: a place outside of the step is gone");
            gone += 1;
        }
        let inside = place.starts_with(&step.path);
        let above = step.path.starts_with(&place);
        for new_place in carried {
            assert!(after.contains(&new_place), "{at}: {new_place:?} is no place");
            let new = part(&step.after, &new_place);
            // Parts that the step did not touch are unchanged. The place of the step itself has its
            // new form.
            if !inside && !above {
                assert!(Rc::ptr_eq(&old, &new), "{at}: {place:?} to {new_place:?}");
            } else if place != step.path && !matches!(*old, Node::Var(_)) {
                assert!(
                    same_construct(&old, &new),
                    "{at}: {place:?} to {new_place:?}: {} to {}",
                    halidom_atl::print::term(&old),
                    halidom_atl::print::term(&new)
                );
            }
            kept += 1;
        }
    }
    (kept, gone)
}

#[test]
fn every_place_of_every_example_is_carried_by_every_step() {
    let (mut kept, mut gone) = (0, 0);
    for path in examples() {
        let text = std::fs::read_to_string(&path).expect("the example can be read");
        let engine = Engine::new().expect("the engine starts");
        let mut sources = Sources::new();
        let file = sources.add("example.atl", text);
        let loaded = load(&engine, &mut sources, file).expect("the example is right");
        for derivation in &loaded.derivations {
            let derived = loaded.derive(&engine, &sources, derivation).expect("it goes through");
            let mut before = Rc::clone(&derived.program.body);
            for step in &derived.state.steps {
                let at = format!("{}: {} at {:?}", derivation.name.text, step.command, step.path);
                let counts = follow(&engine, &before, step, &at);
                kept += counts.0;
                gone += counts.1;
                before = Rc::clone(&step.after);
            }
        }
    }
    // Steps remove the parts that they reduce, and carry nearly everything else.
    let least = if is_sweep() { 10_000 } else { 500 };
    assert!(kept > least && gone > 0 && gone * 10 < kept, "{kept} kept, {gone} gone");
}

/// The final program of the only derivation, or the code and message of its refusal.
fn derived(script: &str) -> Result<String, (halidom_diag::Code, String)> {
    let text = format!(
        "program p(n: size, f: tensor<i32>[n], g: tensor<i32>[n]) =
    let b = gen j < n: f[j] + g[j] in gen i < n: b[i] * g[i]\nderivation d(k: size) of p where 0 < \
    k {{ {script} }}"
    );
    let engine = Engine::new().expect("the engine starts");
    let mut sources = Sources::new();
    let file = sources.add("test.atl", text);
    let loaded = load(&engine, &mut sources, file).expect("the program is right");
    let derived = loaded
        .derive(&engine, &sources, &loaded.derivations[0])
        .map_err(|refusal| (refusal.code, refusal.message))?;
    Ok(halidom_atl::print::term(&derived.state.term)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" "))
}

#[test]
fn a_script_comes_back_to_a_cursor() {
    // The product is found before the loop around it is split and the tensor that it reads is
    // inlined.
    let plain = derived("tile i, k, o, ii; at (b[_] * g[_]): mul_swap_sides;").expect("it applies");
    let marked = "cursor product at (b[_] * g[_]); tile i, k, o, ii; at product: mul_swap_sides;";
    assert_eq!(derived(marked).expect("it applies"), plain);
    // The binder was renamed after the cursor was taken.
    let renamed = "cursor loop at i; rename i as row; at loop: tile loop, k, o, ii;";
    assert!(derived(renamed).expect("it applies").contains("gen ii < k"));
}

#[test]
fn a_cursor_that_was_copied_needs_a_number() {
    let script = |site: &str| {
        format!(
            "cursor product at (b[_] * g[_]); at i: gen_split with mid = min(1, hi); at {site}: \
                mul_swap_sides;"
        )
    };
    let (code, message) = derived(&script("product")).expect_err("there are two");
    assert_eq!((code, message.as_str()), (codes::NO_SITE, "`product` is here 2 times"));
    let second = derived(&script("product#2")).expect("it applies");
    assert!(second.contains("b[i] * g[i], gen") && second.contains("g[i] * b[i])"), "{second}");
}

#[test]
fn a_cursor_whose_place_was_removed_is_gone() {
    // The read of `b` is replaced by the element that it reads.
    let script =
        "cursor reading at (b[_] * g[_]).left; inline b; beta; at reading: add_swap_sides;";
    assert!(derived(script).expect("the sum stands where the read was").contains("g[i] + f[i]"));
    let script = "cursor inner at j; inline b; beta; at inner: simplify;";
    let (code, message) = derived(script).expect_err("the loop is gone");
    assert_eq!((code, message.as_str()), (codes::NO_SITE, "`beta;` removed this place"));
}
