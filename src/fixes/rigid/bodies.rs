//! All bodies of a fix with their atoms: how they come about from these, and their steps. What is known of single atoms is
//! kept body by body, in the order of the IDs in each.

use super::body::{Body, Half};
use super::infile::Described;
use super::quaternion::{plus, to_body, to_space};
use crate::base::error::{Error, Result};
use crate::base::vector::{Vector, cross};
use crate::model::domain::Domain;
use crate::session::snapshot::view::Snapshot;
use std::ops::Range;

/// Numbers of a body that the device reads (cl/fix/rigid.cl).
const PARAMETERS: usize = 18;

/// The bodies.
#[derive(Default)]
pub(super) struct Bodies {
    pub all: Vec<Body>,
    /// IDs of the atoms.
    pub(super) tags: Vec<u32>,
    mass: Vec<f64>,
    mask: Vec<u32>,
    /// Where an atom is, along the axes of its body from its centre.
    pub(super) place: Vec<Vector>,
    /// The same in space.
    pub(super) arm: Vec<Vector>,
    pub(super) v: Vec<Vector>,
    f: Vec<Vector>,
    /// By atom ID from 1: the place in the vectors above from 1; 0 for atoms of no body.
    by_tag: Vec<u32>,
    /// The IDs of all atoms as they were in memory last, and which of those the atoms above are.
    seen: Vec<u32>,
    order: Vec<usize>,
    /// Of the forces that keep atoms in place, of each: xx yy zz xy xz yz, in energy units.
    pub(super) virials: Vec<[f64; 6]>,
    /// In 2 dimensions.
    pub(super) flat: bool,
}

impl Bodies {
    /// Of these numbers and atom IDs, in so many dimensions.
    pub(super) fn new(bodies: Vec<(i64, Vec<u32>)>, dimension: u32) -> Self {
        let mut all = Bodies { flat: dimension == 2, ..Bodies::default() };
        bodies.into_iter().for_each(|(id, tags)| all.add(id, tags));
        all
    }

    /// Adds a body that is not known yet but for its atoms.
    pub(super) fn add(&mut self, id: i64, mut tags: Vec<u32>) {
        tags.sort_unstable();
        let first = self.tags.len();
        for (place, &tag) in tags.iter().enumerate() {
            self.by_tag.resize(self.by_tag.len().max(tag as usize), 0);
            self.by_tag[tag as usize - 1] = (first + place + 1) as u32;
        }
        self.tags.extend(tags);
        let count = self.tags.len();
        for column in [&mut self.place, &mut self.arm, &mut self.v, &mut self.f] {
            column.resize(count, [0.0; 3]);
        }
        self.mass.resize(count, 0.0);
        self.mask.resize(count, 0);
        self.virials.resize(count, [0.0; 6]);
        let free = Body::free_in(if self.flat { 2 } else { 3 });
        self.all.push(Body { id, members: first..count, free, ..Body::default() });
    }

    /// How many atoms they have.
    pub(super) fn atoms(&self) -> usize {
        self.tags.len()
    }

    /// The indices, in the order of the atoms in memory, of the atoms of bodies.
    pub(super) fn indices(&self, tags: &[u32]) -> Result<Vec<usize>> {
        let mut indices = vec![usize::MAX; self.tags.len()];
        for (i, &tag) in tags.iter().enumerate() {
            match self.by_tag.get(tag as usize - 1) {
                Some(&place) if place > 0 => indices[place as usize - 1] = i,
                _ => {}
            }
        }
        match indices.iter().position(|&i| i == usize::MAX) {
            None => Ok(indices),
            Some(gone) => {
                let message = format!("atom {} of a rigid body is gone", self.tags[gone]);
                Err(Error::new(message).help("`unfix` it before atoms are deleted, and define it anew"))
            }
        }
    }

    /// Takes note of masses and groups, and of `velocities`.
    ///
    /// # Errors
    /// When an atom is gone or the device fails.
    pub(super) fn look(&mut self, system: &Snapshot<'_>, velocities: bool) -> Result<()> {
        let atoms = system.atoms()?;
        for (place, i) in self.indices(&atoms.tag)?.into_iter().enumerate() {
            self.mass[place] = system.mass(atoms.kind[i]);
            self.mask[place] = atoms.mask[i];
            if velocities {
                self.v[place] = atoms.v[i];
            }
        }
        Ok(())
    }

    /// Makes the bodies of a range out of their atoms as they are, or as far as a file describes them.
    ///
    /// # Errors
    /// When an atom is gone or has crossed a face that is not periodic, and when the device fails.
    pub(super) fn make(
        &mut self,
        system: &Snapshot<'_>,
        which: Range<usize>,
        file: &[Described],
    ) -> Result<()> {
        self.look(system, true)?;
        let (atoms, domain) = (system.atoms()?, system.domain()?);
        let mut x = vec![[0.0; 3]; self.tags.len()];
        for (place, i) in self.indices(&atoms.tag)?.into_iter().enumerate() {
            if let Some(d) = (0..3).find(|&d| !domain.periodic(d) && atoms.image[i][d] != 0) {
                let (tag, axis) = (atoms.tag[i], ['x', 'y', 'z'][d]);
                let message =
                    format!("atom {tag} has crossed a box length along {axis}, which is not periodic");
                return Err(Error::new(message).help("set its image flag to 0"));
            }
            x[place] = domain.unwrapped(atoms.x[i], atoms.image[i]);
        }
        for body in which {
            self.make_one(body, &x, domain, file.iter().find(|known| known.id == self.all[body].id))?;
        }
        Ok(())
    }

    fn make_one(
        &mut self,
        which: usize,
        x: &[Vector],
        domain: &Domain,
        file: Option<&Described>,
    ) -> Result<()> {
        let Bodies { all, mass, place, arm, v, flat, .. } = self;
        let body = &mut all[which];
        let members = || body.members.clone();
        let sum = |of: &dyn Fn(usize) -> Vector| members().fold([0.0; 3], |sum, k| plus(sum, mass[k], of(k)));
        let total: f64 = members().map(|k| mass[k]).sum();
        let mut centre = sum(&|k| x[k]).map(|x| x / total);
        let drift = sum(&|k| v[k]).map(|v| v / total);
        let turn = sum(&|k| cross(plus(x[k], -1.0, centre), v[k]));
        (body.mass, body.velocity, body.momentum) = (total, drift, turn);
        (body.centre, body.image) = (centre, [0; 3]);
        if let Some(known) = file {
            (body.mass, body.velocity, body.momentum) = (known.mass, known.velocity, known.momentum);
            (body.centre, body.image) = (known.centre, known.image);
            centre = domain.unwrapped(known.centre, known.image);
        }
        body.wrap(domain);
        let mut tensor = [0.0; 6];
        for k in body.members.clone() {
            arm[k] = plus(x[k], -1.0, centre);
            let [dx, dy, dz] = arm[k];
            let products =
                [dy * dy + dz * dz, dx * dx + dz * dz, dx * dx + dy * dy, -dy * dz, -dx * dz, -dx * dy];
            tensor.iter_mut().zip(products).for_each(|(sum, product)| *sum += mass[k] * product);
        }
        body.orient(file.map_or(tensor, |known| known.tensor), *flat)?;
        if *flat {
            body.flatten();
        }
        let axes = body.axes();
        for k in body.members.clone() {
            place[k] = to_body(&axes, arm[k]);
            if *flat {
                (place[k][2], arm[k][2]) = (0.0, 0.0);
            }
        }
        body.begin();
        Ok(())
    }

    /// Takes note of the order of the atoms in memory, whose IDs are these.
    ///
    /// # Errors
    /// When an atom is gone.
    pub(super) fn find(&mut self, tags: &[u32]) -> Result<()> {
        if self.seen != tags || self.order.len() != self.tags.len() {
            self.order = self.indices(tags)?;
            self.seen = tags.to_vec();
        }
        Ok(())
    }

    /// Sums of the forces, three numbers of each atom in the order that was [found](Bodies::find) in memory: force and torque of each body.
    pub(super) fn add_up(&mut self, forces: &[f64]) -> Vec<[Vector; 2]> {
        for (f, &i) in self.f.iter_mut().zip(&self.order) {
            f.copy_from_slice(&forces[3 * i..3 * i + 3]);
        }
        let sums = |body: &Body| {
            body.members.clone().fold([[0.0; 3]; 2], |[force, torque], k| {
                [plus(force, 1.0, self.f[k]), plus(torque, 1.0, cross(self.arm[k], self.f[k]))]
            })
        };
        self.all.iter().map(sums).collect()
    }

    /// Takes the forces and torques of the atoms, to which those of a thermostat come.
    fn act(&mut self, sums: Vec<[Vector; 2]>) {
        for (body, sum) in self.all.iter_mut().zip(sums) {
            let with = |k: usize| std::array::from_fn(|d| sum[k][d] + body.free[k][d] * body.noise[k][d]);
            body.force = [with(0), with(1)];
            if self.flat {
                body.flatten();
            }
        }
    }

    /// Begins a run with these forces and torques. Gives the atoms, in the order of those in memory, the velocities of their
    /// bodies, and begins the virial with twice what that takes.
    pub(super) fn begin(&mut self, sums: Vec<[Vector; 2]>, v: &mut [Vector], kick: f64) {
        self.act(sums);
        self.all.iter_mut().for_each(Body::begin);
        self.virials.fill([0.0; 6]);
        self.follow(kick);
        self.virials.as_flattened_mut().iter_mut().for_each(|part| *part *= 2.0);
        for (&i, velocity) in self.order.iter().zip(&self.v) {
            v[i] = *velocity;
        }
    }

    /// Before the forces of a step.
    pub(super) fn first_half(&mut self, half: Half) {
        self.virials.fill([0.0; 6]);
        // The forces of the step before act where the atoms were.
        let before = self.positions();
        self.all.iter_mut().for_each(|body| body.first_half(half));
        self.constrain(half.kick, &before);
    }

    /// After the forces, with what [`Bodies::add_up`] has made of them.
    pub(super) fn second_half(&mut self, sums: Vec<[Vector; 2]>, half: Half) {
        self.act(sums);
        self.all.iter_mut().for_each(|body| body.second_half(half));
        self.follow(half.kick);
    }

    /// Velocities follow the bodies where the atoms are.
    fn follow(&mut self, kick: f64) {
        let at = self.positions();
        self.constrain(kick, &at);
    }

    /// Where the atoms are, in the image of the box in which the centre of their body is.
    fn positions(&self) -> Vec<Vector> {
        let mut x = self.arm.clone();
        for body in &self.all {
            body.members.clone().for_each(|k| x[k] = plus(x[k], 1.0, body.centre));
        }
        x
    }

    /// Arms and velocities of the atoms follow their bodies; half of what that takes beyond the forces, as forces at `x`,
    /// counts for the virial.
    fn constrain(&mut self, kick: f64, x: &[Vector]) {
        let Bodies { all, mass, place, arm, v, f, virials, flat, .. } = self;
        for body in all {
            let axes = body.axes();
            for k in body.members.clone() {
                arm[k] = to_space(&axes, place[k]);
                let mut velocity = body.velocity_at(arm[k]);
                if *flat {
                    (arm[k][2], velocity[2]) = (0.0, 0.0);
                }
                let pull: Vector =
                    std::array::from_fn(|d| mass[k] * (velocity[d] - v[k][d]) / kick - f[k][d]);
                v[k] = velocity;
                let pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
                virials[k].iter_mut().zip(pairs).for_each(|(sum, (a, b))| *sum += 0.5 * x[k][a] * pull[b]);
            }
        }
    }

    /// Arms and velocities of the atoms follow from their bodies.
    pub(super) fn carry(&mut self) {
        for body in &self.all {
            let axes = body.axes();
            for k in body.members.clone() {
                self.arm[k] = to_space(&axes, self.place[k]);
                self.v[k] = body.velocity_at(self.arm[k]);
                if self.flat {
                    (self.arm[k][2], self.v[k][2]) = (0.0, 0.0);
                }
            }
        }
    }

    /// The virial of the forces that keep atoms in place.
    pub(super) fn virial(&self) -> [f64; 6] {
        self.virials.iter().fold([0.0; 6], |sum, virial| std::array::from_fn(|k| sum[k] + virial[k]))
    }

    /// Brings the centres into the box.
    pub(super) fn wrap(&mut self, domain: &Domain) {
        self.all.iter_mut().for_each(|body| body.wrap(domain));
    }

    /// What the device knows of each atom by ID, `rows` of them: where it is in its body, and after that the number of that
    /// from 1, 0 for none, and its place among the atoms of all bodies from 1.
    pub(super) fn table(&self, rows: usize) -> Vec<Vector> {
        let mut table = vec![[0.0; 3]; 2 * rows];
        // Those that are not made yet, as their run has not begun, have no atoms.
        for (number, body) in self.all.iter().enumerate().filter(|(_, body)| body.mass > 0.0) {
            for k in body.members.clone() {
                let row = self.tags[k] as usize - 1;
                table[row] = self.place[k];
                table[rows + row] = [(number + 1) as f64, (k + 1) as f64, 0.0];
            }
        }
        table
    }

    /// What it knows of each body: axes, unwrapped centre, velocity, angular velocity.
    pub(super) fn parameters(&self, domain: &Domain, room: usize) -> Vec<f64> {
        let mut numbers = Vec::with_capacity(PARAMETERS * room);
        for body in &self.all {
            let centre = domain.unwrapped(body.centre, body.image);
            numbers.extend(body.axes().iter().chain([&centre, &body.velocity, &body.omega]).flatten());
        }
        numbers.resize(PARAMETERS * room, 0.0);
        numbers
    }

    /// Degrees of freedom that the bodies have less than their atoms, of those bodies that are in a group with all of these.
    pub(super) fn removed(&self, group: u32) -> f64 {
        let whole = self
            .all
            .iter()
            .filter(|body| self.mask[body.members.clone()].iter().all(|mask| mask & group != 0));
        let removed = |body: &Body| {
            let atoms = body.members.len() as f64;
            match self.flat {
                true => 2.0 * atoms - 3.0,
                false => 3.0 * atoms - 6.0 + f64::from(u8::from(body.is_line())),
            }
        };
        whole.map(removed).sum()
    }
}
