//! Which scripts are tried: those of the styles that this program is meant for, and all of the folders where most are;
//! in what order.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Pair styles, or beginnings of them, of scripts that this program is meant for.
const PAIR_STYLES: [&str; 30] = [
    "lj/cubic",
    "lj/cut",
    "lj/expand",
    "lj/gromacs",
    "lj/smooth",
    "lj96/cut",
    "mie/cut",
    "morse",
    "buck",
    "born",
    "yukawa",
    "soft",
    "gauss",
    "harmonic/cut",
    "dpd",
    "coul/cut",
    "coul/debye",
    "coul/dsf",
    "table",
    "zero",
    "hybrid",
    "eam",
    "adp",
    "sw",
    "tersoff",
    "vashishta",
    "edip",
    "zbl",
    "nm/cut",
    "meam",
];

/// Their atom styles.
const ATOM_STYLES: [&str; 3] = ["atomic", "charge", "bond"];

/// Folders whose scripts show one optional package or another program each; they are searched where they are given
/// themselves.
const OPTIONAL: [&str; 2] = ["PACKAGES", "COUPLE"];

/// Folders of which every script is tried, and first: most of theirs are of this program's styles.
const FIRST: [&str; 21] = [
    "melt",
    "min",
    "crack",
    "obstacle",
    "flow",
    "friction",
    "indent",
    "DIFFUSE",
    "VISCOSITY",
    "KAPPA",
    "nemd",
    "micelle",
    "deposit",
    "wall",
    "hugoniostat",
    "shear",
    "balance",
    "rerun",
    "UNITS",
    "controller",
    "fire",
];

/// The scripts `in.*` of folders and all below them, and single scripts, each with its name in the table: its path from
/// the folder that was given.
///
/// # Errors
///
/// What can't be read.
pub(crate) fn scripts(paths: &[PathBuf]) -> io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for path in paths {
        if !path.exists() {
            return Err(io::Error::new(io::ErrorKind::NotFound, format!("no {}", path.display())));
        }
        find(path, if path.is_dir() { path } else { path.parent().unwrap_or(path) }, &mut found)?;
    }
    found.sort_by(|(a, _), (b, _)| (place(Path::new(a)), a).cmp(&(place(Path::new(b)), b)));
    found.dedup();
    Ok(found)
}

/// The place of a script's folder among the first, or one beyond them.
fn place(script: &Path) -> usize {
    let folder = script.parent().unwrap_or(Path::new(""));
    FIRST.iter().position(|first| folder.ends_with(first)).unwrap_or(FIRST.len())
}

fn find(path: &Path, root: &Path, found: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    if path.is_dir() {
        if path != root && path.file_name().is_some_and(|name| OPTIONAL.iter().any(|other| name == *other)) {
            return Ok(());
        }
        return fs::read_dir(path)?.try_for_each(|entry| find(&entry?.path(), root, found));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ours = |text: &str| place(path) < FIRST.len() || meant_for_us(text);
    if name.starts_with("in.") && ours(&with_includes(path)?) {
        let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
        found.push((name, path.to_owned()));
    }
    Ok(())
}

/// A script, and behind it the files that it includes, where they are there.
pub(crate) fn with_includes(path: &Path) -> io::Result<String> {
    let mut text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
    let folder = path.parent().unwrap_or(Path::new(""));
    let names: Vec<String> = text
        .lines()
        .filter_map(|line| {
            line.trim_start().strip_prefix("include")?.split_whitespace().next().map(str::to_owned)
        })
        .collect();
    for included in names.iter().filter_map(|name| fs::read(folder.join(name)).ok()) {
        text.push('\n');
        text.push_str(&String::from_utf8_lossy(&included));
    }
    Ok(text)
}

/// Whether atoms and pairs of a script are those of beads and atoms, whatever else it may ask for.
pub(crate) fn meant_for_us(text: &str) -> bool {
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().split_whitespace().collect())
        .collect();
    let styles = |command: &'static str| {
        let words = lines.iter().filter(move |words| words.first() == Some(&command));
        words.filter_map(|words| words.get(1).copied())
    };
    let ours =
        |style: &str| PAIR_STYLES.iter().any(|known| style.starts_with(known) && !style.contains("long"));
    // Of a hybrid style all words that are no numbers name styles, or how a table is interpolated.
    let parts = lines
        .iter()
        .filter(|words| matches!(words[..], ["pair_style", style, ..] if style.starts_with("hybrid")));
    let mut parts = parts.flat_map(|words| &words[2..]).filter(|word| word.starts_with(char::is_alphabetic));
    let known = |word: &&str| ours(word) || ["linear", "spline", "lookup", "bitmap"].contains(word);
    styles("atom_style").all(|style| ATOM_STYLES.contains(&style))
        && styles("pair_style").next().is_some()
        && styles("pair_style").all(ours)
        && parts.all(known)
}

/// Commands that read a file, and those that write one, each with the place of its name among the words.
const READERS: [(&str, usize); 4] = [("rerun", 1), ("read_dump", 1), ("read_restart", 1), ("read_data", 1)];
const WRITERS: [(&str, usize); 3] = [("dump", 5), ("write_restart", 1), ("write_data", 1)];

/// The script beside this one that writes a file which this one reads first and which isn't there.
pub(crate) fn before(script: &Path) -> Option<PathBuf> {
    let folder = script.parent()?;
    let names = |path: &Path, commands: &[(&str, usize)]| -> Vec<String> {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
        let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let file = |words: Vec<&str>| {
            let (_, place) = commands.iter().find(|(name, _)| words.first() == Some(name))?;
            words.get(*place).map(|word| (*word).to_owned())
        };
        lines.filter_map(file).collect()
    };
    let own = names(script, &WRITERS);
    let missing: Vec<String> = names(script, &READERS)
        .into_iter()
        .filter(|name| !name.contains('$') && !own.contains(name) && !folder.join(name).exists())
        .collect();
    let mut beside: Vec<PathBuf> = fs::read_dir(folder).ok()?.filter_map(|e| Some(e.ok()?.path())).collect();
    beside.sort();
    beside.into_iter().find(|path| {
        path != script
            && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("in."))
            && names(path, &WRITERS).iter().any(|name| missing.contains(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_chosen_by_their_styles() {
        assert!(meant_for_us("atom_style bond\npair_style lj/cut 2.5\n"));
        assert!(!meant_for_us("atom_style sphere\npair_style lj/cut 2.5\n"));
        assert!(!meant_for_us("pair_style lj/cut/coul/long 2.5\n"));
        assert!(!meant_for_us("pair_style airebo 3.0\n") && !meant_for_us("units lj\n"));
        assert!(meant_for_us("pair_style hybrid lj/cut 2.5 table linear 100\n"));
        assert!(!meant_for_us("pair_style hybrid/overlay lj/cut 2.5 snap\n"));
        assert!(meant_for_us("pair_style lj/cut 2.5\nfix 1 all rigid/nve molecule\n"));
    }

    #[test]
    fn a_script_that_writes_what_another_reads_comes_before_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let [first, second] = ["in.first", "in.second"].map(|name| folder.path().join(name));
        fs::write(&first, "pair_style lj/cut 2.5\ndump 1 all atom 10 lj.dump\nrun 10\n").expect("written");
        fs::write(&second, "pair_style lj/cut 2.5\nrerun lj.dump dump x y z\n").expect("written");
        assert_eq!(before(&second), Some(first.clone()));
        assert_eq!(before(&first), None);
        let names: Vec<String> =
            scripts(&[folder.path().to_owned()]).expect("read").into_iter().map(|s| s.0).collect();
        assert_eq!(names, ["in.first", "in.second"]);

        let package = folder.path().join("PACKAGES");
        fs::create_dir(&package).expect("made");
        fs::write(package.join("in.third"), "pair_style lj/cut 2.5\n").expect("written");
        assert_eq!(scripts(&[folder.path().to_owned()]).expect("read").len(), 2);
        assert_eq!(scripts(&[package]).expect("read").len(), 1);
    }
}
