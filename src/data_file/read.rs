//! `read_data`.

use super::bonds::read_bonds;
use super::header::Header;
use super::lines::Lines;
use super::properties::{self, Section};
use crate::atoms::Atoms;
use crate::create::{MOST_BOND_TYPES, MOST_TYPES};
use crate::domain::{self, Domain};
use crate::error::{Error, Result};
use crate::script::{Args, Command, Word};
use crate::state::State;
use crate::topology::{ATOM_STYLES, AtomStyle};
use crate::{bond, pair};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Instant;

/// `read_data FILE [nocoeff] [fix ID NULL SECTION] [extra/atom/types N] [extra/bond/types N]`: makes the box, the atoms and their bonds. Keywords about the room for
/// bonds per atom have no effect.
///
/// # Errors
/// When there is a box already, a keyword is not supported, or the file is malformed or truncated; these
/// point at the file's line.
pub fn read_data(state: &mut State, args: &mut Args) -> Result<()> {
    let start = Instant::now();
    let file = args.word("a file name")?;
    let (mut nocoeff, mut own, mut more) = (false, Vec::new(), [(0, file); 2]);
    while let Some(word) = args.peek() {
        if args.accept("extra/bond/per/atom") || args.accept("extra/special/per/atom") {
            args.count("a number", 0)?; // there is always room
            continue;
        }
        if let Some(kind) = FURTHER.iter().position(|(kind, _)| args.accept(kind)) {
            more[kind] = (further(args, FURTHER[kind].1)?, word);
            continue;
        }
        if args.accept("fix") {
            own.push(properties::section(state, args)?);
            continue;
        }
        if !args.accept("nocoeff") {
            let known = ["add", "offset", "shift", "group"];
            return Err(if known.contains(&word.text.as_str()) || word.text.starts_with("extra/") {
                args.unsupported(word, "read_data keyword")
            } else {
                args.unknown(
                    word,
                    "read_data keyword",
                    ["nocoeff", "fix"].into_iter().chain(FURTHER.map(|(kind, _)| kind)),
                )
            });
        }
        nocoeff = true;
    }
    domain::check_new_box(state, args)?;
    let path = Path::new(&file.text);
    let open = File::open(path).map_err(|err| {
        let io = Error::io("open", path, &err);
        args.error(file, io.message)
    })?;
    state.log.line("Reading data file ...");
    let mut lines = Lines::new(BufReader::with_capacity(1 << 20, open), &file.text);
    let header = Header::read(&mut lines, state)?;
    let types = [header.types + more[0].0, header.bond_types + more[1].0];
    for ((count, (_, word)), (_, most)) in types.into_iter().zip(more).zip(FURTHER) {
        if count > most {
            let message = format!("with those of the file these are {count} types, and there can be {most}");
            return Err(args.error(word, message));
        }
    }
    let domain = header.domain(state).map_err(|error| lines.error_here(error))?;
    domain::warn_of_skew(&domain, &mut state.log);
    let Domain { initial: [lo, hi], triclinic, tilt, .. } = domain;
    state.log.line(&format!("  {}", domain::describe(lo, hi, triclinic.then_some(tilt))));
    state.log.line("  1 by 1 by 1 MPI processor grid");
    state.set_types(types[0]);

    let (mut atoms, mut commands, mut bonds) = (Atoms::default(), Vec::new(), Vec::new());
    let names = own.iter().map(|section: &Section| &*section.name);
    let names: Vec<&str> = SECTIONS.into_iter().chain(names).collect();
    while let Some(section) = lines.section("data file", &names)? {
        if let Some(own) = own.iter().find(|own| own.name == section) {
            state.log.line(&format!("  reading {section} ..."));
            properties::read(&mut lines, own, &mut atoms)?;
            continue;
        }
        match section.as_str() {
            "Atoms" => {
                if !atoms.is_empty() {
                    return Err(lines.error_here(Error::new("there is a second section Atoms")));
                }
                state.log.line("  reading atoms ...");
                atoms = read_atoms(&mut lines, &header, state.atom_style, &domain)?;
                state.log.line(&format!("  {} atoms", atoms.len()));
            }
            "Velocities" => {
                state.log.line("  reading velocities ...");
                read_velocities(&mut lines, &mut atoms, header.atoms, &domain)?;
                state.log.line(&format!("  {} velocities", atoms.len()));
            }
            "Masses" => read_masses(&mut lines, &mut state.mass[..header.types])?,
            "Bonds" => {
                if !bonds.is_empty() {
                    return Err(lines.error_here(Error::new("there is a second section Bonds")));
                }
                state.log.line("  reading bonds ...");
                bonds = read_bonds(&mut lines, [header.bonds, header.bond_types], state.atom_style, &atoms)?;
                state.log.line(&format!("  {} bonds", bonds.len()));
            }
            _ => commands.extend(coefficients(&mut lines, &section, &header)?),
        }
    }
    if atoms.len() != header.atoms {
        let message = format!("the file has no section Atoms for its {} atoms", header.atoms);
        return Err(lines.error_here(Error::new(message)));
    }
    if bonds.len() != header.bonds {
        let message = format!("the file has no section Bonds for its {} bonds", header.bonds);
        return Err(lines.error_here(Error::new(message)));
    }
    state.domain = Some(domain);
    state.replace_atoms(atoms)?;
    (state.topology.bonds, state.topology.bond_types) = (bonds, types[1]);
    if !state.topology.bonds.is_empty() {
        state.topology.describe_special(&mut state.log);
    }
    if !nocoeff {
        apply_coefficients(state, &commands)?;
    }
    state.log.line(&format!("  read_data CPU = {:.3} seconds", start.elapsed().as_secs_f64()));
    Ok(())
}

/// Keywords for types beside those of the file, each with how many there can be.
const FURTHER: [(&str, usize); 2] = [("extra/atom/types", MOST_TYPES), ("extra/bond/types", MOST_BOND_TYPES)];

/// Takes a number of further types.
fn further(args: &mut Args, most: usize) -> Result<usize> {
    let word = args.peek();
    let count = args.count("a number of further types", 0)?;
    match (usize::try_from(count), word) {
        (Ok(count), _) if count <= most => Ok(count),
        (_, Some(word)) => Err(args.error(word, format_args!("there can be at most {most} types"))),
        (_, None) => Ok(most),
    }
}

/// Hands the lines of the sections of coefficients, as `pair_coeff` and `bond_coeff` commands, to the styles.
fn apply_coefficients(state: &mut State, commands: &[Command]) -> Result<()> {
    commands.iter().try_for_each(|command| match Args::new(command) {
        mut args if args.name() == "bond_coeff" => bond::bond_coeff(state, &mut args),
        mut args => pair::pair_coeff(state, &mut args),
    })
}

/// The sections that are read.
pub(super) const SECTIONS: [&str; 7] =
    ["Atoms", "Velocities", "Masses", "Bonds", "Pair Coeffs", "PairIJ Coeffs", "Bond Coeffs"];

/// Section Atoms: the columns of the atom style, on all lines or on none followed by the image counts.
fn read_atoms<R: BufRead>(
    lines: &mut Lines<R>,
    header: &Header,
    style: AtomStyle,
    domain: &Domain,
) -> Result<Atoms> {
    if let Some((_, hint)) = lines.line.split_once('#').filter(|(_, hint)| !hint.trim().is_empty()) {
        let hint = hint.trim();
        match ATOM_STYLES.iter().find(|known| known.name == hint) {
            Some(known) if known.same_columns(style) => {}
            Some(_) => {
                let message =
                    format!("the atoms are of style '{hint}', those of the script of '{}'", style.name);
                let error =
                    Error::new(message).help(format!("write `atom_style {hint}` before the box is made"));
                return Err(lines.error_here(error));
            }
            None => {
                let known: Vec<&str> = ATOM_STYLES.iter().map(|style| style.name).collect();
                let error = Error::new(format!("atom style '{hint}' is not supported"));
                return Err(lines.error_here(error.help(format!("supported: {}", known.join(" ")))));
            }
        }
    }
    let mut atoms = Atoms::default();
    // The header may lie: never reserve much more than the lines can bring.
    atoms.reserve(header.atoms.min(1 << 20))?;
    let (mut seen, mut width) = (Ids::new(), None);
    lines.each("Atoms", header.atoms, |lines| {
        let mut words = lines.text().split_ascii_whitespace();
        let first = words.next();
        let tag = lines.parse(first, "an atom ID (an integer from 1)")?;
        if !insert(&mut seen, tag) {
            let message =
                if tag == 0 { "atom IDs begin at 1".into() } else { format!("atom ID {tag} is used twice") };
            return Err(lines.error(first.unwrap_or(""), message));
        }
        let molecule: u32 = match style.molecular {
            true => lines.parse(words.next(), "a molecule ID (an integer from 0)")?,
            false => 0,
        };
        let second = words.next();
        let kind: u32 = lines.parse(second, "an atom type")?;
        if !(1..=header.types).contains(&(kind as usize)) {
            let message = format!("atom type {kind} is not within 1 to {}", header.types);
            return Err(lines.error(second.unwrap_or(""), message));
        }
        let charge = if style.charged { lines.float(words.next(), "a charge")? } else { 0.0 };
        let (mut x, mut image) = ([0.0; 3], [0_i32; 3]);
        for x in &mut x {
            *x = lines.float(words.next(), "a coordinate")?;
        }
        let mut rest = words.peekable();
        if *width.get_or_insert(rest.peek().is_some()) != rest.peek().is_some() {
            return Err(lines.error_here(Error::new("either all atoms have image counts or none")));
        }
        if rest.peek().is_some() {
            for image in &mut image {
                *image = lines.parse(rest.next(), "an image count (an integer)")?;
            }
        }
        if let Some(word) = rest.next() {
            return Err(lines.error(word, format!("unexpected '{word}'")).label(style.columns()));
        }
        x = domain.restricted_position(x);
        domain.wrap(&mut x, &mut image);
        for d in (0..3).filter(|&d| !domain.periodic(d)) {
            image[d] = 0;
        }
        if !domain.contains(x) {
            return Err(lines.error_here(Error::new(format!("atom {tag} lies outside of the box"))));
        }
        atoms.push(tag, kind, x);
        let last = atoms.len() - 1;
        (atoms.image[last], atoms.molecule[last], atoms.charge[last]) = (image, molecule, charge);
        Ok(())
    })?;
    Ok(atoms)
}

/// IDs as bits, 64 of a run in one word: IDs may have holes of any size.
type Ids = HashMap<u32, u64>;

/// Adds an ID to a set; false for 0 and when it is there already.
fn insert(seen: &mut Ids, tag: u32) -> bool {
    let (word, bit) = (seen.entry(tag / 64).or_default(), 1 << (tag % 64));
    let new = tag != 0 && *word & bit == 0;
    *word |= bit;
    new
}

/// Section Velocities: `id vx vy vz`, in any order.
fn read_velocities<R: BufRead>(
    lines: &mut Lines<R>,
    atoms: &mut Atoms,
    count: usize,
    domain: &Domain,
) -> Result<()> {
    if atoms.len() != count {
        return Err(lines.error_here(Error::new("section Velocities must come after section Atoms")));
    }
    let (mut seen, mut order, mut next) = (Ids::new(), None, 0);
    lines.each("Velocities", count, |lines| {
        let mut words = lines.text().split_ascii_whitespace();
        let first = words.next();
        let tag = lines.parse(first, "an atom ID (an integer from 1)")?;
        if tag != 0 && !insert(&mut seen, tag) {
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
        match words.next() {
            None => Ok(()),
            Some(word) => Err(lines.error(word, format!("unexpected '{word}'")).label("id vx vy vz")),
        }
    })
}

/// Section Masses: `type mass`, for every type.
fn read_masses<R: BufRead>(lines: &mut Lines<R>, mass: &mut [Option<f64>]) -> Result<()> {
    let types = mass.len();
    lines.each("Masses", types, |lines| {
        let words: Vec<&str> = lines.text().split_ascii_whitespace().collect();
        let kind: usize = lines.parse(words.first().copied(), "an atom type")?;
        let value = lines.float(words.get(1).copied(), "a mass")?;
        if !(1..=types).contains(&kind) {
            return Err(lines.error(words[0], format!("atom type {kind} is not within 1 to {types}")));
        }
        if value <= 0.0 {
            return Err(lines.error(words[1], "a mass must be greater than 0".into()));
        }
        if let Some(word) = words.get(2) {
            return Err(lines.error(word, format!("unexpected '{word}'")));
        }
        mass[kind - 1] = Some(value);
        Ok(())
    })
}

/// Sections Pair Coeffs (`type values`), PairIJ Coeffs (`type type values`) and Bond Coeffs (`type values`) as
/// `pair_coeff` and `bond_coeff` commands whose words point into the data file.
fn coefficients<R: BufRead>(lines: &mut Lines<R>, section: &str, header: &Header) -> Result<Vec<Command>> {
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
            let at = text.as_ptr() as usize - start;
            words.push(Word { text: text.into(), span: at..at + text.len() });
        }
        if section == "Pair Coeffs" {
            words.insert(1, words[1].clone());
        }
        commands.push(Command { source, words });
        Ok(())
    })?;
    Ok(commands)
}
