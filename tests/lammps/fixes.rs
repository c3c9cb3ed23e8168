//! What the fixes of temperature and pressure must do over longer runs.

use super::common::{by_turns, full};
use super::{clamps, lammps_folder, log_by, log_of, optimized, tables};
use std::fs;

const SYSTEM: &str = "variable n index 4\nvariable rc index 2.5\ninclude system.part\nunfix 1\n";

/// A step is one kernel, and the thermostat of Langevin is a part of it; what has to know the temperature or the pressure
/// takes three: forces and kicks, the chain and the box, scaling and positions; in small systems several steps may share one.
#[test]
fn launches_per_step() {
    in_third!(1);
    let record = |fixes: &str| {
        let dir = lammps_folder(SYSTEM);
        let script =
            format!("{SYSTEM}neigh_modify every 10 delay 0 check no\nthermo 100\n{fixes}\nrun 100\n");
        let words = ["-log", "log", "-screen", "none", "-json", "record", "-timing", "off"];
        optimized(dir.path()).args(words).write_stdin(script).assert().success();
        let record = fs::read_to_string(dir.path().join("record")).expect("a record");
        let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
        let run = &record["runs"][0];
        let kernels = run["kernels"].as_array().expect("kernels").iter();
        let sum = |name: &str, what: &str| -> u64 {
            let kernels = kernels.clone().filter(|kernel| kernel["name"] == name);
            kernels.map(|kernel| kernel[what].as_u64().expect("a count")).sum()
        };
        let per_step = run["launches_per_step"].as_f64().expect("a number");
        assert_eq!(run["launches"].as_f64(), Some((100.0 * per_step).round()));
        println!("{fixes}: {per_step} launches per step");
        let steps = ["fused_step", "coupled_step", "force_and_kick"].map(|name| sum(name, "calls"));
        // A launch may make several whole steps; here each counts as one.
        let saved = steps[0] + steps[1] - sum("fused_step", "launches") - sum("coupled_step", "launches");
        // A box that has changed is fitted with a grid at each rebuild, and of many atoms sums are made in two launches.
        let more = sum("set_box", "launches") + sum("gather_measured", "launches");
        (steps, run["launches"].as_u64().expect("a count") + saved - more)
    };
    // A step at which the host looks at the status takes three kernels, the others are whole. How often it looks
    // depends on the machine; what is left is rebuilds and output.
    let rest = |([whole, fed, kicks], launches): ([u64; 3], u64)| {
        assert!(whole >= 50 && fed + kicks == 0, "{whole} whole steps");
        launches - whole - 3 * (100 - whole)
    };
    let melt = rest(record("fix 1 all nve"));
    let langevin = record("fix 1 all nve\nfix 2 all langevin 1.0 0.5 0.1 4711 zero yes");
    assert_eq!(rest(langevin), melt);
    // Where the host looks, a step of these takes seven: the fix's part comes before and after it, the atoms are looked at
    // and scaled.
    for fixes in [
        "fix 1 all nvt temp 1.0 1.0 0.1",
        "fix 1 all nvt temp 1.0 2.0 0.1 tchain 5 tloop 2",
        "fix 1 all npt temp 1.0 1.0 0.1 iso 0.0 0.0 1.0",
        "fix 1 all nve\nfix 2 all temp/berendsen 1.0 1.0 0.1",
        "fix 1 all nve\nfix 2 all press/berendsen iso 0.0 0.0 1.0",
    ] {
        let ([whole, fed, kicks], launches) = record(fixes);
        assert!(whole == 0 && fed + kicks >= 50, "{fed} and {kicks} steps without a look, {fixes}");
        assert_eq!(launches - fed - 3 * kicks - 7 * (100 - fed - kicks), melt, "{fixes}");
    }
}

/// A temperature for each atom does what two fixes do with one for each group: the noise depends on seed, atom and step.
#[test]
fn temperatures_of_atoms() {
    in_third!(1);
    let system = format!(
        "{SYSTEM}group old id 1:100\ngroup new subtract all old\nvariable t atom 1.0+(id>100)*v_more\n"
    );
    let rows = |fixes: &str| {
        let script = format!("{system}variable more equal 1.5\nfix 1 all nve\n{fixes}\nthermo 5\nrun 20\n");
        let log = log_of(&script, &["-precision", "double"]);
        let table = tables(&log).pop().expect("a table").1;
        assert!(table.len() == 5 && (table[4][1] - table[0][1]).abs() > 0.05, "{table:?}");
        table
    };
    let each = rows("fix 2 all langevin v_t 0.0 0.2 4711");
    let two = rows("fix 2 old langevin 1.0 1.0 0.2 4711\nfix 3 new langevin 2.5 2.5 0.2 4711");
    let alike = rows("variable same atom 1.3\nfix 2 all langevin v_same 0.0 0.2 4711 zero yes");
    let one = rows("fix 2 all langevin 1.3 1.3 0.2 4711 zero yes");
    for (ours, theirs) in [(each, two), (alike, one)] {
        for (x, y) in ours.iter().flatten().zip(theirs.iter().flatten()) {
            assert!((x - y).abs() <= 2e-8 * y.abs().max(1.0), "{x} {y}");
        }
    }
}

/// The largest less the smallest of a column of the last table.
fn range(log: &str, name: &str) -> f64 {
    let tables = tables(log);
    let (header, rows) = tables.last().expect("a table");
    let column = header.iter().position(|word| *word == name).expect("a column");
    let values = rows.iter().map(|row| row[column]);
    values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
}

/// What is conserved with a thermostat and a barostat varies no more than in LAMMPS, whose figures these are: over
/// 1000 steps that follow 200 of nvt.
#[test]
fn conserved_energies_vary_as_in_lammps() {
    in_third!(3);
    let fixes = [("nvt temp 1.0 1.0 0.3", 9.936e-3), ("npt temp 1.0 1.0 0.3 iso 1.0 1.0 1.0", 4.822e-2)];
    for (turn, (fix, lammps)) in fixes.into_iter().enumerate() {
        let script = format!(
            "{SYSTEM}fix 1 all nvt temp 1.0 1.0 0.3\nrun 200\nunfix 1\nfix 1 all {fix}\n\
             thermo_style custom step temp econserve\nthermo_modify format float %.14g\nthermo 20\nrun 1000\n"
        );
        for precision in by_turns(turn, &["double", "mixed"]) {
            let range = range(&log_by(optimized, &script, &["-precision", precision]), "Econserve");
            // The trajectory is chaotic: in mixed precision it is another one.
            let most = if precision == "double" { 1.01 * lammps } else { 1.2 * lammps };
            assert!(range < most, "{fix}: {range}, LAMMPS {lammps}, {precision}");
        }
    }
}

#[test]
fn boxes_do_not_change_in_single_precision() {
    in_third!(3);
    for fix in ["npt temp 1.0 1.0 0.3 iso 1.0 1.0 1.0", "press/berendsen iso 1 1 1", "deform 1 x scale 1.1"] {
        let dir = lammps_folder(SYSTEM);
        let done = clamps(dir.path())
            .args(["-precision", "single", "-log", "log", "-screen", "none"])
            .write_stdin(format!("{SYSTEM}fix f all {fix}\nrun 1\n"))
            .assert()
            .code(1);
        let error = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        assert!(error.contains("fix f (") && error.contains("cannot change in single precision"), "{error}");
    }
}

/// Lists last as long in a box that breathes far from the origin: LAMMPS builds 47 there, and 49 at the origin.
#[test]
fn boxes_far_away_keep_their_lists() {
    in_third!(3);
    for (origin, lammps) in by_turns(0, &[("1000", 47), ("0", 49)]) {
        let script = format!(
            "variable o index {origin}\nvariable e equal $o+5\nlattice fcc 0.8442\n\
             region b block $o $e $o $e $o $e\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
             velocity all create 1.44 87287 loop geom\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\n\
             neighbor 0.3 bin\nneigh_modify every 1 delay 0 check yes\n\
             fix 1 all npt temp 1 1 0.5 iso 1 1 5\nrun 400\n"
        );
        for precision in ["mixed", "double"] {
            let log = log_of(&script, &["-precision", precision]);
            let builds = log.lines().find_map(|line| line.strip_prefix("Neighbor list builds = "));
            let builds: i32 = builds.expect("a line").parse().expect("a number");
            assert!((builds - lammps).abs() <= 2, "{builds} builds, LAMMPS {lammps}: {precision}, {origin}");
        }
    }
}

/// The density of the Lennard-Jones liquid at T* = 0.9 and p* = 0.82386 is 0.82: NIST Standard Reference Simulation
/// Website, "Lennard-Jones Fluid Properties", Monte Carlo with cutoff 3 and tail corrections.
#[test]
fn npt_finds_the_density_of_the_liquid() {
    // That of another liquid is in tests/ensembles.rs.
    if !full() {
        return;
    }
    let script = "lattice fcc 0.78\nregion b block 0 5 0 5 0 5\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
                  velocity all create 1.8 4711 loop geom\npair_style lj/cut 3.0\npair_coeff 1 1 1 1\n\
                  pair_modify tail yes\nfix 1 all npt temp 0.9 0.9 0.3 iso 0.82386 0.82386 1.5\nthermo 20\n\
                  thermo_style custom step density press\nrun 1500\nrun 3000\n";
    let log = log_by(optimized, script, &[]);
    let tables = tables(&log);
    let rows = &tables[1].1;
    let mean = |column: usize| rows.iter().map(|row| row[column]).sum::<f64>() / rows.len() as f64;
    // The volume of 500 atoms fluctuates by 1.2 % (compressibility 0.065), for some 100 steps: the mean of these
    // 3000 is known to 0.0025.
    assert!((mean(1) - 0.82).abs() < 4.0 * 0.0025, "{}", mean(1));
    assert!((mean(2) - 0.82386).abs() < 0.1, "{}", mean(2));
}

/// The mean of a column of the last table, of its later half.
fn late_mean(log: &str, name: &str) -> f64 {
    let tables = tables(log);
    let (header, rows) = tables.last().expect("a table");
    let column = header.iter().position(|word| *word == name).expect("a column");
    let late = &rows[rows.len() / 2..];
    late.iter().map(|row| row[column]).sum::<f64>() / late.len() as f64
}

/// Whatever share of its momentum an atom forgets at a wall: a gas between walls takes their temperature and velocity.
#[test]
fn walls_by_chance_give_a_gas_their_temperature_and_velocity() {
    in_third!(2);
    let script = "units lj\nboundary p f p\nregion b block 0 19 0 0.6 0 19\ncreate_box 2 b\n\
        create_atoms 1 random 1000 4711 NULL units box\ncreate_atoms 2 random 500 42 NULL units box\n\
        mass 1 1.0\nmass 2 2.0\nvelocity all create 1.0 87287 loop geom\npair_style zero 0.5\npair_coeff * *\n\
        fix 1 all nve\ncompute inner all temp/com\ncompute along all temp/partial 0 1 0\ntimestep 0.02\n\
        neighbor 0.5 bin\nvariable vx equal vcm(all,x)\n\
        thermo_style custom step c_inner c_along v_vx\nthermo 200\n";
    let styles = [("ccl", "0.5 0.6 0.7"), ("diffusive", ""), ("maxwell", "0.6")];
    // Each has its twin in tests/kernels/noise.rs.
    for (style, wall) in by_turns(0, &styles) {
        let fix = format!("{style} 987 ylo EDGE 2.0 0.5 0 0 {wall} yhi EDGE 2.0 0.5 0 0 {wall}");
        let script = format!("{script}fix 2 all wall/reflect/stochastic {fix}\nrun 2000\n");
        let log = log_by(optimized, &script, &[]);
        // The standard error of a temperature of 1500 atoms is 0.04 at a moment, and smaller over ten.
        let found = ["c_inner", "c_along", "v_vx"].map(|name| late_mean(&log, name));
        for (found, expected, near) in [(found[0], 2.0, 0.08), (found[1], 2.0, 0.1), (found[2], 0.5, 0.05)] {
            assert!((found - expected).abs() < near, "{style}: {found} for {expected}");
        }
    }
}

/// A gas that goes through the planes of fix wall/flow again and again, against what LAMMPS's fix makes of the same gas
/// (of four seeds, the mean of the later half).
#[test]
fn flows_are_those_of_lammps() {
    in_third!(1);
    let script = "units lj\nregion b block 0 6 0 8 0 8\ncreate_box 2 b\n\
        create_atoms 1 random 1000 4711 NULL units box\ncreate_atoms 2 random 500 42 NULL units box\n\
        mass 1 1.0\nmass 2 2.0\nvelocity all create 1.0 87287 loop geom\npair_style zero 0.5\npair_coeff * *\n\
        neighbor 0.5 bin\nfix 1 all nve\nfix 2 all wall/flow x 1.0 2.0 4711 2 2.0 4.0 units box\n\
        compute inner all temp/com\nvariable vx equal vcm(all,x)\nthermo_style custom step c_inner v_vx\n\
        timestep 0.02\nthermo 100\nrun 2000\n";
    let log = log_by(optimized, script, &[]);
    for (name, lammps, near) in [("c_inner", 1.78, 0.08), ("v_vx", 1.337, 0.05)] {
        let found = late_mean(&log, name);
        assert!((found - lammps).abs() < near, "{name}: {found}, LAMMPS {lammps}");
    }
}

/// The noise of dpd/tstat at a step of a span is that of the temperature which the ramp has come to there.
#[test]
fn noise_follows_a_ramp_of_temperature() {
    in_third!(3);
    let pressures = |style: &str, run: &str| {
        let script = format!(
            "{SYSTEM}pair_style hybrid/overlay lj/cut 2.5 {style} 1.5 4711\npair_coeff * * lj/cut 1 1\n\
             pair_coeff * * dpd/tstat 4.5\nfix 1 all nve\nreset_timestep 100\n\
             thermo_style custom step press pxy pxz\nthermo_modify format float %.14g\n{run}\n"
        );
        tables(&log_of(&script, &["-precision", "double"])).pop().expect("a table").1
    };
    let constant = pressures("dpd/tstat 2.0 2.0", "run 0");
    assert!(
        (constant[0][1] - pressures("dpd/tstat 1.0 1.0", "run 0")[0][1]).abs() > 1e-3,
        "no noise is seen"
    );
    for (ramp, run) in [
        ("dpd/tstat 2.0 5.0", "run 0"),
        ("dpd/tstat 5.0 2.0", "run 0 start 0 stop 100"),
        ("dpd/tstat 1.0 3.0", "run 0 start 0 stop 200"),
        ("dpd/tstat 0.0 8.0", "run 0 start 0 stop 400"),
    ] {
        for (x, y) in pressures(ramp, run)[0].iter().zip(&constant[0]) {
            assert!((x - y).abs() <= 1e-11 * y.abs().max(1.0), "{ramp}, {run}: {x} {y}");
        }
    }
    // Frames that are read back have that of their step in the span of the rerun, whatever run there was before.
    let frames = "dump d all custom 100 frames.dump id type x y z vx vy vz\ndump_modify d format float %.17g\nrun 0\n\
                  rerun frames.dump start 0 stop 200 dump x y z vx vy vz";
    let read = pressures("dpd/tstat 1.0 3.0", frames);
    for (x, y) in read[0].iter().zip(&constant[0]) {
        assert!((x - y).abs() <= 1e-11 * y.abs().max(1.0), "{x} {y}");
    }
    // After the same steps, too, the noise is that of the span.
    let rows = pressures("dpd/tstat 1.0 3.0", "run 10 start 90 stop 110\nrun 0 start 90 stop 110");
    let again = pressures("dpd/tstat 1.0 3.0", "run 10 start 90 stop 110\nrun 0 start 100 stop 120");
    assert!((rows[0][1] - again[0][1]).abs() > 1e-3);
}

/// A bond that is drawn out slowly is as long as its style wants it, but for the friction (2.5 * 7 / 7.5 / 100 = 0.023), also
/// where it becomes longer than half of the modulus (10 of the 40) that lists and the bond as it begins ask for.
#[test]
fn bonds_follow_their_length() {
    in_third!(3);
    let script =
        "atom_style bond\nregion b block 0 40 0 40 0 40\ncreate_box 1 b bond/types 1 extra/bond/per/atom 1
        create_atoms 1 single 10 10 10\ncreate_atoms 1 single 11 10 10\nmass 1 1.0
        bond_style harmonic\nbond_coeff 1 50.0 1.0\nspecial_bonds lj 0 1 1\ncreate_bonds single/bond 1 1 2
        pair_style lj/cut 2.5\npair_coeff 1 1 1.0 1.0\nneigh_modify every 1 delay 0 check yes
        variable r equal ramp(1,8)\nvariable d equal abs(x[1]-x[2])
        fix 1 all nve\nfix 2 all viscous 5.0\nfix 3 all adapt 1 bond harmonic r0 1 v_r
        thermo_style custom step v_d v_r\nthermo 150\nrun 1500\n";
    let dir = lammps_folder(script);
    clamps(dir.path()).args(["-log", "log", "-screen", "none"]).write_stdin(script).assert().success();
    let log = fs::read_to_string(dir.path().join("log")).expect("a log");
    let rows = &tables(&log)[0].1;
    assert_eq!(rows.len(), 11);
    for row in rows {
        assert!((row[1] - row[2]).abs() < 0.03, "at step {} it is {}, not {}", row[0], row[1], row[2]);
    }
}

/// A region beside a leaning box but within the block around it: what is put there comes in across the periodic faces.
#[test]
fn atoms_are_deposited_beside_a_leaning_box() {
    let script = "units lj\nregion box prism 0 6 0 6 0 6 3 0 0\ncreate_box 1 box\nmass 1 1.0\n\
                  pair_style lj/cut 1.12\npair_coeff 1 1 1.0 1.0\n\
                  region beside block 7 9 0 2 0 6\nfix 1 all deposit 20 1 5 4711 region beside near 0.9 attempt 100\n\
                  fix 2 all nve\nvariable least equal bound(all,xmin)\nvariable most equal bound(all,xmax)\n\
                  thermo_style custom step atoms v_least v_most\nrun 120\n";
    let log = log_of(script, &["-precision", "double"]);
    let tables = tables(&log);
    let last = tables[0].1.last().expect("rows");
    assert_eq!(last[1], 20.0);
    assert!(last[2] >= 0.0 && last[3] < 9.0, "{last:?}");
}

/// A body by itself: the kinetic energy and the angular momentum of a free one, turned by both ways; where one is under a
/// constant force, as the formulas say.
#[test]
fn free_bodies() {
    let body = |rest: &str| {
        let script = format!(
            "units lj\natom_style bond\nregion b block 0 9 0 9 0 9\ncreate_box 2 b\n\
             create_atoms 1 single 8.3 4.0 4.0\ncreate_atoms 2 single 0.4 4.3 4.1\n\
             create_atoms 1 single 8.6 5.1 3.7\ncreate_atoms 2 single 8.9 4.2 5.6\nmass 1 1.0\nmass 2 2.5\n\
             set atom 2 image 1 0 0\npair_style lj/cut 2.0\npair_coeff * * 1.0 1.0\nneigh_modify exclude group all all\n\
             velocity all create 2.0 4711 loop geom mom no rot no\nthermo_modify norm no\ntimestep 0.002\n{rest}"
        );
        let log = log_of(&script, &["-precision", "double"]);
        tables(&log)[0].1.clone()
    };
    let columns = "thermo 50\nthermo_style custom step ke v_l1 v_l2 v_l3 v_x\n\
                   thermo_modify format float %.15g norm no\n";
    let watch = "variable l1 equal angmom(all,x)\nvariable l2 equal angmom(all,y)\nvariable l3 equal angmom(all,z)\n\
                 variable x equal xcm(all,x)\n";
    // Both conserve the momentum to the last digits, and the energy up to the square of the step.
    for (style, wander) in [("rigid", 1e-4), ("rigid/nve", 1e-4)] {
        let rows = body(&format!("{watch}{columns}fix 1 all {style} single\nrun 1000\n"));
        assert_eq!(rows.len(), 21);
        for row in &rows {
            assert!((row[1] / rows[0][1] - 1.0).abs() < wander, "{style}: {row:?}, at first {:?}", rows[0]);
            for k in 2..5 {
                assert!((row[k] - rows[0][k]).abs() < 1e-9, "{style}: {row:?}, at first {:?}", rows[0]);
            }
        }
        // It does turn: the energy is not conserved to the last digit.
        assert!(rows.iter().any(|row| row[1] != rows[0][1]), "{style}");
    }
    // 4 atoms with a force of 0.7 each on a mass of 7: x = x0 + v t + 0.2 t^2.
    let rows = body(&format!(
        "{watch}variable v equal vcm(all,x)\n{}fix 1 all rigid single\nfix 2 all addforce 0.7 0 0\nrun 1000\n",
        columns.replace("v_l1", "v_v")
    ));
    let (x, v) = (rows[0][5], rows[0][2]);
    for row in &rows {
        let t = 0.002 * row[0];
        assert!((row[5] - (x + v * t + 0.2 * t * t)).abs() < 1e-9, "{row:?}");
        assert!((row[2] - (v + 0.4 * t)).abs() < 1e-9, "{row:?}");
    }
}

/// Velocities are the script's until a step is made: neither a run of none nor a minimization before changes what follows. Heat may
/// begin at nothing.
#[test]
fn gjf_begins_with_the_first_step() {
    let rows = |before: &str| {
        let script = format!(
            "units lj\nlattice fcc 0.4\nregion b block 0 3 0 3 0 3\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1.0\n\
             pair_style lj/cut 2.5\npair_coeff 1 1 1.0 1.0\nvelocity all create 1.0 4711\nvariable T equal ramp(0,2)\n\
             fix 1 all langevin v_T 0 0.5 7 gjf vhalf\n{before}fix 2 all nve\nthermo 10\nrun 20\n"
        );
        let log = log_of(&script, &["-precision", "double"]);
        let found = tables(&log);
        found[found.len() - 1].1.clone()
    };
    let at_once = rows("");
    assert_eq!(rows("run 0\n"), at_once);
    assert_eq!(rows("minimize 0 0 0 0\n"), at_once);
}

/// The faces of a block are walls for spheres as those of fix wall/colloid, which are LAMMPS's; in LAMMPS forces of regions have the other sign.
#[test]
fn regions_are_walls_for_spheres() {
    in_third!(2);
    let run = |walls: &str, push: &str| {
        let script = format!(
            "units lj\natom_style sphere\nboundary f f f\nregion box block -7 7 -6 6 -6 6\ncreate_box 2 box\n\
             lattice sc 0.05\nregion fill block -5 5 -4 4 -4 4 units box\ncreate_atoms 1 region fill\n\
             set type 1 diameter 1.6 density 0.9\nset type 1 type/ratio 2 0.4 4827\nset type 2 diameter 1.1 mass 0.7\n\
             displace_atoms all random 0.2 0.2 0.2 839\npair_style yukawa/colloid 1.3 5.0\npair_coeff * * 4.0\n\
             velocity all create 1.1 3762\nregion block block -6.5 6.5 -5.5 5.5 -5.5 5.7 units box\nfix 1 all nve\n\
             {walls}\nfix_modify w energy yes virial yes\nvariable push equal {push}\ntimestep 0.002\nthermo 20\n\
             thermo_style custom step temp pe etotal press pxx pyy f_w v_push\nthermo_modify format float %.12g\nrun 80\n"
        );
        tables(&log_of(&script, &["-precision", "double"]))[0].1.clone()
    };
    let flat = "2.5 1.2 3.5";
    let six = format!(
        "xlo -6.5 {flat} xhi 6.5 {flat} ylo -5.5 {flat} yhi 5.5 {flat} zlo -5.5 {flat} zhi 5.7 {flat}"
    );
    let region = run(&format!("fix w all wall/region block colloid {flat}"), "f_w[1]");
    let walls = run(&format!("fix w all wall/colloid {six} units box"), "f_w[1]+f_w[2]");
    assert_eq!(region.len(), 5);
    for (ours, expected) in region.iter().zip(&walls) {
        assert!(expected[7..].iter().all(|x| x.abs() > 1e-3), "{expected:?}");
        let same = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-8 * y.abs().max(1e-3);
        assert!(ours.iter().zip(expected).all(same), "{ours:?}, {expected:?}");
    }
}
