//! The chain of `fix nvt` by itself, for a thermostat that moves atoms in its own way.

use super::arguments::Settings;
use super::motion::Motion;
use crate::base::error::Result;
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::fix::{Header, StepContext};
use crate::session::snapshot::view::Snapshot;

/// What the script said of it, and where it is.
#[derive(Default)]
pub(in crate::fixes) struct Chained {
    settings: Settings,
    motion: Motion,
    /// It comes from a restart file, and has not run since.
    restored: bool,
}

impl Chained {
    /// Takes `temp TSTART TSTOP TDAMP` and the keywords of chains; `other` takes those that only the fix knows. A chain has
    /// one link unless the script says otherwise.
    ///
    /// # Errors
    /// At a word that does not fit, or without temperature.
    pub(in crate::fixes) fn read(
        header: &Header,
        session: &Session,
        args: &mut Args<'_>,
        mut other: impl FnMut(&Word, &mut Args<'_>) -> Result<bool>,
    ) -> Result<Self> {
        let mut settings = Settings::new(session)?;
        settings.links[0] = 1;
        while let Some(word) = args.peek() {
            args.word("a keyword")?;
            let pressures = ["iso", "aniso", "tri", "x", "y", "z", "xy", "xz", "yz", "couple"];
            if pressures.contains(&&*word.text) {
                return Err(
                    args.error(word, format_args!("fix {} does not control the pressure", header.style))
                );
            }
            if !other(word, args)? {
                settings.keyword(&word.text, session, args, header)?;
            }
        }
        if settings.thermostat.is_none() {
            let style = header.style;
            return Err(args.error_here(format_args!("fix {style} needs `temp TSTART TSTOP TDAMP`")));
        }
        Ok(Chained { motion: Motion::new(&settings), settings, restored: false })
    }

    /// The temperature and its degrees of freedom, just measured.
    pub(in crate::fixes) fn set_temperature(&mut self, temperature: f64, freedom: f64) {
        (self.motion.temperature, self.motion.freedom) = (temperature, freedom);
    }

    /// Target and masses at the beginning of a run, after a fraction of its span.
    pub(in crate::fixes) fn begin(&mut self, session: &Session, fraction: f64) {
        self.motion.begin_chain(&self.settings, session, fraction);
    }

    /// The target temperature after a fraction of the span.
    pub(in crate::fixes) fn set_target(&mut self, session: &Session, fraction: f64) {
        self.motion.set_target(&self.settings, session, fraction);
    }

    /// Half a step before positions move: the factor of thermal velocities is the first of [`Chained::factors`].
    pub(in crate::fixes) fn advance_before(&mut self, session: &Session) {
        self.motion.initial = [self.motion.advance_chain(&self.settings, session); 3];
    }

    /// Half a step at the end of one: the second of them.
    pub(in crate::fixes) fn advance_after(&mut self, session: &Session) {
        self.motion.end = [self.motion.advance_chain(&self.settings, session); 3];
    }

    /// What thermal velocities are multiplied by before the first kick and at the end of the step.
    pub(in crate::fixes) fn factors(&self) -> [f64; 2] {
        [self.motion.initial[0], self.motion.end[0]]
    }

    /// The time step, the kicks of the types, and what cl/fix/chain.cl reads at a step.
    pub(in crate::fixes) fn parameters(&self, now: &StepContext<'_>) -> Vec<f64> {
        self.motion.chain_parameters(&self.settings, [true; 3], now)
    }

    /// What cl/fix/chain.cl remembers.
    pub(in crate::fixes) fn numbers(&self) -> Vec<f64> {
        self.motion.chain_numbers()
    }

    /// Takes that, as it is after a fraction of the span.
    pub(in crate::fixes) fn take(&mut self, numbers: &[f64], session: &Session, fraction: f64) {
        self.motion.set_target(&self.settings, session, fraction);
        self.motion.take_chain(numbers);
    }

    /// As [`Chained::set_temperature`] at the beginning of a run: from a restart file it goes on with the temperature of the
    /// step that wrote it, from which the one that it finds differs by rounding and the box's last move.
    pub(in crate::fixes) fn find_temperature(&mut self, temperature: f64, freedom: f64) {
        let known = self.motion.temperature;
        let kept = std::mem::take(&mut self.restored) && (known - temperature).abs() <= 0.01 * temperature;
        self.set_temperature(if kept { known } else { temperature }, freedom);
    }

    /// What restart files keep.
    pub(in crate::fixes) fn kept(&self) -> Vec<f64> {
        self.motion.numbers()
    }

    /// The inverse of [`Chained::kept`].
    ///
    /// # Errors
    /// When these are those of a chain of another length.
    pub(in crate::fixes) fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        self.restored = true;
        self.motion.restore(numbers)
    }

    /// Its energy, which with the atoms' is conserved at rest.
    pub(in crate::fixes) fn energy(&self, system: &Snapshot<'_>) -> f64 {
        self.motion.energy(&self.settings, system)
    }

    /// As the vector of fix nvt.
    pub(in crate::fixes) fn vector(&self, system: &Snapshot<'_>) -> Vec<f64> {
        self.motion.vector(&self.settings, system)
    }
}
