//! Files that are there whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::Result;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Writes a file beside its place and renames it when complete, so that nobody reads half of it and a failure
/// leaves an older one as it was. A link stays a link. A pipe or a device (`/dev/stdout`, `/dev/null`)
/// is written to: a rename would put a file in its place.
///
/// # Errors
/// When the file cannot be made or written; what was begun is removed.
pub fn write_whole(path: &Path, write: impl FnOnce(&File) -> Result<()>) -> Result<()> {
    if path.metadata().is_ok_and(|data| !data.is_file()) {
        return write(&OpenOptions::new().write(true).open(path)?);
    }
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let aside = aside(folder(&path))?;
    write(aside.as_file())?;
    aside.persist(&path)?;
    Ok(())
}

/// The folder that a file is in.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file that goes when it is dropped.
fn aside(folder: &Path) -> Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    // What the umask leaves of it, as for any new file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder).map_err(|err| {
        // Without the name of the file aside, which nobody knows of.
        let words = err.to_string();
        let words = words.split_once(" at path ").map_or(&*words, |(words, _)| words);
        std::io::Error::new(err.kind(), words)
    })
}

/// Whether a file could be written there, as far as that shows before there is anything to write: so that
/// nobody waits for results that then find no place.
///
/// # Errors
/// A folder instead of a file, or a folder that is not there or takes no files.
pub fn check_place(path: &Path) -> crate::base::error::Result<()> {
    use crate::base::error::Error;
    let folder = folder(path);
    if path.is_dir() {
        return Err(Error::new(format!("cannot write {}: it is a folder", path.display())));
    }
    if !folder.is_dir() {
        let error =
            Error::new(format!("cannot write {}: there is no folder {}", path.display(), folder.display()));
        return Err(error.help("make the folder, or name another one"));
    }
    if !path.exists() || path.is_file() {
        aside(folder).map_err(|err| Error::io("write", path, &err))?;
    }
    Ok(())
}

/// Whether a file to be written is none of those that are `taken`, which come with words for what they are: `the script`.
/// Pipes and devices may be taken twice.
///
/// # Errors
/// When it is one of them, by whatever path.
pub fn check_apart<'a>(
    path: &Path,
    taken: impl IntoIterator<Item = (&'a str, &'a Path)>,
) -> crate::base::error::Result<()> {
    use crate::base::error::Error;
    match taken.into_iter().find(|(_, other)| place(path).is_some_and(|mine| place(other) == Some(mine))) {
        None => Ok(()),
        Some((what, _)) => {
            let message = format!("cannot write {}: that is {what}", path.display());
            Err(Error::new(message).help("name another file"))
        }
    }
}

/// Where a file is or is to be, whatever the way to it; `None` for what is no file.
fn place(path: &Path) -> Option<PathBuf> {
    match path.canonicalize() {
        Ok(path) => path.is_file().then_some(path),
        Err(_) => Some(folder(path).canonicalize().ok()?.join(path.file_name()?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, Write};

    #[test]
    fn a_failure_leaves_the_older_file_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data");
        write_whole(&path, |mut file| file.write_all(b"old")).expect("written");
        write_whole(&path, |mut file| {
            file.write_all(b"new")?;
            Err(Error::other("the disk is full"))
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
            assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
            assert!(!full.metadata().expect("is there").is_file());
        }
    }
}
