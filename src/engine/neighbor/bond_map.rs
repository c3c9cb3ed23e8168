//! Bonds and special neighbours on the device: listed by IDs once, found by place at each rebuild (cl/neighbor/bond_map.cl).

use crate::base::error::{Error, Result};
use crate::base::ranks;
use crate::engine::comm::{Rows, Shares};
use crate::engine::device_atoms::{DeviceAtoms, status};
use crate::engine::kernels::{BOND_MAP, Context};
use crate::engine::neighbor::cells::Cells;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Gpu, Kernel};
use crate::model::topology;
use crate::potentials::bonded::BondedTopology;
use std::ops::Range;

/// Bits of [`status::BONDS`].
pub(crate) mod fault {
    pub(crate) const LONG: u32 = 1;
    pub(crate) const BROKEN: u32 = 2;
    pub(crate) const MISSING: u32 = 4;
    pub(crate) const FAR: u32 = 8;
    pub(crate) const LET_GO: u32 = 16;
    pub(crate) const SNAPPED: u32 = 32;
}

/// What is worth a warning about bonds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BondWarnings {
    /// Some bond was too long for its style.
    pub long: bool,
    /// Some bond lost its other atom, which the script allows.
    pub lost: bool,
}

impl BondWarnings {
    /// With what was seen earlier.
    pub fn and(self, earlier: BondWarnings) -> BondWarnings {
        BondWarnings { long: self.long || earlier.long, lost: self.lost || earlier.lost }
    }
}

/// Links of one kind.
pub struct Table {
    /// The most that an atom has.
    pub width: usize,
    /// Per ID (other ID, code), ended by code 0.
    by_tag: Buffer<u32>,
    /// (place, code), entry k of the atom at place i at k * stride + i; ended by code 0.
    pub by_place: Buffer<u32>,
}

/// What molecules mean for the lists and forces of a run.
pub struct BondMap {
    map_tags: Kernel,
    map_tags_of: Kernel,
    map_links: Kernel,
    /// Place of each ID, counted from 1; 0 where no atom has it.
    place: Buffer<u32>,
    /// Not 0: an atom of a bond is not known here.
    missing: Buffer<u32>,
    /// Partners, with the type of the bond.
    pub bonds: Table,
    /// Special neighbours, with the number of bonds between.
    pub special: Table,
    /// Molecule IDs by ID, where something depends on them.
    molecule_of: Buffer<u32>,
    /// And by place.
    pub molecule: Buffer<u32>,
    named: bool,
    /// Whether anything depends on IDs; else only `neigh_modify exclude group` does, on masks.
    by_id: bool,
    /// Whether bonds may lose an atom.
    may_lose: bool,
    /// Why a bond of this style counts as broken.
    broken: &'static str,
}

impl Table {
    fn new(gpu: &Gpu, links: &topology::Partners, most_tag: usize, n: usize) -> Result<Self> {
        let width = links.values().map(Vec::len).max().unwrap_or(0);
        let by_tag = gpu.buffer("links by ID", if width > 0 { 2 * width * (most_tag + 1) } else { 1 })?;
        if width > 0 {
            by_tag.fill(Section::Comm, 0..2 * width * (most_tag + 1), |out| {
                out.fill(0);
                for (&tag, list) in links {
                    for (k, &(other, code)) in list.iter().enumerate() {
                        let at = 2 * (tag as usize * width + k);
                        (out[at], out[at + 1]) = (other, code);
                    }
                }
            })?;
        }
        Ok(Table { width, by_tag, by_place: gpu.buffer("links by place", (2 * width * n).max(1))? })
    }
}

/// The faults that any rank has found, and the least ID among the atoms that they are of.
fn of_all_ranks(faults: u32, atom: u32) -> (u32, u32) {
    let bits: [i64; 32] = std::array::from_fn(|bit| (faults >> bit & 1).into());
    let faults = ranks::max(bits).iter().rev().fold(0, |faults, &bit| faults << 1 | bit as u32);
    let [before_never] = ranks::max([(status::NEVER - atom).into()]);
    (faults, status::NEVER - before_never as u32)
}

impl BondMap {
    /// For up to `n` atoms. With `named`, something depends on molecule IDs.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(context: &Context, molecules: &BondedTopology, named: bool, n: usize) -> Result<Self> {
        let (program, gpu) = (context.program(&[BOND_MAP])?, &context.gpu);
        // Bonds may name atoms that are gone, with IDs beyond those that are left.
        let linked =
            [&molecules.partners, &molecules.special].into_iter().flat_map(|links| links.keys().copied());
        let most_tag = molecules.ids.iter().map(|&(tag, _)| tag).chain(linked).max().unwrap_or(0) as usize;
        let molecule_of = gpu.buffer("molecules by ID", if named { most_tag + 1 } else { 1 })?;
        if named {
            molecule_of.fill(Section::Comm, 0..most_tag + 1, |out| {
                out.fill(0);
                molecules.ids.iter().for_each(|&(tag, molecule)| out[tag as usize] = molecule);
            })?;
        }
        let place = gpu.buffer("places of IDs", most_tag + 1)?;
        place.clear(Section::Comm, 0..place.len())?;
        Ok(BondMap {
            map_tags: program.kernel("map_tags")?,
            map_tags_of: program.kernel("map_tags_of")?,
            map_links: program.kernel("map_links")?,
            place,
            missing: gpu.buffer("missing atoms of bonds", 1)?,
            bonds: Table::new(gpu, &molecules.partners, most_tag, n)?,
            special: Table::new(gpu, &molecules.special, most_tag, n)?,
            molecule_of,
            molecule: gpu.buffer("molecules", if named { n } else { 1 })?,
            named,
            by_id: !molecules.is_empty(),
            may_lose: molecules.may_lose,
            broken: molecules.bonded.as_ref().map_or("", |bonded| bonded.style.broken()),
        })
    }

    /// EXCLUDE_ARGUMENTS of cl/neighbor/stencil.cl.
    pub(super) fn left_out<'a>(&'a self, atoms: &'a DeviceAtoms) -> [Arg<'a>; 3] {
        [(&self.special.by_place).into(), (&atoms.arrays.mask).into(), (&self.molecule).into()]
    }

    /// Enqueues the way from IDs to places, after atoms have come into their order.
    ///
    /// # Errors
    /// When the device fails.
    pub fn map(&self, atoms: &DeviceAtoms, cells: &Cells) -> Result<()> {
        if !self.by_id {
            return Ok(());
        }
        self.map_tags_from(atoms, 0..atoms.n)?;
        self.map_links(atoms, cells, 0..atoms.n, false)
    }

    /// The same for a rank that knows its own atoms and those near them alone, after these have come into their order: whether it knows all
    /// atoms of its atoms' bonds, as do all other ranks. Else all have to learn where all atoms are, and to [map](BondMap::map_own) their own
    /// again. Waits for the device.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn map_near(&self, atoms: &DeviceAtoms, cells: &Cells, shares: &Shares) -> Result<bool> {
        if !self.by_id {
            return Ok(true);
        }
        shares.tell(&atoms.arrays.tag, Rows::one(1), true, atoms)?;
        if self.looks_at_positions(atoms) {
            shares.tell(&atoms.arrays.x, Rows::one(3), true, atoms)?;
        }
        self.place.clear(Section::Comm, 0..self.place.len())?;
        self.missing.clear(Section::Comm, 0..1)?;
        let (own, (places, ghosts)) = (shares.own(), shares.places_of_ghosts());
        self.map_tags_from(atoms, own.clone())?;
        self.map_tags(&self.map_tags_of, atoms, &[places.into(), Arg::U32(ghosts as u32)], ghosts)?;
        self.map_links(atoms, cells, own, true)?;
        let missing = match self.bonds.width {
            0 => 0,
            _ => self.missing.read(Section::Comm, 0..1)?[0],
        };
        Ok(ranks::max([missing.into()]) == [0])
    }

    /// Launches the kernel that only [`BondMap::map_near`] does, for no atoms.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn warm_up(&self, atoms: &DeviceAtoms) -> Result<()> {
        self.map_tags(&self.map_tags_of, atoms, &[(&self.missing).into(), Arg::U32(0)], 1)
    }

    /// The links of a rank's own atoms to any.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn map_own(&self, atoms: &DeviceAtoms, cells: &Cells, shares: &Shares) -> Result<()> {
        shares.gather(&atoms.arrays.tag, Rows::one(1))?;
        if self.looks_at_positions(atoms) {
            shares.gather(&atoms.arrays.x, Rows::one(3))?;
        }
        self.map_tags_from(atoms, 0..atoms.n)?;
        self.map_links(atoms, cells, shares.own(), false)
    }

    /// Whether atoms of bonds may be so far apart that their staged positions do not tell.
    fn looks_at_positions(&self, atoms: &DeviceAtoms) -> bool {
        self.bonds.width > 0 && !atoms.context.numerics.wide_pairs()
    }

    fn map_tags_from(&self, atoms: &DeviceAtoms, places: Range<usize>) -> Result<()> {
        let of = [places.start, places.end].map(|place| Arg::U32(place as u32));
        self.map_tags(&self.map_tags, atoms, &of, places.len())
    }

    fn map_tags(&self, kernel: &Kernel, atoms: &DeviceAtoms, of: &[Arg<'_>], count: usize) -> Result<()> {
        let args = [
            (&atoms.arrays.tag).into(),
            (&self.place).into(),
            (&self.molecule_of).into(),
            (&self.molecule).into(),
            (&atoms.status).into(),
            Arg::U32(atoms.step),
            i32::from(self.named).into(),
        ];
        kernel.launch_each(Section::Neigh, count, atoms.context.shape.local, &[&args, of].concat())
    }

    fn map_links(&self, atoms: &DeviceAtoms, cells: &Cells, of: Range<usize>, near: bool) -> Result<()> {
        let columns = &atoms.arrays;
        for (table, bonds) in [(&self.bonds, 1 + i32::from(self.may_lose)), (&self.special, 0)] {
            if table.width == 0 {
                continue;
            }
            let args = [
                (&columns.tag).into(),
                (&self.place).into(),
                (&table.by_tag).into(),
                (&table.by_place).into(),
                (&columns.x).into(),
                (&atoms.packed).into(),
                (&cells.box_buffer).into(),
                (&atoms.status).into(),
                Arg::U32(atoms.step),
                Arg::U32(table.width as u32),
                bonds.into(),
                Arg::U32(atoms.capacity as u32),
                Arg::U32(of.start as u32),
                Arg::U32(of.end as u32),
                i32::from(near).into(),
                (&self.missing).into(),
            ];
            self.map_links.launch_each(Section::Neigh, of.len(), atoms.context.shape.local, &args)?;
        }
        Ok(())
    }

    /// Whether some bond has snapped, for which the device has halted.
    ///
    /// # Errors
    /// When the device fails.
    pub fn snapped(&self, atoms: &DeviceAtoms) -> Result<bool> {
        let seen = atoms.status.read(Section::Neigh, 0..status::WORDS)?;
        Ok(of_all_ranks(seen[status::BONDS], seen[status::ATOM]).0 & fault::SNAPPED != 0)
    }

    /// Reads what kernels say of bonds.
    ///
    /// # Errors
    /// When a bond is broken, an atom of one is gone, or two atoms of one are too far apart; when the device fails.
    pub fn check(&self, atoms: &DeviceAtoms) -> Result<BondWarnings> {
        let seen = atoms.status.read(Section::Neigh, 0..status::WORDS)?;
        let (faults, atom) = of_all_ranks(seen[status::BONDS], seen[status::ATOM]);
        let error = |what: String, help: &str| Err(Error::new(what).help(help));
        match faults {
            // Atoms at no place are lost to their bonds, too; `Neighbor::make_room` has more to say of them.
            _ if seen[status::BAD] != 0 => Ok(BondWarnings::default()),
            faults if faults & fault::MISSING != 0 => error(
                format!("a bond of atom {atom} has lost its other atom"),
                "it left the box, or was deleted without its bonds (delete_atoms ... bond yes); 'thermo_modify \
                 lost/bond warn' lets such bonds go",
            ),
            faults if faults & fault::BROKEN != 0 => error(
                format!("bad bond of atom {atom}: {}", self.broken),
                "the simulation is unstable: look at the time step, overlapping atoms and image counts",
            ),
            faults if faults & fault::FAR != 0 => error(
                format!("the atoms of a bond of atom {atom} are too far apart"),
                "the simulation is unstable, or image counts are missing (replicate), or the cutoff is too short",
            ),
            faults => Ok(BondWarnings { long: faults & fault::LONG != 0, lost: faults & fault::LET_GO != 0 }),
        }
    }
}
