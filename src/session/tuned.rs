//! Records of tuning in the user's cache: what a record holds, which systems it is for, reading and writing it.
//!
//! The searches that make records are in `run/tuning/`.

use crate::base::error::{Error, Result};
use crate::base::files;
use crate::base::ranks;
use crate::engine::kernels::{LaunchConfig, SizeClass, StepNeeds};
use crate::gpu::options::Precision;
use crate::gpu::{DeviceInfo, DeviceKind, Gpu};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Of the records' form; to be raised when the meaning of a number in them changes.
pub(crate) const VERSION: u32 = 6;

/// What is chosen by measuring; everything else in a [`LaunchConfig`] is shipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Whether lists name places in a tile of local memory.
    pub tile: bool,
    /// Work-items per atom.
    pub lanes: usize,
    /// Pairs that a work-item handles at once.
    pub vector: usize,
    /// Whether four atoms share a list (CPUs).
    pub clusters: bool,
    /// Work-group of the pair kernel without tiles: atoms, or with clusters octants of cells.
    pub pair_local: usize,
    /// Cells per axis of a block; 0: none, for CPUs.
    pub block_edge: usize,
    /// Work-group that takes a block.
    pub block_local: usize,
    /// Unrolling of the neighbour loop.
    pub unroll: usize,
    /// Whether the pair kernel skips vectors of pairs that are all beyond the cutoff.
    pub skip: bool,
    /// Work-group of per-atom kernels.
    pub local: usize,
}

impl Choice {
    /// What a shape has of it.
    pub fn of(shape: LaunchConfig) -> Self {
        Choice {
            tile: shape.tile,
            lanes: shape.lanes,
            vector: shape.vector,
            clusters: shape.clusters,
            pair_local: shape.pair_local,
            block_edge: shape.block_edge,
            block_local: shape.block_local,
            unroll: shape.unroll,
            skip: shape.skip,
            local: shape.local,
        }
    }

    /// The shipped shape with this choice in it.
    pub fn shape(self, shipped: LaunchConfig, device: &DeviceInfo, precision: Precision) -> LaunchConfig {
        let blocks = self.block_edge > 0;
        let tile_atoms =
            if blocks { LaunchConfig::tile_atoms(device, precision, self.tile) } else { shipped.tile_atoms };
        LaunchConfig {
            tile: self.tile,
            lanes: self.lanes,
            vector: self.vector,
            clusters: self.clusters,
            pair_local: self.pair_local,
            block_edge: self.block_edge,
            block_local: self.block_local,
            unroll: self.unroll,
            skip: self.skip,
            local: self.local,
            tile_atoms,
            // The work-items of more lanes may be too many to be on the device at the same time, and without lists of four atoms
            // they are more than a CPU has cores.
            steps: match self.tile || self.lanes > shipped.lanes || self.clusters != shipped.clusters {
                true => 1,
                false => shipped.steps,
            },
            ..shipped
        }
    }

    /// Whether kernels can be made like this on a device, instead of as `shipped`.
    ///
    /// # Errors
    /// Why not.
    pub fn check(
        self,
        shipped: LaunchConfig,
        device: &DeviceInfo,
        precision: Precision,
    ) -> Result<(), String> {
        let Choice { tile, lanes, vector, pair_local, block_edge, block_local, unroll, local, .. } = self;
        let widest = if precision == Precision::Double { 8 } else { 16 };
        let blocks = shipped.block_edge > 0;
        let powers = |name, value: usize, most| match value.is_power_of_two() && value <= most {
            true => Ok(()),
            false => Err(format!("{name} {value} is not a power of two up to {most}")),
        };
        powers("vector", vector, if tile { 8.min(widest) } else { widest })?;
        powers("lanes", lanes, if blocks { 32.min(shipped.list_width) } else { 1 })?;
        powers("unroll", unroll, 16)?;
        for (name, value) in [("pair_local", pair_local), ("block_local", block_local), ("local", local)] {
            if value == 0 || value > device.max_work_group {
                let most = device.max_work_group;
                return Err(format!(
                    "{name} {value} is no work-group of this device (1 to {most} work-items)"
                ));
            }
        }
        if !pair_local.is_multiple_of(lanes) || !block_local.is_multiple_of(lanes) {
            return Err(format!(
                "work-groups of {pair_local} and {block_local} do not hold whole atoms of {lanes}"
            ));
        }
        let whole =
            |local: usize| !shipped.exchange.in_registers() || local.is_multiple_of(shipped.list_width);
        if !whole(pair_local) || !whole(block_local) {
            let wave = shipped.list_width;
            return Err(format!(
                "work-groups of {pair_local} and {block_local} are not whole warps of {wave}"
            ));
        }
        if blocks && ![2, 4].contains(&block_edge) {
            return Err(format!("block_edge {block_edge} is not 2 or 4"));
        }
        if self.clusters && (blocks || vector < 4) {
            return Err("lists of four atoms are for CPUs, with vectors of 4 and more".to_owned());
        }
        if !blocks && (block_edge != 0 || block_local != 1 || tile) {
            return Err("blocks and tiles are not for this device".to_owned());
        }
        if blocks {
            let shape = self.shape(shipped, device, precision);
            let builder = shape.builder_bytes((block_edge + 4).pow(3)); // stencils of two
            let wide = precision == Precision::Double;
            let real = if wide { 8 } else { 4 };
            let sums = if lanes > 1 && !shape.exchange.in_registers() { 11 * real * block_local } else { 0 };
            let in_tile = if tile { (shape.tile_atoms + 1) * 4 * real + sums } else { 0 };
            let bytes = builder.max(in_tile) as u64;
            if bytes > device.local_memory {
                let memory = device.local_memory;
                return Err(format!("it needs {bytes} bytes of local memory, but the device has {memory}"));
            }
        }
        Ok(())
    }

    /// As the log says it.
    pub fn words(self) -> String {
        let Choice { lanes, vector, pair_local, block_edge, block_local, unroll, local, .. } = self;
        let layout = match (self.tile, block_edge) {
            (true, _) => format!("tiles, blocks of {block_edge}, work-group {block_local}"),
            (false, 0) if self.clusters => format!("lists of four atoms, work-group {pair_local}"),
            (false, 0) => format!("work-group {pair_local}"),
            (false, _) => format!("work-group {pair_local}, blocks of {block_edge} by {block_local}"),
        };
        let skip = if self.skip { ", skipping" } else { "" };
        format!("lanes {lanes}, vectors of {vector}, {layout}, unrolled {unroll}{skip}, others {local}")
    }
}

/// What a record is for: systems that want the same shape on one device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// The device's name.
    pub device: String,
    /// Its driver.
    pub driver: String,
    /// Arithmetic.
    pub precision: Precision,
    /// Number of atoms.
    pub size: SizeClass,
    /// Neighbours per atom within cutoff and skin, as the nearest power of 4.
    pub neighbors: u64,
    /// Work-items per atom of the shipped shape on GPUs, where these are others than [`LaunchConfig::lanes_of`] the size.
    pub lanes: Option<usize>,
}

impl Key {
    /// For a number of atoms with so many neighbours each, and what steps are asked for.
    pub fn new(
        device: &DeviceInfo,
        precision: Precision,
        atoms: usize,
        neighbors: f64,
        asked: StepNeeds,
    ) -> Self {
        let (size, lanes) =
            (SizeClass::of(atoms), LaunchConfig::asked(device, precision, atoms, asked).lanes);
        let power = (neighbors.max(1.0).log2() / 2.0).round().min(16.0) as u32;
        Key {
            device: device.name.clone(),
            driver: device.driver.clone(),
            precision,
            size,
            neighbors: 4_u64.pow(power),
            lanes: (device.shaped_as() == DeviceKind::Gpu && lanes != LaunchConfig::lanes_of(size))
                .then_some(lanes),
        }
    }

    /// For the name of a file.
    pub(crate) fn words(&self) -> String {
        let Key { precision, size, neighbors, lanes, .. } = self;
        let lanes = lanes.map_or(String::new(), |lanes| format!(", {lanes} lanes"));
        format!("{}, {size:?}, {neighbors} neighbours{lanes}", precision.name())
    }

    /// Where its record is; `None` where nothing is kept.
    pub fn file(&self, gpu: &Gpu) -> Option<PathBuf> {
        gpu.record_file(&format!("shape, {}", self.words()))
    }
}

/// A record of tuning, as its file holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The form of this record.
    pub version: u32,
    /// What it is for.
    #[serde(flatten)]
    pub key: Key,
    /// When it was made (UTC).
    pub tuned: String,
    /// How many times as fast as the shipped shape it was.
    pub gain: f64,
    /// What was fastest.
    pub choice: Choice,
}

impl Record {
    /// Of today.
    pub fn new(key: Key, choice: Choice, gain: f64) -> Self {
        Record { version: VERSION, key, tuned: today(), gain, choice }
    }

    /// The record for a key; `None` where there is none.
    ///
    /// # Errors
    /// A record that does not fit: of another form, of another device, or with a choice that is none on this device.
    pub fn load(gpu: &Gpu, key: &Key, shipped: LaunchConfig) -> Result<Option<Self>> {
        load(key.file(gpu), |record: &Record| {
            if record.key != *key {
                return Err("it is of another device, precision or size".to_owned());
            }
            record.choice.check(shipped, gpu.info(), key.precision)
        })
    }

    /// Keeps it, where there is a place for it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn store(&self, gpu: &Gpu) -> Result<()> {
        store(self.key.file(gpu), self)
    }
}

/// The date of today (UTC), as records have it.
pub(crate) fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}

/// The record of a file, where there is one; `check` says why it is not the one that was looked for. Of several ranks all follow the first one's,
/// as each machine has records of its own.
pub(crate) fn load<T: DeserializeOwned>(
    file: Option<PathBuf>,
    check: impl FnOnce(&T) -> Result<(), String>,
) -> Result<Option<T>> {
    let file = file.unwrap_or_default();
    let read = || Ok(std::fs::read(&file).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
    let Some(text) = ranks::text_of_first(read)? else { return Ok(None) };
    let refused = |why: String| {
        Error::new(format!("the record of tuning {} is not used: {why}", file.display()))
            .help("make a new one with clamps tune, or remove the file")
    };
    let unread = |err| refused(format!("it cannot be read: {err}"));
    let value: serde_json::Value = serde_json::from_str(&text).map_err(unread)?;
    if value["version"] != VERSION {
        return Err(refused(format!("its version is {}, not {VERSION}", value["version"])));
    }
    let record = serde_json::from_value(value).map_err(unread)?;
    check(&record).map_err(refused)?;
    Ok(Some(record))
}

/// Keeps a record, where there is a place for it: written aside and renamed.
pub(crate) fn store(file: Option<PathBuf>, record: &impl Serialize) -> Result<()> {
    let Some(file) = file.filter(|_| ranks::is_first()) else { return Ok(()) };
    let failed = |err: std::io::Error| {
        Error::io("keep the record of tuning", &file, &err)
            .help("CLAMPS_CACHE_DIR names another folder, CLAMPS_CACHE=off keeps none")
    };
    std::fs::create_dir_all(file.parent().unwrap_or(Path::new("."))).map_err(failed)?;
    let text = serde_json::to_string_pretty(record).map_err(|err| failed(err.into()))?;
    files::replace(&file, |mut out| out.write_all((text + "\n").as_bytes())).map_err(failed)
}

/// A skin of the tuner's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedSkin {
    /// For which scripts.
    #[serde(flatten)]
    pub setting: Setting,
    /// The fastest, in distance units; the script's own where no other gains.
    pub skin: f64,
    /// When it was found (UTC).
    pub tuned: String,
}

#[allow(clippy::unwrap_used)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::devices;

    #[test]
    fn shipped_shapes_are_possible_choices() {
        let here = devices().unwrap().remove(0);
        let mut kinds = vec![here.clone()];
        for (simd, local_memory, vendor) in
            [(32, 48 << 10, "NVIDIA"), (64, 64 << 10, "AMD"), (64, 32 << 10, "AMD"), (8, 32 << 10, "")]
        {
            let (kind, vendor, max_work_group) = (DeviceKind::Gpu, vendor.to_owned(), 256);
            kinds.push(DeviceInfo { kind, simd, local_memory, vendor, max_work_group, ..here.clone() });
        }
        for device in &kinds {
            for precision in [Precision::Single, Precision::Mixed, Precision::Double] {
                for atoms in [4_000, 32_000, 256_000] {
                    let shipped = LaunchConfig::new(device, precision, atoms);
                    let choice = Choice::of(shipped);
                    assert_eq!(choice.check(shipped, device, precision), Ok(()), "{shipped:?}");
                    assert_eq!(choice.shape(shipped, device, precision), shipped);
                }
            }
        }
    }

    #[test]
    fn work_groups_wait_for_one_another_where_all_fit() {
        let here = devices().unwrap().remove(0);
        let (kind, vendor) = (DeviceKind::Gpu, "NVIDIA".to_owned());
        let device = DeviceInfo { kind, vendor, simd: 32, units: 132, max_work_group: 1024, ..here };
        let steps = |atoms, change: fn(Choice) -> Choice| {
            let shipped = LaunchConfig::new(&device, Precision::Mixed, atoms);
            change(Choice::of(shipped)).shape(shipped, &device, Precision::Mixed).steps
        };
        // 132 units hold 135,168 work-items: 4 and 2 for each of 32,000 atoms, but not 8.
        assert_eq!(steps(32_000, |c| c), 32);
        assert_eq!(steps(32_000, |c| Choice { lanes: 2, ..c }), 32);
        assert_eq!(steps(32_000, |c| Choice { lanes: 8, ..c }), 1);
        assert_eq!(steps(32_000, |c| Choice { tile: true, lanes: 1, ..c }), 1);
        assert_eq!(steps(50_000, |c| Choice { lanes: 4, ..c }), 1);
    }

    #[test]
    fn what_does_not_fit_a_gpu_is_refused() {
        let here = devices().unwrap().remove(0);
        let (kind, vendor) = (DeviceKind::Gpu, "NVIDIA".to_owned());
        let device =
            DeviceInfo { kind, vendor, simd: 32, local_memory: 24 << 10, max_work_group: 256, ..here };
        let shipped = LaunchConfig::new(&device, Precision::Mixed, 256_000);
        let choice = Choice::of(shipped);
        let check = |choice: Choice| choice.check(shipped, &device, Precision::Mixed);
        assert_eq!(check(choice), Ok(()));
        let refused = [
            (Choice { block_local: 512, ..choice }, "block_local 512 is no work-group"),
            (Choice { block_local: 100, ..choice }, "are not whole warps of 32"),
            (Choice { lanes: 64, ..choice }, "lanes 64 is not a power of two up to 32"),
            (Choice { vector: 16, ..choice }, "vector 16 is not a power of two up to 8"),
            (Choice { block_edge: 8, ..choice }, "block_edge 8 is not 2 or 4"),
        ];
        for (choice, why) in refused {
            let said = check(choice).expect_err(why);
            assert!(said.contains(why), "{said}");
        }
        // A device with less local memory than a tile of the least size needs.
        let small = DeviceInfo { local_memory: 2 << 10, ..device.clone() };
        let said = choice.check(shipped, &small, Precision::Mixed).expect_err("too little");
        assert!(said.contains("bytes of local memory"), "{said}");
    }

    #[test]
    fn keys_tell_sizes_and_densities_apart_but_not_more() {
        let device = devices().unwrap().remove(0);
        let key =
            |atoms, neighbors| Key::new(&device, Precision::Mixed, atoms, neighbors, StepNeeds::default());
        assert_eq!(key(4_000, 77.0), key(500, 60.0));
        assert_eq!(key(256_000, 77.0), key(16_000_000, 78.0));
        assert_ne!(key(4_000, 77.0), key(32_000, 77.0));
        assert_ne!(key(4_000, 77.0), key(4_000, 526.0));
        assert_eq!(key(4_000, f64::INFINITY).neighbors, 4_u64.pow(16), "a mistyped cutoff");
    }

    #[test]
    fn keys_tell_lanes_apart() {
        let here = devices().unwrap().remove(0);
        let (kind, vendor) = (DeviceKind::Gpu, "NVIDIA".to_owned());
        let gpu = DeviceInfo { kind, vendor, simd: 32, units: 132, max_work_group: 1024, ..here.clone() };
        let cpu = DeviceInfo { kind: DeviceKind::Cpu, ..here };
        let key = |device, precision, atoms, moves_box| {
            Key::new(device, precision, atoms, 77.0, StepNeeds { moves_box, ..StepNeeds::default() })
        };
        let lanes = |precision, moves_box| {
            [500, 2_000, 4_000, 16_000, 32_000, 50_000, 90_000, 200_000]
                .map(|atoms| key(&gpu, precision, atoms, moves_box).lanes)
        };
        // 132 units hold 135,168 work-items, in fp64 and where the box moves half as many; by size 8, 4 and 1 go without saying.
        let [two, four] = [Some(2), Some(4)];
        assert_eq!(
            lanes(Precision::Mixed, false),
            [Some(32), Some(16), None, four, None, two, Some(1), None]
        );
        assert_eq!(
            lanes(Precision::Double, false),
            [Some(32), Some(16), Some(16), four, two, None, None, None]
        );
        assert_eq!(lanes(Precision::Mixed, true), [Some(32), None, None, four, two, Some(1), None, None]);
        let single = |atoms| {
            Key::new(&gpu, Precision::Mixed, atoms, 77.0, StepNeeds { single: true, ..StepNeeds::default() })
        };
        assert_eq!([500, 16_000, 50_000].map(|atoms| single(atoms).lanes), [None; 3]);
        assert_ne!(key(&gpu, Precision::Mixed, 2_000, false), key(&gpu, Precision::Mixed, 4_000, false));
        assert_eq!(key(&cpu, Precision::Mixed, 2_000, false), key(&cpu, Precision::Mixed, 4_000, false));
    }
}

/// How a script has its lists built: what a skin of the tuner's is for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// `units`.
    pub units: String,
    /// The longest cutoff of a pair, in distance units.
    pub cutoff: f64,
    /// `neighbor`, in distance units.
    pub script_skin: f64,
    /// `neigh_modify every`.
    pub every: u64,
    /// `neigh_modify delay`.
    pub delay: u64,
    /// Whether lists are built around where atoms will be, so that they last longer. No in restart files of versions without
    /// it.
    #[serde(default, rename = "aimed")]
    pub predicts: bool,
}

impl Setting {
    /// Whether another skin is worth a trial. Where atoms are not looked at in each step, how often they are is for the
    /// script's skin at least: no narrower one.
    pub(crate) fn allows(&self, skin: f64) -> bool {
        skin > self.script_skin || skin < self.script_skin && self.every == 1 && self.delay == 0
    }

    /// What is tried.
    pub(crate) fn candidates(&self) -> [Vec<f64>; 2] {
        let unit = if self.script_skin > 0.0 { self.script_skin } else { PART_OF_CUTOFF * self.cutoff };
        [&WIDER[..], &NARROWER].map(|factors| {
            // As a person would write it.
            let short = |x: f64| format!("{x:.2e}").parse().unwrap_or(x);
            factors.iter().map(|factor| short(factor * unit)).filter(|&skin| self.allows(skin)).collect()
        })
    }
}

/// What is tried, in units of the script's skin: wider ones, then narrower ones where none of these pays.
pub(crate) const WIDER: [f64; 6] = [4.0 / 3.0, 5.0 / 3.0, 2.0, 2.5, 3.0, 4.0];

pub(crate) const NARROWER: [f64; 3] = [0.8, 0.6, 0.4];

/// The unit where the script has none: this part of the longest cutoff.
pub(crate) const PART_OF_CUTOFF: f64 = 0.1;
