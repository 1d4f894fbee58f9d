//! Estimates of a pipeline's schedules at the sizes of a request.

use halidom_cost::{Estimate, Estimator, Features, Known, Machine, NoEstimate, Problem, explain};
use halidom_driver::compile;
use halidom_driver::data::{self, Prepared, Request};
use halidom_driver::source::{Choice, Loaded};
use halidom_ir::{Algorithm, Pool, Schedule};

use super::error::TuneError;
use super::processor;

/// Estimates schedules of one algorithm.
pub struct Model {
    estimator: Estimator,
    machine: Machine,
}

impl Model {
    /// Makes a model for given data.
    pub fn new(pool: &Pool, algorithm: &Algorithm, prepared: &Prepared, machine: Machine) -> Self {
        let known: Known =
            pool.vars().filter_map(|(var, _)| Some((var, prepared.bindings.var(var)?))).collect();
        let window = |shape: &halidom_ir::Shape| -> halidom_cost::Box {
            shape.iter().map(|(min, extent)| (*min, min + extent - 1)).collect()
        };
        let windows: Vec<halidom_cost::Box> = prepared.windows.iter().map(window).collect();
        let problem = Problem::new(pool, algorithm, known, &windows);
        Self { estimator: Estimator::new(problem), machine }
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the features of a schedule.
    ///
    /// # Errors
    /// The reason why there is no estimate.
    pub fn features(&self, pool: &Pool, schedule: &Schedule) -> Result<Features, NoEstimate> {
        self.estimator.features(pool, schedule, &self.machine)
    }

    /// Returns the estimate for a schedule.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn estimate(&self, pool: &Pool, schedule: &Schedule) -> Result<Estimate, NoEstimate> {
        Ok(self.machine.estimate(&self.features(pool, schedule)?))
    }

    /// Returns the estimated nanoseconds of a schedule, and the instructions in its innermost
    /// loops.
    ///
    /// # Errors
    /// The reason why there is no estimate.
    pub fn time_and_code(
        &self,
        pool: &Pool,
        schedule: &Schedule,
    ) -> Result<(f64, f64), NoEstimate> {
        let features = self.features(pool, schedule)?;
        let code = features.stages.iter().map(halidom_cost::Stage::code).sum();
        Ok((self.machine.estimate(&features).total, code))
    }
}

/// The explanation of one schedule.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The schedule's name.
    pub schedule: String,
    /// The features, or the reason why there are none.
    pub features: Result<Features, NoEstimate>,
    /// The estimated nanoseconds.
    pub estimate: Option<f64>,
    /// The parts of the time.
    pub parts: Vec<explain::Part>,
    /// The words.
    pub lines: Vec<String>,
}

/// Explains these schedules, or all schedules of the pipeline if there are none.
///
/// # Errors
/// Returns the reason if the pipeline is refused or the data cannot be prepared.
pub fn explained(
    loaded: &Loaded,
    pipeline: usize,
    schedules: &[Option<usize>],
    request: &Request,
    threads: usize,
) -> Result<(Vec<Explained>, bool), TuneError> {
    let mut loaded = loaded.clone();
    let references = compile::references(&mut loaded, pipeline).map_err(TuneError::Refused)?;
    let algorithm = loaded.module.pipelines[pipeline].algorithm.clone();
    let prepared = data::prepare(&loaded.module.pool, &algorithm, &references, request)?;
    let (machine, is_calibrated) = processor::machine(threads);
    let model = Model::new(&loaded.module.pool, &algorithm, &prepared, machine);
    let count = loaded.module.pipelines[pipeline].schedules.len();
    let every: Vec<Option<usize>> = [None].into_iter().chain((0..count).map(Some)).collect();
    let chosen = if schedules.is_empty() { &every } else { schedules };
    let mut all = Vec::new();
    for schedule in chosen {
        let schedule = loaded.schedule_of(&Choice { pipeline, schedule: *schedule });
        let features = model.features(&loaded.module.pool, &schedule);
        let (estimate, parts, lines) = match &features {
            Ok(features) => (
                Some(model.machine.estimate(features).total),
                explain::parts(features, &model.machine),
                explain::explain(features, &model.machine),
            ),
            Err(reason) => (None, Vec::new(), vec![format!("no estimate: {reason}")]),
        };
        all.push(Explained { schedule: schedule.name, features, estimate, parts, lines });
    }
    Ok((all, is_calibrated))
}
