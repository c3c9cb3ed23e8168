//! What is kept of the motion between runs and in restart files.

use super::Motion;
use crate::base::error::{Error, Result};

/// Temperature, m v v, m v v of the pressure, virial.
pub(in crate::fixes::nose_hoover) type Known = (f64, [f64; 6], [f64; 6], [f64; 3]);

impl Motion {
    /// What it knows of the moment: temperature, m v v, m v v of the pressure, virial.
    pub(in crate::fixes::nose_hoover) fn known(&self) -> Known {
        (self.temperature, self.tensor, self.barometer.kinetic, self.virial)
    }

    /// Goes on with what it knew, where that differs from what has been measured by rounding only: so a run that goes on
    /// from a restart file has the bits of the one that wrote it.
    pub(in crate::fixes::nose_hoover) fn keep(&mut self, (temperature, tensor, pressing, virial): Known) {
        fn keep(known: &[f64], measured: &mut [f64], size: f64) {
            for (measured, known) in measured.iter_mut().zip(known) {
                if (known - *measured).abs() <= 1e-6 * size.max(measured.abs()) {
                    *measured = *known;
                }
            }
        }
        let size = |tensor: &[f64; 6]| tensor[0] + tensor[1] + tensor[2];
        let (moving, pressing_by) = (size(&self.tensor), size(&self.barometer.kinetic));
        keep(&[temperature], std::slice::from_mut(&mut self.temperature), 0.0);
        keep(&tensor, &mut self.tensor, moving);
        keep(&pressing, &mut self.barometer.kinetic, pressing_by);
        keep(&virial, &mut self.virial, pressing_by);
    }

    /// What restart files keep: what it knows of the moment, both chains, the box's motion, what its deviations are measured from,
    /// the temperature that makes its masses, and what there is of a shock.
    pub(in crate::fixes::nose_hoover) fn numbers(&self) -> Vec<f64> {
        let (volume, lengths) = self.reference.unwrap_or_default();
        let mass_temperature = self.mass_temperature.unwrap_or(0.0);
        [
            &[self.temperature][..],
            &self.tensor,
            &self.barometer.kinetic,
            &self.virial,
            &self.omega,
            &self.omega_dot,
            &[volume],
            &lengths,
            &[mass_temperature],
            &self.lean.omega,
            &self.lean.omega_dot,
            &self.lean.reference,
            &self.hugoniot_numbers(),
            &self.chain.numbers(),
            &self.box_chain.numbers(),
        ]
        .concat()
    }

    /// The inverse of [`Motion::numbers`].
    ///
    /// # Errors
    /// When these are those of chains of other lengths.
    pub(in crate::fixes::nose_hoover) fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        if numbers.len() != self.numbers().len() {
            return Err(Error::new("its chains had other lengths when the restart file was written")
                .help("take the same fix with the same tchain and pchain, or another ID to begin anew"));
        }
        let mut rest = numbers;
        let mut take = |count: usize| {
            let (these, others) = rest.split_at(count);
            rest = others;
            these
        };
        fn array<const N: usize>(numbers: &[f64]) -> [f64; N] {
            std::array::from_fn(|k| numbers[k])
        }
        self.restored = true;
        self.temperature = take(1)[0];
        self.tensor = array(take(6));
        self.barometer.kinetic = array(take(6));
        self.virial = array(take(3));
        (self.omega, self.omega_dot) = (array(take(3)), array(take(3)));
        let (volume, lengths) = (take(1)[0], array(take(3)));
        self.reference = (volume > 0.0).then_some((volume, lengths));
        self.mass_temperature = Some(take(1)[0]).filter(|&temperature| temperature > 0.0);
        (self.lean.omega, self.lean.omega_dot) = (array(take(3)), array(take(3)));
        self.lean.reference = array(take(3));
        if let Some(hugoniot) = &mut self.hugoniot {
            hugoniot.restore(array(take(4)));
        }
        self.chain.set_numbers(take(self.chain.numbers().len()));
        self.box_chain.set_numbers(rest);
        Ok(())
    }
}
