//! Device buffers and kernel arguments that are fp32 or fp64 by precision.

use crate::base::error::Result;
use crate::base::parallel;
use crate::engine::kernels::Numerics;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Gpu};
use crate::potentials::pair::Table;

/// A device buffer of numbers that are fp32 or fp64 by precision, and f64 on the host.
pub enum Floats {
    /// fp32.
    Narrow(Buffer<f32>),
    /// fp64.
    Wide(Buffer<f64>),
}

impl Floats {
    /// `len` zeros.
    ///
    /// # Errors
    /// When the device lacks memory.
    pub fn new(gpu: &Gpu, name: &'static str, len: usize, wide: bool) -> Result<Self> {
        Ok(if wide { Floats::Wide(gpu.buffer(name, len)?) } else { Floats::Narrow(gpu.buffer(name, len)?) })
    }

    /// A buffer that holds `values`.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn from_values(gpu: &Gpu, name: &'static str, values: &[f64], wide: bool) -> Result<Self> {
        let floats = Floats::new(gpu, name, values.len(), wide)?;
        floats.write(Section::Comm, values)?;
        Ok(floats)
    }

    /// A buffer that holds a table of coefficients.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn from_table(gpu: &Gpu, name: &'static str, table: &Table<'_>, wide: bool) -> Result<Self> {
        let floats = Floats::new(gpu, name, table.len(), wide)?;
        floats.write_table(Section::Comm, table)?;
        Ok(floats)
    }

    /// Writes a table of coefficients, piece by piece: the host need not have all of it.
    ///
    /// # Errors
    /// When the device fails.
    pub fn write_table(&self, section: Section, table: &Table<'_>) -> Result<()> {
        let mut first = 0;
        let mut next = |count: usize| {
            first += count;
            first - count..first
        };
        match self {
            Floats::Wide(buffer) => {
                table.pieces(|x| x, |count, set| buffer.fill(section, next(count), |out| set(out)))
            }
            Floats::Narrow(buffer) => {
                table.pieces(|x| x as f32, |count, set| buffer.fill(section, next(count), |out| set(out)))
            }
        }
    }

    /// Writes from the start.
    ///
    /// # Errors
    /// When the device fails.
    pub fn write(&self, section: Section, values: &[f64]) -> Result<()> {
        self.write_at(section, 0, values)
    }

    /// Writes from a place on.
    ///
    /// # Errors
    /// When the device fails.
    pub fn write_at(&self, section: Section, first: usize, values: &[f64]) -> Result<()> {
        match self {
            Floats::Wide(buffer) => buffer.write(section, first, values),
            Floats::Narrow(buffer) => buffer.fill(section, first..first + values.len(), |out| {
                out.iter_mut().zip(values).for_each(|(out, &x)| *out = x as f32);
            }),
        }
    }

    /// Reads the first `n` numbers.
    ///
    /// # Errors
    /// When the device fails.
    pub fn read(&self, section: Section, n: usize) -> Result<Vec<f64>> {
        match self {
            Floats::Wide(buffer) => buffer.read(section, 0..n),
            Floats::Narrow(buffer) => {
                buffer.view(section, 0..n, |data| data.iter().map(|&x| f64::from(x)).collect())
            }
        }
    }

    /// The same as [`Buffer::read_agreed`] does.
    ///
    /// # Errors
    /// When the device fails.
    pub fn read_agreed(&self, section: Section, n: usize) -> Result<Vec<f64>> {
        match self {
            Floats::Wide(buffer) => buffer.read_agreed(section, 0..n),
            Floats::Narrow(buffer) => {
                buffer.read_agreed(section, 0..n).map(|data| data.into_iter().map(f64::from).collect())
            }
        }
    }

    /// Reads the first `n` rows of `N` numbers.
    ///
    /// # Errors
    /// When the device fails.
    pub fn rows<const N: usize>(&self, section: Section, n: usize) -> Result<Vec<[f64; N]>> {
        let mut rows = Vec::new();
        self.rows_into(section, n, &mut rows)?;
        Ok(rows)
    }

    /// The same into memory that is there.
    ///
    /// # Errors
    /// When the device fails.
    pub fn rows_into<const N: usize>(
        &self,
        section: Section,
        n: usize,
        rows: &mut Vec<[f64; N]>,
    ) -> Result<()> {
        rows.resize(n, [0.0; N]);
        match self {
            Floats::Wide(buffer) => buffer.view(section, 0..N * n, |data| {
                parallel::set(rows, |i| std::array::from_fn(|k| data[N * i + k]));
            }),
            Floats::Narrow(buffer) => buffer.view(section, 0..N * n, |data| {
                parallel::set(rows, |i| std::array::from_fn(|k| f64::from(data[N * i + k])));
            }),
        }
    }

    /// As a kernel argument.
    pub fn arg(&self) -> Arg<'_> {
        match self {
            Floats::Narrow(buffer) => buffer.into(),
            Floats::Wide(buffer) => buffer.into(),
        }
    }
}

/// A number of the kernels' type `accum` as an argument.
pub fn accum(numerics: Numerics, x: f64) -> Arg<'static> {
    if numerics.wide() { Arg::F64(x) } else { Arg::F32(x as f32) }
}

/// A number of the kernels' type `real` as an argument.
pub fn real(numerics: Numerics, x: f64) -> Arg<'static> {
    if numerics.wide_pairs() { Arg::F64(x) } else { Arg::F32(x as f32) }
}
