//! What the studies have in common: options, lines on the screen, JSON records.

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::{Value, json};

use crate::base::error::{Error, Result};
use crate::base::files;
use crate::gpu::Gpu;
use crate::gpu::options::Precision;

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

/// Reads `single` or `double`, for studies whose kernels have nothing to mix.
pub fn precisions() -> impl TypedValueParser<Value = Precision> {
    let [single, double] =
        [("single", "fp32"), ("double", "fp64")].map(|(name, alias)| PossibleValue::new(name).alias(alias));
    PossibleValuesParser::new([single, double]).map(|word| match word.as_str() {
        "double" | "fp64" => Precision::Double,
        _ => Precision::Single,
    })
}

/// Fails where double precision is wanted of a device without it.
///
/// # Errors
/// With the remedy.
pub fn require(gpu: &Gpu, precision: Precision) -> Result<()> {
    if precision == Precision::Double && !gpu.info().fp64 {
        return Err(Error::new(format!("{} does not compute in double precision", gpu.info().name))
            .help("use --precision single, or another device (clamps devices lists them)"));
    }
    Ok(())
}

/// The head of a record: the study's name, the program's version, the time, the device.
pub fn header(study: &str, gpu: Option<&Gpu>) -> Value {
    json!({
        "study": study,
        "version": crate::base::version::VERSION,
        "git": crate::base::version::GIT,
        "date": jiff::Timestamp::now().to_string(),
        "device": gpu.map(Gpu::info),
    })
}

/// Prints a line. When nobody reads any more (`| head`), there is nobody to tell.
pub fn line(text: impl Display) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Whether a file could be written, and is none of those that are `read`: to be asked before anything runs.
///
/// # Errors
/// As [`files::check_apart`] and [`files::check_place`].
pub fn check_output<'a>(path: &Path, read: impl IntoIterator<Item = &'a PathBuf>) -> Result<()> {
    files::check_apart(path, read.into_iter().map(|file| ("a file that is read", &**file)))?;
    files::check_place(path)
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
}
