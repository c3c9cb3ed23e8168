//! The weights of `balance` and `fix balance`: what counts as the work of an atom, and properties of atoms that scripts can look at (`weight
//! store`). Source: LAMMPS manual, `balance`.

use crate::session::fix::context::Stored;

use crate::base::error::{Error, Result};
use crate::engine::comm::AtomWork;
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::snapshot::Input;
use crate::session::snapshot::view::Snapshot;

/// What follows the keywords `weight`, in their order.
#[derive(Clone, Debug, Default)]
pub struct Weights(Vec<Weight>);

/// What weights make of atoms.
pub struct Measured {
    /// The sum of the weights; the number of atoms where there are none.
    pub load: f64,
    /// What counts as work.
    pub work: AtomWork,
    /// Properties of atoms that become their weights.
    pub stored: Vec<Stored>,
}

#[derive(Clone, Debug)]
enum Weight {
    /// Factors of the atoms of groups, given by their bits.
    Groups(Vec<(u32, f64)>),
    /// Of an atom-style variable.
    Variable(Input),
    /// Of neighbours or time, for which the entries of lists are counted.
    Counted,
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
                Weight::Counted
            }
        });
        Ok(())
    }

    /// Whether they come from lists alone, and nobody looks at them.
    pub fn alike(&self) -> bool {
        self.0.iter().all(|weight| matches!(weight, Weight::Counted))
    }

    /// The variables among them.
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.0.iter().filter_map(|weight| match weight {
            Weight::Variable(input) => Some(input),
            _ => None,
        })
    }

    /// Whether the entries of lists are work: where `neigh` or `time` says so, and without any weights.
    fn counted(&self) -> bool {
        let given = |weight: &Weight| matches!(weight, Weight::Groups(_) | Weight::Variable(_));
        !self.0.iter().any(given) || self.0.iter().any(|weight| matches!(weight, Weight::Counted))
    }

    /// What they make of the atoms now.
    ///
    /// # Errors
    /// When a variable has no value, or a weight is not greater than 0.
    pub fn measure(&self, system: &Snapshot<'_>) -> Result<Measured> {
        if self.alike() {
            let work = AtomWork { factors: Vec::new(), counted: true };
            return Ok(Measured { load: system.count(1)? as f64, work, stored: Vec::new() });
        }
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
                    if let Some(i) = values.iter().position(|value| !(value.is_finite() && *value > 0.0)) {
                        let message = format!(
                            "variable {}: the weight of atom {} is {}, not a number greater than 0",
                            input.reference.id, atoms.tag[i], values[i]
                        );
                        return Err(Error::new(message));
                    }
                    weights.iter_mut().zip(values).for_each(|(weight, value)| *weight *= value);
                }
                Weight::Counted => {}
                Weight::Store(name) => {
                    stored.push((name.clone(), by_id(&atoms.tag, &weights)));
                }
            }
        }
        let work = AtomWork { factors: by_id(&atoms.tag, &weights), counted: self.counted() };
        Ok(Measured { load: weights.iter().sum(), work, stored })
    }
}

fn by_id(tags: &[u32], values: &[f64]) -> Vec<(u32, f64)> {
    let mut values: Vec<(u32, f64)> = tags.iter().copied().zip(values.iter().copied()).collect();
    values.sort_unstable_by_key(|(tag, _)| *tag);
    values
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
