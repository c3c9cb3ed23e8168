//! Built programs on disk, and what was measured on a device. A cache that fails in any way is as good as none.

use crate::base::files;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::device::Gpu;
use super::select::DeviceInfo;
use super::settings::folder;
use super::turn;

/// What the environment says to compilers (Intel's `CL_CONFIG_...`, PoCL's `POCL_EXTRA_BUILD_FLAGS`): programs built otherwise are others.
fn settings() -> String {
    let mut settings: Vec<String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, _)| name.starts_with("CL_CONFIG_") || name == "POCL_EXTRA_BUILD_FLAGS")
        .map(|(name, value)| format!(" {name}={}", value.to_string_lossy()))
        .collect();
    settings.sort_unstable();
    settings.concat()
}

/// What stands for these words on this device with this driver: hexadecimal digits.
pub(super) fn key(info: &DeviceInfo, words: &[&str]) -> String {
    let mut key = Sha256::new();
    for part in words.iter().copied().chain([&*info.name, &info.version, &info.driver, &info.platform]) {
        // With its length, so that no two lists of parts run together to the same text.
        key.update((part.len() as u64).to_le_bytes());
        key.update(part);
    }
    format!("{:x}", key.finalize())
}

/// The place of one program in the cache.
pub(super) struct Cache {
    file: PathBuf,
}

impl Cache {
    /// The place of the program that `source` and `options` give on this device with this driver; `None`
    /// where there is no folder for it or the user wants none.
    pub(super) fn open(info: &DeviceInfo, source: &str, options: &str) -> Option<Self> {
        let (own, options) = (cache_folder()?, [options, &settings()].concat());
        // PoCL keeps kernels by the bitcode that is kept here, so both go and stay together.
        let folder = if info.is_pocl() { turn::folder(info)? } else { own };
        Some(Cache::new(&folder, info, source, &options))
    }

    /// The place of what was measured under this name on this device with this driver.
    fn of_measured(info: &DeviceInfo, name: &str) -> Option<Self> {
        Some(Cache::new(&cache_folder()?, info, name, "measured"))
    }

    fn new(folder: &Path, info: &DeviceInfo, source: &str, options: &str) -> Self {
        Cache { file: folder.join(format!("{}.bin", key(info, &[source, options]))) }
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

    /// Keeps the binary: written aside and renamed, so that nobody reads half of it. Whether that has worked.
    pub(super) fn store(&self, binary: &[u8]) -> bool {
        let written = self.file.parent().map_or(Ok(()), |folder| self.write(folder, binary));
        if let Err(err) = &written {
            log::debug!("cannot keep {}: {err}", self.file.display());
        }
        written.is_ok()
    }

    fn write(&self, folder: &Path, binary: &[u8]) -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        files::replace(&self.file, |mut aside| {
            aside.write_all(&Sha256::digest(binary))?;
            aside.write_all(binary)
        })
    }
}

/// The folder; `None` where there is no place for it or the user wants none.
pub fn cache_folder() -> Option<PathBuf> {
    if std::env::var("CLAMPS_CACHE").as_deref() == Ok("off") {
        return None;
    }
    match folder("CLAMPS_CACHE_DIR") {
        Some(folder) => Some(folder),
        None => Some(directories::ProjectDirs::from("", "", "clamps")?.cache_dir().join("programs")),
    }
}

/// Where PoCL keeps programs, by its own rules.
pub fn pocl_cache_folder() -> Option<PathBuf> {
    let at = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = || at("XDG_CACHE_HOME").or_else(|| Some(at("HOME")?.join(".cache")));
    at("POCL_CACHE_DIR").or_else(|| Some(cache()?.join("pocl/kcache")))
}

impl Gpu {
    /// What [`Gpu::keep`] kept under a name for this device with this driver.
    pub fn recall(&self, name: &str) -> Option<Vec<u8>> {
        Cache::of_measured(self.info(), name)?.load()
    }

    /// The file of a record of this name about this device with this driver, for people to read; `None` where there
    /// is no place for it or the user wants none.
    pub fn record_file(&self, name: &str) -> Option<PathBuf> {
        Some(Cache::new(&cache_folder()?, self.info(), name, "record").file.with_extension("json"))
    }

    /// Keeps what was measured on this device beside the compiled programs, where there is a place for it.
    pub fn keep(&self, name: &str, bytes: &[u8]) {
        if let Some(cache) = Cache::of_measured(self.info(), name) {
            cache.store(bytes);
        }
    }
}

#[allow(clippy::unwrap_used)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::devices;

    #[test]
    fn everything_that_changes_the_binary_changes_the_place() {
        let info = devices().unwrap().remove(0);
        let place =
            |info: &DeviceInfo, source, options| Cache::new(Path::new(""), info, source, options).file;
        let here = place(&info, "ab", "c");
        assert_eq!(place(&info, "ab", "c"), here);
        assert_ne!(place(&info, "a", "bc"), here);
        for change in [
            |info: &mut DeviceInfo| info.driver.push('1'),
            |info: &mut DeviceInfo| info.name.push('1'),
            |info: &mut DeviceInfo| info.version.push('1'),
            |info: &mut DeviceInfo| info.platform.push('1'),
        ] {
            let mut other = info.clone();
            change(&mut other);
            assert_ne!(place(&other, "ab", "c"), here);
        }
    }

    #[test]
    fn only_whole_files_are_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let info = devices().unwrap().remove(0);
        let cache = Cache::new(&folder.path().join("made/on/demand"), &info, "source", "");
        assert_eq!(cache.load(), None);
        cache.store(b"binary");
        assert_eq!(cache.load().as_deref(), Some(b"binary".as_slice()));
        let whole = fs::read(&cache.file).unwrap();
        for end in 0..whole.len() {
            fs::write(&cache.file, &whole[..end]).unwrap();
            assert_eq!(cache.load(), None, "cut after {end} bytes");
        }
        // Where a folder is in the way nothing is kept, and nothing fails.
        let blocked = Cache { file: cache.file.join("file") };
        blocked.store(b"binary");
        assert_eq!(blocked.load(), None);
    }
}
