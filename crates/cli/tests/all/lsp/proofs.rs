//! Proofs in the background: lenses, progress, verdicts, and cancellation with the solvers.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::Client;

const URI: &str = "file:///proofs.hal";

const TEXT: &str =
    "pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> { func b(x) = a(x) + a(x + 1); }
schedule lanes for p { b.vectorize(x, 8, tail: guard); }
";

fn lenses(client: &mut Client) -> Vec<String> {
    let found = client.request("textDocument/codeLens", json!({"textDocument": {"uri": URI}}));
    let lenses = found.as_array().expect("a list").iter();
    lenses.map(|lens| lens["command"]["title"].as_str().expect("a title").to_owned()).collect()
}

fn command(client: &mut Client, command: &str, pipeline: &str, schedule: &str) -> Value {
    let arguments = json!([{"uri": URI, "pipeline": pipeline, "schedule": schedule}]);
    client.ask("workspace/executeCommand", json!({"command": command, "arguments": arguments}))
}

/// The processes whose ancestor is this one, by name.
fn descendants(root: u32) -> Vec<(u32, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("Linux").flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((head, tail)) = stat.rsplit_once(')') else { continue };
        let mut fields = tail.split_whitespace();
        let state = fields.next().unwrap_or("").to_owned();
        let parent = fields.next().and_then(|field| field.parse::<u32>().ok()).unwrap_or(0);
        let name = head.split_once('(').map_or("", |(_, name)| name).to_owned();
        if state != "Z" {
            all.push((pid, parent, name));
        }
    }
    let mut known = vec![root];
    let mut found = Vec::new();
    while let Some(of) = known.pop() {
        for (pid, parent, name) in &all {
            if *parent == of {
                known.push(*pid);
                found.push((*pid, name.clone()));
            }
        }
    }
    found
}

fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| {
        !stat.rsplit_once(')').is_some_and(|(_, tail)| tail.trim().starts_with('Z'))
    })
}

/// Waits for a condition.
fn wait(what: &str, condition: &mut dyn FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_mins(1), "{what}");
        std::thread::yield_now();
    }
}

fn capabilities() -> Value {
    json!({
        "window": {"workDoneProgress": true},
        "workspace": {"codeLens": {"refreshSupport": true}},
    })
}

#[test]
fn a_lens_proves_its_schedule() {
    let mut client = Client::ready(capabilities());
    client.open(URI, TEXT);
    assert_eq!(lenses(&mut client), ["prove (unscheduled)", "prove"]);
    assert!(command(&mut client, "halidom.prove", "p", "lanes").get("error").is_none());
    assert_eq!(lenses(&mut client)[1], "proving … (cancel)");
    let verdict = client.until(&|message| message["method"] == "halidom/verdict");
    assert_eq!(verdict["params"]["verdict"], "proved", "{verdict}");
    let lens = lenses(&mut client).remove(1);
    assert!(lens.starts_with("proved: ") && lens.ends_with("obligations"), "{lens}");
    let methods: Vec<String> =
        client.kept.iter().filter_map(|one| one["method"].as_str().map(str::to_owned)).collect();
    for method in ["window/workDoneProgress/create", "$/progress", "workspace/codeLens/refresh"] {
        assert!(methods.iter().any(|one| one == method), "{method} in {methods:?}");
    }
    let steps: Vec<&Value> =
        client.kept.iter().filter(|one| one["method"] == "$/progress").collect();
    assert_eq!(steps[0]["params"]["value"]["kind"], "begin");
    assert_eq!(steps[1]["params"]["value"]["kind"], "end");
    // An edit removes the verdict.
    client.replace(URI, 2, &TEXT.replace("+ a", "- a"));
    assert_eq!(lenses(&mut client)[1], "prove");
    for (name, pipeline, schedule) in [
        ("halidom.prove", "p", "none"),
        ("halidom.prove", "q", "lanes"),
        ("halidom.other", "p", "lanes"),
    ] {
        let answer = command(&mut client, name, pipeline, schedule);
        assert!(answer["error"]["message"].is_string(), "{answer}");
    }
    assert!(client.end().success());
}

/// A program whose proof takes long enough to be cancelled.
fn long() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/applications/local_laplacian.hal");
    std::fs::read_to_string(path).expect("it can be read")
}

/// Starts a long proof; returns its processes, one of which is a solver.
fn started(client: &mut Client, version: i32) -> Vec<u32> {
    client.replace(URI, version, &long());
    let answer = command(client, "halidom.prove", "local_laplacian", "best");
    assert!(answer.get("error").is_none(), "{answer}");
    let server = client.child.id();
    let mut found = Vec::new();
    wait("a solver starts", &mut || {
        found = descendants(server);
        found.iter().any(|(_, name)| name.contains("z3"))
    });
    found.into_iter().map(|(pid, _)| pid).collect()
}

#[test]
fn cancelled_proofs_end_their_solvers() {
    let mut client = Client::ready(capabilities());
    client.open(URI, TEXT);
    let gone = |processes: &[u32]| {
        wait("the processes end", &mut || !processes.iter().any(|pid| is_alive(*pid)));
    };
    // By the command of its lens.
    let processes = started(&mut client, 2);
    command(&mut client, "halidom.cancel", "local_laplacian", "best");
    gone(&processes);
    assert!(lenses(&mut client).iter().all(|title| title.starts_with("prove")));
    // By its progress.
    let processes = started(&mut client, 30);
    let created =
        client.kept.iter().rev().find(|one| one["method"] == "window/workDoneProgress/create");
    let token = created.expect("there is progress")["params"]["token"].clone();
    client.notify("window/workDoneProgress/cancel", json!({"token": token}));
    gone(&processes);
    assert!(lenses(&mut client).iter().all(|title| title.starts_with("prove")));
    // By an edit.
    let processes = started(&mut client, 3);
    client.replace(URI, 4, TEXT);
    gone(&processes);
    // By closing the text.
    let processes = started(&mut client, 5);
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    gone(&processes);
    client.open(URI, TEXT);
    // By shutting down.
    let processes = started(&mut client, 6);
    assert!(client.end().success());
    gone(&processes);
}

#[test]
fn a_client_that_is_gone_ends_the_proofs() {
    let mut client = Client::ready(capabilities());
    client.open(URI, TEXT);
    let processes = started(&mut client, 2);
    assert_eq!(client.hang_up().code(), Some(1));
    wait("the processes end", &mut || !processes.iter().any(|pid| is_alive(*pid)));
}
