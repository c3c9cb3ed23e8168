//! Dynamic groups: who belongs to them is decided anew at steps of a run. Source: LAMMPS manual, `group dynamic`.

use crate::model::group::dynamic::Dynamic;

use crate::base::error::{Error, Result};
use crate::engine::simulation::Simulation;
use crate::gpu::record::Section;
use crate::model::group::ALL;
use crate::script::formula::{Kind, Reference};
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::snapshot::view::Snapshot;

/// Reads `PARENT [region NAME] [var NAME] [property NAME] [every N]` for the group `name`.
pub(crate) fn read(session: &Session, args: &mut Args<'_>, name: &Word) -> Result<Dynamic> {
    let word = args.word("the group whose atoms it chooses from")?;
    let parent = session.system.groups.find(word, args)?;
    if word.text == name.text {
        return Err(args.error(word, "a dynamic group cannot choose from itself"));
    }
    if session.system.groups.is_dynamic(parent) {
        return Err(args.error(word, format_args!("group {} is dynamic itself", word.text)));
    }
    let bit = session.system.groups.bit(&name.text).unwrap_or(0);
    if bit == ALL {
        return Err(args.error(name, "group all cannot be made dynamic"));
    }
    if let Some(child) = session.system.groups.dynamic.iter().find(|child| child.parent == bit) {
        let child = session.system.groups.name(child.bit);
        return Err(args.error(name, format_args!("dynamic group {child} chooses from {}", name.text)));
    }
    let mut dynamic = Dynamic { bit, parent, region: None, variable: None, property: None, every: 1 };
    while !args.is_empty() {
        let keywords = [("region", 0), ("var", 1), ("every", 2), ("property", 3)];
        match args.one_of("keyword of group dynamic", &keywords)? {
            0 => {
                let name = args.clone().word("a region")?;
                session.system.regions.moving_arg(args)?;
                dynamic.region = Some(name.text.clone());
            }
            1 => {
                let name = args.word("an atom-style variable")?;
                if !session.script.variables.is_per_atom(&name.text) {
                    let message = format!("there is no atom-style variable '{}'", name.text);
                    return Err(args.error(name, message));
                }
                let reference = Reference { kind: Kind::Variable, id: name.text.clone(), index: Vec::new() };
                dynamic.variable = Some(reference);
            }
            2 => dynamic.every = args.count("the number of steps between", 1)?,
            _ => dynamic.property = Some(property(session, args)?),
        }
    }
    Ok(dynamic)
}

/// Whether energies or virials must be tallied at the steps at which it is decided.
pub fn needs_tally(dynamic: &Dynamic, session: &Session) -> bool {
    dynamic.variable.as_ref().is_some_and(|variable| session.needs_tally(variable))
}

/// The masks of all atoms with its bit as it is now.
fn masks(dynamic: &Dynamic, system: &Snapshot<'_>) -> Result<Vec<u32>> {
    let session = system.session;
    let region = match &dynamic.region {
        Some(name) => Some(
            session
                .system
                .regions
                .get(name)
                .ok_or_else(|| Error::new(format!("its region {name} is not there any more")))?,
        ),
        None => None,
    };
    let values = dynamic.variable.as_ref().map(|variable| system.per_atom(variable)).transpose()?;
    let property = dynamic.property.as_ref().map(|name| system.property(name)).transpose()?;
    let mut masks: Vec<u32> = system.atoms()?.mask.iter().map(|mask| mask & !dynamic.bit).collect();
    for i in system.indices(dynamic.parent, region)? {
        if [&values, &property].into_iter().flatten().all(|values| values[i] != 0.0) {
            masks[i] |= dynamic.bit;
        }
    }
    Ok(masks)
}

/// Takes the name of a property without its prefix, as in LAMMPS; returns it with its prefix.
fn property(session: &Session, args: &mut Args<'_>) -> Result<String> {
    let word = args.word("the name of a property, without i_ or d_")?;
    let bare = |name: &'_ str| name.strip_prefix("i_").or(name.strip_prefix("d_")).map(str::to_owned);
    let found = session.properties().find(|name| bare(name).as_ref() == Some(&word.text));
    found.cloned().ok_or_else(|| {
        let known: Vec<String> = session.properties().filter_map(|name| bare(name)).collect();
        args.unknown(word, "property of fix property/atom", known.iter().map(String::as_str))
    })
}

/// Decides anew who belongs to the dynamic groups that are `due`, from the atoms on the device and at this step's
/// forces; each sees those before it.
///
/// # Errors
/// When a region or variable is gone, a variable has no value, or the device fails.
pub fn decide(session: &Session, simulation: &Simulation, due: impl Fn(&Dynamic) -> bool) -> Result<()> {
    for dynamic in session.system.groups.dynamic.iter().filter(|dynamic| due(dynamic)) {
        let system = Snapshot::new(session, Some(simulation));
        let masks = masks(dynamic, &system).map_err(|error| {
            let name = session.system.groups.name(dynamic.bit);
            error.about(format_args!("group {name} (dynamic)"))
        })?;
        if masks != system.atoms()?.mask {
            simulation.atoms.arrays.mask.write(Section::Modify, 0, &masks)?;
        }
    }
    Ok(())
}
