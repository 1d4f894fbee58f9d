//! Every lemma is true: random integers at random values of their symbols.

use super::Reached;
use crate::space::Space;
use crate::space::concrete::{Assignment, Random};

#[test]
fn lemmas_hold_whatever_the_symbols_are() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut checked = 0;
    for _ in 0..1500 {
        let mut space = Space::new();
        let symbols: Vec<_> =
            ["a", "b", "n", "m"].into_iter().map(|name| space.fresh(name)).collect();
        let mut facts = Vec::new();
        for _ in 0..3 {
            let (a, b) =
                (random.poly(&mut space, &symbols, 2), random.poly(&mut space, &symbols, 2));
            facts.push(space.less(a, b));
        }
        let mut reached = Reached::default();
        for fact in &facts {
            reached.formula(&space, *fact);
        }
        let lemmas = reached.lemmas(&mut space, &facts, &mut super::Memo::default());
        for _ in 0..30 {
            let at: Assignment =
                symbols.iter().map(|symbol| (*symbol, random.below(15) - 6)).collect();
            for lemma in &lemmas {
                assert!(space.truth_at(*lemma, &at), "{:?} at {at:?}", space.formula(*lemma));
                checked += 1;
            }
        }
    }
    assert!(checked > 100_000, "only {checked}");
}
