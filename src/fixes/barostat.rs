//! What barostats have in common: the axes they control, their targets, and the pressure they watch.

use crate::base::error::{Error, Result};
use crate::model::domain::Domain;
use crate::model::units::Units;
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::compute::Pressure;
use crate::session::fix::{Fix, FixContext, FixSums, Header};
use crate::session::thermo::{Observables, PressureParts};

/// Faces of a box, lower and upper, whose edges along some axes have grown by these factors about its middle; and what atoms follow it by: the
/// factors of all axes, and the middle.
pub(super) fn grown(domain: &Domain, factors: [Option<f64>; 3]) -> ([[f64; 3]; 2], [[f64; 3]; 2]) {
    let mut faces = [domain.lo, domain.hi];
    let middle: [f64; 3] = std::array::from_fn(|d| 0.5 * (domain.lo[d] + domain.hi[d]));
    for (d, factor) in factors.into_iter().enumerate() {
        let Some(factor) = factor else { continue };
        faces.iter_mut().for_each(|face| face[d] = (face[d] - middle[d]) * factor + middle[d]);
    }
    (faces, [factors.map(|factor| factor.unwrap_or(1.0)), middle])
}

/// The tilts, and the axis of the edge that each leans over.
const TILTS: [(&str, usize); 3] = [("xy", 1), ("xz", 2), ("yz", 2)];

/// How the pressure of an axis is to change over the span of a run, and how fast the box follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    pub start: f64,
    pub stop: f64,
    pub period: f64,
}

impl Axis {
    /// Takes three numbers, or one that stays.
    fn read(args: &mut Args<'_>, still: bool) -> Result<Self> {
        if still {
            let target = args.f64("the target pressure")?;
            return Ok(Axis { start: target, stop: target, period: 1.0 });
        }
        Ok(Axis {
            start: args.f64("the pressure at the start")?,
            stop: args.f64("the pressure at the end")?,
            period: args.positive("the damping time of the pressure")?,
        })
    }
}

/// The axes of a box that follow the pressure, and its tilts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Axes {
    pub controlled: [Option<Axis>; 3],
    /// The tilts xy xz yz that follow the pressure.
    pub tilts: [Option<Axis>; 3],
    /// Tilts that keep their ratio to the edge that they lean over, where the script says so or that they do not.
    scaled: [Option<bool>; 3],
    /// Whether this barostat knows of triclinic boxes.
    leaning: bool,
    /// Axes that change alike, by the mean of their pressures.
    coupled: Vec<usize>,
    /// Whether axes were given one by one, so that their targets may differ.
    pub axis_by_axis: bool,
    /// Whether targets are single numbers, without time.
    still: bool,
    pub dimension: u32,
}

impl Axes {
    pub(super) fn new(dimension: u32) -> Self {
        Axes { dimension, ..Axes::default() }
    }

    /// Those of a barostat of boxes that may lean.
    pub(super) fn leaning(dimension: u32) -> Self {
        Axes { leaning: true, ..Axes::new(dimension) }
    }

    /// Those of minimizations, where there is no time: a target is one number.
    pub(super) fn at_rest(dimension: u32) -> Self {
        Axes { still: true, ..Axes::leaning(dimension) }
    }

    /// Takes what follows a keyword of LAMMPS's barostats; `false` for another word.
    ///
    /// # Errors
    /// At an argument that does not fit.
    pub(super) fn keyword(&mut self, word: &Word, args: &mut Args<'_>) -> Result<bool> {
        match &*word.text {
            "iso" | "aniso" => {
                let axis = Axis::read(args, self.still)?;
                self.controlled = std::array::from_fn(|d| (d < self.dimension as usize).then_some(axis));
                self.coupled =
                    if word.text == "iso" { (0..self.dimension as usize).collect() } else { Vec::new() };
            }
            "z" if self.dimension == 2 => return Err(args.error(word, "the box of a 2d system keeps its z")),
            "x" | "y" | "z" => {
                let axis = ["x", "y", "z"].iter().position(|name| *name == word.text).unwrap_or(0);
                self.controlled[axis] = Some(Axis::read(args, self.still)?);
                self.axis_by_axis = true;
            }
            "couple" => {
                let ways: [(&str, &[usize]); 5] =
                    [("none", &[]), ("xyz", &[0, 1, 2]), ("xy", &[0, 1]), ("yz", &[1, 2]), ("xz", &[0, 2])];
                self.coupled = args.one_of("way to couple axes", &ways)?.to_vec();
                self.coupled.retain(|&d| d < self.dimension as usize);
            }
            "tri" | "xy" | "xz" | "yz" if !self.leaning => {
                let error = args.unsupported(word, "keyword of this barostat");
                return Err(error.help("its boxes are orthogonal: take iso, aniso, x, y or z"));
            }
            "tri" => {
                let axis = Axis::read(args, self.still)?;
                let flat = self.dimension == 2;
                self.controlled = [Some(axis), Some(axis), (!flat).then_some(axis)];
                let tilt = Some(Axis { start: 0.0, stop: 0.0, ..axis });
                self.tilts = if flat { [tilt, None, None] } else { [tilt; 3] };
                self.scaled = [Some(false); 3];
                self.coupled = Vec::new();
            }
            "xz" | "yz" if self.dimension == 2 => {
                return Err(args.error(word, "the box of a 2d system can only have a tilt xy"));
            }
            "xy" | "xz" | "yz" => {
                let tilt = TILTS.iter().position(|(name, ..)| *name == word.text).unwrap_or(0);
                self.tilts[tilt] = Some(Axis::read(args, self.still)?);
                self.scaled[tilt] = Some(false);
                self.axis_by_axis = true;
            }
            "scalexy" | "scalexz" | "scaleyz" if self.leaning => {
                let tilt = TILTS.iter().position(|(name, ..)| word.text.ends_with(name)).unwrap_or(0);
                self.scaled[tilt] = Some(args.yes_no()?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether anything is controlled.
    pub(super) fn any(&self) -> bool {
        self.controlled.iter().chain(&self.tilts).any(Option::is_some)
    }

    /// Whether tilts follow the pressure.
    pub(super) fn tilting(&self) -> bool {
        self.tilts.iter().any(Option::is_some)
    }

    /// Whether all axes change alike, and nothing else.
    pub(super) fn isotropic(&self) -> bool {
        self.coupled.len() == self.dimension as usize && !self.tilting()
    }

    /// Which tilts of a box keep their ratio to the edge that they lean over: by default those that are not 0 in it.
    pub(super) fn scaled(&self, domain: &Domain) -> [bool; 3] {
        std::array::from_fn(|k| {
            self.scaled[k].unwrap_or(domain.tilt[k] != 0.0 && domain.periodic(TILTS[k].1))
        })
    }

    /// Axes that change alike.
    pub(super) fn coupled(&self) -> &[usize] {
        &self.coupled
    }

    /// Whether targets change over a run.
    pub(super) fn vary(&self) -> bool {
        self.controlled.iter().flatten().any(|axis| axis.start != axis.stop)
    }

    /// What the device reads to make the pressures of the axes (`edge_pressures` of cl/step/faces.cl); `tail` is that of
    /// [`RunProgress::tail`](crate::engine::simulation::Course).
    pub(super) fn device_parameters(&self, session: &Session, tail: f64) -> [f64; 7] {
        let [x, y, z] = std::array::from_fn(|d| f64::from(self.coupled.contains(&d)));
        let together = f64::from(self.isotropic());
        [x, y, z, together, session.system.units.nktv2p, tail, f64::from(session.system.dimension)]
    }

    /// Checks what was said as a whole.
    ///
    /// # Errors
    /// When a controlled axis is not periodic, or coupled axes are not controlled alike.
    pub(super) fn check(&self, session: &Session, args: &Args<'_>) -> Result<()> {
        let domain = session.domain()?;
        self.check_tilts(domain, args)?;
        if let Some(d) = (0..3).find(|&d| self.controlled[d].is_some() && !domain.periodic(d)) {
            let axis = ["x", "y", "z"][d];
            return Err(args.error_here(format_args!(
                "the box is not periodic along {axis}, where it is to follow the pressure"
            )));
        }
        if self
            .coupled
            .iter()
            .any(|&d| self.controlled[d].is_none() || self.controlled[d] != self.controlled[self.coupled[0]])
        {
            let same = if self.still { "pressure" } else { "pressures and damping time" };
            return Err(args.error_here(format_args!("coupled axes need the same {same}")));
        }
        Ok(())
    }

    /// Checks what was said of tilts.
    fn check_tilts(&self, domain: &Domain, args: &Args<'_>) -> Result<()> {
        if domain.triclinic && self.any() && !self.leaning {
            let error = args.error_here("a triclinic box cannot follow the pressure by this fix");
            return Err(error.help("`change_box all ortho` makes a box without tilts orthogonal"));
        }
        if !domain.triclinic && self.tilting() {
            let error = args.error_here("an orthogonal box has no tilts that could follow the pressure");
            return Err(error.help("write `change_box all triclinic` before"));
        }
        for (k, (name, over)) in TILTS.into_iter().enumerate() {
            let follows = self.tilts[k].is_some();
            let says = match self.scaled[k] {
                Some(true) if follows => {
                    format!("scale{name} yes is for a tilt that does not follow the pressure")
                }
                said if !domain.periodic(over) && (follows || said == Some(true)) => {
                    format!("{name} changes, and the box is not periodic along {}", ["x", "y", "z"][over])
                }
                _ => continue,
            };
            return Err(args.error_here(says));
        }
        Ok(())
    }

    /// Target pressures of the tilts after a fraction of the span; 0 for those that are not controlled.
    pub(super) fn tilt_targets(&self, fraction: f64) -> [f64; 3] {
        self.tilts.map(|axis| axis.map_or(0.0, |axis| axis.start + fraction * (axis.stop - axis.start)))
    }

    /// Target pressures after a fraction of the span; 0 for axes that are not controlled.
    pub(super) fn targets(&self, fraction: f64) -> [f64; 3] {
        self.controlled.map(|axis| axis.map_or(0.0, |axis| axis.start + fraction * (axis.stop - axis.start)))
    }

    /// The pressure that each axis follows.
    ///
    /// # Errors
    /// When it is not finite.
    pub(super) fn pressures(&self, barometer: &Barometer, context: &FixContext<'_>) -> Result<[f64; 3]> {
        let (scalar, [xx, yy, zz, ..]) =
            barometer.tensor(context.session.system.units, &context.simulation.domain);
        let mut pressures = [xx, yy, zz];
        if self.isotropic() {
            pressures = [scalar; 3];
        } else if !self.coupled.is_empty() {
            let mean = self.coupled.iter().map(|&d| pressures[d]).sum::<f64>() / self.coupled.len() as f64;
            self.coupled.iter().for_each(|&d| pressures[d] = mean);
        }
        match pressures.iter().all(|pressure| pressure.is_finite()) {
            true => Ok(pressures),
            false => Err(Error::new("the pressure is not finite: the simulation is unstable")
                .help("take a shorter timestep or a longer damping time")),
        }
    }
}

/// Whether a pressure compute follows from pairs, bonds and the motion that a temperature compute measures alone, in a
/// periodic orthogonal box that only the fix of this header changes, along the axes `own`, or others along other axes as they are told: then
/// the device can follow it (cl/step/faces.cl).
pub(super) fn fits_device(
    session: &Session,
    header: &Header,
    [id, temperature]: [&str; 2],
    own: [bool; 3],
) -> bool {
    let Ok(pressure) = pressure(session, id) else { return false };
    let plain = pressure.kinetic
        && pressure.pair
        && pressure.bond
        && pressure.temperature.as_deref() == Some(temperature);
    let periodic = |d| session.domain().is_ok_and(|domain| !domain.triclinic && domain.periodic(d));
    let pushes = |measured: &FixSums| pressure.fix && measured.counts_virial();
    let mut others = session.fixes.iter().filter(|fix| fix.header().id != header.id);
    let apart = |told: [bool; 3]| (0..3).all(|d| !(told[d] && own[d]));
    let told = |fix: &dyn Fix| fix.box_change().and_then(|change| change.told_axes()).is_some_and(apart);
    let stays = |fix: &dyn Fix| (!fix.changes_box() || told(fix)) && fix.changed_parameters().is_none();
    let keeps = |fix: &dyn Fix| {
        fix.next_exchange(session.clock.step).is_none() && !fix.measured().is_some_and(pushes)
    };
    plain && (0..3).all(periodic) && others.all(|fix| stays(&**fix) && keeps(&**fix))
}

/// What a pressure is made of, as of the last forces.
#[derive(Clone, Debug, Default)]
pub(super) struct Barometer {
    row: Option<Observables>,
    /// Sum of m v_a v_b in energy units: xx yy zz xy xz yz.
    pub kinetic: [f64; 6],
    /// Whether the virial of the pairs counts.
    pair: bool,
    /// Whether that of fixes does.
    fix: bool,
}

impl Barometer {
    /// Measures virial and motion by a pressure compute, at a step with tallies.
    ///
    /// # Errors
    /// When the compute is gone or the device fails.
    pub(super) fn measure(&mut self, context: &FixContext<'_>, id: &str) -> Result<()> {
        let compute = pressure(context.session, id)?;
        (self.pair, self.fix) = (compute.pair, compute.fix);
        self.row = Some(context.system().measured()?.clone());
        self.measure_motion(context, id)
    }

    /// Measures the motion alone.
    ///
    /// # Errors
    /// As [`Barometer::measure`].
    pub(super) fn measure_motion(&mut self, context: &FixContext<'_>, id: &str) -> Result<()> {
        let compute = pressure(context.session, id)?;
        self.kinetic = match &compute.temperature {
            Some(id) if compute.kinetic => {
                super::thermostat::temperature(context.session, id)?.thermal(&context.system())?.tensor
            }
            _ => [0.0; 6],
        };
        Ok(())
    }

    /// What fixes add to virial and energy, anew: in the first step of a run that is known once all of them have begun.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn measure_fixes(&mut self, context: &FixContext<'_>) -> Result<()> {
        let Some(row) = &mut self.row else { return Ok(()) };
        let system = context.system();
        let now = system.measured()?;
        (row.fix_virial, row.fix_energy) = (now.fix_virial, now.fix_energy);
        Ok(())
    }

    /// The virial along the axes, in energy units: without that of fixes.
    pub(super) fn virial(&self) -> [f64; 3] {
        self.row.as_ref().map_or([0.0; 3], |row| std::array::from_fn(|d| row.virial[d]))
    }

    /// The potential energy.
    pub(super) fn potential(&self) -> f64 {
        self.row.as_ref().map_or(0.0, Observables::potential_energy)
    }

    /// Scalar and components (xx yy zz xy xz yz) of the pressure in a box.
    pub(super) fn tensor(&self, units: &Units, domain: &Domain) -> (f64, [f64; 6]) {
        let Some(mut row) = self.row.clone() else { return (0.0, [0.0; 6]) };
        let before = row.volume();
        (row.lo, row.hi) = (domain.lo, domain.hi);
        row.tail_pressure *= (before / row.volume()).powi(2);
        let parts = PressureParts { kinetic: self.kinetic, pair: self.pair, fix: self.fix };
        let component = |d| row.pressure_component(&parts, units, d);
        (row.scalar_pressure(&parts, units), std::array::from_fn(component))
    }
}

/// The pressure compute of an ID.
///
/// # Errors
/// When it is gone.
pub(super) fn pressure<'a>(session: &'a Session, id: &str) -> Result<&'a Pressure> {
    let found = session.computes.get(id).and_then(Pressure::of);
    found.ok_or_else(|| {
        Error::new(format!("there is no pressure compute {id}"))
            .help("name another one with `fix_modify ID press`")
    })
}
