//! `fix ID GROUP nvt/sllod temp TSTART TSTOP TDAMP [psllod yes|no]`: a Nose-Hoover chain on the motion relative to a box
//! that `fix deform ... remap v` shears (cl/fix/sllod.cl).
//!
//! Equations: D. J. Evans and G. P. Morriss, Phys. Rev. A 30, 1528 (1984); P. J. Daivis and B. D. Todd, J. Chem. Phys. 124,
//! 194103 (2006). The chain is that of fix nvt, with one link unless `tchain` says otherwise.

use super::nose_hoover::Chained;
use super::thermostat;
use super::{Fix, Header, Moment, Stage, Watched, World, snippet};
use crate::compute::{self, Compute, Values};
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::script::Args;
use crate::state::State;
use crate::system::System;
use std::cell::{Cell, RefCell};

struct Sllod {
    header: Header,
    watched: Watched,
    /// The flow's pull acts on the whole velocity, not only on what is thermal of it (p-SLLOD).
    whole: bool,
    chain: RefCell<Chained>,
    /// Factors of thermal velocities before the first kick and at the end of the step.
    factors: Cell<[f64; 2]>,
    /// The velocity gradient (xx yy zz xy xz yz), the velocity of the lower corner, and where that is.
    flow: Cell<([f64; 6], [[f64; 3]; 2])>,
}

pub(super) fn new(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let mut whole = false;
    let chain = Chained::read(&header, state, args, |word, args| {
        if word.text != "psllod" {
            return Ok(false);
        }
        whole = args.yes_no()?;
        Ok(true)
    })?;
    Ok(Box::new(Sllod {
        watched: thermostat::watched(&header),
        header,
        whole,
        chain: RefCell::new(chain),
        factors: Cell::new([1.0; 2]),
        flow: Cell::new(([0.0; 6], [[0.0; 3]; 2])),
    }))
}

impl Sllod {
    fn see_flow(&self, domain: &Domain) {
        self.flow.set((domain.velocity_gradient(), [domain.flow.lo_rate, domain.lo]));
    }

    /// Lets a function change the chain. Meanwhile others that ask for energies find an empty one, and no borrowed cell.
    fn with_chain<R>(&self, change: impl FnOnce(&mut Chained) -> R) -> R {
        let mut chain = self.chain.take();
        let done = change(&mut chain);
        self.chain.replace(chain);
        done
    }

    fn measure(&self, world: &World<'_>, chain: &mut Chained) -> Result<()> {
        let temperature = thermostat::temperature(world.state, &self.watched.temperature)?;
        let (now, thermal) = thermostat::measure(world, temperature)?;
        chain.set_temperature(now, thermal.freedom);
        Ok(())
    }
}

impl Fix for Sllod {
    fn header(&self) -> &Header {
        &self.header
    }

    fn integrates(&self) -> bool {
        true
    }

    fn computes(&self, state: &State) -> Vec<Box<dyn Compute>> {
        let id = thermostat::own_temperature(&self.header);
        vec![compute::temp_deform(&id, self.header.group, state.dimension)]
    }

    fn watched(&mut self) -> Option<&mut Watched> {
        Some(&mut self.watched)
    }

    fn stage(&self) -> Option<Stage> {
        let (initial, last, end) = (Some("sllod_initial"), Some("sllod_final"), Some("sllod_end"));
        Some(Stage { initial, last, end, ..Stage::of(snippet!("sllod.cl")) })
    }

    fn parameters(&self, now: &Moment<'_>) -> Result<Vec<f64>> {
        let (gradient, corner) = self.flow.get();
        let settings = [0.5 * now.state.dt, f64::from(u8::from(self.whole))];
        Ok(now
            .kicks()
            .into_iter()
            .chain(self.factors.get())
            .chain(settings)
            .chain(gradient)
            .chain(corner.concat())
            .collect())
    }

    fn begin_run(&self, world: &mut World<'_>) -> Result<()> {
        let deforms = world.state.fixes.iter().any(|fix| fix.header().style == "deform");
        if !deforms {
            return Err(Error::new("there is no fix deform, whose flow it needs")
                .help("add a line like: fix 2 all deform 1 xy erate 0.01 remap v"));
        }
        if world.simulation.domain.flow.carried == 0 {
            return Err(
                Error::new("the fix deform does not change velocities").help("write `remap v` in its line")
            );
        }
        let temperature = thermostat::temperature(world.state, &self.watched.temperature)?;
        if temperature.header().style != "temp/deform" {
            let message = format!("compute {} is not of style temp/deform", self.watched.temperature);
            return Err(Error::new(message));
        }
        self.see_flow(&world.simulation.domain);
        let fraction = world.moment().fraction();
        self.with_chain(|chain| {
            self.measure(world, chain)?;
            chain.begin(world.state, fraction);
            Ok(())
        })
    }

    fn next(&self, step: i64) -> Option<i64> {
        Some(step + 1)
    }

    fn before_step(&self, world: &mut World<'_>) -> Result<()> {
        self.see_flow(&world.simulation.domain);
        let fraction = world.moment().at(world.state.step + 1).fraction();
        let factor = self.with_chain(|chain| {
            chain.set_target(world.state, fraction);
            chain.advance(world.state)
        });
        self.factors.set([factor, 1.0]);
        Ok(())
    }

    fn end_of_step(&self, world: &mut World<'_>) -> Result<()> {
        self.see_flow(&world.simulation.domain);
        let factor =
            self.with_chain(|chain| self.measure(world, chain).map(|()| chain.advance(world.state)))?;
        self.factors.set([1.0, factor]);
        Ok(())
    }

    fn values(&self, system: &System<'_>) -> Result<Values> {
        let chain = self.chain.borrow();
        Ok(Values { scalar: Some(chain.energy(system)), vector: chain.vector(system), ..Values::default() })
    }

    fn extensive(&self) -> bool {
        true
    }

    fn coupled_energy(&self, system: &System<'_>) -> f64 {
        self.chain.borrow().energy(system)
    }
}
