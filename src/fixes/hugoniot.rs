//! What `fix nphug` and `fix msst` share: the state that a steady shock runs into, and how far one is from the states that it
//! can leave behind. W. J. M. Rankine (1870), P. H. Hugoniot (1887); Ravelo, Holian, Germann, Lomdahl, Phys. Rev. B 70,
//! 014103 (2004).

use crate::base::error::Result;
use crate::model::units::Units;
use crate::script::Args;

/// All atoms at one moment, in the script's units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bulk {
    /// Potential and kinetic energy.
    pub energy: f64,
    /// Along the shock, or the mean where all axes follow.
    pub pressure: f64,
    /// Of the box, its area in 2d.
    pub volume: f64,
}

/// The same ahead of the shock, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ahead {
    pub energy: Option<f64>,
    pub pressure: Option<f64>,
    pub volume: Option<f64>,
}

impl Ahead {
    /// Takes what follows `e0`, `p0` or `v0`; `false` for another word.
    ///
    /// # Errors
    /// At a word that is no number, or no volume.
    pub(super) fn keyword(&mut self, name: &str, args: &mut Args<'_>) -> Result<bool> {
        match name {
            "e0" => self.energy = Some(args.f64("the energy ahead of the shock")?),
            "p0" => self.pressure = Some(args.f64("the pressure ahead of the shock")?),
            "v0" => self.volume = Some(args.positive("the volume ahead of the shock")?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What nobody has said is as at this moment.
    pub(super) fn complete(&mut self, now: Bulk) {
        self.energy.get_or_insert(now.energy);
        self.pressure.get_or_insert(now.pressure);
        self.volume.get_or_insert(now.volume);
    }

    /// The state ahead, where nobody has said otherwise the one now.
    pub(super) fn shocked_state(&self, now: Bulk) -> Bulk {
        Bulk {
            energy: self.energy.unwrap_or(now.energy),
            pressure: self.pressure.unwrap_or(now.pressure),
            volume: self.volume.unwrap_or(now.volume),
        }
    }

    /// By how much the temperature is below the one that so many degrees of freedom would have on the Hugoniot, at this
    /// volume and pressure: [(P + P0) (V0 - V) / 2 + E0 - E] / (degrees of freedom kB); 0 without any.
    pub(super) fn deviation(&self, now: Bulk, freedom: f64, units: &Units) -> f64 {
        let ahead = self.shocked_state(now);
        let work = 0.5 * (now.pressure + ahead.pressure) * (ahead.volume - now.volume) / units.nktv2p;
        let heat = work + ahead.energy - now.energy;
        if freedom > 0.0 { heat / (freedom * units.boltz) } else { 0.0 }
    }

    /// For restart files; NaN for what is not known.
    pub(super) fn numbers(&self) -> [f64; 3] {
        [self.energy, self.pressure, self.volume].map(|number| number.unwrap_or(f64::NAN))
    }

    /// The inverse of [`Ahead::numbers`].
    pub(super) fn of_numbers(numbers: [f64; 3]) -> Self {
        let [energy, pressure, volume] = numbers.map(|number| Some(number).filter(|number| !number.is_nan()));
        Ahead { energy, pressure, volume }
    }
}
