//! Every feature, as an editor uses it.

use serde_json::{Value, json};

use super::client::{Client, applied, place};

const URI: &str = "file:///blur.hal";

const BLUR: &str = "// A blur 😀 of two stages.
pipeline blur<radius: 1>(input: buffer<u16, 2>, gain: u16) -> output: buffer<u16, 2> {
    require gain > 0;
    let twice = 2 * gain;
    func blur_x(x, y) = (input(x, y) + input(x + radius, y)) / twice;
    func bias(y): u16 {
        bias(y) = gain;
        for r in 0..3 { bias(y) += input(r, y); }
    }
    func output(x, y) = blur_x(x, y) + blur_x(x, y + 1) + bias(y);
}

schedule rows for blur {
    output.split(y, yo, yi, 16, tail: guard).parallel(yo);
    blur_x.compute_at(output, yo).vectorize(x, 8);
}
";

fn texts(items: &Value, key: &str) -> Vec<String> {
    let items = items.as_array().expect("a list").iter();
    items.map(|item| item[key].as_str().unwrap_or_default().to_owned()).collect()
}

fn ready() -> Client {
    let mut client = Client::ready(json!({}));
    assert_eq!(client.open(URI, BLUR), [] as [Value; 0]);
    client
}

#[test]
fn hovers_tell_types_places_and_regions() {
    let mut client = ready();
    let mut hover = |word: &str, within: usize| {
        let found = client.at("textDocument/hover", URI, place(BLUR, word, within));
        found["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let func = hover("func blur_x", 6);
    for part in [
        "func blur_x(x, y): u16",
        "2 bytes for each value",
        "**`rows`**: computed and stored at `output, yo`",
        "computed blur_x.x = ",
    ] {
        assert!(func.contains(part), "{part} in {func}");
    }
    let in_schedule = hover("blur_x.compute_at", 0);
    assert!(in_schedule.contains("rows") && !in_schedule.contains("default"), "{in_schedule}");
    assert!(hover("func bias", 6).contains("1 update"));
    let input = hover("input:", 0);
    assert!(input.contains("input input") && input.contains("needed: ["), "{input}");
    assert!(hover("radius: 1", 0).contains("Known at compile time"));
    assert!(hover("/ twice", 2).contains("let twice = 2 * gain"));
    assert!(hover("gain > 0", 0).contains("gain: u16"));
    for letter in 0..5 {
        assert!(hover("split(", letter).contains("v, outer, inner, factor"), "{letter}");
    }
    assert!(hover("yo, yi", 0).contains("Loop"));
    assert!(hover("schedule rows", 10).contains("parallel yo"));
    assert!(hover("pipeline blur", 10).contains("`rows`"));
    assert_eq!(hover("// A", 0), "");
    assert!(client.end().success());
}

#[test]
fn names_lead_to_their_definitions_and_uses() {
    let mut client = ready();
    let found = client.at("textDocument/definition", URI, place(BLUR, "blur_x.compute_at", 2));
    let (line, character) = place(BLUR, "blur_x(x, y) =", 0);
    assert_eq!(found[0]["range"]["start"], json!({"line": line, "character": character}));
    let found = client.at("textDocument/definition", URI, place(BLUR, "parallel(yo)", 9));
    assert_eq!(found[0]["range"]["start"]["character"], place(BLUR, "yo, yi", 0).1);
    let nothing = client.at("textDocument/definition", URI, place(BLUR, "require", 1));
    assert_eq!(nothing, Value::Null);
    let mut references = |include: bool| {
        let (line, character) = place(BLUR, "blur_x(x, y) =", 0);
        let params = json!({
            "textDocument": {"uri": URI},
            "position": {"line": line, "character": character},
            "context": {"includeDeclaration": include},
        });
        client.request("textDocument/references", params).as_array().expect("a list").len()
    };
    assert_eq!((references(true), references(false)), (4, 3));
    let marked = client.at("textDocument/documentHighlight", URI, place(BLUR, "gain > 0", 0));
    assert_eq!(marked.as_array().map(Vec::len), Some(4));
    assert!(client.end().success());
}

#[test]
fn renaming_changes_every_use_and_refuses_clashes() {
    let mut client = ready();
    let mut rename = |word: &str, within: usize, name: &str| {
        let (line, character) = place(BLUR, word, within);
        let params = json!({
            "textDocument": {"uri": URI},
            "position": {"line": line, "character": character},
            "newName": name,
        });
        let answer = client.ask("textDocument/rename", params);
        let edits = answer["result"]["changes"][URI].as_array().cloned();
        edits.map(|edits| applied(BLUR, &edits)).ok_or(answer)
    };
    assert_eq!(rename("blur_x(x, y) =", 1, "first"), Ok(BLUR.replace("blur_x", "first")));
    assert_eq!(rename("yo, yi", 0, "strip"), Ok(BLUR.replace("yo", "strip")));
    assert_eq!(rename("gain: u16", 0, "faktör"), Ok(BLUR.replace("gain", "faktör")));
    assert_eq!(rename("radius: 1", 0, "step"), Ok(BLUR.replace("radius", "step")));
    let renamed = rename("schedule rows", 10, "strips").expect("it can be renamed");
    assert!(renamed.contains("schedule strips for blur"), "{renamed}");
    // A pure variable is a loop of the schedule, too.
    let renamed = rename("func blur_x(x", 12, "u").expect("it can be renamed");
    assert!(renamed.contains("blur_x(u, y) = (input(u, y) + input(u + radius"), "{renamed}");
    assert!(renamed.contains("compute_at(output, yo).vectorize(u, 8)"), "{renamed}");
    for name in ["output", "gain", "min", "func", "1a", "a b", "", "x", "a$"] {
        let refused = rename("blur_x(x, y) =", 1, name).expect_err(name);
        assert!(refused["error"]["message"].is_string(), "{name}: {refused}");
    }
    for (word, name) in [("radius: 1", "x"), ("yo, yi", "yi"), ("yo, yi", "x")] {
        assert!(rename(word, 0, name).is_err(), "{word} as {name}");
    }
    let prepared = client.at("textDocument/prepareRename", URI, place(BLUR, "gain > 0", 1));
    assert_eq!(prepared["placeholder"], "gain");
    let prepared = client.at("textDocument/prepareRename", URI, place(BLUR, "require", 1));
    assert_eq!(prepared, Value::Null);
    assert!(client.end().success());
}

/// Types a line into the schedule, and asks for completions at its mark.
fn completed(client: &mut Client, version: i32, line: &str) -> Vec<String> {
    let text = BLUR.replace("    blur_x.compute_at(output, yo).vectorize(x, 8);\n", line);
    let place = place(&text, "|", 0);
    client.replace(URI, version, &text.replace('|', ""));
    texts(&client.at("textDocument/completion", URI, place)["items"], "label")
}

#[test]
fn completions_fit_their_place() {
    let mut client = ready();
    let mut version = 1;
    let mut check = |line: &str, wanted: &[&str], unwanted: &[&str]| {
        version += 1;
        let found = completed(&mut client, version, line);
        for name in wanted {
            assert!(found.iter().any(|label| label == name), "{name} at {line} in {found:?}");
        }
        for name in unwanted {
            assert!(found.iter().all(|label| label != name), "{name} at {line} in {found:?}");
        }
    };
    check("    blur_x.|\n", &["compute_at", "vectorize", "split"], &["blur_x", "func"]);
    check("    blur_x.comp|\n", &["compute_at", "compute_root"], &["blur_x"]);
    check("    |\n", &["blur_x", "output", "for"], &["input", "twice"]);
    check("    blur_x.compute_at(|);\n", &["output"], &["blur_x", "yo"]);
    check("    blur_x.compute_at(output, |);\n", &["yo", "yi", "x"], &["output"]);
    check("    blur_x.compute_at(output, yo).store_at(output, |);\n", &["yo"], &["yi", "y"]);
    check("    output.split(|);\n", &["yo", "yi", "x", "tail: "], &["output", "y"]);
    check("    output.vectorize(x, 8, tail: |);\n", &["guard", "shift"], &["x"]);
    // Wrappers have levels of their own.
    check("    blur_x.in(output).compute_at(output, |);\n", &["yo", "yi", "x"], &["y"]);
    check("    blur_x.compute_at(output, yo).split(|);\n", &["x", "y"], &["yo"]);
    check("    blur_x.store_in(|);\n", &["stack", "heap"], &[]);
    check("}\nschedule more for |\n", &["blur"], &["rows"]);
    check("}\n|\n", &["schedule", "pipeline"], &["func"]);
    check("}\nfn f(a) -> func(x) = |\n", &["x", "select", "f32"], &["blur_x"]);
    check("} // blur_x.|\n", &[], &["compute_at"]);
    let head = "}\npipeline p(a: buffer<u8, 2>, n: u8) -> b: buffer<u8, 2> {\n";
    check(
        &format!("{head}    let k = n + |;\n    func b(x, y) = a(x, y);\n}}\n"),
        &["n", "a", "b", "min"],
        &["blur_x", "gain"],
    );
    check(&format!("{head}    func b(x, y) = a.|\n"), &["width", "extent"], &["a"]);
    check(&format!("{head}    func b(u, v) = a(u, |\n"), &["u", "v", "repeat_edge"], &["func"]);
    check(&format!("{head}    func b(u, v): |\n"), &["u8", "f32"], &["u"]);
    check(&format!("{head}    |\n"), &["func", "let", "require"], &["u8"]);
    assert!(client.end().success());
}

#[test]
fn diagnostics_have_related_places_and_fixes() {
    let mut client = ready();
    let wrong = BLUR
        .replace("+ input(x + radius, y)", "+ inptu(x + radius, y)")
        .replace("parallel(yo)", "paralel(yo)")
        .replace("let twice = 2 * gain;", "let twice = 2 * gain")
        .replace("bias(y) += input(r, y);", "bias(y) += f32(input(r, y));");
    let found = client.replace(URI, 2, &wrong);
    let codes = texts(&json!(found), "code");
    assert_eq!(codes, ["HAL0104", "HAL0201", "HAL0302", "HAL0503"], "{found:?}");
    // The names come back one by one, as each fix is applied.
    let mut text = wrong;
    let mut version = 2;
    for _ in 0..6 {
        let whole =
            json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
        let params =
            json!({"textDocument": {"uri": URI}, "range": whole, "context": {"diagnostics": []}});
        let actions = client.request("textDocument/codeAction", params);
        let actions = actions.as_array().expect("a list").clone();
        let Some(action) = actions.first() else { break };
        let edits = action["edit"]["changes"][URI].as_array().expect("edits").clone();
        text = applied(&text, &edits);
        version += 1;
        client.replace(URI, version, &text);
    }
    let rest = client.replace(URI, version + 1, &text);
    assert_eq!(texts(&json!(rest), "code"), [""; 0], "{rest:?}\n{text}");
    assert!(text.contains("+ input(x + radius, y)") && text.contains(".parallel(yo)"), "{text}");
    assert!(text.contains("2 * gain;") && text.contains("u16(f32(input(r, y)))"), "{text}");
    let taken = BLUR.replace("func blur_x(x, y)", "func gain(x, y)");
    let found = client.replace(URI, version + 2, &taken);
    let related = &found[0]["relatedInformation"][0];
    assert_eq!(related["location"]["uri"], URI, "{found:?}");
    assert_eq!(related["message"], "defined here", "{found:?}");
    assert!(client.end().success());
}

#[test]
fn schedules_are_checked_in_the_background() {
    let mut client = ready();
    let wrong = BLUR.replace("compute_at(output, yo)", "compute_at(output, nowhere)");
    assert_eq!(client.replace(URI, 2, &wrong), [] as [Value; 0]);
    let found = client.diagnostics(URI, 2);
    assert_eq!(texts(&json!(found), "code"), ["HAL0601"], "{found:?}");
    let (line, _) = place(&wrong, "nowhere", 0);
    assert_eq!(found[0]["range"]["start"]["line"], line);
    assert!(client.end().success());
}

#[test]
fn formatting_is_that_of_fmt() {
    let mut client = ready();
    let whole =
        json!({"textDocument": {"uri": URI}, "options": {"tabSize": 4, "insertSpaces": true}});
    assert_eq!(client.request("textDocument/formatting", whole.clone()), json!([]));
    let loose = BLUR.replace(" = ", "  =").replace("😀", "😀😀");
    client.replace(URI, 2, &loose);
    let edits = client.request("textDocument/formatting", whole.clone());
    let formatted = applied(&loose, edits.as_array().expect("edits"));
    assert_eq!(formatted, BLUR.replace("😀", "😀😀"));
    client.replace(URI, 3, "pipeline p(");
    assert_eq!(client.request("textDocument/formatting", whole), Value::Null);
    assert!(client.end().success());
}

#[test]
fn the_outline_lists_pipelines_and_schedules() {
    let mut client = ready();
    let params = json!({"textDocument": {"uri": URI}});
    let found = client.request("textDocument/documentSymbol", params);
    assert_eq!(texts(&found, "name"), ["blur", "rows"]);
    let inner = texts(&found[0]["children"], "name");
    assert_eq!(inner, ["radius", "input", "gain", "blur_x", "bias", "output"]);
    assert_eq!(found[0]["children"][1]["detail"], "buffer<u16, 2>");
    assert!(client.end().success());
}

#[test]
fn semantic_tokens_cover_the_text() {
    for (encodings, smile) in [(json!(["utf-16"]), 2), (json!(["utf-8", "utf-16"]), 4)] {
        let mut client = Client::start();
        let capabilities = json!({"general": {"positionEncodings": encodings}});
        let answer = client.request("initialize", json!({"capabilities": capabilities}));
        let legend =
            texts_of(&answer["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]);
        client.open(URI, BLUR);
        let params = json!({"textDocument": {"uri": URI}});
        let data = client.request("textDocument/semanticTokens/full", params);
        let data: Vec<u64> =
            data["data"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        let first = &data[..5];
        let comment = "// A blur 😀 of two stages.";
        let units = comment.chars().count() as u64 - 1 + smile;
        assert_eq!(first, [0, 0, units, 0, 0], "the comment");
        let (mut line, mut column) = (0, 0);
        let mut kinds = Vec::new();
        for token in data.chunks(5) {
            column = if token[0] == 0 { column + token[1] } else { token[1] };
            line += token[0];
            let text = BLUR.lines().nth(line as usize).unwrap();
            // Only the comment is not ASCII.
            if line > 0 {
                let word = &text[column as usize..(column + token[2]) as usize];
                kinds.push((word.to_owned(), legend[token[3] as usize].clone()));
            }
        }
        for (word, kind) in [
            ("pipeline", "keyword"),
            ("blur", "class"),
            ("radius", "enumMember"),
            ("buffer", "type"),
            ("u16", "type"),
            ("gain", "parameter"),
            ("twice", "variable"),
            ("blur_x", "function"),
            ("x", "variable"),
            ("split", "method"),
            ("16", "number"),
            ("+=", "operator"),
        ] {
            assert!(kinds.contains(&(word.to_owned(), kind.to_owned())), "{word}: {kinds:?}");
        }
        let letters: usize = kinds.iter().map(|(word, _)| word.len()).sum();
        let ink = BLUR.lines().skip(1).flat_map(str::chars).filter(|c| !c.is_whitespace()).count();
        assert_eq!(letters, ink, "every token is there");
        assert!(client.end().success());
    }
}

fn texts_of(items: &Value) -> Vec<String> {
    items.as_array().unwrap().iter().map(|item| item.as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_example_is_served() {
    let mut client = Client::ready(json!({}));
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut count = 0;
    for folder in ["", "applications", "table1"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            if path.extension().is_none_or(|extension| extension != "hal") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("it can be read");
            let uri = format!("file://{}", path.display());
            assert_eq!(client.open(&uri, &text), [] as [Value; 0], "{uri}");
            let params = json!({"textDocument": {"uri": uri}});
            for method in ["documentSymbol", "semanticTokens/full", "codeLens"] {
                let found = client.request(&format!("textDocument/{method}"), params.clone());
                assert!(!found.is_null(), "{method} of {uri}");
            }
            // Every name of a func leads somewhere.
            for (line, content) in text.lines().enumerate() {
                if let Some(at) =
                    content.find("func ").filter(|_| content.trim().starts_with("func "))
                {
                    let place = (line as u32, at as u32 + 5);
                    let found = client.at("textDocument/definition", &uri, place);
                    assert!(!found.is_null(), "{uri}:{line}");
                }
            }
            count += 1;
        }
    }
    assert!(count > 35, "{count} examples");
    assert!(client.end().success());
}
