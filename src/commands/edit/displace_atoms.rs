//! `displace_atoms`. Source: LAMMPS manual.

use super::{number_or_variable, settle_from_afar};
use crate::base::error::Result;
use crate::base::random::ParkMiller;
use crate::model::domain::unit;
use crate::script::{Args, Word};
use crate::session::Session;

/// `displace_atoms GROUP move dx dy dz`, `ramp ddim dlo dhi dim clo chi`, `random dx dy dz seed`,
/// `rotate Px Py Pz Rx Ry Rz theta`, each with `units box|lattice`.
///
/// # Errors
/// When there is no box, or at an argument that does not fit.
pub fn displace_atoms(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    session.domain()?;
    let bit = session.system.groups.arg(args)?;
    let styles: [(&str, Displace); 4] =
        [("move", shift), ("ramp", ramp), ("random", random), ("rotate", rotate)];
    session.output.log.line("Displacing atoms ...");
    args.one_of("displacement", &styles)?(session, args, bit)?;
    settle_from_afar(session, "displace_atoms")
}

type Displace = fn(&mut Session, &mut Args<'_>, u32) -> Result<()>;

fn scale(session: &Session, args: &mut Args<'_>) -> Result<[f64; 3]> {
    crate::session::units::units_keyword(session, args, "displace_atoms keyword")
}

/// Changes the positions of the atoms of a group, called with each one's index and position.
fn each(session: &mut Session, bit: u32, change: impl Fn(usize, &mut [f64; 3])) -> Result<()> {
    let atoms = session.atoms_mut()?;
    for i in (0..atoms.len()).filter(|&i| atoms.mask[i] & bit != 0).collect::<Vec<_>>() {
        change(i, &mut atoms.x[i]);
    }
    Ok(())
}

fn shift(session: &mut Session, args: &mut Args<'_>, bit: u32) -> Result<()> {
    let what = "a displacement (a number or v_NAME)";
    let mut amounts = args.clone();
    for _ in 0..3 {
        args.word(what)?;
    }
    let scale = scale(session, args)?;
    // One axis after the other, as in LAMMPS: the variable of the second sees what the first has moved.
    for d in 0..3 {
        let by = number_or_variable(session, &mut amounts, what)?;
        each(session, bit, |i, x| x[d] += scale[d] * by.at(i))?;
    }
    Ok(())
}

fn ramp(session: &mut Session, args: &mut Args<'_>, bit: u32) -> Result<()> {
    let axes = [("x", 0), ("y", 1), ("z", 2)];
    let moved = args.one_of("axis", &axes)?;
    let by = [args.f64("a lower displacement")?, args.f64("an upper displacement")?];
    let along = args.one_of("axis", &axes)?;
    let word = args.peek();
    let between = [args.f64("a lower coordinate")?, args.f64("an upper coordinate")?];
    if let Some(word) = word.filter(|_| between[0] == between[1]) {
        return Err(args.error(word, "the coordinates of a ramp must differ"));
    }
    let scale = scale(session, args)?;
    let [by_lo, by_hi] = by.map(|by| by * scale[moved]);
    let [lo, hi] = between.map(|x| x * scale[along]);
    each(session, bit, |_, x| {
        let fraction = ((x[along] - lo) / (hi - lo)).clamp(0.0, 1.0);
        x[moved] += by_lo + fraction * (by_hi - by_lo);
    })
}

/// Uniform displacements whose numbers depend on seed and position, not on the order of the atoms.
fn random(session: &mut Session, args: &mut Args<'_>, bit: u32) -> Result<()> {
    let mut most = [0.0; 3];
    for most in &mut most {
        *most = args.f64("a largest displacement")?;
    }
    let seed = seed(args)?;
    let scale = scale(session, args)?;
    each(session, bit, |_, x| {
        let mut stream = ParkMiller::at_position(seed, *x);
        (0..3).for_each(|d| x[d] += scale[d] * most[d] * 2.0 * (stream.uniform() - 0.5));
    })
}

/// Takes a seed of the Park-Miller generator.
pub(super) fn seed(args: &mut Args<'_>) -> Result<u32> {
    let word: Option<&Word> = args.peek();
    let seed: u32 = args.int("a seed")?;
    match word.filter(|_| !(1..i32::MAX as u32).contains(&seed)) {
        Some(word) => Err(args.error(word, "a seed must lie within 1 and 2147483646")),
        None => Ok(seed),
    }
}

/// About the axis R through P by theta degrees; atoms are taken where they are without crossings of the box.
fn rotate(session: &mut Session, args: &mut Args<'_>, bit: u32) -> Result<()> {
    let (mut point, mut axis) = ([0.0; 3], [0.0; 3]);
    for x in &mut point {
        *x = args.f64("a coordinate of a point of the axis")?;
    }
    let word = args.peek();
    for x in &mut axis {
        *x = args.f64("a component of the axis")?;
    }
    let theta = args.f64("an angle in degrees")?.to_radians();
    let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    let direction = if length.is_normal() { Some(axis.map(|x| x / length)) } else { unit(axis) };
    let Some(direction) = direction else {
        let word = word.unwrap_or(&args.taken()[0]);
        return Err(args.error(word, "the axis of the rotation is zero"));
    };
    if let (Some(word), 2, true) = (word, session.system.dimension, axis[0] != 0.0 || axis[1] != 0.0) {
        return Err(args.error(word, "a 2d system can only be rotated about z"));
    }
    let scale = scale(session, args)?;
    let axis = direction;
    let (sine, cosine) = theta.sin_cos();
    let domain = session.domain()?.clone();
    let atoms = session.atoms_mut()?;
    for i in (0..atoms.len()).filter(|&i| atoms.mask[i] & bit != 0).collect::<Vec<_>>() {
        let unwrapped = domain.unwrapped(atoms.x[i], atoms.image[i]);
        let arm: [f64; 3] = std::array::from_fn(|d| unwrapped[d] - scale[d] * point[d]);
        let along = (0..3).map(|d| arm[d] * axis[d]).sum::<f64>();
        let across: [f64; 3] = std::array::from_fn(|d| arm[d] - along * axis[d]);
        let turned = [
            axis[1] * across[2] - axis[2] * across[1],
            axis[2] * across[0] - axis[0] * across[2],
            axis[0] * across[1] - axis[1] * across[0],
        ];
        atoms.x[i] = std::array::from_fn(|d| {
            scale[d] * point[d] + along * axis[d] + (across[d] * cosine + turned[d] * sine)
        });
        atoms.image[i] = [0; 3];
    }
    Ok(())
}
