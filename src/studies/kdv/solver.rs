//! The scheme on a device (cl/studies/kdv.cl): how the points are cut up, and the launches.

use std::time::Instant;

use crate::base::error::{Error, Result};
use crate::engine::device_atoms::Floats;
use crate::engine::kernels::{COMMON, KDV};
use crate::gpu::record::Section;
use crate::gpu::{Arg, Defines, DeviceInfo, DeviceKind, Gpu, Kernel};
use crate::studies::kdv::host::Factors;

use super::problem::Problem;

/// Steps that tiles advance in one launch where they are not a whole period.
const REACH: usize = 64;
/// The largest period that is one tile, whatever the number of runs.
const WHOLE: usize = 1024;
/// How long the device may be busy before the host looks, in seconds: short for whoever presses Ctrl-C and for
/// a display that shares the device.
const PATIENCE: f64 = 0.05;

/// How the points of all runs are cut into tiles, one per work-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Layout {
    /// Points per work-item, or on CPUs per vector.
    pub vector: usize,
    /// Work-items per tile: 1 on CPUs.
    pub local: usize,
    /// Points that a tile hands on.
    pub owned: usize,
    /// Points beside them that it computes as well; 0 where a tile is the whole period.
    pub halo: usize,
    /// Tiles per run.
    pub tiles: usize,
    /// Bytes of a tile's local memory.
    local_bytes: usize,
}

impl Layout {
    /// For `runs` runs of `n` points, in fp64 if `wide`, with work-groups of at most `limit`.
    pub fn new(device: &DeviceInfo, wide: bool, n: usize, runs: usize, limit: usize) -> Self {
        if device.shaped_as() == DeviceKind::Gpu {
            Layout::of_groups(device, wide, n, runs, limit)
        } else {
            Layout::of_items(device, wide, n, runs)
        }
    }

    /// Tiles that are the work of a group, their points in the work-items' registers. Few points per
    /// work-item as long as four warps do: one for each scheduler of a multiprocessor.
    fn of_groups(device: &DeviceInfo, wide: bool, n: usize, runs: usize, limit: usize) -> Self {
        let limit = limit.clamp(8, 256);
        let bytes = |local: usize| 8 * local * number(wide);
        let whole = [2, 4, 8].into_iter().filter(|vector| n.is_multiple_of(*vector) && n / vector <= limit);
        let vector = whole.clone().find(|vector| n / vector <= 128).or(whole.max());
        if let Some(vector) = vector.filter(|_| n <= WHOLE || runs >= device.units as usize) {
            let local = n / vector;
            return Layout { vector, local, owned: n, halo: 0, tiles: 1, local_bytes: bytes(local) };
        }
        let most = 8 * limit;
        let halo = (2 * REACH).min(most / 8);
        let owned = (n * runs).div_ceil(device.units.max(1) as usize).clamp(most / 16, most - 2 * halo);
        // Full warps; what is beyond the halo on the right is halo, too.
        let vector = [2, 4].into_iter().find(|vector| (owned + 2 * halo) / vector < limit).unwrap_or(8);
        let local = (owned + 2 * halo).div_ceil(vector).next_multiple_of(device.simd.max(1)).min(limit);
        Layout { vector, local, owned, halo, tiles: n.div_ceil(owned), local_bytes: bytes(local) }
    }

    /// Tiles that are the work of one work-item, which passes over them in vectors.
    fn of_items(device: &DeviceInfo, wide: bool, n: usize, runs: usize) -> Self {
        let native = if wide { device.vector_width_double } else { device.vector_width_float };
        // Half a cache line at most: neighbours are read unaligned, and a whole one would always cross into the next.
        let vector = native.next_power_of_two().clamp(2, 32 / number(wide));
        let bytes = |width: usize| 2 * (width.next_multiple_of(vector) + 4) * number(wide);
        // Two fields in a first-level cache of 32 KB, or in what the device calls local memory.
        let most = (device.local_memory as usize).clamp(4 << 10, 28 << 10) / (2 * number(wide)) - 4 - vector;
        if n <= most && (n <= WHOLE || runs >= device.units as usize) {
            return Layout { vector, local: 1, owned: n, halo: 0, tiles: 1, local_bytes: bytes(n) };
        }
        let halo = (2 * REACH).min(most / 8);
        let owned = (n * runs).div_ceil(device.units.max(1) as usize).clamp(most / 4, most - 2 * halo);
        let tiles = n.div_ceil(owned);
        Layout { vector, local: 1, owned, halo, tiles, local_bytes: bytes(owned + 2 * halo) }
    }

    /// Steps that one launch may take.
    fn reach(&self) -> u64 {
        if self.halo == 0 { u64::from(u32::MAX) } else { self.halo as u64 / 2 }
    }
}

/// Bytes of a number.
fn number(wide: bool) -> usize {
    if wide { 8 } else { 4 }
}

/// Several runs of one problem on a device, all at the same step.
pub struct Solver {
    gpu: Gpu,
    kernel: Kernel,
    /// How the points are cut up.
    pub layout: Layout,
    /// Pairs of (u, u one step before); the first pair is what the last launch wrote.
    fields: [[Floats; 2]; 2],
    n: usize,
    runs: usize,
    wide: bool,
    factors: Factors,
    /// Steps done.
    pub step: u64,
    /// Steps between two looks of the host.
    stretch: u64,
}

impl Solver {
    /// Builds the kernel and the arrays for so many runs, in fp64 if `wide`. [`Solver::start`] comes next.
    ///
    /// # Errors
    /// A device without fp64 where that is wanted, one that fails, or lacks memory.
    pub fn new(gpu: &Gpu, problem: &Problem, runs: usize, wide: bool) -> Result<Self> {
        let mut limit = gpu.info().max_work_group;
        loop {
            let layout = Layout::new(gpu.info(), wide, problem.n, runs, limit);
            let solver = Solver::with_layout(gpu, problem, runs, wide, layout)?;
            let fitting = solver.kernel.max_work_group()?;
            if fitting >= layout.local || fitting >= limit {
                return Ok(solver);
            }
            // The kernel's registers allow smaller groups only.
            limit = fitting;
        }
    }

    /// As [`Solver::new`], cut up as told.
    ///
    /// # Errors
    /// As there.
    pub fn with_layout(
        gpu: &Gpu,
        problem: &Problem,
        runs: usize,
        wide: bool,
        layout: Layout,
    ) -> Result<Self> {
        if wide && !gpu.info().fp64 {
            return Err(Error::new(format!("{} does not compute in double precision", gpu.info().name))
                .help("use --precision single"));
        }
        let mut defines =
            Defines::new().set(if wide { "DOUBLE" } else { "SINGLE" }, 1).set("VW", layout.vector);
        if layout.local == 1 {
            defines = defines.set("ALONE", 1);
        }
        let kernel = gpu.program(&[COMMON, KDV], &defines, "")?.kernel("kdv_steps")?;
        let values = problem.n.checked_mul(runs).filter(|&values| u32::try_from(values).is_ok());
        let values = values.ok_or_else(|| {
            Error::new(format!("{runs} runs of {} points are too many", problem.n))
                .help("use a smaller --batch or --n")
        })?;
        let field = |name| Floats::new(gpu, name, values, wide);
        let pair = || Ok::<_, Error>([field("u")?, field("u one step before")?]);
        Ok(Solver {
            gpu: gpu.clone(),
            kernel,
            layout,
            fields: [pair()?, pair()?],
            n: problem.n,
            runs,
            wide,
            factors: problem.factors(),
            step: 0,
            stretch: 256,
        })
    }

    /// Sets all runs, one after the other in `initial`, to step 0.
    ///
    /// # Errors
    /// When the device fails.
    pub fn start(&mut self, initial: &[f64]) -> Result<()> {
        self.step = 0;
        self.fields[0].iter().try_for_each(|field| field.write(Section::Modify, initial))
    }

    /// Advances to a step, and waits for it; calls `look` with the step whenever the host looks.
    ///
    /// # Errors
    /// When the device fails.
    pub fn advance(&mut self, to: u64, mut look: impl FnMut(u64)) -> Result<()> {
        while self.step < to {
            let (from, started) = (self.step, Instant::now());
            let goal = to.min(from + self.stretch);
            while self.step < goal {
                self.launch(goal - self.step)?;
            }
            self.gpu.finish()?;
            if goal == from + self.stretch {
                let fitting = PATIENCE / started.elapsed().as_secs_f64().max(1e-9);
                self.stretch = (self.stretch as f64 * fitting.clamp(0.25, 4.0)).max(16.0) as u64;
            }
            look(self.step);
        }
        Ok(())
    }

    /// One launch of at most `steps` steps; the first one is a step of its own.
    fn launch(&mut self, steps: u64) -> Result<()> {
        let first = self.step == 0;
        let steps = if first { 1 } else { steps.min(self.layout.reach()) };
        let Factors { a, b } = if first { self.factors.halved() } else { self.factors };
        let real = |x: f64| if self.wide { Arg::F64(x) } else { Arg::F32(x as f32) };
        let Layout { local, owned, halo, tiles, local_bytes, .. } = self.layout;
        let [[u, before], [u_out, before_out]] = &self.fields;
        let args = [
            u.arg(),
            before.arg(),
            u_out.arg(),
            before_out.arg(),
            Arg::Local(local_bytes),
            Arg::U32(self.n as u32),
            Arg::U32(owned as u32),
            Arg::U32(halo as u32),
            Arg::U32(tiles as u32),
            Arg::U32(steps as u32),
            real(a),
            real(b),
        ];
        self.kernel.launch(Section::Modify, self.runs * tiles * local, local, &args)?;
        self.fields.swap(0, 1);
        self.step += steps;
        Ok(())
    }

    /// Values at the last step: of the first `runs` runs, one after the other.
    ///
    /// # Errors
    /// When the device fails.
    pub fn values(&self, runs: usize) -> Result<Vec<f64>> {
        self.fields[0][0].read(Section::Output, runs * self.n)
    }

    /// As [`Solver::values`], one step before.
    ///
    /// # Errors
    /// When the device fails.
    pub fn values_before(&self, runs: usize) -> Result<Vec<f64>> {
        self.fields[0][1].read(Section::Output, runs * self.n)
    }
}
