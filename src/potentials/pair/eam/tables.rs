//! Tables of the embedded-atom method on common grids, as splines: the numbers that LAMMPS interpolates with.

use super::files::{EamFile, Format, Grid};

/// Hartree times Bohr radius in eV Angstrom, by the factors that LAMMPS's funcfl files are meant for.
const EV_ANGSTROM: f64 = 27.2 * 0.529;

/// No density is lower, where it is not to be negative: there the first cubic goes on.
const NO_LEAST: f64 = -1e30;

/// What all files together make.
pub(super) struct Tables {
    pub(super) rho: Grid,
    /// The density where they begin.
    pub(super) first_rho: f64,
    /// The density below which F goes on as a line: that, where it may be negative.
    pub(super) least_rho: f64,
    /// The density where the files' tables end, from which on F goes on as a line.
    pub(super) most_rho: f64,
    pub(super) r: Grid,
    pub(super) cutoff: f64,
    /// Per element rows (a, b, c, d) of F = ((a p + b) p + c) p + d in each interval of densities.
    pub(super) embedding: Vec<Rows>,
    /// The density at an atom of the first element due to one of the second.
    pub(super) density: Vec<Vec<Rows>>,
    /// r phi of two elements.
    pub(super) pairs: Vec<Vec<Rows>>,
    /// Functions of dipoles and of quadrupoles, of adp.
    pub(super) dipole: Vec<Vec<Rows>>,
    pub(super) quadrupole: Vec<Vec<Rows>>,
    /// The first interval from which on phi' is a parabola in each, for forces in fp32, where that is precise enough.
    pub(super) first_parabola: Option<usize>,
}

/// A spline: a cubic per interval of the grid, of p from 0 to 1.
pub(super) type Rows = Vec<[f64; 4]>;

impl Tables {
    /// Of these files; funcfl files have an element each, in their order, the others are one file.
    pub(super) fn new(files: &[EamFile], format: Format) -> Self {
        let tables = match format {
            Format::Funcfl => Tables::of_funcfl(files),
            // Those of adp are for the last of its forces alone.
            Format::Angular => return Tables::of_setfl(&files[0], format),
            _ => Tables::of_setfl(&files[0], format),
        };
        Tables { first_parabola: tables.first_of_parabolas(), ..tables }
    }

    fn of_setfl(file: &EamFile, format: Format) -> Self {
        let count = file.elements.len();
        let of_pair = |i: usize, j: usize| i.max(j) * (i.max(j) + 1) / 2 + i.min(j);
        let density = |at: usize, due: usize| {
            let element = &file.elements[due];
            &element.density[if format.by_pairs() { at } else { 0 }]
        };
        let table = |of: &dyn Fn(usize, usize) -> Rows| -> Vec<Vec<Rows>> {
            (0..count).map(|i| (0..count).map(|j| of(i, j)).collect()).collect()
        };
        let bends = |k: usize| match format {
            Format::Angular => table(&|i, j| spline(&file.bends[k][of_pair(i, j)])),
            _ => Vec::new(),
        };
        let helium = format == Format::Helium;
        let embedding = |table: &[f64]| {
            let mut rows = spline(table);
            if helium {
                // As LAMMPS has it: the first interval goes on with the second one's cubic.
                let [a, b, c, d] = rows[1];
                rows[0] = [a, b - 3.0 * a, c - 2.0 * b + 3.0 * a, d - c + b - a];
            }
            rows
        };
        Tables {
            rho: file.rho,
            first_rho: file.first_rho,
            least_rho: if helium { file.first_rho } else { NO_LEAST },
            // As in LAMMPS, F of adp stays what it is at the end.
            most_rho: if format == Format::Angular { -NO_LEAST } else { file.first_rho + file.rho.end() },
            r: file.r,
            cutoff: file.cutoff,
            embedding: file.elements.iter().map(|element| embedding(&element.embedding)).collect(),
            density: table(&|i, j| spline(density(i, j))),
            pairs: table(&|i, j| spline(&file.pairs[of_pair(i, j)])),
            dipole: bends(0),
            quadrupole: bends(1),
            first_parabola: None,
        }
    }

    /// F of an element and its slope at a density.
    pub(super) fn embedded(&self, element: usize, density: f64) -> (f64, f64) {
        let within = density.max(self.least_rho);
        let (row, p) = row_of((within - self.first_rho) / self.rho.spacing, &self.embedding[element]);
        let slope = slope(row, p) / self.rho.spacing;
        let beyond = (density - self.most_rho).max(0.0) + (density - within);
        (value(row, p) + slope * beyond, slope)
    }

    /// Functions of several files go on one grid, the coarsest of them and the longest; a single one's, too.
    fn of_funcfl(files: &[EamFile]) -> Self {
        let most = |of: &dyn Fn(&EamFile) -> f64| files.iter().map(of).fold(0.0, f64::max);
        let common = |spacing: f64, end: f64| Grid { points: (end / spacing + 0.5) as usize, spacing };
        let rho = common(most(&|file| file.rho.spacing), most(&|file| file.rho.end()));
        let r = common(most(&|file| file.r.spacing), most(&|file| file.r.end()));
        let charges: Vec<Vec<f64>> = files.iter().map(|file| resampled(&file.pairs[0], file.r, r)).collect();
        let product = |i: usize, j: usize| {
            let products = charges[i].iter().zip(&charges[j]).map(|(a, b)| EV_ANGSTROM * a * b);
            products.collect::<Vec<f64>>()
        };
        let densities: Vec<Rows> =
            files.iter().map(|file| spline(&resampled(&file.elements[0].density[0], file.r, r))).collect();
        let count = files.len();
        Tables {
            rho,
            first_rho: 0.0,
            least_rho: NO_LEAST,
            most_rho: most(&|file| file.rho.end()),
            r,
            cutoff: most(&|file| file.cutoff),
            embedding: files
                .iter()
                .map(|file| spline(&resampled(&file.elements[0].embedding, file.rho, rho)))
                .collect(),
            density: vec![densities; count],
            pairs: (0..count).map(|i| (0..count).map(|j| spline(&product(i, j))).collect()).collect(),
            dipole: Vec::new(),
            quadrupole: Vec::new(),
            first_parabola: None,
        }
    }
}

/// The values of a table on another grid, by Lagrange's polynomial through four points.
fn resampled(table: &[f64], from: Grid, to: Grid) -> Vec<f64> {
    (0..to.points)
        .map(|m| {
            let place = m as f64 * to.spacing / from.spacing + 1.0;
            let k = (place as usize).min(from.points - 2).max(2);
            let p = (place - k as f64).min(2.0);
            -p * (p - 1.0) * (p - 2.0) / 6.0 * table[k - 2] + (p * p - 1.0) * (p - 2.0) / 2.0 * table[k - 1]
                - p * (p + 1.0) * (p - 2.0) / 2.0 * table[k]
                + p * (p * p - 1.0) / 6.0 * table[k + 1]
        })
        .collect()
}

/// The cubics between neighbouring points of a table of five points or more, with slopes by differences of up to fourth order.
pub(super) fn spline(table: &[f64]) -> Rows {
    let n = table.len();
    let slope = |m: usize| match m {
        0 => table[1] - table[0],
        1 => 0.5 * (table[2] - table[0]),
        m if m == n - 2 => 0.5 * (table[n - 1] - table[n - 3]),
        m if m == n - 1 => table[n - 1] - table[n - 2],
        m => ((table[m - 2] - table[m + 2]) + 8.0 * (table[m + 1] - table[m - 1])) / 12.0,
    };
    let cubic = |m: usize| {
        let (rise, s, t) = (table[m + 1] - table[m], slope(m), slope(m + 1));
        [s + t - 2.0 * rise, 3.0 * rise - 2.0 * s - t, s, table[m]]
    };
    (0..n - 1).map(cubic).collect()
}

/// The row of a table and the place in it, for a place on its grid.
pub(super) fn row_of(place: f64, rows: &Rows) -> (&[f64; 4], f64) {
    let row = (place.max(0.0) as usize).min(rows.len() - 1);
    (&rows[row], (place - row as f64).min(1.0))
}

/// The value of a cubic.
pub(super) fn value([a, b, c, d]: &[f64; 4], p: f64) -> f64 {
    ((a * p + b) * p + c) * p + d
}

/// Its slope per interval.
pub(super) fn slope([a, b, c, _]: &[f64; 4], p: f64) -> f64 {
    (3.0 * a * p + 2.0 * b) * p + c
}
