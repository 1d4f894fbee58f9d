//! Measures the growth of the validator's time with the program: chains of stencils, and copies of
//! unrolled loops.

use super::measure::validate;
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, root};
use crate::{setup, table};
use std::fmt::Write as _;
use std::fs;

/// A family of programs with one size parameter.
struct Family {
    /// The name in the table and the plot.
    name: &'static str,
    pipeline: &'static str,
    schedule: &'static str,
    sizes: &'static [u32],
    text: fn(u32) -> String,
    colour: &'static str,
}

const FAMILIES: [Family; 4] = [
    Family {
        name: "stages, tiles",
        pipeline: "chain",
        schedule: "tiles",
        sizes: &[1, 2, 4, 8, 16, 32, 64],
        text: chain,
        colour: "#1b6ca8",
    },
    Family {
        name: "stages, windows",
        pipeline: "chain",
        schedule: "windows",
        sizes: &[1, 2, 4, 8, 16, 32, 64],
        text: chain,
        colour: "#c0392b",
    },
    Family {
        name: "copies of rows",
        pipeline: "blur",
        schedule: "copies",
        sizes: &[1, 2, 4, 8, 16, 32],
        text: rows,
        colour: "#27864a",
    },
    Family {
        name: "copies of sums",
        pipeline: "product",
        schedule: "copies",
        sizes: &[1, 2, 4, 8, 16, 32],
        text: sums,
        colour: "#8e5ea2",
    },
];

/// The greatest permitted power of the size by which time may grow from the third last size to the
/// last.
const POWER: f64 = 1.5;

/// A chain of stencils: in tiles, and over sliding windows.
fn chain(stages: u32) -> String {
    format!(
        "pipeline chain<n: {stages}>(input: buffer<u16, 2>) -> output: buffer<u16, 2> {{
    func f[0] = repeat_edge(input);
    func f[k in 1..n](x, y) = f[k - 1](x - 1, y) + f[k - 1](x, y) + f[k - 1](x + 1, y) + f[k - \
    1](x, y - 1) + f[k - 1](x, y + 1);
    func output(x, y) = f[n - 1](x - 1, y) + f[n - 1](x, y) + f[n - 1](x + 1, y) + f[n - 1](x, y - \
    1) + f[n - 1](x, y + 1);
}}
schedule tiles for chain {{
    output.tile(x, y, xo, yo, xi, yi, 64, 32).parallel(yo).vectorize(xi, 8);
    for k in 1..n {{ f[k].compute_at(output, xo).vectorize(x, 8); }}
}}
schedule windows for chain {{
    output.split(y, yo, yi, 32).parallel(yo).vectorize(x, 8);
    for k in 1..n {{ f[k].store_at(output, yo).compute_at(output, yi).vectorize(x, 8); }}
}}
"
    )
}

/// Two stages that compute `copies` rows at a time.
fn rows(copies: u32) -> String {
    format!(
        "pipeline blur<n: {copies}>(input: buffer<f32, 2>) -> output: buffer<f32, 2> {{
    func rows(x, y) = input(x, y) + input(x + 1, y) + input(x + 2, y);
    func output(x, y) = rows(x, y) + rows(x, y + 1) + rows(x, y + 2);
}}
schedule copies for blur {{
    output.split(y, yo, yi, n).vectorize(x, 8).unroll(yi).parallel(yo);
    rows.compute_at(output, yo).bound_extent(y, n + 2).vectorize(x, 8).unroll(y);
}}
"
    )
}

/// Sums over one variable, `copies` of them next to each other.
fn sums(copies: u32) -> String {
    format!(
        "pipeline product<n: {copies}>(A: buffer<f32, 2>, B: buffer<f32, 2>) -> C: buffer<f32, 2> {{
    func AB(i, j): f32 {{
        AB(i, j) = 0;
        for k in 0..A.extent(1) {{ AB(i, j) += A(i, k) * B(k, j); }}
    }}
    func C(i, j) = AB(i, j);
}}
schedule copies for product {{
    C.tile(i, j, io, jo, ii, ji, 8, n).vectorize(ii).unroll(ji).parallel(jo);
    AB.compute_at(C, io).bound_extent(i, 8).bound_extent(j, n).vectorize(i, 8).unroll(j);
    AB.update().reorder(i, j, k).vectorize(i, 8).unroll(j);
}}
"
    )
}

pub(super) fn run() -> Result<(), Error> {
    setup::ensure()?;
    let halidom = process::halidom()?;
    let folder = root().join("target").join("growth");
    fs::create_dir_all(&folder).map_err(|cause| Error::File { path: folder.clone(), cause })?;
    let (mut cells, mut series, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for family in &FAMILIES {
        println!("{} …", family.name);
        let mut points: Vec<(f64, f64)> = Vec::new();
        for size in family.sizes {
            let path = folder.join(format!("{}{size}.hal", family.pipeline));
            fs::write(&path, (family.text)(*size))
                .map_err(|cause| Error::File { path: path.clone(), cause })?;
            let measured = validate(&halidom, &path, family.pipeline, family.schedule)?;
            let answer = measured.answer.as_ref();
            let number = |json: Option<&Json>| json.and_then(Json::number).unwrap_or(0.0);
            let counts = answer.and_then(|answer| answer.get("obligations"));
            let total = number(counts.and_then(|counts| counts.get("total")));
            let asked = number(answer.and_then(|answer| answer.get("queries")));
            let seconds = measured.cpu.as_secs_f64();
            points.push((f64::from(*size), seconds));
            let verdict =
                answer.map_or("out of time".to_owned(), |answer| answer.verdict.to_string());
            if !answer.is_some_and(|answer| answer.verdict.is_proved()) {
                wrong.push(format!("{} {size}: {verdict}", family.name));
            }
            cells.push(vec![
                family.name.to_owned(),
                size.to_string(),
                format!("{total:.0}"),
                format!("{asked:.0}"),
                format!("{seconds:.2}"),
                format!("{}", measured.peak_kib / 1024),
                verdict,
            ]);
        }
        if let [.., (small, before), _, (large, after)] = *points.as_slice() {
            let power = (after / before.max(0.01)).ln() / (large / small).ln();
            println!("{}: time grows as size^{power:.2} from {small} to {large}", family.name);
            if power > POWER {
                wrong.push(format!("{}: time grows as size^{power:.2}", family.name));
            }
        }
        series.push((family, points));
    }
    let headings = ["family", "size", "obligations", "asked", "CPU", "MiB", "verdict"];
    println!("{}", table::layout(&headings, &cells));
    let path = root().join("docs").join("growth.svg");
    let beside = path.with_extension("svg.new");
    fs::write(&beside, plot(&series))
        .and_then(|()| fs::rename(&beside, &path))
        .map_err(|cause| Error::File { path: path.clone(), cause })?;
    println!("the plot is {}", path.display());
    if wrong.is_empty() { Ok(()) } else { Err(Error::Slow(wrong)) }
}

/// Width, height and margins of the plot.
const SIDE: (f64, f64) = (640.0, 420.0);
const MARGIN: f64 = 56.0;
/// The ranges of the axes: sizes, and seconds.
const SIZES: (f64, f64) = (1.0, 64.0);
const SECONDS: (f64, f64) = (0.01, 100.0);

/// The position of a point in the plot; both axes are logarithmic.
fn place((size, seconds): (f64, f64)) -> (f64, f64) {
    let part = |value: f64, (least, greatest): (f64, f64)| {
        (value.clamp(least, greatest) / least).ln() / (greatest / least).ln()
    };
    (
        MARGIN + part(size, SIZES) * (SIDE.0 - 2.0 * MARGIN),
        SIDE.1 - MARGIN - part(seconds, SECONDS) * (SIDE.1 - 2.0 * MARGIN),
    )
}

/// The measured points, with a line of linear growth.
fn plot(series: &[(&Family, Vec<(f64, f64)>)]) -> String {
    let mut lines = Vec::new();
    let (width, height) = SIDE;
    lines.push(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
            font-family=\"sans-serif\" font-size=\"12\">"
    ));
    lines.push("<title>The validator's CPU seconds, by stages or copies</title>".to_owned());
    lines.push(format!("<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>"));
    let line = |(x1, y1): (f64, f64), (x2, y2): (f64, f64), style: &str| {
        format!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {style}/>")
    };
    let text = |(x, y): (f64, f64), anchor: &str, text: &str| {
        format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>")
    };
    let grid = "stroke=\"#dddddd\"";
    for size in [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0] {
        let (low, high) = (place((size, SECONDS.0)), place((size, SECONDS.1)));
        lines.push(line(low, high, grid));
        lines.push(text((low.0, low.1 + 18.0), "middle", &format!("{size}")));
    }
    for seconds in [0.01, 0.1, 1.0, 10.0, 100.0] {
        let (left, right) = (place((SIZES.0, seconds)), place((SIZES.1, seconds)));
        lines.push(line(left, right, grid));
        lines.push(text((left.0 - 8.0, left.1 + 4.0), "end", &format!("{seconds}")));
    }
    let linear = "stroke=\"#888888\" stroke-dasharray=\"5 4\"";
    lines.push(line(place((1.0, 0.1)), place((64.0, 6.4)), linear));
    lines.push(text((width / 2.0, height - 12.0), "middle", "stages, or copies of a loop's body"));
    lines.push(text((MARGIN, MARGIN - 20.0), "middle", "CPU s"));
    for (number, (family, points)) in series.iter().enumerate() {
        let mut path = String::new();
        for point in points {
            let (x, y) = place(*point);
            let command = if path.is_empty() { 'M' } else { 'L' };
            // Writing to a string cannot fail.
            let _ = write!(path, "{command}{x:.1} {y:.1} ");
            lines.push(format!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{}\"/>",
                family.colour
            ));
        }
        let (path, colour) = (path.trim_end(), family.colour);
        lines.push(format!("<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\"/>"));
        let y = MARGIN + 8.0 + 18.0 * number as f64;
        lines.push(line(
            (MARGIN + 12.0, y),
            (MARGIN + 36.0, y),
            &format!("stroke=\"{colour}\" stroke-width=\"2\""),
        ));
        lines.push(text((MARGIN + 42.0, y + 4.0), "start", family.name));
    }
    let y = MARGIN + 8.0 + 18.0 * series.len() as f64;
    lines.push(line((MARGIN + 12.0, y), (MARGIN + 36.0, y), linear));
    lines.push(text((MARGIN + 42.0, y + 4.0), "start", "linear"));
    lines.push("</svg>\n".to_owned());
    lines.join("\n")
}
