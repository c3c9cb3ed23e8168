//! What the tilts of a triclinic box add to the motion of its edges. Source: LAMMPS manual, `fix nh`; the matrices are those
//! of Shinoda, Shiga and Mikami, upper triangular here: rows x y z, columns the edges a b c.

use super::arguments::Settings;
use crate::base::error::{Error, Result};
use crate::fixes::barostat::Axes;
use crate::fixes::matrix::{Matrix, inverse, matrix, product, transposed};
use crate::model::domain::Domain;

/// How far a box may lean by one step, in edges.
const FARTHEST: f64 = 1.5;

/// A box that leans farther than this, in edges, is flipped: a little more than a half, so that it does not flip back at once.
pub(super) const FLIP: f64 = 0.6;

/// The tilts xy xz yz as they move, and what the velocities and positions of the atoms have of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Lean {
    pub omega: [f64; 3],
    pub omega_dot: [f64; 3],
    mass: [f64; 3],
    /// The tilts of the box that deviations are measured from.
    pub reference: [f64; 3],
    /// Force by targets that differ: V0 h0^-1 (P - p) h0^-T, pressure units times length.
    sigma: Matrix,
    /// What velocities get of others (x of y, x of z, y of z): before the first kick, after the second.
    pub shear: [[f64; 3]; 2],
    /// How positions follow each half of the box's step: factors of x y z, lower corner before and after, factors xy xz yz.
    pub remaps: [[[f64; 3]; 4]; 2],
}

impl Lean {
    /// How many tilts follow the pressure.
    pub(super) fn count(axes: &Axes) -> f64 {
        axes.tilts.iter().flatten().count() as f64
    }

    /// Masses, from N + 1 times kT.
    pub(super) fn set_masses(&mut self, axes: &Axes, nkt: f64) {
        self.mass = axes.tilts.map(|axis| axis.map_or(0.0, |axis| nkt * axis.period * axis.period));
    }

    /// Twice the kinetic energy of each tilt.
    pub(super) fn kinetic(&self) -> [f64; 3] {
        std::array::from_fn(|k| self.mass[k] * self.omega_dot[k] * self.omega_dot[k])
    }

    /// Takes the targets of the axes less their mean `mean`, and those of the tilts, for the reference's volume and edges.
    pub(super) fn set_targets(
        &mut self,
        [xx, yy, zz]: [f64; 3],
        mean: f64,
        tilts: [f64; 3],
        reference: (f64, [f64; 3]),
    ) {
        let (volume, lengths) = reference;
        let inverse = inverse(lengths, self.reference);
        let [xy, xz, yz] = tilts;
        let target = [[xx - mean, xy, xz], [xy, yy - mean, yz], [xz, yz, zz - mean]];
        let sigma = product(product(inverse, target), transposed(inverse));
        self.sigma = sigma.map(|row| row.map(|s| volume * s));
    }

    /// The force by targets that differ: h sigma h^T, as xx yy zz xy xz yz, in pressure units times volume.
    pub(super) fn deviatoric(&self, domain: &Domain) -> [f64; 6] {
        let h = matrix(domain.lengths(), domain.tilt);
        let force = product(product(h, self.sigma), transposed(h));
        [force[0][0], force[1][1], force[2][2], force[0][1], force[0][2], force[1][2]]
    }

    /// The energy of targets that differ: half the trace of sigma h h^T, in pressure units times volume.
    pub(super) fn strain(&self, domain: &Domain) -> f64 {
        let h = matrix(domain.lengths(), domain.tilt);
        let squares = product(self.sigma, product(h, transposed(h)));
        0.5 * (squares[0][0] + squares[1][1] + squares[2][2])
    }

    /// Half a step of their velocity by these forces, in energy units.
    pub(super) fn push(&mut self, axes: &Axes, force: [f64; 3], half: f64, drag: f64) {
        for k in (0..3).filter(|&k| axes.tilts[k].is_some()) {
            self.omega_dot[k] += force[k] / self.mass[k] * half;
            self.omega_dot[k] *= drag;
        }
    }

    /// What half a step of their motion adds to the factors of velocities, whose square roots are `root`.
    pub(super) fn velocity_factors(&self, root: [f64; 3], half: f64) -> [f64; 3] {
        let [xy, xz, yz] = self.omega_dot.map(|omega_dot| -half * omega_dot);
        [root[0] * xy * root[1], root[0] * xz * root[2], root[1] * yz * root[2]]
    }

    /// Half a step of the box, `omega_dot` being that of its edges, in the order that can be reversed: tilts, edges, tilts.
    ///
    /// # Errors
    /// When it leans too far.
    pub(super) fn step(
        &mut self,
        domain: &Domain,
        settings: &Settings,
        omega_dot: [f64; 3],
        half: f64,
    ) -> Result<Domain> {
        let (axes, lengths) = (&settings.axes, domain.lengths());
        (0..3).for_each(|k| self.omega[k] += half * self.omega_dot[k]);
        let mut to = domain.clone();
        self.tilt(&mut to.tilt, axes, lengths, omega_dot, half);
        for d in (0..3).filter(|&d| axes.controlled[d].is_some()) {
            let factor = (half * omega_dot[d]).exp();
            let fixed = settings.fixed_point[d];
            to.lo[d] = (domain.lo[d] - fixed) * factor + fixed;
            to.hi[d] = (domain.hi[d] - fixed) * factor + fixed;
            for (k, over) in [1, 2, 2].into_iter().enumerate() {
                if over == d && settings.scaled[k] {
                    to.tilt[k] *= factor;
                }
            }
        }
        self.tilt(&mut to.tilt, axes, lengths, omega_dot, half);
        let [xy, xz, yz] = to.tilt;
        if xy.abs().max(xz.abs()) > FARTHEST * lengths[0] || yz.abs() > FARTHEST * lengths[1] {
            return Err(Error::new("the box leans by more than one and a half edges").help(
                "the pressure is too far from its target: take a longer damping time or a shorter timestep",
            ));
        }
        Ok(to)
    }

    /// A quarter of a step of the tilts: by the edges and the tilts that they lean over.
    fn tilt(&self, tilt: &mut [f64; 3], axes: &Axes, lengths: [f64; 3], omega_dot: [f64; 3], half: f64) {
        let [_, ly, lz] = lengths;
        let [xy, xz, yz] = self.omega_dot;
        let change = |tilt: &mut f64, along: f64, by: f64, time: f64| {
            let factor = (0.5 * time * along).exp();
            *tilt = (*tilt * factor + time * by) * factor;
        };
        let follows = axes.tilts.map(|axis| axis.is_some());
        let around = |tilt: &mut [f64; 3]| {
            if follows[1] {
                let by = xy * tilt[2] + xz * lz;
                change(&mut tilt[1], omega_dot[0], by, 0.25 * half);
            }
        };
        around(tilt);
        if follows[2] {
            change(&mut tilt[2], omega_dot[1], yz * lz, 0.5 * half);
        }
        if follows[0] {
            change(&mut tilt[0], omega_dot[0], xy * ly, 0.5 * half);
        }
        around(tilt);
    }
}
