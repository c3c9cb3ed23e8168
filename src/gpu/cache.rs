//! Built programs on disk. A cache that fails in any way is as good as none.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::select::DeviceInfo;

/// The place of one program in the cache.
pub(super) struct Cache {
    file: PathBuf,
}

impl Cache {
    /// The place of the program that `source` and `options` give on this device with this driver; `None`
    /// where there is no folder for it or the user wants none.
    pub(super) fn open(info: &DeviceInfo, source: &str, options: &str) -> Option<Self> {
        if std::env::var("CLAMPS_CACHE").is_ok_and(|value| value == "off") {
            return None;
        }
        let folder = match std::env::var_os("CLAMPS_CACHE_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => directories::ProjectDirs::from("", "", "clamps")?.cache_dir().join("programs"),
        };
        let mut key = Sha256::new();
        for part in [source, options, &info.name, &info.version, &info.driver, &info.platform] {
            key.update((part.len() as u64).to_le_bytes());
            key.update(part);
        }
        Some(Cache { file: folder.join(format!("{:x}.bin", key.finalize())) })
    }

    /// The binary, if there is one and it is whole.
    pub(super) fn load(&self) -> Option<Vec<u8>> {
        let bytes = fs::read(&self.file).ok()?;
        // Runtimes may crash on a damaged binary, so the check is made before they see it.
        let (digest, binary) = bytes.split_at_checked(32)?;
        if Sha256::digest(binary).as_slice() != digest {
            log::debug!("{} is damaged", self.file.display());
            return None;
        }
        Some(binary.to_vec())
    }

    /// Keeps the binary: written aside and renamed, so that nobody reads half of it.
    pub(super) fn store(&self, binary: &[u8]) {
        if let Err(err) = self.file.parent().map_or(Ok(()), |folder| self.write(folder, binary)) {
            log::debug!("cannot keep {}: {err}", self.file.display());
        }
    }

    fn write(&self, folder: &Path, binary: &[u8]) -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut aside = tempfile::NamedTempFile::new_in(folder)?;
        aside.write_all(&Sha256::digest(binary))?;
        aside.write_all(binary)?;
        aside.persist(&self.file)?;
        Ok(())
    }
}
