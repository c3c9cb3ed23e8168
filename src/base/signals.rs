//! Ctrl-C, SIGTERM and SIGHUP (the terminal is gone): the first one asks the run to stop after its step, a later one kills.

use crate::base::error::{Error, Result};
use crate::base::ranks;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// Signals this close together are one: `timeout` and batch systems signal a process and its group.
const ONE: Duration = Duration::from_secs(1);

/// The number of the first signal; 0: none.
static NUMBER: AtomicI32 = AtomicI32::new(0);

/// Starts to listen; to be called once, at the start.
///
/// # Errors
/// When the system refuses.
pub fn install() -> Result<()> {
    let mut wanted = vec![SIGINT, SIGTERM];
    wanted.extend(hangs_up().then_some(SIGHUP));
    let mut signals =
        Signals::new(wanted).map_err(|err| Error::new(format!("cannot handle signals: {err}")))?;
    std::thread::spawn(move || {
        let mut first: Option<Instant> = None;
        for number in signals.forever() {
            if first.get_or_insert_with(Instant::now).elapsed() > ONE {
                // Fails only for signals that have no default action; these have.
                let _ = signal_hook::low_level::emulate_default_handler(number);
            }
            NUMBER.store(number, Ordering::Relaxed);
        }
    });
    Ok(())
}

/// Whether the end of the terminal is to end the run: not under `nohup`, which makes SIGHUP ignored. Where that cannot be
/// seen, the signal keeps its meaning.
fn hangs_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 << (SIGHUP - 1) == 0)
}

/// Whether the user has asked to stop: loops end at their next step, the script at its next command. Of several ranks all ask at the
/// same place, and stop there together, whichever of them the signal has reached.
pub fn interrupted() -> bool {
    if ranks::count() > 1 {
        let [number] = ranks::max([NUMBER.load(Ordering::Relaxed).into()]);
        NUMBER.store(number as i32, Ordering::Relaxed);
    }
    NUMBER.load(Ordering::Relaxed) != 0
}

/// The number of the signal that has reached this process.
pub fn signal() -> Option<u8> {
    u8::try_from(NUMBER.load(Ordering::Relaxed)).ok().filter(|number| *number != 0)
}
