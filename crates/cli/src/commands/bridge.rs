//! `halidom bridge`.

use halidom_driver::stock;

use super::ended;
use crate::args::BridgeArgs;
use crate::output::{Ended, Output, Stop};

pub(crate) fn run(args: &BridgeArgs, output: &mut Output<'_>) -> Ended {
    ended(bridge(args, output))
}

fn bridge(args: &BridgeArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let library = stock::library(args.output.as_deref());
    let library = library.map_err(|refusal| output.refused(&refusal))?.display().to_string();
    output.line(&library);
    output.set("library", library);
    Ok(Ended::Done)
}
