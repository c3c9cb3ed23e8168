//! `fix halt`: ends the run when a variable says so. Source: LAMMPS manual, `fix halt`.

use super::{Fix, Header, Quantity, World, next_multiple};
use crate::error::{Error, Result};
use crate::format::g;
use crate::script::Args;
use crate::script::boolean::{COMPARISONS, Comparison};
use crate::state::State;

/// What is compared.
enum Attribute {
    Variable(Quantity),
    /// Wall seconds since the program began.
    Time,
}

/// What a halt does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// It is an error.
    Hard,
    /// The run ends, and later ones make no step.
    Soft,
    /// The run ends.
    Continue,
}

struct Halt {
    header: Header,
    every: u64,
    attribute: Attribute,
    /// Whether a comparison with the limit holds.
    holds: Comparison,
    limit: f64,
    effect: Effect,
    message: bool,
}

/// Takes `N v_NAME OP VALUE` or `N tlimit OP VALUE`, `error hard`, `soft` or `continue`, `message yes` or `no`.
pub(super) fn new(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("the number of steps between", 1)?;
    let attribute = match args.peek() {
        Some(word) if ["diskfree", "bondmax"].contains(&&*word.text) => {
            return Err(args.unsupported(word, "fix halt attribute"));
        }
        Some(word) if word.text != "tlimit" && !word.text.starts_with("v_") => {
            return Err(args.unknown(word, "fix halt attribute", ["v_NAME", "tlimit"].into_iter()));
        }
        _ if args.accept("tlimit") => Attribute::Time,
        _ => Attribute::Variable(Quantity::read(state, args, "v_NAME", 1.0)?),
    };
    let holds = args.one_of("operator", &COMPARISONS)?;
    let limit = args.f64("a value")?;
    let mut fix = Halt { header, every, attribute, holds, limit, effect: Effect::Soft, message: true };
    while !args.is_empty() {
        if args.one_of("fix halt keyword", &[("error", true), ("message", false)])? {
            let effects = [("hard", Effect::Hard), ("soft", Effect::Soft), ("continue", Effect::Continue)];
            fix.effect = args.one_of("effect", &effects)?;
        } else {
            fix.message = args.yes_no()?;
        }
    }
    Ok(Box::new(fix))
}

impl Fix for Halt {
    fn header(&self) -> &Header {
        &self.header
    }

    fn next(&self, step: i64) -> Option<i64> {
        Some(next_multiple(step, self.every))
    }

    fn needs_tally(&self) -> bool {
        true
    }

    fn end_of_step(&self, world: &mut World<'_>) -> Result<()> {
        let value = match &self.attribute {
            Attribute::Variable(quantity) => world.moment().value(quantity)?,
            Attribute::Time => world.state.started.elapsed().as_secs_f64(),
        };
        if !(self.holds)(value, self.limit) {
            return Ok(());
        }
        let (id, step) = (&self.header.id, world.state.step);
        let message =
            format!("Fix halt condition for fix-id {id} met on step {step} with value {}", g(value, 6));
        if self.effect == Effect::Hard {
            return Err(Error::new(message));
        }
        if self.message {
            world.lines.borrow_mut().push(message);
        }
        world.stop.set(Some(self.effect == Effect::Soft));
        Ok(())
    }
}
