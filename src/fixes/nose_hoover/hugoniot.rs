//! `fix ID GROUP nphug KEYWORD ...`: `fix npt` with a target temperature that takes the system to the states that a steady
//! shock of this pressure leaves behind. Ravelo, Holian, Germann, Lomdahl, Phys. Rev. B 70, 014103 (2004).
//!
//! As in LAMMPS, masses of chains and box stay as they are when a run begins, and the box is pushed by the one pressure alone.

use super::arguments::read;
use super::motion::Motion;
use crate::base::error::Result;
use crate::fixes::barostat::Axes;
use crate::fixes::hugoniot::{Ahead, Bulk};
use crate::model::domain::Domain;
use crate::model::units::Units;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{Fix, Header};
use crate::session::snapshot::view::Snapshot;

/// The target until the first step sets one, which the chain of the box reads before.
pub(super) const FIRST_TARGET: f64 = 0.01;

/// The shock.
#[derive(Clone, Debug)]
pub(super) struct Hugoniot {
    /// Along which axis; `None`: all axes follow the mean pressure.
    axis: Option<usize>,
    pub ahead: Ahead,
    /// Mass of the group.
    mass: f64,
    /// The target temperature that a restart file kept, for the next run.
    resumed: Option<f64>,
}

/// `nphug`.
pub(crate) fn nphug(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let mut fix = read(header, session, args, [true, true])?;
    let hugoniot = Hugoniot::new(&fix.settings.axes, args)?;
    fix.settings.axes.axis_by_axis = false;
    fix.motion.get_mut().hugoniot = Some(hugoniot);
    Ok(Box::new(fix))
}

impl Hugoniot {
    /// Checks that the targets are one pressure that stays.
    fn new(axes: &Axes, args: &Args<'_>) -> Result<Self> {
        let mut targets = axes.controlled.iter().chain(&axes.tilts).flatten();
        if targets.any(|axis| axis.start != axis.stop) {
            let error = args.error_here("the target pressure of fix nphug does not change");
            return Err(error.help("give the same pressure for start and stop"));
        }
        let controlled: Vec<usize> = (0..3).filter(|&d| axes.controlled[d].is_some()).collect();
        let [x, y, z] = axes.targets(0.0);
        let all = controlled.len() == axes.dimension as usize && x == y && (axes.dimension == 2 || y == z);
        let axis = match controlled[..] {
            [axis] if !axes.tilting() => Some(axis),
            _ if all && axes.tilt_targets(0.0) == [0.0; 3] => None,
            _ => {
                let error =
                    args.error_here("fix nphug has one pressure, along one axis or along all of them");
                return Err(error.help("take one of the keywords iso, aniso, tri, x, y, z"));
            }
        };
        Ok(Hugoniot { axis, ahead: Ahead::default(), mass: 0.0, resumed: None })
    }
}

impl Hugoniot {
    /// Goes on with what [`Motion::hugoniot_numbers`] were.
    pub(super) fn restore(&mut self, [energy, pressure, volume, target]: [f64; 4]) {
        self.ahead = Ahead::of_numbers([energy, pressure, volume]);
        self.resumed = Some(target);
    }
}

impl Motion {
    /// What restart files keep of a shock: the state ahead of it and the target temperature; nothing for other fixes.
    pub(super) fn hugoniot_numbers(&self) -> Vec<f64> {
        let numbers = |Hugoniot { ahead, .. }: &Hugoniot| [&ahead.numbers()[..], &[self.target]].concat();
        self.hugoniot.as_ref().map_or_else(Vec::new, numbers)
    }

    /// All atoms as of the last forces, with the motion as the chains have scaled it.
    fn bulk(&self, axis: Option<usize>, domain: &Domain, units: &Units, dimension: u32) -> Bulk {
        let (mean, tensor) = self.barometer.tensor(units, domain);
        Bulk {
            energy: self.barometer.potential() + 0.5 * self.tensor[..3].iter().sum::<f64>(),
            pressure: axis.map_or(mean, |axis| tensor[axis]),
            volume: domain.volume(dimension),
        }
    }

    /// At the beginning of a run: what nobody has said of the state ahead of the shock is as now.
    pub(super) fn begin_hugoniot(&mut self, system: &Snapshot<'_>, group: u32) -> Result<()> {
        let Some(mut hugoniot) = self.hugoniot.take() else { return Ok(()) };
        let (session, atoms) = (system.session, system.atoms()?);
        hugoniot.ahead.complete(self.bulk(
            hugoniot.axis,
            system.domain()?,
            session.system.units,
            session.system.dimension,
        ));
        let members = atoms.mask.iter().zip(&atoms.kind).filter(|(mask, _)| **mask & group != 0);
        hugoniot.mass = members.map(|(_, kind)| system.mass(*kind)).sum();
        self.target = FIRST_TARGET;
        if let Some(target) = hugoniot.resumed.take() {
            self.target = target;
            self.chain.accelerate(session.system.units.boltz * target);
            self.box_chain.accelerate(session.system.units.boltz * target);
        }
        self.set_kinetic_target(session);
        self.hugoniot = Some(hugoniot);
        Ok(())
    }

    /// The target temperature of the next step: as far above the temperature as that is below the Hugoniot's.
    pub(super) fn set_target_on_hugoniot(&mut self, session: &Session, domain: &Domain) {
        let Some(Hugoniot { axis, ahead, .. }) = &self.hugoniot else { return };
        let now = self.bulk(*axis, domain, session.system.units, session.system.dimension);
        self.target = self.temperature + ahead.deviation(now, self.freedom, session.system.units);
        self.set_kinetic_target(session);
    }

    /// How far the temperature is from the Hugoniot's, and the velocities of shock and particles behind it, by the conservation
    /// of mass and momentum; nothing for other fixes.
    ///
    /// # Errors
    /// Before there is a box.
    pub(super) fn shock(&self, system: &Snapshot<'_>) -> Result<Vec<f64>> {
        let Some(Hugoniot { axis, ahead, mass, .. }) = &self.hugoniot else { return Ok(Vec::new()) };
        let units = system.session.system.units;
        let now = self.bulk(*axis, system.domain()?, units, system.session.system.dimension);
        let before = ahead.shocked_state(now);
        let compression = 1.0 - now.volume / before.volume;
        let density = units.nktv2p * units.mvv2e * mass / before.volume;
        let rise = now.pressure - before.pressure;
        let shock = match compression >= 1e-10 && rise >= 0.0 {
            true => (rise / (density * compression)).sqrt(),
            false => 0.0,
        };
        Ok(vec![ahead.deviation(now, self.freedom, units), shock, shock * compression])
    }
}
