//! Convex hulls as graphs, and codes by which two graphs are known to be alike.

use crate::base::vector::{Vector, cross, dot, minus, norm};

/// Vertices that a hull has at most.
pub(super) const MOST: usize = 16;

/// A triangle by its corners, counterclockwise seen from outside.
pub(super) type Triangle = [u8; 3];

/// A number for each vertex.
pub(super) type Labels = [u8; MOST];

/// What is nearer to a plane than this, in mean distances of the points from their centre, lies in it.
const ROUNDING: f64 = 1e-8;

const NOBODY: u8 = u8::MAX;

/// The convex hull of some points, with the origin inside; none where one of them is no corner of it, but for the first `free`. Four points in a
/// plane make two triangles.
pub(super) fn hull(points: &[Vector], free: usize) -> Option<Vec<Triangle>> {
    let mean = points.iter().map(|&x| norm(x)).sum::<f64>() / points.len() as f64;
    let points: Vec<Vector> = points.iter().map(|x| x.map(|x| x / mean)).collect();
    let farthest = |distance: &dyn Fn(Vector) -> f64| -> Option<usize> {
        let all = points.iter().map(|&x| distance(x)).enumerate();
        let (k, most) = all.reduce(|best, other| if other.1 > best.1 { other } else { best })?;
        (most > ROUNDING).then_some(k)
    };
    // A tetrahedron, as large as is easily found.
    let a = farthest(&|x| norm(x))?;
    let b = farthest(&|x| norm(minus(x, points[a])))?;
    let edge = minus(points[b], points[a]);
    let c = farthest(&|x| norm(cross(edge, minus(x, points[a]))))?;
    let normal = cross(edge, minus(points[c], points[a]));
    let d = farthest(&|x| dot(normal, minus(x, points[a])).abs())?;
    let below = dot(normal, minus(points[d], points[a])) < 0.0;
    let [a, b, c, d] = [a, b, c, d].map(|k| k as u8);
    let [b, c] = if below { [b, c] } else { [c, b] };
    let mut faces = Vec::with_capacity(2 * points.len());
    for triangle in [[a, b, c], [a, d, b], [b, d, c], [c, d, a]] {
        faces.push((triangle, plane(&points, triangle)?));
    }
    for k in (0..points.len() as u8).filter(|k| ![a, b, c, d].contains(k)) {
        let seen = |(_, (normal, distance)): &(Triangle, (Vector, f64))| {
            dot(*normal, points[k as usize]) - distance > ROUNDING
        };
        let gone: Vec<Triangle> = faces.iter().filter(|face| seen(face)).map(|face| face.0).collect();
        faces.retain(|face| !seen(face));
        let edges = |[a, b, c]: &Triangle| [[*a, *b], [*b, *c], [*c, *a]];
        let all: Vec<[u8; 2]> = gone.iter().flat_map(edges).collect();
        for &[from, to] in all.iter().filter(|[from, to]| !all.contains(&[*to, *from])) {
            faces.push(([from, to, k], plane(&points, [from, to, k])?));
        }
    }
    let inside = faces.iter().all(|(_, (_, distance))| *distance > -ROUNDING);
    let all = (free as u8..points.len() as u8).all(|k| faces.iter().any(|face| face.0.contains(&k)));
    (inside && all).then(|| faces.into_iter().map(|face| face.0).collect())
}

/// The plane of a triangle: its outer normal, and its distance from the origin.
fn plane(points: &[Vector], triangle: Triangle) -> Option<(Vector, f64)> {
    let [a, b, c] = triangle.map(|k| points[k as usize]);
    let normal = cross(minus(b, a), minus(c, a));
    let length = norm(normal);
    let normal = normal.map(|x| x / length);
    (length > 0.0).then(|| (normal, dot(normal, a)))
}

/// The edges of a closed surface of triangles.
pub(super) struct Graph {
    count: usize,
    /// By edge and way along it: the third corner of the triangle to its left.
    left: [[u8; MOST]; MOST],
    degree: [u8; MOST],
    colour: [u8; MOST],
}

impl Graph {
    /// Of triangles; the first `special` vertices have a colour of their own. None where these are no closed surface.
    pub(super) fn new(count: usize, triangles: &[Triangle], special: usize) -> Option<Self> {
        let mut left = [[NOBODY; MOST]; MOST];
        let mut degree = [0; MOST];
        for &[a, b, c] in triangles {
            for [a, b, c] in [[a, b, c], [b, c, a], [c, a, b]] {
                let place = &mut left[a as usize][b as usize];
                if *place != NOBODY {
                    return None;
                }
                *place = c;
                degree[a as usize] += 1;
            }
        }
        let closed = (0..count).all(|a| (0..count).all(|b| (left[a][b] == NOBODY) == (left[b][a] == NOBODY)));
        let colour = std::array::from_fn(|k| u8::from(k < special));
        let whole = triangles.len() == 2 * count - 4 && degree[..count].iter().all(|&degree| degree > 2);
        (closed && whole).then_some(Graph { count, left, degree, colour })
    }

    /// A code that is the same for all graphs that are alike, mirror images not counting as such, with the numbers that it gives to vertices. There
    /// are several ways to number them where the graph is like itself.
    pub(super) fn canonical(&self) -> Option<(Vec<u8>, Vec<Labels>)> {
        // Only edges where degrees are largest are tried as first ones.
        let rank = |a: usize, b: usize| {
            let c = self.left[a][b] as usize;
            [self.degree[a], self.degree[b], self.degree[c]]
        };
        let all = || (0..self.count).flat_map(|a| (0..self.count).map(move |b| (a, b)));
        let edges = || all().filter(|&(a, b)| self.left[a][b] != NOBODY);
        let highest = edges().map(|(a, b)| rank(a, b)).max()?;
        let (mut best, mut ways) = (Vec::new(), Vec::new());
        for (a, b) in edges().filter(|&(a, b)| rank(a, b) == highest) {
            let (code, labels) = self.code(a, b)?;
            if ways.is_empty() || code < best {
                (best, ways) = (code, vec![labels]);
            } else if code == best {
                ways.push(labels);
            }
        }
        Some((best, ways))
    }

    /// Numbers vertices in the order in which one comes to them from an edge, going around each counterclockwise; the code tells whom one meets.
    fn code(&self, a: usize, b: usize) -> Option<(Vec<u8>, Labels)> {
        let mut labels = [NOBODY; MOST];
        let mut order = vec![(a, b)];
        labels[a] = 0;
        let mut code = Vec::with_capacity(8 * MOST);
        let mut next = 0;
        while next < order.len() {
            let (vertex, first) = order[next];
            code.push(self.colour[vertex]);
            let mut other = first;
            for _ in 0..self.degree[vertex] {
                if labels[other] == NOBODY {
                    labels[other] = order.len() as u8;
                    order.push((other, vertex));
                }
                code.push(labels[other]);
                other = self.left[vertex][other] as usize;
                if other == NOBODY as usize {
                    return None;
                }
            }
            next += 1;
        }
        (order.len() == self.count).then_some((code, labels))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Ranmar;

    /// Points near the corners of a rhombic dodecahedron: their order and a turn change no code, a mirror changes that of many.
    #[test]
    fn codes_are_of_the_shape() {
        let corner = |k: usize| -> Vector { std::array::from_fn(|d| [1.0, -1.0][k >> d & 1]) };
        let tip = |k: usize| -> Vector {
            std::array::from_fn(|d| if d == k / 2 { [2.0, -2.0][k % 2] } else { 0.0 })
        };
        let mut random = Ranmar::new(4711);
        let mut mirrored = 0;
        for _ in 0..50 {
            let all = (0..8).map(corner).chain((0..6).map(tip));
            let points: Vec<Vector> = all.map(|x| x.map(|x| x + 0.3 * (random.uniform() - 0.5))).collect();
            let code = |points: &[Vector]| {
                let (code, ways) = Graph::new(14, &hull(points, 0)?, 0)?.canonical()?;
                assert!(!ways.is_empty());
                Some(code)
            };
            let expected = code(&points).expect("a hull");
            let mut other = points.clone();
            for k in (1..14).rev() {
                other.swap(k, (random.uniform() * k as f64) as usize);
            }
            assert_eq!(code(&other).as_ref(), Some(&expected));
            let turned: Vec<Vector> =
                points.iter().map(|[x, y, z]| [0.6 * x - 0.8 * y, 0.8 * x + 0.6 * y, *z]).collect();
            assert_eq!(code(&turned).as_ref(), Some(&expected));
            let mirror: Vec<Vector> = points.iter().map(|[x, y, z]| [-x, *y, *z]).collect();
            mirrored += usize::from(code(&mirror).expect("a hull") != expected);
        }
        assert!(mirrored > 10, "{mirrored}");
    }

    #[test]
    fn hulls_have_all_points_and_the_origin() {
        let tetrahedron = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
        assert_eq!(hull(&tetrahedron, 0).expect("a hull").len(), 4);
        let with = |x: Vector| [[x].as_slice(), &tetrahedron].concat();
        assert_eq!(hull(&with([-1.0, -1.0, -1.0]), 0).expect("a hull").len(), 6);
        assert!(hull(&with([-0.1; 3]), 0).is_none());
        assert_eq!(hull(&with([-0.1; 3]), 1).expect("a hull").len(), 4);
        let away = tetrahedron.map(|[x, y, z]| [x + 2.0, y, z]);
        assert!(hull(&away, 0).is_none());
        let flat = tetrahedron.map(|[x, y, _]| [x, y, 0.0]);
        assert!(hull(&flat, 0).is_none());
    }
}
