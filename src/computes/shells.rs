//! Round bins of `compute chunk/atom`: shells around a point, or tubes around an axis in layers along it.

use super::bins::{Axis, Bins};
use super::chunk_atom::Discard;
use crate::base::error::{Error, Result};
use crate::model::domain::Domain;
use crate::script::Args;
use std::f64::consts::PI;

/// What the script says of them.
pub(super) struct Round {
    /// That of a cylinder, with the layers along it; a sphere has none.
    axis: Option<Axis>,
    centre: [f64; 3],
    /// Of the innermost and the outermost surface.
    radii: [f64; 2],
    /// How many there are from one to the other.
    count: usize,
    /// `pbc`: whether distances are those of the nearest images.
    nearest_image: bool,
}

impl Round {
    /// Takes `X Y Z RMIN RMAX N`.
    pub(super) fn sphere(dimension: u32, args: &mut Args<'_>) -> Result<Self> {
        let mut centre = [0.0; 3];
        for (d, x) in centre.iter_mut().enumerate() {
            let word = args.peek();
            *x = args.f64("a coordinate of the centre")?;
            if let (Some(word), true) = (word, d == 2 && dimension == 2 && *x != 0.0) {
                return Err(args.error(word, "in two dimensions the centre is at z = 0"));
            }
        }
        Round::radii(None, centre, args)
    }

    /// Takes `AXIS ORIGIN WIDTH C1 C2 RMIN RMAX N`.
    pub(super) fn cylinder(dimension: u32, args: &mut Args<'_>) -> Result<Self> {
        let word = args.peek();
        let axis = Axis::read(args)?;
        if let (Some(word), true) = (word, dimension == 2 && axis.axis != 2) {
            return Err(args.error(word, "in two dimensions the axis of a cylinder is z"));
        }
        let mut centre = [0.0; 3];
        for d in (0..3).filter(|&d| d != axis.axis) {
            centre[d] = args.f64("a coordinate of the axis")?;
        }
        Round::radii(Some(axis), centre, args)
    }

    fn radii(axis: Option<Axis>, centre: [f64; 3], args: &mut Args<'_>) -> Result<Self> {
        let word = args.peek();
        let radii = [args.f64("the smallest radius")?, args.f64("the largest radius")?];
        if let (Some(word), false) = (word, radii[0] >= 0.0 && radii[0] < radii[1]) {
            let message =
                format!("the radii {} and {} are not 0 or more and a larger one", radii[0], radii[1]);
            return Err(args.error(word, message));
        }
        let count = args.count_of("the number of bins between the radii", 1, 128.0)?;
        Ok(Round { axis, centre, radii, count, nearest_image: false })
    }

    /// Adds what keywords say: the bounds, the distance unit along each axis, and `pbc`. Radii count in the unit of the
    /// first axis that they lie along.
    pub(super) fn finish(&mut self, bounds: [[Option<f64>; 2]; 3], units: [f64; 3], nearest_image: bool) {
        let across = self.across()[0];
        if let Some(axis) = &mut self.axis {
            axis.finish(bounds[axis.axis], units[axis.axis]);
        }
        self.centre = std::array::from_fn(|d| self.centre[d] * units[d]);
        self.radii = self.radii.map(|radius| radius * units[across]);
        self.nearest_image = nearest_image;
    }

    /// The axes that distances are made of.
    fn across(&self) -> Vec<usize> {
        let along = self.axis.as_ref().map(|axis| axis.axis);
        (0..3).filter(|&d| along != Some(d)).collect()
    }

    /// How many coordinates a bin has.
    pub(super) fn coordinates(&self) -> usize {
        1 + usize::from(self.axis.is_some())
    }

    /// The bins in a box; with `reduced` all numbers are fractions of it.
    ///
    /// # Errors
    /// When there are far too many, or they are larger than what the nearest images fill.
    pub(super) fn shells(&self, domain: &Domain, reduced: bool, dimension: u32) -> Result<Shells> {
        let (across, lengths) = (self.across(), domain.lengths());
        let (mut centre, mut radii) = (self.centre, self.radii);
        if reduced {
            centre = domain.lean(std::array::from_fn(|d| domain.lo[d] + centre[d] * lengths[d]));
            radii = radii.map(|radius| radius * lengths[across[0]]);
        }
        let periodic = |&&d: &&usize| d < dimension as usize && domain.periodic(d);
        if self.nearest_image
            && let Some(&d) = across.iter().filter(periodic).find(|&&d| radii[1] > lengths[d] / 2.0)
        {
            let (axis, half) = (["x", "y", "z"][d], lengths[d] / 2.0);
            let message =
                format!("the bins reach to {}, but half of the box along {axis} is {half}", radii[1]);
            return Err(Error::new(message).help("nearest images (`pbc yes`) are not farther than that"));
        }
        let layers = self.axis.as_ref().map(|axis| Bins::new(std::slice::from_ref(axis), domain, reduced));
        let layers = layers.transpose()?;
        let thickness = match (&self.axis, &layers) {
            (Some(axis), Some(layers)) => lengths[axis.axis] * layers.share(),
            _ => 1.0,
        };
        let shells = Shells {
            layers,
            thickness,
            across,
            centre,
            radii,
            count: self.count,
            nearest_image: self.nearest_image,
        };
        match shells.layer_count().checked_mul(shells.count) {
            Some(total) if total <= MOST => Ok(shells),
            _ => Err(Error::new(format!("{} bins from radius to radius are too many", shells.count))),
        }
    }
}

/// More bins than this are an oversight.
const MOST: usize = 100_000_000;

/// The bins in a box, in distance units.
#[derive(Clone)]
pub(super) struct Shells {
    /// Along the axis of a cylinder.
    layers: Option<Bins>,
    /// Of a layer.
    thickness: f64,
    across: Vec<usize>,
    centre: [f64; 3],
    radii: [f64; 2],
    /// From radius to radius.
    count: usize,
    nearest_image: bool,
}

impl Shells {
    fn layer_count(&self) -> usize {
        self.layers.as_ref().map_or(1, Bins::count)
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.layer_count() * self.count
    }

    /// The radii inside and outside of each, from the innermost.
    fn surfaces(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        let [inner, outer] = self.radii;
        let at = move |k: usize| inner + k as f64 * (outer - inner) / self.count as f64;
        (0..self.count).map(move |k| [at(k), if k + 1 == self.count { outer } else { at(k + 1) }])
    }

    /// The volume of each.
    pub(super) fn volumes(&self) -> Vec<f64> {
        let within = |r: f64| match self.layers {
            Some(_) => PI * r * r * self.thickness,
            None => 4.0 / 3.0 * PI * r * r * r,
        };
        let volumes = self.surfaces().map(|[inner, outer]| within(outer) - within(inner));
        volumes.flat_map(|volume| vec![volume; self.layer_count()]).collect()
    }

    /// The middle radius of each, and where its layer is, the layers fastest.
    pub(super) fn coordinates(&self) -> Vec<Vec<f64>> {
        let layers = self.layers.as_ref().map_or_else(|| vec![Vec::new()], Bins::coordinates);
        let middles = self.surfaces().map(|[inner, outer]| 0.5 * (inner + outer));
        middles.flat_map(|r| layers.iter().map(move |layer| [&[r], &layer[..]].concat())).collect()
    }

    /// The number of the bin of a position, from 1; `None` outside of all.
    pub(super) fn find(&self, x: &[f64; 3], domain: &Domain, discard: Discard) -> Option<i64> {
        let layer = self.layers.as_ref().map_or(Some(1), |layers| layers.find(x, domain, discard))?;
        let lengths = domain.lengths();
        let mut square = 0.0;
        for &d in &self.across {
            let (mut x, length) = (x[d], lengths[d]);
            if domain.periodic(d) {
                while x < domain.lo[d] {
                    x += length;
                }
                while x >= domain.hi[d] {
                    x -= length;
                }
            }
            x -= self.centre[d];
            while self.nearest_image && domain.periodic(d) && x.abs() > length / 2.0 {
                x -= length.copysign(x);
            }
            square += x * x;
        }
        let (r, [inner, outer]) = (square.sqrt(), self.radii);
        let mut shell = ((r - inner) * (self.count as f64 / (outer - inner))) as i64;
        if r < inner {
            shell -= 1;
        }
        let last = self.count as i64 - 1;
        if discard == Discard::Yes && !(0..=last).contains(&shell) {
            return None;
        }
        Some(shell.clamp(0, last) * self.layer_count() as i64 + layer)
    }
}
