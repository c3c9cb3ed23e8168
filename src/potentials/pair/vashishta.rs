//! `pair_style vashishta` (`vashishta/table`): oxides, carbides and the like. E = sum over pairs of U(r) - U(rc) - (r - rc) U'(rc), with U the sum of H/r^eta, of charges
//! Zi Zj e^2/(4 pi eps0 r) exp(-r/l1), of -D/r^4 exp(-r/l4) and of -W/r^6; and over triplets of B delta^2/(1 + C delta^2) exp(gamma/(r_ij - r0))
//! exp(gamma/(r_ik - r0)), delta = cos - cos0, with the angle at i.
//!
//! `pair_coeff * * FILE ELEMENT ...`. An entry of the file is `I J K H eta Zi Zj l1 D l4 W rc B gamma r0 C cos0`, energies in eV, lengths in Angstrom; of
//! triplets with J different from K B, C and cos0 count. Pairs are those of any style; triplets, which reach less far, leave partial forces. Source: P.
//! Vashishta, R. K. Kalia, J. P. Rino and I. Ebbsjo, Phys. Rev. B 41, 12197 (1990); LAMMPS manual, pair_style vashishta.

use super::many_body::Leaves;
use super::style::Style;
use super::three_body::{Entries, Formula, Leg, Partial, Scale, Table, add_triplets, style};
use crate::base::error::Result;
use crate::gpu::source::{File, kernel_file};
use crate::script::Args;

struct Vashishta {
    name: &'static str,
}

/// `vashishta`.
pub(super) fn new(_: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(style(Vashishta { name: "vashishta" }))
}

/// `vashishta/table POINTS INNER`: the same by the same formulas, which need no tables of pairs.
pub(super) fn tabulated(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    args.count("the number of points of a table", 1)?;
    args.positive("the distance where a table begins")?;
    Ok(style(Vashishta { name: "vashishta/table" }))
}

/// Numbers as they are used: those of triplets; then those of pairs, which kernels have as coefficients.
const B: usize = 0;
const C: usize = 1;
const COS0: usize = 2;
const GAMMA: usize = 3;
const R0: usize = 4;
const PAIR: usize = 5;
const CUTOFF: usize = 14;

/// Of pairs H, eta, q, 1/l1, D, 1/l4, W, s and t with U - s r + t: the energy and its slope.
fn pair(numbers: &[f64], r: f64) -> [f64; 2] {
    let [h, eta, q, l1, d, l4, w, s, t, ..] = numbers[PAIR..] else { return [0.0; 2] };
    let (steric, charges) = (h * r.powf(-eta), q / r * (-r * l1).exp());
    let (dipoles, dispersion) = (d * r.powi(-4) * (-r * l4).exp(), w * r.powi(-6));
    let slope =
        -(eta * steric + charges - 4.0 * dipoles - 6.0 * dispersion) / r - charges * l1 + dipoles * l4;
    [steric + charges - dipoles - dispersion - s * r + t, slope - s]
}

impl Formula for Vashishta {
    fn name(&self) -> &'static str {
        self.name
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/by_vectors.cl", "pair/triplets.cl", "pair/vashishta.cl")
    }

    fn width(&self) -> usize {
        14
    }

    fn entry(&self, numbers: &[f64], scale: Scale) -> std::result::Result<Vec<f64>, String> {
        let [h, eta, zi, zj, l1, d, l4, w, rc, b, gamma, r0, c, cos0] = *numbers else {
            return Err("an entry has 14 numbers".to_owned());
        };
        let names = ["H", "eta", "", "", "lambda1", "D", "lambda4", "W", "rc", "B", "gamma", "r0", "C", ""];
        if let Some((name, _)) =
            names.iter().zip(numbers).find(|(name, number)| !name.is_empty() && **number < 0.0)
        {
            return Err(format!("{name} is negative"));
        }
        if rc > 0.0 && (l1 == 0.0 || l4 == 0.0) {
            return Err("lambda1 or lambda4 is 0, where there is a cutoff rc".to_owned());
        }
        let [h, d, w, b] = [h, d, w, b].map(|energy| energy * scale.energy);
        let mut entry = vec![
            b,
            c,
            cos0,
            gamma,
            r0,
            h,
            eta,
            zi * zj * scale.units.qqr2e,
            1.0 / l1,
            d,
            1.0 / l4,
            w,
            0.0,
            0.0,
            rc,
        ];
        if rc > 0.0 {
            let [energy, slope] = pair(&entry, rc);
            entry[PAIR + 7] = slope;
            entry[PAIR + 8] = slope * rc - energy;
        }
        Ok(entry)
    }

    fn check(&self, table: &Table) -> std::result::Result<(), String> {
        let names = &table.elements;
        for (i, j) in (0..names.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
            if table.entry(i, j, j)[PAIR..] != table.entry(j, i, i)[PAIR..] {
                let [a, b] = [&names[i], &names[j]];
                return Err(format!(
                    "{a} {b} {b} and {b} {a} {a} differ in numbers of pairs (H to rc), which must be the same"
                ));
            }
        }
        Ok(())
    }

    fn cutoff(&self, entry: &[f64]) -> f64 {
        entry[R0].max(entry[CUTOFF])
    }

    fn triplet_cutoff(&self, entry: &[f64]) -> f64 {
        // Where exp(gamma/(r - r0)) is below 1e-17.
        (entry[R0] - entry[GAMMA] / 40.0).max(0.0)
    }

    fn pairs(&self) -> Option<File> {
        Some(kernel_file!("pair/vashishta_pair.cl"))
    }

    fn pair_numbers<'a>(&self, entry: &'a [f64]) -> (f64, &'a [f64]) {
        (entry[CUTOFF], &entry[PAIR..CUTOFF])
    }

    fn of_angle(&self) -> usize {
        3 // B, C, cos0
    }

    fn leaves(&self) -> Leaves {
        Leaves::PartialForces { slots: 8, scratch: 2, by_bonds: false }
    }

    fn around(&self, centre: usize, legs: &[Leg], entries: &Entries<'_>) -> (f64, Vec<Partial>) {
        let mut partials = vec![Partial::default(); legs.len()];
        let mut energy = 0.0;
        for (leg, partial) in legs.iter().zip(&mut partials) {
            let e = entries(centre, leg.element, leg.element);
            if leg.r < e[CUTOFF] {
                // A pair is that of both atoms: half of it is this one's, and a quarter is counted at each end.
                let [whole, slope] = pair(e, leg.r);
                partial.slope = leg.unit.map(|x| 0.5 * slope * x);
                partial.energy = 0.25 * whole;
                energy += 0.25 * whole;
            }
        }
        let rise = |leg: &Leg| {
            let e = entries(centre, leg.element, leg.element);
            let away = leg.r - e[R0];
            if away >= 0.0 { [0.0; 2] } else { [(e[GAMMA] / away).exp(), -e[GAMMA] / away.powi(2)] }
        };
        energy += add_triplets(legs, &mut partials, rise, |j, k, cosine| {
            let e = entries(centre, legs[j].element, legs[k].element);
            let delta = cosine - e[COS0];
            let below = 1.0 + e[C] * delta.powi(2);
            [e[B] * delta.powi(2) / below, 2.0 * e[B] * delta / below.powi(2)]
        });
        (energy, partials)
    }
}
