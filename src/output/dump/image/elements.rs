//! How elements are drawn, for the attribute `element` of `dump image`: the colours of Jmol ("Jmol colors", jmol.sourceforge.net/jscolors), and
//! twice the covalent radii of B. Cordero and others, "Covalent radii revisited", Dalton Transactions (2008), in Angstrom. LAMMPS has
//! other tables.

use super::colours::Colour;

/// Symbol, colour, covalent radius.
#[rustfmt::skip]
const ELEMENTS: [(&str, u32, f64); 87] = [
    ("H", 0xffffff, 0.31), ("He", 0xd9ffff, 0.28), ("Li", 0xcc80ff, 1.28), ("Be", 0xc2ff00, 0.96),
    ("B", 0xffb5b5, 0.84), ("C", 0x909090, 0.76), ("N", 0x3050f8, 0.71), ("O", 0xff0d0d, 0.66),
    ("F", 0x90e050, 0.57), ("Ne", 0xb3e3f5, 0.58), ("Na", 0xab5cf2, 1.66), ("Mg", 0x8aff00, 1.41),
    ("Al", 0xbfa6a6, 1.21), ("Si", 0xf0c8a0, 1.11), ("P", 0xff8000, 1.07), ("S", 0xffff30, 1.05),
    ("Cl", 0x1ff01f, 1.02), ("Ar", 0x80d1e3, 1.06), ("K", 0x8f40d4, 2.03), ("Ca", 0x3dff00, 1.76),
    ("Sc", 0xe6e6e6, 1.70), ("Ti", 0xbfc2c7, 1.60), ("V", 0xa6a6ab, 1.53), ("Cr", 0x8a99c7, 1.39),
    ("Mn", 0x9c7ac7, 1.39), ("Fe", 0xe06633, 1.32), ("Co", 0xf090a0, 1.26), ("Ni", 0x50d050, 1.24),
    ("Cu", 0xc88033, 1.32), ("Zn", 0x7d80b0, 1.22), ("Ga", 0xc28f8f, 1.22), ("Ge", 0x668f8f, 1.20),
    ("As", 0xbd80e3, 1.19), ("Se", 0xffa100, 1.20), ("Br", 0xa62929, 1.20), ("Kr", 0x5cb8d1, 1.16),
    ("Rb", 0x702eb0, 2.20), ("Sr", 0x00ff00, 1.95), ("Y", 0x94ffff, 1.90), ("Zr", 0x94e0e0, 1.75),
    ("Nb", 0x73c2c9, 1.64), ("Mo", 0x54b5b5, 1.54), ("Tc", 0x3b9e9e, 1.47), ("Ru", 0x248f8f, 1.46),
    ("Rh", 0x0a7d8c, 1.42), ("Pd", 0x006985, 1.39), ("Ag", 0xc0c0c0, 1.45), ("Cd", 0xffd98f, 1.44),
    ("In", 0xa67573, 1.42), ("Sn", 0x668080, 1.39), ("Sb", 0x9e63b5, 1.39), ("Te", 0xd47a00, 1.38),
    ("I", 0x940094, 1.39), ("Xe", 0x429eb0, 1.40), ("Cs", 0x57178f, 2.44), ("Ba", 0x00c900, 2.15),
    ("La", 0x70d4ff, 2.07), ("Ce", 0xffffc7, 2.04), ("Pr", 0xd9ffc7, 2.03), ("Nd", 0xc7ffc7, 2.01),
    ("Pm", 0xa3ffc7, 1.99), ("Sm", 0x8fffc7, 1.98), ("Eu", 0x61ffc7, 1.98), ("Gd", 0x45ffc7, 1.96),
    ("Tb", 0x30ffc7, 1.94), ("Dy", 0x1fffc7, 1.92), ("Ho", 0x00ff9c, 1.92), ("Er", 0x00e675, 1.89),
    ("Tm", 0x00d452, 1.90), ("Yb", 0x00bf38, 1.87), ("Lu", 0x00ab24, 1.87), ("Hf", 0x4dc2ff, 1.75),
    ("Ta", 0x4da6ff, 1.70), ("W", 0x2194d6, 1.62), ("Re", 0x267dab, 1.51), ("Os", 0x266696, 1.44),
    ("Ir", 0x175487, 1.41), ("Pt", 0xd0d0e0, 1.36), ("Au", 0xffd123, 1.36), ("Hg", 0xb8b8d0, 1.32),
    ("Tl", 0xa6544d, 1.45), ("Pb", 0x575961, 1.46), ("Bi", 0x9e4fb5, 1.48), ("Rn", 0x428296, 1.50),
    ("Th", 0x00baff, 2.06), ("U", 0x008fff, 1.96), ("Pu", 0x006bff, 1.87),
];

/// The colour and the diameter of an element; of what is none, those of carbon.
pub(super) fn of(symbol: &str) -> (Colour, f64) {
    const CARBON: usize = 5;
    let (_, code, radius) = ELEMENTS.iter().find(|(known, ..)| *known == symbol).unwrap_or(&ELEMENTS[CARBON]);
    ([16, 8, 0].map(|shift| f64::from(code >> shift & 255) / 255.0), 2.0 * radius)
}

/// Whether there is such an element in the table.
pub(super) fn is_known(symbol: &str) -> bool {
    ELEMENTS.iter().any(|(known, ..)| *known == symbol)
}
