//! `pair_style list FILE CUTOFF [check|nocheck]`: forces between pairs of atoms that a file names by their IDs, and no others.
//!
//! A line of the file is `ID1 ID2 FORM NUMBERS [CUTOFF]`, with a cutoff of its own or that of the style:
//!
//! - `harmonic K R0`: E = K (r - r0)^2
//! - `morse D ALPHA R0`: E = D {1 - exp[-alpha (r - r0)]}^2
//! - `lj126 EPSILON SIGMA`: E = 4 epsilon [(sigma/r)^12 - (sigma/r)^6]
//! - `quartic K R0 B1 B2`: E = K (r - r0)^2 (r - r0 - b1) (r - r0 - b2)
//!
//! LAMMPS manual, pair_style list. On a device they are looked for as bonds are, by IDs (`crate::potentials::bond::listed`), but count as pairs.

use super::potential_file::PotentialFile;
use super::style::{Mix, Params, Style, keywords_follow};
use crate::base::error::Result;
use crate::gpu::source::{File, kernel_file};
use crate::script::Args;

/// What a pair of a file does: the number of its form from 1, up to four numbers, the cutoff.
pub type Listed = [f64; 6];

/// Pairs of IDs, each with what it does.
pub type Pairs = Vec<([u32; 2], Listed)>;

struct List {
    cutoff: f64,
    pairs: Pairs,
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let word = args.word("the file of pairs")?;
    let mut file = PotentialFile::open(args, word)?;
    let cutoff = args.positive("the cutoff distance")?;
    while keywords_follow(args) {
        args.one_of("keyword", &[("check", ()), ("nocheck", ())])?;
    }
    let mut pairs = Pairs::new();
    while let Some(line) = file.next_line(char::is_whitespace) {
        let mut args = Args::new(&line);
        let mut id = || args.count_up_to("the ID of an atom", 1, u32::MAX as usize - 1).map(|id| id as u32);
        let ids = [id()?, id()?];
        let forms = [("harmonic", (1, 2)), ("morse", (2, 3)), ("lj126", (3, 2)), ("quartic", (4, 4))];
        let (form, count) = args.one_of("form of a pair", &forms)?;
        let mut listed = [f64::from(form), 0.0, 0.0, 0.0, 0.0, cutoff];
        for number in &mut listed[1..=count] {
            *number = args.f64("a number of the pair")?;
        }
        if !args.is_empty() {
            listed[5] = args.positive("the cutoff of the pair")?;
        }
        args.finish()?;
        pairs.push((ids, listed));
    }
    Ok(Box::new(List { cutoff, pairs }))
}

impl Style for List {
    fn name(&self) -> &'static str {
        "list"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/zero.cl")
    }

    fn global(&self) -> &[f64] {
        &[]
    }

    /// Behind the types stands nothing.
    fn parse(&self, _: &mut Args<'_>) -> Result<Params> {
        Ok(vec![self.cutoff])
    }

    fn mix(&self, _: Mix, a: &[f64], _: &[f64]) -> Option<Params> {
        Some(a.to_vec())
    }

    /// What neighbours do to each other without being listed.
    fn evaluate(&self, _params: &[f64], _rsq: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn coefficients(&self, _params: &[f64], shift: f64) -> Vec<f64> {
        vec![shift]
    }

    fn listed(&self) -> Option<&Pairs> {
        Some(&self.pairs)
    }

    fn words<'a>(&self, _: &'a [f64], _: bool) -> Option<&'a [f64]> {
        Some(&[])
    }
}

/// F / r and E of a pair at a squared distance: the host twin of cl/bond/listed.cl.
pub(crate) fn evaluate(&[form, a, b, c, d, cutoff]: &Listed, rsq: f64) -> (f64, f64) {
    let r = rsq.sqrt();
    if r >= cutoff {
        return (0.0, 0.0);
    }
    match form as u32 {
        1 => (-2.0 * a * (r - b) / r, a * (r - b) * (r - b)),
        2 => {
            let decay = (-b * (r - c)).exp();
            (2.0 * a * b * (decay * decay - decay) / r, a * (1.0 - decay) * (1.0 - decay))
        }
        3 => {
            let s6 = (b * b / rsq).powi(3);
            (24.0 * a * (2.0 * s6 * s6 - s6) / rsq, 4.0 * a * (s6 * s6 - s6))
        }
        _ => {
            let (x, y, z) = (r - b, r - b - c, r - b - d);
            (-a * (2.0 * x * y * z + x * x * (y + z)) / r, a * x * x * y * z)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Listed, evaluate};

    #[test]
    fn forces_are_slopes_and_end_at_the_cutoff() {
        let pairs: [Listed; 4] = [
            [1.0, 20.0, 1.1, 0.0, 0.0, 3.0],
            [2.0, 2.0, 1.5, 1.2, 0.0, 3.0],
            [3.0, 1.5, 1.0, 0.0, 0.0, 3.0],
            [4.0, 5.0, 1.2, -0.5, 0.7, 3.0],
        ];
        for pair in pairs {
            for r in [0.9, 1.0, 1.3, 2.0, 2.9] {
                let h = 1e-6;
                let energy = |r: f64| evaluate(&pair, r * r).1;
                let slope = (energy(r + h) - energy(r - h)) / (2.0 * h);
                let force = evaluate(&pair, r * r).0 * r;
                assert!(
                    (slope + force).abs() < 1e-6 * force.abs().max(1.0),
                    "{pair:?} {r}: {force} and {slope}"
                );
            }
            assert_eq!(evaluate(&pair, 9.0), (0.0, 0.0));
        }
    }
}
