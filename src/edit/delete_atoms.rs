//! `delete_atoms`. Source: LAMMPS manual.

use super::need_atoms;
use crate::error::{Error, Result};
use crate::random::Ranmar;
use crate::region::Region;
use crate::script::formula::{Kind, Reference};
use crate::script::{Args, Word};
use crate::state::State;
use std::collections::BTreeSet;

const STYLES: [&str; 4] = ["group", "region", "random", "variable"];

/// `delete_atoms group ID`, `region ID`, `variable NAME`, `random fraction F no GROUP REGION SEED`,
/// each with `compress yes|no`, `bond yes|no`, `mol yes|no`.
///
/// # Errors
/// When there are no atoms, or at an argument that does not fit.
pub fn delete_atoms(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let sorted_by_place = state.resident().is_some();
    let atoms = need_atoms(state, args)?;
    if sorted_by_place {
        // The device's order means nothing to the user: that of the IDs is LAMMPS's at first.
        *atoms = atoms.select(&atoms.by_tag());
    }
    let style = args.word("a style of delete_atoms")?;
    let gone = match &*style.text {
        "group" => {
            let bit = state.groups.arg(args)?;
            chosen(state, bit, None)?
        }
        "region" => {
            let region = state.regions.arg(args)?.clone();
            chosen(state, 1, Some(&region))?
        }
        "variable" => {
            let word = args.word("an atom-style variable")?;
            let reference = Reference { kind: Kind::Variable, id: word.text.clone(), index: Vec::new() };
            let system = state.now();
            let values = system.per_atom(&reference);
            values.map_err(|error| args.place(word, error))?.into_iter().map(|x| x != 0.0).collect()
        }
        "random" => {
            if let Some(word) = args.peek().filter(|word| word.text == "count") {
                return Err(exact(args, word));
            }
            args.one_of("way to choose at random", &[("fraction", ())])?;
            let fraction = fraction(args)?;
            let word = args.peek();
            if let (Some(word), true) = (word, args.yes_no()?) {
                return Err(exact(args, word));
            }
            let bit = state.groups.arg(args)?;
            let region = region_or_null(state, args)?;
            by_chance(state, bit, region.as_ref(), fraction, args)?
        }
        "overlap" => return Err(args.unsupported(style, "style of delete_atoms")),
        "porosity" => {
            return Err(args
                .error(style, "LAMMPS has no style 'porosity' any more")
                .help("write random fraction F no GROUP REGION SEED"));
        }
        _ => return Err(args.unknown(style, "style of delete_atoms", STYLES.into_iter())),
    };
    let keywords = keywords(state, args)?;
    remove(state, gone, &keywords)
}

/// The error where LAMMPS would choose so many atoms and no other number.
fn exact(args: &Args<'_>, word: &Word) -> Error {
    args.error(word, "choosing an exact number of atoms at random is not supported by CLAMPS")
        .help("write random fraction F no ...: each atom is chosen by itself")
}

/// The atoms of a group in a region.
fn chosen(state: &State, bit: u32, region: Option<&Region>) -> Result<Vec<bool>> {
    let system = state.now();
    let mut gone = vec![false; system.atoms()?.len()];
    system.indices(bit, region)?.into_iter().for_each(|i| gone[i] = true);
    Ok(gone)
}

fn fraction(args: &mut Args<'_>) -> Result<f64> {
    let word = args.peek();
    let fraction = args.f64("a fraction from 0 to 1")?;
    match word.filter(|_| !(0.0..=1.0).contains(&fraction)) {
        Some(word) => Err(args.error(word, format_args!("'{}' is not a fraction from 0 to 1", word.text))),
        None => Ok(fraction),
    }
}

fn region_or_null(state: &State, args: &mut Args<'_>) -> Result<Option<Region>> {
    if args.accept("NULL") { Ok(None) } else { state.regions.arg(args).cloned().map(Some) }
}

/// Each atom of a group in a region with a probability, in the order of the atoms in memory.
fn by_chance(
    state: &State,
    bit: u32,
    region: Option<&Region>,
    fraction: f64,
    args: &mut Args<'_>,
) -> Result<Vec<bool>> {
    let word = args.peek();
    let seed: u32 = args.int("a seed")?;
    if let Some(word) = word.filter(|_| !(1..=900_000_000).contains(&seed)) {
        return Err(args.error(word, "a seed must lie within 1 and 900000000"));
    }
    let mut random = Ranmar::new(seed);
    let mut gone = chosen(state, bit, region)?;
    gone.iter_mut().filter(|gone| **gone).for_each(|gone| *gone = random.uniform() <= fraction);
    Ok(gone)
}

/// The keywords: compress, bond, mol.
struct Keywords {
    /// IDs are given anew.
    compress: bool,
    /// Bonds of atoms that go, go too.
    bond: bool,
    /// So do the other atoms of their molecules.
    mol: bool,
}

fn keywords(state: &State, args: &mut Args<'_>) -> Result<Keywords> {
    let mut keywords = Keywords { compress: true, bond: false, mol: false };
    while let Some(word) = args.peek() {
        let known = ["compress", "condense", "bond", "mol"].map(|name| (name, name));
        let name = args.one_of("delete_atoms keyword", &known)?;
        let value = args.yes_no()?;
        match name {
            "bond" | "mol" if value && !state.atom_style.molecular => {
                let message = format!("atoms of style {} have no bonds and molecules", state.atom_style.name);
                return Err(args.error(word, message));
            }
            "bond" => keywords.bond = value,
            "mol" => keywords.mol = value,
            _ => keywords.compress = value,
        }
    }
    Ok(keywords)
}

/// Removes atoms; the last one takes the place of each that goes, as in LAMMPS, and with `compress` IDs then
/// count from 1 in the order of the atoms, where nothing else refers to them.
fn remove(state: &mut State, mut gone: Vec<bool>, keywords: &Keywords) -> Result<()> {
    if keywords.compress && state.atom_style.molecular {
        state.log.line("WARNING: Ignoring 'compress yes' for molecular system");
    }
    let compress = keywords.compress && !state.atom_style.molecular;
    let atoms = state.atoms_mut()?;
    if keywords.mol {
        let molecules: BTreeSet<u32> =
            (0..gone.len()).filter(|&i| gone[i]).map(|i| atoms.molecule[i]).filter(|&m| m > 0).collect();
        gone.iter_mut().zip(&atoms.molecule).for_each(|(gone, m)| *gone |= molecules.contains(m));
    }
    let before = atoms.len();
    let mut i = 0;
    while i < gone.len() {
        if gone[i] {
            gone.swap_remove(i);
            atoms.swap_remove(i);
        } else {
            i += 1;
        }
    }
    if compress {
        atoms.tag.iter_mut().zip(1..).for_each(|(tag, new)| *tag = new);
    }
    let after = atoms.len();
    state.log.line(&format!("Deleted {} atoms, new total = {after}", before - after));
    // A bond that has lost one atom only stays, and stops the next run, unless it is to go.
    let bonds = state.topology.bonds_among(&state.host_atoms, if keywords.bond { 2 } else { 1 });
    if keywords.bond {
        let gone = state.topology.bonds.len() - bonds.len();
        state.log.line(&format!("Deleted {gone} bonds, new total = {}", bonds.len()));
    }
    state.topology.bonds = bonds;
    Ok(())
}
