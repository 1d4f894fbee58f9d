//! `cargo xtask book`: the pages under `docs/` as a book, by mdBook.

use crate::error::Error;
use crate::process::{self, is_installed, program};

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "book",
    summary: "builds the book from docs/ with mdBook, if that is installed",
    help: "\
Calls mdBook on book/book.toml. The pages are those of docs/, in the order of docs/SUMMARY.md; the
book is target/book/index.html. Installs nothing: where mdBook is missing, says how to get it. Links
and the table of contents are checked without mdBook, by `cargo xtask tidy`.

example: cargo xtask book",
    run,
    options: &[],
};

/// The program that builds the book.
const MDBOOK: &str = "mdbook";

/// Its result, below the repository's root.
const INDEX: &str = "target/book/index.html";

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
