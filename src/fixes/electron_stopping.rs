//! `fix ID GROUP electron/stopping EMIN FILE [region ID] [minneigh N]`: electrons brake fast atoms. A file gives the force for each kinetic energy
//! and type. It acts against the velocity. `fix ID GROUP electron/stopping/fit ECOH C1 C2 ...`: a formula gives it, with three numbers for each
//! type, for all atoms (cl/fix/electron_stopping.cl).
//!
//! Source: LAMMPS manual, `fix electron/stopping`; J. A. Stewart and others, J. Appl. Phys. 123 (2018) 165902. By the formula each
//! component of the force is -(C1 + C2 v) v of that component; it grows from nothing at a kinetic energy of ECOH to this at 2 ECOH.

use super::force::region;
use crate::base::error::{Error, Result};
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::lines::Lines;
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{DeviceFix, Fix, FixContext, FixOutput, FixSums, Header, HostFix, StepContext};
use crate::session::snapshot::view::Snapshot;
use std::borrow::Cow;
use std::cell::Cell;

/// What the force on an atom follows from.
enum Law {
    Table {
        /// Atoms with less kinetic energy are not braked.
        least: f64,
        /// Energies, then the forces of each type at these.
        numbers: Vec<f64>,
        /// Atoms on which no other acts are not braked.
        among_others: bool,
    },
    /// Of each type the energy where friction begins, and its coefficients.
    Fit(Vec<[f64; 3]>),
}

struct ElectronStopping {
    header: Header,
    law: Law,
    region: Option<String>,
    /// Power, and how many atoms are faster than the table knows.
    measured: FixSums,
    /// The step that a run has begun with, if this one has: as in LAMMPS a table says nothing of its forces.
    first: Cell<Option<i64>>,
    /// The time step of the present step.
    dt: Cell<f64>,
    /// Power in the last step.
    power: Cell<f64>,
    /// Energy that electrons have taken in this run.
    taken: Cell<f64>,
}

/// Takes the least kinetic energy, the file, `region` and `minneigh`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let least = args.not_negative("the kinetic energy below which atoms are not braked")?;
    let word = args.word("the file of stopping forces")?;
    let numbers = read(args, word, session.types())?;
    let (mut place, mut among_others) = (None, true);
    while !args.is_empty() {
        match args.one_of("fix electron/stopping keyword", &[("region", true), ("minneigh", false)])? {
            true => place = Some(region(session, args)?),
            false => {
                let word = args.peek();
                let count = args.count("the number of neighbors that an atom must have", 0)?;
                if let (Some(word), 2..) = (word, count) {
                    let message = "atoms that have fewer neighbors than some number are not told apart";
                    return Err(args.error(word, message).help("write 1, or 0 for atoms by themselves, too"));
                }
                among_others = count == 1;
            }
        }
    }
    Ok(ElectronStopping::boxed(header, Law::Table { least, numbers, among_others }, place))
}

/// Takes an energy and two coefficients for each type.
pub(crate) fn fit(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let mut of_types = Vec::new();
    for kind in 1..=session.types() {
        let energy = args.positive(&format!("the cohesive energy of type {kind}"))?;
        let mut coefficient = || args.f64(&format!("a coefficient of the friction of type {kind}"));
        of_types.push([energy, coefficient()?, coefficient()?]);
    }
    Ok(ElectronStopping::boxed(header, Law::Fit(of_types), None))
}

/// The energies of a file, which rise, and behind them the forces of each type.
fn read(args: &Args<'_>, word: &Word, types: usize) -> Result<Vec<f64>> {
    let lines = Lines::open(&word.text, "the file of stopping forces that was read");
    let mut lines = lines.map_err(|error| args.place(word, error))?;
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); 1 + types];
    while lines.advance_to_text()? {
        let mut words = lines.text().split_whitespace();
        let first = words.clone().next().unwrap_or_default();
        let energy = lines.float(words.next(), "a kinetic energy")?;
        if energy <= columns[0].last().copied().unwrap_or(0.0) {
            return Err(lines.error(first, "energies must be positive and rise".to_owned()));
        }
        columns[0].push(energy);
        for (kind, column) in columns.iter_mut().enumerate().skip(1) {
            column.push(lines.float(words.next(), &format!("the stopping force of type {kind}"))?);
        }
    }
    if columns[0].len() < 2 {
        let message = format!("{} has fewer than two energies", word.text);
        return Err(args
            .error(word, message)
            .help("its lines are: an energy, and a force for each atom type"));
    }
    Ok(columns.concat())
}

impl ElectronStopping {
    fn boxed(header: Header, law: Law, region: Option<String>) -> Box<dyn Fix> {
        let measured = FixSums::vector(0).with_own(2);
        let (first, dt, power, taken) = Default::default();
        Box::new(ElectronStopping { header, law, region, measured, first, dt, power, taken })
    }
}

impl Fix for ElectronStopping {
    fn header(&self) -> &Header {
        &self.header
    }

    fn minimizes(&self) -> bool {
        false
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }
}

impl DeviceFix for ElectronStopping {
    fn hooks(&self) -> Option<DeviceHooks> {
        let function = match self.law {
            Law::Table { .. } => "electron_stopping",
            Law::Fit(_) => "electron_stopping_fit",
        };
        let of = DeviceHooks::of(kernel_file!("fix/electron_stopping.cl"));
        Some(DeviceHooks { post_force: Some(function), ..of })
    }

    /// As in LAMMPS, the group does not count for a formula.
    fn groups(&self) -> u32 {
        match self.law {
            Law::Table { .. } => self.header.group,
            Law::Fit(_) => u32::MAX,
        }
    }

    fn memory(&self) -> Cow<'_, [f64]> {
        match &self.law {
            Law::Table { numbers, .. } => Cow::Borrowed(numbers),
            Law::Fit(_) => Cow::Borrowed(&[]),
        }
    }

    fn region(&self) -> Option<&str> {
        self.region.as_deref()
    }

    fn measured(&self) -> Option<&FixSums> {
        Some(&self.measured)
    }

    fn check_measured(&self) -> Result<()> {
        match self.measured.own()[1] {
            0.0 => Ok(()),
            beyond => {
                let message = format!("{beyond} atoms have more kinetic energy than its file knows");
                Err(Error::new(message).help("add rows for higher energies to the file"))
            }
        }
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let system = &now.session.system;
        let halves = now.mass().map(|mass| 0.5 * system.units.mvv2e * mass);
        Ok(match &self.law {
            Law::Table { least, numbers, among_others } => {
                let energies = numbers.len() / (1 + system.mass.len());
                let least = if self.first.get() == Some(now.step) { f64::INFINITY } else { *least };
                let first = [least, energies as f64, f64::from(u8::from(*among_others))];
                first.into_iter().chain(halves).collect()
            }
            Law::Fit(of_types) => of_types
                .iter()
                .zip(halves)
                .flat_map(|([energy, c1, c2], half)| [energy / half, 2.0 * energy / half, *c1, *c2])
                .collect(),
        })
    }
}

impl HostFix for ElectronStopping {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.first.set(Some(context.session.clock.step));
        self.taken.set(0.0);
        Ok(())
    }

    fn go_on(&self, _: &mut FixContext<'_>) -> Result<()> {
        self.first.set(None);
        Ok(())
    }

    fn setup(&self, _: &mut FixContext<'_>) -> Result<()> {
        self.power.set(self.measured.own()[0]);
        Ok(())
    }

    fn next(&self, step: i64) -> Option<i64> {
        Some(step + 1)
    }

    fn post_force(&self, context: &mut FixContext<'_>) -> Result<()> {
        // Other fixes may change it at the end of the step.
        self.dt.set(context.session.clock.dt);
        Ok(())
    }

    fn end_of_step(&self, _: &mut FixContext<'_>) -> Result<()> {
        let power = self.measured.own()[0];
        let mean = match self.law {
            Law::Table { .. } => power,
            Law::Fit(_) => 0.5 * (self.power.get() + power),
        };
        self.power.set(power);
        self.taken.set(self.taken.get() + mean * self.dt.get());
        Ok(())
    }
}

impl FixOutput for ElectronStopping {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::SCALAR)
    }

    /// The energy that electrons have taken since the run began.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::scalar(self.taken.get()))
    }
}
