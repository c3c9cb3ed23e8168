//! Files that are there whole or not at all, and files that grow: every output opens here, and none over what this run has read.
//! Text is compressed where its name ends in `.gz` or `.zst`.
//!
//! Of several ranks the first one writes. The others write into nothing, and fail where it does.

use crate::base::error::{Error, Result};
use crate::base::ledger::{self, Claim};
use crate::base::ranks;
use crate::base::stream::Stream;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Writes a file beside its place and renames it when complete, so that nobody reads half of it and a failure
/// leaves an older one as it was. A link stays a link. A pipe or a device (`/dev/stdout`, `/dev/null`)
/// is written to: a rename would put a file in its place.
///
/// # Errors
/// When this run has read the file or has it open, or it cannot be made or written; what was begun is removed.
pub fn write_whole(path: &Path, write: impl FnOnce(&File) -> io::Result<()>) -> Result<()> {
    check_kept(path)?;
    ranks::all_or_none(replace(path, write).map_err(|err| Error::io("write", path, &err)))
}

/// As [`write_whole`], for text, which the name of the file may have compressed.
///
/// # Errors
/// As [`write_whole`].
pub fn write_text(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    write_whole(path, |file| whole_text(path, file, write))
}

/// As [`replace`], for text, which the name of the file may have compressed.
///
/// # Errors
/// As [`replace`].
pub fn replace_text(path: &Path, text: &str) -> io::Result<()> {
    replace(path, |file| whole_text(path, file, |out| out.write_all(text.as_bytes())))
}

/// Writes text as a file of this name has it.
///
/// # Errors
/// When it cannot be written, and those of `write`.
pub fn whole_text(
    path: &Path,
    file: &File,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut stream = Stream::of(&path.to_string_lossy());
    stream.frame(file, write)?;
    stream.end(file)
}

/// Where ranks but the first write.
fn nowhere() -> io::Result<File> {
    OpenOptions::new().write(true).open(if cfg!(windows) { "NUL" } else { "/dev/null" })
}

/// As [`write_whole`], for files of the program's own and for places that are claimed.
///
/// # Errors
/// When it cannot be made or written; what was begun is removed.
pub fn replace(path: &Path, write: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    if !ranks::is_first() {
        return write(&nowhere()?);
    }
    if path.metadata().is_ok_and(|data| !data.is_file()) {
        return write(&OpenOptions::new().write(true).open(path)?);
    }
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut aside = Aside::new(&path)?;
    write(&aside.file)?;
    ledger::wrote(&aside.file);
    aside.persist(&path)
}

/// Opens a file that grows: anew, or behind what it has. All that is written goes to its end.
///
/// # Errors
/// When this run has read the file or, unless it is this one's `claim`, has it open for another output; when it cannot be made.
pub fn grow(path: &Path, append: bool, claim: Option<&Claim>) -> Result<File> {
    ranks::all_or_none(open_to_grow(path, append, claim))
}

fn open_to_grow(path: &Path, append: bool, claim: Option<&Claim>) -> Result<File> {
    if !ranks::is_first() {
        return nowhere().map_err(|err| Error::io("open", path, &err));
    }
    // What is appended to an output that is open harms neither.
    ledger::check(path, claim.map(Claim::what), claim.is_some() || !append)?;
    let fail = |err| Error::io("open", path, &err);
    let new = !path.exists();
    if append {
        check_kind(path)?;
    }
    if !append {
        File::create(path).map_err(fail)?;
    }
    let file = OpenOptions::new().append(true).create(true).open(path).map_err(fail)?;
    if new || !append {
        ledger::wrote(&file);
    }
    Ok(file)
}

/// Refuses to append to a file whose format is not the one that its name says: readers would not know what to make of it.
fn check_kind(path: &Path) -> Result<()> {
    let stream = Stream::of(&path.to_string_lossy());
    let mut begin = Vec::new();
    // A file that is not there begins as it has to; whether another can be read is not asked here.
    if let Ok(file) = File::open(path)
        && file.metadata().is_ok_and(|data| data.is_file())
        && file.take(4).read_to_end(&mut begin).is_ok()
        && !begin.is_empty()
        && !stream.goes_on_behind(&begin)
    {
        let name = path.display();
        let message = format!(
            "cannot append to {name}: it is not compressed as its name says, but what is appended would be"
        );
        return Err(Error::new(message).help("name another file, or write this one anew"));
    }
    Ok(())
}

/// A file of text that grows; each piece that is written to it can be read at once.
pub struct GrowingText {
    file: File,
    stream: Stream,
}

impl Write for GrowingText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.stream.is_plain() {
            return self.file.write(bytes);
        }
        self.stream.frame(&self.file, |out| out.write_all(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for GrowingText {
    /// Ends a compressed file.
    fn drop(&mut self) {
        // All of the text is there, and can be read without its end.
        let _ = self.stream.end(&self.file);
    }
}

/// As [`grow`], for text, which the name of the file may have compressed.
///
/// # Errors
/// As [`grow`].
pub fn grow_text(path: &Path, append: bool, claim: Option<&Claim>) -> Result<GrowingText> {
    let file = grow(path, append, claim)?;
    Ok(GrowingText { file, stream: Stream::of(&path.to_string_lossy()) })
}

/// Writes text to a file, which begins with it or goes on with it.
///
/// # Errors
/// As [`grow`], and when it cannot be written.
pub fn add_text(path: &Path, text: &str, append: bool) -> Result<()> {
    let written = grow_text(path, append, None)?.write_all(text.as_bytes());
    written.map_err(|err| Error::io("write", path, &err))
}

/// The bytes of a file as they are; `what` says what it is to the user: `the restart file that was read`.
///
/// # Errors
/// When it cannot be read.
pub fn read_plain(path: &Path, what: &'static str) -> Result<Vec<u8>> {
    let fail = |err| Error::io("read", path, &err);
    ranks::barrier(); // the first rank may have written it
    let mut file = File::open(path).map_err(fail)?;
    ledger::reads(path, &file, what);
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(fail)?;
    Ok(bytes)
}

/// The folder that a file is in.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file beside another one that goes when it is dropped. Its name is always the same, so that one which a killed run has left is
/// taken over by the next; a lock keeps others away that write now.
struct Aside {
    file: File,
    path: PathBuf,
    kept: bool,
}

impl Aside {
    fn new(target: &Path) -> io::Result<Self> {
        let mut name = std::ffi::OsString::from(".");
        name.push(target.file_name().unwrap_or_default());
        name.push(".tmp");
        let path = folder(target).join(name);
        loop {
            let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path)?;
            lock(&file);
            // While this one waited, another may have renamed or removed it.
            if is_at(&file, &path) {
                file.set_len(0)?;
                return Ok(Aside { file, path, kept: false });
            }
        }
    }

    fn persist(&mut self, target: &Path) -> io::Result<()> {
        std::fs::rename(&self.path, target)?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        if !self.kept {
            // It is in nobody's way.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Waits until no other process writes there; file systems without locks do without.
#[cfg(unix)]
fn lock(file: &File) {
    let _ = rustix::fs::flock(file, rustix::fs::FlockOperation::LockExclusive);
}

#[cfg(not(unix))]
fn lock(_: &File) {}

/// Whether a name still stands for an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let numbers = |data: std::fs::Metadata| (data.dev(), data.ino());
    file.metadata().ok().map(numbers) == path.metadata().ok().map(numbers)
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Whether a file could be written there, as far as that shows before there is anything to write: so that
/// nobody waits for results that then find no place.
///
/// # Errors
/// A folder instead of a file, a folder that is not there or takes no files, or a file that this run has read or has open.
pub fn check_place(path: &Path) -> Result<()> {
    let check = || {
        ledger::check(path, None, true)?;
        check_folder(path)?;
        if !path.exists() || path.is_file() {
            let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
            Aside::new(&target).map_err(|err| Error::io("write", path, &err))?;
        }
        Ok(())
    };
    ranks::by_first(check)
}

/// Refuses a folder instead of a file, and a place in a folder that is not there.
fn check_folder(path: &Path) -> Result<()> {
    let folder = folder(path);
    if path.is_dir() {
        return Err(Error::new(format!("cannot write {}: it is a folder", path.display())));
    }
    if !folder.is_dir() {
        let error =
            Error::new(format!("cannot write {}: there is no folder {}", path.display(), folder.display()));
        return Err(error.help("make the folder, or name another one"));
    }
    Ok(())
}

/// Refuses a place at which this run has read a file, or has one open.
///
/// # Errors
/// When it has.
pub fn check_kept(path: &Path) -> Result<()> {
    ranks::by_first(|| ledger::check(path, None, true))
}

/// Takes a place for an output, which has a name for users: `the file of dump d`.
///
/// # Errors
/// As [`check_place`]; an output of the same name may be open there.
pub fn claim(path: &Path, what: impl Into<String>) -> Result<Claim> {
    let claim = ranks::all_or_none(ledger::claim(path, what))?;
    ranks::by_first(|| {
        check_folder(path)?;
        match path.exists() {
            true => Ok(()),
            false => Aside::new(path).map(drop).map_err(|err| Error::io("write", path, &err)),
        }
    })?;
    Ok(claim)
}

/// Whether a file to be written is none of those that are `taken`, which come with words for what they are: `the script`.
/// Pipes and devices may be taken twice.
///
/// # Errors
/// When it is one of them, by whatever path.
pub fn check_apart<'a>(path: &Path, taken: impl IntoIterator<Item = (&'a str, &'a Path)>) -> Result<()> {
    match taken.into_iter().find(|(_, other)| ledger::same_file(path, other)) {
        None => Ok(()),
        Some((what, _)) => {
            let message = format!("cannot write {}: that is {what}", path.display());
            Err(Error::new(message).help("name another file"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_leaves_the_older_file_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data");
        write_whole(&path, |mut file| file.write_all(b"old")).expect("written");
        write_whole(&path, |mut file| {
            file.write_all(b"new")?;
            Err(io::Error::other("the disk is full"))
        })
        .expect_err("fails");
        assert_eq!(std::fs::read(&path).expect("read"), b"old");
        assert_eq!(folder.path().read_dir().expect("listed").count(), 1);
    }

    #[test]
    fn a_file_is_itself_by_any_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, new) = (folder.path().join("data"), folder.path().join("new"));
        let around = folder.path().join(".").join("data");
        std::fs::write(&file, "old").expect("written");
        let apart = |path: &Path, other: &Path| check_apart(path, [("the script", other)]);
        assert!(apart(&new, &file).is_ok());
        let error = apart(&around, &file).expect_err("the same");
        assert!(error.message.ends_with("that is the script"), "{}", error.message);
        // Neither is there yet.
        assert!(apart(&new, &folder.path().join(".").join("new")).is_err());
        assert!(apart(Path::new("/dev/null"), Path::new("/dev/null")).is_ok());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_takes_no_files_is_found_before() {
        let error = check_place(Path::new("/proc/none.json")).expect_err("nobody can");
        assert!(error.message.starts_with("cannot write /proc/none.json: "), "{}", error.message);
        assert!(!error.message.contains("at path"), "{}", error.message);
        assert!(check_place(Path::new("/dev/null")).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("data"), folder.path().join("link"));
        std::fs::write(&file, "old").expect("written");
        std::os::unix::fs::symlink(&file, &link).expect("linked");
        write_whole(&link, |mut file| file.write_all(b"new")).expect("written");
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&file).expect("read"), b"new");

        let full = Path::new("/dev/full");
        if full.exists() {
            let device = folder.path().join("full");
            std::os::unix::fs::symlink(full, &device).expect("linked");
            let error = write_whole(&device, |mut file| file.write_all(b"x")).expect_err("no space");
            assert!(error.message.contains("No space left"), "{}", error.message);
            assert!(!full.metadata().expect("is there").is_file());
        }
    }
}
