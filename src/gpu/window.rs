//! Memory that several ranks see ([`Window`]), which the device of each copies from and to without another copy on the host.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use bytemuck::Pod;

use super::buffer::Buffer;
use super::cl::{Event, Mem};
use super::device::Gpu;
use super::queue::{Access, Queue};
use super::status::{ClResult, Failure};
use crate::base::error::Result;
use crate::base::ranks::{self, Window};
use crate::gpu::record::Section;

/// A window as a device sees it. Ranks use it in the turns of [`Window`].
pub struct SharedWindow {
    window: Rc<Window>,
    /// Each rank's part pinned, where the runtime does that: copies are faster then.
    _pinned: Vec<Mem>,
    /// The last copy from the window to the device, which may yet be to end.
    busy: RefCell<Option<Event>>,
    /// For copies beside other commands.
    copies: Queue,
}

/// A moment in the order of commands: all that were enqueued before it have ended.
pub struct Moment(Event);

impl Gpu {
    /// The window with halves of at least so many bytes ([`Window::get`]), for this device; asked for by all ranks at once.
    pub fn shared_window(&self, half: usize) -> Option<Rc<SharedWindow>> {
        let window = Window::get(half)?;
        let mut kept = self.0.window.borrow_mut();
        if let Some(shared) = kept.as_ref().filter(|shared| Rc::ptr_eq(&shared.window, &window)) {
            return Some(shared.clone());
        }
        let pin = |rank| -> ClResult<Mem> {
            // SAFETY: the memory stays for the rest of the process.
            let mem = unsafe { Mem::of_host(&self.0.context, window.size(), window.address(rank)) }?;
            self.0.queues.last().map(&mem, Access::Write, 0, window.size(), false)?.0.keep();
            Ok(mem)
        };
        let pinned = match self.zero_copy() {
            true => Ok(Vec::new()),
            false => (0..ranks::count()).map(pin).collect(),
        };
        let _pinned = pinned.unwrap_or_else(|failure| {
            log::info!("ranks' shared memory is not pinned, which makes copies slower: {}", failure.name());
            Vec::new()
        });
        // A runtime may look through what it pins.
        ranks::barrier();
        let copies = match Queue::new(&self.0.context, self.0.device, false) {
            Ok(queue) => queue,
            Err(failure) => {
                // The others go on with the window: this rank ends all.
                log::error!("no queue for copies: {}", failure.name());
                ranks::abort(1);
                return None;
            }
        };
        let shared = Rc::new(SharedWindow { window, _pinned, busy: RefCell::default(), copies });
        *kept = Some(shared.clone());
        Some(shared)
    }
}

impl Gpu {
    /// The moment when all that has been enqueued so far will have ended; hands it to the device.
    ///
    /// # Errors
    /// When the device fails.
    pub fn moment(&self) -> Result<Moment> {
        let queue = self.0.queues.last();
        let moment = || {
            let event = queue.marker()?;
            queue.flush()?;
            Ok(Moment(event))
        };
        moment().map_err(|failure: Failure| failure.while_doing("mark a moment"))
    }

    /// Hands all that has been enqueued to the device.
    ///
    /// # Errors
    /// When the device fails.
    pub fn flush(&self) -> Result<()> {
        self.0.queues.last().flush().map_err(|failure| failure.while_doing("hand commands to the device"))
    }
}

impl SharedWindow {
    /// What is enqueued from here on comes behind the copies [beside](Buffer::take) other commands.
    ///
    /// # Errors
    /// When the device fails.
    pub fn rejoin(&self, gpu: &Gpu) -> Result<()> {
        if gpu.zero_copy() {
            return Ok(());
        }
        let join = || {
            let copied = self.copies.marker()?;
            self.copies.flush()?;
            gpu.0.queues.last().wait_for(&copied)
        };
        join().map_err(|failure| failure.while_doing("wait for copies"))
    }

    /// The memory.
    pub fn memory(&self) -> &Window {
        &self.window
    }

    /// As [`Window::meet`], once the device has read what it was to read before.
    ///
    /// # Errors
    /// When the device fails.
    pub fn meet(&self) -> Result<()> {
        self.have_read()?;
        self.window.meet();
        Ok(())
    }

    /// The same as [`Window::meet_some`].
    ///
    /// # Errors
    /// When the device fails.
    pub fn meet_some(&self, some: &[usize]) -> Result<()> {
        self.have_read()?;
        self.window.meet_some(some);
        Ok(())
    }

    fn have_read(&self) -> Result<()> {
        let Some(event) = self.busy.take() else { return Ok(()) };
        event.wait().map_err(|failure| failure.while_doing("copy what other ranks show"))
    }
}

impl<T: Pod> Buffer<T> {
    /// Copies a range to this turn's half of this rank's part, from `offset` bytes on, and waits: for all commands, or only until a moment has
    /// come, beside those that were enqueued since.
    ///
    /// # Errors
    /// A range outside the buffer, or a device that failed.
    ///
    /// # Panics
    /// Where the half ends before.
    pub fn show(
        &self,
        section: Section,
        range: Range<usize>,
        shared: &SharedWindow,
        offset: usize,
        beside: Option<&Moment>,
    ) -> Result<()> {
        let (from, bytes) = self.storage.span(&range, self.len(), size_of::<T>())?;
        if bytes == 0 {
            return Ok(());
        }
        let (window, storage) = (&shared.window, &self.storage);
        let place = window.place(offset, bytes);
        if storage.gpu.zero_copy() {
            return self.view(section, range, |shown| window.write(place, bytemuck::cast_slice(shown)));
        }
        storage.free_for_commands()?;
        // SAFETY: `place` has looked at the end; in this half nobody reads before the next `meet`.
        let to = unsafe { window.address(ranks::rank()).add(place) };
        // SAFETY: as above, and it waits.
        let read = |queue: &Queue, timed| unsafe { queue.read_to(&storage.mem, from, to, bytes, timed) };
        let Some(moment) = beside else {
            return storage
                .command(section, "read", bytes, |queue, timed| storage.gpu.waiting(|| read(queue, timed)));
        };
        storage.gpu.beside(section, "read beside", bytes, || {
            storage.gpu.waiting(|| {
                // By the host: across queues a device may be slow to see that something has ended.
                moment.0.wait()?;
                read(&shared.copies, false)
            })
        })
    }

    /// Has a range be what a rank shows in this turn's half of its part, from `offset` bytes on, and may not wait: behind
    /// [`SharedWindow::meet`]. `beside` other commands [`SharedWindow::rejoin`] is to follow.
    ///
    /// # Errors
    /// As for [`show`](Self::show).
    ///
    /// # Panics
    /// Where the half ends before.
    pub fn take(
        &self,
        section: Section,
        range: Range<usize>,
        shared: &SharedWindow,
        (rank, offset): (usize, usize),
        beside: bool,
    ) -> Result<()> {
        let (to, bytes) = self.storage.span(&range, self.len(), size_of::<T>())?;
        if bytes == 0 {
            return Ok(());
        }
        let (window, storage) = (&shared.window, &self.storage);
        let place = window.place(offset, bytes);
        if storage.gpu.zero_copy() {
            return self.fill(section, range, |taken| {
                window.read(rank, place, bytemuck::cast_slice_mut(taken));
            });
        }
        storage.free_for_commands()?;
        // SAFETY: `place` has looked at the end.
        let from = unsafe { window.address(rank).add(place) };
        let write = |queue: &Queue| {
            // SAFETY: the memory stays, and the rank changes it when this one has come to its next `meet`, which waits for `busy`.
            let event = unsafe { queue.write_later(&storage.mem, to, from, bytes) }?;
            shared.busy.borrow_mut().clone_from(&event);
            Ok(event)
        };
        if beside {
            return storage.gpu.beside(section, "write beside", bytes, || write(&shared.copies));
        }
        storage.command(section, "write", bytes, |queue, timed| {
            let event = write(queue)?;
            queue.flush()?;
            Ok(event.filter(|_| timed))
        })
    }
}
