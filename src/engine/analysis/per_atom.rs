//! Values per atom that the device works out by recipes, and what it makes of them, so that not all atoms have to
//! come to the host (cl/analysis/per_atom.cl).

use super::groups_with_atoms;
use crate::base::error::Result;
use crate::base::parallel;
use crate::engine::device_atoms::{DeviceAtoms, Floats};
use crate::engine::kernels::{Context, INTEGRATE, PER_ATOM, REDUCE};
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, DeviceKind, Gpu, Kernel};
use crate::script::atom_expr::{AtomExpr, AtomProperty};
use bytemuck::Pod;
use std::cell::{Cell, OnceCell, Ref, RefCell};

/// The kernels, and memory that is used again, as making buffers takes longer than filling them.
#[derive(Default)]
pub struct PerAtomEvaluator {
    kernels: OnceCell<Kernels>,
    words: Sent<u32>,
    numbers: Sent<f64>,
    values: Spare<f64>,
    partial: Spare<f64>,
    scales: Sent<f64>,
    sums: Spare<u32>,
}

/// A buffer that nobody uses now.
struct Spare<T>(Cell<Option<Buffer<T>>>);

impl<T> Default for Spare<T> {
    fn default() -> Self {
        Spare(Cell::new(None))
    }
}

impl<T: Pod> Spare<T> {
    /// It, or a new one where it is too small.
    fn take(&self, gpu: &Gpu, name: &'static str, len: usize) -> Result<Buffer<T>> {
        match self.0.take().filter(|buffer| buffer.len() >= len) {
            Some(buffer) => Ok(buffer),
            None => gpu.buffer(name, len),
        }
    }

    fn put(&self, buffer: Buffer<T>) {
        self.0.set(Some(buffer));
    }
}

/// What was last sent to the device, and where it is there.
struct Sent<T>(RefCell<Option<(Vec<T>, Buffer<T>)>>);

impl<T> Default for Sent<T> {
    fn default() -> Self {
        Sent(RefCell::new(None))
    }
}

impl<T: Pod + PartialEq> Sent<T> {
    /// Sends other numbers than the last ones, of which there must be some.
    fn send(&self, gpu: &Gpu, name: &'static str, values: &[T]) -> Result<Ref<'_, Buffer<T>>> {
        let known = self.0.borrow().as_ref().is_some_and(|(sent, _)| sent == values);
        if !known {
            let old = self.0.take().map(|(_, buffer)| buffer).filter(|buffer| buffer.len() >= values.len());
            let buffer = old.map_or_else(|| gpu.buffer(name, values.len()), Ok)?;
            buffer.write(Section::Output, 0, values)?;
            self.0.replace(Some((values.to_vec(), buffer)));
        }
        Ok(Ref::map(self.0.borrow(), |sent| &sent.as_ref().expect("sent above").1))
    }
}

struct Kernels {
    work_out: Kernel,
    remember: Kernel,
    move_by: Kernel,
    add_by_id: Kernel,
    summarize: Kernel,
    add: Kernel,
}

/// What there is of the atoms on the device.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// They themselves.
    pub atoms: &'a DeviceAtoms,
    /// Per type.
    pub masses: &'a Floats,
    /// Eight numbers per atom, where there are some now.
    pub tally: Option<&'a Floats>,
}

/// Columns of values per atom on the device.
pub struct PerAtomArrays<'a> {
    given: Given<'a>,
    from: &'a PerAtomEvaluator,
    values: Option<Buffer<f64>>,
    count: usize,
}

/// What there is to say of a column over the atoms of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Of the values.
    pub sum: f64,
    /// Of their squares.
    pub squares: f64,
    /// Of their sizes.
    pub sizes: f64,
    /// How many atoms there are.
    pub count: f64,
    /// The least and the greatest value; infinite without atoms.
    pub extremes: [f64; 2],
    /// The same of sizes.
    pub extreme_sizes: [f64; 2],
}

impl Default for Moments {
    /// Of no atoms.
    fn default() -> Self {
        let extremes = [f64::INFINITY, f64::NEG_INFINITY];
        Moments { sum: 0.0, squares: 0.0, sizes: 0.0, count: 0.0, extremes, extreme_sizes: extremes }
    }
}

impl Moments {
    /// Of values, one after another.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        values.into_iter().fold(Moments::default(), |summary, x| {
            let (size, one) = (x.abs(), [x, x]);
            summary.and(Moments {
                sum: x,
                squares: x * x,
                sizes: size,
                count: 1.0,
                extremes: one,
                extreme_sizes: [size; 2],
            })
        })
    }

    /// Of these and others.
    fn and(self, other: Moments) -> Self {
        let join = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        Moments {
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
            sizes: self.sizes + other.sizes,
            count: self.count + other.count,
            extremes: join(self.extremes, other.extremes),
            extreme_sizes: join(self.extreme_sizes, other.extreme_sizes),
        }
    }
}

/// More words than these are not kept for sums by bins.
const MOST_WORDS: usize = 1 << 26;

/// Sums are whole numbers below a power of 2, with room for the sign and for rounding.
const WHOLE_BITS: f64 = 125.0;

/// Atoms of a work-item.
fn batch(context: &Context) -> usize {
    if context.gpu.common().shaped_as() == DeviceKind::Gpu { 1 } else { 64 }
}

impl PerAtomEvaluator {
    /// Has the program built.
    ///
    /// # Errors
    /// When the device fails.
    pub fn prepare(&self, context: &Context) -> Result<()> {
        self.kernels(context).map(drop)
    }

    fn kernels(&self, context: &Context) -> Result<&Kernels> {
        if self.kernels.get().is_none() {
            // Without the sums of its own that cl/analysis/reduce.cl has.
            let defines = context.defines().set("TERM", 0).set("BATCH", batch(context));
            let program = context.program_with(&[INTEGRATE, REDUCE, PER_ATOM], &defines)?;
            let _ = self.kernels.set(Kernels {
                work_out: program.kernel("work_out")?,
                remember: program.kernel("remember_columns")?,
                move_by: program.kernel("move_by_columns")?,
                add_by_id: program.kernel("add_columns_by_id")?,
                summarize: program.kernel("summarize_columns")?,
                add: program.kernel("add_by_bin")?,
            });
        }
        Ok(self.kernels.get().expect("set above"))
    }

    /// Whether this is for the device: not in single precision, and not without atoms.
    pub fn serve(&self, atoms: &DeviceAtoms) -> bool {
        atoms.context.numerics.wide() && atoms.n > 0
    }

    /// A column by each recipe; `None` where that is the host's: where tallies are wanted and not there, and of recipes beyond
    /// what the kernel has room for, too.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn work_out<'a>(
        &'a self,
        recipes: &[AtomExpr],
        given: Given<'a>,
    ) -> Result<Option<PerAtomArrays<'a>>> {
        let Given { atoms, masses, tally } = given;
        let context = &atoms.context;
        let tallies = AtomExpr::any(recipes, |own| matches!(own, AtomProperty::Tally(_)));
        if !self.serve(atoms) || tallies && tally.is_none() || !recipes.iter().all(AtomExpr::fits) {
            return Ok(None);
        }
        let kernels = self.kernels(context)?;
        let gpu = &context.gpu;
        let values = self.values.take(gpu, "columns", recipes.len() * atoms.n)?;
        let (words, mut numbers) = AtomExpr::encode(recipes);
        numbers.push(0.0); // A buffer is never empty.
        let program = self.words.send(gpu, "words of recipes", &words)?;
        let numbers = self.numbers.send(gpu, "numbers of recipes", &numbers)?;
        let columns = &atoms.arrays;
        let args = [
            (&columns.x).into(),
            columns.v.arg(),
            (&columns.kind).into(),
            (&columns.mask).into(),
            (&columns.tag).into(),
            (&columns.image).into(),
            atoms.force.arg(),
            tally.unwrap_or(&atoms.force).arg(),
            masses.arg(),
            (&*program).into(),
            (&*numbers).into(),
            (&values).into(),
            Arg::U32(words.len() as u32),
            Arg::U32(atoms.n as u32),
        ];
        let items = atoms.n.div_ceil(batch(context));
        let local = if batch(context) > 1 { 1 } else { context.shape.local };
        kernels.work_out.launch_each(Section::Output, items, local, &args)?;
        Ok(Some(PerAtomArrays { given, from: self, values: Some(values), count: recipes.len() }))
    }
}

impl Drop for PerAtomArrays<'_> {
    fn drop(&mut self) {
        self.values.take().into_iter().for_each(|values| self.from.values.put(values));
    }
}

impl PerAtomArrays<'_> {
    /// The columns, one behind the other.
    pub fn values(&self) -> &Buffer<f64> {
        self.values.as_ref().expect("they go back at the end only")
    }

    /// A column, in the order of the atoms; `None` where some value is not finite.
    ///
    /// # Errors
    /// When the device fails.
    pub fn read(&self, column: usize) -> Result<Option<Vec<f64>>> {
        let n = self.given.atoms.n;
        let values = self.values().read_agreed(Section::Output, column * n..(column + 1) * n)?;
        Ok(parallel::all(&values, |x| x.is_finite()).then_some(values))
    }

    /// Writes the first three columns to where a fix looks for them, from a place on three numbers per atom ID from 1 on.
    ///
    /// # Errors
    /// When the device fails.
    pub fn remember(&self, memory: &Floats, first: usize) -> Result<()> {
        let atoms = self.given.atoms;
        let (context, kernels) = (&atoms.context, self.from.kernels(&atoms.context)?);
        let tags = (&atoms.arrays.tag).into();
        let args =
            [self.values().into(), tags, memory.arg(), Arg::U64(first as u64), Arg::U32(atoms.n as u32)];
        kernels.remember.launch_each(Section::Modify, atoms.n, context.shape.local, &args)
    }

    /// Adds the columns of the atoms of a group to rows of as many numbers by ID, from that of ID 1 on.
    ///
    /// # Errors
    /// When the device fails.
    pub fn add_by_id(&self, group: u32, rows: &Buffer<f64>) -> Result<()> {
        let atoms = self.given.atoms;
        let (context, kernels, columns) = (&atoms.context, self.from.kernels(&atoms.context)?, &atoms.arrays);
        let args = [
            self.values().into(),
            (&columns.mask).into(),
            (&columns.tag).into(),
            rows.into(),
            group.into(),
            Arg::U32(self.count as u32),
            Arg::U32(atoms.n as u32),
        ];
        kernels.add_by_id.launch_each(Section::Modify, atoms.n, context.shape.local, &args)
    }

    /// Makes the first three columns the velocities of the atoms.
    ///
    /// # Errors
    /// When the device fails.
    pub fn move_atoms(&self) -> Result<()> {
        let atoms = self.given.atoms;
        let (context, kernels) = (&atoms.context, self.from.kernels(&atoms.context)?);
        let args = [self.values().into(), atoms.arrays.v.arg(), Arg::U32(atoms.n as u32)];
        kernels.move_by.launch_each(Section::Modify, atoms.n, context.shape.local, &args)
    }

    /// What there is to say of each column over the atoms of a group; `None` where some value is not finite.
    ///
    /// # Errors
    /// When the device fails.
    pub fn moments(&self, group: u32) -> Result<Option<Vec<Moments>>> {
        self.moments_where(group, None)
    }

    /// How many work-groups add up the columns, and their work-items.
    fn reduction(&self) -> [usize; 2] {
        let shape = self.given.atoms.context.shape;
        [groups_with_atoms(self.given.atoms.n, shape.reduce_groups), shape.reduce_local]
    }

    /// The same over those atoms for which a column is not 0.
    ///
    /// # Errors
    /// When the device fails.
    pub fn moments_where(&self, group: u32, select: Option<usize>) -> Result<Option<Vec<Moments>>> {
        let atoms = self.given.atoms;
        let (context, kernels) = (&atoms.context, self.from.kernels(&atoms.context)?);
        let [groups, local] = self.reduction();
        let words = 8 * groups * self.count;
        let partial = self.from.partial.take(&context.gpu, "summaries", words)?;
        let args = [
            self.values().into(),
            (&atoms.arrays.mask).into(),
            (&partial).into(),
            group.into(),
            Arg::U32(select.map_or(0, |column| column as u32 + 1)),
            Arg::U32(self.count as u32),
            Arg::U32(atoms.n as u32),
        ];
        kernels.summarize.launch(Section::Output, groups * local, local, &args)?;
        let summary = |parts: &[[f64; 8]]| {
            parts.iter().fold(Moments::default(), |all, &[sum, squares, sizes, count, a, b, c, d]| {
                all.and(Moments { sum, squares, sizes, count, extremes: [a, b], extreme_sizes: [c, d] })
            })
        };
        let parts = partial.read_agreed(Section::Output, 0..words)?;
        let summaries: Vec<Moments> =
            bytemuck::cast_slice(&parts).chunks_exact(groups).map(summary).collect();
        self.from.partial.put(partial);
        let fine = summaries.iter().all(|summary| summary.squares.is_finite());
        Ok(fine.then_some(summaries))
    }

    /// The first column being the numbers of bins, from 1 (0: none): of each bin the number of atoms of a group, and the sum
    /// over these of each other column, as many as there are summaries given, which are the group's. `None` where there are
    /// too many bins.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn by_bin(&self, group: u32, bins: usize, summaries: &[Moments]) -> Result<Option<Vec<Vec<f64>>>> {
        let atoms = self.given.atoms;
        let width = 4 * summaries.len() - 3;
        if bins.saturating_mul(width) > MOST_WORDS {
            return Ok(None);
        }
        // How large sums can become, so that whole numbers do not overflow.
        let bits = |summary: &Moments| (summary.extreme_sizes[1] * summary.count).log2().ceil();
        let scale = |summary: &Moments| match bits(summary) {
            bits if bits.is_finite() => (WHOLE_BITS - bits).clamp(-1000.0, 1000.0).exp2(),
            _ => 1.0,
        };
        let scales: Vec<f64> = summaries.iter().map(scale).collect();
        let (context, kernels) = (&atoms.context, self.from.kernels(&atoms.context)?);
        let on_device = self.from.scales.send(&context.gpu, "scales of columns", &scales)?;
        let sums = self.from.sums.take(&context.gpu, "sums by bins", bins * width)?;
        sums.clear(Section::Output, 0..bins * width)?;
        let args = [
            self.values().into(),
            (&atoms.arrays.mask).into(),
            (&*on_device).into(),
            (&sums).into(),
            group.into(),
            Arg::U32(summaries.len() as u32),
            Arg::U32(bins as u32),
            Arg::U32(atoms.n as u32),
        ];
        let [groups, local] = self.reduction();
        kernels.add.launch(Section::Output, groups * local, local, &args)?;
        let row = |row: &[u32]| {
            let whole = |words: &[u32]| {
                words.iter().rev().fold(0_u128, |whole, &word| whole << 32 | u128::from(word)) as i128
            };
            let sums = row[1..].chunks_exact(4).zip(&scales[1..]);
            std::iter::once(f64::from(row[0]))
                .chain(sums.map(|(words, scale)| whole(words) as f64 / scale))
                .collect()
        };
        let words = sums.read_agreed(Section::Output, 0..bins * width)?;
        let rows = words.chunks_exact(width).map(row).collect();
        self.from.sums.put(sums);
        Ok(Some(rows))
    }
}
