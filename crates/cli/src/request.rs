//! The requests in the options of `run`, as data.

use std::path::PathBuf;

use halidom_driver::data::{Request, Source};
use halidom_driver::files::Channels;

use crate::args::{DataArgs, RunArgs};

/// An option whose value is malformed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    pub(crate) option: &'static str,
    pub(crate) value: String,
    pub(crate) form: &'static str,
}

pub(crate) fn request(args: &DataArgs) -> Result<Request, Malformed> {
    Ok(Request {
        params: args
            .params
            .iter()
            .map(|value| pair("--set", value, "NAME=VALUE"))
            .collect::<Result<_, _>>()?,
        inputs: args.inputs.iter().map(|value| input(value)).collect::<Result<_, _>>()?,
        random: args.random,
        size: args.size.as_ref().map(|value| size("--size", value)).transpose()?,
        input_sizes: args
            .input_sizes
            .iter()
            .map(|value| input_size(value))
            .collect::<Result<_, _>>()?,
    })
}

/// The file for each output: `FILE` for a single output, `NAME=FILE` for each of several.
pub(crate) fn outputs(
    args: &RunArgs,
    names: &[String],
) -> Result<Vec<(usize, PathBuf)>, Malformed> {
    let place = |value: &String| {
        let named = value
            .split_once('=')
            .and_then(|(name, file)| Some((names.iter().position(|known| known == name)?, file)));
        match (named, names.len()) {
            (Some((number, file)), _) => Ok((number, PathBuf::from(file))),
            (None, 1) => Ok((0, PathBuf::from(value))),
            (None, _) => {
                Err(malformed("--output", value, "NAME=FILE, as the pipeline has several outputs"))
            }
        }
    };
    args.output.iter().map(place).collect()
}

fn malformed(option: &'static str, value: &str, form: &'static str) -> Malformed {
    Malformed { option, value: value.to_owned(), form }
}

fn pair(
    option: &'static str,
    value: &str,
    form: &'static str,
) -> Result<(String, String), Malformed> {
    match value.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(malformed(option, value, form)),
    }
}

fn input(value: &str) -> Result<(String, Source), Malformed> {
    let form = "NAME=FILE, NAME=random:SEED or NAME=zeros";
    let (name, place) = pair("--input", value, form)?;
    let source = if place == "zeros" {
        Source::Zeros
    } else if let Some(seed) = place.strip_prefix("random:") {
        Source::Random(seed.parse().map_err(|_| malformed("--input", value, form))?)
    } else if let Some(path) = place.strip_suffix(":gray").or(place.strip_suffix(":grey")) {
        Source::File { path: PathBuf::from(path), channels: Channels::Grey }
    } else {
        Source::File { path: PathBuf::from(place), channels: Channels::All }
    };
    Ok((name, source))
}

fn input_size(value: &str) -> Result<(String, Vec<i64>), Malformed> {
    let (name, extents) = pair("--input-size", value, "NAME=E0xE1…")?;
    Ok((name, size("--input-size", &extents)?))
}

/// Numbers joined by `x`, each from 0 to 2^31 - 1.
fn size(option: &'static str, value: &str) -> Result<Vec<i64>, Malformed> {
    let extent = |text: &str| text.parse::<i32>().ok().filter(|extent| *extent >= 0).map(i64::from);
    let extents: Option<Vec<i64>> = value.split('x').map(extent).collect();
    extents.ok_or_else(|| {
        malformed(option, value, "numbers from 0 to 2147483647 joined by `x`, such as 640x427")
    })
}

#[cfg(test)]
mod tests {
    use super::{input, size};
    use halidom_driver::data::Source;

    #[test]
    fn sizes_are_joined_by_x() {
        assert_eq!(size("--size", "640x427x3"), Ok(vec![640, 427, 3]));
        for bad in ["", "640x", "-1x2", "axb", "1X2", "99999999999"] {
            assert!(size("--size", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn inputs_name_their_source() {
        assert_eq!(input("a=zeros"), Ok(("a".to_owned(), Source::Zeros)));
        assert_eq!(input("a=random:7"), Ok(("a".to_owned(), Source::Random(7))));
        assert!(input("a=random:x").is_err());
        assert!(input("zeros").is_err());
    }
}
