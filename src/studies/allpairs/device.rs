//! The periodic box on a device (cl/studies/allpairs.cl).

use super::System;
use crate::base::error::{Error, Result};
use crate::engine::device_atoms::Floats;
use crate::engine::kernels::ALLPAIRS;
use crate::gpu::options::Precision;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Gpu, Kernel};
use crate::studies::report;
use crate::studies::tiles::{Tiling, real, real4, set_real};

/// Most types: a work-item keeps the coefficients of its own with every one of them.
pub const MOST_TYPES: usize = 8;

/// Work-group of the kernel for single particles.
const LOCAL: usize = 64;

/// 2^32: units of a position per box length in single precision.
const RANGE: f64 = 4_294_967_296.0;

/// Positions in fractions of the box, with the type.
enum Positions {
    Fixed(Buffer<u32>),
    Plain(Buffer<f64>),
}

impl Positions {
    fn arg(&self) -> Arg<'_> {
        match self {
            Positions::Fixed(buffer) => buffer.into(),
            Positions::Plain(buffer) => buffer.into(),
        }
    }
}

/// The particles on a device.
pub struct Device {
    gpu: Gpu,
    precision: Precision,
    tiling: Tiling,
    n: usize,
    /// dt over the box lengths, in units of a position.
    drift: [f64; 4],
    dt: f64,
    lengths: [f64; 3],
    force_kernel: Kernel,
    tally_kernel: Kernel,
    move_kernel: Kernel,
    position: Positions,
    velocity: Floats,
    force: Floats,
}

impl Device {
    /// Puts a system on a device.
    ///
    /// # Errors
    /// No fp64 where it is wanted, too many types, or a device that fails or lacks memory.
    pub fn new(gpu: &Gpu, system: &System, precision: Precision, tiling: Tiling) -> Result<Self> {
        report::require(gpu, precision)?;
        if system.types > MOST_TYPES {
            let types = system.types;
            return Err(Error::new(format!(
                "{types} particle types are more than {MOST_TYPES}, the most here"
            )));
        }
        let (n, wide) = (system.x.len(), precision == Precision::Double);
        let range = if wide { 1.0 } else { RANGE };
        let mut defines = tiling
            .defines(precision)
            .set("TYPES", system.types)
            .set("COEFFICIENTS", system.per_pair)
            .set("CUTOFF", u32::from(system.cutoff));
        let units = system.lengths.map(|length| length / range);
        let names = if units.iter().all(|unit| *unit == units[0]) {
            defines = set_real(defines, precision, "UNIT_SQUARED", units[0] * units[0]);
            &["UNIT"][..]
        } else {
            &["UNIT_X", "UNIT_Y", "UNIT_Z"]
        };
        for (name, &unit) in names.iter().zip(&units) {
            defines = set_real(defines, precision, name, unit);
        }
        let names: Vec<String> = (0..system.table.len()).map(|k| format!("TABLE_{k}")).collect();
        for (name, &value) in names.iter().zip(&system.table) {
            defines = set_real(defines, precision, name, value);
        }
        defines = defines.set("TABLE", format!("{{{}}}", names.join(", ")));
        let styles = system.files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let files: Vec<(&str, &str)> = styles.chain([ALLPAIRS]).collect();
        let build = |tally| tiling.program(gpu, &files, &defines, precision, tally);
        let program = build(false)?;
        let device = Device {
            gpu: gpu.clone(),
            precision,
            tiling,
            n,
            drift: [0, 1, 2, 3]
                .map(|d| system.lengths.get(d).map_or(0.0, |length| system.dt / length * range)),
            dt: system.dt,
            lengths: system.lengths,
            force_kernel: program.kernel("tiles_force")?,
            move_kernel: program.kernel("allpairs_move")?,
            tally_kernel: build(true)?.kernel("tiles_force_tally")?,
            position: match wide {
                true => Positions::Plain(gpu.buffer("positions", 4 * n)?),
                false => Positions::Fixed(gpu.buffer("positions", 4 * n)?),
            },
            velocity: Floats::new(gpu, "velocities", 4 * n, wide)?,
            force: Floats::new(gpu, "forces", 4 * n, wide)?,
        };
        device.upload(system)?;
        Ok(device)
    }

    /// Writes positions and velocities anew.
    ///
    /// # Errors
    /// When the device fails.
    pub fn upload(&self, system: &System) -> Result<()> {
        let fraction = |i: usize, d: usize| {
            let fraction = system.x[i][d] / system.lengths[d];
            fraction - fraction.floor()
        };
        let rows = 0..self.n;
        match &self.position {
            Positions::Fixed(buffer) => {
                // Modulo 2^32: what rounds to the box length is the origin.
                let word = |i, d| (fraction(i, d) * RANGE).round_ties_even() as u64 as u32;
                let row = |i| [word(i, 0), word(i, 1), word(i, 2), system.kind[i]];
                buffer.write(Section::Comm, 0, &rows.clone().flat_map(row).collect::<Vec<_>>())?;
            }
            Positions::Plain(buffer) => {
                let row = |i| [fraction(i, 0), fraction(i, 1), fraction(i, 2), f64::from(system.kind[i])];
                buffer.write(Section::Comm, 0, &rows.clone().flat_map(row).collect::<Vec<_>>())?;
            }
        }
        let row = |i: usize| {
            let [x, y, z] = system.v[i];
            [x, y, z, system.ftm2v / system.mass[system.kind[i] as usize]]
        };
        self.velocity.write(Section::Comm, &rows.flat_map(row).collect::<Vec<_>>())
    }

    /// Positions within the box, and velocities.
    ///
    /// # Errors
    /// When the device fails.
    pub fn download(&self, system: &mut System) -> Result<()> {
        let place = |row: [f64; 4]| std::array::from_fn(|d| row[d] * self.lengths[d]);
        system.x = match &self.position {
            Positions::Fixed(buffer) => {
                let words = buffer.read(Section::Output, 0..4 * self.n)?;
                let fractions: Vec<f64> = words.iter().map(|&word| f64::from(word) / RANGE).collect();
                rows(&fractions).map(place).collect()
            }
            Positions::Plain(buffer) => {
                rows(&buffer.read(Section::Output, 0..4 * self.n)?).map(place).collect()
            }
        };
        let velocity = self.velocity.read(Section::Output, 4 * self.n)?;
        system.v = rows(&velocity).map(|[x, y, z, _]| [x, y, z]).collect();
        Ok(())
    }

    /// How the pairs are cut up.
    pub fn tiling(&self) -> Tiling {
        self.tiling
    }

    /// Forces, and half of the energy of each particle's pairs: (fx, fy, fz, energy).
    ///
    /// # Errors
    /// When the device fails.
    pub fn forces(&self) -> Result<Vec<[f64; 4]>> {
        self.enqueue_forces(&self.tally_kernel)?;
        Ok(rows(&self.force.read(Section::Output, 4 * self.n)?).collect())
    }

    fn enqueue_forces(&self, kernel: &Kernel) -> Result<()> {
        self.tiling.launch(kernel, self.position.arg(), self.force.arg(), self.n)
    }

    /// Makes that many steps of velocity Verlet, and waits for them. The kicks that end one step and begin the
    /// next are one.
    ///
    /// # Errors
    /// When the device fails.
    pub fn run(&self, steps: u32) -> Result<()> {
        for step in 0..steps {
            if step == 0 {
                self.enqueue_forces(&self.force_kernel)?;
            }
            self.enqueue_move(if step == 0 { 0.5 } else { 1.0 } * self.dt, self.drift)?;
            self.enqueue_forces(&self.force_kernel)?;
        }
        if steps > 0 {
            self.enqueue_move(0.5 * self.dt, [0.0; 4])?;
        }
        self.gpu.finish()
    }

    fn enqueue_move(&self, kick: f64, drift: [f64; 4]) -> Result<()> {
        let args = [
            self.position.arg(),
            self.velocity.arg(),
            self.force.arg(),
            real(self.precision, kick),
            real4(self.precision, drift),
            Arg::U32(self.n as u32),
        ];
        self.move_kernel.launch_each(Section::Modify, self.n, LOCAL, &args)
    }
}

fn rows(numbers: &[f64]) -> impl Iterator<Item = [f64; 4]> {
    numbers.chunks_exact(4).map(|row| [row[0], row[1], row[2], row[3]])
}
