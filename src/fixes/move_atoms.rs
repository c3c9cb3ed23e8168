//! `fix move`: atoms on a prescribed way from where they were (cl/fix/move.cl). Source: LAMMPS manual, `fix move`.

use super::move_by::Variables;
use super::{faces, origins};
use crate::base::error::{Error, Result};
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::model::atoms::Atoms;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, FixContext, FixMemory, Header, HostFix, StepContext, restored};
use std::borrow::Cow;

/// The way.
enum Way {
    /// Velocity; `None`: this direction follows the forces.
    Linear([Option<f64>; 3]),
    /// Amplitude, angular frequency.
    Wiggle([Option<f64>; 3], f64),
    /// Velocity, a point of the axis, its direction (of length 1), angular frequency.
    Rotate([f64; 3], [f64; 3], [f64; 3], f64),
    /// Displacement and velocity by formulas; a direction with neither follows the forces.
    Variable(Box<Variables>),
}

struct Move {
    header: Header,
    way: Way,
    /// The step at which the fix was defined.
    begin: i64,
    origins: Vec<[f64; 3]>,
    /// What the device has by atom ID, where that is more than `origins`: room for velocities of single atoms, too.
    table: Vec<[f64; 3]>,
}

impl Move {
    /// The variables of single atoms, if there are some.
    fn of_atoms(&self) -> Option<&Variables> {
        match &self.way {
            Way::Variable(variables) if variables.differ() => Some(variables),
            _ => None,
        }
    }

    /// Makes room for the atoms that `origins` knows: the variables may turn out to be of style atom when a run begins.
    fn make_room(&mut self) {
        self.table = match self.way {
            Way::Variable(_) => [&self.origins[..], &vec![[0.0; 3]; self.origins.len()]].concat(),
            _ => Vec::new(),
        };
    }
}

/// Takes `linear VX VY VZ`, `wiggle AX AY AZ PERIOD`, `rotate PX PY PZ RX RY RZ PERIOD` or `transrot VX VY VZ PX PY PZ
/// RX RY RZ PERIOD`, `variable v_DX v_DY v_DZ v_VX v_VY v_VZ`, and `units`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let scale = faces::scale(session, args);
    let ways = [("linear", 0), ("wiggle", 1), ("rotate", 2), ("transrot", 3), ("variable", 4)];
    let style = args.one_of("way to move", &ways)?;
    let vector = |args: &mut Args<'_>, what: &str, scale: [f64; 3]| -> Result<[f64; 3]> {
        let mut vector = [0.0; 3];
        for (x, scale) in vector.iter_mut().zip(scale) {
            *x = scale * args.f64(what)?;
        }
        Ok(vector)
    };
    let some = |args: &mut Args<'_>| -> Result<[Option<f64>; 3]> {
        let mut vector = [None; 3];
        for (d, x) in vector.iter_mut().enumerate() {
            if args.accept("NULL") {
                continue;
            }
            let word = args.peek();
            *x = Some(scale[d] * args.f64("a component (a number or NULL)")?);
            if let Some(word) = word.filter(|_| d == 2 && session.system.dimension == 2 && *x != Some(0.0)) {
                return Err(args.error(word, "a 2d system does not move along z"));
            }
        }
        Ok(vector)
    };
    let frequency =
        |args: &mut Args<'_>| args.positive("the period").map(|period| std::f64::consts::TAU / period);
    let way = match style {
        0 => Way::Linear(some(args)?),
        1 => Way::Wiggle(some(args)?, frequency(args)?),
        4 => Way::Variable(Box::new(Variables::read(session, args)?)),
        style => {
            let velocity =
                if style == 3 { vector(args, "a component of the velocity", scale)? } else { [0.0; 3] };
            let point = vector(args, "a coordinate of a point of the axis", scale)?;
            let place = args.peek();
            let axis = vector(args, "a component of the axis", [1.0; 3])?;
            let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
            let off_plane = session.system.dimension == 2 && (axis[0] != 0.0 || axis[1] != 0.0);
            if let Some(word) = place.filter(|_| length == 0.0) {
                return Err(args.error(word, "the axis has no length"));
            }
            if let Some(word) = place.filter(|_| off_plane) {
                return Err(args.error(word, "a 2d system turns about z only"));
            }
            Way::Rotate(velocity, point, axis.map(|x| x / length), frequency(args)?)
        }
    };
    while !args.is_empty() {
        args.one_of("fix move keyword", &[("units", ())])?;
        faces::units(args)?;
    }
    let origins = origins::origins(session)?;
    let mut fix = Move { header, way, begin: session.clock.step, origins, table: Vec::new() };
    fix.make_room();
    Ok(Box::new(fix))
}

/// The matrix of a rotation by `angle` about a unit vector (Rodrigues), row by row.
fn rotation(axis: [f64; 3], angle: f64) -> [f64; 9] {
    let (sin, cos) = angle.sin_cos();
    let [x, y, z] = axis;
    let turn = [0.0, -z, y, z, 0.0, -x, -y, x, 0.0];
    std::array::from_fn(|k| {
        let (row, column) = (k / 3, k % 3);
        let one = if row == column { cos } else { 0.0 };
        one + sin * turn[k] + (1.0 - cos) * axis[row] * axis[column]
    })
}

impl Fix for Move {
    fn header(&self) -> &Header {
        &self.header
    }

    fn integrates(&self) -> bool {
        true
    }

    fn keeps_time_step(&self) -> bool {
        true
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn kept(&self) -> Option<&dyn FixMemory> {
        Some(self)
    }

    fn kept_mut(&mut self) -> Option<&mut dyn FixMemory> {
        Some(self)
    }
}

impl DeviceFix for Move {
    fn hooks(&self) -> Option<DeviceHooks> {
        let hooks = DeviceHooks::of(kernel_file!("fix/move.cl"));
        Some(match self.way {
            Way::Rotate(..) => DeviceHooks { initial_integrate: Some("move_round"), ..hooks },
            Way::Variable(_) => DeviceHooks {
                initial_integrate: Some("move_by"),
                final_integrate: Some("move_by_final"),
                ..hooks
            },
            _ => DeviceHooks {
                initial_integrate: Some("move_along"),
                final_integrate: Some("move_along_final"),
                ..hooks
            },
        })
    }

    fn memory(&self) -> Cow<'_, [f64]> {
        let rows = if self.table.is_empty() { &self.origins } else { &self.table };
        Cow::Borrowed(rows.as_flattened())
    }

    fn varies(&self) -> bool {
        true
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let time = (now.step - self.begin) as f64 * now.session.clock.dt;
        let (given, way, speed) = match &self.way {
            Way::Linear(v) => (v, v.map(|v| v.unwrap_or(0.0) * time), v.map(|v| v.unwrap_or(0.0))),
            Way::Wiggle(a, w) => {
                let (sin, cos) = (w * time).sin_cos();
                let amplitude = a.map(|a| a.unwrap_or(0.0));
                (a, amplitude.map(|a| a * sin), amplitude.map(|a| a * w * cos))
            }
            Way::Variable(variables) => {
                return Ok([variables.parameters(now, self.origins.len())?, now.kicks()].concat());
            }
            Way::Rotate(v, point, axis, w) => {
                let moved: [f64; 3] = std::array::from_fn(|d| v[d] * time);
                let turn = axis.map(|x| w * x);
                return Ok([&rotation(*axis, w * time)[..], point, &moved, v, &turn].concat());
            }
        };
        let given = given.map(|given| f64::from(u8::from(given.is_some())));
        Ok([&given[..], &way, &speed, &now.kicks()].concat())
    }
}

impl HostFix for Move {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.of_atoms().iter().for_each(|variables| variables.begin_run(context.session));
        origins::check(&self.origins, context)
    }

    fn needs_tally(&self) -> bool {
        self.of_atoms().is_some_and(Variables::tallies)
    }

    fn next(&self, step: i64) -> Option<i64> {
        self.of_atoms().map(|_| step + 1)
    }

    fn before_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        let Some(variables) = self.of_atoms() else { return Ok(()) };
        let table = variables.table(context, &self.origins)?;
        context.remember(&self.header, &table)
    }
}

impl FixMemory for Move {
    fn restart_state(&self) -> Option<Vec<f64>> {
        Some([&[self.begin as f64][..], &self.origins.concat()].concat())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let ([begin], origins) = (restored(&numbers[..numbers.len().min(1)])?, numbers.get(1..));
        self.begin = begin as i64;
        self.origins = origins::restored(origins.unwrap_or_default())?;
        self.make_room();
        Ok(())
    }

    fn ids_changed(&mut self, ids: &[(u32, u32)]) {
        origins::renumber(&mut self.origins, ids);
        self.make_room();
    }

    fn atoms_added(&mut self, new: &Atoms) -> Result<()> {
        origins::add(&mut self.origins, new);
        self.make_room();
        match new.mask.iter().any(|mask| mask & self.header.group != 0) {
            true => Err(Error::new("atoms that come during a run cannot be in its group")),
            false => Ok(()),
        }
    }
}
