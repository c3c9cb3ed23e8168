//! Neighbour lists against all pairs with explicit images.

use crate::common::{all_test_devices, full, label, test_devices, test_devices_in};
use crate::systems::{
    advance, download, empty, gpu_shape, host_forces, host_lists_around, melt, precisions, rms_error, run,
    scatter, shapes, simulation, with_spec,
};
use clamps::base::random::ParkMiller;
use clamps::engine::kernels::LaunchConfig;
use clamps::engine::neighbor::list::List;
use clamps::engine::simulation::Simulation;
use clamps::gpu::options::Precision;
use clamps::gpu::{DeviceInfo, DeviceKind, Gpu};
use clamps::session::Session;

/// Entries as (tag, boxes), sorted.
type Entries = Vec<Vec<(u32, [i32; 3])>>;

fn device_entries(simulation: &Simulation) -> Entries {
    let Simulation { atoms: resident, domain, neighbor, .. } = simulation;
    let (atoms, copies) = (download(simulation), neighbor.grid().replicas);
    let length = domain.lengths();
    let straight: Vec<[f64; 3]> = atoms.x.iter().map(|&x| domain.straighten(x)).collect();
    // An entry names a copy of an atom modulo all copies of the box: the image nearest to `i` is meant.
    let name = |i: usize, entry: u32| {
        let (j, copy) = (entry as usize % resident.capacity, entry as usize / resident.capacity);
        let copy = [copy % copies[0], copy / copies[0] % copies[1], copy / copies[0] / copies[1]];
        let boxes = [0, 1, 2].map(|d| {
            if !resident.context.numerics.images[d] {
                return 0;
            }
            let away = straight[i][d] - straight[j][d] - copy[d] as f64 * length[d];
            let whole = (away / (length[d] * copies[d] as f64)).round() as i32;
            copy[d] as i32 + whole * copies[d] as i32
        });
        (atoms.tag[j], boxes)
    };
    let mut lists: Entries = Vec::new();
    for (i, list) in neighbor.download(resident).unwrap().into_iter().enumerate() {
        lists.push(list.into_iter().map(|entry| name(i, entry)).collect());
        lists.last_mut().unwrap().sort_unstable();
    }
    lists
}

fn host_entries(session: &Session, simulation: &Simulation, x: &[[f64; 3]], stretch: f64) -> Entries {
    let tag = download(simulation).tag;
    let mut lists: Entries = Vec::new();
    for list in host_lists_around(session, simulation, x, stretch) {
        lists.push(list.iter().map(|entry| (tag[entry.atom], entry.boxes)).collect());
        lists.last_mut().unwrap().sort_unstable();
    }
    lists
}

/// Exactly the pairs within cutoff + skin, up to rounding at the very edge.
pub(crate) fn check_lists(session: &Session, simulation: &Simulation, precision: Precision, place: &str) {
    let edge = if precision == Precision::Double { 1e-13 } else { 1e-6 };
    check_lists_around(session, simulation, &download(simulation).x, edge, place);
}

/// The same where the list has the atoms at x, to within `edge` times what it reaches.
pub(crate) fn check_lists_around(
    session: &Session,
    simulation: &Simulation,
    x: &[[f64; 3]],
    edge: f64,
    place: &str,
) {
    let found = device_entries(simulation);
    let [least, most] = [1.0 - edge, 1.0 + edge].map(|stretch| host_entries(session, simulation, x, stretch));
    let tags = download(simulation).tag;
    for (i, list) in found.iter().enumerate() {
        assert!(list.windows(2).all(|pair| pair[0] < pair[1]), "an entry stands twice, {place}");
        assert!(!list.contains(&(tags[i], [0; 3])), "an atom is its own neighbour, {place}");
        assert!(least[i].iter().all(|entry| list.contains(entry)), "a pair is missing, {place}");
        assert!(list.iter().all(|entry| most[i].contains(entry)), "a pair too far, {place}");
    }
    let total: usize = found.iter().map(Vec::len).sum();
    assert_eq!(simulation.neighbor.pairs(&simulation.atoms).unwrap(), total as u64);
}

/// Two types with cutoffs 1.0, 1.5 and 2.0, in boxes of many kinds. (State, whether there must be pairs.)
fn systems() -> Vec<Session> {
    let make = |edges, faces, dimension, n| {
        let mut session = empty(edges, faces, 2);
        session.system.dimension = dimension;
        let lines = [
            "pair_style lj/cut 1.5",
            "pair_coeff 1 1 1 0.1 1.0",
            "pair_coeff 2 2 1 0.1 2.0",
            "pair_coeff 1 2 1 0.1",
        ];
        run(&mut session, &lines);
        scatter(&mut session, n, 11);
        session
    };
    vec![
        make([8.0, 8.0, 8.0], "p p p", 3, 400),
        make([30.0, 3.1, 2.5], "p p p", 3, 200), // elongated
        make([4.1, 4.0, 3.9], "p p p", 3, 70),   // smaller than two cutoffs
        make([1.5, 1.1, 1.7], "p p p", 3, 5),    // smaller than one
        make([0.9, 6.0, 6.0], "p f f", 3, 60),
        make([6.0, 6.0, 6.0], "f f f", 3, 150),
        make([6.0, 5.0, 6.0], "p s m", 3, 150),
        make([12.0, 12.0, 0.5], "p p p", 2, 150),
        make([12.0, 0.01, 0.01], "p f f", 3, 20), // so thin that a stencil would be of hundreds of cells
        make([40.0, 40.0, 40.0], "p p p", 3, 60), // nearly empty
        make([5.0, 5.0, 5.0], "p p p", 3, 1),
        make([5.2, 2.4, 2.4], "p f f", 3, 180), // more than 32 candidates in a line of cells
    ]
}

/// The lists of systems, on every device: in every shape in mixed precision, in so many of them in the others. The systems take
/// turns with the shapes, each with one in mixed and one in another precision; with CLAMPS_TESTS=full all shapes have all.
pub(crate) fn lists_are_exact(precision: Precision, systems: fn() -> Vec<Session>, others: usize) {
    let most = if precision == Precision::Mixed { 6 } else { others };
    for gpu in test_devices_in(precision) {
        let shapes: Vec<_> = shapes(&gpu, precision).into_iter().take(most).collect();
        let (shape_count, system_count) = (shapes.len(), systems().len());
        for (m, shape) in shapes.into_iter().enumerate() {
            for (k, session) in systems().into_iter().enumerate() {
                let turn = k % shape_count == m || m % system_count == k;
                let some = match precision {
                    Precision::Mixed => turn || full(),
                    // A box is compiled into the kernels, which takes longest of all here.
                    Precision::Single if full() => turn || m == 0 || k < 5,
                    Precision::Single => turn && k % 2 == 0,
                    Precision::Double => turn && k % 2 == 1 || full(),
                };
                if !some {
                    continue;
                }
                let domain = session.system.domain.as_ref().unwrap();
                let place = format!(
                    "{:?} {:?} {} atoms {precision:?} {shape:?} on {}",
                    domain.lengths(),
                    domain.tilt,
                    session.system.host_atoms.len(),
                    label(gpu.info())
                );
                let simulation = simulation(&session, &gpu, precision, Some(shape));
                check_lists(&session, &simulation, precision, &place);
            }
        }
    }
}

#[test]
fn lists_are_exact_in_single() {
    in_third!(3);
    apart!("cheap");
    lists_are_exact(Precision::Single, systems, 3);
}

#[test]
fn lists_are_exact_in_mixed() {
    in_third!(1);
    apart!("cheap");
    lists_are_exact(Precision::Mixed, systems, 3);
}

#[test]
fn lists_are_exact_in_double() {
    in_third!(2);
    apart!("cheap");
    lists_are_exact(Precision::Double, systems, 3);
}

/// Pairs as near to cutoff + skin as 1e-5 to 1e-12 of it, in double precision: on which side they are is decided there,
/// though candidates are looked at in single precision first.
#[test]
fn pairs_at_the_edge_are_decided_in_double() {
    in_third!(1);
    apart!("cheap");
    let mut session = empty([40.0; 3], "p p p", 1);
    run(&mut session, &["pair_style lj/cut 1.0", "pair_coeff 1 1 1 1"]);
    let reach = 1.0 + session.neighbor.skin;
    let mut random = ParkMiller::new(7);
    for pair in 0..128 {
        let direction = [0; 3].map(|_| random.uniform() - 0.5);
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        let sign = if pair % 2 == 0 { 1.0 } else { -1.0 };
        let away = reach * (1.0 + sign * 10f64.powi(-5 - pair % 8)) / length;
        let at = [pair % 8, pair / 8 % 8, pair / 64].map(|k| f64::from(5 * k) + 2.5);
        for x in [at, [0, 1, 2].map(|d| at[d] + away * direction[d])] {
            let tag = session.system.host_atoms.len() as u32 + 1;
            session.system.host_atoms.push(tag, 1, x);
        }
    }
    for gpu in test_devices() {
        for shape in shapes(&gpu, Precision::Double).into_iter().take(3) {
            let simulation = simulation(&session, &gpu, Precision::Double, Some(shape));
            let place = format!("{shape:?} on {}", label(gpu.info()));
            check_lists(&session, &simulation, Precision::Double, &place);
            assert_eq!(simulation.neighbor.pairs(&simulation.atoms).unwrap(), 128);
        }
    }
}

/// fcc at density 0.8442: 78 neighbours within 2.8, of each atom (facts from LAMMPS).
#[test]
fn fcc_has_78_neighbours() {
    apart!("cheap");
    for gpu in test_devices() {
        let simulation = simulation(&melt(4, 0.0), &gpu, Precision::Mixed, None);
        assert_eq!(simulation.neighbor.pairs(&simulation.atoms).unwrap(), 78 * 256);
    }
}

/// What `balance` counts of each atom is the length of its list, or its part of a list that several have.
#[test]
fn work_is_counted_by_the_lengths_of_lists() {
    apart!("cheap");
    for gpu in all_test_devices() {
        let precision = precisions(&gpu)[precisions(&gpu).len() / 2];
        for shape in shapes(&gpu, precision) {
            let place = format!("{shape:?} on {}", label(gpu.info()));
            let simulation = simulation(&melt(3, 0.1), &gpu, precision, Some(shape));
            let (atoms, neighbor) = (&simulation.atoms, &simulation.neighbor);
            let found = neighbor.list.entries_by_atom(atoms, neighbor.cells()).unwrap();
            let [_, stored] = neighbor.list.totals(atoms, neighbor.cells()).unwrap();
            assert!((found.iter().sum::<f64>() - stored as f64).abs() < 1e-9 * stored as f64, "{place}");
            if !shape.clusters {
                let lengths: Vec<f64> =
                    neighbor.download(atoms).unwrap().iter().map(|list| list.len() as f64).collect();
                assert_eq!(found, lengths, "{place}");
            }
        }
    }
}

/// Whatever is too small grows, and the forces stay right.
#[test]
fn lists_grow_when_they_are_too_small() {
    apart!();
    for gpu in test_devices() {
        for shape in &shapes(&gpu, Precision::Mixed)[..2] {
            let mut session = melt(3, 0.1);
            let free = simulation(&session, &gpu, Precision::Mixed, Some(*shape));
            session.neighbor.one = Some(1);
            let tight = simulation(&session, &gpu, Precision::Mixed, Some(*shape));
            assert_eq!(device_entries(&tight), device_entries(&free));
            assert_eq!(tight.atoms.forces().unwrap(), free.atoms.forces().unwrap());
        }
    }
}

/// A list in many pages gives the same bits as one in a single page, whether the octants of cells leave room for atoms in a
/// page or not (8 here, of whole clusters); no page is larger than the device allows, and what they take is what was checked
/// before.
#[test]
fn pages_change_nothing() {
    apart!();
    let bits = |simulation: &Simulation| -> Vec<u64> {
        simulation.atoms.forces().unwrap().iter().flatten().map(|f| f.to_bits()).collect()
    };
    for gpu in test_devices() {
        let [own, few] = [0, 1].map(|k| shapes(&gpu, Precision::Mixed)[k]);
        let session = melt(3, 0.1);
        let of_pages = |simulation: &Simulation| -> Vec<usize> {
            simulation.neighbor.list.pages.iter().map(|page| 4 * page.entries.len()).collect()
        };
        for (shape, page_bytes) in [(own, 20_000), (own, 3500), (few, 8000)] {
            let one = simulation(&session, &gpu, Precision::Mixed, Some(shape));
            let cut = LaunchConfig { page_bytes, ..shape };
            let mut many = simulation(&session, &gpu, Precision::Mixed, Some(cut));
            let pages = of_pages(&many);
            assert!(one.neighbor.list.pages.len() == 1 && pages.len() > 1, "{} pages", pages.len());
            let row = 4 * many.neighbor.list.rows * cut.list_width * cut.words();
            assert!(pages.iter().all(|&bytes| bytes <= page_bytes.max(row)), "{page_bytes}: {pages:?}");
            assert_eq!(device_entries(&many), device_entries(&one));
            assert!(bits(&many) == bits(&one));
            assert_eq!(many.sums().unwrap(), one.sums().unwrap());
            // 40 entries of an atom are expected to be 70 of four that share a list.
            let longest = if cut.clusters { 70 } else { 40 };
            let octants = many.neighbor.cells().blocks;
            many.neighbor.list.allocate(&many.atoms.context, many.atoms.n, longest).unwrap();
            let taken: usize = of_pages(&many).iter().sum();
            assert_eq!(List::bytes(cut, many.atoms.n, 40, octants), taken as u64);
            // Too small and in pages at once.
            many.neighbor.list.allocate(&many.atoms.context, many.atoms.n, 1).unwrap();
            let Simulation { neighbor, atoms, domain, reductions, .. } = &mut many;
            neighbor.rebuild(atoms, domain, reductions).unwrap();
            neighbor.make_room(atoms).unwrap();
            assert_eq!(device_entries(&many), device_entries(&one));
        }
    }
}

/// In a box shorter than the cutoff lists reach many cells, for which positions make room in local memory; where that is not
/// enough the remedy is told.
#[test]
fn small_boxes_leave_less_local_memory_to_positions() {
    apart!("cheap");
    for gpu in test_devices() {
        let info = DeviceInfo { kind: DeviceKind::Gpu, local_memory: 32 << 10, ..gpu.info().clone() };
        let tile_atoms = LaunchConfig::tile_atoms(&info, Precision::Mixed, false);
        let shipped = LaunchConfig { tile_atoms, ..gpu_shape(&gpu, Precision::Mixed, 4) };
        let mut session = melt(1, 0.1);
        // 5.3 is four cells, each of which is the box.
        run(&mut session, &["pair_style lj/cut 5.0", "pair_coeff 1 1 1.0 1.0"]);
        let fitted = with_spec(&session, &gpu, Precision::Mixed, |spec| {
            spec.fit(shipped, &info, Precision::Mixed, session.system.domain.as_ref().unwrap(), 4)
        });
        let [before, after] = [shipped, fitted].map(|shape| shape.builder_bytes(10 * 10 * 10));
        assert!(before > 32 << 10 && after <= 32 << 10, "{before} {after}");
        let crammed = simulation(&session, &gpu, Precision::Mixed, Some(fitted));
        check_lists(&session, &crammed, Precision::Mixed, &label(gpu.info()));

        let cells = (gpu.info().local_memory as f64 / 8.0).cbrt().ceil();
        let cutoff = format!("{}", cells / 2.0 * session.system.domain.as_ref().unwrap().lengths()[0]);
        let mut session = empty([1.68; 3], "p p p", 1);
        session.system.host_atoms.push(1, 1, [0.5; 3]);
        run(&mut session, &[&format!("pair_style lj/cut {cutoff}"), "pair_coeff 1 1 1.0 1.0"]);
        let error = failure(&session, &gpu, Some(fitted));
        assert!(error.contains("bytes of local memory") && error.contains("replicate the box"), "{error}");
    }
}

/// Atoms that pass a fixed face are gone at the next rebuild; the others have their lists.
#[test]
fn lost_atoms_leave_the_lists() {
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in
            [Precision::Single, Precision::Mixed].into_iter().filter(|it| precisions(&gpu).contains(it))
        {
            let mut session = melt(3, 0.1);
            let domain = session.system.domain.as_mut().unwrap();
            domain.boundary[2] = [clamps::model::domain::Boundary::Fixed; 2];
            let away = [3, 50, 70];
            away.iter().for_each(|&i| session.system.host_atoms.x[i][2] += 20.0);
            let gone = away.map(|i| session.system.host_atoms.tag[i]);
            let simulation = simulation(&session, &gpu, precision, None);
            assert_eq!(simulation.atoms.n, 105);
            assert!(download(&simulation).tag.iter().all(|tag| !gone.contains(tag)));
            check_lists(&session, &simulation, precision, "lost atoms");
            let expected = host_forces(&session, &simulation).force;
            assert!(rms_error(&simulation.atoms.forces().unwrap(), &expected) < 4e-6);
        }
    }
}

/// Where atoms were lost their places are no atoms, which the next steps must not look at: those there are go as if these
/// had never been. Five atoms of two types are a list of four and one of one on CPUs.
#[test]
fn places_of_lost_atoms_are_not_looked_at() {
    in_third!(1);
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in
            [Precision::Single, Precision::Double].into_iter().filter(|it| precisions(&gpu).contains(it))
        {
            for shape in shapes(&gpu, precision).into_iter().take(2) {
                let after = |lost: u32| {
                    let mut session = empty([6.0; 3], "p p f", 2);
                    run(&mut session, &["pair_style lj/cut 2.5", "pair_coeff * * 1.0 1.0"]);
                    run(&mut session, &["pair_coeff 2 2 2.0 0.9"]);
                    let sites =
                        [[1.0; 3], [2.1, 1.0, 1.0], [1.0, 2.2, 1.0], [1.0, 1.0, 2.1], [2.0, 2.1, 1.9]];
                    for (tag, x) in (1..).zip(sites) {
                        session.system.host_atoms.push(tag, 1 + tag % 2, x);
                    }
                    (0..lost).for_each(|k| session.system.host_atoms.push(6 + k, 1, [2.0, 2.0, 7.0]));
                    session.clock.dt = 1e-3;
                    let mut simulation = simulation(&session, &gpu, precision, Some(shape));
                    assert_eq!(simulation.atoms.n, 5);
                    advance(&mut simulation, 6);
                    download(&simulation).x
                };
                let expected = after(0);
                for lost in [1, 3] {
                    assert_eq!(
                        after(lost),
                        expected,
                        "{lost}, {precision:?} {shape:?} on {}",
                        label(gpu.info())
                    );
                }
            }
        }
    }
}

#[test]
fn bad_positions_are_an_error() {
    apart!("cheap");
    let Some(gpu) = &test_devices().into_iter().next() else { return };
    let mut session = melt(3, 0.1);
    session.system.host_atoms.x[5][0] = f64::NAN;
    let error = failure(&session, gpu, None);
    assert!(error.contains("not a finite number"), "{error}");
}

fn failure(session: &Session, gpu: &Gpu, shape: Option<LaunchConfig>) -> String {
    let context = crate::systems::context(session, gpu, Precision::Mixed, shape);
    let atoms = clamps::engine::device_atoms::DeviceAtoms::new(&context, &session.system.host_atoms).unwrap();
    let made = with_spec(session, gpu, Precision::Mixed, |spec| {
        Simulation::new(spec, atoms, session.system.domain.clone().unwrap())
    });
    let error = made.err().expect("it must fail");
    format!("{error}: {:?}", error.help)
}
