//! Walls with a potential of the distance (cl/fix/wall.cl): what all have in common, and `fix wall/lj93`, `wall/lj126`,
//! `wall/lj1043`, `wall/harmonic`, `wall/morse`, `wall/colloid`. Source: LAMMPS manual, `fix wall/lj93` and its page.

use super::faces::{self, Face};
use crate::base::error::{Error, Result};
use crate::engine::step::hooks::{DeviceHooks, HookFn};
use crate::gpu::source::kernel_file;
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, FixSums, Header, Quantity, StepContext};
use std::borrow::Cow;
use std::f64::consts::{PI, SQRT_2};

/// A potential: force and energy are formulas of the device, with these numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Potential {
    Lj93,
    Lj126,
    Lj1043,
    Harmonic,
    Morse,
}

/// Numbers of a potential; those of a wall are axis, side, place, cutoff and these of the potential, the last the energy at the cutoff.
pub(super) const COEFFICIENTS: usize = 8;

impl Potential {
    fn function(self) -> HookFn {
        match self {
            Potential::Lj93 => "wall_lj93",
            Potential::Lj126 => "wall_lj126",
            Potential::Lj1043 => "wall_lj1043",
            Potential::Harmonic => "wall_harmonic",
            Potential::Morse => "wall_morse",
        }
    }

    /// What the device's formulas read, from `epsilon`, `alpha` (morse only) and `sigma`.
    pub(super) fn coefficients(self, [epsilon, alpha, sigma]: [f64; 3], cutoff: f64) -> [f64; COEFFICIENTS] {
        let power = |n| epsilon * sigma.powi(n);
        let mut c = [0.0; COEFFICIENTS];
        let r = cutoff;
        match self {
            Potential::Lj93 => {
                c[..4].copy_from_slice(&[1.2 * power(9), 3.0 * power(3), 2.0 / 15.0 * power(9), power(3)]);
                c[7] = c[2] / r.powi(9) - c[3] / r.powi(3);
            }
            Potential::Lj126 => {
                c[..4].copy_from_slice(&[48.0 * power(12), 24.0 * power(6), 4.0 * power(12), 4.0 * power(6)]);
                c[7] = c[2] / r.powi(12) - c[3] / r.powi(6);
            }
            Potential::Lj1043 => {
                let all = [0.8 * PI * power(10), 2.0 * PI * power(4), 2.0 * PI * SQRT_2 / 3.0 * power(3)];
                c[..3].copy_from_slice(&all);
                c[3] = 0.61 / SQRT_2 * sigma;
                c[7] = c[0] / r.powi(10) - c[1] / r.powi(4) - c[2] / (r + c[3]).powi(3);
            }
            Potential::Harmonic => c[..2].copy_from_slice(&[epsilon, cutoff]),
            Potential::Morse => {
                c[..3].copy_from_slice(&[epsilon, alpha, sigma]);
                let decay = (-alpha * (r - sigma)).exp();
                c[7] = epsilon * (decay * decay - 2.0 * decay);
            }
        }
        c
    }
}

/// What a wall does at a distance.
pub(super) trait Push {
    /// What the device reads of it at a step, with this cutoff.
    ///
    /// # Errors
    /// When a variable has no value, or a number is out of range.
    fn numbers(&self, now: &StepContext<'_>, cutoff: f64) -> Result<Numbers>;

    /// Whether these may change from step to step.
    fn varies(&self) -> bool;
}

/// What the device reads of a wall's potential.
pub(super) struct Numbers {
    /// Atoms have to be farther off than that.
    pub(super) least: f64,
    /// The energy at the cutoff, which is taken off.
    pub(super) at_cutoff: f64,
    /// The `c` of its function.
    pub(super) coefficients: Vec<f64>,
}

/// One of the formulas.
struct Formula {
    potential: Potential,
    /// epsilon, alpha, sigma.
    strength: [Quantity; 3],
}

impl Push for Formula {
    fn numbers(&self, now: &StepContext<'_>, cutoff: f64) -> Result<Numbers> {
        let [epsilon, alpha, sigma] = &self.strength;
        let strength = [now.value(epsilon)?, now.value(alpha)?, now.value(sigma)?];
        if strength[0] < 0.0 || strength[2] < 0.0 {
            return Err(Error::new("the strength and the size of a wall cannot be negative"));
        }
        let [coefficients @ .., at_cutoff] = self.potential.coefficients(strength, cutoff);
        Ok(Numbers { least: 0.0, at_cutoff, coefficients: coefficients.to_vec() })
    }

    fn varies(&self) -> bool {
        self.strength.iter().any(Quantity::varies)
    }
}

/// A wall, what it does, and how far.
struct Wall {
    face: Face,
    push: Box<dyn Push>,
    cutoff: f64,
}

/// Walls of one style.
pub(super) struct Walls {
    header: Header,
    hooks: DeviceHooks,
    /// Whether atoms may be behind them, where no force is.
    passable: bool,
    /// What its functions read besides.
    memory: Vec<f64>,
    walls: Vec<Wall>,
    measured: FixSums,
}

/// `fix wall/lj93`.
pub(crate) fn lj93(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    formula(header, session, args, Potential::Lj93)
}

/// `fix wall/lj126`.
pub(crate) fn lj126(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    formula(header, session, args, Potential::Lj126)
}

/// `fix wall/lj1043`.
pub(crate) fn lj1043(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    formula(header, session, args, Potential::Lj1043)
}

/// `fix wall/harmonic`.
pub(crate) fn harmonic(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    formula(header, session, args, Potential::Harmonic)
}

/// `fix wall/morse`.
pub(crate) fn morse(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    formula(header, session, args, Potential::Morse)
}

/// `fix wall/colloid`: a wall of atoms, and spheres of atoms, between all of which is Lennard-Jones, integrated over both.
struct Integrated {
    /// epsilon, sigma.
    strength: [Quantity; 2],
}

/// Energy of a sphere of this radius, whose middle is so far from the wall.
fn integrated(epsilon: f64, sigma: f64, radius: f64, r: f64) -> f64 {
    let (near, far, squares) = (r - radius, r + radius, r * r - radius * radius);
    let repulsion = (7.0 * radius - r) / near.powi(7) + (r + 7.0 * radius) / far.powi(7);
    let attraction = 2.0 * r * radius / squares + (near / far).ln();
    epsilon * (sigma.powi(6) / 7560.0 * repulsion - attraction / 6.0)
}

/// What the device reads of such a wall for all spheres.
pub(super) fn of_spheres(epsilon: f64, sigma: f64) -> [f64; 2] {
    [epsilon * sigma.powi(6) / 7560.0, epsilon / 6.0]
}

/// By type: the radius, and the energy at the cutoff.
pub(super) fn by_radius(session: &Session, epsilon: f64, sigma: f64, cutoff: f64) -> Vec<f64> {
    let of_type = |&radius: &f64| {
        let at_cutoff = if radius < cutoff { integrated(epsilon, sigma, radius, cutoff) } else { 0.0 };
        [radius, at_cutoff]
    };
    session.radii().iter().flat_map(of_type).collect()
}

/// Refuses atoms that are no spheres, at a word.
pub(super) fn need_spheres(session: &Session, args: &Args<'_>, word: Option<&Word>) -> Result<()> {
    if session.system.atom_style.round {
        return Ok(());
    }
    let name = session.system.atom_style.name;
    let message = format!("walls of colloids are for spheres, which atoms of style {name} are not");
    let error = match word {
        Some(word) => args.error(word, message),
        None => args.error_here(message),
    };
    Err(error.help("write `atom_style sphere` before the box is made"))
}

impl Push for Integrated {
    fn numbers(&self, now: &StepContext<'_>, cutoff: f64) -> Result<Numbers> {
        let [epsilon, sigma] = [now.value(&self.strength[0])?, now.value(&self.strength[1])?];
        if epsilon < 0.0 || sigma < 0.0 {
            return Err(Error::new("the strength and the size of a wall cannot be negative"));
        }
        let mut coefficients = of_spheres(epsilon, sigma).to_vec();
        coefficients.extend(by_radius(now.session, epsilon, sigma, cutoff));
        Ok(Numbers { least: 0.0, at_cutoff: 0.0, coefficients })
    }

    fn varies(&self) -> bool {
        self.strength.iter().any(Quantity::varies)
    }
}

/// `fix wall/colloid`: takes `EPSILON SIGMA CUTOFF` for each wall.
pub(crate) fn colloid(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    need_spheres(session, args, None)?;
    let hooks =
        DeviceHooks { post_force: Some("wall_colloid"), ..DeviceHooks::of(kernel_file!("fix/wall.cl")) };
    Walls::new(header, hooks).read(session, args, |args, _| {
        let epsilon = Quantity::read(session, args, "the strength of the wall", 1.0)?;
        let sigma = Quantity::read(session, args, "the size parameter of the wall", 1.0)?;
        Ok((Box::new(Integrated { strength: [epsilon, sigma] }), args.positive("the cutoff of the wall")?))
    })
}

/// Takes `EPSILON SIGMA CUTOFF` (morse: `D0 ALPHA R0 CUTOFF`) for each wall.
fn formula(
    header: Header,
    session: &Session,
    args: &mut Args<'_>,
    potential: Potential,
) -> Result<Box<dyn Fix>> {
    let hooks = DeviceHooks {
        post_force: Some(potential.function()),
        ..DeviceHooks::of(kernel_file!("fix/wall.cl"))
    };
    let mut walls = Walls::new(header, hooks);
    walls.passable = potential == Potential::Lj1043;
    walls.read(session, args, |args, _| {
        let epsilon = Quantity::read(session, args, "the strength of the wall", 1.0)?;
        let alpha = match potential {
            Potential::Morse => Quantity::read(session, args, "the exponent alpha", 1.0)?,
            _ => Quantity::Number(0.0),
        };
        let sigma = Quantity::read(session, args, "the size parameter of the wall", 1.0)?;
        let formula = Formula { potential, strength: [epsilon, alpha, sigma] };
        Ok((Box::new(formula), args.positive("the cutoff of the wall")?))
    })
}

impl Walls {
    /// None yet, with these functions.
    pub(super) fn new(header: Header, hooks: DeviceHooks) -> Self {
        let (memory, walls, measured) = Default::default();
        Walls { header, hooks, passable: false, memory, walls, measured }
    }

    /// Takes `FACE PLACE`, what `push` takes, which ends with the cutoff, for each wall, and `units`, `pbc`; `push` may put
    /// tables into the memory.
    ///
    /// # Errors
    /// At a word that does not fit, or where there is no wall.
    pub(super) fn read(
        mut self,
        session: &Session,
        args: &mut Args<'_>,
        push: impl Fn(&mut Args<'_>, &mut Vec<f64>) -> Result<(Box<dyn Push>, f64)>,
    ) -> Result<Box<dyn Fix>> {
        let scale = faces::scale(session, args);
        let pbc = args.rest().windows(2).any(|pair| pair[0].text == "pbc" && pair[1].text == "yes");
        while let Some(word) = args.peek() {
            let known = ["xlo", "xhi", "ylo", "yhi", "zlo", "zhi", "units", "pbc", "fld"];
            let keyword = args.one_of("face or keyword", &known.map(|name| (name, name)))?;
            let Some(which) = Face::named(word) else {
                match keyword {
                    "units" => faces::units(args)?,
                    "fld" if args.clone().yes_no()? => {
                        return Err(args.unsupported(word, "fix wall keyword"));
                    }
                    _ => {
                        args.yes_no()?;
                    }
                }
                continue;
            };
            faces::check(session, args, word, self.walls.iter().any(|wall| wall.face.is(which)), pbc)?;
            let face = Face::read(session, args, which, scale)?;
            let (push, cutoff) = push(args, &mut self.memory)?;
            self.walls.push(Wall { face, push, cutoff });
        }
        if self.walls.is_empty() {
            args.word("a face: xlo, xhi, ylo, yhi, zlo or zhi")?;
        }
        self.measured = FixSums::energy(self.walls.len()).with_virial().with_own(1);
        Ok(Box::new(self))
    }
}

impl Fix for Walls {
    fn header(&self) -> &Header {
        &self.header
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }
}

impl DeviceFix for Walls {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(self.hooks)
    }

    fn memory(&self) -> Cow<'_, [f64]> {
        Cow::Borrowed(&self.memory)
    }

    fn measured(&self) -> Option<&FixSums> {
        Some(&self.measured)
    }

    fn check_measured(&self) -> Result<()> {
        let behind = self.measured.own()[0];
        if behind == 0.0 || self.passable {
            return Ok(());
        }
        let where_to = if self.memory.is_empty() { "" } else { ", or closer to it than its table begins" };
        Err(Error::new(format!("{behind} atoms are on or behind a wall{where_to}"))
            .help("let the wall stand farther off, make it stronger, or take a shorter timestep"))
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let mut parameters = vec![self.walls.len() as f64];
        for Wall { face, push, cutoff } in &self.walls {
            let Numbers { least, at_cutoff, coefficients } = push.numbers(now, *cutoff)?;
            parameters.extend([face.axis as f64, face.side, face.place(now)?]);
            parameters.extend([least, *cutoff, at_cutoff, coefficients.len() as f64]);
            parameters.extend(coefficients);
        }
        Ok(parameters)
    }

    fn varies(&self) -> bool {
        self.walls.iter().any(|wall| wall.face.varies() || wall.push.varies())
    }
}
