//! The skin of a run's lists: the script's, or one of the tuner's where the user asks for it.

use super::{PATIENCE, Ready, for_trial, key, ready, shape, warn};
use crate::base::error::Result;
use crate::engine::kernels::{Context, LaunchConfig};
use crate::engine::neighbor;
use crate::engine::simulation::SimulationSpec;
use crate::run::tuning::skin::{SkinRecord, SkinSearch, search};
use crate::session::Session;
use crate::session::options::Skin;
use crate::session::tuned::Key;
use crate::session::tuned::Setting;
use crate::session::tuned::TunedSkin;
use std::time::Duration;

/// Searches for the fastest skin of the system that the script has made, for about as long as `patience` says, with the shape
/// that its runs have, and keeps the record of it. `None` where lists are rebuilt without a check: how often they are is
/// for the script's skin then.
///
/// # Errors
/// When something that a run needs is missing, the system cannot be run, or the device fails.
pub fn tune(session: &mut Session, patience: Duration) -> Result<Option<SkinSearch>> {
    if !session.neighbor.check {
        return Ok(None);
    }
    let ready = ready(session, false)?;
    let (shape, _) = shape(session, &ready)?;
    let search = tune_ready(session, &ready, shape, patience)?;
    search.record.store(&ready.gpu)?;
    Ok(Some(search))
}

fn tune_ready(
    session: &mut Session,
    ready: &Ready,
    shape: LaunchConfig,
    patience: Duration,
) -> Result<SkinSearch> {
    let (key, setting) = wanted(session, ready)?;
    search(session, &ready.gpu, &key, &setting, patience, |session, atoms, skin| {
        ready.with_spec(session, |spec| for_trial(&SimulationSpec { skin, ..*spec }, ready, shape, atoms))
    })
}

/// What a record must be for to serve this run.
fn wanted(session: &Session, ready: &Ready) -> Result<(Key, Setting)> {
    let neighbor::Settings { skin, every, delay, .. } = session.neighbor;
    ready.with_spec(session, |spec| {
        let cutoff = spec.pair.longest_cutoff();
        let units = session.system.units.name.to_owned();
        let (gpu, precision, domain, atoms) =
            (&ready.gpu, ready.precision, &ready.domain, session.atom_count());
        let predicts = spec.can_predict(&spec.context(gpu, precision, domain, atoms));
        let key = key(spec, ready, atoms);
        Ok((key, Setting { units, cutoff, script_skin: skin, every, delay, predicts }))
    })
}

/// Gives a run of so many steps the skin that the user has asked for. One of the tuner's stays for all runs of a script and for
/// those that go on from its restart files, as long as they have their lists built alike: so these have the same bits.
pub(super) fn choose(
    session: &mut Session,
    ready: &mut Ready,
    shape: LaunchConfig,
    steps: i64,
) -> Result<()> {
    let asked = session.options.skin;
    if asked == Some(Skin::Script) {
        session.device.skin = None;
        return Ok(());
    }
    let script = session.neighbor.skin;
    if !session.neighbor.check {
        if asked.is_some() {
            let why = "lists are rebuilt without a check (neigh_modify check no)";
            session.output.log.line(&format!("Skin: {script}, the script's, as {why}"));
        }
        return Ok(());
    }
    let (key, setting) = wanted(session, ready)?;
    let found = match session.device.skin.take().filter(|known| known.setting == setting) {
        None if asked.is_some() => find(session, ready, shape, &key, &setting, steps),
        known => known,
    };
    let Some(found) = found else { return Ok(()) };
    ready.skin = found.skin;
    if found.skin == script {
        session
            .output
            .log
            .line(&format!("Skin: {script}, the script's: the tuner has found none that is faster"));
    } else if let Err(error) = check(session, ready, shape) {
        session
            .output
            .log
            .line(&format!("WARNING: the skin {} of the tuner is not used: {error}", found.skin));
        ready.skin = script;
    }
    session.device.skin = Some(found);
    Ok(())
}

/// The skin of the record, or where there is none that of a search.
fn find(
    session: &mut Session,
    ready: &Ready,
    shape: LaunchConfig,
    key: &Key,
    setting: &Setting,
    steps: i64,
) -> Option<TunedSkin> {
    let record = SkinRecord::load(&ready.gpu, key, session.clock.dt, setting).unwrap_or_else(|error| {
        warn(session, &error);
        None
    });
    if record.is_some() || steps == 0 {
        return record.map(|record| record.found);
    }
    let record = match tune_ready(session, ready, shape, PATIENCE) {
        Ok(search) => search.record,
        Err(error) => {
            session.output.log.line(&format!("WARNING: tuning the skin failed: {error}"));
            return None;
        }
    };
    // What was found is good for this script in any case.
    record.store(&ready.gpu).unwrap_or_else(|error| warn(session, &error));
    Some(record.found)
}

/// That lists of this skin fit the box and the device.
fn check(session: &Session, ready: &Ready, shape: LaunchConfig) -> Result<()> {
    let (domain, atoms) = (&ready.domain, session.atom_count());
    ready.with_spec(session, |spec| {
        let reach = spec.reach(ready.gpu.common().shaped_as(), domain, atoms);
        neighbor::grid::check(domain, session.system.dimension, reach.longest, reach.cell, atoms)?;
        let context = Context { shape, ..spec.context(&ready.gpu, ready.precision, domain, atoms) };
        let there = session.resident().is_some();
        neighbor::check_memory(&context, domain, session.system.dimension, &reach, atoms, there)
    })
}
