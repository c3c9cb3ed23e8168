//! Triangles from STL files, as text or binary. Source: M. Burns, Automated Fabrication (1993), section 6.5. Text is read in
//! double precision, as LAMMPS does it, which readers for drawing don't.

use crate::base::error::{Error, Result};
use crate::base::text::{self, Text};
use crate::script::lines::Lines;
use std::path::Path;

/// Three corners, in the units of the file.
pub(super) type Triangle = [[f64; 3]; 3];

/// What a file holds.
pub(super) struct Stl {
    file: String,
    /// What it is called inside.
    title: String,
    /// Whether it is text.
    text: bool,
    /// Of all its solids.
    pub(super) triangles: Vec<Triangle>,
}

/// Of a binary file: a title, a count, and for each triangle four vectors of 32-bit numbers and two bytes.
const TITLE: usize = 80;
const HEAD: usize = TITLE + 4;
const RECORD: usize = 50;

impl Stl {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read; at the line of a text, or with the number of the triangle, where it is malformed.
    pub(super) fn read(name: &str) -> Result<Self> {
        Stl::of(text::read_bytes(Path::new(name), "the STL file that was read")?, name)
    }

    fn of(bytes: Vec<u8>, name: &str) -> Result<Self> {
        // Both kinds may begin with the word `solid`; only a binary file is as long as its count says.
        let count = bytes.get(TITLE..HEAD).and_then(|count| count.try_into().ok()).map(u32::from_le_bytes);
        match count {
            Some(count) if bytes.len() == HEAD + RECORD * count as usize => Stl::binary(&bytes, name),
            _ if is_solid(&bytes) => Stl::text(bytes, name),
            Some(count) => {
                let (size, wanted) = (bytes.len(), HEAD + RECORD * count as usize);
                let message = format!(
                    "{name} is no STL file: it does not begin with `solid`, and a binary file of {count} triangles has \
                     {wanted} bytes, not {size}"
                );
                Err(Error::new(message))
            }
            None => Err(Error::new(format!("{name} is no STL file: it does not begin with `solid`"))),
        }
    }

    fn binary(bytes: &[u8], name: &str) -> Result<Self> {
        let title = String::from_utf8_lossy(&bytes[..TITLE]);
        let title = title.trim_matches(|c: char| c == '\0' || c.is_whitespace()).to_owned();
        let mut triangles = Vec::new();
        for (index, record) in bytes[HEAD..].chunks_exact(RECORD).enumerate() {
            let number = |place: usize| {
                let number: [u8; 4] = std::array::from_fn(|byte| record[4 * place + byte]);
                f64::from(f32::from_le_bytes(number))
            };
            // The first vector is the normal.
            let triangle: Triangle =
                std::array::from_fn(|corner| std::array::from_fn(|d| number(3 + 3 * corner + d)));
            if !triangle.iter().flatten().all(|x| x.is_finite()) {
                let message = format!("{name}: triangle {} has a coordinate that is no number", index + 1);
                return Err(Error::new(message));
            }
            triangles.push(triangle);
        }
        Ok(Stl { file: name.to_owned(), title, text: false, triangles })
    }

    fn text(bytes: Vec<u8>, name: &str) -> Result<Self> {
        // The names of solids are all that may be no ASCII: they may be in Latin-1.
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|wrong| wrong.into_bytes().into_iter().map(char::from).collect());
        let mut lines = Lines::new(Text::of(text.into_bytes(), name));
        lines.title()?;
        let title = lines.line.trim_start_matches("solid").trim().to_owned();
        let mut triangles = Vec::new();
        loop {
            next(&mut lines, "`facet` or `endsolid`")?;
            let words: Vec<&str> = lines.text().split_whitespace().collect();
            match words[0] {
                "facet" => triangles.push(facet(&mut lines)?),
                "endsolid" => {
                    // More solids may follow.
                    if !lines.advance_to_text()? {
                        return Ok(Stl { file: name.to_owned(), title, text: true, triangles });
                    }
                    expect(&lines, &["solid"])?;
                }
                word => return Err(lines.error(word, format!("'{word}' is not `facet` or `endsolid`"))),
            }
        }
    }

    /// What it is, for the log.
    pub(super) fn describe(&self) -> String {
        let kind = if self.text { "text" } else { "binary" };
        format!("Reading STL object {} from {kind} file {}", self.title, self.file)
    }
}

/// Whether it begins as text does, behind a byte order mark or not.
fn is_solid(bytes: &[u8]) -> bool {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).starts_with(b"solid")
}

/// Goes on to the next line with text.
fn next(lines: &mut Lines, what: &str) -> Result<()> {
    if lines.advance_to_text()? {
        return Ok(());
    }
    let error = Error::new(format!("the file ends where {what} should follow"));
    Err(lines.error_here(error.help("the file is truncated")))
}

/// Refuses a line that does not begin with these words.
fn expect(lines: &Lines, words: &[&str]) -> Result<()> {
    let mut found = lines.text().split_whitespace();
    if words.iter().all(|word| found.next() == Some(word)) {
        return Ok(());
    }
    Err(lines.error_here(Error::new(format!("this line should begin with `{}`", words.join(" ")))))
}

/// Reads the lines after `facet normal X Y Z`; what the normal is does not matter.
fn facet(lines: &mut Lines) -> Result<Triangle> {
    let mut triangle = Triangle::default();
    next(lines, "`outer loop`")?;
    expect(lines, &["outer", "loop"])?;
    for corner in &mut triangle {
        next(lines, "`vertex`")?;
        expect(lines, &["vertex"])?;
        let mut words = lines.text().split_whitespace().skip(1);
        for x in corner {
            *x = lines.float(words.next(), "a coordinate")?;
        }
        if let Some(word) = words.next() {
            return Err(lines.error(word, format!("unexpected '{word}'")));
        }
    }
    for end in ["endloop", "endfacet"] {
        next(lines, &format!("`{end}`"))?;
        expect(lines, &[end])?;
    }
    Ok(triangle)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "solid two of them\nfacet normal 0 0 1\n outer loop\n  vertex 0 0 0.1\n  vertex 1e0 0 0\n\
                        vertex 0 2 0\n endloop\nendfacet\nendsolid\n\nsolid\nfacet normal 0 0 1\nouter loop\n\
                        vertex 1 2 3\nvertex 4 5 6\nvertex 7 8 9.5\nendloop\nendfacet\nendsolid two\n";

    const TRIANGLES: [Triangle; 2] = [
        [[0.0, 0.0, 0.1], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.5]],
    ];

    /// A binary file, whose title may begin like a text.
    fn binary(title: &str, triangles: &[Triangle]) -> Vec<u8> {
        let mut bytes = title.as_bytes().to_vec();
        bytes.resize(TITLE, 0);
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for triangle in triangles {
            bytes.extend([0; 12]);
            bytes.extend(triangle.iter().flatten().flat_map(|&x| (x as f32).to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    #[test]
    fn both_kinds() {
        let text = Stl::of(TEXT.into(), "x.stl").expect("read");
        assert_eq!((&*text.title, text.text, &text.triangles[..]), ("two of them", true, &TRIANGLES[..]));
        let mut latin1 = TEXT.replace("two", "t?o").into_bytes();
        latin1.iter_mut().filter(|byte| **byte == b'?').for_each(|byte| *byte = 0xe9);
        let text = Stl::of(latin1, "x.stl").expect("read");
        assert_eq!((&*text.title, &text.triangles[..]), ("t\u{e9}o of them", &TRIANGLES[..]));
        let found = Stl::of(binary("solid box ", &TRIANGLES), "x.stl").expect("read");
        let single = TRIANGLES.map(|t| t.map(|corner| corner.map(|x| f64::from(x as f32))));
        assert_eq!((&*found.title, found.text, &found.triangles[..]), ("solid box", false, &single[..]));
    }

    #[test]
    fn mistakes_are_told_at_their_place() {
        for (from, to, message) in [
            ("vertex 0 2 0", "vertex 0 2", "a coordinate is missing (x.stl:6)"),
            ("vertex 0 2 0", "vertex 0 2 zero", "'zero' is not a coordinate (x.stl:6)"),
            ("vertex 0 2 0", "vertex 0 2 0 1", "unexpected '1' (x.stl:6)"),
            ("outer loop", "loop", "this line should begin with `outer loop` (x.stl:3)"),
            ("endloop", "vertex 1 1 1", "this line should begin with `endloop` (x.stl:7)"),
            ("facet", "face", "'face' is not `facet` or `endsolid` (x.stl:2)"),
            ("endsolid two", "", "the file ends where `facet` or `endsolid` should follow (x.stl:20)"),
            ("solid two", "2", "x.stl is no STL file: it does not begin with `solid`, and a binary file of"),
        ] {
            let error = Stl::of(TEXT.replacen(from, to, 1).into(), "x.stl").err().expect("refused");
            assert!(error.to_string().starts_with(message), "{error}");
        }
        let mut wrong = TRIANGLES;
        wrong[1][2][0] = f64::INFINITY;
        let error = Stl::of(binary("box", &wrong), "x.stl").err().expect("refused");
        assert_eq!(error.message, "x.stl: triangle 2 has a coordinate that is no number");
    }
}
