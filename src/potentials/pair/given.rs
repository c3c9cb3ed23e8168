//! The pair style of a script with the coefficients that it has been given, and how those of all pairs of types follow.

use super::many_body::{Loaded, Types};
use super::resolve::{Resolved, ResolvedPart};
use super::style::{Mix, Params, Style};
use crate::base::error::{Error, Result};
use crate::model::atoms::type_range;
use crate::model::labels::Labels;
use crate::model::units;
use crate::potentials::lepton::Variable;
use crate::script::{Args, Word};

/// How the styles of a script share the pairs of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlap {
    /// There is one.
    Plain,
    /// Each pair of types has one of them.
    Hybrid,
    /// A pair of types may have several, whose energies and forces are summed.
    Overlay,
}

/// A style, its parameters so far and `pair_modify`.
pub struct Part {
    /// The style.
    pub style: Box<dyn Style>,
    /// Per pair of types (i - 1) * types + j - 1 with i <= j, as given by the script.
    pub(super) given: Vec<Option<Params>>,
    pub(crate) mix: Mix,
    pub(crate) shift: bool,
    pub(crate) tail: bool,
}

/// The styles of a script: one, or those of a hybrid.
pub struct Pair {
    pub(crate) parts: Vec<Part>,
    pub(crate) sharing: Overlap,
    /// The words of `pair_style`.
    pub(super) words: String,
    /// Pairs of types that `pair_coeff I J none` leaves without a style.
    pub(super) none: Vec<bool>,
    pub(super) types: usize,
    /// Whether no tail counts, as the last `pair_modify tail` was `no`, be it for one style alone: as in LAMMPS.
    pub(crate) no_tails: bool,
}

/// Rows of samples that a float can count.
const MOST_ROWS: usize = 1 << 24;

impl Pair {
    /// Takes `I J numbers` for pairs of `types` atom types, I and J being types, ranges like `*`, `2*` or `1*3`, or labels;
    /// of hybrid styles `I J STYLE [N] numbers`, N counting the styles of one name, or `I J none`. Formulas may have variables.
    ///
    /// # Errors
    /// At an argument that does not fit.
    pub fn set_coefficients(
        &mut self,
        args: &mut Args<'_>,
        types: usize,
        labels: &Labels,
        units: &str,
        variable: Variable<'_>,
    ) -> Result<Loaded> {
        self.set_types(types);
        let mut first = type_range(args, types, labels)?;
        let mut second = type_range(args, types, labels)?;
        // Two types may come in either order; of ranges the pairs I <= J are meant, as in LAMMPS.
        if first.start() == first.end() && second.start() == second.end() && first.start() > second.start() {
            std::mem::swap(&mut first, &mut second);
        }
        let params = if self.sharing != Overlap::Plain && args.accept("none") {
            None
        } else {
            let part = if self.sharing == Overlap::Plain { 0 } else { self.part(args)? };
            if let Some(potential) = self.parts[part].style.many_body_mut() {
                let loaded = potential.read(args, &Types { ranges: [first, second], count: types, units })?;
                loaded.pairs.iter().for_each(|([i, j], params)| self.give(*i, *j, Some((part, params))));
                return Ok(loaded);
            }
            let style = &self.parts[part].style;
            let like = first.clone().any(|i| second.contains(&i));
            let params = style.parse_formula(args, variable)?;
            Some((part, style.in_units(args, params, units::named(units)?, like)?))
        };
        args.finish()?;
        let mut set = 0;
        for i in first {
            for j in second.clone().filter(|&j| j >= i) {
                self.give(i, j, params.as_ref().map(|(part, params)| (*part, params)));
                set += 1;
            }
        }
        if set == 0 {
            return Err(args
                .error_here("no pair of types I <= J lies in these ranges")
                .help("give the range of smaller types first"));
        }
        Ok(Loaded::default())
    }

    /// Takes the name of one of a hybrid's styles, with a number behind it where the name occurs more than once; returns its place.
    ///
    /// # Errors
    /// At a name or a number that is none of them.
    pub fn part(&self, args: &mut Args<'_>) -> Result<usize> {
        let word: &Word = args.word("one of the hybrid's styles")?;
        let names = || self.parts.iter().map(|part| part.style.name());
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

    /// Without coefficients.
    pub(crate) fn new(styles: Vec<Box<dyn Style>>, sharing: Overlap, words: String, types: usize) -> Self {
        let part = |style| Part {
            style,
            given: vec![None; types * types],
            mix: Mix::Geometric,
            shift: false,
            tail: false,
        };
        let parts = styles.into_iter().map(part).collect();
        Pair { parts, sharing, words, none: vec![false; types * types], types, no_tails: false }
    }

    /// Takes over from a style of the same name what `pair_modify` has set and, but for their last ones, which
    /// `pair_style` gives anew for all pairs, the coefficients. Hybrid styles and tables start without.
    pub(crate) fn continue_from(&mut self, before: &Pair) {
        let plain = self.sharing == Overlap::Plain && self.name() == before.name();
        let ([part], [old], true) = (&mut self.parts[..], &before.parts[..], plain) else { return };
        (part.mix, part.shift, part.tail) = (old.mix, old.shift, old.tail);
        self.no_tails = before.no_tails;
        let global = part.style.global();
        if global.is_empty() || self.types != before.types {
            return;
        }
        part.given.clone_from(&old.given);
        for params in part.given.iter_mut().flatten() {
            params.truncate(params.len().saturating_sub(global.len()));
            params.extend(global);
        }
    }

    /// Whether forces of some style depend on more than two atoms.
    pub fn is_many_body(&self) -> bool {
        self.parts.iter().any(|part| part.style.many_body().is_some())
    }

    /// As [`Pair::resolve`], for `what` looks at pairs of atoms alone.
    ///
    /// # Errors
    /// As there, and when forces depend on more than two atoms.
    pub fn resolve_two_body(&self, what: &str) -> Result<Resolved<'_>> {
        match self.parts.iter().find(|part| part.style.many_body().is_some()) {
            None => self.resolve(),
            Some(part) => {
                let name = part.style.name();
                let message = format!(
                    "{what} is for forces between two atoms; those of pair_style {name} depend on more"
                );
                Err(Error::new(message).help("leave it out, or take another pair style"))
            }
        }
    }

    /// Whether some style sees charges.
    pub fn charged(&self) -> bool {
        self.parts.iter().any(|part| part.style.charged())
    }

    /// Checks what `pair_modify` says as a whole.
    ///
    /// # Errors
    /// When tails are to be corrected in 2d, or of a style whose energy is shifted.
    pub(crate) fn check_tails(&self, dimension: u32) -> Result<()> {
        let tails = || self.parts.iter().filter(|part| part.tail && !self.no_tails);
        if dimension == 2 && tails().next().is_some() {
            let error = Error::new("corrections of tails (pair_modify tail yes) are those of 3d systems");
            return Err(error.help("leave `tail yes` out, or write `pair_modify tail no`"));
        }
        if tails().any(|part| part.shift) {
            let error =
                Error::new("energies are shifted to 0 at the cutoff, and corrected for a tail behind it");
            return Err(error.help("write `pair_modify shift no` or `pair_modify tail no`"));
        }
        Ok(())
    }

    /// Whether some style has friction and noise.
    pub fn has_friction(&self) -> bool {
        self.parts.iter().any(|part| part.style.seed().is_some())
    }

    /// Whether some style is [`Style::damped`].
    pub fn damped(&self) -> bool {
        self.parts.iter().any(|part| part.style.damped())
    }

    /// Forgets all coefficients when the number of types has changed.
    pub(crate) fn set_types(&mut self, types: usize) {
        if self.types != types {
            self.types = types;
            self.none = vec![false; types * types];
            self.parts.iter_mut().for_each(|part| part.given = vec![None; types * types]);
        }
    }

    /// Gives the types i <= j (from 1) parameters of one style, or none of any style.
    pub(crate) fn give(&mut self, i: usize, j: usize, params: Option<(usize, &Params)>) {
        let k = (i - 1) * self.types + j - 1;
        self.none[k] = params.is_none();
        for (index, part) in self.parts.iter_mut().enumerate() {
            match params {
                Some((own, params)) if own == index => part.given[k] = Some(params.clone()),
                Some(_) if self.sharing == Overlap::Overlay => {}
                _ => part.given[k] = None,
            }
        }
    }

    /// Parameters per style of the types i <= j; nothing where the script has not named the pair.
    fn given(&self, i: usize, j: usize) -> Option<Vec<Option<Params>>> {
        let k = (i - 1) * self.types + j - 1;
        let given: Vec<_> = self.parts.iter().map(|part| part.given[k].clone()).collect();
        (self.none[k] || given.iter().any(Option::is_some)).then_some(given)
    }

    /// Parameters per style by mixing: where both types have one style, the same, and this mixes.
    fn mix(&self, i: usize, j: usize) -> Option<Vec<Option<Params>>> {
        let (a, b) = (self.given(i, i)?, self.given(j, j)?);
        let own = |given: &[Option<Params>]| {
            let mut styles = given.iter().enumerate().filter(|(_, params)| params.is_some()).map(|(k, _)| k);
            styles.next().filter(|_| styles.next().is_none())
        };
        let k = own(&a).filter(|_| own(&a) == own(&b))?;
        let part = &self.parts[k];
        let mut mixed = vec![None; self.parts.len()];
        mixed[k] = Some(part.style.mix(part.mix, a[k].as_ref()?, b[k].as_ref()?)?);
        Some(mixed)
    }

    /// Fills in the missing pairs by mixing.
    ///
    /// # Errors
    /// Names the first pair that has no coefficients and cannot be mixed; also when tables are too large, or styles with
    /// noise change their temperatures each in its own way.
    pub fn resolve(&self) -> Result<Resolved<'_>> {
        let mut heats = self.parts.iter().filter(|p| p.style.seed().is_some()).map(|p| p.style.heat());
        if let Some(first) = heats.next()
            && heats.any(|heat| heat != first)
        {
            let message =
                "pair styles with noise do not go together when their temperatures change differently";
            return Err(Error::new(message).help("let all of them rise by the same factor, or none"));
        }
        let types = self.types;
        let mut params = vec![vec![None; types * types]; self.parts.len()];
        let mut mixed = 0;
        for i in 1..=types {
            for j in i..=types {
                let given = self.given(i, j);
                mixed += usize::from(given.is_none());
                let found =
                    given.or_else(|| if i == j { None } else { self.mix(i, j) }).ok_or_else(|| {
                        Error::new(format!("pair_coeff: no coefficients for the types {i} {j}"))
                            .help(format!("add a line like: pair_coeff {i} {j} ..."))
                    })?;
                for ((all, found), part) in params.iter_mut().zip(found).zip(&self.parts) {
                    let turned = |params: &Params| match part.style.many_body() {
                        Some(potential) => potential.turned(params),
                        None => params.clone(),
                    };
                    all[(j - 1) * types + i - 1] = found.as_ref().map(turned);
                    all[(i - 1) * types + j - 1] = found;
                }
            }
        }
        let parts = self.parts.iter().zip(params);
        let parts: Vec<_> = parts.map(|(part, params)| part.resolve(params, !self.no_tails)).collect();
        let rows: usize = parts.iter().map(ResolvedPart::rows).sum();
        if rows > MOST_ROWS {
            return Err(Error::new(format!("pair_coeff: the tables have {rows} bins together"))
                .help(format!("at most {MOST_ROWS}: take fewer points per table")));
        }
        let (mixed, rule) = ((mixed, types * (types - 1) / 2), self.parts[0].mix.name());
        Ok(Resolved { types, mixed, rule, parts, virials_by_atom: false })
    }
}

impl Part {
    fn resolve(&self, params: Vec<Option<Params>>, tails: bool) -> ResolvedPart<'_> {
        let style = &*self.style;
        let shift = |params: &Option<Params>| match params {
            // Without a pair within the cutoff there is nothing to shift.
            Some(params) if self.shift && style.reach(params) > 0.0 => style.shift(params),
            _ => 0.0,
        };
        ResolvedPart { style, shift: params.iter().map(shift).collect(), params, tail: self.tail && tails }
    }
}
