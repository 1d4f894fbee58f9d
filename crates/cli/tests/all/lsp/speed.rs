//! The time from a keystroke to its diagnostics, on the longest example. It is printed, not
//! asserted.

use std::time::Instant;

use serde_json::json;

use super::client::Client;

#[test]
fn keystrokes_are_answered() {
    const KEYS: usize = 60;
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let texts = ["", "applications", "table1"].iter().flat_map(|folder| {
        std::fs::read_dir(root.join(folder)).expect("the folder is there").flatten()
    });
    let texts = texts.filter(|entry| entry.path().extension().is_some_and(|one| one == "hal"));
    let texts = texts.map(|entry| std::fs::read_to_string(entry.path()).expect("it can be read"));
    let longest = texts.max_by_key(String::len).expect("there are examples");
    let mut client = Client::ready(json!({}));
    let uri = "file:///longest.hal";
    client.open(uri, &longest);
    // A func is typed in the middle of the last pipeline.
    let at = longest.rfind("    func ").expect("there is a func");
    let typed: String =
        "    func typed(x, y) = f32(x) * 2.5 + f32(y);\n".chars().cycle().take(KEYS).collect();
    let mut times = Vec::new();
    let mut text = longest.clone();
    for (number, key) in typed.chars().enumerate() {
        // All keys are ASCII.
        text.insert(at + number, key);
        let begin = Instant::now();
        client.replace(uri, number as i32 + 2, &text);
        times.push(begin.elapsed());
    }
    assert_eq!(times.len(), KEYS);
    times.sort_unstable();
    println!(
        "keystroke to diagnostics on {} bytes: median {:.1} ms, slowest {:.1} ms",
        longest.len(),
        times[KEYS / 2].as_secs_f64() * 1e3,
        times[KEYS - 1].as_secs_f64() * 1e3
    );
    assert!(client.end().success());
}
