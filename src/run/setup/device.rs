//! Which device a run takes, and with which precision.

use super::lists::cutoffs_and_shares;
use crate::base::error::{Error, Result};
use crate::base::log::Log;
use crate::base::ranks;
use crate::engine::kernels::Launches;
use crate::engine::kernels::variants::KernelVariants;
use crate::engine::neighbor;
use crate::gpu::options::{Precision, TimingMode};
use crate::gpu::{DeviceKind, Gpu, RankDevice};
use crate::model::domain::Domain;
use crate::session::Session;
use crate::session::fix::{ExchangeAtoms, coupling};
use crate::session::options::Options;

/// Opens the device that the options name, and says in the log what it is.
pub(super) fn open_device(log: &mut Log, options: &Options, restored: Option<Precision>) -> Result<Gpu> {
    let gpu = Gpu::open(options.device.as_deref(), options.timing)?;
    let info = gpu.info();
    log.line(&format!("Device: {} ({}, driver {})", info.name, info.platform, info.driver));
    if ranks::count() > 1 {
        share_device(log, &gpu)?;
    }
    let precision = precision(&gpu, options, restored)?;
    log.line(&format!("  precision: {}", precision.name()));
    log.line(&format!("  {}", gpu.zero_copy_report()));
    if options.rules == KernelVariants::PLAIN {
        log.line("  plain kernels: -kernels plain, for comparison only");
    }
    if options.timing == TimingMode::Off {
        log.line("  kernels are not timed");
    }
    let checked = options.check_device.map_or(Ok(None), |check| check(&gpu, precision, options.rules))?;
    checked.iter().for_each(|line| log.line(line));
    Ok(gpu)
}

/// Says how the ranks stand to the devices.
fn share_device(log: &mut Log, gpu: &Gpu) -> Result<()> {
    let (devices, ranks) = (gpu.meet_others()?, ranks::count());
    if gpu.is_among_others() {
        log.line(&format!(
            "  one of {ranks} devices of different kinds, which share out the forces by their speed"
        ));
        for (rank, RankDevice { info, .. }) in devices.iter().enumerate().skip(1) {
            log.line(&format!("  rank {rank}: {} ({}, driver {})", info.name, info.platform, info.driver));
        }
    } else {
        log.line(&format!("  one for each of {ranks} ranks, which share out the forces"));
    }
    let is_new =
        |(rank, device): &(usize, &RankDevice)| !devices[..*rank].iter().any(|other| other.is(device));
    match devices.iter().enumerate().filter(is_new).count() {
        count if count == ranks => {}
        1 if gpu.info().kind == DeviceKind::Cpu => {
            log.line("  ranks share out its cores: one rank with all of them is faster");
        }
        count => log.line(&format!(
            "  ranks share {count} device{}, on which they wait for one another: as many ranks as devices are faster",
            if count == 1 { "" } else { "s" }
        )),
    }
    Ok(())
}

/// The precision asked for, or that of the restart file or the one that the units need, or the best one that the device has.
pub(super) fn precision(gpu: &Gpu, options: &Options, restored: Option<Precision>) -> Result<Precision> {
    let device = gpu.common();
    let has = |precision| precision == Precision::Single || device.fp64;
    match options.precision {
        Some(asked) if !has(asked) => Err(Error::new(format!(
            "{} has no double precision, which -precision {} needs",
            device.name,
            asked.name()
        ))
        .help("use -precision single, or another device")),
        Some(asked) => Ok(asked),
        None if restored.is_some_and(has) => Ok(restored.unwrap_or_default()),
        None if device.fp64 => Ok(Precision::Mixed),
        None => Ok(Precision::Single),
    }
}

/// How many atoms there will be, at most; `None` where nobody knows.
fn most_atoms(session: &Session) -> Option<usize> {
    let exchanges = session.fixes.iter().filter_map(|fix| fix.atom_exchange());
    let more: Option<u64> = exchanges.map(ExchangeAtoms::most_new_atoms).sum();
    usize::try_from(more?).ok()?.checked_add(session.atom_count())
}

/// Whether the host waits for each step, as a fix has a part in it that is not the device's.
fn host_waits(session: &Session, precision: Precision, minimizing: bool) -> bool {
    let step = session.clock.step;
    let by_device = coupling::chosen(&session.fixes, session, precision != Precision::Single);
    let mut fixes = session.fixes.iter().enumerate().filter(|(place, _)| by_device != Some(*place));
    minimizing || fixes.any(|(_, fix)| fix.next(step) == Some(step + 1))
}

/// Whether atoms come or go once in so many steps, or oftener, during half of the run at least.
fn exchanges_often(session: &Session) -> bool {
    const OFTEN: i64 = 200;
    let step = session.clock.step;
    let half = (session.clock.span[1] - step) / 2;
    session.fixes.iter().any(|fix| {
        let next = fix.next_exchange(step);
        let then = next.and_then(|next| fix.next_exchange(next));
        let Some(interval) = next.zip(then).map(|(next, then)| then - next) else { return false };
        let most = fix.atom_exchange().and_then(ExchangeAtoms::most_new_atoms).filter(|&most| most > 0);
        let ends = |most: u64| i64::try_from(most).is_ok_and(|most| most.saturating_mul(interval) < half);
        interval <= OFTEN && !most.is_some_and(ends)
    })
}

/// The device that was chosen, or one core of it that needs no threads, where the atoms are few and stay so.
pub(super) fn device_for(
    session: &Session,
    chosen: &Gpu,
    domain: &Domain,
    precision: Precision,
    minimizing: bool,
) -> Result<Gpu> {
    let atoms = session.atom_count();
    let launches = match host_waits(session, precision, minimizing) {
        true => Launches::EachStep,
        false if exchanges_often(session) => Launches::SetUps,
        false => Launches::Few,
    };
    // A machine with fewer ranks has more cores for each; all ranks choose alike.
    let [fewest] = ranks::max([-i64::from(chosen.info().units)]);
    let cores = fewest.unsigned_abs() as u32;
    let one_core_will_do = |atoms, neighbors| launches.one_core_will_do(atoms, neighbors, cores, precision);
    let may = !chosen.is_among_others() && atoms > 0;
    let Some(most) = most_atoms(session).filter(|&most| may && one_core_will_do(most, 0.0)) else {
        return Ok(chosen.clone());
    };
    let direct = match chosen.direct() {
        Ok(Some(direct)) => direct,
        Ok(None) => return Ok(chosen.clone()),
        Err(error) => {
            log::warn!("not by one core without threads: {error}");
            return Ok(chosen.clone());
        }
    };
    // Where a run goes on it is that of the restart file.
    if let Some(layout) = session.device.layout.as_ref().filter(|layout| layout.fits(domain)) {
        let is_meant = |gpu: &&Gpu| layout.is_for(&gpu.info().name, precision, session.options.rules);
        if let Some(gpu) = [chosen, direct].into_iter().find(is_meant) {
            return Ok(gpu.clone());
        }
    }
    let system = session.now();
    let x = &system.atoms()?.x;
    let expected = |cutoff| neighbor::expected_neighbors_of(x, domain, session.system.dimension, cutoff);
    let cutoffs = cutoffs_and_shares(session)?;
    let neighbors: f64 = cutoffs.into_iter().map(|(cutoff, share)| share * expected(cutoff)).sum();
    // Those that come have as many as those that are there.
    let neighbors = neighbors * most as f64 / atoms as f64;
    let gpu = if one_core_will_do(most, neighbors) { direct } else { chosen };
    Ok(gpu.clone())
}
