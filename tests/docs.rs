//! The pages under docs/ say what is so: the tutorial's commands run, tables can be read.

#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeMap;
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

#[test]
fn the_tutorial_does_what_it_says() {
    let tutorial = tutorial();
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in &tutorial.files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let devices = Command::new(env!("CARGO_BIN_EXE_clamps")).arg("devices").output().unwrap();
    let devices = String::from_utf8(devices.stdout).unwrap();
    let kinds: Vec<&str> =
        ["CPU", "GPU"].into_iter().filter(|kind| devices.contains(&format!(" {kind} "))).collect();
    let mut screens = BTreeMap::new();
    let mut ran = 0;
    for (line, printed) in &tutorial.commands {
        let words: Vec<&str> = line.split_whitespace().collect();
        // What installs things is run by .ci/run; it has to be there.
        if words[0] != "clamps" {
            assert!(["./setup.sh", "cargo install --path ."].contains(&line.as_str()), "{line}");
            assert!(root().join("setup.sh").is_file());
            continue;
        }
        // Whoever has one kind of device only takes it for both.
        let words = words[1..].iter().map(|&word| match word {
            "cpu" | "gpu" if !kinds.contains(&&*word.to_uppercase()) => kinds[0].to_lowercase(),
            _ => word.to_owned(),
        });
        let done = Command::new(env!("CARGO_BIN_EXE_clamps")).args(words).current_dir(&dir).output().unwrap();
        let screen = String::from_utf8(done.stdout).unwrap();
        assert!(done.status.success(), "{line}\n{screen}{}", String::from_utf8_lossy(&done.stderr));
        let rows: Vec<Vec<f64>> = screen.lines().filter_map(row).collect();
        for shown in printed.iter().filter_map(|line| row(line)) {
            let made =
                rows.iter().rfind(|row| row[0].to_bits() == shown[0].to_bits() && row.len() == shown.len());
            assert!(made.is_some(), "{line}: no row of step {}", shown[0]);
        }
        screens.insert(line.clone(), rows);
        ran += 1;
    }
    assert_eq!(ran, 12, "commands that run: {:?}", tutorial.commands);

    // LAMMPS's numbers of the first row, and the energy that is conserved.
    let first = &screens["clamps -in in.first -log log.first"];
    let start = first.iter().find(|row| row[0].to_bits() == 0 && row.len() == 6).unwrap();
    for (found, lammps) in start[1..].iter().zip([1.44, -6.7733681, 0.0, -4.6139081, -5.0199732]) {
        assert!((found - lammps).abs() < 1e-6, "{start:?}");
    }
    assert!(first.iter().filter(|row| row.len() == 6).all(|row| (row[4] + 4.62).abs() < 0.01), "{first:?}");

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

    let chart = std::fs::read_to_string(dir.path().join("profile.svg")).unwrap();
    assert!(chart.contains("density/number") && chart.contains("Coord1"), "{chart}");
    assert!(std::fs::read(dir.path().join("chains.12000.png")).unwrap().starts_with(b"\x89PNG"));
}
