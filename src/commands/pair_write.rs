//! `pair_write`: a pair style's energy and force over a range of distances, as a section of a table file.

use crate::base::error::{Error, Result};
use crate::base::files;
use crate::base::format::Spec;
use crate::model::atoms::one_type;
use crate::script::Args;
use crate::session::Session;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Rows of a table: more would fill the disk with what no reader needs.
const MOST_ROWS: u64 = 10_000_000;

/// `pair_write I J N r|rsq INNER OUTER FILE SECTION [QI QJ]`: appends N rows, evenly spaced in r or r^2 from INNER
/// to OUTER. The charges, by default 1 each, count where the pair style has charges.
///
/// # Errors
/// Without a box, a style or all its coefficients, at an argument that does not fit, where the style has no finite
/// value, and when the file cannot be written.
pub fn pair_write(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    session.domain()?;
    let types = session.types();
    let Some(pair) = &session.force_field.pair else {
        return Err(args.error_here("there is no pair style yet").help("put a pair_style line before"));
    };
    let mut kind = || one_type("atom", args, types, &session.system.labels.atom).map(|kind| kind as usize);
    let (i, j) = (kind()?, kind()?);
    let word = args.peek();
    let rows = args.count("the number of rows", 2)?;
    if let Some(word) = word.filter(|_| rows > MOST_ROWS) {
        return Err(args.error(word, format_args!("a table has at most {MOST_ROWS} rows")));
    }
    let squares = args.one_of("spacing", &[("r", false), ("rsq", true)])?;
    let inner = args.positive("the first distance")?;
    let word = args.peek();
    let outer = args.positive("the last distance")?;
    if let (Some(word), true) = (word, outer <= inner) {
        return Err(args.error(word, format_args!("the last distance {outer} is not beyond {inner}")));
    }
    let file = args.word("a file")?;
    let section = args.text("a name for the section")?;
    let charges = match args.is_empty() {
        true => [1.0; 2],
        false => [args.f64("the charge of I")?, args.f64("the charge of J")?],
    };
    args.finish()?;

    let resolved = pair.resolve_two_body("a table of energies")?;
    let names: Vec<_> = resolved.parts.iter().map(|part| part.style.name()).collect();
    let (name, units) = (names.join(" "), session.system.units.name);
    let spacing = if squares { "RSQ" } else { "R" };
    let mut text = format!(
        "# Pair potential {name} for atom types {i} {j}: i,r,energy,force\n\n{section}\n\
         N {rows} {spacing} {inner} {outer}\n\n"
    );
    let qq = session.system.units.qqr2e / session.force_field.dielectric * charges[0] * charges[1];
    let column = Spec::parse("%- 22.15g")?;
    for row in 0..rows {
        let way = row as f64 / (rows - 1) as f64;
        let r = if squares {
            (inner * inner + (outer * outer - inner * inner) * way).sqrt()
        } else {
            inner + (outer - inner) * way
        };
        let (fpair, energy) = resolved.evaluate(i, j, r * r);
        let (pull, coulomb) = resolved.coulomb(i, j, r * r, 0.0);
        let (fpair, energy) = (fpair + qq * pull, energy + qq * coulomb);
        if !energy.is_finite() || !fpair.is_finite() {
            return Err(
                args.error_here(format_args!("{name} has no finite energy and force at the distance {r}"))
            );
        }
        let [r, energy, force] = [r, energy, fpair * r].map(|x| column.float(x));
        text.push_str(&format!("{:8} {r} {energy} {force}\n", row + 1));
    }

    let path = Path::new(&file.text);
    let before = match std::fs::read(path) {
        Ok(before) => before,
        Err(err) if err.kind() == ErrorKind::NotFound => {
            text.insert_str(0, &format!("# UNITS: {units} Created by pair_write\n"));
            Vec::new()
        }
        Err(err) => return Err(args.place(file, Error::io("read", path, &err))),
    };
    files::write_whole(path, |mut out| {
        out.write_all(&before)?;
        files::whole_text(path, out, |out| out.write_all(text.as_bytes()))
    })
    .map_err(|error| args.place(file, error))
}
