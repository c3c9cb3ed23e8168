//! `minimize`, `min_style` and `min_modify`: their words. The minimization itself is [`crate::run::minimize`].

use crate::base::error::Result;
use crate::run::minimize::{Limits, carry_out};
use crate::script::{Args, lammps};
use crate::session::minimize::{NORMS, STYLES, Settings, Style};
use crate::session::{Output, Session};

/// `min_style STYLE`: what `min_modify` said before holds no longer.
///
/// # Errors
/// At a style that is not known.
pub fn min_style(settings: &mut Settings, output: &mut Output, args: &mut Args<'_>) -> Result<()> {
    let style = if args.accept("hftn") {
        output.log.line("Note: min_style hftn runs the style cg here");
        Style::ConjugateGradient
    } else {
        args.style("min_style", &STYLES, lammps::MIN_STYLES)?
    };
    args.finish()?;
    *settings = Settings { style, ..Settings::default() };
    Ok(())
}

/// `min_modify KEYWORD VALUE ...`.
///
/// # Errors
/// At a keyword that is not known or a value that does not fit.
pub fn min_modify(settings: &mut Settings, args: &mut Args<'_>) -> Result<()> {
    let keywords = [
        "dmax",
        "norm",
        "line",
        "integrator",
        "abcfire",
        "delaystep",
        "dtgrow",
        "dtshrink",
        "alpha0",
        "alphashrink",
        "tmax",
        "tmin",
        "halfstepback",
        "initialdelay",
        "vdfmax",
    ]
    .map(|name| (name, name));
    loop {
        let keyword = args.peek();
        let name = args.one_of("min_modify keyword", &keywords)?;
        let damped = &mut settings.damped;
        match name {
            "dmax" => settings.dmax = args.not_negative("the longest move")?,
            "norm" => settings.norm = args.one_of("norm", &NORMS)?,
            "line" => settings.search = args.one_of("line search", &crate::run::minimize::line::SEARCHES)?,
            "integrator" => {
                damped.integrator =
                    args.one_of("integrator", &crate::session::minimize::damped::INTEGRATORS)?;
            }
            "abcfire" => damped.abc = args.yes_no()?,
            "delaystep" => damped.delay = args.count("steps of delay", 0)? as i64,
            "dtgrow" => damped.grow = args.positive("a factor")?,
            "dtshrink" => damped.shrink = args.positive("a factor")?,
            "alpha0" => damped.alpha0 = args.positive("a factor")?,
            "alphashrink" => damped.alpha_shrink = args.positive("a factor")?,
            "tmax" => damped.longest = args.positive("a factor of the time step")?,
            "tmin" => damped.shortest = args.positive("a factor of the time step")?,
            "halfstepback" => damped.half_step_back = args.yes_no()?,
            "initialdelay" => damped.initial_delay = args.yes_no()?,
            _ => damped.most_uphill = args.int("steps uphill")?,
        }
        let fault = match name {
            "dtgrow" if damped.grow < 1.0 => Some("dtgrow is at least 1"),
            "dtshrink" if damped.shrink > 1.0 => Some("dtshrink is at most 1"),
            "tmax" | "tmin" if damped.longest < damped.shortest => Some("tmax is at least tmin"),
            _ => None,
        };
        if let (Some(fault), Some(keyword)) = (fault, keyword) {
            return Err(args.error(keyword, fault));
        }
        if args.is_empty() {
            return Ok(());
        }
    }
}

/// `minimize ETOL FTOL MAXITER MAXEVAL`.
///
/// # Errors
/// At an argument that does not fit, when something that a run needs is missing, or the device fails.
pub fn minimize(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let tolerance = |args: &mut Args<'_>, what: &str| {
        let word = args.peek();
        let x = args.f64(what)?;
        match word {
            Some(word) if x < 0.0 => Err(args.error(word, format_args!("{what} must not be negative"))),
            _ => Ok(x),
        }
    };
    let limits = Limits {
        energy: tolerance(args, "the energy tolerance")?,
        force: tolerance(args, "the force tolerance")?,
        iterations: args.count("the most iterations", 0)?.min(u32::MAX.into()) as i64,
        evaluations: args.count("the most force evaluations", 0)?.min(i64::MAX as u64) as i64,
    };
    args.finish()?;
    if session.options.skip_run || session.timed_out() || session.clock.halted {
        return Ok(());
    }
    carry_out(session, limits)
}
