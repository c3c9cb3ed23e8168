//! `pair_style adp`: the angular-dependent potential, which is eam and what makes bonds bend. E = sum over atoms of F(rho) + mu.mu/2 + L:L/2 - (tr L)^2/6 +
//! sum over pairs of phi(r), with the dipole mu = sum of u(r) d and the quadrupole L = sum of w(r) d d over the ways d to an atom's neighbours.
//!
//! `pair_coeff * * FILE ELEMENT ...` with a setfl file behind whose tables those of u and of w stand, one for each pair of elements. As in LAMMPS, F of a
//! density beyond its table is that of the table's end. Sources: Y. Mishin, M. J. Mehl and D. A. Papaconstantopoulos, Acta Mater. 53, 4029 (2005); LAMMPS
//! manual, pair_style adp.

use super::tables::{Rows, Tables};
use super::{Eam, Format, elements};
use crate::base::error::Result;
use crate::base::vector::dot;
use crate::gpu::source::{File, kernel_file};
use crate::potentials::pair::many_body::{Around, Contribution, FirstPass, Leaves, Loaded, ManyBody, Types};
use crate::potentials::pair::style::{Params, Style};
use crate::script::Args;
use serde_json::Value;
use std::borrow::Cow;

/// Sums of a density, a dipole and a quadrupole; of these F' instead of the density, and the trace besides, in places of four.
const SUMS: usize = 10;
const MADE: usize = 12;

struct Adp {
    eam: Eam,
}

pub(in crate::potentials::pair) fn new(_: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Adp { eam: Eam::new("adp", Format::Angular) }))
}

impl Style for Adp {
    fn name(&self) -> &'static str {
        self.eam.name()
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/eam_exact.cl", "pair/eam.cl", "pair/adp.cl")
    }

    fn global(&self) -> &[f64] {
        &[]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        self.eam.parse(args)
    }

    fn cutoff(&self, params: &[f64]) -> f64 {
        self.eam.cutoff(params)
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        self.eam.evaluate(params, rsq)
    }

    fn shift(&self, _params: &[f64]) -> f64 {
        0.0
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        self.eam.coefficients(params, shift)
    }

    /// Those of eam, then u and w.
    fn samples<'a>(&'a self, params: &'a [f64]) -> Vec<Cow<'a, [f64]>> {
        let Some(tables) = &self.eam.tables else { return Vec::new() };
        let [a, b] = elements(params);
        let rows = tables.dipole[a][b].iter().zip(&tables.quadrupole[a][b]);
        let bends = rows.flat_map(|(u, w)| [*u, *w].concat()).collect();
        let mut samples = self.eam.samples(params);
        samples.push(Cow::Owned(bends));
        samples
    }

    fn many_body(&self) -> Option<&dyn ManyBody> {
        Some(self)
    }

    fn many_body_mut(&mut self) -> Option<&mut dyn ManyBody> {
        Some(self)
    }
}

/// What an atom's neighbours make of it: the slope of F, the dipole, and the quadrupole as a matrix.
#[derive(Clone, Copy, Default)]
struct Moments {
    slope: f64,
    dipole: [f64; 3],
    quadrupole: [[f64; 3]; 3],
}

impl Moments {
    fn trace(&self) -> f64 {
        (0..3).map(|d| self.quadrupole[d][d]).sum()
    }
}

impl Adp {
    /// Those of an atom, with what it has by itself for the twin's energy.
    fn moments(
        &self,
        tables: &Tables,
        own: &[f64],
        pairs: impl Iterator<Item = ([f64; 3], f64, [usize; 2])>,
    ) -> (Moments, f64) {
        let (mut moments, mut density) = (Moments::default(), 0.0);
        for (way, rsq, [a, b]) in pairs {
            let of = |rows: &[Vec<Rows>]| tables.at_distance(&rows[a][b], rsq.sqrt()).0;
            let [u, w] = [of(&tables.dipole), of(&tables.quadrupole)];
            density += of(&tables.density);
            for d in 0..3 {
                moments.dipole[d] += u * way[d];
                (0..3).for_each(|e| moments.quadrupole[d][e] += w * way[d] * way[e]);
            }
        }
        let (energy, slope) = tables.embedded(elements(own)[0], density);
        moments.slope = slope;
        let squares: f64 = moments.quadrupole.as_flattened().iter().map(|x| x * x).sum();
        let bends = (dot(moments.dipole, moments.dipole) + squares) / 2.0 - moments.trace().powi(2) / 6.0;
        (moments, energy + bends)
    }
}

impl ManyBody for Adp {
    fn read(&mut self, args: &mut Args<'_>, types: &Types<'_>) -> Result<Loaded> {
        self.eam.read(args, types)
    }

    fn first_pass(&self) -> FirstPass {
        FirstPass {
            snippet: kernel_file!("pair/eam_embedding.cl", "pair/adp_moments.cl"),
            leaves: Leaves::Numbers { sums: SUMS, made: MADE },
        }
    }

    fn pass_coefficients(&self, params: &[f64]) -> Vec<f64> {
        self.eam.pass_coefficients(params)
    }

    /// Density, u and w side by side, in rows of sixteen numbers; and F.
    fn pass_samples(&self, params: &[f64]) -> Vec<Cow<'_, [f64]>> {
        let Some(tables) = &self.eam.tables else { return Vec::new() };
        let [a, b] = elements(params);
        let rows = tables.density[a][b].iter().zip(&tables.dipole[a][b]).zip(&tables.quadrupole[a][b]);
        let sums = rows.flat_map(|((density, u), w)| [*density, *u, *w, [0.0; 4]].concat()).collect();
        vec![Cow::Owned(sums), self.eam.embedding_samples(tables, a)]
    }

    fn evaluate_all(
        &self,
        params: &dyn Fn(u32, u32) -> Option<Params>,
        kind: &[u32],
        around: &[Around],
        to: &mut Contribution<'_>,
    ) {
        let Some(tables) = &self.eam.tables else { return };
        let pairs = |i: usize| tables.pairs_of(i, params, kind, around);
        let mut moments = vec![Moments::default(); kind.len()];
        for (i, moments) in moments.iter_mut().enumerate() {
            let Some(own) = params(kind[i], kind[i]) else { continue };
            let energy;
            (*moments, energy) =
                self.moments(tables, &own, pairs(i).map(|(_, way, rsq, elements)| (*way, rsq, elements)));
            to.energy[i] += energy;
        }
        for i in 0..kind.len() {
            for (j, way, rsq, [a, b]) in pairs(i) {
                let r = rsq.sqrt();
                let (here, there) = (&moments[i], &moments[j]);
                let of = |rows: &[Vec<Rows>]| tables.at_distance(&rows[a][b], r);
                let (z, z_slope) = of(&tables.pairs);
                let [(u, u_slope), (w, w_slope)] = [of(&tables.dipole), of(&tables.quadrupole)];
                let others = tables.at_distance(&tables.density[b][a], r).1;
                let phi = z / r;
                let along = here.slope * of(&tables.density).1 + there.slope * others + (z_slope - phi) / r;
                // The energy's slope by the way from i to j, which pushes i.
                let dipole: [f64; 3] = std::array::from_fn(|d| here.dipole[d] - there.dipole[d]);
                let turned: [f64; 3] = std::array::from_fn(|d| {
                    (0..3).map(|e| (here.quadrupole[d][e] + there.quadrupole[d][e]) * way[e]).sum()
                });
                let third = (here.trace() + there.trace()) / 3.0;
                let radial = (along + u_slope * dot(dipole, *way) + w_slope * dot(turned, *way)) / r
                    - third * (w_slope * r + 2.0 * w);
                let force: [f64; 3] =
                    std::array::from_fn(|d| radial * way[d] + u * dipole[d] + 2.0 * w * turned[d]);
                to.energy[i] += 0.5 * phi;
                (0..3).for_each(|d| to.force[i][d] += force[d]);
                for (k, (d, e)) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
                    to.virial[i][k] -= 0.5 * way[d] * force[e];
                }
            }
        }
    }

    fn save(&self) -> Value {
        self.eam.save()
    }

    fn restore(&mut self, saved: Value) -> Result<()> {
        self.eam.restore(saved)
    }
}
