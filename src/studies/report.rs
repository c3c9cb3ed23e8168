//! What every study's JSON record begins with, and where it is written.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::files;
use crate::gpu::Gpu;

/// The options that every study on a device takes.
#[derive(Debug, Clone, clap::Args)]
pub struct DeviceArgs {
    /// OpenCL device: gpu, cpu, its number, PLATFORM:DEVICE or a part of its name
    #[arg(long, env = "CLAMPS_DEVICE", value_name = "DEVICE")]
    pub device: Option<String>,
    /// Write the figures to this file, too
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// The head of a record: the study's name, the program's version, the time, the device.
pub fn header(study: &str, gpu: Option<&Gpu>) -> Value {
    json!({
        "study": study,
        "version": crate::cli::VERSION,
        "git": crate::cli::GIT,
        "date": jiff::Timestamp::now().to_string(),
        "device": gpu.map(Gpu::info),
    })
}

/// Writes a record whole, or leaves an older one as it was.
///
/// # Errors
/// When the file cannot be written.
pub fn save(path: &Path, record: &Value) -> Result<()> {
    files::write_whole(path, |mut file| {
        serde_json::to_writer_pretty(file, record)?;
        writeln!(file)
    })
    .map_err(|err| Error::new(format!("cannot write {}: {err}", path.display())))
}
