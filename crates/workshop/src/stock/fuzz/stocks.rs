//! Halide's compilations of random programs, for examinations other than [`super::run`].

use std::fs;

use halidom_halide::bridge::{self, Artifacts, Each};

use super::examine::{SCRIPT, script_of};
use super::{BATCH, FuzzError};
use halidom_driver::stock::{self, Stock};

/// Lets Halide compile random programs from a seed on, those whose seeds are wanted. Calls `visit`
/// for each program that has a script, that Halide accepts, and whose statement can be translated.
/// Returns the number of these programs.
///
/// A visited compilation can be run only during the call, while its folder exists.
pub fn each_stock(
    seed: u64,
    programs: u64,
    is_wanted: &dyn Fn(u64) -> bool,
    visit: &mut dyn FnMut(u64, &Stock),
) -> Result<u64, FuzzError> {
    let mut shown = 0;
    let mut first = 0;
    while first < programs {
        let last = (first + BATCH).min(programs);
        let place = tempfile::tempdir().map_err(bridge::BridgeError::from)?;
        let mut written = Vec::new();
        for number in first..last {
            let seed = seed.wrapping_add(number);
            if !is_wanted(seed) {
                continue;
            }
            let Ok(script) = script_of(&crate::fuzz::text(seed, 1)) else { continue };
            let folder = place.path().join(format!("{number:06}"));
            fs::create_dir(&folder).map_err(bridge::BridgeError::from)?;
            fs::write(folder.join(SCRIPT), script).map_err(bridge::BridgeError::from)?;
            written.push((seed, folder));
        }
        if written.is_empty() {
            first = last;
            continue;
        }
        bridge::each(Each::Settle, place.path())?;
        if written.iter().any(|(_, folder)| folder.join("factored.txt").is_file()) {
            bridge::each(Each::Specify, place.path())?;
        }
        for (seed, folder) in written {
            // Other tests count the programs that Halide refuses or that are not translated.
            let Ok(artifacts) = Artifacts::read(&folder, String::new()) else { continue };
            if let Ok(stock) = stock::of_script(&folder.join(SCRIPT), artifacts) {
                shown += 1;
                visit(seed, &stock);
            }
        }
        first = last;
    }
    Ok(shown)
}
