//! What `fix adapt` changes: a parameter of a pair style or of the bond style, or the charges of a group.

use crate::base::error::{Error, Result};
use crate::model::atoms::{Atoms, ById, type_range, type_range_of};
use crate::potentials::bond::BondStyle;
use crate::potentials::pair::{Pair, Slot};
use crate::script::{Args, Word};
use crate::session::Session;
use std::ops::RangeInclusive;

/// What can follow a variable.
pub(super) enum Target {
    Pair {
        style: String,
        parameter: String,
        types: [RangeInclusive<usize>; 2],
    },
    Bond {
        style: &'static str,
        parameter: &'static str,
        types: RangeInclusive<usize>,
    },
    /// Of the atoms of a group, as a mask.
    Charge {
        group: u32,
    },
}

/// Which number of a target: two atom types, a bond type and 0, or an atom ID and 0.
pub(super) type Key = [usize; 2];

/// The parts of the state that have them.
pub(super) struct Places<'a> {
    pub(super) pair: Option<&'a mut Pair>,
    pub(super) bonded: Option<&'a mut BondStyle>,
    pub(super) atoms: &'a mut Atoms,
}

impl Target {
    /// Takes what follows `pair`: a style, a parameter and two atom types.
    pub(super) fn pair(session: &Session, keyword: &Word, args: &mut Args<'_>) -> Result<Self> {
        let Some(pair) = &session.force_field.pair else {
            let error = args.error(keyword, "there is no pair style yet");
            return Err(error.help("put pair_style and pair_coeff lines before"));
        };
        let style = args.word("the pair style")?;
        let parts = pair.places(&style.text);
        let Some(part) = parts.first() else {
            return Err(args.unknown(style, "pair style of this script", pair.styles()));
        };
        let parameter = args.word("a parameter of the pair style")?;
        if pair.slot(&style.text, &parameter.text).is_none() {
            let names = pair.parameters(*part);
            if names.clone().next().is_none() {
                return Err(args.error(style, format_args!("no parameter of {} can change", style.text)));
            }
            return Err(args.unknown(parameter, &format!("parameter of {}", style.text), names));
        }
        let types = |args: &mut Args<'_>| type_range(args, session.types(), &session.system.labels.atom);
        let [mut first, mut second] = [types(args)?, types(args)?];
        if first.start() == first.end() && second.start() == second.end() && first.start() > second.start() {
            (first, second) = (second, first);
        }
        let (style, parameter) = (style.text.clone(), parameter.text.clone());
        Ok(Target::Pair { style, parameter, types: [first, second] })
    }

    /// Takes what follows `bond`: the style, a parameter and a bond type.
    pub(super) fn bond(session: &Session, keyword: &Word, args: &mut Args<'_>) -> Result<Self> {
        let Some(bonded) = &session.force_field.bonded else {
            let error = args.error(keyword, "there is no bond style yet");
            return Err(error.help("put bond_style and bond_coeff lines before"));
        };
        let (name, names) = (bonded.style.name(), bonded.style.parameters());
        let style = args.word("the bond style")?;
        if style.text != name {
            return Err(args.unknown(style, "bond style of this script", [name].into_iter()));
        }
        let parameter = args.word("a parameter of the bond style")?;
        let Some(parameter) = names.iter().find(|known| **known == parameter.text) else {
            return Err(args.unknown(parameter, &format!("parameter of {name}"), names.iter().copied()));
        };
        let types =
            type_range_of("bond", args, session.system.topology.bond_types, &session.system.labels.bond)?;
        Ok(Target::Bond { style: name, parameter, types })
    }

    /// Takes what follows `atom`: what of the atoms of the group.
    pub(super) fn atom(session: &Session, group: u32, args: &mut Args<'_>) -> Result<Self> {
        let word = args.word("charge")?;
        match &*word.text {
            "charge" if session.has_charges() => Ok(Target::Charge { group }),
            "charge" => Err(args
                .error(
                    word,
                    format_args!("atoms of style {} have no charges", session.system.atom_style.name),
                )
                .help("write `atom_style charge` or `full` before the box is made")),
            "diameter" | "diameter/disc" => Err(args
                .unsupported(word, "property that fix adapt changes")
                .help("atoms are points here: they have no diameter")),
            _ => Err(args.unknown(word, "property that fix adapt changes", ["charge"].into_iter())),
        }
    }

    /// What changes, in words.
    pub(super) fn describe(&self) -> String {
        match self {
            Target::Pair { style, parameter, .. } => format!("{parameter} of {style}"),
            Target::Bond { style, parameter, .. } => format!("{parameter} of {style}"),
            Target::Charge { .. } => "the charge of an atom".into(),
        }
    }

    fn slot(&self, pair: &Pair) -> Result<Option<Slot>> {
        let Target::Pair { style, parameter, .. } = self else { return Ok(None) };
        pair.slot(style, parameter).map(Some).ok_or_else(|| self.gone("pair"))
    }

    fn gone(&self, kind: &str) -> Error {
        Error::new(format!("the {kind} style has no {} any more", self.describe()))
            .help(format!("`unfix` it before another {kind}_style"))
    }

    /// The place of the number among those of `bond_coeff`.
    fn number(&self, bonded: &BondStyle) -> Result<usize> {
        let Target::Bond { style, parameter, .. } = self else { return Ok(0) };
        let names = bonded.style.parameters().iter();
        let number = names.enumerate().find(|(_, name)| *name == parameter).map(|(number, _)| number);
        number.filter(|_| bonded.style.name() == *style).ok_or_else(|| self.gone("bond"))
    }

    /// All its numbers as they are.
    ///
    /// # Errors
    /// When the style is another one now, or there are none.
    pub(super) fn values(&self, session: &Session) -> Result<Vec<(Key, f64)>> {
        let (known, help): (Vec<_>, _) = match self {
            Target::Pair { types: [first, second], .. } => {
                let pair = session.force_field.pair.as_ref().ok_or_else(|| self.gone("pair"))?;
                let slot = self.slot(pair)?;
                let pairs = first.clone().flat_map(|i| second.clone().map(move |j| [i, j]));
                let value = |types: Key| Some((types, pair.value(slot?, types)?));
                (
                    pairs.filter(|[i, j]| i <= j).filter_map(value).collect(),
                    "mixed coefficients follow those they are mixed from; give those of I <= J by pair_coeff",
                )
            }
            Target::Bond { types, .. } => {
                let bonded = session.force_field.bonded.as_ref().ok_or_else(|| self.gone("bond"))?;
                let number = self.number(bonded)?;
                let value = |kind: usize| Some(([kind, 0], bonded.value(kind, number)?));
                (types.clone().filter_map(value).collect(), "give them by bond_coeff")
            }
            Target::Charge { group } if session.system.groups.is_dynamic(*group) => {
                let message = format!("group {} is dynamic", session.system.groups.name(*group));
                return Err(Error::new(message).help("charges follow variables in groups that are not"));
            }
            Target::Charge { group } => return Ok(charges(*group, &session.system.host_atoms).collect()),
        };
        if known.is_empty() {
            let command = if matches!(self, Target::Bond { .. }) { "bond_coeff" } else { "pair_coeff" };
            let message = format!("{command} gives no {} for these types", self.describe());
            return Err(Error::new(message).help(help));
        }
        Ok(known)
    }

    /// Takes note of atoms that have come.
    pub(super) fn atoms_added(&self, originals: &mut Vec<(Key, f64)>, new: &Atoms) {
        if let Target::Charge { group } = self {
            // They may have IDs of atoms that are gone.
            originals.retain(|([tag, _], _)| !new.tag.contains(&(*tag as u32)));
            originals.extend(charges(*group, new));
        }
    }

    /// Takes note of IDs that were given anew.
    pub(super) fn renumber(&self, originals: &mut Vec<(Key, f64)>, ids: &[(u32, u32)]) {
        if let Target::Charge { .. } = self {
            let ids: ById<u32> = ids.iter().copied().collect();
            let new = |([tag, _], charge): (Key, f64)| Some(([*ids.get(tag as u32)? as usize, 0], charge));
            *originals = std::mem::take(originals).into_iter().filter_map(new).collect();
        }
    }

    /// Gives its numbers, as they were, other values.
    ///
    /// # Errors
    /// When the style is another one now.
    pub(super) fn set(
        &self,
        places: &mut Places<'_>,
        originals: &[(Key, f64)],
        value: impl Fn(f64) -> f64,
    ) -> Result<()> {
        match self {
            Target::Pair { .. } => {
                let pair = places.pair.as_mut().ok_or_else(|| self.gone("pair"))?;
                if let Some(slot) = self.slot(pair)? {
                    originals.iter().for_each(|(types, original)| pair.set(slot, *types, value(*original)));
                }
            }
            Target::Bond { .. } => {
                let bonded = places.bonded.as_mut().ok_or_else(|| self.gone("bond"))?;
                let number = self.number(bonded)?;
                originals
                    .iter()
                    .for_each(|([kind, _], original)| bonded.set(*kind, number, value(*original)));
            }
            Target::Charge { .. } => {
                let mut sorted: Vec<(usize, f64)> =
                    originals.iter().map(|([tag, _], original)| (*tag, *original)).collect();
                sorted.sort_unstable_by_key(|(tag, _)| *tag);
                let Atoms { tag, charge, .. } = &mut *places.atoms;
                for (tag, charge) in tag.iter().zip(charge) {
                    if let Ok(place) = sorted.binary_search_by_key(&(*tag as usize), |(tag, _)| *tag) {
                        *charge = value(sorted[place].1);
                    }
                }
            }
        }
        Ok(())
    }
}

/// The charges of the atoms of a group.
fn charges(group: u32, Atoms { tag, mask, charge, .. }: &Atoms) -> impl Iterator<Item = (Key, f64)> + '_ {
    let members = tag.iter().zip(mask).zip(charge).filter(move |((_, mask), _)| **mask & group != 0);
    members.map(|((tag, _), charge)| ([*tag as usize, 0], *charge))
}
