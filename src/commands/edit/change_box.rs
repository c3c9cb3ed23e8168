//! `change_box`. Source: LAMMPS manual: its operations are carried out one after the other.

use super::settle_from_afar;
use crate::base::error::{Error, Result};
use crate::commands::domain::boundary_faces;
use crate::model::domain;
use crate::model::domain::{Boundary, Domain};
use crate::model::lattice;
use crate::script::{Args, Word};
use crate::session::Session;

/// `change_box GROUP OPERATION ... [units box|lattice]` with the operations `x|y|z final LO HI`, `delta DLO DHI`,
/// `scale S`, `volume`, `xy|xz|yz final T`, `delta DT`, and `triclinic`, `ortho`, `boundary B B B`, `remap`, `set`.
///
/// # Errors
/// When there is no box, or at an argument that does not fit.
pub fn change_box(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    session.domain()?;
    let bit = session.system.groups.arg(args)?;
    let box_units = args.rest().windows(2).any(|pair| pair[0].text == "units" && pair[1].text == "box");
    let scale = if box_units { [1.0; 3] } else { lattice::spacing(session.system.lattice.as_ref()) };
    session.output.log.line("Changing box ...");
    // The box that the atoms last were in proportion to; they begin inside of it.
    let mut reference = session.domain()?.clone();
    let atoms = session.atoms_mut()?;
    if reference.shrinks() {
        reference.shrink_around(&atoms.x);
    }
    for (x, image) in atoms.x.iter_mut().zip(&mut atoms.image) {
        reference.wrap(x, image);
    }
    session.system.domain = Some(reference.clone());
    let mut moves = false;
    while let Some(word) = args.peek() {
        let domain = session.domain()?.clone();
        let operation = args.one_of("operation of change_box", &OPERATIONS)?;
        moves |= !matches!(operation, Operation::Triclinic | Operation::Ortho | Operation::Units);
        match operation {
            Operation::Axis(axis) => {
                let ([mut lo, mut hi], before) = ([domain.lo, domain.hi], domain.lengths());
                if axis == 2 && session.system.dimension == 2 {
                    return Err(args.error(word, "the box of a 2d system keeps its z"));
                }
                [lo[axis], hi[axis]] = new_faces(args, lo[axis], hi[axis], scale[axis])?;
                // Axes that follow with the word volume make up for this change, both alike where there are two.
                let kept = volume_axes(args, axis)?;
                let factor = before[axis] / (hi[axis] - lo[axis]);
                let factor = if kept.len() == 2 { factor.sqrt() } else { factor };
                for axis in kept {
                    [lo[axis], hi[axis]] = scaled([lo[axis], hi[axis]], factor);
                }
                set_box(session, args, word, &Domain { lo, hi, ..domain })?;
            }
            Operation::Tilt(which) => {
                if !domain.triclinic {
                    let error = args.error(word, "an orthogonal box has no tilts");
                    return Err(error.help("write `change_box GROUP triclinic` before"));
                }
                if session.system.dimension == 2 && which > 0 {
                    return Err(args.error(word, "the box of a 2d system can only have a tilt xy"));
                }
                let mut tilt = domain.tilt;
                let unit = scale[usize::from(which == 2)];
                let final_one = args.one_of("way to change a tilt", &[("final", true), ("delta", false)])?;
                let value = unit * args.f64("a tilt")?;
                tilt[which] = if final_one { value } else { tilt[which] + value };
                set_box(session, args, word, &Domain { tilt, ..domain })?;
            }
            Operation::Triclinic => set_box(session, args, word, &Domain { triclinic: true, ..domain })?,
            Operation::Ortho => {
                if domain.tilt != [0.0; 3] {
                    let error = args.error(word, "a box that leans cannot become orthogonal");
                    return Err(error.help("set its tilts to 0 before, with xy, xz and yz"));
                }
                set_box(session, args, word, &Domain { triclinic: false, general: None, ..domain })?;
            }
            Operation::Boundary => {
                let faces = boundary_faces(args)?;
                if session.system.dimension == 2 && faces[2][0] != Boundary::Periodic {
                    return Err(args.error(word, "a 2d system must be periodic along z"));
                }
                let new = domain
                    .with_corners(domain.lo, domain.hi, faces)
                    .map_err(|error| Error { help: error.help, ..args.error(word, error.message) })?;
                // An axis that is not periodic has no images.
                for image in &mut session.atoms_mut()?.image {
                    (0..3).filter(|&d| !new.periodic(d)).for_each(|d| image[d] = 0);
                }
                session.system.domain = Some(new);
            }
            Operation::Remap => {
                remap(session, bit, &reference, &domain)?;
                reference = domain;
            }
            Operation::Set => reference = domain,
            Operation::Units => {
                args.one_of("units", &[("box", ()), ("lattice", ())])?;
            }
        }
    }
    if args.taken().len() == 1 {
        args.word("an operation of change_box")?;
    }
    // Wrapping rounds in a box that leans: as LAMMPS it is left out where the box only gets another name.
    if moves { settle_from_afar(session, "change_box") } else { Ok(()) }
}

#[derive(Clone, Copy)]
enum Operation {
    Axis(usize),
    Boundary,
    Remap,
    Set,
    Units,
    /// xy, xz, yz.
    Tilt(usize),
    Triclinic,
    Ortho,
}

const OPERATIONS: [(&str, Operation); 12] = [
    ("x", Operation::Axis(0)),
    ("y", Operation::Axis(1)),
    ("z", Operation::Axis(2)),
    ("boundary", Operation::Boundary),
    ("remap", Operation::Remap),
    ("set", Operation::Set),
    ("units", Operation::Units),
    ("ortho", Operation::Ortho),
    ("triclinic", Operation::Triclinic),
    ("xy", Operation::Tilt(0)),
    ("xz", Operation::Tilt(1)),
    ("yz", Operation::Tilt(2)),
];

/// Makes this the box, if it is one, and says so. As in LAMMPS its `s` and `m` faces count from where they are now, whatever
/// has changed of it.
fn set_box(session: &mut Session, args: &Args<'_>, word: &Word, new: &Domain) -> Result<()> {
    let new = new.with_corners(new.lo, new.hi, new.boundary);
    let new = new.map_err(|error| Error { help: error.help, ..args.error(word, error.message) })?;
    domain::warn_of_skew(&new, &mut session.output.log);
    session.output.log.line(&format!("  {}", new.describe()));
    session.system.domain = Some(new);
    Ok(())
}

/// Takes how an axis changes: `final`, `delta` or `scale`; returns its new faces.
fn new_faces(args: &mut Args<'_>, lo: f64, hi: f64, unit: f64) -> Result<[f64; 2]> {
    let word = args.peek();
    if let Some(word) = word.filter(|word| word.text == "volume") {
        return Err(args.error(word, "volume needs a change of another axis right before it"));
    }
    let ways = [("final", 0), ("delta", 1), ("scale", 2)];
    Ok(match args.one_of("way to change an axis", &ways)? {
        0 => [args.f64("a lower face")? * unit, args.f64("an upper face")? * unit],
        1 => {
            let by = [args.f64("a shift of the lower face")?, args.f64("a shift of the upper face")?];
            [lo + by[0] * unit, hi + by[1] * unit]
        }
        _ => scaled([lo, hi], args.positive("a factor")?),
    })
}

/// Faces so many times as far from their middle.
fn scaled(faces: [f64; 2], factor: f64) -> [f64; 2] {
    let middle = 0.5 * (faces[0] + faces[1]);
    faces.map(|face| middle + factor * (face - middle))
}

/// Takes `AXIS volume` as often as it follows; returns the axes.
fn volume_axes(args: &mut Args<'_>, changed: usize) -> Result<Vec<usize>> {
    let mut axes = Vec::new();
    while let [word, way, ..] = args.rest()
        && way.text == "volume"
    {
        let axis = args.one_of("axis", &[("x", 0), ("y", 1), ("z", 2)])?;
        args.word("volume")?;
        if axis == changed || axes.contains(&axis) {
            return Err(args.error(word, "volume is for another axis than the one that changed"));
        }
        axes.push(axis);
    }
    Ok(axes)
}

/// Moves the atoms of a group to where they are in proportion to the box, with the roundings of LAMMPS, which reckons here as
/// if any box leaned.
fn remap(session: &mut Session, bit: u32, from: &Domain, to: &Domain) -> Result<()> {
    let [from, to] = [from, to].map(|domain| Domain { triclinic: true, ..domain.clone() });
    let atoms = session.atoms_mut()?;
    for i in 0..atoms.len() {
        if atoms.mask[i] & bit != 0 {
            atoms.x[i] = to.at_fractions(from.fractions(atoms.x[i]));
        }
    }
    Ok(())
}
