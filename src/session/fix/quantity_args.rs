//! How fixes read their quantities.

use super::quantity::{Named, Quantity, Styles};
use crate::base::error::Result;
use crate::script::formula::{Kind, Reference};
use crate::script::{Args, Word};
use crate::session::Session;
use std::cell::Cell;
use std::rc::Rc;

impl Quantity {
    /// Takes a number or `v_NAME` of style equal; lengths and the like are multiplied by `scale` where they are numbers.
    ///
    /// # Errors
    /// At the word: when it is neither, or there is a variable of this name and another style.
    pub fn read(session: &Session, args: &mut Args<'_>, what: &str, scale: f64) -> Result<Self> {
        Quantity::take(session, args, what, scale, Styles::Equal)
    }

    /// The same where `v_NAME` may be of style atom, too.
    ///
    /// # Errors
    /// As [`Quantity::read`].
    pub fn read_each(session: &Session, args: &mut Args<'_>, what: &str, scale: f64) -> Result<Self> {
        Quantity::take(session, args, what, scale, Styles::EqualOrAtom)
    }

    /// Takes `v_NAME` of style atom.
    ///
    /// # Errors
    /// At the word: when it is none, or there is a variable of this name and another style.
    pub fn read_atoms(session: &Session, args: &mut Args<'_>, what: &str) -> Result<Self> {
        let word = args.word(what)?;
        match word.text.starts_with("v_") {
            true => Quantity::named(session, args, word, Styles::Atom),
            false => Err(args.error(word, format_args!("'{}' is not {what}", word.text))),
        }
    }

    fn take(session: &Session, args: &mut Args<'_>, what: &str, scale: f64, styles: Styles) -> Result<Self> {
        match args.peek().filter(|word| word.text.starts_with("v_")) {
            Some(_) => {
                let word = args.word(what)?;
                Quantity::named(session, args, word, styles)
            }
            None => Ok(Quantity::Number(scale * args.f64(&format!("{what} (a number or v_NAME)"))?)),
        }
    }

    fn named(session: &Session, args: &Args<'_>, word: &Word, styles: Styles) -> Result<Self> {
        let reference = Reference { kind: Kind::Variable, id: word.text[2..].to_owned(), index: Vec::new() };
        let (of_atoms, source, span) = (Cell::new(false), args.source().clone(), word.span.clone());
        let named = Rc::new(Named { reference, styles, of_atoms, source, span });
        if session.script.variables.contains(named.name()) {
            named.look_up(&session.script.variables)?;
        }
        session.script.named_variables.0.borrow_mut().push(Rc::downgrade(&named));
        Ok(Quantity::Variable(named))
    }
}
