//! `write_data`.

use super::properties;
use crate::base::error::Result;
use crate::base::files;
use crate::model::atom_style::Column;
use crate::model::atoms::volume;
use crate::model::domain::Domain;
use crate::model::labels::Labels;
use crate::model::topology::Bond;
use crate::script::Args;
use crate::session::Session;
use crate::session::box_checks::not_general;
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

/// Which coefficients `write_data` writes.
#[derive(Clone, Copy, PartialEq)]
enum Pairs {
    None,
    /// Of each type with itself.
    Like,
    /// Of all pairs of types.
    All,
}

/// `write_data FILE`, keywords nocoeff, nofix, `pair ii|ij`, triclinic/general: `*` in the name becomes the step.
///
/// The file is written beside its place and moved there when complete. Atoms come in the order of their
/// IDs, wrapped into the box; numbers read back to the same bits.
///
/// # Errors
/// When there is no box, a mass is missing, or the file cannot be written.
pub fn write_data(session: &mut Session, args: &mut Args) -> Result<()> {
    let file = args.word("a file name")?;
    let (mut pairs, mut general, mut parts) = (Pairs::Like, false, Parts::default());
    while let Some(word) = args.peek() {
        let table = [
            ("nocoeff", 0),
            ("nofix", 1),
            ("nolabelmap", 1),
            ("triclinic/general", 2),
            ("pair", 3),
            ("types", 4),
        ];
        match args.one_of("write_data keyword", &table)? {
            0 => pairs = Pairs::None,
            1 if word.text == "nofix" => parts.fixes = false,
            1 => parts.labels = false,
            2 if session.domain()?.general.is_none() => return Err(not_general(args, word)),
            2 => general = true,
            4 => {
                let word = args.peek();
                parts.by_name = args.one_of("way to write types", &[("numeric", false), ("labels", true)])?;
                let (labels, topology) = (&session.system.labels, &session.system.topology);
                let named = labels.atom.complete(session.types())
                    && (topology.bond_types == 0 || labels.bond.complete(topology.bond_types));
                if let (Some(word), true, false) = (word, parts.by_name, named) {
                    let error = args.error(word, "not all types have names");
                    return Err(error.help("give them some with `labelmap`"));
                }
            }
            _ => pairs = args.one_of("pairs", &[("ii", Pairs::Like), ("ij", Pairs::All)])?,
        }
    }
    let mut domain = session.domain()?.clone();
    domain.general = domain.general.filter(|_| general);
    if let Some(index) = session.system.mass.iter().position(Option::is_none) {
        let kind = index + 1;
        return Err(args
            .error_here(format_args!("atom type {kind} has no mass yet"))
            .help(format!("set it with `mass {kind} VALUE`")));
    }
    let name = file.text.replace('*', &session.clock.step.to_string());
    let path = Path::new(&name);
    files::check_place(path).map_err(|error| args.place(file, error))?;
    session.output.log.line("System init for write_data ...");

    let mut coefficients = pair_coefficients(session, pairs)?;
    if let (Some(bonded), true) = (&session.force_field.bonded, pairs != Pairs::None) {
        coefficients += &bonded.section(session.system.topology.bond_types);
    }
    session.atoms()?; // `host_atoms` is the newest from here on
    let write = |mut out: &mut dyn Write| write_system(&mut out, session, domain, &coefficients, parts);
    files::write_text(path, write).map_err(|error| args.place(file, error))
}

/// `write_coeff FILE`: the coefficients of the pair style and of the bond style, with those of mixed pairs, as lines of a
/// script. Where these are no numbers (files of potentials, tables, formulas, hybrid styles) file and log say so; LAMMPS is silent.
///
/// # Errors
/// Without a box, when a pair of types has no coefficients, or the file cannot be written.
pub fn write_coeff(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let file = args.word("a file name")?;
    args.finish()?;
    session.domain()?;
    let field = &session.force_field;
    let mut text = format!("# Coefficients by CLAMPS {}\n", env!("CARGO_PKG_VERSION"));
    let mut unwritten = Vec::new();
    let mut lines = |command: &str, style: &str, section: &str| {
        for line in section.lines().filter(|line| !line.is_empty()) {
            text += &match line.split_once(" Coeffs # ") {
                Some((_, style)) => format!("# {command}_style {style}\n"),
                None => format!("{command}_coeff {line}\n"),
            };
        }
        if section.is_empty() {
            let reason = format!("{command}_style {style}: its coefficients cannot be written as numbers");
            let remedy = format!("write the lines `{command}_coeff` into the script that reads this");
            text += &format!("# {reason}; {remedy}\n");
            unwritten.push(reason);
        }
        text.push('\n');
    };
    if let Some(pair) = &field.pair {
        lines("pair", pair.name(), &pair_coefficients(session, Pairs::All)?);
    }
    if let Some(bonded) = &field.bonded {
        lines("bond", bonded.style.name(), &bonded.section(session.system.topology.bond_types));
    }
    for reason in unwritten {
        session.output.log.line(&format!("WARNING: write_coeff: {reason}, {} lacks them", file.text));
    }
    let write = |out: &mut dyn Write| out.write_all(text.as_bytes());
    files::write_text(Path::new(&file.text), write).map_err(|error| args.place(file, error))
}

/// The section Pair Coeffs or PairIJ Coeffs with its blank lines, from the pair style; empty without one, or where its
/// coefficients cannot stand there.
///
/// # Errors
/// When a pair of types has no coefficients.
fn pair_coefficients(session: &Session, pairs: Pairs) -> Result<String> {
    let (Some(pair), true) = (&session.force_field.pair, pairs != Pairs::None) else {
        return Ok(String::new());
    };
    let resolved = pair.resolve()?;
    let [part] = &resolved.parts[..] else { return Ok(String::new()) };
    let (name, types) = (part.style.name(), resolved.types);
    let mut text = match pairs {
        Pairs::All => format!("\nPairIJ Coeffs # {name}\n\n"),
        _ => format!("\nPair Coeffs # {name}\n\n"),
    };
    for i in 1..=types {
        for j in i..=types {
            match pairs {
                Pairs::All => text.push_str(&format!("{i} {j}")),
                _ if i == j => text.push_str(&i.to_string()),
                _ => continue,
            }
            let params = part.params.get((i - 1) * types + j - 1);
            let words = params.and_then(|params| part.style.words(params, pairs == Pairs::All));
            let Some(words) = words else { return Ok(String::new()) };
            words.iter().for_each(|word| text.push_str(&format!(" {word}")));
            if let Some(word) = params.and_then(|params| part.style.last_word(params)) {
                text.push_str(&format!(" {word}"));
            }
            text.push('\n');
        }
    }
    Ok(text)
}

/// What is written beside the system itself.
#[derive(Clone, Copy)]
struct Parts {
    /// Sections of fixes.
    fixes: bool,
    /// Names of types, where all have one.
    labels: bool,
    /// Types by name.
    by_name: bool,
}

impl Default for Parts {
    fn default() -> Self {
        Parts { fixes: true, labels: true, by_name: false }
    }
}

/// A type: its name where types are written so, else its number.
fn type_word(labels: &Labels, parts: Parts, kind: u32) -> Cow<'_, str> {
    let name = if parts.by_name { labels.name(kind as usize) } else { None };
    name.map_or_else(|| Cow::Owned(kind.to_string()), Cow::Borrowed)
}

/// Writes everything, the atoms as `host_atoms` has them.
fn write_system(
    out: &mut impl Write,
    session: &Session,
    mut domain: Domain,
    coefficients: &str,
    parts: Parts,
) -> std::io::Result<()> {
    let (step, units, mass, atoms) =
        (session.clock.step, session.system.units.name, &session.system.mass, &session.system.host_atoms);
    if domain.shrinks() {
        domain.shrink_around(&atoms.x);
    }
    let order = atoms.by_tag();
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out, "LAMMPS data file via write_data, CLAMPS {version}, timestep = {step}, units = {units}\n")?;
    writeln!(out, "{} atoms\n{} atom types", atoms.len(), mass.len())?;
    let (style, types, bonds) = (
        session.system.atom_style,
        session.system.topology.bond_types,
        session.system.topology.bonds_among(atoms, 2),
    );
    if style.molecular && types > 0 {
        writeln!(out, "{} bonds\n{types} bond types", bonds.len())?;
    }
    writeln!(out)?;
    write_box(out, &domain)?;
    let labels = &session.system.labels;
    if parts.labels {
        for (name, labels, types) in [("Atom", &labels.atom, mass.len()), ("Bond", &labels.bond, types)] {
            if labels.complete(types) {
                writeln!(out, "\n{name} Type Labels\n")?;
                (1..=types)
                    .try_for_each(|kind| writeln!(out, "{kind} {}", labels.name(kind).unwrap_or("")))?;
            }
        }
    }
    if !style.round || style.has_both_masses() {
        writeln!(out, "\nMasses\n")?;
        for (kind, (mass, unused)) in (1..).zip(mass.iter().zip(&session.system.unused_mass)) {
            // Where LAMMPS has 0, as a type of spheres was given no mass, and then refuses its own file, the mass of the spheres stands.
            if let Some(mass) = unused.or(*mass) {
                writeln!(out, "{kind} {}", Short(mass))?;
            }
        }
    }
    write!(out, "{coefficients}")?;
    if atoms.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nAtoms # {}\n", style.name)?;
    let columns = style.columns();
    for &i in &order {
        let (mut x, mut image) = (atoms.x[i], atoms.image[i]);
        domain.wrap(&mut x, &mut image);
        let [x, y, z] = domain.general_position(x).map(Short);
        let [ix, iy, iz] = image;
        for column in &columns {
            match column {
                Column::Id => write!(out, "{} ", atoms.tag[i])?,
                Column::Molecule => write!(out, "{} ", atoms.molecule[i])?,
                Column::Type if parts.by_name => {
                    write!(out, "{} ", type_word(&labels.atom, parts, atoms.kind[i]))?;
                }
                Column::Type => write!(out, "{} ", atoms.kind[i])?,
                Column::Charge => write!(out, "{} ", Short(atoms.charge[i]))?,
                Column::Sphere => {
                    let [radius, mass] = atoms.sphere(i);
                    write!(out, "{} {} ", Short(2.0 * radius), Short(mass / volume(radius)))?;
                }
                Column::Position => write!(out, "{x} {y} {z} ")?,
            }
        }
        writeln!(out, "{ix} {iy} {iz}")?;
    }
    writeln!(out, "\nVelocities\n")?;
    for &i in &order {
        let [vx, vy, vz] = domain.general_vector(atoms.v[i]).map(Short);
        let turning = if style.round { " 0 0 0" } else { "" };
        writeln!(out, "{} {vx} {vy} {vz}{turning}", atoms.tag[i])?;
    }
    if !bonds.is_empty() {
        writeln!(out, "\nBonds\n")?;
        for (number, Bond { kind, atoms: [a, b], .. }) in (1..).zip(&bonds) {
            writeln!(out, "{number} {} {a} {b}", type_word(&labels.bond, parts, *kind))?;
        }
    }
    let mut fixes = session.fixes.iter().filter(|_| parts.fixes);
    fixes.try_for_each(|fix| properties::write(out, &**fix, atoms, &order))
}

/// Writes the lines of the header that say what the box is.
fn write_box(out: &mut impl Write, domain: &Domain) -> std::io::Result<()> {
    if domain.general.is_some() {
        for (name, edge) in ["avec", "bvec", "cvec"].into_iter().zip(domain.general_edges()) {
            let [x, y, z] = edge.map(Short);
            writeln!(out, "{x} {y} {z} {name}")?;
        }
        let [x, y, z] = domain.lo.map(Short);
        return writeln!(out, "{x} {y} {z} abc origin");
    }
    for (d, axis) in ['x', 'y', 'z'].into_iter().enumerate() {
        writeln!(out, "{} {} {axis}lo {axis}hi", Short(domain.lo[d]), Short(domain.hi[d]))?;
    }
    if domain.triclinic {
        let [xy, xz, yz] = domain.tilt.map(Short);
        writeln!(out, "{xy} {xz} {yz} xy xz yz")?;
    }
    Ok(())
}

/// A number in the fewest digits that read back to the same bits.
#[derive(Clone, Copy)]
pub(super) struct Short(pub(super) f64);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let size = self.0.abs();
        if size == 0.0 || (1e-5..1e17).contains(&size) {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_read_back() {
        for (x, text) in [(0.0, "0"), (-0.0, "-0"), (1.5, "1.5"), (1e20, "1e20"), (-2.5e-9, "-2.5e-9")] {
            assert_eq!(Short(x).to_string(), text);
            assert_eq!(text.parse::<f64>().expect("a number").to_bits(), x.to_bits());
        }
        assert_eq!(Short(2.519394287073761).to_string(), "2.519394287073761");
    }
}
