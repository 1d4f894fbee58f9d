//! A plot of a benchmark.

use std::fmt::Write as _;

use super::{Bench, Maker, Row};

const WIDTH: f64 = 760.0;
const LEFT: f64 = 190.0;
const RIGHT: f64 = 120.0;
const BAR: f64 = 18.0;
const GAP: f64 = 6.0;
const HEADING: f64 = 34.0;

/// Draws the medians as bars in SVG, with a group for each thread count.
pub fn svg(bench: &Bench) -> String {
    let mut groups: Vec<usize> = bench.rows.iter().map(|row| row.threads).collect();
    groups.dedup();
    let height =
        HEADING * (groups.len() as f64 + 1.0) + (BAR + GAP) * bench.rows.len() as f64 + GAP;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
            font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"12\" y=\"22\" font-size=\"16\">{}: median time of a run</text>",
        escaped(&bench.pipeline)
    );
    let mut y = HEADING;
    for threads in groups {
        let rows: Vec<&Row> = bench.rows.iter().filter(|row| row.threads == threads).collect();
        let longest = rows.iter().map(|row| row.most.as_secs_f64()).fold(0.0, f64::max);
        let scale = (WIDTH - LEFT - RIGHT) / longest.max(f64::MIN_POSITIVE);
        let words = if threads == 1 { "thread" } else { "threads" };
        let _ = writeln!(out, "<text x=\"12\" y=\"{}\">{threads} {words}</text>", y + 20.0);
        y += HEADING;
        for row in rows {
            let colour = match row.maker {
                Maker::Halidom => "#2a6f97",
                Maker::Halide => "#c08552",
            };
            let width = row.median.as_secs_f64() * scale;
            let (from, to) =
                (LEFT + row.least.as_secs_f64() * scale, LEFT + row.most.as_secs_f64() * scale);
            let middle = y + BAR / 2.0;
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{} ({})</text>\n\
                 <rect x=\"{LEFT}\" y=\"{y}\" width=\"{width:.1}\" height=\"{BAR}\" \
                 fill=\"{colour}\"/>\n\
                 <path d=\"M{from:.1} {middle} H{to:.1}\" stroke=\"black\"/>\n\
                 <text x=\"{:.1}\" y=\"{}\">{:.3} ms</text>",
                LEFT - 8.0,
                y + 14.0,
                escaped(&row.schedule),
                row.maker.name(),
                LEFT + (width.max(row.most.as_secs_f64() * scale)) + 6.0,
                y + 14.0,
                1e3 * row.median.as_secs_f64(),
            );
            y += BAR + GAP;
        }
    }
    out.push_str("</svg>\n");
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
