//! The words of `dump image`, and those of `dump_modify` that only pictures have.

use super::super::{Style, custom};
use super::Image;
use super::camera::View;
use super::colour_map::ColourMap;
use super::colours::{Colour, OF_TYPES, Palette, named};
use super::elements;
use super::encode::Format;
use crate::base::error::Result;
use crate::model::atoms::range_of;
use crate::output::dump::column::Column;
use crate::script::Args;
use crate::session::Session;
use std::cell::Cell;
use std::ops::RangeInclusive;

/// What a colour or a diameter follows.
pub(super) enum Kind {
    Type,
    Element,
    Attribute(Column),
}

/// How bonds are drawn.
pub(super) struct Bonds {
    pub(super) by_type: bool,
    /// Of all; otherwise that of the type.
    pub(super) diameter: Option<f64>,
}

pub(super) struct Options {
    pub(super) colour: Kind,
    pub(super) diameter: Kind,
    pub(super) same_diameter: Option<f64>,
    pub(super) atoms: bool,
    pub(super) bonds: Option<Bonds>,
    pub(super) size: [usize; 2],
    pub(super) view: View,
    /// Diameter of the box's edges, as a part of its shortest length.
    pub(super) frame: Option<f64>,
    /// Length and diameter of the axes.
    pub(super) axes: Option<[f64; 2]>,
    pub(super) shiny: f64,
    pub(super) fsaa: bool,
    /// Of hollows in the shade: a seed and how dark they are, from 0 to 1.
    pub(super) shade: Option<(u32, f64)>,
    palette: Palette,
    pub(super) map: ColourMap,
    /// Per type.
    pub(super) colours: Vec<Colour>,
    pub(super) diameters: Vec<f64>,
    /// Of `element`: a colour and a diameter.
    pub(super) elements: Vec<(Colour, f64)>,
    pub(super) bond_colours: Vec<Colour>,
    pub(super) bond_diameters: Vec<f64>,
    pub(super) back: Colour,
    pub(super) frame_colour: Colour,
}

/// The largest width or height: what a JPEG file can have.
const LARGEST: usize = 65_500;
/// The most pixels, so that a picture fits into memory: 27 bytes each while it is drawn, 47 with `ssao`, four times that with `fsaa`.
const MOST_PIXELS: usize = 1 << 24;

/// Takes the attributes for colour and diameter, and options.
pub(crate) fn new(session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(image(session, args)?))
}

/// What they say.
pub(super) fn image(session: &Session, args: &mut Args<'_>) -> Result<Image> {
    // It has a colour and a diameter for each type.
    session.domain()?;
    let colour = attribute(session, args)?;
    let diameter = attribute(session, args)?;
    let in_turn = |count: usize| -> Vec<Colour> {
        (0..count).map(|k| named(OF_TYPES[k % OF_TYPES.len()]).unwrap_or([1.0; 3])).collect()
    };
    let (types, bond_types) = (session.types(), session.system.topology.bond_types);
    // Flat systems are seen from above, with y upward.
    let (angles, up) = match session.system.dimension {
        2 => ([0.0, 0.0], [0.0, 1.0, 0.0]),
        _ => ([60.0, 30.0], [0.0, 0.0, 1.0]),
    };
    let view = View { theta: angles[0], phi: angles[1], center: [0.5; 3], follows: false, up, zoom: 1.0 };
    let mut options = Options {
        colour,
        diameter,
        same_diameter: None,
        atoms: true,
        bonds: (bond_types > 0).then_some(Bonds { by_type: false, diameter: Some(0.5) }),
        size: [512, 512],
        view,
        frame: Some(0.02),
        axes: None,
        shiny: 1.0,
        fsaa: false,
        shade: None,
        palette: Palette::default(),
        map: ColourMap::default(),
        colours: in_turn(types),
        diameters: vec![1.0; types],
        elements: vec![elements::of("C"); types],
        bond_colours: in_turn(bond_types),
        bond_diameters: vec![0.5; bond_types],
        back: [0.0; 3],
        frame_colour: named("yellow").unwrap_or([1.0; 3]),
    };
    while !args.is_empty() {
        options.read(session, args)?;
    }
    Ok(Image { options, format: Format::default(), camera: Cell::new(None) })
}

/// Takes `type` or an attribute of atoms.
fn attribute(session: &Session, args: &mut Args<'_>) -> Result<Kind> {
    let word = args.word("type, or an atom attribute, for colour and diameter")?;
    match &*word.text {
        "type" => Ok(Kind::Type),
        "element" => Ok(Kind::Element),
        _ => {
            let column = custom::column(session, args, word)?;
            match column.is_number() {
                true => Ok(Kind::Attribute(column)),
                false => Err(args.error(word, format_args!("'{}' is not a number", word.text))),
            }
        }
    }
}

/// Takes a number in a range.
fn between(args: &mut Args<'_>, what: &str, range: RangeInclusive<f64>) -> Result<f64> {
    let word = args.peek();
    let number = args.f64(what)?;
    match word.filter(|_| !range.contains(&number)) {
        Some(word) => Err(args.error(word, format_args!("'{}' is not {what}", word.text))),
        None => Ok(number),
    }
}

impl Options {
    /// Takes a keyword and its words.
    fn read(&mut self, session: &Session, args: &mut Args<'_>) -> Result<()> {
        let word = args.word("a keyword of dump image")?;
        match &*word.text {
            "atom" => self.atoms = args.yes_no()?,
            "adiam" => self.same_diameter = Some(args.positive("the diameter of atoms")?),
            "bond" => self.bonds = bonds(session, args)?,
            "size" => {
                let place = args.peek();
                for size in &mut self.size {
                    *size = args.count_up_to("the width and height in pixels", 1, LARGEST)?;
                }
                if let Some(word) = place.filter(|_| self.size[0] * self.size[1] > MOST_PIXELS) {
                    let message = format_args!("a picture has at most {MOST_PIXELS} pixels");
                    return Err(args.error(word, message).help("write a smaller width or height"));
                }
            }
            "view" => {
                self.view.theta = between(args, "an angle from 0 to 180 degrees", 0.0..=180.0)?;
                self.view.phi = args.f64("the angle around the z axis, in degrees")?;
            }
            "center" => {
                let table = [("s", false), ("d", true)];
                self.view.follows = args.one_of("kind of center", &table)?;
                for part in &mut self.view.center {
                    *part = args.f64("three fractions of the box")?;
                }
            }
            "up" => {
                for part in &mut self.view.up {
                    *part = args.f64("the direction that is up")?;
                }
                if self.view.up == [0.0; 3] {
                    return Err(args.error(word, "the direction that is up must not be 0 0 0"));
                }
            }
            "zoom" => self.view.zoom = args.positive("the factor of the zoom")?,
            "box" => {
                let shown = args.yes_no()?;
                self.frame = Some(args.not_negative("the diameter of edges")?).filter(|_| shown);
            }
            "axes" => {
                let shown = args.yes_no()?;
                let axes = [args.not_negative("the length of axes")?, args.not_negative("their diameter")?];
                self.axes = Some(axes).filter(|_| shown);
            }
            // One process has one part of the box: all of it.
            "subbox" => {
                let shown = args.yes_no()?;
                let part = args.not_negative("the diameter of edges")?;
                self.frame = if shown { Some(self.frame.unwrap_or(0.0).max(part)) } else { self.frame };
            }
            "shiny" => self.shiny = between(args, "a number from 0 to 1", 0.0..=1.0)?,
            "fsaa" => self.fsaa = args.yes_no()?,
            "ssao" => {
                let shown = args.yes_no()?;
                let seed = args.count_up_to("a seed", 1, u32::MAX as usize)? as u32;
                let dark = between(args, "a number from 0 to 1", 0.0..=1.0)?;
                self.shade = shown.then_some((seed, dark));
            }
            "line" | "tri" | "body" | "fix" | "grid" | "ellipsoid" => {
                return Err(args.unsupported(word, "keyword of dump image"));
            }
            _ => {
                let known = "atom adiam bond size view center up zoom box axes subbox shiny fsaa ssao";
                return Err(args.unknown(word, "keyword of dump image", known.split(' ')));
            }
        }
        Ok(())
    }

    /// Takes the words behind a keyword of `dump_modify`, if it is one of pictures.
    pub(super) fn modify(&mut self, keyword: &str, args: &mut Args<'_>) -> Result<bool> {
        match keyword {
            "acolor" | "bcolor" => {
                let colours = if keyword == "acolor" { &mut self.colours } else { &mut self.bond_colours };
                let chosen = types(keyword, args, colours.len())?;
                let word = args.word("a colour for the types, or several with / between")?;
                let parts: Vec<Colour> = word
                    .text
                    .split('/')
                    .map(|name| self.palette.find(args, word, name))
                    .collect::<Result<_>>()?;
                chosen.enumerate().for_each(|(k, kind)| colours[kind - 1] = parts[k % parts.len()]);
            }
            "adiam" | "bdiam" => {
                let diameters =
                    if keyword == "adiam" { &mut self.diameters } else { &mut self.bond_diameters };
                let chosen = types(keyword, args, diameters.len())?;
                let diameter = args.positive("a diameter")?;
                chosen.for_each(|kind| diameters[kind - 1] = diameter);
            }
            "amap" => self.map = ColourMap::read(args, &self.palette)?,
            "element" => {
                for drawn in &mut self.elements {
                    let word = args.word("an element for each atom type")?;
                    if !elements::is_known(&word.text) {
                        let error =
                            args.error(word, format_args!("'{}' is no element that is drawn", word.text));
                        return Err(error.help("write its symbol, as in dump_modify ID element Si O"));
                    }
                    *drawn = elements::of(&word.text);
                }
            }
            "backcolor" => self.back = self.palette.take(args)?,
            "boxcolor" => self.frame_colour = self.palette.take(args)?,
            "color" => self.palette.define(args)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Takes the words after `bond`: `none`, or `atom` or `type`, then a diameter, `type` or `none`.
fn bonds(session: &Session, args: &mut Args<'_>) -> Result<Option<Bonds>> {
    let table = [("none", None), ("atom", Some(false)), ("type", Some(true))];
    let place = args.peek();
    let colour = args.one_of("colour of bonds", &table)?;
    let diameter = match () {
        () if args.accept("none") => return Ok(None),
        () if args.accept("type") => None,
        () => Some(args.positive("the diameter of bonds, type or none")?),
    };
    if let Some(word) = place.filter(|_| colour.is_some() && session.system.topology.bond_types == 0) {
        return Err(args.error(word, "there are no bond types to draw"));
    }
    Ok(colour.map(|by_type| Bonds { by_type, diameter }))
}

/// Takes types of atoms or of bonds, by the first letter of a keyword.
fn types(keyword: &str, args: &mut Args<'_>, most: usize) -> Result<RangeInclusive<usize>> {
    let [one, all] =
        if keyword.starts_with('a') { ["an atom type", "atom types"] } else { ["a bond type", "bond types"] };
    range_of(one, all, args, most)
}
