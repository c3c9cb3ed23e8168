//! Reference lattices of the modified embedded-atom method: how many neighbours an atom has in them, where the second ones are, and how the
//! partial densities of the first ones add up. Sources: Baskes (1992); P. M. Gullett and others, Sandia report SAND2003-8782 (2003).

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
    pub(super) const OF_ELEMENTS: [(&'static str, Lattice); 7] = [
        ("fcc", Lattice::Fcc),
        ("bcc", Lattice::Bcc),
        ("hcp", Lattice::Hcp),
        ("dim", Lattice::Dimer),
        ("dia", Lattice::Diamond),
        ("dia3", Lattice::Diamond3),
        ("sc", Lattice::SimpleCubic),
    ];

    /// Those of two elements besides.
    pub(super) const OF_PAIRS: [(&'static str, Lattice); 4] =
        [("b1", Lattice::B1), ("b2", Lattice::B2), ("l12", Lattice::L12), ("ch4", Lattice::Methane)];

    /// Those that LAMMPS has, and CLAMPS does not.
    pub(super) const ELSEWHERE: [&'static str; 4] = ["c11", "lin", "tri", "zig"];

    /// How many first neighbours an atom has.
    pub(super) fn neighbors(self) -> f64 {
        match self {
            Lattice::Fcc | Lattice::Hcp | Lattice::L12 => 12.0,
            Lattice::Bcc | Lattice::B2 => 8.0,
            Lattice::SimpleCubic | Lattice::B1 => 6.0,
            Lattice::Diamond | Lattice::Diamond3 | Lattice::Methane => 4.0,
            Lattice::Dimer => 1.0,
        }
    }

    /// The second neighbours, where a potential may reach them.
    pub(super) fn second_shell(self) -> Option<SecondShell> {
        let (count, ratio, screens) = match self {
            Lattice::Fcc | Lattice::Hcp | Lattice::L12 => (6.0, SQRT_2, 4),
            Lattice::Bcc | Lattice::B2 => (6.0, 2.0 / 3.0_f64.sqrt(), 4),
            Lattice::SimpleCubic | Lattice::B1 => (12.0, SQRT_2, 2),
            Lattice::Diamond => (12.0, (8.0 / 3.0_f64).sqrt(), 1),
            Lattice::Dimer | Lattice::Methane => (0.0, 1.0, 0),
            Lattice::Diamond3 => return None,
        };
        Some(SecondShell { count, ratio, screens })
    }

    /// What the partial densities of dipoles, quadrupoles and octupoles are of the square of what one first neighbour makes.
    pub(super) fn shape(self) -> [f64; 3] {
        match self {
            Lattice::Hcp => [0.0, 0.0, 1.0 / 3.0],
            Lattice::Diamond | Lattice::Diamond3 | Lattice::Methane => [0.0, 0.0, 32.0 / 9.0],
            Lattice::Dimer => [1.0, 2.0 / 3.0, 0.4],
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
