//! `create_atoms random`: atoms at random places. Source: LAMMPS manual.

use super::body::Body;
use super::{Wanted, next_tag, too_many};
use crate::base::error::Result;
use crate::base::random::ParkMiller;
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::model::region::Region;

/// What is asked for.
pub(super) struct Random {
    pub(super) count: u64,
    pub(super) seed: u32,
    pub(super) region: Option<Region>,
    /// The least distance from all other atoms; 0: any.
    pub(super) overlap: f64,
    /// How often a place is tried for each atom.
    pub(super) tries: u32,
}

impl Random {
    /// Adds the atoms, or molecules in their stead, where `wanted`; false where some found no place.
    ///
    /// # Errors
    /// When IDs run out, and those of `wanted`.
    pub(super) fn fill(
        &self,
        atoms: &mut Atoms,
        domain: &Domain,
        kind: u32,
        flat: bool,
        wanted: &Wanted<'_>,
        mut body: Option<&mut Body>,
    ) -> Result<bool> {
        let [mut lo, mut hi] = domain.bounds();
        if let Some([region_lo, region_hi]) = self.region.as_ref().and_then(Region::bounds) {
            lo = std::array::from_fn(|d| lo[d].max(region_lo[d]));
            hi = std::array::from_fn(|d| hi[d].min(region_hi[d]));
        }
        if flat {
            (lo[2], hi[2]) = (0.0, 0.0);
        }
        if (0..3).any(|d| lo[d] > hi[d]) {
            return Ok(self.count == 0);
        }
        let mut random = ParkMiller::new(self.seed);
        random.skip(30);
        let mut tag = next_tag(atoms)?;
        if body.is_none() {
            atoms.reserve(usize::try_from(self.count).unwrap_or(usize::MAX))?;
        }
        let mut all = true;
        for _ in 0..self.count {
            let (mut place, mut sites) = (None, Vec::new());
            for _ in 0..self.tries {
                let x = std::array::from_fn(|d| lo[d] + random.uniform() * (hi[d] - lo[d]));
                let inside = self.region.as_ref().is_none_or(|region| region.contains(x));
                if !inside || !wanted(x)? || !domain.contains(x) {
                    continue;
                }
                // As in LAMMPS, a molecule is turned anew at each try.
                sites = match (&mut body, self.overlap > 0.0) {
                    (Some(body), true) => body.sites(x),
                    _ => vec![x],
                };
                if sites.iter().all(|x| self.has_room(*x, atoms, domain)) {
                    place = Some(x);
                    break;
                }
            }
            let Some(x) = place else {
                all = false;
                continue;
            };
            if let Some(body) = &mut body {
                let sites = if self.overlap > 0.0 { sites } else { body.sites(x) };
                body.put(atoms, domain, sites)?;
                continue;
            }
            atoms.push(tag, kind, x);
            tag = tag.checked_add(1).ok_or_else(too_many)?;
        }
        Ok(all)
    }

    fn has_room(&self, x: [f64; 3], atoms: &Atoms, domain: &Domain) -> bool {
        let images = std::array::from_fn(|d| domain.periodic(d));
        let far = |other: &[f64; 3]| {
            let apart = domain.nearest(std::array::from_fn(|d| x[d] - other[d]), images);
            apart.iter().map(|d| d * d).sum::<f64>() >= self.overlap * self.overlap
        };
        self.overlap == 0.0 || atoms.x.iter().all(far)
    }
}
