//! Times, the table and the chart.

use std::io::Write;
use std::time::Instant;

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::{AllpairsArgs, Device, System};
use crate::base::error::{Error, Result};
use crate::base::format::g;
use crate::gpu::options::Precision;
use crate::gpu::{DeviceInfo, Gpu};
use crate::studies::chart::{Chart, Series};
use crate::studies::report;
use crate::studies::tiles::Tiling;

/// What is to be measured.
pub(super) struct Study<'a> {
    pub(super) args: &'a AllpairsArgs,
    pub(super) gpu: &'a Gpu,
    pub(super) precisions: &'a [Precision],
    pub(super) blocks: &'a [usize],
}

/// The host's times for one system.
#[derive(Clone, Copy, Debug, Serialize)]
struct HostTimes {
    /// Seconds per step on one core.
    one: f64,
    /// Seconds per step on all cores.
    all: f64,
    threads: usize,
}

/// One measured variant.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    atoms: usize,
    precision: Precision,
    #[serde(flatten)]
    tiling: Tiling,
    /// Seconds per step.
    seconds: f64,
    host: Option<HostTimes>,
    /// Potential energy of the first configuration, on the device and by the host twin.
    energy: f64,
    host_energy: f64,
    /// Change of the total energy over the timed steps, of the sum at their beginning's size.
    drift: f64,
}

impl Study<'_> {
    /// Fails at options that do not fit the device, before any work.
    pub(super) fn check_options(&self) -> Result<()> {
        for &precision in self.precisions {
            report::require(self.gpu, precision)?;
            for &block in self.blocks {
                Tiling::new(self.gpu.info(), precision, 1, block)?;
            }
        }
        Ok(())
    }

    /// Measures every variant of every system.
    pub(super) fn rows(&self, systems: &[System]) -> Result<Vec<Row>> {
        let variants = self.precisions.len() * self.blocks.len();
        // Draws on a terminal only.
        let bar = ProgressBar::new((systems.len() * (variants + 1)) as u64);
        bar.set_style(ProgressStyle::with_template("[{wide_bar}] {msg}").expect("the template is valid"));
        let mut rows = Vec::new();
        for system in systems {
            let n = system.x.len();
            bar.set_message(format!("{n} atoms on the host"));
            let host_energy = crate::studies::allpairs::host::forces(system, rayon::current_num_threads()).1;
            if !host_energy.is_finite() {
                return Err(Error::new(format!("the energy of {n} atoms is no finite number"))
                    .help("two of them are in one place"));
            }
            let host = (self.args.host_steps > 0).then(|| self.time_host(system));
            bar.inc(1);
            for &precision in self.precisions {
                for &block in self.blocks {
                    bar.set_message(format!("{n} atoms, {}, blocks of {block}", precision.name()));
                    let tiling = Tiling::new(self.gpu.info(), precision, n, block)?;
                    let device = Device::new(self.gpu, system, precision, tiling)?;
                    rows.push(self.time_device(system, &device, precision, host, host_energy)?);
                    bar.inc(1);
                }
            }
        }
        bar.finish_and_clear();
        Ok(rows)
    }

    fn time_host(&self, system: &System) -> HostTimes {
        let time = |threads| {
            let mut twin = system.clone();
            let started = Instant::now();
            crate::studies::allpairs::host::run(&mut twin, self.args.host_steps, threads);
            // With the forces of the first configuration, there is one evaluation more than steps.
            started.elapsed().as_secs_f64() / f64::from(self.args.host_steps + 1)
        };
        let threads = rayon::current_num_threads();
        HostTimes { one: time(1), all: time(threads), threads }
    }

    fn time_device(
        &self,
        system: &System,
        device: &Device,
        precision: Precision,
        host: Option<HostTimes>,
        host_energy: f64,
    ) -> Result<Row> {
        let potential = || device.forces().map(|rows| rows.iter().map(|row| row[3]).sum::<f64>());
        let energy = potential()?;
        // The first launch of a kernel may cost more than the others.
        device.run(1)?;
        device.upload(system)?;
        let started = Instant::now();
        device.run(self.args.steps)?;
        let seconds = started.elapsed().as_secs_f64() / f64::from(self.args.steps);
        let mut end = system.clone();
        device.download(&mut end)?;
        let total = potential()? + end.kinetic();
        if !total.is_finite() {
            return Err(Error::new(format!(
                "the energy after {} steps is no finite number",
                self.args.steps
            ))
            .help("use a shorter --dt (in a script: timestep)"));
        }
        let before = host_energy + system.kinetic();
        let drift = (total - before) / (host_energy.abs() + system.kinetic());
        let (atoms, tiling) = (system.x.len(), device.tiling());
        Ok(Row { atoms, precision, tiling, seconds, host, energy, host_energy, drift })
    }

    /// The table, what the pipeline's energy says, and the best block.
    pub(super) fn print(&self, rows: &[Row], pipeline: Option<(i64, f64)>) {
        let mut table = Table::new();
        table.load_preset(ASCII_MARKDOWN);
        let threads = rayon::current_num_threads();
        let mut header: Vec<String> =
            ["atoms", "precision", "block", "ms/step", "Gpairs/s", "energy error", "drift"]
                .map(String::from)
                .into();
        if self.args.host_steps > 0 {
            header.extend(["1 core ms".to_owned(), "times".to_owned()]);
            header.extend([format!("{threads} cores ms"), "times".to_owned()]);
        }
        table.set_header(&header);
        for row in rows {
            let pairs = row.atoms as f64 * (row.atoms as f64 - 1.0);
            let mut cells = vec![
                row.atoms.to_string(),
                row.precision.name().to_owned(),
                row.tiling.block.to_string(),
                g(row.seconds * 1e3, 4),
                format!("{:.3}", pairs / row.seconds * 1e-9),
                format!("{:.1e}", relative(row.energy, row.host_energy)),
                format!("{:.1e}", row.drift),
            ];
            for seconds in row.host.iter().flat_map(|host| [host.one, host.all]) {
                cells.extend([g(seconds * 1e3, 4), format!("{:.1}", seconds / row.seconds)]);
            }
            table.add_row(cells);
        }
        table.column_iter_mut().for_each(|column| column.set_cell_alignment(CellAlignment::Right));
        let mut out = std::io::stdout().lock();
        let mut print = |line: String| {
            // Nobody to tell when standard output is closed.
            let _ = writeln!(out, "{line}");
        };
        print(table.to_string());
        if let Some((step, energy)) = pipeline {
            print(format!("Potential energy at step {step}, by cell lists {energy:.10}:"));
            for row in rows {
                let (name, block) = (row.precision.name(), row.tiling.block);
                let error = relative(row.energy, energy);
                print(format!(
                    "  all pairs, {name}, block {block}: {:.10}, relative difference {error:.1e}",
                    row.energy
                ));
            }
        }
        if self.blocks.len() > 1 {
            for &precision in self.precisions {
                let mut sizes: Vec<usize> = rows.iter().map(|row| row.atoms).collect();
                sizes.dedup();
                let best: Vec<String> = sizes
                    .iter()
                    .filter_map(|&atoms| best(rows, precision, atoms))
                    .map(|row| format!("{} at {}", row.tiling.block, row.atoms))
                    .collect();
                print(format!("Fastest block in {} precision: {} atoms", precision.name(), best.join(", ")));
            }
        }
    }
}

/// The fastest row of a precision and size.
fn best(rows: &[Row], precision: Precision, atoms: usize) -> Option<&Row> {
    let fitting = rows.iter().filter(|row| row.precision == precision && row.atoms == atoms);
    fitting.min_by(|a, b| a.seconds.total_cmp(&b.seconds))
}

fn relative(found: f64, expected: f64) -> f64 {
    if found == expected { 0.0 } else { ((found - expected) / expected).abs() }
}

/// Speed-up over the host against the number of atoms, with the fastest block of each.
pub(super) fn chart(rows: &[Row], info: &DeviceInfo) -> Chart {
    let mut series = Vec::new();
    for precision in [Precision::Single, Precision::Double] {
        type Pick = fn(&HostTimes) -> f64;
        for (host, pick) in [("1 core", (|host| host.one) as Pick), ("all cores", |host| host.all)] {
            let point = |row: &Row| {
                let fastest = best(rows, row.precision, row.atoms)?;
                Some((row.atoms as f64, pick(&fastest.host?) / fastest.seconds))
            };
            let mut points: Vec<_> =
                rows.iter().filter(|row| row.precision == precision).filter_map(point).collect();
            points.dedup();
            if !points.is_empty() {
                series.push(Series {
                    name: format!("{}, over {host}", precision.name()),
                    points,
                    marks: true,
                });
            }
        }
    }
    Chart {
        title: format!("All pairs on {}: speed-up over the host", info.name),
        x_label: "atoms".to_owned(),
        y_label: "times as fast as the host (fp64)".to_owned(),
        log_x: false,
        log_y: true,
        series,
    }
}
