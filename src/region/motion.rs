//! Regions that move: they are displaced, and turned about an axis, by equal-style variables. Source: LAMMPS manual, `region`.

use super::{Region, Shape};
use crate::domain::{cross, dot};
use crate::error::Result;
use crate::script::Args;
use std::borrow::Cow;

/// How a region moves; variables by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Motion {
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
fn variable(args: &mut Args<'_>, what: &str) -> Result<String> {
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
        let axis = [args.f64(what)?, args.f64(what)?, args.f64(what)?];
        let length = dot(axis, axis).sqrt();
        if let Some(word) = word.filter(|_| length == 0.0) {
            return Err(args.error(word, "the axis has no length"));
        }
        self.turn = Some(Turn { angle, point, axis: axis.map(|x| x / length) });
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

    /// The numbers that `moved_back` of cl/integrate.cl reads.
    pub(super) fn numbers(&self) -> Vec<f64> {
        [&self.shift[..], &self.point, &self.axis, &[self.cosine, self.sine]].concat()
    }
}

impl Region {
    /// Whether it moves, or one that it is made of.
    pub fn moves(&self) -> bool {
        let parts = match &self.shape {
            Shape::Union(parts) | Shape::Intersect(parts) => &parts[..],
            _ => &[],
        };
        self.motion.is_some() || parts.iter().any(Region::moves)
    }

    /// Whether it turns.
    pub(crate) fn turns(&self) -> bool {
        self.motion.as_ref().is_some_and(|motion| motion.turn.is_some())
    }

    /// The region where it is when variables have their values of now.
    ///
    /// # Errors
    /// When a variable has none.
    pub fn placed(&self, value: &dyn Fn(&str) -> Result<f64>) -> Result<Cow<'_, Region>> {
        if !self.moves() {
            return Ok(Cow::Borrowed(self));
        }
        let mut region = self.clone();
        region.placement = self.motion.as_ref().map(|motion| motion.placement(value)).transpose()?;
        if let Shape::Union(parts) | Shape::Intersect(parts) = &mut region.shape {
            for part in parts {
                *part = part.placed(value)?.into_owned();
            }
        }
        Ok(Cow::Owned(region))
    }
}

/// Reads the keywords of `region`; lengths are multiplied by `scale`.
pub(super) fn keywords(args: &mut Args<'_>, shape: Shape, scale: [f64; 3]) -> Result<Region> {
    let mut region = Region { shape, inside: true, motion: None, placement: None };
    while let Some(word) = args.peek() {
        if word.text == "open" {
            return Err(args.unsupported(word, "region keyword"));
        }
        let keywords = [("side", 0), ("units", 1), ("move", 2), ("rotate", 3)];
        match args.one_of("region keyword", &keywords)? {
            0 => region.inside = args.one_of("side", &[("in", true), ("out", false)])?,
            1 => args.one_of("units", &[("box", ()), ("lattice", ())])?,
            _ if matches!(region.shape, Shape::Union(_) | Shape::Intersect(_)) => {
                let error = args.error(word, "a union or an intersection does not move itself");
                return Err(error.help("let the regions move that it is made of"));
            }
            2 => region.motion.get_or_insert_default().shift(args)?,
            _ => region.motion.get_or_insert_default().turn(args, scale)?,
        }
    }
    Ok(region)
}
