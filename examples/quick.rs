use clamps::atoms::Atoms;
use clamps::cli::{Precision, TimingMode};
use clamps::domain::{Boundary, Domain};
use clamps::gpu::Gpu;
use clamps::resident::Resident;
use clamps::simulation::{Model, Simulation};
use clamps::units::LJ;
use clamps::{neighbor, pair, script};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arg = |k: usize, d: usize| std::env::args().nth(k).map_or(d, |s| s.parse().unwrap());
    let cells = arg(1, 20);
    let precision = [Precision::Single, Precision::Mixed, Precision::Double][arg(2, 1)];
    let steps = arg(3, 100);
    let gpu = Gpu::open(None, TimingMode::Full)?;
    println!("{:?}", gpu.info().name);
    let a = (4.0f64 / 0.8442).powf(1.0 / 3.0);
    let l = a * cells as f64;
    let mut atoms = Atoms::default();
    let mut tag = 0;
    let mut seed = 12345u64;
    let mut rnd = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
    };
    for z in 0..cells {
        for y in 0..cells {
            for x in 0..cells {
                for b in [[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]] {
                    tag += 1;
                    atoms.push(tag, 1, [a * (x as f64 + b[0]), a * (y as f64 + b[1]), a * (z as f64 + b[2])]);
                    *atoms.v.last_mut().unwrap() = [rnd() * 4.15, rnd() * 4.15, rnd() * 4.15];
                }
            }
        }
    }
    let domain = Domain::new([0.0; 3], [l; 3], [[Boundary::Periodic; 2]; 3])?;
    let command = |line: &str| script::Command {
        source: clamps::error::Source { file: "x".into(), line: 1, text: line.into() },
        words: line.split_whitespace().map(|w| script::Word { text: w.into(), span: 0..0 }).collect(),
    };
    let _ = command;
    let style = pair::STYLES[0].1(&mut script::Args::new(&command("pair_style 2.5")))?;
    let resolved = pair::Resolved {
        params: vec![vec![1.0, 1.0, 2.5]],
        style: &*style,
        types: 1,
        shift: vec![0.0],
        mixed: (0, 0),
        rule: "geometric",
        tail: false,
    };
    let settings = neighbor::Settings { every: 20, check: false, ..neighbor::Settings::new(0.3) };
    let fixes: Vec<Box<dyn clamps::fix::Fix>> = vec![clamps::fix::STYLES[0].1(
        clamps::fix::Header { id: "1".into(), group: 1 },
        &mut script::Args::new(&command("fix")),
    )?];
    let model = Model {
        units: &LJ,
        dimension: 3,
        mass: &[1.0],
        pair: &resolved,
        neighbor: &settings,
        fixes: &fixes,
        dt: 0.005,
    };
    let context = model.context(&gpu, precision, &domain, atoms.len());
    println!("{:?} {:?}", context.numerics, context.shape);
    let n = atoms.len() as f64;
    let resident = Resident::new(&context, &atoms, 0)?;
    let mut sim = Simulation::new(&model, resident, domain)?;
    let s = sim.sums()?;
    let ke: f64 = s.kinetic[..3].iter().sum::<f64>();
    println!(
        "E/N {:.12} ghosts {} list {} E {:.9}",
        s.energy / n,
        sim.neighbor.ghosts.n,
        sim.neighbor.list.total(sim.atoms.n)?,
        s.energy / n + 0.5 * ke / n
    );
    gpu.take_records()?;
    let t = std::time::Instant::now();
    let mut k = 0;
    while k < steps {
        k += sim.advance((steps - k) as u32, true)? as usize;
    }
    gpu.finish()?;
    let dt = t.elapsed().as_secs_f64();
    let s = sim.sums()?;
    let ke: f64 = s.kinetic[..3].iter().sum::<f64>();
    println!(
        "E/N {:.12} ghosts {} list {} E {:.9}",
        s.energy / n,
        sim.neighbor.ghosts.n,
        sim.neighbor.list.total(sim.atoms.n)?,
        s.energy / n + 0.5 * ke / n
    );
    println!("{:.3} s {:.3} Matom-steps/s", dt, n * steps as f64 / dt / 1e6);
    for r in gpu.take_records()? {
        println!(
            "{:16} {:?} calls {} {:.3} ms each, {:.4} s",
            r.name,
            r.section,
            r.calls,
            r.seconds / r.calls as f64 * 1e3,
            r.seconds
        );
    }
    Ok(())
}
