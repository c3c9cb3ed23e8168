//! `create_box`. Source: LAMMPS manual.

use crate::model::limits::MOST_BOND_TYPES;
use crate::model::limits::MOST_TYPES;

use crate::base::error::{Error, Result};
use crate::model::domain;
use crate::model::domain::Domain;
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::sharing;

/// `create_box TYPES REGION|NULL alo ahi blo bhi clo chi [bond/types N]`: the box around a region, or of cells of a general
/// triclinic lattice, with room for atom types 1 to TYPES. Keywords about the room for bonds per atom have no effect: there is
/// always enough.
///
/// # Errors
/// When there is a box already, the region has no bounding block, or there is no such lattice.
pub fn create_box(session: &mut Session, args: &mut Args) -> Result<()> {
    crate::session::box_checks::check_new_box(session, args)?;
    let types = args.clone().word("a number of atom types")?;
    let count: usize = args.int("a number of atom types")?;
    if !(1..=MOST_TYPES).contains(&count) {
        return Err(args.error(types, format_args!("the number of atom types must be 1 to {MOST_TYPES}")));
    }
    let name = args.clone().word("a region, or NULL for the cells of a general triclinic lattice")?;
    let domain = match args.accept("NULL") {
        true => lattice_box(session, args, name)?,
        false => region_box(session, args, name)?,
    };
    let bond_types = bond_keywords(session, args)?;
    domain::warn_of_skew(&domain, &mut session.output.log);
    let Domain { initial: [lo, hi], triclinic, tilt, .. } = domain;
    session.output.log.line(&format!("Created {}", domain::describe(lo, hi, triclinic.then_some(tilt))));
    session.output.log.line(&sharing::in_words());
    session.system.domain = Some(domain);
    session.set_types(count);
    session.system.topology.bond_types = bond_types;
    Ok(())
}

/// Takes a region, whose word is `name`: the box around it.
fn region_box(session: &Session, args: &mut Args, name: &Word) -> Result<Domain> {
    let region = session.system.regions.arg(args)?;
    let prism = region.prism();
    let bounds = prism.map(|(corners, _)| corners).or(region.bounds());
    let [lo, hi] = bounds.ok_or_else(|| args.error(name, "this region has no bounds to make a box of"))?;
    let place = |error: Error| Error { help: error.help, ..args.error(name, error.message) };
    let mut domain = Domain::new(lo, hi, session.system.boundary).map_err(place)?;
    if let Some((_, tilt)) = prism {
        domain = domain.with_tilt(tilt).map_err(place)?;
    }
    domain.check_dimension(session.system.dimension).map_err(place)?;
    Ok(domain)
}

/// Takes `alo ahi blo bhi clo chi` after NULL, whose word is `name`: the box of so many cells of a general triclinic lattice.
fn lattice_box(session: &Session, args: &mut Args, name: &Word) -> Result<Domain> {
    let lattice = session.system.lattice.as_ref().filter(|lattice| lattice.general).ok_or_else(|| {
        args.error(name, "there is no lattice for a general triclinic box")
            .help("define it before with `lattice custom ... triclinic/general`")
    })?;
    let mut faces = [[0.0; 2]; 3];
    for face in faces.iter_mut().flatten() {
        *face = args.f64("a face of the box, in cells of the lattice")?;
    }
    if session.system.dimension == 2 && faces[2] != [-0.5, 0.5] {
        return Err(args.error(name, "the faces of a 2d box along c must be -0.5 and 0.5"));
    }
    let corner = faces.map(|[lo, _]| lo);
    let origin = lattice.position(corner);
    let edges = std::array::from_fn(|k| {
        let mut end = corner;
        end[k] = faces[k][1];
        let end = lattice.position(end);
        std::array::from_fn(|d| end[d] - origin[d])
    });
    Domain::from_edges(origin, edges, session.system.boundary)
        .map_err(|error| Error { help: error.help, ..args.error(name, error.message) })
}

/// Takes the keywords of `create_box`; returns the number of bond types.
fn bond_keywords(session: &Session, args: &mut Args) -> Result<usize> {
    let mut bond_types = 0;
    while let Some(word) = args.peek() {
        let known = ["bond/types", "extra/bond/per/atom", "extra/special/per/atom"].map(|name| (name, name));
        if !known.iter().any(|(name, _)| *name == word.text) {
            return Err(args.unsupported(word, "create_box keyword"));
        }
        let keyword = args.one_of("create_box keyword", &known)?;
        let number = args.peek();
        let count = args.count("a number", 0)? as usize;
        if keyword == "bond/types" {
            if let Some(number) = number.filter(|_| count > MOST_BOND_TYPES) {
                let message = format!("the number of bond types must be 0 to {MOST_BOND_TYPES}");
                return Err(args.error(number, message));
            }
            if !session.system.atom_style.molecular {
                let message = format!("atoms of style {} have no bonds", session.system.atom_style.name);
                return Err(args.error(word, message).help("write `atom_style bond` before"));
            }
            bond_types = count;
        }
    }
    Ok(bond_types)
}
