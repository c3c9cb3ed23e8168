//! Boxes and regions by themselves, and the random numbers.

use super::{expand, run};
use clamps::base::random::ParkMiller;
use clamps::model::domain::{Boundary, Domain};
use proptest::prelude::*;

const P: [Boundary; 2] = [Boundary::Periodic; 2];

proptest! {
    #[test]
    fn wrapping_keeps_the_unwrapped_position(
        lo in -50.0..50.0_f64, length in 0.1..100.0_f64, turns in -200.0..200.0_f64, start in -5..5_i32,
    ) {
        let open = [Boundary::Fixed; 2];
        let domain = Domain::new([lo; 3], [lo + length; 3], [P, open, P]).unwrap();
        let given = [lo + turns * length, 3e5, lo];
        let (mut x, mut image) = (given, [start; 3]);
        domain.wrap(&mut x, &mut image);
        prop_assert!(lo <= x[0] && x[0] < domain.hi[0]);
        let l = domain.lengths()[0];
        let back = x[0] + f64::from(image[0] - start) * l;
        prop_assert!((back - given[0]).abs() <= 1e-11 * (lo.abs() + 200.0 * l), "{} {}", back, given[0]);
        prop_assert_eq!((x[1], image[1], x[2], image[2]), (3e5, start, lo, start));
    }
}

#[test]
fn wrapping_ends_whatever_comes() {
    let domain = Domain::new([0.0; 3], [1.0; 3], [P; 3]).unwrap();
    for x in [-1e-17, 1.0, -1.0, 1e18, -1e300, f64::MAX, 1.0 - f64::EPSILON, -5e-324, 63.999, 65.5, -64.5] {
        let (mut x, mut image) = ([x; 3], [0; 3]);
        domain.wrap(&mut x, &mut image);
        assert!(x.iter().all(|x| (0.0..1.0).contains(x)), "{x:?}");
    }
    // Half a bit below the lower face: adding the length gives the upper one, which is the lower one.
    let (mut x, mut image) = ([-1e-17, 0.0, 0.0], [0; 3]);
    domain.wrap(&mut x, &mut image);
    assert_eq!((x[0], image[0]), (0.0, 0));
}

#[test]
fn faces_follow_the_atoms() {
    // Box 0..3.36 x 0..1.68, faces s and m; atoms moved by 0.5 along x. Numbers: LAMMPS, write_data after
    // displace_atoms.
    let mut domain = run("boundary s m p; lattice fcc 0.8442; region b block 0 2 0 1 0 1; create_box 1 b")
        .system
        .domain
        .unwrap();
    domain.shrink_around(&[[0.5, 0.0, 0.1], [3.8591923827650145, 0.8397980956912536, 1.5]]);
    assert_eq!(domain.lo, [0.4996640807617235, -0.00016795961913825073, 0.0]);
    assert_eq!(domain.hi, [3.859528302003291, 1.6795961913825073, 1.6795961913825073]);
    let before = domain.clone();
    domain.shrink_around(&[]);
    assert_eq!(domain, before);
}

/// Where a box that leans gets shorter its other faces go through other atoms, so that no atom is outside.
#[test]
fn leaning_faces_follow_the_atoms() {
    let mut domain =
        run("boundary s s m; region b prism 0 4 0 9 0 7 1.5 -0.5 0.8; create_box 1 b").system.domain.unwrap();
    let x = [[1.0, 2.0, 1.5], [3.0, 4.0, 2.0], [2.2, 3.1, 4.5], [4.1, 3.3, 2.9]];
    domain.shrink_around(&x);
    assert!(x.iter().all(|x| domain.contains(*x)), "{domain:?}");
    assert_eq!((domain.lo[2], domain.hi[2], domain.tilt), (0.0, 7.0, [1.5, -0.5, 0.8]));
    // The nearest atom is as far from a face as the margin says: 1e-4 of the box as it was defined.
    for (d, margin) in [(0, 4e-4), (1, 9e-4)] {
        let x: Vec<f64> = x.iter().map(|x| domain.straighten(*x)[d]).collect();
        let least = x.iter().fold(f64::INFINITY, |least, x| least.min(x - domain.lo[d]));
        let most = x.iter().fold(f64::INFINITY, |least, x| least.min(domain.hi[d] - x));
        assert!((least - margin).abs() < 1e-12 && (most - margin).abs() < 1e-12, "{d}: {least} {most}");
    }
    let before = domain.clone();
    domain.shrink_around(&x);
    assert_eq!(domain, before);
}

/// An `m` face counts from where it is when `change_box` alters a tilt. Numbers: LAMMPS.
#[test]
fn faces_stay_outside_of_where_a_change_of_tilts_finds_them() {
    let domain = run("boundary p p m; region b prism 0 5 0 5 0 8 1 0.5 -1; create_box 1 b; mass 1 1; create_atoms 1 single 2 2 5; \
                      displace_atoms all move 0 0 12 units box; change_box all xy final 0.2 units box; \
                      displace_atoms all move 0 0 -12 units box")
    .system.domain
    .unwrap();
    assert_eq!(domain.lo[2], 0.0);
    assert!((domain.hi[2] - 17.0008).abs() < 1e-12, "{}", domain.hi[2]);
}

#[test]
fn regions_lie_within_their_bounds() {
    let session = run(&expand(
        "MELT region a sphere 2 2 1.5 1.2; region b cylinder y 2 1 0.7 1 3; region c cone z 2 2 0.2 1.5 0.5 2;
         region d block 1 4 EDGE 2 INF 1.5; region e union 3 a b c; region f intersect 2 d e; region g plane 1 1 1 1 0 0;
         region h intersect 2 g a; region i prism 1 3 0.5 2 0.2 2 0.9 -0.7 0.5",
    ));
    for name in ["a", "b", "c", "d", "e", "f", "h", "i"] {
        let region = session.system.regions.get(name).unwrap();
        let [lo, hi] = region.bounds().unwrap();
        let mut inside = 0;
        for n in 0..64_000 {
            let x = [n % 40, n / 40 % 40, n / 1600].map(|k| f64::from(k) * 0.2);
            if region.contains(x) {
                inside += 1;
                assert!((0..3).all(|d| lo[d] <= x[d] && x[d] <= hi[d]), "{name} {x:?}");
            }
        }
        assert!(inside > 20, "{name} {inside}");
    }
    assert!(session.system.regions.get("g").unwrap().bounds().is_none());
}

/// The numbers of atoms that LAMMPS makes.
#[test]
fn prisms_hold_as_many_atoms_as_in_lammps() {
    let start = "lattice fcc 0.8442; region box prism 0 4 0 4 0 4 0 0 0; create_box 1 box; ";
    for (prism, count) in [
        ("0.3 2.8 0.2 3.1 0.4 3.3 0.9 -0.7 0.5", 83),
        ("0.3 2.8 0.2 3.1 0.4 3.3 0.9 -0.7 0.5 side out", 173),
        ("0.55 3.2 0.25 2.6 0.45 4.0 -0.45 0.3 -0.35 units box", 15),
    ] {
        let session = run(&format!("{start}region p prism {prism}; create_atoms 1 region p"));
        assert_eq!(session.atom_count(), count, "{prism}");
    }
}

/// In a leaning box EDGE is the block around it, but for prisms the box's own axes. The numbers of atoms are LAMMPS's.
#[test]
fn edges_of_leaning_boxes_are_those_of_lammps() {
    let start = "lattice sc 1; region b prism -1 11 0 8 0 10 5 -3 -3; create_box 1 b; region r ";
    let lattice = "; lattice sc 8 origin 0.13 0.27 0.41; ";
    let all = 7680;
    for (region, count) in [
        ("prism EDGE 6 EDGE EDGE EDGE EDGE 0 0 0", 2792),
        ("prism EDGE EDGE EDGE EDGE EDGE EDGE 5 -3 -3", all),
        ("prism EDGE EDGE EDGE EDGE EDGE EDGE -4 2 1.5 side out", 3384),
        ("prism 2 EDGE 1 EDGE 3 EDGE 1 1 1", 2295),
        ("prism EDGE EDGE INF INF EDGE EDGE 0 1 0", 6680),
        ("prism EDGE EDGE EDGE EDGE INF INF 1 0 0", 5716),
        ("block EDGE 6 EDGE EDGE EDGE EDGE", 3704),
        ("block EDGE EDGE EDGE 4 2 EDGE", 4344),
        ("block INF 3 -2 INF INF EDGE", 1734),
        ("cylinder x 4 5 3 EDGE 2", 228),
        ("cylinder y 3 3 2 -2 EDGE", 715),
        ("cylinder z 4 5 3 EDGE INF", 1603),
        ("cone x 4 5 3 1 EDGE EDGE", 1142),
        ("cone y 4 5 1 4 EDGE EDGE", 1263),
        ("cone z 4 5 1 3 EDGE EDGE side out", 6860),
    ] {
        let made = run(&format!("{start}{region}{lattice}create_atoms 1 region r"));
        let left = run(&format!("{start}{region}{lattice}create_atoms 1 box; delete_atoms region r"));
        assert_eq!((made.atom_count(), left.atom_count()), (count, all - count), "{region}");
    }
}

/// As in LAMMPS such commands do nothing where there are no atoms, but change the box.
#[test]
fn commands_do_nothing_without_atoms() {
    let start = "atom_style bond; region b block 0 4 0 4 0 4; create_box 1 b bond/types 1; mass 1 1; variable a atom 1; ";
    for (command, lx) in [
        ("change_box all triclinic", 4.0),
        ("change_box all x scale 2 remap", 8.0),
        ("change_box all boundary f f f", 4.0),
        ("displace_atoms all move 1 0 0", 4.0),
        ("displace_atoms all random 1 1 1 55", 4.0),
        ("displace_atoms all rotate 0 0 0 0 0 1 30", 4.0),
        ("delete_atoms group all", 4.0),
        ("delete_atoms region b", 4.0),
        ("delete_atoms variable a", 4.0),
        ("delete_atoms overlap 0.5 all all", 4.0),
        ("delete_atoms random fraction 0.5 yes all NULL 123", 4.0),
        ("replicate 2 1 1", 8.0),
        ("replicate 2 2 2 bond/periodic", 8.0),
        ("reset_atoms id sort yes", 4.0),
        ("reset_atoms mol all", 4.0),
        ("reset_atoms image all", 4.0),
        ("create_bonds many all all 1 0 1", 4.0),
    ] {
        let session = run(&format!("{start}{command}"));
        assert_eq!((session.atom_count(), session.domain().unwrap().lengths()[0]), (0, lx), "{command}");
    }
}

/// Variables may stand for the limits and tilts of a prism, too.
#[test]
fn prisms_change_by_variables() {
    let start = "lattice sc 1; region b block 0 8 0 8 0 8; create_box 1 b; create_atoms 1 box; \
        variable top equal 4; variable lean equal 3; ";
    for (prism, numbers) in [
        ("0 v_top 0 6 0 6 v_lean 0 0", "0 4 0 6 0 6 3 0 0"),
        ("0 4 0 v_top 1 6 1 v_lean -1", "0 4 0 4 1 6 1 3 -1"),
        ("0 4 0 6 0 v_top 1 0 v_lean", "0 4 0 6 0 4 1 0 3"),
    ] {
        let left = |region: &str| {
            run(&format!("{start}region r prism {region}; delete_atoms region r")).atom_count()
        };
        assert_eq!(left(prism), left(numbers), "{prism}");
        assert!(left(prism) < 512, "{prism}");
    }
}

#[test]
fn park_and_miller_published_this_number() {
    // Comm. ACM 31, 1192: from seed 1, the 10,000th seed is 1043618065.
    let mut random = ParkMiller::new(1);
    random.skip(9_999);
    assert_eq!(random.uniform(), 1_043_618_065.0 * (1.0 / 2_147_483_647.0));
}

#[test]
fn gaussian_numbers_have_the_moments_of_a_normal_distribution() {
    let mut random = ParkMiller::new(4711);
    let numbers: Vec<f64> = (0..200_000).map(|_| random.gaussian()).collect();
    // Standard errors: 0.0022, 0.0032, 0.022.
    for (power, moment, tolerance) in [(1, 0.0, 0.01), (2, 1.0, 0.015), (4, 3.0, 0.1)] {
        let mean = numbers.iter().map(|x| x.powi(power)).sum::<f64>() / 200_000.0;
        assert!((mean - moment).abs() < tolerance, "{power}: {mean}");
    }
}
