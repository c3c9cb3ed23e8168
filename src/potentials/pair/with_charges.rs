//! Pair styles that are another one and a force between charges, each within its own cutoff:
//!
//! - `lj/cut/coul/cut CUT [CUT2]`, `lj/class2/coul/cut`, `nm/cut/coul/cut` and `buck/coul/cut`: C q_i q_j / (dielectric r) for r < CUT2, by default CUT.
//! - `lj/cut/coul/debye KAPPA CUT [CUT2]`: the same times exp(-kappa r); kappa is an inverse distance.
//! - `lj/cut/coul/dsf ALPHA CUT [CUT2]` and `born/coul/dsf`: damped shifted forces, as coul/dsf; those of the second with an exact erfc.
//! - `lj/cut/coul/wolf ALPHA CUT [CUT2]` and `born/coul/wolf`: Wolf's, as coul/wolf.
//! - `lj/cut/coul/cut/soft N ALPHA ALPHA2 CUT [CUT2]`: lj/cut/soft with N and ALPHA, coul/cut/soft with N and ALPHA2, and one lambda.
//!
//! `pair_coeff I J` has the words of the first style and, but for the damped ones, CUT2 behind its cutoff; a single cutoff there is that of
//! both. Shift and tail concern the first part alone. LAMMPS manual, the pages of these names.

use super::coul_cut_soft::SoftCharges;
use super::coul_dsf::Damped;
use super::style::{Mix, Params, Style, cutoff_or, keywords_follow};
use super::{born, buck, coul_cut, lj_cut, lj_cut_soft, nine_six, nm_cut};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

/// The force between charges.
enum Charges {
    Bare,
    /// With kappa.
    Screened(f64),
    /// Its cutoff is that of all pairs.
    Damped(Damped),
    /// Of the third parameter.
    Soft(SoftCharges),
}

struct WithCharges {
    name: &'static str,
    snippet: File,
    first: Box<dyn Style>,
    charges: Charges,
    /// Both cutoffs.
    global: [f64; 2],
}

type WithCutoff = fn(f64) -> Box<dyn Style>;

fn cutoffs(args: &mut Args<'_>) -> Result<[f64; 2]> {
    let cutoff = args.not_negative("the cutoff distance")?;
    let of_charges = match keywords_follow(args) {
        true => args.positive("the cutoff distance of Coulomb forces")?,
        false => cutoff,
    };
    Ok([cutoff, of_charges])
}

fn undamped(
    args: &mut Args<'_>,
    (name, snippet): (&'static str, File),
    first: WithCutoff,
    charges: Charges,
) -> Result<Box<dyn Style>> {
    let global = cutoffs(args)?;
    Ok(Box::new(WithCharges { name, snippet, first: first(global[0]), charges, global }))
}

fn damped(
    args: &mut Args<'_>,
    (name, snippet): (&'static str, File),
    first: WithCutoff,
    by: fn(f64, f64) -> Damped,
) -> Result<Box<dyn Style>> {
    let alpha = args.f64("alpha (an inverse distance)")?;
    let global = cutoffs(args)?;
    let charges = Charges::Damped(by(alpha, global[1]));
    Ok(Box::new(WithCharges { name, snippet, first: first(global[0]), charges, global }))
}

/// `lj/cut/coul/cut`.
pub(super) fn lj_cut(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    undamped(
        args,
        ("lj/cut/coul/cut", kernel_file!("pair/lj_cut_coul.cl", "pair/lj_cut_coul_cut.cl")),
        lj_cut::with_cutoff,
        Charges::Bare,
    )
}

/// `lj/cut/coul/debye`.
pub(super) fn lj_cut_debye(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let kappa = args.f64("kappa (an inverse distance)")?;
    undamped(
        args,
        ("lj/cut/coul/debye", kernel_file!("pair/lj_cut_coul.cl", "pair/lj_cut_coul_debye.cl")),
        lj_cut::with_cutoff,
        Charges::Screened(kappa),
    )
}

/// `lj/cut/coul/dsf`.
pub(super) fn lj_cut_dsf(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let coarsely = |alpha, cutoff| Damped::new(alpha, cutoff, false);
    damped(
        args,
        ("lj/cut/coul/dsf", kernel_file!("pair/lj_cut_coul.cl", "pair/lj_cut_coul_dsf.cl")),
        lj_cut::with_cutoff,
        coarsely,
    )
}

/// `lj/cut/coul/wolf`.
pub(super) fn lj_cut_wolf(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let file = kernel_file!("pair/lj_cut_coul.cl", "pair/lj_cut_coul_wolf.cl");
    damped(args, ("lj/cut/coul/wolf", file), lj_cut::with_cutoff, Damped::wolf)
}

/// `lj/cut/coul/cut/soft`.
pub(super) fn lj_cut_soft(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let [n, alpha] = lj_cut_soft::n_and_alpha(args)?;
    let charges = Charges::Soft(SoftCharges { n, alpha: args.f64("alpha of Coulomb forces (distance^2)")? });
    let (name, snippet) = ("lj/cut/coul/cut/soft", kernel_file!("pair/lj_cut_coul_cut_soft.cl"));
    let global = cutoffs(args)?;
    let first = lj_cut_soft::with_cutoff(n, alpha, global[0]);
    Ok(Box::new(WithCharges { name, snippet, first, charges, global }))
}

/// `nm/cut/coul/cut`.
pub(super) fn nm_cut(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let file = kernel_file!("pair/nm_cut_coul_cut.cl");
    undamped(args, ("nm/cut/coul/cut", file), nm_cut::with_cutoff, Charges::Bare)
}

/// `lj/class2/coul/cut`.
pub(super) fn lj_class2(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    undamped(
        args,
        ("lj/class2/coul/cut", kernel_file!("pair/lj_class2_coul_cut.cl")),
        nine_six::class2_with_cutoff,
        Charges::Bare,
    )
}

/// `buck/coul/cut`.
pub(super) fn buck(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    undamped(args, ("buck/coul/cut", kernel_file!("pair/buck_coul_cut.cl")), buck::with_cutoff, Charges::Bare)
}

/// `born/coul/dsf`.
pub(super) fn born_dsf(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let exactly = |alpha, cutoff| Damped::new(alpha, cutoff, true);
    damped(args, ("born/coul/dsf", kernel_file!("pair/born_coul_dsf.cl")), born::with_cutoff, exactly)
}

/// `born/coul/wolf`.
pub(super) fn born_wolf(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    damped(args, ("born/coul/wolf", kernel_file!("pair/born_coul_dsf.cl")), born::with_cutoff, Damped::wolf)
}

/// Parameters of the first style, its cutoff last, and the other cutoff.
fn apart(params: &[f64]) -> (Params, f64) {
    let (last, first) = params.split_last().expect("two cutoffs");
    (first.to_vec(), *last)
}

impl Style for WithCharges {
    fn name(&self) -> &'static str {
        self.name
    }

    fn snippet(&self) -> File {
        self.snippet
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        self.first.parameters()
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let before = args.taken().len();
        let mut params = self.first.parse(args)?;
        let own_cutoff = args.taken().len() - before == params.len();
        params.push(match own_cutoff && !self.damped() {
            true => cutoff_or(args, params[params.len() - 1])?,
            false => self.global[1],
        });
        Ok(params)
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        let ((a, of_a), (b, of_b)) = (apart(a), apart(b));
        let mut mixed = self.first.mix(rule, &a, &b)?;
        mixed.push(if of_a == of_b { of_a } else { rule.distance(of_a, of_b) });
        Some(mixed)
    }

    fn cutoff(&self, params: &[f64]) -> f64 {
        let (first, of_charges) = apart(params);
        self.first.cutoff(&first).max(of_charges)
    }

    fn reach(&self, params: &[f64]) -> f64 {
        self.first.cutoff(&apart(params).0)
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        self.first.evaluate(&apart(params).0, rsq)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let (first, of_charges) = apart(params);
        let mut numbers = self.first.coefficients(&first, shift);
        numbers.extend([self.first.cutoff(&first).powi(2), of_charges.powi(2)]);
        match &self.charges {
            Charges::Bare => {}
            Charges::Screened(kappa) => numbers.push(*kappa),
            Charges::Damped(damped) => numbers.extend(damped.coefficients()),
            Charges::Soft(soft) => numbers.extend(soft.softness(first[2])),
        }
        numbers
    }

    fn charged(&self) -> bool {
        true
    }

    fn coulomb(&self, params: &[f64], rsq: f64, lack: f64) -> (f64, f64) {
        if rsq >= apart(params).1.powi(2) {
            return (0.0, 0.0);
        }
        match &self.charges {
            Charges::Bare => coul_cut::screened_force(0.0, rsq, lack),
            Charges::Screened(kappa) => coul_cut::screened_force(*kappa, rsq, lack),
            Charges::Damped(damped) => damped.evaluate(rsq, lack),
            Charges::Soft(soft) => soft.evaluate(params[2], rsq, lack),
        }
    }

    fn damped(&self) -> bool {
        matches!(self.charges, Charges::Damped(_))
    }

    fn own_energy(&self) -> f64 {
        match &self.charges {
            Charges::Damped(damped) => damped.own_energy(),
            _ => 0.0,
        }
    }

    fn tail(&self, params: &[f64]) -> Option<(f64, f64)> {
        // LAMMPS has none for born/coul/dsf and born/coul/wolf.
        self.first.tail(&apart(params).0).filter(|_| !self.name.starts_with("born/"))
    }

    /// The cutoff of damped forces is no word of `pair_coeff`.
    fn words<'a>(&self, params: &'a [f64], all: bool) -> Option<&'a [f64]> {
        let (numbers, damped) = (params.len(), usize::from(self.damped()));
        let left_out = match params.ends_with(&self.global) && !all {
            true => 2,
            false => damped,
        };
        Some(&params[..numbers - left_out])
    }
}
