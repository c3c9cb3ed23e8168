//! Values per atom averaged over the atoms of bins and over steps, whatever bins are: chunks, cells of a grid. Source: LAMMPS
//! manual, `fix ave/chunk` and `fix ave/grid`.

use super::{Schedule, is_reference, need_tally};
use crate::base::error::{Error, Result};
use crate::base::parallel;
use crate::script::atom_expr::{AtomExpr, AtomProperty};
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::compute::thermal_recipes;
use crate::session::snapshot::view::Snapshot;
use crate::session::snapshot::{AtomValue, Places};
use crate::session::thermo::density_unit;
use std::cell::RefCell;
use std::fmt::Write;

/// What is averaged.
enum Quantity {
    NumberDensity,
    MassDensity,
    Mass,
    Temperature,
    PerAtom(AtomValue),
}

impl Quantity {
    fn named(text: &str) -> Option<Self> {
        match text {
            "density/number" => Some(Quantity::NumberDensity),
            "density/mass" => Some(Quantity::MassDensity),
            "mass" => Some(Quantity::Mass),
            "temp" => Some(Quantity::Temperature),
            _ => None,
        }
    }
}

/// What sums are divided by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::fixes) enum Norm {
    /// By all atoms of all samples.
    All,
    /// Each sample's by its atoms.
    Sample,
    /// By the number of samples.
    None,
}

/// Rows of bins: number of atoms, then a value for each quantity.
type Rows = Vec<Vec<f64>>;

/// What is averaged, and its sums so far.
pub(in crate::fixes) struct Binned {
    quantities: Vec<Quantity>,
    /// As the script has them, each after a blank.
    pub(in crate::fixes) names: String,
    /// `norm`.
    pub(in crate::fixes) norm: Norm,
    /// A temperature whose bias is taken off.
    bias: Option<String>,
    /// Degrees of freedom per atom and per bin.
    freedom: [f64; 2],
    /// Of the current average.
    sums: RefCell<Rows>,
}

impl Binned {
    /// Takes values as long as there are some.
    ///
    /// # Errors
    /// At a reference to something that has no values per atom.
    pub(in crate::fixes) fn read(session: &Session, args: &mut Args<'_>) -> Result<Self> {
        let (mut quantities, mut names) = (Vec::new(), String::new());
        let velocity = |text: &str| matches!(text, "vx" | "vy" | "vz" | "fx" | "fy" | "fz");
        // A reference with a colon is one to a grid.
        let reference = |text: &str| is_reference(text) && !text.contains(':');
        while let Some(word) = args.peek().filter(|word| {
            Quantity::named(&word.text).is_some() || velocity(&word.text) || reference(&word.text)
        }) {
            args.word("a value")?;
            let values = match Quantity::named(&word.text) {
                Some(quantity) => vec![(word.text.clone(), quantity)],
                None => {
                    let values = AtomValue::read(session, args, word)?.into_iter();
                    values.map(|value| (value.to_string(), Quantity::PerAtom(value))).collect()
                }
            };
            for (name, quantity) in values {
                let _ = write!(names, " {name}");
                quantities.push(quantity);
            }
        }
        let freedom = [f64::from(session.system.dimension), 0.0];
        let sums = RefCell::default();
        Ok(Binned { quantities, names, norm: Norm::All, bias: None, freedom, sums })
    }

    /// The error of something that is no value, or of none.
    pub(in crate::fixes) fn no_value(args: &mut Args<'_>, style: &str) -> Error {
        match args.word("a value such as vx, density/number or c_ID") {
            Ok(word) => args.unknown(word, &format!("value of fix {style}"), VALUES.into_iter()),
            Err(missing) => missing,
        }
    }

    /// Takes the words after `norm`, `bias`, `adof` or `cdof`; `false` where it is none of these.
    ///
    /// # Errors
    /// At a word that does not fit.
    pub(in crate::fixes) fn keyword(
        &mut self,
        keyword: &Word,
        session: &Session,
        args: &mut Args<'_>,
    ) -> Result<bool> {
        match &*keyword.text {
            "norm" => {
                let names = [("all", Norm::All), ("sample", Norm::Sample), ("none", Norm::None)];
                self.norm = args.one_of("norm", &names)?;
            }
            "bias" => self.bias = Some(session.computes.temperature_arg(args)?),
            "adof" => self.freedom[0] = args.f64("degrees of freedom per atom")?,
            "cdof" => self.freedom[1] = args.f64("degrees of freedom per bin")?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// How many values there are.
    pub(in crate::fixes) fn len(&self) -> usize {
        self.quantities.len()
    }

    /// Whether one of them needs energies or virials of single atoms.
    pub(in crate::fixes) fn needs_tally(&self, session: &Session) -> bool {
        let inputs = self.quantities.iter().filter_map(|quantity| match quantity {
            Quantity::PerAtom(value) => value.input(),
            _ => None,
        });
        need_tally(session, inputs)
    }

    /// The values of all atoms that are summed for each quantity.
    fn columns(&self, system: &Snapshot<'_>, group: u32) -> Result<Vec<Vec<f64>>> {
        let (atoms, masses) = (system.atoms()?, system.masses());
        let mass = |i: usize| masses.of(atoms.kind[i]);
        let each = |value: &(dyn Fn(usize) -> f64 + Sync)| Ok(parallel::map(atoms.len(), value));
        let bias = match &self.bias {
            Some(id) => {
                let temperature = system.compute(id)?.temperature();
                let missing = || Error::new(format!("compute {id} does not measure a temperature"));
                temperature.ok_or_else(missing)?.bias(system)?
            }
            None => None,
        };
        let flow = |i: usize| bias.as_ref().map_or([0.0; 3], |bias| bias[i]);
        let square = |i: usize| (0..3).map(|d| (atoms.v[i][d] - flow(i)[d]).powi(2)).sum::<f64>();
        let column = |quantity: &Quantity| match quantity {
            Quantity::NumberDensity => each(&|_| 1.0),
            Quantity::MassDensity | Quantity::Mass => each(&mass),
            Quantity::Temperature => each(&|i| mass(i) * square(i)),
            Quantity::PerAtom(value) => value.get(system, group),
        };
        self.quantities.iter().map(column).collect()
    }

    /// The same as recipes for the device; `None` where the host makes some of them.
    fn recipes(&self, system: &Snapshot<'_>) -> Option<Vec<AtomExpr>> {
        let mass = || AtomExpr::own(AtomProperty::Mass);
        let velocity = match &self.bias {
            Some(id) => thermal_recipes(system.compute(id).ok()?.temperature()?, system).ok()??,
            None => AtomExpr::vector(AtomProperty::V),
        };
        let recipe = |quantity: &Quantity| match quantity {
            Quantity::NumberDensity => Some(AtomExpr::number(1.0)),
            Quantity::MassDensity | Quantity::Mass => Some(mass()),
            Quantity::Temperature => {
                let [x, y, z] = velocity.clone().map(AtomExpr::square);
                Some(mass() * (x + y + z))
            }
            Quantity::PerAtom(value) => value.recipe(system),
        };
        self.quantities.iter().map(recipe).collect()
    }

    /// What a sum over the atoms of a bin at `samples` samples stands for.
    fn value(&self, quantity: &Quantity, sum: f64, atoms: f64, samples: f64, place: &Place<'_>) -> f64 {
        let units = place.session.system.units;
        let [per_atom, per_bin] = self.freedom;
        match quantity {
            _ if atoms == 0.0 => sum,
            Quantity::Temperature => {
                sum * units.mvv2e / ((samples * per_bin + per_atom * atoms) * units.boltz)
            }
            Quantity::NumberDensity => sum / place.volume / samples,
            Quantity::MassDensity => sum / place.volume * (density_unit(units) / samples),
            _ if self.norm == Norm::None => sum / samples,
            _ => sum / atoms,
        }
    }

    /// The number of atoms of each bin, and the sums over them.
    fn on_host(&self, system: &Snapshot<'_>, group: u32, bins: &Bins<'_>) -> Result<Rows> {
        let (columns, places) = (self.columns(system, group)?, bins.places.known(system)?);
        let members = system.indices(group, None)?;
        let bin = |i: usize| (places[i] as usize).checked_sub(1);
        Ok(parallel::histogram(&members, [bins.count, 1 + columns.len()], bin, |i, row| {
            row[0] += 1.0;
            row[1..].iter_mut().zip(&columns).for_each(|(sum, column)| *sum += column[i]);
        }))
    }

    /// Adds the sample of this moment over the atoms of a group, given the bin of each atom, and says so to the schedule; the
    /// average, where that was the last sample of one. With `each` a sample is made a mean before it is added.
    ///
    /// # Errors
    /// When a value cannot be had.
    pub(in crate::fixes) fn add(
        &self,
        system: &Snapshot<'_>,
        group: u32,
        bins: &Bins<'_>,
        each: bool,
        schedule: &Schedule,
    ) -> Result<Option<Rows>> {
        let empty = vec![0.0; 1 + self.len()];
        let on_device = match self.recipes(system) {
            Some(recipes) => bins.places.sums(system, group, bins.count, recipes)?,
            None => None,
        };
        let mut sample = on_device.map_or_else(|| self.on_host(system, group, bins), Ok)?;
        let finish = |bin: usize, row: &mut Vec<f64>, samples: f64| {
            let atoms = row[0];
            let place = Place { session: system.session, volume: (bins.volume)(bin) };
            for (sum, quantity) in row[1..].iter_mut().zip(&self.quantities) {
                *sum = self.value(quantity, *sum, atoms, samples, &place);
            }
        };
        if each {
            sample.iter_mut().enumerate().for_each(|(bin, row)| finish(bin, row, 1.0));
        }
        let mut sums = self.sums.borrow_mut();
        if schedule.fresh() {
            sums.clear();
        }
        let rows = sums.len().max(bins.count);
        sums.resize(rows, empty);
        for (sums, row) in sums.iter_mut().zip(&sample) {
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        if !schedule.taken() {
            return Ok(None);
        }
        let samples = schedule.repeat as f64;
        for (bin, row) in sums.iter_mut().enumerate() {
            match each {
                true => row[1..].iter_mut().for_each(|sum| *sum /= samples),
                false => finish(bin, row, samples),
            }
            row[0] /= samples;
        }
        Ok(Some(std::mem::take(&mut *sums)))
    }
}

/// The bins at a moment.
pub(in crate::fixes) struct Bins<'a> {
    /// How many there are.
    pub(in crate::fixes) count: usize,
    /// Of one, from 0.
    pub(in crate::fixes) volume: &'a dyn Fn(usize) -> f64,
    /// The bin of each atom.
    pub(in crate::fixes) places: &'a Places,
}

/// Where a sum was made.
struct Place<'a> {
    session: &'a Session,
    /// Of a bin.
    volume: f64,
}

const VALUES: [&str; 13] = [
    "vx",
    "vy",
    "vz",
    "fx",
    "fy",
    "fz",
    "density/number",
    "density/mass",
    "mass",
    "temp",
    "c_ID",
    "f_ID",
    "v_NAME",
];
