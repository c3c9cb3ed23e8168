//! The file that averages are written to: titles, then a block of lines for each average.

use crate::error::{Error, Result};
use crate::files;
use crate::format::Spec;
use crate::script::{Args, Word};
use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

/// A file with titles and blocks, or none.
pub(in crate::fix) struct Table {
    path: Option<PathBuf>,
    append: bool,
    overwrite: bool,
    titles: [Option<String>; 3],
    spec: Spec,
    /// Open for appending; with `overwrite` not open.
    file: RefCell<Option<File>>,
    /// With `overwrite`, what stands before the block.
    before: String,
}

impl Table {
    pub(super) fn new() -> Self {
        Table {
            path: None,
            append: false,
            overwrite: false,
            titles: Default::default(),
            spec: Spec::parse(" %g").expect("a format"),
            file: RefCell::default(),
            before: String::new(),
        }
    }

    /// Takes the words after `keyword`; `false` where it is none of a file's.
    pub(super) fn keyword(&mut self, keyword: &Word, args: &mut Args<'_>) -> Result<bool> {
        match &*keyword.text {
            "file" | "append" => {
                let word = args.word("a file name")?;
                if word.text.ends_with(".yaml") || word.text.ends_with(".yml") {
                    return Err(args.unsupported(word, "format of").help("plain text is supported"));
                }
                let path = PathBuf::from(&word.text);
                files::check_place(&path).map_err(|error| args.place(word, error))?;
                (self.path, self.append) = (Some(path), keyword.text == "append");
            }
            "overwrite" => self.overwrite = true,
            "format" => {
                let word = args.word("a format")?;
                self.spec = args.spec(word, &word.text, Spec::is_float, "' %12.6g'")?;
            }
            "title1" => self.titles[0] = Some(args.text("a title")?.to_owned()),
            "title2" => self.titles[1] = Some(args.text("a title")?.to_owned()),
            "title3" => self.titles[2] = Some(args.text("a title")?.to_owned()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Opens the file and writes the titles that the script gave, else these.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(in crate::fix) fn open(&mut self, titles: &[String]) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let fail = |err| Error::io("write", path, &err);
        let mut head = String::new();
        for (own, default) in self.titles.iter().zip(titles) {
            head += own.as_ref().unwrap_or(default);
            head.push('\n');
        }
        if self.overwrite {
            let old =
                if self.append { std::fs::read_to_string(path).unwrap_or_default() } else { String::new() };
            self.before = old + &head;
            return files::write_whole(path, |mut file| file.write_all(self.before.as_bytes())).map_err(fail);
        }
        if !self.append {
            File::create(path).map_err(fail)?;
        }
        let mut file = OpenOptions::new().append(true).create(true).open(path).map_err(fail)?;
        file.write_all(head.as_bytes()).map_err(fail)?;
        *self.file.borrow_mut() = Some(file);
        Ok(())
    }

    /// A value in the format of the file.
    pub(in crate::fix) fn number(&self, x: f64) -> String {
        self.spec.float(x)
    }

    /// Writes a block, after those before or in the place of the last one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(in crate::fix) fn write(&self, block: &str) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let done = match &mut *self.file.borrow_mut() {
            Some(file) => file.write_all(block.as_bytes()),
            None => files::write_whole(path, |mut file| {
                file.write_all(self.before.as_bytes())?;
                file.write_all(block.as_bytes())
            }),
        };
        done.map_err(|err| Error::io("write", path, &err).help("the averages before this one are complete"))
    }
}
