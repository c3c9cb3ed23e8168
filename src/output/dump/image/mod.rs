//! `dump image`: a picture of the atoms as shaded spheres, bonds as cylinders, the edges of the box and axes, drawn on
//! the host. LAMMPS manual, `dump image`.
//!
//! `movie` makes one file of many. `camera` says where things are in the picture, `raster` draws them, `colours` has names, `colour_map` those of values, `elements` those of elements, `encode` writes files,
//! `options` reads the script's words.

mod camera;
mod colour_map;
mod colours;
mod elements;
mod encode;
pub(crate) mod movie;
mod options;
mod raster;

use super::column::{Column, Rows};
use super::{Frame, Settings, Style};
use crate::base::error::Result;
use crate::script::Args;
use camera::{Camera, corners};
use colours::Colour;
use encode::Format;
pub(crate) use options::new;
use options::{Kind, Options};
use raster::{Picture, Raster};
use std::cell::Cell;
use std::collections::HashMap;
use std::io::Write;

struct Image {
    options: Options,
    format: Format,
    /// That of the first picture, where the view does not follow the box.
    camera: Cell<Option<Camera>>,
}

/// Columns of the attributes that colour and diameter show.
const COLOUR: usize = 0;
const DIAMETER: usize = 1;

impl Style for Image {
    fn columns(&self) -> Vec<Column> {
        let column = |kind: &Kind| match kind {
            Kind::Attribute(column) => column.clone(),
            Kind::Type | Kind::Element => Column::Type,
        };
        vec![column(&self.options.colour), column(&self.options.diameter)]
    }

    fn accept(&mut self, settings: &Settings<'_>) -> Result<()> {
        self.format = Format::of(settings.output.name());
        Ok(())
    }

    fn one_frame_per_file(&self) -> bool {
        true
    }

    fn modify(&mut self, keyword: &str, args: &mut Args<'_>) -> Result<bool> {
        self.options.modify(keyword, args)
    }

    fn write(
        &self,
        frame: &Frame<'_>,
        order: &[usize],
        rows: &Rows<'_>,
        _: Option<&str>,
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        self.format.write(&self.picture(frame, order, rows), out)
    }
}

impl Image {
    /// The picture of a frame.
    fn picture(&self, frame: &Frame<'_>, order: &[usize], rows: &Rows<'_>) -> Picture {
        let options = &self.options;
        let fine = if options.fsaa { 2 } else { 1 };
        let size = options.size.map(|size| size * fine);
        let camera = match self.camera.get() {
            Some(camera) if !options.view.follows => camera,
            _ => Camera::new(&options.view, frame.domain, size),
        };
        self.camera.set(Some(camera));
        let mut raster = Raster::new(size, options.back, options.shiny, options.shade.is_some());
        self.atoms(frame, order, rows, &camera, &mut raster);
        self.frame_of_box(frame, &camera, &mut raster);
        if let Some((seed, dark)) = options.shade {
            raster.shade(seed, dark);
        }
        raster.finish(options.fsaa)
    }

    /// Draws atoms and the bonds between them.
    fn atoms(
        &self,
        frame: &Frame<'_>,
        order: &[usize],
        rows: &Rows<'_>,
        camera: &Camera,
        raster: &mut Raster,
    ) {
        let (options, atoms) = (&self.options, frame.atoms);
        let values = || order.iter().map(|&i| rows.number(i, COLOUR));
        let lo = values().fold(f64::INFINITY, f64::min);
        let hi = values().fold(f64::NEG_INFINITY, f64::max);
        // An atom that no entry of a colour map has is not drawn.
        let mapped: Vec<Option<Colour>> = match &options.colour {
            Kind::Attribute(_) => {
                let mut mapped = vec![None; atoms.len()];
                order.iter().for_each(|&i| mapped[i] = options.map.colour(rows.number(i, COLOUR), [lo, hi]));
                mapped
            }
            Kind::Type | Kind::Element => Vec::new(),
        };
        let colour = |i: usize| match &options.colour {
            Kind::Attribute(_) => mapped[i],
            Kind::Type => Some(options.colours[atoms.kind[i] as usize - 1]),
            Kind::Element => Some(options.elements[atoms.kind[i] as usize - 1].0),
        };
        if options.atoms {
            for &i in order {
                let diameter = match (&options.diameter, options.same_diameter) {
                    (_, Some(diameter)) => diameter,
                    (Kind::Attribute(_), None) => rows.number(i, DIAMETER),
                    (Kind::Type, None) => options.diameters[atoms.kind[i] as usize - 1],
                    (Kind::Element, None) => options.elements[atoms.kind[i] as usize - 1].1,
                };
                if let Some(colour) = colour(i) {
                    raster.sphere(camera.project(atoms.x[i]), 0.5 * diameter * camera.scale, colour);
                }
            }
        }
        let (Some(bonds), Some(system)) = (&options.bonds, frame.system) else {
            return;
        };
        let place: HashMap<u32, usize> = order.iter().map(|&i| (atoms.tag[i], i)).collect();
        let images = [0, 1, 2].map(|d| frame.domain.periodic(d));
        for bond in system.session.system.topology.bonds.iter().filter(|bond| !bond.off) {
            let [Some(&i), Some(&j)] = bond.atoms.map(|tag| place.get(&tag)) else {
                continue;
            };
            let kind = bond.kind as usize - 1;
            let diameter = bonds.diameter.unwrap_or(options.bond_diameters[kind]);
            let apart = std::array::from_fn(|d| atoms.x[j][d] - atoms.x[i][d]);
            let apart = frame.domain.nearest(apart, images);
            // From each atom half the way to the nearest image of the other.
            for (atom, half) in [(i, 0.5), (j, -0.5)] {
                let from = atoms.x[atom];
                let to = std::array::from_fn(|d| from[d] + half * apart[d]);
                let colour = if bonds.by_type { Some(options.bond_colours[kind]) } else { colour(atom) };
                let radius = 0.5 * diameter * camera.scale;
                if let Some(colour) = colour {
                    let (from, to) = (camera.project(from), camera.project(to));
                    raster.cylinder(from, to, radius, colour);
                    raster.sphere(from, radius, colour);
                    raster.sphere(to, radius, colour);
                }
            }
        }
    }

    /// Draws the edges of the box, and the axes beside it.
    fn frame_of_box(&self, frame: &Frame<'_>, camera: &Camera, raster: &mut Raster) {
        let options = &self.options;
        let corners = corners(frame.domain);
        let [lo, hi] = frame.domain.bounds();
        let lengths: [f64; 3] = std::array::from_fn(|d| hi[d] - lo[d]);
        // In two dimensions the third length is no size of anything.
        let flat = frame.system.is_some_and(|system| system.session.system.dimension == 2);
        let shown = if flat { &lengths[..2] } else { &lengths[..] };
        let shortest = shown.iter().copied().fold(f64::INFINITY, f64::min);
        let mut rod = |from, to, part: f64, colour: Colour| {
            let (from, to, radius) =
                (camera.project(from), camera.project(to), 0.5 * part * shortest * camera.scale);
            raster.cylinder(from, to, radius, colour);
            raster.sphere(from, radius, colour);
            raster.sphere(to, radius, colour);
        };
        if let Some(part) = options.frame {
            for (from, axis) in (0..8).flat_map(|k| [1, 2, 4].map(|axis| (k, axis))) {
                if from & axis == 0 {
                    rod(corners[from], corners[from | axis], part, options.frame_colour);
                }
            }
        }
        if let Some([long, part]) = options.axes {
            let offset = 0.1 * lengths.into_iter().fold(0.0, f64::max);
            let origin = corners[0].map(|x| x - offset);
            for (axis, colour) in [(1, "red"), (2, "green"), (4, "blue")] {
                let to = std::array::from_fn(|d| origin[d] + long * (corners[axis][d] - corners[0][d]));
                rod(origin, to, part, colours::named(colour).unwrap_or([1.0; 3]));
            }
        }
    }
}
