//! `fix ID GROUP viscosity N VDIM AXIS NBIN [swap N] [vtarget V|INF]`: atoms of the lowest slab that move forward and
//! atoms of the slab in the middle that move backward exchange their momenta. Source: LAMMPS manual, and
//! F. Mueller-Plathe, Phys. Rev. E 59 (1999) 4894.

use super::exchange::{Exchange, axis};
use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{Fix, FixContext, FixOutput, Header, HostFix};
use crate::session::snapshot::view::Snapshot;
use std::cell::Cell;

struct Viscosity {
    header: Header,
    exchange: Exchange,
    /// The component of the velocity that is exchanged.
    component: usize,
    /// Atoms with velocities nearest to this are taken; `None`: the fastest ones.
    target: Option<f64>,
    /// Momentum that has been brought to the lowest slab so far.
    momentum: Cell<f64>,
}

/// Takes how often, the component, the axis, the number of slabs, and keywords.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("steps between exchanges", 1)? as i64;
    let component = axis(args)?;
    let mut exchange = Exchange::read(every, args)?;
    let mut target = None;
    while !args.is_empty() {
        match args.one_of("keyword of fix viscosity", &[("swap", "swap"), ("vtarget", "vtarget")])? {
            "swap" => exchange.swap(args)?,
            _ if args.accept("INF") => target = None,
            _ => target = Some(args.positive("a velocity, or INF")?),
        }
    }
    Ok(Box::new(Viscosity { header, exchange, component, target, momentum: Cell::new(0.0) }))
}

impl Fix for Viscosity {
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

impl HostFix for Viscosity {
    fn next(&self, step: i64) -> Option<i64> {
        Some(self.exchange.next(step))
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        let system = context.system();
        let atoms = system.atoms()?;
        let d = self.component;
        let near = |v: f64| (v >= 0.0).then(|| self.target.map_or(v, |target| -(v - target).abs()));
        let forward = |i: usize| near(atoms.v[i][d]);
        let backward = |i: usize| near(-atoms.v[i][d]);
        let pairs = self.exchange.choose(&system, self.header.group, forward, backward)?;
        let mut v = atoms.v.clone();
        let mut momentum = 0.0;
        for (low, middle) in pairs {
            let (m, n) = (system.mass(atoms.kind[low]), system.mass(atoms.kind[middle]));
            let (a, b) = (v[low][d], v[middle][d]);
            let centre = (n * b + m * a) / (n + m);
            (v[low][d], v[middle][d]) = (2.0 * centre - a, 2.0 * centre - b);
            momentum += m * (centre - a) - n * (centre - b);
        }
        self.momentum.set(self.momentum.get() + momentum);
        context.simulation.set_velocities(&v)
    }
}

impl FixOutput for Viscosity {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::SCALAR)
    }

    fn made_every(&self) -> u64 {
        self.exchange.every.unsigned_abs()
    }

    /// The momentum exchanged so far.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::scalar(self.momentum.get()))
    }
}
