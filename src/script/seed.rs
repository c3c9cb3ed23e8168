//! Seeds of LAMMPS's random numbers, as scripts give them.

use crate::base::error::Result;
use crate::base::random::ParkMiller;
use crate::script::Args;

/// Takes a seed of [`crate::base::random::Ranmar`].
///
/// # Errors
/// At the word, when it is missing or out of range.
pub fn mars(args: &mut Args<'_>) -> Result<u32> {
    let word = args.peek();
    let seed: u32 = args.int("a seed")?;
    match word.filter(|_| !(1..=900_000_000).contains(&seed)) {
        Some(word) => Err(args.error(word, "a seed must lie within 1 and 900000000")),
        None => Ok(seed),
    }
}

/// Takes a seed of Park-Miller numbers; the first 30 are skipped, as in LAMMPS, so that near seeds begin differently.
///
/// # Errors
/// At the word, when it is missing or out of range.
pub fn park_miller(args: &mut Args<'_>) -> Result<ParkMiller> {
    let mut random = park_miller_from_first(args)?;
    random.skip(30);
    Ok(random)
}

/// The same, of which none is skipped.
///
/// # Errors
/// As [`park_miller`].
pub fn park_miller_from_first(args: &mut Args<'_>) -> Result<ParkMiller> {
    let word = args.peek();
    let seed: u32 = args.int("a seed")?;
    match word.filter(|_| !(1..i32::MAX as u32).contains(&seed)) {
        Some(word) => Err(args.error(word, "a seed must lie within 1 and 2147483646")),
        None => Ok(ParkMiller::new(seed)),
    }
}
