//! Neighbour lists by trying all pairs (cl/neighbor/build.cl).

use crate::model::domain::Domain;
use std::ops::RangeInclusive;

/// One entry of an atom's list: another atom or an image, its own ones included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor {
    /// The atom.
    pub atom: usize,
    /// How many box lengths the image is away.
    pub boxes: [i32; 3],
    /// Own position minus its position.
    pub separation: [f64; 3],
    /// Squared distance.
    pub rsq: f64,
}

/// For each atom all others and images with r^2 <= reach^2, `reach` being cutoff + skin per ordered pair of
/// the types 1 to `types`. The atoms need not be wrapped. In 2d there are no images along z.
pub fn neighbors(
    domain: &Domain,
    dimension: u32,
    types: usize,
    reach: &[f64],
    x: &[[f64; 3]],
    kind: &[u32],
) -> Vec<Vec<Neighbor>> {
    // How many edges away images may lie along each axis, and a little more than that for what is rounded.
    let (edges, stretch, lengths) = (domain.edges(), domain.stretch(), domain.lengths());
    let along = |d: usize, fraction: f64, reach: f64| -> RangeInclusive<i32> {
        if !domain.periodic(d) || d >= dimension as usize {
            return 0..=0;
        }
        let reach = reach * stretch[d] / lengths[d] + 1e-6;
        (fraction - reach).ceil() as i32..=(fraction + reach).floor() as i32
    };
    let fractions: Vec<[f64; 3]> = x.iter().map(|&x| domain.fractions(x)).collect();
    let list_of = |i: usize| {
        let mut list = Vec::new();
        for j in 0..x.len() {
            let reach = reach[(kind[i] as usize - 1) * types + kind[j] as usize - 1];
            let limit = reach.powi(2);
            let [range_x, range_y, range_z]: [RangeInclusive<i32>; 3] =
                std::array::from_fn(|d| along(d, fractions[i][d] - fractions[j][d], reach));
            for bx in range_x {
                for by in range_y.clone() {
                    for bz in range_z.clone() {
                        let boxes = [bx, by, bz];
                        let separation: [f64; 3] = std::array::from_fn(|d| {
                            let away: f64 = (0..3).map(|k| f64::from(boxes[k]) * edges[k][d]).sum();
                            x[i][d] - x[j][d] - away
                        });
                        let rsq = separation.iter().map(|r| r * r).sum();
                        if rsq <= limit && !(i == j && boxes == [0; 3]) {
                            list.push(Neighbor { atom: j, boxes, separation, rsq });
                        }
                    }
                }
            }
        }
        list
    };
    (0..x.len()).map(list_of).collect()
}
