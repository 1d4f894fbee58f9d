//! Texts and dumps of two releases of Halide.

use halidom_halide_ir::dump::DumpError;
use halidom_halide_ir::{Names, Release, dump, text};

/// A statement as each release prints it: casts and reductions differ.
const STATEMENTS: [(Release, &str); 2] = [
    (
        Release::V21,
        "let t = (uint8)p + (uint8)1\n\
        out[x] = int16(t*(uint8)2) + (int16)vector_reduce_add(int16x4(x4(t)))\n",
    ),
    (
        Release::V19,
        "let t = (uint8)p + (uint8)1\n\
        out[x] = int16((t*(uint8)2)) + (int16)vector_reduce_add(int16x4(x4((uint8)t)))\n",
    ),
];

#[test]
fn texts_of_both_releases_print_back() {
    for (release, statement) in STATEMENTS {
        let mut names = Names::new();
        let block =
            text::statement(statement, &mut names).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(text::print_as(release, &block, &names), statement);
        let other = Release::ALL.into_iter().find(|other| *other != release);
        let other = other.map(|other| text::print_as(other, &block, &names));
        assert_ne!(other.as_deref(), Some(statement));
    }
}

/// Editors and scripts change the line breaks at the end of a file. Everything else is refused.
#[test]
fn line_breaks_at_the_end_make_no_difference() {
    let (_, statement) = STATEMENTS[0];
    let line = Release::ALL[0].dump_line();
    let lossless =
        format!("{line}\n(target \"host\")\n(strict-float no)\n(statement\n (free \"a\"))\n");
    let reads = |text: &str, is_dump: bool| {
        let mut names = Names::new();
        if is_dump {
            let read = dump::read(text, &mut names).map_err(|error| error.at)?;
            return Ok(dump::print(&read, &names));
        }
        let read = text::statement(text, &mut names).map_err(|error| error.at)?;
        Ok::<String, usize>(text::print(&read, &names))
    };
    for (text, is_dump) in [(statement, false), (&*lossless, true)] {
        let body = text.trim_end();
        for end in ["", "\n", "\n\n", "\n\n\n", "\n \n"] {
            assert_eq!(reads(&format!("{body}{end}"), is_dump).as_deref(), Ok(text), "{end:?}");
        }
        for end in [" ", " \n", "\r\n", "\n\n)", "\n\nassert(x, y)\n"] {
            let wrong = format!("{body}{end}");
            let at = reads(&wrong, is_dump).expect_err("this end is refused");
            assert!(at <= wrong.len(), "{end:?}: {at}");
        }
        // A text that is cut short stays refused.
        assert!(reads(&body[..body.len() - 1], is_dump).is_err());
        assert!(reads("", is_dump).is_err() && reads("\n", is_dump).is_err());
    }
}

/// A text is that of one release: it does not mix their notations.
#[test]
fn a_text_of_both_releases_at_once_is_refused() {
    let mut names = Names::new();
    let mixed = "out[x] = int16((t*(uint8)2)) + int16((uint8)p + (uint8)1)\n";
    assert!(text::statement(mixed, &mut names).is_err());
}

#[test]
fn dumps_name_their_release() {
    for release in Release::ALL {
        let text = format!(
            "{}\n(target \"host\")\n(strict-float no)\n(statement\n (free \"a\"))\n",
            release.dump_line()
        );
        let mut names = Names::new();
        let read = dump::read(&text, &mut names).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((read.release, dump::print(&read, &names)), (release, text.clone()));
        assert_eq!(Release::of_version(release.version()), Some(release));
        let other = text.replace(release.version(), "20.0.0");
        let DumpError { at, what } = dump::read(&other, &mut names).expect_err("no such release");
        assert!(at == 0 && what.contains("19.0.0") && what.contains("21.0.0"), "{what}");
    }
    assert_eq!(Release::of_version("20.0.0"), None);
}
