//! Who is near whom: a search by cells on the host, for what is looked at every hundred steps or so.

use super::listed::Listed;
use crate::base::error::{Error, Result};
use crate::base::format::g;
use crate::base::{memory, parallel};
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::potentials::pair::many_body::Around;
use crate::session::Session;
use crate::session::snapshot::view::Snapshot;
use std::f64::consts::PI;

/// The atoms in the order of cells of about half the cutoff, so that the neighbours of one lie in few runs.
pub(crate) struct Neighbors {
    cutoff: f64,
    dimension: u32,
    /// Of the box; its area in 2d.
    volume: f64,
    lo: [f64; 3],
    length: [f64; 3],
    /// Whether there are images along an axis.
    images: [bool; 3],
    cells: [usize; 3],
    edge: [f64; 3],
    /// Of a triclinic box: how much farther than a distance one must look along each axis of the straightened box.
    stretch: Option<[f64; 3]>,
    slopes: [f64; 3],
    /// Of all atoms, wrapped into the box, which is straightened.
    position: Vec<[f64; 3]>,
    /// Atoms in the order of the cells, x fastest: where they are, and who.
    sorted: Vec<([f64; 3], u32)>,
    /// Where the atoms of each cell begin in `sorted`, and where the last ones end.
    start: Vec<u32>,
    /// Pairs that are no neighbours, or count in part; none for mere positions.
    listed: Option<Listed>,
}

/// So many images of a box are more than a search for neighbours is about.
const MANY_BOXES: f64 = 100.0;
/// Neighbours of one atom, images included, that are too many then.
const MOST_NEIGHBORS: f64 = 1e7;

impl Neighbors {
    /// Of all atoms of a system within a distance (distance units), but for pairs that the script leaves out of lists.
    ///
    /// # Errors
    /// When the device fails, or the distance reaches over so many images of the box that nobody wants to wait.
    pub(crate) fn new(system: &Snapshot<'_>, cutoff: f64) -> Result<Self> {
        let (domain, x) = (system.domain()?, &system.atoms()?.x);
        let dimension = system.session.system.dimension;
        let axes = (0..dimension as usize).filter(|&d| domain.periodic(d));
        let boxes: f64 = axes.map(|d| 2.0 * cutoff / domain.lengths()[d] + 1.0).product();
        if boxes > MANY_BOXES && boxes * x.len() as f64 > MOST_NEIGHBORS {
            let message = format!("the distance {} reaches over {} boxes", g(cutoff, 10), g(boxes, 3));
            return Err(Error::new(message).help("take a shorter one: it is in distance units"));
        }
        Ok(Neighbors::among(system.session, domain, system.atoms()?, cutoff))
    }

    /// The same of atoms in a box, however far it reaches.
    pub(crate) fn among(session: &Session, domain: &Domain, atoms: &Atoms, cutoff: f64) -> Self {
        let found = Neighbors::of_atoms(domain, session.system.dimension, &atoms.x, cutoff);
        Neighbors { listed: Listed::new(session, atoms), ..found }
    }

    /// How much the forces of two atoms count, all but those of charges and these: 1 but for `special_bonds`.
    pub(crate) fn weights(&self, i: usize, j: usize) -> [f64; 2] {
        self.listed.as_ref().map_or([1.0; 2], |listed| listed.weights(i, j))
    }

    /// The neighbours of every atom, as the twins of potentials of many bodies take them.
    ///
    /// # Errors
    /// When there is no memory for so many.
    pub(crate) fn around_each(&self) -> Result<Vec<Around>> {
        let atoms = self.position.len();
        let near = match self.dimension {
            2 => PI * self.cutoff.powi(2),
            _ => 4.0 / 3.0 * PI * self.cutoff.powi(3),
        };
        let pairs = (atoms as f64).powi(2) * near / self.volume;
        memory::check(pairs * size_of::<(usize, [f64; 3])>() as f64)?;
        Ok(parallel::map(atoms, |i| self.around_one(i)))
    }

    /// Those of one atom.
    pub(crate) fn around_one(&self, i: usize) -> Around {
        let mut list = Around::new();
        self.visit(i, |j, r, _| list.push((j, r.map(|x| -x))));
        list
    }

    /// The same of any positions in a box, however far it reaches.
    pub(crate) fn of_atoms(domain: &Domain, dimension: u32, x: &[[f64; 3]], cutoff: f64) -> Self {
        let (lo, length) = (domain.lo, domain.lengths());
        let images = std::array::from_fn(|d| d < dimension as usize && domain.periodic(d));
        let mut size = (cutoff / 2.0).max(1e-6 * length[0]);
        let mut cells = [1; 3];
        loop {
            for d in 0..dimension as usize {
                cells[d] = (length[d] / size).clamp(1.0, 1e6) as usize;
            }
            // No more cells than there are atoms, about.
            if cells.iter().product::<usize>() <= 2 * x.len() + 64 {
                break;
            }
            size *= 1.25;
        }
        let mut found = Neighbors {
            cutoff,
            dimension,
            volume: domain.volume(dimension),
            lo,
            length,
            images,
            cells,
            edge: std::array::from_fn(|d| length[d] / cells[d] as f64),
            stretch: domain.triclinic.then(|| domain.stretch()),
            slopes: domain.slopes(),
            position: Vec::new(),
            sorted: vec![([0.0; 3], 0); x.len()],
            start: vec![0; cells.iter().product::<usize>() + 1],
            listed: None,
        };
        let wrap = |x: &[f64; 3]| -> [f64; 3] {
            let x = domain.straighten(*x);
            std::array::from_fn(|d| match images[d] {
                true => x[d] - ((x[d] - lo[d]) / length[d]).floor() * length[d],
                false => x[d],
            })
        };
        found.position = parallel::map(x.len(), |i| wrap(&x[i]));
        let place = |x: &[f64; 3]| -> usize {
            let [i, j, k] =
                std::array::from_fn(|d| found.cell(x[d], d).clamp(0, found.cells[d] as i64 - 1) as usize);
            (k * cells[1] + j) * cells[0] + i
        };
        let places: Vec<usize> = parallel::map(x.len(), |i| place(&found.position[i]));
        places.iter().for_each(|&place| found.start[place + 1] += 1);
        for cell in 1..found.start.len() {
            found.start[cell] += found.start[cell - 1];
        }
        let mut next = found.start.clone();
        for (i, (&place, &x)) in places.iter().zip(&found.position).enumerate() {
            found.sorted[next[place] as usize] = (x, i as u32);
            next[place] += 1;
        }
        found
    }

    /// The cell of a coordinate: any number along an axis with images, else one that there is.
    fn cell(&self, x: f64, d: usize) -> i64 {
        let cell = ((x - self.lo[d]) / self.edge[d]).floor();
        if self.images[d] { cell as i64 } else { cell.clamp(0.0, (self.cells[d] - 1) as f64) as i64 }
    }

    /// The square of the distance of a coordinate from a cell; the outer cells of an axis without images have
    /// no end.
    fn gap(&self, x: f64, cell: i64, d: usize) -> f64 {
        if self.stretch.is_some() {
            return 0.0; // what is far along one axis may be near along another
        }
        let lower = self.lo[d] + cell as f64 * self.edge[d];
        let below = self.images[d] || cell > 0;
        let above = self.images[d] || cell < self.cells[d] as i64 - 1;
        let gap = match x {
            x if below && x < lower => lower - x,
            x if above && x > lower + self.edge[d] => x - lower - self.edge[d],
            _ => 0.0,
        };
        gap * gap
    }

    /// A distance within which an atom has about so many neighbours, if they were everywhere alike.
    pub(crate) fn reach_of(&self, count: f64) -> f64 {
        let volume = self.volume * count / self.position.len() as f64;
        let reach = match self.dimension {
            2 => (volume / PI).sqrt(),
            _ => (volume * 3.0 / (4.0 * PI)).cbrt(),
        };
        reach.min(self.cutoff)
    }

    /// The neighbours of an atom, as [`visit`](Self::visit) has them but for their numbers: those within `likely` where these are `enough`, as they
    /// are nearly always, else all. `enough` is told the distance, too, and may put them in another order.
    pub(crate) fn around(
        &self,
        likely: f64,
        i: usize,
        mut enough: impl FnMut(&mut [([f64; 3], f64)], f64) -> bool,
    ) -> Vec<([f64; 3], f64)> {
        let mut around = Vec::with_capacity(64);
        for reach in [likely, self.cutoff] {
            around.clear();
            self.visit_within(reach, i, |_, r, rsq| around.push((r, rsq)));
            if enough(&mut around, reach) {
                break;
            }
        }
        around
    }

    /// Calls `visit` for each neighbour of an atom, images included: its number, the position of the atom minus
    /// its position, and the square of the distance, which is below that of the cutoff.
    pub(crate) fn visit(&self, i: usize, visit: impl FnMut(usize, [f64; 3], f64)) {
        self.visit_within(self.cutoff, i, visit);
    }

    /// The same for those within a distance that is no longer than the cutoff.
    pub(crate) fn visit_within(&self, reach: f64, i: usize, mut visit: impl FnMut(usize, [f64; 3], f64)) {
        self.visit_around(reach, self.position[i], |j, home, r, rsq| {
            let left_out = || self.listed.as_ref().is_some_and(|listed| listed.leaves_out(i, j));
            if !(home && j == i || left_out()) {
                visit(j, r, rsq);
            }
        });
    }

    /// The same for the atoms around a place of the straightened box, with their numbers and squared distances.
    pub(crate) fn visit_near(&self, x: [f64; 3], mut visit: impl FnMut(usize, f64)) {
        self.visit_around(self.cutoff, x, |j, _, _, rsq| visit(j, rsq));
    }

    /// Calls `visit` for all atoms around a place, also with whether an image is the one in the box.
    #[inline(always)]
    fn visit_around(&self, reach: f64, x: [f64; 3], mut visit: impl FnMut(usize, bool, [f64; 3], f64)) {
        let limit = reach * reach;
        // Cells are chosen a little more widely than rounding needs.
        let wide = limit * (1.0 + 1e-9);
        let stretch = self.stretch.unwrap_or([1.0; 3]);
        let range = |d: usize, reach: f64| {
            let reach = reach * stretch[d];
            self.cell(x[d] - reach, d)..=self.cell(x[d] + reach, d)
        };
        let wrapped = |cell: i64, d: usize| {
            let count = self.cells[d] as i64;
            match cell {
                0.. if cell < count => (cell as usize, 0), // mostly, and divisions are slow
                _ => (cell.rem_euclid(count) as usize, cell.div_euclid(count)),
            }
        };
        for z in range(2, wide.sqrt()) {
            let left = wide - self.gap(x[2], z, 2);
            let (k, z_boxes) = wrapped(z, 2);
            for y in range(1, wide.sqrt()) {
                let left = left - self.gap(x[1], y, 1);
                if left <= 0.0 {
                    continue;
                }
                let (j, y_boxes) = wrapped(y, 1);
                let row = (k * self.cells[1] + j) * self.cells[0];
                let (first, last) = range(0, left.sqrt()).into_inner();
                let ((_, first_box), (_, last_box)) = (wrapped(first, 0), wrapped(last, 0));
                for x_boxes in first_box..=last_box {
                    let begin = (first - x_boxes * self.cells[0] as i64).max(0) as usize;
                    let end = (last - x_boxes * self.cells[0] as i64).min(self.cells[0] as i64 - 1) as usize;
                    let home = [x_boxes, y_boxes, z_boxes] == [0; 3];
                    let boxes = [x_boxes, y_boxes, z_boxes];
                    let seen: [f64; 3] = std::array::from_fn(|d| x[d] - boxes[d] as f64 * self.length[d]);
                    let run = self.start[row + begin] as usize..self.start[row + end + 1] as usize;
                    for (other, index) in &self.sorted[run] {
                        let mut r: [f64; 3] = std::array::from_fn(|d| seen[d] - other[d]);
                        if self.stretch.is_some() {
                            let [xy, xz, yz] = self.slopes;
                            r = [r[0] + xy * r[1] + xz * r[2], r[1] + yz * r[2], r[2]];
                        }
                        let rsq = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
                        if rsq < limit {
                            visit(*index as usize, home, r, rsq);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Ranmar;
    use crate::model::domain::Boundary;
    use crate::model::domain::Boundary::{Fixed, Periodic};
    use crate::reference::list::neighbors;

    /// Against trying all pairs and all images, in boxes large and small beside the cutoff.
    #[test]
    fn as_by_trying_all_pairs() {
        type Case = ([f64; 3], [[Boundary; 2]; 3], [f64; 3], u32, f64);
        let cases: [Case; 8] = [
            ([7.0, 8.0, 9.0], [[Periodic; 2]; 3], [0.0; 3], 3, 1.3),
            ([7.0, 3.0, 2.0], [[Periodic; 2], [Fixed; 2], [Periodic; 2]], [0.0; 3], 3, 1.9),
            ([1.0, 1.5, 2.0], [[Periodic; 2]; 3], [0.0; 3], 3, 2.45),
            ([9.0, 6.0, 1.0], [[Periodic; 2]; 3], [0.0; 3], 2, 2.0),
            ([50.0, 60.0, 70.0], [[Fixed; 2]; 3], [0.0; 3], 3, 30.0),
            ([7.0, 8.0, 9.0], [[Periodic; 2]; 3], [3.5, -3.4, 4.0], 3, 1.3),
            ([1.0, 1.5, 2.0], [[Periodic; 2]; 3], [-0.5, 0.4, 0.75], 3, 2.45),
            ([9.0, 6.0, 1.0], [[Periodic; 2]; 3], [4.5, 0.0, 0.0], 2, 2.0),
        ];
        let mut random = Ranmar::new(17);
        for (length, boundary, tilt, dimension, cutoff) in cases {
            let mut domain = Domain::new([-1.0; 3], length.map(|l| l - 1.0), boundary).expect("a box");
            if tilt != [0.0; 3] {
                domain = domain.with_tilt(tilt).expect("a tilted box");
            }
            // Some lie a little outside, as atoms do between two rebuilds.
            let mut atom = || {
                let mut x: [f64; 3] =
                    std::array::from_fn(|d| (1.2 * random.uniform() - 0.1) * length[d] - 1.0);
                if dimension == 2 {
                    x[2] = 0.0;
                }
                x
            };
            let x: Vec<[f64; 3]> = (0..60).map(|_| atom()).collect();
            let found = Neighbors::of_atoms(&domain, dimension, &x, cutoff);
            let kind = vec![1; x.len()];
            let lists = neighbors(&domain, dimension, 1, &[cutoff], &x, &kind);
            for (i, list) in lists.iter().enumerate() {
                let mut expected: Vec<(usize, f64)> = list.iter().map(|n| (n.atom, n.rsq)).collect();
                let mut ours = Vec::new();
                found.visit(i, |j, r, rsq| {
                    assert!((r.iter().map(|r| r * r).sum::<f64>() - rsq).abs() < 1e-9);
                    ours.push((j, rsq));
                });
                let order = |list: &mut Vec<(usize, f64)>| {
                    list.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
                };
                order(&mut expected);
                order(&mut ours);
                assert_eq!(ours.len(), expected.len(), "atom {i}, cutoff {cutoff}");
                for ((j, a), (k, b)) in ours.iter().zip(&expected) {
                    assert!(j == k && (a - b).abs() < 1e-9, "atom {i}: {j} {a}, {k} {b}");
                }
            }
        }
    }
}
