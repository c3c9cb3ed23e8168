//! Walls with a potential of the distance: `fix wall/lj93`, `wall/lj126`, `wall/lj1043`, `wall/harmonic`,
//! `wall/morse` (cl/fix/wall.cl). Source: LAMMPS manual, `fix wall/lj93` and its page.

use super::faces::{self, Face};
use super::{Call, Fix, Header, Measured, Moment, Quantity, Stage, snippet};
use crate::error::{Error, Result};
use crate::script::Args;
use crate::state::State;
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
const COEFFICIENTS: usize = 8;

impl Potential {
    fn function(self) -> Call {
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

/// A wall with its numbers.
struct Wall {
    face: Face,
    /// epsilon, alpha, sigma.
    strength: [Quantity; 3],
    cutoff: f64,
}

struct Walls {
    header: Header,
    potential: Potential,
    walls: Vec<Wall>,
    measured: Measured,
}

/// `fix wall/lj93`.
pub(super) fn lj93(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    new(header, state, args, Potential::Lj93)
}

/// `fix wall/lj126`.
pub(super) fn lj126(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    new(header, state, args, Potential::Lj126)
}

/// `fix wall/lj1043`.
pub(super) fn lj1043(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    new(header, state, args, Potential::Lj1043)
}

/// `fix wall/harmonic`.
pub(super) fn harmonic(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    new(header, state, args, Potential::Harmonic)
}

/// `fix wall/morse`.
pub(super) fn morse(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    new(header, state, args, Potential::Morse)
}

/// Takes `FACE PLACE EPSILON SIGMA CUTOFF` for each wall (morse: `D0 ALPHA R0` for the strength), `units`, `pbc`.
fn new(header: Header, state: &State, args: &mut Args<'_>, potential: Potential) -> Result<Box<dyn Fix>> {
    let scale = faces::scale(state, args);
    let pbc = args.rest().windows(2).any(|pair| pair[0].text == "pbc" && pair[1].text == "yes");
    let mut walls: Vec<Wall> = Vec::new();
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
        faces::check(state, args, word, walls.iter().any(|wall| wall.face.is(which)), pbc)?;
        let face = Face::read(state, args, which, scale)?;
        let epsilon = Quantity::read(state, args, "the strength of the wall", 1.0)?;
        let alpha = match potential {
            Potential::Morse => Quantity::read(state, args, "the exponent alpha", 1.0)?,
            _ => Quantity::Number(0.0),
        };
        let sigma = Quantity::read(state, args, "the size parameter of the wall", 1.0)?;
        let cutoff = args.positive("the cutoff of the wall")?;
        walls.push(Wall { face, strength: [epsilon, alpha, sigma], cutoff });
    }
    if walls.is_empty() {
        args.word("a face: xlo, xhi, ylo, yhi, zlo or zhi")?;
    }
    let measured = Measured::energy(walls.len()).with_virial().with_own(1);
    Ok(Box::new(Walls { header, potential, walls, measured }))
}

impl Fix for Walls {
    fn header(&self) -> &Header {
        &self.header
    }

    fn stage(&self) -> Option<Stage> {
        Some(Stage { force: Some(self.potential.function()), ..Stage::of(snippet!("wall.cl")) })
    }

    fn measured(&self) -> Option<&Measured> {
        Some(&self.measured)
    }

    fn check_measured(&self) -> Result<()> {
        let behind = self.measured.own()[0];
        if behind == 0.0 || self.potential == Potential::Lj1043 {
            return Ok(());
        }
        Err(Error::new(format!("{behind} atoms are on or behind a wall"))
            .help("let the wall stand farther off, make it stronger, or take a shorter timestep"))
    }

    fn parameters(&self, now: &Moment<'_>) -> Result<Vec<f64>> {
        let mut parameters = vec![self.walls.len() as f64];
        for Wall { face, strength, cutoff } in &self.walls {
            parameters.extend([face.axis as f64, face.side, face.place(now)?, *cutoff]);
            let [epsilon, alpha, sigma] = strength;
            let strength = [now.value(epsilon)?, now.value(alpha)?, now.value(sigma)?];
            if strength[0] < 0.0 || strength[2] < 0.0 {
                return Err(Error::new("the strength and the size of a wall cannot be negative"));
            }
            parameters.extend(self.potential.coefficients(strength, *cutoff));
        }
        Ok(parameters)
    }

    fn varies(&self) -> bool {
        let varies = |wall: &Wall| wall.face.varies() || wall.strength.iter().any(Quantity::varies);
        self.walls.iter().any(varies)
    }
}
