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
    (Early, "atom_modify map yes"),
    (Early, "atom_style atomic"),
    (Late, "balance 1.1 shift xyz 10 1.1"),
    (Late, "balance 1.1 rcb weight group 1 g 2.0 weight neigh 0.5 sort yes"),
    (BondStyle, "bond_coeff 1 30.0 1.5"),
    (BondStyle, "bond_style harmonic"),
    (Early, "boundary p p f"),
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
    (Late, "info system groups variables out screen"),
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
    let session = Session::new(Options::default(), Log::memory(), Variables::default());
    let mut interpreter = Interpreter::new(session, Echo::None);
    interpreter.run("in.walk", &format!("{before}{line}\n")).map(|_| ())
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
