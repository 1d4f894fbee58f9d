//! Tables of text.

/// Lays out rows under their headings. Columns with numbers are aligned to the right, others to the
/// left.
pub(crate) fn layout(headings: &[&str], rows: &[Vec<String>]) -> String {
    let headings: Vec<String> = headings.iter().map(|&heading| heading.to_owned()).collect();
    let columns: Vec<Column> = (0..headings.len())
        .map(|column| {
            let cells = || rows.iter().filter_map(move |row| row.get(column));
            let widths = cells().chain(headings.get(column)).map(|cell| cell.chars().count());
            Column {
                width: widths.max().unwrap_or(0),
                holds_numbers: cells().any(|cell| cell.starts_with(|c: char| c.is_ascii_digit())),
            }
        })
        .collect();
    let mut text = String::new();
    for row in std::iter::once(&headings).chain(rows) {
        let cells: Vec<String> =
            row.iter().zip(&columns).map(|(cell, column)| column.fill(cell)).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

struct Column {
    width: usize,
    holds_numbers: bool,
}

impl Column {
    fn fill(&self, cell: &str) -> String {
        let width = self.width;
        if self.holds_numbers { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [["default", "proved", "12.5"], ["tiled_wide", "unknown", "-"]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        let expected = "\
schedule    verdict    ms
default     proved   12.5
tiled_wide  unknown     -
";
        assert_eq!(layout(&["schedule", "verdict", "ms"], &rows), expected);
    }
}
