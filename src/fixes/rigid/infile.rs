//! Files that describe rigid bodies (`infile`): a line with their number, and one for each. Source: LAMMPS manual, `fix
//! rigid`.

use crate::base::error::{Error, Result};
use crate::base::vector::Vector;
use crate::script::lines::Lines;
use crate::script::{Args, Word};

/// A body as a file has it.
pub(super) struct Described {
    /// Its number.
    pub id: i64,
    pub mass: f64,
    pub centre: Vector,
    /// Inertia about the centre: xx yy zz yz xz xy, the products negative.
    pub tensor: [f64; 6],
    pub velocity: Vector,
    /// Angular momentum.
    pub momentum: Vector,
    /// Box lengths that the centre has crossed.
    pub image: [i32; 3],
}

/// Words of a line.
const WORDS: usize = 20;

/// Reads a file whose name stands at a word; its bodies have these numbers.
///
/// # Errors
/// When it cannot be read, and at a line that is malformed or describes another body.
pub(super) fn read(args: &Args<'_>, word: &Word, known: &dyn Fn(i64) -> bool) -> Result<Vec<Described>> {
    let lines = Lines::open(&word.text, "the file of rigid bodies that was read");
    let mut lines = lines.map_err(|error| args.place(word, error))?;
    if !lines.advance_to_text()? {
        return Err(args.error(word, format_args!("{} is empty", word.text)));
    }
    let count: usize = lines.parse(lines.text().split_whitespace().next(), "the number of bodies")?;
    let mut bodies = Vec::new();
    for done in 0..count {
        if !lines.advance_to_text()? {
            let message = format!("the file ends after {done} of {count} bodies");
            return Err(lines.error_here(Error::new(message)));
        }
        bodies.push(body(&lines, known)?);
    }
    Ok(bodies)
}

fn body(lines: &Lines, known: &dyn Fn(i64) -> bool) -> Result<Described> {
    let words: Vec<&str> = lines.text().split_whitespace().collect();
    if words.len() != WORDS {
        let message = format!("a rigid body has {WORDS} numbers, here are {}", words.len());
        let help =
            "ID mass, centre x y z, inertia xx yy zz xy xz yz, velocity, angular momentum, image flags";
        return Err(lines.error_here(Error::new(message).help(help)));
    }
    let id = lines.parse(Some(words[0]), "the number of a body (an integer)")?;
    if !known(id) {
        return Err(lines.error(words[0], format!("there is no rigid body {id}")));
    }
    let number = |k: usize| lines.float(Some(words[k]), "a number");
    let vector = |k: usize| -> Result<Vector> { Ok([number(k)?, number(k + 1)?, number(k + 2)?]) };
    let image = |k: usize| lines.parse(Some(words[k]), "an image flag (an integer)");
    let mass = number(1)?;
    if mass <= 0.0 {
        return Err(lines.error(words[1], "a mass must be positive".to_owned()));
    }
    let ([xx, yy, zz], [xy, xz, yz]) = (vector(5)?, vector(8)?);
    Ok(Described {
        id,
        mass,
        centre: vector(2)?,
        tensor: [xx, yy, zz, yz, xz, xy],
        velocity: vector(11)?,
        momentum: vector(14)?,
        image: [image(17)?, image(18)?, image(19)?],
    })
}
