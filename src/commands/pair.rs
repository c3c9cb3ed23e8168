//! `pair_style`, `pair_coeff`, `pair_modify`.

use crate::base::error::Result;
use crate::model::atoms::type_range;
use crate::potentials::pair::given::Sharing;
use crate::potentials::pair::{Mix, Pair, STYLES, Style};
use crate::script::{Args, Word, lammps};
use crate::session::state::State;

/// `pair_style NAME args`: starts anew, without coefficients, unless the style is that of before: then its settings
/// change, as in LAMMPS. `hybrid` and `hybrid/overlay` take several of these.
///
/// # Errors
/// At an unknown style or an argument that does not fit.
pub fn pair_style(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    if args.accept("none") {
        state.pair = None;
        return args.finish();
    }
    let mut pair = read(args, state.types())?;
    if let Some(before) = &state.pair {
        pair.continue_from(before);
    }
    state.pair = Some(pair);
    Ok(())
}

/// A pair style without coefficients from the words of `pair_style`.
///
/// # Errors
/// As [`pair_style`].
pub(crate) fn read(args: &mut Args<'_>, types: usize) -> Result<Pair> {
    let (sharing, styles) = if args.accept("hybrid") {
        (Sharing::Hybrid, all_styles(args)?)
    } else if args.accept("hybrid/overlay") {
        (Sharing::Overlay, all_styles(args)?)
    } else {
        (Sharing::Plain, vec![style(args, &["hybrid", "hybrid/overlay"])?])
    };
    args.finish()?;
    let words: Vec<&str> = args.taken().iter().map(|word| word.text.as_str()).collect();
    Ok(Pair::new(styles, sharing, words.join(" "), types))
}

fn all_styles(args: &mut Args<'_>) -> Result<Vec<Box<dyn Style>>> {
    let mut styles = vec![style(args, &[])?];
    while !args.is_empty() {
        styles.push(style(args, &[])?);
    }
    Ok(styles)
}

/// Takes a style's name, one that is no hybrid, and its arguments; `others` may stand there as well.
fn style(args: &mut Args<'_>, others: &[&str]) -> Result<Box<dyn Style>> {
    let word = args.word("a pair style")?;
    match STYLES.iter().find(|(name, _)| *name == word.text) {
        Some((_, constructor)) => constructor(args),
        None => {
            let ours = STYLES.iter().map(|(name, _)| *name).chain(others.iter().copied());
            Err(args.no_such_style(word, "pair style", ours, lammps::PAIR_STYLES))
        }
    }
}

/// `pair_coeff I J numbers`, with ranges of types like `*`, `2*` or `1*3`; in hybrid styles
/// `pair_coeff I J STYLE [N] numbers`, where N counts the styles of one name, or `pair_coeff I J none`.
///
/// # Errors
/// Without a box or a style, or at an argument that does not fit.
pub fn pair_coeff(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    state.domain()?;
    let types = state.types();
    let Some(pair) = &mut state.pair else {
        return Err(args.error_here("there is no pair style yet").help("put a pair_style line before"));
    };
    pair.set_types(types);
    let first = type_range(args, types, &state.labels.atom)?;
    let second = type_range(args, types, &state.labels.atom)?;
    let params = if pair.sharing != Sharing::Plain && args.accept("none") {
        None
    } else {
        let part = if pair.sharing == Sharing::Plain { 0 } else { part(pair, args)? };
        Some((part, pair.parts[part].style.parse(args)?))
    };
    args.finish()?;
    let mut set = 0;
    for i in first {
        for j in second.clone().filter(|&j| j >= i) {
            pair.give(i, j, params.as_ref().map(|(part, params)| (*part, params)));
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

/// Takes the name of one of a hybrid's styles, with a number behind it where the name occurs more than once.
fn part(pair: &Pair, args: &mut Args<'_>) -> Result<usize> {
    let word: &Word = args.word("one of the hybrid's styles")?;
    let names = || pair.parts.iter().map(|part| part.style.name());
    let places: Vec<usize> =
        names().enumerate().filter(|(_, name)| *name == word.text).map(|(k, _)| k).collect();
    match places[..] {
        [] => Err(args.unknown(word, "style of the hybrid", names())),
        [place] => Ok(place),
        _ => {
            let numbers: Vec<String> = (1..=places.len()).map(|n| n.to_string()).collect();
            let table: Vec<_> = numbers.iter().map(String::as_str).zip(places).collect();
            args.one_of("number of the style among those of its name", &table)
        }
    }
}

/// `pair_modify shift yes|no`, `mix geometric|arithmetic|sixthpower`, `tail yes|no`; `table N`, `table/disp N`,
/// `tabinner R`, `tabinner/disp R`, which are for tables of long-range forces, have no effect. In hybrid styles for
/// all of them, or after `pair STYLE [N]` for one.
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
    let parts = if pair.sharing != Sharing::Plain && args.accept("pair") {
        let part = part(pair, args)?;
        part..part + 1
    } else {
        0..pair.parts.len()
    };
    while let Some(word) = args.peek() {
        let parts = &mut pair.parts[parts.clone()];
        let keywords = [
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
        if word.text == "special" {
            return Err(args.unsupported(word, "keyword"));
        }
        match args.one_of("keyword", &keywords)? {
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
            4 => _ = args.positive("the inner cutoff")?,
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
