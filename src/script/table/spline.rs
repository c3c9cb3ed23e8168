//! Cubic splines with given slopes at the ends.

/// A curve through points, twice continuously differentiable.
pub struct Spline<'a> {
    x: &'a [f64],
    y: &'a [f64],
    /// Second derivative at each point.
    pub curvature: Vec<f64>,
}

impl<'a> Spline<'a> {
    /// Through at least two points with ascending `x`, with slopes `first` and `last` at the ends.
    ///
    /// Continuity of the slope gives a tridiagonal system for the second derivatives, which is solved by
    /// elimination from the first row to the last (Press et al., Numerical Recipes, section 3.3).
    pub fn new(x: &'a [f64], y: &'a [f64], first: f64, last: f64) -> Self {
        let n = x.len();
        let width = |i: usize| x[i + 1] - x[i];
        let rise = |i: usize| (y[i + 1] - y[i]) / width(i);
        // Row i: below * c[i - 1] + diagonal * c[i] + above[i] * c[i + 1] = right.
        let (mut above, mut curvature) = (vec![0.0; n], vec![0.0; n]);
        for i in 0..n {
            let (below, jump_from) = if i == 0 { (0.0, first) } else { (width(i - 1), rise(i - 1)) };
            let (next, jump_to) = if i == n - 1 { (0.0, last) } else { (width(i), rise(i)) };
            let (before, known) = if i == 0 { (0.0, 0.0) } else { (above[i - 1], curvature[i - 1]) };
            let pivot = 2.0 * (below + next) - below * before;
            above[i] = next / pivot;
            curvature[i] = (6.0 * (jump_to - jump_from) - below * known) / pivot;
        }
        for i in (0..n - 1).rev() {
            curvature[i] -= above[i] * curvature[i + 1];
        }
        Spline { x, y, curvature }
    }

    /// The value at `x`, which should lie between the first and the last point.
    pub fn at(&self, x: f64) -> f64 {
        let i = self.x.partition_point(|&point| point <= x).clamp(1, self.x.len() - 1) - 1;
        let width = self.x[i + 1] - self.x[i];
        let [c0, c1, c2, c3] = self.cubic(i);
        let t = (x - self.x[i]) / width;
        c0 + t * (c1 + t * (c2 + t * c3))
    }

    /// Between the points `i` and `i + 1`: coefficients of a polynomial in the fraction of the way.
    pub fn cubic(&self, i: usize) -> [f64; 4] {
        let sixth = (self.x[i + 1] - self.x[i]).powi(2) / 6.0;
        let (here, next) = (sixth * self.curvature[i], sixth * self.curvature[i + 1]);
        [self.y[i], self.y[i + 1] - self.y[i] - 2.0 * here - next, 3.0 * here, next - here]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A spline with the right slopes at its ends is a cubic polynomial wherever the points lie on one.
    #[test]
    fn cubics_come_back() {
        let f = |x: f64| 2.0 - 3.0 * x + 0.7 * x * x + 1.1 * x.powi(3);
        let slope = |x: f64| -3.0 + 1.4 * x + 3.3 * x * x;
        let x = [0.1, 0.3, 0.4, 1.0, 1.1, 2.5];
        let y = x.map(f);
        let spline = Spline::new(&x, &y, slope(x[0]), slope(x[5]));
        for k in 0..=240 {
            let x = 0.1 + 0.01 * f64::from(k);
            assert!((spline.at(x) - f(x)).abs() < 1e-13, "{x}");
        }
        for (x, curvature) in x.iter().zip(&spline.curvature) {
            assert!((curvature - 1.4 - 6.6 * x).abs() < 1e-12, "{x}");
        }
    }
}
