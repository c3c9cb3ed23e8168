//! How fast bytes get from the host to the device and back: copied from plain and from pinned memory, and
//! through mapped buffers.

use std::time::{Duration, Instant};

use ocl::core::ffi::{CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE};
use serde::Serialize;

use super::cl::Mem;
use super::device::Gpu;
use super::queue::{Access, Queue};
use super::staging::Pinned;
use super::status::ClResult;
use crate::base::error::{Error, Result};

/// Each time of a round is the least of at least so many repeats (as the STREAM benchmark takes the best),
const LEAST_REPEATS: usize = 2;
/// and of at most so many,
const MOST_REPEATS: usize = 11;
/// which together take about so long.
const PATIENCE: Duration = Duration::from_millis(20);

/// Wall seconds that it takes to move `bytes` bytes in each way, until the host knows that it is done.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TransferTimes {
    /// Size of the transfer.
    #[serde(skip)]
    pub bytes: usize,
    /// The host sets plain memory (memset): no transfer, but part of the way from the host's data to the
    /// device.
    pub host_fill: f64,
    /// The host adds up plain memory.
    pub host_read: f64,
    /// The host sets pinned memory.
    pub host_fill_pinned: f64,
    /// The host adds up pinned memory.
    pub host_read_pinned: f64,
    /// clEnqueueWriteBuffer from plain memory.
    pub write_pageable: f64,
    /// clEnqueueWriteBuffer from pinned memory.
    pub write_pinned: f64,
    /// Map a zero-copy buffer, set it, unmap it.
    pub write_mapped: f64,
    /// clEnqueueReadBuffer into plain memory.
    pub read_pageable: f64,
    /// clEnqueueReadBuffer into pinned memory.
    pub read_pinned: f64,
    /// Map a zero-copy buffer, add it up, unmap it.
    pub read_mapped: f64,
    /// clEnqueueCopyBuffer from device memory to device memory.
    pub device_copy: f64,
    /// clEnqueueCopyBuffer from the zero-copy buffer, just written by the host, to device memory.
    pub copy_from_mapped: f64,
    /// clEnqueueCopyBuffer from device memory to the zero-copy buffer.
    pub copy_to_mapped: f64,
}

/// The memory for transfers up to some size.
pub struct TransferBench {
    gpu: Gpu,
    /// Bytes of each of the following.
    largest: usize,
    near: Mem,
    far: Mem,
    mapped: Mem,
    pinned: Pinned,
    pageable: Vec<u64>,
}

impl TransferBench {
    /// Allocates for transfers of up to `most` bytes, or of the largest power of two below that the device
    /// takes: it needs three buffers of that size, and as much host memory twice.
    ///
    /// # Errors
    /// A device that cannot even hold 64 bytes.
    pub fn new(gpu: &Gpu, most: usize) -> Result<Self> {
        let info = gpu.info();
        let room = info.max_alloc.min(info.memory / 8).min(most as u64).max(64);
        let mut largest = 1_usize << room.ilog2();
        loop {
            match Self::allocate(gpu, largest) {
                Ok(bench) => return Ok(bench),
                Err(failure) if largest <= 64 => {
                    return Err(failure.while_doing("allocate memory for the transfers"));
                }
                Err(failure) => {
                    log::warn!(
                        "no room for transfers of {}: {}",
                        super::size(largest as u64),
                        failure.name()
                    );
                    largest /= 2;
                }
            }
        }
    }

    fn allocate(gpu: &Gpu, largest: usize) -> ClResult<Self> {
        let inner = &gpu.0;
        // Buffers in the device's own memory, whatever this program uses on it otherwise.
        let device = || Mem::new(&inner.context, CL_MEM_READ_WRITE, largest);
        let host = if inner.host_flag == 0 { CL_MEM_ALLOC_HOST_PTR } else { inner.host_flag };
        let bench = TransferBench {
            gpu: gpu.clone(),
            largest,
            near: device()?,
            far: device()?,
            mapped: Mem::new(&inner.context, CL_MEM_READ_WRITE | host, largest)?,
            pinned: Pinned::new(&inner.context, inner.queues.last(), largest)?,
            pageable: vec![0; largest / 8],
        };
        // Runtimes allocate at the first use.
        for mem in [&bench.near, &bench.far, &bench.mapped] {
            inner.queues.last().clear(mem, 0, largest, false)?;
            gpu.tell_simulator(mem, largest as u64)?;
        }
        inner.queues.last().finish()?;
        Ok(bench)
    }

    /// The largest transfer there is room for, in bytes: a power of two.
    pub fn largest(&self) -> usize {
        self.largest
    }

    /// Times transfers of `bytes` bytes, a multiple of 8 up to [`largest`](Self::largest), in several rounds, and checks
    /// that what arrives is what was sent. How the rounds differ shows how far their times can be trusted.
    ///
    /// # Errors
    /// A device that fails, or that changes the bytes.
    pub fn measure(&mut self, bytes: usize, rounds: usize) -> Result<Vec<TransferTimes>> {
        self.round(bytes, 1)?; // pages are touched, clocks go up
        (0..rounds).map(|_| self.round(bytes, LEAST_REPEATS)).collect()
    }

    fn round(&mut self, bytes: usize, least: usize) -> Result<TransferTimes> {
        let repeat = |once: &mut dyn FnMut() -> Result<[f64; 2]>| repeat(least, once);
        let Self { gpu, near, far, mapped, pinned, pageable, .. } = self;
        let queue = gpu.0.queues.last();
        let plain: &mut [u8] = &mut bytemuck::cast_slice_mut(pageable)[..bytes];
        let pinned: &mut [u8] = &mut pinned.bytes_mut()?[..bytes];
        // Every write carries another byte, so that nothing old passes for new.
        let mut mark = 0_u8;

        let [host_fill, write_pageable] = repeat(&mut || {
            mark = mark.wrapping_add(1);
            let fill = timed(queue, || {
                plain.fill(mark);
                Ok(())
            })?;
            Ok([fill, timed(queue, || Ok(queue.write(near, 0, plain, false).map(drop)?))?])
        })?;
        let [read_pageable, host_read] = repeat(&mut || {
            plain.fill(0);
            let read = timed(queue, || Ok(queue.read(near, 0, plain, false).map(drop)?))?;
            Ok([read, timed(queue, || expect(plain, mark))?])
        })?;
        let [host_fill_pinned, write_pinned] = repeat(&mut || {
            mark = mark.wrapping_add(1);
            let fill = timed(queue, || {
                pinned.fill(mark);
                Ok(())
            })?;
            Ok([fill, timed(queue, || Ok(queue.write(near, 0, pinned, false).map(drop)?))?])
        })?;
        let [read_pinned, host_read_pinned] = repeat(&mut || {
            pinned.fill(0);
            let read = timed(queue, || Ok(queue.read(near, 0, pinned, false).map(drop)?))?;
            Ok([read, timed(queue, || expect(pinned, mark))?])
        })?;
        let copy = |from, to| timed(queue, || Ok(queue.copy((from, 0), (to, 0), bytes, false).map(drop)?));
        let [write_mapped, copy_from_mapped] = repeat(&mut || {
            mark = mark.wrapping_add(1);
            let write = timed(queue, || {
                let (mut range, _) = queue.map(mapped, Access::Overwrite, 0, bytes, false)?;
                range.bytes_mut().fill(mark);
                Ok(range.unmap(false).map(drop)?)
            })?;
            Ok([write, copy(mapped, near)?])
        })?;
        let [device_copy, _] = repeat(&mut || Ok([copy(near, far)?, 0.0]))?;
        queue.read(far, 0, plain, false)?;
        expect(plain, mark)?;
        plain.fill(mark.wrapping_add(1));
        queue.write(near, 0, plain, false)?;
        let [copy_to_mapped, read_mapped] = repeat(&mut || {
            let copy = copy(near, mapped)?;
            let read = timed(queue, || {
                let (range, _) = queue.map(mapped, Access::Read, 0, bytes, false)?;
                expect(range.bytes(), mark.wrapping_add(1))?;
                Ok(range.unmap(false).map(drop)?)
            })?;
            Ok([copy, read])
        })?;
        Ok(TransferTimes {
            bytes,
            host_fill,
            host_read,
            host_fill_pinned,
            host_read_pinned,
            write_pageable,
            write_pinned,
            write_mapped,
            read_pageable,
            read_pinned,
            read_mapped,
            device_copy,
            copy_from_mapped,
            copy_to_mapped,
        })
    }
}

/// The least of what `once` returns, by component, of at least so many repeats.
fn repeat(least: usize, once: &mut dyn FnMut() -> Result<[f64; 2]>) -> Result<[f64; 2]> {
    let begun = Instant::now();
    let mut times = [f64::INFINITY; 2];
    for repeats in 1.. {
        let sample = once()?;
        times.iter_mut().zip(sample).for_each(|(least, time)| *least = least.min(time));
        if repeats >= MOST_REPEATS || repeats >= least && begun.elapsed() >= PATIENCE {
            break;
        }
    }
    Ok(times)
}

/// Wall seconds until the device has done what `run` asks of it.
fn timed(queue: &Queue, run: impl FnOnce() -> Result<()>) -> Result<f64> {
    let begun = Instant::now();
    run()?;
    queue.finish()?;
    Ok(begun.elapsed().as_secs_f64())
}

/// Adds up the bytes, eight at a time, and compares with the sum where all of them are `mark`.
#[inline(never)] // one loop of vectors for all callers
fn expect(bytes: &[u8], mark: u8) -> Result<()> {
    let (_, words, _) = bytemuck::pod_align_to::<u8, u64>(bytes); // all memory here is aligned
    let sum = words.iter().copied().fold(0_u64, u64::wrapping_add);
    if sum == u64::from_ne_bytes([mark; 8]).wrapping_mul(bytes.len() as u64 / 8) {
        return Ok(());
    }
    Err(Error::new(format!(
        "the device changed the bytes of a transfer of {}",
        super::size(bytes.len() as u64)
    )))
}
