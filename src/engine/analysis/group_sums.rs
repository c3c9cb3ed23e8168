//! Sums over the atoms of a group that computes and formulas ask for. During runs the device makes them (cl/analysis/group_sums.cl);
//! the host does between runs, in a region and in single precision.

use crate::base::error::Result;
use crate::base::vector::cross;
use crate::engine::analysis::reduce::Reductions;
use crate::engine::device_atoms::{DeviceAtoms, Floats};
use crate::engine::kernels::{Context, GROUP_SUMS, INTEGRATE, REDUCE};
use crate::engine::neighbor::cells::Cells;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Kernel};
use crate::model::atoms::{Atoms, ById};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a term sees of an atom.
#[derive(Clone, Copy, Debug)]
pub struct SummedAtom {
    /// Position with the box lengths that the atom has crossed.
    pub x: [f64; 3],
    /// Velocity.
    pub v: [f64; 3],
    /// Force.
    pub f: [f64; 3],
    /// A place or velocity from which is counted, for all atoms.
    pub about: [f64; 3],
    /// What is kept of the atom from earlier; `None` where it was not there.
    pub kept: Option<[f64; 3]>,
    /// Mass.
    pub mass: f64,
}

/// What an atom adds to a sum.
pub struct SumTerm {
    /// The function of cl/analysis/group_sums.cl.
    pub name: &'static str,
    /// Its twin.
    pub of: fn(&SummedAtom) -> [f64; 6],
    /// Whether it looks at forces.
    pub forces: bool,
    /// Whether it looks at what is kept of atoms from earlier.
    pub keeps: bool,
}

fn less(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|d| a[d] - b[d])
}

fn three(a: [f64; 3], factor: f64) -> [f64; 6] {
    [a[0] * factor, a[1] * factor, a[2] * factor, 0.0, 0.0, 0.0]
}

fn square([x, y, z]: [f64; 3], factor: f64) -> [f64; 6] {
    [x * x, y * y, z * z, x * y, x * z, y * z].map(|product| product * factor)
}

macro_rules! terms {
    ($($(#[$doc:meta])* $name:ident = $function:literal, [$forces:literal, $keeps:literal], $of:expr;)*) => {
        impl SumTerm {
            $($(#[$doc])*
            pub const $name: SumTerm =
                SumTerm { name: $function, of: $of, forces: $forces == 1, keeps: $keeps == 1 };)*

            /// All of them.
            pub const ALL: &[SumTerm] = &[$(SumTerm::$name),*];
        }
    };
}

terms! {
    /// m x.
    PLACE = "mass_times_place", [0, 0], |a| three(a.x, a.mass);
    /// m v.
    MOMENTUM = "momentum_of", [0, 0], |a| three(a.v, a.mass);
    /// f.
    FORCE = "force_on", [1, 0], |a| three(a.f, 1.0);
    /// m d d of the way d from `about`: xx yy zz xy xz yz.
    SPREAD = "spread_of", [0, 0], |a| square(less(a.x, a.about), a.mass);
    /// m v v of velocities relative to `about`.
    MOTION = "thermal_motion", [0, 0], |a| square(less(a.v, a.about), a.mass);
    /// m d x v.
    ANGULAR_MOMENTUM = "angular_momentum_of", [0, 0], |a| three(cross(less(a.x, a.about), a.v), a.mass);
    /// d x f.
    TORQUE = "torque_on", [1, 0], |a| three(cross(less(a.x, a.about), a.f), 1.0);
    /// The squares of displacements from kept places, less the displacement `about`, of new atoms from where they are.
    SQUARED_DISPLACEMENT = "squared_displacement", [0, 1], |a| {
        let moved = less(a.kept.map_or([0.0; 3], |kept| less(a.x, kept)), a.about);
        three(moved.map(|x| x * x), 1.0)
    };
    /// Products with kept velocities; 0 of new atoms.
    VELOCITY_PRODUCT = "velocity_product", [0, 1], |a| {
        let kept = a.kept.unwrap_or_default();
        three(std::array::from_fn(|d| a.v[d] * kept[d]), 1.0)
    };
}

/// The sums over a group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Of a term.
    pub of: [f64; 6],
    /// The number of atoms.
    pub count: f64,
    /// Their mass.
    pub mass: f64,
}

impl Sums {
    /// From the term's sums, the number and the mass.
    pub fn new([a, b, c, d, e, f, count, mass]: [f64; 8]) -> Self {
        Sums { of: [a, b, c, d, e, f], count, mass }
    }

    /// The first three of them.
    pub fn vector(&self) -> [f64; 3] {
        [self.of[0], self.of[1], self.of[2]]
    }

    /// The sums over the mass; 0 without atoms.
    pub fn mean(&self) -> [f64; 6] {
        if self.mass > 0.0 { self.of.map(|sum| sum / self.mass) } else { [0.0; 6] }
    }
}

/// Three numbers of each atom, kept by ID.
pub struct ReferenceValues {
    values: ById<[f64; 3]>,
    /// Another one whenever the values are others, so that the device need not be sent them again.
    serial: u64,
}

static SERIAL: AtomicU64 = AtomicU64::new(0);

impl ReferenceValues {
    /// Of these IDs.
    pub fn new(values: impl IntoIterator<Item = (u32, [f64; 3])>) -> Self {
        ReferenceValues {
            values: values.into_iter().collect(),
            serial: SERIAL.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Adds those of other IDs.
    pub fn extend(&mut self, values: impl IntoIterator<Item = (u32, [f64; 3])>) {
        self.values.extend(values);
        self.serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    }

    /// The same under IDs that were given anew, of the atoms that are still there: pairs of an old and a new one.
    pub fn renumber(&mut self, ids: &[(u32, u32)]) {
        *self = ReferenceValues::new(ids.iter().filter_map(|&(old, new)| Some((new, self.get(old)?))));
    }

    /// An ID and its values after the other, in one row.
    pub fn numbers(&self) -> Vec<f64> {
        self.values.iter().flat_map(|(id, [x, y, z])| [f64::from(id), *x, *y, *z]).collect()
    }

    /// The inverse of [`ReferenceValues::numbers`]; `None` where these are none.
    pub fn of_numbers(numbers: &[f64]) -> Option<Self> {
        let (rows, []) = numbers.as_chunks() else { return None };
        Some(ReferenceValues::new(rows.iter().map(|&[id, x, y, z]| (id as u32, [x, y, z]))))
    }

    /// Those of an ID.
    pub fn get(&self, id: u32) -> Option<[f64; 3]> {
        self.values.get(id).copied()
    }
}

/// More rows than this by ID, and more than so many per atom, are not sent to the device.
const MOST_ROWS: usize = 1 << 16;
const PER_ATOM: usize = 4;

/// No such atom (cl/analysis/group_sums.cl).
const KEPT_NOTHING: f64 = 1e300;

/// The kernels that make sums, and what they keep on the device.
#[derive(Default)]
pub struct GroupSums {
    kernels: RefCell<HashMap<&'static str, Kernel>>,
    kept: RefCell<Vec<(u64, Rc<Floats>)>>,
}

impl GroupSums {
    /// Has the program for a term built.
    ///
    /// # Errors
    /// When the device fails.
    pub fn prepare(&self, term: &SumTerm, context: &Context) -> Result<()> {
        let mut kernels = self.kernels.borrow_mut();
        if context.numerics.wide() && !kernels.contains_key(term.name) {
            let defines = context.defines().set("TERM", term.name);
            let defines = if term.keeps { defines.set("KEEPS", 1) } else { defines };
            let program = context.program_with(&[INTEGRATE, REDUCE, GROUP_SUMS], &defines)?;
            kernels.insert(term.name, program.kernel("survey_atoms")?);
        }
        Ok(())
    }

    /// The sums over the atoms of a group at this moment, by the device, maybe only over those for which a column is not 0;
    /// `None` where the host has to make them.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn sums(
        &self,
        (term, about, kept): (&SumTerm, [f64; 3], Option<&ReferenceValues>),
        (group, select): (u32, Option<&Buffer<f64>>),
        atoms: &DeviceAtoms,
        cells: &Cells,
        reductions: &Reductions,
    ) -> Result<Option<Sums>> {
        let context = &atoms.context;
        if !context.numerics.wide() {
            return Ok(None);
        }
        let kept = match kept {
            None => None,
            Some(kept) => match self.kept_on_device(kept, atoms)? {
                Some(kept) => Some(kept),
                None => return Ok(None),
            },
        };
        self.prepare(term, context)?;
        let columns = &atoms.arrays;
        let args = [
            (&columns.x).into(),
            columns.v.arg(),
            (&columns.kind).into(),
            (&columns.mask).into(),
            (&columns.tag).into(),
            (&columns.image).into(),
            atoms.force.arg(),
            // Any buffer, where nothing is kept.
            kept.as_ref().map_or(columns.v.arg(), |kept| kept.arg()),
            select.map_or(columns.v.arg(), Arg::from),
            (&cells.box_buffer).into(),
        ];
        let [x, y, z] = about.map(Arg::F64);
        let rest = [group.into(), x, y, z, Arg::U32(select.is_some().into())];
        reductions
            .sums_by(&self.kernels.borrow()[term.name], &args, &rest, atoms.n)
            .map(|sums| Some(Sums::new(sums)))
    }

    /// Those numbers in the order of IDs; `None` where there would be too many holes.
    fn kept_on_device(&self, kept: &ReferenceValues, atoms: &DeviceAtoms) -> Result<Option<Rc<Floats>>> {
        let found = self.kept.borrow().iter().find(|(serial, _)| *serial == kept.serial).cloned();
        if let Some((_, floats)) = found {
            return Ok(Some(floats));
        }
        let tags = atoms.arrays.tag.read(Section::Output, 0..atoms.n)?;
        let rows = tags.into_iter().max().unwrap_or(1) as usize;
        if rows > MOST_ROWS.max(PER_ATOM * atoms.n) {
            return Ok(None);
        }
        let row = |id: usize| kept.get(id as u32 + 1).unwrap_or([KEPT_NOTHING; 3]);
        let values = crate::base::parallel::map(rows, row);
        let gpu = &atoms.context.gpu;
        let floats = Rc::new(Floats::from_values(gpu, "kept of atoms", values.as_flattened(), true)?);
        self.kept.borrow_mut().push((kept.serial, floats.clone()));
        Ok(Some(floats))
    }
}

/// The same by the host, over these atoms: their positions are where they are now, with the box lengths that they have crossed.
pub fn on_host(
    (term, about, kept): (&SumTerm, [f64; 3], Option<&ReferenceValues>),
    members: &[usize],
    atoms: &Atoms,
    forces: Option<&[[f64; 3]]>,
    position: impl Fn(usize) -> [f64; 3] + Sync + Send,
    mass: impl Fn(u32) -> f64 + Sync + Send,
) -> Sums {
    Sums::new(crate::base::parallel::sum(members, |i| {
        let atom = SummedAtom {
            x: position(i),
            v: atoms.v[i],
            f: forces.map_or([0.0; 3], |forces| forces[i]),
            about,
            kept: kept.and_then(|kept| kept.get(atoms.tag[i])),
            mass: mass(atoms.kind[i]),
        };
        let [a, b, c, d, e, f] = (term.of)(&atom);
        [a, b, c, d, e, f, 1.0, atom.mass]
    }))
}
