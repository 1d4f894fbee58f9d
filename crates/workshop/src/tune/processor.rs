//! The machine that estimates are for: its name, caches and vectors, and its calibrated times.

use std::path::{Path, PathBuf};
use std::{env, fs};

use halidom_codegen::Target;
use halidom_cost::{Machine, Times};

/// The sizes of the caches if the system does not tell them.
const CACHES: [f64; 3] = [32.0 * 1024.0, 512.0 * 1024.0, 16.0 * 1024.0 * 1024.0];

/// The number of pages that a usual processor has at hand: it knows the addresses of more, but
/// fetches ahead in fewer.
const PAGES: f64 = 48.0;

/// Returns this machine with the times of its calibration, or else with the default ones, and true
/// if it was calibrated.
pub fn machine(threads: usize) -> (Machine, bool) {
    let fresh = uncalibrated(threads);
    let stored = path(&fresh.processor).and_then(|path| fs::read_to_string(path).ok());
    let times: Option<Times> = stored.and_then(|text| serde_json::from_str(&text).ok());
    match times {
        Some(times) => (Machine { times, ..fresh }, true),
        None => (fresh, false),
    }
}

/// Returns this machine with the default times.
pub(super) fn uncalibrated(threads: usize) -> Machine {
    let target = Target::host();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut caches = CACHES;
    for index in 0..6 {
        let folder = PathBuf::from(format!("/sys/devices/system/cpu/cpu0/cache/index{index}"));
        if let Some((level, bytes)) = cache(&folder) {
            caches[level - 1] = bytes;
        }
    }
    // Half of a cache is there for a working set; the rest is for what passes through.
    for cache in &mut caches {
        *cache *= 0.6;
    }
    caches[2] /= cores.max(1) as f64;
    let wide = target.vector_bytes() >= 64;
    Machine {
        processor: processor(),
        vector_bytes: target.vector_bytes() as f64,
        registers: if wide { 32.0 } else { 16.0 },
        caches,
        pages: PAGES,
        threads: cores,
        times: Times::default(),
    }
    .with_threads(threads)
}

/// Stores the times of this machine's processor.
///
/// # Errors
/// The user has no cache folder, or the file cannot be written.
pub(super) fn store(machine: &Machine) -> std::io::Result<PathBuf> {
    let path = path(&machine.processor)
        .ok_or_else(|| std::io::Error::other("there is no cache folder: `HOME` is not set"))?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let text = serde_json::to_string_pretty(&machine.times)?;
    let fresh = path.with_extension("new");
    fs::write(&fresh, text)?;
    fs::rename(&fresh, &path)?;
    Ok(path)
}

/// The file for a processor's times.
fn path(processor: &str) -> Option<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = variable("HALIDOM_CACHE_DIR")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("halidom")))
        .or_else(|| variable("HOME").map(|home| home.join(".cache").join("halidom")))?;
    let name: String = processor
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    Some(folder.join("times").join(format!("{name}.json")))
}

/// The level and the bytes of a cache that holds data.
fn cache(folder: &Path) -> Option<(usize, f64)> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let level: usize = read("level")?.trim().parse().ok()?;
    if read("type")?.trim() == "Instruction" || !(1..=3).contains(&level) {
        return None;
    }
    let size = read("size")?;
    let size = size.trim();
    let digits: String = size.chars().take_while(char::is_ascii_digit).collect();
    let unit = match size.strip_prefix(digits.as_str())? {
        "K" => 1024.0,
        "M" => 1024.0 * 1024.0,
        _ => 1.0,
    };
    Some((level, digits.parse::<f64>().ok()? * unit))
}

/// The processor's name and what tells its kinds apart.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |key: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_owned())
    };
    let name = value("model name").unwrap_or_else(|| env::consts::ARCH.to_owned());
    let number = value("model").unwrap_or_default();
    format!("{name} {number}").trim().to_owned()
}
