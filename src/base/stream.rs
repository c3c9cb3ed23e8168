//! Text on its way into a file: plain, or compressed as one stream.
//!
//! A gzip file is one member and a zstd file one frame, however many pieces it is written in (frames of a dump, lines of a log): many readers stop at the end of the
//! first. Whatever has been written can be read at once, as each frame ends with a flush; only the few bytes at the end of
//! the stream are missing until the file is closed. Sources: RFC 1951 and 1952 (deflate, gzip), RFC 8878 (zstd).

use flate2::{Compress, Compression, Crc, FlushCompress};
use rayon::prelude::*;
use std::fs::File;
use std::io::{BufWriter, Error, Result, Write};

/// How a file is compressed, by the end of its name.
pub enum Stream {
    /// It is not.
    Plain,
    /// `.gz`.
    Gzip(Gzip),
    /// `.zst`.
    Zstd(Zstd),
}

/// Of the text so far; nothing before the header is written.
#[derive(Default)]
pub struct Gzip {
    sum: Option<Crc>,
}

/// The encoder, once the frame has begun. It is gone when a frame of the dump could not be written.
#[derive(Default)]
pub struct Zstd {
    encoder: Option<zstd::Encoder<'static, Vec<u8>>>,
    begun: bool,
}

/// The length of a piece of text that is deflated by itself: eight of the windows that gzip looks back in.
const PIECE: usize = 1 << 18;
/// So much is compressed at a time.
const AT_ONCE: usize = 256 * PIECE;
/// Of a gzip member: deflate, no name, no time, no extra flags, Unix.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
/// What a zstd frame begins with.
const MAGIC_OF_ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// An empty last block of deflate, and of zstd.
const LAST: [u8; 2] = [3, 0];
const LAST_OF_ZSTD: [u8; 3] = [1, 0, 0];

impl Stream {
    /// For a file of this name.
    pub fn of(name: &str) -> Self {
        match name {
            _ if name.ends_with(".gz") => Stream::Gzip(Gzip::default()),
            _ if name.ends_with(".zst") => Stream::Zstd(Zstd::default()),
            _ => Stream::Plain,
        }
    }

    /// Whether a file that begins with these bytes can go on with such a stream.
    pub fn goes_on_behind(&self, begin: &[u8]) -> bool {
        match self {
            Stream::Plain => true,
            Stream::Gzip(_) => begin.starts_with(&HEADER[..2]),
            // There are frames that readers pass over, too.
            Stream::Zstd(_) => {
                begin.starts_with(&MAGIC_OF_ZSTD) || matches!(begin, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
            }
        }
    }

    /// Whether text goes into the file as it is.
    pub fn is_plain(&self) -> bool {
        matches!(self, Stream::Plain)
    }

    /// Writes what `write` makes, all the way to the system. Where that fails, the file may end with a part of it, and the
    /// stream goes on as if it had not been tried.
    ///
    /// # Errors
    /// When it cannot be written, and those of `write`.
    pub fn frame(&mut self, file: &File, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        if let Stream::Plain = self {
            let mut buffer = BufWriter::with_capacity(1 << 17, file);
            let result = write(&mut buffer).and_then(|()| buffer.flush());
            // Otherwise dropping the buffer would write the rest of a failed frame.
            let _ = buffer.into_parts();
            return result;
        }
        let before = match self {
            Stream::Gzip(gzip) => gzip.sum.as_ref().map(copy),
            _ => None,
        };
        let mut pieces = Pieces { stream: self, text: Vec::new(), out: file };
        let result = write(&mut pieces).and_then(|()| pieces.empty());
        if result.is_err() {
            match self {
                Stream::Plain => {}
                Stream::Gzip(gzip) => gzip.sum = before,
                Stream::Zstd(zstd) => zstd.encoder = None,
            }
        }
        result
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn end(&mut self, mut file: &File) -> Result<()> {
        match self {
            Stream::Plain => Ok(()),
            Stream::Gzip(gzip) => {
                let begun = gzip.sum.is_some();
                let sum = gzip.sum.take().unwrap_or_default();
                let head: &[u8] = if begun { &[] } else { &HEADER };
                file.write_all(&[head, &LAST, &sum.sum().to_le_bytes(), &sum.amount().to_le_bytes()].concat())
            }
            Stream::Zstd(zstd) => {
                if !std::mem::replace(&mut zstd.begun, true) {
                    return file.write_all(&zstd::encode_all(&[][..], zstd::DEFAULT_COMPRESSION_LEVEL)?);
                }
                zstd.encoder = None;
                file.write_all(&LAST_OF_ZSTD)
            }
        }
    }

    /// Text as the next bytes of the file.
    fn compress(&mut self, text: &[u8]) -> Result<Vec<u8>> {
        match self {
            Stream::Plain => Ok(text.to_vec()),
            Stream::Gzip(gzip) => {
                let mut bytes = if gzip.sum.is_some() { Vec::new() } else { HEADER.to_vec() };
                let sum = gzip.sum.get_or_insert_default();
                let pieces: Vec<_> = text.par_chunks(PIECE).map(deflate).collect();
                for piece in pieces {
                    let (deflated, of_piece) = piece?;
                    sum.combine(&of_piece);
                    bytes.extend(deflated);
                }
                Ok(bytes)
            }
            Stream::Zstd(zstd) => {
                if !std::mem::replace(&mut zstd.begun, true) {
                    let encoder = zstd::Encoder::new(Vec::new(), zstd::DEFAULT_COMPRESSION_LEVEL)?;
                    zstd.encoder = Some(encoder);
                }
                let Some(encoder) = &mut zstd.encoder else {
                    return Err(Error::other("the stream has been given up after a failure"));
                };
                encoder.write_all(text)?;
                encoder.flush()?;
                Ok(std::mem::take(encoder.get_mut()))
            }
        }
    }
}

/// A piece of text as blocks of deflate that end at a whole byte, so that others may follow; and its check sum.
fn deflate(text: &[u8]) -> Result<(Vec<u8>, Crc)> {
    let mut sum = Crc::new();
    sum.update(text);
    let mut deflate = Compress::new(Compression::default(), false);
    let mut bytes = Vec::with_capacity(text.len() / 2 + 64);
    loop {
        let read = deflate.total_in() as usize;
        deflate.compress_vec(&text[read..], &mut bytes, FlushCompress::Sync).map_err(Error::other)?;
        // There was room for all that the flush had to write.
        if deflate.total_in() as usize == text.len() && bytes.len() < bytes.capacity() {
            return Ok((bytes, sum));
        }
        bytes.reserve(bytes.capacity());
    }
}

fn copy(sum: &Crc) -> Crc {
    let mut copy = Crc::new();
    copy.combine(sum);
    copy
}

/// Compresses what is written to it, much at a time.
struct Pieces<'a> {
    stream: &'a mut Stream,
    text: Vec<u8>,
    out: &'a File,
}

impl Pieces<'_> {
    /// Compresses what there is.
    fn empty(&mut self) -> Result<()> {
        let bytes = self.stream.compress(&self.text)?;
        self.text.clear();
        self.out.write_all(&bytes)
    }
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let taken = bytes.len().min(AT_ONCE - self.text.len());
        self.text.extend_from_slice(&bytes[..taken]);
        if self.text.len() == AT_ONCE {
            self.empty()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    /// What a file holds after these frames, of which those that begin with `!` fail; and before its end is written.
    fn written(name: &str, frames: &[String]) -> [Vec<u8>; 2] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        let file = std::fs::OpenOptions::new().append(true).create(true).open(&path).expect("opened");
        let mut stream = Stream::of(name);
        for frame in frames {
            let whole = file.metadata().expect("is there").len();
            let result = stream.frame(&file, |out| {
                out.write_all(frame.as_bytes())?;
                if frame.starts_with('!') { Err(Error::other("fails")) } else { Ok(()) }
            });
            if result.is_err() {
                file.set_len(whole).expect("cut");
            }
        }
        let open = std::fs::read(&path).expect("read");
        stream.end(&file).expect("ended");
        [open, std::fs::read(&path).expect("read")]
    }

    fn frames() -> Vec<String> {
        // The second is longer than a piece.
        let long: String = (0..60_000).map(|n| format!("{} ", n * n)).collect();
        vec!["first\n".into(), long, "third\n".into()]
    }

    #[test]
    fn one_gzip_member_holds_all_frames() {
        let frames = frames();
        let [_, bytes] = written("x.gz", &frames);
        let (mut text, mut member) = (String::new(), flate2::bufread::GzDecoder::new(&bytes[..]));
        member.read_to_string(&mut text).expect("whole");
        assert!(text == frames.concat());
        assert!(member.into_inner().is_empty(), "nothing behind the first member");
    }

    #[test]
    fn one_zstd_frame_holds_all_frames() {
        let frames = frames();
        let [_, bytes] = written("x.zst", &frames);
        let mut text = String::new();
        let mut frame = zstd::Decoder::with_buffer(&bytes[..]).expect("a frame").single_frame();
        frame.read_to_string(&mut text).expect("whole");
        assert!(text == frames.concat());
        assert!(frame.finish().is_empty(), "nothing behind the first frame");
    }

    #[test]
    fn what_a_killed_run_leaves_can_be_read() {
        let frames = frames();
        for name in ["x.gz", "x.zst"] {
            let [bytes, _] = written(name, &frames);
            let mut text = Vec::new();
            let error = match name {
                "x.gz" => flate2::bufread::GzDecoder::new(&bytes[..]).read_to_end(&mut text).err(),
                _ => zstd::Decoder::with_buffer(&bytes[..]).expect("a frame").read_to_end(&mut text).err(),
            };
            assert!(text == frames.concat().as_bytes(), "{name}");
            assert_eq!(
                error.expect("the end is missing").kind(),
                std::io::ErrorKind::UnexpectedEof,
                "{name}"
            );
        }
    }

    #[test]
    fn a_frame_that_fails_leaves_the_others_whole() {
        for name in ["x.gz", "x.zst"] {
            let [_, bytes] = written(name, &["first\n".into(), "!second\n".into()]);
            let mut text = String::new();
            match name {
                "x.gz" => flate2::bufread::GzDecoder::new(&bytes[..]).read_to_string(&mut text),
                _ => zstd::Decoder::with_buffer(&bytes[..]).expect("a frame").read_to_string(&mut text),
            }
            .expect("whole");
            assert_eq!(text, "first\n", "{name}");
        }
        // None at all: an empty text.
        let [_, bytes] = written("x.gz", &[]);
        let mut text = String::new();
        flate2::bufread::GzDecoder::new(&bytes[..]).read_to_string(&mut text).expect("whole");
        assert_eq!(text, "");
    }
}
