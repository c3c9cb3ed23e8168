//! A box that changes between two rebuilds: what follows it, and how far atoms may come in it.

use super::{Neighbor, Reach};
use crate::base::error::{Error, Result};
use crate::engine::device_atoms::DeviceAtoms;
use crate::engine::kernels::Numerics;
use crate::model::domain::Domain;

/// How far the corners of a box have moved: the two that moved farthest, of an orthogonal box the lower and the upper.
fn moved_corners(before: &Domain, now: &Domain) -> [f64; 2] {
    let far = |x: [f64; 3], y: [f64; 3]| (0..3).map(|d| (y[d] - x[d]).powi(2)).sum::<f64>().sqrt();
    if !now.triclinic {
        return [far(before.lo, now.lo), far(before.hi, now.hi)];
    }
    let corner = |k: usize| std::array::from_fn(|d| (k >> d & 1) as f64);
    let corner = |k: usize| far(before.at_fractions(corner(k)), now.at_fractions(corner(k)));
    (0..8).map(corner).fold([0.0; 2], |[most, next]: [f64; 2], moved| match moved > most {
        true => [moved, most],
        false => [most, next.max(moved)],
    })
}

impl Neighbor {
    /// Whether the integrator has to look, at a step, for atoms that moved too far, and the squared distance
    /// that is too far.
    pub fn watch(&self, step: u32) -> (bool, f64) {
        (self.settings.check && self.scheduled(step) && !self.due(step), self.trigger(&self.boxes[1]))
    }

    /// How far an atom may come in a box, squared.
    fn trigger(&self, now: &Domain) -> f64 {
        // As far as the corners of the box have moved, so much nearer may two atoms be by that alone.
        let moved = moved_corners(&self.boxes[0], now);
        (0.5 * (self.settings.skin - moved[0] - moved[1])).max(0.0).powi(2)
    }

    /// A box of the steps until lists are built anew as the kernels read it.
    pub fn box_ahead(&self, domain: &Domain) -> Vec<u8> {
        let numerics = Numerics { modulus: self.moduli_in(domain), ..self.context.numerics };
        self.grid.box_bytes(domain, &self.boxes[0], numerics, self.trigger(domain))
    }

    /// The step at which cells were last fitted to the box.
    pub fn fitted(&self) -> u32 {
        self.fitted
    }

    /// The box changes at the end of the current step, between two rebuilds; staged positions count in units that follow
    /// it. Nothing waits for that.
    ///
    /// # Errors
    /// When the device fails.
    pub fn change_box(&mut self, atoms: &mut DeviceAtoms, domain: &Domain) -> Result<()> {
        self.follow_box(atoms, domain);
        self.cells.set_box(atoms, &self.grid, &self.boxes, atoms.step)
    }

    /// The same, where the device has changed the box.
    pub fn follow_box(&mut self, atoms: &mut DeviceAtoms, domain: &Domain) {
        self.context.numerics.modulus = self.moduli_in(domain);
        atoms.context.numerics = self.context.numerics;
        self.boxes[1] = domain.clone();
    }

    /// The moduli in a box of the same parts.
    pub(super) fn moduli_in(&self, domain: &Domain) -> [f64; 3] {
        let (length, modulus) = (domain.lengths(), self.context.numerics.modulus);
        std::array::from_fn(|d| match self.parts[d] > 0.0 {
            true => length[d] * self.first_grid.replicas[d] as f64 / self.parts[d],
            false => modulus[d],
        })
    }

    /// The lower and the upper corner of the box when the list was built; behind the lower one the skin.
    pub fn corners_at_build(&self) -> [[f64; 4]; 2] {
        let Domain { lo, hi, .. } = &self.boxes[0];
        [[lo[0], lo[1], lo[2], self.settings.skin], [hi[0], hi[1], hi[2], 0.0]]
    }

    /// Whether this box, that of now or of a later step, is so much another one that the run has to be set up anew for it.
    pub fn grid_too_small(&self, domain: &Domain) -> bool {
        let Reach { longest, cell, .. } = self.reach;
        let (edge, modulus) = (self.context.shape.block_edge.max(2), self.moduli_in(domain));
        if domain.shrinks() && self.reach.needs_larger_cells(domain, self.dimension) {
            return true;
        }
        (self.box_changed() || *domain != self.boxes[1] || domain.triclinic && domain.shrinks())
            && !(self.has_room_for(self.bond, domain)
                && self.first_grid.suits(domain, self.dimension, longest, cell, edge, modulus))
    }

    /// Whether atoms of a bond of this length are told from their images: twice it fits into the modulus, or that is as long
    /// as it can be, the box with its copies.
    fn has_room_for(&self, bond: f64, domain: &Domain) -> bool {
        let (modulus, stretch) = (self.moduli_in(domain), domain.stretch());
        (0..3).all(|d| self.parts[d] == 1.0 || modulus[d] >= 2.0 * bond * stretch[d])
    }

    /// That bonds may be as long as this from now on.
    ///
    /// # Errors
    /// When the run was set up for much shorter ones.
    pub fn check_longest_bond(&self, bond: f64, domain: &Domain) -> Result<()> {
        match self.has_room_for(bond, domain) {
            true => Ok(()),
            false => Err(Error::new("fix adapt makes bonds much longer than they were when the run began")
                .help("split the run: each run is set up for the bonds at its beginning")),
        }
    }

    pub(super) fn box_changed(&self) -> bool {
        self.boxes[0] != self.boxes[1]
    }
}
