//! A walk over the table of commands: each with too few words, too many, wrong numbers and unknown words must say where
//! the mistake is, name the word, and never panic.

use clamps::base::error::Error;
use clamps::base::log::Log;
use clamps::commands::interpreter::{Echo, Interpreter, names};
use clamps::script::variables::Variables;
use clamps::session::Session;
use clamps::session::options::Options;

/// Before there is a box.
const EARLY: &str = "lattice fcc 0.8442\nregion b block 0 2 0 2 0 2\n";

/// With a box and atoms, and something of everything that has a name.
const LATE: &str = "create_box 2 b\ncreate_atoms 1 box basis 2 2\nmass * 1\npair_style lj/cut 1.0\n\
    pair_coeff * * 1 1\ngroup g type 2\ncompute c all ke/atom\nfix f all nve\nfix p all property/atom i_kind\ndump d all atom 10 none.dump\n\
    variable a atom x\nvariable e equal 1.5\nvariable i index 1 2\n";

/// With bonds, which come before the box.
const BONDED: &str = "atom_style bond\nlattice fcc 0.8442\nregion b block 0 2 0 2 0 2\ncreate_box 2 b bond/types 1\n\
    create_atoms 1 box\nmass * 1\nbond_style harmonic\n";

/// Which of these scripts comes before a command.
#[derive(Clone, Copy, PartialEq)]
enum When {
    Early,
    Late,
    BondStyle,
    /// As `Late`, for commands that need a device or a file and are never carried out here without a mistake.
    Never,
}
use When::{BondStyle, Early, Late, Never};

/// A right line of each command, and what comes before it; more words may follow where it ends with `...`.
const LINES: &[(When, &str)] = &[
    (BondStyle, "angle_style none"),
    (Early, "atom_modify map yes"),
    (Early, "atom_style atomic"),
    (Late, "balance 1.1 shift xyz 10 1.1"),
    (Late, "balance 1.1 shift x 5 1.05 weight group 1 g 2.0 weight neigh 0.5 sort yes"),
    (BondStyle, "bond_coeff 1 30.0 1.5"),
    (BondStyle, "bond_style harmonic"),
    (Early, "boundary p p f"),
    (Early, "box tilt large"),
    (BondStyle, "dihedral_style none"),
    (BondStyle, "improper_style none"),
    (Late, "kspace_style none"),
    (Late, "reset_atom_ids sort yes"),
    (Late, "reset_ids sort no"),
    (BondStyle, "reset_mol_ids all compress yes"),
    (Late, "run_style verlet"),
    (Never, "write_coeff none.coeff"),
    (Late, "change_box all x final 0 5 y scale 1.1 units box"),
    (Late, "clear"),
    (Late, "comm_modify cutoff 3.0"),
    (Late, "comm_style brick"),
    (Late, "compute new all temp"),
    (Late, "compute_modify thermo_temp extra/dof 3"),
    (Late, "create_atoms 1 single 0.5 0.5 0.5 units box"),
    (Late, "create_atoms 1 random 3 4711 b overlap 0.1 maxtry 10"),
    (Late, "create_atoms 1 box ratio 0.5 4711"),
    (Never, "create_atoms 1 mesh none.stl units box meshmode bisect 2.0"),
    (Early, "create_box 2 b"),
    (BondStyle, "create_bonds many all all 1 0.9 1.3 special yes"),
    (BondStyle, "create_bonds single/bond 1 3 5 special no"),
    (Late, "dielectric 2.0"),
    (Late, "delete_atoms group g compress no"),
    (Late, "delete_atoms overlap 0.1 g all"),
    (Late, "delete_atoms random count 2 yes all NULL 4711"),
    (Late, "delete_atoms random fraction 0.5 no g b 4711 bond no"),
    (BondStyle, "delete_bonds all bond 1 any remove special"),
    (BondStyle, "delete_bonds all atom 1*2 remove special"),
    (BondStyle, "delete_bonds all multi undo"),
    (Early, "dimension 3"),
    (Late, "displace_atoms g move 0.1 0 v_e units box"),
    (Late, "displace_atoms g ramp x 0 0.1 y 0 2"),
    (Late, "displace_atoms g random 0.1 0.1 0.1 4711"),
    (Late, "displace_atoms g rotate 1 1 1 0 0 1 45"),
    (Late, "dump new all custom 10 new.dump id x vx ..."),
    (Late, "dump_modify d sort id every 5"),
    (Early, "echo none"),
    (Late, "fix new g addforce 0.1 v_e v_a every 2"),
    (Late, "fix_modify f ..."),
    (Late, "group new type 1 2 ..."),
    (Late, "group new id 1:4 7"),
    (Late, "group new dynamic g region b every 2"),
    (Late, "group new dynamic g property kind"),
    (Late, "if \"1 < 2\" then ..."),
    (Never, "include none.in ..."),
    (Late, "info system groups variables out screen ..."),
    (Never, "jump SELF"),
    (Early, "label here"),
    (Early, "lattice custom 1.1 a1 1 0 0 basis 0 0 0"),
    (Late, "labelmap atom 1 one 2 [two]"),
    (BondStyle, "labelmap bond 1 stiff"),
    (Never, "log none.log append"),
    (Late, "mass 1*2 1.5"),
    (Late, "min_modify dmax 0.2"),
    (Late, "min_style cg"),
    (Never, "minimize 0.0 1e-6 100 1000"),
    (Never, "molecule new none.mol toff 1"),
    (Late, "neigh_modify every 2 delay 4 check yes"),
    (Late, "neighbor 0.3 bin"),
    (Early, "newton on"),
    (Late, "next i"),
    (Early, "package omp ..."),
    (Late, "pair_coeff 1 2 1.0 1.0 2.5"),
    (Late, "pair_modify shift yes mix arithmetic"),
    (Late, "pair_style lj/cut 2.5"),
    (Never, "pair_write 1 1 10 r 0.9 2.0 none.table SECTION"),
    (Early, "print text screen no"),
    (Early, "processors 1 1 1"),
    (Late, "quit 3"),
    (Never, "read_data none.data nocoeff"),
    (Never, "read_dump none.dump 0 x y z"),
    (Never, "read_restart none.restart"),
    (Late, "region new cylinder z 1 1 0.5 0 2 side out units box"),
    (Late, "region new sphere 1 1 1 0.5"),
    (Late, "region new union 2 b b"),
    (Late, "region new sphere 1 1 1 0.5 move NULL v_e v_e rotate v_e 0 0 0 1 1 0"),
    (Late, "replicate 2 1 1"),
    (Never, "rerun none.dump dump x y z"),
    (Late, "reset_atoms id sort yes"),
    (BondStyle, "reset_atoms image all"),
    (BondStyle, "reset_atoms mol all compress yes single no offset 3"),
    (Late, "reset_timestep 100 time 0.5"),
    (Late, "restart 100 one.restart two.restart"),
    (Never, "run 10 start 0 stop 20"),
    (Late, "set type 1 type/subset 2 3 4711 ..."),
    (Late, "set group g type/ratio 2 0.5 4711"),
    (Late, "set group g i_kind 2"),
    (Late, "set atom 1*4 vx v_e y 0.5"),
    (Never, "shell ..."),
    (BondStyle, "special_bonds lj 0.0 1.0 1.0"),
    (Late, "suffix off"),
    (Late, "thermo 10"),
    (Late, "thermo_modify norm no flush yes"),
    (Late, "thermo_style custom step temp c_thermo_press v_e"),
    (Late, "timer timeout 100"),
    (Late, "timestep 0.002"),
    (Late, "uncompute c"),
    (Late, "undump d"),
    (Late, "unfix f"),
    (Early, "units lj"),
    (Late, "variable new equal v_e+1 ..."),
    (Late, "variable new vector [1,2]"),
    (Late, "variable new loop 2 5 pad"),
    (Late, "velocity all create 1.0 4711 dist gaussian mom yes"),
    (Late, "velocity g set 1.0 NULL v_a sum yes"),
    (Late, "velocity g ramp vx 0.0 1.0 x 0 2"),
    (Never, "write_data none.data pair ij"),
    (Never, "write_dump all atom none.dump"),
    (Never, "write_restart none.restart"),
];

/// What a command says after the lines before it.
fn say(when: When, line: &str) -> Result<(), Error> {
    let before = match when {
        Early => EARLY.to_owned(),
        Late | Never => format!("{EARLY}{LATE}"),
        BondStyle => BONDED.to_owned(),
    };
    log_of(&format!("{before}{line}\n")).map(|_| ())
}

/// The log of a script.
fn log_of(script: &str) -> Result<String, Error> {
    let session = Session::new(Options::default(), Log::memory(), Variables::default());
    let mut interpreter = Interpreter::new(session, Echo::None);
    interpreter.run("in.walk", script)?;
    Ok(interpreter.session.output.log.text().to_owned())
}

/// What is wrong with how a mistake in the last line is told, if anything; `word`, where given, must be marked or named.
fn untold(line: &str, error: &Error, word: Option<&str>) -> Option<String> {
    let rendered = error.render(false);
    let Some((source, span)) = &error.at else { return Some(format!("{line}: no place: {rendered}")) };
    let marked = source.text.get(span.clone()).unwrap_or_default();
    let name = line.split(' ').next().unwrap_or_default();
    let about = |word: &str| marked.contains(word) || error.message.contains(word);
    let placed = &*source.file == "in.walk" && rendered.contains("in.walk:");
    let good = placed && about(name) && word.is_none_or(about);
    (!good).then(|| format!("{line}:\n{rendered}"))
}

/// Asserts that nothing is wrong, or shows all of it.
fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong.join("\n"));
}

fn parts(line: &str) -> (Vec<&str>, bool) {
    let bare = line.strip_suffix(" ...");
    (bare.unwrap_or(line).split(' ').collect(), bare.is_some())
}

#[test]
fn every_command_is_here() {
    for name in names() {
        assert!(LINES.iter().any(|(_, line)| line.split(' ').next() == Some(name)), "{name} is not in LINES");
    }
}

#[test]
fn right_lines_are_right() {
    let mut wrong = Vec::new();
    for (when, line) in LINES.iter().filter(|(when, _)| *when != Never) {
        let line = line.strip_suffix(" ...").unwrap_or(line);
        // These have nothing to do without the words that are left away.
        if !["fix_modify", "if ", "package"].iter().any(|name| line.starts_with(name)) {
            wrong.extend(say(*when, line).err().map(|error| error.render(false)));
        }
    }
    none(&wrong);
}

#[test]
fn too_few_words() {
    let (mut refused, mut wrong) = (0, Vec::new());
    for (when, line) in LINES {
        let (words, _) = parts(line);
        // A quote that is cut in two is another mistake.
        for count in (1..words.len()).filter(|_| !line.contains('"')) {
            let line = words[..count].join(" ");
            // Without some words it may be right, and then needs the device.
            if *when == Never && count > 1 {
                continue;
            }
            if let Err(error) = say(*when, &line) {
                wrong.extend(untold(&line, &error, None));
                refused += 1;
            }
        }
    }
    none(&wrong);
    assert!(refused > 150, "{refused}");
}

#[test]
fn too_many_words() {
    let mut wrong = Vec::new();
    for (when, line) in LINES.iter().filter(|(_, line)| !parts(line).1) {
        let line = format!("{line} surplus");
        match say(*when, &line) {
            Ok(()) => wrong.push(format!("{line} is accepted")),
            Err(error) => wrong.extend(untold(&line, &error, (*when != Never).then_some("surplus"))),
        }
    }
    none(&wrong);
}

#[test]
fn wrong_numbers_and_unknown_words() {
    let (mut refused, mut wrong) = (0, Vec::new());
    for (when, line) in LINES {
        let (words, _) = parts(line);
        for place in (1..words.len()).filter(|_| !line.contains('"')) {
            let number = words[place].parse::<f64>().is_ok();
            let others: &[&str] = if number { &["1x", "nan", "-7e400", "bogus!"] } else { &["bogus!", "-1"] };
            for other in others {
                let mut words = words.clone();
                words[place] = other;
                let line = words.join(" ");
                // A name of a file or of something new may be any word; it is not to be used here.
                if *when == Never && !number {
                    continue;
                }
                match say(*when, &line) {
                    Err(error) => {
                        wrong.extend(untold(&line, &error, number.then_some(other)));
                        refused += 1;
                    }
                    // NaN and the like must not get through as numbers, whatever else may.
                    Ok(()) if number => wrong.push(format!("{line} is accepted")),
                    Ok(()) => {}
                }
            }
        }
    }
    none(&wrong);
    assert!(refused > 400, "{refused}");
}

/// Lines for what is not here, and the remark that the log has of them; names of styles with accelerator suffixes.
#[test]
fn lines_that_mean_nothing_here_are_taken_with_a_remark() {
    for (line, remark) in [
        ("run_style verlet", "'run_style verlet' has no effect"),
        ("run_style verlet/kk", "verlet/kk is verlet in CLAMPS"),
        ("box tilt small", "'box tilt' has no effect"),
        ("kspace_style none", "'kspace_style none' has no effect"),
        ("angle_style none", "'angle_style none' has no effect"),
        ("dihedral_style none", "'dihedral_style none' has no effect"),
        ("improper_style none", "'improper_style none' has no effect"),
        ("reset_ids", "reset_ids has the name 'reset_atoms id' today"),
        ("reset_atom_ids sort yes", "reset_atom_ids has the name 'reset_atoms id' today"),
        ("min_style hftn", "min_style hftn runs the style cg"),
        ("min_style cg/kk", "cg/kk is cg"),
        ("suffix hybrid omp gpu", "'suffix' has no effect"),
        ("package kokkos neigh half comm device", "'package kokkos' has no effect"),
        ("comm_style tiled", "'comm_style' has no effect"),
        ("timer full sync", "'timer full' has no effect"),
        ("info nonsense memory coeffs communication accelerator time", "'nonsense' is no topic"),
        ("neigh_modify cluster yes collection/type 1 1 collection/interval 1 2.0", ""),
        (
            "neighbor 0.3 multi\ncomm_modify mode multi cutoff/multi 1 3.0 vel yes reduce/multi",
            "'comm_modify' has no effect",
        ),
        ("comm_modify mode multi/old cutoff/multi/old *2 3.0", "'comm_modify' has no effect"),
        ("comm_modify group g", "'comm_modify' has no effect"),
        ("comm_style tiled\nbalance 0.5 rcb", ""),
        ("balance 1.1 x uniform y uniform out none", "along a Hilbert curve"),
        ("fix new all balance 10 1.1 shift xy 10 1.05", ""),
        ("neighbor 0.3 multi", ""),
        ("special_bonds lj/coul 0 0 0.5 angle yes dihedral no", ""),
        ("pair_style lj/cut/opt 1.5", "lj/cut/opt is lj/cut"),
        ("pair_style hybrid/overlay/kk lj/cut/gpu 1.0 soft/omp 1.0", "soft/omp is soft"),
        ("fix new all nve/omp", "nve/omp is nve"),
        ("compute new all temp/kk", "temp/kk is temp"),
        ("region new sphere/kk 1 1 1 1", "sphere/kk is sphere"),
        ("dump new all custom/gz 10 none.gz id", ""),
        ("pair_style none", ""),
        ("fix_modify f energy no virial no", ""),
        ("thermo_modify warn always", ""),
    ] {
        let log =
            log_of(&format!("{EARLY}{LATE}{line}\n")).unwrap_or_else(|e| panic!("{line}: {}", e.message));
        assert!(log.contains(remark), "{line}:\n{log}");
    }
    let log =
        log_of(&format!("{EARLY}{LATE}fix 1 all nve/omp\nunfix 1\nfix 1 all nve/omp\n")).expect("right");
    assert_eq!(log.matches("is nve in").count(), 1, "said once");
}

/// Styles and commands that LAMMPS alone has are named as such, not taken for misspelt ones.
#[test]
fn what_lammps_alone_has_says_so() {
    for line in [
        "python f input 1",
        "kim init a real",
        "mdi engine",
        "neb 0 0 1 1 1",
        "plugin load x",
        "run_style respa 2 1",
        "kspace_style pppm/kk 1e-4",
        "angle_style harmonic",
        "dihedral_style opls/omp",
        "improper_style cvff",
        "bond_style mm3",
        "pair_style reaxff/kk NULL",
        "pair_style polymorphic",
        "pair_style comb",
        "pair_style bop",
        "pair_style airebo 3.0",
        "fix new all ttm 1 1.0 1.0 1.0 1.0 1.0 1.0 1 1 1",
        "fix new all plumed",
        "fix new all qeq/reaxff/omp 1",
        "compute new all fep 1",
        "dump new all netcdf 1 none.nc id",
        "dump new all h5md 1 none.h5",
        "min_style spin",
    ] {
        let script = match line.starts_with("bond_style") {
            true => format!("{BONDED}{line}\n"),
            false => format!("{EARLY}{LATE}{line}\n"),
        };
        let message = log_of(&script).expect_err(line).message;
        assert!(message.contains("LAMMPS") && message.contains("is not supported"), "{line}: {message}");
    }
}

/// Every kind is listed, with how many of LAMMPS's there are; all of the unit systems and of the regions.
#[test]
fn styles_of_every_kind_are_listed() {
    let kinds = "atom pair bond angle dihedral improper kspace fix compute dump region units command";
    for kind in kinds.split(' ') {
        let log = log_of(&format!("info styles {kind}\n")).expect("a kind");
        assert_eq!(log.lines().filter(|line| line.contains("of LAMMPS's")).count(), 1, "{kind}:\n{log}");
    }
    let all = log_of("info styles\n").expect("all kinds");
    assert_eq!(all.lines().filter(|line| line.contains("of LAMMPS's")).count(), 13, "{all}");
    for line in
        ["Region styles, 9 of LAMMPS's 9: block", "Unit systems, 8 of LAMMPS's 8: cgs", "Angle styles, 0 of"]
    {
        assert!(all.contains(line), "{line}:\n{all}");
    }
}

/// What `write_coeff` writes is a script that gives the same coefficients; mixed ones are those of LAMMPS's file.
#[test]
fn coefficients_are_written_as_lines_of_a_script() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    let head = "units real\natom_style full\nregion b block 0 9 0 9 0 9\ncreate_box 2 b bond/types 2\nmass * 1\n\
        pair_style lj/cut 10.5\npair_modify mix arithmetic\nbond_style harmonic\n";
    let coefficients =
        "pair_coeff 1 1 0.1 3.5\npair_coeff 2 2 0.2 3 9\nbond_coeff 1 450 1.2\nbond_coeff 2 300.5 1\n";
    log_of(&format!("{head}{coefficients}write_coeff {}\n", first.display())).expect("written");
    let text = std::fs::read_to_string(&first).expect("a file");
    let lines = [
        "pair_coeff 1 1 0.1 3.5 10.5",
        "pair_coeff 2 2 0.2 3 9",
        "bond_coeff 1 450 1.2",
        "bond_coeff 2 300.5 1",
    ];
    lines.iter().for_each(|line| assert!(text.lines().any(|other| other == *line), "{line}:\n{text}"));
    // LAMMPS writes 0.141421 3.25 9.75.
    assert!(text.contains("pair_coeff 1 2 0.1414213562373") && text.contains(" 3.25 9.75\n"), "{text}");
    log_of(&format!("{head}include {}\nwrite_coeff {}\n", first.display(), second.display())).expect("read");
    assert_eq!(std::fs::read_to_string(&second).expect("a file"), text);
}

/// Where coefficients are no numbers, the file of `write_coeff` says so, and what to do; so does the log.
#[test]
fn coefficients_that_are_no_numbers_are_not_left_out_silently() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    let tersoff = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lammps/tersoff.part");
    let head = format!(
        "units metal\natom_style bond\nregion b block 0 9 0 9 0 9\ncreate_box 2 b bond/types 1\nmass * 1\n\
         bond_style harmonic\nbond_coeff 1 450 1.2\npair_style tersoff\npair_coeff * * {tersoff} Si Xx\n"
    );
    let log = log_of(&format!("{head}write_coeff {}\n", first.display())).expect("written");
    assert!(
        log.contains(
            "WARNING: write_coeff: pair_style tersoff: its coefficients cannot be written as numbers"
        ),
        "{log}"
    );
    let text = std::fs::read_to_string(&first).expect("a file");
    let lines: Vec<&str> = text.lines().skip(1).filter(|line| !line.is_empty()).collect();
    let [tersoff, style, bond] = lines[..] else { panic!("{text}") };
    assert!(tersoff.starts_with("# pair_style tersoff: ") && tersoff.contains("`pair_coeff`"), "{text}");
    assert_eq!([style, bond], ["# bond_style harmonic", "bond_coeff 1 450 1.2"]);
    // As remarks they do no harm where the file is read.
    log_of(&format!("{head}include {}\nwrite_coeff {}\n", first.display(), second.display())).expect("read");
    assert_eq!(std::fs::read_to_string(&second).expect("a file"), text);
    let hybrid = "pair_style hybrid lj/cut 2 zero 2\npair_coeff * * lj/cut 1 1\npair_coeff 2 2 zero\n";
    let log = log_of(&format!("{head}{hybrid}write_coeff {}\n", second.display())).expect("written");
    assert!(log.contains("pair_style hybrid"), "{log}");
}
