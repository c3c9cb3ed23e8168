//! Files of the embedded-atom method: funcfl (one element), setfl (alloys), and setfl of Finnis-Sinclair's kind, in which a density depends on
//! both elements. Source: LAMMPS manual, pair_style eam.

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
}

/// An even grid from 0 on.
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
    /// Of densities.
    pub(super) rho: Grid,
    /// Of distances.
    pub(super) r: Grid,
    pub(super) cutoff: f64,
    pub(super) elements: Vec<Element>,
    /// r phi of the elements i >= j, at i (i + 1) / 2 + j; of funcfl the effective charge instead, whose products make it.
    pub(super) pairs: Vec<Vec<f64>>,
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

/// Points that a table may have.
const MOST_POINTS: usize = 1_000_000;

impl EamFile {
    /// Reads a file of a format; energies times `factor`.
    ///
    /// # Errors
    /// Where the file does not hold what it should.
    pub(super) fn read(file: &mut PotentialFile, format: Format, factor: f64) -> Result<Self> {
        match format {
            Format::Funcfl => EamFile::funcfl(file, factor),
            _ => EamFile::setfl(file, format == Format::FinnisSinclair, factor),
        }
    }

    fn funcfl(file: &mut PotentialFile, factor: f64) -> Result<Self> {
        file.skip(1);
        let line = file.line("the line with the mass")?;
        let mut args = Args::new(&line);
        args.int::<i64>("the atomic number")?;
        let mass = args.positive("the mass")?;
        let (rho, r, cutoff) = grids(file)?;
        let scaled = |numbers: Vec<f64>, by: f64| numbers.into_iter().map(|number| number * by).collect();
        let embedding = scaled(file.numbers(rho.points, "F(rho)")?, factor);
        // r phi is a product of two of these.
        let charge = scaled(file.numbers(r.points, "Z(r)")?, factor.sqrt());
        let density = vec![file.numbers(r.points, "rho(r)")?];
        let elements = vec![Element { name: String::new(), mass, embedding, density }];
        Ok(EamFile { rho, r, cutoff, elements, pairs: vec![charge] })
    }

    fn setfl(file: &mut PotentialFile, by_pairs: bool, factor: f64) -> Result<Self> {
        file.skip(3);
        let line = file.line("the line with the elements")?;
        let mut args = Args::new(&line);
        let count = args.count_up_to("the number of elements", 1, 100)?;
        let names: Vec<String> = (0..count)
            .map(|_| Ok(args.word("the name of an element")?.text.clone()))
            .collect::<Result<_>>()?;
        let (rho, r, cutoff) = grids(file)?;
        let scaled = |numbers: Vec<f64>| numbers.into_iter().map(|number| number * factor).collect();
        let mut elements = Vec::new();
        for name in names {
            let line = file.line(&format!("the line of element {name}"))?;
            let mut args = Args::new(&line);
            args.int::<i64>("the atomic number")?;
            let mass = args.positive("the mass")?;
            let embedding = scaled(file.numbers(rho.points, &format!("F(rho) of {name}"))?);
            let densities = if by_pairs { count } else { 1 };
            let what = format!("rho(r) of {name}");
            let density = (0..densities).map(|_| file.numbers(r.points, &what)).collect::<Result<_>>()?;
            elements.push(Element { name, mass, embedding, density });
        }
        let mut pairs = Vec::new();
        for i in 0..count {
            for j in 0..=i {
                let what = format!("r phi(r) of {} and {}", elements[i].name, elements[j].name);
                pairs.push(scaled(file.numbers(r.points, &what)?));
            }
        }
        Ok(EamFile { rho, r, cutoff, elements, pairs })
    }
}

/// The line `nrho drho nr dr cutoff`.
fn grids(file: &mut PotentialFile) -> Result<(Grid, Grid, f64)> {
    let line = file.line("the line with nrho, drho, nr, dr and the cutoff")?;
    let mut args = Args::new(&line);
    let mut grid = |points, spacing| -> Result<Grid> {
        // The slopes at the ends take five points.
        Ok(Grid { points: args.count_up_to(points, 5, MOST_POINTS)?, spacing: args.positive(spacing)? })
    };
    let rho = grid("nrho, the number of densities", "drho, the step of densities")?;
    let r = grid("nr, the number of distances", "dr, the step of distances")?;
    Ok((rho, r, args.positive("the cutoff")?))
}
