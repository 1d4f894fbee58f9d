//! Liars about rewritten algorithms.

use halidom_base::FxHashMap;
use halidom_ir::{Algorithm, Expr, FuncDecl, FuncKind, Pool, parse};
use halidom_smt::{Family, Program, Solver};

use super::{Liar, Search};
use crate::floats::Floats;
use crate::laws::Laws;
use crate::obligation::door::Tactics;
use crate::refine;

/// A sum of blocks of 4, split and factored: the part's second stage, and the merging update.
const PART: &str = "stage(u) = 0i32; for q in [0, 4] stage(u) = part(u) + a(u * 4 + q)";
const MERGED: &str = "for v in [0, 5] stage() = after() + part(v)";

/// An algorithm with the sum of 20 elements, and a new func with the sum of a rewritten algorithm.
fn both(part: &str, merged: &str) -> String {
    format!(
        "algorithm both {{ input a(_0): i32 in a.buffer [a.min.0, a.extent.0, a.stride.0];
           func total(): i32 {{ stage() = 0i32; for r in [0, 20] stage() = total() + a(r); }}
           func part(u): i32 {{ {part}; }}
           func after(): i32 {{ stage() = 0i32; {merged}; }}
           output total; }}",
    )
}

/// Reads an algorithm and its rewritten form. In the latter, `after` has the name of `total`.
fn read(text: &str) -> (Pool, Algorithm, Algorithm) {
    let module = parse::module(text).expect("the text is well formed");
    let (mut pool, both) = (module.pool, module.algorithm);
    let [total, part, after] = *both.funcs.as_slice() else { panic!("three funcs") };
    let decl = FuncDecl { name: "total".to_owned(), ..pool.func(after).clone() };
    let mut stages = decl.stages().to_vec();
    let image = pool.declare_func(decl);
    for value in stages.iter_mut().flat_map(|stage| &mut stage.values) {
        let rename = &mut |pool: &mut Pool, id, expr: &Expr| {
            if let Expr::Ref { func, component, args } = expr
                && *func == after
            {
                pool.func_ref(image, *component, args.clone())
            } else {
                id
            }
        };
        *value = pool.rewrite_bottom_up(*value, &mut FxHashMap::default(), rename);
    }
    pool.define_func(image, FuncKind::Defined { stages, synthetic: false });
    let from = Algorithm { funcs: vec![total], outputs: vec![total], ..both.clone() };
    let to = Algorithm { funcs: vec![part, image], outputs: vec![image], ..both };
    (pool, from, to)
}

/// Tests whether one algorithm is taken for a rewritten form of the other.
fn is_rewritten(text: &str, tactics: &mut dyn Tactics) -> bool {
    let (mut pool, from, to) = read(text);
    let program = Program::find(Family::Z3, None).expect("a solver is installed");
    let limit = std::time::Duration::from_secs(5);
    let options = halidom_smt::Asking::new(program, limit).options("laws");
    let mut laws = Laws::new(Solver::open(options).expect("it starts"), Floats::Bits);
    let found = refine::refines(&mut pool, &mut laws, tactics, (&from, &to));
    found.iter().all(|(_, result)| result.is_ok())
}

#[test]
fn wrong_proposals_show_no_wrong_rewriting() {
    let right = both(PART, MERGED);
    let inner = right.replacen("u * 4 + q", "q * 5 + u", 1);
    assert!(
        is_rewritten(&right, &mut Search::default())
            && is_rewritten(&inner, &mut Search::default())
    );
    let edits = [
        ("0i32; for q", "1i32; for q"),
        ("part(u) + a", "part(u) - a"),
        ("for q in [0, 4]", "for q in [0, 3]"),
        ("for q in [0, 4]", "for q in [1, 4]"),
        ("u * 4 + q", "u * 3 + q"),
        ("u * 4 + q", "u * 5 + q"),
        ("for v in [0, 5]", "for v in [0, 4]"),
        ("for v in [0, 5]", "for v in [0, 6]"),
        ("after() + part(v)", "after() + part(0)"),
        ("after() + part(v)", "after() - part(v)"),
        ("after() + part(v)", "part(v)"),
    ];
    let (mut lost, mut lies) = (0, 0);
    for seed in 1..=20 {
        lost += usize::from(!is_rewritten(&right, &mut Liar::new(seed)));
        for (old, new) in edits {
            let wrong = right.replacen(old, new, 1);
            assert_ne!(wrong, right, "{old}");
            assert!(!is_rewritten(&wrong, &mut Search::default()), "{new}");
            let mut liar = Liar::new(seed);
            assert!(!is_rewritten(&wrong, &mut liar), "{new}, seed {seed}");
            lies += liar.lies;
        }
    }
    assert!(lost >= 5 && lies >= 100, "{lost}, {lies}");
}
