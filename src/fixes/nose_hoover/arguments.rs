//! What the script says of `fix nvt`, `nph`, `npt` and `nphug`.

use super::{NoseHoover, own_pressure};
use crate::base::error::Result;
use crate::fixes::barostat::Axes;
use crate::fixes::nose_hoover::motion::Motion;
use crate::fixes::thermostat;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{Fix, Header, Watched};
use std::cell::{Cell, RefCell};

/// The temperature's part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thermostat {
    pub start: f64,
    pub stop: f64,
    /// 1 / damping time.
    pub frequency: f64,
}

/// All that was said.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub thermostat: Option<Thermostat>,
    pub axes: Axes,
    /// Links of the chains on atoms and on the box.
    pub links: [usize; 2],
    /// Parts of their half steps.
    pub loops: [usize; 2],
    pub drag: f64,
    /// The correction terms of Martyna, Tuckerman and Klein.
    pub mtk: bool,
    /// The temperature that makes the masses of a barostat without thermostat.
    pub mass_temperature: Option<f64>,
    /// The group whose positions follow the box.
    pub dilated: u32,
    pub fixed_point: [f64; 3],
    /// Whether that is the middle of the box as it was, because the script says nothing.
    pub centred: bool,
    /// Steps after which the box is the reference anew; 0: never.
    pub reset: i64,
    /// Whether the box was triclinic when the fix was defined.
    pub triclinic: bool,
    /// The tilts xy xz yz that keep their ratio to the edge that they lean over.
    pub scaled: [bool; 3],
    /// Whether a box that leans too far is flipped.
    pub flip: bool,
}

/// `nvt`.
pub(crate) fn nvt(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    Ok(Box::new(read(header, session, args, [true, false])?))
}

/// `nph`.
pub(crate) fn nph(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    Ok(Box::new(read(header, session, args, [false, true])?))
}

/// `npt`.
pub(crate) fn npt(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    Ok(Box::new(read(header, session, args, [true, true])?))
}

/// Reads the keywords; `has` says whether temperature and pressure are to be controlled.
pub(super) fn read(
    header: Header,
    session: &Session,
    args: &mut Args<'_>,
    has: [bool; 2],
) -> Result<NoseHoover> {
    let mut settings = Settings::new(session)?;
    while let Some(word) = args.peek() {
        args.word("a keyword")?;
        if !settings.axes.keyword(word, args)? {
            settings.keyword(&word.text, session, args, &header)?;
        }
    }
    let style = header.style;
    match [settings.thermostat.is_some(), settings.axes.any()] {
        [false, _] if has[0] => {
            return Err(args.error_here(format_args!("fix {style} needs `temp TSTART TSTOP TDAMP`")));
        }
        [_, false] if has[1] => {
            return Err(
                args.error_here(format_args!("fix {style} needs a pressure: iso, aniso, tri, x, y or z"))
            );
        }
        [true, _] if !has[0] => {
            return Err(args.error_here("fix nph does not control the temperature").help("take fix npt"));
        }
        [_, true] if !has[1] => {
            return Err(args.error_here("fix nvt does not control the pressure").help("take fix npt"));
        }
        _ => {}
    }
    settings.axes.check(session, args)?;
    settings.scaled = settings.axes.scaled(session.domain()?);
    Ok(NoseHoover {
        watched: Watched {
            temperature: thermostat::own_temperature(&header),
            pressure: has[1].then(|| own_pressure(&header)),
        },
        motion: RefCell::new(Motion::new(&settings)),
        by_device: Cell::new(false),
        header,
        settings,
    })
}

impl Settings {
    /// The target temperature after a fraction of the span, 0 without one.
    pub(super) fn target(&self, fraction: f64) -> f64 {
        self.thermostat.map_or(0.0, |Thermostat { start, stop, .. }| start + fraction * (stop - start))
    }

    /// Whether the box of the step after a fraction of a span is the reference of deviations anew.
    pub(super) fn resets(&self, span: [i64; 2], fraction: f64) -> bool {
        let since = ((span[1] - span[0]) as f64 * fraction).round() as i64;
        self.axes.axis_by_axis && self.reset > 0 && since % self.reset == 0
    }

    /// What each part of a half step multiplies the velocities of the atoms' chain by.
    pub(super) fn chain_drag(&self, dt: f64) -> f64 {
        let frequency = self.thermostat.map_or(0.0, |thermostat| thermostat.frequency);
        1.0 - dt * frequency * self.drag / self.loops[0] as f64
    }

    /// What holds where the script says nothing.
    pub(super) fn new(session: &Session) -> Result<Self> {
        let domain = session.domain()?;
        Ok(Settings {
            thermostat: None,
            axes: Axes::leaning(session.system.dimension),
            triclinic: domain.triclinic,
            scaled: [false; 3],
            flip: true,
            links: [3; 2],
            loops: [1; 2],
            drag: 0.0,
            mtk: true,
            mass_temperature: None,
            dilated: 1,
            fixed_point: std::array::from_fn(|d| 0.5 * (domain.lo[d] + domain.hi[d])),
            centred: true,
            reset: 0,
        })
    }

    /// Takes what follows a keyword.
    pub(super) fn keyword(
        &mut self,
        name: &str,
        session: &Session,
        args: &mut Args<'_>,
        header: &Header,
    ) -> Result<()> {
        match name {
            "temp" => {
                let start = args.positive("the temperature at the start")?;
                let stop = args.positive("the temperature at the end")?;
                let frequency = 1.0 / args.positive("the damping time of the temperature")?;
                self.thermostat = Some(Thermostat { start, stop, frequency });
            }
            "drag" => {
                let word = args.peek();
                self.drag = args.f64("the drag")?;
                if let Some(word) = word.filter(|_| self.drag < 0.0) {
                    return Err(args.error(word, "the drag must not be negative"));
                }
            }
            "tchain" => self.links[0] = links(args, 1)?,
            "pchain" => self.links[1] = links(args, 0)?,
            "tloop" => self.loops[0] = args.count("the number of parts", 1)? as usize,
            "ploop" => self.loops[1] = args.count("the number of parts", 1)? as usize,
            "mtk" => self.mtk = args.yes_no()?,
            "ptemp" => self.mass_temperature = Some(args.positive("a temperature")?),
            "nreset" => self.reset = args.count("a number of steps", 0)? as i64,
            "dilate" => self.dilated = session.system.groups.arg(args)?,
            "fixedpoint" => {
                self.centred = false;
                for x in &mut self.fixed_point {
                    *x = args.f64("a coordinate of the fixed point")?;
                }
            }
            "flip" => self.flip = args.yes_no()?,
            _ => {
                let names =
                    ["temp", "iso", "aniso", "tri", "x", "y", "z", "xy", "xz", "yz", "couple", "tchain"];
                let more = [
                    "pchain",
                    "mtk",
                    "tloop",
                    "ploop",
                    "nreset",
                    "drag",
                    "ptemp",
                    "dilate",
                    "fixedpoint",
                    "scalexy",
                    "scalexz",
                    "scaleyz",
                    "flip",
                ];
                let word = args.taken().last();
                let what = format!("keyword of fix {}", header.style);
                return Err(match word {
                    Some(word) => args.unknown(word, &what, names.into_iter().chain(more)),
                    None => args.error_here(what),
                });
            }
        }
        Ok(())
    }
}

/// Longer chains than this are a slip of the keyboard.
const MOST_LINKS: u64 = 1000;

/// Takes the number of links of a chain.
fn links(args: &mut Args<'_>, least: u64) -> Result<usize> {
    let word = args.peek();
    let links = args.count("the number of links", least)?;
    match word.filter(|_| links > MOST_LINKS) {
        Some(word) => {
            Err(args.error(word, format_args!("a chain of more than {MOST_LINKS} links is no use")))
        }
        None => Ok(links as usize),
    }
}
