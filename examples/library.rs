//! A liquid without a script: data goes to the device, steps are made there, sums and atoms come back.
//!
//!     cargo run --release --example library

use clamps::base::error::Result;
use clamps::engine::neighbor::Settings;
use clamps::engine::simulation::{Simulation, SimulationSpec};
use clamps::fixes::nve;
use clamps::gpu::Gpu;
use clamps::gpu::options::{Precision, TimingMode};
use clamps::model::atoms::Atoms;
use clamps::model::domain::{Boundary, Domain};
use clamps::potentials::bonded::BondedTopology;
use clamps::potentials::pair::Pair;

fn main() -> Result<()> {
    // Atoms on a cubic lattice of density 0.8, in a periodic box, with velocities by chance.
    let mut random = 4711_u32;
    let mut by_chance = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(random >> 8) / f64::from(1 << 24) - 0.5
    };
    let (cells, edge) = (16, (1.0 / 0.8_f64).cbrt());
    let mut atoms = Atoms::default();
    for place in 0..cells * cells * cells {
        let corner = [place % cells, place / cells % cells, place / cells / cells];
        atoms.push(place as u32 + 1, 1, corner.map(|k| (k as f64 + 0.5) * edge));
        atoms.v[place] = std::array::from_fn(|_| 4.0 * by_chance());
    }
    let length = cells as f64 * edge;
    let domain = Domain::new([0.0; 3], [length; 3], [[Boundary::Periodic; 2]; 3])?;

    // The force field, and what moves the atoms.
    let mut pair = Pair::from_words("lj/cut 2.5", 1)?;
    pair.set_numbers([1, 1], &[1.0, 1.0])?;
    let (pair, molecules, mass, dt) = (pair.resolve()?, BondedTopology::default(), [1.0], 0.004);
    let neighbor = Settings { every: 1, delay: 0, check: true, ..Settings::new(0.3) };
    let fixes = [nve::program(1, dt, 1.0, &mass)];
    let spec =
        SimulationSpec { fixes: &fixes, dt, ..SimulationSpec::new(&pair, &molecules, &neighbor, &mass) };

    // The first device that there is.
    let gpu = Gpu::open(None, TimingMode::Off)?;
    let precision = if gpu.info().fp64 { Precision::Mixed } else { Precision::Single };
    let mut simulation = Simulation::of_atoms(&spec, &gpu, precision, &atoms, domain)?;
    println!("{} atoms on {}", atoms.len(), gpu.info().name);
    println!("{:>6} {:>12} {:>12} {:>12}", "step", "kinetic", "potential", "total");
    for step in (0..=500).step_by(100) {
        if step > 0 {
            simulation.run(100)?;
        }
        let sums = simulation.sums()?;
        let n = atoms.len() as f64;
        let (kinetic, potential) = (sums.kinetic[..3].iter().sum::<f64>() / 2.0 / n, sums.energy / n);
        println!("{step:>6} {kinetic:>12.6} {potential:>12.6} {:>12.6}", kinetic + potential);
    }
    let end = simulation.atoms.download(&atoms)?;
    println!("atom {} is at {:?}", end.tag[0], end.x[0]);
    Ok(())
}
