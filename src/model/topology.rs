//! Molecules: atom styles, bonds, and which atoms are a few bonds apart (`special_bonds`).

use crate::base::error::{Error, Result};
use crate::base::format::g;
use crate::base::log::Log;
use crate::fixes::adapt::Adapt;
use crate::model::atoms::Atoms;
use crate::model::exclude::Exclude;
use crate::potentials::bond::Resolved;
use crate::potentials::pair::Pair;
use crate::script::{Args, lammps};
use crate::session::state::State;
use crate::session::thermo::Lost;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Instant;

/// What atoms have besides position, velocity and type, as `atom_style` says. The columns of section Atoms follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomStyle {
    /// As in `atom_style`.
    pub name: &'static str,
    /// Whether atoms belong to molecules and may have bonds.
    pub molecular: bool,
    /// Whether atoms have charges.
    pub charged: bool,
}

/// Every atom style. Those with angles and more are the same here as long as there are none.
pub const ATOM_STYLES: [AtomStyle; 6] = [
    AtomStyle::new("atomic", false, false),
    AtomStyle::new("angle", true, false),
    AtomStyle::new("bond", true, false),
    AtomStyle::new("charge", false, true),
    AtomStyle::new("full", true, true),
    AtomStyle::new("molecular", true, false),
];

impl AtomStyle {
    const fn new(name: &'static str, molecular: bool, charged: bool) -> Self {
        AtomStyle { name, molecular, charged }
    }

    /// `atomic`.
    pub const ATOMIC: AtomStyle = ATOM_STYLES[0];

    /// Whether data files of the other style have the same columns.
    pub fn same_columns(self, other: AtomStyle) -> bool {
        (self.molecular, self.charged) == (other.molecular, other.charged)
    }

    /// The columns of section Atoms.
    pub fn columns(self) -> &'static str {
        match (self.molecular, self.charged) {
            (false, false) => "id type x y z [ix iy iz]",
            (true, false) => "id molecule type x y z [ix iy iz]",
            (false, true) => "id type q x y z [ix iy iz]",
            (true, true) => "id molecule type q x y z [ix iy iz]",
        }
    }
}

/// A bond of two atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bond {
    /// Bond type, from 1.
    pub kind: u32,
    /// IDs of the atoms.
    pub atoms: [u32; 2],
    /// Whether `delete_bonds` has switched it off: no force then, but its atoms stay neighbours for `special_bonds`.
    #[serde(default)]
    pub off: bool,
}

impl Bond {
    /// A bond that acts.
    pub fn new(kind: u32, atoms: [u32; 2]) -> Self {
        Bond { kind, atoms, off: false }
    }
}

/// How much the pair forces of atoms one, two and three bonds apart count (`special_bonds`), from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// Of all but Coulomb forces.
    pub lj: [f64; 3],
    /// Of Coulomb forces.
    pub coul: [f64; 3],
}

impl Weights {
    /// Those of pairs so many bonds apart, from 1: of all but Coulomb forces and of these, alike where nobody sees
    /// charges.
    pub fn of(&self, bonds: usize, charged: bool) -> [f64; 2] {
        let lj = self.lj[bonds - 1];
        [lj, if charged { self.coul[bonds - 1] } else { lj }]
    }

    /// Those of two atoms, by their IDs and all special neighbours: 1 where they are none.
    pub fn between(&self, special: &Links, [a, b]: [u32; 2]) -> [f64; 2] {
        let links = special.get(&a);
        let link = links.and_then(|links| links.iter().find(|(tag, _)| *tag == b));
        link.map_or([1.0; 2], |&(_, bonds)| self.of(bonds as usize, true))
    }
}

/// The bonds of a system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Topology {
    /// Number of bond types.
    pub bond_types: usize,
    /// Each bond once.
    pub bonds: Vec<Bond>,
    /// `special_bonds`.
    pub weights: Weights,
}

impl Default for Topology {
    fn default() -> Self {
        Topology { bond_types: 0, bonds: Vec::new(), weights: Weights { lj: [0.0; 3], coul: [0.0; 3] } }
    }
}

/// Other atoms that one is linked to: their IDs, with the type of the bond or the number of bonds between.
pub type Links = BTreeMap<u32, Vec<(u32, u32)>>;

impl Topology {
    /// Partners per atom with the type of the bond, in the order of their IDs.
    pub fn partners(&self) -> Links {
        partners(self.bonds.iter())
    }

    /// The same of the bonds that are not switched off.
    pub fn acting(&self) -> Links {
        partners(self.bonds.iter().filter(|bond| !bond.off))
    }

    /// Whether there are atoms whose pair forces may not count in full, for the bonds between them; with `charged` Coulomb forces
    /// matter, too.
    pub fn has_special(&self, charged: bool) -> bool {
        !self.bonds.is_empty() && (1..=3).any(|bonds| self.weights.of(bonds, charged) != [1.0; 2])
    }

    /// The atoms that are one, two or three bonds away, by the shortest way, and whose pair forces do not count in
    /// full; with `charged` Coulomb forces matter, too. Source: LAMMPS manual, `special_bonds`.
    pub fn special(&self, charged: bool) -> Links {
        let in_full = |bonds: u32| self.weights.of(bonds as usize, charged) == [1.0; 2];
        let Some(farthest) = (1..=3).rev().find(|&bonds| !in_full(bonds)) else {
            return Links::new();
        };
        let partners = self.partners();
        let mut special = Links::new();
        for &atom in partners.keys() {
            let mut found: Vec<(u32, u32)> = vec![(atom, 0)];
            let mut newest = 0..1;
            for distance in 1..=farthest {
                for k in newest.clone() {
                    for &(partner, _) in &partners[&found[k].0] {
                        if found.iter().all(|(tag, _)| *tag != partner) {
                            found.push((partner, distance));
                        }
                    }
                }
                newest = newest.end..found.len();
            }
            let counts = |(_, distance): &(u32, u32)| *distance > 0 && !in_full(*distance);
            let mut list: Vec<(u32, u32)> = found.into_iter().filter(counts).collect();
            list.sort_unstable();
            if !list.is_empty() {
                special.insert(atom, list);
            }
        }
        special
    }

    /// Whether special_bonds leaves a pair of atoms out altogether, by their IDs.
    pub fn left_out(&self) -> impl Fn([u32; 2]) -> bool {
        let (special, weights) = (self.special(true), self.weights);
        move |pair| weights.between(&special, pair) == [0.0; 2]
    }

    /// The bonds of which at least `least` atoms, 1 or 2, are there.
    pub fn bonds_among(&self, atoms: &Atoms, least: usize) -> Vec<Bond> {
        let mut tags = if self.bonds.is_empty() { Vec::new() } else { atoms.tag.clone() };
        tags.sort_unstable();
        let there = |tag: &&u32| tags.binary_search(tag).is_ok();
        self.bonds.iter().filter(|bond| bond.atoms.iter().filter(there).count() >= least).copied().collect()
    }

    /// Drops the bonds to atoms that are gone whose IDs new atoms get.
    pub fn let_go_of(&mut self, new: &[u32]) {
        if !self.bonds.is_empty() {
            let new: HashSet<u32> = new.iter().copied().collect();
            self.bonds.retain(|bond| !bond.atoms.iter().any(|tag| new.contains(tag)));
        }
    }

    /// The lines of the log about special neighbours, as LAMMPS has them.
    pub fn describe_special(&self, log: &mut Log) {
        let start = Instant::now();
        log.line("Finding 1-2 1-3 1-4 neighbors ...");
        for (name, weights) in [("lj:   ", self.weights.lj), ("coul: ", self.weights.coul)] {
            let factors: String = weights.iter().map(|w| format!(" {:<8}", g(*w, 6))).collect();
            log.line(&format!("  special bond factors {name}{factors}"));
        }
        let most = self.special(false).values().map(Vec::len).max().unwrap_or(0);
        log.line(&format!("{most:6} = max # of special neighbors"));
        log.line(&format!("  special bonds CPU = {:.3} seconds", start.elapsed().as_secs_f64()));
    }
}

fn partners<'b>(bonds: impl Iterator<Item = &'b Bond>) -> Links {
    let mut partners = Links::new();
    for Bond { kind, atoms: [a, b], .. } in bonds {
        partners.entry(*a).or_default().push((*b, *kind));
        partners.entry(*b).or_default().push((*a, *kind));
    }
    partners.values_mut().for_each(|list| list.sort_unstable());
    partners
}

/// A run is set up for bonds that grow to so many times the length that they have at its first step.
const ROOM_FOR_GROWTH: f64 = 4.0;

/// What a run has to know of the molecules.
#[derive(Default)]
pub struct Molecules {
    /// Partners with bond types, where there are bond forces: of bonds that are not switched off.
    pub partners: Links,
    /// Special neighbours with the number of bonds between.
    pub special: Links,
    /// How much pairs one, two and three bonds apart count.
    pub weights: Weights,
    /// Whether pair styles see charges.
    pub charged: bool,
    /// Whether something is left of pairs that do not count at all ([`crate::potentials::pair::Style::damped`]).
    pub damped: bool,
    /// The bond style, where there are bonds.
    pub bonded: Option<Resolved>,
    /// Whether bonds may become longer during a run (fix adapt).
    pub growing: bool,
    /// Whether a bond whose other atom is gone is left out (`thermo_modify lost/bond`).
    pub may_lose: bool,
    /// ID and molecule ID of each atom, where something depends on them.
    pub ids: Vec<(u32, u32)>,
}

impl Molecules {
    /// Of a system.
    ///
    /// # Errors
    /// When a bond type has no coefficients.
    pub fn new(state: &State) -> Result<Self> {
        let (topology, atoms) = (&state.topology, &state.host_atoms);
        let named = state.neighbor.exclude.iter().any(Exclude::by_molecule);
        if topology.bonds.is_empty() && !named {
            return Ok(Molecules::default());
        }
        let bonded = state.bonded.as_ref().filter(|_| !topology.bonds.is_empty());
        let charged = state.pair.as_ref().is_some_and(Pair::charged);
        let mut molecules = Molecules {
            partners: if bonded.is_some() { topology.acting() } else { Links::new() },
            special: topology.special(charged),
            weights: topology.weights,
            charged,
            damped: state.pair.as_ref().is_some_and(Pair::damped),
            bonded: bonded.map(|bonded| bonded.resolve(topology.bond_types)).transpose()?,
            growing: state.fixes.iter().any(|fix| fix.adapts().is_some_and(Adapt::changes_bonds)),
            may_lose: state.thermo.lost_bond != Lost::Error,
            ids: atoms.tag.iter().copied().zip(atoms.molecule.iter().copied()).collect(),
        };
        if molecules.partial() && !state.neighbor.exclude.is_empty() {
            molecules.leave_out(state)?;
        }
        Ok(molecules)
    }

    /// Drops the special neighbours that `neigh_modify exclude` leaves out: they do not count in part either.
    fn leave_out(&mut self, state: &State) -> Result<()> {
        let (exclude, groups) = (&state.neighbor.exclude, &state.groups);
        if exclude.iter().any(|pairs| pairs.groups().into_iter().any(|group| groups.is_dynamic(group))) {
            let message = "special_bonds weights between 0 and 1 do not go with neigh_modify exclude of a dynamic group";
            return Err(Error::new(message).help("take a static group"));
        }
        let Atoms { tag, kind, mask, molecule, .. } = &state.host_atoms;
        let place: HashMap<u32, usize> = tag.iter().copied().zip(0..).collect();
        let left_out = |a: u32, b: u32| {
            // Atoms that are gone are no neighbours.
            let (Some(&i), Some(&j)) = (place.get(&a), place.get(&b)) else { return true };
            let of_both = |values: &[u32]| [values[i], values[j]];
            let (kinds, masks, molecules) = (of_both(kind), of_both(mask), of_both(molecule));
            exclude.iter().any(|exclude| exclude.leaves_out(kinds, masks, molecules))
        };
        self.special.retain(|&a, list| {
            list.retain(|&(b, _)| !left_out(a, b));
            !list.is_empty()
        });
        Ok(())
    }

    /// Whether there is nothing to do for them.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Whether pairs count in part.
    pub fn partial(&self) -> bool {
        let in_part = |bonds| match self.weights.of(bonds, self.charged) {
            [0.0, 0.0] => self.damped,
            weights => weights != [1.0; 2],
        };
        !self.special.is_empty() && (1..=3).any(in_part)
    }

    /// The longest that a bond may be, with room for growth where bonds grow.
    pub fn longest_bond(&self) -> f64 {
        let room = if self.growing { ROOM_FOR_GROWTH } else { 1.0 };
        room * self.bonded.as_ref().map_or(0.0, Resolved::longest)
    }
}

/// `atom_style NAME`.
///
/// # Errors
/// When the box exists already or the style is another one.
pub fn atom_style(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    crate::commands::domain::forbid_box(state, args)?;
    state.atom_style =
        args.style("atom style", &ATOM_STYLES.map(|style| (style.name, style)), lammps::ATOM_STYLES)?;
    args.finish()
}

/// `special_bonds amber|charmm|dreiding|fene`, `lj|coul|lj/coul W12 W13 W14`, `angle|dihedral yes|no`.
///
/// # Errors
/// At an argument that does not fit.
pub fn special_bonds(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let mut weights = Weights { lj: [0.0; 3], coul: [0.0; 3] };
    if args.is_empty() {
        args.word("a keyword (lj, coul, lj/coul, fene, charmm, amber, dreiding)")?;
    }
    while let Some(word) = args.peek() {
        let keywords = [
            ("lj/coul", 0),
            ("lj", 1),
            ("coul", 2),
            ("fene", 3),
            ("charmm", 4),
            ("amber", 5),
            ("dreiding", 6),
            ("angle", 7),
            ("dihedral", 8),
            ("one/five", 9),
        ];
        let keyword = args.one_of("special_bonds keyword", &keywords)?;
        match keyword {
            0..=2 => {
                let mut given = [0.0; 3];
                for weight in &mut given {
                    let word = args.peek();
                    *weight = args.f64("a weight from 0 to 1")?;
                    if let Some(word) = word.filter(|_| !(0.0..=1.0).contains(weight)) {
                        return Err(
                            args.error(word, format_args!("'{}' is no weight from 0 to 1", word.text))
                        );
                    }
                }
                if keyword != 2 {
                    weights.lj = given;
                }
                if keyword != 1 {
                    weights.coul = given;
                }
            }
            3 => weights = Weights { lj: [0.0, 1.0, 1.0], coul: [0.0, 1.0, 1.0] },
            4 => weights = Weights { lj: [0.0; 3], coul: [0.0; 3] },
            5 => weights = Weights { lj: [0.0, 0.0, 0.5], coul: [0.0, 0.0, 5.0 / 6.0] },
            6 => weights = Weights { lj: [0.0, 0.0, 1.0], coul: [0.0, 0.0, 1.0] },
            _ => {
                if args.yes_no()? {
                    return Err(args.unsupported(word, "special_bonds keyword"));
                }
            }
        }
    }
    state.topology.weights = weights;
    if !state.topology.bonds.is_empty() {
        state.topology.describe_special(&mut state.log);
    }
    Ok(())
}
