//! For what a simulation is set up: layout of the work, and what it is made from.

use crate::engine::comm::Weights;
use crate::engine::kernels::variants::KernelVariants;
use crate::engine::kernels::{Context, LaunchConfig, Numerics, StepNeeds};
use crate::engine::neighbor::long_pairs::LongPairs;
use crate::engine::neighbor::{self, Settings};
use crate::engine::neighbor::{Reach, grid};
use crate::engine::step::fix_program::FixProgram;
use crate::gpu::options::Precision;
use crate::gpu::{DeviceInfo, DeviceKind, Gpu};
use crate::model::domain::Domain;
use crate::potentials::bonded::BondedTopology;
use crate::potentials::pair::Resolved;
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
    pub shape: LaunchConfig,
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
    pub fn is_for(&self, device: &str, precision: Precision, rules: KernelVariants) -> bool {
        self.device == device && self.precision == precision && rules == KernelVariants::default()
    }
}

/// What a simulation is made from, besides the atoms: plain data, which knows of no script.
#[derive(Clone, Copy)]
pub struct SimulationSpec<'a> {
    /// 2 or 3.
    pub dimension: u32,
    /// Mass per type, in mass units.
    pub mass: &'a [f64],
    /// Pair style with all parameters.
    pub pair: &'a Resolved<'a>,
    /// Bonds and special neighbours.
    pub molecules: &'a BondedTopology,
    /// Charges by atom ID in units whose square is energy times distance; read where the pair style sees charges.
    pub charges: &'a [(u32, f64)],
    /// Other numbers that the pair style reads of atoms, by atom ID: for each of its inputs all of them.
    pub given: &'a [Vec<(u32, f64)>],
    /// When lists are rebuilt, and who is in none.
    pub neighbor: &'a Settings,
    /// Added to every cutoff when lists are built, in distance units: that of `neighbor`, or one of the tuner's.
    pub skin: f64,
    /// What the device does of the fixes, in the order in which they do it.
    pub fixes: &'a [FixProgram],
    /// Whether coefficients of pairs may change during the run.
    pub varying: bool,
    /// Atoms are moved by the host, to less energy.
    pub minimizing: bool,
    /// No step is to follow the first forces: what steps take is compiled when they come all the same. So little is compiled that no helper is asked.
    pub at_rest: bool,
    /// Whether nothing depends on when atoms are wrapped, so that lists may be built around where atoms will be.
    pub may_predict: bool,
    /// Whether atoms [lie thin](grid::is_sparse).
    pub thin: bool,
    /// Which pairs of types have lists of their own, if some do.
    pub long: Option<&'a LongPairs>,
    /// What steps are asked for.
    pub needs: StepNeeds,
    /// What part of the work each rank is to have: `None`, the same, or where they have devices of different kinds, by their speed.
    pub weights: Option<&'a Weights>,
    /// What part of the atoms that was when it was last looked at; `None`, the same.
    pub cuts: Option<&'a Weights>,
    /// For what the run was set up that this one goes on from, where it does.
    pub layout: Option<&'a Layout>,
    /// The step at which the run begins.
    pub step: i64,
    /// The steps over which temperatures of pair styles rise.
    pub span: [i64; 2],
    /// Time step, in time units.
    pub dt: f64,
    /// Energy per temperature.
    pub boltz: f64,
    /// Energy per mass and velocity squared.
    pub mvv2e: f64,
}

impl<'a> SimulationSpec<'a> {
    /// Of a three-dimensional system in units `lj` whose atoms do not move by themselves, with the skin of `neighbor` and a
    /// time step of 0.005; masses per type.
    pub fn new(
        pair: &'a Resolved<'a>,
        molecules: &'a BondedTopology,
        neighbor: &'a Settings,
        mass: &'a [f64],
    ) -> Self {
        SimulationSpec {
            dimension: 3,
            mass,
            pair,
            molecules,
            charges: &[],
            given: &[],
            neighbor,
            skin: neighbor.skin,
            fixes: &[],
            varying: false,
            minimizing: false,
            at_rest: false,
            may_predict: false,
            thin: false,
            long: None,
            needs: StepNeeds::default(),
            weights: None,
            cuts: None,
            layout: None,
            step: 0,
            span: [0; 2],
            dt: 0.005,
            boltz: 1.0,
            mvv2e: 1.0,
        }
    }
}

impl SimulationSpec<'_> {
    /// The box and the number of atoms for which a run is set up.
    pub(super) fn planned<'b>(&'b self, domain: &'b Domain, atoms: usize) -> (&'b Domain, usize) {
        let layout = self.layout.filter(|layout| layout.fits(domain));
        layout.map_or((domain, atoms), |layout| (&layout.domain, layout.atoms))
    }

    /// Whether lists may be built around predicted positions: where each step looks whether they still serve (`check yes`, `every 1`, `delay` 0 or 1), in
    /// a box that never changes. An atom that turns round is far from where it was predicted sooner than from where it was, so steps without a look
    /// would be more dangerous than in LAMMPS. Where faces follow the atoms, or let go of them, they do so at rebuilds: those stay where
    /// LAMMPS has them, as where something looks at atoms by their places.
    pub fn can_predict(&self, context: &Context) -> bool {
        let (settings, numerics) = (self.neighbor, context.numerics);
        let in_space = numerics.triclinic && numerics.wide_pairs(); // what is kept of positions is not what lists are made of
        self.may_predict
            && (settings.looks_each_step() && settings.skin > 0.0)
            && (numerics.wide() || !context.gpu.is_among_others()) // quotients of fp32 differ, and so might the cells of an atom
            && context.copies == 1 // else an atom would be in a cell of another copy of the box than its position
            && !(in_space || self.minimizing || self.fixes.iter().any(|fix| fix.changes_box))
    }

    /// How far the lists reach on a kind of device.
    pub fn reach(&self, device: DeviceKind, domain: &Domain, atoms: usize) -> Reach {
        let (domain, atoms) = self.planned(domain, atoms);
        let cutoffs = self.pair.each_cutoff();
        Reach::new(device, cutoffs, self.long, self.skin, domain, self.dimension, atoms, self.thin)
    }

    /// The shape with no larger blocks than the box has room for, no more positions at a time than a device's local memory, and no more steps
    /// per launch than pay for so many neighbours.
    pub fn fit(
        &self,
        shape: LaunchConfig,
        device: &DeviceInfo,
        precision: Precision,
        domain: &Domain,
        atoms: usize,
    ) -> LaunchConfig {
        let shape = match shape.suits(self.needs.lists) {
            true => shape,
            false => LaunchConfig::asked(device, precision, atoms, self.needs),
        };
        let Reach { longest, cell, .. } = self.reach(device.shaped_as(), domain, atoms);
        let room = grid::block_edge(domain, self.dimension, longest, cell);
        let most = match shape.tile {
            true => LaunchConfig::tile_atoms_seen(device, precision, true, self.pair.seen()),
            false => shape.tile_atoms,
        };
        // Lists that atoms share have 28 bits for a place.
        let copies = grid::copies(domain, self.dimension, longest, cell);
        let clusters = shape.clusters && copies.saturating_mul(atoms) < 1 << 27;
        let neighbors = neighbor::expected_neighbors(domain, self.dimension, longest, atoms);
        let fitted = LaunchConfig {
            block_edge: shape.block_edge.min(room),
            tile_atoms: shape.tile_atoms.min(most),
            ..LaunchConfig { clusters, ..shape }.shared_by(atoms, atoms as f64 * neighbors, device, precision)
        };
        let (planned, _) = self.planned(domain, atoms); // what lists are made for
        let around = |edge| grid::around(planned, self.dimension, longest, cell, edge);
        let with_room =
            |fitted: LaunchConfig| fitted.with_room_for(around(fitted.block_edge), device.local_memory);
        let roomy = with_room(fitted);
        // A long cutoff reaches so many cells around a large block that they alone fill a small local memory.
        match roomy.block_edge > 2
            && roomy.builder_bytes(around(roomy.block_edge)) as u64 > device.local_memory
        {
            true => with_room(LaunchConfig { block_edge: 2, ..fitted }),
            false => roomy,
        }
    }

    /// Numerics and the shipped shape for `atoms` atoms on a device.
    pub fn context(&self, gpu: &Gpu, precision: Precision, domain: &Domain, atoms: usize) -> Context {
        let Reach { longest, cell, .. } = self.reach(gpu.common().shaped_as(), domain, atoms);
        let (domain, atoms) = self.planned(domain, atoms);
        let shape = LaunchConfig::asked(gpu.common(), precision, atoms, self.needs);
        let shape = self.fit(shape, gpu.common(), precision, domain, atoms);
        let bond = self.molecules.longest_bond();
        let modulus = grid::moduli(domain, self.dimension, longest, cell, bond, precision);
        Context {
            gpu: gpu.clone(),
            numerics: Numerics {
                precision,
                modulus,
                images: grid::images(domain, self.dimension),
                triclinic: domain.triclinic,
            },
            shape,
            types: self.mass.len(),
            copies: grid::copies(domain, self.dimension, longest, cell),
        }
    }
}
