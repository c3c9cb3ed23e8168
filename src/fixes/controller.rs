//! `fix ID GROUP controller N ALPHA KP KI KD VALUE SETPOINT NAME`: an internal-style variable that is changed until a value
//! is what it should be, by a proportional-integral-differential controller. Source: LAMMPS manual, `fix controller`.

use crate::base::error::{Error, Result};
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{Fix, FixContext, FixOutput, Header, HostFix};
use crate::session::snapshot::view::Snapshot;
use crate::session::snapshot::{Form, Input};
use std::cell::Cell;

struct Controller {
    header: Header,
    every: i64,
    /// The factor of all three terms.
    alpha: f64,
    /// Of the error, its sum over time, its change.
    gains: [f64; 3],
    process: Input,
    setpoint: f64,
    /// The name of the variable.
    control: String,
    /// The error last time, and their sum so far.
    error: Cell<Option<f64>>,
    sum: Cell<f64>,
    /// Error, sum and change by which the variable has been changed last.
    last: Cell<[f64; 3]>,
    tally: Cell<bool>,
}

/// Takes all arguments.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("steps between changes", 1)? as i64;
    let alpha = args.f64("the factor alpha")?;
    let gains = [args.f64("the gain Kp")?, args.f64("the gain Ki")?, args.f64("the gain Kd")?];
    let word = args.peek();
    let mut inputs = Input::take(session, args, Form::Number)?;
    let process = inputs.remove(0);
    if let (Some(word), false) = (word, inputs.is_empty()) {
        return Err(args.error(word, "one value is controlled, not several"));
    }
    let setpoint = args.f64("what the value should be")?;
    let word = args.word("the name of a variable of style internal")?;
    if !session.script.variables.contains(&word.text) {
        return Err(args.error(word, format_args!("variable {} is not defined", word.text)));
    }
    if !session.script.variables.is_internal(&word.text) {
        return Err(args
            .error(word, format_args!("variable {} is not of style internal", word.text))
            .help(format!("define it by `variable {} internal VALUE`", word.text)));
    }
    Ok(Box::new(Controller {
        header,
        every,
        alpha,
        gains,
        process,
        setpoint,
        control: word.text.clone(),
        error: Cell::default(),
        sum: Cell::default(),
        last: Cell::default(),
        tally: Cell::default(),
    }))
}

impl Controller {
    /// The terms of the last change, by the time step of now, as in LAMMPS.
    fn terms(&self, session: &Session) -> [f64; 3] {
        let tau = self.every as f64 * session.clock.dt();
        let [proportional, integral, differential] = self.gains.map(|gain| -gain * self.alpha);
        let [error, sum, change] = self.last.get();
        [proportional * tau * error, integral * tau * tau * sum, differential * change]
    }
}

impl Fix for Controller {
    fn header(&self) -> &Header {
        &self.header
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }
}

impl HostFix for Controller {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.tally.set(context.session.needs_tally(&self.process.reference));
        Ok(())
    }

    fn next(&self, step: i64) -> Option<i64> {
        Some((step.div_euclid(self.every) + 1) * self.every)
    }

    fn needs_tally(&self) -> bool {
        self.tally.get()
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        let system = context.system();
        let error = self.process.number(&system)? - self.setpoint;
        let change = self.error.get().map_or(0.0, |before| error - before);
        let sum = self.sum.get() + error;
        self.error.set(Some(error));
        self.sum.set(sum);
        self.last.set([error, sum, change]);
        let terms = self.terms(context.session);
        let variables = &context.session.script.variables;
        let fault = |fault: crate::script::formula::Fault| Error::new(fault.message);
        let old = variables.number(&self.control, &system).map_err(fault)?;
        variables
            .set_internal(&self.control, terms.iter().fold(old, |value, term| value + term))
            .map_err(fault)
    }
}

impl FixOutput for Controller {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::vector(3))
    }

    /// By what the variable was changed last: for the error, for its sum, for its change.
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::vector(self.terms(system.session).to_vec()))
    }
}
