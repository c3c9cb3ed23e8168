//! The atoms as the host sees them: one vector per property, all of the same length.

/// Atoms on the host, in no particular order; `tag` tells who is who.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Atoms {
    /// Positions, in distance units.
    pub x: Vec<[f64; 3]>,
    /// Velocities, in distance units per time unit.
    pub v: Vec<[f64; 3]>,
    /// How many box lengths each atom has crossed: unwrapped = x + image * L.
    pub image: Vec<[i32; 3]>,
    /// Atom IDs, from 1, unique.
    pub tag: Vec<u32>,
    /// Atom types, from 1.
    pub kind: Vec<u32>,
    /// Bit g says that the atom is in group g; bit 0 (`all`) is always set.
    pub mask: Vec<u32>,
}

impl Atoms {
    /// Number of atoms.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Adds an atom at rest, in group `all`, in the home image.
    pub fn push(&mut self, tag: u32, kind: u32, x: [f64; 3]) {
        self.x.push(x);
        self.v.push([0.0; 3]);
        self.image.push([0; 3]);
        self.tag.push(tag);
        self.kind.push(kind);
        self.mask.push(1);
    }

    /// The indices of the atoms in the order of their tags.
    pub fn by_tag(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_unstable_by_key(|&i| self.tag[i]);
        order
    }
}
