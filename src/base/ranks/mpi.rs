//! The calls of MPI, all of them: its library is loaded at run time, so one program serves MPICH and its kin (Intel MPI, MVAPICH, Cray
//! MPICH), Open MPI and libraries with the ABI of MPI 5, and runs where there is none.
//!
//! The three differ in what a handle is: MPICH's are numbers of 32 bits, Open MPI's the addresses of its data, MPI 5's small numbers in
//! pointers. Source: their `mpi.h`; MPI 5.0, chapter "Application Binary Interface". Only bytes and 64-bit integers are sent.
//!
//! Calls are made by the main thread (`MPI_THREAD_FUNNELED`). An error inside the library ends all ranks with the library's message
//! (`MPI_ERRORS_ARE_FATAL`, its default), so return codes say nothing more.
#![allow(unsafe_code)]

use super::memory::{PAGE, SharedMemory};
use libloading::Library;
use std::ffi::{c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A handle as it is passed: in a register of its own, of which a library with 32-bit handles reads the lower half.
type Handle = usize;
type Bytes = *const c_void;
type Out = *mut c_void;

/// Declares the functions of the library, with how they are looked up.
macro_rules! functions {
    ($($field:ident = $name:literal ($($arg:ty),*);)*) => {
        struct Functions { $($field: unsafe extern "C" fn($($arg),*) -> c_int,)* }
        impl Functions {
            fn load(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: functions of these names have these arguments in every MPI since 3.0; handles as `Handle` says.
                // They stay where they are, as the library is never unloaded.
                Ok(Functions { $($field: *unsafe { library.get($name) }?,)* })
            }
        }
    };
}

functions! {
    init = b"MPI_Init_thread" (*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int);
    finalize = b"MPI_Finalize" ();
    abort = b"MPI_Abort" (Handle, c_int);
    rank = b"MPI_Comm_rank" (Handle, *mut c_int);
    size = b"MPI_Comm_size" (Handle, *mut c_int);
    version = b"MPI_Get_library_version" (*mut c_char, *mut c_int);
    split = b"MPI_Comm_split_type" (Handle, c_int, c_int, Handle, Out);
    duplicate = b"MPI_Comm_dup" (Handle, Out);
    test = b"MPI_Testall" (c_int, Out, *mut c_int, Out);
    barrier = b"MPI_Ibarrier" (Handle, Out);
    broadcast = b"MPI_Ibcast" (Out, c_int, Handle, c_int, Handle, Out);
    reduce = b"MPI_Iallreduce" (Bytes, Out, c_int, Handle, Handle, Handle, Out);
    exchange = b"MPI_Ialltoallv"
        (Bytes, *const c_int, *const c_int, Handle, Out, *const c_int, *const c_int, Handle, Handle, Out);
    send = b"MPI_Isend" (Bytes, c_int, Handle, c_int, c_int, Handle, Out);
    receive = b"MPI_Irecv" (Out, c_int, Handle, c_int, c_int, Handle, Out);
    gather = b"MPI_Iallgatherv" (Bytes, c_int, Handle, Out, *const c_int, *const c_int, Handle, Handle, Out);
    window = b"MPI_Win_allocate_shared" (isize, c_int, Handle, Handle, Out, Out);
    part = b"MPI_Win_shared_query" (Handle, c_int, *mut isize, *mut c_int, Out);
}

/// What the kinds of libraries call the same things.
struct Names {
    world: Handle,
    byte: Handle,
    int64: Handle,
    max: Handle,
    sum: Handle,
    no_info: Handle,
    /// `MPI_STATUSES_IGNORE` and `MPI_IN_PLACE`, as addresses.
    no_status: usize,
    in_place: usize,
    /// `MPI_COMM_TYPE_SHARED` and `MPI_THREAD_FUNNELED`.
    shared: c_int,
    funneled: c_int,
}

const MPICH: Names = Names {
    world: 0x4400_0000,
    byte: 0x4c00_010d,
    int64: 0x4c00_083a,
    max: 0x5800_0001,
    sum: 0x5800_0003,
    no_info: 0x1c00_0000,
    no_status: 1,
    in_place: usize::MAX,
    shared: 1,
    funneled: 1,
};

const FIVE: Names = Names {
    world: 0x101,
    byte: 0x247,
    int64: 0x258,
    max: 0x23,
    sum: 0x21,
    no_info: 0x130,
    no_status: 0,
    in_place: 1,
    shared: 221,
    funneled: 1024,
};

impl Names {
    /// Those of a library, which are told apart by what it has.
    fn of(library: &Library, file: &str) -> Result<Self, libloading::Error> {
        let at = |name: &[u8]| {
            // SAFETY: only the address is taken, and nothing read there.
            let symbol = unsafe { library.get::<*const c_void>(name) };
            // SAFETY: the same; the library stays.
            symbol.map(|symbol| unsafe { symbol.try_as_raw_ptr() }.map_or(0, |at| at as usize))
        };
        match at(b"ompi_mpi_comm_world") {
            Ok(world) => Ok(Names {
                world,
                byte: at(b"ompi_mpi_byte")?,
                int64: at(b"ompi_mpi_int64_t")?,
                max: at(b"ompi_mpi_op_max")?,
                sum: at(b"ompi_mpi_op_sum")?,
                no_info: at(b"ompi_mpi_info_null")?,
                no_status: 0,
                in_place: 1,
                shared: 0,
                funneled: 1,
            }),
            // MPICH's own library has that function, too.
            Err(_) if file.contains("mpi_abi") && at(b"MPI_Abi_get_version").is_ok() => Ok(FIVE),
            Err(_) => Ok(MPICH),
        }
    }
}

/// A library that has been initialised.
pub(super) struct Mpi {
    functions: Functions,
    names: Names,
    /// A communicator for [`Mpi::meet`] alone, so that nothing else is mistaken for it.
    aside: Handle,
    /// The ranks of this machine, and their numbers among all.
    machine: Handle,
    here: Vec<usize>,
    /// Whether waiting leaves the core to others: ranks outnumber cores.
    gentle: bool,
    /// Nanoseconds of [`Mpi::wait_until`] so far.
    waited: AtomicU64,
    /// Its file.
    pub(super) file: String,
    /// Never unloaded: Open MPI crashes at the end of the process otherwise.
    _library: ManuallyDrop<Library>,
}

/// Bytes of a message at most, as counts have 32 bits.
const MOST: usize = 1 << 30;

/// How long a rank waits at full speed, and between two looks after that where others want the core.
const SPIN: Duration = Duration::from_micros(30);
const SLEEP: Duration = Duration::from_micros(20);

/// How long the library may take to end.
const FINALIZE_LIMIT: Duration = Duration::from_secs(10);

unsafe extern "C" {
    /// The C library's end of a process, which runs none of its handlers.
    fn _exit(status: c_int) -> !;
}

/// Opens a library so that others see what it has.
#[cfg(unix)]
unsafe fn open(file: &str) -> Result<Library, libloading::Error> {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    // SAFETY: as the caller says.
    unsafe { Library::open(Some(file), RTLD_NOW | RTLD_GLOBAL) }.map(Into::into)
}

#[cfg(not(unix))]
unsafe fn open(file: &str) -> Result<Library, libloading::Error> {
    // SAFETY: as the caller says.
    unsafe { Library::new(file) }
}

impl Mpi {
    /// Loads the first library that there is of these, and initialises it.
    ///
    /// # Errors
    /// What the loader says of each, where none can be loaded.
    pub(super) fn load(files: &[&str]) -> Result<Self, String> {
        let mut why = Vec::new();
        for &file in files {
            // SAFETY: an MPI library's initialisers do nothing before MPI_Init. Its symbols are global, as the components that Open
            // MPI loads look for them there.
            match unsafe { open(file) } {
                Ok(library) => return Mpi::begin(library, file).map_err(|error| error.to_string()),
                Err(error) => why.push(error.to_string()),
            }
        }
        Err(why.join("; "))
    }

    fn begin(library: Library, file: &str) -> Result<Self, libloading::Error> {
        let (functions, names) = (Functions::load(&library)?, Names::of(&library, file)?);
        let (mut provided, mut aside, mut machine) = (0, 0_u64, 0_u64);
        // SAFETY: no arguments are given, and the level found is written to a number of our own.
        unsafe { (functions.init)(null_mut(), null_mut(), names.funneled, &raw mut provided) };
        // SAFETY: a handle of either width fits where it is written.
        unsafe { (functions.duplicate)(names.world, (&raw mut aside).cast()) };
        let Names { world, shared, no_info, .. } = names;
        // SAFETY: the same.
        unsafe { (functions.split)(world, shared, 0, no_info, (&raw mut machine).cast()) };
        let mut mpi = Mpi {
            functions,
            names,
            aside: aside as usize,
            machine: machine as usize,
            here: Vec::new(),
            gentle: false,
            waited: AtomicU64::new(0),
            file: file.to_owned(),
            _library: ManuallyDrop::new(library),
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let [own, count] = mpi.local();
        mpi.gentle = count > cores / 2;
        let mut here = vec![0; count];
        here[own] = mpi.rank();
        let part = |rank| rank * size_of::<usize>()..(rank + 1) * size_of::<usize>();
        let parts: Vec<_> = (0..count).map(part).collect();
        mpi.gather_among(mpi.machine, bytemuck::cast_slice_mut(&mut here), &parts);
        mpi.here = here;
        Ok(mpi)
    }

    /// The rank of this process.
    pub(super) fn rank(&self) -> usize {
        self.number(self.functions.rank, self.names.world)
    }

    /// How many there are.
    pub(super) fn size(&self) -> usize {
        self.number(self.functions.size, self.names.world)
    }

    /// The same among the ranks of this machine.
    pub(super) fn local(&self) -> [usize; 2] {
        [self.functions.rank, self.functions.size].map(|function| self.number(function, self.machine))
    }

    fn number(&self, function: unsafe extern "C" fn(Handle, *mut c_int) -> c_int, of: Handle) -> usize {
        let mut number = 0;
        // SAFETY: the function writes one number.
        unsafe { function(of, &raw mut number) };
        number as usize
    }

    /// What the library calls itself, on one line.
    pub(super) fn version(&self) -> String {
        // No library's text is longer (MPI_MAX_LIBRARY_VERSION_STRING).
        let (mut text, mut length) = (vec![0_u8; 8192], 0);
        // SAFETY: there is room for the longest text.
        unsafe { (self.functions.version)(text.as_mut_ptr().cast(), &raw mut length) };
        let text = String::from_utf8_lossy(&text[..length as usize]);
        let line = text.lines().next().unwrap_or_default();
        line.trim_end_matches('\0').split(", package").next().unwrap_or_default().replace('\t', " ")
    }

    /// Ends all ranks at once.
    pub(super) fn abort(&self, code: i32) {
        // SAFETY: takes numbers only.
        unsafe { (self.functions.abort)(self.names.world, code) };
    }

    /// The end of MPI in this process, once all ranks have come here. A library may not come to its end: MPICH 4.0.2 with UCX waits for ever
    /// for ranks of other machines, now and then. All is done by then, so the process ends by itself a while later.
    pub(super) fn finalize(&self, status: i32) {
        self.barrier();
        std::thread::spawn(move || {
            std::thread::sleep(FINALIZE_LIMIT);
            // SAFETY: takes a number only. What is to be done at the end of a process would wait for the library.
            unsafe { _exit(status) }
        });
        // SAFETY: called once, by `super::finish`.
        unsafe { (self.functions.finalize)() };
    }

    /// Waits for all ranks to come here, for so long at most; whether they have.
    pub(super) fn meet(&self, patience: Duration) -> bool {
        let mut request = [0_u64; 1];
        // SAFETY: the request lives until the end of the process if need be, as this one is about to fail otherwise.
        unsafe { (self.functions.barrier)(self.aside, request.as_mut_ptr().cast()) };
        let begun = Instant::now();
        while !self.is_done(&mut request) {
            if begun.elapsed() > patience {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }

    /// Waits for all ranks to come here.
    pub(super) fn barrier(&self) {
        // SAFETY: nothing is read or written but the request, which `wait_for` waits for.
        self.wait_for(|request| unsafe { (self.functions.barrier)(self.names.world, request) });
    }

    /// The bytes of one rank to all.
    pub(super) fn broadcast(&self, bytes: &mut [u8], from: usize) {
        let Names { byte, world, .. } = self.names;
        for part in bytes.chunks_mut(MOST) {
            let (start, count) = (part.as_mut_ptr().cast(), part.len() as c_int);
            // SAFETY: `part` is borrowed until `wait_for` returns.
            self.wait_for(|request| unsafe {
                (self.functions.broadcast)(start, count, byte, from as c_int, world, request)
            });
        }
    }

    /// The largest of each of the numbers that ranks have, to all.
    pub(super) fn max(&self, numbers: &mut [i64]) {
        self.reduce(numbers, self.names.max);
    }

    /// The sums of the numbers that ranks have, to all.
    pub(super) fn sum(&self, numbers: &mut [i64]) {
        self.reduce(numbers, self.names.sum);
    }

    fn reduce(&self, numbers: &mut [i64], operation: Handle) {
        if numbers.is_empty() {
            return;
        }
        let Names { int64, world, in_place, .. } = self.names;
        let (start, count) = (numbers.as_mut_ptr().cast(), numbers.len() as c_int);
        // SAFETY: `numbers` is borrowed until `wait_for` returns.
        self.wait_for(|request| unsafe {
            (self.functions.reduce)(in_place as Bytes, start, count, int64, operation, world, request)
        });
    }

    /// Each rank's part of the bytes to all; the parts do not overlap.
    pub(super) fn gather(&self, bytes: &mut [u8], parts: &[Range<usize>]) {
        if bytes.is_empty() {
            return; // on all ranks; and nothing is where Open MPI and MPI 5 have MPI_IN_PLACE
        }
        if bytes.len() > MOST {
            for (rank, part) in parts.iter().enumerate() {
                self.broadcast(&mut bytes[part.clone()], rank);
            }
            return;
        }
        self.gather_among(self.names.world, bytes, parts);
    }

    /// The same among the ranks of a communicator.
    fn gather_among(&self, ranks: Handle, bytes: &mut [u8], parts: &[Range<usize>]) {
        let Names { byte, in_place, .. } = self.names;
        let counts: Vec<c_int> = parts.iter().map(|part| part.len() as c_int).collect();
        let places: Vec<c_int> = parts.iter().map(|part| part.start as c_int).collect();
        let (start, counts, places) = (bytes.as_mut_ptr().cast(), counts.as_ptr(), places.as_ptr());
        // SAFETY: parts lie within `bytes`, as they were sliced by or made from its length; all lives until `wait_for` returns.
        self.wait_for(|request| unsafe {
            (self.functions.gather)(in_place as Bytes, 0, byte, start, counts, places, byte, ranks, request)
        });
    }

    /// A part of the bytes to each rank, and one from each; they end before 2 GiB.
    pub(super) fn exchange(&self, told: &[u8], to: &[Range<usize>], heard: &mut [u8], from: &[Range<usize>]) {
        let Names { byte, world, .. } = self.names;
        let counts =
            |parts: &[Range<usize>]| parts.iter().map(|part| part.len() as c_int).collect::<Vec<_>>();
        let places =
            |parts: &[Range<usize>]| parts.iter().map(|part| part.start as c_int).collect::<Vec<_>>();
        let (to_counts, to_places, from_counts, from_places) =
            (counts(to), places(to), counts(from), places(from));
        // Nothing is where Open MPI and MPI 5 have MPI_IN_PLACE.
        let mut nothing = [0_u8; 2];
        let told = if told.is_empty() { nothing.as_ptr() } else { told.as_ptr() }.cast();
        let heard = if heard.is_empty() { nothing[1..].as_mut_ptr() } else { heard.as_mut_ptr() }.cast();
        // SAFETY: parts lie within the bytes, as they were made with them; all lives until `wait_for` returns.
        self.wait_for(|request| unsafe {
            (self.functions.exchange)(
                told,
                to_counts.as_ptr(),
                to_places.as_ptr(),
                byte,
                heard,
                from_counts.as_ptr(),
                from_places.as_ptr(),
                byte,
                world,
                request,
            )
        });
    }

    /// Sends messages to ranks and takes those that others send, no longer than the room for each. Between two ranks one message goes each way.
    /// Waits until all have come and gone, and until something else is so.
    pub(super) fn swap(
        &self,
        told: &[&(usize, Vec<u8>)],
        heard: &mut [&mut (usize, Vec<u8>)],
        mut is_so: impl FnMut() -> bool,
    ) {
        let Names { byte, world, .. } = self.names;
        let mut requests = vec![[0_u64; 1]; told.len() + heard.len()];
        let (receive, send) = requests.split_at_mut(heard.len());
        assert!(told.iter().all(|(_, bytes)| bytes.len() <= MOST), "a message of more than 1 GiB");
        for ((rank, bytes), request) in heard.iter_mut().map(|heard| &mut **heard).zip(receive) {
            let (start, room) = (bytes.as_mut_ptr().cast(), bytes.len().min(MOST) as c_int);
            let (from, request) = (*rank as c_int, request.as_mut_ptr().cast());
            // SAFETY: `heard` is borrowed until all requests are done.
            unsafe { (self.functions.receive)(start, room, byte, from, 0, world, request) };
        }
        for ((rank, bytes), request) in told.iter().copied().zip(send) {
            let (start, count) = (bytes.as_ptr().cast(), bytes.len() as c_int);
            let (to, request) = (*rank as c_int, request.as_mut_ptr().cast());
            // SAFETY: `told` is borrowed until all requests are done.
            unsafe { (self.functions.send)(start, count, byte, to, 0, world, request) };
        }
        let mut left = requests.iter_mut().peekable();
        self.wait_until(|| {
            while left.peek_mut().is_some_and(|request| self.is_done(request)) {
                left.next();
            }
            left.peek().is_none() && is_so()
        });
    }

    /// So many bytes of each rank; all ranks ask for them at once. Ranks of one machine see the same memory, and this one has a copy of its own for
    /// each rank elsewhere. Where `machines` are more than one, ranks of a machine do as if they were on so many. The memory stays for the rest of
    /// the process.
    pub(super) fn shared(&self, bytes: usize, machines: usize) -> SharedMemory {
        let bytes = bytes.next_multiple_of(PAGE);
        let size = bytes + PAGE; // for parts that begin within a page
        let (mut start, mut window) = (0_usize, 0_u64);
        let (at, handle) = ((&raw mut start).cast(), (&raw mut window).cast());
        // SAFETY: an address and a handle of either width fit where they are written.
        unsafe { (self.functions.window)(size as isize, 1, self.names.no_info, self.machine, at, handle) };
        let part = |rank: usize| {
            let (mut length, mut unit, mut start) = (0_isize, 0, 0_usize);
            let at = (&raw mut start).cast();
            // SAFETY: the window was made above, and each number fits where it is written.
            unsafe {
                (self.functions.part)(window as usize, rank as c_int, &raw mut length, &raw mut unit, at)
            };
            start.next_multiple_of(PAGE)
        };
        let machine = |rank: usize| rank * machines / self.size();
        let is_here = |rank: usize| machine(rank) == machine(self.rank());
        let local = |rank: &usize| self.here.iter().position(|here| here == rank).filter(|_| is_here(*rank));
        let copy = || (vec![0_u8; size].leak().as_mut_ptr() as usize).next_multiple_of(PAGE);
        let ranks = 0..self.size();
        SharedMemory {
            parts: ranks.clone().map(|rank| local(&rank).map_or_else(copy, part)).collect(),
            own: self.rank(),
            bytes,
            elsewhere: ranks.filter(|rank| local(rank).is_none()).collect(),
        }
    }

    /// Begins something that has one request, and waits for it.
    fn wait_for(&self, begin: impl FnOnce(Out) -> c_int) {
        let mut request = [0_u64; 1];
        begin(request.as_mut_ptr().cast());
        self.wait_until(|| self.is_done(&mut request));
    }

    /// Waits until something is so.
    pub(super) fn wait_until(&self, mut is_so: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !is_so() {
            match begun.elapsed() < SPIN {
                true => std::hint::spin_loop(),
                false if self.gentle => std::thread::sleep(SLEEP),
                false => std::thread::yield_now(),
            }
        }
        self.waited.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    /// How long this rank has waited for others, and for messages, so far.
    pub(super) fn waited(&self) -> Duration {
        Duration::from_nanos(self.waited.load(Ordering::Relaxed))
    }

    fn is_done(&self, request: &mut [u64; 1]) -> bool {
        let mut done = 0;
        let (request, no_status) = (request.as_mut_ptr().cast(), self.names.no_status as Out);
        // SAFETY: there is one request, and nothing is said of its status.
        unsafe { (self.functions.test)(1, request, &raw mut done, no_status) };
        done != 0
    }
}
