//! How far a place is from other atoms.

use crate::model::domain::Domain;

/// From one position to the nearest image of another.
pub(super) fn apart(domain: &Domain, x: [f64; 3], other: [f64; 3]) -> [f64; 3] {
    let lengths = domain.lengths();
    if domain.triclinic {
        let images = std::array::from_fn(|d| domain.periodic(d));
        return domain.nearest(std::array::from_fn(|d| x[d] - other[d]), images);
    }
    std::array::from_fn(|d| {
        let way = x[d] - other[d];
        match domain.periodic(d) && way.abs() > 0.5 * lengths[d] {
            true => way - lengths[d].copysign(way),
            false => way,
        }
    })
}

/// The squared distance of two positions across the axis `up`.
pub(super) fn lateral(domain: &Domain, up: usize, x: [f64; 3], other: [f64; 3]) -> f64 {
    apart(domain, x, other)[..up].iter().map(|x| x * x).sum()
}
