//! `fix ID GROUP ehex N F [region ID] [hex]`: heat as by `heat`, with positions corrected so that energy is conserved to a
//! higher order. Source: LAMMPS manual, and P. Wirnsberger, D. Frenkel, C. Dellago, J. Chem. Phys. 143 (2015) 124104,
//! eq. 20.

use super::heat::Motion;
use crate::base::error::Result;
use crate::model::region::Region;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{Fix, FixContext, FixOutput, Header, HostFix};
use crate::session::snapshot::view::Snapshot;
use std::cell::Cell;

struct Ehex {
    header: Header,
    every: i64,
    /// Energy per time.
    flux: f64,
    region: Option<Region>,
    /// Positions stay as they are.
    plain: bool,
    /// By what velocities were multiplied last.
    scale: Cell<f64>,
}

/// Takes how often, the flux, and keywords.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("steps between additions of heat", 1)? as i64;
    let flux = args.f64("energy per time")?;
    let (mut region, mut plain) = (None, false);
    while let Some(word) = args.peek() {
        match args
            .one_of("keyword of fix ehex", &["region", "hex", "com", "constrain"].map(|name| (name, name)))?
        {
            "region" => region = Some(session.system.regions.moving_arg(args)?.clone()),
            "hex" => plain = true,
            _ => return Err(args.unsupported(word, "keyword")),
        }
    }
    Ok(Box::new(Ehex { header, every, flux, region, plain, scale: Cell::new(1.0) }))
}

impl Ehex {
    /// The atoms that are heated: positions are wrapped into the box before the region is asked.
    fn members(&self, system: &Snapshot<'_>) -> Result<Vec<usize>> {
        let (atoms, domain) = (system.atoms()?, system.domain()?);
        let mut members = system.indices(self.header.group, None)?;
        let region = self.region.as_ref().map(|region| system.placed(region)).transpose()?;
        members.retain(|&i| {
            let mut x = atoms.x[i];
            domain.wrap(&mut x, &mut [0; 3]);
            region.as_ref().is_none_or(|region| region.contains(x))
        });
        Ok(members)
    }
}

impl Fix for Ehex {
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

impl HostFix for Ehex {
    fn next(&self, step: i64) -> Option<i64> {
        Some((step.div_euclid(self.every) + 1) * self.every)
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        let session = context.session;
        let (dt, ftm2v) = (session.clock.dt(), session.system.units.ftm2v);
        let system = context.system();
        let members = self.members(&system)?;
        let motion = Motion::of(&system, &members)?;
        let flux = self.flux * ftm2v * self.every as f64;
        let scale = motion.scale(flux * dt)?;
        let (atoms, forces) = (system.atoms()?, system.forces()?);
        let (mut total, mut power) = ([0.0; 3], 0.0);
        for &i in &members {
            (0..3).for_each(|d| total[d] += forces[i][d]);
            power += (0..3).map(|d| forces[i][d] * (atoms.v[i][d] - motion.drift[d])).sum::<f64>();
        }
        let (mut x, mut v) = (atoms.x.clone(), atoms.v.clone());
        let inner = motion.inner;
        for i in members {
            let mass = system.mass(atoms.kind[i]);
            for d in 0..3 {
                let eta = flux / (2.0 * inner) * (v[i][d] - motion.drift[d]);
                let thermal = forces[i][d] / mass - total[d] / motion.mass;
                let shift = eta / inner * (flux / 48.0 + power / 6.0 * ftm2v)
                    - flux / (12.0 * inner) * thermal * ftm2v;
                x[i][d] -= dt * dt * dt * shift;
                v[i][d] = scale * v[i][d] - (scale - 1.0) * motion.drift[d];
            }
        }
        self.scale.set(scale);
        if !self.plain {
            context.simulation.place(&x)?;
        }
        context.simulation.set_velocities(&v)
    }
}

impl FixOutput for Ehex {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::SCALAR)
    }

    /// The last factor of velocities.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::scalar(self.scale.get()))
    }
}
