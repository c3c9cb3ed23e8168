//! `fix ID GROUP balance N THRESH shift AXES NITER STOP|rcb|report ...`: at every Nth step ranks look at how much work each has. Where the most over
//! the mean is above THRESH, atoms are shared out anew at the next rebuild, so that all have as much. `weight ... store` gives atoms their weights.

use crate::base::error::Result;
use crate::base::ranks;
use crate::base::steps::next_multiple;
use crate::engine::comm::AtomWork;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{BoxChange, Fix, FixContext, FixOutput, Header, HostFix};
use crate::session::snapshot::view::Snapshot;
use crate::session::weights::{self, Measured, Weights};
use std::cell::{Cell, RefCell};

struct Balance {
    header: Header,
    /// 0: at the beginning of a run only.
    every: u64,
    /// The imbalance that is borne; with `report` any.
    threshold: f64,
    weights: Weights,
    /// What it found last, and the step at which that was.
    found: RefCell<Option<(Found, i64)>>,
    needs_tally: bool,
}

struct Found {
    /// The sum of the weights.
    load: f64,
    /// What counts as work.
    work: AtomWork,
    imbalance: f64,
    /// What that has become.
    now: Cell<f64>,
    /// Whether atoms are shared out anew for that.
    moves: bool,
}

pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("every how many steps", 0)?;
    let mut threshold = args.f64("the imbalance that is borne")?;
    let styles = ["shift", "rcb", "report"].map(|name| (name, name));
    let style = args.peek();
    match (args.one_of("balance style", &styles)?, style) {
        ("shift", _) => weights::shift(session, args)?,
        ("rcb", Some(word)) => weights::tiles(session, args, word)?,
        _ => threshold = f64::INFINITY,
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
    Ok(Box::new(Balance { header, every, threshold, weights, found: RefCell::new(None), needs_tally }))
}

impl Balance {
    fn weigh(&self, context: &mut FixContext<'_>) -> Result<()> {
        let Measured { load, work, stored } = self.weights.measure(&context.system())?;
        context.stored.borrow_mut().extend(stored);
        let (imbalance, moves) = context.simulation.balance(&work, self.threshold)?;
        self.found.replace(Some((
            Found { load, work, imbalance, now: Cell::new(imbalance), moves },
            context.session.clock.step,
        )));
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
        // One rank has all atoms.
        let acts = self.every > 0 && (ranks::count() > 1 || !self.weights.alike());
        acts.then(|| next_multiple(step, self.every))
    }

    fn looks_at_atoms(&self) -> bool {
        !self.weights.alike()
    }

    fn setup(&self, context: &mut FixContext<'_>) -> Result<()> {
        // As in LAMMPS, not again at a step at which that was done before.
        let step = context.session.clock.step;
        let done = self.found.borrow().as_ref().is_some_and(|(_, last)| *last == step);
        if done { Ok(()) } else { self.weigh(context) }
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

    /// The imbalance now; that times the mean load of a rank (weights, or atoms where there are none), whether shares change, the imbalance before.
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        let found = self.found.borrow();
        let Some((Found { load, work, imbalance, now, moves }, _)) = &*found else {
            let load = system.count(1)? as f64 / ranks::count() as f64;
            return Ok(Values { scalar: Some(1.0), vector: vec![load, 0.0, 1.0], ..Values::default() });
        };
        if let Some(simulation) = system.simulation {
            now.set(simulation.imbalance(work)?);
        }
        let load = if self.weights.alike() { system.count(1)? as f64 } else { *load };
        let most = now.get() * load / ranks::count() as f64;
        let vector = vec![most, f64::from(u8::from(*moves)), *imbalance];
        Ok(Values { scalar: Some(now.get()), vector, ..Values::default() })
    }
}
