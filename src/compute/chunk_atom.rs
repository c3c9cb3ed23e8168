//! `compute chunk/atom`: atoms in chunks (bins of space, types, any values), numbered from 1. Source: LAMMPS manual.

use super::bins::{Axis, Bins};
use super::{Compute, Header, PerAtom, Shape, Values, header};
use crate::error::{Error, Result};
use crate::region::Region;
use crate::script::Args;
use crate::script::formula::Reference;
use crate::state::State;
use crate::system::{Form, Input, System};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

/// What makes a chunk.
enum Style {
    Bins(Vec<Axis>),
    Type,
    /// A value per atom, cut to an integer.
    Value(Input),
}

/// Atoms that lie outside of all bins, or have a chunk that is not there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Discard {
    /// Are in no chunk.
    Yes,
    /// Are in the nearest one.
    No,
    /// Are in no chunk where `bound` has set the end of the bins, else in the nearest one.
    Mixed,
}

/// `limit N max` or `exact`.
#[derive(Clone, Copy)]
struct Limit {
    most: usize,
    exact: bool,
    /// Whether it stands before `compress` and so counts before it.
    first: bool,
}

/// `compute chunk/atom`.
pub struct ChunkAtom {
    header: Header,
    style: Style,
    region: Option<Region>,
    reduced: bool,
    discard: Discard,
    compress: bool,
    limit: Option<Limit>,
    /// `nchunk once`: the bins, or the number of chunks, as they were at first.
    keeps_chunks: bool,
    /// `ids once`: atoms keep the chunks that they had at first.
    keeps_ids: bool,
    bins: RefCell<Option<Bins>>,
    count: RefCell<Option<usize>>,
    ids: RefCell<Option<HashMap<u32, u32>>>,
}

/// The chunks at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunks {
    /// How many there are.
    pub count: usize,
    /// The chunk of each atom, from 1, in the order of the atoms in memory; 0 for none.
    pub of_atom: Vec<u32>,
    /// The middle of each bin along each axis, in distance units or as a fraction of the box; empty without bins.
    pub coordinates: Vec<Vec<f64>>,
    /// With `compress` the number that each chunk had before; else empty.
    pub ids: Vec<i64>,
    /// Volume of a bin (area in 2d), or of the box where there are no bins.
    pub volume: f64,
}

/// Takes the style with its words, then keywords.
pub(super) fn new(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let word = args.word("a kind of chunk")?;
    let axes = |args: &mut Args<'_>, count: usize| -> Result<Vec<Axis>> {
        let mut axes: Vec<Axis> = Vec::new();
        for _ in 0..count {
            let word = args.peek();
            let axis = Axis::read(args)?;
            if let (Some(word), true) = (word, axes.iter().any(|other| other.axis == axis.axis)) {
                return Err(args.error(word, "this axis has bins already"));
            }
            axes.push(axis);
        }
        Ok(axes)
    };
    let style = match word.text.as_str() {
        "bin/1d" => Style::Bins(axes(args, 1)?),
        "bin/2d" => Style::Bins(axes(args, 2)?),
        "bin/3d" => Style::Bins(axes(args, 3)?),
        "type" => Style::Type,
        "bin/sphere" | "bin/cylinder" | "molecule" => return Err(args.unsupported(word, "kind of chunk")),
        _ => match Input::read(state, args, word, Form::PerAtom)?.as_deref() {
            Some([input]) => Style::Value(input.clone()),
            _ => {
                let known = ["bin/1d", "bin/2d", "bin/3d", "type", "c_ID", "f_ID", "v_NAME"];
                return Err(args.unknown(word, "kind of chunk", known.into_iter()));
            }
        },
    };
    let bins = matches!(style, Style::Bins(_));
    let mut compute = ChunkAtom {
        header,
        style,
        region: None,
        reduced: false,
        discard: if bins { Discard::Mixed } else { Discard::Yes },
        compress: false,
        limit: None,
        keeps_chunks: false,
        keeps_ids: false,
        bins: RefCell::default(),
        count: RefCell::default(),
        ids: RefCell::default(),
    };
    compute.keywords(state, args)?;
    if bins && state.domain()?.triclinic && !compute.reduced {
        let error = args.error_here("bins of a triclinic box count in fractions of its edges");
        return Err(error.help("add `units reduced`"));
    }
    Ok(Box::new(compute))
}

const KEYWORDS: [&str; 9] =
    ["region", "nchunk", "limit", "ids", "compress", "discard", "bound", "units", "pbc"];

impl ChunkAtom {
    fn keywords(&mut self, state: &State, args: &mut Args<'_>) -> Result<()> {
        let spacing = crate::lattice::spacing(state.lattice.as_ref());
        let mut scale = spacing;
        let mut bounds = [[None; 2]; 3];
        let mut ids_at = None;
        while let Some(word) = args.peek() {
            match args.one_of("keyword of compute chunk/atom", &KEYWORDS.map(|name| (name, name)))? {
                "region" => self.region = Some(state.regions.moving_arg(args)?.clone()),
                "nchunk" => self.keeps_chunks = args.one_of("choice", &[("once", true), ("every", false)])?,
                "limit" => {
                    let most = args.count("the number of chunks", 0)? as usize;
                    self.limit = None;
                    if most > 0 {
                        let exact = args.one_of("kind of limit", &[("max", false), ("exact", true)])?;
                        self.limit = Some(Limit { most, exact, first: !self.compress });
                    }
                }
                "ids" => {
                    if let Some(word) = args.peek().filter(|word| word.text == "nfreq") {
                        return Err(args.unsupported(word, "choice"));
                    }
                    ids_at = Some(word);
                    self.keeps_ids = args.one_of("choice", &[("once", true), ("every", false)])?;
                }
                "compress" => self.compress = args.yes_no()?,
                "discard" => {
                    let table = [("yes", Discard::Yes), ("no", Discard::No), ("mixed", Discard::Mixed)];
                    self.discard = args.one_of("treatment of other atoms", &table)?;
                    if self.discard == Discard::Mixed && !matches!(self.style, Style::Bins(_)) {
                        return Err(args.error(word, "only bins have discard mixed"));
                    }
                }
                "bound" => {
                    let d: usize = args.one_of("axis", &[("x", 0), ("y", 1), ("z", 2)])?;
                    for (side, end) in ["lower", "upper"].into_iter().enumerate() {
                        let open = args.accept(end);
                        bounds[d][side] = if open { None } else { Some(args.f64("a coordinate")?) };
                    }
                    if let [Some(lower), Some(upper)] = bounds[d]
                        && lower >= upper
                    {
                        let message = format!("the lower bound {lower} is not below the upper one {upper}");
                        return Err(args.error(word, message));
                    }
                }
                "units" => {
                    let reduced = [f64::NAN; 3];
                    let units = [("box", [1.0; 3]), ("lattice", spacing), ("reduced", reduced)];
                    scale = args.one_of("units", &units)?;
                }
                _ => {
                    args.yes_no()?; // for spheres and cylinders
                }
            }
        }
        self.reduced = scale[0].is_nan();
        if let Style::Bins(axes) = &mut self.style {
            let scale = if self.reduced { [1.0; 3] } else { scale };
            axes.iter_mut().for_each(|axis| axis.finish(bounds[axis.axis], scale[axis.axis]));
        }
        match ids_at.filter(|_| self.keeps_ids && !self.keeps_chunks && !matches!(self.style, Style::Type)) {
            Some(word) => Err(args
                .error(word, "ids once needs nchunk once")
                .help("add `nchunk once`: atoms can keep their chunks only while these stay")),
            None => Ok(()),
        }
    }

    /// How many coordinates a chunk has: as many as bins have axes.
    pub fn dimension(&self) -> usize {
        match &self.style {
            Style::Bins(axes) => axes.len(),
            _ => 0,
        }
    }

    /// Whether chunks without atoms are left out, so that the others have numbers from before.
    pub fn compresses(&self) -> bool {
        self.compress
    }

    /// The chunks of all atoms now.
    ///
    /// # Errors
    /// When the device fails or a value that makes chunks is not there.
    pub fn chunks(&self, system: &System<'_>) -> Result<Chunks> {
        let atoms = system.atoms()?;
        let domain = system.domain()?;
        let volume = domain.volume(system.state.dimension);
        let bins = match &self.style {
            Style::Bins(axes) => {
                let now = || Bins::new(axes, domain, self.reduced, volume);
                let bins = self.bins.borrow().clone().map_or_else(now, Ok)?;
                if self.keeps_chunks {
                    *self.bins.borrow_mut() = Some(bins.clone());
                }
                Some(bins)
            }
            _ => None,
        };
        // A number from 1 for each atom that is in a chunk at all; others have none.
        let mut raw: Vec<Option<i64>> = vec![None; atoms.len()];
        let members = system.indices(self.header.group, self.region.as_ref())?;
        match (&self.style, &bins) {
            (_, Some(bins)) => {
                members.iter().for_each(|&i| raw[i] = bins.find(&atoms.x[i], domain, self.discard));
            }
            (Style::Value(input), _) => {
                let values = input.per_atom(system)?;
                members.iter().for_each(|&i| raw[i] = Some(values[i] as i64));
            }
            _ => members.iter().for_each(|&i| raw[i] = Some(atoms.kind[i].into())),
        }
        let mut count = match (&bins, &self.style) {
            (Some(bins), _) => bins.count(),
            (_, Style::Type) => system.state.types(),
            _ => raw.iter().flatten().max().map_or(1, |&most| most.max(1) as usize),
        };
        let limit = self.limit.filter(|_| bins.is_none());
        let apply = |count: usize, limit: Limit, exact: bool| match exact {
            true => limit.most,
            false => count.min(limit.most),
        };
        if let Some(limit) = limit.filter(|limit| !self.compress || limit.first) {
            count = apply(count, limit, limit.exact && !self.compress);
        }
        let mut ids = Vec::new();
        if self.compress {
            let most = if limit.is_some_and(|limit| limit.first) { count as i64 } else { i64::MAX };
            let used: BTreeSet<i64> = raw.iter().flatten().copied().filter(|&id| id <= most).collect();
            ids = used.into_iter().collect();
            let place = |id: &mut i64| *id = ids.binary_search(id).map_or(i64::MAX, |place| place as i64 + 1);
            raw.iter_mut().flatten().for_each(place);
            count = limit.map_or(ids.len(), |limit| apply(ids.len(), limit, limit.exact));
            ids.resize(count, 0);
        }
        if self.keeps_chunks {
            count = *self.count.borrow_mut().get_or_insert(count);
        }
        let inside = |id: Option<i64>| match id {
            Some(id) if id >= 1 && id as usize <= count => id as u32,
            Some(_) if self.discard == Discard::No => count as u32,
            _ => 0,
        };
        let mut of_atom: Vec<u32> = raw.into_iter().map(inside).collect();
        if self.keeps_ids {
            let mut kept = self.ids.borrow_mut();
            let kept =
                kept.get_or_insert_with(|| atoms.tag.iter().copied().zip(of_atom.iter().copied()).collect());
            let old = |tag: &u32| kept.get(tag).copied().unwrap_or(0);
            of_atom = atoms.tag.iter().map(old).collect();
        }
        let (coordinates, volume) = match bins {
            Some(bins) if self.compress => {
                let all = bins.coordinates();
                (ids.iter().map(|&id| all[id as usize - 1].clone()).collect(), bins.volume(volume))
            }
            Some(bins) => (bins.coordinates(), bins.volume(volume)),
            None => (Vec::new(), volume),
        };
        Ok(Chunks { count, of_atom, coordinates, ids, volume })
    }
}

impl Compute for ChunkAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape { scalar: true, ..Shape::per_atom(0) }
    }

    fn inputs(&self) -> Vec<Reference> {
        match &self.style {
            Style::Value(input) => vec![input.reference.clone()],
            _ => Vec::new(),
        }
    }

    fn evaluate(&self, system: &System<'_>) -> Result<Values> {
        let chunks = self.chunks(system)?;
        let atoms = chunks.of_atom.into_iter().map(f64::from).collect();
        let scalar = Some(chunks.count as f64);
        Ok(Values { scalar, atoms: Some(PerAtom::Vector(atoms)), ..Values::default() })
    }

    fn chunk_atom(&self) -> Option<&ChunkAtom> {
        Some(self)
    }
}

/// The chunks of the compute of an ID, as they are now.
///
/// # Errors
/// When there is no such compute, or it is of another style.
pub fn chunks_of(system: &System<'_>, id: &str) -> Result<Chunks> {
    let compute = system.compute(id)?.chunk_atom();
    compute.ok_or_else(|| Error::new(format!("compute {id} is not of style chunk/atom")))?.chunks(system)
}
