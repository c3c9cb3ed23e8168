//! `delete_atoms`. Source: LAMMPS manual.

use super::{allow_new_ids, by_place, fraction, renumber, settle};
use crate::base::error::Result;
use crate::base::random::Ranmar;
use crate::commands::region::region_now;
use crate::model::region::Region;
use crate::script::Args;
use crate::script::formula::{Kind, Reference};
use crate::script::seed;
use crate::session::Session;
use crate::session::compute::Neighbors;
use std::collections::BTreeSet;

const STYLES: [&str; 5] = ["group", "region", "random", "variable", "overlap"];

/// `delete_atoms group ID`, `region ID`, `variable NAME`, `overlap DISTANCE GROUP GROUP`,
/// `random fraction F EXACT GROUP REGION SEED`, `random count N ERROR GROUP REGION SEED`, each with `compress yes|no`,
/// `bond yes|no`, `mol yes|no`.
///
/// # Errors
/// When there is no box, or at an argument that does not fit.
pub fn delete_atoms(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    by_place(session)?;
    let style = args.word("a style of delete_atoms")?;
    let gone = match &*style.text {
        "group" => {
            let bit = session.system.groups.arg(args)?;
            chosen(session, bit, None)?
        }
        "region" => {
            let region = region_now(session, args)?;
            chosen(session, 1, Some(&region))?
        }
        "variable" => {
            let word = args.word("an atom-style variable")?;
            let reference = Reference { kind: Kind::Variable, id: word.text.clone(), index: Vec::new() };
            let system = session.now();
            let values = system.per_atom(&reference);
            values.map_err(|error| args.place(word, error))?.into_iter().map(|x| x != 0.0).collect()
        }
        "random" => at_random(session, args)?,
        "overlap" => {
            let word = args.clone().word("a distance")?;
            let distance = args.not_negative("a distance")?;
            let groups = [session.system.groups.arg(args)?, session.system.groups.arg(args)?];
            settle(session, "delete_atoms")?;
            overlapping(session, distance, groups).map_err(|error| args.place(word, error))?
        }
        "porosity" => {
            return Err(args
                .error(style, "LAMMPS has no style 'porosity' any more")
                .help("write random fraction F no GROUP REGION SEED"));
        }
        _ => return Err(args.unknown(style, "style of delete_atoms", STYLES.into_iter())),
    };
    let keywords = keywords(session, args)?;
    remove(session, gone, &keywords)
}

/// The atoms of a group in a region.
fn chosen(session: &Session, bit: u32, region: Option<&Region>) -> Result<Vec<bool>> {
    let system = session.now();
    let mut gone = vec![false; system.atoms()?.len()];
    system.indices(bit, region)?.into_iter().for_each(|i| gone[i] = true);
    Ok(gone)
}

fn region_or_null(session: &Session, args: &mut Args<'_>) -> Result<Option<Region>> {
    if args.accept("NULL") { Ok(None) } else { region_now(session, args).map(Some) }
}

/// Atoms of a group in a region, in the order of the atoms in memory: each with a probability, or so many of them.
fn at_random(session: &mut Session, args: &mut Args<'_>) -> Result<Vec<bool>> {
    let by_count = args.one_of("way to choose at random", &[("fraction", false), ("count", true)])?;
    let word = args.peek();
    let (share, count) = match by_count {
        false => (fraction(args)?, 0),
        true => (0.0, args.count("a number of atoms", 0)? as usize),
    };
    // Of a fraction: whether it is exact. Of a number: whether it is an error when there are fewer.
    let strict = args.yes_no()?;
    let bit = session.system.groups.arg(args)?;
    let region = region_or_null(session, args)?;
    let mut random = Ranmar::new(seed::mars(args)?);
    let mut gone = chosen(session, bit, region.as_ref())?;
    let eligible: Vec<usize> = (0..gone.len()).filter(|&i| gone[i]).collect();
    if !by_count && !strict {
        eligible.into_iter().for_each(|i| gone[i] = random.uniform() <= share);
        return Ok(gone);
    }
    let wanted = if by_count { count } else { (share * eligible.len() as f64) as usize };
    if let Some(word) = word.filter(|_| wanted > eligible.len()) {
        let message = format!("{wanted} atoms are more than the {} there are to choose from", eligible.len());
        if strict {
            return Err(args.error(word, message));
        }
        session.output.log.line(&format!("WARNING: delete_atoms: {message}"));
    }
    let hits = random.choose(wanted, eligible.len());
    eligible.into_iter().zip(hits).for_each(|(i, hit)| gone[i] = hit);
    Ok(gone)
}

/// Atoms of the first group, so that none is left that is closer than a distance to one of the second: in the order of
/// the atoms in memory, each that has such a neighbour which is not to go itself. Of two that are close across a
/// periodic face, and might go both, the one with the smaller ID goes.
fn overlapping(session: &Session, distance: f64, [first, second]: [u32; 2]) -> Result<Vec<bool>> {
    let system = session.now();
    let (atoms, domain) = (system.atoms()?, system.domain()?);
    let near = Neighbors::new(&system, distance)?;
    let lengths = domain.lengths();
    // Pairs that special_bonds leaves out altogether do not count.
    let left_out = session.system.topology.left_out();
    let excluded = |i: usize, j: usize| left_out([atoms.tag[i], atoms.tag[j]]);
    let mut gone = vec![false; atoms.len()];
    for i in (0..atoms.len()).filter(|&i| atoms.mask[i] & first != 0) {
        let mut goes = false;
        near.visit(i, |j, apart, _| {
            if atoms.mask[j] & second == 0 || excluded(i, j) {
                return;
            }
            let across = |d: usize| (apart[d] - (atoms.x[i][d] - atoms.x[j][d])).abs() > 0.5 * lengths[d];
            let both = atoms.mask[i] & second != 0 && atoms.mask[j] & first != 0;
            goes |= match (0..3).any(across) {
                true => !both || atoms.tag[i] <= atoms.tag[j],
                false => !gone[j],
            };
        });
        gone[i] = goes;
    }
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

fn keywords(session: &Session, args: &mut Args<'_>) -> Result<Keywords> {
    let mut keywords = Keywords { compress: true, bond: false, mol: false };
    while let Some(word) = args.peek() {
        let known = ["compress", "condense", "bond", "mol"].map(|name| (name, name));
        let name = args.one_of("delete_atoms keyword", &known)?;
        let value = args.yes_no()?;
        match name {
            "bond" | "mol"
                if value
                    && !session.system.atom_style.molecular
                    && !(name == "mol" && session.has_molecules()) =>
            {
                let message =
                    format!("atoms of style {} have no bonds and molecules", session.system.atom_style.name);
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
fn remove(session: &mut Session, mut gone: Vec<bool>, keywords: &Keywords) -> Result<()> {
    if keywords.compress && session.system.atom_style.molecular {
        session.output.log.line("WARNING: Ignoring 'compress yes' for molecular system");
    }
    let compress = keywords.compress && !session.system.atom_style.molecular;
    if compress {
        allow_new_ids(session).map_err(|error| error.help("add: compress no"))?;
    }
    let atoms = session.atoms_mut()?;
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
    let after = atoms.len();
    if compress {
        renumber(session, &(1..=after as u32).collect::<Vec<_>>())?;
    }
    session.output.log.line(&format!("Deleted {} atoms, new total = {after}", before - after));
    // A bond that has lost one atom only stays, and stops the next run, unless it is to go.
    let bonds =
        session.system.topology.bonds_among(&session.system.host_atoms, if keywords.bond { 2 } else { 1 });
    if keywords.bond {
        let gone = session.system.topology.bonds.len() - bonds.len();
        session.output.log.line(&format!("Deleted {gone} bonds, new total = {}", bonds.len()));
    }
    session.system.topology.bonds = bonds;
    Ok(())
}
