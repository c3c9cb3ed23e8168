//! The lines above the rows of a frame, as LAMMPS's own styles have them. LAMMPS manual, `dump`.

use super::Frame;
use crate::base::format::Spec;
use crate::model::domain::{Boundary, Domain};
use std::io::Write;

/// The header of the styles atom and custom, with the names of the columns, each after a blank.
pub(super) fn of_atoms(
    frame: &Frame<'_>,
    count: usize,
    names: &str,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    write!(out, "ITEM: TIMESTEP\n{}\nITEM: NUMBER OF ATOMS\n{count}\n", frame.step)?;
    box_bounds(frame.domain, out)?;
    writeln!(out, "ITEM: ATOMS{names}")
}

/// What the faces of a box are, as the script has them.
pub(super) fn boundary_letters(domain: &Domain) -> [[char; 2]; 3] {
    let letter = |boundary| match boundary {
        Boundary::Periodic => 'p',
        Boundary::Fixed => 'f',
        Boundary::Shrink => 's',
        Boundary::ShrinkMin => 'm',
    };
    domain.boundary.map(|faces| faces.map(letter))
}

/// The lines of a header that say where the box is.
pub(super) fn box_bounds(domain: &Domain, out: &mut dyn Write) -> std::io::Result<()> {
    write!(out, "ITEM: BOX BOUNDS")?;
    let general = domain.general.is_some();
    match domain.triclinic {
        _ if general => write!(out, " abc origin")?,
        true => write!(out, " xy xz yz")?,
        false => {}
    }
    for [lower, upper] in boundary_letters(domain) {
        write!(out, " {lower}{upper}")?;
    }
    let exact = Spec::parse("%.16e").expect("a valid format");
    let [lo, hi] = domain.bounds();
    for d in 0..3 {
        if general {
            let [x, y, z] = domain.general_edges()[d].map(|x| exact.float(x));
            write!(out, "\n{x} {y} {z} {}", exact.float(domain.lo[d]))?;
            continue;
        }
        write!(out, "\n{} {}", exact.float(lo[d]), exact.float(hi[d]))?;
        if domain.triclinic {
            write!(out, " {}", exact.float(domain.tilt[d]))?;
        }
    }
    writeln!(out)
}
