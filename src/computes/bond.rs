//! `compute bond`: the energy of each of the bond styles of a hybrid one. Source: LAMMPS manual.

use super::local_rows::bonds;
use crate::base::error::{Error, Result};
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct BondEnergies {
    header: Header,
    styles: usize,
}

/// Takes no further words.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let styles = session.force_field.bonded.as_ref().map_or(0, |bonded| bonded.style.parts().len());
    if styles == 0 {
        let error = args.error_here("the bond style is not hybrid");
        return Err(
            error.help("write `ebond` in thermo output, or `compute pe bond`, for the energy of all bonds")
        );
    }
    Ok(Box::new(BondEnergies { header, styles }))
}

impl Compute for BondEnergies {
    header!();

    fn shape(&self) -> Shape {
        Shape::vector(self.styles)
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let bonded = system.session.force_field.bonded.as_ref();
        let bonded = bonded.filter(|bonded| bonded.style.parts().len() == self.styles);
        let bonded = bonded.ok_or_else(|| Error::new("the bond style is another one now"))?;
        let resolved = bonded.resolve(system.session.system.topology.bond_types)?;
        let mut sums = vec![0.0; self.styles];
        for (bond, row) in bonds(system, 1)?.iter().filter(|(bond, _)| !bond.off) {
            let params = &resolved.params[bond.kind as usize - 1];
            // The first number is the style's, none where there is none.
            if let Some(sum) = sums.get_mut(params[0].max(0.0) as usize).filter(|_| params[0] >= 0.0) {
                *sum += resolved.style.evaluate(params, row.rsq).energy;
            }
        }
        Ok(Values::vector(sums))
    }

    fn vector_extensive(&self) -> bool {
        true
    }
}
