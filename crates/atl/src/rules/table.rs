//! The rules as data. Each has the name and the statement of a lemma in `coq/Rules.v`,
//! `coq/Reshape.v` or `coq/Distribute.v`, where it is proved; a test compares the two.
//!
//! The second column lists a rule's variables with their sorts. `Z` is an integer and `B` a truth
//! value. Anything else is the rank of a tensor, or of the value of a function that makes one.
//! `flatten{n, m}(v)` is an operator with its sizes.

/// The laws of arithmetic that a rule's proof uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Law {
    /// `0 + a = a`. Exact for floating point, except for the sign of a zero.
    ZeroAdds,
    /// `0 * a = 0`. False for infinities.
    ZeroAnnihilates,
    /// `a + b = b + a` and `(a + b) + c = a + (b + c)`.
    AdditionRearranges,
    /// `a * b = b * a` and `(a * b) * c = a * (b * c)`.
    MultiplicationRearranges,
    /// `a * (b + c) = a * b + a * c`.
    Distributes,
}

impl Law {
    /// The law in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::ZeroAdds => "0 + a = a",
            Self::ZeroAnnihilates => "0 * a = 0",
            Self::AdditionRearranges => "addition is associative and commutative",
            Self::MultiplicationRearranges => "multiplication is associative and commutative",
            Self::Distributes => "multiplication distributes over addition",
        }
    }
}

/// A rule in the form of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) variables: &'static str,
    pub(crate) left: &'static str,
    pub(crate) right: &'static str,
    pub(crate) premises: &'static [&'static str],
    pub(crate) laws: &'static [Law],
}

const fn rule(
    name: &'static str,
    variables: &'static str,
    left: &'static str,
    right: &'static str,
    premises: &'static [&'static str],
    laws: &'static [Law],
) -> Entry {
    Entry { name, variables, left, right, premises, laws }
}

use Law::{AdditionRearranges, Distributes, MultiplicationRearranges, ZeroAdds, ZeroAnnihilates};

/// The rules of `coq/Rules.v`.
#[rustfmt::skip]
pub(crate) const CORE: &[Entry] = &[
    // Reads.
    rule("get_gen", "lo:Z hi:Z a:Z \
        f:d", "(gen i in lo..hi: f(i))[a]", "f(lo + a)", &["0 <= a < hi - lo"], &[]),
    rule("get_gen0", "n:Z a:Z f:d", "(gen i < n: f(i))[a]", "f(a)", &["0 <= a < n"], &[]),
    rule("get_gen_guard", "n:Z a:Z f:d", "(gen i < n: f(i))[a]", "[0 <= a && a < n] * \
        f(a)", &[], &[]),
    rule("get_sum", "lo:Z hi:Z a:Z \
        f:d+1", "(sum i in lo..hi: f(i))[a]", "sum i in lo..hi: f(i)[a]", &[], &[]),
    rule("get_add", "a:Z u:d+1 v:d+1", "(u + v)[a]", "u[a] + v[a]", &[], &[]),
    rule("get_guard", "p:B a:Z v:d+1", "([p] * v)[a]", "[p] * v[a]", &[], &[]),
    rule("get_let", "a:Z u:c v:d+1", "(let x = u in v(x))[a]", "let x = u in v(x)[a]", &[], &[]),
    rule("get_box", "n:Z a:Z v:d+1", "v[a]", "[0 <= a && a < n] * v[a]", &["supp v n"], &[]),
    rule("get_change", "a:Z b:Z v:d+1", "v[a]", "v[b]", &["a = b"], &[]),
    // Comprehensions.
    rule("gen_eta", "n:Z v:d+1", "v", "gen i < n: v[i]", &["supp v n"], &[]),
    rule("gen_shift", "lo:Z hi:Z n:Z \
        f:d", "gen i in lo..hi: f(i)", "gen i < n: f(lo + i)", &["n = hi - lo"], &[]),
    rule("gen_bounds", "n:Z m:Z f:d", "gen i < n: f(i)", "gen i < m: f(i)", &["n = m"], &[]),
    rule("add_gen", "lo:Z hi:Z f:d \
        g:d", "(gen i in lo..hi: f(i)) + (gen i in lo..hi: \
            g(i))", "gen i in lo..hi: f(i) + g(i)", &[], &[ZeroAdds]),
    rule("add_eta", "n:Z u:d+1 v:d+1", "u + v", "gen i < n: u[i] + \
        v[i]", &["supp u n", "supp v n"], &[ZeroAdds]),
    rule("gen_gen", "a:Z b:Z m:Z n:Z \
        f:d", "gen i in a..b: gen j in m..n: f(i, \
            j)", "transpose(gen j in m..n: gen i in a..b: f(i, j))", &[], &[]),
    rule("gen_split", "lo:Z mid:Z hi:Z p:Z q:Z \
        f:d", "gen i in lo..hi: \
            f(i)", "concat{p, q}(gen i in lo..mid: f(i), gen i in mid..hi: f(i))",
        &["lo <= mid", "mid <= hi", "p = mid - lo", "q = hi - mid"], &[ZeroAdds]),
    // Sums.
    rule("sum_gen", "a:Z b:Z m:Z n:Z \
        f:d", "sum i in a..b: gen j in m..n: f(i, \
            j)", "gen j in m..n: sum i in a..b: f(i, j)", &[], &[ZeroAdds]),
    rule("gen_sum", "a:Z b:Z m:Z n:Z \
        f:d", "gen i in a..b: sum j in m..n: f(i, \
            j)", "sum j in m..n: gen i in a..b: f(i, j)", &[], &[ZeroAdds]),
    rule("sum_sum", "a:Z b:Z m:Z n:Z \
        f:d", "sum i in a..b: sum j in m..n: f(i, \
            j)", "sum j in m..n: sum i in a..b: f(i, j)", &[], &[AdditionRearranges, ZeroAdds]),
    rule("sum_add", "lo:Z hi:Z f:d \
        g:d", "sum i in lo..hi: f(i) + \
            g(i)", "(sum i in lo..hi: f(i)) + (sum i in lo..hi: \
                g(i))", &[], &[AdditionRearranges, ZeroAdds]),
    rule("sum_delta", "lo:Z hi:Z a:Z \
        f:d", "sum i in lo..hi: [i = a] * f(i)", "[lo <= a && a < hi] * f(a)", &[], &[ZeroAdds]),
    rule("sum_delta_intro", "lo:Z hi:Z a:Z \
        f:d", "[lo <= a && a < hi] * f(a)", "sum i in lo..hi: [i = a] * f(i)", &[], &[ZeroAdds]),
    rule("sum_mul_left", "lo:Z hi:Z c:0 \
        f:0", "c * (sum i in lo..hi: \
            f(i))", "sum i in lo..hi: c * f(i)", &[], &[Distributes, ZeroAnnihilates]),
    rule("sum_mul_right", "lo:Z hi:Z c:0 \
        f:0", "(sum i in lo..hi: f(i)) * \
            c", "sum i in lo..hi: f(i) * \
                c", &[], &[Distributes, MultiplicationRearranges, ZeroAnnihilates]),
    rule("sum_factor_left", "lo:Z hi:Z c:0 \
        f:0", "sum i in lo..hi: c * \
            f(i)", "c * (sum i in lo..hi: f(i))", &[], &[Distributes, ZeroAnnihilates]),
    rule("sum_factor_right", "lo:Z hi:Z c:0 \
        f:0", "sum i in lo..hi: f(i) * \
            c", "(sum i in lo..hi: f(i)) * \
                c", &[], &[Distributes, MultiplicationRearranges, ZeroAnnihilates]),
    rule("sum_range", "lo:Z mid:Z hi:Z \
        f:d", "sum i in lo..hi: \
            f(i)", "(sum i in lo..mid: f(i)) + (sum i in mid..hi: \
                f(i))", &["lo <= mid", "mid <= hi"], &[AdditionRearranges, ZeroAdds]),
    rule("sum_shift", "lo:Z hi:Z n:Z \
        f:d", "sum i in lo..hi: f(i)", "sum i < n: f(lo + i)", &["n = hi - lo"], &[]),
    rule("sum_one", "lo:Z hi:Z f:d", "sum i in lo..hi: \
        f(i)", "f(lo)", &["hi = lo + 1"], &[ZeroAdds]),
    rule("sum_fuse", "n:Z m:Z f:d", "sum i < n: sum j < m: f(i, \
        j)", "sum q < n * m: f(q / m, q % \
            m)", &["0 <= n", "0 < m"], &[AdditionRearranges, ZeroAdds]),
    rule("sum_block", "n:Z k:Z f:d", "sum i < n: f(i)", "sum o < ceil(n, k): sum i < k: [o * k + i \
        < n] * f(o * k + i)", &["0 < k"], &[AdditionRearranges, ZeroAdds]),
    // Guards.
    rule("guard_true", "p:B v:d", "[p] * v", "v", &["true p"], &[]),
    rule("guard_false", "p:B v:0", "[p] * v", "0", &["false p"], &[]),
    rule("guard_change", "p:B q:B v:d", "[p] * v", "[q] * v", &["same p q"], &[]),
    rule("guard_merge", "p:B q:B v:d", "[p] * [q] * v", "[p && q] * v", &[], &[]),
    rule("guard_unmerge", "p:B q:B v:d", "[p && q] * v", "[p] * [q] * v", &[], &[]),
    rule("guard_commute", "p:B q:B v:d", "[p] * [q] * v", "[q] * [p] * v", &[], &[]),
    rule("guard_repeat", "p:B v:d", "[p] * v", "[p] * [p] * v", &[], &[]),
    rule("guard_add", "p:B u:d v:d", "[p] * (u + v)", "[p] * u + [p] * v", &[], &[ZeroAdds]),
    rule("guard_unadd", "p:B u:d v:d", "[p] * u + [p] * v", "[p] * (u + v)", &[], &[ZeroAdds]),
    rule("guard_gen", "p:B lo:Z hi:Z \
        f:d", "[p] * (gen i in lo..hi: f(i))", "gen i in lo..hi: [p] * f(i)", &[], &[]),
    rule("gen_guard", "p:B lo:Z hi:Z \
        f:d", "gen i in lo..hi: [p] * f(i)", "[p] * (gen i in lo..hi: f(i))", &[], &[]),
    rule("guard_sum", "p:B lo:Z hi:Z \
        f:d", "[p] * (sum i in lo..hi: f(i))", "sum i in lo..hi: [p] * f(i)", &[], &[ZeroAdds]),
    rule("sum_guard", "p:B lo:Z hi:Z \
        f:d", "sum i in lo..hi: [p] * f(i)", "[p] * (sum i in lo..hi: f(i))", &[], &[ZeroAdds]),
    rule("guard_let", "p:B u:c v:d", "[p] * (let x = u in \
        v(x))", "let x = u in [p] * v(x)", &[], &[]),
    rule("guard_get", "p:B a:Z v:d+1", "[p] * v[a]", "([p] * v)[a]", &[], &[]),
    rule("guard_mul_left", "p:B u:0 v:0", "([p] * u) * v", "[p] * (u * v)", &[], &[ZeroAnnihilates]),
    rule("guard_mul_right", "p:B u:0 v:0", "u * ([p] * v)", "[p] * (u * v)", &[], &[ZeroAnnihilates]),
    rule("mul_guard_left", "p:B u:0 v:0", "[p] * (u * v)", "([p] * u) * v", &[], &[ZeroAnnihilates]),
    rule("mul_guard_right", "p:B u:0 v:0", "[p] * (u * v)", "u * ([p] * v)", &[], &[ZeroAnnihilates]),
    // Lets.
    rule("let_inline", "u:c v:d", "let x = u in v(x)", "v(u)", &[], &[]),
    rule("let_gen", "lo:Z hi:Z u:c v:d", "gen i in lo..hi: let x = u(i) in v(x, i)",
        "let x = gen i in lo..hi: u(i) in gen i in lo..hi: v(x[i - lo], i)", &[], &[]),
    rule("let_gen0", "n:Z u:c v:d", "gen i < n: let x = u(i) in v(x, \
        i)", "let x = gen i < n: u(i) in gen i < n: v(x[i], i)", &[], &[]),
    rule("let_gen_same", "lo:Z hi:Z u:c \
        v:d", "gen i in lo..hi: let x = u in v(x, \
            i)", "let x = u in gen i in lo..hi: v(x, i)", &[], &[]),
    rule("let_sum", "lo:Z hi:Z u:c v:d", "sum i in lo..hi: let x = u(i) in v(x, i)",
        "let x = gen i in lo..hi: u(i) in sum i in lo..hi: v(x[i - lo], i)", &[], &[]),
    rule("let_sum0", "n:Z u:c v:d", "sum i < n: let x = u(i) in v(x, \
        i)", "let x = gen i < n: u(i) in sum i < n: v(x[i], i)", &[], &[]),
    rule("let_sum_same", "lo:Z hi:Z u:c \
        v:d", "sum i in lo..hi: let x = u in v(x, \
            i)", "let x = u in sum i in lo..hi: v(x, i)", &[], &[]),
    rule("let_guard", "p:B u:c v:d", "let x = u in [p] * \
        v(x)", "[p] * (let x = u in v(x))", &[], &[]),
    rule("let_add_left", "u:c v:d w:d", "(let x = u in v(x)) + \
        w", "let x = u in v(x) + w", &[], &[]),
    rule("let_add_right", "u:c v:d w:d", "w + (let x = u in \
        v(x))", "let x = u in w + v(x)", &[], &[]),
    rule("let_mul_left", "u:c v:0 w:0", "(let x = u in v(x)) * \
        w", "let x = u in v(x) * w", &[], &[]),
    rule("let_mul_right", "u:c v:0 w:0", "w * (let x = u in \
        v(x))", "let x = u in w * v(x)", &[], &[]),
    rule("let_transpose", "u:c v:d+2", "transpose(let x = u in \
        v(x))", "let x = u in transpose(v(x))", &[], &[]),
    rule("let_let", "u:b v:c w:d", "let y = (let x = u in v(x)) in \
        w(y)", "let x = u in let y = v(x) in w(y)", &[], &[]),
    rule("let_flip", "u:b v:c w:d", "let x = u in let y = v in w(x, \
        y)", "let y = v in let x = u in w(x, y)", &[], &[]),
    rule("let_merge", "u:c w:d", "let x = u in let y = u in w(x, \
        y)", "let x = u in w(x, x)", &[], &[]),
    rule("let_drop", "u:c w:d", "let x = u in w", "w", &[], &[]),
    // Arithmetic.
    rule("add_swap_sides", "u:d v:d", "u + v", "v + u", &[], &[AdditionRearranges]),
    rule("add_to_right", "u:d v:d w:d", "(u + v) + w", "u + (v + w)", &[], &[AdditionRearranges]),
    rule("add_to_left", "u:d v:d w:d", "u + (v + w)", "(u + v) + w", &[], &[AdditionRearranges]),
    rule("add_zero", "v:0", "v + 0", "v", &[], &[ZeroAdds]),
    rule("zero_add", "v:0", "0 + v", "v", &[], &[ZeroAdds]),
    rule("mul_zero", "v:0", "v * 0", "0", &[], &[ZeroAnnihilates]),
    rule("zero_mul", "v:0", "0 * v", "0", &[], &[ZeroAnnihilates]),
    rule("mul_swap_sides", "u:0 v:0", "u * v", "v * u", &[], &[MultiplicationRearranges]),
    rule("mul_to_right", "u:0 v:0 w:0", "(u * v) * w", "u * (v * w)", &[], &[MultiplicationRearranges]),
    rule("mul_to_left", "u:0 v:0 w:0", "u * (v * w)", "(u * v) * w", &[], &[MultiplicationRearranges]),
    rule("mul_one", "v:0", "1 * v", "v", &[], &[]),
    rule("mul_distribute", "u:0 v:0 w:0", "u * (v + w)", "u * v + u * w", &[], &[Distributes]),
    rule("mul_factor", "u:0 v:0 w:0", "u * v + u * w", "u * (v + w)", &[], &[Distributes]),
];

/// The rules of `coq/Reshape.v`.
#[rustfmt::skip]
pub(crate) const RESHAPE: &[Entry] = &[
    // Introductions.
    rule("transpose_intro", "v:d+2", "v", "transpose(transpose(v))", &[], &[]),
    rule("transpose_cancel", "v:d+2", "transpose(transpose(v))", "v", &[], &[]),
    rule("tile_intro", "n:Z k:Z c:Z v:d+1", "v", "trunc_r{n}(flatten{c, k}(split{n, k}(v)))", &["0 < k", "c = ceil(n, k)", "supp v n"], &[]),
    rule("split_intro", "n:Z m:Z v:d+2", "v", "split{n * m, m}(flatten{n, m}(v))", &["0 < m", "supp v n", "rows v n m"], &[]),
    rule("pad_r_intro", "n:Z k:Z v:d+1", "v", "trunc_r{n}(pad_r{n, k}(v))", &["0 <= k", "supp v n"], &[]),
    rule("pad_l_intro", "n:Z k:Z m:Z v:d+1", "v", "trunc_l{m, n}(pad_l{n, k}(v))", &["0 <= k", "m = n + k", "supp v n"], &[]),
    // Definitions.
    rule("concat_unfold", "n:Z m:Z u:d+1 \
        v:d+1", "concat{n, m}(u, \
            v)", "gen i < n + m: [i < n] * u[i] + [n <= i] * v[i - \
                n]", &["0 <= n", "0 <= m"], &[ZeroAdds]),
    rule("transpose_unfold", "n:Z m:Z v:d+2", "transpose(v)", "gen j < m: gen i < n: v[i; \
        j]", &["supp v n", "rows v n m"], &[]),
    rule("flatten_unfold", "n:Z m:Z v:d+2", "flatten{n, m}(v)", "gen i < n * m: v[i / m; i % \
        m]", &[], &[]),
    rule("split_unfold", "n:Z k:Z v:d+1", "split{n, k}(v)", "gen o < ceil(n, k): gen i < k: [o * k \
        + i < n] * v[o * k + i]", &[], &[]),
    rule("pad_r_unfold", "n:Z k:Z v:d+1", "pad_r{n, k}(v)", "gen i < n + k: [i < n] * \
        v[i]", &[], &[]),
    rule("pad_l_unfold", "n:Z k:Z v:d+1", "pad_l{n, k}(v)", "gen i < n + k: [k <= i] * v[i - \
        k]", &[], &[]),
    rule("trunc_r_unfold", "k:Z v:d+1", "trunc_r{k}(v)", "gen i < k: v[i]", &[], &[]),
    rule("trunc_l_unfold", "n:Z k:Z v:d+1", "trunc_l{n, k}(v)", "gen i < k: v[i + n - \
        k]", &[], &[]),
    // Reads.
    rule("get_transpose", "a:Z b:Z v:d+2", "transpose(v)[a; b]", "v[b; a]", &[], &[]),
    rule("get_flatten", "n:Z m:Z a:Z v:d+2", "flatten{n, m}(v)[a]", "v[a / m; a % \
        m]", &["0 <= a < n * m"], &[]),
    rule("to_flatten", "n:Z m:Z a:Z v:d+2", "v[a / m; a % \
        m]", "flatten{n, m}(v)[a]", &["0 <= a < n * m"], &[]),
    rule("get_trunc_r", "k:Z a:Z v:d+1", "trunc_r{k}(v)[a]", "v[a]", &["0 <= a < k"], &[]),
    rule("get_trunc_l", "n:Z k:Z a:Z v:d+1", "trunc_l{n, k}(v)[a]", "v[a + n - k]", &["0 <= a < k"], &[]),
    rule("get_concat_left", "n:Z m:Z a:Z u:d+1 \
        v:d+1", "concat{n, m}(u, v)[a]", "u[a]", &["0 <= a < n"], &[ZeroAdds]),
    rule("get_concat_right", "n:Z m:Z a:Z u:d+1 \
        v:d+1", "concat{n, m}(u, v)[a]", "v[a - n]", &["0 <= n", "n <= a < n + m"], &[ZeroAdds]),
    // Commuting with comprehensions.
    rule("transpose_gen", "a:Z b:Z m:Z n:Z \
        f:d", "transpose(gen i in a..b: gen j in m..n: f(i, \
            j))", "gen j in m..n: gen i in a..b: f(i, j)", &[], &[]),
    rule("flatten_gen", "n:Z m:Z f:d", "flatten{n, m}(gen i < n: gen j < m: f(i, \
        j))", "gen q < n * m: f(q / m, q % m)", &["0 < m"], &[]),
    rule("trunc_r_gen", "k:Z n:Z f:d", "trunc_r{k}(gen i < n: \
        f(i))", "gen i < k: f(i)", &["k <= n"], &[]),
    rule("concat_gen", "n:Z m:Z lo:Z mid:Z hi:Z \
        f:d", "concat{n, m}(gen i in lo..mid: f(i), gen i in mid..hi: \
            f(i))", "gen i in lo..hi: f(i)",
        &["n = mid - lo", "m = hi - mid", "lo <= mid", "mid <= hi"], &[ZeroAdds]),
    rule("trunc_r_trunc_r", "k:Z n:Z v:d+1", "trunc_r{k}(trunc_r{n}(v))", "trunc_r{k}(v)", &["k <= n"], &[]),
    rule("trunc_r_drop", "n:Z v:d+1", "trunc_r{n}(v)", "v", &["supp v n"], &[]),
];

/// The rules of `coq/Distribute.v`.
#[rustfmt::skip]
pub(crate) const DISTRIBUTE: &[Entry] = &[
    // Cases.
    rule("guard_split", "a:Z b:Z v:d",
        "v",
        "[a < b] * v + [b <= a] * v",
        &[], &[ZeroAdds]),
    rule("gen_range", "lo:Z hi:Z f:d",
        "gen i in lo..hi: f(i)",
        "gen i in lo..hi: [lo <= i && i < hi] * f(i)",
        &[], &[]),
    rule("sum_guard_range", "lo:Z hi:Z f:d",
        "sum i in lo..hi: f(i)",
        "sum i in lo..hi: [lo <= i && i < hi] * f(i)",
        &[], &[]),
    // Concatenation.
    rule("gen_concat", "n:Z m:Z lo:Z hi:Z f:d+1 g:d+1",
        "gen i in lo..hi: concat{n, m}(f(i), g(i))",
        "transpose(concat{n, m}(transpose(gen i in lo..hi: f(i)), transpose(gen i in lo..hi: \
            g(i))))",
        &[], &[ZeroAdds]),
    rule("transpose_gen_concat", "n:Z m:Z lo:Z hi:Z f:d+1 g:d+1",
        "transpose(gen i in lo..hi: concat{n, m}(f(i), g(i)))",
        "concat{n, m}(transpose(gen i in lo..hi: f(i)), transpose(gen i in lo..hi: g(i)))",
        &[], &[ZeroAdds]),
    rule("sum_concat", "n:Z m:Z lo:Z hi:Z f:d+1 g:d+1",
        "sum i in lo..hi: concat{n, m}(f(i), g(i))",
        "concat{n, m}(sum i in lo..hi: f(i), sum i in lo..hi: g(i))",
        &[], &[AdditionRearranges, ZeroAdds]),
    rule("add_concat", "n:Z m:Z a:d+1 b:d+1 u:d+1 v:d+1",
        "concat{n, m}(a, b) + concat{n, m}(u, v)",
        "concat{n, m}(a + u, b + v)",
        &[], &[AdditionRearranges, ZeroAdds]),
    rule("guard_concat", "p:B n:Z m:Z u:d+1 v:d+1",
        "[p] * concat{n, m}(u, v)",
        "concat{n, m}([p] * u, [p] * v)",
        &[], &[ZeroAdds]),
    rule("let_concat_left", "n:Z m:Z u:c v:d+1 w:d+1",
        "concat{n, m}(let x = u in v(x), w)",
        "let x = u in concat{n, m}(v(x), w)",
        &[], &[]),
    rule("let_concat_right", "n:Z m:Z u:c v:d+1 w:d+1",
        "concat{n, m}(w, let x = u in v(x))",
        "let x = u in concat{n, m}(w, v(x))",
        &[], &[]),
    rule("concat_to_right", "n:Z m:Z k:Z p:Z q:Z u:d+1 v:d+1 w:d+1",
        "concat{p, k}(concat{n, m}(u, v), w)",
        "concat{n, q}(u, concat{m, k}(v, w))",
        &["0 <= n", "0 <= m", "0 <= k", "p = n + m", "q = m + k"], &[ZeroAdds]),
    // Transposition.
    rule("guard_transpose", "p:B v:d+2",
        "[p] * transpose(v)",
        "transpose([p] * v)",
        &[], &[]),
    rule("sum_transpose", "lo:Z hi:Z f:d+2",
        "sum i in lo..hi: transpose(f(i))",
        "transpose(sum i in lo..hi: f(i))",
        &[], &[]),
    rule("add_transpose", "u:d+2 v:d+2",
        "transpose(u) + transpose(v)",
        "transpose(u + v)",
        &[], &[]),
    // Blocks.
    rule("guard_flatten", "p:B n:Z m:Z v:d+2",
        "[p] * flatten{n, m}(v)",
        "flatten{n, m}([p] * v)",
        &[], &[]),
    rule("let_flatten", "n:Z m:Z u:c v:d+2",
        "flatten{n, m}(let x = u in v(x))",
        "let x = u in flatten{n, m}(v(x))",
        &[], &[]),
    rule("sum_flatten", "n:Z m:Z lo:Z hi:Z f:d+2",
        "sum i in lo..hi: flatten{n, m}(f(i))",
        "flatten{n, m}(sum i in lo..hi: f(i))",
        &[], &[ZeroAdds]),
    rule("add_flatten", "n:Z m:Z u:d+2 v:d+2",
        "flatten{n, m}(u) + flatten{n, m}(v)",
        "flatten{n, m}(u + v)",
        &[], &[ZeroAdds]),
    rule("flatten_rows", "n:Z m:Z f:d+1",
        "flatten{n, m}(gen i < n: f(i))",
        "gen q < n * m: f(q / m)[q % m]",
        &["0 < m"], &[]),
    rule("guard_blocks", "p:B n:Z k:Z v:d+1",
        "[p] * split{n, k}(v)",
        "split{n, k}([p] * v)",
        &[], &[]),
    rule("let_blocks", "n:Z k:Z u:c v:d+1",
        "split{n, k}(let x = u in v(x))",
        "let x = u in split{n, k}(v(x))",
        &[], &[]),
    // Padding and truncation.
    rule("guard_trunc_r", "p:B k:Z v:d+1",
        "[p] * trunc_r{k}(v)",
        "trunc_r{k}([p] * v)",
        &[], &[]),
    rule("guard_trunc_l", "p:B n:Z k:Z v:d+1",
        "[p] * trunc_l{n, k}(v)",
        "trunc_l{n, k}([p] * v)",
        &[], &[]),
    rule("guard_pad_r", "p:B n:Z k:Z v:d+1",
        "[p] * pad_r{n, k}(v)",
        "pad_r{n, k}([p] * v)",
        &[], &[]),
    rule("guard_pad_l", "p:B n:Z k:Z v:d+1",
        "[p] * pad_l{n, k}(v)",
        "pad_l{n, k}([p] * v)",
        &[], &[]),
    rule("let_trunc_r", "k:Z u:c v:d+1",
        "trunc_r{k}(let x = u in v(x))",
        "let x = u in trunc_r{k}(v(x))",
        &[], &[]),
    rule("let_trunc_l", "n:Z k:Z u:c v:d+1",
        "trunc_l{n, k}(let x = u in v(x))",
        "let x = u in trunc_l{n, k}(v(x))",
        &[], &[]),
    rule("let_pad_r", "n:Z k:Z u:c v:d+1",
        "pad_r{n, k}(let x = u in v(x))",
        "let x = u in pad_r{n, k}(v(x))",
        &[], &[]),
    rule("let_pad_l", "n:Z k:Z u:c v:d+1",
        "pad_l{n, k}(let x = u in v(x))",
        "let x = u in pad_l{n, k}(v(x))",
        &[], &[]),
    rule("trunc_l_gen", "n:Z k:Z f:d",
        "trunc_l{n, k}(gen i < n: f(i))",
        "gen i < k: f(i + n - k)",
        &["k <= n"], &[]),
    rule("gen_pad_r", "n:Z k:Z m:Z f:d",
        "gen i < m: [i < n] * f(i)",
        "pad_r{n, k}(gen i < n: f(i))",
        &["0 <= k", "k = m - n"], &[]),
    rule("gen_pad_l", "n:Z k:Z m:Z f:d",
        "gen i < m: [k <= i] * f(i)",
        "pad_l{n, k}(gen i < n: f(i + k))",
        &["0 <= k", "n = m - k"], &[]),
    // Lets.
    rule("let_gen_bound", "n:Z k:Z u:c v:d",
        "gen i < n: let x = [i < k] * u(i) in v(x, i)",
        "let x = gen i < k: u(i) in gen i < n: v(x[i], i)",
        &[], &[]),
    rule("let_gen_pair", "n:Z u:b v:c w:d",
        "gen i < n: let x = u(i) in let y = v(i) in w(x, y, i)",
        "let x = gen i < n: u(i) in let y = gen i < n: v(i) in gen i < n: w(x[i], y[i], i)",
        &[], &[]),
    rule("let_guard_both", "p:B u:c v:d",
        "[p] * (let x = u in v(x))",
        "let x = [p] * u in [p] * v(x)",
        &[], &[]),
    rule("let_add_same", "u:c v:d w:d",
        "(let x = u in v(x)) + (let x = u in w(x))",
        "let x = u in v(x) + w(x)",
        &[], &[]),
    rule("let_part_add_left", "u:c v:c w:d",
        "let x = u + v in w(x)",
        "let y = u in w(y + v)",
        &[], &[]),
    rule("let_part_add_right", "u:c v:c w:d",
        "let x = u + v in w(x)",
        "let y = v in w(u + y)",
        &[], &[]),
    rule("let_part_concat_left", "n:Z m:Z u:c+1 v:c+1 w:d",
        "let x = concat{n, m}(u, v) in w(x)",
        "let y = u in w(concat{n, m}(y, v))",
        &[], &[]),
    rule("let_part_concat_right", "n:Z m:Z u:c+1 v:c+1 w:d",
        "let x = concat{n, m}(u, v) in w(x)",
        "let y = v in w(concat{n, m}(u, y))",
        &[], &[]),
    rule("let_part_transpose", "u:c+2 w:d",
        "let x = transpose(u) in w(x)",
        "let y = u in w(transpose(y))",
        &[], &[]),
    rule("let_part_flatten", "n:Z m:Z u:c+2 w:d",
        "let x = flatten{n, m}(u) in w(x)",
        "let y = u in w(flatten{n, m}(y))",
        &[], &[]),
    rule("let_part_trunc_r", "k:Z u:c+1 w:d",
        "let x = trunc_r{k}(u) in w(x)",
        "let y = u in w(trunc_r{k}(y))",
        &[], &[]),
    rule("let_part_trunc_l", "n:Z k:Z u:c+1 w:d",
        "let x = trunc_l{n, k}(u) in w(x)",
        "let y = u in w(trunc_l{n, k}(y))",
        &[], &[]),
    rule("let_part_guard", "p:B u:c w:d",
        "let x = [p] * u in w(x)",
        "let y = u in w([p] * y)",
        &[], &[]),
];
