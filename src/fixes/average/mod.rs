//! What the fixes that average have in common: when samples are taken ([`Schedule`]), how averages are combined
//! ([`Mean`]), and the file that they are written to ([`Table`]). Source: LAMMPS manual, `fix ave/time`.

mod binned;
mod schedule;
mod table;

pub(super) use binned::{Binned, Bins, Norm};
pub(super) use schedule::Schedule;
pub(super) use table::Table;

use crate::base::error::Result;
use crate::script::formula::{Elements, Reference};
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{Fix, FixContext, FixMemory, FixOutput, Header, HostFix};
use crate::session::snapshot::view::Snapshot;
use crate::session::snapshot::{Form, Input};
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// How the averages that follow one another are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Combine {
    /// Each stands for itself.
    One,
    /// The mean of all.
    Running,
    /// The mean of the last so many.
    Window(usize),
}

impl Combine {
    /// How many averages are kept beside their mean.
    pub(super) fn kept(self) -> usize {
        match self {
            Combine::One | Combine::Running => 0,
            Combine::Window(most) => most,
        }
    }
}

/// A mean over averages.
#[derive(Debug, Default)]
pub(super) struct Mean {
    total: Vec<f64>,
    recent: VecDeque<Vec<f64>>,
    count: f64,
}

impl Mean {
    /// Another average; one that is longer than those before makes these end with zeros.
    pub(super) fn add(&mut self, values: Vec<f64>, combine: Combine) {
        if combine == Combine::One {
            (self.total, self.count) = (values, 1.0);
            return;
        }
        self.total.resize(self.total.len().max(values.len()), 0.0);
        self.total.iter_mut().zip(&values).for_each(|(total, value)| *total += value);
        self.count += 1.0;
        if let Combine::Window(most) = combine {
            if self.recent.len() == most {
                let oldest = self.recent.pop_front().unwrap_or_default();
                self.total.iter_mut().zip(&oldest).for_each(|(total, value)| *total -= value);
                self.count -= 1.0;
            }
            self.recent.push_back(values);
        }
    }

    /// How many averages it is made of.
    pub(super) fn count(&self) -> f64 {
        self.count
    }

    /// Their sums; empty before the first.
    pub(super) fn total(&self) -> &[f64] {
        &self.total
    }

    /// Their means; empty before the first.
    pub(super) fn values(&self) -> Vec<f64> {
        self.total.iter().map(|total| total / self.count).collect()
    }
}

/// Keywords that all of them have.
pub(super) struct Options {
    /// `ave`.
    pub(super) combine: Combine,
    /// `start`: no averages before this step.
    pub(super) start: i64,
    /// `file`, `format`, `title1` and so on.
    pub(super) table: Table,
}

impl Options {
    pub(super) fn new() -> Self {
        Options { combine: Combine::One, start: 0, table: Table::new() }
    }

    /// Takes the words after `keyword`; `false` where it is none of these.
    ///
    /// # Errors
    /// At a word that does not fit.
    pub(super) fn keyword(&mut self, keyword: &Word, args: &mut Args<'_>) -> Result<bool> {
        match &*keyword.text {
            "ave" => {
                let windowed = Combine::Window(0);
                let kinds = [("one", Combine::One), ("running", Combine::Running), ("window", windowed)];
                self.combine = args.one_of("kind of average", &kinds)?;
                if self.combine == windowed {
                    self.combine = Combine::Window(args.count("the number of averages", 1)? as usize);
                }
            }
            "start" => self.start = args.count("the first step", 0)? as i64,
            _ => return self.table.keyword(keyword, args),
        }
        Ok(true)
    }
}

/// Keeps the chunks of computes as they are for the samples of an average, or, where averages are combined, for good.
#[derive(Default)]
pub(super) struct ChunkHold {
    owner: Rc<()>,
    for_good: Cell<bool>,
}

impl ChunkHold {
    /// At each sample, before it is taken: `chunks` are the IDs of computes of style chunk/atom.
    ///
    /// # Errors
    /// When another fix holds them over other steps.
    pub(super) fn begin<'a>(
        &self,
        system: &Snapshot<'_>,
        schedule: &Schedule,
        combine: Combine,
        chunks: impl IntoIterator<Item = &'a str>,
    ) -> Result<()> {
        let step = system.session.clock.step;
        let last = match combine {
            Combine::One if schedule.fresh() && schedule.repeat > 1 => {
                step + (schedule.repeat - 1) * schedule.every
            }
            Combine::Running | Combine::Window(_) if !self.for_good.get() => i64::MAX,
            _ => return Ok(()),
        };
        for id in chunks {
            self.for_good.set(last == i64::MAX);
            if let Some(chunks) = crate::computes::chunk_atom::chunk_atom(system.compute(id)?) {
                chunks.hold(&self.owner, step, last)?;
            }
        }
        Ok(())
    }
}

/// Whether one of the references needs energies or virials of single atoms.
pub(super) fn need_tally<'a>(session: &Session, mut inputs: impl Iterator<Item = &'a Input>) -> bool {
    inputs.any(|input| session.needs_tally(&input.reference))
}

/// A fix that takes samples at the steps of a [`Schedule`], at the first step of a run also, and does nothing else.
pub(super) trait Averages {
    /// As of any fix.
    fn header(&self) -> &Header;

    /// When samples are taken.
    fn schedule(&self) -> &Schedule;

    /// Whether they need energies or virials of single atoms.
    fn needs_tally(&self, session: &Session) -> bool;

    /// Takes the sample that is due, and says so to the schedule.
    ///
    /// # Errors
    /// When a value cannot be had, or a file not be written.
    fn sample(&self, context: &mut FixContext<'_>) -> Result<()>;

    /// As [`FixMemory::ids_changed`].
    fn ids_changed(&mut self, _ids: &[(u32, u32)]) {}

    /// As [`FixOutput::shape`].
    fn shape(&self) -> Shape;

    /// As [`FixOutput::values`].
    ///
    /// # Errors
    /// When the atoms cannot be had.
    fn values(&self, system: &Snapshot<'_>) -> Result<Values>;

    /// As [`FixOutput::made_every`].
    fn made_every(&self) -> u64 {
        self.schedule().freq.unsigned_abs()
    }

    /// As [`FixOutput::extensive`].
    fn extensive(&self) -> bool {
        false
    }

    /// As [`FixOutput::element_extensive`].
    fn element_extensive(&self, _element: usize) -> bool {
        false
    }
}

impl<T: Averages + 'static> Fix for T {
    fn header(&self) -> &Header {
        Averages::header(self)
    }

    fn ignores_wrapping(&self) -> bool {
        true
    }

    fn counts_steps(&self) -> bool {
        true
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }

    fn kept(&self) -> Option<&dyn FixMemory> {
        Some(self)
    }

    fn kept_mut(&mut self) -> Option<&mut dyn FixMemory> {
        Some(self)
    }
}

impl<T: Averages + 'static> HostFix for T {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.schedule().begin(context.session.clock.step, Averages::needs_tally(self, context.session));
        Ok(())
    }

    fn setup(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.end_of_step(context)
    }

    fn next(&self, step: i64) -> Option<i64> {
        self.schedule().after(step)
    }

    fn needs_tally(&self) -> bool {
        self.schedule().needs_tally()
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        match self.schedule().due(context.session.clock.step) {
            true => self.sample(context),
            false => Ok(()),
        }
    }
}

impl<T: Averages + 'static> FixOutput for T {
    fn shape(&self) -> Option<Shape> {
        Some(Averages::shape(self))
    }

    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        Averages::values(self, system)
    }

    fn made_every(&self) -> u64 {
        Averages::made_every(self)
    }

    fn extensive(&self) -> bool {
        Averages::extensive(self)
    }

    fn element_extensive(&self, element: usize) -> bool {
        Averages::element_extensive(self, element)
    }
}

impl<T: Averages + 'static> FixMemory for T {
    fn ids_changed(&mut self, ids: &[(u32, u32)]) {
        Averages::ids_changed(self, ids);
    }
}

/// Takes one or more references to values of this form.
///
/// # Errors
/// At a word that is no such reference.
pub(super) fn inputs(session: &Session, args: &mut Args<'_>, form: Form) -> Result<Vec<Input>> {
    let mut inputs = Input::take(session, args, form)?;
    while args.peek().is_some_and(|word| is_reference(&word.text)) {
        inputs.extend(Input::take(session, args, form)?);
    }
    Ok(inputs)
}

/// Whether a word is a reference to a compute, a fix or a variable rather than a keyword.
pub(super) fn is_reference(word: &str) -> bool {
    Reference::parse(word).is_some() || Elements::parse(word).is_some()
}
