//! `group`: which atoms a group has, by region, type, ID, molecule, variable or other groups.

use crate::base::error::Result;
use crate::commands::region::region_now;
use crate::model::atoms::Atoms;
use crate::model::group::ALL;
use crate::model::labels::Labels;
use crate::script::formula::{Kind, Reference};
use crate::script::{Args, Word};
use crate::session::Session;
use std::collections::BTreeSet;

/// Compares a number with one or two others.
type Test = fn(i64, i64, i64) -> bool;

/// Whether an atom is meant.
type Matches = Box<dyn Fn(&Atoms, usize) -> bool>;

/// Which IDs or types are meant.
enum Selection {
    /// First, last, stride.
    Ranges(Vec<[i64; 3]>),
    /// A comparison with one number, or between two.
    Compare(Test, i64, i64),
}

impl Selection {
    fn contains(&self, n: i64) -> bool {
        match self {
            Selection::Ranges(ranges) => ranges
                .iter()
                .any(|&[first, last, stride]| first <= n && n <= last && (n - first) % stride == 0),
            Selection::Compare(test, a, b) => test(n, *a, *b),
        }
    }

    /// Reads `A A:B A:B:C ...` or `< A`, `<> A B` and the like, to the end of the line.
    fn read(args: &mut Args) -> Result<Self> {
        Selection::read_named(args, &Labels::default())
    }

    /// The same, where some numbers have names.
    fn read_named(args: &mut Args, labels: &Labels) -> Result<Self> {
        const TESTS: [(&str, Test); 7] = [
            ("<", |n, a, _| n < a),
            (">", |n, a, _| n > a),
            ("<=", |n, a, _| n <= a),
            (">=", |n, a, _| n >= a),
            ("==", |n, a, _| n == a),
            ("!=", |n, a, _| n != a),
            ("<>", |n, a, b| a <= n && n <= b),
        ];
        let word = args.clone().word("an ID, a type, a range A:B or a comparison")?;
        if let Some((name, test)) = TESTS.into_iter().find(|(name, _)| *name == word.text) {
            args.word(name)?;
            let a = args.int("a number to compare with")?;
            let b = if name == "<>" { args.int("a second number")? } else { a };
            args.finish()?;
            return Ok(Selection::Compare(test, a, b));
        }
        let mut ranges = Vec::new();
        while !args.is_empty() {
            if let Some(kind) = labels.accept(args) {
                ranges.push([kind as i64, kind as i64, 1]);
                continue;
            }
            let word = args.word("a range")?;
            let numbers: Option<Vec<i64>> = word.text.split(':').map(|number| number.parse().ok()).collect();
            ranges.push(match numbers.as_deref() {
                Some(&[one]) => [one, one, 1],
                Some(&[first, last]) => [first, last, 1],
                Some(&[first, last, stride]) if stride > 0 => [first, last, stride],
                _ => {
                    return Err(args.error(word, format_args!("'{}' is not N, A:B or A:B:STRIDE", word.text)));
                }
            });
        }
        Ok(Selection::Ranges(ranges))
    }
}

const STYLES: [&str; 14] = [
    "region",
    "type",
    "id",
    "molecule",
    "variable",
    "include",
    "union",
    "subtract",
    "intersect",
    "dynamic",
    "static",
    "delete",
    "clear",
    "empty",
];

/// `group NAME region|type|id|molecule|variable|include|union|subtract|intersect|empty ...`: atoms that match now are
/// added to the group; `subtract` also takes those of the other groups out of it. Prints how many it then has. `dynamic` and `static` say whether that is decided anew during
/// runs, `clear` and `delete` take all atoms out of it.
///
/// # Errors
/// When there is no box, a name is unknown, a 33rd group is asked for, or the group that is to go is in use.
pub fn group(session: &mut Session, args: &mut Args) -> Result<()> {
    session.domain()?;
    let name = args.word("a group name")?;
    let style = args.word("a group style")?;
    let matches: Matches = match style.text.as_str() {
        "clear" | "delete" => return clear(session, args, name, style.text == "delete"),
        "empty" => {
            args.finish()?;
            Box::new(|_, _| false)
        }
        "region" => {
            let region = region_now(session, args)?;
            args.finish()?;
            Box::new(move |atoms, i| region.contains(atoms.x[i]))
        }
        "type" => {
            let types = Selection::read_named(args, &session.system.labels.atom)?;
            Box::new(move |atoms, i| types.contains(i64::from(atoms.kind[i])))
        }
        "id" => {
            let ids = Selection::read(args)?;
            Box::new(move |atoms, i| ids.contains(i64::from(atoms.tag[i])))
        }
        "molecule" => {
            molecular(session, args, style)?;
            let molecules = Selection::read(args)?;
            Box::new(move |atoms, i| molecules.contains(i64::from(atoms.molecule[i])))
        }
        "include" => {
            args.one_of("what to include", &[("molecule", ())])?;
            args.finish()?;
            molecular(session, args, style)?;
            let bit = session.system.groups.bit(&name.text).unwrap_or(0);
            let atoms = session.atoms()?;
            let inside = (0..atoms.len()).filter(|&i| atoms.mask[i] & bit != 0);
            let molecules: BTreeSet<u32> = inside.map(|i| atoms.molecule[i]).filter(|&m| m > 0).collect();
            Box::new(move |atoms, i| molecules.contains(&atoms.molecule[i]))
        }
        "dynamic" => {
            let mut dynamic = crate::session::dynamic_groups::read(session, args, name)?;
            dynamic.bit = session.system.groups.make(name, args)?;
            session.system.groups.dynamic.retain(|old| old.bit != dynamic.bit);
            session.system.groups.dynamic.push(dynamic);
            session.output.log.line(&format!("dynamic group {} defined", name.text));
            return Ok(());
        }
        "static" => {
            args.finish()?;
            let bit = session.system.groups.find(name, args)?;
            session.system.groups.dynamic.retain(|old| old.bit != bit);
            Box::new(|_, _| false)
        }
        "union" => {
            let any = bits(session, args, 1)?.iter().fold(0, |all, bit| all | bit);
            Box::new(move |atoms, i| atoms.mask[i] & any != 0)
        }
        "intersect" => {
            let all = bits(session, args, 2)?.iter().fold(0, |all, bit| all | bit);
            Box::new(move |atoms, i| atoms.mask[i] & all == all)
        }
        "subtract" => {
            let bits = bits(session, args, 2)?;
            if name.text == "all" {
                let error = args.error(name, "group all has all atoms: none can be taken out of it");
                let rest: Vec<&str> = args.taken()[2..].iter().map(|word| &*word.text).collect();
                return Err(error.help(format!(
                    "make another group, `group NAME subtract {}`, and write its name in the place of all",
                    rest.join(" ")
                )));
            }
            let others = bits[1..].iter().fold(0, |all, bit| all | bit);
            let bit = session.system.groups.make(name, args)?;
            for mask in &mut session.atoms_mut()?.mask {
                if *mask & bits[0] != 0 {
                    *mask |= bit;
                }
                // Those that the group had before go, too.
                if *mask & others != 0 {
                    *mask &= !bit;
                }
            }
            Box::new(|_, _| false)
        }
        "variable" => {
            let name = args.word("an atom-style variable")?;
            args.finish()?;
            let reference = Reference { kind: Kind::Variable, id: name.text.clone(), index: Vec::new() };
            let system = session.now();
            let values = system.per_atom(&reference).map_err(|error| args.place(name, error))?;
            Box::new(move |_, i| values[i] != 0.0)
        }
        _ => return Err(args.unknown(style, "group style", STYLES.into_iter())),
    };
    let bit = session.system.groups.make(name, args)?;
    let atoms = session.atoms_mut()?;
    for i in 0..atoms.len() {
        if matches(atoms, i) {
            atoms.mask[i] |= bit;
        }
    }
    let count = atoms.mask.iter().filter(|&mask| mask & bit != 0).count();
    session.output.log.line(&match session.system.groups.is_dynamic(bit) {
        true => format!("dynamic group {} defined", name.text),
        false => format!("{count} atoms in group {}", name.text),
    });
    Ok(())
}

/// Takes the group of a fix, compute or dump, before the name of its style; `is_style` knows these names.
///
/// # Errors
/// At the word, when no group has this name.
pub(super) fn before_style(
    session: &Session,
    args: &mut Args,
    is_style: impl Fn(&str) -> bool,
) -> Result<u32> {
    let word = args.peek();
    let group = session.system.groups.arg(args);
    match word.filter(|word| group.is_err() && is_style(&word.text)) {
        Some(word) => {
            let id = args.taken().first().map_or("ID", |id| &id.text);
            let error =
                args.error(word, format_args!("the group is missing before the style '{}'", word.text));
            Err(error.help(format!("write `{} {id} all {} ...`", args.name(), word.text)))
        }
        None => group,
    }
}

/// That atoms have molecule IDs.
fn molecular(session: &Session, args: &Args, style: &Word) -> Result<()> {
    if session.has_molecules() {
        return Ok(());
    }
    let message = format!("atoms of style {} have no molecules", session.system.atom_style.name);
    Err(args
        .error(style, message)
        .help("another atom_style, such as `bond` or `full`, before the box is made"))
}

/// The bits of the groups named to the end of the line: at least `least`, none of them dynamic.
fn bits(session: &Session, args: &mut Args, least: usize) -> Result<Vec<u32>> {
    let mut bits = Vec::new();
    while bits.len() < least || !args.is_empty() {
        let bit = session.system.groups.arg(args)?;
        if let (true, Some(word)) = (session.system.groups.is_dynamic(bit), args.taken().last()) {
            return Err(args
                .error(word, format_args!("group {} is dynamic", word.text))
                .help(format!("`group {} static` keeps the atoms that it has now", word.text)));
        }
        bits.push(bit);
    }
    Ok(bits)
}

/// Who uses a group: a fix, compute or dump, in words.
fn user(session: &Session, bit: u32) -> Option<String> {
    let fix = session.fixes.iter().map(|fix| fix.header()).find(|header| header.group == bit);
    let compute = session.computes.iter().map(|compute| compute.header()).find(|header| header.group == bit);
    let dump = session.output.dumps.iter().find(|dump| dump.group() == bit);
    fix.map(|header| format!("fix {}", header.id))
        .or_else(|| compute.map(|header| format!("compute {}", header.id)))
        .or_else(|| dump.map(|dump| format!("dump {}", dump.id())))
        .or_else(|| {
            let child = session.system.groups.dynamic.iter().find(|dynamic| dynamic.parent() == bit)?;
            Some(format!("dynamic group {}", session.system.groups.name(child.bit)))
        })
}

/// Takes all atoms out of a group, which then can be deleted.
fn clear(session: &mut Session, args: &Args, name: &Word, delete: bool) -> Result<()> {
    args.finish()?;
    let bit = session.system.groups.find(name, args)?;
    if bit == ALL {
        return Err(args.error(name, "group all cannot be cleared or deleted"));
    }
    if let (true, Some(user)) = (delete, user(session, bit)) {
        return Err(args.error(name, format_args!("{user} uses group {}", name.text)));
    }
    for mask in &mut session.atoms_mut()?.mask {
        *mask &= !bit;
    }
    if delete {
        session.system.groups.names[bit.trailing_zeros() as usize].clear();
        session.system.groups.dynamic.retain(|dynamic| dynamic.bit != bit);
    }
    Ok(())
}
