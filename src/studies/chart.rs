//! Line charts as SVG files.

use std::path::Path;

use crate::error::{Error, Result};

/// One line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// (x, y); points that are not finite are left out.
    pub points: Vec<(f64, f64)>,
    /// Whether points are marked.
    pub marks: bool,
}

/// A chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Above it.
    pub title: String,
    /// Below the x axis, with its unit.
    pub x_label: String,
    /// Beside the y axis, with its unit.
    pub y_label: String,
    /// Logarithmic x axis.
    pub log_x: bool,
    /// Logarithmic y axis.
    pub log_y: bool,
    /// The lines, in the order of the legend.
    pub series: Vec<Series>,
}

impl Chart {
    /// Writes the chart as an SVG file, whole, or leaves an older one as it was.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        Err(Error::new(format!("charts are not there yet: {}", path.display())))
    }
}
