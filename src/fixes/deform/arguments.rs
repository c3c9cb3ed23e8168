//! What a script says to `fix deform`.

use super::tilt;
use super::{ALONG, AXES, Deform, Frame, OVER, Remap, STAY, TILTS};
use crate::base::error::Result;
use crate::model::domain::Boundary;
use crate::model::lattice;
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::fix::{Fix, Header, Quantity};
use std::cell::Cell;

/// How the faces of an axis move over a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
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
    /// The length by a variable; another is its rate.
    Variable(Quantity, Quantity),
}

pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let domain = session.domain()?;
    let defined = Frame::of(domain);
    let mut fix = Deform {
        header,
        every: args.count("the number of steps between changes", 1)? as i64,
        changes: [const { None }; 3],
        leans: [const { None }; 3],
        remap: Remap::Positions,
        flip: true,
        defined,
        since: Cell::new(0),
        dt: Cell::new(session.clock.dt),
        start: Cell::new(defined),
        before: Cell::new(defined),
        resumed: Cell::default(),
        remapping: Cell::new(STAY),
    };
    let mut spacing = lattice::spacing(session.system.lattice.as_ref());
    let names = ["x", "y", "z", "xy", "xz", "yz", "remap", "units", "flip"].map(|name| (name, name));
    while let Some(word) = args.peek() {
        match args.one_of("keyword of fix deform", &names)? {
            "remap" => {
                let ways = [("x", Remap::Positions), ("v", Remap::Velocities), ("none", Remap::No)];
                fix.remap = args.one_of("way to remap", &ways)?;
            }
            "units" => {
                if args.one_of("units", &[("box", true), ("lattice", false)])? {
                    spacing = [1.0; 3];
                }
            }
            "flip" => fix.flip = args.yes_no()?,
            "z" if session.system.dimension == 2 => {
                return Err(args.error(word, "the box of a 2d system keeps its z"));
            }
            name => {
                let Some(axis) = AXES.iter().position(|axis| *axis == name) else {
                    let which = TILTS.iter().position(|tilt| *tilt == name).unwrap_or_default();
                    check_tilt(session, args, word, which)?;
                    fix.leans[which] = Some(tilt::lean(session, args)?);
                    continue;
                };
                if domain.boundary[axis]
                    .iter()
                    .any(|face| matches!(face, Boundary::Shrink | Boundary::ShrinkMin))
                {
                    let message =
                        format!("the box is shrink-wrapped along {name}, where it is to be deformed");
                    return Err(args.error(word, message));
                }
                fix.changes[axis] = Some(change(session, args)?);
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
    for (lean, along) in fix.leans.iter_mut().zip(ALONG) {
        lean.iter_mut().for_each(|lean| lean.scale(spacing[along]));
    }
    let told = fix.changes.iter().flatten().any(|change| *change != Change::Volume);
    if !told && (fix.leans == [const { None }; 3] || fix.changes != [const { None }; 3]) {
        return Err(
            args.error_here("fix deform needs an axis whose length it is told, beside those with volume")
        );
    }
    Ok(Box::new(fix))
}

/// Whether a tilt can change.
fn check_tilt(session: &Session, args: &Args<'_>, word: &Word, which: usize) -> Result<()> {
    let (domain, name, over) = (session.domain()?, TILTS[which], OVER[which]);
    if !domain.triclinic {
        let error = args.error(word, format_args!("an orthogonal box has no tilt {name}"));
        return Err(error.help("make it from a region prism, or write `change_box all triclinic` before"));
    }
    if session.system.dimension == 2 && which > 0 {
        return Err(args.error(word, "the box of a 2d system can only have a tilt xy"));
    }
    if !domain.periodic(over) {
        let axis = AXES[over];
        return Err(args.error(word, format_args!("a box with a tilt {name} must be periodic along {axis}")));
    }
    Ok(())
}

/// Takes how one axis changes.
fn change(session: &Session, args: &mut Args<'_>) -> Result<Change> {
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
            let length = variable(session, args, "a variable with the change of the length")?;
            Change::Variable(length, variable(session, args, "a variable with its rate")?)
        }
    })
}

/// Takes `v_NAME`.
pub(super) fn variable(session: &Session, args: &mut Args<'_>, what: &str) -> Result<Quantity> {
    match args.peek() {
        Some(word) if !word.text.starts_with("v_") => {
            Err(args.error(word, format_args!("'{}' is not {what}", word.text)).label("expected v_NAME"))
        }
        _ => Quantity::read(session, args, what, 1.0),
    }
}
