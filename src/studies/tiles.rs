//! All pairs on a device, tile by tile (cl/studies/tiles.cl): what the droplet and the periodic box share.

use serde::Serialize;

use crate::base::error::{Error, Result};
use crate::engine::kernels::{COMMON, LaunchConfig, TILES, VARIANTS, compiler_options, vectors};
use crate::gpu::options::Precision;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Defines, DeviceInfo, DeviceKind, Gpu, Kernel, Program};

/// How the pairs are cut up on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Tiling {
    /// Work-items per group, and positions per tile.
    pub block: usize,
    /// Work-items that share an atom, each taking its part of every tile.
    pub lanes: usize,
    /// Positions that a work-item takes at once, as one vector.
    pub vector: usize,
}

impl Tiling {
    /// The shipped size of blocks: 128, or the largest power of two below that the device takes. Measured best, or near it,
    /// on every device so far (docs/allpairs.md).
    pub fn block(info: &DeviceInfo) -> usize {
        128.min(1 << info.max_work_group.ilog2())
    }

    /// The shipped choice for `n` atoms in groups of `block`: whole vectors on CPUs; on GPUs as many lanes as it
    /// takes to keep the compute units busy.
    ///
    /// # Errors
    /// When `block` is not a power of two from 16 on that the device takes, or, where it takes 8 or fewer work-items in a group, that many.
    pub fn new(info: &DeviceInfo, precision: Precision, n: usize, block: usize) -> Result<Self> {
        let most = 1 << info.max_work_group.ilog2();
        let least = most.min(16);
        if !block.is_power_of_two() || block < least || block > most {
            return Err(Error::new(format!("{block} is no size of work-groups for {}", info.name))
                .help(format!("use a power of two from {least} to {most}")));
        }
        if info.shaped_as() != DeviceKind::Gpu {
            let vector = LaunchConfig::new(info, precision, n).vector.min(block);
            return Ok(Tiling { block, lanes: 1, vector });
        }
        // Half of what a multiprocessor holds at most, on each.
        let wanted = info.units as usize * 1024 / n.max(1);
        let lanes = if wanted < 2 { 1 } else { 1 << wanted.ilog2().min(block.ilog2()).min(4) };
        Ok(Tiling { block, lanes, vector: 1 })
    }

    /// The constants that cl/studies/tiles.cl wants.
    pub fn defines(self, precision: Precision) -> Defines {
        let name = if precision == Precision::Double { "DOUBLE" } else { "SINGLE" };
        let defines = Defines::new().set(name, 1);
        defines.set("BLOCK", self.block).set("LANES", self.lanes).set("VW", self.vector)
    }

    /// Builds `files`, which supply what cl/studies/tiles.cl asks for, and the tile loop, with energies or without.
    ///
    /// # Errors
    /// When the device's compiler rejects them.
    pub fn program(
        self,
        gpu: &Gpu,
        files: &[(&str, &str)],
        defines: &Defines,
        precision: Precision,
        tally: bool,
    ) -> Result<Program> {
        let files: Vec<(&str, &str)> = [&[VARIANTS, COMMON, vectors(self.vector)], files, &[TILES]].concat();
        let options = compiler_options(precision == Precision::Double);
        gpu.program(&files, &defines.clone().set("TALLY", u32::from(tally)), options)
    }

    /// Enqueues the forces on `n` atoms, with energies where the kernel is the one that tallies: (F, energy) per
    /// atom into `force`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn launch(self, kernel: &Kernel, position: Arg<'_>, force: Arg<'_>, n: usize) -> Result<()> {
        let groups = n.div_ceil(self.block / self.lanes);
        kernel.launch(Section::Pair, groups * self.block, self.block, &[position, force, Arg::U32(n as u32)])
    }
}

/// A `real` and a `real4` argument for kernels of this precision.
pub fn real(precision: Precision, x: f64) -> Arg<'static> {
    if precision == Precision::Double { Arg::F64(x) } else { Arg::F32(x as f32) }
}

/// As [`real`], four at once.
pub fn real4(precision: Precision, x: [f64; 4]) -> Arg<'static> {
    if precision == Precision::Double { Arg::F64x4(x) } else { Arg::F32x4(x.map(|x| x as f32)) }
}

/// With a constant of the kernels' type `real`.
pub fn set_real(defines: Defines, precision: Precision, name: &str, value: f64) -> Defines {
    if precision == Precision::Double {
        defines.set_f64(name, value)
    } else {
        defines.set_f32(name, value as f32)
    }
}
