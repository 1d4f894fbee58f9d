//! A client that drives the binary over pipes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// The time after which a server that is silent counts as dead.
const PATIENCE: Duration = Duration::from_mins(2);

pub(crate) struct Client {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages that were received while another one was waited for.
    pub(crate) kept: Vec<Value>,
    next: i64,
    /// The place of temporary files, which a server that is killed leaves.
    _folder: tempfile::TempDir,
}

impl Client {
    /// Starts the server.
    pub(crate) fn start() -> Self {
        Self::started(&mut Command::new(env!("CARGO_BIN_EXE_halidom")))
    }

    /// Starts a server whose proofs end only if they are ended, as their solver does not answer.
    pub(crate) fn stuck() -> Self {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut program = Command::new(env!("CARGO_BIN_EXE_halidom"));
        Self::started(program.env("HALIDOM_Z3", root.join("tests/solvers/stuck")))
    }

    fn started(program: &mut Command) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = program
            .arg("lsp")
            .env("TMPDIR", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take();
        let output = child.stdout.take().expect("it has an output");
        let (sender, messages) = channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(output);
            loop {
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    if reader.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    if line.trim().is_empty() {
                        break;
                    }
                    let digits = line.strip_prefix("Content-Length: ").expect("a header");
                    length = digits.trim().parse().expect("a length");
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).expect("a whole message");
                let value = serde_json::from_slice(&body).expect("a message is JSON");
                if sender.send(value).is_err() {
                    return;
                }
            }
        });
        Self { child, input, messages, kept: Vec::new(), next: 0, _folder: folder }
    }

    /// Starts the server and initializes it, with these capabilities of the client.
    pub(crate) fn ready(capabilities: Value) -> Self {
        Self::start().initialized(capabilities)
    }

    /// Initializes the server.
    pub(crate) fn initialized(mut self, capabilities: Value) -> Self {
        let mut params = json!({});
        params["capabilities"] = capabilities;
        self.request("initialize", params);
        self.notify("initialized", json!({}));
        self
    }

    /// Writes bytes; a server that has ended does not read them.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    pub(crate) fn send(&mut self, value: &Value) {
        let text = value.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        let mut message = json!({"jsonrpc": "2.0", "method": method});
        message["params"] = params;
        self.send(&message);
    }

    /// Receives messages until one is the wanted one; keeps the others.
    pub(crate) fn until(&mut self, is_wanted: &dyn Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("the server answers");
            if is_wanted(&message) {
                return message;
            }
            self.kept.push(message);
        }
    }

    /// Sends a request; returns its whole answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({"jsonrpc": "2.0", "id": id, "method": method});
        message["params"] = params;
        self.send(&message);
        self.until(&|message| message["id"] == id && message.get("method").is_none())
    }

    /// Sends a request that must succeed; returns its result.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Opens a text; returns its first diagnostics.
    pub(crate) fn open(&mut self, uri: &str, text: &str) -> Vec<Value> {
        let item = json!({"uri": uri, "languageId": "halidom", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": item}));
        self.diagnostics(uri, 1)
    }

    /// Replaces the whole text; returns its first diagnostics.
    pub(crate) fn replace(&mut self, uri: &str, version: i32, text: &str) -> Vec<Value> {
        let identifier = json!({"uri": uri, "version": version});
        let mut params = json!({"textDocument": identifier});
        params["contentChanges"] = json!([{"text": text}]);
        self.notify("textDocument/didChange", params);
        self.diagnostics(uri, version)
    }

    /// Waits for the next diagnostics of a version of a text.
    pub(crate) fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let found = self.until(&|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        });
        found["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    /// Sends a request about a place of a text.
    pub(crate) fn at(&mut self, method: &str, uri: &str, (line, character): (u32, u32)) -> Value {
        let position = json!({"line": line, "character": character});
        self.request(method, json!({"textDocument": {"uri": uri}, "position": position}))
    }

    /// Shuts the server down and waits for its end.
    pub(crate) fn end(mut self) -> ExitStatus {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.child.wait().expect("the server ends")
    }

    /// Closes the input and waits for the end of the server.
    pub(crate) fn hang_up(mut self) -> ExitStatus {
        drop(self.input.take());
        self.child.wait().expect("the server ends")
    }
}

/// The position of the first place of a word in a text, `within` characters into it.
pub(crate) fn place(text: &str, word: &str, within: usize) -> (u32, u32) {
    let at = text.find(word).unwrap_or_else(|| panic!("{word} in\n{text}")) + within;
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    (line as u32, text[start..at].encode_utf16().count() as u32)
}

/// Applies edits of the protocol (columns in UTF-16) to a text.
pub(crate) fn applied(text: &str, edits: &[Value]) -> String {
    let offset = |position: &Value| {
        let (line, character) =
            (position["line"].as_u64().unwrap(), position["character"].as_u64().unwrap());
        let start: usize = text.split_inclusive('\n').take(line as usize).map(str::len).sum();
        let mut units = 0;
        let rest = &text[start..];
        let found = rest.char_indices().find(|(_, c)| {
            let here = units >= character;
            units += c.len_utf16() as u64;
            here
        });
        start + found.map_or(rest.len(), |(at, _)| at)
    };
    let mut changes: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            (offset(&range["start"]), offset(&range["end"]), edit["newText"].as_str().unwrap())
        })
        .collect();
    changes.sort_unstable();
    let mut changed = text.to_owned();
    for (start, end, new) in changes.into_iter().rev() {
        changed.replace_range(start..end, new);
    }
    changed
}
