//! The subject of a judgement: a program, the algorithm that it should compute, and the origin of
//! both.

use std::collections::BTreeSet;
use std::path::Path;

use halidom_base::FxHashMap;
use halidom_diag::{Code, Diagnostic, FileId, Severity, Sources, Span};
use halidom_halide::bridge::Place;
use halidom_halide::translate::Contract;
use halidom_ir::verify::{self, Phase};
use halidom_ir::{Algorithm, FuncId, Pool, parse};

use crate::compile::{self, Compiled, Observer};
use crate::derive::{self, Lowered};
use crate::judge::Compiler;
use crate::refusal::Refusal;
use crate::source::{self, Choice, Loaded};
use crate::windows::Window;

/// A program with the algorithm that it should compute.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The pipeline, or the source program of a derivation.
    pub pipeline: String,
    /// The schedule or the derivation that made the program; empty if the program was given as a
    /// text.
    pub schedule: String,
    /// The owner of the following fields' nodes.
    pub pool: Pool,
    /// The algorithm to be computed.
    pub algorithm: Algorithm,
    /// The compiled program.
    pub compiled: Compiled,
    /// The inputs with windows.
    pub windows: Vec<Window>,
    /// The compiler that made it.
    pub compiler: Compiler,
    /// The source that a person wrote.
    pub origin: Origin,
}

/// The source that a person wrote, with the places of the algorithm's parts in it.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The file's name and text.
    pub sources: Sources,
    /// The file's text, if it contains more than the IR.
    pub text: String,
    /// The directives of the schedule, or the derivation.
    pub schedule: String,
    /// The places of funcs' definitions, and of stages that are written separately.
    spans: FxHashMap<(FuncId, Option<usize>), Span>,
    /// The places of the directives of funcs, in order, where they are known.
    directives: Vec<(FuncId, Span)>,
}

impl Origin {
    /// An origin whose texts contain no places of an algorithm.
    pub(crate) fn of(sources: Sources) -> Self {
        Self { sources, ..Self::default() }
    }

    /// The origin of a pipeline that a Python script makes by calls. The first definition of a func
    /// is its first stage, and the last one is every further stage.
    pub(crate) fn of_calls(
        mut sources: Sources,
        calls: &[Place],
        funcs: &[(String, FuncId)],
    ) -> Self {
        let mut files: FxHashMap<&Path, Option<FileId>> = FxHashMap::default();
        let (mut spans, mut directives) = (FxHashMap::default(), Vec::new());
        let mut stages: FxHashMap<FuncId, usize> = FxHashMap::default();
        for call in calls {
            let file = *files.entry(&call.file).or_insert_with(|| {
                let text = std::fs::read_to_string(&call.file).ok()?;
                Some(sources.add(call.file.display().to_string(), text))
            });
            let Some(span) = file.and_then(|file| line_of(&sources, file, call.line)) else {
                continue;
            };
            for (_, func) in funcs.iter().filter(|(name, _)| *name == call.func) {
                if call.directive.is_some() {
                    directives.push((*func, span));
                } else {
                    let stage = stages.entry(*func).or_default();
                    spans.insert((*func, Some(*stage)), span);
                    spans.insert((*func, None), span);
                    *stage += 1;
                }
            }
        }
        Self { sources, spans, directives, ..Self::default() }
    }
}

/// The text of a line.
fn line_of(sources: &Sources, file: FileId, number: usize) -> Option<Span> {
    let text = sources.text(file);
    let line = text.lines().nth(number.checked_sub(1)?)?;
    let begin = line.as_ptr() as usize - text.as_ptr() as usize;
    Some(Span::new(file, begin..begin + line.len()))
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The file.
    pub file: String,
    /// Its number, counted from 1.
    pub number: usize,
    /// Its text, without surrounding blanks.
    pub text: String,
}

impl Subject {
    /// The subject's title: `blur under tiled`.
    pub fn title(&self) -> String {
        if self.schedule.is_empty() {
            self.pipeline.clone()
        } else {
            format!("{} under {}", self.pipeline, self.schedule)
        }
    }

    /// The algorithm whose funcs the program computes.
    pub fn lowered(&self) -> &Algorithm {
        self.compiled.lowered(&self.algorithm)
    }

    /// The place of a stage's definition in the source. A func that a rewriting made has the place
    /// of the func with its name.
    pub fn definition(&self, func: FuncId, stage: usize) -> Option<Line> {
        let origin = &self.origin;
        let name = &self.pool.func(func).name;
        let namesake = || {
            let known = self.algorithm.funcs.iter().chain(&self.algorithm.inputs);
            known.copied().find(|known| self.pool.func(*known).name == *name)
        };
        let of = |func: FuncId| {
            let spans = &origin.spans;
            spans.get(&(func, Some(stage))).or_else(|| spans.get(&(func, None)))
        };
        let span = of(func).or_else(|| of(namesake()?)).copied()?;
        self.line(span)
    }

    /// The places of a func's directives, in order, each line once.
    pub fn directives(&self, func: FuncId) -> Vec<Line> {
        let own = self.origin.directives.iter().filter(|(known, _)| *known == func);
        let mut lines: Vec<Line> = own.filter_map(|(_, span)| self.line(*span)).collect();
        lines.dedup();
        lines
    }

    fn line(&self, span: Span) -> Option<Line> {
        let sources = &self.origin.sources;
        let number = sources.position(span).line;
        let text = sources.text(span.file).lines().nth(number - 1)?.trim().to_owned();
        Some(Line { file: sources.name(span.file).to_owned(), number, text })
    }
}

/// Compiles a pipeline under a schedule. `observe` is called after every stage.
pub fn compiled(
    loaded: &mut Loaded,
    choice: &Choice,
    observe: Observer<'_>,
) -> Result<Subject, Vec<Diagnostic>> {
    let compiled = compile::compile(loaded, choice, observe)?;
    let schedule = loaded.schedule_of(choice).name;
    let pipeline = &loaded.module.pipelines[choice.pipeline];
    let funcs = pipeline.func_spans.iter().map(|(func, span)| ((*func, None), *span));
    let stages =
        pipeline.stage_spans.iter().map(|((func, stage), span)| ((*func, Some(*stage)), *span));
    let directives = choice.schedule.map_or(&[][..], |number| &pipeline.schedules[number].spans);
    let mut lines = BTreeSet::new();
    for span in directives {
        let last = Span { start: span.end, ..*span };
        let line = |span: Span| loaded.sources.position(span).line;
        lines.extend(line(*span)..=line(last));
    }
    let text = loaded.sources.text(pipeline.span.file);
    let written = lines.iter().filter_map(|line| text.lines().nth(line - 1)).map(str::trim);
    let written: Vec<&str> = written.collect();
    Ok(Subject {
        pipeline: pipeline.algorithm.name.clone(),
        schedule,
        algorithm: pipeline.algorithm.clone(),
        compiled,
        windows: loaded.windows.to_vec(),
        compiler: Compiler::Halidom,
        origin: Origin {
            text: text.to_owned(),
            schedule: written.join("\n"),
            spans: funcs.chain(stages).collect(),
            directives: Vec::new(),
            sources: loaded.sources.clone(),
        },
        pool: loaded.module.pool.clone(),
    })
}

/// The subject for a lowered derivation.
pub fn derived(loaded: &derive::Loaded, number: usize, lowered: Lowered) -> Subject {
    let derivation = loaded.derivation(number);
    let Lowered { pool, algorithm, compiled } = lowered;
    let text = loaded.sources.text(derivation.name.span.file).to_owned();
    let origin = Origin { text, ..Origin::default() };
    let pipeline = derivation.of.text.clone();
    let schedule = derivation.name.text.clone();
    let compiler = Compiler::Halidom;
    let windows = Vec::new();
    Subject { pipeline, schedule, pool, algorithm, compiled, windows, compiler, origin }
}

/// Reads an algorithm and a program from a file in the form that `halidom lower` prints.
pub fn program(path: &Path) -> Result<Subject, Refusal> {
    program_text(&path.display().to_string(), &source::text(path)?)
}

/// Reads an algorithm and a program from a text. `name` stands for the text in diagnostics.
pub fn program_text(name: &str, text: &str) -> Result<Subject, Refusal> {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let module = match parse::module(text) {
        Ok(module) => module,
        Err(error) => {
            let place = Span::new(file, error.offset..error.offset);
            let message = format!("expected {}", error.expected);
            let diagnostic = Diagnostic::error(Code("HAL0910"), place, message)
                .with_hint("`halidom lower FILE.hal --stage final` prints such a text");
            return Err(Refusal::new(sources, vec![diagnostic]));
        }
    };
    let refuse = |message: String| {
        Diagnostic::without_place(Severity::Error, Code("HAL0911"), message)
            .with_hint("compare with what `halidom lower FILE.hal --stage final` prints")
    };
    let Some(program) = module.program else {
        let diagnostic = refuse(format!("`{name}` has an algorithm and no program"));
        return Err(Refusal::new(sources, vec![diagnostic]));
    };
    if module.algorithm.outputs.is_empty() {
        let message = format!("the algorithm of `{name}` has no output");
        let diagnostic = Diagnostic::without_place(Severity::Error, Code("HAL0911"), message)
            .with_hint("there is nothing to judge without one: write `output name;`");
        return Err(Refusal::new(sources, vec![diagnostic]));
    }
    let well_formed = verify::algorithm(&module.pool, &module.algorithm).and_then(|()| {
        verify::program(&module.pool, &program, Phase::Final).or_else(|violations| {
            verify::program(&module.pool, &program, Phase::Structured).map_err(|_| violations)
        })
    });
    if let Err(violations) = well_formed {
        let diagnostics = violations.iter().map(|violation| refuse(violation.to_string()));
        return Err(Refusal::new(sources, diagnostics.collect()));
    }
    let compiled = Compiled {
        structured: program.clone(),
        program,
        steps: Vec::new(),
        contract: Contract::default(),
        said: None,
        stages: Vec::new(),
    };
    Ok(Subject {
        pipeline: module.algorithm.name.clone(),
        schedule: String::new(),
        pool: module.pool,
        algorithm: module.algorithm,
        compiled,
        windows: Vec::new(),
        compiler: Compiler::Halidom,
        origin: Origin::of(sources),
    })
}
