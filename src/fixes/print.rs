//! `fix print`: a line in the log now and then. Source: LAMMPS manual, `fix print`.

use crate::base::error::{Error, Result};
use crate::base::files::{self, GrowingText};
use crate::base::ledger::Claim;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{Fix, FixContext, Header, HostFix};
use crate::session::schedule::Schedule;
use std::cell::{Cell, RefCell};
use std::io::Write;
use std::path::PathBuf;

struct Print {
    header: Header,
    schedule: RefCell<Schedule>,
    /// The step at which a run began last.
    begun: Cell<Option<i64>>,
    text: String,
    screen: bool,
    file: Option<(Claim, PathBuf, RefCell<GrowingText>)>,
}

/// Takes `N TEXT` or `v_NAME TEXT`, `file F` or `append F`, `screen yes` or `no`, `title TEXT`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let schedule = Schedule::read(&session.script.variables, args, "the number of steps between", false)?;
    let schedule = RefCell::new(schedule);
    let text = args.text("a text")?.to_owned();
    let (mut screen, mut target, mut title) = (true, None, None);
    while !args.is_empty() {
        let keywords = [("file", 0), ("append", 1), ("screen", 2), ("title", 3)];
        match args.one_of("fix print keyword", &keywords)? {
            append @ (0 | 1) => target = Some((args.word("a file name")?, append == 1)),
            2 => screen = args.yes_no()?,
            _ => title = Some(args.text("a title")?.to_owned()),
        }
    }
    let file = target.map(|(word, append)| -> Result<_> {
        let path = PathBuf::from(&word.text);
        let claim = files::claim(&path, format!("the file of fix {}", header.id));
        let claim = claim.map_err(|error| args.place(word, error))?;
        let file = files::grow_text(&path, append, Some(&claim)).map_err(|error| args.place(word, error))?;
        Ok((claim, path, RefCell::new(file)))
    });
    let fix = Print { header, schedule, begun: Cell::new(None), text, screen, file: file.transpose()? };
    fix.to_file(&title.unwrap_or_else(|| format!("# Fix print output for fix {}", fix.header.id)))?;
    Ok(Box::new(fix))
}

impl Print {
    fn to_file(&self, line: &str) -> Result<()> {
        let Some((_, path, file)) = &self.file else { return Ok(()) };
        writeln!(file.borrow_mut(), "{line}").map_err(|error| Error::io("write", path, &error))
    }

    fn print(&self, context: &FixContext<'_>) -> Result<()> {
        let text = context.session.script.variables.substitute(&self.text, &context.moment());
        let text = text.map_err(|fault| Error { help: fault.help, ..Error::new(fault.message) })?;
        if self.screen {
            context.lines.borrow_mut().push(text.to_string());
        }
        self.to_file(&text)
    }
}

impl Fix for Print {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        true
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }
}

impl HostFix for Print {
    fn next(&self, step: i64) -> Option<i64> {
        Some(self.schedule.borrow().next(step))
    }

    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.schedule.borrow_mut().begin_run(context.session.moment());
        self.begun.set(Some(context.session.clock.step));
        Ok(())
    }

    fn setup(&self, context: &mut FixContext<'_>) -> Result<()> {
        if self.schedule.borrow().due(context.session.clock.step) {
            self.print(context)?;
        }
        go_on(self, context)
    }

    fn needs_tally(&self) -> bool {
        true
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        // A frame of a rerun has been printed at its beginning.
        if self.begun.get() == Some(context.session.clock.step) {
            return Ok(());
        }
        self.print(context)?;
        go_on(self, context)
    }
}

fn go_on(print: &Print, context: &FixContext<'_>) -> Result<()> {
    let system = context.system();
    print.schedule.borrow_mut().go_on(context.session.clock.step, |variable| system.number(variable))
}
