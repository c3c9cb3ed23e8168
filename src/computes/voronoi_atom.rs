//! `compute voronoi/atom`: the cells of points that are nearer to an atom than to any other. Source: LAMMPS manual; with radii
//! these are radical cells, x belongs to the atom of the smallest |x - x_i|^2 - R_i^2 (B. J. Gellatly and J. L. Finney, J.
//! Non-Cryst. Solids 50, 313 (1982)).
//!
//! A cell is what planes halfway to its neighbours, nearest ones first, leave of a cube around the atom (C. H. Rycroft, Chaos
//! 19, 041111 (2009)); no more planes can reach it once they come from farther away than twice its farthest vertex.

pub(super) mod cell;
mod tessellation;

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::script::Args;
use crate::script::formula::Reference;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use crate::session::snapshot::{Form, Input};
use cell::{Cell, Face};
use std::cell::RefCell;
use tessellation::{Sites, cells, occupants};

struct VoronoiAtom {
    header: Header,
    /// `only_group`: there are no other atoms.
    alone: bool,
    /// `radius`.
    radius: Option<Input>,
    /// `surface`: the bit of the group that faces are counted towards.
    surface: Option<u32>,
    /// `edge_histo`, 0 for none.
    most_edges: usize,
    least_edge: f64,
    least_face: f64,
    /// `neighbors yes`.
    lists_faces: bool,
    /// `occupation`: the atoms as they were first; `None` before that.
    occupation: Option<RefCell<Option<First>>>,
}

/// Atoms as they were when their cells were first asked for.
struct First {
    sites: Sites,
    /// Their IDs.
    tags: Vec<u32>,
}

/// Takes keywords.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let mut new = VoronoiAtom {
        header,
        alone: false,
        radius: None,
        surface: None,
        most_edges: 0,
        least_edge: 0.0,
        least_face: 0.0,
        lists_faces: false,
        occupation: None,
    };
    let keywords = [
        "only_group",
        "occupation",
        "surface",
        "radius",
        "edge_histo",
        "edge_threshold",
        "face_threshold",
        "neighbors",
    ];
    while !args.is_empty() {
        let threshold = |args: &mut Args<'_>, what: &str| {
            let word = args.peek();
            let least = args.f64(what)?;
            match word.filter(|_| least < 0.0) {
                Some(word) => Err(args.error(word, "a threshold is not below 0")),
                None => Ok(least),
            }
        };
        match args.one_of("keyword", &keywords.map(|name| (name, name)))? {
            "only_group" => new.alone = true,
            "occupation" => new.occupation = Some(RefCell::default()),
            "surface" => new.surface = Some(session.system.groups.arg(args)?),
            "radius" => new.radius = Some(Input::take(session, args, Form::PerAtom)?.remove(0)),
            "edge_histo" => new.most_edges = args.count_up_to("the largest number of edges", 1, 10_000)?,
            "edge_threshold" => new.least_edge = threshold(args, "a length")?,
            "face_threshold" => new.least_face = threshold(args, "an area")?,
            _ => new.lists_faces = args.yes_no()?,
        }
    }
    if new.occupation.is_some() && (new.surface.is_some() || new.most_edges > 0 || new.lists_faces) {
        let message = "occupation counts atoms: it goes with neither surface, edge_histo nor neighbors";
        return Err(args.error_here(message).help("define another compute for those"));
    }
    Ok(Box::new(new))
}

impl VoronoiAtom {
    /// The atoms that have cells, and their indices.
    fn sites(&self, system: &Snapshot<'_>) -> Result<(Sites, Vec<usize>)> {
        let group = if self.alone { self.header.group } else { 1 };
        let members = system.indices(group, None)?;
        let x = &system.atoms()?.x;
        let radii = self.radius.as_ref().map(|radius| radius.per_atom(system)).transpose()?;
        let radii = radii.map(|radii| members.iter().map(|&i| radii[i]).collect());
        Ok((Sites { x: members.iter().map(|&i| x[i]).collect(), radii }, members))
    }

    /// Refuses more cells than there is memory for: what is kept of each, and of its faces, of which an atom of a fluid has about 16, and
    /// the neighbours that they are found from.
    fn check_memory(&self, cells: usize) -> Result<()> {
        const FACES: usize = 16;
        let face = match (self.most_edges > 0, self.lists_faces) {
            (_, true) => size_of::<(Option<u32>, f64)>() + 3 * 8 + 8,
            (true, false) => 8,
            (false, false) => 0,
        };
        let bytes = cells * (size_of::<Option<Found>>() + FACES * face);
        memory::check(bytes as f64).map_err(|error| {
            Error::new(format!("compute {}: {cells} cells: {}", self.header.id, error.message))
                .help("take a smaller group for the compute, or none of `neighbors` and `edge_histo`")
        })
    }

    /// Per atom, how many atoms are in the cell that was its own at first, and in the cell where it is.
    fn occupation(&self, system: &Snapshot<'_>, first: &RefCell<Option<First>>) -> Result<Values> {
        let atoms = system.atoms()?;
        if first.borrow().is_none() {
            let (sites, members) = self.sites(system)?;
            let tags = members.iter().map(|&i| atoms.tag[i]).collect();
            *first.borrow_mut() = Some(First { sites, tags });
        }
        let first = first.borrow();
        let Some(First { sites, tags }) = &*first else { return Ok(Values::default()) };
        let home = occupants(system.domain()?, system.session.system.dimension, sites, &atoms.x);
        let mut counts = vec![0.0; sites.x.len()];
        home.iter().flatten().for_each(|&site| counts[site as usize] += 1.0);
        let of_tag: std::collections::HashMap<u32, f64> =
            tags.iter().copied().zip(counts.iter().copied()).collect();
        let own = atoms.tag.iter().map(|tag| of_tag.get(tag).copied().unwrap_or(0.0)).collect();
        let here = home.iter().map(|site| site.map_or(0.0, |site| counts[site as usize])).collect();
        Ok(Values::per_atom(PerAtom::Array(vec![own, here])))
    }
}

/// What is kept of a cell.
struct Found {
    volume: f64,
    faces: usize,
    surface: f64,
    /// The number of edges of each face.
    edges: Vec<usize>,
    /// Who is beyond a face, and its area.
    areas: Vec<(Option<u32>, f64)>,
}

impl Compute for VoronoiAtom {
    header!();

    fn shape(&self) -> Shape {
        let columns = if self.surface.is_some() { 3 } else { 2 };
        let vector = (self.most_edges > 0).then_some(self.most_edges + 1);
        let local = self.lists_faces.then_some(3);
        Shape { atoms: Some(columns), vector, local, ..Shape::default() }
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        if let Some(first) = &self.occupation {
            return self.occupation(system, first);
        }
        let atoms = system.atoms()?;
        let (sites, members) = self.sites(system)?;
        let mut wanted: Vec<usize> =
            (0..members.len()).filter(|&k| atoms.mask[members[k]] & self.header.group != 0).collect();
        wanted.sort_by_key(|&k| atoms.tag[members[k]]);
        let (surface, least_face, least_edge) = (self.surface, self.least_face, self.least_edge);
        let counts = |owner: Option<u32>| match surface {
            // All faces count towards the group of all atoms, also those with nobody beyond.
            Some(1) => true,
            Some(group) => owner.is_some_and(|k| atoms.mask[members[k as usize]] & group != 0),
            None => false,
        };
        let (counts_edges, lists_faces) = (self.most_edges > 0, self.lists_faces);
        self.check_memory(wanted.len())?;
        let look = |cell: &Cell| {
            let areas: Vec<(&Face, f64)> = cell.faces.iter().map(|face| (face, cell.area(face))).collect();
            let large = || areas.iter().filter(|(_, area)| *area > least_face);
            Found {
                volume: cell.volume(),
                faces: large().count(),
                surface: areas
                    .iter()
                    .filter(|(face, _)| counts(face.owner))
                    .fold(0.0, |sum, (_, area)| sum + area),
                edges: match counts_edges {
                    true => large().map(|(face, _)| cell.edges(face, least_edge)).collect(),
                    false => Vec::new(),
                },
                areas: match lists_faces {
                    true => large().map(|(face, area)| (face.owner, *area)).collect(),
                    false => Vec::new(),
                },
            }
        };
        let found = cells(system.domain()?, system.session.system.dimension, &sites, &wanted, look);
        let mut columns = vec![vec![0.0; atoms.len()]; if self.surface.is_some() { 3 } else { 2 }];
        let mut vector = vec![0.0; if self.most_edges > 0 { self.most_edges + 1 } else { 0 }];
        let rows = found.iter().map(|found| found.areas.len()).sum();
        let mut local: Vec<Vec<f64>> =
            (0..if self.lists_faces { 3 } else { 0 }).map(|_| Vec::with_capacity(rows)).collect();
        for (&k, found) in wanted.iter().zip(&found) {
            let i = members[k];
            let values = [found.volume, found.faces as f64, found.surface];
            columns.iter_mut().zip(values).for_each(|(column, value)| column[i] = value);
            if self.most_edges > 0 {
                let edges = found.edges.iter().filter(|&&edges| edges > 0);
                edges.for_each(|&edges| vector[edges.min(self.most_edges + 1) - 1] += 1.0);
            }
            if self.lists_faces {
                for (owner, area) in &found.areas {
                    let beyond = owner.map_or(0, |k| atoms.tag[members[k as usize]]);
                    let row = [f64::from(atoms.tag[i]), f64::from(beyond), *area];
                    local.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
                }
            }
        }
        Ok(Values { atoms: Some(PerAtom::Array(columns)), vector, local, ..Values::default() })
    }

    fn inputs(&self) -> Vec<Reference> {
        self.radius.iter().map(|input| input.reference.clone()).collect()
    }
}
