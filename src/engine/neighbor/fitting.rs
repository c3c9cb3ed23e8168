//! What a rebuild does to the box, and to the grid for it: faces follow the atoms, a box that leans far is flipped, and cells that no
//! longer fit are divided anew.

use super::cells::Cells;
use super::grid::{self, Grid};
use super::{Neighbor, Reach};
use crate::base::error::Result;
use crate::engine::device_atoms::DeviceAtoms;
use crate::model::domain::Domain;

impl Neighbor {
    /// Has the box divided at the next rebuild as a run does that begins there, which knows nothing of the box before.
    pub fn divide_anew(&mut self) {
        self.anew = !self.first_grid.is_like(&self.grid);
        self.stale |= self.anew;
    }

    /// Has the box flipped, and the list rebuilt, at a step.
    pub fn flip_at(&mut self, step: u32, by: [i32; 3]) {
        (self.forced, self.flip) = (Some(step), Some(by));
    }

    /// Whether the box is to be flipped at the next rebuild.
    pub fn is_to_flip(&self) -> bool {
        self.flip.is_some()
    }

    /// Has the box flipped at each rebuild at which it leans by more than a part of an edge.
    pub fn flip_beyond(&mut self, most_lean: f64) {
        self.most_lean = most_lean;
    }

    /// The grid follows the box, whose faces have followed the atoms.
    pub(super) fn fit_box(&mut self, atoms: &mut DeviceAtoms, domain: &mut Domain) -> Result<()> {
        let flip = self.flip.take().unwrap_or_else(|| domain.flips(self.most_lean));
        if flip != [0; 3] {
            domain.flip(flip);
            atoms.flip_images(flip)?;
            self.boxes[1] = domain.clone();
        }
        if domain.shrinks() || self.box_changed() || self.stale {
            self.fit_grid(atoms, domain)?;
        }
        if domain.flow.carried != 0 {
            self.cells.carry(atoms, &domain.flow, self.moved(atoms))?;
        }
        Ok(())
    }

    fn fit_grid(&mut self, atoms: &DeviceAtoms, domain: &Domain) -> Result<()> {
        self.boxes = [domain.clone(), domain.clone()];
        (self.fitted, self.stale) = (atoms.step, false);
        if self.context.numerics.wide_pairs() {
            atoms.write_dummies()?;
        }
        let Reach { longest, cell, .. } = self.reach;
        grid::check(domain, self.dimension, longest, cell, atoms.n)?;
        let anew = std::mem::take(&mut self.anew);
        let bounds = self.bounds_of_cells(domain);
        let fits = |grid: &Grid| grid.fits(domain, self.dimension, longest, cell, bounds);
        let next = match anew {
            true if fits(&self.first_grid) => Some(self.first_grid.clone()),
            false if fits(&self.grid) => None,
            _ => Some(Grid::with_room(domain, self.dimension, longest, cell, bounds)),
        };
        let Some(next) = next.filter(|next| !next.is_like(&self.grid)) else {
            // As the rest of a rebuild: whatever happened at this step itself.
            return self.cells.set_box(atoms, &self.grid, &self.boxes, atoms.step.saturating_sub(1));
        };
        self.grid = next;
        log::debug!("the box is divided anew, into cells {:?}", self.grid.cells);
        self.cells = Cells::new(&self.context, atoms.n, &self.grid, domain)?.launched_like(&self.cells);
        self.list.set_blocks(&self.context, atoms.capacity, self.cells.blocks)
    }

    /// Whether the grid does for another box.
    pub(super) fn grid_fits(&self, domain: &Domain) -> bool {
        let Reach { longest, cell, .. } = self.reach;
        self.grid.fits(domain, self.dimension, longest, cell, self.bounds_of_cells(domain))
    }

    /// The cells of a block each way, and the moduli.
    fn bounds_of_cells(&self, domain: &Domain) -> (usize, [f64; 3]) {
        (self.context.shape.block_edge.max(2), self.moduli_in(domain))
    }
}
