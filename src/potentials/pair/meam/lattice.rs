//! Reference lattices of the modified embedded-atom method: how many neighbours an atom has in them, where the second ones are, and how the
//! partial densities of the first ones add up. Sources: Baskes (1992); P. M. Gullett and others, Sandia report SAND2003-8782 (2003); of c11, lin, zig
//! and tri the places of atoms (in c11 with c/a = 6^(1/2), where an atom's ten neighbours are equally far), and numbers of LAMMPS 22 Jul 2025.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// A lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Lattice {
    Fcc,
    Bcc,
    Hcp,
    /// Two atoms.
    Dimer,
    Diamond,
    /// Diamond whose second neighbours are the third ones.
    Diamond3,
    SimpleCubic,
    /// Rock salt.
    B1,
    /// Caesium chloride.
    B2,
    /// Three atoms of the first element for one of the second.
    L12,
    /// An atom of the first element amid four of the second.
    Methane,
    /// Molybdenum disilicide: two atoms of one element for one of the other.
    C11,
    /// Atoms on a line.
    Linear,
    /// A chain with an angle at each atom.
    Zigzag,
    /// Water: an atom of the second element between two of the first, with an angle.
    Trimer,
}

/// The second neighbours of an atom.
#[derive(Clone, Copy)]
pub(super) struct SecondShell {
    pub(super) count: f64,
    /// Their distance over that of the first ones.
    pub(super) ratio: f64,
    /// So many atoms screen each of them.
    pub(super) screens: i32,
}

impl Lattice {
    /// Those of an element by itself.
    pub(super) const OF_ELEMENTS: [(&'static str, Lattice); 10] = [
        ("fcc", Lattice::Fcc),
        ("bcc", Lattice::Bcc),
        ("hcp", Lattice::Hcp),
        ("dim", Lattice::Dimer),
        ("dia", Lattice::Diamond),
        ("dia3", Lattice::Diamond3),
        ("sc", Lattice::SimpleCubic),
        ("lin", Lattice::Linear),
        ("zig", Lattice::Zigzag),
        ("tri", Lattice::Trimer),
    ];

    /// Those of two elements besides.
    pub(super) const OF_PAIRS: [(&'static str, Lattice); 5] = [
        ("b1", Lattice::B1),
        ("b2", Lattice::B2),
        ("l12", Lattice::L12),
        ("ch4", Lattice::Methane),
        ("c11", Lattice::C11),
    ];

    /// How many first neighbours an atom has.
    pub(super) fn neighbors(self) -> f64 {
        match self {
            Lattice::Fcc | Lattice::Hcp | Lattice::L12 => 12.0,
            Lattice::Bcc | Lattice::B2 => 8.0,
            Lattice::SimpleCubic | Lattice::B1 => 6.0,
            Lattice::Diamond | Lattice::Diamond3 | Lattice::Methane => 4.0,
            Lattice::C11 => 10.0,
            Lattice::Linear | Lattice::Zigzag | Lattice::Trimer => 2.0,
            Lattice::Dimer => 1.0,
        }
    }

    /// The distance of the ends of an angle, over that of neighbours.
    pub(super) fn opening(angle: f64) -> f64 {
        2.0 * (angle / 2.0).sin()
    }

    /// The second neighbours, where a potential may reach them, in a lattice that has this angle if it has one.
    pub(super) fn second_shell(self, angle: f64) -> Option<SecondShell> {
        let (count, ratio, screens) = match self {
            Lattice::Fcc | Lattice::Hcp | Lattice::L12 => (6.0, SQRT_2, 4),
            Lattice::Bcc | Lattice::B2 => (6.0, 2.0 / 3.0_f64.sqrt(), 4),
            Lattice::SimpleCubic | Lattice::B1 => (12.0, SQRT_2, 2),
            Lattice::Diamond => (12.0, (8.0 / 3.0_f64).sqrt(), 1),
            Lattice::Zigzag => (2.0, Lattice::opening(angle), 1),
            Lattice::Trimer => (1.0, Lattice::opening(angle), 2),
            Lattice::Dimer | Lattice::Methane | Lattice::C11 | Lattice::Linear => (0.0, 1.0, 0),
            Lattice::Diamond3 => return None,
        };
        Some(SecondShell { count, ratio, screens })
    }

    /// What the partial densities of dipoles, quadrupoles and octupoles are of the square of what one first neighbour makes: of a trimer at
    /// the atom in the middle.
    pub(super) fn shape(self, angle: f64) -> [f64; 3] {
        match self {
            Lattice::Hcp => [0.0, 0.0, 1.0 / 3.0],
            Lattice::Diamond | Lattice::Diamond3 | Lattice::Methane => [0.0, 0.0, 32.0 / 9.0],
            Lattice::Dimer => [1.0, 2.0 / 3.0, 0.4],
            Lattice::Linear => [0.0, 8.0 / 3.0, 0.0],
            Lattice::Zigzag | Lattice::Trimer => {
                // Both neighbours are at (s, c, 0) and (-s, c, 0).
                let (s, c) = (angle / 2.0).sin_cos();
                let dipole = (2.0 * c).powi(2);
                let quadrupole = 4.0 * (s.powi(4) + c.powi(4)) - 4.0 / 3.0;
                let octupole = (2.0 * c.powi(3)).powi(2) + 3.0 * (2.0 * s * s * c).powi(2);
                [dipole, quadrupole, octupole - 0.6 * dipole]
            }
            _ => [0.0; 3],
        }
    }

    /// The distance of first neighbours, per lattice constant.
    pub(super) fn distance(self) -> f64 {
        match self {
            Lattice::Fcc => FRAC_1_SQRT_2,
            Lattice::Bcc => 3.0_f64.sqrt() / 2.0,
            Lattice::Diamond | Lattice::Diamond3 => 3.0_f64.sqrt() / 4.0,
            _ => 1.0,
        }
    }
}
