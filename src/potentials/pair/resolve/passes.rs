//! The passes over the neighbours before the last one, which styles of many bodies have.

use super::{Resolved, ResolvedPart, Samples, Table};
use crate::gpu::source::File;
use crate::potentials::pair::many_body::{FirstPass, Leaves, ManyBody};

/// A first pass over the neighbours, as [`Coefficients`](super::Coefficients) are the last one.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// The file that defines `pass_eval` and `pass_end`.
    pub file: File,
    /// Numbers per pair of types, without the cutoff.
    pub per_pair: usize,
    /// As [`Coefficients::table`](super::Coefficients::table).
    pub table: Table<'static>,
    /// What it leaves of each atom.
    pub leaves: Leaves,
    /// After so many numbers, or sets of slots, of passes before it.
    pub first: usize,
    /// Of partial forces: numbers per triplet of types, one triplet after another.
    pub triplets: Vec<f64>,
    /// Whether the numbers of pairs change during a run, so that the kernel must read them.
    pub varying: bool,
    /// Which number of a pair is a factor of energies and partial forces, if one is.
    pub factor_at: Option<usize>,
}

impl Pass {
    /// So many numbers it makes of each atom.
    fn made(&self) -> usize {
        match self.leaves {
            Leaves::Numbers { made, .. } => made,
            Leaves::PartialForces { .. } => 0,
        }
    }

    /// Whether it leaves partial forces.
    pub fn has_slots(&self) -> bool {
        matches!(self.leaves, Leaves::PartialForces { .. })
    }
}

impl ResolvedPart<'_> {
    /// So many numbers a pass of the style makes of each atom.
    pub(super) fn made(&self) -> Option<usize> {
        match self.style.many_body()?.first_pass().leaves {
            Leaves::Numbers { made, .. } => Some(made),
            Leaves::PartialForces { .. } => None,
        }
    }

    /// Whether the style has forces of pairs, besides those of passes.
    pub(super) fn has_pairs(&self) -> bool {
        self.style.many_body().is_none_or(ManyBody::has_pairs)
    }

    fn leaves(&self) -> Option<Leaves> {
        self.style.many_body().map(|potential| potential.first_pass().leaves)
    }

    /// Whether a pass leaves partial forces.
    pub(super) fn has_slots(&self) -> bool {
        matches!(self.leaves(), Some(Leaves::PartialForces { .. }))
    }

    /// Whether those that it leaves, if any, are made bond by bond.
    pub(super) fn is_by_bonds(&self) -> bool {
        !matches!(self.leaves(), Some(Leaves::PartialForces { by_bonds: false, .. }))
    }

    /// The pass before the last one, if there is any, behind others.
    fn pass(&self, types: usize, before: &[Pass], varying: bool) -> Option<Pass> {
        let potential = self.style.many_body()?;
        let FirstPass { snippet, leaves } = potential.first_pass();
        let first = match leaves {
            Leaves::Numbers { .. } => before.iter().map(Pass::made).sum(),
            Leaves::PartialForces { .. } => before.iter().filter(|pass| pass.has_slots()).count(),
        };
        let triplet = |k: usize| {
            let (i, j, k) = (k / types / types, k / types % types, k % types);
            match (self.params.get(i * types + j), self.params.get(i * types + k)) {
                (Some(one), Some(other)) => potential.triplet(one, other),
                _ => Vec::new(),
            }
        };
        let mut triplets: Vec<_> = (0..types.pow(3)).map(triplet).collect();
        let width = triplets.iter().map(Vec::len).max().unwrap_or(0);
        triplets.iter_mut().for_each(|numbers| numbers.resize(width, 0.0));
        let mut samples = Samples::default();
        let mut rows = self.rows_with(&mut samples, &|_, params| {
            (potential.pass_coefficients(params), potential.pass_samples(params))
        });
        for (&place, params) in rows.of.iter().zip(self.params.iter()) {
            if let Some(reach) = params.and_then(|params| potential.pass_reach(params)) {
                rows.rows[place as usize][0] = reach.powi(2);
            }
        }
        // Behind the cutoff and all others; the table's rows may be longer.
        let factor_at = self.factor.map(|_| rows.width() - 2);
        let table = rows.table(types, samples.numbers);
        Some(Pass {
            file: snippet,
            per_pair: table.per_pair(),
            table,
            leaves,
            first,
            triplets: triplets.concat(),
            varying,
            factor_at,
        })
    }
}

impl Resolved<'_> {
    /// The passes before the last one.
    pub(super) fn passes(&self, varying: bool) -> Vec<Pass> {
        let mut passes: Vec<Pass> = Vec::new();
        for part in &self.parts {
            let pass = part.pass(self.types, &passes, varying);
            passes.extend(pass);
        }
        passes
    }
}
