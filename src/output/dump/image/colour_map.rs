//! `dump_modify amap LO HI STYLE DELTA N ENTRIES...`: the colours of values. LAMMPS manual, `dump image`.
//!
//! STYLE is two letters: `c`, `d` or `s` for entries between which colours change evenly, entries of a range each, and entries for bins of
//! width DELTA in turn; `a` or `f` for values as they are or as parts of the range from LO to HI.

use super::colours::{Colour, Palette, named};
use crate::base::error::Result;
use crate::script::{Args, Word};

/// A number, or what stands for the least or the largest.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bound {
    Min,
    Max,
    At(f64),
}

impl Bound {
    fn take(args: &mut Args<'_>, what: &str) -> Result<Self> {
        match () {
            () if args.accept("min") => Ok(Bound::Min),
            () if args.accept("max") => Ok(Bound::Max),
            () => Ok(Bound::At(args.f64(what)?)),
        }
    }

    fn value(self, [lo, hi]: [f64; 2]) -> f64 {
        match self {
            Bound::Min => lo,
            Bound::Max => hi,
            Bound::At(value) => value,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Entries {
    /// Values, which rise, and their colours.
    Continuous(Vec<(Bound, Colour)>),
    /// Ranges and their colours.
    Discrete(Vec<([Bound; 2], Colour)>),
    /// A width, and the colours of the bins.
    Sequential(f64, Vec<Colour>),
}

/// What colour a value has.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ColourMap {
    range: [Bound; 2],
    fraction: bool,
    entries: Entries,
}

impl Default for ColourMap {
    /// From the least value, blue, to the largest, red.
    fn default() -> Self {
        let colour = |name| named(name).unwrap_or([1.0; 3]);
        ColourMap {
            range: [Bound::Min, Bound::Max],
            fraction: true,
            entries: Entries::Continuous(vec![(Bound::Min, colour("blue")), (Bound::Max, colour("red"))]),
        }
    }
}

impl ColourMap {
    /// Takes the words behind `amap`.
    pub(super) fn read(args: &mut Args<'_>, palette: &Palette) -> Result<Self> {
        let low = args.peek();
        let range = [
            Bound::take(args, "the least value of the colours, or min")?,
            Bound::take(args, "their largest value, or max")?,
        ];
        let empty = match range {
            [Bound::At(lo), Bound::At(hi)] => lo >= hi,
            [lo, hi] => lo == hi || lo == Bound::Max || hi == Bound::Min,
        };
        if let Some(word) = low.filter(|_| empty) {
            return Err(args.error(word, "the least value of the colours must be below the largest"));
        }
        let style = args.word("the style of the map: ca, cf, da, df, sa or sf")?;
        let unknown = |args: &Args<'_>, word: &Word| {
            args.unknown(word, "style of colours", "ca cf da df sa sf".split(' '))
        };
        let fraction = match style.text.get(1..) {
            Some("a") => false,
            Some("f") => true,
            _ => return Err(unknown(args, style)),
        };
        let width = args.f64("the width of bins")?;
        let count = args.count("the number of entries", 1)? as usize;
        let entries = match &style.text[..1] {
            "c" => {
                let place = args.peek();
                let entries = (0..count)
                    .map(|_| Ok((Bound::take(args, "a value, min or max")?, palette.take(args)?)))
                    .collect::<Result<Vec<_>>>()?;
                let rising = entries[1..].windows(2).all(|pair| match (pair[0].0, pair[1].0) {
                    (Bound::At(a), Bound::At(b)) => a <= b,
                    (_, next) => next == Bound::Max,
                });
                let ends = entries.len() > 1
                    && entries[0].0 == Bound::Min
                    && entries[entries.len() - 1].0 == Bound::Max;
                if let Some(word) = place.filter(|_| !ends || !rising) {
                    return Err(args.error(word, "the values of a continuous map rise from min to max"));
                }
                Entries::Continuous(entries)
            }
            "d" => Entries::Discrete(
                (0..count)
                    .map(|_| {
                        let lo = Bound::take(args, "the least value of a range, or min")?;
                        Ok(([lo, Bound::take(args, "its largest value, or max")?], palette.take(args)?))
                    })
                    .collect::<Result<_>>()?,
            ),
            "s" => {
                if width <= 0.0 {
                    return Err(args.error(style, "the width of the bins must be greater than 0"));
                }
                Entries::Sequential(width, (0..count).map(|_| palette.take(args)).collect::<Result<_>>()?)
            }
            _ => return Err(unknown(args, style)),
        };
        Ok(ColourMap { range, fraction, entries })
    }

    /// The colour of a value among values from the least to the largest; none where no range has it.
    pub(super) fn colour(&self, value: f64, least_and_largest: [f64; 2]) -> Option<Colour> {
        let [lo, hi] = self.range.map(|bound| bound.value(least_and_largest));
        let value = value.max(lo).min(hi);
        let (value, ends) = match (self.fraction, hi > lo) {
            (true, true) => ((value - lo) / (hi - lo), [0.0, 1.0]),
            (true, false) => (0.0, [0.0, 1.0]),
            (false, _) => (value, [lo, hi]),
        };
        match &self.entries {
            Entries::Continuous(entries) => {
                let at = |k: usize| entries[k].0.value(ends);
                let k = (1..entries.len() - 1).find(|&k| value < at(k)).unwrap_or(entries.len() - 1);
                let part = if at(k) > at(k - 1) {
                    ((value - at(k - 1)) / (at(k) - at(k - 1))).clamp(0.0, 1.0)
                } else {
                    0.0
                };
                let (from, to) = (entries[k - 1].1, entries[k].1);
                Some([0, 1, 2].map(|c| from[c] + part * (to[c] - from[c])))
            }
            Entries::Discrete(entries) => {
                let has = |range: &[Bound; 2]| value >= range[0].value(ends) && value <= range[1].value(ends);
                entries.iter().find(|(range, _)| has(range)).map(|(_, colour)| *colour)
            }
            Entries::Sequential(width, colours) => {
                let bin = (value - if self.fraction { 0.0 } else { lo }) / width;
                Some(colours[bin as usize % colours.len()])
            }
        }
    }
}
