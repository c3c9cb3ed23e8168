//! `pair_style hybrid/scaled FACTOR STYLE args ...`: as hybrid/overlay, but each style is scaled by a factor, a number or an
//! equal-style variable of the script. Energies, forces and virials are multiplied; tail corrections are not, as in LAMMPS.
//! Source: LAMMPS manual, `pair_style hybrid/scaled`.
//!
//! The factor stands behind the numbers of a style in each row that kernels read (cl/pair/hybrid.cl, PASS_FACTOR of cl/force).

use super::Pair;

/// What a style is scaled by.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Factor {
    Number(f64),
    /// A variable, and its value now: none before the first run.
    Variable(String, f64),
}

impl Factor {
    pub(super) fn value(&self) -> f64 {
        match self {
            Factor::Number(value) | Factor::Variable(_, value) => *value,
        }
    }
}

impl Pair {
    /// The styles that count so many times as variables say: their places, and the variables' names.
    pub fn variable_factors(&self) -> Vec<(usize, &str)> {
        let named = self.parts.iter().enumerate().filter_map(|(place, part)| match &part.factor {
            Some(Factor::Variable(name, _)) => Some((place, name.as_str())),
            _ => None,
        });
        named.collect()
    }

    /// Gives the variable of a style at a place another value; whether it is another one.
    pub fn set_factor(&mut self, place: usize, value: f64) -> bool {
        let Some(Factor::Variable(_, now)) = &mut self.parts[place].factor else { return false };
        let changes = *now != value;
        *now = value;
        changes
    }

    /// The first style that counts by a variable and gives atoms an energy by themselves.
    pub fn varying_own_energy(&self) -> Option<&str> {
        let varies = |factor: &Option<Factor>| matches!(factor, Some(Factor::Variable(..)));
        let mut parts = self.parts.iter().filter(|part| varies(&part.factor));
        parts.find(|part| part.style.own_energy() != 0.0).map(|part| part.style.name())
    }
}
