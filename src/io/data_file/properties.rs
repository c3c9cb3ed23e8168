//! Sections of data files with the properties that a `fix property/atom` gives atoms: lines of an ID and one value per
//! property. Source: LAMMPS manual, `fix property/atom`.

use super::numbers::Numbers;
use super::read::SECTIONS;
use super::write::Short;
use crate::base::error::{Error, Result};
use crate::base::names::is_integer;
use crate::model::atoms::Atoms;
use crate::script::Args;
use crate::script::lines::Lines;
use crate::session::Session;
use crate::session::fix::Fix;
use std::io::Write;

/// Where the values of a fix stand in a file.
pub(super) struct Section {
    /// Its name, with single blanks.
    pub(super) name: String,
    properties: Vec<String>,
}

/// Takes what follows the keyword `fix` of `read_data`: `ID NULL SECTION`.
pub(super) fn section(session: &Session, args: &mut Args<'_>) -> Result<Section> {
    let id = args.word("the name of a fix property/atom")?;
    let fix = session.fixes.iter().find(|fix| fix.header().id == id.text);
    let known = || session.fixes.iter().map(|fix| &*fix.header().id);
    let fix = fix.ok_or_else(|| args.unknown(id, "fix", known()))?;
    if fix.properties().is_empty() {
        let message =
            format!("fix {} of style {} takes nothing from data files", id.text, fix.header().style);
        return Err(args.error(id, message));
    }
    let header = args.word("NULL")?;
    if header.text != "NULL" {
        return Err(args.error(header, "fix property/atom has no lines in the header: write NULL"));
    }
    let name = args.text("the name of a section, or NULL for that of the fix")?;
    let name = if name == "NULL" { &id.text } else { name };
    if let (true, Some(word)) = (SECTIONS.contains(&name), args.taken().last()) {
        return Err(args.error(word, format_args!("section {name} has other contents in data files")));
    }
    Ok(Section { name: name.to_owned(), properties: fix.properties().to_vec() })
}

/// Reads a section: a line for each atom, in any order.
pub(super) fn read(lines: &mut Lines, section: &Section, atoms: &mut Atoms, numbers: &Numbers) -> Result<()> {
    if atoms.is_empty() {
        return Err(
            lines.error_here(Error::new(format!("section {} must come after section Atoms", section.name)))
        );
    }
    let order = atoms.by_tag();
    let mut values = vec![vec![0.0; atoms.len()]; section.properties.len()];
    lines.each(&section.name, atoms.len(), |lines| {
        let mut words = lines.text().split_ascii_whitespace();
        let first = words.next();
        let tag = numbers.tag(lines, first)?;
        let place = order.binary_search_by_key(&tag, |&i| atoms.tag[i]);
        let place = place.map_err(|_| lines.error(first.unwrap_or(""), format!("there is no atom {tag}")))?;
        for (name, values) in section.properties.iter().zip(&mut values) {
            let word = words.next();
            values[order[place]] = match &**name {
                "mol" => f64::from(lines.parse::<u32>(word, "a molecule ID (an integer from 0)")?),
                name if is_integer(name) => f64::from(lines.parse::<i32>(word, "an integer")?),
                name => lines.float(word, &format!("a value of {name}"))?,
            };
        }
        match words.next() {
            None => Ok(()),
            Some(word) => Err(lines
                .error(word, format!("unexpected '{word}'"))
                .label(format!("id {}", section.properties.join(" ")))),
        }
    })?;
    for (name, values) in section.properties.iter().zip(values) {
        match &**name {
            "mol" => atoms.molecule = values.into_iter().map(|x| x as u32).collect(),
            "q" => atoms.charge = values,
            name => {
                atoms.custom.add(name, values.len());
                atoms.custom.get_mut(name).expect("just added").copy_from_slice(&values);
            }
        }
    }
    Ok(())
}

/// Writes the section of a fix, if it has one: `BondedTopology` or `Charges` where there is nothing else, as LAMMPS does, else
/// by the fix's ID.
pub(super) fn write(
    out: &mut impl Write,
    fix: &dyn Fix,
    atoms: &Atoms,
    order: &[usize],
) -> std::io::Result<()> {
    let properties = fix.properties();
    match properties {
        [] => return Ok(()),
        [only] if only == "mol" => writeln!(out, "\nMolecules\n")?,
        [only] if only == "q" => writeln!(out, "\nCharges\n")?,
        _ => {
            // An array is named once, without its columns.
            let mut names: Vec<String> = Vec::new();
            for property in properties {
                let name = property.split('[').next().unwrap_or_default().replacen("2_", "_", 1);
                if names.last() != Some(&name) {
                    names.push(name);
                }
            }
            writeln!(out, "\n{} # {}\n", fix.header().id, names.join(" "))?;
        }
    }
    for &i in order {
        write!(out, "{}", atoms.tag[i])?;
        for property in properties {
            match &**property {
                "mol" => write!(out, " {}", atoms.molecule[i])?,
                "q" => write!(out, " {}", Short(atoms.charge[i]))?,
                name => write!(out, " {}", Short(atoms.custom.get(name).map_or(0.0, |values| values[i])))?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}
