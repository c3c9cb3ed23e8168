//! `atom_style` and `special_bonds`.

use crate::base::error::Result;
use crate::model::atom_style::{ATOM_STYLES, AtomStyle, HYBRID};
use crate::model::topology::Weights;
use crate::script::{Args, lammps};
use crate::session::Session;

/// `atom_style NAME`, `atom_style sphere 0|1`, `atom_style hybrid NAMES...`.
///
/// # Errors
/// When the box exists already, a style is another one, or `hybrid` has none or one twice.
pub fn atom_style(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    crate::session::box_checks::forbid_box(session, args)?;
    session.system.atom_style = match args.accept(HYBRID) {
        false => one_style(args)?,
        true => {
            let mut parts: Vec<AtomStyle> = Vec::new();
            while parts.is_empty() || !args.is_empty() {
                let word = args.peek();
                let part = one_style(args)?;
                if let Some(word) = word.filter(|_| parts.contains(&part)) {
                    let error = args.error(word, format_args!("a second '{}'", part.name));
                    return Err(error.help("name each style once"));
                }
                parts.push(part);
            }
            AtomStyle::hybrid(&parts)
        }
    };
    if session.system.atom_style.has_both_masses() {
        let remark = "of masses of types and of spheres those of spheres alone count";
        session.output.log.line(&format!("WARNING: atom_style: {remark}"));
    }
    args.finish()
}

/// Takes a style that is not hybrid, and what belongs to it.
fn one_style(args: &mut Args<'_>) -> Result<AtomStyle> {
    let style =
        args.style("atom style", &ATOM_STYLES.map(|style| (style.name, style)), lammps::ATOM_STYLES)?;
    if style.round && args.peek().is_some_and(|word| matches!(&*word.text, "0" | "1")) {
        // Whether `fix adapt` may change diameters, which it cannot here.
        args.word("0 or 1")?;
    }
    Ok(style)
}

/// `special_bonds amber|charmm|dreiding|fene`, `lj|coul|lj/coul W12 W13 W14`, `angle|dihedral yes|no`.
///
/// # Errors
/// At an argument that does not fit.
pub fn special_bonds(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let mut weights = Weights::default();
    // `angle yes`, `dihedral yes`: pairs two and three bonds apart count in full but at the ends of an angle, a dihedral.
    // Here there are none.
    let mut listed_only = [false; 2];
    if args.is_empty() {
        args.word("a keyword (lj, coul, lj/coul, fene, charmm, amber, dreiding)")?;
    }
    while let Some(word) = args.peek() {
        let keywords = [
            ("lj/coul", 0),
            ("lj", 1),
            ("coul", 2),
            ("fene", 3),
            ("charmm", 4),
            ("amber", 5),
            ("dreiding", 6),
            ("angle", 7),
            ("dihedral", 8),
            ("one/five", 9),
        ];
        let keyword = args.one_of("special_bonds keyword", &keywords)?;
        match keyword {
            0..=2 => {
                let mut given = [0.0; 3];
                for weight in &mut given {
                    let word = args.peek();
                    *weight = args.f64("a weight from 0 to 1")?;
                    if let Some(word) = word.filter(|_| !(0.0..=1.0).contains(weight)) {
                        return Err(
                            args.error(word, format_args!("'{}' is no weight from 0 to 1", word.text))
                        );
                    }
                }
                if keyword != 2 {
                    weights.lj = given;
                }
                if keyword != 1 {
                    weights.coul = given;
                }
            }
            3 => (weights.lj, weights.coul) = ([0.0, 1.0, 1.0], [0.0, 1.0, 1.0]),
            4 => (weights.lj, weights.coul) = ([0.0; 3], [0.0; 3]),
            5 => (weights.lj, weights.coul) = ([0.0, 0.0, 0.5], [0.0, 0.0, 5.0 / 6.0]),
            6 => (weights.lj, weights.coul) = ([0.0, 0.0, 1.0], [0.0, 0.0, 1.0]),
            7 | 8 => listed_only[keyword - 7] = args.yes_no()?,
            _ => {
                if args.yes_no()? {
                    return Err(args.unsupported(word, "special_bonds keyword"));
                }
            }
        }
    }
    for bonds in (0..2).filter(|&k| listed_only[k]).map(|k| k + 1) {
        (weights.lj[bonds], weights.coul[bonds]) = (1.0, 1.0);
    }
    weights.unangled = listed_only[0];
    session.system.topology.weights = weights;
    if !session.system.topology.bonds.is_empty() {
        session.system.topology.describe_special(&mut session.output.log);
    }
    Ok(())
}
