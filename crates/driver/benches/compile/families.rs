//! Families of pipelines that grow with a parameter. The cost of a compile must grow
//! proportionally.

/// A family of pipelines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Family {
    pub(crate) name: &'static str,
    /// The text of the member with this many stages or levels.
    pub(crate) text: fn(u32) -> String,
    /// The schedules that are compiled.
    pub(crate) schedules: &'static [&'static str],
    pub(crate) sizes: &'static [u32],
}

pub(crate) const FAMILIES: &[Family] = &[
    Family {
        name: "chain",
        text: chain,
        schedules: &["default", "tiles", "vectors", "pairs"],
        sizes: &[4, 8, 16, 32, 64],
    },
    Family {
        name: "local_laplacian",
        text: local_laplacian,
        schedules: &["default", "breadth_first", "vectors", "strips"],
        sizes: &[3, 4, 6, 8],
    },
    Family {
        name: "pyramid",
        text: pyramid,
        schedules: &["default", "tiles", "vectors"],
        sizes: &[3, 4, 6, 8],
    },
];

/// A chain of stencils, alternately in x and y. Its schedules compute all of them as a whole, all
/// at tiles of the output, the same with vectors, or inline every second one.
fn chain(stages: u32) -> String {
    format!(
        "pipeline chain<n: {stages}>(input: buffer<u16, 2>) -> output: buffer<u16, 2> {{
    func f[0] = repeat_edge(input);
    for i in 1..n {{
        func f[i](x, y) = select(i % 2 == 0, f[i - 1](x, y - 1) / 4 + f[i - 1](x, y) / 2 + f[i - \
        1](x, y + 1) / 4,
            f[i - 1](x - 1, y) / 4 + f[i - 1](x, y) / 2 + f[i - 1](x + 1, y) / 4);
    }}
    func output(x, y) = f[n - 1](x, y - 1) / 4 + f[n - 1](x, y) / 2 + f[n - 1](x, y + 1) / 4;
}}
schedule tiles for chain {{
    output.tile(x, y, xo, yo, xi, yi, 64, 32, tail: guard);
    for i in 1..n {{ f[i].compute_at(output, xo); }}
}}
schedule vectors for chain {{
    output.tile(x, y, xo, yo, xi, yi, 64, 32, tail: guard).vectorize(xi, 8);
    for i in 1..n {{ f[i].compute_at(output, xo).vectorize(x, 8, tail: round); }}
}}
schedule pairs for chain {{
    for i in 0..n / 2 {{ f[2 * i + 1].compute_inline(); }}
}}
"
    )
}

/// `examples/applications/local_laplacian.hal` with another number of levels.
fn local_laplacian(levels: u32) -> String {
    let text = include_str!("../../../../examples/applications/local_laplacian.hal");
    text.replacen("levels: 3", &format!("levels: {levels}"), 1)
}

/// A pyramid whose levels are all computed within tiles of the output: each region follows from
/// those of two funcs.
fn pyramid(levels: u32) -> String {
    format!(
        "pipeline pyramid<n: {levels}>(input: buffer<f32, 2>) -> output: buffer<f32, 2> {{
    func down[0](x, y) = input(clamp(x, 0, input.width - 1), clamp(y, 0, input.height - 1));
    for k in 1..n {{
        func down[k](x, y) = (down[k - 1](2 * x, 2 * y) + down[k - 1](2 * x + 1, 2 * y + 1)) / 2;
    }}
    func up[n - 1](x, y) = down[n - 1](x, y);
    for k in 1..n {{
        func up[n - 1 - k](x, y) = down[n - 1 - k](x, y) / 2
            + up[n - k](x / 2, y / 2) / 4 + up[n - k]((x + 1) / 2, y / 2) / 4;
    }}
    func output(x, y) = up[0](x, y);
}}
schedule tiles for pyramid {{
    output.tile(x, y, xo, yo, xi, yi, 64, 32).parallel(yo);
    for k in 0..n {{ down[k].compute_at(output, xo); }}
    for k in 0..n {{ up[k].compute_at(output, xo); }}
}}
schedule vectors for pyramid {{
    output.tile(x, y, xo, yo, xi, yi, 64, 32).parallel(yo).vectorize(xi, 8);
    for k in 0..n {{ down[k].compute_at(output, xo).vectorize(x, 8); }}
    for k in 0..n {{ up[k].compute_at(output, xo).vectorize(x, 8); }}
}}
"
    )
}
