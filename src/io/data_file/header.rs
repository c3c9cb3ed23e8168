//! The header of a data file.

use super::bonds::no_bonds;
use crate::base::error::{Error, Result, Source};
use crate::model::domain::Domain;
use crate::model::limits::{MOST_BOND_TYPES, MOST_TYPES};
use crate::script::closest;
use crate::script::lines::{Lines, is_number};
use crate::session::Session;

/// Edges of general triclinic boxes that are so near to one another are the same, in lengths of the box: files round them.
const SAME: f64 = 1e-12;

/// What the numbers of a line may be.
const KEYWORDS: [&str; 12] = [
    "atoms",
    "atom types",
    "bonds",
    "bond types",
    "xlo xhi",
    "ylo yhi",
    "zlo zhi",
    "xy xz yz",
    "avec",
    "bvec",
    "cvec",
    "abc origin",
];

/// Keywords of lines that mean nothing here, but for a number of 0.
const OTHERS: [&str; 12] = [
    "extra bond per atom",
    "extra special per atom",
    "angles",
    "dihedrals",
    "impropers",
    "angle types",
    "dihedral types",
    "improper types",
    "ellipsoids",
    "lines",
    "triangles",
    "bodies",
];

/// The words behind the numbers of a line.
fn words_behind(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let numbers = words.iter().take_while(|word| is_number(word)).count();
    if numbers == 0 { String::new() } else { words[numbers..].join(" ") }
}

/// The keyword behind the numbers of a line. As in LAMMPS other words may follow it, but none that nearly make another keyword of it.
fn keyword(line: &str) -> String {
    let words = words_behind(line);
    let is_first =
        |known: &&str| words.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let known = KEYWORDS.into_iter().chain(OTHERS).find(is_first);
    match known {
        Some(known) if closest(&words, KEYWORDS.into_iter()).is_none_or(|close| close == known) => {
            known.to_owned()
        }
        _ => words,
    }
}

/// The counts and edges before the first section.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) atoms: usize,
    pub(super) types: usize,
    pub(super) bonds: usize,
    pub(super) bond_types: usize,
    lo: [f64; 3],
    hi: [f64; 3],
    /// xy xz yz, of a triclinic box.
    tilt: Option<[f64; 3]>,
    /// `avec`, `bvec`, `cvec` and `abc origin`, of a general triclinic box.
    general: Option<[[f64; 3]; 4]>,
    /// Whether a line has given corners or tilts.
    plain: bool,
    /// The lines of xlo xhi and so on, for errors.
    sides: [Option<Source>; 3],
}

impl Header {
    /// Reads up to the first section; edges that are not given are -0.5 and 0.5, as in LAMMPS. Of a file that joins a system
    /// the types may be left out.
    ///
    /// # Errors
    /// Where there is none, or a line of it is malformed.
    pub(super) fn read(lines: &mut Lines, session: &mut Session, joins: bool) -> Result<Self> {
        let (lo, hi) = ([-0.5; 3], [0.5; 3]);
        let mut header = Header {
            atoms: 0,
            types: 0,
            bonds: 0,
            bond_types: 0,
            lo,
            hi,
            tilt: None,
            general: None,
            plain: false,
            sides: Default::default(),
        };
        if !lines.title()? {
            return Err(lines.error_here(Error::new("the file is empty")));
        }
        if let Some((_, units)) = lines.line.split_once("units = ") {
            let (units, mine) = (units.split_whitespace().next().unwrap_or(""), session.system.units.name);
            if units != mine {
                session.output.log.line(&format!(
                    "WARNING: Inconsistent units in data file: current = {mine}, data file = {units}"
                ));
            }
        }
        let title = (words_behind(lines.text()), lines.source());
        let mut seen = Vec::new();
        while lines.advance_to_text()? {
            if !lines.text().split_whitespace().next().is_some_and(is_number) {
                lines.pending = true;
                break;
            }
            header.line(lines, session)?;
            seen.push(keyword(lines.text()));
        }
        let (titled, source) = title;
        if KEYWORDS.contains(&&*titled) && !seen.contains(&titled) {
            let message =
                format!("line 1 is the title, which is not read, and there is no other line `{titled}`");
            let error = Error::new(message).at(&source, 0..source.text.len());
            return Err(error.help("write a line with the name of the system before it"));
        }
        // LAMMPS makes a system of no atoms in a box of size 1.
        if seen.is_empty() && !lines.pending {
            let error =
                Error::new("there is no header: neither `atoms` nor `atom types` nor the edges of the box");
            return Err(lines.error_here(error.help("is this a data file? Its first line is a title")));
        }
        if header.atoms > 0 && header.types == 0 && !joins {
            let message = format!("the header has {} atoms and no `atom types`", header.atoms);
            return Err(lines.error_here(Error::new(message).help("add a line such as `1 atom types`")));
        }
        Ok(header)
    }

    /// The box.
    ///
    /// # Errors
    /// When it is given in two ways, or is none that these systems can have.
    pub(super) fn domain(&self, session: &Session) -> Result<Domain> {
        let domain = match (self.general, self.tilt) {
            (Some(_), _) if self.plain => {
                return Err(Error::new("the box is given by its edge vectors and by its corners or tilts")
                    .help("give `avec bvec cvec` and `abc origin`, or `xlo xhi` and so on"));
            }
            (Some([a, b, c, origin]), _) => Domain::from_edges(origin, [a, b, c], session.system.boundary)?,
            (None, None) => Domain::new(self.lo, self.hi, session.system.boundary)?,
            (None, Some(tilt)) => Domain::new(self.lo, self.hi, session.system.boundary)?.with_tilt(tilt)?,
        };
        domain.check_dimension(session.system.dimension)?;
        Ok(domain)
    }

    /// The error of a box that cannot be: at the line of a side without extent, else where the reading is.
    pub(super) fn at_box(&self, lines: &Lines, error: Error) -> Error {
        let flat = (0..3).find(|&d| self.lo[d] >= self.hi[d]).and_then(|d| self.sides[d].as_ref());
        match flat {
            Some(source) => error.at(source, 0..source.text.len()),
            None => lines.error_here(error),
        }
    }

    /// The box that there is, grown so that it holds that of the file, which is moved by `shift`.
    ///
    /// # Errors
    /// When the boxes are of two kinds, or lean in two ways.
    pub(super) fn grown(&self, domain: &Domain, shift: [f64; 3], dimension: u32) -> Result<Domain> {
        let kind = |general, triclinic| match (general, triclinic) {
            (true, _) => "general triclinic",
            (_, true) => "triclinic",
            _ => "orthogonal",
        };
        let theirs = kind(self.general.is_some(), self.tilt.is_some());
        let ours = kind(domain.general.is_some(), domain.triclinic);
        if theirs != ours {
            return Err(Error::new(format!("the box of the file is {theirs}, that of the system {ours}")));
        }
        if let Some([a, b, c, origin]) = self.general {
            let near = |a: f64, b: f64| (a - b).abs() <= SAME * domain.lengths()[0];
            let pairs =
                [(origin, domain.lo)].into_iter().chain([a, b, c].into_iter().zip(domain.general_edges()));
            if !pairs.into_iter().all(|(a, b)| (0..3).all(|d| near(a[d], b[d]))) {
                let message = "the edges and the origin of the file's box are not those of the system's";
                return Err(Error::new(format!("{message}, which is a general triclinic one")));
            }
            if shift != [0.0; 3] {
                return Err(Error::new("in a general triclinic box `shift` is not possible"));
            }
            return Ok(domain.clone());
        }
        if self.tilt.is_some_and(|tilt| tilt != domain.tilt) {
            let [xy, xz, yz] = domain.tilt;
            let message = "the tilts of the file's box are not those of the system's";
            return Err(Error::new(format!("{message}, xy xz yz = {xy} {xz} {yz}")));
        }
        let lo = std::array::from_fn(|d| domain.lo[d].min(self.lo[d] + shift[d]));
        let hi = std::array::from_fn(|d| domain.hi[d].max(self.hi[d] + shift[d]));
        let grown = domain.with_corners(lo, hi, domain.boundary)?;
        grown.check_dimension(dimension)?;
        Ok(grown)
    }

    /// Reads one line: numbers, then the words that say what they are.
    fn line(&mut self, lines: &Lines, session: &Session) -> Result<()> {
        let style = session.system.atom_style;
        let words: Vec<&str> = lines.text().split_whitespace().collect();
        let keyword = keyword(lines.text());
        let mut values = words.iter().copied().take_while(|word| is_number(word));
        match keyword.as_str() {
            "atoms" => {
                self.atoms = lines.parse(values.next(), "a number of atoms")?;
                if self.atoms > u32::MAX as usize {
                    return Err(lines.error(words[0], "there can be at most 4294967295 atoms".into()));
                }
            }
            "atom types" => {
                self.types = lines.parse(values.next(), "a number of atom types")?;
                if self.types > MOST_TYPES {
                    return Err(
                        lines.error(words[0], format!("there can be at most {MOST_TYPES} atom types"))
                    );
                }
            }
            "xlo xhi" | "ylo yhi" | "zlo zhi" => {
                let axis = usize::from(keyword.as_bytes()[0] - b'x');
                self.lo[axis] = lines.float(values.next(), "a coordinate of the box")?;
                self.hi[axis] = lines.float(values.next(), "a coordinate of the box")?;
                self.plain = true;
                self.sides[axis] = Some(lines.source());
            }
            "bonds" => {
                self.bonds = lines.parse(values.next(), "a number of bonds")?;
                if self.bonds > 0 && !style.molecular {
                    return Err(no_bonds(lines, style));
                }
            }
            "bond types" => {
                self.bond_types = lines.parse(values.next(), "a number of bond types")?;
                if self.bond_types > MOST_BOND_TYPES {
                    return Err(
                        lines.error(words[0], format!("there can be at most {MOST_BOND_TYPES} bond types"))
                    );
                }
            }
            "extra bond per atom" | "extra special per atom" => {
                lines.parse::<usize>(values.next(), "a number")?; // there is always room
            }
            "angles" | "dihedrals" | "impropers" | "angle types" | "dihedral types" | "improper types"
            | "ellipsoids" | "lines" | "triangles" | "bodies"
                if words[0] == "0" =>
            {
                values.next();
            }
            "xy xz yz" => {
                let mut tilt = [0.0; 3];
                for tilt in &mut tilt {
                    *tilt = lines.float(values.next(), "a tilt of the box")?;
                }
                self.tilt = Some(tilt);
                self.plain = true;
            }
            "avec" | "bvec" | "cvec" | "abc origin" => {
                let flat = session.system.dimension == 2;
                let origin = [0.0, 0.0, if flat { -0.5 } else { 0.0 }];
                let vectors =
                    self.general.get_or_insert([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], origin]);
                let which =
                    if keyword == "abc origin" { 3 } else { usize::from(keyword.as_bytes()[0] - b'a') };
                for component in &mut vectors[which] {
                    *component = lines.float(values.next(), "a component of a vector")?;
                }
            }
            _ => {
                let error = Error::new(format!("'{keyword}' is not a header keyword that is supported"))
                    .help(format!("supported: {}", KEYWORDS.join(", ")));
                let error = match closest(&keyword, KEYWORDS.into_iter()) {
                    Some(close) => error.label(format!("did you mean '{close}'?")),
                    None => error,
                };
                return Err(lines.error_here(error));
            }
        }
        match values.next() {
            None => Ok(()),
            Some(word) => Err(lines.error(word, format!("unexpected '{word}'"))),
        }
    }
}
