//! The commands that concern the script itself.

use super::{Echo, End, Interpreter, check};
use crate::base::error::Result;
use crate::base::files;
use crate::script::Args;
use crate::session::Session;
use std::path::Path;

/// `variable NAME STYLE ...`. Variables are put into the text of one of style string although it is quoted, as they are
/// before the line: the text may have the variable's own name.
pub(super) fn variable(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    let text = match args.rest() {
        [_, style, text] if style.text == "string" => {
            Some(me.substitute(&text.text).map_err(|fault| args.fault(text, fault))?)
        }
        _ => None,
    };
    me.session.script.variables.define(args)?;
    if let (Some(text), Some(name)) = (text, args.taken().first()) {
        me.session.script.variables.set_string(&name.text, text);
    }
    Ok(())
}

/// `include FILE`.
pub(super) fn include(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    let file = args.word("a file name")?;
    args.finish()?;
    if me.frames.len() > check::MAX_DEPTH {
        return Err(args.place(file, check::too_deep()));
    }
    me.include(Path::new(&file.text))
        .map_err(|error| if error.at.is_some() { error } else { args.place(file, error) })
}

/// `print TEXT [file F | append F] [screen yes|no] [universe yes|no]`. The text's variables are substituted
/// although it is quoted.
pub(super) fn print(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    let word = args.word("a text")?;
    let text = me.substitute(&word.text).map_err(|fault| args.fault(word, fault))?;
    let mut file = None;
    let mut screen = true;
    while !args.is_empty() {
        match args.one_of("print keyword", &[("file", 0), ("append", 1), ("screen", 2), ("universe", 3)])? {
            append @ (0 | 1) => file = Some((args.word("a file name")?, append == 1)),
            2 => screen = args.yes_no()?,
            _ => {
                args.yes_no()?;
            }
        }
    }
    if screen {
        me.session.output.log.line(&text);
    }
    if let Some((file, append)) = file {
        files::add_text(Path::new(&file.text), &(text + "\n"), append)
            .map_err(|error| args.place(file, error))?;
    }
    Ok(())
}

/// `log FILE [append]`, `log none`.
pub(super) fn log(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    let file = args.word("a file name or none")?;
    let append = args.accept("append");
    args.finish()?;
    if file.text == "none" {
        me.session.output.log.close_file();
        return Ok(());
    }
    me.session.output.log.open(Path::new(&file.text), append).map_err(|error| args.place(file, error))
}

/// `echo none|screen|log|both`.
pub(super) fn echo(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    let table = [("none", Echo::None), ("screen", Echo::Screen), ("log", Echo::Log), ("both", Echo::Both)];
    me.echo = args.one_of("place to echo to", &table)?;
    args.finish()
}

/// `clear`: everything as before the first command, but for variables, log, options and `timer timeout`.
pub(super) fn clear(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    args.finish()?;
    let log = std::mem::take(&mut me.session.output.log);
    let fresh =
        Session::new(me.session.options.clone(), log, std::mem::take(&mut me.session.script.variables));
    let old = std::mem::replace(&mut me.session, fresh);
    let new = &mut me.session;
    new.script.known = old.script.known;
    (new.clock.timeout, new.clock.started, new.device.gpu, new.output.report) =
        (old.clock.timeout, old.clock.started, old.device.gpu, old.output.report);
    Ok(())
}

/// `quit [STATUS]`.
pub(super) fn quit(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    let status = if args.is_empty() { 0 } else { args.int("an exit status from 0 to 255")? };
    args.finish()?;
    me.end = Some(End::Quit(status));
    Ok(())
}

/// `timer`: only `timeout` has an effect; `off loop normal full sync nosync` and `every N` are accepted.
pub(super) fn timer(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    const IGNORED: [&str; 6] = ["off", "loop", "normal", "full", "sync", "nosync"];
    while let Some(word) = args.peek() {
        let name = args.text("a timer keyword")?;
        match name {
            "timeout" => {
                let time = args.word("a time")?;
                let limit = read_timeout(&time.text).ok_or_else(|| {
                    args.error(time, format_args!("'{}' is not a time", time.text))
                        .label("expected seconds, minutes:seconds, hours:minutes:seconds or off")
                })?;
                me.session.clock.timeout =
                    limit.map(|limit| limit + me.session.clock.started.elapsed().as_secs_f64());
            }
            "every" => {
                args.int::<u32>("how many steps lie between looks at the clock")?;
            }
            name if IGNORED.contains(&name) => me.note("timer", name),
            _ => {
                let known = IGNORED.into_iter().chain(["timeout", "every"]);
                return Err(args.unknown(word, "timer keyword", known));
            }
        }
    }
    Ok(())
}

/// `SS`, `MM:SS` or `HH:MM:SS` as `Some(Some(seconds))`; `off` and `unlimited` as `Some(None)`.
fn read_timeout(text: &str) -> Option<Option<f64>> {
    if text == "off" || text == "unlimited" {
        return Some(None);
    }
    let parts: Vec<u32> = text.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
    (parts.len() <= 3)
        .then(|| Some(parts.iter().fold(0.0, |seconds, part| seconds * 60.0 + f64::from(*part))))
}

#[cfg(test)]
mod tests {
    use super::read_timeout;

    #[test]
    fn timeouts() {
        assert_eq!(read_timeout("90"), Some(Some(90.0)));
        assert_eq!(read_timeout("1:30"), Some(Some(90.0)));
        assert_eq!(read_timeout("2:00:05"), Some(Some(7205.0)));
        assert_eq!(read_timeout("off"), Some(None));
        for bad in ["", "x", "1:", "1:2:3:4", "-1", "1.5"] {
            assert_eq!(read_timeout(bad), None, "{bad}");
        }
    }
}
