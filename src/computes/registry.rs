//! The table of compute styles: a new compute gets one line here.

use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};

/// Makes a style from the words after the style's name.
type Constructor = fn(Header, &Session, &mut Args<'_>) -> Result<Box<dyn Compute>>;

/// Every compute style by name.
pub const STYLES: &[(&str, Constructor)] = &[
    ("angmom/chunk", crate::computes::shape_chunk::new),
    ("born/matrix", crate::computes::born_matrix::new),
    ("centro/atom", crate::computes::centro_atom::new),
    ("chunk/atom", crate::computes::chunk_atom::new),
    ("chunk/spread/atom", crate::computes::reduce_chunk::spread),
    ("cluster/atom", crate::computes::cluster_atom::new),
    ("cna/atom", crate::computes::cna_atom::new),
    ("com", crate::computes::com::new),
    ("com/chunk", crate::computes::per_chunk::centre),
    ("coord/atom", crate::computes::coord_atom::new),
    ("count/type", crate::computes::count_type::new),
    ("displace/atom", crate::computes::displace_atom::new),
    ("global/atom", crate::computes::global_atom::new),
    ("group/group", crate::computes::group_group::new),
    ("gyration", crate::computes::gyration::new),
    ("gyration/chunk", crate::computes::shape_chunk::gyration),
    ("heat/flux", crate::computes::heat_flux::new),
    ("inertia/chunk", crate::computes::shape_chunk::new),
    ("ke", crate::session::compute::energy::kinetic),
    ("ke/atom", crate::computes::ke_atom::new),
    ("momentum", crate::computes::momentum::new),
    ("msd", crate::computes::msd::new),
    ("msd/chunk", crate::computes::msd_chunk::new),
    ("omega/chunk", crate::computes::shape_chunk::new),
    ("orientorder/atom", crate::computes::orientorder_atom::new),
    ("pe", crate::session::compute::energy::potential),
    ("pe/atom", crate::computes::pe_atom::new),
    ("pressure", crate::session::compute::pressure::new),
    ("property/atom", crate::computes::property_atom::new),
    ("property/chunk", crate::computes::per_chunk::property),
    ("property/grid", crate::computes::property_grid::new),
    ("rdf", crate::computes::rdf::new),
    ("reduce", crate::computes::reduce::new),
    ("reduce/chunk", crate::computes::reduce_chunk::reduce),
    ("reduce/region", crate::computes::reduce::region),
    ("slice", crate::computes::slice::new),
    ("stress/atom", crate::computes::stress_atom::new),
    ("temp", crate::session::compute::temp::new),
    ("temp/chunk", crate::computes::temp_chunk::new),
    ("temp/com", crate::computes::temp_com::new),
    ("temp/deform", crate::computes::temp_deform::new),
    ("temp/partial", crate::computes::temp_partial::new),
    ("temp/profile", crate::computes::temp_profile::new),
    ("temp/ramp", crate::computes::temp_ramp::new),
    ("temp/region", crate::computes::temp_region::new),
    ("torque/chunk", crate::computes::shape_chunk::new),
    ("vacf", crate::computes::vacf::new),
    ("vcm/chunk", crate::computes::per_chunk::drift),
    ("voronoi/atom", crate::computes::voronoi_atom::new),
];
