//! The input format: a title, the number of particles, the radius, then x y z charge, one particle per line.

use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr;

use super::Droplet;
use crate::base::error::{Error, Result, Source};

/// The lines of a file, for messages.
struct Lines<'a> {
    file: &'a str,
    lines: Vec<&'a str>,
}

impl Lines<'_> {
    fn source(&self, index: usize) -> Source {
        let text = self.lines.get(index).map_or("", |line| line.trim_end());
        Source { file: self.file.into(), line: index + 1, text: text.into() }
    }

    /// An error that points at a word of the line, or behind its end.
    fn error(&self, index: usize, word: Option<&str>, message: String) -> Error {
        let source = self.source(index);
        let span = match word {
            // `word` is a slice of the line: the distance of their addresses is its place.
            Some(word) => {
                let start = word.as_ptr() as usize - self.lines[index].as_ptr() as usize;
                start..start + word.len()
            }
            None => source.text.len()..source.text.len() + 1,
        };
        Error::new(message).at(&source, span)
    }

    /// The words of a line, each of them read as what `names` calls it.
    fn words<'w, const N: usize>(&'w self, index: usize, names: [&str; N]) -> Result<[&'w str; N]> {
        let Some(line) = self.lines.get(index) else {
            // The last line stands for the place where the file ends.
            let message = format!("the file ends before {}", names[0]);
            return Err(self.error(self.lines.len().saturating_sub(1), None, message));
        };
        let mut words = line.split_whitespace();
        let mut found = [""; N];
        for (word, name) in found.iter_mut().zip(names) {
            *word = words.next().ok_or_else(|| {
                self.error(index, None, format!("{name} is missing")).label(format!("expected {name}"))
            })?;
        }
        match words.next() {
            Some(extra) => Err(self
                .error(index, Some(extra), format!("unexpected '{extra}'"))
                .label(format!("expected the end of the line after {}", names[N - 1]))),
            None => Ok(found),
        }
    }

    fn number<T: FromStr>(
        &self,
        index: usize,
        word: &str,
        what: &str,
        is_good: impl Fn(&T) -> bool,
    ) -> Result<T> {
        word.parse().ok().filter(is_good).ok_or_else(|| {
            self.error(index, Some(word), format!("'{word}' is not {what}")).label(format!("expected {what}"))
        })
    }
}

impl Droplet {
    /// Reads a file. Blank lines at its end are allowed, and words beyond the numbers are not.
    ///
    /// # Errors
    /// A file that cannot be read; with line and word: what is missing or no number, fewer or more lines than line 2
    /// promises, two particles in one place.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|err| Error::io("read", path, &err))?;
        Droplet::parse(&path.display().to_string(), &String::from_utf8_lossy(&bytes))
    }

    /// As [`Droplet::read`], of a text; `file` is for messages.
    ///
    /// # Errors
    /// As for [`Droplet::read`].
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        let lines = Lines { file, lines: text.trim_end().lines().collect() };
        let Some(title) = lines.lines.first() else {
            return Err(Error::new(format!("{file} is empty")).help(
                "it should have a title, the number of particles, the radius of the droplet, and then lines \
                 x y z charge",
            ));
        };
        let count = "the number of particles (a whole number from 1 on)";
        let [word] = lines.words(1, [count])?;
        let n: u32 = lines.number(1, word, count, |&n| n > 0)?;
        let what = "the radius of the droplet (a positive number)";
        let [word] = lines.words(2, [what])?;
        let radius: f64 = lines.number(2, word, what, |r: &f64| r.is_finite() && *r > 0.0)?;
        let mut droplet = Droplet { title: (*title).to_owned(), radius, x: Vec::new(), charge: Vec::new() };
        let mut places: HashMap<[u64; 3], usize> = HashMap::new();
        for done in 0..n as usize {
            let index = 3 + done;
            if index >= lines.lines.len() {
                let message = format!("the file ends after {done} of the {n} particles that line 2 promises");
                return Err(lines
                    .error(lines.lines.len() - 1, None, message)
                    .label("expected another line x y z charge")
                    .help("the file is truncated, or the number in its second line is wrong"));
            }
            let names = ["x", "y", "z", "the charge"];
            let words = lines.words(index, names)?;
            let mut numbers = [0.0; 4];
            for ((number, word), name) in numbers.iter_mut().zip(words).zip(names) {
                *number =
                    lines.number(index, word, &format!("{name} (a number)"), |x: &f64| x.is_finite())?;
            }
            let [x, y, z, charge] = numbers;
            // As fp32 has them, and with one zero: what is one place there has no distance.
            let place = [x, y, z].map(|x| f64::from(x as f32 + 0.0).to_bits());
            if let Some(before) = places.insert(place, index + 1) {
                let message = format!("this particle is at the place of the one in line {before}");
                return Err(lines.error(index, Some(lines.lines[index].trim()), message));
            }
            droplet.x.push([x, y, z]);
            droplet.charge.push(charge);
        }
        match lines.lines.get(3 + n as usize) {
            Some(line) => Err(lines
                .error(3 + n as usize, Some(line.trim()), format!("the file goes on after {n} particles"))
                .label("expected the end of the file")
                .help("the number in its second line is wrong")),
            None => Ok(droplet),
        }
    }
}
