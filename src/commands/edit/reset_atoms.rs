//! `reset_atoms`: atom IDs, image counts and molecule IDs anew. Source: LAMMPS manual.

use super::{allow_new_ids, by_place, renumber, settle};
use crate::base::error::{Error, Result};
use crate::model::atoms::Atoms;
use crate::model::topology::Topology;
use crate::script::{Args, Word};
use crate::session::Session;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

/// `reset_atoms id [sort yes|no]`, `reset_atoms image GROUP`, `reset_atoms mol GROUP [compress yes|no] [single yes|no]
/// [offset N]`. As before a run, atoms are wrapped into the box.
///
/// # Errors
/// When there is no box, or at a word that does not fit: `id` where a fix holds atoms by their IDs or a bond has lost an
/// atom, the others where atoms have no bonds.
pub fn reset_atoms(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    session.domain()?;
    let word = args.clone().word("id, image or mol")?;
    let styles = ["id", "image", "mol"].map(|name| (name, name));
    let style = args.one_of("kind of reset_atoms", &styles)?;
    reset(session, args, style, word)
}

/// `reset_ids`, `reset_atom_ids`: older names of `reset_atoms id`.
///
/// # Errors
/// As [`reset_atoms`].
pub fn reset_ids(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    older(session, args, "id")
}

/// `reset_mol_ids`: an older name of `reset_atoms mol`.
///
/// # Errors
/// As [`reset_atoms`].
pub fn reset_mol_ids(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    older(session, args, "mol")
}

fn older(session: &mut Session, args: &mut Args<'_>, style: &str) -> Result<()> {
    session.domain()?;
    session.output.log.line(&format!("Note: {} has the name 'reset_atoms {style}' today", args.name()));
    let name = args.command_name();
    reset(session, args, style, name)
}

/// The words behind the kind, whose word is `word`.
fn reset(session: &mut Session, args: &mut Args<'_>, style: &str, word: &Word) -> Result<()> {
    let start = Instant::now();
    if style != "id" && !session.system.atom_style.molecular {
        let error =
            args.error(word, format_args!("atoms of style {} have no bonds", session.system.atom_style.name));
        return Err(error.help("write `atom_style bond` before the box is made"));
    }
    match style {
        "id" => {
            let sort = args.accept("sort") && args.yes_no()?;
            args.finish()?;
            allow_new_ids(session).map_err(|error| args.place(word, error))?;
            session.output.log.line("Resetting atom IDs ...");
            by_place(session)?;
            settle(session, "reset_atoms")?;
            new_ids(session, sort).map_err(|error| args.place(word, error))?;
        }
        "image" => {
            let group = session.system.groups.arg(args)?;
            args.finish()?;
            session.output.log.line("Resetting image flags ...");
            by_place(session)?;
            settle(session, "reset_atoms")?;
            new_images(session, group)?;
        }
        _ => {
            let group = session.system.groups.arg(args)?;
            let options = MoleculeIds::read(group, args)?;
            session.output.log.line("Resetting molecule IDs ...");
            by_place(session)?;
            settle(session, "reset_atoms")?;
            let count = options.give(session).map_err(|error| args.place(word, error))?;
            let count = count.map_or("unknown".to_owned(), |count| count.to_string());
            session.output.log.line(&format!("  number of new molecule IDs = {count}"));
        }
    }
    session
        .output
        .log
        .line(&format!("  reset_atoms {style} CPU = {:.3} seconds", start.elapsed().as_secs_f64()));
    Ok(())
}

/// Gives IDs from 1 on, to the atoms as they lie in memory, or with `sort` by where they are.
fn new_ids(session: &mut Session, sort: bool) -> Result<()> {
    let atoms = &session.system.host_atoms;
    let mut ids: Vec<u32> = (1..=atoms.len() as u32).collect();
    if sort {
        let order = spatial_order(&atoms.x, session.system.dimension);
        order.into_iter().zip(1..).for_each(|(i, id)| ids[i] = id);
    }
    let new: HashMap<u32, u32> = atoms.tag.iter().copied().zip(ids.iter().copied()).collect();
    let mut bonds = session.system.topology.bonds.clone();
    for bond in &mut bonds {
        let [a, b] = bond.atoms;
        let (Some(&first), Some(&second)) = (new.get(&a), new.get(&b)) else {
            let error = Error::new(format!("of the atoms {a} and {b}, which have a bond, one is not there"));
            return Err(error.help("delete such bonds: `delete_atoms ... bond yes`, `delete_bonds`"));
        };
        bond.atoms = [first, second];
    }
    renumber(session, &ids)?;
    session.system.topology.bonds = bonds;
    if !session.system.topology.bonds.is_empty() {
        session.system.topology.describe_special(&mut session.output.log);
    }
    Ok(())
}

/// About so many atoms are in a cell, by which atoms are sorted.
const PER_CELL: usize = 10;

/// The atoms by cells of a grid around them all, x fastest, and in a cell by x, then y, then z.
fn spatial_order(x: &[[f64; 3]], dimension: u32) -> Vec<usize> {
    let mut lo: [f64; 3] = std::array::from_fn(|d| x.iter().map(|x| x[d]).fold(f64::INFINITY, f64::min));
    let mut hi: [f64; 3] = std::array::from_fn(|d| x.iter().map(|x| x[d]).fold(f64::NEG_INFINITY, f64::max));
    if dimension == 2 {
        (lo[2], hi[2]) = (0.0, 0.0);
    }
    for d in 0..3 {
        if lo[d] == hi[d] {
            (lo[d], hi[d]) = (lo[d] - 0.5, hi[d] + 0.5);
        }
        // A little more than is needed: of the edge first below, and then above of that longer one.
        lo[d] -= 1e-4 * (hi[d] - lo[d]);
        hi[d] += 1e-4 * (hi[d] - lo[d]);
    }
    let length: [f64; 3] = std::array::from_fn(|d| hi[d] - lo[d]);
    let flat = dimension == 2;
    let volume = if flat { length[0] * length[1] } else { length[0] * length[1] * length[2] };
    let edge = (volume / (x.len() / PER_CELL + 1) as f64).powf(1.0 / f64::from(dimension));
    let cells = length.map(|length| (length / edge) as usize + 1);
    let inverse = [1.0 / length[0], 1.0 / length[1], if flat { 0.0 } else { 1.0 / length[2] }];
    let cell = |i: usize| {
        let [a, b, c]: [usize; 3] =
            std::array::from_fn(|d| ((x[i][d] - lo[d]) * inverse[d] * cells[d] as f64) as usize);
        (c * cells[1] + b) * cells[0] + a
    };
    let by_place = |&i: &usize, &j: &usize| {
        let compare = |d: usize| x[i][d].total_cmp(&x[j][d]);
        (0..3).map(compare).fold(Ordering::Equal, Ordering::then)
    };
    let keys: Vec<usize> = (0..x.len()).map(cell).collect();
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|i, j| keys[*i].cmp(&keys[*j]).then_with(|| by_place(i, j)));
    order
}

/// The least ID of the atoms that an atom hangs together with by bonds of atoms of a group; 0 outside of it.
fn fragments(atoms: &Atoms, topology: &Topology, group: u32) -> Vec<u32> {
    let place: HashMap<u32, usize> = atoms.tag.iter().copied().zip(0..).collect();
    let partners = topology.partners();
    let inside = |i: usize| atoms.mask[i] & group != 0;
    let mut fragment = vec![0; atoms.len()];
    // In the order of the IDs: the first that is met is the least.
    for start in atoms.by_tag().into_iter().filter(|&i| inside(i)) {
        let mut stack = if fragment[start] == 0 { vec![start] } else { Vec::new() };
        while let Some(i) = stack.pop() {
            fragment[i] = atoms.tag[start];
            let near = partners.get(&atoms.tag[i]).into_iter().flatten();
            let near = near.filter_map(|(tag, _)| place.get(tag).copied());
            stack.extend(near.filter(|&j| inside(j) && fragment[j] == 0));
        }
    }
    fragment
}

/// Takes from the image counts of atoms of a group the mean of the least and the greatest in their molecule.
fn new_images(session: &mut Session, group: u32) -> Result<()> {
    let fragments = fragments(&session.system.host_atoms, &session.system.topology, crate::model::group::ALL);
    let atoms = session.atoms_mut()?;
    let mut ends: BTreeMap<u32, [[i32; 3]; 2]> = BTreeMap::new();
    for (&fragment, &image) in fragments.iter().zip(&atoms.image) {
        let [least, greatest] = ends.entry(fragment).or_insert([image; 2]);
        for d in 0..3 {
            least[d] = least[d].min(image[d]);
            greatest[d] = greatest[d].max(image[d]);
        }
    }
    for (i, image) in atoms.image.iter_mut().enumerate().filter(|(i, _)| atoms.mask[*i] & group != 0) {
        let [least, greatest] = ends[&fragments[i]];
        (0..3).for_each(|d| image[d] -= (least[d] + greatest[d]).div_euclid(2));
    }
    Ok(())
}

/// What `reset_atoms mol` is told.
struct MoleculeIds {
    group: u32,
    /// IDs without holes.
    compress: bool,
    /// Atoms without bonds are molecules, too.
    single: bool,
    /// What is added; else behind those of other groups.
    offset: Option<u32>,
}

impl MoleculeIds {
    fn read(group: u32, args: &mut Args<'_>) -> Result<Self> {
        let mut options = MoleculeIds { group, compress: true, single: false, offset: None };
        while !args.is_empty() {
            let keywords = ["compress", "single", "offset"].map(|name| (name, name));
            match args.one_of("reset_atoms keyword", &keywords)? {
                "compress" => options.compress = args.yes_no()?,
                "single" => options.single = args.yes_no()?,
                _ if args.accept("-1") => options.offset = None,
                _ => options.offset = Some(args.int("a number to add to molecule IDs")?),
            }
        }
        Ok(options)
    }

    /// Gives the IDs; returns how many molecules there are, where that is counted.
    fn give(&self, session: &mut Session) -> Result<Option<usize>> {
        let partners = session.system.topology.partners();
        let mut ids = fragments(&session.system.host_atoms, &session.system.topology, self.group);
        let atoms = session.atoms_mut()?;
        if !self.single {
            let alone = |tag: &u32| !partners.contains_key(tag);
            ids.iter_mut().zip(&atoms.tag).filter(|(_, tag)| alone(tag)).for_each(|(id, _)| *id = 0);
        }
        let mut count = None;
        if self.compress {
            let others = atoms.molecule.iter().zip(&atoms.mask).filter(|(_, mask)| **mask & self.group == 0);
            let offset = self.offset.unwrap_or_else(|| others.map(|(id, _)| *id).max().unwrap_or(0));
            let mut used: Vec<u32> = ids.iter().copied().filter(|&id| id > 0).collect();
            used.sort_unstable();
            used.dedup();
            if offset as usize + used.len() > u32::MAX as usize {
                return Err(Error::new(format!(
                    "molecule IDs go beyond {}, the largest there can be",
                    u32::MAX
                )));
            }
            let new = |id: u32| used.binary_search(&id).map_or(0, |place| offset + place as u32 + 1);
            ids.iter_mut().for_each(|id| *id = new(*id));
            count = Some(used.len());
        }
        for (i, id) in ids.into_iter().enumerate().filter(|(i, _)| atoms.mask[*i] & self.group != 0) {
            atoms.molecule[i] = id;
        }
        Ok(count)
    }
}
