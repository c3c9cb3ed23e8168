//! `fix wall/lepton`: walls whose potential is an expression of the distance (cl/fix/wall_lepton.cl). Source: LAMMPS manual,
//! `fix wall/lj93` and its page.

use super::wall::{Numbers, Push, Walls};
use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::script::lepton::{Expression, evaluate};
use crate::session::Session;
use crate::session::fix::{Fix, Header, StepContext};

struct Formula {
    expression: Expression,
    /// Whether a variable in it may change during a run.
    varies: bool,
}

/// Takes `EXPRESSION CUTOFF` for each wall.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let with = Some(kernel_file!("fix/wall.cl"));
    let hooks = DeviceHooks {
        with,
        post_force: Some("wall_lepton"),
        ..DeviceHooks::of(kernel_file!("fix/wall_lepton.cl"))
    };
    Walls::new(header, hooks).read(session, args, |args, _| {
        let word = args.word("an expression of the distance r, in quotes where it has blanks")?;
        let expression = Expression::parse(&word.text).map_err(|fault| args.fault(word, fault))?;
        for name in expression.variables() {
            if !session.script.variables.contains(name) {
                return Err(args.error(word, format_args!("variable {name} is not defined")));
            }
            if session.script.variables.is_per_atom(name) || session.script.variables.is_vector(name) {
                return Err(args.error(word, format_args!("variable {name} has more values than one")));
            }
        }
        let varies = expression.variables().any(|name| session.script.variables.is_equal(name));
        let cutoff = args.positive("the cutoff of the wall")?;
        Ok((Box::new(Formula { expression, varies }), cutoff))
    })
}

impl Push for Formula {
    fn numbers(&self, now: &StepContext<'_>, cutoff: f64) -> Result<Numbers> {
        let value = |name: &str| now.variable(name);
        let program = self.expression.program(cutoff, value)?;
        let [at_cutoff, _] = evaluate(&program, cutoff);
        let coefficients =
            std::iter::once(program.len() as f64).chain(program.into_iter().flatten()).collect();
        Ok(Numbers { least: 0.0, at_cutoff, coefficients })
    }

    fn varies(&self) -> bool {
        self.varies
    }
}
