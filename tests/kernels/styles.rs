//! Every pair style of the registry by itself: its energy, its force, its kernel, its mixing, its shift.

use crate::common::{chosen, label, test_devices_in};
use crate::systems::{empty, other_shape, resolved, run, simulation};
use clamps::base::random::noise_of_pair;
use clamps::gpu::options::Precision;
use clamps::potentials::pair::ResolvedPart;
use clamps::potentials::pair::registry::STYLES;
use clamps::session::Session;

/// Arguments of `pair_style`, and of `pair_coeff` for two like pairs of types; distances of about 1 and 2.
#[derive(Clone, Copy)]
struct Example {
    style: &'static str,
    arguments: &'static str,
    coefficients: [&'static str; 2],
    /// For the types 1 and 2, where the style does not mix.
    unlike: Option<&'static str>,
    end: End,
    /// How well force and energy fit together.
    slope: f64,
    /// The part of the force, per product of charges, whose energy LAMMPS leaves out.
    beside: f64,
    /// How well the correction of the tail and its integral do.
    tail: f64,
}

/// Where the energy is zero at the cutoff.
#[derive(Clone, Copy, PartialEq)]
enum End {
    WhenShifted,
    Always,
    /// LAMMPS shifts by something else.
    Never,
}

const fn mixes(style: &'static str, arguments: &'static str, coefficients: [&'static str; 2]) -> Example {
    Example {
        style,
        arguments,
        coefficients,
        unlike: None,
        end: End::WhenShifted,
        slope: 1e-8,
        beside: 0.0,
        tail: 1e-6,
    }
}

const EXAMPLES: &[Example] = &[
    Example {
        end: End::Never,
        unlike: Some("350.0 0.6 0.65 3.5 1.05"),
        ..mixes("beck", "1.9", ["400.0 0.7 0.6 3.0 1.0", "300.0 0.6 0.7 4.0 1.1 2.0"])
    },
    Example {
        unlike: Some("60.0 0.3 0.9 1.0 0.2"),
        ..mixes("born", "1.9", ["10.0 0.25 1.0 2.0 0.5", "8.0 0.2 1.1 1.5 -0.3 2.0"])
    },
    Example {
        unlike: Some("60.0 0.3 0.9 1.0 0.2"),
        ..mixes("born/coul/dsf", "0.4 1.9 1.7", ["10.0 0.25 1.0 2.0 0.5", "8.0 0.2 1.1 1.5 -0.3 2.0"])
    },
    Example {
        unlike: Some("60.0 0.3 0.9 1.0 0.2"),
        beside: -0.28354299189923504,
        ..mixes("born/coul/wolf", "0.4 1.9 1.7", ["10.0 0.25 1.0 2.0 0.5", "8.0 0.2 1.1 1.5 -0.3 2.0"])
    },
    Example {
        unlike: Some("90.0 3.0 -0.5 2.0 1.2"),
        ..mixes("born/gauss", "1.9", ["100.0 3.0 1.0 2.0 1.2", "80.0 3.1 -1.0 2.1 1.3 2.0"])
    },
    Example { unlike: Some("60.0 0.3 0.9"), ..mixes("buck", "1.9", ["100.0 0.25 2.0", "80.0 0.2 1.5 2.0"]) },
    Example {
        unlike: Some("60.0 0.3 0.9"),
        ..mixes("buck/coul/cut", "1.9 1.7", ["100.0 0.25 2.0", "80.0 0.2 1.5 1.6 2.0"])
    },
    Example {
        unlike: Some("60.0 0.3 0.9"),
        end: End::Always,
        ..mixes("buck/mdf", "1.2 1.9", ["100.0 0.25 2.0", "80.0 0.2 1.5 1.4 2.0"])
    },
    mixes("colloid", "1.9", ["40.0 0.5 0.5 0.4", "20.0 0.6 0.6 0 2.0"]),
    Example {
        unlike: Some("0.8 1.1"),
        end: End::Always,
        ..mixes("cosine/squared", "1.9", ["1.0 1.1 wca", "0.6 1.2 2.0 wca"])
    },
    Example { end: End::Always, ..mixes("coul/cut", "1.9", ["", "2.0"]) },
    Example { end: End::Always, ..mixes("coul/cut/soft", "1.5 0.6 1.9", ["0.7", "0.7 2.0"]) },
    Example { end: End::Always, ..mixes("coul/debye", "0.7 1.9", ["", "2.0"]) },
    // erfc is an approximation to 1.5e-7, the force the slope of what is approximated.
    Example { end: End::Always, slope: 3e-5, ..mixes("coul/dsf", "0.4 1.9", ["", ""]) },
    Example { unlike: Some("0.9"), end: End::Always, ..mixes("coul/shield", "1.9 1", ["0.7", "1.3 2.0"]) },
    Example { end: End::Always, ..mixes("coul/slater/cut", "0.7 1.9", ["", "2.0"]) },
    Example { end: End::Always, beside: -0.21157008573188538, ..mixes("coul/wolf", "0.4 1.9", ["", ""]) },
    Example {
        unlike: Some("20.0 3.0 1.8"),
        end: End::Always,
        ..mixes("dpd", "0.9 1.9 34387", ["25.0 4.5", "15.0 3.0 2.0"])
    },
    Example {
        unlike: Some("3.0 1.8"),
        end: End::Always,
        ..mixes("dpd/tstat", "0.9 0.9 1.9 34387", ["4.5", "3.0 2.0"])
    },
    mixes("gauss", "1.9", ["2.0 1.3", "-1.5 0.7 2.0"]),
    mixes("gauss/cut", "1.9", ["2.0 1.1 0.3", "-1.5 0.9 0.4 2.0"]),
    Example { end: End::Always, ..mixes("harmonic/cut", "", ["10.0 1.9", "4.0 2.0"]) },
    Example {
        unlike: Some("5.0 4.5"),
        end: End::Always,
        ..mixes("lennard/mdf", "1.2 1.9", ["4.0 4.0", "3.0 5.0 1.4 2.0"])
    },
    Example {
        unlike: Some("10*exp(-2*r)/r+0.3*(r-1.7)^2*erf(r)+0.1*min(r,1.2)+tan(r/4)*r^0.3 1.7"),
        ..mixes("lepton", "1.9", ["4*e*((s/r)^12-(s/r)^6);e=1;s=1", "4*e*((s/r)^12-(s/r)^6);e=0.6;s=1.2 2.0"])
    },
    Example {
        unlike: Some("qi*qj/(r+0.1)"),
        end: End::Always,
        ..mixes("lepton/coul", "1.9", ["qi*qj*exp(-k*r)/r;k=0.5", "q/r*erfc(0.4*r)+0.2*q;q=qi*qj 2.0"])
    },
    mixes("lj/class2", "1.9", ["1.0 1.0", "0.6 1.2 2.0"]),
    mixes("lj/class2/coul/cut", "1.9 1.7", ["1.0 1.0", "0.6 1.2 1.6 2.0"]),
    Example { end: End::Always, ..mixes("lj/cubic", "", ["1.0 1.0", "0.6 1.2"]) },
    mixes("lj/cut", "1.9", ["1.0 1.0", "0.6 1.2 2.0"]),
    mixes("lj/cut/coul/cut", "1.9 1.7", ["1.0 1.0", "0.6 1.2 1.6 2.0"]),
    Example {
        tail: 0.1,
        ..mixes("lj/cut/coul/cut/soft", "1.5 0.5 0.6 1.9 1.7", ["1.0 1.0 0.7", "0.6 1.2 0.7 1.6 2.0"])
    },
    mixes("lj/cut/coul/debye", "0.7 1.9 1.7", ["1.0 1.0", "0.6 1.2 1.6 2.0"]),
    Example { slope: 3e-5, ..mixes("lj/cut/coul/dsf", "0.4 1.9 1.7", ["1.0 1.0", "0.6 1.2 1.6"]) },
    Example {
        beside: -0.28354299189923504,
        ..mixes("lj/cut/coul/wolf", "0.4 1.9 1.7", ["1.0 1.0", "0.6 1.2 1.6"])
    },
    Example { tail: 0.1, ..mixes("lj/cut/soft", "2 0.5 1.9", ["1.0 1.0 0.7", "0.6 1.2 0.7 2.0"]) },
    Example { end: End::Never, ..mixes("lj/expand", "1.9", ["1.0 1.0 -0.1", "0.6 0.9 0.2 1.8"]) },
    Example { end: End::Never, ..mixes("lj/expand/sphere", "1.9", ["1.0 1.0", "0.6 0.9 1.8"]) },
    Example { end: End::Always, ..mixes("lj/gromacs", "1.2 1.9", ["1.0 1.0", "0.6 1.2 1.4 2.0"]) },
    Example { end: End::Always, ..mixes("lj/mdf", "1.2 1.9", ["1.0 1.0", "0.6 1.2 1.4 2.0"]) },
    Example { end: End::Always, ..mixes("lj/sf", "1.9", ["1.0 1.0", "0.6 1.2 2.0"]) },
    mixes("lj/smooth", "1.2 1.9", ["1.0 1.0", "0.6 1.2 1.4 2.0"]),
    Example { end: End::Always, ..mixes("lj/smooth/linear", "1.9", ["1.0 1.0", "0.6 1.2 2.0"]) },
    mixes("lj96/cut", "1.9", ["1.0 1.0", "0.6 1.2 2.0"]),
    mixes("mie/cut", "1.9", ["1.0 1.0 12 6", "0.6 1.2 9.5 4.2 2.0"]),
    Example { unlike: Some("0.8 3.0 1.1"), ..mixes("morse", "1.9", ["1.0 2.0 1.1", "0.6 5.0 0.9 2.0"]) },
    Example {
        unlike: Some("0.8 3.0 1.1"),
        end: End::Always,
        ..mixes("morse/smooth/linear", "1.9", ["1.0 2.0 1.1", "0.6 5.0 0.9 2.0"])
    },
    Example {
        unlike: Some("0.8 1.1 10 5"),
        ..mixes("nm/cut", "1.9", ["1.0 1.1 12 6", "0.6 1.2 9.5 4.2 2.0"])
    },
    Example {
        unlike: Some("0.8 1.1 10 5"),
        ..mixes("nm/cut/coul/cut", "1.9 1.7", ["1.0 1.1 12 6", "0.6 1.2 9.5 4.2 1.6 2.0"])
    },
    Example {
        end: End::Never,
        unlike: Some("0.8 3.0 1.1 0.1"),
        ..mixes("pedone", "1.9", ["1.0 2.0 1.1 0.2", "0.6 5.0 0.9 0.1 2.0"])
    },
    Example { end: End::Always, ..mixes("list", "tests/lammps/unlisted.part 1.9", ["", ""]) },
    Example { end: End::Always, ..mixes("soft", "1.9", ["10.0", "4.0 2.0"]) },
    Example {
        unlike: Some("tests/lammps/table.part EVEN 1.9"),
        end: End::Never,
        slope: 1e-3, // each is a spline of its own
        ..mixes("table", "spline 500", ["tests/lammps/table.part EVEN", "tests/lammps/table.part EVEN 2.0"])
    },
    mixes("ufm", "1.9", ["20.0 1.0", "15.0 0.9 2.0"]),
    Example {
        unlike: Some("0.8 1.1 1 2"),
        end: End::Always,
        ..mixes("wf/cut", "1.9", ["1.0 1.0 1 1", "0.6 1.2 2 3 2.0"])
    },
    mixes("yukawa", "0.8 1.9", ["10.0", "4.0 2.0"]),
    mixes("yukawa/colloid", "0.8 1.9", ["10.0", "4.0 2.0"]),
    Example { end: End::Always, ..mixes("zbl", "1.2 1.9", ["14 14", "6 6"]) },
    Example { end: End::Always, ..mixes("zero", "1.9", ["", "2.0"]) },
];

/// Not in the registry: the styles of others, here up to four per pair of types.
const OVERLAY: Example = mixes(
    "hybrid/overlay",
    "lj/cut 1.9 morse 1.6 lj/cut 1.5 table spline 500 coul/debye 0.5 1.7 coul/dsf 0.4 1.9",
    ["lj/cut 1 1.0 1.0", "morse 0.6 5.0 0.9 2.0"],
);

fn example(style: &str) -> &'static Example {
    let found = EXAMPLES.iter().chain([&OVERLAY]).find(|example| example.style == style);
    found.unwrap_or_else(|| panic!("pair style {style} needs a line in EXAMPLES"))
}

/// Two types with the style's example, in a large box without atoms.
fn session(example: &Example, modify: &[&str]) -> Session {
    state_of(example, 2, modify)
}

/// As [`session`], with both types or the first alone.
fn state_of(example: &Example, types: usize, modify: &[&str]) -> Session {
    let mut session = empty([400.0, 12.0, 12.0], "f f f", types);
    let Example { style, arguments, coefficients, unlike, .. } = example;
    run(&mut session, &[&format!("pair_style {style} {arguments}")]);
    run(&mut session, modify);
    for (i, numbers) in coefficients[..types].iter().enumerate() {
        run(&mut session, &[&format!("pair_coeff {} {} {numbers}", i + 1, i + 1)]);
    }
    if *style == OVERLAY.style {
        run(
            &mut session,
            &[
                "pair_coeff 1 * lj/cut 2 0.7 0.9",
                "pair_coeff 1 * table tests/lammps/table.part EVEN",
                "pair_coeff 1 * coul/debye",
                "pair_coeff 1 1 coul/dsf",
            ],
        );
    }
    if let (Some(numbers), 2) = (unlike, types) {
        run(&mut session, &[&format!("pair_coeff 1 2 {numbers}")]);
    }
    give_radii(&mut session, &[0.3, 0.2][..types]);
    session
}

/// As atoms of style sphere give them, by type.
fn give_radii(session: &mut Session, radii: &[f64]) {
    if let Some(pair) = &mut session.force_field.pair {
        pair.set_radii(radii);
    }
}

/// Distances from strong repulsion to just inside the cutoff.
fn distances(cutoff: f64) -> impl Iterator<Item = f64> {
    (0..60).map(move |k| 0.8 + (cutoff * 0.999 - 0.8) * f64::from(k) / 59.0)
}

#[test]
fn host_forces_are_slopes_of_host_energies() {
    for (name, _) in STYLES {
        let session = session(example(name), &[]);
        let pair = &resolved(&session).parts[0];
        for params in pair.params.iter().flatten() {
            // Where the Coulomb part ends before the other, there is a step in the energy.
            let end = match params {
                [.., first, other] if name.contains("/coul/") => first.min(*other),
                _ => pair.style.cutoff(params),
            };
            for r in distances(end) {
                let h = 1e-5 * r;
                // With opposite charges of size 1.
                let both = |r: f64| {
                    let (of_all, of_charges) =
                        (pair.style.evaluate(params, r * r), pair.style.coulomb(params, r * r, 0.0));
                    (of_all.0 - of_charges.0, of_all.1 - of_charges.1)
                };
                let energy = |r: f64| both(r).1;
                // Fourth order: far better than what is asked of it.
                let slope = (8.0 * (energy(r + h) - energy(r - h))
                    - (energy(r + 2.0 * h) - energy(r - 2.0 * h)))
                    / (12.0 * h);
                let force = both(r).0 * r + example(name).beside;
                let close =
                    (force + slope).abs() <= example(name).slope * (force.abs() + energy(r).abs() + 1e-2);
                assert!(close, "{name} at r = {r}: {force} {slope}");
            }
        }
    }
}

/// One pair of atoms per distance, each far from the next. With one type the coefficients are constants of the
/// program, with two they are read: half of the styles in single and half in double precision, or all with CLAMPS_TESTS=full.
fn kernels_are_what_the_host_says(precision: Precision, types: usize) {
    for gpu in test_devices_in(precision) {
        let names = STYLES.iter().map(|(name, _)| *name).chain(["hybrid/overlay"]);
        for (_, name) in
            names.enumerate().filter(|(k, _)| types == 1 || chosen(&[*k, precision as usize / 2]))
        {
            let shape = (types == 1).then(|| other_shape(&gpu, precision));
            let place = format!("{name} {precision:?} on {}", label(gpu.info()));
            let mut session = state_of(example(name), types, &["pair_modify shift yes"]);
            let pairs = [(1, 1), (2, 2), (1, 2)];
            let longest = resolved(&session).cutoffs().into_iter().fold(0.0, f64::max);
            let mut expected = Vec::new();
            for k in 0..60 {
                let (i, j) = if types == 1 { (1, 1) } else { pairs[k % 3] };
                let x = 6.0 * k as f64 + 1.0;
                let r = distances(longest).nth(k).unwrap();
                let tag = 2 * k as u32 + 1;
                session.system.host_atoms.push(tag, i, [x, 5.0, 5.0]);
                let other = [x + r / 3.0, 5.0 + r * 2.0 / 3.0, 5.0 - r * 2.0 / 3.0];
                session.system.host_atoms.push(tag + 1, j, other);
                let [a, b] = [2 * k, 2 * k + 1].map(|k| session.system.host_atoms.x[k]);
                let rsq = (0..3).map(|d| (a[d] - b[d]).powi(2)).sum();
                let (i, j) = (i as usize, j as usize);
                let (fpair, energy) = resolved(&session).evaluate(i, j, rsq);
                let (pull, coulomb) = resolved(&session).coulomb(i, j, rsq, 0.0);
                // Charges of either sign, in the units of LJ.
                let q = [0.7 + 0.01 * k as f64, if k % 2 == 0 { -0.8 } else { 1.1 }];
                session.system.host_atoms.charge[2 * k] = q[0];
                session.system.host_atoms.charge[2 * k + 1] = q[1];
                session.system.host_atoms.molecule[2 * k] = 1;
                let own = resolved(&session).own_energies()[i - 1] * q[0] * q[0];
                let coulomb = 0.5 * q[0] * q[1] * coulomb + own;
                let v = [0.3 + 0.02 * k as f64, -0.4];
                session.system.host_atoms.v[2 * k][0] = v[0];
                session.system.host_atoms.v[2 * k + 1][1] = v[1];
                let (friction, noise) = resolved(&session).friction(i, j, rsq);
                let rv = (a[0] - b[0]) * v[0] - (a[1] - b[1]) * v[1];
                let seed = resolved(&session).seed().unwrap_or(1);
                let noise = noise * noise_of_pair(tag, tag + 1, 0, seed) / session.clock.dt.sqrt();
                let pull = (fpair + q[0] * q[1] * pull + friction * rv + noise) * (a[0] - b[0]);
                expected.push((pull, 0.5 * energy + coulomb, coulomb, tag));
            }
            let simulation = simulation(&session, &gpu, precision, shape);
            let atoms = crate::systems::download(&simulation);
            let forces = simulation.atoms.forces().unwrap();
            let tallies =
                simulation.step_kernels.tally.read(clamps::gpu::record::Section::Output, 8 * 120).unwrap();
            // OpenCL allows 3 ulp for a root and 2.5 for a quotient in fp32, which a thirteenth power of both multiplies.
            let near = if precision == Precision::Double { 1e-12 } else { 6e-6 };
            // Up to four styles of an overlay have an error each.
            let least = if name == OVERLAY.style { 4.0 } else { 1.0 };
            let charged = resolved(&session).seen().charges;
            let coulombs = match &simulation.step_kernels.coulomb {
                Some(coulombs) => coulombs.read(clamps::gpu::record::Section::Output, 120).unwrap(),
                None => vec![0.0; 120],
            };
            assert_eq!(simulation.step_kernels.coulomb.is_some(), charged);
            for (force, energy, coulomb, tag) in expected {
                let k = atoms.tag.iter().position(|&t| t == tag).unwrap();
                // Sums of terms of opposite sign: errors by the size of the terms.
                assert!((forces[k][0] - force).abs() <= near * force.abs().max(least), "{tag} {place}");
                let (found, size) = (tallies[8 * k], energy.abs().max(least));
                assert!((found - energy).abs() <= near * size, "{tag} {found} {energy} {place}");
                if charged {
                    let (found, size) = (coulombs[k], coulomb.abs().max(least));
                    assert!((found - coulomb).abs() <= near * size, "{tag} {found} {coulomb} {place}");
                }
            }
        }
    }
}

#[test]
fn kernels_in_single_precision() {
    in_third!(2);
    apart!("cheap");
    kernels_are_what_the_host_says(Precision::Single, 2);
}

#[test]
fn kernels_in_mixed_precision() {
    in_third!(1);
    apart!();
    kernels_are_what_the_host_says(Precision::Mixed, 1);
}

#[test]
fn kernels_in_double_precision() {
    in_third!(2);
    apart!("cheap");
    kernels_are_what_the_host_says(Precision::Double, 2);
}

#[test]
fn mixing_is_symmetric() {
    for (name, _) in STYLES {
        for rule in ["geometric", "arithmetic", "sixthpower"] {
            let mut example = *example(name);
            if example.unlike.take().is_some() {
                let session = session(&example, &[]);
                let error = session.force_field.pair.as_ref().unwrap().resolve().err().unwrap();
                assert_eq!(error.message, "pair_coeff: no coefficients for the types 1 2", "{name}");
                continue;
            }
            let mix = format!("pair_modify mix {rule}");
            let one = session(&example, &[&mix]);
            example.coefficients.reverse();
            let mut other = session(&example, &[&mix]);
            give_radii(&mut other, &[0.2, 0.3]);
            let (one, other) = (resolved(&one), resolved(&other));
            assert_eq!(one.mixed, (1, 1));
            let (one, other) = (&one.parts[0], &other.parts[0]);
            assert_eq!(one.params.get(1), one.params.get(2), "{name} {rule}");
            // Numbers of either type stand in the order of the types.
            let sorted = |params: Option<&[f64]>| {
                let mut numbers = params.unwrap().to_vec();
                numbers.sort_by(f64::total_cmp);
                numbers
            };
            assert_eq!(sorted(one.params.get(1)), sorted(other.params.get(1)), "{name} {rule}");
            let energy = |part: &ResolvedPart<'_>| part.style.evaluate(part.params.get(1).unwrap(), 1.1);
            assert_eq!(energy(one), energy(other), "{name} {rule}");
            assert_eq!(one.params.get(0), other.params.get(3), "{name} {rule}");
        }
    }
}

/// What a data file says of the coefficients gives the same ones again, with all words and without those of `pair_style`.
#[test]
fn words_read_back() {
    for ((name, _), all) in STYLES.iter().flat_map(|style| [(style, false), (style, true)]) {
        let mut session = session(example(name), &[]);
        let params = resolved(&session).parts[0].params.to_vec();
        let pairs = [(1, 1), (1, 2), (2, 2)];
        let words = pairs.map(|(i, j)| {
            let params = params[(i - 1) * 2 + j - 1].as_ref().unwrap();
            let style = &resolved(&session).parts[0].style;
            let last = style.last_word(params);
            style.words(params, all).map(|words| {
                words.iter().map(f64::to_string).chain(last.map(str::to_owned)).collect::<Vec<_>>()
            })
        });
        if matches!(*name, "lepton" | "lepton/coul" | "table") {
            assert!(words.iter().all(Option::is_none));
            continue;
        }
        let Example { style, arguments, .. } = example(name);
        run(&mut session, &[&format!("pair_style {style} {arguments}")]);
        for ((i, j), words) in pairs.iter().zip(words) {
            run(&mut session, &[&format!("pair_coeff {i} {j} {}", words.unwrap().join(" "))]);
        }
        give_radii(&mut session, &[0.3, 0.2]);
        assert_eq!(resolved(&session).parts[0].params.to_vec(), params, "{name} {all}");
    }
}

/// Numbers from the formulas of the manual, worked out by hand.
#[test]
fn lj_mixes_by_the_rules() {
    let mut session = empty([10.0; 3], "p p p", 2);
    run(&mut session, &["pair_style lj/cut 2.0", "pair_coeff 1 1 1.0 1.0 2.0", "pair_coeff 2 2 4.0 2.0 5.0"]);
    for (rule, expected) in [
        ("geometric", [2.0, 2.0_f64.sqrt(), 10.0_f64.sqrt()]),
        ("arithmetic", [2.0, 1.5, 3.5]),
        // 2 * sqrt(4) * 1 * 8 / (1 + 64), (65 / 2)^(1/6), ((64 + 15625) / 2)^(1/6)
        ("sixthpower", [32.0 / 65.0, 32.5_f64.powf(1.0 / 6.0), 7844.5_f64.powf(1.0 / 6.0)]),
    ] {
        run(&mut session, &[&format!("pair_modify mix {rule}")]);
        let found = resolved(&session).parts[0].params.get(1).unwrap().to_vec();
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14 * expected, "{rule}: {found} {expected}");
        }
    }
}

#[test]
fn energies_end_at_zero_when_they_should() {
    for (name, _) in STYLES {
        for (modify, shifted) in [("pair_modify shift yes", true), ("pair_modify shift no", false)] {
            let session = session(example(name), &[modify]);
            let pair = resolved(&session);
            for (i, j) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
                let part = &pair.parts[0];
                let cutoff = part.style.reach(part.params.get((i - 1) * 2 + j - 1).unwrap());
                let energy = pair.evaluate(i, j, (cutoff * (1.0 - 1e-12)).powi(2)).1;
                let zero = match example(name).end {
                    End::WhenShifted => shifted,
                    End::Always => true,
                    End::Never => false,
                };
                assert_eq!(energy.abs() < 1e-10, zero, "{name} {i} {j}: {energy}");
                assert_eq!(pair.evaluate(i, j, cutoff.powi(2)), (0.0, 0.0));
            }
        }
    }
}

/// The tail corrections are the integrals that they stand for (Allen and Tildesley, section 2.8):
/// 2 pi int E r^2 dr and 2/3 pi int F r^3 dr from the cutoff on, per pair of atoms.
#[test]
fn tails_are_integrals() {
    for (name, _) in STYLES {
        let session = session(example(name), &["pair_modify tail yes"]);
        let pair = &resolved(&session).parts[0];
        for params in pair.params.iter().flatten() {
            let Some((energy, pressure)) = pair.style.tail(params) else { continue };
            // With r = cutoff / t the integrals run over 0 < t < 1; the midpoint rule.
            let (cutoff, steps) = (pair.style.reach(params), 20_000);
            let mut sums = (0.0, 0.0);
            for k in 0..steps {
                let t = (f64::from(k) + 0.5) / f64::from(steps);
                let r = cutoff / t;
                let (fpair, e) = pair.style.evaluate(params, r * r);
                let dr = cutoff / (t * t) / f64::from(steps);
                sums.0 += 2.0 * std::f64::consts::PI * e * r * r * dr;
                sums.1 += 2.0 / 3.0 * std::f64::consts::PI * fpair * r.powi(4) * dr;
            }
            let tail = example(name).tail;
            assert!((sums.0 / energy - 1.0).abs() < tail, "{name}: {} {energy}", sums.0);
            assert!((sums.1 / pressure - 1.0).abs() < tail, "{name}: {} {pressure}", sums.1);
        }
    }
}
