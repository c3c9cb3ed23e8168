//! `if`, `jump`, `label`, `next`, `run ... every`: which line comes next. Source: LAMMPS manual, the pages of these commands.

use super::{Frame, Interpreter, read_script};
use crate::base::error::{Result, Source};
use crate::base::signals;
use crate::commands::run::RunArgs;
use crate::run;
use crate::script::{Args, Word, boolean, lexer};
use std::path::Path;

/// `next NAME ...`: the next value of variables; where there is none left, the next `jump` does not jump.
pub(super) fn next(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    me.skip_jump |= me.session.script.variables.next(args)?;
    Ok(())
}

/// `label NAME`: a place to jump to.
pub(super) fn label(_: &mut Interpreter, args: &mut Args) -> Result<()> {
    args.word("a label")?;
    args.finish()
}

/// `jump FILE [LABEL]`, `jump SELF [LABEL]`: goes on at the start of a script or at a label in it.
pub(super) fn jump(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    let file = args.word("a file name or SELF")?;
    let label = if args.is_empty() { None } else { Some(args.word("a label")?) };
    args.finish()?;
    if std::mem::take(&mut me.skip_jump) {
        return Ok(());
    }
    let lines = match &*file.text {
        "SELF" => me.frame().lines.clone(),
        name => {
            let text = read_script(Path::new(name)).map_err(|error| args.place(file, error))?;
            lexer::lines(name, &text)?.into()
        }
    };
    let next = match label {
        None => 0,
        Some(label) => find(me, &lines, label, args)?,
    };
    *me.frame() = Frame { lines, next };
    Ok(())
}

/// The place after the line `label NAME`; variables in it are substituted.
fn find(me: &Interpreter, lines: &[Source], label: &Word, args: &Args) -> Result<usize> {
    for (place, line) in lines.iter().enumerate() {
        if let Some(name) = label_of(&line.text)
            && me.substitute(name).is_ok_and(|name| name == label.text)
        {
            // Past the label, which LAMMPS does not echo again either.
            return Ok(place + 1);
        }
    }
    let known = lines.iter().filter_map(|line| label_of(&line.text));
    Err(args.unknown(label, "label", known))
}

/// The name that a line defines as a label, as it is written.
pub(super) fn label_of(line: &str) -> Option<&str> {
    let mut words = lexer::strip_comment(line).split_whitespace();
    words.next().filter(|name| *name == "label").and_then(|_| words.next())
}

/// `run N ...`: in parts, where commands are to be carried out every so many steps.
pub(super) fn run(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    let run_args = RunArgs::read(&me.session, args)?;
    if run_args.every == 0 {
        let first = me.session.clock.step;
        return run::run(
            &mut me.session,
            run_args.steps,
            run_args.span(first, first + run_args.steps),
            [run_args.pre, run_args.post],
        );
    }
    if me.session.clock.halted {
        return Ok(());
    }
    let mut left = run_args.steps;
    loop {
        let (begun, part) = (me.session.clock.step, run_args.every.min(left));
        let span = run_args.span(begun, begun + part);
        run::run(&mut me.session, part, span, [run_args.pre, run_args.post])?;
        // A signal or a timeout ends the whole; a fix that has halted ends its part.
        let early = me.session.clock.step < begun + part;
        if signals::interrupted() || early && me.session.timed_out() {
            return Ok(());
        }
        left -= part;
        for command in &run_args.commands {
            // For them the part is not over: `elapsed`, `ramp` and the like count on.
            (me.session.clock.run_start, me.session.clock.amid) = (begun, Some(span));
            me.line(&args.source_of(command))?;
            (me.session.clock.run_start, me.session.clock.amid) = (me.session.clock.step, None);
            if me.end.is_some() {
                return Ok(());
            }
        }
        if left == 0 || me.session.clock.halted {
            return Ok(());
        }
    }
}

/// `if CONDITION then COMMANDS [elif CONDITION COMMANDS]... [else COMMANDS]`: each command is one word, quoted
/// where it has blanks.
pub(super) fn r#if(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    let mut chosen: Option<&[Word]> = None;
    let mut otherwise = false;
    while !otherwise {
        let holds = match chosen {
            // Conditions after the one that held are not looked at.
            Some(_) => args.word("a condition").map(|_| false)?,
            None => condition(me, args)?,
        };
        if args.taken().len() == 1 && !args.accept("then") {
            return Err(match args.peek() {
                Some(word) => {
                    args.error(word, format_args!("unexpected '{}'", word.text)).label("expected then")
                }
                None => args.word("then").err().unwrap_or_else(|| args.error_here("then is missing")),
            });
        }
        let commands = branch(args)?;
        if holds {
            chosen = Some(commands);
        }
        if args.accept("elif") {
            continue;
        }
        otherwise = args.accept("else");
        if !otherwise {
            break;
        }
        // As in LAMMPS it may lack commands as long as they are not its turn.
        let commands = if args.is_empty() && chosen.is_some() { &[] } else { branch(args)? };
        args.finish()?;
        chosen.get_or_insert(commands);
    }
    for command in chosen.unwrap_or_default() {
        me.line(&args.source_of(command))?;
        if me.end.is_some() {
            break;
        }
    }
    Ok(())
}

/// Takes the commands up to `elif` or `else`: at least one.
fn branch<'a>(args: &mut Args<'a>) -> Result<&'a [Word]> {
    let rest = args.rest();
    let count = rest.iter().take_while(|word| !matches!(&*word.text, "elif" | "else")).count();
    for _ in 0..count.max(1) {
        args.word("a command")?;
    }
    Ok(&rest[..count.max(1)])
}

fn condition(me: &Interpreter, args: &mut Args) -> Result<bool> {
    let word = args.word("a condition")?;
    let text = me.substitute(&word.text).map_err(|fault| args.fault(word, fault))?;
    let changed = text != word.text;
    boolean::evaluate(&text).map_err(|mut fault| {
        // Where variables were put in, places of the text are no places of the line.
        if changed {
            fault.span = 0..word.text.len();
            fault.message = format!("{} in '{text}'", fault.message);
        }
        args.fault(word, fault)
    })
}
