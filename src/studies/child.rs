//! Scripts run by this program as a child process, so that a driver that crashes or hangs up takes one run with
//! it and not the study.

use std::io::{Read, Seek};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use serde_json::Value;
use wait_timeout::ChildExt;

use crate::base::error::{Error, Result};
use crate::base::signals;

/// Runs a script and returns the record that `-json` writes: what ran where, and in `runs` one object per `run`
/// of the script (see [`report::Report`](crate::session::report::Report)).
///
/// `device` is what `-device` takes, `vars` are the `-var` options with their values, `extra` goes to the command
/// line as it is. Screen and log of the script are dropped; paths are those of this process.
///
/// # Errors
/// When the script fails (with its own message and remedy), crashes, or contains no run.
pub fn run_script(
    script: &Path,
    device: &str,
    vars: &[(String, Vec<String>)],
    extra: &[&str],
) -> Result<Value> {
    run_script_within(script, device, vars, extra, None)
}

/// As [`run_script`], on so many ranks, which a launcher (`mpirun` and its words) starts; one rank is started without.
///
/// # Errors
/// As [`run_script`].
pub fn run_script_on_ranks(
    script: &Path,
    device: &str,
    vars: &[(String, Vec<String>)],
    extra: &[&str],
    (launcher, ranks): (&[String], usize),
) -> Result<Value> {
    let before = match launcher {
        [program, words @ ..] if ranks > 1 => Some((program, words, ranks)),
        _ => None,
    };
    run_script_behind(script, device, vars, extra, before, None)
}

/// As [`run_script`], and kills a run that has not ended after `limit`.
///
/// # Errors
/// As [`run_script`], and when the limit is reached.
pub fn run_script_within(
    script: &Path,
    device: &str,
    vars: &[(String, Vec<String>)],
    extra: &[&str],
    limit: Option<Duration>,
) -> Result<Value> {
    run_script_behind(script, device, vars, extra, None, limit)
}

/// A launcher, its words, and how many ranks it is to start.
type Launcher<'a> = (&'a String, &'a [String], usize);

fn run_script_behind(
    script: &Path,
    device: &str,
    vars: &[(String, Vec<String>)],
    extra: &[&str],
    launcher: Option<Launcher<'_>>,
    limit: Option<Duration>,
) -> Result<Value> {
    let failed = |what: String| Error::new(format!("{}: {what}", script.display()));
    let folder = tempfile::tempdir().map_err(|err| failed(format!("no place for the record: {err}")))?;
    let record = folder.path().join("record.json");
    let program = std::env::current_exe()
        .map_err(|err| failed(format!("cannot find this program's file to run it: {err}")))?;
    let mut command = match launcher {
        Some((launcher, words, ranks)) => {
            let mut command = Command::new(launcher);
            command.args(words).args(["-np", &ranks.to_string()]).arg(program);
            command
        }
        None => Command::new(program),
    };
    command.arg("-in").arg(script).args(["-device", device, "-log", "none", "-screen", "none", "-json"]);
    command.arg(&record).args(extra);
    for (name, values) in vars {
        command.args(["-var", name]).args(values);
    }
    let (status, stderr) = carry_out(&mut command, limit)
        .map_err(|err| failed(format!("cannot run {}: {err}", command.get_program().display())))?;
    let Some(status) = status else {
        let limit = limit.unwrap_or_default().as_secs_f64();
        return Err(failed(format!("killed, as it had not ended after {limit} s")));
    };
    if !status.success() {
        return Err(failure(script, status, &stderr));
    }
    let text = std::fs::read(&record).map_err(|_| {
        failed("it left no timing record".into()).help("the script needs a `run` of at least one step")
    })?;
    serde_json::from_slice(&text).map_err(|err| failed(format!("its timing record cannot be read: {err}")))
}

/// Runs a command to its end: how it ended, `None` where it was killed at the limit, and what it said.
fn carry_out(
    command: &mut Command,
    limit: Option<Duration>,
) -> std::io::Result<(Option<ExitStatus>, String)> {
    // A file, as a child that fills a pipe waits for a reader.
    let mut stderr = tempfile::tempfile()?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr.try_clone()?);
    let mut child = command.spawn()?;
    if signals::interrupted() {
        // Ctrl-C may have come before the child was there to get it. Where it has ended by itself this fails.
        let _ = child.kill();
    }
    let status = match limit {
        Some(limit) => child.wait_timeout(limit)?,
        None => Some(child.wait()?),
    };
    if status.is_none() {
        // Fails only where it has just ended by itself.
        let _ = child.kill();
        child.wait()?;
    }
    let mut said = Vec::new();
    stderr.rewind()?;
    stderr.read_to_end(&mut said)?;
    Ok((status, String::from_utf8_lossy(&said).into_owned()))
}

/// The error of a child: its own words, or how it ended.
fn failure(script: &Path, status: ExitStatus, stderr: &str) -> Error {
    let mut lines = stderr.lines().skip_while(|line| !line.starts_with("ERROR: "));
    let Some(message) = lines.next() else {
        let last = stderr.lines().rfind(|line| !line.trim().is_empty());
        let words = last.map(|line| format!("; its last words: {line}")).unwrap_or_default();
        return Error::new(format!("{}: the run ended with {status}{words}", script.display()));
    };
    let message = message.trim_start_matches("ERROR: ");
    let error = Error::new(message);
    // The remedy is the last thing that `Error::render` prints, and may go over several lines.
    // What a launcher adds comes behind a line of its own.
    let rest: Vec<&str> = lines.take_while(|line| !line.starts_with("-----")).collect();
    match rest.iter().position(|line| line.contains("= help: ")) {
        Some(at) => {
            let words: Vec<&str> =
                rest[at..].iter().map(|line| line.trim_start_matches([' ', '=', '|'])).collect();
            error.help(words.join(" ").trim_start_matches("help: ").to_owned())
        }
        None => error,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn a_child_fails_with_its_own_words() {
        let script = Path::new("in.lj");
        let stderr = Error::new("there is no OpenCL device `x`").help("choose with gpu or cpu").render(false);
        let error = failure(script, ExitStatus::from_raw(1 << 8), &format!("[WARN] something\n{stderr}\n"));
        assert_eq!(error.message, "there is no OpenCL device `x`");
        assert_eq!(error.help.as_deref(), Some("choose with gpu or cpu"));
        let launched = format!("{stderr}\n-----------------\nPrimary job  terminated normally, but\n");
        let error = failure(script, ExitStatus::from_raw(1 << 8), &launched);
        assert_eq!(error.help.as_deref(), Some("choose with gpu or cpu"));
        let crashed = failure(script, ExitStatus::from_raw(11), "driver: assertion failed\n\n");
        let (start, end) =
            ("in.lj: the run ended with signal: 11", "; its last words: driver: assertion failed");
        assert!(crashed.message.starts_with(start) && crashed.message.ends_with(end), "{crashed}");
    }
}
