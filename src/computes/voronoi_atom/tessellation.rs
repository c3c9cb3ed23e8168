//! The Voronoi cells of points in the box, and who is in which.

use super::cell::Cell;
use crate::base::vector::norm;
use crate::model::domain::Domain;
use crate::session::compute::Neighbors;
use rayon::prelude::*;

/// Points that have cells.
pub(super) struct Sites {
    pub(super) x: Vec<[f64; 3]>,
    /// Of radical cells.
    pub(super) radii: Option<Vec<f64>>,
}

impl Sites {
    fn radius(&self, k: usize) -> f64 {
        self.radii.as_ref().map_or(0.0, |radii| radii[k])
    }

    fn largest(&self) -> f64 {
        self.radii.iter().flatten().fold(0.0, |most, radius| radius.abs().max(most))
    }

    /// About the way from one to the next.
    fn spacing(&self, domain: &Domain, dimension: u32) -> f64 {
        (domain.volume(dimension) / self.x.len().max(1) as f64).powf(1.0 / f64::from(dimension))
    }
}

/// How much farther one looks where neighbours have not been enough, and how far at first, in spacings.
const FARTHER: f64 = 1.6;
const AT_FIRST: f64 = 2.5;

/// What lies in a plane by rounding, in spacings.
const ROUNDING: f64 = 1e-10;

/// Looks at the cells of some sites, which neighbours and the faces of the box end: all that are not periodic, in two
/// dimensions also those across z.
pub(super) fn cells<T: Send>(
    domain: &Domain,
    dimension: u32,
    sites: &Sites,
    wanted: &[usize],
    look: impl Fn(&Cell) -> T + Sync,
) -> Vec<T> {
    let spacing = sites.spacing(domain, dimension);
    let largest = sites.largest();
    let faces = Faces::new(domain, dimension);
    // A cell is within half the edges of the periodic axes, and within the box along the others.
    let half: f64 = domain.edges().iter().map(|edge| norm(*edge)).sum();
    let mut found: Vec<Option<T>> = wanted.iter().map(|_| None).collect();
    let mut reach = AT_FIRST * spacing;
    while found.iter().any(Option::is_none) {
        let near = Neighbors::of_atoms(domain, dimension, &sites.x, reach);
        let missing = found.par_iter_mut().zip(wanted).filter(|(found, _)| found.is_none());
        missing.for_each(|(found, &k)| {
            // As small as may be, for vertices are as exact as what they are cut from. A cell that is found ends within half
            // the reach, so no face of this cube is left then.
            let mut cell = Cell::cube(half.min(reach), ROUNDING * spacing);
            faces.cut(&mut cell, sites.x[k]);
            let own = sites.radius(k).powi(2);
            // The nearest plane of anybody so far away or farther.
            let beyond = |r: f64| (r * r + own - largest * largest) / (2.0 * r);
            let mut around = Vec::new();
            near.visit(k, |other, r, rsq| around.push((rsq, other as u32, r)));
            around.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (rsq, other, way) in around.into_iter().filter(|(rsq, ..)| *rsq > 0.0) {
                let r = rsq.sqrt();
                if beyond(r) > cell.reach() {
                    break;
                }
                let distance = (rsq + own - sites.radius(other as usize).powi(2)) / (2.0 * r);
                cell.cut(way.map(|x| -x / r), distance, Some(other));
            }
            *found = (beyond(reach) > cell.reach()).then(|| look(&cell));
        });
        reach *= FARTHER;
    }
    found.into_iter().flatten().collect()
}

/// The site in whose cell each of some places is; none where there are no sites.
pub(super) fn occupants(domain: &Domain, dimension: u32, sites: &Sites, x: &[[f64; 3]]) -> Vec<Option<u32>> {
    let mut found = vec![None; x.len()];
    if sites.x.is_empty() {
        return found;
    }
    let all = [&sites.x, x].concat();
    let (count, largest) = (sites.x.len(), sites.largest());
    let mut reach = AT_FIRST * sites.spacing(domain, dimension);
    while found.iter().any(Option::is_none) {
        let near = Neighbors::of_atoms(domain, dimension, &all, reach);
        let missing = found.par_iter_mut().enumerate().filter(|(_, found)| found.is_none());
        missing.for_each(|(k, found)| {
            let mut nearest = (f64::INFINITY, 0);
            near.visit(count + k, |site, _, rsq| {
                if site < count {
                    let power = rsq - sites.radius(site).powi(2);
                    nearest = if power < nearest.0 { (power, site as u32) } else { nearest };
                }
            });
            *found = (nearest.0 <= reach * reach - largest * largest).then_some(nearest.1);
        });
        reach *= FARTHER;
    }
    found
}

/// The faces of the box that end cells.
struct Faces {
    corner: [f64; 3],
    /// Of each pair of faces the normal and the distance from the lower to the upper one.
    pairs: Vec<([f64; 3], f64)>,
}

impl Faces {
    fn new(domain: &Domain, dimension: u32) -> Self {
        let edges = domain.edges();
        let pair = |d: usize| {
            let ([a, b], c) = ([edges[(d + 1) % 3], edges[(d + 2) % 3]], edges[d]);
            let across: [f64; 3] =
                std::array::from_fn(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
            let normal = across.map(|x| x / norm(across));
            (normal, (0..3).map(|k| normal[k] * c[k]).sum())
        };
        let ends = (0..3).filter(|&d| !domain.periodic(d) || d >= dimension as usize);
        Faces { corner: domain.lo, pairs: ends.map(pair).collect() }
    }

    fn cut(&self, cell: &mut Cell, x: [f64; 3]) {
        for (normal, thickness) in &self.pairs {
            let above: f64 = (0..3).map(|d| normal[d] * (x[d] - self.corner[d])).sum();
            cell.cut(*normal, thickness - above, None);
            cell.cut(normal.map(|x| -x), above, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Ranmar;
    use crate::model::domain::Boundary;

    /// Volume, number of faces, area, number of faces by edges up to 8.
    fn measure(cell: &Cell) -> (f64, usize, f64, [usize; 9]) {
        let mut edges = [0; 9];
        cell.faces.iter().for_each(|face| edges[cell.edges(face, 0.0).min(8)] += 1);
        (cell.volume(), cell.faces.len(), cell.faces.iter().map(|face| cell.area(face)).sum(), edges)
    }

    fn of(lo: f64, length: [f64; 3], boundary: [Boundary; 3]) -> Domain {
        Domain::new([lo; 3], length.map(|l| lo + l), boundary.map(|b| [b; 2])).expect("a box")
    }

    fn lattice(basis: &[[f64; 3]], cells: usize) -> Vec<[f64; 3]> {
        let mut x = Vec::new();
        for k in 0..cells.pow(3) {
            let place = [k % cells, k / cells % cells, k / cells / cells];
            x.extend(basis.iter().map(|b| std::array::from_fn(|d| 0.1 + b[d] + place[d] as f64)));
        }
        x
    }

    use Boundary::{Fixed, Periodic};

    /// The cells of cubic lattices with edge 1: a cube, a rhombic dodecahedron (edges of sqrt(3)/4 of the lattice's), a
    /// truncated octahedron (edges of sqrt(2)/4); however many cells there are in the box.
    #[test]
    fn cells_of_lattices() {
        let (sc, bcc) = (vec![[0.0; 3]], vec![[0.0; 3], [0.5; 3]]);
        let fcc = vec![[0.0; 3], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]];
        let dodecahedron = 8.0 * 2_f64.sqrt() * (3_f64.sqrt() / 4.0).powi(2);
        let octahedron = (6.0 + 12.0 * 3_f64.sqrt()) * 0.125;
        for (basis, volume, faces, area, edges) in [
            (sc, 1.0, 6, 6.0, [0, 0, 0, 0, 6, 0, 0, 0, 0]),
            (fcc, 0.25, 12, dodecahedron, [0, 0, 0, 0, 12, 0, 0, 0, 0]),
            (bcc, 0.5, 14, octahedron, [0, 0, 0, 0, 6, 0, 8, 0, 0]),
        ] {
            for count in [1, 3] {
                let domain = of(0.0, [count as f64; 3], [Periodic; 3]);
                let sites = Sites { x: lattice(&basis, count), radii: None };
                let wanted: Vec<usize> = (0..sites.x.len()).collect();
                for found in cells(&domain, 3, &sites, &wanted, measure) {
                    assert!((found.0 - volume).abs() < 1e-12 && (found.2 - area).abs() < 1e-12, "{found:?}");
                    assert_eq!((found.1, found.3), (faces, edges));
                }
            }
        }
    }

    /// Cells fill the box, whatever it looks like, with radii and without; and points are in the cells that they fill.
    #[test]
    fn cells_fill_the_box() {
        let mut random = Ranmar::new(11);
        for (boundary, dimension, tilt) in [
            ([Periodic; 3], 3, [0.0; 3]),
            ([Fixed, Periodic, Fixed], 3, [0.0; 3]),
            ([Periodic; 3], 3, [3.4, -2.0, 3.0]),
            ([Fixed, Periodic, Periodic], 3, [0.0, 0.0, 3.0]),
            ([Periodic; 3], 2, [3.0, 0.0, 0.0]),
            ([Fixed, Fixed, Periodic], 2, [0.0; 3]),
        ] {
            let domain = of(-1.0, [7.0, 6.0, 5.0], boundary).with_tilt(tilt).expect("a box");
            let mut point = || {
                let mut part: [f64; 3] = std::array::from_fn(|_| random.uniform());
                part[2] = if dimension == 2 { 0.5 } else { part[2] };
                domain.at_fractions(part)
            };
            let x: Vec<[f64; 3]> = (0..80).map(|_| point()).collect();
            let probes: Vec<[f64; 3]> = (0..2_000).map(|_| point()).collect();
            for radii in [None, Some((0..80).map(|k| 0.3 * f64::from(k % 3)).collect())] {
                let sites = Sites { x: x.clone(), radii };
                let wanted: Vec<usize> = (0..x.len()).collect();
                let volumes = cells(&domain, dimension, &sites, &wanted, Cell::volume);
                let whole: f64 = domain.lengths().iter().product();
                assert!((volumes.iter().sum::<f64>() - whole).abs() < 1e-9 * whole, "{boundary:?}, {tilt:?}");
                let mut counts = [0.0; 80];
                for site in occupants(&domain, dimension, &sites, &probes).into_iter().flatten() {
                    counts[site as usize] += whole / probes.len() as f64;
                }
                for (count, volume) in counts.iter().zip(&volumes) {
                    // Six standard errors of so many points.
                    let error = (whole * volume.max(0.01) / probes.len() as f64).sqrt();
                    assert!((count - volume).abs() < 6.0 * error, "{count}, {volume}");
                }
            }
        }
    }
}
