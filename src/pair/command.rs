//! `pair_style`, `pair_coeff`, `pair_modify`.

use super::{Mix, Pair, STYLES};
use crate::atoms::type_range;
use crate::error::Result;
use crate::script::{Args, lammps};
use crate::state::State;

/// `pair_style NAME args`: starts anew, without coefficients.
///
/// # Errors
/// At an unknown style or an argument that does not fit.
pub fn pair_style(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    if args.accept("none") {
        state.pair = None;
        return args.finish();
    }
    let constructor = args.style("pair style", STYLES, lammps::PAIR_STYLES)?;
    let style = constructor(args)?;
    args.finish()?;
    state.pair = Some(Pair::new(style, state.types()));
    Ok(())
}

/// `pair_coeff I J numbers`, with ranges of types like `*`, `2*` or `1*3`.
///
/// # Errors
/// Without a box or a style, or at an argument that does not fit.
pub fn pair_coeff(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    state.domain()?;
    let types = state.types();
    let Some(pair) = &mut state.pair else {
        return Err(args.error_here("there is no pair style yet").help("put a pair_style line before"));
    };
    if pair.types != types {
        (pair.types, pair.given) = (types, vec![None; types * types]);
    }
    let first = type_range(args, types)?;
    let second = type_range(args, types)?;
    let params = pair.style.parse(args)?;
    args.finish()?;
    let mut set = 0;
    for i in first {
        for j in second.clone().filter(|&j| j >= i) {
            pair.given[(i - 1) * types + j - 1] = Some(params.clone());
            set += 1;
        }
    }
    if set == 0 {
        return Err(args
            .error_here("no pair of types I <= J lies in these ranges")
            .help("give the smaller type first"));
    }
    Ok(())
}

/// `pair_modify shift yes|no`, `mix geometric|arithmetic|sixthpower`, `tail yes|no`; `table N`, `table/disp N`,
/// `tabinner R`, `tabinner/disp R`, which are for tables of long-range forces, have no effect.
///
/// # Errors
/// Without a style, or at an argument that does not fit.
pub fn pair_modify(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let Some(pair) = &mut state.pair else {
        return Err(args.error_here("there is no pair style yet").help("put a pair_style line before"));
    };
    if args.is_empty() {
        args.word("a keyword (shift, mix, tail, table)")?;
    }
    while !args.is_empty() {
        let keywords = [
            ("shift", 0),
            ("mix", 1),
            ("tail", 2),
            ("table", 3),
            ("table/disp", 3),
            ("tabinner", 4),
            ("tabinner/disp", 4),
        ];
        match args.one_of("keyword", &keywords)? {
            0 => pair.shift = args.yes_no()?,
            1 => {
                let rules =
                    [Mix::Geometric, Mix::Arithmetic, Mix::SixthPower].map(|rule| (rule.name(), rule));
                pair.mix = args.one_of("mixing rule", &rules)?;
            }
            2 => pair.tail = args.yes_no()?,
            3 => _ = args.count("the number of bits", 0)?,
            _ => _ = args.positive("the inner cutoff")?,
        }
    }
    Ok(())
}
