//! Regions that move, by being displaced and turned about an axis, or whose shape changes: by equal-style variables. Source:
//! LAMMPS manual, `region`.

use super::{Region, Shape};
use crate::base::error::{Error, Result};
use crate::base::vector::{cross, dot};
use crate::model::domain::unit;
use crate::script::Args;
use std::borrow::Cow;
use std::ops::Range;

/// A number of a shape that follows a variable, in the order of the command ([`Shape::numbers`]).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variable {
    pub(crate) slot: usize,
    pub(crate) name: String,
    /// What its value is multiplied by: distance units per unit of the script.
    pub(crate) scale: f64,
}

/// How a region moves and changes; variables by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Motion {
    /// The name of the region, for errors.
    name: String,
    /// Of the shape.
    variables: Vec<Variable>,
    /// Displacements, in distance units.
    shift: [Option<String>; 3],
    turn: Option<Turn>,
}

#[derive(Clone, Debug, PartialEq)]
struct Turn {
    /// In radians.
    angle: String,
    /// A point of the axis before the displacement, and the axis as a unit vector.
    point: [f64; 3],
    axis: [f64; 3],
}

/// Where a region is that moves.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placement {
    pub(super) shift: [f64; 3],
    point: [f64; 3],
    axis: [f64; 3],
    cosine: f64,
    sine: f64,
}

/// Takes the name of a variable after `v_`.
pub(crate) fn variable(args: &mut Args<'_>, what: &str) -> Result<String> {
    let word = args.word(what)?;
    let name = word.text.strip_prefix("v_").filter(|name| !name.is_empty());
    name.map(str::to_owned)
        .ok_or_else(|| args.error(word, format_args!("'{}' is not {what}", word.text)).label("v_NAME"))
}

impl Motion {
    /// Takes what follows `move`: three variables, or NULL.
    pub(super) fn shift(&mut self, args: &mut Args<'_>) -> Result<()> {
        for shift in &mut self.shift {
            if !args.accept("NULL") {
                *shift = Some(variable(args, "NULL or an equal-style variable, a displacement")?);
            }
        }
        Ok(())
    }

    /// Takes what follows `rotate`: a variable, a point and an axis.
    pub(super) fn turn(&mut self, args: &mut Args<'_>, scale: [f64; 3]) -> Result<()> {
        let angle = variable(args, "an equal-style variable, an angle in radians")?;
        let mut point = [0.0; 3];
        for (point, scale) in point.iter_mut().zip(scale) {
            *point = scale * args.f64("a coordinate of a point of the axis")?;
        }
        let (word, what) = (args.peek(), "a component of the axis");
        let axis = unit([args.f64(what)?, args.f64(what)?, args.f64(what)?]);
        match (axis, word) {
            (None, Some(word)) => return Err(args.error(word, "the axis has no length")),
            (axis, _) => self.turn = axis.map(|axis| Turn { angle, point, axis }),
        }
        Ok(())
    }

    fn placement(&self, value: &dyn Fn(&str) -> Result<f64>) -> Result<Placement> {
        let mut placement =
            Placement { shift: [0.0; 3], point: [0.0; 3], axis: [0.0; 3], cosine: 1.0, sine: 0.0 };
        for (shift, name) in placement.shift.iter_mut().zip(&self.shift) {
            *shift = name.as_ref().map_or(Ok(0.0), |name| value(name))?;
        }
        if let Some(Turn { angle, point, axis }) = &self.turn {
            let (sine, cosine) = value(angle)?.sin_cos();
            placement = Placement { point: *point, axis: *axis, cosine, sine, ..placement };
        }
        Ok(placement)
    }
}

impl Placement {
    /// A position as the region sees it: back where the region was defined.
    pub(super) fn back(&self, x: [f64; 3]) -> [f64; 3] {
        let from: [f64; 3] = std::array::from_fn(|d| x[d] - self.shift[d] - self.point[d]);
        let along = dot(from, self.axis);
        let off: [f64; 3] = std::array::from_fn(|d| from[d] - along * self.axis[d]);
        let round = cross(self.axis, off);
        std::array::from_fn(|d| {
            self.point[d] + along * self.axis[d] + off[d] * self.cosine - round[d] * self.sine
        })
    }

    /// Whether it has turned.
    pub(super) fn turns(&self) -> bool {
        self.axis != [0.0; 3]
    }

    /// The numbers that `moved_back` of cl/step/integrate.cl reads.
    pub(super) fn numbers(&self) -> Vec<f64> {
        [&self.shift[..], &self.point, &self.axis, &[self.cosine, self.sine]].concat()
    }
}

impl Shape {
    /// Its numbers that may follow variables, in the order of the command; those of a cylinder as of a cone.
    fn numbers(&mut self) -> Vec<&mut f64> {
        match self {
            Shape::Block { lo, hi } => lo.iter_mut().zip(hi).flat_map(|(lo, hi)| [lo, hi]).collect(),
            Shape::Sphere { centre, radius } => centre.iter_mut().chain([radius]).collect(),
            Shape::Cone { centre, radii, lo, hi, .. } => {
                centre.iter_mut().chain(radii).chain([lo, hi]).collect()
            }
            Shape::Ellipsoid { centre, radii, .. } => centre.iter_mut().chain(radii).collect(),
            Shape::Plane { point, .. } => point.iter_mut().collect(),
            Shape::Prism { lo, hi, tilt } => {
                lo.iter_mut().zip(hi).flat_map(|(lo, hi)| [lo, hi]).chain(tilt).collect()
            }
            Shape::Union(_) | Shape::Intersect(_) => Vec::new(),
        }
    }

    /// Which of these are radii.
    fn radii(&self) -> Range<usize> {
        match self {
            Shape::Sphere { .. } => 3..4,
            Shape::Cone { .. } => 2..4,
            Shape::Ellipsoid { .. } => 3..6,
            _ => 0..0,
        }
    }

    /// Gives numbers the values of their variables.
    fn change(&mut self, variables: &[Variable], value: &dyn Fn(&str) -> Result<f64>) -> Result<()> {
        for Variable { slot, name, scale } in variables {
            let x = scale * value(name)?;
            if let Some(number) = self.numbers().into_iter().nth(*slot) {
                *number = x;
            }
            if self.radii().contains(slot) && (x < 0.0 || x.is_nan()) {
                let message = format!("variable {name} makes a radius {x}");
                return Err(Error::new(message).help("a radius cannot be negative"));
            }
        }
        if let Shape::Block { lo, hi } = self {
            // Limits that have passed each other leave nothing between them.
            hi.iter_mut().zip(lo).for_each(|(hi, lo)| *hi = hi.max(*lo));
        }
        Ok(())
    }
}

impl Region {
    /// Whether it moves or changes, or one that it is made of.
    pub fn moves(&self) -> bool {
        let parts = match &self.shape {
            Shape::Union(parts) | Shape::Intersect(parts) => &parts[..],
            _ => &[],
        };
        self.motion.is_some() || parts.iter().any(Region::moves)
    }

    /// Whether its shape changes.
    pub(super) fn changes(&self) -> bool {
        self.motion.as_ref().is_some_and(|motion| !motion.variables.is_empty())
    }

    /// Whether it turns.
    pub(crate) fn turns(&self) -> bool {
        self.motion.as_ref().is_some_and(|motion| motion.turn.is_some())
    }

    /// The region where and as it is when variables have their values of now.
    ///
    /// # Errors
    /// When a variable has none, or makes a radius negative.
    pub fn placed(&self, value: &dyn Fn(&str) -> Result<f64>) -> Result<Cow<'_, Region>> {
        if !self.moves() {
            return Ok(Cow::Borrowed(self));
        }
        let mut region = self.clone();
        if let Some(motion) = &self.motion {
            let place = format!(", in region {}", motion.name);
            // Once, where the variable asks for the region in turn.
            let named = |error: Error| match error.message.ends_with(&place) {
                true => error,
                false => Error { message: error.message + &place, ..error },
            };
            region.placement = Some(motion.placement(value).map_err(named)?);
            region.shape.change(&motion.variables, value).map_err(named)?;
        }
        if let Shape::Union(parts) | Shape::Intersect(parts) = &mut region.shape {
            for part in parts {
                *part = part.placed(value)?.into_owned();
            }
        }
        Ok(Cow::Owned(region))
    }
}

/// Takes a face that is open, as a bit; shapes without faces have none.
fn face(shape: &Shape, args: &mut Args<'_>) -> Result<u8> {
    let word = args.peek();
    let face = args.count("the number of a face", 1)?;
    let faces = match shape {
        Shape::Block { .. } | Shape::Prism { .. } => 6,
        Shape::Cone { .. } => 3,
        _ => 0,
    };
    match word.filter(|_| faces > 0 && face > faces) {
        Some(word) => Err(args.error(word, format_args!("this region has the faces 1 to {faces}"))),
        None => Ok(if faces > 0 { 1 << (face - 1) } else { 0 }),
    }
}

/// Reads the keywords of `region`; lengths are multiplied by `scale`.
pub(crate) fn keywords(
    args: &mut Args<'_>,
    name: &str,
    shape: Shape,
    variables: Vec<Variable>,
    scale: [f64; 3],
) -> Result<Region> {
    let still = || Motion { name: name.to_owned(), ..Motion::default() };
    let motion = (!variables.is_empty()).then(|| Motion { variables, ..still() });
    let mut region = Region { shape, inside: true, open: 0, motion, placement: None };
    while let Some(word) = args.peek() {
        let keywords = [("side", 0), ("units", 1), ("open", 2), ("move", 3), ("rotate", 4)];
        match args.one_of("region keyword", &keywords)? {
            0 => region.inside = args.one_of("side", &[("in", true), ("out", false)])?,
            1 => args.one_of("units", &[("box", ()), ("lattice", ())])?,
            2 => region.open |= face(&region.shape, args)?,
            _ if matches!(region.shape, Shape::Union(_) | Shape::Intersect(_)) => {
                let error = args.error(word, "a union or an intersection does not move itself");
                return Err(error.help("let the regions move that it is made of"));
            }
            3 => region.motion.get_or_insert_with(still).shift(args)?,
            _ => region.motion.get_or_insert_with(still).turn(args, scale)?,
        }
    }
    Ok(region)
}
