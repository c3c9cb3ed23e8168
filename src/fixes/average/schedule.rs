//! At which steps samples are taken: `Nevery Nrepeat Nfreq`.

use crate::base::error::Result;
use crate::script::Args;
use std::cell::Cell;

/// An average every `freq` steps, over `repeat` samples `every` steps apart, the last one at the step of the average.
pub(in crate::fixes) struct Schedule {
    /// Steps between samples.
    pub(in crate::fixes) every: i64,
    /// Samples of an average.
    pub(in crate::fixes) repeat: i64,
    /// Steps between averages.
    pub(in crate::fixes) freq: i64,
    /// No averages before this step.
    pub(in crate::fixes) start: i64,
    /// The step of the next sample.
    next: Cell<i64>,
    /// Samples of the current average that have been taken.
    taken: Cell<i64>,
    /// Whether samples need energies or virials of single atoms.
    tally: Cell<bool>,
}

impl Schedule {
    /// Takes `Nevery Nrepeat Nfreq`.
    ///
    /// # Errors
    /// At a word that is no number from 1 on; where averages do not come at samples, or samples of one begin before
    /// the one before is done.
    pub(in crate::fixes) fn read(args: &mut Args<'_>) -> Result<Self> {
        let every = args.count("steps between samples (Nevery)", 1)? as i64;
        let repeat = args.count("samples of an average (Nrepeat)", 1)? as i64;
        let word = args.word("steps between averages (Nfreq)")?;
        let freq = word.text.parse().ok().filter(|&freq: &i64| freq > 0);
        let freq = freq.ok_or_else(|| {
            let what = "steps between averages (Nfreq, an integer from 1 on)";
            args.error(word, format_args!("'{}' is not {what}", word.text)).label(format!("expected {what}"))
        })?;
        if freq % every != 0 {
            let message = format!("Nfreq {freq} is not a multiple of Nevery {every}");
            return Err(args.error(word, message).help("averages are made at steps of samples"));
        }
        if repeat.checked_mul(every).is_none_or(|length| length > freq) {
            let message =
                format!("{repeat} samples, {every} steps apart, do not fit into Nfreq {freq} steps");
            return Err(args.error(word, message).help("Nrepeat times Nevery must not be above Nfreq"));
        }
        Ok(Schedule {
            every,
            repeat,
            freq,
            start: 0,
            next: Cell::new(-1),
            taken: Cell::new(0),
            tally: Cell::new(false),
        })
    }

    /// At the beginning of a run: where samples were missed, the next average begins anew. `tally` is whether they need
    /// energies or virials of single atoms.
    pub(in crate::fixes) fn begin(&self, step: i64, tally: bool) {
        self.tally.set(tally);
        if self.next.get() >= step {
            return;
        }
        let Schedule { every, repeat, freq, start, .. } = *self;
        let mut end = (step / freq + 1) * freq;
        while end < start {
            end += freq;
        }
        // A single sample can be taken at the first step.
        let mut first = if end - freq == step && repeat == 1 { step } else { end - (repeat - 1) * every };
        if first < step {
            first += freq;
        }
        self.next.set(first);
        self.taken.set(0);
    }

    /// Whether samples need energies or virials of single atoms.
    pub(in crate::fixes) fn needs_tally(&self) -> bool {
        self.tally.get()
    }

    /// Whether a sample is due.
    pub(in crate::fixes) fn due(&self, step: i64) -> bool {
        self.next.get() == step
    }

    /// The step of the next sample after a step.
    pub(in crate::fixes) fn after(&self, step: i64) -> Option<i64> {
        Some(self.next.get()).filter(|&next| next > step)
    }

    /// Whether the next sample is the first of its average.
    pub(in crate::fixes) fn fresh(&self) -> bool {
        self.taken.get() == 0
    }

    /// A sample has been taken; whether it was the last one of its average.
    pub(in crate::fixes) fn taken(&self) -> bool {
        let complete = self.taken.get() + 1 == self.repeat;
        let apart = if complete { self.freq - (self.repeat - 1) * self.every } else { self.every };
        self.next.set(self.next.get() + apart);
        self.taken.set(if complete { 0 } else { self.taken.get() + 1 });
        complete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of samples, and whether they complete an average.
    fn samples(every: i64, repeat: i64, freq: i64, start: i64, from: i64) -> Vec<(i64, bool)> {
        let (next, taken, tally) = (Cell::new(-1), Cell::new(0), Cell::new(false));
        let schedule = Schedule { every, repeat, freq, start, next, taken, tally };
        schedule.begin(from, false);
        let sample = |_| (schedule.next.get(), schedule.taken());
        (0..4).map(sample).collect()
    }

    /// The manual's example: `2 6 100` samples 90, 92, ..., 100.
    #[test]
    fn samples_end_at_the_average() {
        let first = samples(2, 6, 100, 0, 0);
        assert_eq!(first, [(90, false), (92, false), (94, false), (96, false)]);
        assert_eq!(samples(10, 1, 10, 0, 20), [(20, true), (30, true), (40, true), (50, true)]);
        assert_eq!(samples(5, 2, 10, 0, 7), [(15, false), (20, true), (25, false), (30, true)]);
        assert_eq!(samples(5, 2, 10, 35, 7), [(35, false), (40, true), (45, false), (50, true)]);
    }
}
