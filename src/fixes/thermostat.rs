//! What thermostats have in common: target, thermometer, and the scaling of thermal velocities.

use crate::base::error::{Error, Result};
use crate::script::atom_expr::{AtomExpr, AtomProperty};
use crate::script::formula::Reference;
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::compute;
use crate::session::compute::style::Compute;
use crate::session::compute::{Temperature, Thermal};
use crate::session::fix::{FixContext, Header, Quantity, StepContext, Watched};

/// A temperature that changes linearly over the span of a run, or a variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Target {
    start: Quantity,
    stop: f64,
}

impl Target {
    /// Takes `Tstart Tstop`, the first of which may be `v_NAME`.
    ///
    /// # Errors
    /// At a word that is no temperature.
    pub(super) fn read(session: &Session, args: &mut Args<'_>) -> Result<Self> {
        let first = args.peek();
        let start = Quantity::read(session, args, "the temperature at the start", 1.0)?;
        Target::from(start, first, args)
    }

    /// The same where `v_NAME` may be of style atom, too.
    ///
    /// # Errors
    /// At a word that is no temperature.
    pub(super) fn read_each(session: &Session, args: &mut Args<'_>) -> Result<Self> {
        let first = args.peek();
        let start = Quantity::read_each(session, args, "the temperature at the start", 1.0)?;
        Target::from(start, first, args)
    }

    fn from(start: Quantity, first: Option<&Word>, args: &mut Args<'_>) -> Result<Self> {
        if let (Some(word), Quantity::Number(..0.0)) = (first, &start) {
            return Err(args.error(word, "a temperature must not be negative"));
        }
        let word = args.peek();
        let stop = args.f64("the temperature at the end")?;
        match word {
            Some(word) if stop < 0.0 => Err(args.error(word, "a temperature must not be negative")),
            _ => Ok(Target { start, stop }),
        }
    }

    /// The variable that gives each atom its own, where it is one.
    pub(super) fn of_atoms(&self) -> Option<&Reference> {
        self.start.of_atoms()
    }

    /// Its value at a step; 0 where each atom has its own.
    ///
    /// # Errors
    /// When the variable has no value, or a negative one.
    pub(super) fn at(&self, now: &StepContext<'_>) -> Result<f64> {
        let start = now.value(&self.start)?;
        match self.start {
            Quantity::Number(start) => Ok(start + now.fraction() * (self.stop - start)),
            Quantity::Variable(_) if start < 0.0 => {
                Err(Error::new("the variable gives a negative temperature"))
            }
            Quantity::Variable(_) => Ok(start),
        }
    }

    /// Whether a variable says it.
    pub(super) fn is_variable(&self) -> bool {
        self.start.varies()
    }

    /// Whether it changes.
    pub(super) fn varies(&self) -> bool {
        match self.start {
            Quantity::Number(start) => start != self.stop,
            Quantity::Variable(_) => self.of_atoms().is_none(),
        }
    }
}

/// The compute `ID_temp` of a fix, and that it watches it.
pub(super) fn thermometer(header: &Header, group: u32, session: &Session) -> Box<dyn Compute> {
    compute::temperature(&own_temperature(header), group, session.system.dimension)
}

/// The name of that compute.
pub(super) fn own_temperature(header: &Header) -> String {
    format!("{}_temp", header.id)
}

/// What a fix watches that has nothing to do with pressure.
pub(super) fn watched(header: &Header) -> Watched {
    Watched { temperature: own_temperature(header), pressure: None }
}

/// The temperature compute of an ID.
///
/// # Errors
/// When it is gone.
pub(super) fn temperature<'a>(session: &'a Session, id: &str) -> Result<&'a dyn Temperature> {
    let found = session.computes.get(id).and_then(|compute| compute.temperature());
    found.ok_or_else(|| {
        Error::new(format!("there is no temperature compute {id}"))
            .help("name another one with `fix_modify ID temp`")
    })
}

/// Whether what a temperature compute measures is m v v of the fix's group, over as many degrees of freedom in all of a run:
/// then the device can follow it.
pub(super) fn fits_device(session: &Session, header: &Header, id: &str) -> bool {
    temperature(session, id).is_ok_and(|temperature| {
        let own = temperature.header();
        let counts_anew = own.dynamic || session.system.groups.is_dynamic(own.group);
        temperature.components().is_some() && own.group == header.group && !counts_anew
    })
}

/// What a temperature compute finds at this moment, with its temperature.
///
/// # Errors
/// When the device fails.
pub(super) fn measure(context: &FixContext<'_>, temperature: &dyn Temperature) -> Result<(f64, Thermal)> {
    let thermal = temperature.thermal(&context.system())?;
    Ok((thermal.temperature(context.session.system.units.boltz), thermal))
}

/// The temperature at this moment and its degrees of freedom, where velocities are to be scaled by it; `None` without
/// degrees of freedom.
///
/// # Errors
/// When atoms are at rest, or the device fails.
pub(super) fn to_scale(
    context: &FixContext<'_>,
    temperature: &dyn Temperature,
) -> Result<Option<(f64, f64)>> {
    let (now, Thermal { freedom, .. }) = measure(context, temperature)?;
    match freedom < 1.0 {
        true => Ok(None),
        false if now == 0.0 => Err(at_rest()),
        false => Ok(Some((now, freedom))),
    }
}

/// That there is nothing to be scaled.
pub(super) fn at_rest() -> Error {
    Error::new("atoms at temperature 0 cannot be scaled").help("give them velocities")
}

/// That velocities of a group are to be multiplied by a factor, as far as they are thermal: returns the factors that
/// are left to the device. Where each atom has a bias of its own, or when asked, it is done at once, on the host.
///
/// # Errors
/// When the device fails.
pub(super) fn scale(
    context: &mut FixContext<'_>,
    temperature: &dyn Temperature,
    group: u32,
    [x, y, z]: [f64; 3],
    at_once: bool,
) -> Result<[f64; 3]> {
    let [x, y, z, ..] = shear(context, temperature, group, [x, y, z, 0.0, 0.0, 0.0], at_once)?;
    Ok([x, y, z])
}

/// The same, with a matrix ((xx xy xz) (0 yy yz) (0 0 zz)), in the order xx yy zz xy xz yz.
///
/// # Errors
/// When the device fails.
pub(super) fn shear(
    context: &mut FixContext<'_>,
    temperature: &dyn Temperature,
    group: u32,
    [xx, yy, zz, xy, xz, yz]: [f64; 6],
    at_once: bool,
) -> Result<[f64; 6]> {
    if let (Some([x, y, z]), false) = (temperature.components(), at_once) {
        let of = |thermal: bool, factor: f64, other: f64| if thermal { factor } else { other };
        let (xx, yy, zz) = (of(x, xx, 1.0), of(y, yy, 1.0), of(z, zz, 1.0));
        return Ok([xx, yy, zz, of(y, xy, 0.0), of(z, xz, 0.0), of(z, yz, 0.0)]);
    }
    let system = context.system();
    let bias = if system.works_out() { temperature.bias_recipes(&system)? } else { None };
    if let Some(bias) = bias {
        let recipes = AtomExpr::shared(bias, |[fx, fy, fz]| {
            let [vx, vy, vz] = AtomExpr::vector(AtomProperty::V);
            let [x, y, z] = [vx.clone() - fx.clone(), vy.clone() - fy.clone(), vz.clone() - fz.clone()];
            let sheared = [
                (fx + x * xx + (y.clone() * xy + z.clone() * xz), vx),
                (fy + y * yy + z.clone() * yz, vy),
                (fz + z * zz, vz),
            ];
            sheared.map(|(new, old)| AtomExpr::member(group).choose(new, old)).into()
        });
        if let Some(worked) = system.work_out(&recipes)? {
            worked.move_atoms()?;
            return Ok([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        }
    }
    let bias = temperature.bias(&system)?;
    let mut v = system.atoms()?.v.clone();
    for i in system.indices(group, None)? {
        let flow = bias.as_ref().map_or([0.0; 3], |bias| bias[i]);
        let [x, y, z] = std::array::from_fn(|d| v[i][d] - flow[d]);
        v[i] = [flow[0] + xx * x + (xy * y + xz * z), flow[1] + yy * y + yz * z, flow[2] + zz * z];
    }
    drop(system);
    context.simulation.atoms.set_velocities(&v)?;
    Ok([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
}
