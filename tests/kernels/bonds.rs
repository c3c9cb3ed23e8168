//! Bonds, special neighbours and pairs that are left out: every bond style by itself, and whole systems.

use crate::common::{all_test_devices, by_turns, full, label, test_devices};
use crate::systems::{
    advance, bond_neighbours, download, empty, host_forces, in_turn, melt, precisions, resolved, rms_error,
    run, scatter, shapes, simulation, some_shapes,
};
use clamps::engine::simulation::{Ending, Simulation};
use clamps::gpu::Gpu;
use clamps::gpu::options::Precision;
use clamps::model::atom_style::ATOM_STYLES;
use clamps::model::topology::Bond;
use clamps::potentials::bond::registry::STYLES;
use clamps::session::Session;

/// Arguments of `bond_coeff` for two types, and the shortest and longest distance of bonds that are whole.
const EXAMPLES: &[(&str, [&str; 2], [f64; 2])] = &[
    ("class2", ["1.1 60.0 -80.0 50.0", "1.0 -3.0 2.0 1.0"], [0.6, 2.0]),
    ("fene", ["30.0 1.5 1.0 1.0", "20.0 1.8 0.5 1.1"], [0.8, 1.42]),
    ("fene/expand", ["30.0 1.5 1.0 1.0 0.1", "20.0 1.8 0.5 1.1 -0.1"], [0.95, 1.42]),
    ("gromos", ["40.0 1.0", "-3.0 1.2"], [0.3, 2.5]),
    ("harmonic", ["100.0 1.0", "-3.0 1.2"], [0.3, 2.5]),
    ("harmonic/shift", ["10.0 1.0 1.6", "-3.0 1.2 0.7"], [0.3, 2.5]),
    ("harmonic/shift/cut", ["10.0 1.0 1.6", "-3.0 1.2 1.9"], [0.3, 1.55]),
    ("lepton", ["1.0 k*r^2+b*r^3+3;k=100;b=-20", "1.2 cosh(2*r)*sqrt(r^2+1)-abs(r)^1.5"], [0.3, 2.5]),
    ("morse", ["20.0 2.0 1.2", "-3.0 3.5 1.0"], [0.6, 2.5]),
    ("nonlinear", ["20.0 1.0 1.4", "-3.0 1.2 1.1"], [0.4, 2.1]),
    ("quartic", ["1434.3 -0.7589 0.0 1.5 67.2234", "900.0 -0.7 0.02 1.6 40.0"], [0.8, 1.49]),
    ("table", ["tests/lammps/bonds.part CUBIC", "tests/lammps/bonds.part SQUARE"], [0.51, 2.45]),
    ("zero", ["", "1.2"], [0.3, 2.5]),
];

fn example(style: &str) -> (&'static [&'static str; 2], [f64; 2]) {
    let found = EXAMPLES.iter().find(|(name, ..)| *name == style);
    found
        .map(|(_, words, range)| (words, *range))
        .unwrap_or_else(|| panic!("{style} needs a line in EXAMPLES"))
}

/// A large box with the style's example and no pair forces.
fn session(style: &str) -> Session {
    let mut session = empty([400.0, 12.0, 12.0], "f f f", 1);
    session.system.atom_style = ATOM_STYLES.into_iter().find(|style| style.name == "bond").unwrap();
    session.system.topology.bond_types = 2;
    let settings = if style == "table" { "spline 30" } else { "" };
    let bonds = format!("bond_style {style} {settings}");
    run(&mut session, &["pair_style zero 2.0", "pair_coeff * *", &bonds]);
    for (kind, words) in (1..).zip(example(style).0) {
        run(&mut session, &[&format!("bond_coeff {kind} {words}")]);
    }
    session
}

fn distances([least, most]: [f64; 2]) -> impl Iterator<Item = f64> {
    (0..40).map(move |k| least + (most - least) * f64::from(k) / 39.0)
}

#[test]
fn host_forces_are_slopes_of_host_energies() {
    for (name, style) in STYLES {
        let bonded = session(name).force_field.bonded.unwrap().resolve(2).unwrap();
        for params in &bonded.params {
            for r in distances(example(name).1) {
                let h = 1e-5 * r;
                let energy = |r: f64| style.evaluate(params, r * r).energy;
                let slope = (8.0 * (energy(r + h) - energy(r - h))
                    - (energy(r + 2.0 * h) - energy(r - 2.0 * h)))
                    / (12.0 * h);
                let force = style.evaluate(params, r * r).force * r;
                let size = force.abs() + energy(r).abs() + 1e-2;
                // The cut-off part of FENE has a kink in its slope's slope.
                assert!((force + slope).abs() <= 1e-7 * size, "{name} at r = {r}: {force} {slope}");
            }
        }
    }
}

/// Numbers from the formulas of the manual, worked out by hand.
#[test]
fn known_bonds() {
    let pull = |style: &str, r: f64| {
        let bonded = session(style).force_field.bonded.unwrap().resolve(2).unwrap();
        bonded.style.evaluate(&bonded.params[0], r * r)
    };
    let harmonic = pull("harmonic", 1.5);
    assert!((harmonic.energy - 25.0).abs() < 1e-12 && (harmonic.force * 1.5 + 100.0).abs() < 1e-12);
    // K = 30, R0 = 1.5: E = -33.75 ln(1 - 1/2.25) + 1 at r = sigma; F = -30 / (5/9) + 24.
    let fene = pull("fene", 1.0);
    assert!((fene.energy - (-33.75 * (5.0_f64 / 9.0).ln() + 1.0)).abs() < 1e-12);
    assert!((fene.force - (-54.0 + 24.0)).abs() < 1e-12 && !fene.long && !fene.broken);
    assert!(pull("fene", 1.45).long && !pull("fene", 2.99).broken && pull("fene", 3.01).broken);
}

/// One bond per distance, each far from the next.
#[test]
fn kernels_are_what_the_host_says() {
    in_third!(1);
    apart!();
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            for (_, (name, style)) in STYLES.iter().enumerate().filter(|(k, _)| in_turn(&gpu, precision, *k))
            {
                let place = format!("{name} {precision:?} on {}", label(gpu.info()));
                let mut session = session(name);
                let bonded = session.force_field.bonded.clone().unwrap().resolve(2).unwrap();
                let mut expected = Vec::new();
                for (k, r) in distances(example(name).1).enumerate() {
                    let (tag, kind, x) = (2 * k as u32 + 1, k as u32 % 2 + 1, 9.0 * k as f64 + 1.0);
                    session.system.host_atoms.push(tag, 1, [x, 5.0, 5.0]);
                    session.system.host_atoms.push(
                        tag + 1,
                        1,
                        [x + r / 3.0, 5.0 + r * 2.0 / 3.0, 5.0 - r * 2.0 / 3.0],
                    );
                    session.system.topology.bonds.push(Bond::new(kind, [tag, tag + 1]));
                    let pull = style.evaluate(&bonded.params[kind as usize - 1], r * r);
                    expected.push((tag, -pull.force * r / 3.0, 0.5 * pull.energy));
                }
                let simulation = simulation(&session, &gpu, precision, None);
                let (tags, forces) = (download(&simulation).tag, simulation.atoms.forces().unwrap());
                let tallies =
                    simulation.step_kernels.tally.read(clamps::gpu::record::Section::Output, 8 * 80).unwrap();
                let near = if precision == Precision::Double { 1e-11 } else { 2e-5 };
                for (tag, force, energy) in expected {
                    let k = tags.iter().position(|&t| t == tag).unwrap();
                    let (found, bond) = (forces[k][0], tallies[8 * k + 7]);
                    // Terms of opposite sign: errors by the size of the terms.
                    assert!((found - force).abs() <= near * force.abs().max(30.0), "{found} {force} {place}");
                    assert!(
                        (bond - energy).abs() <= near * energy.abs().max(30.0),
                        "{bond} {energy} {place}"
                    );
                }
            }
        }
    }
}

/// Pairs of a file, by their IDs, beside neighbours that do nothing: all forms, within their cutoffs and beyond.
#[test]
fn listed_pairs_are_what_the_host_says() {
    apart!("cheap");
    let file = tempfile::NamedTempFile::new().unwrap();
    let forms = ["harmonic 20 1.1", "morse 2.0 1.5 1.2 1.9", "lj126 1.5 1.0", "quartic 5.0 1.2 -0.5 0.7 3.0"];
    let lines: String = (0..40).map(|k| format!("{} {} {}\n", 2 * k + 1, 2 * k + 2, forms[k % 4])).collect();
    std::fs::write(file.path(), lines).unwrap();
    for gpu in all_test_devices() {
        for precision in by_turns(2, precisions(&gpu)) {
            let mut session = empty([400.0, 12.0, 12.0], "f f f", 1);
            run(&mut session, &[&format!("pair_style list {} 2.0", file.path().display()), "pair_coeff * *"]);
            let lengths: Vec<f64> = distances([0.9, 2.5]).collect();
            for (k, r) in lengths.iter().enumerate() {
                let (tag, x) = (2 * k as u32 + 1, 9.0 * k as f64 + 1.0);
                let other = [x + r / 3.0, 5.0 + r * 2.0 / 3.0, 5.0 - r * 2.0 / 3.0];
                session.system.host_atoms.push(tag, 1, [x, 5.0, 5.0]);
                session.system.host_atoms.push(tag + 1, 1, other);
            }
            let bonded = clamps::session::bonded::molecules(&session).unwrap().bonded.unwrap();
            let simulation = simulation(&session, &gpu, precision, None);
            let (tags, forces) = (download(&simulation).tag, simulation.atoms.forces().unwrap());
            let tallies =
                simulation.step_kernels.tally.read(clamps::gpu::record::Section::Output, 8 * 80).unwrap();
            let near = if precision == Precision::Double { 1e-11 } else { 2e-5 };
            for (k, r) in lengths.iter().enumerate() {
                let pull = bonded.style.evaluate(&bonded.params[k % 4], r * r);
                assert_eq!(pull.force == 0.0, *r >= [2.0, 1.9, 2.0, 3.0][k % 4], "{k}");
                let (force, energy) = (-pull.force * r / 3.0, 0.5 * pull.energy);
                let place = tags.iter().position(|&tag| tag == 2 * k as u32 + 1).unwrap();
                let (found, own) = (forces[place][0], tallies[8 * place]);
                assert!(
                    (found - force).abs() <= near * force.abs().max(10.0),
                    "{k} {found} {force} {precision:?}"
                );
                assert!(
                    (own - energy).abs() <= near * energy.abs().max(10.0),
                    "{k} {own} {energy} {precision:?}"
                );
                assert_eq!(tallies[8 * place + 7], 0.0);
            }
        }
    }
}

/// Forces, energies and virial of a system against the host, with lists that leave pairs out.
fn check(
    session: &Session,
    gpu: &Gpu,
    precision: Precision,
    shape: Option<clamps::engine::kernels::LaunchConfig>,
) -> Simulation {
    let place = format!("{precision:?} {shape:?} on {}", label(gpu.info()));
    let simulation = simulation(session, gpu, precision, shape);
    check_now(session, &simulation, &place);
    simulation
}

fn check_now(session: &Session, simulation: &Simulation, place: &str) {
    let double = simulation.atoms.context.numerics.precision == Precision::Double;
    let (near, near_sums) = if double { (1e-12, 1e-11) } else { (1e-5, 1e-5) };
    let expected = host_forces(session, simulation);
    let rms = rms_error(&simulation.atoms.forces().unwrap(), &expected.force);
    assert!(rms <= near, "RMS error {rms:e} of the forces, {place}");
    let sums = simulation.sums().unwrap();
    let close = |a: f64, b: f64, size: f64| assert!((a - b).abs() <= near_sums * size, "{a} {b} {place}");
    close(sums.energy, expected.energy, expected.energy.abs());
    close(
        sums.coulomb_energy,
        expected.coulomb_energy,
        expected.coulomb_energy.abs().max(expected.energy.abs()),
    );
    close(sums.bond_energy, expected.bond_energy, expected.bond_energy.abs());
    assert!(expected.bond_energy.abs() > 1.0, "{place}");
    let size = expected.virial.iter().fold(0.0_f64, |size, w| size.max(w.abs()));
    (0..6).for_each(|k| close(sums.virial[k], expected.virial[k], size));
}

#[test]
fn molecules_in_every_shape() {
    in_third!(3);
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            let shapes = some_shapes(&gpu, precision, 3, full()).into_iter().enumerate();
            // The others have molecules with charges.
            for (_, shape) in shapes.filter(|(k, _)| full() || (k + precision as usize / 2).is_multiple_of(2))
            {
                let mut session = melt(5, 0.1);
                bond_neighbours(&mut session, 1.2);
                run(&mut session, &["special_bonds lj/coul 0.0 0.3 1.0"]);
                let molecules = clamps::session::bonded::molecules(&session).unwrap();
                assert!(molecules.special.values().map(Vec::len).max().unwrap() > 3 && molecules.partial());
                let mut simulation = check(&session, &gpu, precision, Some(shape));
                // Places change at rebuilds; the fused kernel and the others have the same forces.
                advance(&mut simulation, 40);
                assert!(simulation.neighbor.builds() > 0);
                check_now(&session, &simulation, &format!("after steps, {precision:?} {shape:?}"));
            }
        }
    }
}

/// Charges, whose forces count in part otherwise than all else, or where nothing of a pair counts leave something over.
#[test]
fn charged_molecules_in_every_shape() {
    in_third!(2);
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            let shapes = some_shapes(&gpu, precision, 2, full()).into_iter().enumerate();
            // The others have molecules without charges.
            for (k, shape) in
                shapes.filter(|(k, _)| full() || !(k + precision as usize / 2).is_multiple_of(2))
            {
                let mut session = melt(5, 0.1);
                bond_neighbours(&mut session, 1.2);
                let n = session.system.host_atoms.len();
                session.system.host_atoms.charge = (0..n).map(|i| 0.2 * (i % 4) as f64 - 0.3).collect();
                session.force_field.dielectric = 1.5;
                let (weights, style) = match k / 2 % 2 {
                    0 => (
                        "lj 0.0 0.3 1.0 coul 0.0 1.0 0.4",
                        ["pair_style lj/cut/coul/cut 2.5 2.2", "pair_coeff * * 1 1"],
                    ),
                    _ => ("lj/coul 0.0 1.0 0.5", ["pair_style coul/dsf 0.3 2.2", "pair_coeff * *"]),
                };
                run(&mut session, &style);
                run(&mut session, &[&format!("special_bonds {weights}")]);
                assert!(clamps::session::bonded::molecules(&session).unwrap().partial());
                let mut simulation = check(&session, &gpu, precision, Some(shape));
                advance(&mut simulation, 40);
                assert!(simulation.neighbor.builds() > 0);
                check_now(&session, &simulation, &format!("after steps, {precision:?} {shape:?}"));
            }
        }
    }
}

/// Boxes that lists see several times, 2d, and faces that are not periodic.
#[test]
fn molecules_in_small_boxes() {
    in_third!(1);
    apart!("cheap");
    for gpu in test_devices() {
        for (edges, faces, dimension, precision, number) in [
            ([3.1, 3.4, 7.0], "p p p", 3, Precision::Double, 1),
            ([3.0, 6.0, 2.0], "p f s", 3, Precision::Mixed, 2),
            ([3.5, 9.0, 1.0], "p p p", 2, Precision::Single, 0),
        ] {
            let mut session = empty(edges, faces, 2);
            session.system.dimension = dimension;
            let styles = ["soft", "hybrid/overlay soft 2.0 coul/debye 1.0"];
            let charged = precision == Precision::Mixed;
            run(&mut session, &[&format!("pair_style {} 2.0", styles[usize::from(charged)])]);
            scatter(&mut session, 40, 5);
            if charged {
                run(&mut session, &["pair_coeff * * soft 10.0", "pair_coeff * * coul/debye"]);
                session.system.host_atoms.charge = (0..40).map(|i| 0.2 * f64::from(i % 4) - 0.3).collect();
            } else {
                run(&mut session, &["pair_coeff * * 10.0"]);
            }
            bond_neighbours(&mut session, 1.5);
            run(&mut session, &["special_bonds lj/coul 0.0 0.0 0.5"]);
            let shape = shapes(&gpu, precision)[number];
            let simulation = check(&session, &gpu, precision, Some(shape));
            assert!(simulation.atoms.context.copies > 1);
        }
    }
}

/// A pair of atoms with a bond of a length, in a box that is large for it.
fn pair(r: f64, bond: &str) -> Session {
    let mut session = empty([30.0; 3], "p p f", 1);
    session.system.atom_style = ATOM_STYLES.into_iter().find(|style| style.name == "bond").unwrap();
    session.system.topology.bond_types = 1;
    run(&mut session, &["pair_style lj/cut 1.12", "pair_coeff * * 1.0 1.0"]);
    run(&mut session, &[&format!("bond_style {bond}"), &format!("bond_coeff 1 {}", example(bond).0[0])]);
    session.system.host_atoms.push(7, 1, [29.8, 15.0, 28.9]);
    session.system.host_atoms.push(11, 1, [(29.8 + r) % 30.0, 15.0, 28.9]);
    session.system.topology.bonds.push(Bond::new(1, [11, 7]));
    session
}

fn message(session: &Session, gpu: &Gpu, precision: Precision) -> String {
    let context = crate::systems::context(session, gpu, precision, None);
    let atoms = clamps::engine::device_atoms::DeviceAtoms::new(&context, &session.system.host_atoms).unwrap();
    let made = crate::systems::with_spec(session, gpu, precision, |spec| {
        Simulation::new(spec, atoms, session.system.domain.clone().unwrap())
    });
    let run = made.and_then(|mut simulation| {
        let mut done = 0;
        while done < 200 {
            done += simulation.advance(200 - done, Ending::WITH_TALLIES)?;
            simulation.finish_step()?;
        }
        Ok(())
    });
    run.err().map_or(String::new(), |error| error.message)
}

#[test]
fn bonds_that_break_stop_the_run() {
    in_third!(3);
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in by_turns(1, precisions(&gpu)) {
            let broken = "bad bond of atom 7: it is longer than 2 R0";
            assert_eq!(message(&pair(3.1, "fene"), &gpu, precision), broken);
            assert_eq!(message(&pair(1.0, "fene"), &gpu, precision), "");
            // Breaks on the way.
            let mut session = pair(1.4, "fene");
            session.system.host_atoms.v[0] = [-80.0, 0.0, 0.0];
            assert_eq!(message(&session, &gpu, precision), broken);
            // One atom leaves through the fixed face, or is not there at all.
            let mut session = pair(1.0, "harmonic");
            session.system.host_atoms.v = vec![[0.0, 0.0, 300.0]; 2];
            session.system.host_atoms.v[1] = [0.0; 3];
            session.neighbor.check = false;
            let lost = "a bond of atom 11 has lost its other atom";
            assert_eq!(message(&session, &gpu, precision), lost);
            let mut session = pair(1.0, "harmonic");
            session.system.host_atoms.swap_remove(0);
            assert_eq!(message(&session, &gpu, precision), lost);
            let mut session = pair(1.0, "harmonic");
            session.system.host_atoms.swap_remove(1);
            assert_eq!(message(&session, &gpu, precision), "a bond of atom 7 has lost its other atom");
            // A molecule that leaves as a whole is no harm.
            let mut session = pair(1.0, "harmonic");
            session.system.host_atoms.v = vec![[0.0, 0.0, 300.0]; 2];
            session.system.host_atoms.push(3, 1, [5.0; 3]);
            assert_eq!(message(&session, &gpu, precision), "");
            // Further apart than staged positions can tell, except in double precision.
            let far = if precision == Precision::Double {
                ""
            } else {
                "the atoms of a bond of atom 7 are too far apart"
            };
            // Among as many others as make cells small, and with them what staged positions can tell.
            let mut session = pair(14.0, "harmonic");
            for site in 0..15 * 15 * 10 {
                let x = [site % 15, site / 15 % 15, site / 225].map(|k| 2.0 * f64::from(k));
                session.system.host_atoms.push(12 + site as u32, 1, x);
            }
            assert_eq!(message(&session, &gpu, precision), far);
        }
    }
}

/// The longest lists have as many pairs as the host finds, less those that are left out.
#[test]
fn pairs_are_left_out() {
    in_third!(2);
    apart!("cheap");
    for gpu in test_devices() {
        for shape in shapes(&gpu, Precision::Mixed) {
            for (line, rule) in [
                ("neigh_modify exclude type 2 2 exclude group some most exclude molecule/intra most", 0),
                ("neigh_modify exclude type 1 2 exclude none exclude molecule/inter all", 1),
            ] {
                let mut session = empty([5.5, 8.0, 9.0], "p f p", 2);
                run(&mut session, &["pair_style lj/cut 1.5", "pair_coeff * * 1.0 0.1 1.5"]);
                scatter(&mut session, 300, 3);
                bond_neighbours(&mut session, 0.7);
                session.system.groups.names.extend(["most", "some"].map(String::from));
                let (most, some, molecule) =
                    (|t: u32| !t.is_multiple_of(3), |t: u32| t.is_multiple_of(5), |t: u32| t % 7);
                for (i, &tag) in session.system.host_atoms.tag.iter().enumerate() {
                    session.system.host_atoms.molecule[i] = molecule(tag);
                    session.system.host_atoms.mask[i] |=
                        if most(tag) { 2 } else { 0 } | if some(tag) { 4 } else { 0 };
                }
                run(&mut session, &["special_bonds lj/coul 0 1 0", line]);
                let simulation = simulation(&session, &gpu, Precision::Mixed, Some(shape));
                let special = clamps::session::bonded::molecules(&session).unwrap().special;
                let atoms = download(&simulation);
                let mut expected: u64 = 0;
                for (i, list) in crate::systems::host_lists(&session, &simulation, 1.0).iter().enumerate() {
                    for entry in list {
                        let [a, b] = [i, entry.atom].map(|k| atoms.tag[k]);
                        let same = molecule(a) == molecule(b);
                        let left_out = match rule {
                            0 => {
                                (atoms.kind[i], atoms.kind[entry.atom]) == (2, 2)
                                    || some(a) && most(b)
                                    || most(a) && some(b)
                                    || most(a) && most(b) && same
                            }
                            _ => !same,
                        };
                        let linked = special.get(&a).is_some_and(|l| l.iter().any(|(tag, _)| *tag == b));
                        expected += u64::from(!left_out && !linked);
                    }
                }
                assert!(expected > 100, "{line} leaves {expected}");
                let found = simulation.neighbor.pairs(&simulation.atoms).unwrap();
                assert_eq!(found, expected, "{line} {shape:?} on {}", label(gpu.info()));
                assert_eq!(resolved(&session).types, 2);
            }
        }
    }
}
