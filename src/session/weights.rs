//! The weights of `balance` and `fix balance`. Ranks balance their shares by themselves (`engine/comm`); what counts is that
//! weights are properties of atoms that scripts can look at (`weight store`). Source: LAMMPS manual, `balance`.

use crate::session::fix::context::Stored;

use crate::base::error::{Error, Result};
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::snapshot::Input;
use crate::session::snapshot::view::Snapshot;

/// What follows the keywords `weight`, in their order.
#[derive(Clone, Debug, Default)]
pub struct Weights(Vec<Weight>);

#[derive(Clone, Debug)]
enum Weight {
    /// Factors of the atoms of groups, given by their bits.
    Groups(Vec<(u32, f64)>),
    /// Of an atom-style variable.
    Variable(Input),
    /// Of neighbours or time: the same for all atoms of a process.
    Alike,
    /// The weights so far become this property.
    Store(String),
}

impl Weights {
    /// Takes `group N GROUP FACTOR ...`, `neigh FACTOR`, `time FACTOR`, `var NAME` or `store NAME`.
    ///
    /// # Errors
    /// At an argument that does not fit.
    pub fn read(&mut self, session: &Session, args: &mut Args<'_>) -> Result<()> {
        let styles = ["group", "neigh", "time", "var", "store"].map(|name| (name, name));
        self.0.push(match args.one_of("weight style", &styles)? {
            "group" => {
                let count = args.count("a number of groups", 1)?;
                let group = |_| Ok((session.system.groups.arg(args)?, args.positive("a factor")?));
                Weight::Groups((0..count).map(group).collect::<Result<_>>()?)
            }
            "var" => {
                let word = args.word("an atom-style variable")?;
                if !session.script.variables.is_per_atom(&word.text) {
                    return Err(
                        args.error(word, format_args!("there is no atom-style variable '{}'", word.text))
                    );
                }
                Weight::Variable(Input::variable(args, word))
            }
            "store" => {
                let word = args.word("the name of a property, without d_")?;
                let name = format!("d_{}", word.text);
                session.check_property(&name).map_err(|error| args.place(word, error))?;
                Weight::Store(name)
            }
            _ => {
                args.positive("a factor")?;
                Weight::Alike
            }
        });
        Ok(())
    }

    /// Whether they are the same for all atoms, and nobody looks at them.
    pub fn alike(&self) -> bool {
        self.0.iter().all(|weight| matches!(weight, Weight::Alike))
    }

    /// The variables among them.
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.0.iter().filter_map(|weight| match weight {
            Weight::Variable(input) => Some(input),
            _ => None,
        })
    }

    /// The sum of the weights now, and what is stored of them.
    ///
    /// # Errors
    /// When a variable has no value, or a weight is not greater than 0.
    pub fn measure(&self, system: &Snapshot<'_>) -> Result<(f64, Vec<Stored>)> {
        let atoms = system.atoms()?;
        let (mut weights, mut stored) = (vec![1.0; atoms.len()], Vec::new());
        for weight in &self.0 {
            match weight {
                Weight::Groups(factors) => {
                    for (weight, mask) in weights.iter_mut().zip(&atoms.mask) {
                        let of_atom = factors.iter().filter(|(group, _)| mask & group != 0);
                        *weight *= of_atom.map(|(_, factor)| factor).product::<f64>();
                    }
                }
                Weight::Variable(input) => {
                    let values = input.per_atom(system)?;
                    if let Some(i) = values.iter().position(|value| *value <= 0.0) {
                        let message = format!(
                            "variable {}: the weight of atom {} is {}, not greater than 0",
                            input.reference.id, atoms.tag[i], values[i]
                        );
                        return Err(Error::new(message));
                    }
                    weights.iter_mut().zip(values).for_each(|(weight, value)| *weight *= value);
                }
                Weight::Alike => {}
                Weight::Store(name) => {
                    let mut values: Vec<(u32, f64)> =
                        atoms.tag.iter().copied().zip(weights.iter().copied()).collect();
                    values.sort_unstable_by_key(|(tag, _)| *tag);
                    stored.push((name.clone(), values));
                }
            }
        }
        Ok((weights.iter().sum(), stored))
    }
}

/// Takes the words after `shift`: axes, a number of iterations, the imbalance that ends them.
///
/// # Errors
/// At an argument that does not fit.
pub fn shift(session: &Session, args: &mut Args<'_>) -> Result<()> {
    let axes = args.word("the axes, such as xyz")?;
    let known = if session.system.dimension == 2 { "xy" } else { "xyz" };
    let once = |axis: char| axes.text.matches(axis).count() == 1;
    if axes.text.is_empty() || !axes.text.chars().all(|axis| known.contains(axis) && once(axis)) {
        let message = format!("'{}' is none of x, y, xy and so on, each of {known} once at most", axes.text);
        return Err(args.error(axes, message));
    }
    args.count("a number of iterations", 1)?;
    let end = args.peek();
    match (args.f64("the imbalance that ends it")? < 1.0, end) {
        (true, Some(word)) => {
            Err(args.error(word, format_args!("the imbalance that ends it is {}, less than 1", word.text)))
        }
        _ => Ok(()),
    }
}

/// That shares may be any boxes, where a style of balancing makes such.
///
/// # Errors
/// At the style.
pub fn tiles(session: &Session, args: &Args<'_>, style: &Word) -> Result<()> {
    match session.sharing.tiled {
        true => Ok(()),
        false => Err(args
            .error(style, "rcb cannot be used with comm_style brick")
            .help("write `comm_style tiled` before, or take `shift`")),
    }
}

/// Gives the atoms on the host what was stored; properties that are gone by now are left out.
pub fn store(session: &mut Session, stored: Vec<Stored>) {
    let atoms = &mut session.system.host_atoms;
    for (name, values) in stored {
        let Some(column) = atoms.custom.get_mut(&name) else { continue };
        for (value, tag) in column.iter_mut().zip(&atoms.tag) {
            if let Ok(place) = values.binary_search_by_key(tag, |(tag, _)| *tag) {
                *value = values[place].1;
            }
        }
    }
}
