//! Computes: what is measured of the system when somebody asks. Each style is one file here and one line in
//! `STYLES` of registry.rs. They are evaluated at steps with output and between runs, on the host's copy of the atoms or by
//! the device's reductions.

pub mod built_in;
pub mod style;
pub mod temperature;
pub mod thermal;

pub(crate) mod energy;
pub(crate) mod list;
mod listed;
pub(crate) mod neighbors;
pub(crate) mod pressure;
pub(crate) mod temp;
mod values;

pub use built_in::{BUILT_IN, potential, pressure, temperature, virial_pressure};
pub use energy::no_energies;
pub use list::Computes;
pub(crate) use neighbors::Neighbors;
pub use pressure::Pressure;
pub use temperature::Temperature;
pub(crate) use temperature::thermal_recipes;
pub use thermal::Thermal;
pub use values::{GridShape, GridValues, PerAtom, Shape, Values};

/// The two methods that return a compute's header.
macro_rules! header {
    () => {
        fn header(&self) -> &$crate::session::compute::style::Header {
            &self.header
        }

        fn header_mut(&mut self) -> &mut $crate::session::compute::style::Header {
            &mut self.header
        }
    };
}
pub(crate) use header;

/// What every [`Temperature`] is as a [`Compute`], with its header in `self.header`.
macro_rules! thermal_compute {
    () => {
        $crate::session::compute::header!();

        fn shape(&self) -> $crate::session::compute::Shape {
            $crate::session::compute::Shape::TEMPERATURE
        }

        fn evaluate(
            &self,
            system: &$crate::session::snapshot::view::Snapshot<'_>,
        ) -> $crate::base::error::Result<$crate::session::compute::Values> {
            Ok($crate::session::compute::Temperature::thermal(self, system)?
                .values(system.session.system.units.boltz))
        }

        fn temperature(&self) -> Option<&dyn $crate::session::compute::Temperature> {
            Some(self)
        }
    };
}
pub(crate) use thermal_compute;
