//! Compute styles: one file each, and one line each in `registry`.
//!
//! - `registry`: the table of styles. Start here, then read `com` (a short one).
//! - `temp_*`: temperatures; `temp`, `ke`, `pe` and `pressure` are in `session/compute/`, as each script has them from the start
//! - `*_atom`: values per atom; `voronoi_atom/` cuts Voronoi cells, `ptm_atom/` matches neighbourhoods with templates
//! - `chunk_atom/`, `bins`, `chunk_sums`: chunks of atoms; `*_chunk` and `per_chunk`: values per chunk
//! - `msd`, `vacf`, `rdf`, `com`, `gyration`, `momentum`, `heat_flux`, `born_matrix`: global values
//! - `reduce`, `slice`, `global_atom`: values made from other values
//! - `*_local`: values per pair or bond, by the rows of `local_rows`
//! - `shells`: neighbors by distance, for several computes
//!
//! The interface is `session::compute::style::Compute`. May import: `session` and the wings below it.

pub(crate) mod ackland_atom;
pub(crate) mod adf;
pub(crate) mod bins;
pub(crate) mod bond;
pub(crate) mod bond_local;
pub(crate) mod born_matrix;
pub(crate) mod centro_atom;
pub mod chunk_atom;
pub(crate) mod chunk_sums;
pub(crate) mod cluster_atom;
pub(crate) mod cna_atom;
pub(crate) mod cnp_atom;
pub(crate) mod com;
pub(crate) mod coord_atom;
pub(crate) mod count_type;
pub(crate) mod dipole;
pub(crate) mod dipole_chunk;
pub(crate) mod displace_atom;
pub(crate) mod entropy_atom;
pub(crate) mod global_atom;
pub(crate) mod group_group;
pub(crate) mod gyration;
pub(crate) mod heat_flux;
pub(crate) mod hexorder_atom;
pub(crate) mod ke_atom;
pub(crate) mod local_rows;
pub(crate) mod momentum;
pub(crate) mod msd;
pub(crate) mod msd_chunk;
pub(crate) mod msd_nongauss;
pub(crate) mod orientorder_atom;
pub(crate) mod pair;
pub(crate) mod pair_local;
pub(crate) mod pe_atom;
pub mod per_chunk;
pub(crate) mod property_atom;
pub(crate) mod property_grid;
pub(crate) mod property_local;
pub(crate) mod ptm_atom;
pub(crate) mod rdf;
pub(crate) mod reduce;
pub(crate) mod reduce_chunk;
pub mod registry;
pub(crate) mod shape_chunk;
pub(crate) mod shells;
pub(crate) mod slice;
pub(crate) mod stress_atom;
pub(crate) mod stress_cartesian;
pub(crate) mod stress_mop;
pub(crate) mod temp_chunk;
pub(crate) mod temp_com;
pub mod temp_deform;
pub(crate) mod temp_partial;
pub(crate) mod temp_profile;
pub(crate) mod temp_ramp;
pub(crate) mod temp_region;
pub(crate) mod vacf;
pub(crate) mod voronoi_atom;
