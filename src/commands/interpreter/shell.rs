//! `shell`: files and programs, where `--allow-shell` allows it. Source: LAMMPS manual, "shell command".

use super::Interpreter;
use crate::base::error::{Error, Result};
use crate::base::files;
use crate::base::ranks;
use crate::script::{Args, Word};
use std::path::{Path, PathBuf};
use std::process::Command;

/// `shell cd DIR`, `mkdir DIR...`, `mv OLD NEW`, `rm [-f] FILE...`, `rmdir DIR...`, `putenv NAME[=VALUE]...`, or
/// a line for the system's shell. As in LAMMPS, only a warning tells of one that fails.
pub(super) fn shell(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    if !me.session.options.allow_shell {
        return Err(args
            .error_here("scripts may not run programs or change files")
            .help("start CLAMPS with --allow-shell if you trust this script"));
    }
    let first = args.word("a command for the shell")?;
    let rest = args.rest();
    args.skip_rest();
    let log = &mut me.session.output.log;
    let mut warn = |what: String| log.line(&format!("WARNING: shell: {what}"));
    let mut each = |what: &str, act: fn(&Path) -> std::io::Result<()>| {
        for word in rest.iter().filter(|_| ranks::is_first() || first.text == "cd") {
            let path = Path::new(&word.text);
            if let Err(err) = act(path) {
                warn(Error::io(what, path, &err).message);
            }
        }
    };
    match (&*first.text, rest) {
        ("cd", [_]) => each("change to", |path| std::env::set_current_dir(path)),
        ("mkdir", [_, ..]) => each("make", |path| std::fs::create_dir_all(path)),
        ("rmdir", [_, ..]) => each("remove", |path| std::fs::remove_dir(path)),
        ("rm", [flag, files @ ..]) if flag.text == "-f" => {
            files
                .iter()
                .filter(|_| ranks::is_first())
                .for_each(|file| drop(std::fs::remove_file(&file.text)));
        }
        ("rm", [_, ..]) => each("remove", |path| std::fs::remove_file(path)),
        ("mv", [from, to]) => {
            let (from_path, mut target) = (Path::new(&from.text), PathBuf::from(&to.text));
            if target.is_dir() {
                target.extend(from_path.file_name());
            }
            files::check_kept(&target).map_err(|error| args.place(to, error))?;
            let moved = ranks::is_first().then(|| std::fs::rename(&from.text, &to.text));
            if let Some(Err(err)) = moved {
                warn(Error::io("move", Path::new(&from.text), &err).message);
            }
        }
        ("putenv", [_, ..]) => {
            for word in rest {
                let (name, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
                me.session.script.variables.environment.insert(name.to_owned(), value.to_owned());
            }
        }
        ("cd" | "mkdir" | "rmdir" | "rm" | "mv" | "putenv", _) => {
            return Err(args.error(first, format_args!("'{}' has another number of arguments", first.text)));
        }
        _ => {
            let words: Vec<&str> =
                std::iter::once(first).chain(rest).map(|word: &Word| &*word.text).collect();
            me.session.output.log.flush();
            let mut program = Command::new("sh");
            program.arg("-c").arg(words.join(" ")).envs(&me.session.script.variables.environment);
            let status = ranks::is_first().then(|| program.status()).transpose();
            let status =
                status.map_err(|err| args.error(first, format_args!("cannot start a shell: {err}")))?;
            if let Some(status) = status.filter(|status| !status.success()) {
                let line = format!("WARNING: shell: '{}' ended with {status}", words.join(" "));
                me.session.output.log.line(&line);
            }
        }
    }
    ranks::barrier(); // what follows may read what the first rank has made
    Ok(())
}
