//! What a run prints, to the byte as LAMMPS (22 Jul 2025) prints it. Each expected text is LAMMPS's own
//! output, made by the script quoted above it.

mod commands;

use clamps::base::error::Result;
use clamps::commands::thermo::{thermo, thermo_modify, thermo_style};
use clamps::engine::timing::{Counts, RankRecord, RunRecord, total_wall_time};
use clamps::gpu::Gpu;
use clamps::gpu::options::{Precision, TimingMode};
use clamps::gpu::record::KernelCost;
use clamps::gpu::record::{KernelRecord, Section};
use clamps::model::units::{LJ, Units};
use clamps::session::Session;
use clamps::session::report::Report;
use clamps::session::schedule::Schedule;
use clamps::session::thermo::{Column, Observables, PressureParts};
use commands::{Handler, apply, fails, session};

/// The line of a row, as a run makes it.
fn row(
    session: &Session,
    obs: &Observables,
    previous: Option<&Observables>,
    units: &Units,
    other: &dyn Fn(&Column) -> Result<f64>,
) -> Result<String> {
    let thermo = &session.output.thermo;
    Ok(thermo.row(obs, &thermo.values(obs, previous, units, other)?))
}

/// The state behind the rows below, at step 5 of
///
/// ```text
/// units lj; lattice fcc 0.8442; region box block 0 2 0 2 0 2; create_box 1 box; create_atoms 1 box
/// mass 1 1.0; velocity all create 1.44 87287 loop geom
/// pair_style lj/cut 1.6; pair_coeff 1 1 1.0 1.0; fix 1 all nve; run 5
/// compute vi all pressure NULL virial
/// thermo_style custom c_thermo_temp[1] ... c_thermo_temp[6] pe c_vi[1] ... c_vi[6] lx
/// thermo_modify line yaml norm no
/// ```
fn melt() -> Observables {
    let row = "41.3524076670757 41.3503650210921 44.6361344689176 -9.38144406642923 -10.1873542915628 \
        7.03612302668832 -173.528661217023 -3.62657445538209 -3.45921224260946 -3.54246361762442 \
        -0.0727370377419002 -0.104294819471915 0.129168527763012 0 0 0 3.35919238276501 3.35919238276501 \
        3.35919238276501";
    observables(row, &LJ, 3)
}

/// From kinetic tensor, pair energy, virial pressures, tail energy, pressure with and without tail, edges.
fn observables(row: &str, units: &Units, dimension: u32) -> Observables {
    let x: Vec<f64> = row.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    let edges = [x[16], x[17], x[18]];
    let volume: f64 = edges[..dimension as usize].iter().product();
    let kinetic = std::array::from_fn(|k| x[k]);
    Observables {
        step: 5,
        first_step: 5,
        last_step: 5,
        span: [5, 5],
        dt: 0.005,
        time: 0.025,
        cpu: 0.0,
        time_left: 0.0,
        atoms: 32,
        freedom: f64::from(dimension) * 31.0,
        dimension,
        lo: [0.0; 3],
        hi: edges,
        tilt: [0.0; 3],
        general: None,
        kinetic,
        pressure_parts: PressureParts { kinetic, pair: true, fix: true },
        pair_energy: x[6],
        coulomb_energy: 0.0,
        fix_energy: 0.0,
        fix_virial: [0.0; 6],
        bond_energy: 0.0,
        bonds: 0,
        virial: std::array::from_fn(|k| x[7 + k] * volume / units.nktv2p),
        tail_energy: x[13],
        coupled_energy: 0.0,
        tail_pressure: x[15] - x[14],
        mass: 32.0,
        spacing: [1.0; 3],
        builds: 0,
        dangerous: 0,
    }
}

/// The computes that are there from the start, energies per atom.
fn built_in(column: &Column, obs: &Observables, units: &Units) -> Result<f64> {
    match &*column.name {
        "c_thermo_temp" => Ok(obs.temperature(units)),
        "c_thermo_press" => Ok(obs.pressure(units)),
        "c_thermo_pe" if units.name == "lj" => Ok(obs.potential_energy() / obs.atoms as f64),
        "c_thermo_pe" => Ok(obs.potential_energy()),
        name => panic!("{name}"),
    }
}

/// Header (after the memory line), row and footer.
fn printed(session: &Session, obs: &Observables) -> String {
    // `variable twice equal 2.5*lx`
    let variable = |column: &Column| match &*column.name {
        "v_twice" => Ok(2.5 * (obs.hi[0] - obs.lo[0])),
        _ => built_in(column, obs, session.system.units),
    };
    let header = session.output.thermo.header(&[3_211_000.0]);
    let row = row(session, obs, None, session.system.units, &variable).expect("finite");
    let footer = session.output.thermo.footer().map_or(String::new(), |footer| format!("{footer}\n"));
    let (memory, headings) = header.split_once('\n').unwrap_or((&header, ""));
    assert_eq!(memory, "Per MPI rank memory allocation (min/avg/max) = 3.062 | 3.062 | 3.062 Mbytes");
    let newline = if headings.is_empty() { "" } else { "\n" };
    format!("{headings}{newline}{row}\n{footer}")
}

#[test]
fn thermo_styles() {
    let mut session = session();
    // thermo_style one
    let one = "   Step          Temp          E_pair         E_mol          TotEng         Press     \n         \
        5   1.3692356     -5.4227707      0             -3.4331002     -2.4229636    \n";
    assert_eq!(printed(&session, &melt()), one);
    apply(&mut session, thermo_style, "thermo_style multi").expect("valid");
    let multi = "\
        ------------ Step              5 ----- CPU =            0 (sec) -------------\n\
        TotEng   =        -3.4331 KinEng   =         1.9897 Temp     =         1.3692 \n\
        PotEng   =        -5.4228 E_bond   =         0.0000 E_angle  =         0.0000 \n\
        E_dihed  =         0.0000 E_impro  =         0.0000 E_vdwl   =        -5.4228 \n\
        E_coul   =         0.0000 E_long   =         0.0000 Press    =        -2.4230\n";
    assert_eq!(printed(&session, &melt()), multi);
    // A later row of `thermo_style multi`.
    let later = Observables { step: 100_000, cpu: 0.9815582, ..melt() };
    assert!(
        printed(&session, &later)
            .starts_with("------------ Step         100000 ----- CPU =    0.9815582 (sec) -------------\n")
    );
    apply(&mut session, thermo_style, "thermo_style yaml").expect("valid");
    apply(&mut session, thermo_modify, "thermo_modify format float %.12g").expect("valid");
    let yaml = "\
        ---\n\
        keywords: ['Step', 'Temp', 'KinEng', 'PotEng', 'E_bond', 'E_angle', 'E_dihed', 'E_impro', 'E_vdwl', \
        'E_coul', 'E_long', 'Press', ]\n\
        data:\n  \
          - [5, 1.36923556083, 1.98967042433, -5.42277066303, 0, 0, 0, 0, -5.42277066303, 0, 0, \
        -2.42296359039, ]\n\
        ...\n";
    assert_eq!(printed(&session, &melt()), yaml);
}

#[test]
fn thermo_formats() {
    let mut session = session();
    let style = "thermo_style custom step v_twice c_thermo_temp atoms elapsed pe part xy timeremain";
    apply(&mut session, thermo_style, style).expect("valid");
    assert_eq!(
        session.output.thermo.references().map(|r| r.id.as_str()).collect::<Vec<_>>(),
        ["twice", "thermo_temp"]
    );
    let headings = "   Step        v_twice     c_thermo_temp     Atoms      Elapsed       PotEng    \
        \x20   Part           Xy        TimeoutLeft  \n";
    let check = |session: &mut Session, modify: &str, expected: &str| {
        if !modify.is_empty() {
            apply(session, thermo_modify, &format!("thermo_modify {modify}")).expect(modify);
        }
        assert_eq!(printed(session, &melt()), expected, "{modify}");
    };
    let row = "         5   8.397981       1.3692356             32           0  -5.4227707     \
        \x20        0   0              0            \n";
    check(&mut session, "", &format!("{headings}{row}"));
    check(
        &mut session,
        "line multi",
        "------------ Step              5 ----- CPU =            0 (sec) -------------\n\
         Step     =              5 v_twice  =         8.3980 c_thermo_temp =         1.3692 \n\
         Atoms    =             32 Elapsed  =              0 PotEng   =        -5.4228 \n\
         Part     =              0 Xy       =         0.0000 TimeoutLeft =         0.0000\n",
    );
    let row = "5 8.39798    1.369 00032 0     |  -5.4228e+00 0 0.000000 0\n";
    check(
        &mut session,
        "line one format line \"%d %g %8.3f %05d %-6d| %12.4e %d %f %g\"",
        &format!("{headings}{row}"),
    );
    let row = "           5 8.397980957               1.3692           32            0 -5.422771e+00 \
        \x20          0 0 <0>\n";
    check(
        &mut session,
        "format float %.10g format int %12ld format 3 %20.4f format -1 <%g> format pe %e",
        &format!("{headings}{row}"),
    );
    check(
        &mut session,
        "format none norm no colname 2 TwiceTemperatureAndMore colname pe E colname -1 left",
        "   Step     TwiceTemperatureAndMore c_thermo_temp     Atoms      Elapsed         E           Part    \
         \x20      Xy            left     \n\
         \x20        5   8.397981       1.3692356             32           0  -173.52866              0   0  \
         \x20           0            \n",
    );
    check(
        &mut session,
        "colname default line yaml format 2 %20.4f format int %8d format 3 %.8g format 6 %.8g",
        "---\n\
         keywords: ['Step', 'v_twice', 'c_thermo_temp', 'Atoms', 'Elapsed', 'PotEng', 'Part', 'Xy', \
         'TimeoutLeft', ]\n\
         data:\n  \
           - [       5,               8.3980, 1.3692356,       32,        0, -173.52866,        0, 0, 0, ]\n\
         ...\n",
    );
}

/// Three systems, each with its full-precision input and LAMMPS's row, after `run 5` and with
///
/// ```text
/// thermo_style custom step time temp press pe ke etotal evdwl epair emol etail enthalpy vol density lx zlo zhi
///     pxx pyy pzz pxy pxz pyz atoms nbuild c_thermo_temp c_thermo_press c_thermo_pe
/// thermo_modify format float %.12g
/// ```
///
/// The systems have 32 atoms of mass 39.95 and `velocity all create 1.44 87287 loop geom`: lj as above with
/// `pair_modify tail yes`; real, fcc 5.3, lj/cut 5 0.238 3.4 with tail; and 2d, lj, sq2 0.7, 4 x 4 cells.
#[test]
fn thermo_values() {
    let keywords = "step time temp press pe ke etotal evdwl epair emol etail enthalpy vol density lx zlo zhi pxx \
        pyy pzz pxy pxz pyz atoms nbuild c_thermo_temp c_thermo_press c_thermo_pe";
    let real = Units {
        name: "real",
        boltz: 0.0019872067,
        mvv2e: 48.88821291 * 48.88821291,
        nktv2p: 68568.415,
        ..LJ
    };
    let real: &'static Units = Box::leak(Box::new(real));
    let cases = [
        (
            &LJ,
            3,
            0.025,
            "43.0871733574376 43.5240447559538 47.1570578264242 -10.1087397074596 -10.7598067212399 \
             7.72546506271889 -176.0733019047 -4.13399418169531 -4.13250926003322 -4.13379959116923 \
             -0.00203548888197348 -0.00239440069166055 0.00192058797216969 -54.1549870683284 -2.9571095677535 \
             -5.75654078669211 3.35919238276501 3.35919238276501 3.35919238276501",
            "5 0.025 1.43836855849 -5.75654078669 -7.19463403041 2.09012931156 -5.10450471885 -7.19463403041 \
             -7.19463403041 0 -1.69234334589 -11.9234348144 37.9057095475 33.72579 3.35919238277 0 3.35919238277 \
             -5.7967319085 -5.78372177325 -5.68916867832 -0.268716678289 -0.286251551756 0.205728013158 32 0 \
             1.43836855849 -5.75654078669 -7.19463403041",
        ),
        (
            real,
            3,
            5.0,
            "0.0917240470000511 0.103656013244264 0.0702654773921668 0.037818698064335 0.00656142882799861 \
             0.0225051498944478 -45.0897177240051 1351.51481281601 1351.50102929745 1351.51109335121 \
             0.0169974412186674 0.0110894247743212 0.0095311395598213 -20.4874413951674 1356.60683708614 \
             -921.981529765362 10.6 10.6 10.6",
            "5 5 1.43739633653 -921.981529765 -65.5771591192 0.132822768818 -65.4443363504 -65.5771591192 \
             -65.5771591192 0 -20.4874413952 -81.4589219822 1191.016 1.78237148506 10.6 0 10.6 -921.792875589 \
             -921.119719543 -923.031994164 2.19427145234 0.388839828523 1.30518330343 32 0 1.43739633653 \
             -921.981529765 -65.5771591192",
        ),
        (
            &LJ,
            2,
            0.025,
            "40.5794306268686 48.6669409749256 0 -5.60175325738525 0 0 -57.6730518558482 -1.80458205397694 \
             -1.80459591905086 0 0.000123289188667702 0 0 0 -0.828456797119276 -0.828456797119276 \
             6.76123403782813 6.76123403782813 0.338061701891407",
            "5 0.025 1.43945760648 -0.828456797119 -1.8022828705 1.39447455628 -0.407808314217 -1.8022828705 \
             -1.8022828705 0 0 -1.59131802439 45.7142857143 27.965 6.76123403783 -0.169030850946 \
             0.169030850946 -0.916907009014 -0.740006585224 0 -0.122415063317 0 0 32 0 1.43945760648 \
             -0.828456797119 -1.8022828705",
        ),
    ];
    for (units, dimension, time, input, expected) in cases {
        let mut obs = observables(input, units, dimension);
        (obs.time, obs.mass) = (time, 32.0 * 39.95);
        if dimension == 2 {
            (obs.lo[2], obs.hi[2]) = (-0.5 * obs.hi[2], 0.5 * obs.hi[2]);
        }
        let mut session = session();
        session.system.units = units;
        apply(&mut session, thermo_style, &format!("thermo_style custom {keywords}")).expect("valid");
        apply(&mut session, thermo_modify, "thermo_modify format float %.12g").expect("valid");
        let row = row(&session, &obs, None, units, &|column| built_in(column, &obs, units)).expect("finite");
        for (name, (got, expected)) in
            keywords.split(' ').zip(row.split_whitespace().zip(expected.split_whitespace()))
        {
            let (got, expected): (f64, f64) = (got.parse().expect(name), expected.parse().expect(name));
            assert!((got - expected).abs() <= 2e-11 * expected.abs(), "{name} {units:?}: {got} {expected}");
        }
        assert_eq!(row.split_whitespace().count(), expected.split_whitespace().count());
    }
}

#[test]
fn cpu_columns_are_means_since_the_last_row() {
    // From a LAMMPS row at step 10 of dt 0.005: T/CPU and S/CPU stand in the ratio of dt.
    let mut session = session();
    apply(&mut session, thermo_style, "thermo_style custom tpcpu spcpu cpuremain").expect("valid");
    let first = Observables { step: 10, first_step: 0, last_step: 40, time: 0.05, cpu: 1.0, ..melt() };
    let second = Observables { step: 20, time: 0.1, cpu: 3.0, ..first.clone() };
    let row = |previous| row(&session, &second, previous, &LJ, &|_| unreachable!()).expect("finite");
    assert_eq!(row(Some(&first)).split_whitespace().collect::<Vec<_>>(), ["0.025", "5", "3"]);
    assert_eq!(row(None).split_whitespace().collect::<Vec<_>>(), ["0", "0", "3"]);
}

#[test]
fn thermo_schedule() {
    let mut session = session();
    let due =
        |session: &Session| (3..=17).filter(|s| session.output.thermo.due(*s, 3, 17)).collect::<Vec<i64>>();
    assert_eq!(due(&session), [3, 17]);
    assert_eq!(session.output.thermo.next(3, 17), 17);
    apply(&mut session, thermo, "thermo 5").expect("valid");
    assert_eq!(due(&session), [3, 5, 10, 15, 17]);
    let mut steps = vec![3];
    while *steps.last().expect("not empty") < 17 {
        steps.push(session.output.thermo.next(*steps.last().expect("not empty"), 17));
    }
    assert_eq!(steps, due(&session));
    apply(&mut session, thermo_style, "thermo_style one").expect("valid");
    assert_eq!(session.output.thermo.every, Schedule::Every(5), "a new style keeps the interval");
}

#[test]
fn thermo_errors() {
    let mut session = session();
    let variable: Handler = |session, args| session.script.variables.define(args);
    apply(&mut session, variable, "variable often string x").expect("valid");
    for (handler, line, marked, says) in [
        (thermo as Handler, "thermo -5", "-5", "an integer"),
        (thermo, "thermo v_often", "v_often", "not an equal-style variable"),
        (thermo, "thermo 5 6", "6", "unexpected"),
        (thermo_style, "thermo_style custum step", "custum", "unknown thermo style"),
        (thermo_style, "thermo_style custom", "", "missing"),
        (thermo_style, "thermo_style custom step tmep", "tmep", "unknown thermo keyword 'tmep'"),
        (thermo_style, "thermo_style custom step c_1[2]", "c_1[2]", "no compute '1'"),
        (thermo_style, "thermo_style custom step pxxg", "pxxg", "not supported"),
        (thermo_modify, "thermo_modify", "", "missing"),
        (thermo_modify, "thermo_modify line two", "two", "unknown line style"),
        (thermo_modify, "thermo_modify norm maybe", "maybe", "yes or no"),
        (thermo_modify, "thermo_modify temp mytemp", "mytemp", "unknown compute"),
        (thermo_modify, "thermo_modify foo bar", "foo", "unknown thermo_modify keyword"),
        (thermo_modify, "thermo_modify format int %g", "%g", "does not fit"),
        (thermo_modify, "thermo_modify format float %d", "%d", "does not fit"),
        (thermo_modify, "thermo_modify format temp %d", "%d", "does not fit"),
        (thermo_modify, "thermo_modify format 2 hello", "hello", "bad format"),
        (thermo_modify, "thermo_modify format 9 %g", "9", "no column"),
        (thermo_modify, "thermo_modify format 0 %g", "0", "no column"),
        (thermo_modify, "thermo_modify format -7 %g", "-7", "no column"),
        (thermo_modify, "thermo_modify format lx %g", "lx", "no column"),
        (thermo_modify, "thermo_modify format line \"%d %g\"", "%d %g", "2 formats for 6 columns"),
    ] {
        let (text, message) = fails(&mut session, handler, line);
        assert_eq!(text, marked, "{line}: {message}");
        assert!(message.contains(says), "{line}: {message}");
    }
    let row = |obs: &Observables| row(&session, obs, None, &LJ, &|_| unreachable!());
    let error = row(&Observables { pair_energy: f64::NAN, ..melt() }).expect_err("not finite");
    assert!(error.message.contains("not finite at step 5: the simulation is unstable"), "{}", error.message);
}

#[test]
fn lost_atoms() {
    let mut session = session();
    let lost = |session: &Session, current| session.output.thermo.lost.check(10, current);
    assert_eq!(lost(&session, 10).expect("none lost"), None);
    let error = lost(&session, 8).expect_err("lost");
    assert_eq!(error.message, "Lost atoms: original 10 current 8");
    apply(&mut session, thermo_modify, "thermo_modify lost warn").expect("valid");
    assert_eq!(
        lost(&session, 8).expect("a warning").as_deref(),
        Some("WARNING: Lost atoms: original 10 current 8")
    );
    apply(&mut session, thermo_modify, "thermo_modify lost ignore").expect("valid");
    assert_eq!(lost(&session, 8).expect("ignored"), None);
    apply(&mut session, thermo_style, "thermo_style one").expect("valid");
    assert!(lost(&session, 8).is_err(), "a new style starts anew");
    assert!(session.output.log.text().starts_with("WARNING: "), "{}", session.output.log.text());
}

// ---------------------------------------------------------------------------------------------- timing

fn kernel(section: Section, seconds: f64) -> KernelRecord {
    KernelRecord {
        name: section.name().to_lowercase(),
        section,
        calls: 10,
        launches: 10,
        sampled: 10,
        sampled_seconds: seconds,
        seconds,
        bytes: 100,
        work: None,
    }
}

/// Seconds and counts of the run below.
fn record() -> RunRecord {
    RunRecord {
        pre_force_sums: 0,
        minimization: None,
        ranks: Vec::new(),
        loop_seconds: 4.015e-5,
        cpu_seconds: 4.1e-5,
        waiting_seconds: 0.0,
        steps: 10,
        atoms: 32,
        dt: 0.005,
        units: "lj".into(),
        counts: Counts { local: 32, ghost: 333, neighbors: 576 },
        skin: 0.3,
        script_skin: 0.3,
        predicted: false,
        builds: 0,
        dangerous: Some(0),
        kernels: vec![
            kernel(Section::Modify, 2.62e-6),
            kernel(Section::Pair, 1.0e-5),
            kernel(Section::Pair, 8.92e-6),
            kernel(Section::Comm, 7.2e-6),
            kernel(Section::Output, 6.21e-6),
        ],
        timing: TimingMode::Full,
        memory_bytes: 1 << 20,
    }
}

/// The melt above, `run 10`; the line FullNghs and the two after it from a run of pair_style atm, whose list
/// is a full one.
const CLOSING: &str = "\
Loop time of 4.015e-05 on 1 procs for 10 steps with 32 atoms

Performance: 107596513.076 tau/day, 249066.002 timesteps/s, 7.970 Matom-step/s
102.1% CPU use with 1 MPI tasks x 1 OpenMP threads

MPI task timing breakdown:
Section |  min time  |  avg time  |  max time  |%varavg| %total
---------------------------------------------------------------
Pair    | 1.892e-05  | 1.892e-05  | 1.892e-05  |   0.0 | 47.12
Neigh   | 0          | 0          | 0          |   0.0 |  0.00
Comm    | 7.2e-06    | 7.2e-06    | 7.2e-06    |   0.0 | 17.93
Output  | 6.21e-06   | 6.21e-06   | 6.21e-06   |   0.0 | 15.47
Modify  | 2.62e-06   | 2.62e-06   | 2.62e-06   |   0.0 |  6.53
Other   |            | 5.2e-06    |            |       | 12.95

Nlocal:             32 ave          32 max          32 min
Histogram: 1 0 0 0 0 0 0 0 0 0
Nghost:            333 ave         333 max         333 min
Histogram: 1 0 0 0 0 0 0 0 0 0
FullNghs:          576 ave         576 max         576 min
Histogram: 1 0 0 0 0 0 0 0 0 0

Total # of neighbors = 576
Ave neighs/atom = 18
Neighbor list builds = 0
Dangerous builds = 0";

#[test]
fn closing_lines() {
    // One line is not LAMMPS's: 50 launches in 10 steps.
    let own = "Kernel launches per step: 5.00\n";
    assert_eq!(record().closing().replace(own, ""), CLOSING);
    assert_eq!(record().closing().len(), CLOSING.len() + own.len());
    let unchecked = RunRecord { dangerous: None, ..record() }.closing();
    assert!(unchecked.ends_with("\nDangerous builds not checked"));
    // The last lines of the published log of the LJ benchmark.
    let counts = Counts { local: 32000, ghost: 19657, neighbors: 2_405_666 };
    let melt = RunRecord { counts, atoms: 32000, builds: 5, ..record() }.closing();
    assert!(melt.contains("FullNghs:  2.40567e+06 ave 2.40567e+06 max 2.40567e+06 min\n"), "{melt}");
    assert!(melt.contains("Total # of neighbors = 2405666\nAve neighs/atom = 75.177063\n"), "{melt}");
    assert_eq!(total_wall_time(3725.9), "Total wall time: 1:02:05");
}

/// Mesa's llvmpipe measures commands in nanoseconds, whatever they do.
#[test]
fn a_clock_that_cannot_be_right_is_named() {
    let kernels = vec![kernel(Section::Pair, 2.0e-8), kernel(Section::Neigh, 4.0e-8)];
    let text = RunRecord { kernels, ..record() }.closing();
    assert!(text.contains("\nThe device's clock cannot be right, with 3e-09 s per command: "), "{text}");
    assert!(!record().closing().contains("clock"));
}

/// The log advises against several ranks only where all that they did besides Comm, one after another, takes less than their loop.
#[test]
fn advice_against_ranks_is_given_where_it_is_true() {
    let advice = |ranks: usize, comm: f64, loop_seconds: f64| {
        let rank = RankRecord {
            loop_seconds,
            cpu_seconds: loop_seconds,
            waiting_seconds: 0.0,
            sections: [0.0, 0.0, comm * loop_seconds, 0.0, 0.0],
            counts: record().counts,
        };
        RunRecord { loop_seconds, ranks: vec![rank; ranks], ..record() }.advice()
    };
    let expected = "Note: Comm is 60 % of this loop; one rank would take less than 8 s for all else, and likely be faster";
    assert_eq!(advice(2, 0.6, 10.0).as_deref(), Some(expected));
    // Four ranks do 1.6 loops of other work; two take about as long; a short loop says nothing; one rank waits for none.
    for (ranks, comm, loop_seconds) in [(4, 0.6, 10.0), (2, 0.52, 10.0), (2, 0.9, 0.5), (1, 0.9, 10.0)] {
        assert_eq!(advice(ranks, comm, loop_seconds), None, "{ranks} {comm} {loop_seconds}");
    }
    assert!(advice(4, 0.8, 10.0).is_some());
}

#[test]
fn performance_in_real_and_metal_units() {
    // units real, timestep 2, run 2000 with 32 atoms.
    let real = RunRecord {
        units: "real".into(),
        dt: 2.0,
        steps: 2000,
        loop_seconds: 2000.0 / 529325.562,
        ..record()
    };
    let expected =
        "\n\nPerformance: 91467.457 ns/day, 0.000 hours/ns, 529325.562 timesteps/s, 16.938 Matom-step/s\n";
    assert!(real.closing().contains(expected), "{}", real.closing());
    // units metal, timestep 0.001, run 2 with 32 atoms.
    let metal = RunRecord { units: "metal".into(), dt: 0.001, loop_seconds: 2.219e-5, steps: 2, ..record() };
    let expected =
        "\n\nPerformance: 7787.292 ns/day, 0.003 hours/ns, 90130.689 timesteps/s, 2.884 Matom-step/s\n";
    assert!(metal.closing().contains(expected), "{}", metal.closing());
}

#[test]
fn closing_lines_without_steps_or_timing() {
    // run 0
    let empty = RunRecord { steps: 0, loop_seconds: 2.6e-7, kernels: Vec::new(), ..record() }.closing();
    let expected = "Loop time of 2.6e-07 on 1 procs for 0 steps with 32 atoms\n\n\
        0.0% CPU use with 1 MPI tasks x 1 OpenMP threads\n\nMPI task timing breakdown:\n";
    assert!(empty.starts_with(expected), "{empty}");
    assert!(empty.contains("\nOther   |            | 2.6e-07    |            |       |100.00\n"), "{empty}");
    let off = RunRecord { timing: TimingMode::Off, ..record() }.closing();
    assert!(!off.contains("Pair ") && off.contains("-timing off"), "{off}");
    let mut sampled = record();
    sampled.kernels[0].sampled = 3;
    let sampled = sampled.closing();
    assert!(sampled.contains("\nDevice time from 43 of 50 commands on the device's clock\n"), "{sampled}");
    for text in [empty, off, sampled] {
        assert!(!text.contains("Step ") && !text.contains("ERROR"), "{text}");
    }
}

#[test]
fn other_is_not_clamped() {
    let over = RunRecord { loop_seconds: 2e-5, ..record() };
    assert!(over.other() < 0.0);
    let sum: f64 = Section::ALL.iter().map(|section| over.seconds(*section)).sum();
    assert!((sum + over.other() - over.loop_seconds).abs() < 1e-18);
}

#[test]
fn json_report() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("report.json");
    let gpu = Gpu::open(None, TimingMode::Off).expect("a device");
    let mut report =
        Report::new("in.lj", "abc", &gpu, Precision::Single, serde_json::json!({"timing": "full"}));
    let mut counted = record();
    counted.kernels[1].work = Some(KernelCost { bytes_moved: 3e4, operations: 6e4 });
    report.push_run(&counted);
    report.write(&path).expect("writes");
    report.push_run(&record());
    report.write(&path).expect("overwrites");
    let text = std::fs::read_to_string(&path).expect("a file");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let keys: Vec<&String> = json.as_object().expect("an object").keys().collect();
    let expected = ["program", "version", "git", "date", "script", "device", "precision", "options", "runs"];
    assert_eq!(keys, expected);
    assert_eq!(json["precision"], "single");
    // Of 10 microseconds of what the device can do in a second.
    let kernels = &json["runs"][0]["kernels"];
    for (rate, work, share) in
        [("copy_bandwidth", "bytes_moved", "copy_share"), ("peak_flops", "operations", "peak_share")]
    {
        let [rate, work, share] = [&json["device"][rate], &kernels[1][work], &kernels[1][share]]
            .map(|number| number.as_f64().expect("a number"));
        assert!(rate > 1e8, "{rate}");
        assert!((share * rate * 1e-5 / work - 1.0).abs() < 1e-12, "{share} of {rate}, {work}");
    }
    assert!(kernels[0].get("bytes_moved").is_none() && kernels[0].get("copy_share").is_none());
    assert_eq!(json["device"]["name"], gpu.info().name);
    assert_eq!(json["runs"].as_array().map(Vec::len), Some(2));
    let run = &json["runs"][1];
    assert_eq!((&run["steps"], &run["bytes_copied"]), (&10.into(), &500.into()));
    assert_eq!(run["kernels"].as_array().map(Vec::len), Some(5));
    let sections = run["sections"].as_object().expect("an object");
    assert_eq!(sections.keys().collect::<Vec<_>>(), ["Pair", "Neigh", "Comm", "Output", "Modify", "Other"]);
    let sum = |key: &str| sections.values().map(|row| row[key].as_f64().expect("a number")).sum::<f64>();
    assert!((sum("seconds") - 4.015e-5).abs() < 1e-16);
    assert!((sum("percent") - 100.0).abs() < 1e-9);
    let entries = std::fs::read_dir(directory.path()).expect("a directory").count();
    assert_eq!(entries, 1, "nothing is left beside the report");
    let error = report.write(std::path::Path::new("/no/such/directory/r.json")).expect_err("no directory");
    assert!(error.message.contains("/no/such/directory/r.json"), "{}", error.message);
}
