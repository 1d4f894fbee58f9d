//! `halidom fmt`.

use std::io::Read as _;
use std::path::Path;

use halidom_diag::{Code, Diagnostic, Severity, Sources};
use halidom_driver::files::{self, FileError, write_bytes};
use halidom_lang::{Unformatted, format};

use super::ended;
use crate::args::FmtArgs;
use crate::output::{Ended, Output, Stop};

/// The name of standard input on the command line.
const STANDARD_INPUT: &str = "-";

pub(crate) fn run(args: &FmtArgs, output: &mut Output<'_>) -> Ended {
    ended(fmt(args, output))
}

fn fmt(args: &FmtArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let mut changed = Vec::new();
    let mut refused = false;
    for path in &args.files {
        match one(path, args.check, output) {
            Ok(true) => changed.push(path.display().to_string()),
            Ok(false) => {}
            Err(_) => refused = true,
        }
    }
    let any = !changed.is_empty();
    output.set("changed", changed);
    if refused {
        Err(Stop::BadInput)
    } else {
        Ok(if args.check && any { Ended::Amiss } else { Ended::Done })
    }
}

/// Formats a file, or only looks at it. Returns true if its text is not the formatted one.
fn one(path: &Path, check: bool, output: &mut Output<'_>) -> Result<bool, Stop> {
    let is_stream = path == Path::new(STANDARD_INPUT);
    let bytes = if is_stream {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        files::contents(path)
    };
    let read = |source| FileError::Read { path: path.to_owned(), source };
    let bytes = bytes.map_err(|error| failed(&read(error), output))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        let error = FileError::Contents {
            path: path.to_owned(),
            format: "UTF-8 text",
            reason: "it has bytes that are no characters".to_owned(),
        };
        failed(&error, output)
    })?;
    let mut sources = Sources::new();
    let name = if is_stream { "standard input".to_owned() } else { path.display().to_string() };
    let file = sources.add(name, text.as_str());
    let formatted = format(&sources, file).map_err(|unformatted| {
        let diagnostics = match unformatted {
            Unformatted::Syntax(diagnostics) => diagnostics,
            Unformatted::Defect => vec![defect()],
        };
        for diagnostic in &diagnostics {
            output.diagnostic(&sources, diagnostic);
        }
        Stop::BadInput
    })?;
    let differs = formatted != text;
    if check {
        if differs {
            output.line(&format!("not formatted: {}", sources.name(file)));
        }
    } else if is_stream {
        output.line(&formatted);
        output.set("text", formatted);
    } else if differs {
        replace(path, &formatted).map_err(|error| failed(&error, output))?;
        output.line(&format!("formatted: {}", sources.name(file)));
    }
    Ok(differs)
}

/// Replaces the text of a file. A link still leads to it, and its permissions stay.
fn replace(path: &Path, text: &str) -> Result<(), FileError> {
    let failed = |source| FileError::Write { path: path.to_owned(), source };
    let place = std::fs::canonicalize(path).map_err(failed)?;
    let permissions = std::fs::metadata(&place).map_err(failed)?.permissions();
    write_bytes(&place, text.as_bytes())?;
    std::fs::set_permissions(&place, permissions).map_err(failed)
}

fn failed(error: &FileError, output: &mut Output<'_>) -> Stop {
    output.error(error.code(), &error.to_string(), error.hint())
}

fn defect() -> Diagnostic {
    let message = "the formatted text would have other tokens or comments; the file is unchanged";
    Diagnostic::without_place(Severity::Error, Code("HAL0905"), message)
        .with_hint("report this with the file: it is a defect of Halidom")
}
