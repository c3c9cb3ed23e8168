//! Kernel sources: files of cl/ that are part of the program, and how a text is put together of them.
//!
//! A file may have pieces, from a line `//= piece NAME` up to a line `//= end`: code that does not stand where it is written, but at each line
//! `//= insert NAME` of the program's files. So a loop of cl/force/ says what it consists of, other files say what that is, and the compiler
//! sees plain code. A piece inserts no other one.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A kernel file: its name for `#line` and its text.
pub type File = (&'static str, &'static str);

/// A file of cl/ by its name there, as a [`File`]; or several as one, in their order.
macro_rules! kernel_file {
    ($name:expr) => {
        ($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/cl/", $name)))
    };
    ($first:expr, $($next:expr),+) => {
        (
            concat!($first, $("+", $next),+),
            concat!(
                "#line 1 \"cl/",
                $first,
                "\"\n",
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/cl/", $first)),
                $(
                    "#line 1 \"cl/",
                    $next,
                    "\"\n",
                    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/cl/", $next)),
                )+
            ),
        )
    };
}
pub(crate) use kernel_file;

/// What a line of `//=` says: the word behind that and the name of the piece, if any.
fn directive(line: &str) -> Option<(&str, &str)> {
    let words = line.trim().strip_prefix("//= ")?;
    Some(words.split_once(' ').unwrap_or((words, "")))
}

/// A file's pieces by their names, each with a `#line` before it.
fn pieces_of(name: &str, text: &str) -> Vec<(String, String)> {
    let mut pieces: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for (at, line) in text.lines().enumerate() {
        match directive(line) {
            Some(("piece", piece)) => {
                inside = true;
                pieces.push((piece.to_owned(), format!("#line {} \"cl/{name}\"\n", at + 2)));
            }
            Some(("end", _)) => inside = false,
            _ if inside => {
                if let Some((_, code)) = pieces.last_mut() {
                    *code += line;
                    code.push('\n');
                }
            }
            _ => {}
        }
    }
    pieces
}

/// Files one after the other, with pieces where they are inserted; `#line` makes the compiler name each file and its own lines.
pub(crate) fn put_together(files: &[(&str, &str)]) -> String {
    let files = files.iter().map(|(name, text)| (name.strip_prefix("cl/").unwrap_or(name), *text));
    let mut pieces: BTreeMap<String, String> = BTreeMap::new();
    for (piece, code) in files.clone().flat_map(|(name, text)| pieces_of(name, text)) {
        let twice = format!("#error \"two files have the piece {piece}\"\n");
        pieces.entry(piece).and_modify(|code| *code = twice).or_insert(code);
    }
    let mut source = String::new();
    for (name, text) in files {
        let mut inside = false;
        writeln!(source, "#line 1 \"cl/{name}\"").expect("a String takes every write");
        for (at, line) in text.lines().enumerate() {
            match directive(line) {
                Some(("insert", piece)) => {
                    let missing = format!("#error \"no file has the piece {piece}\"\n");
                    source += pieces.get(piece).unwrap_or(&missing);
                    source += &format!("#line {} \"cl/{name}\"", at + 2);
                }
                Some((word, _)) => inside = word == "piece",
                None if inside => {}
                None => source += line,
            }
            source.push('\n');
        }
    }
    source
}

/// A file as texts of its own, as those have that are put together at run time.
pub(crate) fn owned((name, text): File) -> (String, String) {
    (name.to_owned(), text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::put_together;

    #[test]
    fn pieces_come_to_where_they_are_inserted() {
        let pieces =
            ("a.cl", "one\n//= piece x\n    two\n    three\n//= end\nfour\n//= piece empty\n//= end");
        let kernel = ("cl/b.cl", "{\n    //= insert x\n    //= insert empty\n    //= insert y\n}\n");
        let a = "#line 1 \"cl/a.cl\"\none\n\n\n\n\nfour\n\n\n";
        let x = "#line 3 \"cl/a.cl\"\n    two\n    three\n#line 3 \"cl/b.cl\"\n";
        let empty = "#line 8 \"cl/a.cl\"\n#line 4 \"cl/b.cl\"\n";
        let missing = "#error \"no file has the piece y\"\n#line 5 \"cl/b.cl\"\n";
        let b = format!("#line 1 \"cl/b.cl\"\n{{\n{x}{empty}{missing}}}\n");
        assert_eq!(put_together(&[pieces, kernel]), a.to_owned() + &b);
        let again = ("c.cl", "//= piece x\n//= end");
        let both = put_together(&[pieces, again, ("d.cl", "//= insert x")]);
        assert!(both.contains("#line 1 \"cl/d.cl\"\n#error \"two files have the piece x\"\n"), "{both}");
    }
}
