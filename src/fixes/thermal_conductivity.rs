//! `fix ID GROUP thermal/conductivity N AXIS NBIN [swap N]`: the hottest atoms of the lowest slab and the coldest ones of
//! the slab in the middle exchange their kinetic energy. Source: LAMMPS manual, and F. Mueller-Plathe, J. Chem. Phys.
//! 106 (1997) 6082.

use super::exchange::Exchange;
use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{Fix, FixContext, FixOutput, Header, HostFix};
use crate::session::snapshot::view::Snapshot;
use std::cell::Cell;

struct ThermalConductivity {
    header: Header,
    exchange: Exchange,
    /// Energy that has been brought to the middle so far.
    energy: Cell<f64>,
}

/// Takes how often, the axis, the number of slabs, and `swap`.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("steps between exchanges", 1)? as i64;
    let mut exchange = Exchange::read(every, args)?;
    while !args.is_empty() {
        args.one_of("keyword of fix thermal/conductivity", &[("swap", ())])?;
        exchange.swap(args)?;
    }
    Ok(Box::new(ThermalConductivity { header, exchange, energy: Cell::new(0.0) }))
}

impl Fix for ThermalConductivity {
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

impl HostFix for ThermalConductivity {
    fn next(&self, step: i64) -> Option<i64> {
        Some(self.exchange.next(step))
    }

    /// An elastic collision of each pair, after which they have each other's energy relative to their centre of mass.
    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        let system = context.system();
        let atoms = system.atoms()?;
        let mass = |i: usize| system.mass(atoms.kind[i]);
        let kinetic = |i: usize| mass(i) * atoms.v[i].iter().map(|v| v * v).sum::<f64>();
        let hot = |i: usize| Some(kinetic(i));
        let cold = |i: usize| Some(-kinetic(i));
        let pairs = self.exchange.choose(&system, self.header.group, hot, cold)?;
        let mut v = atoms.v.clone();
        let mut energy = 0.0;
        for (low, middle) in pairs {
            let (m, n) = (mass(low), mass(middle));
            let (a, b) = (v[low], v[middle]);
            let centre: [f64; 3] = std::array::from_fn(|d| (n * b[d] + m * a[d]) / (n + m));
            v[low] = std::array::from_fn(|d| 2.0 * centre[d] - a[d]);
            v[middle] = std::array::from_fn(|d| 2.0 * centre[d] - b[d]);
            let gain = |d: usize| n * centre[d] * (centre[d] - b[d]) - m * centre[d] * (centre[d] - a[d]);
            energy += (0..3).map(gain).sum::<f64>();
        }
        self.energy.set(self.energy.get() + energy * context.session.system.units.mvv2e);
        context.simulation.set_velocities(&v)
    }
}

impl FixOutput for ThermalConductivity {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::SCALAR)
    }

    fn made_every(&self) -> u64 {
        self.exchange.every.unsigned_abs()
    }

    /// The energy exchanged so far.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::scalar(self.energy.get()))
    }
}
