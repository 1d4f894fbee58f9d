//! Tests that bounds hold, with random integers, loops, facts and values.

use halidom_base::FxHashMap;

use super::{Bounds, Limits, Sizes};
use crate::space::concrete::{Assignment, Random};
use crate::space::{Space, Symbol};

#[test]
fn integers_lie_in_their_intervals() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut narrow = 0;
    for _ in 0..3000 {
        let mut space = Space::new();
        let (size, shape, min) = (space.fresh("size"), space.fresh("shape"), space.fresh("min"));
        let params: FxHashMap<_, _> =
            [(size, (0, 9)), (shape, (1, 7)), (min, (-8, 8))].into_iter().collect();
        // Two loops: the inner loop's bounds mention the outer loop's variable.
        let (outer, inner) = (space.fresh("outer"), space.fresh("inner"));
        let extent = random.poly(&mut space, &[size, shape], 1);
        let start = random.poly(&mut space, &[min], 1);
        let inner_extent = random.poly(&mut space, &[size, outer], 1);
        let inner_start = random.poly(&mut space, &[min, outer], 1);
        let loops = [(outer, start, extent), (inner, inner_start, inner_extent)];
        // The facts bound a product, and relate a size to a minimum.
        let (s, t, m) = (space.symbol(size), space.symbol(shape), space.symbol(min));
        let area = space.mul(s, t);
        let limit = space.constant(20);
        let facts = vec![space.sub(limit, area), space.combine(&[(s, 1), (m, -1)])];
        let poly = random.poly(&mut space, &[size, shape, min, outer, inner], 3);
        let other = random.poly(&mut space, &[size, shape, min, outer], 2);
        let mut limits = Limits::new(&space, params.clone(), &facts);
        let mut bounds = Bounds::new(&mut space, &loops, params, facts.clone());
        let mut at_most = |_: &mut Space, _: Symbol, _: Symbol| false;
        let mut sizes = Sizes { limits: &mut limits, at_most: &mut at_most };
        let found = bounds.interval(&mut space, &mut sizes, poly);
        let product = bounds.product(&mut space, &mut sizes, [poly, other]);
        narrow += u32::from(found.0 > -(1 << 60) && found.1 < 1 << 60);
        for _ in 0..40 {
            let mut at = Assignment::default();
            at.insert(size, random.below(10));
            at.insert(shape, 1 + random.below(7));
            at.insert(min, random.below(17) - 8);
            if facts.iter().any(|fact| space.value_at(*fact, &at) < 0) {
                continue;
            }
            let mut runs = true;
            for (symbol, start, extent) in loops {
                let (start, extent) = (space.value_at(start, &at), space.value_at(extent, &at));
                runs &= extent > 0;
                at.insert(symbol, start + random.below(extent.max(1) as u64));
            }
            if runs {
                let (here, times) = (space.value_at(poly, &at), space.value_at(other, &at));
                assert!(found.0 <= here && here <= found.1, "{here} in {found:?}");
                let here = here * times;
                assert!(product.0 <= here && here <= product.1, "{here} in {product:?}");
            }
        }
    }
    assert!(narrow > 2000, "only {narrow} of 3000 have bounds");
}

#[test]
fn what_cancels_does_not_count() {
    let mut space = Space::new();
    let (width, min, stride) = (space.fresh("width"), space.fresh("min"), space.fresh("stride"));
    let wide = 1 << 31;
    let params: FxHashMap<_, _> =
        [(width, (0, wide)), (min, (-wide, wide)), (stride, (0, 1 << 47))].into_iter().collect();
    let (w, m, s) = (space.symbol(width), space.symbol(min), space.symbol(stride));
    let x = space.fresh("x");
    let loops = [(x, m, w)];
    let area = space.mul(w, s);
    let most = space.constant(1 << 47);
    let facts = vec![space.sub(most, area)];
    let mut limits = Limits::new(&space, params.clone(), &facts);
    let mut bounds = Bounds::new(&mut space, &loops, params, facts);
    let mut at_most = |_: &mut Space, _: Symbol, _: Symbol| false;
    let mut sizes = Sizes { limits: &mut limits, at_most: &mut at_most };
    let variable = space.symbol(x);
    let row = space.sub(variable, m);
    let index = space.mul(row, s);
    assert_eq!(bounds.interval(&mut space, &mut sizes, index), (0, 1 << 47));
    // With a sum instead of the difference, nothing cancels.
    let row = space.add(variable, m);
    let index = space.mul(row, s);
    let (low, high) = bounds.interval(&mut space, &mut sizes, index);
    assert!(low < -(1 << 62) && high > 1 << 62);
}
