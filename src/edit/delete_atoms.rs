//! `delete_atoms`. Source: LAMMPS manual.

use super::need_atoms;
use crate::error::{Error, Result};
use crate::random::Ranmar;
use crate::region::Region;
use crate::script::formula::{Kind, Reference};
use crate::script::{Args, Word};
use crate::state::State;

const STYLES: [&str; 4] = ["group", "region", "random", "variable"];

/// `delete_atoms group ID`, `region ID`, `variable NAME`, `random fraction F no GROUP REGION SEED`,
/// each with `compress yes|no`.
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
    let compress = keywords(args)?;
    remove(state, &gone, compress)
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

/// Whether IDs are given anew; bonds and molecules do not exist, so what concerns them has no effect.
fn keywords(args: &mut Args<'_>) -> Result<bool> {
    let mut compress = true;
    while !args.is_empty() {
        let known = ["compress", "condense", "bond", "mol"].map(|name| (name, name));
        let name = args.one_of("delete_atoms keyword", &known)?;
        let value = args.yes_no()?;
        if matches!(name, "compress" | "condense") {
            compress = value;
        }
    }
    Ok(compress)
}

/// Removes atoms; the last one takes the place of each that goes, as in LAMMPS, and with `compress` IDs then
/// count from 1 in the order of the atoms.
fn remove(state: &mut State, gone: &[bool], compress: bool) -> Result<()> {
    let atoms = state.atoms_mut()?;
    let before = atoms.len();
    let mut gone = gone.to_vec();
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
    Ok(())
}
