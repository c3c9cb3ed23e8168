//! The pair style of a script with the coefficients that it has been given, and how those of all pairs of types follow.

use super::many_body::{Loaded, Types};
use super::pair_params::PairParams;
use super::resolve::{Filled, Resolved, ResolvedPart};
use super::scaled::Factor;
use super::style::{Mix, Params, Shared, Style};
use crate::base::error::{Error, Result};
use crate::model::atoms::type_range;
use crate::model::labels::Labels;
use crate::model::units;
use crate::potentials::lepton::Variable;
use crate::script::{Args, Word};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How the styles of a script share the pairs of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlap {
    /// There is one.
    Plain,
    /// Each pair of types has one of them.
    Hybrid,
    /// A pair of types may have several, whose energies and forces are summed.
    Overlay,
    /// The same, and each style is scaled by a factor.
    Scaled,
}

/// A style, its parameters so far and `pair_modify`.
pub struct Part {
    /// The style.
    pub style: Box<dyn Style>,
    /// Per pair of types (i - 1) * types + j - 1 with i <= j, as given by the script.
    pub(super) given: Vec<Shared>,
    pub(crate) mix: Mix,
    pub(crate) shift: bool,
    pub(crate) tail: bool,
    /// How many times it counts, in `hybrid/scaled`.
    pub(super) factor: Option<Factor>,
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
    /// What [`Pair::resolve`] has found, until something is given anew.
    pub(super) filled: Mutex<Option<Arc<Filled>>>,
}

fn depends_on_more(what: &str, style: &str) -> Error {
    let message =
        format!("{what} is for forces between two atoms; those of pair_style {style} depend on more");
    Error::new(message).help("leave it out, or take another pair style")
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
                for ([i, j], params) in &loaded.pairs {
                    self.give(*i, *j, Some((part, &Arc::new(params.clone()))));
                }
                return Ok(loaded);
            }
            let style = &self.parts[part].style;
            let like = first.clone().any(|i| second.contains(&i));
            let params = style.parse_formula(args, variable)?;
            Some((part, Arc::new(style.in_units(args, params, units::named(units)?, like)?)))
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
            factor: None,
        };
        let parts = styles.into_iter().map(part).collect();
        let none = vec![false; types * types];
        Pair { parts, sharing, words, none, types, no_tails: false, filled: Mutex::default() }
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
        // Pairs that share their parameters go on to do so.
        let mut last: Option<(&Arc<Params>, Arc<Params>)> = None;
        for (params, old) in part.given.iter_mut().zip(&old.given) {
            *params = old.as_ref().map(|old| match &last {
                Some((known, new)) if Arc::ptr_eq(known, old) => new.clone(),
                _ => {
                    let own = &old[..old.len().saturating_sub(global.len())];
                    let new = Arc::new([own, global].concat());
                    last = Some((old, new.clone()));
                    new
                }
            });
        }
        self.forget();
    }

    /// Whether forces of some style depend on more than two atoms, or on more of these than types and charges.
    pub fn is_many_body(&self) -> bool {
        self.many_body().is_some()
    }

    /// The name of a style whose forces do.
    pub fn of_more_bodies(&self) -> Option<&str> {
        self.many_body().map(Style::name)
    }

    /// A style whose forces do.
    fn many_body(&self) -> Option<&dyn Style> {
        let of_more = |style: &&dyn Style| style.many_body().is_some() || !style.reads().is_empty();
        self.parts.iter().map(|part| &*part.style).find(of_more)
    }

    /// As [`Pair::resolve`], for `what` looks at pairs of atoms alone.
    ///
    /// # Errors
    /// As there, and when forces depend on more than types and charges of two atoms.
    pub fn resolve_two_body(&self, what: &str) -> Result<Resolved<'_>> {
        match self.many_body() {
            None => self.resolve(),
            Some(style) => Err(depends_on_more(what, style.name())),
        }
    }

    /// Fails where forces between two atoms are not along the line between them, for `what` takes them for that.
    ///
    /// # Errors
    /// Says which style has such forces.
    pub fn check_central(&self, what: &str) -> Result<()> {
        let is_other = |style: &&dyn Style| style.many_body().is_some_and(|style| !style.is_central());
        match self.parts.iter().map(|part| &*part.style).find(is_other) {
            None => Ok(()),
            Some(style) => Err(depends_on_more(what, style.name())),
        }
    }

    /// The same, where forces may depend on any number of atoms, but not on more than their types and charges.
    ///
    /// # Errors
    /// As there.
    pub fn resolve_by_types(&self, what: &str) -> Result<Resolved<'_>> {
        match self.parts.iter().find(|part| !part.style.reads().is_empty()) {
            None => self.resolve(),
            Some(part) => Err(depends_on_more(what, part.style.name())),
        }
    }

    /// The pairs of `pair_style list`, of all styles that have some.
    pub fn listed(&self) -> super::list::Pairs {
        self.parts.iter().filter_map(|part| part.style.listed()).flatten().copied().collect()
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
            self.forget();
        }
    }

    /// Gives styles that ask for them the radii of types.
    pub fn set_radii(&mut self, radii: &[f64]) {
        if radii.len() != self.types {
            return;
        }
        let types = self.types;
        for part in &mut self.parts {
            for (k, params) in part.given.iter_mut().enumerate() {
                let sum = radii[k / types] + radii[k % types];
                *params = params.take().map(|old| part.style.with_radii(&old, sum).map_or(old, Arc::new));
            }
        }
        self.forget();
    }

    /// Whether some style asks for radii.
    pub fn sized(&self) -> bool {
        self.parts.iter().any(|part| part.style.sized())
    }

    /// What has been resolved is no longer so.
    pub(super) fn forget(&mut self) {
        *self.filled.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Gives the types i <= j (from 1) parameters of one style, or none of any style.
    pub(crate) fn give(&mut self, i: usize, j: usize, params: Option<(usize, &Arc<Params>)>) {
        self.forget();
        let k = (i - 1) * self.types + j - 1;
        self.none[k] = params.is_none();
        for (index, part) in self.parts.iter_mut().enumerate() {
            match params {
                Some((own, params)) if own == index => part.given[k] = Some(params.clone()),
                Some(_) if matches!(self.sharing, Overlap::Overlay | Overlap::Scaled) => {}
                _ => part.given[k] = None,
            }
        }
    }

    /// Whether the script has named the pair of types at a place.
    fn is_given(&self, k: usize) -> bool {
        self.none[k] || self.parts.iter().any(|part| part.given[k].is_some())
    }

    /// Parameters by mixing two types, for one style: where both have one, the same, and this mixes.
    fn mix(&self, i: usize, j: usize) -> Option<(usize, Params)> {
        let [a, b] = [i, j].map(|i| (i - 1) * self.types + i - 1);
        let own = |k: usize| {
            let mut styles = (0..self.parts.len()).filter(|&style| self.parts[style].given[k].is_some());
            styles.next().filter(|_| styles.next().is_none())
        };
        let style = own(a).filter(|_| own(a) == own(b))?;
        let part = &self.parts[style];
        let mixed = part.style.mix(part.mix, part.given[a].as_ref()?, part.given[b].as_ref()?)?;
        Some((style, mixed))
    }

    /// Parameters of all pairs of types, as they were found the last time where nothing has changed since.
    ///
    /// # Errors
    /// Names the first pair that has no coefficients and cannot be mixed.
    fn fill(&self) -> Result<Arc<Filled>> {
        let rules: Vec<Mix> = self.parts.iter().map(|part| part.mix).collect();
        let mut known = self.filled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(filled) = known.as_ref().filter(|filled| filled.rules == rules) {
            return Ok(filled.clone());
        }
        let types = self.types;
        let mut params = vec![PairParams::new(types); self.parts.len()];
        // Sets that the script has given, which pairs share.
        let mut shared: HashMap<(usize, *const Params), u32> = HashMap::new();
        let mut last = None;
        let mut mixed = 0;
        for i in 1..=types {
            for j in i..=types {
                let (at, turned) = ((i - 1) * types + j - 1, (j - 1) * types + i - 1);
                let by_rule = if self.is_given(at) {
                    None
                } else {
                    mixed += 1;
                    let found = if i == j { None } else { self.mix(i, j) };
                    Some(found.ok_or_else(|| {
                        Error::new(format!("pair_coeff: no coefficients for the types {i} {j}"))
                            .help(format!("add a line like: pair_coeff {i} {j} ..."))
                    })?)
                };
                for (style, (all, part)) in params.iter_mut().zip(&self.parts).enumerate() {
                    let (set, found) = match (&by_rule, &part.given[at]) {
                        (None, Some(given)) => {
                            let key = (style, Arc::as_ptr(given));
                            let set = match last {
                                Some((known, set)) if known == key => set,
                                _ => *shared.entry(key).or_insert_with(|| all.add(given)),
                            };
                            last = Some((key, set));
                            (set, &given[..])
                        }
                        (Some((own, params)), _) if *own == style => {
                            if all.sets() == types {
                                // More will follow.
                                all.reserve(types * types / 2, params.len());
                            }
                            (all.add(params), &params[..])
                        }
                        _ => continue,
                    };
                    all.give(at, set);
                    if let (Some(potential), true) = (part.style.many_body(), i != j) {
                        let set = all.add(&potential.turned(found));
                        all.give(turned, set);
                    }
                }
            }
        }
        for (all, part) in params.iter_mut().zip(&self.parts) {
            if part.style.many_body().is_none() {
                all.mirror(types);
            }
        }
        let params = params.into_iter().map(Arc::new).collect();
        let filled = Arc::new(Filled::new(rules, params, mixed));
        *known = Some(filled.clone());
        Ok(filled)
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
        let (types, filled) = (self.types, self.fill()?);
        let parts = self.parts.iter().zip(&filled.params);
        let parts: Vec<_> =
            parts.map(|(part, params)| part.resolve(params.clone(), !self.no_tails)).collect();
        let rows = *filled.sample_rows.get_or_init(|| parts.iter().map(ResolvedPart::rows).sum());
        if rows > MOST_ROWS {
            return Err(Error::new(format!("pair_coeff: the tables have {rows} bins together"))
                .help(format!("at most {MOST_ROWS}: take fewer points per table")));
        }
        let (mixed, rule) = ((filled.mixed, types * (types - 1) / 2), self.parts[0].mix.name());
        Ok(Resolved { types, mixed, rule, parts, filled, virials_by_atom: false })
    }
}

impl Part {
    fn resolve(&self, params: Arc<PairParams>, tails: bool) -> ResolvedPart<'_> {
        let factor = self.factor.as_ref().map(Factor::value);
        ResolvedPart { style: &*self.style, shifted: self.shift, params, tail: self.tail && tails, factor }
    }
}
