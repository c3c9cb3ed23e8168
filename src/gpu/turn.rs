//! One process compiles a program, the others wait for it and find it in the cache: twenty first runs at once would else compile
//! everything twenty times. Locks of the system on files beside the cached programs keep the order, which end with the process that
//! holds them, however that ends. A terminal shows what is being compiled.

use std::fs::{self, File, OpenOptions};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::cache::{cache_folder, pocl_cache_folder};
use super::select::DeviceInfo;
use crate::base::signals;

/// What takes longer than this to compile is not waited for: the process that does it may have been stopped.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long one who waits sleeps between two looks, at first and at most.
const SLEEPS: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(10)];

/// After so much compiling the terminal shows what is compiled.
const QUIET: Duration = Duration::from_millis(500);

/// Compiling, as long as this is there: the others who want the same program wait.
pub(super) struct Turn {
    _lock: Option<File>,
    _notice: Option<Notice>,
}

impl Turn {
    /// Waits until no other process compiles what the hexadecimal `key` stands for; `spent` has been compiled for before.
    pub(super) fn take(info: &DeviceInfo, key: &str, what: &str, spent: Duration) -> Turn {
        let notice = std::io::stderr().is_terminal().then(|| {
            Notice::begin(std::io::stderr(), format!("compiling {what}"), QUIET.saturating_sub(spent))
        });
        let lock = folder(info).and_then(|folder| lock(&folder, key, PATIENCE));
        let (lock, waited) = lock.map_or((None, false), |(file, waited)| (file, waited));
        if waited {
            log::debug!("waited for another process to compile {what}");
        }
        Turn { _lock: lock, _notice: notice }
    }
}

/// The turn, where it is nobody else's now.
pub(super) fn at_once(info: &DeviceInfo, key: &str) -> Option<File> {
    lock(&folder(info)?, key, Duration::ZERO)?.0
}

/// The folder of the locks; `None` where processes share no programs.
pub(super) fn folder(info: &DeviceInfo) -> Option<PathBuf> {
    match info.is_pocl() {
        true if std::env::var("POCL_KERNEL_CACHE").as_deref() == Ok("0") => None,
        true => Some(pocl_cache_folder()?.join("clamps")),
        false => Some(cache_folder()?.join("locks")),
    }
}

/// A lock that stands for a key, and whether it was another's at first. Hexadecimal keys that begin alike share a file. None where that cannot be made,
/// where the other has it for too long, or the user wants to stop.
#[cfg(unix)]
fn lock(folder: &Path, key: &str, patience: Duration) -> Option<(Option<File>, bool)> {
    use rustix::fs::{FlockOperation, flock};
    let file = open(folder, key)?;
    let (began, [mut sleep, longest]) = (Instant::now(), SLEEPS);
    loop {
        let waited = began.elapsed();
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Some((Some(file), sleep > SLEEPS[0])),
            Err(rustix::io::Errno::WOULDBLOCK) if waited < patience && signals::signal().is_none() => {
                std::thread::sleep(sleep);
                sleep = (2 * sleep).min(longest);
            }
            Err(rustix::io::Errno::WOULDBLOCK) => return Some((None, true)),
            // A file system without locks.
            Err(_) => return None,
        }
    }
}

#[cfg(not(unix))]
fn lock(_: &Path, _: &str, _: Duration) -> Option<(Option<File>, bool)> {
    None
}

#[cfg(unix)]
fn open(folder: &Path, key: &str) -> Option<File> {
    fs::create_dir_all(folder).ok()?;
    let name = if key.bytes().all(|byte| byte.is_ascii_hexdigit()) { key.get(..2)? } else { key };
    let path = folder.join(format!("lock-{name}"));
    OpenOptions::new().write(true).create(true).truncate(false).open(path).ok()
}

/// A line on the terminal, which comes after a while and goes in the end.
struct Notice {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Notice {
    fn begin(mut out: impl Write + Send + 'static, words: String, after: Duration) -> Notice {
        let (end, ended) = channel();
        let thread = std::thread::spawn(move || {
            if ended.recv_timeout(after) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            // In one piece, so that other output does not come between. Nobody to tell where this fails.
            let mut show = |line: String| out.write_all(line.as_bytes()).and_then(|()| out.flush());
            let _ = show(format!("\r\x1b[K{words}"));
            let _ = ended.recv();
            let _ = show("\r\x1b[K".to_owned());
        });
        Notice { end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Notice {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[allow(clippy::unwrap_used)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Run by the test below in a process of its own: holds a lock until it is killed.
    #[cfg(unix)]
    #[test]
    #[ignore = "run by `a_lock_ends_with_its_process` in a child process"]
    fn holds_a_lock() {
        let folder = PathBuf::from(std::env::var_os("HOLD_IN").unwrap());
        let held = lock(&folder, "ab12", PATIENCE).unwrap();
        assert!(held.0.is_some());
        File::create(folder.join("held")).unwrap();
        std::thread::sleep(Duration::from_secs(120));
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_ends_with_its_process() {
        let folder = tempfile::tempdir().unwrap();
        let test = "gpu::turn::tests::holds_a_lock";
        let mut holder = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--ignored"])
            .env("HOLD_IN", folder.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while !folder.path().join("held").exists() {
            assert!(began.elapsed() < Duration::from_secs(60), "the other process holds nothing");
            std::thread::sleep(Duration::from_millis(5));
        }
        // As long as it lives it is waited for, but not for ever; other keys are free.
        let short = Duration::from_millis(50);
        assert!(matches!(lock(folder.path(), "ab99", short), Some((None, true))));
        assert!(matches!(lock(folder.path(), "ac12", short), Some((Some(_), false))));
        // A busy machine may let the thread begin late.
        let (begun, begins) = channel();
        let waiting = {
            let folder = folder.path().to_owned();
            std::thread::spawn(move || {
                begun.send(()).unwrap();
                lock(&folder, "ab12", PATIENCE)
            })
        };
        begins.recv().unwrap();
        std::thread::sleep(4 * short);
        holder.kill().unwrap();
        holder.wait().unwrap();
        let killed = Instant::now();
        assert!(matches!(waiting.join().unwrap(), Some((Some(_), true))));
        assert!(killed.elapsed() < Duration::from_secs(10), "{:?}", killed.elapsed());
        assert!(matches!(lock(folder.path(), "ab12", short), Some((Some(_), false))), "free again");
    }

    #[derive(Clone, Default)]
    struct Paper(Arc<Mutex<Vec<u8>>>);

    impl Write for Paper {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_takes_long_is_shown_until_it_ends() {
        let paper = Paper::default();
        let text = || String::from_utf8(paper.0.lock().unwrap().clone()).unwrap();
        drop(Notice::begin(paper.clone(), "compiling a.cl".to_owned(), Duration::from_secs(1000)));
        assert_eq!(text(), "");
        let notice = Notice::begin(paper.clone(), "compiling b.cl".to_owned(), Duration::ZERO);
        let began = Instant::now();
        while text().is_empty() && began.elapsed() < Duration::from_secs(60) {
            std::thread::yield_now();
        }
        assert_eq!(text(), "\r\x1b[Kcompiling b.cl");
        drop(notice);
        assert_eq!(text(), "\r\x1b[Kcompiling b.cl\r\x1b[K");
    }
}
