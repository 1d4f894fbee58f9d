//! Statements of stock Halide's compiler with one structural defect each: none that the literal machine shows to be wrong is proved.

#![expect(clippy::print_stdout, reason = "tables are printed")]

#[path = "../common/mod.rs"]
mod common;
mod statements;
mod verdict;

use std::time::Instant;

use halidom_driver::stock;
use halidom_driver::stock::mutants::{Observer, Statement};

use common::in_parallel;
use verdict::{Outcome, judge};

#[test]
fn sweep() {
    let each: usize =
        std::env::var("HALIDOM_STOCK_MUTANTS").map_or(1, |text| text.parse().expect("a number"));
    let place = tempfile::tempdir().expect("there is room");
    let statements = statements::all(place.path());
    let kind = std::env::var("HALIDOM_STOCK_MUTANTS_KIND").unwrap_or_default();
    in_parallel(&statements, |(name, request)| {
        let begin = Instant::now();
        let stock = match stock::read(request) {
            Ok(Ok(stock)) => stock,
            Ok(Err((_, diagnostics))) => {
                println!("{name}: left out: {}", diagnostics[0].message);
                return;
            }
            Err(error) => {
                println!("{name}: left out: {error}");
                return;
            }
        };
        let read = begin.elapsed();
        let own = judge(&stock);
        println!(
            "{name}: itself {own}; read {:.1} s, judged {:.1} s",
            read.as_secs_f64(),
            (begin.elapsed() - read).as_secs_f64()
        );
        if !matches!(own, Outcome::Proved) {
            return;
        }
        let statement = Statement::of(&stock);
        let observer = match Observer::of(&statement) {
            Ok(observer) => observer,
            Err(reason) => {
                println!("{name}: not observed: {reason}");
                return;
            }
        };
        println!(
            "{name}: observed in {:?} runs; {:.1} s",
            observer.runs(),
            begin.elapsed().as_secs_f64()
        );
        let original = statement.text(statement.block());
        for site in statement.chosen(each, seed_of(name)) {
            if !site.kind.name.contains(&kind) {
                continue;
            }
            let begin = Instant::now();
            let block = statement.changed(&site);
            let text = statement.text(&block);
            let observed = observer.observe(&statement, &block);
            let observing = begin.elapsed();
            let outcome = match statement.stock(block) {
                Ok(stock) => judge(&stock),
                Err(reason) => Outcome::Refused(reason),
            };
            let wrong = if observed.is_wrong() && matches!(outcome, Outcome::Proved) {
                "WRONG"
            } else {
                ""
            };
            println!(
                "{name} | {} #{} | {outcome} | {observed:?} | {wrong} | {:.2} s + {:.2} s\n{}",
                site.kind.name,
                site.number,
                observing.as_secs_f64(),
                (begin.elapsed() - observing).as_secs_f64(),
                difference(&original, &text)
            );
        }
    });
}

/// The lines in which two texts differ.
fn difference(before: &str, after: &str) -> String {
    let [old, new] = [before, after].map(|text| text.lines().collect::<Vec<_>>());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail =
        old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let show = |sign: &str, lines: &[&str]| {
        let mut text = String::new();
        for line in lines.iter().take(5) {
            let line: String = line.trim_start().chars().take(220).collect();
            text += &format!("    {sign} {line}\n");
        }
        text
    };
    show("-", &old[head..old.len() - tail]) + &show("+", &new[head..new.len() - tail])
}

/// A number that a name is hashed to, so that statements are changed in different places.
fn seed_of(name: &str) -> u64 {
    name.bytes().fold(7, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)))
}
