//! Proofs in the background: lenses, progress, verdicts, and cancellation with the solvers.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::client::{Client, place};

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
    let sentence = ended(&mut client);
    assert!(sentence.starts_with("proved: ") && sentence.contains("bit for bit"), "{sentence}");
    let lens = lenses(&mut client).remove(1);
    assert!(lens.starts_with("proved: ") && lens.contains(" obligation"), "{lens}");
    let methods: Vec<String> =
        client.kept.iter().filter_map(|one| one["method"].as_str().map(str::to_owned)).collect();
    for method in ["window/workDoneProgress/create", "$/progress", "workspace/codeLens/refresh"] {
        assert!(methods.iter().any(|one| one == method), "{method} in {methods:?}");
    }
    let mut steps = client.kept.iter().filter(|one| one["method"] == "$/progress");
    assert_eq!(steps.next().expect("it began")["params"]["value"]["kind"], "begin");
    // An edit removes the verdict, and makes the client ask for the lenses.
    client.kept.clear();
    client.replace(URI, 2, &TEXT.replace("+ a", "- a"));
    assert!(client.kept.iter().any(|one| one["method"] == "workspace/codeLens/refresh"));
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

/// Waits for the end of a proof; returns the sentence of its verdict.
fn ended(client: &mut Client) -> String {
    let is_end = |message: &Value| message["params"]["value"]["kind"] == "end";
    let end = match client.kept.iter().position(is_end) {
        Some(at) => client.kept.remove(at),
        None => client.until(&is_end),
    };
    end["params"]["value"]["message"].as_str().expect("a sentence").to_owned()
}

#[test]
fn a_lens_names_the_equality_of_floats() {
    let mut client = Client::ready(capabilities());
    let text = "pipeline p(a: buffer<f32, 2>) -> b: buffer<f32, 1> {
    fast_math;
    func b(x): f32 { b(x) = 0.0; for r in 0..64 { b(x) += a(r, x); } }
}
schedule parts for p { b.update().split(r, ro, ri, 8).rfactor(ri, u, parts); }
";
    client.open(URI, text);
    command(&mut client, "halidom.prove", "p", "parts");
    let sentence = ended(&mut client);
    assert!(sentence.contains(", under float-add-associative, "), "{sentence}");
    let lens = lenses(&mut client).remove(1);
    assert!(lens.starts_with("proved under float-add-associative: "), "{lens}");
    let hover = client.at("textDocument/hover", URI, place(text, "schedule parts", 10));
    assert!(hover["contents"]["value"].as_str().is_some_and(|told| told.contains(&sentence)));
    assert!(client.end().success());
}

/// Starts a proof, and waits until its solver is asked. Returns all processes of the proof.
fn started(client: &mut Client, version: i32) -> Vec<u32> {
    client.replace(URI, version, TEXT);
    let answer = command(client, "halidom.prove", "p", "lanes");
    assert!(answer.get("error").is_none(), "{answer}");
    let server = client.child.id();
    let mut found = Vec::new();
    wait("a solver is asked", &mut || {
        found = descendants(server);
        found.iter().any(|(_, name)| name == "sleep")
    });
    found.into_iter().map(|(pid, _)| pid).collect()
}

#[test]
fn cancelled_proofs_end_their_solvers() {
    let mut client = Client::stuck().initialized(capabilities());
    client.open(URI, TEXT);
    let gone = |processes: &[u32]| {
        wait("the processes end", &mut || !processes.iter().any(|pid| is_alive(*pid)));
    };
    // By the command of its lens.
    let processes = started(&mut client, 2);
    command(&mut client, "halidom.cancel", "p", "lanes");
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
    // By an edit that cannot be read.
    let processes = started(&mut client, 40);
    let document = json!({"uri": URI, "version": null});
    client.notify("textDocument/didChange", json!({"textDocument": document}));
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

fn kill(pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a number");
    kill_process(pid, Signal::KILL).expect("it is there");
}

#[test]
fn a_server_that_is_killed_ends_the_proofs() {
    let mut client = Client::stuck().initialized(capabilities());
    client.open(URI, TEXT);
    let processes = started(&mut client, 2);
    kill(client.child.id());
    assert!(!client.child.wait().expect("it ends").success());
    wait("the processes end", &mut || !processes.iter().any(|pid| is_alive(*pid)));
}

#[test]
fn a_proof_that_is_killed_ends_its_solvers() {
    let mut client = Client::stuck().initialized(capabilities());
    client.open(URI, TEXT);
    let processes = started(&mut client, 2);
    let name = |pid: &u32| std::fs::read_to_string(format!("/proc/{pid}/comm"));
    let is_proof = |pid: &&u32| name(pid).is_ok_and(|name| name.trim() == "halidom");
    kill(*processes.iter().find(is_proof).expect("a process proves"));
    wait("the processes end", &mut || !processes.iter().any(|pid| is_alive(*pid)));
    let sentence = ended(&mut client);
    assert!(sentence.starts_with("no verdict: "), "{sentence}");
    assert!(client.end().success());
}

#[test]
fn a_client_that_is_gone_ends_the_proofs() {
    let mut client = Client::stuck().initialized(capabilities());
    client.open(URI, TEXT);
    let processes = started(&mut client, 2);
    assert_eq!(client.hang_up().code(), Some(1));
    wait("the processes end", &mut || !processes.iter().any(|pid| is_alive(*pid)));
}
