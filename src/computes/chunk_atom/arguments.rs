//! What the script says of `compute chunk/atom`.

use super::{ChunkAtom, Discard, Ids, Limit, Style};
use crate::base::error::Result;
use crate::computes::bins::Axis;
use crate::computes::shells::Round;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::snapshot::{Form, Input};
use std::cell::RefCell;

/// Takes the style with its words, then keywords.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
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
        "bin/sphere" => Style::Round(Round::sphere(session.system.dimension, args)?),
        "bin/cylinder" => Style::Round(Round::cylinder(session.system.dimension, args)?),
        "type" => Style::Type,
        "molecule" if !session.has_molecules() => {
            let error = args.error(word, "atoms of this atom_style belong to no molecules");
            return Err(error.help("molecules come with `atom_style bond`, `molecular`, `angle` or `full`"));
        }
        "molecule" => Style::Molecule,
        _ => match Input::read(session, args, word, Form::PerAtom)?.as_deref() {
            Some([input]) => Style::Value(input.clone()),
            _ => {
                let bins = ["bin/1d", "bin/2d", "bin/3d", "bin/sphere", "bin/cylinder"];
                let known = bins.into_iter().chain(["type", "molecule", "c_ID", "f_ID", "v_NAME"]);
                return Err(args.unknown(word, "kind of chunk", known));
            }
        },
    };
    let bins = matches!(style, Style::Bins(_) | Style::Round(_));
    let mut compute = ChunkAtom {
        header,
        style,
        region: None,
        reduced: false,
        discard: if bins { Discard::Mixed } else { Discard::Yes },
        compress: false,
        limit: None,
        keeps_chunks: false,
        keeps_ids: Ids::Every,
        layout: RefCell::default(),
        ids: RefCell::default(),
        hold: RefCell::default(),
    };
    compute.keywords(session, args)?;
    if bins && session.domain()?.triclinic && !compute.reduced {
        let error = args.error_here("bins of a triclinic box count in fractions of its edges");
        return Err(error.help("add `units reduced`"));
    }
    Ok(Box::new(compute))
}

const KEYWORDS: [&str; 9] =
    ["region", "nchunk", "limit", "ids", "compress", "discard", "bound", "units", "pbc"];

impl ChunkAtom {
    fn keywords(&mut self, session: &Session, args: &mut Args<'_>) -> Result<()> {
        let spacing = crate::model::lattice::spacing(session.system.lattice.as_ref());
        let mut scale = spacing;
        let mut bounds = [[None; 2]; 3];
        let (mut ids_at, mut nearest_image, mut once) = (None, false, None);
        while let Some(word) = args.peek() {
            match args.one_of("keyword of compute chunk/atom", &KEYWORDS.map(|name| (name, name)))? {
                "region" => self.region = Some(session.system.regions.moving_arg(args)?.clone()),
                "nchunk" => once = Some(args.one_of("choice", &[("once", true), ("every", false)])?),
                "limit" => {
                    let most = args.count("the number of chunks", 0)? as usize;
                    self.limit = None;
                    if most > 0 {
                        let exact = args.one_of("kind of limit", &[("max", false), ("exact", true)])?;
                        self.limit = Some(Limit { most, exact, first: !self.compress });
                    }
                }
                "ids" => {
                    ids_at = Some(word);
                    let choices = [("once", Ids::Once), ("every", Ids::Every), ("nfreq", Ids::Nfreq)];
                    self.keeps_ids = args.one_of("choice", &choices)?;
                }
                "compress" => self.compress = args.yes_no()?,
                "discard" => {
                    let table = [("yes", Discard::Yes), ("no", Discard::No), ("mixed", Discard::Mixed)];
                    self.discard = args.one_of("treatment of other atoms", &table)?;
                    if self.discard == Discard::Mixed && !self.has_bins() {
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
                _ => nearest_image = args.yes_no()?,
            }
        }
        self.reduced = scale[0].is_nan();
        let lasting = match self.style {
            Style::Type => true,
            Style::Molecule => self.region.is_none(),
            _ => self.reduced && self.has_bins(),
        };
        self.keeps_chunks = once.unwrap_or(lasting && !self.compress);
        // Bins of a box that stays are the same ones, whether they are kept or not.
        let may_last = once.is_none() && self.has_bins() && !self.compress;
        let scale = if self.reduced { [1.0; 3] } else { scale };
        match &mut self.style {
            Style::Bins(axes) => {
                axes.iter_mut().for_each(|axis| axis.finish(bounds[axis.axis], scale[axis.axis]));
            }
            Style::Round(round) => round.finish(bounds, scale, nearest_image),
            _ => {}
        }
        match ids_at.filter(|_| self.keeps_ids == Ids::Once && !self.keeps_chunks && !may_last) {
            Some(word) => Err(args
                .error(word, "ids once needs nchunk once")
                .help("add `nchunk once`: atoms can keep their chunks only while these stay")),
            None => Ok(()),
        }
    }
}
