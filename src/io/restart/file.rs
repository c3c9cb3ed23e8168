//! A restart file on disk: three lines of text that say what it is, then the contents in CBOR (RFC 8949).
//!
//! ```text
//! CLAMPS restart file, format 1
//! step 1000, 4000 atoms, units lj, written by CLAMPS 0.1.0
//! sha256 HEXADECIMAL of the BYTES bytes below
//! ```
//!
//! The format's number rises when older programs could not read a file, or would read it wrongly.

use super::contents::Contents;
use crate::base::error::{Error, Result};
use crate::base::files;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The format that is written, and the last one that is read.
const FORMAT: u32 = 2;
/// How every file begins.
const MAGIC: &str = "CLAMPS restart file, format ";
/// How those of LAMMPS begin.
const LAMMPS: &[u8] = b"LammpS RestartT";
/// Bytes that are written at once.
const BUFFER: usize = 1 << 16;

fn hash(bytes: &[u8]) -> String {
    hexadecimal(Sha256::new_with_prefix(bytes))
}

fn hexadecimal(sum: Sha256) -> String {
    sum.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Takes the checksum and the length of what is written to it, and keeps nothing.
#[derive(Default)]
struct Summed {
    sum: Sha256,
    length: usize,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sum.update(bytes);
        self.length += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn encode(contents: &Contents<'_>, to: impl Write) -> io::Result<()> {
    ciborium::into_writer(contents, to).map_err(|err| match err {
        ciborium::ser::Error::Io(err) => err,
        other => io::Error::other(other.to_string()),
    })
}

/// Writes a file beside its place, waits until the disk has it and moves it there.
///
/// # Errors
/// When it cannot be written; an older one of the name stays then.
pub(crate) fn write(path: &Path, contents: &Contents<'_>) -> Result<()> {
    // The head comes first and has the checksum. To encode twice takes less than memory for all of it.
    let mut body = Summed::default();
    encode(contents, &mut body).map_err(|err| Error::io("write", path, &err))?;
    let head = format!(
        "{MAGIC}{FORMAT}\n{}, written by CLAMPS {}\nsha256 {} of the {} bytes below\n",
        contents.summary(),
        env!("CARGO_PKG_VERSION"),
        hexadecimal(body.sum),
        body.length
    );
    files::write_whole(path, |file| {
        let mut buffered = BufWriter::with_capacity(BUFFER, file);
        buffered.write_all(head.as_bytes())?;
        encode(contents, &mut buffered)?;
        buffered.flush()?;
        // A device or a pipe has nothing to wait for.
        if file.metadata()?.is_file() { file.sync_all() } else { Ok(()) }
    })
}

/// Reads a file.
///
/// # Errors
/// When it cannot be read, is no restart file or one of another format, or is truncated or damaged.
pub(crate) fn read(path: &Path) -> Result<Contents<'static>> {
    let bytes = files::read_plain(path, "the restart file that was read")?;
    let wrong = |what: String| Error::new(format!("{} {what}", path.display()));
    if bytes.starts_with(LAMMPS) {
        let help = "carry a system over with LAMMPS's write_data and read_data";
        return Err(wrong("is a restart file of LAMMPS, which only LAMMPS reads".into()).help(help));
    }
    let mut lines = bytes.splitn(4, |&byte| byte == b'\n');
    let mut line = || lines.next().and_then(|line| std::str::from_utf8(line).ok());
    let format = line().and_then(|line| line.strip_prefix(MAGIC));
    let Some(format) = format.and_then(|format| format.parse::<u32>().ok()) else {
        return Err(wrong("is not a restart file of CLAMPS".into()));
    };
    if format != FORMAT {
        return Err(wrong(format!("has format {format}, and this version reads format {FORMAT}"))
            .help("read it with the version of CLAMPS that its second line names"));
    }
    let (_, sum) = (line(), line());
    let sum = sum.and_then(|line| {
        let mut words = line.split(' ');
        let hash = words.nth(1)?;
        Some((hash, words.nth(2)?.parse::<usize>().ok()?))
    });
    let Some((sum, length)) = sum else { return Err(wrong("is truncated: its head ends early".into())) };
    let body = lines.next().unwrap_or_default();
    if body.len() < length {
        return Err(wrong(format!("is truncated: {} of {length} bytes are there", body.len()))
            .help("an earlier restart file of the run may be whole"));
    }
    if body.len() > length || hash(body) != sum {
        return Err(wrong("is damaged: its checksum does not fit".into())
            .help("an earlier restart file of the run may be whole"));
    }
    ciborium::from_reader(body).map_err(|err| wrong(format!("cannot be understood: {err}")))
}
