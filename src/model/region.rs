//! Regions: shapes in space that choose atoms. Source: LAMMPS manual, `region`.

mod code;
pub(crate) mod motion;
mod recipe;
mod surface;

pub(crate) use surface::WALLS;

use crate::base::error::Result;
use crate::script::Args;
use motion::{Motion, Placement};

/// Where a region is. Lengths in distance units.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Block {
        lo: [f64; 3],
        hi: [f64; 3],
    },
    Sphere {
        centre: [f64; 3],
        radius: f64,
    },
    /// Along `axis` from `lo` to `hi`; the radius goes linearly from `radii[0]` to `radii[1]`.
    Cone {
        axis: usize,
        centre: [f64; 2],
        radii: [f64; 2],
        lo: f64,
        hi: f64,
    },
    Ellipsoid {
        centre: [f64; 3],
        /// Half axes; the third counts in 3d only.
        radii: [f64; 3],
        flat: bool,
    },
    /// A block whose faces across y lean by `tilt[0]` along x from lower to upper, and those across z by `tilt[1]` along
    /// x and `tilt[2]` along y.
    Prism {
        lo: [f64; 3],
        hi: [f64; 3],
        tilt: [f64; 3],
    },
    /// The side of a plane towards which its normal points.
    Plane {
        point: [f64; 3],
        normal: [f64; 3],
    },
    Union(Vec<Region>),
    Intersect(Vec<Region>),
}

/// A region.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    shape: Shape,
    /// `side in`.
    inside: bool,
    /// `open`: faces that are no walls, bit k for the face k + 1; such a region has walls on both sides of the others.
    open: u8,
    motion: Option<Motion>,
    /// Where it is now, once that is known ([`Region::placed`]).
    placement: Option<Placement>,
}

/// The regions of a script by name.
#[derive(Debug, Default)]
pub struct Regions {
    pub(crate) named: Vec<(String, Region)>,
}

impl Regions {
    /// The region of a name.
    pub fn get(&self, name: &str) -> Option<&Region> {
        self.named.iter().find(|(n, _)| n == name).map(|(_, region)| region)
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(|(name, _)| name.as_str())
    }

    /// Takes the name of a region that stays as it is from the arguments.
    ///
    /// # Errors
    /// At the word, when it is missing, no region has this name, or it moves or changes.
    pub fn arg(&self, args: &mut Args) -> Result<&Region> {
        let word = args.clone().word("a region")?;
        let region = self.moving_arg(args)?;
        match region.moves() {
            true => Err(args.error(
                word,
                format_args!("the region {} moves or changes, which is not supported here", word.text),
            )),
            false => Ok(region),
        }
    }

    /// Takes the name of a region that may move or change; [`Region::placed`] says where it is.
    ///
    /// # Errors
    /// At the word, when it is missing or no region has this name.
    pub fn moving_arg(&self, args: &mut Args) -> Result<&Region> {
        let word = args.word("a region")?;
        self.get(&word.text).ok_or_else(|| args.unknown(word, "region", self.names()))
    }
}

impl Region {
    /// Whether a position (distance units) belongs to the region; surfaces count as inside.
    pub fn contains(&self, x: [f64; 3]) -> bool {
        let x = self.placement.as_ref().map_or(x, |placement| placement.back(x));
        let within = match &self.shape {
            Shape::Block { lo, hi } => (0..3).all(|d| lo[d] <= x[d] && x[d] <= hi[d]),
            Shape::Sphere { centre, radius } => {
                let [dx, dy, dz]: [f64; 3] = std::array::from_fn(|d| x[d] - centre[d]);
                (dx * dx + dy * dy + dz * dz).sqrt() <= *radius
            }
            Shape::Cone { axis, centre, radii, lo, hi } => {
                let [a, b] = across(*axis);
                let (da, db) = (x[a] - centre[0], x[b] - centre[1]);
                let along = x[*axis];
                let radius = if radii[0] == radii[1] && !self.changes() {
                    radii[0]
                } else {
                    radii[0] + (along - lo) * (radii[1] - radii[0]) / (hi - lo)
                };
                (da * da + db * db).sqrt() <= radius && *lo <= along && along <= *hi
            }
            Shape::Ellipsoid { centre, radii: [a, b, c], flat } => {
                let [dx, dy, dz]: [f64; 3] = std::array::from_fn(|d| x[d] - centre[d]);
                let (terms, most) = match flat {
                    true => (vec![b * dx, a * dy], a * b),
                    false => (vec![b * c * dx, a * c * dy, a * b * dz], a * b * c),
                };
                terms.iter().map(|x| x * x).sum::<f64>() <= most * most
            }
            Shape::Prism { lo, hi, tilt: [xy, xz, yz] } => {
                let length: [f64; 3] = std::array::from_fn(|d| hi[d] - lo[d]);
                // Fractions of the edges: those of the later axes are known first.
                let c = (x[2] - lo[2]) / length[2];
                let b = (x[1] - lo[1] - c * yz) / length[1];
                let a = (x[0] - lo[0] - b * xy - c * xz) / length[0];
                [a, b, c].iter().all(|fraction| (0.0..=1.0).contains(fraction))
            }
            Shape::Plane { point, normal } => {
                (0..3).map(|d| (x[d] - point[d]) * normal[d]).sum::<f64>() >= 0.0
            }
            Shape::Union(regions) => regions.iter().any(|region| region.contains(x)),
            Shape::Intersect(regions) => regions.iter().all(|region| region.contains(x)),
        };
        within == self.inside
    }

    /// Of a prism: the corners that it has without its tilts, and these: xy xz yz.
    pub fn prism(&self) -> Option<([[f64; 3]; 2], [f64; 3])> {
        match &self.shape {
            Shape::Prism { lo, hi, tilt } => Some(([*lo, *hi], *tilt)),
            _ => None,
        }
    }

    /// Lower and upper corner of a block around the region, in distance units; `None` when there is none.
    pub fn bounds(&self) -> Option<[[f64; 3]; 2]> {
        if !self.inside || self.moves() {
            return None;
        }
        match &self.shape {
            Shape::Block { lo, hi } => Some([*lo, *hi]),
            Shape::Prism { lo, hi, tilt: [xy, xz, yz] } => {
                let beyond =
                    |pick: fn(f64, f64) -> f64| [pick(*xy, 0.0) + pick(*xz, 0.0), pick(*yz, 0.0), 0.0];
                let (below, above) = (beyond(f64::min), beyond(f64::max));
                Some([std::array::from_fn(|d| lo[d] + below[d]), std::array::from_fn(|d| hi[d] + above[d])])
            }
            Shape::Sphere { centre, radius } => {
                Some([centre.map(|c| c - radius), centre.map(|c| c + radius)])
            }
            Shape::Cone { axis, centre, radii, lo, hi } => {
                let radius = radii[0].max(radii[1]);
                let [a, b] = across(*axis);
                let mut bounds = [[*lo; 3], [*hi; 3]];
                for (d, c) in [a, b].into_iter().zip(centre) {
                    bounds[0][d] = c - radius;
                    bounds[1][d] = c + radius;
                }
                Some(bounds)
            }
            Shape::Ellipsoid { centre, radii, .. } => Some([
                std::array::from_fn(|d| centre[d] - radii[d]),
                std::array::from_fn(|d| centre[d] + radii[d]),
            ]),
            Shape::Plane { .. } => None,
            Shape::Union(regions) => {
                let all: Option<Vec<_>> = regions.iter().map(Region::bounds).collect();
                all?.into_iter().reduce(|p, q| combine(p, q, f64::min, f64::max))
            }
            Shape::Intersect(regions) => {
                let some = regions.iter().filter_map(Region::bounds);
                some.reduce(|p, q| combine(p, q, f64::max, f64::min))
            }
        }
    }
}

type Bounds = [[f64; 3]; 2];

fn combine(p: Bounds, q: Bounds, lower: fn(f64, f64) -> f64, upper: fn(f64, f64) -> f64) -> Bounds {
    [std::array::from_fn(|d| lower(p[0][d], q[0][d])), std::array::from_fn(|d| upper(p[1][d], q[1][d]))]
}

/// The two axes across one, in ascending order: a cylinder's centre is given in this order.
pub(crate) fn across(axis: usize) -> [usize; 2] {
    [[1, 2], [0, 2], [0, 1]][axis]
}
