//! Stillinger-Weber without loops over triplets, as kernels for GPUs compute it. (cos - cos0)^2 is a polynomial of the unit vectors to both
//! neighbours, so that a sum over one of them is a product of the other with moments of an atom's surroundings: sums of E, E u and E u u^T,
//! with E = exp(gamma sigma/(r - a sigma)). A first pass leaves these of each atom, ten numbers for each element
//! (cl/pair/sw_moments.cl); the last one has a pair's part of all triplets from those of both atoms (cl/pair/sw_by_moments.cl).

use super::{A, A_SIGMA, B, COS0, CUTOFF, GAMMA_SIGMA, LAMBDA, P, Q, SIGMA, StillingerWeber};
use crate::base::error::Result;
use crate::gpu::source::{File, kernel_file};
use crate::potentials::pair::many_body::{
    Around, Contribution, FirstPass, Leaves, Loaded, ManyBody, Types, no_numbers,
};
use crate::potentials::pair::style::{Params, Style};
use crate::potentials::pair::three_body::{Table, ThreeBody};
use crate::script::Args;
use serde_json::Value;

/// With more elements the moments are more than the slots of partial forces.
const MOST_ELEMENTS: usize = 2;

/// Moments of an element, in places of four.
const MOMENTS: usize = 10;
const PLACES: usize = 12;

struct Moments {
    triplets: ThreeBody<StillingerWeber>,
}

/// The potential by moments, where a pair of atoms has the same numbers seen from both, and there are not too many elements.
pub(super) fn style(formula: &StillingerWeber, table: &Table) -> Option<Box<dyn Style>> {
    let n = table.elements.len();
    let alike = |(i, j): (usize, usize)| table.entry(i, j, j)[A..] == table.entry(j, i, i)[A..];
    let mut pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    (1..=MOST_ELEMENTS).contains(&n).then_some(())?;
    pairs.all(alike).then(|| {
        let triplets = ThreeBody::with_table(formula.clone(), table.clone());
        Box::new(Moments { triplets }) as Box<dyn Style>
    })
}

impl Moments {
    fn elements(&self) -> usize {
        self.triplets.table.elements.len()
    }
}

impl Style for Moments {
    fn name(&self) -> &'static str {
        self.triplets.name()
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/sw_by_moments.cl")
    }

    fn global(&self) -> &[f64] {
        &[]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        Err(no_numbers(args, self.name()))
    }

    fn cutoff(&self, params: &[f64]) -> f64 {
        self.triplets.cutoff(params)
    }

    fn seen_within(&self, params: &[f64]) -> f64 {
        self.triplets.seen_within(params)
    }

    fn evaluate(&self, _params: &[f64], _rsq: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn coefficients(&self, params: &[f64], _shift: f64) -> Vec<f64> {
        let [i, j] = [params[0] as usize, params[1] as usize];
        let e = self.triplets.table.entry(i, j, j);
        let mut numbers = vec![self.elements() as f64];
        numbers.extend([A, B, P, Q, SIGMA, A_SIGMA, GAMMA_SIGMA, CUTOFF].map(|k| e[k]));
        numbers.extend([i as f64, j as f64]);
        for k in 0..self.elements() {
            let [own, other] = [self.triplets.table.entry(i, j, k), self.triplets.table.entry(j, i, k)];
            numbers.extend([own[LAMBDA], own[COS0], other[LAMBDA], other[COS0]]);
        }
        numbers
    }

    fn many_body(&self) -> Option<&dyn ManyBody> {
        Some(self)
    }
}

impl ManyBody for Moments {
    fn read(&mut self, args: &mut Args<'_>, types: &Types<'_>) -> Result<Loaded> {
        self.triplets.read(args, types)
    }

    fn first_pass(&self) -> FirstPass {
        FirstPass {
            snippet: kernel_file!("pair/sw_moments.cl"),
            leaves: Leaves::Numbers { sums: MOMENTS * self.elements(), made: PLACES * self.elements() },
        }
    }

    fn pass_coefficients(&self, params: &[f64]) -> Vec<f64> {
        let e = self.triplets.table.entry(params[0] as usize, params[1] as usize, params[1] as usize);
        vec![e[GAMMA_SIGMA], e[A_SIGMA], e[CUTOFF], params[1]]
    }

    fn evaluate_all(
        &self,
        params: &dyn Fn(u32, u32) -> Option<Params>,
        kind: &[u32],
        around: &[Around],
        to: &mut Contribution<'_>,
    ) {
        self.triplets.evaluate_all(params, kind, around, to);
    }

    fn save(&self) -> Value {
        self.triplets.save()
    }

    fn restore(&mut self, saved: Value) -> Result<()> {
        self.triplets.restore(saved)
    }
}
