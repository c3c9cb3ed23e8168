//! The commands `variable` and `next`, and `-var`.

use super::{Variable, Variables, atomfile};
use crate::base::error::{Error, Result};
use crate::base::format::Spec;
use crate::base::ranks;
use crate::base::{ledger, text};
use crate::script::formula::{Formula, Style};
use crate::script::{Args, Word};
use std::cell::Cell;
use std::path::Path;

/// LAMMPS's other variable styles.
const MISSING_STYLES: &[&str] = &["python"];

/// CLAMPS's.
const STYLES: [&str; 16] = [
    "index", "loop", "world", "universe", "uloop", "equal", "vector", "atom", "string", "format", "getenv",
    "file", "atomfile", "internal", "timer", "delete",
];

fn valid_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl Variables {
    /// `-var NAME VALUES...`: an index variable. As LAMMPS, a second `-var` of the same name is ignored.
    ///
    /// # Errors
    /// When the name has other characters than letters, digits and `_`, or there is no value.
    pub fn set_index(&mut self, name: &str, values: Vec<String>) -> Result<()> {
        if !valid_name(name) {
            return Err(Error::new(format!("-var: '{name}' is not a variable name"))
                .help("names have only letters, digits and underscores"));
        }
        if values.is_empty() {
            return Err(Error::new(format!("-var {name}: a value is missing")));
        }
        self.by_name.entry(name.to_owned()).or_insert(Variable::Index { values, current: 0 });
        Ok(())
    }

    /// Defines a variable of style string.
    pub fn set_string(&mut self, name: &str, text: String) {
        self.by_name.insert(name.to_owned(), Variable::Text(text));
    }

    /// The `variable` command. A variable of style index, loop, file or atomfile that is already defined stays as
    /// it is; the others take their new value.
    ///
    /// # Errors
    /// At the word that is wrong; in a formula, at the place in it.
    pub fn define(&mut self, args: &mut Args) -> Result<()> {
        let name = args.word("a variable name")?;
        if !valid_name(&name.text) {
            return Err(args
                .error(name, format_args!("'{}' is not a variable name", name.text))
                .label("only letters, digits and underscores"));
        }
        let style = args.word("a variable style")?;
        let value = match &*style.text {
            "delete" => {
                args.finish()?;
                self.by_name.remove(&name.text);
                return Ok(());
            }
            // As in LAMMPS, one that is there stays as it is (`-var NAME VALUE`), whatever follows.
            "world" if self.contains(&name.text) => {
                args.text("a value")?;
                args.skip_rest();
                return Ok(());
            }
            // All ranks are a universe of one world.
            "world" => {
                let value = args.text("a value")?.to_owned();
                if let Some(word) = args.peek() {
                    let error = args.error(word, "there is one world only, which takes one value");
                    return Err(error.help(format!(
                        "start one run for each value, with `-var {} VALUE` and a log of its own (-log)",
                        name.text
                    )));
                }
                Variable::Index { values: vec![value], current: 0 }
            }
            "index" | "universe" => {
                args.word("a value")?;
                let values = args.taken().iter().skip(2).chain(args.rest());
                let values = values.map(|word| word.text.clone()).collect();
                args.skip_rest();
                Variable::Index { values, current: 0 }
            }
            "loop" | "uloop" => read_loop(args)?,
            "vector" => read_vector(args)?,
            "timer" => {
                let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
                Variable::Timer(ranks::of_first(now.map_or(0.0, |now| now.as_secs_f64())))
            }
            "equal" => Variable::Equal(read_formula(args, Style::Equal)?),
            "atom" => Variable::Atom(read_formula(args, Style::Atom)?),
            "string" => Variable::Text(args.text("a text")?.to_owned()),
            "format" => self.read_format(args)?,
            "getenv" => {
                let of = args.text("the name of an environment variable")?.to_owned();
                // Machines have environments of their own.
                let value = ranks::text_of_first(|| Ok(std::env::var(&of).ok()))?.unwrap_or_default();
                Variable::Environment { of, value }
            }
            "internal" => Variable::Internal(Cell::new(args.f64("a number")?)),
            "file" | "atomfile" => {
                let word = args.word("a file name")?;
                args.finish()?;
                if self.contains(&name.text) {
                    return Ok(());
                }
                read_file(Path::new(&word.text), style).map_err(|error| args.place(word, error))?
            }
            missing if MISSING_STYLES.contains(&missing) => {
                let message = format!("LAMMPS variable style '{missing}' is not supported by CLAMPS");
                return Err(args.error(style, message));
            }
            _ => return Err(args.unknown(style, "variable style", STYLES.into_iter())),
        };
        args.finish()?;
        match self.by_name.get(&name.text) {
            Some(_) if matches!(value, Variable::Index { .. } | Variable::Loop { .. }) => return Ok(()),
            Some(old) if old.style() != value.style() => {
                let message = format!("variable {} exists already, with style {}", name.text, old.style());
                return Err(args
                    .error(style, message)
                    .label("another style")
                    .help("-var defines index variables; 'variable NAME delete' removes one"));
            }
            _ => {}
        }
        self.by_name.insert(name.text.clone(), value);
        Ok(())
    }

    fn read_format(&self, args: &mut Args) -> Result<Variable> {
        let of = args.word("the name of an equal-style variable")?;
        if !self.is_equal(&of.text) {
            return Err(args.error(of, format_args!("'{}' is not an equal-style variable", of.text)));
        }
        let word = args.word("a format")?;
        let spec = Spec::parse(&word.text).and_then(float_only).map_err(|error| args.place(word, error))?;
        Ok(Variable::Format { of: of.text.clone(), spec })
    }

    /// The `next` command: the next value of variables of one style. When one of them has no more, all of them
    /// are deleted and the answer is true.
    ///
    /// # Errors
    /// At a word that is no such variable.
    pub fn next(&mut self, args: &mut Args) -> Result<bool> {
        let first = args.word("a variable name")?;
        let mut names: Vec<&Word> = vec![first];
        names.extend(args.rest());
        args.skip_rest();
        let mut exhausted = false;
        let mut first_style = None;
        for word in &names {
            let variable = self.by_name.get_mut(&word.text);
            let Some(variable) = variable else { return Err(self.undefined(args, word)) };
            let style = variable.style();
            if *first_style.get_or_insert(style) != style {
                return Err(args.error(word, "all variables must have the same style"));
            }
            exhausted |= match variable {
                Variable::Index { values, current } => {
                    *current += 1;
                    *current >= values.len()
                }
                Variable::Loop { current, last, .. } => {
                    *current += 1;
                    *current > *last
                }
                Variable::File { lines, current } => {
                    *current.get_mut() += 1;
                    current.get() >= lines.len()
                }
                Variable::AtomFile { sections, current } => {
                    *current.get_mut() += 1;
                    current.get() >= sections.len()
                }
                _ => {
                    let message = format!(
                        "variable {} has style {style}, not index, loop, file or atomfile",
                        word.text
                    );
                    return Err(args.error(word, message));
                }
            };
        }
        if exhausted {
            for word in names {
                self.by_name.remove(&word.text);
            }
        }
        Ok(exhausted)
    }

    fn undefined(&self, args: &Args, word: &Word) -> Error {
        let error = args.error(word, format_args!("variable {} is not defined", word.text));
        match self.suggest(&word.text) {
            Some(help) => error.help(help),
            None => error,
        }
    }
}

fn read_formula(args: &mut Args, style: Style) -> Result<Formula> {
    let word = args.rest_as_one("a formula")?;
    Formula::parse(&word.text, style).map_err(|mut fault| {
        // With quotes in it, places of the formula are no places of the line.
        if word.text != args.source().text[word.span.clone()] && args.taken().len() > 3 {
            fault.span = 0..word.text.len();
        }
        args.fault(&word, fault)
    })
}

/// `vector [NUMBER, ...]` or `vector FORMULA`.
fn read_vector(args: &mut Args) -> Result<Variable> {
    if !args.peek().is_some_and(|word| word.text.starts_with('[')) {
        return read_formula(args, Style::Vector).map(Variable::Vector);
    }
    let word = args.rest_as_one("a list of numbers")?;
    let wrong = |what: &str| args.error(&word, what).label("expected a list such as [1,2.5,3]");
    let Some(inside) = word.text[1..].strip_suffix(']') else {
        return Err(wrong("the list of numbers is never closed"));
    };
    let number = |text: &str| {
        let x: Option<f64> = text.trim().parse().ok().filter(|x: &f64| x.is_finite());
        x.ok_or_else(|| wrong(&format!("'{}' is not a number", text.trim())))
    };
    inside.split(',').map(number).collect::<Result<_>>().map(Variable::List)
}

/// The lines of a file without comments and blank ones, or the sections of an atomfile.
fn read_file(path: &Path, style: &Word) -> Result<Variable> {
    let atoms = style.text == "atomfile";
    let text = text::read(path, if atoms { "the atomfile that was read" } else { ledger::STATE })?;
    let bare = text.lines().map(|line| line.split('#').next().unwrap_or("").trim().to_owned());
    let lines: Vec<String> = bare.filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return Err(Error::new(format!("{} has no lines", path.display())));
    }
    Ok(match &*style.text {
        "file" => Variable::File { lines, current: Cell::new(0) },
        _ => Variable::AtomFile { sections: atomfile::sections(&lines, path)?, current: Cell::new(0) },
    })
}

pub(super) fn float_only(spec: Spec) -> Result<Spec> {
    if spec.is_float() { Ok(spec) } else { Err(Error::new("a formula's value is printed with %f, %e or %g")) }
}

/// `loop N`, from 1 to N, or `loop N M`, each with `pad`.
fn read_loop(args: &mut Args) -> Result<Variable> {
    let first = args.peek();
    let number: i64 = args.int("a number of turns")?;
    let mut bounds = (1, number);
    if let Some(word) = args.peek().filter(|word| word.text != "pad") {
        bounds = (number, args.int("the last number")?);
        let least = bounds.0.max(0);
        if bounds.1 < least {
            return Err(args.error(word, format_args!("the last number is less than {least}")));
        }
    } else if let Some(word) = first.filter(|_| number < 1) {
        let error = args.error(word, "a loop with one number runs from 1 to it");
        return Err(error.help("write the first and the last number: `loop 0 5`"));
    }
    let (current, last) = bounds;
    let width = if args.accept("pad") { last.to_string().len() } else { 0 };
    Ok(Variable::Loop { current, last, width })
}
