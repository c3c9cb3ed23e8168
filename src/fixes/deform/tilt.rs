//! How `fix deform` changes the tilts of a box, and when it flips it.

use super::arguments::variable;
use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{Quantity, StepContext};
use std::f64::consts::TAU;

/// How a tilt changes over a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lean {
    /// To this tilt.
    Final(f64),
    /// By this.
    Delta(f64),
    /// At a constant rate.
    Velocity(f64),
    /// The same, per length of the edge that it leans over, at the start.
    Rate(f64),
    /// Its logarithm at a constant rate.
    TrueRate(f64),
    /// As a sine: amplitude, period.
    Wiggle(f64, f64),
    /// By a variable; another is its rate.
    Variable(Quantity, Quantity),
}

/// Takes how one tilt changes.
pub(super) fn lean(session: &Session, args: &mut Args<'_>) -> Result<Lean> {
    let names = ["final", "delta", "vel", "erate", "trate", "wiggle", "variable"];
    Ok(match args.one_of("way to change a tilt", &names.map(|name| (name, name)))? {
        "final" => Lean::Final(args.f64("a tilt")?),
        "delta" => Lean::Delta(args.f64("a change of the tilt")?),
        "vel" => Lean::Velocity(args.f64("a velocity")?),
        "erate" => Lean::Rate(args.f64("a shear rate")?),
        "trate" => Lean::TrueRate(args.f64("a true shear rate")?),
        "wiggle" => Lean::Wiggle(args.f64("an amplitude")?, args.positive("a period")?),
        _ => Lean::Variable(
            variable(session, args, "a variable with the change of the tilt")?,
            variable(session, args, "a variable with its rate")?,
        ),
    })
}

impl Lean {
    /// Lengths in spacings of the lattice become distances.
    pub(super) fn scale(&mut self, unit: f64) {
        if let Lean::Final(x) | Lean::Delta(x) | Lean::Velocity(x) | Lean::Wiggle(x, _) = self {
            *x *= unit;
        }
    }

    /// Where it ends, from `start`, leaning over an edge of length `over`, after `time`; `None` where it does not go there
    /// linearly.
    pub(super) fn stop(&self, start: f64, over: f64, time: f64) -> Option<f64> {
        match self {
            Lean::Final(tilt) => Some(*tilt),
            Lean::Delta(by) => Some(start + by),
            Lean::Velocity(velocity) => Some(start + time * velocity),
            Lean::Rate(rate) => Some(start + time * rate * over),
            Lean::TrueRate(_) | Lean::Wiggle(..) | Lean::Variable(..) => None,
        }
    }

    /// The farthest it comes from upright in a run of length `time`; `None` where nobody knows.
    pub(super) fn farthest(&self, start: f64, over: f64, time: f64) -> Option<f64> {
        match self {
            Lean::Wiggle(amplitude, _) => Some(start.abs() + amplitude.abs()),
            Lean::TrueRate(rate) => Some((start * (rate * time).exp()).abs()),
            Lean::Variable(..) => None,
            _ => self.stop(start, over, time).map(f64::abs),
        }
    }

    /// Whether a span of steps says where it ends, whatever its length.
    pub(super) fn is_of_span(&self) -> bool {
        matches!(self, Lean::Final(_) | Lean::Delta(_))
    }

    /// The tilt at a moment, `time` of `whole` after the start and so that `fraction` of the way, and its rate there, `now` being what it is.
    pub(super) fn at(
        &self,
        moment: &StepContext<'_>,
        [time, whole, fraction]: [f64; 3],
        [start, over, now]: [f64; 3],
    ) -> Result<[f64; 2]> {
        Ok(match self {
            Lean::TrueRate(rate) => [start * (rate * time).exp(), rate * now],
            Lean::Wiggle(amplitude, period) => {
                let phase = TAU * time / period;
                [start + amplitude * phase.sin(), TAU / period * amplitude * phase.cos()]
            }
            Lean::Variable(by, rate) => [start + moment.value(by)?, moment.value(rate)?],
            _ => {
                let stop = self.stop(start, over, whole).unwrap_or(start);
                let rate = if whole == 0.0 { 0.0 } else { (stop - start) / whole };
                [start + fraction * (stop - start), rate]
            }
        })
    }
}

/// Of the tilts that make the same images the one that is nearest to what it is `now`: tilts grow without bound where the
/// box was flipped before. `from` and `to` are the lengths that it counts in, before and after the change.
pub(super) fn nearest(tilt: f64, now: f64, from: f64, to: f64) -> f64 {
    tilt - (tilt / to - now / from).round() * to
}
