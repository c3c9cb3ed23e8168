//! The program: arguments, interpreter, exit code.

/// Keeps memory that is given back for who asks next: columns of all atoms come and go at every look at them, and the system's
/// own allocator returns and clears the pages of large ones each time.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    clamps::cli::main()
}
