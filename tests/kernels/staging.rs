//! Fixed-point staging: host functions against the twin, and the twin against arithmetic.

use clamps::base::random::ParkMiller;
use clamps::engine::kernels::Numerics;
use clamps::gpu::options::Precision;
use clamps::reference::staging::{displacement, stage, stage_fixed};

fn numerics(precision: Precision, modulus: f64) -> Numerics {
    Numerics { precision, modulus: [modulus; 3], images: [true; 3], triclinic: false }
}

#[test]
fn numerics_stage_like_the_twin() {
    apart!();
    let mut random = ParkMiller::new(7);
    for modulus in [1.8, 16.8, 97.2] {
        let mixed = numerics(Precision::Mixed, modulus);
        let single = numerics(Precision::Single, modulus);
        let unit = mixed.unit(0);
        assert_eq!(unit * 2f64.powi(32), modulus);
        for scale in [1.0, 100.0, 1e4] {
            for _ in 0..200 {
                let x: [f64; 3] = std::array::from_fn(|_| scale * (random.uniform() - 0.5));
                let mixed_words = x.map(|x| stage(x, unit));
                for (found, expected) in mixed.stage(x, 3).iter().zip([&mixed_words[..], &[3]].concat()) {
                    assert!(found.wrapping_sub(expected).cast_signed().abs() <= 1, "{found} {expected}");
                }
                let single_words = x.map(|x| stage_fixed(x, unit));
                assert_eq!(single.stage(x, 2), [&single_words[..], &[2]].concat());
                // Far from the origin or not, and whole moduli apart, separations keep their precision.
                let r = 0.4 * modulus * (random.uniform() - 0.5);
                let seen = displacement(stage(x[0] + r + 3.0 * modulus, unit), single_words[0], unit);
                assert!((seen - r).abs() <= 2.0 * unit + 1e-15 * (scale + modulus), "{seen} {r}");
            }
        }
    }
}

#[test]
fn master_coordinates_come_back() {
    apart!();
    for x in [0.0, 1.0 / 3.0, -123.456, 1e4] {
        for precision in [Precision::Mixed, Precision::Double] {
            let numerics = numerics(precision, 16.8);
            assert_eq!(numerics.from_master(numerics.to_master(x, 1), 1), x);
        }
        let single = numerics(Precision::Single, 16.8);
        assert!((single.from_master(single.to_master(x, 2), 2) - x).abs() <= 0.5 * single.master_unit(2));
        assert!(single.master_unit(0) < 1e-12);
    }
}
