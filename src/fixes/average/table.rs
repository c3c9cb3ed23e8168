//! The file that averages are written to: titles, then a block of lines for each average.

use crate::base::error::{Error, Result};
use crate::base::files::{self, GrowingText};
use crate::base::format::Spec;
use crate::base::ledger::Claim;
use crate::base::ranks;
use crate::base::text;
use crate::script::{Args, Word};
use std::cell::{Cell, RefCell};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

/// A file with titles and blocks, or none.
pub(in crate::fixes) struct Table {
    path: Option<PathBuf>,
    /// The place is taken.
    claim: Option<Claim>,
    append: bool,
    overwrite: bool,
    titles: [Option<String>; 3],
    spec: Spec,
    /// Open for appending; with `overwrite` not open.
    file: RefCell<Option<GrowingText>>,
    /// With `overwrite`, what stands before the block.
    before: String,
    /// A document of YAML: what stands before the first block, or before each with `overwrite`.
    yaml: Option<String>,
    /// Whether a block has been written.
    begun: Cell<bool>,
}

impl Table {
    pub(super) fn new() -> Self {
        Table {
            path: None,
            claim: None,
            append: false,
            overwrite: false,
            titles: Default::default(),
            spec: Spec::parse(" %g").expect("a format"),
            file: RefCell::default(),
            before: String::new(),
            yaml: None,
            begun: Cell::new(false),
        }
    }

    /// Takes the words after `keyword`; `false` where it is none of a file's.
    pub(super) fn keyword(&mut self, keyword: &Word, args: &mut Args<'_>) -> Result<bool> {
        match &*keyword.text {
            "file" | "append" => {
                let word = args.word("a file name")?;
                let path = PathBuf::from(&word.text);
                let fix = args.taken().first().map_or("", |id| &id.text);
                let claim = files::claim(&path, format!("the file of fix {fix}"));
                self.claim = Some(claim.map_err(|error| args.place(word, error))?);
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

    /// Makes the file a document of YAML, if its name says so, with values of these names.
    pub(in crate::fixes) fn maybe_yaml(&mut self, names: impl Iterator<Item = String>) {
        let name = self.path.as_ref().map(|path| path.to_string_lossy().to_lowercase());
        if name.is_some_and(|name| name.ends_with(".yaml") || name.ends_with(".yml")) {
            let names: String = names.map(|name| format!("'{name}', ")).collect();
            self.yaml = Some(format!("keywords: [{names}]\ndata:\n"));
        }
    }

    /// Whether blocks are to be those of YAML.
    pub(in crate::fixes) fn is_yaml(&self) -> bool {
        self.yaml.is_some()
    }

    /// Opens the file and writes the titles that the script gave, else these.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(in crate::fixes) fn open(&mut self, titles: &[String]) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let fail = |err| Error::io("write", path, &err);
        let mut head = String::new();
        for (own, default) in self.titles.iter().zip(titles) {
            head += own.as_ref().unwrap_or(default);
            head.push('\n');
        }
        if self.yaml.is_some() {
            head += "---\n";
        }
        if self.overwrite {
            let old = if self.append { text::kept(path) } else { String::new() };
            self.before = old + &head;
            return files::replace_text(path, &self.before).map_err(fail);
        }
        let mut file = files::grow_text(path, self.append, self.claim.as_ref())?;
        file.write_all(head.as_bytes()).map_err(fail)?;
        *self.file.borrow_mut() = Some(file);
        Ok(())
    }

    /// A value in the format of the file.
    pub(in crate::fixes) fn number(&self, x: f64) -> String {
        self.spec.float(x)
    }

    /// Writes a block, after those before or in the place of the last one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(in crate::fixes) fn write(&self, block: &str) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let first = !self.begun.replace(true) || self.overwrite;
        let keys = self.yaml.as_deref().filter(|_| first).unwrap_or_default();
        let done = match &mut *self.file.borrow_mut() {
            Some(file) => file.write_all([keys, block].concat().as_bytes()),
            None => files::replace_text(path, &[&self.before, keys, block].concat()),
        };
        done.map_err(|err| Error::io("write", path, &err).help("the averages before this one are complete"))
    }
}

impl Drop for Table {
    /// Ends a document.
    fn drop(&mut self) {
        if let (Some(path), true, true) = (&self.path, self.yaml.is_some(), ranks::is_first()) {
            // Without this line it can be read, too.
            let _ = OpenOptions::new().append(true).open(path).and_then(|mut file| file.write_all(b"...\n"));
        }
    }
}
