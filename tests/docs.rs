//! The pages under docs/ say what is so: the tutorial's commands run, tables can be read.

#![allow(clippy::unwrap_used, missing_docs)]

#[macro_use]
mod common;

use common::full;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All pages: README.md, CONTRIBUTING.md and docs/.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    assert!(pages.len() > 15, "{pages:?}");
    pages
}

#[test]
fn no_cell_of_a_table_is_longer_than_200_characters() {
    let mut long = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with('|')) {
            let cells = line.replace("\\|", "/");
            long.extend(
                cells
                    .split('|')
                    .filter(|cell| cell.trim().chars().count() > 200)
                    .map(|cell| format!("{}:{}: {cell}", page.display(), number + 1)),
            );
        }
    }
    assert!(long.is_empty(), "put what is long below the table:\n{}", long.join("\n"));
}

/// What stands between backquotes in headings and first cells of rows, up to the first blank.
fn described(page: &str) -> BTreeSet<&str> {
    let mut named = BTreeSet::new();
    for line in page.lines() {
        let place = match line.strip_prefix('|') {
            Some(row) => row.split('|').next().unwrap_or_default(),
            None if line.starts_with('#') => line,
            None => continue,
        };
        named.extend(place.split('`').skip(1).step_by(2).filter_map(|code| code.split(' ').next()));
    }
    named
}

#[test]
fn each_command_has_a_row_or_a_heading() {
    let page = include_str!("../docs/commands.md");
    let named = described(page);
    let names: Vec<&str> = clamps::commands::interpreter::names().collect();
    assert!(names.len() > 80, "{names:?}");
    let missing: Vec<&&str> = names.iter().filter(|name| !named.contains(**name)).collect();
    assert!(missing.is_empty(), "docs/commands.md has no row for {missing:?}");
}

/// The words `--NAME` of a help text, but for those of every one.
fn options(words: &[&str]) -> Vec<String> {
    let help = Command::new(env!("CARGO_BIN_EXE_clamps")).args(words).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let options = lines.filter_map(|line| line.split([' ', ',']).find(|word| word.starts_with("--")));
    let options = options.filter(|name| !name.ends_with(':'));
    options.filter(|name| !["--help", "--version"].contains(name)).map(str::to_owned).collect()
}

#[test]
fn each_option_of_the_command_line_is_described() {
    let page = include_str!("../docs/commands.md");
    let named = described(page);
    let own = options(&[]);
    assert!(own.len() > 15, "{own:?}");
    let missing: Vec<&String> = own.iter().filter(|name| !named.contains(&name[1..])).collect();
    assert!(missing.is_empty(), "docs/commands.md has no row for {missing:?}");

    let texts: Vec<String> = pages().iter().map(|page| std::fs::read_to_string(page).unwrap()).collect();
    let mut missing = Vec::new();
    for task in [
        "devices",
        "doctor",
        "droplet",
        "allpairs",
        "kdv",
        "compare",
        "plot",
        "sweep",
        "tune",
        "bench bandwidth",
        "bench force",
        "bench principles",
        "bench amdahl",
        "bench paper",
    ] {
        let words: Vec<&str> = task.split(' ').collect();
        let of_task = options(&words);
        assert!(!of_task.is_empty(), "{task}");
        // On a page that shows the task.
        let pages: Vec<&String> =
            texts.iter().filter(|text| text.contains(&format!("clamps {task}"))).collect();
        let told = |name: &str| {
            // With one dash or two, and as a whole word.
            let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-');
            pages.iter().any(|page| page.split(&name[1..]).skip(1).any(ends))
        };
        missing.extend(of_task.iter().filter(|name| !told(name)).map(|name| format!("clamps {task} {name}")));
    }
    assert!(missing.is_empty(), "no page describes {missing:?}");
}

#[test]
fn each_variable_of_the_environment_is_described() {
    let texts: String = pages().iter().map(|page| std::fs::read_to_string(page).unwrap()).collect();
    let (mut names, mut folders) = (BTreeSet::new(), vec![root().join("src")]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let behind = text.split("\"CLAMPS_").skip(1).filter_map(|rest| rest.split('"').next());
            let name = |rest: &&str| rest.chars().all(|c| c.is_ascii_uppercase() || c == '_');
            names.extend(behind.filter(name).map(|rest| format!("CLAMPS_{rest}")));
        }
    }
    // What the build writes into the program.
    names.retain(|name| !["CLAMPS_GIT", "CLAMPS_VERSION"].contains(&&**name));
    assert!(names.len() > 8, "{names:?}");
    let missing: Vec<&String> = names
        .iter()
        .filter(|name| !texts.contains(&format!("`{name}`")) && !texts.contains(&format!("`{name}=")))
        .collect();
    assert!(missing.is_empty(), "no page describes {missing:?}");
}

/// The tutorial as it is read: its files (blocks between fences whose first line is `# NAME`), its commands (indented by four), and what
/// they print (other blocks), which belong to the command before them.
struct Tutorial {
    files: BTreeMap<String, String>,
    commands: Vec<(String, Vec<String>)>,
}

fn tutorial() -> Tutorial {
    let text = std::fs::read_to_string(root().join("docs/tutorial.md")).unwrap();
    let mut tutorial = Tutorial { files: BTreeMap::new(), commands: Vec::new() };
    let mut block: Option<Vec<&str>> = None;
    for line in text.lines() {
        match (&mut block, line.strip_prefix("```"), line.strip_prefix("    ")) {
            (None, Some(_), _) => block = Some(Vec::new()),
            (Some(lines), Some(_), _) => {
                let name = lines[0].strip_prefix("# ").filter(|name| !name.contains(' '));
                match name {
                    Some(name) => {
                        tutorial.files.insert(name.to_owned(), lines.join("\n") + "\n");
                    }
                    None => {
                        let printed = lines.iter().map(|&line| line.to_owned()).collect();
                        tutorial.commands.last_mut().unwrap().1 = printed;
                    }
                }
                block = None;
            }
            (Some(lines), None, _) => lines.push(line),
            (None, None, Some(command)) => tutorial.commands.push((command.to_owned(), Vec::new())),
            (None, None, None) => {}
        }
    }
    tutorial
}

/// The numbers of a row of thermo output, or nothing.
fn row(line: &str) -> Option<Vec<f64>> {
    line.split_whitespace()
        .map(|word| word.parse().ok())
        .collect::<Option<Vec<f64>>>()
        .filter(|row| !row.is_empty())
}

/// The last runs of two scripts, which only CLAMPS_TESTS=full makes as long as the page has them: the script, its steps there, and else.
const LONG: [(&str, &str, &str); 2] = [("in.slab", "20000", "2500"), ("in.chains", "5000", "1000")];

/// The rows of steps that are not reached, and what long runs find, are tested with CLAMPS_TESTS=full.
#[test]
fn the_tutorial_does_what_it_says() {
    in_third!(3);
    let tutorial = tutorial();
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in &tutorial.files {
        let mut text = text.clone();
        if let Some((_, steps, fewer)) = LONG.into_iter().find(|(script, ..)| script == name && !full()) {
            let (before, _) = text.rsplit_once(steps).expect("the steps of the last run");
            text = format!("{before}{fewer}\n");
        }
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let devices = Command::new(env!("CARGO_BIN_EXE_clamps")).arg("devices").output().unwrap();
    let devices = String::from_utf8(devices.stdout).unwrap();
    let kinds: Vec<&str> =
        ["CPU", "GPU"].into_iter().filter(|kind| devices.contains(&format!(" {kind} "))).collect();
    // What installs things is run by .ci/run; it has to be there.
    let (own, others): (Vec<_>, Vec<_>) =
        tutorial.commands.iter().map(|(line, _)| line.as_str()).partition(|line| line.starts_with("clamps "));
    for line in others {
        assert!(["./setup.sh", "cargo install --path ."].contains(&line), "{line}");
        assert!(root().join("setup.sh").is_file());
    }
    assert_eq!(own.len(), 12, "commands that run: {own:?}");
    let run = |line: &str| {
        // Whoever has one kind of device only takes it for both.
        let words = line.split_whitespace().skip(1).map(|word| match word {
            "cpu" | "gpu" if !kinds.contains(&&*word.to_uppercase()) => kinds[0].to_lowercase(),
            _ => word.to_owned(),
        });
        let done = Command::new(env!("CARGO_BIN_EXE_clamps")).args(words).current_dir(&dir).output().unwrap();
        let screen = String::from_utf8(done.stdout).unwrap();
        assert!(done.status.success(), "{line}\n{screen}{}", String::from_utf8_lossy(&done.stderr));
        (line.to_owned(), screen)
    };
    // Scripts side by side, the runs of each in the order of the page; then what reads the files that they leave.
    let (runs, rest): (Vec<&str>, Vec<_>) = own.into_iter().partition(|line| line.starts_with("clamps -in "));
    let mut of_scripts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in runs {
        of_scripts.entry(line.split(' ').nth(2).unwrap()).or_default().push(line);
    }
    let all = |lines: &[&str]| lines.iter().map(|line| run(line)).collect::<Vec<_>>();
    let mut printed = std::thread::scope(|scope| {
        let threads: Vec<_> = of_scripts.values().map(|lines| scope.spawn(|| all(lines))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no failure")).collect::<Vec<_>>()
    });
    printed.extend(all(&rest));
    let screens: BTreeMap<String, Vec<Vec<f64>>> =
        printed.into_iter().map(|(line, screen)| (line, screen.lines().filter_map(row).collect())).collect();
    for (line, shown) in &tutorial.commands {
        let shown = shown.iter().filter_map(|line| row(line));
        let last = |rows: &[Vec<f64>]| rows.iter().map(|row| row[0]).fold(0.0, f64::max);
        let shortened = !full() && LONG.iter().any(|(script, ..)| line.contains(script));
        for shown in shown.filter(|shown| !shortened || shown[0] <= last(&screens[line])) {
            let made = screens[line]
                .iter()
                .rfind(|row| row[0].to_bits() == shown[0].to_bits() && row.len() == shown.len());
            assert!(made.is_some(), "{line}: no row of step {}", shown[0]);
        }
    }

    // LAMMPS's numbers of the first row, and the energy that is conserved.
    let first = &screens["clamps -in in.first -log log.first"];
    let start = first.iter().find(|row| row[0].to_bits() == 0 && row.len() == 6).unwrap();
    for (found, lammps) in start[1..].iter().zip([1.44, -6.7733681, 0.0, -4.6139081, -5.0199732]) {
        assert!((found - lammps).abs() < 1e-6, "{start:?}");
    }
    assert!(first.iter().filter(|row| row.len() == 6).all(|row| (row[4] + 4.62).abs() < 0.01), "{first:?}");

    let chart = std::fs::read_to_string(dir.path().join("profile.svg")).unwrap();
    assert!(chart.contains("density/number") && chart.contains("Coord1"), "{chart}");
    let picture = if full() { "chains.12000.png" } else { "chains.8000.png" };
    assert!(std::fs::read(dir.path().join(picture)).unwrap().starts_with(b"\x89PNG"));
    if !full() {
        return;
    }

    // LAMMPS's density of the liquid, and NIST's vapour pressure, as far as so short a run of so few atoms tells them.
    let slab = screens["clamps -in in.slab -log log.slab"]
        .iter()
        .rfind(|row| row[0] > 29_999.0 && row.len() == 5)
        .unwrap();
    assert!((slab[2] - 0.6587).abs() < 0.015 && (slab[4] - 0.0303).abs() < 0.006, "{slab:?}");
    assert!(slab[3] > 0.03 && slab[3] < 0.06, "{slab:?}");

    // LAMMPS's mean length of a bond.
    let chains = screens["clamps -in in.chains -log log.chains"]
        .iter()
        .rfind(|row| row[0] > 11_999.0 && row.len() == 4)
        .unwrap();
    assert!((chains[3] - 0.96448).abs() < 0.0003, "{chains:?}");
}
