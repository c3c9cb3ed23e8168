//! `fix ID GROUP vector N VALUE ...`: values of steps, collected one after another. Source: LAMMPS manual, `fix vector`.

use super::average::{inputs, need_tally};
use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{Fix, FixContext, FixOutput, Header, HostFix};
use crate::session::snapshot::view::Snapshot;
use crate::session::snapshot::{Form, Input};
use std::cell::{Cell, RefCell};

struct Vector {
    header: Header,
    every: i64,
    inputs: Vec<Input>,
    /// The most rows that are kept: earlier ones go.
    most: usize,
    extensive: bool,
    /// Per sample the values.
    rows: RefCell<Vec<Vec<f64>>>,
    next: Cell<i64>,
    tally: Cell<bool>,
}

/// Takes how often, the values, and `nmax N`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("steps between samples", 1)? as i64;
    let inputs = inputs(session, args, Form::Number)?;
    let mut most = usize::MAX;
    while !args.is_empty() {
        args.one_of("keyword of fix vector", &[("nmax", ())])?;
        most = args.count("the most samples", 1)? as usize;
    }
    let extensive = inputs.len() == 1 && session.now().extensive(&inputs[0].reference)?;
    let next = Cell::new((session.clock.step + every - 1) / every * every);
    let (rows, tally) = Default::default();
    Ok(Box::new(Vector { header, every, inputs, most, extensive, rows, next, tally }))
}

impl Fix for Vector {
    fn header(&self) -> &Header {
        &self.header
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
}

impl HostFix for Vector {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.tally.set(need_tally(context.session, self.inputs.iter()));
        let next = self.next.get();
        if next < context.session.clock.step {
            let id = &self.header.id;
            let line = format!(
                "WARNING: fix {id} takes no more samples, as in LAMMPS: a minimization has passed over step {next}; define it \
                 anew behind minimizations"
            );
            context.lines.borrow_mut().push(line);
        }
        Ok(())
    }

    fn setup(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.end_of_step(context)
    }

    fn next(&self, step: i64) -> Option<i64> {
        Some(self.next.get()).filter(|&next| next > step)
    }

    fn needs_tally(&self) -> bool {
        self.tally.get()
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        if self.next.get() != context.session.clock.step {
            return Ok(());
        }
        let system = context.system();
        let row = self.inputs.iter().map(|input| input.number(&system)).collect::<Result<_>>()?;
        let mut rows = self.rows.borrow_mut();
        if rows.len() == self.most {
            rows.remove(0);
        }
        rows.push(row);
        self.next.set(context.session.clock.step + self.every);
        Ok(())
    }
}

impl FixOutput for Vector {
    fn shape(&self) -> Option<Shape> {
        Some(match self.inputs.len() {
            1 => Shape::vector(0),
            count => Shape::array(count),
        })
    }

    fn made_every(&self) -> u64 {
        self.every.unsigned_abs()
    }

    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        let rows = self.rows.borrow().clone();
        Ok(match self.inputs.len() {
            1 => Values::vector(rows.concat()),
            _ => Values { array: rows, ..Values::default() },
        })
    }

    fn element_extensive(&self, _: usize) -> bool {
        self.extensive
    }
}
