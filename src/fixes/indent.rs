//! `fix indent`: a sphere, a cylinder, a cone or a plane that pushes atoms away (cl/fix/indent.cl). Source: LAMMPS manual,
//! `fix indent`.

use super::faces;
use crate::base::error::{Error, Result};
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, FixSums, Header, Quantity, StepContext};

/// What distance is measured from.
enum Kind {
    Sphere,
    /// Along this axis.
    Cylinder(usize),
    /// Along this axis, with the radii at its ends and where these are.
    Cone(usize, [Quantity; 4]),
    /// Across this axis.
    Plane(usize),
}

struct Indent {
    header: Header,
    /// Force over distance squared.
    k: f64,
    kind: Kind,
    /// 1: atoms are pushed towards greater distances, -1: towards smaller ones.
    side: f64,
    /// Centre; along the axis of a cylinder or cone 0.
    centre: [Quantity; 3],
    /// Radius, or place of the plane; not of a cone.
    size: Quantity,
    measured: FixSums,
}

/// Takes `K`, `sphere X Y Z R`, `cylinder AXIS C1 C2 R`, `cone AXIS C1 C2 R1 R2 LO HI` or `plane AXIS PLACE lo/hi`, and
/// `side`, `units`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let word = args.peek();
    let k = args.f64("the force constant")?;
    if let Some(word) = word.filter(|_| k < 0.0) {
        return Err(args.error(word, "the force constant cannot be negative"));
    }
    let scale = faces::scale(session, args);
    let axes = [("x", 0), ("y", 1), ("z", 2)];
    let mut centre = [const { Quantity::Number(0.0) }; 3];
    let what = "a coordinate of the centre";
    let mut side = 1.0;
    let shapes = [("sphere", 0), ("cylinder", 1), ("plane", 2), ("cone", 3)];
    let (kind, size) = match args.one_of("shape of the indenter", &shapes)? {
        0 => {
            for (d, centre) in centre.iter_mut().enumerate() {
                *centre = Quantity::read(session, args, what, scale[d])?;
            }
            (Kind::Sphere, Quantity::read(session, args, "the radius", scale[0])?)
        }
        1 => {
            let axis = args.one_of("axis", &axes)?;
            for d in (0..3).filter(|&d| d != axis) {
                centre[d] = Quantity::read(session, args, what, scale[d])?;
            }
            (Kind::Cylinder(axis), Quantity::read(session, args, "the radius", scale[0])?)
        }
        3 => {
            let axis = args.one_of("axis", &axes)?;
            for d in (0..3).filter(|&d| d != axis) {
                centre[d] = Quantity::read(session, args, what, scale[d])?;
            }
            let mut ends = [const { Quantity::Number(0.0) }; 4];
            let what = [
                "the radius at the lower end",
                "the radius at the upper end",
                "the lower end",
                "the upper end",
            ];
            for (end, what) in ends.iter_mut().zip(what) {
                *end = Quantity::read(session, args, what, scale[axis])?;
            }
            (Kind::Cone(axis, ends), Quantity::Number(0.0))
        }
        _ => {
            let axis = args.one_of("axis", &axes)?;
            let place = Quantity::read(session, args, "where the plane is", scale[axis])?;
            // lo: the indenter is below the plane, and pushes atoms up.
            side = args.one_of("side of the plane", &[("lo", 1.0), ("hi", -1.0)])?;
            (Kind::Plane(axis), place)
        }
    };
    while !args.is_empty() {
        if args.one_of("fix indent keyword", &[("side", true), ("units", false)])? {
            let inward = args.one_of("side", &[("out", 1.0), ("in", -1.0)])?;
            if !matches!(kind, Kind::Plane(_)) {
                side = inward;
            }
        } else {
            faces::units(args)?;
        }
    }
    let measured = FixSums::energy(3);
    Ok(Box::new(Indent { header, k, kind, side, centre, size, measured }))
}

impl Fix for Indent {
    fn header(&self) -> &Header {
        &self.header
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }
}

impl DeviceFix for Indent {
    fn hooks(&self) -> Option<DeviceHooks> {
        let force = match self.kind {
            Kind::Plane(_) => "indent_plane",
            Kind::Sphere | Kind::Cylinder(_) => "indent_round",
            Kind::Cone(..) => "indent_cone",
        };
        Some(DeviceHooks { post_force: Some(force), ..DeviceHooks::of(kernel_file!("fix/indent.cl")) })
    }

    fn measured(&self) -> Option<&FixSums> {
        Some(&self.measured)
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let axis = match self.kind {
            Kind::Sphere => -1.0,
            Kind::Cylinder(axis) | Kind::Plane(axis) | Kind::Cone(axis, _) => axis as f64,
        };
        let [x, y, z] = &self.centre;
        let mut centre = [now.value(x)?, now.value(y)?, now.value(z)?];
        let (mut size, mut end) = (now.value(&self.size)?, [0.0; 2]);
        if let Kind::Cone(axis, [first, last, lo, hi]) = &self.kind {
            let [lo, hi] = [now.value(lo)?, now.value(hi)?];
            if hi <= lo && !now.is_draft() {
                return Err(Error::new(format!("the cone has its lower end at {lo}, its upper one at {hi}")));
            }
            centre[*axis] = 0.5 * (lo + hi);
            size = now.value(first)?;
            end = [now.value(last)?, 0.5 * (hi - lo)];
        }
        if !matches!(self.kind, Kind::Plane(_)) && size.min(end[0]) < 0.0 {
            return Err(Error::new("the radius of the indenter cannot be negative"));
        }
        let [x, y, z] = centre;
        Ok(vec![self.k, self.side, axis, x, y, z, size, end[0], end[1]])
    }

    fn varies(&self) -> bool {
        let ends = match &self.kind {
            Kind::Cone(_, ends) => &ends[..],
            _ => &[],
        };
        self.size.varies() || self.centre.iter().chain(ends).any(Quantity::varies)
    }
}
