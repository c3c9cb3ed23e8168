//! A convex cell that planes cut pieces off, until a Voronoi cell is left.

use crate::base::vector::{Vector, cross, dot, minus, norm};

/// A face: who is on its other side, and its vertices, counterclockwise seen from outside.
pub(in crate::computes) struct Face {
    pub(in crate::computes) owner: Option<u32>,
    pub(in crate::computes) corners: Vec<u32>,
}

/// A convex polyhedron around an atom, which is the origin.
pub(in crate::computes) struct Cell {
    vertices: Vec<Vector>,
    pub(in crate::computes) faces: Vec<Face>,
    /// What is nearer to a plane than this lies in it.
    rounding: f64,
    /// The square of the way to the farthest vertex.
    reach: f64,
    /// By vertex: how far it is beyond the plane that cuts.
    beyond: Vec<f64>,
}

/// The faces of a cube by the numbers of its corners, whose bits say on which side they are.
const CUBE: [[u32; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

impl Cell {
    /// A cube of that half edge, with nobody on its other sides.
    pub(in crate::computes) fn cube(half: f64, rounding: f64) -> Self {
        let side = |corner: u32, d: usize| if corner >> d & 1 == 1 { half } else { -half };
        let vertices = (0..8).map(|corner| std::array::from_fn(|d| side(corner, d))).collect();
        let faces = CUBE.iter().map(|corners| Face { owner: None, corners: corners.to_vec() }).collect();
        Cell { vertices, faces, rounding, reach: 3.0 * half * half, beyond: Vec::new() }
    }

    /// The way to the farthest vertex; 0 where nothing is left.
    pub(in crate::computes) fn reach(&self) -> f64 {
        self.reach.sqrt()
    }

    /// Cuts off what lies beyond the plane n x = distance, n being a unit vector. A plane that only touches the cell cuts
    /// nothing off.
    pub(in crate::computes) fn cut(&mut self, normal: Vector, distance: f64, owner: Option<u32>) {
        let rounding = self.rounding;
        if distance > 0.0 && distance * distance > self.reach {
            return;
        }
        self.beyond.clear();
        self.beyond.extend(self.vertices.iter().map(|&vertex| dot(normal, vertex) - distance));
        let used = || self.faces.iter().flat_map(|face| face.corners.iter().map(|&v| v as usize));
        if !used().any(|v| self.beyond[v] > rounding) {
            return;
        }
        let mut rim: Vec<u32> =
            used().filter(|&v| self.beyond[v].abs() <= rounding).map(|v| v as u32).collect();
        // Where edges, by their two ends, pass through the plane; both faces beside one find the same vertex.
        let mut crossed: Vec<([u32; 2], u32)> = Vec::new();
        for face in &mut self.faces {
            if face.corners.iter().all(|&v| self.beyond[v as usize] <= rounding) {
                continue;
            }
            let mut kept = Vec::with_capacity(face.corners.len() + 1);
            for (k, &a) in face.corners.iter().enumerate() {
                let b = face.corners[(k + 1) % face.corners.len()];
                let (above_a, above_b) = (self.beyond[a as usize], self.beyond[b as usize]);
                if above_a <= rounding {
                    kept.push(a);
                }
                if above_a.min(above_b) >= -rounding || above_a.max(above_b) <= rounding {
                    continue;
                }
                let edge = [a.min(b), a.max(b)];
                let known = crossed.iter().find(|(other, _)| *other == edge);
                kept.push(known.map_or(self.vertices.len() as u32, |(_, vertex)| *vertex));
                if known.is_none() {
                    let (from, to) = (self.vertices[a as usize], self.vertices[b as usize]);
                    let along = |part: f64, from: Vector| -> Vector {
                        std::array::from_fn(|d| from[d] + part * (minus(to, self.vertices[a as usize]))[d])
                    };
                    let near = along(above_a / (above_a - above_b), from);
                    // On a long edge that is off by its rounding: once more from there.
                    let vertex = along((dot(normal, near) - distance) / (above_a - above_b), near);
                    crossed.push((edge, self.vertices.len() as u32));
                    self.vertices.push(vertex);
                    self.beyond.push(0.0);
                }
            }
            face.corners = kept;
        }
        rim.extend(crossed.iter().map(|(_, vertex)| *vertex));
        rim.sort_unstable();
        rim.dedup();
        self.faces.retain(|face| face.corners.len() > 2);
        self.close(normal, rim, owner);
        let squares = self.faces.iter().flat_map(|face| &face.corners).map(|&v| self.vertices[v as usize]);
        self.reach = squares.map(|vertex| dot(vertex, vertex)).fold(0.0, f64::max);
    }

    /// Puts a face where the cut was: its vertices in their order around the middle.
    fn close(&mut self, normal: Vector, mut rim: Vec<u32>, owner: Option<u32>) {
        if rim.len() < 3 || self.faces.is_empty() {
            return;
        }
        let mut middle = [0.0; 3];
        for &v in &rim {
            (0..3).for_each(|d| middle[d] += self.vertices[v as usize][d] / rim.len() as f64);
        }
        let along = [normal[0].abs(), normal[1].abs(), normal[2].abs()];
        let least = (0..3).min_by(|&a, &b| along[a].total_cmp(&along[b])).unwrap_or(0);
        let u = cross(normal, std::array::from_fn(|d| f64::from(u8::from(d == least))));
        let w = cross(normal, u);
        let angle = |v: u32| {
            let way = minus(self.vertices[v as usize], middle);
            dot(way, w).atan2(dot(way, u))
        };
        rim.sort_by(|&a, &b| angle(a).total_cmp(&angle(b)));
        self.faces.push(Face { owner, corners: rim });
    }

    /// The area of a face as a vector that points outwards.
    fn outwards(&self, face: &Face) -> Vector {
        let at = |k: usize| self.vertices[face.corners[k] as usize];
        let mut sum = [0.0; 3];
        for k in 1..face.corners.len() - 1 {
            let part = cross(minus(at(k), at(0)), minus(at(k + 1), at(0)));
            (0..3).for_each(|d| sum[d] += 0.5 * part[d]);
        }
        sum
    }

    /// The area of a face.
    pub(in crate::computes) fn area(&self, face: &Face) -> f64 {
        let area = self.outwards(face);
        dot(area, area).sqrt()
    }

    /// The solid angle of a face, seen from the atom.
    pub(in crate::computes) fn solid_angle(&self, face: &Face) -> f64 {
        let at = |k: usize| {
            let way = self.vertices[face.corners[k] as usize];
            way.map(|x| x / norm(way))
        };
        // Of triangles (A. van Oosterom and J. Strackee, IEEE Trans. Biomed. Eng. 30, 125 (1983)).
        let of_triangle = |[a, b, c]: [Vector; 3]| {
            2.0 * dot(a, cross(b, c)).atan2(1.0 + dot(a, b) + dot(b, c) + dot(c, a)).abs()
        };
        (1..face.corners.len() - 1).map(|k| of_triangle([at(0), at(k), at(k + 1)])).sum()
    }

    /// The volume, by the cones from the atom to the faces.
    pub(in crate::computes) fn volume(&self) -> f64 {
        let cone = |face: &Face| dot(self.outwards(face), self.vertices[face.corners[0] as usize]) / 3.0;
        self.faces.iter().map(cone).sum()
    }

    /// How many edges of a face are longer than that.
    pub(in crate::computes) fn edges(&self, face: &Face, least: f64) -> usize {
        let at = |k: usize| self.vertices[face.corners[k % face.corners.len()] as usize];
        let square = |k: usize| {
            let edge = minus(at(k + 1), at(k));
            dot(edge, edge)
        };
        (0..face.corners.len()).filter(|&k| square(k) > least * least).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube with its corners cut off to the middles of its edges is a cuboctahedron; planes through those middles again, or
    /// beyond, change nothing.
    #[test]
    fn a_cube_loses_its_corners() {
        let mut cell = Cell::cube(1.0, 1e-12);
        assert!((cell.volume() - 8.0).abs() < 1e-12 && cell.faces.len() == 6);
        for twice in 0..2 {
            for corner in 0..8_u32 {
                let normal = std::array::from_fn(|d| (f64::from(corner >> d & 1) * 2.0 - 1.0) / 3_f64.sqrt());
                cell.cut(normal, 2.0 / 3_f64.sqrt() + f64::from(twice) * 1e-14, Some(corner));
            }
            assert_eq!(cell.faces.len(), 14);
            assert!((cell.volume() - 20.0 / 3.0).abs() < 1e-12, "{}", cell.volume());
            let edges: usize = cell.faces.iter().map(|face| cell.edges(face, 0.0)).sum();
            assert_eq!(edges, 48);
            let area: f64 = cell.faces.iter().map(|face| cell.area(face)).sum();
            assert!((area - (12.0 + 4.0 * 3_f64.sqrt())).abs() < 1e-12);
            let angle: f64 = cell.faces.iter().map(|face| cell.solid_angle(face)).sum();
            assert!((angle - 4.0 * std::f64::consts::PI).abs() < 1e-12);
            assert!((cell.reach() - 2_f64.sqrt()).abs() < 1e-12);
        }
        cell.cut([0.0, 0.0, 1.0], -2.0, None);
        assert!(cell.faces.is_empty() && cell.volume() == 0.0 && cell.reach() == 0.0);
    }
}
