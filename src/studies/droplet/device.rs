//! The droplet on a device (cl/studies/droplet.cl).

use std::time::{Duration, Instant};

use super::{CAP, CENTER_EVERY, Droplet, EPSILON, RATE, RIJ, not_finite};
use crate::base::error::Result;
use crate::engine::device_atoms::Floats;
use crate::engine::kernels::DROPLET;
use crate::gpu::options::Precision;
use crate::gpu::record::Section;
use crate::gpu::{DeviceKind, Gpu, Kernel};
use crate::studies::report;
use crate::studies::tiles::{Tiling, real, real4, set_real};

/// Up to so many particles the host adds up the energies, as in the document.
const ON_HOST: usize = 1024;

/// Groups of the reduction; the host adds up their sums.
const GROUPS: usize = 32;

/// Work-group of the kernels for single particles.
const LOCAL: usize = 64;

/// Steps are enqueued ahead of the host for about so long.
const AHEAD: Duration = Duration::from_millis(50);

/// The particles on a device.
pub struct Device {
    gpu: Gpu,
    precision: Precision,
    tiling: Tiling,
    n: usize,
    radius: f64,
    force_kernel: Kernel,
    energy_kernel: Kernel,
    move_kernel: Kernel,
    center_kernel: Kernel,
    reduce_local: usize,
    position: Floats,
    force: Floats,
    partial: Floats,
}

impl Device {
    /// Puts a droplet on a device, as the device's kind suggests.
    ///
    /// # Errors
    /// No fp64 where it is wanted, or a device that fails or lacks memory.
    pub fn new(gpu: &Gpu, droplet: &Droplet, precision: Precision) -> Result<Self> {
        let block =
            gpu.info().max_work_group.min(if gpu.info().shaped_as() == DeviceKind::Gpu { 128 } else { 64 });
        let block = 1 << block.ilog2();
        Device::with(gpu, droplet, precision, Tiling::new(gpu.info(), precision, droplet.x.len(), block)?)
    }

    /// As [`Device::new`], with a tiling of the caller's.
    ///
    /// # Errors
    /// As for [`Device::new`].
    pub fn with(gpu: &Gpu, droplet: &Droplet, precision: Precision, tiling: Tiling) -> Result<Self> {
        report::require(gpu, precision)?;
        let (n, wide) = (droplet.x.len(), precision == Precision::Double);
        let reduce_local = if tiling.vector > 1 { 1 } else { tiling.block.min(128) };
        let mut defines = tiling.defines(precision).set("REDUCE_LOCAL", reduce_local);
        for (name, value) in [("EPSILON", EPSILON), ("RIJ", RIJ), ("RATE", RATE), ("CAP", CAP)] {
            defines = set_real(defines, precision, name, value);
        }
        let program = tiling.program(gpu, &[DROPLET], &defines, precision, true)?;
        let device = Device {
            gpu: gpu.clone(),
            precision,
            tiling,
            n,
            radius: droplet.radius,
            force_kernel: program.kernel("tiles_force_tally")?,
            energy_kernel: program.kernel("droplet_energy")?,
            move_kernel: program.kernel("droplet_move")?,
            center_kernel: program.kernel("droplet_center")?,
            reduce_local,
            position: Floats::new(gpu, "positions", 4 * n, wide)?,
            force: Floats::new(gpu, "forces", 4 * n, wide)?,
            partial: Floats::new(gpu, "group sums", GROUPS * CENTER_EVERY as usize, wide)?,
        };
        device.upload(droplet)?;
        Ok(device)
    }

    /// Writes the positions anew.
    ///
    /// # Errors
    /// When the device fails.
    pub fn upload(&self, droplet: &Droplet) -> Result<()> {
        let rows = droplet.x.iter().zip(&droplet.charge).flat_map(|(&[x, y, z], &charge)| [x, y, z, charge]);
        self.position.write(Section::Comm, &rows.collect::<Vec<_>>())
    }

    /// How the pairs are cut up.
    pub fn tiling(&self) -> Tiling {
        self.tiling
    }

    /// Arithmetic of the kernels.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// The positions.
    ///
    /// # Errors
    /// When the device fails.
    pub fn positions(&self) -> Result<Vec<[f64; 3]>> {
        Ok(self.rows(&self.position)?.into_iter().map(|[x, y, z, _]| [x, y, z]).collect())
    }

    /// The forces of the positions, and half of the energy of each particle's pairs: (fx, fy, fz, energy).
    ///
    /// # Errors
    /// When the device fails.
    pub fn forces(&self) -> Result<Vec<[f64; 4]>> {
        self.enqueue_forces()?;
        self.rows(&self.force)
    }

    fn rows(&self, floats: &Floats) -> Result<Vec<[f64; 4]>> {
        let numbers = floats.read(Section::Output, 4 * self.n)?;
        Ok(numbers.chunks_exact(4).map(|row| [row[0], row[1], row[2], row[3]]).collect())
    }

    fn enqueue_forces(&self) -> Result<()> {
        self.tiling.launch(&self.force_kernel, self.position.arg(), self.force.arg(), self.n)
    }

    /// Makes steps, and shows `report` the number of each, from 1 on, with the energy before its move.
    ///
    /// # Errors
    /// An energy that is no finite number, or a device that fails.
    pub fn run(&self, steps: u32, mut report: impl FnMut(u32, f64)) -> Result<()> {
        let on_host = self.n <= ON_HOST;
        let (mut done, mut ahead) = (0, 1);
        while done < steps {
            if done % CENTER_EVERY == 0 {
                self.center()?;
            }
            // Not beyond the next centring, which needs the positions on the host.
            let count = if on_host { 1 } else { ahead };
            let count = count.min(CENTER_EVERY - done % CENTER_EVERY).min(steps - done);
            let started = Instant::now();
            for slot in 0..count {
                self.enqueue_forces()?;
                if !on_host {
                    let first = slot * GROUPS as u32;
                    let args = [self.force.arg(), self.partial.arg(), first.into(), (self.n as u32).into()];
                    self.energy_kernel.launch(
                        Section::Output,
                        GROUPS * self.reduce_local,
                        self.reduce_local,
                        &args,
                    )?;
                }
                let radius = real(self.precision, self.radius);
                let args = [self.position.arg(), self.force.arg(), radius, (self.n as u32).into()];
                self.move_kernel.launch_each(Section::Modify, self.n, LOCAL, &args)?;
            }
            let energies: Vec<f64> = if on_host {
                vec![self.rows(&self.force)?.iter().map(|row| row[3]).sum()]
            } else {
                let sums = self.partial.read(Section::Output, GROUPS * count as usize)?;
                sums.chunks_exact(GROUPS).map(|groups| groups.iter().sum()).collect()
            };
            for energy in energies {
                done += 1;
                if !energy.is_finite() {
                    return Err(not_finite(done));
                }
                report(done, energy);
            }
            if started.elapsed() < AHEAD {
                ahead = (2 * ahead).min(CENTER_EVERY);
            }
        }
        self.gpu.finish()
    }

    /// Shifts the mean of the positions to the origin; the host finds it, as this happens once in a hundred steps.
    fn center(&self) -> Result<()> {
        let mut sum = [0.0; 4];
        for x in self.rows(&self.position)? {
            (0..3).for_each(|d| sum[d] += x[d]);
        }
        let center = real4(self.precision, sum.map(|sum| sum / self.n as f64));
        let args = [self.position.arg(), center, (self.n as u32).into()];
        self.center_kernel.launch_each(Section::Modify, self.n, LOCAL, &args)
    }
}
