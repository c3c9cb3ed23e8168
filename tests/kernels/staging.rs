//! Fixed-point staging: host functions against the twin, and the twin against arithmetic.

use clamps::host::staging::{displacement, stage, stage_fixed};
use clamps::kernels::Numerics;
use clamps::options::Precision;
use clamps::random::ParkMiller;

#[test]
fn numerics_stage_like_the_twin() {
    let mut random = ParkMiller::new(7);
    for span in [0.9, 8.4, 41.6] {
        let mixed = Numerics::new(Precision::Mixed, span);
        let single = Numerics::new(Precision::Single, span);
        assert_eq!(mixed.quantum, single.quantum);
        // Half the range holds the span, and not more than four times as much.
        let half = mixed.quantum * 2f64.powi(31);
        assert!(span <= half && half <= 2.0 * span, "{span} {half}");
        for scale in [1.0, 100.0, 1e4] {
            for _ in 0..200 {
                let x: [f64; 3] = std::array::from_fn(|_| scale * (random.uniform() - 0.5));
                let mixed_words = x.map(|x| stage(x, mixed.quantum));
                assert_eq!(mixed.stage(x, 3), [&mixed_words[..], &[3]].concat());
                let single_words = x.map(|x| stage_fixed(x, mixed.quantum));
                assert_eq!(single.stage(x, 2), [&single_words[..], &[2]].concat());
                // Far from the origin or not, separations keep their precision.
                let r = 0.4 * span * (2.0 * random.uniform() - 1.0);
                let seen = displacement(stage(x[0] + r, mixed.quantum), single_words[0], mixed.quantum);
                assert!((seen - r).abs() <= 2.0 * mixed.quantum + 1e-15 * scale, "{seen} {r}");
            }
        }
    }
}

#[test]
fn master_coordinates_come_back() {
    for x in [0.0, 1.0 / 3.0, -123.456, 1e4] {
        for precision in [Precision::Mixed, Precision::Double] {
            let numerics = Numerics::new(precision, 8.4);
            assert_eq!(numerics.from_master(numerics.to_master(x)), x);
        }
        let single = Numerics::new(Precision::Single, 8.4);
        assert!((single.from_master(single.to_master(x)) - x).abs() <= 0.5 * single.master_quantum());
        assert!(single.master_quantum() < 1e-12);
    }
}
