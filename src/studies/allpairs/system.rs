//! The periodic box: made for the study, or as a LAMMPS script leaves it.

use std::path::Path;
use std::str::FromStr;

use crate::base::error::{Error, Result};
use crate::base::log::{Log, Screen};
use crate::base::random::ParkMiller;
use crate::commands::interpreter::{Echo, Interpreter, read_script};
use crate::model::domain::Boundary;
use crate::script::variables::Variables;
use crate::session::Session;
use crate::session::options::Options;

/// Particles of several types in a periodic box, with lj/cut between all pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// Edges of the box, which begins at the origin.
    pub lengths: [f64; 3],
    /// Positions, in distance units; anywhere, as only nearest images count.
    pub x: Vec<[f64; 3]>,
    /// Velocities.
    pub v: Vec<[f64; 3]>,
    /// Types, from 0.
    pub kind: Vec<u32>,
    /// Mass per type.
    pub mass: Vec<f64>,
    /// Number of types.
    pub types: usize,
    /// The kernel files of the pair style.
    pub files: Vec<(String, String)>,
    /// Per ordered pair of types: cutoff^2 and what cl/pair/lj_cut.cl reads.
    pub table: Vec<f64>,
    /// Numbers of each, without the cutoff.
    pub per_pair: usize,
    /// Whether the cutoffs count; without, every pair interacts by its nearest image, as in the document.
    pub cutoff: bool,
    /// Time step.
    pub dt: f64,
    /// Force per mass to acceleration.
    pub ftm2v: f64,
    /// m v^2 to energy.
    pub mvv2e: f64,
}

/// What `--cutoff` says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cutoff {
    /// All pairs.
    None,
    /// All pairs of types at this distance.
    At(f64),
}

impl FromStr for Cutoff {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word.parse() {
            _ if word == "none" => Ok(Cutoff::None),
            Ok(length) if length > 0.0 && f64::is_finite(length) => Ok(Cutoff::At(length)),
            _ => Err("expected a positive length, or none".to_owned()),
        }
    }
}

/// A particle type: energy, distance, mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    epsilon: f64,
    sigma: f64,
    mass: f64,
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(words: &str) -> Result<Self, String> {
        let numbers: Option<Vec<f64>> = words.split(',').map(|word| word.trim().parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[epsilon, sigma, mass])
                if [epsilon, sigma, mass].iter().all(|x| x.is_finite() && *x > 0.0) =>
            {
                Ok(Kind { epsilon, sigma, mass })
            }
            _ => Err("expected three positive numbers EPSILON,SIGMA,MASS".to_owned()),
        }
    }
}

/// What a liquid is made of.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Number of particles.
    pub atoms: usize,
    /// Their types, in turn.
    pub kinds: Vec<Kind>,
    /// Number density.
    pub density: f64,
    /// Initial temperature.
    pub temperature: f64,
    /// Time step.
    pub dt: f64,
    /// Of displacements and velocities.
    pub seed: u32,
}

impl Recipe {
    /// The liquid as the commands of a script would leave it: particles spread evenly over the sites of the
    /// smallest simple cubic lattice that holds them, each a little displaced; unlike types mix as in
    /// `pair_modify mix geometric`.
    ///
    /// # Errors
    /// A cutoff of more than half the box, a file that cannot be written.
    pub fn session(&self, cutoff: Cutoff, write_data: Option<&Path>) -> Result<Session> {
        let Recipe { atoms, density, temperature, dt, seed, .. } = *self;
        let edge = (atoms as f64 / density).cbrt();
        let reach = match cutoff {
            Cutoff::At(length) => length,
            Cutoff::None => 0.5 * edge,
        };
        let types = self.kinds.len();
        let mut script = format!(
            "region box block 0 {edge} 0 {edge} 0 {edge}\ncreate_box {types} box\npair_style lj/cut {reach}\n\
             timestep {dt}\n"
        );
        for (k, Kind { epsilon, sigma, mass }) in self.kinds.iter().enumerate() {
            let k = k + 1;
            script.push_str(&format!("mass {k} {mass}\npair_coeff {k} {k} {epsilon} {sigma}\n"));
        }
        let session = Session::new(Options::default(), Log::memory(), Variables::default());
        let mut interpreter = Interpreter::new(session, Echo::None);
        interpreter.run("(box)", &script)?;

        let sites = (1..).find(|side: &usize| side.pow(3) >= atoms).unwrap_or(1);
        let spacing = edge / sites as f64;
        let mut random = ParkMiller::new(seed);
        random.skip(5);
        for i in 0..atoms {
            let site = i * sites.pow(3) / atoms;
            let cell = [site % sites, site / sites % sites, site / (sites * sites)];
            let x = cell.map(|c| spacing * (c as f64 + 0.5 + 0.05 * (2.0 * random.uniform() - 1.0)));
            interpreter.session.system.host_atoms.push(i as u32 + 1, (i % types) as u32 + 1, x);
        }
        interpreter.run("(velocities)", &format!("velocity all create {temperature} {seed} loop all\n"))?;
        if let Some(path) = write_data {
            interpreter.run("(--write-data)", &format!("write_data \"{}\" pair ij\n", path.display()))?;
        }
        Ok(interpreter.session)
    }
}

/// Carries out a LAMMPS script and returns what it leaves; its output goes to the screen.
///
/// # Errors
/// Of the script.
pub fn of_script(path: &Path, variables: &[String], options: Options) -> Result<Session> {
    let text = read_script(path)?;
    let mut indices = Variables::default();
    for joined in variables {
        let mut words = crate::base::options_text::values(joined).map(String::from);
        let name = words.next().unwrap_or_default();
        indices.set_index(&name, words.collect())?;
    }
    let session = Session::new(options, Log::new(Screen::Stdout, None)?, indices);
    let mut interpreter = Interpreter::new(session, Echo::None);
    interpreter.run(&path.display().to_string(), &text)?;
    interpreter.session.output.log.flush();
    Ok(interpreter.session)
}

impl System {
    /// What the commands of a script have left.
    ///
    /// # Errors
    /// No box or atoms, faces that are not periodic, another pair style than lj/cut, a mass that is missing, a
    /// cutoff of more than half the shortest edge.
    pub fn new(session: &mut Session, cutoff: Option<Cutoff>) -> Result<Self> {
        session.atoms()?;
        let domain = session.domain()?;
        if domain.triclinic {
            return Err(Error::new("allpairs takes no triclinic boxes"));
        }
        if domain.boundary.iter().flatten().any(|face| *face != Boundary::Periodic)
            || session.system.dimension != 3
        {
            return Err(Error::new(
                "all pairs by nearest images need a box that is periodic in three dimensions",
            ));
        }
        let (lo, lengths) = (domain.lo, domain.lengths());
        let pair = session
            .force_field
            .pair
            .as_ref()
            .ok_or_else(|| Error::new("there is no pair_style yet"))?
            .resolve()?;
        if let Some(part) = pair.parts.iter().find(|part| part.style.name() != "lj/cut") {
            return Err(Error::new(format!("all pairs know lj/cut only, not {}", part.style.name())));
        }
        let coefficients = pair.coefficients(true);
        let row = coefficients.per_pair + 1;
        let mut table = coefficients.table.to_vec();
        if let Some(Cutoff::At(length)) = cutoff {
            table.iter_mut().step_by(row).for_each(|square| *square = length * length);
        }
        let longest = table.iter().step_by(row).fold(0.0_f64, |a, square| a.max(square.sqrt()));
        let half = 0.5 * lengths.into_iter().fold(f64::INFINITY, f64::min);
        if cutoff != Some(Cutoff::None) && longest > half {
            return Err(Error::new(format!(
                "the cutoff {longest} is more than half the box ({half}): nearest images alone miss pairs"
            ))
            .help("use a larger system, a shorter --cutoff, or --cutoff none"));
        }
        let mass: Option<Vec<f64>> = session.system.mass.iter().copied().collect();
        let atoms = &session.system.host_atoms;
        if atoms.len() < 2 {
            return Err(Error::new("there are no pairs of atoms"));
        }
        // The order of IDs, whatever a run has made of it.
        let order = atoms.by_tag();
        Ok(System {
            lengths,
            x: order.iter().map(|&i| std::array::from_fn(|d| atoms.x[i][d] - lo[d])).collect(),
            v: order.iter().map(|&i| atoms.v[i]).collect(),
            kind: order.iter().map(|&i| atoms.kind[i] - 1).collect(),
            mass: mass.ok_or_else(|| Error::new("a mass is missing: set all of them with `mass`"))?,
            types: pair.types,
            files: coefficients.files,
            table,
            per_pair: coefficients.per_pair,
            cutoff: cutoff != Some(Cutoff::None),
            dt: session.clock.dt,
            ftm2v: session.system.units.ftm2v,
            mvv2e: session.system.units.mvv2e,
        })
    }

    /// Kinetic energy.
    pub fn kinetic(&self) -> f64 {
        let square = |v: &[f64; 3]| v.iter().map(|v| v * v).sum::<f64>();
        let terms = self.v.iter().zip(&self.kind).map(|(v, &kind)| self.mass[kind as usize] * square(v));
        0.5 * self.mvv2e * terms.sum::<f64>()
    }
}
