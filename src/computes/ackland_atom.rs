//! `compute ackland/atom`: the crystal around an atom by the angles between its neighbours: 1 bcc, 2 fcc, 3 hcp, 4 icosahedral, 0 other,
//! or outside of the group. The mean squared distance of the six nearest neighbours is a measure: N0 neighbours are nearer than 1.45 of
//! it, N1 nearer than 1.55. Cosines of the angles between each two of the N0 are counted in eight bins (chi), and four deltas say how far
//! the counts are from those of crystals. Source: LAMMPS manual; Ackland and Jones, Phys. Rev. B 73, 054104 (2006). What `legacy no`
//! does otherwise was found from what LAMMPS makes of some 2,900 neighbourhoods in crystals and 4,500 in clusters.

use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header, pair_cutoff};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct AcklandAtom {
    header: Header,
    legacy: bool,
}

/// Takes the keyword `legacy`.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let mut legacy = false;
    while !args.is_empty() {
        args.one_of("keyword of compute ackland/atom", &[("legacy", ())])?;
        legacy = args.yes_no()?;
    }
    Ok(Box::new(AcklandAtom { header, legacy }))
}

/// So many neighbours are the measure.
const NEAREST: usize = 6;
/// Those nearer than these parts of the measure count (distances squared).
const NEAR: [f64; 2] = [1.45, 1.55];
/// Where bins of cosines begin, but the first.
const BINS: [f64; 7] = [-0.945, -0.915, -0.755, -0.195, 0.195, 0.245, 0.795];

/// The mean squared distance of the six nearest; `None` where there are fewer.
fn measure(around: &mut [([f64; 3], f64)]) -> Option<f64> {
    around.sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
    let nearest = around.get(..NEAREST)?;
    Some(nearest.iter().map(|(_, rsq)| rsq).sum::<f64>() / NEAREST as f64)
}

/// The structure from the neighbours in the order of their distances, all that are nearer than 1.55 of the measure.
fn structure(around: &[([f64; 3], f64)], measure: f64, legacy: bool) -> u8 {
    let [n0, n1] = NEAR.map(|part| around.partition_point(|(_, rsq)| *rsq < part * measure));
    let mut chi = [0.0; 8];
    for (j, (a, asq)) in around[..n0].iter().enumerate() {
        for (b, bsq) in &around[j + 1..n0] {
            let cosine = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / (asq * bsq).sqrt();
            chi[BINS.partition_point(|&begin| begin <= cosine)] += 1.0;
        }
    }
    if chi[7] > 0.0 {
        return 0;
    }
    let delta_cp = (1.0 - chi[6] / 24.0_f64).abs();
    let mut delta_bcc = 0.35 * chi[4] / (chi[5] + chi[6] - chi[4]);
    let mut delta_fcc = 0.61 * ((chi[0] + chi[1] - 6.0_f64).abs() + chi[2]) / 6.0;
    let layers = (chi[0] + chi[1] + chi[2] + chi[3] - 9.0_f64).abs();
    let mut delta_hcp = ((chi[0] - 3.0_f64).abs() + layers) / 12.0;
    let exactly = |count: f64| chi[0] == count;
    if legacy {
        if exactly(7.0) {
            delta_bcc = 0.0;
        } else if exactly(6.0) {
            delta_fcc = 0.0;
        } else if chi[0] <= 3.0 {
            delta_hcp = 0.0;
        }
    }
    let packed = if delta_fcc < delta_hcp { 2 } else { 3 };
    if legacy {
        return match n1 {
            ..11 => 0,
            _ if chi[4] < 3.0 => 4 * u8::from(n1 <= 13),
            _ if delta_bcc <= delta_cp => 1,
            11..=12 => packed,
            _ => 0,
        };
    }
    match n0 {
        ..11 => 0,
        _ if exactly(7.0) => 1,
        _ if exactly(6.0) => 2,
        _ if exactly(3.0) => 3,
        _ if n1 == 12 && chi[4] < 3.0 => 4,
        _ if n1 <= 12 && delta_bcc <= delta_cp => 1,
        11..=12 => packed,
        _ => 0,
    }
}

impl Compute for AcklandAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(0)
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let mask = &system.atoms()?.mask;
        let cutoff = pair_cutoff(system)?;
        let neighbors = Neighbors::new(system, cutoff)?;
        let (likely, legacy) = (neighbors.reach_of(30.0), self.legacy);
        Ok(Values::of_group(mask, self.header.group, |i| {
            let mut found = None;
            let around = neighbors.around(likely, i, |around, reach| {
                found = measure(around);
                found.is_some_and(|measure| NEAR[1] * measure < reach * reach)
            });
            found.map_or(0.0, |measure| f64::from(structure(&around, measure, legacy)))
        }))
    }
}
