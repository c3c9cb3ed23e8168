//! The engine by itself: a simulation from plain data, without a script, against its f64 twin.

#![allow(clippy::unwrap_used, missing_docs)]

#[macro_use]
mod common;

use clamps::engine::neighbor::Settings;
use clamps::engine::simulation::{Simulation, SimulationSpec};
use clamps::fixes::nve;
use clamps::gpu::options::Precision;
use clamps::model::atoms::Atoms;
use clamps::model::domain::{Boundary, Domain};
use clamps::potentials::bonded::BondedTopology;
use clamps::potentials::pair::{Pair, Resolved};
use clamps::reference::{integrate, list, pair};

/// Edges of the box in lattice constants, and atoms per unit cell.
const CELLS: usize = 5;
const FCC: [[f64; 3]; 4] = [[0.0; 3], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]];
const DT: f64 = 0.005;

/// A crystal of density 0.8442 whose atoms move, and its periodic box.
fn crystal() -> (Atoms, Domain) {
    let edge = (4.0 / 0.8442_f64).cbrt();
    let mut atoms = Atoms::default();
    let mut random = 12345_u32;
    let mut number = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(random >> 8) / f64::from(1 << 24) - 0.5
    };
    for cell in 0..CELLS.pow(3) {
        let corner = [cell % CELLS, cell / CELLS % CELLS, cell / CELLS / CELLS];
        for place in FCC {
            let x = std::array::from_fn(|d| (corner[d] as f64 + place[d]) * edge);
            atoms.push(atoms.len() as u32 + 1, 1 + (atoms.len() % 2) as u32, x);
        }
    }
    for v in &mut atoms.v {
        *v = std::array::from_fn(|_| 3.0 * number());
    }
    let length = CELLS as f64 * edge;
    (atoms, Domain::new([0.0; 3], [length; 3], [[Boundary::Periodic; 2]; 3]).unwrap())
}

fn pair_style() -> Pair {
    let mut pair = Pair::from_words("lj/cut 2.5", 2).unwrap();
    pair.set_numbers([1, 1], &[1.0, 1.0]).unwrap();
    pair.set_numbers([2, 2], &[0.9, 1.05]).unwrap();
    pair.set_numbers([1, 2], &[1.1, 0.95]).unwrap();
    pair
}

const MASS: [f64; 2] = [1.0, 1.5];

/// Forces and energy of all pairs, in f64.
fn twin_forces(style: &Resolved<'_>, atoms: &Atoms, domain: &Domain) -> pair::Forces {
    let lists = list::neighbors(domain, 3, 2, &style.cutoffs(), &atoms.x, &atoms.kind);
    pair::forces(style, &atoms.kind, &vec![0.0; atoms.len()], &lists)
}

#[test]
fn a_simulation_without_a_script_follows_its_twin() {
    in_third!(2);
    const STEPS: u32 = 30;
    let (atoms, domain) = crystal();
    let style = pair_style();
    let resolved = style.resolve().unwrap();
    // The twin: velocity Verlet with all pairs.
    let mut twin = atoms.clone();
    let mut forces = twin_forces(&resolved, &twin, &domain);
    for _ in 0..STEPS {
        integrate::kick(&mut twin, &forces.force, &MASS, 1.0, DT, 1);
        integrate::drift(&mut twin, DT, 1);
        forces = twin_forces(&resolved, &twin, &domain);
        integrate::kick(&mut twin, &forces.force, &MASS, 1.0, DT, 1);
    }
    let kinetic: f64 = (0..twin.len())
        .map(|i| MASS[twin.kind[i] as usize - 1] * twin.v[i].iter().map(|v| v * v).sum::<f64>())
        .sum();

    let neighbor = Settings { every: 1, delay: 0, check: true, ..Settings::new(0.3) };
    let fixes = [nve::program(1, DT, 1.0, &MASS)];
    let molecules = BondedTopology::default();
    let spec = SimulationSpec {
        fixes: &fixes,
        may_predict: true,
        ..SimulationSpec::new(&resolved, &molecules, &neighbor, &MASS)
    };
    for gpu in common::test_devices() {
        let place = common::label(gpu.info());
        for (precision, far) in
            [(Precision::Single, 2e-4), (Precision::Mixed, 2e-5), (Precision::Double, 1e-10)]
        {
            if precision != Precision::Single && !gpu.info().fp64 {
                continue;
            }
            let mut run = Simulation::of_atoms(&spec, &gpu, precision, &atoms, domain.clone()).unwrap();
            let before = run.sums().unwrap();
            let start = twin_forces(&resolved, &atoms, &domain).energy;
            let n = atoms.len() as f64;
            assert!(
                ((before.energy - start) / n).abs() < far,
                "{} {start} {precision:?} {place}",
                before.energy
            );
            run.run(STEPS).unwrap();
            let sums = run.sums().unwrap();
            assert!(((sums.energy - forces.energy) / n).abs() < far, "{precision:?} {place}");
            let tensor: f64 = sums.kinetic[..3].iter().sum();
            assert!(((tensor - kinetic) / n).abs() < 20.0 * far, "{tensor} {kinetic} {precision:?} {place}");
            let found = run.atoms.download(&atoms).unwrap();
            for i in 0..found.len() {
                let k = found.tag[i] as usize - 1;
                let x = domain.unwrapped(found.x[i], found.image[i]);
                for (x, expected) in x.into_iter().zip(twin.x[k]) {
                    let off = (x - expected).abs();
                    assert!(off < far, "atom {} is {off} off, {precision:?} {place}", found.tag[i]);
                }
            }
        }
    }
}

#[test]
fn data_that_cannot_be_run_is_refused() {
    let error = |words: &str| format!("{}", Pair::from_words(words, 1).err().unwrap());
    assert!(error("lj/cot 2.5").contains("lj/cot"), "{}", error("lj/cot 2.5"));
    assert!(error("lj/cut -1").contains("cutoff"), "{}", error("lj/cut -1"));
    let mut pair = Pair::from_words("lj/cut 2.5", 1).unwrap();
    assert!(pair.resolve().is_err(), "coefficients are missing");
    assert!(pair.set_numbers([1, 2], &[1.0, 1.0]).is_err(), "there is one type");
    assert!(pair.set_numbers([1, 1], &[1.0]).is_err(), "sigma is missing");
}
