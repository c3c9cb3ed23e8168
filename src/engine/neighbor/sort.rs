//! Parallel radix sort and prefix sum (cl/neighbor/sort.cl).

use crate::base::error::Result;
use crate::engine::kernels::{Context, LaunchConfig, SORT};
use crate::gpu::record::Section;
use crate::gpu::{Buffer, Kernel};

/// Exclusive prefix sum of u32 in place, modulo 2^32.
pub struct Scan {
    kernel: Kernel,
    local: usize,
}

impl Scan {
    /// Builds the kernel.
    ///
    /// # Errors
    /// When the device fails.
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Scan { kernel: context.program(&[SORT])?.kernel("scan")?, local: context.shape.scan_local })
    }

    /// Scans the first `n` values; `total[0]` receives the sum of all.
    ///
    /// # Errors
    /// When the device fails.
    pub fn run(&self, section: Section, values: &Buffer<u32>, n: usize, total: &Buffer<u32>) -> Result<()> {
        self.kernel.launch(section, self.local, self.local, &[values.into(), (n as u32).into(), total.into()])
    }
}

/// Least-significant-digit radix sort of u32 keys with u32 payload: stable, ascending.
pub struct RadixSort {
    count: Kernel,
    scatter: Kernel,
    scan: Scan,
    shape: LaunchConfig,
    counts: Buffer<u32>,
    total: Buffer<u32>,
}

/// So many work-items are few for [`Kernel::foresee`] everywhere.
const FEW: usize = 1 << 15;

/// Two buffers that passes write alternately.
pub type PingPong<'a> = [&'a Buffer<u32>; 2];

impl RadixSort {
    /// For up to `capacity` keys.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(context: &Context, capacity: usize) -> Result<Self> {
        let program = context.program(&[SORT])?;
        let shape = context.shape;
        let groups = capacity.div_ceil(shape.sort_local * shape.sort_items).max(1);
        Ok(RadixSort {
            count: program.kernel("sort_count")?,
            scatter: program.kernel("sort_scatter")?,
            scan: Scan::new(context)?,
            shape,
            counts: context.gpu.buffer("sort counts", groups << shape.sort_bits)?,
            total: context.gpu.buffer("sort total", 1)?,
        })
    }

    /// Says that a sort of `n` keys is about to come. A group writes where it is among all, so that many can not do nothing.
    pub fn foresee(&self, n: usize) {
        let LaunchConfig { sort_local: local, sort_items, .. } = self.shape;
        if n.div_ceil(sort_items) < FEW {
            self.count.foresee(local, local);
            self.scan.kernel.foresee(self.scan.local, self.scan.local);
            self.scatter.foresee(local, local);
        }
    }

    /// Sorts the first `n` of `keys[0]` by their low `bits` bits and returns which of the buffers hold
    /// the result. The payload that goes with key k is k itself; `payload` need not be filled.
    ///
    /// # Errors
    /// When the device fails.
    pub fn run(&self, keys: PingPong<'_>, payload: PingPong<'_>, n: usize, bits: u32) -> Result<usize> {
        let LaunchConfig { sort_local: local, sort_items, sort_bits, .. } = self.shape;
        let items = n.div_ceil(sort_items);
        let groups = items.div_ceil(local);
        let passes = (bits as usize).div_ceil(sort_bits).max(1);
        let n_arg = n as u32;
        for pass in 0..passes {
            let (from, to) = (pass % 2, (pass + 1) % 2);
            let shift = (pass * sort_bits) as u32;
            self.count.launch(
                Section::Neigh,
                items,
                local,
                &[keys[from].into(), (&self.counts).into(), n_arg.into(), shift.into()],
            )?;
            self.scan.run(Section::Neigh, &self.counts, groups << sort_bits, &self.total)?;
            self.scatter.launch(
                Section::Neigh,
                items,
                local,
                &[
                    keys[from].into(),
                    payload[from].into(),
                    keys[to].into(),
                    payload[to].into(),
                    (&self.counts).into(),
                    n_arg.into(),
                    shift.into(),
                    i32::from(pass == 0).into(),
                ],
            )?;
        }
        Ok(passes % 2)
    }
}
