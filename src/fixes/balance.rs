//! `fix ID GROUP balance N THRESH shift AXES NITER STOP|rcb|report ...`: ranks balance their shares by themselves. It has the
//! values of one process, so that scripts that print them run, and `weight ... store` gives atoms theirs.

use crate::base::error::Result;
use crate::base::steps::next_multiple;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{BoxChange, Fix, FixContext, FixOutput, Header, HostFix};
use crate::session::snapshot::view::Snapshot;
use crate::session::weights::{self, Weights};
use std::cell::Cell;

struct Balance {
    header: Header,
    /// 0: at the beginning of a run only.
    every: u64,
    weights: Weights,
    /// The sum of the weights when they were last asked for.
    load: Cell<Option<f64>>,
    /// The step at which that was.
    last: Cell<Option<i64>>,
    needs_tally: bool,
}

pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("every how many steps", 0)?;
    args.f64("the imbalance that is borne")?;
    let styles = ["shift", "rcb", "report"].map(|name| (name, name));
    let style = args.peek();
    match (args.one_of("balance style", &styles)?, style) {
        ("shift", _) => weights::shift(session, args)?,
        ("rcb", Some(word)) => weights::tiles(session, args, word)?,
        _ => {}
    }
    let mut weights = Weights::default();
    while !args.is_empty() {
        match args.one_of("balance keyword", &["weight", "out", "sort"].map(|name| (name, name)))? {
            "weight" => weights.read(session, args)?,
            "out" => _ = args.word("a file name")?,
            _ => _ = args.yes_no()?,
        }
    }
    let needs_tally = weights.inputs().any(|input| session.needs_tally(&input.reference));
    Ok(Box::new(Balance {
        header,
        every,
        weights,
        load: Cell::new(None),
        last: Cell::new(None),
        needs_tally,
    }))
}

impl Balance {
    fn weigh(&self, context: &FixContext<'_>) -> Result<()> {
        let (load, stored) = self.weights.measure(&context.system())?;
        self.load.set(Some(load));
        self.last.set(Some(context.session.clock.step));
        context.stored.borrow_mut().extend(stored);
        Ok(())
    }
}

impl Fix for Balance {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        true
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn box_change(&self) -> Option<&dyn BoxChange> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }
}

impl HostFix for Balance {
    fn needs_tally(&self) -> bool {
        self.needs_tally
    }

    fn next(&self, step: i64) -> Option<i64> {
        (self.every > 0 && !self.weights.alike()).then(|| next_multiple(step, self.every))
    }

    fn setup(&self, context: &mut FixContext<'_>) -> Result<()> {
        // As in LAMMPS, not again at a step at which that was done before.
        let done = self.last.get() == Some(context.session.clock.step);
        if done || self.weights.alike() { Ok(()) } else { self.weigh(context) }
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.weigh(context)
    }
}

impl BoxChange for Balance {
    fn shows_volume(&self) -> bool {
        true // to LAMMPS it changes the box of each process
    }
}

impl FixOutput for Balance {
    fn shape(&self) -> Option<Shape> {
        Some(Shape { vector: Some(3), ..Shape::SCALAR })
    }

    /// The imbalance factor; the largest load of a process (weights, or atoms without), iterations, the factor before.
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        let load = self.load.get().map_or_else(|| system.count(1).map(|atoms| atoms as f64), Ok)?;
        Ok(Values { scalar: Some(1.0), vector: vec![load, 0.0, 1.0], ..Values::default() })
    }
}
