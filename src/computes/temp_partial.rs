//! `compute temp/partial`: some components of the velocity only. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::script::Args;
use crate::script::atom_expr::{AtomExpr, AtomProperty};
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::temp::of_group;
use crate::session::compute::{Temperature, Thermal, thermal_compute};
use crate::session::snapshot::view::Snapshot;

struct TempPartial {
    header: Header,
    /// Which components count.
    counts: [bool; 3],
}

/// Takes 0 or 1 for x, y and z.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let flags = [("0", false), ("1", true)];
    let mut counts = [false; 3];
    for (axis, count) in counts.iter_mut().enumerate() {
        let word = args.peek();
        *count = args.one_of("flag (0 or 1)", &flags)?;
        if let (Some(word), 2, 2, true) = (word, axis, session.system.dimension, *count) {
            return Err(args.error(word, "atoms of a 2d system do not move along z"));
        }
    }
    Ok(Box::new(TempPartial { header, counts }))
}

impl Compute for TempPartial {
    thermal_compute!();
}

impl Temperature for TempPartial {
    fn thermal(&self, system: &Snapshot<'_>) -> Result<Thermal> {
        let mut tensor = of_group(system, self.header.group)?;
        let axes = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]];
        for (product, axes) in tensor.iter_mut().zip(axes) {
            if axes.iter().any(|&axis: &usize| !self.counts[axis]) {
                *product = 0.0;
            }
        }
        Ok(Thermal { tensor, freedom: self.freedom(system)? })
    }

    fn components(&self) -> Option<[bool; 3]> {
        Some(self.counts)
    }

    fn freedom(&self, system: &Snapshot<'_>) -> Result<f64> {
        let components = self.counts.iter().filter(|counts| **counts).count() as f64;
        let share = components / f64::from(system.session.system.dimension);
        Ok(components * self.header.count(system)? as f64 - share * self.header.removed_freedom(system))
    }

    fn bias(&self, system: &Snapshot<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        let rest = |v: &[f64; 3]| std::array::from_fn(|d| if self.counts[d] { 0.0 } else { v[d] });
        Ok(Some(system.atoms()?.v.iter().map(rest).collect()))
    }

    fn bias_recipes(&self, _: &Snapshot<'_>) -> Result<Option<[AtomExpr; 3]>> {
        let rest =
            |d: usize| if self.counts[d] { AtomExpr::number(0.0) } else { AtomExpr::own(AtomProperty::V(d)) };
        Ok(Some([0, 1, 2].map(rest)))
    }
}
