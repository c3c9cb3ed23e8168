//! Processes that carry out one script after another, on one device and with the programs built so far. A process for each script starts
//! PoCL anew and shares no programs, which takes 12 to 14 % more processor time. How the program reads its command line is tested
//! by the scripts that are given as text, and in tests/cli.rs.

use super::common;
use clamps::base::log::{Log, Screen};
use clamps::commands::interpreter::{Echo, Interpreter, read_script};
use clamps::engine::kernels::options::Rebuild;
use clamps::gpu::options::{Precision, TimingMode};
use clamps::script::variables::Variables;
use clamps::session::Session;
use clamps::session::options::{Options, Tune};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

/// Set in a worker.
const WORKER: &str = "CLAMPS_TEST_WORKER";
/// What a worker says when a script has ended.
const DONE: &str = "CLAMPS_TEST_WORKER: done";

/// A process that waits for scripts.
struct Worker {
    child: Child,
    scripts: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Worker {
    fn start(build: &str) -> Worker {
        let mut child = Command::new(std::env::current_exe().expect("has a path"))
            .args(["--exact", "worker::worker", "--nocapture"])
            .env(WORKER, "yes")
            .env("CLAMPS_BUILD", build)
            .env_remove("CLAMPS_DEVICE")
            .env_remove("RUST_LOG")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("starts");
        let scripts = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Worker { child, scripts, answers }
    }

    /// Has it carry out a script of a folder.
    fn run(&mut self, dir: &Path, script: &str, rebuild: Rebuild) {
        let seldom = rebuild == Rebuild::Seldom;
        writeln!(self.scripts, "{}\t{script}\t{seldom}", dir.display()).expect("written");
        let mut line = String::new();
        while !line.contains(DONE) {
            line.clear();
            let read = self.answers.read_line(&mut line).expect("readable");
            assert!(read > 0, "{script}: its process has ended: {:?}", self.child.wait());
        }
    }
}

/// Workers without work, by how they build kernels.
static IDLE: Mutex<Vec<(String, Worker)>> = Mutex::new(Vec::new());

/// Has a worker run a script of a folder, in double precision, with the log in the file `log`.
pub(super) fn run(build: &str, dir: &Path, script: &str, rebuild: Rebuild) {
    let idle = {
        let mut idle = IDLE.lock().expect("whole");
        let place = idle.iter().position(|(other, _)| other == build);
        place.map(|place| idle.swap_remove(place).1)
    };
    let mut worker = idle.unwrap_or_else(|| Worker::start(build));
    worker.run(dir, script, rebuild);
    IDLE.lock().expect("whole").push((build.to_owned(), worker));
}

/// Carries out the scripts that standard input names, where this process is a worker; else does nothing.
#[test]
fn worker() {
    if std::env::var_os(WORKER).is_none() {
        return;
    }
    // As the program has it; nobody else runs here yet who could look at variables.
    clamps::gpu::prepare_environment();
    for line in std::io::stdin().lines() {
        let line = line.expect("text");
        let [dir, script, seldom] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        std::env::set_current_dir(dir).expect("a directory");
        let rebuild = if seldom == "true" { Rebuild::Seldom } else { Rebuild::Lammps };
        let options = Options {
            script: script.to_owned(),
            precision: Some(Precision::Double),
            tune: Tune::Off,
            timing: TimingMode::Sampled,
            rebuild,
            ..Options::default()
        };
        let log = Log::new(Screen::None, Some("log".into())).expect("a log");
        let mut session = Session::new(options, log, Variables::default());
        session.device.gpu = Some(common::own_gpu());
        let mut interpreter = Interpreter::new(session, Echo::Log);
        let text = read_script(Path::new(script)).expect("a script");
        if let Err(error) = interpreter.run(script, &text) {
            interpreter.session.output.log.file(&error.render(false));
        }
        interpreter.session.output.log.flush();
        // Files are whole when those who write them have ended.
        drop(interpreter);
        println!("\n{DONE}");
    }
}
