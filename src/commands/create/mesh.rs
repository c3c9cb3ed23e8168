//! `create_atoms mesh`: atoms on the triangles of an STL file. Source: LAMMPS manual, `create_atoms`; for `qrand`
//! M. Roberts, "Evenly distributing points in a triangle" (2019).

use super::stl::{Stl, Triangle};
use super::{next_tag, too_many};
use crate::base::error::{Error, Result};
use crate::base::vector::{cross, minus, norm};
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::script::Args;

/// How many atoms a triangle gets, and where.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    /// One in its middle; halves of it instead, again and again, where its corners are farther than this from the middle, on
    /// average.
    Bisect(f64),
    /// So many per area at least, along a quasirandom sequence.
    Qrand(f64),
}

impl Mode {
    /// Takes `bisect RADTHRESH` or `qrand DENSITY`.
    pub(super) fn read(args: &mut Args<'_>) -> Result<Self> {
        match args.one_of("meshmode", &[("bisect", true), ("qrand", false)])? {
            true => Ok(Mode::Bisect(args.positive("the longest distance of corners")?)),
            false => Ok(Mode::Qrand(args.positive("a number of atoms per area")?)),
        }
    }

    /// How many atoms a triangle gets at least.
    fn least(self, triangle: &Triangle) -> f64 {
        let [ab, bc, ca] = sides(triangle);
        let area = 0.5 * norm(cross(ab, ca));
        match self {
            // The largest triangle of a radius has all sides equal.
            Mode::Bisect(most) => {
                let longest = [ab, bc, ca].map(norm).into_iter().fold(0.0, f64::max);
                (area / (1.3 * most * most)).max(longest / (3.0 * most))
            }
            Mode::Qrand(density) => density * area,
        }
    }

    /// The places on a triangle.
    fn places(self, triangle: &Triangle, places: &mut Vec<[f64; 3]>) {
        match self {
            Mode::Bisect(most) => bisect(triangle, most, places),
            Mode::Qrand(density) => qrand(triangle, density, places),
        }
    }
}

/// Adds atoms of a type on the triangles of a file inside the box; they are a molecule of their own where atoms have
/// molecules. Returns what there is to say of it.
///
/// # Errors
/// When there are more atoms than IDs.
pub(super) fn fill(
    atoms: &mut Atoms,
    domain: &Domain,
    kind: u32,
    molecular: bool,
    stl: &Stl,
    mode: Mode,
) -> Result<String> {
    let least: f64 = stl.triangles.iter().map(|triangle| mode.least(triangle)).sum();
    if least.is_nan() || least > f64::from(u32::MAX) {
        let message = format!("about {least:.2e} atoms are more than there are IDs for");
        return Err(Error::new(message).help("see the number after `meshmode`"));
    }
    let molecule =
        if molecular { atoms.molecule.iter().max().map_or(1, |last| last.saturating_add(1)) } else { 0 };
    let (mut tag, before) = (next_tag(atoms)?, atoms.len());
    let mut places = Vec::new();
    for triangle in &stl.triangles {
        places.clear();
        mode.places(triangle, &mut places);
        for &x in &places {
            if domain.contains(x) {
                atoms.push(tag, kind, x);
                atoms.molecule[atoms.x.len() - 1] = molecule;
                tag = tag.checked_add(1).ok_or_else(too_many)?;
            }
        }
    }
    let count = stl.triangles.len();
    let each = (atoms.len() - before) as f64 / count.max(1) as f64;
    let how = match mode {
        Mode::Bisect(_) => "recursive bisection",
        Mode::Qrand(_) => "quasi-random",
    };
    Ok(format!("  read {count} triangles with {each:.2} atoms per triangle added in {how} mode"))
}

/// The middle of a triangle, or the places on its halves.
fn bisect(triangle: &Triangle, most: f64, places: &mut Vec<[f64; 3]>) {
    let [a, b, c] = *triangle;
    let middle = std::array::from_fn(|d| (a[d] + b[d] + c[d]) * (1.0 / 3.0));
    let distance = |corner| norm(minus(middle, corner));
    if (distance(a) + distance(b) + distance(c)) * (1.0 / 3.0) <= most {
        places.push(middle);
        return;
    }
    // The longest side is cut, of equal ones the first.
    let [ab, bc, ca] = sides(triangle).map(norm);
    let cut = if ab < bc {
        if bc < ca { 2 } else { 1 }
    } else if ab < ca {
        2
    } else {
        0
    };
    let next = (cut + 1) % 3;
    let side = minus(triangle[cut], triangle[next]);
    let half: [f64; 3] = std::array::from_fn(|d| -0.5 * side[d] + triangle[cut][d]);
    // There are no numbers between the ends.
    if half == triangle[cut] || half == triangle[next] || half.iter().any(|x| !x.is_finite()) {
        places.push(middle);
        return;
    }
    for corner in [cut, next] {
        let mut part = *triangle;
        part[corner] = half;
        bisect(&part, most, places);
    }
}

/// Places from a sequence in the unit square (Roberts's R2, by the plastic number, with the digits that LAMMPS takes), of
/// which one half is folded onto the other; from the corner with the largest angle.
fn qrand(triangle: &Triangle, density: f64, places: &mut Vec<[f64; 3]>) {
    const STEP: [f64; 2] = [0.7548777, 0.5698403];
    let [a, b, c] = *triangle;
    let [ab, ac, bc] = [minus(b, a), minus(c, a), minus(c, b)];
    let [to_b, to_c, across] = [ab, ac, bc].map(norm);
    let back = |v: [f64; 3]| v.map(|x| -x);
    let (corner, first, second) = if to_c > to_b && to_c > across {
        (b, back(ab), bc)
    } else if to_b > to_c && to_b > across {
        (c, back(bc), back(ac))
    } else {
        (a, ab, ac)
    };
    let area = 0.5 * norm(cross(first, second));
    for k in 1..=(density * area).ceil() as u32 {
        let [mut x, mut y] = STEP.map(|step| (f64::from(k) * step + 0.5) % 1.0);
        if x + y >= 1.0 {
            (x, y) = (1.0 - x, 1.0 - y);
        }
        places.push(std::array::from_fn(|d| x * second[d] + y * first[d] + corner[d]));
    }
}

/// From each corner to the one after it, turned round.
fn sides([a, b, c]: &Triangle) -> [[f64; 3]; 3] {
    [minus(*a, *b), minus(*b, *c), minus(*c, *a)]
}
