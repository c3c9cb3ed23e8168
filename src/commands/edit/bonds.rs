//! `create_bonds` and `delete_bonds`. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::model::atoms::{type_range, type_range_of};
use crate::model::topology::Bond;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::Neighbors;
use std::ops::RangeInclusive;

/// As many bonds at most does `many` give an atom with those of higher IDs: more are a distance in other units.
const MOST_BONDS: usize = 100;

/// `create_bonds many GROUP GROUP TYPE RMIN RMAX` or `create_bonds single/bond TYPE ATOM ATOM`, with `special yes|no`.
/// A pair that has a bond already, or that special_bonds leaves out, gets none from `many`.
///
/// # Errors
/// When atoms have no bonds in this atom style, or at an argument that does not fit.
pub fn create_bonds(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    session.domain()?;
    bonds_needed(session, args)?;
    let word = args.word("many or single/bond")?;
    let style = &*word.text;
    let before = session.system.topology.bonds.len();
    let new = match style {
        "many" => many(session, args)?,
        "single/bond" => {
            let kind = bond_type(session, args)?;
            vec![Bond::new(kind, pair(session, args)?)]
        }
        "single/angle" | "single/dihedral" | "single/improper" => {
            return Err(args.unsupported(word, "create_bonds style"));
        }
        _ => return Err(args.unknown(word, "style of create_bonds", ["many", "single/bond"].into_iter())),
    };
    let mut special = true;
    if args.accept("special") {
        let word = args.peek();
        special = args.yes_no()?;
        if let (false, "many", Some(word)) = (special, style, word) {
            return Err(args.error(word, "`special no` does not go with `many`"));
        }
    }
    args.finish()?;
    session.system.topology.bonds.extend(new);
    if style == "many" {
        let total = session.system.topology.bonds.len();
        session.output.log.line(&format!("Added {} bonds, new total = {total}", total - before));
    }
    // Every run finds special neighbours from the bonds that there are then; this is what the log says of them.
    if special {
        session.system.topology.describe_special(&mut session.output.log);
    }
    Ok(())
}

/// The bonds of all pairs of two groups whose distance lies between two limits, in the order of the IDs.
fn many(session: &Session, args: &mut Args<'_>) -> Result<Vec<Bond>> {
    let [first, second] = [session.system.groups.arg(args)?, session.system.groups.arg(args)?];
    let kind = bond_type(session, args)?;
    let least = args.f64("the least distance")?;
    let word = args.peek();
    let most = args.positive("the greatest distance")?;
    if let Some(word) = word {
        let domain = session.domain()?;
        if most < least {
            return Err(args.error(word, format_args!("the greatest distance is below the least, {least}")));
        }
        let short = |d: usize| domain.periodic(d) && most > domain.lengths()[d];
        if let Some(axis) = (0..session.system.dimension as usize).find(|&d| short(d)) {
            let axis = ["x", "y", "z"][axis];
            return Err(args.error(word, format_args!("the box is shorter than {most} along {axis}")));
        }
    }
    let system = session.now();
    let atoms = system.atoms()?;
    // A hair more, as atoms at the distance itself belong to it.
    let near = Neighbors::new(&system, most * (1.0 + 1e-12))?;
    let (left_out, partners) = (session.system.topology.left_out(), session.system.topology.partners());
    let bonded =
        |[a, b]: [u32; 2]| partners.get(&a).is_some_and(|list| list.iter().any(|(tag, _)| *tag == b));
    let mut found: Vec<[u32; 2]> = Vec::new();
    for i in (0..atoms.len()).filter(|&i| atoms.mask[i] & (first | second) != 0) {
        let before = found.len();
        near.visit(i, |j, _, rsq| {
            let groups = |i: usize, j: usize| atoms.mask[i] & first != 0 && atoms.mask[j] & second != 0;
            let tags = [atoms.tag[i], atoms.tag[j]];
            let fits = least * least <= rsq && rsq <= most * most && (groups(i, j) || groups(j, i));
            if tags[0] < tags[1] && fits && !left_out(tags) && !bonded(tags) {
                found.push(tags);
            }
        });
        if let (Some(word), true) = (word, found.len() - before > MOST_BONDS) {
            let message = format!("atom {} would get more than {MOST_BONDS} bonds", atoms.tag[i]);
            return Err(args.error(word, message).help("take a shorter distance; look at the units, too"));
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found.into_iter().map(|atoms| Bond::new(kind, atoms)).collect())
}

/// `delete_bonds GROUP multi|bond TYPES|atom TYPES|stats [any] [undo] [remove special]`: bonds whose atoms are both of the
/// group, or one of them with `any`, are switched off, or on again with `undo`. With `remove special` all that are off go
/// for good, also as neighbours for `special_bonds`; `stats` says how many there are.
///
/// # Errors
/// When atoms have no bonds in this atom style, or at an argument that does not fit.
pub fn delete_bonds(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    session.domain()?;
    bonds_needed(session, args)?;
    let group = session.system.groups.arg(args)?;
    let style = args.word("multi, bond, atom or stats")?;
    let everything = 1..=usize::MAX;
    let (bond_types, types) = match &*style.text {
        "multi" | "stats" => (everything.clone(), everything),
        "bond" => (
            type_range_of("bond", args, session.system.topology.bond_types, &session.system.labels.bond)?,
            everything,
        ),
        "atom" => (everything, type_range(args, session.types(), &session.system.labels.atom)?),
        "angle" | "dihedral" | "improper" => {
            return Err(args.unsupported(style, "delete_bonds style"));
        }
        _ => {
            let styles = ["multi", "bond", "atom", "stats"];
            return Err(args.unknown(style, "style of delete_bonds", styles.into_iter()));
        }
    };
    let Keywords { any, undo, remove } = keywords(args)?;
    if style.text != "stats" {
        let chosen = chosen(session, group, [&bond_types, &types], any)?;
        let bonds = session.system.topology.bonds.iter_mut();
        bonds.zip(chosen).filter(|(_, chosen)| *chosen).for_each(|(bond, _)| bond.off = !undo);
    }
    let before = session.system.topology.bonds.len();
    if remove {
        session.system.topology.bonds.retain(|bond| !bond.off);
    }
    let total = session.system.topology.bonds.len();
    if remove {
        session.output.log.line(&format!("Deleted {} bonds, new total = {total}", before - total));
    }
    let off = session.system.topology.bonds.iter().filter(|bond| bond.off).count();
    session.output.log.line(&format!("  {total} total bonds, {} turned on, {off} turned off", total - off));
    if remove {
        session.system.topology.describe_special(&mut session.output.log);
    }
    Ok(())
}

/// The keywords of `delete_bonds`.
#[derive(Default)]
struct Keywords {
    /// One atom of the group is enough.
    any: bool,
    /// Bonds are switched on.
    undo: bool,
    /// Those that are off go for good.
    remove: bool,
}

/// Takes the keywords of `delete_bonds`.
fn keywords(args: &mut Args<'_>) -> Result<Keywords> {
    let (mut keywords, mut removed, mut special) = (Keywords::default(), None, false);
    while let Some(word) = args.peek() {
        let names = ["any", "undo", "remove", "special", "induce"].map(|name| (name, name));
        match args.one_of("delete_bonds keyword", &names)? {
            "any" => keywords.any = true,
            "undo" => keywords.undo = true,
            "remove" => removed = Some(word),
            "special" => special = true,
            _ => {} // there are no angles that could follow
        }
    }
    if let Some(word) = removed.filter(|_| !special) {
        let error = args.error(word, "special neighbours without their bonds are not supported");
        return Err(error.help("write `remove special`: pairs then count as if they had had no bond"));
    }
    keywords.remove = removed.is_some();
    Ok(keywords)
}

/// Which of the bonds are of these bond types, have their atoms in the group, and one of these types.
fn chosen(
    session: &Session,
    group: u32,
    [bond_types, types]: [&RangeInclusive<usize>; 2],
    any: bool,
) -> Result<Vec<bool>> {
    let system = session.now();
    let atoms = system.atoms()?;
    let order = atoms.by_tag();
    let place = |tag: &u32| order.binary_search_by_key(tag, |&i| atoms.tag[i]).ok().map(|place| order[place]);
    let gone = |bond: &Bond| {
        let ends = || bond.atoms.iter().filter_map(place);
        let inside = ends().filter(|&i| atoms.mask[i] & group != 0).count();
        let of_types = ends().any(|i| types.contains(&(atoms.kind[i] as usize)));
        bond_types.contains(&(bond.kind as usize)) && of_types && inside >= if any { 1 } else { 2 }
    };
    Ok(session.system.topology.bonds.iter().map(gone).collect())
}

/// That atoms may have bonds.
fn bonds_needed(session: &Session, args: &Args<'_>) -> Result<()> {
    if session.system.atom_style.molecular {
        return Ok(());
    }
    let error =
        args.error_here(format_args!("atoms of style {} have no bonds", session.system.atom_style.name));
    Err(error.help("write `atom_style bond` before the box is made"))
}

/// Takes a bond type.
fn bond_type(session: &Session, args: &mut Args<'_>) -> Result<u32> {
    let word = args.peek();
    if let Some(kind) = session.system.labels.bond.accept(args) {
        return Ok(kind as u32);
    }
    let kind = args.int::<u32>("a bond type")?;
    let types = session.system.topology.bond_types;
    match word.filter(|_| !(1..=types).contains(&(kind as usize))) {
        Some(word) => Err(args
            .error(word, format_args!("bond type {kind} is not within 1 to {types}"))
            .help("the number of bond types is that of `create_box ... bond/types N` or of the data file")),
        None => Ok(kind),
    }
}

/// Takes the IDs of two atoms.
fn pair(session: &Session, args: &mut Args<'_>) -> Result<[u32; 2]> {
    let system = session.now();
    let atoms = system.atoms()?;
    let mut pair = [0; 2];
    for k in 0..2 {
        let word = args.peek();
        pair[k] = args.int::<u32>("an atom ID")?;
        if let Some(word) = word.filter(|_| !atoms.tag.contains(&pair[k])) {
            return Err(args.error(word, format_args!("there is no atom {}", pair[k])));
        }
        if let Some(word) = word.filter(|_| k == 1 && pair[0] == pair[1]) {
            return Err(args.error(word, "an atom has no bond with itself"));
        }
    }
    Ok(pair)
}
