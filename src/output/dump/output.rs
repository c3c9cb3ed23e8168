//! The files of a dump: one for all frames, or one per frame.

use crate::base::error::{Error, Result};
use crate::base::files;
use crate::base::ledger::Claim;
use crate::base::ranks;
use crate::base::stream::Stream;
use crate::script::{Args, Word};
use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
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
    /// The place of the file of all frames is taken.
    claim: Option<Claim>,
    /// The file of all frames, once open, and how text goes there.
    file: Option<File>,
    stream: Stream,
}

impl Output {
    /// Takes a file name, for the dump of this ID.
    ///
    /// # Errors
    /// When it asks for something that is not supported, or cannot be written there.
    pub(crate) fn new(args: &mut Args<'_>, id: &str) -> Result<Self> {
        let word = args.word("a file name")?;
        // The number of the processor, of which there is one.
        let name = word.text.replace('%', "0");
        if OTHER_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            return Err(args.unsupported(word, "format of").help("plain text, .gz and .zst are supported"));
        }
        let claim = match name.split_once('*') {
            // Any step may stand there: what is asked for is the folder.
            Some(_) => files::check_place(Path::new(&name.replace('*', "0"))).map(|()| None),
            None => files::claim(Path::new(&name), format!("the file of dump {id}")).map(Some),
        };
        let claim = claim.map_err(|error| args.place(word, error))?;
        let (written, stream) = (VecDeque::new(), Stream::of(&name));
        Ok(Output { name, most: None, written, pad: 0, append: false, claim, file: None, stream })
    }

    /// Takes the word after `append`; `word` is `append` itself.
    ///
    /// A file that is open goes on as it is.
    ///
    /// # Errors
    /// When there is a file per frame.
    pub(crate) fn set_append(&mut self, args: &mut Args<'_>, word: &Word) -> Result<()> {
        let append = args.yes_no()?;
        if append && self.file_per_frame() {
            return Err(args.error(word, "a dump with a file per frame cannot append"));
        }
        if self.file.is_none() {
            self.append = append;
        }
        Ok(())
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
        !self.file_per_frame() && !self.append && self.stream.is_plain()
    }

    /// The name of the file, as in the script.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn file_per_frame(&self) -> bool {
        self.name.contains('*')
    }

    /// Opens the file of all frames, if that is what there is and it is not open yet.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(super) fn open(&mut self) -> Result<()> {
        if !self.file_per_frame() && self.file.is_none() {
            // Appending always, so that a truncated frame leaves no hole behind.
            self.file = Some(files::grow(Path::new(&self.name), self.append, self.claim.as_ref())?);
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
        let Some(file) = &mut self.file else {
            let pad = self.pad;
            let path = PathBuf::from(self.name.replace('*', &format!("{step:0pad$}")));
            let mut stream = Stream::of(&self.name);
            let whole = |file: &File| stream.frame(file, write).and_then(|()| stream.end(file));
            files::write_whole(&path, whole)
                .map_err(|error| error.help("the frames before this one are complete"))?;
            self.written.push_back(path.clone());
            if self.most.is_some_and(|most| self.written.len() > most)
                && let Some(oldest) = self.written.pop_front()
            {
                // Somebody else may have removed it.
                let _ = ranks::is_first().then(|| std::fs::remove_file(oldest));
            }
            return Ok(path);
        };
        let whole = file.metadata().map(|data| if data.is_file() { Some(data.len()) } else { None });
        self.stream.frame(file, write).map_err(|err| {
            if let Ok(Some(length)) = whole {
                // The failure to report is the first one.
                let _ = file.set_len(length);
            }
            Error::io("write", Path::new(&self.name), &err).help("the frames before this one are complete")
        })?;
        Ok(PathBuf::from(&self.name))
    }
}

impl Drop for Output {
    /// Ends a compressed stream.
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // All frames are there, and can be read without its end.
            let _ = self.stream.end(file);
        }
    }
}
