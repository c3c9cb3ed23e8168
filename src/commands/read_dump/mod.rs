//! Reading dumps back: `read_dump`, and `rerun`, which computes anew what thermo output, dumps and fixes show of their
//! frames. LAMMPS manual, the pages of these commands.

mod fields;
mod file;

use crate::base::error::{Error, Result};
use crate::base::signals;
use crate::commands::run::steps_are_free;
use crate::fixes::adapt;
use crate::gpu::record::Section;
use crate::output::writer::Output;
use crate::run::fixes::FixRunner;
use crate::run::setup;
use crate::run::{self, Clocks};
use crate::script::Args;
use crate::session::Session;
use crate::session::snapshot::course;
use fields::Fields;
use file::DumpFile;

/// `read_dump FILE STEP FIELD ... [KEYWORD VALUE ...]`: atoms with the IDs of the frame take its values.
///
/// # Errors
/// When there is no box, the file has no such frame, or a field has no column.
pub fn read_dump(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    session.domain()?;
    let name = args.word("a file name")?;
    let word = args.peek();
    let step: i64 = args.int("a step")?;
    let fields = Fields::read(args)?;
    if fields.step_too {
        steps_are_free(session)?;
    }
    let place = |error: Error| if error.at.is_some() { error } else { args.place(name, error) };
    session.output.log.line("Scanning dump file ...");
    let mut file = DumpFile::open(&name.text, fields.format).map_err(place)?;
    let head = loop {
        match file.head().map_err(place)? {
            Some(head) if head.step == step => break head,
            Some(head) => file.skip_rows(&head).map_err(place)?,
            None => {
                let message = format!("{} has no frame of step {step}", name.text);
                return Err(args.error(word.unwrap_or(name), message));
            }
        }
    };
    session.output.log.line("Reading snapshot from dump file ...");
    let before = session.atom_count();
    let census = fields.apply(session, &mut file, &head).map_err(place)?;
    if fields.step_too {
        crate::commands::run::set_step(session, step);
    }
    let domain = session.domain()?;
    let text = format!("  {}", domain.describe());
    session.output.log.line(&text);
    for (count, what) in [
        (before, "before read"),
        (head.atoms, "in snapshot"),
        (census.purged, "purged"),
        (census.replaced, "replaced"),
        (census.trimmed, "trimmed"),
        (census.added, "added"),
        (session.atom_count(), "after read"),
    ] {
        session.output.log.line(&format!("  {count} atoms {what}"));
    }
    Ok(())
}

/// Which frames of the files.
struct Frames {
    first: i64,
    last: i64,
    /// Only steps that are multiples; 0: all.
    every: i64,
    /// Only one frame in so many.
    skip: u64,
    /// The step of the last one that was wanted.
    current: Option<i64>,
    /// Frames since then, or since they came to `skip`.
    seen: u64,
}

impl Frames {
    /// Whether the next frame is one of them: as in LAMMPS the first one from `first` on, whatever its step is a multiple
    /// of, and then none that does not go on in time, as where files overlap.
    fn wants(&mut self, step: i64) -> bool {
        let wanted = match self.current {
            None => step >= self.first,
            Some(current) if step <= current => false,
            Some(_) => {
                self.seen = if self.seen == self.skip { 1 } else { self.seen + 1 };
                self.seen == self.skip && (self.every == 0 || step % self.every == 0)
            }
        };
        if wanted {
            (self.current, self.seen) = (Some(step), 0);
        }
        wanted
    }
}

/// `rerun FILE ... [first N] [last N] [every N] [skip N] [start N] [stop N] [post yes|no] dump FIELD ...`: for each frame
/// the forces, and what is due at its step.
///
/// # Errors
/// As [`read_dump`] and [`run::run`].
pub fn rerun(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    session.domain()?;
    let keywords =
        ["first", "last", "every", "skip", "start", "stop", "post", "dump"].map(|keyword| (keyword, keyword));
    let is_keyword = |text: &str| keywords.iter().any(|(keyword, _)| *keyword == text);
    let mut names = vec![args.word("a file name")?];
    while args.peek().is_some_and(|word| !is_keyword(&word.text)) {
        names.push(args.word("a file name")?);
    }
    let mut frames = Frames { first: 0, last: i64::MAX, every: 0, skip: 1, current: None, seen: 0 };
    let mut span = [None; 2];
    let mut post = false;
    let fields = loop {
        match args.one_of("rerun keyword", &keywords)? {
            "first" => frames.first = args.count("a step", 0)? as i64,
            "last" => frames.last = args.count("a step", 0)? as i64,
            "every" => frames.every = args.count("a number of steps", 0)? as i64,
            "skip" => frames.skip = args.count("a number of frames", 1)?,
            "start" => span[0] = Some(args.count("a step", 0)? as i64),
            "stop" => span[1] = Some(args.count("a step", 0)? as i64),
            "post" => post = args.yes_no()?,
            _ => break Fields::read(args)?,
        }
    };
    let stop = span[1].unwrap_or(i64::MAX);
    let span = [span[0].unwrap_or(frames.first), span[1].unwrap_or(frames.last)];
    session.clock.span = span;
    let mut clocks = Clocks::start();
    let (mut output, mut hooks) = (None, None);
    let mut simulation = None;
    let mut done = 0;
    for name in names {
        let place = |error: Error| if error.at.is_some() { error } else { args.place(name, error) };
        let mut file = DumpFile::open(&name.text, fields.format).map_err(place)?;
        while let Some(head) = file.head().map_err(place)? {
            let last = frames.last;
            if head.step > last || signals::interrupted() {
                break;
            }
            if !frames.wants(head.step) {
                file.skip_rows(&head).map_err(place)?;
                continue;
            }
            if head.step > stop {
                let message = format!("the frame of step {} is beyond stop {stop}", head.step);
                return Err(args.place(name, Error::new(message).help("`last N` leaves frames out")));
            }
            if let Some(before) = simulation.take() {
                run::leave(session, before);
            }
            fields.apply(session, &mut file, &head).map_err(place)?;
            crate::commands::run::set_step(session, head.step);
            session.clock.run_start = span[0];
            let atoms = session.atom_count();
            // What a set-up has to say is said at the first frame.
            let first = output.is_none();
            match first {
                true => adapt::begin(session, span, true)?,
                false => adapt::follow(session, span)?,
            }
            session.output.log.hush(!first);
            let now = setup::setup_at_rest(session);
            session.output.log.hush(false);
            let now = simulation.insert(now?);
            now.course = course(session, now, last, span)?;
            now.course.clock = (!first).then(|| clocks.began());
            let gpu = now.atoms.context.gpu.clone();
            // Each frame is what a run of no steps is to fixes, and the end of a step.
            let hooks = hooks.insert(gpu.host(Section::Modify, || {
                let hooks = FixRunner::begin(session, now, span)?;
                hooks.setup(session, now)?;
                run::follow(session, &hooks, now);
                hooks.end_of_frame(session, now)?;
                Ok::<_, Error>(hooks)
            })?);
            run::follow(session, hooks, now);
            run::log_lines(session, hooks);
            match &mut output {
                None => {
                    let new = output.insert(Output::new(session, now, atoms, [head.step, last])?);
                    clocks = Clocks::start();
                    gpu.take_records()?;
                    new.begin(session, now, true)?;
                }
                Some(output) => output.write(session, now, false)?,
            }
            done += 1;
        }
    }
    let (Some(mut output), Some(hooks), Some(mut simulation)) = (output, hooks, simulation) else {
        return Err(args.error_here("none of the frames of the files is asked for"));
    };
    output.end_with_row(session, &simulation)?;
    hooks.end(session, &mut simulation)?;
    adapt::end(session)?;
    run::close(session, &output, &mut simulation, &clocks, done, post)?;
    run::leave(session, simulation);
    Ok(())
}
