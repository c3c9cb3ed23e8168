//! `change_box`. Source: LAMMPS manual: its operations are carried out one after the other.

use super::{need_atoms, settle};
use crate::domain::{Boundary, Domain, boundary_faces};
use crate::error::Result;
use crate::lattice;
use crate::script::Args;
use crate::state::State;

/// `change_box GROUP OPERATION ... [units box|lattice]` with the operations `x|y|z final LO HI`, `delta DLO DHI`,
/// `scale S`, `volume`, and `boundary B B B`, `remap`, `set`. Boxes are orthogonal.
///
/// # Errors
/// When there are no atoms, or at an argument that does not fit.
pub fn change_box(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    need_atoms(state, args)?;
    let bit = state.groups.arg(args)?;
    let box_units = args.rest().windows(2).any(|pair| pair[0].text == "units" && pair[1].text == "box");
    let scale = if box_units { [1.0; 3] } else { lattice::spacing(state.lattice.as_ref()) };
    state.log.line("Changing box ...");
    // Where the atoms last were in proportion to, and the edges before the last change of an axis.
    let mut reference = state.domain()?.clone();
    let mut before = reference.clone();
    let mut changed: Vec<usize> = Vec::new();
    let mut kept: Vec<usize> = Vec::new();
    while let Some(word) = args.peek() {
        let mut domain = state.domain()?.clone();
        match args.one_of("operation of change_box", &OPERATIONS)? {
            Operation::Axis(axis) => {
                if axis == 2 && state.dimension == 2 {
                    return Err(args.error(word, "the box of a 2d system keeps its z"));
                }
                let ways = [("final", 0), ("delta", 1), ("scale", 2), ("volume", 3)];
                let way = args.one_of("way to change an axis", &ways)?;
                let (lo, hi) = (domain.lo[axis], domain.hi[axis]);
                if way == 3 {
                    if changed.is_empty() || changed.contains(&axis) || kept.contains(&axis) {
                        return Err(args.error(word, "volume needs a change of another axis before it"));
                    }
                    kept.push(axis);
                    keep_volume(&mut domain, &before, &changed, &kept);
                } else {
                    if !kept.is_empty() || changed.contains(&axis) || changed.len() == 2 {
                        changed.clear();
                        kept.clear();
                    }
                    if changed.is_empty() {
                        before = domain.clone();
                    }
                    changed.push(axis);
                    [domain.lo[axis], domain.hi[axis]] = match way {
                        0 => [args.f64("a lower face")?, args.f64("an upper face")?].map(|x| x * scale[axis]),
                        1 => {
                            let by = [
                                args.f64("a shift of the lower face")?,
                                args.f64("a shift of the upper face")?,
                            ];
                            [lo + by[0] * scale[axis], hi + by[1] * scale[axis]]
                        }
                        _ => {
                            let factor = args.positive("a factor")?;
                            let (middle, half) = (0.5 * (lo + hi), 0.5 * factor * (hi - lo));
                            [middle - half, middle + half]
                        }
                    };
                }
                state.domain = Some(
                    Domain::new(domain.lo, domain.hi, domain.boundary)
                        .map_err(|error| args.error(word, error.message))?,
                );
                print_box(state)?;
            }
            Operation::Boundary => {
                let faces = boundary_faces(args)?;
                if state.dimension == 2 && faces[2][0] != Boundary::Periodic {
                    return Err(args.error(word, "a 2d system must be periodic along z"));
                }
                state.domain = Some(Domain::new(domain.lo, domain.hi, faces)?);
                print_box(state)?;
            }
            Operation::Remap => {
                remap(state, bit, &reference, &domain)?;
                reference = domain;
                print_box(state)?;
            }
            Operation::Set => {
                reference = domain;
                print_box(state)?;
            }
            Operation::Units => {
                args.one_of("units", &[("box", ()), ("lattice", ())])?;
            }
            Operation::Triclinic => return Err(args.unsupported(word, "operation of change_box")),
        }
    }
    if args.taken().len() == 1 {
        args.word("an operation of change_box")?;
    }
    settle(state, "change_box")
}

#[derive(Clone, Copy)]
enum Operation {
    Axis(usize),
    Boundary,
    Remap,
    Set,
    Units,
    Triclinic,
}

const OPERATIONS: [(&str, Operation); 12] = [
    ("x", Operation::Axis(0)),
    ("y", Operation::Axis(1)),
    ("z", Operation::Axis(2)),
    ("boundary", Operation::Boundary),
    ("remap", Operation::Remap),
    ("set", Operation::Set),
    ("units", Operation::Units),
    ("ortho", Operation::Triclinic),
    ("triclinic", Operation::Triclinic),
    ("xy", Operation::Triclinic),
    ("xz", Operation::Triclinic),
    ("yz", Operation::Triclinic),
];

fn print_box(state: &mut State) -> Result<()> {
    let line = format!("  orthogonal box = {}", state.domain()?.corners());
    state.log.line(&line);
    Ok(())
}

/// Scales the axes `kept` about their middles so that the volume is again what it was before `changed` did.
fn keep_volume(domain: &mut Domain, before: &Domain, changed: &[usize], kept: &[usize]) {
    let (old, new) = (before.lengths(), domain.lengths());
    let grown: f64 = changed.iter().map(|&d| new[d] / old[d]).product();
    let factor = if kept.len() == 2 { grown.powf(-0.5) } else { 1.0 / grown };
    for &axis in kept {
        let (middle, half) = (0.5 * (before.lo[axis] + before.hi[axis]), 0.5 * factor * old[axis]);
        (domain.lo[axis], domain.hi[axis]) = (middle - half, middle + half);
    }
}

/// Moves the atoms of a group to where they are in proportion to the box.
fn remap(state: &mut State, bit: u32, from: &Domain, to: &Domain) -> Result<()> {
    let (old, new) = (from.lengths(), to.lengths());
    let atoms = state.atoms_mut()?;
    for i in 0..atoms.len() {
        if atoms.mask[i] & bit != 0 {
            let x = atoms.x[i];
            atoms.x[i] = std::array::from_fn(|d| (x[d] - from.lo[d]) / old[d] * new[d] + to.lo[d]);
        }
    }
    Ok(())
}
