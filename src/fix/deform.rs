//! `fix ID GROUP deform N AXIS STYLE ...`: the box changes as it is told. Source: LAMMPS manual.

use super::{Fix, Header, Moment, Quantity, Stage, World, restored, snippet};
use crate::domain::Boundary;
use crate::error::Result;
use crate::lattice;
use crate::script::Args;
use crate::state::State;
use std::cell::Cell;
use std::f64::consts::TAU;

/// How the faces of an axis move over a run.
#[derive(Clone, Debug, PartialEq)]
enum Change {
    /// To these places.
    Final(f64, f64),
    /// By these.
    Delta(f64, f64),
    /// To this factor of the length.
    Scale(f64),
    /// The length at a constant rate.
    Velocity(f64),
    /// The same, per length at the start.
    Rate(f64),
    /// The logarithm of the length at a constant rate.
    TrueRate(f64),
    /// So that the volume stays.
    Volume,
    /// The length as a sine: amplitude, period.
    Wiggle(f64, f64),
    /// The length by a variable.
    Variable(Quantity),
}

struct Deform {
    header: Header,
    every: i64,
    changes: [Option<Change>; 3],
    /// Whether the group's atoms follow the box.
    remap: bool,
    /// The corners when the fix was defined, and at the start of the span.
    defined: [[f64; 3]; 2],
    start: Cell<[[f64; 3]; 2]>,
    /// For the device: factor of positions, the lower corner before and after.
    remapping: Cell<[[f64; 3]; 3]>,
}

const AXES: [&str; 3] = ["x", "y", "z"];

pub(super) fn new(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let domain = state.domain()?;
    let defined = [domain.lo, domain.hi];
    let mut fix = Deform {
        header,
        every: args.count("the number of steps between changes", 1)? as i64,
        changes: [const { None }; 3],
        remap: true,
        defined,
        start: Cell::new(defined),
        remapping: Cell::new([[1.0; 3], [0.0; 3], [0.0; 3]]),
    };
    let mut spacing = lattice::spacing(state.lattice.as_ref());
    let names = ["x", "y", "z", "xy", "xz", "yz", "remap", "units", "flip"].map(|name| (name, name));
    while let Some(word) = args.peek() {
        match args.one_of("keyword of fix deform", &names)? {
            "remap" => {
                let word = args.peek();
                match (args.one_of("way to remap", &[("x", "x"), ("v", "v"), ("none", "none")])?, word) {
                    ("v", Some(word)) => {
                        let error = args.unsupported(word, "way to remap");
                        return Err(error.help("take remap x or none"));
                    }
                    (way, _) => fix.remap = way == "x",
                }
            }
            "units" => {
                if args.one_of("units", &[("box", true), ("lattice", false)])? {
                    spacing = [1.0; 3];
                }
            }
            "flip" => {
                args.yes_no()?;
            }
            "z" if state.dimension == 2 => return Err(args.error(word, "the box of a 2d system keeps its z")),
            name => {
                let Some(axis) = AXES.iter().position(|axis| *axis == name) else {
                    return Err(args
                        .unsupported(word, "part of fix deform")
                        .help("boxes are orthogonal: take x, y or z"));
                };
                if domain.boundary[axis]
                    .iter()
                    .any(|face| matches!(face, Boundary::Shrink | Boundary::ShrinkMin))
                {
                    let message =
                        format!("the box is shrink-wrapped along {name}, where it is to be deformed");
                    return Err(args.error(word, message));
                }
                fix.changes[axis] = Some(change(state, args)?);
            }
        }
    }
    for (change, unit) in fix.changes.iter_mut().zip(spacing) {
        match change {
            Some(Change::Final(lo, hi) | Change::Delta(lo, hi)) => (*lo, *hi) = (*lo * unit, *hi * unit),
            Some(Change::Velocity(x) | Change::Wiggle(x, _)) => *x *= unit,
            _ => {}
        }
    }
    if !fix.changes.iter().flatten().any(|change| *change != Change::Volume) {
        return Err(
            args.error_here("fix deform needs an axis whose length it is told, beside those with volume")
        );
    }
    Ok(Box::new(fix))
}

/// Takes how one axis changes.
fn change(state: &State, args: &mut Args<'_>) -> Result<Change> {
    let names = ["final", "delta", "scale", "vel", "erate", "trate", "volume", "wiggle", "variable"];
    Ok(match args.one_of("way to deform an axis", &names.map(|name| (name, name)))? {
        "final" => Change::Final(args.f64("the lower face")?, args.f64("the upper face")?),
        "delta" => {
            Change::Delta(args.f64("a shift of the lower face")?, args.f64("a shift of the upper face")?)
        }
        "scale" => Change::Scale(args.positive("a factor of the length")?),
        "vel" => Change::Velocity(args.f64("a velocity")?),
        "erate" => Change::Rate(args.f64("a strain rate")?),
        "trate" => Change::TrueRate(args.f64("a true strain rate")?),
        "volume" => Change::Volume,
        "wiggle" => Change::Wiggle(args.f64("an amplitude")?, args.positive("a period")?),
        _ => {
            let length = variable(state, args, "a variable with the change of the length")?;
            variable(state, args, "a variable with its rate")?;
            Change::Variable(length)
        }
    })
}

/// Takes `v_NAME`.
fn variable(state: &State, args: &mut Args<'_>, what: &str) -> Result<Quantity> {
    match args.peek() {
        Some(word) if !word.text.starts_with("v_") => {
            Err(args.error(word, format_args!("'{}' is not {what}", word.text)).label("expected v_NAME"))
        }
        _ => Quantity::read(state, args, what, 1.0),
    }
}

impl Deform {
    /// Where the faces are at a step, by axis; the other axes are as `now`.
    fn faces(&self, moment: &Moment<'_>, now: [[f64; 3]; 2]) -> Result<[[f64; 3]; 2]> {
        let [start_lo, start_hi] = self.start.get();
        let [begin, end] = moment.span;
        let time = (moment.step - begin) as f64 * moment.state.dt;
        let whole = (end - begin) as f64 * moment.state.dt;
        let [mut lo, mut hi] = now;
        for (d, change) in self.changes.iter().enumerate() {
            let length = start_hi[d] - start_lo[d];
            let fraction = moment.fraction();
            // How far each face has moved outwards.
            let outwards = match change {
                None | Some(Change::Volume) => continue,
                Some(Change::Final(to_lo, to_hi)) => {
                    [fraction * (start_lo[d] - to_lo), fraction * (to_hi - start_hi[d])]
                }
                Some(Change::Delta(by_lo, by_hi)) => [-fraction * by_lo, fraction * by_hi],
                Some(Change::Scale(factor)) => [0.5 * fraction * (factor - 1.0) * length; 2],
                Some(Change::Velocity(velocity)) => [0.5 * fraction * whole * velocity; 2],
                Some(Change::Rate(rate)) => [0.5 * fraction * whole * rate * length; 2],
                Some(Change::TrueRate(rate)) => [0.5 * ((rate * time).exp() - 1.0) * length; 2],
                Some(Change::Wiggle(amplitude, period)) => [0.5 * amplitude * (TAU * time / period).sin(); 2],
                Some(Change::Variable(change)) => [0.5 * moment.value(change)?; 2],
            };
            (lo[d], hi[d]) = (start_lo[d] - outwards[0], start_hi[d] + outwards[1]);
        }
        self.keep_volume([start_lo, start_hi], &mut lo, &mut hi);
        Ok([lo, hi])
    }

    /// Axes with the word volume make up for the others, by the same factor where there are two.
    fn keep_volume(&self, [start_lo, start_hi]: [[f64; 3]; 2], lo: &mut [f64; 3], hi: &mut [f64; 3]) {
        let kept = |d: usize| self.changes[d] == Some(Change::Volume);
        let told = |d: usize| self.changes[d].is_some() && !kept(d);
        let ratio: f64 =
            (0..3).filter(|&d| told(d)).map(|d| (start_hi[d] - start_lo[d]) / (hi[d] - lo[d])).product();
        let share = 1.0 / (0..3).filter(|&d| kept(d)).count().max(1) as f64;
        for d in (0..3).filter(|&d| kept(d)) {
            let half = 0.5 * (start_hi[d] - start_lo[d]) * ratio.powf(share);
            let middle = 0.5 * (start_lo[d] + start_hi[d]);
            (lo[d], hi[d]) = (middle - half, middle + half);
        }
    }
}

impl Fix for Deform {
    fn header(&self) -> &Header {
        &self.header
    }

    fn restart_state(&self) -> Option<Vec<f64>> {
        Some(self.defined.concat())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let [x0, y0, z0, x1, y1, z1] = restored(numbers)?;
        self.defined = [[x0, y0, z0], [x1, y1, z1]];
        Ok(())
    }

    fn stage(&self) -> Option<Stage> {
        Some(Stage { end: Some("follow_box"), ..Stage::of(snippet!("follow_box.cl")) })
    }

    fn parameters(&self, _: &Moment<'_>) -> Result<Vec<f64>> {
        Ok(self.remapping.get().concat())
    }

    fn begin_run(&self, world: &mut World<'_>) -> Result<()> {
        world.simulation.allow_box_changes()?;
        let domain = &world.simulation.domain;
        // A part of a longer span goes on from where that began.
        let first = world.span[0] == world.state.step;
        self.start.set(if first { [domain.lo, domain.hi] } else { self.defined });
        Ok(())
    }

    fn next(&self, step: i64) -> Option<i64> {
        Some(step + self.every - step.rem_euclid(self.every))
    }

    fn end_of_step(&self, world: &mut World<'_>) -> Result<()> {
        let before = [world.simulation.domain.lo, world.simulation.domain.hi];
        let after = self.faces(&world.moment(), before)?;
        let factor = std::array::from_fn(|d| (after[1][d] - after[0][d]) / (before[1][d] - before[0][d]));
        self.remapping.set(match self.remap {
            true => [factor, before[0], after[0]],
            false => [[1.0; 3], [0.0; 3], [0.0; 3]],
        });
        world.simulation.set_box(after[0], after[1])
    }
}
