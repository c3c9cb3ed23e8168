//! Neighbour lists by trying all pairs (cl/neighbor.cl).

use crate::domain::Domain;

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
    let longest = reach.iter().copied().fold(0.0, f64::max);
    let length = domain.lengths();
    // The images of `other` that lie within reach along one axis: box counts and separations.
    let along = |d: usize, mine: f64, other: f64| {
        let distance = mine - other;
        if !domain.periodic(d) || d >= dimension as usize {
            return vec![(0, distance)];
        }
        let first = ((distance - longest) / length[d]).floor() as i32;
        let last = ((distance + longest) / length[d]).ceil() as i32;
        let boxes = (first..=last).map(|b| (b, distance - f64::from(b) * length[d]));
        boxes.filter(|(_, distance)| distance.abs() <= longest).collect()
    };
    let list_of = |i: usize| {
        let mut list = Vec::new();
        for j in 0..x.len() {
            let limit = reach[(kind[i] as usize - 1) * types + kind[j] as usize - 1].powi(2);
            for (bx, dx) in along(0, x[i][0], x[j][0]) {
                for (by, dy) in along(1, x[i][1], x[j][1]) {
                    for (bz, dz) in along(2, x[i][2], x[j][2]) {
                        let rsq = dx * dx + dy * dy + dz * dz;
                        let boxes = [bx, by, bz];
                        if rsq <= limit && !(i == j && boxes == [0; 3]) {
                            list.push(Neighbor { atom: j, boxes, separation: [dx, dy, dz], rsq });
                        }
                    }
                }
            }
        }
        list
    };
    (0..x.len()).map(list_of).collect()
}
