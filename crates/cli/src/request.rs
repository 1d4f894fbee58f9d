//! The requests in the options of `run`, as data.

use std::path::PathBuf;

use halidom_driver::data::{Request, Source};
use halidom_driver::files::Channels;

use crate::args::DataArgs;

/// An option whose value is malformed, or that contradicts another one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    pub(crate) message: String,
    pub(crate) hint: String,
}

pub(crate) fn request(args: &DataArgs) -> Result<Request, Malformed> {
    let params = args.params.iter().map(|value| pair("--set", value, "NAME=VALUE"));
    let inputs = args.inputs.iter().map(|value| input(value));
    let input_sizes = args.input_sizes.iter().map(|value| input_size(value));
    Ok(Request {
        params: once("--set", params.collect::<Result<_, _>>()?)?,
        inputs: once("--input", inputs.collect::<Result<_, _>>()?)?,
        random: args.random,
        size: args.size.as_ref().map(|value| size("--size", value)).transpose()?,
        input_sizes: once("--input-size", input_sizes.collect::<Result<_, _>>()?)?,
    })
}

/// The parts of a value of `--output`: `NAME=FILE`, or `FILE`. No name contains a `/`.
pub(crate) fn output(value: &str) -> (Option<&str>, PathBuf) {
    match value.split_once('=') {
        Some((name, file)) if !name.contains('/') => (Some(name), PathBuf::from(file)),
        Some(_) | None => (None, PathBuf::from(value)),
    }
}

/// The file for each output: `FILE` for a single output, `NAME=FILE` for each of several.
pub(crate) fn outputs(
    values: &[String],
    names: &[String],
) -> Result<Vec<(usize, PathBuf)>, Malformed> {
    let place = |value: &String| {
        let (name, file) = output(value);
        let number = match name {
            Some(name) => {
                let number = names.iter().position(|known| known == name);
                number.ok_or_else(|| Malformed {
                    message: format!("there is no output `{name}` for `--output {value}`"),
                    hint: format!(
                        "name one of `{}`; a file with `=` in its name is `./{value}`",
                        names.join("`, `")
                    ),
                })?
            }
            None if names.len() == 1 => 0,
            None => {
                let form = "NAME=FILE, as the pipeline has several outputs";
                return Err(malformed("--output", value, form));
            }
        };
        Ok((names[number].clone(), (number, file)))
    };
    let places = values.iter().map(place).collect::<Result<_, _>>()?;
    Ok(once("--output", places)?.into_iter().map(|(_, place)| place).collect())
}

/// Refuses two values of an option for one name.
fn once<T>(option: &str, values: Vec<(String, T)>) -> Result<Vec<(String, T)>, Malformed> {
    let twice =
        |number: &usize| values[..*number].iter().any(|(name, _)| *name == values[*number].0);
    match (0..values.len()).find(twice) {
        Some(number) => Err(Malformed {
            message: format!("`{option}` gives `{}` twice", values[number].0),
            hint: "give it once".to_owned(),
        }),
        None => Ok(values),
    }
}

fn malformed(option: &str, value: &str, form: &str) -> Malformed {
    Malformed {
        message: format!("`{value}` is malformed after {option}"),
        hint: format!("write {form}"),
    }
}

fn pair(option: &str, value: &str, form: &str) -> Result<(String, String), Malformed> {
    match value.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(malformed(option, value, form)),
    }
}

/// The file that a value of `--input` names, if it names one.
pub(crate) fn input_file(value: &str) -> Option<PathBuf> {
    match input(value) {
        Ok((_, Source::File { path, channels: _ })) => Some(path),
        Ok((_, Source::Zeros | Source::Random(_) | Source::Array(_))) | Err(_) => None,
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
fn size(option: &str, value: &str) -> Result<Vec<i64>, Malformed> {
    let extent = |text: &str| text.parse::<i32>().ok().filter(|extent| *extent >= 0).map(i64::from);
    let extents: Option<Vec<i64>> = value.split('x').map(extent).collect();
    extents.ok_or_else(|| {
        malformed(option, value, "numbers from 0 to 2147483647 joined by `x`, such as 640x427")
    })
}

#[cfg(test)]
mod tests {
    use super::{input, outputs, size};
    use halidom_driver::data::Source;
    use std::path::PathBuf;

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

    #[test]
    fn an_output_has_one_file() {
        let given = |values: &[&str], names: &[&str]| {
            let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
            let (values, names): (Vec<String>, Vec<String>) = (owned(values), owned(names));
            outputs(&values, &names).ok()
        };
        let file = |number: usize, name: &str| Some(vec![(number, PathBuf::from(name))]);
        assert_eq!(given(&["x.npy"], &["o"]), file(0, "x.npy"));
        assert_eq!(given(&["p=x.npy"], &["o", "p"]), file(1, "x.npy"));
        assert_eq!(given(&["./a=b.npy"], &["o"]), file(0, "./a=b.npy"));
        assert_eq!(given(&["nope=x.npy"], &["o"]), None);
        assert_eq!(given(&["a.npy", "b.npy"], &["o"]), None);
        assert_eq!(given(&["x.npy"], &["o", "p"]), None);
    }
}
