//! `fix ID GROUP box/relax KEYWORD ...`: minimizations vary the box too, under a target pressure. Source: LAMMPS manual,
//! `fix box/relax`: the strain energy is that of Parrinello and Rahman, J. Appl. Phys. 52, 7182 (1981).

use super::barostat::{Axes, Barometer};
use super::matrix::{Matrix, inverse, matrix, product, transposed};
use super::thermostat;
use crate::base::error::Result;
use crate::model::domain::Domain;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute;
use crate::session::compute::style::Compute;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{BoxChange, Fix, FixContext, FixOutput, Header, HostFix, Watched};
use crate::session::snapshot::view::Snapshot;
use std::any::Any;
use std::cell::{Cell, RefCell};

/// Edges and tilts of a box.
#[derive(Clone, Copy, Debug)]
struct Edges {
    /// 1 along z in 2d.
    length: [f64; 3],
    /// xy xz yz.
    tilt: [f64; 3],
}

impl Edges {
    fn of(domain: &Domain, dimension: u32) -> Self {
        let [x, y, z] = domain.lengths();
        Edges { length: [x, y, if dimension == 2 { 1.0 } else { z }], tilt: domain.tilt }
    }

    fn volume(&self) -> f64 {
        self.length.iter().product()
    }
}

/// The axis that each tilt is along, and the one whose edge leans.
const ALONG: [usize; 3] = [0, 0, 1];
const OVER: [usize; 3] = [1, 2, 2];

/// The edges and tilts of a box as coordinates of a minimization. They change by strains: parts of the edges when it began;
/// one strain where all axes change alike, else one per axis, and where tilts follow one per tilt (xy xz yz), in parts of the
/// edge that the tilt is along.
pub(crate) struct BoxRelax {
    header: Header,
    watched: Watched,
    axes: Axes,
    /// The longest step of a strain in an iteration.
    longest: f64,
    /// Whether all atoms follow the box, or only the group.
    all: bool,
    /// The point that stays where it is.
    fixed: [f64; 3],
    /// Iterations between new reference boxes; 0: none.
    reset_every: i64,
    dimension: u32,
    barometer: RefCell<Barometer>,
    /// Tilts that keep their ratio to the edge that they lean over.
    scaled: [bool; 3],
    /// The box when the minimization began, and the one that energies are counted from.
    first: Cell<Edges>,
    reference: Cell<Edges>,
}

const KEYWORDS: [&str; 17] = [
    "iso",
    "aniso",
    "tri",
    "x",
    "y",
    "z",
    "xy",
    "xz",
    "yz",
    "couple",
    "scalexy",
    "scalexz",
    "scaleyz",
    "vmax",
    "nreset",
    "dilate",
    "fixedpoint",
];

pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let domain = session.domain()?;
    let mut fix = BoxRelax {
        watched: Watched {
            temperature: thermostat::own_temperature(&header),
            pressure: Some(format!("{}_press", header.id)),
        },
        header,
        axes: Axes::at_rest(session.system.dimension),
        longest: 1e-4,
        all: true,
        fixed: std::array::from_fn(|d| 0.5 * (domain.lo[d] + domain.hi[d])),
        reset_every: 0,
        dimension: session.system.dimension,
        barometer: RefCell::default(),
        scaled: [false; 3],
        first: Cell::new(Edges::of(domain, session.system.dimension)),
        reference: Cell::new(Edges::of(domain, session.system.dimension)),
    };
    while let Some(word) = args.peek() {
        args.word("a keyword")?;
        if fix.axes.keyword(word, args)? {
            continue;
        }
        match &*word.text {
            "vmax" => fix.longest = args.positive("the longest strain")?,
            "nreset" => fix.reset_every = args.count("iterations between reference boxes", 0)? as i64,
            "dilate" => {
                fix.all = args.one_of("atoms that follow the box", &[("all", true), ("partial", false)])?;
            }
            "fixedpoint" => {
                for x in &mut fix.fixed {
                    *x = args.f64("a coordinate of the fixed point")?;
                }
            }
            _ => return Err(args.unknown(word, "keyword of fix box/relax", KEYWORDS.into_iter())),
        }
    }
    if !fix.axes.any() {
        return Err(args.error_here("fix box/relax needs a pressure: iso, aniso, tri, x, y, z, xy, xz or yz"));
    }
    fix.axes.check(session, args)?;
    fix.scaled = fix.axes.scaled(domain);
    let mut others = session.fixes.iter().filter(|other| other.header().id != fix.header.id);
    if let Some(other) = others.find(|other| relaxation(&***other).is_some()) {
        let id = &other.header().id;
        let error = args.error_here(format_args!("fix {id} is a fix box/relax already"));
        return Err(error.help(format!("give it all axes, or `unfix {id}` first")));
    }
    Ok(Box::new(fix))
}

/// A fix as one of this style, where it is.
pub(crate) fn relaxation(fix: &dyn Fix) -> Option<&BoxRelax> {
    (fix as &dyn Any).downcast_ref()
}

impl BoxRelax {
    /// Number of strains.
    pub(crate) fn freedom(&self) -> usize {
        match self.axes.isotropic() {
            true => 1,
            false if self.axes.tilting() => 6,
            false => 3,
        }
    }

    /// Bits of the groups whose atoms follow the box.
    pub(crate) fn carried(&self) -> u32 {
        if self.all { u32::MAX } else { self.header.group }
    }

    /// How far a line search may go along these strains; of several not beyond the direction itself, as in LAMMPS.
    pub(crate) fn longest(&self, direction: &[f64]) -> f64 {
        let most = if self.axes.isotropic() { f64::INFINITY } else { 1.0 };
        direction.iter().map(|strain| self.longest / strain.abs()).fold(most, f64::min)
    }

    /// A box after strains.
    pub(crate) fn strained(&self, domain: &Domain, strain: &[f64]) -> Domain {
        let (length, first, reference) = (domain.lengths(), self.first.get(), self.reference.get());
        let mut to = domain.clone();
        for d in (0..3).filter(|&d| self.axes.controlled[d].is_some()) {
            let strain = strain[if strain.len() == 1 { 0 } else { d }];
            for corner in [&mut to.lo[d], &mut to.hi[d]] {
                *corner += (*corner - self.fixed[d]) / length[d] * strain * first.length[d];
            }
        }
        for k in 0..3 {
            if self.scaled[k] {
                to.tilt[k] = to.lengths()[OVER[k]] * first.tilt[k] / first.length[OVER[k]];
            } else if self.axes.tilts[k].is_some() {
                to.tilt[k] += strain[3 + k] * reference.length[ALONG[k]];
            }
        }
        to
    }

    /// Takes the box as the new reference, where this iteration is one for it.
    pub(crate) fn new_reference(&self, iteration: i64, domain: &Domain) -> bool {
        let due = self.axes.axis_by_axis && self.reset_every > 0 && iteration % self.reset_every == 0;
        if due {
            self.reference.set(Edges::of(domain, self.dimension));
        }
        due
    }

    /// The mean target of the controlled axes, in pressure units.
    fn hydrostatic(&self) -> f64 {
        let targets = self.axes.controlled.iter().flatten().map(|axis| axis.stop);
        targets.clone().sum::<f64>() / targets.count().max(1) as f64
    }

    /// By how much each edge has grown since the reference, as a factor.
    fn stretches(&self, domain: &Domain) -> [f64; 3] {
        let (now, reference) = (Edges::of(domain, self.dimension), self.reference.get());
        std::array::from_fn(|d| self.axes.controlled[d].map_or(1.0, |_| now.length[d] / reference.length[d]))
    }

    /// What targets beyond the mean pull with: V0 h0^-1 (P - p) h0^-T, pressure units times length, where what the edges of a
    /// leaning box have of each other is taken off the targets, as in LAMMPS; and the edges h now, as columns.
    fn beyond(&self, domain: &Domain) -> [Matrix; 2] {
        let (mean, first, reference) = (self.hydrostatic(), self.first.get(), self.reference.get());
        let [mut xx, mut yy, zz] =
            std::array::from_fn(|d| self.axes.controlled[d].map_or(0.0, |axis| axis.stop - mean));
        let [mut xy, xz, yz] = self.axes.tilt_targets(1.0);
        let inverse = inverse(reference.length, reference.tilt);
        yy -= yz * inverse[1][2] * first.length[1];
        xy -= xz * inverse[1][2] * first.length[1];
        xx -= (xy * inverse[0][1] + xz * inverse[0][2]) * first.length[0];
        let target = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        let sigma = product(product(inverse, target), transposed(inverse));
        let now = Edges::of(domain, self.dimension);
        [sigma.map(|row| row.map(|s| reference.volume() * s)), matrix(now.length, now.tilt)]
    }

    /// What a box costs: p (V - V0) for the mean target p and, where targets differ, half the trace of
    /// V0 h0^-1 (P - p) h0^-T h h^T for the edges h and those of the reference, h0; in energy units.
    pub(crate) fn energy(&self, domain: &Domain, nktv2p: f64) -> f64 {
        let growth = self.stretches(domain).iter().product::<f64>() - 1.0;
        let work = self.reference.get().volume() * self.hydrostatic() * growth;
        let [sigma, h] = self.beyond(domain);
        let squares = product(sigma, product(h, transposed(h)));
        (work + 0.5 * (squares[0][0] + squares[1][1] + squares[2][2])) / nktv2p
    }

    /// What drives the strains, in energy units, at a step with tallies.
    ///
    /// # Errors
    /// When the pressure compute is gone or the pressure is not finite.
    pub(crate) fn forces(&self, context: &FixContext<'_>) -> Result<Vec<f64>> {
        let mut barometer = self.barometer.borrow_mut();
        barometer.measure(context, self.watched.pressure.as_deref().unwrap_or_default())?;
        let found = self.axes.pressures(&barometer, context)?;
        let (reference, nktv2p) = (self.reference.get(), context.session.system.units.nktv2p);
        let volume = reference.volume() / nktv2p;
        let (domain, mean) = (&context.simulation.domain, self.hydrostatic());
        let factor = self.stretches(domain);
        if self.axes.isotropic() {
            let [d, s] = [f64::from(self.dimension), factor[0]];
            return Ok(vec![volume * (found[0] - mean) * d * s.powi(self.dimension as i32 - 1)]);
        }
        let [sigma, h] = self.beyond(domain);
        let pull = product(h, sigma);
        let edge = |d: usize| {
            let others = factor[(d + 1) % 3] * factor[(d + 2) % 3];
            volume * (found[d] - mean) * others - pull[d][d] * reference.length[d] / nktv2p
        };
        let mut forces: Vec<f64> = (0..3).map(|d| self.axes.controlled[d].map_or(0.0, |_| edge(d))).collect();
        if self.axes.tilting() {
            let (_, tensor) = barometer.tensor(context.session.system.units, domain);
            // As for the edges, one that is not controlled is as in the reference, also where its faces follow the atoms.
            let length: [f64; 3] = std::array::from_fn(|d| reference.length[d] * factor[d]);
            let tilt = |k: usize| {
                // The face that the edge leans over.
                let face = length[(OVER[k] + 1) % 3] * length[(OVER[k] + 2) % 3];
                (tensor[3 + k] * face - pull[ALONG[k]][OVER[k]]) * reference.length[ALONG[k]] / nktv2p
            };
            forces.extend((0..3).map(|k| self.axes.tilts[k].map_or(0.0, |_| tilt(k))));
        }
        Ok(forces)
    }
}

impl Fix for BoxRelax {
    fn header(&self) -> &Header {
        &self.header
    }

    fn computes(&self, session: &Session) -> Vec<Box<dyn Compute>> {
        let barometer =
            compute::virial_pressure(&format!("{}_press", self.header.id), session.system.dimension);
        vec![thermostat::thermometer(&self.header, 1, session), barometer]
    }

    fn watched(&mut self) -> Option<&mut Watched> {
        Some(&mut self.watched)
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn box_change(&self) -> Option<&dyn BoxChange> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }
}

impl HostFix for BoxRelax {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        let edges = Edges::of(&context.simulation.domain, self.dimension);
        self.first.set(edges);
        self.reference.set(edges);
        Ok(())
    }
}

impl BoxChange for BoxRelax {
    fn shows_volume(&self) -> bool {
        true
    }
}

impl FixOutput for BoxRelax {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::SCALAR)
    }

    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        let energy = self.energy(system.domain()?, system.session.system.units.nktv2p);
        Ok(Values { scalar: Some(energy), ..Values::default() })
    }

    fn extensive(&self) -> bool {
        true
    }
}
