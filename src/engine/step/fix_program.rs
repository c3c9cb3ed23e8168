//! What the device does of one fix: plain data, made from what the script says of it.

use super::coupling_functions::CouplingFunctions;
use super::hooks::DeviceHooks;

/// What the device does of a fix in a run.
#[derive(Clone)]
pub struct FixProgram {
    /// Its functions of one atom, where it has some.
    pub hooks: Option<DeviceHooks>,
    /// The bit of its group, as a mask.
    pub group: u32,
    /// The groups whose atoms its functions are called for, as a mask.
    pub called: u32,
    /// What its functions read, at the step of the set-up: always as many numbers, whatever the step.
    pub parameters: Vec<f64>,
    /// The test whether an atom is in its region, as text of the kernels; `1` without one.
    pub inside: String,
    /// Statements that give its functions three numbers of an atom by formulas, as text of the kernels; none without.
    pub given: String,
    /// What its functions remember: three numbers of each atom, by ID from 1, or tables.
    pub memory: Vec<f64>,
    /// How many sums its functions add up.
    pub sums: usize,
    /// Whether it changes forces in minimizations too.
    pub minimizes: bool,
    /// Whether it changes the box.
    pub changes_box: bool,
    /// Its part of each step that needs the whole system, where the device does it.
    pub coupling: Option<Coupling>,
}

/// A fix's part of each step that needs the whole system, done by the device: by one fix at most.
#[derive(Clone)]
pub struct Coupling {
    /// The functions that make it.
    pub functions: CouplingFunctions,
    /// What these remember when the run begins.
    pub numbers: Vec<f64>,
    /// Where they go on with sets of atoms, each by itself: these sets.
    pub sets: Option<AtomSets>,
}

/// Sets of atoms that a fix goes on with, each by itself.
#[derive(Clone, Debug)]
pub struct AtomSets {
    /// Where the atoms of each set begin among those of all; behind that of the last one where these end.
    pub first: Vec<u32>,
    /// How many numbers are remembered of each set, at the beginning of what is remembered.
    pub remembered: usize,
}

impl FixProgram {
    /// Of a fix with these functions for the atoms of a group, which reads these numbers, and nothing else.
    pub fn new(hooks: DeviceHooks, group: u32, parameters: Vec<f64>) -> Self {
        FixProgram {
            hooks: Some(hooks),
            group,
            called: group,
            parameters,
            inside: "1".to_owned(),
            given: String::new(),
            memory: Vec::new(),
            sums: 0,
            minimizes: true,
            changes_box: false,
            coupling: None,
        }
    }

    /// Whether the loop may end steps with its functions in a launch of their own.
    pub(in crate::engine) fn ends_steps(&self) -> bool {
        let with_host = self.hooks.is_some_and(|hooks| hooks.end_with_host.is_some());
        with_host || self.changes_box || self.coupling.is_some()
    }
}
