//! Requests for inputs, as a user words them: a part of a file of our own, or a pipeline that stock
//! Halide compiles.
//!
//! A refusal names the option by which the command line words a request.

use std::path::{Path, PathBuf};

use crate::input::{Kind, Named};
use crate::refusal::Refusal;
use crate::stock::{Request, bridge};

/// A request in the user's words.
#[derive(Clone, Debug, Default)]
pub struct Wording {
    /// The file; with a generator, its parameters.
    pub words: Vec<PathBuf>,
    /// The chosen parts.
    pub named: Named,
    /// True if stock Halide compiles the file, or compiled it.
    pub is_stock: bool,
    /// The script of a pipeline.
    pub script: Option<PathBuf>,
    /// The executable of a generator, and its options.
    pub generator: Option<Generator>,
    /// The target of stock Halide.
    pub target: Option<String>,
    /// The final statement.
    pub statement: Option<PathBuf>,
    /// The statements after every pass.
    pub passes: Option<PathBuf>,
    /// Promises of callers.
    pub assumptions: Vec<String>,
}

/// A compiled generator, without its parameters.
#[derive(Clone, Debug)]
pub struct Generator {
    /// The executable.
    pub binary: PathBuf,
    /// The generator's name, if the executable has several.
    pub name: Option<String>,
    /// Libraries with autoschedulers.
    pub plugins: Vec<PathBuf>,
    /// True if it uses the scheduler by gradient descent.
    pub gradients: bool,
}

/// The input that a user wants.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// A part of a file of our own.
    Own(PathBuf),
    /// A pipeline that stock Halide compiles or compiled.
    Stock(Box<Request>),
}

/// Refuses a word after an option.
fn malformed(word: &str, option: &str, form: &str) -> Refusal {
    let message = format!("`{word}` is malformed after {option}");
    Refusal::without_place("HAL0906", message, &format!("write {form}"))
}

impl Wording {
    /// Finds out what is wanted.
    pub fn wanted(&self) -> Result<Wanted, Refusal> {
        let mut compiled = None;
        let origin = if let Some(generator) = &self.generator {
            let params: Vec<String> =
                self.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            if let Some(param) = params.iter().find(|param| !param.contains('=')) {
                return Err(malformed(param, "--generator", "its parameters as NAME=VALUE"));
            }
            let Generator { binary, name, plugins, gradients } = generator.clone();
            let generator = bridge::Generator { binary, name, params, plugins, gradients };
            bridge::Origin::Generator(generator)
        } else if let Some(script) = &self.script {
            if let Some(word) = self.words.first() {
                let word = word.display().to_string();
                return Err(malformed(&word, "--halide-script", "one script alone"));
            }
            bridge::Origin::Script(script.clone())
        } else {
            let [file] = self.words.as_slice() else {
                let word = self.words.last().map(|word| word.display().to_string());
                return Err(malformed(&word.unwrap_or_default(), "FILE", "one file"));
            };
            if !self.is_stock {
                self.check_own()?;
                return Ok(Wanted::Own(file.clone()));
            }
            if file.is_dir() {
                compiled = Some(file.clone());
            }
            let pipeline = compiled.as_deref().map_or_else(|| file.clone(), bridge::pipeline_in);
            bridge::Origin::File(pipeline)
        };
        let request = Request {
            job: bridge::Job { target: self.target.clone(), ..bridge::Job::of(origin) },
            statement: self.statement.clone(),
            compiled,
            dump: self.passes.clone(),
            assumptions: self.assumptions.clone(),
        };
        Kind::Stock.check(request.file(), &self.named)?;
        Kind::Stock.check_windows(request.file(), &self.named)?;
        Ok(Wanted::Stock(Box::new(request)))
    }

    /// Refuses what concerns stock Halide alone.
    fn check_own(&self) -> Result<(), Refusal> {
        let refused = |message: String, hint| Err(Refusal::without_place("HAL0906", message, hint));
        if self.passes.is_some() {
            return refused(
                "`--passes` is about what stock Halide compiled".to_owned(),
                "write `--halide` before the pipeline's file, or leave the file out to compare \
                 the statements of the dump",
            );
        }
        if let Some(target) = &self.target {
            return refused(
                format!("`--target {target}` is about what stock Halide compiles"),
                "leave it out: the proof of a program of our own holds on every target",
            );
        }
        if let Some(condition) = self.assumptions.first() {
            return refused(
                format!("`--assume {condition}` is about what stock Halide compiled"),
                "write `require` in a program of our own",
            );
        }
        Ok(())
    }
}

/// Finds the source of a pipeline that stock Halide compiles by the name of its file, and the
/// folder of a compile that was made before. `params` are for a generator, which may have a name.
pub fn origin(
    file: &Path,
    name: Option<&str>,
    params: Vec<String>,
) -> Result<(bridge::Origin, Option<PathBuf>), Refusal> {
    let file_name = file.display();
    let refused = |message: String, hint| Err(Refusal::without_place("HAL0906", message, hint));
    let (origin, compiled) = match file.extension().and_then(|extension| extension.to_str()) {
        _ if file.is_dir() => {
            (bridge::Origin::File(bridge::pipeline_in(file)), Some(file.to_owned()))
        }
        Some("py") => (bridge::Origin::Script(file.to_owned()), None),
        Some("hlpipe") => (bridge::Origin::File(file.to_owned()), None),
        Some("hal" | "atl" | "ir") => {
            return refused(
                format!("`{file_name}` is not compiled by stock Halide"),
                "`halidom validate FILE` judges every schedule by the algorithm, so two proved \
                 ones compute the same",
            );
        }
        Some(_) | None => {
            if let Some(word) = params.iter().find(|word| !word.contains('=')) {
                return Err(malformed(word, "--param", "NAME=VALUE"));
            }
            let (binary, name) = (file.to_owned(), name.map(str::to_owned));
            let (plugins, gradients) = (Vec::new(), false);
            let generator = bridge::Generator { binary, name, params, plugins, gradients };
            return Ok((bridge::Origin::Generator(generator), None));
        }
    };
    if let Some(word) = params.first() {
        return refused(
            format!("`{word}` is a generator's parameter, but `{file_name}` is not a generator"),
            "leave it out, or name a generator's executable",
        );
    }
    Ok((origin, compiled))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Wanted, Wording, origin};
    use crate::stock::bridge::Origin;

    #[test]
    fn a_file_is_our_own_unless_stock_halide_is_named() {
        let own = Wording { words: vec!["blur.hal".into()], ..Wording::default() };
        assert!(matches!(own.wanted(), Ok(Wanted::Own(file)) if file == Path::new("blur.hal")));
        let stock = Wording { is_stock: true, target: Some("host".into()), ..own.clone() };
        assert!(matches!(stock.wanted(), Ok(Wanted::Stock(_))));
        let target = Wording { target: Some("host".into()), ..own.clone() };
        let refusal = target.wanted().expect_err("a target is of stock Halide");
        assert!(refusal.to_string().contains("`--target host`"), "{refusal}");
        let none = Wording { words: Vec::new(), ..own };
        assert!(none.wanted().is_err());
    }

    #[test]
    fn parameters_are_of_generators() {
        let params = || vec!["a=1".to_owned()];
        assert!(matches!(
            origin(Path::new("gen"), None, params()),
            Ok((Origin::Generator(_), None))
        ));
        assert!(origin(Path::new("gen"), None, vec!["a".to_owned()]).is_err());
        assert!(origin(Path::new("blur.py"), None, params()).is_err());
        assert!(matches!(
            origin(Path::new("blur.py"), None, Vec::new()),
            Ok((Origin::Script(_), _))
        ));
        assert!(origin(Path::new("blur.hal"), None, Vec::new()).is_err());
    }
}
