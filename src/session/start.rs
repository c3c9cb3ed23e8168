//! What a session is before the first command.

use crate::base::log::Log;
use crate::engine::neighbor;
use crate::model::atom_style::AtomStyle;
use crate::model::atoms::Atoms;
use crate::model::domain::Boundary;
use crate::model::group::Groups;
use crate::model::labels::TypeLabels;
use crate::model::region::Regions;
use crate::model::topology::Topology;
use crate::model::units::LJ;
use crate::script::variables::Variables;
use crate::session::compute::Computes;
use crate::session::fix::NamedVariables;
use crate::session::options::Options;
use crate::session::restart::FixStates;
use crate::session::sharing::Sharing;
use crate::session::thermo;
use crate::session::{Clock, Device, ForceField, KnownNames, Output, Script, Session, System};
use std::cell::Cell;
use std::time::Instant;

impl Session {
    /// As before the first command.
    pub fn new(options: Options, log: Log, variables: Variables) -> Self {
        Session {
            options,
            script: Script {
                known: KnownNames::default(),
                variables,
                named_variables: NamedVariables::default(),
                fix_states: FixStates::new(),
                compute_states: FixStates::new(),
            },
            system: System {
                units: &LJ,
                dimension: 3,
                boundary: [[Boundary::Periodic; 2]; 3],
                atom_style: AtomStyle::ATOMIC,
                lattice: None,
                regions: Regions::default(),
                domain: None,
                groups: Groups::default(),
                mass: Vec::new(),
                unused_mass: Vec::new(),
                labels: TypeLabels::default(),
                topology: Topology::default(),
                molecules: Vec::new(),
                host_atoms: Atoms::default(),
                radii: Vec::new(),
            },
            force_field: ForceField { pair: None, stand_in: None, bonded: None, dielectric: 1.0 },
            neighbor: neighbor::Settings::new(LJ.skin),
            sharing: Sharing::default(),
            fixes: Vec::new(),
            computes: Computes::new(3),
            output: Output {
                log,
                thermo: thermo::Settings::new(&LJ),
                dumps: Vec::new(),
                restarts: Vec::new(),
                report: None,
                last_row: None,
                last_values: None,
            },
            clock: Clock {
                step: 0,
                dt: LJ.dt,
                new_dt: Cell::default(),
                time: 0.0,
                time_since: 0,
                run_start: 0,
                span: [0; 2],
                amid: None,
                started: Instant::now(),
                timeout: None,
                halted: false,
            },
            minimize: crate::session::minimize::Settings::default(),
            device: Device {
                gpu: None,
                precision: None,
                shape: None,
                tuned: None,
                skin: None,
                weights: None,
                layout: None,
                left: None,
            },
        }
    }
}
