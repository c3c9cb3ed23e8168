//! At which steps something is written, over several runs, and what time it is then. Steps and times are those of LAMMPS 22 Jul 2025.

#[macro_use]
mod common;

use clamps::base::log::Log;
use clamps::commands::interpreter::{Echo, Interpreter};
use clamps::gpu::options::Precision;
use clamps::script::variables::Variables;
use clamps::session::Session;
use clamps::session::options::Options;
use std::path::Path;

const SYSTEM: &str = "lattice fcc 0.9
    region b block 0 3 0 3 0 3
    create_box 1 b
    create_atoms 1 box
    mass 1 1
    pair_style lj/cut 2.5
    pair_coeff * * 1 1
    velocity all create 0.8 3 loop geom
    fix 1 all nve
    variable w equal stride(0,1000,5)+2
    thermo_style custom step time pe\n";

/// What the log of a script says in which `DIR` is a folder.
fn log(script: &str, dir: &Path) -> String {
    let options = Options { precision: Some(Precision::Double), ..Options::default() };
    let session = Session::new(options, Log::memory(), Variables::default());
    let mut interpreter = Interpreter::new(session, Echo::None);
    let script = format!("{SYSTEM}{script}").replace("DIR", &dir.display().to_string());
    interpreter.run("in.test", &script).unwrap_or_else(|error| panic!("{}", error.render(false)));
    interpreter.session.output.log.text().to_owned()
}

/// The steps of the frames of a dump.
fn frames(path: &Path) -> Vec<i64> {
    let text = std::fs::read_to_string(path).expect("a dump");
    let after = text.split("ITEM: TIMESTEP\n").skip(1);
    after.map(|frame| frame.lines().next().and_then(|step| step.parse().ok()).expect("a step")).collect()
}

/// The steps and times of all rows.
fn times(log: &str) -> Vec<(i64, f64)> {
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [step, time, _] = words[..] else { return None };
        Some((step.parse().ok()?, time.parse().ok()?))
    };
    log.lines().filter(|line| line.starts_with("   ")).filter_map(row).collect()
}

const RUNS: &str = "run 11\nrun 10\nminimize 0 0 4 20\nrun 6\n";

#[test]
fn variables_are_asked_anew_when_a_run_begins() {
    apart!("cheap");
    let dir = tempfile::tempdir().expect("a directory");
    let path = |name: &str| dir.path().join(name);
    log(
        &format!(
            "dump e all custom 5 DIR/e id
            dump_modify e every v_w
            dump f all custom 3 DIR/f id
            dump_modify f first yes
            restart v_w DIR/r.*
            {RUNS}undump e\nundump f\nreset_timestep 103\nrun 12\nrun 6 pre no\nrestart 5 DIR/q.*\nrun 10"
        ),
        dir.path(),
    );
    assert_eq!(frames(&path("e")), [7, 17]);
    let mut files: Vec<String> = dir
        .path()
        .read_dir()
        .expect("there")
        .flatten()
        .filter_map(|file| file.file_name().into_string().ok())
        .collect();
    files.retain(|name| name.contains('.'));
    files.sort();
    assert_eq!(files, ["q.125", "q.130", "r.107", "r.112", "r.17", "r.7"]);
    let printed = log(
        &format!("fix p all print v_w 'p $(step)'\n{RUNS}reset_timestep 103\nrun 12\nrun 6 pre no\nrun 6"),
        dir.path(),
    );
    let steps: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("p ")).collect();
    assert_eq!(steps, ["7", "17", "107", "112", "117", "127"]);
}

/// Restart files over runs, a minimization, reset_timestep and clear, which forgets them.
#[test]
fn restart_files_come_when_those_of_lammps_do() {
    apart!("cheap");
    let dir = tempfile::tempdir().expect("a directory");
    log(
        "restart 4 DIR/r.*
        run 6
        run 5 pre no
        minimize 0 0 3 20
        run 3
        reset_timestep 101
        run 8
        restart v_w DIR/r.*
        run 9
        restart 6 DIR/a.r DIR/b.r
        run 4
        reset_timestep 200
        restart 5 DIR/r.*
        run 13
        clear
        region b block 0 3 0 3 0 3
        create_box 1 b
        create_atoms 1 single 1 1 1
        mass 1 1
        pair_style lj/cut 2.5
        pair_coeff * * 1 1
        fix 1 all nve
        run 12
        restart 5 DIR/s.*
        run 1 every 1 'restart 4 DIR/s.*'
        run 9",
        dir.path(),
    );
    let files = dir.path().read_dir().expect("there").flatten();
    let mut files: Vec<String> = files.filter_map(|file| file.file_name().into_string().ok()).collect();
    files.sort();
    let expected = "a.r b.r r.104 r.108 r.112 r.117 r.12 r.122 r.16 r.205 r.210 r.4 r.8 s.16 s.20";
    assert_eq!(files.join(" "), expected);
}

#[test]
fn minimizations_do_not_count_in_the_time_of_runs() {
    apart!("cheap");
    let dir = tempfile::tempdir().expect("a directory");
    let script = "displace_atoms all random 0.1 0.1 0.1 5
        thermo 50
        minimize 0 0 3 50
        timestep 0.002
        run 1
        minimize 0 0 3 50
        minimize 0 0 3 50
        variable t equal time
        print 'between ${t}'
        run 1
        minimize 0 0 3 50
        run 1 pre no
        reset_timestep 20
        minimize 0 0 3 50
        write_restart DIR/x
        run 1
        clear
        read_restart DIR/x
        fix 1 all nve
        thermo_style custom step time pe
        run 1";
    let log = log(script, dir.path());
    assert!(log.contains("between 0.029\n"));
    let expected: [&[(i64, f64)]; 9] = [
        &[(0, 0.0), (3, 0.015)],
        &[(3, 0.015), (4, 0.017)],
        &[(4, 0.017), (7, 0.023)],
        &[(7, 0.023), (10, 0.029)],
        &[(10, 0.017), (11, 0.019)],
        &[(11, 0.019), (14, 0.025)],
        &[(14, 0.025), (15, 0.027)],
        &[(20, 0.037), (23, 0.043)],
        &[(23, 0.037), (24, 0.039)],
    ];
    let mut expected = expected.concat();
    expected.extend([(23, 0.037), (24, 0.039)]);
    assert_eq!(times(&log), expected);
}
