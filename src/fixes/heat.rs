//! `fix ID GROUP heat N EFLUX [region ID]`: kinetic energy is added at a constant rate, the momentum stays. Source: LAMMPS
//! manual, `fix heat`; B. Hafskjold, T. Ikeshoji, S. K. Ratkje, Mol. Phys. 80 (1993) 1389.

use crate::base::error::{Error, Result};
use crate::model::region::Region;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{Fix, FixContext, FixOutput, Header, HostFix, Quantity};
use crate::session::snapshot::view::Snapshot;
use std::cell::Cell;

struct Heat {
    header: Header,
    every: i64,
    /// Energy per time, maybe of each atom, and whether that is made from energies or virials.
    flux: Quantity,
    tallies: Cell<bool>,
    region: Option<Region>,
    /// By what velocities were multiplied last.
    scale: Cell<f64>,
}

/// Takes how often, the flux, and `region`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("steps between additions of heat", 1)? as i64;
    let flux = Quantity::read_each(session, args, "energy per time", 1.0)?;
    let mut region = None;
    while !args.is_empty() {
        args.one_of("keyword of fix heat", &[("region", ())])?;
        region = Some(session.system.regions.moving_arg(args)?.clone());
    }
    let (tallies, scale) = (Cell::new(false), Cell::new(1.0));
    Ok(Box::new(Heat { header, every, flux, tallies, region, scale }))
}

impl Heat {
    /// By what the velocity of each of these atoms is multiplied, and what is then taken off.
    fn factors(&self, context: &FixContext<'_>, members: &[usize]) -> Result<(Vec<f64>, [f64; 3])> {
        let (session, system) = (context.session, context.system());
        let motion = Motion::of(&system, members)?;
        let time = self.every as f64 * session.clock.dt() * session.system.units.ftm2v;
        let Some(each) = self.flux.of_atoms() else {
            let scale = motion.scale(context.moment().value(&self.flux)? * time)?;
            return Ok((vec![scale; members.len()], motion.drift.map(|v| (scale - 1.0) * v)));
        };
        let (flux, atoms) = (system.per_atom(each)?, system.atoms()?);
        let scales = members.iter().map(|&i| motion.scale(flux[i] * time)).collect::<Result<Vec<_>>>()?;
        let mut gained = [0.0; 3];
        for (&i, scale) in members.iter().zip(&scales) {
            let share = system.mass(atoms.kind[i]) / motion.mass;
            (0..3).for_each(|d| gained[d] += (scale - 1.0) * share * atoms.v[i][d]);
        }
        Ok((scales, gained))
    }
}

/// The motion of some atoms as a whole.
pub(super) struct Motion {
    /// Their mass.
    pub(super) mass: f64,
    /// The velocity of their centre of mass.
    pub(super) drift: [f64; 3],
    /// Kinetic energy around it, in mass times velocity squared.
    pub(super) inner: f64,
}

impl Motion {
    /// Of these atoms.
    ///
    /// # Errors
    /// When there are none, or the device fails.
    pub(super) fn of(system: &Snapshot<'_>, members: &[usize]) -> Result<Self> {
        let atoms = system.atoms()?;
        let (mut mass, mut momentum, mut kinetic) = (0.0, [0.0; 3], 0.0);
        for &i in members {
            let m = system.mass(atoms.kind[i]);
            mass += m;
            (0..3).for_each(|d| momentum[d] += m * atoms.v[i][d]);
            kinetic += 0.5 * m * atoms.v[i].iter().map(|v| v * v).sum::<f64>();
        }
        if members.is_empty() {
            return Err(Error::new("there are no atoms to be heated").help("check the group and the region"));
        }
        let drift = momentum.map(|p| p / mass);
        let inner = kinetic - 0.5 * mass * drift.iter().map(|v| v * v).sum::<f64>();
        Ok(Motion { mass, drift, inner })
    }

    /// By what velocities around the drift are multiplied for this much more energy, in mass times velocity squared.
    ///
    /// # Errors
    /// When there is not so much to be taken off.
    pub(super) fn scale(&self, heat: f64) -> Result<f64> {
        let square = (self.inner + heat) / self.inner;
        if square.is_nan() || square < 0.0 {
            return Err(Error::new("more kinetic energy is taken off than there is")
                .help("take a smaller flux, or smaller steps between"));
        }
        Ok(square.sqrt())
    }
}

impl Fix for Heat {
    fn header(&self) -> &Header {
        &self.header
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }
}

impl HostFix for Heat {
    fn next(&self, step: i64) -> Option<i64> {
        Some((step.div_euclid(self.every) + 1) * self.every)
    }

    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.tallies.set(self.flux.of_atoms().is_some_and(|each| context.session.needs_tally(each)));
        Ok(())
    }

    fn needs_tally(&self) -> bool {
        self.tallies.get()
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        let system = context.system();
        let members = system.indices(self.header.group, self.region.as_ref())?;
        let (scales, gained) = self.factors(context, &members)?;
        let mut v = system.atoms()?.v.clone();
        for (&i, scale) in members.iter().zip(&scales) {
            (0..3).for_each(|d| v[i][d] = scale * v[i][d] - gained[d]);
        }
        self.scale.set(scales.iter().sum::<f64>() / scales.len() as f64);
        drop(system);
        context.simulation.set_velocities(&v)
    }
}

impl FixOutput for Heat {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::SCALAR)
    }

    /// The last factor of velocities, on average where atoms have their own.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::scalar(self.scale.get()))
    }
}
