//! `velocity`: create, set, scale, ramp, zero. Source: LAMMPS manual, `velocity`.
//!
//! The order of rounding is LAMMPS's, so that a created set of velocities agrees to the last bit.

mod ensemble;

use crate::base::error::Result;
use crate::commands::edit::number_or_variable;
use crate::model::lattice;
use crate::script::formula::{Kind, Reference, Value};
use crate::script::{Args, Word};
use crate::session::Session;
use ensemble::Ensemble;

/// Where the random numbers of an atom come from.
#[derive(Clone, Copy, PartialEq)]
enum Loop {
    /// One stream over all IDs from 1 to N.
    All,
    /// One stream over the atoms of the group as they lie in memory.
    Local,
    /// A stream per atom, seeded by its position.
    Geom,
}

/// The keywords, with LAMMPS's defaults.
struct Options {
    gaussian: bool,
    sum: bool,
    mom: bool,
    rot: bool,
    order: Loop,
    /// Distance units per unit of the arguments, per axis.
    scale: [f64; 3],
    /// The compute that measures the temperature; `None`: that of the group itself.
    temperature: Option<String>,
    /// Whether that compute's bias is kept out.
    bias: bool,
}

/// `velocity GROUP create|set|scale|ramp|zero ... keywords`.
///
/// # Errors
/// When there are no atoms, a mass is missing where it is needed, or an argument is malformed, out of
/// range or not supported.
pub fn velocity(session: &mut Session, args: &mut Args) -> Result<()> {
    session.domain()?;
    if session.atoms()?.is_empty() {
        return Err(args
            .error_here("there are no atoms yet")
            .help("make them with create_atoms or read_data"));
    }
    let bit = session.system.groups.arg(args)?;
    let style = args.word("a velocity style")?;
    match style.text.as_str() {
        "create" => create(session, args, bit),
        "set" => set(session, args, bit),
        "scale" => {
            let temperature = temperature_arg(args)?;
            let options = options(session, args, bit)?;
            let now = temperature_now(session, args, bit, options.temperature.as_ref())?;
            let flow = take_bias(session, args, bit, &options)?;
            let mut ensemble = Ensemble::new(session, args, bit)?;
            ensemble.rescale(now, temperature)?;
            flow.iter().for_each(|flow| ensemble.add(flow, 1.0));
            Ok(())
        }
        "ramp" => ramp(session, args, bit),
        "zero" => {
            let linear = args.one_of("motion", &[("linear", true), ("angular", false)])?;
            options(session, args, bit)?;
            let mut ensemble = Ensemble::new(session, args, bit)?;
            if linear { ensemble.remove_drift() } else { ensemble.remove_rotation() }
        }
        _ => {
            Err(args.unknown(style, "velocity style", ["create", "set", "scale", "ramp", "zero"].into_iter()))
        }
    }
}

fn options(session: &mut Session, args: &mut Args, bit: u32) -> Result<Options> {
    let spacing = lattice::spacing(session.system.lattice.as_ref());
    let mut options = Options {
        gaussian: false,
        sum: false,
        mom: true,
        rot: false,
        order: Loop::All,
        scale: spacing,
        temperature: None,
        bias: false,
    };
    let mut bias_at = None;
    while let Some(word) = args.peek() {
        let known = ["dist", "sum", "mom", "rot", "loop", "units", "temp", "bias", "rigid"];
        let known = known.map(|name| (name, name));
        match args.one_of("velocity keyword", &known)? {
            "dist" => {
                options.gaussian = args.one_of("distribution", &[("uniform", false), ("gaussian", true)])?;
            }
            "sum" => options.sum = args.yes_no()?,
            "mom" => options.mom = args.yes_no()?,
            "rot" => options.rot = args.yes_no()?,
            "loop" => {
                let table = [("all", Loop::All), ("local", Loop::Local), ("geom", Loop::Geom)];
                options.order = args.one_of("loop mode", &table)?;
            }
            "temp" => options.temperature = Some(temperature_compute(session, args, bit)?),
            "bias" => {
                bias_at = Some(word);
                options.bias = args.yes_no()?;
            }
            "rigid" => {
                let fix = args.word("the name of a rigid fix")?;
                let style = session.fixes.iter().find(|other| other.header().id == fix.text);
                let style = style.map(|other| other.header().style);
                if style.is_some_and(|style| style.starts_with("rigid")) {
                    return Err(args.unsupported(word, "velocity keyword"));
                }
                return Err(match style.is_some() {
                    true => args.error(fix, format_args!("fix '{}' does not hold rigid bodies", fix.text)),
                    false => args.error(fix, format_args!("there is no fix '{}'", fix.text)),
                });
            }
            _ => options.scale = args.one_of("units", &[("box", [1.0; 3]), ("lattice", spacing)])?,
        }
    }
    match bias_at.filter(|_| options.bias && options.temperature.is_none()) {
        Some(word) => Err(args
            .error(word, "bias needs a temperature compute that has one")
            .help("name it with the keyword temp")),
        None => Ok(options),
    }
}

/// `temp ID`: a compute that measures a temperature.
fn temperature_compute(session: &mut Session, args: &mut Args, bit: u32) -> Result<String> {
    let id = session.computes.temperature_arg(args)?;
    if session.computes.get(&id).is_some_and(|compute| compute.header().group != bit) {
        session.output.log.line("WARNING: Mismatch between velocity and compute groups");
    }
    Ok(id)
}

/// With `bias yes`, takes the flow that the temperature compute knows off the velocities of the group, and
/// returns it.
fn take_bias(
    session: &mut Session,
    args: &Args,
    bit: u32,
    options: &Options,
) -> Result<Option<Vec<[f64; 3]>>> {
    let Some(id) = options.temperature.as_ref().filter(|_| options.bias) else { return Ok(None) };
    let system = session.now();
    let compute = system.compute(id)?;
    let mut flow = match compute.temperature() {
        Some(temperature) => temperature.bias(&system)?,
        None => None,
    };
    // Atoms that the compute does not look at keep all of their velocity.
    for (flow, mask) in flow.iter_mut().flatten().zip(&system.atoms()?.mask) {
        if mask & compute.header().group == 0 {
            *flow = [0.0; 3];
        }
    }
    drop(system);
    let mut ensemble = Ensemble::new(session, args, bit)?;
    flow.iter().for_each(|flow| ensemble.add(flow, -1.0));
    Ok(flow)
}

/// The components of velocities that the temperature compute of `bias yes` leaves out for its group, where they are the same for all
/// atoms: these are as they were in what is created, too.
fn left_out(session: &Session, options: &Options) -> Option<(u32, [bool; 3])> {
    let id = options.temperature.as_ref().filter(|_| options.bias)?;
    let compute = session.computes.get(id)?;
    let counts = compute.temperature()?.components()?;
    Some((compute.header().group, counts.map(|counts| !counts)))
}

/// The temperature that is scaled: that of a compute, or of the group as it is.
fn temperature_now(session: &mut Session, args: &Args, bit: u32, compute: Option<&String>) -> Result<f64> {
    match compute {
        None => Ok(Ensemble::new(session, args, bit)?.temperature()),
        Some(id) => {
            session.atoms_mut()?;
            let system = session.now();
            system.number(&Reference { kind: Kind::Compute, id: id.clone(), index: Vec::new() })
        }
    }
}

fn temperature_arg(args: &mut Args) -> Result<f64> {
    let word = args.clone().word("a temperature")?;
    let temperature = args.f64("a temperature")?;
    if temperature < 0.0 {
        return Err(args.error(word, "a temperature cannot be negative"));
    }
    Ok(temperature)
}

fn create(session: &mut Session, args: &mut Args, bit: u32) -> Result<()> {
    let temperature = temperature_arg(args)?;
    let word = args.clone().word("a seed")?;
    let seed: u32 = args.int("a seed")?;
    // The largest number of 31 bits is the modulus of the generator: it would only yield zeros.
    if !(1..i32::MAX as u32).contains(&seed) {
        return Err(args.error(word, "a seed must lie within 1 and 2147483646"));
    }
    let options = options(session, args, bit)?;
    let old = session.atoms()?.v.clone();
    let flow = take_bias(session, args, bit, &options)?;
    let mut ensemble = Ensemble::new(session, args, bit)?;
    ensemble.atoms.v.fill([0.0; 3]);
    ensemble.draw(seed, &options)?;
    if options.mom {
        ensemble.remove_drift()?;
    }
    if options.rot {
        ensemble.remove_rotation()?;
    }
    // Where the bias is gone, what is left is thermal.
    let compute = options.temperature.as_ref().filter(|_| !options.bias);
    let now = temperature_now(session, args, bit, compute)?;
    let left_out = left_out(session, &options);
    let mut ensemble = Ensemble::new(session, args, bit)?;
    ensemble.rescale(now, temperature)?;
    if let Some((group, left_out)) = left_out {
        ensemble.stop(group, left_out);
    }
    flow.iter().for_each(|flow| ensemble.add(flow, 1.0));
    for (i, before) in old.into_iter().enumerate() {
        if !ensemble.has(i) {
            ensemble.atoms.v[i] = before;
        } else if options.sum {
            for (v, before) in ensemble.atoms.v[i].iter_mut().zip(before) {
                *v += before;
            }
        }
    }
    Ok(())
}

fn set(session: &mut Session, args: &mut Args, bit: u32) -> Result<()> {
    let words: Vec<&Word> = args.rest().iter().take(3).collect();
    let mut values = [None, None, None];
    for value in &mut values {
        if !args.accept("NULL") {
            *value = Some(number_or_variable(session, args, "a velocity component, v_NAME or NULL")?);
        }
    }
    if session.system.dimension == 2 && values[2].as_ref().is_some_and(|v| *v != Value::Number(0.0)) {
        return Err(args.error(words[2], "atoms of a 2d system cannot move along z"));
    }
    let options = options(session, args, bit)?;
    let atoms = session.atoms_mut()?;
    for i in (0..atoms.len()).filter(|&i| atoms.mask[i] & bit != 0) {
        for d in 0..3 {
            // Only what is written as a number counts in units of the lattice.
            let scale = if words[d].text.starts_with("v_") { 1.0 } else { options.scale[d] };
            if let Some(value) = &values[d] {
                let (value, v) = (value.at(i) * scale, &mut atoms.v[i][d]);
                *v = if options.sum { *v + value } else { value };
            }
        }
    }
    Ok(())
}

fn ramp(session: &mut Session, args: &mut Args, bit: u32) -> Result<()> {
    let word = args.clone().word("a velocity component")?;
    let component = args.one_of("velocity component", &[("vx", 0), ("vy", 1), ("vz", 2)])?;
    if session.system.dimension == 2 && component == 2 {
        return Err(args.error(word, "atoms of a 2d system cannot move along z"));
    }
    let velocities = [args.f64("a lower velocity")?, args.f64("an upper velocity")?];
    let axis = args.one_of("axis", &[("x", 0), ("y", 1), ("z", 2)])?;
    let word = args.peek();
    let coordinates = [args.f64("a lower coordinate")?, args.f64("an upper coordinate")?];
    if let Some(word) = word.filter(|_| coordinates[0] == coordinates[1]) {
        return Err(args.error(word, "the coordinates of a ramp must differ"));
    }
    let options = options(session, args, bit)?;
    let [v_lo, v_hi] = velocities.map(|v| v * options.scale[component]);
    let [c_lo, c_hi] = coordinates.map(|c| c * options.scale[axis]);
    let atoms = session.atoms_mut()?;
    for i in (0..atoms.len()).filter(|&i| atoms.mask[i] & bit != 0) {
        let fraction = ((atoms.x[i][axis] - c_lo) / (c_hi - c_lo)).clamp(0.0, 1.0);
        let value = v_lo + fraction * (v_hi - v_lo);
        let v = &mut atoms.v[i][component];
        *v = if options.sum { *v + value } else { value };
    }
    Ok(())
}
