//! `labelmap`: names of types of atoms and bonds.

use crate::base::error::Result;
use crate::base::files;
use crate::model::labels::{Labels, TypeLabels};
use crate::script::{Args, Word};
use crate::session::Session;
use std::path::Path;

/// `labelmap atom|bond TYPE NAME ...`, `labelmap clear`, `labelmap write FILE`.
///
/// # Errors
/// When there is no box, a type is out of range, a name is none or in use, or the file cannot be written.
pub fn labelmap(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    session.domain()?;
    let word = args.clone().word("atom, bond, clear or write")?;
    if matches!(&*word.text, "angle" | "dihedral" | "improper") {
        return Err(args.unsupported(word, "kind of types"));
    }
    let kinds = ["atom", "bond", "clear", "write"].map(|name| (name, name));
    let kind = args.one_of("kind of types", &kinds)?;
    match kind {
        "clear" => {
            args.finish()?;
            session.system.labels = TypeLabels::default();
        }
        "write" => {
            let file = args.word("a file name")?;
            args.finish()?;
            write(session, args, file)?;
        }
        _ => {
            let types = if kind == "atom" { session.types() } else { session.system.topology.bond_types };
            let mut labels = session.system.labels.clone();
            let these = if kind == "atom" { &mut labels.atom } else { &mut labels.bond };
            loop {
                let word = args.peek();
                let number: usize = args.int("the number of a type")?;
                if let (Some(word), false) = (word, (1..=types).contains(&number)) {
                    let message = format!("{kind} type {number} is not within 1 to {types}");
                    return Err(args.error(word, message));
                }
                let word = args.word("a name")?;
                these.give(number, word.text.trim()).map_err(|error| args.place(word, error))?;
                if args.is_empty() {
                    break;
                }
            }
            session.system.labels = labels;
        }
    }
    Ok(())
}

/// Writes the names as commands of a script.
fn write(session: &Session, args: &Args<'_>, file: &Word) -> Result<()> {
    let TypeLabels { atom, bond } = &session.system.labels;
    let line = |kind: &str, labels: &Labels| -> String {
        let named = labels.names.iter().zip(1..).filter(|(name, _)| !name.is_empty());
        let pairs: String = named.map(|(name, number)| format!(" {number} \"\"\" {name} \"\"\"")).collect();
        if pairs.is_empty() { pairs } else { format!("labelmap {kind}{pairs}\n") }
    };
    let text = line("atom", atom) + &line("bond", bond);
    let path = Path::new(&file.text);
    files::write_text(path, |out| out.write_all(text.as_bytes())).map_err(|error| args.place(file, error))
}
