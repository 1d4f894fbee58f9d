//! `halidom import`.

use halidom_diag::Sources;
use halidom_driver::stock::{self, Import};

use super::{ended, write};
use crate::args::ImportArgs;
use crate::output::{Ended, Output, Stop};

pub(crate) fn run(args: &ImportArgs, output: &mut Output<'_>) -> Ended {
    ended(import(args, output))
}

fn import(args: &ImportArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let imported = stock::import(&args.file);
    let Import { text, notes } = imported.map_err(|refusal| output.refused(&refusal))?;
    for note in &notes {
        output.diagnostic(&Sources::new(), note);
    }
    match &args.output {
        Some(path) => {
            write(path, text.as_bytes(), output)?;
            output.line(&format!("{}", path.display()));
        }
        None => output.line(&text),
    }
    output.set("text", text);
    Ok(Ended::Done)
}
