//! `pair_style meam` (`meam/c`): the modified embedded-atom method. E = sum over atoms of F(rho) + sum over pairs of S fc(r) phi(r), F = A Ec rho ln rho.
//! rho is rho0 G(Gamma) over its value in the reference lattice, rho0 the sum of the densities that the others make at an atom, and Gamma = sum of t_l
//! rho_l^2/rho0^2 over partial densities that depend on angles, l = 1 to 3. An atom k screens the pair i, j: S is the product of f((C - Cmin)/(Cmax - Cmin)), C
//! the squared ratio of both axes of the ellipse through all three that has i and j at the ends of its other axis. phi follows from F and the energy of a
//! reference lattice ([`reference`]).
//!
//! `pair_coeff * * LIBRARY ELEMENT ... FILE ELEMENT ...`: the elements to take from the library, in the order in which the parameter file (or NULL) counts
//! them, and the element of each type, NULL for types that take no part. Energies in eV, distances in Angstrom. Sources: M. I. Baskes, Phys. Rev. B 46, 2727
//! (1992); M. I. Baskes, J. E. Angelo and C. L. Bisson, Modelling Simul. Mater. Sci. Eng. 2, 505 (1994); B.-J. Lee and M. I. Baskes, Phys. Rev. B 62, 8564
//! (2000); P. M. Gullett and others, Sandia report SAND2003-8782 (2003); LAMMPS manual, pair_style meam.

mod centre;
mod files;
mod lattice;
mod reference;

use super::many_body::{self, Around, Contribution, FirstPass, Leaves, Loaded, ManyBody, Types, no_numbers};
use super::potential_file::PotentialFile;
use super::style::{Params, Style};
use super::three_body::add_centres;
use crate::base::error::Result;
use crate::gpu::source::{File, kernel_file};
use crate::script::{Args, Word};
use files::Parameters;
use reference::Table;
use serde_json::Value;
use std::borrow::Cow;

struct Meam {
    name: &'static str,
    potential: Option<Potential>,
}

/// All that has been read, and what follows.
struct Potential {
    parameters: Parameters,
    /// phi of ordered pairs of elements.
    tables: Vec<Table>,
    reach: f64,
}

/// `meam`.
pub(super) fn new(_: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Meam { name: "meam", potential: None }))
}

/// `meam/c`, as older versions of LAMMPS have it.
pub(super) fn in_c(_: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Meam { name: "meam/c", potential: None }))
}

/// The elements of a pair.
fn elements(params: &[f64]) -> [usize; 2] {
    [params[0] as usize, params[1] as usize]
}

impl Potential {
    fn new(parameters: Parameters) -> Self {
        Potential { tables: parameters.tables(), reach: parameters.reach(), parameters }
    }

    /// phi of a pair of elements.
    fn table(&self, i: usize, j: usize) -> &Table {
        &self.tables[i * self.parameters.elements.len() + j]
    }

    /// Neighbours that an atom sees in the densest lattice of an element, and some more.
    fn neighbors(&self) -> usize {
        let count = self.parameters.elements.len();
        let nearest = (0..count).map(|i| self.parameters.pair(i, i).distance).fold(f64::INFINITY, f64::min);
        // That of fcc has 2^(1/2) atoms per cubed distance.
        let most = 4.0 / 3.0 * std::f64::consts::PI * 2.0_f64.sqrt() * (self.reach / nearest).powi(3) * 1.15;
        (most as usize).next_multiple_of(4).clamp(8, 96)
    }

    /// The numbers of cl/pair/meam.cl.
    fn numbers(&self, [i, j]: [usize; 2]) -> Vec<f64> {
        let parameters = &self.parameters;
        let [mine, theirs] = [i, j].map(|element| &parameters.elements[element]);
        let table = self.table(i, j);
        let per_length = parameters.pair(j, j).distance.recip();
        let (reference, _) = parameters.reference_density(i, mine.weight);
        let averaged = parameters.averaged_reference && mine.ibar > 0;
        let reference = if averaged { mine.density * mine.lattice.neighbors() } else { reference };
        let shape = parameters
            .pair(i, i)
            .shape()
            .map(|shape| if averaged { shape / mine.lattice.neighbors().powi(2) } else { 0.0 });
        let scale = mine.embedding * parameters.pair(i, i).energy;
        let common = [
            parameters.cutoff,
            parameters.taper.recip(),
            table.spacing.recip(),
            (table.rows.len() - 1) as f64,
            theirs.density,
            per_length,
        ];
        let flags = [
            f64::from(parameters.averaging),
            f64::from(u8::from(averaged)),
            f64::from(u8::from(parameters.linear)),
            f64::from(mine.ibar),
            parameters.smoothing,
            reference,
            scale,
        ];
        let most = parameters.most_screening(i, j);
        [&common[..], &theirs.decay, &theirs.weight, &mine.weight, &flags, &shape, &[most]].concat()
    }
}

impl Style for Meam {
    fn name(&self) -> &'static str {
        self.name
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/zero.cl")
    }

    fn global(&self) -> &[f64] {
        &[]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        Err(no_numbers(args, self.name()))
    }

    /// Those that screen a pair are seen, too.
    fn cutoff(&self, _params: &[f64]) -> f64 {
        self.potential.as_ref().map_or(0.0, |potential| potential.reach)
    }

    fn evaluate(&self, _params: &[f64], _rsq: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn coefficients(&self, _params: &[f64], _shift: f64) -> Vec<f64> {
        vec![0.0]
    }

    fn many_body(&self) -> Option<&dyn ManyBody> {
        Some(self)
    }

    fn many_body_mut(&mut self) -> Option<&mut dyn ManyBody> {
        Some(self)
    }
}

impl Meam {
    /// Opens one of both files, and says so in the log.
    fn open(&self, args: &Args<'_>, word: &Word, what: &str, loaded: &mut Loaded) -> Result<PotentialFile> {
        let file = PotentialFile::open(args, word)?;
        loaded.log.extend(file.log(what));
        file.check_units("metal").map_err(|error| args.place(word, error))?;
        Ok(file)
    }
}

impl ManyBody for Meam {
    /// `* * LIBRARY ELEMENT ... FILE ELEMENT ...`.
    fn read(&mut self, args: &mut Args<'_>, types: &Types<'_>) -> Result<Loaded> {
        types.check_all(args, self.name)?;
        if types.units != "metal" {
            let error = args.error_here(format_args!("pair_style {} is for units metal", self.name));
            return Err(error.help("write `units metal`"));
        }
        let library = args.word("a library file")?;
        let names = args.rest();
        // Behind them stand a parameter file and the element of each type.
        let count = names.len().saturating_sub(1 + types.count).max(1);
        for _ in 0..count {
            args.word("an element of the library")?;
        }
        let names = &names[..count];
        let file = args.word("a parameter file, or NULL")?;
        let mut loaded = Loaded::default();
        let mut element_of = Vec::new();
        for (k, name) in types.elements(args)?.into_iter().enumerate() {
            let place = names.iter().position(|element| element.text == name.text);
            if place.is_none() && name.text != "NULL" {
                let names = names.iter().map(|name| name.text.as_str());
                return Err(args.unknown(name, "element of this line", names));
            }
            element_of.push((k + 1, place));
        }
        if let Some(k) = (1..count).find(|&k| names[..k].iter().any(|name| name.text == names[k].text)) {
            return Err(args.error(&names[k], format_args!("element '{}' stands twice", names[k].text)));
        }
        let mut text = self.open(args, library, "MEAM library", &mut loaded)?;
        let mut parameters = Parameters::from_library(&mut text, names, args)?;
        if file.text != "NULL" {
            text = self.open(args, file, "MEAM potential", &mut loaded)?;
            parameters.amend(&mut text)?;
        }
        parameters.complete().map_err(|what| text.error(&what))?;
        let mass = |&(kind, place): &(usize, Option<usize>)| Some((kind, parameters.elements[place?].mass));
        loaded.masses = element_of.iter().filter_map(mass).collect();
        loaded.add_pairs(&element_of.iter().map(|(_, place)| *place).collect::<Vec<_>>());
        self.potential = Some(Potential::new(parameters));
        Ok(loaded)
    }

    fn first_pass(&self) -> FirstPass {
        let slots = self.potential.as_ref().map_or(8, Potential::neighbors);
        FirstPass {
            snippet: kernel_file!("pair/meam.cl"),
            leaves: Leaves::PartialForces { slots, scratch: 1, by_bonds: false },
        }
    }

    fn pass_coefficients(&self, params: &[f64]) -> Vec<f64> {
        self.potential.as_ref().map_or(Vec::new(), |potential| potential.numbers(elements(params)))
    }

    fn pass_samples(&self, params: &[f64]) -> Vec<Cow<'_, [f64]>> {
        let Some(potential) = &self.potential else { return Vec::new() };
        let [i, j] = elements(params);
        let mut rows: Vec<f64> = potential.table(i, j).rows.iter().flatten().copied().collect();
        rows.resize(rows.len().next_multiple_of(8), 0.0);
        vec![Cow::Owned(rows)]
    }

    fn triplet(&self, one: &[f64], other: &[f64]) -> Vec<f64> {
        let Some(potential) = &self.potential else { return Vec::new() };
        let [least, most] = potential.parameters.screen(one[0] as usize, one[1] as usize, other[1] as usize);
        vec![least, most, (most - least).recip()]
    }

    fn evaluate_all(
        &self,
        params: &dyn Fn(u32, u32) -> Option<Params>,
        kind: &[u32],
        around: &[Around],
        to: &mut Contribution<'_>,
    ) {
        let Some(potential) = &self.potential else { return };
        let energy = |element: usize, legs: &[_]| potential.around(element, legs);
        add_centres(params, kind, around, &|_, _| potential.reach, &energy, to);
    }

    fn save(&self) -> Value {
        serde_json::json!(self.potential.as_ref().map(|potential| &potential.parameters))
    }

    fn restore(&mut self, saved: Value) -> Result<()> {
        let parameters: Option<Parameters> = many_body::saved(self.name, saved)?;
        self.potential = parameters.map(Potential::new);
        Ok(())
    }
}
