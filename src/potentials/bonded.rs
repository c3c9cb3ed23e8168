//! Bonds and special neighbours as a run has to know them.

use crate::model::topology::Partners;
use crate::model::topology::Weights;
use crate::potentials::bond::Resolved;

/// A run is set up for bonds that grow to so many times the length that they have at its first step.
const ROOM_FOR_GROWTH: f64 = 4.0;

/// What a run has to know of the molecules.
#[derive(Default)]
pub struct BondedTopology {
    /// Partners with bond types, where there are bond forces: of bonds that are not switched off.
    pub partners: Partners,
    /// Special neighbours with the number of bonds between.
    pub special: Partners,
    /// How much pairs one, two and three bonds apart count.
    pub weights: Weights,
    /// Whether pair styles see charges.
    pub charged: bool,
    /// Whether something is left of pairs that do not count at all ([`crate::potentials::pair::style::Style::damped`]).
    pub damped: bool,
    /// The bond style, where there are bonds.
    pub bonded: Option<Resolved>,
    /// Whether bonds that become too long are gone for good, for which the device halts ([`crate::potentials::bond::Style::breaks`]).
    pub snaps: bool,
    /// Whether bonds may become longer during a run (fix adapt).
    pub growing: bool,
    /// Whether a bond whose other atom is gone is left out (`thermo_modify lost/bond`).
    pub may_lose: bool,
    /// ID and molecule ID of each atom, where something depends on them.
    pub ids: Vec<(u32, u32)>,
}

impl BondedTopology {
    /// Whether there is nothing to do for them.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Whether pairs count in part.
    pub fn partial(&self) -> bool {
        let in_part = |bonds| match self.weights.of(bonds, self.charged) {
            [0.0, 0.0] => self.damped,
            weights => weights != [1.0; 2],
        };
        !self.special.is_empty() && (1..=3).any(in_part)
    }

    /// The longest that a bond may be, with room for growth where bonds grow.
    pub fn longest_bond(&self) -> f64 {
        let room = if self.growing { ROOM_FOR_GROWTH } else { 1.0 };
        room * self.bonded.as_ref().map_or(0.0, Resolved::longest)
    }
}
