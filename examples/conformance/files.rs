//! The files that a script writes, as two programs wrote them: dumps frame by frame, other text line by line.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// Digits to which numbers in files are to agree.
const DIGITS: f64 = 1e-6;

/// Part of the frames or lines up to which LAMMPS agrees with itself that have to agree, as of the rows of thermo output:
/// a position of one atom shows sooner than a sum over all of them that the motion is chaotic.
const SHARE: f64 = 0.7;

/// What a comparison of files found.
#[derive(Default)]
pub(crate) struct Files {
    /// Text files and dumps that agree, to the end or as far as LAMMPS's two runs do.
    pub(crate) agree: usize,
    /// Those whose numbers part before that: name and where.
    pub(crate) part: Vec<String>,
    /// Differences of shape: files that are missing, of other length, other words.
    pub(crate) shape: Vec<String>,
}

/// Compares what is in the folders of both programs, but not in that of the script; `again` is that of LAMMPS's second
/// run.
///
/// # Errors
///
/// Folders that can't be read.
pub(crate) fn compare(ours: &Path, theirs: &Path, again: &Path, source: &Path) -> io::Result<Files> {
    let mut files = Files::default();
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(theirs)? {
        let entry = entry?;
        if entry.path().is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    for name in names {
        // A log that the script opened is judged by its rows where it is the one log.
        if name.starts_with("log.") || source.join(&name).exists() {
            continue;
        }
        let Ok(b) = fs::read(theirs.join(&name)) else { continue };
        let Ok(a) = fs::read(ours.join(&name)) else {
            files.shape.push(format!("{name} is not written"));
            continue;
        };
        let (Ok(a), Ok(b)) = (String::from_utf8(a), String::from_utf8(b)) else { continue };
        if b.starts_with("LAMMPS data file") || b.contains('\0') {
            continue;
        }
        let found = |a: &str| if b.starts_with("ITEM:") { frames(a, &b) } else { lines(a, &b) };
        match found(&a) {
            Found::Same => files.agree += 1,
            Found::Part(at, place) => {
                let own = fs::read_to_string(again.join(&name)).map(|again| found(&again));
                if matches!(own, Ok(Found::Part(own, _)) if at as f64 >= SHARE * own as f64) {
                    files.agree += 1;
                } else {
                    files.part.push(format!("{name} from {place}"));
                }
            }
            Found::Shape(what) => files.shape.push(format!("{name}: {what}")),
        }
    }
    Ok(files)
}

/// What two texts say to each other.
#[derive(Debug, PartialEq)]
enum Found {
    Same,
    /// Numbers differ from so many lines or frames on; and what that place is called.
    Part(usize, String),
    /// Words, or how many there are, differ.
    Shape(String),
}

/// Compares lines of words and numbers. Numbers count by the size of what stands in the same place of other lines.
fn lines(a: &str, b: &str) -> Found {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    let (a, b): (Vec<_>, Vec<_>) = (a.lines().map(words).collect(), b.lines().map(words).collect());
    let scales = scales(&b);
    let mut part = None;
    for (line, (x, y)) in a.iter().zip(&b).enumerate() {
        match row(x, y, &scales) {
            Found::Same => {}
            Found::Part(..) => part = part.or(Some(line + 1)),
            Found::Shape(_) => return Found::Shape(format!("line {} is '{}'", line + 1, x.join(" "))),
        }
    }
    if a.len() != b.len() {
        return Found::Shape(format!("{} lines, {} in LAMMPS", a.len(), b.len()));
    }
    part.map_or(Found::Same, |line| Found::Part(line, format!("line {line}")))
}

/// Largest number at each place of lines of a length.
fn scales(lines: &[Vec<String>]) -> BTreeMap<(usize, usize), f64> {
    let mut scales = BTreeMap::new();
    for line in lines {
        for (place, word) in line.iter().enumerate() {
            let size = word.parse::<f64>().map_or(0.0, f64::abs);
            let scale: &mut f64 = scales.entry((line.len(), place)).or_insert(1e-6);
            if size.is_finite() {
                *scale = scale.max(size);
            }
        }
    }
    scales
}

/// Compares the words of two lines.
fn row(a: &[String], b: &[String], scales: &BTreeMap<(usize, usize), f64>) -> Found {
    if a.len() != b.len() {
        return Found::Shape(String::new());
    }
    let mut found = Found::Same;
    for (place, (x, y)) in a.iter().zip(b).enumerate().filter(|(_, (x, y))| x != y) {
        let (Ok(p), Ok(q)) = (x.parse::<f64>(), y.parse::<f64>()) else { return Found::Shape(String::new()) };
        let scale = scales.get(&(b.len(), place)).copied().unwrap_or(1.0);
        if (p - q).abs() > DIGITS * 1.01 * scale {
            found = Found::Part(place, String::new());
        }
    }
    found
}

/// Compares the frames of dumps, each with its rows in the order of their first numbers, which are IDs as a rule.
fn frames(a: &str, b: &str) -> Found {
    let (a, b) = (split(a), split(b));
    let mut part = None;
    for (at, (x, y)) in a.iter().zip(&b).enumerate() {
        let step = y.get(1).map_or(String::new(), |line| line.join(" "));
        if x.len() != y.len() {
            part = part.or(Some((at, step)));
            continue;
        }
        let scales = scales(y);
        for (p, q) in x.iter().zip(y) {
            match row(p, q, &scales) {
                Found::Same => {}
                Found::Part(..) => part = part.or(Some((at, step.clone()))),
                Found::Shape(_) => {
                    return Found::Shape(format!("'{}' at step {step}", p.join(" ")));
                }
            }
        }
    }
    if a.len() != b.len() {
        return Found::Shape(format!("{} frames, {} in LAMMPS", a.len(), b.len()));
    }
    part.map_or(Found::Same, |(at, step)| Found::Part(at, format!("step {step}")))
}

/// The frames of a dump, as words: from `ITEM: TIMESTEP` on, rows sorted.
fn split(dump: &str) -> Vec<Vec<Vec<String>>> {
    let mut frames: Vec<Vec<Vec<String>>> = Vec::new();
    for line in dump.lines() {
        if line == "ITEM: TIMESTEP" {
            frames.push(Vec::new());
        }
        if let Some(frame) = frames.last_mut() {
            frame.push(line.split_whitespace().map(str::to_owned).collect());
        }
    }
    for frame in &mut frames {
        let rows = frame.iter().position(|line| line.get(1).is_some_and(|word| word == "ATOMS"));
        let number =
            |line: &Vec<String>| line.first().and_then(|w| w.parse::<f64>().ok()).unwrap_or(f64::INFINITY);
        if let Some(first) = rows {
            frame[first + 1..].sort_by(|x, y| number(x).total_cmp(&number(y)));
        }
        let entries = frame.iter().position(|line| line.get(1).is_some_and(|word| word == "ENTRIES"));
        if let Some(first) = entries {
            without_order(&mut frame[first..]);
        }
    }
    frames
}

/// Entries of a local dump, below their heading, have no order of their own: they are sorted by all that they say but for
/// their number in the frame, which is left out.
fn without_order(lines: &mut [Vec<String>]) {
    // The heading has two words before the names of the columns.
    if let Some(index) = lines[0].iter().position(|word| word == "index") {
        lines[0].remove(index);
        lines[1..].iter_mut().filter(|row| row.len() > index - 2).for_each(|row| _ = row.remove(index - 2));
    }
    let numbers =
        |row: &Vec<String>| -> Vec<f64> { row.iter().map(|word| word.parse().unwrap_or(0.0)).collect() };
    lines[1..].sort_by(|a, b| {
        let pairs = numbers(a).into_iter().zip(numbers(b));
        pairs.map(|(a, b)| a.total_cmp(&b)).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_compared_word_by_word() {
        let text = "# Time-averaged data\n10 1.5 0\n20 1.25 1e-17\n";
        assert_eq!(lines(text, text), Found::Same);
        assert_eq!(lines("# Time-averaged data\n10 1.5 0\n20 1.25 2e-17\n", text), Found::Same);
        let part = lines("# Time-averaged data\n10 1.501 0\n20 1.25 1e-17\n", text);
        assert_eq!(part, Found::Part(2, "line 2".into()));
        assert!(matches!(lines("# Averaged data\n10 1.5 0\n20 1.25 1e-17\n", text), Found::Shape(_)));
        assert_eq!(lines("# Time-averaged data\n", text), Found::Shape("1 lines, 3 in LAMMPS".into()));
    }

    #[test]
    fn files_agree_as_far_as_two_runs_of_lammps_do() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str, last: [&str; 2]| {
            let place = folder.path().join(name);
            fs::create_dir(&place).expect("made");
            fs::write(place.join("profile"), format!("1 5.0\n2 5.0\n3 {}\n4 {}\n", last[0], last[1]))
                .expect("written");
            place
        };
        let [lammps, again] = [place("lammps", ["5.0", "5.0"]), place("again", ["5.0", "5.1"])];
        let source = folder.path();
        let late = compare(&place("late", ["5.0", "4.9"]), &lammps, &again, source).expect("read");
        let early = compare(&place("early", ["4.9", "4.9"]), &lammps, &lammps, source).expect("read");
        assert_eq!((late.agree, late.part.len()), (1, 0));
        assert_eq!((early.agree, &early.part[..]), (0, &["profile from line 3".to_owned()][..]));
    }

    #[test]
    fn frames_are_compared_atom_by_atom() {
        let frame =
            |rows: &str| format!("ITEM: TIMESTEP\n10\nITEM: NUMBER OF ATOMS\n2\nITEM: ATOMS id x\n{rows}");
        assert_eq!(frames(&frame("1 0.5\n2 1.5\n"), &frame("2 1.5\n1 0.5\n")), Found::Same);
        assert_eq!(
            frames(&frame("1 0.5\n2 1.6\n"), &frame("2 1.5\n1 0.5\n")),
            Found::Part(0, "step 10".into())
        );
        assert_eq!(
            frames(&frame("1 0.5\n2 1.5\n"), &frame("2 1.5\n1 0.5\n").repeat(2)),
            Found::Shape("1 frames, 2 in LAMMPS".into())
        );
        let local = |rows: &str| format!("ITEM: TIMESTEP\n10\nITEM: ENTRIES index c_1[1] c_1[2]\n{rows}");
        assert_eq!(frames(&local("1 7 0.5\n2 7 0.4\n"), &local("1 7 0.4\n2 7 0.5\n")), Found::Same);
        assert_eq!(
            frames(&local("1 7 0.5\n2 7 0.3\n"), &local("1 7 0.4\n2 7 0.5\n")),
            Found::Part(0, "step 10".into())
        );
    }
}
