//! `fix ID GROUP deform N AXIS STYLE ...`: the box changes as it is told. Source: LAMMPS manual.

mod arguments;
mod tilt;

use crate::base::error::{Error, Result};
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::model::domain::{Domain, Flow};
use crate::session::Session;
use crate::session::fix::{
    BoxChange, DeviceFix, Fix, FixContext, FixMemory, Header, HostFix, StepContext, restored,
};
use arguments::Change;
pub(crate) use arguments::new;
use std::cell::Cell;
use std::f64::consts::TAU;
use tilt::Lean;

/// How the group's atoms follow the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remap {
    /// Their positions change with it.
    Positions,
    /// Their velocities change where they cross its faces.
    Velocities,
    /// Not at all.
    No,
}

/// Corners and tilts of a box.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Frame {
    lo: [f64; 3],
    hi: [f64; 3],
    /// xy xz yz.
    tilt: [f64; 3],
}

impl Frame {
    fn of(domain: &Domain) -> Self {
        Frame { lo: domain.lo, hi: domain.hi, tilt: domain.tilt }
    }

    fn length(&self, d: usize) -> f64 {
        self.hi[d] - self.lo[d]
    }
}

/// A way that the box goes, and how far along a step is.
struct Part {
    /// The box where it begins.
    start: Frame,
    /// The time since then, and that of all of it.
    time: f64,
    whole: f64,
    fraction: f64,
}

struct Deform {
    header: Header,
    every: i64,
    changes: [Option<Change>; 3],
    /// Of xy, xz, yz.
    leans: [Option<Lean>; 3],
    remap: Remap,
    /// Whether a box that leans too far is flipped.
    flip: bool,
    /// The box when the fix was defined.
    defined: Frame,
    /// The step from which rates and times count, the time step and the box there.
    since: Cell<i64>,
    dt: Cell<f64>,
    start: Cell<Frame>,
    /// The box from which what is to be at the end of the span is reached.
    before: Cell<Frame>,
    /// It comes from a restart file, and has not run since.
    resumed: Cell<bool>,
    /// For the device: factor of positions, the lower corner before and after, the factors off the diagonal.
    remapping: Cell<[[f64; 3]; 4]>,
}

const AXES: [&str; 3] = ["x", "y", "z"];
const TILTS: [&str; 3] = ["xy", "xz", "yz"];
/// The axis that each tilt is along, and the one whose edge leans.
const ALONG: [usize; 3] = [0, 0, 1];
const OVER: [usize; 3] = [1, 2, 2];
/// No change of positions.
const STAY: [[f64; 3]; 4] = [[1.0; 3], [0.0; 3], [0.0; 3], [0.0; 3]];

impl Deform {
    /// The box at a step, in which what is not told is as `now`, and how fast it changes there.
    fn at(&self, moment: &StepContext<'_>, now: &Domain) -> Result<(Frame, Flow)> {
        let mut to = Frame::of(now);
        let (mut rate, mut lo_rate) = ([0.0; 6], [0.0; 3]);
        for (d, change) in self.changes.iter().enumerate() {
            let of_span = matches!(change, Some(Change::Final(..) | Change::Delta(..) | Change::Scale(_)));
            let Part { start, time, whole, fraction } = self.part(moment, of_span);
            let steady = |way: f64| if whole == 0.0 { 0.0 } else { way / whole };
            let length = start.length(d);
            // How far each face has moved outwards, and how fast the two do.
            let (outwards, speed) = match change {
                None | Some(Change::Volume) => continue,
                Some(Change::TrueRate(true_rate)) => {
                    let speed = 0.5 * true_rate * now.lengths()[d];
                    ([0.5 * ((true_rate * time).exp() - 1.0) * length; 2], [speed; 2])
                }
                Some(Change::Wiggle(amplitude, period)) => {
                    let phase = TAU * time / period;
                    let speed = 0.5 * amplitude * TAU / period * phase.cos();
                    ([0.5 * amplitude * phase.sin(); 2], [speed; 2])
                }
                Some(Change::Variable(change, rate)) => {
                    ([0.5 * moment.value(change)?; 2], [0.5 * moment.value(rate)?; 2])
                }
                Some(linear) => {
                    let ways = match linear {
                        Change::Final(to_lo, to_hi) => [start.lo[d] - to_lo, to_hi - start.hi[d]],
                        Change::Delta(by_lo, by_hi) => [-by_lo, *by_hi],
                        Change::Scale(factor) => [0.5 * (factor - 1.0) * length; 2],
                        Change::Velocity(velocity) => [0.5 * whole * velocity; 2],
                        Change::Rate(rate) => [0.5 * whole * rate * length; 2],
                        _ => [0.0; 2],
                    };
                    (ways.map(|way| fraction * way), ways.map(steady))
                }
            };
            (to.lo[d], to.hi[d]) = (start.lo[d] - outwards[0], start.hi[d] + outwards[1]);
            (rate[d], lo_rate[d]) = (speed[0] + speed[1], -speed[0]);
        }
        self.keep_volume(&self.start.get(), &mut to);
        for d in (0..3).filter(|&d| self.changes[d] == Some(Change::Volume)) {
            let elapsed = self.every as f64 * moment.session.clock.dt();
            lo_rate[d] = (to.lo[d] - now.lo[d]) / elapsed;
            rate[d] = (to.hi[d] - now.hi[d]) / elapsed - lo_rate[d];
        }
        for (k, lean) in self.leans.iter().enumerate() {
            let Some(lean) = lean else { continue };
            let Part { start, time, whole, fraction } = self.part(moment, lean.is_of_span());
            let from = [start.tilt[k], start.length(OVER[k]), now.tilt[k]];
            let [tilt, speed] = lean.at(moment, [time, whole, fraction], from)?;
            to.tilt[k] = tilt::nearest(tilt, now.tilt[k], now.lengths()[ALONG[k]], to.length(ALONG[k]));
            rate[3 + k] = speed;
        }
        let carried = if self.remap == Remap::Velocities { self.header.group } else { 0 };
        Ok((to, Flow { rate, lo_rate, carried }))
    }

    /// How far a step is on the way: over the span, or since rates and times count.
    fn part(&self, moment: &StepContext<'_>, of_span: bool) -> Part {
        let [begin, end] = moment.span;
        let (start, begin) =
            if of_span { (self.before.get(), begin) } else { (self.start.get(), self.since.get()) };
        // Where the time step changes on the way, LAMMPS has steady rates by that of the beginning, others by that of now.
        let time = (moment.step - begin) as f64 * moment.session.clock.dt();
        let whole = (end - begin) as f64 * self.dt.get();
        let fraction = if end > begin { (moment.step - begin) as f64 / (end - begin) as f64 } else { 0.0 };
        Part { start, time, whole, fraction }
    }

    /// Takes note of the span of a run that begins, in the box as it is now.
    fn begin_span(&self, span: [i64; 2], session: &Session, now: &Domain) {
        let start = self.starts_from(span, session, now);
        self.since.set(span[0]);
        self.dt.set(session.clock.dt);
        self.start.set(start);
        self.before.set(start);
    }

    /// Axes with the word volume make up for the others, by the same factor where there are two.
    fn keep_volume(&self, start: &Frame, to: &mut Frame) {
        let kept = |d: usize| self.changes[d] == Some(Change::Volume);
        let told = |d: usize| self.changes[d].is_some() && !kept(d);
        let ratio: f64 = (0..3).filter(|&d| told(d)).map(|d| start.length(d) / to.length(d)).product();
        let share = 1.0 / (0..3).filter(|&d| kept(d)).count().max(1) as f64;
        for d in (0..3).filter(|&d| kept(d)) {
            let half = 0.5 * start.length(d) * ratio.powf(share);
            let middle = 0.5 * (start.lo[d] + start.hi[d]);
            (to.lo[d], to.hi[d]) = (middle - half, middle + half);
        }
    }

    /// The box that a span starts from: that at its first step, or, where this is a later part of it, that when the fix was
    /// defined.
    fn starts_from(&self, span: [i64; 2], session: &Session, now: &Domain) -> Frame {
        if span[0] == session.clock.step { Frame::of(now) } else { self.defined }
    }

    /// How positions change, for the device.
    fn map(&self, before: &Domain, after: &Domain) -> [[f64; 3]; 4] {
        if !self.takes_atoms_along() {
            return STAY;
        }
        let [x, y, z, xy, xz, yz] = before.map_to(after.lo, after.hi, after.tilt);
        // Positions stay as they are to the last bit where faces do, which the device may have moved meanwhile.
        let stays = |d: usize| !before.triclinic && self.changes[d].is_none();
        let [low, next] =
            [before.lo, after.lo].map(|lo| std::array::from_fn(|d| if stays(d) { 0.0 } else { lo[d] }));
        [[x, y, z], low, next, [xy, xz, yz]]
    }

    /// By how many edges a box is to be flipped.
    fn flips(&self, domain: &Domain) -> [i32; 3] {
        let leans = self.flip && self.leans != [const { None }; 3];
        if leans { domain.flips(0.5) } else { [0; 3] }
    }

    /// That flips of yz leave xz alone: they would change it at each flip where xy changes too.
    fn check_flips(&self, context: &FixContext<'_>) -> Result<()> {
        let [Some(_), _, Some(yz)] = &self.leans else { return Ok(()) };
        let Part { start, whole, .. } = self.part(&context.moment(), yz.is_of_span());
        let farthest = yz.farthest(start.tilt[2], start.length(2), whole);
        match farthest {
            Some(tilt) if !self.flip || tilt <= 0.5 * start.length(1) => Ok(()),
            _ if !self.flip => Ok(()),
            _ => Err(Error::new("yz would flip the box while xy changes")
                .help("change only one of the two, or take flip no")),
        }
    }
}

impl Fix for Deform {
    fn header(&self) -> &Header {
        &self.header
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn box_change(&self) -> Option<&dyn BoxChange> {
        Some(self)
    }

    fn kept(&self) -> Option<&dyn FixMemory> {
        Some(self)
    }

    fn kept_mut(&mut self) -> Option<&mut dyn FixMemory> {
        Some(self)
    }
}

impl DeviceFix for Deform {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks {
            end_with_host: Some("follow_box"),
            ..DeviceHooks::of(kernel_file!("fix/follow_box.cl"))
        })
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let ahead = now.domain().zip(now.next_domain());
        let remapping = ahead.map_or(self.remapping.get(), |(before, after)| self.map(before, after));
        Ok(remapping.concat())
    }

    fn varies(&self) -> bool {
        self.takes_atoms_along()
    }
}

impl HostFix for Deform {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        context.simulation.allow_box_changes()?;
        if context.session.fixes.iter().filter(|fix| fix.header().style == self.header.style).count() > 1 {
            return Err(Error::new("there can only be one fix deform"));
        }
        self.begin_span(context.span, context.session, &context.simulation.domain);
        let start = self.start.get();
        for (k, lean) in self.leans.iter().enumerate() {
            if matches!(lean, Some(Lean::TrueRate(_))) && start.tilt[k] == 0.0 {
                let message = format!("trate cannot change {}, which is 0", TILTS[k]);
                return Err(Error::new(message).help("take erate, or a box that leans"));
            }
        }
        self.check_flips(context)
    }

    /// Rates and times count on. What is to be reached at the end of a span of its own is so from where the box is.
    fn go_on(&self, context: &mut FixContext<'_>) -> Result<()> {
        let (span, domain) = (context.span, &context.simulation.domain);
        match span[0] == context.session.clock.step {
            true => self.before.set(Frame::of(domain)),
            false => self.begin_span(span, context.session, domain),
        }
        self.check_flips(context)
    }

    fn next(&self, step: i64) -> Option<i64> {
        Some(step + self.every - step.rem_euclid(self.every))
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        let before = context.simulation.domain.clone();
        let (after, flow) = self.at(&context.moment(), &before)?;
        context.simulation.domain.flow = flow;
        context.simulation.set_tilted_box(after.lo, after.hi, after.tilt)?;
        let domain = &context.simulation.domain;
        self.remapping.set(self.map(&before, domain));
        let flips = self.flips(domain);
        if flips != [0; 3] {
            context.simulation.flip_box(flips);
        }
        Ok(())
    }
}

impl BoxChange for Deform {
    fn changes_box(&self) -> bool {
        true
    }

    fn box_is_predictable(&self) -> bool {
        // What variables say may be random: they are asked once for each step.
        !self.changes.iter().any(|change| matches!(change, Some(Change::Variable(..))))
            && !self.leans.iter().any(|lean| matches!(lean, Some(Lean::Variable(..))))
    }

    fn box_at_next_step(&self, now: &StepContext<'_>, domain: &Domain) -> Option<Domain> {
        if now.step % self.every != 0 {
            return Some(domain.clone());
        }
        let (Frame { lo, hi, tilt }, flow) = self.at(now, domain).ok()?;
        let after = Domain { lo, hi, tilt, flow, ..domain.clone() };
        let sound = after.lengths().iter().all(|&length| length > 0.0 && length.is_finite())
            && tilt.iter().all(|tilt| tilt.is_finite());
        (sound && self.flips(&after) == [0; 3]).then_some(after)
    }

    fn told_axes(&self) -> Option<[bool; 3]> {
        let keeps_volume = self.changes.contains(&Some(Change::Volume));
        let alone = self.box_is_predictable() && !keeps_volume && self.leans == [const { None }; 3];
        (alone && self.remap != Remap::Velocities).then(|| std::array::from_fn(|d| self.changes[d].is_some()))
    }

    fn takes_atoms_along(&self) -> bool {
        self.remap == Remap::Positions
    }

    fn box_rate(&self, session: &Session, span: [i64; 2]) -> Option<Flow> {
        let domain = session.domain().ok()?;
        self.begin_span(span, session, domain);
        // What is not steady has no rate before its first step, but goes on with one.
        let before = if self.resumed.take() { domain.flow } else { Flow::default() };
        let steady = |change: &Option<Change>| {
            !matches!(
                change,
                Some(Change::TrueRate(_) | Change::Wiggle(..) | Change::Variable(..) | Change::Volume)
            )
        };
        let steady_tilt = |lean: &Option<Lean>| {
            !matches!(lean, Some(Lean::TrueRate(_) | Lean::Wiggle(..) | Lean::Variable(..)))
        };
        let (_, mut flow) = self.at(&StepContext::draft_of(session, span), domain).ok()?;
        for d in 0..3 {
            if !steady(&self.changes[d]) {
                (flow.rate[d], flow.lo_rate[d]) = (before.rate[d], before.lo_rate[d]);
            }
            if !steady_tilt(&self.leans[d]) {
                flow.rate[3 + d] = before.rate[3 + d];
            }
        }
        Some(flow)
    }
}

impl FixMemory for Deform {
    fn restart_state(&self) -> Option<Vec<f64>> {
        let Frame { lo, hi, tilt } = self.defined;
        Some([lo, hi, tilt].concat())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let [x0, y0, z0, x1, y1, z1, xy, xz, yz] = restored(numbers)?;
        self.resumed.set(true);
        self.defined = Frame { lo: [x0, y0, z0], hi: [x1, y1, z1], tilt: [xy, xz, yz] };
        Ok(())
    }
}
