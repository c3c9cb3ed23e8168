//! `compute temp/ramp`: without a linear velocity profile. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::script::Args;
use crate::script::atom_expr::{AtomExpr, AtomProperty};
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Temperature, thermal_compute};
use crate::session::snapshot::view::Snapshot;

struct TempRamp {
    header: Header,
    /// The component of the velocity.
    component: usize,
    velocities: [f64; 2],
    /// The axis along which it changes.
    axis: usize,
    coordinates: [f64; 2],
}

/// Takes `vx 0 3 y 0 10`, and `units box` or `lattice`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let component = args.one_of("velocity component", &[("vx", 0), ("vy", 1), ("vz", 2)])?;
    let velocities = [args.f64("a lower velocity")?, args.f64("an upper velocity")?];
    let axis = args.one_of("axis", &[("x", 0), ("y", 1), ("z", 2)])?;
    let word = args.peek();
    let coordinates = [args.f64("a lower coordinate")?, args.f64("an upper coordinate")?];
    if let Some(word) = word.filter(|_| coordinates[0] == coordinates[1]) {
        return Err(args.error(word, "the coordinates of a ramp must differ"));
    }
    let scale = crate::session::units::units_keyword(session, args, "compute keyword")?;
    Ok(Box::new(TempRamp {
        header,
        component,
        velocities: velocities.map(|v| v * scale[component]),
        axis,
        coordinates: coordinates.map(|x| x * scale[axis]),
    }))
}

impl Compute for TempRamp {
    thermal_compute!();
}

impl Temperature for TempRamp {
    fn bias(&self, system: &Snapshot<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        let ([v_lo, v_hi], [x_lo, x_hi]) = (self.velocities, self.coordinates);
        let profile = |x: &[f64; 3]| {
            let fraction = ((x[self.axis] - x_lo) / (x_hi - x_lo)).clamp(0.0, 1.0);
            let mut flow = [0.0; 3];
            flow[self.component] = v_lo + fraction * (v_hi - v_lo);
            flow
        };
        Ok(Some(system.atoms()?.x.iter().map(profile).collect()))
    }

    fn bias_recipes(&self, _: &Snapshot<'_>) -> Result<Option<[AtomExpr; 3]>> {
        let ([v_lo, v_hi], [x_lo, x_hi]) = (self.velocities, self.coordinates);
        let fraction = (AtomExpr::own(AtomProperty::X(self.axis)) - x_lo) / (x_hi - x_lo);
        let fraction = fraction.greatest(AtomExpr::number(0.0)).least(AtomExpr::number(1.0));
        let mut flow = [0.0; 3].map(AtomExpr::number);
        flow[self.component] = AtomExpr::number(v_lo) + fraction * (v_hi - v_lo);
        Ok(Some(flow))
    }
}
