//! `pair_style eam`, `eam/alloy`, `eam/fs`, `eam/he`: the embedded-atom method. E = sum over atoms of F(rho) + sum over pairs of phi(r), with rho the sum
//! of the densities that the others make at an atom.
//!
//! `pair_coeff I I FILE` with a funcfl file per type (eam), or `pair_coeff * * FILE ELEMENT ...` with one setfl file and the element of each
//! type, `NULL` for types that take no part. Tables are the files', interpolated by cubics as LAMMPS does; energies in eV or, in units real,
//! kcal/mol, distances in Angstrom. Sources: M. S. Daw and M. I. Baskes, Phys. Rev. B 29, 6443 (1984); S. M. Foiles, M. I. Baskes and M. S. Daw,
//! Phys. Rev. B 33, 7983 (1986); M. W. Finnis and J. E. Sinclair, Phil. Mag. A 50, 45 (1984); LAMMPS manual, pair_style eam.

pub(super) mod adp;
mod files;
mod parabolas;
mod tables;

use super::many_body::{self, Around, Contribution, FirstPass, Leaves, Loaded, ManyBody, Types, no_numbers};
use super::style::{Params, Style};
use crate::base::error::{Error, Result};
use crate::gpu::source::{File, kernel_file};
use crate::script::{Args, Word};
use files::{EamFile, Format};
use serde_json::Value;
use std::borrow::Cow;
use tables::{Rows, Tables, row_of, slope, value};

struct Eam {
    name: &'static str,
    format: Format,
    /// Funcfl files in the order in which the script names them, each once; else one.
    files: Vec<EamFile>,
    /// The names of funcfl files.
    names: Vec<String>,
    tables: Option<Tables>,
}

fn style(name: &'static str, format: Format) -> Result<Box<dyn Style>> {
    Ok(Box::new(Eam::new(name, format)))
}

/// `eam`.
pub(super) fn funcfl(_: &mut Args<'_>) -> Result<Box<dyn Style>> {
    style("eam", Format::Funcfl)
}

/// `eam/alloy`.
pub(super) fn alloy(_: &mut Args<'_>) -> Result<Box<dyn Style>> {
    style("eam/alloy", Format::Setfl)
}

/// `eam/fs`.
pub(super) fn finnis_sinclair(_: &mut Args<'_>) -> Result<Box<dyn Style>> {
    style("eam/fs", Format::FinnisSinclair)
}

/// `eam/he`: densities may be negative.
pub(super) fn helium(_: &mut Args<'_>) -> Result<Box<dyn Style>> {
    style("eam/he", Format::Helium)
}

/// The elements of a pair.
fn elements(params: &[f64]) -> [usize; 2] {
    [params[0] as usize, params[1] as usize]
}

/// The factor of a pair's energy, or of F of a type in its pair with itself, where there is one: `fix adapt` changes it.
fn scale(params: &[f64]) -> f64 {
    params.get(2).copied().unwrap_or(1.0)
}

/// The factors of all pairs, to begin with.
fn add_scales(loaded: &mut Loaded) {
    loaded.pairs.iter_mut().for_each(|(_, params)| params.push(1.0));
}

impl Style for Eam {
    fn name(&self) -> &'static str {
        self.name
    }

    fn snippet(&self) -> File {
        match self.first_parabola() {
            None => kernel_file!("pair/eam_exact.cl", "pair/eam.cl"),
            Some(_) => kernel_file!("pair/eam_exact.cl", "pair/eam_parabolas.cl"),
        }
    }

    fn global(&self) -> &[f64] {
        &[]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        Err(no_numbers(args, self.name()))
    }

    /// Of types that have files of their own.
    fn mix(&self, _rule: super::style::Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        (self.format == Format::Funcfl).then(|| vec![a[0], b[0], 1.0])
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["", "", "scale"]
    }

    /// One for all, as files may be added behind a pair's line.
    fn cutoff(&self, _params: &[f64]) -> f64 {
        self.tables.as_ref().map_or(0.0, |tables| tables.cutoff)
    }

    /// The part that a pair has by itself.
    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let Some(tables) = &self.tables else { return (0.0, 0.0) };
        let [a, b] = elements(params);
        let r = rsq.sqrt();
        let (row, p) = row_of(r / tables.r.spacing, &tables.pairs[a][b]);
        let phi = value(row, p) / r;
        let scale = scale(params);
        (scale * (phi - slope(row, p) / tables.r.spacing) / rsq, scale * phi)
    }

    fn shift(&self, _params: &[f64]) -> f64 {
        0.0
    }

    fn coefficients(&self, params: &[f64], _shift: f64) -> Vec<f64> {
        self.tables.as_ref().map_or(Vec::new(), |tables| {
            let first = tables.first_parabola.map(|first| first as f64);
            let numbers = [1.0 / tables.r.spacing, (tables.r.points - 2) as f64, scale(params)];
            numbers.into_iter().chain(first).collect()
        })
    }

    fn samples<'a>(&'a self, params: &'a [f64]) -> Vec<Cow<'a, [f64]>> {
        let Some(tables) = &self.tables else { return Vec::new() };
        let [a, b] = elements(params);
        let rows = |here: usize, there: usize| {
            let pairs = tables.pairs[here][there].iter().zip(&tables.density[here][there]);
            let row = |(z, density): (&[f64; 4], &[f64; 4])| {
                let [a, b, c] = slopes(density, tables.r.spacing);
                [z[0], z[1], z[2], z[3], a, b, c, 0.0]
            };
            let shorter = tables.first_parabola.map(|first| tables.parabolas([here, there], first));
            Cow::Owned(pairs.flat_map(row).chain(shorter.into_iter().flatten()).collect())
        };
        vec![rows(a, b), rows(b, a)]
    }

    fn local_rows(&self) -> Option<usize> {
        self.first_parabola().and(self.tables.as_ref()).map(|tables| tables.r.points - 1)
    }

    fn many_body(&self) -> Option<&dyn ManyBody> {
        Some(self)
    }

    fn many_body_mut(&mut self) -> Option<&mut dyn ManyBody> {
        Some(self)
    }
}

/// The slope of a cubic as a parabola (a p + b) p + c.
fn slopes(row: &[f64; 4], spacing: f64) -> [f64; 3] {
    [3.0 * row[0] / spacing, 2.0 * row[1] / spacing, row[2] / spacing]
}

impl Tables {
    /// A function of r and its slope.
    fn at_distance(&self, rows: &Rows, r: f64) -> (f64, f64) {
        let (row, p) = row_of(r / self.r.spacing, rows);
        (value(row, p), slope(row, p) / self.r.spacing)
    }

    /// The neighbours of an atom within the cutoff: place, way, squared distance and both elements.
    fn pairs_of<'a>(
        &self,
        i: usize,
        params: &'a dyn Fn(u32, u32) -> Option<Params>,
        kind: &'a [u32],
        around: &'a [Around],
    ) -> impl Iterator<Item = (usize, &'a [f64; 3], f64, [usize; 2])> + use<'a> {
        let most = self.cutoff.powi(2);
        around[i].iter().filter_map(move |(j, way)| {
            let params = params(kind[i], kind[*j])?;
            let rsq: f64 = way.iter().map(|x| x * x).sum();
            (rsq < most).then(|| (*j, way, rsq, elements(&params)))
        })
    }
}

impl Eam {
    fn new(name: &'static str, format: Format) -> Self {
        Eam { name, format, files: Vec::new(), names: Vec::new(), tables: None }
    }

    fn first_parabola(&self) -> Option<usize> {
        self.tables.as_ref()?.first_parabola
    }

    /// F of an element in each interval, with its slope.
    fn embedding_samples(&self, tables: &Tables, element: usize) -> Cow<'_, [f64]> {
        let row = |row: &[f64; 4]| {
            let [a, b, c] = slopes(row, tables.rho.spacing);
            [row[0], row[1], row[2], row[3], a, b, c, 0.0]
        };
        Cow::Owned(tables.embedding[element].iter().flat_map(row).collect())
    }

    fn load(&self, args: &Args<'_>, word: &Word, units: &str, loaded: &mut Loaded) -> Result<EamFile> {
        let (mut file, factor) = loaded.open(args, word, self.name, units)?;
        EamFile::read(&mut file, self.format, factor)
    }

    /// `I J FILE`: of a pair of like types.
    fn read_funcfl(&mut self, args: &mut Args<'_>, types: &Types<'_>) -> Result<Loaded> {
        let word = args.word("a potential file (funcfl)")?;
        args.finish()?;
        let mut loaded = Loaded::default();
        let file = self.load(args, word, types.units, &mut loaded)?;
        let place = match self.names.iter().position(|name| *name == word.text) {
            Some(place) => place,
            None => {
                self.names.push(word.text.clone());
                self.files.push(file.clone());
                self.files.len() - 1
            }
        };
        self.files[place] = file;
        self.tables = Some(Tables::new(&self.files, self.format));
        let [first, second] = &types.ranges;
        for i in first.clone().filter(|i| second.contains(i)) {
            loaded.pairs.push(([i, i], vec![place as f64; 2]));
            loaded.masses.push((i, self.files[place].elements[0].mass));
        }
        add_scales(&mut loaded);
        Ok(loaded)
    }

    /// `* * FILE ELEMENT ...`.
    fn read_setfl(&mut self, args: &mut Args<'_>, types: &Types<'_>) -> Result<Loaded> {
        types.check_all(args, self.name)?;
        let word = args.word("a potential file (setfl)")?;
        let mut loaded = Loaded::default();
        let file = self.load(args, word, types.units, &mut loaded)?;
        let mut element_of = Vec::new();
        for (k, name) in types.elements(args)?.into_iter().enumerate() {
            let place = file.elements.iter().position(|element| element.name == name.text);
            if place.is_none() && name.text != "NULL" {
                let names = file.elements.iter().map(|element| element.name.as_str());
                return Err(args.unknown(name, "element of the potential file", names));
            }
            loaded.masses.extend(place.map(|place| (k + 1, file.elements[place].mass)));
            element_of.push(place);
        }
        loaded.add_pairs(&element_of);
        if self.format != Format::Angular {
            add_scales(&mut loaded);
        }
        self.files = vec![file];
        self.tables = Some(Tables::new(&self.files, self.format));
        Ok(loaded)
    }
}

impl ManyBody for Eam {
    fn read(&mut self, args: &mut Args<'_>, types: &Types<'_>) -> Result<Loaded> {
        match self.format {
            Format::Funcfl => self.read_funcfl(args, types),
            _ => self.read_setfl(args, types),
        }
    }

    fn is_central(&self) -> bool {
        true
    }

    fn turned(&self, params: &[f64]) -> Params {
        let mut turned = params.to_vec();
        turned.swap(0, 1);
        turned
    }

    fn first_pass(&self) -> FirstPass {
        FirstPass {
            snippet: kernel_file!("pair/eam_embedding.cl", "pair/eam_density.cl"),
            leaves: Leaves::Numbers { sums: 1, made: 1 },
        }
    }

    fn pass_coefficients(&self, params: &[f64]) -> Vec<f64> {
        let last = |points: usize| (points - 2) as f64;
        self.tables.as_ref().map_or(Vec::new(), |tables| {
            let Tables { r, rho, first_rho, least_rho, most_rho, .. } = tables;
            let grids = [1.0 / r.spacing, last(r.points), 1.0 / rho.spacing, last(rho.points)];
            [&grids[..], &[*first_rho, *least_rho, *most_rho, scale(params)]].concat()
        })
    }

    fn pass_samples(&self, params: &[f64]) -> Vec<Cow<'_, [f64]>> {
        let Some(tables) = &self.tables else { return Vec::new() };
        let [a, b] = elements(params);
        let mut density: Vec<f64> = tables.density[a][b].iter().flatten().copied().collect();
        density.resize(density.len().next_multiple_of(8), 0.0);
        vec![Cow::Owned(density), self.embedding_samples(tables, a)]
    }

    fn evaluate_all(
        &self,
        params: &dyn Fn(u32, u32) -> Option<Params>,
        kind: &[u32],
        around: &[Around],
        to: &mut Contribution<'_>,
    ) {
        let Some(tables) = &self.tables else { return };
        let pairs = |i: usize| tables.pairs_of(i, params, kind, around);
        let look_up = |rows: &Rows, r: f64| tables.at_distance(rows, r);
        let mut slopes = vec![0.0; kind.len()];
        for (i, slope_of_f) in slopes.iter_mut().enumerate() {
            let density: f64 =
                pairs(i).map(|(_, _, rsq, [a, b])| look_up(&tables.density[a][b], rsq.sqrt()).0).sum();
            let Some(own) = params(kind[i], kind[i]) else { continue };
            let (energy, slope) = tables.embedded(elements(&own)[0], density);
            *slope_of_f = slope;
            to.energy[i] += scale(&own) * energy;
        }
        for i in 0..kind.len() {
            for (j, way, rsq, [a, b]) in pairs(i) {
                let r = rsq.sqrt();
                let (z, z_slope) = look_up(&tables.pairs[a][b], r);
                let phi = z / r;
                let here = look_up(&tables.density[a][b], r).1;
                let there = look_up(&tables.density[b][a], r).1;
                let scale = params(kind[i], kind[j]).map_or(1.0, |params| scale(&params));
                let slope = scale * (slopes[i] * here + slopes[j] * there + (z_slope - phi) / r);
                to.energy[i] += 0.5 * scale * phi;
                // The way from i to j, along which a falling energy pushes i back.
                to.force[i].iter_mut().zip(way).for_each(|(force, x)| *force += slope * x / r);
                for (k, (d, e)) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
                    to.virial[i][k] -= 0.5 * slope * way[d] * way[e] / r;
                }
            }
        }
    }

    /// The density, and F' there.
    fn names_of_atoms(&self) -> &'static [&'static str] {
        &["rho", "fp"]
    }

    fn values_of_atom(&self, own: &[f64], around: &[(&[f64], f64)]) -> Vec<f64> {
        let Some(tables) = &self.tables else { return vec![0.0; 2] };
        let within = around.iter().filter(|(_, rsq)| *rsq < tables.cutoff.powi(2));
        let densities = within.map(|(params, rsq)| {
            let [a, b] = elements(params);
            tables.at_distance(&tables.density[a][b], rsq.sqrt()).0
        });
        let density = densities.sum();
        vec![density, tables.embedded(elements(own)[0], density).1]
    }

    fn save(&self) -> Value {
        serde_json::json!({ "files": self.files, "names": self.names })
    }

    fn restore(&mut self, saved: Value) -> Result<()> {
        #[derive(serde::Deserialize)]
        struct Saved {
            files: Vec<EamFile>,
            names: Vec<String>,
        }
        let Saved { files, names } = many_body::saved(self.name, saved)?;
        if !files.iter().all(|file| file.is_whole(self.format)) {
            return Err(Error::new(format!(
                "the potential of pair_style {} is not whole: its tables are not as long as their grids",
                self.name
            )));
        }
        self.tables = (!files.is_empty()).then(|| Tables::new(&files, self.format));
        (self.files, self.names) = (files, names);
        Ok(())
    }
}
