//! `fix ID GROUP box/relax KEYWORD ...`: minimizations vary the box too, under a target pressure. Source: LAMMPS manual,
//! `fix box/relax`: the strain energy is that of Parrinello and Rahman, J. Appl. Phys. 52, 7182 (1981).

use super::barostat::{Axes, Barometer};
use super::{Fix, Header, Watched, World, thermostat};
use crate::compute::{self, Compute, Shape, Values};
use crate::domain::Domain;
use crate::error::Result;
use crate::script::Args;
use crate::state::State;
use crate::system::System;
use std::cell::{Cell, RefCell};

/// The edges of a box as coordinates of a minimization. They change by strains: parts of the edges when it began; one
/// strain where all axes change alike, else one per axis.
pub struct BoxRelax {
    header: Header,
    watched: Watched,
    axes: Axes,
    /// The longest step of a strain in an iteration.
    longest: f64,
    /// Whether all atoms follow the box, or only the group.
    all: bool,
    /// The point that stays where it is.
    fixed: [f64; 3],
    /// Iterations between new reference boxes; 0: none.
    reset_every: i64,
    dimension: u32,
    barometer: RefCell<Barometer>,
    /// Edges when the minimization began, and those that energies are counted from; 1 along z in 2d.
    first: Cell<[f64; 3]>,
    reference: Cell<[f64; 3]>,
}

pub(super) fn new(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let domain = state.domain()?;
    let mut fix = BoxRelax {
        watched: Watched {
            temperature: thermostat::own_temperature(&header),
            pressure: Some(format!("{}_press", header.id)),
        },
        header,
        axes: Axes::at_rest(state.dimension),
        longest: 1e-4,
        all: true,
        fixed: std::array::from_fn(|d| 0.5 * (domain.lo[d] + domain.hi[d])),
        reset_every: 0,
        dimension: state.dimension,
        barometer: RefCell::default(),
        first: Cell::new(edges(domain, state.dimension)),
        reference: Cell::new(edges(domain, state.dimension)),
    };
    while let Some(word) = args.peek() {
        args.word("a keyword")?;
        if fix.axes.keyword(word, args)? {
            continue;
        }
        match &*word.text {
            "vmax" => fix.longest = args.positive("the longest strain")?,
            "nreset" => fix.reset_every = args.count("iterations between reference boxes", 0)? as i64,
            "dilate" => {
                fix.all = args.one_of("atoms that follow the box", &[("all", true), ("partial", false)])?;
            }
            "fixedpoint" => {
                for x in &mut fix.fixed {
                    *x = args.f64("a coordinate of the fixed point")?;
                }
            }
            "scalexy" | "scalexz" | "scaleyz" => {
                return Err(args
                    .unsupported(word, "keyword of fix box/relax")
                    .help("the box keeps its angles: leave it out"));
            }
            _ => {
                let names =
                    ["iso", "aniso", "x", "y", "z", "couple", "vmax", "nreset", "dilate", "fixedpoint"];
                return Err(args.unknown(word, "keyword of fix box/relax", names.into_iter()));
            }
        }
    }
    if !fix.axes.any() {
        return Err(args.error_here("fix box/relax needs a pressure: iso, aniso, x, y or z"));
    }
    fix.axes.check(state, args)?;
    let mut others = state.fixes.iter().filter(|other| other.header().id != fix.header.id);
    if let Some(other) = others.find(|other| other.relaxation().is_some()) {
        let id = &other.header().id;
        let error = args.error_here(format_args!("fix {id} is a fix box/relax already"));
        return Err(error.help(format!("give it all axes, or `unfix {id}` first")));
    }
    Ok(Box::new(fix))
}

/// Edges of a box; 1 along z in 2d.
fn edges(domain: &Domain, dimension: u32) -> [f64; 3] {
    let [x, y, z] = domain.lengths();
    [x, y, if dimension == 2 { 1.0 } else { z }]
}

impl BoxRelax {
    /// Number of strains.
    pub fn freedom(&self) -> usize {
        if self.axes.isotropic() { 1 } else { 3 }
    }

    /// Whether atoms of this group mask follow the box.
    pub fn moves(&self, mask: u32) -> bool {
        self.all || mask & self.header.group != 0
    }

    /// How far a line search may go along these strains; of several not beyond the direction itself, as in LAMMPS.
    pub fn longest(&self, direction: &[f64]) -> f64 {
        let most = if self.axes.isotropic() { f64::INFINITY } else { 1.0 };
        direction.iter().map(|strain| self.longest / strain.abs()).fold(most, f64::min)
    }

    /// Lower and upper corner of a box after strains.
    pub fn strained(&self, domain: &Domain, strain: &[f64]) -> [[f64; 3]; 2] {
        let (length, first) = (domain.lengths(), self.first.get());
        let corner = |x: [f64; 3]| {
            std::array::from_fn(|d| match self.axes.controlled[d] {
                Some(_) => {
                    let strain = strain[if strain.len() == 1 { 0 } else { d }];
                    x[d] + (x[d] - self.fixed[d]) / length[d] * strain * first[d]
                }
                None => x[d],
            })
        };
        [corner(domain.lo), corner(domain.hi)]
    }

    /// Takes the box as the new reference, where this iteration is one for it.
    pub fn new_reference(&self, iteration: i64, domain: &Domain) -> bool {
        let due = self.axes.one_by_one && self.reset_every > 0 && iteration % self.reset_every == 0;
        if due {
            self.reference.set(edges(domain, self.dimension));
        }
        due
    }

    /// The mean target of the controlled axes, in pressure units.
    fn hydrostatic(&self) -> f64 {
        let targets = self.axes.controlled.iter().flatten().map(|axis| axis.stop);
        targets.clone().sum::<f64>() / targets.count() as f64
    }

    /// By how much each edge has grown since the reference, as a factor, and what the target of each axis is beyond the
    /// mean.
    fn stretches(&self, domain: &Domain) -> [[f64; 3]; 2] {
        let (length, reference) = (edges(domain, self.dimension), self.reference.get());
        let axis = |d: usize| self.axes.controlled[d];
        let factor = std::array::from_fn(|d| axis(d).map_or(1.0, |_| length[d] / reference[d]));
        let mean = self.hydrostatic();
        [factor, std::array::from_fn(|d| axis(d).map_or(0.0, |axis| axis.stop - mean))]
    }

    /// What a box costs: P (V - V0) and, where targets differ, V0 sum s_d^2 (P_d - P) / 2 with the factors s_d of its
    /// edges; in energy units.
    pub fn energy(&self, domain: &Domain, nktv2p: f64) -> f64 {
        let volume = self.reference.get().iter().product::<f64>();
        let [factor, beyond] = self.stretches(domain);
        let work = self.hydrostatic() * (factor.iter().product::<f64>() - 1.0);
        let shape: f64 = (0..3).map(|d| 0.5 * beyond[d] * factor[d] * factor[d]).sum();
        volume * (work + shape) / nktv2p
    }

    /// What drives the strains, in energy units, at a step with tallies.
    ///
    /// # Errors
    /// When the pressure compute is gone or the pressure is not finite.
    pub fn forces(&self, world: &World<'_>) -> Result<Vec<f64>> {
        let mut barometer = self.barometer.borrow_mut();
        barometer.measure(world, self.watched.pressure.as_deref().unwrap_or_default())?;
        let found = self.axes.pressures(&barometer, world)?;
        let volume = self.reference.get().iter().product::<f64>() / world.state.units.nktv2p;
        let [factor, beyond] = self.stretches(&world.simulation.domain);
        let mean = self.hydrostatic();
        if self.axes.isotropic() {
            let [d, s] = [f64::from(self.dimension), factor[0]];
            return Ok(vec![volume * (found[0] - mean) * d * s.powi(self.dimension as i32 - 1)]);
        }
        let along = |d: usize| {
            let others = factor[(d + 1) % 3] * factor[(d + 2) % 3];
            volume * ((found[d] - mean) * others - beyond[d] * factor[d])
        };
        Ok((0..3).map(|d| self.axes.controlled[d].map_or(0.0, |_| along(d))).collect())
    }
}

impl Fix for BoxRelax {
    fn header(&self) -> &Header {
        &self.header
    }

    fn computes(&self, state: &State) -> Vec<Box<dyn Compute>> {
        let barometer = compute::virial_pressure(&format!("{}_press", self.header.id), state.dimension);
        vec![thermostat::thermometer(&self.header, 1, state), barometer]
    }

    fn watched(&mut self) -> Option<&mut Watched> {
        Some(&mut self.watched)
    }

    fn relaxation(&self) -> Option<&BoxRelax> {
        Some(self)
    }

    fn begin_run(&self, world: &mut World<'_>) -> Result<()> {
        let edges = edges(&world.simulation.domain, self.dimension);
        self.first.set(edges);
        self.reference.set(edges);
        Ok(())
    }

    fn shape(&self) -> Option<Shape> {
        Some(Shape::SCALAR)
    }

    fn values(&self, system: &System<'_>) -> Result<Values> {
        let energy = self.energy(system.domain()?, system.state.units.nktv2p);
        Ok(Values { scalar: Some(energy), ..Values::default() })
    }

    fn extensive(&self) -> bool {
        true
    }
}
