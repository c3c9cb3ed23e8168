//! Values per atom by recipes, and what the device makes of them (cl/analysis/per_atom.cl), against their twins.

use crate::common::{all_test_devices, by_turns, label, test_devices};
use crate::systems::{download, empty, melt, precisions, run, scatter, simulation, simulation_of};
use clamps::base::random::ParkMiller;
use clamps::engine::analysis::per_atom::{Given, Moments};
use clamps::engine::device_atoms::Floats;
use clamps::engine::simulation::Simulation;
use clamps::engine::step::fix_program::FixProgram;
use clamps::gpu::Gpu;
use clamps::gpu::options::Precision;
use clamps::model::atoms::Atoms;
use clamps::script::atom_expr::{AtomExpr, AtomProperty, OPERATIONS, Operation};
use clamps::script::formula::Reference;
use clamps::session::Session;
use clamps::session::snapshot::view::Snapshot;

const MASS: [f64; 2] = [1.5, 4.0];

fn given(simulation: &Simulation) -> Given<'_> {
    Given {
        atoms: &simulation.atoms,
        masses: simulation.reductions.masses(),
        tally: Some(&simulation.step_kernels.tally),
    }
}

/// Atoms with groups, images and velocities of all kinds.
fn scattered(gpu: &Gpu, precision: Precision, leaning: bool) -> Simulation {
    simulation(&scattered_atoms(leaning), gpu, precision, None)
}

fn scattered_atoms(leaning: bool) -> Session {
    let mut session = empty([8.0, 9.0, 10.0], "p p f", 2);
    if leaning {
        session.system.domain =
            Some(session.system.domain.take().unwrap().with_tilt([1.5, -0.5, 0.75]).unwrap());
    }
    session.system.mass = MASS.map(Some).to_vec();
    run(&mut session, &["pair_style lj/cut 1.0", "pair_coeff * * 0.1 0.5"]);
    scatter(&mut session, 300, 17);
    let mut random = ParkMiller::new(31);
    for i in 0..session.system.host_atoms.len() {
        session.system.host_atoms.v[i] = std::array::from_fn(|_| random.gaussian());
        let image = std::array::from_fn::<_, 3, _>(|_| (2.0 * random.gaussian()) as i32);
        session.system.host_atoms.image[i] = [image[0], image[1], 0];
        session.system.host_atoms.mask[i] = if i % 3 == 0 { 5 } else { 1 };
    }
    session
}

/// A property of an atom as it came to the host.
fn property(own: AtomProperty, i: usize, atoms: &Atoms, forces: &[[f64; 3]], tallies: &[[f64; 8]]) -> f64 {
    match own {
        AtomProperty::X(d) => atoms.x[i][d],
        AtomProperty::V(d) => atoms.v[i][d],
        AtomProperty::F(d) => forces[i][d],
        AtomProperty::Image(d) => atoms.image[i][d].into(),
        AtomProperty::Id => atoms.tag[i].into(),
        AtomProperty::Type => atoms.kind[i].into(),
        AtomProperty::Mass => MASS[atoms.kind[i] as usize - 1],
        AtomProperty::Tally(slot) => tallies[i][slot],
    }
}

/// All operations on numbers for which they are defined, all properties, groups, boxes and cells.
fn recipes(simulation: &Simulation) -> Vec<AtomExpr> {
    let [x, y, z] = AtomExpr::vector(AtomProperty::V);
    // Some whole numbers, so that some are alike; those of functions that have a range are within it.
    let whole = |recipe: &AtomExpr| (recipe.clone() * 2.0).truncate();
    let operation = |operation: &'static Operation| {
        let arguments = match operation.token {
            "asin" | "acos" => vec![x.clone() / (x.clone().square() + 1.0)],
            "sqrt" | "ln" | "log" => vec![x.clone().square() + 0.1],
            "^" => vec![x.clone().square() + 0.1, y.clone()],
            "/" | "%" => vec![x.clone() * 7.0, y.clone().square() + 0.1],
            "round" | "TRUNCATE" | "ceil" | "floor" => vec![x.clone() * 3.0],
            "sin" | "cos" | "tan" | "exp" | "SQUARE" => vec![x.clone()],
            _ => vec![whole(&x), whole(&y), z.clone()],
        };
        AtomExpr::apply(operation, arguments.into_iter().take(operation.arguments))
    };
    let properties = (0..3)
        .flat_map(|d| [AtomProperty::X(d), AtomProperty::V(d), AtomProperty::F(d), AtomProperty::Image(d)]);
    let properties = properties
        .chain([AtomProperty::Id, AtomProperty::Type, AtomProperty::Mass])
        .chain((0..8).map(AtomProperty::Tally));
    let groups = [1, 4, 8].map(|group| (z.clone() + 3.0).within(group));
    let domain = &simulation.domain;
    let places = [domain.straight_recipes(), domain.fraction_recipes(), domain.unwrapped_recipes()];
    let twice = z.clone().then(1, |z| (z.clone() + 1.0).then(0, |more| more * z));
    let table = whole(&y).of_table(vec![-1.5, 2.5, 4.0]);
    let many: Vec<AtomExpr> = OPERATIONS.iter().map(operation).chain(properties.map(AtomExpr::own)).collect();
    many.into_iter().chain(groups).chain(places.into_iter().flatten()).chain([twice, table]).collect()
}

#[test]
fn columns_are_those_of_the_twin() {
    in_third!(3);
    apart!();
    for gpu in all_test_devices() {
        for (k, precision) in precisions(&gpu).iter().copied().enumerate() {
            let simulation = scattered(&gpu, precision, k == 1);
            let place = format!("{precision:?} on {}", label(gpu.info()));
            let recipes = recipes(&simulation);
            let worked = simulation.columns.work_out(&recipes, given(&simulation)).unwrap();
            let Some(worked) = worked else {
                assert_eq!(precision, Precision::Single, "{place}");
                continue;
            };
            let (atoms, forces) = (download(&simulation), simulation.atoms.forces().unwrap());
            let tallies = simulation
                .step_kernels
                .tally
                .rows::<8>(clamps::gpu::record::Section::Output, atoms.len())
                .unwrap();
            let value = |recipe: &AtomExpr, i: usize| {
                recipe.value(|own| property(own, i, &atoms, &forces, &tallies), atoms.mask[i])
            };
            let summaries: Vec<_> =
                [1, 4, 8].map(|group| (group, worked.moments(group).unwrap().unwrap())).into();
            for (column, recipe) in recipes.iter().enumerate() {
                let found = worked.read(column).unwrap().unwrap();
                for (i, &found) in found.iter().enumerate() {
                    let expected = value(recipe, i);
                    let off = (found - expected).abs();
                    let near =
                        off <= 4e-15 * expected.abs().max(1e-3) || (found.is_nan() && expected.is_nan());
                    assert!(near, "{place}: {found} for {expected} by {recipe:?}");
                }
                for (group, summaries) in &summaries {
                    let members = (0..atoms.len()).filter(|&i| atoms.mask[i] & group != 0);
                    let (found, expected) = (summaries[column], Moments::of(members.map(|i| found[i])));
                    assert_eq!(found.count, expected.count, "{place}");
                    assert_eq!(found.extremes, expected.extremes, "{place}: {recipe:?}");
                    assert_eq!(found.extreme_sizes, expected.extreme_sizes, "{place}: {recipe:?}");
                    for (found, expected, size) in [
                        (found.sum, expected.sum, expected.sizes),
                        (found.squares, expected.squares, expected.squares),
                        (found.sizes, expected.sizes, expected.sizes),
                    ] {
                        let near = (found - expected).abs() <= 1e-13 * size;
                        assert!(near, "{place}: {found} for {expected} by {recipe:?}");
                    }
                }
            }
        }
    }
}

/// Each atom is of one of many groups, whose forces are set by three recipes each.
#[test]
fn formulas_of_fixes_are_those_of_the_twin() {
    apart!();
    let mut session = scattered_atoms(false);
    run(&mut session, &["fix s all setforce 0 0 0"]);
    let (hooks, parameters) = (session.fixes.last().unwrap().hooks().unwrap(), [0.0; 7]);
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied().filter(|&one| one != Precision::Single) {
            let code = |recipes: &[AtomExpr; 3]| {
                let mut numbers = parameters.to_vec();
                AtomExpr::code(recipes, true, &MASS, &mut numbers).map(|given| (given, numbers))
            };
            let thrice = |recipe: &AtomExpr| std::array::from_fn(|_| recipe.clone());
            let all = recipes(&simulation(&session, &gpu, precision, None));
            let (known, others): (Vec<_>, Vec<_>) =
                all.into_iter().partition(|recipe| code(&thrice(recipe)).is_some());
            assert_eq!(others.len(), 9, "tallies and tables: {others:?}");
            let sets: Vec<[AtomExpr; 3]> = known
                .chunks(3)
                .map(|set| std::array::from_fn(|d| set[d.min(set.len() - 1)].clone()))
                .collect();
            assert!(sets.len() < 31, "a group for each");
            for (i, mask) in session.system.host_atoms.mask.iter_mut().enumerate() {
                *mask = 1 | 2 << (i % sets.len());
            }
            let programs: Vec<FixProgram> = sets
                .iter()
                .enumerate()
                .map(|(k, set)| {
                    let (given, numbers) = code(set).unwrap();
                    FixProgram { given, ..FixProgram::new(hooks, 2 << k, numbers) }
                })
                .collect();
            let before = simulation(&session, &gpu, precision, None).atoms.forces().unwrap();
            let mut simulation = simulation_of(&session, &gpu, precision, &programs);
            simulation.first_forces().unwrap();
            let (atoms, forces) = (download(&simulation), simulation.atoms.forces().unwrap());
            let by_tag = |tag: u32| session.system.host_atoms.tag.iter().position(|&one| one == tag).unwrap();
            let near = if precision == Precision::Double { 1e-13 } else { 2e-6 };
            for (i, force) in forces.iter().enumerate() {
                let place = format!("{precision:?} on {}", label(gpu.info()));
                let set = &sets[by_tag(atoms.tag[i]) % sets.len()];
                for (recipe, found) in set.iter().zip(force) {
                    let expected = recipe.value(|own| property(own, i, &atoms, &before, &[]), atoms.mask[i]);
                    let off = (found - expected).abs();
                    assert!(
                        off <= near * expected.abs().max(1.0),
                        "{place}: {found} for {expected} by {recipe:?}"
                    );
                }
            }
        }
    }
}

/// Where LAMMPS would stop, a formula gives no number.
#[test]
fn formulas_of_fixes_tell_what_they_do_not_have() {
    let x = AtomExpr::own(AtomProperty::X(0));
    let zero = || AtomExpr::number(0.0);
    for (recipe, fault) in [
        (x.clone() / zero(), "t1 == 0"),
        ((x.clone() - 1e9).sqrt(), "t2 < 0"),
        (AtomExpr::apply(Operation::named("ln").unwrap(), [x.clone() - 1e9]), "t2 <= 0"),
        (AtomExpr::apply(Operation::named("acos").unwrap(), [x.clone()]), "fabs(t0) > 1"),
    ] {
        let code = AtomExpr::code(&[recipe, zero(), zero()], true, &MASS, &mut Vec::new()).unwrap();
        assert!(code.contains(&format!("if ({fault})")), "{code}");
    }
}

/// Of the atoms for which a column is not 0.
#[test]
fn summaries_of_chosen_atoms() {
    apart!("cheap");
    for gpu in test_devices() {
        let simulation = scattered(&gpu, Precision::Mixed, false);
        let recipes =
            [AtomExpr::own(AtomProperty::Id), AtomExpr::own(AtomProperty::Id).less(AtomExpr::number(100.0))];
        let worked = simulation.columns.work_out(&recipes, given(&simulation)).unwrap().unwrap();
        let mask = download(&simulation);
        for group in [1, 4, 8] {
            let found = worked.moments_where(group, Some(1)).unwrap().unwrap()[0];
            let members = (0..mask.len()).filter(|&i| mask.mask[i] & group != 0 && mask.tag[i] < 100);
            let expected = Moments::of(members.map(|i| mask.tag[i].into()));
            assert_eq!(found, expected, "{group} on {}", label(gpu.info()));
        }
    }
}

#[test]
fn velocities_and_what_fixes_remember_are_columns() {
    apart!("cheap");
    for gpu in test_devices() {
        let simulation = scattered(&gpu, Precision::Double, false);
        let before = download(&simulation);
        let [x, y, z] = AtomExpr::vector(AtomProperty::V);
        let recipes = [y.clone() * 2.0, x - 1.0, z + AtomExpr::own(AtomProperty::Id)];
        let worked = simulation.columns.work_out(&recipes, given(&simulation)).unwrap().unwrap();
        let section = clamps::gpu::record::Section::Output;
        let memory = Floats::new(&gpu, "memory", 3 + 3 * 300, true).unwrap();
        worked.remember(&memory, 3).unwrap();
        let sums = gpu.buffer::<f64>("sums", 3 * 300).unwrap();
        sums.clear(section, 0..3 * 300).unwrap();
        worked.add_by_id(1, &sums).unwrap();
        worked.add_by_id(4, &sums).unwrap();
        let sums = sums.read(section, 0..3 * 300).unwrap();
        worked.move_atoms().unwrap();
        let (after, memory) = (download(&simulation), memory.read(section, 3 + 3 * 300).unwrap());
        for (i, &[x, y, z]) in before.v.iter().enumerate() {
            let expected = [2.0 * y, x - 1.0, z + f64::from(before.tag[i])];
            assert_eq!(after.v[i], expected, "on {}", label(gpu.info()));
            assert_eq!(memory[3 * before.tag[i] as usize..][..3], expected);
            let times = if before.mask[i] & 4 != 0 { 2.0 } else { 1.0 };
            assert_eq!(sums[3 * (before.tag[i] as usize - 1)..][..3], expected.map(|x| times * x));
        }
        assert_eq!(memory[..3], [0.0; 3]);
    }
}

/// Few bins, which have room in local memory, and many.
#[test]
fn sums_by_bins_are_those_of_their_atoms() {
    in_third!(3);
    apart!();
    for gpu in test_devices() {
        let simulation = scattered(&gpu, Precision::Mixed, false);
        let atoms = download(&simulation);
        for bins in [1, 7, 5000] {
            let place = format!("{bins} bins on {}", label(gpu.info()));
            let [x, y, z] = AtomExpr::vector(AtomProperty::X);
            // Those behind the last one are in none.
            let bin = (x / 8.0 * (1.1 * f64::from(bins))).truncate() + 1.0;
            let bin = bin.then(0, |bin| {
                (bin.clone() - 0.5).less(AtomExpr::number(bins.into())).choose(bin, AtomExpr::number(0.0))
            });
            // Of very different sizes, in the same bins and in others.
            let large = (AtomExpr::own(AtomProperty::Id) - 7.5).less(AtomExpr::number(0.0));
            let many = large.choose(AtomExpr::number(1e15), y.clone());
            let values = [y - 4.0, z.square() * 1e-30, AtomExpr::number(0.0), many];
            let recipes: Vec<AtomExpr> = std::iter::once(bin).chain(values).collect();
            for group in [1, 4, 8] {
                let sums = || {
                    let worked = simulation.columns.work_out(&recipes, given(&simulation)).unwrap().unwrap();
                    let summaries = worked.moments(group).unwrap().unwrap();
                    worked.by_bin(group, bins as usize, &summaries).unwrap().unwrap()
                };
                let found = sums();
                assert_eq!(found, sums(), "{place}: once more");
                let mut expected = vec![[0.0; 5]; bins as usize];
                for i in (0..atoms.len()).filter(|&i| atoms.mask[i] & group != 0) {
                    let value = |recipe: &AtomExpr| recipe.value(|own| property(own, i, &atoms, &[], &[]), 0);
                    let row = [1.0, value(&recipes[1]), value(&recipes[2]), 0.0, value(&recipes[4])];
                    if let Some(sums) = (value(&recipes[0]) as usize).checked_sub(1).map(|k| &mut expected[k])
                    {
                        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
                    }
                }
                for (found, expected) in found.iter().zip(expected) {
                    assert_eq!(found[0], expected[0], "{place}");
                    for (k, size) in [(1, 5.0), (2, 1e-28), (3, 0.0)] {
                        let near = (found[k] - expected[k]).abs() <= 1e-13 * size * expected[0];
                        assert!(near, "{place}: {found:?} for {expected:?}");
                    }
                    let near = (found[4] - expected[4]).abs() <= 1e-14 * expected[4];
                    assert!(near, "{place}: {found:?} for {expected:?}");
                }
                let inside: f64 = found.iter().map(|row| row[0]).sum();
                assert!(group == 8 || inside > 50.0 && inside < 300.0, "{place}: {inside}");
            }
        }
    }
}

#[test]
fn what_is_not_finite_is_the_hosts() {
    apart!("cheap");
    for gpu in test_devices() {
        let simulation = scattered(&gpu, Precision::Mixed, false);
        for (recipe, fine) in [
            (AtomExpr::own(AtomProperty::Id) / AtomExpr::number(0.0), false),
            (AtomExpr::number(1.0) / (AtomExpr::own(AtomProperty::Id) - 200.0), false),
            (AtomExpr::number(1.0) / (AtomExpr::own(AtomProperty::Id) - 400.0), true),
        ] {
            let worked = simulation.columns.work_out(&[recipe], given(&simulation)).unwrap().unwrap();
            assert_eq!(worked.moments(1).unwrap().is_some(), fine, "on {}", label(gpu.info()));
            assert_eq!(worked.read(0).unwrap().is_some(), fine);
        }
        // More numbers than the kernel has room for.
        let deep = (0..20).fold(AtomExpr::own(AtomProperty::Id), |deep, k| AtomExpr::number(k.into()) + deep);
        assert!(simulation.columns.work_out(&[deep], given(&simulation)).unwrap().is_none());
    }
}

/// As in LAMMPS, whichever way values are made.
#[test]
fn formulas_are_for_the_atoms_of_the_group() {
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in by_turns(1, precisions(&gpu)) {
            let mut session = melt(4, 0.15);
            let commands = [
                "pair_style lj/cut 2.1",
                "pair_coeff * * 0.9 1.0",
                "group rest id 2:1000",
                "variable d atom 1/(id-1)",
                "compute r rest reduce sum v_d",
                "compute h rest reduce sum v_d x",
                "compute a all reduce sum v_d",
            ];
            run(&mut session, &commands);
            let count = session.system.host_atoms.len();
            let simulation = simulation(&session, &gpu, precision, None);
            let system = Snapshot::new(&session, Some(&simulation));
            let expected: f64 = (1..count).map(|k| 1.0 / k as f64).sum();
            let place = format!("{precision:?} on {}", label(gpu.info()));
            let found = system.evaluate("r").unwrap().scalar.unwrap();
            assert!((found - expected).abs() < 1e-12, "{place}: {found} for {expected}");
            let found = system.evaluate("h").unwrap().vector[0];
            assert!((found - expected).abs() < 1e-12, "{place}: {found} for {expected}");
            let error = system.evaluate("a").expect_err("1 / 0");
            assert!(error.message.contains("division by zero"), "{place}: {}", error.message);
        }
    }
}

/// All shapes of regions, and temperatures with a bias: what of a velocity is thermal.
#[test]
fn regions_and_temperatures_are_the_hosts() {
    apart!("cheap");
    for gpu in test_devices() {
        let mut session = melt(4, 0.15);
        let regions = [
            "block 1 4 EDGE 3 2 INF",
            "sphere 3 3 3 2.5 side out",
            "cylinder y 3 2 1.7 0.5 5",
            "cone z 3 3 2.5 0.5 1 5",
            "ellipsoid 3 3 2.5 3 2 1.5",
            "prism 1 4 1 4 1 5 1.0 0.5 -0.5",
            "plane 3 3 3 1 -0.5 0.25",
            "union 2 r0 r1",
            "intersect 2 r1 r6 side out",
            "sphere 3 3 3 v_two move v_two NULL v_two",
        ];
        let words = [
            "pair_style lj/cut 2.1",
            "pair_coeff * * 0.9 1.0",
            "variable two equal 1.5",
            "group some id 1:200",
        ];
        run(&mut session, &words);
        for (k, region) in regions.iter().enumerate() {
            let units =
                if region.starts_with("union") || region.starts_with("inter") { "" } else { "units box" };
            run(
                &mut session,
                &[&format!("region r{k} {region} {units}"), &format!("variable r{k} atom rmask(r{k})")],
            );
        }
        for (k, temperature) in [
            "temp",
            "temp/partial 1 0 1",
            "temp/ramp vx 0 2 y 1 4 units box",
            "temp/region r1",
            "temp/com",
            "temp/deform",
            "temp/profile 1 0 1 xz 3 2",
        ]
        .iter()
        .enumerate()
        {
            run(&mut session, &[&format!("compute t{k} some {temperature}")]);
        }
        let mut random = ParkMiller::new(41);
        session.system.host_atoms.v.iter_mut().for_each(|v| *v = std::array::from_fn(|_| random.gaussian()));
        let simulation = simulation(&session, &gpu, Precision::Mixed, None);
        let system = Snapshot::new(&session, Some(&simulation));
        let column =
            |recipe: AtomExpr| system.work_out(&[recipe]).unwrap().unwrap().read(0).unwrap().unwrap();
        for (k, region) in regions.iter().enumerate() {
            let reference = Reference::parse(&format!("v_r{k}")).unwrap();
            let found = column(system.recipe(&reference).unwrap());
            assert_eq!(found, system.per_atom(&reference).unwrap(), "{region} on {}", label(gpu.info()));
            let inside: f64 = found.iter().sum();
            assert!(inside > 3.0 && inside < found.len() as f64 - 3.0, "{region}: {inside}");
        }
        for k in 0..7 {
            let compute = session.computes.get(&format!("t{k}")).unwrap();
            let temperature = compute.temperature().unwrap();
            let place = format!("{} on {}", compute.header().style, label(gpu.info()));
            let found = temperature.bias_recipes(&system).unwrap().unwrap().map(column);
            let expected = temperature.bias(&system).unwrap().unwrap_or(vec![[0.0; 3]; found[0].len()]);
            let (mut tensor, mut seen) = ([0.0; 6], 0.0);
            let atoms = system.atoms().unwrap();
            for i in 0..expected.len() {
                for d in 0..3 {
                    let (found, expected) = (found[d][i], expected[i][d]);
                    assert!((found - expected).abs() < 1e-12, "{place}: {found} for {expected}");
                    seen += expected.abs();
                }
                if atoms.tag[i] <= 200 {
                    let [x, y, z]: [f64; 3] = std::array::from_fn(|d| atoms.v[i][d] - expected[i][d]);
                    let products = [x * x, y * y, z * z, x * y, x * z, y * z];
                    tensor.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
                }
            }
            assert_eq!(seen > 0.0, k != 0 && k != 5, "{place}");
            let thermal = temperature.thermal(&system).unwrap().tensor;
            for (found, expected) in thermal.into_iter().zip(tensor) {
                assert!((found - expected).abs() < 1e-10, "{place}: {thermal:?} for {tensor:?}");
            }
        }
    }
}

/// What scripts ask for, by the device as by the host.
#[test]
fn computes_and_formulas_are_the_hosts() {
    apart!("cheap");
    for gpu in test_devices() {
        let mut session = melt(4, 0.15);
        let commands = [
            "pair_style lj/cut 2.1",
            "pair_coeff * * 0.9 1.0",
            "group some id 1:100",
            "variable two equal 2",
            "variable part atom (x>v_two)*gmask(some)+abs(vx)^2*exp(-y)-ternary(id<30,ln(3+z),fx)",
            "variable whole atom v_part*v_two+x+c_e+c_p[2]+c_p[3]*c_p[4]",
            "compute e some ke/atom",
            "compute p all property/atom id mass xs yu",
            "compute s some stress/atom NULL",
            "compute u all pe/atom",
            "variable sum atom c_s[2]*c_u-v_whole",
        ];
        run(&mut session, &commands);
        let simulation = simulation(&session, &gpu, Precision::Mixed, None);
        let system = Snapshot::new(&session, Some(&simulation));
        for text in
            ["c_e", "c_p[1]", "c_p[2]", "c_s[1]", "c_s[4]", "c_s[6]", "c_u", "v_part", "v_whole", "v_sum"]
        {
            let place = format!("{text} on {}", label(gpu.info()));
            let reference = Reference::parse(text).unwrap();
            let recipe = system.recipe(&reference).unwrap_or_else(|| panic!("{place}: a recipe"));
            let found = system.work_out(&[recipe]).unwrap().unwrap().read(0).unwrap().unwrap();
            let expected = system.per_atom(&reference).unwrap();
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.into_iter().zip(expected) {
                assert!(
                    (found - expected).abs() <= 1e-14 * expected.abs().max(1.0),
                    "{place}: {found} for {expected}"
                );
            }
        }
    }
}
