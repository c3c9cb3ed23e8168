//! What the kernels of a run move and compute, counted from the sizes of what they work on: for the roofline.
//!
//! **Bytes** are what would cross the bus to the device's memory if caches were perfect: each array that a kernel reads
//! or writes counts once per launch, however many atoms look at one place. Padding of lists does not count.
//!
//! **Operations** are those on floating-point numbers that the result needs. A sum, a difference or a product counts one,
//! a multiply-add two, a division, root, exponential, power or sine ten, as the paper behind `clamps bench force` counts a
//! division. Comparisons, conversions, integers and what it takes to find the nearest image do not count, nor does what a
//! vector computes beyond the cutoff. So an entry of the list costs [`ENTRY_OPERATIONS`], one within the cutoff what its
//! style says ([`crate::potentials::pair::style::Style::operations`]) and `SUM_OPERATIONS`, a candidate of the list build as much as an entry.
//!
//! Lists, cells and pairs are those at the end of the run; where they change during it, the counts are off as much.

use crate::gpu::record::KernelCost;

use crate::base::error::Result;
use crate::engine::device_atoms::{DeviceAtoms, status};
use crate::engine::kernels::{Context, Numerics};
use crate::engine::neighbor::{Neighbor, Settings};
use crate::engine::simulation::Simulation;
use crate::engine::step::counted;
use crate::engine::timing::{COUPLED_STEP, FORCE_AND_KICK, FUSED_STEP, GATHER_MEASURED, ORDER_ATOMS, parts};
use crate::gpu::record::{KernelRecord, Section};
use crate::potentials::pair::Resolved;
use crate::session::fix::Fix;

/// Operations of a list entry: three differences, and the squared distance.
pub const ENTRY_OPERATIONS: u32 = 8;

/// Fills in the work of the kernels of a run that has just ended. Of pair styles whose operations nobody has counted,
/// the pair kernels keep none.
///
/// # Errors
/// When the device fails or lacks memory.
pub fn count(
    simulation: &Simulation,
    pair: &Resolved<'_>,
    fixes: &[Box<dyn Fix>],
    settings: &Settings,
    kernels: &mut [KernelRecord],
) -> Result<()> {
    let sizes = Sizes::of(simulation, pair, fixes, settings)?;
    for kernel in kernels {
        kernel.work = sizes.per_launch(&kernel.name).map(|(bytes, operations)| KernelCost {
            bytes_moved: bytes * kernel.calls as f64,
            operations: operations * kernel.calls as f64,
        });
    }
    Ok(())
}

/// Operations of the forces of all pairs within the cutoff, and of what their tallies cost besides; `None` where nobody
/// has counted those of a style.
///
/// # Errors
/// When the device fails or lacks memory.
pub fn pair_operations(simulation: &Simulation, pair: &Resolved<'_>) -> Result<Option<[f64; 2]>> {
    // Nobody counts pairs in lists of their own.
    let operations = pair.operations().filter(|_| simulation.neighbor.long.is_none());
    let Some(operations) = operations else { return Ok(None) };
    let row = |(cutoff, [force, energy]): (f64, [u32; 2])| [cutoff * cutoff, force.into(), energy.into()];
    let rows: Vec<[f64; 3]> = pair.cutoffs().into_iter().zip(operations).map(row).collect();
    // One row where all pairs are alike.
    let kinds = if rows.iter().all(|row| row == &rows[0]) { 1 } else { pair.types };
    let coefficients = counted(kinds, &rows[..kinds * kinds]);
    let (energy, virial) = simulation.sums_over_pairs(&coefficients)?;
    // Whole numbers, but for rounding.
    Ok(Some([energy.round(), (virial[0] + virial[1] + virial[2]).round()]))
}

/// What the work depends on; all in numbers of things or bytes.
struct Sizes {
    atoms: f64,
    cells: f64,
    /// Launches of a kernel over the list in a step.
    pages: f64,
    /// Bytes of a number of type `real`.
    real: f64,
    /// Bytes of a number of type `accum`.
    accum: f64,
    /// Bytes of a staged position, and of all copies of one.
    staged: f64,
    copies: f64,
    entries: f64,
    /// Bytes of the list, with its counts, the tiles and their blocks.
    list: f64,
    /// Pairs that the list build looks at.
    candidates: f64,
    /// As [`pair_operations`].
    pairs: Option<[f64; 2]>,
    /// Operations of the fixes per atom, before the forces and after them.
    fixes: [f64; 2],
    /// Numbers that a fix on the device adds up of each atom, and whether they take tallies.
    measured: f64,
    tallied: f64,
    /// Digit counts of all work-groups of a pass of the radix sort.
    digits: f64,
    /// The share of steps that compare an atom's way since the last build.
    watched: f64,
    /// Bytes of a velocity between two halves of a kick, where those are kept.
    half_step_v: f64,
    /// Launches of a fused step for each page.
    launches: f64,
}

impl Sizes {
    fn of(
        simulation: &Simulation,
        pair: &Resolved<'_>,
        fixes: &[Box<dyn Fix>],
        settings: &Settings,
    ) -> Result<Self> {
        let Simulation { atoms, neighbor, .. } = simulation;
        let Context { numerics, shape, copies, .. } = &atoms.context;
        let [neighbors, stored] = neighbor.list.totals(atoms, neighbor.cells())?;
        let counts = 4 * neighbor.list.neighbors.len();
        let staged = staged_bytes(*numerics);
        let (entry_bytes, tiles) = if shape.tile {
            let positions = atoms.status.read(Section::Output, status::TILES..status::TILES + 1)?[0];
            (2.0, 4.0 * f64::from(positions) + neighbor.cells().blocks as f64 * (16.0 + staged))
        } else {
            (4.0, 0.0)
        };
        let own = if simulation.step_kernels.moves_own_atoms() { simulation.own_atoms() } else { atoms.n };
        let operations = fixes.iter().map(|fix| fix.operations().map(f64::from));
        Ok(Sizes {
            atoms: own as f64,
            launches: f64::from(1 + u8::from(neighbor.phases().is_some())),
            cells: neighbor.grid().rank.len() as f64,
            pages: neighbor.list.pages.len().max(1) as f64,
            real: if numerics.wide_pairs() { 8.0 } else { 4.0 },
            accum: if numerics.wide() { 8.0 } else { 4.0 },
            staged,
            copies: *copies as f64 * staged,
            entries: neighbors as f64,
            list: stored as f64 * entry_bytes + counts as f64 + tiles,
            candidates: candidates(atoms, neighbor)?,
            pairs: pair_operations(simulation, pair)?,
            fixes: operations.fold([0.0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]),
            measured: simulation.step_kernels.measured() as f64,
            tallied: f64::from(simulation.step_kernels.moves_box()),
            digits: (atoms.n.div_ceil(shape.sort_local * shape.sort_items) << shape.sort_bits) as f64,
            watched: if settings.check { 1.0 / settings.every as f64 } else { 0.0 },
            half_step_v: if neighbor.prediction.ahead() { 12.0 } else { 0.0 },
        })
    }

    /// Bytes and operations of one launch of a kernel; `None` for what is no kernel, or not counted.
    fn per_launch(&self, kernel: &str) -> Option<(f64, f64)> {
        let Sizes { atoms, cells, real, accum, staged, copies, measured, tallied, half_step_v, .. } = *self;
        // Positions and velocities read and written; type and mask.
        let moved = 48.0 + 6.0 * accum + 8.0;
        let placed = copies + self.watched * (staged + half_step_v);
        let [initial, last] = self.fixes;
        // Each pair is in the lists of both atoms.
        let forces = |tally: f64| {
            let [force, energy] = self.pairs?;
            Some(f64::from(ENTRY_OPERATIONS) * self.entries + 2.0 * (force + tally * energy))
        };
        let pairs_read = self.list + atoms * copies;
        let per_page = |(bytes, operations): (f64, f64)| (bytes / self.pages, operations / self.pages);
        Some(match kernel {
            "pair_force" => per_page((pairs_read + 3.0 * real * atoms, forces(0.0)?)),
            "pair_force_tally" => per_page((pairs_read + 11.0 * real * atoms, forces(1.0)?)),
            FUSED_STEP => {
                let (bytes, operations) = per_page((
                    pairs_read + (moved + placed) * atoms,
                    forces(0.0)? + (initial + last) * atoms,
                ));
                (bytes / self.launches, operations / self.launches)
            }
            // Forces, too, which the end of a step reads again.
            COUPLED_STEP => {
                let bytes = pairs_read + (moved + placed + 6.0 * real) * atoms;
                per_page((bytes, forces(tallied)? + (initial + last) * atoms))
            }
            // Velocities read and written, forces and the numbers of each atom written; type and mask.
            FORCE_AND_KICK => {
                let bytes = pairs_read + ((6.0 + measured) * accum + 3.0 * real + 8.0) * atoms;
                per_page((bytes, forces(tallied)? + last * atoms))
            }
            "measure_atoms" => (((3.0 + measured) * accum + tallied * 8.0 * real + 8.0) * atoms, 0.0),
            GATHER_MEASURED => (measured * accum * atoms, measured * atoms),
            "initial_integrate" => ((moved + placed + 3.0 * real) * atoms, initial * atoms),
            "final_initial_step" => ((moved + placed + 3.0 * real) * atoms, (initial + last) * atoms),
            "final_integrate" => ((6.0 * accum + 8.0 + 6.0 * real) * atoms, last * atoms),
            // Positions, cells of the atoms, ranges.
            "build_list" => {
                let bytes = self.list + (copies + 4.0) * atoms + 8.0 * cells;
                per_page((bytes, f64::from(ENTRY_OPERATIONS) * self.candidates))
            }
            // Positions read, and where positions are predicted two velocities; cell and number in it written; counts, ranks.
            "bin_atoms" => {
                let predicting = if half_step_v > 0.0 { 3.0 * accum + half_step_v } else { 0.0 };
                ((24.0 + predicting + 8.0) * atoms + 12.0 * cells, 6.0 * atoms)
            }
            "count_groups" => (4.0 * cells, 0.0),
            "count_ranges" => (20.0 * cells, 0.0),
            // A pass reads keys, and writes and reads payloads with them, but for the first; digit counts.
            "sort_count" => (4.0 * atoms + 4.0 * self.digits, 0.0),
            "scan" => (8.0 * self.digits, 0.0),
            "sort_scatter" => (16.0 * atoms + 4.0 * self.digits, 0.0),
            // Keys once, and the ranges of cells that hold atoms.
            "cell_ranges" => (4.0 * atoms + 8.0 * cells, 0.0),
            "place_atoms" => (12.0 * atoms + 8.0 * cells, 0.0),
            // As above, and images, tags, types, masks read and written, cells read and written.
            "permute_atoms" => {
                ((4.0 + 8.0 + moved + 16.0 + 16.0 + copies + staged + half_step_v) * atoms + 8.0 * cells, 0.0)
            }
            ORDER_ATOMS => parts(ORDER_ATOMS)
                .iter()
                .filter_map(|(part, _)| self.per_launch(part))
                .fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1)),
            "reduce_tally" => (8.0 * real * atoms, 8.0 * atoms),
            "reduce_row" => ((8.0 * real + 3.0 * accum + 4.0) * atoms, 24.0 * atoms),
            "reduce_kinetic" => ((3.0 * accum + 8.0) * atoms, 16.0 * atoms),
            "reduce_extent" => (24.0 * atoms, 0.0),
            _ => return None,
        })
    }
}

fn staged_bytes(numerics: Numerics) -> f64 {
    4.0 * numerics.staged_words() as f64
}

/// How many pairs of an atom and a candidate the list build compares: each atom with those of the cells around it, on CPUs
/// around its octant.
fn candidates(atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<f64> {
    let (ranges, grid) = (&neighbor.cells().ranges, neighbor.grid());
    let counts: Vec<f64> = ranges.view(Section::Output, 0..2 * grid.rank.len(), |ranges| {
        ranges.chunks_exact(2).map(|range| f64::from(range[1] - range[0])).collect()
    })?;
    let edge = if atoms.context.shape.block_edge == 0 { 2 } else { 1 };
    let around = (0..3).fold(counts.clone(), |sums, axis| {
        let stride: usize = grid.cells[..axis].iter().product();
        let (cells, stencil) = (grid.cells[axis] as isize, grid.stencil[axis] as isize);
        let sum_at = |cell: usize| {
            let at = (cell / stride) as isize % cells;
            let low = at - at % edge;
            let window = low - stencil..=(low + edge - 1).min(cells - 1) + stencil;
            let seen = window.filter(|k| atoms.context.numerics.images[axis] || (0..cells).contains(k));
            seen.map(|k| sums[cell + k.rem_euclid(cells) as usize * stride - at as usize * stride]).sum()
        };
        (0..sums.len()).map(sum_at).collect()
    });
    Ok(counts.iter().zip(&around).map(|(own, around)| own * around).sum())
}
