//! Project automation: `cargo xtask COMMAND`.
//!
//! Each command is a module with its help text; this file is the table of contents. The crate
//! stands outside the layers, uses only the standard library, and knows Halidom only by its command
//! line.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool talks to its user"
)]

mod agree;
mod answer;
mod atl;
mod bench;
mod book;
mod census;
mod chunks;
mod corpus;
mod demo;
mod doors;
mod editors;
mod error;
mod fuzz;
mod json;
mod mutants;
mod mutators;
mod process;
mod relink;
mod sanitize;
mod setup;
mod studio;
mod suite;
mod table;
mod test;
mod tidy;
mod wheel;

use error::Error;
use std::process::ExitCode;

/// One `cargo xtask` command. No command takes arguments other than `--help`, its options, and the
/// words after some of these options.
struct Command {
    name: &'static str,
    /// One line for the list of commands.
    summary: &'static str,
    /// The text that `cargo xtask NAME --help` prints below the summary; it ends with an example.
    help: &'static str,
    run: Run,
    /// Further actions, each with its option.
    options: &'static [(&'static str, Action)],
}

type Run = fn() -> Result<(), Error>;

/// The action of an option.
#[derive(Clone, Copy)]
enum Action {
    /// The option stands alone.
    Alone(Run),
    /// The option takes the words after it.
    Words(fn(&[&str]) -> Result<(), Error>),
}

const COMMANDS: &[Command] = &[
    setup::COMMAND,
    demo::COMMAND,
    test::COMMAND,
    test::SWEEP,
    tidy::COMMAND,
    tidy::voice::COMMAND,
    book::COMMAND,
    editors::COMMAND,
    studio::COMMAND,
    fuzz::COMMAND,
    mutants::COMMAND,
    corpus::COMMAND,
    agree::COMMAND,
    census::COMMAND,
    chunks::COMMAND,
    doors::COMMAND,
    wheel::COMMAND,
    sanitize::COMMAND,
    relink::COMMAND,
    atl::COMMAND,
    bench::COMMAND,
    mutators::COMMAND,
];

/// The exit status of a command whose output nobody reads any longer: that of a process which
/// SIGPIPE ends.
const UNREAD: i32 = 128 + 13;

/// Ends quietly where the reader of the output is gone, as in `cargo xtask --help | head -1`.
/// `println!` panics there.
#[expect(clippy::exit, reason = "nothing is left to do, and a panic would be reported")]
fn end_if_unread() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let words = panic.payload().downcast_ref::<String>();
        let is_printing = |words: &String| words.starts_with("failed printing to");
        if words.is_some_and(|words| is_printing(words) && words.contains("Broken pipe")) {
            std::process::exit(UNREAD);
        }
        report(panic);
    }));
}

fn main() -> ExitCode {
    end_if_unread();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error @ Error::Usage(_)) => {
            eprintln!("error: {error}\n\n{}", overview());
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[&str]) -> Result<(), Error> {
    let is_help = |argument: &str| matches!(argument, "--help" | "-h" | "help");
    let (name, rest) = match arguments {
        [] => return Err(Error::Usage("no command given".to_owned())),
        [first, ..] if is_help(first) => {
            println!("{}", overview());
            return Ok(());
        }
        [name, rest @ ..] => (*name, rest),
    };
    let command = COMMANDS
        .iter()
        .find(|command| command.name == name)
        .ok_or_else(|| Error::Usage(format!("there is no command `{name}`")))?;
    match rest {
        [] => (command.run)(),
        words if words.iter().any(|word| matches!(*word, "--help" | "-h")) || words == ["help"] => {
            println!("cargo xtask {name}: {}\n\n{}", command.summary, command.help);
            Ok(())
        }
        [option, words @ ..] => {
            let refused = |word: &str| {
                Err(Error::Usage(format!("`cargo xtask {name}` takes no argument `{word}`")))
            };
            let action = command.options.iter().find(|(known, _)| known == option);
            match (action, words) {
                (Some((_, Action::Alone(run))), []) => run(),
                (Some((_, Action::Alone(_))), [word, ..]) => refused(word),
                (Some((_, Action::Words(run))), words) => run(words),
                (None, _) => refused(option),
            }
        }
    }
}

fn overview() -> String {
    let commands =
        COMMANDS.iter().map(|command| format!("  {:<6} {}", command.name, command.summary));
    let commands: Vec<String> = commands.collect();
    format!("usage: cargo xtask COMMAND [--help]\n\ncommands:\n{}", commands.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_arguments_are_usage_errors() {
        let cases: &[&[&str]] = &[
            &[],
            &["frobnicate"],
            &["tidy", "--fast"],
            &["tidy", "a", "b"],
            &["bench", "blas", "twice"],
            &["bench", "native", "blur", "sepia"],
            &["bench", "native", "--svg"],
        ];
        for arguments in cases {
            assert!(matches!(dispatch(arguments), Err(Error::Usage(_))), "{arguments:?}");
        }
    }

    #[test]
    fn every_help_has_an_example() {
        for command in COMMANDS {
            let example = format!("example: cargo xtask {}", command.name);
            assert!(command.help.contains(&example), "{}", command.name);
            assert!(overview().contains(command.summary));
        }
    }
}
