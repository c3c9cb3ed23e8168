//! `read_data`.

use super::bonds::read_bonds;
use super::header::Header;
use super::keywords::{FURTHER, Keywords};
use super::numbers::{Ids, Numbers};
use super::properties::{self, Section};
use crate::base::error::{Error, Result};
use crate::base::log::Log;
use crate::model::atom_style::{ATOM_STYLES, AtomStyle, Column, HYBRID};
use crate::model::atoms::{Atoms, volume};
use crate::model::domain;
use crate::model::domain::Domain;
use crate::script::lines::Lines;
use crate::script::{Args, Command, Word, lammps};
use crate::session::Session;
use crate::session::sharing;
use std::time::Instant;

/// `read_data FILE`: makes the box, the atoms and their bonds, or with `add` lets the atoms of the file join those that are
/// there. `Keywords` are the other words.
///
/// # Errors
/// When there is a box already (with `add`: when there is none), a keyword is not supported, or the file is malformed or
/// truncated, or does not fit; these point at the file's line.
pub fn read_data(session: &mut Session, args: &mut Args) -> Result<()> {
    let start = Instant::now();
    let file = args.word("a file name")?;
    let keywords = Keywords::read(session, args, file)?;
    let joins = keywords.add.is_some();
    if !joins {
        crate::session::box_checks::check_new_box(session, args)?;
    }
    let lines = Lines::open(&file.text, "the data file that was read");
    let mut lines = lines.map_err(|error| args.place(file, error))?;
    session.output.log.line("Reading data file ...");
    let header = Header::read(&mut lines, session, joins)?;
    let further = [header.types + keywords.more[0].0, header.bond_types + keywords.more[1].0];
    for ((count, (_, word)), (_, most)) in further.into_iter().zip(keywords.more).zip(FURTHER) {
        if count > most {
            let message = format!("with those of the file these are {count} types, and there can be {most}");
            return Err(args.error(word, message));
        }
    }
    let domain = match joins {
        true => header.grown(session.domain()?, keywords.shift, session.system.dimension),
        false => header.domain(session),
    };
    let domain = domain.map_err(|error| header.at_box(&lines, error))?;
    domain::warn_of_skew(&domain, &mut session.output.log);
    let Domain { initial: [lo, hi], triclinic, tilt, .. } = domain;
    session.output.log.line(&format!("  {}", domain::describe(lo, hi, triclinic.then_some(tilt))));
    session.output.log.line(&sharing::in_words());
    let types = match joins {
        true => [session.types(), session.system.topology.bond_types],
        false => [header.types, header.bond_types],
    };
    if !joins {
        session.set_types(further[0]);
    }
    let labels = session.system.labels.clone();
    let mut numbers = Numbers::new(&keywords, session.atoms()?, types, labels);

    let (mut atoms, mut commands, mut bonds) = (Atoms::default(), Vec::new(), Vec::new());
    let mut typed = false;
    let names = keywords.own.iter().map(|section: &Section| &*section.name);
    let names: Vec<&str> = SECTIONS.into_iter().chain(names).collect();
    while let Some(section) = lines.section("data file", &names)? {
        if let Some(own) = keywords.own.iter().find(|own| own.name == section) {
            session.output.log.line(&format!("  reading {section} ..."));
            properties::read(&mut lines, own, &mut atoms, &numbers)?;
            continue;
        }
        let names_types = section.ends_with("Type Labels");
        match section.as_str() {
            "Atoms" => {
                if !atoms.is_empty() {
                    return Err(lines.error_here(Error::new("there is a second section Atoms")));
                }
                session.output.log.line("  reading atoms ...");
                let style = session.system.atom_style;
                check_style(&lines, style, &mut session.output.log)?;
                atoms = read_atoms(&mut lines, header.atoms, &mut numbers, style, &domain, keywords.shift)?;
                session.output.log.line(&format!("  {} atoms", atoms.len()));
            }
            "Velocities" => {
                session.output.log.line("  reading velocities ...");
                let round = session.system.atom_style.round;
                read_velocities(&mut lines, &mut atoms, (header.atoms, round), &numbers, &domain)?;
                session.output.log.line(&format!("  {} velocities", atoms.len()));
            }
            "Atom Type Labels" | "Bond Type Labels" => {
                if typed {
                    let message = format!("section {section} must come before others with types");
                    return Err(lines.error_here(Error::new(message)));
                }
                let [which, count] =
                    if section.starts_with("Atom") { [0, header.types] } else { [1, header.bond_types] };
                numbers.read_labels(&mut lines, &section, which, count)?;
            }
            "Masses" if session.system.atom_style.has_both_masses() => {
                // Spheres have their own. LAMMPS writes zeros where no mass was set, and refuses them when it reads; here they are none.
                let unused = &mut session.system.unused_mass;
                read_masses(&mut lines, header.types, &numbers, unused, true)?;
            }
            "Masses" if session.system.atom_style.round => {
                let error = Error::new("atoms of style sphere have masses of their own");
                return Err(lines.error_here(
                    error.help("take section Masses away: their densities stand in section Atoms"),
                ));
            }
            "Masses" => read_masses(&mut lines, header.types, &numbers, &mut session.system.mass, false)?,
            "Bonds" => {
                if !bonds.is_empty() {
                    return Err(lines.error_here(Error::new("there is a second section Bonds")));
                }
                session.output.log.line("  reading bonds ...");
                bonds = read_bonds(&mut lines, header.bonds, &numbers, session.system.atom_style, &atoms)?;
                session.output.log.line(&format!("  {} bonds", bonds.len()));
            }
            _ => commands.extend(coefficients(&mut lines, &section, &header, &numbers)?),
        }
        typed |= !names_types;
    }
    if atoms.len() != header.atoms {
        let message = format!("the file has no section Atoms for its {} atoms", header.atoms);
        return Err(lines.error_here(Error::new(message)));
    }
    if bonds.len() != header.bonds {
        let message = format!("the file has no section Bonds for its {} bonds", header.bonds);
        return Err(lines.error_here(Error::new(message)));
    }
    session.system.labels = numbers.labels();
    atoms.mask.iter_mut().for_each(|mask| *mask |= keywords.group);
    match joins {
        true => join(session, atoms, &domain)?,
        false => {
            session.replace_atoms(atoms)?;
            (session.system.topology.bonds, session.system.topology.bond_types) = (Vec::new(), further[1]);
        }
    }
    // Faces that follow the atoms do so from here on.
    let mut domain = domain;
    if domain.shrinks() {
        domain.shrink_around(&session.system.host_atoms.x);
    }
    session.system.domain = Some(domain);
    session.system.topology.bonds.extend(bonds);
    if !session.system.topology.bonds.is_empty() {
        session.system.topology.describe_special(&mut session.output.log);
    }
    if !keywords.nocoeff {
        apply_coefficients(session, &commands)?;
    }
    session.output.log.line(&format!("  read_data CPU = {:.3} seconds", start.elapsed().as_secs_f64()));
    Ok(())
}

/// Atoms of a file come to those that are there, in a box that has room for all.
fn join(session: &mut Session, new: Atoms, domain: &Domain) -> Result<()> {
    let grown = session.system.domain.as_ref().is_some_and(|old| (old.lo, old.hi) != (domain.lo, domain.hi));
    // Behind a run the device has ordered them by cells; LAMMPS's order is that of the IDs, at first.
    let sorted_by_place = session.resident().is_some();
    let mut atoms = std::mem::take(session.atoms_mut()?);
    if sorted_by_place {
        atoms = atoms.select(&atoms.by_tag());
    }
    if grown && atoms.image.iter().any(|image| *image != [0; 3]) {
        let remark =
            "the box grows, and atoms that have crossed its faces are elsewhere by their image counts";
        session.output.log.line(&format!("WARNING: read_data: {remark}"));
    }
    session.system.topology.let_go_of(&new.tag);
    atoms.append(new);
    session.replace_atoms(atoms)
}

/// Hands the lines of the sections of coefficients, as `pair_coeff` and `bond_coeff` commands, to the styles.
fn apply_coefficients(session: &mut Session, commands: &[Command]) -> Result<()> {
    commands.iter().try_for_each(|command| match Args::new(command) {
        mut args if args.name() == "bond_coeff" => {
            crate::session::coefficients::bond_coeff(session, &mut args)
        }
        mut args => crate::session::coefficients::pair_coeff(session, &mut args),
    })
}

/// The sections that are read.
pub(super) const SECTIONS: [&str; 9] = [
    "Atoms",
    "Velocities",
    "Masses",
    "Bonds",
    "Pair Coeffs",
    "PairIJ Coeffs",
    "Bond Coeffs",
    "Atom Type Labels",
    "Bond Type Labels",
];

/// Compares the remark behind the name of section Atoms, where it names an atom style, with the script's.
fn check_style(lines: &Lines, style: AtomStyle, log: &mut Log) -> Result<()> {
    let hint = lines.line.split_once('#').map_or("", |(_, hint)| hint.trim());
    let known = ATOM_STYLES.iter().find(|known| known.name == hint);
    let same = known.is_some_and(|known| known.columns() == style.columns());
    match known {
        _ if hint.is_empty() || same || hint == style.name => Ok(()),
        // As in LAMMPS; where columns are others, too, a row says so.
        Some(_) if style.name == HYBRID => {
            let why = format!("the atoms are of style '{hint}', those of the script of '{}'", style.words());
            log.line(&format!("WARNING: read_data: {why}; the columns are taken as those of the script"));
            Ok(())
        }
        _ if known.is_some() || hint == HYBRID => {
            let message = format!("the atoms are of style '{hint}', those of the script of '{}'", style.name);
            let others =
                if hint == HYBRID { " ...` with the styles that the file was made with" } else { "`" };
            let help = format!("write `atom_style {hint}{others} before the box is made");
            Err(lines.error_here(Error::new(message).help(help)))
        }
        _ if lammps::knows(lammps::ATOM_STYLES, hint) => {
            let known: Vec<&str> = ATOM_STYLES.iter().map(|style| style.name).collect();
            let error = Error::new(format!("atom style '{hint}' is not supported"));
            Err(lines.error_here(error.help(format!("supported: {}", known.join(" ")))))
        }
        _ => {
            let why = format!("'{hint}' behind Atoms is no atom style; the columns are taken as those");
            log.line(&format!("WARNING: read_data: {why} of style {}", style.name));
            Ok(())
        }
    }
}

/// Section Atoms: the columns of the atom style, on all lines or on none followed by the image counts.
fn read_atoms(
    lines: &mut Lines,
    count: usize,
    numbers: &mut Numbers,
    style: AtomStyle,
    domain: &Domain,
    shift: [f64; 3],
) -> Result<Atoms> {
    let mut atoms = Atoms::default();
    // The header may lie: never reserve much more than the lines can bring.
    atoms.reserve(count.min(1 << 20))?;
    let mut width = None;
    let columns = style.columns();
    let mut row = |lines: &Lines| {
        let mut words = lines.text().split_ascii_whitespace();
        let Row { tag, kind, molecule, charge, sphere, mut x } =
            read_columns(lines, &columns, &mut words, numbers)?;
        let (mut rest, mut image) = (words.peekable(), [0_i32; 3]);
        if *width.get_or_insert(rest.peek().is_some()) != rest.peek().is_some() {
            return Err(lines.error_here(Error::new("either all atoms have image counts or none")));
        }
        if rest.peek().is_some() {
            for image in &mut image {
                *image = lines.parse(rest.next(), "an image count (an integer)")?;
            }
        }
        if let Some(word) = rest.next() {
            return Err(lines.error(word, format!("unexpected '{word}'")).label(style.heading()));
        }
        x = domain.restricted_position(x);
        (0..3).for_each(|d| x[d] += shift[d]);
        domain.wrap(&mut x, &mut image);
        for d in (0..3).filter(|&d| !domain.periodic(d)) {
            image[d] = 0;
        }
        if !domain.contains(x) {
            let error = Error::new(format!("atom {tag} lies outside of the box"));
            let help = "widen the box in the file, or make the axis periodic (`boundary p p p`): then such an atom is wrapped";
            return Err(lines.error_here(error.help(help)));
        }
        atoms.push(tag, kind, x);
        let last = atoms.len() - 1;
        (atoms.image[last], atoms.molecule[last], atoms.charge[last]) = (image, molecule, charge);
        if let Some(sphere) = sphere {
            atoms.set_sphere(last, sphere);
        }
        Ok(())
    };
    lines.each("Atoms", count, |lines| row(lines).map_err(|error| misfit(lines, style, error)))?;
    Ok(atoms)
}

/// What the columns of a row of section Atoms say.
#[derive(Default)]
struct Row {
    tag: u32,
    kind: u32,
    molecule: u32,
    charge: f64,
    sphere: Option<[f64; 2]>,
    x: [f64; 3],
}

fn read_columns<'a>(
    lines: &Lines,
    columns: &[Column],
    words: &mut impl Iterator<Item = &'a str>,
    numbers: &mut Numbers,
) -> Result<Row> {
    let mut row = Row::default();
    for column in columns {
        match column {
            Column::Id => row.tag = numbers.new_tag(lines, words.next())?,
            Column::Molecule => row.molecule = numbers.molecule(lines, words.next())?,
            Column::Type => row.kind = numbers.atom_type(lines, words.next())?,
            Column::Charge => row.charge = lines.float(words.next(), "a charge")?,
            Column::Sphere => row.sphere = Some(read_sphere(lines, words)?),
            Column::Position => {
                for x in &mut row.x {
                    *x = lines.float(words.next(), "a coordinate")?;
                }
            }
        }
    }
    Ok(row)
}

/// The error of a row of section Atoms; where it has not as many words as the atom style has columns, that is the reason.
fn misfit(lines: &Lines, style: AtomStyle, error: Error) -> Error {
    let count = lines.text().split_ascii_whitespace().count();
    if style.has_words(count) || error.help.is_some() {
        return error;
    }
    let fitting: Vec<&str> =
        ATOM_STYLES.iter().filter(|style| style.has_words(count)).map(|style| style.name).collect();
    let others = match fitting.is_empty() {
        true => String::new(),
        false => format!(" (with {count} words: {})", fitting.join(" ")),
    };
    error.help(format!(
        "the row has {count} words, those of atom_style {} are `{}`: write the atom_style of the file{others} before the \
         box is made, and behind `Atoms #`",
        style.name,
        style.heading()
    ))
}

/// The columns of a sphere: its diameter and its density, that of a point being its mass. Returns radius and mass.
fn read_sphere<'w>(lines: &Lines, words: &mut impl Iterator<Item = &'w str>) -> Result<[f64; 2]> {
    let [diameter, density] = [words.next(), words.next()];
    let radius = 0.5 * lines.float(diameter, "a diameter")?;
    let mass = lines.float(density, "a density")? * volume(radius);
    for (bad, word, what) in [(radius < 0.0, diameter, "diameter"), (mass <= 0.0, density, "density")] {
        if bad {
            let word = word.unwrap_or_default();
            return Err(lines.error(word, format!("'{word}' is no {what}: it must be greater than 0")));
        }
    }
    Ok([radius, mass])
}

/// Section Velocities: `id vx vy vz`, of spheres also how they turn, which nothing here changes or asks for; in any order.
fn read_velocities(
    lines: &mut Lines,
    atoms: &mut Atoms,
    (count, round): (usize, bool),
    numbers: &Numbers,
    domain: &Domain,
) -> Result<()> {
    if atoms.len() != count {
        return Err(lines.error_here(Error::new("section Velocities must come after section Atoms")));
    }
    let (mut seen, mut order, mut next) = (Ids::default(), None, 0);
    lines.each("Velocities", count, |lines| {
        let mut words = lines.text().split_ascii_whitespace();
        let first = words.next();
        let tag = numbers.tag(lines, first)?;
        if tag != 0 && !seen.insert(tag) {
            return Err(lines.error(first.unwrap_or(""), format!("atom ID {tag} has two velocities")));
        }
        // Mostly in the order of the atoms; otherwise by search.
        let index = if atoms.tag[next] == tag {
            Some(next)
        } else {
            let order: &Vec<usize> = order.get_or_insert_with(|| atoms.by_tag());
            order.binary_search_by_key(&tag, |&i| atoms.tag[i]).ok().map(|place| order[place])
        };
        let index =
            index.ok_or_else(|| lines.error(first.unwrap_or(""), format!("there is no atom {tag}")))?;
        let mut v = [0.0; 3];
        for v in &mut v {
            *v = lines.float(words.next(), "a velocity component")?;
        }
        atoms.v[index] = domain.restricted_vector(v);
        next += 1;
        if round {
            (0..3).try_for_each(|_| {
                lines.float(words.next(), "a component of the angular velocity").map(drop)
            })?;
        }
        let columns = if round { "id vx vy vz wx wy wz" } else { "id vx vy vz" };
        match words.next() {
            None => Ok(()),
            Some(word) => Err(lines.error(word, format!("unexpected '{word}'")).label(columns)),
        }
    })
}

/// Section Masses: `type mass`, for every type of the file; 0 where it may be `zero`.
fn read_masses(
    lines: &mut Lines,
    types: usize,
    numbers: &Numbers,
    mass: &mut [Option<f64>],
    zero: bool,
) -> Result<()> {
    lines.each("Masses", types, |lines| {
        let words: Vec<&str> = lines.text().split_ascii_whitespace().collect();
        let kind = numbers.atom_type(lines, words.first().copied())?;
        let value = lines.float(words.get(1).copied(), "a mass")?;
        if value < 0.0 || value == 0.0 && !zero {
            return Err(lines.error(words[1], "a mass must be greater than 0".into()));
        }
        if let Some(word) = words.get(2) {
            return Err(lines.error(word, format!("unexpected '{word}'")));
        }
        mass[kind as usize - 1] = (value > 0.0).then_some(value);
        Ok(())
    })
}

/// Sections Pair Coeffs (`type values`), PairIJ Coeffs (`type type values`) and Bond Coeffs (`type values`) as
/// `pair_coeff` and `bond_coeff` commands whose words point into the data file.
fn coefficients(
    lines: &mut Lines,
    section: &str,
    header: &Header,
    numbers: &Numbers,
) -> Result<Vec<Command>> {
    let types = header.types;
    let (name, count) = match section {
        "Pair Coeffs" => ("pair_coeff", types),
        "Bond Coeffs" => ("bond_coeff", header.bond_types),
        _ => ("pair_coeff", types * (types + 1) / 2),
    };
    let mut commands = Vec::new();
    lines.each(section, count, |lines| {
        let source = lines.source();
        let start = lines.line.as_ptr() as usize;
        let mut words = vec![Word { text: name.into(), span: 0..0 }];
        for text in lines.text().split_ascii_whitespace() {
            let (at, length) = (text.as_ptr() as usize - start, text.len());
            // The first words are types.
            let text = match words.len() {
                1 => numbers.moved(section != "Bond Coeffs", text),
                2 if section == "PairIJ Coeffs" => numbers.moved(true, text),
                _ => text.into(),
            };
            words.push(Word { span: at..at + length, text });
        }
        if section == "Pair Coeffs" {
            words.insert(1, words[1].clone());
        }
        commands.push(Command { source, words });
        Ok(())
    })?;
    Ok(commands)
}
