//! Whether runs sample what they are to sample: the canonical kinetic energy, the density at a pressure, diffusion by two
//! ways. Short and seeded; bounds are four standard errors or more, and next to each stands what a wrong program gives.

#[macro_use]
mod common;

use clamps::base::log::Log;
use clamps::commands::interpreter::{Echo, Interpreter};
use clamps::gpu::options::{Precision, TimingMode};
use clamps::script::variables::Variables;
use clamps::session::Session;
use clamps::session::options::Options;

/// What a script leaves in the log.
fn log_of(script: &str) -> String {
    let gpu = common::own_gpu();
    let precision = Some(if gpu.info().fp64 { Precision::Mixed } else { Precision::Single });
    let options = Options { precision, timing: TimingMode::Off, ..Options::default() };
    let mut session = Session::new(options, Log::memory(), Variables::default());
    session.device.gpu = Some(gpu);
    let mut interpreter = Interpreter::new(session, Echo::None);
    interpreter.run("in.test", script).unwrap_or_else(|error| panic!("{}", error.render(false)));
    interpreter.session.output.log.text().to_owned()
}

/// The numbers of the lines that begin with a word.
fn printed(log: &str, name: &str) -> Vec<Vec<f64>> {
    let lines = log.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    lines.map(|line| line.split_whitespace().map(|x| x.parse().expect("a number")).collect()).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn fluid(density: f64, cells: u32, cutoff: f64, temperature: f64) -> String {
    format!(
        "units lj\natom_style atomic\nlattice fcc {density}\nregion box block 0 {cells} 0 {cells} 0 {cells}
        create_box 1 box\ncreate_atoms 1 box\nmass 1 1.0\nvelocity all create {temperature} 87287 loop geom
        pair_style lj/cut {cutoff}\npair_coeff 1 1 1 1\nneighbor 0.3 bin\nneigh_modify every 5 delay 0 check yes
        thermo 1000\n"
    )
}

/// Chi-square, over 8 bins of equal probability, of sums of squares against the law of so many degrees of freedom.
/// E. B. Wilson and M. M. Hilferty, PNAS 17, 684 (1931): the cube root of such a sum is normal, to better than 1e-3 here.
fn chi_square(sums: &[f64], freedom: f64) -> f64 {
    // Where the normal law has passed 1/8, 2/8 and 3/8 of its way up from the middle.
    let edges = [-1.150_349, -0.674_490, -0.318_639, 0.0, 0.318_639, 0.674_490, 1.150_349];
    let spread = 2.0 / (9.0 * freedom);
    let mut bins = [0.0; 8];
    for sum in sums {
        let normal = ((sum / freedom).cbrt() - (1.0 - spread)) / spread.sqrt();
        bins[edges.iter().filter(|edge| normal > **edge).count()] += 1.0;
    }
    let expected = sums.len() as f64 / 8.0;
    bins.iter().map(|count: &f64| (count - expected).powi(2) / expected).sum()
}

/// 108 atoms at T = 1: m v v over all is a chi-square variable. nvt keeps the momentum at 0, which takes three degrees of
/// freedom away; langevin does not.
#[test]
fn kinetic_energies_are_canonical() {
    in_third!(1);
    apart!();
    let sample = |fixes: &str| {
        let script = format!(
            "{}fix 1 all {fixes}\nrun 400\nvariable mvv equal 321*temp
            fix sample all print 40 \"mvv ${{mvv}}\"\nrun 12000\n",
            fluid(0.8442, 3, 2.5, 1.44)
        );
        let sums = printed(&log_of(&script), "mvv").concat();
        assert!(sums.len() >= 300, "{}", sums.len());
        sums
    };
    // Seven degrees of freedom: a right program is above 45 once in ten million times.
    let nvt = chi_square(&sample("nvt temp 1.0 1.0 0.1"), 321.0);
    let noisy = chi_square(&sample("nve\nfix 2 all temp/csld 1.0 1.0 0.2 48279"), 321.0);
    let langevin = chi_square(&sample("nve\nfix 2 all langevin 1.0 1.0 0.2 48279"), 324.0);
    // Scaling towards a temperature is known to keep fluctuations down.
    let scaled = chi_square(&sample("nve\nfix 2 all temp/berendsen 1.0 1.0 0.2"), 321.0);
    eprintln!(
        "chi-square of 7: nvt {nvt:.1}, temp/csld {noisy:.1}, langevin {langevin:.1}, temp/berendsen {scaled:.1}"
    );
    assert!(nvt < 45.0 && noisy < 45.0 && langevin < 45.0, "{nvt} {noisy} {langevin}");
    assert!(scaled > 80.0, "{scaled}");
}

/// Pressure of the Lennard-Jones fluid at a density and a temperature. J. K. Johnson, J. A. Zollweg, K. E. Gubbins, Mol.
/// Phys. 78, 591 (1993): a modified Benedict-Webb-Rubin equation, fitted to simulations of the whole potential; tables 5, 6
/// and 10.
fn equation_of_state(density: f64, t: f64) -> f64 {
    let x = [
        0.8623085097507421,
        2.976218765822098,
        -8.402230115796038,
        0.1054136629203555,
        -0.8564583828174598,
        1.582759470107601,
        0.7639421948305453,
        1.753173414312048,
        2.798291772190376e3,
        -4.839422026085766e-2,
        0.9963265197721935,
        -3.698000291272493e1,
        2.084012299434647e1,
        8.305402124717285e1,
        -9.574799715203068e2,
        -1.477746229234994e2,
        6.398607852471505e1,
        1.603993673294834e1,
        6.805916615864377e1,
        -2.791293578795945e3,
        -6.245128304568454,
        -8.11683610495841e3,
        1.488735559561229e1,
        -1.059346754655084e4,
        -1.131607632802822e2,
        -8.867771540418822e3,
        -3.986982844450543e1,
        -4.689270299917261e3,
        2.593535277438717e2,
        -2.694523589434903e3,
        -7.218487631550215e2,
        1.721802063863269e2,
    ];
    // The sum over coefficients from `first` on, each divided by a power of the temperature.
    let sum = |first: usize, powers: &[f64]| -> f64 {
        powers.iter().enumerate().map(|(k, power)| x[first - 1 + k] * t.powf(-power)).sum()
    };
    let powers = [
        sum(1, &[-1.0, -0.5, 0.0, 1.0, 2.0]),
        sum(6, &[-1.0, 0.0, 1.0, 2.0]),
        sum(10, &[-1.0, 0.0, 1.0]),
        sum(13, &[0.0]),
        sum(14, &[1.0, 2.0]),
        sum(16, &[1.0]),
        sum(17, &[1.0, 2.0]),
        sum(19, &[2.0]),
    ];
    let damped = [
        sum(20, &[2.0, 3.0]),
        sum(22, &[2.0, 4.0]),
        sum(24, &[2.0, 3.0]),
        sum(26, &[2.0, 4.0]),
        sum(28, &[2.0, 3.0]),
        sum(30, &[2.0, 3.0, 4.0]),
    ];
    let series = |terms: &[f64], step: i32, first: i32| -> f64 {
        terms.iter().zip(0..).map(|(term, k)| term * density.powi(first + step * k)).sum()
    };
    density * t + series(&powers, 1, 2) + (-3.0 * density * density).exp() * series(&damped, 2, 3)
}

/// Pressures at T = 0.85 by NVT Monte Carlo, cut at 3 with long-range corrections: NIST Standard Reference Simulation Website,
/// https://mmlapps.nist.gov/srs/LJ_PURE/mc.htm. The equation of state's differ from them by what it is good for.
#[test]
fn published_pressures_agree() {
    apart!();
    for (density, nist) in [(0.776, 6.7714e-3), (0.78, 4.7924e-2), (0.82, 5.5355e-1), (0.86, 1.2660)] {
        let pressure = equation_of_state(density, 0.85);
        assert!((pressure - nist).abs() < 0.007, "{pressure} at {density}, {nist} by Monte Carlo");
    }
}

/// The fluid at T = 0.85 and the pressure that Monte Carlo gives for a density of 0.82; by the equation of state it is 0.8198.
/// Its compressibility makes an error of 0.003 of this run's mean.
#[test]
fn npt_has_the_density_of_the_equation_of_state() {
    in_third!(3);
    apart!();
    if !common::test_devices_with(TimingMode::Off)[0].info().fp64 {
        return;
    }
    let script = format!(
        "{}pair_modify tail yes\nfix 1 all npt temp 0.85 0.85 0.5 iso 0.55355 0.55355 1.0\nrun 1500
        variable density equal density\nfix sample all print 10 \"whole ${{density}}\"\nrun 4000\nunfix sample
        pair_modify tail no\nrun 1000\nfix sample all print 10 \"cut ${{density}}\"\nrun 2000\n",
        fluid(0.80, 4, 3.0, 1.7)
    );
    let log = log_of(&script);
    let [whole, cut] = ["whole", "cut"].map(|name| mean(&printed(&log, name).concat()));
    let slope = (equation_of_state(0.83, 0.85) - equation_of_state(0.81, 0.85)) / 0.02;
    let published = 0.82 + (0.55355 - equation_of_state(0.82, 0.85)) / slope;
    eprintln!("density {whole:.4}, {published:.4} published; {cut:.4} without the long-range correction");
    assert!((published - 0.82).abs() < 0.001, "{published}");
    assert!((whole - published).abs() < 0.012, "{whole}");
    // Without the correction the pressure is 0.42 lower, the density 0.027.
    assert!((cut - 0.82).abs() > 0.016, "{cut}");
}

/// Half the slope of the mean square displacement, and the integral of the velocity autocorrelation: the same diffusion
/// coefficient (Green and Kubo), here over one unit of time, the mean of 12 times.
#[test]
fn diffusion_by_displacement_and_by_velocity_agree() {
    in_third!(3);
    apart!();
    let script = format!(
        "{}fix 1 all nve\nrun 1000\nvariable i loop 12\nlabel again\ncompute m all msd\ncompute v all vacf
        fix m all vector 5 c_m[4]\nfix v all vector 1 c_v[4]\nvariable sum equal dt*trap(f_v)/3
        variable early equal (f_m[3]-f_m[1])/6/10/dt\nvariable late equal (f_m[41]-f_m[31])/6/50/dt\nrun 200
        print \"D ${{late}} ${{sum}} ${{early}}\"\nunfix m\nunfix v\nuncompute m\nuncompute v
        next i\njump SELF again\n",
        fluid(0.7, 5, 2.5, 2.6)
    );
    let rows = printed(&log_of(&script), "D");
    assert_eq!(rows.len(), 12);
    let [by_displacement, by_velocity, early] =
        [0, 1, 2].map(|k| mean(&rows.iter().map(|row| row[k]).collect::<Vec<_>>()));
    eprintln!("diffusion: {by_displacement:.4} by displacement, {by_velocity:.4} by velocity");
    // One time's difference has a standard deviation of 0.02, the mean of twelve one of 3.5 %.
    assert!((by_displacement / by_velocity - 1.0).abs() < 0.15, "{by_displacement} {by_velocity}");
    // Before atoms collide they fly: that is no diffusion, and not near it.
    assert!(early < 0.6 * by_velocity, "{early}");
}

/// The fluid of LAMMPS's examples DIFFUSE and VISCOSITY, in two dimensions at a density of 0.6 and T = 1, with 800 atoms.
fn flat_fluid(shape: &str) -> String {
    format!(
        "units lj\ndimension 2\natom_style atomic\nneigh_modify delay 0 every 1\nlattice sq2 0.6
        region box {shape}\ncreate_box 1 box\ncreate_atoms 1 box\npair_style lj/cut 2.5\npair_coeff * * 1 1
        mass * 1.0\nvelocity all create 1.0 97287\nfix 1 all nve\nfix 2 all langevin 1.0 1.0 0.1 97287
        fix 3 all enforce2d\nthermo 1000\nrun 2000\nunfix 1\nunfix 2\n"
    )
}

/// That the mean of blocks is LAMMPS's, within four standard errors of their difference.
fn agrees_with_lammps(what: &str, blocks: &[f64], (lammps, lammps_error): (f64, f64)) {
    let found = mean(blocks);
    let squares = blocks.iter().map(|block| (block - found).powi(2)).sum::<f64>();
    let error = (squares / (blocks.len() as f64 - 1.0) / blocks.len() as f64).sqrt();
    eprintln!("{what}: {found:.4} +- {error:.4}, LAMMPS {lammps:.4} +- {lammps_error:.4}");
    // Errors by which nothing could be told apart, or none at all, are not those of such a run.
    assert!((0.003..0.06).contains(&(error / lammps)), "{what}: {error}");
    assert!((found - lammps).abs() < 4.0 * error.hypot(lammps_error), "{what}: {found} +- {error}, {lammps}");
}

/// LAMMPS's in.msd.2d and in.vacf.2d with more origins, shorter and at a temperature that stays: half the slope of the mean
/// square displacement per dimension from 1 to 2 units of time, and half the integral of the velocity autocorrelation over 2.
/// The figures are the means of 8 runs of this script by LAMMPS (22 Jul 2025) with their standard errors: the seeds 97287,
/// 11213, 23423, 34543, 45677, 56783, 67891 and 78901 in both places, one processor.
#[test]
fn diffusion_of_the_2d_example_is_that_of_lammps() {
    // `transport` of tests/lammps has the same in short.
    if !common::full() {
        return;
    }
    apart!();
    let script = format!(
        "{}velocity all zero linear\nfix 1 all nvt temp 1.0 1.0 0.5\nrun 500\nvariable i loop 24\nlabel again
        compute m all msd com yes\ncompute v all vacf\nfix m all vector 10 c_m[4]\nfix v all vector 1 c_v[4]
        variable msd equal (f_m[41]-f_m[21])/4/(200*dt)\nvariable vacf equal 0.5*dt*trap(f_v)\nrun 400
        print \"D ${{msd}} ${{vacf}}\"\nunfix m\nunfix v\nuncompute m\nuncompute v\nnext i\njump SELF again\n",
        flat_fluid("block 0 20 0 20 -0.1 0.1")
    );
    let rows = printed(&log_of(&script), "D");
    assert_eq!(rows.len(), 24);
    for (k, what, lammps) in
        [(0, "diffusion by displacement", (0.1997, 0.0012)), (1, "diffusion by velocity", (0.2083, 0.0015))]
    {
        let blocks: Vec<f64> = rows.iter().map(|row| row[k]).collect();
        agrees_with_lammps(what, &blocks, lammps);
    }
}

/// LAMMPS's in.nemd.2d, shorter and sheared three times as fast: the stress over the rate. The figure is the mean of 8 runs
/// as above.
#[test]
fn viscosity_of_the_2d_example_is_that_of_lammps() {
    if !common::full() {
        return;
    }
    apart!();
    if !common::test_devices_with(TimingMode::Off)[0].info().fp64 {
        return;
    }
    let script = format!(
        "{}velocity all scale 1.0\nfix 1 all nvt/sllod temp 1.0 1.0 0.1\nfix 2 all deform 1 xy erate 0.25 remap v
        compute tilt all temp/deform\nthermo_modify temp tilt\nrun 1500\nvariable visc equal -pxy/0.25
        fix mean all ave/time 5 100 500 v_visc\nvariable block equal f_mean\nfix out all print 500 \"V ${{block}}\"
        run 8000\n",
        flat_fluid("prism 0 20 0 20 -0.1 0.1 0.0 0.0 0.0")
    );
    let rows = printed(&log_of(&script), "V").concat();
    // The first line is from before there is a mean; two of the others make a block, which remembers little of the one before.
    assert_eq!(rows.len(), 17);
    let blocks: Vec<f64> = rows[1..].chunks(2).map(mean).collect();
    agrees_with_lammps("viscosity", &blocks, (1.180, 0.012));
}

/// Atoms without forces in exchange with a reservoir: their number follows Poisson's law, whose mean is exp(mu / kT) V in
/// reduced units, V exp(mu / kT) over the cube of the thermal wavelength else, or P V / kT. Velocities are Maxwell's. Without
/// the wavelength the third mean would be 250 times smaller, with the whole box for the region the second twice as large.
#[test]
fn gcmc_has_the_numbers_of_an_ideal_gas() {
    in_third!(2);
    apart!();
    // Of argon at 300 K: 0.159475 Angstrom, by h = 4.135667403e-15 eV s and 39.948 g/mol.
    let wavelength = 0.159_475_f64;
    let volume = 6.0 * 5.0 * 4.0;
    let kt = 8.617_343e-5 * 300.0;
    let potential = kt * (0.5 * wavelength.powi(3)).ln();
    let pressure = 0.5 * kt * 1.602_176_5e6;
    let reservoirs = [
        ("lj", 1.0, "2.0 -1.3862943611".to_owned(), 0.5 * volume),
        ("lj", 1.0, "2.0 0.0 0.5 region half pressure 2.0 fugacity_coeff 0.6".to_owned(), 0.3 * volume),
        ("metal", 39.948, format!("300.0 {potential}"), 0.5 * volume),
        ("metal", 39.948, format!("300.0 0.0 0.5 pressure {pressure}"), 0.5 * volume),
    ];
    // Of four the second and the third have both units, and either way of saying how many there are to be.
    let some = if common::full() { &reservoirs[..] } else { &reservoirs[1..3] };
    for (units, mass, fix, expected) in some.iter().cloned() {
        let fix = if fix.split(' ').count() == 2 { format!("{fix} 0.5") } else { fix };
        let kt = if units == "lj" { 2.0 } else { kt };
        let log = log_of(&format!(
            "units {units}\natom_style atomic\nregion box block 0 6 0 5 0 4
            region half block 0 3 0 5 0 4\ncreate_box 1 box\nmass 1 {mass}\npair_style zero 1.0\npair_coeff * *
            group gas type 1\nfix mc gas gcmc 1 1500 20 1 4711 {fix}
            compute_modify thermo_temp dynamic/dof yes extra/dof 0
            variable n equal atoms\nvariable e equal ke
            fix out all print 1 \"gas $n $e\"\nthermo 100\nthermo_style custom step atoms ke\nthermo_modify norm no\nrun 60\n"
        ));
        let rows = printed(&log, "gas");
        let numbers: Vec<f64> = rows[10..].iter().map(|row| row[0]).collect();
        let (found, count) = (mean(&numbers), numbers.len() as f64);
        // Each step has exchanges for several times as many atoms as there are, so that it forgets the one before.
        let error = (expected / count).sqrt();
        assert!((found - expected).abs() < 4.0 * error, "{units} {fix}: {found} of {count}, {expected}");
        let variance = mean(&numbers.iter().map(|n| (n - found).powi(2)).collect::<Vec<_>>());
        assert!((0.4..2.0).contains(&(variance / expected)), "{units} {fix}: {variance}, {expected}");
        let heat: f64 = rows[10..].iter().map(|row| row[1]).sum::<f64>() / numbers.iter().sum::<f64>();
        assert!((heat / (1.5 * kt) - 1.0).abs() < 0.1, "{units} {fix}: {heat}, {}", 1.5 * kt);
    }
}

/// Of atoms without forces a part of 1/(1 + exp(-mu / kT)) has the second type, and so many attempts succeed as fall into
/// place by themselves or by exp(-mu / kT). With mu = kT of both types these are 0.7311 and 0.5379.
#[test]
fn swaps_have_the_composition_of_an_ideal_mixture() {
    in_third!(3);
    apart!("cheap");
    let log = log_of(
        "units metal\nlattice fcc 4.0\nregion box block 0 10 0 10 0 10\nregion half block 0 10 0 10 0 4.9\ncreate_box 3 box
        create_atoms 1 box\nmass 1 20\nmass 2 80\nmass 3 1\nset group all type/fraction 3 0.1 4711\npair_style zero 3.0\npair_coeff * *
        velocity all create 300 4711\nvariable p equal 8.617343e-5*500\nvariable two equal count(second)\nvariable k atom type==2
        variable heat equal ke\ngroup second dynamic all var k every 1\ncompute t all count/type atom
        fix mc all atom/swap 1 2000 4711 500 types 1 2 semi-grand yes mu 0 ${p} region half
        run 20\nprint 'first $(f_mc[1]) $(f_mc[2]) $(ke)'\nthermo_style custom step ke c_t[1] c_t[2] c_t[3] f_mc[*]\nthermo 1
        fix out all print 1 'swapped $(c_t[1]) $(c_t[2]) $(c_t[3]) $(f_mc[1]) $(f_mc[2])'\nrun 60\nprint 'last $(ke)'",
    );
    let rows = printed(&log, "swapped");
    let (first, last) = (&rows[1], rows.last().expect("rows"));
    assert!(rows.iter().all(|row| row[2] == first[2] && row[0] + row[1] + row[2] == 4000.0), "{last:?}");
    // Half of the atoms take part, each of which is asked once a step: a step has forgotten most of the one before.
    let members = (4000.0 - first[2]) / 2.0;
    let part: Vec<f64> = rows[1..].iter().map(|row| row[1] / members).collect();
    let expected = 1.0 / (1.0 + (-1.0_f64).exp());
    let error = (expected * (1.0 - expected) / members / (part.len() as f64 / 3.0)).sqrt();
    assert!((mean(&part) - expected).abs() < 4.0 * error, "{} {expected} {error}", mean(&part));
    let [tried, done] = [3, 4].map(|k| last[k] - first[k]);
    let rate = 2.0 * (1.0 - expected);
    assert!((done / tried - rate).abs() < 4.0 * (0.25 / tried).sqrt() * 2.0, "{} {rate}", done / tried);
    // Types change, kinetic energies do not.
    let [start, end] = [&printed(&log, "first")[0][2], &printed(&log, "last")[0][0]];
    assert!((start / end - 1.0).abs() < 1e-9, "{start} {end}");
}

/// Eight atoms of which two have the second type are 28 systems: the mean energy of those that swaps come to is that of Boltzmann's law, with
/// energies of runs of no step. Each potential has another way to its forces.
#[test]
fn swaps_follow_energies_of_many_bodies() {
    in_third!(2);
    apart!("cheap");
    let potentials = [
        ("sw", "tests/lammps/sw.part Si Xx", 4.0e3),
        ("eam/alloy", "tests/lammps/eam_alloy.part Aa Bb", 2.0e3),
        ("hybrid/scaled 0.5 tersoff 0.5 coul/wolf 0.2 5.0", "tersoff tests/lammps/tersoff.part Si Xx", 4.0e3),
    ];
    for (style, file, kelvin) in potentials {
        let more = if style.starts_with("hybrid") { "pair_coeff * * coul/wolf" } else { "" };
        let start = format!(
            "units metal\natom_style charge\nlattice diamond 5.43\nregion box block 0 1 0 1 0 1\ncreate_box 2 box\ncreate_atoms 1 box
            mass * 28\nset type 1 charge -0.2\nset atom 3*4 type 2\nset type 2 charge 0.6\ndisplace_atoms all random 0.3 0.3 0.3 4711
            pair_style {style}\npair_coeff * * {file}\n{more}\nmass * 28\nneighbor 0.5 bin\nthermo_modify norm no\n"
        );
        let pairs = (1..8).flat_map(|i| (i + 1..=8).map(move |j| (i, j)));
        let systems = pairs.map(|(i, j)| {
            format!(
                "set group all type 1\nset atom {i} type 2\nset atom {j} type 2\nset type 1 charge -0.2\nset type 2 charge 0.6\nrun 0
                print 'level $(pe:%.10f)'\n"
            )
        });
        let all = log_of(&format!("{start}{}", systems.collect::<String>()));
        let levels = printed(&all, "level").concat();
        assert_eq!(levels.len(), 28);
        let beta = 1.0 / (8.617_343e-5 * kelvin);
        let lowest = levels.iter().copied().fold(f64::INFINITY, f64::min);
        let weights: Vec<f64> = levels.iter().map(|e| (-beta * (e - lowest)).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let power =
            |n: i32| levels.iter().zip(&weights).map(|(e, w)| w * (e - lowest).powi(n)).sum::<f64>() / sum;
        let (expected, spread) = (power(1), (power(2) - power(1).powi(2)).sqrt());
        assert!(spread > 0.3 / beta, "{style}: all systems have one energy");
        let runs = if common::full() { 300 } else { 60 };
        let log = log_of(&format!(
            "{start}fix mc all atom/swap 1 60 4711 {kelvin} types 1 2\nfix out all print 1 'level $(pe:%.10f)'\nthermo 1\nrun {runs}\n"
        ));
        let found = printed(&log, "level").concat();
        // What has been reached are those levels and no others.
        let is_level = |e: &f64| levels.iter().any(|level| (level - e).abs() < 1e-6 * level.abs());
        assert!(found.iter().all(is_level), "{style}");
        let error = spread / f64::from(runs).sqrt();
        // If all attempts were taken, all systems would come as often.
        let alike = levels.iter().map(|e| e - lowest).sum::<f64>() / levels.len() as f64;
        assert!((alike - expected).abs() > 8.0 * error, "{style}: {alike} {expected} {error}");
        let mean = mean(&found[1..]) - lowest;
        assert!((mean - expected).abs() < 4.0 * error, "{style}: {mean} {expected} {error}");
    }
}

/// Overdamped motion of free particles: 6 D t of the mean square displacement with D = k T / gamma, and steps of the variance 2 D dt. A wrong
/// factor of the noise gives twice or half of both.
#[test]
fn brownian_motion_has_the_diffusion_of_einstein() {
    in_third!(3);
    apart!();
    for (noise, largest) in [("uniform", 0.0..9.4869), ("gaussian", 11.0..40.0)] {
        let log = log_of(&format!(
            "region box block 0 20 0 20 0 20\ncreate_box 1 box\ncreate_atoms 1 random 4000 4711 NULL\nmass 1 3.0
            pair_style zero 1.0\npair_coeff * *\nfix 1 all brownian 1.5 4711 gamma_t 20 rng {noise}
            compute m all msd\ncompute v all reduce avesq vx vy vz\ncompute top all reduce max vx vy vz\nrun 100
            print 'found $(c_m[4]) $(c_v[1]) $(c_v[2]) $(c_v[3]) $(c_top[1])'"
        ));
        let found = &printed(&log, "found")[0];
        // 4000 particles: standard errors of 0.0029 and 0.67 (0.42 of uniform steps).
        assert!((found[0] - 0.225).abs() < 0.012, "{noise}: {found:?}");
        assert!(found[1..4].iter().all(|square| (square - 30.0).abs() < 2.7), "{noise}: {found:?}");
        assert!(largest.contains(&found[4]), "{noise}: {found:?}");
    }
}

/// Of 512 pairs that could be joined a part of 0.3 is, and of those that could part again a part of 0.4: standard errors of 10 and 6.
#[test]
fn bonds_are_made_and_break_with_their_probabilities() {
    apart!();
    let log = log_of(
        "atom_style bond\nspecial_bonds lj/coul 0 1 1\nlattice custom 1.0 a1 2.2 0 0 a2 0 2.2 0 a3 0 0 2.2 basis 0 0 0 basis 0.45454545 0 0
        region box block 0 8 0 8 0 8\ncreate_box 1 box bond/types 1 extra/bond/per/atom 2 extra/special/per/atom 4
        create_atoms 1 box\nmass 1 1\npair_style zero 1.5\npair_coeff * *\nbond_style zero\nbond_coeff 1\nfix 1 all nve
        fix 2 all bond/create 1 1 1 1.2 1 iparam 1 1 jparam 1 1 prob 0.3 4711\nrun 1
        print 'found $(f_2[1]) $(f_2[2]) $(bonds)'\nunfix 2\nfix 3 all bond/break 1 1 0.5 prob 0.4 815\nrun 1
        print 'found $(f_3[1]) $(f_3[2]) $(bonds)'",
    );
    let [made, broken] = &printed(&log, "found")[..] else { panic!("{log}") };
    assert!(made[0] == made[1] && made[0] == made[2] && (made[0] - 153.6).abs() < 42.0, "{made:?}");
    assert!(broken[2] == made[2] - broken[1] && (broken[1] - 0.4 * made[0]).abs() < 25.0, "{broken:?}");
}
