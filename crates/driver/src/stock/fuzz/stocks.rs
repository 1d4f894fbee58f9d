//! What Halide compiles of random programs, for those who look at it otherwise than [`super::run`].

use std::fs;

use halidom_halide::bridge::{self, Artifacts, Each};

use super::examine::{SCRIPT, script_of};
use super::{BATCH, FuzzError};
use crate::stock::{self, Stock};

/// Lets Halide compile random programs from a seed on, and shows what it made of each that has a script, that Halide takes, and whose statement is translated. Returns how many these were.
///
/// What is shown can be run as long as it is.
pub fn each_stock(
    seed: u64,
    programs: u64,
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
            let Ok(script) = script_of(&crate::fuzz::text(seed, 1)) else { continue };
            let folder = place.path().join(format!("{number:06}"));
            fs::create_dir(&folder).map_err(bridge::BridgeError::from)?;
            fs::write(folder.join(SCRIPT), script).map_err(bridge::BridgeError::from)?;
            written.push((seed, folder));
        }
        bridge::each(Each::Settle, place.path())?;
        if written.iter().any(|(_, folder)| folder.join("factored.txt").is_file()) {
            bridge::each(Each::Specify, place.path())?;
        }
        for (seed, folder) in written {
            // What Halide refuses, and what is not translated, other tests count.
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
