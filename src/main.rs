//! The program: arguments, interpreter, exit code.

fn main() -> std::process::ExitCode {
    clamps::cli::main()
}
