//! Screen and log file: where every line of output goes.

use crate::base::error::{Error, Result};
use crate::base::files;
use crate::base::ledger::Claim;
use crate::base::ranks;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// What stands behind the screen (`-screen`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Screen {
    /// Standard output.
    #[default]
    Stdout,
    /// A file.
    File(PathBuf),
    /// Nothing (`-screen none`).
    None,
}

/// What the log file is to users.
pub const LOG_FILE: &str = "the log file";
/// The remedy where it cannot be written.
pub const LOG_HELP: &str = "`-log PATH` writes the log elsewhere, `-log none` nowhere";

/// One place to write to. A sink that failed once is dropped.
struct Sink {
    path: PathBuf,
    out: BufWriter<Box<dyn Write + Send>>,
    /// The place is taken.
    _claim: Option<Claim>,
    /// Somebody watches: every line goes out at once.
    interactive: bool,
}

impl Sink {
    fn create(path: &Path, append: bool, what: &str) -> Result<Self> {
        let claim = files::claim(path, what)?;
        let file = files::grow_text(path, append, Some(&claim))?;
        let out = BufWriter::new(Box::new(file) as Box<dyn Write + Send>);
        Ok(Sink { path: path.to_owned(), out, _claim: Some(claim), interactive: false })
    }

    fn stdout() -> Self {
        let stdout = std::io::stdout();
        let interactive = stdout.is_terminal();
        Sink {
            path: "(standard output)".into(),
            out: BufWriter::new(Box::new(stdout)),
            _claim: None,
            interactive,
        }
    }
}

/// Screen and log file.
///
/// Writing never fails at once and never panics: the first failure (a full disk, a closed pipe) silences
/// its sink and waits in [`Log::check`]. Output is buffered: [`Log::flush`] hands it on, and so does dropping.
#[derive(Default)]
pub struct Log {
    screen: Option<Sink>,
    file: Option<Sink>,
    memory: Option<String>,
    failure: Option<Error>,
    /// Warnings so far, and how many there may be; `None` as [`MOST_WARNINGS`] says.
    warnings: u64,
    most_warnings: Option<u64>,
    hushed: bool,
}

/// Warnings that are shown unless `thermo_modify warn` says otherwise.
pub const MOST_WARNINGS: u64 = 100;

impl Log {
    /// Opens both; `None` writes no log file. An existing file is overwritten.
    ///
    /// # Errors
    /// When a file cannot be opened.
    pub fn new(screen: Screen, file: Option<PathBuf>) -> Result<Self> {
        let screen = match screen {
            Screen::Stdout => ranks::is_first().then(Sink::stdout),
            Screen::File(path) => Some(Sink::create(&path, false, "the file of -screen")?),
            Screen::None => None,
        };
        let log = |path: PathBuf| Sink::create(&path, false, LOG_FILE).map_err(|error| error.help(LOG_HELP));
        let file = file.map(log).transpose()?;
        Ok(Log { screen, file, ..Log::default() })
    }

    /// A log that only remembers, for tests: see [`Log::text`].
    pub fn memory() -> Self {
        Log { memory: Some(String::new()), ..Log::default() }
    }

    /// What a [`Log::memory`] was given, through whichever method; empty for other logs.
    pub fn text(&self) -> &str {
        self.memory.as_deref().unwrap_or_default()
    }

    /// Whether lines are left out from now on, where what they say has been said.
    pub fn hush(&mut self, hushed: bool) {
        self.hushed = hushed;
    }

    /// Counts warnings anew, and shows that many; `None`: as many as before.
    pub fn warnings(&mut self, most: Option<u64>) {
        self.warnings = 0;
        self.most_warnings = most.or(self.most_warnings);
    }

    /// Writes text and a newline to screen and log file. Of lines that begin with `WARNING` only so many are shown.
    pub fn line(&mut self, text: &str) {
        if self.hushed {
            return;
        }
        if text.starts_with("WARNING") {
            let most = self.most_warnings.unwrap_or(MOST_WARNINGS);
            self.warnings += 1;
            match self.warnings {
                shown if shown <= most => {}
                first if first == most + 1 && most > 0 => {
                    return self.line("Further warnings are not shown: see `thermo_modify warn`");
                }
                _ => return,
            }
        }
        self.remember(text);
        self.write_screen(text);
        self.write_file(text);
    }

    /// Writes text and a newline to the screen only.
    pub fn screen(&mut self, text: &str) {
        self.remember(text);
        self.write_screen(text);
    }

    /// Writes text and a newline to the log file only.
    pub fn file(&mut self, text: &str) {
        self.remember(text);
        self.write_file(text);
    }

    /// Whether lines reach a screen (so that a progress bar makes sense).
    pub fn has_screen(&self) -> bool {
        self.screen.is_some() && ranks::is_first()
    }

    /// Goes on in another log file (`log FILE`, `log FILE append`).
    ///
    /// # Errors
    /// When the file cannot be opened; the old one is closed by then.
    pub fn open(&mut self, path: &Path, append: bool) -> Result<()> {
        self.close_file();
        self.file = Some(Sink::create(path, append, LOG_FILE)?);
        Ok(())
    }

    /// Ends the log file (`log none`).
    pub fn close_file(&mut self) {
        self.flush();
        self.file = None;
    }

    /// Hands everything written so far to the system.
    pub fn flush(&mut self) {
        for sink in [&mut self.screen, &mut self.file] {
            attempt(sink, &mut self.failure, |out| out.flush());
        }
    }

    /// The first failure since the last call.
    ///
    /// # Errors
    /// When something could not be written: the error names the file.
    pub fn check(&mut self) -> Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }

    fn remember(&mut self, text: &str) {
        if let Some(memory) = &mut self.memory {
            memory.push_str(text);
            memory.push('\n');
        }
    }

    fn write_screen(&mut self, text: &str) {
        let flush = self.screen.as_ref().is_some_and(|sink| sink.interactive);
        attempt(&mut self.screen, &mut self.failure, |out| {
            writeln!(out, "{text}")?;
            if flush { out.flush() } else { Ok(()) }
        });
    }

    fn write_file(&mut self, text: &str) {
        attempt(&mut self.file, &mut self.failure, |out| writeln!(out, "{text}"));
    }
}

/// Writes to a sink if it is still there; on failure keeps the error and drops the sink with what it held.
fn attempt(
    slot: &mut Option<Sink>,
    failure: &mut Option<Error>,
    write: impl FnOnce(&mut BufWriter<Box<dyn Write + Send>>) -> std::io::Result<()>,
) {
    let Some(sink) = slot else { return };
    if let Err(err) = write(&mut sink.out) {
        failure.get_or_insert_with(|| Error::io("write", &sink.path, &err));
        if let Some(sink) = slot.take() {
            // Otherwise dropping the buffer would try to write its rest once more.
            let _ = sink.out.into_parts();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_where_they_should() {
        let dir = tempfile::tempdir().expect("a directory");
        let (screen, file) = (dir.path().join("screen"), dir.path().join("log"));
        let mut log = Log::new(Screen::File(screen.clone()), Some(file.clone())).expect("opens");
        log.line("both");
        log.screen("screen");
        log.file("file");
        log.close_file();
        log.line("screen again");
        log.open(&file, true).expect("opens");
        log.file("appended");
        drop(log);
        let read = |path: &Path| std::fs::read_to_string(path).expect("a file");
        assert_eq!(read(&screen), "both\nscreen\nscreen again\n");
        assert_eq!(read(&file), "both\nfile\nappended\n");
    }

    #[test]
    fn memory_keeps_everything() {
        let mut log = Log::memory();
        log.line("a");
        log.file("b");
        assert_eq!(log.text(), "a\nb\n");
        assert!(log.check().is_ok());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_later() {
        let mut log = Log::new(Screen::None, Some("/dev/full".into())).expect("opens");
        log.line("text");
        assert!(log.check().is_ok());
        log.flush();
        let error = log.check().expect_err("the disk is full");
        assert!(error.message.contains("/dev/full"), "{}", error.message);
        log.line("silently dropped");
        log.flush();
        assert!(log.check().is_ok(), "reported once");
    }

    #[test]
    fn an_unwritable_log_names_its_file() {
        let error = Log::new(Screen::None, Some("/no/such/directory/log".into())).err().expect("cannot open");
        assert!(error.message.contains("/no/such/directory/log"), "{}", error.message);
    }
}
