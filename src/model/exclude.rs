//! Pairs that are left out of the lists (`neigh_modify exclude`).

/// Pairs that `neigh_modify exclude` leaves out.
#[derive(serde::Serialize, serde::Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exclude {
    /// Of these types, from 1.
    Types(usize, usize),
    /// Of these groups (masks with their bits).
    Groups(u32, u32),
    /// Of one group within a molecule (`same`) or between molecules.
    BondedTopology {
        /// The bit of the group.
        group: u32,
        /// Within.
        same: bool,
    },
}

impl Exclude {
    /// Whether it depends on molecule IDs.
    pub fn by_molecule(&self) -> bool {
        matches!(self, Exclude::BondedTopology { .. })
    }

    /// The groups (masks with their bits) that it depends on.
    pub fn groups(&self) -> Vec<u32> {
        match *self {
            Exclude::Types(..) => Vec::new(),
            Exclude::Groups(g, h) => vec![g, h],
            Exclude::BondedTopology { group, .. } => vec![group],
        }
    }

    /// Whether it leaves out the pair of two atoms of these types, group masks and molecules.
    pub fn leaves_out(&self, kinds: [u32; 2], [a, b]: [u32; 2], molecules: [u32; 2]) -> bool {
        match *self {
            Exclude::Types(i, j) => {
                let kinds = kinds.map(|kind| kind as usize);
                kinds == [i, j] || kinds == [j, i]
            }
            Exclude::Groups(g, h) => (a & g != 0 && b & h != 0) || (a & h != 0 && b & g != 0),
            Exclude::BondedTopology { group, same } => {
                a & b & group != 0 && (molecules[0] == molecules[1]) == same
            }
        }
    }

    /// A condition in the kernels' language on the groups a and b of two atoms, and whether they are of the `same`
    /// molecule; `None` where it depends on types, whose pairs are simply out of reach.
    pub(crate) fn condition(&self) -> Option<String> {
        match self {
            Exclude::Types(..) => None,
            Exclude::Groups(g, h) => {
                Some(format!("((a) & {g}u && (b) & {h}u) || ((a) & {h}u && (b) & {g}u)"))
            }
            Exclude::BondedTopology { group, same } => {
                let not = if *same { "" } else { "!" };
                Some(format!("((a) & (b) & {group}u && {not}(same))"))
            }
        }
    }
}
