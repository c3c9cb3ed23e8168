//! `bond_style hybrid STYLE ... STYLE ...`: one of several styles per bond type, each at most once.
//!
//! `bond_coeff TYPE STYLE numbers`, or `bond_coeff TYPE none` for bonds without a force. LAMMPS manual, bond_style hybrid.

use super::{Params, Pull, Style, read_style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::potentials::lepton::{Variable, Written};
use crate::script::Args;

/// Its first parameter is the place of the style of a type, -1 for none; those of this style follow.
struct Hybrid {
    parts: Vec<&'static dyn Style>,
    snippet: File,
}

/// Takes the styles. What a script's styles are stays to the end of the program: there are few.
pub(super) fn read(args: &mut Args<'_>) -> Result<&'static dyn Style> {
    let mut parts: Vec<&'static dyn Style> = Vec::new();
    while parts.is_empty() || !args.is_empty() {
        let word = args.peek();
        let part = read_style(args)?;
        match word {
            Some(word) if parts.iter().any(|other| other.name() == part.name()) => {
                return Err(args.error(word, format_args!("bond style {} is there twice", part.name())));
            }
            _ => parts.push(part),
        }
    }
    let names: Vec<&str> = parts.iter().map(|part| part.name()).collect();
    let texts: Vec<&str> = parts.iter().map(|part| part.snippet().1).collect();
    let (name, text) = (format!("bond styles {}", names.join(", ")), text(&texts));
    let snippet = (&*Box::leak(name.into_boxed_str()), &*Box::leak(text.into_boxed_str()));
    Ok(Box::leak(Box::new(Hybrid { parts, snippet })))
}

/// The functions of the styles by their texts, and `bond_eval`, which calls that of the type.
fn text(parts: &[&str]) -> String {
    let functions = parts
        .iter()
        .enumerate()
        .map(|(k, text)| format!("#define bond_eval bond_eval_{k}\n{text}\n#undef bond_eval\n"));
    let calls = (0..parts.len())
        .map(|k| format!("    if (c[0] == {k}) return bond_eval_{k}(rsq, c + 1, energy, state);\n"));
    format!(
        "{}static inline real bond_eval(const real rsq, __global const real *c, real *energy, int *state) {{\n{}    \
         *state = BOND_WHOLE;\n    *energy = 0;\n    return 0;\n}}\n",
        functions.collect::<String>(),
        calls.collect::<String>()
    )
}

impl Hybrid {
    /// The style of a type with its own parameters.
    fn part(&self, params: &Params) -> Option<(&'static dyn Style, Params)> {
        let (place, own) = params.split_first()?;
        (*place >= 0.0).then(|| (self.parts[*place as usize], own.to_vec()))
    }
}

impl Style for Hybrid {
    fn name(&self) -> &'static str {
        "hybrid"
    }

    fn words(&self) -> String {
        let words: Vec<String> = self.parts.iter().map(|part| part.words()).collect();
        format!("hybrid {}", words.join(" "))
    }

    fn parts(&self) -> &[&'static dyn Style] {
        &self.parts
    }

    fn coefficient_words(&self, params: &Params) -> Option<String> {
        match self.part(params) {
            Some((part, own)) => Some(format!("{} {}", part.name(), part.coefficient_words(&own)?)),
            None => Some("none".to_owned()),
        }
    }

    fn snippet(&self) -> File {
        self.snippet
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        self.parse_formula(args, &|_| Ok(f64::NAN))
    }

    fn parse_formula(&self, args: &mut Args<'_>, variable: Variable<'_>) -> Result<Params> {
        let names: Vec<(&str, usize)> = self.parts.iter().map(|part| part.name()).zip(0..).collect();
        if args.accept("none") {
            return Ok(vec![-1.0]);
        }
        let place = args.one_of("style of the hybrid", &names)?;
        let mut params = vec![place as f64];
        params.extend(self.parts[place].parse_formula(args, variable)?);
        Ok(params)
    }

    fn parameters(&self) -> &'static [&'static str] {
        &[]
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> Pull {
        let none = Pull { force: 0.0, energy: 0.0, long: false, broken: false };
        self.part(params).map_or(none, |(part, own)| part.evaluate(&own, rsq))
    }

    fn coefficients(&self, params: &Params) -> Vec<f64> {
        let own = self.part(params).map_or(Vec::new(), |(part, own)| part.coefficients(&own));
        std::iter::once(params[0]).chain(own).collect()
    }

    fn written(&self, params: &[Option<&Params>]) -> Option<Written> {
        let own = |params: &Option<&Params>| {
            let (place, own) = params.as_ref()?.split_first()?;
            (*place >= 0.0).then(|| (*place as usize, own.to_vec()))
        };
        let own: Vec<Option<(usize, Params)>> = params.iter().map(own).collect();
        let of_part = |k: usize| {
            let of_part = own.iter().map(|own| own.as_ref().filter(|(place, _)| *place == k));
            self.parts[k].written(&of_part.map(|own| own.map(|(_, params)| params)).collect::<Vec<_>>())
        };
        let written: Vec<Option<Written>> = (0..self.parts.len()).map(of_part).collect();
        if written.iter().all(Option::is_none) {
            return None;
        }
        let texts = self.parts.iter().zip(&written);
        let texts: Vec<&str> = texts
            .map(|(part, written)| written.as_ref().map_or(part.snippet().1, |written| &written.text))
            .collect();
        let row = |(kind, own): (usize, &Option<(usize, Params)>)| {
            let Some((place, params)) = own else { return vec![-1.0] };
            let row = match &written[*place] {
                Some(written) => written.rows[kind].clone(),
                None => self.parts[*place].coefficients(params),
            };
            std::iter::once(*place as f64).chain(row).collect()
        };
        Some(Written { text: text(&texts), rows: own.iter().enumerate().map(row).collect() })
    }

    fn longest(&self, params: &Params) -> f64 {
        self.part(params).map_or(0.0, |(part, own)| part.longest(&own))
    }

    /// Of the first that has something to say.
    fn broken(&self) -> &'static str {
        self.parts.iter().map(|part| part.broken()).find(|why| !why.is_empty()).unwrap_or("")
    }
}
