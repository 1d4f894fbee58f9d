//! `cargo xtask book`: the pages under `docs/` as a book, by mdBook.

use crate::error::Error;
use crate::process::{self, is_installed, program};

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "book",
    summary: "builds the book from docs/ with mdBook, if that is installed",
    help: "\
Runs mdBook on book/book.toml. The pages are the files of docs/, in the order of docs/SUMMARY.md;
the book is target/book/index.html. Installs nothing: if mdBook is missing, prints how to get it.
`cargo xtask tidy` checks links and the table of contents without mdBook.

example: cargo xtask book",
    run,
    options: &[],
};

/// The program that builds the book.
const MDBOOK: &str = "mdbook";

/// Its result, below the repository's root.
const INDEX: &str = "target/book/index.html";

/// Builds the book for `cargo xtask test`, or tells in one line that this is skipped.
pub(crate) fn build_if_installed() -> Result<(), Error> {
    if is_installed(MDBOOK) {
        return run();
    }
    println!("skipped: mdBook, which builds the book, is not installed");
    Ok(())
}

fn run() -> Result<(), Error> {
    if !is_installed(MDBOOK) {
        return Err(Error::Missing {
            what: "mdBook, which builds the book".to_owned(),
            advice: "`cargo install mdbook`; the pages under docs/ can be read without it"
                .to_owned(),
        });
    }
    process::run(program(MDBOOK).args(["build", "book"]))?;
    println!("the book is {INDEX}");
    Ok(())
}
