//! What the lists hold, as the host reads it.

use crate::base::error::Result;
use crate::engine::comm::AtomWork;
use crate::engine::device_atoms::DeviceAtoms;
use crate::engine::kernels::LaunchConfig;
use crate::engine::neighbor::Neighbor;
use crate::engine::neighbor::cells::Cells;
use crate::engine::neighbor::list::{List, Page};
use crate::gpu::record::Section;

/// Bits of an entry that are a place, where atoms share lists (cl/neighbor/list_layout.cl).
pub(crate) const PLACE_BITS: u32 = 28;

impl List {
    /// The clusters: first atom, number of atoms, and the entries of their list, with bits that name the atoms (cl/neighbor/list_layout.cl).
    fn clusters(
        &self,
        atoms: &DeviceAtoms,
        cells: &Cells,
        mut visit: impl FnMut(usize, usize, &[u32]),
    ) -> Result<()> {
        let (cluster, chunk) = (self.shape.cluster(), self.shape.entries());
        let table = cells.block_table.read(Section::Output, 0..4 * cells.blocks)?;
        for page in &self.pages {
            let last = (page.first + page.n).min(atoms.n);
            page.entries.view(Section::Output, 0..page.entries.len(), |entries| {
                for (octant, row) in table.chunks_exact(4).enumerate() {
                    let (begin, end) = (page.first.max(row[0] as usize), last.min(row[1] as usize));
                    let before = begin.saturating_sub(page.first);
                    let slot = before.min(before / cluster + octant); // cluster_slot of cl/neighbor/list_layout.cl
                    let mut at = slot * self.rows * chunk;
                    for first in (begin..end).step_by(cluster) {
                        let count = entries[at] as usize;
                        visit(first, cluster.min(end - first), &entries[at + chunk..at + chunk + count]);
                        at += (1 + count.div_ceil(chunk)) * chunk;
                    }
                }
            })?;
        }
        Ok(())
    }

    /// How many neighbours all atoms have together, and how many entries the list has: fewer, where atoms share one.
    ///
    /// # Errors
    /// When the device fails.
    pub fn totals(&self, atoms: &DeviceAtoms, cells: &Cells) -> Result<[u64; 2]> {
        let total = match self.octants {
            0 => self.entries_of_atoms(atoms)?,
            _ => {
                let (mut neighbors, mut stored) = (0, 0);
                self.clusters(atoms, cells, |_, _, list| {
                    neighbors +=
                        list.iter().map(|entry| u64::from((entry >> PLACE_BITS).count_ones())).sum::<u64>();
                    stored += list.len() as u64;
                })?;
                return Ok([neighbors, stored]);
            }
        };
        Ok([total; 2])
    }

    /// How many entries the list of each atom that has one here has, in their order; where atoms share one, the same part for each of them.
    ///
    /// # Errors
    /// When the device fails.
    pub fn entries_by_atom(&self, atoms: &DeviceAtoms, cells: &Cells) -> Result<Vec<f64>> {
        let held = |page: &Page| page.n.min(atoms.n.saturating_sub(page.first));
        let begin = self.pages.first().map_or(0, |page| page.first);
        let mut entries = vec![0.0; self.pages.iter().map(held).sum()];
        if self.octants > 0 {
            self.clusters(atoms, cells, |first, held, list| {
                entries[first - begin..first - begin + held].fill(list.len() as f64 / held as f64);
            })?;
            return Ok(entries);
        }
        let lanes = self.shape.lanes;
        for (part, page) in
            (0..self.tile_parts).flat_map(|part| self.pages.iter().map(move |page| (part, page)))
        {
            let first = part * atoms.capacity + page.first;
            self.neighbors.view(Section::Comm, first * lanes..(first + held(page)) * lanes, |counts| {
                let of_page = entries[page.first - begin..].iter_mut().zip(counts.chunks_exact(lanes));
                of_page.for_each(|(entries, counts)| *entries += f64::from(counts.iter().sum::<u32>()));
            })?;
        }
        Ok(entries)
    }

    fn entries_of_atoms(&self, atoms: &DeviceAtoms) -> Result<u64> {
        let mut total = 0;
        for part in 0..self.tile_parts {
            let (stride, lanes) = (part * atoms.capacity, self.shape.lanes);
            for page in &self.pages {
                let first = stride + page.first;
                let last = first + page.n.min(atoms.n.saturating_sub(page.first));
                total += self.neighbors.view(Section::Output, first * lanes..last * lanes, |counts| {
                    counts.iter().map(|&c| u64::from(c)).sum::<u64>()
                })?;
            }
        }
        Ok(total)
    }

    /// The list as the host sees it: the entries of each atom, places among the staged positions. Not for lists in
    /// tiles by kernels that break [`crate::engine::kernels::variants::Variant::Banks`], which scatter these.
    ///
    /// # Errors
    /// When the device fails.
    pub fn download(&self, atoms: &DeviceAtoms, cells: &Cells) -> Result<Vec<Vec<u32>>> {
        if self.octants > 0 {
            let mut lists = vec![Vec::new(); atoms.n];
            self.clusters(atoms, cells, |first, held, list| {
                for entry in list {
                    let near = (0..held).filter(|k| entry >> PLACE_BITS >> k & 1 == 1);
                    near.for_each(|k| lists[first + k].push(entry & !(u32::MAX << PLACE_BITS)));
                }
            })?;
            return Ok(lists);
        }
        let counts = self.neighbors.read(Section::Output, 0..self.neighbors.len())?;
        let LaunchConfig { lanes, list_width, tile_atoms, .. } = self.shape;
        let (words, per_chunk) = (self.shape.words(), self.shape.entries());
        let tiles = self.tiles.read(Section::Output, 0..self.tiles.len())?;
        let mut tile_of = vec![0; atoms.n];
        // Without tiles the table has something else, or nothing.
        let blocks = if self.shape.tile { cells.block_table.len() } else { 0 };
        for block in cells.block_table.read(Section::Output, 0..blocks)?.chunks_exact(4) {
            tile_of[block[0] as usize..block[1] as usize].fill(block[2] as usize);
        }
        let mut lists = Vec::with_capacity(atoms.n);
        for page in &self.pages {
            let entries = page.entries.read(Section::Output, 0..page.entries.len())?;
            for index in 0..page.n.min(atoms.n.saturating_sub(page.first)) {
                let atom = page.first + index;
                let mut list = Vec::new();
                for lane in 0..lanes {
                    let item = index * lanes + lane;
                    let begin =
                        item / list_width * self.rows * list_width * words + item % list_width * words;
                    let mut chunk = 0;
                    for part in 0..self.tile_parts {
                        let count = counts[(part * atoms.capacity + atom) * lanes + lane] as usize;
                        list.extend((0..count).map(|k| {
                            let at = begin + (chunk + k / per_chunk) * list_width * words;
                            let k = k % per_chunk;
                            if !self.shape.tile {
                                return entries[at + k];
                            }
                            // STORE_CHUNK of cl/neighbor/list_buffer.cl: two to a word, the earlier one below.
                            let offset = entries[at + k / 2] >> (16 * (k % 2)) & 0xffff;
                            let place = offset as usize / self.position_bytes;
                            tiles[tile_of[atom] + part * tile_atoms + place]
                        }));
                        chunk += count.div_ceil(per_chunk);
                    }
                }
                lists.push(list);
            }
        }
        Ok(lists)
    }
}

impl Neighbor {
    /// The work of each of this rank's atoms, where ranks share them out.
    ///
    /// # Errors
    /// When the device fails.
    pub fn work(&self, atoms: &DeviceAtoms, what: &AtomWork) -> Result<Option<Vec<f64>>> {
        let Some(shares) = &self.shares else { return Ok(None) };
        what.of(self.list.entries_by_atom(atoms, &self.cells)?, shares, atoms).map(Some)
    }

    /// How many neighbours all atoms have together.
    ///
    /// # Errors
    /// When the device fails.
    pub fn pairs(&self, atoms: &DeviceAtoms) -> Result<u64> {
        let long = self.long.as_ref().map_or(Ok(0), |long| long.total(atoms))?;
        Ok(self.list.totals(atoms, &self.cells)?[0] + long)
    }

    /// The lists as the host sees them, those of long pairs included: the entries of each atom, places among the staged positions.
    ///
    /// # Errors
    /// As [`List::download`].
    pub fn download(&self, atoms: &DeviceAtoms) -> Result<Vec<Vec<u32>>> {
        let mut lists = self.list.download(atoms, &self.cells)?;
        if let Some(long) = &self.long {
            lists.iter_mut().zip(long.download(atoms)?).for_each(|(list, mut long)| list.append(&mut long));
        }
        Ok(lists)
    }
}
