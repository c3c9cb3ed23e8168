//! `compute bond/local`: length, energy, force and motion of each bond between atoms of a group, as local values. Source: LAMMPS manual.
//! A bond that `delete_bonds` has switched off has no force. Motion along a bond across a face is that along the way to the nearest image,
//! not, as in LAMMPS 22 Jul 2025, that to the atom itself.

use super::local_rows::{Row, bonds};
use crate::base::error::{Error, Result};
use crate::model::topology::Bond;
use crate::potentials::pair::Pair;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

/// What there is of a bond, as the script calls it.
const NAMES: [&str; 14] = [
    "dist", "dx", "dy", "dz", "engpot", "force", "fx", "fy", "fz", "engvib", "engrot", "engtrans", "omega",
    "velvib",
];

struct BondLocal {
    header: Header,
    /// Places in [`NAMES`].
    values: Vec<usize>,
}

/// Takes the names of values.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    if !session.system.atom_style.molecular {
        let message = format!("atoms of style {} have no bonds", session.system.atom_style.name);
        return Err(args.error_here(message).help("write `atom_style bond` before the box is made"));
    }
    let names: Vec<_> = NAMES.iter().copied().zip(0..).collect();
    let mut values = Vec::new();
    while values.is_empty() || !args.is_empty() {
        if let Some(word) = args.peek().filter(|word| word.text.starts_with("v_") || word.text == "set") {
            return Err(args.unsupported(word, "value"));
        }
        values.push(args.one_of("value of bonds", &names)?);
    }
    Ok(Box::new(BondLocal { header, values }))
}

impl Compute for BondLocal {
    header!();

    fn shape(&self) -> Shape {
        Shape { local: Some(self.values.len()), ..Shape::default() }
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let (atoms, session) = (system.atoms()?, system.session);
        let style =
            session.force_field.bonded.as_ref().ok_or_else(|| Error::new("there is no bond style"))?;
        let style = style.resolve(session.system.topology.bond_types)?;
        let taken = session.force_field.pair.as_ref().filter(|_| style.style.breaks());
        let taken = taken.map(Pair::resolve).transpose()?;
        let (masses, mvv2e) = (system.masses(), session.system.units.mvv2e);
        let values = |(bond, row): &(&Bond, Row)| {
            let ([x, y, z], r) = (row.way, row.rsq.sqrt());
            let (force, energy) = match bond.off {
                true => (0.0, 0.0),
                false => {
                    let pull = style.style.evaluate(&style.params[bond.kind as usize - 1], row.rsq);
                    // As in LAMMPS the energy of the pair that a bond takes away is its part, the force is not.
                    let [mine, theirs] = row.atoms.map(|i| atoms.kind[i] as usize);
                    let pair = taken.as_ref().map_or(0.0, |pair| pair.evaluate(mine, theirs, row.rsq).1);
                    (pull.force, pull.energy - pair)
                }
            };
            let [m, n] = row.atoms.map(|i| masses.of(atoms.kind[i]));
            let [v, w] = row.atoms.map(|i| atoms.v[i]);
            let reduced = m * n / (m + n);
            // Of the centre of mass, times all of it; of the one atom seen from the other; along the bond and across.
            let whole: f64 = (0..3).map(|d| (m * v[d] + n * w[d]).powi(2)).sum();
            let apart: [f64; 3] = std::array::from_fn(|d| v[d] - w[d]);
            let along = (0..3).map(|d| apart[d] * row.way[d]).sum::<f64>() / r;
            let across = (apart.iter().map(|v| v * v).sum::<f64>() - along * along).max(0.0);
            let kinetic = |square: f64| 0.5 * mvv2e * square;
            let [vibration, rotation] = [along * along, across].map(|square| kinetic(reduced * square));
            let [fx, fy, fz] = row.way.map(|x| x * force);
            let (translation, omega) = (kinetic(whole / (m + n)), across.sqrt() / r);
            [r, x, y, z, energy, r * force, fx, fy, fz, vibration, rotation, translation, omega, along]
        };
        let all: Vec<[f64; 14]> = bonds(system, self.header.group)?.iter().map(values).collect();
        let column = |&k: &usize| all.iter().map(|row| row[k]).collect();
        Ok(Values { local: self.values.iter().map(column).collect(), ..Values::default() })
    }
}
