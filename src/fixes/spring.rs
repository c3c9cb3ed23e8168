//! `fix spring`: a spring between a group's centre of mass and a point, or another group's (cl/fix/spring.cl). Source:
//! LAMMPS manual, `fix spring`.

use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::Values;
use crate::session::fix::{DeviceFix, Fix, FixOutput, FixSums, Header, StepContext};
use crate::session::snapshot::view::Snapshot;
use std::cell::Cell;

struct Spring {
    header: Header,
    k: f64,
    /// The other group as a mask; 0: a point.
    other: u32,
    /// The point, or the separation of the centres; directions that do not count are `None`.
    target: [Option<f64>; 3],
    length: f64,
    /// Mass times position, and mass, of the group and of the other one.
    measured: FixSums,
    /// `fix_modify energy`.
    counts: Cell<bool>,
}

/// The state of the spring.
struct Pull {
    /// Force on the group in all.
    force: [f64; 3],
    /// The same along the spring: positive where it is too long.
    tension: f64,
    energy: f64,
}

/// A spring no longer than this has no direction.
const SMALL: f64 = 1e-10;

/// Takes `tether K X Y Z R0` or `couple GROUP K X Y Z R0`; X, Y, Z may be NULL.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let mut other = 0;
    if args.one_of("kind of spring", &[("tether", false), ("couple", true)])? {
        let word = args.peek();
        other = session.system.groups.arg(args)?;
        if let Some(word) = word.filter(|_| other == header.group) {
            return Err(args.error(word, "a group cannot be coupled to itself"));
        }
    }
    let k = args.f64("the force constant")?;
    let mut target = [None; 3];
    for component in &mut target {
        if !args.accept("NULL") {
            *component = Some(args.f64("a coordinate of the point, or NULL")?);
        }
    }
    let word = args.peek();
    let length = args.f64("the length at rest")?;
    if let Some(word) = word.filter(|_| length < 0.0) {
        return Err(args.error(word, "the length at rest cannot be negative"));
    }
    let measured = FixSums::vector(0).with_own(8);
    Ok(Box::new(Spring { header, k, other, target, length, measured, counts: Cell::new(false) }))
}

impl Spring {
    /// With the centres that were measured last; none before.
    fn pull(&self) -> Pull {
        let sums = self.measured.own();
        if sums[3] == 0.0 {
            return Pull { force: [0.0; 3], tension: 0.0, energy: 0.0 };
        }
        let centre = |first: usize, d: usize| sums[first + d] / sums[first + 3].max(f64::MIN_POSITIVE);
        let separation: [f64; 3] = std::array::from_fn(|d| match (self.target[d], self.other) {
            (None, _) => 0.0,
            (Some(x), 0) => x - centre(0, d),
            (Some(x), _) => centre(4, d) - centre(0, d) - x,
        });
        let r = separation.iter().map(|x| x * x).sum::<f64>().sqrt().max(SMALL);
        let stretch = r - self.length;
        let force = separation.map(|x| self.k * x * stretch / r);
        let size = force.iter().map(|x| x * x).sum::<f64>().sqrt();
        Pull { force, tension: size.copysign(stretch), energy: 0.5 * self.k * stretch * stretch }
    }
}

impl Fix for Spring {
    fn header(&self) -> &Header {
        &self.header
    }

    fn modify(&mut self, keyword: &str, args: &mut Args<'_>) -> Result<bool> {
        if keyword == "energy" {
            self.counts.set(args.yes_no()?);
        }
        Ok(keyword == "energy")
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }
}

impl DeviceFix for Spring {
    fn groups(&self) -> u32 {
        self.header.group | self.other
    }

    fn hooks(&self) -> Option<DeviceHooks> {
        let of = DeviceHooks::of(kernel_file!("fix/spring.cl"));
        Some(DeviceHooks { pre_force_sum: Some("add_centres"), post_force: Some("spring"), ..of })
    }

    fn measured(&self) -> Option<&FixSums> {
        Some(&self.measured)
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let spring = [f64::from(self.header.group), f64::from(self.other), self.k, self.length];
        let target = self.target.map(|x| x.unwrap_or(0.0));
        let counts = self.target.map(|x| f64::from(u8::from(x.is_some())));
        Ok(spring.into_iter().chain(target).chain(counts).chain(now.mass()).collect())
    }
}

impl FixOutput for Spring {
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        let Pull { force: [x, y, z], tension, energy, .. } = self.pull();
        Ok(Values { scalar: Some(energy), vector: vec![x, y, z, tension], ..Values::default() })
    }

    fn potential_energy(&self, _: &Snapshot<'_>) -> f64 {
        if self.counts.get() { self.pull().energy } else { 0.0 }
    }
}
