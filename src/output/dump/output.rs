//! The files of a dump: one for all frames, or one per frame.

use crate::base::error::{Error, Result};
use crate::base::files;
use crate::script::{Args, Word};
use rayon::prelude::*;
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Endings that mean formats and compressions of LAMMPS that are not here.
const OTHER_ENDINGS: [&str; 6] = [".bin", ".bz2", ".xz", ".lz4", ".lzma", ".lammpsbin"];

/// Where frames go.
pub(crate) struct Output {
    /// As in the script; a `*` in it stands for the step.
    name: String,
    /// `maxfiles`, and the files of the last frames.
    most: Option<usize>,
    written: VecDeque<PathBuf>,
    /// The least number of digits of that step.
    pub(crate) pad: usize,
    append: bool,
    /// The file of all frames, once open.
    file: Option<File>,
}

impl Output {
    /// Takes a file name.
    ///
    /// # Errors
    /// When it asks for something that is not supported.
    pub(crate) fn new(args: &mut Args<'_>) -> Result<Self> {
        let word = args.word("a file name")?;
        // The number of the processor, of which there is one.
        let name = word.text.replace('%', "0");
        if OTHER_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            return Err(args.unsupported(word, "format of").help("plain text, .gz and .zst are supported"));
        }
        Ok(Output { name, most: None, written: VecDeque::new(), pad: 0, append: false, file: None })
    }

    /// Takes the word after `append`; `word` is `append` itself.
    ///
    /// # Errors
    /// When frames have been written, or there is a file per frame.
    pub(crate) fn set_append(&mut self, args: &mut Args<'_>, word: &Word) -> Result<()> {
        self.append = args.yes_no()?;
        match () {
            () if self.append && self.file_per_frame() => {
                Err(args.error(word, "a dump with a file per frame cannot append"))
            }
            () if self.append && self.file.is_some() => {
                Err(args.error(word, "the dump has been opened already; set append before the run"))
            }
            () => Ok(()),
        }
    }

    /// Takes the number after `maxfiles`; `word` is `maxfiles` itself.
    ///
    /// # Errors
    /// When it is none, or there is one file for all frames.
    pub(crate) fn set_most(&mut self, args: &mut Args<'_>, word: &Word) -> Result<()> {
        let number = args.peek();
        let most: i64 = args.int("a number of files, or -1 for any")?;
        if !self.file_per_frame() {
            return Err(args.error(word, "needs a '*' in the file's name: one file per frame"));
        }
        if let Some(number) = number.filter(|_| most == 0 || most < -1) {
            return Err(args.error(number, "the number of files must be 1 or more, or -1 for any"));
        }
        self.most = usize::try_from(most).ok();
        Ok(())
    }

    /// Whether there is one file, neither compressed nor begun before.
    pub(super) fn is_plain(&self) -> bool {
        !self.file_per_frame() && !self.append && Compression::of(&self.name) == Compression::None
    }

    pub(super) fn file_per_frame(&self) -> bool {
        self.name.contains('*')
    }

    /// Opens the file of all frames, if that is what there is and it is not open yet.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(super) fn open(&mut self) -> Result<()> {
        if !self.file_per_frame() && self.file.is_none() {
            let path = Path::new(&self.name);
            let fail = |err| Error::io("open", path, &err);
            if !self.append {
                File::create(path).map_err(fail)?;
            }
            // Appending always, so that a truncated frame leaves no hole behind.
            self.file = Some(OpenOptions::new().append(true).create(true).open(path).map_err(fail)?);
        }
        Ok(())
    }

    /// Writes a frame and returns its file. One that fails is taken back: frames before it stay, and nothing after them.
    ///
    /// # Errors
    /// When the file cannot be opened or written.
    pub(super) fn frame(
        &mut self,
        step: i64,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<PathBuf> {
        self.open()?;
        let compression = Compression::of(&self.name);
        let Some(file) = &mut self.file else {
            let pad = self.pad;
            let path = PathBuf::from(self.name.replace('*', &format!("{step:0pad$}")));
            files::write_whole(&path, |file| fill(file, compression, write)).map_err(|err| {
                Error::io("write", &path, &err).help("the frames before this one are complete")
            })?;
            self.written.push_back(path.clone());
            if self.most.is_some_and(|most| self.written.len() > most)
                && let Some(oldest) = self.written.pop_front()
            {
                // Somebody else may have removed it.
                let _ = std::fs::remove_file(oldest);
            }
            return Ok(path);
        };
        let whole = file.metadata().map(|data| if data.is_file() { Some(data.len()) } else { None });
        fill(file, compression, write).map_err(|err| {
            if let Ok(Some(length)) = whole {
                // The failure to report is the first one.
                let _ = file.set_len(length);
            }
            Error::io("write", Path::new(&self.name), &err).help("the frames before this one are complete")
        })?;
        Ok(PathBuf::from(&self.name))
    }
}

/// How a file is compressed, by the end of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Compression {
    fn of(name: &str) -> Self {
        match name {
            _ if name.ends_with(".gz") => Compression::Gzip,
            _ if name.ends_with(".zst") => Compression::Zstd,
            _ => Compression::None,
        }
    }
}

impl Compression {
    /// A gzip member or zstd frame.
    fn whole(self, text: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Compression::None => Ok(text.to_vec()),
            Compression::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(text).and_then(|()| encoder.finish())
            }
            Compression::Zstd => zstd::encode_all(text, zstd::DEFAULT_COMPRESSION_LEVEL),
        }
    }
}

/// Compresses in pieces, several at a time, which are gzip members or zstd frames of their own.
struct Pieces<W> {
    compression: Compression,
    text: Vec<u8>,
    out: W,
}

/// The length of a piece: eight of the windows that gzip looks back in.
const PIECE: usize = 1 << 18;
/// So much is compressed at a time.
const AT_ONCE: usize = 256 * PIECE;

impl<W: Write> Pieces<W> {
    /// Compresses what there is.
    fn empty(&mut self) -> std::io::Result<()> {
        let whole = |piece: &[u8]| self.compression.whole(piece);
        let pieces: Vec<_> = self.text.par_chunks(PIECE).map(whole).collect();
        self.text.clear();
        pieces.into_iter().try_for_each(|piece| self.out.write_all(&piece?))
    }
}

impl<W: Write> Write for Pieces<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let taken = bytes.len().min(AT_ONCE - self.text.len());
        self.text.extend_from_slice(&bytes[..taken]);
        if self.text.len() == AT_ONCE {
            self.empty()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes through a buffer; compressed frames are gzip members or zstd frames of their own, so that each is complete.
fn fill(
    file: &File,
    compression: Compression,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut buffer = BufWriter::with_capacity(1 << 17, file);
    let result = match compression {
        Compression::None => write(&mut buffer),
        _ => {
            let mut pieces = Pieces { compression, text: Vec::new(), out: &mut buffer };
            write(&mut pieces).and_then(|()| pieces.empty())
        }
    };
    let result = result.and_then(|()| buffer.flush());
    // Otherwise dropping the buffer would write the rest of a failed frame.
    let _ = buffer.into_parts();
    result
}
