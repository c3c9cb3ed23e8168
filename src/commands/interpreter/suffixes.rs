//! Accelerator suffixes of styles: `lj/cut/omp` is `lj/cut` here.

use super::Interpreter;
use crate::script::{Command, lammps};

/// Where a command has names of styles: the first place among its words and the last one, and the styles that LAMMPS has.
const PLACES: &[(&str, usize, usize, &str)] = &[
    ("angle_style", 1, usize::MAX, lammps::ANGLE_STYLES),
    ("atom_style", 1, usize::MAX, lammps::ATOM_STYLES),
    ("bond_coeff", 2, 2, lammps::BOND_STYLES),
    ("bond_style", 1, usize::MAX, lammps::BOND_STYLES),
    ("compute", 3, usize::MAX, lammps::COMPUTE_STYLES),
    ("compute", 4, usize::MAX, lammps::PAIR_STYLES),
    ("dihedral_style", 1, usize::MAX, lammps::DIHEDRAL_STYLES),
    ("dump", 3, 3, lammps::DUMP_STYLES),
    ("fix", 3, 3, lammps::FIX_STYLES),
    ("fix", 4, usize::MAX, lammps::PAIR_STYLES),
    ("improper_style", 1, usize::MAX, lammps::IMPROPER_STYLES),
    ("kspace_style", 1, 1, lammps::KSPACE_STYLES),
    ("min_style", 1, 1, lammps::MIN_STYLES),
    ("pair_coeff", 3, 3, lammps::PAIR_STYLES),
    ("pair_modify", 1, usize::MAX, lammps::PAIR_STYLES),
    ("pair_style", 1, usize::MAX, lammps::PAIR_STYLES),
    ("region", 2, 2, lammps::REGION_STYLES),
    ("run_style", 1, 1, lammps::RUN_STYLES),
];

impl Interpreter {
    /// The command with the names of styles as they are without accelerator suffixes; the log mentions each once.
    pub(super) fn without_suffixes(&mut self, mut command: Command) -> Command {
        let name = command.words[0].text.clone();
        for (_, first, last, styles) in PLACES.iter().filter(|(of, ..)| *of == name) {
            for word in command.words.iter_mut().take(last.saturating_add(1)).skip(*first) {
                let plain = lammps::without_suffix(&word.text);
                if plain.len() < word.text.len() && lammps::knows(styles, plain) {
                    let plain = plain.to_owned();
                    self.note_line(format!("Note: {} is {plain} in CLAMPS", word.text));
                    word.text = plain;
                }
            }
        }
        command
    }
}
