//! `pair_style`, `pair_coeff`, `pair_modify`.

use crate::potentials::pair::registry::read;

use crate::base::error::Result;
use crate::potentials::pair::given::{Overlap, Pair};
use crate::potentials::pair::style::Mix;
use crate::script::Args;
use crate::session::{ForceField, Session};
use std::ops::Range;

/// `pair_style NAME args`: starts anew, without coefficients, unless the style is that of before: then its settings
/// change, as in LAMMPS. `hybrid` and `hybrid/overlay` take several of these.
///
/// # Errors
/// At an unknown style or an argument that does not fit.
pub fn pair_style(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    if args.accept("none") {
        session.force_field.pair = None;
        return args.finish();
    }
    let mut pair = read(args, session.types())?;
    if let Some(style) = pair.varying_own_energy() {
        let message =
            format!("the factor of {style}, with which atoms have energies by themselves, must be a number");
        return Err(args
            .error(args.command_name(), message)
            .help("another style for charges, such as coul/cut, may have a variable"));
    }
    if let Some(before) = &session.force_field.pair {
        pair.continue_from(before);
    }
    session.force_field.pair = Some(pair);
    Ok(())
}

/// Keywords of `pair_modify`, with numbers that those alike share.
const PAIR_MODIFY: [(&str, u32); 10] = [
    ("shift", 0),
    ("mix", 1),
    ("tail", 2),
    ("table", 3),
    ("table/disp", 3),
    ("tabinner", 4),
    ("tabinner/disp", 4),
    ("nofdotr", 5),
    ("neigh/trim", 6),
    ("compute", 7),
];

/// `pair_modify shift yes|no`, `mix geometric|arithmetic|sixthpower`, `tail yes|no`; `table N`, `table/disp N`,
/// `tabinner R`, `tabinner/disp R`, which are for tables of long-range forces, have no effect. In hybrid styles for
/// all of them, or after `pair STYLE [N]` for one.
///
/// # Errors
/// Without a style, or at an argument that does not fit.
pub fn pair_modify(force_field: &mut ForceField, args: &mut Args<'_>) -> Result<()> {
    let Some(pair) = &mut force_field.pair else {
        return Err(args.error_here("there is no pair style yet").help("put a pair_style line before"));
    };
    if args.is_empty() {
        args.word("a keyword (shift, mix, tail, table)")?;
    }
    let parts = addressed_parts(pair, args)?;
    while let Some(word) = args.peek() {
        let parts = &mut pair.parts[parts.clone()];
        if word.text == "special" {
            let help = "bonded pairs count as special_bonds says, in all styles of a hybrid alike";
            return Err(args.unsupported(word, "keyword").help(help));
        }
        match args.one_of("keyword", &PAIR_MODIFY)? {
            0 => {
                let shift = args.yes_no()?;
                parts.iter_mut().for_each(|part| part.shift = shift);
            }
            1 => {
                let rules =
                    [Mix::Geometric, Mix::Arithmetic, Mix::SixthPower].map(|rule| (rule.name(), rule));
                let mix = args.one_of("mixing rule", &rules)?;
                parts.iter_mut().for_each(|part| part.mix = mix);
            }
            2 => {
                let tail = args.yes_no()?;
                parts.iter_mut().for_each(|part| part.tail = tail);
                pair.no_tails = !tail;
            }
            3 => _ = args.count("the number of bits", 0)?,
            4 => _ = args.not_negative("the inner cutoff")?,
            5 => {}
            6 => _ = args.yes_no()?,
            _ => {
                if !args.yes_no()? {
                    let error = args.unsupported(word, "choice 'no' of");
                    return Err(error.help("`pair_style zero` gives lists without forces"));
                }
            }
        }
    }
    Ok(())
}

/// Which styles a `pair_modify` line is for: one of a hybrid's after `pair STYLE [N]`, else all.
fn addressed_parts(pair: &Pair, args: &mut Args<'_>) -> Result<Range<usize>> {
    if pair.sharing == Overlap::Plain || !args.accept("pair") {
        return Ok(0..pair.parts.len());
    }
    let part = pair.part(args)?;
    Ok(part..part + 1)
}
