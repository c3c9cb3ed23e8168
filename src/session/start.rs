//! What a session is before the first command.

use crate::base::log::Log;
use crate::engine::neighbor;
use crate::model::atoms::Atoms;
use crate::model::domain::Boundary;
use crate::model::group::Groups;
use crate::model::labels::TypeLabels;
use crate::model::region::Regions;
use crate::model::topology::{AtomStyle, Topology};
use crate::model::units::LJ;
use crate::script::variables::Variables;
use crate::session::compute::Computes;
use crate::session::fix::NamedVariables;
use crate::session::options::Options;
use crate::session::restart::FixStates;
use crate::session::state::{KnownNames, State};
use crate::session::thermo;
use std::time::Instant;

impl State {
    /// As before the first command.
    pub fn new(options: Options, log: Log, variables: Variables) -> Self {
        State {
            options,
            known: KnownNames::default(),
            log,
            variables,
            units: &LJ,
            dimension: 3,
            boundary: [[Boundary::Periodic; 2]; 3],
            atom_style: AtomStyle::ATOMIC,
            lattice: None,
            regions: Regions::default(),
            domain: None,
            groups: Groups::default(),
            mass: Vec::new(),
            labels: TypeLabels::default(),
            pair: None,
            topology: Topology::default(),
            molecules: Vec::new(),
            bonded: None,
            neighbor: neighbor::Settings::new(LJ.skin),
            fixes: Vec::new(),
            named_variables: NamedVariables::default(),
            computes: Computes::new(3),
            dumps: Vec::new(),
            thermo: thermo::Settings::new(&LJ),
            minimize: crate::session::minimize::Settings::default(),
            dt: LJ.dt,
            dielectric: 1.0,
            step: 0,
            time: 0.0,
            time_since: 0,
            run_start: 0,
            amid: None,
            span: [0; 2],
            last_row: None,
            restarts: Vec::new(),
            fix_states: FixStates::new(),
            layout: None,
            timeout: None,
            halted: false,
            device: None,
            shape: None,
            tuned: None,
            skin: None,
            report: None,
            precision: None,
            started: Instant::now(),
            host_atoms: Atoms::default(),
            resident: None,
            tally: None,
        }
    }
}
