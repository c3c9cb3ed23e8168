//! `create_box`, `create_atoms`, `mass`. Source: LAMMPS manual.

mod body;
mod chosen;
pub(crate) mod create_box;
mod mesh;
mod random;
mod stl;

use crate::base::error::{Error, Result};
use crate::commands::region::region_now;
use crate::model::atoms::{Atoms, check_type, one_type, type_range};
use crate::model::domain::Domain;
use crate::model::lattice;
use crate::model::lattice::Lattice;
use crate::model::molecule::no_more_ids;
use crate::model::region::Region;
use crate::script::{Args, Word};
use crate::session::Session;
use body::Body;
use chosen::{Part, Test, Wanted};
pub use create_box::create_box;
use mesh::Mode;
use random::Random;
use std::time::Instant;
use stl::Stl;

/// What tells an atom on the upper face of a periodic box from its image on the lower one, in box lengths.
const EPSILON: f64 = 1e-6;

/// What to do about too many atoms.
const SCALE: &str = "check the scale of the lattice and the size of the box";

/// `mass TYPES VALUE`. In `atom_style hybrid` of spheres and another style it counts for nothing but what data files have.
///
/// # Errors
/// When there is no box, atoms are of style sphere alone, a type is out of range or the value is not positive.
pub fn mass(session: &mut Session, args: &mut Args) -> Result<()> {
    session.domain()?;
    let style = session.system.atom_style;
    if style.round && !style.has_both_masses() {
        let error = args.error_here("atoms of style sphere have masses of their own");
        return Err(error.help("write `set type 1 density 1.0` or `set type 1 mass 1.0`"));
    }
    let types = type_range(args, session.types(), &session.system.labels.atom)?;
    let mass = args.positive("a mass")?;
    args.finish()?;
    let system = &mut session.system;
    let masses = if style.round { &mut system.unused_mass } else { &mut system.mass };
    types.for_each(|kind| masses[kind - 1] = Some(mass));
    Ok(())
}

/// Which places get atoms.
enum Places {
    Lattice(Option<Region>),
    Random {
        count: u64,
        seed: u32,
        region: Option<Region>,
    },
    Single([f64; 3]),
    /// The word with the name of an STL file.
    Mesh(Word),
}

/// `create_atoms TYPE box | region NAME | single x y z | random N SEED REGION | mesh FILE`, keywords basis, units, remap,
/// overlap, maxtry, meshmode, ratio, subset, var, set, mol, rotate. With `mol ID SEED` there are molecules at the places.
///
/// IDs continue the present ones. A lattice is filled cell by cell, z slowest, basis fastest.
///
/// # Errors
/// When there is no box or no lattice, a type is out of range, a file is malformed, or a style or keyword is not supported.
pub fn create_atoms(session: &mut Session, args: &mut Args) -> Result<()> {
    let start = Instant::now();
    let domain = session.domain()?.clone();
    let types = session.types();
    let word = args.peek();
    // With molecules it is added to the types of their atoms.
    let with_molecule = args.rest().iter().any(|word| word.text == "mol");
    let kind = if with_molecule {
        args.int("a number to add to atom types")?
    } else {
        one_type("atom", args, types, &session.system.labels.atom)?
    };
    let style = args.word("box, region, single, random or mesh")?;
    let mut places = match style.text.as_str() {
        "box" => Places::Lattice(None),
        "region" => Places::Lattice(Some(region_now(session, args)?)),
        "single" => {
            let what = "a coordinate";
            Places::Single([args.f64(what)?, args.f64(what)?, args.f64(what)?])
        }
        "random" => {
            let count = args.count("a number of atoms", 0)?;
            let word = args.peek();
            let seed: u32 = args.int("a seed")?;
            if let Some(word) = word.filter(|_| !(1..i32::MAX as u32).contains(&seed)) {
                return Err(args.error(word, "a seed must lie within 1 and 2147483646"));
            }
            let region = if args.accept("NULL") { None } else { Some(region_now(session, args)?) };
            Places::Random { count, seed, region }
        }
        "mesh" => Places::Mesh(args.word("an STL file")?.clone()),
        _ => {
            let styles = ["box", "region", "single", "random", "mesh"];
            return Err(args.unknown(style, "create_atoms style", styles.into_iter()));
        }
    };
    let lattice = session.system.lattice.clone().filter(|lattice| !lattice.basis.is_empty());
    let sites = lattice.as_ref().map_or(0, |lattice| lattice.basis.len());
    let options = options(session, args, kind, types, sites)?;
    // The word was the name of something else.
    if let (None, Some(word)) = (&options.body, word) {
        check_type(args, word, kind as usize, types)?;
    }
    if let (Places::Single(_), true) = (&places, options.test.is_some()) {
        return Err(args.error(style, "`var` does not go with `single`"));
    }
    options.check_mesh(args, matches!(places, Places::Mesh(_)))?;

    if let (Places::Single(x), false) = (&mut places, options.box_units) {
        let spacing = lattice::spacing(session.system.lattice.as_ref());
        for d in 0..3 {
            x[d] *= spacing[d];
        }
    }
    let unit = if options.box_units { 1.0 } else { lattice::spacing(session.system.lattice.as_ref())[0] };
    let overlap = options.overlap * unit;
    let dimension = session.system.dimension;
    let mut all = std::mem::take(session.atoms_mut()?);
    let before = all.len();
    // The middles of molecules are found as if they were atoms.
    let (mut body, mut middles) = (options.body, Atoms::default());
    let atoms = if body.is_some() { &mut middles } else { &mut all };
    let first = atoms.len();
    let (mut complete, mut remarks) = (true, Vec::new());
    let wanted = |x| options.test.as_ref().map_or(Ok(true), |test| test.wants(session, x));
    match places {
        Places::Random { count, seed, region } => {
            let random = Random { count, seed, region, overlap, tries: options.tries };
            let flat = dimension == 2;
            complete = random.fill(&mut all, &domain, kind, flat, &wanted, body.as_mut())?;
        }
        Places::Single(x) => single(atoms, &domain, kind, x, options.remap)?,
        Places::Mesh(file) => {
            let stl = Stl::read(&file.text).map_err(|error| args.place(&file, error))?;
            remarks.push(stl.describe());
            let mode = options.mesh.unwrap_or(Mode::Bisect(1.0));
            let molecular = session.has_molecules();
            remarks.push(mesh::fill(atoms, &domain, kind, molecular, &stl, mode)?);
        }
        Places::Lattice(region) => {
            let lattice = lattice.ok_or_else(|| {
                args.error(style, "there is no lattice to put atoms on")
                    .help("define it before with `lattice`")
            })?;
            if lattice.general != domain.general.is_some() {
                let [kind, other] = match lattice.general {
                    true => ["general triclinic", "one that is not"],
                    false => ["not general triclinic", "one that is"],
                };
                let message = format!("the lattice is {kind}, the box is {other}");
                return Err(args
                    .error(style, message)
                    .help("see the keyword triclinic/general of `lattice`"));
            }
            let kinds = &options.kinds;
            fill(atoms, &domain, &lattice, region.as_ref(), kinds, dimension == 2, &wanted)?;
            options.part.iter().try_for_each(|part| part.keep(atoms, first))?;
        }
    }
    for x in middles.x {
        if let Some(body) = &mut body {
            let sites = body.sites(x);
            body.put(&mut all, &domain, sites)?;
        }
    }
    let created = all.len() - before;
    session.system.host_atoms = all;
    session.system.topology.let_go_of(&session.system.host_atoms.tag[before..]);
    if let Some(body) = body.filter(|body| !body.bonds.is_empty()) {
        session.system.topology.bonds.extend(body.bonds);
        session.system.topology.describe_special(&mut session.output.log);
    }
    if !complete {
        session
            .output
            .log
            .line(&format!("WARNING: Only inserted {created} particles: the tries (maxtry) ran out"));
    }
    remarks.iter().for_each(|remark| session.output.log.line(remark));
    let units = if options.box_units { "box" } else { "lattice" };
    session.output.log.line(&format!("Created {created} atoms"));
    session.output.log.line(&format!("  using {units} units in {}", domain.describe()));
    session.output.log.line(&format!("  create_atoms CPU = {:.3} seconds", start.elapsed().as_secs_f64()));
    Ok(())
}

/// The keywords of `create_atoms`.
struct Options {
    /// Type per basis atom.
    kinds: Vec<u32>,
    box_units: bool,
    remap: bool,
    /// The least distance of random atoms from all others, in units of `units`.
    overlap: f64,
    /// How often a place is tried for a random atom.
    tries: u32,
    /// Where atoms are wanted.
    test: Option<Test>,
    /// How many of the places of a lattice get atoms.
    part: Option<Part>,
    /// The molecules that there are to be instead of atoms.
    body: Option<Body>,
    /// How atoms lie on a mesh.
    mesh: Option<Mode>,
}

impl Options {
    /// Refuses what does not go with a mesh, or without one.
    fn check_mesh(&self, args: &Args<'_>, mesh: bool) -> Result<()> {
        match (mesh, &self.mesh) {
            (false, Some(_)) => Err(args.error_here("`meshmode` is for `mesh`")),
            (true, _) if self.body.is_some() => Err(args.error_here("`mol` does not go with `mesh`")),
            (true, _) if self.test.is_some() => Err(args.error_here("`var` does not go with `mesh`")),
            (true, _) if !self.box_units => {
                Err(args.error_here("`mesh` needs `units box`: a file has its own lengths"))
            }
            _ => Ok(()),
        }
    }
}

fn options(session: &mut Session, args: &mut Args, kind: u32, types: usize, sites: usize) -> Result<Options> {
    let mut options = Options {
        kinds: vec![kind; sites],
        box_units: false,
        remap: false,
        overlap: 0.0,
        tries: 1000,
        test: None,
        part: None,
        body: None,
        mesh: None,
    };
    let mut turn = None;
    while let Some(word) = args.peek() {
        if word.text == "radscale" {
            return Err(args.error(word, "`radscale` needs atoms with radii, which no atom style here has"));
        }
        match args.one_of(
            "create_atoms keyword",
            &[
                ("basis", 0),
                ("units", 1),
                ("remap", 2),
                ("overlap", 3),
                ("maxtry", 4),
                ("ratio", 5),
                ("subset", 5),
                ("var", 6),
                ("set", 7),
                ("mol", 8),
                ("rotate", 9),
                ("meshmode", 10),
            ],
        )? {
            0 => {
                let site: &Word = args.clone().word("a basis atom")?;
                let number: usize = args.int("a basis atom")?;
                if !(1..=sites).contains(&number) {
                    return Err(args.error(site, format_args!("the lattice has basis atoms 1 to {sites}")));
                }
                options.kinds[number - 1] = one_type("atom", args, types, &session.system.labels.atom)?;
            }
            1 => options.box_units = args.one_of("units", &[("box", true), ("lattice", false)])?,
            2 => options.remap = args.yes_no()?,
            3 => options.overlap = args.positive("a least distance")?,
            4 => options.tries = u32::try_from(args.count("a number of tries", 1)?).unwrap_or(u32::MAX),
            5 => options.part = Some(Part::read(args, word)?),
            6 => options.test.get_or_insert_default().variable(session, args)?,
            7 => options.test.get_or_insert_default().coordinate(session, args)?,
            8 => options.body = Some(Body::read(session, args, kind)?),
            9 => turn = Some((word, body::rotate(session, args, word)?)),
            _ => options.mesh = Some(Mode::read(args)?),
        }
    }
    options.test.iter().try_for_each(|test| test.check(args))?;
    match (options.body.take(), turn) {
        (Some(body), turn) => options.body = Some(body.turned(turn.map(|(_, turn)| turn))),
        (None, Some((word, _))) => return Err(args.error(word, "`rotate` needs `mol`, too")),
        (None, None) => {}
    }
    Ok(options)
}

/// Adds one atom if it lies in the box; one that is remapped into it counts no images, as in LAMMPS.
fn single(atoms: &mut Atoms, domain: &Domain, kind: u32, mut x: [f64; 3], remap: bool) -> Result<()> {
    if remap {
        domain.wrap(&mut x, &mut [0; 3]);
    }
    if domain.contains(x) {
        atoms.push(next_tag(atoms)?, kind, x);
    }
    Ok(())
}

/// Adds an atom of type `kinds[site]` on every lattice site in the box (and in the region) where it is `wanted`.
fn fill(
    atoms: &mut Atoms,
    domain: &Domain,
    lattice: &Lattice,
    region: Option<&Region>,
    kinds: &[u32],
    flat: bool,
    wanted: &Wanted<'_>,
) -> Result<()> {
    let (mut lo, mut hi) = (domain.lo, domain.hi);
    for d in (0..3).filter(|&d| domain.periodic(d)) {
        let epsilon = EPSILON * (hi[d] - lo[d]);
        lo[d] -= epsilon;
        hi[d] -= 2.0 * epsilon;
    }
    let [block_lo, block_hi] = if domain.triclinic { domain.bounds() } else { [lo, hi] };
    let Some(cells) = cells(domain, lattice, [block_lo, block_hi], region) else {
        return Ok(());
    };
    // Exact limits are tested per atom; these are no fewer, so that nothing grows on the way. A tilted lattice has cells beside
    // the box, so the volume is asked too: the cells of all sites in the box are in a block that is longer by their extent.
    let layers = cells.iter().take(if flat { 2 } else { 3 }).map(|[first, last]| last - first + 1.0);
    let mut most = kinds.len() as f64 * layers.product::<f64>();
    let mut expected = most;
    if !flat {
        let corner = |cell: [f64; 3]| domain.restricted_position(lattice.position(cell));
        let origin = corner([0.0; 3]);
        let edges = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(corner);
        let extent = |d: usize| edges.iter().map(|edge| (edge[d] - origin[d]).abs()).sum::<f64>();
        let edge = |d: usize| block_hi[d] - block_lo[d];
        let held = |volume: f64| kinds.len() as f64 * volume / lattice.cell_volume();
        expected = expected.min(held((0..3).map(edge).product()));
        most = most.min(held((0..3).map(|d| edge(d) + extent(d)).product()));
    }
    if expected > f64::from(u32::MAX) {
        return Err(
            Error::new(format!("about {expected:.2e} atoms are more than there are IDs for")).help(SCALE)
        );
    }
    atoms.reserve_most(most.ceil() as usize, expected).map_err(|error| error.help(SCALE))?;

    let [is, js, ks] = cells.map(|[first, last]| first as i64..=last as i64);
    let mut tag = next_tag(atoms)?;
    let inside = |x: [f64; 3]| {
        let x = domain.straighten(x);
        (0..3).all(|d| lo[d] <= x[d] && x[d] < hi[d])
    };
    for k in if flat { 0..=0 } else { ks } {
        for j in js.clone() {
            for i in is.clone() {
                let cell = [i as f64, j as f64, k as f64];
                for (site, &kind) in lattice.basis.iter().zip(kinds) {
                    let x = lattice.position(std::array::from_fn(|d| cell[d] + site[d]));
                    let x = domain.restricted_position(x);
                    if inside(x) && region.is_none_or(|region| region.contains(x)) && wanted(x)? {
                        atoms.push(tag, kind, x);
                        tag = tag.checked_add(1).ok_or_else(too_many)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// First and last lattice cell per primitive vector that can have sites in the box and in the region;
/// `None` when they do not meet.
fn cells(
    domain: &Domain,
    lattice: &Lattice,
    [mut lo, mut hi]: [[f64; 3]; 2],
    region: Option<&Region>,
) -> Option<[[f64; 2]; 3]> {
    if let Some([region_lo, region_hi]) = region.and_then(Region::bounds) {
        for d in 0..3 {
            lo[d] = lo[d].max(region_lo[d]);
            hi[d] = hi[d].min(region_hi[d]);
        }
    }
    if (0..3).any(|d| lo[d] > hi[d]) {
        return None;
    }
    let corners: [[f64; 3]; 8] = std::array::from_fn(|n| {
        let corner = std::array::from_fn(|d| if n >> d & 1 == 1 { hi[d] } else { lo[d] });
        lattice.point(domain.general_position(corner))
    });
    Some(std::array::from_fn(|d| {
        let along = corners.map(|corner| corner[d]);
        let first = along.iter().fold(f64::MAX, |a, &b| a.min(b));
        let last = along.iter().fold(f64::MIN, |a, &b| a.max(b));
        // A cell more on either side makes up for rounding.
        [first.floor() - 1.0, last.ceil() + 1.0]
    }))
}

fn next_tag(atoms: &Atoms) -> Result<u32> {
    atoms.tag.iter().max().copied().unwrap_or(0).checked_add(1).ok_or_else(too_many)
}

fn too_many() -> Error {
    no_more_ids("atom")
}
