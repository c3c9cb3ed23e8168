//! The JSON file of `-json FILE`.

use crate::base::error::{Error, Result};
use crate::base::files;
use crate::engine::roofline::PeakRates;
use crate::engine::timing::RunRecord;
use crate::gpu::options::Precision;
use crate::gpu::{DeviceInfo, Gpu};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

/// The file of `-json`: what ran where, and one object per run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    program: &'static str,
    version: &'static str,
    git: String,
    date: String,
    script: String,
    device: Device,
    precision: Precision,
    options: Value,
    runs: Vec<Value>,
}

/// The device, and what it can do where that could be measured.
#[derive(Clone, Debug, Serialize)]
struct Device {
    #[serde(flatten)]
    info: DeviceInfo,
    #[serde(flatten)]
    ceilings: Option<PeakRates>,
}

impl Report {
    /// A report without runs, dated now (UTC). `git` is the commit of the program, empty if unknown.
    pub fn new(script: &str, git: &str, gpu: &Gpu, precision: Precision, options: Value) -> Self {
        // A simulator has no speed to speak of.
        let measured = (!gpu.info().is_simulator).then(|| PeakRates::of(gpu, precision == Precision::Double));
        let ceilings = measured.and_then(|ceilings| {
            ceilings.map_err(|error| log::warn!("the record lacks the device's ceilings: {error}")).ok()
        });
        Report {
            program: "clamps",
            version: env!("CARGO_PKG_VERSION"),
            git: git.to_owned(),
            date: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            script: script.to_owned(),
            device: Device { info: gpu.info().clone(), ceilings },
            precision,
            options,
            runs: Vec::new(),
        }
    }

    /// Adds a run.
    pub fn push_run(&mut self, record: &RunRecord) {
        self.runs.push(record.to_json(self.device.ceilings.as_ref()));
    }

    /// Writes the file aside and renames it into place, so that a reader never sees half of it and a job
    /// killed later leaves the runs that are done. To be called after every run.
    ///
    /// # Errors
    /// When the file cannot be written; an older one is then still as it was.
    pub fn write(&self, path: &Path) -> Result<()> {
        let fail = |err: std::io::Error| Error::io("write", path, &err);
        let text = serde_json::to_string_pretty(self).map_err(|err| fail(err.into()))?;
        files::replace_text(path, &(text + "\n")).map_err(fail)
    }
}
