//! Files of the embedded-atom method: funcfl (one element), setfl (alloys), and setfl of Finnis-Sinclair's kind, in which a density depends on
//! both elements, with negative densities or without. Source: LAMMPS manual, pair_style eam.

use super::super::potential_file::PotentialFile;
use crate::base::error::Result;
use crate::script::Args;
use serde::{Deserialize, Serialize};

/// What kind of file a style reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Format {
    Funcfl,
    Setfl,
    FinnisSinclair,
    /// The same over densities from a negative one on.
    Helium,
    /// Setfl, and behind it tables of dipoles and quadrupoles.
    Angular,
}

impl Format {
    /// Whether a density depends on both elements.
    pub(super) fn by_pairs(self) -> bool {
        matches!(self, Format::FinnisSinclair | Format::Helium)
    }
}

/// An even grid, from 0 on if nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Grid {
    pub(super) points: usize,
    pub(super) spacing: f64,
}

impl Grid {
    /// The last point.
    pub(super) fn end(self) -> f64 {
        (self.points - 1) as f64 * self.spacing
    }
}

/// A potential file: tables over densities and over distances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct EamFile {
    /// Of densities, from `first_rho` on.
    pub(super) rho: Grid,
    pub(super) first_rho: f64,
    /// Of distances.
    pub(super) r: Grid,
    pub(super) cutoff: f64,
    pub(super) elements: Vec<Element>,
    /// r phi of the elements i >= j, at i (i + 1) / 2 + j; of funcfl the effective charge instead, whose products make it.
    pub(super) pairs: Vec<Vec<f64>>,
    /// Functions of dipoles and of quadrupoles, as `pairs`; of adp alone.
    pub(super) bends: [Vec<Vec<f64>>; 2],
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Element {
    /// Empty in funcfl.
    pub(super) name: String,
    pub(super) mass: f64,
    /// F over the density.
    pub(super) embedding: Vec<f64>,
    /// The density that it makes, at any atom or, by elements, at those.
    pub(super) density: Vec<Vec<f64>>,
}

/// Points that a table has at least, as slopes at its ends take so many, and at most.
const LEAST_POINTS: usize = 5;
const MOST_POINTS: usize = 1_000_000;

impl EamFile {
    /// Reads a file of a format; energies times `factor`.
    ///
    /// # Errors
    /// Where the file does not hold what it should.
    pub(super) fn read(file: &mut PotentialFile, format: Format, factor: f64) -> Result<Self> {
        match format {
            Format::Funcfl => EamFile::funcfl(file, factor),
            _ => EamFile::setfl(file, format, factor),
        }
    }

    /// Whether there are all tables of a format, as long as their grids: of what a restart file has kept.
    pub(super) fn is_whole(&self, format: Format) -> bool {
        let EamFile { rho, r, elements, pairs, bends, .. } = self;
        let fits = |table: &Vec<f64>, grid: &Grid| table.len() == grid.points;
        let sound = |grid: &Grid| (LEAST_POINTS..=MOST_POINTS).contains(&grid.points) && grid.spacing > 0.0;
        let at = if format.by_pairs() { elements.len() } else { 1 };
        let of_pairs = elements.len() * (elements.len() + 1) / 2;
        let of_element = |element: &Element| {
            let Element { embedding, density, .. } = element;
            fits(embedding, rho) && density.len() == at && density.iter().all(|table| fits(table, r))
        };
        let mut all_of_pairs = vec![pairs];
        if format == Format::Angular {
            all_of_pairs.extend(bends);
        }
        let whole =
            |tables: &&Vec<Vec<f64>>| tables.len() == of_pairs && tables.iter().all(|table| fits(table, r));
        (format != Format::Funcfl || elements.len() == 1)
            && sound(rho)
            && sound(r)
            && elements.iter().all(of_element)
            && all_of_pairs.iter().all(whole)
    }

    fn funcfl(file: &mut PotentialFile, factor: f64) -> Result<Self> {
        file.skip(1);
        let line = file.line("the line with the mass")?;
        let mut args = Args::new(&line);
        args.int::<i64>("the atomic number")?;
        let mass = args.positive("the mass")?;
        let (rho, r, cutoff, first_rho) = grids(file, Format::Funcfl)?;
        let scaled = |numbers: Vec<f64>, by: f64| numbers.into_iter().map(|number| number * by).collect();
        let embedding = scaled(file.numbers(rho.points, "F(rho)")?, factor);
        // r phi is a product of two of these.
        let charge = scaled(file.numbers(r.points, "Z(r)")?, factor.sqrt());
        let density = vec![file.numbers(r.points, "rho(r)")?];
        let elements = vec![Element { name: String::new(), mass, embedding, density }];
        Ok(EamFile { rho, first_rho, r, cutoff, elements, pairs: vec![charge], bends: Default::default() })
    }

    fn setfl(file: &mut PotentialFile, format: Format, factor: f64) -> Result<Self> {
        file.skip(3);
        let line = file.line("the line with the elements")?;
        let mut args = Args::new(&line);
        let count = args.count_up_to("the number of elements", 1, 100)?;
        let names: Vec<String> = (0..count)
            .map(|_| Ok(args.word("the name of an element")?.text.clone()))
            .collect::<Result<_>>()?;
        let (rho, r, cutoff, first_rho) = grids(file, format)?;
        let scaled =
            |numbers: Vec<f64>, by: f64| numbers.into_iter().map(|number| number * by).collect::<Vec<f64>>();
        let mut elements = Vec::new();
        for name in names {
            let line = file.line(&format!("the line of element {name}"))?;
            let mut args = Args::new(&line);
            args.int::<i64>("the atomic number")?;
            let mass = args.positive("the mass")?;
            let embedding = scaled(file.numbers(rho.points, &format!("F(rho) of {name}"))?, factor);
            let densities = if format.by_pairs() { count } else { 1 };
            let what = format!("rho(r) of {name}");
            let density = (0..densities).map(|_| file.numbers(r.points, &what)).collect::<Result<_>>()?;
            elements.push(Element { name, mass, embedding, density });
        }
        let mut of_pairs = |function: &str, factor: f64| -> Result<Vec<Vec<f64>>> {
            let mut tables = Vec::new();
            for i in 0..count {
                for j in 0..=i {
                    let what = format!("{function} of {} and {}", elements[i].name, elements[j].name);
                    tables.push(scaled(file.numbers(r.points, &what)?, factor));
                }
            }
            Ok(tables)
        };
        let pairs = of_pairs("r phi(r)", factor)?;
        // Energies are squares of these.
        let bends = match format {
            Format::Angular => [of_pairs("u(r)", factor.sqrt())?, of_pairs("w(r)", factor.sqrt())?],
            _ => Default::default(),
        };
        Ok(EamFile { rho, first_rho, r, cutoff, elements, pairs, bends })
    }
}

/// The line `nrho drho nr dr cutoff`, behind which eam/he has the density where its tables end; the grids, the cutoff, and the first density.
fn grids(file: &mut PotentialFile, format: Format) -> Result<(Grid, Grid, f64, f64)> {
    let line = file.line("the line with nrho, drho, nr, dr and the cutoff")?;
    let mut args = Args::new(&line);
    let mut grid = |points, spacing| -> Result<Grid> {
        Ok(Grid {
            points: args.count_up_to(points, LEAST_POINTS, MOST_POINTS)?,
            spacing: args.positive(spacing)?,
        })
    };
    let rho = grid("nrho, the number of densities", "drho, the step of densities")?;
    let r = grid("nr, the number of distances", "dr, the step of distances")?;
    let cutoff = args.positive("the cutoff")?;
    let first_rho = match format {
        Format::Helium => args.f64("rhomax, the density where the tables end")? - rho.end(),
        _ => 0.0,
    };
    Ok((rho, r, cutoff, first_rho))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_restart_file_has_must_be_whole() {
        let grid = Grid { points: 6, spacing: 0.5 };
        let element = Element {
            name: "Aa".to_owned(),
            mass: 1.0,
            embedding: vec![0.0; 6],
            density: vec![vec![0.0; 6]; 2],
        };
        let whole = EamFile {
            rho: grid,
            first_rho: 0.0,
            r: grid,
            cutoff: 2.0,
            elements: vec![element; 2],
            pairs: vec![vec![0.0; 6]; 3],
            bends: Default::default(),
        };
        assert!(whole.is_whole(Format::FinnisSinclair));
        for format in [Format::Setfl, Format::Funcfl, Format::Angular] {
            assert!(!whole.is_whole(format), "{format:?}");
        }
        let spoils: [fn(&mut EamFile); 6] = [
            |file| file.r.points = 7,
            |file| file.rho.spacing = f64::NAN,
            |file| file.elements[1].embedding.truncate(5),
            |file| file.elements[0].density.truncate(1),
            |file| file.pairs[2].push(0.0),
            |file| file.pairs.truncate(2),
        ];
        for spoil in spoils {
            let mut file = whole.clone();
            spoil(&mut file);
            assert!(!file.is_whole(Format::FinnisSinclair), "{file:?}");
        }
    }
}
