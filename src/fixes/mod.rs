//! Fix styles: one file each, and one line each in `registry`. Their device functions are in `cl/fix/`.
//!
//! - `registry`: the table of styles. Start here, then read `drag` (a short one).
//! - `nve`, `langevin`, `nose_hoover/`, `temp_scale`, `press_berendsen`, `msst`: time integration, thermostats, barostats
//! - `chain`, `barostat`, `thermostat`, `hugoniot`, `matrix`: what several of them share
//! - `force`, `addforce`, `setforce`, `spring`, `indent`, `wall*`, `gravity`: forces; `faces`: sides of the box that walls name
//! - `deform/`, `box_relax`: boxes that change
//! - `deposit/`, `evaporate`, `gcmc/`, `widom`, `exchange`: atoms that come and go; `insertion`: insertions by chance; `atom_swap`: types by chance
//! - `rigid/`: rigid bodies
//! - `ave_*`, `average/`: averages; `average` has their schedules, windows and tables
//! - `adapt/`, `halt`, `print`, `vector`, `dt_reset`, `controller`: control of a run
//!
//! The interfaces are in `session/fix/`. May import: `computes`, `session` and the wings below.

pub mod adapt;
pub(crate) mod addforce;
pub(crate) mod addtorque;
pub(crate) mod atom_swap;
pub(crate) mod ave_atom;
pub(crate) mod ave_chunk;
pub(crate) mod ave_correlate;
pub(crate) mod ave_grid;
pub(crate) mod ave_histo;
pub(crate) mod ave_moments;
pub(crate) mod ave_time;
pub(crate) mod average;
pub(crate) mod balance;
pub(crate) mod barostat;
pub(crate) mod bond_break;
pub(crate) mod bond_create;
pub(crate) mod bonding;
pub(crate) mod box_relax;
pub(crate) mod brownian;
pub(crate) mod chain;
pub(crate) mod controller;
pub(crate) mod deform;
pub(crate) mod deposit;
pub(crate) mod drag;
pub(crate) mod dt_reset;
pub(crate) mod ehex;
pub(crate) mod electron_stopping;
pub(crate) mod enforce2d;
pub(crate) mod evaporate;
pub(crate) mod exchange;
pub(crate) mod faces;
pub(crate) mod force;
pub(crate) mod gcmc;
pub(crate) mod gravity;
pub(crate) mod halt;
pub(crate) mod heat;
pub(crate) mod hugoniot;
pub(crate) mod indent;
pub(crate) mod insertion;
pub(crate) mod langevin;
pub(crate) mod lineforce;
pub(crate) mod matrix;
pub(crate) mod momentum;
pub(crate) mod momentum_chunk;
pub(crate) mod move_atoms;
pub(crate) mod move_by;
pub(crate) mod msst;
pub(crate) mod nose_hoover;
pub(crate) mod numdiff;
pub mod nve;
pub(crate) mod nve_limit;
pub(crate) mod nve_noforce;
pub(crate) mod nvk;
pub(crate) mod oneway;
pub(crate) mod origins;
pub(crate) mod pair;
pub(crate) mod press_berendsen;
pub(crate) mod press_langevin;
pub(crate) mod print;
pub(crate) mod propel_self;
pub(crate) mod property_atom;
pub(crate) mod recenter;
pub mod registry;
pub(crate) mod restrain;
pub(crate) mod rigid;
pub(crate) mod setforce;
pub(crate) mod sllod;
pub(crate) mod smd;
pub(crate) mod spring;
pub(crate) mod spring_self;
pub(crate) mod store_force;
pub(crate) mod store_state;
pub(crate) mod temp_csld;
pub(crate) mod temp_scale;
pub(crate) mod thermal_conductivity;
pub(crate) mod thermostat;
pub(crate) mod ti_spring;
pub(crate) mod vector;
mod velocity_thermostat;
pub(crate) mod viscosity;
pub(crate) mod viscous;
pub(crate) mod wall;
pub(crate) mod wall_flow;
pub(crate) mod wall_lepton;
pub(crate) mod wall_piston;
pub(crate) mod wall_reflect;
pub(crate) mod wall_reflect_stochastic;
pub(crate) mod wall_region;
pub(crate) mod wall_table;
pub(crate) mod widom;
