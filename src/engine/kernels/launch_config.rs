//! How work is cut up on a device.

use crate::engine::kernels::variants::KernelVariants;
use crate::gpu::options::Precision;
use crate::gpu::{DeviceInfo, DeviceKind, Exchange, Gpu};
use crate::potentials::pair::style::PairInputs;

/// Numbers of atoms that want the same shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SizeClass {
    /// Below 20,000: a launch costs as much as its work.
    Small,
    /// Below 100,000.
    Medium,
    /// From 100,000 on: all of the device is busy.
    Large,
}

impl SizeClass {
    /// That of a number of atoms.
    pub fn of(atoms: usize) -> Self {
        match atoms {
            0..20_000 => SizeClass::Small,
            20_000..100_000 => SizeClass::Medium,
            _ => SizeClass::Large,
        }
    }
}

/// How work is cut up on a device: fixed before step 0, printed in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LaunchConfig {
    /// Pairs that a work-item handles at once, as one vector.
    pub vector: usize,
    /// Whether four atoms share a list, so that a vector holds the pairs of all four with an entry: on CPUs, with vectors of
    /// four and more.
    pub clusters: bool,
    /// Work-items per atom in the pair kernel.
    pub lanes: usize,
    /// Work-items whose list entries are interleaved.
    pub list_width: usize,
    /// Work-group of the pair kernel.
    pub pair_local: usize,
    /// Whether lists name places in a tile of local memory that the atoms of a block of cells share.
    pub tile: bool,
    /// Cells per axis of a block, which a work-group of the list builder takes; 0: one work-item per octant of
    /// cells, for CPUs.
    pub block_edge: usize,
    /// Work-group that takes a block.
    pub block_local: usize,
    /// Positions in local memory at a time.
    #[serde(alias = "crowd")]
    pub tile_atoms: usize,
    /// How the work-items of an atom exchange values.
    pub exchange: Exchange,
    /// Steps that one launch makes at most, where the script and the device allow more than one.
    #[serde(default = "one")]
    pub steps: usize,
    /// Cores of a CPU that make such a launch, and wait for one another; 1 where one does it alone.
    #[serde(default = "one", alias = "crew")]
    pub cores: usize,
    /// Whether the work-items of such a launch may be more than half of what the device holds at a time.
    #[serde(default = "yes", alias = "crowded")]
    pub fills_device: bool,
    /// Unrolling of the neighbour loop.
    pub unroll: usize,
    /// Work-group of per-atom kernels.
    pub local: usize,
    /// Work-group of reductions.
    pub reduce_local: usize,
    /// Groups of a reduction.
    pub reduce_groups: usize,
    /// Work-group of the sort.
    pub sort_local: usize,
    /// Keys per work-item of the sort.
    pub sort_items: usize,
    /// Bits per digit of the sort.
    pub sort_bits: usize,
    /// Work-group of the prefix sum.
    pub scan_local: usize,
    /// Values per work-item and round of the prefix sum.
    pub scan_items: usize,
    /// Groups of the prefix sum over cells.
    pub scan_groups: usize,
    /// Whether atoms are sorted by counting those of each cell, else by radix.
    pub counting: bool,
    /// Bytes of the largest array of neighbour list entries; a longer list is cut into pages.
    pub page_bytes: usize,
    /// Whether the pair kernel skips vectors of pairs that are all beyond the cutoff.
    pub skip: bool,
    /// Which rules of writing kernels are followed.
    #[serde(skip_deserializing)]
    pub rules: KernelVariants,
}

/// Atoms, and neighbours of all of them, with which one core of a CPU makes a step in the time that it takes to bring others to it, in
/// fp32; half as many in fp64.
const ALONE: usize = 1000;
const ALONE_NEIGHBORS: f64 = 2e4;

/// Times as many where there are no others: steps that one work-item makes in some tenths of a second.
const ALONE_BY_NATURE: usize = 16;

/// Work-items that a compute unit of a GPU holds at the same time with the registers that the neighbour loop takes in fp32;
/// half as many in fp64.
const HELD_BY_UNIT: usize = 1024;

/// Work-items per atom where work-groups wait for one another, and which part of what a device holds they may be then, in fp32 and in
/// fp64. The fewer of them, the sooner they meet; the more, the shorter the way of each through its list (docs/performance.md).
const LANES_THAT_WAIT: [(usize, [f64; 2]); 6] = [
    (32, [0.25, 0.5]),
    (16, [0.25, 1.0]),
    (8, [0.75, 1.0]),
    (4, [1.0, 1.0]),
    (2, [1.0, 1.0]),
    (1, [1.0, 0.0]),
];

/// Work-items at most that share an atom and its bonds, of which it has few.
const MOST_BY_BONDS: usize = 8;

/// How the lists of a run may be shared out on GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lists {
    /// In every way.
    #[default]
    Any,
    /// Entry by entry, and those beyond the cutoff are left out: a pair takes many times as long as a distance.
    Singly,
    /// The same without tiles: local memory has no room for what is seen of atoms (cl/force/loop_picked.cl).
    Picked,
    /// An atom's list is one work-item's, who keeps its neighbours within the cutoff (cl/force/partial_forces.cl).
    OneLane,
    /// The same, but several may share an atom and its neighbours within the cutoff.
    ByBonds,
}

impl Lists {
    /// By what pair styles see of atoms.
    pub fn of(seen: PairInputs) -> Self {
        match seen {
            PairInputs { slot_sets: 1.., by_bonds: true, .. } => Lists::ByBonds,
            PairInputs { slot_sets: 1.., .. } => Lists::OneLane,
            seen if seen.picked() => Lists::Picked,
            seen if seen.numbers() > 0 => Lists::Singly,
            _ => Lists::Any,
        }
    }
}

/// What a run asks of its steps besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepNeeds {
    /// Each step is a launch or several, whatever its size.
    pub single: bool,
    /// How lists may be shared out on GPUs.
    pub lists: Lists,
    /// A fix on the device moves the box, by virials: the neighbour loop and what follows it take twice the registers.
    pub moves_box: bool,
}

/// Positions in local memory at a time, at least.
const LEAST_TILE_ATOMS: usize = 64;

/// So many times the atoms, and neighbours of all of them, that one core makes a step of.
pub(super) fn alone(times: usize, precision: Precision) -> (usize, f64) {
    match precision {
        Precision::Double => (times * ALONE / 2, times as f64 * ALONE_NEIGHBORS / 2.0),
        _ => (times * ALONE, times as f64 * ALONE_NEIGHBORS),
    }
}

/// Those with which one work-item of a device makes steps.
fn alone_on(device: &DeviceInfo, precision: Precision) -> (usize, f64) {
    alone(if device.units == 1 { ALONE_BY_NATURE } else { 1 }, precision)
}

/// Atoms per core, and neighbours of them together, at most, of which cores of a CPU make several steps in a launch: with more of them the
/// launch is a small part.
const ATOMS_PER_CORE: usize = 3500;
const NEIGHBORS_PER_CORE: f64 = 4e5;
const MOST_CORES: usize = 64;
/// Atoms per core that are worth leaving some cores out.
const ATOMS_PER_CHOSEN_CORE: usize = 500;

/// Steps of a launch at most, and cores that make it.
fn steps_and_cores(
    atoms: usize,
    neighbors: f64,
    device: &DeviceInfo,
    precision: Precision,
) -> (usize, usize) {
    const STEPS: usize = 32;
    let (few, few_neighbors) = alone_on(device, precision);
    let units = device.units as usize;
    let cores = units.min(MOST_CORES);
    let each = if cores == units { ATOMS_PER_CORE } else { ATOMS_PER_CHOSEN_CORE };
    let most_neighbors = cores as f64 * NEIGHBORS_PER_CORE;
    match () {
        () if atoms <= few && neighbors <= few_neighbors => (STEPS, 1),
        // Others' work-groups may have to wait until those before them are done.
        () if cores > 1 && device.is_pocl() && atoms <= cores * each && neighbors <= most_neighbors => {
            (STEPS, cores)
        }
        () => (1, 1),
    }
}

/// What shapes have that were written down before several steps could share a launch.
fn one() -> usize {
    1
}

/// What asks for the least of a device.
fn yes() -> bool {
    true
}

impl LaunchConfig {
    /// Atoms that share a list.
    pub fn cluster(self) -> usize {
        if self.clusters { 4 } else { 1 }
    }

    /// Whether these lists are as a run asks for.
    pub fn suits(self, lists: Lists) -> bool {
        match lists {
            Lists::Any => true,
            Lists::Singly => self.clusters || self.vector == 1 && self.skip,
            Lists::Picked => self.clusters || !self.tile && self.vector == 1,
            Lists::OneLane => !self.tile && self.lanes == 1,
            Lists::ByBonds => !self.tile,
        }
    }

    /// Whether one work-item makes steps and orders atoms: on CPUs, of so few that bringing the others would take longer.
    pub fn alone(self) -> bool {
        self.clusters && self.steps > 1 && self.cores == 1
    }

    /// Whether work-groups of one launch may wait for one another between steps, where the device can do that.
    pub fn gated(self) -> bool {
        self.steps > 1 && !self.tile && (!self.clusters || self.cores > 1)
    }

    /// Entries that a work-item reads from its list at once.
    pub fn entries(self) -> usize {
        if self.tile { 8 } else { self.vector / self.cluster() }
    }

    /// Words of 32 bits that these take.
    pub fn words(self) -> usize {
        if self.tile { 4 } else { self.entries() }
    }

    /// How the work-items of an atom exchange values on a device; where ranks have devices of different kinds, each in its own way.
    pub fn exchange_on(self, gpu: &Gpu) -> Exchange {
        let info = gpu.info();
        match gpu.is_among_others() {
            false => self.exchange,
            true if self.clusters || info.simd != self.list_width => Exchange::Local,
            true => Exchange::of(info, self.list_width.min(32)),
        }
    }

    /// Work-items and work-group of a kernel of the pair program for `n` atoms in `blocks` blocks (octants) of cells.
    pub fn pair_items(self, n: usize, blocks: usize) -> (usize, usize) {
        if self.tile {
            (blocks * self.block_local, self.block_local)
        } else if self.cluster() > 1 {
            (blocks, self.pair_local)
        } else {
            (n * self.lanes, self.pair_local)
        }
    }

    /// With steps in a launch, and cores that make it, as pay for so many atoms with so many neighbours together.
    pub fn shared_by(self, atoms: usize, neighbors: f64, device: &DeviceInfo, precision: Precision) -> Self {
        if !self.clusters || self.steps == 1 {
            return self;
        }
        let (steps, cores) = steps_and_cores(atoms, neighbors, device, precision);
        LaunchConfig { steps, cores, ..self }
    }

    /// Whether the work-items that share an atom exchange their sums by way of local memory.
    pub fn exchanges_in_memory(self) -> bool {
        self.lanes > 1 && !self.exchange.in_registers()
    }

    /// As [`LaunchConfig::pair_items`], where a launch makes several steps: where atoms share lists, on CPUs, a work-item is a core.
    pub fn items_of_several(self, n: usize) -> (usize, usize) {
        if self.cluster() > 1 { (self.cores, 1) } else { self.pair_items(n, 0) }
    }

    /// Work-groups of such a launch.
    pub fn groups_of_several(self, n: usize) -> usize {
        let (items, local) = self.items_of_several(n);
        if self.gated() { items.div_ceil(local).max(1) } else { 1 }
    }

    /// Positions that a device's local memory takes at a time, with tiles or without.
    pub fn tile_atoms(device: &DeviceInfo, precision: Precision, tile: bool) -> usize {
        LaunchConfig::tile_atoms_seen(device, precision, tile, PairInputs::default())
    }

    /// As [`LaunchConfig::tile_atoms`], where more is seen of atoms than positions.
    pub fn tile_atoms_seen(device: &DeviceInfo, precision: Precision, tile: bool, seen: PairInputs) -> usize {
        let local = device.local_memory as usize;
        // What the list builder has ([`LaunchConfig::builder_bytes`]), with stencils of two and work-groups of 160 so many bytes
        // besides positions; the pair kernel has the tile.
        let (each, besides) = (LaunchConfig::position_bytes(tile), if tile { 24 << 10 } else { 23 << 10 });
        let real = if precision == Precision::Double { 8 } else { 4 };
        let in_tile = (4 + seen.reals()) * real;
        let held = local.saturating_sub(besides) / each;
        let held = if tile { held.min(local.saturating_sub(1 << 10) / in_tile) } else { held };
        // In a liquid a block of four cells per axis has some 1,200 candidates, one of two some 500. With more room fewer work-groups
        // are on the device at a time, which in tiles is not the same for both precisions (docs/performance.md).
        let most = match (tile, precision) {
            (false, _) => 800,
            (true, Precision::Double) => 1400,
            (true, _) => 1300,
        };
        held.clamp(LEAST_TILE_ATOMS, most)
    }

    /// Bytes of local memory that the list builder of GPUs takes where a block and what its lists reach are `around` cells.
    pub fn builder_bytes(self, around: usize) -> usize {
        // Entries on their way: cl/neighbor/list_buffer.cl; cl/neighbor/build_plain.cl, masks, where they start, what they choose, atoms.
        let (waiting, beyond) = match self.tile {
            true => ((96 * self.block_local).max(4 * self.tile_atoms), 4 * self.lanes),
            false => ((4 * 896).max(8 * self.block_local) + 3 * 896 + 2 * 4160 + 42 * 64, 4),
        };
        let besides = (self.tile_atoms + beyond) * LaunchConfig::position_bytes(self.tile) + waiting + 128;
        around.saturating_mul(8).saturating_add(besides)
    }

    /// Bytes of a position in the local memory of the list builder (cl/neighbor/build.cl): in single precision, without a tile also
    /// where it came from.
    fn position_bytes(tile: bool) -> usize {
        if tile { 16 } else { 20 }
    }

    /// With less positions at a time, down to the least, where the list builder lacks local memory for `around` cells: in
    /// boxes shorter than the cutoff, of which lists see many copies, a block reaches more cells than stencils of two have.
    pub fn with_room_for(self, around: usize, local_memory: u64) -> Self {
        if self.block_edge == 0 {
            return self;
        }
        let lacking = self.builder_bytes(around).saturating_sub(local_memory as usize);
        let tile_atoms =
            self.tile_atoms.saturating_sub(lacking.div_ceil(LaunchConfig::position_bytes(self.tile)));
        LaunchConfig { tile_atoms: tile_atoms.max(LEAST_TILE_ATOMS.min(self.tile_atoms)), ..self }
    }

    /// Work-items per atom where each step is a launch of its own, on GPUs.
    pub fn lanes_of(size: SizeClass) -> usize {
        match size {
            SizeClass::Small => 8,
            SizeClass::Medium => 4,
            SizeClass::Large => 1,
        }
    }

    /// The shipped choice for a device, a precision and a number of atoms.
    pub fn new(device: &DeviceInfo, precision: Precision, atoms: usize) -> Self {
        LaunchConfig::asked(device, precision, atoms, StepNeeds::default())
    }

    /// The same for what a run asks of its steps.
    pub fn asked(
        device: &DeviceInfo,
        precision: Precision,
        atoms: usize,
        StepNeeds { single, lists, moves_box }: StepNeeds,
    ) -> Self {
        let wide = usize::from(precision == Precision::Double);
        let page_bytes = device.max_alloc as usize;
        if device.shaped_as() == DeviceKind::Gpu {
            let wave = device.simd.clamp(8, 64).next_power_of_two();
            let size = SizeClass::of(atoms);
            let limit = 1 << device.max_work_group.ilog2();
            let tile = size == SizeClass::Large && matches!(lists, Lists::Any | Lists::Singly);
            // Whole waves, which by `clamps tune` on an H200 are the fastest (docs/tune.md).
            let waves = |items: usize| limit.min(items.next_multiple_of(wave));
            let exchange = Exchange::of(device, wave.min(32));
            // Where work-groups can wait for one another: all that there are have to be on the device at the same time.
            let held = (device.units as usize * HELD_BY_UNIT) >> wide >> usize::from(moves_box);
            let items = |lanes: usize| atoms.saturating_mul(lanes);
            let fit = |&(lanes, shares): &(usize, [f64; 2])| {
                let share = match lists {
                    // Pairs take so long that more work-items pay more than fewer launches (docs/notes/many-body.md).
                    Lists::Singly if lanes < 4 => 0.0,
                    Lists::ByBonds if lanes > MOST_BY_BONDS => 0.0,
                    Lists::Picked if moves_box && lanes < 2 => 0.0,
                    // Where the box moves, the steps would be many launches each.
                    _ if moves_box && lanes == 1 => 1.0,
                    _ => shares[wide],
                };
                lanes <= wave && items(lanes) as f64 <= held as f64 * share
            };
            let waiting = exchange == Exchange::Ptx && !tile && !single;
            let fitting = LANES_THAT_WAIT.iter().find(|&it| fit(it)).filter(|_| waiting);
            let waits = fitting.is_some();
            let lanes = match fitting {
                _ if lists == Lists::OneLane => 1,
                Some(&(lanes, _)) => lanes,
                // Bonds are fewer than entries of lists.
                None if lists == Lists::ByBonds => (LaunchConfig::lanes_of(size) / 2).max(1),
                None => LaunchConfig::lanes_of(size),
            };
            let [pair_local, unroll] = match (tile, wide) {
                _ if lists == Lists::OneLane || lists == Lists::ByBonds && lanes == 1 => [64, 2],
                _ if lists == Lists::ByBonds => [128, 2],
                (false, 0) if waits => [256, 2], // fewer of them to wait for
                (false, 0) => [128, 2],
                (false, _) => [256, 4],
                (true, _) => [128, 2],
            };
            let block_local = match size {
                SizeClass::Small => 256,
                // As many groups fit, so larger ones keep more work-items there (docs/portability.md).
                SizeClass::Large if tile && device.groups_share_little() => 256,
                SizeClass::Large if tile => 160,
                SizeClass::Medium | SizeClass::Large => 128,
            };
            LaunchConfig {
                // In a tile pairs are one by one: entries are in the order in which lanes read different banks.
                vector: if tile || matches!(lists, Lists::Singly | Lists::Picked) { 1 } else { 4 >> wide },
                clusters: false,
                lanes,
                list_width: wave,
                pair_local: waves(pair_local),
                tile,
                block_edge: if tile { 4 } else { 2 },
                block_local: waves(block_local),
                tile_atoms: LaunchConfig::tile_atoms(device, precision, tile),
                exchange,
                steps: if waits { 32 } else { 1 },
                cores: 1,
                fills_device: wide == 0 && items(lanes) > held / 2,
                unroll,
                local: limit.min(128),
                reduce_local: limit.min(128),
                reduce_groups: 256,
                sort_local: limit.min(64),
                sort_items: 8,
                sort_bits: 4,
                scan_local: limit.min(256),
                scan_items: 8,
                scan_groups: 256,
                counting: true,
                page_bytes,
                skip: !tile || lists == Lists::Singly,
                rules: KernelVariants::default(),
            }
        } else {
            // One list per work-item, whole vectors of it at once; groups of one where a work-item
            // wants a stretch of memory to itself. Lists of four atoms, in double precision where that pays
            // (docs/performance.md).
            let clusters = wide == 0 || device.is_pocl();
            let (steps, cores) = steps_and_cores(atoms, 0.0, device, precision);
            let native = if wide == 1 { device.vector_width_double } else { device.vector_width_float };
            LaunchConfig {
                vector: native.clamp(4, 16 >> wide),
                clusters,
                lanes: 1,
                list_width: 1,
                pair_local: if clusters { 4 } else { 32 }, // octants, or atoms
                tile: false,
                block_edge: 0,
                block_local: 1,
                tile_atoms: 1,
                exchange: Exchange::Local,
                steps: if clusters && device.makes_several_steps() { steps } else { 1 },
                cores: if clusters { cores } else { 1 },
                fills_device: false,
                unroll: 1,
                local: 64,
                reduce_local: 1,
                reduce_groups: 1024,
                sort_local: 1,
                sort_items: 4096,
                sort_bits: 8,
                scan_local: 1,
                scan_items: 16,
                scan_groups: 64,
                counting: steps > 1, // launches cost less than atomics, but for few atoms
                page_bytes,
                skip: false,
                rules: KernelVariants::default(),
            }
        }
    }
}
