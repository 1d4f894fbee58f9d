//! Messages that no editor sends. None ends the server, and none makes a handler fail.

use halidom_testgen::Random;
use serde_json::{Value, json};

use super::client::Client;

const URI: &str = "file:///a.hal";

const METHODS: [&str; 22] = [
    "initialize",
    "initialized",
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didClose",
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/completion",
    "textDocument/documentSymbol",
    "textDocument/semanticTokens/full",
    "textDocument/codeLens",
    "textDocument/codeAction",
    "textDocument/formatting",
    "workspace/executeCommand",
    "$/cancelRequest",
    "$/unknown",
    "workspace/symbol",
    "",
];

const TEXT: &str = "/* 😀 */ pipeline p<n: 2>(a: buffer<u8, 1>, k: u8) -> b: buffer<u8, 1> {
    func c[i in 0..n](x) = a(x) + u8(i);
    func b(x): u8 { b(x) = c[0](x); for r in 0..3 { b(r) += k; } }
}
schedule_fn f(g) { g.parallel(x); }
schedule s for p { b.split(x, xo, xi, 8); c[0].compute_at(b, xo); f(b); }
";

/// A value of any shape.
fn any(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => json!(random.chance(50)),
        2 => json!(random.between(-3, 1 << 40)),
        3 => json!(random.bits() as f64 / 7.0),
        4 => json!(["", "é😀\u{0}", "\r\n", "Content-Length: 3", "\u{ffff}"][random.below(5)]),
        5 => json!("x".repeat(random.below(2000))),
        6 => (0..random.below(4)).map(|_| any(random, depth - 1)).collect(),
        _ => {
            let mut object = serde_json::Map::new();
            for _ in 0..random.below(4) {
                let key = ["textDocument", "position", "uri", "line", "text", "range", "é"];
                object.insert(key[random.below(7)].to_owned(), any(random, depth - 1));
            }
            Value::Object(object)
        }
    }
}

fn position(random: &mut Random) -> Value {
    let line = [0, 1, 2, 5, 6, 99, u32::MAX][random.below(7)];
    let character =
        if random.chance(20) { [999, u32::MAX][random.below(2)] } else { random.below(60) as u32 };
    json!({"line": line, "character": character})
}

fn text(random: &mut Random) -> String {
    match random.below(8) {
        0 => "x".repeat(20_000),
        1 => format!(
            "pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> {{ func b(x) = {}a(x); }}",
            "(".repeat(3000)
        ),
        2 => "😀".repeat(random.below(50)),
        3 => {
            // Cut anywhere.
            let chars: Vec<char> = TEXT.chars().collect();
            chars[..random.below(chars.len())].iter().collect()
        }
        4 => {
            // Pieces in any order.
            let pieces: Vec<&str> = TEXT.split_inclusive([' ', '(', ';']).collect();
            (0..40).map(|_| pieces[random.below(pieces.len())]).collect()
        }
        _ => TEXT.to_owned(),
    }
}

/// Parameters that are right, except for the values that are not.
fn params(random: &mut Random, method: &str) -> Value {
    if random.chance(12) {
        return any(random, 3);
    }
    let uri = if random.chance(90) {
        URI
    } else {
        ["file:///b.hal", "", "%zz", "no uri"][random.below(4)]
    };
    let document = json!({"uri": uri, "version": random.between(-5, 50)});
    let range = json!({"start": position(random), "end": position(random)});
    match method {
        "textDocument/didOpen" => {
            let text = text(random);
            let item = json!({"uri": uri, "languageId": "halidom", "version": 1, "text": text});
            json!({"textDocument": item})
        }
        "textDocument/didChange" => {
            let changes: Vec<Value> = (0..random.below(3))
                .map(|_| {
                    let new = ["", "\n", "é", "😀", ";", "}", "func q(x) = 1;"][random.below(7)];
                    if random.chance(80) {
                        json!({"text": text(random)})
                    } else {
                        // Only whole texts were asked for.
                        let range = json!({"start": position(random), "end": position(random)});
                        json!({"range": range, "text": new})
                    }
                })
                .collect();
            json!({"textDocument": document, "contentChanges": changes})
        }
        "textDocument/references" => {
            let context = json!({"includeDeclaration": random.chance(50)});
            json!({"textDocument": document, "position": position(random), "context": context})
        }
        "textDocument/rename" => {
            let name = ["z", "b", "", "1", "func", "é", "a b"][random.below(7)];
            json!({"textDocument": document, "position": position(random), "newName": name})
        }
        "textDocument/codeAction" => {
            json!({"textDocument": document, "range": range, "context": {"diagnostics": []}})
        }
        "textDocument/formatting" => {
            json!({"textDocument": document, "options": {"tabSize": 4, "insertSpaces": true}})
        }
        "workspace/executeCommand" => {
            let command = ["halidom.cancel", "halidom.prove", "other"][random.below(3)];
            json!({"command": command, "arguments": [any(random, 2)]})
        }
        _ => json!({"textDocument": document, "position": position(random)}),
    }
}

/// Sends one message, which may be malformed.
fn send(client: &mut Client, random: &mut Random, number: usize) {
    let method = METHODS[random.below(METHODS.len())];
    let params = params(random, method);
    let is_notification = method.contains("did") || method == "initialized" || random.chance(10);
    let message = if is_notification {
        json!({"jsonrpc": "2.0", "method": method, "params": params})
    } else {
        let id = match random.below(20) {
            0 => json!("a string"),
            1 => any(random, 1),
            _ => json!(1_000_000 + number),
        };
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    };
    let body = message.to_string();
    let whole =
        |body: &[u8]| [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat();
    match random.below(40) {
        0 => {
            // Half of a message, with its right length.
            let all = whole(body.as_bytes());
            client.raw(&all[..all.len() / 2]);
        }
        1 => client.raw(&whole(&body.as_bytes()[..body.len() / 2])),
        2 => client.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len() + 7).as_bytes()),
        3 => client.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len() / 2).as_bytes()),
        4 => client.raw(b"Content-Length: -1\r\n\r\n{}"),
        5 => client.raw(b"Content-Length: 99999999999999999999999\r\n\r\n"),
        6 => client.raw(b"\x00\xff\xfe garbage \r\n\r\n"),
        7 => client.raw(&whole(b"\xff\xfe{}")),
        8 => client.raw(&whole(br#"{"jsonrpc":"2.0","id":1,"method":"\ud83d"}"#)),
        9 => client.raw(&whole(any(random, 3).to_string().as_bytes())),
        10 => {
            let deep = format!("{}{}", "[".repeat(2000), "]".repeat(2000));
            client.raw(&whole(deep.as_bytes()));
        }
        _ => client.raw(&whole(body.as_bytes())),
    }
}

#[test]
fn no_message_ends_the_server() {
    const MESSAGES: usize = 10_000;
    let mut random = Random::new(24);
    let mut client = Client::start();
    // Before the session is initialized, every request is refused.
    for number in 0..200 {
        let method = METHODS[1 + random.below(METHODS.len() - 1)];
        let params = params(&mut random, method);
        let answer = client.ask(method, params);
        assert_eq!(answer["error"]["code"], -32002, "{number}: {answer}");
    }
    client.request("initialize", json!({"capabilities": {}}));
    for number in 0..MESSAGES {
        send(&mut client, &mut random, number);
        // An answer now and then, so that the pipes do not fill up.
        if number % 100 == 99 {
            let answer = client.ask("textDocument/hover", json!(null));
            assert_eq!(answer["error"]["code"], -32602, "{number}: {answer}");
        }
    }
    client.open(URI, TEXT);
    let found = client.at("textDocument/hover", URI, (2, 9));
    let told = found["contents"]["value"].as_str().expect("a text");
    assert!(told.contains("func b(x): u8"), "{told}");
    let internal: Vec<&Value> = client
        .kept
        .iter()
        .filter(|message| {
            message["error"]["code"] == -32603
                || (message["method"] == "window/logMessage" && message["params"]["type"] == 1)
        })
        .collect();
    assert!(internal.is_empty(), "{internal:?}");
    let refused = client.kept.iter().filter(|message| message["error"].is_object()).count();
    assert!(refused > MESSAGES / 20, "{refused} messages were refused");
    client.request("shutdown", Value::Null);
    let answer = client.ask("textDocument/hover", json!({}));
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    client.notify("exit", Value::Null);
    assert!(client.child.wait().expect("it ends").success());
}

/// Tests whether the text is open.
fn is_open(client: &mut Client) -> bool {
    let place = json!({"line": 2, "character": 9});
    let params = json!({"textDocument": {"uri": URI}, "position": place});
    let answer = client.ask("textDocument/hover", params);
    if answer["error"].is_null() {
        assert!(answer["result"].to_string().contains("func b(x): u8"), "{answer}");
        return true;
    }
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    false
}

#[test]
fn a_change_that_is_not_understood_closes_the_text_until_the_next_one() {
    let mut client = Client::ready(json!({}));
    let other = "file:///b.hal";
    client.open(other, TEXT);
    let mut version = 0;
    let mut check = |client: &mut Client, send: &dyn Fn(&mut Client)| {
        version += 1;
        client.replace(URI, version, TEXT);
        assert!(is_open(client));
        send(client);
        assert!(!is_open(client));
        let logged = client.kept.iter().rfind(|one| one["method"] == "window/logMessage");
        let told = logged.expect("the client is told")["params"]["message"].as_str();
        assert!(told.is_some_and(|told| told.contains("could not be read")), "{told:?}");
        client.kept.clear();
    };
    let place = json!({"line": 0, "character": 0});
    let change = json!({"text": "", "range": {"start": place, "end": place}});
    for (version, changes) in [
        (json!(null), json!([{"text": ""}])),
        (json!(2), json!([change])),
        (json!(2), json!([])),
        (json!(2), json!([{"text": 1}])),
    ] {
        check(&mut client, &|client| {
            let document = json!({"uri": URI, "version": version});
            let params = json!({"textDocument": document, "contentChanges": changes});
            client.notify("textDocument/didChange", params);
        });
    }
    let params = json!({"textDocument": {"uri": other}});
    assert!(client.ask("textDocument/codeLens", params.clone())["error"].is_null());
    // These may be about any text.
    check(&mut client, &|client| client.notify("textDocument/didChange", json!([])));
    check(&mut client, &|client| client.raw(b"Content-Length: 99\r\n\r\n{\"jsonrpc\":"));
    check(&mut client, &|client| client.raw(b"Content-Length: 99999999\r\n\r\n"));
    check(&mut client, &|client| client.send(&json!({"method": 1})));
    assert_eq!(client.ask("textDocument/codeLens", params)["error"]["code"], -32602);
    assert!(client.end().success());
}

#[test]
fn a_request_with_a_wrong_number_is_answered() {
    let mut client = Client::ready(json!({}));
    for (id, answered) in [
        (json!(1_i64 << 40), json!(1_i64 << 40)),
        (json!(1.5), json!(1.5)),
        (json!(null), json!(null)),
        (json!([1]), json!(null)),
    ] {
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "textDocument/hover"}));
        let answer = client.until(&|message| message["error"].is_object());
        assert_eq!(answer["id"], answered, "{answer}");
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
    }
    assert!(client.end().success());
}

#[test]
fn a_client_that_exits_without_shutdown_is_told() {
    let mut client = Client::ready(json!({}));
    client.notify("exit", Value::Null);
    assert_eq!(client.child.wait().expect("it ends").code(), Some(1));
    assert_eq!(Client::start().hang_up().code(), Some(1));
}
