//! Ctrl-C and SIGTERM: the first one asks the run to stop after its step, the second one kills.

use crate::error::{Error, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// Set by the first signal.
static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// The number of the last signal; 0: none.
static NUMBER: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

/// Installs the handlers; to be called once, at the start.
///
/// # Errors
/// When the system refuses.
pub fn install() -> Result<()> {
    for signal in [SIGINT, SIGTERM] {
        // In this order: what a signal finds already set by an earlier one kills.
        flag::register_conditional_default(signal, STOP.clone())
            .and_then(|_| flag::register(signal, STOP.clone()))
            .and_then(|_| flag::register_usize(signal, NUMBER.clone(), signal as usize))
            .map_err(|err| Error::new(format!("cannot handle signals: {err}")))?;
    }
    Ok(())
}

/// Whether the user has asked to stop: loops end at their next step, the script at its next command.
pub fn interrupted() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// The number of the signal that [`interrupted`] speaks of.
pub fn signal() -> Option<u8> {
    u8::try_from(NUMBER.load(Ordering::Relaxed)).ok().filter(|number| *number != 0)
}
