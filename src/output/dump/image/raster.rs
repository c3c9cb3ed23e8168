//! Shaded spheres and cylinders in a picture with a depth for each pixel.

use super::colours::Colour;
use crate::base::parallel;
use crate::base::random::philox;
use crate::base::vector::dot;

/// A picture while it is drawn; the lowest row comes first.
pub(super) struct Raster {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
    depth: Vec<f64>,
    /// Normals of the surfaces, where hollows are to be darkened.
    normals: Option<Vec<[f32; 3]>>,
    shiny: f64,
    /// Directions to the three lights: key, fill and back; and half-way from the key light to the eye.
    lights: [[f64; 3]; 3],
    half: [f64; 3],
}

/// How bright the three lights are, and how sharp a reflection is, as in LAMMPS.
const LIGHTS: [f64; 3] = [0.9, 0.45, 0.9];
const HARDNESS: f64 = 16.0;

/// A light from the eye besides, where hollows are darkened: about as much brighter as LAMMPS's pictures with `ssao` are.
const EYE_LIGHT: f64 = 0.5;

/// How far hollows are looked for, as a part of the picture's shorter side, in how many directions, and in how many steps along each.
const SHADE: (f64, u32, u32) = (0.1, 16, 10);

impl Raster {
    pub(super) fn new([width, height]: [usize; 2], back: Colour, shiny: f64, shades: bool) -> Self {
        use std::f64::consts::PI;
        let light = |theta: f64, phi: f64| [theta.cos() * phi.sin(), theta.sin(), theta.cos() * phi.cos()];
        let lights = [light(PI / 6.0, -PI / 4.0), light(0.0, PI / 6.0), light(PI / 12.0, PI)];
        let [x, y, z] = lights[0];
        let length = dot([x, y, z + 1.0], [x, y, z + 1.0]).sqrt();
        let background = back.map(|part| (part * 255.0).round() as u8);
        Raster {
            width,
            height,
            pixels: vec![background; width * height],
            depth: vec![f64::NEG_INFINITY; width * height],
            normals: shades.then(|| vec![[0.0; 3]; width * height]),
            shiny,
            lights,
            half: [x, y, z + 1.0].map(|part| part / length),
        }
    }

    /// A pixel of a surface with this normal, where nothing is in front of it.
    fn set(&mut self, x: usize, y: usize, depth: f64, normal: [f64; 3], colour: Colour) {
        let at = y * self.width + x;
        if depth <= self.depth[at] {
            return;
        }
        self.depth[at] = depth;
        if let Some(normals) = &mut self.normals {
            normals[at] = normal.map(|part| part as f32);
        }
        let eye = if self.normals.is_some() { EYE_LIGHT * normal[2] } else { 0.0 };
        let lights = (0..3).map(|k| LIGHTS[k] * dot(normal, self.lights[k]).clamp(0.0, 1.0));
        let diffuse = lights.sum::<f64>() + eye;
        let hardness = HARDNESS * self.shiny;
        let specular = LIGHTS[0] * self.shiny * dot(normal, self.half).clamp(0.0, 1.0).powf(hardness);
        self.pixels[at] = colour.map(|part| ((part * diffuse + specular).clamp(0.0, 1.0) * 255.0) as u8);
    }

    /// The pixels from `lo` to `hi` that are in the picture, along both axes.
    fn inside(&self, lo: [f64; 2], hi: [f64; 2]) -> [std::ops::Range<usize>; 2] {
        // Casts saturate: what is far outside ends at the picture's rim.
        let range = |d: usize, size: usize| {
            (lo[d].ceil().max(0.0) as usize)..((hi[d].floor() + 1.0).max(0.0) as usize).min(size)
        };
        [range(0, self.width), range(1, self.height)]
    }

    pub(super) fn sphere(&mut self, [cx, cy, cz]: [f64; 3], radius: f64, colour: Colour) {
        let [columns, rows] = self.inside([cx - radius, cy - radius], [cx + radius, cy + radius]);
        for y in rows {
            for x in columns.clone() {
                let (dx, dy) = (x as f64 - cx, y as f64 - cy);
                let rest = radius * radius - dx * dx - dy * dy;
                if rest > 0.0 {
                    let dz = rest.sqrt();
                    self.set(x, y, cz + dz, [dx, dy, dz].map(|part| part / radius), colour);
                }
            }
        }
    }

    /// The side of a cylinder between two points.
    pub(super) fn cylinder(&mut self, a: [f64; 3], b: [f64; 3], radius: f64, colour: Colour) {
        let axis: [f64; 3] = std::array::from_fn(|d| b[d] - a[d]);
        let length = dot(axis, axis).sqrt();
        let axis = axis.map(|part| part / length);
        // How fast a ray along z leaves the axis.
        let away = 1.0 - axis[2] * axis[2];
        if !(length > 0.0 && away > 1e-12) {
            return;
        }
        let end = |pick: fn(f64, f64) -> f64, by: f64| [0, 1].map(|d| pick(a[d], b[d]) + by);
        let [columns, rows] = self.inside(end(f64::min, -radius), end(f64::max, radius));
        for y in rows {
            for x in columns.clone() {
                // |off + z ray| = radius, where both are at right angles to the axis.
                let from = [x as f64 - a[0], y as f64 - a[1], -a[2]];
                let along = dot(from, axis);
                let off: [f64; 3] = std::array::from_fn(|d| from[d] - along * axis[d]);
                let ray = [-axis[2] * axis[0], -axis[2] * axis[1], away];
                let b = dot(off, ray);
                let root = b * b - away * (dot(off, off) - radius * radius);
                if root < 0.0 {
                    continue;
                }
                let z = (root.sqrt() - b) / away;
                if (0.0..=length).contains(&(along + z * axis[2])) {
                    let normal = std::array::from_fn(|d| (off[d] + z * ray[d]) / radius);
                    self.set(x, y, z, normal, colour);
                }
            }
        }
    }

    /// Darkens hollows, where surfaces beside a pixel rise above its own and keep light off (screen-space ambient occlusion): by `dark` times
    /// the mean sine of the angle between the surface and the horizon, along some directions in the picture that chance turns for each pixel.
    pub(super) fn shade(&mut self, seed: u32, dark: f64) {
        let Some(normals) = &self.normals else { return };
        let (part, directions, steps) = SHADE;
        let (width, height) = (self.width, self.height);
        let stride = (part * width.min(height) as f64 / f64::from(steps)).max(1.0);
        let light = |at: usize| {
            let depth = self.depth[at];
            if depth == f64::NEG_INFINITY {
                return 1.0;
            }
            let chance = philox([at as u32, (at >> 32) as u32, 0, 0], [seed, 0]);
            let [turn, first] = [chance[0], chance[1]].map(|bits| f64::from(bits) / 4_294_967_296.0);
            let horizon = |direction: u32| {
                let angle = (f64::from(direction) + turn) / f64::from(directions) * std::f64::consts::TAU;
                let rise = |step: u32| {
                    let far = (f64::from(step) + first).max(0.5) * stride;
                    let (x, y) =
                        ((at % width) as f64 + far * angle.cos(), (at / width) as f64 + far * angle.sin());
                    if x < 0.0 || y < 0.0 || x >= width as f64 || y >= height as f64 {
                        return 0.0;
                    }
                    let (x, y) = (x as usize, y as usize);
                    let way = [
                        x as f64 - (at % width) as f64,
                        y as f64 - (at / width) as f64,
                        self.depth[y * width + x] - depth,
                    ];
                    let above = dot(way, normals[at].map(f64::from));
                    // Behind a pixel without a surface nothing rises.
                    if above > 0.0 { above / dot(way, way).sqrt() } else { 0.0 }
                };
                (0..steps).map(rise).fold(0.0, f64::max)
            };
            1.0 - dark * (0..directions).map(horizon).sum::<f64>() / f64::from(directions)
        };
        let light = parallel::map(width * height, light);
        for (pixel, light) in self.pixels.iter_mut().zip(light) {
            *pixel = pixel.map(|part| (f64::from(part) * light) as u8);
        }
    }

    /// The finished picture, the highest row first. With `halve` four pixels make one.
    pub(super) fn finish(self, halve: bool) -> Picture {
        let step = if halve { 2 } else { 1 };
        let (width, height) = (self.width / step, self.height / step);
        let mut pixels = Vec::with_capacity(3 * width * height);
        for y in (0..height).rev() {
            for x in 0..width {
                let sum = |part: usize| -> usize {
                    let parts = (0..step * step).map(|k| (x * step + k % step, y * step + k / step));
                    parts.map(|(x, y)| usize::from(self.pixels[y * self.width + x][part])).sum()
                };
                pixels.extend([0, 1, 2].map(|part| (sum(part) / (step * step)) as u8));
            }
        }
        Picture { width, height, pixels }
    }
}

/// Red, green and blue of each pixel.
pub(super) struct Picture {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) pixels: Vec<u8>,
}
