//! `compute pressure`. Source: LAMMPS manual: P V = N kB T + virial / dim, and its tensor.

use super::style::{Compute, Header};
use super::{Shape, Values, header};
use crate::base::error::{Error, Result};
use crate::script::Args;
use crate::session::Session;
use crate::session::snapshot::bond_virials;
use crate::session::snapshot::view::Snapshot;
use std::any::Any;

/// `compute pressure TEMP-ID|NULL [ke pair virial ...]`.
pub struct Pressure {
    header: Header,
    /// The temperature whose motion makes the kinetic part; `None`: no kinetic part.
    pub temperature: Option<String>,
    /// Whether there is a kinetic part.
    pub kinetic: bool,
    /// Whether pairs count.
    pub pair: bool,
    /// Whether bonds do.
    pub bond: bool,
    /// Whether fixes count.
    pub fix: bool,
}

impl Pressure {
    /// A compute as one that measures the pressure, where it does.
    pub fn of(compute: &dyn Compute) -> Option<&Pressure> {
        (compute as &dyn Any).downcast_ref()
    }

    /// The same, to be changed.
    pub fn of_mut(compute: &mut dyn Compute) -> Option<&mut Pressure> {
        (compute as &mut dyn Any).downcast_mut()
    }

    pub(super) fn new(header: Header, temperature: Option<String>) -> Self {
        Pressure { header, temperature, kinetic: true, pair: true, bond: true, fix: true }
    }

    /// Virials of pairs and bonds are tallied as one: where only one of them counts, those of the bonds are added to another
    /// part of the pressure, or taken off.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_bonds_apart(&self, system: &Snapshot<'_>, part: &mut [f64; 6]) -> Result<()> {
        if self.pair != self.bond {
            let sign = if self.bond { 1.0 } else { -1.0 };
            for virial in bond_virials(system)? {
                part.iter_mut().zip(virial).for_each(|(sum, x)| *sum += sign * x);
            }
        }
        Ok(())
    }
}

/// Takes the temperature's ID or NULL, and which parts count: all by default.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    if header.group != 1 {
        return Err(
            args.error_here(format_args!("compute {} of style pressure must use group all", header.id))
        );
    }
    let word = args.peek();
    let temperature = if args.accept("NULL") { None } else { Some(session.computes.temperature_arg(args)?) };
    let mut compute = Pressure::new(header, temperature);
    if !args.is_empty() {
        [compute.kinetic, compute.pair, compute.bond, compute.fix] = parts(args)?;
    }
    if let (true, None, Some(word)) = (compute.kinetic, &compute.temperature, word) {
        return Err(args
            .error(word, "a pressure with a kinetic part needs a temperature compute")
            .help("name one, such as thermo_temp, or add the word virial"));
    }
    Ok(Box::new(compute))
}

/// Takes the parts that count to the end of the line: whether there is a kinetic part, one of pairs, one of bonds,
/// one of fixes.
pub(crate) fn parts(args: &mut Args<'_>) -> Result<[bool; 4]> {
    let [mut kinetic, mut pair, mut bond, mut fix] = [false; 4];
    while !args.is_empty() {
        let parts = ["ke", "pair", "virial", "bond", "angle", "dihedral", "improper", "kspace", "fix"];
        match args.one_of("part of the pressure", &parts.map(|part| (part, part)))? {
            "ke" => kinetic = true,
            "virial" => (pair, bond, fix) = (true, true, true),
            "pair" => pair = true,
            "bond" => bond = true,
            "fix" => fix = true,
            _ => {}
        }
    }
    Ok([kinetic, pair, bond, fix])
}

impl Compute for Pressure {
    header!();

    fn shape(&self) -> Shape {
        Shape { vector: Some(6), ..Shape::SCALAR }
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let row = system.measured()?;
        let units = system.session.system.units;
        let mut kinetic = match &self.temperature {
            Some(id) if self.kinetic => {
                let compute = system.compute(id)?;
                let temperature = compute.temperature();
                temperature
                    .ok_or_else(|| Error::new(format!("compute {id} is no temperature")))?
                    .thermal(system)?
                    .tensor
            }
            _ => [0.0; 6],
        };
        self.set_bonds_apart(system, &mut kinetic)?;
        let parts = crate::session::thermo::PressureParts { kinetic, pair: self.pair, fix: self.fix };
        let vector = (0..6).map(|component| row.pressure_component(&parts, units, component)).collect();
        Ok(Values { scalar: Some(row.scalar_pressure(&parts, units)), vector, ..Values::default() })
    }

    fn tallies(&self) -> bool {
        true
    }
}
