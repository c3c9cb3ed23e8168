//! What the script says of `fix msst`.

use super::{Motion, Msst};
use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{Fix, Header, Watched};
use std::cell::{Cell, RefCell};

/// Takes axis, velocity and keywords.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let word = args.peek();
    let axis = args.one_of("axis", &[("x", 0), ("y", 1), ("z", 2)])?;
    if let Some(word) = word.filter(|_| axis == 2 && session.system.dimension == 2) {
        return Err(args.error(word, "the box of a 2d system keeps its z"));
    }
    let domain = session.domain()?;
    if domain.triclinic || !(0..3).all(|d| domain.periodic(d)) {
        let shape = if domain.triclinic { "triclinic" } else { "not periodic along all axes" };
        return Err(args.error_here(format_args!("fix msst cannot change a box that is {shape}")));
    }
    let velocity = args.positive("the velocity of the shock")?;
    let (mut inertia, mut viscosity, mut share, mut motion) = (10.0, 0.0, 0.01, Motion::default());
    while let Some(word) = args.peek() {
        let keywords = ["q", "mu", "p0", "v0", "e0", "tscale", "dftb", "beta"];
        match args.one_of("fix msst keyword", &keywords.map(|name| (name, name)))? {
            "q" => inertia = args.positive("the inertia of the box")?,
            "mu" => {
                let word = args.peek();
                viscosity = args.f64("the viscosity")?;
                if let Some(word) = word.filter(|_| viscosity < 0.0) {
                    return Err(args.error(word, "the viscosity must not be negative"));
                }
            }
            "tscale" => share = fraction(args, "the part of the kinetic energy")?,
            "beta" => _ = fraction(args, "a factor")?,
            "dftb" if args.yes_no()? => return Err(args.unsupported(word, "fix msst keyword")),
            name => _ = motion.ahead.keyword(name, args)?,
        }
    }
    Ok(Box::new(Msst {
        watched: Watched {
            temperature: format!("{}MSST_temp", header.id),
            pressure: Some(format!("{}MSST_press", header.id)),
        },
        header,
        axis,
        velocity,
        inertia,
        viscosity,
        share,
        motion: RefCell::new(motion),
        halves: Cell::default(),
        dilation: Cell::new([[0.0; 3], [1.0; 3], [1.0; 3]]),
    }))
}

/// Takes a number from 0 to 1.
fn fraction(args: &mut Args<'_>, what: &str) -> Result<f64> {
    let word = args.peek();
    let fraction = args.f64(what)?;
    match word {
        Some(word) if !(0.0..=1.0).contains(&fraction) => {
            Err(args.error(word, format_args!("{what} lies within 0 and 1")))
        }
        _ => Ok(fraction),
    }
}
