//! `fix ID GROUP ti/spring K TSWITCH TEQUIL [function 1|2]`: from the forces of the system to springs that tie each atom to where it was, and
//! back. It gives the work on the way. Forces become f = (1 - lambda) f - lambda K d (cl/fix/ti_spring.cl).
//!
//! Source: LAMMPS manual, `fix ti/spring`, and R. Freitas, M. Asta and M. de Koning, Comput. Mater. Sci. 112 (2016) 333.

use super::origins;
use crate::base::error::{Error, Result};
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::model::atoms::Atoms;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{
    DeviceFix, Fix, FixContext, FixMemory, FixOutput, FixSums, Header, HostFix, StepContext,
};
use crate::session::snapshot::view::Snapshot;
use std::borrow::Cow;

/// When the springs come and go.
#[derive(Clone, Copy)]
struct Switching {
    /// The step at which the fix was defined.
    first: i64,
    /// Steps of a way, and steps before each of the two.
    way: i64,
    rest: i64,
    /// Whether lambda is smooth at the ends of a way, else a straight line.
    smooth: bool,
}

impl Switching {
    /// Lambda at a part of the way, from 0 to 1, and its slope there.
    fn along(self, t: f64) -> [f64; 2] {
        if !self.smooth {
            return [t, 1.0];
        }
        let [square, rest] = [t * t, t - 1.0];
        let lambda = ((((70.0 * t - 315.0) * t + 540.0) * t - 420.0) * t + 126.0) * square * square * t;
        [lambda, 630.0 * square * square * rest * rest * rest * rest]
    }

    /// Steps since the springs began to come; negative before.
    fn since(self, step: i64) -> i64 {
        step.saturating_sub(self.first).saturating_sub(self.rest)
    }

    /// Lambda at a step, and its slope per step.
    fn at(self, step: i64) -> [f64; 2] {
        let (since, way) = (self.since(step).max(0), self.way as f64);
        let back = since.saturating_sub(self.way + self.rest);
        let (part, sign) = match back < 0 {
            true => (since as f64 / way, 1.0),
            false => (1.0 - back as f64 / way, -1.0),
        };
        let [lambda, slope] = self.along(part.clamp(0.0, 1.0));
        [lambda, sign * slope / way]
    }
}

/// More steps than this are none of LAMMPS's numbers.
const MOST: usize = i32::MAX as usize;

struct TiSpring {
    header: Header,
    k: f64,
    switching: Switching,
    origins: Vec<[f64; 3]>,
    measured: FixSums,
}

/// Takes `K TSWITCH TEQUIL [function 1|2]`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let k = args.positive("the force constant")?;
    let way = args.count_up_to("the number of steps from force to springs", 1, MOST)? as i64;
    let rest = args.count_up_to("the number of steps before", 0, MOST)? as i64;
    let mut smooth = false;
    while !args.is_empty() {
        args.one_of("keyword of fix ti/spring", &[("function", ())])?;
        smooth = args.one_of("function", &[("1", false), ("2", true)])?;
    }
    let origins = origins::origins(session)?;
    let switching = Switching { first: session.clock.step, way, rest, smooth };
    Ok(Box::new(TiSpring { header, k, switching, origins, measured: FixSums::energy(0) }))
}

impl Fix for TiSpring {
    fn header(&self) -> &Header {
        &self.header
    }

    fn counts_steps(&self) -> bool {
        true
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }

    fn kept(&self) -> Option<&dyn FixMemory> {
        Some(self)
    }

    fn kept_mut(&mut self) -> Option<&mut dyn FixMemory> {
        Some(self)
    }
}

impl DeviceFix for TiSpring {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks {
            post_force: Some("ti_spring"),
            ..DeviceHooks::of(kernel_file!("fix/ti_spring.cl"))
        })
    }

    fn memory(&self) -> Cow<'_, [f64]> {
        Cow::Borrowed(self.origins.as_flattened())
    }

    fn measured(&self) -> Option<&FixSums> {
        Some(&self.measured)
    }

    fn varies(&self) -> bool {
        true
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let [lambda, _] = self.switching.at(now.step);
        let k = if self.switching.since(now.step) < 0 { 0.0 } else { self.k };
        Ok(vec![k, lambda])
    }
}

impl HostFix for TiSpring {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        if context.minimizing {
            let error = Error::new("forces that change with the steps have no energy to be minimized");
            return Err(error.help("write unfix before `minimize`, and define it anew behind"));
        }
        origins::check(&self.origins, context)
    }
}

impl FixOutput for TiSpring {
    fn shape(&self) -> Option<Shape> {
        Some(Shape { scalar: true, ..Shape::vector(2) })
    }

    /// The energy of the springs by themselves, as if lambda were 1; lambda, and its slope per step.
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        let vector = self.switching.at(system.session.clock.step).to_vec();
        Ok(Values { vector, ..self.measured.values() })
    }

    fn extensive(&self) -> bool {
        true
    }

    /// As in LAMMPS, where thermo output in `lj` units divides lambda, too.
    fn vector_extensive(&self) -> bool {
        true
    }
}

impl FixMemory for TiSpring {
    /// The step at which it was defined, and where atoms were.
    fn restart_state(&self) -> Option<Vec<f64>> {
        Some([&[self.switching.first as f64], self.origins.as_flattened()].concat())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let (first, origins) = numbers.split_first().unwrap_or((&0.0, &[]));
        self.origins = origins::restored(origins)?;
        self.switching.first = *first as i64;
        Ok(())
    }

    fn ids_changed(&mut self, ids: &[(u32, u32)]) {
        origins::renumber(&mut self.origins, ids);
    }

    fn atoms_added(&mut self, new: &Atoms) -> Result<()> {
        origins::add(&mut self.origins, new);
        Ok(())
    }
}
