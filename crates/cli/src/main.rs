//! The `halidom` binary.

use std::io::{ErrorKind, Stdout, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use halidom_verdict::Exit;
use mimalloc::MiMalloc;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// Proofs make many small terms: with this allocator they take an eighth less time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    // A signal that the caller ignores, as `nohup` does, stays ignored.
    let ending = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
    let signals = Signals::new(ending).ok();
    // Temporary files stand in one folder, so that a command that is cut off leaves none.
    let folder = tempfile::Builder::new().prefix("halidom-").tempdir().ok();
    let place = folder.as_ref().map(|folder| folder.path().to_owned());
    if let Some(place) = &place {
        // Another folder was chosen before only if this function ran before.
        let _ = tempfile::env::override_temp_dir(place);
    }
    if let Some(signals) = signals {
        let place = place.clone();
        thread::spawn(move || interrupted(signals, place.as_deref()));
    }
    thread::spawn(move || cut_off(place.as_deref()));
    // A panic is a defect of this program; Rust's exit status for it, 101, shows that.
    let mut out = Told { out: std::io::stdout(), lost: None };
    let status = halidom_cli::run(std::env::args_os(), &mut out, &mut std::io::stderr());
    // The command may have ended because its children did. The signal ends the process then.
    while IS_INTERRUPTED.load(Ordering::SeqCst) {
        thread::park();
    }
    drop(folder);
    ExitCode::from(out.end(status).code())
}

/// The standard output, with the first error that lost something.
struct Told {
    out: Stdout,
    lost: Option<std::io::Error>,
}

impl Told {
    /// Returns the exit status: success only if everything was written.
    fn end(mut self, status: Exit) -> Exit {
        // What fails is noted.
        let _ = self.flush();
        let Some(error) = self.lost else { return status };
        let _ = writeln!(
            std::io::stderr(),
            "error[HAL0805]: cannot write to the standard output: {error}\n  \
             = hint: check where it goes"
        );
        if status == Exit::Done { Exit::BadInput } else { status }
    }

    fn noted<T>(&mut self, result: std::io::Result<T>) -> std::io::Result<T> {
        // Who closes a pipe wants no more.
        if let Err(error) = &result
            && !matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::Interrupted)
        {
            self.lost.get_or_insert_with(|| error.kind().into());
        }
        result
    }
}

impl Write for Told {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let result = self.out.write(bytes);
        self.noted(result)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let result = self.out.flush();
        self.noted(result)
    }
}

/// Tests whether the caller ignores a signal, by the mask that Linux shows.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

/// True as soon as a signal ends the process.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Waits for a signal that ends the process. Ends its children and removes its folder before.
fn interrupted(mut signals: Signals, folder: Option<&Path>) {
    for signal in signals.forever() {
        if halidom_cli::has_own_signals() {
            continue;
        }
        IS_INTERRUPTED.store(true, Ordering::SeqCst);
        halidom_cli::end_children();
        remove(folder);
        // The process ends as if nothing had waited for the signal.
        let _ = emulate_default_handler(signal);
    }
}

/// The most attempts to remove a folder into which another thread may still write.
const ATTEMPTS: usize = 5;

/// Removes the folder of temporary files. What cannot be removed is left to the system.
fn remove(folder: Option<&Path>) {
    for folder in folder.into_iter().cycle().take(ATTEMPTS) {
        if std::fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            return;
        }
    }
}

/// Waits until a judgement exceeds its time limit, and ends the process then.
#[expect(clippy::exit, reason = "the thread that judges cannot be stopped")]
fn cut_off(folder: Option<&Path>) {
    let (text, exit) = halidom_cli::overdue();
    halidom_cli::end_children();
    let mut out = std::io::stdout().lock();
    // A closed pipe must not hide the status.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    remove(folder);
    std::process::exit(i32::from(exit.code()));
}
