//! The potential energy of all atoms as a function of their positions: evaluated on the device, searched by the host.

use super::{Limits, Norm, Stop};
use crate::domain::Domain;
use crate::error::Result;
use crate::fix::BoxRelax;
use crate::fix::hooks::Hooks;
use crate::output::Output;
use crate::progress::Progress;
use crate::run;
use crate::setup;
use crate::simulation::Simulation;
use crate::state::State;
use crate::timing::Section;
use cpu_time::ProcessTime;
use rayon::prelude::*;
use std::time::Instant;

/// Keeps the tolerance of the energy above zero where the energy is zero.
const SMALL_ENERGY: f64 = 1e-8;

/// Atoms, their energy and forces. Vectors are 3 numbers per atom, in the order of the atoms when the search began. Where
/// the box takes part ([`BoxRelax`]), forces and directions have those of its strains behind them.
pub(super) struct Landscape<'a> {
    pub(super) state: &'a mut State,
    simulation: Simulation,
    hooks: Hooks,
    output: Output,
    progress: Progress,
    /// Positions, not wrapped into the box.
    pub(super) x: Vec<f64>,
    /// Forces there, and what drives the box.
    pub(super) force: Vec<f64>,
    /// Mass of each atom.
    pub(super) mass: Vec<f64>,
    /// Potential energy there, with that of a box that takes part; per atom where thermo output is.
    pub(super) energy: f64,
    /// The same before the last iteration.
    pub(super) previous_energy: f64,
    /// How far the last line search went along its direction.
    pub(super) alpha: f64,
    pub(super) iterations: i64,
    pub(super) evaluations: i64,
    /// Where atoms were when the list was built, in the box.
    built_at: Vec<f64>,
    /// Place of each atom on the device.
    places: Vec<u32>,
    /// By how many lengths of the box each atom has been wrapped since the search began.
    wraps: Vec<[f64; 3]>,
    /// Tags in the order of our vectors, and image counts when the search began.
    tags: Vec<u32>,
    images: Vec<[i32; 3]>,
    /// Group mask of each atom.
    groups: Vec<u32>,
}

/// Where a line search begins.
pub(super) struct Start {
    x: Vec<f64>,
    domain: Domain,
}

/// The fix that makes the box take part, if there is one.
fn relaxation(state: &State) -> Option<&BoxRelax> {
    state.fixes.iter().find_map(|fix| fix.relaxation())
}

impl<'a> Landscape<'a> {
    /// From a simulation that has just been set up.
    pub(super) fn new(
        state: &'a mut State,
        simulation: Simulation,
        hooks: Hooks,
        output: Output,
        progress: Progress,
    ) -> Result<Self> {
        if relaxation(state).is_some() {
            simulation.allow_box_changes()?;
        }
        let atoms = simulation.atoms.download(&state.host_atoms)?;
        let mass = atoms.kind.iter().map(|&kind| state.mass[kind as usize - 1].unwrap_or(1.0)).collect();
        let x = atoms.x.concat();
        let mut landscape = Landscape {
            built_at: x.clone(),
            force: Vec::new(),
            mass,
            energy: 0.0,
            previous_energy: 0.0,
            alpha: 0.0,
            iterations: 0,
            evaluations: 0,
            places: (0..atoms.len() as u32).collect(),
            wraps: vec![[0.0; 3]; atoms.len()],
            groups: atoms.mask,
            tags: atoms.tag,
            images: atoms.image,
            state,
            simulation,
            hooks,
            output,
            progress,
            x,
        };
        landscape.measure()?;
        landscape.previous_energy = landscape.energy;
        Ok(landscape)
    }

    /// Energy and forces at `x`; the list follows the atoms.
    ///
    /// # Errors
    /// When the device fails or a position is not finite.
    pub(super) fn evaluate(&mut self) -> Result<()> {
        let inside = self.inside();
        let mut there = vec![[0.0; 3]; self.places.len()];
        for (x, &place) in inside.chunks_exact(3).zip(&self.places) {
            there[place as usize].copy_from_slice(x);
        }
        self.simulation.place(&there)?;
        let (_, far) = self.simulation.neighbor.watch(self.simulation.atoms.step);
        let moved = inside.par_chunks_exact(3).zip(self.built_at.par_chunks_exact(3));
        let distance = |(a, b): (&[f64], &[f64])| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let near = moved.map(distance).all(|distance| distance <= far);
        let simulation = &mut self.simulation;
        if simulation.neighbor.outgrown(&simulation.domain) || !near && simulation.outgrows()? {
            self.simulation = setup::set_up_anew(self.state, &self.simulation, true)?;
            self.find_atoms()?;
        } else if !near {
            simulation.rebuild()?;
            self.find_atoms()?;
        }
        self.simulation.tallied_forces()?;
        self.simulation.neighbor.check_bonds(&self.simulation.atoms)?;
        let gpu = self.simulation.atoms.context.gpu.clone();
        gpu.host(Section::Modify, || self.hooks.change_forces(self.state, &mut self.simulation))?;
        self.evaluations += 1;
        self.measure()
    }

    /// Reads energy and forces.
    fn measure(&mut self) -> Result<()> {
        let atoms = self.places.len();
        let there = self.simulation.atoms.forces()?;
        self.force = self.places.iter().flat_map(|&place| there[place as usize]).collect();
        let volume = self.simulation.domain.volume(self.state.dimension);
        let sums = self.simulation.sums()?;
        let tail = self.simulation.course.tail_energy() / volume;
        let fixes = self.state.fixes.iter().map(|fix| fix.potential_energy()).sum::<f64>();
        let mut energy = sums.energy + sums.bond_energy + tail + fixes;
        if let Some(relaxation) = relaxation(self.state) {
            energy += relaxation.energy(&self.simulation.domain, self.state.units.nktv2p);
            self.force.extend(self.hooks.box_forces(self.state, &mut self.simulation)?);
        }
        self.energy = if self.state.thermo.norm { energy / atoms as f64 } else { energy };
        Ok(())
    }

    /// The divisor of energies.
    pub(super) fn divisor(&self) -> f64 {
        if self.state.thermo.norm { self.mass.len() as f64 } else { 1.0 }
    }

    /// After a rebuild: atoms lie elsewhere, and some were wrapped.
    fn find_atoms(&mut self) -> Result<()> {
        let resident = &self.simulation.atoms;
        let tags = resident.columns.tag.read(Section::Comm, 0..resident.n)?;
        let images: Vec<[i32; 3]> = resident.columns.image.view(Section::Comm, 0..resident.n, |images| {
            images.iter().map(|&image| crate::resident::unpack_image(image)).collect()
        })?;
        let most = tags.iter().copied().max().unwrap_or(0) as usize;
        let mut place_of = vec![u32::MAX; most + 1];
        tags.iter().enumerate().for_each(|(place, &tag)| place_of[tag as usize] = place as u32);
        for (i, tag) in self.tags.iter().enumerate() {
            let place = place_of.get(*tag as usize).copied().filter(|&place| place != u32::MAX);
            let place =
                place.ok_or_else(|| crate::error::Error::new("an atom was lost in a minimization"))?;
            self.places[i] = place;
            self.wraps[i] = std::array::from_fn(|d| f64::from(images[place as usize][d] - self.images[i][d]));
        }
        self.built_at = self.inside();
        Ok(())
    }

    /// Positions in the box.
    fn inside(&self) -> Vec<f64> {
        let domain = &self.simulation.domain;
        let atoms = self.x.chunks_exact(3).zip(&self.wraps);
        atoms.flat_map(|(x, wraps)| domain.shifted([x[0], x[1], x[2]], wraps.map(|n| -n))).collect()
    }

    /// From here.
    pub(super) fn start(&self) -> Start {
        Start { x: self.x.clone(), domain: self.simulation.domain.clone() }
    }

    /// How far a search may go along a direction, so that no coordinate goes farther than `dmax` and no strain too far.
    pub(super) fn reach(&self, direction: &[f64], dmax: f64) -> f64 {
        let (atoms, strains) = direction.split_at(self.x.len());
        let longest = dmax / atoms.iter().fold(0.0, |most: f64, h| most.max(h.abs()));
        relaxation(self.state).map_or(longest, |relaxation| longest.min(relaxation.longest(strains)))
    }

    /// Goes from a start along a direction. Atoms follow the box, if it takes part, and then move by themselves.
    ///
    /// # Errors
    /// As [`Landscape::evaluate`], and when the box has no extent any more.
    pub(super) fn go(&mut self, start: &Start, direction: &[f64], alpha: f64) -> Result<()> {
        self.x.clone_from(&start.x);
        let (atoms, strains) = direction.split_at(self.x.len());
        if let Some(relaxation) = relaxation(self.state) {
            let strains: Vec<f64> = strains.iter().map(|strain| alpha * strain).collect();
            let (from, to) = (&start.domain, relaxation.strained(&start.domain, &strains));
            let length = from.lengths();
            let longer: [f64; 3] = std::array::from_fn(|d| to.hi[d] - to.lo[d] - length[d]);
            let [.., xy, xz, yz] = from.map_to(to.lo, to.hi, to.tilt);
            let leans: [f64; 3] = std::array::from_fn(|k| to.tilt[k] - from.tilt[k]);
            self.simulation.set_tilted_box(to.lo, to.hi, to.tilt)?;
            for ((x, group), wraps) in self.x.chunks_exact_mut(3).zip(&self.groups).zip(&self.wraps) {
                let along = |n: [f64; 3], [xy, xz, yz]: [f64; 3]| [xy * n[1] + xz * n[2], yz * n[2], 0.0];
                let by: [f64; 3] = match relaxation.moves(*group) {
                    true => {
                        let way: [f64; 3] = std::array::from_fn(|d| x[d] - from.lo[d]);
                        let aside = along(way, [xy, xz, yz]);
                        std::array::from_fn(|d| {
                            to.lo[d] - from.lo[d] + way[d] * longer[d] / length[d] + aside[d]
                        })
                    }
                    // It stays in the box.
                    false => {
                        let aside = along(*wraps, leans);
                        std::array::from_fn(|d| wraps[d] * longer[d] + aside[d])
                    }
                };
                x.iter_mut().zip(by).for_each(|(x, by)| *x += by);
            }
        }
        self.x.iter_mut().zip(atoms).for_each(|(x, h)| *x += alpha * h);
        self.evaluate()
    }

    /// A line search has found its end; now and then the box there is the new reference.
    ///
    /// # Errors
    /// As [`Landscape::evaluate`].
    pub(super) fn arrive(&mut self) -> Result<Option<Stop>> {
        let domain = &self.simulation.domain;
        if relaxation(self.state).is_some_and(|relaxation| relaxation.new_reference(self.iterations, domain))
        {
            self.evaluate()?;
            self.evaluations -= 1; // as LAMMPS counts
        }
        Ok(None)
    }

    /// The square of the forces' length.
    pub(super) fn force_squared(&self, norm: Norm) -> f64 {
        let (atoms, strains) = self.force.split_at(self.x.len());
        let squared = |f: &[f64]| f.iter().map(|f| f * f).sum::<f64>();
        match norm {
            Norm::Two => squared(&self.force),
            Norm::Max => {
                atoms.chunks_exact(3).chain(strains.chunks_exact(1)).map(squared).fold(0.0, f64::max)
            }
            Norm::Inf => self.force.iter().map(|f| f * f).fold(0.0, f64::max),
        }
    }

    /// Whether the last iteration changed the energy by less than the tolerance.
    pub(super) fn energy_settled(&self, limits: Limits) -> bool {
        let scale = 0.5 * (self.energy.abs() + self.previous_energy.abs() + SMALL_ENERGY);
        (self.energy - self.previous_energy).abs() < limits.energy * scale
    }

    /// Whether the forces are below the tolerance.
    pub(super) fn at_rest(&self, limits: Limits, norm: Norm) -> bool {
        limits.force > 0.0 && self.force_squared(norm) < limits.force * limits.force
    }

    /// Begins an iteration, or says why not.
    pub(super) fn next(&mut self, limits: Limits) -> Option<Stop> {
        if self.iterations >= limits.iterations {
            return Some(Stop::MaxIterations);
        }
        if super::ending(self.state) {
            return Some(Stop::WallTime);
        }
        self.state.step += 1;
        self.simulation.atoms.step += 1;
        self.iterations += 1;
        self.progress.tick(self.state.step);
        None
    }

    /// Rows and frames where they are due, with these velocities.
    ///
    /// # Errors
    /// As [`Output::write`], and when the device fails.
    pub(super) fn write_moving(&mut self, v: &[f64]) -> Result<()> {
        if self.due() {
            self.set_velocities(v)?;
        }
        self.write(false)
    }

    fn due(&self) -> bool {
        self.output.next(self.state, self.state.step - 1) == self.state.step
    }

    /// Rows and frames where they are due, or all because the search is over.
    ///
    /// # Errors
    /// As [`Output::write`].
    pub(super) fn write(&mut self, over: bool) -> Result<()> {
        if !(over || self.due()) {
            return Ok(());
        }
        let (state, simulation, output) = (&mut *self.state, &mut self.simulation, &mut self.output);
        self.progress.suspend(|| match over {
            true => output.write_all(state, simulation),
            false => output.write(state, simulation, false),
        })
    }

    /// The closing lines; atoms stay on the device.
    ///
    /// # Errors
    /// When a file cannot be written or the device fails.
    pub(super) fn close(self, stats: String, clock: Instant, cpu_clock: ProcessTime) -> Result<()> {
        let Landscape { state, mut simulation, hooks, output, progress, .. } = self;
        hooks.end(state, &mut simulation)?;
        drop(progress);
        let seconds = [clock.elapsed().as_secs_f64(), cpu_clock.elapsed().as_secs_f64()];
        let record = run::record(state, &simulation, seconds, Some(stats))?;
        output.end(state, &simulation, &record, true)?;
        state.domain = Some(simulation.domain);
        let tally = simulation.tallied.then_some(simulation.plan.tally);
        state.set_resident(simulation.atoms, tally);
        Ok(())
    }

    /// Velocities of all atoms, from our vectors.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn set_velocities(&mut self, v: &[f64]) -> Result<()> {
        let mut there = vec![0.0; v.len()];
        for (i, &place) in self.places.iter().enumerate() {
            there[3 * place as usize..][..3].copy_from_slice(&v[3 * i..][..3]);
        }
        self.simulation.atoms.columns.v.write(Section::Modify, &there)
    }
}
