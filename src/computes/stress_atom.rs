//! `compute stress/atom`: minus m v v, half the virial of each atom's pairs and bonds and that of fixes, in pressure times
//! volume; the atoms' sum over the volume is minus the pressure. `compute centroid/stress/atom` has the same of forces between two atoms and all nine
//! components: for forces of more atoms it would be another one. Source: LAMMPS manual; Thompson, Plimpton and Mattson,
//! J. Chem. Phys. 131, 154107 (2009).

use crate::base::error::{Error, Result};
use crate::base::parallel;
use crate::script::Args;
use crate::script::atom_expr::{AtomExpr, AtomProperty};
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::temperature::thermal_recipes;
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::bond_virials;
use crate::session::snapshot::view::Snapshot;

struct StressAtom {
    header: Header,
    /// The temperature whose bias is taken off the velocities.
    temperature: Option<String>,
    /// Whether there is a kinetic part.
    kinetic: bool,
    /// Whether pairs count.
    pair: bool,
    /// Whether bonds do.
    bond: bool,
    /// Whether fixes do.
    fix: bool,
}

/// Of a tensor: xx yy zz xy xz yz yx zx zy.
const COMPONENTS: [[usize; 2]; 9] = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2], [1, 0], [2, 0], [2, 1]];

/// Where virials, which are symmetric, have them.
const STORED: [usize; 9] = [0, 1, 2, 3, 4, 5, 3, 4, 5];

/// The style of all nine components.
const CENTROID: &str = "centroid/stress/atom";

/// Takes the temperature's ID or NULL, and which parts count: all by default.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let temperature = if args.accept("NULL") { None } else { Some(session.computes.temperature_arg(args)?) };
    let all = args.is_empty();
    let [kinetic, pair, bond, fix] =
        if all { [true; 4] } else { crate::session::compute::pressure::parts(args)? };
    Ok(Box::new(StressAtom { header, temperature, kinetic, pair, bond, fix }))
}

impl StressAtom {
    fn components(&self) -> usize {
        if self.header.style == CENTROID { 9 } else { 6 }
    }

    /// Fails where the centroids of more than two atoms would be needed.
    fn check_pairs(&self, session: &Session) -> Result<()> {
        let may_be = self.fix && self.header.style == CENTROID;
        let mut fixes = session.fixes.iter().filter(|fix| may_be && fix.counts_virial());
        if let Some(fix) = fixes.find(|fix| fix.header().style.starts_with("rigid")) {
            let style = &fix.header().style;
            return Err(Error::new(format!("{CENTROID} is not for the bodies of fix {style}"))
                .help("take stress/atom"));
        }
        match &session.force_field.pair {
            Some(pair) if self.pair && self.header.style == CENTROID => pair.check_central(CENTROID),
            _ => Ok(()),
        }
    }
}

impl Compute for StressAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(self.components())
    }

    fn tallies(&self) -> bool {
        self.pair || self.fix
    }

    fn counts_pairs_by_atom(&self) -> bool {
        self.pair
    }

    fn counts_fixes_by_atom(&self) -> bool {
        self.fix
    }

    /// Without fixes that have virials, and bonds without pairs.
    fn recipe(&self, system: &Snapshot<'_>, column: Option<usize>) -> Option<AtomExpr> {
        let units = system.session.system.units;
        let fixes = self.fix && system.session.fixes.iter().any(|fix| fix.counts_virial());
        if fixes || self.pair != self.bond || self.check_pairs(system.session).is_err() {
            return None;
        }
        let slot = column? - 1;
        let velocity = match &self.temperature {
            Some(id) if self.kinetic => {
                thermal_recipes(system.compute(id).ok()?.temperature()?, system).ok()??
            }
            _ => AtomExpr::vector(AtomProperty::V),
        };
        let [a, b] = COMPONENTS[slot].map(|d: usize| velocity[d].clone());
        let mvv = match self.kinetic {
            true => AtomExpr::number(units.mvv2e) * AtomExpr::own(AtomProperty::Mass) * (a * b),
            false => AtomExpr::number(0.0),
        };
        let sum = if self.pair { mvv + AtomExpr::own(AtomProperty::Tally(STORED[slot] + 1)) } else { mvv };
        Some((-sum * units.nktv2p).within(self.header.group))
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        self.check_pairs(system.session)?;
        let (atoms, units) = (system.atoms()?, system.session.system.units);
        let flow = match &self.temperature {
            Some(id) if self.kinetic => {
                let temperature = system.compute(id)?.temperature();
                temperature
                    .ok_or_else(|| Error::new(format!("compute {id} is no temperature")))?
                    .bias(system)?
            }
            _ => None,
        };
        // Virials of fixes are known where tallies are.
        let tallies = if self.tallies() { Some(system.tallies()?) } else { None }.filter(|_| self.pair);
        let fixes = system.session.fixes.iter().filter(|_| self.fix).map(|fix| fix.virials(&atoms.tag));
        let fixes: Vec<_> = fixes.filter(|virials| virials.len() == atoms.len()).collect();
        // Those of the device are of pairs and bonds together.
        let bonds = if self.pair == self.bond { None } else { Some(bond_virials(system)?) };
        let sign = if self.bond { 1.0 } else { -1.0 };
        let (masses, kinetic, group) = (system.masses(), self.kinetic, self.header.group);
        let stress = |i: usize, k: usize| {
            let [a, b] =
                COMPONENTS[k].map(|d: usize| atoms.v[i][d] - flow.as_ref().map_or(0.0, |flow| flow[i][d]));
            let mvv = if kinetic { units.mvv2e * masses.of(atoms.kind[i]) * (a * b) } else { 0.0 };
            let k = STORED[k];
            let virial = fixes.iter().map(|virials| virials[i][k]).sum::<f64>()
                + tallies.map_or(0.0, |tallies| tallies[i][k + 1])
                + bonds.as_ref().map_or(0.0, |bonds| sign * bonds[i][k]);
            -(mvv + virial) * units.nktv2p
        };
        let member = |i: usize| atoms.mask[i] & group != 0;
        let column = |k| parallel::map(atoms.len(), |i| if member(i) { stress(i, k) } else { 0.0 });
        let columns = (0..self.components()).map(column).collect();
        Ok(Values::per_atom(PerAtom::Array(columns)))
    }
}
