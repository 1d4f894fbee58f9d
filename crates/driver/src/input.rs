//! The inputs that can be compiled and judged, and the one way to open them.
//!
//! An input is a `.hal` file of pipelines and schedules, an `.atl` file of derivations, an `.ir`
//! file of one algorithm and its program, or a pipeline that stock Halide compiles. [`Input::open`]
//! tells them apart; [`Input::compile`] makes a [`Subject`] of any of them.

use std::path::Path;

use halidom_diag::{Code, Diagnostic, Severity, Sources};
use halidom_halide::bridge::{Job, Origin};
use halidom_ir::FuncId;
use halidom_lang::Pipeline;

use crate::compile::Observer;
use crate::derive;
use crate::inspect;
use crate::phases::{self, Phase};
pub use crate::refusal::Refusal;
use crate::source::{self, Choice, Loaded};
use crate::stock::{self, Request, Stock};
use crate::subject::{self, Subject};

/// An input that was read.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a command has one input")]
pub enum Input {
    /// Pipelines with schedules. Warnings are among the module's diagnostics.
    Pipelines(Loaded),
    /// Derivations in the tensor language ATL.
    Derivations(derive::Loaded),
    /// One program in the text form of the IR, with its algorithm.
    Program(Box<Subject>),
    /// A pipeline that stock Halide compiled.
    Stock(Box<Stock>),
}

/// The kind of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `.hal`, and every other name.
    Pipelines,
    /// `.atl`.
    Derivations,
    /// `.ir`.
    Program,
    /// `.hlpipe`, or a Python script `.py`.
    Stock,
}

/// The names that choose a part of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// A pipeline.
    pub pipeline: Option<String>,
    /// A schedule.
    pub schedule: Option<String>,
    /// A derivation.
    pub derivation: Option<String>,
    /// The inputs that get windows ([`crate::windows`]).
    pub windows: Vec<String>,
    /// The part of the pipeline that is compiled.
    pub phase: Phase,
}

impl Named {
    /// The name of a schedule alone.
    pub fn schedule(name: &str) -> Self {
        Self { schedule: Some(name.to_owned()), ..Self::default() }
    }
}

/// A chosen part of an input.
#[derive(Clone, Debug)]
pub enum Chosen {
    /// A pipeline under a schedule.
    Schedule(Choice),
    /// The derivation with this number.
    Derivation(usize),
    /// The whole input.
    Whole,
}

/// The hint for a file without pipelines.
const NO_PIPELINE: &str =
    "write `pipeline name(…) -> …`; a program is a file `.hal`, derivations are a file `.atl`";

/// The name for a window that stands for every input.
const EVERY: &str = "*";

/// The name of a text that is not in a file.
const TEXT: &str = "text";

impl Kind {
    /// Tells by its name what a file holds.
    pub fn of(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("atl") => Self::Derivations,
            Some("ir") => Self::Program,
            Some("hlpipe" | "py") => Self::Stock,
            Some(_) | None => Self::Pipelines,
        }
    }

    /// Refuses names of parts that no file of this kind has.
    pub fn check(self, path: &Path, named: &Named) -> Result<(), Refusal> {
        let Named { pipeline, schedule, derivation, windows: _, phase: _ } = named;
        let of_pipeline = schedule.as_ref().or(pipeline.as_ref());
        let path = path.display();
        let (message, hint) = match (self, of_pipeline, derivation) {
            (Self::Program, Some(name), _) | (Self::Program, None, Some(name)) => (
                format!("`{path}` is one program: there is no `{name}` to choose"),
                "leave out `-p`, `-s` and `-d`",
            ),
            (Self::Stock, Some(name), _) | (Self::Stock, None, Some(name)) => (
                format!("stock Halide compiles one pipeline: there is no `{name}` to choose"),
                "leave out `-p`, `-s` and `-d`",
            ),
            (Self::Pipelines, _, Some(name)) => (
                format!("`{path}` has pipelines: there is no derivation `{name}`"),
                "choose with `-p` and `-s`",
            ),
            (Self::Derivations, Some(name), _) => (
                format!("`{path}` has derivations: there is no pipeline or schedule `{name}`"),
                "choose with `-d`",
            ),
            (Self::Pipelines | Self::Derivations | Self::Program | Self::Stock, _, _) => {
                return Ok(());
            }
        };
        Err(Refusal::without_place("HAL0902", message, hint))
    }

    /// Refuses windows of inputs if the file has no pipelines of our own.
    pub fn check_windows(self, path: &Path, named: &Named) -> Result<(), Refusal> {
        let of_pipelines =
            named.windows.iter().chain(&named.phase.given).chain(&named.phase.compute);
        let (Some(name), false) = (of_pipelines.into_iter().next(), self == Self::Pipelines) else {
            return Ok(());
        };
        let message = format!("`{name}` is of pipelines, and `{}` has none", path.display());
        Err(Refusal::without_place("HAL0914", message, "give a `.hal` file"))
    }
}

impl Input {
    /// Reads a file of any kind. The installed Halide compiles a pipeline of stock Halide.
    pub fn open(path: &Path) -> Result<Self, Refusal> {
        match Kind::of(path) {
            Kind::Pipelines => pipelines(path).map(Self::Pipelines),
            Kind::Derivations => derivations(path).map(Self::Derivations),
            Kind::Program => subject::program(path).map(|subject| Self::Program(Box::new(subject))),
            Kind::Stock => {
                let file = path.to_owned();
                let is_script = path.extension().is_some_and(|extension| extension == "py");
                let origin = if is_script { Origin::Script(file) } else { Origin::File(file) };
                Self::of_stock(&Request::of_job(Job::of(origin)))
            }
        }
    }

    /// Reads a text of pipelines and schedules, as a `.hal` file has it.
    pub fn text(text: &str) -> Result<Self, Refusal> {
        self::text(TEXT, text).map(Self::Pipelines)
    }

    /// Reads a pipeline and stock Halide's compilation of it: the file, script or generator of a
    /// request.
    pub fn of_stock(request: &Request) -> Result<Self, Refusal> {
        stock::read(request).map(|stock| Self::Stock(Box::new(stock)))
    }

    /// Warnings about the input, with the texts that they refer to.
    pub fn warnings(&self) -> Option<(&Sources, &[Diagnostic])> {
        match self {
            Self::Pipelines(loaded) => Some((&loaded.sources, &loaded.module.diagnostics)),
            Self::Derivations(_) | Self::Program(_) | Self::Stock(_) => None,
        }
    }

    /// Cuts out the named phase, and gives windows to the named inputs of the pipelines that names
    /// choose.
    pub fn open_windows(&mut self, named: &Named) -> Result<(), Refusal> {
        let Self::Pipelines(loaded) = self else { return Ok(()) };
        if !named.phase.is_whole() {
            let pipeline = loaded.pipeline(named.pipeline.as_deref());
            let pipeline = pipeline.map_err(refused_in(&loaded.sources))?;
            let schedule = loaded.schedule(pipeline, named.schedule.as_deref());
            let schedule = schedule.map_err(refused_in(&loaded.sources))?;
            let choice = Choice { pipeline, schedule };
            phases::cut(loaded, &choice, &named.phase)
                .map_err(|diagnostics| Refusal::new(loaded.sources.clone(), diagnostics))?;
        }
        if named.windows.is_empty() {
            return Ok(());
        }
        let numbers = match &named.pipeline {
            Some(name) => {
                let number = loaded.pipeline(Some(name));
                vec![number.map_err(refused_in(&loaded.sources))?]
            }
            None => (0..loaded.module.pipelines.len()).collect(),
        };
        for name in named.windows.iter().filter(|name| *name != EVERY) {
            let pipelines = numbers.iter().map(|number| &loaded.module.pipelines[*number]);
            if !pipelines.clone().any(|one| input_of(loaded, one, name).is_some()) {
                let inputs = pipelines.flat_map(|one| &one.algorithm.inputs);
                let names: Vec<String> = inputs
                    .map(|input| format!("`{}`", loaded.module.pool.func(*input).name))
                    .collect();
                let message = format!("no pipeline has an input `{name}` for a window");
                let hint = format!("inputs are {}", names.join(", "));
                return Err(Refusal::without_place("HAL0914", message, &hint));
            }
        }
        for number in numbers {
            let pipeline = &loaded.module.pipelines[number];
            let inputs = if named.windows.iter().any(|name| name == EVERY) {
                pipeline.algorithm.inputs.iter().copied().collect()
            } else {
                let windows = named.windows.iter();
                windows.filter_map(|name| input_of(loaded, pipeline, name)).collect()
            };
            loaded.open_windows(number, &inputs);
        }
        Ok(())
    }

    /// The parts that names choose. Where no name is given, all of them.
    pub fn all(&self, named: &Named) -> Result<Vec<Chosen>, Refusal> {
        match self {
            Self::Pipelines(loaded) => {
                let choices = schedules(loaded, named).map_err(refused_in(&loaded.sources))?;
                Ok(choices.into_iter().map(Chosen::Schedule).collect())
            }
            Self::Derivations(loaded) => {
                let chosen = loaded.chosen(named.derivation.as_deref());
                let chosen = chosen.map_err(refused_in(&loaded.sources))?;
                Ok(chosen.into_iter().map(Chosen::Derivation).collect())
            }
            Self::Program(_) | Self::Stock(_) => Ok(vec![Chosen::Whole]),
        }
    }

    /// The part that names choose. A name may be left out where there is one only; without a
    /// schedule's name, the pipeline is unscheduled.
    pub fn one(&self, named: &Named) -> Result<Chosen, Refusal> {
        match self {
            Self::Pipelines(loaded) => {
                let choice = loaded.pipeline(named.pipeline.as_deref()).and_then(|pipeline| {
                    let schedule = loaded.schedule(pipeline, named.schedule.as_deref())?;
                    Ok(Choice { pipeline, schedule })
                });
                choice.map(Chosen::Schedule).map_err(refused_in(&loaded.sources))
            }
            Self::Derivations(loaded) => {
                let only = loaded.one(named.derivation.as_deref());
                only.map(Chosen::Derivation).map_err(refused_in(&loaded.sources))
            }
            Self::Program(_) | Self::Stock(_) => Ok(Chosen::Whole),
        }
    }

    /// Compiles a part, or takes the program as the input has it. `observe` is called after every
    /// stage.
    pub fn compile(&mut self, chosen: &Chosen, observe: Observer<'_>) -> Result<Subject, Refusal> {
        match (self, chosen) {
            (Self::Pipelines(loaded), Chosen::Schedule(choice)) => {
                subject::compiled(loaded, choice, observe)
                    .map_err(|diagnostics| Refusal::new(loaded.sources.clone(), diagnostics))
            }
            (Self::Derivations(loaded), Chosen::Derivation(number)) => loaded
                .lower(*number, observe)
                .map(|lowered| subject::derived(loaded, *number, lowered))
                .map_err(|diagnostics| Refusal::new(loaded.sources.clone(), diagnostics)),
            (Self::Program(subject), Chosen::Whole) => Ok((**subject).clone()),
            (Self::Stock(stock), Chosen::Whole) => Ok(stock.subject.clone()),
            (
                Self::Pipelines(_) | Self::Derivations(_) | Self::Program(_) | Self::Stock(_),
                Chosen::Schedule(_) | Chosen::Derivation(_) | Chosen::Whole,
            ) => Err(Refusal::without_place(
                "HAL0902",
                "the choice is of another input",
                "choose a part of this input",
            )),
        }
    }

    /// The name of a part among all that are chosen: the schedule's, preceded by the pipeline's if
    /// there are several.
    pub fn key(&self, chosen: &Chosen, all: &[Chosen]) -> String {
        match (self, chosen) {
            (Self::Pipelines(loaded), Chosen::Schedule(choice)) => {
                let schedule = loaded.schedule_of(choice).name;
                let is_same = |other: &Chosen| match other {
                    Chosen::Schedule(other) => other.pipeline == choice.pipeline,
                    Chosen::Derivation(_) | Chosen::Whole => true,
                };
                if all.iter().all(is_same) {
                    return schedule;
                }
                let pipeline = &loaded.module.pipelines[choice.pipeline];
                format!("{}.{schedule}", pipeline.algorithm.name)
            }
            (Self::Derivations(loaded), Chosen::Derivation(number)) => {
                loaded.file.derivations[*number].name.text.clone()
            }
            (Self::Program(subject), _) => subject.pipeline.clone(),
            (Self::Stock(_), _) => "halide".to_owned(),
            (Self::Pipelines(_) | Self::Derivations(_), _) => String::new(),
        }
    }

    /// The loop nest of a pipeline under a schedule, as text.
    pub fn loop_nest(&mut self, chosen: &Chosen) -> Option<String> {
        match (self, chosen) {
            (Self::Pipelines(loaded), Chosen::Schedule(choice)) => {
                inspect::inspect(loaded, choice, false).ok().map(|found| found.loop_nest)
            }
            (
                Self::Pipelines(_) | Self::Derivations(_) | Self::Program(_) | Self::Stock(_),
                Chosen::Schedule(_) | Chosen::Derivation(_) | Chosen::Whole,
            ) => None,
        }
    }
}

/// The input of a pipeline with a name.
fn input_of(loaded: &Loaded, pipeline: &Pipeline, name: &str) -> Option<FuncId> {
    let mut inputs = pipeline.algorithm.inputs.iter().copied();
    inputs.find(|input| loaded.module.pool.func(*input).name == name)
}

/// Reads a file of pipelines. A file with errors, or without a pipeline, is refused.
pub fn pipelines(path: &Path) -> Result<Loaded, Refusal> {
    accepted(&path.display().to_string(), source::load(path)?)
}

/// Reads a text of pipelines and schedules, with a name for diagnostics. A text with errors, or
/// without a pipeline, is refused.
pub fn text(name: &str, text: impl Into<String>) -> Result<Loaded, Refusal> {
    accepted(name, source::parse(name, text))
}

/// Reads a file of derivations. A file with errors, or without a derivation, is refused.
pub fn derivations(path: &Path) -> Result<derive::Loaded, Refusal> {
    derive::load(path)
}

/// Refuses pipelines with errors, and a text without any pipeline.
fn accepted(name: &str, loaded: Loaded) -> Result<Loaded, Refusal> {
    let Loaded { sources, module, .. } = &loaded;
    if module.has_errors() {
        return Err(Refusal::new(sources.clone(), module.diagnostics.clone()));
    }
    if module.pipelines.is_empty() {
        let message = format!("`{name}` has no pipeline");
        let last = Diagnostic::without_place(Severity::Error, Code("HAL0901"), message);
        let mut diagnostics = module.diagnostics.clone();
        diagnostics.push(last.with_hint(NO_PIPELINE));
        return Err(Refusal { is_empty: true, ..Refusal::new(sources.clone(), diagnostics) });
    }
    Ok(loaded)
}

/// The pipelines under the schedules that names choose.
fn schedules(loaded: &Loaded, named: &Named) -> Result<Vec<Choice>, Diagnostic> {
    let pipelines = match &named.pipeline {
        Some(name) => vec![loaded.pipeline(Some(name))?],
        None if named.schedule.is_some() => vec![loaded.pipeline(None)?],
        None => (0..loaded.module.pipelines.len()).collect(),
    };
    let mut choices = Vec::new();
    for pipeline in pipelines {
        match &named.schedule {
            Some(name) => {
                choices.push(Choice { pipeline, schedule: loaded.schedule(pipeline, Some(name))? })
            }
            None => {
                let count = loaded.module.pipelines[pipeline].schedules.len();
                let schedules = std::iter::once(None).chain((0..count).map(Some));
                choices.extend(schedules.map(|schedule| Choice { pipeline, schedule }));
            }
        }
    }
    Ok(choices)
}

/// Makes a refusal of a diagnostic in these texts.
fn refused_in(sources: &Sources) -> impl FnOnce(Diagnostic) -> Refusal + '_ {
    |diagnostic| Refusal::new(sources.clone(), vec![diagnostic])
}
