//! The skin of neighbour lists that is fastest where lists are rebuilt with a check: a wide one makes lists longer, a narrow
//! one has them rebuilt more often, and which of the two costs more depends on the device, the size and the speed of the
//! atoms.

use crate::session::tuned::Setting;

use crate::session::tuned::TunedSkin;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::search::{self, FIRST_STEPS, LONG_ENOUGH, Outcome};
use super::trial;
use crate::base::error::{Error, Result};
use crate::engine::kernels::options::Rebuild;
use crate::engine::simulation::Simulation;
use crate::gpu::Gpu;
use crate::model::atoms::Atoms;
use crate::session::Session;
use crate::session::tuned::{Key, VERSION, load, store, today};

/// So many in a row that gain nothing end either.
const MISSES: usize = 2;

/// Rebuilds that a measurement is to hold, and the most seconds that it may take for them.
const REBUILDS: f64 = 6.0;
const LONGEST: f64 = 2.0;

/// The record of a search, as its file holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkinRecord {
    version: u32,
    /// For which device and systems.
    #[serde(flatten)]
    pub key: Key,
    /// For which time step.
    pub dt: f64,
    /// How many times as fast as with the script's skin steps were.
    pub gain: f64,
    /// What was found.
    #[serde(flatten)]
    pub found: TunedSkin,
}

impl SkinRecord {
    fn new(key: Key, dt: f64, setting: Setting) -> Self {
        let skin = setting.script_skin;
        let found = TunedSkin { setting, skin, tuned: today() };
        SkinRecord { version: VERSION, key, dt, gain: 1.0, found }
    }

    /// Where the record of these systems is; `None` where nothing is kept.
    pub fn file(&self, gpu: &Gpu) -> Option<PathBuf> {
        let Setting { units, cutoff, script_skin, every, delay, predicts } = &self.found.setting;
        let predicts = if *predicts { ", aimed" } else { "" };
        gpu.record_file(&format!(
            "skin, {}, {units}, cutoff {cutoff}, skin {script_skin}, every {every}, delay {delay}{predicts}, dt {}",
            self.key.words(),
            self.dt
        ))
    }

    /// Keeps it, where there is a place for it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn store(&self, gpu: &Gpu) -> Result<()> {
        store(self.file(gpu), self)
    }

    /// The record for such systems; `None` where there is none.
    ///
    /// # Errors
    /// A record that does not fit: of another form, of another device or setting, or with a skin that is none.
    pub fn load(gpu: &Gpu, key: &Key, dt: f64, setting: &Setting) -> Result<Option<Self>> {
        let wanted = SkinRecord::new(key.clone(), dt, setting.clone());
        load(wanted.file(gpu), |record: &SkinRecord| {
            let skin = record.found.skin;
            if (&record.key, record.dt, &record.found.setting) != (key, dt, setting) {
                Err("it is of another device, precision, size or script".to_owned())
            } else if !skin.is_finite() || skin < 0.0 || skin != setting.script_skin && !setting.allows(skin)
            {
                Err(format!("{skin} is no skin for this script"))
            } else {
                Ok(())
            }
        })
    }
}

/// A skin that was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkinTrial {
    /// In distance units.
    pub skin: f64,
    /// Steps from one rebuild to the next; `None` where it was not timed.
    pub interval: Option<f64>,
    /// How many times as fast as the best so far it was; `None` where it was not timed.
    pub speed: Option<f64>,
    /// How far off that may be, relatively.
    pub spread: Option<f64>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What a search found.
#[derive(Clone, Debug, Serialize)]
pub struct SkinSearch {
    /// Number of atoms.
    pub atoms: usize,
    /// Seconds per step, and steps from one rebuild to the next, with the script's skin.
    pub script_seconds: f64,
    /// The same.
    pub script_interval: f64,
    /// The trials, in their order.
    pub trials: Vec<SkinTrial>,
    /// Skins that were left out, as the time was up.
    pub left_out: usize,
    /// The record of it.
    pub record: SkinRecord,
}

/// Searches for the fastest skin of a script's system, from the script's on, for about as long as `patience` says. Meanwhile
/// plain `nve` moves what the script's fixes move; afterwards all is as it was.
///
/// # Errors
/// A system that cannot be run with the script's skin, or a device that fails. Skins that fail are trials that failed.
pub fn search(
    session: &mut Session,
    gpu: &Gpu,
    key: &Key,
    setting: &Setting,
    patience: Duration,
    simulate: impl Fn(&Session, &Atoms, f64) -> Result<Simulation>,
) -> Result<SkinSearch> {
    let rebuild = session.options.rebuild;
    if !setting.predicts {
        // Plain `nve` may predict positions where the script's fixes do not.
        session.options.rebuild = Rebuild::Lammps;
    }
    let found = search::with_plain_nve(session, gpu, |session, atoms| {
        let record = SkinRecord::new(key.clone(), session.clock.dt, setting.clone());
        within(session, record, patience, atoms, &simulate)
    });
    session.options.rebuild = rebuild;
    found
}

fn within(
    session: &Session,
    record: SkinRecord,
    patience: Duration,
    atoms: &mut Atoms,
    simulate: &dyn Fn(&Session, &Atoms, f64) -> Result<Simulation>,
) -> Result<SkinSearch> {
    let begun = Instant::now();
    let setting = record.found.setting.clone();
    let candidates = setting.candidates();
    let bar = search::progress(candidates.iter().map(|skins| skins.len() as u64).sum(), atoms.len());
    let mut first = simulate(session, atoms, setting.script_skin)?;
    let seconds = trial::seconds(&mut first, FIRST_STEPS)? / f64::from(FIRST_STEPS);
    let script_interval = interval(&first);
    *atoms = first.atoms.download(atoms)?;
    drop(first);

    let (count, script_seconds) = (atoms.len(), seconds);
    let mut found =
        SkinSearch { atoms: count, script_seconds, script_interval, trials: Vec::new(), left_out: 0, record };
    let facts = trial::Facts::of(&mut simulate(session, atoms, setting.script_skin)?)?;
    for (skins, wider) in candidates.into_iter().zip([true, false]) {
        if !wider && found.record.found.skin != setting.script_skin {
            break;
        }
        let mut misses = 0;
        for skin in skins {
            bar.set_message(format!("skin {skin}"));
            bar.inc(1);
            if misses == MISSES {
                break;
            }
            if begun.elapsed() > patience {
                found.left_out += 1;
                continue;
            }
            // About as much longer as it takes to use up the skin.
            let longer = (skin / setting.script_skin).clamp(1.0, 10.0);
            let steps =
                (REBUILDS * script_interval * longer).min(LONGEST / seconds).max(LONG_ENOUGH / seconds);
            let steps = steps.clamp(1.0, 10_000.0) as u32;
            let timed = simulate(session, atoms, skin).and_then(|mut other| {
                facts.check_forces(&mut other)?;
                // From the same atoms on, as these may heat up or leave the box on their way.
                let mut best = simulate(session, atoms, found.record.found.skin)?;
                let (speed, spread) = search::compare(&mut best, &mut other, steps)?;
                match other.neighbor.dangerous > best.neighbor.dangerous {
                    true => Err(Error::new("atoms use it up between two looks at them")),
                    false => Ok((speed, spread, interval(&other))),
                }
            });
            search::check_interrupts()?;
            let mut trial =
                SkinTrial { skin, interval: None, speed: None, spread: None, outcome: Outcome::Dropped };
            misses += 1;
            match timed {
                Ok((speed, spread, interval)) => {
                    (trial.speed, trial.spread) = (Some(speed), Some(spread));
                    trial.interval = Some(interval);
                    if search::pays(speed, spread) {
                        trial.outcome = Outcome::ReferenceValues;
                        found.record.found.skin = skin;
                        found.record.gain *= speed;
                        misses = 0;
                    }
                }
                Err(error) => trial.outcome = Outcome::Failed(error.message),
            }
            found.trials.push(trial);
        }
    }
    bar.finish_and_clear();
    Ok(found)
}

/// Steps from one rebuild to the next so far; all of them where there was none.
fn interval(simulation: &Simulation) -> f64 {
    f64::from(simulation.atoms.step) / simulation.neighbor.builds().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(script_skin: f64, every: u64, delay: u64) -> Setting {
        Setting { units: "lj".to_owned(), cutoff: 2.5, script_skin, every, delay, predicts: false }
    }

    #[test]
    fn skins_are_round_and_narrower_only_where_every_step_is_looked_at() {
        let [wider, narrower] = setting(0.3, 1, 0).candidates();
        assert_eq!(wider, [0.4, 0.5, 0.6, 0.75, 0.9, 1.2]);
        assert_eq!(narrower, [0.24, 0.18, 0.12]);
        let [wider, narrower] = setting(2.0, 1, 10).candidates();
        assert_eq!(wider, [2.67, 3.33, 4.0, 5.0, 6.0, 8.0]);
        assert!(narrower.is_empty() && setting(0.3, 2, 0).candidates()[1].is_empty());
        let [wider, narrower] = setting(0.0, 1, 0).candidates();
        assert!(
            wider.iter().chain(&narrower).all(|&skin| skin > 0.0 && skin <= 1.0),
            "{wider:?} {narrower:?}"
        );
    }
}
