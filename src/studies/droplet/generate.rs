//! Droplets to start from.

use std::f64::consts::{PI, SQRT_2};

use super::{Droplet, RIJ};
use crate::base::random::ParkMiller;

/// Size of the charges: those of pseudo-atoms, so that Coulomb forces matter but do not rule.
const CHARGE: f64 = 0.4;

/// How far off its site a particle is at most, per axis.
const JITTER: f64 = 0.05 * RIJ;

/// A droplet of `n` particles: the sites of an fcc lattice nearest to the origin, neighbours RIJ apart, each
/// displaced at random; as many charges of either sign, dealt out at random, and one particle without where `n` is
/// odd, so that the whole is neutral. The radius is that of the ball which `n` sites fill. Coordinates have the six decimals of a
/// file. `seed` is in 1..2^31-1.
pub fn generate(n: usize, seed: u32) -> Droplet {
    // The points of an fcc lattice are the integer points with an even sum, in units of half its edge; in these
    // each has a volume of 2.
    let unit = RIJ / SQRT_2;
    let radius = (3.0 * 2.0 * n as f64 / (4.0 * PI)).cbrt();
    let reach = radius.ceil() as i64 + 2;
    let mut sites = Vec::new();
    for a in -reach..=reach {
        for b in -reach..=reach {
            let odd = (a + b) & 1;
            sites.extend((-reach..=reach).filter(|c| c & 1 == odd).map(|c| [a, b, c]));
        }
    }
    sites.sort_by_key(|site| (site.map(|a| a * a).iter().sum::<i64>(), *site));
    let mut random = ParkMiller::new(seed);
    random.skip(5);
    let decimals = |x: f64| (x * 1e6).round() / 1e6;
    let x = sites[..n]
        .iter()
        .map(|site| site.map(|a| decimals(unit * a as f64 + JITTER * (2.0 * random.uniform() - 1.0))));
    let x: Vec<[f64; 3]> = x.collect();
    let mut charge = vec![0.0; n % 2];
    (0..n / 2).for_each(|_| charge.extend([CHARGE, -CHARGE]));
    // Fisher and Yates: signs in the order of the sites would make it a dipole.
    (1..n).rev().for_each(|last| charge.swap(last, (random.uniform() * (last + 1) as f64) as usize));
    Droplet {
        title: format!("Droplet of {n} particles, seed {seed}"),
        radius: decimals(unit * radius),
        x,
        charge,
    }
}
