//! Runs that go on with what the one before has left (`run ... pre no`), or with what a restart file has kept: what is remembered
//! does not begin again.

#[macro_use]
mod common;

use clamps::base::log::Log;
use clamps::commands::interpreter::{Echo, Interpreter};
use clamps::fixes::registry::STYLES;
use clamps::gpu::options::Precision;
use clamps::script::variables::Variables;
use clamps::session::Session;
use clamps::session::options::Options;
use std::collections::BTreeSet;

/// A crystal that melts, with whatever fixes ask for.
const SYSTEM: &str = "atom_style full
    atom_modify map array
    lattice fcc 0.9
    region box block 0 3 0 3 0 3
    create_box 1 box bond/types 1 extra/bond/per/atom 9 extra/special/per/atom 60
    create_atoms 1 box
    mass 1 1.0
    velocity all create 1.2 4711 loop geom
    pair_style lj/cut 2.5
    pair_coeff * * 1.0 1.0
    variable charge atom 0.1*(id%7)-0.3
    set group all charge v_charge
    variable place atom 0.1*x
    variable flux equal 0.1+0.01*step
    variable ramp equal ramp(1,2)
    compute layers all chunk/atom bin/1d x lower 0.25 units reduced
    group few id 1:20
    region half block INF 1.5 INF INF INF INF
    thermo 4\n";

/// The columns of rows before those of a script.
const COLUMNS: &str = "step temp pe press lx ly lz xy";

/// A hot crystal of two elements in place of the system: lattice, cells along each axis, pair style, coefficients, fix.
macro_rules! crystal {
    ($lattice:literal, $cells:literal, $style:literal, $files:literal, $fix:literal) => {
        concat!(
            "clear\nunits metal\nlattice ",
            $lattice,
            "\nregion box block 0 ",
            $cells,
            " 0 ",
            $cells,
            " 0 ",
            $cells,
            "\ncreate_box 2 box\ncreate_atoms 1 box\nmass 1 28.0\nmass 2 40.0\nset type 1 type/fraction 2 0.4 92731\npair_style ",
            $style,
            "\npair_coeff * * ",
            $files,
            "\nneighbor 0.3 bin\nvelocity all create 2500 4711 loop geom\nfix 1 all ",
            $fix,
            "\ncompute s all stress/atom NULL\ncompute m all reduce max c_s[1] c_s[4]\ntimestep 0.002\nthermo 4"
        )
    };
}

/// What a script adds to the system, and the columns of its rows.
const SCRIPTS: [(&str, &str); 31] = [
    (
        // Values of a pair style, taken at steps between the parts, too.
        "clear
        units metal
        lattice fcc 3.6
        region box block 0 3 0 3 0 3
        create_box 1 box
        create_atoms 1 box
        pair_style eam/alloy
        pair_coeff * * tests/lammps/eam_alloy.part Aa
        velocity all create 600 4711 loop geom
        fix 1 all nve
        fix 2 all pair 3 eam/alloy rho 0 fp 0
        compute 2 all reduce sumsq f_2[*]
        timestep 0.002
        thermo 4",
        "c_2[1] c_2[2]",
    ),
    (
        // Walls that go by the radii of spheres.
        "clear
        atom_style sphere
        boundary f p p
        lattice sc 0.05
        region box block 0 6 0 5 0 5
        create_box 1 box
        region inside block 0.4 5.6 INF INF INF INF
        create_atoms 1 region inside
        set type 1 diameter 1.6 density 0.9
        velocity all create 1.1 3762 loop geom
        pair_style yukawa/colloid 1.3 5.0
        pair_coeff 1 1 6.0
        fix 1 all nve
        fix 2 all wall/colloid xlo -0.4 2.5 1.2 4.5 xhi 16.8 1.5 1.4 5.0 units box
        fix_modify 2 energy yes
        timestep 0.002
        thermo 4",
        "f_2 f_2[1] f_2[2]",
    ),
    (
        "fix 1 all nve
        fix 2 all langevin 1 2 1 5 zero yes tally yes
        fix 3 few addforce v_flux 0 0 every 2 region half
        fix 4 few aveforce NULL v_ramp NULL
        fix 5 few drag 1 NULL 0 2.0 0.5
        fix 6 all gravity v_flux vector 0 0 1
        fix 7 few lineforce 1 0 1
        fix 8 few planeforce 1 0 0
        fix 9 few setforce NULL 0 NULL
        fix 10 few spring tether 1.0 0 NULL 0 1.0
        fix 11 all spring/self 1.0
        fix 12 all viscous 0.1
        fix 22 few ti/spring 2.0 6 3 function 2
        fix 23 few propel/self velocity 0.3
        fix 13 all indent 10.0 sphere 0 0 v_ramp 1.0 units box
        fix 14 all momentum 3 linear 1 1 1
        fix 16 all momentum/chunk 5 layers linear 0 1 1 angular
        fix 17 few addtorque 0.5 v_flux 0
        fix 18 all restrain bond 1 2 10 20 1.0 1.5
        fix 19 few store/force
        fix 21 few smd cvel 20 0.5 tether 1 NULL 3 0.1
        compute 19 all reduce sumsq f_19[*]
        compute ke all ke/atom
        fix 20 all store/state 3 x c_ke
        compute 20 all reduce sumsq f_20[*]
        fix 15 all recenter INIT INIT INIT",
        "f_2 f_3 f_4[1] f_11 f_13 f_17 f_17[1] f_18 c_19[1] c_20[1] c_20[2] f_21[4] f_21[5] f_21[7] f_22 f_22[1] f_22[2]",
    ),
    (
        "fix 1 all nve
        fix 2 all efield 0.2 v_flux -0.1
        fix 3 few efield 0.2 v_place -0.1
        fix 4 all temp/csvr 1 2 0.5 4711",
        "f_2[1] f_2[2] f_3[2] f_4",
    ),
    (
        "fix 1 all nve
        fix 2 all temp/csld 1 2 0.5 4711",
        "f_2",
    ),
    (
        "fix 2 all addforce 0.1 v_flux 0
        fix 1 all nvk",
        "f_2[1]",
    ),
    (
        "fix 1 all nve
        fix 2 all temp/rescale 2 1 2 0.1 1
        fix 3 all ave/atom 1 2 2 vx
        compute 3 all reduce sumsq f_3
        fix 4 all ave/chunk 1 3 4 layers vx temp ave running
        fix 5 all ave/correlate 1 3 4 c_thermo_temp c_thermo_press type full ave running
        fix 6 all ave/grid 1 3 4 3 2 1 vx temp ave running
        fix 7 all ave/histo 1 3 4 0 3 10 c_thermo_temp ave running
        fix 8 all ave/histo/weight 1 3 4 0 3 10 c_thermo_temp c_thermo_press ave running
        fix 9 all ave/time 1 3 4 c_thermo_temp c_thermo_press ave running
        fix 10 all vector 2 c_thermo_temp
        fix 19 all ave/moments 1 4 5 c_thermo_temp variance history 2
        fix 11 all print 3 'at $(step) $(temp)'
        variable knob internal 1.0
        fix 12 all controller 2 0.5 1 0 0.1 c_thermo_temp 1.5 knob
        fix 13 all property/atom d_size
        fix 14 all numdiff 2 1e-4
        compute 14 all reduce sumsq f_14[*]
        fix 15 all numdiff/virial 2 1e-6
        fix 16 all halt 2 v_flux > 100
        fix 17 all adapt 3 pair lj/cut epsilon * * v_ramp reset yes
        fix 18 all balance 5 1.0 shift x 10 1.05",
        "f_2 c_3 f_4[2][3] f_5[2][4] f_7[3] f_8[3] f_9[1] f_9[2] v_knob f_12[2] c_14[1] f_15[2] f_19[1] f_19[1][2]",
    ),
    ("fix 1 all nvt temp 1 2 0.1", "ecouple f_1"),
    ("fix 1 all npt temp 1 2 0.1 iso 0 2 0.5", "ecouple f_1"),
    ("fix 1 all nph x 0 2 0.5", "ecouple f_1"),
    ("fix 1 all nphug temp 1 1 1 x 4 4 1", "ecouple f_1"),
    ("fix 1 all msst x 28 q 200 mu 3 tscale 0.02", "ecouple f_1"),
    (
        "fix 1 all nve
        fix 2 all press/berendsen x 0 2 1
        fix 3 all temp/berendsen 1 2 0.5",
        "f_3",
    ),
    (
        "fix 1 all nve
        fix 2 all press/langevin x 0 2 1 z 1 1 0.5 friction 4 temp 1 2 4711",
        "vol",
    ),
    (
        "fix 1 all nve
        fix 2 all deform 1 x erate 0.5 y final -0.3 5.2 z wiggle 0.2 0.3 remap x",
        "vol",
    ),
    (
        "change_box all triclinic
        fix 1 all deform 1 xy erate 0.5 remap v
        fix 2 all nvt/sllod temp 1 1 0.1",
        "ecouple f_2",
    ),
    (
        "group free id 101:108
        fix 0 free nve
        group r1 id 1 2 3
        group r2 id 9 10 11 12
        group r3 id 29 30 31
        group r4 id 41 42 43
        group r5 id 61 62 63
        group r6 id 69 70 71
        fix p all property/atom i_body
        set group all i_body 1
        fix 1 r1 rigid single langevin 1 1 1 4711
        fix 2 r2 rigid/nve single
        fix 3 r3 rigid/nve/small custom i_body
        fix 4 r4 rigid/nvt single temp 1 2 1
        fix 5 r5 rigid/nvt/small custom i_body temp 1 1 1
        fix 6 r6 rigid/small custom i_body langevin 1 1 1 4711",
        "f_1[1][4] f_2[1][4] f_4",
    ),
    // By the device.
    (
        "group free id 101:108
        fix 0 free nve
        group bodies id <= 100
        variable body atom floor((id-1)/10)
        fix 1 bodies rigid custom v_body langevin 1 2 1 4711",
        "f_1 f_1[1][4] f_1[2][8]",
    ),
    (
        "group free id 101:108
        fix 0 free nve
        group bodies id <= 100
        variable body atom floor((id-1)/10)
        fix 1 bodies rigid/nve/small custom v_body",
        "f_1",
    ),
    (
        "fix 1 all nve
        fix 2 all evaporate 3 1 half 4711
        region above block 1.6 2.9 0 3 0 3
        fix 3 all deposit 30 1 4 4711 region above near 0.75 attempt 200
        fix 4 all widom 5 10 1 4711 0.75",
        "atoms f_2 f_3 f_4[1]",
    ),
    (
        "fix 1 all nve
        fix 2 all gcmc 5 5 5 1 4711 2.0 -1.0 0.5",
        "atoms f_2[2] f_2[4] f_2[6]",
    ),
    (
        "clear
        lattice fcc 0.8442
        region box block 0 4 0 4 0 4
        create_box 2 box
        create_atoms 1 box
        mass 1 1.0
        mass 2 2.0
        set group all type/fraction 2 0.4 4711
        velocity all create 1.44 87287 loop geom
        pair_style lj/cut 2.5
        pair_coeff 1 1 1.0 1.0
        pair_coeff 2 2 1.5 0.9
        fix 1 all nve
        fix 2 all atom/swap 5 20 4711 2.0 types 1 2
        thermo 4",
        "f_2[1] f_2[2]",
    ),
    (
        "displace_atoms all move 0.4 0.4 0.4 units box
        change_box all boundary f f f
        region whole block -0.1 3.1 -0.1 3.1 -0.1 3.1
        variable top equal 5+0.01*step
        fix 1 all nve/limit 0.02
        fix 2 all wall/harmonic xlo EDGE 1 1 0.5
        fix 3 all wall/lepton xhi EDGE k*(r-rc)^2;k=v_flux 0.5
        fix 4 all wall/lj93 ylo EDGE 1 0.3 0.5
        fix 5 all wall/morse yhi EDGE 1 1 1 0.5
        fix 6 all wall/lj1043 zlo EDGE 1 0.3 0.5
        fix 7 all wall/lj126 zhi v_top 1 0.3 0.5
        fix 8 all wall/reflect xlo 0.0 xhi EDGE
        fix 9 all wall/reflect/stochastic diffusive 5 yhi EDGE 1 0.1 0 0
        fix 10 all wall/region whole harmonic 1 0.2 0.3
        fix 11 all wall/table linear 50 ylo EDGE tests/lammps/walls.part SOFT 0.5
        fix 12 few oneway 2 half -z",
        "f_1 f_2 f_3 f_10",
    ),
    (
        "change_box all boundary p p s
        fix 1 all nve
        fix 2 all wall/piston zlo pos 0.1 vel 0.5 ramp",
        "zlo",
    ),
    (
        "fix 1 all nve
        fix 2 all ehex 2 0.5 region half
        fix 3 all heat 3 v_flux
        fix 4 all thermal/conductivity 2 z 6
        fix 5 all viscosity 2 x z 6
        fix 6 all wall/flow x 0.5 1.0 4711 2 0.5 1.5
        fix 7 all dt/reset 3 NULL 0.004 0.01
        fix 8 all electron/stopping 0.5 tests/lammps/stopping.part
        fix 9 all electron/stopping/fit 0.5 0.01 0.02",
        "dt f_3 f_4 f_5 f_7 f_8 f_9",
    ),
    ("fix 1 all brownian 1.0 5 gamma_t 20", ""),
    (
        "bond_style harmonic
        bond_coeff 1 20 1.1
        special_bonds lj/coul 0 1 1
        create_bonds many few all 1 0.5 1.2
        fix 1 all nve
        fix 2 all bond/break 3 1 1.3
        fix 3 all bond/create 4 1 1 1.0 1 iparam 9 1 jparam 9 1 prob 0.7 4711",
        "bonds f_2[1] f_2[2] f_3[2]",
    ),
    (
        "group rest subtract all few
        group moved id 21:30
        group still id 31:40
        group free subtract rest moved still
        fix 1 free langevin 1 1 0.5 5 gjf vhalf
        fix 2 free nve
        fix 3 moved move wiggle 0.1 NULL 0 0.2 units box
        fix 4 still nve/noforce",
        "",
    ),
    (
        crystal!("diamond 5.43", 2, "sw", "tests/lammps/sw.part Si Xx", "nvt temp 2500 2000 0.1"),
        "c_m[1] c_m[2]",
    ),
    (
        crystal!(
            "diamond 5.43",
            2,
            "tersoff",
            "tests/lammps/tersoff.part Si Xx",
            "npt temp 2500 2000 0.1 iso 0 0 1.0"
        ),
        "c_m[1] c_m[2]",
    ),
    (
        crystal!(
            "fcc 3.6",
            3,
            "meam",
            "tests/lammps/meam_library.part Aa Bb tests/lammps/meam.part Aa Bb",
            "nve"
        ),
        "c_m[1] c_m[2]",
    ),
];

/// How the steps are made, in one run and in pieces that end between rows.
const RUNS: [&str; 3] = [
    "run 24 start 0 stop 24",
    "run 10 start 0 stop 24\nvariable unused equal 1\nrun 14 pre no start 0 stop 24",
    "run 24 pre no start 0 stop 24 every 6 'print between'",
];

/// What a run leaves: its rows at multiples of four steps, lines of `fix print`, and the atoms by ID.
#[derive(Debug, PartialEq)]
struct Left {
    lines: Vec<String>,
    atoms: Vec<(u32, [u64; 6])>,
}

fn session(script: &str) -> Session {
    let options = Options { precision: Some(Precision::Double), ..Options::default() };
    let mut session = Session::new(options, Log::memory(), Variables::default());
    session.device.gpu = Some(common::own_gpu());
    let mut interpreter = Interpreter::new(session, Echo::None);
    interpreter.run("in.test", script).unwrap_or_else(|error| panic!("{}", error.render(false)));
    interpreter.session
}

/// The numbers of the rows that begin with these steps, the last of each, which must be those of LAMMPS up to rounding.
fn check(session: &Session, rows: &[&[f64]]) {
    let numbers = |line: &str| line.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>().ok();
    let found: Vec<Vec<f64>> = session.output.log.text().lines().filter_map(numbers).collect();
    for row in rows {
        let own = found.iter().rfind(|own| own.len() == row.len() && own[0] == row[0]).expect("a row");
        let near = |(own, theirs): (&f64, &f64)| (own - theirs).abs() <= 2e-8 * theirs.abs().max(1e-3);
        assert!(own.iter().zip(*row).all(near), "{own:?} is not {row:?}");
    }
}

fn made(script: &str, columns: &str, run: &str) -> Left {
    let rows = format!("thermo_style custom {COLUMNS} {columns}\nthermo_modify norm no format float %.17g");
    let mut session = session(&format!("{SYSTEM}{script}\n{rows}\n{run}\n"));
    let step = |line: &str| line.split_whitespace().next().and_then(|word| word.parse::<i64>().ok());
    let wide = |line: &str| line.starts_with("   ") && line.split_whitespace().count() >= 8;
    let is_row = |line: &str| wide(line) && step(line).is_some_and(|step| step % 4 == 0);
    let lines = session.output.log.text().lines().filter(|line| is_row(line) || line.starts_with("at "));
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    lines.dedup();
    let atoms = session.atoms().expect("atoms");
    let bits =
        |i: usize| std::array::from_fn(|d| if d < 3 { atoms.x[i][d] } else { atoms.v[i][d - 3] }.to_bits());
    let mut atoms: Vec<_> = (0..atoms.len()).map(|i| (atoms.tag[i], bits(i))).collect();
    atoms.sort_unstable();
    Left { lines, atoms }
}

/// In one run, and in pieces of either kind by turns.
fn agree(scripts: &[(&str, &str)]) {
    for (turn, (script, columns)) in scripts.iter().enumerate() {
        let one = made(script, columns, RUNS[0]);
        assert!(one.lines.len() >= 7, "{script}: {:?}", one.lines);
        for run in common::by_turns(turn, &RUNS[1..]) {
            assert_eq!(one, made(script, columns, run), "{script}: {run}");
        }
    }
}

/// The styles of the fixes of a script.
fn styles(script: &str) -> impl Iterator<Item = &str> {
    let words = script.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.filter(|words| words.first() == Some(&"fix")).map(|words| words[3])
}

#[test]
fn every_style_is_in_a_script() {
    let there: BTreeSet<&str> = SCRIPTS.iter().flat_map(|(script, _)| styles(script)).collect();
    let missing: Vec<&str> =
        STYLES.iter().map(|(name, _)| *name).filter(|name| !there.contains(name)).collect();
    // The one moves the box in minimizations only, the other has nothing to remember, and needs two dimensions.
    assert_eq!(missing, ["box/relax", "enforce2d"]);
}

#[test]
fn nothing_begins_again_in_the_first_scripts() {
    in_third!(3);
    apart!("cheap");
    agree(&SCRIPTS[0..4]);
}

#[test]
fn nothing_begins_again_in_the_second_scripts() {
    in_third!(2);
    apart!("cheap");
    agree(&SCRIPTS[4..8]);
}

#[test]
fn nothing_begins_again_in_the_third_scripts() {
    in_third!(3);
    apart!("cheap");
    agree(&SCRIPTS[8..12]);
}

#[test]
fn nothing_begins_again_in_the_fourth_scripts() {
    in_third!(3);
    apart!("cheap");
    agree(&SCRIPTS[12..25]);
}

#[test]
fn nothing_begins_again_with_three_bodies_or_screened_ones() {
    in_third!(3);
    apart!("cheap");
    agree(&SCRIPTS[25..]);
}

/// Rows of LAMMPS 22 Jul 2025.
#[test]
fn boxes_go_on_as_in_lammps() {
    in_third!(3);
    apart!("cheap");
    const CRYSTAL: &str = "lattice fcc 0.9
        region b block 0 N 0 N 0 N
        create_box 1 b
        create_atoms 1 box
        mass 1 1\n";
    let pressed = "pair_style lj/cut 2.5
        pair_coeff * * 1 1
        velocity all create 0.8 3 loop geom
        fix 1 all nve
        fix 2 all press/berendsen iso 0 2 1
        thermo_style custom step temp press lx pe etotal
        thermo 10\n";
    let pressed = format!("{}{pressed}", CRYSTAL.replace('N', "3"));
    check(
        &session(&format!("{pressed}run 20 start 0 stop 100\nrun 20 pre no start 0 stop 100")),
        &[
            &[30.0, 0.42132506, -1.3686063, 4.8738738, -6.8409037, -6.2147678],
            &[40.0, 0.41750142, -1.0610753, 4.8575637, -6.8606108, -6.2401573],
        ],
    );
    // Parts are set up anew where nothing says that they are not, which moves the box otherwise.
    check(
        &session(&format!("{pressed}run 40 start 0 stop 100 every 20 'print between'")),
        &[&[40.0, 0.41750289, -1.0609866, 4.8575618, -6.8606035, -6.2401478]],
    );
    let stretched = "pair_style lj/cut 1.5
        pair_coeff * * 1 1
        velocity all create 1 3 loop geom
        fix 1 all nve
        fix 2 all deform 1 x erate 0.5 remap x
        thermo_style custom step temp pe
        run 20 start 0 stop 40
        run 20 pre no start 0 stop 40";
    check(
        &session(&format!("{}{stretched}", CRYSTAL.replace('N', "2"))),
        &[&[20.0, 0.24573668, -4.6992453], &[40.0, 0.45564384, -4.84375]],
    );
}

/// Rows of LAMMPS 22 Jul 2025, but for the means of `msd average`, which go on as in a run without a file.
#[test]
fn computes_find_their_origins_in_restart_files() {
    in_third!(2);
    apart!("cheap");
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("x.restart").display().to_string();
    let system = "lattice fcc 0.8442
        region b block 0 4 0 4 0 4
        create_box 1 b
        create_atoms 1 box
        mass 1 1.0
        velocity all create 1.44 87287 loop geom
        pair_style lj/cut 2.5
        pair_coeff 1 1 1.0 1.0
        group g id 1:100\n";
    let defined = "fix 1 all nve
        compute m1 all msd
        compute m2 g msd com yes
        compute m3 all msd average yes
        compute v all vacf
        compute d all displace/atom
        compute rd all reduce max c_d[4]
        compute ch all chunk/atom bin/1d x lower 0.25 units reduced nchunk once ids once
        compute mc all msd/chunk ch
        variable mc equal c_mc[2][4]
        thermo_style custom step temp c_m1[4] c_m2[4] c_v[4] c_rd v_mc time
        thermo_modify format float %.10g
        thermo 4\n";
    let again = format!("clear\nread_restart {file}\n{defined}");
    let session = session(&format!("{system}{defined}run 8\nwrite_restart {file}\n{again}run 12"));
    let text = session.output.log.text();
    assert!(text.contains(
        "Resetting peratom fix info from restart file:\n  fix style: STORE/ATOM, fix ID: m1_COMPUTE_STORE"
    ));
    assert!(text.contains(
        "Resetting global fix info from restart file:\n  fix style: STORE/GLOBAL, fix ID: mc_COMPUTE_STORE"
    ));
    check(
        &session,
        &[
            &[8.0, 1.258070267, 0.006621023589, 0.006528179464, 4.01780409, 0.1300609688, 0.2182970683, 0.04],
            &[12.0, 0.9688797512, 0.01390013658, 0.01372088037, 3.46297788, 0.185426046, 0.2132848745, 0.06],
            &[16.0, 0.6819093586, 0.02179325006, 0.02158705632, 2.491948502, 0.2378321751, 0.208725229, 0.08],
            &[20.0, 0.6239062977, 0.02861234777, 0.02846334741, 1.38756854, 0.2788655825, 0.2047731852, 0.1],
        ],
    );
}
