//! Where atoms are taken to be when lists are built. A list lasts until some atom has come half the skin away from there. With
//! `check yes` that is not where the atom is, but where its velocity and its force will have taken it when half of the time is over
//! for which the list is expected to last, as long as the one before: so it is first on its way there and then on its way from
//! there, and a list lasts nearly twice as long. What counts as far is the same as ever, and so no pair is missed: two atoms that
//! are within the cutoff, each no more than half the skin from where it was predicted, were predicted within cutoff and skin
//! of each other.

use crate::base::error::Result;
use crate::engine::comm::{Rows, Shares};
use crate::engine::device_atoms::accum;
use crate::engine::kernels::{Context, Numerics};
use crate::gpu::{Arg, Buffer};

/// The part of half the skin that an atom may be predicted away from where it is: what is left of it is for what velocities do not
/// tell, from the very next step on.
pub const MOST: f64 = 0.95;

/// How positions are predicted in a run.
pub struct PositionPrediction {
    numerics: Numerics,
    /// Whether lists are built around where atoms will be, else around where they are.
    ahead: bool,
    time_step: f64,
    /// How far an atom may be predicted away from where it is, in distance units.
    most: f64,
    /// Velocities between the two halves of the last kick, 3 per atom; of steps at which a rebuild may be due.
    half_step_v: Buffer<f32>,
}

impl PositionPrediction {
    /// Lists are built around where atoms are.
    ///
    /// # Errors
    /// When the device fails.
    pub fn none(context: &Context) -> Result<Self> {
        let half_step_v = context.gpu.buffer("velocities between kicks", 3)?;
        Ok(PositionPrediction {
            numerics: context.numerics,
            ahead: false,
            time_step: 0.0,
            most: 0.0,
            half_step_v,
        })
    }

    /// For lists of up to `n` atoms that have this skin, where they may be built around predicted positions (`SimulationSpec::can_predict`).
    ///
    /// # Errors
    /// When the device lacks memory.
    pub fn new(context: &Context, skin: f64, time_step: f64, n: usize) -> Result<Self> {
        let half_step_v = context.gpu.buffer("velocities between kicks", 3 * n)?;
        Ok(PositionPrediction {
            numerics: context.numerics,
            ahead: true,
            time_step,
            most: MOST * skin / 2.0,
            half_step_v,
        })
    }

    /// Whether lists are built around where atoms will be.
    pub fn ahead(&self) -> bool {
        self.ahead
    }

    /// The time step changes.
    pub fn follow_time_step(&mut self, time_step: f64) {
        self.time_step = time_step;
    }

    /// Has all ranks know what steps have kept of each one's atoms.
    ///
    /// # Errors
    /// When the device fails.
    pub fn gather(&self, shares: &Shares) -> Result<()> {
        if self.ahead() { shares.gather(&self.half_step_v, Rows::one(3)) } else { Ok(()) }
    }

    /// HALF_STEP_V_KEPT of cl/step/step.cl.
    pub fn kept(&self) -> Option<Arg<'_>> {
        self.ahead().then(|| (&self.half_step_v).into())
    }

    /// PREDICTION_ARGUMENTS of cl/neighbor/cells.cl; the build before was `since` that step, or that cycle.
    pub fn arguments(&self, since: u32) -> [Arg<'_>; 4] {
        let [time_step, most] = [self.time_step, self.most].map(|number| accum(self.numerics, number));
        [(&self.half_step_v).into(), since.into(), time_step, most]
    }
}
