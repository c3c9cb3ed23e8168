//! Files that are there whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::Result;
use std::path::Path;

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
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // What the umask leaves of it, as for any new file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let aside = builder.tempfile_in(folder)?;
    write(aside.as_file())?;
    aside.persist(&path)?;
    Ok(())
}

/// Whether a file could be written there, as far as that shows before there is anything to write: so that
/// nobody waits for results that then find no place.
///
/// # Errors
/// A folder instead of a file, or a folder that is not there.
pub fn check_place(path: &Path) -> crate::error::Result<()> {
    use crate::error::Error;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
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
