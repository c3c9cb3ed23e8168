//! `molecule`: reads a template of a molecule from a file.

use crate::base::error::{Error, Result};
use crate::model::molecule::Molecule;
use crate::model::topology::Bond;
use crate::script::Args;
use crate::script::lines::{Lines, is_number};
use crate::session::Session;
use std::collections::BTreeMap;
use std::path::Path;

/// Numbers that `molecule` adds to the types of a file, and by what it multiplies lengths.
struct Change {
    atom_types: u32,
    bond_types: u32,
    scale: f64,
}

/// Sections that are read; of the last ones nothing is kept: masses belong to types, and special neighbours follow from
/// the bonds.
const SECTIONS: [&str; 8] =
    ["Coords", "Types", "Charges", "Molecules", "Bonds", "Masses", "Special Bond Counts", "Special Bonds"];

/// `molecule ID FILE [offset T B A D I] [toff T] [boff B] [aoff A] [doff D] [ioff I] [scale X]`.
///
/// # Errors
/// At an argument that does not fit; at a line of the file that is malformed or not supported.
pub fn molecule(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let id = args.word("a name for the molecule")?;
    if !id.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(
            args.error(id, format_args!("'{}' has other characters than letters, digits and _", id.text))
        );
    }
    if session.system.molecules.iter().any(|other| other.id == id.text) {
        return Err(args.error(id, format_args!("there is a molecule '{}' already", id.text)));
    }
    let file = args.word("a file name")?;
    let change = change(args)?;
    let lines = Lines::open(&file.text, "the molecule file that was read");
    let mut lines = lines.map_err(|error| args.place(file, error))?;
    let (title, molecule) = read(&mut lines, &id.text, &change)?;
    let Molecule { x, kind, molecule: ids, bonds, .. } = &molecule;
    let most = |values: &mut dyn Iterator<Item = u32>| values.max().unwrap_or(0);
    for line in [
        format!("Read molecule template {}:", id.text),
        title,
        format!("  {} molecules", ids.as_ref().map_or(1, |ids| most(&mut ids.iter().copied()))),
        format!("  {} atoms with max type {}", x.len(), most(&mut kind.iter().copied())),
        format!("  {} bonds with max type {}", bonds.len(), most(&mut bonds.iter().map(|bond| bond.kind))),
    ] {
        session.output.log.line(&line);
    }
    session.system.molecules.push(molecule);
    Ok(())
}

/// Takes the keywords.
fn change(args: &mut Args<'_>) -> Result<Change> {
    let mut change = Change { atom_types: 0, bond_types: 0, scale: 1.0 };
    let offset = |args: &mut Args<'_>| -> Result<u32> {
        let word = args.peek();
        let number = args.count("a number to add to types", 0)?;
        let fits = u32::try_from(number).ok().filter(|number| *number < 1 << 30);
        match (fits, word) {
            (None, Some(word)) => Err(args.error(word, "there are not so many types")),
            (fits, _) => Ok(fits.unwrap_or(0)),
        }
    };
    let keywords = ["offset", "toff", "boff", "aoff", "doff", "ioff", "scale"];
    while let Some(word) = args.peek() {
        if !keywords.contains(&&*word.text) && Path::new(&word.text).is_file() {
            return Err(args.unsupported(word, "a second file in `molecule`:"));
        }
        match args.one_of("molecule keyword", &keywords.map(|name| (name, name)))? {
            "offset" => {
                (change.atom_types, change.bond_types) = (offset(args)?, offset(args)?);
                (0..3).try_for_each(|_| offset(args).map(|_| ()))?;
            }
            "toff" => change.atom_types = offset(args)?,
            "boff" => change.bond_types = offset(args)?,
            "scale" => change.scale = args.positive("by what lengths are multiplied")?,
            _ => _ = offset(args)?, // there are no angles and more
        }
    }
    Ok(change)
}

/// Reads a file; returns its title, too.
fn read(lines: &mut Lines, id: &str, change: &Change) -> Result<(String, Molecule)> {
    lines.title()?;
    let title = lines.line.trim_end().to_owned();
    let [atoms, bonds] = header(lines)?;
    let (mut x, mut kind) = (None, None);
    let mut molecule = Molecule { id: id.to_owned(), ..Molecule::default() };
    while let Some(section) = lines.section("molecule file", &SECTIONS)? {
        let name = &*section;
        match name {
            "Coords" => {
                x = Some(of_atoms(lines, name, atoms, |lines, words| {
                    let mut x = [0.0; 3];
                    for x in &mut x {
                        *x = change.scale * lines.float(words.next(), "a coordinate")?;
                    }
                    Ok(x)
                })?);
            }
            "Types" => {
                kind = Some(of_atoms(lines, name, atoms, |lines, words| {
                    let kind = positive(lines, words.next(), "an atom type (an integer from 1)")?;
                    Ok(change.atom_types.saturating_add(kind))
                })?);
            }
            "Charges" => {
                let charge =
                    of_atoms(lines, name, atoms, |lines, words| lines.float(words.next(), "a charge"));
                molecule.charge = Some(charge?);
            }
            "Molecules" => {
                let ids = of_atoms(lines, name, atoms, |lines, words| {
                    positive(lines, words.next(), "a molecule ID (an integer from 1)")
                });
                molecule.molecule = Some(ids?);
            }
            "Masses" => {
                of_atoms(lines, name, atoms, |lines, words| lines.float(words.next(), "a mass"))?;
            }
            "Bonds" => molecule.bonds = read_bonds(lines, [bonds, atoms], change)?,
            _ => lines.each(name, atoms, |_| Ok(()))?,
        }
    }
    if bonds > molecule.bonds.len() {
        return Err(
            lines.error_here(Error::new(format!("the file has no section Bonds for its {bonds} bonds")))
        );
    }
    let missing = |name: &str| lines.error_here(Error::new(format!("the file has no section {name}")));
    molecule.x = x.ok_or_else(|| missing("Coords"))?;
    molecule.kind = kind.ok_or_else(|| missing("Types"))?;
    let count = atoms as f64;
    let middle: [f64; 3] = std::array::from_fn(|d| molecule.x.iter().map(|x| x[d]).sum::<f64>() / count);
    molecule.x.iter_mut().for_each(|x| (0..3).for_each(|d| x[d] -= middle[d]));
    Ok((title, molecule))
}

/// Reads the counts before the first section: of atoms and bonds.
fn header(lines: &mut Lines) -> Result<[usize; 2]> {
    let mut counts = [0; 2];
    while lines.advance_to_text()? {
        let words: Vec<&str> = lines.text().split_whitespace().collect();
        if !is_number(words[0]) {
            lines.pending = true;
            break;
        }
        match (words.last().copied(), words.len()) {
            (Some("atoms"), 2) => counts[0] = lines.parse(Some(words[0]), "a number of atoms")?,
            (Some("bonds"), 2) => counts[1] = lines.parse(Some(words[0]), "a number of bonds")?,
            (Some("angles" | "dihedrals" | "impropers" | "fragments"), 2) if words[0] == "0" => {}
            // What rigid bodies are made from.
            (Some("mass"), 2) | (Some("com"), 4) | (Some("inertia"), 7) => {}
            _ => {
                let error =
                    Error::new(format!("'{}' is not a header line that is supported", words.join(" ")));
                return Err(lines.error_here(error.help("supported: N atoms, N bonds")));
            }
        }
    }
    match counts[0] {
        0 => Err(lines.error_here(Error::new("the file does not say how many atoms there are"))),
        _ => Ok(counts),
    }
}

/// A whole number from 1 on.
fn positive(lines: &Lines, word: Option<&str>, what: &str) -> Result<u32> {
    lines.parse::<std::num::NonZeroU32>(word, what).map(std::num::NonZeroU32::get)
}

/// The number of an atom of the file, from 1.
pub(crate) fn atom(lines: &Lines, word: Option<&str>, atoms: usize) -> Result<u32> {
    let number: u32 = lines.parse(word, "the number of an atom")?;
    match (1..=atoms).contains(&(number as usize)) {
        true => Ok(number),
        false => {
            let message = format!("atom {number} is not within 1 to {atoms}");
            Err(lines.error(word.unwrap_or(""), message))
        }
    }
}

/// Reads a section with a line for each atom, which begins with its number.
fn of_atoms<T>(
    lines: &mut Lines,
    section: &str,
    atoms: usize,
    read: impl Fn(&Lines, &mut dyn Iterator<Item = &str>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut values = BTreeMap::new();
    lines.each(section, atoms, |lines| {
        let mut words = lines.text().split_ascii_whitespace();
        let first = words.next();
        let number = atom(lines, first, atoms)?;
        if values.contains_key(&number) {
            return Err(lines.error(first.unwrap_or(""), format!("atom {number} is there twice")));
        }
        values.insert(number, read(lines, &mut words)?);
        end(lines, words.next())
    })?;
    // As many lines as atoms, none twice: all are there.
    Ok(values.into_values().collect())
}

/// That a line has no more words.
fn end(lines: &Lines, rest: Option<&str>) -> Result<()> {
    rest.map_or(Ok(()), |word| Err(lines.error(word, format!("unexpected '{word}'"))))
}

/// Reads the section Bonds: `number type atom atom`.
fn read_bonds(lines: &mut Lines, [count, atoms]: [usize; 2], change: &Change) -> Result<Vec<Bond>> {
    let mut bonds = Vec::new();
    lines.each("Bonds", count, |lines| {
        let mut words = lines.text().split_ascii_whitespace();
        lines.parse::<u64>(words.next(), "the number of a bond")?;
        let kind = positive(lines, words.next(), "a bond type (an integer from 1)")?;
        let kind = change.bond_types.saturating_add(kind);
        let ends = [atom(lines, words.next(), atoms)?, atom(lines, words.next(), atoms)?];
        if ends[0] == ends[1] {
            return Err(lines.error_here(Error::new(format!("atom {} has a bond with itself", ends[0]))));
        }
        bonds.push(Bond::new(kind, ends));
        end(lines, words.next())
    })?;
    Ok(bonds)
}
