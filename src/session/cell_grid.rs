//! Regular grids of cells over the box, which values are averaged in and written by. Source: LAMMPS manual, `Howto grid`.

use crate::base::error::Result;
use crate::model::domain::Domain;
use crate::script::Args;
use crate::script::atom_expr::AtomExpr;

/// More cells than this are an oversight.
const MOST: u64 = 1 << 27;

/// So many cells along each edge of the box, whatever its shape is at the moment. Their numbers, from 0, go along x first,
/// then along y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Cells along a, b and c.
    pub size: [usize; 3],
}

impl Grid {
    /// Takes `Nx Ny Nz`; in two dimensions Nz has to be 1.
    ///
    /// # Errors
    /// At a word that is no number from 1 on, or does not fit the dimension; where there are far too many cells.
    pub fn read(dimension: u32, args: &mut Args<'_>) -> Result<Self> {
        let mut size = [1; 3];
        let mut last = None;
        for (count, axis) in size.iter_mut().zip(["x", "y", "z"]) {
            last = args.peek();
            *count = args.count(&format!("the number of cells along {axis}"), 1)? as usize;
        }
        let Some(word) = last else { return Ok(Grid { size }) };
        if dimension == 2 && size[2] != 1 {
            return Err(args.error(word, "a grid in two dimensions has one cell along z").help("write 1"));
        }
        let cells = size.iter().try_fold(1_u64, |cells, &n| cells.checked_mul(n as u64));
        if cells.is_none_or(|cells| cells > MOST) {
            return Err(args.error(word, format_args!("a grid can have {MOST} cells at most")));
        }
        Ok(Grid { size })
    }

    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.size.iter().product()
    }

    /// Where a cell stands along each edge, from 0.
    pub fn place(&self, cell: usize) -> [usize; 3] {
        let [nx, ny, _] = self.size;
        [cell % nx, cell / nx % ny, cell / nx / ny]
    }

    /// A point of a cell as fractions of the box's edges: its lower corner for `along` 0, its centre for 0.5.
    pub fn fractions(&self, cell: usize, along: f64) -> [f64; 3] {
        let place = self.place(cell);
        std::array::from_fn(|d| (place[d] as f64 + along) / self.size[d] as f64)
    }

    /// The number of the cell of each atom, from 1; 0 for none: as [`Grid::find`].
    pub fn recipe(&self, domain: &Domain, keep: bool) -> AtomExpr {
        let (straight, length) = (domain.straight_recipes(), domain.lengths());
        let (mut cell, mut inside) = (AtomExpr::number(0.0), AtomExpr::number(1.0));
        let mut found = Vec::new();
        for (d, x) in straight.into_iter().enumerate() {
            let count = self.size[d] as f64;
            let n = ((x - domain.lo[d]) * (count / length[d]) + 16384.0).floor() - 16384.0;
            let last = AtomExpr::number(count - 1.0);
            found.push(if domain.periodic(d) {
                n.then(d, |n| n.clone() - (n / count).floor() * count)
            } else {
                n
            });
            let n = AtomExpr::aside(d);
            if !domain.periodic(d) && !keep {
                inside = inside - n.clone().less(AtomExpr::number(0.0)) - last.clone().less(n);
            }
        }
        for d in (0..3).rev() {
            let last = AtomExpr::number(self.size[d] as f64 - 1.0);
            cell =
                cell * self.size[d] as f64 + AtomExpr::aside(d).greatest(AtomExpr::number(0.0)).least(last);
        }
        let number = AtomExpr::number(0.5).less(inside).choose(cell + 1.0, AtomExpr::number(0.0));
        found.into_iter().enumerate().rev().fold(number, |number, (d, n)| number.after(d, n))
    }

    /// The cell of a position. Those beyond periodic faces belong where they will be wrapped to; beyond other faces they have
    /// none, or with `keep` the nearest one.
    pub fn find(&self, x: [f64; 3], domain: &Domain, keep: bool) -> Option<usize> {
        let (x, length) = (domain.straighten(x), domain.lengths());
        let mut cell = 0;
        for d in (0..3).rev() {
            let count = self.size[d] as i64;
            // Counted from far below as LAMMPS does, so that atoms of a lattice which rounding has put a little below a border
            // are above it in both.
            let scaled = (x[d] - domain.lo[d]) * (count as f64 / length[d]);
            let n = (scaled + 16384.0).floor() as i64 - 16384;
            let n = match (0..count).contains(&n) {
                true => n,
                false if domain.periodic(d) => n.rem_euclid(count),
                false if keep => n.clamp(0, count - 1),
                false => return None,
            };
            cell = cell * self.size[d] + n as usize;
        }
        Some(cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::domain::Boundary;
    use crate::script::atom_expr::AtomProperty;

    /// The middle of each cell lies in it, in boxes upright and leaning, and an edge further in the same.
    #[test]
    fn middles_of_cells_are_in_them() {
        let boundary = [[Boundary::Periodic; 2], [Boundary::Periodic; 2], [Boundary::Fixed; 2]];
        let upright = Domain::new([-1.0, 0.0, 2.0], [3.0, 5.0, 9.0], boundary).expect("a box");
        let leaning = upright.clone().with_tilt([1.5, 0.0, 0.0]).expect("a box");
        let grid = Grid { size: [4, 3, 2] };
        for domain in [upright, leaning] {
            for cell in 0..grid.cells() {
                let middle = domain.at_fractions(grid.fractions(cell, 0.5));
                assert_eq!(grid.find(middle, &domain, false), Some(cell));
                assert_eq!(grid.find(domain.shifted(middle, [1.0, -1.0, 0.0]), &domain, false), Some(cell));
                assert_eq!(grid.find(domain.shifted(middle, [0.0, 0.0, 1.0]), &domain, false), None);
                let top = grid.find(domain.shifted(middle, [0.0, 0.0, 1.0]), &domain, true);
                assert_eq!(top, Some(12 + cell % 12));
                for (keep, by) in
                    [(false, [1.0, -1.0, 0.0]), (false, [0.0, 0.0, 1.0]), (true, [-2.0, 0.0, -1.0])]
                {
                    let place = domain.shifted(middle, by);
                    let own = |own| match own {
                        AtomProperty::X(d) => place[d],
                        other => panic!("{other:?}"),
                    };
                    let expected = grid.find(place, &domain, keep).map_or(0, |cell| cell + 1);
                    assert_eq!(grid.recipe(&domain, keep).value(own, 1), expected as f64);
                }
            }
        }
    }
}
