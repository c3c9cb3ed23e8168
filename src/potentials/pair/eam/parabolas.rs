//! Shorter rows for the force of a pair in fp32. The force needs the slopes of phi and of the density. Tables have cubics of r phi and parabolas of
//! the density's slope, seven numbers with a division; here phi' is a parabola, too, in each interval, where that is as precise as fp32 is.
//! The rows of a small table have room in the local memory of GPUs (LOCAL_ROWS of cl/force/samples.cl).

use super::tables::{Tables, slope, value};

/// How far phi' may be off, over its size: about two units in the last place of fp32.
const TOLERANCE: f64 = 3e-7;

/// Where phi' is small, errors count beside this part of the largest value that it has beyond [`NEAREST`].
const SMALL: f64 = 0.05;

/// The part of the cutoff beyond which the rows must hold. Atoms hardly come closer; where they do, the cubics hold.
const NEAREST: f64 = 0.3;

/// Longer tables would have no room, and in global memory these rows are read as fast as the others.
const MOST_ROWS: usize = 680;

impl Tables {
    /// phi' of two elements at the place p of the k-th interval.
    fn pair_slope(&self, [a, b]: [usize; 2], k: usize, p: f64) -> f64 {
        let (z, r) = (&self.pairs[a][b][k], (k as f64 + p) * self.r.spacing);
        (slope(z, p) / self.r.spacing - value(z, p) / r) / r
    }

    /// The parabola (a p + b) p + c through three points of it, at the nodes of Chebyshev's polynomial.
    fn parabola(&self, pair: [usize; 2], k: usize) -> [f64; 3] {
        let off = 0.75_f64.sqrt() / 2.0;
        let [low, middle, high] = [0.5 - off, 0.5, 0.5 + off].map(|p| self.pair_slope(pair, k, p));
        let bend = (low + high - 2.0 * middle) / (2.0 * off * off);
        let rise = (high - low) / (2.0 * off);
        [bend, rise - bend, middle - rise / 2.0 + bend / 4.0]
    }

    /// The first interval from which on the parabolas of two elements are precise enough.
    fn first_parabola(&self, pair: [usize; 2]) -> usize {
        let rows = self.r.points - 1;
        let nearest = ((NEAREST * rows as f64) as usize).max(1);
        let sizes = (nearest..rows).map(|k| self.pair_slope(pair, k, 0.5).abs());
        let small = SMALL * sizes.fold(0.0, f64::max);
        let precise = |&k: &usize| {
            let [a, b, c] = self.parabola(pair, k);
            [0.0, 0.25, 0.75, 1.0].into_iter().all(|p| {
                let exact = self.pair_slope(pair, k, p);
                ((a * p + b) * p + c - exact).abs() <= TOLERANCE * exact.abs().max(small)
            })
        };
        rows - (1..rows).rev().take_while(precise).count()
    }

    /// The first interval from which on there are parabolas for all elements, where they hold for all distances of neighbors.
    pub(super) fn first_of_parabolas(&self) -> Option<usize> {
        let rows = self.r.points - 1;
        if rows > MOST_ROWS {
            return None;
        }
        let elements = 0..self.pairs.len();
        let pairs = elements.clone().flat_map(|a| elements.clone().map(move |b| [a, b]));
        let first = pairs.map(|pair| self.first_parabola(pair)).max()?;
        (first as f64 <= NEAREST * rows as f64).then_some(first)
    }

    /// Of two elements, from that interval on, three numbers of the density's slope and three of phi', the highest power first, then two zeros.
    pub(super) fn parabolas(&self, pair @ [a, b]: [usize; 2], first: usize) -> impl Iterator<Item = f64> {
        (first..self.r.points - 1).flat_map(move |k| {
            let [d, e, f] = super::slopes(&self.density[a][b][k], self.r.spacing);
            let [g, h, i] = self.parabola(pair, k);
            [d, e, f, g, h, i, 0.0, 0.0]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::files::Grid;
    use super::super::tables::spline;
    use super::*;

    /// Of a metal by Morse's potential, with so many rows up to 6 A, and a kink.
    fn tables(points: usize, kink: f64) -> Tables {
        let spacing = 6.0 / (points - 1) as f64;
        let r = |k: usize| k as f64 * spacing;
        let z: Vec<f64> = (0..points).map(|k| r(k) * morse(r(k))[0] + kink * (r(k) - 3.0).abs()).collect();
        let density: Vec<f64> = (0..points).map(|k| (-1.5 * r(k)).exp()).collect();
        let grid = Grid { points, spacing };
        Tables {
            rho: grid,
            first_rho: 0.0,
            least_rho: 0.0,
            most_rho: 1.0,
            r: grid,
            cutoff: 6.0,
            embedding: Vec::new(),
            density: vec![vec![spline(&density)]],
            pairs: vec![vec![spline(&z)]],
            dipole: Vec::new(),
            quadrupole: Vec::new(),
            first_parabola: None,
        }
    }

    /// The potential and its slope.
    fn morse(r: f64) -> [f64; 2] {
        let [one, two] = [1.4, 2.8].map(|a: f64| (-a * (r - 2.8)).exp());
        [0.35 * (two - 2.0 * one), 0.35 * 2.8 * (one - two)]
    }

    #[test]
    fn there_are_parabolas_where_they_are_as_precise_as_fp32_and_short() {
        assert!(tables(600, 0.0).first_of_parabolas().is_some());
        assert!(tables(600, 0.1).first_of_parabolas().is_none());
        assert!(tables(60, 0.0).first_of_parabolas().is_none());
        assert!(tables(1000, 0.0).first_of_parabolas().is_none());
    }

    #[test]
    fn they_are_the_slopes_of_the_formulas() {
        let tables = tables(600, 0.0);
        let first = tables.first_of_parabolas().expect("fine rows");
        let numbers: Vec<f64> = tables.parabolas([0, 0], first).collect();
        for (r, p) in [(1.9, 0.3), (2.8, 0.5), (4.1, 0.9)] {
            let k = (r / tables.r.spacing) as usize;
            let [a, b, c, d, e, f, ..] = numbers[8 * (k - first)..] else { panic!("too few rows") };
            let x = (k as f64 + p) * tables.r.spacing;
            // Splines are off by more than the rows are: by 1e-7 of the fourth derivative or so.
            let [phi_slope, density_slope] = [(d * p + e) * p + f, (a * p + b) * p + c];
            assert!((phi_slope - morse(x)[1]).abs() < 1e-5, "{x}: {phi_slope}");
            assert!((density_slope + 1.5 * (-1.5 * x).exp()).abs() < 1e-6, "{x}: {density_slope}");
        }
    }
}
