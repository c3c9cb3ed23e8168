//! Script variables: what they hold, and their substitution into a line.
//!
//! Source: LAMMPS manual, "variable command", "next command" and "Parsing rules for input scripts".

use super::formula::{Fault, Formula, Lookup};
use super::lexer::{Quoted, quoted};
use super::{Args, Word, closest};
use crate::error::{Error, Result};
use crate::format::{self, Spec};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How long a chain of variables that refer to one another may get.
const MAX_CHAIN: usize = 100;

/// LAMMPS's other variable styles.
const MISSING_STYLES: &[&str] =
    &["world", "universe", "uloop", "file", "atomfile", "python", "timer", "internal", "atom", "vector"];

#[derive(Clone, Debug)]
enum Variable {
    /// `index`: the values and which one is current.
    Index { values: Vec<String>, current: usize },
    /// `loop`: the current number, the last one, and the width it is padded to (0: none).
    Loop { current: i64, last: i64, width: usize },
    /// `equal`.
    Equal(Formula),
    /// `string`.
    Text(String),
    /// `format`: an equal-style variable and how its value is printed.
    Format { of: String, spec: Spec },
    /// `getenv`: an environment variable, read when asked for.
    Environment(String),
}

impl Variable {
    fn style(&self) -> &'static str {
        match self {
            Variable::Index { .. } => "index",
            Variable::Loop { .. } => "loop",
            Variable::Equal(_) => "equal",
            Variable::Text(_) => "string",
            Variable::Format { .. } => "format",
            Variable::Environment(_) => "getenv",
        }
    }
}

/// The variables of a script.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    by_name: BTreeMap<String, Variable>,
}

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

    /// Whether a variable is defined.
    pub fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The `variable` command. An index or loop variable that is already defined stays as it is; equal and
    /// string variables take their new value.
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
            "index" => {
                args.word("a value")?;
                let values = args.taken().iter().skip(2).chain(args.rest());
                let values = values.map(|word| word.text.clone()).collect();
                args.skip_rest();
                Variable::Index { values, current: 0 }
            }
            "loop" => read_loop(args)?,
            "equal" => {
                let word = args.word("a formula")?;
                let formula = Formula::parse(&word.text).map_err(|fault| args.fault(word, fault))?;
                if let Some(extra) = args.peek() {
                    return Err(args
                        .error(extra, format_args!("unexpected '{}'", extra.text))
                        .label("nothing more was expected")
                        .help("a formula with blanks must be quoted"));
                }
                Variable::Equal(formula)
            }
            "string" => Variable::Text(args.text("a text")?.to_owned()),
            "format" => self.read_format(args)?,
            "getenv" => Variable::Environment(args.text("the name of an environment variable")?.to_owned()),
            missing if MISSING_STYLES.contains(&missing) => {
                let message = format!("LAMMPS variable style '{missing}' is not supported by CLAMPS");
                return Err(args.error(style, message));
            }
            _ => {
                let known = ["index", "loop", "equal", "string", "format", "getenv", "delete"];
                return Err(args.unknown(style, "variable style", known.into_iter()));
            }
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
        if !matches!(self.by_name.get(&of.text), Some(Variable::Equal(_))) {
            return Err(args.error(of, format_args!("'{}' is not an equal-style variable", of.text)));
        }
        let word = args.word("a format")?;
        let spec = Spec::parse(&word.text).and_then(float_only).map_err(|error| args.place(word, error))?;
        Ok(Variable::Format { of: of.text.clone(), spec })
    }

    /// The `next` command: the next value of index or loop variables, all of one style; when one of them
    /// has no more, all of them are deleted.
    ///
    /// # Errors
    /// At a word that is no such variable.
    pub fn next(&mut self, args: &mut Args) -> Result<()> {
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
            match variable {
                Variable::Index { values, current } => {
                    *current += 1;
                    exhausted |= *current >= values.len();
                }
                Variable::Loop { current, last, .. } => {
                    *current += 1;
                    exhausted |= *current > *last;
                }
                _ => {
                    let message = format!("variable {} has style {style}, not index or loop", word.text);
                    return Err(args.error(word, message));
                }
            }
        }
        if exhausted {
            for word in names {
                self.by_name.remove(&word.text);
            }
        }
        Ok(())
    }

    fn undefined(&self, args: &Args, word: &Word) -> Error {
        let error = args.error(word, format_args!("variable {} is not defined", word.text));
        match self.suggest(&word.text) {
            Some(help) => error.help(help),
            None => error,
        }
    }

    fn suggest(&self, name: &str) -> Option<String> {
        closest(name, self.by_name.keys().map(String::as_str)).map(|known| format!("did you mean '{known}'?"))
    }

    /// What `${name}` stands for; numbers are printed with `%.15g`.
    ///
    /// # Errors
    /// When the variable is not defined or its formula has no value; the span is that of a text that is
    /// the name alone.
    pub fn text(&self, name: &str, lookup: &dyn Lookup) -> Result<String, Fault> {
        self.text_in_chain(name, lookup, &mut Vec::new())
    }

    /// The value of `v_name`: a formula's, or a text's that is a number.
    ///
    /// # Errors
    /// As [`Variables::text`], and when the text is not a number.
    pub fn number(&self, name: &str, lookup: &dyn Lookup) -> Result<f64, Fault> {
        self.number_in_chain(name, lookup, &mut Vec::new())
    }

    /// Evaluates a formula that may refer to these variables.
    ///
    /// # Errors
    /// At the place in the formula that is wrong or has no value.
    pub fn evaluate(&self, formula: &str, lookup: &dyn Lookup) -> Result<f64, Fault> {
        let mut chain = Vec::new();
        Formula::parse(formula)?.eval(lookup, &mut |name| self.reference_in_chain(name, lookup, &mut chain))
    }

    fn get(&self, name: &str) -> Result<&Variable, Fault> {
        self.by_name.get(name).ok_or_else(|| {
            let fault = Fault::new(format!("variable {name} is not defined"), 0..name.len());
            match self.suggest(name) {
                Some(help) => fault.help(help),
                None => fault.help(format!("define it with the variable command or with -var {name} VALUE")),
            }
        })
    }

    fn text_in_chain(
        &self,
        name: &str,
        lookup: &dyn Lookup,
        chain: &mut Vec<String>,
    ) -> Result<String, Fault> {
        Ok(match self.get(name)? {
            Variable::Index { values, current } => values[*current].clone(),
            Variable::Loop { current, width, .. } => format!("{current:0width$}"),
            Variable::Text(text) => text.clone(),
            Variable::Environment(of) => std::env::var(of).unwrap_or_default(),
            Variable::Equal(_) => format::g(self.number_in_chain(name, lookup, chain)?, 15),
            Variable::Format { of, spec } => spec.float(self.number_in_chain(of, lookup, chain)?),
        })
    }

    /// What `v_name` stands for in a formula: LAMMPS passes it on as text with 15 digits.
    fn reference_in_chain(
        &self,
        name: &str,
        lookup: &dyn Lookup,
        chain: &mut Vec<String>,
    ) -> Result<f64, Fault> {
        let value = self.number_in_chain(name, lookup, chain)?;
        Ok(format::g(value, 15).parse().unwrap_or(value))
    }

    fn number_in_chain(
        &self,
        name: &str,
        lookup: &dyn Lookup,
        chain: &mut Vec<String>,
    ) -> Result<f64, Fault> {
        let whole = 0..name.len();
        let Variable::Equal(formula) = self.get(name)? else {
            let text = self.text_in_chain(name, lookup, chain)?;
            return text.trim().parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(|| {
                Fault::new(format!("variable {name} holds '{text}', which is not a number"), whole)
            });
        };
        if chain.iter().any(|seen| seen == name) {
            return Err(Fault::new(format!("variable {name} depends on itself"), whole));
        }
        if chain.len() >= MAX_CHAIN {
            return Err(Fault::new("too many variables refer to one another", whole));
        }
        chain.push(name.to_owned());
        let value = formula.eval(lookup, &mut |other| self.reference_in_chain(other, lookup, chain));
        chain.pop();
        value.map_err(|fault| {
            let message = match fault.message.starts_with("variable ") {
                true => fault.message,
                false => format!("variable {name} = {}: {}", formula.text, fault.message),
            };
            Fault { message, span: whole, help: fault.help }
        })
    }

    /// Replaces `$x`, `${name}`, `$(formula)` and `$(formula:%format)` outside of quotes by their values;
    /// what was put in is not looked at again. A quote that is not closed counts as an ordinary character.
    ///
    /// # Errors
    /// At the reference that has no value.
    pub fn substitute<'t>(&self, text: &'t str, lookup: &dyn Lookup) -> Result<Cow<'t, str>, Fault> {
        if !text.contains('$') {
            return Ok(Cow::Borrowed(text));
        }
        let mut output = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let end = match quoted(text, at) {
                Quoted::Closed(_, end) => end,
                Quoted::No if c == '$' => {
                    let (value, end) = self.reference(text, at, lookup)?;
                    output.push_str(&value);
                    at = end;
                    continue;
                }
                _ => at + c.len_utf8(),
            };
            output.push_str(&text[at..end]);
            at = end;
        }
        Ok(if output == text { Cow::Borrowed(text) } else { Cow::Owned(output) })
    }

    /// The value of the reference whose `$` is at byte `start`, and where the text goes on.
    fn reference(&self, text: &str, start: usize, lookup: &dyn Lookup) -> Result<(String, usize), Fault> {
        let inside = start + 1;
        let rest = &text[inside..];
        let unclosed = |bracket| {
            Fault::new(format!("this reference is not closed: '{bracket}' is missing"), start..text.len())
        };
        match rest.chars().next() {
            Some('{') => {
                let length = rest.find('}').ok_or_else(|| unclosed('}'))?;
                let end = inside + length + 1;
                let value = self.text(&rest[1..length], lookup);
                Ok((value.map_err(|fault| Fault { span: start..end, ..fault })?, end))
            }
            Some('(') => {
                let length = closing_bracket(rest).ok_or_else(|| unclosed(')'))?;
                let value =
                    self.immediate(&rest[1..length], lookup).map_err(|fault| fault.shifted(inside + 1))?;
                Ok((value, inside + length + 1))
            }
            Some(c) if c.is_ascii_alphanumeric() || c == '_' => {
                let value = self.text(&rest[..1], lookup);
                let end = inside + 1;
                Ok((value.map_err(|fault| Fault { span: start..end, ..fault })?, end))
            }
            _ => Err(Fault::new("'$' is not followed by a variable name", start..inside)
                .help("write $x, ${name} or $(formula)")),
        }
    }

    /// `formula` or `formula:%format`; LAMMPS prints with `%.20g` when there is no format.
    fn immediate(&self, text: &str, lookup: &dyn Lookup) -> Result<String, Fault> {
        let (formula, spec) =
            match text.rfind(":%") {
                Some(colon) => {
                    let spec = Spec::parse(&text[colon + 1..]).and_then(float_only).map_err(|error| {
                        Fault { message: error.message, span: colon + 1..text.len(), help: error.help }
                    })?;
                    (&text[..colon], Some(spec))
                }
                None => (text, None),
            };
        let value = self.evaluate(formula, lookup)?;
        Ok(spec.map_or_else(|| format::g(value, 20), |spec| spec.float(value)))
    }
}

/// The byte of the bracket that closes the one that `text` begins with.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
        (open == 0).then_some(at)
    })
}

fn float_only(spec: Spec) -> Result<Spec> {
    if spec.is_float() { Ok(spec) } else { Err(Error::new("a formula's value is printed with %f, %e or %g")) }
}

/// `loop N`, `loop N M`, each with `pad`.
fn read_loop(args: &mut Args) -> Result<Variable> {
    let positive = |args: &mut Args| -> Result<i64> {
        let word = args.peek();
        let number: i64 = args.int("a number of turns")?;
        match word {
            Some(word) if number < 1 => Err(args.error(word, "a loop runs over numbers from 1")),
            _ => Ok(number),
        }
    };
    let mut bounds = (1, positive(args)?);
    if let Some(word) = args.peek().filter(|word| word.text != "pad") {
        bounds = (bounds.1, positive(args)?);
        if bounds.0 > bounds.1 {
            return Err(args.error(word, format_args!("the last number is less than {}", bounds.0)));
        }
    }
    let (current, last) = bounds;
    let width = if args.accept("pad") { last.to_string().len() } else { 0 };
    Ok(Variable::Loop { current, last, width })
}
