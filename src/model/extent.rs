//! The smallest and largest coordinates of atoms.

use crate::model::domain::Domain;

/// Smallest and largest coordinates, straightened in a box; infinities the wrong way round where there are no atoms.
pub fn extent(domain: &Domain, x: &[[f64; 3]]) -> ([f64; 3], [f64; 3]) {
    let nothing = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    x.iter().map(|x| domain.straighten(*x)).fold(nothing, |(lo, hi), x| {
        (std::array::from_fn(|d| lo[d].min(x[d])), std::array::from_fn(|d| hi[d].max(x[d])))
    })
}
