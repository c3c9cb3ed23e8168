//! Box and grid as kernels read them.

use super::Grid;
use crate::engine::kernels::Numerics;
use crate::gpu::options::Precision;
use crate::model::domain::Domain;

impl Grid {
    /// The `Box` of cl/common/common.cl as bytes; lists were built when it was `built`, and where the kernel reads that from it an atom may come
    /// so far, squared.
    pub fn box_bytes(&self, domain: &Domain, built: &Domain, numerics: Numerics, trigger: f64) -> Vec<u8> {
        let length = domain.lengths();
        let mut bytes = Vec::new();
        for values in [domain.lo, domain.hi, length] {
            (0..3).for_each(|d| bytes.extend(numerics.to_master(values[d], d).to_ne_bytes()));
        }
        // The tilts xy, xz, yz lie along x, x, y, and follow y, z, z.
        let (slopes, tilts) = (domain.slopes(), [(0, 1), (0, 2), (1, 2)]);
        if numerics.triclinic {
            for (tilt, (along, _)) in domain.tilt.into_iter().zip(tilts) {
                bytes.extend(numerics.to_master(tilt, along).to_ne_bytes());
            }
            for (slope, (along, by)) in slopes.into_iter().zip(tilts) {
                bytes.extend(numerics.slope(slope, along, by).to_ne_bytes());
            }
        }
        let mut float = |x: f64, wide: bool| {
            if wide { bytes.extend(x.to_ne_bytes()) } else { bytes.extend((x as f32).to_ne_bytes()) }
        };
        let wide = numerics.wide();
        (0..3).for_each(|d| float(numerics.master_unit(d) / length[d], wide));
        (0..3).for_each(|d| float(numerics.master_unit(d) * self.cells[d] as f64 / length[d], wide));
        (0..3).for_each(|d| float(numerics.to_staged(d), wide));
        let plain = numerics.wide_pairs();
        (0..3).for_each(|d| float(if plain { numerics.modulus[d] } else { numerics.unit(d) }, plain));
        (0..3).for_each(|d| {
            let rest = match (plain, numerics.images[d]) {
                (false, _) => numerics.unit(d) - f64::from(numerics.unit(d) as f32),
                (true, true) => 1.0 / numerics.modulus[d],
                (true, false) => 0.0,
            };
            float(rest, plain);
        });
        if numerics.triclinic {
            slopes.iter().for_each(|&slope| float(slope, plain));
            slopes.iter().for_each(|&slope| float(slope - f64::from(slope as f32), plain));
        }
        float(trigger, plain);
        let total: [usize; 3] = std::array::from_fn(|d| self.cells[d] * self.replicas[d]);
        let periodic: [usize; 3] = std::array::from_fn(|d| usize::from(domain.periodic(d)));
        let images = numerics.images.map(usize::from);
        let moduli = self.moduli_per_axis(length, numerics.images, numerics.modulus);
        for counts in [self.cells, self.replicas, total, self.stencil, periodic, images, moduli] {
            counts.iter().for_each(|&c| bytes.extend((c as i32).to_ne_bytes()));
        }
        drift(domain, built, numerics).iter().for_each(|drift| bytes.extend(drift.to_ne_bytes()));
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    }
}

/// How many staged units, modulo 2^32, the middle of a box has moved by since it was `built`; what keeps its place between
/// the faces moves by as many more or less as they are farther from each other.
fn drift(domain: &Domain, built: &Domain, numerics: Numerics) -> [i32; 3] {
    let (length, before) = (domain.lengths(), built.lengths());
    std::array::from_fn(|d| {
        if numerics.precision != Precision::Mixed || !numerics.images[d] {
            return 0;
        }
        let (now, then) = (numerics.to_staged(d), numerics.to_staged(d) * (length[d] / before[d]));
        let middle = |domain: &Domain| (domain.lo[d] + domain.hi[d]) / 2.0;
        (middle(domain) * now - middle(built) * then).round_ties_even() as i64 as i32
    })
}
