//! `compute entropy/atom`: the pair entropy of each atom, in units of Boltzmann's constant: -2 pi rho int (g ln g - g + 1) r^2 dr up to a
//! cutoff, g(r) being what its neighbours make of normal bells of a width sigma. Source: LAMMPS manual; P. M. Piaggi and
//! M. Parrinello, J. Chem. Phys. 147, 114112 (2017).

use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header, pair_cutoff};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;
use std::f64::consts::PI;

struct EntropyAtom {
    header: Header,
    sigma: f64,
    cutoff: f64,
    /// `avg yes`: within how far the values of neighbours count, too.
    mean: Option<f64>,
    /// `local yes`: whether the density is that around each atom.
    local: bool,
}

/// Steps of the integral, of sigma each, that a bell reaches.
const REACH: usize = 3;

/// Takes `SIGMA CUTOFF`, `avg yes|no` and the distance behind `yes`, `local yes|no`.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let sigma = args.positive("the width of the bells")?;
    let cutoff = args.positive("the cutoff distance")?;
    let (mut mean, mut local) = (None, false);
    while !args.is_empty() {
        if args.one_of("keyword of compute entropy/atom", &[("avg", false), ("local", true)])? {
            local = args.yes_no()?;
            continue;
        }
        mean = match args.yes_no()? {
            true => Some(args.positive("the distance of neighbours that count")?),
            false => None,
        };
    }
    Ok(Box::new(EntropyAtom { header, sigma, cutoff, mean, local }))
}

/// What [`EntropyAtom`] says of the bells, for several threads.
struct EntropyOf {
    sigma: f64,
    cutoff: f64,
}

impl EntropyOf {
    /// That of an atom with neighbours at these distances, in a density.
    fn of_atom(&self, around: &[f64], density: f64) -> f64 {
        let (sigma, bins) = (self.sigma, (self.cutoff / self.sigma) as usize + 1);
        let mut g = vec![0.0; bins];
        let top = 1.0 / (4.0 * PI * density * (2.0 * PI).sqrt() * sigma);
        for &r in around {
            let bin = (r / sigma) as usize;
            // At r = 0 the integrand is 0; LAMMPS has no number there for atoms within four sigma.
            for (k, g) in
                g.iter_mut().enumerate().take(bin + REACH + 1).skip(bin.saturating_sub(REACH).max(1))
            {
                let at = k as f64 * sigma;
                *g += top / (at * at) * (-(r - at).powi(2) / (2.0 * sigma * sigma)).exp();
            }
        }
        let term = |k: usize| {
            let (g, square) = (g[k], (k as f64 * sigma).powi(2));
            if g < 1e-10 { square } else { (g * g.ln() - g + 1.0) * square }
        };
        let inner: f64 = (1..bins - 1).map(term).sum();
        -2.0 * PI * density * sigma * (inner + 0.5 * (term(0) + term(bins - 1)))
    }
}

impl Compute for EntropyAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(0)
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let (atoms, domain) = (system.atoms()?, system.domain()?);
        // As far as LAMMPS's lists, where densities are those around atoms.
        let list = if self.local { pair_cutoff(system)? + system.session.neighbor.skin } else { 0.0 };
        let neighbors = Neighbors::new(system, self.cutoff.max(self.mean.unwrap_or(0.0)).max(list))?;
        let (mean_density, local) =
            (atoms.len() as f64 / domain.lengths().iter().product::<f64>(), self.local);
        let density = |i: usize| {
            let mut count = 0.0;
            if local {
                neighbors.visit_within(list, i, |_, _, _| count += 1.0);
            }
            if local { count / (4.0 / 3.0 * PI * list.powi(3)) } else { mean_density }
        };
        let (this, group) = (EntropyOf { sigma: self.sigma, cutoff: self.cutoff }, self.header.group);
        let (cutoff, mean) = (self.cutoff, self.mean);
        let own = |i: usize| {
            // As in LAMMPS, atoms outside of the group count as neighbours without entropy.
            if atoms.mask[i] & group == 0 {
                return 0.0;
            }
            let mut around = Vec::new();
            neighbors.visit_within(cutoff, i, |_, _, rsq| around.push(rsq.sqrt()));
            this.of_atom(&around, density(i))
        };
        let values: Vec<f64> = (0..atoms.len()).into_par_iter().map(own).collect();
        let Some(reach) = mean else { return Ok(Values::per_atom(PerAtom::Vector(values))) };
        let smooth = |i: usize| {
            if atoms.mask[i] & group == 0 {
                return 0.0;
            }
            let (mut sum, mut count) = (values[i], 1.0);
            neighbors.visit_within(reach, i, |j, _, _| {
                sum += values[j];
                count += 1.0;
            });
            sum / count
        };
        let means = (0..atoms.len()).into_par_iter().map(smooth).collect();
        Ok(Values::per_atom(PerAtom::Vector(means)))
    }
}
