//! `fix momentum`: takes off the motion of a group as a whole (cl/fix/momentum.cl). Source: LAMMPS manual,
//! `fix momentum`.

use crate::base::error::Result;
use crate::base::steps::next_multiple;
use crate::base::vector::cross;
use crate::engine::analysis::group_sums::SumTerm;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, FixContext, Header, HostFix, StepContext};
use std::cell::Cell;

struct Momentum {
    header: Header,
    every: u64,
    stopped: Stopped,
    motion: Cell<Motion>,
}

/// What of a motion is taken off.
#[derive(Default)]
pub(super) struct Stopped {
    /// 1 for the directions in which the centre of mass is stopped.
    pub(super) linear: [f64; 3],
    pub(super) angular: bool,
    /// The kinetic energy stays.
    pub(super) rescale: bool,
}

impl Stopped {
    /// Takes `linear X Y Z` (0 or 1), `angular`, `rescale`, at least one of them; `what` they are.
    pub(super) fn read(what: &str, args: &mut Args<'_>) -> Result<Self> {
        let mut stopped = Stopped::default();
        if args.is_empty() {
            args.word("linear or angular")?;
        }
        while !args.is_empty() {
            match args.one_of(what, &[("linear", 0), ("angular", 1), ("rescale", 2)])? {
                0 => {
                    for linear in &mut stopped.linear {
                        *linear = args.one_of("choice", &[("0", 0.0), ("1", 1.0)])?;
                    }
                }
                1 => stopped.angular = true,
                _ => stopped.rescale = true,
            }
        }
        Ok(stopped)
    }
}

/// The motion of a group.
#[derive(Clone, Copy, Default)]
struct Motion {
    drift: [f64; 3],
    /// Angular velocity about the centre.
    turn: [f64; 3],
    centre: [f64; 3],
    /// What velocities without it are multiplied by.
    factor: f64,
}

/// Takes `N`, `linear X Y Z` (0 or 1), `angular`, `rescale`.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("the number of steps between", 1)?;
    let stopped = Stopped::read("fix momentum keyword", args)?;
    Ok(Box::new(Momentum { header, every, stopped, motion: Cell::default() }))
}

impl Fix for Momentum {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        true
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }
}

impl DeviceFix for Momentum {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks {
            end_with_host: Some("momentum"),
            ..DeviceHooks::of(kernel_file!("fix/momentum.cl"))
        })
    }

    fn parameters(&self, _: &StepContext<'_>) -> Result<Vec<f64>> {
        let Motion { drift, turn, centre, factor } = self.motion.get();
        Ok([&drift[..], &turn, &centre, &[factor]].concat())
    }
}

impl HostFix for Momentum {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        let system = context.system();
        system.prepare(&[&SumTerm::PLACE, &SumTerm::MOMENTUM])?;
        if !context.session.system.groups.is_dynamic(self.header.group) {
            context.check_members(&self.header)?;
        }
        if self.stopped.angular {
            system.prepare(&[&SumTerm::SPREAD, &SumTerm::ANGULAR_MOMENTUM])
        } else {
            Ok(())
        }
    }

    fn next(&self, step: i64) -> Option<i64> {
        Some(next_multiple(step, self.every))
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        let system = context.system();
        let members = system.of_group(self.header.group, None);
        let mut motion = Motion { factor: 1.0, centre: members.centre()?, ..Motion::default() };
        let drift = members.drift()?;
        motion.drift = std::array::from_fn(|d| self.stopped.linear[d] * drift[d]);
        if self.stopped.angular {
            motion.turn = members.angular_velocity()?;
        }
        if self.stopped.rescale {
            let atoms = system.atoms()?;
            let [mut before, mut after] = [0.0; 2];
            for &i in members.list()? {
                let (x, mass) = (system.unwrapped(i)?, system.mass(atoms.kind[i]));
                let round = cross(motion.turn, std::array::from_fn(|d| x[d] - motion.centre[d]));
                let rest = std::array::from_fn(|d| atoms.v[i][d] - motion.drift[d] - round[d]);
                let square = |v: [f64; 3]| mass * v.iter().map(|v| v * v).sum::<f64>();
                (before, after) = (before + square(atoms.v[i]), after + square(rest));
            }
            motion.factor = if after > 0.0 { (before / after).sqrt() } else { 1.0 };
        }
        self.motion.set(motion);
        Ok(())
    }
}
