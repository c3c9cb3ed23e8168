//! The structures that neighbourhoods are compared with, and the graphs that they can have.

use super::graph::{Graph, Labels, Triangle, hull};
use crate::base::vector::{Vector, cross, dot, minus, norm};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// w, x, y, z.
pub(super) type Quaternion = [f64; 4];

/// The neighbours of an atom in a crystal, at a mean distance of 1.
pub(super) struct Template {
    /// What it is called, and its number in the output.
    pub(super) name: &'static str,
    pub(super) number: u8,
    pub(super) points: Vec<Vector>,
    /// The distance of the nearest of them.
    pub(super) distance: f64,
    /// The first so many are neighbours, the others neighbours of these; 0 where all are neighbours.
    pub(super) inner: usize,
    /// Rotations that change nothing.
    pub(super) rotations: Vec<Quaternion>,
    /// By code of a graph: whom the vertices with the numbers of that code can be, but for rotations that change nothing.
    graphs: BTreeMap<Vec<u8>, Vec<Labels>>,
}

/// All templates, in the order in which they are tried.
pub(super) fn templates() -> &'static [Template] {
    static TEMPLATES: OnceLock<Vec<Template>> = OnceLock::new();
    TEMPLATES.get_or_init(|| {
        let names = [
            ("sc", 5, sc(), 0),
            ("fcc", 1, fcc(), 0),
            ("hcp", 2, hcp(), 0),
            ("ico", 4, ico(), 0),
            ("bcc", 3, bcc(), 0),
            ("dcub", 6, dcub(), 4),
            ("dhex", 7, dhex(), 4),
            ("graphene", 8, graphene(), 3),
        ];
        names.map(|(name, number, points, inner)| Template::new(name, number, &points, inner)).into()
    })
}

impl Template {
    fn new(name: &'static str, number: u8, points: &[Vector], inner: usize) -> Self {
        let mean = points.iter().map(|&x| norm(x)).sum::<f64>() / points.len() as f64;
        let points: Vec<Vector> = points.iter().map(|x| x.map(|x| x / mean)).collect();
        let distance = norm(points[0]);
        let mut rotations = rotations(&points);
        let order = |q: &Quaternion| q.map(|x| -(x * 1e6).round() as i64);
        rotations.sort_by_key(|(q, _)| order(q));
        let mut template = Template {
            name,
            number,
            points,
            distance,
            inner,
            rotations: Vec::new(),
            graphs: BTreeMap::new(),
        };
        template.fill(&rotations.iter().map(|rotation| rotation.1).collect::<Vec<_>>());
        template.rotations = rotations.into_iter().map(|rotation| rotation.0).collect();
        template
    }

    /// Whom the vertices of a graph can be.
    pub(super) fn matches(&self, code: &[u8]) -> &[Labels] {
        self.graphs.get(code).map_or(&[], Vec::as_slice)
    }

    /// Finds all graphs: quadrilaterals of the hull can be cut in two along either diagonal.
    fn fill(&mut self, rotations: &[Labels]) {
        let (triangles, quadrilaterals) = self.faces();
        // Diagonals by the quadrilateral and which of its two they are; where a rotation carries them.
        let diagonals = |[p, q, r, s]: [u8; 4]| [[p, r], [q, s]];
        let moved = |rotation: &Labels, ends: [u8; 2]| -> u32 {
            let to = ends.map(|k| rotation[k as usize]);
            let is = |ends: &[u8; 2]| *ends == to || [ends[1], ends[0]] == to;
            let find =
                |(k, four): (usize, &[u8; 4])| Some((diagonals(*four).iter().position(is)? as u32) << k);
            quadrilaterals.iter().enumerate().find_map(find).unwrap_or(0)
        };
        let table = |rotation: &Labels| -> Vec<[u32; 2]> {
            quadrilaterals.iter().map(|four| diagonals(*four).map(|ends| moved(rotation, ends))).collect()
        };
        let tables: Vec<Vec<[u32; 2]>> = rotations.iter().map(table).collect();
        let turned = |mask: u32, table: &[[u32; 2]]| -> u32 {
            table.iter().enumerate().map(|(k, bits)| bits[(mask >> k & 1) as usize]).sum()
        };
        // One of those that rotations carry into each other.
        let first = |mask: &u32| tables.iter().all(|table| turned(*mask, table) >= *mask);
        let masks = (0..1 << quadrilaterals.len()).filter(first);
        for mask in masks {
            let halves =
                quadrilaterals.iter().enumerate().flat_map(|(k, [p, q, r, s])| match mask >> k & 1 {
                    0 => [[*p, *q, *r], [*p, *r, *s]],
                    _ => [[*q, *r, *s], [*q, *s, *p]],
                });
            let all: Vec<Triangle> = triangles.iter().copied().chain(halves).collect();
            let graph = Graph::new(self.points.len(), &all, self.inner);
            let Some((code, numbered)) = graph.and_then(|graph| graph.canonical()) else { continue };
            let known = self.graphs.entry(code).or_default();
            for labels in numbered {
                let mut who: Labels = std::array::from_fn(|k| k as u8);
                (0..self.points.len()).for_each(|k| who[labels[k] as usize] = k as u8);
                let same = |rotation: &Labels| who.map(|k| rotation[k as usize]);
                if !rotations.iter().any(|rotation| known.contains(&same(rotation))) {
                    known.push(who);
                }
            }
        }
    }

    /// Triangles and quadrilaterals of the hull. Where there are neighbours of neighbours, it is that of these, with each neighbour as the top of a
    /// pyramid on its own three.
    fn faces(&self) -> (Vec<Triangle>, Vec<[u8; 4]>) {
        let Some(found) = hull(&self.points[self.inner..], 0) else { return Default::default() };
        let found: Vec<Triangle> = found.iter().map(|face| face.map(|k| k + self.inner as u8)).collect();
        let at = |k: u8| self.points[k as usize];
        let turns = |[a, b, c]: Triangle| [[a, b, c], [b, c, a], [c, a, b]];
        let mut quadrilaterals = Vec::new();
        let mut triangles = found.clone();
        for (k, &[a, b, c]) in found.iter().enumerate() {
            let normal = cross(minus(at(b), at(a)), minus(at(c), at(a)));
            for &other in &found[k + 1..] {
                // The two have an edge in common, and are in a plane.
                let pairs = turns([a, b, c]).into_iter().flat_map(|one| turns(other).map(|two| (one, two)));
                let edge = pairs.into_iter().find(|(one, two)| one[0] == two[1] && one[1] == two[0]);
                let Some((one, two)) = edge else { continue };
                if dot(normal, minus(at(two[2]), at(a))).abs() < 1e-6 {
                    quadrilaterals.push([one[0], two[2], one[1], one[2]]);
                    triangles.retain(|face| ![[a, b, c], other].contains(face));
                }
            }
        }
        (pyramids(&triangles, self.inner), quadrilaterals)
    }
}

/// Whose neighbour a neighbour of a neighbour is.
fn owner(k: u8, inner: usize) -> Option<u8> {
    (k as usize).checked_sub(inner).filter(|_| inner > 0).map(|k| (k / 3) as u8)
}

/// Each triangle of three neighbours of one neighbour gives way to a pyramid with that one as its top.
pub(super) fn pyramids(triangles: &[Triangle], inner: usize) -> Vec<Triangle> {
    let split = |&[a, b, c]: &Triangle| match [a, b, c].map(|k| owner(k, inner)) {
        [Some(top), other, third] if other == Some(top) && third == Some(top) => {
            vec![[a, b, top], [b, c, top], [c, a, top]]
        }
        _ => vec![[a, b, c]],
    };
    triangles.iter().flat_map(split).collect()
}

/// The rotations that carry some points into themselves, and where they carry each.
fn rotations(points: &[Vector]) -> Vec<(Quaternion, Labels)> {
    let same = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let frame = |a: Vector, b: Vector| {
        let unit = |x: Vector| x.map(|k| k / norm(x));
        let z = unit(cross(a, b));
        [unit(a), cross(z, unit(a)), z]
    };
    let a = points[0];
    let Some(&b) = points.iter().find(|&&b| norm(cross(a, b)) > 1e-3) else { return Vec::new() };
    let from = frame(a, b);
    let mut found = Vec::new();
    for &c in points.iter().filter(|&&c| same(norm(c), norm(a))) {
        for &d in points.iter().filter(|&&d| same(norm(d), norm(b)) && same(dot(c, d), dot(a, b))) {
            let to = frame(c, d);
            let matrix: [Vector; 3] =
                std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| to[k][i] * from[k][j]).sum()));
            let place = |x: Vector| {
                let y = matrix.map(|row| dot(row, x));
                points.iter().position(|&other| norm(minus(other, y)) < 1e-6)
            };
            let places: Option<Vec<usize>> = points.iter().map(|&x| place(x)).collect();
            let Some(places) = places else { continue };
            let mut labels: Labels = std::array::from_fn(|k| k as u8);
            places.iter().enumerate().for_each(|(k, &place)| labels[k] = place as u8);
            found.push((quaternion(matrix), labels));
        }
    }
    found
}

/// Of a rotation; its first part that is not 0 is above 0.
fn quaternion(m: [Vector; 3]) -> Quaternion {
    let trace = m[0][0] + m[1][1] + m[2][2];
    // Column k of 4 q q^T, by the largest of the diagonal.
    let diagonal =
        [1.0 + trace, 1.0 + 2.0 * m[0][0] - trace, 1.0 + 2.0 * m[1][1] - trace, 1.0 + 2.0 * m[2][2] - trace];
    let (turn, sum) = (|i: usize, j: usize| m[i][j] - m[j][i], |i: usize, j: usize| m[i][j] + m[j][i]);
    let k = (0..4).fold(0, |best, k| if diagonal[k] > diagonal[best] + 1e-6 { k } else { best });
    let column = match k {
        0 => [diagonal[0], turn(2, 1), turn(0, 2), turn(1, 0)],
        1 => [turn(2, 1), diagonal[1], sum(0, 1), sum(0, 2)],
        2 => [turn(0, 2), sum(0, 1), diagonal[2], sum(1, 2)],
        _ => [turn(1, 0), sum(0, 2), sum(1, 2), diagonal[3]],
    };
    let length = column.iter().map(|x| x * x).sum::<f64>().sqrt();
    let sign = column.iter().find(|x| x.abs() > 1e-6).map_or(1.0, |x| x.signum());
    column.map(|x| sign * x / length)
}

fn sc() -> Vec<Vector> {
    (0..6)
        .map(|k| std::array::from_fn(|d| if d == k / 2 { 1.0 - 2.0 * (k % 2) as f64 } else { 0.0 }))
        .collect()
}

fn fcc() -> Vec<Vector> {
    let signs = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    (0..3).flat_map(|none| signs.map(|[a, b]| [[0.0, a, b], [a, 0.0, b], [a, b, 0.0]][none])).collect()
}

/// The ring around the middle and three atoms each below and above, which lie above one another.
fn hcp() -> Vec<Vector> {
    let ring = (0..6).map(|k| {
        let (sine, cosine) = (f64::from(k) * std::f64::consts::FRAC_PI_3).sin_cos();
        [cosine, sine, 0.0]
    });
    let (x, y, z) = (0.5, 3_f64.sqrt() / 6.0, 6_f64.sqrt() / 3.0);
    let three = |z: f64| [[0.0, -2.0 * y, z], [x, y, z], [-x, y, z]];
    ring.chain(three(z)).chain(three(-z)).collect()
}

/// Two poles, and two rings of five.
fn ico() -> Vec<Vector> {
    let poles = [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    let ring = (0..5).flat_map(|k| {
        let (sine, cosine) = (f64::from(k) * 0.4 * std::f64::consts::PI).sin_cos();
        let (flat, up) = (2.0 / 5_f64.sqrt(), 1.0 / 5_f64.sqrt());
        [[flat * sine, flat * cosine, up], [-flat * sine, -flat * cosine, -up]]
    });
    poles.into_iter().chain(ring).collect()
}

fn bcc() -> Vec<Vector> {
    let corner = |k: i32| std::array::from_fn(|d| f64::from(1 - 2 * (k >> d & 1)));
    (0..8).map(corner).chain(sc().iter().map(|x| x.map(|x| 2.0 * x))).collect()
}

/// Four neighbours, and behind each of them its other three, which lie opposite its own.
fn dcub() -> Vec<Vector> {
    let inner = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]];
    let outer = inner.map(|a| inner.into_iter().filter(move |&b| b != a).map(move |b| minus(a, b)));
    inner.into_iter().chain(outer.into_iter().flatten()).collect()
}

/// The same, but the bond along z is eclipsed: behind it are the mirror images of the others.
fn dhex() -> Vec<Vector> {
    let (flat, z) = (8_f64.sqrt() / 3.0, 1.0 / 3.0);
    let (x, y) = (0.75_f64.sqrt() * flat, 0.5 * flat);
    let low = [[-x, y, -z], [0.0, -flat, -z], [x, y, -z]];
    let top = [0.0, 0.0, 1.0];
    let behind = low.map(|a| {
        let others = low.into_iter().filter(move |&b| b != a).chain([top]);
        others.map(move |b| minus(a, b))
    });
    let above = low.map(|[x, y, z]| [x, y, 1.0 - z]);
    low.into_iter().chain([top]).chain(behind.into_iter().flatten()).chain(above).collect()
}

/// Three neighbours in a plane, and behind each of them its other two.
fn graphene() -> Vec<Vector> {
    let x = 0.75_f64.sqrt();
    let inner = [[0.0, 1.0, 0.0], [x, -0.5, 0.0], [-x, -0.5, 0.0]];
    let outer = inner.map(|a| inner.into_iter().filter(move |&b| b != a).map(move |b| minus(a, b)));
    inner.into_iter().chain(outer.into_iter().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of graphs that are not alike, of ways to be the template's, and of rotations. The former two are those of the authors' library (its
    /// tables have 8, 16 and 218 graphs of fcc, hcp and bcc, as the paper says, some of which are alike), the last those of the point groups.
    #[test]
    fn as_many_graphs_and_rotations_as_there_are() {
        let count = |template: &Template| {
            let ways: usize = template.graphs.values().map(Vec::len).sum();
            (template.name, template.graphs.len(), ways, template.rotations.len())
        };
        let expected = [
            ("sc", 1, 1, 24),
            ("fcc", 7, 12, 24),
            ("hcp", 13, 37, 6),
            ("ico", 1, 1, 60),
            ("bcc", 199, 230, 24),
            ("dcub", 12, 12, 12),
            ("dhex", 24, 32, 3),
            ("graphene", 0, 0, 6),
        ];
        assert_eq!(templates().iter().map(count).collect::<Vec<_>>(), expected);
    }
}
