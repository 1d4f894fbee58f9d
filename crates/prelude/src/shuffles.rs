//! The texts of loads and stores that shuffle consecutive elements of memory. They touch no other
//! elements than those of their lanes.

use crate::operators::Few;

/// Returns the lanes of `found` in reverse order.
pub(crate) fn load_reversed(lanes: u32) -> String {
    let reversed = shuffle("found", "found", lanes, |lane| i64::from(lanes - 1 - lane));
    ["    return ", &reversed, ";\n"].concat()
}

/// Loads lanes of a row in which each element occurs `times` times: lane `n` gets the element
/// `(base + n) / times`, counted from `offset`. Only elements that some lane takes are read: from
/// one lane to the next, the element is the same or the next.
pub(crate) fn load_repeated(vector: &str, mask: &str, lanes: u32, times: Few) -> String {
    let times = times.count();
    let (least, most) = ((lanes - 1) / times, (lanes + times - 2) / times);
    let list = |entry: &dyn Fn(u32) -> String| -> String {
        (0..lanes).map(entry).collect::<Vec<_>>().join(", ")
    };
    let divisor = times.to_string();
    let mut out = String::new();
    let mut line = |parts: &[&str]| {
        out.push_str("    ");
        out.push_str(&parts.concat());
        out.push_str(";\n");
    };
    line(&["int64_t rest = base % ", &divisor]);
    line(&["int64_t phase = rest < 0 ? rest + ", &divisor, " : rest"]);
    line(&["int64_t first = offset + base / ", &divisor, " - (rest < 0)"]);
    let numbers = list(&|lane| ["phase + ", &lane.to_string()].concat());
    line(&[mask, " place = {", &numbers, "}"]);
    for element in 0..=most {
        let read = if element > least {
            // The first lane's phase decides whether the last lanes reach this element. If they do
            // not, the element before it is read again.
            let from = (element * times - (lanes - 1)).to_string();
            let (this, other) = (element.to_string(), (element - 1).to_string());
            ["(phase >= ", &from, " ? ", &this, " : ", &other, ")"].concat()
        } else {
            element.to_string()
        };
        let read = list(&|_| ["memory[first + ", &read, "]"].concat());
        line(&[vector, " ", &named("element", element), " = {", &read, "}"]);
    }
    line(&[mask, " found = (", mask, ")element0"]);
    for element in 1..=most {
        let (reached, element_name) = (named("reached", element), named("element", element));
        line(&[mask, " ", &reached, " = place >= ", &(element * times).to_string()]);
        let kept = ["(~", &reached, " & found)"].concat();
        line(&["found = (", &reached, " & (", mask, ")", &element_name, ") | ", &kept]);
    }
    line(&["return (", vector, ")found"]);
    out
}

/// Stores lane 0 of `count` vectors, then lane 1, and so on, by `count` dense stores.
pub(crate) fn store_interleaved(vector: &str, lanes: u32, count: Few, store: &str) -> String {
    const VECTORS: [&str; 4] = ["a", "b", "c", "d"];
    let count = count.count();
    let mut out = String::new();
    for part in 0..count {
        let element = |lane: u32| part * lanes + lane;
        let mut row = VECTORS[0].to_owned();
        for (next, name) in (0..count).zip(VECTORS).skip(1) {
            let lane = |lane: u32| {
                let (from, of) = (element(lane) % count, element(lane) / count);
                if from == next {
                    i64::from(lanes + of)
                } else if from > next {
                    -1
                } else if next == 1 {
                    i64::from(of)
                } else {
                    i64::from(lane)
                }
            };
            let chosen = shuffle(&row, name, lanes, lane);
            if next + 1 < count {
                row = ["row", &part.to_string(), "_", &next.to_string()].concat();
                out.push_str(&["    ", vector, " ", &row, " = ", &chosen, ";\n"].concat());
            } else {
                row = chosen;
            }
        }
        let address = match element(0) {
            0 => "memory".to_owned(),
            at => ["memory + ", &at.to_string()].concat(),
        };
        out.push_str(&["    ", store, "(", &address, ", ", &row, ");\n"].concat());
    }
    out
}

fn named(name: &str, number: u32) -> String {
    [name, &number.to_string()].concat()
}

/// Returns a choice of lanes from two vectors. The second vector's lanes are numbered after the
/// first's; -1 stands for a lane that does not matter.
fn shuffle(first: &str, second: &str, lanes: u32, lane: impl Fn(u32) -> i64) -> String {
    let list: Vec<String> = (0..lanes).map(|number| lane(number).to_string()).collect();
    ["__builtin_shufflevector(", first, ", ", second, ", ", &list.join(", "), ")"].concat()
}
