//! The equation, its units, its limits and what it conserves.

use std::f64::consts::PI;

use crate::base::error::{Error, Result};
use crate::studies::kdv::host::Factors;

/// Length of the period.
pub const PERIOD: f64 = 2.0;

/// Fewest points: the stencil of the third derivative spans five.
pub const FEWEST: usize = 5;
const MOST: usize = 1 << 30;

/// u_t + u u_x + delta^2 u_xxx = 0 on a period of 2 in x, and how it is discretised.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Problem {
    /// Points of the period.
    pub n: usize,
    /// Time step, in units of 1/pi.
    pub dt: f64,
    /// Square root of the dispersion's coefficient.
    pub delta: f64,
}

impl Problem {
    /// A problem whose numbers make sense, and whose time step is stable for values of up to `u_max`.
    ///
    /// # Errors
    /// Too few points, numbers that are not positive, a time step above [`limit`](Problem::limit): names it.
    pub fn new(n: i64, dt: f64, delta: f64, u_max: f64) -> Result<Self> {
        let fewest = FEWEST as i64;
        if n < fewest {
            return Err(Error::new(format!("--n {n} is too few points")).help(format!(
                "the scheme's third derivative spans {FEWEST} points; the document has 256, 512 and 1024"
            )));
        }
        if n > MOST as i64 {
            return Err(Error::new(format!("--n {n} is too many points")).help(format!("at most {MOST}")));
        }
        if !(dt.is_finite() && dt > 0.0) {
            return Err(Error::new(format!("--dt {dt} is no time step"))
                .help("give a positive number, in units of 1/pi; the document has 1e-5 and 1e-6"));
        }
        if !(delta.is_finite() && delta >= 0.0) {
            return Err(Error::new(format!("--delta {delta} cannot be used"))
                .help("delta^2 is the factor of u_xxx; the document has --delta 0.022"));
        }
        let problem = Problem { n: n as usize, dt, delta };
        let limit = problem.limit(u_max);
        // Written so that a limit that is no number (dx^2 underflows) is refused, too.
        if dt <= limit {
            return Ok(problem);
        }
        Err(Error::new(format!(
            "--dt {dt:e} is above the leapfrog's stability limit of {limit:.4e} (in units of 1/pi) for --n {n}, \
             --delta {delta} and |u| up to {u_max}"
        ))
        .help(format!(
            "use --dt {:e} or less, or fewer points: the limit falls with the third power of --n",
            round_down(limit)
        )))
    }

    /// Distance of two points.
    pub fn dx(&self) -> f64 {
        PERIOD / self.n as f64
    }

    /// The largest stable time step of the leapfrog, in units of 1/pi, for |u| up to `u_max`:
    /// pi (2 / (3 sqrt 3)) dx / (2 |u|max + delta^2 / dx^2). A leapfrog is stable while dt times the greatest
    /// frequency is at most 1; a wave of phase t per point on a constant u has the frequency
    /// sin t (u - 2 (delta^2 / dx^2) (1 - cos t)) / dx, at most (|u| + 3 sqrt 3 / 2 delta^2 / dx^2) / dx. So with
    /// the initial |u|max there is room for a growth to five times as much (solitons from a cosine reach three).
    pub fn limit(&self, u_max: f64) -> f64 {
        let dx = self.dx();
        PI * (2.0 / (3.0 * 3.0_f64.sqrt())) * dx / (2.0 * u_max + (self.delta / dx).powi(2))
    }

    /// The factors of a leapfrog step.
    pub fn factors(&self) -> Factors {
        let (dx, dt) = (self.dx(), self.dt / PI);
        Factors {
            a: 2.0 * ((1.0 / (6.0 * dx)) * dt),
            b: 2.0 * ((self.delta * self.delta / (2.0 * dx * dx * dx)) * dt),
        }
    }

    /// u at the points for a function of x.
    pub fn sample(&self, u: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..self.n).map(|j| u(j as f64 * self.dx())).collect()
    }

    /// The number of steps to the time `t` (in units of 1/pi), to the nearest.
    ///
    /// # Errors
    /// A time that is not positive, is less than a step, or is further than can be counted.
    pub fn steps(&self, t: f64) -> Result<u64> {
        let steps = (t / self.dt).round();
        if !(t.is_finite() && t > 0.0) {
            return Err(Error::new(format!("--t-end {t} is no end"))
                .help("give a positive time, in units of 1/pi; the document has 10"));
        }
        if steps < 1.0 {
            return Err(Error::new(format!("--t-end {t} is less than a step of --dt {}", self.dt)));
        }
        // 2^53: beyond it not every count is an f64.
        if steps > 9_007_199_254_740_992.0 {
            return Err(Error::new(format!("--t-end {t} takes {steps:e} steps of --dt {:e}", self.dt))
                .help("that would not end in years; choose a larger --dt or an earlier end"));
        }
        Ok(steps as u64)
    }
}

/// To two digits, downwards.
fn round_down(x: f64) -> f64 {
    let unit = 10f64.powf(x.log10().floor() - 1.0);
    // Through text, so that 1.8e-5 does not become 1.8000000000000001e-5.
    format!("{:.1e}", (x / unit).floor() * unit).parse().unwrap_or(x)
}

/// What is printed of u at one time.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Summary {
    /// Time, in units of 1/pi.
    pub t: f64,
    /// Integral of u over the period, by the sum over the points; the equation and the scheme conserve it.
    pub mass: f64,
    /// Integral of u^2, likewise; the equation conserves it, the scheme up to the second order in dt.
    pub momentum: f64,
    /// Least value.
    pub min: f64,
    /// Greatest value.
    pub max: f64,
    /// Where that is.
    pub x_of_max: f64,
}

impl Summary {
    /// Of values at the points of a period.
    ///
    /// # Errors
    /// Values that are no finite numbers: names the time.
    pub fn new(t: f64, u: &[f64]) -> Result<Self> {
        if !u.iter().all(|u| u.is_finite()) {
            return Err(Error::new(format!("u is no longer finite at t = {t}"))
                .help("try a smaller --dt, or --precision double"));
        }
        let dx = PERIOD / u.len() as f64;
        let (at, max) =
            u.iter().copied().enumerate().fold((0, f64::NEG_INFINITY), |a, b| if b.1 > a.1 { b } else { a });
        Ok(Summary {
            t,
            mass: dx * u.iter().sum::<f64>(),
            momentum: dx * u.iter().map(|u| u * u).sum::<f64>(),
            min: u.iter().copied().fold(f64::INFINITY, f64::min),
            max,
            x_of_max: at as f64 * dx,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remedy_is_below_the_limit_and_short() {
        for (x, text) in [(1.8319e-5, "1.8e-5"), (9.99e-4, "9.9e-4"), (2.0e-3, "2e-3")] {
            assert_eq!(format!("{:e}", round_down(x)), text);
            assert!(round_down(x) <= x);
        }
    }
}
