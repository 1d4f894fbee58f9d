//! A plot of the ratios: bars that begin at Halide's time, to the left if our time is shorter.

use super::{Ratios, SHORT, THREADS, mean};

const WIDTH: f64 = 760.0;
const LEFT: f64 = 110.0;
const RIGHT: f64 = 30.0;
/// The space above the first program, for title and legend.
const TOP: f64 = 84.0;
const BOTTOM: f64 = 66.0;
const BAR: f64 = 9.0;
/// The distances from one bar to the next, and between programs.
const STEP: f64 = 11.0;
const GAP: f64 = 12.0;
/// The approximate width of a letter.
const LETTER: f64 = 6.4;

/// The ticks that the axis may have; ratios beyond them are drawn at its ends.
const TICKS: [f64; 11] = [0.125, 0.18, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0];

/// The bars of a program: whether the schedule is the best one, the number of threads, name,
/// colour.
const SERIES: [(bool, usize, &str, &str); 4] = [
    (false, THREADS[0], "Halide's shape, 1 thread", "#1b6ca8"),
    (false, THREADS[1], "Halide's shape, 2 threads", "#8fbbdb"),
    (true, THREADS[0], "best, 1 thread", "#c0392b"),
    (true, THREADS[1], "best, 2 threads", "#e6a49d"),
];

/// The axis: the least and the greatest tick in the plot.
struct Axis {
    least: f64,
    greatest: f64,
}

impl Axis {
    /// The axis from the tick below all ratios to the tick above them, with room for numbers next
    /// to the bars.
    fn of(ratios: &[f64]) -> Self {
        let least = ratios.iter().copied().fold(1.0, f64::min);
        let greatest = ratios.iter().copied().fold(1.0, f64::max);
        let below = TICKS.iter().rev().find(|tick| **tick < least * 0.92);
        let above = TICKS.iter().find(|tick| **tick > greatest * 1.09);
        Self {
            least: below.or(TICKS.first()).copied().unwrap_or(least),
            greatest: above.or(TICKS.last()).copied().unwrap_or(greatest),
        }
    }

    fn place(&self, ratio: f64) -> f64 {
        let part = (ratio.clamp(self.least, self.greatest) / self.least).ln()
            / (self.greatest / self.least).ln();
        LEFT + part * (WIDTH - LEFT - RIGHT)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        TICKS.into_iter().filter(|tick| (self.least..=self.greatest).contains(tick))
    }
}

/// Bars of the ratios as SVG: a group for each program, and one for the geometric means of the
/// ratios that are judged.
pub(super) fn svg(ratios: &[Ratios]) -> String {
    let mut names: Vec<&str> = ratios.iter().map(|row| row.program).collect();
    names.dedup();
    let pick = |row: &Ratios, best: bool| if best { row.best } else { row.same };
    let mut groups: Vec<(&str, Vec<Option<f64>>)> = Vec::new();
    for name in names {
        let of = |best: bool, threads: usize| {
            let row = ratios.iter().find(|row| row.program == name && row.threads == threads)?;
            pick(row, best)
        };
        groups.push((name, SERIES.iter().map(|(best, threads, ..)| of(*best, *threads)).collect()));
    }
    let means = SERIES.iter().map(|(best, threads, ..)| {
        let rows = ratios.iter().filter(|row| row.judged && row.threads == *threads);
        mean(&rows.filter_map(|row| pick(row, *best)).collect::<Vec<_>>())
    });
    groups.push(("mean", means.collect()));
    let all: Vec<f64> =
        groups.iter().flat_map(|(_, bars)| bars.iter().flatten().copied()).collect();
    draw(&groups, &Axis::of(&all))
}

fn draw(groups: &[(&str, Vec<Option<f64>>)], axis: &Axis) -> String {
    let group = STEP * SERIES.len() as f64 + GAP;
    let (end, height) =
        (TOP + group * groups.len() as f64, TOP + group * groups.len() as f64 + BOTTOM);
    let mut lines = vec![
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
                font-family=\"sans-serif\" font-size=\"12\">"
        ),
        "<title>Times of Table 1's programs beside Halide's</title>".to_owned(),
        format!("<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>"),
    ];
    let text = |(x, y): (f64, f64), style: &str, text: &str| {
        format!("<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{text}</text>")
    };
    let start = "text-anchor=\"start\"";
    lines.push(text(
        (12.0, 24.0),
        "font-size=\"15\"",
        "Time of a call beside that of Halide's code in Halide's shape",
    ));
    let mut x = 12.0;
    for (.., name, colour) in SERIES {
        lines.push(format!(
            "<rect x=\"{x:.1}\" y=\"42\" width=\"12\" height=\"{BAR}\" fill=\"{colour}\"/>"
        ));
        lines.push(text((x + 18.0, 51.0), start, name));
        x += 50.0 + LETTER * name.len() as f64;
    }
    for tick in axis.ticks() {
        let x = axis.place(tick);
        let stroke = if (tick - 1.0).abs() < 1e-9 { "#444444" } else { "#dddddd" };
        lines.push(format!(
            "<line x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{end:.1}\" stroke=\"{stroke}\"/>",
            TOP - 8.0
        ));
        lines.push(text((x, end + 16.0), "text-anchor=\"middle\"", &tick.to_string()));
    }
    for (number, (name, bars)) in groups.iter().enumerate() {
        let top = TOP + group * number as f64;
        let middle = top + STEP * SERIES.len() as f64 / 2.0;
        lines.push(text((LEFT - 12.0, middle + 4.0), "text-anchor=\"end\"", name));
        for (bar, (ratio, (.., colour))) in bars.iter().zip(SERIES).enumerate() {
            let Some(ratio) = *ratio else { continue };
            let (y, x, one) = (top + STEP * bar as f64, axis.place(ratio), axis.place(1.0));
            let (left, width) = (x.min(one), (x - one).abs().max(1.0));
            lines.push(format!(
                "<rect x=\"{left:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BAR}\" \
                    fill=\"{colour}\"/>"
            ));
            let (at, anchor) = if ratio < 1.0 { (x - 4.0, "end") } else { (x + 4.0, "start") };
            let style = format!("text-anchor=\"{anchor}\" font-size=\"10\"");
            lines.push(text((at, y + BAR - 0.8), &style, &format!("{ratio:.2}")));
        }
    }
    let one = axis.place(1.0);
    let below = end + 38.0;
    lines.push(text((one - 12.0, below), "text-anchor=\"end\"", "← shorter than Halide's"));
    lines.push(text((one + 12.0, below), start, "longer →"));
    lines.push(text(
        (12.0, height - 8.0),
        "font-size=\"10\"",
        &format!("The mean leaves out two threads where Halide takes less than {SHORT} ms."),
    ));
    lines.push("</svg>\n".to_owned());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_begin_at_one_and_stay_on_the_axis() {
        let row =
            |threads, same, best| Ratios { program: "blur", threads, same, best, judged: true };
        let picture = svg(&[row(1, Some(2.0), Some(0.5)), row(2, Some(20.0), None)]);
        let axis = Axis::of(&[2.0, 0.5, 20.0]);
        let bar = |from: f64, to: f64| {
            let (from, to) = (axis.place(from), axis.place(to));
            format!("<rect x=\"{from:.1}\" y=\"{TOP:.1}\" width=\"{:.1}\"", to - from)
        };
        assert!(picture.contains(&bar(1.0, 2.0)), "{picture}");
        // A ratio beyond the axis is drawn at its end, with its number.
        assert!((axis.place(20.0) - axis.place(4.0)).abs() < 1e-9);
        assert!(picture.contains(">20.00</text>"));
        assert_eq!(picture.matches("#c0392b").count(), 3, "legend, program, mean");
        assert_eq!(picture.matches("#e6a49d").count(), 1, "the legend alone");
    }
}
