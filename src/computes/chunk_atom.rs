//! `compute chunk/atom`: atoms in chunks (bins of space, types, molecules, any values), numbered from 1. Source: LAMMPS
//! manual.

mod arguments;
mod cells;

pub(crate) use arguments::new;

use super::bins::{Axis, Bins};
use super::shells::Round;
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::parallel;
use crate::model::atoms::{Atoms, ById};
use crate::model::region::Region;
use crate::script::atom_expr::{AtomExpr, AtomProperty};
use crate::script::formula::Reference;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::fix::Fix;
use crate::session::snapshot::view::Snapshot;
use crate::session::snapshot::{Input, Places};
use cells::{Cells, Hold};
use std::any::Any;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What makes a chunk.
enum Style {
    Bins(Vec<Axis>),
    Round(Round),
    Type,
    Molecule,
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

/// When atoms are given chunks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ids {
    Every,
    Once,
    /// Once for each average of a fix.
    Nfreq,
}

/// What there is of chunks before atoms are put into them.
#[derive(Clone)]
struct Layout {
    cells: Option<Cells>,
    /// How many chunks there are.
    count: usize,
    /// With `compress`, the numbers that chunks with atoms had before.
    used: Option<Vec<i64>>,
    /// Of a bin, or of each.
    volumes: Vec<f64>,
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
    /// `nchunk once`: the chunks as they were at first.
    keeps_chunks: bool,
    keeps_ids: Ids,
    layout: RefCell<Option<Layout>>,
    ids: RefCell<Option<ById<u32>>>,
    hold: RefCell<Option<Hold>>,
}

/// The chunks at one moment.
#[derive(Clone, Debug)]
pub struct Chunks {
    /// How many there are.
    pub count: usize,
    /// The chunk of each atom.
    pub places: Places,
    /// The middle of each bin along each axis, in distance units or as a fraction of the box; empty without bins.
    pub coordinates: Vec<Vec<f64>>,
    /// With `compress` the number that each chunk had before; else empty.
    pub ids: Vec<i64>,
    /// Volume of a bin (area in 2d), or of the box where there are no bins: one for all, or one for each.
    pub volumes: Vec<f64>,
}

impl Chunks {
    /// The chunk of each atom, from 1, in the order of the atoms in memory; 0 for none.
    ///
    /// # Errors
    /// When the device fails.
    pub fn of_atom(&self, system: &Snapshot<'_>) -> Result<Cow<'_, [u32]>> {
        self.places.known(system)
    }

    /// The value of the chunk of each atom, 0 for those in none, as a recipe; `None` where the host finds the chunks.
    pub fn table(&self, values: impl Iterator<Item = f64>) -> Option<AtomExpr> {
        match &self.places {
            Places::AtomExpr(chunk) => {
                Some(chunk.clone().of_table([0.0].into_iter().chain(values).collect::<Vec<f64>>()))
            }
            Places::Known(_) => None,
        }
    }

    /// Of each chunk the number of atoms of a group, and the sums of values over these, by the device; `None` where the host
    /// has to make them.
    ///
    /// # Errors
    /// When the device fails.
    pub fn sums(
        &self,
        system: &Snapshot<'_>,
        group: u32,
        values: impl IntoIterator<Item = AtomExpr>,
    ) -> Result<Option<Vec<Vec<f64>>>> {
        self.places.sums(system, group, self.count, values)
    }

    /// The volume of a chunk, from 0.
    pub fn volume(&self, chunk: usize) -> f64 {
        self.volumes.get(chunk).or(self.volumes.first()).copied().unwrap_or(0.0)
    }
}

impl ChunkAtom {
    fn has_bins(&self) -> bool {
        matches!(self.style, Style::Bins(_) | Style::Round(_))
    }

    /// How many coordinates a chunk has: as many as bins have axes, and one for a radius.
    pub fn dimension(&self) -> usize {
        match &self.style {
            Style::Bins(axes) => axes.len(),
            Style::Round(round) => round.coordinates(),
            _ => 0,
        }
    }

    /// Whether chunks without atoms are left out, so that the others have numbers from before.
    pub fn compresses(&self) -> bool {
        self.compress
    }

    /// Keeps the chunks of now up to a step, or for as long as there is a fix, whose `owner` is. With `ids nfreq` atoms
    /// keep theirs, too.
    ///
    /// # Errors
    /// When another fix holds them over other steps.
    pub fn hold(&self, owner: &Rc<()>, first: i64, last: i64) -> Result<()> {
        let mut hold = self.hold.borrow_mut();
        let owner = Rc::downgrade(owner);
        if let Some(held) = hold.as_ref().filter(|held| held.holds(first)) {
            if (held.first, held.last) == (first, last) {
                return Ok(());
            }
            if !held.owner.ptr_eq(&owner) {
                let message = "two fixes average over the chunks of this compute at different steps";
                let error = Error::new(format!("compute {}: {message}", self.header.id));
                return Err(error.help("give each fix a compute of its own"));
            }
        }
        *hold = Some(Hold { owner, first, last });
        if !self.keeps_chunks {
            *self.layout.borrow_mut() = None;
        }
        if self.keeps_ids == Ids::Nfreq {
            *self.ids.borrow_mut() = None;
        }
        Ok(())
    }

    /// A number for each atom that is in a chunk at all, before `compress`; others have none.
    fn raw(&self, system: &Snapshot<'_>, cells: Option<&Cells>) -> Result<Vec<Option<i64>>> {
        let (atoms, domain) = (system.atoms()?, system.domain()?);
        let region = self.region.as_ref().map(|region| system.placed(region)).transpose()?;
        let group = self.header.group;
        let outside = |i: usize| {
            let left_out = || region.as_ref().is_some_and(|region| !region.contains(atoms.x[i]));
            atoms.mask[i] & group == 0 || left_out()
        };
        let values = match &self.style {
            Style::Value(input) => Some(input.per_atom(system)?),
            _ => None,
        };
        let (of_molecules, discard) = (matches!(self.style, Style::Molecule), self.discard);
        Ok(parallel::map(atoms.len(), |i| match cells {
            _ if outside(i) => None,
            Some(Cells::Bins(bins)) => bins.find(&atoms.x[i], domain, discard),
            Some(Cells::Shells(shells)) => shells.find(&atoms.x[i], domain, discard),
            None if of_molecules => Some(atoms.molecule[i].into()),
            None => Some(values.as_ref().map_or(atoms.kind[i].into(), |values| values[i] as i64)),
        }))
    }

    /// The chunk of each atom as a recipe, before limits; `None` where the host finds it.
    fn recipe(&self, system: &Snapshot<'_>, cells: Option<&Cells>) -> Result<Option<AtomExpr>> {
        if self.compress || self.keeps_ids != Ids::Every || !system.works_out() {
            return Ok(None);
        }
        let recipe = match (cells, &self.style) {
            (Some(Cells::Bins(bins)), _) => bins.recipe(system.domain()?, self.discard),
            (None, Style::Type) => AtomExpr::own(AtomProperty::Type),
            // An atom of no molecule is in no chunk, or else in the last one, which the host sees to.
            (None, Style::Molecule) if self.discard != Discard::No => match system.property_recipe("mol") {
                Some(recipe) => recipe,
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        let Some(region) = &self.region else { return Ok(Some(recipe.within(self.header.group))) };
        let inside = system.member_recipe(self.header.group, Some(region));
        Ok(inside.map(|inside| inside.choose(recipe, AtomExpr::number(0.0))))
    }

    /// Bins as they are in the box now.
    fn cells(&self, system: &Snapshot<'_>) -> Result<Option<Cells>> {
        let (domain, dimension) = (system.domain()?, system.session.system.dimension);
        Ok(match &self.style {
            Style::Bins(axes) => Some(Cells::Bins(Bins::new(axes, domain, self.reduced)?)),
            Style::Round(round) => Some(Cells::Shells(round.shells(domain, self.reduced, dimension)?)),
            _ => None,
        })
    }

    /// The chunks that there are now, and the volume of the box.
    fn lay_out(
        &self,
        system: &Snapshot<'_>,
        cells: Option<Cells>,
        (raw, most): (&[Option<i64>], i64),
        volume: f64,
    ) -> Layout {
        let mut count = match (&cells, &self.style) {
            (Some(cells), _) => cells.count(),
            (_, Style::Type) => system.session.types(),
            _ => most.max(1) as usize,
        };
        let limit = self.limit.filter(|_| cells.is_none());
        let apply = |count: usize, limit: Limit, exact: bool| match exact {
            true => limit.most,
            false => count.min(limit.most),
        };
        if let Some(limit) = limit.filter(|limit| !self.compress || limit.first) {
            count = apply(count, limit, limit.exact && !self.compress);
        }
        let mut used = None;
        if self.compress {
            let most = if limit.is_some_and(|limit| limit.first) { count as i64 } else { i64::MAX };
            let ids: BTreeSet<i64> = raw.iter().flatten().copied().filter(|&id| id <= most).collect();
            let ids: Vec<i64> = ids.into_iter().collect();
            count = limit.map_or(ids.len(), |limit| apply(ids.len(), limit, limit.exact));
            used = Some(ids);
        }
        let volumes = cells.as_ref().map_or_else(|| vec![volume], |cells| cells.volumes(volume));
        Layout { cells, count, used, volumes }
    }

    /// The chunks of all atoms now.
    ///
    /// # Errors
    /// When the device fails or a value that makes chunks is not there.
    pub fn chunks(&self, system: &Snapshot<'_>) -> Result<Chunks> {
        let volume = system.domain()?.volume(system.session.system.dimension);
        let held = self.hold.borrow().as_ref().is_some_and(|hold| hold.holds(system.session.clock.step));
        let kept = self.layout.borrow().clone().filter(|_| held || self.keeps_chunks);
        let cells = kept.as_ref().map_or_else(|| self.cells(system), |kept| Ok(kept.cells.clone()))?;
        let recipe = self.recipe(system, cells.as_ref())?;
        let mut raw = if recipe.is_some() { Vec::new() } else { self.raw(system, cells.as_ref())? };
        let mut layout = match kept {
            Some(kept) => kept,
            None => {
                let most = match recipe.as_ref().filter(|_| matches!(self.style, Style::Molecule)) {
                    Some(molecule) => {
                        let summaries = system.moments(vec![molecule.clone()], 1, None)?;
                        summaries.map_or(0, |summaries| summaries[0].extremes[1] as i64)
                    }
                    None => raw.iter().flatten().copied().max().unwrap_or(0),
                };
                self.lay_out(system, cells, (&raw, most), volume)
            }
        };
        match &layout.cells {
            Some(cells) if self.reduced => layout.volumes = cells.volumes(volume),
            None => layout.volumes = vec![volume],
            _ => {}
        }
        if held || self.keeps_chunks {
            *self.layout.borrow_mut() = Some(layout.clone());
        }
        let Layout { cells, count, used, mut volumes } = layout;
        if let Some(used) = &used {
            let place =
                |id: &mut i64| *id = used.binary_search(id).map_or(i64::MAX, |place| place as i64 + 1);
            raw.iter_mut().flatten().for_each(place);
        }
        // Of bins that no atom was in when the chunks were made there is no nearest one.
        let nearest = self.discard == Discard::No && (used.is_none() || !self.has_bins());
        let inside = |id: Option<i64>| match id {
            Some(id) if id >= 1 && id as usize <= count => id as u32,
            Some(_) if nearest => count as u32,
            _ => 0,
        };
        let mut of_atom: Vec<u32> = parallel::map(raw.len(), |i| inside(raw[i]));
        let atoms = if recipe.is_some() { &Atoms::default() } else { system.atoms()? };
        if self.keeps_ids == Ids::Once || self.keeps_ids == Ids::Nfreq && held {
            let mut kept = self.ids.borrow_mut();
            let kept =
                kept.get_or_insert_with(|| atoms.tag.iter().copied().zip(of_atom.iter().copied()).collect());
            // In a box that has become smaller there may be fewer bins.
            let old = |&tag: &u32| kept.get(tag).copied().filter(|&id| id as usize <= count).unwrap_or(0);
            of_atom = atoms.tag.iter().map(old).collect();
        }
        let mut coordinates = cells.as_ref().map_or_else(Vec::new, Cells::coordinates);
        let mut ids = Vec::new();
        if let Some(used) = used {
            if cells.is_some() {
                let bin = |&id: &i64| id as usize - 1;
                coordinates = used.iter().map(|id| coordinates[bin(id)].clone()).collect();
                if volumes.len() > 1 {
                    volumes = used.iter().map(|id| volumes[bin(id)]).collect();
                }
            }
            ids = used;
            ids.resize(count, 0);
        }
        let places = match recipe {
            None => Places::Known(of_atom),
            Some(recipe) => Places::AtomExpr(recipe.then(0, |id| {
                let beyond = AtomExpr::number(count as f64).less(id.clone());
                beyond.choose(AtomExpr::number(if nearest { count as f64 } else { 0.0 }), id)
            })),
        };
        Ok(Chunks { count, places, coordinates, ids, volumes })
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

    fn recipe(&self, system: &Snapshot<'_>, _: Option<usize>) -> Option<AtomExpr> {
        match self.chunks(system).ok()?.places {
            Places::AtomExpr(recipe) => Some(recipe),
            Places::Known(_) => None,
        }
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let chunks = self.chunks(system)?;
        let atoms = chunks.of_atom(system)?.iter().copied().map(f64::from).collect();
        let scalar = Some(chunks.count as f64);
        Ok(Values { scalar, atoms: Some(PerAtom::Vector(atoms)), ..Values::default() })
    }

    /// What is kept is that of the first run's beginning.
    fn get_ready(&self, system: &Snapshot<'_>) -> Result<()> {
        let keeps_ids = self.keeps_ids == Ids::Once;
        let changes = |fix: &dyn Fix| fix.box_change().is_some_and(|change| change.changes_box());
        if keeps_ids && !self.keeps_chunks && system.session.fixes.iter().any(|fix| changes(&**fix)) {
            let error =
                format!("compute {}: ids once needs nchunk once where the box changes", self.header.id);
            return Err(Error::new(error)
                .help("add `nchunk once`: atoms can keep their chunks only while these stay"));
        }
        let kept = match keeps_ids {
            true => self.ids.borrow().is_some(),
            false => !self.keeps_chunks || self.layout.borrow().is_some(),
        };
        if kept { Ok(()) } else { self.chunks(system).map(drop) }
    }

    fn renumber(&mut self, ids: &[(u32, u32)]) {
        if let Some(kept) = self.ids.get_mut() {
            *kept = kept.renumbered(ids);
        }
    }
}

/// A compute as one of this style, where it is.
pub(crate) fn chunk_atom(compute: &dyn Compute) -> Option<&ChunkAtom> {
    (compute as &dyn Any).downcast_ref()
}

/// The chunks of the compute of an ID, as they are now, for somebody who keeps so many bytes for each chunk.
///
/// # Errors
/// When there is no such compute, or it is of another style; when there is no memory for so many chunks.
pub fn chunks_of(system: &Snapshot<'_>, id: &str, bytes: usize) -> Result<Chunks> {
    let compute = chunk_atom(system.compute(id)?);
    let compute = compute.ok_or_else(|| Error::new(format!("compute {id} is not of style chunk/atom")))?;
    let chunks = compute.chunks(system)?;
    // The system is asked only where chunks take more than what the rest of a run does.
    if chunks.count > MANY {
        let wanted = memory::check(chunks.count as f64 * bytes as f64);
        wanted.map_err(|error| {
            let message = format!("compute {id} has {} chunks: {}", chunks.count, error.message);
            Error::new(message).help("give compute chunk/atom the keywords `compress yes`, or a `limit`")
        })?;
    }
    Ok(chunks)
}

/// So many chunks are a lot.
const MANY: usize = 1 << 20;
