//! The faces of the box that walls stand at.

use crate::base::error::Result;
use crate::model::lattice;
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::fix::{Quantity, StepContext};

const NAMES: [&str; 6] = ["xlo", "xhi", "ylo", "yhi", "zlo", "zhi"];

/// A wall across an axis.
pub(super) struct Face {
    /// 0, 1, 2 for x, y, z.
    pub axis: usize,
    /// 1 for an upper wall, -1 for a lower one.
    pub side: f64,
    place: Quantity,
    /// What a variable's value is multiplied by.
    scale: f64,
}

impl Face {
    /// The face that a word names.
    pub(super) fn named(word: &Word) -> Option<usize> {
        NAMES.iter().position(|name| *name == word.text)
    }

    /// Takes where the wall at the face `which` stands: `EDGE`, a number or `v_NAME`.
    pub(super) fn read(
        session: &Session,
        args: &mut Args<'_>,
        which: usize,
        scale: [f64; 3],
    ) -> Result<Self> {
        let (axis, upper) = (which / 2, which % 2 == 1);
        let place = if args.accept("EDGE") {
            let domain = session.domain()?;
            Quantity::Number(if upper { domain.hi[axis] } else { domain.lo[axis] })
        } else {
            Quantity::read(session, args, "where the wall is: EDGE", scale[axis])?
        };
        Ok(Face { axis, side: if upper { 1.0 } else { -1.0 }, place, scale: scale[axis] })
    }

    /// Whether the face is the same.
    pub(super) fn is(&self, which: usize) -> bool {
        self.axis == which / 2 && (self.side > 0.0) == (which % 2 == 1)
    }

    /// Where the wall is now, in distance units.
    pub(super) fn place(&self, now: &StepContext<'_>) -> Result<f64> {
        Ok(now.value(&self.place)? * if self.place.varies() { self.scale } else { 1.0 })
    }

    /// Whether it may move.
    pub(super) fn varies(&self) -> bool {
        self.place.varies()
    }
}

/// Takes `FACE` and what `read` takes of its wall, for each wall, and `units box` or `lattice` anywhere.
///
/// # Errors
/// At a word that does not fit, or where there is no wall.
pub(super) fn walls<T>(
    session: &Session,
    args: &mut Args<'_>,
    face: impl Fn(&T) -> &Face,
    read: impl Fn(&mut Args<'_>, Face) -> Result<T>,
) -> Result<Vec<T>> {
    let scale = scale(session, args);
    let mut walls: Vec<T> = Vec::new();
    while let Some(word) = args.peek() {
        let known = NAMES.into_iter().chain(["units"]).map(|name| (name, ()));
        args.one_of("face or keyword", &known.collect::<Vec<_>>())?;
        let Some(which) = Face::named(word) else {
            units(args)?;
            continue;
        };
        check(session, args, word, walls.iter().any(|wall| face(wall).is(which)), false)?;
        let stands = Face::read(session, args, which, scale)?;
        walls.push(read(args, stands)?);
    }
    if walls.is_empty() {
        args.word("a face: xlo, xhi, ylo, yhi, zlo or zhi")?;
    }
    Ok(walls)
}

/// What lengths are multiplied by: `units box` or `lattice` stands behind them.
pub(super) fn scale(session: &Session, args: &Args<'_>) -> [f64; 3] {
    let box_units = args.rest().windows(2).any(|pair| pair[0].text == "units" && pair[1].text == "box");
    if box_units { [1.0; 3] } else { lattice::spacing(session.system.lattice.as_ref()) }
}

/// Takes what follows `units`.
pub(super) fn units(args: &mut Args<'_>) -> Result<()> {
    args.one_of("units", &[("box", ()), ("lattice", ())])
}

/// Whether a wall may stand at the face that `word` names.
///
/// # Errors
/// When there is one already, the axis is periodic and may not be, or there is no such axis.
pub(super) fn check(session: &Session, args: &Args<'_>, word: &Word, taken: bool, pbc: bool) -> Result<()> {
    let axis = Face::named(word).unwrap_or_default() / 2;
    if taken {
        return Err(args.error(word, format_args!("there are two walls at {}", word.text)));
    }
    if axis == 2 && session.system.dimension == 2 {
        return Err(args.error(word, "a 2d system has no walls across z"));
    }
    if session.domain()?.periodic(axis) && !pbc {
        return Err(args.error(word, format_args!("the box is periodic across {}", word.text)));
    }
    Ok(())
}
