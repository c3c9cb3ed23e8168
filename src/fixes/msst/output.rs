//! What a shock shows, and its energy.

use super::Msst;
use crate::base::error::Result;
use crate::session::compute::{Shape, Values};
use crate::session::fix::FixOutput;
use crate::session::snapshot::view::Snapshot;

impl FixOutput for Msst {
    fn shape(&self) -> Option<Shape> {
        Some(Shape { vector: Some(4), ..Shape::SCALAR })
    }

    /// The energy; how far the temperature is from the Hugoniot's and the pressure from the Rayleigh line, the velocity of
    /// the particles, and where they are behind the shock.
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        let (motion, session) = (self.motion.borrow(), system.session);
        let now = self.bulk(&motion, system.domain()?, session);
        let particles = self.velocity * (1.0 - now.volume / motion.ahead.shocked_state(now).volume);
        let vector = vec![
            motion.ahead.deviation(now, motion.freedom, session.system.units),
            self.beyond_rayleigh(&motion, now, session),
            particles,
            motion.position,
        ];
        Ok(Values { scalar: Some(self.coupled_energy(system)), vector, ..Values::default() })
    }

    fn extensive(&self) -> bool {
        true
    }

    /// That of the box's motion, less the work that the shock does on it.
    fn coupled_energy(&self, system: &Snapshot<'_>) -> f64 {
        let (motion, units) = (self.motion.borrow(), system.session.system.units);
        let (Some(pressure), Some(volume), Ok(domain)) =
            (motion.ahead.pressure, motion.ahead.volume, system.domain())
        else {
            return 0.0;
        };
        let now = domain.volume(system.session.system.dimension);
        let moving = self.inertia * motion.rate.powi(2) / (2.0 * motion.mass);
        let driven = 0.5 * motion.mass * (self.velocity * (1.0 - now / volume)).powi(2);
        (moving - driven) * units.mvv2e - pressure * (volume - now) / units.nktv2p
    }
}
