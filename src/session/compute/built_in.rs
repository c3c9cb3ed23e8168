//! The computes that are there from the start, and those of their styles that fixes bring along.

use crate::base::error::Result;
use crate::script::Args;
use crate::session::compute::Computes;
use crate::session::compute::Pressure;
use crate::session::compute::energy;
use crate::session::compute::style::Compute;
use crate::session::compute::style::Header;
use crate::session::compute::temp;

/// `compute ID GROUP temp`.
pub fn temperature(id: &str, group: u32, dimension: u32) -> Box<dyn Compute> {
    Box::new(temp::Temp::new(Header::new(id, group, "temp", dimension)))
}

/// `compute ID all pressure TEMPERATURE`.
pub fn pressure(id: &str, temperature: &str, dimension: u32) -> Box<dyn Compute> {
    Box::new(Pressure::new(Header::new(id, 1, "pressure", dimension), Some(temperature.to_owned())))
}

/// `compute ID all pressure NULL virial`.
pub fn virial_pressure(id: &str, dimension: u32) -> Box<dyn Compute> {
    let mut pressure = Pressure::new(Header::new(id, 1, "pressure", dimension), None);
    pressure.kinetic = false;
    Box::new(pressure)
}

/// `compute ID all pe`.
pub fn potential(id: &str, dimension: u32) -> Box<dyn Compute> {
    Box::new(energy::Potential::new(Header::new(id, 1, "pe", dimension)))
}

/// The names of the computes that are there from the start.
pub const BUILT_IN: [&str; 3] = ["thermo_temp", "thermo_press", "thermo_pe"];

impl Computes {
    /// Before the first command, in a system of this dimension.
    pub fn new(dimension: u32) -> Self {
        let header = |id, style| Header::new(id, 1, style, dimension);
        Computes {
            list: vec![
                Box::new(temp::Temp::new(header("thermo_temp", "temp"))),
                Box::new(Pressure::new(header("thermo_press", "pressure"), Some("thermo_temp".to_owned()))),
                Box::new(energy::Potential::new(header("thermo_pe", "pe"))),
            ],
        }
    }

    /// Takes the ID of a compute that measures the pressure.
    ///
    /// # Errors
    /// As [`Computes::temperature_arg`].
    pub fn pressure_arg(&self, args: &mut Args<'_>) -> Result<String> {
        let word = args.word("the ID of a pressure compute")?;
        let compute = self.get(&word.text).ok_or_else(|| args.unknown(word, "compute", self.ids()))?;
        match Pressure::of(compute) {
            Some(_) => Ok(word.text.clone()),
            None => Err(args.error(word, format_args!("compute {} does not measure pressure", word.text))),
        }
    }
}
