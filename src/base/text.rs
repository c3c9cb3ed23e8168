//! The door through which every text file comes in: scripts, data, dumps, molecules, tables, variables, surfaces, potentials.
//!
//! What other programs leave in a file is put right here: a byte order mark, line ends of Windows, typographic quotes, blanks and
//! minus signs, compression (`.gz`, `.zst`). Bytes that are no UTF-8 may stand in remarks.

use crate::base::error::{Error, Result, Source};
use crate::base::ledger::{self, Reading};
use crate::base::ranks;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

/// The byte order mark that some editors write before UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";
/// Those of the other encodings of Unicode.
const UTF16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];
/// How compressed files begin, and what their names should end in.
const COMPRESSED: [(&[u8], &str); 2] = [(b"\x1f\x8b", ".gz"), (b"\x28\xb5\x2f\xfd", ".zst")];
/// Endings of compressions that are not read.
const OTHER_ENDINGS: [&str; 5] = [".bz2", ".xz", ".lz4", ".lzma", ".zip"];

/// A text that is being read, line by line.
pub struct Text {
    input: Box<dyn BufRead>,
    name: Arc<str>,
    /// Lines so far.
    number: usize,
    bytes: Vec<u8>,
    /// The next line is a remark as a whole.
    remark: bool,
    /// The end of a compressed file may be missing.
    may_be_cut: bool,
    /// While it is read, nothing may write over it.
    _reading: Option<Reading>,
}

impl Text {
    /// Opens a file; `what` says what it is to the user: `the data file that was read`.
    ///
    /// # Errors
    /// When it cannot be opened, or does not hold text as far as its beginning shows.
    pub fn open(path: &Path, what: &'static str) -> Result<Self> {
        Text::open_to("open", path, what)
    }

    /// Errors say that this could not be done: `open`, `read`.
    fn open_to(doing: &str, path: &Path, what: &'static str) -> Result<Self> {
        ranks::barrier(); // the first rank may have written it
        let file = File::open(path).map_err(|err| Error::io(doing, path, &err))?;
        let reading = ledger::reads(path, &file, what);
        let mut text = Text::new(uncompressed(path, file)?, &path.to_string_lossy());
        text._reading = reading;
        text.check_beginning(path)?;
        Ok(text)
    }

    /// The text in bytes that are there already, of the file of this name.
    pub fn of(bytes: Vec<u8>, name: &str) -> Self {
        Text::new(Box::new(Cursor::new(bytes)), name)
    }

    fn new(input: Box<dyn BufRead>, name: &str) -> Self {
        let (bytes, name) = (Vec::new(), name.into());
        Text { input, name, number: 0, bytes, remark: false, may_be_cut: false, _reading: None }
    }

    /// Refuses what is no text in a way that has a remedy of its own.
    fn check_beginning(&mut self, path: &Path) -> Result<()> {
        let start = self.input.fill_buf().map_err(|err| Error::io("read", path, &err))?;
        let wrong = |what: &str, help: String| {
            Err(Error::new(format!("cannot read {}: it is {what}", path.display())).help(help))
        };
        if UTF16.iter().any(|mark| start.starts_with(mark)) {
            return wrong("text in UTF-16", "save it as UTF-8".to_owned());
        }
        match COMPRESSED.iter().find(|(magic, _)| start.starts_with(magic)) {
            Some((_, ending)) => {
                wrong("compressed, and its name does not say so", format!("end its name in {ending}"))
            }
            None => Ok(()),
        }
    }

    /// The name of the file.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The number of the last line that was read, from 1.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The end of a compressed file may be missing, as where the run that wrote it is not over or has been killed.
    pub fn may_be_cut(&mut self) {
        self.may_be_cut = true;
    }

    /// The next line is a title: a remark as a whole.
    pub fn expect_title(&mut self) {
        self.remark = true;
    }

    /// Puts the next line into `line`, without its end; false at the end of the file, where the number counts on once.
    ///
    /// # Errors
    /// When the file cannot be read, or has bytes outside remarks that are no UTF-8.
    pub fn line(&mut self, line: &mut String) -> Result<bool> {
        line.clear();
        self.bytes.clear();
        self.number += 1;
        let count = match self.input.read_until(b'\n', &mut self.bytes) {
            Ok(count) => count,
            Err(err) if self.may_be_cut && err.kind() == ErrorKind::UnexpectedEof => {
                let Text { name, .. } = self;
                let warning = format!("WARNING: {name} is cut off: what there is of it is read");
                ledger::warn_once(&format!("cut: {name}"), warning);
                self.bytes.len()
            }
            Err(err) => {
                let source = Source { file: self.name.clone(), line: self.number, text: "".into() };
                return Err(Error::io("read", Path::new(&*self.name), &err).at(&source, 0..0));
            }
        };
        let mut bytes = &self.bytes[..];
        if self.number == 1 && count > 1 && !bytes.contains(&b'\n') && bytes[..count - 1].contains(&b'\r') {
            let error =
                Error::new(format!("{} has the line ends of old Macs: all of it is one line", self.name));
            return Err(error.help("give it line ends of today: tr '\\r' '\\n' < OLD > NEW"));
        }
        for end in [b'\n', b'\r'] {
            bytes = bytes.strip_suffix(&[end]).unwrap_or(bytes);
        }
        if let (1, Some(rest)) = (self.number, bytes.strip_prefix(MARK)) {
            bytes = rest;
            self.warn();
        }
        let title = std::mem::take(&mut self.remark);
        match std::str::from_utf8(bytes) {
            Ok(text) if text.is_ascii() => line.push_str(text),
            Ok(text) => self.replace_stand_ins(text, title, line),
            Err(err) => self.remark_in_latin1(bytes, err.valid_up_to(), title, line)?,
        }
        // Behind a `&` the remark of a script goes on.
        self.remark = (title || line.contains('#')) && line.trim_end().ends_with('&');
        Ok(count > 0)
    }

    /// Adds text to a line, with ASCII's characters for those that stand for them; tells of those that count.
    fn replace_stand_ins(&self, text: &str, title: bool, line: &mut String) {
        let replaced = text.char_indices().map(|(at, c)| (at, c, stand_in(c)));
        line.extend(replaced.clone().map(|(_, c, new)| new.unwrap_or(c)));
        let remark = if title { 0 } else { text.find('#').unwrap_or(text.len()) };
        if replaced.take_while(|(at, ..)| *at < remark).any(|(_, _, new)| new.is_some()) {
            self.warn();
        }
    }

    /// Tells once for a file that it has characters which stand for others.
    fn warn(&self) {
        let Text { name, number, .. } = self;
        let what = "has characters that are not ASCII's where those are meant";
        let done = "quotes, blanks and minus signs are taken as such, a byte order mark is left out";
        ledger::warn_once(name, format!("WARNING: {name} {what} (line {number}): {done}"));
    }

    /// Takes a line whose bytes are no UTF-8 as Latin-1, if all of those are in a remark.
    fn remark_in_latin1(&self, bytes: &[u8], wrong: usize, title: bool, line: &mut String) -> Result<()> {
        let remark = if title { Some(0) } else { bytes.iter().position(|&byte| byte == b'#') };
        if remark.is_some_and(|start| start <= wrong) {
            // What comes before may have stand-ins of its own.
            let (before, rest) = bytes.split_at(wrong);
            self.replace_stand_ins(&String::from_utf8_lossy(before), title, line);
            line.extend(rest.iter().map(|&byte| char::from(byte)));
            return Ok(());
        }
        let before = String::from_utf8_lossy(&bytes[..wrong]);
        let rest: String = bytes[wrong..].iter().map(|&byte| char::from(byte)).collect();
        let end = before.len() + rest.chars().next().map_or(0, char::len_utf8);
        let source = Source {
            file: self.name.clone(),
            line: self.number,
            text: format!("{before}{rest}").trim_end().into(),
        };
        Err(Error::new(format!("byte {:#04x} is no text in UTF-8", bytes[wrong]))
            .at(&source, before.len()..end)
            .help("save the file as UTF-8; only remarks may have other bytes"))
    }

    /// The rest of the text, its lines ended by newlines.
    ///
    /// # Errors
    /// As [`Text::line`].
    pub fn rest(mut self) -> Result<String> {
        let (mut text, mut line) = (String::new(), String::new());
        while self.line(&mut line)? {
            text.push_str(&line);
            text.push('\n');
        }
        Ok(text)
    }
}

/// All of a text file.
///
/// # Errors
/// As [`Text::open`] and [`Text::line`].
pub fn read(path: &Path, what: &'static str) -> Result<String> {
    Text::open_to("read", path, what)?.rest()
}

/// The bytes of a file that may be text or not, uncompressed where its name says that it is compressed.
///
/// # Errors
/// When it cannot be read.
pub fn read_bytes(path: &Path, what: &'static str) -> Result<Vec<u8>> {
    let fail = |err| Error::io("read", path, &err);
    let file = File::open(path).map_err(fail)?;
    ledger::reads(path, &file, what);
    let mut bytes = Vec::new();
    uncompressed(path, file)?.read_to_end(&mut bytes).map_err(fail)?;
    Ok(bytes)
}

/// The text of a file that an output goes on with; empty where there is none that can be read.
pub fn kept(path: &Path) -> String {
    let mut text = String::new();
    let file = File::open(path).ok().and_then(|file| uncompressed(path, file).ok());
    match file.map(|mut file| file.read_to_string(&mut text)) {
        Some(Ok(_)) => text,
        _ => String::new(),
    }
}

/// The bytes of a file, uncompressed where its name says that it is compressed and it is: LAMMPS's `write_data x.gz` writes plain text.
fn uncompressed(path: &Path, file: File) -> Result<Box<dyn BufRead>> {
    let name = path.to_string_lossy();
    let fail = |err| Error::io("read", path, &err);
    if OTHER_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        let message = format!("cannot read {name}: this kind of compression is not supported");
        return Err(Error::new(message).help("plain files, .gz and .zst can be read"));
    }
    let mut plain = BufReader::with_capacity(1 << 20, file);
    if !COMPRESSED.iter().any(|(_, ending)| name.ends_with(ending)) {
        return Ok(Box::new(plain));
    }
    let start = plain.fill_buf().map_err(fail)?;
    let found = COMPRESSED.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, ending)| *ending);
    Ok(match found {
        Some(".gz") => Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(plain))),
        Some(_) => Box::new(BufReader::new(zstd::Decoder::with_buffer(plain).map_err(fail)?)),
        None => Box::new(plain),
    })
}

/// What a character stands for: those that LAMMPS takes for ASCII's (LAMMPS manual, Howto "UTF-8"), and one more blank.
fn stand_in(c: char) -> Option<char> {
    Some(match c {
        '\u{a0}'
        | '\u{2000}'..='\u{200b}'
        | '\u{202f}'
        | '\u{205f}'
        | '\u{2060}'
        | '\u{2063}'
        | '\u{feff}' => ' ',
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2212}' | '\u{2d7}' => '-',
        '\u{2064}' | '\u{2d6}' => '+',
        _ => return None,
    })
}
