//! Small systems for the tests of kernels and physics, made without a script.
#![allow(dead_code, unreachable_pub, reason = "each test file is a crate, and uses a part of this")]
#![allow(clippy::unwrap_used)]

use clamps::base::error::Source;
use clamps::base::log::Log;
use clamps::base::random::ParkMiller;
use clamps::commands::bond::bond_style;
use clamps::commands::neighbor::neigh_modify;
use clamps::commands::pair::{pair_modify, pair_style};
use clamps::engine;
use clamps::engine::device_atoms::DeviceAtoms;
use clamps::engine::kernels::{Context, LaunchConfig};
use clamps::engine::neighbor::grid;
use clamps::engine::neighbor::long_pairs::{LongPairs, Mixture};
use clamps::engine::simulation::{Ending, Simulation, SimulationSpec};
use clamps::engine::step::StepKernels;
use clamps::engine::step::fix_program::FixProgram;
use clamps::gpu::options::Precision;
use clamps::gpu::{DeviceInfo, DeviceKind, Exchange, Gpu};
use clamps::model::atom_style::ATOM_STYLES;
use clamps::model::atoms::Atoms;
use clamps::model::domain::{Boundary, Domain};
use clamps::model::topology::Bond;
use clamps::potentials::pair::Resolved;
use clamps::reference;
use clamps::reference::list::Neighbor;
use clamps::reference::molecule::Place;
use clamps::reference::pair::Forces;
use clamps::run::setup::Ready;
use clamps::script::variables::Variables;
use clamps::script::{Args, Command, Word};
use clamps::session::Session;
use clamps::session::coefficients::bond_coeff;
use clamps::session::coefficients::pair_coeff;
use clamps::session::options::Options;
use std::collections::BTreeMap;

/// Every precision.
pub const PRECISIONS: [Precision; 3] = [Precision::Single, Precision::Mixed, Precision::Double];

/// The precisions that a device has.
pub fn precisions(gpu: &Gpu) -> &'static [Precision] {
    if gpu.info().fp64 { &PRECISIONS } else { &PRECISIONS[..1] }
}

/// Whether a case is tested on a device in a precision: each case in one, the next case in the next one; in all with CLAMPS_TESTS=full.
pub fn in_turn(gpu: &Gpu, precision: Precision, case: usize) -> bool {
    let all = precisions(gpu);
    crate::common::full() || all[case % all.len()] == precision
}

/// A box from the origin with faces like "p p f", without atoms.
pub fn empty(edges: [f64; 3], faces: &str, types: usize) -> Session {
    let mut session = Session::new(Options::default(), Log::memory(), Variables::default());
    let face = |letter: &str| match letter {
        "p" => Boundary::Periodic,
        "f" => Boundary::Fixed,
        "s" => Boundary::Shrink,
        "m" => Boundary::ShrinkMin,
        other => panic!("{other} is no boundary"),
    };
    let faces: Vec<_> = faces.split_whitespace().map(|letter| [face(letter); 2]).collect();
    session.system.domain = Some(Domain::new([0.0; 3], edges, [faces[0], faces[1], faces[2]]).unwrap());
    session.system.mass = vec![Some(1.0); types];
    run(&mut session, &["fix 1 all nve"]);
    session
}

/// Applies commands about fixes, pairs, bonds and lists.
pub fn run(session: &mut Session, lines: &[&str]) {
    for line in lines {
        let words = line.split_whitespace().map(|word| Word { text: word.into(), span: 0..0 }).collect();
        let source = Source { file: "in.test".into(), line: 1, text: (*line).into() };
        let command = Command { source, words };
        let mut args = Args::new(&command);
        let handler = match command.words[0].text.as_str() {
            "fix" => clamps::commands::fix::fix,
            "compute" => clamps::commands::compute::compute,
            "pair_style" => pair_style,
            "pair_coeff" => pair_coeff,
            "pair_modify" => {
                |session: &mut Session, args: &mut Args<'_>| pair_modify(&mut session.force_field, args)
            }
            "bond_style" => bond_style,
            "bond_coeff" => bond_coeff,
            "special_bonds" => clamps::commands::topology::special_bonds,
            "neigh_modify" => neigh_modify,
            "variable" => |session: &mut Session, args: &mut Args<'_>| session.script.variables.define(args),
            "region" => clamps::commands::region::region,
            "group" => clamps::commands::group::group,
            other => panic!("{other} is not for tests"),
        };
        handler(session, &mut args).unwrap();
    }
}

/// One type of Lennard-Jones atoms with cutoff 2.5 on a distorted fcc lattice of density 0.8442, each up to
/// `jitter` off its site per axis; velocities of the temperature 1.44, in no special order of tags.
pub fn melt(cells: usize, jitter: f64) -> Session {
    let a = (4.0_f64 / 0.8442).cbrt();
    let mut session = empty([a * cells as f64; 3], "p p p", 1);
    lattice(&mut session, cells, jitter, [0.0; 3]);
    run(&mut session, &["pair_style lj/cut 2.5", "pair_coeff 1 1 1.0 1.0"]);
    session
}

/// Fills in the atoms of [`melt`], from `origin` on.
pub fn lattice(session: &mut Session, cells: usize, jitter: f64, origin: [f64; 3]) {
    let a = (4.0_f64 / 0.8442).cbrt();
    let mut random = ParkMiller::new(4711);
    let n = 4 * cells.pow(3);
    let mut put = |random: &mut ParkMiller, site: usize, basis: [f64; 3]| {
        let cell = [site % cells, site / cells % cells, site / (cells * cells)];
        let x = std::array::from_fn(|d| {
            origin[d] + a * (cell[d] as f64 + basis[d] + 0.25) + jitter * (2.0 * random.uniform() - 1.0)
        });
        // 7919 is a prime and no divisor of n: tags go round in an order of their own.
        let tag = (session.system.host_atoms.len() * 7919 % n + 1) as u32;
        session.system.host_atoms.push(tag, 1, x);
        *session.system.host_atoms.v.last_mut().unwrap() = std::array::from_fn(|_| 1.2 * random.gaussian());
    };
    for site in 0..cells.pow(3) {
        for basis in [[0.0; 3], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]] {
            put(&mut random, site, basis);
        }
    }
}

/// `n` atoms of alternating types anywhere in the box (in its middle plane in 2d), with gaussian velocities.
pub fn scatter(session: &mut Session, n: usize, seed: u32) {
    let mut random = ParkMiller::new(seed);
    random.skip(5);
    let domain = session.system.domain.clone().unwrap();
    let types = session.system.mass.len();
    for i in 0..n {
        let mut x = std::array::from_fn(|d| domain.lo[d] + random.uniform() * domain.lengths()[d]);
        if session.system.dimension == 2 {
            x[2] = 0.0;
        }
        session.system.host_atoms.push((n - i) as u32, (i % types) as u32 + 1, x);
        *session.system.host_atoms.v.last_mut().unwrap() = std::array::from_fn(|_| random.gaussian());
    }
}

/// Bonds of type 1 between some atoms and the nearest of the ones after them, at most `longest` away: harmonic ones,
/// that leave pairs out.
pub fn bond_neighbours(session: &mut Session, longest: f64) {
    session.system.atom_style = ATOM_STYLES.into_iter().find(|style| style.name == "bond").unwrap();
    session.system.topology.bond_types = 1;
    let Atoms { x, tag, kind, charge, .. } = &session.system.host_atoms;
    let domain = session.system.domain.as_ref().unwrap();
    let place = Place { domain, dimension: session.system.dimension, x, tag, kind, charge };
    for i in 0..x.len() {
        let square = |j: &usize| place.separation(i, *j).iter().map(|r| r * r).sum::<f64>();
        let nearest = (i + 1..x.len()).min_by(|a, b| square(a).total_cmp(&square(b)));
        if let Some(j) = nearest.filter(|j| square(j) < longest * longest) {
            session.system.topology.bonds.push(Bond::new(1, [tag[i], tag[j]]));
        }
    }
    assert!(!session.system.topology.bonds.is_empty());
    run(session, &["bond_style harmonic", "bond_coeff 1 20.0 1.0"]);
}

/// The pair style with all its parameters.
pub fn resolved(session: &Session) -> Resolved<'_> {
    session.force_field.pair.as_ref().unwrap().resolve().unwrap()
}

/// Masses per type.
pub fn mass(session: &Session) -> Vec<f64> {
    session.system.mass.iter().map(|mass| mass.unwrap()).collect()
}

/// Which pairs of types have lists of their own in tests, whether that pays or not: where some cutoff is three times as long as another one.
pub fn long_pairs(session: &Session, gpu: &Gpu) -> Option<LongPairs> {
    let mut atoms = vec![0; session.system.mass.len()];
    session.system.host_atoms.kind.iter().for_each(|&kind| atoms[kind as usize - 1] += 1);
    let (pair, dimension) = (resolved(session), session.system.dimension);
    let mixture = Mixture {
        cutoffs: &pair.cutoffs(),
        skin: session.neighbor.skin,
        atoms: &atoms,
        volume: session.system.domain.as_ref().unwrap().volume(dimension),
        dimension,
    };
    let acting = || mixture.cutoffs.iter().copied().filter(|cutoff| *cutoff > 0.0);
    let [shortest, longest] = [acting().fold(f64::INFINITY, f64::min), acting().fold(0.0, f64::max)];
    let unlike = longest > 3.0 * shortest && !pair.seen().has_passes();
    unlike.then(|| LongPairs::least(&mixture, gpu.info())).flatten()
}

/// Lends the specification of a state's simulation, as a run would make it; long pairs have lists of their own.
pub fn with_spec<R>(
    session: &Session,
    gpu: &Gpu,
    precision: Precision,
    f: impl FnOnce(&SimulationSpec<'_>) -> R,
) -> R {
    let skin = session.neighbor.skin;
    let long = long_pairs(session, gpu);
    let longest = resolved(session).cutoffs().into_iter().fold(0.0, f64::max) + skin;
    let domain = session.system.domain.clone().unwrap();
    let thin =
        grid::is_sparse(&domain, session.system.dimension, longest, true, &session.system.host_atoms.x);
    let ready = Ready::new(session, gpu.clone(), precision, domain, skin, (long, thin), false).unwrap();
    ready.with_spec(session, |spec| Ok(f(spec))).unwrap()
}

/// Device, numerics and shape for a state.
pub fn context(session: &Session, gpu: &Gpu, precision: Precision, shape: Option<LaunchConfig>) -> Context {
    let mut context = with_spec(session, gpu, precision, |spec| {
        spec.context(gpu, precision, session.system.domain.as_ref().unwrap(), session.system.host_atoms.len())
    });
    if let Some(shape) = shape {
        // A box too small for large blocks stays so.
        context.shape = LaunchConfig { block_edge: shape.block_edge.min(block_edge(session, gpu)), ..shape };
    }
    context
}

fn block_edge(session: &Session, gpu: &Gpu) -> usize {
    let domain = session.system.domain.as_ref().unwrap();
    let reach = with_spec(session, gpu, Precision::Mixed, |spec| {
        spec.reach(gpu.info().shaped_as(), domain, session.system.host_atoms.len())
    });
    grid::block_edge(domain, session.system.dimension, reach.longest, reach.cell)
}

/// The system on a device, with its first list and forces. What steps take is compiled when a test makes some, or with
/// CLAMPS_TESTS=full at once.
pub fn simulation(
    session: &Session,
    gpu: &Gpu,
    precision: Precision,
    shape: Option<LaunchConfig>,
) -> Simulation {
    simulation_at(!crate::common::full(), session, gpu, precision, shape)
}

/// The same with other fixes than the session's.
pub fn simulation_of(session: &Session, gpu: &Gpu, precision: Precision, fixes: &[FixProgram]) -> Simulation {
    let atoms =
        DeviceAtoms::new(&context(session, gpu, precision, None), &session.system.host_atoms).unwrap();
    with_spec(session, gpu, precision, |spec| {
        let spec = SimulationSpec { fixes, at_rest: true, ..*spec };
        Simulation::new(&spec, atoms, session.system.domain.clone().unwrap()).unwrap()
    })
}

/// The same, at rest, or with all compiled and launched once, as runs have it.
pub fn simulation_at(
    at_rest: bool,
    session: &Session,
    gpu: &Gpu,
    precision: Precision,
    shape: Option<LaunchConfig>,
) -> Simulation {
    let atoms =
        DeviceAtoms::new(&context(session, gpu, precision, shape), &session.system.host_atoms).unwrap();
    with_spec(session, gpu, precision, |spec| {
        let spec = SimulationSpec { at_rest, ..*spec };
        Simulation::new(&spec, atoms, session.system.domain.clone().unwrap()).unwrap()
    })
}

/// From the forces of a step to the positions of the next, in the fewest launches.
pub fn fused_step(
    step_kernels: &StepKernels,
    atoms: &mut DeviceAtoms,
    neighbor: &engine::neighbor::Neighbor,
) {
    let done = match () {
        () if step_kernels.pre_force_sums() > 0 => step_kernels.step_unfused(atoms, neighbor),
        () if step_kernels.feeds_back() => step_kernels.step_coupled(atoms, neighbor),
        () => step_kernels.fused_step(atoms, neighbor),
    };
    done.unwrap();
}

/// So many of these, in one launch where one makes several.
pub fn fused_steps(
    step_kernels: &StepKernels,
    atoms: &mut DeviceAtoms,
    neighbor: &engine::neighbor::Neighbor,
    steps: u32,
) {
    match steps > 1 && step_kernels.makes_multi_step() {
        true => step_kernels.fused_steps(atoms, neighbor, steps, None).unwrap(),
        false => (0..steps).for_each(|_| fused_step(step_kernels, atoms, neighbor)),
    }
}

/// That many steps; the last one has tallies.
pub fn advance(simulation: &mut Simulation, steps: u32) {
    let mut done = 0;
    while done < steps {
        done += simulation.advance(steps - done, Ending::WITH_TALLIES).unwrap();
        simulation.finish_step().unwrap();
        if simulation.step_kernels.feeds_back() {
            simulation.end_feedback().unwrap();
        }
    }
}

/// The atoms as the device has them, in its order.
pub fn download(simulation: &Simulation) -> Atoms {
    simulation.atoms.download(&Atoms::default()).unwrap()
}

/// Brute-force lists of what the device has; `stretch` scales the list cutoffs.
pub fn host_lists(session: &Session, simulation: &Simulation, stretch: f64) -> Vec<Vec<Neighbor>> {
    host_lists_around(session, simulation, &download(simulation).x, stretch)
}

/// The same, where the atoms were at x.
pub fn host_lists_around(
    session: &Session,
    simulation: &Simulation,
    x: &[[f64; 3]],
    stretch: f64,
) -> Vec<Vec<Neighbor>> {
    let reach: Vec<f64> =
        resolved(session).cutoffs().iter().map(|cutoff| (cutoff + session.neighbor.skin) * stretch).collect();
    let kind = download(simulation).kind;
    reference::list::neighbors(
        &simulation.domain,
        session.system.dimension,
        session.system.mass.len(),
        &reach,
        x,
        &kind,
    )
}

/// Forces in f64 at the positions that the device has, in its order.
pub fn host_forces(session: &Session, simulation: &Simulation) -> Forces {
    let lists = host_lists(session, simulation, 1.0);
    let Atoms { x, tag, kind, .. } = download(simulation);
    let charges: BTreeMap<u32, f64> = session.charges().into_iter().collect();
    let charge: Vec<f64> = tag.iter().map(|tag| charges[tag]).collect();
    let mut forces = reference::pair::forces(&resolved(session), &kind, &charge, &lists);
    let (domain, dimension) = (&simulation.domain, session.system.dimension);
    let place = Place { domain, dimension, x: &x, tag: &tag, kind: &kind, charge: &charge };
    reference::molecule::add(
        &mut forces,
        &clamps::session::bonded::molecules(session).unwrap(),
        &resolved(session),
        place,
    );
    forces
}

/// By how much the trace of the virial of all pairs changes with the logarithm of all lengths, and the virial itself: also where
/// pairs that push and pairs that pull cancel in the virial, this is as large as its parts.
pub fn stiffness(session: &Session, simulation: &Simulation) -> f64 {
    let Atoms { tag, kind, .. } = download(simulation);
    let charges: BTreeMap<u32, f64> = session.charges().into_iter().collect();
    let charge: Vec<f64> = tag.iter().map(|tag| charges[tag]).collect();
    let lists = host_lists(session, simulation, 1.0); // with the skin, so that none is missing
    let trace = |by: f64| {
        let mut lists = lists.clone();
        for neighbor in lists.iter_mut().flatten() {
            neighbor.separation = neighbor.separation.map(|x| x * by);
            neighbor.rsq *= by * by;
        }
        let virial = reference::pair::forces(&resolved(session), &kind, &charge, &lists).virial;
        virial[0] + virial[1] + virial[2]
    };
    let step = 1e-5;
    let [less, more] = [1.0 - step, 1.0 + step].map(trace);
    (more - less).abs() / (2.0 * step) + (more + less).abs() / 2.0
}

/// Root mean square of the differences, relative to that of `expected`.
pub fn rms_error(found: &[[f64; 3]], expected: &[[f64; 3]]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let square = |v: &mut dyn Iterator<Item = f64>| v.map(|x| x * x).sum::<f64>();
    let differences = found.iter().flatten().zip(expected.iter().flatten()).map(|(a, b)| a - b);
    (square(&mut { differences }) / square(&mut expected.iter().flatten().copied())).sqrt()
}

/// What a GPU with these arithmetic units would get, on any device.
pub fn gpu_shape(gpu: &Gpu, precision: Precision, atoms: usize) -> LaunchConfig {
    let limit = gpu.info().max_work_group.min(64);
    let info = DeviceInfo { kind: DeviceKind::Gpu, simd: 32, max_work_group: limit, ..gpu.info().clone() };
    LaunchConfig { exchange: Exchange::of(gpu.info(), 32), ..LaunchConfig::new(&info, precision, atoms) }
}

/// What a CPU would get, on any device.
pub fn cpu_shape(gpu: &Gpu, precision: Precision) -> LaunchConfig {
    LaunchConfig::new(&DeviceInfo { kind: DeviceKind::Cpu, simd: 1, ..gpu.info().clone() }, precision, 1000)
}

/// What a GPU would get for few atoms, but with atoms sorted by radix and lists of one work-item each.
fn radix_shape(gpu: &Gpu, precision: Precision) -> LaunchConfig {
    LaunchConfig { counting: false, sort_items: 3, lanes: 1, ..gpu_shape(gpu, precision, 1000) }
}

/// The device's own shape, those that GPUs get for few and for many atoms, a stranger one, and that of CPUs:
/// on any device, so that the ways which GPUs take are tested without one.
pub fn shapes(gpu: &Gpu, precision: Precision) -> Vec<LaunchConfig> {
    let own = LaunchConfig::new(gpu.info(), precision, 1000);
    let few = gpu_shape(gpu, precision, 1000);
    let many = LaunchConfig {
        scan_local: 16,
        scan_items: 1,
        tile_atoms: 100,
        lanes: 2,
        ..gpu_shape(gpu, precision, 10_000_000)
    };
    let odd = LaunchConfig { vector: 2, lanes: 2, list_width: 8, pair_local: 16, tile_atoms: 90, ..few };
    let radix = radix_shape(gpu, precision);
    let mut cpu = cpu_shape(gpu, precision);
    if precision == Precision::Double && cpu == own {
        cpu.clusters = !cpu.clusters; // which of both a runtime gets depends on it
    }
    let mut shapes = vec![own];
    shapes.extend([few, many, odd, radix, cpu].into_iter().filter(|&shape| shape != own));
    shapes
}

/// Each of [`shapes`] in one precision: the one that sorts by radix in single, the device's own in double and mixed, the others, also that
/// of GPUs with few atoms, in mixed precision. With CLAMPS_TESTS=full all in mixed, and so many of the first ones in the other precisions,
/// in single that by radix too.
pub fn some_shapes(gpu: &Gpu, precision: Precision, others: usize, full: bool) -> Vec<LaunchConfig> {
    let mut shapes = shapes(gpu, precision);
    let radix = radix_shape(gpu, precision);
    match precision {
        Precision::Mixed if full => {}
        Precision::Mixed => shapes.retain(|&shape| shape != radix),
        Precision::Single => {
            shapes.truncate(if full { others } else { 0 });
            shapes.push(radix);
        }
        Precision::Double => shapes.truncate(if full { others } else { 1 }),
    }
    shapes
}

/// The second of [`shapes`]: another way than the device's own.
pub fn other_shape(gpu: &Gpu, precision: Precision) -> LaunchConfig {
    shapes(gpu, precision)[1]
}
