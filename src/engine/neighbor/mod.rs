//! Neighbour lists: when they are rebuilt, and the way from moved atoms to a new list.

pub mod bond_map;
pub mod cells;
pub(crate) mod entries;
mod fitting;
pub mod grid;
mod halt;
pub mod list;
pub mod long_lists;
pub mod long_pairs;
mod memory;
mod migrating;
mod moving;
pub mod pair_inputs;
pub mod prediction;
mod reach;
mod settings;
pub mod sort;

use crate::base::error::Result;
use crate::base::format::g;
use crate::base::ranks;
use crate::engine::analysis::reduce::Reductions;
use crate::engine::comm::{Shares, Weights};
use crate::engine::device_atoms::{DeviceAtoms, Halt};
use crate::engine::kernels::Context;
use crate::engine::simulation::SimulationSpec;
use crate::model::domain::Domain;
use crate::model::exclude::Exclude;
use crate::potentials::bonded::BondedTopology;
use bond_map::{BondMap, BondWarnings};
use cells::Cells;
use grid::Grid;
use list::{LeftOut, List};
use long_lists::LongLists;
use memory::expected_longest;
pub use memory::{check_memory, expected_neighbors, expected_neighbors_of};
use pair_inputs::{AtomNumbers, ById, Velocities};
use prediction::PositionPrediction;
pub use reach::Reach;
pub use settings::Settings;
use std::cell::Cell;

/// Where a run stands with its rebuilds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The step of the last build.
    built: u32,
    /// The one before it, if the last one was predicted by what came between; else the last one itself.
    since: u32,
    /// How many steps passed between the last two builds: the best guess of when the next one is due.
    interval: u32,
    /// Rebuilds in the loop of this run.
    builds: u64,
}

impl Schedule {
    /// There is a build at a step, predicted or not.
    fn follow(&mut self, step: u32, predicted: bool) {
        self.interval = (step - self.built).max(1);
        self.since = if predicted { self.built } else { step };
        self.built = step;
    }
}

/// Cells and list of a run, and the schedule of their rebuilds.
pub struct Neighbor {
    context: Context,
    settings: Settings,
    dimension: u32,
    reach: Reach,
    grid: Grid,
    /// Moduli that make the box and its copies, per axis; 0 where there are no images.
    parts: [f64; 3],
    /// The grid's stencil may become smaller in another box, and larger again.
    first_grid: Grid,
    /// The longest bond there may be.
    bond: f64,
    /// The box when the list was built, and now.
    boxes: [Domain; 2],
    /// The step of the last rebuild that found another box; and whether it was forgotten, so that the device has an older one.
    fitted: u32,
    stale: bool,
    /// Whether the next one divides the box as a run does that begins there.
    anew: bool,
    cells: Cells,
    /// The full list.
    pub list: List,
    /// Which atoms have lists here, where ranks share them out.
    pub shares: Option<Shares>,
    /// The part that each rank is to have.
    pub weights: Weights,
    /// Whether ranks may do that.
    pub may_share: bool,
    /// Whether the next rebuild may have atoms go from rank to rank.
    pub migrates: bool,
    /// Whether steps move each rank's own atoms only; of others a rank knows the staged positions of those that its lists name.
    pub partial: bool,
    /// Whether the last one did: cells and lists are of this rank's atoms and of those near them.
    scattered: bool,
    /// Whether atoms of bonds are then all among these, on all ranks.
    bonds_near: bool,
    /// Whether since then this rank has not learnt of the other atoms what goes along with them (groups, images and the like).
    untold: bool,
    /// What ranks have told one another of a halt with the positions of a step, since which nothing was launched.
    pub told: Cell<Option<(u32, Halt)>>,
    /// A step whose forces are in memory of all blocks but those [near borders](Neighbor::phases).
    pub begun: Cell<Option<u32>>,
    /// Those of long pairs, where there are some.
    pub long: Option<LongLists>,
    /// What molecules add, where there are some.
    pub links: Option<BondMap>,
    /// Charges, where pair styles see them.
    pub charges: Option<AtomNumbers>,
    /// Other numbers of atoms that these read.
    pub given: Option<AtomNumbers>,
    /// Velocities, where pair styles see them.
    pub velocities: Option<Velocities>,
    schedule: Schedule,
    /// Where lists have the atoms.
    pub prediction: PositionPrediction,
    /// A step at which the list is rebuilt whatever the schedule says.
    forced: Option<u32>,
    /// By how many edges the box is flipped at the next rebuild.
    flip: Option<[i32; 3]>,
    /// How far it may lean, in edges, without a flip at rebuilds.
    most_lean: f64,
    /// Those that came at the first step at which they were allowed.
    pub dangerous: u64,
    /// Until so many rebuilds, faces of the box have moved of late.
    faces_stay_from: u64,
    /// What there was to say of bonds before the run was set up anew.
    earlier: BondWarnings,
}

impl Neighbor {
    /// For the atoms of a box, by the cutoffs per ordered pair of types and how far lists reach for these.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(
        context: &Context,
        settings: &Settings,
        domain: &Domain,
        dimension: u32,
        (cutoffs, reach): (&[f64], Reach),
        molecules: &BondedTopology,
        atoms: usize,
    ) -> Result<Self> {
        grid::check(domain, dimension, reach.longest, reach.cell, atoms)?;
        let grid = Grid::new(domain, dimension, reach.longest, reach.cell);
        let images = grid::images(domain, dimension);
        let edge = context.shape.block_edge;
        let around = grid::around(domain, dimension, reach.longest, reach.cell, edge);
        let longest =
            settings.one.unwrap_or(usize::MAX).min(expected_longest(domain, dimension, reach.longest, atoms));
        let named = settings.exclude.iter().any(Exclude::by_molecule);
        let conditions: Vec<String> = settings.exclude.iter().filter_map(Exclude::condition).collect();
        let links = match molecules.is_empty() && conditions.is_empty() {
            true => None,
            false => Some(BondMap::new(context, molecules, named, atoms)?),
        };
        // Of thousands of types a table of pairs is large: where all have one cutoff, it is one number.
        let by_types = reach.long.is_some()
            || settings.exclude.iter().any(|exclude| matches!(exclude, Exclude::Types(..)));
        let alike = !by_types && cutoffs.iter().all(|cutoff| *cutoff == cutoffs[0]);
        let told_apart = if alike { &cutoffs[..1] } else { cutoffs };
        let mut squared: Vec<f64> =
            told_apart.iter().map(|cutoff| (cutoff + settings.skin).powi(2)).collect();
        for exclude in &settings.exclude {
            if let Exclude::Types(i, j) = exclude {
                let types = context.types;
                squared[(i - 1) * types + j - 1] = -1.0;
                squared[(j - 1) * types + i - 1] = -1.0;
            }
        }
        let special = links.as_ref().map_or(0, |links| links.special.width);
        let condition = conditions.join(" || ");
        let left_out = (special > 0 || !condition.is_empty()).then_some(LeftOut { special, condition });
        let long = match &reach.long {
            None => None,
            Some(long) => {
                let mut own = squared.clone();
                for (k, &is_long) in long.long.iter().enumerate() {
                    let other = if is_long { &mut squared } else { &mut own };
                    other[k] = -1.0;
                }
                Some(LongLists::new(context, atoms, &own, long, left_out.as_ref())?)
            }
        };
        let cells = Cells::new(context, atoms, &grid, domain)?;
        Ok(Neighbor {
            context: context.clone(),
            settings: settings.clone(),
            dimension,
            list: List::new(context, atoms, longest, cells.blocks, &squared, around, left_out.as_ref())?,
            shares: None,
            weights: Weights::equal(ranks::count()),
            may_share: false,
            migrates: false,
            partial: false,
            scattered: false,
            bonds_near: false,
            untold: false,
            told: Cell::new(None),
            begun: Cell::new(None),
            long,
            cells,
            links,
            charges: None,
            given: None,
            velocities: None,
            bond: molecules.longest_bond(),
            parts: grid
                .moduli_per_axis(domain.lengths(), images, context.numerics.modulus)
                .map(|parts| parts as f64),
            first_grid: grid.clone(),
            boxes: [domain.clone(), domain.clone()],
            fitted: 0,
            stale: false,
            anew: false,
            grid,
            reach,
            schedule: Schedule { built: 0, since: 0, interval: 1, builds: 0 },
            prediction: PositionPrediction::none(context)?,
            forced: None,
            flip: None,
            most_lean: f64::INFINITY,
            dangerous: 0,
            faces_stay_from: 0,
            earlier: BondWarnings::default(),
        })
    }

    /// Has what pair styles see of up to `atoms` atoms put beside their staged positions: charges and other numbers, given by ID, and
    /// velocities.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn show(&mut self, spec: &SimulationSpec<'_>, atoms: usize) -> Result<()> {
        let (context, seen) = (&self.context, spec.pair.seen());
        let numbers = |name, columns: &[&ById]| AtomNumbers::new(context, name, columns, atoms);
        let given: Vec<&ById> = spec.given.iter().map(|column| &column[..]).collect();
        self.charges = seen.charges.then(|| numbers("charges", &[spec.charges])).transpose()?;
        self.given = (seen.given > 0).then(|| numbers("numbers of atoms", &given)).transpose()?;
        self.velocities = if seen.velocities { Some(Velocities::new(context, atoms)?) } else { None };
        Ok(())
    }

    /// The lines "Neighbor list info ..." of the log.
    pub fn describe(&self) -> Vec<String> {
        let Settings { every, delay, check, .. } = self.settings;
        let check = if check { "yes" } else { "no" };
        let [x, y, z] = self.grid.cells;
        let mut lines = vec![
            "Neighbor list info ...".to_owned(),
            format!("  update: every = {every} steps, delay = {delay} steps, check = {check}"),
            format!("  master list distance cutoff = {}", g(self.reach.longest, 6)),
            format!("  full list, cells = {x} {y} {z} along a Hilbert curve"),
        ];
        if let Some(long) = &self.reach.long {
            let kinds = |&kind: &usize| long.owners[kind];
            let owners: Vec<String> =
                (0..long.owners.len()).filter(kinds).map(|kind| (kind + 1).to_string()).collect();
            lines.push(format!(
                "  longer pairs, up to {}, in lists of their own: of atoms of type {}",
                g(self.reach.farthest, 6),
                owners.join(" ")
            ));
        }
        if self.prediction.ahead() {
            lines.push(
                "  built around where atoms will be, so that they last (-rebuild lammps: where atoms are)"
                    .to_owned(),
            );
        }
        lines
    }

    /// Whether the schedule allows a rebuild at a step.
    fn scheduled(&self, step: u32) -> bool {
        let ago = u64::from(step - self.schedule.built);
        !self.settings.once
            && ago > 0
            && ago >= self.settings.delay
            && ago.is_multiple_of(self.settings.every)
    }

    /// Has the list rebuilt at a step, whatever the schedule says.
    pub fn force_at(&mut self, step: u32) {
        self.forced = Some(step);
    }

    /// Counts on from a run of which this one is the continuation.
    pub fn continue_from(&mut self, before: &Neighbor, news: BondWarnings) {
        self.earlier = news;
        self.schedule.builds = before.schedule.builds + 1;
        self.dangerous = before.dangerous;
        self.most_lean = before.most_lean;
    }

    /// What was added to every cutoff when the list was built, in distance units.
    pub fn skin(&self) -> f64 {
        self.settings.skin
    }

    /// The longest cutoff of the lists, skin included, in distance units.
    pub fn list_cutoff(&self) -> f64 {
        self.reach.longest
    }

    /// How the box is divided.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Cells and the box.
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// Whether the list is rebuilt at a step in any case (`check no`, [`Neighbor::force_at`]), and has not been yet: the host
    /// comes back to a step whose rebuild or whatever follows it has halted.
    pub fn due(&self, step: u32) -> bool {
        let forced = self.forced == Some(step) && self.schedule.built != step;
        forced || !self.settings.check && self.scheduled(step)
    }

    /// Rebuilds in the loop of this run.
    pub fn builds(&self) -> u64 {
        self.schedule.builds
    }

    /// Counts the rebuild just enqueued as one of the loop.
    pub fn count_build(&mut self) {
        self.schedule.builds += 1;
    }

    /// The step of the last build.
    pub fn built(&self) -> u32 {
        self.schedule.built
    }

    /// Says to [`Gpu::compile_ahead`](crate::gpu::Gpu::compile_ahead) that `n` atoms are about to be put into cells.
    pub fn foresee_cells(&self, n: usize) {
        self.cells.foresee(&self.context, n);
    }

    /// The same of the lists of atoms in cells.
    pub fn foresee_lists(&self) {
        self.list.foresee(&self.cells);
    }

    /// Launches what rebuilds of the loop launch and those of the set-up do not, where it does nothing: behind a halt. With `moved` the box may
    /// change between rebuilds, or at them.
    ///
    /// # Errors
    /// When the device fails.
    pub fn warm_up(&mut self, atoms: &mut DeviceAtoms, moved: bool) -> Result<()> {
        if self.cells.are_apart_for_timing(&self.context) {
            self.time_unfused(true);
            self.cells.assign(atoms, &self.prediction, atoms.step)?;
            self.time_unfused(false);
        }
        if moved {
            self.cells.set_box(atoms, &self.grid, &self.boxes, atoms.step)?;
        }
        self.links.iter().filter(|_| self.shares.is_some()).try_for_each(|links| links.warm_up(atoms))
    }

    /// Enqueues a rebuild: wrap, sort, list. What turns out too small halts the run ([`Neighbor::handle_halt`]).
    /// The box follows shrink-wrapped faces, for which the host waits.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn rebuild(
        &mut self,
        atoms: &mut DeviceAtoms,
        domain: &mut Domain,
        reductions: &Reductions,
    ) -> Result<()> {
        self.agree(atoms)?;
        self.shrink_wrap(atoms, domain, reductions)?;
        self.build(atoms, domain)
    }

    /// The same where faces have followed the atoms, and ranks know of these what they need.
    ///
    /// # Errors
    /// As [`Neighbor::rebuild`].
    pub fn build(&mut self, atoms: &mut DeviceAtoms, domain: &mut Domain) -> Result<()> {
        self.build_as(atoms, domain, false)
    }

    /// The same; where the list may be `predicted`, this step has looked at displacements.
    fn build_as(&mut self, atoms: &mut DeviceAtoms, domain: &mut Domain, predicted: bool) -> Result<()> {
        self.fit_box(atoms, domain)?;
        self.schedule.follow(atoms.step, predicted);
        self.follow_atoms(atoms, self.schedule.since)
    }

    /// Enqueues cells and lists in the box as it is: of a rebuild what needs nothing of the host. The build before was `since`
    /// that step, or that cycle.
    ///
    /// # Errors
    /// When the device fails.
    pub fn follow_atoms(&mut self, atoms: &mut DeviceAtoms, since: u32) -> Result<()> {
        self.told.set(None);
        self.begun.set(None);
        let since = if self.prediction.ahead() { since } else { atoms.step };
        if std::mem::take(&mut self.migrates) && self.migrate(atoms, since)? {
            return Ok(());
        }
        (self.scattered, self.untold, self.bonds_near) = (false, false, false);
        self.cells.assign(atoms, &self.prediction, since)?;
        if let Some(links) = &self.links {
            links.map(atoms, &self.cells)?;
        }
        [&self.charges, &self.given]
            .into_iter()
            .flatten()
            .try_for_each(|numbers| numbers.stage(atoms, 0..atoms.n))?;
        if let Some(velocities) = &self.velocities {
            velocities.stage(atoms, &self.cells, 0..atoms.n)?;
        }
        self.build_lists(atoms)
    }

    /// Enqueues the lists of atoms in their cells.
    fn build_lists(&mut self, atoms: &DeviceAtoms) -> Result<()> {
        if self.may_share {
            let edge = self.context.shape.block_edge.max(2); // octants
            let before = self.shares.take();
            let shares = match before {
                Some(shares) if self.scattered => shares,
                before => Shares::new(before, atoms, &self.cells, &self.grid, edge, &self.weights)?,
            };
            self.shares = Some(shares);
        }
        self.make_lists(atoms)
    }

    /// The same, whose they are as before: what a rank may do by itself.
    fn make_lists(&mut self, atoms: &DeviceAtoms) -> Result<()> {
        if let Some(shares) = &self.shares {
            self.list.keep(&self.context, atoms.capacity, &shares.own())?;
            self.cells.forget_blocks()?;
        } else {
            self.list.keep_all(&self.context, atoms.capacity)?;
        }
        let links = self.links.as_ref();
        self.list.build(atoms, &self.cells, links, None)?;
        self.shares.iter().try_for_each(|shares| shares.follow_lists(atoms, &self.cells))?;
        let stretch = self.boxes[1].stretch();
        self.long.iter().try_for_each(|long| long.build(atoms, &self.cells, links, stretch))
    }

    /// Has the parts of rebuilds launched one by one, or several together where they can be.
    pub fn time_unfused(&mut self, apart: bool) {
        self.cells.time_unfused(apart);
    }

    /// The schedule as it is now, to come back to with [`Neighbor::go_back`].
    pub fn schedule(&self) -> Schedule {
        self.schedule
    }

    /// Forgets the rebuilds that were enqueued since, after a halt at a step.
    pub fn go_back(&mut self, to: Schedule, halted: u32) {
        self.begun.set(None);
        self.stale |= self.fitted > halted;
        self.schedule = to;
    }
}
