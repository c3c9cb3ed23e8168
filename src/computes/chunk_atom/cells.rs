//! The bins that chunks of space are made of, and for how long chunks are held.

use crate::computes::bins::Bins;
use crate::computes::shells::Shells;
use std::rc::Weak;

/// The bins in a box.
#[derive(Clone)]
pub(super) enum Cells {
    Bins(Bins),
    Shells(Shells),
}

impl Cells {
    pub(super) fn count(&self) -> usize {
        match self {
            Cells::Bins(bins) => bins.count(),
            Cells::Shells(shells) => shells.count(),
        }
    }

    pub(super) fn coordinates(&self) -> Vec<Vec<f64>> {
        match self {
            Cells::Bins(bins) => bins.coordinates(),
            Cells::Shells(shells) => shells.coordinates(),
        }
    }

    /// Given that of the box.
    pub(super) fn volumes(&self, of_box: f64) -> Vec<f64> {
        match self {
            Cells::Bins(bins) => vec![bins.volume(of_box)],
            Cells::Shells(shells) => shells.volumes(),
        }
    }
}

/// The steps over which a fix that averages holds the chunks as they were at the first of them.
pub(super) struct Hold {
    /// Ends with the fix.
    pub(super) owner: Weak<()>,
    pub(super) first: i64,
    pub(super) last: i64,
}

impl Hold {
    pub(super) fn holds(&self, step: i64) -> bool {
        self.owner.strong_count() > 0 && (self.first..=self.last).contains(&step)
    }
}
