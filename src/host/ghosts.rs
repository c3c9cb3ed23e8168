//! Ghost atoms (cl/ghost.cl).

use crate::domain::Domain;

/// A periodic image of an atom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ghost {
    /// The atom.
    pub atom: usize,
    /// How many box lengths the image is away.
    pub boxes: [i32; 3],
    /// Where it is.
    pub x: [f64; 3],
}

/// All images of wrapped atoms within `cutoff` of the box along every axis, faces included: as many as
/// LAMMPS counts. In 2d there are none along z.
pub fn ghosts(domain: &Domain, dimension: u32, cutoff: f64, x: &[[f64; 3]]) -> Vec<Ghost> {
    let length = domain.lengths();
    let reach: [i32; 3] = std::array::from_fn(|d| {
        let imaged = domain.periodic(d) && d < dimension as usize;
        if imaged { (cutoff / length[d]).ceil() as i32 + 1 } else { 0 }
    });
    let mut ghosts = Vec::new();
    for (atom, x) in x.iter().enumerate() {
        for bz in -reach[2]..=reach[2] {
            for by in -reach[1]..=reach[1] {
                for bx in -reach[0]..=reach[0] {
                    let boxes = [bx, by, bz];
                    let image: [f64; 3] = std::array::from_fn(|d| x[d] + f64::from(boxes[d]) * length[d]);
                    let near = |d: usize| {
                        boxes[d] == 0
                            || (domain.lo[d] - cutoff <= image[d] && image[d] <= domain.hi[d] + cutoff)
                    };
                    if boxes != [0; 3] && (0..3).all(near) {
                        ghosts.push(Ghost { atom, boxes, x: image });
                    }
                }
            }
        }
    }
    ghosts
}
