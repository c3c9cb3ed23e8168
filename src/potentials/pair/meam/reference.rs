//! What follows from reference lattices: the reference density of each element, and the energy of two atoms phi(r), which gives the lattice of
//! both elements the energy of Rose and others, E = -Ec (1 + a + c a^3) exp(-a) with a = alpha (r/re - 1). Sources: M. I. Baskes, Phys. Rev. B 46, 2727
//! (1992); B.-J. Lee and M. I. Baskes, Phys. Rev. B 62, 8564 (2000), for second neighbours; P. M. Gullett and others, Sandia report SAND2003-8782 (2003).

use super::files::Parameters;
use super::lattice::{Lattice, SecondShell};
use crate::base::vector::dot;

/// Points of the table of phi, and how far it reaches, in cutoffs: as LAMMPS has them.
const POINTS: usize = 1000;
const TABLE_REACH: f64 = 1.1;

/// Terms of the series of second neighbours, and where it ends before.
const TERMS: i32 = 10;
const SMALLEST: f64 = 1e-20;

/// Below which densities there is nobody.
const NOBODY: f64 = 1e-14;

/// The screening of nuclei: sum of A exp(-B r/a), with a = 0.4685 A/(Zi^0.23 + Zj^0.23); and two elementary charges in eV A.
const SCREENING: [[f64; 2]; 4] =
    [[0.028171, 0.20162], [0.28022, 0.40290], [0.50986, 0.94229], [0.18175, 3.1998]];
const CHARGES: f64 = 14.3997;

/// phi of two elements: cubics over even intervals, as (c3, c2, slope, value).
pub(super) struct Table {
    pub(super) spacing: f64,
    pub(super) rows: Vec<[f64; 4]>,
}

impl Table {
    fn new(spacing: f64, values: &[f64]) -> Self {
        let n = values.len();
        let slope = |m: usize| match m {
            0 => values[1] - values[0],
            1 => 0.5 * (values[2] - values[0]),
            m if m == n - 2 => 0.5 * (values[n - 1] - values[n - 3]),
            m if m == n - 1 => 0.0,
            m => ((values[m - 2] - values[m + 2]) + 8.0 * (values[m + 1] - values[m - 1])) / 12.0,
        };
        let row = |m: usize| {
            let (here, next, rise) = (slope(m), slope(m + 1), values[m + 1] - values[m]);
            [here + next - 2.0 * rise, 3.0 * rise - 2.0 * here - next, here, values[m]]
        };
        Table { spacing, rows: (0..n - 1).map(row).collect() }
    }

    /// phi and its slope.
    pub(super) fn at(&self, r: f64) -> [f64; 2] {
        let place = r / self.spacing;
        let row = (place as usize).min(self.rows.len() - 1);
        let p = (place - row as f64).min(1.0);
        let [c3, c2, slope, value] = self.rows[row];
        [((c3 * p + c2) * p + slope) * p + value, ((3.0 * c3 * p + 2.0 * c2) * p + slope) / self.spacing]
    }
}

/// (1 - (1 - x)^4)^2 from 0 to 1, and its slope.
pub(super) fn smooth_step(x: f64) -> [f64; 2] {
    let rest = 1.0 - x.clamp(0.0, 1.0);
    let whole = 1.0 - rest.powi(4);
    [whole * whole, 8.0 * whole * rest.powi(3)]
}

/// What partial densities add to the spherical one, G(Gamma), and its slope.
pub(super) fn gamma_function(gamma: f64, ibar: i32, smoothing: f64) -> [f64; 2] {
    match ibar {
        1 => {
            let g = (gamma / 2.0).exp();
            [g, g / 2.0]
        }
        3 => {
            let g = 2.0 / (1.0 + (-gamma).exp());
            [g, g * (2.0 - g) / 2.0]
        }
        -5 => {
            let g = (1.0 + gamma).abs().sqrt().copysign(1.0 + gamma);
            [g, 0.5 / g.abs()]
        }
        _ => {
            let from = -smoothing / (smoothing + 1.0);
            if gamma < from {
                let g = ((from / gamma).powf(smoothing) / (smoothing + 1.0)).sqrt();
                [g, -smoothing * g / (2.0 * gamma)]
            } else {
                let g = (1.0 + gamma).sqrt();
                [g, 0.5 / g]
            }
        }
    }
}

/// What stands at an atom of a reference lattice: the spherical density, and weights and squares of the others.
struct Site {
    density: f64,
    partial: [f64; 3],
    weight: [f64; 3],
}

impl Parameters {
    /// Tables of phi of ordered pairs of elements.
    pub(super) fn tables(&self) -> Vec<Table> {
        let n = self.elements.len();
        let spacing = TABLE_REACH * self.cutoff / POINTS as f64;
        let table = |at: usize| {
            let [i, j] = [at / n, at % n];
            let values: Vec<f64> =
                (0..POINTS).map(|k| self.pair_energy(k as f64 * spacing, i.min(j), i.max(j))).collect();
            Table::new(spacing, &values)
        };
        (0..n * n).map(table).collect()
    }

    /// Densities 0 to 3 that an element makes.
    pub(super) fn densities(&self, element: usize, r: f64) -> [f64; 4] {
        let (own, distance) = (&self.elements[element], self.pair(element, element).distance);
        own.decay.map(|decay| own.density * (-decay * (r / distance - 1.0)).exp())
    }

    /// F of an element and its slope, at a density over that of its reference.
    pub(super) fn embedded(&self, element: usize, density: f64) -> [f64; 2] {
        let scale = self.elements[element].embedding * self.pair(element, element).energy;
        match density {
            density if density > 0.0 => [scale * density * density.ln(), scale * (density.ln() + 1.0)],
            _ if self.linear => [-scale * density, -scale],
            _ => [0.0; 2],
        }
    }

    /// G of an element in its own lattice with these weights of partial densities, and its slopes by them.
    fn own_lattice(&self, element: usize, weight: [f64; 3]) -> (f64, [f64; 3]) {
        let own = &self.elements[element];
        if own.ibar <= 0 {
            return (1.0, [0.0; 3]);
        }
        let shape = self.pair(element, element).shape().map(|shape| shape / own.lattice.neighbors().powi(2));
        let [g, slope] = gamma_function(dot(weight, shape), own.ibar, self.smoothing);
        (g, shape.map(|shape| shape * slope))
    }

    /// The reference density of an element at whose site weights of partial densities are these, and its slopes by them.
    pub(super) fn reference_density(&self, element: usize, weight: [f64; 3]) -> (f64, [f64; 3]) {
        let own = &self.elements[element];
        let first = own.density * own.lattice.neighbors();
        if self.averaged_reference {
            let (g, slopes) = self.own_lattice(element, weight);
            return (first * g, slopes.map(|slope| first * slope));
        }
        if self.first_shell {
            return (first, [0.0; 3]);
        }
        let pair = self.pair(element, element);
        let beyond = match self.second_shell(element, element) {
            Some((shell, screened)) if pair.second => {
                shell.count * screened * own.density * (-own.decay[0] * (shell.ratio - 1.0)).exp()
            }
            _ => 0.0,
        };
        ((first + beyond) * self.own_lattice(element, own.weight).0, [0.0; 3])
    }

    /// The second neighbours of `i` in the lattice of i and j, with the part of them that j and its like leave.
    fn second_shell(&self, i: usize, j: usize) -> Option<(SecondShell, f64)> {
        let shell = self.pair(i, j).second_shell()?;
        let part = smooth_step(self.within(4.0 / shell.ratio.powi(2) - 1.0, i, i, j))[0];
        Some((shell, part.powi(shell.screens)))
    }

    /// Where between Cmin and Cmax of a triplet a number is.
    fn within(&self, c: f64, i: usize, j: usize, k: usize) -> f64 {
        let [least, most] = self.screen(i, j, k);
        (c - least) / (most - least)
    }

    /// What is left of second neighbours of the first and of the second element in l12, each of which four atoms screen.
    fn screened_in_l12(&self, a: usize, b: usize) -> [f64; 2] {
        let one = |i, j, k| smooth_step(self.within(1.0, i, j, k))[0];
        [one(a, a, a).powi(2) * one(a, a, b).powi(2), one(b, b, a).powi(4)]
    }

    /// The energy of Rose and others per atom.
    fn rose(&self, r: f64, a: usize, b: usize) -> f64 {
        let pair = self.pair(a, b);
        let x = pair.alpha * (r / pair.distance - 1.0);
        let cubic = if x >= 0.0 { pair.attract } else { pair.repel };
        let cubic = match self.rose_form {
            1 => pair.repel / r - pair.attract,
            2 => cubic,
            _ => cubic / (r / pair.distance),
        };
        -pair.energy * (1.0 + x + cubic * x.powi(3)) * (-x).exp()
    }

    /// The atoms of both elements in their lattice.
    fn sites(&self, r: f64, a: usize, b: usize) -> [Site; 2] {
        let pair = self.pair(a, b);
        let [mine, theirs] = [self.densities(a, r), self.densities(b, r)];
        let [t, u] = [a, b].map(|element| self.elements[element].weight);
        let (count, shape) = (pair.lattice.neighbors(), pair.shape());
        let squares = |from: [f64; 4], shape: [f64; 3]| [1, 2, 3].map(|l| shape[l - 1] * from[l].powi(2));
        let own = |first, other| if self.averaging == 2 { first } else { other };
        let mut sites = [
            Site { density: count * theirs[0], partial: squares(theirs, shape), weight: own(t, u) },
            Site { density: count * mine[0], partial: squares(mine, shape), weight: own(u, t) },
        ];
        match pair.lattice {
            Lattice::Methane => {
                sites[1] = Site {
                    density: mine[0],
                    partial: squares(mine, Lattice::Dimer.shape(0.0)),
                    weight: own(u, t),
                };
            }
            Lattice::Trimer => {
                sites[0] = Site {
                    density: theirs[0],
                    partial: squares(theirs, Lattice::Dimer.shape(0.0)),
                    weight: own(t, u),
                };
            }
            Lattice::L12 => {
                let (eight, four) = (8.0 * mine[0], 4.0 * theirs[0]);
                let density = eight + four;
                let mut quadrupole = 8.0 / 3.0 * (mine[2] - theirs[2]).powi(2);
                if self.averaging == 1 {
                    quadrupole = 8.0 / 3.0 * (mine[2] * t[1] - theirs[2] * u[1]).powi(2);
                    let squares = eight * t[1].powi(2) + four * u[1].powi(2);
                    quadrupole *= if squares > 0.0 { density / squares } else { 1.0 };
                }
                let mean = [0, 1, 2].map(|l| (t[l] * eight + u[l] * four) / density);
                sites[0] = Site { density, partial: [0.0, quadrupole, 0.0], weight: own(t, mean) };
            }
            _ => {}
        }
        if pair.second && pair.lattice == Lattice::L12 {
            let screened = self.screened_in_l12(a, b);
            let ratio = 2.0_f64.sqrt();
            sites[0].density += 6.0 * screened[0] * self.densities(a, ratio * r)[0];
            sites[1].density += 6.0 * screened[1] * self.densities(b, ratio * r)[0];
        } else if pair.second {
            // Second neighbours are of the same element.
            for (site, [i, j]) in sites.iter_mut().zip([[a, b], [b, a]]) {
                if let Some((shell, screened)) = self.second_shell(i, j) {
                    site.density += shell.count * screened * self.densities(i, shell.ratio * r)[0];
                }
            }
        }
        sites
    }

    /// F at a site.
    fn embedded_at(&self, element: usize, site: &Site) -> f64 {
        let gamma = dot(site.weight, site.partial);
        let gamma = if site.density < NOBODY { 0.0 } else { gamma / site.density.powi(2) };
        let [g, _] = gamma_function(gamma, self.elements[element].ibar, self.smoothing);
        let (reference, _) = self.reference_density(element, site.weight);
        self.embedded(element, site.density / reference * g)[0]
    }

    /// phi, where only first neighbours see each other.
    fn first_neighbors(&self, r: f64, a: usize, b: usize) -> f64 {
        if r == 0.0 {
            return 0.0;
        }
        let sites = self.sites(r, a, b);
        if sites.iter().all(|site| site.density <= NOBODY) {
            return 0.0;
        }
        let [f, g] = [self.embedded_at(a, &sites[0]), self.embedded_at(b, &sites[1])];
        let (lattice, whole) = (self.pair(a, b).lattice, self.rose(r, a, b));
        match lattice {
            Lattice::L12 => whole / 3.0 - f / 4.0 - g / 12.0 - self.with_second(r, a, a),
            Lattice::Methane => (5.0 * whole - f - 4.0 * g) / 4.0,
            Lattice::C11 => self.in_c11(r, a, b, whole),
            Lattice::Zigzag => (2.0 * whole - f - g - self.across(r, a, b) - self.across(r, b, a)) / 2.0,
            Lattice::Trimer => (3.0 * whole - 2.0 * f - g - self.across(r, a, b)) / 2.0,
            _ => (2.0 * whole - f - g) / lattice.neighbors(),
        }
    }

    /// What both neighbours of an atom of another element have between them, across an angle. As in LAMMPS they are screened as by a right
    /// angle.
    fn across(&self, r: f64, end: usize, middle: usize) -> f64 {
        let part = smooth_step(self.within(1.0, end, end, middle))[0];
        match part {
            part if part > 0.0 && end != middle => {
                part * self.first_neighbors(Lattice::opening(self.pair(end, middle).angle) * r, end, end)
            }
            _ => 0.0,
        }
    }

    /// phi in c11. The element whose own lattice is diamond, else the second one, has two atoms of three: each has five neighbours of both elements.
    /// As in LAMMPS densities are not taken over those of the elements' lattices.
    fn in_c11(&self, r: f64, a: usize, b: usize, whole: f64) -> f64 {
        let [twice, once] = if self.elements[a].lattice == Lattice::Diamond { [a, b] } else { [b, a] };
        let [x, y] = [twice, once].map(|element| self.densities(element, r));
        let [t, u] = [twice, once].map(|element| self.elements[element].weight);
        let mean = [0, 1, 2].map(|l| (t[l] * x[0] + u[l] * y[0]) / (x[0] + y[0]));
        let weight = if self.averaging == 2 { t } else { mean };
        let density = |spherical: f64, partial: [f64; 3]| {
            (spherical.powi(2) + dot(weight, partial.map(|x| x * x))).max(0.0).sqrt()
        };
        let dipole = x[1] - y[1];
        let (quadrupole, octupole) = ((x[2] + y[2]) / 6.0_f64.sqrt(), 1.1 * 2.5_f64.sqrt() * (x[3] - y[3]));
        let at_twice = density(5.0 * (x[0] + y[0]), [dipole, quadrupole, octupole]);
        let at_once = density(10.0 * x[0], [0.0, (2.0_f64 / 3.0).sqrt() * x[2], 0.0]);
        let [f, g] =
            [(twice, at_twice), (once, at_once)].map(|(element, rho)| self.embedded(element, rho)[0]);
        (3.0 * whole - 2.0 * f - g) / 10.0 - self.first_neighbors(r, twice, twice) / 2.0
    }

    /// phi of two elements whose second neighbours have the same phi: a series.
    fn with_second(&self, r: f64, a: usize, b: usize) -> f64 {
        let mut phi = self.first_neighbors(r, a, b);
        let Some((shell, screened)) = self.second_shell(a, b) else { return phi };
        if screened > 0.0 {
            let factor = -shell.count * screened / self.pair(a, b).lattice.neighbors();
            for n in 1..=TERMS {
                let (power, next) = (factor.powi(n), self.first_neighbors(r * shell.ratio.powi(n), a, b));
                if power.abs() < SMALLEST || next.abs() < SMALLEST {
                    break;
                }
                phi += power * next;
            }
        }
        phi
    }

    /// phi of two elements, in the order of the files.
    fn pair_energy(&self, r: f64, a: usize, b: usize) -> f64 {
        let pair = self.pair(a, b);
        let phi = match pair.lattice {
            _ if !pair.second => self.first_neighbors(r, a, b),
            Lattice::B1 | Lattice::B2 => {
                let beyond = |i: usize, j: usize| {
                    self.second_shell(i, j).map_or(0.0, |(shell, screened)| {
                        shell.count * screened / (2.0 * pair.lattice.neighbors())
                            * self.with_second(shell.ratio * r, i, i)
                    })
                };
                self.first_neighbors(r, a, b) - beyond(a, b) - beyond(b, a)
            }
            Lattice::L12 => {
                let [of_a, of_b] = self.screened_in_l12(a, b);
                let beyond = |element| self.with_second(2.0_f64.sqrt() * r, element, element);
                self.first_neighbors(r, a, b) - 0.75 * of_a * beyond(a) - 0.25 * of_b * beyond(b)
            }
            _ => self.with_second(r, a, b),
        };
        // Close atoms see the nuclei.
        let x = pair.alpha * (r / pair.distance - 1.0);
        match x {
            _ if !pair.nuclei || x >= -1.0 => phi,
            x if x <= -3.0 => self.nuclei(r, a, b),
            x => {
                let [part, _] = smooth_step(1.0 + (x + 1.0) / 2.0);
                part * phi + (1.0 - part) * self.nuclei(r, a, b)
            }
        }
    }

    fn nuclei(&self, r: f64, a: usize, b: usize) -> f64 {
        let [z, y] = [a, b].map(|element| self.elements[element].number);
        let length = 0.4685 / (z.powf(0.23) + y.powf(0.23));
        let screened: f64 = SCREENING.iter().map(|[part, decay]| part * (-decay * r / length).exp()).sum();
        if r > 0.0 { screened * z * y / r * CHARGES } else { screened }
    }
}
