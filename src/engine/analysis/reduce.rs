//! Sums and extremes over atoms, in a fixed order (cl/analysis/reduce.cl).

use super::groups_with_atoms;
use crate::base::error::Result;
use crate::engine::comm::{Shares, SumParts};
use crate::engine::device_atoms::{DeviceAtoms, Floats};
use crate::engine::kernels::{Context, REDUCE};
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Kernel};
use crate::model::domain::Domain;
use std::ops::Range;

/// The reduction kernels and where their group results go.
pub struct Reductions {
    tally: Kernel,
    row: Kernel,
    energy: Kernel,
    kinetic: Kernel,
    extent: Kernel,
    sums: Floats,
    extremes: Buffer<i64>,
    mass: Floats,
    groups: usize,
    local: usize,
}

/// Pair energy, bond energy and virial (xx yy zz xy xz yz).
type Tallied = (f64, f64, [f64; 6]);

fn tallied(sum: [f64; 8]) -> Tallied {
    (sum[0], sum[7], std::array::from_fn(|k| sum[k + 1]))
}

/// Of what groups have added up.
fn total(partial: &[f64]) -> [f64; 8] {
    let mut total = [0.0; 8];
    for group in partial.chunks_exact(8) {
        total.iter_mut().zip(group).for_each(|(total, x)| *total += x);
    }
    total
}

impl Reductions {
    /// For atoms of these masses per type.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(context: &Context, mass: &[f64]) -> Result<Self> {
        let program = context.program(&[REDUCE])?;
        let (gpu, numerics) = (&context.gpu, context.numerics);
        let groups = context.shape.reduce_groups;
        Ok(Reductions {
            tally: program.kernel("reduce_tally")?,
            row: program.kernel("reduce_row")?,
            energy: program.kernel("reduce_energy")?,
            kinetic: program.kernel("reduce_kinetic")?,
            extent: program.kernel("reduce_extent")?,
            sums: Floats::new(gpu, "group sums", 2 * 8 * groups, numerics.wide())?,
            extremes: gpu.buffer("group extremes", 6 * groups)?,
            mass: Floats::from_values(gpu, "masses", mass, numerics.wide())?,
            groups,
            local: context.shape.reduce_local,
        })
    }

    /// Says that a [row](Reductions::row) is about to come.
    pub fn foresee(&self) {
        self.row.foresee(self.local, self.local);
    }

    /// The masses of types.
    pub fn masses(&self) -> &Floats {
        &self.mass
    }

    /// Of a kernel's sums of `n` atoms.
    fn add_up(&self, n: usize) -> Result<[f64; 8]> {
        let partial = self.sums.read_agreed(Section::Output, 8 * self.groups(n))?;
        Ok(total(&partial))
    }

    fn groups(&self, n: usize) -> usize {
        groups_with_atoms(n, self.groups)
    }

    /// What a row of thermo output is made from, with one launch and one wait: [`Reductions::tally`], and
    /// [`Reductions::kinetic`] of all atoms. Where ranks know their own atoms alone (`shares`), each adds these up.
    ///
    /// # Errors
    /// When the device fails.
    pub fn row(
        &self,
        tally: &Floats,
        atoms: &DeviceAtoms,
        shares: Option<&Shares>,
    ) -> Result<(Tallied, [f64; 6])> {
        let (columns, parts) = (&atoms.arrays, self.parts(atoms.n, shares));
        if let Some((shares, parts)) = &parts {
            parts.gather_floats(shares, tally, 8)?;
            parts.gather_floats(shares, &columns.v, 3)?;
            parts.gather(shares, &columns.kind, 1)?;
        }
        let args = [tally.arg(), columns.v.arg(), (&columns.kind).into(), self.mass.arg(), self.sums.arg()];
        let partial = self.launch_parts(&self.row, &args, atoms.n, parts.as_ref(), 2)?;
        let (tallies, motions) = partial.split_at(8 * self.groups(atoms.n));
        let motion = total(motions);
        Ok((tallied(total(tallies)), std::array::from_fn(|k| motion[k + 1])))
    }

    /// Pair energy, bond energy and virial (xx yy zz xy xz yz) of `n` atoms from the pair kernel's tallies.
    ///
    /// # Errors
    /// When the device fails.
    pub fn tally(&self, tally: &Floats, n: usize) -> Result<Tallied> {
        let args = [tally.arg(), self.sums.arg(), (n as u32).into()];
        self.tally.launch(Section::Output, self.groups(n) * self.local, self.local, &args)?;
        Ok(tallied(self.add_up(n)?))
    }

    /// Sum over `n` atoms of one energy each; `shares` as in [`Reductions::row`].
    ///
    /// # Errors
    /// When the device fails.
    pub fn energy(&self, energies: &Floats, n: usize, shares: Option<&Shares>) -> Result<f64> {
        let parts = self.parts(n, shares);
        if let Some((shares, parts)) = &parts {
            parts.gather_floats(shares, energies, 1)?;
        }
        let args = [energies.arg(), self.sums.arg()];
        Ok(total(&self.launch_parts(&self.energy, &args, n, parts.as_ref(), 1)?)[0])
    }

    /// Which groups' sums each rank makes, where ranks know their own atoms alone.
    fn parts<'a>(&self, n: usize, shares: Option<&'a Shares>) -> Option<(&'a Shares, SumParts)> {
        shares.map(|shares| (shares, SumParts::new(shares.parts(), n, self.groups(n))))
    }

    /// Launches a kernel for this rank's groups, and returns the sums of all of them, `columns` times eight numbers of each.
    fn launch_parts(
        &self,
        kernel: &Kernel,
        args: &[Arg<'_>],
        n: usize,
        parts: Option<&(&Shares, SumParts)>,
        columns: usize,
    ) -> Result<Vec<f64>> {
        let groups = self.groups(n);
        let own = parts.map_or(0..groups, |(_, parts)| parts.own());
        let extent = [own.start, groups, n].map(|number| Arg::U32(number as u32));
        kernel.launch(Section::Output, own.len() * self.local, self.local, &[args, &extent].concat())?;
        let count = columns * 8 * groups;
        let Some((_, parts)) = parts else { return self.sums.read_agreed(Section::Output, count) };
        let mut partial = self.sums.read(Section::Output, count)?;
        for column in partial.chunks_exact_mut(8 * groups) {
            parts.gather_sums(column);
        }
        Ok(partial)
    }

    /// The eight sums that a kernel makes of `n` atoms; between its two lists of arguments come masses and where groups put
    /// their sums.
    ///
    /// # Errors
    /// When the device fails.
    pub fn sums_by(
        &self,
        kernel: &Kernel,
        first: &[Arg<'_>],
        rest: &[Arg<'_>],
        n: usize,
    ) -> Result<[f64; 8]> {
        let args = [first, &[self.mass.arg(), self.sums.arg()], rest, &[Arg::U32(n as u32)]].concat();
        kernel.launch(Section::Output, self.groups(n) * self.local, self.local, &args)?;
        self.add_up(n)
    }

    /// Sum of m v v (xx yy zz xy xz yz) over the atoms of a group, and their number; `shares` as in [`Reductions::row`].
    ///
    /// # Errors
    /// When the device fails.
    pub fn kinetic(
        &self,
        atoms: &DeviceAtoms,
        group: u32,
        shares: Option<&Shares>,
    ) -> Result<([f64; 6], u64)> {
        let (columns, parts) = (&atoms.arrays, self.parts(atoms.n, shares));
        if let Some((shares, parts)) = &parts {
            parts.gather_floats(shares, &columns.v, 3)?;
            parts.gather(shares, &columns.kind, 1)?;
            parts.gather(shares, &columns.mask, 1)?;
        }
        let args = [
            columns.v.arg(),
            (&columns.kind).into(),
            (&columns.mask).into(),
            self.mass.arg(),
            self.sums.arg(),
            group.into(),
        ];
        let sum = total(&self.launch_parts(&self.kinetic, &args, atoms.n, parts.as_ref(), 1)?);
        Ok((std::array::from_fn(|k| sum[k + 1]), sum[7] as u64))
    }

    /// Smallest and largest coordinates of the atoms, [straightened](Domain::straighten) in a box, in distance units.
    ///
    /// # Errors
    /// When the device fails.
    pub fn extent(
        &self,
        atoms: &DeviceAtoms,
        domain: &Domain,
        some: Range<usize>,
    ) -> Result<([f64; 3], [f64; 3])> {
        if some.is_empty() {
            return Ok(([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]));
        }
        let [begin, count] = [some.start, some.len()].map(|number| Arg::U32(number as u32));
        let mut args = vec![(&atoms.arrays.x).into(), (&self.extremes).into(), begin, count];
        let numerics = atoms.context.numerics;
        if numerics.triclinic {
            let master = |x: f64, whole: i64| if numerics.wide() { Arg::F64(x) } else { Arg::I64(whole) };
            for (slope, (along, by)) in domain.slopes().into_iter().zip([(0, 1), (0, 2), (1, 2)]) {
                args.push(master(slope, numerics.slope(slope, along, by)));
            }
            args.extend([1, 2].map(|d| master(domain.lo[d], numerics.to_master(domain.lo[d], d))));
        }
        let groups = self.groups(some.len());
        self.extent.launch(Section::Comm, groups * self.local, self.local, &args)?;
        let extremes = self.extremes.read(Section::Comm, 0..6 * groups)?;
        let mut lo = [f64::INFINITY; 3];
        let mut hi = [f64::NEG_INFINITY; 3];
        for group in extremes.chunks_exact(6) {
            for d in 0..3 {
                lo[d] = lo[d].min(numerics.from_master(group[d], d));
                hi[d] = hi[d].max(numerics.from_master(group[3 + d], d));
            }
        }
        Ok((lo, hi))
    }
}
