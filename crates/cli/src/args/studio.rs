//! The arguments of `halidom studio`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct StudioArgs {
    /// The program (.hal), or an algorithm with a program in text form (.ir)
    pub(crate) file: PathBuf,
    /// The port on 127.0.0.1; a free one by default
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Open the page in a browser, with `xdg-open`
    #[arg(long)]
    pub(crate) open: bool,
}
