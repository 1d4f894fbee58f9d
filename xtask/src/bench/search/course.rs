//! The courses of searches: how fast the best schedule was after how long.

use crate::json::Json;

/// The time after which a schedule must be near the last one, in seconds, and how near.
pub(super) const SOON: f64 = 5.0;
pub(super) const NEAR: f64 = 1.5;

/// The size of a panel of the plot, the space around it, and the number of panels in a row.
const PANEL: (f64, f64) = (160.0, 96.0);
const SPACE: (f64, f64) = (34.0, 44.0);
const TOP: f64 = 46.0;
const COLUMNS: usize = 4;
/// The greatest ratio of a time to the last one that is drawn.
const MOST: f64 = 32.0;

/// The seconds at which schedules took the lead, with their milliseconds.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Course(Vec<(f64, f64)>);

impl Course {
    /// Reads the answer of a search.
    pub(super) fn of(answer: &Json) -> Self {
        let leads = answer.get("course").and_then(Json::array).unwrap_or_default();
        let number = |lead: &Json, key| lead.get(key).and_then(Json::number);
        let lead = |lead| Some((number(lead, "seconds")?, number(lead, "milliseconds")?));
        Self(leads.iter().filter_map(lead).collect())
    }

    /// Reads a row that [`Self::line`] is a part of.
    pub(super) fn of_row(row: &Json) -> Self {
        let leads = row.get("course").and_then(Json::array).unwrap_or_default();
        let lead = |lead: &Json| {
            let [after, time] = lead.array()? else { return None };
            Some((after.number()?, time.number()?))
        };
        Self(leads.iter().filter_map(lead).collect())
    }

    /// A list of JSON.
    pub(super) fn line(&self) -> String {
        let leads: Vec<String> =
            self.0.iter().map(|(after, time)| format!("[{after:.3},{time:.5}]")).collect();
        format!("[{}]", leads.join(","))
    }

    /// The ratio of the best time after so many seconds to the last one. It is infinite if no
    /// schedule had been timed by then, and absent for a course without schedules.
    pub(super) fn ratio_at(&self, seconds: f64) -> Option<f64> {
        let (_, last) = self.0.last()?;
        let by_then = self.0.iter().take_while(|(after, _)| *after <= seconds).last();
        Some(by_then.map_or(f64::INFINITY, |(_, time)| time / last))
    }
}

/// A panel for each program: the best time so far, as a multiple of the last one, over the seconds
/// of the search.
pub(super) fn svg(courses: &[(&str, Course)], budget: f64) -> String {
    let courses: Vec<_> = courses.iter().filter(|(_, course)| !course.0.is_empty()).collect();
    let rows = courses.len().div_ceil(COLUMNS);
    let (width, height) = (
        SPACE.0 + (PANEL.0 + SPACE.0) * COLUMNS as f64,
        TOP + (PANEL.1 + SPACE.1) * rows as f64 + 8.0,
    );
    let mut lines = vec![
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
                font-family=\"sans-serif\" font-size=\"10\">"
        ),
        "<title>The best schedule's time over the time of the search</title>".to_owned(),
        format!("<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>"),
        "<text x=\"12\" y=\"20\" font-size=\"14\">Time of the best schedule so far, as a multiple \
            of the last one's, over the seconds of the search</text>"
            .to_owned(),
    ];
    for (number, (name, course)) in courses.into_iter().enumerate() {
        let left = SPACE.0 + (PANEL.0 + SPACE.0) * (number % COLUMNS) as f64;
        let top = TOP + (PANEL.1 + SPACE.1) * (number / COLUMNS) as f64;
        panel(&mut lines, (left, top), name, course, budget);
    }
    lines.push("</svg>\n".to_owned());
    lines.join("\n")
}

fn panel(
    lines: &mut Vec<String>,
    (left, top): (f64, f64),
    name: &str,
    course: &Course,
    budget: f64,
) {
    let end = course.0.last().map_or(budget, |(after, _)| budget.max(*after));
    let x = |seconds: f64| left + PANEL.0 * seconds / end;
    let y = |ratio: f64| top + PANEL.1 * (1.0 - ratio.clamp(1.0, MOST).log2() / MOST.log2());
    let (right, bottom) = (left + PANEL.0, top + PANEL.1);
    lines.push(format!(
        "<text x=\"{left:.1}\" y=\"{:.1}\" font-size=\"12\">{name}</text>",
        top - 6.0
    ));
    for ratio in [1.0, NEAR, 4.0, 16.0] {
        let (y, stroke) = (y(ratio), if ratio > 1.0 { "#dddddd" } else { "#444444" });
        lines.push(format!(
            "<line x1=\"{left:.1}\" y1=\"{y:.1}\" x2=\"{right:.1}\" y2=\"{y:.1}\" \
                stroke=\"{stroke}\"/>"
        ));
        lines.push(format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{ratio}</text>",
            left - 4.0,
            y + 3.5
        ));
    }
    for seconds in [SOON, budget / 2.0, budget] {
        let x = x(seconds);
        lines.push(format!(
            "<line x1=\"{x:.1}\" y1=\"{top:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" \
                stroke=\"#dddddd\"/>"
        ));
        lines.push(format!(
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{seconds} s</text>",
            bottom + 13.0
        ));
    }
    let last = course.0.last().map_or(1.0, |(_, time)| *time);
    let mut points: Vec<String> = Vec::new();
    let mut level = None;
    for (after, time) in &course.0 {
        if let Some(level) = level {
            points.push(format!("{:.1},{level:.1}", x(*after)));
        }
        let next = y(time / last);
        points.push(format!("{:.1},{next:.1}", x(*after)));
        level = Some(next);
    }
    if let Some(level) = level {
        points.push(format!("{right:.1},{level:.1}"));
    }
    lines.push(format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#1b6ca8\" stroke-width=\"1.6\"/>",
        points.join(" ")
    ));
}

#[cfg(test)]
mod tests {
    use super::{Course, svg};
    use crate::json::Json;

    #[test]
    fn a_course_is_read_written_and_drawn() {
        let answer = "{\"course\":[{\"seconds\":1,\"milliseconds\":9,\"candidates\":0},\
            {\"seconds\":6.5,\"milliseconds\":3,\"candidates\":4}]}";
        let course = Course::of(&Json::parse(answer).unwrap());
        assert_eq!(course.ratio_at(0.5), Some(f64::INFINITY));
        assert_eq!(course.ratio_at(5.0), Some(3.0));
        assert_eq!(course.ratio_at(60.0), Some(1.0));
        let row = Json::parse(&format!("{{\"course\":{}}}", course.line())).unwrap();
        assert_eq!(Course::of_row(&row), course);
        assert_eq!(Course::default().ratio_at(5.0), None);
        let picture = svg(&[("blur", course), ("none", Course::default())], 60.0);
        assert_eq!(picture.matches("<polyline").count(), 1, "{picture}");
    }
}
