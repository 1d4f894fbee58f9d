//! The final statement of a compile, and its code.

use halidom_diag::{Diagnostic, FileId, Severity};
use halidom_halide::dump::Dump;
use halidom_halide::tree::Block;
use halidom_halide::{Names, codes, dump as lossless_form, text};

/// The code of a statement.
#[derive(Clone, Debug)]
pub(super) enum Code {
    /// Halide's code for the pipeline is the code of this statement. The lossless dump is present
    /// where it is known.
    Own(Option<Dump>),
    /// The statement is the lossless dump of a live pipeline. Halide's code for the pipeline file
    /// counts as its code if Halide compiles this statement from the file. Otherwise the bridge
    /// compiles the dump: the file lacks the constraints on inputs.
    Live(Dump),
    /// The statement is a lossless dump from a file; the bridge compiles it.
    Given(Dump),
    /// The statement is a text from a file. Halide's code for the pipeline counts as its code if
    /// that statement prints the same text up to the names of `let`s and loops.
    Text(String),
}

/// A final statement before it is parsed.
pub(super) enum Statement {
    /// From a file: a text or a lossless dump.
    Given(String),
    /// From a generator for which Halide gives only the text.
    Printed(String),
    /// From Halide.
    Compiled {
        /// The text that Halide prints; it is shown to the user.
        text: String,
        /// The lossless dump; it is judged.
        lossless: String,
    },
}

impl Statement {
    /// Wraps Halide's output. For a generator it may be the text alone.
    pub(super) fn compiled(text: String, lossless: Option<String>) -> Self {
        match lossless {
            Some(lossless) => Self::Compiled { text, lossless },
            None => Self::Printed(text),
        }
    }

    /// The text that source positions refer to.
    pub(super) fn shown(&self) -> &str {
        match self {
            Self::Given(text) | Self::Printed(text) | Self::Compiled { text, lossless: _ } => text,
        }
    }

    /// Parses the statement and determines its code.
    pub(super) fn read(
        &self,
        names: &mut Names,
        file: FileId,
    ) -> Result<(Block, Code), Diagnostic> {
        match self {
            Self::Given(given) if lossless_form::is_dump(given) => {
                let read = lossless_form::read(given, names);
                let read = read.map_err(|error| error.diagnostic(file))?;
                Ok((read.block.clone(), Code::Given(read)))
            }
            Self::Given(text) => {
                let block = text::statement(text, names);
                let block = block.map_err(|error| error.diagnostic(file))?;
                Ok((block, Code::Text(text.clone())))
            }
            Self::Printed(text) => {
                let block = text::statement(text, names);
                Ok((block.map_err(|error| error.diagnostic(file))?, Code::Own(None)))
            }
            Self::Compiled { text, lossless } => {
                let read = lossless_form::read(lossless, names).map_err(|error| {
                    let message = format!("the bridge writes what is no dump: {error}");
                    Diagnostic::without_place(Severity::Error, codes::NOT_A_STATEMENT, message)
                })?;
                let mut block = read.block.clone();
                // Invariant: the judged statement is the one that Halide prints.
                if text::print_as(read.release, &block, names) != *text {
                    let message = "the dump is of another statement than the text";
                    return Err(Diagnostic::without_place(
                        Severity::Error,
                        codes::NOT_A_STATEMENT,
                        message,
                    ));
                }
                text::locate(&mut block, text, names);
                Ok((block.clone(), Code::Own(Some(Dump { block, ..read }))))
            }
        }
    }
}
