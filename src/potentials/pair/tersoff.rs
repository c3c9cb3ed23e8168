//! `pair_style tersoff`: bond orders. E = 1/2 sum over ordered pairs of fC(r) [A exp(-l1 r) - b B exp(-l2 r)] with b = (1 + (beta zeta)^n)^(-1/2n) and
//! zeta = sum over other neighbours of fC(r_ik) g(cos) exp(l3^m (r_ij - r_ik)^m), g = gamma [1 + c^2/d^2 - c^2/(d^2 + (cos0 - cos)^2)]. fC falls from 1 at
//! R - D to 0 at R + D.
//!
//! `tersoff/mod` and `tersoff/mod/c` have b = (1 + zeta^eta)^(-1/2n), g = c1 + c2 h^2/(c3 + h^2) [1 + c4 exp(-c5 h^2)] with h = cos0 - cos, another fC,
//! and the latter c0 beside A exp(-l1 r). `tersoff/zbl` has instead of [...] of two close atoms the screened repulsion of their nuclei.
//!
//! `shift D` has r + D in the place of r in fC and the exponentials of r. Differences r_ij - r_ik stay as they are.
//!
//! `pair_coeff * * FILE ELEMENT ...`. An entry of the file is `I J K m gamma l3 c d cos0 n beta l2 B R D l1 A`; of tersoff/mod `I J K m l3 cos0 eta 1 l2 B R
//! D l1 A n c1 c2 c3 c4 c5`, with `c0` behind in tersoff/mod/c; tersoff/zbl has `Zi Zj r1 s` behind those of tersoff. Energies are in eV, lengths in Angstrom.
//! Sources: J. Tersoff, Phys. Rev. B 39, 5566 (1989) and 37, 6991 (1988); T. Kumagai, S. Izumi, S. Hara and S. Sakai, Comput. Mater. Sci. 39, 457 (2007);
//! J. F. Ziegler, J. P. Biersack and U. Littmark, The Stopping and Range of Ions in Matter (1985); LAMMPS manual, pair_style tersoff and its like.

use super::many_body::Leaves;
use super::style::Style;
use super::three_body::{Entries, Formula, Leg, Partial, Scale, style};
use crate::base::error::Result;
use crate::gpu::source::{File, kernel_file};
use crate::script::Args;
use std::f64::consts::PI;

/// Which of its forms it has.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Plain,
    Modified,
    /// With c0.
    ModifiedC,
    /// With the repulsion of nuclei.
    Nuclei,
}

/// A style and how much longer bonds count than they are.
#[derive(Clone, Copy)]
struct Tersoff {
    form: Form,
    shift: f64,
}

/// Takes `shift D`, if it is there.
fn with_shift(form: Form, args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let mut shift = 0.0;
    while args.accept("shift") {
        shift = args.f64("how much longer bonds count than they are")?;
    }
    Ok(style(Tersoff { form, shift }))
}

/// `tersoff`.
pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    with_shift(Form::Plain, args)
}

/// `tersoff/mod`.
pub(super) fn modified(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    with_shift(Form::Modified, args)
}

/// `tersoff/mod/c`.
pub(super) fn modified_c(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    with_shift(Form::ModifiedC, args)
}

/// `tersoff/zbl`.
pub(super) fn nuclei(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    with_shift(Form::Nuclei, args)
}

/// The screening of nuclei: sum of A exp(-B r/a), with a = 0.8854 a0/(Zi^0.23 + Zj^0.23).
const SCREENING: [[f64; 2]; 4] = [[0.1818, 3.2], [0.5099, 0.9423], [0.2802, 0.4029], [0.02817, 0.2016]];
const BOHR: f64 = 0.529;

/// Two elementary charges, in eV Angstrom and in kcal/mol Angstrom, as LAMMPS has them here.
fn charges(units: &str) -> Option<f64> {
    let electron_volts = 1.0 / (4.0 * PI * 0.005_526_35);
    match units {
        "metal" => Some(electron_volts),
        "real" => Some(electron_volts / 0.043_365_121),
        _ => None,
    }
}

/// An entry as it is used, of a form.
struct Entry<'a>(&'a [f64], Form);

impl Entry<'_> {
    fn modified(&self) -> bool {
        matches!(self.1, Form::Modified | Form::ModifiedC)
    }

    /// fC and its slope.
    fn cut(&self, r: f64) -> [f64; 2] {
        let (middle, half) = (self.0[10], self.0[11]);
        if r < middle - half {
            return [1.0, 0.0];
        }
        if r > middle + half {
            return [0.0, 0.0];
        }
        let angle = PI * (r - middle) / (2.0 * half);
        if self.modified() {
            let fast = 3.0 * angle;
            let slope = -PI / (32.0 * half) * (9.0 * angle.cos() + 3.0 * fast.cos());
            return [0.5 - (9.0 * angle.sin() + fast.sin()) / 16.0, slope];
        }
        [0.5 * (1.0 - angle.sin()), -PI / (4.0 * half) * angle.cos()]
    }

    /// g and its slope by the cosine.
    fn angle(&self, cosine: f64) -> [f64; 2] {
        if self.modified() {
            let (c1, c2, c3, c4, c5) = (self.0[3], self.0[4], self.0[7], self.0[14], self.0[15]);
            let h = self.0[5] - cosine;
            let (wide, narrow) = (c2 * h * h / (c3 + h * h), c4 * (-c5 * h * h).exp());
            let slope = c2 * c3 / (c3 + h * h).powi(2) * (1.0 + narrow) - wide * narrow * c5;
            return [c1 + wide * (1.0 + narrow), -2.0 * h * slope];
        }
        let (gamma, c2, d2, h) = (self.0[1], self.0[3], self.0[4], self.0[5] - cosine);
        let below = d2 + h * h;
        [gamma * (1.0 + c2 / d2 - c2 / below), -2.0 * gamma * c2 * h / (below * below)]
    }

    /// exp(l3^m x^m) and its slope by x.
    fn rise(&self, x: f64) -> [f64; 2] {
        let (m, l3) = (self.0[0], self.0[2]);
        let power = l3 * x.powf(m);
        if power > 69.0776 {
            return [1e30, 0.0];
        }
        if power < -69.0776 {
            return [0.0, 0.0];
        }
        [power.exp(), power.exp() * l3 * m * x.powf(m - 1.0)]
    }

    /// b and its slope by zeta.
    fn order(&self, zeta: f64) -> [f64; 2] {
        let (n, beta) = (self.0[6], self.0[7]);
        if self.modified() {
            let eta = self.0[1];
            let power = zeta.powf(eta);
            let slope = if zeta > 0.0 { eta * power / zeta } else { 0.0 };
            let b = (1.0 + power).powf(-1.0 / (2.0 * n));
            return [b, -b / (1.0 + power) / (2.0 * n) * slope];
        }
        let t = beta * zeta;
        if t > self.0[14] {
            return [1.0 / t.sqrt(), -0.5 * beta * t.powf(-1.5)];
        }
        if t > self.0[15] {
            return [
                (1.0 - t.powf(-n) / (2.0 * n)) / t.sqrt(),
                -0.5 * beta * t.powf(-1.5) * (1.0 - (1.0 + 1.0 / (2.0 * n)) * t.powf(-n)),
            ];
        }
        if t < self.0[17] {
            return [1.0, 0.0];
        }
        if t < self.0[16] {
            return [1.0 - t.powf(n) / (2.0 * n), -0.5 * beta * t.powf(n - 1.0)];
        }
        let sum = 1.0 + t.powf(n);
        [sum.powf(-1.0 / (2.0 * n)), -0.5 * sum.powf(-1.0 - 1.0 / (2.0 * n)) * t.powf(n) / zeta]
    }

    /// Repulsion, its slope, attraction and its slope.
    fn bond(&self, r: f64) -> [f64; 4] {
        let [cut, cut_slope] = self.cut(r);
        let (most, attract) = (self.0[13] * (-self.0[12] * r).exp(), -self.0[9] * (-self.0[8] * r).exp());
        let repel = if self.modified() { most + self.0[16] } else { most };
        let f = [
            cut * repel,
            cut_slope * repel - cut * self.0[12] * most,
            cut * attract,
            cut_slope * attract - cut * self.0[8] * attract,
        ];
        if self.1 == Form::Nuclei { self.with_nuclei(f, r) } else { f }
    }

    /// The same with the repulsion of nuclei.
    fn with_nuclei(&self, f: [f64; 4], r: f64) -> [f64; 4] {
        let [charges, inverse, near, sharp, shift] = self.0[18..] else { return f };
        let (r, [mut nuclei, mut nuclei_slope]) = (r + shift, [0.0; 2]);
        for [a, b] in SCREENING {
            let part = charges * a * (-b * inverse * r).exp() / r;
            nuclei += part;
            nuclei_slope -= part * (b * inverse + 1.0 / r);
        }
        let far = 1.0 / (1.0 + (-sharp * (r - near)).exp());
        let far_slope = sharp * far * (1.0 - far);
        [
            far * f[0] + (1.0 - far) * nuclei,
            far * f[1] + (1.0 - far) * nuclei_slope + far_slope * (f[0] - nuclei),
            far * f[2],
            far * f[3] + far_slope * f[2],
        ]
    }
}

/// Whether one of these numbers is negative that may not be, by their names; those without may.
fn check_signs(names: &[&str], numbers: &[f64]) -> std::result::Result<(), String> {
    match names.iter().zip(numbers).find(|(name, number)| !name.is_empty() && **number < 0.0) {
        Some((name, _)) => Err(format!("{name} is negative")),
        None => Ok(()),
    }
}

/// Numbers of tersoff, and behind these of tersoff/zbl.
fn plain_entry(numbers: &[f64], scale: Scale) -> std::result::Result<Vec<f64>, String> {
    let [m, gamma, l3, c, d, cos0, n, beta, l2, b, middle, half, l1, a, ref nuclei @ ..] = *numbers else {
        return Err("an entry has 14 numbers, with those of nuclei 18".to_owned());
    };
    let names = ["", "gamma", "", "c", "d", "", "n", "beta", "lambda2", "B", "R", "D", "lambda1", "A"];
    check_signs(&[&names[..], &["Z_i", "Z_j", "ZBLcut", "ZBLexpscale"]].concat(), numbers)?;
    // Where b is a series, as LAMMPS has it.
    let [far, near] = [(2.0 * n * 1e-16).powf(-1.0 / n), (2.0 * n * 1e-8).powf(-1.0 / n)];
    let [a, b] = [a * scale.energy, b * scale.energy];
    let mut entry = vec![m, gamma, l3.powf(m), c * c, d * d, cos0, n, beta, l2, b, middle, half, l1, a];
    entry.extend([far, near, 1.0 / near, 1.0 / far]);
    if let [zi, zj, near, sharp] = *nuclei {
        let charges = charges(scale.units.name).ok_or("tersoff/zbl is for units metal and real")?;
        entry.extend([charges * zi * zj, (zi.powf(0.23) + zj.powf(0.23)) / (0.8854 * BOHR), near, sharp]);
    }
    Ok(entry)
}

/// Numbers of tersoff/mod, with those it shares with tersoff in their places.
fn modified_entry(numbers: &[f64], scale: Scale) -> std::result::Result<Vec<f64>, String> {
    let [m, l3, cos0, eta, one, l2, b, middle, half, l1, a, n, c1, c2, c3, c4, c5, ref c0 @ ..] = *numbers
    else {
        return Err("an entry has 17 numbers, with c0 18".to_owned());
    };
    let names = ["", "", "", "eta", "", "lambda2", "B", "R", "D", "lambda1", "A", "n"];
    check_signs(&names, numbers)?;
    if one != 1.0 {
        return Err("the fifth number, beta of tersoff, is not 1".to_owned());
    }
    let c0 = c0.first().copied().unwrap_or(0.0) * scale.energy;
    let [a, b] = [a * scale.energy, b * scale.energy];
    Ok(vec![m, eta, l3.powf(m), c1, c2, cos0, n, c3, l2, b, middle, half, l1, a, c4, c5, c0])
}

impl Formula for Tersoff {
    fn name(&self) -> &'static str {
        match self.form {
            Form::Plain => "tersoff",
            Form::Modified => "tersoff/mod",
            Form::ModifiedC => "tersoff/mod/c",
            Form::Nuclei => "tersoff/zbl",
        }
    }

    fn snippet(&self) -> File {
        match self.form {
            Form::Plain => kernel_file!("pair/by_vectors.cl", "pair/tersoff.cl"),
            Form::Modified | Form::ModifiedC => {
                kernel_file!("pair/by_vectors.cl", "pair/tersoff_mod.cl", "pair/tersoff.cl")
            }
            Form::Nuclei => kernel_file!("pair/by_vectors.cl", "pair/tersoff_zbl.cl", "pair/tersoff.cl"),
        }
    }

    fn width(&self) -> usize {
        match self.form {
            Form::Plain => 14,
            Form::Modified => 17,
            Form::ModifiedC | Form::Nuclei => 18,
        }
    }

    fn entry(&self, numbers: &[f64], scale: Scale) -> std::result::Result<Vec<f64>, String> {
        let m = numbers[0];
        if m != 1.0 && m != 3.0 {
            return Err("m is neither 1 nor 3".to_owned());
        }
        let mut entry = match self.form {
            Form::Modified | Form::ModifiedC => modified_entry(numbers, scale)?,
            _ => plain_entry(numbers, scale)?,
        };
        if entry[11] > entry[10] {
            return Err("D is greater than R".to_owned());
        }
        // Of functions of a bond's length: fC(r + shift) is that of another R, and so are the exponentials those of others before them.
        let [attract, repel] = [entry[8], entry[12]].map(|inverse| (-inverse * self.shift).exp());
        if self.form == Form::Nuclei {
            entry.push(self.shift);
        }
        (entry[9], entry[10], entry[13]) = (attract * entry[9], entry[10] - self.shift, repel * entry[13]);
        Ok(entry)
    }

    fn cutoff(&self, entry: &[f64]) -> f64 {
        entry[10] + entry[11]
    }

    fn leaves(&self) -> Leaves {
        Leaves::PartialForces { slots: 8, scratch: 1, by_bonds: true }
    }

    fn around(&self, centre: usize, legs: &[Leg], entries: &Entries<'_>) -> (f64, Vec<Partial>) {
        let mut partials = vec![Partial::default(); legs.len()];
        let mut energy = 0.0;
        for (j, leg) in legs.iter().enumerate() {
            let own = Entry(entries(centre, leg.element, leg.element), self.form);
            if leg.r >= self.cutoff(own.0) {
                continue;
            }
            let others = || legs.iter().enumerate().filter(move |&(k, _)| k != j);
            let entry = |other: &Leg| Entry(entries(centre, leg.element, other.element), self.form);
            let cosine = |other: &Leg| (0..3).map(|d| leg.unit[d] * other.unit[d]).sum::<f64>();
            let zeta: f64 = others()
                .map(|(_, other)| {
                    let e = entry(other);
                    e.cut(other.r)[0] * e.angle(cosine(other))[0] * e.rise(leg.r - other.r)[0]
                })
                .sum();
            let [b, b_slope] = own.order(zeta);
            let [repel, repel_slope, attract, attract_slope] = own.bond(leg.r);
            // Half of the bond is this centre's.
            let whole = 0.5 * (repel + b * attract);
            energy += 0.5 * whole;
            partials[j].energy += 0.5 * whole;
            let slope = 0.5 * (repel_slope + b * attract_slope);
            (0..3).for_each(|d| partials[j].slope[d] += slope * leg.unit[d]);
            let weight = 0.5 * attract * b_slope;
            for (k, other) in others() {
                let (e, c) = (entry(other), cosine(other));
                let ([cut, cut_slope], [g, g_slope]) = (e.cut(other.r), e.angle(c));
                let [rise, rise_slope] = e.rise(leg.r - other.r);
                for d in 0..3 {
                    let [u, v] = [leg.unit[d], other.unit[d]];
                    partials[j].slope[d] +=
                        weight * cut * (g * rise_slope * u + g_slope * rise * (v - c * u) / leg.r);
                    partials[k].slope[d] += weight
                        * (g * (cut_slope * rise - cut * rise_slope) * v
                            + cut * g_slope * rise * (u - c * v) / other.r);
                }
            }
        }
        (energy, partials)
    }
}
