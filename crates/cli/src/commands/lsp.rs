//! `halidom lsp`.

use halidom_lsp::serve;

use crate::output::{Ended, Output};

pub(crate) fn run(output: &mut Output<'_>) -> Ended {
    // Proofs run in processes of this program.
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            let message = format!("the path of this program is not known: {error}");
            return output.error("HAL0801", &message, "start it by its path").into();
        }
    };
    let served = serve(std::io::stdin(), std::io::stdout(), program);
    if served.failures > 0 {
        output.progress(&format!("{} handlers failed: report this", served.failures));
    }
    if served.in_order { Ended::Done } else { Ended::Amiss }
}
