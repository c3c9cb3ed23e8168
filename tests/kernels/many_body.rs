//! Forces of many bodies against the f64 twin and against finite differences, in every layout of lists.

use crate::common::{all_test_devices, by_turns, full, label, test_devices, test_devices_in};
use crate::forces::{Errors, check};
use crate::slopes::check_slope;
use crate::systems::{context, empty, precisions, resolved, run, shapes, with_spec};
use clamps::base::random::ParkMiller;
use clamps::engine::device_atoms::DeviceAtoms;
use clamps::engine::kernels::{LaunchConfig, Lists};
use clamps::engine::simulation::{Simulation, SimulationSpec};
use clamps::gpu::options::Precision;
use clamps::gpu::{DeviceKind, Gpu};
use clamps::model::atoms::Atoms;
use clamps::model::units::METAL;
use clamps::potentials::pair::registry::MANY_BODY_STYLES;
use clamps::potentials::pair::{Resolved, SavedPair};
use clamps::reference;
use clamps::session::Session;

/// Words behind `pair_style`, and lines for two types of atoms.
fn example(style: &str) -> (String, Vec<&'static str>) {
    let lines = match style {
        "eam by parabolas" => return ("eam".to_owned(), vec![metal_by_parabolas("* *", 8.0)]),
        "eam by parabolas of two elements" => {
            return ("eam".to_owned(), vec![metal_by_parabolas("1 1", 8.0), metal_by_parabolas("2 2", 5.0)]);
        }
        "adp" => vec!["pair_coeff * * tests/lammps/adp.part Aa Bb"],
        "eam" => vec!["pair_coeff 1 1 tests/lammps/eam_aa.part", "pair_coeff 2 2 tests/lammps/eam_bb.part"],
        "eam/alloy" => vec!["pair_coeff * * tests/lammps/eam_alloy.part Aa Bb"],
        "eam/fs" => vec!["pair_coeff * * tests/lammps/eam_fs.part Aa Bb"],
        "eam/he" => vec!["pair_coeff * * tests/lammps/eam_he.part Aa Bb"],
        "edip" => vec!["pair_coeff * * tests/lammps/edip.part Aa Aa"],
        "edip/multi" => vec!["pair_coeff * * tests/lammps/edip.part Aa Bb"],
        "meam" => vec!["pair_coeff * * tests/lammps/meam_library.part Aa Bb tests/lammps/meam.part Aa Bb"],
        "meam/c" => {
            vec!["pair_coeff * * tests/lammps/meam_library.part Aa Cc Dd tests/lammps/meam_mixed.part Aa Cc"]
        }
        "meam of one element" => {
            let line =
                "pair_coeff * * tests/lammps/meam_library.part Dd Aa tests/lammps/meam_negative.part Dd Dd";
            return ("meam".to_owned(), vec![line]);
        }
        "sw" => vec!["pair_coeff * * tests/lammps/sw.part Si Xx"],
        "sw/mod" => {
            return ("sw/mod maxdelcs 0.1 0.4".to_owned(), vec!["pair_coeff * * tests/lammps/sw.part Si Xx"]);
        }
        "sw/mod, nearly a step" => {
            return (
                "sw/mod maxdelcs 0.45 0.45001".to_owned(),
                vec!["pair_coeff * * tests/lammps/sw.part Si Xx"],
            );
        }
        "sw of one element" => return ("sw".to_owned(), vec!["pair_coeff * * tests/lammps/sw.part Xx Xx"]),
        "tersoff" => vec!["pair_coeff * * tests/lammps/tersoff.part Xx Si"],
        "tersoff/mod" => vec!["pair_coeff * * tests/lammps/tersoff_mod.part Xx Si"],
        "tersoff/mod/c" => vec!["pair_coeff * * tests/lammps/tersoff_mod_c.part Xx Si"],
        "tersoff/zbl" => vec!["pair_coeff * * tests/lammps/tersoff_zbl.part Si Xx"],
        "vashishta" => vec!["pair_coeff * * tests/lammps/vashishta.part Aa Bb"],
        "vashishta/table" => {
            return (
                "vashishta/table 1000 0.5".to_owned(),
                vec!["pair_coeff * * tests/lammps/vashishta.part Bb Aa"],
            );
        }
        "eam/fs scaled" => {
            return ("eam/fs".to_owned(), vec!["pair_coeff * * tests/lammps/eam_fs.part Aa Bb"]);
        }
        "edip/multi from two sides" => {
            return ("edip/multi".to_owned(), vec!["pair_coeff * * tests/lammps/edip_sides.part Aa Bb"]);
        }
        "sw without angles" => {
            return (
                "hybrid sw threebody on sw threebody off".to_owned(),
                vec![
                    "pair_coeff * * sw 1 tests/lammps/sw.part Si NULL",
                    "pair_coeff 1 2 sw 2 tests/lammps/sw.part Si Xx",
                    "pair_coeff 2 2 sw 2 tests/lammps/sw.part Si Xx",
                ],
            );
        }
        "hybrid" => {
            return (
                "hybrid sw tersoff lj/cut 3.5".to_owned(),
                vec![
                    "pair_coeff * * sw tests/lammps/sw.part NULL Si",
                    "pair_coeff * * tersoff tests/lammps/tersoff.part Xx NULL",
                    "pair_coeff 1 2 lj/cut 0.05 2.4",
                ],
            );
        }
        "hybrid/overlay" => {
            return (
                "hybrid/overlay eam/alloy lj/cut 4.0 eam/fs".to_owned(),
                vec![
                    "pair_coeff * * eam/alloy tests/lammps/eam_alloy.part Bb Aa",
                    "pair_coeff 1 2 lj/cut 0.02 2.3",
                    "pair_coeff * * eam/fs tests/lammps/eam_fs.part NULL Bb",
                ],
            );
        }
        "hybrid/scaled" => {
            return (
                "hybrid/scaled 0.7 sw -0.4 tersoff 1.5 lj/cut 3.5 0.3 eam/alloy 0.6 adp".to_owned(),
                vec![
                    "pair_coeff * * sw tests/lammps/sw.part Si Xx",
                    "pair_coeff * * tersoff tests/lammps/tersoff.part Xx Si",
                    "pair_coeff 1 2 lj/cut 0.05 2.4",
                    "pair_coeff * * eam/alloy tests/lammps/eam_alloy.part Aa Bb",
                    "pair_coeff * * adp tests/lammps/adp.part NULL Aa",
                ],
            );
        }
        "hybrid/scaled of metal and angles" => {
            return (
                "hybrid/scaled 0.5 eam/alloy 0.5 sw".to_owned(),
                vec![
                    "pair_coeff * * eam/alloy tests/lammps/eam_alloy.part Aa Bb",
                    "pair_coeff * * sw tests/lammps/sw.part Si Xx",
                ],
            );
        }
        "hybrid/scaled of one style" => {
            return (
                "hybrid/scaled 0.5 tersoff/zbl".to_owned(),
                vec!["pair_coeff * * tersoff/zbl tests/lammps/tersoff_zbl.part Si Xx"],
            );
        }
        "hybrid/overlay with dipoles" => {
            return (
                "hybrid/overlay eam/alloy adp".to_owned(),
                vec![
                    "pair_coeff * * eam/alloy tests/lammps/eam_alloy.part Aa Bb",
                    "pair_coeff * * adp tests/lammps/adp.part NULL Aa",
                ],
            );
        }
        other => panic!("pair style {other} needs a line in example()"),
    };
    (style.to_owned(), lines)
}

/// `pair_coeff TYPES` with a metal whose tables have 601 rows up to 8.4 A. Its pairs have a
/// kink at 2.45 A: up to there only the cubics are as precise as fp32. Densities are so many times those of another one.
fn metal_by_parabolas(types: &str, density_scale: f64) -> &'static str {
    let (rows, densities, most) = (601, 500, 40.0);
    let spacing = 8.4 / (rows - 1) as f64;
    let of_density = |k: usize| -0.9 * (most * k as f64 / densities as f64).sqrt();
    let r = |k: usize| k as f64 * spacing;
    let ends = |k: usize| (1.0 - r(k) / 8.4).powi(3);
    // Of charges, whose product is r phi.
    let charge = |k: usize| ends(k) * (2.2 * (-0.2 * r(k)).exp() + 0.01 * (2.45 - r(k)).max(0.0));
    let density = |k: usize| density_scale * ends(k) * (-0.6 * r(k)).exp();
    let grid = format!("{} {} {rows} {spacing:.15e} 8.4", densities + 1, most / densities as f64);
    let mut text = format!("made up\n29 63.55 3.6 fcc\n{grid}\n");
    let numbers = (0..=densities).map(of_density).chain((0..rows).map(charge)).chain((0..rows).map(density));
    text.extend(numbers.map(|x| format!("{x:.15e}\n")));
    let path = format!("{}/metal_of_density_{density_scale}.eam", env!("CARGO_TARGET_TMPDIR"));
    // As others may be reading it. Where these tests are run elsewhere that folder need not be there.
    std::fs::create_dir_all(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let aside = format!("{path}.{}", std::process::id());
    std::fs::write(&aside, text).unwrap();
    std::fs::rename(&aside, &path).unwrap();
    Box::leak(format!("pair_coeff {types} {path}").into_boxed_str())
}

/// A crystal of two types, up to `jitter` off its sites per axis; the box is `cells` long.
pub(crate) fn crystal(style: &str, cells: usize, jitter: f64) -> Session {
    let a = 3.6;
    let mut session = empty([a * cells as f64; 3], "p p p", 2);
    session.system.units = &METAL;
    session.neighbor.skin = 1.0;
    let mut random = ParkMiller::new(4711);
    for site in 0..cells.pow(3) {
        let cell = [site % cells, site / cells % cells, site / (cells * cells)];
        for basis in [[0.0; 3], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]] {
            let off = |random: &mut ParkMiller| jitter * (2.0 * random.uniform() - 1.0);
            let x = std::array::from_fn(|d| a * (cell[d] as f64 + basis[d] + 0.25) + off(&mut random));
            let tag = session.system.host_atoms.len() as u32 + 1;
            session.system.host_atoms.push(tag, 1 + u32::from(random.uniform() < 0.4), x);
        }
    }
    let (words, lines) = example(style);
    run(&mut session, &[&format!("pair_style {words}")]);
    run(&mut session, &lines);
    if style == "eam/fs scaled" {
        // As fix adapt does it.
        let pair = session.force_field.pair.as_mut().unwrap();
        let slot = pair.slot("eam/fs", "scale").unwrap();
        [[1, 1], [1, 2], [2, 2]].into_iter().for_each(|types| pair.set(slot, types, 0.7));
    }
    session
}

/// Those of which few atoms have an energy that is large beside its parts.
const IN_SHORT_BOXES: [&str; 6] = ["adp", "eam/alloy", "eam/he", "sw", "sw/mod", "hybrid/overlay"];

fn names() -> impl Iterator<Item = &'static str> {
    MANY_BODY_STYLES.iter().map(|(name, _)| *name).chain([
        "meam of one element",
        "eam by parabolas",
        "eam by parabolas of two elements",
        "eam/fs scaled",
        "edip/multi from two sides",
        "sw without angles",
        "hybrid",
        "hybrid/overlay",
        "hybrid/overlay with dipoles",
        "hybrid/scaled",
        "hybrid/scaled of one style",
    ])
}

/// Those that have all kernel files between them: in mixed precision they are built as users have them.
const AS_USERS_HAVE_THEM: [&str; 9] =
    ["adp", "eam by parabolas", "edip", "hybrid", "meam", "sw", "tersoff/mod", "tersoff/zbl", "vashishta"];

fn kernels_are_what_the_twin_says(precision: Precision, tested: fn(&str) -> bool) {
    for gpu in test_devices_in(precision) {
        for (k, name) in names().enumerate().filter(|(_, name)| tested(name)) {
            // In mixed precision the device's own layout with all styles, in single precision a third of the styles with a layout each by turns, in double the others; in a short
            // box copies of it. With CLAMPS_TESTS=full every layout with half of the styles.
            let mut shapes = shapes(&gpu, precision);
            let seen = resolved(&crystal(name, 2, 0.0)).seen();
            if seen.picked() {
                shapes = picked_shapes(&gpu, precision);
            }
            if seen.slot_sets > 0 {
                shapes.retain(|shape| !shape.tile);
            }
            // Where slots are made bond by bond, in mixed precision also a layout in which several work-items share an atom.
            let shared = shapes.iter().position(|shape| seen.by_bonds && shape.lanes > 1);
            assert!(shared.is_some() || !seen.by_bonds, "{name}");
            for (m, &shape) in shapes.iter().enumerate() {
                let turn = (k / 2 + precision as usize) % shapes.len() == m;
                let some = if full() {
                    m == 0 || m % 2 == k % 2
                } else {
                    match precision {
                        Precision::Mixed => m == 0 || Some(m) == shared,
                        Precision::Single => turn && k % 3 == 0,
                        Precision::Double => turn && k % 3 != 0,
                    }
                };
                if !some {
                    continue;
                }
                let cells = if m == 0 && IN_SHORT_BOXES.contains(&name) { 2 } else { 4 };
                let session = crystal(name, cells, 0.2);
                let place = format!("{name} {precision:?} {shape:?} on {}", label(gpu.info()));
                // By turns with virials that are shared out atom by atom; an atom's list is one work-item's then, as runs have it, and where
                // slots are not made bond by bond.
                let pair = resolved(&session).for_device(DeviceKind::Cpu, m % 2 == 0 && Some(m) != shared);
                let one_lane = Lists::of(pair.seen()) == Lists::OneLane;
                let shape = LaunchConfig { lanes: if one_lane { 1 } else { shape.lanes }, ..shape };
                let simulation =
                    simulation_with(&session, &session.system.host_atoms, &gpu, precision, shape, &pair);
                check(&session, &simulation, precision, &place);
                let on = (&gpu, precision, shape);
                match name {
                    // As its forces do not have the slope of fC.
                    _ if Some(m) == shared && m > 0 && !full() => {}
                    "sw/mod" => {
                        let session = crystal("sw/mod, nearly a step", cells, 0.2);
                        let by_atom = pair.virials_by_atom;
                        let pair = resolved(&session).for_device(DeviceKind::Cpu, by_atom);
                        check_slope(&session, &pair, on, &place);
                    }
                    _ => check_slope(&session, &pair, on, &place),
                }
                let local_rows = !pair.coefficients(false).local_rows.is_empty();
                assert_eq!(local_rows, name == "eam by parabolas", "{name}");
            }
        }
    }
}

#[test]
fn many_body_kernels_are_what_the_twin_says_in_single() {
    in_third!(3);
    apart!("cheap");
    kernels_are_what_the_twin_says(Precision::Single, |_| true);
}

#[test]
fn many_body_kernels_are_what_the_twin_says_in_mixed() {
    in_third!(1);
    apart!("cheap");
    kernels_are_what_the_twin_says(Precision::Mixed, |name| full() || !AS_USERS_HAVE_THEM.contains(&name));
}

#[test]
fn many_body_kernels_of_users_are_what_the_twin_says() {
    in_third!(2);
    apart!();
    kernels_are_what_the_twin_says(Precision::Mixed, |name| !full() && AS_USERS_HAVE_THEM.contains(&name));
}

#[test]
fn many_body_kernels_are_what_the_twin_says_in_double() {
    in_third!(2);
    apart!("cheap");
    kernels_are_what_the_twin_says(Precision::Double, |_| true);
}

/// The first forces of atoms in a session's box, with a style as it is computed somewhere.
pub(crate) fn simulation_with(
    session: &Session,
    atoms: &Atoms,
    gpu: &Gpu,
    precision: Precision,
    shape: LaunchConfig,
    pair: &Resolved<'_>,
) -> Simulation {
    let domain = session.system.domain.clone().unwrap();
    let atoms = DeviceAtoms::new(&context(session, gpu, precision, Some(shape)), atoms).unwrap();
    with_spec(session, gpu, precision, |spec| {
        Simulation::new(&SimulationSpec { pair, at_rest: !full(), ..*spec }, atoms, domain).unwrap()
    })
}

/// Lists as GPUs have them for styles that see much of atoms, in the layouts that go with it.
fn picked_shapes(gpu: &Gpu, precision: Precision) -> Vec<LaunchConfig> {
    let mut shapes = shapes(gpu, precision);
    shapes.retain(|shape| !shape.tile);
    shapes.iter_mut().filter(|shape| !shape.clusters).for_each(|shape| shape.vector = 1);
    assert!(shapes.iter().any(|shape| shape.lanes > 1 && shape.vector == 1));
    shapes
}

const AS_GPUS_COMPUTE_THEM: [&str; 6] = [
    "sw",
    "sw of one element",
    "hybrid",
    "sw without angles",
    "hybrid/scaled",
    "hybrid/scaled of metal and angles",
];

/// Of some styles kernels for GPUs compute the same another way: on every device here, with one element and two, and in a hybrid style.
#[test]
fn styles_as_gpus_compute_them_are_what_the_twin_says() {
    in_third!(2);
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            for (k, name) in AS_GPUS_COMPUTE_THEM.into_iter().enumerate() {
                // Without angles pairs push and pull as much in the crystal, and cancel; atoms far off their sites do not.
                let (cells, jitter) = [(4, 0.2), (2, 0.3), (4, 0.2), (4, 0.35), (4, 0.2), (4, 0.2)][k];
                let session = crystal(name, cells, jitter);
                let pair = resolved(&session).for_device(DeviceKind::Gpu, false);
                assert!(pair.seen().picked(), "{name}");
                for (m, &shape) in picked_shapes(&gpu, precision).iter().enumerate() {
                    let some = match () {
                        () if full() => m % 3 == k % 3 || m <= 1,
                        // In single or in double precision, and in mixed.
                        () if precision != Precision::Mixed && precision as usize / 2 != k % 2 => false,
                        () => m % 3 == (k + precision as usize) % 3,
                    };
                    if !some || Lists::of(pair.seen()) == Lists::OneLane && shape.lanes > 1 {
                        continue;
                    }
                    let place = format!("{name} {precision:?} {shape:?} on {}", label(gpu.info()));
                    let simulation =
                        simulation_with(&session, &session.system.host_atoms, &gpu, precision, shape, &pair);
                    check(&session, &simulation, precision, &place);
                    check_slope(&session, &pair, (&gpu, precision, shape), &place);
                }
            }
        }
    }
}

/// Errors of rounding do not grow with the box, which has 256 atoms and then 864: those in docs/many-body.md are printed here. Sums would be
/// off by 3.4 times as much if each atom added its own to one side; half an fp32 rounding is what they scatter by.
fn rounding_is_the_same_in_larger_boxes(precision: Precision) {
    let some = |name: &&str| full() || ["eam/alloy", "sw", "tersoff"].contains(name);
    for gpu in test_devices() {
        for name in names().filter(some) {
            let [small, large] = [4, 6].map(|cells| {
                let session = crystal(name, cells, 0.2);
                let place = format!("{name} {precision:?} {cells} cells on {}", label(gpu.info()));
                let pair = resolved(&session).for_device(gpu.info().kind, false);
                let atoms = &session.system.host_atoms;
                let shape = LaunchConfig::new(gpu.info(), precision, atoms.len());
                let simulation = simulation_with(&session, atoms, &gpu, precision, shape, &pair);
                let Errors { force, energy, virial } = check(&session, &simulation, precision, &place);
                println!("{force:.1e} {energy:.1e} {virial:.1e} {place}");
                [force, energy, virial]
            });
            let scatter = f64::from(f32::EPSILON) / 4.0;
            let grown = (0..3).any(|k| large[k] > 1.5 * small[k] + scatter);
            assert!(!grown, "{name} {precision:?}: {small:?} {large:?}");
        }
    }
}

#[test]
fn rounding_in_mixed_is_the_same_in_larger_boxes() {
    in_third!(3);
    apart!("cheap");
    rounding_is_the_same_in_larger_boxes(Precision::Mixed);
}

#[test]
fn rounding_in_single_is_the_same_in_larger_boxes() {
    in_third!(2);
    apart!("cheap");
    rounding_is_the_same_in_larger_boxes(Precision::Single);
}

/// Two atoms so close that a power of zeta is beyond fp32.
#[test]
fn atoms_that_are_close() {
    in_third!(1);
    apart!("cheap");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("close.part");
    let text = std::fs::read_to_string("tests/lammps/tersoff_mod_c.part").unwrap();
    let steep = text.replace("2.39 -0.365 1.0 1.0", "2.39 -0.365 2.2 1.0");
    assert_ne!(text, steep);
    std::fs::write(&file, steep).unwrap();
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            let mut session = crystal("tersoff/mod/c", 4, 0.05);
            run(&mut session, &[&format!("pair_coeff * * {} Si Si", file.display())]);
            let atoms = &mut session.system.host_atoms;
            let [x, y, z] = atoms.x[0];
            atoms.x[1] = [x + 0.7, y + 0.6, z - 0.5];
            let shapes: Vec<_> =
                shapes(&gpu, precision).into_iter().filter(|shape| !shape.tile).take(2).collect();
            for shape in by_turns(precision as usize, &shapes) {
                let place = format!("{precision:?} {shape:?} on {}", label(gpu.info()));
                let shape = LaunchConfig { lanes: 1, ..shape };
                let pair = resolved(&session).for_device(DeviceKind::Cpu, false);
                let simulation =
                    simulation_with(&session, &session.system.host_atoms, &gpu, precision, shape, &pair);
                check(&session, &simulation, precision, &place);
            }
        }
    }
}

/// Forces and energy in f64 of atoms in a session's box.
pub(crate) fn twin(session: &Session, atoms: &Atoms) -> reference::pair::Forces {
    let domain = session.system.domain.as_ref().unwrap();
    let cutoffs = resolved(session).cutoffs();
    let lists = reference::list::neighbors(domain, 3, 2, &cutoffs, &atoms.x, &atoms.kind);
    reference::pair::forces(&resolved(session), &atoms.kind, &vec![0.0; atoms.len()], &lists)
}

/// The twin by itself: its forces are the slopes of its energy.
#[test]
fn many_body_forces_are_slopes_of_energies() {
    for name in names() {
        let name = if name == "sw/mod" { "sw/mod, nearly a step" } else { name };
        let mut session = crystal(name, 3, 0.2);
        let forces = twin(&session, &session.system.host_atoms).force;
        for (i, d) in [(0, 0), (17, 1), (50, 2)] {
            let h = 1e-4;
            let x = session.system.host_atoms.x[i][d];
            let mut at = |step: f64| {
                session.system.host_atoms.x[i][d] = x + step;
                twin(&session, &session.system.host_atoms).energy
            };
            let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
            at(0.0);
            let force = forces[i][d];
            // Tables have kinks in their second derivatives.
            assert!((force + slope).abs() <= 1e-5 * (force.abs() + 1.0), "{name}, atom {i}: {force} {slope}");
        }
    }
}

/// What restart files keep of potentials makes the same forces again.
#[test]
fn many_body_potentials_come_back() {
    for name in names() {
        let mut session = crystal(name, 2, 0.2);
        let before = twin(&session, &session.system.host_atoms);
        let saved = serde_json::to_string(&session.force_field.pair.as_ref().unwrap().save()).unwrap();
        let pair = serde_json::from_str::<SavedPair>(&saved).unwrap().restore(2);
        session.force_field.pair = Some(pair.unwrap_or_else(|error| panic!("{name}: {error}")));
        let after = twin(&session, &session.system.host_atoms);
        assert_eq!((before.energy, before.force), (after.energy, after.force), "{name}");
    }
}
