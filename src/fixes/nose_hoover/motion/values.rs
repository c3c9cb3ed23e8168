//! What `fix nvt`, `nph` and `npt` say of themselves: energies, and the vector of their chains and of the box.

use super::{Motion, controlled};
use crate::fixes::chain::Chain;
use crate::fixes::nose_hoover::arguments::Settings;
use crate::fixes::nose_hoover::lean::Lean;
use crate::session::snapshot::view::Snapshot;

impl Motion {
    /// Energy of chains and box, which with the atoms' is conserved.
    pub(in crate::fixes::nose_hoover) fn energy(&self, settings: &Settings, system: &Snapshot<'_>) -> f64 {
        let kt = system.session.system.units.boltz * self.target;
        let sum = |energies: Vec<f64>| energies.iter().sum::<f64>();
        let mut energy = sum(self.chain.potential(self.kinetic_target, kt)) + sum(self.chain.kinetic());
        if settings.axes.any() {
            let axes = controlled(settings).count() as f64 + Lean::count(&settings.axes);
            energy += self.work(system) + controlled(settings).map(|d| self.box_kinetic(d)).sum::<f64>();
            energy += 0.5 * self.lean.kinetic().iter().sum::<f64>();
            energy += sum(self.box_chain.potential(axes * kt, kt)) + sum(self.box_chain.kinetic());
            energy += self.strain(settings, system);
        }
        energy
    }

    /// The work against the mean target pressure.
    fn work(&self, system: &Snapshot<'_>) -> f64 {
        let (Some((before, _)), Ok(domain)) = (self.reference, system.domain()) else { return 0.0 };
        let volume = domain.volume(system.session.system.dimension);
        self.pressure * (volume - before) / system.session.system.units.nktv2p
    }

    fn box_kinetic(&self, d: usize) -> f64 {
        0.5 * self.omega_mass[d] * self.omega_dot[d].powi(2)
    }

    /// The energy of targets that differ: half the trace of sigma h h^T.
    fn strain(&self, settings: &Settings, system: &Snapshot<'_>) -> f64 {
        let (true, Ok(domain)) = (settings.axes.axis_by_axis, system.domain()) else { return 0.0 };
        if domain.triclinic {
            return self.lean.strain(domain) / system.session.system.units.nktv2p;
        }
        let lengths = domain.lengths();
        let sum: f64 = (0..3).map(|d| self.sigma[d] * lengths[d] * lengths[d]).sum();
        0.5 * sum / system.session.system.units.nktv2p
    }

    /// Positions and velocities of chains and box, then their energies, in LAMMPS's order.
    pub(in crate::fixes::nose_hoover) fn vector(
        &self,
        settings: &Settings,
        system: &Snapshot<'_>,
    ) -> Vec<f64> {
        let kt = system.session.system.units.boltz * self.target;
        let velocities = |chain: &Chain| chain.velocity[..chain.len()].to_vec();
        let any = settings.axes.any();
        let axes = if !any {
            0
        } else if settings.axes.isotropic() {
            1
        } else {
            3
        };
        let controls: Vec<bool> = settings.axes.controlled.iter().map(Option::is_some).collect();
        let count = controlled(settings).count().max(1) as f64;
        let alike = if axes == 1 { count } else { 1.0 };
        let of = |x: f64, d: usize| if controls[d] { alike * x } else { 0.0 };
        let work = if any { self.work(system) / count } else { 0.0 };
        // LAMMPS's order of tilts, where they follow the pressure.
        let tilts = |[xy, xz, yz]: [f64; 3]| {
            if settings.axes.tilting() { vec![yz, xz, xy] } else { Vec::new() }
        };
        [
            self.chain.position.clone(),
            if self.chain.len() > 0 { velocities(&self.chain) } else { Vec::new() },
            self.omega[..axes].to_vec(),
            tilts(self.lean.omega),
            self.omega_dot[..axes].to_vec(),
            tilts(self.lean.omega_dot),
            self.box_chain.position.clone(),
            if self.box_chain.len() > 0 { velocities(&self.box_chain) } else { Vec::new() },
            self.chain.potential(self.kinetic_target, kt),
            self.chain.kinetic(),
            (0..axes).map(|d| of(work, d)).collect(),
            tilts([0.0; 3]),
            (0..axes).map(|d| of(self.box_kinetic(d), d)).collect(),
            tilts(self.lean.kinetic().map(|twice| 0.5 * twice)),
            self.box_chain.potential(kt, kt),
            self.box_chain.kinetic(),
            if any && settings.axes.axis_by_axis { vec![self.strain(settings, system)] } else { Vec::new() },
        ]
        .concat()
    }
}
