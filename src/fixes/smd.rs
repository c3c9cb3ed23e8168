//! `fix ID GROUP smd cvel K V|cfor F tether X Y Z R0|couple GROUP X Y Z R0`: a spring pulls a group at a constant velocity, or a constant
//! force does (cl/fix/smd.cl). Source: LAMMPS manual, `fix smd`; S. Izrailev and others, Biophys. J. 72 (1997) 1568.

use crate::base::error::Result;
use crate::base::vector::norm;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{
    DeviceFix, Fix, FixContext, FixMemory, FixOutput, Header, HostFix, StepContext, restored,
};
use crate::session::snapshot::view::Snapshot;
use std::cell::Cell;

/// A way no longer than this has no direction.
const SMALL: f64 = 1e-3;

#[derive(Clone, Copy)]
enum Pull {
    /// Force constant and velocity.
    Velocity(f64, f64),
    Force(f64),
}

/// One component of the point, or of the way to the other group.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    /// It does not count.
    Free,
    /// As it is.
    Auto,
    At(f64),
}

/// What goes on from step to step.
#[derive(Clone, Copy, Default)]
struct State {
    /// How long the spring's end has got.
    length: f64,
    way: [f64; 3],
    /// The work so far.
    work: f64,
}

struct Smd {
    header: Header,
    pull: Pull,
    /// The other group as a mask; 0: a point.
    other: u32,
    target: [Target; 3],
    rest: f64,
    state: Cell<State>,
    /// The step of this run whose forces are known, and the state before it.
    known: Cell<Option<(i64, State)>>,
    /// The force on the group, how long the way is.
    force: Cell<[f64; 3]>,
    now: Cell<f64>,
    /// The part of that force along the way.
    along: Cell<f64>,
    masses: Cell<[f64; 2]>,
}

/// Takes how it pulls, and at what.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let pull = match args.one_of("kind of pulling", &[("cvel", true), ("cfor", false)])? {
        true => Pull::Velocity(args.f64("the force constant")?, args.f64("the velocity")?),
        false => Pull::Force(args.f64("the force")?),
    };
    let mut other = 0;
    if args.one_of("kind of spring", &[("tether", false), ("couple", true)])? {
        let word = args.peek();
        other = session.system.groups.arg(args)?;
        if let Some(word) = word.filter(|_| other == header.group) {
            return Err(args.error(word, "a group cannot be coupled to itself"));
        }
    }
    let mut target = [Target::Free; 3];
    for component in &mut target {
        *component = match () {
            () if args.accept("NULL") => Target::Free,
            () if other != 0 && args.accept("auto") => Target::Auto,
            () => Target::At(args.f64("a coordinate, or NULL")?),
        };
    }
    let rest = args.not_negative("the length at rest")?;
    let (state, known, force, now, along, masses) = Default::default();
    Ok(Box::new(Smd { header, pull, other, target, rest, state, known, force, now, along, masses }))
}

fn along(x: [f64; 3], by: f64) -> [f64; 3] {
    x.map(|x| x * by)
}

impl Smd {
    /// The centres of the group and of the other one.
    fn centres(&self, system: &Snapshot<'_>) -> Result<[[f64; 3]; 2]> {
        let of = |group: u32| system.of_group(group, None).centre();
        Ok([of(self.header.group)?, if self.other == 0 { [0.0; 3] } else { of(self.other)? }])
    }

    /// The components that count.
    fn counting(&self, x: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|d| if self.target[d] == Target::Free { 0.0 } else { x[d] })
    }

    fn at(&self, d: usize) -> f64 {
        if let Target::At(x) = self.target[d] { x } else { 0.0 }
    }

    /// The way that the run begins with.
    fn begin(&self, [own, other]: [[f64; 3]; 2]) -> State {
        let way = self.counting(std::array::from_fn(|d| match (self.other, self.target[d]) {
            (0, _) => self.at(d) - own[d],
            (_, Target::Auto) => other[d] - own[d],
            _ => self.at(d),
        }));
        let length = norm(way);
        let way = if length > SMALL { along(way, 1.0 / length) } else { [0.0; 3] };
        State { length, way, ..self.state.get() }
    }

    /// The force on the group, how long the way is, and the state at the end of a step.
    fn step(&self, [own, other]: [[f64; 3]; 2], mut state: State, dt: f64) -> ([f64; 3], f64, State) {
        let full: [f64; 3] = match self.other {
            0 => std::array::from_fn(|d| self.at(d) - own[d]),
            _ => std::array::from_fn(|d| other[d] - own[d]),
        };
        if self.other != 0 {
            let way = self.counting(std::array::from_fn(|d| match self.target[d] {
                Target::Auto => full[d],
                _ => state.way[d] * state.length,
            }));
            let r = norm(way);
            if r > SMALL {
                state.way = along(way, 1.0 / r);
            }
        }
        let way = self.counting(full);
        let force = match self.pull {
            Pull::Velocity(k, v) => {
                let (spring, reached) = match self.other {
                    0 => (way, self.rest + state.length),
                    _ => (
                        self.counting(std::array::from_fn(|d| full[d] - state.way[d] * state.length)),
                        self.rest,
                    ),
                };
                let r = norm(spring);
                let force = if r > SMALL { along(spring, k * (r - reached) / r) } else { [0.0; 3] };
                let moved = match self.other {
                    0 => -v * dt,
                    _ => v.abs() * dt,
                };
                state.work += moved * (0..3).map(|d| force[d] * state.way[d]).sum::<f64>();
                state.length += v * dt;
                force
            }
            Pull::Force(size) => {
                state.length = norm(way);
                match self.other {
                    0 => along(way, size / state.length.max(f64::MIN_POSITIVE)),
                    _ => along(state.way, size),
                }
            }
        };
        (force, norm(full), state)
    }
}

impl Fix for Smd {
    fn header(&self) -> &Header {
        &self.header
    }

    fn minimizes(&self) -> bool {
        false
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

impl DeviceFix for Smd {
    fn groups(&self) -> u32 {
        self.header.group | self.other
    }

    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks { post_force: Some("smd"), ..DeviceHooks::of(kernel_file!("fix/smd.cl")) })
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let groups = [self.header.group, self.other].map(f64::from);
        let per_mass = |k: usize| along(self.force.get(), 1.0 / self.masses.get()[k].max(f64::MIN_POSITIVE));
        Ok(groups.into_iter().chain(per_mass(0)).chain(per_mass(1)).chain(now.mass()).collect())
    }
}

impl HostFix for Smd {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        let system = context.system();
        // A minimization goes on with the way of the run before it, as in LAMMPS.
        if !(context.minimizing && self.state.get().length > 0.0) {
            self.state.set(self.begin(self.centres(&system)?));
        }
        if context.minimizing {
            return Ok(());
        }
        let of = |group: u32| system.of_group(group, None).mass();
        self.masses.set([of(self.header.group)?, if self.other == 0 { 1.0 } else { of(self.other)? }]);
        self.known.set(None);
        Ok(())
    }

    fn next(&self, step: i64) -> Option<i64> {
        Some(step + 1)
    }

    /// The forces of a step may be asked for again: the state goes on once.
    fn post_force(&self, context: &mut FixContext<'_>) -> Result<()> {
        if context.minimizing {
            return Ok(());
        }
        let clock = &context.session.clock;
        let before = match self.known.get() {
            Some((step, before)) if step == clock.step => before,
            _ => self.state.get(),
        };
        self.known.set(Some((clock.step, before)));
        let (force, now, state) = self.step(self.centres(&context.system())?, before, clock.dt);
        self.force.set(force);
        self.along.set(match self.pull {
            Pull::Velocity(..) => (0..3).map(|d| force[d] * state.way[d]).sum(),
            Pull::Force(size) => size,
        });
        self.now.set(now);
        self.state.set(state);
        Ok(())
    }
}

impl FixOutput for Smd {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::vector(7))
    }

    /// The force on the group, its part along the way, how long the spring's end has got, how long the way is, and the work.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        let (force, state) = (self.force.get(), self.state.get());
        let [x, y, z] = force;
        Ok(Values::vector(vec![x, y, z, self.along.get(), state.length, self.now.get(), state.work]))
    }

    fn vector_extensive(&self) -> bool {
        true
    }
}

impl FixMemory for Smd {
    /// The work; the rest begins anew with a run.
    fn restart_state(&self) -> Option<Vec<f64>> {
        Some(vec![self.state.get().work])
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let [work] = restored(numbers)?;
        self.state.set(State { work, ..self.state.get() });
        Ok(())
    }
}
