//! Potentials that a taper f(r) takes to zero from the distance INNER to OUTER, force and its slope with them: `pair_style
//! lj/mdf INNER OUTER`, E = 4 epsilon [(sigma/r)^12 - (sigma/r)^6] f, `buck/mdf`, E = [A exp(-r/rho) - C/r^6] f, and
//! `lennard/mdf`, E = (A/r^12 - B/r^6) f. f = (1 - x)^3 (1 + 3 x + 6 x^2) with x = (r - inner) / (outer - inner), 1 below inner.
//!
//! `pair_coeff I J EPSILON SIGMA [INNER OUTER]`, `A RHO C [INNER OUTER]`, `A B [INNER OUTER]`: energies, distances and their
//! products in the script's units. LAMMPS manual, pair_style lj/mdf; M. Mei, J. W. Davenport and G. W. Fernando, Phys. Rev. B
//! 43, 4653 (1991).

use super::lennard_jones;
use super::style::{Mix, Params, Style, inner_and_outer};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

#[derive(Clone, Copy, PartialEq)]
enum Of {
    LennardJones,
    Buckingham,
    /// Lennard-Jones by the factors of the powers.
    Powers,
}

struct Tapered {
    name: &'static str,
    of: Of,
    global: [f64; 2],
}

/// `lj/mdf`.
pub(super) fn lj(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Tapered { name: "lj/mdf", of: Of::LennardJones, global: inner_and_outer(args)? }))
}

/// `buck/mdf`.
pub(super) fn buck(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Tapered { name: "buck/mdf", of: Of::Buckingham, global: inner_and_outer(args)? }))
}

/// `lennard/mdf`.
pub(super) fn lennard(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Tapered { name: "lennard/mdf", of: Of::Powers, global: inner_and_outer(args)? }))
}

/// A and B of A/r^12 - B/r^6.
fn powers(of: Of, params: &[f64]) -> [f64; 2] {
    match of {
        Of::LennardJones => [12, 6].map(|n| 4.0 * params[0] * params[1].powi(n)),
        _ => [params[0], params[1]],
    }
}

impl Style for Tapered {
    fn name(&self) -> &'static str {
        self.name
    }

    fn snippet(&self) -> File {
        match self.of {
            Of::Buckingham => kernel_file!("pair/buck_mdf.cl"),
            _ => kernel_file!("pair/lj_mdf.cl"),
        }
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        match self.of {
            Of::LennardJones => &["epsilon", "sigma"],
            Of::Buckingham => &["a", "", "c"],
            Of::Powers => &["A", "B"],
        }
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let mut params = match self.of {
            Of::LennardJones => lennard_jones::epsilon_and_sigma(args)?.to_vec(),
            Of::Buckingham => {
                vec![
                    args.f64("A (an energy)")?,
                    args.positive("rho")?,
                    args.f64("C (energy times distance^6)")?,
                ]
            }
            Of::Powers => {
                vec![args.f64("A (energy times distance^12)")?, args.f64("B (energy times distance^6)")?]
            }
        };
        params.extend(if args.is_empty() { self.global } else { inner_and_outer(args)? });
        Ok(params)
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        (self.of == Of::LennardJones).then(|| lennard_jones::mix(rule, a, b))
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let [.., inner, outer] = params[..] else { return (0.0, 0.0) };
        let (r, r6) = (rsq.sqrt(), rsq.powi(-3));
        let (force, energy) = match self.of {
            Of::Buckingham => {
                let repulsion = params[0] * (-r / params[1]).exp();
                (repulsion / (params[1] * r) - 6.0 * params[2] * r6 / rsq, repulsion - params[2] * r6)
            }
            of => {
                let [a, b] = powers(of, params);
                ((12.0 * a * r6 - 6.0 * b) * r6 / rsq, (a * r6 - b) * r6)
            }
        };
        let x = ((r - inner) / (outer - inner)).max(0.0);
        let taper = (1.0 - x).powi(3) * (1.0 + 3.0 * x + 6.0 * x * x);
        let slope = -30.0 * (x * (1.0 - x)).powi(2) / (outer - inner);
        (force * taper - energy * slope / r, energy * taper)
    }

    /// It ends at zero by itself.
    fn shift(&self, _: &[f64]) -> f64 {
        0.0
    }

    fn coefficients(&self, params: &[f64], _: f64) -> Vec<f64> {
        let [.., inner, outer] = params[..] else { return Vec::new() };
        let mut numbers = vec![inner, 1.0 / (outer - inner)];
        match self.of {
            Of::Buckingham => {
                let (a, rho, c) = (params[0], params[1], params[2]);
                numbers.extend([a / rho, 6.0 * c, a, c, 1.0 / rho]);
            }
            of => {
                let [a, b] = powers(of, params);
                numbers.extend([12.0 * a, 6.0 * b, a, b]);
            }
        }
        numbers
    }
}
