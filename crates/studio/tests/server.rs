//! The server under raw requests: strangers, malformed and slow clients get nothing, and jobs end
//! with their processes.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use halidom_studio::{OpenError, Stopper, Studio, StudioError};
use serde_json::{Value, json};

const TEXT: &str = "pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> { func b(x) = a(x) + 1; }
schedule lanes for p { b.vectorize(x, 8, tail: guard); }
";
const SECRET: &str = "what the other file says";

/// A script cannot be started while another process that is being started has it open for writing,
/// so the tests that start processes run one by one.
static ONE_BY_ONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Server {
    folder: tempfile::TempDir,
    port: u16,
    token: String,
    stopper: Stopper,
    serving: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server whose proofs are runs of a shell script.
    fn start(script: &str) -> Self {
        let folder = tempfile::tempdir().expect("there is room");
        fs::write(folder.path().join("p.hal"), TEXT).expect("it can be written");
        fs::write(folder.path().join("other.hal"), SECRET).expect("it can be written");
        let program = folder.path().join("program");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("it can be written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
        let studio = Studio::open(&folder.path().join("p.hal"), program, 0).expect("it starts");
        let url = studio.url();
        let rest = url.strip_prefix("http://127.0.0.1:").expect("it listens on this computer");
        let (port, token) = rest.split_once("/?token=").expect("the address has a token");
        let (port, token) = (port.parse().expect("a number"), token.to_owned());
        let stopper = studio.stopper();
        let serving = Some(thread::spawn(move || studio.serve()));
        Self { folder, port, token, stopper, serving }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("p.hal")
    }

    /// Sends bytes and returns the whole answer.
    fn send(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time");
        // A server that refuses early may close the connection before it has read everything.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).expect("text")
    }

    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\n", self.port)
    }

    fn key(&self) -> String {
        format!("X-Halidom-Token: {}\r\n", self.token)
    }

    /// Sends a question with these headers, as text.
    fn post(&self, path: &str, headers: &str, body: &str) -> String {
        let length = body.len();
        self.send(
            format!("POST {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
                .as_bytes(),
        )
    }

    /// Asks as the page does.
    fn ask(&self, path: &str, question: &Value) -> Value {
        let headers = format!("{}{}", self.host(), self.key());
        let answer = self.post(path, &headers, &question.to_string());
        assert!(answer.starts_with("HTTP/1.1 200 "), "{path}: {answer}");
        let (_, body) = answer.split_once("\r\n\r\n").expect("an answer has a body");
        serde_json::from_str(body).expect("the answer is JSON")
    }

    /// Proves the text and returns the answer.
    fn prove(&self) -> Value {
        let number = self.begin();
        loop {
            let state = self.ask("/wait", &json!({"job": number}));
            if state["state"] == "ended" {
                return state["answer"].clone();
            }
        }
    }

    fn begin(&self) -> Value {
        let order = json!({"text": TEXT, "pipeline": "p", "schedule": "lanes"});
        self.ask("/prove", &order)["job"].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopper.stop();
        let ended = self.serving.take().map(JoinHandle::join);
        assert!(matches!(ended, Some(Ok(()))), "the server ends in order");
    }
}

/// Checks a refusal: this status, all headers, no body.
fn refused(answer: &str, status: u16, case: &str) {
    assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{case}: {answer:?}");
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
    assert_eq!(body, "", "{case}");
    guarded(head, case);
}

fn guarded(head: &str, case: &str) {
    for header in [
        "Content-Security-Policy: default-src 'none'; ",
        "Referrer-Policy: no-referrer",
        "X-Content-Type-Options: nosniff",
        "X-Frame-Options: DENY",
        "Cross-Origin-Resource-Policy: same-origin",
        "Cache-Control: no-store",
        "Connection: close",
    ] {
        assert!(head.contains(header), "{case}: {header} in {head}");
    }
    assert!(!head.contains("Access-Control-Allow"), "{case}: {head}");
}

#[test]
fn the_page_is_given_only_with_the_token_in_its_address() {
    let server = Server::start("exit 0");
    let (host, token) = (server.host(), &server.token);
    let page = server.send(format!("GET /?token={token} HTTP/1.1\r\n{host}\r\n").as_bytes());
    assert!(page.starts_with("HTTP/1.1 200 OK"), "{page}");
    let (head, body) = page.split_once("\r\n\r\n").expect("a page");
    guarded(head, "page");
    assert!(head.contains("script-src 'nonce-") && head.contains("connect-src 'self'"), "{head}");
    assert!(!head.contains("unsafe"), "{head}");
    assert!(body.starts_with("<!DOCTYPE html>") && body.trim_end().ends_with("</html>"));
    assert!(!body.contains(token.as_str()) && !body.contains("buffer<u8"), "it tells nothing");
    for target in ["/", "/?token=", "/?token=0", "/?t=1", &format!("/?token={token}0")] {
        let answer = server.send(format!("GET {target} HTTP/1.1\r\n{host}\r\n").as_bytes());
        refused(&answer, 403, target);
    }
    let cookie = format!("GET / HTTP/1.1\r\n{host}Cookie: token={token}\r\n\r\n");
    refused(&server.send(cookie.as_bytes()), 403, "a cookie");
}

#[test]
fn strangers_get_nothing() {
    let server = Server::start("exit 0");
    let (host, key, port) = (server.host(), server.key(), server.port);
    let token = &server.token;
    for (case, path, headers) in [
        ("no token", "/file", host.clone()),
        ("a wrong token", "/file", format!("{host}X-Halidom-Token: 00\r\n")),
        ("an empty token", "/file", format!("{host}X-Halidom-Token: \r\n")),
        ("the token in the address", "/file?token=TOKEN", host.clone()),
        ("another origin", "/file", format!("{host}{key}Origin: http://example.org\r\n")),
        ("no origin", "/file", format!("{host}{key}Origin: null\r\n")),
        ("another port", "/file", format!("{host}{key}Origin: http://127.0.0.1:1\r\n")),
        ("a longer port", "/file", format!("{host}{key}Origin: http://127.0.0.1:{port}0\r\n")),
        ("https", "/file", format!("{host}{key}Origin: https://127.0.0.1:{port}\r\n")),
        ("another host", "/file", format!("Host: example.org\r\n{key}")),
        ("another host's port", "/file", format!("Host: example.org:{port}\r\n{key}")),
        ("a host without a port", "/file", format!("Host: 127.0.0.1\r\n{key}")),
        ("no host", "/file", key.clone()),
        ("save without a token", "/save", host.clone()),
        ("prove without a token", "/prove", host.clone()),
    ] {
        let path = path.replace("TOKEN", token);
        refused(&server.post(&path, &headers, "{}"), 403, case);
    }
    let other = format!("GET /?token={token} HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n");
    refused(&server.send(other.as_bytes()), 403, "the page by another name");
    let question = format!(
        "OPTIONS /file HTTP/1.1\r\n{host}Origin: http://example.org\r\n\
        Access-Control-Request-Method: POST\r\n\r\n"
    );
    refused(&server.send(question.as_bytes()), 403, "a preflight");
    let own = format!("{host}{key}Origin: http://127.0.0.1:{port}\r\n");
    assert!(server.post("/file", &own, "{}").starts_with("HTTP/1.1 200 "), "its own page");
}

#[test]
fn no_other_path_is_known() {
    let server = Server::start("exit 0");
    let all = format!("{}{}", server.host(), server.key());
    for path in [
        "/other.hal",
        "/../other.hal",
        "/file/../other.hal",
        "/..%2fother.hal",
        "/%2e%2e/other.hal",
        "//file",
        "/file/",
        "/FILE",
        "/../../../../../../etc/passwd",
        "/favicon.ico",
        "/page/studio.js",
    ] {
        for method in ["GET", "POST"] {
            let question = format!("{method} {path} HTTP/1.1\r\n{all}\r\n");
            let answer = server.send(question.as_bytes());
            refused(&answer, 404, path);
        }
    }
    let (key, token) = (server.key(), &server.token);
    let whole = format!("POST http://127.0.0.1:{}/file HTTP/1.1\r\n{all}\r\n", server.port);
    refused(&server.send(whole.as_bytes()), 404, "a whole address");
    let wrong = format!("GET /file HTTP/1.1\r\n{}{key}\r\n", server.host());
    refused(&server.send(wrong.as_bytes()), 405, "GET");
    let wrong = format!("POST /?token={token} HTTP/1.1\r\n{}\r\n", server.host());
    refused(&server.send(wrong.as_bytes()), 405, "POST");
    // What a question names does not choose a file either.
    let read = server.ask("/file", &json!({"name": "other.hal", "path": "../other.hal"}));
    assert_eq!(read["text"], TEXT);
}

#[test]
fn malformed_and_too_large_requests_are_refused() {
    let server = Server::start("exit 0");
    let all = format!("{}{}", server.host(), server.key());
    let long = "x".repeat(20 << 10);
    let many = "A: b\r\n".repeat(100);
    for (case, status, request) in [
        ("nothing", 400, String::new()),
        ("no HTTP", 400, "hello\r\n\r\n".to_owned()),
        ("cut in the head", 400, format!("POST /file HTTP/1.1\r\n{all}")),
        (
            "cut in the body",
            400,
            format!("POST /file HTTP/1.1\r\n{all}Content-Length: 9\r\n\r\n{{"),
        ),
        ("no JSON", 400, format!("POST /file HTTP/1.1\r\n{all}Content-Length: 1\r\n\r\n{{")),
        ("a long line", 413, format!("POST /{long} HTTP/1.1\r\n{all}\r\n")),
        ("a long header", 413, format!("POST /file HTTP/1.1\r\n{all}A: {long}\r\n\r\n")),
        ("many headers", 413, format!("POST /file HTTP/1.1\r\n{all}{many}\r\n")),
        ("large", 413, format!("POST /file HTTP/1.1\r\n{all}Content-Length: 1048577\r\n\r\n")),
        (
            "huge",
            413,
            format!("POST /file HTTP/1.1\r\n{all}Content-Length: {}\r\n\r\n", "9".repeat(40)),
        ),
        (
            "less than nothing",
            400,
            format!("POST /file HTTP/1.1\r\n{all}Content-Length: -1\r\n\r\n"),
        ),
        ("signed", 400, format!("POST /file HTTP/1.1\r\n{all}Content-Length: +2\r\n\r\n{{}}")),
        (
            "two lengths",
            400,
            format!(
                "POST /file HTTP/1.1\r\n{all}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}} "
            ),
        ),
        (
            "in chunks",
            400,
            format!(
                "POST /file HTTP/1.1\r\n{all}Transfer-Encoding: \
                    chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n"
            ),
        ),
        ("two hosts", 400, format!("POST /file HTTP/1.1\r\n{all}Host: example.org\r\n\r\n")),
        (
            "two tokens",
            400,
            format!(
                "POST /file HTTP/1.1\r\n{all}X-Halidom-Token: 0\r\nContent-Length: 2\r\n\r\n{{}}"
            ),
        ),
    ] {
        refused(&server.send(request.as_bytes()), status, case);
    }
    let body = format!("\"{}\"", "x".repeat(1 << 20));
    refused(&server.post("/look", &all, &body), 413, "a large body");
    for question in [json!({}), json!([]), json!({"text": 1, "version": ""}), json!({"text": ""})] {
        let answer = server.post("/save", &all, &question.to_string());
        refused(&answer, 400, "a question with missing parts");
    }
    for (key, value) in [
        ("floats", "equal"),
        ("floats", "--limit"),
        ("size", "--svg"),
        ("size", "1x"),
        ("size", "1x-2"),
        ("size", "9999999999"),
    ] {
        let mut question = json!({"text": TEXT, "pipeline": "p", "schedule": "lanes"});
        question[key] = value.into();
        refused(&server.post("/time", &all, &question.to_string()), 400, value);
    }
    assert_eq!(fs::read_to_string(server.file()).expect("it is there"), TEXT);
}

#[test]
fn slow_clients_are_given_up_and_do_not_hold_up_others() {
    let server = Server::start("exit 0");
    let mut slow: Vec<TcpStream> = (0..8)
        .map(|_| TcpStream::connect(("127.0.0.1", server.port)).expect("it listens"))
        .collect();
    let begin = Instant::now();
    for stream in &mut slow {
        stream.write_all(b"POST /file HTTP/1.1\r\nHo").expect("it is taken");
    }
    assert_eq!(server.ask("/file", &json!({}))["text"], TEXT);
    // Bytes that come now and then do not prolong the time for the whole request.
    let mut dripping = slow.pop().expect("there are some");
    let drip = thread::spawn(move || {
        while dripping.write_all(b"x").is_ok() && begin.elapsed() < Duration::from_secs(20) {
            thread::sleep(Duration::from_millis(200));
        }
        begin.elapsed()
    });
    for mut stream in slow {
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server ends it");
        refused(&answer, 408, "slow");
    }
    assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
    assert!(drip.join().expect("it ends") < Duration::from_secs(15));
}

#[test]
fn the_number_of_connections_is_limited() {
    let server = Server::start("exit 0");
    let open: Vec<TcpStream> = (0..60)
        .map(|_| TcpStream::connect(("127.0.0.1", server.port)).expect("it listens"))
        .collect();
    thread::sleep(Duration::from_millis(300));
    let closed = open.iter().filter(|stream| {
        stream.set_read_timeout(Some(Duration::from_millis(20))).expect("a time");
        matches!((&mut &**stream).read(&mut [0]), Ok(0))
    });
    assert_eq!(closed.count(), 28, "32 are kept");
    drop(open);
    thread::sleep(Duration::from_millis(300));
    assert_eq!(server.ask("/file", &json!({}))["text"], TEXT, "the places are free again");
}

#[test]
fn save_writes_only_over_what_was_read() {
    let server = Server::start("exit 0");
    let file = server.file();
    let read = server.ask("/file", &json!({}));
    let first = read["version"].clone();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
    let saved = server.ask("/save", &json!({"text": "one\n", "version": first}));
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "one\n");
    let again = server.ask("/save", &json!({"text": "two\n", "version": saved["version"]}));
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "two\n");
    let mode = fs::metadata(&file).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640, "the permissions stay");
    for version in [first, json!(""), saved["version"].clone()] {
        let refused = server.ask("/save", &json!({"text": "three\n", "version": version}));
        let sentence = refused["refused"].as_str().expect("it says so");
        assert!(sentence.contains("`p.hal` changed on disk"), "{sentence}");
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "two\n");
    }
    fs::write(&file, "by another program\n").expect("it can be written");
    let refused = server.ask("/save", &json!({"text": "three\n", "version": again["version"]}));
    assert!(refused["refused"].is_string() && refused.get("version").is_none());
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "by another program\n");
    fs::remove_file(&file).expect("it is ours");
    let refused = server.ask("/save", &json!({"text": "three\n", "version": again["version"]}));
    assert!(refused["refused"].is_string() && !file.exists());
    let left = fs::read_dir(server.folder.path()).expect("a folder").count();
    assert_eq!(left, 2, "no temporary files stay");
}

#[test]
fn a_look_tells_errors_loops_and_places() {
    let server = Server::start("exit 0");
    let look = |text: &str, schedule: &str| {
        server.ask("/look", &json!({"text": text, "pipeline": "p", "schedule": schedule}))
    };
    let seen = look(TEXT, "lanes");
    assert_eq!(seen["diagnostics"], json!([]));
    let names: Vec<&Value> = seen["pipelines"][0]["schedules"]
        .as_array()
        .expect("schedules")
        .iter()
        .map(|schedule| &schedule["name"])
        .collect();
    assert_eq!(names, ["default", "lanes"]);
    assert!(seen["chosen"]["nest"].as_str().expect("a nest").contains("vectorized"), "{seen}");
    assert_eq!(seen["chosen"]["places"][0]["func"], "b");
    let wrong = look(&TEXT.replace("a(x) + 1", "c(x) + 1"), "lanes");
    assert_eq!(wrong["diagnostics"][0]["line"], 1, "{wrong}");
    assert_eq!(wrong["chosen"], Value::Null);
    let refused = look(&TEXT.replace("vectorize(x, 8, tail: guard)", "compute_at(b, x)"), "lanes");
    assert_eq!(refused["diagnostics"][0]["severity"], "error", "{refused}");
}

/// The answer of a prover, as a script that prints it.
fn prints(object: &Value, exit: i32) -> String {
    format!("cat <<'END'\n{object}\nEND\nexit {exit}")
}

#[test]
fn an_answer_counts_only_if_the_process_ends_as_it_says() {
    let _alone = alone();
    let proved = json!({
        "schema": "halidom-verdict-1", "job": "validate", "exit": 0, "verdict": "proved",
        "statement": "the sentence of the crate `verdict`", "shown": 2, "diagnostics": [],
        "pipeline": "p", "schedule": "lanes", "conditions": [],
        "modes": {"floats": "bits", "axioms": []},
    });
    let server = Server::start(&prints(&proved, 0));
    let answer = server.prove();
    assert_eq!((&answer["word"], &answer["statement"]), (&json!("proved"), &proved["statement"]));
    for script in [
        prints(&proved, 3),
        prints(&proved, 1),
        format!("{}\n", prints(&proved, 0).replace("exit 0", "kill -9 $$")),
        prints(&json!({"verdict": "proved", "exit": 0, "shown": 2}), 0),
        "exit 0".to_owned(),
    ] {
        let answer = Server::start(&script).prove();
        assert_eq!(answer["word"], "failed", "{script}: {answer}");
    }
}

/// Tests whether the process whose number stands in a file is alive.
fn is_alive(file: &Path) -> bool {
    // The file is empty for a moment before it has the number.
    let number = fs::read_to_string(file).expect("it wrote its number");
    let Ok(number) = number.trim().parse::<u32>() else { return false };
    let status = fs::read_to_string(format!("/proc/{number}/stat"));
    status.is_ok_and(|text| !text.rsplit_once(')').expect("a status").1.trim().starts_with('Z'))
}

/// Waits until a condition holds.
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(10), "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A prover that never ends, with a solver that it starts. Both write their numbers to its folder.
const ENDLESS: &str = "sleep 1000 & echo $! > $(dirname $0)/solver
echo $$ > $(dirname $0)/self
wait";

#[test]
fn cancelling_and_stopping_end_a_proof_with_all_its_processes() {
    let _alone = alone();
    for stops in [false, true] {
        let server = Server::start(ENDLESS);
        let folder = server.folder.path().to_owned();
        let files = ["solver", "self"].map(|name| folder.join(name));
        let number = server.begin();
        eventually("the proof runs", || files[1].exists() && is_alive(&files[1]));
        assert!(is_alive(&files[0]));
        let state = server.ask("/wait", &json!({"job": number}));
        assert_eq!(state["state"], "running");
        if stops {
            server.stopper.stop();
        } else {
            server.ask("/cancel", &json!({"job": number}));
            let state = server.ask("/wait", &json!({"job": number}));
            assert_eq!(state["answer"]["word"], "cancelled", "{state}");
        }
        eventually("all have ended", || files.iter().all(|file| !is_alive(file)));
    }
}

#[test]
fn a_measurement_counts_only_if_its_process_ends_well() {
    let _alone = alone();
    for (status, word) in [(0, "timed"), (1, "failed")] {
        let server = Server::start(&format!(
            "test \"$1\" = bench || exit 9\n\
            echo '{{\"schema\": \"halidom-verdict-1\", \"job\": \"bench\", \"exit\": 0, \"rows\": \
            [{{\"threads\": 1, \"milliseconds\": 2.0, \"rounds\": 5}}]}}'\nexit {status}"
        ));
        let asked = json!({"text": TEXT, "pipeline": "p", "schedule": "lanes", "size": "1000"});
        let number = server.ask("/time", &asked)["job"].clone();
        let mut state = json!({"state": "running"});
        while state["state"] == "running" {
            state = server.ask("/wait", &json!({"job": number}));
        }
        assert_eq!(state["answer"]["word"], word, "{state}");
        if status == 0 {
            assert_eq!(state["answer"]["rows"][0]["each"], 2000.0);
        }
    }
}

#[test]
fn an_estimate_is_asked_for_with_the_size_of_the_output() {
    let _alone = alone();
    let server = Server::start(
        "test \"$1 $2 $6 $7\" = 'tune --explain --size 1000' || exit 9\n\
        echo '{\"schema\": \"halidom-verdict-1\", \"job\": \"tune\", \"exit\": 0, \"schedules\": \
        [{\"schedule\": \"lanes\", \"parts\": [], \"lines\": [\"estimated\"]}]}'",
    );
    let asked = json!({"text": TEXT, "pipeline": "p", "schedule": "lanes", "size": "1000"});
    let number = server.ask("/explain", &asked)["job"].clone();
    let mut state = json!({"state": "running"});
    while state["state"] == "running" {
        state = server.ask("/wait", &json!({"job": number}));
    }
    assert_eq!(state["answer"]["word"], "explained", "{state}");
    assert_eq!(state["answer"]["lines"][0], "estimated");
}

#[test]
fn only_two_jobs_run_at_once() {
    let _alone = alone();
    let server = Server::start(ENDLESS);
    let numbers = [server.begin(), server.begin()];
    assert!(numbers.iter().all(Value::is_u64));
    assert_eq!(server.begin(), Value::Null);
    server.ask("/cancel", &json!({"job": numbers[0]}));
    eventually("there is a place again", || server.begin().is_u64());
    assert_eq!(server.ask("/wait", &json!({"job": 99}))["state"], "unknown");
}

#[test]
fn only_programs_in_ordinary_files_are_opened() {
    let folder = tempfile::tempdir().expect("there is room");
    let open =
        |name: &str| Studio::open(&folder.path().join(name), PathBuf::from("program"), 0).map(drop);
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.path().join(name), bytes).expect("it can be written")
    };
    write("a.atl", b"");
    write("large.hal", &vec![b' '; 300 << 10]);
    write("bytes.hal", &[0xff]);
    fs::create_dir(folder.path().join("folder.hal")).expect("there is room");
    let kind = |name| match open(name) {
        Err(StudioError::File(error)) => error,
        other => panic!("{name}: {other:?}"),
    };
    assert!(matches!(kind("missing.hal"), OpenError::Read { .. }));
    assert!(matches!(kind("a.atl"), OpenError::Kind(_)));
    assert!(matches!(kind("large.hal"), OpenError::Contents(_)));
    assert!(matches!(kind("bytes.hal"), OpenError::Contents(_)));
    assert!(matches!(kind("folder.hal"), OpenError::Special(_)));
}
