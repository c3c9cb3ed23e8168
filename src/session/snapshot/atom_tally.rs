//! What the device adds up of a single atom.

/// Half the energy of an atom's pairs, half the sum of r f of its pairs and bonds (xx yy zz xy xz yz), half the energy of
/// its bonds. In energy units.
pub type Tally = [f64; 8];
