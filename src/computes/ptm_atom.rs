//! `compute ptm/atom`: which crystal's template the neighbourhood of an atom fits best, how well, how large and how it is turned. Source:
//! LAMMPS manual; P. M. Larsen, S. Schmidt and J. Schiotz, Modelling Simul. Mater. Sci. Eng. 24, 055007 (2016).
//!
//! Neighbours are ordered by the faces of their Voronoi cell. The hull of the first ones, as a graph, says who of them can be who of a template. Of the ways that are
//! left the best has the least root mean square of what is left between both (RMSD), the template being turned, and the neighbourhood scaled, as fits best.

mod graph;
mod template;

use super::voronoi_atom::cell::Cell;
use crate::base::error::Result;
use crate::base::vector::{Vector, dot, minus};
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header, pair_cutoff};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use graph::{Graph, hull};
use rayon::prelude::*;
use template::{Quaternion, Template, pyramids, templates};

struct PtmAtom {
    header: Header,
    wanted: Wanted,
    /// The largest RMSD of a structure; infinite without one.
    threshold: f64,
    /// The bit of the group whose atoms are neighbours.
    neighbors: u32,
}

/// The templates of structures that are looked for.
struct Wanted(Vec<&'static Template>);

/// The nearest neighbours that are looked at: of an atom itself, and where neighbours of neighbours count.
const NEAREST: usize = 18;
const NEAREST_OF_SHELLS: usize = 12;
/// How many of the latter, by their faces.
const CANDIDATES: usize = 6;
/// Half the edge of the cube that ends open cells, in distances of the farthest neighbour, as LAMMPS has it.
const CUBE: f64 = 10.0;
/// What lies in a plane by rounding, in distances of the farthest neighbour.
const ROUNDING: f64 = 1e-10;
/// Type, RMSD, distance of neighbours, quaternion.
const COLUMNS: usize = 7;

/// Takes `STRUCTURES THRESHOLD` and a group.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let word = args.word("the structures to look for")?;
    let mut wanted: Vec<&str> = Vec::new();
    for name in word.text.split('-') {
        match name {
            "default" => wanted.extend(["fcc", "hcp", "bcc", "ico"]),
            "all" => wanted.extend(templates().iter().map(|template| template.name)),
            _ if templates().iter().any(|template| template.name == name) => wanted.push(name),
            _ => {
                let known: Vec<&str> = templates().iter().map(|template| template.name).collect();
                let help = format!(
                    "write `default`, `all` or some of {} with hyphens between them",
                    known.join(", ")
                );
                return Err(args.error(word, format_args!("'{name}' is no structure")).help(help));
            }
        }
    }
    let threshold = match args.not_negative("the largest deviation from a template")? {
        0.0 => f64::INFINITY,
        threshold => threshold,
    };
    let neighbors = if args.is_empty() { 1 } else { session.system.groups.arg(args)? };
    let wanted = templates().iter().filter(|template| wanted.contains(&template.name)).collect();
    Ok(Box::new(PtmAtom { header, wanted: Wanted(wanted), threshold, neighbors }))
}

/// A neighbour.
#[derive(Clone)]
struct Near {
    atom: usize,
    tag: u32,
    way: Vector,
    rsq: f64,
    /// The face of the Voronoi cell towards it: its area or solid angle.
    face: f64,
}

/// Puts neighbours into the order of the faces towards them, largest first; then nearest first.
fn by_faces(near: &mut [Near], face: impl Fn(&Cell, usize) -> f64) {
    let far = near.iter().map(|near| near.rsq).fold(0.0, f64::max).sqrt();
    let mut cell = Cell::cube(CUBE * far, ROUNDING * far);
    for (k, near) in near.iter().enumerate().filter(|(_, near)| near.rsq > 0.0) {
        let r = near.rsq.sqrt();
        cell.cut(near.way.map(|x| x / r), 0.5 * r, Some(k as u32));
    }
    for k in 0..cell.faces.len() {
        if let Some(owner) = cell.faces[k].owner {
            near[owner as usize].face = face(&cell, k);
        }
    }
    near.sort_by(|a, b| b.face.total_cmp(&a.face).then(a.rsq.total_cmp(&b.rsq)).then(a.tag.cmp(&b.tag)));
}

/// What to make of a face.
fn area(cell: &Cell, k: usize) -> f64 {
    cell.area(&cell.faces[k])
}

fn solid_angle(cell: &Cell, k: usize) -> f64 {
    cell.solid_angle(&cell.faces[k])
}

/// The first so many neighbours of an atom, and behind each so many of its own, by the neighbours of all atoms; none where there are too few.
fn two_shells(lists: &[Vec<Near>], i: usize, inner: usize, outer: usize) -> Option<Vec<Vector>> {
    let first = lists[i].get(..inner)?;
    let same = |a: Vector, b: Vector| {
        let way = minus(a, b);
        dot(way, way) < 1e-6 * first[0].rsq
    };
    let mut claimed = vec![(i, [0.0; 3])];
    claimed.extend(first.iter().map(|near| (near.atom, near.way)));
    let mut candidates = Vec::with_capacity(inner * CANDIDATES);
    for (k, near) in first.iter().enumerate() {
        let behind = &lists[near.atom];
        behind.get(..inner)?;
        for next in behind {
            let way: Vector = std::array::from_fn(|d| near.way[d] + next.way[d]);
            candidates.push((k, next, way));
        }
    }
    candidates.sort_by(|a, b| b.1.face.total_cmp(&a.1.face).then(a.1.tag.cmp(&b.1.tag)));
    let mut found = vec![Vec::with_capacity(outer); inner];
    for (k, next, way) in candidates {
        let known = claimed.iter().any(|&(atom, other)| atom == next.atom && same(other, way));
        if !known && found[k].len() < outer {
            found[k].push(way);
            claimed.push((next.atom, way));
        }
    }
    let whole = found.iter().all(|behind| behind.len() == outer);
    whole.then(|| first.iter().map(|near| near.way).chain(found.into_iter().flatten()).collect())
}

/// How well a template fits.
struct Fit {
    template: &'static Template,
    rmsd: f64,
    scale: f64,
    turn: Quaternion,
}

impl Fit {
    /// With the template's point for each neighbour. The turn that fits best is the eigenvector of the largest eigenvalue of a matrix of four rows
    /// (B. K. P. Horn, J. Opt. Soc. Am. A 4, 629 (1987)).
    fn new(template: &'static Template, points: &[Vector], who: impl Fn(usize) -> usize) -> Self {
        let count = points.len() as f64 + 1.0;
        let mut middle = [0.0; 3];
        points.iter().for_each(|x| (0..3).for_each(|d| middle[d] += x[d] / count));
        let points = || points.iter().map(|&x| minus(x, middle));
        let square: f64 = dot(middle, middle) + points().map(|x| dot(x, x)).sum::<f64>();
        let mut s = [[0.0; 3]; 3];
        for (k, x) in points().enumerate() {
            let ideal = template.points[who(k)];
            (0..3).for_each(|a| (0..3).for_each(|b| s[a][b] += ideal[a] * x[b]));
        }
        let (minus, plus) = (|a: usize, b: usize| s[a][b] - s[b][a], |a: usize, b: usize| s[a][b] + s[b][a]);
        let [x, y, z] = [s[0][0], s[1][1], s[2][2]];
        let (overlap, turn) = largest([
            [x + y + z, minus(1, 2), minus(2, 0), minus(0, 1)],
            [minus(1, 2), x - y - z, plus(0, 1), plus(2, 0)],
            [minus(2, 0), plus(0, 1), y - x - z, plus(1, 2)],
            [minus(0, 1), plus(2, 0), plus(1, 2), z - x - y],
        ]);
        let ideal: f64 = template.points.iter().map(|&x| dot(x, x)).sum();
        let scale = overlap / square;
        Fit { template, rmsd: ((ideal - scale * overlap).abs() / count).sqrt(), scale, turn }
    }

    /// The turn, of all that are the same for the template the one by the least angle.
    fn least_turn(&self) -> Quaternion {
        let q = self.turn;
        let product = |g: &Quaternion| {
            [
                q[0] * g[0] - q[1] * g[1] - q[2] * g[2] - q[3] * g[3],
                q[0] * g[1] + q[1] * g[0] + q[2] * g[3] - q[3] * g[2],
                q[0] * g[2] - q[1] * g[3] + q[2] * g[0] + q[3] * g[1],
                q[0] * g[3] + q[1] * g[2] - q[2] * g[1] + q[3] * g[0],
            ]
        };
        let all = self.template.rotations.iter().map(product);
        let least = all.reduce(|best, other| if other[0].abs() > best[0].abs() { other } else { best });
        least.unwrap_or(q).map(|x| if least.unwrap_or(q)[0] < 0.0 { -x } else { x })
    }
}

/// The largest eigenvalue of a symmetric matrix, and its eigenvector, by Jacobi's rotations; four or five rounds of them are enough.
fn largest(mut m: [[f64; 4]; 4]) -> (f64, [f64; 4]) {
    let mut axes: [[f64; 4]; 4] =
        std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for _ in 0..30 {
        let off: f64 = (0..4).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| m[i][j].abs()).sum();
        let size: f64 = (0..4).map(|i| m[i][i].abs()).sum();
        if off <= 1e-18 * size {
            break;
        }
        for i in 0..3 {
            for j in i + 1..4 {
                if m[i][j] == 0.0 {
                    continue;
                }
                let theta = (m[j][j] - m[i][i]) / (2.0 * m[i][j]);
                let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
                let sine = tangent * cosine;
                for row in m.iter_mut().chain(&mut axes) {
                    (row[i], row[j]) = (cosine * row[i] - sine * row[j], sine * row[i] + cosine * row[j]);
                }
                let (a, b) = (m[i], m[j]);
                m[i] = std::array::from_fn(|k| cosine * a[k] - sine * b[k]);
                m[j] = std::array::from_fn(|k| sine * a[k] + cosine * b[k]);
                // But for rounding.
                (m[i][j], m[j][i]) = (0.0, 0.0);
            }
        }
    }
    let best = (1..4).fold(0, |best, k| if m[k][k] > m[best][best] { k } else { best });
    (m[best][best], axes.map(|row| row[best]))
}

impl Wanted {
    /// The largest number of points of the templates that are compared with neighbours alone.
    fn needed(&self) -> Option<usize> {
        self.0.iter().filter(|template| template.inner == 0).map(|template| template.points.len()).max()
    }

    /// Whether neighbours of neighbours count of a structure of so many neighbours.
    fn looks_behind(&self, inner: usize) -> bool {
        self.0.iter().any(|template| template.inner == inner)
    }

    /// The best fit of an atom: neighbours by their faces, and neighbourhoods of two shells of the diamonds and of graphene.
    fn best(&self, near: &[Near], diamond: Option<&[Vector]>, graphene: Option<&[Vector]>) -> Option<Fit> {
        let near: Vec<Vector> = near.iter().map(|near| near.way).collect();
        let single = if self.needed().is_some_and(|count| near.len() >= count) { &near[..] } else { &[] };
        let mut best: Option<Fit> = None;
        let mut take = |fit: Fit| {
            // Of atoms on top of each other it is no number.
            if fit.rmsd < best.as_ref().map_or(f64::INFINITY, |best| best.rmsd) {
                best = Some(fit);
            }
        };
        // Of so many points: their code and labels.
        let mut seen = (0, None);
        for &template in &self.0 {
            let count = template.points.len();
            let points = match template.inner {
                0 => single.get(..count),
                3 => graphene,
                _ => diamond,
            };
            let Some(points) = points else { continue };
            if template.inner == 3 {
                // The two behind each neighbour can be either way around.
                for swaps in 0..8 {
                    take(Fit::new(template, points, |k| match k.checked_sub(3) {
                        Some(behind) => 3 + (behind ^ (swaps >> (behind / 2) & 1)),
                        None => k,
                    }));
                }
                continue;
            }
            if seen.0 != count {
                seen = (count, code(points, template.inner));
            }
            let Some((code, labels)) = &seen.1 else { continue };
            for who in template.matches(code) {
                take(Fit::new(template, points, |k| who[labels[k] as usize] as usize));
            }
        }
        best
    }
}

/// The code of the hull of some points, and their numbers in it.
fn code(points: &[Vector], inner: usize) -> Option<(Vec<u8>, graph::Labels)> {
    let triangles = hull(points, inner)?;
    let near = |face: &graph::Triangle| face.iter().filter(|&&k| usize::from(k) < inner).count();
    if triangles.iter().any(|face| near(face) > 1) {
        return None;
    }
    let (code, labels) = Graph::new(points.len(), &pyramids(&triangles, inner), inner)?.canonical()?;
    Some((code, labels[0]))
}

impl Compute for PtmAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(COLUMNS)
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let atoms = system.atoms()?;
        // As far as LAMMPS's lists.
        let cutoff = pair_cutoff(system)? + system.session.neighbor.skin;
        let neighbors = Neighbors::new(system, cutoff)?;
        let likely = neighbors.reach_of(1.5 * NEAREST as f64);
        let (group, others, threshold, wanted) =
            (self.header.group, self.neighbors, self.threshold, &self.wanted);
        let nearest = |i: usize, count: usize| {
            let mut near = Vec::with_capacity(64);
            // They are in a smaller sphere nearly always.
            for reach in [likely, cutoff] {
                near.clear();
                neighbors.visit_within(reach, i, |atom, r, rsq| {
                    if atoms.mask[atom] & others != 0 {
                        near.push(Near { atom, tag: atoms.tag[atom], way: r.map(|x| -x), rsq, face: 0.0 });
                    }
                });
                if near.len() >= count {
                    break;
                }
            }
            near.sort_by(|a, b| a.rsq.total_cmp(&b.rsq).then(a.tag.cmp(&b.tag)));
            near.truncate(count);
            near
        };
        let behind = |inner: usize, face: fn(&Cell, usize) -> f64| -> Vec<Vec<Near>> {
            if !wanted.looks_behind(inner) {
                return Vec::new();
            }
            let list = |i: usize| {
                let mut near = nearest(i, NEAREST_OF_SHELLS);
                by_faces(&mut near, face);
                near.truncate(CANDIDATES);
                near
            };
            (0..atoms.len()).into_par_iter().map(list).collect()
        };
        let (diamond, graphene) = (behind(4, area), behind(3, solid_angle));
        let value = |i: usize| -> [f64; COLUMNS] {
            let mut row = [0.0; COLUMNS];
            row[0] = -1.0;
            let mut alone = true;
            if atoms.mask[i] & group != 0 {
                neighbors.visit(i, |_, _, _| alone = false);
            }
            if alone {
                return row;
            }
            let mut near = nearest(i, NEAREST);
            if wanted.needed().is_some() {
                by_faces(&mut near, area);
            }
            let shells = |lists: &[Vec<Near>], inner, outer| {
                if lists.is_empty() { None } else { two_shells(lists, i, inner, outer) }
            };
            let Some(fit) =
                wanted.best(&near, shells(&diamond, 4, 3).as_deref(), shells(&graphene, 3, 2).as_deref())
            else {
                [row[0], row[1]] = [0.0, f64::INFINITY];
                return row;
            };
            row[0] = if fit.rmsd > threshold { 0.0 } else { f64::from(fit.template.number) };
            row[1] = fit.rmsd;
            row[2] = fit.template.distance / fit.scale;
            row[3..].copy_from_slice(&fit.least_turn());
            row
        };
        let rows: Vec<[f64; COLUMNS]> = (0..atoms.len()).into_par_iter().map(value).collect();
        let column = |k: usize| rows.iter().map(|row| row[k]).collect();
        Ok(Values::per_atom(PerAtom::from_columns((0..COLUMNS).map(column).collect())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a matrix times its eigenvector, which has the largest of the four eigenvalues: those of a diagonal in axes that are turned.
    #[test]
    fn eigenvalues_of_turned_diagonals() {
        let (c, s) = (0.6, 0.8);
        for diagonal in
            [[3.0, -7.0, 2.0, 1.0], [1.0, 2.0, 2.0, 2.0 - 1e-9], [-5.0, -1.0, -2.0, -3.0], [0.0; 4]]
        {
            let mut m = [[0.0; 4]; 4];
            (0..4).for_each(|k| m[k][k] = diagonal[k]);
            for (i, j) in [(0, 1), (1, 2), (2, 3), (0, 3), (0, 2), (1, 3)] {
                for row in &mut m {
                    (row[i], row[j]) = (c * row[i] - s * row[j], s * row[i] + c * row[j]);
                }
                let (a, b) = (m[i], m[j]);
                m[i] = std::array::from_fn(|k| c * a[k] - s * b[k]);
                m[j] = std::array::from_fn(|k| s * a[k] + c * b[k]);
            }
            let (value, vector) = largest(m);
            assert!((value - diagonal.into_iter().fold(f64::NEG_INFINITY, f64::max)).abs() < 1e-14);
            assert!((vector.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14);
            for (row, x) in m.iter().zip(&vector) {
                let left = row.iter().zip(&vector).map(|(a, b)| a * b).sum::<f64>() - value * x;
                assert!(left.abs() < 1e-14, "{left}");
            }
        }
    }
}
