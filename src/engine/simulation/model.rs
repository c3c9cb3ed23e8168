//! For what a simulation is set up: layout of the work, and what it is made from.

use crate::engine::kernels::variants::Rules;
use crate::engine::kernels::{Asked, Context, Numerics, Shape};
use crate::engine::neighbor;
use crate::engine::neighbor::{Reach, grid};
use crate::gpu::options::Precision;
use crate::gpu::{DeviceInfo, DeviceKind, Gpu};
use crate::model::domain::Domain;
use crate::potentials::bonded::Molecules;
use crate::potentials::pair::Resolved;
use crate::session::fix::coupling;
use crate::session::state::State;
use crate::session::tuned::Key;
use serde::{Deserialize, Serialize};

/// For what a run is set up: cells, the units of staged positions and the shape of the kernels follow from it, and on them
/// the last bits of the results. A run that goes on from a restart file takes that of the run which wrote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// The box; faces may have moved since.
    pub domain: Domain,
    /// The box of the restart file that this comes from, where fixes may have changed it; `None`: it comes from none.
    #[serde(skip)]
    pub restored: Option<Domain>,
    /// Number of atoms; some may be lost since.
    pub atoms: usize,
    /// The device.
    pub device: String,
    /// Arithmetic of the kernels.
    pub precision: Precision,
    /// The shape of the work there.
    pub shape: Shape,
    /// The longest list cutoff, and whether atoms lay thin for it when the run was set up; of older restart files not known.
    #[serde(default)]
    pub thin: Option<(f64, bool)>,
}

impl Layout {
    /// Whether a run in this box may be set up like this: along periodic axes nothing has changed since the restart file
    /// was written.
    pub fn fits(&self, domain: &Domain) -> bool {
        let there = self.restored.as_ref().unwrap_or(&self.domain);
        let alike = |d: usize| (there.lo[d], there.hi[d]) == (domain.lo[d], domain.hi[d]);
        self.domain.boundary == domain.boundary
            && (there.triclinic, there.tilt) == (domain.triclinic, domain.tilt)
            && (0..3).all(|d| !domain.periodic(d) || alike(d))
    }

    /// Whether atoms lay thin on that device for a list cutoff about as long (the tuner may have chosen the skin), where that is known.
    pub fn known_thin(&self, device: &str, longest: f64) -> Option<bool> {
        let (reach, thin) = self.thin.filter(|_| self.device == device)?;
        ((reach / longest).ln().abs() < 0.3).then_some(thin)
    }

    /// Whether the shape of the work is for this device, precision and these rules.
    pub fn is_for(&self, device: &str, precision: Precision, rules: Rules) -> bool {
        self.device == device && self.precision == precision && rules == Rules::default()
    }
}

/// What a simulation is made from, besides the atoms.
#[derive(Clone, Copy)]
pub struct Model<'a> {
    /// What the script has said.
    pub state: &'a State,
    /// Mass per type.
    pub mass: &'a [f64],
    /// Pair style with all parameters.
    pub pair: &'a Resolved<'a>,
    /// Bonds and special neighbours.
    pub molecules: &'a Molecules,
    /// Added to every cutoff when lists are built, in distance units: the script's, or one of the tuner's.
    pub skin: f64,
    /// Atoms are moved by the host, to less energy.
    pub minimizing: bool,
    /// Whether atoms [lie thin](grid::lie_thin).
    pub thin: bool,
}

impl Model<'_> {
    /// The box and the number of atoms for which a run is set up.
    pub(super) fn planned<'b>(&'b self, domain: &'b Domain, atoms: usize) -> (&'b Domain, usize) {
        let layout = self.state.layout.as_ref().filter(|layout| layout.fits(domain));
        layout.map_or((domain, atoms), |layout| (&layout.domain, layout.atoms))
    }

    /// How far the lists reach on a kind of device.
    pub fn reach(&self, device: DeviceKind, domain: &Domain, atoms: usize) -> Reach {
        let (domain, atoms) = self.planned(domain, atoms);
        Reach::new(device, &self.pair.cutoffs(), self.skin, domain, self.state.dimension, atoms, self.thin)
    }

    /// The shape with no larger blocks than the box has room for, no more positions at a time than a device's local memory, and no more steps
    /// per launch than pay for so many neighbours.
    pub fn fit(
        &self,
        shape: Shape,
        device: &DeviceInfo,
        precision: Precision,
        domain: &Domain,
        atoms: usize,
    ) -> Shape {
        let Reach { longest, cell, .. } = self.reach(device.kind, domain, atoms);
        let room = grid::block_edge(domain, self.state.dimension, longest, cell);
        let most = match shape.tile {
            true => Shape::crowd_seen(device, precision, true, self.pair.seen()),
            false => shape.crowd,
        };
        // Lists that atoms share have 28 bits for a place.
        let copies = grid::copies(domain, self.state.dimension, longest, cell);
        let clusters = shape.clusters && copies.saturating_mul(atoms) < 1 << 27;
        let neighbors = neighbor::expected_neighbors(domain, self.state.dimension, longest, atoms);
        let fitted = Shape {
            block_edge: shape.block_edge.min(room),
            crowd: shape.crowd.min(most),
            ..Shape { clusters, ..shape }.shared_by(atoms, atoms as f64 * neighbors, device, precision)
        };
        let (planned, _) = self.planned(domain, atoms); // what lists are made for
        let around = grid::around(planned, self.state.dimension, longest, cell, fitted.block_edge);
        fitted.with_room_for(around, device.local_memory)
    }

    /// What a record of tuning must be for, to serve `atoms` atoms on a device.
    pub fn key(&self, gpu: &Gpu, precision: Precision, domain: &Domain, atoms: usize) -> Key {
        let reach = self.reach(gpu.info().kind, domain, atoms).longest;
        let neighbors = neighbor::expected_neighbors(domain, self.state.dimension, reach, atoms);
        Key::new(gpu.info(), precision, atoms, neighbors, self.asked(precision))
    }

    /// What steps are asked for.
    fn asked(&self, precision: Precision) -> Asked {
        let state = self.state;
        // As Plan::new has it, where steps share launches.
        let sums_amid = state.fixes.iter().any(|fix| fix.stage().is_some_and(|stage| stage.total.is_some()));
        let single = self.minimizing || self.pair.seen().velocities || sums_amid;
        Asked {
            single,
            moves_box: coupling::moves_box(&state.fixes, state, !single && precision != Precision::Single),
        }
    }

    /// Numerics and the shipped shape for `atoms` atoms on a device.
    pub fn context(&self, gpu: &Gpu, precision: Precision, domain: &Domain, atoms: usize) -> Context {
        let Reach { longest, cell, .. } = self.reach(gpu.info().kind, domain, atoms);
        let (domain, atoms) = self.planned(domain, atoms);
        let shape = Shape::asked(gpu.info(), precision, atoms, self.asked(precision));
        let shape = self.fit(shape, gpu.info(), precision, domain, atoms);
        let bond = self.molecules.longest_bond();
        let modulus = grid::moduli(domain, self.state.dimension, longest, cell, bond, precision);
        Context {
            gpu: gpu.clone(),
            numerics: Numerics {
                precision,
                modulus,
                images: grid::images(domain, self.state.dimension),
                triclinic: domain.triclinic,
            },
            shape,
            types: self.mass.len(),
            copies: grid::copies(domain, self.state.dimension, longest, cell),
        }
    }
}
