//! Programs: the .cl files with a prologue of definitions, built for the device at hand.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::rc::{Rc, Weak};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::cache::{self, Cache};
use super::compile::ClProgram;
use super::device::{Gpu, Inner};
use super::kernel::Kernel;
use super::pocl;
use super::rehearsal;
use super::source::put_together;
use super::status::{ClResult, Failure};
use super::turn::Turn;
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::signals;

/// With so many programs those that no kernel is of any more go: a script may go through many coefficients, which programs hold.
const KEPT: usize = 100;

/// Constants for the compiler: name and value, printed in order of names as `#define`s.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defines(BTreeMap<String, String>);

impl Defines {
    /// None yet.
    pub fn new() -> Self {
        Defines::default()
    }

    /// With `name` defined as `value`, as it is printed.
    #[must_use]
    pub fn set(mut self, name: &str, value: impl Display) -> Self {
        self.0.insert(name.to_owned(), value.to_string());
        self
    }

    /// With `name` defined as a float literal that reads back as the same bits.
    #[must_use]
    pub fn set_f32(self, name: &str, value: f32) -> Self {
        self.set(name, Defines::float(value))
    }

    /// A float literal that reads back as the same bits.
    pub fn float(value: f32) -> String {
        // Rust's exponent form is the shortest decimal that reads back, and compilers round decimals right.
        let text = if value.is_nan() {
            "NAN".to_owned()
        } else if value.is_infinite() {
            "INFINITY".to_owned()
        } else {
            format!("{:e}f", value.abs())
        };
        signed(value.is_sign_negative(), text)
    }

    /// With `name` defined as a double literal that reads back as the same bits.
    #[must_use]
    pub fn set_f64(self, name: &str, value: f64) -> Self {
        let text = if value.is_nan() {
            "((double)NAN)".to_owned()
        } else if value.is_infinite() {
            "((double)INFINITY)".to_owned()
        } else {
            // The point makes it a floating literal beyond doubt.
            let text = format!("{:e}", value.abs());
            if text.contains('.') { text } else { text.replacen('e', ".0e", 1) }
        };
        self.set(name, signed(value.is_sign_negative(), text))
    }

    /// Those that the texts use, or the values of those used: a program is kept by its text, so it must not be another one by
    /// what it does not use.
    fn used_by<'a>(mut self, texts: impl Iterator<Item = &'a str>) -> Self {
        let mut used = BTreeSet::new();
        let mut todo: Vec<&str> = texts.collect();
        let names: BTreeMap<&str, &str> = self
            .0
            .iter()
            .map(|(name, value)| (name.split('(').next().unwrap_or(name), value.as_str()))
            .collect();
        // Texts have ten thousand words, and few of them begin like a name and are as long.
        let mut alike = [0_u64; 256];
        let length = |word: &str| 1 << word.len().min(63);
        for name in names.keys().filter(|name| !name.is_empty()) {
            alike[usize::from(name.as_bytes()[0])] |= length(name);
        }
        while let Some(text) = todo.pop() {
            for (word, pasted) in words(text) {
                // What is pasted to a word (`UNIT_##axis`) may be anything.
                if pasted {
                    for (name, value) in names.iter().filter(|(name, _)| name.starts_with(word)) {
                        if used.insert((*name).to_owned()) {
                            todo.push(value);
                        }
                    }
                } else if alike[usize::from(word.as_bytes()[0])] & length(word) != 0
                    && let Some((name, value)) = names.get_key_value(word)
                    && used.insert((*name).to_owned())
                {
                    todo.push(value);
                }
            }
        }
        self.0.retain(|name, _| used.contains(name.split('(').next().unwrap_or(name)));
        self
    }

    /// As text, where a compiler reads them.
    pub fn lines(&self) -> String {
        self.0.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect()
    }

    /// And what forgets them.
    pub fn undone(&self) -> String {
        let names = self.0.keys().map(|name| name.split('(').next().unwrap_or(name));
        names.map(|name| format!("#undef {name}\n")).collect()
    }

    fn prologue(&self) -> String {
        format!("#line 1 \"defines\"\n{}", self.lines())
    }
}

/// The words of a text that may be names, and whether something is pasted to their end.
pub(super) fn words(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let is_part = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let begin = at + bytes[at..].iter().position(|&c| is_part(c))?;
        let end =
            bytes[begin..].iter().position(|&c| !is_part(c)).map_or(bytes.len(), |length| begin + length);
        at = end;
        Some((&text[begin..end], bytes[end..].starts_with(b"##")))
    })
}

/// In parentheses when negative, so that `a-X` stays two tokens.
fn signed(negative: bool, text: String) -> String {
    if negative { format!("(-{text})") } else { text }
}

/// A program: built at once, or when its first kernel is launched.
pub struct Program {
    pub(super) gpu: Gpu,
    pub(super) text: Rc<ProgramText>,
}

/// The text of a program, and what is built of it, which all who ask for the same text share.
pub(super) struct ProgramText {
    /// Names of its files.
    pub(super) files: Vec<String>,
    pub(super) source: String,
    pub(super) options: String,
    /// What stands for text and options.
    key: String,
    cl: OnceCell<ClProgram>,
    /// Launches whose kernel is compiled.
    pub(super) launched: RefCell<BTreeSet<Launch>>,
}

/// A launch as PoCL compiles a kernel for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Launch {
    /// The kernel.
    pub(super) name: String,
    /// The size of work-groups.
    pub(super) local: usize,
    /// Whether there are more work-items than [`pocl::SMALL_GRID`].
    pub(super) many: bool,
}

impl Launch {
    pub(super) fn new(name: &str, global: usize, local: usize) -> Launch {
        Launch { name: name.to_owned(), local, many: global > pocl::SMALL_GRID }
    }

    /// In words.
    pub(super) fn words(&self) -> String {
        format!("{} {} {}", self.name, self.local, self.many)
    }

    /// What stands for it among processes.
    pub(super) fn key(&self, gpu: &Gpu, text: &ProgramText) -> String {
        cache::key(gpu.info(), &[&text.key, &self.words()])
    }
}

impl ProgramText {
    pub(super) fn new(gpu: &Gpu, files: Vec<String>, source: String, options: String) -> ProgramText {
        let key = cache::key(gpu.info(), &[&source, &options]);
        ProgramText { files, source, options, key, cl: OnceCell::new(), launched: RefCell::default() }
    }

    /// The program, which is built when first asked for.
    pub(super) fn built(&self, gpu: &Gpu) -> Result<&ClProgram> {
        if let Some(cl) = self.cl.get() {
            return Ok(cl);
        }
        let cl = gpu.build(self)?;
        Ok(self.cl.get_or_init(|| cl))
    }

    /// Whether it is built.
    pub(super) fn is_built(&self) -> bool {
        self.cl.get().is_some()
    }
}

impl Program {
    /// The kernel of that name.
    ///
    /// # Errors
    /// When the program is built and has none of that name.
    pub fn kernel(&self, name: &'static str) -> Result<Kernel> {
        Kernel::new(self, name)
    }
}

/// Bytes of address space with which PoCL compiles all that runs launch.
const POCL_NEEDS: f64 = 384.0 * (1 << 20) as f64;

impl Gpu {
    /// Builds a program from `files` (name under `cl/`, and text), one after the other, after a prologue of
    /// `defines`. Binaries are kept on disk, in the user's cache folder or in CLAMPS_CACHE_DIR.
    /// CLAMPS_CACHE=off turns this off.
    ///
    /// # Errors
    /// A program that does not build: with the compiler's words, which name file and line.
    pub fn program(&self, files: &[(&str, &str)], defines: &Defines, options: &str) -> Result<Program> {
        let program = self.program_for_later(files, defines, options);
        program.text.built(self)?;
        Ok(program)
    }

    /// The same, which is built when its first kernel is launched, or by [`Gpu::build_all`].
    pub fn program_for_later(&self, files: &[(&str, &str)], defines: &Defines, options: &str) -> Program {
        // Compilers rarely define FP_FAST_FMAF.
        let texts = rehearsal::broken(files);
        let files: &[(&str, &str)] = &texts.iter().map(|(name, text)| (*name, &**text)).collect::<Vec<_>>();
        let mut defines = defines.clone().set("FAST_FMA", u32::from(self.info().fma));
        if self.info().wants_bodies_apart() {
            defines = defines.set("BODIES_APART", 1);
        }
        let defines = defines.used_by(files.iter().map(|(_, text)| *text));
        let key = (assemble(files, &defines), pocl::options(self.info(), options));
        if let Some(text) = self.0.programs.borrow().get(&key) {
            return Program { gpu: self.clone(), text: Rc::clone(text) };
        }
        let names = files.iter().map(|(name, _)| (*name).to_owned()).collect();
        let text = Rc::new(ProgramText::new(self, names, key.0.clone(), key.1.clone()));
        let mut programs = self.0.programs.borrow_mut();
        if programs.len() >= KEPT {
            programs.retain(|_, text| Rc::strong_count(text) > 1);
        }
        programs.insert(key, Rc::clone(&text));
        self.0.unbuilt.borrow_mut().push(Rc::downgrade(&text));
        Program { gpu: self.clone(), text }
    }

    /// Builds the programs that are yet to be built, so that none is while a loop's time is taken.
    ///
    /// # Errors
    /// As [`Gpu::program`].
    pub fn build_all(&self) -> Result<()> {
        let unbuilt = self.0.unbuilt.take();
        unbuilt.iter().filter_map(Weak::upgrade).try_for_each(|text| text.built(self).map(drop))
    }

    fn build(&self, text: &ProgramText) -> Result<ClProgram> {
        let ProgramText { source, options, key, .. } = text;
        let names: Vec<&str> = text.files.iter().map(String::as_str).collect();
        rehearsal::leave_text(&names, source, options);
        let played = rehearsal::played(source);
        let source = played.as_deref().unwrap_or(source);
        self.has_memory_to_compile()?;
        let own = pocl::with_own_builtins(&self.0.info, source, options);
        let (full, more) = own.as_ref().map_or((source, &**options), |(text, more)| (text, more));
        let cache = Cache::open(&self.0.info, full, more);
        let cached = || match self.link(&cache.as_ref()?.load()?, more) {
            Ok(cl) => Some(cl),
            Err(failure) => {
                log::debug!("cached program is not usable: {}", failure.name());
                None
            }
        };
        if let Some(cl) = cached() {
            return Ok(cl);
        }
        let _turn = self.turn(key, names.last().copied().unwrap_or_default());
        // Another process may have compiled it since.
        if let Some(cl) = cached() {
            return Ok(cl);
        }
        let started = Instant::now();
        let cl = match self.compile(&names, full, more, cache.as_ref()) {
            Err(err) if own.is_some() && pocl::may_have_header() => {
                log::debug!("with the compiler's own header, as {err}");
                self.compile(&names, source, options, None)?
            }
            compiled => compiled?,
        };
        self.0.compiling.set(self.0.compiling.get() + started.elapsed());
        log::debug!("built {} in {:.2} s", names.join(", "), started.elapsed().as_secs_f64());
        Ok(cl)
    }

    /// An error where PoCL has too little memory to compile in: 3.1 waits for ever then.
    fn has_memory_to_compile(&self) -> Result<()> {
        let left = memory::left_of_limit().filter(|left| self.0.info.is_pocl() && *left < POCL_NEEDS);
        let Some(left) = left else { return Ok(()) };
        let [needs, left] = [POCL_NEEDS, left.max(0.0)].map(|bytes| super::size(bytes as u64));
        let message =
            format!("PoCL's compiler needs {needs} of memory, and the limit of this process leaves {left}");
        Err(Error::new(message).help("raise the limit (`ulimit -v`)"))
    }

    /// A program from its text; a binary goes to the cache, where there is one. On PoCL that is bitcode, from which the program is built then.
    fn compile(
        &self,
        names: &[&str],
        source: &str,
        options: &str,
        cache: Option<&Cache>,
    ) -> Result<ClProgram> {
        let Inner { info, context, device, .. } = &*self.0;
        let failed = |failure: Failure, words: &str| {
            let doing = format!("compile {} for {}", names.join(", "), info.name);
            // Ctrl-C reaches the programs that a compiler calls, too.
            if signals::signal().is_some() {
                return Error::new(format!("cannot {doing}: interrupted"));
            }
            match words {
                "" => failure.while_doing(doing),
                words => Error::new(format!("cannot {doing}: {}\n{}", failure.name(), locate(words, source))),
            }
        };
        let cl = ClProgram::from_source(context, source).map_err(|failure| failed(failure, ""))?;
        let done = |built: ClResult<()>| -> Result<()> {
            let words = cl.log(*device);
            built.map_err(|failure| failed(failure, &words))?;
            if !words.is_empty() {
                log::debug!("the compiler on {}: {words}", names.join(", "));
            }
            Ok(())
        };
        if let Some(cache) = cache.filter(|_| info.is_pocl() && !self.0.lacks_bitcode.get()) {
            done(cl.compile(*device, &pocl::for_bitcode(options)))?;
            let linked = || {
                let binary = cl.binary().ok()?;
                let bitcode = pocl::bitcode(&binary)?;
                self.link(bitcode, options).ok().filter(|_| cache.store(bitcode))
            };
            if let Some(linked) = linked() {
                return Ok(linked);
            }
            log::debug!("no bitcode of {}", names.join(", "));
            self.0.lacks_bitcode.set(true);
        }
        done(cl.build(*device, options))?;
        if let Some(cache) = cache.filter(|_| !info.is_pocl()) {
            match cl.binary() {
                Ok(binary) => _ = cache.store(&binary),
                Err(failure) => log::debug!("no binary of the program: {}", failure.name()),
            }
        }
        Ok(cl)
    }

    /// This process's turn to compile what a key stands for.
    pub(super) fn turn(&self, key: &str, what: &str) -> Turn {
        Turn::take(self.info(), key, what, self.0.compiling.get())
    }

    fn link(&self, binary: &[u8], options: &str) -> ClResult<ClProgram> {
        let cl = ClProgram::from_binary(&self.0.context, self.0.device, binary)?;
        cl.build(self.0.device, options)?;
        Ok(cl)
    }
}

/// NVIDIA's compiler takes no notice of `#line` and says `<kernel>:LINE:` of the whole text: puts the file
/// and its own line instead.
fn locate(words: &str, source: &str) -> String {
    let mut located = String::with_capacity(words.len());
    let mut rest = words;
    while let Some((before, after)) = rest.split_once("<kernel>:") {
        located.push_str(before);
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let line: usize = after[..digits].parse().unwrap_or(0);
        let above: Vec<&str> = source.lines().take(line.saturating_sub(1)).collect();
        let marked = above.iter().enumerate().rev().find_map(|(place, text)| {
            let (first, file) = text.strip_prefix("#line ")?.split_once(' ')?;
            Some((file.trim_matches('"'), first.parse::<usize>().ok()? + above.len() - place - 1))
        });
        match marked {
            Some((file, line)) => located.push_str(&format!("{file}:{line}")),
            None => located.push_str(&format!("<kernel>:{line}")),
        }
        rest = &after[digits..];
    }
    located + rest
}

/// One text, with the definitions before all files.
fn assemble(files: &[(&str, &str)], defines: &Defines) -> String {
    defines.prologue() + &put_together(files)
}

#[cfg(test)]
mod tests {
    use super::{Defines, assemble, locate};

    #[test]
    fn a_program_has_the_definitions_that_it_uses() {
        let all = [
            ("A", "B + 1"),
            ("B", "2"),
            ("AB", "3"),
            ("F(a, b)", "G(a) + b"),
            ("G(a)", "a"),
            ("UNIT_X", "4"),
            ("UNIT", "5"),
        ];
        let all = all.iter().fold(Defines::new(), |defines, (name, value)| defines.set(name, value));
        let used = |text| all.clone().used_by([text].into_iter()).0.into_keys().collect::<Vec<_>>();
        assert_eq!(used("x = A; AC"), ["A", "B"]);
        assert_eq!(used("#if AB\n"), ["AB"]);
        assert_eq!(used("F(1, 2)"), ["F(a, b)", "G(a)"]);
        assert_eq!(used("UNIT_##axis"), ["UNIT_X"]);
        assert!(used("a1A").is_empty());
    }

    #[test]
    fn absolute_lines_become_lines_of_files() {
        let files = [
            ("common.cl", "// one\n//= piece two\n// three\nbad\n//= end\n"),
            ("pair/style.cl", "// first\n//= insert two\nbroken\n"),
        ];
        let source = assemble(&files, &Defines::new().set("A", 1));
        for (text, place) in [("bad", "cl/common.cl:4"), ("broken", "cl/pair/style.cl:3")] {
            let line = source.lines().position(|line| line == text).expect("is there") + 1;
            let words = format!("<kernel>:{line}:7: error: bad\n<kernel>:1:1: note\n");
            assert_eq!(locate(&words, &source), format!("{place}:7: error: bad\n<kernel>:1:1: note\n"));
        }
    }
}
