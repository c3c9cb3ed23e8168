//! `fix halt`: ends the run when a variable, the time or a bond says so. Source: LAMMPS manual, `fix halt`.

use crate::base::error::{Error, Result};
use crate::base::format::shortest;
use crate::base::ranks;
use crate::base::steps::next_multiple;
use crate::script::Args;
use crate::script::boolean::{COMPARISONS, Comparison};
use crate::session::Session;
use crate::session::fix::{Fix, FixContext, Header, HostFix, Quantity};
use crate::session::snapshot::view::Snapshot;
use std::cell::Cell;
use std::collections::HashMap;

/// What is compared.
enum Attribute {
    Variable(Quantity),
    /// Wall seconds since the program began.
    Time,
    /// The length of the longest bond.
    Bond,
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
    /// The step of a minimization at which it has looked.
    looked: Cell<Option<i64>>,
}

/// Takes `N v_NAME OP VALUE`, `N tlimit OP VALUE` or `N bondmax OP VALUE`, `error hard`, `soft` or `continue`, `message yes` or `no`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("the number of steps between", 1)?;
    let attribute = match args.peek() {
        Some(word) if word.text == "diskfree" => {
            return Err(args.unsupported(word, "fix halt attribute"));
        }
        Some(word) if !["tlimit", "bondmax"].contains(&&*word.text) && !word.text.starts_with("v_") => {
            let attributes = ["v_NAME", "tlimit", "bondmax"];
            return Err(args.unknown(word, "fix halt attribute", attributes.into_iter()));
        }
        _ if args.accept("tlimit") => Attribute::Time,
        _ if args.accept("bondmax") => Attribute::Bond,
        _ => Attribute::Variable(Quantity::read(session, args, "v_NAME", 1.0)?),
    };
    let holds = args.one_of("operator", &COMPARISONS)?;
    let limit = args.f64("a value")?;
    let (effect, looked) = (Effect::Soft, Cell::new(None));
    let mut fix = Halt { header, every, attribute, holds, limit, effect, message: true, looked };
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

/// The length of the longest bond, 0 without one. Bonds that are switched off do not count, nor those that lost an atom.
fn longest_bond(system: &Snapshot<'_>) -> Result<f64> {
    let (atoms, domain) = (system.atoms()?, system.domain()?);
    let place: HashMap<u32, usize> = atoms.tag.iter().copied().zip(0..).collect();
    let images = std::array::from_fn(|d| domain.periodic(d) && d < system.session.system.dimension as usize);
    let mut most = 0.0_f64;
    for bond in system.session.system.topology.bonds.iter().filter(|bond| !bond.off) {
        let [Some(&i), Some(&j)] = bond.atoms.map(|tag| place.get(&tag)) else { continue };
        let way = std::array::from_fn(|d| atoms.x[i][d] - atoms.x[j][d]);
        most = most.max(domain.nearest(way, images).iter().map(|r| r * r).sum());
    }
    Ok(most.sqrt())
}

impl Fix for Halt {
    fn header(&self) -> &Header {
        &self.header
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }
}

impl HostFix for Halt {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.looked.set(Some(context.session.clock.step));
        Ok(())
    }

    /// At the first place that a search looks at in a step, as in LAMMPS.
    fn minimized(&self, context: &mut FixContext<'_>) -> Result<()> {
        let step = context.session.clock.step;
        let looked = self.looked.replace(Some(step)) == Some(step);
        match !looked && step.unsigned_abs().is_multiple_of(self.every) {
            true => self.end_of_step(context),
            false => Ok(()),
        }
    }

    fn next(&self, step: i64) -> Option<i64> {
        Some(next_multiple(step, self.every))
    }

    fn needs_tally(&self) -> bool {
        matches!(self.attribute, Attribute::Variable(_))
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        let value = match &self.attribute {
            Attribute::Variable(quantity) => context.moment().value(quantity)?,
            Attribute::Time => ranks::of_first(context.session.clock.started.elapsed().as_secs_f64()),
            Attribute::Bond => longest_bond(&context.system())?,
        };
        if !(self.holds)(value, self.limit) {
            return Ok(());
        }
        let (id, step) = (&self.header.id, context.session.clock.step);
        let value = shortest(value);
        let message = format!("Fix halt condition for fix-id {id} met on step {step} with value {value}");
        if self.effect == Effect::Hard {
            return Err(Error::new(message));
        }
        if self.message {
            context.lines.borrow_mut().push(message);
        }
        context.stop.set(Some(self.effect == Effect::Soft));
        Ok(())
    }
}
