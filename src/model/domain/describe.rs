//! A box in words and by the names of its numbers.

use super::{Domain, Rotation};
use crate::base::format::g;
use crate::base::log::Log;

impl Domain {
    /// `orthogonal box = (xlo ylo zlo) to (xhi yhi zhi)` with 8 digits, or `triclinic box = ... with tilt (xy xz yz)`,
    /// as the log shows a box.
    pub fn describe(&self) -> String {
        describe(self.lo, self.hi, self.triclinic.then_some(self.tilt))
    }
}

fn triple(numbers: [f64; 3]) -> String {
    numbers.map(|x| g(x, 8)).join(" ")
}

/// `(xlo ylo zlo) to (xhi yhi zhi)` with 8 digits.
pub(crate) fn corners(lo: [f64; 3], hi: [f64; 3]) -> String {
    format!("({}) to ({})", triple(lo), triple(hi))
}

/// As [`Domain::describe`].
pub(crate) fn describe(lo: [f64; 3], hi: [f64; 3], tilt: Option<[f64; 3]>) -> String {
    let corners = corners(lo, hi);
    match tilt {
        None => format!("orthogonal box = {corners}"),
        Some(tilt) => format!("triclinic box = {corners} with tilt ({})", triple(tilt)),
    }
}

/// Whether a name is one of those of [`box_keyword`].
pub fn is_box_keyword(name: &str) -> bool {
    box_keyword([0.0; 3], [1.0; 3], [0.0; 3], None, name).is_some()
}

/// What thermo and formulas call the corners, edges, tilts (xy xz yz) and angles of a box, in distance units and degrees;
/// the edge vectors along the axes of a general triclinic one, where `general` is its rotation.
pub fn box_keyword(
    lo: [f64; 3],
    hi: [f64; 3],
    [xy, xz, yz]: [f64; 3],
    general: Option<Rotation>,
    name: &str,
) -> Option<f64> {
    let [lx, ly, lz]: [f64; 3] = std::array::from_fn(|d| hi[d] - lo[d]);
    let (b, c) = ((ly * ly + xy * xy).sqrt(), (lz * lz + xz * xz + yz * yz).sqrt());
    let [avec, bvec, cvec] = [[lx, 0.0, 0.0], [xy, ly, 0.0], [xz, yz, lz]]
        .map(|edge| general.map_or(edge, |rotation| rotation.to_general(edge)));
    let degrees = |cosine: f64| if cosine == 0.0 { 90.0 } else { cosine.acos().to_degrees() };
    Some(match name {
        "xlo" => lo[0],
        "xhi" => hi[0],
        "ylo" => lo[1],
        "yhi" => hi[1],
        "zlo" => lo[2],
        "zhi" => hi[2],
        "lx" | "cella" => lx,
        "ly" => ly,
        "lz" => lz,
        "cellb" => b,
        "cellc" => c,
        "xy" => xy,
        "xz" => xz,
        "yz" => yz,
        "avecx" => avec[0],
        "avecy" => avec[1],
        "avecz" => avec[2],
        "bvecx" => bvec[0],
        "bvecy" => bvec[1],
        "bvecz" => bvec[2],
        "cvecx" => cvec[0],
        "cvecy" => cvec[1],
        "cvecz" => cvec[2],
        "cellalpha" => degrees((xy * xz + ly * yz) / (b * c)),
        "cellbeta" => degrees(xz / c),
        "cellgamma" => degrees(xy / b),
        _ => return None,
    })
}

/// Warns of a box that leans far.
pub(crate) fn warn_of_skew(domain: &Domain, log: &mut Log) {
    if domain.skewed() {
        log.line(
            "WARNING: Triclinic box skew is large: more than half an edge. Lists of neighbours take longer",
        );
    }
}
