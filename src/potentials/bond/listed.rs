//! The pairs of `pair_style list` as bonds of further types, for a run: found by IDs, each at any distance.

use super::{Params, Pull, Resolved, Style};
use crate::base::error::{Error, Result};
use crate::gpu::source::{File, kernel_file};
use crate::potentials::lepton::Written;
use crate::potentials::pair::list::{self, Listed, Pairs};
use crate::script::Args;

/// Bonds of a system with listed pairs: types beyond those of the bonds. The text of the bond style stays to the end of the program.
struct WithListed {
    bonds: Option<&'static dyn Style>,
    bond_types: usize,
    /// The longest distance in the box.
    longest: f64,
}

/// What bonds and listed pairs together are, and the type of each pair. Pairs that do the same have one type.
pub fn with_listed(
    bonds: Option<&Resolved>,
    pairs: &Pairs,
    longest: f64,
) -> (Resolved, Vec<([u32; 2], u32)>) {
    let (own_file, own_rows, mut params, style) = match bonds {
        Some(bonds) => {
            let rows = (0..bonds.params.len()).map(|k| bonds.row(k)).collect();
            (bonds.file().1.to_owned(), rows, bonds.params.clone(), Some(bonds.style))
        }
        None => (String::new(), Vec::new(), Vec::new(), None),
    };
    let mut rows: Vec<Vec<f64>> = own_rows;
    rows.iter_mut().for_each(|row| row.insert(0, 0.0));
    let bond_types = params.len();
    let mut known: Vec<Listed> = Vec::new();
    let kinds = pairs.iter().map(|(ids, listed)| {
        let same = |other: &Listed| other.iter().zip(listed).all(|(a, b)| a.to_bits() == b.to_bits());
        let place = known.iter().rposition(same).unwrap_or_else(|| {
            known.push(*listed);
            known.len() - 1
        });
        (*ids, (bond_types + place + 1) as u32)
    });
    let kinds = kinds.collect();
    for listed in &known {
        let mut row = vec![1.0];
        row.extend(listed);
        row[6] *= row[6];
        rows.push(row);
        params.push(listed.to_vec());
    }
    let listed = kernel_file!("bond/listed.cl").1;
    let renamed = |text: &str, name: &str| format!("#define bond_eval {name}\n{text}\n#undef bond_eval\n");
    let own = if style.is_some() { renamed(&own_file, "bond_eval_own") } else { String::new() };
    let call = if style.is_some() { "c[0] == 0 ? bond_eval_own(rsq, c + 1, energy, state) : " } else { "" };
    let text = format!(
        "{own}{}static inline real bond_eval(const real rsq, __global const real *c, real *energy, int *state) {{\n    \
         return {call}bond_eval_listed(rsq, c + 1, energy, state);\n}}\n",
        renamed(listed, "bond_eval_listed")
    );
    let style: &'static dyn Style = Box::leak(Box::new(WithListed { bonds: style, bond_types, longest }));
    (Resolved { style, params, written: Some(Written { text, rows }) }, kinds)
}

impl Style for WithListed {
    fn name(&self) -> &'static str {
        "bonds and listed pairs"
    }

    fn snippet(&self) -> File {
        kernel_file!("bond/listed.cl")
    }

    /// It stands in no script.
    fn parse(&self, _: &mut Args<'_>) -> Result<Params> {
        Err(Error::new("pairs of a list are given by a file"))
    }

    fn parameters(&self) -> &'static [&'static str] {
        &[]
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> Pull {
        let (force, energy) =
            params.as_slice().try_into().map_or((0.0, 0.0), |listed| list::evaluate(listed, rsq));
        Pull { force, energy, long: false, broken: false }
    }

    fn coefficients(&self, params: &Params) -> Vec<f64> {
        params.clone()
    }

    fn first_listed(&self) -> Option<usize> {
        Some(self.bond_types + 1)
    }

    /// Any distance, so that no image of an atom is taken for another.
    fn longest(&self, _: &Params) -> f64 {
        self.longest
    }

    fn broken(&self) -> &'static str {
        self.bonds.map_or("", |bonds| bonds.broken())
    }
}
